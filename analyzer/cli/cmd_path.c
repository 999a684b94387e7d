/*
 * cmd_path.c - gstrace path: why does one operation come after another?
 *
 * Role      : shows the path of edges between two operations, or that no CUDA order is seen, and what could hide one.
 * Method    : pick.c finds the operations, path.c of export the answer; status 1 if the second does not come
 *             after the first.
 */
#include <stdio.h>

#include "analyzer/cli/analysis.h"
#include "analyzer/cli/pick.h"
#include "analyzer/export/path.h"

enum { OPT_FORMAT = 0x100, OPT_FROM, OPT_TO };

struct path {
	struct gst_cli_inputs in;
	const char *output, *from, *to;
	bool is_json;
};

static int path(struct gst_opt *opt, struct path *z)
{
	struct gst_cli_analysis x;
	const struct gst_release *releases = NULL;
	uint32_t count = 0;
	struct gst_path_answer answer = {.order = GST_PATH_FORWARD};
	struct gst_outfile *out;
	struct gst_err err = {0};
	gst_op_id from = GST_NONE, to;
	gst_status st;
	int status = gst_cli_analyze(&z->in, GST_STAGE_TIMING, &x);

	if (status) {
		goto out;
	}
	if ((z->from && !gst_pick_op(opt, "from", z->from, &x.a, &from)) ||
	    !gst_pick_op(opt, "to", z->to, &x.a, &to)) {
		status = opt->status;
		goto out;
	}
	if (z->from) {
		gst_path_find(&x.a, from, to, x.arena, &answer);
	} else {
		count = gst_path_releases(&x.a, to, x.arena, &releases);
	}
	status = gst_cli_open_output(z->output, &out);
	if (status) {
		goto out;
	}
	if (!z->from) {
		st = z->is_json ? gst_export_releases_json(&x.a, to, releases, count, out, &err)
				: gst_export_releases_text(&x.a, to, releases, count, out, &err);
	} else {
		st = z->is_json ? gst_export_path_json(&x.a, &answer, out, &err)
				: gst_export_path_text(&x.a, &answer, out, &err);
	}
	status = gst_cli_close_output(
		out, st, &err, answer.order == GST_PATH_FORWARD ? GST_EXIT_OK : GST_EXIT_FOUND);
out:
	gst_cli_analysis_release(&x);
	return status;
}

static int run_path(struct gst_opt *opt)
{
	static const char *const formats[] = {"text", "json", NULL};
	struct path z = {.in = {.to_ns = UINT64_MAX}};
	const char *value;
	bool is_wrong;
	int id, choice;

	while ((id = gst_opt_next(opt, &value)) != GST_OPT_END) {
		switch (id) {
		case GST_OPT_STOP:
			return opt->status;
		case OPT_FORMAT:
			choice = gst_opt_choice(opt, "format", value, formats);
			if (choice < 0) {
				return opt->status;
			}
			z.is_json = choice == 1;
			break;
		case OPT_FROM:
			z.from = value;
			break;
		case OPT_TO:
			z.to = value;
			break;
		case 'o':
			z.output = value;
			break;
		default:
			if (gst_cli_input_option(opt, &z.in, id, value, &is_wrong) && is_wrong) {
				return opt->status;
			}
			break;
		}
	}
	z.in.paths = gst_opt_operands(opt, &z.in.count);
	if (z.in.count == 0) {
		return gst_opt_wrong(opt, "which trace?");
	}
	if (!z.to) {
		return gst_opt_wrong(opt, "which operations? --from and --to, or --to alone");
	}
	if (gst_cli_check_output(opt, &z.in, z.output)) {
		return opt->status;
	}
	return path(opt, &z);
}

static const struct gst_option options[] = {
	{OPT_TO, "to", "OP", "the operation in question"},
	{OPT_FROM, "from", "OP", "why does it come after this one?"},
	{OPT_FORMAT, "format", "text|json", "for people (default) or for programs (docs/JSON.md)"},
	{'o', "output", "FILE", "write there instead of to standard output"},
	{GST_INPUT_THREADS, "threads", "N", "use so many processors (default: all, at most 8)"},
	{GST_INPUT_MEMORY_LIMIT, "memory-limit", "SIZE",
	 "stop with status 4 beyond this (default: none)"},
	{0},
};

const struct gst_command gst_cmd_path = {
	.name = "path",
	.summary = "say why one operation comes after another, step by step",
	.operands = "[--from OP] --to OP TRACE...",
	.description =
		"The path with the fewest steps, of documented rules alone if there is one: operations, rules, times.\n"
		"Without --from: all that TO had to wait for, by which rule, when each let it go, and how much earlier\n"
		"than the last one that was (slack).\n"
		"Exit status 0 if TO comes after FROM; 1 if not: no order is seen, or it is the other way round.\n"
		"\n" GST_PICK_HELP,
	.options = options,
	.examples =
		"gstrace path --from first#1 --to last#1 app.gst\n"
		"gstrace path --to last#2 app.gst\n"
		"gstrace path --from op:3 --to stream:14@109ms app.gst\n"
		"gstrace path --from stream:13:gemm#last --to 'memcpy d2h#1' --format json app.gst",
	.usage_status = GST_EXIT_USAGE,
	.run = run_path,
};
