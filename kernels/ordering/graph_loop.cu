/*
 * graph_loop - a conditional node that runs its body three times.
 *
 * The iterations follow each other, what comes after the conditional node waits for the last one, and so
 * does the next op of the stream (G7).
 *
 * EXPECT ops graph: 1
 * EXPECT ordered: graph#1 -> busy#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

static const unsigned iterations = 3;
static __device__ unsigned done;

__global__ void body(struct span *first, unsigned us, cudaGraphConditionalHandle again)
{
	unsigned i = done++;
	spin_span(&first[i], us);
	cudaGraphSetConditional(again, i + 1 < iterations);
}

SPIN_KERNEL(after_loop)

int main(void)
{
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t loop, node;
	cudaGraphConditionalHandle again;
	struct span *s[iterations];
	unsigned us = 1000;

	witness_start("graph_loop");
	load_kernels(body, after_loop);
	for (struct span *&one : s) {
		one = new_span();
	}
	struct span *a = new_span(), *b = new_span();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
	struct cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
	params.conditional.handle = again;
	params.conditional.type = cudaGraphCondTypeWhile;
	params.conditional.size = 1;
	CHECK(cudaGraphAddNode(&loop, graph, NULL, NULL, 0, &params));
	void *args[] = {&s[0], &us, &again};
	struct cudaKernelNodeParams kernel = {};
	kernel.func = (void *)body;
	kernel.gridDim = dim3(1);
	kernel.blockDim = dim3(1);
	kernel.kernelParams = args;
	CHECK(cudaGraphAddKernelNode(&node, params.conditional.phGraph_out[0], NULL, 0, &kernel));
	add_spin(graph, &loop, 1, after_loop, a, us);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	busy<<<1, 1, 0, stream>>>(b, us);
	CHECK(cudaDeviceSynchronize());

	must("three_iterations", s[iterations - 1]->end != 0);
	must("iterations_in_order", is_after(s[1], s[0]) && is_after(s[2], s[1]));
	must("next_node_waits_for_last", is_after(a, s[2]));
	must("stream_waits_for_graph", is_after(b, a));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
