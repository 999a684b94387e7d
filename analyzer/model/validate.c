/*
 * validate.c - what holds for every model, whatever was in the file.
 *
 * Role      : tests and fuzz drivers call it on all they build; no stage depends on it.
 * Method    : plain loops over all tables.
 * Invariant : this file states those of model.h that a later stage relies on.
 * Not here  : whether the trace makes sense.
 */
#include "analyzer/model/model_internal.h"

static bool is_index(uint32_t i, uint32_t count)
{
	return i == GST_NONE || i < count;
}

static const char *check_op(const struct gst_model *m, uint32_t i)
{
	const struct gst_op *op = &m->ops[i];

	if (op->kind >= GST_OP_KIND_COUNT)
		return "op: kind";
	if (!is_index(op->call, m->call_count) || !is_index(op->stream, m->stream_count) ||
	    !is_index(op->event, m->event_count))
		return "op: index";
	if ((op->call == GST_NONE) != ((op->flags & GST_OP_NO_CALL) != 0))
		return "op: no call, and not marked so";
	if (op->flags & (GST_OP_TIMED | GST_OP_PARTIAL)) {
		if (op->begin_ns > op->end_ns)
			return "op: ends before it begins";
	} else if (op->begin_ns || op->end_ns) {
		return "op: times without TIMED";
	}
	if (op->flags & GST_OP_TIMED && op->flags & (GST_OP_PARTIAL | GST_OP_BAD_TIME))
		return "op: TIMED and not";
	if (op->parent != GST_NONE) {
		if (op->parent >= i || m->ops[op->parent].kind != GST_OP_GRAPH_LAUNCH ||
		    !(op->flags & GST_OP_NODE) || m->ops[op->parent].call != op->call)
			return "op: parent";
	} else if (op->flags & GST_OP_NODE && !(op->flags & GST_OP_NO_CALL) &&
		   m->calls[op->call].cls == GST_API_CLASS_GRAPH_LAUNCH) {
		return "op: node without parent";
	}
	if (gst_op_graph_node(op) != GST_NONE && gst_op_graph_node(op) >= m->graph_node_count)
		return "op: node";
	if (op->detail != GST_NONE &&
	    !(op->flags & GST_OP_NODE &&
	      (op->kind == GST_OP_EVENT_RECORD || op->kind == GST_OP_EVENT_WAIT))) {
		uint32_t count = op->kind == GST_OP_KERNEL	   ? m->kernel_count
				 : op->kind == GST_OP_MEMCPY	   ? m->copy_count
				 : op->kind == GST_OP_MEMSET	   ? m->memset_count
				 : op->kind == GST_OP_MEMOP	   ? m->memop_count
				 : op->kind == GST_OP_GRAPH_LAUNCH ? m->exec_count
								   : 0;

		if (op->detail >= count)
			return "op: detail";
	}
	if (op->name >= gst_strtab_count(m->strings))
		return "op: name";
	return NULL;
}

static const char *check_nvtx(const struct gst_model *m)
{
	for (uint32_t i = 0; i < m->range_count; i++) {
		const struct gst_range *r = &m->ranges[i];

		if (r->begin_ns > r->end_ns)
			return "range: ends before it begins";
		if (r->thread >= m->thread_count)
			return "range: thread";
		if (r->parent != GST_NONE &&
		    (r->parent >= i || m->ranges[r->parent].thread != r->thread ||
		     m->ranges[r->parent].what != GST_NVTX_PUSH))
			return "range: parent";
		if (i && r[-1].thread > r->thread)
			return "range: not in order";
	}
	for (uint32_t i = 0; m->call_ranges && i < m->call_count; i++) {
		uint32_t range = m->call_ranges[i];

		if (!is_index(range, m->range_count))
			return "call: range";
		if (range != GST_NONE && m->ranges[range].thread != m->calls[i].thread)
			return "call: range of another thread";
	}
	for (uint32_t i = 0; i < m->given_name_count; i++) {
		const struct gst_given_name *g = &m->given_names[i];

		if (!is_index(g->target, g->type == GST_NVTX_OF_THREAD	 ? m->thread_count
					 : g->type == GST_NVTX_OF_STREAM ? m->stream_count
									 : 0))
			return "given name: target";
	}
	return NULL;
}

static const char *check_calls(const struct gst_model *m)
{
	uint32_t next_op = 0;

	for (uint32_t i = 0; i < m->call_count; i++) {
		const struct gst_call *c = &m->calls[i];

		if (c->thread >= m->thread_count)
			return "call: thread";
		if (!is_index(c->stream, m->stream_count) || !is_index(c->ctx, m->context_count) ||
		    !is_index(c->event, m->event_count) || !is_index(c->args, m->args_count))
			return "call: index";
		if (c->first_op != next_op || c->op_count > m->op_count - next_op)
			return "call: ops are not neighbours in order";
		for (uint32_t k = 0; k < c->op_count; k++) {
			if (m->ops[next_op + k].call != i)
				return "call: an op of another call";
			if (k > 1 && m->ops[next_op + k].parent != m->ops[next_op + 1].parent)
				return "call: a node among other ops";
			if (m->ops[next_op + k].parent != GST_NONE &&
			    (!k || m->ops[next_op + k].parent != next_op))
				return "call: a node of another op";
		}
		next_op += c->op_count;
		if (c->flags & GST_CALL_RETURNED && c->exit_ns < c->enter_ns)
			return "call: returned before it was made";
	}
	for (uint32_t i = next_op; i < m->op_count; i++) {
		if (m->ops[i].call != GST_NONE)
			return "op: after those of all calls";
	}
	return NULL;
}

static const char *check_threads(const struct gst_model *m)
{
	uint64_t total = 0;

	for (uint32_t t = 0; t < m->thread_count; t++) {
		const struct gst_thread *thread = &m->threads[t];

		if (thread->process >= m->process_count)
			return "thread: process";
		for (uint32_t i = 0; i < thread->call_count; i++) {
			if (thread->calls[i] >= m->call_count ||
			    m->calls[thread->calls[i]].thread != t)
				return "thread: call of another";
			if (i && thread->calls[i] <= thread->calls[i - 1])
				return "thread: calls out of order";
		}
		total += thread->call_count;
	}
	return total == m->call_count ? NULL : "thread: calls without one";
}

static const char *check_streams(const struct gst_model *m)
{
	for (uint32_t s = 0; s < m->stream_count; s++) {
		const struct gst_stream *stream = &m->streams[s];

		if (stream->process >= m->process_count ||
		    !is_index(stream->ctx, m->context_count) ||
		    !is_index(stream->thread, m->thread_count) ||
		    !is_index(stream->create_call, m->call_count) ||
		    !is_index(stream->destroy_call, m->call_count))
			return "stream: index";
		if (stream->kind > GST_STREAM_KIND_UNKNOWN)
			return "stream: kind";
		for (uint32_t i = 0; i < stream->op_count; i++) {
			if (stream->ops[i] >= m->op_count || m->ops[stream->ops[i]].stream != s ||
			    m->ops[stream->ops[i]].flags & GST_OP_NODE)
				return "stream: op of another";
			if (i && stream->ops[i] <= stream->ops[i - 1])
				return "stream: ops out of order";
		}
	}
	return NULL;
}

static const char *check_graphs(const struct gst_model *m)
{
	uint32_t next_node = 0;
	uint32_t next_edge = 0;

	for (uint32_t i = 0; i < m->graph_count; i++) {
		const struct gst_graph *g = &m->graphs[i];

		if (g->process >= m->process_count || !is_index(g->original, m->graph_count) ||
		    !is_index(g->made, m->call_count) || !is_index(g->last_change, m->call_count))
			return "graph: index";
		if ((g->node_count && g->first_node != next_node) ||
		    g->node_count > m->graph_node_count - next_node)
			return "graph: its nodes are not neighbours";
		if ((g->edge_count && g->first_edge != next_edge) ||
		    g->edge_count > m->graph_edge_count - next_edge)
			return "graph: its edges are not neighbours";
		if (g->event_count && (g->first_event >= m->graph_event_node_count ||
				       g->event_count > m->graph_event_node_count - g->first_event))
			return "graph: event nodes";
		for (uint32_t k = 0; k < g->node_count; k++) {
			const struct gst_graph_node *n = &m->graph_nodes[next_node + k];

			if (n->graph != i || !is_index(n->original, m->graph_node_count) ||
			    n->original == next_node + k || !is_index(n->made, m->call_count) ||
			    !is_index(n->removed, m->call_count) ||
			    n->name >= gst_strtab_count(m->strings))
				return "graph: node";
		}
		for (uint32_t k = 0; k < g->edge_count; k++) {
			const struct gst_graph_edge *e = &m->graph_edges[next_edge + k];

			if (e->from >= m->graph_node_count || e->to >= m->graph_node_count ||
			    m->graph_nodes[e->from].graph != i ||
			    m->graph_nodes[e->to].graph != i || !is_index(e->made, m->call_count) ||
			    !is_index(e->removed, m->call_count) || e->port > GST_PORT_OTHER)
				return "graph: edge";
		}
		next_node += g->node_count;
		next_edge += g->edge_count;
	}
	for (uint32_t i = 0; i < m->graph_event_node_count; i++) {
		if (m->graph_event_nodes[i] >= m->graph_node_count)
			return "graph: event node";
	}
	for (uint32_t i = 0; i < m->exec_count; i++) {
		const struct gst_exec *e = &m->execs[i];

		if (e->process >= m->process_count || !is_index(e->graph, m->graph_count) ||
		    !is_index(e->source, m->graph_count) ||
		    !is_index(e->make_call, m->call_count) ||
		    !is_index(e->destroy_call, m->call_count))
			return "executable graph: index";
	}
	return next_node == m->graph_node_count && next_edge == m->graph_edge_count
		       ? NULL
		       : "graph: nodes or edges of none";
}

const char *gst_model_validate(const struct gst_model *m)
{
	const char *bad;

	for (uint32_t c = 0; c < m->context_count; c++) {
		const struct gst_context *ctx = &m->contexts[c];

		if (ctx->process >= m->process_count || !is_index(ctx->device, m->device_count) ||
		    !is_index(ctx->legacy_stream, m->stream_count) ||
		    !is_index(ctx->parent, m->context_count))
			return "context: index";
		if (ctx->legacy_stream != GST_NONE &&
		    m->streams[ctx->legacy_stream].kind != GST_STREAM_KIND_LEGACY)
			return "context: its legacy stream is none";
	}
	for (uint32_t e = 0; e < m->event_count; e++) {
		if (m->events[e].process >= m->process_count ||
		    !is_index(m->events[e].create_call, m->call_count) ||
		    !is_index(m->events[e].destroy_call, m->call_count))
			return "event: index";
	}
	for (uint32_t i = 0; i < m->memory_count; i++) {
		if (!is_index(m->memory[i].call, m->call_count) ||
		    !is_index(m->memory[i].ctx, m->context_count))
			return "memory: index";
	}
	bad = check_calls(m);
	bad = bad ? bad : check_threads(m);
	bad = bad ? bad : check_streams(m);
	bad = bad ? bad : check_nvtx(m);
	bad = bad ? bad : check_graphs(m);
	for (uint32_t i = 0; !bad && i < m->op_count; i++)
		bad = check_op(m, i);
	return bad;
}
