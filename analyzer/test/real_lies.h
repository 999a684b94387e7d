/* real_lies.h - for tests: facts of recorded traces made wrong, which the times must contradict. */
#ifndef GSTRACE_ANALYZER_TEST_REAL_LIES_H
#define GSTRACE_ANALYZER_TEST_REAL_LIES_H

#include "analyzer/test/real_trace.h"

struct real_lie {
	const char *trace, *what;
	void (*change)(struct real_trace *t);
	enum gst_rule rule;
};

/** gst_timing_verify contradicts these, by edges of the rule. */
extern const struct real_lie real_lies[];
extern const size_t real_lies_count;

/** What is only possible contradicts nothing: the times bear it out as recorded, and no more with the lie. */
extern const struct real_lie real_unproved[];
extern const size_t real_unproved_count;

/** What is only possible is disproved by the times of the lie, and was not by those of the run. */
extern const struct real_lie real_disproved[];
extern const size_t real_disproved_count;

#endif
