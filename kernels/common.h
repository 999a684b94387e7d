/*
 * common.h - the few things that every workload needs.
 *
 * Role      : error checks, "no GPU" exit, kernels of a fixed duration, wall clock, report line.
 * Method    : a kernel's duration is fixed by %globaltimer (nanoseconds, the same on every SM),
 *             so it does not depend on clocks or on what else runs; one block leaves the device
 *             free for others.
 * Invariant : a workload's exit status is 0 = did what it says, 77 = no usable GPU, 1 = failed.
 * Not here  : what a workload shows; that is in its head comment.
 */
#ifndef GSTRACE_KERNELS_COMMON_H
#define GSTRACE_KERNELS_COMMON_H

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <cuda_runtime.h>

#define EXIT_SKIPPED 77

/** Leave with status 1 and the place if the runtime call @call fails. */
#define CHECK(call)                                                                   \
	do {                                                                          \
		cudaError_t check_err = (call);                                       \
		if (check_err != cudaSuccess) {                                       \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
				cudaGetErrorString(check_err));                       \
			exit(1);                                                      \
		}                                                                     \
	} while (0)

/** Leave with status 1 and @what unless the program's own result @cond holds. */
#define VERIFY(cond, what)                                                                      \
	do {                                                                                    \
		if (!(cond)) {                                                                  \
			fprintf(stderr, "%s:%d: wrong result: %s\n", __FILE__, __LINE__, what); \
			exit(1);                                                                \
		}                                                                               \
	} while (0)

/** Leave with status 77, naming the reason, where no CUDA device can be used. */
static inline void require_gpu(void)
{
	int count = 0;
	cudaError_t err = cudaGetDeviceCount(&count);
	if (err != cudaSuccess || count == 0) {
		fprintf(stderr, "skipped: no usable GPU: %s\n",
			err != cudaSuccess ? cudaGetErrorString(err) : "no device found");
		exit(EXIT_SKIPPED);
	}
	CHECK(cudaSetDevice(0));
	CHECK(cudaFree(NULL)); /* makes the context now, outside what is measured */
}

/** Keep this thread of a kernel busy for @us microseconds of device time. */
static inline __device__ void spin_us(unsigned us)
{
	unsigned long long start, now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	} while (now - start < 1000ull * us);
}

/** Microseconds of the host's monotonic clock. */
static inline double wall_us(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec * 1e-3;
}

/** Keep the calling host thread busy for @us microseconds. */
static inline void host_work_us(double us)
{
	double end = wall_us() + us;
	while (wall_us() < end) {
	}
}

/**
 * End the warm-up: wait for the device, then pause for a millisecond, so that what the warm-up
 * did and what is measured are separate in the trace and no wait seems to hold up the next launch.
 */
static inline void settle(void)
{
	struct timespec pause = {0, 1000000};
	CHECK(cudaDeviceSynchronize());
	nanosleep(&pause, NULL);
}

/** The one line that a workload prints: its name and the wall time of the measured region. */
static inline void report(const char *name, double us)
{
	printf("workload=%s wall_us=%.1f\n", name, us);
}

#endif
