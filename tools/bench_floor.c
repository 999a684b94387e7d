/*
 * bench_floor.c - what CUPTI itself costs: an injected library that asks for the same and keeps nothing.
 *
 * Role      : the yardstick below which no recorder that uses CUPTI can come (tools/bench_overhead.sh).
 * Method    : GSTRACE_FLOOR=kernels: activities of kernels, copies, memsets and graph launches, buffers taken
 *             back unread; =calls: callbacks of every call that gstrace records, two clock readings each;
 *             =driver: those of the driver alone; =launches: of cuLaunchKernel alone; =all: kernels and calls. CUPTI is found as libgstrace.so finds it (GSTRACE_CUPTI).
 * Not here  : gstrace's own part of a call, without CUPTI (bench_tracer.c).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "tracer/cupti_api.h"
#include "tracer/format/api.h"

#define BUFFERS	     32u
#define BUFFER_BYTES (1u << 20)
#define PERIOD_NS    100000000

int InitializeInjection(void);

static struct gst_cupti cupti;
static unsigned char *memory;
static _Atomic uint32_t taken[BUFFERS];
static _Atomic uint64_t seen_ns; /* keeps the clock readings from being left out */

static void on_call(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
	struct timespec now;

	(void)user;
	(void)cbid;
	if (data && (domain == GST_CUPTI_DOMAIN_DRIVER || domain == GST_CUPTI_DOMAIN_RUNTIME)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		atomic_store_explicit(&seen_ns, (uint64_t)now.tv_nsec, memory_order_relaxed);
	}
}

static void on_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*max_records = 0;
	*size = BUFFER_BYTES;
	for (uint32_t i = 0; i < BUFFERS; i++) {
		if (!atomic_exchange(&taken[i], 1)) {
			*buffer = memory + (size_t)i * BUFFER_BYTES;
			return;
		}
	}
	*buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	if (*buffer == MAP_FAILED) {
		*buffer = NULL;
		*size = 0;
	}
}

static void on_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	size_t index = (size_t)((uintptr_t)buffer - (uintptr_t)memory) / BUFFER_BYTES;

	(void)context;
	(void)stream;
	(void)valid;
	if ((uintptr_t)buffer < (uintptr_t)memory || index >= BUFFERS) {
		munmap(buffer, size);
		return;
	}
	memset(buffer, 0, BUFFER_BYTES);
	atomic_store(&taken[index], 0);
}

static void *flush(void *arg)
{
	const struct timespec period = {.tv_nsec = PERIOD_NS};

	for (;;) {
		nanosleep(&period, NULL);
		(void)cupti.cuptiActivityFlushAll(0);
	}
	return arg;
}

static void enable_kernels(void)
{
	static const uint32_t kinds[] = {GST_CUPTI_KIND_CONCURRENT_KERNEL, GST_CUPTI_KIND_MEMCPY,
					 GST_CUPTI_KIND_MEMSET, GST_CUPTI_KIND_GRAPH_TRACE};
	size_t size = 1;
	uint8_t yes = 1, no = 0;
	pthread_t thread;

	memory = mmap(NULL, (size_t)BUFFERS * BUFFER_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		return;
	}
	if (cupti.cuptiActivitySetAttribute) {
		(void)cupti.cuptiActivitySetAttribute(GST_CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER,
						      &size, &yes);
		(void)cupti.cuptiActivitySetAttribute(GST_CUPTI_ATTR_PER_THREAD_ACTIVITY_BUFFER,
						      &size, &no);
	}
	if (cupti.cuptiActivityRegisterCallbacks(on_requested, on_completed)) {
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		(void)cupti.cuptiActivityEnable(kinds[i]);
	}
	if (!pthread_create(&thread, NULL, flush, NULL)) {
		pthread_detach(thread);
	}
}

static void enable_calls(bool has_runtime, bool has_others)
{
	for (size_t i = 0; i < gst_api_count(); i++) {
		const struct gst_api *api = gst_api_at(i);

		if (gst_api_is_recorded(api) &&
		    (has_runtime || api->api >> 16 == GST_CUPTI_DOMAIN_DRIVER) &&
		    (has_others || !strcmp(api->symbol, "cuLaunchKernel"))) {
			(void)cupti.cuptiEnableCallback(1, cupti.subscriber, api->api >> 16,
							api->api & 0xffff);
		}
	}
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	const char *what = getenv("GSTRACE_FLOOR");
	struct gst_cupti_reason reason;

	if (!what || !gst_cupti_open(&cupti, getenv("GSTRACE_CUPTI"), on_call, NULL, &reason)) {
		return 1;
	}
	if (!strcmp(what, "kernels") || !strcmp(what, "all")) {
		enable_kernels();
	}
	if (!strcmp(what, "calls") || !strcmp(what, "all")) {
		enable_calls(true, true);
	} else if (strcmp(what, "kernels") != 0) {
		enable_calls(false, !strcmp(what, "driver"));
	}
	return 1;
}
