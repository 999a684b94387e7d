/*
 * export_text.c - the report people read: what is serialized, what it costs, why, what to change.
 *
 * Role      : header, what is not known, streams, findings by cost; or one finding in full (--explain).
 * Method    : everything is bounded unless opt->all: the most expensive comes first, the rest is counted.
 * Invariant : the same analysis gives the same bytes; nothing of the trace reaches the output unescaped.
 * Not here  : what comes before the findings (export_text_head.c), words for kinds and limits (describe.c), numbers
 *             (units.c), wrapping (text_layout.c).
 */
#include "analyzer/export/export_text_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/export/describe.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/path.h"
#include "analyzer/export/text_layout.h"
#include "analyzer/base/units.h"

/* ---- findings ---------------------------------------------------------------------------------------- */

/* What a node is called, and " in stream 13"; a call has no place of its own. */
static struct gst_label node_place(const struct gst_text_report *r, gst_node_id node,
				   struct gst_label *name)
{
	struct gst_label place = {""};
	gst_stream_id stream;

	*name = gst_node_label(r->a, node, &stream);
	if (stream != GST_NONE && !gst_node_is_call(r->a->order, node)) {
		snprintf(place.text, sizeof(place.text), " in %.200s",
			 gst_stream_label(r->a->model, stream).text);
	}
	return place;
}

static void node_text(const struct gst_text_report *r, gst_node_id node, char *buf, size_t size)
{
	struct gst_label name, place = node_place(r, node, &name);

	snprintf(buf, size, "%s%s", name.text, place.text);
}

/* When something happened. */
struct span {
	uint64_t begin_ns, end_ns; /* an open end: that of the trace */
	bool is_known, is_open;
};

static struct span node_span(const struct gst_text_report *r, gst_node_id node)
{
	const struct gst_model *m = r->a->model;
	struct span s = {0};

	if (gst_node_is_op(r->a->order, node)) {
		const struct gst_op *op = &m->ops[node];

		s = (struct span){.begin_ns = op->begin_ns, .end_ns = op->end_ns};
		s.is_known = op->flags & GST_OP_TIMED;
	} else if (gst_node_is_call(r->a->order, node)) {
		const struct gst_call *call = &m->calls[node - m->op_count];

		s = (struct span){.begin_ns = call->enter_ns, .end_ns = call->exit_ns};
		s.is_known = !(call->flags & GST_CALL_NO_ENTER);
		s.is_open = !(call->flags & GST_CALL_RETURNED);
	}
	if (s.is_open || s.end_ns < s.begin_ns) {
		s.end_ns = m->end_ns > s.begin_ns ? m->end_ns : s.begin_ns;
	}
	return s;
}

static void span_text(const struct span *s, char *buf, size_t size)
{
	if (!s->is_known) {
		buf[0] = '\0';
	} else if (s->is_open) {
		snprintf(buf, size, "%s, never returned", gst_moment(s->begin_ns).text);
	} else {
		snprintf(buf, size, "%s for %s", gst_moment(s->begin_ns).text,
			 gst_duration(s->end_ns - s->begin_ns).text);
	}
}

/* How long after its source point the target of @e was reached; "" = not known. */
static void edge_gap(const struct gst_text_report *r, gst_edge_id e, char *buf, size_t size)
{
	uint64_t from, to;

	buf[0] = '\0';
	if (gst_timing_source_ns(r->a->timing, e, &from) && gst_edge_target_ns(r->a, e, &to)) {
		if (to >= from) {
			snprintf(buf, size, "%s later", gst_duration(to - from).text);
		} else {
			snprintf(buf, size, "%s EARLIER: the clocks disagree",
				 gst_duration(from - to).text);
		}
	}
}

enum { BAR = 20, NAME = 34 };

/* Place of @ns on a scale of BAR columns over @scale. */
static uint32_t bar_place(const struct span *scale, uint64_t ns)
{
	uint64_t whole = scale->end_ns - scale->begin_ns, part = ns - scale->begin_ns;

	while (part > UINT64_MAX / BAR) {
		part >>= 1;
		whole >>= 1;
	}
	return whole ? (uint32_t)(part * BAR / whole) : 0;
}

/* When it ran, drawn: "[    ########        ]" over the span of the whole path. */
static void bar_text(const struct span *scale, const struct span *s, char text[BAR + 3])
{
	uint32_t from = bar_place(scale, s->begin_ns), to = bar_place(scale, s->end_ns);

	/* Something short is seen as well. */
	if (from >= BAR) {
		from = BAR - 1;
	}
	if (to <= from) {
		to = from + 1;
	}
	text[0] = '[';
	for (uint32_t i = 0; i < BAR; i++) {
		text[i + 1] = i >= from && i < to ? '#' : ' ';
	}
	text[BAR + 1] = ']';
	text[BAR + 2] = '\0';
}

static struct span path_scale(const struct gst_text_report *r, const struct gst_finding *f)
{
	struct span scale = {.begin_ns = UINT64_MAX};

	for (uint32_t i = 0; i <= f->path_count; i++) {
		const struct gst_edge edge =
			gst_order_edge(r->a->order, f->path[i < f->path_count ? i : i - 1]);
		struct span s = node_span(r, i < f->path_count ? edge.from : edge.to);

		if (s.is_known) {
			scale.begin_ns = s.begin_ns < scale.begin_ns ? s.begin_ns : scale.begin_ns;
			scale.end_ns = s.end_ns > scale.end_ns ? s.end_ns : scale.end_ns;
		}
	}
	return scale;
}

static void path_node(const struct gst_text_report *r, const struct span *scale, const char *key,
		      gst_node_id node)
{
	struct gst_label name, place;
	char times[128], bar[BAR + 3];
	struct span s = node_span(r, node);

	gst_outfile_printf(r->out, "  %-*s", KEY - 2, key);
	place = node_place(r, node, &name);
	gst_text_cell2(r->out, name.text, place.text, NAME, s.is_known);
	if (s.is_known) {
		span_text(&s, times, sizeof(times));
		bar_text(scale, &s, bar);
		gst_outfile_printf(r->out, " %s %s", bar, times);
	}
	gst_outfile_puts(r->out, "\n");
}

/* Is the target of step @i a barrier point whose next edge says the same? Then the two are one step to a reader. */
static bool is_half_step(const struct gst_text_report *r, const struct gst_finding *f, uint32_t i)
{
	const struct gst_edge edge = gst_order_edge(r->a->order, f->path[i]);

	return i + 1 < f->path_count && gst_node_is_barrier(r->a->order, edge.to) &&
	       gst_order_edge(r->a->order, f->path[i + 1]).rule == edge.rule;
}

static void path_step(const struct gst_text_report *r, const struct span *scale, gst_edge_id id)
{
	const struct gst_edge edge = gst_order_edge(r->a->order, id);
	enum gst_strength strength = gst_timing_strength(r->a->timing, id);
	enum gst_rule rule = (enum gst_rule)edge.rule;
	char gap[64];

	edge_gap(r, id, gap, sizeof(gap));
	gst_outfile_printf(r->out, "  %-*s  | %s, %s%s%s%s\n", KEY - 2, "", gst_rule_id(rule),
			   gst_rule_text(rule),
			   strength == GST_DOCUMENTED ? ""
			   : strength == GST_OBSERVED ? " (observed)"
						      : " (not proved)",
			   gap[0] ? ": " : "", gap);
	path_node(r, scale, "", edge.to);
}

/* The path of a finding, the middle of a long one left out. */
static void brief_path(const struct gst_text_report *r, const struct gst_finding *f)
{
	uint32_t steps = 0, shown = 0, keep;
	struct span scale;

	if (f->path_count == 0) {
		return;
	}
	scale = path_scale(r, f);
	for (uint32_t i = 0; i < f->path_count; i++) {
		steps += !is_half_step(r, f, i);
	}
	keep = gst_text_bound(r, steps, MAX_PATH);
	path_node(r, &scale, "why", gst_order_edge(r->a->order, f->path[0]).from);
	for (uint32_t i = 0; i < f->path_count; i++) {
		if (is_half_step(r, f, i)) {
			continue;
		}
		/* Half of what is kept before the gap, half after it. */
		if (shown == keep / 2 && steps > keep) {
			gst_outfile_printf(
				r->out, "  %-*s  : %" PRIu32 " more steps (--explain shows them)\n",
				KEY - 2, "", steps - keep);
		}
		if (shown < keep / 2 || shown >= steps - (keep - keep / 2)) {
			path_step(r, &scale, f->path[i]);
		}
		shown++;
	}
}

static void cost_lines(const struct gst_text_report *r, const struct gst_finding *f)
{
	uint64_t whole = r->a->model->end_ns - r->a->model->begin_ns;

	if (!f->cost_is_known) {
		/* A finding about correctness has no cost to know. */
		if (f->blocked_ns > 0) {
			gst_text_field(r->out, 2, KEY - 2, "cost", "not known");
		}
	} else if (f->cost_is_bound) {
		gst_outfile_printf(r->out, "  %-*sat most %s of %s (%s) could be saved\n", KEY - 2,
				   "cost", gst_duration(f->cost_high_ns).text,
				   gst_duration(whole).text,
				   gst_share(f->cost_high_ns, whole).text);
	} else if (f->cost_ns > 0 || f->cost_high_ns > 0) {
		char range[96] = "";

		if (f->cost_low_ns != f->cost_high_ns) {
			snprintf(range, sizeof(range), ", at least %s, at most %s",
				 gst_duration(f->cost_low_ns).text,
				 gst_duration(f->cost_high_ns).text);
		}
		gst_outfile_printf(r->out, "  %-*s%s of %s (%s) could be saved%s\n", KEY - 2,
				   "cost", gst_duration(f->cost_ns).text, gst_duration(whole).text,
				   gst_share(f->cost_ns, whole).text, range);
	}
	if (f->blocked_ns > 0) {
		gst_outfile_printf(r->out, "  %-*s%s\n", KEY - 2, "waited",
				   gst_duration(f->blocked_ns).text);
	}
}

static void finding_title(const struct gst_text_report *r, uint32_t index)
{
	const struct gst_finding *f = &r->a->findings->items[index];
	char severity[16];
	size_t i;

	snprintf(severity, sizeof(severity), "%s", gst_severity_name(f->severity));
	for (i = 0; severity[i]; i++) {
		severity[i] =
			(char)(severity[i] >= 'a' && severity[i] <= 'z' ? severity[i] - 'a' + 'A'
									: severity[i]);
	}
	gst_outfile_printf(r->out, "%s%" PRIu32 ". %s  %s\n", r->opt->explain ? "" : "\n",
			   index + 1, severity, f->id);
	gst_text_field(r->out, 2, 0, "", f->title);
}

static void when_line(const struct gst_text_report *r, const struct gst_finding *f)
{
	char times[48] = "once", until[48] = "on";

	if (f->occurrence_count == 0 || (f->begin_ns == 0 && f->end_ns == 0)) {
		return;
	}
	if (f->occurrence_count > 1) {
		snprintf(times, sizeof(times), "%s times", gst_count(f->occurrence_count).text);
	}
	/* What has no end holds to the end of the trace. */
	if (f->end_ns <= r->a->model->end_ns) {
		snprintf(until, sizeof(until), "to %s", gst_moment(f->end_ns).text);
	}
	gst_outfile_printf(r->out, "  %-*s%s, from %s %s\n", KEY - 2, "when", times,
			   gst_moment(f->begin_ns).text, until);
}

static void finding_body(const struct gst_text_report *r, const struct gst_finding *f)
{
	cost_lines(r, f);
	when_line(r, f);
	if (f->detail && f->detail[0]) {
		gst_text_field(r->out, 2, KEY - 2, "where", f->detail);
	}
}

/* The first finding before @index that says the same; @index if there is none. Only looked for where somebody reads. */
static uint32_t said_before(const struct gst_text_report *r, uint32_t index, bool is_advice)
{
	const struct gst_finding *items = r->a->findings->items;
	const char *text = is_advice ? items[index].advice : items[index].withheld;

	for (uint32_t i = 0; i < index && i < MAX_COMPARED && !r->opt->explain; i++) {
		const char *other = is_advice ? items[i].advice : items[i].withheld;

		if (other && strcmp(other, text) == 0) {
			return i;
		}
	}
	return index;
}

static void say_once(const struct gst_text_report *r, const char *key, uint32_t index,
		     bool is_advice)
{
	const struct gst_finding *f = &r->a->findings->items[index];
	const char *text = is_advice ? f->advice : f->withheld;
	uint32_t before;

	if (!text || !text[0]) {
		return;
	}
	before = said_before(r, index, is_advice);
	if (before < index) {
		gst_outfile_printf(r->out, "  %-*sas for %" PRIu32 "\n", KEY - 2, key, before + 1);
	} else {
		gst_text_field(r->out, 2, KEY - 2, key, text);
	}
}

static void finding_end(const struct gst_text_report *r, uint32_t index)
{
	say_once(r, "change", index, true);
	say_once(r, "caution", index, false);
}

static void findings(const struct gst_text_report *r)
{
	const struct gst_findings *f = r->a->findings;
	uint32_t count = gst_text_bound(r, f->count, MAX_FINDINGS);

	if (f->count > 0) {
		gst_outfile_puts(
			r->out,
			gst_describe_has_times(r->a->model, GST_NONE)
				? "\nFINDINGS, the most expensive first\n"
				: "\nFINDINGS; what they cost on a device is not known (--mode=order)\n");
	}
	for (uint32_t i = 0; i < count; i++) {
		finding_title(r, i);
		finding_body(r, &f->items[i]);
		brief_path(r, &f->items[i]);
		finding_end(r, i);
	}
	if (count < f->count) {
		gst_outfile_printf(
			r->out, "\n%" PRIu32 " more findings that cost less (--all shows them)\n",
			f->count - count);
	}
	if (f->count > 0 && f->hidden_count > 0) {
		char text[160];

		gst_text_hidden_text(r, text, sizeof(text));
		gst_outfile_printf(r->out, "\n%s\n", text);
	}
}

/* ---- --explain --------------------------------------------------------------------------------------- */

static void explain_edge(const struct gst_text_report *r, gst_edge_id id)
{
	const struct gst_edge edge = gst_order_edge(r->a->order, id);
	enum gst_rule rule = (enum gst_rule)edge.rule;
	char gap[64];

	edge_gap(r, id, gap, sizeof(gap));
	gst_outfile_printf(r->out, "      | %s: %s%s%s\n", gst_rule_id(rule), gst_rule_text(rule),
			   gap[0] ? ", " : "", gap);
	gst_outfile_printf(r->out, "      | %s to %s, %s%s; source: %s\n",
			   edge.form == GST_BEGIN_BEGIN	  ? "begin"
			   : edge.form == GST_ENTER_BEGIN ? "enter"
			   : edge.form == GST_EXIT_ENTER  ? "exit"
							  : "end",
			   edge.form == GST_END_EXIT	 ? "exit"
			   : edge.form == GST_EXIT_ENTER ? "enter"
							 : "begin",
			   gst_name_strength(gst_timing_strength(r->a->timing, id)),
			   edge.flags & GST_EDGE_UNCHECKED ? ", not held against times" : "",
			   gst_rule_source(rule));
}

/* The end of a line about @call: in which range it was made. */
static void range_end(const struct gst_text_report *r, gst_call_id call)
{
	struct gst_label range = gst_range_label(r->a->model, call);

	if (range.text[0]) {
		gst_outfile_puts(r->out, ", in NVTX range ");
		gst_text_cell(r->out, range.text, 60, false);
	}
	gst_outfile_puts(r->out, "\n");
}

/* @with_number: the op's number, for whoever wants to ask about it. */
static void explain_node(const struct gst_text_report *r, gst_node_id node, bool with_number)
{
	const struct gst_model *m = r->a->model;
	char name[2 * GST_LABEL_BYTES + 32];
	gst_call_id call = gst_node_call(r->a, node);
	struct span s = node_span(r, node);
	size_t used = 0;

	if (with_number && gst_node_is_op(r->a->order, node)) {
		used = (size_t)snprintf(name, sizeof(name), "op %" PRIu32 ": ", node);
	}
	node_text(r, node, name + used, sizeof(name) - used);
	gst_text_field(r->out, 4, 0, "", name);
	if (s.is_open) {
		gst_outfile_printf(r->out, "      from %s, never returned\n",
				   gst_moment(s.begin_ns).text);
	} else if (s.is_known) {
		gst_outfile_printf(r->out, "      from %s to %s (%s)\n",
				   gst_moment(s.begin_ns).text, gst_moment(s.end_ns).text,
				   gst_duration(s.end_ns - s.begin_ns).text);
	}
	if (gst_node_is_op(r->a->order, node) && call != GST_NONE) {
		const struct gst_call *c = &m->calls[call];

		gst_outfile_printf(r->out, "      submitted by %s at %s, thread %" PRIu64,
				   gst_api_label(c->api).text, gst_moment(c->enter_ns).text,
				   m->threads[c->thread].tid);
		range_end(r, call);
	} else if (call != GST_NONE && gst_range_label(m, call).text[0]) {
		gst_outfile_printf(r->out, "      by thread %" PRIu64,
				   m->threads[m->calls[call].thread].tid);
		range_end(r, call);
	}
}

/* @first: where the path begins; of a node of a graph the way may go on at the end of its launch, without an edge. */
static void explain_path(const struct gst_text_report *r, gst_node_id first,
			 const gst_edge_id *edges, uint32_t count, bool with_numbers)
{
	gst_node_id at = first;

	explain_node(r, at, with_numbers);
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_edge edge = gst_order_edge(r->a->order, edges[i]);

		if (gst_node_is_op(r->a->order, at) && r->a->model->ops[at].parent == edge.from) {
			gst_outfile_puts(r->out,
					 "      | node of the launch, which ends no earlier\n");
			explain_node(r, edge.from, with_numbers);
		}
		explain_edge(r, edges[i]);
		explain_node(r, edge.to, with_numbers);
		at = edge.to;
	}
}

static void occurrence_line(const struct gst_text_report *r, const struct gst_occurrence *o)
{
	const struct gst_model *m = r->a->model;
	char label[GST_LABEL_BYTES];

	gst_outfile_puts(r->out, "  ");
	gst_text_right(r->out, gst_moment(o->begin_ns).text, 18);
	gst_text_right(r->out, gst_duration(o->blocked_ns).text, 12);
	gst_outfile_puts(r->out, "  ");
	if (o->waiter != GST_NONE) {
		gst_model_op_label(m, o->waiter, label, sizeof(label));
	} else if (o->call != GST_NONE) {
		snprintf(label, sizeof(label), "%s", gst_api_label(m->calls[o->call].api).text);
	} else {
		snprintf(label, sizeof(label), "-");
	}
	gst_text_cell(r->out, label, 30, true);
	gst_outfile_puts(r->out, "  ");
	if (o->culprit != GST_NONE) {
		gst_model_op_label(m, o->culprit, label, sizeof(label));
	} else {
		snprintf(label, sizeof(label), "-");
	}
	gst_text_cell(r->out, label, 30, false);
	gst_outfile_puts(r->out, "\n");
}

static void explain(const struct gst_text_report *r, uint32_t index)
{
	const struct gst_finding *f = &r->a->findings->items[index];
	uint32_t count = gst_text_bound(r, f->evidence_count, MAX_OCCURRENCES);

	finding_title(r, index);
	finding_body(r, f);
	finding_end(r, index);
	if (f->path_count > 0) {
		gst_outfile_printf(r->out,
				   "\n  The path of the first occurrence, %" PRIu32 " step%s:\n",
				   f->path_count, f->path_count == 1 ? "" : "s");
		explain_path(r, gst_order_edge(r->a->order, f->path[0]).from, f->path,
			     f->path_count, false);
	}
	if (count > 0) {
		gst_outfile_printf(r->out, "\n  %18s%12s  %-30s  %s\n", "at", "waited",
				   "what waited", "for what");
		for (uint32_t i = 0; i < count; i++) {
			occurrence_line(r, &f->occurrences[i]);
		}
	}
	if (f->occurrence_count > count) {
		gst_outfile_printf(r->out, "  ... and %s more%s\n",
				   gst_count(f->occurrence_count - count).text,
				   count < f->evidence_count ? " (--all shows them)" : "");
	}
}

/* ---- the answer to `gstrace path` -------------------------------------------------------------------- */

/* "middle (op 4, default stream)" */
static struct gst_label path_end(const struct gst_analysis *a, gst_op_id op)
{
	struct gst_label name, l;

	gst_model_op_label(a->model, op, name.text, sizeof(name.text));
	snprintf(l.text, sizeof(l.text), "%.120s (op %" PRIu32 ", %.80s)", name.text, op,
		 gst_stream_label(a->model, a->model->ops[op].stream).text);
	return l;
}

static void doubt_line(void *payload, const char *line)
{
	const struct gst_text_report *r = payload;

	gst_text_field(r->out, 2, 2, "-", line);
}

static void path_title(const struct gst_text_report *r, const struct gst_path_answer *p)
{
	struct gst_label first = path_end(r->a, p->from), second = path_end(r->a, p->to);
	char text[4 * GST_LABEL_BYTES];
	int64_t gap_ns = 0;

	switch (p->order) {
	case GST_PATH_FORWARD:
		snprintf(text, sizeof(text), "%s comes after %s", second.text, first.text);
		break;
	case GST_PATH_REVERSE:
		snprintf(text, sizeof(text), "%s does not come after %s: it is the other way round",
			 second.text, first.text);
		break;
	case GST_PATH_NONE:
	case GST_PATH_UNKNOWN:
		snprintf(text, sizeof(text), "no CUDA order seen between %s and %s", first.text,
			 second.text);
		break;
	}
	gst_text_field(r->out, 0, 0, "", text);
	if (p->edge_count == 0) {
		return;
	}
	snprintf(
		text, sizeof(text), "%" PRIu32 " step%s, %s", p->edge_count,
		p->edge_count == 1 ? "" : "s",
		p->strength == GST_DOCUMENTED ? "all documented by CUDA"
		: p->strength == GST_OBSERVED
			? "some of them not promised by CUDA but seen in this run"
			: "some of them possible alone: CUDA may wait there, and nothing in this run shows whether it did");
	gst_text_field(r->out, 2, 0, "", text);
	if (gst_path_gap(r->a, p, &gap_ns)) {
		gst_outfile_printf(r->out,
				   "  from the end of the first to the begin of the last: %s\n",
				   gap_ns >= 0 ? gst_duration((uint64_t)gap_ns).text
					       : gst_signed_duration(gap_ns).text);
	}
}

gst_status gst_export_path_text(const struct gst_analysis *a, const struct gst_path_answer *p,
				struct gst_outfile *out, struct gst_err *err)
{
	static const struct gst_text_options all = {.all = true};
	struct gst_text_report r = {.a = a, .opt = &all, .out = out};

	(void)err; /* write errors stick to @out */
	path_title(&r, p);
	if (p->edge_count > 0) {
		gst_outfile_puts(out, "\n");
		explain_path(&r, p->order == GST_PATH_REVERSE ? p->to : p->from, p->edges,
			     p->edge_count, true);
		return GST_OK;
	}
	gst_outfile_puts(out,
			 p->order == GST_PATH_UNKNOWN
				 ? "  there may be one, which this trace cannot show:\n"
				 : "  that is what the trace shows, and what it cannot show:\n");
	gst_path_doubts(a, p, doubt_line, &r);
	return GST_OK;
}

/* "middle (op 4, default stream)", or a call's name. */
static struct gst_label release_from(const struct gst_analysis *a, gst_node_id node)
{
	gst_stream_id stream;

	return gst_node_is_op(a->order, node) ? path_end(a, node)
					      : gst_node_label(a, node, &stream);
}

static void release_line(const struct gst_text_report *r, const struct gst_release *x)
{
	const struct gst_edge e = gst_order_edge(r->a->order, x->edge);
	enum gst_rule rule = (enum gst_rule)gst_order_edge(r->a->order, x->why).rule;
	char text[2 * GST_LABEL_BYTES], end[GST_LABEL_BYTES];

	gst_text_right(r->out, x->is_known ? gst_moment(x->at_ns).text : "not known", 18);
	gst_text_right(r->out,
		       !x->is_known	  ? "?"
		       : !x->is_in_force  ? "-"
		       : x->slack_ns == 0 ? "last"
					  : gst_duration(x->slack_ns).text,
		       12);
	snprintf(text, sizeof(text), "%s of %s",
		 e.form == GST_BEGIN_BEGIN   ? "begin"
		 : e.form == GST_ENTER_BEGIN ? "enter"
					     : "end",
		 release_from(r->a, x->from).text);
	snprintf(end, sizeof(end), ": %s, %s%s%s", gst_rule_id(rule), gst_rule_text(rule),
		 x->is_in_force ? "" : ", not seen to hold it",
		 x->is_known && !x->is_exact ? ", maybe later" : "");
	gst_outfile_puts(r->out, "  ");
	gst_text_cell2(r->out, text, end, 110, false);
	gst_outfile_puts(r->out, "\n");
}

/* "S3" or "S1, S2"; "#2 (S3)" of what released it. */
static void without_name(char *text, size_t size, const struct gst_analysis *a,
			 const struct gst_release *releases, const struct gst_path_without *w)
{
	size_t used = 0;

	*text = '\0';
	if (w->one) {
		snprintf(text, size, "#%zu (%s)", (size_t)(w->one - releases) + 1,
			 gst_rule_id((enum gst_rule)gst_order_edge(a->order, w->one->why).rule));
		return;
	}
	for (int rule = 0; rule < GST_RULE_COUNT; rule++) {
		if (w->rules >> rule & 1 && used < size) {
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 gst_rule_id((enum gst_rule)rule));
		}
	}
}

static void without_line(const struct gst_text_report *r, const struct gst_release *releases,
			 const struct gst_path_without *w)
{
	char name[GST_LABEL_BYTES];

	without_name(name, sizeof(name), r->a, releases, w);
	gst_outfile_printf(r->out, "  without %s (%s dependenc%s): ", name,
			   gst_count(w->edge_count).text, w->edge_count == 1 ? "y" : "ies");
	if (!w->is_known) {
		gst_outfile_puts(r->out, "when it ran is not known\n");
	} else if (w->earlier_ns == 0) {
		gst_outfile_puts(r->out, "it begins when it did");
	} else {
		gst_outfile_printf(r->out, "it begins %s earlier, at %s",
				   gst_duration(w->earlier_ns).text, gst_moment(w->begin_ns).text);
	}
	if (w->is_known) {
		gst_outfile_printf(r->out, "; the run ends %s%s\n",
				   w->run_earlier_ns ? gst_duration(w->run_earlier_ns).text
						     : "when it did",
				   w->run_earlier_ns ? " earlier" : "");
	}
}

gst_status gst_export_releases_text(const struct gst_analysis *a, gst_op_id op,
				    const struct gst_release *releases, uint32_t count,
				    const struct gst_path_without *without, uint32_t without_count,
				    struct gst_outfile *out, struct gst_err *err)
{
	static const struct gst_text_options all = {.all = true};
	struct gst_text_report r = {.a = a, .opt = &all, .out = out};

	(void)err; /* write errors stick to @out */
	gst_outfile_puts(out, "what this operation had to wait for:\n\n");
	explain_node(&r, op, true);
	if (count == 0) {
		gst_outfile_puts(out, "\n  nothing that is in the trace\n");
		return GST_OK;
	}
	gst_outfile_printf(out, "\n  %16s%12s  %s\n", "let go at", "slack", "by");
	for (uint32_t i = 0; i < count; i++) {
		release_line(&r, &releases[i]);
	}
	if (without_count > 0) {
		gst_outfile_puts(out,
				 "\nif all lasts as long as it did, and calls are made as soon "
				 "as they can be:\n\n");
	}
	for (uint32_t i = 0; i < without_count; i++) {
		without_line(&r, releases, &without[i]);
	}
	return GST_OK;
}

/* ---- the report -------------------------------------------------------------------------------------- */

gst_status gst_export_text(const struct gst_analysis *a, const struct gst_text_options *opt,
			   struct gst_outfile *out, struct gst_err *err)
{
	struct gst_text_report r = {.a = a, .opt = opt, .out = out};

	if (opt->explain > a->findings->count) {
		return gst_err_set(err, GST_E_FORMAT,
				   "there is no finding %" PRIu32 ": the report has %" PRIu32,
				   opt->explain, a->findings->count);
	}
	if (opt->explain > 0) {
		explain(&r, opt->explain - 1);
	} else {
		gst_text_header(&r);
		gst_text_open_calls(&r);
		gst_text_streams(&r);
		gst_text_graphs(&r);
		findings(&r);
	}
	return GST_OK;
}
