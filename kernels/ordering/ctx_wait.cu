/*
 * ctx_wait - a stream of one context waits for an event of another context.
 *
 * Contexts are separate (S9), and an event joins two of them (E1): behind, in the second context, comes
 * after before in the first; apart, in another stream of the second, has no order with it. (Contexts of a
 * device take turns on it, so overlap here means only: it began before the other had ended.)
 *
 * EXPECT ops record: 1
 * EXPECT ops wait: 1
 * EXPECT edges: E1 == 1
 * EXPECT ordered: before#1 -> behind#1
 * EXPECT unordered: before#1 | apart#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

SPIN_KERNEL(before)
SPIN_KERNEL(behind)
SPIN_KERNEL(apart)

int main(void)
{
	struct driver d = driver_open();
	CUcontext first, second;
	cudaStream_t in_first, in_second, other;
	cudaEvent_t event;

	witness_start("ctx_wait");
	CHECK_DRIVER(DRIVER_CALL(cuCtxGetCurrent)(&first));
	load_kernels(before);
	CHECK(cudaStreamCreateWithFlags(&in_first, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK_DRIVER(d.ctx_create(&second, 0, 0));
	CHECK(cudaStreamCreateWithFlags(&in_second, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	load_kernels(behind, apart);
	struct span *a = new_span(), *b = new_span(), *c = new_span();

	CHECK_DRIVER(d.ctx_set(first));
	before<<<1, 1, 0, in_first>>>(a, 10000);
	CHECK(cudaEventRecord(event, in_first));
	CHECK_DRIVER(d.ctx_set(second));
	CHECK_DRIVER(d.stream_wait(in_second, event, 0));
	behind<<<1, 1, 0, in_second>>>(b, 1000);
	apart<<<1, 1, 0, other>>>(c, 1000);
	CHECK(cudaDeviceSynchronize());
	CHECK_DRIVER(d.ctx_set(first));
	CHECK(cudaDeviceSynchronize());

	must("wait_orders_contexts", is_after(b, a));
	saw("without_wait_begins_before_end", c->begin < a->end);
	CHECK_DRIVER(d.ctx_destroy(second));
	CHECK_DRIVER(d.ctx_set(first));
	return witness_end();
}
