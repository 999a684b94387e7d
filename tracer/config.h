/*
 * config.h - the GSTRACE_* settings of the tracer: one table.
 */
#ifndef GSTRACE_TRACER_CONFIG_H
#define GSTRACE_TRACER_CONFIG_H

#include "tracer/format/setting_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GST_CONFIG_TEXT_MAX 1024u

/* X(type, field, variable, default, what the help says), a table for each purpose */
#define GST_CONFIG_WHAT(X)                                                                         \
	X(text, mode, "GSTRACE_MODE", "full",                                                      \
	  "full: calls and device records; order: calls of the driver alone, no GPU "              \
	  "times: cheapest")                                                                       \
	X(text, graphs, "GSTRACE_GRAPHS", "launches",                                              \
	  "launches: one device record for each launch of a graph; nodes: one for each node")      \
	X(text, host_functions, "GSTRACE_HOST_FUNCTIONS", "off",                                   \
	  "wrap: run host functions through ours and say when; changes parameters of the program") \
	X(text, event_ids, "GSTRACE_EVENT_IDS", "auto",                                            \
	  "which record of an event was meant, by CUPTI's numbers: auto: once a second thread "    \
	  "uses events; always; never")                                                            \
	X(flag, is_event_time_on, "GSTRACE_EVENT_TIMES", "0",                                      \
	  "1: let the device say when it reached each event (CUPTI 13.0 and later)")

#define GST_CONFIG_WHEN(X)                                                                     \
	X(text, start, "GSTRACE_START", "running",                                             \
	  "running; paused: record from cudaProfilerStart on. cudaProfilerStop always pauses") \
	X(size, max_size, "GSTRACE_MAX_SIZE", GST_MAX_SIZE_DEFAULT,                            \
	  "stop recording when the file is that long, with K, M or G; 0: never")

#define GST_CONFIG_WHERE(X)                                                                          \
	X(text, output, "GSTRACE_OUTPUT", "",                                                        \
	  "file to write; %h host, %p pid, %e executable, %t start time; default gstrace-%h-%p.gst") \
	X(flag, is_private, "GSTRACE_PRIVATE", "0",                                                  \
	  "1: leave out host name, command line and paths")

#define GST_CONFIG_COST(X)                                                           \
	X(size, staging_bytes, "GSTRACE_STAGING_BYTES", GST_STAGING_BYTES_DEFAULT,   \
	  "memory for records on their way to the file, " GST_STAGING_BYTES_RANGE)   \
	X(text, staging_dir, "GSTRACE_STAGING_DIR", GST_STAGING_DIR_DEFAULT,         \
	  "folder on tmpfs for it; empty: memory that does not outlive the process") \
	X(size, write_ms, "GSTRACE_WRITE_MS", GST_WRITE_MS_DEFAULT,                  \
	  "how often records are written, in ms")                                    \
	X(size, flush_ms, "GSTRACE_FLUSH_MS", GST_FLUSH_MS_DEFAULT,                  \
	  "how often CUPTI is asked for device records, in ms")                      \
	X(size, hang_ms, "GSTRACE_HANG_MS", GST_HANG_MS_DEFAULT,                     \
	  "a flush that takes longer is said to hang, in ms")                        \
	X(size, exit_ms, "GSTRACE_EXIT_MS", GST_EXIT_MS_DEFAULT,                     \
	  "how long the end of the program may be held up, in ms")

#define GST_CONFIG_TOOL(X)                                                               \
	X(text, cupti, "GSTRACE_CUPTI", "", "path of the libcupti to use")               \
	X(text, session, "GSTRACE_SESSION", "",                                          \
	  "folder where each process says which trace it wrote (set by gstrace record)") \
	X(flag, is_disabled, "GSTRACE_DISABLE", "0", "1: do nothing")                    \
	X(flag, is_help, "GSTRACE_HELP", "0", "1: print these settings to stderr")

/* G(table, heading): all of them */
#define GST_CONFIG_GROUPS(G)                   \
	G(GST_CONFIG_WHAT, "what is recorded") \
	G(GST_CONFIG_WHEN, "when")             \
	G(GST_CONFIG_WHERE, "where it goes")   \
	G(GST_CONFIG_COST, "memory and time")  \
	G(GST_CONFIG_TOOL, "the tracer itself")

#define GST_CONFIG_SETTINGS(X) \
	GST_CONFIG_WHAT(X)     \
	GST_CONFIG_WHEN(X)     \
	GST_CONFIG_WHERE(X)    \
	GST_CONFIG_COST(X)     \
	GST_CONFIG_TOOL(X)

struct gst_config_text {
	char value[GST_CONFIG_TEXT_MAX];
};

#define GST_CONFIG_text struct gst_config_text
#define GST_CONFIG_flag bool
#define GST_CONFIG_size uint64_t

struct gst_config {
#define GST_X(type, field, variable, fallback, help) GST_CONFIG_##type field;
	GST_CONFIG_SETTINGS(GST_X)
#undef GST_X
};

/** Whether device records are wanted; whether recording starts paused; whether graph nodes are wanted. */
bool gst_config_has_device(const struct gst_config *config);
bool gst_config_is_paused(const struct gst_config *config);
bool gst_config_has_graph_nodes(const struct gst_config *config);
bool gst_config_has_host_wrap(const struct gst_config *config);

/** Numbers of records of events: from the start; not at all. Neither: once two threads use events. */
bool gst_config_has_event_ids(const struct gst_config *config);
bool gst_config_has_no_event_ids(const struct gst_config *config);

/**
 * Read all settings with @get (as getenv).
 *
 * A value that cannot be understood gives one line on stderr and the default. Threads: at start.
 */
void gst_config_read(struct gst_config *config, const char *(*get)(const char *name));

/** Write the table of settings to stderr. */
void gst_config_print_help(void);

/** Parse a decimal number with an optional K, M or G (powers of 1024); false if it is none. */
bool gst_config_parse_size(const char *text, uint64_t *value);

/** What an output name is made of. */
struct gst_config_names {
	const char *host;
	const char *exe; /* without folders */
	int64_t pid;
	int64_t start_s; /* seconds since 1970 */
};

/**
 * Expand @pattern ("" = the default, without the host if private) into @path of @size bytes.
 *
 * %h %p %e %t as above, %% is %; another % stands for itself. A slash inside a name becomes '_'. False if
 * it does not fit.
 */
bool gst_config_output_path(const char *pattern, bool is_private,
			    const struct gst_config_names *names, char *path, size_t size);

#endif
