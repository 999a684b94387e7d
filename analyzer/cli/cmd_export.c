/*
 * cmd_export.c - gstrace export: a trace for other programs, Perfetto or SQLite.
 *
 * Role      : options; one output a run.
 * Not here  : the formats (export/).
 */
#include <stdio.h>
#include <string.h>

#include "analyzer/cli/analysis.h"

enum { OPT_PERFETTO = 256, OPT_SQLITE, OPT_LAYOUT, OPT_PLAIN };

struct export
{
	struct gst_cli_inputs in;
	struct gst_perfetto_options perfetto;
	const char *output;
	bool is_perfetto, is_sqlite;
};

static int write_sqlite(const struct gst_analysis *a, struct gst_outfile *out)
{
	struct gst_err err = {0};
	gst_status st = gst_export_sqlite(a, gst_outfile_temp_path(out), &err);

	return gst_cli_close_output(out, st, &err, GST_EXIT_OK);
}

static int write_perfetto(const struct export *e, const struct gst_analysis *a,
			  struct gst_outfile *out)
{
	struct gst_err err = {0};
	gst_status st = gst_export_perfetto(a, &e->perfetto, out, &err);

	return gst_cli_close_output(out, st, &err, GST_EXIT_OK);
}

static int export(const struct export *e)
{
	struct gst_cli_analysis x;
	struct gst_outfile *out;
	int status = gst_cli_analyze(&e->in, GST_STAGE_FINDINGS, &x);

	if (!status) {
		status = gst_cli_open_output(e->output, &out);
	}
	if (!status && e->is_sqlite && !gst_outfile_temp_path(out)) {
		gst_outfile_abort(out);
		gst_cli_error("%s: SQLite needs a regular file", gst_cli_show(e->output));
		status = GST_EXIT_UNREADABLE;
	} else if (!status) {
		status = e->is_sqlite ? write_sqlite(&x.a, out) : write_perfetto(e, &x.a, out);
	}
	if (!status && e->is_perfetto && strcmp(e->output, "-") != 0) {
		fprintf(stderr, "gstrace: open %s in https://ui.perfetto.dev\n",
			gst_cli_show(e->output));
	}
	gst_cli_analysis_release(&x);
	return status;
}

static int run_export(struct gst_opt *opt)
{
	static const char *const layouts[] = {"both", "stages", "tracks", NULL};
	struct export e = {.in = {.to_ns = UINT64_MAX}};
	const char *value;
	bool is_wrong;
	int id, layout;

	while ((id = gst_opt_next(opt, &value)) != GST_OPT_END) {
		switch (id) {
		case GST_OPT_STOP:
			return opt->status;
		case 'o':
			e.output = value;
			break;
		case OPT_PERFETTO:
			e.is_perfetto = true;
			break;
		case OPT_SQLITE:
			e.is_sqlite = true;
			break;
		case OPT_LAYOUT:
			layout = gst_opt_choice(opt, "layout", value, layouts);
			if (layout < 0) {
				return opt->status;
			}
			e.perfetto.render_stages = layout == 1;
			e.perfetto.tracks = layout == 2;
			break;
		case OPT_PLAIN:
			e.perfetto.is_plain = true;
			break;
		default:
			if (gst_cli_input_option(opt, &e.in, id, value, &is_wrong) && is_wrong) {
				return opt->status;
			}
			break;
		}
	}
	e.in.paths = gst_opt_operands(opt, &e.in.count);
	if (e.is_perfetto == e.is_sqlite) {
		return gst_opt_wrong(opt, "say --perfetto or --sqlite");
	}
	if (e.in.count == 0) {
		return gst_opt_wrong(opt, "which trace?");
	}
	if (!e.output) {
		return gst_opt_wrong(opt, "say where it goes: -o FILE");
	}
	if (gst_cli_check_output(opt, &e.in, e.output)) {
		return opt->status;
	}
	return export(&e);
}

static const struct gst_option options[] = {
	{OPT_PERFETTO, "perfetto", NULL, "for https://ui.perfetto.dev and its SQL"},
	{OPT_SQLITE, "sqlite", NULL, "a database for questions of your own (docs/SCHEMA.md)"},
	{'o', "output", "FILE", "where it goes"},
	{OPT_LAYOUT, "layout", "both|stages|tracks",
	 "Perfetto: how the GPU's work is drawn (docs/PERFETTO.md)"},
	{OPT_PLAIN, "plain", NULL, "Perfetto: not compressed"},
	GST_INPUT_OPTIONS,
	{0},
};

const struct gst_command gst_cmd_export = {
	.name = "export",
	.summary = "write a trace for Perfetto or as an SQLite database",
	.operands = "TRACE...",
	.description =
		"The result has the operations, calls, dependencies and findings that 'gstrace analyze' knows.",
	.options = options,
	.examples =
		"gstrace export --perfetto -o app.pftrace app.gst\n"
		"gstrace export --sqlite -o app.db app.gst; sqlite3 app.db 'SELECT * FROM findings'",
	.usage_status = GST_EXIT_USAGE,
	.run = run_export,
};
