/*
 * gpu_starved_bad - the host prepares each batch before it submits it, and the device waits for the host.
 *
 * Forty batches. The host works 1000 us on a batch (as a loader or a tokenizer would), then launches five kernels of
 * 100 us for it and goes on with the next batch. Nothing waits: the device is simply done before it gets more.
 *
 *   host    |1000 us prepare 1|1000 us prepare 2|...
 *   device                    |500|   idle 500  |500|   idle 500  |          40.5 ms in all
 *
 * Prepared by four threads, the device gets the first batch after 1 ms and the others in time: 1 + 40 * 0.5 = 21 ms.
 * 39 idle times of 500 us are gained by construction, and what the launches take.
 *
 * EXPECT streams: 1
 * EXPECT ops kernel: 201
 * EXPECT finding: gpu-starved blocked_us 18500..24000 recoverable_us <=24000
 * EXPECT gain_us: 18500..22500
 * EXPECT none: host-sync-stall
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 * EXPECT none: lost-records
 * TWIN gpu_starved_good
 */
#include "kernels/common.h"

static const int batches = 40, layers = 5;

__global__ void layer(int *sum, int batch, unsigned us)
{
	spin_us(us);
	*sum += batch;
}

/* What the host does to make a batch of a piece of input. */
static int prepare(int batch)
{
	host_work_us(1000);
	return batch;
}

int main(void)
{
	cudaStream_t s;
	int *sum, expected = 0, got;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaMallocHost(&sum, sizeof(*sum)));
	*sum = 0;
	layer<<<1, 1, 0, s>>>(sum, 0, 1);
	settle();

	double begin = wall_us();
	for (int i = 0; i < batches; i++) {
		int batch = prepare(i);
		for (int j = 0; j < layers; j++) {
			layer<<<1, 1, 0, s>>>(sum, batch, 100);
		}
		expected += layers * batch;
	}
	CHECK(cudaStreamSynchronize(s));
	report("gpu_starved_bad", wall_us() - begin);

	got = *(volatile int *)sum;
	VERIFY(got == expected, "sum over the batches");
	CHECK(cudaStreamDestroy(s));
	CHECK(cudaFreeHost(sum));
	return 0;
}
