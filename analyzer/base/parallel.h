/*
 * parallel.h - independent tasks on several threads, for stages whose result may not depend on how many.
 *
 * One number for the process, as with the limit of mem.h: 1 until somebody (cli) sets it. A task writes what
 * no other task of the same call reads or writes; then any number of threads gives the same result.
 */
#ifndef GSTRACE_ANALYZER_BASE_PARALLEL_H
#define GSTRACE_ANALYZER_BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** More threads than this are never used: no stage has more to do at once. */
#define GST_THREADS_MAX 8u

/** Use up to @threads threads, the caller's included; 0 = as many as processors are at hand. */
void gst_parallel_set_threads(uint32_t threads);

uint32_t gst_parallel_threads(void);

/** Task number @index of a call. */
typedef void (*gst_task_fn)(uint32_t index, void *payload);

/**
 * Run tasks 0 .. @count-1, begun in that order, and return when all are done. With one thread, or where the
 * system gives no more, they run in the caller's.
 *
 * Errors: none; a task keeps its own. Cost: that of the tasks, and some 50 us a thread.
 * Threads: tasks may not call this again; the hook of mem.h may be called in any of the threads.
 */
void gst_parallel_run(uint32_t count, gst_task_fn task, void *payload);

/* One task in a thread of its own, while its caller goes on. */
struct gst_beside {
	void (*task)(void *payload);
	void *payload;
	pthread_t thread;
	bool has_thread;
};

/**
 * Begin @task, which may not call the other functions here. With one thread, or where the system gives no more, it is
 * over at return. While it goes on, gst_parallel_run uses one thread less.
 *
 * Owns: @b is the caller's and stays where it is until gst_parallel_end.
 */
void gst_parallel_begin(struct gst_beside *b, void (*task)(void *payload), void *payload);

/** Wait until the task is over; all that it wrote is seen then. Once more, it does nothing. */
void gst_parallel_end(struct gst_beside *b);

#endif
