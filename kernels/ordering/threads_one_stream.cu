/*
 * threads_one_stream - three threads submit to one stream, and record and await events, at the same time.
 *
 * The stream runs its kernels one after another (S1), in the order in which the driver took the calls; which one that
 * was, where calls overlap, the trace tells by what the device did, or not at all. Each thread waits for its own last
 * record in a stream of its own, so behind a kernel that only the record's place in the stream tells (E1).
 *
 * EXPECT ops kernel: >= 145
 * EXPECT edges: S1 >= 100
 * EXPECT none: lost-records
 */
#include <algorithm>
#include <atomic>
#include <thread>

#include "kernels/ordering/witness.h"

static const int threads = 3, rounds = 24;

SPIN_KERNEL(shared)
SPIN_KERNEL(behind)

int main(void)
{
	struct span *s[threads][rounds], *b[threads][rounds];
	cudaStream_t stream, own[threads];
	cudaEvent_t event[threads];
	std::atomic<int> ready{0};
	std::thread workers[threads];

	witness_start("threads_one_stream");
	load_kernels(shared, behind);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int t = 0; t < threads; t++) {
		CHECK(cudaStreamCreateWithFlags(&own[t], cudaStreamNonBlocking));
		CHECK(cudaEventCreateWithFlags(&event[t], cudaEventDisableTiming));
		for (int i = 0; i < rounds; i++) {
			s[t][i] = new_span();
			b[t][i] = new_span();
		}
	}
	for (int t = 0; t < threads; t++) {
		workers[t] = std::thread([&, t] {
			CHECK(cudaSetDevice(0));
			CHECK(cudaFree(NULL));
			for (int i = 0; i < rounds; i++) {
				/* All threads at once, in each round. */
				ready++;
				while (ready < threads * (i + 1)) {
				}
				shared<<<1, 1, 0, stream>>>(s[t][i], 20);
				CHECK(cudaEventRecord(event[t], stream));
				CHECK(cudaStreamWaitEvent(own[t], event[t], 0));
				behind<<<1, 1, 0, own[t]>>>(b[t][i], 10);
			}
			CHECK(cudaStreamSynchronize(own[t]));
		});
	}
	for (std::thread &w : workers) {
		w.join();
	}
	CHECK(cudaDeviceSynchronize());

	struct span *all[threads * rounds];
	bool in_turn = true, waits = true;
	for (int t = 0; t < threads; t++) {
		for (int i = 0; i < rounds; i++) {
			all[t * rounds + i] = s[t][i];
			waits &= is_after(b[t][i], s[t][i]);
		}
	}
	std::sort(all, all + threads * rounds,
		  [](const struct span *x, const struct span *y) { return x->begin < y->begin; });
	for (int i = 1; i < threads * rounds; i++) {
		in_turn &= is_after(all[i], all[i - 1]);
	}
	must("one_after_another", in_turn);
	must("waits_for_own_record", waits);
	return witness_end();
}
