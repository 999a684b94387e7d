/*
 * device_sync_bad - the host waits for the whole device where it needs one stream's result.
 *
 * A long kernel (60 ms) runs in one stream. Forty steps in another stream each launch a kernel of 1 ms
 * and need its result, but wait with cudaDeviceSynchronize: the first wait lasts as long as the long
 * kernel, and the other 39 steps come after it.
 *
 *   background |60 ms ======================|
 *   steps      |1|         (host waits)      |1|1|1|... 39 ms        99 ms in all
 *
 * Waiting for the stream of the steps alone, the steps run beside the long kernel and the whole takes
 * 60 ms: 39 ms are gained by construction.
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 43
 * EXPECT finding: host-sync-stall severity>=medium path~H1 recoverable_us 35100..42900
 * EXPECT gain_us: 39000
 * EXPECT edges: H1 >= 41
 * EXPECT ordered: background#2 -> step#3
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 * EXPECT none: lost-records
 * TWIN device_sync_good
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
		CHECK(cudaDeviceSynchronize());
		VERIFY(*(volatile int *)result == i, "step's result");
	}
	CHECK(cudaDeviceSynchronize());
	report("device_sync_bad", wall_us() - begin);

	CHECK(cudaStreamDestroy(s1));
	CHECK(cudaStreamDestroy(s2));
	CHECK(cudaFreeHost(result));
	return 0;
}
