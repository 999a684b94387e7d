/*
 * pageable_async_sizes - cudaMemcpyAsync with pageable memory of 4 bytes to 64 MiB: when does it wait?
 *
 * A kernel is busy in the copy's own stream: the call may wait for it (H5), and from which size on it does,
 * in which direction, is told. In a second part the kernel is in another, non-blocking stream, for which
 * no copy has a reason to wait. Host to host and from managed memory come last.
 *
 * EXPECT ops memcpy: >= 28
 * EXPECT edges: H5 >= 1
 * EXPECT ordered: busy#1 -> memcpy#1
 * EXPECT ordered: busy#14 -> memcpy#14
 * EXPECT unordered: busy#15 | memcpy#15
 * EXPECT unordered: busy#28 | memcpy#28
 * EXPECT none: lost-records
 */
#include <string>
#include <vector>

#include "kernels/ordering/witness.h"

static const unsigned busy_us = 5000, long_us = 80000;
static const size_t sizes[] = {4, 1 << 10, 64 << 10, (64 << 10) + 4, 1 << 20, 8 << 20, 64 << 20};

int main(void)
{
	cudaStream_t copies, other;
	char *device, *managed;

	witness_start("pageable_async_sizes");
	CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	std::vector<char> host(64 << 20, 1);
	CHECK(cudaMalloc(&device, host.size()));
	CHECK(cudaMallocManaged(&managed, 64 << 10));
	memset(managed, 1, 64 << 10);
	CHECK(cudaDeviceSynchronize());

	for (cudaStream_t stream : {copies, other}) {
		for (size_t size : sizes) {
			/* The kernel must outlast a copy that does not wait for it. */
			unsigned us = size > (8 << 20) ? long_us : busy_us;
			std::string end = std::to_string(size);
			if (stream == other) {
				end += "_other_stream";
			}
			std::string in = "h2d_" + end, out = "d2h_" + end;
			saw(in.c_str(), beside(in.c_str(), stream, us, [&] {
				    return cudaMemcpyAsync(device, host.data(), size,
							   cudaMemcpyHostToDevice, copies);
			    }));
			saw(out.c_str(), beside(out.c_str(), stream, us, [&] {
				    return cudaMemcpyAsync(host.data(), device, size,
							   cudaMemcpyDeviceToHost, copies);
			    }));
		}
	}
	saw("managed_source", beside("managed_source", copies, busy_us, [&] {
		    return cudaMemcpyAsync(device, managed, 64 << 10, cudaMemcpyDefault, copies);
	    }));
	saw("h2h", beside("h2h", copies, busy_us, [&] {
		    return cudaMemcpyAsync(host.data(), host.data() + 4096, 4096,
					   cudaMemcpyHostToHost, copies);
	    }));
	CHECK(cudaFree(device));
	CHECK(cudaFree(managed));
	return witness_end();
}
