/* replay_internal.h - what the two replays share: the weights of edges and the delays of moments. */
#ifndef GSTRACE_ANALYZER_TIMING_REPLAY_INTERNAL_H
#define GSTRACE_ANALYZER_TIMING_REPLAY_INTERNAL_H

#include "analyzer/timing/timing_internal.h"

/** Time between begin and end of an op that has both; 0 for all else. */
int64_t gst_replay_duration(const struct gst_timing *t, gst_moment_id p);

/** What is added to the time of the edge's source: least launch latency, or the lead its target had. */
int64_t gst_replay_weight(const struct gst_timing *t, gst_edge_id e);

/** What is added after the last edge released @p. */
int64_t gst_replay_delay(const struct gst_timing *t, const struct gst_cut *cut, gst_moment_id p);

bool gst_replay_call_is_cheap(const struct gst_cut *cut, gst_call_id call);

/** a + b; the largest number if that overflows: a trace may claim any duration. */
static inline int64_t gst_replay_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN + 1 : INT64_MAX) : sum;
}

/** Does the kernel wait for other devices? */
static inline bool gst_replay_spins(const struct gst_timing *t, gst_moment_id p)
{
	return p < t->m->op_count && t->m->ops[p].kind == GST_OP_KERNEL &&
	       t->spins[t->m->ops[p].name];
}

static inline gst_op_id gst_replay_engine_prev(const struct gst_timing *t, gst_moment_id p)
{
	return p < t->m->op_count && t->m->ops[p].kind == GST_OP_MEMCPY &&
			       t->m->ops[p].detail != GST_NONE
		       ? t->engine_prev[t->m->ops[p].detail]
		       : GST_NONE;
}

/**
 * The makespan without the edges whose bit in @is_cut is set, with the kernels of a device sharing it
 * (fluid.c). Memory from @scratch. Cost: O(n log n).
 */
int64_t gst_replay_shared(const struct gst_timing *t, const struct gst_cut *cut,
			  const uint8_t *is_cut, struct gst_arena *scratch);

#endif
