/*
 * sync_copy_good - sync_copy_bad with an asynchronous copy in a stream of its own.
 *
 * The copy's call returns at once, the kernel runs beside the copy, and the host waits for both:
 *
 *   host    |  wait     |work|             a round takes copy (2.4 ms over PCI Express 5) + 100 us
 *   copies  |===========|
 *   stream  |1.5 ms===|
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 31
 * EXPECT ops memcpy: 31
 * EXPECT edges: H1 >= 60
 * EXPECT unordered: memcpy#2 | compute#2
 * EXPECT none: synchronous-copy
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 * TWIN sync_copy_bad
 */
#include <cstring>

#include "kernels/common.h"

static const int rounds = 30;
static const size_t size = 128 << 20;

__global__ void compute(int *result, int value, unsigned us)
{
	spin_us(us);
	*result = value;
}

int main(void)
{
	cudaStream_t work, copies;
	char *batch, *device;
	int *result;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, size));
	CHECK(cudaMallocHost(&batch, size));
	CHECK(cudaMallocHost(&result, sizeof(*result)));
	memset(batch, 1, size);
	compute<<<1, 1, 0, work>>>(result, -1, 1);
	CHECK(cudaMemcpyAsync(device, batch, size, cudaMemcpyHostToDevice, copies));
	settle();

	double begin = wall_us();
	for (int i = 0; i < rounds; i++) {
		CHECK(cudaMemcpyAsync(device, batch, size, cudaMemcpyHostToDevice, copies));
		compute<<<1, 1, 0, work>>>(result, i, 1500);
		CHECK(cudaStreamSynchronize(work));
		CHECK(cudaStreamSynchronize(copies));
		VERIFY(*result == i, "kernel's result");
		host_work_us(100);
	}
	report("sync_copy_good", wall_us() - begin);

	CHECK(cudaStreamDestroy(work));
	CHECK(cudaStreamDestroy(copies));
	CHECK(cudaFreeHost(result));
	CHECK(cudaFreeHost(batch));
	CHECK(cudaFree(device));
	return 0;
}
