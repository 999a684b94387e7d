/*
 * memset_kinds - a memset of each kind of memory beside a busy blocking stream.
 *
 * The synchronous form runs in the legacy stream, so after the busy kernel (S3). It returns at once for
 * device memory and waits for pinned host memory (H6); what it does with managed memory is told. The
 * Async form, in a stream of its own, never waits. Then the host waits for many short ones of pinned memory.
 *
 * EXPECT ops memset: 30
 * EXPECT edges: H6 >= 25
 * EXPECT edges: S3 >= 3
 * EXPECT ordered: busy#1 -> memset#1
 * EXPECT ordered: busy#2 -> memset#2
 * EXPECT ordered: busy#3 -> memset#3
 * EXPECT unordered: busy#4 | memset#4
 * EXPECT unordered: busy#5 | memset#5
 * EXPECT unordered: busy#6 | memset#6
 * EXPECT none: lost-records
 */
#include <string>

#include "kernels/ordering/witness.h"

int main(void)
{
	static const char *const names[] = {"device", "pinned", "managed"};
	const size_t size = 64 << 10;
	void *memory[3];
	cudaStream_t blocking, other;

	witness_start("memset_kinds");
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&memory[0], size));
	CHECK(cudaMallocHost(&memory[1], size));
	CHECK(cudaMallocManaged(&memory[2], size));
	for (int i = 0; i < 3; i++) {
		int verdict = beside(names[i], blocking, 5000,
				     [&] { return cudaMemset(memory[i], 1, size); });
		if (i == 1) {
			must(names[i], verdict);
		} else {
			saw(names[i], verdict);
		}
	}
	for (int i = 0; i < 3; i++) {
		std::string name = std::string("async_") + names[i];
		saw(name.c_str(), beside(name.c_str(), blocking, 5000, [&] {
			    return cudaMemsetAsync(memory[i], 2, size, other);
		    }));
	}
	bool all_wait = true;
	for (int i = 1; i <= 24; i++) {
		busy<<<1, 1>>>(new_span(), 30);
		CHECK(cudaMemset(memory[1], i, 64));
		all_wait &= *(volatile char *)memory[1] == i;
	}
	must("pinned_each_time", all_wait);
	CHECK(cudaFree(memory[0]));
	CHECK(cudaFreeHost(memory[1]));
	CHECK(cudaFree(memory[2]));
	return witness_end();
}
