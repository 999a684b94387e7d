/*
 * event_sync - the host waits for an event in the middle of a stream and works on what came before it.
 *
 * produce (2 ms), an event record and unrelated (5 ms) are submitted at once. The host waits for the
 * event alone, so its own task on produce's result (1 ms) runs beside unrelated.
 *
 * EXPECT streams: 1
 * EXPECT ops kernel: 4
 * EXPECT ops record: 1
 * EXPECT edges: H1 >= 2
 * EXPECT ordered: produce#2 -> unrelated#2
 * EXPECT none: host-sync-stall
 * EXPECT none: default-stream-serialization
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

__global__ void produce(int *result, int value, unsigned us)
{
	spin_us(us);
	*result = value;
}

__global__ void unrelated(unsigned us)
{
	spin_us(us);
}

int main(void)
{
	cudaStream_t stream;
	cudaEvent_t produced;
	int *result;

	require_gpu();
	CHECK(cudaMallocHost(&result, sizeof(*result)));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
	produce<<<1, 1, 0, stream>>>(result, 0, 1);
	unrelated<<<1, 1, 0, stream>>>(1);
	settle();

	double begin = wall_us();
	produce<<<1, 1, 0, stream>>>(result, 41, 2000);
	CHECK(cudaEventRecord(produced, stream));
	unrelated<<<1, 1, 0, stream>>>(5000);
	CHECK(cudaEventSynchronize(produced));
	VERIFY(*(volatile int *)result + 1 == 42, "produced value");
	host_work_us(1000);
	CHECK(cudaStreamSynchronize(stream));
	report("event_sync", wall_us() - begin);

	CHECK(cudaEventDestroy(produced));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(result));
	return 0;
}
