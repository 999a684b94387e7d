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

static void contradiction_lines(const struct gst_analysis *a, const struct gst_verify *v,
				struct gst_outfile *out)
{
	for (uint32_t i = 0; i < v->example_count; i++) {
		const struct gst_edge e = gst_order_edge(a->order, v->examples[i].edge);
		gst_stream_id from_stream, to_stream;
		struct gst_label from = gst_node_label(a, e.from, &from_stream),
				 to = gst_node_label(a, e.to, &to_stream);
		char text[5 * GST_LABEL_BYTES];

		snprintf(
			text, sizeof(text),
			"%s: %s in %s should come before %s in %s, but the times say otherwise by %s",
			gst_rule_id((enum gst_rule)e.rule), from.text,
			gst_stream_label(a->model, from_stream).text, to.text,
			gst_stream_label(a->model, to_stream).text,
			gst_signed_duration(v->examples[i].gap_ns).text);
		gst_text_field(out, 2, 0, "", text);
	}
	if (v->contradictions > v->example_count) {
		gst_outfile_printf(out, "  ... and %s more\n",
				   gst_count(v->contradictions - v->example_count).text);
	}
}

static int verify(const struct gst_cli_inputs *in, const char *output)
{
	struct gst_cli_analysis x;
	struct gst_outfile *out;
	struct gst_verify v;
	struct gst_err err = {0};
	int status = gst_cli_analyze(in, GST_STAGE_TIMING, &x);

	if (!status) {
		status = gst_cli_open_output(output, &out);
	}
	if (!status) {
		memset(&v, 0, sizeof(v));
		gst_timing_verify(x.a.timing, x.arena, &v);
		rule_lines(&v, out);
		not_checked_line(out, v.not_checkable_untimed, "an end of it has no time");
		not_checked_line(out, v.not_checkable_forced,
				 "the record was forced out and may lack its end");
		not_checked_line(out, v.not_checkable_ambiguous,
				 "the order of the calls is not known");
		not_checked_line(out, v.not_checkable_trigger,
				 "what it waits for inside the operation is not known");
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
		status = gst_cli_close_output(out, GST_OK, &err,
					      v.contradictions ? GST_EXIT_FOUND : GST_EXIT_OK);
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
		"touch: there the rule alone decided. Exit status 1 if something contradicts a rule.",
	.options = options,
	.examples = "gstrace verify app.gst",
	.usage_status = GST_EXIT_USAGE,
	.run = run_verify,
};
