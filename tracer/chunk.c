/*
 * chunk.c - walk committed records, share pages between short-lived owners.
 *
 * Role      : device records and definitions are written by whichever thread CUPTI picks.
 * Method    : a few parking places for each sort of page; exchange takes a page out, so it has one
 *             owner, and whoever finds none parked takes a new one from the pool.
 *             What a thread has out is noted: a signal handler that leaves by a jump does not come back for it.
 * Invariant : a page is owned by one thread or parked or closed, never two of them.
 * Not here  : threads' own pages (thread_slot.c).
 */
#include "tracer/chunk.h"
#include "tracer/own_thread.h"

#include <errno.h>
#include <time.h>

#define PAUSE_NS  500000u
#define ONE_FRAME 512u /* so far apart no two calls in one function are */
/* Of a page that came late, far below whoever has it: any frame is deeper, so it comes back when the thread ends. */
#define FRAME_UNKNOWN (UINTPTR_MAX - ONE_FRAME)
#define OUT_MAX	      4u /* a delivery has two out, a signal handler in the middle of it one more */

/* A page that this thread has taken and not given back; free entries have no page, and 0 for the rest. */
struct out {
	struct gst_page *page;
	struct gst_lane *lane;
	uintptr_t at; /* frame in which it was taken; 0 = not known yet */
};

static __thread struct out outs[OUT_MAX] __attribute__((tls_model("initial-exec")));

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

/* ---- what is out ---- */

/* Each step leaves an entry that a handler coming next cannot take for one that was left behind. */
static void note_out(struct gst_lane *lane, struct gst_page *page, uintptr_t at)
{
	for (uint32_t i = 0; page && i < OUT_MAX; i++) {
		if (!outs[i].page) {
			outs[i].page = page;
			atomic_signal_fence(memory_order_seq_cst);
			outs[i].lane = lane;
			atomic_signal_fence(memory_order_seq_cst);
			outs[i].at = at;
			return;
		}
	}
}

static void free_out(struct out *out)
{
	out->at = 0;
	atomic_signal_fence(memory_order_seq_cst);
	out->page = NULL;
}

static struct out *find_out(const struct gst_page *page)
{
	for (uint32_t i = 0; page && i < OUT_MAX; i++) {
		if (outs[i].page == page) {
			return &outs[i];
		}
	}
	return NULL;
}

/* Half a record may lie in it, behind those that count: nobody may go on with it. */
static void close_out(struct out *out)
{
	gst_loss_add(out->lane->loss, 0, GST_LOSS_BUSY, 1);
	gst_page_close(out->page);
	free_out(out);
}

/*
 * Pages that were taken in a frame which is gone: seen from @here, as deep or less so, it is, unless this is the
 * handler of a signal on a stack of its own. One frame takes two pages, but of two lanes.
 */
static void reclaim(const struct gst_lane *lane, uintptr_t here)
{
	int saved_errno = errno;

	for (uint32_t i = 0; i < OUT_MAX; i++) {
		uintptr_t gone = outs[i].at + (outs[i].lane == lane ? 0 : ONE_FRAME);

		if (__builtin_expect(outs[i].page && outs[i].at && here >= gone, 0) &&
		    !gst_own_signals_is_on_stack()) {
			close_out(&outs[i]);
		}
	}
	errno = saved_errno;
}

void gst_lane_thread_ends(void)
{
	for (uint32_t i = 0; i < OUT_MAX; i++) {
		if (outs[i].page && outs[i].at) {
			close_out(&outs[i]);
		}
	}
}

/* ---- lanes ---- */

static struct gst_page *take(struct gst_lane *lane)
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

/* Not inline: the frame must be one below the caller's, each time. */
__attribute__((noinline)) struct gst_page *gst_lane_take(struct gst_lane *lane)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct gst_page *page;

	reclaim(lane, here);
	page = take(lane);
	note_out(lane, page, here);
	return page;
}

void gst_lane_give(struct gst_lane *lane, struct gst_page *page)
{
	struct out *out = find_out(page);

	if (!page) {
		return;
	}
	if (out) {
		free_out(out);
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
	uintptr_t at = FRAME_UNKNOWN;
	struct out *out;

	if (*page && (*page)->segment == segment && gst_chunk_put(*page, rec, bytes)) {
		return true;
	}
	out = find_out(*page);
	if (out) {
		at = out->at;
		free_out(out);
	}
	if (*page) {
		gst_page_close(*page);
	}
	*page = gst_pool_take(lane->pool, GST_PAGE_LARGE, lane->flags, 0, segment);
	note_out(lane, *page, at);
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
