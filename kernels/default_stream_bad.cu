/*
 * default_stream_bad - the middle one of three independent kernels is in the default stream.
 *
 * Each of 40 rounds launches first (1 ms, stream s1), middle (2 ms, legacy default stream) and
 * last (3 ms, stream s2). s1 and s2 are blocking streams, so middle waits for everything before
 * it in both, and what follows in both waits for middle:
 *
 *   s1      |1|     |1|     |1|             a round takes 2 + max(1, 3) = 5 ms: only last of one
 *   legacy    |2 2|     |2 2|               round and first of the next can overlap.
 *   s2            |3 3 3|   |3 3 3|
 *
 * In all 40 * 5 + 1 = 201 ms. Without the barrier each stream runs alone, and s2, the longest, takes
 * 40 * 3 = 120 ms: 81 ms are gained by construction. A kernel is one thread, so the device has room.
 *
 * EXPECT streams: 3
 * EXPECT ops kernel: 123
 * EXPECT finding: default-stream-serialization severity>=medium path~S3 recoverable_us 76950..85050
 * EXPECT gain_us: 81000
 * EXPECT edges: S3 >= 80
 * EXPECT ordered: first#2 -> middle#2
 * EXPECT ordered: middle#2 -> last#2
 * EXPECT ordered: last#2 -> middle#3
 * EXPECT unordered: last#2 | first#3
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 * TWIN default_stream_good
 */
#include "kernels/common.h"

static const int rounds = 40;

__global__ void first(unsigned us)
{
	spin_us(us);
}

__global__ void middle(unsigned us)
{
	spin_us(us);
}

__global__ void last(unsigned us)
{
	spin_us(us);
}

int main(void)
{
	cudaStream_t s1, s2;

	require_gpu();
	CHECK(cudaStreamCreate(&s1));
	CHECK(cudaStreamCreate(&s2));
	first<<<1, 1, 0, s1>>>(1);
	middle<<<1, 1>>>(1);
	last<<<1, 1, 0, s2>>>(1);
	settle();

	double begin = wall_us();
	for (int i = 0; i < rounds; i++) {
		first<<<1, 1, 0, s1>>>(1000);
		middle<<<1, 1>>>(2000);
		last<<<1, 1, 0, s2>>>(3000);
	}
	CHECK(cudaDeviceSynchronize());
	report("default_stream_bad", wall_us() - begin);

	CHECK(cudaStreamDestroy(s1));
	CHECK(cudaStreamDestroy(s2));
	return 0;
}
