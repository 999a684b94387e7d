/*
 * event_timing - a kernel timed by two events.
 *
 * An event record before and one after a kernel of 5 ms; when the stream is done, their difference is
 * the kernel's time. The elapsed-time call proves both records complete.
 *
 * EXPECT streams: 1
 * EXPECT ops kernel: 2
 * EXPECT ops record: 2
 * EXPECT edges: S1 >= 2
 * EXPECT ordered: record#1 -> timed#2
 * EXPECT ordered: timed#2 -> record#2
 * EXPECT none: host-sync-stall
 * EXPECT none: default-stream-serialization
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

__global__ void timed(unsigned us)
{
	spin_us(us);
}

int main(void)
{
	cudaStream_t stream;
	cudaEvent_t start, stop;
	float ms = 0;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	timed<<<1, 1, 0, stream>>>(1);
	settle();

	double begin = wall_us();
	CHECK(cudaEventRecord(start, stream));
	timed<<<1, 1, 0, stream>>>(5000);
	CHECK(cudaEventRecord(stop, stream));
	CHECK(cudaStreamSynchronize(stream));
	report("event_timing", wall_us() - begin);

	CHECK(cudaEventElapsedTime(&ms, start, stop));
	VERIFY(ms >= 4.9f && ms < 100.0f, "elapsed time of a 5 ms kernel");
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
