/*
 * replay.c - the schedule of the same work without some of its edges.
 *
 * Role      : tells what a finding's edges cost: makespan with all of them minus makespan without.
 * Method    : high bound, one pass in topological order. A moment is reached when the last of the arcs
 *             that remain (edges in force, and the copy before on the engine) releases it, plus what
 *             the arcs did not explain when it was observed: launch latency of an op, own time of a
 *             call, gap between two calls. Low bound: the same by events in time, with kernels sharing
 *             their device (fluid.c).
 * Invariant : without a cut every moment is reached exactly when it was observed. An arc whose target
 *             began early (skewed clocks) keeps its lead, so it never adds time of its own.
 * Not here  : threads' own locks: a gap between two calls stays as long as it was.
 */
#include "analyzer/timing/replay_internal.h"

#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/vec.h"

/* ---- arcs ----------------------------------------------------------------------------------- */

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
		return m->ops[p].flags & GST_OP_TIMED ? gst_timing_begin(t, p) : t->seen_ns[p];
	}
	if (gst_node_is_call(t->o, p)) {
		const struct gst_call *c = &m->calls[p - m->op_count];
		return gst_call_has_enter(c) ? c->enter_ns : GST_TIME_UNKNOWN;
	}
	return t->seen_ns[p];
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

struct builder {
	struct gst_timing *t;
	uint32_t *place; /* [moment_count] position in topological order */
	GST_VEC(struct gst_arc) arcs;
	GST_VEC(struct gst_heavy_arc) heavy;
	uint64_t sum_ns; /* of all weights and durations, as far as it fits */
	gst_moment_id target;
	uint64_t at;		  /* when the target was observed */
	int64_t from;		  /* latest of its arcs */
	uint32_t position, first; /* of the target; of its process */
};

/* Count @ns, of either sign, into the sum; at the end of the range it stays there. */
static void add_sum(struct builder *b, int64_t ns)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	b->sum_ns = size > UINT64_MAX - b->sum_ns ? UINT64_MAX : b->sum_ns + size;
}

/* An arc from @source, reached at @source_ns. What comes later in the order (a cycle) or is elsewhere cannot be one. */
static void add_arc(struct builder *b, gst_moment_id source, uint64_t source_ns, gst_edge_id edge,
		    enum gst_form form)
{
	struct gst_arc arc = {.from = b->place[source], .edge = edge};
	int64_t weight_ns = 0, reached;

	if (source_ns == GST_TIME_UNKNOWN || arc.from >= b->position || arc.from < b->first) {
		return;
	}
	if (source_ns > b->at) {
		weight_ns = -(int64_t)(source_ns - b->at);
	} else if (form == GST_ENTER_BEGIN && is_timed_op(b->t, b->target)) {
		uint64_t least = b->t->latency_ns[b->t->m->ops[b->target].kind];
		uint64_t gap = b->at - source_ns;
		weight_ns = (int64_t)(gap < least ? gap : least);
	}
	reached = (int64_t)source_ns + weight_ns;
	b->from = reached > b->from ? reached : b->from;
	if (form == GST_BEGIN_BEGIN) {
		/* Times are those of ends. */
		weight_ns -= gst_replay_duration(b->t, source);
		arc.from |= GST_ARC_BEGINS;
	}
	arc.weight_ns = (int32_t)weight_ns;
	if (weight_ns != arc.weight_ns || arc.weight_ns == GST_ARC_HEAVY) {
		arc.weight_ns = GST_ARC_HEAVY;
		gst_vec_push(&b->heavy, ((struct gst_heavy_arc){.arc = (uint32_t)b->arcs.count,
								.weight_ns = weight_ns}));
	}
	add_sum(b, weight_ns);
	gst_vec_push(&b->arcs, arc);
}

static void add_arcs(struct builder *b)
{
	struct gst_timing *t = b->t;
	const struct gst_model *m = t->m;
	gst_moment_id p = b->target;
	bool is_exit = gst_moment_is_exit(t, p);
	gst_node_id node = is_exit ? m->op_count + (p - t->node_count) : p;
	struct gst_edges in = gst_order_in(t->o, node);

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, &in, i);
		if (gst_moment_to(t, &e) == p && gst_timing_in_force(t, e.id)) {
			add_arc(b, gst_moment_from(t, &e), gst_timing_source(t, &e), e.id,
				(enum gst_form)e.form);
		}
	}
	if (is_exit) {
		add_arc(b, node, observed(t, node), t->edge_count, GST_END_EXIT);
	}
	if (p < m->op_count && m->ops[p].kind == GST_OP_MEMCPY && m->ops[p].detail != GST_NONE &&
	    t->engine_prev[m->ops[p].detail] != GST_NONE) {
		gst_op_id before = t->engine_prev[m->ops[p].detail];
		add_arc(b, before, m->ops[before].end_ns, t->edge_count, GST_END_BEGIN);
	}
}

void gst_timing_settle(struct gst_timing *t, struct gst_arena *arena)
{
	const struct gst_model *m = t->m;
	struct builder b = {.t = t};
	uint32_t process = 0; /* the first one whose moments are not over */

	b.place = t->place;
	gst_vec_reserve(&b.arcs, (size_t)t->edge_count + m->call_count + m->copy_count);
	for (uint32_t i = 0; i < t->moment_count; i++) {
		int64_t duration;

		while (i >= t->process_first[process + 1] && process + 1 < m->process_count) {
			process++;
		}
		b.target = t->topological[i];
		b.position = i;
		b.first = i >= t->process_first[process] ? t->process_first[process] : 0;
		gst_timing_find_evidence(t, b.target);
		b.at = observed(t, b.target);
		b.from = INT64_MIN;
		t->arc_begin[i] = (uint32_t)b.arcs.count;
		if (b.at == GST_TIME_UNKNOWN) {
			t->end_ns[i] = INT64_MIN;
			continue;
		}
		add_arcs(&b);
		duration = gst_replay_duration(t, b.target);
		t->end_ns[i] = (int64_t)b.at + duration;
		t->own_ns[i] = b.from == INT64_MIN ? 0 : t->end_ns[i] - b.from;
		add_sum(&b, t->own_ns[i]);
		if (i >= t->process_first[process]) {
			gst_replay_last(t->end_ns[i], &t->baseline_ns[process]);
		}
		if (b.target < m->op_count && m->ops[b.target].kind == GST_OP_KERNEL &&
		    is_timed_op(t, b.target) && t->kernels_ns < GST_TIMES_MAX_NS) {
			t->kernels_ns += (uint64_t)duration;
		}
	}
	t->arc_begin[t->moment_count] = (uint32_t)b.arcs.count;
	t->is_small = b.sum_ns < GST_TIMES_MAX_NS / 2;
	GST_ARENA_TAKE_VEC(arena, t->arcs, &b.arcs);
	t->heavy_count = (uint32_t)b.heavy.count;
	GST_ARENA_TAKE_VEC(arena, t->heavy, &b.heavy);
}

/* ---- the cut -------------------------------------------------------------------------------- */

/* The cut in terms of positions. */
void gst_replay_plan(const struct gst_timing *t, const struct gst_cut *cut,
		     struct gst_arena *scratch, struct gst_replay_plan *plan)
{
	plan->t = t;
	plan->call_cost_ns = (int64_t)cut->call_cost_ns;
	plan->is_cut = gst_arena_alloc(scratch, t->edge_count / 8 + 1);
	for (uint32_t i = 0; i < cut->edge_count; i++) {
		gst_edge_id e = cut->edges[i];
		GST_ASSERT(e < t->edge_count);
		plan->is_cut[e / 8] = (uint8_t)(plan->is_cut[e / 8] | 1u << (e % 8));
	}
	plan->cheap_count = cut->call_count;
	plan->cheap = GST_ARENA_ARRAY(scratch, struct gst_sort_item, cut->call_count);
	for (uint32_t i = 0; i < cut->call_count; i++) {
		plan->cheap[i].key = t->place[gst_moment_of_exit(t, cut->calls[i])];
	}
	gst_sort_items(plan->cheap, plan->cheap_count);
	plan->wait_count = cut->wait_count;
	plan->waits = GST_ARENA_ARRAY(scratch, struct gst_sort_item, cut->wait_count);
	for (uint32_t i = 0; i < cut->wait_count; i++) {
		plan->waits[i].key = t->place[gst_moment_of_exit(t, cut->waits[i].call)];
		plan->waits[i].value = t->place[cut->waits[i].op];
	}
	gst_sort_items(plan->waits, plan->wait_count);
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* a + b, which is known to fit if @is_small. */
static inline int64_t sum_of(int64_t a, int64_t b, bool is_small)
{
	return is_small ? a + b : gst_replay_sum(a, b);
}

/* When the arcs into position @i that are left release it; INT64_MIN = there is none. @at begins at position @first. */
static inline int64_t released(const struct gst_replay_plan *plan, uint32_t i, const int64_t *at,
			       uint32_t first, bool is_small)
{
	const struct gst_timing *t = plan->t;
	int64_t from = INT64_MIN;

	for (uint32_t j = t->arc_begin[i]; j < t->arc_begin[i + 1]; j++) {
		const struct gst_arc *a = &t->arcs[j];
		int64_t reached;

		if ((plan->is_cut[a->edge / 8] >> (a->edge % 8)) & 1) {
			continue;
		}
		reached = sum_of(at[(a->from & ~GST_ARC_BEGINS) - first], gst_arc_weight(t, a, j),
				 is_small);
		from = reached > from ? reached : from;
	}
	return from;
}

/* The last moment of @process under @plan; @at has room for its positions. */
static inline int64_t pass_over(const struct gst_replay_plan *plan, uint32_t process, int64_t *at,
				bool is_small)
{
	const struct gst_timing *t = plan->t;
	uint32_t cheap = 0, wait = 0, next_cheap, next_wait;
	uint32_t first = t->process_first[process], end = t->process_first[process + 1];
	int64_t last = 0;

	while (cheap < plan->cheap_count && plan->cheap[cheap].key < first) {
		cheap++;
	}
	while (wait < plan->wait_count && plan->waits[wait].key < first) {
		wait++;
	}
	next_cheap = cheap < plan->cheap_count ? (uint32_t)plan->cheap[cheap].key : GST_NONE;
	next_wait = wait < plan->wait_count ? (uint32_t)plan->waits[wait].key : GST_NONE;
	for (uint32_t i = first; i < end; i++) {
		int64_t from, own = t->own_ns[i];

		if (t->end_ns[i] == INT64_MIN) {
			at[i - first] = INT64_MIN;
			continue;
		}
		from = released(plan, i, at, first, is_small);
		while (next_wait == i) {
			uint32_t awaited = plan->waits[wait].value;
			/* One that comes later in the order cannot be waited for. */
			if (awaited < i && awaited >= first && at[awaited - first] > from) {
				from = at[awaited - first];
			}
			wait++;
			next_wait = wait < plan->wait_count ? (uint32_t)plan->waits[wait].key
							    : GST_NONE;
		}
		if (next_cheap == i) {
			own = own > plan->call_cost_ns ? plan->call_cost_ns : own;
			cheap++;
			next_cheap = cheap < plan->cheap_count ? (uint32_t)plan->cheap[cheap].key
							       : GST_NONE;
		}
		from = from == INT64_MIN ? t->end_ns[i] : sum_of(from, own, is_small);
		/* Its end is up to other devices: no earlier than it was. */
		if (t->has_spinning && from < t->end_ns[i] &&
		    gst_replay_spins(t, t->topological[i])) {
			from = t->end_ns[i];
		}
		at[i - first] = from;
		gst_replay_last(from, &last);
	}
	return last;
}

static int64_t pass(const struct gst_replay_plan *plan, uint32_t process, int64_t *at)
{
	return plan->t->is_small ? pass_over(plan, process, at, true)
				 : pass_over(plan, process, at, false);
}

/* The process that position @i is of; GST_NONE. */
static uint32_t process_at(const struct gst_timing *t, uint32_t i)
{
	uint32_t low = 0, high = t->m->process_count;

	if (i < t->process_first[0]) {
		return GST_NONE;
	}
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (t->process_first[mid] <= i) {
			low = mid;
		} else {
			high = mid;
		}
	}
	return low;
}

/* Which processes the cut changes anything in: a byte each. */
static const uint8_t *touched(const struct gst_timing *t, const struct gst_cut *cut,
			      struct gst_arena *scratch)
{
	uint8_t *is_touched = gst_arena_alloc(scratch, (size_t)t->m->process_count + 1);
	uint32_t process = GST_NONE;

	for (uint32_t i = 0; i < cut->edge_count; i++) {
		const struct gst_edge e = gst_order_edge(t->o, cut->edges[i]);

		process = process_at(t, t->place[gst_moment_to(t, &e)]);
		is_touched[process == GST_NONE ? t->m->process_count : process] = 1;
	}
	for (uint32_t i = 0; i < cut->call_count; i++) {
		is_touched[t->m->threads[t->m->calls[cut->calls[i]].thread].process] = 1;
	}
	for (uint32_t i = 0; i < cut->wait_count; i++) {
		is_touched[t->m->threads[t->m->calls[cut->waits[i].call].thread].process] = 1;
	}
	return is_touched;
}

void gst_timing_replay(const struct gst_timing *t, const struct gst_cut *cut,
		       struct gst_arena *scratch, struct gst_replay *out)
{
	const uint8_t *is_touched = touched(t, cut, scratch);
	struct gst_replay_plan plan;
	uint32_t most = 0;

	gst_replay_plan(t, cut, scratch, &plan);
	memset(out, 0, sizeof(*out));
	out->makespan_ns = (uint64_t)t->baseline_ns[0];
	for (uint32_t p = 0; p < t->m->process_count; p++) {
		int64_t *at;
		int64_t last;

		if (!is_touched[p]) {
			continue;
		}
		at = GST_ARENA_ARRAY(scratch, int64_t,
				     t->process_first[p + 1] - t->process_first[p]);
		last = pass(&plan, p, at);
		out->steps += t->process_first[p + 1] - t->process_first[p];
		/* A makespan is where it is even if nothing is gained. */
		if (p == 0) {
			out->makespan_ns = (uint64_t)last;
		}
		if (t->baseline_ns[p] > last &&
		    (uint64_t)(t->baseline_ns[p] - last) > out->gain_high_ns) {
			out->gain_high_ns = (uint64_t)(t->baseline_ns[p] - last);
			out->makespan_ns = (uint64_t)last;
			most = p;
		}
	}
	out->baseline_ns = (uint64_t)t->baseline_ns[most];
	if (cut->is_high_only) {
		return;
	}
	/* The shared replay takes at most as long as all kernels one after the other. */
	out->low_is_known =
		t->process_first[most + 1] - t->process_first[most] <= GST_REPLAY_LOW_MAX &&
		t->kernels_ns < GST_TIMES_MAX_NS;
	if (out->gain_high_ns > 0 && out->low_is_known) {
		static const struct gst_cut nothing;
		struct gst_replay_plan all;
		int64_t with, without;

		gst_replay_plan(t, &nothing, scratch, &all);
		with = gst_replay_shared(&all, most, scratch);
		without = gst_replay_shared(&plan, most, scratch);
		if (with > without) {
			out->gain_low_ns = (uint64_t)(with - without);
		}
		if (out->gain_low_ns > out->gain_high_ns) {
			out->gain_low_ns = out->gain_high_ns;
		}
	}
}
