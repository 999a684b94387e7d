/*
 * analysis.c - the pipeline, one stage after the other, with one way to fail.
 *
 * Role      : load -> model -> order -> timing -> check, as far as a command needs.
 * Invariant : whatever fails, one message names the file or the limit, and no half-written output stays.
 * Not here  : what is done with the result (cmd_*.c).
 */
#include "analyzer/cli/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/arena.h"
#include "analyzer/base/mem.h"
#include "analyzer/base/parallel.h"

bool gst_cli_parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"", 1000000000}};
	uint64_t whole = 0, part = 0, scale = 1;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (whole > UINT64_C(100000000000)) {
			return false;
		}
		whole = whole * 10 + (uint64_t)(*at - '0');
	}
	if (at == text) {
		return false;
	}
	if (*at == '.') {
		for (at++; *at >= '0' && *at <= '9'; at++) {
			if (scale < 1000000000) {
				part = part * 10 + (uint64_t)(*at - '0');
				scale *= 10;
			}
		}
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(at, units[i].name) == 0) {
			if (whole > (UINT64_MAX >> 1) / units[i].ns) {
				return false;
			}
			*ns = whole * units[i].ns + part * units[i].ns / scale;
			return true;
		}
	}
	return false;
}

bool gst_cli_input_option(struct gst_opt *opt, struct gst_cli_inputs *in, int id, const char *value,
			  bool *is_wrong)
{
	uint64_t threads = 0;

	*is_wrong = false;
	switch (id) {
	case GST_INPUT_MEMORY_LIMIT:
		*is_wrong = !gst_opt_number(opt, "memory-limit", value, 1 << 16, UINT64_MAX, true,
					    &in->memory_limit);
		return true;
	case GST_INPUT_THREADS:
		*is_wrong =
			!gst_opt_number(opt, "threads", value, 1, GST_THREADS_MAX, false, &threads);
		in->threads = (uint32_t)threads;
		return true;
	case GST_INPUT_FROM:
	case GST_INPUT_TO:
		if (!gst_cli_parse_time(value, id == GST_INPUT_FROM ? &in->from_ns : &in->to_ns)) {
			gst_opt_wrong(opt, "--%s=%s is no time (1.5s, 200ms, 10us, 5ns)",
				      id == GST_INPUT_FROM ? "from" : "to", gst_cli_show(value));
			*is_wrong = true;
		} else if (in->from_ns > in->to_ns) {
			gst_opt_wrong(opt, "--from is later than --to");
			*is_wrong = true;
		}
		return true;
	default:
		return false;
	}
}

int gst_cli_check_output(struct gst_opt *opt, const struct gst_cli_inputs *in, const char *path)
{
	struct stat output, input;
	int got = path && strcmp(path, "-") != 0 ? stat(path, &output)
						 : fstat(STDOUT_FILENO, &output);

	if (got != 0 || !S_ISREG(output.st_mode)) {
		return GST_EXIT_OK;
	}
	for (int i = 0; i < in->count; i++) {
		if (stat(in->paths[i], &input) == 0 && input.st_ino == output.st_ino &&
		    input.st_dev == output.st_dev) {
			return gst_opt_wrong(opt, "the output would replace the trace %s",
					     gst_cli_show(in->paths[i]));
		}
	}
	return GST_EXIT_OK;
}

/*
 * A window is counted as the report counts: from the millisecond of the first call. Calls come in the order of their
 * chunks, so the first one that is read is it, or is near.
 */
static gst_status find_start(const char *path, uint64_t *start_ns, struct gst_err *err)
{
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_loader *l;
	struct gst_record record;
	gst_status st;
	int got;

	options.fold_staging = false;
	st = gst_loader_open(path, &options, &l, err);
	if (st) {
		return st;
	}
	*start_ns = 0;
	while ((got = gst_loader_next(l, &record)) > 0) {
		if (record.kind >= GST_REC_CALL && record.kind < GST_REC_CALL_EXIT) {
			*start_ns = ((const struct gst_rec_call_prefix *)record.data)->enter_ns;
			*start_ns -= *start_ns % 1000000;
			break;
		}
	}
	if (got < 0) {
		*err = *gst_loader_error(l);
		st = got;
	}
	gst_loader_close(l);
	return st;
}

static gst_status open_inputs(const struct gst_cli_inputs *in, struct gst_cli_analysis *out,
			      struct gst_err *err)
{
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	uint64_t start_ns = 0;
	gst_status st;

	if (in->from_ns > 0 || in->to_ns < UINT64_MAX) {
		st = find_start(in->paths[0], &start_ns, err);
		if (st) {
			return st;
		}
		options.base_ns = start_ns;
		options.from_ns = in->from_ns > 0 ? start_ns + in->from_ns : 0;
		options.to_ns = in->to_ns < UINT64_MAX ? start_ns + in->to_ns : 0;
	}
	for (int i = 0; i < in->count; i++) {
		st = gst_loader_open(in->paths[i], &options, &out->loaders[i], err);
		if (st) {
			return st;
		}
		out->count = i + 1;
	}
	return GST_OK;
}

struct identity {
	dev_t dev;
	ino_t ino;
	int input;
};

static int compare_identities(const void *a, const void *b)
{
	const struct identity *x = a, *y = b;

	if (x->dev != y->dev) {
		return x->dev < y->dev ? -1 : 1;
	}
	if (x->ino != y->ino) {
		return x->ino < y->ino ? -1 : 1;
	}
	return x->input - y->input;
}

/* All work would be there twice, and wait for itself. */
static int refuse_same_inputs(const struct gst_cli_inputs *in, struct gst_arena *arena)
{
	struct identity *files =
		gst_arena_alloc_array(arena, (size_t)in->count, sizeof(struct identity));
	size_t count = 0;
	struct stat st;

	for (int i = 0; i < in->count; i++) {
		if (stat(in->paths[i], &st) == 0 && S_ISREG(st.st_mode)) {
			files[count++] = (struct identity){st.st_dev, st.st_ino, i};
		}
	}
	qsort(files, count, sizeof(*files), compare_identities);
	for (size_t i = 1; i < count; i++) {
		if (files[i].dev == files[i - 1].dev && files[i].ino == files[i - 1].ino) {
			gst_cli_error("%s is given twice", gst_cli_show(in->paths[files[i].input]));
			return GST_EXIT_USAGE;
		}
	}
	return GST_EXIT_OK;
}

static int compare_traces(const void *a, const void *b)
{
	const struct gst_process *x = *(const struct gst_process *const *)a;
	const struct gst_process *y = *(const struct gst_process *const *)b;

	if (x->trace.uuid_hi != y->trace.uuid_hi) {
		return x->trace.uuid_hi < y->trace.uuid_hi ? -1 : 1;
	}
	if (x->trace.uuid_lo != y->trace.uuid_lo) {
		return x->trace.uuid_lo < y->trace.uuid_lo ? -1 : 1;
	}
	return x->source < y->source ? -1 : x->source > y->source;
}

/* A copy beside its original is another file with the same number. */
static gst_status refuse_copies(const struct gst_cli_inputs *in, const struct gst_model *m,
				struct gst_arena *arena, struct gst_err *err)
{
	const struct gst_process **all =
		GST_ARENA_ARRAY(arena, const struct gst_process *, m->process_count);
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->process_count; i++) {
		const struct gst_process *p = &m->processes[i];

		if (p->has_trace && (p->trace.uuid_hi | p->trace.uuid_lo) != 0) {
			all[count++] = p;
		}
	}
	qsort(all, count, sizeof(struct gst_process *), compare_traces);
	for (uint32_t i = 1; i < count; i++) {
		const struct gst_process *a = all[i - 1], *b = all[i];

		if (a->trace.uuid_hi == b->trace.uuid_hi && a->trace.uuid_lo == b->trace.uuid_lo &&
		    a->source != b->source) {
			return gst_err_set(err, GST_E_FORMAT,
					   "%.200s holds the trace of %.200s once more",
					   gst_cli_show(in->paths[b->source]),
					   gst_cli_show(in->paths[a->source]));
		}
	}
	return GST_OK;
}

/* What the timing needs beside the graph is found while that is built. */
struct timing_ahead {
	const struct gst_model *m;
	struct gst_timing *prepared;
};

static void prepare_timing(void *payload)
{
	struct timing_ahead *ahead = payload;

	ahead->prepared = gst_timing_prepare(ahead->m);
}

static gst_status build_order_and_timing(struct gst_analysis *a, struct gst_arena *arena,
					 struct gst_err *err)
{
	struct timing_ahead ahead = {.m = a->model};
	gst_status st;

	st = gst_order_build_beside(a->model, arena, prepare_timing, &ahead, &a->order, err);
	if (st) {
		gst_timing_drop(ahead.prepared);
		return st;
	}
	return gst_timing_finish(ahead.prepared, a->order, arena, &a->timing, err);
}

static gst_status run_stages(const struct gst_cli_inputs *in, enum gst_cli_stage stage,
			     struct gst_cli_analysis *out, struct gst_err *err)
{
	struct gst_analysis *a = &out->a;
	gst_status st;

	st = gst_model_build(out->loaders, (size_t)in->count, out->arena, &a->model, err);
	for (int i = 0; i < in->count; i++) {
		out->stats[i] = gst_loader_stats(out->loaders[i]);
	}
	if (!st) {
		st = refuse_copies(in, a->model, out->arena, err);
	}
	if (!st && stage == GST_STAGE_ORDER) {
		st = gst_order_build(a->model, out->arena, &a->order, err);
	}
	if (!st && stage >= GST_STAGE_TIMING) {
		st = build_order_and_timing(a, out->arena, err);
	}
	if (!st && stage >= GST_STAGE_FINDINGS) {
		st = gst_check_run(a->model, a->order, a->timing, &in->checks, out->arena,
				   &a->findings, err);
	}
	return st;
}

int gst_cli_analyze(const struct gst_cli_inputs *in, enum gst_cli_stage stage,
		    struct gst_cli_analysis *out)
{
	struct gst_err err = {0};
	gst_status st;

	memset(out, 0, sizeof(*out));
	gst_cli_set_memory_limit(in->memory_limit, GST_EXIT_LIMIT);
	gst_parallel_set_threads(in->threads);
	out->arena = gst_arena_new(0);
	out->loaders =
		gst_arena_alloc_array(out->arena, (size_t)in->count, sizeof(struct gst_loader *));
	out->stats = gst_arena_alloc_array(out->arena, (size_t)in->count,
					   sizeof(struct gst_load_stats *));
	out->a.loads = out->stats;
	out->a.paths = (const char *const *)in->paths;
	out->a.input_count = (uint32_t)in->count;
	if (refuse_same_inputs(in, out->arena)) {
		return GST_EXIT_USAGE;
	}
	st = open_inputs(in, out, &err);
	if (!st) {
		st = run_stages(in, stage, out, &err);
	}
	gst_mem_give_back();
	return st ? gst_cli_fail(st, &err) : GST_EXIT_OK;
}

void gst_cli_analysis_release(struct gst_cli_analysis *a)
{
	for (int i = 0; i < a->count; i++) {
		gst_loader_close(a->loaders[i]);
	}
	gst_model_free(a->a.model);
	gst_arena_free(a->arena);
	memset(a, 0, sizeof(*a));
}
