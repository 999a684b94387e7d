/*
 * mem.c - counted allocation with one limit and one hook.
 *
 * Role      : under arena, vec, strtab and map.
 * Method    : calloc and realloc, for large blocks pages.h; atomic counters; the size is the caller's to remember.
 * Invariant : a call either returns memory or does not return. When pages are mapped, what is kept and what is in use
 *             are together not more than the peak: to keep pages costs no memory.
 * Not here  : what to tell the user (the hook is cli's).
 */
#include "analyzer/base/mem.h"

#include "analyzer/base/pages.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Smaller ones are malloc's. Under ASan all are, so that a read past the end of one, or after its end, is seen. */
#if defined(__SANITIZE_ADDRESS__)
#define LARGE_BYTES SIZE_MAX
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LARGE_BYTES SIZE_MAX
#endif
#endif
#ifndef LARGE_BYTES
#define LARGE_BYTES ((size_t)128 << 10)
#endif

static bool is_large(size_t bytes)
{
	return bytes >= LARGE_BYTES;
}

/* What may be kept beside what is in use. */
static size_t spare_bytes(void)
{
	uint64_t used = atomic_load_explicit(&used_bytes, memory_order_relaxed);
	uint64_t peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);

	return peak > used ? (size_t)(peak - used) : 0;
}

static void *take(size_t bytes)
{
	return is_large(bytes) ? gst_pages_alloc(bytes, spare_bytes()) : calloc(1, bytes);
}

static void drop(void *p, size_t bytes)
{
	if (is_large(bytes)) {
		gst_pages_free(p, bytes);
	} else {
		free(p);
	}
}

static void *resize(void *p, size_t old_bytes, size_t new_bytes)
{
	void *q;

	if (is_large(old_bytes) && is_large(new_bytes))
		return gst_pages_realloc(p, old_bytes, new_bytes, spare_bytes());
	if (!is_large(old_bytes) && !is_large(new_bytes))
		return realloc(p, new_bytes);
	q = take(new_bytes);
	if (!q)
		return NULL;
	memcpy(q, p, old_bytes < new_bytes ? old_bytes : new_bytes);
	drop(p, old_bytes);
	return q;
}

void *gst_mem_alloc(size_t bytes)
{
	void *p;

	if (!bytes)
		bytes = 1;
	charge(bytes);
	p = take(bytes);
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
	q = resize(p, old_bytes, new_bytes);
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
	drop(p, bytes);
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

void gst_mem_give_back(void)
{
	gst_pages_trim(0);
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
