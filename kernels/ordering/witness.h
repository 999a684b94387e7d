/*
 * witness.h - what every witness of an ordering rule needs.
 *
 * Role      : kernels that note when they ran, comparisons of such notes, the line of claims.
 * Method    : a kernel writes %globaltimer at its begin and end to pinned memory (a span), so what is
 *             claimed rests on the device's own clock and on no tool. A call is timed beside a kernel
 *             that is known to run: it waited if that kernel had ended when the call returned.
 * Invariant : no kernel spins longer than it was told, and alarm(20) ends what hangs all the same.
 *             must() is for what CUDA documents: "no" there makes the exit status 1. saw() only tells.
 * Not here  : contexts and driver calls (witness_driver.h).
 */
#ifndef GSTRACE_KERNELS_ORDERING_WITNESS_H
#define GSTRACE_KERNELS_ORDERING_WITNESS_H

#include <cstdarg>
#include <cstring>

#include <unistd.h>

#include "kernels/common.h"

#define SPANS_MAX 256u

/** When a kernel ran, in nanoseconds of its device's clock; 0: not yet. Pinned memory. */
struct span {
	volatile unsigned long long begin, end;
};

static struct span *spans;
static unsigned spans_used;
static char witness_line[16384];
static bool witness_failed;

static inline __device__ unsigned long long device_ns(void)
{
	unsigned long long now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	return now;
}

/** Note the begin, be busy for @us, note the end. For kernels of one thread. */
static inline __device__ void spin_span(struct span *s, unsigned us)
{
	s->begin = device_ns();
	__threadfence_system();
	spin_us(us);
	s->end = device_ns();
	__threadfence_system();
}

/** A kernel that does that and nothing else, under a name that reads well in a timeline. */
#define SPIN_KERNEL(name)                                    \
	__global__ void name(struct span *span, unsigned us) \
	{                                                    \
		spin_span(span, us);                         \
	}

SPIN_KERNEL(busy)
SPIN_KERNEL(warm_up)

/** The next unused span. */
static inline struct span *new_span(void)
{
	VERIFY(spans_used < SPANS_MAX, "there are spans left");
	return &spans[spans_used++];
}

/** Load kernels now, so that no first launch does it between two that are compared. */
template <class... Kernel> static inline void load_kernels(Kernel... kernel)
{
	struct cudaFuncAttributes attributes;
	for (const void *k : {(const void *)kernel...}) {
		CHECK(cudaFuncGetAttributes(&attributes, k));
	}
}

/**
 * Begin the witness @name on device 0: exit status 77 without one. The warm-up is one launch in a
 * non-blocking stream, so it takes part in no barrier.
 */
static inline void witness_start(const char *name)
{
	cudaStream_t stream;

	alarm(20);
	require_gpu();
	CHECK(cudaHostAlloc(&spans, SPANS_MAX * sizeof(*spans),
			    cudaHostAllocPortable | cudaHostAllocMapped));
	memset(spans, 0, SPANS_MAX * sizeof(*spans));
	snprintf(witness_line, sizeof(witness_line), "witness=%s", name);
	load_kernels(busy, warm_up);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	warm_up<<<1, 1, 0, stream>>>(new_span(), 1);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	settle();
}

/** Add " key=value" to the line; the format is printf's. */
static inline void __attribute__((format(printf, 1, 2))) claim(const char *format, ...)
{
	size_t used = strlen(witness_line);
	va_list args;

	va_start(args, format);
	snprintf(witness_line + used, sizeof(witness_line) - used, " ");
	vsnprintf(witness_line + used + 1, sizeof(witness_line) - used - 1, format, args);
	va_end(args);
}

/** Claim what was seen; @verdict: 1 yes, 0 no, -1 unclear. */
static inline void saw(const char *name, int verdict)
{
	claim("%s=%s", name, verdict > 0 ? "yes" : verdict == 0 ? "no" : "unclear");
}

/** Claim what is documented: anything but yes is a failure of the witness. */
static inline void must(const char *name, int verdict)
{
	saw(name, verdict);
	if (verdict != 1) {
		fprintf(stderr, "documented, but not so: %s\n", name);
		witness_failed = true;
	}
}

/** Print the line; the program's exit status. */
static inline int witness_end(void)
{
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	printf("%s\n", witness_line);
	return witness_failed;
}

/** Did @b begin after @a had ended? Both must have run on one device. */
static inline bool is_after(const struct span *b, const struct span *a)
{
	return a->end != 0 && b->begin >= a->end;
}

/** Did @b begin once @a had begun? A stamp is taken a little after the true begin: hence a microsecond. */
static inline bool is_begun_after(const struct span *b, const struct span *a)
{
	return a->begin != 0 && b->begin + 1000 >= a->begin;
}

static inline bool overlaps(const struct span *a, const struct span *b)
{
	return a->end != 0 && b->end != 0 && a->begin < b->end && b->begin < a->end;
}

/** Wait until the kernel of @s runs: two seconds at most. */
static inline void await_begin(const struct span *s)
{
	double end = wall_us() + 2e6;
	while (s->begin == 0) {
		VERIFY(wall_us() < end, "the kernel began");
	}
}

/** Did a call that took @call_us wait for the kernel of @s, which takes @busy_us? As saw() wants it. */
static inline int waited(const struct span *s, double call_us, unsigned busy_us)
{
	if (s->end == 0) {
		return 0;
	}
	return call_us > busy_us / 2 ? 1 : -1;
}

/**
 * Make @call while a kernel of @busy_us runs in @stream, then wait for the device. The duration of the
 * call is claimed as NAME_us; what is returned is the verdict on whether it waited for the kernel.
 */
template <class Call>
static inline int beside(const char *name, cudaStream_t stream, unsigned busy_us, Call call)
{
	struct span *s = new_span();

	busy<<<1, 1, 0, stream>>>(s, busy_us);
	await_begin(s);
	double us = wall_us();
	CHECK(call());
	us = wall_us() - us;
	int verdict = waited(s, us, busy_us);
	CHECK(cudaDeviceSynchronize());
	claim("%s_us=%.1f", name, us);
	return verdict;
}

/** Add a node for the one-thread spinning kernel @kernel to @graph, after @deps. */
static inline cudaGraphNode_t add_spin(cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
				       void (*kernel)(struct span *, unsigned), struct span *s,
				       unsigned us)
{
	void *args[] = {&s, &us};
	struct cudaKernelNodeParams params = {};
	cudaGraphNode_t node;

	params.func = (void *)kernel;
	params.gridDim = dim3(1);
	params.blockDim = dim3(1);
	params.kernelParams = args;
	CHECK(cudaGraphAddKernelNode(&node, graph, deps, count, &params));
	return node;
}

#endif
