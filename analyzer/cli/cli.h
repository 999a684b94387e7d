/*
 * cli.h - what the commands of gstrace share: exit codes, the registry, messages.
 *
 * Only this folder prints or exits. Results go to stdout, everything else to stderr.
 */
#ifndef GSTRACE_ANALYZER_CLI_CLI_H
#define GSTRACE_ANALYZER_CLI_CLI_H

#include <stdint.h>

#include "analyzer/cli/opt.h"

/* Exit codes of every command but record, whose status is its program's. */
enum gst_exit {
	GST_EXIT_OK = 0,
	GST_EXIT_FOUND = 1,	 /* --fail-on met, contradiction found, a check of doctor failed */
	GST_EXIT_USAGE = 2,	 /* the command line is wrong */
	GST_EXIT_UNREADABLE = 3, /* input cannot be read or output not be written */
	GST_EXIT_LIMIT = 4,	 /* out of memory, or a limit was reached */
	GST_EXIT_INCOMPLETE = 5, /* --strict, and the trace is incomplete */
	GST_EXIT_PIPE = 141,	 /* the reader of our output left: what SIGPIPE would give */
};

/* Exit codes of record for its own doings, as env(1) and timeout(1) have them. */
enum gst_record_exit {
	GST_RECORD_FAILED = 125,	 /* record itself failed, its options included */
	GST_RECORD_NOT_EXECUTABLE = 126, /* the program was found but cannot be run */
	GST_RECORD_NOT_FOUND = 127,
	GST_RECORD_SIGNAL = 128, /* plus the signal that ended the program */
};

extern const struct gst_command gst_cmd_record;
extern const struct gst_command gst_cmd_analyze;
extern const struct gst_command gst_cmd_export;
extern const struct gst_command gst_cmd_dump;
extern const struct gst_command gst_cmd_path;
extern const struct gst_command gst_cmd_critical;
extern const struct gst_command gst_cmd_verify;
extern const struct gst_command gst_cmd_doctor;
extern const struct gst_command gst_cmd_env;

/** All commands in the order of the help text; *count of them. */
const struct gst_command *const *gst_cli_commands(uint32_t *count);

/** "gstrace: message" on stderr, one line. Names of others must have been escaped by the caller. */
void gst_cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** @path as people may read it: escaped, in a buffer that the next but three calls reuses. Not for threads. */
const char *gst_cli_show(const char *path);

/** Make sure that what was printed on stdout arrived; returns @status, or what the failure means. */
int gst_cli_finish(int status);

#endif
