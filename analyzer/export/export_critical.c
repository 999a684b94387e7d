/*
 * export_critical.c - see export_critical.h.
 *
 * Role      : what people and programs read of gst_timing_critical().
 * Method    : sums, then who was waited for, then the longest stretches.
 * Invariant : the times by cause add up to the window; what is not known is among them, with its reason.
 * Not here  : the walk (timing/critical.c), slices for Perfetto (export_perfetto.c).
 */
#include "analyzer/export/export_critical.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/sort.h"
#include "analyzer/base/units.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/json_writer.h"
#include "analyzer/export/text_layout.h"
#include "tracer/format/version.h"

/* Of the tables of the text form, unless all is wanted. */
enum { MAX_ROWS = 20, MAX_LIMITS = 12 };

/* ---- words ----------------------------------------------------------------------------------------------- */

static const char *cause_words(enum gst_cause cause)
{
	switch (cause) {
	case GST_CAUSE_KERNEL:
		return "kernels ran";
	case GST_CAUSE_COPY:
		return "copies and memsets ran";
	case GST_CAUSE_GRAPH:
		return "graph launches, recorded as a whole, ran";
	case GST_CAUSE_HOST_FUNC:
		return "host functions ran";
	case GST_CAUSE_HOST_COMPUTE:
		return "a host thread was outside of CUDA";
	case GST_CAUSE_CALL:
		return "a host thread was in a CUDA call that waited for nothing";
	case GST_CAUSE_LATENCY:
		return "from the call that submits work to its begin";
	case GST_CAUSE_BARRIER:
		return "work let go by a rule had not begun yet";
	case GST_CAUSE_HOST_WAIT:
		return "a call had not returned though what it waited for was over";
	case GST_CAUSE_IDLE:
		return "nothing that is seen ran or was waited for";
	case GST_CAUSE_UNKNOWN:
	case GST_CAUSE_COUNT:
		break;
	}
	return "the trace does not tell, see below";
}

static const char *unknown_words(enum gst_unknown why)
{
	switch (why) {
	case GST_UNKNOWN_NO_TIMES:
		return "something was waited for of which it is not known when it ran";
	case GST_UNKNOWN_NO_CALL:
		return "the call that submitted the work is not in the trace";
	case GST_UNKNOWN_THREAD_START:
		return "before the first CUDA call of a thread";
	case GST_UNKNOWN_NEVER_RETURNED:
		return "a call did not return";
	case GST_UNKNOWN_NOT_RECORDED:
		return "recording was off";
	case GST_UNKNOWN_LOST:
		return "calls were lost";
	case GST_UNKNOWN_GRAPH_END:
		return "after the last node of a graph that has a record";
	case GST_UNKNOWN_NO_WAY_BACK:
		return "what released the work has no known time";
	case GST_UNKNOWN_NONE:
	case GST_UNKNOWN_COUNT:
		break;
	}
	return "";
}

/* "middle in default stream", "cuLaunchKernel" */
static struct gst_label node_words(const struct gst_analysis *a, gst_node_id node)
{
	gst_stream_id stream;
	struct gst_label l, name;

	if (node == GST_NONE) {
		l.text[0] = '\0';
		return l;
	}
	name = gst_node_label(a, node, &stream);
	if (gst_node_is_call(a->order, node)) {
		return name;
	}
	snprintf(l.text, sizeof(l.text), "%.160s in %.80s", name.text,
		 gst_stream_label(a->model, stream).text);
	return l;
}

/* " (S3, legacy default stream)" */
static struct gst_label rule_words(const struct gst_analysis *a, gst_edge_id edge)
{
	struct gst_label l = {" (the copy engine was taken)"};

	if (edge != GST_NONE) {
		enum gst_rule rule = (enum gst_rule)gst_order_edge(a->order, edge).rule;

		snprintf(l.text, sizeof(l.text), " (%s, %s)", gst_rule_id(rule),
			 gst_rule_text(rule));
	}
	return l;
}

/* The NVTX range of the call that submitted it, or that it is. */
static struct gst_label node_range(const struct gst_analysis *a, gst_node_id node)
{
	return gst_range_label(a->model, node == GST_NONE ? GST_NONE : gst_node_call(a, node));
}

static uint64_t tid_of(const struct gst_analysis *a, gst_node_id node)
{
	gst_call_id call = gst_node_call(a, node);

	return call == GST_NONE ? 0 : a->model->threads[a->model->calls[call].thread].tid;
}

void gst_segment_text(const struct gst_analysis *a, const struct gst_segment *s, char *buf,
		      size_t size)
{
	struct gst_label node = node_words(a, s->node), from = node_words(a, s->from);

	switch ((enum gst_cause)s->cause) {
	case GST_CAUSE_KERNEL:
	case GST_CAUSE_COPY:
	case GST_CAUSE_GRAPH:
	case GST_CAUSE_HOST_FUNC:
		snprintf(buf, size, "%s", node.text);
		return;
	case GST_CAUSE_HOST_COMPUTE:
		snprintf(buf, size, "thread %" PRIu64 ", from %s to %s", tid_of(a, s->node),
			 from.text, node.text);
		return;
	case GST_CAUSE_CALL:
		snprintf(buf, size, "%s, thread %" PRIu64, node.text, tid_of(a, s->node));
		return;
	case GST_CAUSE_LATENCY:
		snprintf(buf, size, "%s, until %s began", from.text, node.text);
		return;
	case GST_CAUSE_BARRIER:
		snprintf(buf, size, "%s, after %s had ended%s", node.text, from.text,
			 rule_words(a, s->edge).text);
		return;
	case GST_CAUSE_HOST_WAIT:
		snprintf(buf, size, "%s returned after %s%s%s", node.text, from.text,
			 gst_node_is_call(a->order, s->from) ? " was made" : " had ended",
			 rule_words(a, s->edge).text);
		return;
	case GST_CAUSE_IDLE:
		if (s->node == GST_NONE) {
			snprintf(buf, size, "after the last thing that ended");
		} else {
			snprintf(buf, size, "before %s, after %s", node.text, from.text);
		}
		return;
	case GST_CAUSE_UNKNOWN:
	case GST_CAUSE_COUNT:
		break;
	}
	snprintf(buf, size, "%s%s%s", unknown_words((enum gst_unknown)s->unknown),
		 node.text[0] ? ": " : "", node.text);
}

/* ---- which stretches ------------------------------------------------------------------------------------- */

/* Indices of the longest @top segments (or all), the longest first. From mem.h: @count of them. */
static struct gst_sort_item *longest(const struct gst_critical *c, uint32_t top, uint32_t *count)
{
	struct gst_sort_item *items = gst_mem_alloc(c->segment_count * sizeof(*items));

	for (uint32_t i = 0; i < c->segment_count; i++) {
		const struct gst_segment *s = &c->segments[i];

		items[i] = (struct gst_sort_item){.key = UINT64_MAX - (s->end_ns - s->begin_ns),
						  .value = i};
	}
	gst_sort_items(items, c->segment_count);
	*count = top < c->segment_count ? top : c->segment_count;
	return items;
}

/* ---- text ------------------------------------------------------------------------------------------------ */

struct page {
	const struct gst_analysis *a;
	const struct gst_critical *c;
	const struct gst_critical_options *opt;
	struct gst_outfile *out;
	uint64_t whole;
	uint32_t limits;
};

static void limit_line(void *payload, const char *line)
{
	struct page *p = payload;

	p->limits++;
	if (p->opt->all || p->limits <= MAX_LIMITS) {
		char text[800];

		snprintf(text, sizeof(text), "- %s", line);
		gst_text_field(p->out, 0, 11, p->limits == 1 ? "Limits" : "", text);
	}
}

static void head(struct page *p)
{
	const struct gst_model *m = p->a->model;
	char text[2 * GST_LABEL_BYTES];

	if (p->c->process != GST_NONE) {
		snprintf(text, sizeof(text), "%s (pid %" PRIu32 ")%s",
			 gst_process_label(m, p->c->process).text,
			 m->processes[p->c->process].rec.pid,
			 m->process_count > 1 ? "; what other processes did is not on its path"
					      : "");
		gst_text_field(p->out, 0, 11, "Program", text);
	}
	snprintf(text, sizeof(text),
		 "%s of the recorded run, with what recording cost it; %s stretch%s",
		 gst_duration(p->whole).text, gst_count(p->c->segment_count).text,
		 p->c->segment_count == 1 ? "" : "es");
	gst_text_field(p->out, 0, 11, "Path", text);
	gst_text_field(p->out, 0, 11, "Trace", m->is_complete ? "complete" : "INCOMPLETE");
	gst_describe_limits(p->a, limit_line, p);
	if (!p->opt->all && p->limits > MAX_LIMITS) {
		gst_outfile_printf(p->out,
				   "           ... and %" PRIu32 " more (--all shows them)\n",
				   p->limits - MAX_LIMITS);
	}
}

static void sum_line(const struct page *p, size_t indent, const char *name, uint64_t ns,
		     const char *words)
{
	gst_outfile_printf(p->out, "%*s", (int)indent, "");
	gst_text_cell(p->out, name, 17, true);
	gst_text_right(p->out, gst_duration(ns).text, 11);
	gst_text_right(p->out, gst_share(ns, p->whole).text, 9);
	gst_outfile_printf(p->out, "%s%s\n", words[0] ? "  " : "", words);
}

static void causes(const struct page *p)
{
	gst_outfile_puts(p->out, "\nTIME BY CAUSE\n");
	for (int i = 0; i < GST_CAUSE_COUNT; i++) {
		if (p->c->cause_ns[i] > 0) {
			sum_line(p, 2, gst_cause_name((enum gst_cause)i), p->c->cause_ns[i],
				 cause_words((enum gst_cause)i));
		}
	}
	for (int i = GST_UNKNOWN_NONE + 1; i < GST_UNKNOWN_COUNT; i++) {
		if (p->c->unknown_ns[i] > 0) {
			sum_line(p, 4, gst_unknown_name((enum gst_unknown)i), p->c->unknown_ns[i],
				 unknown_words((enum gst_unknown)i));
		}
	}
	sum_line(p, 2, "total", p->whole, "");
}

static void rest(const struct page *p, uint32_t hidden)
{
	if (hidden > 0) {
		gst_outfile_printf(p->out, "  ... and %s more (--all shows them)\n",
				   gst_count(hidden).text);
	}
}

static void streams(const struct page *p)
{
	uint32_t count = p->c->stream_count;

	if (count == 0) {
		return;
	}
	gst_outfile_puts(p->out, "\nWORK ON THE PATH\n"
				 "  stream                            ran  of path  operations\n");
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_blamed_stream *s = &p->c->streams[i];

		if (!p->opt->all && i == MAX_ROWS) {
			rest(p, count - i);
			break;
		}
		gst_outfile_puts(p->out, "  ");
		gst_text_cell(p->out, gst_stream_label(p->a->model, s->stream).text, 26, true);
		gst_text_right(p->out, gst_duration(s->run_ns).text, 11);
		gst_text_right(p->out, gst_share(s->run_ns, p->whole).text, 9);
		gst_text_right(p->out, gst_count(s->ops).text, 12);
		gst_outfile_puts(p->out, "\n");
	}
}

static void ranges(const struct page *p)
{
	uint32_t count = p->c->range_count;

	if (count == 0) {
		return;
	}
	gst_outfile_puts(p->out, "\nTIME BY NVTX RANGE, the innermost one of the call behind it\n");
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_blamed_range *r = &p->c->ranges[i];

		if (!p->opt->all && i == MAX_ROWS) {
			rest(p, count - i);
			break;
		}
		gst_text_right(p->out, gst_duration(r->ns).text, 13);
		gst_text_right(p->out, gst_share(r->ns, p->whole).text, 9);
		gst_outfile_puts(p->out, "  ");
		if (r->name) {
			gst_text_cell(p->out, gst_string_label(p->a->model, r->name).text, 74,
				      false);
		} else {
			gst_outfile_puts(p->out, "(in none, or between two)");
		}
		gst_outfile_puts(p->out, "\n");
	}
}

static void wait_line(const struct page *p, const struct gst_blame *b)
{
	const struct gst_segment *s = &p->c->segments[b->example];
	char text[5 * GST_LABEL_BYTES];
	struct gst_label waiter;

	if (b->is_host) {
		waiter = gst_api_label(b->waiter);
	} else {
		snprintf(waiter.text, sizeof(waiter.text), "work in %.200s",
			 gst_stream_label(p->a->model, b->waiter).text);
	}
	gst_text_right(p->out, b->unheld == b->count ? "?" : gst_duration(b->held_ns).text, 13);
	gst_text_right(p->out, gst_duration(b->gap_ns).text, 11);
	gst_text_right(p->out, gst_count(b->count).text, 9);
	snprintf(text, sizeof(text), "%s waited for %s%s", waiter.text,
		 node_words(p->a, s->from).text, rule_words(p->a, s->edge).text);
	gst_outfile_puts(p->out, "  ");
	gst_text_cell(p->out, text, 96, false);
	gst_outfile_puts(p->out, "\n");
}

static void waits(const struct page *p, bool is_host)
{
	uint32_t shown = 0, hidden = 0;

	for (uint32_t i = 0; i < p->c->blame_count; i++) {
		if (p->c->blames[i].is_host != is_host) {
			continue;
		}
		if (!p->opt->all && shown == MAX_ROWS) {
			hidden++;
			continue;
		}
		if (shown++ == 0) {
			gst_outfile_printf(p->out,
					   "\n%s ON THE PATH, and for whom\n"
					   "         held      after    times  the longest\n",
					   is_host ? "WAITS OF THE HOST" : "WAITS OF WORK");
		}
		wait_line(p, &p->c->blames[i]);
	}
	rest(p, hidden);
}

static void segment_line(const struct page *p, const struct gst_segment *s)
{
	char text[5 * GST_LABEL_BYTES], range[GST_LABEL_BYTES + 16] = "";
	struct gst_label name = node_range(p->a, s->node);

	gst_segment_text(p->a, s, text, sizeof(text));
	/* Between two ranges it is not known where. */
	if (name.text[0] && (s->cause != GST_CAUSE_HOST_COMPUTE ||
			     strcmp(node_range(p->a, s->from).text, name.text) == 0)) {
		snprintf(range, sizeof(range), ", in range %s", name.text);
	}
	gst_text_right(p->out, gst_moment(s->begin_ns).text, 18);
	gst_text_right(p->out, gst_duration(s->end_ns - s->begin_ns).text, 11);
	gst_outfile_puts(p->out, "  ");
	gst_text_cell(p->out, gst_cause_name((enum gst_cause)s->cause), 15, true);
	gst_text_cell2(p->out, text, range, 96, false);
	gst_outfile_puts(p->out, "\n");
}

static void stretches(const struct page *p)
{
	uint32_t count = 0;
	struct gst_sort_item *items;

	if (p->c->segment_count == 0) {
		return;
	}
	gst_outfile_printf(p->out, "\n%s\n                at      lasts  cause          what\n",
			   p->opt->all ? "THE PATH" : "THE LONGEST STRETCHES");
	if (p->opt->all) {
		for (uint32_t i = 0; i < p->c->segment_count; i++) {
			segment_line(p, &p->c->segments[i]);
		}
		return;
	}
	items = longest(p->c, p->opt->top, &count);
	for (uint32_t i = 0; i < count; i++) {
		segment_line(p, &p->c->segments[items[i].value]);
	}
	rest(p, p->c->segment_count - count);
	gst_mem_free(items, p->c->segment_count * sizeof(*items));
}

gst_status gst_export_critical_text(const struct gst_analysis *a, const struct gst_critical *c,
				    const struct gst_critical_options *opt, struct gst_outfile *out,
				    struct gst_err *err)
{
	struct page p = {a, c, opt, out, c->end_ns - c->begin_ns, 0};

	(void)err; /* write errors stick to @out */
	head(&p);
	causes(&p);
	streams(&p);
	ranges(&p);
	waits(&p, false);
	waits(&p, true);
	stretches(&p);
	return GST_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

static void key_uint(struct gst_json *j, const char *key, uint64_t value)
{
	gst_json_key(j, key);
	gst_json_uint(j, value);
}

static void key_string(struct gst_json *j, const char *key, const char *value)
{
	gst_json_key(j, key);
	gst_json_string(j, value);
}

/* null for @value == @none. */
static void key_or_null(struct gst_json *j, const char *key, uint64_t value, uint64_t none)
{
	gst_json_key(j, key);
	if (value == none) {
		gst_json_null(j);
	} else {
		gst_json_uint(j, value);
	}
}

static void key_node(struct gst_json *j, const struct gst_analysis *a, const char *key,
		     gst_node_id node)
{
	gst_stream_id stream;
	struct gst_label label;

	gst_json_key(j, key);
	if (node == GST_NONE) {
		gst_json_null(j);
		return;
	}
	label = gst_node_label(a, node, &stream);
	gst_json_begin_object(j);
	if (gst_node_is_op(a->order, node)) {
		key_uint(j, "op", node);
	} else if (gst_node_is_call(a->order, node)) {
		key_uint(j, "call", node - a->model->op_count);
	} else {
		key_uint(j, "barrier", node);
	}
	key_string(j, "name", label.text);
	key_or_null(j, "stream", stream, GST_NONE);
	if (node_range(a, node).text[0]) {
		key_string(j, "nvtx_range", node_range(a, node).text);
	}
	gst_json_end_object(j);
}

static void key_rule(struct gst_json *j, uint32_t rule)
{
	key_string(j, "rule", rule < GST_RULE_COUNT ? gst_rule_id((enum gst_rule)rule) : NULL);
	key_string(j, "rule_text",
		   rule < GST_RULE_COUNT ? gst_rule_text((enum gst_rule)rule) : NULL);
}

static void segment_object(struct gst_json *j, const struct gst_analysis *a,
			   const struct gst_segment *s)
{
	gst_json_begin_object(j);
	key_uint(j, "begin_ns", s->begin_ns);
	key_uint(j, "end_ns", s->end_ns);
	key_string(j, "cause", gst_cause_name((enum gst_cause)s->cause));
	key_string(j, "unknown",
		   s->unknown ? gst_unknown_name((enum gst_unknown)s->unknown) : NULL);
	key_node(j, a, "node", s->node);
	key_node(j, a, "from", s->from);
	key_rule(j, s->edge == GST_NONE ? GST_RULE_COUNT : gst_order_edge(a->order, s->edge).rule);
	key_or_null(j, "held_ns", s->held_ns, UINT64_MAX);
	gst_json_end_object(j);
}

static void sums_json(struct gst_json *j, const struct gst_critical *c)
{
	gst_json_key(j, "causes");
	gst_json_begin_object(j);
	for (int i = 0; i < GST_CAUSE_COUNT; i++) {
		key_uint(j, gst_cause_name((enum gst_cause)i), c->cause_ns[i]);
	}
	gst_json_end_object(j);
	gst_json_key(j, "unknown");
	gst_json_begin_object(j);
	for (int i = GST_UNKNOWN_NONE + 1; i < GST_UNKNOWN_COUNT; i++) {
		key_uint(j, gst_unknown_name((enum gst_unknown)i), c->unknown_ns[i]);
	}
	gst_json_end_object(j);
}

static void blame_json(struct gst_json *j, const struct gst_analysis *a,
		       const struct gst_critical *c)
{
	gst_json_key(j, "streams");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < c->stream_count; i++) {
		gst_json_begin_object(j);
		key_or_null(j, "stream", c->streams[i].stream, GST_NONE);
		key_string(j, "name", gst_stream_label(a->model, c->streams[i].stream).text);
		key_uint(j, "run_ns", c->streams[i].run_ns);
		key_uint(j, "ops", c->streams[i].ops);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
	gst_json_key(j, "nvtx_ranges");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < c->range_count; i++) {
		gst_json_begin_object(j);
		key_string(j, "name",
			   c->ranges[i].name ? gst_string_label(a->model, c->ranges[i].name).text
					     : NULL);
		key_uint(j, "ns", c->ranges[i].ns);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
	gst_json_key(j, "waits");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < c->blame_count; i++) {
		const struct gst_blame *b = &c->blames[i];

		gst_json_begin_object(j);
		gst_json_key(j, "host");
		gst_json_bool(j, b->is_host);
		key_string(j, "api", b->is_host ? gst_api_label(b->waiter).text : NULL);
		key_or_null(j, "stream", b->is_host ? GST_NONE : b->waiter, GST_NONE);
		key_or_null(j, "waited_for_stream", b->culprit, GST_NONE);
		key_rule(j, b->rule);
		key_uint(j, "count", b->count);
		key_uint(j, "held_ns", b->held_ns);
		key_uint(j, "held_unknown", b->unheld);
		key_uint(j, "gap_ns", b->gap_ns);
		gst_json_key(j, "longest");
		segment_object(j, a, &c->segments[b->example]);
		gst_json_end_object(j);
	}
	gst_json_end_array(j);
}

static void limit_json(void *payload, const char *line)
{
	gst_json_string(payload, line);
}

static void segments_json(struct gst_json *j, const struct gst_analysis *a,
			  const struct gst_critical *c, const struct gst_critical_options *opt)
{
	uint32_t count = 0;
	struct gst_sort_item *items = longest(c, opt->all ? c->segment_count : opt->top, &count);

	/* In order of time again. */
	for (uint32_t i = 0; i < count; i++) {
		items[i].key = items[i].value;
	}
	gst_sort_items(items, count);
	key_uint(j, "segments_total", c->segment_count);
	gst_json_key(j, "segments");
	gst_json_begin_array(j);
	for (uint32_t i = 0; i < count; i++) {
		segment_object(j, a, &c->segments[items[i].value]);
	}
	gst_json_end_array(j);
	gst_mem_free(items, c->segment_count * sizeof(*items));
}

gst_status gst_export_critical_json(const struct gst_analysis *a, const struct gst_critical *c,
				    const struct gst_critical_options *opt, struct gst_outfile *out,
				    struct gst_err *err)
{
	struct gst_json j;

	(void)err; /* write errors stick to @out */
	gst_json_init(&j, out, 2);
	gst_json_begin_object(&j);
	key_uint(&j, "schema_version", 1);
	key_string(&j, "gstrace_version", GST_VERSION);
	gst_json_key(&j, "complete");
	gst_json_bool(&j, a->model->is_complete);
	gst_json_key(&j, "limits");
	gst_json_begin_array(&j);
	gst_describe_limits(a, limit_json, &j);
	gst_json_end_array(&j);
	key_uint(&j, "begin_ns", c->begin_ns);
	key_uint(&j, "end_ns", c->end_ns);
	key_or_null(&j, "process", c->process, GST_NONE);
	sums_json(&j, c);
	blame_json(&j, a, c);
	segments_json(&j, a, c, opt);
	gst_json_end_object(&j);
	gst_json_finish(&j);
	return GST_OK;
}
