/*
 * parallel.c - a counter of tasks and the threads that take from it.
 *
 * Role      : the one place of the analysis that starts threads.
 * Method    : threads live for one call: a stage calls once or twice, so a pool would save nothing.
 * Invariant : at return no thread is left, and all that tasks wrote is seen by the caller (join).
 * Not here  : what may run at the same time (the stages know).
 */
#include "analyzer/base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static _Atomic uint32_t thread_limit = 1;

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

void gst_parallel_run(uint32_t count, gst_task_fn task, void *payload)
{
	struct work w = {.task = task, .payload = payload, .count = count};
	uint32_t threads = gst_parallel_threads();
	pthread_t thread[GST_THREADS_MAX];
	uint32_t started = 0;
	sigset_t all, old;

	if (threads > count)
		threads = count;
	/* Signals are the caller's. */
	sigfillset(&all);
	if (threads > 1 && !pthread_sigmask(SIG_BLOCK, &all, &old)) {
		while (started + 1 < threads && !pthread_create(&thread[started], NULL, work, &w))
			started++;
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	work(&w);
	while (started)
		pthread_join(thread[--started], NULL);
}
