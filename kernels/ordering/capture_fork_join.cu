/*
 * capture_fork_join - a capture that spreads to a second stream by an event and comes back.
 *
 * Nothing that is submitted between begin and end of the capture runs, in either stream; the records and
 * waits are capture, not work (G1). In the launch left and right come after root and before tail, and
 * have no order between them (G4). The second stream, out of capture again, runs what it is given.
 *
 * EXPECT ops graph: 1
 * EXPECT ops record: 0
 * EXPECT ops wait: 0
 * EXPECT edges: E1 == 0
 * EXPECT ops kernel: 2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(root)
SPIN_KERNEL(left_branch)
SPIN_KERNEL(right_branch)
SPIN_KERNEL(tail)

int main(void)
{
	cudaStream_t s1, s2;
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	witness_start("capture_fork_join");
	load_kernels(root, left_branch, right_branch, tail);
	struct span *a = new_span(), *l = new_span(), *r = new_span(), *t = new_span();
	struct span *first = new_span();
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

	CHECK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
	root<<<1, 1, 0, s1>>>(a, 500);
	CHECK(cudaEventRecord(fork, s1));
	CHECK(cudaStreamWaitEvent(s2, fork, 0));
	left_branch<<<1, 1, 0, s1>>>(l, 3000);
	right_branch<<<1, 1, 0, s2>>>(r, 3000);
	CHECK(cudaEventRecord(join, s2));
	CHECK(cudaStreamWaitEvent(s1, join, 0));
	tail<<<1, 1, 0, s1>>>(t, 500);
	CHECK(cudaStreamEndCapture(s1, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	busy<<<1, 1, 0, s2>>>(first, 500);
	CHECK(cudaDeviceSynchronize());
	bool ran_at_once = a->begin || l->begin || r->begin || t->begin;

	CHECK(cudaGraphLaunch(exec, s1));
	CHECK(cudaDeviceSynchronize());
	must("capture_runs_nothing", !ran_at_once);
	must("runs_after_capture", first->end != 0);
	must("branches_after_root", is_after(l, a) && is_after(r, a));
	must("tail_after_branches", is_after(t, l) && is_after(t, r));
	saw("branches_overlap", overlaps(l, r));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
