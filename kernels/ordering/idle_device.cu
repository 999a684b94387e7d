/*
 * idle_device - work that is submitted to an idle device begins right after the call.
 *
 * A memset, a kernel and a copy on the device in turn, each behind a synchronize: nothing but the call that
 * submits it holds it up (U1), so between the call and the begin of the work there is the way to the device alone.
 *
 * EXPECT ops memset: 60
 * EXPECT ops memcpy: 30
 * EXPECT ops kernel: 31
 * EXPECT edges: U1 >= 121
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(small)

int main(void)
{
	const unsigned rounds = 30;
	cudaStream_t stream;
	char *device;

	witness_start("idle_device");
	load_kernels(small);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, 4096));
	struct span *s = new_span();
	CHECK(cudaDeviceSynchronize());
	for (unsigned i = 0; i < rounds; i++) {
		CHECK(cudaMemsetAsync(device, 1, 8, stream));
		CHECK(cudaStreamSynchronize(stream));
		small<<<1, 1, 0, stream>>>(s, 1);
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaMemsetAsync(device, 2, 8, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaMemcpyAsync(device + 2048, device, 8, cudaMemcpyDeviceToDevice, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	must("synchronize_covers_kernel", s->end != 0);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(device));
	return witness_end();
}
