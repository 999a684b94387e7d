/*
 * ptds_legacy - a kernel in the legacy stream between those of two per-thread default streams.
 *
 * A per-thread default stream is a blocking one (S5): the legacy kernel waits for what each thread had
 * launched, and the threads' later kernels wait for it. Compiled with --default-stream per-thread.
 *
 * EXPECT streams: 4
 * EXPECT edges: S3 >= 4
 * EXPECT ordered: early#1 -> legacy#1
 * EXPECT ordered: early#2 -> legacy#1
 * EXPECT ordered: legacy#1 -> late#1
 * EXPECT ordered: legacy#1 -> late#2
 * EXPECT none: lost-records
 */
#include <atomic>
#include <thread>

#include "kernels/ordering/witness.h"

SPIN_KERNEL(early)
SPIN_KERNEL(late)
SPIN_KERNEL(legacy)

static std::atomic<int> stage;

static void reach(int n)
{
	double end = wall_us() + 5e6;
	while (stage < n) {
		VERIFY(wall_us() < end, "the other thread came");
	}
}

int main(void)
{
	witness_start("ptds_legacy");
	load_kernels(early, late, legacy);
	struct span *a = new_span(), *b = new_span(), *l = new_span();
	struct span *late_a = new_span(), *late_b = new_span();

	std::thread other([&] {
		early<<<1, 1>>>(a, 5000);
		stage++;
		reach(2);
		late<<<1, 1>>>(late_a, 500);
	});
	reach(1);
	early<<<1, 1>>>(b, 5000);
	legacy<<<1, 1, 0, cudaStreamLegacy>>>(l, 1000);
	stage++;
	late<<<1, 1>>>(late_b, 500);
	other.join();
	CHECK(cudaDeviceSynchronize());

	must("legacy_waits_for_other_thread", is_after(l, a));
	must("legacy_waits_for_own_thread", is_after(l, b));
	must("other_thread_waits_for_legacy", is_after(late_a, l));
	must("own_thread_waits_for_legacy", is_after(late_b, l));
	return witness_end();
}
