/*
 * mem.c - counted allocation with one limit and one hook.
 *
 * Role      : under arena, vec, strtab and map.
 * Method    : calloc and realloc; atomic counters; the size is the caller's to remember.
 * Invariant : a call either returns memory or does not return.
 * Not here  : what to tell the user (the hook is cli's).
 */
#include "analyzer/base/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t used_bytes;
static _Atomic uint64_t peak_bytes;
static _Atomic uint64_t limit_bytes;
static _Atomic uint64_t fail_in;
static gst_oom_fn oom_hook;

void gst_mem_oom(uint64_t bytes)
{
	uint64_t used = atomic_load_explicit(&used_bytes, memory_order_relaxed);
	uint64_t limit = atomic_load_explicit(&limit_bytes, memory_order_relaxed);

	if (oom_hook)
		oom_hook(bytes, used, limit);
	else
		fprintf(stderr, "out of memory: %llu bytes in use, %llu more wanted\n",
			(unsigned long long)used, (unsigned long long)bytes);
	abort();
}

/* Count @bytes as used, or do not return. */
static void charge(size_t bytes)
{
	uint64_t limit = atomic_load_explicit(&limit_bytes, memory_order_relaxed);
	uint64_t used, peak, fail;

	fail = atomic_load_explicit(&fail_in, memory_order_relaxed);
	if (fail && atomic_fetch_sub_explicit(&fail_in, 1, memory_order_relaxed) == 1)
		gst_mem_oom(bytes);
	used = atomic_fetch_add_explicit(&used_bytes, bytes, memory_order_relaxed) + bytes;
	if (limit && used > limit) {
		atomic_fetch_sub_explicit(&used_bytes, bytes, memory_order_relaxed);
		gst_mem_oom(bytes);
	}
	peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);
	while (used > peak &&
	       !atomic_compare_exchange_weak_explicit(&peak_bytes, &peak, used,
						      memory_order_relaxed, memory_order_relaxed))
		;
}

static void discharge(size_t bytes)
{
	atomic_fetch_sub_explicit(&used_bytes, bytes, memory_order_relaxed);
}

void *gst_mem_alloc(size_t bytes)
{
	void *p;

	if (!bytes)
		bytes = 1;
	charge(bytes);
	p = calloc(1, bytes);
	if (!p) {
		discharge(bytes);
		gst_mem_oom(bytes);
	}
	return p;
}

void *gst_mem_realloc(void *p, size_t old_bytes, size_t new_bytes)
{
	void *q;

	if (!p)
		return gst_mem_alloc(new_bytes);
	if (!old_bytes)
		old_bytes = 1;
	if (!new_bytes)
		new_bytes = 1;
	if (new_bytes > old_bytes)
		charge(new_bytes - old_bytes);
	q = realloc(p, new_bytes);
	if (!q) {
		if (new_bytes > old_bytes)
			discharge(new_bytes - old_bytes);
		gst_mem_oom(new_bytes);
	}
	if (new_bytes < old_bytes)
		discharge(old_bytes - new_bytes);
	return q;
}

void gst_mem_free(void *p, size_t bytes)
{
	if (!p)
		return;
	discharge(bytes ? bytes : 1);
	free(p);
}

void gst_mem_populate(void *p, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)p + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)p + bytes) / page * page;

	/* Linux 5.14 */
	if (begin < end)
		(void)madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
#else
	(void)p;
	(void)bytes;
#endif
}

void gst_mem_keep_apart(void)
{
#ifdef __GLIBC__
	/* As it begins with; to set it is to keep it. */
	(void)mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

void gst_mem_set_limit(uint64_t limit)
{
	atomic_store(&limit_bytes, limit);
}

uint64_t gst_mem_used(void)
{
	return atomic_load_explicit(&used_bytes, memory_order_relaxed);
}

uint64_t gst_mem_peak(void)
{
	return atomic_load_explicit(&peak_bytes, memory_order_relaxed);
}

void gst_mem_set_oom_hook(gst_oom_fn fn)
{
	oom_hook = fn;
}

void gst_mem_fail_nth(uint64_t n)
{
	atomic_store(&fail_in, n);
}
