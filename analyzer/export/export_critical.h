/*
 * export_critical.h - the critical path as text and JSON, and in words for other outputs.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_EXPORT_CRITICAL_H
#define GSTRACE_ANALYZER_EXPORT_EXPORT_CRITICAL_H

#include "analyzer/export/export.h"
#include "analyzer/timing/critical.h"

struct gst_critical_options {
	bool all;     /* every stretch, in order of time */
	uint32_t top; /* otherwise so many: the longest */
};

/**
 * What stretch @s of the path is, in @buf: "last in stream 14", "cudaDeviceSynchronize returned after last in stream
 * 14 had ended (H1, synchronize call)". Raw bytes of names: the caller escapes. At most @size bytes, terminated.
 */
void gst_segment_text(const struct gst_analysis *a, const struct gst_segment *s, char *buf,
		      size_t size);

gst_status gst_export_critical_text(const struct gst_analysis *a, const struct gst_critical *c,
				    const struct gst_critical_options *opt, struct gst_outfile *out,
				    struct gst_err *err) __attribute__((warn_unused_result));
gst_status gst_export_critical_json(const struct gst_analysis *a, const struct gst_critical *c,
				    const struct gst_critical_options *opt, struct gst_outfile *out,
				    struct gst_err *err) __attribute__((warn_unused_result));

#endif
