/*
 * critical.c - what the end of the run hung on: see critical.h.
 *
 * Role      : gstrace critical, and the path's track in Perfetto.
 * Method    : one walk backwards. At the end of work: it ran. At its begin: to the edge in force that released it
 *             last; nodes that take no time (barriers, event records and waits) are passed through, and
 *             the first rule on the way that is not the stream's own tells why. At the return of a call: to
 *             what it waited for, or to its enter; from there to the return of the call before it.
 * Invariant : the time only falls, each point is passed once, and every nanosecond of the window is in exactly
 *             one segment. What the trace does not know is a segment that says so.
 * Not here  : who is to blame (critical_blame.c), words (critical_words.c), what would happen without a wait (replay.c).
 */
#include "analyzer/timing/critical.h"

#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/vec.h"
#include "analyzer/timing/critical_internal.h"
#include "analyzer/timing/timing_internal.h"

/* A trace may have no launch that nothing held: it does not take longer than this then. */
#define LEAST_MAX_NS 20000
/* How far back the op without times is looked for behind what is only known to be vague. */
#define VAGUE_STEPS 256

/* When calls of the process are missing for sure. */
struct blank {
	uint64_t from_ns, to_ns;
	enum gst_unknown why;
};

/* A gap whose other end is not reached yet: nodes without a time of their own lie between. */
struct pending {
	gst_node_id waiter; /* GST_NONE = there is none */
	gst_edge_id edge;
	gst_node_id vague; /* what was passed and may have ended later than is known; GST_NONE */
	enum gst_unknown why;
	uint64_t held_ns;
	bool is_weak; /* edge is of the stream's own order */
};

struct walk {
	const struct gst_timing *t;
	const struct gst_model *m;
	const struct gst_order *o;
	uint8_t *passed; /* a bit a point */
	uint64_t *
		ends_ns; /* by node: as seen_ns, with the known nodes of graphs; NULL = as seen_ns */
	uint64_t least_ns; /* from the enter of a call to the begin of its work */
	GST_VEC(struct blank) blanks;
	size_t blank; /* those from here on are later than now */
	GST_VEC(struct gst_segment) segments;
	uint64_t begin_ns, now_ns;
	gst_point_id at;
	bool is_over;
	gst_node_id open; /* the call, not returned, that the walk starts in; GST_NONE */
	struct pending pending;
	struct gst_segment nothing; /* what becomes of one without length */
};

/* ---- segments -------------------------------------------------------------------------------------------- */

/* From @from_ns to now: one segment, of which nothing is left if that is not before now. */
static struct gst_segment *emit(struct walk *w, enum gst_cause cause, gst_node_id node,
				uint64_t from_ns)
{
	struct gst_segment s = {.end_ns = w->now_ns,
				.held_ns = GST_HELD_NOT_KNOWN,
				.node = node,
				.from = GST_NONE,
				.edge = GST_NONE,
				.cause = (uint8_t)cause};

	s.begin_ns = from_ns > w->begin_ns ? from_ns : w->begin_ns;
	if (s.begin_ns >= w->now_ns) {
		w->nothing = s;
		return &w->nothing;
	}
	w->now_ns = s.begin_ns;
	gst_vec_push(&w->segments, s);
	return &w->segments.data[w->segments.count - 1];
}

static void emit_unknown(struct walk *w, enum gst_unknown why, gst_node_id node, uint64_t from_ns)
{
	emit(w, GST_CAUSE_UNKNOWN, node, from_ns)->unknown = (uint8_t)why;
}

/* Time of a host thread: where calls are missing, what it did is not known. */
static void emit_host(struct walk *w, enum gst_cause cause, enum gst_unknown why, gst_node_id node,
		      gst_node_id from, uint64_t from_ns)
{
	if (from_ns < w->begin_ns) {
		from_ns = w->begin_ns;
	}
	while (w->now_ns > from_ns) {
		const struct blank *b;
		struct gst_segment *s;

		while (w->blank > 0 && w->blanks.data[w->blank - 1].from_ns >= w->now_ns) {
			w->blank--;
		}
		b = w->blank > 0 ? &w->blanks.data[w->blank - 1] : NULL;
		if (b && b->to_ns >= w->now_ns) {
			emit_unknown(w, b->why, node, b->from_ns > from_ns ? b->from_ns : from_ns);
			continue;
		}
		s = emit(w, cause, node, b && b->to_ns > from_ns ? b->to_ns : from_ns);
		s->from = from;
		s->unknown = (uint8_t)why;
	}
}

/* ---- what is known of nodes ------------------------------------------------------------------------------ */

static bool is_timed(const struct walk *w, gst_node_id n)
{
	return n < w->m->op_count && (w->m->ops[n].flags & GST_OP_TIMED);
}

static bool is_partial(const struct walk *w, gst_node_id n)
{
	return n < w->m->op_count && (w->m->ops[n].flags & GST_OP_PARTIAL);
}

static bool is_call(const struct walk *w, gst_node_id n)
{
	return gst_node_is_call(w->o, n);
}

static const struct gst_call *call_of(const struct walk *w, gst_node_id n)
{
	return &w->m->calls[n - w->m->op_count];
}

/* When the source point of @e was reached, GST_TIME_UNKNOWN if that is not known. */
static uint64_t source_ns(const struct walk *w, const struct gst_edge *e)
{
	if (w->ends_ns && (e->form == GST_END_BEGIN || e->form == GST_END_EXIT) &&
	    !is_timed(w, e->from)) {
		return w->ends_ns[e->from];
	}
	return gst_timing_source(w->t, e);
}

/* May the source of @e have been reached later than source_ns() says? */
static bool is_vague(const struct walk *w, const struct gst_edge *e)
{
	/* A node of a graph does not wait for its launch, it is part of it. */
	return e->rule != GST_RULE_G2 && e->form != GST_ENTER_BEGIN && e->form != GST_EXIT_ENTER &&
	       gst_timing_is_vague(w->t, e->from) && !is_timed(w, e->from);
}

/* The op that makes @node vague: itself, or one behind it. */
static gst_node_id find_vague(const struct walk *w, gst_node_id node)
{
	for (uint32_t i = 0; i < VAGUE_STEPS;) {
		gst_node_id next = GST_NONE;
		struct gst_edges in = gst_order_in(w->o, node);

		if (node < w->m->op_count) {
			const struct gst_op *x = &w->m->ops[node];

			if (x->kind != GST_OP_EVENT_RECORD && x->kind != GST_OP_EVENT_WAIT &&
			    x->kind != GST_OP_ALLOC && x->kind != GST_OP_FREE) {
				break;
			}
		}
		for (uint32_t k = 0; k < in.count && next == GST_NONE && i < VAGUE_STEPS;
		     k++, i++) {
			const struct gst_edge e = gst_edges_at(w->o, &in, k);

			if (is_vague(w, &e) && gst_timing_in_force(w->t, e.id)) {
				next = e.from;
			}
		}
		if (next == GST_NONE) {
			break;
		}
		node = next;
	}
	return node;
}

static enum gst_unknown why_vague(const struct walk *w, gst_node_id vague)
{
	return is_partial(w, vague) ? GST_UNKNOWN_GRAPH_END : GST_UNKNOWN_NO_TIMES;
}

/* Ends of graph launches that are known by their nodes, and of all that stands on them. */
static void find_ends(struct walk *w, struct gst_arena *scratch)
{
	struct gst_moments moments = {.t = w->t};
	gst_moment_id p;
	bool any = false;

	for (gst_op_id i = 0; i < w->m->op_count && !any; i++) {
		any = is_partial(w, i);
	}
	if (!any) {
		return;
	}
	w->ends_ns = GST_ARENA_ARRAY(scratch, uint64_t, w->t->node_count);
	while ((p = gst_moments_next(&moments)) != GST_NONE) {
		uint64_t last = GST_TIME_UNKNOWN;
		struct gst_edges in;

		if (gst_moment_is_exit(w->t, p) || is_call(w, p) || is_timed(w, p)) {
			continue;
		}
		last = gst_timing_seen(w->t, p);
		if (is_partial(w, p) && (last == GST_TIME_UNKNOWN || w->m->ops[p].end_ns > last)) {
			last = w->m->ops[p].end_ns;
		}
		in = gst_order_in(w->o, p);
		for (uint32_t k = 0; k < in.count; k++) {
			const struct gst_edge e = gst_edges_at(w->o, &in, k);

			if (e.form == GST_END_BEGIN && e.from < w->t->node_count &&
			    !is_timed(w, e.from) && gst_timing_in_force(w->t, e.id)) {
				uint64_t at = w->ends_ns[e.from];

				/* 0: not reached in this order, which only a circle does. */
				if (at && at != GST_TIME_UNKNOWN &&
				    (last == GST_TIME_UNKNOWN || at > last)) {
					last = at;
				}
			}
		}
		w->ends_ns[p] = last;
	}
}

/* The node of launch @op that ended last; GST_NONE. */
static gst_op_id last_node(const struct walk *w, gst_op_id op)
{
	gst_call_id call = w->m->ops[op].call;
	gst_op_id last = GST_NONE;

	if (call == GST_NONE) {
		return GST_NONE;
	}
	for (uint32_t i = 0; i < w->m->calls[call].op_count; i++) {
		gst_op_id n = w->m->calls[call].first_op + i;

		if (w->m->ops[n].parent == op && is_timed(w, n) &&
		    (last == GST_NONE || w->m->ops[n].end_ns > w->m->ops[last].end_ns)) {
			last = n;
		}
	}
	return last;
}

/* What a launch takes when nothing else holds it: the least of the trace, whatever was launched. */
static void find_least(struct walk *w)
{
	w->least_ns = LEAST_MAX_NS;
	for (gst_op_id i = 0; i < w->m->op_count; i++) {
		const struct gst_op *x = &w->m->ops[i];

		if ((x->flags & GST_OP_TIMED) && !(x->flags & GST_OP_EARLY_BEGIN) &&
		    x->call != GST_NONE && gst_call_has_enter(&w->m->calls[x->call]) &&
		    x->begin_ns >= w->m->calls[x->call].enter_ns) {
			uint64_t gap = x->begin_ns - w->m->calls[x->call].enter_ns;

			w->least_ns = gap < w->least_ns ? gap : w->least_ns;
		}
	}
}

/* ---- gaps ------------------------------------------------------------------------------------------------ */

static bool is_weak_rule(const struct walk *w, gst_edge_id e)
{
	switch ((enum gst_rule)gst_order_edge(w->o, e).rule) {
	case GST_RULE_T1:
	case GST_RULE_U1:
	case GST_RULE_S1:
	case GST_RULE_G2:
		return true;
	default: /* rules are a table that grows */
		return false;
	}
}

static void open_gap(struct walk *w, gst_node_id waiter)
{
	w->pending = (struct pending){.waiter = waiter,
				      .edge = GST_NONE,
				      .vague = GST_NONE,
				      .held_ns = GST_HELD_NOT_KNOWN,
				      .is_weak = true};
}

static void pass_edge(struct walk *w, gst_edge_id e, uint64_t slack_ns)
{
	struct pending *p = &w->pending;
	bool is_first = p->edge == GST_NONE;

	if (e == GST_NONE) {
		p->is_weak = false; /* an engine */
	} else if (is_first || (p->is_weak && !is_weak_rule(w, e))) {
		p->edge = e;
		p->is_weak = is_weak_rule(w, e);
	}
	/* A call was held since it was made, whoever else it waited for. */
	if (is_first || !is_call(w, p->waiter)) {
		p->held_ns = slack_ns < p->held_ns ? slack_ns : p->held_ns;
	}
}

static void pass_vague(struct walk *w, gst_node_id node)
{
	if (w->pending.vague == GST_NONE) {
		w->pending.vague = find_vague(w, node);
		w->pending.why = why_vague(w, w->pending.vague);
	}
}

/* @from was what the gap leads back to, at @from_ns. */
static void close_gap(struct walk *w, gst_node_id from, uint64_t from_ns)
{
	struct pending *p = &w->pending;
	enum gst_cause cause = GST_CAUSE_BARRIER;
	struct gst_segment *s;

	if (p->waiter == GST_NONE) {
		return;
	}
	if (p->vague != GST_NONE) {
		s = emit(w, GST_CAUSE_UNKNOWN, p->vague, from_ns);
		s->unknown = (uint8_t)p->why;
	} else if (p->waiter == w->open) {
		s = emit(w, GST_CAUSE_UNKNOWN, p->waiter, from_ns);
		s->unknown = GST_UNKNOWN_NEVER_RETURNED;
	} else {
		if (is_call(w, p->waiter)) {
			cause = GST_CAUSE_HOST_WAIT;
		} else if (is_call(w, from)) {
			cause = GST_CAUSE_LATENCY;
		} else if (p->edge != GST_NONE && p->is_weak) {
			cause = GST_CAUSE_IDLE;
		}
		s = emit(w, cause, p->waiter, from_ns);
	}
	s->from = from;
	s->edge = p->edge;
	s->held_ns = p->held_ns;
	p->waiter = GST_NONE;
}

static void stop(struct walk *w, enum gst_unknown why, gst_node_id node)
{
	if (w->pending.waiter != GST_NONE && w->pending.vague != GST_NONE) {
		why = w->pending.why;
		node = w->pending.vague;
	}
	emit_unknown(w, why, node, w->begin_ns);
	w->is_over = true;
}

/* ---- the walk -------------------------------------------------------------------------------------------- */

/* What could have released a point, the last one first. */
struct release {
	gst_edge_id edge;   /* GST_NONE: an engine */
	gst_node_id from;   /* GST_NONE: nothing with a known time */
	uint64_t source_ns; /* of from's point */
	uint64_t reached_ns, second_ns;
	gst_node_id vague; /* one that may have been later; GST_NONE */
};

static void consider(struct release *r, gst_edge_id edge, gst_node_id from, uint64_t source,
		     uint64_t reached)
{
	if (r->from == GST_NONE || reached > r->reached_ns) {
		r->second_ns = r->from == GST_NONE ? GST_HELD_NOT_KNOWN : r->reached_ns;
		r->edge = edge;
		r->from = from;
		r->source_ns = source;
		r->reached_ns = reached;
	} else if (r->second_ns == GST_HELD_NOT_KNOWN || reached > r->second_ns) {
		r->second_ns = reached;
	}
}

/* What released the begin of @node, which came at @at_ns. */
static void find_release(const struct walk *w, gst_node_id node, uint64_t at_ns, struct release *r)
{
	struct gst_edges in = gst_order_in(w->o, node);

	*r = (struct release){.edge = GST_NONE, .from = GST_NONE, .vague = GST_NONE};
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(w->o, &in, i);
		uint64_t source, reached;

		if (gst_edge_to_point(&e) != gst_point_begin(node) ||
		    !gst_timing_in_force(w->t, e.id)) {
			continue;
		}
		if (r->vague == GST_NONE && is_vague(w, &e)) {
			r->vague = e.from;
		}
		source = source_ns(w, &e);
		if (source == GST_TIME_UNKNOWN) {
			continue;
		}
		reached = source;
		if (e.form == GST_ENTER_BEGIN && is_timed(w, node) && source < at_ns) {
			reached += at_ns - source < w->least_ns ? at_ns - source : w->least_ns;
		}
		consider(r, e.id, e.from, source, reached < at_ns ? reached : at_ns);
	}
	if (is_timed(w, node) && w->m->ops[node].kind == GST_OP_MEMCPY &&
	    w->m->ops[node].detail != GST_NONE) {
		gst_op_id before = w->t->engine_prev[w->m->ops[node].detail];

		if (before != GST_NONE && r->from != GST_NONE &&
		    w->m->ops[before].end_ns > r->reached_ns) {
			consider(r, GST_NONE, before, w->m->ops[before].end_ns,
				 w->m->ops[before].end_ns);
		}
	}
}

/* At the begin of an op or barrier point. */
static void step_begin(struct walk *w, gst_node_id node)
{
	struct release r;
	bool is_begin;

	if (is_timed(w, node) && w->pending.waiter == GST_NONE) {
		open_gap(w, node);
	}
	find_release(w, node, w->now_ns, &r);
	if (r.vague != GST_NONE && r.vague != r.from) {
		pass_vague(w, r.vague);
	}
	if (r.from == GST_NONE) {
		bool is_orphan = node < w->m->op_count && (w->m->ops[node].flags & GST_OP_NO_CALL);

		stop(w, is_orphan ? GST_UNKNOWN_NO_CALL : GST_UNKNOWN_NO_WAY_BACK, node);
		return;
	}
	pass_edge(w, r.edge,
		  r.second_ns == GST_HELD_NOT_KNOWN ? GST_HELD_NOT_KNOWN
						    : r.reached_ns - r.second_ns);
	is_begin = r.edge != GST_NONE && gst_order_edge(w->o, r.edge).form == GST_BEGIN_BEGIN;
	if (is_call(w, r.from)) {
		close_gap(w, r.from, r.source_ns);
		w->at = gst_point_begin(r.from);
	} else if (is_begin && gst_order_edge(w->o, r.edge).rule == GST_RULE_G2) {
		if (is_timed(w, r.from)) {
			close_gap(w, r.from, r.source_ns);
		}
		w->at = gst_point_begin(r.from);
	} else if (is_begin && !is_timed(w, r.from)) {
		w->at = gst_point_begin(r.from);
	} else {
		/* A programmatic launch began while the one before it ran: until then, that one ran. */
		w->at = gst_point_end(r.from);
	}
}

static enum gst_cause cause_of_work(const struct gst_op *x)
{
	switch ((enum gst_op_kind)x->kind) {
	case GST_OP_KERNEL:
		return GST_CAUSE_KERNEL;
	case GST_OP_MEMCPY:
	case GST_OP_MEMSET:
		return GST_CAUSE_COPY;
	case GST_OP_HOST_FUNC:
		return GST_CAUSE_HOST_FUNC;
	default: /* nothing else has times */
		return GST_CAUSE_GRAPH;
	}
}

/* At the end of an op or barrier point. */
static void step_end(struct walk *w, gst_node_id node)
{
	if (is_timed(w, node)) {
		uint64_t end_ns = w->m->ops[node].end_ns;

		close_gap(w, node, end_ns < w->now_ns ? end_ns : w->now_ns);
		emit(w, cause_of_work(&w->m->ops[node]), node, gst_timing_begin(w->t, node));
	} else if (is_partial(w, node)) {
		gst_op_id last = last_node(w, node);

		if (last != GST_NONE) {
			pass_vague(w, node);
			w->at = gst_point_end(last);
			return;
		}
	}
	if (!is_timed(w, node) && gst_timing_is_vague(w->t, node)) {
		pass_vague(w, node);
	}
	w->at = gst_point_begin(node);
}

/* The call before @node in its thread; GST_NONE. */
static gst_node_id call_before(const struct walk *w, gst_node_id node)
{
	struct gst_edges in = gst_order_in(w->o, node);

	for (uint32_t i = 0; i < in.count; i++) {
		if (gst_edges_at(w->o, &in, i).form == GST_EXIT_ENTER) {
			return gst_edges_at(w->o, &in, i).from;
		}
	}
	return GST_NONE;
}

static void step_enter(struct walk *w, gst_node_id node)
{
	gst_node_id before = call_before(w, node);
	const struct gst_call *b;

	if (before == GST_NONE) {
		emit_host(w, GST_CAUSE_UNKNOWN, GST_UNKNOWN_THREAD_START, node, GST_NONE,
			  w->begin_ns);
		w->is_over = true;
		return;
	}
	b = call_of(w, before);
	if (gst_call_has_exit(b)) {
		emit_host(w, GST_CAUSE_HOST_COMPUTE, GST_UNKNOWN_NONE, node, before, b->exit_ns);
		w->at = gst_point_end(before);
	} else if (gst_call_has_enter(b)) {
		emit_unknown(w, GST_UNKNOWN_LOST, before, b->enter_ns);
		w->at = gst_point_begin(before);
	} else {
		stop(w, GST_UNKNOWN_NO_WAY_BACK, before);
	}
}

static bool is_query(const struct gst_call *c)
{
	return c->cls == GST_API_CLASS_STREAM_QUERY || c->cls == GST_API_CLASS_EVENT_QUERY;
}

/* From when on a wait of call @node counts: a program that asks again and again waits since it first did. */
static uint64_t waits_since(const struct walk *w, gst_node_id node)
{
	const struct gst_call *c = call_of(w, node);
	gst_node_id before;

	if (!is_query(c)) {
		return c->enter_ns;
	}
	before = call_before(w, node);
	if (before != GST_NONE && gst_call_has_enter(call_of(w, before)) &&
	    call_of(w, before)->api == c->api && call_of(w, before)->result != 0) {
		return call_of(w, before)->enter_ns;
	}
	return c->enter_ns;
}

/* At the return of a call. */
static void step_exit(struct walk *w, gst_node_id node)
{
	const struct gst_call *c = call_of(w, node);
	struct release r = {.edge = GST_NONE, .from = GST_NONE, .vague = GST_NONE};
	uint64_t since_ns = gst_call_has_enter(c) ? waits_since(w, node) : 0;
	struct gst_edges in = gst_order_in(w->o, node);

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(w->o, &in, i);
		uint64_t source;

		if (e.form != GST_END_EXIT || !gst_timing_in_force(w->t, e.id)) {
			continue;
		}
		if (r.vague == GST_NONE && is_vague(w, &e)) {
			r.vague = e.from;
		}
		source = source_ns(w, &e);
		if (source != GST_TIME_UNKNOWN && source > since_ns) {
			consider(&r, e.id, e.from, source, source < w->now_ns ? source : w->now_ns);
		}
	}
	open_gap(w, node);
	if (r.vague != GST_NONE) {
		pass_vague(w, r.vague);
	}
	if (r.from != GST_NONE) {
		pass_edge(w, r.edge, r.reached_ns - since_ns);
		w->at = gst_point_end(r.from);
		return;
	}
	w->pending.waiter = GST_NONE;
	if (!gst_call_has_enter(c)) {
		gst_node_id before = call_before(w, node);

		if (before != GST_NONE && gst_call_has_exit(call_of(w, before))) {
			emit_unknown(w, GST_UNKNOWN_LOST, node, call_of(w, before)->exit_ns);
			w->at = gst_point_end(before);
		} else {
			stop(w, GST_UNKNOWN_LOST, node);
		}
		return;
	}
	if (w->pending.vague != GST_NONE) {
		emit_unknown(w, w->pending.why, w->pending.vague, c->enter_ns);
	} else if (node == w->open) {
		emit_unknown(w, GST_UNKNOWN_NEVER_RETURNED, node, c->enter_ns);
	} else {
		emit(w, GST_CAUSE_CALL, node, c->enter_ns);
	}
	w->at = gst_point_begin(node);
}

static void walk(struct walk *w)
{
	while (!w->is_over && w->now_ns > w->begin_ns) {
		gst_node_id node = gst_node_of_point(w->at);

		if (w->passed[w->at / 8] >> (w->at % 8) & 1) {
			stop(w, GST_UNKNOWN_NO_WAY_BACK, node);
			break;
		}
		w->passed[w->at / 8] = (uint8_t)(w->passed[w->at / 8] | 1u << (w->at % 8));
		if (is_call(w, node)) {
			if (w->at == gst_point_end(node)) {
				step_exit(w, node);
			} else {
				step_enter(w, node);
			}
		} else if (w->at == gst_point_end(node)) {
			step_end(w, node);
		} else {
			step_begin(w, node);
		}
	}
}

/* ---- where it starts ------------------------------------------------------------------------------------- */

static uint32_t process_of(const struct gst_model *m, gst_op_id op)
{
	const struct gst_op *x = &m->ops[op];

	if (x->call != GST_NONE) {
		return m->threads[m->calls[x->call].thread].process;
	}
	return x->stream == GST_NONE ? GST_NONE : m->streams[x->stream].process;
}

/* What ended last, and when; false if nothing did. */
static bool find_last(struct walk *w, uint32_t process, gst_point_id *last, uint64_t *last_ns)
{
	const struct gst_model *m = w->m;
	bool any = false;

	for (gst_op_id i = 0; i < m->op_count; i++) {
		if (is_timed(w, i) && (!any || m->ops[i].end_ns > *last_ns) &&
		    (process == GST_NONE || process_of(m, i) == process)) {
			*last = gst_point_end(i);
			*last_ns = m->ops[i].end_ns;
			any = true;
		}
	}
	for (gst_call_id i = 0; i < m->call_count; i++) {
		const struct gst_call *c = &m->calls[i];

		if (gst_call_has_exit(c) && (!any || c->exit_ns > *last_ns) &&
		    (process == GST_NONE || m->threads[c->thread].process == process)) {
			*last = gst_point_end(gst_node_of_call(w->o, i));
			*last_ns = c->exit_ns;
			any = true;
		}
	}
	return any;
}

/* The last call of @process that did not return: it goes on at the end. */
static bool find_open(struct walk *w, uint32_t process, gst_point_id *last)
{
	for (gst_call_id i = w->m->call_count; i-- > 0;) {
		const struct gst_call *c = &w->m->calls[i];

		if (gst_call_has_enter(c) && !gst_call_has_exit(c) &&
		    (process == GST_NONE || w->m->threads[c->thread].process == process)) {
			w->open = gst_node_of_call(w->o, i);
			*last = gst_point_end(w->open);
			return true;
		}
	}
	return false;
}

static void find_blanks(struct walk *w, uint32_t process)
{
	const struct gst_model *m = w->m;
	GST_VEC(struct gst_sort_item) items = {0};
	uint64_t until_ns = 0;

	for (uint32_t i = 0; i < m->gap_count; i++) {
		if (m->gaps[i].process == process) {
			gst_vec_push(&items, ((struct gst_sort_item){.key = m->gaps[i].from_ns,
								     .value = i}));
		}
	}
	for (uint32_t i = 0; i < m->loss_count; i++) {
		const struct gst_loss *l = &m->losses[i];

		if (l->process == process && (l->since_ns || l->until_ns) &&
		    gst_loss_touches_calls(l)) {
			gst_vec_push(&items, ((struct gst_sort_item){
						     .key = l->since_ns, .value = i, .extra = 1}));
		}
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count; i++) {
		const struct gst_sort_item *s = &items.data[i];
		uint64_t to_ns = s->extra ? m->losses[s->value].until_ns : m->gaps[s->value].to_ns;
		struct blank b = {s->key > until_ns ? s->key : until_ns, to_ns,
				  s->extra ? GST_UNKNOWN_LOST : GST_UNKNOWN_NOT_RECORDED};

		if (b.to_ns > b.from_ns) {
			gst_vec_push(&w->blanks, b);
			until_ns = b.to_ns;
		}
	}
	w->blank = w->blanks.count;
	gst_vec_free(&items);
}

static void finish(struct walk *w, struct gst_arena *arena, struct gst_critical *out)
{
	uint32_t count = (uint32_t)w->segments.count;
	struct gst_segment *segments = GST_ARENA_ARRAY(arena, struct gst_segment, count);

	for (uint32_t i = 0; i < count; i++) {
		segments[i] = w->segments.data[count - 1 - i];
		out->cause_ns[segments[i].cause] += segments[i].end_ns - segments[i].begin_ns;
		out->unknown_ns[segments[i].unknown] += segments[i].end_ns - segments[i].begin_ns;
	}
	out->segments = segments;
	out->segment_count = count;
	gst_critical_blame(w->t, arena, out);
}

void gst_timing_critical(const struct gst_timing *t, uint32_t process, struct gst_arena *arena,
			 struct gst_critical *out)
{
	struct gst_arena *scratch = gst_arena_new(0);
	struct walk w = {.t = t, .m = t->m, .o = t->o};
	uint64_t last_ns = 0;

	memset(out, 0, sizeof(*out));
	out->begin_ns = w.begin_ns = w.m->begin_ns;
	out->end_ns = w.now_ns = w.m->end_ns;
	out->process = GST_NONE;
	w.passed = gst_arena_alloc(scratch, (size_t)t->node_count / 4 + 1);
	w.pending.waiter = GST_NONE;
	w.open = GST_NONE;
	if (find_open(&w, process, &w.at)) {
		last_ns = w.m->end_ns;
	} else if (!find_last(&w, process, &w.at, &last_ns)) {
		last_ns = w.begin_ns;
		w.is_over = true;
	}
	if (!w.is_over) {
		gst_node_id last = gst_node_of_point(w.at);

		out->process = last < w.m->op_count
				       ? process_of(w.m, last)
				       : w.m->threads[call_of(&w, last)->thread].process;
		find_least(&w);
		find_ends(&w, scratch);
		find_blanks(&w, out->process);
	}
	emit_host(&w, GST_CAUSE_IDLE, GST_UNKNOWN_NONE, GST_NONE, GST_NONE, last_ns);
	walk(&w);
	finish(&w, arena, out);
	gst_vec_free(&w.segments);
	gst_vec_free(&w.blanks);
	gst_arena_free(scratch);
}
