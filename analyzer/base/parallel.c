/*
 * parallel.c - a counter of tasks and the threads that take from it.
 *
 * Role      : the one place of the analysis that starts threads.
 * Method    : threads live for one call, or from begin to end: a stage calls once or twice, so a pool would save
 *             nothing.
 * Invariant : then no thread is left, and all that tasks wrote is seen by the caller (join).
 * Not here  : what may run at the same time (the stages know).
 */
#include "analyzer/base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static _Atomic uint32_t thread_limit = 1;
static _Atomic uint32_t besides; /* threads that go on beside their callers */

struct work {
	gst_task_fn task;
	void *payload;
	uint32_t count;
	_Atomic uint32_t next;
};

void gst_parallel_set_threads(uint32_t threads)
{
	if (!threads) {
		long processors = sysconf(_SC_NPROCESSORS_ONLN);

		threads = processors > 0 && processors < (long)GST_THREADS_MAX
				  ? (uint32_t)processors
				  : GST_THREADS_MAX;
	}
	atomic_store(&thread_limit, threads < GST_THREADS_MAX ? threads : GST_THREADS_MAX);
}

uint32_t gst_parallel_threads(void)
{
	return atomic_load(&thread_limit);
}

static void *work(void *payload)
{
	struct work *w = payload;
	uint32_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < w->count)
		w->task(i, w->payload);
	return NULL;
}

/* Start up to @count threads; returns how many there are. */
static uint32_t start(pthread_t *threads, uint32_t count, void *(*begin)(void *), void *payload)
{
	uint32_t started = 0;
	sigset_t all, old;

	/* Signals are the caller's. */
	sigfillset(&all);
	if (!count || pthread_sigmask(SIG_BLOCK, &all, &old))
		return 0;
	while (started < count && !pthread_create(&threads[started], NULL, begin, payload))
		started++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}

void gst_parallel_run(uint32_t count, gst_task_fn task, void *payload)
{
	struct work w = {.task = task, .payload = payload, .count = count};
	uint32_t limit = gst_parallel_threads();
	uint32_t busy = 1 + atomic_load(&besides); /* the caller's, and others */
	pthread_t thread[GST_THREADS_MAX];
	uint32_t more = limit > busy ? limit - busy : 0;
	uint32_t started;

	if (more + 1 > count)
		more = count ? count - 1 : 0;
	started = start(thread, more, work, &w);
	work(&w);
	while (started)
		pthread_join(thread[--started], NULL);
}

static void *work_beside(void *payload)
{
	struct gst_beside *b = payload;

	b->task(b->payload);
	return NULL;
}

void gst_parallel_begin(struct gst_beside *b, void (*task)(void *payload), void *payload)
{
	*b = (struct gst_beside){.task = task, .payload = payload};
	b->has_thread = gst_parallel_threads() > 1 && start(&b->thread, 1, work_beside, b);
	if (b->has_thread) {
		atomic_fetch_add(&besides, 1);
	} else {
		task(payload);
	}
}

void gst_parallel_end(struct gst_beside *b)
{
	if (!b->has_thread)
		return;
	pthread_join(b->thread, NULL);
	b->has_thread = false;
	atomic_fetch_sub(&besides, 1);
}
