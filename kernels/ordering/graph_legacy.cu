/*
 * graph_legacy - a graph launched into the legacy stream.
 *
 * The launch is an action of that stream (G2): it waits for a blocking stream's earlier kernel and holds
 * up its later one (S3); the non-blocking stream goes on (S4).
 *
 * EXPECT ops graph: 1
 * EXPECT edges: S3 >= 2
 * EXPECT ordered: before#1 -> graph#1
 * EXPECT ordered: graph#1 -> after#1
 * EXPECT unordered: aside#1 | graph#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(before)
SPIN_KERNEL(node)
SPIN_KERNEL(after)
SPIN_KERNEL(aside)

int main(void)
{
	cudaStream_t blocking, other;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	witness_start("graph_legacy");
	load_kernels(before, node, after, aside);
	struct span *a = new_span(), *n = new_span(), *b = new_span(), *o = new_span();
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaGraphCreate(&graph, 0));
	add_spin(graph, NULL, 0, node, n, 3000);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphUpload(exec, other));
	CHECK(cudaDeviceSynchronize());

	aside<<<1, 1, 0, other>>>(o, 10000);
	before<<<1, 1, 0, blocking>>>(a, 3000);
	CHECK(cudaGraphLaunch(exec, cudaStreamLegacy));
	after<<<1, 1, 0, blocking>>>(b, 1000);
	CHECK(cudaDeviceSynchronize());

	must("graph_waits_for_blocking", is_after(n, a));
	must("blocking_waits_for_graph", is_after(b, n));
	saw("nonblocking_overlaps", overlaps(o, n));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
