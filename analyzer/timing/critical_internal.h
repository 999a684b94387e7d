/* critical_internal.h - between the walk of the critical path (critical.c) and what is made of it. */
#ifndef GSTRACE_ANALYZER_TIMING_CRITICAL_INTERNAL_H
#define GSTRACE_ANALYZER_TIMING_CRITICAL_INTERNAL_H

#include "analyzer/base/arena.h"
#include "analyzer/timing/critical.h"

/* gst_segment.held_ns where it is not known. */
#define GST_HELD_NOT_KNOWN UINT64_MAX

/** Sum @out's segments by who waited for whom, by stream and by range, into @out; lists live in @arena. */
void gst_critical_blame(const struct gst_timing *t, struct gst_arena *arena,
			struct gst_critical *out);

#endif
