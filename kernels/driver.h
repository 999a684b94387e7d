/*
 * driver.h - the driver API without linking to it, and a kernel as PTX text.
 *
 * Role      : for workloads that use no CUDA runtime at all.
 * Method    : libcuda.so.1 is opened at run time, so the program also starts where there is none
 *             (and then exits with 77). The driver compiles the PTX when it is loaded.
 * Not here  : anything for programs that use the runtime (common.h).
 */
#ifndef GSTRACE_KERNELS_DRIVER_H
#define GSTRACE_KERNELS_DRIVER_H

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <cuda.h>
#include <dlfcn.h>

#define EXIT_SKIPPED 77

/* X(name here, symbol, parameters): what the workloads call, at a version that every driver has. */
#define DRIVER_FUNCTIONS(X)                                                                  \
	X(init, cuInit, (unsigned))                                                          \
	X(device_count, cuDeviceGetCount, (int *))                                           \
	X(device_get, cuDeviceGet, (CUdevice *, int))                                        \
	X(ctx_create, cuCtxCreate_v2, (CUcontext *, unsigned, CUdevice))                     \
	X(ctx_destroy, cuCtxDestroy_v2, (CUcontext))                                         \
	X(ctx_set, cuCtxSetCurrent, (CUcontext))                                             \
	X(ctx_sync, cuCtxSynchronize, (void))                                                \
	X(module_load, cuModuleLoadData, (CUmodule *, const void *))                         \
	X(module_unload, cuModuleUnload, (CUmodule))                                         \
	X(function_get, cuModuleGetFunction, (CUfunction *, CUmodule, const char *))         \
	X(stream_create, cuStreamCreate, (CUstream *, unsigned))                             \
	X(stream_destroy, cuStreamDestroy_v2, (CUstream))                                    \
	X(stream_sync, cuStreamSynchronize, (CUstream))                                      \
	X(stream_wait, cuStreamWaitEvent, (CUstream, CUevent, unsigned))                     \
	X(event_create, cuEventCreate, (CUevent *, unsigned))                                \
	X(event_destroy, cuEventDestroy_v2, (CUevent))                                       \
	X(event_record, cuEventRecord, (CUevent, CUstream))                                  \
	X(alloc, cuMemAlloc_v2, (CUdeviceptr *, size_t))                                     \
	X(release, cuMemFree_v2, (CUdeviceptr))                                              \
	X(host_alloc, cuMemAllocHost_v2, (void **, size_t))                                  \
	X(host_free, cuMemFreeHost, (void *))                                                \
	X(to_host_async, cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))      \
	X(set_async, cuMemsetD32Async, (CUdeviceptr, unsigned, size_t, CUstream))            \
	X(launch, cuLaunchKernel,                                                            \
	  (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
	   CUstream, void **, void **))

struct driver {
#define DRIVER_MEMBER(name, symbol, params) CUresult(*name) params;
	DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

/** Leave with status 1 and the place if the driver call @call fails. */
#define CHECK_DRIVER(call)                                                                  \
	do {                                                                                \
		CUresult check_res = (call);                                                \
		if (check_res != CUDA_SUCCESS) {                                            \
			fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, \
				(int)check_res);                                            \
			exit(1);                                                            \
		}                                                                           \
	} while (0)

/* Two kernels, alike but for their names: spin for `ns` nanoseconds, then increase *counter. */
#define DRIVER_PTX_KERNEL(name)                                           \
	".visible .entry " name "(.param .u64 counter, .param .u64 ns)\n" \
	"{\n"                                                             \
	"  .reg .b64 %begin, %now, %ns, %at;\n"                           \
	"  .reg .b32 %value;\n"                                           \
	"  .reg .pred %again;\n"                                          \
	"  ld.param.u64 %at, [counter];\n"                                \
	"  ld.param.u64 %ns, [ns];\n"                                     \
	"  cvta.to.global.u64 %at, %at;\n"                                \
	"  mov.u64 %begin, %globaltimer;\n"                               \
	"spin:\n"                                                         \
	"  mov.u64 %now, %globaltimer;\n"                                 \
	"  sub.u64 %now, %now, %begin;\n"                                 \
	"  setp.lt.u64 %again, %now, %ns;\n"                              \
	"  @%again bra spin;\n"                                           \
	"  ld.global.u32 %value, [%at];\n"                                \
	"  add.u32 %value, %value, 1;\n"                                  \
	"  st.global.u32 [%at], %value;\n"                                \
	"  ret;\n"                                                        \
	"}\n"

static const char driver_ptx[] =
	".version 7.0\n"
	".target sm_80\n"
	".address_size 64\n" DRIVER_PTX_KERNEL("spin_one") DRIVER_PTX_KERNEL("spin_two");

/** The driver, initialized; leaves with status 77, naming the reason, where it cannot be used. */
static inline struct driver driver_open(void)
{
	struct driver d;
	int count = 0;
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	if (lib == NULL) {
		fprintf(stderr, "skipped: no usable GPU: %s\n", dlerror());
		exit(EXIT_SKIPPED);
	}
#define DRIVER_LOOK_UP(name, symbol, params)                                 \
	d.name = (CUresult(*) params)dlsym(lib, #symbol);                    \
	if (d.name == NULL) {                                                \
		fprintf(stderr, "%s is missing in libcuda.so.1\n", #symbol); \
		exit(1);                                                     \
	}
	DRIVER_FUNCTIONS(DRIVER_LOOK_UP)
#undef DRIVER_LOOK_UP
	if (d.init(0) != CUDA_SUCCESS || d.device_count(&count) != CUDA_SUCCESS || count == 0) {
		fprintf(stderr, "skipped: no usable GPU: no device found\n");
		exit(EXIT_SKIPPED);
	}
	return d;
}

/** Launch @f (one thread) for @us microseconds in @s. */
static inline void driver_spin(const struct driver *d, CUfunction f, CUdeviceptr counter,
			       unsigned long long us, CUstream s)
{
	unsigned long long ns = us * 1000;
	void *args[] = {&counter, &ns};
	CHECK_DRIVER(d->launch(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
}

static inline double driver_wall_us(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec * 1e-3;
}

#endif
