/*
 * nodes_graph - a graph of many kinds of nodes and dependencies, traced node by node (RECORD --graphs=nodes).
 *
 *     root -> left, right;  left, right -> empty -> tail_a, tail_b
 *     tail_a -> memset -> copy -> host function -> last;  source -p-> target (programmatic port);  alone
 *
 * The edges alone order the nodes (G4), through nodes without a record too; from a programmatic port only
 * begins (G5). From the sixth launch on "left" is switched off: its neighbours keep their order.
 *
 * EXPECT ops graph: 12
 * EXPECT edges: G4 >= 100
 * EXPECT edges: G5 >= 12
 * EXPECT ordered: root#1 -> left#1
 * EXPECT ordered: root#1 -> right#1
 * EXPECT ordered: left#1 -> tail_a#1
 * EXPECT ordered: left#1 -> tail_b#1
 * EXPECT ordered: right#1 -> tail_b#1
 * EXPECT ordered: tail_a#1 -> last#1
 * EXPECT ordered: last#1 -> root#2
 * EXPECT ordered: root#12 -> tail_a#12
 * EXPECT unordered: left#1 | right#1
 * EXPECT unordered: tail_a#1 | tail_b#1
 * EXPECT unordered: source#1 | target#1
 * EXPECT unordered: alone#1 | last#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

#define LAUNCHES     12
#define SWITCHED_OFF 6 /* the launch from which on */

SPIN_KERNEL(root)
SPIN_KERNEL(left)
SPIN_KERNEL(right)
SPIN_KERNEL(tail_a)
SPIN_KERNEL(tail_b)
SPIN_KERNEL(last)
SPIN_KERNEL(alone)
SPIN_KERNEL(target)

__global__ void source(struct span *span, unsigned us)
{
	cudaTriggerProgrammaticLaunchCompletion();
	spin_span(span, us);
}

static void CUDART_CB count_up(void *counter)
{
	++*(volatile int *)counter;
}

int main(void)
{
	const size_t bytes = 1 << 16;
	struct span *ran[9];
	cudaGraphNode_t node[9], empty, set, copy, host, fork[2];
	cudaGraphEdgeData port = {};
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;
	char *device, *pinned;
	int called = 0;

	witness_start("nodes_graph");
	load_kernels(root, left, right, tail_a, tail_b, last, alone, target, source);
	for (struct span *&s : ran) {
		s = new_span();
	}
	CHECK(cudaMalloc(&device, bytes));
	CHECK(cudaMallocHost(&pinned, bytes));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaGraphCreate(&graph, 0));
	node[0] = add_spin(graph, NULL, 0, root, ran[0], 100);
	fork[0] = node[1] = add_spin(graph, &node[0], 1, left, ran[1], 300);
	fork[1] = node[2] = add_spin(graph, &node[0], 1, right, ran[2], 300);
	CHECK(cudaGraphAddEmptyNode(&empty, graph, fork, 2));
	node[3] = add_spin(graph, &empty, 1, tail_a, ran[3], 100);
	node[4] = add_spin(graph, &empty, 1, tail_b, ran[4], 100);
	struct cudaMemsetParams fill = {};
	fill.dst = device;
	fill.value = 1;
	fill.elementSize = 1;
	fill.width = bytes;
	fill.height = 1;
	CHECK(cudaGraphAddMemsetNode(&set, graph, &node[3], 1, &fill));
	CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, pinned, device, bytes,
				       cudaMemcpyDeviceToHost));
	struct cudaHostNodeParams function = {count_up, &called};
	CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &function));
	node[5] = add_spin(graph, &host, 1, last, ran[5], 100);
	node[6] = add_spin(graph, NULL, 0, alone, ran[6], 1500);
	node[7] = add_spin(graph, NULL, 0, source, ran[7], 500);
	node[8] = add_spin(graph, NULL, 0, target, ran[8], 100);
	port.from_port = cudaGraphKernelNodePortProgrammatic;
	port.type = cudaGraphDependencyTypeProgrammatic;
	CHECK(cudaGraphAddDependencies(graph, &node[7], &node[8], &port, 1));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));

	for (int i = 0; i < LAUNCHES; i++) {
		if (i + 1 == SWITCHED_OFF) {
			CHECK(cudaStreamSynchronize(stream));
			must("join_waits_for_both",
			     is_after(ran[3], ran[1]) && is_after(ran[3], ran[2]) &&
				     is_after(ran[4], ran[1]) && is_after(ran[4], ran[2]));
			must("branches_wait_for_root",
			     is_after(ran[1], ran[0]) && is_after(ran[2], ran[0]));
			must("last_waits_for_host_function", is_after(ran[5], ran[3]) && called);
			saw("branches_overlap", overlaps(ran[1], ran[2]));
			saw("node_alone_overlaps", overlaps(ran[6], ran[2]));
			saw("programmatic_port_overlaps", overlaps(ran[7], ran[8]));
			CHECK(cudaGraphNodeSetEnabled(exec, node[1], 0));
		}
		CHECK(cudaGraphLaunch(exec, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	must("order_goes_through_what_is_off",
	     is_after(ran[3], ran[0]) && is_after(ran[3], ran[2]));
	VERIFY(called == LAUNCHES && pinned[0] == 1, "each launch ran its nodes");
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFree(device));
	return witness_end();
}
