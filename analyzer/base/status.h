/* status.h - what every fallible function of the analyzer returns. */
#ifndef GSTRACE_ANALYZER_BASE_STATUS_H
#define GSTRACE_ANALYZER_BASE_STATUS_H

#include "analyzer/base/banned.h"

/** 0 or one of the negative codes below; the words are in the caller's struct gst_err. */
typedef int gst_status;

enum gst_status_code {
	GST_OK = 0,
	GST_E_IO = -1,		/* a system call failed */
	GST_E_FORMAT = -2,	/* the input is not what it says it is */
	GST_E_VERSION = -3,	/* written by another major version of the format */
	GST_E_LIMIT = -4,	/* larger than a documented limit */
	GST_E_NOMEM = -5,	/* out of memory, or over --memory-limit */
	GST_E_UNSUPPORTED = -6, /* well formed, but this build cannot do it */
};

/** Goes before a prototype whose result must not be ignored. */
#define GST_NODISCARD __attribute__((warn_unused_result))

/** Goes after a prototype: argument @fmt is a printf format for the arguments from @first on. */
#define GST_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/** "ok", "input/output", "format", ...: for logs and tests, not for people. Never NULL. */
static inline const char *gst_status_name(gst_status st)
{
	switch ((enum gst_status_code)st) {
	case GST_OK:
		return "ok";
	case GST_E_IO:
		return "io";
	case GST_E_FORMAT:
		return "format";
	case GST_E_VERSION:
		return "version";
	case GST_E_LIMIT:
		return "limit";
	case GST_E_NOMEM:
		return "nomem";
	case GST_E_UNSUPPORTED:
		return "unsupported";
	}
	return "unknown";
}

#endif
