/*
 * export_text_parts.h - what the two files of the text report share: what is being written, and its first parts.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_EXPORT_TEXT_PARTS_H
#define GSTRACE_ANALYZER_EXPORT_EXPORT_TEXT_PARTS_H

#include "analyzer/export/export.h"

/* Without opt->all. */
enum {
	MAX_PROCESSES = 4,
	MAX_DEVICES = 8,
	MAX_LIMITS = 12,
	MAX_VARIABLES = 12,
	MAX_STREAMS = 24,
	MAX_GRAPHS = 12,
	MAX_FINDINGS = 10,
	MAX_OPEN_CALLS = 5,
	MAX_WAITS = 4,
	MAX_PATH = 6,
	MAX_OCCURRENCES = 20,
	MAX_COMPARED = 100,
};

enum { KEY = 11 };

struct gst_text_report {
	const struct gst_analysis *a;
	const struct gst_text_options *opt;
	struct gst_outfile *out;
	uint32_t shown, hidden; /* of the list being written */
};

/* In export_text_head.c. */

uint32_t gst_text_bound(const struct gst_text_report *r, uint32_t count, uint32_t max);
void gst_text_hidden_text(const struct gst_text_report *r, char *text, size_t size);
void gst_text_header(struct gst_text_report *r);
void gst_text_open_calls(struct gst_text_report *r);
void gst_text_graphs(const struct gst_text_report *r);
void gst_text_streams(const struct gst_text_report *r);

#endif
