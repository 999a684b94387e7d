/* replay_internal.h - what the two replays share. */
#ifndef GSTRACE_ANALYZER_TIMING_REPLAY_INTERNAL_H
#define GSTRACE_ANALYZER_TIMING_REPLAY_INTERNAL_H

#include "analyzer/base/sort.h"
#include "analyzer/timing/timing_internal.h"

/* A struct gst_cut in terms of positions in topological order. */
struct gst_replay_plan {
	const struct gst_timing *t;
	uint8_t *is_cut;	     /* a bit an edge */
	struct gst_sort_item *cheap; /* key: position of an exit whose call is made cheaper */
	struct gst_sort_item *waits; /* key: position of an exit, value: of the op it waits for */
	uint32_t cheap_count, wait_count;
	int64_t call_cost_ns;
};

/** @cut as positions; memory from @scratch. */
void gst_replay_plan(const struct gst_timing *t, const struct gst_cut *cut,
		     struct gst_arena *scratch, struct gst_replay_plan *plan);

/** The weight of arc @a, number @i. */
static inline int64_t gst_arc_weight(const struct gst_timing *t, const struct gst_arc *a,
				     uint32_t i)
{
	uint32_t low = 0, high = t->heavy_count;

	if (a->weight_ns != GST_ARC_HEAVY) {
		return a->weight_ns;
	}
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (t->heavy[mid].arc <= i) {
			low = mid;
		} else {
			high = mid;
		}
	}
	return t->heavy[low].weight_ns;
}

/** Time between begin and end of an op that has both; 0 for all else. */
int64_t gst_replay_duration(const struct gst_timing *t, gst_moment_id p);

/** Does the kernel wait for other devices? */
static inline bool gst_replay_spins(const struct gst_timing *t, gst_moment_id p)
{
	return p < t->m->op_count && t->m->ops[p].kind == GST_OP_KERNEL &&
	       t->spins[t->m->ops[p].name];
}

/** a + b; at the ends of the range if that overflows: a trace may claim any duration. */
static inline int64_t gst_replay_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == INT64_MIN) {
		return INT64_MIN; /* not known */
	}
	return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN + 1 : INT64_MAX) : sum;
}

/** Is @ns, when a moment was reached, the last one so far? */
static inline void gst_replay_last(int64_t ns, int64_t *last)
{
	*last = ns > *last ? ns : *last;
}

/**
 * The last moment of @process under @plan, with the kernels of a device sharing it (fluid.c). Memory from @scratch. Cost:
 * O(n log n) of the process.
 */
int64_t gst_replay_shared(const struct gst_replay_plan *plan, uint32_t process,
			  struct gst_arena *scratch);

#endif
