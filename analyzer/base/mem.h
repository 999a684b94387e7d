/*
 * mem.h - malloc that counts, has a limit and never returns NULL.
 *
 * arena.h, vec.h, strtab.h and map.h take all their memory here, so one limit (--memory-limit)
 * and one hook cover the whole analysis. Counters are atomic: any thread may call.
 */
#ifndef GSTRACE_ANALYZER_BASE_MEM_H
#define GSTRACE_ANALYZER_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/**
 * Called when @wanted_bytes more cannot be had: over the limit (@limit_bytes, 0 = no limit set) or
 * the system refused. Must not return: it exits (cli) or jumps (tests). Returning aborts.
 */
typedef void (*gst_oom_fn)(uint64_t wanted_bytes, uint64_t used_bytes, uint64_t limit_bytes);

/** Zeroed memory of @bytes (at least 1), aligned to 16. Owned by the caller. */
void *gst_mem_alloc(size_t bytes);

/** Grow or shrink; the contents are kept, what is added is not zeroed. @old_bytes as allocated. */
void *gst_mem_realloc(void *p, size_t old_bytes, size_t new_bytes);

/** Give back @p of @bytes; NULL is fine. */
void gst_mem_free(void *p, size_t bytes);

/**
 * Make the pages of @bytes at @p, which are the caller's and may be in use by others at the same time, so that who
 * comes next does not wait for them. A hint: contents stay, and nothing happens where the system cannot.
 */
void gst_mem_populate(void *p, size_t bytes);

/**
 * Give the pages of freed large blocks back to the system. Until then they are kept for blocks to come (pages.h), as
 * long as all together is not more than there has been in use at one time.
 */
void gst_mem_give_back(void);

/** Set the limit for the sum of all that is allocated here; 0 = none. */
void gst_mem_set_limit(uint64_t limit_bytes);

/** Bytes allocated now, and the most there have been at one time. */
uint64_t gst_mem_used(void);
uint64_t gst_mem_peak(void);

/** The one hook. NULL restores the default: a line on stderr and abort(). */
void gst_mem_set_oom_hook(gst_oom_fn fn);

/** Tests: let the @n-th allocation from now on fail (1 = the next); 0 = none. */
void gst_mem_fail_nth(uint64_t n);

/** Report that @bytes more cannot be had. Does not return. */
_Noreturn void gst_mem_oom(uint64_t bytes);

#endif
