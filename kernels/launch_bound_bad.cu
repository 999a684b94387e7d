/*
 * launch_bound_bad - small kernels launched one by one: the host takes longer to submit one than it runs.
 *
 * Forty steps of fifty kernels. A kernel takes 1 us of work; the host spends 5 us of its own on each (as frameworks
 * do for an operator) and the launch itself. So the device is idle most of the time, in 2000 short pauses.
 *
 *   host    |5 us|launch|5 us|launch|5 us|launch|...
 *   device             |k|          |k|          |k|...          at least 2000 * 5 us = 10 ms
 *
 * Captured into a graph, what the host does for an operator is done once, and a step is one launch.
 *
 * EXPECT streams: 1
 * EXPECT ops kernel: 2001
 * EXPECT finding: gpu-starved blocked_us >=4000
 * EXPECT gain_us: >=3000
 * EXPECT none: host-sync-stall
 * EXPECT none: default-stream-serialization
 * EXPECT none: lost-records
 * TWIN launch_bound_good
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
	int *count;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaMallocHost(&count, sizeof(*count)));
	*count = -1;
	small<<<1, 1, 0, s>>>(count, 1);
	settle();

	double begin = wall_us();
	for (int i = 0; i < steps; i++) {
		for (int j = 0; j < operators; j++) {
			host_work_us(5);
			small<<<1, 1, 0, s>>>(count, 1);
		}
	}
	CHECK(cudaStreamSynchronize(s));
	report("launch_bound_bad", wall_us() - begin);

	VERIFY(*(volatile int *)count == steps * operators, "number of kernels");
	CHECK(cudaStreamDestroy(s));
	CHECK(cudaFreeHost(count));
	return 0;
}
