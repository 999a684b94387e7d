/*
 * nodes_build - a graph made by each call that adds a node, traced node by node (RECORD --graphs=nodes).
 *
 *     wait -> root -> empty -> left, right;  left -> memset -> copy -> host function -> last -> record
 *     right -> child graph (inner_a -> inner_b) -> last;  root -> memory allocated -> user -> memory freed
 *
 * The edges alone order the nodes (G4): those given when a node is added, and those added and removed afterwards. That
 * left and right have no order is not claimed: CUPTI tells no ports of the edges in the child graph's copy.
 *
 * EXPECT ops graph: 6
 * EXPECT edges: G4 >= 24
 * EXPECT ordered: root#1 -> left#1
 * EXPECT ordered: root#1 -> right#1
 * EXPECT ordered: left#1 -> last#1
 * EXPECT ordered: last#1 -> root#2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

#define LAUNCHES 6

SPIN_KERNEL(source)
SPIN_KERNEL(root)
SPIN_KERNEL(left)
SPIN_KERNEL(right)
SPIN_KERNEL(inner_a)
SPIN_KERNEL(inner_b)
SPIN_KERNEL(user)
SPIN_KERNEL(last)

static void CUDART_CB count_up(void *counter)
{
	++*(volatile int *)counter;
}

/* A kernel node by the call for nodes of every kind. */
static cudaGraphNode_t add_any(cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
			       void (*kernel)(struct span *, unsigned), struct span *s, unsigned us)
{
	void *args[] = {&s, &us};
	struct cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
	cudaGraphNode_t node;

	params.kernel.func = (void *)kernel;
	params.kernel.gridDim = dim3(1);
	params.kernel.blockDim = dim3(1);
	params.kernel.kernelParams = args;
	CHECK(cudaGraphAddNode(&node, graph, deps, NULL, count, &params));
	return node;
}

int main(void)
{
	const size_t bytes = 1 << 16;
	struct span *ran[8];
	cudaGraphNode_t wait, a, b, c, e, set, copy, host, record, inner, child, gets, uses, frees;
	cudaGraph_t graph, small;
	cudaGraphExec_t exec;
	cudaStream_t stream, other;
	cudaEvent_t gate, mark;
	char *device, *pinned;
	int called = 0;
	bool holds = true;

	witness_start("nodes_build");
	load_kernels(source, root, left, right, inner_a, inner_b, user, last);
	for (struct span *&s : ran) {
		s = new_span();
	}
	CHECK(cudaMalloc(&device, bytes));
	CHECK(cudaMallocHost(&pinned, bytes));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&gate, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));

	CHECK(cudaGraphCreate(&small, 0));
	inner = add_spin(small, NULL, 0, inner_a, ran[4], 50);
	add_spin(small, &inner, 1, inner_b, ran[5], 50);

	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddEventWaitNode(&wait, graph, NULL, 0, gate));
	a = add_any(graph, &wait, 1, root, ran[1], 100);
	CHECK(cudaGraphAddEmptyNode(&e, graph, &a, 1));
	b = add_spin(graph, &e, 1, left, ran[2], 300);
	c = add_any(graph, &e, 1, right, ran[3], 300);
	struct cudaMemsetParams fill = {};
	fill.dst = device;
	fill.value = 1;
	fill.elementSize = 1;
	fill.width = bytes;
	fill.height = 1;
	CHECK(cudaGraphAddMemsetNode(&set, graph, &b, 1, &fill));
	struct cudaMemcpy3DParms box = {};
	box.srcPtr = make_cudaPitchedPtr(device, bytes, bytes, 1);
	box.dstPtr = make_cudaPitchedPtr(pinned, bytes, bytes, 1);
	box.extent = make_cudaExtent(bytes, 1, 1);
	box.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaGraphAddMemcpyNode(&copy, graph, &set, 1, &box));
	struct cudaHostNodeParams function = {count_up, &called};
	CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &function));
	CHECK(cudaGraphAddChildGraphNode(&child, graph, &c, 1, small));
	cudaGraphNode_t both[] = {host, child};
	cudaGraphNode_t d = add_spin(graph, both, 2, last, ran[6], 100);
	CHECK(cudaGraphAddEventRecordNode(&record, graph, &d, 1, mark));
	/* Not in a graph that has memory of its own. */
	CHECK(cudaGraphAddDependencies(graph, &b, &c, NULL, 1));
	CHECK(cudaGraphRemoveDependencies(graph, &b, &c, NULL, 1));
	struct cudaMemAllocNodeParams memory = {};
	memory.poolProps.allocType = cudaMemAllocationTypePinned;
	memory.poolProps.location.type = cudaMemLocationTypeDevice;
	memory.bytesize = bytes;
	CHECK(cudaGraphAddMemAllocNode(&gets, graph, &a, 1, &memory));
	uses = add_spin(graph, NULL, 0, user, ran[7], 50);
	CHECK(cudaGraphAddMemFreeNode(&frees, graph, &uses, 1, memory.dptr));
	CHECK(cudaGraphAddDependencies(graph, &gets, &uses, NULL, 1));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));

	for (int i = 0; i < LAUNCHES; i++) {
		source<<<1, 1, 0, other>>>(ran[0], 500);
		CHECK(cudaEventRecord(gate, other));
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaStreamSynchronize(stream));
		holds &= is_after(ran[1], ran[0]);
	}
	must("wait_node_holds", holds);
	must("branches_wait_for_root", is_after(ran[2], ran[1]) && is_after(ran[3], ran[1]));
	must("child_graph_in_order", is_after(ran[4], ran[3]) && is_after(ran[5], ran[4]));
	must("join_waits_for_both", is_after(ran[6], ran[2]) && is_after(ran[6], ran[5]));
	must("user_waits_for_memory", is_after(ran[7], ran[1]));
	saw("removed_edge_does_not_order", overlaps(ran[2], ran[3]));
	VERIFY(called == LAUNCHES && pinned[0] == 1, "each launch ran its nodes");
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphDestroy(small));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFree(device));
	return witness_end();
}
