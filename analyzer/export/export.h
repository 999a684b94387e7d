/*
 * export.h - from an analysis to bytes: text, JSON, Perfetto, SQLite. Reads const stages only.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_EXPORT_H
#define GSTRACE_ANALYZER_EXPORT_EXPORT_H

#include "analyzer/base/outfile.h"
#include "analyzer/check/check.h"

/* All stages of one analysis, for exporters and commands. */
struct gst_analysis {
	const struct gst_load_stats *const *loads; /* one an input */
	const char *const *paths;
	uint32_t input_count;
	const struct gst_model *model;
	const struct gst_order *order;
	const struct gst_timing *timing;
	const struct gst_findings *findings;
};

struct gst_text_options {
	bool all;
	uint32_t explain; /* finding number from 1; 0 = none */
};

/* Each writes the whole document to @out (a stream that may fail: its status is returned). Output depends on the analysis alone: no locale, clock or address. */
gst_status gst_export_text(const struct gst_analysis *a, const struct gst_text_options *opt,
			   struct gst_outfile *out, struct gst_err *err)
	__attribute__((warn_unused_result));
gst_status gst_export_json(const struct gst_analysis *a, struct gst_outfile *out,
			   struct gst_err *err) __attribute__((warn_unused_result));

struct gst_perfetto_options {
	bool render_stages, tracks;
};
gst_status gst_export_perfetto(const struct gst_analysis *a, const struct gst_perfetto_options *opt,
			       struct gst_outfile *out, struct gst_err *err)
	__attribute__((warn_unused_result));

/** SQLite writes its own file: @path is a temporary name that the caller renames. */
gst_status gst_export_sqlite(const struct gst_analysis *a, const char *path, struct gst_err *err)
	__attribute__((warn_unused_result));

#endif
