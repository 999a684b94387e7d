/*
 * siglog.c - one line on stderr without stdio.
 *
 * Role      : the only place of the tracer that writes to the program's stderr.
 * Method    : a stack buffer and one write(2); SIGPIPE cannot be raised by a thread that blocks it,
 *             so it is blocked around the write and a pending one of ours is taken back.
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

/* A closed pipe must not kill the program because of a line of ours. */
static void write_quietly(const char *text, size_t length)
{
	static const struct timespec no_time;
	sigset_t pipe_set, pending, before;
	bool was_pending;
	ssize_t done;

	sigemptyset(&pipe_set);
	sigaddset(&pipe_set, SIGPIPE);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE) == 1;
	if (pthread_sigmask(SIG_BLOCK, &pipe_set, &before)) {
		return;
	}
	do {
		done = write(STDERR_FILENO, text, length);
	} while (done < 0 && errno == EINTR);
	if (done < 0 && errno == EPIPE && !was_pending) {
		while (sigtimedwait(&pipe_set, NULL, &no_time) < 0 && errno == EINTR) {
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
