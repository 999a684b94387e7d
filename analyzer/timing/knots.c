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
#include "analyzer/base/parallel.h"
#include "analyzer/base/vec.h"

/* One op without times in so many: their moments are all over the array then. */
#define UNTIMED_SHARE 256u

static bool is_timed_op(const struct gst_timing *t, gst_moment_id p)
{
	return p < t->m->op_count && (t->m->ops[p].flags & GST_OP_TIMED);
}

int64_t gst_replay_duration(const struct gst_timing *t, gst_moment_id p)
{
	return is_timed_op(t, p) ? (int64_t)(t->m->ops[p].end_ns - gst_timing_begin(t, p)) : 0;
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
		t->untimed_ops += !(x->flags & GST_OP_TIMED);
	}
}

/* Does @call return at a known time, and is that its own whatever may have held it? */
static bool returns_alone(const struct gst_call *c)
{
	return gst_call_has_exit(c) && (gst_replay_may_shrink(c) || !gst_call_has_enter(c));
}

void gst_replay_count_own_exits(struct gst_timing *t)
{
	for (gst_call_id c = 0; c < t->m->call_count; c++) {
		t->own_exits += returns_alone(&t->m->calls[c]);
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
};

/*
 * What comes later in the order (a cycle) or is of another process releases nothing. While moments are being settled,
 * those to come have no knots, and the limit lets all knots in; later on it is the target's knot.
 */
static void add_release(const struct gst_timing *t, struct releases *r, gst_moment_id source,
			uint64_t source_ns, gst_edge_id edge, enum gst_form form)
{
	struct release x = {.from = gst_timing_knot(t, source), .edge = edge};

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

static void add_edges(const struct gst_timing *t, struct releases *r, const struct gst_edges *in)
{
	for (uint32_t i = 0; i < in->count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, in, i);

		add_edge(t, r, &e);
	}
}

/* The releases of r->target, which was observed at @at_ns, come next. */
static void begin_releases(struct releases *r, gst_moment_id target, uint64_t at_ns)
{
	gst_vec_clear(&r->v);
	r->target = target;
	r->at_ns = at_ns;
	r->latest_ns = INT64_MIN;
}

/* What an op came from, what it stands behind in its stream, @in: the rest, and the copy before on its engine. */
static void release_op(const struct gst_timing *t, struct releases *r, gst_op_id op,
		       const struct gst_edges *in)
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
	add_edges(t, r, in);
	if (x->kind == GST_OP_MEMCPY && x->detail != GST_NONE &&
	    t->engine_prev[x->detail] != GST_NONE) {
		gst_op_id engine = t->engine_prev[x->detail];

		add_release(t, r, engine, m->ops[engine].end_ns, t->edge_count, GST_END_BEGIN);
	}
}

/* @in, the stored edges into @call, are about its exit. */
static void release_exit(const struct gst_timing *t, struct releases *r, gst_call_id call,
			 const struct gst_edges *in)
{
	const struct gst_call *c = &t->m->calls[call];

	add_edges(t, r, in);
	add_release(t, r, gst_node_of_call(t->o, call),
		    gst_call_has_enter(c) ? c->enter_ns : GST_TIME_UNKNOWN, t->edge_count,
		    GST_END_EXIT);
}

/* What released the end of a call, an op or a barrier point when it was settled, once all is. */
static void find_again(const struct gst_timing *t, struct releases *r, gst_moment_id p)
{
	const struct gst_model *m = t->m;
	bool is_exit = gst_moment_is_exit(t, p);
	gst_node_id node = is_exit ? m->op_count + (p - t->node_count) : p;
	struct gst_edges in = gst_order_stored_in(t->o, node);

	r->limit = gst_timing_knot(t, p);
	if (is_exit) {
		begin_releases(r, p, m->calls[p - t->node_count].exit_ns);
		release_exit(t, r, p - t->node_count, &in);
	} else if (p < m->op_count) {
		begin_releases(r, p,
			       is_timed_op(t, p) ? gst_timing_begin(t, p) : gst_timing_seen(t, p));
		release_op(t, r, p, &in);
	} else {
		begin_releases(r, p, gst_timing_seen(t, p));
		add_edges(t, r, &in);
	}
}

int64_t gst_replay_own_ns(const struct gst_timing *t, gst_call_id call)
{
	struct releases r = {0};
	int64_t own_ns;

	find_again(t, &r, gst_moment_of_exit(t, call));
	own_ns = r.latest_ns == INT64_MIN ? 0 : (int64_t)r.at_ns - r.latest_ns;
	gst_vec_free(&r.v);
	return own_ns;
}

/* Which of the releases, which are in the order of their edges, is by @edge; their number if none is. */
static uint32_t find_edge(const struct releases *r, gst_edge_id edge)
{
	uint32_t low = 0, high = (uint32_t)r->v.count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (r->v.data[mid].edge < edge) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low < r->v.count && r->v.data[low].edge == edge ? low : (uint32_t)r->v.count;
}

/*
 * Mostly all that could have released moment @p has an arc: then the place of @edge among it tells which one it is.
 * GST_NONE: something has none.
 */
static uint32_t place_of_edge(const struct gst_timing *t, gst_moment_id p, gst_edge_id edge,
			      uint32_t arcs)
{
	bool is_op = p < t->m->op_count;
	const struct gst_op *x = is_op ? &t->m->ops[p] : NULL;
	bool is_exit = gst_moment_is_exit(t, p);
	bool has_engine = is_op && x->kind == GST_OP_MEMCPY && x->detail != GST_NONE &&
			  t->engine_prev[x->detail] != GST_NONE;
	struct gst_edges in =
		is_op ? gst_order_in(t->o, p)
		      : gst_order_stored_in(t->o,
					    is_exit ? t->m->op_count + (p - t->node_count) : p);

	if (in.count + is_exit + has_engine != arcs || edge < t->stored_base) {
		return GST_NONE;
	}
	return in.made_count + (edge - in.first);
}

uint32_t gst_replay_find_arcs(const struct gst_timing *t, const gst_edge_id *edges, uint32_t count,
			      struct gst_cut_arc *arcs)
{
	const uint32_t *begin = t->knots.arc_begin;
	struct releases r = {.target = GST_NONE};
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct gst_edge e = gst_order_edge(t->o, edges[i]);
		gst_moment_id to = gst_moment_to(t, &e);
		uint32_t knot = gst_timing_knot(t, to), count_of_knot, at;

		/* Enters of calls move with the call before: no arc leads to them. */
		if (knot == GST_NONE || e.form == GST_EXIT_ENTER) {
			continue;
		}
		count_of_knot = begin[knot + 1] - begin[knot];
		at = place_of_edge(t, to, edges[i], count_of_knot);
		if (at == GST_NONE) {
			if (to != r.target) {
				find_again(t, &r, to);
			}
			/* In a cycle there may be others now: then it is not known which one it was. */
			at = r.v.count == count_of_knot ? find_edge(&r, edges[i]) : count_of_knot;
		}
		if (at < count_of_knot) {
			arcs[found++] = (struct gst_cut_arc){.arc = begin[knot] + at, .knot = knot};
		}
	}
	gst_vec_free(&r.v);
	return found;
}

/* ---- knots --------------------------------------------------------------------------------------- */

/* What the pass fills is made by another thread, a slice of each array after the other, ahead of the pass. */
#define FILLED_MAX 10u
#define SLICES	   64u

struct filling {
	struct gst_beside beside;
	struct {
		uint8_t *data;
		size_t bytes;
	} arrays[FILLED_MAX];
	uint32_t count;
};

struct builder {
	struct gst_timing *t;
	struct filling filling;
	size_t knot_room, arc_room; /* while it is filled, nothing moves: so many are reserved */
	struct releases r;
	GST_VEC(uint32_t) arc_begin;
	GST_VEC(struct gst_arc) arcs;
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

/* Moment @p, reached at @at_ns, moves with that of @source; false: it has no knot that could be shared. */
static bool share_knot(struct builder *b, gst_moment_id p, gst_moment_id source, uint64_t at_ns)
{
	struct gst_timing *t = b->t;
	uint32_t knot = gst_timing_knot(t, source);

	if (knot == GST_NONE || knot < b->r.first) {
		return false;
	}
	gst_replay_last((int64_t)at_ns, &b->ends.data[knot]);
	gst_replay_last((int64_t)at_ns, b->last_ns);
	t->place[p] = knot + 1;
	return true;
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
}

static void fill(void *payload)
{
	const struct filling *f = payload;

	for (size_t i = 0; i < SLICES; i++) {
		for (uint32_t k = 0; k < f->count; k++) {
			size_t from = f->arrays[k].bytes * i / SLICES;
			size_t to = f->arrays[k].bytes * (i + 1) / SLICES;

			gst_mem_populate(f->arrays[k].data + from, to - from);
		}
	}
}

static void add_filled(struct filling *f, void *data, size_t bytes)
{
	GST_ASSERT(f->count < FILLED_MAX);
	f->arrays[f->count].data = data;
	f->arrays[f->count++].bytes = bytes;
}

static void begin_filling(struct builder *b)
{
	const struct gst_timing *t = b->t;
	struct filling *f = &b->filling;
	size_t ops = t->m->op_count, calls = t->m->call_count;

	add_filled(f, t->place, ops * sizeof(*t->place));
	add_filled(f, t->place + ops, calls * sizeof(*t->place));
	add_filled(f, t->place + t->node_count, calls * sizeof(*t->place));
	add_filled(f, b->arc_begin.data, b->knot_room * sizeof(*b->arc_begin.data));
	add_filled(f, b->ends.data, b->knot_room * sizeof(*b->ends.data));
	add_filled(f, b->moments.data, b->knot_room * sizeof(*b->moments.data));
	add_filled(f, b->arcs.data, b->arc_room * sizeof(*b->arcs.data));
	/* Ops with times leave theirs alone. */
	if (t->untimed_ops > ops / UNTIMED_SHARE) {
		add_filled(f, t->seen, ops * sizeof(*t->seen));
	}
	gst_parallel_begin(&f->beside, fill, f);
}

static void end_filling(struct builder *b)
{
	gst_parallel_end(&b->filling.beside);
	b->knot_room = b->arc_room = SIZE_MAX;
}

/* The target has a knot of its own, with what releases it; it is over at @end_ns. */
static void add_knot(struct builder *b, int64_t end_ns)
{
	if (b->ends.count >= b->knot_room || b->arcs.count + b->r.v.count > b->arc_room) {
		end_filling(b);
	}
	gst_vec_push(&b->arc_begin, (uint32_t)b->arcs.count);
	for (size_t i = 0; i < b->r.v.count; i++) {
		add_arc(b, &b->r.v.data[i]);
	}
	gst_vec_push(&b->ends, end_ns);
	gst_vec_push(&b->moments, b->r.target);
	b->t->place[b->r.target] = (uint32_t)b->ends.count;
	gst_replay_last(end_ns, b->last_ns);
}

/* A call of a thread moves with the one before, whatever is cut. */
static void settle_enter(struct builder *b, gst_call_id call)
{
	const struct gst_timing *t = b->t;
	const struct gst_call *c = &t->m->calls[call];
	gst_call_id before = gst_order_call_before(t->o, call);
	gst_node_id node = gst_node_of_call(t->o, call);

	if (!gst_call_has_enter(c) ||
	    (before != GST_NONE &&
	     share_knot(b, node, gst_moment_of_exit(t, before), c->enter_ns))) {
		return;
	}
	begin_releases(&b->r, node, c->enter_ns);
	add_knot(b, (int64_t)c->enter_ns);
}

/* A return that nothing holds moves with its enter, unless a cut may make the call itself shorter. */
static void settle_exit(struct builder *b, gst_call_id call)
{
	struct gst_timing *t = b->t;
	const struct gst_call *c = &t->m->calls[call];
	gst_node_id node = gst_node_of_call(t->o, call);
	gst_moment_id exit = gst_moment_of_exit(t, call);
	struct gst_edges in = gst_order_stored_in(t->o, node);

	if (!gst_call_has_exit(c) ||
	    (!in.count && !gst_replay_may_shrink(c) && share_knot(b, exit, node, c->exit_ns))) {
		return;
	}
	gst_timing_judge_exit(t, call, &in);
	begin_releases(&b->r, exit, c->exit_ns);
	release_exit(t, &b->r, call, &in);
	add_knot(b, (int64_t)c->exit_ns);
}

static void settle_op(struct builder *b, gst_op_id op)
{
	struct gst_timing *t = b->t;
	const struct gst_op *x = &t->m->ops[op];
	struct gst_edges in = gst_order_stored_in(t->o, op);
	bool is_timed = x->flags & GST_OP_TIMED;
	uint64_t at_ns, end_ns;

	gst_timing_judge_op(t, op, &in);
	at_ns = is_timed ? gst_timing_begin(t, op) : gst_timing_seen(t, op);
	if (at_ns == GST_TIME_UNKNOWN) {
		return;
	}
	end_ns = is_timed ? x->end_ns : at_ns;
	begin_releases(&b->r, op, at_ns);
	release_op(t, &b->r, op, &in);
	add_knot(b, (int64_t)end_ns);
	if (is_timed && x->kind == GST_OP_KERNEL && t->kernels_ns < GST_TIMES_MAX_NS) {
		t->kernels_ns += end_ns - at_ns;
	}
}

static void settle_barrier(struct builder *b, gst_node_id barrier)
{
	struct gst_timing *t = b->t;
	struct gst_edges in = gst_order_stored_in(t->o, barrier);
	uint64_t at_ns;

	gst_timing_judge_barrier(t, barrier);
	at_ns = gst_timing_seen(t, barrier);
	if (at_ns == GST_TIME_UNKNOWN) {
		return;
	}
	begin_releases(&b->r, barrier, at_ns);
	add_edges(t, &b->r, &in);
	add_knot(b, (int64_t)at_ns);
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
	GST_ARENA_TAKE_VEC(arena, k->heavy, &b->heavy);
	GST_ARENA_TAKE_VEC(arena, k->end_ns, &b->ends);
	GST_ARENA_TAKE_VEC(arena, k->moments, &b->moments);
}

/* Calls with edges into their exits. */
static uint32_t count_held(const struct gst_timing *t)
{
	gst_node_id last = GST_NONE;
	uint32_t count = 0;

	/* Edges are in the order of what they lead to. */
	for (gst_edge_id e = t->stored_base; e < t->edge_count; e++) {
		gst_node_id to = gst_order_edge(t->o, e).to;

		count += to != last && gst_node_is_call(t->o, to);
		last = to;
	}
	return count;
}

/* What the arrays will need at most, but in a cycle: so they need not move. */
static void reserve(struct builder *b)
{
	const struct gst_timing *t = b->t;
	const struct gst_model *m = t->m;
	size_t exits = (size_t)t->own_exits + count_held(t);

	b->knot_room = (t->node_count - m->call_count) + exits + m->thread_count;
	b->arc_room = gst_order_edge_count(t->o) - gst_order_stats(t->o)->per_rule[GST_RULE_T1] +
		      m->copy_count + exits;
	gst_vec_reserve(&b->arc_begin, b->knot_room + 1);
	gst_vec_reserve(&b->ends, b->knot_room);
	gst_vec_reserve(&b->moments, b->knot_room);
	gst_vec_reserve(&b->arcs, b->arc_room);
}

void gst_timing_settle(struct gst_timing *t, struct gst_arena *arena)
{
	const struct gst_model *m = t->m;
	struct builder b = {.t = t};
	struct gst_knots *k = &t->knots;
	size_t far_bytes = ((size_t)t->moment_count / 64 + 1) * sizeof(*b.far);
	gst_node_id first_barrier = m->op_count + m->call_count;
	uint32_t process = 0; /* the next one */
	int64_t nobodys_ns = 0;
	struct gst_moments w = {.t = t};
	gst_moment_id p;

	b.last_ns = &nobodys_ns;
	b.far = gst_mem_alloc(far_bytes);
	reserve(&b);
	begin_filling(&b);
	k->process_first = GST_ARENA_ARRAY(arena, uint32_t, (size_t)m->process_count + 2);
	/* Of moments to come nothing is known. */
	b.r.limit = GST_NONE;
	for (uint32_t i = 0; (p = gst_moments_next(&w)) != GST_NONE; i++) {
		while (process < m->process_count && i >= t->process_first[process]) {
			b.last_ns = &t->baseline_ns[process];
			b.r.first = k->process_first[process++] = (uint32_t)b.ends.count;
		}
		if (p < m->op_count) {
			settle_op(&b, p);
		} else if (p < first_barrier) {
			settle_enter(&b, p - m->op_count);
		} else if (gst_moment_is_exit(t, p)) {
			settle_exit(&b, p - t->node_count);
		} else {
			settle_barrier(&b, p);
		}
	}
	while (process <= m->process_count) {
		k->process_first[process++] = (uint32_t)b.ends.count;
	}
	end_filling(&b);
	take_knots(&b, arena);
	gst_vec_free(&b.r.v);
	gst_mem_free(b.far, far_bytes);
}
