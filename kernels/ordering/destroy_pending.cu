/*
 * destroy_pending - a stream and an event destroyed while work is pending.
 *
 * Both calls return at once and the work goes on (S8): the kernel ends, and a stream that waited for the
 * destroyed event still comes after it (E1). A stream created right after may get the old handle.
 *
 * EXPECT ops kernel: 5
 * EXPECT edges: E1 == 1
 * EXPECT ordered: before#1 -> behind#1
 * EXPECT unordered: before#1 | apart#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(before)
SPIN_KERNEL(behind)
SPIN_KERNEL(apart)

int main(void)
{
	cudaStream_t s1, s2, fresh;
	cudaEvent_t event;

	witness_start("destroy_pending");
	load_kernels(before, behind, apart);
	struct span *a = new_span(), *b = new_span(), *c = new_span();
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	before<<<1, 1, 0, s1>>>(a, 8000);
	CHECK(cudaEventRecord(event, s1));
	CHECK(cudaStreamWaitEvent(s2, event, 0));
	behind<<<1, 1, 0, s2>>>(b, 500);
	await_begin(a);

	double us = wall_us();
	CHECK(cudaEventDestroy(event));
	int event_waits = waited(a, wall_us() - us, 8000);
	us = wall_us();
	CHECK(cudaStreamDestroy(s1));
	int stream_waits = waited(a, wall_us() - us, 8000);
	CHECK(cudaStreamCreateWithFlags(&fresh, cudaStreamNonBlocking));
	apart<<<1, 1, 0, fresh>>>(c, 500);
	CHECK(cudaDeviceSynchronize());
	(void)beside("destroy_beside_other", s2, 3000, [&] { return cudaStreamDestroy(fresh); });

	saw("event_destroy_waits", event_waits);
	saw("stream_destroy_waits", stream_waits);
	must("pending_work_ends", a->end != 0);
	must("wait_outlives_event", is_after(b, a));
	saw("same_handle", fresh == s1);
	saw("new_stream_overlaps_old_work", overlaps(c, a));
	CHECK(cudaStreamDestroy(s2));
	return witness_end();
}
