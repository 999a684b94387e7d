/*
 * launch_blocking - CUDA_LAUNCH_BLOCKING=1: which submissions return when their work is done?
 *
 * A kernel launch does, by documentation (H8). For a graph launch, an asynchronous copy behind a kernel
 * and a host function it is told. Then the host waits for many short kernels. The program sets the variable itself, before CUDA starts.
 *
 * EXPECT edges: H8 >= 41
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

static const unsigned long_us = 3000;

SPIN_KERNEL(node)

static void CUDART_CB sleep_on_host(void *done)
{
	host_work_us(long_us);
	*(volatile bool *)done = true;
}

int main(void)
{
	const size_t size = 64 << 20;
	bool is_host_done = false;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	char *device, *pinned;

	setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
	witness_start("launch_blocking");
	load_kernels(node);
	struct span *s = new_span(), *n = new_span();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, size));
	CHECK(cudaMallocHost(&pinned, size));
	CHECK(cudaGraphCreate(&graph, 0));
	add_spin(graph, NULL, 0, node, n, long_us);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaDeviceSynchronize());

	busy<<<1, 1, 0, stream>>>(s, long_us);
	must("kernel", s->end != 0);
	CHECK(cudaGraphLaunch(exec, stream));
	saw("graph_launch", n->end != 0);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaLaunchHostFunc(stream, sleep_on_host, &is_host_done));
	saw("host_function", *(volatile bool *)&is_host_done);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpyAsync(device, pinned, size, cudaMemcpyHostToDevice, stream));
	cudaError_t answer = cudaStreamQuery(stream);
	saw("copy", answer == cudaSuccess);
	CHECK(cudaDeviceSynchronize());
	bool all_wait = true;
	for (int i = 0; i < 40; i++) {
		struct span *each = new_span();
		busy<<<1, 1, 0, stream>>>(each, 20);
		all_wait &= each->end != 0;
	}
	must("kernel_each_time", all_wait);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(pinned));
	return witness_end();
}
