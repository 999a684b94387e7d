/*
 * export_sqlite.c - an analysis as a SQLite database, for questions that we did not think of.
 *
 * Role      : one table for each kind of thing; schema.sql and docs/SCHEMA.md say what is in them.
 * Method    : tables, rows by prepared statements, then indexes and views, all in one transaction without
 *             a journal: the file is a temporary one, and whole or nothing.
 * Invariant : the first error stops everything; then the file is removed. Ids are those of the model.
 * Not here  : values into columns (sqlite_rows.c), tables of what ran (export_sqlite_work.c), names for people
 *             (names are cleaned UTF-8, not shortened further).
 */
#include "analyzer/export/export.h"

#include <inttypes.h>
#include <unistd.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/map.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/schema_sql.h"
#include "analyzer/export/sqlite_rows.h"
#include "analyzer/timing/critical.h"
#include "tracer/format/api.h"
#include "tracer/format/schema.h"
#include "tracer/format/version.h"

#define SCHEMA_VERSION 1
#define AFTER_ROWS     "-- After the rows."
#define LABEL_BYTES    1024

/* ---- tables ------------------------------------------------------------------------------------------ */

static void meta_number(struct gst_sql *w, const char *key, uint64_t value)
{
	gst_sql_text(w, key);
	gst_sql_number(w, value);
	gst_sql_end_row(w);
}

static void put_meta(struct gst_sql *w)
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

	gst_sql_begin_table(w, "meta");
	gst_sql_text(w, "gstrace_version");
	gst_sql_text(w, GST_VERSION);
	gst_sql_end_row(w);
	gst_sql_text(w, "gstrace_commit");
	gst_sql_text(w, GST_COMMIT);
	gst_sql_end_row(w);
	if (m->process_count && m->processes[0].has_trace) {
		gst_sql_text(w, "trace_uuid");
		gst_sql_uuid(w, m->processes[0].trace.uuid_hi, m->processes[0].trace.uuid_lo);
		gst_sql_end_row(w);
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		meta_number(w, numbers[i].key, numbers[i].value);
	}
	gst_sql_end_table(w);
}

static void put_gaps(struct gst_sql *w)
{
	int64_t id = 0;

	gst_sql_begin_table(w, "gaps");
	for (uint32_t i = 0; i < w->a->input_count; i++) {
		const struct gst_load_stats *load = w->a->loads[i];

		for (size_t k = 0; k < load->reason_count; k++) {
			gst_sql_int(w, ++id);
			gst_sql_int(w, i);
			gst_sql_number(w, load->reasons[k].count);
			gst_sql_text(w, load->reasons[k].text);
			gst_sql_end_row(w);
		}
	}
	gst_sql_end_table(w);
}

static void put_processes(struct gst_sql *w)
{
	const struct gst_model *m = w->m;

	gst_sql_begin_table(w, "processes");
	for (uint32_t i = 0; i < m->process_count; i++) {
		const struct gst_process *p = &m->processes[i];
		bool is_known = p->has_process;

		gst_sql_int(w, i);
		gst_sql_number_if(w, is_known, p->rec.pid);
		gst_sql_number_if(w, is_known, p->rec.ppid);
		gst_sql_string(w, p->rec.name);
		gst_sql_string(w, p->rec.exe);
		gst_sql_string(w, p->rec.cmdline);
		gst_sql_string(w, p->rec.host);
		if (p->has_trace) {
			gst_sql_uuid(w, p->trace.uuid_hi, p->trace.uuid_lo);
		} else {
			gst_sql_null(w);
		}
		gst_sql_number_if(w, p->rec.driver_version, p->rec.driver_version);
		gst_sql_string(w, p->rec.driver_release);
		gst_sql_number_if(w, p->rec.runtime_version, p->rec.runtime_version);
		gst_sql_number_if(w, p->rec.cupti_version, p->rec.cupti_version);
		gst_sql_int(w, p->is_complete);
		gst_sql_int(w, p->is_unbroken);
		gst_sql_number(w, p->clock_uncertainty_ns);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
	gst_sql_begin_table(w, "variables");
	for (uint32_t i = 0; i < m->variable_count; i++) {
		gst_sql_int(w, m->variables[i].process);
		/* A name that is empty is one: the column is not NULL. */
		gst_sql_text(w, gst_strtab_get(m->strings, m->variables[i].name, NULL));
		gst_sql_string(w, m->variables[i].value);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

static void put_devices(struct gst_sql *w)
{
	const struct gst_model *m = w->m;

	gst_sql_begin_table(w, "devices");
	for (uint32_t i = 0; i < m->device_count; i++) {
		const struct gst_rec_device *rec = &m->devices[i].rec;

		gst_sql_int(w, i);
		gst_sql_int(w, m->devices[i].process);
		gst_sql_int(w, m->devices[i].cupti_id);
		gst_sql_string(w, m->devices[i].name);
		if (rec->uuid_hi || rec->uuid_lo) {
			gst_sql_uuid(w, rec->uuid_hi, rec->uuid_lo);
		} else {
			gst_sql_null(w);
		}
		gst_sql_format(w, "%04" PRIx32 ":%02" PRIx32 ":%02" PRIx32 ".%" PRIx32,
			       rec->pci_domain, rec->pci_bus, rec->pci_device, rec->pci_function);
		gst_sql_int(w, rec->compute_major);
		gst_sql_int(w, rec->compute_minor);
		gst_sql_int(w, rec->sm_count);
		gst_sql_number_if(w, rec->copy_engines, rec->copy_engines);
		gst_sql_number(w, rec->memory_bytes);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
	gst_sql_begin_table(w, "contexts");
	for (uint32_t i = 0; i < m->context_count; i++) {
		gst_sql_int(w, i);
		gst_sql_int(w, m->contexts[i].process);
		gst_sql_id(w, m->contexts[i].device);
		gst_sql_int(w, m->contexts[i].cupti_id);
		gst_sql_id(w, m->contexts[i].parent);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

static void put_threads(struct gst_sql *w)
{
	const struct gst_model *m = w->m;

	gst_sql_begin_table(w, "threads");
	for (uint32_t i = 0; i < m->thread_count; i++) {
		gst_sql_int(w, i);
		gst_sql_int(w, m->threads[i].process);
		gst_sql_number(w, m->threads[i].tid);
		gst_sql_string(w, m->threads[i].name);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

static void put_streams(struct gst_sql *w)
{
	const struct gst_model *m = w->m;

	gst_sql_begin_table(w, "streams");
	for (uint32_t i = 0; i < m->stream_count; i++) {
		const struct gst_stream *s = &m->streams[i];

		gst_sql_int(w, i);
		gst_sql_int(w, s->process);
		gst_sql_id(w, s->ctx);
		gst_sql_id(w, s->cupti_id);
		if (s->handle) {
			gst_sql_bits(w, s->handle);
		} else {
			gst_sql_null(w);
		}
		gst_sql_text(w, gst_strtab_get(m->strings, s->name, NULL));
		gst_sql_word(w, gst_name_stream_kind(s->kind));
		gst_sql_int(w, s->priority);
		gst_sql_id(w, s->thread);
		gst_sql_id(w, s->create_call);
		gst_sql_id(w, s->destroy_call);
		gst_sql_int(w, s->is_internal);
		gst_sql_int(w, s->op_count);
		gst_sql_told(w, s->process, s->busy_ns);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
	gst_sql_begin_table(w, "events");
	for (uint32_t i = 0; i < m->event_count; i++) {
		const struct gst_event *e = &m->events[i];

		gst_sql_int(w, i);
		gst_sql_int(w, e->process);
		gst_sql_bits(w, e->handle);
		gst_sql_number_if(w, e->create_call != GST_NONE, e->flags);
		gst_sql_id(w, e->create_call);
		gst_sql_id(w, e->destroy_call);
		gst_sql_int(w, e->history_is_complete);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

static void put_calls(struct gst_sql *w)
{
	const struct gst_model *m = w->m;
	struct gst_map seen = {0};

	gst_sql_begin_table(w, "apis");
	for (gst_call_id i = 0; i < m->call_count && gst_sql_ok(w); i++) {
		const struct gst_call *call = &m->calls[i];
		char name[128];
		bool is_new;

		gst_map_add(&seen, call->api, 0, &is_new);
		if (is_new) {
			gst_name_api(call->api, name, sizeof(name));
			gst_sql_int(w, call->api);
			gst_sql_text(w, name);
			gst_sql_word(w, gst_api_class_name(call->cls));
			gst_sql_end_row(w);
		}
	}
	gst_sql_end_table(w);
	gst_map_release(&seen);

	gst_sql_begin_table(w, "calls");
	for (gst_call_id i = 0; i < m->call_count && gst_sql_ok(w); i++) {
		const struct gst_call *call = &m->calls[i];
		bool has_returned = call->flags & GST_CALL_RETURNED;

		gst_sql_int(w, i);
		gst_sql_int(w, call->thread);
		gst_sql_int(w, call->api);
		gst_sql_int(w, call->corr);
		gst_sql_number_if(w, !(call->flags & GST_CALL_NO_ENTER), call->enter_ns);
		gst_sql_number_if(w, has_returned, call->exit_ns);
		if (has_returned) {
			gst_sql_int(w, call->result);
		} else {
			gst_sql_null(w);
		}
		gst_sql_id(w, call->ctx);
		gst_sql_id(w, call->stream);
		gst_sql_id(w, call->event);
		gst_sql_int(w, call->op_count);
		gst_sql_int(w, !!(call->flags & GST_CALL_CAPTURED));
		gst_sql_int(w, !!(call->flags & GST_CALL_AMBIGUOUS));
		gst_sql_id(w, gst_call_range(m, i));
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

static void put_names(struct gst_sql *w)
{
	const struct gst_model *m = w->m;
	struct gst_map seen = {0};

	gst_sql_begin_table(w, "names");
	for (gst_op_id i = 0; i < m->op_count && gst_sql_ok(w); i++) {
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
			gst_sql_int(w, m->ops[i].name);
			gst_sql_bytes(w, mangled, length);
			gst_sql_text(w, label);
			gst_sql_end_row(w);
		}
	}
	gst_sql_end_table(w);
	gst_map_release(&seen);
}

static void put_findings(struct gst_sql *w)
{
	const struct gst_findings *all = w->a->findings;

	gst_sql_begin_table(w, "findings");
	for (uint32_t i = 0; i < all->count; i++) {
		const struct gst_finding *f = &all->items[i];

		gst_sql_int(w, (int64_t)i + 1);
		gst_sql_text(w, f->id);
		gst_sql_word(w, gst_severity_name(f->severity));
		gst_sql_number_if(w, f->cost_is_known && !f->cost_is_bound, f->cost_ns);
		gst_sql_number_if(w, f->cost_is_known, f->cost_low_ns);
		gst_sql_number_if(w, f->cost_is_known, f->cost_high_ns);
		gst_sql_number(w, f->blocked_ns);
		gst_sql_number(w, f->begin_ns);
		gst_sql_number(w, f->end_ns);
		gst_sql_int(w, f->occurrence_count);
		gst_sql_text(w, f->title);
		gst_sql_text(w, f->detail);
		gst_sql_text(w, f->advice);
		gst_sql_text(w, f->withheld);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);

	gst_sql_begin_table(w, "finding_evidence");
	for (uint32_t i = 0; i < all->count; i++) {
		for (uint32_t k = 0; k < all->items[i].evidence_count && gst_sql_ok(w); k++) {
			const struct gst_occurrence *o = &all->items[i].occurrences[k];

			gst_sql_int(w, (int64_t)i + 1);
			gst_sql_int(w, (int64_t)k + 1);
			gst_sql_number(w, o->begin_ns);
			gst_sql_number(w, o->end_ns);
			gst_sql_number(w, o->blocked_ns);
			gst_sql_id(w, o->waiter);
			gst_sql_id(w, o->culprit);
			gst_sql_id(w, o->call);
			gst_sql_end_row(w);
		}
	}
	gst_sql_end_table(w);

	gst_sql_begin_table(w, "finding_path");
	for (uint32_t i = 0; i < all->count; i++) {
		for (uint32_t k = 0; k < all->items[i].path_count && gst_sql_ok(w); k++) {
			gst_sql_int(w, (int64_t)i + 1);
			gst_sql_int(w, (int64_t)k + 1);
			gst_sql_int(w, all->items[i].path[k]);
			gst_sql_end_row(w);
		}
	}
	gst_sql_end_table(w);
}

static void put_losses(struct gst_sql *w)
{
	const struct gst_model *m = w->m;

	gst_sql_begin_table(w, "losses");
	for (uint32_t i = 0; i < m->loss_count; i++) {
		const struct gst_loss *l = &m->losses[i];
		const struct gst_schema_record *kind = gst_schema_find(l->kind);
		bool has_time = l->since_ns || l->until_ns;

		gst_sql_int(w, i);
		gst_sql_id(w, l->process < m->process_count ? l->process : GST_NONE);
		gst_sql_text(w, l->kind && kind ? kind->name : NULL);
		gst_sql_word(w, gst_name_loss_reason(l->reason));
		gst_sql_number_if(w, l->count, l->count);
		gst_sql_number_if(w, has_time, l->since_ns);
		/* To the end of time: nobody knows until when. */
		gst_sql_number_if(w, has_time && l->until_ns < INT64_MAX, l->until_ns);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
	gst_sql_begin_table(w, "notes");
	for (uint32_t i = 0; i < m->note_count; i++) {
		const struct gst_note *n = &m->notes[i];

		gst_sql_int(w, i);
		gst_sql_id(w, n->process < m->process_count ? n->process : GST_NONE);
		gst_sql_word(w, gst_name_note_code(n->code));
		gst_sql_int(w, n->detail);
		gst_sql_number(w, n->time_ns);
		gst_sql_string(w, n->text);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

/* ---- NVTX ------------------------------------------------------------------------------------------------ */

static void put_payload(struct gst_sql *w, const struct gst_range *r)
{
	uint32_t low = (uint32_t)r->payload;
	double wide = 0;
	float narrow = 0;

	switch (r->payload_type) {
	case 1:
		gst_sql_number(w, r->payload);
		break;
	case 2:
		gst_sql_int(w, (int64_t)r->payload);
		break;
	case 4:
		gst_sql_number(w, low);
		break;
	case 5:
		gst_sql_int(w, (int32_t)low);
		break;
	case 3:
	case 6:
		memcpy(&wide, &r->payload, sizeof(wide));
		memcpy(&narrow, &low, sizeof(narrow));
		if (gst_sql_ok(w)) {
			gst_sql_check(w, sqlite3_bind_double(
						 w->row, ++w->column,
						 r->payload_type == 3 ? wide : (double)narrow));
		}
		break;
	default: /* none, or one that we do not know */
		gst_sql_null(w);
		break;
	}
}

static void put_nvtx(struct gst_sql *w)
{
	static const char *const kinds[] = {"unknown", "thread", "stream",  "event",
					    "context", "device", "category"};
	const struct gst_model *m = w->m;

	gst_sql_begin_table(w, "nvtx_ranges");
	for (uint32_t i = 0; i < m->range_count && gst_sql_ok(w); i++) {
		const struct gst_range *r = &m->ranges[i];

		gst_sql_int(w, i);
		gst_sql_int(w, r->thread);
		gst_sql_word(w, r->what == GST_NVTX_MARK   ? "mark"
				: r->what == GST_NVTX_PUSH ? "push"
							   : "start");
		gst_sql_string(w, r->name);
		gst_sql_string(w, r->domain);
		gst_sql_number_if(w, r->category, r->category);
		gst_sql_number(w, r->begin_ns);
		gst_sql_number_if(w, r->end_ns != GST_RANGE_OPEN, r->end_ns);
		gst_sql_id(w, r->parent);
		gst_sql_number_if(w, r->color, r->color);
		put_payload(w, r);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
	gst_sql_begin_table(w, "nvtx_names");
	for (uint32_t i = 0; i < m->given_name_count && gst_sql_ok(w); i++) {
		const struct gst_given_name *g = &m->given_names[i];

		gst_sql_int(w, i);
		gst_sql_int(w, g->process);
		gst_sql_word(w, kinds[g->type < sizeof(kinds) / sizeof(kinds[0]) ? g->type : 0]);
		gst_sql_bits(w, g->object);
		gst_sql_string(w, g->name);
		gst_sql_string(w, g->domain);
		gst_sql_id(w, g->type == GST_NVTX_OF_THREAD ? g->target : GST_NONE);
		gst_sql_id(w, g->type == GST_NVTX_OF_STREAM ? g->target : GST_NONE);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

/* ---- the critical path ----------------------------------------------------------------------------------- */

static void put_node_if(struct gst_sql *w, gst_node_id n)
{
	if (n == GST_NONE) {
		gst_sql_null(w);
		gst_sql_null(w);
	} else {
		gst_sql_node(w, n);
	}
}

static void put_critical(struct gst_sql *w)
{
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_critical c;

	gst_timing_critical(w->a->timing, GST_NONE, arena, &c);
	gst_sql_begin_table(w, "critical_path");
	for (uint32_t i = 0; i < c.segment_count && gst_sql_ok(w); i++) {
		const struct gst_segment *s = &c.segments[i];

		gst_sql_int(w, i);
		gst_sql_number(w, s->begin_ns);
		gst_sql_number(w, s->end_ns);
		gst_sql_word(w, gst_cause_name((enum gst_cause)s->cause));
		gst_sql_word(w, s->unknown ? gst_unknown_name((enum gst_unknown)s->unknown) : NULL);
		put_node_if(w, s->node);
		put_node_if(w, s->from);
		gst_sql_word(w, s->edge == GST_NONE ? NULL
						    : gst_rule_id((enum gst_rule)gst_order_edge(
									  w->a->order, s->edge)
									  .rule));
		gst_sql_number_if(w, s->held_ns != UINT64_MAX, s->held_ns);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
	gst_arena_free(arena);
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

/* Part of the schema from @from to @to; NULL = its end. */
static void execute_part(struct gst_sql *w, const char *from, const char *to)
{
	size_t length = to ? (size_t)(to - from) : strlen(from);
	char *sql = gst_mem_alloc(length + 1);

	memcpy(sql, from, length);
	gst_sql_execute(w, sql);
	gst_mem_free(sql, length + 1);
}

static void fill(struct gst_sql *w)
{
	const char *after = strstr(gst_schema_sql, AFTER_ROWS);
	char sql[64];

	GST_ASSERT(after);
	/* Nothing to roll back: a file that is not finished is removed. */
	gst_sql_execute(w, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
			   "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384; BEGIN");
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", SCHEMA_VERSION);
	gst_sql_execute(w, sql);
	execute_part(w, gst_schema_sql, after);
	put_meta(w);
	put_gaps(w);
	put_processes(w);
	put_devices(w);
	put_threads(w);
	put_streams(w);
	put_calls(w);
	put_names(w);
	gst_sqlite_put_work(w);
	put_findings(w);
	put_losses(w);
	put_nvtx(w);
	put_critical(w);
	execute_part(w, after, NULL);
	gst_sql_execute(w, "COMMIT");
}

gst_status gst_export_sqlite(const struct gst_analysis *a, const char *path, struct gst_err *err)
{
	struct gst_sql w = {.a = a, .m = a->model};
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
	if (gst_sql_ok(&w)) {
		fill(&w);
	}
	if (!gst_sql_ok(&w)) {
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
