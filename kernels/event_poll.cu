/*
 * event_poll - the host polls an event between pieces of its own work, then starts a copy.
 *
 * produce (3 ms) and then overlap (6 ms) run in one stream, with an event between them. The host works
 * in pieces of 200 us; once a query finds the event complete it starts copying produce's result in a
 * second stream, beside overlap. Nothing but that successful query orders the copy after produce.
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 4
 * EXPECT ops memcpy: 1
 * EXPECT ops record: 1
 * EXPECT edges: H2 >= 1
 * EXPECT ordered: produce#2 -> memcpy#1
 * EXPECT unordered: overlap#2 | memcpy#1
 * EXPECT none: pageable-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: default-stream-serialization
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

static const int n = 1 << 20;

__global__ void produce(int *data, int count, unsigned us)
{
	for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x) {
		data[i] = i + 1;
	}
	__syncthreads();
	spin_us(us);
}

__global__ void overlap(unsigned us)
{
	spin_us(us);
}

int main(void)
{
	cudaStream_t work, copy;
	cudaEvent_t produced;
	int *device, *host;
	int pieces = 0;
	bool copying = false;

	require_gpu();
	CHECK(cudaMalloc(&device, n * sizeof(int)));
	CHECK(cudaMallocHost(&host, n * sizeof(int)));
	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
	produce<<<1, 1024, 0, work>>>(device, 0, 1);
	overlap<<<1, 1, 0, work>>>(1);
	settle();

	double begin = wall_us();
	produce<<<1, 1024, 0, work>>>(device, n, 3000);
	CHECK(cudaEventRecord(produced, work));
	overlap<<<1, 1, 0, work>>>(6000);
	while (!copying || pieces < 20) {
		host_work_us(200);
		pieces++;
		if (copying) {
			continue;
		}
		cudaError_t state = cudaEventQuery(produced);
		if (state != cudaErrorNotReady) {
			CHECK(state);
			CHECK(cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost,
					      copy));
			copying = true;
		}
	}
	CHECK(cudaStreamSynchronize(copy));
	VERIFY(host[0] == 1 && host[n - 1] == n, "produced data");
	CHECK(cudaStreamSynchronize(work));
	report("event_poll", wall_us() - begin);

	CHECK(cudaEventDestroy(produced));
	CHECK(cudaStreamDestroy(work));
	CHECK(cudaStreamDestroy(copy));
	CHECK(cudaFreeHost(host));
	CHECK(cudaFree(device));
	return 0;
}
