/*
 * pageable_copy_good - pageable_copy_bad with pinned host memory.
 *
 * The copies are asynchronous now: the host submits all sixteen rounds at once, and each stream's
 * copies and 5 ms kernels run beside the other stream's.
 *
 *   stream 0   H|5 ms|D H|5 ms|D            8 * (5 ms + H + D), H and D about 0.3 ms each over
 *   stream 1   H|5 ms|D H|5 ms|D            PCI Express 5
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 18
 * EXPECT ops memcpy: 36
 * EXPECT unordered: add_one#3 | add_one#4
 * EXPECT none: pageable-copy
 * EXPECT none: default-stream-serialization
 * EXPECT none: synchronous-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 * TWIN pageable_copy_bad
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
		CHECK(cudaMallocHost(&l.host, size));
		memset(l.host, 7, size);
		submit_round(&l, 1);
	}
	settle();

	double begin = wall_us();
	for (int i = 0; i < rounds; i++) {
		submit_round(&lanes[i % 2], 5000);
	}
	CHECK(cudaDeviceSynchronize());
	report("pageable_copy_good", wall_us() - begin);

	for (struct lane &l : lanes) {
		VERIFY(l.host[0] == 7, "first byte");
		VERIFY(l.host[size - 1] == 7 + 1 + rounds / 2, "last byte");
		CHECK(cudaStreamDestroy(l.stream));
		CHECK(cudaFree(l.device));
		CHECK(cudaFreeHost(l.host));
	}
	return 0;
}
