/*
 * cmd_analyze.c - gstrace analyze: the report.
 *
 * Role      : options, and what the findings mean for the exit status.
 * Not here  : the pipeline (analysis.c), the words (export/).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/vec.h"
#include "analyzer/cli/analysis.h"

enum { OPT_FORMAT = 256, OPT_ALL, OPT_EXPLAIN, OPT_ONLY, OPT_SKIP, OPT_FAIL_ON, OPT_STRICT };

struct id_list {
	GST_VEC(const char *) ids;
};

struct analyze {
	struct gst_cli_inputs in;
	struct gst_text_options text;
	struct id_list only, skip;
	const char *output;
	bool is_json, is_strict;
	int fail_on; /* enum gst_severity, -1 = never */
};

/* "a,b,c" is cut into its parts where it stands, on the command line. */
static void add_ids(struct id_list *list, const char *value)
{
	char *rest = (char *)(uintptr_t)value, *id;

	while ((id = strsep(&rest, ","))) {
		if (*id) {
			gst_vec_push(&list->ids, id);
		}
	}
}

static int fail_level(struct gst_opt *opt, const char *value)
{
	static const char *const names[] = {"info", "low", "medium", "high", NULL};

	return gst_opt_choice(opt, "fail-on", value, names);
}

/* GST_EXIT_OK to go on, otherwise what to return. */
static int take_option(struct gst_opt *opt, struct analyze *z, int id, const char *value)
{
	static const char *const formats[] = {"text", "json", NULL};
	uint64_t number;
	bool is_wrong;
	int choice;

	switch (id) {
	case 'o':
		z->output = value;
		break;
	case OPT_FORMAT:
		choice = gst_opt_choice(opt, "format", value, formats);
		if (choice < 0) {
			return opt->status;
		}
		z->is_json = choice == 1;
		break;
	case OPT_ALL:
		z->text.all = z->in.checks.all = true;
		break;
	case OPT_EXPLAIN:
		if (!gst_opt_number(opt, "explain", value, 1, UINT32_MAX - 1, false, &number)) {
			return opt->status;
		}
		z->text.explain = (uint32_t)number;
		break;
	case OPT_ONLY:
		add_ids(&z->only, value);
		break;
	case OPT_SKIP:
		add_ids(&z->skip, value);
		break;
	case OPT_FAIL_ON:
		z->fail_on = fail_level(opt, value);
		if (z->fail_on < 0) {
			return opt->status;
		}
		break;
	case OPT_STRICT:
		z->is_strict = true;
		break;
	default:
		if (gst_cli_input_option(opt, &z->in, id, value, &is_wrong) && is_wrong) {
			return opt->status;
		}
		break;
	}
	return GST_EXIT_OK;
}

/* A name that is no check must be told before hours of work. */
static int check_ids(struct gst_opt *opt, const char *option, const struct id_list *list)
{
	uint32_t count;
	const char *const *known = gst_check_ids(&count);

	for (size_t i = 0; i < list->ids.count; i++) {
		bool is_known = false;

		for (uint32_t k = 0; k < count; k++) {
			is_known |= strcmp(list->ids.data[i], known[k]) == 0;
		}
		if (!is_known) {
			gst_opt_wrong_list(opt, "--%s=%s is no finding; there are:", option,
					   gst_cli_show(list->ids.data[i]));
			for (uint32_t k = 0; k < count; k++) {
				fprintf(stderr, "  %s\n", known[k]);
			}
			return gst_opt_try_help(opt);
		}
	}
	return GST_EXIT_OK;
}

static int verdict(const struct analyze *z, const struct gst_analysis *a)
{
	if (z->is_strict && !a->model->is_complete) {
		gst_cli_error("the trace is incomplete (--strict)");
		return GST_EXIT_INCOMPLETE;
	}
	for (uint32_t i = 0; z->fail_on >= 0 && i < a->findings->count; i++) {
		const struct gst_finding *f = &a->findings->items[i];

		/* What --all shows besides is no failure without it. */
		if (!f->is_small && (int)f->severity >= z->fail_on) {
			return GST_EXIT_FOUND;
		}
	}
	return GST_EXIT_OK;
}

static int analyze(struct gst_opt *opt, struct analyze *z)
{
	struct gst_cli_analysis x;
	struct gst_outfile *out;
	struct gst_err err = {0};
	gst_status st;
	int status = gst_cli_analyze(&z->in, GST_STAGE_FINDINGS, &x);

	if (status) {
		goto out;
	}
	if (z->text.explain > x.a.findings->count) {
		status = gst_opt_wrong(opt, "--explain=%u: the report has %u finding%s",
				       z->text.explain, x.a.findings->count,
				       x.a.findings->count == 1 ? "" : "s");
		goto out;
	}
	status = gst_cli_open_output(z->output, &out);
	if (status) {
		goto out;
	}
	st = z->is_json ? gst_export_json(&x.a, out, &err)
			: gst_export_text(&x.a, &z->text, out, &err);
	status = gst_cli_close_output(out, st, &err, GST_EXIT_OK);
	if (!status) {
		status = verdict(z, &x.a);
	}
out:
	gst_cli_analysis_release(&x);
	return status;
}

static int run_checked(struct gst_opt *opt, struct analyze *z)
{
	const char *value;
	int id, status;

	while ((id = gst_opt_next(opt, &value)) != GST_OPT_END) {
		if (id == GST_OPT_STOP) {
			return opt->status;
		}
		status = take_option(opt, z, id, value);
		if (status) {
			return status;
		}
	}
	z->in.paths = gst_opt_operands(opt, &z->in.count);
	if (z->in.count == 0) {
		return gst_opt_wrong(opt, "which trace?");
	}
	if (z->is_json && z->text.explain) {
		return gst_opt_wrong(opt, "--explain is for text: JSON has all evidence");
	}
	status = gst_cli_check_output(opt, &z->in, z->output);
	if (!status) {
		status = check_ids(opt, "only", &z->only);
	}
	if (!status) {
		status = check_ids(opt, "skip", &z->skip);
	}
	if (status) {
		return status;
	}
	if (z->only.ids.count > 0) {
		z->in.checks.only = z->only.ids.data;
		z->in.checks.only_count = (uint32_t)z->only.ids.count;
	}
	if (z->skip.ids.count > 0) {
		z->in.checks.skip = z->skip.ids.data;
		z->in.checks.skip_count = (uint32_t)z->skip.ids.count;
	}
	return analyze(opt, z);
}

static int run_analyze(struct gst_opt *opt)
{
	struct analyze z = {.in = {.to_ns = UINT64_MAX}, .fail_on = -1};
	int status;

	gst_cli_set_memory_limit(0, GST_EXIT_LIMIT);
	status = run_checked(opt, &z);
	gst_vec_free(&z.only.ids);
	gst_vec_free(&z.skip.ids);
	return status;
}

static const struct gst_option options[] = {
	{OPT_FORMAT, "format", "text|json", "for people (default) or for programs (docs/JSON.md)"},
	{'o', "output", "FILE", "write there instead of to standard output"},
	{OPT_ALL, "all", NULL,
	 "leave nothing out, however long the report gets: findings\nthat could save less than is worth a line, too"},
	{OPT_EXPLAIN, "explain", "N",
	 "finding N alone, with all evidence and each step of\nits path: operation, time, rule, source"},
	{OPT_ONLY, "only", "ID,...", "these findings alone"},
	{OPT_SKIP, "skip", "ID,...", "all findings but these"},
	{OPT_FAIL_ON, "fail-on", "SEVERITY",
	 "status 1 if a finding is at least info, low, medium or\nhigh"},
	{OPT_STRICT, "strict", NULL, "status 5 if the trace is incomplete"},
	GST_INPUT_OPTIONS,
	{0},
};

const struct gst_command gst_cmd_analyze = {
	.name = "analyze",
	.summary = "say what a trace's program serializes, what that costs, and why",
	.operands = "TRACE...",
	.description =
		"Several traces, such as those of the ranks of a job, are put on one clock and analyzed together.\n"
		"Exit status: 0; 1 if --fail-on is met; 2 wrong command line; 3 a trace cannot be read or the\n"
		"output not be written; 4 out of memory or over a limit; 5 incomplete trace with --strict.",
	.options = options,
	.examples =
		"gstrace analyze gstrace-host-4711.gst\n"
		"gstrace analyze --explain 1 app.gst\n"
		"gstrace analyze --format json -o report.json app.gst\n"
		"gstrace analyze --fail-on medium --strict app.gst || echo 'too slow, or unsure'",
	.usage_status = GST_EXIT_USAGE,
	.run = run_analyze,
};
