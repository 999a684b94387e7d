/*
 * empty_copy - what a copy or memset of 0 bytes does: nothing at all?
 *
 * Each round: before (2 ms) in one blocking stream, the operation of 0 bytes in the legacy stream, after in another.
 * An operation in the legacy stream would hold after up (S3). Then those that block, beside a busy kernel of a blocking
 * stream: with bytes they would wait for it. CUDA says nothing of it; CUPTI gives no record of any of them.
 *
 * EXPECT ops memcpy: 0
 * EXPECT ops memset: 0
 * EXPECT edges: S3 == 0
 * EXPECT unordered: before#1 | after#1
 * EXPECT unordered: before#2 | after#2
 * EXPECT unordered: before#3 | after#3
 * EXPECT unordered: before#4 | after#4
 * EXPECT unordered: before#5 | after#5
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

SPIN_KERNEL(before)
SPIN_KERNEL(after)

static cudaStream_t one, two;

/* Was it a barrier? */
template <class Action> static int round_of(Action act)
{
	struct span *a = new_span(), *b = new_span();
	before<<<1, 1, 0, one>>>(a, 2000);
	CHECK(act());
	after<<<1, 1, 0, two>>>(b, 100);
	CHECK(cudaDeviceSynchronize());
	return is_after(b, a);
}

static cudaError_t as_runtime(CUresult result)
{
	return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

int main(void)
{
	static char pageable[64];
	const cudaStream_t legacy = cudaStreamLegacy;
	char *device, *pinned;

	witness_start("empty_copy");
	auto to_device = DRIVER_CALL(cuMemcpyHtoDAsync);
	auto to_host = DRIVER_CALL(cuMemcpyDtoHAsync);
	auto copy_2d = DRIVER_CALL(cuMemcpy2DAsync);
	auto fill = DRIVER_CALL(cuMemsetD8Async);
	auto to_device_now = DRIVER_CALL(cuMemcpyHtoD);
	auto to_host_now = DRIVER_CALL(cuMemcpyDtoH);
	auto fill_now = DRIVER_CALL(cuMemsetD8);
	load_kernels(before, after);
	CHECK(cudaStreamCreate(&one));
	CHECK(cudaStreamCreate(&two));
	CHECK(cudaMalloc(&device, 64));
	CHECK(cudaMallocHost(&pinned, 64));
	CHECK(cudaDeviceSynchronize());
	CUDA_MEMCPY2D flat = {};
	flat.srcMemoryType = CU_MEMORYTYPE_HOST;
	flat.srcHost = pinned;
	flat.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	flat.dstDevice = (CUdeviceptr)device;
	flat.WidthInBytes = 64;

	saw("host_to_device", round_of([&] {
		    return as_runtime(to_device((CUdeviceptr)device, pinned, 0, (CUstream)legacy));
	    }));
	saw("pageable_to_device", round_of([&] {
		    return as_runtime(
			    to_device((CUdeviceptr)device, pageable, 0, (CUstream)legacy));
	    }));
	saw("device_to_host", round_of([&] {
		    return as_runtime(to_host(pinned, (CUdeviceptr)device, 0, (CUstream)legacy));
	    }));
	saw("rows", round_of([&] { return as_runtime(copy_2d(&flat, (CUstream)legacy)); }));
	saw("memset", round_of([&] {
		    return as_runtime(fill((CUdeviceptr)device, 1, 0, (CUstream)legacy));
	    }));
	saw("sync_host_to_device_waits", beside("sync_host_to_device", one, 5000, [&] {
		    return as_runtime(to_device_now((CUdeviceptr)device, pageable, 0));
	    }));
	saw("sync_device_to_host_waits", beside("sync_device_to_host", one, 5000, [&] {
		    return as_runtime(to_host_now(pageable, (CUdeviceptr)device, 0));
	    }));
	saw("sync_memset_waits", beside("sync_memset", one, 5000, [&] {
		    return as_runtime(fill_now((CUdeviceptr)device, 1, 0));
	    }));
	saw("runtime_copy_waits", beside("runtime_copy", one, 5000, [&] {
		    return cudaMemcpy(device, pageable, 0, cudaMemcpyHostToDevice);
	    }));
	saw("runtime_memset_waits",
	    beside("runtime_memset", one, 5000, [&] { return cudaMemset(pinned, 1, 0); }));
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaStreamDestroy(one));
	CHECK(cudaStreamDestroy(two));
	return witness_end();
}
