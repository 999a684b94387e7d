/*
 * gen_trace.c - write a trace of any size, as if a program had run.
 *
 * Role      : input for benchmarks and for tests of scale (//tools:gen_trace).
 * Method    : host threads call, streams run, on one simulated time line that keeps CUDA's rules:
 *             a stream is in order, the legacy stream is a barrier for blocking streams, waits wait
 *             for events, host waits return after the work. Then what the tracer would have written,
 *             in the tracer's order: calls as they happen in chunks of their thread, device records in
 *             batches, later.
 * Invariant : the same arguments give the same bytes; timestamps never contradict the rules.
 * Not here  : anything rare. Every error and odd case has its own text trace in testdata/.
 */
#include "analyzer/base/outfile.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/vec.h"
#include "analyzer/load/gst_writer.h"
#include "tracer/format/api.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>

#define PROCESS		4242u
#define CTX		1u
#define LEGACY_STREAM	7u
#define FIRST_STREAM	13u
#define FIRST_HANDLE	UINT64_C(0x550000001000)
#define FIRST_EVENT	UINT64_C(0x560000001000)
#define CHUNK_BYTES	((size_t)60 << 10)
#define DEVICE_BATCH	4096u
#define MONO_START	UINT64_C(1000000000000)
#define REAL_MINUS_MONO UINT64_C(1700000000000000000)
#define ANCHOR_NS	UINT64_C(900000000)
/* A kernel does not begin sooner after its call, nor an op sooner after the one before it. */
#define LAUNCH_NS 4000u
#define GAP_NS	  600u
#define WAKE_NS	  2000u

#define GRAPH_NODES  100u
#define GRAPH_HANDLE UINT64_C(0x570000001000)
#define EXEC_HANDLE  UINT64_C(0x57f000001000)
#define FIRST_EXEC   2u
#define POOL_HANDLE  UINT64_C(0x580000001000)
/* In shapes other than MIX: each of these many ops is a call that submits nothing. */
#define NEUTRAL_EVERY 4u
#define LEGACY_EVERY  10u

enum shape {
	SHAPE_MIX,
	SHAPE_INDEPENDENT,
	SHAPE_LEGACY,
	SHAPE_MESH,
	SHAPE_SINGLE,
	SHAPE_GRAPHS,
	SHAPE_SHORT_STREAMS,
	SHAPE_COUNT
};

struct arguments {
	enum shape shape;
	uint64_t ops;
	uint32_t streams;
	uint32_t threads;
	uint32_t names;
	uint64_t seed;
	const char *output;
};

struct host_thread {
	struct gst_gst_writer *writer;
	uint64_t now;
	bool is_begun;
};

struct stream {
	uint64_t tail; /* when all that was submitted is done */
	uint32_t life; /* a short-lived one: of how many before it it has the handle */
	bool is_blocking;
};

struct event {
	uint64_t done; /* 0: not recorded yet */
	uint64_t sync_id;
	uint32_t stream;
};

/* A device record that waits to be delivered. */
struct delivery {
	const struct gst_schema_record *schema;
	uint64_t end;
	uint32_t corr;
	union {
		struct gst_rec_kernel kernel;
		struct gst_rec_memcpy memcpy;
		struct gst_rec_memset memset;
		struct gst_rec_sync sync;
		struct gst_rec_event event;
	} rec;
};

enum api_use {
	API_LAUNCH,
	API_H2D,
	API_D2H,
	API_MEMSET,
	API_RECORD,
	API_WAIT,
	API_STREAM_SYNC,
	API_EVENT_SYNC,
	API_CTX_SYNC,
	API_EVENT_QUERY,
	API_STREAM_QUERY,
	API_STREAM_CREATE,
	API_EVENT_CREATE,
	API_STREAM_DESTROY,
	API_INSTANTIATE,
	API_GRAPH_LAUNCH,
	API_NEUTRAL,
	API_COUNT
};

struct generator {
	struct arguments args;
	struct gst_outfile *out;
	struct gst_gst_writer *defs;
	struct gst_gst_writer *stream_defs; /* of streams that come and go */
	bool has_stream_defs;
	struct gst_gst_writer *device;
	struct host_thread *threads;
	struct stream *streams;
	struct event *events;
	uint32_t event_count;
	uint64_t legacy_tail;
	uint64_t blocking_tail; /* the latest of all blocking streams */
	uint64_t engine[2];	/* copy engines: to and from the device */
	GST_VEC(struct delivery) deliveries;
	uint64_t random;
	uint64_t sync_id;
	uint64_t anchor;
	uint64_t sequence;
	uint64_t page;
	uint64_t records;
	uint32_t corr;
	uint32_t api[API_COUNT];
};

static uint64_t next_random(struct generator *g)
{
	uint64_t z = (g->random += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t below(struct generator *g, uint64_t n)
{
	return next_random(g) % n;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Records are small and chunks far from full: an error here is a bug of this program. */
static void put(struct generator *g, struct gst_gst_writer *w,
		const struct gst_schema_record *schema, uint32_t corr, const void *data,
		const void *tail, uint32_t tail_bytes)
{
	struct gst_err err = {0};

	if (gst_gst_writer_put(w, schema, corr, data, tail, tail_bytes, &err)) {
		fprintf(stderr, "gen_trace: %s\n", err.text);
		abort();
	}
	g->records++;
}

#define PUT(g, w, KIND, corr, rec) \
	put((g), (w), gst_schema_find(GST_REC_##KIND), (corr), (rec), NULL, 0)

static void begin(struct generator *g, struct gst_gst_writer *w, uint32_t flags, uint32_t thread)
{
	struct gst_chunk_header like = {
		.flags = flags | GST_CHUNK_SEALED,
		.process = PROCESS,
		.thread = thread,
		.source_page = ++g->page,
	};

	gst_gst_writer_begin(w, &like);
}

static void end(struct generator *g, struct gst_gst_writer *w)
{
	gst_gst_writer_set_number(w, ++g->sequence);
	gst_gst_writer_end(w);
}

static void put_string(struct generator *g, uint32_t id, const char *text)
{
	struct gst_rec_string rec = {.id = id};

	put(g, g->defs, gst_schema_find(GST_REC_STRING), 0, &rec, text, (uint32_t)strlen(text));
}

static void put_anchor(struct generator *g, uint64_t now)
{
	struct gst_rec_anchor rec = {
		.mono_ns = now,
		.real_ns = now + REAL_MINUS_MONO,
		.raw_ns = now + 12345,
		.gpu_ns = now + REAL_MINUS_MONO,
		.width_ns = 60,
	};

	PUT(g, g->defs, ANCHOR, 0, &rec);
	g->anchor = now;
}

static struct gst_gst_writer *thread_writer(struct generator *g, uint32_t thread)
{
	struct host_thread *t = &g->threads[thread];

	if (t->is_begun && gst_gst_writer_body_bytes(t->writer) > CHUNK_BYTES) {
		end(g, t->writer);
		t->is_begun = false;
	}
	if (!t->is_begun) {
		begin(g, t->writer, GST_CHUNK_EVENTS, thread + 1);
		t->is_begun = true;
	}
	return t->writer;
}

/* CUPTI hands buffers over in batches, roughly in the order in which the work ended. */
static void deliver(struct generator *g)
{
	size_t count = g->deliveries.count, i;
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	bool is_begun = false;

	for (i = 0; i < count; i++)
		items[i] = (struct gst_sort_item){.key = g->deliveries.data[i].end,
						  .value = (uint32_t)i};
	gst_sort_items(items, count);
	for (i = 0; i < count; i++) {
		const struct delivery *d = &g->deliveries.data[items[i].value];

		if (!is_begun)
			begin(g, g->device, GST_CHUNK_EVENTS, 0);
		is_begun = true;
		put(g, g->device, d->schema, d->corr, &d->rec, NULL, 0);
		if (gst_gst_writer_body_bytes(g->device) > CHUNK_BYTES) {
			end(g, g->device);
			is_begun = false;
		}
	}
	if (is_begun)
		end(g, g->device);
	gst_vec_clear(&g->deliveries);
	gst_mem_free(items, count * sizeof(*items));
}

static struct delivery *add_delivery(struct generator *g, uint32_t kind, uint32_t corr,
				     uint64_t end_ns)
{
	struct delivery *d;

	if (g->deliveries.count >= DEVICE_BATCH)
		deliver(g);
	d = gst_vec_extend(&g->deliveries, 1);
	memset(d, 0, sizeof(*d));
	d->schema = gst_schema_find(kind);
	d->corr = corr;
	d->end = end_ns;
	return d;
}

/* ---- the simulated device ------------------------------------------------------------------- */

#define LEGACY UINT32_MAX /* as a stream index */

static uint64_t handle_of(uint32_t stream)
{
	return stream == LEGACY ? 0 : FIRST_HANDLE + (uint64_t)stream * 0x100;
}

/* CUDA gives a handle again, CUPTI's numbers go on. */
static uint32_t id_of(const struct generator *g, uint32_t stream)
{
	if (stream == LEGACY)
		return LEGACY_STREAM;
	return FIRST_STREAM + stream + g->streams[stream].life * g->args.streams;
}

/* When an op that was submitted at @submitted may begin in @stream. */
static uint64_t ready(const struct generator *g, uint32_t stream, uint64_t submitted)
{
	uint64_t at = submitted + LAUNCH_NS;

	if (stream == LEGACY)
		return max_u64(at, max_u64(g->legacy_tail, g->blocking_tail) + GAP_NS);
	at = max_u64(at, g->streams[stream].tail + GAP_NS);
	if (g->streams[stream].is_blocking)
		at = max_u64(at, g->legacy_tail + GAP_NS);
	return at;
}

static void occupy(struct generator *g, uint32_t stream, uint64_t until)
{
	if (stream == LEGACY) {
		g->legacy_tail = until;
		return;
	}
	g->streams[stream].tail = max_u64(g->streams[stream].tail, until);
	if (g->streams[stream].is_blocking)
		g->blocking_tail = max_u64(g->blocking_tail, until);
}

/* When all that is in @stream now will be done; what precedes it through the barrier included. */
static uint64_t done(const struct generator *g, uint32_t stream)
{
	uint64_t at = stream == LEGACY ? max_u64(g->legacy_tail, g->blocking_tail)
				       : g->streams[stream].tail;

	if (stream != LEGACY && g->streams[stream].is_blocking)
		at = max_u64(at, g->legacy_tail);
	return at;
}

static uint64_t gpu(uint64_t mono)
{
	return mono + REAL_MINUS_MONO;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* The call under way in a thread. */
struct call {
	uint32_t thread;
	uint32_t corr;
	uint64_t enter;
	uint64_t exit;
};

static struct call enter(struct generator *g, uint32_t thread)
{
	struct host_thread *t = &g->threads[thread];
	struct call c = {.thread = thread, .corr = ++g->corr};

	t->now += 400 + below(g, 1200);
	c.enter = t->now;
	c.exit = c.enter + 2000 + below(g, 1500);
	return c;
}

static void leave(struct generator *g, const struct call *c, uint64_t value, int32_t result)
{
	struct gst_rec_call_exit rec = {.exit_ns = c->exit, .value = value, .result = result};

	PUT(g, g->threads[c->thread].writer, CALL_EXIT, c->corr, &rec);
	g->threads[c->thread].now = c->exit;
}

static void call_kernel(struct generator *g, uint32_t thread, uint32_t stream)
{
	struct call c = enter(g, thread);
	uint32_t name = (uint32_t)below(g, g->args.names);
	struct gst_rec_call_launch launch = {
		.enter_ns = c.enter,
		.api = g->api[API_LAUNCH],
		.ctx = CTX,
		.stream = handle_of(stream),
		.name = 100 + name,
	};
	/* Each kernel has its own size: 2 to 42 us, and a little noise. */
	uint64_t begin_ns = ready(g, stream, c.enter);
	uint64_t end_ns = begin_ns + 2000 + name * 7919 % 40000 + below(g, 500);
	struct delivery *d;

	PUT(g, thread_writer(g, thread), CALL_LAUNCH, c.corr, &launch);
	occupy(g, stream, end_ns);
	d = add_delivery(g, GST_REC_KERNEL, c.corr, end_ns);
	d->rec.kernel = (struct gst_rec_kernel){
		.start_ns = gpu(begin_ns),
		.end_ns = gpu(end_ns),
		.ctx = CTX,
		.stream = id_of(g, stream),
		.name = 100 + name,
		.grid_x = 1 + name % 64,
		.grid_y = 1,
		.grid_z = 1,
		.block_x = 128,
		.block_y = 1,
		.block_z = 1,
		.registers = 32,
		/* Real ones have it. The mix is older, and stays what it was measured with. */
		.channel_type = g->args.shape != SHAPE_MIX,
	};
	leave(g, &c, 0, 0);
}

static void call_copy(struct generator *g, uint32_t thread, uint32_t stream)
{
	struct call c = enter(g, thread);
	bool is_d2h = below(g, 2);
	/* One in five of these from pageable memory: the call then waits for the copy. */
	bool is_pageable = is_d2h && below(g, 5) == 0;
	uint64_t size = UINT64_C(1024) << below(g, 10);
	uint64_t host = UINT64_C(0x7f0000000000) + below(g, 1000) * 0x100000;
	uint64_t device = UINT64_C(0x7e0000000000) + below(g, 1000) * 0x100000;
	struct gst_rec_call_copy copy = {
		.enter_ns = c.enter,
		.api = g->api[is_d2h ? API_D2H : API_H2D],
		.ctx = CTX,
		.stream = handle_of(stream),
		.dst = is_d2h ? host : device,
		.src = is_d2h ? device : host,
		.size = size,
	};
	uint64_t begin_ns = max_u64(ready(g, stream, c.enter), g->engine[is_d2h] + GAP_NS);
	uint64_t end_ns = begin_ns + 1500 + size / (is_pageable ? 5 : 25);
	struct delivery *d;

	PUT(g, thread_writer(g, thread), CALL_COPY, c.corr, &copy);
	occupy(g, stream, end_ns);
	g->engine[is_d2h] = end_ns;
	if (is_pageable)
		c.exit = max_u64(c.exit, end_ns + WAKE_NS);
	d = add_delivery(g, GST_REC_MEMCPY, c.corr, end_ns);
	d->rec.memcpy = (struct gst_rec_memcpy){
		.start_ns = gpu(begin_ns),
		.end_ns = gpu(end_ns),
		.ctx = CTX,
		.stream = id_of(g, stream),
		.copy_kind = is_d2h ? GST_COPY_DTOH : GST_COPY_HTOD,
		.src_kind = is_d2h ? GST_MEM_DEVICE : GST_MEM_PINNED,
		.dst_kind =
			is_d2h ? (is_pageable ? GST_MEM_PAGEABLE : GST_MEM_PINNED) : GST_MEM_DEVICE,
		.is_async = 1,
		.size = size,
	};
	leave(g, &c, 0, 0);
}

static void call_memset(struct generator *g, uint32_t thread, uint32_t stream)
{
	struct call c = enter(g, thread);
	uint64_t size = UINT64_C(4096) << below(g, 8);
	struct gst_rec_call_memset set = {
		.enter_ns = c.enter,
		.api = g->api[API_MEMSET],
		.ctx = CTX,
		.stream = handle_of(stream),
		.dst = UINT64_C(0x7e0000000000) + below(g, 1000) * 0x100000,
		.size = size,
	};
	uint64_t begin_ns = ready(g, stream, c.enter);
	uint64_t end_ns = begin_ns + 1200 + size / 500;
	struct delivery *d;

	PUT(g, thread_writer(g, thread), CALL_MEMSET, c.corr, &set);
	occupy(g, stream, end_ns);
	d = add_delivery(g, GST_REC_MEMSET, c.corr, end_ns);
	d->rec.memset = (struct gst_rec_memset){
		.start_ns = gpu(begin_ns),
		.end_ns = gpu(end_ns),
		.ctx = CTX,
		.stream = id_of(g, stream),
		.memory_kind = GST_MEM_DEVICE,
		.is_async = 1,
		.size = size,
	};
	leave(g, &c, 0, 0);
}

static struct call enter_event(struct generator *g, uint32_t thread, enum api_use use,
			       uint32_t stream, uint32_t event)
{
	struct call c = enter(g, thread);
	struct gst_rec_call_event rec = {
		.enter_ns = c.enter,
		.api = g->api[use],
		.ctx = CTX,
		.stream = use == API_RECORD || use == API_WAIT ? handle_of(stream) : 0,
		.event = FIRST_EVENT + (uint64_t)event * 0x80,
	};

	PUT(g, thread_writer(g, thread), CALL_EVENT, c.corr, &rec);
	return c;
}

static void add_sync(struct generator *g, const struct call *c, uint32_t type, uint32_t stream,
		     uint32_t event, uint32_t result)
{
	struct delivery *d = add_delivery(g, GST_REC_SYNC, c->corr, c->exit);

	d->rec.sync = (struct gst_rec_sync){
		.start_ns = gpu(c->enter + 300),
		.end_ns = gpu(c->exit - 300),
		.ctx = CTX,
		.stream = stream,
		.type = type,
		.event_id = event == GST_ID_NONE ? event : event + 1,
		.sync_id = event == GST_ID_NONE ? 0 : g->events[event].sync_id,
		.result = result,
	};
}

static void call_record_and_wait(struct generator *g, uint32_t thread, uint32_t from, uint32_t to)
{
	uint32_t event = (uint32_t)below(g, g->event_count);
	struct event *e = &g->events[event];
	struct call c = enter_event(g, thread, API_RECORD, from, event);
	struct delivery *d;

	e->done = max_u64(done(g, from), c.enter + LAUNCH_NS);
	e->sync_id = ++g->sync_id;
	e->stream = from;
	occupy(g, from, e->done);
	d = add_delivery(g, GST_REC_EVENT, c.corr, e->done);
	d->rec.event = (struct gst_rec_event){
		.ctx = CTX,
		.stream = id_of(g, from),
		.event_id = event + 1,
		.sync_id = e->sync_id,
	};
	leave(g, &c, 0, 0);

	c = enter_event(g, thread, API_WAIT, to, event);
	occupy(g, to, max_u64(done(g, to), e->done));
	add_sync(g, &c, GST_SYNC_STREAM_WAIT, id_of(g, to), event, 0);
	leave(g, &c, 0, 0);
}

static void call_host_wait(struct generator *g, uint32_t thread, uint32_t stream)
{
	uint64_t kind = below(g, 20);
	uint32_t event = (uint32_t)below(g, g->event_count);
	uint64_t until = 0;
	struct call c;
	uint32_t i;

	if (kind < 6 && g->events[event].done) {
		c = enter_event(g, thread, API_EVENT_SYNC, 0, event);
		c.exit = max_u64(c.exit, g->events[event].done + WAKE_NS);
		add_sync(g, &c, GST_SYNC_EVENT_SYNC, GST_ID_NONE, event, 0);
	} else if (kind < 19) {
		struct gst_rec_call_stream rec = {
			.api = g->api[API_STREAM_SYNC], .ctx = CTX, .stream = handle_of(stream)};

		c = enter(g, thread);
		rec.enter_ns = c.enter;
		PUT(g, thread_writer(g, thread), CALL_STREAM, c.corr, &rec);
		c.exit = max_u64(c.exit, done(g, stream) + WAKE_NS);
		add_sync(g, &c, GST_SYNC_STREAM_SYNC, id_of(g, stream), GST_ID_NONE, 0);
	} else {
		struct gst_rec_call rec = {.api = g->api[API_CTX_SYNC], .ctx = CTX};

		c = enter(g, thread);
		rec.enter_ns = c.enter;
		PUT(g, thread_writer(g, thread), CALL, c.corr, &rec);
		until = done(g, LEGACY);
		for (i = 0; i < g->args.streams; i++)
			until = max_u64(until, g->streams[i].tail);
		c.exit = max_u64(c.exit, until + WAKE_NS);
		add_sync(g, &c, GST_SYNC_CTX_SYNC, GST_ID_NONE, GST_ID_NONE, 0);
	}
	leave(g, &c, 0, 0);
}

#define NOT_READY 600

static void call_query(struct generator *g, uint32_t thread, uint32_t stream)
{
	uint32_t event = (uint32_t)below(g, g->event_count);
	struct call c;
	int32_t result;

	if (below(g, 2) && g->events[event].done) {
		c = enter_event(g, thread, API_EVENT_QUERY, 0, event);
		result = g->events[event].done + WAKE_NS <= c.exit ? 0 : NOT_READY;
		add_sync(g, &c, GST_SYNC_EVENT_SYNC, GST_ID_NONE, event, (uint32_t)result);
	} else {
		struct gst_rec_call_stream rec = {
			.api = g->api[API_STREAM_QUERY], .ctx = CTX, .stream = handle_of(stream)};

		c = enter(g, thread);
		rec.enter_ns = c.enter;
		PUT(g, thread_writer(g, thread), CALL_STREAM, c.corr, &rec);
		result = done(g, stream) + WAKE_NS <= c.exit ? 0 : NOT_READY;
		add_sync(g, &c, GST_SYNC_STREAM_SYNC, id_of(g, stream), GST_ID_NONE,
			 (uint32_t)result);
	}
	leave(g, &c, 0, result);
}

/* A call that submits nothing and waits for nothing. */
static void call_neutral(struct generator *g, uint32_t thread)
{
	struct call c = enter(g, thread);
	struct gst_rec_call rec = {
		.enter_ns = c.enter, .api = g->api[API_NEUTRAL], .ctx = CTX, .object = POOL_HANDLE};

	PUT(g, thread_writer(g, thread), CALL, c.corr, &rec);
	leave(g, &c, 0, 0);
}

/* Its correlation id. */
static uint32_t call_create_stream(struct generator *g, uint32_t thread, uint32_t stream)
{
	struct call c = enter(g, thread);
	struct gst_rec_call_stream call = {
		.enter_ns = c.enter,
		.api = g->api[API_STREAM_CREATE],
		.ctx = CTX,
		.flags = !g->streams[stream].is_blocking,
	};

	PUT(g, thread_writer(g, thread), CALL_STREAM, c.corr, &call);
	leave(g, &c, handle_of(stream), 0);
	return c.corr;
}

static void define_stream(struct generator *g, struct gst_gst_writer *w, uint32_t corr,
			  uint32_t stream)
{
	struct gst_rec_stream rec = {
		.ctx = CTX,
		.stream = id_of(g, stream),
		.handle = handle_of(stream),
		.type = g->streams[stream].is_blocking ? GST_STREAM_BLOCKING
						       : GST_STREAM_NONBLOCKING,
	};

	PUT(g, w, STREAM, corr, &rec);
}

/* A stream for two kernels. */
static void call_short_stream(struct generator *g, uint32_t thread, uint32_t stream)
{
	struct gst_rec_call_stream destroy = {
		.api = g->api[API_STREAM_DESTROY], .ctx = CTX, .stream = handle_of(stream)};
	struct call c;

	if (!g->has_stream_defs)
		begin(g, g->stream_defs, GST_CHUNK_DEFS, 0);
	g->has_stream_defs = true;
	g->streams[stream].tail = 0;
	define_stream(g, g->stream_defs, call_create_stream(g, thread, stream), stream);
	if (gst_gst_writer_body_bytes(g->stream_defs) > CHUNK_BYTES) {
		end(g, g->stream_defs);
		g->has_stream_defs = false;
	}
	call_kernel(g, thread, stream);
	call_kernel(g, thread, stream);
	c = enter(g, thread);
	destroy.enter_ns = c.enter;
	PUT(g, thread_writer(g, thread), CALL_STREAM, c.corr, &destroy);
	leave(g, &c, 0, 0);
	g->streams[stream].life++;
}

/* Nodes one after the other, each with a record of its own. */
static void call_graph(struct generator *g, uint32_t thread, uint32_t stream)
{
	struct call c = enter(g, thread);
	struct gst_rec_call_graph launch = {
		.enter_ns = c.enter,
		.api = g->api[API_GRAPH_LAUNCH],
		.ctx = CTX,
		.stream = handle_of(stream),
		.exec = EXEC_HANDLE + (uint64_t)stream * 0x100,
	};
	uint64_t at = ready(g, stream, c.enter);
	uint32_t i;

	PUT(g, thread_writer(g, thread), CALL_GRAPH, c.corr, &launch);
	for (i = 0; i < GRAPH_NODES; i++) {
		uint32_t name = i % g->args.names;
		uint64_t end_ns = at + 1000 + below(g, 1000);
		struct delivery *d = add_delivery(g, GST_REC_KERNEL, c.corr, end_ns);

		d->rec.kernel = (struct gst_rec_kernel){
			.start_ns = gpu(at),
			.end_ns = gpu(end_ns),
			.ctx = CTX,
			.stream = id_of(g, stream),
			.name = 100 + name,
			.grid_x = 1,
			.grid_y = 1,
			.grid_z = 1,
			.block_x = 128,
			.block_y = 1,
			.block_z = 1,
			.registers = 32,
			.channel_type = 1,
			.graph_node = (uint64_t)(FIRST_EXEC + stream) << 32 | i,
			.graph = FIRST_EXEC + stream,
		};
		at = end_ns + GAP_NS;
	}
	occupy(g, stream, at - GAP_NS);
	leave(g, &c, 0, 0);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void write_definitions(struct generator *g)
{
	struct gst_rec_trace trace = {
		.uuid_hi = next_random(g),
		.uuid_lo = next_random(g),
		.start_mono_ns = MONO_START,
		.start_real_ns = MONO_START + REAL_MINUS_MONO,
		.writer = 1,
		.version = 2,
	};
	struct gst_rec_process process = {
		.pid = PROCESS,
		.name = 3,
		.driver_version = 13000,
		.runtime_version = 13000,
		.cupti_version = 130001,
	};
	struct gst_rec_device device = {
		.name = 4,
		.compute_major = 9,
		.sm_count = 132,
		.copy_engines = 2,
		.pageable_access = -1,
		.host_page_tables = -1,
		.max_blocks_per_sm = 32,
		.max_warps_per_sm = 64,
		.max_registers_per_sm = 65536,
		.max_shared_per_sm = 233472,
	};
	struct gst_rec_context context = {
		.ctx = CTX, .handle = 0x5400, .null_stream = LEGACY_STREAM};
	struct gst_rec_stream legacy = {
		.ctx = CTX, .stream = LEGACY_STREAM, .type = GST_STREAM_LEGACY};
	struct gst_rec_segment segment = {.flags = GST_SEGMENT_UNBROKEN, .time_ns = MONO_START};
	char name[64];
	uint32_t i;

	begin(g, g->defs, GST_CHUNK_DEFS, 0);
	put_string(g, 1, "gen_trace");
	put_string(g, 2, "1");
	put_string(g, 3, "generated");
	put_string(g, 4, "Simulated GPU");
	PUT(g, g->defs, TRACE, 0, &trace);
	PUT(g, g->defs, PROCESS, 0, &process);
	PUT(g, g->defs, SEGMENT, 0, &segment);
	put_anchor(g, MONO_START);
	PUT(g, g->defs, DEVICE, 0, &device);
	PUT(g, g->defs, CONTEXT, 0, &context);
	PUT(g, g->defs, STREAM, 0, &legacy);
	for (i = 0; i < g->args.threads; i++) {
		struct gst_rec_thread thread = {.thread = i + 1, .name = 3, .tid = PROCESS + i};

		PUT(g, g->defs, THREAD, 0, &thread);
	}
	for (i = 0; i < g->args.names; i++) {
		snprintf(name, sizeof(name), "_Z10kernel_%03" PRIu32 "Pfi", i);
		put_string(g, 100 + i, name);
	}
	end(g, g->defs);
}

static void create_streams(struct generator *g)
{
	uint32_t i;

	for (i = 0; i < g->args.streams; i++) {
		uint32_t corr = call_create_stream(g, 0, i);

		if (i % 500 == 0)
			begin(g, g->defs, GST_CHUNK_DEFS, 0);
		define_stream(g, g->defs, corr, i);
		if (i % 500 == 499 || i + 1 == g->args.streams)
			end(g, g->defs);
	}
}

/* Graph @graph, or a clone of the first one, as the tracer tells of them. */
static void define_graph(struct generator *g, uint32_t corr, uint32_t graph, uint64_t handle)
{
	struct gst_rec_graph rec = {.graph = graph,
				    .original = graph > 1,
				    .handle = handle,
				    .nodes = GRAPH_NODES,
				    .edges = GRAPH_NODES - 1};
	uint64_t first = (uint64_t)graph << 32;
	uint32_t i;

	PUT(g, g->defs, GRAPH, corr, &rec);
	for (i = 0; i < GRAPH_NODES; i++) {
		struct gst_rec_graph_node node = {
			.node = first | i,
			.handle = GRAPH_HANDLE + (first >> 12) + 0x10 * i,
			.original = graph > 1 ? UINT64_C(1) << 32 | i : 0,
			.graph = graph,
			.type = GST_NODE_KERNEL,
		};
		struct gst_rec_graph_edge edge = {.from = first | (i - 1),
						  .to = first | i,
						  .graph = graph,
						  /* A clone's edges do not say it. */
						  .port = graph > 1 ? 0 : 1};

		PUT(g, g->defs, GRAPH_NODE, corr, &node);
		if (i)
			PUT(g, g->defs, GRAPH_EDGE, corr, &edge);
	}
}

/* One for each stream: launches of the same one would wait for each other. */
static void create_graphs(struct generator *g)
{
	uint32_t i;

	begin(g, g->defs, GST_CHUNK_DEFS, 0);
	define_graph(g, 0, 1, GRAPH_HANDLE);
	end(g, g->defs);
	for (i = 0; i < g->args.streams; i++) {
		struct call c = enter(g, 0);
		uint64_t handle = EXEC_HANDLE + (uint64_t)i * 0x100;
		struct gst_rec_call_graph call = {.enter_ns = c.enter,
						  .api = g->api[API_INSTANTIATE],
						  .ctx = CTX,
						  .graph = GRAPH_HANDLE};
		struct gst_rec_graph_exec exec = {.exec = handle, .graph = 1, .id = FIRST_EXEC + i};

		PUT(g, thread_writer(g, 0), CALL_GRAPH, c.corr, &call);
		leave(g, &c, handle, 0);
		begin(g, g->defs, GST_CHUNK_DEFS, 0);
		define_graph(g, c.corr, FIRST_EXEC + i, handle);
		PUT(g, g->defs, GRAPH_EXEC, c.corr, &exec);
		end(g, g->defs);
	}
}

/* The first thread creates all streams and events. */
static void create_objects(struct generator *g)
{
	uint32_t i;

	if (g->args.shape != SHAPE_SHORT_STREAMS)
		create_streams(g);
	if (g->args.shape == SHAPE_GRAPHS)
		create_graphs(g);
	for (i = 0; i < g->event_count; i++) {
		struct call c = enter(g, 0);
		struct gst_rec_call_event call = {
			.enter_ns = c.enter,
			.api = g->api[API_EVENT_CREATE],
			.ctx = CTX,
			.flags = 2, /* no timing */
		};

		PUT(g, thread_writer(g, 0), CALL_EVENT, c.corr, &call);
		leave(g, &c, FIRST_EVENT + (uint64_t)i * 0x80, 0);
	}
	/* The others begin when that is done. */
	for (i = 1; i < g->args.threads; i++)
		g->threads[i].now = g->threads[0].now + 1000 * i;
}

/* The next of the mix; the number of ops that it was. */
static uint32_t run_mix(struct generator *g, uint32_t thread, uint32_t stream)
{
	uint32_t other = (uint32_t)below(g, g->args.streams);
	uint64_t what = below(g, 100);

	if (what < 60) {
		call_kernel(g, thread, stream);
	} else if (what < 70) {
		call_copy(g, thread, stream);
	} else if (what < 80) {
		call_record_and_wait(g, thread, other, stream);
		return 2;
	} else if (what < 85) {
		call_kernel(g, thread, LEGACY);
	} else if (what < 90) {
		call_host_wait(g, thread, stream);
	} else if (what < 95) {
		call_memset(g, thread, stream);
	} else {
		call_query(g, thread, stream);
	}
	return 1;
}

/* Number @op of a shape that is all alike; the number of ops that it was. */
static uint32_t run_shape(struct generator *g, uint64_t op, uint32_t thread, uint32_t stream)
{
	switch (g->args.shape) {
	case SHAPE_INDEPENDENT:
	case SHAPE_SINGLE:
		if (op % NEUTRAL_EVERY == NEUTRAL_EVERY - 1) {
			call_neutral(g, thread);
		} else {
			call_kernel(g, thread, stream);
		}
		return 1;
	case SHAPE_LEGACY:
		if (op % LEGACY_EVERY == LEGACY_EVERY - 1) {
			call_kernel(g, thread, LEGACY);
		} else if (op % LEGACY_EVERY % NEUTRAL_EVERY == NEUTRAL_EVERY - 1) {
			call_neutral(g, thread);
		} else {
			call_kernel(g, thread, stream);
		}
		return 1;
	case SHAPE_MESH:
		call_record_and_wait(g, thread, (uint32_t)below(g, g->args.streams), stream);
		call_kernel(g, thread, stream);
		return 3;
	case SHAPE_GRAPHS:
		call_graph(g, thread, stream);
		return GRAPH_NODES;
	case SHAPE_SHORT_STREAMS:
		call_short_stream(g, thread, stream);
		return 4;
	case SHAPE_MIX:
	case SHAPE_COUNT:
		break;
	}
	return run_mix(g, thread, stream);
}

static void run(struct generator *g)
{
	uint64_t op;
	uint32_t i;

	for (op = 0; op < g->args.ops;) {
		uint32_t thread = 0, stream;

		/* The thread that is furthest behind calls next. */
		for (i = 1; i < g->args.threads; i++) {
			if (g->threads[i].now < g->threads[thread].now)
				thread = i;
		}
		if (g->threads[thread].now - g->anchor > ANCHOR_NS) {
			begin(g, g->defs, GST_CHUNK_DEFS, 0);
			put_anchor(g, g->threads[thread].now);
			end(g, g->defs);
		}
		/* A thread has streams of its own, as long as there are enough. */
		stream = (uint32_t)below(g, g->args.streams);
		if (g->args.streams >= g->args.threads)
			stream = stream - stream % g->args.threads + thread;
		if (stream >= g->args.streams)
			stream = thread;
		op += run_shape(g, op, thread, stream);
	}
}

static void finish(struct generator *g)
{
	struct gst_rec_end trailer = {0};
	uint64_t now = max_u64(g->legacy_tail, g->blocking_tail);
	uint32_t i;

	for (i = 0; i < g->args.threads; i++) {
		now = max_u64(now, g->threads[i].now);
		if (g->threads[i].is_begun)
			end(g, g->threads[i].writer);
	}
	if (g->has_stream_defs)
		end(g, g->stream_defs);
	for (i = 0; i < g->args.streams; i++)
		now = max_u64(now, g->streams[i].tail);
	deliver(g);
	begin(g, g->defs, GST_CHUNK_DEFS, 0);
	put_anchor(g, now + 1000);
	end(g, g->defs);
	trailer.time_ns = now + 2000;
	trailer.records = g->records;
	trailer.chunks = g->sequence;
	begin(g, g->defs, GST_CHUNK_DEFS, 0);
	PUT(g, g->defs, END, 0, &trailer);
	end(g, g->defs);
}

static void find_apis(struct generator *g)
{
	static const char *const names[API_COUNT] = {
		[API_LAUNCH] = "cuLaunchKernel",
		[API_H2D] = "cuMemcpyHtoDAsync_v2",
		[API_D2H] = "cuMemcpyDtoHAsync_v2",
		[API_MEMSET] = "cuMemsetD8Async",
		[API_RECORD] = "cuEventRecord",
		[API_WAIT] = "cuStreamWaitEvent",
		[API_STREAM_SYNC] = "cuStreamSynchronize",
		[API_EVENT_SYNC] = "cuEventSynchronize",
		[API_CTX_SYNC] = "cuCtxSynchronize",
		[API_EVENT_QUERY] = "cuEventQuery",
		[API_STREAM_QUERY] = "cuStreamQuery",
		[API_STREAM_CREATE] = "cuStreamCreate",
		[API_EVENT_CREATE] = "cuEventCreate",
		[API_STREAM_DESTROY] = "cuStreamDestroy_v2",
		[API_INSTANTIATE] = "cuGraphInstantiateWithFlags",
		[API_GRAPH_LAUNCH] = "cuGraphLaunch",
		[API_NEUTRAL] = "cuMemPoolSetAttribute",
	};
	int i;

	for (i = 0; i < API_COUNT; i++) {
		const struct gst_api *api = gst_api_find_name(names[i], strlen(names[i]));

		if (!api) {
			fprintf(stderr, "gen_trace: no call %s\n", names[i]);
			abort();
		}
		g->api[i] = api->api;
	}
}

/* Does work in the legacy default stream wait for stream @i, and it for that? */
static bool is_blocking(enum shape shape, uint32_t i)
{
	switch (shape) {
	case SHAPE_INDEPENDENT:
	case SHAPE_MESH:
		return false;
	case SHAPE_LEGACY:
	case SHAPE_SINGLE:
	case SHAPE_SHORT_STREAMS:
		return true;
	case SHAPE_MIX:
	case SHAPE_GRAPHS:
	case SHAPE_COUNT:
		break;
	}
	return i % 4 != 3;
}

static int generate(const struct arguments *args)
{
	struct generator g = {.args = *args, .random = args->seed};
	struct gst_err err = {0};
	uint32_t i;

	if (gst_outfile_open(args->output, &g.out, &err)) {
		fprintf(stderr, "gen_trace: %s\n", err.text);
		return 1;
	}
	find_apis(&g);
	g.defs = gst_gst_writer_new(g.out);
	g.stream_defs = gst_gst_writer_new(g.out);
	g.device = gst_gst_writer_new(g.out);
	g.threads = gst_mem_alloc(args->threads * sizeof(*g.threads));
	g.streams = gst_mem_alloc(args->streams * sizeof(*g.streams));
	if (args->shape == SHAPE_MIX || args->shape == SHAPE_MESH)
		g.event_count = args->streams * 4;
	g.events = gst_mem_alloc(g.event_count * sizeof(*g.events));
	for (i = 0; i < args->threads; i++) {
		g.threads[i].writer = gst_gst_writer_new(g.out);
		g.threads[i].now = MONO_START + 1000;
	}
	for (i = 0; i < args->streams; i++)
		g.streams[i].is_blocking = is_blocking(args->shape, i);

	write_definitions(&g);
	create_objects(&g);
	run(&g);
	finish(&g);

	for (i = 0; i < args->threads; i++)
		gst_gst_writer_free(g.threads[i].writer);
	gst_gst_writer_free(g.defs);
	gst_gst_writer_free(g.stream_defs);
	gst_gst_writer_free(g.device);
	gst_vec_free(&g.deliveries);
	gst_mem_free(g.threads, args->threads * sizeof(*g.threads));
	gst_mem_free(g.streams, args->streams * sizeof(*g.streams));
	gst_mem_free(g.events, g.event_count * sizeof(*g.events));
	if (gst_outfile_commit(g.out, &err)) {
		fprintf(stderr, "gen_trace: %s\n", err.text);
		return 1;
	}
	return 0;
}

static const char *const shapes[SHAPE_COUNT] = {
	[SHAPE_MIX] = "mix",
	[SHAPE_INDEPENDENT] = "independent",
	[SHAPE_LEGACY] = "legacy",
	[SHAPE_MESH] = "mesh",
	[SHAPE_SINGLE] = "single",
	[SHAPE_GRAPHS] = "graphs",
	[SHAPE_SHORT_STREAMS] = "short-streams",
};

static const char usage[] =
	"usage: gen_trace [--shape S] [--ops N] [--streams N] [--threads N] [--names N] [--seed N] -o FILE\n"
	"\n"
	"Writes a generated trace. Shapes:\n"
	"\n"
	"  mix            60 % kernels, 10 % copies, 10 % record/wait pairs, 5 % kernels in the legacy\n"
	"                 default stream, 5 % host waits, 5 % memsets, 5 % queries\n"
	"  independent    kernels in non-blocking streams; each 4th op is a call that does nothing\n"
	"  legacy         the same in blocking streams, each 10th op in the legacy default stream\n"
	"  mesh           each kernel waits for an event recorded in a random stream (3 ops)\n"
	"  single         one stream (--streams 1), one thread\n"
	"  graphs         launches of a graph of 100 kernel nodes (100 ops), each node recorded\n"
	"  short-streams  a stream is created, gets two kernels, and is destroyed (4 ops); --streams\n"
	"                 is the number of handles in use\n"
	"\n"
	"  --shape S    one of these (mix)\n"
	"  --ops N      operations; each is a call with its return and a device record (10000)\n"
	"  --streams N  streams, each fourth one non-blocking in mix and graphs (8)\n"
	"  --threads N  host threads (2)\n"
	"  --names N    kernel names (200)\n"
	"  --seed N     other numbers, another trace (1)\n"
	"  -o FILE      where to; - is standard output\n";

static bool parse(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *rest;

	errno = 0;
	*value = strtoull(text, &rest, 10);
	return !errno && *rest == '\0' && rest != text && *text != '-' && *value >= min &&
	       *value <= max;
}

int main(int argc, char **argv)
{
	enum { SHAPE = 256, OPS, STREAMS, THREADS, NAMES, SEED };
	static const struct option long_options[] = {
		{"shape", required_argument, NULL, SHAPE},
		{"ops", required_argument, NULL, OPS},
		{"streams", required_argument, NULL, STREAMS},
		{"threads", required_argument, NULL, THREADS},
		{"names", required_argument, NULL, NAMES},
		{"seed", required_argument, NULL, SEED},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct arguments args = {
		.ops = 10000, .streams = 8, .threads = 2, .names = 200, .seed = 1, .output = NULL};
	uint64_t value = 0;
	bool is_good = true;
	int c;

	while ((c = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1) {
		switch (c) {
		case SHAPE:
			args.shape = SHAPE_COUNT;
			for (int i = 0; i < SHAPE_COUNT; i++) {
				if (!strcmp(optarg, shapes[i]))
					args.shape = (enum shape)i;
			}
			is_good &= args.shape != SHAPE_COUNT;
			break;
		case OPS:
			is_good &= parse(optarg, 0, UINT32_MAX / 4, &args.ops);
			break;
		case STREAMS:
			is_good &= parse(optarg, 1, 100000, &value);
			args.streams = (uint32_t)value;
			break;
		case THREADS:
			is_good &= parse(optarg, 1, 1000, &value);
			args.threads = (uint32_t)value;
			break;
		case NAMES:
			is_good &= parse(optarg, 1, 1000, &value);
			args.names = (uint32_t)value;
			break;
		case SEED:
			is_good &= parse(optarg, 0, UINT64_MAX, &args.seed);
			break;
		case 'o':
			args.output = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			is_good = false;
			break;
		}
	}
	if (args.shape == SHAPE_SINGLE)
		args.streams = args.threads = 1;
	if (!is_good || !args.output || optind != argc) {
		fputs(usage, stderr);
		return 2;
	}
	return generate(&args);
}
