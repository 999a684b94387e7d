/*
 * analysis.h - from trace files to findings, for the commands that need them; failures become messages and exit codes.
 */
#ifndef GSTRACE_ANALYZER_CLI_ANALYSIS_H
#define GSTRACE_ANALYZER_CLI_ANALYSIS_H

#include "analyzer/cli/cli.h"
#include "analyzer/cli/cli_output.h"
#include "analyzer/export/export.h"

/* How far to go. */
enum gst_cli_stage { GST_STAGE_MODEL, GST_STAGE_ORDER, GST_STAGE_TIMING, GST_STAGE_FINDINGS };

/* What the options shared by analyze, export, dump and verify say. */
struct gst_cli_inputs {
	char *const *paths;
	int count;
	uint64_t memory_limit;	 /* 0 = none */
	uint32_t threads;	 /* at most so many; 0 = as many as processors */
	uint64_t from_ns, to_ns; /* since the begin of the trace; 0, UINT64_MAX = all */
	struct gst_check_options checks;
};

struct gst_cli_analysis {
	struct gst_analysis a;
	struct gst_arena *arena;
	struct gst_loader **loaders;
	const struct gst_load_stats **stats;
	int count;
};

/* Option ids and table rows of the shared options. */
enum { GST_INPUT_MEMORY_LIMIT = 0x2000, GST_INPUT_FROM, GST_INPUT_TO, GST_INPUT_THREADS };

#define GST_INPUT_OPTIONS                                                              \
	{GST_INPUT_FROM, "from", "TIME",                                               \
	 "look at the trace from here on, counted from its begin:\n1.5s, 200ms, ..."}, \
		{GST_INPUT_TO, "to", "TIME", "and up to here"},                        \
		{GST_INPUT_THREADS, "threads", "N",                                    \
		 "use so many processors (default: all, at most 8)"},                  \
	{                                                                              \
		GST_INPUT_MEMORY_LIMIT, "memory-limit", "SIZE",                        \
			"stop with status 4 beyond this (default: none)"               \
	}

/** Take a shared option; false if @id is none. A wrong value sets opt->status and *is_wrong. */
bool gst_cli_input_option(struct gst_opt *opt, struct gst_cli_inputs *in, int id, const char *value,
			  bool *is_wrong);

/**
 * GST_EXIT_OK, or a message and the exit code if the output @path (NULL or "-" = standard output) is one of the
 * inputs: a recording cannot be made again.
 */
int gst_cli_check_output(struct gst_opt *opt, const struct gst_cli_inputs *in, const char *path);

/** "1.5s", "200ms", "10us", "5ns", "3" (s) in nanoseconds; false if it is none. */
bool gst_cli_parse_time(const char *text, uint64_t *ns);

/**
 * Read the inputs and run the stages up to @stage. GST_EXIT_OK, or a message was printed and this is the
 * exit code. Free with gst_cli_analysis_release() in either case.
 */
int gst_cli_analyze(const struct gst_cli_inputs *in, enum gst_cli_stage stage,
		    struct gst_cli_analysis *out);

void gst_cli_analysis_release(struct gst_cli_analysis *a);

#endif
