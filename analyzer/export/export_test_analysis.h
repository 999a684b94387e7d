/* export_test_analysis.h - for tests of exporters: all stages over a trace or over a model made in code. */
#ifndef GSTRACE_ANALYZER_EXPORT_EXPORT_TEST_ANALYSIS_H
#define GSTRACE_ANALYZER_EXPORT_EXPORT_TEST_ANALYSIS_H

#include "analyzer/export/export.h"

struct gst_test_analysis {
	struct gst_analysis a;
	struct gst_arena *arena;
	struct gst_loader *loader;
	const struct gst_load_stats *load;
	const char *path;
};

/** Analyze the trace @path. False, with the words in @err: it cannot be read. Release in any case. */
bool gst_test_analyze_file(const char *path, struct gst_test_analysis *t, struct gst_err *err);

/** Analyze gst_test_model(@seed, @call_count). */
bool gst_test_analyze_model(uint64_t seed, uint32_t call_count, struct gst_test_analysis *t,
			    struct gst_err *err);

void gst_test_analysis_release(struct gst_test_analysis *t);

/** All of file @path, from gst_mem_alloc; NULL if it cannot be read. */
char *gst_test_read_file(const char *path, size_t *length);

/** A folder for files of this test, without a slash at its end. */
const char *gst_test_folder(void);

#endif
