/*
 * per_thread_default - two host threads, each with its own default stream.
 *
 * Compiled with --default-stream per-thread, so a launch without a stream goes to the calling thread's
 * own default stream: the two threads' kernels (ten of 500 us each) are independent, though each
 * thread's are in order. At the end the main thread launches one in the legacy default stream, which
 * waits for both, as these streams are blocking ones, and one in its own, which waits for the legacy one.
 *
 * EXPECT streams: 4
 * EXPECT ops kernel: 22
 * EXPECT edges: S1 >= 18
 * EXPECT edges: S3 >= 2
 * EXPECT unordered: spin_a#2 | spin_b#2
 * EXPECT ordered: spin_a#10 -> legacy#1
 * EXPECT ordered: spin_b#10 -> legacy#1
 * EXPECT ordered: legacy#1 -> own#1
 * EXPECT none: pageable-copy
 * EXPECT none: lost-records
 */
#include <thread>

#include "kernels/common.h"

static const int launches = 10;

__global__ void spin_a(unsigned us)
{
	spin_us(us);
}

__global__ void spin_b(unsigned us)
{
	spin_us(us);
}

__global__ void legacy(unsigned us)
{
	spin_us(us);
}

__global__ void own(unsigned us)
{
	spin_us(us);
}

static void thread_a(void)
{
	for (int i = 0; i < launches; i++) {
		spin_a<<<1, 1>>>(500);
	}
	CHECK(cudaGetLastError());
}

static void thread_b(void)
{
	for (int i = 0; i < launches; i++) {
		spin_b<<<1, 1>>>(500);
	}
	CHECK(cudaGetLastError());
}

int main(void)
{
	require_gpu();

	double begin = wall_us();
	std::thread a(thread_a), b(thread_b);
	a.join();
	b.join();
	legacy<<<1, 1, 0, cudaStreamLegacy>>>(100);
	own<<<1, 1>>>(100);
	CHECK(cudaDeviceSynchronize());
	report("per_thread_default", wall_us() - begin);
	return 0;
}
