/*
 * pipeline - copy in, kernel, copy out, in chunks over two streams.
 *
 * Eight chunks of 4 MiB of pinned memory alternate between two non-blocking streams. Within a stream
 * everything is in order; the copies of one stream can run beside the kernel of the other.
 *
 * EXPECT streams: 2
 * EXPECT ops kernel: 8
 * EXPECT ops memcpy: 16
 * EXPECT edges: S1 >= 16
 * EXPECT edges: S3 == 0
 * EXPECT ordered: memcpy#1 -> square#1
 * EXPECT ordered: square#1 -> square#3
 * EXPECT unordered: square#1 | square#2
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

static const int chunks = 8, chunk = 1 << 20, total = chunks * chunk;

__global__ void square(float *x, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i < n) {
		x[i] *= x[i];
	}
}

int main(void)
{
	const size_t bytes = chunk * sizeof(float);
	cudaStream_t streams[2];
	float *host, *device;

	require_gpu();
	CHECK(cudaMallocHost(&host, total * sizeof(float)));
	CHECK(cudaMalloc(&device, total * sizeof(float)));
	for (cudaStream_t &s : streams) {
		CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	}
	for (int i = 0; i < total; i++) {
		host[i] = (float)(i % 1000);
	}

	double begin = wall_us();
	for (int c = 0; c < chunks; c++) {
		cudaStream_t s = streams[c % 2];
		float *h = host + c * chunk, *d = device + c * chunk;
		CHECK(cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, s));
		square<<<chunk / 256, 256, 0, s>>>(d, chunk);
		CHECK(cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, s));
	}
	CHECK(cudaDeviceSynchronize());
	report("pipeline", wall_us() - begin);

	for (int i = 0; i < total; i++) {
		VERIFY(host[i] == (float)(i % 1000) * (float)(i % 1000), "square");
	}
	for (cudaStream_t s : streams) {
		CHECK(cudaStreamDestroy(s));
	}
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(host));
	return 0;
}
