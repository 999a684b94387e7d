/*
 * binding.c - which predecessor released a node last.
 *
 * Role      : checks start from the binding edge, or the latest ones of a rule; exporters highlight it.
 * Method    : largest source time over the edges in force; ties go to the lowest edge id.
 * Invariant : a function of the graph and the timestamps alone.
 * Not here  : what would have happened without the edge (replay.c).
 */
#include "analyzer/timing/timing_internal.h"

#include "analyzer/base/assert.h"

gst_edge_id gst_timing_binding(const struct gst_timing *t, gst_node_id node, uint64_t *slack_ns)
{
	bool is_call = gst_node_is_call(t->o, node);
	gst_edge_id best = GST_NONE;
	uint64_t best_ns = 0, second_ns = GST_TIME_UNKNOWN;
	struct gst_edges in;

	GST_ASSERT(node < t->node_count);
	in = gst_order_in(t->o, node);
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, &in, i);
		uint64_t at;

		if (!gst_timing_in_force(t, e.id)) {
			continue;
		}
		at = gst_timing_source(t, &e);
		if (at == GST_TIME_UNKNOWN) {
			continue;
		}
		/* An end before the call was made is nothing that it waited for. */
		if (is_call && e.form == GST_END_EXIT &&
		    at <= t->m->calls[node - t->m->op_count].enter_ns) {
			continue;
		}
		if (best == GST_NONE || at > best_ns) {
			if (best != GST_NONE) {
				second_ns = best_ns;
			}
			best = e.id;
			best_ns = at;
		} else if (second_ns == GST_TIME_UNKNOWN || at > second_ns) {
			second_ns = at;
		}
	}
	if (slack_ns) {
		*slack_ns = best == GST_NONE || second_ns == GST_TIME_UNKNOWN ? UINT64_MAX
									      : best_ns - second_ns;
	}
	return best;
}

void gst_timing_latest(const struct gst_timing *t, gst_node_id node, enum gst_rule rule,
		       struct gst_latest *by_rule, struct gst_latest *by_others)
{
	struct gst_edges in = gst_order_in(t->o, node);

	*by_rule = *by_others = (struct gst_latest){.edge = GST_NONE};
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(t->o, &in, i);
		struct gst_latest *l = e.rule == rule ? by_rule : by_others;
		enum gst_strength s = gst_timing_strength_of(t, e.id);
		uint64_t at;

		if (s != GST_DOCUMENTED && s != GST_OBSERVED) {
			continue;
		}
		at = gst_timing_source(t, &e);
		if (at != GST_TIME_UNKNOWN && (l->edge == GST_NONE || at > l->ns)) {
			*l = (struct gst_latest){.edge = e.id, .ns = at};
		}
	}
}
