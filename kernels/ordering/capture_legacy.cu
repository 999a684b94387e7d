/*
 * capture_legacy - a launch into the legacy stream while a stream captures.
 *
 * Beside a blocking stream that captures it is an error and runs nothing: there is no edge (S3); the capture is over,
 * its end gives no graph, and the stream runs what it is given from then on (G1). Beside a non-blocking stream that
 * captures it runs. Behind all that a legacy launch waits for the blocking stream, as ever.
 *
 * EXPECT ops kernel: 5
 * EXPECT ops graph: 0
 * EXPECT edges: S3 >= 1
 * EXPECT ordered: first#1 -> legacy#2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(captured)
SPIN_KERNEL(first)
SPIN_KERNEL(legacy)

/* Capture a kernel in @stream, and launch one into the legacy stream meanwhile; the error of that launch. */
static cudaError_t beside_capture(cudaStream_t stream, struct span *in_capture, struct span *s,
				  cudaError_t *end)
{
	cudaGraph_t graph = NULL;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	captured<<<1, 1, 0, stream>>>(in_capture, 100);
	CHECK(cudaGetLastError());
	legacy<<<1, 1, 0, cudaStreamLegacy>>>(s, 500);
	cudaError_t err = cudaGetLastError();
	*end = cudaStreamEndCapture(stream, &graph);
	(void)cudaGetLastError();
	if (graph) {
		CHECK(cudaGraphDestroy(graph));
	}
	CHECK(cudaDeviceSynchronize());
	return err;
}

int main(void)
{
	cudaStream_t blocking, other;
	cudaError_t end_beside_blocking, end_beside_other;

	witness_start("capture_legacy");
	load_kernels(captured, first, legacy);
	struct span *lost = new_span(), *kept = new_span(), *refused = new_span();
	struct span *ran = new_span(), *before = new_span(), *behind = new_span();
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));

	cudaError_t err = beside_capture(blocking, lost, refused, &end_beside_blocking);
	must("error_beside_blocking", err == cudaErrorStreamCaptureImplicit);
	must("refused_runs_nothing", refused->end == 0 && lost->end == 0);
	must("capture_is_lost", end_beside_blocking == cudaErrorStreamCaptureInvalidated);
	err = beside_capture(other, kept, ran, &end_beside_other);
	must("runs_beside_nonblocking", err == cudaSuccess && ran->end != 0);
	must("capture_is_kept", end_beside_other == cudaSuccess && kept->end == 0);
	first<<<1, 1, 0, blocking>>>(before, 2000);
	legacy<<<1, 1, 0, cudaStreamLegacy>>>(behind, 100);
	busy<<<1, 1, 0, other>>>(new_span(), 10);
	CHECK(cudaDeviceSynchronize());
	must("runs_after_lost_capture", before->end != 0);
	must("legacy_waits_again", is_after(behind, before));
	CHECK(cudaStreamDestroy(blocking));
	CHECK(cudaStreamDestroy(other));
	return witness_end();
}
