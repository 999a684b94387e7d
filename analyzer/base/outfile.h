/*
 * outfile.h - an output that appears whole or not at all.
 *
 * Written under a temporary name in the same folder and renamed by commit; abort removes it.
 * "-" is standard output, and what exists and is not a regular file (a pipe, /dev/null) is
 * written in place: both are outside that promise. Write errors stick and are reported by commit,
 * so a caller may ignore them in between. One thread at a time.
 */
#ifndef GSTRACE_ANALYZER_BASE_OUTFILE_H
#define GSTRACE_ANALYZER_BASE_OUTFILE_H

#include "analyzer/base/err.h"
#include "analyzer/base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct gst_outfile;

/**
 * Begin an output named @path. *@out is the caller's, until commit or abort.
 *
 * Errors: GST_E_IO (folder missing, not writable).
 */
GST_NODISCARD gst_status gst_outfile_open(const char *path, struct gst_outfile **out,
					  struct gst_err *err);

/** An output that is kept in memory, for tests; gst_outfile_memory() gives it. */
struct gst_outfile *gst_outfile_open_memory(void);

/** What was written so far to an output in memory, and a zero byte; good until the next write. */
const char *gst_outfile_memory(struct gst_outfile *o, size_t *length);

/** Take what was written to an output in memory: from mem.h with *@room bytes, the caller's. Frees @o. */
char *gst_outfile_take_memory(struct gst_outfile *o, size_t *length, size_t *room);

/** Append @length bytes. */
void gst_outfile_write(struct gst_outfile *o, const void *data, size_t length);

/** Append a string without its zero byte. */
void gst_outfile_puts(struct gst_outfile *o, const char *text);

/** Append formatted text of any length. */
void gst_outfile_printf(struct gst_outfile *o, const char *fmt, ...) GST_PRINTF(2, 3);
void gst_outfile_vprintf(struct gst_outfile *o, const char *fmt, va_list ap) GST_PRINTF(2, 0);

/** Whether a write has failed already: a long job may stop early. */
bool gst_outfile_failed(const struct gst_outfile *o);

/**
 * The temporary name, for a library that opens files itself (SQLite). The file exists, empty;
 * nothing is written through @o then. NULL for standard output and memory.
 */
const char *gst_outfile_temp_path(const struct gst_outfile *o);

/**
 * Finish: write what is buffered and give the file its name. Frees @o in any case.
 *
 * Errors: GST_E_IO, also for an earlier write: then nothing is left behind. @err names the path.
 */
GST_NODISCARD gst_status gst_outfile_commit(struct gst_outfile *o, struct gst_err *err);

/** Give up: remove the temporary file, free @o; NULL is fine. */
void gst_outfile_abort(struct gst_outfile *o);

/** Remove the temporary files of all outputs that are open: for the way out of an emergency. */
void gst_outfile_abort_all(void);

#endif
