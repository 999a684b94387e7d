/*
 * cmd_dump.c - gstrace dump: what is in a trace, at each stage boundary.
 *
 * Role      : --text (.gstext, reads back), --raw (chunks and records where they stand in the file), --model, --order.
 * Method    : text and raw stream from the loader; the others print what model/ and order/ made.
 * Not here  : explanations (cmd_analyze.c).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/cli/analysis.h"
#include "analyzer/load/text_writer.h"

enum { OPT_TEXT = 256, OPT_RAW, OPT_MODEL, OPT_ORDER };

struct dump {
	struct gst_cli_inputs in;
	const char *output;
	int form; /* OPT_TEXT, ... */
};

static void raw_chunk(struct gst_outfile *out, const struct gst_chunk_header *h)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} flags[] = {
		{GST_CHUNK_DEFS, "defs"},
		{GST_CHUNK_EVENTS, "events"},
		{GST_CHUNK_SEALED, "sealed"},
		{GST_CHUNK_END, "end"},
	};

	gst_outfile_printf(out,
			   "chunk sequence=%" PRIu64 " segment=%" PRIu32 " process=%" PRIu32
			   " thread=%" PRIu32 " flags=",
			   h->sequence, h->segment, h->process, h->thread);
	for (size_t i = 0, any = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (h->flags & flags[i].bit) {
			gst_outfile_printf(out, "%s%s", any++ ? "," : "", flags[i].name);
		}
	}
	gst_outfile_printf(out,
			   " format=%u.%u bytes=%" PRIu64 " records=%" PRIu32 " first_ns=%" PRIu64
			   " last_ns=%" PRIu64 " crc=%08" PRIx32,
			   h->major, h->minor, h->stored_bytes, h->record_count, h->first_ns,
			   h->last_ns, h->body_crc);
	if (h->source_page) {
		gst_outfile_printf(out, " page=%" PRIu64 "+%" PRIu32, h->source_page,
				   h->source_offset);
	}
	gst_outfile_puts(out, "\n");
}

static void raw_record(struct gst_outfile *out, const struct gst_record *r)
{
	struct gst_rec_head head;

	memcpy(&head, r->data, sizeof(head));
	gst_outfile_printf(out, "  %08" PRIx64 "  kind=0x%04x bytes=%u corr=%" PRIu32 " %s",
			   r->offset, (unsigned)head.kind, (unsigned)head.size8 * 8, r->corr,
			   r->schema ? r->schema->name : "unknown");
	gst_text_write_fields(out, r);
	gst_outfile_puts(out, "\n");
}

static gst_status raw_trace(struct gst_outfile *out, struct gst_loader *l, struct gst_err *err)
{
	struct gst_chunk_header before = {0};
	const struct gst_load_stats *s;
	struct gst_record r;
	int got;

	while ((got = gst_loader_next(l, &r)) > 0 && !gst_outfile_failed(out)) {
		const struct gst_chunk_header *h = gst_loader_chunk(l);

		if (memcmp(&before, h, sizeof(before)) != 0) {
			raw_chunk(out, h);
			before = *h;
		}
		raw_record(out, &r);
	}
	if (got < 0) {
		*err = *gst_loader_error(l);
		return got;
	}
	s = gst_loader_stats(l);
	gst_outfile_printf(out,
			   "total chunks=%" PRIu64 " records=%" PRIu64 " unknown=%" PRIu64
			   " damaged=%" PRIu64 " %s\n",
			   s->chunks, s->records, s->unknown_records, s->chunks_damaged,
			   s->is_complete ? "complete" : "incomplete");
	for (size_t i = 0; i < s->reason_count; i++) {
		gst_outfile_puts(out, "reason ");
		gst_text_write_quoted(out, s->reasons[i].text, strlen(s->reasons[i].text));
		gst_outfile_puts(out, "\n");
	}
	return GST_OK;
}

static int dump_records(const struct dump *d)
{
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_err err = {0};
	struct gst_outfile *out;
	struct gst_loader *l;
	gst_status st;
	int status;

	gst_cli_set_memory_limit(d->in.memory_limit, GST_EXIT_LIMIT);
	options.file_order = true;
	options.keep_short = true;
	options.keep_unknown = true;
	st = gst_loader_open(d->in.paths[0], &options, &l, &err);
	if (st) {
		return gst_cli_fail(st, &err);
	}
	status = gst_cli_open_output(d->output, &out);
	if (!status) {
		st = d->form == OPT_TEXT ? gst_text_write_trace(out, l, &err)
					 : raw_trace(out, l, &err);
		status = gst_cli_close_output(out, st, &err, GST_EXIT_OK);
	}
	gst_loader_close(l);
	return status;
}

static int dump_stage(const struct dump *d)
{
	struct gst_cli_analysis x;
	struct gst_err err = {0};
	struct gst_outfile *out;
	int status = gst_cli_analyze(&d->in,
				     d->form == OPT_MODEL ? GST_STAGE_MODEL : GST_STAGE_ORDER, &x);

	if (!status) {
		status = gst_cli_open_output(d->output, &out);
	}
	if (!status) {
		if (d->form == OPT_MODEL) {
			gst_model_dump(x.a.model, out);
		} else {
			gst_order_dump(x.a.order, out);
		}
		status = gst_cli_close_output(out, GST_OK, &err, GST_EXIT_OK);
	}
	gst_cli_analysis_release(&x);
	return status;
}

static int run_dump(struct gst_opt *opt)
{
	struct dump d = {.in = {.to_ns = UINT64_MAX}};
	const char *value;
	bool is_wrong;
	int id;

	while ((id = gst_opt_next(opt, &value)) != GST_OPT_END) {
		switch (id) {
		case GST_OPT_STOP:
			return opt->status;
		case 'o':
			d.output = value;
			break;
		case OPT_TEXT:
		case OPT_RAW:
		case OPT_MODEL:
		case OPT_ORDER:
			if (d.form && d.form != id) {
				return gst_opt_wrong(opt, "one of --text, --raw, --model, --order");
			}
			d.form = id;
			break;
		default:
			if (gst_cli_input_option(opt, &d.in, id, value, &is_wrong) && is_wrong) {
				return opt->status;
			}
			break;
		}
	}
	if (!d.form) {
		d.form = OPT_TEXT;
	}
	d.in.paths = gst_opt_operands(opt, &d.in.count);
	if (d.in.count == 0) {
		return gst_opt_wrong(opt, "which trace?");
	}
	if (gst_cli_check_output(opt, &d.in, d.output)) {
		return opt->status;
	}
	if (d.form == OPT_MODEL || d.form == OPT_ORDER) {
		return dump_stage(&d);
	}
	if (d.in.count > 1) {
		return gst_opt_wrong(opt, "one trace at a time");
	}
	if (d.in.from_ns > 0 || d.in.to_ns < UINT64_MAX) {
		return gst_opt_wrong(
			opt,
			"--from and --to are for --model and --order: records are shown as they stand");
	}
	return dump_records(&d);
}

static const struct gst_option options[] = {
	{OPT_TEXT, "text", NULL,
	 "as .gstext, which every command reads as it reads a .gst\n(default)"},
	{OPT_RAW, "raw", NULL, "chunk headers and records where they stand in the file"},
	{OPT_MODEL, "model", NULL, "calls, operations, streams, events as gstrace sees them"},
	{OPT_ORDER, "order", NULL, "the dependencies it found, with their rules"},
	{'o', "output", "FILE", "write there instead of to standard output"},
	GST_INPUT_OPTIONS,
	{0},
};

const struct gst_command gst_cmd_dump = {
	.name = "dump",
	.summary = "print what is in a trace",
	.operands = "TRACE...",
	.description =
		"For looking at traces and for bug reports: text and raw show the file, model and order what is made of it.",
	.options = options,
	.examples = "gstrace dump app.gst | less\n"
		    "gstrace dump --text -o app.gstext app.gst; gstrace analyze app.gstext\n"
		    "gstrace dump --order app.gst | grep S3",
	.usage_status = GST_EXIT_USAGE,
	.run = run_dump,
};
