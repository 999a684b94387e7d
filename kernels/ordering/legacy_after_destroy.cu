/*
 * legacy_after_destroy - the legacy stream waits for a blocking stream that was destroyed meanwhile.
 *
 * Destroying a stream with work pending returns at once and the work goes on (S8); S3 covers it still.
 * Four rounds with the stream alive, then four with it destroyed before the legacy launch: is the gap
 * between the two kernels larger without the stream? (Medians, in nanoseconds.)
 *
 * EXPECT edges: S3 >= 8
 * EXPECT ordered: last#1 -> legacy#1
 * EXPECT ordered: last#4 -> legacy#4
 * EXPECT ordered: last#5 -> legacy#5
 * EXPECT ordered: last#8 -> legacy#8
 * EXPECT none: lost-records
 */
#include <algorithm>

#include "kernels/ordering/witness.h"

static const int rounds = 4;

SPIN_KERNEL(last)
SPIN_KERNEL(legacy)

static bool are_ordered = true;
static double destroy_us;

static unsigned long long median_gap_ns(bool is_destroyed)
{
	unsigned long long gap[rounds];

	for (unsigned long long &ns : gap) {
		struct span *a = new_span(), *b = new_span();
		cudaStream_t stream;
		CHECK(cudaStreamCreate(&stream));
		last<<<1, 1, 0, stream>>>(a, 2000);
		if (is_destroyed) {
			double us = wall_us();
			CHECK(cudaStreamDestroy(stream));
			destroy_us = std::max(destroy_us, wall_us() - us);
		}
		legacy<<<1, 1, 0, cudaStreamLegacy>>>(b, 100);
		CHECK(cudaDeviceSynchronize());
		are_ordered = are_ordered && is_after(b, a);
		ns = b->begin - a->end;
		if (!is_destroyed) {
			CHECK(cudaStreamDestroy(stream));
		}
	}
	std::sort(gap, gap + rounds);
	return (gap[rounds / 2 - 1] + gap[rounds / 2]) / 2;
}

int main(void)
{
	witness_start("legacy_after_destroy");
	load_kernels(last, legacy);
	claim("gap_alive_ns=%llu", median_gap_ns(false));
	claim("gap_destroyed_ns=%llu", median_gap_ns(true));
	claim("destroy_us=%.1f", destroy_us);
	must("legacy_waits", are_ordered);
	return witness_end();
}
