/*
 * ctx_apart - the legacy streams of two contexts know nothing of each other's blocking streams.
 *
 * before runs in a blocking stream of the first context; legacy, in the second context's legacy stream,
 * does not wait for it (S9), in the first context's it does (S3). (Contexts of a device take turns on it:
 * what is compared is whether it began before the other had ended.)
 *
 * EXPECT edges: S3 >= 1
 * EXPECT ordered: before#1 -> legacy#1
 * EXPECT unordered: before#2 | legacy#2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

SPIN_KERNEL(before)
SPIN_KERNEL(legacy)

int main(void)
{
	struct driver d = driver_open();
	CUcontext first, second;
	cudaStream_t blocking;

	witness_start("ctx_apart");
	CHECK_DRIVER(DRIVER_CALL(cuCtxGetCurrent)(&first));
	load_kernels(before, legacy);
	CHECK(cudaStreamCreate(&blocking));
	CHECK_DRIVER(d.ctx_create(&second, 0, 0));
	load_kernels(legacy);
	struct span *a = new_span(), *b = new_span(), *c = new_span(), *e = new_span();

	CHECK_DRIVER(d.ctx_set(first));
	before<<<1, 1, 0, blocking>>>(a, 10000);
	legacy<<<1, 1, 0, cudaStreamLegacy>>>(b, 1000);
	CHECK(cudaDeviceSynchronize());
	before<<<1, 1, 0, blocking>>>(c, 10000);
	CHECK_DRIVER(d.ctx_set(second));
	legacy<<<1, 1, 0, cudaStreamLegacy>>>(e, 1000);
	CHECK(cudaDeviceSynchronize());
	CHECK_DRIVER(d.ctx_set(first));
	CHECK(cudaDeviceSynchronize());

	must("legacy_waits_in_own_context", is_after(b, a));
	saw("legacy_of_other_context_begins_before_end", e->begin < c->end);
	CHECK_DRIVER(d.ctx_destroy(second));
	CHECK_DRIVER(d.ctx_set(first));
	CHECK(cudaStreamDestroy(blocking));
	return witness_end();
}
