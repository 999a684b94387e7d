/*
 * legacy_barrier - a kernel in the legacy default stream beside three blocking streams and another one.
 *
 * It waits for what the blocking streams were given before, and they wait for it (S3). The non-blocking
 * stream takes no part (S4), and the blocking streams have no order among themselves:
 *
 *   blocking  |first 3 ms|                |second|      (three of them)
 *   legacy                |legacy 1 ms    |
 *   other     |aside 8 ms==========================|
 *
 * EXPECT streams: 6
 * EXPECT edges: S3 >= 6
 * EXPECT ordered: first#1 -> legacy#1
 * EXPECT ordered: first#2 -> legacy#1
 * EXPECT ordered: first#3 -> legacy#1
 * EXPECT ordered: legacy#1 -> second#1
 * EXPECT ordered: legacy#1 -> second#2
 * EXPECT ordered: legacy#1 -> second#3
 * EXPECT unordered: first#1 | first#2
 * EXPECT unordered: second#2 | second#3
 * EXPECT unordered: aside#1 | legacy#1
 * EXPECT unordered: aside#1 | second#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

static const int count = 3;

SPIN_KERNEL(first)
SPIN_KERNEL(second)
SPIN_KERNEL(legacy)
SPIN_KERNEL(aside)

int main(void)
{
	cudaStream_t blocking[count], other;
	struct span *a[count], *b[count];
	bool waits = true, holds = true;

	witness_start("legacy_barrier");
	struct span *l = new_span(), *o = new_span();
	load_kernels(first, second, legacy, aside);
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	for (int i = 0; i < count; i++) {
		CHECK(cudaStreamCreate(&blocking[i]));
		a[i] = new_span();
		b[i] = new_span();
	}

	aside<<<1, 1, 0, other>>>(o, 8000);
	for (int i = 0; i < count; i++) {
		first<<<1, 1, 0, blocking[i]>>>(a[i], 3000);
	}
	legacy<<<1, 1, 0, cudaStreamLegacy>>>(l, 1000);
	for (int i = 0; i < count; i++) {
		second<<<1, 1, 0, blocking[i]>>>(b[i], 1000);
	}
	CHECK(cudaDeviceSynchronize());

	for (int i = 0; i < count; i++) {
		waits = waits && is_after(l, a[i]);
		holds = holds && is_after(b[i], l);
	}
	must("waits_for_blocking", waits);
	must("holds_up_blocking", holds);
	saw("nonblocking_overlaps", overlaps(o, l));
	saw("blocking_overlap_before", overlaps(a[0], a[1]) && overlaps(a[1], a[2]));
	saw("blocking_overlap_after", overlaps(b[0], b[1]) && overlaps(b[1], b[2]));
	for (cudaStream_t s : blocking) {
		CHECK(cudaStreamDestroy(s));
	}
	CHECK(cudaStreamDestroy(other));
	return witness_end();
}
