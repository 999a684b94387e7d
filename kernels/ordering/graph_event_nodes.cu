/*
 * graph_event_nodes - event records and waits that a capture keeps as nodes (the external flag).
 *
 * They act at every launch (E6): the wait holds its node's successors until the record that is the latest
 * at the launch, made in another stream, is done. Whether the record of such a node is the event's latest
 * for a wait made after the launch is not documented: two launches show it.
 *
 * EXPECT ops graph: 2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

static __device__ unsigned gated_runs, marked_runs;

__global__ void gated(struct span *first, unsigned us)
{
	spin_span(&first[gated_runs++], us);
}

__global__ void marked(struct span *first, unsigned us)
{
	spin_span(&first[marked_runs++], us);
}

SPIN_KERNEL(source)
SPIN_KERNEL(waiter)

int main(void)
{
	cudaStream_t s1, s2, s3;
	cudaEvent_t gate, mark;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	struct span *g[2], *m[2], *src[2], *w[2];

	witness_start("graph_event_nodes");
	load_kernels(gated, marked, source, waiter);
	for (struct span **list : {g, m, src, w}) {
		list[0] = new_span();
		list[1] = new_span();
	}
	for (cudaStream_t *s : {&s1, &s2, &s3}) {
		CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
	}
	CHECK(cudaEventCreateWithFlags(&gate, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
	CHECK(cudaStreamWaitEvent(s1, gate, cudaEventWaitExternal));
	gated<<<1, 1, 0, s1>>>(g[0], 1000);
	marked<<<1, 1, 0, s1>>>(m[0], 2000);
	CHECK(cudaEventRecordWithFlags(mark, s1, cudaEventRecordExternal));
	CHECK(cudaStreamEndCapture(s1, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));

	for (int i = 0; i < 2; i++) {
		source<<<1, 1, 0, s2>>>(src[i], 3000);
		CHECK(cudaEventRecord(gate, s2));
		CHECK(cudaGraphLaunch(exec, s1));
		CHECK(cudaStreamWaitEvent(s3, mark, 0));
		waiter<<<1, 1, 0, s3>>>(w[i], 500);
		CHECK(cudaDeviceSynchronize());
	}
	must("wait_node_acts_at_first_launch", is_after(g[0], src[0]));
	must("wait_node_acts_at_second_launch", is_after(g[1], src[1]));
	saw("record_node_is_latest_at_first_launch", is_after(w[0], m[0]));
	saw("record_node_is_latest_at_second_launch", is_after(w[1], m[1]));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
