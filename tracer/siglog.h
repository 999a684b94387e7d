/*
 * siglog.h - one line on stderr, from any thread of the traced program.
 *
 * A guest says little: only why nothing is recorded, or that recording ended early. Each call is one
 * write(2) of one line, so that lines of several processes do not mix. errno is kept.
 */
#ifndef GSTRACE_TRACER_SIGLOG_H
#define GSTRACE_TRACER_SIGLOG_H

/**
 * Take what stderr is now for what it shall be: if the program puts another file in its place, nothing is written
 * there. Threads: one, at the start.
 */
void gst_siglog_remember(void);

/**
 * Write "gstrace: " and the texts, up to the first NULL, as one line to stderr.
 *
 * Longer than 1 KiB is cut. Control bytes are shown as '?'. A closed or full stderr is ignored.
 * Threads: any; callable in a signal handler.
 */
void gst_siglog(const char *text, ...) __attribute__((sentinel));

#endif
