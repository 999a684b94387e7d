/*
 * chunk.c - walk committed records, share pages between short-lived owners.
 *
 * Role      : device records and definitions are written by whichever thread CUPTI picks.
 * Method    : a few parking places for each sort of page; exchange takes a page out, so it has one
 *             owner, and whoever finds none parked takes a new one from the pool.
 * Invariant : a page is owned by one thread or parked or closed, never two of them.
 * Not here  : threads' own pages (thread_slot.c).
 */
#include "tracer/chunk.h"

#include <time.h>

#define PAUSE_NS 500000u

uint32_t gst_chunk_committed(const struct gst_page *page, uint32_t from, uint32_t *count)
{
	uint32_t at = from;
	uint32_t records = 0;

	while (page->room - at >= sizeof(struct gst_rec_head)) {
		const uint64_t *first = (const uint64_t *)(const void *)(page->body + at);
		uint64_t word = __atomic_load_n(first, __ATOMIC_ACQUIRE);
		uint32_t bytes = (uint32_t)((word >> 16) & 0xffff) * 8;

		/* The program may have scribbled over it: never past the page. */
		if (!bytes || bytes > page->room - at) {
			break;
		}
		at += bytes;
		records++;
	}
	*count = records;
	return at - from;
}

void gst_lane_init(struct gst_lane *lane, struct gst_pool *pool, struct gst_loss *loss,
		   uint32_t flags)
{
	lane->pool = pool;
	lane->loss = loss;
	lane->flags = flags;
	for (uint32_t i = 0; i < GST_LANE_PARKED; i++) {
		atomic_init(&lane->parked[i], GST_PAGE_NONE);
	}
}

struct gst_page *gst_lane_take(struct gst_lane *lane)
{
	for (uint32_t i = 0; i < GST_LANE_PARKED; i++) {
		uint32_t index = atomic_exchange_explicit(&lane->parked[i], GST_PAGE_NONE,
							  memory_order_acquire);

		if (index != GST_PAGE_NONE) {
			return &lane->pool->pages[index];
		}
	}
	return gst_pool_take(lane->pool, GST_PAGE_LARGE, lane->flags, 0, gst_lane_segment(lane));
}

void gst_lane_give(struct gst_lane *lane, struct gst_page *page)
{
	if (!page) {
		return;
	}
	for (uint32_t i = 0; i < GST_LANE_PARKED; i++) {
		uint32_t none = GST_PAGE_NONE;

		if (atomic_compare_exchange_strong_explicit(
			    &lane->parked[i], &none, gst_page_index(lane->pool, page),
			    memory_order_release, memory_order_relaxed)) {
			return;
		}
	}
	gst_page_close(page);
}

static bool try_put(struct gst_lane *lane, struct gst_page **page, const void *rec, uint32_t bytes,
		    uint32_t segment)
{
	if (*page && (*page)->segment == segment && gst_chunk_put(*page, rec, bytes)) {
		return true;
	}
	if (*page) {
		gst_page_close(*page);
	}
	*page = gst_pool_take(lane->pool, GST_PAGE_LARGE, lane->flags, 0, segment);
	return *page && gst_chunk_put(*page, rec, bytes);
}

bool gst_lane_put_patiently(struct gst_lane *lane, struct gst_page **page, const void *rec,
			    uint32_t bytes, uint32_t segment, uint64_t *patience_ns)
{
	const struct timespec pause = {0, PAUSE_NS};
	struct gst_rec_head head;

	while (!try_put(lane, page, rec, bytes, segment)) {
		if (*patience_ns < PAUSE_NS) {
			memcpy(&head, rec, sizeof(head));
			gst_loss_add(lane->loss, head.kind, GST_LOSS_NO_CHUNK, 1);
			return false;
		}
		/* Taking a page in vain has woken the writer. */
		*patience_ns -= PAUSE_NS;
		nanosleep(&pause, NULL);
	}
	return true;
}

bool gst_lane_put(struct gst_lane *lane, struct gst_page **page, const void *rec, uint32_t bytes)
{
	uint64_t no_patience = 0;

	return gst_lane_put_patiently(lane, page, rec, bytes, gst_lane_segment(lane), &no_patience);
}

bool gst_lane_put_one(struct gst_lane *lane, const void *rec, uint32_t bytes)
{
	struct gst_page *page = gst_lane_take(lane);
	bool is_in = gst_lane_put(lane, &page, rec, bytes);

	gst_lane_give(lane, page);
	return is_in;
}

void gst_lane_release(struct gst_lane *lane)
{
	for (uint32_t i = 0; i < GST_LANE_PARKED; i++) {
		uint32_t index = atomic_exchange(&lane->parked[i], GST_PAGE_NONE);

		if (index != GST_PAGE_NONE) {
			gst_page_close(&lane->pool->pages[index]);
		}
	}
}
