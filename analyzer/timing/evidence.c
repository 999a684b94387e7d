/*
 * evidence.c - which `possible` edges the timestamps bear out, and when untimed things happened.
 *
 * Role      : fills the strength of every edge and the moment of ops without times and barrier points.
 * Method    : one pass in topological order. An untimed op or barrier point is reached when the last of
 *             its predecessors in force is. At the exit of a call its `possible` waits are judged:
 *
 *               work still pending at exit        -> the call did not wait for it: disproved
 *               work pending at enter, over at exit, and the exit within 200 us of it -> observed
 *               over at enter, or long before the exit -> no evidence: stays possible
 *
 * Invariant : documented edges are never touched; an op whose end is not known proves nothing.
 * Not here  : contradictions of documented edges (verify.c).
 */
#include "analyzer/timing/timing_internal.h"

#include <string.h>

/* After this much more time the call did something else than to wait. */
#define SOON_NS 200000u
/* Host and device clocks are this far apart at best. */
#define CLOCK_SLACK_NS 1000u
/* A call that loads something: what bears its wait out must be longer than a load, and right before its return. */
#define LOADED_SOON_NS 20000u
#define LOADED_LONG_NS 1000000u
/* Ops without times looked through for one that has some. */
#define FOLLOW_MAX 16u

static void set_strength(struct gst_timing *t, gst_edge_id e, enum gst_strength s)
{
	t->edges[e - t->stored_base] = (uint8_t)s;
}

/* Was what @e stands for lost, or is its time not known for another reason? Then it proves nothing. */
static bool source_is_vague(const struct gst_timing *t, const struct gst_edge *e)
{
	return gst_timing_is_vague(t, e->from);
}

/* H7, H10: the waits of one call stand or fall together, for it waits for a whole context or for nothing. */
static void judge_whole_context(struct gst_timing *t, const struct gst_call *c, uint64_t slack_ns,
				const struct gst_edges *in, enum gst_rule rule)
{
	enum gst_strength verdict = GST_POSSIBLE;
	uint64_t last = 0;
	bool has_vague = false, has_any = false;

	for (uint32_t i = 0; i < in->count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, in, i);
		if (e.rule == rule && e.form == GST_END_EXIT) {
			uint64_t at = gst_timing_source(t, &e);
			has_any = true;
			has_vague |= source_is_vague(t, &e);
			if (at != GST_TIME_UNKNOWN && at > last) {
				last = at;
			}
		}
	}
	if (!has_any) {
		return;
	}
	if (last > c->exit_ns + slack_ns) {
		verdict = GST_DISPROVED;
	} else if (last > c->enter_ns && !has_vague && c->exit_ns <= last + SOON_NS) {
		verdict = GST_OBSERVED;
	}
	/* To load takes a while of its own, in which work may well end by chance. */
	if (verdict == GST_OBSERVED && c->flags & GST_CALL_LOADED &&
	    (c->exit_ns > last + LOADED_SOON_NS || last < c->enter_ns + LOADED_LONG_NS)) {
		verdict = GST_POSSIBLE;
	}
	for (uint32_t i = 0; i < in->count && verdict != GST_POSSIBLE; i++) {
		const struct gst_edge e = gst_edges_at(t->o, in, i);
		if (e.rule == rule && e.form == GST_END_EXIT && e.strength == GST_POSSIBLE) {
			set_strength(t, e.id, verdict);
		}
	}
}

/* Most calls wait for what is documented, if for anything. */
static bool has_possible(const struct gst_timing *t, const struct gst_edges *in)
{
	for (uint32_t i = 0; i < in->count; i++) {
		if (gst_timing_strength_of(t, in->first + i) == GST_POSSIBLE) {
			return true;
		}
	}
	return false;
}

void gst_timing_judge_exit(struct gst_timing *t, gst_call_id call, const struct gst_edges *in)
{
	const struct gst_call *c = &t->m->calls[call];
	uint64_t slack_ns = CLOCK_SLACK_NS;

	if (!has_possible(t, in) || !gst_call_has_enter(c) || !gst_call_has_exit(c)) {
		return;
	}
	slack_ns += t->m->processes[t->m->threads[c->thread].process].clock_uncertainty_ns;
	judge_whole_context(t, c, slack_ns, in, GST_RULE_H7);
	judge_whole_context(t, c, slack_ns, in, GST_RULE_H10);
	for (uint32_t i = 0; i < in->count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, in, i);
		uint64_t at;

		if (e.form != GST_END_EXIT || e.strength != GST_POSSIBLE || e.rule == GST_RULE_H7 ||
		    e.rule == GST_RULE_H10) {
			continue;
		}
		at = gst_timing_source(t, &e);
		if (at == GST_TIME_UNKNOWN) {
			continue;
		}
		if (at > c->exit_ns + slack_ns) {
			set_strength(t, e.id, GST_DISPROVED);
		} else if (at > c->enter_ns && !source_is_vague(t, &e)) {
			set_strength(t, e.id, GST_OBSERVED);
		}
	}
}

/* A `possible` order of work is disproved by an overlap; that it held proves nothing. */
static void judge_work(struct gst_timing *t, gst_op_id op, const struct gst_edges *in)
{
	const struct gst_op *x = &t->m->ops[op];

	for (uint32_t i = 0; i < in->count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, in, i);
		uint64_t at;

		if (e.strength != GST_POSSIBLE ||
		    (e.form != GST_END_BEGIN && e.form != GST_BEGIN_BEGIN)) {
			continue;
		}
		at = gst_timing_source(t, &e);
		if (at != GST_TIME_UNKNOWN && at > x->begin_ns + 64) {
			set_strength(t, e.id, GST_DISPROVED);
		}
	}
}

static uint64_t released(const struct gst_timing *t, gst_node_id node, bool with_possible)
{
	uint64_t last = GST_TIME_UNKNOWN;
	struct gst_edges in = gst_order_in(t->o, node);

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, &in, i);
		enum gst_strength s = gst_timing_strength_of(t, e.id);
		uint64_t at;

		if (s == GST_DISPROVED || (s == GST_POSSIBLE && !with_possible)) {
			continue;
		}
		at = gst_timing_source(t, &e);
		if (at != GST_TIME_UNKNOWN && (last == GST_TIME_UNKNOWN || at > last)) {
			last = at;
		}
	}
	return last;
}

/* A copy whose begin was stamped before it waited: it began when it was released, within its record. */
static void settle_begin(struct gst_timing *t, gst_op_id op)
{
	const struct gst_op *x = &t->m->ops[op];
	uint64_t at = released(t, op, false);

	if (at == GST_TIME_UNKNOWN || at < x->begin_ns) {
		at = x->begin_ns;
	}
	gst_timing_set_seen(t, op, at < x->end_ns ? at : x->end_ns);
}

/* Ops that end at once when what they wait for is over; a wait for a value does not. */
static bool takes_no_time(const struct gst_model *m, const struct gst_op *x)
{
	if (x->kind == GST_OP_MEMOP && x->detail != GST_NONE)
		return m->memops[x->detail].type != GST_MEMOP_WAIT_32 &&
		       m->memops[x->detail].type != GST_MEMOP_WAIT_64;
	return x->kind == GST_OP_EVENT_RECORD || x->kind == GST_OP_EVENT_WAIT ||
	       x->kind == GST_OP_ALLOC || x->kind == GST_OP_FREE;
}

static bool is_vague(const struct gst_timing *t, gst_node_id node)
{
	struct gst_edges in = gst_order_in(t->o, node);

	if (gst_timing_seen(t, node) == GST_TIME_UNKNOWN ||
	    (node < t->m->op_count && !takes_no_time(t->m, &t->m->ops[node]))) {
		return true;
	}
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, &in, i);
		if ((e.form == GST_END_BEGIN || e.form == GST_BEGIN_BEGIN) &&
		    gst_timing_is_vague(t, e.from)) {
			return true;
		}
	}
	return false;
}

/* The op that stands behind @op in its stream, and surely waits for it; GST_NONE. */
static gst_op_id next_in_stream(const struct gst_timing *t, gst_op_id op)
{
	const struct gst_model *m = t->m;
	const struct gst_stream *s;
	uint32_t low = 0, high;
	struct gst_edges in;

	if (m->ops[op].stream == GST_NONE) {
		return GST_NONE;
	}
	s = &m->streams[m->ops[op].stream];
	for (high = s->op_count; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (s->ops[middle] <= op) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	if (low == s->op_count) {
		return GST_NONE;
	}
	in = gst_order_in(t->o, s->ops[low]);
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, &in, i);

		if (e.from == op && e.form == GST_END_BEGIN) {
			return s->ops[low];
		}
	}
	return GST_NONE;
}

/* The first op with times in the stream of @op, behind it. */
static gst_op_id next_timed(const struct gst_timing *t, gst_op_id op)
{
	for (uint32_t steps = 0; steps < FOLLOW_MAX; steps++) {
		op = next_in_stream(t, op);
		if (op == GST_NONE || t->m->ops[op].flags & GST_OP_TIMED) {
			return op;
		}
	}
	return GST_NONE;
}

static bool is_judged_by_next(const struct gst_edge *e)
{
	return e->strength == GST_POSSIBLE && e->form == GST_END_BEGIN &&
	       (e->rule == GST_RULE_M4 || e->rule == GST_RULE_E6);
}

/*
 * M4: the value may have been in memory before. E6: another record than that of a graph's node may be meant. What
 * comes behind the wait tells:
 *
 *     begun before the work in front of the write, or of the
 *     record, was over                                         -> it waited for something else: disproved
 *     all else it waits for was over before that, and it began
 *     within 200 us after it                                   -> observed
 */
static void judge_wait(struct gst_timing *t, gst_op_id op, const struct gst_edges *in)
{
	for (uint32_t i = 0; i < in->count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, in, i);
		uint64_t written, begin, other;
		gst_op_id next;

		if (!is_judged_by_next(&e))
			continue;
		written = gst_timing_source(t, &e);
		next = next_timed(t, op);
		if (written == GST_TIME_UNKNOWN || next == GST_NONE)
			continue;
		begin = t->m->ops[next].begin_ns;
		if (written > begin + 64) {
			set_strength(t, e.id, GST_DISPROVED);
			continue;
		}
		/* The wait's stream, and its submission; then that of what is behind it. */
		other = released(t, op, false);
		if (source_is_vague(t, &e) || other == GST_TIME_UNKNOWN || other >= written ||
		    begin > written + SOON_NS || t->m->ops[next].call == GST_NONE ||
		    t->m->calls[t->m->ops[next].call].enter_ns >= written)
			continue;
		set_strength(t, e.id, GST_OBSERVED);
	}
}

void gst_timing_init_evidence(struct gst_timing *t)
{
	for (gst_edge_id e = t->stored_base; e < t->edge_count; e++) {
		set_strength(t, e, (enum gst_strength)gst_order_edge(t->o, e).strength);
	}
	for (gst_op_id i = 0; i < t->m->op_count && t->m->stats.early_begins; i++) {
		if (t->m->ops[i].flags & GST_OP_EARLY_BEGIN) {
			gst_timing_set_seen(t, i, t->m->ops[i].begin_ns);
		}
	}
}

void gst_timing_judge_barrier(struct gst_timing *t, gst_node_id barrier)
{
	gst_timing_set_seen(t, barrier, released(t, barrier, true));
	t->vague[gst_timing_work_index(t, barrier)] = is_vague(t, barrier);
}

void gst_timing_judge_op(struct gst_timing *t, gst_op_id op, const struct gst_edges *in)
{
	const struct gst_op *x = &t->m->ops[op];

	if (x->flags & GST_OP_EARLY_BEGIN) {
		settle_begin(t, op);
	} else if (x->flags & GST_OP_TIMED) {
		judge_work(t, op, in);
	} else {
		if (x->kind == GST_OP_MEMOP || x->kind == GST_OP_EVENT_WAIT) {
			judge_wait(t, op, in);
		}
		gst_timing_set_seen(t, op, released(t, op, false));
		t->vague[gst_timing_work_index(t, op)] = is_vague(t, op);
	}
}
