/*
 * blocking_after_legacy - streams created after a kernel of the legacy stream was launched.
 *
 * A blocking one waits for that kernel all the same (S3), a non-blocking one does not (S4).
 *
 * EXPECT edges: S3 >= 1
 * EXPECT ordered: legacy#1 -> late_blocking#1
 * EXPECT unordered: legacy#1 | late_other#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(legacy)
SPIN_KERNEL(late_blocking)
SPIN_KERNEL(late_other)

int main(void)
{
	cudaStream_t blocking, other;

	witness_start("blocking_after_legacy");
	struct span *l = new_span(), *b = new_span(), *o = new_span();
	load_kernels(legacy, late_blocking, late_other);
	legacy<<<1, 1, 0, cudaStreamLegacy>>>(l, 5000);
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	late_blocking<<<1, 1, 0, blocking>>>(b, 1000);
	late_other<<<1, 1, 0, other>>>(o, 1000);
	CHECK(cudaDeviceSynchronize());
	must("later_blocking_waits", is_after(b, l));
	saw("later_nonblocking_overlaps", overlaps(o, l));
	CHECK(cudaStreamDestroy(blocking));
	CHECK(cudaStreamDestroy(other));
	return witness_end();
}
