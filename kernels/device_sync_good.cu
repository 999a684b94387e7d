/*
 * device_sync_good - device_sync_bad waiting for the one stream whose result is needed.
 *
 *   background |60 ms ===========================|
 *   steps      |1|1|1|... 40 ms|                          60 ms in all
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 43
 * EXPECT edges: H1 >= 41
 * EXPECT unordered: background#2 | step#3
 * EXPECT none: host-sync-stall
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 * EXPECT none: lost-records
 * TWIN device_sync_bad
 */
#include "kernels/common.h"

static const int steps = 40;

__global__ void background(unsigned us)
{
	spin_us(us);
}

__global__ void step(int *result, int value, unsigned us)
{
	spin_us(us);
	*result = value;
}

int main(void)
{
	cudaStream_t s1, s2;
	int *result;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	CHECK(cudaMallocHost(&result, sizeof(*result)));
	step<<<1, 1, 0, s1>>>(result, -1, 1);
	background<<<1, 1, 0, s2>>>(1);
	settle();

	double begin = wall_us();
	background<<<1, 1, 0, s2>>>(60000);
	for (int i = 0; i < steps; i++) {
		step<<<1, 1, 0, s1>>>(result, i, 1000);
		CHECK(cudaStreamSynchronize(s1));
		VERIFY(*(volatile int *)result == i, "step's result");
	}
	CHECK(cudaDeviceSynchronize());
	report("device_sync_good", wall_us() - begin);

	CHECK(cudaStreamDestroy(s1));
	CHECK(cudaStreamDestroy(s2));
	CHECK(cudaFreeHost(result));
	return 0;
}
