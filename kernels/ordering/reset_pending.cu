/*
 * reset_pending - cudaDeviceReset while a kernel runs.
 *
 * Whether the call waits for pending work, and whether that work ends, is not documented (H10): told is
 * what was seen. The span is in registered memory of the program's own, as the reset frees all others.
 *
 * EXPECT ops kernel: 2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

int main(void)
{
	const unsigned busy_us = 10000;
	struct span *own = (struct span *)aligned_alloc(4096, 4096), *mapped;
	cudaStream_t stream;

	memset(own, 0, 4096);
	witness_start("reset_pending");
	CHECK(cudaHostRegister(own, 4096, cudaHostRegisterMapped));
	CHECK(cudaHostGetDevicePointer(&mapped, own, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	busy<<<1, 1, 0, stream>>>(mapped, busy_us);
	await_begin(own);
	double us = wall_us();
	CHECK(cudaDeviceReset());
	us = wall_us() - us;
	claim("reset_us=%.1f", us);
	saw("reset_waits", waited(own, us, busy_us));
	saw("pending_work_ends", own->end != 0);
	return witness_end();
}
