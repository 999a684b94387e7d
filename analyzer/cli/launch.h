/*
 * launch.h - run a program as its parent would: same signals, same exit status.
 */
#ifndef GSTRACE_ANALYZER_CLI_LAUNCH_H
#define GSTRACE_ANALYZER_CLI_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

struct gst_launch {
	char *const *argv; /* argv[0] is looked up in PATH */
	char *const *envp;
	/* Called about every @watch_ms while the program runs, with its pid; returns the next interval, 0 = no more. NULL = never. */
	unsigned (*watch)(void *payload, pid_t pid);
	void *payload;
	unsigned watch_ms;
};

struct gst_launched {
	int status;	   /* what to exit with: the program's, 128+signal, 126, 127 or 125 */
	bool has_run;	   /* the program was started */
	int signal;	   /* signal that ended it, or 0 */
	int error;	   /* errno if it was not started */
	const char *phase; /* "fork", "exec": what failed */
	pid_t pid;
};

/**
 * Run the program and wait for its end. While it runs INT and QUIT are ignored here (the terminal sends them to the
 * program itself), TERM, HUP, USR1 and USR2 are passed on. It starts with the signal mask and dispositions that we were
 * started with. Those of the caller are as before on return.
 */
void gst_launch_run(const struct gst_launch *launch, struct gst_launched *out);

#endif
