/*
 * export_perfetto_arrows.c - which edges of the order graph become arrows, and between which slices.
 *
 * Role      : an arrow needs two slices; many ends of edges (event records, barrier points) have none.
 * Method    : one pass in topological order gives each node the slice that stands for its end, one pass
 *             backwards the slice for its begin. Then each edge in force is one
 *             arrow or counted under the reason why it is none.
 * Invariant : an arrow is one edge; its source has ended when its target begins; no two arrows join the
 *             same two slices.
 * Not here  : launch arrows are not stored: there is one for each op with times (gst_arrows_launched).
 */
#include "analyzer/export/export_perfetto_internal.h"

#include "analyzer/base/sort.h"

static bool is_timed(const struct gst_op *op)
{
	return op->flags & GST_OP_TIMED;
}

/* Reached and done at one moment: the moment is that of the work before it. */
static bool takes_no_time(const struct gst_op *op)
{
	switch ((enum gst_op_kind)op->kind) {
	case GST_OP_EVENT_RECORD:
	case GST_OP_EVENT_WAIT:
	case GST_OP_ALLOC:
	case GST_OP_FREE:
	case GST_OP_MEMOP: /* a wait's arrow comes from the write, which did not take any */
		return true;
	case GST_OP_KERNEL:
	case GST_OP_MEMCPY:
	case GST_OP_MEMSET:
	case GST_OP_HOST_FUNC:
	case GST_OP_GRAPH_LAUNCH:
	case GST_OP_OPAQUE:
	case GST_OP_KIND_COUNT:
		break;
	}
	return false;
}

static bool is_in_force(const struct gst_timing *t, gst_edge_id e)
{
	enum gst_strength s = gst_timing_strength(t, e);

	return s == GST_DOCUMENTED || s == GST_OBSERVED;
}

/* Ops with times, and graph launches by their nodes. */
static void stand_for_themselves(const struct gst_model *m, struct gst_arrows *a)
{
	for (gst_op_id i = 0; i < m->op_count; i++) {
		const struct gst_op *op = &m->ops[i];
		gst_op_id launch = op->parent;

		if (!is_timed(op)) {
			continue;
		}
		a->last[i] = a->first[i] = i;
		if (!(op->flags & GST_OP_NODE) || launch == GST_NONE || is_timed(&m->ops[launch])) {
			continue;
		}
		if (a->first[launch] == GST_NONE ||
		    op->begin_ns < m->ops[a->first[launch]].begin_ns) {
			a->first[launch] = i;
		}
		if (a->last[launch] == GST_NONE || op->end_ns > m->ops[a->last[launch]].end_ns) {
			a->last[launch] = i;
		}
	}
}

static gst_op_id latest_before(const struct gst_model *m, const struct gst_order *o,
			       const struct gst_timing *t, const struct gst_arrows *a,
			       gst_node_id node)
{
	struct gst_edges in = gst_order_in(o, node);
	gst_op_id best = GST_NONE;

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(o, &in, i);
		gst_op_id op = a->last[e.from];

		if (e.form != GST_END_BEGIN || op == GST_NONE || !is_in_force(t, e.id)) {
			continue;
		}
		if (best == GST_NONE || m->ops[op].end_ns > m->ops[best].end_ns) {
			best = op;
		}
	}
	return best;
}

/* The next work of its stream or graph, as far as it is known to follow: calls of two threads may be in any order. */
static gst_op_id earliest_after(const struct gst_model *m, const struct gst_order *o,
				const struct gst_timing *t, const struct gst_arrows *a,
				const struct gst_order_outs *outs, gst_op_id moment)
{
	uint32_t count;
	const gst_edge_id *out = gst_order_out(outs, gst_node_of_op(moment), &count);
	gst_op_id best = GST_NONE;

	for (uint32_t i = 0; i < count; i++) {
		const struct gst_edge e = gst_order_edge(o, out[i]);
		gst_op_id op;

		if ((e.rule != GST_RULE_S1 && e.rule != GST_RULE_G4) || e.form != GST_END_BEGIN ||
		    !gst_node_is_op(o, e.to) || !is_in_force(t, out[i])) {
			continue;
		}
		op = a->first[e.to];
		if (op != GST_NONE &&
		    (best == GST_NONE || m->ops[op].begin_ns < m->ops[best].begin_ns)) {
			best = op;
		}
	}
	return best;
}

static void stand_for_moments(const struct gst_model *m, const struct gst_order *o,
			      const struct gst_timing *t, struct gst_arrows *a)
{
	uint32_t count;
	struct gst_arena *scratch = gst_arena_new(0);
	const gst_point_id *points = gst_order_topological(o, scratch, &count);
	struct gst_order_outs outs = gst_order_group_out(o, scratch);

	for (uint32_t i = 0; i < count; i++) {
		gst_node_id n = gst_node_of_point(points[i]);
		bool is_moment = n < m->op_count
					 ? a->last[n] == GST_NONE && takes_no_time(&m->ops[n])
					 : gst_node_is_barrier(o, n);

		if (is_moment && points[i] == gst_point_end(n)) {
			a->last[n] = latest_before(m, o, t, a, n);
		}
	}
	for (uint32_t i = count; i-- > 0;) {
		gst_node_id n = gst_node_of_point(points[i]);

		if (n < m->op_count && points[i] == gst_point_begin(n) && a->first[n] == GST_NONE &&
		    takes_no_time(&m->ops[n])) {
			a->first[n] = earliest_after(m, o, t, a, &outs, n);
		}
	}
	gst_arena_free(scratch);
}

/* Rules whose edges are not arrows: their order is that of slices on one track, or nesting. */
static bool is_shown_by_tracks(enum gst_rule rule)
{
	return rule == GST_RULE_T1 || rule == GST_RULE_S1 || rule == GST_RULE_S2 ||
	       rule == GST_RULE_G2;
}

/* Rules among nodes: that they stand in one track says nothing. */
static bool is_inside_launch(enum gst_rule rule)
{
	return rule == GST_RULE_G4 || rule == GST_RULE_G5 || rule == GST_RULE_G7;
}

/* Sorted by key: the slice at whose packet it is needed in the upper half. */
static struct gst_arrow *make_array(struct gst_sort_item *items, uint32_t count, bool by_source)
{
	struct gst_arrow *arrows = gst_mem_alloc(count * sizeof(*arrows));

	gst_sort_items(items, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t high = (uint32_t)(items[i].key >> 32), low = (uint32_t)items[i].key;

		arrows[i] = (struct gst_arrow){.source = by_source ? high : low,
					       .target = by_source ? low : high,
					       .edge = items[i].value};
	}
	return arrows;
}

void gst_arrows_build(const struct gst_model *m, const struct gst_order *o,
		      const struct gst_timing *t, struct gst_arrows *out)
{
	GST_VEC(struct gst_sort_item) items = {0};
	struct gst_arrow_stats *stats = &out->stats;
	uint32_t kept = 0;

	*out = (struct gst_arrows){.node_count = gst_order_node_count(o), .op_count = m->op_count};
	out->last = gst_mem_alloc(out->node_count * sizeof(*out->last));
	out->first = gst_mem_alloc(out->op_count * sizeof(*out->first));
	memset(out->last, 0xff, out->node_count * sizeof(*out->last));
	memset(out->first, 0xff, out->op_count * sizeof(*out->first));
	stand_for_themselves(m, out);
	stand_for_moments(m, o, t, out);

	for (gst_edge_id id = gst_order_next_edge(o, 0); id < gst_order_edge_bound(o);
	     id = gst_order_next_edge(o, id + 1)) {
		const struct gst_edge e = gst_order_edge(o, id);
		bool to_op = gst_node_is_op(o, e.to), to_call = gst_node_is_call(o, e.to);
		gst_op_id source = out->last[e.from];
		gst_node_id target;

		if (is_shown_by_tracks(e.rule) || e.form == GST_ENTER_BEGIN ||
		    e.form == GST_EXIT_ENTER || (!to_op && !to_call)) {
			continue;
		}
		if (!is_in_force(t, id)) {
			stats->not_in_force++;
			continue;
		}
		target = to_op ? out->first[e.to] : e.to;
		if (source == GST_NONE || target == GST_NONE) {
			stats->without_ends++;
			continue;
		}
		if (to_op && !is_inside_launch(e.rule) &&
		    m->ops[source].stream == m->ops[target].stream &&
		    m->ops[source].stream != GST_NONE) {
			stats->same_stream++;
			continue;
		}
		if (e.form == GST_BEGIN_BEGIN) {
			stats->overlapping++;
			continue;
		}
		if (to_op) {
			const struct gst_op *a = &m->ops[source], *b = &m->ops[target];
			/* Of two empty slices at one moment the file has the one with the lower id first. */
			bool is_before = a->end_ns <= b->begin_ns &&
					 (a->begin_ns < b->end_ns || source < target);

			if (!is_before) {
				stats->against_time++;
				continue;
			}
		} else {
			const struct gst_call *call = &m->calls[e.to - m->op_count];

			if (!(call->flags & GST_CALL_RETURNED) ||
			    m->ops[source].end_ns > call->exit_ns ||
			    m->ops[source].begin_ns == call->exit_ns) {
				stats->against_time++;
				continue;
			}
		}
		gst_vec_push(&items, ((struct gst_sort_item){.key = (uint64_t)target << 32 | source,
							     .value = id}));
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count; i++) {
		if (kept && items.data[kept - 1].key == items.data[i].key) {
			stats->same_pair++;
		} else {
			items.data[kept++] = items.data[i];
		}
	}
	out->count = kept;
	stats->drawn = kept;
	out->by_target = make_array(items.data, kept, false);
	for (uint32_t i = 0; i < kept; i++) {
		items.data[i].key = items.data[i].key << 32 | items.data[i].key >> 32;
	}
	out->by_source = make_array(items.data, kept, true);
	gst_vec_free(&items);
}

void gst_arrows_release(struct gst_arrows *a)
{
	gst_mem_free(a->last, a->node_count * sizeof(*a->last));
	gst_mem_free(a->first, a->op_count * sizeof(*a->first));
	gst_mem_free(a->by_target, a->count * sizeof(*a->by_target));
	gst_mem_free(a->by_source, a->count * sizeof(*a->by_source));
	*a = (struct gst_arrows){0};
}

static const struct gst_arrow *find(const struct gst_arrow *arrows, uint32_t total, bool by_source,
				    uint32_t key, uint32_t *count)
{
	uint32_t low = 0, high = total, n = 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t value = by_source ? arrows[middle].source : arrows[middle].target;

		if (value < key) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	while (low + n < total &&
	       (by_source ? arrows[low + n].source : arrows[low + n].target) == key) {
		n++;
	}
	*count = n;
	return arrows + low;
}

const struct gst_arrow *gst_arrows_into(const struct gst_arrows *a, gst_node_id target,
					uint32_t *count)
{
	return find(a->by_target, a->count, false, target, count);
}

const struct gst_arrow *gst_arrows_from(const struct gst_arrows *a, gst_op_id source,
					uint32_t *count)
{
	return find(a->by_source, a->count, true, source, count);
}

gst_op_id gst_arrows_launched(const struct gst_arrows *a, const struct gst_model *m,
			      const struct gst_order *o, gst_op_id op, gst_edge_id *edge)
{
	const struct gst_op *it = &m->ops[op];
	struct gst_edges in;

	if (it->flags & GST_OP_NODE || (!is_timed(it) && it->kind != GST_OP_GRAPH_LAUNCH) ||
	    a->first[op] == GST_NONE) {
		return GST_NONE;
	}
	in = gst_order_in(o, gst_node_of_op(op));
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(o, &in, i);

		/* Not a launch on which this op waits for another reason. */
		if (e.rule == GST_RULE_U1 && e.from == gst_node_of_call(o, it->call)) {
			*edge = e.id;
			return a->first[op];
		}
	}
	return GST_NONE;
}
