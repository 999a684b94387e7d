/*
 * programmatic_between - what may stand between two kernels for a programmatic launch to begin early?
 *
 * The first kernel triggers at once and takes 3 ms; something else is submitted behind it; then comes a programmatic
 * launch. A programmatic launch is one toward the kernel just before it alone (S2): behind other work it is an ordinary
 * launch, so behind what is before that as well. With nothing between the two may overlap, and, as seen, with the record
 * of an event or a wait for one. Last, the kernel before it is a node of a graph, whose launch is the op just before: an
 * ordinary edge, too.
 *
 * EXPECT edges: S2 == 3
 * EXPECT unordered: first#1 | second#1
 * EXPECT unordered: first#2 | second#2
 * EXPECT unordered: first#3 | second#3
 * EXPECT ordered: first#4 -> second#4
 * EXPECT ordered: first#5 -> second#5
 * EXPECT ordered: first#6 -> second#6
 * EXPECT ordered: graph#1 -> second#7
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

#define TRIGGER_KERNEL(name)                                 \
	__global__ void name(struct span *span, unsigned us) \
	{                                                    \
		cudaTriggerProgrammaticLaunchCompletion();   \
		spin_span(span, us);                         \
	}
TRIGGER_KERNEL(first)
TRIGGER_KERNEL(second)
TRIGGER_KERNEL(node)

static const unsigned long_us = 3000, short_us = 500;
static cudaStream_t stream;

static void launch_second(struct span *s)
{
	cudaLaunchAttribute attribute = {};
	cudaLaunchConfig_t config = {};

	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = dim3(1);
	config.blockDim = dim3(1);
	config.stream = stream;
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, second, s, short_us));
}

/* Does the second kernel overlap the first one, with that between them? */
template <class Between> static bool overlaps_behind(Between between)
{
	struct span *a = new_span(), *b = new_span();

	first<<<1, 1, 0, stream>>>(a, long_us);
	CHECK(between());
	launch_second(b);
	CHECK(cudaDeviceSynchronize());
	return overlaps(a, b);
}

static void CUDART_CB nothing(void *)
{
}

int main(void)
{
	cudaEvent_t event, done;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaStream_t other;
	char *data;

	witness_start("programmatic_between");
	load_kernels(first, second, node);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaMalloc(&data, 8192));
	CHECK(cudaEventRecord(done, other));
	CHECK(cudaGraphCreate(&graph, 0));
	struct span *n = new_span(), *behind = new_span();
	add_spin(graph, NULL, 0, node, n, long_us);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaDeviceSynchronize());

	saw("overlaps_alone", overlaps_behind([] { return cudaSuccess; }));
	saw("waits_behind_event_record",
	    !overlaps_behind([&] { return cudaEventRecord(event, stream); }));
	saw("waits_behind_event_wait",
	    !overlaps_behind([&] { return cudaStreamWaitEvent(stream, done, 0); }));
	must("waits_behind_memset",
	     !overlaps_behind([&] { return cudaMemsetAsync(data, 1, 4096, stream); }));
	must("waits_behind_copy", !overlaps_behind([&] {
		     return cudaMemcpyAsync(data, data + 4096, 4096, cudaMemcpyDeviceToDevice,
					    stream);
	     }));
	must("waits_behind_host_function",
	     !overlaps_behind([] { return cudaLaunchHostFunc(stream, nothing, NULL); }));
	CHECK(cudaGraphLaunch(exec, stream));
	launch_second(behind);
	CHECK(cudaDeviceSynchronize());
	saw("waits_for_graph", is_after(behind, n));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFree(data));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaStreamDestroy(stream));
	return witness_end();
}
