/*
 * graph_parallel_nodes - a graph of two parallel nodes, then a kernel in the legacy stream.
 *
 * The launch stream alone decides (G2, S3): with a blocking one the legacy kernel waits for both nodes,
 * also for the one that runs in a stream of the driver's own; with a non-blocking one for none.
 *
 * EXPECT ops graph: 2
 * EXPECT ordered: graph#1 -> legacy#1
 * EXPECT unordered: graph#2 | legacy#2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(short_node)
SPIN_KERNEL(long_node)
SPIN_KERNEL(legacy)

int main(void)
{
	bool waits = false, overlaps_long = false, nodes_overlap = true;

	witness_start("graph_parallel_nodes");
	load_kernels(short_node, long_node, legacy);
	for (unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
		struct span *s = new_span(), *l = new_span(), *k = new_span();
		cudaStream_t stream;
		cudaGraph_t graph;
		cudaGraphExec_t exec;
		CHECK(cudaStreamCreateWithFlags(&stream, flags));
		CHECK(cudaGraphCreate(&graph, 0));
		add_spin(graph, NULL, 0, short_node, s, 1000);
		add_spin(graph, NULL, 0, long_node, l, 6000);
		CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
		CHECK(cudaGraphUpload(exec, stream));
		CHECK(cudaDeviceSynchronize());

		CHECK(cudaGraphLaunch(exec, stream));
		legacy<<<1, 1, 0, cudaStreamLegacy>>>(k, 1000);
		CHECK(cudaDeviceSynchronize());
		nodes_overlap = nodes_overlap && overlaps(s, l);
		if (flags == cudaStreamDefault) {
			waits = is_after(k, s) && is_after(k, l);
		} else {
			overlaps_long = overlaps(k, l);
		}
		CHECK(cudaGraphExecDestroy(exec));
		CHECK(cudaGraphDestroy(graph));
		CHECK(cudaStreamDestroy(stream));
	}
	must("legacy_waits_for_all_nodes", waits);
	saw("launched_in_nonblocking_overlaps", overlaps_long);
	saw("nodes_overlap", nodes_overlap);
	return witness_end();
}
