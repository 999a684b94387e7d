/*
 * events_rerecord - a wait refers to the event's latest record at the time of the wait.
 *
 * The event is recorded after producer, the second stream waits for it, and then the event is recorded
 * again after slow (5 ms). The wait stays with the first record: consumer runs beside slow. A second
 * wait, made after the second record, orders follower after slow. A wait for an event that was never
 * recorded orders nothing.
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 8
 * EXPECT ops record: 2
 * EXPECT ops wait: 3
 * EXPECT edges: E1 >= 2
 * EXPECT ordered: producer#2 -> consumer#2
 * EXPECT unordered: slow#2 | consumer#2
 * EXPECT ordered: slow#2 -> follower#2
 * EXPECT none: default-stream-serialization
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

__global__ void producer(int *data, int value, unsigned us)
{
	spin_us(us);
	data[0] = value;
}

__global__ void slow(int *data, int value, unsigned us)
{
	spin_us(us);
	data[1] = value;
}

__global__ void consumer(int *data, unsigned us)
{
	data[2] = data[0];
	spin_us(us);
}

__global__ void follower(int *data)
{
	data[3] = data[1];
}

int main(void)
{
	cudaStream_t s1, s2;
	cudaEvent_t event, never;
	int *data;

	require_gpu();
	CHECK(cudaMallocHost(&data, 4 * sizeof(*data)));
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&never, cudaEventDisableTiming));
	producer<<<1, 1, 0, s1>>>(data, 0, 1);
	slow<<<1, 1, 0, s1>>>(data, 0, 1);
	consumer<<<1, 1, 0, s2>>>(data, 1);
	follower<<<1, 1, 0, s2>>>(data);
	settle();

	double begin = wall_us();
	producer<<<1, 1, 0, s1>>>(data, 11, 1000);
	CHECK(cudaEventRecord(event, s1));
	CHECK(cudaStreamWaitEvent(s2, event, 0));
	slow<<<1, 1, 0, s1>>>(data, 22, 5000);
	CHECK(cudaEventRecord(event, s1));
	CHECK(cudaStreamWaitEvent(s2, never, 0));
	consumer<<<1, 1, 0, s2>>>(data, 1000);
	CHECK(cudaStreamWaitEvent(s2, event, 0));
	follower<<<1, 1, 0, s2>>>(data);
	CHECK(cudaDeviceSynchronize());
	report("events_rerecord", wall_us() - begin);

	VERIFY(data[2] == 11, "consumer saw producer's value");
	VERIFY(data[3] == 22, "follower saw slow's value");
	CHECK(cudaEventDestroy(event));
	CHECK(cudaEventDestroy(never));
	CHECK(cudaStreamDestroy(s1));
	CHECK(cudaStreamDestroy(s2));
	CHECK(cudaFreeHost(data));
	return 0;
}
