/*
 * export_test_model.c - a simulated program, straight into a model.
 *
 * Role      : tests of exporters that need more than a small trace: every branch, a million ops.
 * Method    : each call draws what it does by chance; a stream has a time at which it is ready, and the
 *             rules (same stream, legacy stream, event waits, host waits) are maxima of such times.
 * Invariant : what gst_model_validate asks; the same seed gives the same model.
 * Not here  : records and files (analyzer/test).
 */
#include "analyzer/export/export_test_model.h"

#include <inttypes.h>

#include "analyzer/base/vec.h"
#include "tracer/format/api.h"

#define PROCESSES 2u
#define THREADS	  2u /* of each process */
#define STREAMS	  6u /* of each process: legacy, 3 blocking, 2 non-blocking */
#define EVENTS	  4u
#define KERNELS	  10u
#define BASE_NS	  UINT64_C(1000000000000)

struct builder {
	struct gst_model *m;
	uint64_t random;
	GST_VEC(struct gst_op) ops;
	GST_VEC(struct gst_call) calls;
	GST_VEC(struct gst_kernel) kernels;
	GST_VEC(struct gst_copy) copies;
	GST_VEC(struct gst_memset) memsets;
	uint64_t ready[PROCESSES * STREAMS];
	uint64_t host[PROCESSES * THREADS];
	uint64_t recorded[PROCESSES *
			  EVENTS]; /* when what was recorded is done; 0 = never recorded */
	uint32_t names[KERNELS];
	bool has_hung[PROCESSES * THREADS];
};

static uint64_t dice(struct builder *b, uint64_t sides)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return b->random % sides;
}

static uint32_t word(struct builder *b, const char *text)
{
	return gst_strtab_intern(b->m->strings, text, strlen(text));
}

static uint32_t api(const char *name)
{
	const struct gst_api *a = gst_api_find_name(name, strlen(name));

	return a ? a->api : GST_API_ID(GST_API_DOMAIN_DRIVER, 60000);
}

/* Names as a stranger would choose them. */
static void make_names(struct builder *b)
{
	static const char *const names[] = {
		"_Z6vecaddPKfS0_Pfi",	   "plain_c_name",	 "",
		"quotes\"and'back\\slash", "\x1b[31mred\x1b[0m", "bad\xff\xfeutf\xc3",
		"line\nbreak\ttab",	   "_ZN3foo3barIiEEvT_", "\xe2\x80\xae reversed",
		"'); DROP TABLE ops;--"};

	for (uint32_t i = 0; i < KERNELS; i++) {
		b->names[i] = word(b, names[i]);
	}
}

static void add_process(struct builder *b, uint32_t p)
{
	struct gst_model *m = b->m;
	struct gst_process *process = &m->processes[p];
	char text[64];

	process->has_trace = process->has_process = process->is_unbroken = true;
	process->is_complete = p == 0;
	process->trace.uuid_hi = UINT64_C(0x0123456789abcdef);
	process->trace.uuid_lo = UINT64_C(0xfedcba9876543210) + p;
	/* Both have one pid, as in two containers. */
	process->rec.pid = 4242;
	process->rec.ppid = 1;
	process->rec.name = word(b, p ? "worker\xff" : "main");
	process->rec.cmdline = gst_strtab_intern(m->strings, "prog\0--flag\0x y", 15);
	process->rec.driver_version = 13000;
	process->rec.driver_release = word(b, "580.1");

	m->devices[p].process = p;
	m->devices[p].name = word(b, "Test GPU");
	/* One device, seen by both. */
	m->devices[p].rec = (struct gst_rec_device){
		.uuid_hi = 7, .uuid_lo = 9, .compute_major = 9, .sm_count = 132, .pci_bus = 0x4b};
	m->contexts[p] = (struct gst_context){.process = p,
					      .cupti_id = 1,
					      .device = p,
					      .legacy_stream = p * STREAMS,
					      .parent = GST_NONE};
	for (uint32_t i = 0; i < THREADS; i++) {
		struct gst_thread *t = &m->threads[p * THREADS + i];

		t->process = p;
		t->index = i + 1;
		t->tid = 4242 + i;
		t->name = i ? 0 : word(b, "main thread");
	}
	for (uint32_t i = 0; i < STREAMS; i++) {
		struct gst_stream *s = &m->streams[p * STREAMS + i];

		*s = (struct gst_stream){.process = p,
					 .ctx = p,
					 .cupti_id = 7 + i,
					 .handle = i ? 0x5000 + i : 0,
					 .thread = GST_NONE,
					 .create_call = GST_NONE,
					 .destroy_call = GST_NONE,
					 .kind = i == 0	 ? GST_STREAM_KIND_LEGACY
						 : i < 4 ? GST_STREAM_KIND_BLOCKING
							 : GST_STREAM_KIND_NONBLOCKING};
		snprintf(text, sizeof(text), i ? "stream %" PRIu32 : "default stream", 7 + i);
		s->name = word(b, text);
	}
	for (uint32_t i = 0; i < EVENTS; i++) {
		m->events[p * EVENTS + i] = (struct gst_event){.process = p,
							       .handle = 0xe000 + i,
							       .create_call = GST_NONE,
							       .destroy_call = GST_NONE};
	}
}

static bool is_blocking(const struct builder *b, uint32_t stream)
{
	return b->m->streams[stream].kind == GST_STREAM_KIND_BLOCKING;
}

/* When work submitted to @stream at @now can begin, and what it holds up until @end. */
static uint64_t can_begin(const struct builder *b, uint32_t stream, uint64_t now)
{
	uint64_t begin = b->ready[stream] > now ? b->ready[stream] : now;
	uint32_t first = b->m->streams[stream].process * STREAMS;

	if (b->m->streams[stream].kind == GST_STREAM_KIND_LEGACY) {
		for (uint32_t i = first; i < first + STREAMS; i++) {
			if (is_blocking(b, i) && b->ready[i] > begin) {
				begin = b->ready[i];
			}
		}
	}
	return begin;
}

static void occupy(struct builder *b, uint32_t stream, uint64_t end)
{
	uint32_t first = b->m->streams[stream].process * STREAMS;

	b->ready[stream] = end;
	if (b->m->streams[stream].kind == GST_STREAM_KIND_LEGACY) {
		for (uint32_t i = first; i < first + STREAMS; i++) {
			if (is_blocking(b, i) && b->ready[i] < end) {
				b->ready[i] = end;
			}
		}
	}
}

static struct gst_op *add_op(struct builder *b, struct gst_call *call, enum gst_op_kind kind)
{
	call->op_count++;
	gst_vec_push(&b->ops, ((struct gst_op){.call = (gst_call_id)b->calls.count,
					       .stream = call->stream,
					       .parent = GST_NONE,
					       .detail = GST_NONE,
					       .event = GST_NONE,
					       .kind = (uint8_t)kind}));
	return &b->ops.data[b->ops.count - 1];
}

static void run(struct builder *b, struct gst_op *op, uint64_t now, uint64_t duration)
{
	op->begin_ns = can_begin(b, op->stream, now);
	op->end_ns = op->begin_ns + duration;
	op->flags |= GST_OP_TIMED;
	occupy(b, op->stream, op->end_ns);
}

static void add_kernel(struct builder *b, struct gst_op *op)
{
	op->name = b->names[dice(b, KERNELS)];
	op->detail = (uint32_t)b->kernels.count;
	gst_vec_push(&b->kernels,
		     ((struct gst_kernel){.grid = {(uint32_t)dice(b, 1000) + 1, 1, 1},
					  .block = {128, 1, 1},
					  .registers = 32,
					  .cupti_stream = b->m->streams[op->stream].cupti_id}));
}

/* A launch known by its nodes alone: they overlap. */
static void add_graph(struct builder *b, struct gst_call *call, uint64_t now)
{
	gst_op_id launch = (gst_op_id)b->ops.count;
	struct gst_op *op = add_op(b, call, GST_OP_GRAPH_LAUNCH);
	uint64_t begin = can_begin(b, op->stream, now), end = begin;
	uint32_t nodes = (uint32_t)dice(b, 5) + 1;

	for (uint32_t i = 0; i < nodes; i++) {
		op = add_op(b, call, GST_OP_KERNEL);
		op->flags = GST_OP_NODE | GST_OP_TIMED;
		op->graph_node = GST_NONE;
		op->parent = launch;
		op->begin_ns = begin + dice(b, 300);
		op->end_ns = op->begin_ns + dice(b, 2000);
		end = op->end_ns > end ? op->end_ns : end;
		add_kernel(b, op);
	}
	op = &b->ops.data[launch];
	op->flags = GST_OP_PARTIAL;
	op->begin_ns = begin;
	op->end_ns = end;
	occupy(b, op->stream, end);
}

/* What a call does; @wait_ns is set to the time that it waits for. */
static void act(struct builder *b, struct gst_call *call, uint64_t *wait_ns)
{
	uint32_t p = b->m->threads[call->thread].process;
	uint64_t now = call->enter_ns + 500, roll = dice(b, 100);
	gst_event_id event = p * EVENTS + (uint32_t)dice(b, EVENTS);
	struct gst_op *op;

	/* Few legacy actions. */
	call->stream = p * STREAMS + (dice(b, 20) ? 1 + (uint32_t)dice(b, STREAMS - 1) : 0);
	call->ctx = p;
	if (roll < 50) {
		call->api = api("cuLaunchKernel");
		op = add_op(b, call, GST_OP_KERNEL);
		add_kernel(b, op);
		run(b, op, now, dice(b, 3000));
	} else if (roll < 60) {
		uint8_t kind = dice(b, 2) ? GST_COPY_HTOD : GST_COPY_DTOH;

		call->api = api("cuMemcpyHtoDAsync");
		op = add_op(b, call, GST_OP_MEMCPY);
		op->detail = (uint32_t)b->copies.count;
		gst_vec_push(&b->copies,
			     ((struct gst_copy){.bytes = dice(b, 1 << 20),
						.copy_kind = kind,
						.src_kind = dice(b, 3) ? GST_MEM_PINNED
								       : GST_MEM_PAGEABLE,
						.dst_kind = GST_MEM_DEVICE,
						.is_async = true}));
		run(b, op, now, dice(b, 5000));
	} else if (roll < 63) {
		call->api = api("cuMemsetD8Async");
		op = add_op(b, call, GST_OP_MEMSET);
		op->detail = (uint32_t)b->memsets.count;
		gst_vec_push(&b->memsets,
			     ((struct gst_memset){.bytes = 4096, .memory_kind = GST_MEM_DEVICE}));
		run(b, op, now, dice(b, 500));
	} else if (roll < 71) {
		call->api = api("cuEventRecord");
		call->event = event;
		op = add_op(b, call, GST_OP_EVENT_RECORD);
		op->event = event;
		b->recorded[event] = can_begin(b, op->stream, now);
		occupy(b, op->stream, b->recorded[event]);
	} else if (roll < 79) {
		call->api = api("cuStreamWaitEvent");
		call->event = event;
		op = add_op(b, call, GST_OP_EVENT_WAIT);
		op->event = event;
		now = can_begin(b, op->stream, now);
		occupy(b, op->stream, b->recorded[event] > now ? b->recorded[event] : now);
	} else if (roll < 82) {
		call->api = api("cuGraphLaunch");
		add_graph(b, call, now);
	} else if (roll < 84) {
		call->api = api("cuGraphLaunch");
		run(b, add_op(b, call, GST_OP_GRAPH_LAUNCH), now, dice(b, 4000));
	} else if (roll < 86) {
		call->api = api("cuMemAllocAsync");
		add_op(b, call, GST_OP_ALLOC);
	} else if (roll < 87) {
		call->api = api("cuLaunchHostFunc");
		add_op(b, call, GST_OP_HOST_FUNC);
	} else if (roll < 88) {
		call->api = api("cuLaunchKernel");
		add_op(b, call, GST_OP_KERNEL)->flags = GST_OP_NO_RECORD;
	} else if (roll < 92) {
		call->api = api("cuStreamSynchronize");
		/* The legacy stream is waited for with all that it stands for. */
		*wait_ns = can_begin(b, call->stream, 0);
	} else if (roll < 94) {
		call->api = api("cuCtxSynchronize");
		call->stream = GST_NONE;
		for (uint32_t i = p * STREAMS; i < (p + 1) * STREAMS; i++) {
			*wait_ns = b->ready[i] > *wait_ns ? b->ready[i] : *wait_ns;
		}
	} else if (roll < 96) {
		call->api = api("cuEventSynchronize");
		call->event = event;
		call->stream = GST_NONE;
		*wait_ns = b->recorded[event];
	} else {
		call->api = api("cuMemAlloc");
		call->stream = GST_NONE;
	}
}

static void add_call(struct builder *b)
{
	uint32_t thread = 0, p;
	struct gst_call call = {.ctx = GST_NONE,
				.event = GST_NONE,
				.first_op = (gst_op_id)b->ops.count,
				.args = GST_NONE,
				.stream = GST_NONE};
	const struct gst_api *known;
	uint64_t wait_ns = 0;

	/* Calls are in the order of their begin: the thread that is free first makes the next one. */
	for (uint32_t i = 1; i < PROCESSES * THREADS; i++) {
		if (b->has_hung[thread] || (!b->has_hung[i] && b->host[i] < b->host[thread])) {
			thread = i;
		}
	}
	p = b->m->threads[thread].process;
	call.thread = thread;
	call.corr = (uint32_t)b->calls.count + 1;
	call.enter_ns = b->host[thread] + dice(b, 400);
	/* Another thread may be behind; what counts is that ids rise with the time of the call. */
	if (b->calls.count && call.enter_ns <= b->calls.data[b->calls.count - 1].enter_ns) {
		call.enter_ns = b->calls.data[b->calls.count - 1].enter_ns + 1;
	}
	act(b, &call, &wait_ns);
	known = gst_api_find(call.api);
	call.cls = known ? known->class_id : GST_API_CLASS_OTHER;
	call.api_flags = known ? known->flags : 0;
	call.exit_ns = call.enter_ns + 1000 + dice(b, 500);
	if (wait_ns + 100 > call.exit_ns && wait_ns) {
		call.exit_ns = wait_ns + 100;
	}
	call.flags = GST_CALL_RETURNED;
	b->host[thread] = call.exit_ns;
	if (p == 1 && thread % THREADS == 1 && b->calls.count > 50) {
		b->has_hung[thread] = true;
		call.flags = 0;
		call.exit_ns = 0;
	}
	gst_vec_push(&b->calls, call);
}

static void *keep(struct gst_arena *arena, const void *data, size_t count, size_t item)
{
	return gst_arena_copy(arena, count ? data : "", count * item);
}

static void seal(struct builder *b, struct gst_arena *arena)
{
	struct gst_model *m = b->m;

	m->op_count = (uint32_t)b->ops.count;
	m->ops = keep(arena, b->ops.data, b->ops.count, sizeof(*m->ops));
	m->call_count = (uint32_t)b->calls.count;
	m->calls = keep(arena, b->calls.data, b->calls.count, sizeof(*m->calls));
	m->kernel_count = (uint32_t)b->kernels.count;
	m->kernels = keep(arena, b->kernels.data, b->kernels.count, sizeof(*m->kernels));
	m->copy_count = (uint32_t)b->copies.count;
	m->copies = keep(arena, b->copies.data, b->copies.count, sizeof(*m->copies));
	m->memset_count = (uint32_t)b->memsets.count;
	m->memsets = keep(arena, b->memsets.data, b->memsets.count, sizeof(*m->memsets));
	for (uint32_t t = 0; t < m->thread_count; t++) {
		gst_call_id *list = GST_ARENA_ARRAY(arena, gst_call_id, m->call_count);

		m->threads[t].calls = list;
		for (gst_call_id c = 0; c < m->call_count; c++) {
			if (m->calls[c].thread == t) {
				list[m->threads[t].call_count++] = c;
			}
		}
	}
	for (uint32_t s = 0; s < m->stream_count; s++) {
		gst_op_id *list = GST_ARENA_ARRAY(arena, gst_op_id, m->op_count);

		m->streams[s].ops = list;
		for (gst_op_id i = 0; i < m->op_count; i++) {
			if (m->ops[i].stream == s && !(m->ops[i].flags & GST_OP_NODE)) {
				list[m->streams[s].op_count++] = i;
			}
		}
	}
	for (gst_op_id i = 0; i < m->op_count; i++) {
		m->end_ns = m->ops[i].end_ns > m->end_ns ? m->ops[i].end_ns : m->end_ns;
	}
	for (gst_call_id i = 0; i < m->call_count; i++) {
		m->end_ns = m->calls[i].exit_ns > m->end_ns ? m->calls[i].exit_ns : m->end_ns;
	}
}

const struct gst_model *gst_test_model(struct gst_arena *arena, uint64_t seed, uint32_t call_count)
{
	struct gst_model *m = gst_arena_alloc(arena, sizeof(*m));
	struct builder b = {.m = m, .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};

	m->strings = gst_strtab_new();
	m->base_ns = BASE_NS;
	m->real_base_ns = UINT64_C(1700000000000000000);
	m->process_count = m->device_count = m->context_count = PROCESSES;
	m->thread_count = PROCESSES * THREADS;
	m->stream_count = PROCESSES * STREAMS;
	m->event_count = PROCESSES * EVENTS;
	m->processes = GST_ARENA_ARRAY(arena, struct gst_process, PROCESSES);
	m->devices = GST_ARENA_ARRAY(arena, struct gst_device, PROCESSES);
	m->contexts = GST_ARENA_ARRAY(arena, struct gst_context, PROCESSES);
	m->threads = GST_ARENA_ARRAY(arena, struct gst_thread, m->thread_count);
	m->streams = GST_ARENA_ARRAY(arena, struct gst_stream, m->stream_count);
	m->events = GST_ARENA_ARRAY(arena, struct gst_event, m->event_count);
	m->losses = GST_ARENA_ARRAY(arena, struct gst_loss, 1);
	m->losses[0] = (struct gst_loss){
		.process = 1, .kind = GST_REC_KERNEL, .reason = GST_LOSS_CUPTI_DROPPED, .count = 3};
	m->loss_count = 1;
	make_names(&b);
	for (uint32_t p = 0; p < PROCESSES; p++) {
		add_process(&b, p);
	}
	while (b.calls.count < call_count) {
		add_call(&b);
	}
	seal(&b, arena);
	gst_vec_free(&b.ops);
	gst_vec_free(&b.calls);
	gst_vec_free(&b.kernels);
	gst_vec_free(&b.copies);
	gst_vec_free(&b.memsets);
	return m;
}
