/* err.h - the words of an error, in a buffer of the caller: setting one never allocates. */
#ifndef GSTRACE_ANALYZER_BASE_ERR_H
#define GSTRACE_ANALYZER_BASE_ERR_H

#include "analyzer/base/status.h"

#define GST_ERR_TEXT_BYTES 512

/** Zero-initialise before use. text is cut, never overrun, and always ends with a zero byte. */
struct gst_err {
	gst_status status;
	char text[GST_ERR_TEXT_BYTES];
};

/**
 * Say what is wrong: offset, found, expected. Called by the function that decides the error.
 *
 * @err may be NULL. Returns @status, so that `return gst_err_set(...)` reads well.
 * Control characters in the arguments are the caller's concern: file names may hold them.
 */
gst_status gst_err_set(struct gst_err *err, gst_status status, const char *fmt, ...)
	GST_PRINTF(3, 4);

/**
 * Put "@fmt: " before the text that is there. Called by callers that know something the one that
 * decided could not know, such as the file's name. The end of the text is cut if need be.
 */
void gst_err_prefix(struct gst_err *err, const char *fmt, ...) GST_PRINTF(2, 3);

#endif
