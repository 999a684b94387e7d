/*
 * check_default_stream.c - default-stream-serialization, with the note load-bearing-barrier.
 *
 * Role      : work that waited for the legacy default stream, or made it wait, without another relation.
 * Method    : an op with an S3 edge waited from the moment at which everything else had released it
 *             until the S3 edge did. Whatever else orders the two (event, stream, host wait) releases
 *             it no earlier than the S3 edge would, so then there is no such time. All edges of one
 *             legacy stream are one group: making the streams non-blocking takes them all away.
 * Invariant : the launching call counts as a release; the order of launches alone is no relation.
 * Not here  : synchronous copies that block the host (check_sync_copy.c).
 */
#include "analyzer/check/check_internal.h"

#include <string.h>

/* At most so many pairs are named in words, and searched for shared memory. */
#define PAIRS_NAMED    4u
#define PAIRS_SEARCHED 200u

struct wait {
	gst_edge_id edge; /* the last S3 edge */
	uint64_t from_ns, to_ns;
};

/* Of an op that an S3 edge leads to. */
static bool find_wait(const struct gst_check_run *r, gst_op_id op, struct wait *w)
{
	struct gst_latest legacy, other;

	gst_timing_latest(r->t, op, GST_RULE_S3, &legacy, &other);
	/* Without its launch in the trace nobody knows when it could have begun. */
	if (legacy.edge == GST_NONE || other.edge == GST_NONE ||
	    legacy.ns < other.ns + GST_STALL_MIN_NS) {
		return false;
	}
	*w = (struct wait){.edge = legacy.edge, .from_ns = other.ns, .to_ns = legacy.ns};
	return true;
}

/* The stream of @node, if it is an op of a legacy one. */
static gst_stream_id legacy_stream(const struct gst_model *m, gst_node_id node)
{
	gst_stream_id s = node < m->op_count ? m->ops[node].stream : GST_NONE;

	return s != GST_NONE && m->streams[s].kind == GST_STREAM_KIND_LEGACY ? s : GST_NONE;
}

static gst_stream_id legacy_of(const struct gst_check_run *r, gst_node_id from, gst_node_id to)
{
	gst_stream_id s = legacy_stream(r->m, to);

	return s != GST_NONE ? s : legacy_stream(r->m, from);
}

/* ---- load-bearing-barrier -------------------------------------------------------------------------- */

struct range {
	uint64_t at, bytes;
	bool is_written;
};

static uint32_t ranges_of(const struct gst_check_run *r, gst_op_id op, struct range out[2])
{
	const struct gst_op *x = &r->m->ops[op];
	const struct gst_call_args *a;

	if (x->call == GST_NONE || (x->flags & GST_OP_NODE) ||
	    r->m->calls[x->call].args == GST_NONE) {
		return 0;
	}
	a = &r->m->args[r->m->calls[x->call].args];
	if (a->bytes == 0) {
		return 0;
	}
	if (x->kind == GST_OP_MEMSET && a->a) {
		out[0] = (struct range){.at = a->a, .bytes = a->bytes, .is_written = true};
		return 1;
	}
	if (x->kind == GST_OP_MEMCPY && a->a && a->b) {
		out[0] = (struct range){.at = a->a, .bytes = a->bytes, .is_written = true};
		out[1] = (struct range){.at = a->b, .bytes = a->bytes};
		return 2;
	}
	return 0;
}

static bool share_memory(const struct gst_check_run *r, gst_op_id a, gst_op_id b)
{
	struct range x[2], y[2];
	uint32_t nx = ranges_of(r, a, x), ny = ranges_of(r, b, y);

	for (uint32_t i = 0; i < nx; i++) {
		for (uint32_t j = 0; j < ny; j++) {
			if ((x[i].is_written || y[j].is_written) &&
			    (x[i].at < y[j].at ? y[j].at - x[i].at < x[i].bytes
					       : x[i].at - y[j].at < y[j].bytes)) {
				return true;
			}
		}
	}
	return false;
}

static uint32_t count_load_bearing(const struct gst_check_run *r, const struct gst_group *g)
{
	const struct gst_path_query q = {.without_rules = UINT64_C(1) << GST_RULE_S3,
					 .documented_only = true,
					 .max_nodes = 10000};
	uint32_t found = 0;

	for (size_t i = 0; i < g->occurrences.count && i < PAIRS_SEARCHED; i++) {
		const struct gst_occurrence *x = &g->occurrences.data[i];
		if (x->culprit != GST_NONE && share_memory(r, x->culprit, x->waiter) &&
		    gst_order_before(r->o, x->culprit, x->waiter, &q) == GST_NO) {
			found++;
		}
	}
	return found;
}

/* Is one side of a wait a kernel or graph, whose memory is not known, and the other one not? */
static bool has_kernel_and_copy(const struct gst_check_run *r, const struct gst_group *g)
{
	for (size_t i = 0; i < g->occurrences.count; i++) {
		const struct gst_occurrence *x = &g->occurrences.data[i];
		uint8_t a, b;

		if (x->culprit == GST_NONE) {
			continue;
		}
		a = r->m->ops[x->waiter].kind;
		b = r->m->ops[x->culprit].kind;
		if ((a == GST_OP_MEMCPY && b == GST_OP_KERNEL) ||
		    (b == GST_OP_MEMCPY && a == GST_OP_KERNEL)) {
			return true;
		}
	}
	return false;
}

/* ---- words ---------------------------------------------------------------------------------------- */

/* "last (stream 14) waited for middle (default stream) 40 times", the first few different pairs. */
static const char *say_pairs(struct gst_check_run *r, const struct gst_group *g)
{
	struct {
		const char *waiter, *culprit;
		gst_stream_id a, b;
		uint32_t count;
	} pairs[PAIRS_NAMED];
	uint32_t count = 0, others = 0;
	const char *text = "";

	for (size_t i = 0; i < g->occurrences.count; i++) {
		const struct gst_occurrence *x = &g->occurrences.data[i];
		const char *waiter, *culprit;
		uint32_t j = 0;

		if (i >= PAIRS_SEARCHED) {
			break;
		}
		waiter = gst_check_op(r, x->waiter);
		culprit = gst_check_op(r, x->culprit);
		while (j < count && (strcmp(pairs[j].waiter, waiter) != 0 ||
				     strcmp(pairs[j].culprit, culprit) != 0)) {
			j++;
		}
		if (j < count) {
			pairs[j].count++;
		} else if (count < PAIRS_NAMED) {
			pairs[count].waiter = waiter;
			pairs[count].culprit = culprit;
			pairs[count].a = r->m->ops[x->waiter].stream;
			pairs[count].b =
				x->culprit == GST_NONE ? GST_NONE : r->m->ops[x->culprit].stream;
			pairs[count++].count = 1;
		} else {
			others++;
		}
	}
	for (uint32_t j = 0; j < count; j++) {
		text = gst_check_text(r, "%s%s%s (%s) waited for %s (%s)", text, j ? "\n" : "",
				      pairs[j].waiter, gst_check_stream(r, pairs[j].a),
				      pairs[j].culprit, gst_check_stream(r, pairs[j].b));
		if (pairs[j].count > 1) {
			text = gst_check_text(r, "%s, %s", text,
					      gst_check_times(r, pairs[j].count));
		}
	}
	if (others) {
		text = gst_check_text(r, "%s\nand %u more waits of other pairs", text, others);
	}
	if (g->occurrence_count > PAIRS_SEARCHED) {
		text = gst_check_text(r, "%s\nof the first %u of %u waits", text, PAIRS_SEARCHED,
				      g->occurrence_count);
	}
	return text;
}

/* The op of the legacy stream in the first occurrence. */
static gst_op_id legacy_op(const struct gst_check_run *r, const struct gst_group *g)
{
	const struct gst_occurrence *x = &g->occurrences.data[0];

	return r->m->ops[x->waiter].stream == g->key[0] ? x->waiter : x->culprit;
}

static void report(struct gst_check_run *r, struct gst_group *g, uint64_t together_ns,
		   void *payload)
{
	struct gst_finding f = {.id = "default-stream-serialization"};
	gst_op_id op = legacy_op(r, g);
	gst_call_id call = op == GST_NONE ? GST_NONE : r->m->ops[op].call;
	const char *api = gst_check_api(r, call);
	uint32_t load_bearing = count_load_bearing(r, g);

	(void)together_ns;
	(void)payload;
	gst_group_cost(r, g, &f);
	f.title = gst_check_text(
		r, "the legacy default stream serializes work: %s and others waited %s",
		gst_check_op(r, g->occurrences.data[0].waiter),
		gst_check_times(r, g->occurrence_count));
	f.detail = gst_check_text(
		r,
		"%s puts %s into the legacy default stream, which blocking streams wait for and hold up (%s)\n%s",
		api, gst_check_op(r, op), gst_check_thread(r, call), say_pairs(r, g));
	f.advice =
		"Create the other streams with cudaStreamCreateWithFlags(..., cudaStreamNonBlocking), or put "
		"this work into a stream of its own instead of stream 0 (or build with --default-stream "
		"per-thread); where one really needs the other's result, say so with cudaEventRecord and "
		"cudaStreamWaitEvent.";
	if (has_kernel_and_copy(r, g)) {
		f.detail = gst_check_text(
			r,
			"%s\nwhat kernels read and write is not in the trace: where a copy brings what a kernel "
			"reads, or fetches what it wrote, the order is needed and an event has to take the barrier's place",
			f.detail);
	}
	if (load_bearing) {
		f.detail = gst_check_text(
			r,
			"%s\nload-bearing-barrier: %u of these waits are the only order between two operations on the same memory; without the barrier and without an event in its place they would race",
			f.detail, load_bearing);
	}
	gst_group_report(r, g, &f);
}

static void look_at(struct gst_check_run *r, struct gst_groups *groups, gst_op_id op)
{
	struct wait w;
	struct gst_edge e;
	gst_stream_id legacy;
	struct gst_group *g;

	if (!find_wait(r, op, &w)) {
		return;
	}
	e = gst_order_edge(r->o, w.edge);
	legacy = legacy_of(r, e.from, e.to);
	if (legacy == GST_NONE) {
		return;
	}
	g = gst_groups_at(groups, (uint32_t[6]){legacy});
	if (g->occurrence_count == 0) {
		g->path_count = gst_check_binding_path(r, w.edge, g->path);
	}
	g->reach_ns += w.to_ns - w.from_ns;
	gst_group_add(
		g, (struct gst_occurrence){.begin_ns = w.from_ns,
					   .end_ns = w.to_ns,
					   .waiter = op,
					   .culprit = e.from < r->m->op_count ? e.from : GST_NONE,
					   .call = r->m->ops[op].call,
					   .blocked_ns = w.to_ns - w.from_ns});
}

/* All edges of the legacy streams that something waited for: to be taken away together. */
static void cut_edges(const struct gst_check_run *r, struct gst_groups *groups)
{
	gst_edge_id end = gst_order_edge_bound(r->o);
	gst_stream_id last = GST_NONE;
	size_t last_group = SIZE_MAX;

	for (gst_edge_id e = gst_order_first_stored(r->o); e < end; e++) {
		const struct gst_edge edge = gst_order_edge(r->o, e);
		const struct gst_group *g;
		gst_stream_id legacy;

		if (edge.rule != GST_RULE_S3) {
			continue;
		}
		legacy = legacy_of(r, edge.from, edge.to);
		if (legacy != last || last == GST_NONE) {
			g = gst_groups_find(groups, (uint32_t[6]){legacy});
			last_group = g ? (size_t)(g - groups->v.data) : SIZE_MAX;
			last = legacy;
		}
		if (last_group != SIZE_MAX) {
			gst_vec_push(&groups->v.data[last_group].edges, e);
		}
	}
}

void gst_check_default_stream(struct gst_check_run *r)
{
	struct gst_groups groups = {0};
	gst_edge_id end = gst_order_edge_bound(r->o);
	gst_node_id seen = GST_NONE;

	if (gst_order_stats(r->o)->per_rule[GST_RULE_S3] == 0) {
		return;
	}
	/* Edges are in the order of what they lead to. */
	for (gst_edge_id e = gst_order_first_stored(r->o); e < end; e++) {
		const struct gst_edge edge = gst_order_edge(r->o, e);

		if (edge.rule == GST_RULE_S3 && edge.to != seen && gst_node_is_op(r->o, edge.to)) {
			seen = edge.to;
			look_at(r, &groups, edge.to);
		}
	}
	if (groups.v.count) {
		cut_edges(r, &groups);
	}
	gst_groups_report(r, &groups, 0, report, NULL);
}
