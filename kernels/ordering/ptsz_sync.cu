/*
 * ptsz_sync - synchronizing and querying stream 0, compiled for per-thread default streams.
 *
 * Stream 0 is the caller's own default stream then (S6): a busy blocking stream is not waited for, a
 * kernel in the own one is (H1). Compiled with --default-stream per-thread: cudaStreamSynchronize_ptsz.
 *
 * EXPECT edges: S3 == 0
 * EXPECT edges: H3 == 0
 * EXPECT edges: H1 >= 1
 * EXPECT ops kernel: 4
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

int main(void)
{
	cudaStream_t stream;
	cudaError_t answer = cudaSuccess;

	witness_start("ptsz_sync");
	CHECK(cudaStreamCreate(&stream));
	saw("sync_waits_for_blocking",
	    beside("sync_beside_blocking", stream, 5000, [] { return cudaStreamSynchronize(0); }));
	must("sync_waits_for_own", beside("sync_beside_own", cudaStreamPerThread, 5000,
					  [] { return cudaStreamSynchronize(0); }));
	(void)beside("query_beside_blocking", stream, 5000, [&] {
		answer = cudaStreamQuery(0);
		return cudaSuccess;
	});
	saw("query_sees_blocking", answer == cudaErrorNotReady);
	CHECK(cudaStreamDestroy(stream));
	return witness_end();
}
