/*
 * priorities - two streams with the lowest and the highest priority.
 *
 * low's 20,000 blocks of 200 us are more than the device holds at once, so blocks of high (128 of 200 us,
 * submitted 1 ms later) compete with those still waiting and are preferred. A priority is a hint: it
 * orders nothing, and low, already running, is not interrupted.
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 4
 * EXPECT edges: S3 == 0
 * EXPECT unordered: low#2 | high#2
 * EXPECT none: default-stream-serialization
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

__global__ void low(unsigned us)
{
	spin_us(us);
}

__global__ void high(unsigned us)
{
	spin_us(us);
}

int main(void)
{
	cudaStream_t s_low, s_high;
	int least, greatest, got;

	require_gpu();
	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&s_low, cudaStreamNonBlocking, least));
	CHECK(cudaStreamCreateWithPriority(&s_high, cudaStreamNonBlocking, greatest));
	CHECK(cudaStreamGetPriority(s_high, &got));
	VERIFY(got == greatest && least > greatest, "two priorities");
	low<<<1, 1, 0, s_low>>>(1);
	high<<<1, 1, 0, s_high>>>(1);
	settle();

	double begin = wall_us();
	low<<<20000, 1024, 0, s_low>>>(200);
	host_work_us(1000);
	high<<<128, 1024, 0, s_high>>>(200);
	CHECK(cudaDeviceSynchronize());
	report("priorities", wall_us() - begin);

	CHECK(cudaStreamDestroy(s_low));
	CHECK(cudaStreamDestroy(s_high));
	return 0;
}
