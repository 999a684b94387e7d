/*
 * fuzz_report.c - a stranger's trace through all stages to every report.
 *
 * Role      : fuzz target of model, order, timing, check and export together.
 * Method    : what can be loaded is analyzed and written as text, JSON and Perfetto into memory; for some of the
 *             inputs a second run, which must give the same bytes.
 * Invariant : no crash; text has no control characters; JSON is valid and in UTF-8.
 * Not here  : the loader by itself (load/fuzz_*.c), SQLite (a file).
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/arena.h"
#include "analyzer/base/assert.h"
#include "analyzer/export/escape.h"
#include "analyzer/export/export.h"
#include "analyzer/export/export_critical.h"
#include "analyzer/export/path.h"

/* More would be slow, not new. */
enum { MAX_BYTES = 1 << 16 };

/* ---- JSON ------------------------------------------------------------------------------------------------ */

static const char *skip_value(const char *at, const char *end, int depth);

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n')) {
		at++;
	}
	return at;
}

static const char *skip_string(const char *at, const char *end)
{
	GST_ASSERT(at < end && *at == '"');
	for (at++; at < end && *at != '"';) {
		uint32_t code;
		size_t taken = gst_utf8_decode(at, (size_t)(end - at), &code);

		GST_ASSERT(taken > 0 && code >= 0x20);
		if (*at == '\\') {
			GST_ASSERT(at + 1 < end && strchr("\"\\/bfnrtu", at[1]));
			for (int i = 0; at[1] == 'u' && i < 4; i++) {
				GST_ASSERT(at + 2 + i < end &&
					   strchr("0123456789abcdef", at[2 + i]));
			}
			taken = at[1] == 'u' ? 6 : 2;
		}
		at += taken;
	}
	GST_ASSERT(at < end);
	return at + 1;
}

static const char *skip_list(const char *at, const char *end, bool is_object, int depth)
{
	char close = is_object ? '}' : ']';

	at = skip_space(at + 1, end);
	if (at < end && *at == close) {
		return at + 1;
	}
	for (;;) {
		if (is_object) {
			at = skip_space(skip_string(at, end), end);
			GST_ASSERT(at < end && *at == ':');
			at = skip_space(at + 1, end);
		}
		at = skip_space(skip_value(at, end, depth + 1), end);
		GST_ASSERT(at < end && (*at == ',' || *at == close));
		if (*at++ == close) {
			return at;
		}
		at = skip_space(at, end);
	}
}

static const char *skip_value(const char *at, const char *end, int depth)
{
	static const char *const words[] = {"true", "false", "null"};

	GST_ASSERT(at < end && depth < 32);
	if (*at == '{' || *at == '[') {
		return skip_list(at, end, *at == '{', depth);
	}
	if (*at == '"') {
		return skip_string(at, end);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if ((size_t)(end - at) >= strlen(words[i]) &&
		    memcmp(at, words[i], strlen(words[i])) == 0) {
			return at + strlen(words[i]);
		}
	}
	at += *at == '-';
	GST_ASSERT(at < end && *at >= '0' && *at <= '9');
	GST_ASSERT(at[0] != '0' || at + 1 >= end || at[1] < '0' || at[1] > '9');
	while (at < end && *at >= '0' && *at <= '9') {
		at++;
	}
	return at;
}

static void check_json(const char *text, size_t length)
{
	const char *end = text + length;

	GST_ASSERT(skip_space(skip_value(text, end, 0), end) == end);
}

static void check_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length;) {
		uint32_t code;
		size_t taken = gst_utf8_decode(text + i, length - i, &code);

		GST_ASSERT(taken > 0 && (code >= 0x20 || code == '\n') && code != 0x7f);
		i += taken;
	}
}

/* ---- one run --------------------------------------------------------------------------------------------- */

struct reports {
	struct gst_outfile *text, *json, *perfetto;
};

/* What an operation had to wait for, in text and JSON. */
static gst_status write_releases(const struct gst_analysis *a, gst_op_id op,
				 struct gst_arena *arena, struct reports *r)
{
	struct gst_outfile *json = gst_outfile_open_memory();
	const struct gst_release *releases;
	uint32_t count = gst_path_releases(a, op, arena, &releases);
	struct gst_err err = {0};
	const char *text;
	size_t length;
	struct gst_path_without without[2] = {{.rules = UINT64_C(1) << (op % GST_RULE_COUNT)},
					      {.one = count ? releases : NULL}};
	gst_status st;

	for (int i = 0; i < 2; i++) {
		gst_path_leave_out(a, op, arena, &without[i]);
	}
	st = gst_export_releases_text(a, op, releases, count, without, 2, r->text, &err);

	if (!st) {
		st = gst_export_releases_json(a, op, releases, count, without, 2, json, &err);
	}
	text = gst_outfile_memory(json, &length);
	check_json(text, length);
	gst_outfile_abort(json);
	return st;
}

/* Why some operations come after others, in text and JSON. */
static gst_status write_paths(const struct gst_analysis *a, struct gst_arena *arena,
			      struct reports *r)
{
	uint32_t count = a->model->op_count;
	struct gst_err err = {0};
	gst_status st = GST_OK;

	for (uint32_t i = 0; !st && count > 0 && i < 4; i++) {
		struct gst_path_answer p;
		struct gst_outfile *json = gst_outfile_open_memory();
		const char *text;
		size_t length;

		gst_path_find(a, i % 2 ? 0 : i * 7 % count, count - 1 - i * 3 % count, arena, &p);
		st = gst_export_path_text(a, &p, r->text, &err);
		if (!st) {
			st = gst_export_path_json(a, &p, json, &err);
		}
		text = gst_outfile_memory(json, &length);
		check_json(text, length);
		gst_outfile_abort(json);
		if (!st) {
			st = write_releases(a, p.to, arena, r);
		}
	}
	return st;
}

static gst_status write_critical(const struct gst_analysis *a, struct gst_arena *arena,
				 struct reports *r)
{
	struct gst_critical_options options = {.top = 5};
	struct gst_outfile *json = gst_outfile_open_memory();
	struct gst_err err = {0};
	struct gst_critical c;
	uint64_t sum = 0, at;
	const char *text;
	size_t length;
	gst_status st;

	gst_timing_critical(a->timing, GST_NONE, arena, &c);
	at = c.begin_ns;
	for (uint32_t i = 0; i < c.segment_count; i++) {
		GST_ASSERT(c.segments[i].begin_ns == at && c.segments[i].end_ns > at);
		at = c.segments[i].end_ns;
	}
	GST_ASSERT(at == c.end_ns);
	for (int i = 0; i < GST_CAUSE_COUNT; i++) {
		sum += c.cause_ns[i];
	}
	GST_ASSERT(sum == c.end_ns - c.begin_ns);
	st = gst_export_critical_text(a, &c, &options, r->text, &err);
	options.all = true;
	if (!st) {
		st = gst_export_critical_text(a, &c, &options, r->text, &err);
	}
	if (!st) {
		st = gst_export_critical_json(a, &c, &options, json, &err);
	}
	text = gst_outfile_memory(json, &length);
	check_json(text, length);
	gst_outfile_abort(json);
	return st;
}

static gst_status write_reports(const struct gst_analysis *a, struct reports *r)
{
	const struct gst_perfetto_options perfetto = {.is_plain = true};
	struct gst_text_options options = {.all = true};
	struct gst_err err = {0};
	gst_status st;

	r->text = gst_outfile_open_memory();
	r->json = gst_outfile_open_memory();
	r->perfetto = gst_outfile_open_memory();
	st = gst_export_text(a, &options, r->text, &err);
	for (uint32_t i = 1; !st && i <= a->findings->count && i <= 3; i++) {
		options = (struct gst_text_options){.explain = i};
		st = gst_export_text(a, &options, r->text, &err);
	}
	options = (struct gst_text_options){.all = false};
	if (!st) {
		st = gst_export_text(a, &options, r->text, &err);
	}
	if (!st) {
		st = gst_export_json(a, r->json, &err);
	}
	return st ? st : gst_export_perfetto(a, &perfetto, r->perfetto, &err);
}

/* False if the input is no trace. */
static bool run(const uint8_t *data, size_t size, struct reports *r)
{
	const struct gst_load_options load = {.segment = -1};
	const char *path = "fuzzed";
	struct gst_analysis a = {.paths = &path, .input_count = 1};
	const struct gst_check_options checks = {0};
	const struct gst_load_stats *stats;
	struct gst_arena *arena;
	struct gst_loader *l;
	struct gst_err err = {0};
	struct gst_verify verify = {0};
	gst_status st;

	if (gst_loader_open_memory(data, size, path, &load, &l, &err)) {
		return false;
	}
	arena = gst_arena_new(0);
	st = gst_model_build(&l, 1, arena, &a.model, &err);
	if (!st) {
		stats = gst_loader_stats(l);
		a.loads = &stats;
		st = gst_order_build(a.model, arena, &a.order, &err);
	}
	if (!st) {
		st = gst_timing_build(a.model, a.order, arena, &a.timing, &err);
	}
	if (!st) {
		st = gst_check_run(a.model, a.order, a.timing, &checks, arena, &a.findings, &err);
	}
	if (!st) {
		gst_timing_verify(a.timing, arena, &verify);
		st = write_reports(&a, r);
	}
	if (!st) {
		st = write_paths(&a, arena, r);
	}
	if (!st) {
		st = write_critical(&a, arena, r);
	}
	gst_model_free(a.model);
	gst_arena_free(arena);
	gst_loader_close(l);
	/* What was loaded can be analyzed: the limits are far. */
	GST_ASSERT(!st);
	return true;
}

static void check_same(struct gst_outfile *a, struct gst_outfile *b)
{
	size_t length, other;
	const char *x = gst_outfile_memory(a, &length), *y = gst_outfile_memory(b, &other);

	GST_ASSERT(length == other && memcmp(x, y, length) == 0);
}

static void release(struct reports *r)
{
	gst_outfile_abort(r->text);
	gst_outfile_abort(r->json);
	gst_outfile_abort(r->perfetto);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reports first, second;
	const char *text;
	size_t length;

	if (size > MAX_BYTES || !run(data, size, &first)) {
		return 0;
	}
	text = gst_outfile_memory(first.text, &length);
	check_text(text, length);
	text = gst_outfile_memory(first.json, &length);
	check_json(text, length);
	if (length % 8 == 0) {
		GST_ASSERT(run(data, size, &second));
		check_same(first.text, second.text);
		check_same(first.json, second.json);
		check_same(first.perfetto, second.perfetto);
		release(&second);
	}
	release(&first);
	return 0;
}
