/*
 * stream_destroy - a stream is destroyed while its work is pending.
 *
 * The destroying call returns at once and the work (5 ms) goes on. A kernel in the legacy default
 * stream still waits for it, since the destroyed stream was a blocking one; a stream made afterwards
 * may get the same handle and is another stream all the same.
 *
 * EXPECT streams: 3
 * EXPECT ops kernel: 6
 * EXPECT edges: S3 >= 2
 * EXPECT ordered: pending#2 -> legacy#2
 * EXPECT ordered: legacy#2 -> later#2
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

__global__ void pending(unsigned *done, unsigned us)
{
	spin_us(us);
	*(volatile unsigned *)done = us;
}

__global__ void legacy(const unsigned *done, unsigned *seen)
{
	*seen = *(const volatile unsigned *)done;
}

__global__ void later(unsigned us)
{
	spin_us(us);
}

int main(void)
{
	cudaStream_t stream;
	unsigned *shared;

	require_gpu();
	CHECK(cudaMallocHost(&shared, 2 * sizeof(*shared)));
	pending<<<1, 1>>>(shared, 1);
	legacy<<<1, 1>>>(shared, shared + 1);
	later<<<1, 1>>>(1);
	settle();

	double begin = wall_us();
	CHECK(cudaStreamCreate(&stream));
	pending<<<1, 1, 0, stream>>>(shared, 5000);
	double destroy = wall_us();
	CHECK(cudaStreamDestroy(stream));
	destroy = wall_us() - destroy;
	legacy<<<1, 1>>>(shared, shared + 1);
	CHECK(cudaStreamCreate(&stream));
	later<<<1, 1, 0, stream>>>(1000);
	CHECK(cudaDeviceSynchronize());
	report("stream_destroy", wall_us() - begin);

	VERIFY(destroy < 4000, "destroying did not wait");
	VERIFY(shared[1] == 5000, "the legacy kernel came after the destroyed stream's work");
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(shared));
	return 0;
}
