/*
 * dump.c - the model as text, one line a thing: `gstrace dump --model`, and goldens.
 *
 * Role      : what a person reads who asks what gstrace made of the records.
 * Method    : tables in order, ids as in the graph's text; unknown things are left out, not zero.
 * Invariant : the same model gives the same bytes; names are escaped, nothing else comes from the trace.
 * Not here  : records (dump --text, --raw), edges (order_dump.c).
 */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/base/outfile.h"
#include "analyzer/model/model_internal.h"

#define LABEL_BYTES 256

/* Control bytes, quotes, the backslash and what is not ASCII as \xNN. */
static void put_escaped(struct gst_outfile *out, const char *s, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
			gst_outfile_printf(out, "\\x%02x", c);
		} else {
			gst_outfile_write(out, s + i, 1);
		}
	}
}

static void put_string(const struct gst_model *m, struct gst_outfile *out, const char *key,
		       uint32_t id)
{
	size_t length;
	const char *s = gst_strtab_get(m->strings, id, &length);

	if (!length)
		return;
	gst_outfile_printf(out, " %s=\"", key);
	put_escaped(out, s, length);
	gst_outfile_puts(out, "\"");
}

static void put_id(struct gst_outfile *out, const char *key, uint32_t id)
{
	if (id != GST_NONE)
		gst_outfile_printf(out, " %s=%" PRIu32, key, id);
}

static void put_flags(struct gst_outfile *out, uint32_t flags, const char *const *names,
		      size_t count)
{
	const char *separator = " flags=";

	for (size_t i = 0; i < count; i++) {
		if (flags & 1u << i) {
			gst_outfile_printf(out, "%s%s", separator, names[i]);
			separator = ",";
		}
	}
}

static void dump_processes(const struct gst_model *m, struct gst_outfile *out)
{
	gst_outfile_printf(out, "model begin=%" PRIu64 " end=%" PRIu64 " base=%" PRIu64 "%s\n",
			   m->begin_ns, m->end_ns, m->base_ns, m->is_complete ? " complete" : "");
	for (uint32_t i = 0; i < m->process_count; i++) {
		const struct gst_process *p = &m->processes[i];

		gst_outfile_printf(out, "process %" PRIu32 " pid=%" PRIu32 "%s%s", i, p->rec.pid,
				   p->is_complete ? " complete" : "",
				   p->is_unbroken ? " unbroken" : "");
		if (p->clock_uncertainty_ns)
			gst_outfile_printf(out, " uncertainty=%" PRIu64, p->clock_uncertainty_ns);
		put_string(m, out, "name", p->rec.name);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->variable_count; i++) {
		gst_outfile_printf(out, "variable process=%" PRIu32, m->variables[i].process);
		put_string(m, out, "name", m->variables[i].name);
		put_string(m, out, "value", m->variables[i].value);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->thread_count; i++) {
		gst_outfile_printf(
			out,
			"thread %" PRIu32 " process=%" PRIu32 " index=%" PRIu32 " calls=%" PRIu32,
			i, m->threads[i].process, m->threads[i].index, m->threads[i].call_count);
		put_string(m, out, "name", m->threads[i].name);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->device_count; i++) {
		gst_outfile_printf(out, "device %" PRIu32 " process=%" PRIu32 " id=%" PRIu32, i,
				   m->devices[i].process, m->devices[i].cupti_id);
		put_string(m, out, "name", m->devices[i].name);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->context_count; i++) {
		const struct gst_context *c = &m->contexts[i];

		gst_outfile_printf(out, "context %" PRIu32 " process=%" PRIu32 " id=%" PRIu32, i,
				   c->process, c->cupti_id);
		put_id(out, "device", c->device);
		put_id(out, "legacy", c->legacy_stream);
		put_id(out, "parent", c->parent);
		gst_outfile_puts(out, "\n");
	}
}

static void dump_streams(const struct gst_model *m, struct gst_outfile *out)
{
	static const char *const kinds[] = {"blocking", "nonblocking", "legacy", "per-thread",
					    "unknown"};

	for (uint32_t i = 0; i < m->stream_count; i++) {
		const struct gst_stream *s = &m->streams[i];

		gst_outfile_printf(out, "stream %" PRIu32 " process=%" PRIu32, i, s->process);
		put_id(out, "ctx", s->ctx);
		put_id(out, "id", s->cupti_id);
		if (s->handle)
			gst_outfile_printf(out, " handle=0x%" PRIx64, s->handle);
		gst_outfile_printf(out, " kind=%s", kinds[s->kind]);
		if (s->priority)
			gst_outfile_printf(out, " priority=%" PRId32, s->priority);
		put_id(out, "thread", s->thread);
		put_id(out, "create", s->create_call);
		put_id(out, "destroy", s->destroy_call);
		gst_outfile_printf(out, " ops=%" PRIu32 " busy=%" PRIu64 "%s", s->op_count,
				   s->busy_ns, s->is_internal ? " internal" : "");
		put_string(m, out, "name", s->name);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->event_count; i++) {
		const struct gst_event *e = &m->events[i];

		gst_outfile_printf(out, "event %" PRIu32 " process=%" PRIu32 " handle=0x%" PRIx64,
				   i, e->process, e->handle);
		if (e->flags)
			gst_outfile_printf(out, " create_flags=0x%" PRIx32, e->flags);
		put_id(out, "create", e->create_call);
		put_id(out, "destroy", e->destroy_call);
		gst_outfile_printf(out, "%s\n", e->history_is_complete ? " history" : "");
	}
}

static void dump_calls(const struct gst_model *m, struct gst_outfile *out)
{
	static const char *const flags[] = {"returned", "captured", "ambiguous", "no-enter",
					    "loaded",	"held",	    "told",	 "early-source"};

	for (uint32_t i = 0; i < m->call_count; i++) {
		const struct gst_call *c = &m->calls[i];
		const struct gst_api *api = gst_api_find(c->api);

		gst_outfile_printf(out, "call %" PRIu32 " thread=%" PRIu32 " ", i, c->thread);
		if (api) {
			gst_outfile_puts(out, api->symbol);
		} else {
			gst_outfile_printf(out, "api:%" PRIu32 ":%" PRIu32, c->api >> 16,
					   c->api & 0xffff);
		}
		gst_outfile_printf(out, " corr=%" PRIu32 " enter=%" PRIu64, c->corr, c->enter_ns);
		if (c->flags & GST_CALL_RETURNED)
			gst_outfile_printf(out, " exit=%" PRIu64, c->exit_ns);
		if (c->result)
			gst_outfile_printf(out, " result=%" PRId32, c->result);
		put_id(out, "ctx", c->ctx);
		put_id(out, "stream", c->stream);
		put_id(out, "event", c->event);
		if (c->sync_id)
			gst_outfile_printf(out, " sync_id=%" PRIu32, c->sync_id);
		if (c->op_count)
			gst_outfile_printf(out, " ops=%" PRIu32 "..%" PRIu32, c->first_op,
					   c->first_op + c->op_count - 1);
		put_id(out, "range", gst_call_range(m, i));
		put_flags(out, c->flags, flags, sizeof(flags) / sizeof(flags[0]));
		gst_outfile_puts(out, "\n");
	}
}

static void dump_ops(const struct gst_model *m, struct gst_outfile *out)
{
	static const char *const flags[] = {"timed",   "node",	       "no-call",      "no-record",
					    "forced",  "programmatic", "stream-guess", "bad-time",
					    "partial", "early-begin",  "context",      "open"};
	static const char *const kinds[] = {"kernel",	    "memcpy",	  "memset", "host-func",
					    "event-record", "event-wait", "graph",  "alloc",
					    "free",	    "memop",	  "opaque"};
	char label[LABEL_BYTES];

	for (uint32_t i = 0; i < m->op_count; i++) {
		const struct gst_op *op = &m->ops[i];

		gst_model_op_label(m, i, label, sizeof(label));
		gst_outfile_printf(out, "op %" PRIu32 " %s \"", i, kinds[op->kind]);
		put_escaped(out, label, strlen(label));
		gst_outfile_puts(out, "\"");
		put_id(out, "call", op->call);
		put_id(out, "stream", op->stream);
		put_id(out, "parent", op->parent);
		put_id(out, "event", op->event);
		if ((op->kind == GST_OP_EVENT_RECORD || op->kind == GST_OP_EVENT_WAIT) &&
		    op->sync_id)
			gst_outfile_printf(out, " sync_id=%" PRIu32, op->sync_id);
		if (op->kind == GST_OP_MEMOP && op->detail != GST_NONE)
			gst_outfile_printf(out, " address=0x%" PRIx64 " memop_flags=0x%" PRIx32,
					   m->memops[op->detail].address,
					   m->memops[op->detail].flags);
		put_id(out, "graph_node", gst_op_graph_node(op));
		if (op->kind == GST_OP_GRAPH_LAUNCH)
			put_id(out, "exec", op->detail);
		if (op->flags & (GST_OP_TIMED | GST_OP_PARTIAL))
			gst_outfile_printf(out, " begin=%" PRIu64 " end=%" PRIu64, op->begin_ns,
					   op->end_ns);
		put_flags(out, op->flags, flags, sizeof(flags) / sizeof(flags[0]));
		gst_outfile_puts(out, "\n");
	}
}

static void dump_nvtx(const struct gst_model *m, struct gst_outfile *out)
{
	for (uint32_t i = 0; i < m->range_count; i++) {
		const struct gst_range *r = &m->ranges[i];

		gst_outfile_printf(out, "range %" PRIu32 " %s thread=%" PRIu32 " begin=%" PRIu64, i,
				   r->what == GST_NVTX_MARK   ? "mark"
				   : r->what == GST_NVTX_PUSH ? "pushed"
							      : "started",
				   r->thread, r->begin_ns);
		if (r->end_ns != GST_RANGE_OPEN)
			gst_outfile_printf(out, " end=%" PRIu64, r->end_ns);
		put_id(out, "parent", r->parent);
		if (r->category)
			gst_outfile_printf(out, " category=%" PRIu32, r->category);
		put_string(m, out, "name", r->name);
		put_string(m, out, "domain", r->domain);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->given_name_count; i++) {
		const struct gst_given_name *g = &m->given_names[i];

		gst_outfile_printf(
			out, "given-name process=%" PRIu32 " type=%" PRIu32 " object=0x%" PRIx64,
			g->process, g->type, g->object);
		put_id(out, "target", g->target);
		put_string(m, out, "name", g->name);
		put_string(m, out, "domain", g->domain);
		gst_outfile_puts(out, "\n");
	}
}

static const char *type_name(uint8_t type)
{
	static const char *const names[] = {
		"unknown",	  "kernel", "memcpy",	  "memset",	  "host",
		"graph",	  "empty",  "event-wait", "event-record", "semaphore-signal",
		"semaphore-wait", "alloc",  "free",	  "memops",	  "conditional"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "?";
}

static void dump_graphs(const struct gst_model *m, struct gst_outfile *out)
{
	static const char *const node_flags[] = {"internal", "undefined", "ran", "opaque"};
	static const char *const ports[] = {"unknown", "default", "programmatic", "launch-order",
					    "other"};

	for (uint32_t i = 0; i < m->graph_count; i++) {
		const struct gst_graph *g = &m->graphs[i];

		gst_outfile_printf(out, "graph %" PRIu32 " process=%" PRIu32 " id=%" PRIu32, i,
				   g->process, g->cupti_id);
		put_id(out, "original", g->original);
		put_id(out, "made", g->made);
		gst_outfile_printf(out, " nodes=%" PRIu32 " edges=%" PRIu32, g->own_count,
				   g->edge_count);
		if (g->opaque_count)
			gst_outfile_printf(out, " opaque=%" PRIu32, g->opaque_count);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->graph_node_count; i++) {
		const struct gst_graph_node *n = &m->graph_nodes[i];

		gst_outfile_printf(out,
				   "graph-node %" PRIu32 " graph=%" PRIu32 " id=0x%" PRIx64 " %s",
				   i, n->graph, n->cupti_id, type_name(n->type));
		put_id(out, "original", n->original);
		put_id(out, "made", n->made);
		put_id(out, "removed", n->removed);
		if (n->name)
			put_string(m, out, "name", n->name);
		put_flags(out, n->flags, node_flags, sizeof(node_flags) / sizeof(node_flags[0]));
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->graph_edge_count; i++) {
		const struct gst_graph_edge *e = &m->graph_edges[i];

		gst_outfile_printf(out,
				   "graph-edge graph=%" PRIu32 " node %" PRIu32 " -> node %" PRIu32
				   " port=%s",
				   m->graph_nodes[e->from].graph, e->from, e->to, ports[e->port]);
		put_id(out, "made", e->made);
		put_id(out, "removed", e->removed);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->exec_count; i++) {
		const struct gst_exec *e = &m->execs[i];

		gst_outfile_printf(out, "exec %" PRIu32 " process=%" PRIu32 " handle=0x%" PRIx64, i,
				   e->process, e->handle);
		put_id(out, "graph", e->graph);
		put_id(out, "source", e->source);
		put_id(out, "make", e->make_call);
		put_id(out, "destroy", e->destroy_call);
		gst_outfile_printf(out, " launches=%" PRIu32, e->launches);
		if (e->uploads)
			gst_outfile_printf(out, " uploads=%" PRIu32, e->uploads);
		if (e->updates)
			gst_outfile_printf(out, " updates=%" PRIu32, e->updates);
		if (e->node_changes)
			gst_outfile_printf(out, " node_changes=%" PRIu32, e->node_changes);
		gst_outfile_puts(out, "\n");
	}
}

static void dump_rest(const struct gst_model *m, struct gst_outfile *out)
{
	const struct gst_model_stats *s = &m->stats;
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = {
		{"records", s->records},
		{"unknown-records", s->unknown_records},
		{"unknown-critical", s->unknown_critical},
		{"misjoined-records", s->misjoined_records},
		{"ops-without-call", s->ops_without_call},
		{"calls-without-return", s->calls_without_return},
		{"ops-without-record", s->ops_without_record},
		{"ops-without-stream", s->ops_without_stream},
		{"early-begins", s->early_begins},
		{"open-ends", s->open_ends},
		{"bad-times", s->bad_times},
		{"ambiguous-calls", s->ambiguous_calls},
		{"captured-calls", s->captured_calls},
		{"opaque-ops", s->opaque_ops},
		{"undefined-nodes", s->undefined_nodes},
		{"undefined-launches", s->undefined_launches},
		{"nodes-without-launch", s->nodes_without_launch},
		{"launches-without-nodes", s->launches_without_nodes},
		{"cut-event-nodes", s->cut_event_nodes},
		{"opaque-nodes", s->opaque_nodes},
		{"clock-steps", s->clock_steps},
		{"errors", s->errors},
		{"nvtx-ranges", s->nvtx_ranges},
		{"nvtx-marks", s->nvtx_marks},
		{"nvtx-open-ranges", s->nvtx_open_ranges},
		{"nvtx-lone-ends", s->nvtx_lone_ends},
		{"nvtx-names-unused", s->nvtx_names_unused},
	};

	for (uint32_t i = 0; i < m->loss_count; i++) {
		const struct gst_loss *l = &m->losses[i];

		gst_outfile_printf(out,
				   "loss process=%" PRIu32 " kind=0x%" PRIx32 " reason=%" PRIu32
				   " count=%" PRIu64,
				   l->process, l->kind, l->reason, l->count);
		if (l->since_ns)
			gst_outfile_printf(out, " since=%" PRIu64, l->since_ns);
		if (l->until_ns && l->until_ns != UINT64_MAX)
			gst_outfile_printf(out, " until=%" PRIu64, l->until_ns);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->gap_count; i++) {
		gst_outfile_printf(out, "gap process=%" PRIu32 " from=%" PRIu64, m->gaps[i].process,
				   m->gaps[i].from_ns);
		if (m->gaps[i].to_ns != UINT64_MAX)
			gst_outfile_printf(out, " to=%" PRIu64, m->gaps[i].to_ns);
		gst_outfile_puts(out, "\n");
	}
	for (uint32_t i = 0; i < m->note_count; i++) {
		gst_outfile_printf(out, "note process=%" PRIu32 " code=%" PRIu32 " detail=%" PRId32,
				   m->notes[i].process, m->notes[i].code, m->notes[i].detail);
		put_string(m, out, "text", m->notes[i].text);
		gst_outfile_puts(out, "\n");
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (counts[i].value)
			gst_outfile_printf(out, "count %s=%" PRIu64 "\n", counts[i].name,
					   counts[i].value);
	}
}

void gst_model_dump(const struct gst_model *m, struct gst_outfile *out)
{
	dump_processes(m, out);
	dump_streams(m, out);
	dump_calls(m, out);
	dump_ops(m, out);
	dump_nvtx(m, out);
	dump_graphs(m, out);
	dump_rest(m, out);
}
