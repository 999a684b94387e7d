/*
 * own_thread.h - threads of ours in somebody else's process.
 *
 * All signals are blocked in them, so none of the program's handlers ever runs on one; they are detached
 * in all but name: nobody must wait for them without a deadline.
 */
#ifndef GSTRACE_TRACER_OWN_THREAD_H
#define GSTRACE_TRACER_OWN_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gst_own_signals {
	sigset_t before; /* the thread's mask */
	bool was_pending;
	bool is_held; /* false: the system refused, and the mask is as it was */
};

/**
 * Before file I/O of ours in one of the program's threads: hold back SIGXFSZ, which a write past a
 * file size limit raises and which would end the program.
 */
void gst_own_signals_hold(struct gst_own_signals *signals);

/** After it: take back what we caused, and restore the mask. */
void gst_own_signals_release(const struct gst_own_signals *signals);

/**
 * Hold back all signals but those that faults of the thread raise: what follows must not be left by a handler's
 * longjmp(). For moments; gst_own_signals_let_in() delivers what came meanwhile.
 */
void gst_own_signals_hold_all(struct gst_own_signals *signals);

/** After gst_own_signals_hold_all(): restore the mask. */
void gst_own_signals_let_in(const struct gst_own_signals *signals);

/** Whether the thread runs on the stack that the program has set aside for signal handlers, or may do so. */
bool gst_own_signals_is_on_stack(void);

/** Start a thread @name (up to 15 bytes) with all signals blocked. Returns 0 or an errno. */
int gst_own_thread_start(pthread_t *thread, const char *name, void *(*body)(void *arg), void *arg);

/**
 * Whether no thread of the program is left: the main one has ended by pthread_exit(), and all others but @ours, the
 * caller among them. False also where /proc does not tell. No descriptor is used. Threads: one of ours.
 */
bool gst_own_thread_is_alone(uint32_t ours);

/**
 * End the program as the C library does when the last thread ends: exit(0), in a thread of its own, which the end of
 * recording can be waited for in. False: no thread could be started.
 */
bool gst_own_thread_end_program(void);

/** Set the futex word @flag to 1 and wake who waits for it. */
void gst_own_thread_signal(_Atomic uint32_t *flag);

/** Wait until @flag is not 0, at most until @deadline_ns (MONOTONIC). True if it is set. */
bool gst_own_thread_wait(_Atomic uint32_t *flag, uint64_t deadline_ns);

#endif
