/*
 * event_latest - which record of an event a wait means.
 *
 * The latest at the time of the wait (E2): beside_two waits for the first record, made after one, and a
 * second record after two does not move that; behind, whose wait comes after the second record, waits
 * for two. An event that was never recorded is empty (E3): a wait for it gives no order, a query says
 * "ready", a synchronize returns at once.
 *
 *   s1  |one 1 ms|two 6 ms======|
 *   s2           |beside 1 ms|  |behind|
 *   s3  |free|
 *
 * EXPECT ops record: 2
 * EXPECT ops wait: 3
 * EXPECT edges: E1 == 2
 * EXPECT ordered: one#1 -> beside_two#1
 * EXPECT ordered: two#1 -> behind#1
 * EXPECT unordered: two#1 | beside_two#1
 * EXPECT unordered: two#1 | not_held#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(one)
SPIN_KERNEL(two)
SPIN_KERNEL(beside_two)
SPIN_KERNEL(behind)
SPIN_KERNEL(not_held)

int main(void)
{
	cudaStream_t s1, s2, s3;
	cudaEvent_t event, never;

	witness_start("event_latest");
	struct span *a = new_span(), *b = new_span(), *c = new_span(), *d = new_span(),
		    *e = new_span();
	load_kernels(one, two, beside_two, behind, not_held);
	for (cudaStream_t *s : {&s1, &s2, &s3}) {
		CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
	}
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&never, cudaEventDisableTiming));

	one<<<1, 1, 0, s1>>>(a, 1000);
	CHECK(cudaEventRecord(event, s1));
	CHECK(cudaStreamWaitEvent(s2, event, 0));
	two<<<1, 1, 0, s1>>>(b, 6000);
	CHECK(cudaEventRecord(event, s1));
	beside_two<<<1, 1, 0, s2>>>(c, 1000);
	CHECK(cudaStreamWaitEvent(s2, event, 0));
	behind<<<1, 1, 0, s2>>>(d, 1000);
	CHECK(cudaStreamWaitEvent(s3, never, 0));
	not_held<<<1, 1, 0, s3>>>(e, 1000);
	bool is_ready = cudaEventQuery(never) == cudaSuccess;
	double sync_us = wall_us();
	CHECK(cudaEventSynchronize(never));
	sync_us = wall_us() - sync_us;
	CHECK(cudaDeviceSynchronize());

	must("waits_for_first_record", is_after(c, a));
	saw("overlaps_second", overlaps(c, b));
	must("later_wait_waits_for_second", is_after(d, b));
	must("empty_event_is_ready", is_ready);
	saw("empty_event_orders", !overlaps(e, a) && is_after(e, b));
	claim("empty_sync_us=%.1f", sync_us);
	for (cudaStream_t s : {s1, s2, s3}) {
		CHECK(cudaStreamDestroy(s));
	}
	CHECK(cudaEventDestroy(event));
	CHECK(cudaEventDestroy(never));
	return witness_end();
}
