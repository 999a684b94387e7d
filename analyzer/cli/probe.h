/*
 * probe.h - ask a library of NVIDIA's something, in a process of its own that may crash or hang.
 */
#ifndef GSTRACE_ANALYZER_CLI_PROBE_H
#define GSTRACE_ANALYZER_CLI_PROBE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum gst_probe_question {
	GST_PROBE_CUPTI_VERSION,  /* cuptiGetVersion() */
	GST_PROBE_DRIVER_VERSION, /* cuDriverGetVersion(): CUDA is not initialized */
	GST_PROBE_DRIVER_INIT,	  /* cuInit(0): CUDA is initialized */
};

struct gst_probe {
	bool is_loaded;	     /* dlopen succeeded; otherwise see error */
	bool has_answer;     /* the function exists and returned */
	int32_t result;	     /* what it returned; 0 = success */
	uint32_t number;     /* the version */
	int signal;	     /* the process was ended by it (SIGALRM: it hung) */
	char path[PATH_MAX]; /* where the loader found it */
	char error[256];     /* the loader's words */
};

/** Load @library in a child process and ask. At most @seconds. False if the child could not be started. */
bool gst_probe_run(const char *library, enum gst_probe_question question, unsigned seconds,
		   struct gst_probe *out);

#endif
