/*
 * sync_copy_bad - a synchronous copy holds up a kernel that has nothing to do with it.
 *
 * Each of 30 rounds brings the next batch to the device (128 MiB of pinned memory, cudaMemcpy), launches
 * a kernel of 1.5 ms on other data in a non-blocking stream, waits for its result and works on it for
 * 100 us. The kernel could run beside the copy, but it is launched only when the copy is over:
 *
 *   host    | memcpy  |      wait|work|          a round takes copy + 1.5 ms + 100 us
 *   copy    |=========|
 *   stream             |1.5 ms===|
 *
 * The copy takes longer than the kernel on anything slower than 89 GB/s (PCI Express 5: 2.4 ms), so
 * with both at once a round takes copy + 100 us: 30 * 1.5 = 45 ms are gained by construction.
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 31
 * EXPECT ops memcpy: 31
 * EXPECT finding: synchronous-copy severity>=medium recoverable_us 36000..54000
 * EXPECT gain_us: 45000
 * EXPECT edges: H4 >= 30
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 * TWIN sync_copy_good
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
	cudaStream_t work;
	char *batch, *device;
	int *result;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, size));
	CHECK(cudaMallocHost(&batch, size));
	CHECK(cudaMallocHost(&result, sizeof(*result)));
	memset(batch, 1, size);
	compute<<<1, 1, 0, work>>>(result, -1, 1);
	CHECK(cudaMemcpy(device, batch, size, cudaMemcpyHostToDevice));
	settle();

	double begin = wall_us();
	for (int i = 0; i < rounds; i++) {
		CHECK(cudaMemcpy(device, batch, size, cudaMemcpyHostToDevice));
		compute<<<1, 1, 0, work>>>(result, i, 1500);
		CHECK(cudaStreamSynchronize(work));
		VERIFY(*result == i, "kernel's result");
		host_work_us(100);
	}
	report("sync_copy_bad", wall_us() - begin);

	CHECK(cudaStreamDestroy(work));
	CHECK(cudaFreeHost(result));
	CHECK(cudaFreeHost(batch));
	CHECK(cudaFree(device));
	return 0;
}
