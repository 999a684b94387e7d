/*
 * legacy_sync - synchronizing and querying the legacy stream beside busy streams.
 *
 * By S3 a wait for the legacy stream covers the blocking streams (H3), and a query answers "not ready"
 * while one of them is busy; a busy non-blocking stream counts for neither.
 *
 * EXPECT edges: H3 >= 1
 * EXPECT edges: S3 == 0
 * EXPECT ops kernel: 5
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

int main(void)
{
	cudaStream_t blocking, other;
	cudaError_t answer = cudaSuccess;
	auto query = [&] {
		answer = cudaStreamQuery(cudaStreamLegacy);
		return cudaSuccess;
	};
	auto sync = [] { return cudaStreamSynchronize(cudaStreamLegacy); };

	witness_start("legacy_sync");
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	must("sync_waits_for_blocking", beside("sync_beside_blocking", blocking, 5000, sync));
	saw("sync_waits_for_nonblocking", beside("sync_beside_nonblocking", other, 5000, sync));
	(void)beside("query_beside_blocking", blocking, 5000, query);
	saw("query_sees_blocking", answer == cudaErrorNotReady);
	(void)beside("query_beside_nonblocking", other, 5000, query);
	saw("query_sees_nonblocking", answer == cudaErrorNotReady);
	CHECK(cudaStreamDestroy(blocking));
	CHECK(cudaStreamDestroy(other));
	return witness_end();
}
