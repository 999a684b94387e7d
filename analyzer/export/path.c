/*
 * path.c - see path.h.
 *
 * Role      : one answer for text and JSON.
 * Method    : gst_order_why() three times at most, each time over weaker edges; then the other way round.
 * Invariant : a path that is shown is one that the run did not disprove; where there is none, what could hide
 *             it is counted between the two operations, not in the whole trace.
 * Not here  : which operations are meant (cli), the search (order), form (export_text.c, export_json.c).
 */
#include "analyzer/export/path.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/units.h"
#include "analyzer/base/vec.h"

const char *gst_path_order_name(enum gst_path_order order)
{
	switch (order) {
	case GST_PATH_FORWARD:
		return "forward";
	case GST_PATH_REVERSE:
		return "reverse";
	case GST_PATH_NONE:
		return "none";
	case GST_PATH_UNKNOWN:
		break;
	}
	return "unknown";
}

/* One bit an edge: those that are weaker than @weakest. */
static void mark_weaker(const struct gst_analysis *a, enum gst_strength weakest, uint8_t *bits)
{
	const struct gst_order *o = a->order;
	gst_edge_id end = gst_order_edge_bound(o);

	memset(bits, 0, end / 8 + 1);
	for (gst_edge_id e = gst_order_next_edge(o, 0); e < end;
	     e = gst_order_next_edge(o, e + 1)) {
		enum gst_strength s = gst_timing_strength(a->timing, e);

		if (s == GST_DISPROVED || (s == GST_POSSIBLE && weakest != GST_POSSIBLE)) {
			bits[e / 8] = (uint8_t)(bits[e / 8] | 1u << (e % 8));
		}
	}
}

void gst_path_find(const struct gst_analysis *a, gst_op_id from, gst_op_id to,
		   struct gst_arena *arena, struct gst_path_answer *out)
{
	static const enum gst_strength tries[] = {GST_DOCUMENTED, GST_OBSERVED, GST_POSSIBLE};
	size_t bytes = gst_order_edge_bound(a->order) / 8 + 1;
	uint8_t *bits = gst_mem_alloc(bytes);
	enum gst_answer answer;

	*out = (struct gst_path_answer){.from = from, .to = to};
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]) && out->edge_count == 0; i++) {
		struct gst_path_query q = {.documented_only = tries[i] == GST_DOCUMENTED};

		if (!q.documented_only) {
			mark_weaker(a, tries[i], bits);
			q.without_edges = bits;
		}
		out->strength = tries[i];
		out->order = GST_PATH_FORWARD;
		out->edge_count = gst_order_why(a->order, from, to, &q, arena, &out->edges);
		if (out->edge_count == 0) {
			out->order = GST_PATH_REVERSE;
			out->edge_count = gst_order_why(a->order, to, from, &q, arena, &out->edges);
		}
	}
	gst_mem_free(bits, bytes);
	if (out->edge_count > 0) {
		return;
	}
	out->edges = NULL;
	out->order = GST_PATH_NONE;
	answer = gst_order_before(a->order, from, to, NULL);
	if (answer == GST_NO) {
		answer = gst_order_before(a->order, to, from, NULL);
	}
	/* Yes would be a path over edges that the times disproved. */
	if (answer == GST_DONT_KNOW) {
		out->order = GST_PATH_UNKNOWN;
	}
}

bool gst_path_gap(const struct gst_analysis *a, const struct gst_path_answer *p, int64_t *ns)
{
	const struct gst_op *first, *last;

	if (p->edge_count == 0) {
		return false;
	}
	first = &a->model->ops[p->order == GST_PATH_REVERSE ? p->to : p->from];
	last = &a->model->ops[p->order == GST_PATH_REVERSE ? p->from : p->to];
	if (!(first->flags & last->flags & GST_OP_TIMED) || last->flags & GST_OP_EARLY_BEGIN) {
		return false;
	}
	*ns = (int64_t)(last->begin_ns - first->end_ns);
	return true;
}

/* ---- what released an operation --------------------------------------------------------------------------- */

enum { PASSED_MAX = 64 };

/* Is it something that takes no time: what it had to wait for says more? */
static bool is_passed(const struct gst_analysis *a, gst_node_id node)
{
	if (gst_node_is_op(a->order, node)) {
		uint8_t kind = a->model->ops[node].kind;

		return kind == GST_OP_EVENT_RECORD || kind == GST_OP_EVENT_WAIT;
	}
	return gst_node_is_barrier(a->order, node);
}

/* What stands behind the source of r->edge, and the rule that tells why. */
static void look_behind(const struct gst_analysis *a, struct gst_release *r)
{
	r->why = r->edge;
	r->from = gst_order_edge(a->order, r->edge).from;
	for (int i = 0; i < PASSED_MAX && is_passed(a, r->from); i++) {
		gst_edge_id edge = gst_timing_binding(a->timing, r->from, NULL);
		struct gst_edge e;

		if (edge == GST_NONE) {
			break;
		}
		e = gst_order_edge(a->order, edge);
		/* What was let go by its own call alone has nothing behind it. */
		if (e.form != GST_END_BEGIN) {
			break;
		}
		if (gst_order_edge(a->order, r->why).rule == GST_RULE_S1) {
			r->why = edge;
		}
		r->from = e.from;
	}
}

/* The last one first; what is not in force, and then what has no time, behind. */
static uint64_t rank_of(const struct gst_release *r)
{
	if (!r->is_known) {
		return UINT64_MAX - r->is_in_force;
	}
	return (UINT64_MAX >> 1) - (r->at_ns >> 1) + (r->is_in_force ? 0 : UINT64_MAX >> 2);
}

uint32_t gst_path_releases(const struct gst_analysis *a, gst_op_id op, struct gst_arena *arena,
			   const struct gst_release **out)
{
	struct gst_edges in = gst_order_in(a->order, gst_node_of_op(op));
	struct gst_release *found = GST_ARENA_ARRAY(arena, struct gst_release, in.count);
	struct gst_release *sorted = GST_ARENA_ARRAY(arena, struct gst_release, in.count);
	struct gst_sort_item *order = gst_mem_alloc(((size_t)in.count + 1) * sizeof(*order));
	uint64_t last_ns = 0;

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(a->order, &in, i);
		struct gst_release *r = &found[i];

		r->edge = e.id;
		look_behind(a, r);
		r->is_in_force = gst_timing_in_force(a->timing, e.id);
		r->is_known = gst_timing_source_ns(a->timing, e.id, &r->at_ns);
		r->is_exact = e.form == GST_ENTER_BEGIN || e.form == GST_EXIT_ENTER ||
			      gst_timing_is_exact(a->timing, e.from);
		if (r->is_known && r->is_in_force && r->at_ns > last_ns) {
			last_ns = r->at_ns;
		}
		order[i] = (struct gst_sort_item){.key = rank_of(r), .value = i};
	}
	gst_sort_items(order, in.count);
	for (uint32_t i = 0; i < in.count; i++) {
		sorted[i] = found[order[i].value];
		sorted[i].slack_ns = sorted[i].at_ns < last_ns ? last_ns - sorted[i].at_ns : 0;
	}
	gst_mem_free(order, ((size_t)in.count + 1) * sizeof(*order));
	*out = sorted;
	return in.count;
}

void gst_path_leave_out(const struct gst_analysis *a, gst_op_id op, struct gst_arena *arena,
			struct gst_path_without *w)
{
	const struct gst_model *m = a->model;
	GST_VEC(gst_edge_id) cut = {0};
	struct gst_cut c = {.is_high_only = true};
	struct gst_replay r;
	uint64_t begin_ns, end_ns;

	for (gst_edge_id e = gst_order_next_edge(a->order, 0); e < gst_order_edge_bound(a->order);
	     e = gst_order_next_edge(a->order, e + 1)) {
		if ((w->one ? e == w->one->edge
			    : w->rules >> gst_order_edge(a->order, e).rule & 1) &&
		    gst_timing_in_force(a->timing, e)) {
			gst_vec_push(&cut, e);
		}
	}
	c.edges = cut.data;
	c.edge_count = w->edge_count = (uint32_t)cut.count;
	w->is_known = (m->ops[op].flags & GST_OP_TIMED) &&
		      gst_timing_op_ns(a->timing, op, &begin_ns, &end_ns) &&
		      gst_timing_earliest(a->timing, &c, op, arena, &w->begin_ns);
	if (w->is_known) {
		w->earlier_ns = begin_ns > w->begin_ns ? begin_ns - w->begin_ns : 0;
		gst_timing_replay(a->timing, &c, arena, &r);
		w->run_earlier_ns = r.gain_high_ns;
	}
	gst_vec_free(&cut);
}

/* ---- doubts ---------------------------------------------------------------------------------------------- */

struct doubts {
	const struct gst_analysis *a;
	void (*fn)(void *payload, const char *line);
	void *payload;
	uint32_t count;
};

static void say(struct doubts *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct doubts *d, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	d->fn(d->payload, line);
	d->count++;
}

static void say_count(struct doubts *d, uint64_t n, const char *one, const char *many)
{
	if (n > 0) {
		say(d, "%s %s", gst_count(n).text, n == 1 ? one : many);
	}
}

static uint32_t process_of(const struct gst_model *m, gst_op_id op)
{
	const struct gst_op *x = &m->ops[op];

	if (x->call != GST_NONE) {
		return m->threads[m->calls[x->call].thread].process;
	}
	return x->stream == GST_NONE ? GST_NONE : m->streams[x->stream].process;
}

/* Work of one of the two alone. */
static void doubts_of(struct doubts *d, gst_op_id op)
{
	const struct gst_model *m = d->a->model;
	const struct gst_op *x = &m->ops[op];

	if (x->flags & GST_OP_NO_CALL) {
		say(d, "the call that submitted op %" PRIu32 " is not in the trace", op);
	}
	if (x->flags & GST_OP_PROGRAMMATIC) {
		say(d,
		    "op %" PRIu32
		    " may be a programmatic launch, which may begin before what it follows has ended; what it waits for inside is not seen",
		    op);
	}
	if (x->stream == GST_NONE) {
		say(d, "the stream of op %" PRIu32 " is not known", op);
	} else if (m->streams[x->stream].kind == GST_STREAM_KIND_UNKNOWN) {
		say(d,
		    "whether the stream of op %" PRIu32
		    " takes part in the order of the default stream is not known",
		    op);
	}
}

/* What was submitted between the two and is not understood. */
static void doubts_between(struct doubts *d, gst_op_id from, gst_op_id to)
{
	const struct gst_model *m = d->a->model;
	uint64_t waits = 0, opaque = 0, memops = 0;
	gst_op_id first = from < to ? from : to, last = from < to ? to : from;

	for (gst_op_id i = first + 1; i < last; i++) {
		const struct gst_op *x = &m->ops[i];
		gst_op_id record;

		if (x->kind == GST_OP_EVENT_WAIT) {
			enum gst_record_ref ref = gst_order_record_of(d->a->order, i, &record);

			waits += ref == GST_REF_UNKNOWN || ref == GST_REF_AMBIGUOUS;
		}
		opaque += x->kind == GST_OP_OPAQUE;
		memops += x->kind == GST_OP_MEMOP;
	}
	say_count(d, waits, "event wait between them is for a record that is not known",
		  "event waits between them are for records that are not known");
	say_count(d, opaque, "operation between them is of a kind without rules",
		  "operations between them are of kinds without rules");
	say_count(
		d, memops,
		"operation between them waits for or writes a value in memory: who waits for whom is not seen",
		"operations between them wait for or write values in memory: who waits for whom is not seen");
}

void gst_path_doubts(const struct gst_analysis *a, const struct gst_path_answer *p,
		     void (*fn)(void *payload, const char *line), void *payload)
{
	struct doubts d = {a, fn, payload, 0};
	const struct gst_model *m = a->model;
	const struct gst_op *from = &m->ops[p->from], *to = &m->ops[p->to];
	const struct gst_order_stats *stats = gst_order_stats(a->order);
	const gst_node_id *cycle;

	if (p->edge_count > 0) {
		return;
	}
	if (p->from == p->to) {
		say(&d, "they are one and the same");
		return;
	}
	if (from->parent == p->to || to->parent == p->from) {
		say(&d, "one is a node of the other, a graph launch: it runs within it");
		return;
	}
	doubts_of(&d, p->from);
	doubts_of(&d, p->to);
	if (from->parent != GST_NONE && from->parent == to->parent) {
		say(&d, "both are nodes of one graph launch, whose edges show no order of them");
	}
	if (process_of(m, p->from) != process_of(m, p->to)) {
		say(&d, "they belong to two processes, between which no order is seen");
	} else if (from->call != GST_NONE && to->call != GST_NONE &&
		   m->calls[from->call].thread != m->calls[to->call].thread) {
		say(&d,
		    "two host threads submitted them: what these agreed among themselves (locks, queues, joins) is not seen");
	}
	doubts_between(&d, p->from, p->to);
	say_count(&d, stats->ambiguous_pairs,
		  "pair of calls of the trace has an order of acceptance that is not known",
		  "pairs of calls of the trace have an order of acceptance that is not known");
	if (stats->cut_fronts > 0) {
		say(&d,
		    m->call_early_ns
			    ? "too many calls overlapped, or came within 0.3 us of each other, somewhere: orders may be missing"
			    : "too many calls overlapped somewhere: orders may be missing");
	}
	if (gst_order_cycle(a->order, &cycle) > 0) {
		say(&d, "the trace contradicts itself: some operations wait for each other");
	}
	if (!m->is_complete || m->gap_count > 0) {
		say(&d, "the trace is incomplete: a call that orders them may be missing");
	}
	if (d.count == 0) {
		say(&d,
		    "nothing between them is missing or unknown: no call was made that orders them (what kernels agree by memory is not seen)");
	}
}
