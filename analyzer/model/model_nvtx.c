/*
 * model_nvtx.c - NVTX: ranges with both ends, the range of each call, names for threads and streams.
 *
 * Role      : takes in what the program says about itself; nothing else in the model depends on it.
 * Method    : a thread's records come in its order. One stack a thread and domain for pushed ranges, and a chain
 *             through all of them for "innermost"; calls of the thread are merged in by time. Started ranges
 *             are joined by their id.
 * Invariant : a range ends no earlier than it begins; its parent began before it in the same thread. An end without
 *             its range is counted and ends nothing.
 * Not here  : what outputs make of it (export), whether NVTX was recorded at all (a note says so).
 */
#include <stdio.h>
#include <string.h>

#include "analyzer/base/sort.h"
#include "analyzer/model/model_internal.h"

/* Of a name within the name of a stream, in bytes. */
#define NAME_MAX_BYTES 64u

void gst_model_ingest_nvtx(struct gst_builder *b, uint32_t thread, const struct gst_rec_nvtx *rec)
{
	const struct gst_raw_process *p = &b->processes.data[b->threads.data[thread].process];
	struct gst_raw_nvtx n = {
		.time_ns = rec->time_ns,
		.id = rec->id,
		.payload = rec->payload,
		.thread = thread,
		.name = gst_model_string(p, rec->name),
		.domain = gst_model_string(p, rec->domain),
		.category = rec->category,
		.color = rec->color,
		.payload_type = rec->payload_type <= UINT8_MAX ? (uint8_t)rec->payload_type : 0};

	/* A newer tracer's kinds of record are nothing that we could draw. */
	if (rec->what == GST_NVTX_UNKNOWN || rec->what > GST_NVTX_STOP)
		return;
	n.what = (uint8_t)rec->what;
	gst_vec_push(&b->nvtx, n);
}

void gst_model_ingest_nvtx_name(struct gst_builder *b, uint32_t process,
				const struct gst_rec_nvtx_name *rec)
{
	if (!rec->name || rec->type == GST_NVTX_OF_UNKNOWN)
		return;
	/* Its strings are looked up at the end: definitions may come before each other. */
	gst_vec_push(&b->given_names, ((struct gst_given_name){.object = rec->object,
							       .process = process,
							       .type = rec->type,
							       .name = rec->name,
							       .domain = rec->domain,
							       .target = GST_NONE}));
}

/* ---- ranges ---------------------------------------------------------------------------------------------- */

struct nvtx {
	struct gst_builder *b;
	struct gst_model *m;
	struct gst_sort_item *order; /* value: index into b->nvtx; by thread, then as they came */
	uint32_t *call_ranges;
	/* by range: the one of its thread and domain that was open below it; GST_NONE */
	uint32_t *below;
	struct gst_map tops;   /* thread and domain -> range opened last, + 1 */
	struct gst_map starts; /* process and id -> range */
	uint32_t top;	       /* of all domains of the thread at hand, maybe closed; GST_NONE */
};

static bool is_open(const struct nvtx *x, uint32_t range)
{
	return x->m->ranges[range].end_ns == GST_RANGE_OPEN;
}

/* The range pushed last of those that are open. */
static uint32_t innermost(struct nvtx *x)
{
	while (x->top != GST_NONE && !is_open(x, x->top))
		x->top = x->m->ranges[x->top].parent;
	return x->top;
}

static uint64_t start_key(const struct nvtx *x, const struct gst_raw_nvtx *n)
{
	return gst_hash_u64(n->id) + x->b->threads.data[n->thread].process;
}

static uint64_t top_key(uint32_t thread, uint32_t domain)
{
	return (uint64_t)thread << 32 | domain;
}

static uint32_t add_range(struct nvtx *x, const struct gst_raw_nvtx *n, uint32_t thread)
{
	uint32_t id = x->m->range_count++;
	struct gst_range *r = &x->m->ranges[id];

	*r = (struct gst_range){.begin_ns = n->time_ns,
				.end_ns = n->what == GST_NVTX_MARK ? n->time_ns : GST_RANGE_OPEN,
				.payload = n->payload,
				.thread = thread,
				.parent = n->what == GST_NVTX_START ? GST_NONE : innermost(x),
				.name = n->name,
				.domain = n->domain,
				.category = n->category,
				.color = n->color,
				.what = n->what,
				.payload_type = n->payload_type};
	return id;
}

static void end_range(struct nvtx *x, uint32_t range, uint64_t ns)
{
	struct gst_range *r = &x->m->ranges[range];

	r->end_ns = ns < r->begin_ns ? r->begin_ns : ns;
}

static void take(struct nvtx *x, const struct gst_raw_nvtx *n, uint32_t thread)
{
	uint32_t *top, range;

	switch (n->what) {
	case GST_NVTX_MARK:
		(void)add_range(x, n, thread);
		break;
	case GST_NVTX_START:
		range = add_range(x, n, thread);
		gst_map_put(&x->starts, start_key(x, n), range);
		break;
	case GST_NVTX_PUSH:
		range = add_range(x, n, thread);
		top = gst_map_add(&x->tops, top_key(thread, n->domain), 0, NULL);
		x->below[range] = *top;
		*top = range + 1;
		x->top = range;
		break;
	case GST_NVTX_POP_RANGE:
		top = gst_map_add(&x->tops, top_key(thread, n->domain), 0, NULL);
		if (*top == 0) {
			x->m->stats.nvtx_lone_ends++;
			break;
		}
		range = *top - 1;
		*top = x->below[range];
		end_range(x, range, n->time_ns);
		break;
	default: /* STOP: when all starts are known */
		break;
	}
}

/* The records of @thread are items @first to @last of the order. */
static void take_thread(struct nvtx *x, uint32_t thread, size_t first, size_t last)
{
	const struct gst_thread *t = &x->m->threads[thread];
	size_t i = first;

	x->top = GST_NONE;
	for (uint32_t k = 0; k < t->call_count; k++) {
		gst_call_id call = t->calls[k];

		while (i < last &&
		       x->b->nvtx.data[x->order[i].value].time_ns <= x->m->calls[call].enter_ns)
			take(x, &x->b->nvtx.data[x->order[i++].value], thread);
		x->call_ranges[call] = innermost(x);
	}
	while (i < last)
		take(x, &x->b->nvtx.data[x->order[i++].value], thread);
}

static void stop_ranges(struct nvtx *x)
{
	for (size_t i = 0; i < x->b->nvtx.count; i++) {
		const struct gst_raw_nvtx *n = &x->b->nvtx.data[i];
		uint32_t range;

		if (n->what != GST_NVTX_STOP)
			continue;
		if (gst_map_get(&x->starts, start_key(x, n), &range) && is_open(x, range)) {
			end_range(x, range, n->time_ns);
		} else {
			x->m->stats.nvtx_lone_ends++;
		}
	}
}

static void count_ranges(struct gst_model *m)
{
	for (uint32_t i = 0; i < m->range_count; i++) {
		if (m->ranges[i].what == GST_NVTX_MARK) {
			m->stats.nvtx_marks++;
		} else {
			m->stats.nvtx_ranges++;
			m->stats.nvtx_open_ranges += m->ranges[i].end_ns == GST_RANGE_OPEN;
		}
	}
}

static void find_ranges(struct gst_builder *b)
{
	struct nvtx x = {.b = b, .m = b->m};
	size_t count = b->nvtx.count, bytes;

	if (count == 0)
		return;
	bytes = count * sizeof(*x.below);
	x.below = gst_mem_alloc(bytes);
	x.order = gst_mem_alloc(count * sizeof(*x.order));
	for (size_t i = 0; i < count; i++)
		x.order[i] = (struct gst_sort_item){
			.key = b->threads.data[b->nvtx.data[i].thread].final, .value = (uint32_t)i};
	gst_sort_items(x.order, count);
	b->m->ranges = GST_ARENA_ARRAY(b->arena, struct gst_range, count);
	x.call_ranges = GST_ARENA_ARRAY(b->arena, uint32_t, b->m->call_count);
	memset(x.call_ranges, 0xff, b->m->call_count * sizeof(*x.call_ranges));
	for (size_t i = 0; i < count;) {
		size_t last = i;

		while (last < count && x.order[last].key == x.order[i].key)
			last++;
		take_thread(&x, (uint32_t)x.order[i].key, i, last);
		i = last;
	}
	stop_ranges(&x);
	count_ranges(b->m);
	b->m->call_ranges = x.call_ranges;
	gst_map_release(&x.tops);
	gst_map_release(&x.starts);
	gst_mem_free(x.order, count * sizeof(*x.order));
	gst_mem_free(x.below, bytes);
}

/* ---- names ----------------------------------------------------------------------------------------------- */

static uint64_t handle_key(uint32_t process, uint64_t handle)
{
	return gst_hash_u64(handle) + process;
}

/* "stream 13 (compute)": the number stays, people know it. */
static void name_stream(struct gst_model *m, gst_stream_id stream, uint32_t name)
{
	char text[256];
	size_t length, own;
	const char *given = gst_strtab_get(m->strings, name, &length);
	const char *before = gst_strtab_get(m->strings, m->streams[stream].name, &own);
	int n;

	if (length > NAME_MAX_BYTES) {
		length = NAME_MAX_BYTES;
		/* Not half a character. */
		while (length > 0 && ((unsigned char)given[length] & 0xc0) == 0x80)
			length--;
	}
	own = strnlen(before, own < 100 ? own : 100);
	n = snprintf(text, sizeof(text), "%.*s (%.*s)", (int)own, before, (int)length, given);
	m->streams[stream].name = gst_strtab_intern(m->strings, text, n > 0 ? (size_t)n : 0);
}

/* Of two names for one handle the later one holds, if only one stream ever had the handle. */
static void name_streams(struct gst_model *m)
{
	const uint32_t several = GST_NONE;
	struct gst_map by_handle = {0};
	uint32_t *last = gst_mem_alloc(m->stream_count * sizeof(*last));

	memset(last, 0xff, m->stream_count * sizeof(*last));
	for (uint32_t i = 0; i < m->stream_count; i++) {
		bool is_new;
		uint32_t *slot;

		if (!m->streams[i].handle)
			continue;
		slot = gst_map_add(&by_handle,
				   handle_key(m->streams[i].process, m->streams[i].handle), i,
				   &is_new);
		if (!is_new)
			*slot = several;
	}
	for (uint32_t i = 0; i < m->given_name_count; i++) {
		struct gst_given_name *g = &m->given_names[i];
		uint32_t stream;

		if (g->type != GST_NVTX_OF_STREAM || !g->name)
			continue;
		if (!gst_map_get(&by_handle, handle_key(g->process, g->object), &stream) ||
		    stream == several || m->streams[stream].process != g->process ||
		    m->streams[stream].handle != g->object) {
			m->stats.nvtx_names_unused++;
			continue;
		}
		if (last[stream] != GST_NONE)
			m->given_names[last[stream]].target = GST_NONE;
		last[stream] = i;
		g->target = stream;
	}
	for (uint32_t i = 0; i < m->stream_count; i++) {
		if (last[i] != GST_NONE)
			name_stream(m, i, m->given_names[last[i]].name);
	}
	gst_mem_free(last, m->stream_count * sizeof(*last));
	gst_map_release(&by_handle);
}

static void name_threads(struct gst_model *m)
{
	struct gst_map by_tid = {0};
	uint32_t *last = gst_mem_alloc(m->thread_count * sizeof(*last));

	memset(last, 0xff, m->thread_count * sizeof(*last));
	for (uint32_t i = 0; i < m->thread_count; i++) {
		/* Of a tid that came again the last thread. */
		if (m->threads[i].tid)
			gst_map_put(&by_tid, handle_key(m->threads[i].process, m->threads[i].tid),
				    i);
	}
	for (uint32_t i = 0; i < m->given_name_count; i++) {
		struct gst_given_name *g = &m->given_names[i];
		uint32_t thread;

		if (g->type != GST_NVTX_OF_THREAD || !g->name)
			continue;
		if (!gst_map_get(&by_tid, handle_key(g->process, g->object), &thread) ||
		    m->threads[thread].process != g->process ||
		    m->threads[thread].tid != g->object) {
			m->stats.nvtx_names_unused++;
			continue;
		}
		if (last[thread] != GST_NONE)
			m->given_names[last[thread]].target = GST_NONE;
		last[thread] = i;
		g->target = thread;
		m->threads[thread].name = g->name;
	}
	gst_mem_free(last, m->thread_count * sizeof(*last));
	gst_map_release(&by_tid);
}

/* Names are told again at the begin of each window of a recording: once is enough. */
static void collect_names(struct gst_builder *b)
{
	struct gst_model *m = b->m;
	struct gst_map told = {0}; /* what is named -> its last name */

	m->given_names = GST_ARENA_ARRAY(b->arena, struct gst_given_name, b->given_names.count);
	for (size_t i = 0; i < b->given_names.count; i++) {
		struct gst_given_name g = b->given_names.data[i];
		uint64_t key = gst_hash_u64(handle_key(g.process, g.object)) + g.type;
		const struct gst_given_name *last = NULL;
		uint32_t at;

		g.name = gst_model_string(&b->processes.data[g.process], g.name);
		g.domain = gst_model_string(&b->processes.data[g.process], g.domain);
		if (gst_map_get(&told, key, &at))
			last = &m->given_names[at];
		if (last && last->process == g.process && last->type == g.type &&
		    last->object == g.object && last->name == g.name && last->domain == g.domain)
			continue;
		gst_map_put(&told, key, m->given_name_count);
		m->given_names[m->given_name_count++] = g;
	}
	gst_map_release(&told);
}

static void use_names(struct gst_builder *b)
{
	if (b->given_names.count == 0)
		return;
	collect_names(b);
	name_threads(b->m);
	name_streams(b->m);
}

void gst_model_finish_nvtx(struct gst_builder *b)
{
	find_ranges(b);
	use_names(b);
	gst_vec_free(&b->nvtx);
	gst_vec_free(&b->given_names);
}
