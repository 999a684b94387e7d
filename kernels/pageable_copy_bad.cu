/*
 * pageable_copy_bad - asynchronous copies of pageable memory beside kernels in another stream.
 *
 * Sixteen rounds alternate between two non-blocking streams; a round is a 16 MiB copy to the device,
 * a kernel of 5 ms and the copy back, all "Async". From pageable memory they are not: the copy back
 * returns only after its stream's kernel and the copy itself, so the host submits the next round
 * only when this one is over, and the two streams never overlap.
 *
 *   stream 0   H|5 ms|D              H|5 ms|D
 *   stream 1             H|5 ms|D                   here 16 * (5 ms + H + D); the copies' times depend
 *                                                   on the machine, the kernels are 80 ms of it
 *
 * If nothing blocked, the kernels of the two streams would run side by side: 8 * 5 = 40 ms less by
 * construction, and more from the copies.
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 18
 * EXPECT ops memcpy: 36
 * EXPECT finding: pageable-copy severity>=medium recoverable_us>=35000
 * EXPECT gain_us: >=35000
 * EXPECT none: default-stream-serialization
 * EXPECT none: synchronous-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 * TWIN pageable_copy_good
 */
#include <cstring>

#include "kernels/common.h"

static const int rounds = 16;
static const size_t size = 16 << 20;

__global__ void add_one(unsigned char *data, size_t at, unsigned us)
{
	spin_us(us);
	data[at]++;
}

struct lane {
	cudaStream_t stream;
	unsigned char *host, *device;
};

static void submit_round(const struct lane *l, unsigned us)
{
	CHECK(cudaMemcpyAsync(l->device, l->host, size, cudaMemcpyHostToDevice, l->stream));
	add_one<<<1, 1, 0, l->stream>>>(l->device, size - 1, us);
	CHECK(cudaMemcpyAsync(l->host, l->device, size, cudaMemcpyDeviceToHost, l->stream));
}

int main(void)
{
	struct lane lanes[2];

	require_gpu();
	for (struct lane &l : lanes) {
		CHECK(cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking));
		CHECK(cudaMalloc(&l.device, size));
		l.host = (unsigned char *)malloc(size);
		VERIFY(l.host != NULL, "no host memory");
		memset(l.host, 7, size);
		submit_round(&l, 1);
	}
	settle();

	double begin = wall_us();
	for (int i = 0; i < rounds; i++) {
		submit_round(&lanes[i % 2], 5000);
	}
	CHECK(cudaDeviceSynchronize());
	report("pageable_copy_bad", wall_us() - begin);

	for (struct lane &l : lanes) {
		VERIFY(l.host[0] == 7, "first byte");
		VERIFY(l.host[size - 1] == 7 + 1 + rounds / 2, "last byte");
		CHECK(cudaStreamDestroy(l.stream));
		CHECK(cudaFree(l.device));
		free(l.host);
	}
	return 0;
}
