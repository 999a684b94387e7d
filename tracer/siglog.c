/*
 * siglog.c - one line on stderr without stdio.
 *
 * Role      : the only place of the tracer that writes to the program's stderr.
 * Method    : a stack buffer and one write(2); the signals that a write can raise are blocked around
 *             it, and one of ours is taken back before they are let in again.
 * Invariant : errno and the signal mask are as before; nothing is ever written to stdout.
 * Not here  : notes in the trace (notes.h).
 */
#include "tracer/siglog.h"
#include "tracer/old_glibc.h"
#include "tracer/linebuf.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* What stderr was when the library came, if that is known. */
static struct {
	dev_t dev;
	ino_t ino;
	bool is_known;
} screen;

void gst_siglog_remember(void)
{
	struct stat about;

	if (!gst_old_fstat(STDERR_FILENO, &about)) {
		screen.dev = about.st_dev;
		screen.ino = about.st_ino;
		screen.is_known = true;
	} else {
		/* Closed: whatever it will be is not for us. */
		screen.is_known = errno == EBADF;
	}
}

/* The program may have closed it and given the number to a file of its own since. */
static bool is_still_stderr(void)
{
	struct stat about;

	if (!screen.is_known) {
		return true;
	}
	if (gst_old_fstat(STDERR_FILENO, &about)) {
		return errno != EBADF; /* in a sandbox that may not ask */
	}
	return about.st_dev == screen.dev && about.st_ino == screen.ino;
}

/* A closed pipe, or a file at its limit, must not end the program because of a line of ours. */
static void write_quietly(const char *text, size_t length)
{
	static const struct timespec no_time;
	sigset_t ours, pending, before;
	ssize_t done;
	int signal_raised = 0;

	if (!is_still_stderr()) {
		return;
	}
	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGXFSZ);
	sigemptyset(&pending);
	sigpending(&pending);
	if (pthread_sigmask(SIG_BLOCK, &ours, &before)) {
		return;
	}
	do {
		done = write(STDERR_FILENO, text, length);
	} while (done < 0 && errno == EINTR);
	if (done < 0) {
		signal_raised = errno == EPIPE ? SIGPIPE : errno == EFBIG ? SIGXFSZ : 0;
	}
	/* Take back what we raised, unless it was waiting already. */
	if (signal_raised && sigismember(&pending, signal_raised) != 1) {
		sigemptyset(&ours);
		sigaddset(&ours, signal_raised);
		while (sigtimedwait(&ours, NULL, &no_time) < 0 && errno == EINTR) {
			/* again */
		}
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void gst_siglog(const char *text, ...)
{
	int saved_errno = errno;
	struct gst_linebuf line;
	char buffer[1024];
	const char *part;
	va_list args;

	/* Room for the newline is kept back. */
	gst_linebuf_init(&line, buffer, sizeof(buffer) - 1);
	gst_linebuf_add(&line, "gstrace: ");
	va_start(args, text);
	for (part = text; part; part = va_arg(args, const char *)) {
		gst_linebuf_add(&line, part);
	}
	va_end(args);
	for (size_t i = 0; i < line.used; i++) {
		unsigned char c = (unsigned char)buffer[i];

		if (c < 0x20 || c == 0x7f) {
			buffer[i] = '?';
		}
	}
	buffer[line.used] = '\n';
	write_quietly(buffer, line.used + 1);
	errno = saved_errno;
}
