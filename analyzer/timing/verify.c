/*
 * verify.c - hold every documented edge against the timestamps.
 *
 * Role      : gst_timing_verify, for `gstrace verify` and the tests over real traces.
 * Method    : each op gets the device times between which it must lie: its own, or for an op without
 *             times (event record, wait, barrier point) the latest end before it and the earliest begin
 *             after it on one device. An edge holds if its source's earliest end is not after its
 *             target's latest begin:
 *
 *               A [begin, end] --S1--> record --E1--> wait --S1--> B [begin, end]
 *                         end(A) <= ..................... <= begin(B)      each edge is checked
 *
 *             Host and device have two clocks: per device and second, the offsets that enter -> begin
 *             and end -> exit allow must have one in common. Two devices are compared through these.
 * Invariant : reads documented edges alone; an edge is counted in exactly one way.
 * Not here  : whether a rule is right where the trace cannot tell: that is "not checkable" or "not tight".
 */
#include "analyzer/timing/timing_internal.h"

#include <string.h>

#include "analyzer/base/vec.h"

#define TICKS_NS       64	  /* two ticks of the device clock */
#define TIGHT_NS       5000	  /* a gap below this could have shown a violation */
#define WINDOW_NS      1000000000 /* drift within a window is below what is looked at */
#define WINDOWS_MAX    65536u
#define APART_TIGHT_NS 20000
#define APART_NS       INT64_C(1000000000) /* no clock is further from the host's */
#define EXAMPLES_MAX   20u

struct bound {
	uint64_t ns;	 /* GST_TIME_UNKNOWN = none */
	uint32_t device; /* whose clock */
};

struct verify {
	const struct gst_timing *t;
	struct gst_verify *out;
	struct bound *ended; /* [node_count] latest end known to be before the node's end */
	struct bound *begun; /* [node_count] earliest begin known to be after the node's begin */
	GST_VEC(struct gst_contradiction) found;
	uint64_t window_ns;
	uint32_t windows_per_device;
	uint64_t apart; /* edges from one device to another */
	int64_t step_ns; /* by so much the wall clock may have moved device times; 0 = it did not step */
};

static bool is_work(const struct gst_edge *e)
{
	return e->form == GST_END_BEGIN || e->form == GST_BEGIN_BEGIN;
}

static bool is_claimed(const struct gst_edge *e)
{
	return e->strength == GST_DOCUMENTED && !(e->flags & GST_EDGE_UNCHECKED);
}

/* Rules that only say "may" claim nothing that could be contradicted. */
static bool is_held(const struct gst_edge *e)
{
	return e->strength == GST_DOCUMENTED && e->rule != GST_RULE_H7 && e->rule != GST_RULE_H10 &&
	       e->rule != GST_RULE_H5;
}

/*
 * Where a begin waits for something inside of what is before it (a trigger), the times do not tell when that was; but it
 * was not before that had begun.
 */
static bool has_claim_on_times(const struct gst_edge *e)
{
	return !(e->flags & GST_EDGE_UNCHECKED) || e->form == GST_BEGIN_BEGIN;
}

static bool is_timed(const struct gst_timing *t, gst_node_id n)
{
	return n < t->m->op_count && (t->m->ops[n].flags & GST_OP_TIMED);
}

static struct bound source(const struct verify *v, const struct gst_edge *e)
{
	if (e->form == GST_BEGIN_BEGIN) {
		if (!is_timed(v->t, e->from)) {
			return (struct bound){.ns = GST_TIME_UNKNOWN};
		}
		return (struct bound){.ns = v->t->m->ops[e->from].begin_ns,
				      .device = gst_timing_device(v->t, e->from)};
	}
	return v->ended[e->from];
}

/* How far apart times of a device may be put because the clock they come from stepped between two anchors. */
static int64_t step_of(const struct gst_model *m)
{
	uint64_t most = 0;

	for (uint32_t i = 0; m->stats.clock_steps && i < m->process_count; i++) {
		if (m->processes[i].clock_uncertainty_ns > most) {
			most = m->processes[i].clock_uncertainty_ns;
		}
	}
	return most < GST_TIMES_MAX_NS ? (int64_t)most : (int64_t)GST_TIMES_MAX_NS;
}

/* A node of a graph began before its launch ended, if nothing tells it closer. */
static void begin_in_launch(struct verify *v, gst_node_id n)
{
	const struct gst_model *m = v->t->m;
	gst_op_id launch = n < m->op_count ? m->ops[n].parent : GST_NONE;

	if (launch == GST_NONE || v->begun[n].ns != GST_TIME_UNKNOWN || !is_timed(v->t, launch)) {
		return;
	}
	v->begun[n].ns = m->ops[launch].end_ns;
	v->begun[n].device = gst_timing_device(v->t, launch);
}

/* What lies before an untimed node, and what lies after it; the ops of one device only. */
static void find_bounds(struct verify *v)
{
	const struct gst_timing *t = v->t;
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_order_outs outs = gst_order_group_out(t->o, scratch);
	gst_moment_id *order = GST_ARENA_ARRAY(scratch, gst_moment_id, t->moment_count);
	struct gst_moments w = {.t = t};

	for (gst_node_id n = 0; n < t->node_count; n++) {
		v->ended[n].ns = v->begun[n].ns = GST_TIME_UNKNOWN;
		if (is_timed(t, n)) {
			v->ended[n].ns = t->m->ops[n].end_ns;
			/* One whose begin was stamped early began by its end at the latest. */
			v->begun[n].ns = t->m->ops[n].flags & GST_OP_EARLY_BEGIN
						 ? t->m->ops[n].end_ns
						 : t->m->ops[n].begin_ns;
			v->ended[n].device = v->begun[n].device = gst_timing_device(t, n);
		}
	}
	for (uint32_t i = 0; i < t->moment_count; i++) {
		gst_node_id n = order[i] = gst_moments_next(&w);
		struct gst_edges in;

		if (gst_moment_is_exit(t, n) || gst_node_is_call(t->o, n) || is_timed(t, n)) {
			continue;
		}
		in = gst_order_in(t->o, n);
		for (uint32_t j = 0; j < in.count; j++) {
			const struct gst_edge e = gst_edges_at(t->o, &in, j);
			struct bound b;

			if (!is_work(&e) || !is_claimed(&e)) {
				continue;
			}
			b = source(v, &e);
			if (b.ns != GST_TIME_UNKNOWN &&
			    (v->ended[n].ns == GST_TIME_UNKNOWN || b.ns > v->ended[n].ns)) {
				v->ended[n] = b;
			}
		}
	}
	for (uint32_t i = t->moment_count; i-- > 0;) {
		gst_node_id n = order[i];
		const gst_edge_id *out;
		uint32_t count;

		if (gst_moment_is_exit(t, n) || gst_node_is_call(t->o, n) || is_timed(t, n)) {
			continue;
		}
		out = gst_order_out(&outs, n, &count);
		for (uint32_t j = 0; j < count; j++) {
			const struct gst_edge e = gst_order_edge(t->o, out[j]);

			if (e.form != GST_END_BEGIN || !is_claimed(&e) ||
			    v->begun[e.to].ns == GST_TIME_UNKNOWN) {
				continue;
			}
			if (v->begun[n].ns == GST_TIME_UNKNOWN ||
			    v->begun[e.to].ns < v->begun[n].ns) {
				v->begun[n] = v->begun[e.to];
			}
		}
		begin_in_launch(v, n);
	}
	gst_arena_free(scratch);
}

static struct gst_verify_rule *rule_of(struct verify *v, const struct gst_edge *e)
{
	return &v->out->rules[e->rule];
}

static void contradict(struct verify *v, const struct gst_edge *e, gst_edge_id other,
		       int64_t gap_ns)
{
	rule_of(v, e)->contradictions++;
	v->out->contradictions++;
	if (v->found.count < EXAMPLES_MAX) {
		gst_vec_push(&v->found, ((struct gst_contradiction){
						.edge = e->id, .other = other, .gap_ns = gap_ns}));
	}
}

/* What comes later may be this much earlier by its clock: @allowed_ns, less than nothing between two devices. */
static void check_gap(struct verify *v, const struct gst_edge *e, uint64_t from, uint64_t to,
		      int64_t allowed_ns, int64_t tight_ns)
{
	struct gst_verify_rule *r = rule_of(v, e);
	int64_t gap = (int64_t)(to - from);

	if (gap < -allowed_ns && allowed_ns && gap >= -allowed_ns - v->step_ns) {
		r->not_checkable++;
		v->out->not_checkable_clock++;
		return;
	}
	r->checked++;
	v->out->begins_alone += (e->flags & GST_EDGE_UNCHECKED) != 0;
	if (gap < -allowed_ns) {
		contradict(v, e, GST_NONE, gap);
	} else if (gap < tight_ns) {
		r->tight++;
	}
}

/* Neither checked nor contradicted: say why. */
static void skip(struct verify *v, const struct gst_edge *e, gst_node_id unknown)
{
	uint64_t *reason = &v->out->not_checkable_untimed;

	rule_of(v, e)->not_checkable++;
	if (!has_claim_on_times(e)) {
		reason = &v->out->not_checkable_ambiguous;
	} else if (unknown < v->t->m->op_count) {
		uint16_t flags = v->t->m->ops[unknown].flags;
		if (flags & GST_OP_FORCED) {
			reason = &v->out->not_checkable_forced;
		} else if (flags & GST_OP_NO_RECORD) {
			reason = &v->out->not_checkable_lost;
		}
	}
	(*reason)++;
}

static struct gst_clock_window *window_at(struct verify *v, uint32_t device, uint64_t host_ns)
{
	uint64_t since = host_ns > v->t->m->begin_ns ? host_ns - v->t->m->begin_ns : 0;
	uint64_t i = since / v->window_ns;

	if (i >= v->windows_per_device) {
		i = v->windows_per_device - 1;
	}
	return &v->out->windows[(uint64_t)device * v->windows_per_device + i];
}

/* Device time @d was not before (is_low: not after) host time @h. */
static void check_clock(struct verify *v, const struct gst_edge *e, struct bound d, uint64_t h,
			bool is_low)
{
	struct gst_verify_rule *r = rule_of(v, e);
	int64_t offset = (int64_t)(d.ns - h);
	struct gst_clock_window *w = window_at(v, d.device, h);

	r->checked++;
	if (is_low && offset > w->low_ns) {
		w->low_ns = offset;
		w->low_edge = e->id;
	} else if (!is_low && offset < w->high_ns) {
		w->high_ns = offset;
		w->high_edge = e->id;
	}
	if ((is_low ? -offset : offset) < TIGHT_NS) {
		r->tight++;
	}
}

static void check_edge(struct verify *v, const struct gst_edge *e)
{
	const struct gst_timing *t = v->t;
	const struct gst_model *m = t->m;
	struct bound from, to;

	rule_of(v, e)->edges++;
	if (!has_claim_on_times(e)) {
		skip(v, e, GST_NONE);
		return;
	}
	switch ((enum gst_form)e->form) {
	case GST_EXIT_ENTER: {
		const struct gst_call *a = &m->calls[e->from - m->op_count];
		const struct gst_call *b = &m->calls[e->to - m->op_count];
		if (!gst_call_has_exit(a) || !gst_call_has_enter(b)) {
			skip(v, e, GST_NONE);
		} else {
			check_gap(v, e, a->exit_ns, b->enter_ns, 0, TIGHT_NS);
		}
		return;
	}
	case GST_ENTER_BEGIN: {
		const struct gst_call *c = &m->calls[e->from - m->op_count];
		to = v->begun[e->to];
		if (!gst_call_has_enter(c) || to.ns == GST_TIME_UNKNOWN || to.device == GST_NONE) {
			skip(v, e, e->to);
		} else {
			check_clock(v, e, to, c->enter_ns, false);
		}
		return;
	}
	case GST_END_EXIT: {
		const struct gst_call *c = &m->calls[e->to - m->op_count];
		from = source(v, e);
		if (!gst_call_has_exit(c) || from.ns == GST_TIME_UNKNOWN ||
		    from.device == GST_NONE) {
			skip(v, e, e->from);
		} else {
			check_clock(v, e, from, c->exit_ns, true);
		}
		return;
	}
	case GST_END_BEGIN:
	case GST_BEGIN_BEGIN:
		from = source(v, e);
		to = v->begun[e->to];
		if (from.ns == GST_TIME_UNKNOWN) {
			skip(v, e, e->from);
		} else if (to.ns == GST_TIME_UNKNOWN) {
			skip(v, e, e->to);
		} else if (from.device == GST_NONE || to.device == GST_NONE) {
			rule_of(v, e)->not_checkable++;
			v->out->not_checkable_device++;
		} else if (from.device != to.device) {
			v->apart++;
		} else {
			check_gap(v, e, from.ns, to.ns, TICKS_NS, TIGHT_NS);
		}
		return;
	}
}

static void make_windows(struct verify *v, struct gst_arena *arena)
{
	const struct gst_model *m = v->t->m;
	uint64_t whole = m->end_ns > m->begin_ns ? m->end_ns - m->begin_ns : 1;
	uint64_t per_device = (whole + WINDOW_NS - 1) / WINDOW_NS;

	/* A trace may claim any number of devices and any span of time. */
	if (per_device > WINDOWS_MAX / (m->device_count + UINT64_C(1)) + 1) {
		per_device = WINDOWS_MAX / (m->device_count + UINT64_C(1)) + 1;
	}
	v->windows_per_device = (uint32_t)per_device;
	v->window_ns = (whole + per_device - 1) / per_device;
	v->out->windows = GST_ARENA_ARRAY(arena, struct gst_clock_window,
					  (size_t)m->device_count * per_device);
	for (uint32_t d = 0; d < m->device_count; d++) {
		for (uint32_t i = 0; i < v->windows_per_device; i++) {
			struct gst_clock_window *w = &v->out->windows[(size_t)d * per_device + i];
			*w = (struct gst_clock_window){.device = d,
						       .from_ns = m->begin_ns + i * v->window_ns,
						       .to_ns =
							       m->begin_ns + (i + 1) * v->window_ns,
						       .low_ns = INT64_MIN,
						       .high_ns = INT64_MAX,
						       .low_edge = GST_NONE,
						       .high_edge = GST_NONE};
		}
	}
}

/*
 * From one device to another: the first one's clock is ahead of the host's by its window's high_ns at most, the other's by
 * its low_ns at least.
 *
 *     end(A) - high of A  <=  when A had ended  <=  when B began  <=  begin(B) - low of B
 */
static void check_apart(struct verify *v, const struct gst_edge *e)
{
	const struct bound from = source(v, e);
	const struct bound to = v->begun[e->to];
	int64_t high;
	int64_t low;

	if (from.ns == GST_TIME_UNKNOWN || to.ns == GST_TIME_UNKNOWN || from.device == GST_NONE ||
	    to.device == GST_NONE || from.device == to.device) {
		return;
	}
	high = window_at(v, from.device, from.ns)->high_ns;
	low = window_at(v, to.device, to.ns)->low_ns;
	/* Not bounded, or clocks that are nobody's. */
	if (high > APART_NS || high < -APART_NS || low > APART_NS || low < -APART_NS) {
		rule_of(v, e)->not_checkable++;
		v->out->not_checkable_device++;
		return;
	}
	/* Tight is what would have shown a violation by that much. */
	check_gap(v, e, from.ns, to.ns, high == low ? 1 : high - low,
		  APART_TIGHT_NS - (high - low));
}

static void check_edges_apart(struct verify *v)
{
	const struct gst_timing *t = v->t;

	for (gst_edge_id id = gst_order_next_edge(t->o, 0); v->apart && id < t->edge_count;
	     id = gst_order_next_edge(t->o, id + 1)) {
		const struct gst_edge e = gst_order_edge(t->o, id);

		if (is_work(&e) && has_claim_on_times(&e) && is_held(&e)) {
			check_apart(v, &e);
		}
	}
}

/* Drop the windows that nothing was seen in; two witnesses that exclude each other are a contradiction. */
static void judge_windows(struct verify *v)
{
	struct gst_verify *out = v->out;
	size_t count = (size_t)v->t->m->device_count * v->windows_per_device;

	for (size_t i = 0; i < count; i++) {
		struct gst_clock_window w = out->windows[i];
		if (w.low_edge == GST_NONE && w.high_edge == GST_NONE) {
			continue;
		}
		if (w.low_edge != GST_NONE && w.high_edge != GST_NONE && w.low_ns > w.high_ns &&
		    (uint64_t)w.low_ns - (uint64_t)w.high_ns > (uint64_t)v->step_ns) {
			const struct gst_edge e = gst_order_edge(v->t->o, w.low_edge);

			w.is_empty = true;
			contradict(v, &e, w.high_edge, w.high_ns - w.low_ns);
		}
		out->windows[out->window_count++] = w;
	}
}

void gst_timing_verify(const struct gst_timing *t, struct gst_arena *arena, struct gst_verify *out)
{
	struct verify v = {.t = t, .out = out, .step_ns = step_of(t->m)};

	memset(out, 0, sizeof(*out));
	v.ended = gst_mem_alloc(t->node_count * sizeof(*v.ended));
	v.begun = gst_mem_alloc(t->node_count * sizeof(*v.begun));
	make_windows(&v, arena);
	find_bounds(&v);
	for (gst_edge_id id = gst_order_next_edge(t->o, 0); id < t->edge_count;
	     id = gst_order_next_edge(t->o, id + 1)) {
		const struct gst_edge e = gst_order_edge(t->o, id);
		if (is_held(&e)) {
			check_edge(&v, &e);
		}
	}
	check_edges_apart(&v);
	judge_windows(&v);
	out->example_count = (uint32_t)v.found.count;
	if (v.found.count) {
		out->examples =
			gst_arena_copy(arena, v.found.data, v.found.count * sizeof(*v.found.data));
	}
	gst_vec_free(&v.found);
	gst_mem_free(v.ended, t->node_count * sizeof(*v.ended));
	gst_mem_free(v.begun, t->node_count * sizeof(*v.begun));
}
