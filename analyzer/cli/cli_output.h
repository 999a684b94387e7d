/*
 * cli_output.h - outputs, memory and failures of the commands: each ends in a message and an exit code.
 */
#ifndef GSTRACE_ANALYZER_CLI_CLI_OUTPUT_H
#define GSTRACE_ANALYZER_CLI_CLI_OUTPUT_H

#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/status.h"

/** Let memory end with a message and exit code @status, temporary outputs removed; set the limit (0 = none). */
void gst_cli_set_memory_limit(uint64_t bytes, int status);

/** Print @err and give the exit code that @st means. */
int gst_cli_fail(gst_status st, const struct gst_err *err);

/**
 * Open an output, NULL or "-" is standard output. GST_EXIT_OK or the exit code after a message.
 * From here on a signal that ends the program removes what is not complete.
 */
int gst_cli_open_output(const char *path, struct gst_outfile **out);

/** Commit @out if @st is 0, abort it otherwise; returns @status, or the exit code of the failure after a message. */
int gst_cli_close_output(struct gst_outfile *out, gst_status st, struct gst_err *err, int status);

#endif
