/*
 * flusher.h - the thread that asks CUPTI for its records.
 *
 * A flush may never return: then this thread is lost, the writer notices by since_ns, and calls go on being recorded.
 * Nothing else of ours waits for CUPTI: callbacks ask it for ids of objects, and for late kinds of activity while no
 * flush is under way (activity.h).
 */
#ifndef GSTRACE_TRACER_FLUSHER_H
#define GSTRACE_TRACER_FLUSHER_H

#include "tracer/activity.h"
#include "tracer/callbacks.h"

#include <pthread.h>

struct gst_flusher {
	const struct gst_cupti *cupti;
	struct gst_activity *activity; /* NULL: device records are off; anchors are still taken */
	struct gst_callbacks *callbacks;
	struct gst_lane *defs;
	uint64_t period_ns;
	_Atomic uint64_t since_ns; /* when the flush it is in began; 0 = in none */
	_Atomic uint32_t stop;	   /* futex */
	_Atomic uint32_t is_done;  /* futex */
	bool is_silence_said;
	bool is_failure_said;
	pthread_t thread;
};

/** Start the thread; the fields up to period_ns are set. Returns 0 or an errno. */
int gst_flusher_start(struct gst_flusher *f);

/**
 * Ask for a last, forced flush and wait for its end, at most until @deadline_ns (MONOTONIC).
 *
 * False if it did not return: the thread is left where it is.
 */
bool gst_flusher_stop(struct gst_flusher *f, uint64_t deadline_ns);

#endif
