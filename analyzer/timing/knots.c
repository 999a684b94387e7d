/*
 * knots.c - what moves by itself in a replay (struct gst_knots), built once.
 *
 * Role      : gst_timing_settle, which replay.c and fluid.c stand on; what they ask of single calls.
 * Method    : one pass over the moments in topological order. Evidence first, for it decides which edges are
 *             in force; then the arcs of the moment, their slacks, and whether it needs a knot of its own.
 * Invariant : without a cut every knot has an arc without slack, so nothing gains. An arc whose target began
 *             early (skewed clocks) counts as of the target's time, so it never adds time of its own.
 * Not here  : what is gained (replay.c).
 */
#include "analyzer/timing/replay_internal.h"

#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/vec.h"

static bool is_timed_op(const struct gst_timing *t, gst_moment_id p)
{
	return p < t->m->op_count && (t->m->ops[p].flags & GST_OP_TIMED);
}

int64_t gst_replay_duration(const struct gst_timing *t, gst_moment_id p)
{
	return is_timed_op(t, p) ? (int64_t)(t->m->ops[p].end_ns - gst_timing_begin(t, p)) : 0;
}

/* The observed time of a moment (the begin of an op); GST_TIME_UNKNOWN. */
static uint64_t observed(const struct gst_timing *t, gst_moment_id p)
{
	const struct gst_model *m = t->m;

	if (gst_moment_is_exit(t, p)) {
		const struct gst_call *c = &m->calls[p - t->node_count];
		return gst_call_has_exit(c) ? c->exit_ns : GST_TIME_UNKNOWN;
	}
	if (p < m->op_count) {
		return m->ops[p].flags & GST_OP_TIMED ? gst_timing_begin(t, p)
						      : gst_timing_seen(t, p);
	}
	if (gst_node_is_call(t->o, p)) {
		const struct gst_call *c = &m->calls[p - m->op_count];
		return gst_call_has_enter(c) ? c->enter_ns : GST_TIME_UNKNOWN;
	}
	return gst_timing_seen(t, p);
}

/* The least time from enter to begin of each kind of op: what a launch costs when nothing else holds it. */
void gst_replay_find_latencies(struct gst_timing *t)
{
	const struct gst_model *m = t->m;
	uint64_t *latency_ns = t->latency_ns;

	for (uint32_t k = 0; k < GST_OP_KIND_COUNT; k++) {
		latency_ns[k] = UINT64_MAX;
	}
	for (gst_op_id i = 0; i < m->op_count; i++) {
		const struct gst_op *x = &m->ops[i];
		if ((x->flags & GST_OP_TIMED) && !(x->flags & GST_OP_EARLY_BEGIN) &&
		    x->call != GST_NONE && gst_call_has_enter(&m->calls[x->call]) &&
		    x->begin_ns >= m->calls[x->call].enter_ns) {
			uint64_t gap = x->begin_ns - m->calls[x->call].enter_ns;
			if (gap < latency_ns[x->kind]) {
				latency_ns[x->kind] = gap;
			}
		}
	}
}

/* ---- arcs into one moment ------------------------------------------------------------------------ */

/* An arc before its slack is known. */
struct release {
	uint32_t from; /* knot, with GST_ARC_BEGINS */
	gst_edge_id edge;
	int64_t reached_ns; /* when it released the moment */
};

struct releases {
	GST_VEC(struct release) v;
	gst_moment_id target;
	uint64_t at_ns;	   /* when the target was observed */
	int64_t latest_ns; /* of all; INT64_MIN = there are none */
	uint32_t first;	   /* knot of the target's process */
	uint32_t limit;	   /* see add_release */
	bool may_be_held;  /* by an edge, in force or not: the exit of a call that waits */
};

/*
 * What comes later in the order (a cycle) or is of another process releases nothing. While moments are being settled,
 * those to come have no knots, and the limit lets all knots in; later on it is the target's knot.
 */
static void add_release(const struct gst_timing *t, struct releases *r, gst_moment_id source,
			uint64_t source_ns, gst_edge_id edge, enum gst_form form)
{
	struct release x = {.from = t->place[source], .edge = edge};

	if (source_ns == GST_TIME_UNKNOWN || x.from >= r->limit || x.from < r->first) {
		return;
	}
	x.reached_ns = (int64_t)source_ns;
	if (source_ns > r->at_ns) {
		x.reached_ns = (int64_t)r->at_ns;
	} else if (form == GST_ENTER_BEGIN && is_timed_op(t, r->target)) {
		uint64_t least = t->latency_ns[t->m->ops[r->target].kind];
		uint64_t gap = r->at_ns - source_ns;
		x.reached_ns += (int64_t)(gap < least ? gap : least);
	}
	r->latest_ns = x.reached_ns > r->latest_ns ? x.reached_ns : r->latest_ns;
	x.from |= form == GST_BEGIN_BEGIN ? GST_ARC_BEGINS : 0;
	gst_vec_push(&r->v, x);
}

static void add_edge(const struct gst_timing *t, struct releases *r, const struct gst_edge *e)
{
	if (gst_timing_in_force(t, e->id)) {
		add_release(t, r, gst_moment_from(t, e), gst_timing_source(t, e), e->id,
			    (enum gst_form)e->form);
	}
}

/* The stored edges into @node; true if there are some. Those into a call are about its exit. */
static bool add_stored(const struct gst_timing *t, struct releases *r, gst_node_id node)
{
	struct gst_edges in = gst_order_stored_in(t->o, node);

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, &in, i);

		add_edge(t, r, &e);
	}
	return in.count > 0;
}

/* What an op came from and what it stands behind in its stream; the rest is stored. */
static void add_into_op(const struct gst_timing *t, struct releases *r, gst_op_id op)
{
	const struct gst_model *m = t->m;
	const struct gst_op *x = &m->ops[op];
	gst_node_id origin = gst_order_origin(t->o, op), before = gst_order_op_before(t->o, op);

	if (origin != GST_NONE && gst_node_is_op(t->o, origin)) {
		const struct gst_edge e = gst_order_edge(t->o, op);

		add_edge(t, r, &e);
	} else if (origin != GST_NONE) {
		add_release(t, r, origin, m->calls[x->call].enter_ns, op, GST_ENTER_BEGIN);
	}
	if (before != GST_NONE) {
		add_release(t, r, before, gst_timing_end(t, before), gst_order_before_id(t->o, op),
			    GST_END_BEGIN);
	}
	(void)add_stored(t, r, op);
	if (x->kind == GST_OP_MEMCPY && x->detail != GST_NONE &&
	    t->engine_prev[x->detail] != GST_NONE) {
		gst_op_id engine = t->engine_prev[x->detail];

		add_release(t, r, engine, m->ops[engine].end_ns, t->edge_count, GST_END_BEGIN);
	}
}

/* What releases r->target, which was observed at r->at_ns. */
static void find_releases(const struct gst_timing *t, struct releases *r)
{
	const struct gst_model *m = t->m;
	gst_moment_id p = r->target;

	gst_vec_clear(&r->v);
	r->latest_ns = INT64_MIN;
	r->may_be_held = false;
	if (gst_moment_is_exit(t, p)) {
		gst_node_id call = m->op_count + (p - t->node_count);

		r->may_be_held = add_stored(t, r, call);
		add_release(t, r, call, observed(t, call), t->edge_count, GST_END_EXIT);
	} else if (p < m->op_count) {
		add_into_op(t, r, p);
	} else if (gst_node_is_call(t->o, p)) {
		gst_call_id before = gst_order_call_before(t->o, p - m->op_count);

		if (before != GST_NONE) {
			gst_moment_id exit = gst_moment_of_exit(t, before);

			add_release(t, r, exit, observed(t, exit), gst_order_before_id(t->o, p),
				    GST_EXIT_ENTER);
		}
	} else {
		(void)add_stored(t, r, p);
	}
}

int64_t gst_replay_own_ns(const struct gst_timing *t, gst_call_id call)
{
	struct releases r = {.target = gst_moment_of_exit(t, call)};
	int64_t own_ns;

	r.at_ns = observed(t, r.target);
	r.limit = t->place[r.target];
	find_releases(t, &r);
	own_ns = r.latest_ns == INT64_MIN ? 0 : (int64_t)r.at_ns - r.latest_ns;
	gst_vec_free(&r.v);
	return own_ns;
}

/* ---- knots --------------------------------------------------------------------------------------- */

struct builder {
	struct gst_timing *t;
	struct releases r;
	GST_VEC(uint32_t) arc_begin;
	GST_VEC(struct gst_arc) arcs;
	GST_VEC(gst_edge_id) edges;
	GST_VEC(struct gst_heavy_arc) heavy;
	GST_VEC(int64_t) ends;
	GST_VEC(gst_moment_id) moments;
	uint64_t *far;
	int64_t *last_ns; /* moment of the process */
};

bool gst_replay_may_shrink(const struct gst_call *c)
{
	switch ((enum gst_api_class)c->cls) {
	case GST_API_CLASS_LAUNCH:
	case GST_API_CLASS_GRAPH_LAUNCH:
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_EVENT_WAIT:
		return false;
	default: /* many classes; these few are most calls of a trace */
		return true;
	}
}

/* Moment @p, last reached at @end_ns, moves with @knot. */
static uint32_t share_knot(struct builder *b, uint32_t knot, int64_t end_ns)
{
	if (end_ns > b->ends.data[knot]) {
		b->ends.data[knot] = end_ns;
	}
	return knot;
}

/*
 * Most moments of a trace: a call of a thread after the one before, a return that nothing holds. They go by what
 * find_releases() and is_of_source() would find, without looking for it. False: another kind of moment.
 */
static bool follow_thread(struct builder *b, gst_moment_id p)
{
	struct gst_timing *t = b->t;
	const struct gst_model *m = t->m;
	bool is_exit = gst_moment_is_exit(t, p);
	gst_node_id node = is_exit ? m->op_count + (p - t->node_count) : p;
	struct gst_edges in;
	uint32_t knot;

	if (!gst_node_is_call(t->o, node) ||
	    (is_exit && gst_replay_may_shrink(&m->calls[node - m->op_count]))) {
		return false;
	}
	in = gst_order_in(t->o, node);
	if (in.count > in.made_count) {
		return false; /* something else leads to it than the call before */
	}
	if (is_exit) {
		knot = t->place[node];
	} else if (in.count) {
		const struct gst_edge e = gst_edges_at(t->o, &in, 0);
		knot = t->place[gst_moment_from(t, &e)];
	} else {
		return false;
	}
	if (knot >= b->r.limit || knot < b->r.first) {
		return false;
	}
	t->place[p] = share_knot(b, knot, (int64_t)b->r.at_ns);
	gst_replay_last((int64_t)b->r.at_ns, b->last_ns);
	return true;
}

/* Does the target gain whatever its only source gains, in every replay that may be asked for? */
static bool is_of_source(const struct builder *b)
{
	const struct gst_timing *t = b->t;
	gst_moment_id p = b->r.target;

	if (b->r.v.count != 1) {
		return false;
	}
	if (gst_moment_is_exit(t, p)) {
		return !b->r.may_be_held && !gst_replay_may_shrink(&t->m->calls[p - t->node_count]);
	}
	return gst_node_is_call(t->o, p);
}

static void add_arc(struct builder *b, const struct release *x)
{
	uint32_t knot = (uint32_t)b->ends.count, from = x->from & ~GST_ARC_BEGINS;
	struct gst_arc arc = {.from = x->from};
	int64_t slack_ns = b->r.latest_ns - x->reached_ns;

	if (slack_ns >= (int64_t)GST_ARC_HEAVY) {
		gst_vec_push(&b->heavy, ((struct gst_heavy_arc){.arc = (uint32_t)b->arcs.count,
								.slack_ns = slack_ns}));
		arc.slack_ns = GST_ARC_HEAVY;
	} else {
		arc.slack_ns = (uint32_t)slack_ns;
	}
	if (knot - from > GST_KNOTS_NEAR) {
		b->far[from / 64] |= UINT64_C(1) << (from % 64);
	}
	gst_vec_push(&b->arcs, arc);
	gst_vec_push(&b->edges, x->edge);
}

/* The knot of the target, which was last reached at @end_ns. */
static uint32_t add_knot(struct builder *b, int64_t end_ns)
{
	uint32_t knot = (uint32_t)b->ends.count;

	if (is_of_source(b)) {
		return share_knot(b, b->r.v.data[0].from, end_ns);
	}
	gst_vec_push(&b->arc_begin, (uint32_t)b->arcs.count);
	for (size_t i = 0; i < b->r.v.count; i++) {
		add_arc(b, &b->r.v.data[i]);
	}
	gst_vec_push(&b->ends, end_ns);
	gst_vec_push(&b->moments, b->r.target);
	return knot;
}

static void count_far(struct gst_knots *k, const uint64_t *far, struct gst_arena *arena)
{
	size_t words = k->count / 64 + 1;
	uint32_t sum = 0;

	k->far = gst_arena_copy(arena, far, words * sizeof(*far));
	k->far_before = GST_ARENA_ARRAY(arena, uint32_t, words);
	for (size_t i = 0; i < words; i++) {
		k->far_before[i] = sum;
		sum += (uint32_t)__builtin_popcountll(far[i]);
	}
}

static void take_knots(struct builder *b, struct gst_arena *arena)
{
	struct gst_knots *k = &b->t->knots;

	k->count = (uint32_t)b->ends.count;
	gst_vec_push(&b->arc_begin, (uint32_t)b->arcs.count);
	k->heavy_count = (uint32_t)b->heavy.count;
	count_far(k, b->far, arena);
	GST_ARENA_TAKE_VEC(arena, k->arc_begin, &b->arc_begin);
	GST_ARENA_TAKE_VEC(arena, k->arcs, &b->arcs);
	GST_ARENA_TAKE_VEC(arena, k->arc_edges, &b->edges);
	GST_ARENA_TAKE_VEC(arena, k->heavy, &b->heavy);
	GST_ARENA_TAKE_VEC(arena, k->end_ns, &b->ends);
	GST_ARENA_TAKE_VEC(arena, k->moments, &b->moments);
}

void gst_timing_settle(struct gst_timing *t, struct gst_arena *arena)
{
	const struct gst_model *m = t->m;
	struct builder b = {.t = t};
	struct gst_knots *k = &t->knots;
	size_t far_bytes = ((size_t)t->moment_count / 64 + 1) * sizeof(*b.far);
	uint32_t process = 0; /* the next one */
	int64_t nobodys_ns = 0;
	struct gst_moments w = {.t = t};
	gst_moment_id p;

	b.last_ns = &nobodys_ns;
	b.far = gst_mem_alloc(far_bytes);
	k->process_first = GST_ARENA_ARRAY(arena, uint32_t, (size_t)m->process_count + 2);
	/* Of moments to come nothing is known. */
	memset(t->place, 0xff, t->moment_count * sizeof(*t->place));
	b.r.limit = GST_NONE;
	for (uint32_t i = 0; (p = gst_moments_next(&w)) != GST_NONE; i++) {
		int64_t end_ns, duration_ns;

		while (process < m->process_count && i >= t->process_first[process]) {
			b.last_ns = &t->baseline_ns[process];
			b.r.first = k->process_first[process++] = (uint32_t)b.ends.count;
		}
		b.r.at_ns = observed(t, p);
		if (b.r.at_ns != GST_TIME_UNKNOWN && follow_thread(&b, p)) {
			continue;
		}
		gst_timing_find_evidence(t, p);
		b.r.target = p;
		b.r.at_ns = observed(t, p);
		if (b.r.at_ns == GST_TIME_UNKNOWN) {
			continue;
		}
		find_releases(t, &b.r);
		duration_ns = gst_replay_duration(t, p);
		end_ns = (int64_t)b.r.at_ns + duration_ns;
		t->place[p] = add_knot(&b, end_ns);
		gst_replay_last(end_ns, b.last_ns);
		if (p < m->op_count && m->ops[p].kind == GST_OP_KERNEL && is_timed_op(t, p) &&
		    t->kernels_ns < GST_TIMES_MAX_NS) {
			t->kernels_ns += (uint64_t)duration_ns;
		}
	}
	while (process <= m->process_count) {
		k->process_first[process++] = (uint32_t)b.ends.count;
	}
	take_knots(&b, arena);
	gst_vec_free(&b.r.v);
	gst_mem_free(b.far, far_bytes);
}
