/*
 * graph_same_exec - one executable graph launched in two streams, and two of one template.
 *
 * Launches of the same executable graph follow each other whatever their streams (G3); two executable
 * graphs made from one template do not.
 *
 * EXPECT ops graph: 4
 * EXPECT edges: G3 >= 1
 * EXPECT ordered: graph#1 -> graph#2
 * EXPECT unordered: graph#3 | graph#4
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

static __device__ unsigned launches;

/* Each launch of the node takes the next span. */
__global__ void node(struct span *first, unsigned us)
{
	spin_span(&first[atomicAdd(&launches, 1)], us);
}

int main(void)
{
	cudaStream_t s1, s2;
	cudaGraph_t graph;
	cudaGraphExec_t exec, twin;
	struct span *s[4];

	witness_start("graph_same_exec");
	load_kernels(node);
	for (struct span *&one : s) {
		one = new_span();
	}
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	CHECK(cudaGraphCreate(&graph, 0));
	add_spin(graph, NULL, 0, node, s[0], 5000);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphInstantiateWithFlags(&twin, graph, 0));

	CHECK(cudaGraphLaunch(exec, s1));
	CHECK(cudaGraphLaunch(exec, s2));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaGraphLaunch(exec, s1));
	CHECK(cudaGraphLaunch(twin, s2));
	CHECK(cudaDeviceSynchronize());

	must("same_exec_ordered", is_after(s[1], s[0]));
	saw("two_execs_overlap", overlaps(s[2], s[3]));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphExecDestroy(twin));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
