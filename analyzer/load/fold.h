/*
 * fold.h - after a program was killed: move what its tracer left in the staging file into its .gst.
 *
 * Reading a trace needs none of this, the loader finds the staging file by itself; but that file is on tmpfs, takes
 * memory and is gone after a boot.
 */
#ifndef GSTRACE_ANALYZER_LOAD_FOLD_H
#define GSTRACE_ANALYZER_LOAD_FOLD_H

#include "analyzer/base/err.h"

#include <stdint.h>

enum gst_fold_outcome {
	GST_FOLD_NOTHING, /* closed in order, or folded already, or there is no staging file */
	GST_FOLD_DONE,	  /* appended, staging file removed */
	GST_FOLD_IN_USE,  /* the process lives, or another gstrace is at it: nothing was touched */
	GST_FOLD_NOT_OURS, /* the staging file is not one of this trace, or not this user's: nothing was touched */
};

struct gst_fold {
	enum gst_fold_outcome outcome;
	uint64_t chunks, records; /* appended */
};

/**
 * Fold the staging file of the trace at @path, a .gst, into it.
 *
 * The staging file is removed only after a second look at the .gst found every record in it. If something
 * fails the .gst is as it was. Errors: GST_E_IO and those of gst_loader_open().
 */
GST_NODISCARD gst_status gst_fold(const char *path, struct gst_fold *out, struct gst_err *err);

#endif
