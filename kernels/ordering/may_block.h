/*
 * may_block.h - the calls that may wait for the device, each with what it needs beforehand.
 *
 * Role      : one list for may_block_same and may_block_other.
 * Method    : prepare() allocates, loads or maps, with the device idle; call() is what is measured. Each is
 *             made once with the device idle: the kernel beside it must last much longer than that.
 * Not here  : the first launch of a kernel (lazy_first_launch.cu).
 */
#ifndef GSTRACE_KERNELS_ORDERING_MAY_BLOCK_H
#define GSTRACE_KERNELS_ORDERING_MAY_BLOCK_H

#include "kernels/ordering/witness_driver.h"

static struct {
	void *memory; /* what prepare() made */
	cudaStream_t stream;
	cudaEvent_t event;
	CUmodule module;
	CUdeviceptr mapped;
	CUmemGenericAllocationHandle handle;
	cudaMemPool_t pool;
	size_t mapped_size;
} subject;

struct may_block_call {
	const char *name;
	void (*prepare)(void);
	cudaError_t (*call)(void);
};

static inline cudaError_t as_runtime(CUresult result)
{
	return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

static void map_memory(void)
{
	CUmemAllocationProp prop = {};
	CUmemAccessDesc access = {};
	size_t size = 2 << 20;

	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	CHECK_DRIVER(DRIVER_CALL(cuMemGetAllocationGranularity)(&size, &prop,
								CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	subject.mapped_size = size;
	CHECK_DRIVER(DRIVER_CALL(cuMemAddressReserve)(&subject.mapped, size, 0, 0, 0));
	CHECK_DRIVER(DRIVER_CALL(cuMemCreate)(&subject.handle, size, &prop, 0));
	CHECK_DRIVER(DRIVER_CALL(cuMemMap)(subject.mapped, size, 0, subject.handle, 0));
	access.location = prop.location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	CHECK_DRIVER(DRIVER_CALL(cuMemSetAccess)(subject.mapped, size, &access, 1));
}

static void fill_pool(void)
{
	unsigned long long all = ~0ull;

	CHECK(cudaDeviceGetDefaultMemPool(&subject.pool, 0));
	CHECK(cudaMemPoolSetAttribute(subject.pool, cudaMemPoolAttrReleaseThreshold, &all));
	CHECK(cudaMallocAsync(&subject.memory, 8 << 20, subject.stream));
	CHECK(cudaFreeAsync(subject.memory, subject.stream));
}

static void allocate_in_order(void)
{
	CHECK(cudaMallocAsync(&subject.memory, 1 << 20, subject.stream));
}

static void nothing_to_prepare(void)
{
}

static const struct may_block_call may_block_calls[] = {
	{"free_device", [] { CHECK(cudaMalloc(&subject.memory, 1 << 20)); },
	 [] { return cudaFree(subject.memory); }},
	{"free_managed", [] { CHECK(cudaMallocManaged(&subject.memory, 1 << 20)); },
	 [] { return cudaFree(subject.memory); }},
	{"free_host", [] { CHECK(cudaMallocHost(&subject.memory, 1 << 20)); },
	 [] { return cudaFreeHost(subject.memory); }},
	{"host_unregister",
	 [] {
		 subject.memory = aligned_alloc(4096, 1 << 20);
		 CHECK(cudaHostRegister(subject.memory, 1 << 20, cudaHostRegisterDefault));
	 },
	 [] { return cudaHostUnregister(subject.memory); }},
	{"unmap", map_memory,
	 [] { return as_runtime(DRIVER_CALL(cuMemUnmap)(subject.mapped, subject.mapped_size)); }},
	{"pool_trim", fill_pool, [] { return cudaMemPoolTrimTo(subject.pool, 0); }},
	{"module_load", nothing_to_prepare,
	 [] { return as_runtime(DRIVER_CALL(cuModuleLoadData)(&subject.module, driver_ptx)); }},
	{"module_unload",
	 [] { CHECK_DRIVER(DRIVER_CALL(cuModuleLoadData)(&subject.module, driver_ptx)); },
	 [] { return as_runtime(DRIVER_CALL(cuModuleUnload)(subject.module)); }},
	{"limit_stack", nothing_to_prepare,
	 [] {
		 static size_t size = 2048;
		 return cudaDeviceSetLimit(cudaLimitStackSize, size += 1024);
	 }},
	{"limit_printf", nothing_to_prepare,
	 [] {
		 static size_t size = 2 << 20;
		 return cudaDeviceSetLimit(cudaLimitPrintfFifoSize, size += 1 << 20);
	 }},
	{"free_pool_pointer", allocate_in_order, [] { return cudaFree(subject.memory); }},
	{"free_async", allocate_in_order,
	 [] { return cudaFreeAsync(subject.memory, subject.stream); }},
	{"malloc_device", nothing_to_prepare, [] { return cudaMalloc(&subject.memory, 1 << 20); }},
	{"malloc_managed", nothing_to_prepare,
	 [] { return cudaMallocManaged(&subject.memory, 1 << 20); }},
	{"malloc_host", nothing_to_prepare,
	 [] { return cudaMallocHost(&subject.memory, 1 << 20); }},
	{"host_register", [] { subject.memory = aligned_alloc(4096, 1 << 20); },
	 [] { return cudaHostRegister(subject.memory, 1 << 20, cudaHostRegisterDefault); }},
	{"stream_create_destroy", nothing_to_prepare,
	 [] {
		 cudaStream_t s;
		 cudaError_t err = cudaStreamCreate(&s);
		 return err ? err : cudaStreamDestroy(s);
	 }},
	{"event_create_destroy", nothing_to_prepare,
	 [] {
		 cudaEvent_t e;
		 cudaError_t err = cudaEventCreate(&e);
		 return err ? err : cudaEventDestroy(e);
	 }},
	{"cache_config", nothing_to_prepare,
	 [] { return cudaDeviceSetCacheConfig(cudaFuncCachePreferShared); }},
};

/** How long a kernel must take beside call @c: one call without it, also the first of its kind, is made. */
static inline unsigned may_block_busy_us(const struct may_block_call &c)
{
	c.prepare();
	settle();
	double us = wall_us();
	CHECK(c.call());
	us = wall_us() - us;
	CHECK(cudaDeviceSynchronize());
	return us * 4 > 5000 ? (unsigned)(us * 4) : 5000;
}

#endif
