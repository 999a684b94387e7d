/*
 * ctx_destroy_pending - a context destroyed while a kernel of it runs.
 *
 * Whether the call waits for pending work, and whether that work ends, is not documented (H10): told is
 * what was seen, and whether the kernel of another context went on meanwhile.
 *
 * EXPECT ops kernel: 3
 * EXPECT unordered: busy#1 | busy#2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

int main(void)
{
	struct driver d = driver_open();
	CUcontext first, second;
	cudaStream_t stays, goes;

	witness_start("ctx_destroy_pending");
	struct span *a = new_span(), *b = new_span();
	CHECK_DRIVER(DRIVER_CALL(cuCtxGetCurrent)(&first));
	CHECK(cudaStreamCreateWithFlags(&stays, cudaStreamNonBlocking));
	CHECK_DRIVER(d.ctx_create(&second, 0, 0));
	load_kernels(busy);
	CHECK(cudaStreamCreateWithFlags(&goes, cudaStreamNonBlocking));

	busy<<<1, 1, 0, goes>>>(a, 20000);
	await_begin(a);
	CHECK_DRIVER(d.ctx_set(first));
	busy<<<1, 1, 0, stays>>>(b, 40000);
	await_begin(b);
	double us = wall_us();
	CHECK_DRIVER(d.ctx_destroy(second));
	us = wall_us() - us;
	int own = waited(a, us, 20000), other = waited(b, us, 40000);
	CHECK_DRIVER(d.ctx_set(first));
	CHECK(cudaDeviceSynchronize());

	claim("destroy_us=%.1f", us);
	saw("destroy_waits", own);
	saw("destroy_waits_for_other_context", other);
	saw("pending_work_ends", a->end != 0);
	must("other_context_goes_on", b->end != 0);
	return witness_end();
}
