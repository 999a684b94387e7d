/*
 * graph_reinstantiated_good - as graph_reinstantiated_bad, but one executable graph is kept and updated for each step.
 *
 * cudaGraphExecUpdate takes the new parameter over; that it could is checked.
 *
 * EXPECT streams: 1
 * EXPECT ops graph: 100
 * EXPECT none: graph-reinstantiated
 * EXPECT none: default-stream-serialization
 * EXPECT none: lost-records
 * TWIN graph_reinstantiated_bad
 */
#include "kernels/common.h"

static const int steps = 100, nodes = 20;

__global__ void add(int *sum, int value)
{
	*sum += value;
}

static cudaGraph_t capture(cudaStream_t s, int *sum, int value)
{
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < nodes; i++) {
		add<<<1, 1, 0, s>>>(sum, value);
	}
	CHECK(cudaStreamEndCapture(s, &graph));
	return graph;
}

int main(void)
{
	cudaStream_t s;
	cudaGraphExec_t exec = NULL;
	cudaGraphExecUpdateResultInfo info;
	int *sum, expected = 0;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaMallocHost(&sum, sizeof(*sum)));
	*sum = 0;
	add<<<1, 1, 0, s>>>(sum, 0);
	settle();

	double begin = wall_us();
	for (int i = 0; i < steps; i++) {
		cudaGraph_t graph = capture(s, sum, i);

		if (exec == NULL) {
			CHECK(cudaGraphInstantiate(&exec, graph, 0));
		} else {
			CHECK(cudaGraphExecUpdate(exec, graph, &info));
		}
		CHECK(cudaGraphLaunch(exec, s));
		CHECK(cudaStreamSynchronize(s));
		CHECK(cudaGraphDestroy(graph));
		expected += nodes * i;
		VERIFY(*(volatile int *)sum == expected, "each node had its step's value");
	}
	report("graph_reinstantiated_good", wall_us() - begin);

	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaStreamDestroy(s));
	CHECK(cudaFreeHost(sum));
	return 0;
}
