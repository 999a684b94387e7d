/*
 * lazy_first_launch - the first launch of a kernel beside one that runs, with lazy loading.
 *
 * Loading may wait for the device (H7). Told is whether the first launch, which loads the kernel, waited,
 * and how long it and the second one took; and of a kernel whose stack is larger than any before, too.
 * CUDA_MODULE_LOADING is set to LAZY by the program itself.
 *
 * EXPECT ops kernel: 9
 * EXPECT edges: S3 == 0
 * EXPECT unordered: busy#1 | lazy#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(lazy)

/* Each thread of it needs more local memory than the context has. */
__global__ void lazy_large(struct span *span, unsigned us, int at)
{
	volatile int local[16384];
	for (int i = 0; i < 16384; i += 64) {
		local[(i + at) % 16384] = i;
	}
	spin_span(span, us + (local[at % 16384] < 0));
}

int main(void)
{
	cudaStream_t work, other;

	setenv("CUDA_MODULE_LOADING", "LAZY", 1);
	witness_start("lazy_first_launch");
	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	for (const char *name : {"first_launch", "second_launch"}) {
		saw(name, beside(name, work, 5000, [&] {
			    lazy<<<1, 1, 0, other>>>(new_span(), 10);
			    return cudaGetLastError();
		    }));
	}
	for (const char *name : {"first_launch_of_large_stack", "second_launch_of_large_stack"}) {
		saw(name, beside(name, work, 5000, [&] {
			    lazy_large<<<1, 1, 0, other>>>(new_span(), 10, 64);
			    return cudaGetLastError();
		    }));
	}
	return witness_end();
}
