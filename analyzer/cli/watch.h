/*
 * watch.h - while nothing is recorded: does some process of the program use CUDA without the variable?
 */
#ifndef GSTRACE_ANALYZER_CLI_WATCH_H
#define GSTRACE_ANALYZER_CLI_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "analyzer/cli/session.h"

struct gst_watch {
	const struct gst_session *session;
	unsigned interval_ms;
	pid_t without; /* a process that has CUDA's driver loaded and no CUDA_INJECTION64_PATH; 0 = none seen */
	pid_t with; /* one that has both; 0 = none seen */
	char without_name[32], with_name[32];
};

enum { GST_WATCH_FIRST_MS = 50 };

/** For gst_launch.watch: looks at @pid and its descendants in /proc; @payload is a struct gst_watch. */
unsigned gst_watch_tick(void *payload, pid_t pid);

#endif
