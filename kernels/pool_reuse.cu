/*
 * pool_reuse - stream-ordered memory freed in one stream and allocated again in another.
 *
 * The pool may hold 32 MiB. A buffer of 20 MiB is filled and freed in s1 and at once allocated in s2,
 * without any event: the pool has no other memory to give, so it hands out the same address and lets
 * s2 wait for s1's free. That order is nowhere to be seen but in the address. Should the pool refuse
 * instead, the program waits for s1 itself and asks again; the report line says whether the address
 * was the same (same_address) and whether the pool had refused (refused).
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 4
 * EXPECT ops alloc: 2
 * EXPECT ops free: 2
 * EXPECT edges: M1 >= 1
 * EXPECT ordered: fill#1 -> reuse#1
 * EXPECT none: default-stream-serialization
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

static const size_t size = 20 << 20, limit = 32 << 20;

__global__ void warm_up(unsigned us)
{
	spin_us(us);
}

__global__ void fill(int *data, unsigned us)
{
	spin_us(us);
	data[0] = 1;
}

__global__ void reuse(int *data, unsigned us)
{
	data[0] = 2;
	spin_us(us);
}

int main(void)
{
	cudaStream_t s1, s2;
	cudaMemPool_t pool;
	cudaMemPoolProps props = {};
	int *first, *second;

	require_gpu();
	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	props.maxSize = limit;
	CHECK(cudaMemPoolCreate(&pool, &props));
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	warm_up<<<1, 1, 0, s1>>>(1);
	warm_up<<<1, 1, 0, s2>>>(1);
	settle();

	double begin = wall_us();
	CHECK(cudaMallocFromPoolAsync((void **)&first, size, pool, s1));
	fill<<<1, 1, 0, s1>>>(first, 3000);
	CHECK(cudaFreeAsync(first, s1));
	cudaError_t got = cudaMallocFromPoolAsync((void **)&second, size, pool, s2);
	bool refused = got == cudaErrorMemoryAllocation;
	if (refused) {
		cudaGetLastError(); /* clears it */
		CHECK(cudaStreamSynchronize(s1));
		got = cudaMallocFromPoolAsync((void **)&second, size, pool, s2);
	}
	CHECK(got);
	reuse<<<1, 1, 0, s2>>>(second, 1000);
	CHECK(cudaFreeAsync(second, s2));
	CHECK(cudaDeviceSynchronize());
	double end = wall_us();

	printf("workload=pool_reuse wall_us=%.1f same_address=%d refused=%d\n", end - begin,
	       first == second, refused);
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaStreamDestroy(s1));
	CHECK(cudaStreamDestroy(s2));
	return 0;
}
