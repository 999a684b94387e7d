/*
 * ptds_alone - per-thread default streams without anything in the legacy stream.
 *
 * Two threads launch into their own default streams and the main thread into a blocking stream of its
 * making: nothing joins these (S5). Compiled with --default-stream per-thread.
 *
 * EXPECT streams: 4
 * EXPECT edges: S3 == 0
 * EXPECT unordered: thread_a#1 | thread_b#1
 * EXPECT unordered: thread_a#1 | blocking#1
 * EXPECT unordered: thread_b#1 | blocking#1
 * EXPECT none: lost-records
 */
#include <thread>

#include "kernels/ordering/witness.h"

SPIN_KERNEL(thread_a)
SPIN_KERNEL(thread_b)
SPIN_KERNEL(blocking)

int main(void)
{
	cudaStream_t stream;

	witness_start("ptds_alone");
	load_kernels(thread_a, thread_b, blocking);
	CHECK(cudaStreamCreate(&stream));
	struct span *a = new_span(), *b = new_span(), *c = new_span();

	std::thread other_a([&] { thread_a<<<1, 1>>>(a, 20000); });
	std::thread other_b([&] { thread_b<<<1, 1>>>(b, 20000); });
	blocking<<<1, 1, 0, stream>>>(c, 20000);
	other_a.join();
	other_b.join();
	CHECK(cudaDeviceSynchronize());

	saw("threads_overlap", overlaps(a, b));
	saw("thread_and_blocking_overlap", overlaps(a, c) && overlaps(b, c));
	CHECK(cudaStreamDestroy(stream));
	return witness_end();
}
