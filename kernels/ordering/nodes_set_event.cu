/*
 * nodes_set_event - event nodes of an executable graph that are given other events between its launches, traced node
 * by node (RECORD --graphs=nodes).
 *
 * At every launch the wait node waits for the latest record of the event that it names *then* (E6): odd launches wait
 * for gate, even ones for other. The record node is changed with it: what waits for the event that it names follows.
 *
 * EXPECT ops graph: 8
 * EXPECT edges: E6 >= 8
 * EXPECT ordered: source#1 -> gated#1
 * EXPECT ordered: source_other#1 -> gated#2
 * EXPECT ordered: source#4 -> gated#7
 * EXPECT ordered: source_other#4 -> gated#8
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

#define LAUNCHES 8

SPIN_KERNEL(source)
SPIN_KERNEL(source_other)
SPIN_KERNEL(gated)
SPIN_KERNEL(waiter)

static cudaGraphNode_t node_of(cudaGraph_t graph, cudaGraphNodeType wanted)
{
	cudaGraphNode_t nodes[8];
	size_t count = 8;

	CHECK(cudaGraphGetNodes(graph, nodes, &count));
	for (size_t i = 0; i < count; i++) {
		cudaGraphNodeType type;

		CHECK(cudaGraphNodeGetType(nodes[i], &type));
		if (type == wanted) {
			return nodes[i];
		}
	}
	VERIFY(false, "the capture made the event nodes");
	return NULL;
}

int main(void)
{
	cudaStream_t s1, s2, s3;
	cudaEvent_t gate[2], mark[2];
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	bool holds = true, is_latest = true;

	witness_start("nodes_set_event");
	load_kernels(source, source_other, gated, waiter);
	struct span *g = new_span();
	for (cudaStream_t *s : {&s1, &s2, &s3}) {
		CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
	}
	for (cudaEvent_t *e : {&gate[0], &gate[1], &mark[0], &mark[1]}) {
		CHECK(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
	}
	CHECK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
	CHECK(cudaStreamWaitEvent(s1, gate[1], cudaEventWaitExternal));
	gated<<<1, 1, 0, s1>>>(g, 200);
	CHECK(cudaEventRecordWithFlags(mark[1], s1, cudaEventRecordExternal));
	CHECK(cudaStreamEndCapture(s1, &graph));
	cudaGraphNode_t wait = node_of(graph, cudaGraphNodeTypeWaitEvent);
	cudaGraphNode_t record = node_of(graph, cudaGraphNodeTypeEventRecord);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int i = 0; i < LAUNCHES; i++) {
		struct span *a = new_span(), *b = new_span();

		/* What the node does not name now must not matter: nothing else has been recorded since. */
		CHECK(cudaGraphExecEventWaitNodeSetEvent(exec, wait, gate[i & 1]));
		CHECK(cudaGraphExecEventRecordNodeSetEvent(exec, record, mark[i & 1]));
		if (i & 1) {
			source_other<<<1, 1, 0, s2>>>(a, 500);
		} else {
			source<<<1, 1, 0, s2>>>(a, 500);
		}
		CHECK(cudaEventRecord(gate[i & 1], s2));
		CHECK(cudaGraphLaunch(exec, s1));
		CHECK(cudaStreamWaitEvent(s3, mark[i & 1], 0));
		waiter<<<1, 1, 0, s3>>>(b, 50);
		CHECK(cudaDeviceSynchronize());
		holds &= is_after(g, a);
		is_latest &= is_after(b, g);
	}
	must("wait_node_waits_for_the_event_it_was_given", holds);
	saw("record_node_records_the_event_it_was_given", is_latest);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
