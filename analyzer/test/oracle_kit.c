/*
 * oracle_kit.c - see oracle_kit.h.
 *
 * Role      : the parts of oracle_test.c and graph_oracle_test.c that say nothing about CUDA.
 * Method    : splitmix64; relations are matrices of bits, closed by Warshall's algorithm.
 * Invariant : what a seed gives depends on nothing else.
 */
#include "analyzer/test/oracle_kit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/outfile.h"

static uint64_t next(struct gst_random *r)
{
	uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct gst_random gst_random_from(uint64_t seed)
{
	return (struct gst_random){seed * 0x2545f4914f6cdd1d + 1};
}

int gst_below(struct gst_random *r, int n)
{
	return (int)(next(r) % (uint64_t)n);
}

bool gst_chance(struct gst_random *r, int percent)
{
	return gst_below(r, 100) < percent;
}

/* ---- text ------------------------------------------------------------------------------------------------- */

void gst_put(struct gst_text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->data + t->used, sizeof(t->data) - t->used, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(t->data) - t->used)
		abort();
	t->used += (size_t)n;
}

/* A chunk of at least @lines lines of @s, if it has so many, from *@at on. */
static void put_chunk(struct gst_text *t, const struct gst_source *s, size_t *at, int lines)
{
	size_t end = *at;

	while (end < s->lines.used && lines > 0) {
		if (s->lines.data[end++] == '\n')
			lines--;
	}
	gst_put(t, "%s\n%.*s", s->chunk, (int)(end - *at), s->lines.data + *at);
	*at = end;
}

void gst_put_sources(struct gst_text *t, const struct gst_source *sources, int count,
		     struct gst_random *r)
{
	size_t at[16] = {0};
	int left = count;

	if (count > 16)
		abort();
	if (!r) {
		for (int i = 0; i < count; i++)
			put_chunk(t, &sources[i], &at[i], 1 << 30);
		return;
	}
	while (left > 0) {
		int i = gst_below(r, count);

		if (at[i] > sources[i].lines.used)
			continue;
		put_chunk(t, &sources[i], &at[i], 1 + gst_below(r, 12));
		if (at[i] == sources[i].lines.used) {
			at[i]++;
			left--;
		}
	}
}

/* ---- the engine --------------------------------------------------------------------------------------------- */

void gst_engine_close(struct gst_engine *e)
{
	gst_loader_close(e->loader);
	gst_model_free(e->m);
	gst_arena_free(e->arena);
}

bool gst_engine_open(struct gst_engine *e, const struct gst_text *t)
{
	struct gst_err err = {0};
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	const char *bad;

	*e = (struct gst_engine){.arena = gst_arena_new(0)};
	if (gst_loader_open_memory(t->data, t->used, "oracle", &options, &e->loader, &err) ||
	    gst_model_build(&e->loader, 1, e->arena, &e->m, &err) ||
	    gst_order_build(e->m, e->arena, &e->o, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return false;
	}
	bad = gst_model_validate(e->m);
	if (bad)
		fprintf(stderr, "invalid model: %s\n", bad);
	return !bad;
}

bool gst_engines_differ(const struct gst_engine *a, const struct gst_engine *b)
{
	struct gst_outfile *x = gst_outfile_open_memory(), *y = gst_outfile_open_memory();
	size_t x_length, y_length;
	const char *x_text, *y_text;
	bool differ;

	gst_order_dump(a->o, x);
	gst_order_dump(b->o, y);
	x_text = gst_outfile_memory(x, &x_length);
	y_text = gst_outfile_memory(y, &y_length);
	differ = x_length != y_length || memcmp(x_text, y_text, x_length) != 0;
	gst_outfile_abort(x);
	gst_outfile_abort(y);
	return differ;
}

bool gst_engine_is_sound(const struct gst_engine *e)
{
	const gst_node_id *cycle;

	if (gst_order_cycle(e->o, &cycle))
		return false;
	for (uint32_t i = 0; i < gst_order_edge_count(e->o); i++) {
		const struct gst_edge edge = gst_order_edge(e->o, i);
		const gst_node_id ends[2] = {edge.from, edge.to};

		for (int k = 0; k < 2 && edge.rule == GST_RULE_S3; k++) {
			const struct gst_op *op = &e->m->ops[ends[k]];

			if (!gst_node_is_op(e->o, ends[k]) ||
			    e->m->streams[op->stream].kind == GST_STREAM_KIND_NONBLOCKING)
				return false;
		}
	}
	return true;
}

/* ---- relations ---------------------------------------------------------------------------------------------- */

int gst_check_properties(gst_program_text *program, uint64_t first_seed, uint64_t seeds)
{
	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		struct gst_random r = gst_random_from(s);
		struct gst_engine plain, other;
		const char *what = NULL;

		if (!gst_engine_open(&plain, program(s, NULL)) ||
		    !gst_engine_open(&other, program(s, &r)))
			return 1;
		if (!gst_engine_is_sound(&plain))
			what = "a cycle, or S3 at a non-blocking stream";
		if (gst_engines_differ(&plain, &other))
			what = "chunks in another order make another graph";
		gst_engine_close(&other);
		gst_engine_close(&plain);
		if (what) {
			fprintf(stderr, "seed %" PRIu64 ": %s\n", s, what);
			return 1;
		}
	}
	printf("no cycle, no S3 at a non-blocking stream, the same in any order of chunks\n");
	return 0;
}

void gst_relation_reset(struct gst_relation *r, int points)
{
	size_t bytes;

	r->points = points;
	r->words = (points + 63) / 64;
	bytes = (size_t)points * (size_t)r->words * sizeof(*r->bits);
	if (bytes > r->room) {
		free(r->bits);
		r->bits = malloc(bytes);
		r->room = bytes;
		if (!r->bits)
			abort();
	}
	if (bytes)
		memset(r->bits, 0, bytes);
}

void gst_relation_free(struct gst_relation *r)
{
	free(r->bits);
	*r = (struct gst_relation){0};
}

void gst_relation_close(struct gst_relation *r)
{
	for (int k = 0; k < r->points; k++) {
		for (int i = 0; i < r->points; i++) {
			if (!gst_relation_has(r, i, k))
				continue;
			for (int x = 0; x < r->words; x++)
				r->bits[i * r->words + x] |= r->bits[k * r->words + x];
		}
	}
}
