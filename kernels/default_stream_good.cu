/*
 * default_stream_good - default_stream_bad with non-blocking streams.
 *
 * A non-blocking stream takes no part in the legacy default stream's barrier, so the three kernels
 * of a round are independent, and each stream runs its own 40 kernels back to back:
 *
 *   s1      |1|1|1|...                      40 ms
 *   legacy  |2 2|2 2|2 2|...                80 ms
 *   s2      |3 3 3|3 3 3|3 3 3|...         120 ms = the whole
 *
 * EXPECT streams: 3
 * EXPECT ops kernel: 123
 * EXPECT edges: S3 == 0
 * EXPECT unordered: first#2 | middle#2
 * EXPECT unordered: middle#2 | last#2
 * EXPECT unordered: last#2 | middle#3
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 * TWIN default_stream_bad
 */
#include "kernels/common.h"

static const int rounds = 40;

__global__ void first(unsigned us)
{
	spin_us(us);
}

__global__ void middle(unsigned us)
{
	spin_us(us);
}

__global__ void last(unsigned us)
{
	spin_us(us);
}

int main(void)
{
	cudaStream_t s1, s2;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	first<<<1, 1, 0, s1>>>(1);
	middle<<<1, 1>>>(1);
	last<<<1, 1, 0, s2>>>(1);
	settle();

	double begin = wall_us();
	for (int i = 0; i < rounds; i++) {
		first<<<1, 1, 0, s1>>>(1000);
		middle<<<1, 1>>>(2000);
		last<<<1, 1, 0, s2>>>(3000);
	}
	CHECK(cudaDeviceSynchronize());
	report("default_stream_good", wall_us() - begin);

	CHECK(cudaStreamDestroy(s1));
	CHECK(cudaStreamDestroy(s2));
	return 0;
}
