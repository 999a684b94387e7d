/* timing_internal.h - what the files of timing/ share. */
#ifndef GSTRACE_ANALYZER_TIMING_TIMING_INTERNAL_H
#define GSTRACE_ANALYZER_TIMING_TIMING_INTERNAL_H

#include "analyzer/timing/timing.h"

/*
 * A moment is what gets a time in a replay: one for an op (its end follows from its begin) and a barrier
 * point, two for a call, which may submit an op and wait for it:
 *     0 .. nodes-1               op i, call j's *enter* (at its node), barrier points
 *     nodes .. nodes+calls-1     call j's *exit*
 */
typedef uint32_t gst_moment_id;

#define GST_TIME_UNKNOWN UINT64_MAX
#define GST_TIMES_MAX_NS (UINT64_C(1) << 62) /* times are added and subtracted as signed numbers */

/*
 * What moves by itself in a replay. A moment is reached when the last of its arcs (edges in force, its call's enter, the
 * copy before on its engine) releases it, plus what the arcs did not explain when it was observed: latency, duration,
 * own time. So what it *gains* without some edges is the least, over the arcs that are left, of what the source gains
 * and the arc's slack: how much earlier than the last arc this one was. Nothing else is needed for it. A moment
 * with one arc, which nobody takes away, gains what its source gains and is of the same knot: a thread's calls from one
 * wait to the next are one.
 */
struct gst_arc {
	uint32_t from;	   /* knot of the source, with GST_ARC_BEGINS if its begin counts */
	uint32_t slack_ns; /* or GST_ARC_HEAVY: see gst_arc_slack */
};

/* What does not fit into the slack of an arc. */
struct gst_heavy_arc {
	uint32_t arc;
	int64_t slack_ns;
};

#define GST_ARC_HEAVY  UINT32_MAX
#define GST_ARC_BEGINS 0x80000000u

/* A source further back than this is *far*. */
#define GST_KNOTS_NEAR 16384u

/* In topological order, those of one process one after the other. */
struct gst_knots {
	uint32_t count;
	uint32_t *process_first; /* [processes + 1] */
	uint32_t *arc_begin;	 /* [count + 1] first arc into it */
	struct gst_arc *arcs;
	struct gst_heavy_arc *heavy; /* [heavy_count] by arc */
	uint32_t heavy_count;
	int64_t *end_ns;	/* [count] the last of its moments, as observed: an op by its end */
	gst_moment_id *moments; /* [count] the first one of it */
	uint64_t *far;		/* a bit a knot: it is a far source of some arc */
	uint32_t *far_before; /* [count / 64 + 1] how many of them stand before each word of far */
};

/* @moment comes right before @before, earlier than it was submitted. */
struct gst_pull {
	gst_moment_id moment, before;
};

struct gst_timing {
	struct gst_arena *own; /* of what was prepared, until it is finished */
	const struct gst_model *m;
	const struct gst_order *o;
	uint32_t node_count, moment_count, edge_count;

	gst_edge_id stored_base; /* edges before it are documented */
	uint8_t *edges;		 /* by id - stored_base: enum gst_strength */
	/* By op, then by barrier point: see gst_timing_seen, gst_timing_is_vague. */
	uint64_t
		*seen; /* when it was released, plus 1; 0 = not known, or it has times of its own */
	uint8_t *vague; /* that is only a lower bound: a host function, a lost kernel */
	/* The order of passes over all moments, for gst_moments_next: as submitted, but for some that are pulled
	 * forward; or one by one, where there are several processes, or a cycle */
	struct gst_pull *pulls; /* in that order */
	uint32_t pull_count;
	uint64_t *is_pulled;	    /* a bit a moment; NULL = there are none */
	gst_moment_id *topological; /* [moment_count]; NULL = as submitted */
	gst_op_id *engine_next,
		*engine_prev; /* [copy_count] the copy after / before it on its engine, or GST_NONE */
	const gst_op_id
		*turned_copies; /* those with an engine_prev that was submitted later; sorted */
	uint32_t turned_copy_count;
	uint64_t *
		latency_ns; /* [GST_OP_KIND_COUNT] least time seen from a call's enter to its op's begin */
	uint8_t *spins;	 /* [strings] the kernel of this name waits for other devices */
	uint32_t *place; /* [moment_count] its knot, plus 1; 0 = no known time, or not settled */
	struct gst_knots knots;
	uint32_t untimed_ops;
	uint32_t own_exits; /* calls whose return has a knot of its own, whatever the graph says */
	bool has_cycle;	    /* of edges and engines: the order of moments is a makeshift */
	uint64_t steps;	    /* of gst_timing_steps */
	bool has_spinning;  /* some name has its bit in spins */
	/* [processes + 1] Positions of one process come one after the other: its first; before that of the
	 * first process come moments of none. No edge joins two processes. */
	uint32_t *process_first;
	int64_t *baseline_ns; /* [processes] last moment of each process as observed */
	uint64_t kernels_ns;  /* sum of all kernels' durations, or GST_TIMES_MAX_NS or more */
};

/* Ops and barrier points by number, without the calls between them. */
static inline uint32_t gst_timing_work_index(const struct gst_timing *t, gst_node_id node)
{
	GST_DCHECK(!gst_node_is_call(t->o, node));
	return node < t->m->op_count ? node : node - t->m->call_count;
}

/**
 * When @node was released: an op without times or with an early begin, or a barrier point; GST_TIME_UNKNOWN. Known of
 * what the pass over all moments has passed.
 */
static inline uint64_t gst_timing_seen(const struct gst_timing *t, gst_node_id node)
{
	return t->seen[gst_timing_work_index(t, node)] - 1;
}

static inline void gst_timing_set_seen(struct gst_timing *t, gst_node_id node, uint64_t ns)
{
	_Static_assert(GST_TIME_UNKNOWN + 1 == 0, "what is not known is 0");
	t->seen[gst_timing_work_index(t, node)] = ns + 1;
}

/** Is that only a lower bound? */
static inline bool gst_timing_is_vague(const struct gst_timing *t, gst_node_id node)
{
	return !gst_node_is_call(t->o, node) && t->vague[gst_timing_work_index(t, node)];
}

/* When @op, which is TIMED, began: as measured, or if that is too early, when it was released at the latest. */
static inline uint64_t gst_timing_begin(const struct gst_timing *t, gst_op_id op)
{
	return t->m->ops[op].flags & GST_OP_EARLY_BEGIN ? gst_timing_seen(t, op)
							: t->m->ops[op].begin_ns;
}

/* What became of edge @e so far. */
static inline enum gst_strength gst_timing_strength_of(const struct gst_timing *t, gst_edge_id e)
{
	return e < t->stored_base ? GST_DOCUMENTED
				  : (enum gst_strength)t->edges[e - t->stored_base];
}

/* A walk over all moments, each after all that must precede it. It begins with .t alone. */
struct gst_moments {
	const struct gst_timing *t;
	uint32_t i;		/* of topological */
	gst_call_id call;	/* the one that it is at */
	bool is_inside;		/* its enter was given */
	gst_op_id op;		/* the next one, as submitted */
	uint32_t barrier, pull; /* the next ones, by number */
	gst_moment_id held;	/* what others are pulled before, plus 1; 0 = nothing */
};

/** As submitted, all of them: enter, barrier points, ops, exit, call by call; GST_NONE = it is over. */
static inline gst_moment_id gst_moments_submitted(struct gst_moments *w)
{
	const struct gst_timing *t = w->t;
	const struct gst_model *m = t->m;
	gst_node_id call = m->op_count + w->call,
		    barrier = m->op_count + m->call_count + w->barrier;

	if (w->call == m->call_count) {
		return w->op < m->op_count ? w->op++ : GST_NONE;
	}
	if (!w->is_inside) {
		w->is_inside = true;
		return call;
	}
	if (barrier < t->node_count && gst_barrier_owner(t->o, barrier) == call) {
		w->barrier++;
		return barrier;
	}
	if (w->op - m->calls[w->call].first_op < m->calls[w->call].op_count) {
		return w->op++;
	}
	w->is_inside = false;
	return t->node_count + w->call++;
}

/** The next one of the order; GST_NONE = it is over. */
static inline gst_moment_id gst_moments_next(struct gst_moments *w)
{
	const struct gst_timing *t = w->t;
	gst_moment_id p;

	if (t->topological) {
		return w->i < t->moment_count ? t->topological[w->i++] : GST_NONE;
	}
	if (!t->is_pulled) {
		return gst_moments_submitted(w);
	}
	if (w->held) {
		p = w->held - 1;
	} else {
		do {
			p = gst_moments_submitted(w);
		} while (p != GST_NONE && t->is_pulled[p / 64] >> (p % 64) & 1);
	}
	w->held = 0;
	if (w->pull < t->pull_count && t->pulls[w->pull].before == p) {
		w->held = p + 1;
		return t->pulls[w->pull++].moment;
	}
	return p;
}

/** Find that order; edges and engines are known. */
void gst_moments_find(struct gst_timing *t, struct gst_arena *arena);

/** Leave the engines out: with them there is no order. */
void gst_timing_forget_engines(struct gst_timing *t);

/** Each edge and moment as it is before there is evidence. */
void gst_timing_init_evidence(struct gst_timing *t);

/** Whose moment @p is; GST_NONE = nobody knows. */
uint32_t gst_timing_process(const struct gst_timing *t, gst_moment_id p);

/** Fill latency_ns, untimed_ops and own_exits: they need the model alone. */
void gst_replay_find_latencies(struct gst_timing *t);
void gst_replay_count_own_exits(struct gst_timing *t);

/*
 * Evidence, at each moment when it is next in the order: strengths of the stored edges @in into it, and gst_timing_seen.
 * Of the enters of calls there is nothing to be found.
 */
void gst_timing_judge_exit(struct gst_timing *t, gst_call_id call, const struct gst_edges *in);
void gst_timing_judge_op(struct gst_timing *t, gst_op_id op, const struct gst_edges *in);
void gst_timing_judge_barrier(struct gst_timing *t, gst_node_id barrier);

/** One pass in topological order: evidence, and the knots, which live in @arena. */
void gst_timing_settle(struct gst_timing *t, struct gst_arena *arena);

/** The knot of moment @p; GST_NONE = no known time, or not settled. */
static inline uint32_t gst_timing_knot(const struct gst_timing *t, gst_moment_id p)
{
	_Static_assert(GST_NONE + 1 == 0, "without a knot it is 0");
	return t->place[p] - 1;
}

static inline gst_moment_id gst_moment_of_exit(const struct gst_timing *t, gst_call_id call)
{
	return t->node_count + call;
}

static inline bool gst_moment_is_exit(const struct gst_timing *t, gst_moment_id p)
{
	return p >= t->node_count;
}

static inline gst_moment_id gst_moment_from(const struct gst_timing *t, const struct gst_edge *e)
{
	return e->form == GST_EXIT_ENTER ? t->node_count + (e->from - t->m->op_count) : e->from;
}

static inline gst_moment_id gst_moment_to(const struct gst_timing *t, const struct gst_edge *e)
{
	return e->form == GST_END_EXIT && gst_node_is_call(t->o, e->to)
		       ? t->node_count + (e->to - t->m->op_count)
		       : e->to;
}

static inline bool gst_call_has_enter(const struct gst_call *c)
{
	return (c->flags & GST_CALL_NO_ENTER) == 0;
}

static inline bool gst_call_has_exit(const struct gst_call *c)
{
	return (c->flags & GST_CALL_RETURNED) != 0;
}

/** The model's index of the device that @op runs on; GST_NONE. */
uint32_t gst_timing_device(const struct gst_timing *t, gst_op_id op);

/** When op or barrier point @node ended; GST_TIME_UNKNOWN. */
static inline uint64_t gst_timing_end(const struct gst_timing *t, gst_node_id node)
{
	const struct gst_model *m = t->m;

	return node < m->op_count && (m->ops[node].flags & GST_OP_TIMED) ? m->ops[node].end_ns
									 : gst_timing_seen(t, node);
}

/** Time of the source of @e; GST_TIME_UNKNOWN. */
static inline uint64_t gst_timing_source(const struct gst_timing *t, const struct gst_edge *e)
{
	const struct gst_model *m = t->m;

	switch ((enum gst_form)e->form) {
	case GST_ENTER_BEGIN: {
		const struct gst_call *c = &m->calls[e->from - m->op_count];
		return gst_call_has_enter(c) ? c->enter_ns : GST_TIME_UNKNOWN;
	}
	case GST_EXIT_ENTER: {
		const struct gst_call *c = &m->calls[e->from - m->op_count];
		return gst_call_has_exit(c) ? c->exit_ns : GST_TIME_UNKNOWN;
	}
	case GST_BEGIN_BEGIN:
		if (e->from < m->op_count && (m->ops[e->from].flags & GST_OP_TIMED)) {
			return gst_timing_begin(t, e->from);
		}
		return gst_timing_seen(t, e->from);
	case GST_END_BEGIN:
	case GST_END_EXIT:
		return gst_timing_end(t, e->from);
	}
	return GST_TIME_UNKNOWN;
}

#endif
