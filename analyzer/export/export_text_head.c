/*
 * export_text_head.c - the head of the report: what was recorded, what is not known, what ran where.
 *
 * Role      : everything of the text report before its findings.
 * Method    : a line a thing, the first ones of a list, and how many there are besides.
 * Invariant : the same analysis gives the same bytes; nothing of the trace reaches the output unescaped.
 * Not here  : findings and paths (export_text.c), words (describe.c).
 */
#include "analyzer/export/export_text_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/sort.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/graph_use.h"
#include "analyzer/export/text_layout.h"
#include "analyzer/base/units.h"

uint32_t gst_text_bound(const struct gst_text_report *r, uint32_t count, uint32_t max)
{
	return r->opt->all || count < max ? count : max;
}

static void field(const struct gst_text_report *r, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void field(const struct gst_text_report *r, const char *key, const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	gst_text_field(r->out, 0, KEY, key, text);
}

static void rest(const struct gst_text_report *r, uint32_t hidden, const char *what)
{
	if (hidden > 0) {
		field(r, "", "... and %s more %s (--all shows them)", gst_count(hidden).text, what);
	}
}

/* ---- header ------------------------------------------------------------------------------------------ */

static void process_line(const struct gst_text_report *r, uint32_t index)
{
	const struct gst_model *m = r->a->model;
	const struct gst_process *p = &m->processes[index];
	struct gst_label name = gst_process_label(m, index),
			 host = gst_string_label(m, p->rec.host);
	struct gst_label command = gst_string_label(m, p->rec.cmdline);

	field(r, index == 0 ? "Program" : "", "%s (pid %" PRIu32 "%s%s)%s", name.text, p->rec.pid,
	      host.text[0] ? " on " : "", host.text,
	      m->process_count > 1 && !p->is_complete ? ", incomplete" : "");
	if (command.text[0]) {
		for (char *c = command.text; *c; c++) {
			*c = *c == '\x01' ? ' ' : *c; /* zero bytes stood between the words */
		}
		field(r, "", "%s", command.text);
	}
}

static void version_line(const struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	const struct gst_rec_process *p = &m->processes[0].rec;
	struct gst_label release = gst_string_label(m, p->driver_release);
	char cuda[32] = "", cupti[32] = "";

	if (!m->processes[0].has_process) {
		return;
	}
	if (p->driver_version) {
		snprintf(cuda, sizeof(cuda), ", CUDA %" PRIu32 ".%" PRIu32,
			 p->driver_version / 1000, p->driver_version % 1000 / 10);
	}
	if (p->cupti_version) {
		snprintf(cupti, sizeof(cupti), ", CUPTI %" PRIu32, p->cupti_version);
	}
	field(r, "Software", "driver %s%s%s", release.text[0] ? release.text : "not known", cuda,
	      cupti);
}

static void device_lines(const struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	uint32_t count = gst_text_bound(r, m->device_count, MAX_DEVICES);

	for (uint32_t i = 0; i < count; i++) {
		const struct gst_device *d = &m->devices[i];
		struct gst_label name = gst_string_label(m, d->name);
		char compute[96] = "", engines[48] = "", pid[48] = "";

		if (d->rec.copy_engines) {
			snprintf(engines, sizeof(engines), ", %" PRIu32 " copy engines",
				 d->rec.copy_engines);
		}
		if (d->rec.compute_major) {
			snprintf(compute, sizeof(compute),
				 " (compute %" PRIu32 ".%" PRIu32 ", %" PRIu32 " SMs%s)",
				 d->rec.compute_major, d->rec.compute_minor, d->rec.sm_count,
				 engines);
		}
		if (m->process_count > 1) {
			snprintf(pid, sizeof(pid), " of pid %" PRIu32,
				 m->processes[d->process].rec.pid);
		}
		field(r, i == 0 ? "Device" : "", "%" PRIu32 "%s: %s%s", d->cupti_id, pid,
		      name.text[0] ? name.text : "name not known", compute);
	}
	rest(r, m->device_count - count, "devices");
}

static void variable_lines(const struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	uint32_t shown = 0, hidden = 0;

	for (uint32_t i = 0; i < m->variable_count; i++) {
		const struct gst_variable *v = &m->variables[i];
		struct gst_label name = gst_string_label(m, v->name);
		char pid[32] = "";

		/* Always set while recording. */
		if (strcmp(name.text, "CUDA_INJECTION64_PATH") == 0) {
			continue;
		}
		if (shown >= gst_text_bound(r, UINT32_MAX, MAX_VARIABLES)) {
			hidden++;
			continue;
		}
		if (m->process_count > 1) {
			snprintf(pid, sizeof(pid), " (pid %" PRIu32 ")",
				 m->processes[v->process].rec.pid);
		}
		field(r, shown++ == 0 ? "Settings" : "", "%s=%s%s", name.text,
		      gst_string_label(m, v->value).text, pid);
	}
	rest(r, hidden, "settings");
}

static void limit_line(void *payload, const char *line)
{
	struct gst_text_report *r = payload;

	if (!r->opt->all && r->shown >= MAX_LIMITS) {
		r->hidden++;
		return;
	}
	field(r, r->shown == 0 ? "Limits" : "", "- %s", line);
	r->shown++;
}

static void trace_line(const struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	uint64_t records = 0, lost = 0;
	bool is_unknown = false;
	char losses[96];

	for (uint32_t i = 0; i < r->a->input_count; i++) {
		const struct gst_load_stats *s = r->a->loads[i];

		records += s->records;
		lost += s->lost_records;
		is_unknown |= s->has_loss_of_unknown_size;
	}
	if (lost > 0) {
		snprintf(losses, sizeof(losses), "%s%s lost", is_unknown ? "more than " : "",
			 gst_count(lost).text);
	} else {
		/* Cut short, damaged, or CUPTI did not tell: that nothing was counted means nothing. */
		snprintf(losses, sizeof(losses), "%s",
			 m->is_complete && !is_unknown ? "none lost"
						       : "how many are missing is not known");
	}
	field(r, "Trace", "%s: %s records, %s", m->is_complete ? "complete" : "INCOMPLETE",
	      gst_count(records).text, losses);
}

static void duration_line(const struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	uint64_t ops = 0, untimed = 0;
	char submitted[128] = "";

	for (uint32_t i = 0; i < m->op_count; i++) {
		const struct gst_op *op = &m->ops[i];

		ops += (op->flags & GST_OP_TIMED) != 0;
		untimed += !(op->flags & GST_OP_TIMED) && op->stream != GST_NONE &&
			   !gst_describe_has_times(m, m->streams[op->stream].process);
	}
	if (untimed) {
		snprintf(submitted, sizeof(submitted),
			 "%s operations submitted, when they ran is not recorded, ",
			 gst_count(untimed).text);
	}
	if (untimed && !ops) {
		field(r, "Duration", "%s on the host: %s%s API calls by %s thread%s",
		      gst_duration(m->end_ns - m->begin_ns).text, submitted,
		      gst_count(m->call_count).text, gst_count(m->thread_count).text,
		      m->thread_count == 1 ? "" : "s");
		return;
	}
	field(r, "Duration", "%s: %s operations on devices, %s%s API calls by %s thread%s",
	      gst_duration(m->end_ns - m->begin_ns).text, gst_count(ops).text, submitted,
	      gst_count(m->call_count).text, gst_count(m->thread_count).text,
	      m->thread_count == 1 ? "" : "s");
}

static void nvtx_line(const struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	const struct gst_model_stats *s = &m->stats;
	char names[64] = "", open[64] = "";
	uint32_t used = 0;

	for (uint32_t i = 0; i < m->given_name_count; i++) {
		used += m->given_names[i].target != GST_NONE;
	}
	if (s->nvtx_ranges == 0 && s->nvtx_marks == 0 && used == 0) {
		return;
	}
	if (used > 0) {
		snprintf(names, sizeof(names), ", %s name%s of threads and streams",
			 gst_count(used).text, used == 1 ? "" : "s");
	}
	if (s->nvtx_open_ranges > 0) {
		snprintf(open, sizeof(open), " (%s not ended)",
			 gst_count(s->nvtx_open_ranges).text);
	}
	field(r, "NVTX", "%s range%s%s, %s mark%s%s", gst_count(s->nvtx_ranges).text,
	      s->nvtx_ranges == 1 ? "" : "s", open, gst_count(s->nvtx_marks).text,
	      s->nvtx_marks == 1 ? "" : "s", names);
}

/* "2 launches", if there are any. */
static void add_count(char *text, size_t size, uint64_t n, const char *one, const char *many)
{
	size_t used = strlen(text);

	if (n > 0) {
		snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", gst_count(n).text,
			 n == 1 ? one : many);
	}
}

static void graphs_line(const struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	struct gst_arena *scratch = gst_arena_new(0);
	const struct gst_graph_use *use = gst_graph_use_count(m, scratch);
	uint64_t launches = 0, uploads = 0, changes = 0, whole = 0, nodes = 0;
	char text[256] = "";

	for (uint32_t i = 0; i < m->exec_count; i++) {
		launches += m->execs[i].launches;
		uploads += m->execs[i].uploads;
		changes += (uint64_t)m->execs[i].updates + m->execs[i].node_changes;
		whole += use[i].whole_runs;
		nodes += use[i].node_runs;
	}
	gst_arena_free(scratch);
	if (m->exec_count == 0) {
		return;
	}
	add_count(text, sizeof(text), m->exec_count, "executable graph", "executable graphs");
	add_count(text, sizeof(text), launches, "launch", "launches");
	add_count(text, sizeof(text), uploads, "upload", "uploads");
	add_count(text, sizeof(text), changes, "update", "updates");
	add_count(text, sizeof(text), nodes, "node traced by itself", "nodes traced one by one");
	if (nodes == 0 && whole > 0) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 ", traced as a whole (record --graphs=nodes has the nodes' times)");
	}
	field(r, "Graphs", "%s", text);
}

/* What is below the floor of a finding. */
void gst_text_hidden_text(const struct gst_text_report *r, char *text, size_t size)
{
	const struct gst_findings *f = r->a->findings;
	size_t used;

	snprintf(text, size, "%s smaller not shown%s", gst_count(f->hidden_count).text,
		 r->opt->all || f->skipped_count ? "" : ": --all shows them");
	used = strlen(text);
	if (f->hidden_blocked_ns > 0) {
		snprintf(text + used, size - used, ", %s waited in all",
			 gst_duration(f->hidden_blocked_ns).text);
		used = strlen(text);
	}
	if (f->skipped_count > 0) {
		snprintf(text + used, size - used, "; the cost of %s of them is not known",
			 gst_count(f->skipped_count).text);
	}
}

static void findings_line(const struct gst_text_report *r)
{
	const struct gst_findings *f = r->a->findings;
	uint64_t whole = r->a->model->end_ns - r->a->model->begin_ns;
	uint32_t counts[4] = {0};
	char text[160] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < f->count; i++) {
		counts[f->items[i].severity]++;
	}
	for (int s = GST_SEVERITY_HIGH; s >= GST_SEVERITY_INFO; s--) {
		if (counts[s] > 0) {
			int n = snprintf(text + used, sizeof(text) - used, "%s%" PRIu32 " %s",
					 used ? ", " : "", counts[s],
					 gst_severity_name((enum gst_severity)s));

			used += n > 0 && (size_t)n < sizeof(text) - used ? (size_t)n : 0;
		}
	}
	if (f->count == 0 && f->hidden_count > 0) {
		gst_text_hidden_text(r, text, sizeof(text));
		field(r, "Findings", "none (%s)", text);
	} else if (f->count == 0) {
		field(r, "Findings", "%s",
		      gst_describe_has_times(r->a->model, GST_NONE)
			      ? "none"
			      : "none of those that need no device times");
	} else if (f->items[0].cost_is_known && f->items[0].cost_ns > 0) {
		field(r, "Findings", "%s; the first could save %s of %s (%s)", text,
		      gst_duration(f->items[0].cost_ns).text, gst_duration(whole).text,
		      gst_share(f->items[0].cost_ns, whole).text);
	} else if (f->items[0].cost_is_bound) {
		field(r, "Findings", "%s; the first could save at most %s of %s (%s)", text,
		      gst_duration(f->items[0].cost_high_ns).text, gst_duration(whole).text,
		      gst_share(f->items[0].cost_high_ns, whole).text);
	} else {
		field(r, "Findings", "%s", text);
	}
}

void gst_text_header(struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	uint32_t count = gst_text_bound(r, m->process_count, MAX_PROCESSES);

	for (uint32_t i = 0; i < count; i++) {
		process_line(r, i);
	}
	rest(r, m->process_count - count, "processes");
	device_lines(r);
	if (m->process_count > 0) {
		version_line(r);
	}
	variable_lines(r);
	duration_line(r);
	nvtx_line(r);
	graphs_line(r);
	trace_line(r);
	r->shown = r->hidden = 0;
	gst_describe_limits(r->a, limit_line, r);
	rest(r, r->hidden, "limits");
	findings_line(r);
}

/* ---- calls that never returned ----------------------------------------------------------------------- */

static void unfinished_op(struct gst_text_report *r, const char *how, gst_op_id op,
			  const char *rules)
{
	const struct gst_model *m = r->a->model;
	const struct gst_op *o = &m->ops[op];
	char label[GST_LABEL_BYTES], state[96];

	gst_model_op_label(m, op, label, sizeof(label));
	if (o->flags & GST_OP_TIMED) {
		snprintf(state, sizeof(state), "ran until %s", gst_moment(o->end_ns).text);
	} else if (o->flags & GST_OP_FORCED) {
		snprintf(state, sizeof(state), "still running when it was last looked at");
	} else {
		snprintf(state, sizeof(state), "not seen to run");
	}
	field(r, "", "%s %s in %s: %s (%s)", how, label, gst_stream_label(m, o->stream).text, state,
	      rules);
}

static void wait_line(void *payload, const struct gst_open_wait *wait)
{
	struct gst_text_report *r = payload;
	char rules[128];
	int used = 0;

	snprintf(rules, sizeof(rules), "%s, %s", gst_rule_id(wait->rule),
		 gst_rule_text(wait->rule));
	unfinished_op(r, r->shown++ == 0 ? "waits for" : "      and", wait->op, rules);
	if (wait->behind == GST_NONE) {
		return;
	}
	for (uint32_t i = 0; i < wait->rule_count; i++) {
		/* ids of a few letters: they all fit */
		used += snprintf(rules + used, sizeof(rules) - (size_t)used, "%s%s", i ? ", " : "",
				 gst_rule_id(wait->rules[i]));
	}
	unfinished_op(r, "          behind", wait->behind, rules);
}

/* The last moment of which the trace of @process tells: its clock was looked at after the last call, too. */
static uint64_t known_until_ns(const struct gst_model *m, uint32_t process)
{
	uint64_t until = m->end_ns;

	for (uint32_t i = 0; i < m->loss_count; i++) {
		const struct gst_loss *l = &m->losses[i];

		if (l->process == process && l->reason == GST_LOSS_ENDED_EARLY &&
		    l->since_ns > until) {
			until = l->since_ns - 1;
		}
	}
	return until;
}

void gst_text_open_calls(struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	uint32_t count = 0, listed;

	if (m->stats.calls_without_return == 0 || gst_analysis_is_window(r->a)) {
		return;
	}
	gst_outfile_printf(r->out, "\nCALLS THAT NEVER RETURNED\n");
	listed = gst_text_bound(r, UINT32_MAX, MAX_OPEN_CALLS);
	for (uint32_t i = 0; i < m->call_count; i++) {
		const struct gst_call *c = &m->calls[i];
		const struct gst_thread *t;
		uint64_t until;
		uint32_t waits;

		if (c->flags & (GST_CALL_RETURNED | GST_CALL_NO_ENTER)) {
			continue;
		}
		if (count++ >= listed) {
			continue;
		}
		t = &m->threads[c->thread];
		until = known_until_ns(m, t->process);
		field(r, "", "%s, thread %" PRIu64 ", entered at %s, %s before the trace ends",
		      gst_api_label(c->api).text, t->tid, gst_moment(c->enter_ns).text,
		      gst_duration(until > c->enter_ns ? until - c->enter_ns : 0).text);
		r->shown = 0;
		waits = gst_describe_waits(r->a, i, gst_text_bound(r, UINT32_MAX, MAX_WAITS),
					   wait_line, r);
		if (waits == 0) {
			field(r, "", "what it waits for is not in the trace");
		} else {
			rest(r, waits - r->shown, "operations");
		}
	}
	rest(r, count > listed ? count - listed : 0, "calls");
}

/* ---- streams ----------------------------------------------------------------------------------------- */

/* Two columns: how long something ran, and its share of the trace. */
static void busy_cells(const struct gst_text_report *r, uint32_t process, uint64_t busy_ns)
{
	const struct gst_model *m = r->a->model;

	if (gst_describe_has_times(m, process)) {
		gst_text_right(r->out, gst_duration(busy_ns).text, 13);
		gst_text_right(r->out, gst_share(busy_ns, m->end_ns - m->begin_ns).text, 9);
	} else {
		gst_text_right(r->out, "not known", 13);
		gst_text_right(r->out, "-", 9);
	}
}

static void stream_line(const struct gst_text_report *r, uint32_t s)
{
	static const char *const kinds[] = {
		[GST_STREAM_KIND_BLOCKING] = "blocking",
		[GST_STREAM_KIND_NONBLOCKING] = "non-blocking",
		[GST_STREAM_KIND_LEGACY] = "legacy default",
		[GST_STREAM_KIND_PER_THREAD] = "per-thread default",
		[GST_STREAM_KIND_UNKNOWN] = "not known",
	};
	const struct gst_model *m = r->a->model;
	const struct gst_stream *stream = &m->streams[s];
	char priority[16];

	snprintf(priority, sizeof(priority), "%" PRId32, stream->priority);
	gst_outfile_puts(r->out, "  ");
	gst_text_cell(r->out, gst_stream_label(m, s).text, 26, true);
	gst_outfile_puts(r->out, "  ");
	gst_text_cell(r->out, stream->is_internal ? "CUDA's own" : kinds[stream->kind], 18, true);
	gst_text_right(r->out, priority, 9);
	gst_text_right(r->out, gst_count(stream->op_count).text, 12);
	busy_cells(r, stream->process, stream->busy_ns);
	gst_outfile_puts(r->out, "\n");
}

static void context_title(const struct gst_text_report *r, uint32_t ctx)
{
	const struct gst_model *m = r->a->model;

	gst_outfile_puts(r->out, "\nSTREAMS");
	if (ctx != GST_NONE) {
		const struct gst_context *c = &m->contexts[ctx];

		if (c->device != GST_NONE) {
			gst_outfile_printf(r->out, " of device %" PRIu32,
					   m->devices[c->device].cupti_id);
		}
		gst_outfile_printf(r->out, ", context %" PRIu32, c->cupti_id);
		if (m->process_count > 1) {
			gst_outfile_printf(r->out, ", pid %" PRIu32,
					   m->processes[c->process].rec.pid);
		}
	} else if (m->context_count > 0) {
		gst_outfile_puts(r->out, " of unknown context");
	}
	gst_outfile_printf(r->out, "\n  %-26s  %-18s%9s%12s%13s%9s\n", "stream", "kind", "priority",
			   "operations", "busy", "of trace");
}

/* The streams that did something, by context, the busiest of each first. */
static struct gst_sort_item *sorted_streams(const struct gst_model *m, uint32_t *count)
{
	struct gst_sort_item *items = gst_mem_alloc(m->stream_count * sizeof(*items));

	*count = 0;
	for (uint32_t s = 0; s < m->stream_count; s++) {
		const struct gst_stream *stream = &m->streams[s];

		if (stream->op_count > 0 || stream->busy_ns > 0) {
			items[(*count)++] = (struct gst_sort_item){
				.key = UINT64_MAX - stream->busy_ns, .value = s};
		}
	}
	gst_sort_items(items, *count);
	for (uint32_t i = 0; i < *count; i++) {
		items[i].key = m->streams[items[i].value].ctx; /* the sort is stable */
	}
	gst_sort_items(items, *count);
	return items;
}

/* ---- graphs ------------------------------------------------------------------------------------------ */

static void graph_line(const struct gst_text_report *r, const struct gst_exec *e,
		       const struct gst_graph_use *use)
{
	const struct gst_model *m = r->a->model;
	const struct gst_graph *g = e->graph == GST_NONE ? NULL : &m->graphs[e->graph];
	char name[48] = "not known", nodes[24] = "?", made[32] = "before the trace";
	uint64_t ns;

	if (g) {
		snprintf(name, sizeof(name), "graph %" PRIu32, g->cupti_id);
	}
	if (g && g->own_count > 0) {
		snprintf(nodes, sizeof(nodes), "%" PRIu32, g->own_count);
	}
	if (gst_graph_make_ns(m, e, &ns)) {
		snprintf(made, sizeof(made), "%s", gst_duration(ns).text);
	}
	gst_outfile_puts(r->out, "  ");
	gst_text_cell(r->out, name, 20, true);
	gst_text_right(r->out, nodes, 7);
	gst_text_right(r->out, made, 18);
	gst_text_right(r->out, gst_count(e->launches).text, 11);
	gst_text_right(r->out, gst_count((uint64_t)e->updates + e->node_changes).text, 9);
	busy_cells(r, e->process, use->busy_ns);
	gst_outfile_puts(r->out, "\n");
}

/* Executable graphs, those first that ran longest. */
void gst_text_graphs(const struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	uint32_t listed = gst_text_bound(r, m->exec_count, MAX_GRAPHS);
	struct gst_arena *scratch = gst_arena_new(0);
	const struct gst_graph_use *use = gst_graph_use_count(m, scratch);
	struct gst_sort_item *items = GST_ARENA_ARRAY(scratch, struct gst_sort_item, m->exec_count);

	for (uint32_t i = 0; i < m->exec_count; i++) {
		items[i] = (struct gst_sort_item){.key = UINT64_MAX - use[i].busy_ns, .value = i};
	}
	gst_sort_items(items, m->exec_count);
	if (m->exec_count > 0) {
		gst_outfile_printf(r->out, "\nGRAPHS\n  %-20s%7s%18s%11s%9s%13s%9s\n",
				   "executable graph", "nodes", "instantiated in", "launches",
				   "updates", "busy", "of trace");
	}
	for (uint32_t i = 0; i < listed; i++) {
		graph_line(r, &m->execs[items[i].value], &use[items[i].value]);
	}
	if (m->exec_count > listed) {
		gst_outfile_printf(r->out, "  ... and %" PRIu32 " less busy (--all shows them)\n",
				   m->exec_count - listed);
	}
	gst_arena_free(scratch);
}

void gst_text_streams(const struct gst_text_report *r)
{
	const struct gst_model *m = r->a->model;
	uint32_t count, contexts = 0, in_context = 0;
	struct gst_sort_item *items;

	if (m->stream_count == 0) {
		return;
	}
	items = sorted_streams(m, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t ctx = m->streams[items[i].value].ctx;

		if (i == 0 || items[i - 1].key != items[i].key) {
			if (contexts++ == gst_text_bound(r, UINT32_MAX, MAX_DEVICES)) {
				gst_outfile_puts(
					r->out,
					"\n  more contexts are not shown (--all shows them)\n");
				break;
			}
			context_title(r, ctx);
			in_context = 0;
		}
		if (in_context++ < gst_text_bound(r, UINT32_MAX, MAX_STREAMS)) {
			stream_line(r, items[i].value);
		}
		if ((i + 1 == count || items[i + 1].key != items[i].key) &&
		    in_context > gst_text_bound(r, UINT32_MAX, MAX_STREAMS)) {
			gst_outfile_printf(r->out,
					   "  ... and %" PRIu32 " less busy (--all shows them)\n",
					   in_context - MAX_STREAMS);
		}
	}
	gst_mem_free(items, m->stream_count * sizeof(*items));
}
