/*
 * pool.h - the pages of the staging memory.
 *
 * Staging memory is one mapping, of a file on tmpfs if there is one: a page of strings, many small
 * pages (each thread's first) and large ones. Every page in use begins with the header of an open
 * chunk, so that whoever finds the file after a crash reads it as a trace.
 *
 *            take (any thread)                close (owner)
 *   FREE  ------------------------>  OPEN  ----------------->  CLOSED
 *    ^                                                            |
 *    +------------- recycle (writer): all copied, zeroed ---------+
 *
 * Taking never blocks and makes no system call, except that it wakes the writer when pages get scarce.
 */
#ifndef GSTRACE_TRACER_POOL_H
#define GSTRACE_TRACER_POOL_H

#include "tracer/format/format.h"
#include "tracer/format/setting_values.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GST_PAGE_SMALL_BYTES (4u << 10)
#define GST_PAGE_LARGE_BYTES (64u << 10)
/* A folder as long as a setting may be, and the name in it. */
#define GST_POOL_PATH_MAX 1152u

#define GST_PAGE_NONE UINT32_MAX

#define GST_POOL_BYTES_MIN     GST_STAGING_BYTES_LEAST
#define GST_POOL_BYTES_MAX     GST_STAGING_BYTES_MOST
#define GST_POOL_BYTES_DEFAULT (16u << 20)

enum gst_page_size { GST_PAGE_SMALL, GST_PAGE_LARGE, GST_PAGE_SIZES };
enum gst_page_state { GST_PAGE_FREE, GST_PAGE_OPEN, GST_PAGE_CLOSED };

struct gst_page {
	struct gst_chunk_header *header; /* at the page's start; the body follows */
	unsigned char *body;
	uint32_t room;		/* bytes of the body */
	uint32_t size;		/* enum gst_page_size */
	uint32_t segment;	/* of the trace that its records belong to */
	_Atomic uint32_t state; /* enum gst_page_state */
	_Atomic uint32_t next;	/* free list */
	uint32_t position;	/* the owner's: bytes of the body that hold committed records */
	uint32_t copied;	/* the writer's: bytes of the body that are in the .gst */
	uint32_t reserved[5];	/* each in a line of cache of its own */
};

_Static_assert(sizeof(struct gst_page) == 64, "pages of two threads share no line");

struct gst_pool {
	unsigned char *memory;
	size_t bytes;
	struct gst_page *pages; /* pages[0] is the strings' */
	uint32_t page_count;
	uint32_t process;		       /* pid, for the headers */
	_Atomic uint64_t free[GST_PAGE_SIZES]; /* heads: change count << 32 | index of a page */
	_Atomic uint32_t free_count[GST_PAGE_SIZES];
	uint32_t total[GST_PAGE_SIZES];
	_Atomic uint64_t next_number; /* of a page's use, from 1 */
	_Atomic uint32_t wake;	      /* futex: 1 when the writer is wanted at once */
	char path[GST_POOL_PATH_MAX]; /* of the staging file; "" if there is none */
};

/**
 * Make a pool of @bytes (rounded to what the layout needs) in @pool.
 *
 * @dir     folder on tmpfs for the staging file; NULL, on a disk or unusable: anonymous memory, path "".
 *          The file is new, 0400, fully reserved, and named after @uuid_hi and @uuid_lo. Where @bytes
 *          do not fit, smaller sizes down to GST_POOL_BYTES_MIN are tried.
 * @process pid for the headers.
 *
 * Returns 0, or an errno with nothing left behind. Threads: one, before all others.
 */
int gst_pool_init(struct gst_pool *pool, const char *dir, size_t bytes, uint64_t uuid_hi,
		  uint64_t uuid_lo, uint32_t process);

/** Unmap everything; @unlink_file: remove the staging file too. Nobody may use a page any more. */
void gst_pool_release(struct gst_pool *pool, bool unlink_file);

/** Remove the staging file; the mapping stays usable. */
void gst_pool_unlink(struct gst_pool *pool);

/**
 * Take a free page and make it an open chunk with @flags (GST_CHUNK_x) of thread @thread in @segment.
 *
 * @size is what is wanted; the other size is given if that is all there is. NULL: none is free.
 * Threads: any. No lock, no blocking; errno is kept.
 */
struct gst_page *gst_pool_take(struct gst_pool *pool, enum gst_page_size size, uint32_t flags,
			       uint32_t thread, uint32_t segment);

/** The owner is done with @page: the writer will copy the rest and recycle it. */
static inline void gst_page_close(struct gst_page *page)
{
	atomic_store_explicit(&page->state, GST_PAGE_CLOSED, memory_order_release);
}

/** Zero @page and put it back. Threads: the writer's alone, for a CLOSED page that is all copied. */
void gst_pool_recycle(struct gst_pool *pool, struct gst_page *page);

/** Ask the writer to come at once. Threads: any; errno is kept. */
void gst_pool_wake(struct gst_pool *pool);

/** Wait until woken or @timeout_ns passed; takes the wake-up back. Threads: the writer's. */
void gst_pool_wait(struct gst_pool *pool, uint64_t timeout_ns);

static inline uint32_t gst_page_index(const struct gst_pool *pool, const struct gst_page *page)
{
	return (uint32_t)(page - pool->pages);
}

#endif
