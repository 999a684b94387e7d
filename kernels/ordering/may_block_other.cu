/*
 * may_block_other - calls that may wait for the device, made by another host thread.
 *
 * While a kernel runs in a non-blocking stream a second thread makes the call; the first thread goes on
 * launching small kernels into a third stream. Told are: whether the call waited (H7), and how long the
 * slowest of these launches took, in microseconds (NAME_launch_us): a call that waits may hold them up.
 *
 * EXPECT edges: H7 >= 1
 * EXPECT none: lost-records
 */
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "kernels/ordering/may_block.h"

__global__ void tick(void)
{
}

int main(void)
{
	cudaStream_t work, ticks;

	(void)driver_open();
	witness_start("may_block_other");
	load_kernels(tick);
	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&ticks, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&subject.stream, cudaStreamNonBlocking));
	tick<<<1, 1, 0, ticks>>>();
	for (const struct may_block_call &c : may_block_calls) {
		std::atomic<bool> has_called{false};
		struct span *s = new_span();
		double call_us = 0, slowest_us = 0;
		int verdict = 0;
		unsigned busy_us = may_block_busy_us(c);

		c.prepare();
		settle();
		busy<<<1, 1, 0, work>>>(s, busy_us);
		await_begin(s);
		std::thread other([&] {
			/* A new thread has no context until a call of the runtime gives it the device's. */
			CHECK(cudaSetDevice(0));
			CHECK(cudaFree(NULL));
			double us = wall_us();
			has_called = true;
			CHECK(c.call());
			call_us = wall_us() - us;
			verdict = waited(s, call_us, busy_us);
		});
		while (!has_called) {
		}
		while (s->end == 0) {
			host_work_us(500);
			double us = wall_us();
			tick<<<1, 1, 0, ticks>>>();
			slowest_us = std::max(slowest_us, wall_us() - us);
		}
		other.join();
		CHECK(cudaDeviceSynchronize());
		saw(c.name, verdict);
		claim("%s_us=%.1f %s_launch_us=%.1f", c.name, call_us, c.name, slowest_us);
	}
	return witness_end();
}
