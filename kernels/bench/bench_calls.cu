/*
 * bench_calls.cu - what the hottest calls cost a program: empty launches, record and wait, a graph of 100 nodes.
 *
 * Role      : the program that tools/bench_overhead.sh runs without a tool, under gstrace and under others.
 * Method    : each part is timed as a whole by the host's clock, launches in batches with a wait between
 *             them so that no queue fills; the best of the rounds, so that a busy machine shows less.
 * Argument  : how many rounds (5): bench_overhead.sh asks for few, and runs it often.
 * Prints    : `bench launch_us=... record_wait_us=... graph_us=...`, microseconds a call (pair, launch).
 */
#include "kernels/common.h"

static __global__ void empty(void)
{
}

/* Microseconds a call of launches alone, @count in all, @batch between two waits. */
static double time_launches(cudaStream_t stream, int count, int batch)
{
	double spent = 0;
	for (int done = 0; done < count; done += batch) {
		double begin = wall_us();
		for (int i = 0; i < batch; i++) {
			empty<<<1, 1, 0, stream>>>();
		}
		spent += wall_us() - begin;
		CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaGetLastError());
	return spent / count;
}

static double time_events(cudaStream_t a, cudaStream_t b, cudaEvent_t event, int count, int batch)
{
	double spent = 0;
	for (int done = 0; done < count; done += batch) {
		double begin = wall_us();
		for (int i = 0; i < batch; i++) {
			CHECK(cudaEventRecord(event, a));
			CHECK(cudaStreamWaitEvent(b, event, 0));
		}
		spent += wall_us() - begin;
		CHECK(cudaStreamSynchronize(b));
	}
	return spent / count;
}

static double time_graphs(cudaGraphExec_t exec, cudaStream_t stream, int count, int batch)
{
	double spent = 0;
	for (int done = 0; done < count; done += batch) {
		double begin = wall_us();
		for (int i = 0; i < batch; i++) {
			CHECK(cudaGraphLaunch(exec, stream));
		}
		spent += wall_us() - begin;
		CHECK(cudaStreamSynchronize(stream));
	}
	return spent / count;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 5;

	require_gpu();
	cudaStream_t a, b;
	cudaEvent_t event;
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));

	cudaGraph_t graph;
	cudaGraphExec_t exec;
	CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < 100; i++) {
		empty<<<1, 1, 0, a>>>();
	}
	CHECK(cudaStreamEndCapture(a, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));

	double launch = 1e9, record = 1e9, graph_launch = 1e9;
	for (long round = 0; round <= rounds; round++) {
		double l = time_launches(a, 20000, 500);
		double r = time_events(a, b, event, 20000, 500);
		double g = time_graphs(exec, a, 1000, 20);
		if (round == 0) {
			continue; /* warm-up */
		}
		launch = l < launch ? l : launch;
		record = r < record ? r : record;
		graph_launch = g < graph_launch ? g : graph_launch;
	}
	printf("bench launch_us=%.3f record_wait_us=%.3f graph_us=%.3f\n", launch, record,
	       graph_launch);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	return 0;
}
