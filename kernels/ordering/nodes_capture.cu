/*
 * nodes_capture - a captured graph, traced node by node (RECORD --graphs=nodes): ports by the launches' attributes.
 *
 * One stream: three kernels, the second launched with programmatic serialization; a fork to a second stream
 * and a join. Launched ten times, in turn in two streams (G3, G4, G5); an event that is recorded by a node
 * (external) lets a third stream go on (E6). The graph has no edge from the first kernel to the third, so none is
 * claimed; told is whether the third waits all the same.
 *
 * EXPECT ops graph: 10
 * EXPECT edges: G4 >= 40
 * EXPECT edges: G5 >= 10
 * EXPECT edges: E6 >= 10
 * EXPECT ordered: second#1 -> third#1
 * EXPECT ordered: third#1 -> join#1
 * EXPECT ordered: side#1 -> join#1
 * EXPECT ordered: join#1 -> waiter#1
 * EXPECT ordered: join#1 -> first#2
 * EXPECT unordered: first#1 | second#1
 * EXPECT unordered: side#1 | third#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

#define LAUNCHES 10

SPIN_KERNEL(third)
SPIN_KERNEL(side)
SPIN_KERNEL(join)
SPIN_KERNEL(waiter)

__global__ void first(struct span *span, unsigned us)
{
	cudaTriggerProgrammaticLaunchCompletion();
	spin_span(span, us);
}

SPIN_KERNEL(second)

static void launch_programmatic(void (*kernel)(struct span *, unsigned), cudaStream_t stream,
				struct span *s, unsigned us)
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
	CHECK(cudaLaunchKernelEx(&config, kernel, s, us));
}

int main(void)
{
	struct span *ran[6];
	cudaStream_t s1, s2, s3;
	cudaEvent_t forked, joined, mark;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	witness_start("nodes_capture");
	load_kernels(first, second, third, side, join, waiter);
	for (struct span *&s : ran) {
		s = new_span();
	}
	for (cudaStream_t *s : {&s1, &s2, &s3}) {
		CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
	}
	for (cudaEvent_t *e : {&forked, &joined, &mark}) {
		CHECK(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
	}
	CHECK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecord(forked, s1));
	CHECK(cudaStreamWaitEvent(s2, forked, 0));
	first<<<1, 1, 0, s1>>>(ran[0], 300);
	launch_programmatic(second, s1, ran[1], 100);
	third<<<1, 1, 0, s1>>>(ran[2], 100);
	side<<<1, 1, 0, s2>>>(ran[3], 600);
	CHECK(cudaEventRecord(joined, s2));
	CHECK(cudaStreamWaitEvent(s1, joined, 0));
	join<<<1, 1, 0, s1>>>(ran[4], 100);
	CHECK(cudaEventRecordWithFlags(mark, s1, cudaEventRecordExternal));
	CHECK(cudaStreamEndCapture(s1, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));

	for (int i = 0; i < LAUNCHES; i++) {
		CHECK(cudaGraphLaunch(exec, i % 2 ? s2 : s1));
		CHECK(cudaStreamWaitEvent(s3, mark, 0));
		waiter<<<1, 1, 0, s3>>>(ran[5], 50);
	}
	CHECK(cudaDeviceSynchronize());
	must("third_waits_for_both", is_after(ran[2], ran[0]) && is_after(ran[2], ran[1]));
	must("join_waits_for_both", is_after(ran[4], ran[2]) && is_after(ran[4], ran[3]));
	saw("programmatic_overlaps", overlaps(ran[0], ran[1]));
	saw("side_overlaps", overlaps(ran[3], ran[2]));
	saw("waiter_waits_for_node", is_after(ran[5], ran[4]));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
