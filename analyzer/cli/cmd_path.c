/*
 * cmd_path.c - gstrace path: why does one operation come after another?
 *
 * Role      : shows the path of edges between two operations, or that no CUDA order is seen, and what could hide one.
 * Method    : pick.c finds the operations, path.c of export the answer; status 1 if the second does not come
 *             after the first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cli/analysis.h"
#include "analyzer/cli/pick.h"
#include "analyzer/export/path.h"
#include "analyzer/export/path_pairs.h"

enum { OPT_FORMAT = 0x100, OPT_FROM, OPT_TO, OPT_WITHOUT, OPT_PAIRS };
enum { WITHOUT_MAX = 64 };

struct path {
	struct gst_cli_inputs in;
	const char *output, *from, *to;
	struct gst_path_without without[WITHOUT_MAX];
	uint64_t nth[WITHOUT_MAX]; /* of what released it, from 1; 0 = rules are left out */
	uint32_t without_count;
	bool is_json, is_pairs;
};

/* @text is "S3", or "#2". */
static bool take_without(struct gst_opt *opt, struct path *z, const char *text)
{
	struct gst_path_without *w = &z->without[z->without_count];
	char *end;

	if (z->without_count == WITHOUT_MAX) {
		gst_opt_wrong(opt, "--without: %d at most", WITHOUT_MAX);
		return false;
	}
	if (text[0] == '#' && text[1] >= '1' && text[1] <= '9') {
		z->nth[z->without_count] = strtoull(text + 1, &end, 10);
		if (!*end) {
			z->without_count++;
			return true;
		}
	}
	/* A thread does one thing after the other, whatever CUDA promises. */
	for (int r = 0; r < GST_RULE_COUNT; r++) {
		if (r != GST_RULE_T1 && strcmp(text, gst_rule_id((enum gst_rule)r)) == 0) {
			w->rules = UINT64_C(1) << r;
			z->without_count++;
			return true;
		}
	}
	gst_opt_wrong(
		opt,
		"--without=%s: a rule of docs/ORDERING.md (S3), or #N: what let it go, by its place",
		gst_cli_show(text));
	return false;
}

/* False after a complaint. */
static bool leave_out(struct gst_opt *opt, struct path *z, struct gst_cli_analysis *x, gst_op_id to,
		      const struct gst_release *releases, uint32_t count)
{
	for (uint32_t i = 0; i < z->without_count; i++) {
		if (z->nth[i] > count) {
			gst_opt_wrong(opt, "--without=#%llu: %u things let it go",
				      (unsigned long long)z->nth[i], count);
			return false;
		}
		z->without[i].one = z->nth[i] ? &releases[z->nth[i] - 1] : NULL;
		gst_path_leave_out(&x->a, to, x->arena, &z->without[i]);
	}
	return true;
}

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
		if (!leave_out(opt, z, &x, to, releases, count)) {
			status = opt->status;
			goto out;
		}
	}
	status = gst_cli_open_output(z->output, &out);
	if (status) {
		goto out;
	}
	if (!z->from) {
		st = z->is_json ? gst_export_releases_json(&x.a, to, releases, count, z->without,
							   z->without_count, out, &err)
				: gst_export_releases_text(&x.a, to, releases, count, z->without,
							   z->without_count, out, &err);
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

/* Many of --from, many of --to. */
static int pairs(struct gst_opt *opt, struct path *z)
{
	struct gst_cli_analysis x;
	struct gst_path_pairs answer;
	const gst_op_id *from, *to = NULL;
	uint32_t from_count = 0, to_count = 0;
	struct gst_outfile *out;
	struct gst_err err = {0};
	gst_status st;
	int status = gst_cli_analyze(&z->in, GST_STAGE_ORDER, &x);

	if (status) {
		goto out;
	}
	from_count = gst_pick_ops(opt, "from", z->from, &x.a, x.arena, &from);
	if (from_count) {
		to_count = gst_pick_ops(opt, "to", z->to, &x.a, x.arena, &to);
	}
	status = to_count ? GST_EXIT_OK : opt->status;
	if (!status && (uint64_t)from_count * to_count > GST_PAIRS_MAX) {
		status =
			gst_opt_wrong(opt, "--pairs: %u and %u operations are more than %llu pairs",
				      from_count, to_count, (unsigned long long)GST_PAIRS_MAX);
	}
	if (status) {
		goto out;
	}
	gst_path_pairs(&x.a, from, from_count, to, to_count, &answer);
	status = gst_cli_open_output(z->output, &out);
	if (status) {
		goto out;
	}
	st = z->is_json ? gst_export_pairs_json(&x.a, &answer, out, &err)
			: gst_export_pairs_text(&x.a, &answer, out, &err);
	status = gst_cli_close_output(
		out, st, &err,
		answer.count[GST_PAIR_FORWARD] == answer.total ? GST_EXIT_OK : GST_EXIT_FOUND);
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
		case OPT_PAIRS:
			z.is_pairs = true;
			break;
		case OPT_WITHOUT:
			if (!take_without(opt, &z, value)) {
				return opt->status;
			}
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
	if (z.is_pairs && !z.from) {
		return gst_opt_wrong(opt, "--pairs needs --from and --to");
	}
	if (z.from && z.without_count) {
		return gst_opt_wrong(opt, "--without is about --to alone");
	}
	if (gst_cli_check_output(opt, &z.in, z.output)) {
		return opt->status;
	}
	return z.is_pairs ? pairs(opt, &z) : path(opt, &z);
}

static const struct gst_option options[] = {
	{OPT_TO, "to", "OP", "the operation in question"},
	{OPT_FROM, "from", "OP", "why does it come after this one?"},
	{OPT_PAIRS, "pairs", NULL,
	 "of all that fits --from and all that fits --to: how many\npairs are ordered, which way, and how many only may be"},
	{OPT_WITHOUT, "without", "RULE|#N",
	 "how much earlier could TO begin, and the run end, without\nthat rule, or without the N-th thing that let it go"},
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
		"Exit status 0 if TO comes after FROM (--pairs: in all pairs, for certain); 1 if not: no order is seen, or it is the other way round.\n"
		"\n" GST_PICK_HELP,
	.options = options,
	.examples =
		"gstrace path --from first#1 --to last#1 app.gst\n"
		"gstrace path --pairs --from stream:13 --to stream:14 app.gst\n"
		"gstrace path --to last#2 app.gst\n"
		"gstrace path --to last#2 --without S3 --without '#1' app.gst\n"
		"gstrace path --from op:3 --to stream:14@109ms app.gst\n"
		"gstrace path --from stream:13:gemm#last --to 'memcpy d2h#1' --format json app.gst",
	.usage_status = GST_EXIT_USAGE,
	.run = run_path,
};
