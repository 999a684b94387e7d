/*
 * export_sqlite.c - an analysis as a SQLite database, for questions that we did not think of.
 *
 * Role      : one table for each kind of thing; schema.sql and docs/SCHEMA.md say what is in them.
 * Method    : tables, rows by prepared statements, then indexes and views, all in one transaction without
 *             a journal: the file is a temporary one, and whole or nothing.
 * Invariant : the first error stops everything; then the file is removed. Ids are those of the model.
 * Not here  : names for people (names are cleaned UTF-8, not shortened further).
 */
#include "analyzer/export/export.h"

#include <inttypes.h>
#include <unistd.h>

#include <sqlite3.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/map.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/escape.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/graph_use.h"
#include "analyzer/export/schema_sql.h"
#include "analyzer/timing/critical.h"
#include "tracer/format/api.h"
#include "tracer/format/schema.h"
#include "tracer/format/version.h"

#define SCHEMA_VERSION 1
#define AFTER_ROWS     "-- After the rows."
#define LABEL_BYTES    1024

struct writer {
	const struct gst_analysis *a;
	const struct gst_model *m;
	sqlite3 *db;
	sqlite3_stmt *row; /* insert of the table being filled */
	int columns, column;
	int status; /* of SQLite; sticky */
	struct gst_arena *words;
};

static bool ok(const struct writer *w)
{
	return w->status == SQLITE_OK;
}

static void check(struct writer *w, int status)
{
	if (ok(w)) {
		w->status = status;
	}
}

static void execute(struct writer *w, const char *sql)
{
	if (ok(w)) {
		check(w, sqlite3_exec(w->db, sql, NULL, NULL, NULL));
	}
}

/* ---- rows ------------------------------------------------------------------------------------------ */

/* Rows of @table follow, until end_table. Its name is ours, never from a trace. */
static void begin_table(struct writer *w, const char *table)
{
	char sql[512];
	sqlite3_stmt *any = NULL;
	int n;

	if (!ok(w)) {
		return;
	}
	snprintf(sql, sizeof(sql), "SELECT * FROM %s", table);
	check(w, sqlite3_prepare_v2(w->db, sql, -1, &any, NULL));
	w->columns = sqlite3_column_count(any);
	sqlite3_finalize(any);
	n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table);
	for (int i = 1; i < w->columns; i++) {
		n += snprintf(sql + n, sizeof(sql) - (size_t)n, ",?");
	}
	snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
	if (ok(w)) {
		check(w, sqlite3_prepare_v2(w->db, sql, -1, &w->row, NULL));
	}
	w->column = 0;
}

static void end_table(struct writer *w)
{
	sqlite3_finalize(w->row);
	w->row = NULL;
}

static void end_row(struct writer *w)
{
	if (!ok(w)) {
		return;
	}
	GST_ASSERT(w->column == w->columns);
	if (sqlite3_step(w->row) != SQLITE_DONE) {
		check(w, sqlite3_errcode(w->db));
	}
	check(w, sqlite3_reset(w->row));
	check(w, sqlite3_clear_bindings(w->row));
	w->column = 0;
	gst_arena_reset(w->words);
}

static void put_null(struct writer *w)
{
	w->column++; /* not bound: NULL */
}

static void put_int(struct writer *w, int64_t value)
{
	if (ok(w)) {
		check(w, sqlite3_bind_int64(w->row, ++w->column, value));
	}
}

/* A time, size or count: SQLite's integers have a sign. */
static void put_number(struct writer *w, uint64_t value)
{
	put_int(w, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

/* A handle: its bits, whatever sign that gives. */
static void put_bits(struct writer *w, uint64_t value)
{
	put_int(w, (int64_t)value);
}

static void put_id(struct writer *w, uint32_t id)
{
	if (id == GST_NONE) {
		put_null(w);
	} else {
		put_int(w, id);
	}
}

static void put_number_if(struct writer *w, bool is_known, uint64_t value)
{
	if (is_known) {
		put_number(w, value);
	} else {
		put_null(w);
	}
}

/* Valid UTF-8 without zero bytes: what a name's owner put there must not end it early. */
static void put_bytes(struct writer *w, const char *text, size_t length)
{
	size_t bytes = gst_escape(GST_ESCAPE_UTF8, text, length, NULL, 0);
	char *clean = gst_arena_alloc(w->words, bytes + 1);

	gst_escape(GST_ESCAPE_UTF8, text, length, clean, bytes + 1);
	for (size_t i = 0; i < bytes; i++) {
		if (!clean[i]) {
			clean[i] = ' ';
		}
	}
	if (ok(w)) {
		/* Good until the row has been stepped. */
		check(w, sqlite3_bind_text64(w->row, ++w->column, clean, bytes, SQLITE_STATIC,
					     SQLITE_UTF8));
	}
}

static void put_text(struct writer *w, const char *text)
{
	if (text) {
		put_bytes(w, text, strlen(text));
	} else {
		put_null(w);
	}
}

/* A word of our own, which needs no cleaning and no copy. */
static void put_word(struct writer *w, const char *word)
{
	if (ok(w)) {
		check(w, sqlite3_bind_text(w->row, ++w->column, word, -1, SQLITE_STATIC));
	}
}

/* String @id of the model; 0 = none. */
static void put_string(struct writer *w, uint32_t id)
{
	size_t length;
	const char *text = gst_strtab_get(w->m->strings, id, &length);

	if (id) {
		put_bytes(w, text, length);
	} else {
		put_null(w);
	}
}

static void put_format(struct writer *w, const char *fmt, ...) GST_PRINTF(2, 3);

static void put_format(struct writer *w, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_text(w, text);
}

static void put_uuid(struct writer *w, uint64_t hi, uint64_t lo)
{
	put_format(w, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
		   hi >> 32, hi >> 16 & 0xffff, hi & 0xffff, lo >> 48,
		   lo & UINT64_C(0xffffffffffff));
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static void meta_number(struct writer *w, const char *key, uint64_t value)
{
	put_text(w, key);
	put_number(w, value);
	end_row(w);
}

static void put_meta(struct writer *w)
{
	const struct gst_model *m = w->m;
	const struct gst_model_stats *s = &m->stats;
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{"schema_version", SCHEMA_VERSION},
		{"is_complete", m->is_complete},
		{"base_ns", m->base_ns},
		{"real_base_ns", m->real_base_ns},
		{"begin_ns", m->begin_ns},
		{"end_ns", m->end_ns},
		{"records", s->records},
		{"unknown_records", s->unknown_records},
		{"unknown_critical_records", s->unknown_critical},
		{"misjoined_records", s->misjoined_records},
		{"ops_without_call", s->ops_without_call},
		{"ops_without_record", s->ops_without_record},
		{"ops_without_stream", s->ops_without_stream},
		{"calls_without_return", s->calls_without_return},
		{"early_begins", s->early_begins},
		{"bad_times", s->bad_times},
		{"ambiguous_calls", s->ambiguous_calls},
		{"captured_calls", s->captured_calls},
		{"open_ends", s->open_ends},
		{"opaque_ops", s->opaque_ops},
		{"unknown_queue_waits", gst_order_stats(w->a->order)->unknown_queue_waits},
		{"unmatched_values", gst_order_stats(w->a->order)->unmatched_values},
		{"opaque_graph_nodes", s->opaque_nodes},
		{"undefined_graph_nodes", s->undefined_nodes},
		{"undefined_graph_launches", s->undefined_launches},
		{"graph_nodes_without_launch", s->nodes_without_launch},
		{"graph_launches_without_nodes", s->launches_without_nodes},
		{"cut_event_nodes", s->cut_event_nodes},
		{"unknown_ports", gst_order_stats(w->a->order)->unknown_ports},
		{"unknown_iterations", gst_order_stats(w->a->order)->unknown_iterations},
		{"cut_graph_runs", gst_order_stats(w->a->order)->cut_graphs},
		{"clock_steps", s->clock_steps},
		{"failed_calls", s->errors},
		{"findings_hidden", w->a->findings->hidden_count},
		{"findings_hidden_blocked_ns", w->a->findings->hidden_blocked_ns},
	};

	begin_table(w, "meta");
	put_text(w, "gstrace_version");
	put_text(w, GST_VERSION);
	end_row(w);
	put_text(w, "gstrace_commit");
	put_text(w, GST_COMMIT);
	end_row(w);
	if (m->process_count && m->processes[0].has_trace) {
		put_text(w, "trace_uuid");
		put_uuid(w, m->processes[0].trace.uuid_hi, m->processes[0].trace.uuid_lo);
		end_row(w);
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		meta_number(w, numbers[i].key, numbers[i].value);
	}
	end_table(w);
}

static void put_gaps(struct writer *w)
{
	int64_t id = 0;

	begin_table(w, "gaps");
	for (uint32_t i = 0; i < w->a->input_count; i++) {
		const struct gst_load_stats *load = w->a->loads[i];

		for (size_t k = 0; k < load->reason_count; k++) {
			put_int(w, ++id);
			put_int(w, i);
			put_number(w, load->reasons[k].count);
			put_text(w, load->reasons[k].text);
			end_row(w);
		}
	}
	end_table(w);
}

static void put_processes(struct writer *w)
{
	const struct gst_model *m = w->m;

	begin_table(w, "processes");
	for (uint32_t i = 0; i < m->process_count; i++) {
		const struct gst_process *p = &m->processes[i];
		bool is_known = p->has_process;

		put_int(w, i);
		put_number_if(w, is_known, p->rec.pid);
		put_number_if(w, is_known, p->rec.ppid);
		put_string(w, p->rec.name);
		put_string(w, p->rec.exe);
		put_string(w, p->rec.cmdline);
		put_string(w, p->rec.host);
		if (p->has_trace) {
			put_uuid(w, p->trace.uuid_hi, p->trace.uuid_lo);
		} else {
			put_null(w);
		}
		put_number_if(w, p->rec.driver_version, p->rec.driver_version);
		put_string(w, p->rec.driver_release);
		put_number_if(w, p->rec.runtime_version, p->rec.runtime_version);
		put_number_if(w, p->rec.cupti_version, p->rec.cupti_version);
		put_int(w, p->is_complete);
		put_int(w, p->is_unbroken);
		put_number(w, p->clock_uncertainty_ns);
		end_row(w);
	}
	end_table(w);
	begin_table(w, "variables");
	for (uint32_t i = 0; i < m->variable_count; i++) {
		put_int(w, m->variables[i].process);
		/* A name that is empty is one: the column is not NULL. */
		put_text(w, gst_strtab_get(m->strings, m->variables[i].name, NULL));
		put_string(w, m->variables[i].value);
		end_row(w);
	}
	end_table(w);
}

static void put_devices(struct writer *w)
{
	const struct gst_model *m = w->m;

	begin_table(w, "devices");
	for (uint32_t i = 0; i < m->device_count; i++) {
		const struct gst_rec_device *rec = &m->devices[i].rec;

		put_int(w, i);
		put_int(w, m->devices[i].process);
		put_int(w, m->devices[i].cupti_id);
		put_string(w, m->devices[i].name);
		if (rec->uuid_hi || rec->uuid_lo) {
			put_uuid(w, rec->uuid_hi, rec->uuid_lo);
		} else {
			put_null(w);
		}
		put_format(w, "%04" PRIx32 ":%02" PRIx32 ":%02" PRIx32 ".%" PRIx32, rec->pci_domain,
			   rec->pci_bus, rec->pci_device, rec->pci_function);
		put_int(w, rec->compute_major);
		put_int(w, rec->compute_minor);
		put_int(w, rec->sm_count);
		put_number_if(w, rec->copy_engines, rec->copy_engines);
		put_number(w, rec->memory_bytes);
		end_row(w);
	}
	end_table(w);
	begin_table(w, "contexts");
	for (uint32_t i = 0; i < m->context_count; i++) {
		put_int(w, i);
		put_int(w, m->contexts[i].process);
		put_id(w, m->contexts[i].device);
		put_int(w, m->contexts[i].cupti_id);
		put_id(w, m->contexts[i].parent);
		end_row(w);
	}
	end_table(w);
}

static void put_threads(struct writer *w)
{
	const struct gst_model *m = w->m;

	begin_table(w, "threads");
	for (uint32_t i = 0; i < m->thread_count; i++) {
		put_int(w, i);
		put_int(w, m->threads[i].process);
		put_number(w, m->threads[i].tid);
		put_string(w, m->threads[i].name);
		end_row(w);
	}
	end_table(w);
}

/* What device records tell of @process; NULL if the trace has none by choice. */
static void put_told(struct writer *w, uint32_t process, uint64_t value)
{
	if (gst_describe_has_times(w->m, process)) {
		put_number(w, value);
	} else {
		put_null(w);
	}
}

static void put_streams(struct writer *w)
{
	const struct gst_model *m = w->m;

	begin_table(w, "streams");
	for (uint32_t i = 0; i < m->stream_count; i++) {
		const struct gst_stream *s = &m->streams[i];

		put_int(w, i);
		put_int(w, s->process);
		put_id(w, s->ctx);
		put_id(w, s->cupti_id);
		if (s->handle) {
			put_bits(w, s->handle);
		} else {
			put_null(w);
		}
		put_text(w, gst_strtab_get(m->strings, s->name, NULL));
		put_word(w, gst_name_stream_kind(s->kind));
		put_int(w, s->priority);
		put_id(w, s->thread);
		put_id(w, s->create_call);
		put_id(w, s->destroy_call);
		put_int(w, s->is_internal);
		put_int(w, s->op_count);
		put_told(w, s->process, s->busy_ns);
		end_row(w);
	}
	end_table(w);
	begin_table(w, "events");
	for (uint32_t i = 0; i < m->event_count; i++) {
		const struct gst_event *e = &m->events[i];

		put_int(w, i);
		put_int(w, e->process);
		put_bits(w, e->handle);
		put_number_if(w, e->create_call != GST_NONE, e->flags);
		put_id(w, e->create_call);
		put_id(w, e->destroy_call);
		put_int(w, e->history_is_complete);
		end_row(w);
	}
	end_table(w);
}

static void put_calls(struct writer *w)
{
	const struct gst_model *m = w->m;
	struct gst_map seen = {0};

	begin_table(w, "apis");
	for (gst_call_id i = 0; i < m->call_count && ok(w); i++) {
		const struct gst_call *call = &m->calls[i];
		char name[128];
		bool is_new;

		gst_map_add(&seen, call->api, 0, &is_new);
		if (is_new) {
			gst_name_api(call->api, name, sizeof(name));
			put_int(w, call->api);
			put_text(w, name);
			put_word(w, gst_api_class_name(call->cls));
			end_row(w);
		}
	}
	end_table(w);
	gst_map_release(&seen);

	begin_table(w, "calls");
	for (gst_call_id i = 0; i < m->call_count && ok(w); i++) {
		const struct gst_call *call = &m->calls[i];
		bool has_returned = call->flags & GST_CALL_RETURNED;

		put_int(w, i);
		put_int(w, call->thread);
		put_int(w, call->api);
		put_int(w, call->corr);
		put_number_if(w, !(call->flags & GST_CALL_NO_ENTER), call->enter_ns);
		put_number_if(w, has_returned, call->exit_ns);
		if (has_returned) {
			put_int(w, call->result);
		} else {
			put_null(w);
		}
		put_id(w, call->ctx);
		put_id(w, call->stream);
		put_id(w, call->event);
		put_int(w, call->op_count);
		put_int(w, !!(call->flags & GST_CALL_CAPTURED));
		put_int(w, !!(call->flags & GST_CALL_AMBIGUOUS));
		put_id(w, gst_call_range(m, i));
		end_row(w);
	}
	end_table(w);
}

static void put_names(struct writer *w)
{
	const struct gst_model *m = w->m;
	struct gst_map seen = {0};

	begin_table(w, "names");
	for (gst_op_id i = 0; i < m->op_count && ok(w); i++) {
		char label[LABEL_BYTES];
		bool is_new;

		if (m->ops[i].kind != GST_OP_KERNEL) {
			continue;
		}
		gst_map_add(&seen, m->ops[i].name, 0, &is_new);
		if (is_new) {
			size_t length;
			const char *mangled = gst_strtab_get(m->strings, m->ops[i].name, &length);

			gst_model_op_label(m, i, label, sizeof(label));
			put_int(w, m->ops[i].name);
			put_bytes(w, mangled, length);
			put_text(w, label);
			end_row(w);
		}
	}
	end_table(w);
	gst_map_release(&seen);
}

static void put_ops(struct writer *w)
{
	const struct gst_model *m = w->m;

	begin_table(w, "ops");
	for (gst_op_id i = 0; i < m->op_count && ok(w); i++) {
		const struct gst_op *op = &m->ops[i];
		bool is_timed = op->flags & GST_OP_TIMED;
		bool is_partial = !is_timed && op->flags & GST_OP_PARTIAL;

		put_int(w, i);
		put_word(w, gst_name_op_kind(op->kind));
		put_number_if(w, op->kind == GST_OP_KERNEL, op->name);
		put_id(w, op->call);
		put_id(w, op->stream);
		put_id(w, op->event);
		put_number_if(w, is_timed, op->begin_ns);
		put_number_if(w, is_timed, op->end_ns);
		put_id(w, op->parent);
		put_number_if(w, is_partial, op->begin_ns);
		put_number_if(w, is_partial, op->end_ns);
		put_int(w, !!(op->flags & GST_OP_NO_RECORD));
		put_int(w, !!(op->flags & GST_OP_FORCED));
		put_int(w, !!(op->flags & GST_OP_PROGRAMMATIC));
		put_int(w, !!(op->flags & GST_OP_STREAM_GUESSED));
		put_id(w, gst_op_graph_node(op));
		put_id(w, op->kind == GST_OP_GRAPH_LAUNCH ? op->detail : GST_NONE);
		end_row(w);
	}
	end_table(w);
}

static void put_graph_nodes(struct writer *w)
{
	const struct gst_model *m = w->m;

	begin_table(w, "graphs");
	for (uint32_t i = 0; i < m->graph_count && ok(w); i++) {
		const struct gst_graph *g = &m->graphs[i];

		put_int(w, i);
		put_int(w, g->process);
		put_int(w, g->cupti_id);
		if (g->handle) {
			put_bits(w, g->handle);
		} else {
			put_null(w);
		}
		put_id(w, g->original);
		put_id(w, g->made);
		put_int(w, g->own_count);
		put_int(w, g->edge_count);
		put_int(w, g->opaque_count);
		end_row(w);
	}
	end_table(w);
	begin_table(w, "graph_nodes");
	for (uint32_t i = 0; i < m->graph_node_count && ok(w); i++) {
		const struct gst_graph_node *n = &m->graph_nodes[i];

		put_int(w, i);
		put_int(w, n->graph);
		put_bits(w, n->cupti_id);
		put_word(w, gst_name_node_type(n->type));
		if (n->name) {
			put_string(w, n->name);
		} else {
			put_null(w);
		}
		put_id(w, n->original);
		put_id(w, n->made);
		put_id(w, n->removed);
		put_int(w, !!(n->flags & GST_GRAPH_NODE_INTERNAL));
		put_int(w, !!(n->flags & GST_GRAPH_NODE_OPAQUE));
		end_row(w);
	}
	end_table(w);
	begin_table(w, "graph_edges");
	for (uint32_t i = 0; i < m->graph_edge_count && ok(w); i++) {
		const struct gst_graph_edge *e = &m->graph_edges[i];

		put_int(w, i);
		put_int(w, e->from);
		put_int(w, e->to);
		put_word(w, gst_name_port(e->port));
		put_id(w, e->made);
		put_id(w, e->removed);
		end_row(w);
	}
	end_table(w);
}

static void put_graph_execs(struct writer *w)
{
	const struct gst_model *m = w->m;
	struct gst_arena *scratch = gst_arena_new(0);
	const struct gst_graph_use *use = gst_graph_use_count(m, scratch);

	begin_table(w, "graph_execs");
	for (uint32_t i = 0; i < m->exec_count && ok(w); i++) {
		const struct gst_exec *e = &m->execs[i];

		put_int(w, i);
		put_int(w, e->process);
		put_bits(w, e->handle);
		put_id(w, e->graph);
		put_id(w, e->source);
		put_id(w, e->make_call);
		put_id(w, e->destroy_call);
		put_int(w, e->launches);
		put_int(w, e->uploads);
		put_int(w, e->updates);
		put_int(w, e->node_changes);
		put_told(w, e->process, use[i].node_runs);
		put_told(w, e->process, use[i].busy_ns);
		end_row(w);
	}
	end_table(w);
	gst_arena_free(scratch);
}

static void put_kernel(struct writer *w, gst_op_id op, const struct gst_kernel *k)
{
	put_int(w, op);
	for (int d = 0; d < 3; d++) {
		put_int(w, k->grid[d]);
	}
	for (int d = 0; d < 3; d++) {
		put_int(w, k->block[d]);
	}
	put_int(w, k->registers);
	put_int(w, k->shared_static);
	put_int(w, k->shared_dynamic);
	end_row(w);
}

static void put_copy(struct writer *w, gst_op_id op, const struct gst_copy *c)
{
	put_int(w, op);
	put_word(w, gst_name_copy_kind(c->copy_kind));
	put_number(w, c->bytes);
	put_word(w, gst_name_memory_kind(c->src_kind));
	put_word(w, gst_name_memory_kind(c->dst_kind));
	put_int(w, c->is_async);
	put_int(w, c->is_peer);
	end_row(w);
}

static void put_memset(struct writer *w, gst_op_id op, const struct gst_memset *s)
{
	put_int(w, op);
	put_number(w, s->bytes);
	put_word(w, gst_name_memory_kind(s->memory_kind));
	put_int(w, s->is_async);
	end_row(w);
}

/* Details of ops: one table for each kind that has some. */
static void put_details(struct writer *w)
{
	static const struct {
		enum gst_op_kind kind;
		const char *table;
	} tables[] = {
		{GST_OP_KERNEL, "kernels"}, {GST_OP_MEMCPY, "copies"}, {GST_OP_MEMSET, "memsets"}};
	const struct gst_model *m = w->m;

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		begin_table(w, tables[t].table);
		for (gst_op_id i = 0; i < m->op_count && ok(w); i++) {
			const struct gst_op *op = &m->ops[i];

			if (op->kind != tables[t].kind || op->detail == GST_NONE) {
				continue;
			}
			if (op->kind == GST_OP_KERNEL) {
				put_kernel(w, i, &m->kernels[op->detail]);
			} else if (op->kind == GST_OP_MEMCPY) {
				put_copy(w, i, &m->copies[op->detail]);
			} else {
				put_memset(w, i, &m->memsets[op->detail]);
			}
		}
		end_table(w);
	}
}

static void put_node(struct writer *w, gst_node_id n)
{
	const struct gst_order *o = w->a->order;

	if (gst_node_is_op(o, n)) {
		put_word(w, "op");
		put_int(w, n);
	} else if (gst_node_is_call(o, n)) {
		put_word(w, "call");
		put_int(w, (int64_t)n - w->m->op_count);
	} else {
		put_word(w, "barrier");
		put_int(w, (int64_t)n - w->m->op_count - w->m->call_count);
	}
}

static void put_edges(struct writer *w)
{
	const struct gst_order *o = w->a->order;
	uint32_t first_barrier = w->m->op_count + w->m->call_count;

	begin_table(w, "rules");
	for (uint32_t r = 0; r < GST_RULE_COUNT; r++) {
		put_word(w, gst_rule_id(r));
		put_word(w, gst_rule_text(r));
		put_word(w, gst_rule_source(r));
		end_row(w);
	}
	end_table(w);

	begin_table(w, "barriers");
	for (gst_node_id n = first_barrier; n < gst_order_node_count(o) && ok(w); n++) {
		gst_node_id owner = gst_barrier_owner(o, n);

		put_int(w, (int64_t)n - first_barrier);
		if (owner == GST_NONE) {
			put_null(w);
			put_null(w);
		} else {
			put_node(w, owner);
		}
		end_row(w);
	}
	end_table(w);

	begin_table(w, "edges");
	for (gst_edge_id i = gst_order_next_edge(o, 0); i < gst_order_edge_bound(o) && ok(w);
	     i = gst_order_next_edge(o, i + 1)) {
		const struct gst_edge e = gst_order_edge(o, i);

		put_int(w, i);
		put_node(w, e.from);
		put_node(w, e.to);
		put_word(w, gst_rule_id(e.rule));
		put_word(w, gst_name_form(e.form));
		put_word(w, gst_name_strength(gst_timing_strength(w->a->timing, i)));
		put_int(w, !!(e.flags & GST_EDGE_UNCHECKED));
		end_row(w);
	}
	end_table(w);
}

static void put_findings(struct writer *w)
{
	const struct gst_findings *all = w->a->findings;

	begin_table(w, "findings");
	for (uint32_t i = 0; i < all->count; i++) {
		const struct gst_finding *f = &all->items[i];

		put_int(w, (int64_t)i + 1);
		put_text(w, f->id);
		put_word(w, gst_severity_name(f->severity));
		put_number_if(w, f->cost_is_known, f->cost_ns);
		put_number_if(w, f->cost_is_known, f->cost_low_ns);
		put_number_if(w, f->cost_is_known, f->cost_high_ns);
		put_number(w, f->blocked_ns);
		put_number(w, f->begin_ns);
		put_number(w, f->end_ns);
		put_int(w, f->occurrence_count);
		put_text(w, f->title);
		put_text(w, f->detail);
		put_text(w, f->advice);
		put_text(w, f->withheld);
		end_row(w);
	}
	end_table(w);

	begin_table(w, "finding_evidence");
	for (uint32_t i = 0; i < all->count; i++) {
		for (uint32_t k = 0; k < all->items[i].evidence_count && ok(w); k++) {
			const struct gst_occurrence *o = &all->items[i].occurrences[k];

			put_int(w, (int64_t)i + 1);
			put_int(w, (int64_t)k + 1);
			put_number(w, o->begin_ns);
			put_number(w, o->end_ns);
			put_number(w, o->blocked_ns);
			put_id(w, o->waiter);
			put_id(w, o->culprit);
			put_id(w, o->call);
			end_row(w);
		}
	}
	end_table(w);

	begin_table(w, "finding_path");
	for (uint32_t i = 0; i < all->count; i++) {
		for (uint32_t k = 0; k < all->items[i].path_count && ok(w); k++) {
			put_int(w, (int64_t)i + 1);
			put_int(w, (int64_t)k + 1);
			put_int(w, all->items[i].path[k]);
			end_row(w);
		}
	}
	end_table(w);
}

static void put_losses(struct writer *w)
{
	const struct gst_model *m = w->m;

	begin_table(w, "losses");
	for (uint32_t i = 0; i < m->loss_count; i++) {
		const struct gst_loss *l = &m->losses[i];
		const struct gst_schema_record *kind = gst_schema_find(l->kind);
		bool has_time = l->since_ns || l->until_ns;

		put_int(w, i);
		put_id(w, l->process < m->process_count ? l->process : GST_NONE);
		put_text(w, l->kind && kind ? kind->name : NULL);
		put_word(w, gst_name_loss_reason(l->reason));
		put_number_if(w, l->count, l->count);
		put_number_if(w, has_time, l->since_ns);
		/* To the end of time: nobody knows until when. */
		put_number_if(w, has_time && l->until_ns < INT64_MAX, l->until_ns);
		end_row(w);
	}
	end_table(w);
	begin_table(w, "notes");
	for (uint32_t i = 0; i < m->note_count; i++) {
		const struct gst_note *n = &m->notes[i];

		put_int(w, i);
		put_id(w, n->process < m->process_count ? n->process : GST_NONE);
		put_word(w, gst_name_note_code(n->code));
		put_int(w, n->detail);
		put_number(w, n->time_ns);
		put_string(w, n->text);
		end_row(w);
	}
	end_table(w);
}

/* ---- NVTX ------------------------------------------------------------------------------------------------ */

static void put_payload(struct writer *w, const struct gst_range *r)
{
	uint32_t low = (uint32_t)r->payload;
	double wide = 0;
	float narrow = 0;

	switch (r->payload_type) {
	case 1:
		put_number(w, r->payload);
		break;
	case 2:
		put_int(w, (int64_t)r->payload);
		break;
	case 4:
		put_number(w, low);
		break;
	case 5:
		put_int(w, (int32_t)low);
		break;
	case 3:
	case 6:
		memcpy(&wide, &r->payload, sizeof(wide));
		memcpy(&narrow, &low, sizeof(narrow));
		if (ok(w)) {
			check(w, sqlite3_bind_double(w->row, ++w->column,
						     r->payload_type == 3 ? wide : (double)narrow));
		}
		break;
	default: /* none, or one that we do not know */
		put_null(w);
		break;
	}
}

static void put_nvtx(struct writer *w)
{
	static const char *const kinds[] = {"unknown", "thread", "stream",  "event",
					    "context", "device", "category"};
	const struct gst_model *m = w->m;

	begin_table(w, "nvtx_ranges");
	for (uint32_t i = 0; i < m->range_count && ok(w); i++) {
		const struct gst_range *r = &m->ranges[i];

		put_int(w, i);
		put_int(w, r->thread);
		put_word(w, r->what == GST_NVTX_MARK   ? "mark"
			    : r->what == GST_NVTX_PUSH ? "push"
						       : "start");
		put_string(w, r->name);
		put_string(w, r->domain);
		put_number_if(w, r->category, r->category);
		put_number(w, r->begin_ns);
		put_number_if(w, r->end_ns != GST_RANGE_OPEN, r->end_ns);
		put_id(w, r->parent);
		put_number_if(w, r->color, r->color);
		put_payload(w, r);
		end_row(w);
	}
	end_table(w);
	begin_table(w, "nvtx_names");
	for (uint32_t i = 0; i < m->given_name_count && ok(w); i++) {
		const struct gst_given_name *g = &m->given_names[i];

		put_int(w, i);
		put_int(w, g->process);
		put_word(w, kinds[g->type < sizeof(kinds) / sizeof(kinds[0]) ? g->type : 0]);
		put_bits(w, g->object);
		put_string(w, g->name);
		put_string(w, g->domain);
		put_id(w, g->type == GST_NVTX_OF_THREAD ? g->target : GST_NONE);
		put_id(w, g->type == GST_NVTX_OF_STREAM ? g->target : GST_NONE);
		end_row(w);
	}
	end_table(w);
}

/* ---- the critical path ----------------------------------------------------------------------------------- */

static void put_node_if(struct writer *w, gst_node_id n)
{
	if (n == GST_NONE) {
		put_null(w);
		put_null(w);
	} else {
		put_node(w, n);
	}
}

static void put_critical(struct writer *w)
{
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_critical c;

	gst_timing_critical(w->a->timing, GST_NONE, arena, &c);
	begin_table(w, "critical_path");
	for (uint32_t i = 0; i < c.segment_count && ok(w); i++) {
		const struct gst_segment *s = &c.segments[i];

		put_int(w, i);
		put_number(w, s->begin_ns);
		put_number(w, s->end_ns);
		put_word(w, gst_cause_name((enum gst_cause)s->cause));
		put_word(w, s->unknown ? gst_unknown_name((enum gst_unknown)s->unknown) : NULL);
		put_node_if(w, s->node);
		put_node_if(w, s->from);
		put_word(w,
			 s->edge == GST_NONE
				 ? NULL
				 : gst_rule_id((enum gst_rule)gst_order_edge(w->a->order, s->edge)
						       .rule));
		put_number_if(w, s->held_ns != UINT64_MAX, s->held_ns);
		end_row(w);
	}
	end_table(w);
	gst_arena_free(arena);
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

/* Part of the schema from @from to @to; NULL = its end. */
static void execute_part(struct writer *w, const char *from, const char *to)
{
	size_t length = to ? (size_t)(to - from) : strlen(from);
	char *sql = gst_mem_alloc(length + 1);

	memcpy(sql, from, length);
	execute(w, sql);
	gst_mem_free(sql, length + 1);
}

static void fill(struct writer *w)
{
	const char *after = strstr(gst_schema_sql, AFTER_ROWS);
	char sql[64];

	GST_ASSERT(after);
	/* Nothing to roll back: a file that is not finished is removed. */
	execute(w, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		   "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384; BEGIN");
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", SCHEMA_VERSION);
	execute(w, sql);
	execute_part(w, gst_schema_sql, after);
	put_meta(w);
	put_gaps(w);
	put_processes(w);
	put_devices(w);
	put_threads(w);
	put_streams(w);
	put_calls(w);
	put_names(w);
	put_ops(w);
	put_graph_nodes(w);
	put_graph_execs(w);
	put_details(w);
	put_edges(w);
	put_findings(w);
	put_losses(w);
	put_nvtx(w);
	put_critical(w);
	execute_part(w, after, NULL);
	execute(w, "COMMIT");
}

gst_status gst_export_sqlite(const struct gst_analysis *a, const char *path, struct gst_err *err)
{
	struct writer w = {.a = a, .m = a->model};
	gst_status st = GST_OK;

	/* What is there, such as a file that an output has reserved, is emptied; its mode stays. */
	if (access(path, F_OK) == 0 && truncate(path, 0) != 0) {
		return gst_err_set(err, GST_E_IO, "cannot empty the file for the database");
	}
	w.words = gst_arena_new(0);
	if (strncmp(path, "file:", 5) == 0) {
		/* SQLite would take it for an URI, and a part of it for options. */
		size_t bytes = strlen(path) + sizeof("./");
		char *plain = gst_arena_alloc(w.words, bytes);

		snprintf(plain, bytes, "./%s", path);
		path = plain;
	}
	w.status = sqlite3_open_v2(path, &w.db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
				   NULL);
	if (ok(&w)) {
		fill(&w);
	}
	if (!ok(&w)) {
		st = gst_err_set(err, w.status == SQLITE_NOMEM ? GST_E_NOMEM : GST_E_IO,
				 "SQLite: %s", w.db ? sqlite3_errmsg(w.db) : "out of memory");
	}
	if (sqlite3_close(w.db) != SQLITE_OK && !st) {
		st = gst_err_set(err, GST_E_IO, "SQLite: cannot close the database");
	}
	if (st) {
		unlink(path);
	}
	gst_arena_free(w.words);
	return st;
}
