/*
 * flush_event_threads - two threads that use events while records are handed over every millisecond (RECORD
 * GSTRACE_FLUSH_MS=1).
 *
 * Each thread records its own event in its own stream and waits for the other's, forty times, in step: kernel k of one
 * comes after kernel k - 1 of the other. That a second thread uses events is found while the program runs, and from then on
 * records have numbers.
 *
 * EXPECT ops kernel: 82
 * EXPECT ops record: 80
 * EXPECT edges: E1 >= 40
 * EXPECT edges: S3 == 0
 * EXPECT none: lost-records
 */
#include <atomic>
#include <thread>

#include "kernels/common.h"

__global__ void ping(unsigned us, int *turn)
{
	spin_us(us);
	*turn += 1;
}

__global__ void pong(unsigned us, int *turn)
{
	spin_us(us);
	*turn += 1;
}

static const int rounds = 40;
static cudaStream_t streams[2];
static cudaEvent_t events[2];
static int *turn;
static std::atomic<int> step;

static void play(int me)
{
	for (int i = 0; i < rounds; i++) {
		double end = wall_us() + 5e6;
		while (step != 2 * i + me) {
			VERIFY(wall_us() < end, "the other thread took its turn");
		}
		CHECK(cudaStreamWaitEvent(streams[me], events[!me], 0));
		if (me) {
			pong<<<1, 1, 0, streams[me]>>>(100, turn);
		} else {
			ping<<<1, 1, 0, streams[me]>>>(100, turn);
		}
		CHECK(cudaEventRecord(events[me], streams[me]));
		step++;
	}
}

int main(void)
{
	int result = 0;

	require_gpu();
	CHECK(cudaMalloc(&turn, sizeof(*turn)));
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
		CHECK(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
	}
	ping<<<1, 1, 0, streams[0]>>>(1, turn);
	pong<<<1, 1, 0, streams[1]>>>(1, turn);
	settle();
	CHECK(cudaMemsetAsync(turn, 0, sizeof(*turn), streams[0]));
	CHECK(cudaDeviceSynchronize());

	double begin = wall_us();
	std::thread second(play, 1);
	play(0);
	second.join();
	CHECK(cudaDeviceSynchronize());
	report("flush_event_threads", wall_us() - begin);

	CHECK(cudaMemcpyAsync(&result, turn, sizeof(result), cudaMemcpyDeviceToHost, streams[0]));
	CHECK(cudaStreamSynchronize(streams[0]));
	VERIFY(result == 2 * rounds, "no two kernels ran at once");
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamDestroy(streams[i]));
		CHECK(cudaEventDestroy(events[i]));
	}
	CHECK(cudaFree(turn));
	return 0;
}
