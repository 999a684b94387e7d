/*
 * green_ctx_default - the default stream of a green context.
 *
 * Streams made by cuGreenCtxStreamCreate are non-blocking ones; what a green context's own default stream
 * waits for is not documented (S10): told is whether a kernel in it waits for the green context's own
 * stream, for a blocking stream of the primary context, and for the primary's legacy stream, and whether
 * the primary's legacy stream waits for it. Synchronizing the primary context covers the green one (H1).
 *
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

SPIN_KERNEL(probe)

static const unsigned busy_us = 5000;

/* Does a kernel in @after, of @after_ctx, wait for one in @before, of @before_ctx? */
static int waits_for(const struct driver &d, CUcontext before_ctx, cudaStream_t before,
		     CUcontext after_ctx, cudaStream_t after)
{
	struct span *a = new_span(), *b = new_span();

	CHECK_DRIVER(d.ctx_set(before_ctx));
	busy<<<1, 1, 0, before>>>(a, busy_us);
	CHECK(cudaGetLastError());
	await_begin(a);
	CHECK_DRIVER(d.ctx_set(after_ctx));
	probe<<<1, 1, 0, after>>>(b, 100);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK_DRIVER(d.ctx_set(before_ctx));
	CHECK(cudaDeviceSynchronize());
	return is_after(b, a);
}

int main(void)
{
	struct driver d = driver_open();
	CUdevResource all, part;
	CUdevResourceDesc description;
	CUgreenCtx green_ctx;
	CUcontext primary, green;
	CUstream green_stream;
	cudaStream_t blocking;
	unsigned groups = 1;

	witness_start("green_ctx_default");
	CHECK_DRIVER(DRIVER_CALL(cuCtxGetCurrent)(&primary));
	CHECK(cudaStreamCreate(&blocking));
	CHECK_DRIVER(DRIVER_CALL(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	CHECK_DRIVER(DRIVER_CALL(cuDevSmResourceSplitByCount)(&part, &groups, &all, NULL, 0, 16));
	CHECK_DRIVER(DRIVER_CALL(cuDevResourceGenerateDesc)(&description, &part, 1));
	CHECK_DRIVER(DRIVER_CALL(cuGreenCtxCreate)(&green_ctx, description, 0,
						   CU_GREEN_CTX_DEFAULT_STREAM));
	CHECK_DRIVER(DRIVER_CALL(cuCtxFromGreenCtx)(&green, green_ctx));
	CHECK_DRIVER(DRIVER_CALL(cuGreenCtxStreamCreate)(&green_stream, green_ctx,
							 CU_STREAM_NON_BLOCKING, 0));
	load_kernels(probe);
	CHECK_DRIVER(d.ctx_set(green));
	load_kernels(busy, probe);

	const cudaStream_t legacy = cudaStreamLegacy;
	saw("default_waits_for_own_stream", waits_for(d, green, green_stream, green, legacy));
	saw("default_waits_for_primary_blocking", waits_for(d, primary, blocking, green, legacy));
	saw("default_waits_for_primary_legacy", waits_for(d, primary, legacy, green, legacy));
	saw("primary_legacy_waits_for_default", waits_for(d, green, legacy, primary, legacy));
	saw("primary_blocking_waits_for_default", waits_for(d, green, legacy, primary, blocking));

	struct span *s = new_span();
	CHECK_DRIVER(d.ctx_set(green));
	busy<<<1, 1, 0, green_stream>>>(s, busy_us);
	await_begin(s);
	CHECK_DRIVER(d.ctx_set(primary));
	CHECK_DRIVER(d.ctx_sync());
	must("primary_sync_covers_green", s->end != 0);
	return witness_end();
}
