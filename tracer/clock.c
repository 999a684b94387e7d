/*
 * clock.c - anchors between the clocks.
 *
 * Role      : the writer and the flusher take anchors here; the loader converts by them.
 * Method    : MONOTONIC before and after the others; the narrowest of a few tries, because a thread
 *             that is preempted between two readings makes a wide one.
 * Invariant : mono_ns lies half way between the two readings, width_ns is their distance.
 * Not here  : when anchors are taken (writer.c, flusher.c).
 */
#include "tracer/clock.h"
#include "tracer/format/encode.h"

#define ANCHOR_TRIES	 4
#define ANCHOR_NARROW_NS 2000u

void gst_clock_anchor(struct gst_rec_anchor *anchor, uint64_t (*read_gpu)(void *arg), void *arg)
{
	struct gst_rec_anchor best = {.width_ns = UINT64_MAX};

	for (int i = 0; i < ANCHOR_TRIES && best.width_ns > ANCHOR_NARROW_NS; i++) {
		struct gst_rec_anchor now = {0};
		uint64_t before = gst_clock_mono_ns();
		uint64_t after;

		now.real_ns = gst_clock_real_ns();
		now.raw_ns = gst_clock_ns(CLOCK_MONOTONIC_RAW);
		now.gpu_ns = read_gpu ? read_gpu(arg) : 0;
		after = gst_clock_mono_ns();
		now.width_ns = after - before;
		now.mono_ns = before + now.width_ns / 2;
		if (now.width_ns < best.width_ns) {
			best = now;
		}
	}
	best.head = gst_record_head(GST_KIND_ANCHOR, sizeof(best), 0);
	*anchor = best;
}
