/* step_counter.h - basic blocks that code compiled with -fsanitize-coverage=trace-pc has run, by all threads. */
#ifndef GSTRACE_ANALYZER_TEST_STEP_COUNTER_H
#define GSTRACE_ANALYZER_TEST_STEP_COUNTER_H

#include <stdint.h>

/** So far. Exact with one thread. */
uint64_t gst_steps(void);

#endif
