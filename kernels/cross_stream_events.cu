/*
 * cross_stream_events - a value passed round three non-blocking streams by events.
 *
 * Ten rounds; in each the value is doubled in s1, increased in s2 and decreased in s3, every step after
 * the one before by an event record and a wait, and the next round after s3. A bystander in a fourth
 * stream has no part in it.
 *
 * EXPECT streams: 4
 * EXPECT ops kernel: 35
 * EXPECT ops record: 30
 * EXPECT ops wait: 30
 * EXPECT edges: E1 >= 29
 * EXPECT edges: S3 == 0
 * EXPECT ordered: twice#2 -> plus#2
 * EXPECT ordered: plus#2 -> minus#2
 * EXPECT ordered: minus#2 -> twice#3
 * EXPECT unordered: bystander#2 | minus#11
 * EXPECT none: default-stream-serialization
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

static const int rounds = 10;

__global__ void twice(int *value, unsigned us)
{
	*value *= 2;
	spin_us(us);
}

__global__ void plus(int *value, unsigned us)
{
	*value += 3;
	spin_us(us);
}

__global__ void minus(int *value, unsigned us)
{
	*value -= 1;
	spin_us(us);
}

__global__ void bystander(unsigned us)
{
	spin_us(us);
}

int main(void)
{
	cudaStream_t s[4];
	cudaEvent_t done[3];
	int *value, expected = 1;

	require_gpu();
	CHECK(cudaMallocHost(&value, sizeof(*value)));
	for (cudaStream_t &stream : s) {
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	}
	for (cudaEvent_t &event : done) {
		CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	}
	twice<<<1, 1, 0, s[0]>>>(value, 1);
	plus<<<1, 1, 0, s[1]>>>(value, 1);
	minus<<<1, 1, 0, s[2]>>>(value, 1);
	bystander<<<1, 1, 0, s[3]>>>(1);
	settle();

	*value = expected;
	double begin = wall_us();
	bystander<<<1, 1, 0, s[3]>>>(5000);
	for (int i = 0; i < rounds; i++) {
		CHECK(cudaStreamWaitEvent(s[0], done[2], 0));
		twice<<<1, 1, 0, s[0]>>>(value, 200);
		CHECK(cudaEventRecord(done[0], s[0]));
		CHECK(cudaStreamWaitEvent(s[1], done[0], 0));
		plus<<<1, 1, 0, s[1]>>>(value, 200);
		CHECK(cudaEventRecord(done[1], s[1]));
		CHECK(cudaStreamWaitEvent(s[2], done[1], 0));
		minus<<<1, 1, 0, s[2]>>>(value, 200);
		CHECK(cudaEventRecord(done[2], s[2]));
		expected = expected * 2 + 3 - 1;
	}
	CHECK(cudaDeviceSynchronize());
	report("cross_stream_events", wall_us() - begin);

	VERIFY(*value == expected, "every step came after the one before");
	for (cudaEvent_t event : done) {
		CHECK(cudaEventDestroy(event));
	}
	for (cudaStream_t stream : s) {
		CHECK(cudaStreamDestroy(stream));
	}
	CHECK(cudaFreeHost(value));
	return 0;
}
