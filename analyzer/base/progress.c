/*
 * progress.c - a count under a lock, and somebody who waits for it.
 *
 * Role      : lets two stages go over the same rows one behind the other, in place of one after the other.
 * Method    : leaders tell some thousand items at a time, so that the lock costs nothing.
 * Invariant : what the leader wrote before it told an item is seen by who was told.
 * Not here  : threads (parallel.h).
 */
#include "analyzer/base/progress.h"

void gst_progress_tell(struct gst_progress *p, uint64_t done)
{
	pthread_mutex_lock(&p->lock);
	p->has_begun = true;
	if (!p->is_over && done > p->done) {
		p->done = done;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
}

bool gst_progress_has_begun(struct gst_progress *p)
{
	bool has_begun;

	pthread_mutex_lock(&p->lock);
	has_begun = p->has_begun;
	pthread_mutex_unlock(&p->lock);
	return has_begun;
}

uint64_t gst_progress_wait(struct gst_progress *p, uint64_t past)
{
	uint64_t done;

	pthread_mutex_lock(&p->lock);
	p->is_followed = false;
	pthread_cond_broadcast(&p->changed);
	while (!p->is_over && p->done <= past)
		pthread_cond_wait(&p->changed, &p->lock);
	done = p->is_over ? past : p->done;
	p->is_followed = done > past;
	pthread_mutex_unlock(&p->lock);
	return done;
}

void gst_progress_end(struct gst_progress *p)
{
	pthread_mutex_lock(&p->lock);
	p->is_over = true;
	pthread_cond_broadcast(&p->changed);
	while (p->is_followed)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
}
