/*
 * session.h - the folder in which the libraries of one recording tell what they opened, or why they did not start.
 *
 * Each traced process appends to <pid>.trace a line with the absolute path of each trace it opened, or to <pid>.why a
 * line with the reason why it records nothing; in it \n is a newline and \\ a backslash. A gstrace record inside
 * another one passes on what it was told, or leaves <pid>.inner if that is nothing. What stands there is the traced
 * program's, so it is not trusted.
 */
#ifndef GSTRACE_ANALYZER_CLI_SESSION_H
#define GSTRACE_ANALYZER_CLI_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct gst_session_entry {
	long pid;   /* as the process saw itself: in a pid namespace, not ours */
	char *text; /* .trace: absolute path; .why: reason */
};

struct gst_session {
	char dir[PATH_MAX]; /* "" = none */
	struct gst_session_entry *traces;
	size_t trace_count;
	struct gst_session_entry *reasons;
	size_t reason_count;
	long inner; /* pid of a gstrace record inside that got no trace; 0 = none */
};

/** Make the folder (0700) in TMPDIR or /tmp. False with errno. */
bool gst_session_init(struct gst_session *s);

/** Has any process said anything yet? Cheap. */
bool gst_session_has_news(const struct gst_session *s);

/** Read what was said, sorted by pid, each path once. False with errno if the folder cannot be read. */
bool gst_session_read(struct gst_session *s);

/**
 * Tell the recording around us, whose folder is @outer, what was read here. Errors are ignored: its report alone
 * suffers.
 */
void gst_session_pass_on(const struct gst_session *s, const char *outer);

/** Remove the folder and free what was read. */
void gst_session_release(struct gst_session *s);

#endif
