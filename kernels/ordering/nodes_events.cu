/*
 * nodes_events - a graph that begins with an event wait and ends with a record, traced node by node
 * (RECORD --graphs=nodes).
 *
 * At every launch the wait node waits for the record of its event that is the latest then (E6): gated, behind it,
 * begins when source has ended. What waits for the record node's event after the launch is told.
 *
 * EXPECT ops graph: 16
 * EXPECT edges: E6 >= 16
 * EXPECT ordered: source#1 -> gated#1
 * EXPECT ordered: source#16 -> gated#16
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

#define LAUNCHES 16

SPIN_KERNEL(source)
SPIN_KERNEL(gated)
SPIN_KERNEL(waiter)

int main(void)
{
	cudaStream_t s1, s2, s3;
	cudaEvent_t gate, mark;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	bool holds = true, is_latest = true;

	witness_start("nodes_events");
	load_kernels(source, gated, waiter);
	struct span *g = new_span();
	for (cudaStream_t *s : {&s1, &s2, &s3}) {
		CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
	}
	CHECK(cudaEventCreateWithFlags(&gate, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
	CHECK(cudaStreamWaitEvent(s1, gate, cudaEventWaitExternal));
	gated<<<1, 1, 0, s1>>>(g, 200);
	CHECK(cudaEventRecordWithFlags(mark, s1, cudaEventRecordExternal));
	CHECK(cudaStreamEndCapture(s1, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int i = 0; i < LAUNCHES; i++) {
		struct span *a = new_span(), *b = new_span();

		source<<<1, 1, 0, s2>>>(a, 500);
		CHECK(cudaEventRecord(gate, s2));
		CHECK(cudaGraphLaunch(exec, s1));
		CHECK(cudaStreamWaitEvent(s3, mark, 0));
		waiter<<<1, 1, 0, s3>>>(b, 50);
		CHECK(cudaDeviceSynchronize());
		holds &= is_after(g, a);
		is_latest &= is_after(b, g);
	}
	must("wait_node_acts_at_each_launch", holds);
	saw("record_node_is_latest_at_each_launch", is_latest);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
