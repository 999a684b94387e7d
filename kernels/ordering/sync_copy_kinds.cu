/*
 * sync_copy_kinds - a synchronous copy of each kind beside a busy blocking stream, then a non-blocking one.
 *
 * They run in the legacy stream, so the busy blocking stream comes first (S3). The host waits for it where
 * the copy ends on the host or its source is pinned (H4); pageable host to device: seen to; device to
 * device: not. The non-blocking stream is not waited for by any. Host to host comes last.
 *
 * EXPECT ops memcpy: >= 22
 * EXPECT edges: S3 >= 10
 * EXPECT edges: H4 >= 10
 * EXPECT ordered: busy#1 -> memcpy#1
 * EXPECT ordered: busy#11 -> memcpy#11
 * EXPECT unordered: busy#12 | memcpy#12
 * EXPECT unordered: busy#22 | memcpy#22
 * EXPECT none: lost-records
 */
#include <string>
#include <vector>

#include "kernels/ordering/witness.h"

static const unsigned busy_us = 5000;
static const size_t large = 64 << 10, pitch = 256;
static __device__ int symbol;

struct memory {
	char *pageable, *pinned, *device, *managed;
	cudaArray_t array;
};

static const char *const kinds[] = {"h2d_pageable_4",	  "h2d_pageable_64k",	"h2d_pinned",
				    "d2h_pageable",	  "d2h_pinned",		"d2d",
				    "to_symbol_pageable", "from_symbol_pinned", "2d_h2d_pageable",
				    "array_to_pinned",	  "managed_to_device"};

static cudaError_t copy(int kind, const struct memory &m)
{
	switch (kind) {
	case 0:
		return cudaMemcpy(m.device, m.pageable, 4, cudaMemcpyHostToDevice);
	case 1:
		return cudaMemcpy(m.device, m.pageable, large, cudaMemcpyHostToDevice);
	case 2:
		return cudaMemcpy(m.device, m.pinned, large, cudaMemcpyHostToDevice);
	case 3:
		return cudaMemcpy(m.pageable, m.device, large, cudaMemcpyDeviceToHost);
	case 4:
		return cudaMemcpy(m.pinned, m.device, large, cudaMemcpyDeviceToHost);
	case 5:
		return cudaMemcpy(m.device, m.device + large, large, cudaMemcpyDeviceToDevice);
	case 6:
		return cudaMemcpyToSymbol(symbol, m.pageable, sizeof(symbol));
	case 7:
		return cudaMemcpyFromSymbol(m.pinned, symbol, sizeof(symbol));
	case 8:
		return cudaMemcpy2D(m.device, pitch, m.pageable, pitch, 128, 16,
				    cudaMemcpyHostToDevice);
	case 9:
		return cudaMemcpy2DFromArray(m.pinned, 128, m.array, 0, 0, 128, 16,
					     cudaMemcpyDeviceToHost);
	default:
		return cudaMemcpy(m.device, m.managed, large, cudaMemcpyDefault);
	}
}

/* The documented ones: the call returns when the copy, which waits for the stream, is done. */
static bool is_promised(int kind)
{
	return kind == 2 || kind == 3 || kind == 4 || kind == 7 || kind == 9;
}

int main(void)
{
	const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<char>();
	const int count = sizeof(kinds) / sizeof(kinds[0]);
	struct memory m;
	cudaStream_t blocking, other;

	witness_start("sync_copy_kinds");
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	std::vector<char> pageable(2 * large);
	m.pageable = pageable.data();
	CHECK(cudaMallocHost(&m.pinned, 2 * large));
	CHECK(cudaMalloc(&m.device, 2 * large));
	CHECK(cudaMallocArray(&m.array, &bytes, 128, 16));
	CHECK(cudaMallocManaged(&m.managed, large));
	memset(m.managed, 1, large);
	void *where;
	CHECK(cudaGetSymbolAddress(&where, symbol)); /* loads the module's variables */

	for (cudaStream_t stream : {blocking, other}) {
		for (int k = 0; k < count; k++) {
			std::string name = stream == blocking ? "blocking_" : "nonblocking_";
			name += kinds[k];
			int verdict =
				beside(name.c_str(), stream, busy_us, [&] { return copy(k, m); });
			if (stream == blocking && is_promised(k)) {
				must(name.c_str(), verdict);
			} else {
				saw(name.c_str(), verdict);
			}
		}
	}
	for (cudaStream_t stream : {blocking, other}) {
		const char *name = stream == blocking ? "blocking_h2h" : "nonblocking_h2h";
		saw(name, beside(name, stream, busy_us, [&] {
			    return cudaMemcpy(m.pinned, m.pageable, large, cudaMemcpyHostToHost);
		    }));
	}
	CHECK(cudaFreeArray(m.array));
	CHECK(cudaFree(m.device));
	CHECK(cudaFree(m.managed));
	CHECK(cudaFreeHost(m.pinned));
	return witness_end();
}
