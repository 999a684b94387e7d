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

/* Which forms the GPU's work is drawn in; neither set, or no options: both. docs/PERFETTO.md compares them. */
struct gst_perfetto_options {
	bool render_stages; /* the viewer's own GPU rows, kernel details, SQL table gpu_slice */
	bool tracks;	    /* CUDA > device > context > stream under each process */
	bool is_plain;	    /* not compressed */
};
gst_status gst_export_perfetto(const struct gst_analysis *a, const struct gst_perfetto_options *opt,
			       struct gst_outfile *out, struct gst_err *err)
	__attribute__((warn_unused_result));

/**
 * SQLite writes its own file: @path is a temporary name that the caller renames. A file there is replaced.
 *
 * Errors: GST_E_IO (SQLite's words), GST_E_NOMEM: the file at @path is removed then.
 */
gst_status gst_export_sqlite(const struct gst_analysis *a, const char *path, struct gst_err *err)
	__attribute__((warn_unused_result));

#endif
