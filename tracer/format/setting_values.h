/*
 * setting_values.h - what the settings may be, once for the library that reads them and for gstrace, which sets them.
 *
 * The tables of what they mean are tracer/config.h and analyzer/cli/settings.h.
 */
#ifndef GSTRACE_TRACER_FORMAT_SETTING_VALUES_H
#define GSTRACE_TRACER_FORMAT_SETTING_VALUES_H

#include <stdint.h>

/* Values to choose from; the first is the default. */
#define GST_MODE_CHOICES	   "full|order"
#define GST_GRAPHS_CHOICES	   "launches|nodes"
#define GST_HOST_FUNCTIONS_CHOICES "off|wrap"
#define GST_EVENT_IDS_CHOICES	   "auto|always|never"
#define GST_START_CHOICES	   "running|paused"

/* X(field, variable, values) */
#define GST_SETTING_CHOICES(X)                                                  \
	X(mode, "GSTRACE_MODE", GST_MODE_CHOICES)                               \
	X(graphs, "GSTRACE_GRAPHS", GST_GRAPHS_CHOICES)                         \
	X(host_functions, "GSTRACE_HOST_FUNCTIONS", GST_HOST_FUNCTIONS_CHOICES) \
	X(event_ids, "GSTRACE_EVENT_IDS", GST_EVENT_IDS_CHOICES)                \
	X(start, "GSTRACE_START", GST_START_CHOICES)

/* Defaults of numbers and of a folder. */
#define GST_MAX_SIZE_DEFAULT	  "0"
#define GST_STAGING_BYTES_DEFAULT "16M"
#define GST_STAGING_DIR_DEFAULT	  "/dev/shm"
#define GST_WRITE_MS_DEFAULT	  "100"
#define GST_FLUSH_MS_DEFAULT	  "500"
#define GST_HANG_MS_DEFAULT	  "5000"
#define GST_EXIT_MS_DEFAULT	  "3000"

#define GST_STAGING_BYTES_LEAST (1u << 20)
#define GST_STAGING_BYTES_MOST	(1u << 30)
#define GST_STAGING_BYTES_RANGE "1M to 1G" /* in words */

/* Beyond a day, sums of nanoseconds could wrap around. */
#define GST_SETTING_MS_MOST 86400000u

/* X(field, variable, least, most): numbers that are not free. A period of 0 would never sleep. */
#define GST_SETTING_BOUNDS(X)                                                                      \
	X(staging_bytes, "GSTRACE_STAGING_BYTES", GST_STAGING_BYTES_LEAST, GST_STAGING_BYTES_MOST) \
	X(write_ms, "GSTRACE_WRITE_MS", 1, GST_SETTING_MS_MOST)                                    \
	X(flush_ms, "GSTRACE_FLUSH_MS", 1, GST_SETTING_MS_MOST)                                    \
	X(hang_ms, "GSTRACE_HANG_MS", 0, GST_SETTING_MS_MOST)                                      \
	X(exit_ms, "GSTRACE_EXIT_MS", 0, GST_SETTING_MS_MOST)

#endif
