/*
 * cmd_verify.c - gstrace verify: every documented edge against the timestamps of the trace.
 *
 * Role      : shows that the ordering rules hold on a trace, or where they do not.
 * Method    : the numbers of gst_timing_verify(), a line a rule; contradictions with names and times; status 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/cli/analysis.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/text_layout.h"
#include "analyzer/base/units.h"

enum { CYCLE_LINES_MAX = 20, CLOCK_LINES_MAX = 8 };

static void rule_lines(const struct gst_verify *v, struct gst_outfile *out)
{
	gst_outfile_printf(out, "%-4s %12s %12s %12s %12s  %s\n", "rule", "edges", "checked",
			   "tight", "contradicted", "");
	for (int r = 0; r < GST_RULE_COUNT; r++) {
		const struct gst_verify_rule *rule = &v->rules[r];

		if (rule->edges == 0) {
			continue;
		}
		gst_outfile_printf(out, "%-4s %12s %12s %12s %12s  %s\n",
				   gst_rule_id((enum gst_rule)r), gst_count(rule->edges).text,
				   gst_count(rule->checked).text, gst_count(rule->tight).text,
				   gst_count(rule->contradictions).text,
				   gst_rule_text((enum gst_rule)r));
	}
}

static void not_checked_line(struct gst_outfile *out, uint64_t n, const char *why)
{
	if (n > 0) {
		gst_outfile_printf(out, "not checked: %s edges, %s\n", gst_count(n).text, why);
	}
}

static void begins_line(struct gst_outfile *out, uint64_t n)
{
	if (n > 0) {
		gst_outfile_printf(
			out,
			"begins alone compared: %s edges, what they wait for inside the operation is not known\n",
			gst_count(n).text);
	}
}

/* A rule of which no edge could have failed says nothing about this trace. */
static void untested_line(const struct gst_verify *v, struct gst_outfile *out)
{
	const char *before = "not put to the test, for no edge is tight: ";

	for (int r = 0; r < GST_RULE_COUNT; r++) {
		if (v->rules[r].edges > 0 && v->rules[r].tight == 0) {
			gst_outfile_printf(out, "%s%s", before, gst_rule_id((enum gst_rule)r));
			before = ", ";
		}
	}
	if (*before == ',') {
		gst_outfile_puts(out, "\n");
	}
}

/* What is left of the difference of the clocks of device @device, over all windows; false: nothing was seen. */
static bool offsets_of(const struct gst_verify *v, uint32_t device, struct gst_clock_window *all,
		       uint32_t *count)
{
	*count = 0;
	*all = (struct gst_clock_window){.low_ns = INT64_MIN, .high_ns = INT64_MAX};
	for (uint32_t i = 0; i < v->window_count; i++) {
		const struct gst_clock_window *w = &v->windows[i];

		if (w->device != device) {
			continue;
		}
		++*count;
		all->is_empty |= w->is_empty;
		all->low_ns = w->low_ns > all->low_ns ? w->low_ns : all->low_ns;
		all->high_ns = w->high_ns < all->high_ns ? w->high_ns : all->high_ns;
	}
	return *count > 0;
}

static struct gst_number clock_bound(int64_t ns)
{
	struct gst_number unknown = {"?"};

	return ns == INT64_MIN || ns == INT64_MAX ? unknown : gst_signed_duration(ns);
}

/* One line a device; of many, beside the first ones, only those that no one difference explains. */
static void clock_lines(const struct gst_model *m, const struct gst_verify *v,
			struct gst_outfile *out)
{
	uint32_t shown = 0, hidden = 0;

	for (uint32_t d = 0; d < m->device_count; d++) {
		struct gst_clock_window all;
		char pid[32] = "";
		uint32_t count;

		if (!offsets_of(v, d, &all, &count)) {
			continue;
		}
		if (all.low_ns <= all.high_ns && shown >= CLOCK_LINES_MAX) {
			hidden++;
			continue;
		}
		shown++;
		if (m->process_count > 1) {
			snprintf(pid, sizeof(pid), " of pid %" PRIu32,
				 m->processes[m->devices[d].process].rec.pid);
		}
		gst_outfile_printf(out, "clock of device %" PRIu32 "%s: ", m->devices[d].rec.device,
				   pid);
		if (all.is_empty) {
			gst_outfile_puts(out, "no difference from the host's explains all\n");
		} else if (all.low_ns > all.high_ns) {
			gst_outfile_printf(
				out, "its difference from the host's changes, by %s or more\n",
				gst_duration((uint64_t)all.low_ns - (uint64_t)all.high_ns).text);
		} else {
			gst_outfile_printf(
				out, "%s to %s from the host's explains all, in %s window%s\n",
				clock_bound(all.low_ns).text, clock_bound(all.high_ns).text,
				gst_count(count).text, count == 1 ? "" : "s");
		}
	}
	if (hidden > 0) {
		gst_outfile_printf(
			out,
			"... and of %s more devices, each with a difference that explains all\n",
			gst_count(hidden).text);
	}
}

/* "first in stream 13", a call, or what a barrier point stands for. */
static struct gst_label place_label(const struct gst_analysis *a, gst_node_id node)
{
	gst_stream_id stream;
	struct gst_label label = gst_node_label(a, node, &stream), out;
	struct gst_label where = gst_stream_label(a->model, stream);

	if (stream == GST_NONE) {
		return label;
	}
	/* Both are cut where the other leaves no room. */
	snprintf(out.text, sizeof(out.text), "%.160s in %.80s", label.text, where.text);
	return out;
}

static void contradiction_lines(const struct gst_analysis *a, const struct gst_verify *v,
				struct gst_outfile *out)
{
	for (uint32_t i = 0; i < v->example_count; i++) {
		const struct gst_contradiction *c = &v->examples[i];
		const struct gst_edge e = gst_order_edge(a->order, c->edge);
		char text[5 * GST_LABEL_BYTES];
		int n = snprintf(text, sizeof(text),
				 "%s: %s should come before %s, but the times say otherwise by %s",
				 gst_rule_id((enum gst_rule)e.rule), place_label(a, e.from).text,
				 place_label(a, e.to).text, gst_signed_duration(c->gap_ns).text);

		if (c->other != GST_NONE) {
			const struct gst_edge o = gst_order_edge(a->order, c->other);

			snprintf(text + n, sizeof(text) - (size_t)n,
				 " for any clock by which %s (%s) comes before %s",
				 place_label(a, o.from).text, gst_rule_id((enum gst_rule)o.rule),
				 place_label(a, o.to).text);
		}
		gst_text_field(out, 2, 0, "", text);
	}
	if (v->contradictions > v->example_count) {
		gst_outfile_printf(out, "  ... and %s more\n",
				   gst_count(v->contradictions - v->example_count).text);
	}
}

/* Things that would each have to come before the next one, and the last before the first: with the rules that say so. */
static void cycle_lines(const struct gst_analysis *a, struct gst_outfile *out)
{
	const gst_node_id *nodes;
	uint32_t count = gst_order_cycle(a->order, &nodes);

	if (count == 0) {
		return;
	}
	gst_outfile_puts(out, "inconsistent: each of these comes before the next one, and the last "
			      "before the first:\n");
	for (uint32_t i = 0; i < count && i < CYCLE_LINES_MAX; i++) {
		gst_node_id next = nodes[(i + 1) % count];
		struct gst_edges in = gst_order_in(a->order, next);
		char text[2 * GST_LABEL_BYTES];
		const char *rule = "";

		for (uint32_t k = 0; k < in.count && !*rule; k++) {
			struct gst_edge e = gst_edges_at(a->order, &in, k);

			if (e.from == nodes[i]) {
				rule = gst_rule_id((enum gst_rule)e.rule);
			}
		}
		snprintf(text, sizeof(text), "%s%s%s%s", place_label(a, nodes[i]).text,
			 *rule ? " (" : "", rule, *rule ? ")" : "");
		gst_text_field(out, 2, 0, "", text);
	}
	if (count > CYCLE_LINES_MAX) {
		gst_outfile_printf(out, "  ... and %s more\n",
				   gst_count(count - CYCLE_LINES_MAX).text);
	}
}

static int verify(const struct gst_cli_inputs *in, const char *output)
{
	struct gst_cli_analysis x;
	struct gst_outfile *out;
	struct gst_verify v;
	struct gst_err err = {0};
	const gst_node_id *nodes;
	int status = gst_cli_analyze(in, GST_STAGE_TIMING, &x);

	if (!status) {
		status = gst_cli_open_output(output, &out);
	}
	if (!status) {
		memset(&v, 0, sizeof(v));
		gst_timing_verify(x.a.timing, x.arena, &v);
		rule_lines(&v, out);
		untested_line(&v, out);
		clock_lines(x.a.model, &v, out);
		not_checked_line(out, v.not_checkable_untimed, "an end of it has no time");
		not_checked_line(out, v.not_checkable_forced,
				 "the record was forced out and may lack its end");
		not_checked_line(out, v.not_checkable_ambiguous,
				 "the order of the calls is not known");
		begins_line(out, v.begins_alone);
		not_checked_line(out, v.not_checkable_lost, "records were lost there");
		not_checked_line(
			out, v.not_checkable_device,
			"it joins two devices, and how far their clocks differ is not known");
		not_checked_line(out, v.not_checkable_clock,
				 "the wall clock stepped by more than they contradict");
		if (v.contradictions == 0) {
			gst_outfile_puts(out, "no contradiction\n");
		} else {
			gst_outfile_printf(out, "%s contradiction%s:\n",
					   gst_count(v.contradictions).text,
					   v.contradictions == 1 ? "" : "s");
			contradiction_lines(&x.a, &v, out);
		}
		cycle_lines(&x.a, out);
		status = gst_cli_close_output(out, GST_OK, &err,
					      v.contradictions || gst_order_cycle(x.a.order, &nodes)
						      ? GST_EXIT_FOUND
						      : GST_EXIT_OK);
	}
	gst_cli_analysis_release(&x);
	return status;
}

static int run_verify(struct gst_opt *opt)
{
	struct gst_cli_inputs in = {.to_ns = UINT64_MAX};
	const char *value, *output = NULL;
	bool is_wrong;
	int id;

	while ((id = gst_opt_next(opt, &value)) != GST_OPT_END) {
		if (id == GST_OPT_STOP) {
			return opt->status;
		}
		if (id == 'o') {
			output = value;
		} else if (gst_cli_input_option(opt, &in, id, value, &is_wrong) && is_wrong) {
			return opt->status;
		}
	}
	in.paths = gst_opt_operands(opt, &in.count);
	if (in.count == 0) {
		return gst_opt_wrong(opt, "which trace?");
	}
	if (gst_cli_check_output(opt, &in, output)) {
		return opt->status;
	}
	return verify(&in, output);
}

static const struct gst_option options[] = {
	{'o', "output", "FILE", "write there instead of to standard output"},
	GST_INPUT_OPTIONS,
	{0},
};

const struct gst_command gst_cmd_verify = {
	.name = "verify",
	.summary = "hold the ordering rules against the times of a trace",
	.operands = "TRACE...",
	.description =
		"Each order that CUDA documents must be seen in the timestamps. 'tight' counts edges whose two ends\n"
		"touch: there the rule alone decided. Host and device agree if one difference of their clocks explains all\n"
		"that waited for each other in a window (of a second, or longer if there were too many).\n"
		"Exit status 1 if something contradicts a rule, or operations wait for each other in a circle.",
	.options = options,
	.examples = "gstrace verify app.gst",
	.usage_status = GST_EXIT_USAGE,
	.run = run_verify,
};
