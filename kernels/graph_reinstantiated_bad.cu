/*
 * graph_reinstantiated_bad - a graph is captured and instantiated for each of 100 steps.
 *
 * The steps' graphs have the same twenty kernels in a row; only a parameter differs. Each is captured, instantiated,
 * launched, waited for and destroyed. What the 99 calls too many take is the driver's, so no time is given by
 * construction: the gain is what instantiating costs more than updating.
 *
 * EXPECT streams: 1
 * EXPECT ops graph: 100
 * EXPECT finding: graph-reinstantiated severity>=low blocked_us 0
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: lost-records
 * TWIN graph_reinstantiated_good
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
	cudaGraphExec_t exec;
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

		CHECK(cudaGraphInstantiate(&exec, graph, 0));
		CHECK(cudaGraphLaunch(exec, s));
		CHECK(cudaStreamSynchronize(s));
		CHECK(cudaGraphExecDestroy(exec));
		CHECK(cudaGraphDestroy(graph));
		expected += nodes * i;
		VERIFY(*(volatile int *)sum == expected, "each node had its step's value");
	}
	report("graph_reinstantiated_bad", wall_us() - begin);

	CHECK(cudaStreamDestroy(s));
	CHECK(cudaFreeHost(sum));
	return 0;
}
