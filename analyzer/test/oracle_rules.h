/*
 * oracle_rules.h - which points of a random program come before which, by rules that share nothing with the engine.
 */
#ifndef GSTRACE_ANALYZER_TEST_ORACLE_RULES_H
#define GSTRACE_ANALYZER_TEST_ORACLE_RULES_H

#include "analyzer/test/oracle_world.h"

struct gst_oracle {
	const struct gst_world *w;
	/* may: by documented and possible rules; must: documented ones; device: those without the host */
	struct gst_relation may, must, device;
};

/* The act whose call act i is of. */
extern int gst_oracle_call_of[ACTS_MAX];

static inline int gst_enter_of(int i)
{
	return 4 * gst_oracle_call_of[i];
}

static inline int gst_exit_of(int i)
{
	return 4 * gst_oracle_call_of[i] + 1;
}

static inline int gst_begin_of(int i)
{
	return 4 * i + 2;
}

static inline int gst_end_of(int i)
{
	return 4 * i + 3;
}

/** All pairs of @w's points. @o keeps its memory from call to call; zeroed before the first. */
void gst_oracle_make(struct gst_oracle *o, const struct gst_world *w);

#endif
