/*
 * graph_launch - four kernels captured once, instantiated once and launched twenty times.
 *
 * What is submitted while the stream captures does not run. Each launch is one operation of the stream
 * it is made in, and also waits for the previous launch of the same executable graph: the last five
 * are in a second stream, and still come after the others.
 *
 * EXPECT streams: 2
 * EXPECT ops graph: 20
 * EXPECT ops memcpy: 1
 * EXPECT edges: G3 >= 1
 * EXPECT ordered: graph#1 -> graph#2
 * EXPECT ordered: graph#15 -> graph#16
 * EXPECT ordered: graph#20 -> memcpy#1
 * EXPECT none: default-stream-serialization
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

static const int launches = 20, kernels = 4, n = 1 << 16;

__global__ void add_one(int *data, int count)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i < count) {
		data[i]++;
	}
	spin_us(50);
}

int main(void)
{
	cudaStream_t s1, s2;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	int *data, *first;

	require_gpu();
	CHECK(cudaMalloc(&data, n * sizeof(int)));
	CHECK(cudaMallocHost(&first, sizeof(*first)));
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	CHECK(cudaMemsetAsync(data, 0, n * sizeof(int), s1));
	CHECK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
	for (int k = 0; k < kernels; k++) {
		add_one<<<n / 256, 256, 0, s1>>>(data, n);
	}
	CHECK(cudaStreamEndCapture(s1, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	settle();

	double begin = wall_us();
	for (int i = 0; i < launches; i++) {
		CHECK(cudaGraphLaunch(exec, i < 15 ? s1 : s2));
	}
	CHECK(cudaMemcpyAsync(first, data, sizeof(*first), cudaMemcpyDeviceToHost, s2));
	CHECK(cudaStreamSynchronize(s2));
	report("graph_launch", wall_us() - begin);

	VERIFY(*first == launches * kernels, "each launch ran each kernel once");
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(s1));
	CHECK(cudaStreamDestroy(s2));
	CHECK(cudaFreeHost(first));
	CHECK(cudaFree(data));
	return 0;
}
