/*
 * lazy_first_launch - the first launch of a kernel beside one that runs, with lazy loading.
 *
 * Loading may wait for the device (H7). Told is whether the first launch, which loads the kernel, waited,
 * and how long it and the second one took; and of a kernel whose stack is larger than any before, too.
 * Then whether the device runs the first and the second launch of twelve kernels behind the busy one, in whose stream they
 * are not. CUDA_MODULE_LOADING is set to LAZY by the program itself.
 *
 * EXPECT ops kernel: 57
 * EXPECT edges: S3 == 0
 * EXPECT unordered: busy#1 | lazy#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(lazy)

template <int Number> __global__ void lazy_one(struct span *span, unsigned us)
{
	spin_span(span, us + (Number < 0));
}

#define KERNELS 12

static void (*const lazy_ones[KERNELS])(struct span *, unsigned) = {
	lazy_one<0>, lazy_one<1>, lazy_one<2>, lazy_one<3>, lazy_one<4>,  lazy_one<5>,
	lazy_one<6>, lazy_one<7>, lazy_one<8>, lazy_one<9>, lazy_one<10>, lazy_one<11>};

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
	int behind[2] = {0, 0};
	for (int i = 0; i < 2 * KERNELS; i++) {
		struct span *a = new_span(), *b = new_span();
		busy<<<1, 1, 0, work>>>(a, 500);
		await_begin(a);
		lazy_ones[i / 2]<<<1, 1, 0, other>>>(b, 10);
		CHECK(cudaDeviceSynchronize());
		behind[i % 2] += is_after(b, a);
	}
	claim("first_launches_behind=%d", behind[0]);
	claim("second_launches_behind=%d", behind[1]);
	return witness_end();
}
