/*
 * real_lies.c - for tests: facts of recorded traces made wrong.
 *
 * Role      : for each rule a lie about a recorded trace that its times do not bear.
 * Method    : a function changes the records; tables say of which trace, and by which rule it must be noticed.
 * Invariant : a lie changes one fact and nothing else.
 * Not here  : whether it was noticed (real_test.c).
 */
#include "analyzer/test/real_lies.h"

#include <string.h>

static void make_streams_blocking(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_STREAM &&
		    real_get(x, "type") == GST_STREAM_NONBLOCKING) {
			(void)real_set(x, "type", GST_STREAM_BLOCKING);
		} else if (x->schema->kind == GST_REC_CALL_STREAM) {
			(void)real_set(x, "flags", 0);
		}
	}
}

/* All work of user streams into the first of them. */
static void merge_streams(struct real_trace *t)
{
	uint64_t handle = 0, id = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_STREAM && real_get(x, "handle") > 2 && !handle) {
			handle = real_get(x, "handle");
			id = real_get(x, "stream");
		}
	}
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		uint16_t kind = x->schema->kind;
		if ((kind == GST_REC_CALL_LAUNCH || kind == GST_REC_CALL_COPY) &&
		    real_get(x, "stream") > 2) {
			(void)real_set(x, "stream", handle);
		} else if (kind == GST_REC_KERNEL || kind == GST_REC_MEMCPY) {
			(void)real_set(x, "stream", id);
		}
	}
}

static struct real_item *call_of(struct real_trace *t, uint32_t corr, uint32_t kind)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->corr == corr && x->schema->kind == kind) {
			return x;
		}
	}
	return NULL;
}

/* Item @from to the place behind @to, which comes later. */
static void move_behind(struct real_item *from, struct real_item *to)
{
	struct real_item moved = *from;

	if (from >= to) {
		return;
	}
	moved.chunk = to->chunk;
	memmove(from, from + 1, (size_t)(to - from) * sizeof(*from));
	*to = moved;
}

/* As if the call had been made right after the record that is now meant. */
static void move_call_behind(struct real_trace *t, uint32_t wait_corr, uint32_t kind,
			     uint32_t record_corr)
{
	struct real_item *wait = call_of(t, wait_corr, kind);
	struct real_item *end = call_of(t, wait_corr, GST_REC_CALL_EXIT);
	struct real_item *record = call_of(t, record_corr, GST_REC_CALL_EXIT);

	if (!wait || !end || !record) {
		return;
	}
	(void)real_set(wait, "enter_ns", real_get(record, "exit_ns"));
	(void)real_set(end, "exit_ns", real_get(record, "exit_ns"));
	move_behind(wait, record);
	move_behind(call_of(t, wait_corr, GST_REC_CALL_EXIT), call_of(t, wait_corr, kind));
}

/* Each event wait refers to the record after the one it was made for. */
static void move_waits_on(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_SYNC &&
		    real_get(x, "type") == GST_SYNC_STREAM_WAIT && real_get(x, "sync_id")) {
			uint64_t event = real_get(x, "event_id"), next = 0;
			uint32_t corr = 0;
			for (size_t j = 0; j < t->items.count; j++) {
				const struct real_item *y = &t->items.data[j];
				if (y->schema->kind == GST_REC_EVENT &&
				    real_get(y, "event_id") == event &&
				    real_get(y, "sync_id") > real_get(x, "sync_id") &&
				    (!next || real_get(y, "sync_id") < next)) {
					next = real_get(y, "sync_id");
					corr = y->corr;
				}
			}
			if (next) {
				(void)real_set(x, "sync_id", next);
				/* A number alone that names a record to come is not believed. */
				move_call_behind(t, x->corr, GST_REC_CALL_EVENT, corr);
			}
		}
	}
}

/* The second context's streams belong to the first, its legacy stream is that of the first. */
static void merge_contexts(struct real_trace *t)
{
	uint64_t ids[2] = {0, 0}, null_streams[2] = {0, 0};
	int count = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CONTEXT && count < 2) {
			ids[count] = real_get(x, "ctx");
			null_streams[count++] = real_get(x, "null_stream");
		}
	}
	for (size_t i = 0; i < t->items.count && count == 2; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CONTEXT) {
			(void)real_set(x, "null_stream", null_streams[0]);
		} else if (real_get(x, "ctx") == ids[1] &&
			   real_get(x, "stream") == null_streams[1]) {
			(void)real_set(x, "stream", null_streams[0]);
		}
		if (real_get(x, "ctx") == ids[1]) {
			(void)real_set(x, "ctx", ids[0]);
		}
	}
}

/* The per-thread streams are one. */
static void merge_per_thread(struct real_trace *t)
{
	uint64_t first = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_KERNEL && real_get(x, "stream") > 12) {
			first = first ? first : real_get(x, "stream");
			(void)real_set(x, "stream", first);
		}
	}
}

static void stream_waits_cover_all(struct real_trace *t)
{
	const struct gst_api *all = gst_api_find_name("cudaDeviceSynchronize", 21);

	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		const struct gst_api *api = gst_api_find((uint32_t)real_get(x, "api"));
		if (x->schema->kind == GST_REC_CALL_STREAM && api &&
		    api->class_id == GST_API_CLASS_STREAM_SYNC) {
			(void)real_set(x, "api", all->api);
			(void)real_set(x, "stream", 0);
		}
	}
}

static void queries_succeed(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_EXIT && real_get(x, "result") == 600) {
			(void)real_set(x, "result", 0);
		}
		if (x->schema->kind == GST_REC_SYNC && real_get(x, "result")) {
			(void)real_set(x, "result", 0);
		}
	}
}

/* The first graph launch comes after the second record of the event that one of its nodes waits for. */
static void launch_after_next_record(struct real_trace *t)
{
	uint32_t launch = 0, record = 0, records = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct real_item *x = &t->items.data[i];
		const struct gst_api *api = gst_api_find((uint32_t)real_get(x, "api"));
		if (x->schema->kind == GST_REC_CALL_GRAPH && !launch && api &&
		    api->class_id == GST_API_CLASS_GRAPH_LAUNCH) {
			launch = x->corr;
		}
		if (x->schema->kind == GST_REC_CALL_EVENT && api && !real_get(x, "flags") &&
		    api->class_id == GST_API_CLASS_EVENT_RECORD && ++records == 2) {
			record = x->corr;
		}
	}
	move_call_behind(t, launch, GST_REC_CALL_GRAPH, record);
}

static const struct gst_api *api_of(const struct real_item *x)
{
	return gst_api_find((uint32_t)real_get(x, "api"));
}

static bool is_of_class(const struct real_item *x, uint32_t class_id)
{
	const struct gst_api *api = api_of(x);
	return api && api->class_id == class_id;
}

/* All launches are of the first executable graph. */
static void merge_execs(struct real_trace *t)
{
	uint64_t first = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_GRAPH &&
		    is_of_class(x, GST_API_CLASS_GRAPH_LAUNCH)) {
			first = first ? first : real_get(x, "exec");
			(void)real_set(x, "exec", first);
		}
	}
}

/* The launch nearest to item @from in @stream, forwards or backwards. */
static const struct real_item *launch_near(struct real_trace *t, size_t from, int step,
					   uint64_t stream)
{
	for (size_t i = from; i < t->items.count; i += (size_t)step) {
		const struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_LAUNCH && real_get(x, "stream") == stream) {
			return x;
		}
	}
	return NULL;
}

/* The kernels of two launches ran the other way round. */
static void swap_kernels(struct real_trace *t, const struct real_item *before,
			 const struct real_item *behind)
{
	struct real_item *a = before ? call_of(t, before->corr, GST_REC_KERNEL) : NULL;
	struct real_item *b = behind ? call_of(t, behind->corr, GST_REC_KERNEL) : NULL;

	if (a && b) {
		uint64_t begin = real_get(a, "start_ns"), end = real_get(a, "end_ns");
		(void)real_set(a, "start_ns", real_get(b, "start_ns"));
		(void)real_set(a, "end_ns", real_get(b, "end_ns"));
		(void)real_set(b, "start_ns", begin);
		(void)real_set(b, "end_ns", end);
	}
}

/* What stands before a host function in its stream ran behind it. */
static void turn_host_function_round(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		const struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_HOST) {
			uint64_t stream = real_get(x, "stream");
			swap_kernels(t, launch_near(t, i, -1, stream),
				     launch_near(t, i, 1, stream));
			return;
		}
	}
}

/* Freed memory was used by its new owner first, for the last allocation that got some from another stream. */
static void turn_owners_round(struct real_trace *t)
{
	uint64_t freed = 0, freed_in = 0;
	size_t freed_at = 0;
	const struct real_item *before = NULL, *behind = NULL;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct real_item *x = &t->items.data[i];
		if (x->schema->kind != GST_REC_CALL_MEMORY) {
			continue;
		}
		if (is_of_class(x, GST_API_CLASS_FREE_ASYNC)) {
			freed = real_get(x, "address");
			freed_in = real_get(x, "stream");
			freed_at = i;
		} else if (is_of_class(x, GST_API_CLASS_ALLOC_ASYNC) && freed) {
			const struct real_item *end = call_of(t, x->corr, GST_REC_CALL_EXIT);
			if (end && real_get(end, "value") == freed &&
			    real_get(x, "stream") != freed_in) {
				before = launch_near(t, freed_at, -1, freed_in);
				behind = launch_near(t, i, 1, real_get(x, "stream"));
			}
		}
	}
	swap_kernels(t, before, behind);
}

/* Synchronous copies on the device are ones to the host: of these each waits for itself. */
static void copies_reach_the_host(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_MEMCPY &&
		    real_get(x, "copy_kind") == GST_COPY_DTOD) {
			(void)real_set(x, "copy_kind", GST_COPY_DTOH);
			(void)real_set(x, "dst_kind", GST_MEM_PINNED);
		}
	}
}

/* Records of streams are ones of their context. */
static void record_contexts(struct real_trace *t)
{
	const struct gst_api *whole = gst_api_find_name("cuCtxRecordEvent", 16);

	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_EVENT &&
		    is_of_class(x, GST_API_CLASS_EVENT_RECORD)) {
			(void)real_set(x, "api", whole->api);
			(void)real_set(x, "stream", 0);
		}
	}
}

/* What is marked is the memory that was allocated before. */
static void mark_other_memory(struct real_trace *t)
{
	uint64_t allocated[2] = {0, 0};

	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		const struct gst_api *api = api_of(x);
		if (x->schema->kind == GST_REC_CALL_MEMORY && is_of_class(x, GST_API_CLASS_ALLOC)) {
			struct real_item *end = call_of(t, x->corr, GST_REC_CALL_EXIT);
			allocated[0] = allocated[1];
			allocated[1] = end ? real_get(end, "value") : 0;
		}
		if (x->schema->kind == GST_REC_CALL && api &&
		    api->layout == GST_PARAMS_POINTER_ATTRIBUTE) {
			(void)real_set(x, "object", allocated[0]);
		}
	}
}

/* What a graph's edge from its node number @from to number @to leads to is node @other. */
static void turn_edges(struct real_trace *t, uint32_t from, uint32_t to, uint32_t other)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_GRAPH_EDGE &&
		    (uint32_t)real_get(x, "from") == from && (uint32_t)real_get(x, "to") == to) {
			(void)real_set(x, "to", real_get(x, "to") - to + other);
		}
	}
}

/* nodes_capture: the side branch (node 3) joins before "third" (node 2) in place of "join" (node 4). */
static void join_side_before_third(struct real_trace *t)
{
	turn_edges(t, 3, 4, 2);
}

/* Edges from a programmatic port leave the default one. */
static void ports_are_default(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_GRAPH_EDGE && real_get(x, "port") == 2) {
			(void)real_set(x, "port", 1);
		}
	}
}

/* Captured launches were not flagged programmatic. */
static void launches_are_ordinary(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_LAUNCH) {
			(void)real_set(x, "flags", 0);
		}
	}
}

/* It was a launch long before that found its command queue full. */
static void other_call_found_queue_full(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_OVERHEAD &&
		    real_get(x, "type") == GST_OVERHEAD_COMMAND_BUFFER_FULL) {
			x->corr -= 500;
		}
	}
}

/* Batches whose sources may be read at any time read them in stream order. */
static void batches_are_in_order(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_COPY && real_get(x, "access")) {
			(void)real_set(x, "access", GST_ACCESS_STREAM);
		}
	}
}

/* The kernels of the second and the fourth launch ran the other way round: m2_peer_copy has its copy between them. */
static void turn_peer_work_round(struct real_trace *t)
{
	const struct real_item *launches[4];
	size_t count = 0;

	for (size_t i = 0; i < t->items.count && count < 4; i++) {
		const struct real_item *x = &t->items.data[i];

		if (x->schema->kind == GST_REC_CALL_LAUNCH) {
			launches[count++] = x;
		}
	}
	if (count == 4) {
		swap_kernels(t, launches[1], launches[3]);
	}
}

/* Launches on several devices wait for all of their streams, and hold all of them up. */
static void launches_wait_everywhere(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_LAUNCH) {
			uint64_t flags = real_get(x, "flags");
			(void)real_set(x, "flags",
				       flags & ~(uint64_t)(GST_LAUNCH_FLAG_NO_PRE_SYNC |
							   GST_LAUNCH_FLAG_NO_POST_SYNC));
		}
	}
}

/* What stands before the first batch of copies ran behind it, and what stands behind it before. */
static void turn_batch_round(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		const struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_COPY && real_get(x, "count") > 1) {
			uint64_t stream = real_get(x, "stream");
			swap_kernels(t, launch_near(t, i, -1, stream),
				     launch_near(t, i, 1, stream));
			return;
		}
	}
}

/* All memory that was set is pinned. */
static void memory_set_is_pinned(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_MEMSET) {
			(void)real_set(x, "memory_kind", GST_MEM_PINNED);
		}
	}
}

static void say(struct real_trace *t, struct real_item *string, const char *text)
{
	string->tail_bytes = (uint32_t)strlen(text);
	string->tail = gst_arena_copy(t->arena, text, string->tail_bytes);
}

/* The program ran with CUDA_LAUNCH_BLOCKING=1. */
static void launches_block(struct real_trace *t)
{
	struct real_item *variable = NULL;
	uint64_t value = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_VARIABLE && !variable) {
			variable = x;
		} else if (x->schema->kind == GST_REC_STRING && variable &&
			   real_get(x, "id") == real_get(variable, "name")) {
			say(t, x, "CUDA_LAUNCH_BLOCKING");
		} else if (x->schema->kind == GST_REC_STRING && variable && !value) {
			/* One that nothing here asks for: the name of the library. */
			value = real_get(x, "id");
			say(t, x, "1");
		}
	}
	if (variable) {
		(void)real_set(variable, "value", value);
	}
}

/* The nodes of the first and the last launch changed places. */
static void nodes_change_launches(struct real_trace *t)
{
	uint32_t launches[2] = {0, 0};

	for (size_t i = 0; i < t->items.count; i++) {
		const struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_CALL_GRAPH &&
		    is_of_class(x, GST_API_CLASS_GRAPH_LAUNCH)) {
			launches[0] = launches[0] ? launches[0] : x->corr;
			launches[1] = x->corr;
		}
	}
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		if (x->schema->kind == GST_REC_KERNEL && x->corr == launches[0]) {
			x->corr = launches[1];
		} else if (x->schema->kind == GST_REC_KERNEL && x->corr == launches[1]) {
			x->corr = launches[0];
		}
	}
}

/* The kernels of the first and the last launch changed places. */
static void first_kernel_is_last(struct real_trace *t)
{
	struct real_item *first = NULL, *last = NULL;

	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
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
static struct real_item *put_behind(struct real_trace *t, size_t at, uint32_t kind, uint32_t corr)
{
	const struct gst_schema_record *schema = gst_schema_find(kind);
	struct real_item x = {.schema = schema,
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
static void events_follow_launches(struct real_trace *t)
{
	const struct gst_api *record = gst_api_find_name("cuEventRecord", 13);
	uint32_t corr = 1000000;

	for (size_t i = 0; i + 1 < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		const struct real_item *end = call_of(t, x->corr, GST_REC_CALL_EXIT);
		uint64_t event, stream, at_ns;

		if (x->schema->kind != GST_REC_CALL_LAUNCH || !real_get(x, "event") || !end) {
			continue;
		}
		event = real_get(x, "event");
		stream = real_get(x, "stream");
		at_ns = real_get(end, "exit_ns");
		(void)real_set(x, "flags", 0);
		(void)real_set(x, "event", 0);
		i = (size_t)(end - t->items.data);
		x = put_behind(t, i, GST_REC_CALL_EVENT, ++corr);
		(void)real_set(x, "enter_ns", at_ns);
		(void)real_set(x, "api", record->api);
		(void)real_set(x, "ctx", 1);
		(void)real_set(x, "stream", stream);
		(void)real_set(x, "event", event);
		x = put_behind(t, i + 1, GST_REC_CALL_EXIT, corr);
		(void)real_set(x, "exit_ns", at_ns);
	}
}

/* The calls of all threads are of one, as they stand in time. */
static void merge_threads(struct real_trace *t)
{
	for (size_t i = 0; i < t->chunks.count; i++) {
		if (t->chunks.data[i].thread) {
			t->chunks.data[i].thread = 1;
		}
	}
}

const struct real_lie real_lies[] = {
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

const size_t real_lies_count = sizeof(real_lies) / sizeof(real_lies[0]);

/* What is only possible contradicts nothing: the times bear it out as recorded, and no more with the lie. */
const struct real_lie real_unproved[] = {
	{"queue_full.gst", "another call said to have found the queue full",
	 other_call_found_queue_full, GST_RULE_H9},
};

const size_t real_unproved_count = sizeof(real_unproved) / sizeof(real_unproved[0]);

/* The device's work began a second later than it did. */
static void device_is_late(struct real_trace *t)
{
	static const char *const times[] = {"start_ns", "end_ns"};

	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		bool is_op = x->schema->kind == GST_REC_KERNEL ||
			     x->schema->kind == GST_REC_MEMCPY || x->schema->kind == GST_REC_MEMSET;
		for (int j = 0; is_op && j < 2; j++) {
			(void)real_set(x, times[j], real_get(x, times[j]) + 1000000000);
		}
	}
}

/* What stands before a write of a word ran behind what stands after the wait for it. */
static void turn_writes_round(struct real_trace *t)
{
	const struct real_item *writer = NULL, *waiter = NULL;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct real_item *x = &t->items.data[i];
		if (x->schema->kind != GST_REC_MEMOP) {
			continue;
		}
		const struct real_item *call = call_of(t, x->corr, GST_REC_CALL);
		if (!call) {
			continue;
		}
		if (real_get(x, "type") == GST_MEMOP_WRITE_32) {
			writer = launch_near(t, i, -1, real_get(call, "stream"));
		} else {
			waiter = launch_near(t, i, 1, real_get(call, "stream"));
			swap_kernels(t, writer, waiter);
		}
	}
}

/* What is only possible is disproved by the times of the lie, and was not by those of the run. */
const struct real_lie real_disproved[] = {
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

const size_t real_disproved_count = sizeof(real_disproved) / sizeof(real_disproved[0]);
