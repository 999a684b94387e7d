/*
 * copy_batch_kinds - batches of unlike copies: to the device, on it, and to the host.
 *
 * Each of its copies comes after what was in the stream before the batch, and what follows after all of them; they
 * have no order among each other (M3). The kernel before the batch writes what is copied to the host and on the device.
 *
 * EXPECT ops kernel: 73
 * EXPECT edges: S3 == 0
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

enum { TO_DEVICE = 1, ON_DEVICE = 2, TO_HOST = 4 };

/* Writes what the copies read; then, behind them, looks at what they wrote. */
__global__ void before(struct span *span, unsigned us, int *device, int value)
{
	spin_span(span, us);
	device[0] = device[4] = value;
}

__global__ void behind(struct span *span, unsigned us, const int *device,
		       volatile const int *pinned, int *right, int value, unsigned kinds)
{
	*right = (!(kinds & TO_DEVICE) || device[2] == value) &&
		 (!(kinds & ON_DEVICE) || device[6] == value) &&
		 (!(kinds & TO_HOST) || pinned[1] == value);
	spin_span(span, us);
}

int main(void)
{
	static const unsigned batches[][3] = {
		{TO_DEVICE, TO_HOST, ON_DEVICE}, {ON_DEVICE, TO_DEVICE}, {ON_DEVICE, TO_HOST}};
	const int rounds = 36;
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
		const unsigned *batch = batches[i % 3];
		void *to[3];
		const void *from[3];
		size_t sizes[3], first = 0, count = 0;
		unsigned kinds = 0;
		cudaMemcpyAttributes attributes = {};
		struct span *a = new_span(), *b = new_span();

		for (; count < 3 && batch[count]; count++) {
			unsigned kind = batch[count];
			to[count] =
				kind == TO_HOST ? pinned + 1 : device + (kind == TO_DEVICE ? 2 : 6);
			from[count] =
				kind == TO_DEVICE ? pinned : device + (kind == TO_HOST ? 0 : 4);
			sizes[count] = sizeof(int);
			kinds |= kind;
		}
		attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
		pinned[0] = i;
		*right = 0;
		before<<<1, 1, 0, stream>>>(a, 100, device, i);
		CHECK(cudaMemcpyBatchAsync(to, from, sizes, count, &attributes, &first, 1, stream));
		behind<<<1, 1, 0, stream>>>(b, 10, device, pinned, right, i, kinds);
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
