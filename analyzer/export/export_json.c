/*
 * export_json.c - the whole analysis for programs: schema version 1, docs/JSON.md.
 *
 * Role      : CI gates, scripts, other tools.
 * Method    : streamed; ops and calls that the evidence of a finding names stand in that evidence, each once.
 * Invariant : within a schema version things are only added; what is not known is null, never 0; numbers are integers.
 * Not here  : every op and edge of the trace (export_sqlite.c), words (describe.c).
 */
#include "analyzer/export/export.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/map.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/vec.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/graph_use.h"
#include "analyzer/export/json_writer.h"
#include "analyzer/export/path.h"
#include "tracer/format/schema.h"
#include "tracer/format/version.h"

enum { SCHEMA_VERSION = 1, COMPACT_DEPTH = 5 };

struct doc {
	struct gst_json j;
	const struct gst_analysis *a;
	const struct gst_model *m;
};

static void key_uint(struct gst_json *j, const char *key, uint64_t value)
{
	gst_json_key(j, key);
	gst_json_uint(j, value);
}

static void key_int(struct gst_json *j, const char *key, int64_t value)
{
	gst_json_key(j, key);
	gst_json_int(j, value);
}

static void key_bool(struct gst_json *j, const char *key, bool value)
{
	gst_json_key(j, key);
	gst_json_bool(j, value);
}

static void key_string(struct gst_json *j, const char *key, const char *value)
{
	gst_json_key(j, key);
	gst_json_string(j, value);
}

/* An index, or null for GST_NONE. */
static void key_id(struct gst_json *j, const char *key, uint32_t id)
{
	gst_json_key(j, key);
	if (id == GST_NONE) {
		gst_json_null(j);
	} else {
		gst_json_uint(j, id);
	}
}

/* A time, or null if it is not known. */
static void key_time(struct gst_json *j, const char *key, bool is_known, uint64_t ns)
{
	gst_json_key(j, key);
	if (is_known) {
		gst_json_uint(j, ns);
	} else {
		gst_json_null(j);
	}
}

/* A number that is never 0 if it is known. */
static void key_nonzero(struct gst_json *j, const char *key, uint64_t value)
{
	key_time(j, key, value != 0, value);
}

/* String @id of the model; null for the empty one. */
static void key_model_string(const struct doc *d, struct gst_json *j, const char *key, uint32_t id)
{
	size_t length;
	const char *s = gst_strtab_get(d->m->strings, id, &length);

	gst_json_key(j, key);
	if (id == 0 || length == 0) {
		gst_json_null(j);
	} else {
		gst_json_bytes(j, s, length);
	}
}

static void key_uuid(struct gst_json *j, const char *key, uint64_t hi, uint64_t lo)
{
	struct gst_label uuid = gst_uuid_label(hi, lo);

	key_string(j, key, uuid.text[0] ? uuid.text : NULL);
}

/* ---- trace ------------------------------------------------------------------------------------------- */

/* The name of a value of an enum field; NULL if it has none. */
static const char *value_text(uint32_t kind, const char *field, uint32_t value)
{
	const struct gst_schema_record *record = gst_schema_find(kind);

	return gst_schema_value_text(gst_schema_find_field(record, field, strlen(field))->form,
				     value);
}

/* Losses of @process, or all for GST_NONE. */
static void losses(struct doc *d, uint32_t process)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "losses");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->m->loss_count; i++) {
		const struct gst_loss *l = &d->m->losses[i];
		const struct gst_schema_record *kind = l->kind ? gst_schema_find(l->kind) : NULL;
		bool has_time = l->since_ns || l->until_ns;

		if (process != GST_NONE && l->process != process) {
			continue;
		}
		gst_json_begin_object(j);
		key_string(j, "kind", kind ? kind->name : NULL);
		key_string(j, "reason", value_text(GST_REC_LOSS, "reason", l->reason));
		key_time(j, "count", l->count > 0, l->count);
		key_time(j, "since_ns", has_time, l->since_ns);
		key_time(j, "until_ns", has_time, l->until_ns);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
}

static void notes(struct doc *d)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "notes");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->m->note_count; i++) {
		const struct gst_note *n = &d->m->notes[i];

		gst_json_begin_object(j);
		key_uint(j, "process", n->process);
		key_string(j, "code", value_text(GST_REC_NOTE, "code", n->code));
		key_int(j, "detail", n->detail);
		key_model_string(d, j, "text", n->text);
		key_uint(j, "time_ns", n->time_ns);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
}

static void nvtx(struct doc *d)
{
	const struct gst_model_stats *s = &d->m->stats;
	struct gst_json *j = &d->j;

	if (d->m->range_count == 0 && d->m->given_name_count == 0 && s->nvtx_lone_ends == 0) {
		return;
	}
	gst_json_key(j, "nvtx");
	gst_json_begin_object(j);
	key_uint(j, "ranges", s->nvtx_ranges);
	key_uint(j, "open_ranges", s->nvtx_open_ranges);
	key_uint(j, "marks", s->nvtx_marks);
	key_uint(j, "lone_ends", s->nvtx_lone_ends);
	key_uint(j, "names", d->m->given_name_count);
	key_uint(j, "names_unused", s->nvtx_names_unused);
	gst_json_end_object(j);
}

static void limit(void *payload, const char *line)
{
	gst_json_string(payload, line);
}

static void trace(struct doc *d)
{
	struct gst_json *j = &d->j;
	const struct gst_rec_trace *first =
		d->m->process_count > 0 ? &d->m->processes[0].trace : NULL;
	uint64_t records = 0, lost = 0;
	bool is_unknown = false;

	for (uint32_t i = 0; i < d->a->input_count; i++) {
		records += d->a->loads[i]->records;
		lost += d->a->loads[i]->lost_records;
		is_unknown |= d->a->loads[i]->has_loss_of_unknown_size;
	}
	gst_json_key(j, "trace");
	gst_json_begin_object(j);
	key_uuid(j, "uuid", first ? first->uuid_hi : 0, first ? first->uuid_lo : 0);
	key_bool(j, "complete", d->m->is_complete);
	key_uint(j, "records", records);
	key_uint(j, "lost_records", lost);
	key_bool(j, "lost_unknown_number", is_unknown);
	losses(d, GST_NONE);
	key_uint(j, "duration_ns", d->m->end_ns - d->m->begin_ns);
	key_uint(j, "begin_ns", d->m->begin_ns);
	key_uint(j, "end_ns", d->m->end_ns);
	key_uint(j, "real_base_ns", d->m->real_base_ns);
	key_uint(j, "calls", d->m->call_count);
	key_uint(j, "ops", d->m->op_count);
	key_uint(j, "edges", gst_order_edge_count(d->a->order));
	gst_json_key(j, "limits");
	gst_json_begin_array(j);
	gst_describe_limits(d->a, limit, j);
	gst_json_end_array(j);
	notes(d);
	nvtx(d);
	gst_json_end_object(j);
}

static const char *load_reason_name(enum gst_load_reason_code code)
{
	switch (code) {
	case GST_LOAD_NO_END:
		return "no-end";
	case GST_LOAD_OPEN_CHUNK:
		return "open-chunk";
	case GST_LOAD_BAD_HEADER:
		return "bad-header";
	case GST_LOAD_BAD_BODY:
		return "bad-body";
	case GST_LOAD_TRUNCATED:
		return "truncated";
	case GST_LOAD_BAD_RECORD:
		return "bad-record";
	case GST_LOAD_MISSING_CHUNKS:
		return "missing-chunks";
	case GST_LOAD_MISSING_BYTES:
		return "missing-bytes";
	case GST_LOAD_LOST_RECORDS:
		return "lost-records";
	case GST_LOAD_PENDING:
		return "pending";
	case GST_LOAD_STAGING_GONE:
		return "staging-gone";
	case GST_LOAD_REASONS:
		break;
	}
	return "unknown";
}

/* Those that change how CUDA orders work. */
static void variables(struct doc *d, uint32_t process)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "variables");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->m->variable_count; i++) {
		const struct gst_variable *v = &d->m->variables[i];

		if (v->process == process) {
			gst_json_begin_object(j);
			key_model_string(d, j, "name", v->name);
			key_model_string(d, j, "value", v->value);
			gst_json_end_object(j);
		}
	}
	gst_json_end_array(j);
}

static void processes_of(struct doc *d, uint32_t source)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "processes");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->m->process_count; i++) {
		const struct gst_process *p = &d->m->processes[i];

		if (p->source != source) {
			continue;
		}
		gst_json_begin_object(j);
		key_uint(j, "process", i);
		key_uint(j, "pid", p->rec.pid);
		key_nonzero(j, "ppid", p->rec.ppid);
		key_model_string(d, j, "name", p->rec.name);
		key_model_string(d, j, "exe", p->rec.exe);
		key_model_string(d, j, "host", p->rec.host);
		key_nonzero(j, "driver_version", p->rec.driver_version);
		key_nonzero(j, "runtime_version", p->rec.runtime_version);
		key_nonzero(j, "cupti_version", p->rec.cupti_version);
		key_model_string(d, j, "driver_release", p->rec.driver_release);
		key_bool(j, "complete", p->is_complete);
		key_bool(j, "unbroken", p->is_unbroken);
		key_uint(j, "clock_uncertainty_ns", p->clock_uncertainty_ns);
		variables(d, i);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
}

static void traces(struct doc *d)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "traces");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->a->input_count; i++) {
		const struct gst_load_stats *s = d->a->loads[i];
		const struct gst_process *p = NULL;

		for (uint32_t k = 0; !p && k < d->m->process_count; k++) {
			p = d->m->processes[k].source == i ? &d->m->processes[k] : NULL;
		}
		gst_json_begin_object(j);
		key_string(j, "path", d->a->paths[i]);
		key_uuid(j, "uuid", p ? p->trace.uuid_hi : 0, p ? p->trace.uuid_lo : 0);
		key_bool(j, "complete", s->is_complete);
		key_uint(j, "records", s->records);
		key_uint(j, "file_bytes", s->file_bytes);
		key_uint(j, "chunks", s->chunks);
		key_uint(j, "damaged_chunks", s->chunks_damaged);
		key_uint(j, "unknown_records", s->unknown_records);
		if (p) {
			key_model_string(d, j, "writer", p->trace.writer);
			key_model_string(d, j, "writer_version", p->trace.version);
			key_model_string(d, j, "writer_commit", p->trace.commit);
		}
		gst_json_key(j, "reasons");
		gst_json_begin_array(j);
		for (size_t k = 0; k < s->reason_count; k++) {
			gst_json_begin_object(j);
			key_string(j, "code", load_reason_name(s->reasons[k].code));
			key_uint(j, "count", s->reasons[k].count);
			key_time(j, "offset", s->reasons[k].offset != UINT64_MAX,
				 s->reasons[k].offset);
			key_string(j, "text", s->reasons[k].text);
			gst_json_end_object(j);
		}
		gst_json_end_array(j);
		processes_of(d, i);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
}

/* ---- devices, streams, open calls ---------------------------------------------------------------------- */

static void devices(struct doc *d)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "devices");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->m->device_count; i++) {
		const struct gst_device *v = &d->m->devices[i];

		gst_json_begin_object(j);
		key_uint(j, "device", i);
		key_uint(j, "process", v->process);
		key_uint(j, "cupti_id", v->cupti_id);
		key_model_string(d, j, "name", v->name);
		key_uuid(j, "uuid", v->rec.uuid_hi, v->rec.uuid_lo);
		key_nonzero(j, "compute_major", v->rec.compute_major);
		key_time(j, "compute_minor", v->rec.compute_major != 0, v->rec.compute_minor);
		key_nonzero(j, "sm_count", v->rec.sm_count);
		key_nonzero(j, "copy_engines", v->rec.copy_engines);
		key_nonzero(j, "memory_bytes", v->rec.memory_bytes);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
}

static void streams(struct doc *d)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "streams");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->m->stream_count; i++) {
		const struct gst_stream *s = &d->m->streams[i];

		gst_json_begin_object(j);
		key_uint(j, "stream", i);
		key_string(j, "name", gst_stream_label(d->m, i).text);
		key_uint(j, "process", s->process);
		key_id(j, "context", s->ctx);
		key_id(j, "device", s->ctx == GST_NONE ? GST_NONE : d->m->contexts[s->ctx].device);
		key_time(j, "cupti_id", s->cupti_id != GST_ID_NONE, s->cupti_id);
		key_string(j, "kind", gst_name_stream_kind(s->kind));
		key_int(j, "priority", s->priority);
		key_bool(j, "internal", s->is_internal);
		key_uint(j, "ops", s->op_count);
		key_time(j, "busy_ns", gst_describe_has_times(d->m, s->process), s->busy_ns);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
}

/* Executable graphs, where a program uses some. */
static void graphs(struct doc *d)
{
	struct gst_arena *scratch;
	const struct gst_graph_use *use;
	struct gst_json *j = &d->j;

	if (d->m->exec_count == 0) {
		return;
	}
	scratch = gst_arena_new(0);
	use = gst_graph_use_count(d->m, scratch);
	gst_json_key(j, "graphs");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->m->exec_count; i++) {
		const struct gst_exec *e = &d->m->execs[i];
		const struct gst_graph *g = e->graph == GST_NONE ? NULL : &d->m->graphs[e->graph];
		bool is_known = g && g->own_count;
		uint64_t ns = 0;
		bool has_ns = gst_graph_make_ns(d->m, e, &ns);

		gst_json_begin_object(j);
		key_uint(j, "exec", i);
		key_uint(j, "process", e->process);
		key_time(j, "cupti_id", g != NULL, g ? g->cupti_id : 0);
		key_time(j, "source_cupti_id", e->source != GST_NONE,
			 e->source == GST_NONE ? 0 : d->m->graphs[e->source].cupti_id);
		key_time(j, "nodes", is_known, is_known ? g->own_count : 0);
		key_time(j, "opaque_nodes", is_known, is_known ? g->opaque_count : 0);
		key_time(j, "edges", is_known, is_known ? g->edge_count : 0);
		key_id(j, "instantiate_call", e->make_call);
		key_time(j, "instantiate_ns", has_ns, ns);
		key_id(j, "destroy_call", e->destroy_call);
		key_uint(j, "launches", e->launches);
		key_uint(j, "uploads", e->uploads);
		key_uint(j, "updates", e->updates);
		key_uint(j, "node_changes", e->node_changes);
		key_time(j, "node_runs", gst_describe_has_times(d->m, e->process),
			 use[i].node_runs);
		key_time(j, "busy_ns", gst_describe_has_times(d->m, e->process), use[i].busy_ns);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
	gst_arena_free(scratch);
}

static void call_object(struct doc *d, gst_call_id id)
{
	const struct gst_call *c = &d->m->calls[id];
	struct gst_json *j = &d->j;

	gst_json_begin_object(j);
	key_uint(j, "call", id);
	key_string(j, "name", gst_api_label(c->api).text);
	key_uint(j, "process", d->m->threads[c->thread].process);
	key_uint(j, "tid", d->m->threads[c->thread].tid);
	key_uint(j, "correlation", c->corr);
	key_id(j, "stream", c->stream);
	key_time(j, "enter_ns", !(c->flags & GST_CALL_NO_ENTER), c->enter_ns);
	key_time(j, "exit_ns", c->flags & GST_CALL_RETURNED, c->exit_ns);
	gst_json_key(j, "result");
	if (c->flags & GST_CALL_RETURNED) {
		gst_json_int(j, c->result);
	} else {
		gst_json_null(j);
	}
	if (gst_call_range(d->m, id) != GST_NONE) {
		key_model_string(d, j, "nvtx_range", d->m->ranges[gst_call_range(d->m, id)].name);
	}
	gst_json_end_object(j);
}

static void op_members(struct doc *d, gst_op_id id)
{
	const struct gst_op *op = &d->m->ops[id];
	bool is_timed = op->flags & GST_OP_TIMED;
	struct gst_json *j = &d->j;
	char label[GST_LABEL_BYTES];

	gst_model_op_label(d->m, id, label, sizeof(label));
	key_uint(j, "op", id);
	key_string(j, "kind", gst_name_op_kind(op->kind));
	key_string(j, "name", label);
	key_id(j, "stream", op->stream);
	key_id(j, "call", op->call);
	key_time(j, "begin_ns", is_timed, op->begin_ns);
	key_time(j, "end_ns", is_timed, op->end_ns);
}

static void op_object(struct doc *d, gst_op_id id)
{
	gst_json_begin_object(&d->j);
	op_members(d, id);
	gst_json_end_object(&d->j);
}

static void wait_object(void *payload, const struct gst_open_wait *wait)
{
	struct doc *d = payload;
	struct gst_json *j = &d->j;

	gst_json_begin_object(j);
	op_members(d, wait->op);
	key_string(j, "rule", gst_rule_id(wait->rule));
	gst_json_key(j, "behind");
	if (wait->behind == GST_NONE) {
		gst_json_null(j);
	} else {
		gst_json_begin_object(j);
		op_members(d, wait->behind);
		gst_json_key(j, "rules");
		gst_json_begin_array(j);
		for (uint32_t i = 0; i < wait->rule_count; i++) {
			gst_json_string(j, gst_rule_id(wait->rules[i]));
		}
		gst_json_end_array(j);
		gst_json_end_object(j);
	}
	gst_json_end_object(j);
}

static void open_calls(struct doc *d)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "open_calls");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->m->call_count && d->m->stats.calls_without_return > 0 &&
			     !gst_analysis_is_window(d->a);
	     i++) {
		if (d->m->calls[i].flags & (GST_CALL_RETURNED | GST_CALL_NO_ENTER)) {
			continue;
		}
		gst_json_begin_object(j);
		gst_json_key(j, "call");
		call_object(d, i);
		gst_json_key(j, "waits_for");
		gst_json_begin_array(j);
		gst_describe_waits(d->a, i, 100, wait_object, d);
		gst_json_end_array(j);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
}

/* ---- findings ------------------------------------------------------------------------------------------- */

/* Ids in the order of first mention, each once. */
struct id_set {
	GST_VEC(uint32_t) ids;
	struct gst_map seen;
};

static void mention(struct id_set *set, uint32_t id)
{
	bool is_new;

	if (id == GST_NONE) {
		return;
	}
	gst_map_add(&set->seen, id, 0, &is_new);
	if (is_new) {
		gst_vec_push(&set->ids, id);
	}
}

static void release(struct id_set *set)
{
	gst_vec_free(&set->ids);
	gst_map_release(&set->seen);
}

static void mention_node(struct doc *d, struct id_set *ops, struct id_set *calls, gst_node_id node)
{
	gst_node_id owner;

	if (gst_node_is_op(d->a->order, node)) {
		mention(ops, node);
		mention(calls, d->m->ops[node].call);
	} else if (gst_node_is_call(d->a->order, node)) {
		mention(calls, node - d->m->op_count);
	} else {
		owner = gst_barrier_owner(d->a->order, node);
		if (owner != GST_NONE) {
			mention_node(d, ops, calls, owner);
		}
	}
}

static void node_object(struct doc *d, const char *key, gst_node_id node)
{
	struct gst_json *j = &d->j;
	gst_stream_id stream;
	struct gst_label label = gst_node_label(d->a, node, &stream);

	gst_json_key(j, key);
	gst_json_begin_object(j);
	if (gst_node_is_op(d->a->order, node)) {
		key_uint(j, "op", node);
	} else if (gst_node_is_call(d->a->order, node)) {
		key_uint(j, "call", node - d->m->op_count);
	} else {
		key_uint(j, "barrier", node);
	}
	key_string(j, "name", label.text);
	key_id(j, "stream", stream);
	gst_json_end_object(j);
}

static void path(struct doc *d, const gst_edge_id *edges, uint32_t count)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "path");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_edge e = gst_order_edge(d->a->order, edges[i]);
		enum gst_rule rule = (enum gst_rule)e.rule;
		uint64_t ns = 0;
		bool is_known;

		gst_json_begin_object(j);
		node_object(d, "from", e.from);
		node_object(d, "to", e.to);
		key_string(j, "rule", gst_rule_id(rule));
		key_string(j, "rule_text", gst_rule_text(rule));
		key_string(j, "source", gst_rule_source(rule));
		key_string(j, "strength",
			   gst_name_strength(gst_timing_strength(d->a->timing, edges[i])));
		key_string(j, "form", gst_name_form(e.form));
		is_known = gst_timing_source_ns(d->a->timing, edges[i], &ns);
		key_time(j, "from_ns", is_known, ns);
		is_known = gst_edge_target_ns(d->a, edges[i], &ns);
		key_time(j, "to_ns", is_known, ns);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
}

static void mention_path(struct doc *d, struct id_set *ops, struct id_set *calls,
			 const gst_edge_id *edges, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_edge e = gst_order_edge(d->a->order, edges[i]);

		mention_node(d, ops, calls, e.from);
		mention_node(d, ops, calls, e.to);
	}
}

/* Each of @ops and @calls, then what joins them. */
static void mentioned(struct doc *d, const struct id_set *ops, const struct id_set *calls,
		      const gst_edge_id *edges, uint32_t count)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "ops");
	gst_json_begin_array(j);
	for (size_t i = 0; i < ops->ids.count; i++) {
		op_object(d, ops->ids.data[i]);
	}
	gst_json_end_array(j);
	gst_json_key(j, "calls");
	gst_json_begin_array(j);
	for (size_t i = 0; i < calls->ids.count; i++) {
		call_object(d, calls->ids.data[i]);
	}
	gst_json_end_array(j);
	path(d, edges, count);
}

static void evidence(struct doc *d, const struct gst_finding *f)
{
	struct id_set ops = {0}, calls = {0};
	struct gst_json *j = &d->j;

	mention_path(d, &ops, &calls, f->path, f->path_count);
	for (uint32_t i = 0; i < f->evidence_count; i++) {
		mention(&ops, f->occurrences[i].waiter);
		mention(&ops, f->occurrences[i].culprit);
		mention(&calls, f->occurrences[i].call);
	}
	gst_json_key(j, "evidence");
	gst_json_begin_object(j);
	gst_json_key(j, "occurrences");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < f->evidence_count; i++) {
		const struct gst_occurrence *o = &f->occurrences[i];

		gst_json_begin_object(j);
		key_uint(j, "begin_ns", o->begin_ns);
		key_uint(j, "end_ns", o->end_ns);
		key_uint(j, "blocked_ns", o->blocked_ns);
		key_id(j, "waiter", o->waiter);
		key_id(j, "culprit", o->culprit);
		key_id(j, "call", o->call);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
	mentioned(d, &ops, &calls, f->path, f->path_count);
	gst_json_end_object(j);
	release(&ops);
	release(&calls);
}

static void findings(struct doc *d)
{
	struct gst_json *j = &d->j;

	gst_json_key(j, "findings");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < d->a->findings->count; i++) {
		const struct gst_finding *f = &d->a->findings->items[i];

		gst_json_begin_object(j);
		key_string(j, "id", f->id);
		key_string(j, "severity", gst_severity_name(f->severity));
		key_time(j, "cost_ns", f->cost_is_known && !f->cost_is_bound, f->cost_ns);
		key_time(j, "cost_low_ns", f->cost_is_known, f->cost_low_ns);
		key_time(j, "cost_high_ns", f->cost_is_known, f->cost_high_ns);
		key_uint(j, "blocked_ns", f->blocked_ns);
		key_string(j, "title", f->title);
		key_string(j, "detail", f->detail);
		key_string(j, "advice", f->advice);
		key_string(j, "withheld", f->withheld);
		key_uint(j, "begin_ns", f->begin_ns);
		key_uint(j, "end_ns", f->end_ns);
		key_uint(j, "occurrences", f->occurrence_count);
		evidence(d, f);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
	key_uint(j, "hidden_findings", d->a->findings->hidden_count);
	key_uint(j, "hidden_not_replayed", d->a->findings->skipped_count);
	key_uint(j, "hidden_blocked_ns", d->a->findings->hidden_blocked_ns);
}

/* ---- the answer to `gstrace path` ---------------------------------------------------------------------- */

static void doubt(void *payload, const char *line)
{
	gst_json_string(payload, line);
}

gst_status gst_export_path_json(const struct gst_analysis *a, const struct gst_path_answer *p,
				struct gst_outfile *out, struct gst_err *err)
{
	struct doc d = {.a = a, .m = a->model};
	struct id_set ops = {0}, calls = {0};
	struct gst_json *j = &d.j;
	int64_t gap_ns = 0;

	(void)err; /* write errors stick to @out */
	mention_node(&d, &ops, &calls, gst_node_of_op(p->from));
	mention_node(&d, &ops, &calls, gst_node_of_op(p->to));
	mention_path(&d, &ops, &calls, p->edges, p->edge_count);
	gst_json_init(j, out, 2);
	gst_json_begin_object(j);
	key_uint(j, "schema_version", SCHEMA_VERSION);
	key_string(j, "gstrace_version", GST_VERSION);
	key_bool(j, "complete", d.m->is_complete);
	key_uint(j, "from", p->from);
	key_uint(j, "to", p->to);
	key_string(j, "order", gst_path_order_name(p->order));
	key_string(j, "strength", p->edge_count ? gst_name_strength(p->strength) : NULL);
	gst_json_key(j, "gap_ns");
	if (gst_path_gap(a, p, &gap_ns)) {
		gst_json_int(j, gap_ns);
	} else {
		gst_json_null(j);
	}
	mentioned(&d, &ops, &calls, p->edges, p->edge_count);
	gst_json_key(j, "doubts");
	gst_json_begin_array(j);
	gst_path_doubts(a, p, doubt, j);
	gst_json_end_array(j);
	gst_json_end_object(j);
	gst_json_finish(j);
	release(&ops);
	release(&calls);
	return GST_OK;
}

gst_status gst_export_releases_json(const struct gst_analysis *a, gst_op_id op,
				    const struct gst_release *releases, uint32_t count,
				    const struct gst_path_without *without, uint32_t without_count,
				    struct gst_outfile *out, struct gst_err *err)
{
	struct doc d = {.a = a, .m = a->model};
	struct gst_json *j = &d.j;

	(void)err; /* write errors stick to @out */
	gst_json_init(j, out, 2);
	gst_json_begin_object(j);
	key_uint(j, "schema_version", SCHEMA_VERSION);
	key_string(j, "gstrace_version", GST_VERSION);
	key_bool(j, "complete", d.m->is_complete);
	gst_json_key(j, "to");
	op_object(&d, op);
	gst_json_key(j, "released_by");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_release *x = &releases[i];
		const struct gst_edge e = gst_order_edge(a->order, x->edge);
		enum gst_rule why = (enum gst_rule)gst_order_edge(a->order, x->why).rule;

		gst_json_begin_object(j);
		node_object(&d, "from", x->from);
		node_object(&d, "via", e.from);
		key_string(j, "rule", gst_rule_id(why));
		key_string(j, "rule_text", gst_rule_text(why));
		key_string(j, "source", gst_rule_source(why));
		key_string(j, "strength",
			   gst_name_strength(gst_timing_strength(a->timing, x->edge)));
		key_string(j, "form", gst_name_form(e.form));
		key_time(j, "at_ns", x->is_known, x->at_ns);
		key_bool(j, "exact", x->is_known && x->is_exact);
		key_time(j, "slack_ns", x->is_known && x->is_in_force, x->slack_ns);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
	gst_json_key(j, "without");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < without_count; i++) {
		const struct gst_path_without *w = &without[i];

		gst_json_begin_object(j);
		gst_json_key(j, "rules");
		gst_json_begin_array(j);
		for (int rule = 0; rule < GST_RULE_COUNT && !w->one; rule++) {
			if (w->rules >> rule & 1) {
				gst_json_string(j, gst_rule_id((enum gst_rule)rule));
			}
		}
		gst_json_end_array(j);
		gst_json_key(j, "released_by");
		if (w->one) {
			gst_json_uint(j, (uint64_t)(w->one - releases));
		} else {
			gst_json_null(j);
		}
		key_uint(j, "edges", w->edge_count);
		key_time(j, "begin_ns", w->is_known, w->begin_ns);
		key_time(j, "earlier_ns", w->is_known, w->earlier_ns);
		key_time(j, "run_earlier_ns", w->is_known, w->run_earlier_ns);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
	gst_json_end_object(j);
	gst_json_finish(j);
	return GST_OK;
}

/* ---- the report ---------------------------------------------------------------------------------------- */

gst_status gst_export_json(const struct gst_analysis *a, struct gst_outfile *out,
			   struct gst_err *err)
{
	struct doc d = {.a = a, .m = a->model};

	(void)err; /* write errors stick to @out */
	gst_json_init(&d.j, out, COMPACT_DEPTH);
	gst_json_begin_object(&d.j);
	key_uint(&d.j, "schema_version", SCHEMA_VERSION);
	key_string(&d.j, "gstrace_version", GST_VERSION);
	trace(&d);
	traces(&d);
	devices(&d);
	streams(&d);
	graphs(&d);
	open_calls(&d);
	findings(&d);
	gst_json_end_object(&d.j);
	gst_json_finish(&d.j);
	return GST_OK;
}
