/*
 * copy_batch_kinds - a batch of unlike copies: to the device, on it, and to the host.
 *
 * Each of its copies comes after what was in the stream before the batch, and what follows after all of them; they
 * have no order among each other (M3). The kernel before the batch writes what is copied to the host and on the device.
 *
 * EXPECT ops kernel: 25
 * EXPECT edges: S3 == 0
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

/* Writes what the copies read; then, behind them, looks at what they wrote. */
__global__ void before(struct span *span, unsigned us, int *device, int value)
{
	spin_span(span, us);
	device[0] = device[4] = value;
}

__global__ void behind(struct span *span, unsigned us, const int *device,
		       volatile const int *pinned, int *right, int value)
{
	*right = device[2] == value && device[6] == value && pinned[1] == value;
	spin_span(span, us);
}

int main(void)
{
	const int rounds = 12;
	cudaStream_t stream;
	int *device, *pinned, *right;
	bool all = true, in_order = true;

	witness_start("copy_batch_kinds");
	load_kernels(before, behind);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, 8 * sizeof(int)));
	CHECK(cudaMallocHost(&pinned, 2 * sizeof(int)));
	CHECK(cudaMallocHost(&right, sizeof(int)));
	CHECK(cudaMemset(device, 0, 8 * sizeof(int)));
	CHECK(cudaDeviceSynchronize());
	for (int i = 1; i <= rounds; i++) {
		void *to[] = {device + 2, pinned + 1, device + 6};
		const void *from[] = {pinned, device, device + 4};
		size_t sizes[] = {sizeof(int), sizeof(int), sizeof(int)}, first = 0;
		cudaMemcpyAttributes attributes = {};
		struct span *a = new_span(), *b = new_span();

		attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
		pinned[0] = i;
		*right = 0;
		before<<<1, 1, 0, stream>>>(a, 100, device, i);
		CHECK(cudaMemcpyBatchAsync(to, from, sizes, 3, &attributes, &first, 1, stream));
		behind<<<1, 1, 0, stream>>>(b, 10, device, pinned, right, i);
		CHECK(cudaStreamSynchronize(stream));
		all &= *right;
		in_order &= is_after(b, a);
	}
	must("copies_in_stream_order", all);
	must("later_work_waits", in_order);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFreeHost(right));
	return witness_end();
}
