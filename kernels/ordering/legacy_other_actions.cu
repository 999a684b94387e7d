/*
 * legacy_other_actions - are memory operations in the legacy stream a barrier between blocking streams?
 *
 * Each round: before (2 ms) in one blocking stream, the operation in the legacy stream, after in another. CUDA says
 * nothing of them in particular, and gstrace draws no edge for them (S3): told is what was seen of a stream-ordered
 * freeing, a write of a value, a wait for one that is there already, a prefetch, an attachment of managed memory and the
 * upload of a graph.
 *
 * EXPECT edges: S3 == 0
 * EXPECT unordered: before#1 | after#1
 * EXPECT unordered: before#2 | after#2
 * EXPECT unordered: before#3 | after#3
 * EXPECT unordered: before#4 | after#4
 * EXPECT unordered: before#5 | after#5
 * EXPECT unordered: before#6 | after#6
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

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

static cudaError_t as_runtime(CUresult result)
{
	return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

int main(void)
{
	const cudaStream_t legacy = cudaStreamLegacy;
	unsigned long long all = ~0ull;
	cudaMemLocation here = {};
	cudaMemPool_t pool;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	char *managed, *pooled, *word;

	witness_start("legacy_other_actions");
	auto write = DRIVER_CALL(cuStreamWriteValue32);
	auto wait = DRIVER_CALL(cuStreamWaitValue32);
	load_kernels(before, after, action);
	CHECK(cudaStreamCreate(&one));
	CHECK(cudaStreamCreate(&two));
	CHECK(cudaMallocManaged(&managed, 64 << 10));
	CHECK(cudaMalloc(&word, 64));
	here.type = cudaMemLocationTypeDevice;
	CHECK(cudaGraphCreate(&graph, 0));
	add_spin(graph, NULL, 0, action, new_span(), 10);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	/* The pool has its memory, and keeps it. */
	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
	CHECK(cudaMallocAsync(&pooled, 4096, two));
	CHECK(cudaDeviceSynchronize());

	saw("stream_ordered_free", round_of([&] { return cudaFreeAsync(pooled, legacy); }));
	saw("write_value",
	    round_of([&] { return as_runtime(write((CUstream)legacy, (CUdeviceptr)word, 1, 0)); }));
	saw("wait_value_that_is_there", round_of([&] {
		    return as_runtime(
			    wait((CUstream)legacy, (CUdeviceptr)word, 1, CU_STREAM_WAIT_VALUE_EQ));
	    }));
	saw("prefetch",
	    round_of([&] { return cudaMemPrefetchAsync(managed, 64 << 10, here, 0, legacy); }));
	saw("attach", round_of([&] {
		    return cudaStreamAttachMemAsync(legacy, managed, 0, cudaMemAttachGlobal);
	    }));
	saw("graph_upload", round_of([&] { return cudaGraphUpload(exec, legacy); }));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(one));
	CHECK(cudaStreamDestroy(two));
	return witness_end();
}
