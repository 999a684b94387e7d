/*
 * settings.h - the settings of libgstrace.so, each one name: an option of record, a variable for the library.
 *
 * The library reads the variables in the traced process; analyzer/test/cli_settings_test.sh holds this table against the library's own.
 */
#ifndef GSTRACE_ANALYZER_CLI_SETTINGS_H
#define GSTRACE_ANALYZER_CLI_SETTINGS_H

#include <stdbool.h>

#include "analyzer/cli/opt.h"
#include "tracer/format/setting_values.h"

/* Option ids of the settings begin here: GST_SETTING_FIRST + index. */
enum { GST_SETTING_FIRST = 0x1000 };

struct gst_setting {
	const char *name;     /* of the option, without -- */
	const char *variable; /* GSTRACE_... */
	const char *arg;      /* NULL: a switch, its value is "1" */
	const char *choices;  /* "a|b", or NULL: any text */
	const char *on;	      /* value of a switch */
	const char *help;
};

/** The table, ended by a NULL name. */
extern const struct gst_setting gst_settings[];

/** The setting of option @id, or NULL if @id is none of them. */
const struct gst_setting *gst_setting_of_option(int id);

/**
 * The value to put in the variable for @value (an option's argument, or NULL for a switch); NULL after a complaint.
 */
const char *gst_setting_value(struct gst_opt *opt, const struct gst_setting *setting,
			      const char *value);

/*
 * For the tables of options: the settings' rows, in groups of one purpose as in the library's own table.
 * X(index, name, variable, arg, choices, value of a switch, help)
 */
#define GST_SETTING_WHAT(X)                                                                                                                                     \
	X(0, "mode", "GSTRACE_MODE", GST_MODE_CHOICES, GST_MODE_CHOICES, NULL,                                                                                  \
	  "calls and device records (default), or calls of\nthe driver alone, no GPU times: cheapest;\nthen --graphs, --event-ids, --event-times do nothing")   \
	X(1, "graphs", "GSTRACE_GRAPHS", GST_GRAPHS_CHOICES, GST_GRAPHS_CHOICES, NULL,                                                                          \
	  "CUDA graphs: each launch as a whole (default),\nor each of its nodes (costs more)")                                                                  \
	X(2, "host-functions", "GSTRACE_HOST_FUNCTIONS", GST_HOST_FUNCTIONS_CHOICES,                                                                            \
	  GST_HOST_FUNCTIONS_CHOICES, NULL,                                                                                                                     \
	  "wrap: say when host functions run, by running them\nthrough gstrace (off by default)")                                                               \
	X(3, "event-ids", "GSTRACE_EVENT_IDS", GST_EVENT_IDS_CHOICES, GST_EVENT_IDS_CHOICES, NULL,                                                              \
	  "CUPTI's numbers of records of events: once a second\nthread uses events (default), always, never (then\ncalls at the same time leave some unknown)") \
	X(4, "event-times", "GSTRACE_EVENT_TIMES", NULL, NULL, "1",                                                                                             \
	  "let the device say when it reached each event\n(CUPTI 13.0 and later)")
#define GST_SETTING_WHEN(X)                                                        \
	X(5, "start", "GSTRACE_START", GST_START_CHOICES, GST_START_CHOICES, NULL, \
	  "paused: record from cudaProfilerStart on; its Stop\npauses again")      \
	X(6, "max-size", "GSTRACE_MAX_SIZE", "SIZE", NULL, NULL,                   \
	  "stop recording when the file is that long (K, M, G)")
#define GST_SETTING_WHERE(X)                                \
	X(7, "private", "GSTRACE_PRIVATE", NULL, NULL, "1", \
	  "leave out host name, command line and paths")
#define GST_SETTING_COST(X)                                                                    \
	X(8, "staging-bytes", "GSTRACE_STAGING_BYTES", "SIZE", NULL, NULL,                     \
	  "memory for records on their way to the file,\n" GST_STAGING_BYTES_RANGE             \
	  " (default: " GST_STAGING_BYTES_DEFAULT ")")                                         \
	X(9, "staging-dir", "GSTRACE_STAGING_DIR", "DIR", NULL, NULL,                          \
	  "tmpfs for it (default: " GST_STAGING_DIR_DEFAULT ")")                               \
	X(10, "write-ms", "GSTRACE_WRITE_MS", "MS", NULL, NULL,                                \
	  "how often records are written (default: " GST_WRITE_MS_DEFAULT ")")                 \
	X(11, "flush-ms", "GSTRACE_FLUSH_MS", "MS", NULL, NULL,                                \
	  "how often CUPTI is asked for device records\n(default: " GST_FLUSH_MS_DEFAULT ")")  \
	X(12, "hang-ms", "GSTRACE_HANG_MS", "MS", NULL, NULL,                                  \
	  "a flush of CUPTI that takes longer is said to hang\n(default: " GST_HANG_MS_DEFAULT \
	  ")")                                                                                 \
	X(13, "exit-ms", "GSTRACE_EXIT_MS", "MS", NULL, NULL,                                  \
	  "how long the program's end may be held up\n(default: " GST_EXIT_MS_DEFAULT ")")
#define GST_SETTING_TOOL(X)                                 \
	X(14, "cupti", "GSTRACE_CUPTI", "FILE", NULL, NULL, \
	  "use this libcupti.so ('gstrace doctor' lists what\nis found without it)")

#define GST_SETTING_OPTIONS(X) \
	GST_SETTING_WHAT(X)    \
	GST_SETTING_WHEN(X)    \
	GST_SETTING_WHERE(X)   \
	GST_SETTING_COST(X)    \
	GST_SETTING_TOOL(X)

#define GST_SETTING_OPTION_ROW(index, name, variable, arg, choices, on, help) \
	{GST_SETTING_FIRST + (index), name, arg, help},

#endif
