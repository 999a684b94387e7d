/*
 * ctx_events_green - events of a whole green context.
 *
 * cuGreenCtxRecordEvent captures the work of every stream of the green context: after_all, in a stream of the primary
 * one, comes after both busy kernels. cuGreenCtxWaitEvent holds up what is submitted later to any of its streams:
 * held comes after source in both (E5); for a stream of the primary context it is told.
 *
 * EXPECT ops kernel: >= 49
 * EXPECT edges: E5 >= 24
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

SPIN_KERNEL(after_all)
SPIN_KERNEL(source)
SPIN_KERNEL(held)
SPIN_KERNEL(beside_it)

int main(void)
{
	const int rounds = 8;
	auto record = DRIVER_CALL(cuGreenCtxRecordEvent);
	auto wait = DRIVER_CALL(cuGreenCtxWaitEvent);
	auto make_stream = DRIVER_CALL(cuGreenCtxStreamCreate);
	struct driver d = driver_open();
	CUdevResource all, part;
	CUdevResourceDesc description;
	CUgreenCtx green_ctx;
	CUcontext primary, green;
	CUstream one, two;
	cudaStream_t outside;
	cudaEvent_t event;
	unsigned groups = 1;
	bool captures = true, holds = true, holds_outside = false;

	witness_start("ctx_events_green");
	CHECK_DRIVER(DRIVER_CALL(cuCtxGetCurrent)(&primary));
	CHECK(cudaStreamCreateWithFlags(&outside, cudaStreamNonBlocking));
	CHECK_DRIVER(DRIVER_CALL(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	CHECK_DRIVER(DRIVER_CALL(cuDevSmResourceSplitByCount)(&part, &groups, &all, NULL, 0, 16));
	CHECK_DRIVER(DRIVER_CALL(cuDevResourceGenerateDesc)(&description, &part, 1));
	CHECK_DRIVER(DRIVER_CALL(cuGreenCtxCreate)(&green_ctx, description, 0,
						   CU_GREEN_CTX_DEFAULT_STREAM));
	CHECK_DRIVER(DRIVER_CALL(cuCtxFromGreenCtx)(&green, green_ctx));
	CHECK_DRIVER(make_stream(&one, green_ctx, CU_STREAM_NON_BLOCKING, 0));
	CHECK_DRIVER(make_stream(&two, green_ctx, CU_STREAM_NON_BLOCKING, 0));
	load_kernels(after_all, source, held, beside_it);
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK_DRIVER(d.ctx_set(green));
	load_kernels(busy, held);
	/* A first launch in it may take long. */
	busy<<<1, 1, 0, one>>>(new_span(), 1);
	CHECK(cudaDeviceSynchronize());

	for (int i = 0; i < rounds; i++) {
		struct span *a = new_span(), *b = new_span(), *c = new_span();
		busy<<<1, 1, 0, one>>>(a, 300);
		busy<<<1, 1, 0, two>>>(b, 500);
		CHECK_DRIVER(record(green_ctx, event));
		CHECK_DRIVER(d.ctx_set(primary));
		CHECK(cudaStreamWaitEvent(outside, event, 0));
		after_all<<<1, 1, 0, outside>>>(c, 50);
		CHECK(cudaDeviceSynchronize());
		captures &= is_after(c, a) && is_after(c, b);

		struct span *f = new_span(), *g = new_span(), *h = new_span(), *o = new_span();
		source<<<1, 1, 0, outside>>>(f, 500);
		CHECK(cudaEventRecord(event, outside));
		CHECK_DRIVER(wait(green_ctx, event));
		CHECK_DRIVER(d.ctx_set(green));
		held<<<1, 1, 0, one>>>(g, 50);
		held<<<1, 1, 0, two>>>(h, 50);
		CHECK_DRIVER(d.ctx_set(primary));
		if (i == 0) {
			cudaStream_t another;
			CHECK(cudaStreamCreateWithFlags(&another, cudaStreamNonBlocking));
			beside_it<<<1, 1, 0, another>>>(o, 50);
			CHECK(cudaDeviceSynchronize());
			holds_outside = is_after(o, f);
			CHECK(cudaStreamDestroy(another));
		}
		CHECK(cudaDeviceSynchronize());
		holds &= is_after(g, f) && is_after(h, f);
		CHECK_DRIVER(d.ctx_set(green));
	}
	CHECK_DRIVER(d.ctx_set(primary));
	must("record_captures_green", captures);
	must("wait_holds_up_green", holds);
	saw("wait_holds_up_primary", holds_outside);
	return witness_end();
}
