/*
 * real_trace.c - for tests: a recorded trace in memory.
 *
 * Role      : what real_test and its lies share: read, copy, change a field, write again and analyze.
 * Method    : records as the loader gives them, in the chunks of the file; written by the writer of .gst.
 * Invariant : what is not changed is written as it was.
 * Not here  : what is changed (real_lies.c, real_test.c).
 */
#include "analyzer/test/real_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/outfile.h"
#include "analyzer/load/gst_writer.h"

unsigned real_failures;

void real_fail(const char *trace, const char *what, const char *why)
{
	real_failures++;
	printf("FAILED: %s, %s: %s\n", trace, what, why);
}

static _Noreturn void die(const char *trace, const struct gst_err *err)
{
	printf("FAILED: %s: %s\n", trace, err->text);
	exit(1);
}

void real_read(const char *path, struct real_trace *t)
{
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	const char *slash = strrchr(path, '/');
	struct gst_loader *l;
	struct gst_record rec;
	struct gst_err err = {0};
	const struct gst_chunk_header *chunk = NULL;
	uint64_t number = 0;
	int got;

	memset(t, 0, sizeof(*t));
	t->name = slash ? slash + 1 : path;
	t->arena = gst_arena_new(0);
	options.fold_staging = false;
	options.file_order = true;
	if (gst_loader_open(path, &options, &l, &err)) {
		die(path, &err);
	}
	while ((got = gst_loader_next(l, &rec)) > 0) {
		struct real_item x = {
			.schema = rec.schema, .corr = rec.corr, .tail_bytes = rec.tail_bytes};

		chunk = gst_loader_chunk(l);
		if (t->chunks.count == 0 || chunk->sequence != number) {
			gst_vec_push(&t->chunks, *chunk);
			number = chunk->sequence;
		}
		x.chunk = (uint32_t)t->chunks.count - 1;
		x.data = gst_arena_copy(t->arena, rec.data, rec.schema->bytes);
		if (rec.tail_bytes) {
			x.tail = gst_arena_copy(t->arena, rec.tail, rec.tail_bytes);
		}
		gst_vec_push(&t->items, x);
	}
	if (got < 0) {
		die(path, gst_loader_error(l));
	}
	gst_loader_close(l);
}

void real_forget(struct real_trace *t)
{
	gst_vec_free(&t->chunks);
	gst_vec_free(&t->items);
	gst_arena_free(t->arena);
}

struct real_trace real_copy(const struct real_trace *t)
{
	struct real_trace c = {.name = t->name, .arena = gst_arena_new(0)};

	for (size_t i = 0; i < t->chunks.count; i++) {
		gst_vec_push(&c.chunks, t->chunks.data[i]);
	}
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item x = t->items.data[i];
		x.data = gst_arena_copy(c.arena, x.data, x.schema->bytes);
		gst_vec_push(&c.items, x);
	}
	return c;
}

bool real_set(struct real_item *x, const char *field, uint64_t value)
{
	const struct gst_schema_field *f = gst_schema_find_field(x->schema, field, strlen(field));
	return f && gst_schema_set(f, x->data, value);
}

struct real_stages real_analyze(struct real_trace *t)
{
	struct gst_outfile *out = gst_outfile_open_memory();
	struct gst_gst_writer *w = gst_gst_writer_new(out);
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_loader *l;
	struct gst_err err = {0};
	struct real_stages s = {.arena = gst_arena_new(0)};
	const char *bytes;
	size_t length;
	bool is_begun = false;
	uint64_t number = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct real_item *x = &t->items.data[i];

		if (i == 0 || x->chunk != t->items.data[i - 1].chunk) {
			struct gst_chunk_header h = t->chunks.data[x->chunk];
			if (is_begun) {
				gst_gst_writer_end(w);
			}
			/* Copies of staging pages no longer, and numbered as they stand. */
			h.source_page = h.source_offset = 0;
			h.flags |= GST_CHUNK_SEALED;
			h.sequence = ++number;
			gst_gst_writer_begin(w, &h);
			is_begun = true;
		}
		if (x->schema->kind == GST_REC_END) {
			(void)real_set(&t->items.data[i], "chunks", number - 1);
			(void)real_set(&t->items.data[i], "records", i);
		}
		if (gst_gst_writer_put(w, x->schema, x->corr, x->data, x->tail, x->tail_bytes,
				       &err)) {
			die(t->name, &err);
		}
	}
	if (is_begun) {
		gst_gst_writer_end(w);
	}
	gst_gst_writer_free(w);
	bytes = gst_outfile_memory(out, &length);
	options.fold_staging = false;
	if (gst_loader_open_memory(bytes, length, t->name, &options, &l, &err) ||
	    gst_model_build(&l, 1, s.arena, &s.m, &err) ||
	    gst_order_build(s.m, s.arena, &s.o, &err) ||
	    gst_timing_build(s.m, s.o, s.arena, &s.t, &err) ||
	    gst_check_run(s.m, s.o, s.t, NULL, s.arena, &s.f, &err)) {
		die(t->name, &err);
	}
	if (!s.m->is_complete) {
		real_fail(t->name, "written again", "is not complete");
	}
	gst_loader_close(l);
	gst_outfile_abort(out);
	return s;
}

void real_release(struct real_stages *s)
{
	gst_model_free(s->m);
	gst_arena_free(s->arena);
}

uint64_t real_get(const struct real_item *x, const char *field)
{
	const struct gst_schema_field *f = gst_schema_find_field(x->schema, field, strlen(field));
	return f ? gst_schema_get(f, x->data) : 0;
}
