/*
 * replay.c - the schedule of the same work without some of its edges.
 *
 * Role      : tells what a finding's edges cost: makespan with all of them minus makespan without.
 * Method    : high bound, one pass in topological order. A moment is reached when the last of the edges
 *             that remain (and its engine) releases it, plus what the edges did not explain when it
 *             was observed: launch latency of an op, own time of a call, gap between two calls.
 *             Low bound: the same by events in time, with kernels sharing their device (fluid.c).
 * Invariant : without a cut every moment is reached exactly when it was observed. An edge whose target
 *             began early (skewed clocks) keeps its lead, so it never adds time of its own.
 * Not here  : threads' own locks: a gap between two calls stays as long as it was.
 */
#include "analyzer/timing/replay_internal.h"

#include <string.h>

#include "analyzer/base/assert.h"

/* The observed time of a moment (the begin of an op); GST_TIME_UNKNOWN. */
static uint64_t observed(const struct gst_timing *t, gst_moment_id p)
{
	const struct gst_model *m = t->m;

	if (gst_moment_is_exit(t, p)) {
		const struct gst_call *c = &m->calls[p - t->node_count];
		return gst_call_has_exit(c) ? c->exit_ns : GST_TIME_UNKNOWN;
	}
	if (p < m->op_count) {
		return m->ops[p].flags & GST_OP_TIMED ? m->ops[p].begin_ns : t->seen_ns[p];
	}
	if (gst_node_is_call(t->o, p)) {
		const struct gst_call *c = &m->calls[p - m->op_count];
		return gst_call_has_enter(c) ? c->enter_ns : GST_TIME_UNKNOWN;
	}
	return t->seen_ns[p];
}

static bool is_timed_op(const struct gst_timing *t, gst_moment_id p)
{
	return p < t->m->op_count && (t->m->ops[p].flags & GST_OP_TIMED);
}

int64_t gst_replay_duration(const struct gst_timing *t, gst_moment_id p)
{
	return is_timed_op(t, p) ? (int64_t)(t->m->ops[p].end_ns - t->m->ops[p].begin_ns) : 0;
}

int64_t gst_replay_weight(const struct gst_timing *t, gst_edge_id id)
{
	const struct gst_edge *e = gst_order_edge(t->o, id);
	uint64_t from, to;

	if (e->form != GST_ENTER_BEGIN && !(t->edges[id] & GST_EDGE_EARLY)) {
		return 0;
	}
	from = gst_timing_source(t, e);
	to = observed(t, gst_moment_to(t, e));
	if (from == GST_TIME_UNKNOWN || to == GST_TIME_UNKNOWN) {
		return 0;
	}
	if (from > to) {
		return -(int64_t)(from - to);
	}
	if (e->form == GST_ENTER_BEGIN && is_timed_op(t, e->to)) {
		uint64_t least = t->latency_ns[t->m->ops[e->to].kind];
		return (int64_t)(to - from < least ? to - from : least);
	}
	return 0;
}

/* The least time from enter to begin of each kind of op: what a launch costs when nothing else holds it. */
static void find_latencies(struct gst_timing *t)
{
	const struct gst_model *m = t->m;

	for (uint32_t k = 0; k < GST_OP_KIND_COUNT; k++) {
		t->latency_ns[k] = UINT64_MAX;
	}
	for (gst_op_id i = 0; i < m->op_count; i++) {
		const struct gst_op *x = &m->ops[i];
		if ((x->flags & GST_OP_TIMED) && x->call != GST_NONE &&
		    gst_call_has_enter(&m->calls[x->call]) &&
		    x->begin_ns >= m->calls[x->call].enter_ns) {
			uint64_t gap = x->begin_ns - m->calls[x->call].enter_ns;
			if (gap < t->latency_ns[x->kind]) {
				t->latency_ns[x->kind] = gap;
			}
		}
	}
}

void gst_timing_prepare_replay(struct gst_timing *t)
{
	const struct gst_model *m = t->m;

	find_latencies(t);
	for (gst_op_id i = 0; i < m->op_count; i++) {
		if (m->ops[i].kind == GST_OP_KERNEL && is_timed_op(t, i) &&
		    t->kernels_ns < GST_TIMES_MAX_NS) {
			t->kernels_ns += m->ops[i].end_ns - m->ops[i].begin_ns;
		}
	}
	for (gst_edge_id e = 0; e < t->edge_count; e++) {
		const struct gst_edge *edge = gst_order_edge(t->o, e);
		uint64_t from = gst_timing_source(t, edge);
		uint64_t to = observed(t, gst_moment_to(t, edge));
		if (from != GST_TIME_UNKNOWN && to != GST_TIME_UNKNOWN && from > to) {
			t->edges[e] |= GST_EDGE_EARLY;
		}
	}
	for (uint32_t i = 0; i < t->moment_count; i++) {
		gst_moment_id p = t->topological[i];
		uint64_t at = observed(t, p);
		int64_t from = INT64_MIN;
		gst_node_id node = gst_moment_is_exit(t, p) ? m->op_count + (p - t->node_count) : p;
		uint32_t count;
		const gst_edge_id *in = gst_order_in(t->o, node, &count);

		if (at == GST_TIME_UNKNOWN) {
			continue;
		}
		for (uint32_t j = 0; j < count; j++) {
			const struct gst_edge *e = gst_order_edge(t->o, in[j]);
			uint64_t source;
			int64_t reached;

			if (gst_moment_to(t, e) != p || !gst_timing_in_force(t, in[j])) {
				continue;
			}
			source = gst_timing_source(t, e);
			if (source == GST_TIME_UNKNOWN) {
				continue;
			}
			reached = (int64_t)source + gst_replay_weight(t, in[j]);
			from = reached > from ? reached : from;
		}
		if (gst_moment_is_exit(t, p) && gst_call_has_enter(&m->calls[p - t->node_count])) {
			int64_t enter = (int64_t)m->calls[p - t->node_count].enter_ns;
			from = enter > from ? enter : from;
		}
		if (gst_replay_engine_prev(t, p) != GST_NONE) {
			int64_t end = (int64_t)m->ops[gst_replay_engine_prev(t, p)].end_ns;
			from = end > from ? end : from;
		}
		/* With nothing before it: where it was. */
		t->delay_ns[p] = from == INT64_MIN ? (int64_t)at : (int64_t)at - from;
		at += (uint64_t)gst_replay_duration(t, p);
		if (at > t->baseline_ns) {
			t->baseline_ns = at;
		}
	}
}

bool gst_replay_call_is_cheap(const struct gst_cut *cut, gst_call_id call)
{
	uint32_t low = 0, high = cut->call_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (cut->calls[mid] < call) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low < cut->call_count && cut->calls[low] == call;
}

int64_t gst_replay_delay(const struct gst_timing *t, const struct gst_cut *cut, gst_moment_id p)
{
	int64_t delay = t->delay_ns[p];

	if (gst_moment_is_exit(t, p) && cut->call_count && delay > (int64_t)cut->call_cost_ns &&
	    gst_replay_call_is_cheap(cut, p - t->node_count)) {
		delay = (int64_t)cut->call_cost_ns;
	}
	return delay;
}

static uint32_t first_wait(const struct gst_cut *cut, gst_call_id call)
{
	uint32_t low = 0, high = cut->wait_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (cut->waits[mid].call < call) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low;
}

/* When the source of @e is reached in the replay, by the times so far. */
static int64_t replayed(const struct gst_timing *t, const int64_t *at, const struct gst_edge *e)
{
	gst_moment_id p = gst_moment_from(t, e);

	if (e->form == GST_BEGIN_BEGIN) {
		return at[p] - gst_replay_duration(t, p);
	}
	return at[p];
}

/* Times of all moments without the edges of @is_cut; @at[p] is the end of an op. Returns the makespan. */
static int64_t pass(const struct gst_timing *t, const struct gst_cut *cut, const uint8_t *is_cut,
		    int64_t *at)
{
	const struct gst_model *m = t->m;
	int64_t makespan = 0;

	/* A moment on a cycle may be asked for before its turn. */
	for (gst_moment_id p = 0; p < t->moment_count; p++) {
		uint64_t seen = observed(t, p);
		at[p] = seen == GST_TIME_UNKNOWN ? INT64_MIN
						 : (int64_t)seen + gst_replay_duration(t, p);
	}
	for (uint32_t i = 0; i < t->moment_count; i++) {
		gst_moment_id p = t->topological[i];
		gst_node_id node = gst_moment_is_exit(t, p) ? m->op_count + (p - t->node_count) : p;
		int64_t from = INT64_MIN;
		gst_op_id before;
		uint32_t count;
		const gst_edge_id *in;

		if (at[p] == INT64_MIN) {
			continue;
		}
		in = gst_order_in(t->o, node, &count);
		for (uint32_t j = 0; j < count; j++) {
			const struct gst_edge *e = gst_order_edge(t->o, in[j]);
			int64_t reached;

			if ((is_cut[in[j] / 8] >> (in[j] % 8)) & 1 || gst_moment_to(t, e) != p ||
			    !gst_timing_in_force(t, in[j])) {
				continue;
			}
			reached = replayed(t, at, e);
			if (reached == INT64_MIN) {
				continue;
			}
			reached = gst_replay_sum(reached, gst_replay_weight(t, in[j]));
			from = reached > from ? reached : from;
		}
		if (gst_moment_is_exit(t, p) && gst_call_has_enter(&m->calls[p - t->node_count])) {
			int64_t enter = at[m->op_count + (p - t->node_count)];
			from = enter > from ? enter : from;
		}
		if (gst_moment_is_exit(t, p) && cut->wait_count) {
			gst_call_id call = p - t->node_count;
			for (uint32_t j = first_wait(cut, call);
			     j < cut->wait_count && cut->waits[j].call == call; j++) {
				int64_t end = at[cut->waits[j].op];
				from = end > from ? end : from;
			}
		}
		before = gst_replay_engine_prev(t, p);
		if (before != GST_NONE) {
			from = at[before] > from ? at[before] : from;
		}
		if (from != INT64_MIN) {
			int64_t end = gst_replay_sum(from, gst_replay_delay(t, cut, p));
			end = gst_replay_sum(end, gst_replay_duration(t, p));
			/* Its end is up to other devices: no earlier than it was. */
			if (gst_replay_spins(t, p) && end < at[p]) {
				end = at[p];
			}
			at[p] = end;
		}
		makespan = at[p] > makespan ? at[p] : makespan;
	}
	return makespan;
}

void gst_timing_replay(const struct gst_timing *t, const struct gst_cut *cut,
		       struct gst_arena *scratch, struct gst_replay *out)
{
	uint8_t *is_cut = gst_arena_alloc(scratch, t->edge_count / 8 + 1);
	int64_t *at = GST_ARENA_ARRAY(scratch, int64_t, t->moment_count);
	int64_t makespan;

	for (uint32_t i = 0; i < cut->edge_count; i++) {
		GST_ASSERT(cut->edges[i] < t->edge_count);
		GST_DCHECK(i == 0 || cut->edges[i - 1] < cut->edges[i]);
		is_cut[cut->edges[i] / 8] =
			(uint8_t)(is_cut[cut->edges[i] / 8] | 1u << (cut->edges[i] % 8));
	}
	makespan = pass(t, cut, is_cut, at);
	memset(out, 0, sizeof(*out));
	out->baseline_ns = t->baseline_ns;
	out->makespan_ns = (uint64_t)makespan;
	if (out->baseline_ns > out->makespan_ns) {
		out->gain_high_ns = out->baseline_ns - out->makespan_ns;
	}
	/* The shared replay takes at most as long as all kernels one after the other. */
	out->low_is_known =
		t->moment_count <= GST_REPLAY_LOW_MAX && t->kernels_ns < GST_TIMES_MAX_NS;
	if (out->gain_high_ns > 0 && out->low_is_known) {
		struct gst_cut none = {0};
		uint8_t *nothing = gst_arena_alloc(scratch, t->edge_count / 8 + 1);
		int64_t with = gst_replay_shared(t, &none, nothing, scratch);
		int64_t without = gst_replay_shared(t, cut, is_cut, scratch);
		uint64_t gain = with > without ? (uint64_t)(with - without) : 0;
		out->gain_low_ns = gain < out->gain_high_ns ? gain : out->gain_high_ns;
	}
}
