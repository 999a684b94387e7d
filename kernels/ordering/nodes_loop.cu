/*
 * nodes_loop - a loop whose body has three nodes, traced node by node (RECORD --graphs=nodes).
 *
 *     body: step -> check;  aside
 *
 * Each node of the body has a record for each of the four iterations. Two launches. Told is whether nodes of one
 * iteration keep to the body's edge, and whether no node begins before the iteration before is over (G7).
 * The stream is waited for between the launches, so that the time alone says of which launch a node is.
 * CUPTI 13.0 gives these records no launch and names nodes that it never told of: no order is claimed of them.
 *
 * EXPECT ops graph: 2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

#define ITERATIONS 4
#define LAUNCHES   2

static __device__ unsigned done;

SPIN_KERNEL(aside)

__global__ void step(struct span *first, unsigned us)
{
	spin_span(&first[done % ITERATIONS], us);
}

__global__ void check(struct span *first, unsigned us, cudaGraphConditionalHandle again)
{
	spin_span(&first[done % ITERATIONS], us);
	done++;
	cudaGraphSetConditional(again, done % ITERATIONS != 0);
}

int main(void)
{
	cudaStream_t stream;
	cudaGraph_t graph, body;
	cudaGraphExec_t exec;
	cudaGraphNode_t loop, node;
	cudaGraphConditionalHandle again;
	struct span *steps, *checks;
	unsigned us = 300;

	witness_start("nodes_loop");
	load_kernels(step, check, aside);
	steps = new_span();
	for (int i = 1; i < ITERATIONS; i++) {
		(void)new_span();
	}
	checks = new_span();
	for (int i = 1; i < ITERATIONS; i++) {
		(void)new_span();
	}
	struct span *side = new_span();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
	struct cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
	params.conditional.handle = again;
	params.conditional.type = cudaGraphCondTypeWhile;
	params.conditional.size = 1;
	CHECK(cudaGraphAddNode(&loop, graph, NULL, NULL, 0, &params));
	body = params.conditional.phGraph_out[0];
	node = add_spin(body, NULL, 0, step, steps, us);
	void *args[] = {&checks, &us, &again};
	struct cudaKernelNodeParams kernel = {};
	kernel.func = (void *)check;
	kernel.gridDim = dim3(1);
	kernel.blockDim = dim3(1);
	kernel.kernelParams = args;
	CHECK(cudaGraphAddKernelNode(&node, body, &node, 1, &kernel));
	add_spin(body, NULL, 0, aside, side, 400);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int i = 0; i < LAUNCHES; i++) {
		CHECK(cudaGraphLaunch(exec, stream));
		/* One launch at a time: what runs is of this one. */
		CHECK(cudaStreamSynchronize(stream));
	}

	must("all_iterations", steps[ITERATIONS - 1].end != 0 && checks[ITERATIONS - 1].end != 0);
	must("edge_of_the_body", is_after(&checks[2], &steps[2]));
	must("iterations_in_order",
	     is_after(&steps[1], &checks[0]) && is_after(&steps[3], &checks[2]));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
