/*
 * cmd_critical.c - gstrace critical: what the end of the run hung on, with time by cause.
 *
 * Role      : answers "where did the time go" in one chain of things that waited for each other.
 * Method    : gst_timing_critical(), as text or JSON.
 */
#include <stdio.h>

#include "analyzer/cli/analysis.h"
#include "analyzer/export/export_critical.h"

enum { OPT_FORMAT = 0x100, OPT_TOP, OPT_ALL, OPT_PID };
enum { TOP_TEXT = 10, TOP_JSON = 1000 };

struct critical {
	struct gst_cli_inputs in;
	struct gst_critical_options options;
	const char *output;
	uint64_t pid;
	bool is_json, has_pid, has_top;
};

/* The process with that pid; GST_NONE after a complaint. */
static uint32_t find_process(struct gst_opt *opt, const struct gst_model *m, uint64_t pid)
{
	for (uint32_t i = 0; i < m->process_count; i++) {
		if (m->processes[i].rec.pid == pid) {
			return i;
		}
	}
	gst_opt_wrong(opt, "no process with pid %llu is in the trace", (unsigned long long)pid);
	return GST_NONE;
}

static int critical(struct gst_opt *opt, struct critical *z)
{
	struct gst_cli_analysis x;
	struct gst_critical c;
	struct gst_outfile *out;
	struct gst_err err = {0};
	uint32_t process = GST_NONE;
	gst_status st;
	int status = gst_cli_analyze(&z->in, GST_STAGE_TIMING, &x);

	if (status) {
		goto out;
	}
	if (z->has_pid) {
		process = find_process(opt, x.a.model, z->pid);
		if (process == GST_NONE) {
			status = opt->status;
			goto out;
		}
	}
	gst_timing_critical(x.a.timing, process, x.arena, &c);
	status = gst_cli_open_output(z->output, &out);
	if (status) {
		goto out;
	}
	st = z->is_json ? gst_export_critical_json(&x.a, &c, &z->options, out, &err)
			: gst_export_critical_text(&x.a, &c, &z->options, out, &err);
	status = gst_cli_close_output(out, st, &err, GST_EXIT_OK);
out:
	gst_cli_analysis_release(&x);
	return status;
}

/* GST_EXIT_OK, or the status to return. */
static int take_option(struct gst_opt *opt, struct critical *z, int id, const char *value)
{
	static const char *const formats[] = {"text", "json", NULL};
	bool is_wrong;
	uint64_t number;
	int choice;

	switch (id) {
	case GST_OPT_STOP:
		return opt->status;
	case OPT_FORMAT:
		choice = gst_opt_choice(opt, "format", value, formats);
		if (choice < 0) {
			return opt->status;
		}
		z->is_json = choice == 1;
		break;
	case OPT_TOP:
		if (!gst_opt_number(opt, "top", value, 0, UINT32_MAX - 1, false, &number)) {
			return opt->status;
		}
		z->options.top = (uint32_t)number;
		z->has_top = true;
		break;
	case OPT_ALL:
		z->options.all = true;
		break;
	case OPT_PID:
		if (!gst_opt_number(opt, "pid", value, 0, UINT32_MAX, false, &z->pid)) {
			return opt->status;
		}
		z->has_pid = true;
		break;
	case 'o':
		z->output = value;
		break;
	default:
		if (gst_cli_input_option(opt, &z->in, id, value, &is_wrong) && is_wrong) {
			return opt->status;
		}
		break;
	}
	return GST_EXIT_OK;
}

static int run_critical(struct gst_opt *opt)
{
	struct critical z = {.in = {.to_ns = UINT64_MAX}};
	const char *value;
	int id;

	while ((id = gst_opt_next(opt, &value)) != GST_OPT_END) {
		if (id == GST_OPT_STOP || take_option(opt, &z, id, value)) {
			return opt->status;
		}
	}
	z.in.paths = gst_opt_operands(opt, &z.in.count);
	if (z.in.count == 0) {
		return gst_opt_wrong(opt, "which trace?");
	}
	if (!z.has_top) {
		z.options.top = z.is_json ? TOP_JSON : TOP_TEXT;
	}
	if (gst_cli_check_output(opt, &z.in, z.output)) {
		return opt->status;
	}
	return critical(opt, &z);
}

static const struct gst_option options[] = {
	{OPT_FORMAT, "format", "text|json", "for people (default) or for programs (docs/JSON.md)"},
	{'o', "output", "FILE", "write there instead of to standard output"},
	{OPT_TOP, "top", "N", "list the N longest stretches (default: 10; JSON: 1000)"},
	{OPT_ALL, "all", NULL, "list every stretch of the path, in order of time"},
	{OPT_PID, "pid", "PID",
	 "the path to the end of this process (default: of the\nlast one that ends)"},
	GST_INPUT_OPTIONS,
	{0},
};

const struct gst_command gst_cmd_critical = {
	.name = "critical",
	.summary = "show the critical path: what the end of the run hung on",
	.operands = "TRACE...",
	.description =
		"Back from the last thing that ended, always to what released it last, over streams and host threads.\n"
		"Every moment has one cause (kernel, copy, host compute, launch latency, barrier, host wait, idle, ...),\n"
		"so that the times add up to the run's. docs/CRITICAL.md tells what each means.",
	.options = options,
	.examples = "gstrace critical app.gst\n"
		    "gstrace critical --top 50 --from 1s --to 2s app.gst\n"
		    "gstrace critical --all --format json -o path.json app.gst",
	.usage_status = GST_EXIT_USAGE,
	.run = run_critical,
};
