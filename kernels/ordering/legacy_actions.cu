/*
 * legacy_actions - which actions in the legacy stream are a barrier between blocking streams.
 *
 * Each round: before (2 ms) in one blocking stream, the action in the legacy stream, after in another.
 * Kernel, memset, copy (asynchronous; and a synchronous device-to-device one, for which the host does not
 * wait), host function, event record, event wait and graph launch are (S3). A query was seen not to be. A
 * stream-ordered allocation was seen to be one and not to be one: told are one whose pool gave its memory
 * back before, at the synchronize, and must get new, and one whose pool kept it.
 *
 * EXPECT edges: S3 >= 16
 * EXPECT ordered: before#1 -> after#1
 * EXPECT ordered: before#2 -> after#2
 * EXPECT ordered: before#3 -> after#3
 * EXPECT ordered: before#4 -> after#4
 * EXPECT ordered: before#5 -> after#5
 * EXPECT ordered: before#6 -> after#6
 * EXPECT ordered: before#7 -> after#7
 * EXPECT ordered: before#8 -> after#8
 * EXPECT unordered: before#9 | after#9
 * EXPECT unordered: before#10 | after#10
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(before)
SPIN_KERNEL(after)
SPIN_KERNEL(action)

static cudaStream_t one, two;

/* Was it a barrier? */
template <class Action> static int round_of(Action act)
{
	struct span *a = new_span(), *b = new_span();
	before<<<1, 1, 0, one>>>(a, 2000);
	CHECK(act());
	after<<<1, 1, 0, two>>>(b, 100);
	CHECK(cudaDeviceSynchronize());
	return is_after(b, a);
}

static void CUDART_CB nothing(void *)
{
}

int main(void)
{
	const cudaStream_t legacy = cudaStreamLegacy;
	cudaEvent_t event, done;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	char *data, *pooled = NULL;

	witness_start("legacy_actions");
	load_kernels(before, after, action);
	CHECK(cudaStreamCreate(&one));
	CHECK(cudaStreamCreate(&two));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaMalloc(&data, 8192));
	CHECK(cudaGraphCreate(&graph, 0));
	add_spin(graph, NULL, 0, action, new_span(), 10);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaEventRecord(done, two));
	CHECK(cudaDeviceSynchronize());

	must("kernel", round_of([&] {
		     action<<<1, 1, 0, legacy>>>(new_span(), 10);
		     return cudaGetLastError();
	     }));
	must("memset", round_of([&] { return cudaMemsetAsync(data, 1, 4096, legacy); }));
	must("copy", round_of([&] {
		     return cudaMemcpyAsync(data, data + 4096, 4096, cudaMemcpyDeviceToDevice,
					    legacy);
	     }));
	must("sync_d2d_copy", round_of([&] {
		     return cudaMemcpy(data, data + 4096, 4096, cudaMemcpyDeviceToDevice);
	     }));
	must("host_function", round_of([&] { return cudaLaunchHostFunc(legacy, nothing, NULL); }));
	must("event_record", round_of([&] { return cudaEventRecord(event, legacy); }));
	must("event_wait", round_of([&] { return cudaStreamWaitEvent(legacy, done, 0); }));
	must("graph_launch", round_of([&] { return cudaGraphLaunch(exec, legacy); }));
	saw("query", round_of([&] {
		    return cudaStreamQuery(legacy) == cudaErrorNotReady ? cudaSuccess
									: cudaErrorUnknown;
	    }));
	/* The pool gets its memory first: that may take long. */
	CHECK(cudaMallocAsync(&pooled, 4096, two));
	CHECK(cudaFreeAsync(pooled, two));
	CHECK(cudaDeviceSynchronize());
	saw("stream_ordered_alloc",
	    round_of([&] { return cudaMallocAsync(&pooled, 4096, legacy); }));

	CHECK(cudaFreeAsync(pooled, legacy));
	CHECK(cudaDeviceSynchronize());

	cudaMemPool_t pool;
	unsigned long long all = ~0ull;
	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
	CHECK(cudaMallocAsync(&pooled, 4096, legacy));
	CHECK(cudaFreeAsync(pooled, legacy));
	CHECK(cudaDeviceSynchronize());
	saw("stream_ordered_alloc_pooled",
	    round_of([&] { return cudaMallocAsync(&pooled, 4096, legacy); }));

	CHECK(cudaFreeAsync(pooled, legacy));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
