/*
 * real_test.c - every recorded trace: no contradiction, exact replay, the same findings in other words.
 *
 * Role      : holds the model of ordering against hardware, and the analysis against what must not matter.
 * Method    : real_test TRACE...; each is read into memory and written again with kernels renamed, streams
 *             renumbered, times shifted or chunks shuffled; then with one fact made wrong (a non-blocking
 *             stream blocking, a wait moved to the next record, ...), which verify must contradict.
 * Invariant : a wrong fact that nothing contradicts fails the test, as does a trace that is missing.
 * Not here  : what the traces promise (expect_test.sh).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/outfile.h"
#include "analyzer/base/vec.h"
#include "analyzer/check/check.h"
#include "analyzer/load/gst_writer.h"
#include "analyzer/load/load.h"
#include "analyzer/timing/critical.h"

struct item {
	const struct gst_schema_record *schema;
	uint32_t corr, chunk, tail_bytes;
	void *data, *tail;
};

struct trace {
	const char *name;
	GST_VEC(struct gst_chunk_header) chunks;
	GST_VEC(struct item) items;
	struct gst_arena *arena;
};

struct stages {
	struct gst_arena *arena;
	const struct gst_model *m;
	const struct gst_order *o;
	const struct gst_timing *t;
	const struct gst_findings *f;
};

static unsigned failures;

static void fail(const char *trace, const char *what, const char *why)
{
	failures++;
	printf("FAILED: %s, %s: %s\n", trace, what, why);
}

static _Noreturn void die(const char *trace, const struct gst_err *err)
{
	printf("FAILED: %s: %s\n", trace, err->text);
	exit(1);
}

/* ---- read and write ------------------------------------------------------------------------- */

static void read_trace(const char *path, struct trace *t)
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
		struct item x = {
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

static void forget(struct trace *t)
{
	gst_vec_free(&t->chunks);
	gst_vec_free(&t->items);
	gst_arena_free(t->arena);
}

/* A copy whose records may be changed; the strings of @t are shared. */
static struct trace copy_of(const struct trace *t)
{
	struct trace c = {.name = t->name, .arena = gst_arena_new(0)};

	for (size_t i = 0; i < t->chunks.count; i++) {
		gst_vec_push(&c.chunks, t->chunks.data[i]);
	}
	for (size_t i = 0; i < t->items.count; i++) {
		struct item x = t->items.data[i];
		x.data = gst_arena_copy(c.arena, x.data, x.schema->bytes);
		gst_vec_push(&c.items, x);
	}
	return c;
}

static bool is_set(struct item *x, const char *field, uint64_t value)
{
	const struct gst_schema_field *f = gst_schema_find_field(x->schema, field, strlen(field));
	return f && gst_schema_set(f, x->data, value);
}

static struct stages analyze(struct trace *t)
{
	struct gst_outfile *out = gst_outfile_open_memory();
	struct gst_gst_writer *w = gst_gst_writer_new(out);
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_loader *l;
	struct gst_err err = {0};
	struct stages s = {.arena = gst_arena_new(0)};
	const char *bytes;
	size_t length;
	bool is_begun = false;
	uint64_t number = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct item *x = &t->items.data[i];

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
			(void)is_set(&t->items.data[i], "chunks", number - 1);
			(void)is_set(&t->items.data[i], "records", i);
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
		fail(t->name, "written again", "is not complete");
	}
	gst_loader_close(l);
	gst_outfile_abort(out);
	return s;
}

static void release(struct stages *s)
{
	gst_model_free(s->m);
	gst_arena_free(s->arena);
}

/* ---- in other words ------------------------------------------------------------------------- */

static uint64_t get(const struct item *x, const char *field)
{
	const struct gst_schema_field *f = gst_schema_find_field(x->schema, field, strlen(field));
	return f ? gst_schema_get(f, x->data) : 0;
}

static void rename_kernels(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		bool is_kernel = false;
		char name[40];
		int n;

		if (x->schema->kind != GST_REC_STRING) {
			continue;
		}
		for (size_t j = 0; j < t->items.count && !is_kernel; j++) {
			const struct item *y = &t->items.data[j];
			is_kernel = (y->schema->kind == GST_REC_KERNEL ||
				     y->schema->kind == GST_REC_CALL_LAUNCH) &&
				    get(y, "name") == get(x, "id");
		}
		if (is_kernel) {
			n = snprintf(name, sizeof(name), "renamed_%" PRIu64, get(x, "id"));
			x->tail = gst_arena_copy(t->arena, name, (size_t)n);
			x->tail_bytes = (uint32_t)n;
		}
	}
}

static void renumber_streams(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];

		for (uint32_t j = 0; j < x->schema->field_count; j++) {
			const struct gst_schema_field *f = &x->schema->fields[j];
			uint64_t id = gst_schema_get(f, x->data);
			/* CUPTI's numbers, not the handles of calls. */
			if (f->form->class_id == GST_FORM_DEC && id && id != UINT32_MAX &&
			    (strcmp(f->name, "stream") == 0 ||
			     strcmp(f->name, "null_stream") == 0)) {
				(void)gst_schema_set(f, x->data, 5000 - 7 * id);
			}
		}
	}
}

static void shift_times(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];

		for (uint32_t j = 0; j < x->schema->field_count; j++) {
			const struct gst_schema_field *f = &x->schema->fields[j];
			uint64_t ns = gst_schema_get(f, x->data);
			if (ns && (f->form->class_id == GST_FORM_MONO ||
				   f->form->class_id == GST_FORM_GPU ||
				   f->form->class_id == GST_FORM_REAL ||
				   f->form->class_id == GST_FORM_RAW)) {
				(void)gst_schema_set(f, x->data, ns + UINT64_C(3600123000000));
			}
		}
	}
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

/* Event chunks change places, but for those of one thread; device records also among each other. */
static void shuffle_chunks(struct trace *t, uint32_t seed)
{
	struct trace old = *t;
	GST_VEC(uint32_t) units = {0}; /* first item of each movable unit */
	GST_VEC(uint32_t) lengths = {0};
	size_t last = t->items.count;

	memset(&t->chunks, 0, sizeof(t->chunks));
	memset(&t->items, 0, sizeof(t->items));
	for (size_t i = 0; i < last;) {
		const struct gst_chunk_header *h = &old.chunks.data[old.items.data[i].chunk];
		size_t end = i + 1;
		bool moves = (h->flags & GST_CHUNK_EVENTS) && !(h->flags & GST_CHUNK_DEFS) &&
			     !(h->flags & GST_CHUNK_END);

		while (end < last && old.items.data[end].chunk == old.items.data[i].chunk &&
		       !(moves && h->thread == 0 && end - i >= 3)) {
			end++;
		}
		if (moves) {
			gst_vec_push(&units, (uint32_t)i);
			gst_vec_push(&lengths, (uint32_t)(end - i));
		}
		i = end;
	}
	for (size_t i = units.count; i > 1; i--) {
		size_t j = draw(&seed, (uint32_t)i);
		uint32_t a = units.data[i - 1], b = lengths.data[i - 1];
		units.data[i - 1] = units.data[j];
		lengths.data[i - 1] = lengths.data[j];
		units.data[j] = a;
		lengths.data[j] = b;
	}
	/* Chunks of one thread back into their order. */
	for (size_t i = 0; i < units.count; i++) {
		for (size_t j = i + 1; j < units.count; j++) {
			const struct gst_chunk_header *a =
				&old.chunks.data[old.items.data[units.data[i]].chunk];
			const struct gst_chunk_header *b =
				&old.chunks.data[old.items.data[units.data[j]].chunk];
			if (a->thread && a->thread == b->thread && units.data[j] < units.data[i]) {
				uint32_t x = units.data[i], y = lengths.data[i];
				units.data[i] = units.data[j];
				lengths.data[i] = lengths.data[j];
				units.data[j] = x;
				lengths.data[j] = y;
			}
		}
	}
	/* What does not move (definitions, the trailer) stays before and behind. */
	for (int part = 0; part < 3; part++) {
		for (size_t i = 0; i < (part == 1 ? units.count : last); i++) {
			size_t from = part == 1 ? units.data[i] : i;
			size_t n = part == 1 ? lengths.data[i] : 1;
			struct gst_chunk_header h = old.chunks.data[old.items.data[from].chunk];
			bool moves = (h.flags & GST_CHUNK_EVENTS) && !(h.flags & GST_CHUNK_DEFS) &&
				     !(h.flags & GST_CHUNK_END);

			if (part != 1 &&
			    (moves || (part == 2) != ((h.flags & GST_CHUNK_END) != 0))) {
				continue;
			}
			if (part == 1 || i == 0 ||
			    old.items.data[i].chunk != old.items.data[i - 1].chunk) {
				gst_vec_push(&t->chunks, h);
			}
			for (size_t j = 0; j < n; j++) {
				struct item x = old.items.data[from + j];
				x.chunk = (uint32_t)t->chunks.count - 1;
				gst_vec_push(&t->items, x);
			}
		}
	}
	gst_vec_free(&old.chunks);
	gst_vec_free(&old.items);
	gst_vec_free(&units);
	gst_vec_free(&lengths);
}

static void shuffle_1(struct trace *t)
{
	shuffle_chunks(t, 1);
}

static void shuffle_2(struct trace *t)
{
	shuffle_chunks(t, 2);
}

static void compare(const char *trace, const char *what, const struct gst_findings *a,
		    const struct gst_findings *b)
{
	char why[300];

	if (a->count != b->count || a->hidden_count != b->hidden_count ||
	    a->hidden_blocked_ns != b->hidden_blocked_ns) {
		(void)snprintf(why, sizeof(why), "%u findings and %u hidden, were %u and %u",
			       b->count, b->hidden_count, a->count, a->hidden_count);
		fail(trace, what, why);
		return;
	}
	for (uint32_t i = 0; i < a->count; i++) {
		const struct gst_finding *x = &a->items[i], *y = &b->items[i];
		if (strcmp(x->id, y->id) != 0 || x->severity != y->severity ||
		    x->cost_ns != y->cost_ns || x->cost_low_ns != y->cost_low_ns ||
		    x->cost_high_ns != y->cost_high_ns || x->blocked_ns != y->blocked_ns ||
		    x->occurrence_count != y->occurrence_count) {
			(void)snprintf(why, sizeof(why),
				       "%s of %" PRIu64 " ns, was %s of %" PRIu64 " ns", y->id,
				       y->cost_ns, x->id, x->cost_ns);
			fail(trace, what, why);
		}
	}
}

/* The critical path covers the run without gap or overlap, falls in time, and is one chain. */
static void check_critical(const char *trace, const char *what, const struct stages *s,
			   struct gst_critical *c)
{
	uint64_t at, sum = 0;
	char why[200];

	gst_timing_critical(s->t, GST_NONE, s->arena, c);
	at = c->begin_ns;
	for (uint32_t i = 0; i < c->segment_count; i++) {
		const struct gst_segment *x = &c->segments[i];
		bool is_work = gst_cause_is_work(x->cause);
		bool is_joined = x->begin_ns == at && x->end_ns > x->begin_ns;

		at = x->end_ns;
		if (is_work) {
			is_joined &= gst_node_is_op(s->o, x->node);
		} else if (is_joined && x->from != GST_NONE && gst_node_is_op(s->o, x->from) &&
			   i > 0 && gst_cause_is_work(c->segments[i - 1].cause)) {
			/* What ran before the gap is what the gap leads back to. */
			is_joined = c->segments[i - 1].node == x->from;
		}
		if (!is_joined) {
			(void)snprintf(why, sizeof(why), "stretch %u is not joined", i);
			fail(trace, what, why);
		}
	}
	for (int i = 0; i < GST_CAUSE_COUNT; i++) {
		sum += c->cause_ns[i];
	}
	if (at != c->end_ns || sum != c->end_ns - c->begin_ns) {
		(void)snprintf(why, sizeof(why),
			       "%" PRIu64 " ns of the path's %" PRIu64 " have a cause", sum,
			       c->end_ns - c->begin_ns);
		fail(trace, what, why);
	}
}

static void compare_critical(const char *trace, const char *what, const struct gst_critical *a,
			     const struct gst_critical *b)
{
	bool is_same = a->segment_count == b->segment_count && a->blame_count == b->blame_count;

	for (uint32_t i = 0; is_same && i < a->segment_count; i++) {
		const struct gst_segment *x = &a->segments[i], *y = &b->segments[i];

		is_same = x->cause == y->cause && x->unknown == y->unknown &&
			  x->end_ns - x->begin_ns == y->end_ns - y->begin_ns &&
			  x->held_ns == y->held_ns && x->node == y->node && x->from == y->from;
	}
	if (!is_same) {
		fail(trace, what, "the critical path is another one");
	}
}

static const struct {
	const char *what;
	void (*change)(struct trace *t);
} words[] = {
	{"kernels renamed", rename_kernels},  {"streams renumbered", renumber_streams},
	{"times shifted", shift_times},	      {"chunks shuffled", shuffle_1},
	{"chunks shuffled again", shuffle_2},
};

/* ---- one fact made wrong -------------------------------------------------------------------- */

static void make_streams_blocking(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_STREAM && get(x, "type") == GST_STREAM_NONBLOCKING) {
			(void)is_set(x, "type", GST_STREAM_BLOCKING);
		} else if (x->schema->kind == GST_REC_CALL_STREAM) {
			(void)is_set(x, "flags", 0);
		}
	}
}

/* All work of user streams into the first of them. */
static void merge_streams(struct trace *t)
{
	uint64_t handle = 0, id = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_STREAM && get(x, "handle") > 2 && !handle) {
			handle = get(x, "handle");
			id = get(x, "stream");
		}
	}
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		uint16_t kind = x->schema->kind;
		if ((kind == GST_REC_CALL_LAUNCH || kind == GST_REC_CALL_COPY) &&
		    get(x, "stream") > 2) {
			(void)is_set(x, "stream", handle);
		} else if (kind == GST_REC_KERNEL || kind == GST_REC_MEMCPY) {
			(void)is_set(x, "stream", id);
		}
	}
}

static struct item *call_of(struct trace *t, uint32_t corr, uint32_t kind)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->corr == corr && x->schema->kind == kind) {
			return x;
		}
	}
	return NULL;
}

/* Item @from to the place behind @to, which comes later. */
static void move_behind(struct item *from, struct item *to)
{
	struct item moved = *from;

	if (from >= to) {
		return;
	}
	moved.chunk = to->chunk;
	memmove(from, from + 1, (size_t)(to - from) * sizeof(*from));
	*to = moved;
}

/* As if the call had been made right after the record that is now meant. */
static void move_call_behind(struct trace *t, uint32_t wait_corr, uint32_t kind,
			     uint32_t record_corr)
{
	struct item *wait = call_of(t, wait_corr, kind);
	struct item *end = call_of(t, wait_corr, GST_REC_CALL_EXIT);
	struct item *record = call_of(t, record_corr, GST_REC_CALL_EXIT);

	if (!wait || !end || !record) {
		return;
	}
	(void)is_set(wait, "enter_ns", get(record, "exit_ns"));
	(void)is_set(end, "exit_ns", get(record, "exit_ns"));
	move_behind(wait, record);
	move_behind(call_of(t, wait_corr, GST_REC_CALL_EXIT), call_of(t, wait_corr, kind));
}

/* Each event wait refers to the record after the one it was made for. */
static void move_waits_on(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_SYNC && get(x, "type") == GST_SYNC_STREAM_WAIT &&
		    get(x, "sync_id")) {
			uint64_t event = get(x, "event_id"), next = 0;
			uint32_t corr = 0;
			for (size_t j = 0; j < t->items.count; j++) {
				const struct item *y = &t->items.data[j];
				if (y->schema->kind == GST_REC_EVENT &&
				    get(y, "event_id") == event &&
				    get(y, "sync_id") > get(x, "sync_id") &&
				    (!next || get(y, "sync_id") < next)) {
					next = get(y, "sync_id");
					corr = y->corr;
				}
			}
			if (next) {
				(void)is_set(x, "sync_id", next);
				/* A number alone that names a record to come is not believed. */
				move_call_behind(t, x->corr, GST_REC_CALL_EVENT, corr);
			}
		}
	}
}

/* The second context's streams belong to the first, its legacy stream is that of the first. */
static void merge_contexts(struct trace *t)
{
	uint64_t ids[2] = {0, 0}, null_streams[2] = {0, 0};
	int count = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CONTEXT && count < 2) {
			ids[count] = get(x, "ctx");
			null_streams[count++] = get(x, "null_stream");
		}
	}
	for (size_t i = 0; i < t->items.count && count == 2; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CONTEXT) {
			(void)is_set(x, "null_stream", null_streams[0]);
		} else if (get(x, "ctx") == ids[1] && get(x, "stream") == null_streams[1]) {
			(void)is_set(x, "stream", null_streams[0]);
		}
		if (get(x, "ctx") == ids[1]) {
			(void)is_set(x, "ctx", ids[0]);
		}
	}
}

/* The per-thread streams are one. */
static void merge_per_thread(struct trace *t)
{
	uint64_t first = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_KERNEL && get(x, "stream") > 12) {
			first = first ? first : get(x, "stream");
			(void)is_set(x, "stream", first);
		}
	}
}

static void stream_waits_cover_all(struct trace *t)
{
	const struct gst_api *all = gst_api_find_name("cudaDeviceSynchronize", 21);

	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		const struct gst_api *api = gst_api_find((uint32_t)get(x, "api"));
		if (x->schema->kind == GST_REC_CALL_STREAM && api &&
		    api->class_id == GST_API_CLASS_STREAM_SYNC) {
			(void)is_set(x, "api", all->api);
			(void)is_set(x, "stream", 0);
		}
	}
}

static void queries_succeed(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_EXIT && get(x, "result") == 600) {
			(void)is_set(x, "result", 0);
		}
		if (x->schema->kind == GST_REC_SYNC && get(x, "result")) {
			(void)is_set(x, "result", 0);
		}
	}
}

/* The first graph launch comes after the second record of the event that one of its nodes waits for. */
static void launch_after_next_record(struct trace *t)
{
	uint32_t launch = 0, record = 0, records = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct item *x = &t->items.data[i];
		const struct gst_api *api = gst_api_find((uint32_t)get(x, "api"));
		if (x->schema->kind == GST_REC_CALL_GRAPH && !launch && api &&
		    api->class_id == GST_API_CLASS_GRAPH_LAUNCH) {
			launch = x->corr;
		}
		if (x->schema->kind == GST_REC_CALL_EVENT && api && !get(x, "flags") &&
		    api->class_id == GST_API_CLASS_EVENT_RECORD && ++records == 2) {
			record = x->corr;
		}
	}
	move_call_behind(t, launch, GST_REC_CALL_GRAPH, record);
}

static const struct gst_api *api_of(const struct item *x)
{
	return gst_api_find((uint32_t)get(x, "api"));
}

static bool is_of_class(const struct item *x, uint32_t class_id)
{
	const struct gst_api *api = api_of(x);
	return api && api->class_id == class_id;
}

/* All launches are of the first executable graph. */
static void merge_execs(struct trace *t)
{
	uint64_t first = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_GRAPH &&
		    is_of_class(x, GST_API_CLASS_GRAPH_LAUNCH)) {
			first = first ? first : get(x, "exec");
			(void)is_set(x, "exec", first);
		}
	}
}

/* The launch nearest to item @from in @stream, forwards or backwards. */
static const struct item *launch_near(struct trace *t, size_t from, int step, uint64_t stream)
{
	for (size_t i = from; i < t->items.count; i += (size_t)step) {
		const struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_LAUNCH && get(x, "stream") == stream) {
			return x;
		}
	}
	return NULL;
}

/* The kernels of two launches ran the other way round. */
static void swap_kernels(struct trace *t, const struct item *before, const struct item *behind)
{
	struct item *a = before ? call_of(t, before->corr, GST_REC_KERNEL) : NULL;
	struct item *b = behind ? call_of(t, behind->corr, GST_REC_KERNEL) : NULL;

	if (a && b) {
		uint64_t begin = get(a, "start_ns"), end = get(a, "end_ns");
		(void)is_set(a, "start_ns", get(b, "start_ns"));
		(void)is_set(a, "end_ns", get(b, "end_ns"));
		(void)is_set(b, "start_ns", begin);
		(void)is_set(b, "end_ns", end);
	}
}

/* What stands before a host function in its stream ran behind it. */
static void turn_host_function_round(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		const struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_HOST) {
			uint64_t stream = get(x, "stream");
			swap_kernels(t, launch_near(t, i, -1, stream),
				     launch_near(t, i, 1, stream));
			return;
		}
	}
}

/* Freed memory was used by its new owner first, for the last allocation that got some from another stream. */
static void turn_owners_round(struct trace *t)
{
	uint64_t freed = 0, freed_in = 0;
	size_t freed_at = 0;
	const struct item *before = NULL, *behind = NULL;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct item *x = &t->items.data[i];
		if (x->schema->kind != GST_REC_CALL_MEMORY) {
			continue;
		}
		if (is_of_class(x, GST_API_CLASS_FREE_ASYNC)) {
			freed = get(x, "address");
			freed_in = get(x, "stream");
			freed_at = i;
		} else if (is_of_class(x, GST_API_CLASS_ALLOC_ASYNC) && freed) {
			const struct item *end = call_of(t, x->corr, GST_REC_CALL_EXIT);
			if (end && get(end, "value") == freed && get(x, "stream") != freed_in) {
				before = launch_near(t, freed_at, -1, freed_in);
				behind = launch_near(t, i, 1, get(x, "stream"));
			}
		}
	}
	swap_kernels(t, before, behind);
}

/* Synchronous copies on the device are ones to the host: of these each waits for itself. */
static void copies_reach_the_host(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_MEMCPY && get(x, "copy_kind") == GST_COPY_DTOD) {
			(void)is_set(x, "copy_kind", GST_COPY_DTOH);
			(void)is_set(x, "dst_kind", GST_MEM_PINNED);
		}
	}
}

/* Records of streams are ones of their context. */
static void record_contexts(struct trace *t)
{
	const struct gst_api *whole = gst_api_find_name("cuCtxRecordEvent", 16);

	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_EVENT &&
		    is_of_class(x, GST_API_CLASS_EVENT_RECORD)) {
			(void)is_set(x, "api", whole->api);
			(void)is_set(x, "stream", 0);
		}
	}
}

/* What is marked is the memory that was allocated before. */
static void mark_other_memory(struct trace *t)
{
	uint64_t allocated[2] = {0, 0};

	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		const struct gst_api *api = api_of(x);
		if (x->schema->kind == GST_REC_CALL_MEMORY && is_of_class(x, GST_API_CLASS_ALLOC)) {
			struct item *end = call_of(t, x->corr, GST_REC_CALL_EXIT);
			allocated[0] = allocated[1];
			allocated[1] = end ? get(end, "value") : 0;
		}
		if (x->schema->kind == GST_REC_CALL && api &&
		    api->layout == GST_PARAMS_POINTER_ATTRIBUTE) {
			(void)is_set(x, "object", allocated[0]);
		}
	}
}

/* What a graph's edge from its node number @from to number @to leads to is node @other. */
static void turn_edges(struct trace *t, uint32_t from, uint32_t to, uint32_t other)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_GRAPH_EDGE && (uint32_t)get(x, "from") == from &&
		    (uint32_t)get(x, "to") == to) {
			(void)is_set(x, "to", get(x, "to") - to + other);
		}
	}
}

/* nodes_capture: the side branch (node 3) joins before "third" (node 2) in place of "join" (node 4). */
static void join_side_before_third(struct trace *t)
{
	turn_edges(t, 3, 4, 2);
}

/* Edges from a programmatic port leave the default one. */
static void ports_are_default(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_GRAPH_EDGE && get(x, "port") == 2) {
			(void)is_set(x, "port", 1);
		}
	}
}

/* Captured launches were not flagged programmatic. */
static void launches_are_ordinary(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_LAUNCH) {
			(void)is_set(x, "flags", 0);
		}
	}
}

/* It was a launch long before that found its command queue full. */
static void other_call_found_queue_full(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_OVERHEAD &&
		    get(x, "type") == GST_OVERHEAD_COMMAND_BUFFER_FULL) {
			x->corr -= 500;
		}
	}
}

/* Batches whose sources may be read at any time read them in stream order. */
static void batches_are_in_order(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_COPY && get(x, "access")) {
			(void)is_set(x, "access", GST_ACCESS_STREAM);
		}
	}
}

/* The kernels of the second and the fourth launch ran the other way round: m2_peer_copy has its copy between them. */
static void turn_peer_work_round(struct trace *t)
{
	const struct item *launches[4];
	size_t count = 0;

	for (size_t i = 0; i < t->items.count && count < 4; i++) {
		const struct item *x = &t->items.data[i];

		if (x->schema->kind == GST_REC_CALL_LAUNCH) {
			launches[count++] = x;
		}
	}
	if (count == 4) {
		swap_kernels(t, launches[1], launches[3]);
	}
}

/* Launches on several devices wait for all of their streams, and hold all of them up. */
static void launches_wait_everywhere(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_LAUNCH) {
			uint64_t flags = get(x, "flags");
			(void)is_set(x, "flags",
				     flags & ~(uint64_t)(GST_LAUNCH_FLAG_NO_PRE_SYNC |
							 GST_LAUNCH_FLAG_NO_POST_SYNC));
		}
	}
}

/* What stands before the first batch of copies ran behind it, and what stands behind it before. */
static void turn_batch_round(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		const struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_COPY && get(x, "count") > 1) {
			uint64_t stream = get(x, "stream");
			swap_kernels(t, launch_near(t, i, -1, stream),
				     launch_near(t, i, 1, stream));
			return;
		}
	}
}

/* All memory that was set is pinned. */
static void memory_set_is_pinned(struct trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_MEMSET) {
			(void)is_set(x, "memory_kind", GST_MEM_PINNED);
		}
	}
}

static void say(struct trace *t, struct item *string, const char *text)
{
	string->tail_bytes = (uint32_t)strlen(text);
	string->tail = gst_arena_copy(t->arena, text, string->tail_bytes);
}

/* The program ran with CUDA_LAUNCH_BLOCKING=1. */
static void launches_block(struct trace *t)
{
	struct item *variable = NULL;
	uint64_t value = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_VARIABLE && !variable) {
			variable = x;
		} else if (x->schema->kind == GST_REC_STRING && variable &&
			   get(x, "id") == get(variable, "name")) {
			say(t, x, "CUDA_LAUNCH_BLOCKING");
		} else if (x->schema->kind == GST_REC_STRING && variable && !value) {
			/* One that nothing here asks for: the name of the library. */
			value = get(x, "id");
			say(t, x, "1");
		}
	}
	if (variable) {
		(void)is_set(variable, "value", value);
	}
}

/* The nodes of the first and the last launch changed places. */
static void nodes_change_launches(struct trace *t)
{
	uint32_t launches[2] = {0, 0};

	for (size_t i = 0; i < t->items.count; i++) {
		const struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_GRAPH &&
		    is_of_class(x, GST_API_CLASS_GRAPH_LAUNCH)) {
			launches[0] = launches[0] ? launches[0] : x->corr;
			launches[1] = x->corr;
		}
	}
	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_KERNEL && x->corr == launches[0]) {
			x->corr = launches[1];
		} else if (x->schema->kind == GST_REC_KERNEL && x->corr == launches[1]) {
			x->corr = launches[0];
		}
	}
}

/* The kernels of the first and the last launch changed places. */
static void first_kernel_is_last(struct trace *t)
{
	struct item *first = NULL, *last = NULL;

	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_KERNEL) {
			first = first ? first : x;
			last = x;
		}
	}
	if (first && last) {
		uint32_t corr = first->corr;
		first->corr = last->corr;
		last->corr = corr;
	}
}

/* A record of its own kind after item @at, for the call @corr. */
static struct item *put_behind(struct trace *t, size_t at, uint32_t kind, uint32_t corr)
{
	const struct gst_schema_record *schema = gst_schema_find(kind);
	struct item x = {.schema = schema,
			 .corr = corr,
			 .chunk = t->items.data[at].chunk,
			 .data = gst_arena_alloc(t->arena, schema->bytes)};

	memset(x.data, 0, schema->bytes);
	gst_vec_push(&t->items, x);
	memmove(&t->items.data[at + 2], &t->items.data[at + 1],
		(t->items.count - at - 2) * sizeof(x));
	t->items.data[at + 1] = x;
	return &t->items.data[at + 1];
}

/* What a launch attribute records is recorded behind the launch. */
static void events_follow_launches(struct trace *t)
{
	const struct gst_api *record = gst_api_find_name("cuEventRecord", 13);
	uint32_t corr = 1000000;

	for (size_t i = 0; i + 1 < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		const struct item *end = call_of(t, x->corr, GST_REC_CALL_EXIT);
		uint64_t event, stream, at_ns;

		if (x->schema->kind != GST_REC_CALL_LAUNCH || !get(x, "event") || !end) {
			continue;
		}
		event = get(x, "event");
		stream = get(x, "stream");
		at_ns = get(end, "exit_ns");
		(void)is_set(x, "flags", 0);
		(void)is_set(x, "event", 0);
		i = (size_t)(end - t->items.data);
		x = put_behind(t, i, GST_REC_CALL_EVENT, ++corr);
		(void)is_set(x, "enter_ns", at_ns);
		(void)is_set(x, "api", record->api);
		(void)is_set(x, "ctx", 1);
		(void)is_set(x, "stream", stream);
		(void)is_set(x, "event", event);
		x = put_behind(t, i + 1, GST_REC_CALL_EXIT, corr);
		(void)is_set(x, "exit_ns", at_ns);
	}
}

/* The calls of all threads are of one, as they stand in time. */
static void merge_threads(struct trace *t)
{
	for (size_t i = 0; i < t->chunks.count; i++) {
		if (t->chunks.data[i].thread) {
			t->chunks.data[i].thread = 1;
		}
	}
}

static const struct {
	const char *trace, *what;
	void (*change)(struct trace *t);
	enum gst_rule rule;
} lies[] = {
	{"may_block_other.gst", "two threads said to be one", merge_threads, GST_RULE_T1},
	{"pipeline.gst", "kernels said to be submitted by each other's calls", first_kernel_is_last,
	 GST_RULE_U1},
	{"programmatic_chain.gst", "programmatic launches said to be ordinary",
	 launches_are_ordinary, GST_RULE_S1},
	{"legacy_sync.gst", "the legacy stream said to cover a non-blocking one",
	 make_streams_blocking, GST_RULE_H3},
	{"memset_kinds.gst", "memory of the device said to be pinned", memory_set_is_pinned,
	 GST_RULE_H6},
	{"pipeline.gst", "launches said to be blocking", launches_block, GST_RULE_H8},
	/* By what joins the launches: a launch begins with its first node. */
	{"nodes_capture.gst", "nodes said to be of another launch", nodes_change_launches,
	 GST_RULE_G3},
	{"launch_events.gst", "a launch's event said to be recorded behind it",
	 events_follow_launches, GST_RULE_E1},
	{"m2_peer_copy.gstext", "what is before a peer copy said to have run behind it",
	 turn_peer_work_round, GST_RULE_M2},
	{"m6_multi_device.gstext", "launches without a barrier said to have one",
	 launches_wait_everywhere, GST_RULE_M6},
	{"copy_batch_kinds.gst", "what is before a batch said to have run behind it",
	 turn_batch_round, GST_RULE_M3},
	{"m3_copy_batch.gstext", "sources said to be read in stream order", batches_are_in_order,
	 GST_RULE_M3},
	{"default_stream_good.gst", "non-blocking streams said to be blocking",
	 make_streams_blocking, GST_RULE_S3},
	{"ctx_two.gst", "two contexts said to be one", merge_contexts, GST_RULE_S3},
	{"per_thread_default.gst", "per-thread streams said to be one", merge_per_thread,
	 GST_RULE_S1},
	{"pipeline.gst", "two streams said to be one", merge_streams, GST_RULE_S1},
	{"events_rerecord.gst", "waits moved to the next record", move_waits_on, GST_RULE_E1},
	{"device_sync_good.gst", "stream waits said to cover the device", stream_waits_cover_all,
	 GST_RULE_H1},
	{"graph_event_nodes.gst", "a launch moved behind the next record of an event it awaits",
	 launch_after_next_record, GST_RULE_E6},
	{"graph_same_exec.gst", "two executable graphs said to be one", merge_execs, GST_RULE_G3},
	{"host_func.gst", "kernels around a host function said to be the other way round",
	 turn_host_function_round, GST_RULE_F1},
	{"pool_across_streams.gst", "memory said to be used before it was freed", turn_owners_round,
	 GST_RULE_M1},
	{"sync_copy_kinds.gst", "copies on the device said to be to the host",
	 copies_reach_the_host, GST_RULE_H4},
	{"cross_stream_events.gst", "records of streams said to be of the context", record_contexts,
	 GST_RULE_E5},
	{"sync_memops.gst", "other memory said to be marked", mark_other_memory, GST_RULE_M7},
	{"nodes_capture.gst", "a branch said to join one node earlier", join_side_before_third,
	 GST_RULE_G4},
	{"nodes_capture.gst", "a captured programmatic launch said to be ordinary",
	 launches_are_ordinary, GST_RULE_G4},
	{"nodes_graph.gst", "a programmatic port said to be the default one", ports_are_default,
	 GST_RULE_G4},
	{"event_poll.gst", "not-ready queries said to have succeeded", queries_succeed,
	 GST_RULE_H2},
};

#define LIES (sizeof(lies) / sizeof(lies[0]))

/* What is only possible contradicts nothing: the times bear it out as recorded, and no more with the lie. */
static const struct {
	const char *trace, *what;
	void (*change)(struct trace *t);
	enum gst_rule rule;
} unproved[] = {
	{"queue_full.gst", "another call said to have found the queue full",
	 other_call_found_queue_full, GST_RULE_H9},
};

#define UNPROVED (sizeof(unproved) / sizeof(unproved[0]))

/* The device's work began a second later than it did. */
static void device_is_late(struct trace *t)
{
	static const char *const times[] = {"start_ns", "end_ns"};

	for (size_t i = 0; i < t->items.count; i++) {
		struct item *x = &t->items.data[i];
		bool is_op = x->schema->kind == GST_REC_KERNEL ||
			     x->schema->kind == GST_REC_MEMCPY || x->schema->kind == GST_REC_MEMSET;
		for (int j = 0; is_op && j < 2; j++) {
			(void)is_set(x, times[j], get(x, times[j]) + 1000000000);
		}
	}
}

/* What stands before a write of a word ran behind what stands after the wait for it. */
static void turn_writes_round(struct trace *t)
{
	const struct item *writer = NULL, *waiter = NULL;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct item *x = &t->items.data[i];
		if (x->schema->kind != GST_REC_MEMOP) {
			continue;
		}
		const struct item *call = call_of(t, x->corr, GST_REC_CALL);
		if (!call) {
			continue;
		}
		if (get(x, "type") == GST_MEMOP_WRITE_32) {
			writer = launch_near(t, i, -1, get(call, "stream"));
		} else {
			waiter = launch_near(t, i, 1, get(call, "stream"));
			swap_kernels(t, writer, waiter);
		}
	}
}

/* What is only possible is disproved by the times of the lie, and was not by those of the run. */
static const struct {
	const char *trace, *what;
	void (*change)(struct trace *t);
	enum gst_rule rule;
} disproved[] = {
	{"pageable_async_sizes.gst", "work said to have ended after the calls that waited",
	 device_is_late, GST_RULE_H5},
	{"may_block_same.gst", "work said to have ended after the calls that waited",
	 device_is_late, GST_RULE_H7},
	{"reset_pending.gst", "work said to have outlived its device", device_is_late,
	 GST_RULE_H10},
	{"ctx_destroy_pending.gst", "work said to have outlived its context", device_is_late,
	 GST_RULE_H10},
	{"wait_value.gst", "a wait said to be over before the write it is for", turn_writes_round,
	 GST_RULE_M4},
};

#define DISPROVED (sizeof(disproved) / sizeof(disproved[0]))

/* Edges of @rule of which the times say @strength. */
static uint32_t edges_that_are(const struct stages *s, enum gst_rule rule,
			       enum gst_strength strength)
{
	uint32_t n = 0;

	for (gst_edge_id e = gst_order_next_edge(s->o, 0); e < gst_order_edge_bound(s->o);
	     e = gst_order_next_edge(s->o, e + 1)) {
		n += gst_order_edge(s->o, e).rule == rule &&
		     gst_timing_strength(s->t, e) == strength;
	}
	return n;
}

/* ---- each trace ----------------------------------------------------------------------------- */

/* Of the recorded traces. */
static struct gst_verify_rule corpus[GST_RULE_COUNT];
static uint32_t recorded;
static uint64_t borne_out[GST_RULE_COUNT];

static void take_proof(const struct trace *t, const struct stages *plain, bool *is_taken)
{
	for (size_t i = 0; i < UNPROVED; i++) {
		struct trace c;
		struct stages other;

		if (strcmp(unproved[i].trace, t->name) != 0) {
			continue;
		}
		is_taken[i] = true;
		if (!edges_that_are(plain, unproved[i].rule, GST_OBSERVED)) {
			fail(t->name, gst_rule_id(unproved[i].rule),
			     "no edge that the times bear out");
		}
		c = copy_of(t);
		unproved[i].change(&c);
		other = analyze(&c);
		if (edges_that_are(&other, unproved[i].rule, GST_OBSERVED)) {
			fail(t->name, unproved[i].what, "the times still bear it out");
		}
		release(&other);
		forget(&c);
	}
}

static bool is_recorded(const char *name)
{
	size_t n = strlen(name);
	return n > 4 && strcmp(name + n - 4, ".gst") == 0;
}

static void disprove(const struct trace *t, const struct stages *plain, bool *is_disproved)
{
	for (size_t i = 0; i < DISPROVED; i++) {
		struct trace c;
		struct stages other;
		uint32_t before = edges_that_are(plain, disproved[i].rule, GST_DISPROVED);

		if (strcmp(disproved[i].trace, t->name) != 0) {
			continue;
		}
		is_disproved[i] = true;
		c = copy_of(t);
		disproved[i].change(&c);
		other = analyze(&c);
		if (edges_that_are(&other, disproved[i].rule, GST_DISPROVED) <= before) {
			fail(t->name, disproved[i].what, "the times disprove no more than before");
		}
		release(&other);
		forget(&c);
	}
}

static void look_at(const char *path, bool *is_lied_about, bool *is_taken, bool *is_disproved)
{
	struct trace t;
	struct stages plain;
	struct gst_verify v;
	struct gst_replay replay;
	struct gst_cut none = {0};
	struct gst_critical critical;
	char why[200];

	read_trace(path, &t);
	plain = analyze(&t);
	gst_timing_verify(plain.t, plain.arena, &v);
	for (uint32_t i = 0; i < v.example_count; i++) {
		const struct gst_edge e = gst_order_edge(plain.o, v.examples[i].edge);
		(void)snprintf(
			why, sizeof(why), "rule %s is contradicted by %" PRId64 " ns (%u to %u)",
			gst_rule_id((enum gst_rule)e.rule), v.examples[i].gap_ns, e.from, e.to);
		fail(t.name, "as recorded", why);
	}
	/* Those written by hand are only lied about. */
	if (is_recorded(t.name)) {
		recorded++;
	}
	for (int r = 0; is_recorded(t.name) && r < GST_RULE_COUNT; r++) {
		corpus[r].edges += v.rules[r].edges;
		corpus[r].checked += v.rules[r].checked;
		corpus[r].tight += v.rules[r].tight;
		corpus[r].not_checkable += v.rules[r].not_checkable;
		borne_out[r] += edges_that_are(&plain, (enum gst_rule)r, GST_OBSERVED);
	}
	gst_timing_replay(plain.t, &none, plain.arena, &replay);
	if (replay.makespan_ns != replay.baseline_ns) {
		fail(t.name, "as recorded", "the replay is not what was observed");
	}
	check_critical(t.name, "as recorded", &plain, &critical);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct trace c = copy_of(&t);
		struct gst_critical again;
		struct stages other;

		words[i].change(&c);
		other = analyze(&c);
		compare(t.name, words[i].what, plain.f, other.f);
		check_critical(t.name, words[i].what, &other, &again);
		compare_critical(t.name, words[i].what, &critical, &again);
		release(&other);
		forget(&c);
	}
	for (size_t i = 0; i < LIES; i++) {
		struct trace c;
		struct stages other;

		if (strcmp(lies[i].trace, t.name) != 0) {
			continue;
		}
		is_lied_about[i] = true;
		c = copy_of(&t);
		lies[i].change(&c);
		other = analyze(&c);
		gst_timing_verify(other.t, other.arena, &v);
		/* Clocks that exclude each other are counted for the edge into the host. */
		if (lies[i].rule == GST_RULE_U1 ? v.contradictions == 0
						: v.rules[lies[i].rule].contradictions == 0) {
			(void)snprintf(why, sizeof(why), "rule %s is not contradicted",
				       gst_rule_id(lies[i].rule));
			fail(t.name, lies[i].what, why);
		}
		release(&other);
		forget(&c);
	}
	take_proof(&t, &plain, is_taken);
	disprove(&t, &plain, is_disproved);
	release(&plain);
	forget(&t);
}

/* How often the recordings must have put a rule to the test: tight edges, unless it says otherwise. */
#define TIMES 10

enum proof { TIGHT, BORNE_OUT, NOT_SEEN };

static const struct {
	enum gst_rule rule;
	enum proof proof;
} proofs[] = {
	/* Only possible. */
	{GST_RULE_H5, BORNE_OUT},
	{GST_RULE_H7, BORNE_OUT},
	{GST_RULE_H9, BORNE_OUT},
	{GST_RULE_M4, BORNE_OUT},
	/* The end of a context takes longer than what the times could bear out. */
	{GST_RULE_H10, NOT_SEEN},
	/* CUPTI names no launch in records of a loop. */
	{GST_RULE_G7, NOT_SEEN},
	/* No recording of two devices. */
	{GST_RULE_M2, NOT_SEEN},
	{GST_RULE_M6, NOT_SEEN},
};

static void check_proof(enum gst_rule rule)
{
	enum proof proof = TIGHT;
	uint64_t times;
	char why[60];

	for (size_t i = 0; i < sizeof(proofs) / sizeof(proofs[0]); i++) {
		if (proofs[i].rule == rule) {
			proof = proofs[i].proof;
		}
	}
	times = proof == TIGHT ? corpus[rule].tight : borne_out[rule];
	if (proof != NOT_SEEN && times < TIMES) {
		(void)snprintf(why, sizeof(why), "put to the test %" PRIu64 " times", times);
		fail("all traces", gst_rule_id(rule), why);
	}
}

int main(int argc, char **argv)
{
	bool is_lied_about[LIES] = {false};
	bool is_taken[UNPROVED] = {false}, is_disproved[DISPROVED] = {false};

	for (int i = 1; i < argc; i++) {
		look_at(argv[i], is_lied_about, is_taken, is_disproved);
	}
	for (size_t i = 0; i < LIES; i++) {
		if (!is_lied_about[i]) {
			fail(lies[i].trace, lies[i].what, "no such trace");
		}
	}
	for (size_t i = 0; i < UNPROVED; i++) {
		if (!is_taken[i]) {
			fail(unproved[i].trace, unproved[i].what, "no such trace");
		}
	}
	for (size_t i = 0; i < DISPROVED; i++) {
		if (!is_disproved[i]) {
			fail(disproved[i].trace, disproved[i].what, "no such trace");
		}
	}
	printf("rule  edges checked  tight not checkable, borne out\n");
	for (int r = 0; r < GST_RULE_COUNT; r++) {
		check_proof((enum gst_rule)r);
		printf("%-4s %6" PRIu64 " %7" PRIu64 " %6" PRIu64 " %13" PRIu64 " %10" PRIu64 "\n",
		       gst_rule_id((enum gst_rule)r), corpus[r].edges, corpus[r].checked,
		       corpus[r].tight, corpus[r].not_checkable, borne_out[r]);
	}
	printf("%u recorded traces, %u failures\n", recorded, failures);
	return failures || !recorded;
}
