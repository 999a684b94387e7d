/*
 * launch_bound_good - launch_bound_bad with the fifty launches of a step captured into a graph once.
 *
 *   host    |capture, 50 * 5 us|launch|launch|launch|...
 *   device                     |kkkkkkkk|kkkkkkkk|kkkkkkkk|...
 *
 * The host is ahead of the device: it launches a graph in less time than its fifty kernels take.
 *
 * EXPECT streams: 1
 * EXPECT ops graph: 40
 * EXPECT none: host-sync-stall
 * EXPECT none: default-stream-serialization
 * EXPECT none: lost-records
 * TWIN launch_bound_bad
 */
#include "kernels/common.h"

static const int steps = 40, operators = 50;

__global__ void small(int *count, unsigned us)
{
	spin_us(us);
	*count += 1;
}

int main(void)
{
	cudaStream_t s;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	int *count;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaMallocHost(&count, sizeof(*count)));
	*count = -1;
	small<<<1, 1, 0, s>>>(count, 1);
	settle();

	double begin = wall_us();
	CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	for (int j = 0; j < operators; j++) {
		host_work_us(5);
		small<<<1, 1, 0, s>>>(count, 1);
	}
	CHECK(cudaStreamEndCapture(s, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < steps; i++) {
		CHECK(cudaGraphLaunch(exec, s));
	}
	CHECK(cudaStreamSynchronize(s));
	report("launch_bound_good", wall_us() - begin);

	VERIFY(*(volatile int *)count == steps * operators, "number of kernels");
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(s));
	CHECK(cudaFreeHost(count));
	return 0;
}
