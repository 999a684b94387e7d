/*
 * own_thread.c - start a thread of ours, wait for it with a deadline.
 *
 * Role      : the writer's and the flusher's threads; signals that our I/O may raise in the program's.
 * Method    : the mask is inherited, so it is set around pthread_create; waits are futexes, because
 *             pthread_join has no deadline before glibc 2.31's clock forms.
 * Invariant : the caller's signal mask is as before.
 * Not here  : what the threads do.
 */
#include "tracer/own_thread.h"
#include "tracer/old_glibc.h"
#include "tracer/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (256u << 10)

static bool is_pending(void)
{
	sigset_t pending;

	sigemptyset(&pending);
	sigpending(&pending);
	return sigismember(&pending, SIGXFSZ) == 1;
}

void gst_own_signals_hold(struct gst_own_signals *signals)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGXFSZ);
	signals->was_pending = is_pending();
	signals->is_held = !pthread_sigmask(SIG_BLOCK, &ours, &signals->before);
}

void gst_own_signals_release(const struct gst_own_signals *signals)
{
	const struct timespec at_once = {0};
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGXFSZ);
	/* One that waited before is the program's own. */
	if (!signals->was_pending) {
		while (is_pending() && sigtimedwait(&ours, NULL, &at_once) < 0 && errno == EINTR) {
			/* again */
		}
	}
	gst_own_signals_let_in(signals);
}

void gst_own_signals_hold_all(struct gst_own_signals *signals)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	sigset_t most;

	sigfillset(&most);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		/* Blocked, it would end the program whatever handler it has. */
		sigdelset(&most, faults[i]);
	}
	signals->is_held = !pthread_sigmask(SIG_BLOCK, &most, &signals->before);
}

void gst_own_signals_let_in(const struct gst_own_signals *signals)
{
	if (signals->is_held) {
		pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
	}
}

bool gst_own_signals_is_on_stack(void)
{
	stack_t stack;

	return sigaltstack(NULL, &stack) || stack.ss_flags & SS_ONSTACK;
}

/* A program's thread that goes before all others must not hand that on to ours. */
static void go_behind(pthread_attr_t *attr)
{
	const struct sched_param none = {0};
	int policy = sched_getscheduler(0);

	if (policy == SCHED_FIFO || policy == SCHED_RR) {
		(void)pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
		(void)pthread_attr_setschedpolicy(attr, SCHED_OTHER);
		(void)pthread_attr_setschedparam(attr, &none);
	}
}

int gst_own_thread_start(pthread_t *thread, const char *name, void *(*body)(void *arg), void *arg)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int error;

	error = pthread_attr_init(&attr);
	if (error) {
		return error;
	}
	/* A default stack may be huge; too small a one for the program's TLS is refused: then the default. */
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	go_behind(&attr);
	sigfillset(&all);
	error = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (error) {
		pthread_attr_destroy(&attr);
		return error;
	}
	error = pthread_create(thread, &attr, body, arg);
	if (error) {
		error = pthread_create(thread, NULL, body, arg);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (!error) {
		(void)pthread_setname_np(*thread, name);
	}
	return error;
}

bool gst_own_thread_is_alone(uint32_t ours)
{
	struct stat about;
	char exe[1];

	/* A folder has two links and one from each folder in it; a thread that ended is in it no more, but the main one. */
	if (gst_old_stat("/proc/self/task", &about) || about.st_nlink != 2 + 1 + (nlink_t)ours) {
		return false;
	}
	/* ... which has given its memory back by then, and so has no executable. */
	return readlink("/proc/self/exe", exe, sizeof(exe)) < 0 && errno == ENOENT;
}

static void *end_program(void *arg)
{
	sigset_t none;

	(void)arg;
	/* What runs now is the program's: its exit functions. */
	sigemptyset(&none);
	(void)pthread_sigmask(SIG_SETMASK, &none, NULL);
	exit(0);
}

bool gst_own_thread_end_program(void)
{
	pthread_t thread;

	return !pthread_create(&thread, NULL, end_program, NULL);
}

void gst_own_thread_signal(_Atomic uint32_t *flag)
{
	atomic_store(flag, 1);
	syscall(SYS_futex, flag, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

bool gst_own_thread_wait(_Atomic uint32_t *flag, uint64_t deadline_ns)
{
	while (!atomic_load(flag)) {
		uint64_t now = gst_clock_mono_ns();
		struct timespec left;

		if (now >= deadline_ns) {
			return false;
		}
		left.tv_sec = (time_t)((deadline_ns - now) / 1000000000u);
		left.tv_nsec = (long)((deadline_ns - now) % 1000000000u);
		syscall(SYS_futex, flag, FUTEX_WAIT_PRIVATE, 0, &left, NULL, 0);
	}
	return true;
}
