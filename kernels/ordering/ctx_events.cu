/*
 * ctx_events - cuCtxRecordEvent and cuCtxWaitEvent: all streams of a context at once.
 *
 * The record captures the work of every stream of the context, blocking or not: after_all, which waits for
 * the event, comes after both busy kernels. The wait holds up what is submitted later to every stream of
 * the context: held comes after source in both (E5). Four rounds.
 *
 * EXPECT ops kernel: 25
 * EXPECT edges: E5 >= 28
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

SPIN_KERNEL(after_all)
SPIN_KERNEL(source)
SPIN_KERNEL(held)

int main(void)
{
	auto record = DRIVER_CALL(cuCtxRecordEvent);
	auto wait = DRIVER_CALL(cuCtxWaitEvent);
	CUcontext ctx;
	cudaStream_t blocking, other, third;
	cudaEvent_t event;

	witness_start("ctx_events");
	load_kernels(after_all, source, held);
	CHECK_DRIVER(DRIVER_CALL(cuCtxGetCurrent)(&ctx));
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	bool captures[2] = {true, true}, holds[2] = {true, true};

	for (int i = 0; i < 4; i++) {
		struct span *a = new_span(), *b = new_span(), *c = new_span();
		struct span *f = new_span(), *g = new_span(), *h = new_span();

		busy<<<1, 1, 0, blocking>>>(a, 1000);
		busy<<<1, 1, 0, other>>>(b, 2000);
		CHECK_DRIVER(record(ctx, event));
		CHECK(cudaStreamWaitEvent(third, event, 0));
		after_all<<<1, 1, 0, third>>>(c, 100);
		CHECK(cudaDeviceSynchronize());

		source<<<1, 1, 0, third>>>(f, 1000);
		CHECK(cudaEventRecord(event, third));
		CHECK_DRIVER(wait(ctx, event));
		held<<<1, 1, 0, blocking>>>(g, 100);
		held<<<1, 1, 0, other>>>(h, 100);
		CHECK(cudaDeviceSynchronize());

		captures[0] &= is_after(c, a);
		captures[1] &= is_after(c, b);
		holds[0] &= is_after(g, f);
		holds[1] &= is_after(h, f);
	}
	must("record_captures_blocking", captures[0]);
	must("record_captures_nonblocking", captures[1]);
	must("wait_holds_up_blocking", holds[0]);
	must("wait_holds_up_nonblocking", holds[1]);
	return witness_end();
}
