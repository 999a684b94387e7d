/*
 * sync_memops - SYNC_MEMOPS on a pointer makes copies and memsets of it wait.
 *
 * Beside a busy blocking stream a synchronous device-to-device copy and a memset of device memory return
 * at once; once the pointer's attribute is set they return when they are done (M7): once behind a long kernel, and
 * many times behind short ones.
 *
 * EXPECT ops memcpy: 14
 * EXPECT ops memset: 14
 * EXPECT edges: S3 >= 28
 * EXPECT edges: M7 >= 26
 * EXPECT ordered: busy#1 -> memcpy#1
 * EXPECT ordered: busy#3 -> memcpy#2
 * EXPECT none: lost-records
 */
#include <string>

#include "kernels/ordering/witness_driver.h"

int main(void)
{
	const size_t size = 64 << 10;
	cudaStream_t blocking;
	char *plain, *marked;
	unsigned on = 1;

	(void)driver_open();
	witness_start("sync_memops");
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaMalloc(&plain, 2 * size));
	CHECK(cudaMalloc(&marked, 2 * size));
	CHECK_DRIVER(DRIVER_CALL(cuPointerSetAttribute)(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
							(CUdeviceptr)marked));
	for (char *p : {plain, marked}) {
		std::string name = p == plain ? "plain_" : "marked_";
		int copy = beside((name + "d2d_copy").c_str(), blocking, 5000, [&] {
			return cudaMemcpy(p, p + size, size, cudaMemcpyDeviceToDevice);
		});
		int set = beside((name + "memset").c_str(), blocking, 5000,
				 [&] { return cudaMemset(p, 1, size); });
		if (p == plain) {
			saw("plain_d2d_copy", copy);
			saw("plain_memset", set);
		} else {
			must("marked_d2d_copy", copy);
			must("marked_memset", set);
		}
	}
	bool all_wait = true;
	for (int i = 0; i < 12; i++) {
		struct span *a = new_span(), *b = new_span();
		busy<<<1, 1, 0, blocking>>>(a, 50);
		CHECK(cudaMemcpy(marked, marked + size, size, cudaMemcpyDeviceToDevice));
		all_wait &= a->end != 0;
		busy<<<1, 1, 0, blocking>>>(b, 50);
		CHECK(cudaMemset(marked, 1, size));
		all_wait &= b->end != 0;
	}
	must("marked_each_time", all_wait);
	CHECK(cudaFree(plain));
	CHECK(cudaFree(marked));
	return witness_end();
}
