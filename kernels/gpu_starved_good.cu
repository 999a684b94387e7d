/*
 * gpu_starved_good - gpu_starved_bad with batches prepared ahead by four threads.
 *
 *   threads |1000 us prepare 1..4|1000 us prepare 5..8|...
 *   device                       |500|500|500|500|500|...          21 ms in all
 *
 * The thread that launches takes each batch when it is ready and gives it to the device at once.
 *
 * EXPECT streams: 1
 * EXPECT ops kernel: 201
 * EXPECT none: gpu-starved
 * EXPECT none: host-sync-stall
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 * EXPECT none: lost-records
 * TWIN gpu_starved_bad
 */
#include <atomic>
#include <thread>

#include "kernels/common.h"

static const int batches = 40, layers = 5, workers = 4;
static std::atomic<bool> ready[batches];

__global__ void layer(int *sum, int batch, unsigned us)
{
	spin_us(us);
	*sum += batch;
}

/* What the host does to make a batch of a piece of input. */
static int prepare(int batch)
{
	host_work_us(1000);
	return batch;
}

/* One of the threads: every fourth batch. */
static void work(int first)
{
	for (int i = first; i < batches; i += workers) {
		ready[prepare(i)].store(true, std::memory_order_release);
	}
}

int main(void)
{
	cudaStream_t s;
	int *sum, expected = 0, got;
	std::thread threads[workers];

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaMallocHost(&sum, sizeof(*sum)));
	*sum = 0;
	layer<<<1, 1, 0, s>>>(sum, 0, 1);
	settle();

	double begin = wall_us();
	for (int i = 0; i < workers; i++) {
		threads[i] = std::thread(work, i);
	}
	for (int i = 0; i < batches; i++) {
		double give_up = wall_us() + 1e6;
		while (!ready[i].load(std::memory_order_acquire)) {
			VERIFY(wall_us() < give_up, "a batch within a second");
		}
		for (int j = 0; j < layers; j++) {
			layer<<<1, 1, 0, s>>>(sum, i, 100);
		}
		expected += layers * i;
	}
	CHECK(cudaStreamSynchronize(s));
	report("gpu_starved_good", wall_us() - begin);

	for (int i = 0; i < workers; i++) {
		threads[i].join();
	}
	got = *(volatile int *)sum;
	VERIFY(got == expected, "sum over the batches");
	CHECK(cudaStreamDestroy(s));
	CHECK(cudaFreeHost(sum));
	return 0;
}
