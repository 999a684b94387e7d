/*
 * settings.h - the settings of libgstrace.so, each one name: an option of record, a variable for the library.
 *
 * The library reads the variables in the traced process; analyzer/test/cli_settings_test.sh holds this table against the library's own.
 */
#ifndef GSTRACE_ANALYZER_CLI_SETTINGS_H
#define GSTRACE_ANALYZER_CLI_SETTINGS_H

#include <stdbool.h>

#include "analyzer/cli/opt.h"

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

/* For the tables of options: the settings' rows. X(index, name, variable, arg, choices, value of a switch, help) */
#define GST_SETTING_OPTIONS(X)                                                                    \
	X(0, "graphs", "GSTRACE_GRAPHS", "launches|nodes", "launches|nodes", NULL,                \
	  "CUDA graphs: each launch as a whole (default),\nor each of its nodes (costs more)")    \
	X(1, "private", "GSTRACE_PRIVATE", NULL, NULL, "1",                                       \
	  "leave out host name, command line and paths")                                          \
	X(2, "mode", "GSTRACE_MODE", "full|order", "full|order", NULL,                            \
	  "calls and device records (default), or calls alone,\nno GPU times: cheapest")          \
	X(3, "event-times", "GSTRACE_EVENT_TIMES", NULL, NULL, "1",                               \
	  "let the device say when it reached each event\n(CUPTI 13.0 and later)")                \
	X(4, "staging-bytes", "GSTRACE_STAGING_BYTES", "SIZE", NULL, NULL,                        \
	  "memory for records on their way to the file,\n1M to 1G (default: 16M)")                \
	X(5, "staging-dir", "GSTRACE_STAGING_DIR", "DIR", NULL, NULL,                             \
	  "tmpfs for it (default: /dev/shm)")                                                     \
	X(6, "cupti", "GSTRACE_CUPTI", "FILE", NULL, NULL,                                        \
	  "use this libcupti.so ('gstrace doctor' lists what\nis found without it)")              \
	X(7, "start", "GSTRACE_START", "running|paused", "running|paused", NULL,                  \
	  "paused: record from cudaProfilerStart on; its Stop\npauses again")                     \
	X(8, "max-size", "GSTRACE_MAX_SIZE", "SIZE", NULL, NULL,                                  \
	  "stop recording when the file is that long (K, M, G)")                                  \
	X(9, "host-functions", "GSTRACE_HOST_FUNCTIONS", "off|wrap", "off|wrap", NULL,            \
	  "wrap: say when host functions run, by running them\nthrough gstrace (off by default)") \
	X(10, "event-ids", "GSTRACE_EVENT_IDS", "auto|always|never", "auto|always|never", NULL,   \
	  "CUPTI's numbers of records of events: once a second\nthread uses events (default), always, never (then\ncalls at the same time leave some unknown)")

#define GST_SETTING_OPTION_ROW(index, name, variable, arg, choices, on, help) \
	{GST_SETTING_FIRST + (index), name, arg, help},

#endif
