/*
 * ptds_copy - a synchronous copy compiled for per-thread default streams runs in the caller's own one.
 *
 * It does not wait for a busy blocking stream, nor does it hold up another one (it is no action in the
 * legacy stream: S6); it does wait for the caller's own default stream (H4).
 * Compiled with --default-stream per-thread: the call is cudaMemcpy_ptds.
 *
 * EXPECT edges: S3 == 0
 * EXPECT edges: H4 >= 1
 * EXPECT ops memcpy: 2
 * EXPECT unordered: busy#1 | memcpy#1
 * EXPECT ordered: busy#2 -> memcpy#2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

int main(void)
{
	cudaStream_t stream;
	int *device, *pinned;

	witness_start("ptds_copy");
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&device, sizeof(*device)));
	CHECK(cudaMallocHost(&pinned, sizeof(*pinned)));

	auto copy = [&] { return cudaMemcpy(pinned, device, sizeof(*pinned), cudaMemcpyDefault); };
	saw("waits_for_blocking", beside("copy_beside_blocking", stream, 5000, copy));
	must("waits_for_own", beside("copy_beside_own", cudaStreamPerThread, 5000, copy));

	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaStreamDestroy(stream));
	return witness_end();
}
