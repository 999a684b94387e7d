/*
 * graph_use.c - launches and nodes of executable graphs, counted.
 *
 * Role      : the graphs of the text report, JSON and SQLite.
 * Method    : one pass over the ops; a node belongs to the executable graph of its launch.
 * Invariant : counts what is in the trace; what is missing there is said by gst_describe_limits.
 * Not here  : what orders the nodes (analyzer/order/graphs.c).
 */
#include "analyzer/export/graph_use.h"

const struct gst_graph_use *gst_graph_use_count(const struct gst_model *m, struct gst_arena *arena)
{
	struct gst_graph_use *out = GST_ARENA_ARRAY(arena, struct gst_graph_use, m->exec_count);

	for (gst_op_id i = 0; i < m->op_count && m->exec_count; i++) {
		const struct gst_op *op = &m->ops[i];
		bool is_node = op->flags & GST_OP_NODE && op->parent != GST_NONE;
		uint32_t exec = is_node ? m->ops[op->parent].detail : op->detail;

		if ((!is_node && op->kind != GST_OP_GRAPH_LAUNCH) || exec == GST_NONE) {
			continue;
		}
		if (is_node) {
			out[exec].node_runs +=
				op->kind != GST_OP_EVENT_RECORD && op->kind != GST_OP_EVENT_WAIT;
			continue;
		}
		out[exec].whole_runs += (op->flags & GST_OP_TIMED) != 0;
		if (op->flags & (GST_OP_TIMED | GST_OP_PARTIAL)) {
			out[exec].busy_ns += op->end_ns - op->begin_ns;
		}
	}
	return out;
}

bool gst_graph_make_ns(const struct gst_model *m, const struct gst_exec *exec, uint64_t *ns)
{
	const struct gst_call *c = exec->make_call == GST_NONE ? NULL : &m->calls[exec->make_call];

	if (!c || !(c->flags & GST_CALL_RETURNED) || c->flags & GST_CALL_NO_ENTER) {
		return false;
	}
	*ns = c->exit_ns - c->enter_ns;
	return true;
}
