/*
 * clock.h - the host's clocks.
 *
 * Calls are stamped with MONOTONIC, activity records of CUPTI with REALTIME; ANCHOR records tie them.
 * All results are nanoseconds. Reading one costs about 25 ns (vDSO, no system call); errno is kept.
 */
#ifndef GSTRACE_TRACER_CLOCK_H
#define GSTRACE_TRACER_CLOCK_H

#include "tracer/format/format.h"

#include <stdint.h>
#include <time.h>

static inline uint64_t gst_clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now)) {
		return 0;
	}
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/** CLOCK_MONOTONIC: the clock of calls. */
static inline uint64_t gst_clock_mono_ns(void)
{
	return gst_clock_ns(CLOCK_MONOTONIC);
}

/** CLOCK_REALTIME: the clock of device records. */
static inline uint64_t gst_clock_real_ns(void)
{
	return gst_clock_ns(CLOCK_REALTIME);
}

/**
 * Read the host's clocks together, a few times, and keep the narrowest reading in @anchor.
 *
 * @read_gpu, if not NULL, is called between the others and gives gpu_ns (0 = not read); it may be
 * slow, which widens the anchor. The record's head is filled in too.
 */
void gst_clock_anchor(struct gst_rec_anchor *anchor, uint64_t (*read_gpu)(void *arg), void *arg);

#endif
