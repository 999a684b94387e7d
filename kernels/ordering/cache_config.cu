/*
 * cache_config - a change of the cache configuration between launches of two streams.
 *
 * Older guides count it among the calls that no two commands of different streams overlap across (H7, the form on
 * the device): told is whether a kernel that was launched after the change overlaps one launched before it, for a
 * change of the function's preference and of the context's.
 *
 * EXPECT ops kernel: >= 5
 * EXPECT edges: S3 == 0
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(behind)

int main(void)
{
	cudaStream_t s1, s2;

	witness_start("cache_config");
	load_kernels(behind);
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	for (const char *name : {"function", "device"}) {
		struct span *a = new_span(), *b = new_span();

		busy<<<1, 1, 0, s1>>>(a, 5000);
		await_begin(a);
		if (!strcmp(name, "function")) {
			CHECK(cudaFuncSetCacheConfig(behind, cudaFuncCachePreferShared));
		} else {
			CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
		}
		behind<<<1, 1, 0, s2>>>(b, 500);
		CHECK(cudaDeviceSynchronize());
		saw(strcmp(name, "function") ? "device_change_is_barrier"
					     : "function_change_is_barrier",
		    is_after(b, a));
	}
	return witness_end();
}
