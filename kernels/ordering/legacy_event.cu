/*
 * legacy_event - an event recorded in, and a wait made in, the legacy stream.
 *
 * The record captures the blocking streams' earlier work (E4, by S3): other, non-blocking, waits for it
 * and so comes after before. The wait holds up the blocking streams' later work: a kernel of the
 * non-blocking stream comes before held, though no kernel ever ran in the legacy stream.
 *
 * EXPECT ops record: 2
 * EXPECT ops wait: 2
 * EXPECT edges: S3 >= 2
 * EXPECT edges: E1 >= 2
 * EXPECT ordered: before#1 -> other#1
 * EXPECT ordered: source#1 -> held#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(before)
SPIN_KERNEL(other)
SPIN_KERNEL(source)
SPIN_KERNEL(held)

int main(void)
{
	cudaStream_t blocking, non_blocking;
	cudaEvent_t event;

	witness_start("legacy_event");
	struct span *a = new_span(), *b = new_span(), *c = new_span(), *d = new_span();
	load_kernels(before, other, source, held);
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));

	before<<<1, 1, 0, blocking>>>(a, 3000);
	CHECK(cudaEventRecord(event, cudaStreamLegacy));
	CHECK(cudaStreamWaitEvent(non_blocking, event, 0));
	other<<<1, 1, 0, non_blocking>>>(b, 1000);
	CHECK(cudaDeviceSynchronize());

	source<<<1, 1, 0, non_blocking>>>(c, 3000);
	CHECK(cudaEventRecord(event, non_blocking));
	CHECK(cudaStreamWaitEvent(cudaStreamLegacy, event, 0));
	held<<<1, 1, 0, blocking>>>(d, 1000);
	CHECK(cudaDeviceSynchronize());

	must("record_captures_blocking", is_after(b, a));
	must("wait_holds_up_blocking", is_after(d, c));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(blocking));
	CHECK(cudaStreamDestroy(non_blocking));
	return witness_end();
}
