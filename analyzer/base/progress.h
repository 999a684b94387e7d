/*
 * progress.h - how far one thread has come with a row of things, for one that follows it.
 *
 * Items of the row are ready in order; the follower may read those that were told, and the leader changes them no
 * more. Whoever leads must be under way or done when somebody waits: with tasks of gst_parallel_run(), of a lower number.
 */
#ifndef GSTRACE_ANALYZER_BASE_PROGRESS_H
#define GSTRACE_ANALYZER_BASE_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The fields are private. */
struct gst_progress {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t done;
	bool has_begun, is_over;
	bool is_followed; /* somebody is at work on what was told */
};

#define GST_PROGRESS_INIT                                                              \
	{                                                                              \
		.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER \
	}

/** The first @done items are ready, not less than before; 0 says that the leader is under way. Nothing after an end. */
void gst_progress_tell(struct gst_progress *p, uint64_t done);

/** Was anything told yet? */
bool gst_progress_has_begun(struct gst_progress *p);

/**
 * For the follower, which is done with the first @past items: wait for more. Returns how many are ready; @past: no more
 * will be told.
 */
uint64_t gst_progress_wait(struct gst_progress *p, uint64_t past);

/** Tell no more. At return the follower is done with what it was given, and gets nothing else. Any number of times. */
void gst_progress_end(struct gst_progress *p);

#endif
