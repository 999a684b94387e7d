/*
 * window.h - when records are wanted: windows of the run, each of them one segment of the trace.
 *
 *   now:   0        1        2        3        4          = segment << 1 | is open
 *        paused  segment 0  paused  segment 1  paused
 *
 * The number only grows, so it also says what was before what (objects.h). Calls look at it when they
 * enter. CUPTI delivers what the device did much later, when another window may be open: a device record
 * belongs to the window whose calls had its correlation id.
 */
#ifndef GSTRACE_TRACER_WINDOW_H
#define GSTRACE_TRACER_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GST_WINDOWS_KEPT \
	1024u /* device records of older ones are no longer told apart: dropped, counted */

struct gst_window {
	_Atomic uint32_t segment; /* + 1; 0 = the place is being filled in */
	_Atomic uint32_t from;	  /* correlation id of the first call; 0 = from the beginning on */
	_Atomic uint32_t to;	  /* of the last call */
	_Atomic uint32_t is_closed;
	_Atomic uint64_t from_mono_ns; /* when it was opened */
	_Atomic uint64_t from_real_ns;
	_Atomic uint64_t to_mono_ns; /* when it was closed */
	_Atomic uint64_t to_real_ns;
};

struct gst_windows {
	_Atomic uint32_t now;
	_Atomic uint32_t opened; /* how many segments were opened so far */
	_Atomic uint32_t
		is_plain; /* the first window is open from the start and was never closed */
	_Atomic uint32_t is_changing; /* one thread opens or closes; others leave it to that one */
	/* Called when the window of @now has opened, in the thread that opened it, before it can close; may be NULL. */
	void (*on_open)(void *arg, uint32_t now);
	void *on_open_arg;
	struct gst_window kept[GST_WINDOWS_KEPT]; /* of segment n at n % GST_WINDOWS_KEPT */
};

/** Begin with the first window open, or @is_paused. @w is zeroed memory. */
void gst_windows_init(struct gst_windows *w, bool is_paused);

static inline uint32_t gst_windows_now(const struct gst_windows *w)
{
	return atomic_load_explicit(&w->now, memory_order_relaxed);
}

static inline bool gst_windows_is_open(uint32_t now)
{
	return now & 1;
}

static inline uint32_t gst_windows_segment(uint32_t now)
{
	return now >> 1;
}

/**
 * Open a window with the call @corr, or close it after that call. False if it was so already.
 *
 * Threads: any; no lock is waited for, no allocation.
 */
bool gst_windows_open(struct gst_windows *w, uint32_t corr);
bool gst_windows_close(struct gst_windows *w, uint32_t corr);

enum gst_windows_place {
	GST_WINDOWS_OUTSIDE,
	GST_WINDOWS_INSIDE,
	GST_WINDOWS_FORGOTTEN, /* older than all that is kept */
};

/**
 * Whether a device record of call @corr (0: none; then @gpu_ns decides) lies in a window, and in which *@segment.
 *
 * Cost: some ns for the newest windows, a search by halves for the others. Threads: any.
 */
enum gst_windows_place gst_windows_find(const struct gst_windows *w, uint32_t corr, uint64_t gpu_ns,
					uint32_t *segment);

/** When the window of @segment was closed (MONOTONIC); 0 if it is open, or not known any more. Threads: any. */
uint64_t gst_windows_closed_ns(const struct gst_windows *w, uint32_t segment);

#endif
