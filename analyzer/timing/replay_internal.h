/* replay_internal.h - what the two replays share. */
#ifndef GSTRACE_ANALYZER_TIMING_REPLAY_INTERNAL_H
#define GSTRACE_ANALYZER_TIMING_REPLAY_INTERNAL_H

#include "analyzer/timing/timing_internal.h"

/* An arc that a cut takes away. */
struct gst_cut_arc {
	uint32_t arc, knot; /* the one that it leads to */
};

/* What a cut changes beside that, at the return of a call. */
struct gst_change {
	uint32_t knot; /* of the return */
	uint32_t op; /* knot of an op that it waits for now; GST_NONE: the call itself takes less */
	int64_t ns; /* slack of the wait (below 0: the op ended later), or what the call itself gains */
};

/* A struct gst_cut in terms of knots, as far as it is about one process. */
struct gst_replay_plan {
	const struct gst_cut_arc *arcs;
	const struct gst_change *changes; /* by knot, waits first */
	uint32_t arc_count, change_count;
};

/** The slack of arc number @i. */
static inline int64_t gst_arc_slack(const struct gst_knots *k, uint32_t i)
{
	uint32_t low = 0, high = k->heavy_count;

	if (k->arcs[i].slack_ns != GST_ARC_HEAVY) {
		return k->arcs[i].slack_ns;
	}
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (k->heavy[mid].arc <= i) {
			low = mid;
		} else {
			high = mid;
		}
	}
	return k->heavy[low].slack_ns;
}

/** Time between begin and end of an op that has both; 0 for all else. */
int64_t gst_replay_duration(const struct gst_timing *t, gst_moment_id p);

/** May a cut make @c, or what it waits for, shorter? Its exit has a knot of its own then, or never had a time. */
bool gst_replay_may_shrink(const struct gst_call *c);

/**
 * Into @arcs, with room for @count, the arcs that are @edges, in their order, as far as they are some; returns how many.
 * Which edge an arc is is not stored: edges into one moment are best asked for one after the other.
 */
uint32_t gst_replay_find_arcs(const struct gst_timing *t, const gst_edge_id *edges, uint32_t count,
			      struct gst_cut_arc *arcs);

/** From the last thing that could have let @call, which returned, return to its return. */
int64_t gst_replay_own_ns(const struct gst_timing *t, gst_call_id call);

/** Does the kernel wait for other devices? */
static inline bool gst_replay_spins(const struct gst_timing *t, gst_moment_id p)
{
	return p < t->m->op_count && t->m->ops[p].kind == GST_OP_KERNEL &&
	       t->spins[t->m->ops[p].name];
}

/** Is @ns, when a moment was reached, the last one so far? */
static inline void gst_replay_last(int64_t ns, int64_t *last)
{
	*last = ns > *last ? ns : *last;
}

/* Arcs of a process by their source. Knots are counted from its first one on, arcs among all. */
struct gst_replay_outs {
	struct gst_arena *arena; /* its memory */
	uint32_t *begin;	 /* [knots + 1] first one out of it */
	uint32_t *arcs, *targets;
};

/** Fill @out, whose arena is there. */
void gst_replay_turn_round(const struct gst_timing *t, uint32_t process,
			   struct gst_replay_outs *out);

/**
 * The last moment of @process under @plan, with the kernels of a device sharing it (fluid.c); @outs is that of the
 * process. Cost: O(n log n) of the process.
 */
int64_t gst_replay_shared(const struct gst_timing *t, const struct gst_replay_outs *outs,
			  const struct gst_replay_plan *plan, uint32_t process);

#endif
