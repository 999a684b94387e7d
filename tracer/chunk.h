/*
 * chunk.h - put records into pages, so that each is whole or absent whenever the process dies.
 *
 * A record is filled in behind its first word; storing that word (kind, size, correlation id), with
 * release order, commits it. A reader - the writer thread, or a loader after a crash - takes records up
 * to the first word that is 0. Committed bytes are never changed.
 *
 * A page has one owner at a time. A thread owns its page for long; a lane is a place where pages of
 * one sort are parked between the uses of short-lived owners.
 */
#ifndef GSTRACE_TRACER_CHUNK_H
#define GSTRACE_TRACER_CHUNK_H

#include "tracer/loss.h"
#include "tracer/pool.h"
#include "tracer/window.h"

#include <string.h>

/** Where @bytes (a multiple of 8) would go in @page, or NULL if they do not fit. */
static inline void *gst_chunk_reserve(const struct gst_page *page, uint32_t bytes)
{
	if (bytes > page->room - page->position) {
		return NULL;
	}
	return page->body + page->position;
}

/** Commit the @bytes behind gst_chunk_reserve()'s place: all but the first word are written. */
static inline void gst_chunk_commit(struct gst_page *page, uint32_t kind, uint32_t bytes,
				    uint32_t corr)
{
	uint64_t *first = (uint64_t *)(void *)(page->body + page->position);
	uint64_t word =
		(uint64_t)(uint16_t)kind | (uint64_t)(bytes / 8) << 16 | (uint64_t)corr << 32;

	page->position += bytes;
	__atomic_store_n(first, word, __ATOMIC_RELEASE);
}

/**
 * Have the line of cache for what comes after the next record brought here: the writer's processor had it last, when it
 * cleared the page, and the driver waits for our stores when it rings the device.
 */
static inline void gst_chunk_fetch_next(const struct gst_page *page)
{
	const unsigned char *next = page->body + page->position + 64;

#if defined(__x86_64__)
	/* To be written to; processors that do not know it take it as nothing. */
	__asm__ volatile("prefetchw %0" : : "m"(*next));
#else
	__builtin_prefetch(next, 1);
#endif
}

/** Copy the whole record @rec of @bytes into @page and commit it; false if it does not fit. */
static inline bool gst_chunk_put(struct gst_page *page, const void *rec, uint32_t bytes)
{
	unsigned char *to = gst_chunk_reserve(page, bytes);
	struct gst_rec_head head;

	if (!to) {
		return false;
	}
	memcpy(&head, rec, sizeof(head));
	memcpy(to + sizeof(head), (const unsigned char *)rec + sizeof(head), bytes - sizeof(head));
	gst_chunk_commit(page, head.kind, bytes, head.corr);
	return true;
}

/**
 * The bytes of committed records from @from on in @page, and how many they are.
 *
 * Acquires what the owner committed. Threads: the writer's.
 */
uint32_t gst_chunk_committed(const struct gst_page *page, uint32_t from, uint32_t *count);

#define GST_LANE_PARKED 4u

struct gst_lane {
	struct gst_pool *pool;
	struct gst_loss *loss;
	uint32_t flags;			   /* GST_CHUNK_x of its pages */
	const struct gst_windows *windows; /* say which segment is written to; NULL: always 0 */
	_Atomic uint32_t
		parked[GST_LANE_PARKED]; /* pages nobody owns now, GST_PAGE_NONE = no page */
};

/** Make @lane an empty lane of pages with @flags, of no thread. */
void gst_lane_init(struct gst_lane *lane, struct gst_pool *pool, struct gst_loss *loss,
		   uint32_t flags);

/**
 * Become the owner of a page of @lane; NULL if none is free. Threads: any; no lock.
 *
 * What the calling thread took before in a frame that a signal handler's jump has left is closed, and a loss counted.
 * A function takes one page of each lane at most.
 */
struct gst_page *gst_lane_take(struct gst_lane *lane);

/** Give @page (NULL is fine) back to @lane. */
void gst_lane_give(struct gst_lane *lane, struct gst_page *page);

/** The calling thread ends: pages that it never gave back are closed. */
void gst_lane_thread_ends(void);

/** The segment that definitions go to now. */
static inline uint32_t gst_lane_segment(const struct gst_lane *lane)
{
	return lane->windows ? gst_windows_segment(gst_windows_now(lane->windows)) : 0;
}

/**
 * Put @rec of @bytes into *@page, a page of @lane or NULL; takes another page when it is full or of
 * another segment than that of now.
 *
 * False, and a loss counted, if no page is free.
 */
bool gst_lane_put(struct gst_lane *lane, struct gst_page **page, const void *rec, uint32_t bytes);

/**
 * The same for @segment, but wait for the writer to give pages back, up to *@patience_ns, which is used up.
 *
 * For threads that are not the program's: its own threads pass 0 and never wait.
 */
bool gst_lane_put_patiently(struct gst_lane *lane, struct gst_page **page, const void *rec,
			    uint32_t bytes, uint32_t segment, uint64_t *patience_ns);

/** Take a page, put one record, give the page back. */
bool gst_lane_put_one(struct gst_lane *lane, const void *rec, uint32_t bytes);

/** Close the parked pages, so that the writer recycles them. Threads: at the end. */
void gst_lane_release(struct gst_lane *lane);

#endif
