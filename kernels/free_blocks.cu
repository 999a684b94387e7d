/*
 * free_blocks - cudaFree waits for a kernel in a stream that has nothing to do with it.
 *
 * Freeing device memory may wait for the device: here for a kernel of 10 ms in a non-blocking stream
 * that does not use it. The report line also gives the time of the call (free_us). A stream-ordered
 * free, in a second part, does not wait (free_async_us).
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 3
 * EXPECT ops alloc: 1
 * EXPECT ops free: 1
 * EXPECT edges: H7 >= 1
 * EXPECT none: default-stream-serialization
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

__global__ void busy(unsigned us)
{
	spin_us(us);
}

int main(void)
{
	cudaStream_t work, other;
	void *unrelated, *pooled;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&unrelated, 1 << 20));
	CHECK(cudaMallocAsync(&pooled, 1 << 20, other));
	busy<<<1, 1, 0, work>>>(1);
	settle();

	double begin = wall_us();
	busy<<<1, 1, 0, work>>>(10000);
	double free_us = wall_us();
	CHECK(cudaFree(unrelated));
	free_us = wall_us() - free_us;

	busy<<<1, 1, 0, work>>>(10000);
	double free_async_us = wall_us();
	CHECK(cudaFreeAsync(pooled, other));
	free_async_us = wall_us() - free_async_us;
	CHECK(cudaDeviceSynchronize());
	double end = wall_us();

	printf("workload=free_blocks wall_us=%.1f free_us=%.1f free_async_us=%.1f\n", end - begin,
	       free_us, free_async_us);
	CHECK(cudaStreamDestroy(work));
	CHECK(cudaStreamDestroy(other));
	return 0;
}
