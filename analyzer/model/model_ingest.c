/*
 * model_ingest.c - take the loader's records apart into compact tables, one a kind.
 *
 * Role      : first step of gst_model_build; nothing is decided here, times stay raw.
 * Method    : calls are completed by the exit that follows in their thread; device records keep what
 *             the model needs and their correlation id.
 * Invariant : ids of strings are the model's at the end of the step, others are the trace's.
 * Not here  : what belongs to what (model_resolve.c), clocks (model_clock.c).
 */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/load/records.h"
#include "analyzer/model/model_internal.h"

#define SEGMENTS_MAX	 4096u
#define LOW_STRINGS_STEP 1024u
#define LOW_STRINGS_MAX	 (1u << 24)

static uint32_t look_up_process(struct gst_builder *b, uint32_t source, uint32_t pid)
{
	uint32_t *slot;
	bool is_new;

	slot = gst_map_add(&b->process_map, (uint64_t)source << 32 | pid,
			   (uint32_t)b->processes.count, &is_new);
	if (is_new) {
		struct gst_raw_process fresh = {0};

		fresh.source = source;
		fresh.pid = pid;
		fresh.first_segment = UINT32_MAX;
		fresh.out.source = source;
		fresh.out.rec.pid = pid;
		fresh.out.is_complete = true;
		gst_vec_push(&b->processes, fresh);
	}
	b->last_process = *slot;
	b->last_source = source;
	b->last_pid = pid;
	return *slot;
}

/* Mostly it is that of the record before. */
static inline struct gst_raw_process *find_process(struct gst_builder *b, uint32_t source,
						   uint32_t pid, uint32_t *index)
{
	if (b->processes.count && b->last_pid == pid && b->last_source == source) {
		*index = b->last_process;
	} else {
		*index = look_up_process(b, source, pid);
	}
	return &b->processes.data[*index];
}

uint32_t gst_model_process(struct gst_builder *b, uint32_t source, uint32_t pid)
{
	uint32_t process;

	(void)find_process(b, source, pid, &process);
	return process;
}

static uint32_t look_up_thread(struct gst_builder *b, uint32_t process, uint32_t index)
{
	uint32_t *slot;
	bool is_new;

	slot = gst_map_add(&b->thread_map, (uint64_t)process << 32 | index,
			   (uint32_t)b->threads.count, &is_new);
	if (is_new) {
		struct gst_raw_thread fresh = {0};

		fresh.process = process;
		fresh.index = index;
		fresh.open = GST_NONE;
		gst_vec_push(&b->threads, fresh);
		b->processes.data[process].thread_count++;
	}
	b->last_thread = *slot;
	b->last_thread_key = (uint64_t)process << 32 | index;
	return *slot;
}

static inline uint32_t find_thread(struct gst_builder *b, uint32_t process, uint32_t index)
{
	if (b->threads.count && b->last_thread_key == ((uint64_t)process << 32 | index))
		return b->last_thread;
	return look_up_thread(b, process, index);
}

uint32_t gst_model_look_up_context(struct gst_builder *b, uint32_t process, uint32_t cupti_id)
{
	struct gst_raw_process *p = &b->processes.data[process];
	uint32_t *slot;
	bool is_new;

	slot = gst_map_add(&p->contexts, cupti_id, (uint32_t)b->contexts.count, &is_new);
	p->has_recent_context = true;
	p->recent_cupti_id = cupti_id;
	p->recent_context = *slot;
	if (is_new) {
		struct gst_context fresh = {.process = process,
					    .cupti_id = cupti_id,
					    .device = GST_NONE,
					    .legacy_stream = GST_NONE,
					    .parent = GST_NONE};

		gst_vec_push(&b->contexts, fresh);
		p->context_count++;
	}
	return *slot;
}

static uint32_t find_device(struct gst_builder *b, uint32_t process, uint32_t cupti_id)
{
	struct gst_raw_process *p = &b->processes.data[process];
	uint32_t *slot;
	bool is_new;

	slot = gst_map_add(&p->devices, cupti_id, (uint32_t)b->devices.count, &is_new);
	if (is_new) {
		struct gst_device fresh = {.process = process, .cupti_id = cupti_id};

		gst_vec_push(&b->devices, fresh);
	}
	return *slot;
}

/*
 * The model's id of string @id of the trace; an unknown id is no string. Definitions come before all
 * calls and device records, but not before each other.
 */
static uint32_t string_id(const struct gst_raw_process *p, uint32_t id)
{
	uint32_t out;

	if (id < p->low_strings.count)
		return p->low_strings.data[id];
	return id && gst_map_get(&p->strings, id, &out) ? out : 0;
}

uint32_t gst_model_string(const struct gst_raw_process *p, uint32_t id)
{
	return string_id(p, id);
}

static void add_loss(struct gst_builder *b, uint32_t process, uint32_t kind, uint32_t reason,
		     uint64_t count, uint64_t since_ns, uint64_t until_ns)
{
	struct gst_loss loss = {.process = process,
				.kind = kind,
				.reason = reason,
				.count = count,
				.since_ns = since_ns,
				.until_ns = until_ns};

	gst_vec_push(&b->losses, loss);
	b->processes.data[process].out.is_complete = false;
}

/* ---- definitions ------------------------------------------------------------------------------- */

/* Ids mostly count up from 1: an array for those, a map for what is far off. */
static void ingest_string(struct gst_builder *b, struct gst_raw_process *p, uint32_t id,
			  const struct gst_record *rec)
{
	uint32_t string = gst_strtab_intern(b->m->strings, rec->tail, rec->tail_bytes);

	if (id < p->low_strings.count + LOW_STRINGS_STEP && id < LOW_STRINGS_MAX) {
		while (p->low_strings.count <= id) {
			uint32_t at = (uint32_t)p->low_strings.count;
			uint32_t known = 0;

			(void)gst_map_get(&p->strings, at, &known);
			gst_vec_push(&p->low_strings, known);
		}
		p->low_strings.data[id] = string;
		return;
	}
	gst_map_put(&p->strings, id, string);
}

static void ingest_device(struct gst_builder *b, uint32_t process, const struct gst_rec_device *rec)
{
	uint32_t index = find_device(b, process, rec->device);

	b->devices.data[index].rec = *rec;
}

static void ingest_context(struct gst_builder *b, uint32_t process,
			   const struct gst_rec_context *rec)
{
	uint32_t ctx = gst_model_context(b, process, rec->ctx);
	uint32_t parent = rec->parent ? gst_model_context(b, process, rec->parent) : GST_NONE;
	uint32_t device = find_device(b, process, rec->device);

	if (rec->handle) {
		bool is_new;
		uint32_t *id = gst_map_add(&b->processes.data[process].context_handles, rec->handle,
					   rec->ctx, &is_new);

		/* Another context had it before: 0, the handle alone tells nothing. */
		if (*id != rec->ctx)
			*id = 0;
	}
	b->contexts.data[ctx].device = device;
	if (parent != ctx && parent != GST_NONE)
		b->contexts.data[ctx].parent = parent;
	if (rec->null_stream) {
		/* Kept as a definition of its own: the stream's record may be missing. */
		struct gst_raw_stream_def def = {0};

		def.rec.ctx = rec->ctx;
		def.rec.stream = rec->null_stream;
		def.rec.type = GST_STREAM_LEGACY;
		def.stream = GST_NONE;
		gst_vec_push(&b->processes.data[process].stream_defs, def);
	}
}

static void ingest_rank(struct gst_builder *b, uint32_t process, const struct gst_rec_rank *rec)
{
	char number[24];
	int length = snprintf(number, sizeof(number), "%" PRId64, rec->value);
	struct gst_raw_variable v = {
		.out = {.process = process,
			.name = rec->name,
			.value = gst_strtab_intern(b->m->strings, number, (size_t)length)},
		.has_value = true};

	gst_vec_push(&b->variables, v);
}

static struct gst_raw_segment *find_segment(struct gst_raw_process *p, uint32_t index)
{
	for (size_t i = 0; i < p->segments.count; i++) {
		if (p->segments.data[i].index == index)
			return &p->segments.data[i];
	}
	return NULL;
}

static void ingest_segment(struct gst_raw_process *p, const struct gst_rec_segment *rec)
{
	struct gst_raw_segment s = {.index = rec->index,
				    .time_ns = rec->time_ns,
				    .is_unbroken = (rec->flags & GST_SEGMENT_UNBROKEN) != 0};

	if (!p->has_segment || rec->index < p->first_segment) {
		p->first_segment = rec->index;
		p->out.is_unbroken = rec->index == 0 && s.is_unbroken;
	}
	p->has_segment = true;
	/* Windows are opened by hand: what has more of them was not written by us. */
	if (p->segments.count < SEGMENTS_MAX && !find_segment(p, rec->index))
		gst_vec_push(&p->segments, s);
}

static void ingest_end(struct gst_raw_process *p, const struct gst_record *rec)
{
	const struct gst_rec_end *r = rec->data;
	struct gst_raw_segment *s = find_segment(p, rec->segment);

	if (s)
		s->end_ns = r->time_ns;
}

/* ---- calls --------------------------------------------------------------------------------------- */

static uint32_t add_args(struct gst_builder *b, uint64_t a, uint64_t c, uint64_t bytes,
			 uint32_t flags, int32_t extra)
{
	struct gst_call_args args = {
		.a = a, .b = c, .bytes = bytes, .flags = flags, .extra = extra};

	if (!(a | c | bytes | flags | (uint32_t)extra))
		return GST_NONE;
	gst_vec_push(&b->args, args);
	return (uint32_t)b->args.count - 1;
}

static const struct gst_api *find_api(struct gst_builder *b, uint32_t id)
{
	struct gst_api_cache *cache = &b->api_cache[id % API_CACHE];

	if (!cache->api || cache->id != id) {
		cache->id = id;
		cache->api = gst_api_find(id);
	}
	return cache->api;
}

/* One more call of @thread, its context not known yet; end_run() comes after it, or after those of a chunk. */
static struct gst_call *add_call(struct gst_builder *b, uint32_t thread, uint64_t enter_ns,
				 uint32_t id, uint32_t corr)
{
	const struct gst_api *api = find_api(b, id);
	struct gst_raw_process *p = &b->processes.data[b->threads.data[thread].process];
	struct gst_call *call = gst_vec_extend(&b->raw_calls, 1);

	*call = (struct gst_call){
		.enter_ns = enter_ns,
		.api = id,
		.corr = corr,
		.thread = thread,
		.stream = GST_NONE,
		.args = GST_NONE,
		.cls = api ? api->class_id : GST_API_CLASS_OTHER,
		.api_flags = api ? api->flags : 0,
	};
	if (corr > p->most_corr)
		p->most_corr = corr;
	b->class_calls[call->cls]++;
	return call;
}

/* The calls from @first on are of @thread. */
static void end_run(struct gst_builder *b, uint32_t thread, size_t first)
{
	struct gst_raw_thread *t = &b->threads.data[thread];
	struct gst_call_run *last = t->runs.count ? &t->runs.data[t->runs.count - 1] : NULL;
	uint32_t count = (uint32_t)(b->raw_calls.count - first);

	if (!count)
		return;
	if (last && last->first + last->count == first) {
		last->count += count;
	} else {
		gst_vec_push(&t->runs, (struct gst_call_run){(uint32_t)first, count});
	}
	t->call_count += count;
	b->processes.data[t->process].call_count += count;
}

/* @value, if it is one, for the walk alone. */
static void add_value(struct gst_builder *b, struct gst_call *call, uint64_t value)
{
	if (!value)
		return;
	gst_vec_push(&b->values, value);
	call->event = (uint32_t)b->values.count;
}

/* A call of @kind; @data is its record in full. */
static void ingest_call(struct gst_builder *b, uint32_t thread, uint32_t kind, uint32_t corr,
			const void *data)
{
	const struct gst_rec_call_prefix *prefix = data;
	struct gst_call *call = add_call(b, thread, prefix->enter_ns, prefix->api, corr);
	struct gst_raw_thread *t = &b->threads.data[thread];

	t->open = (uint32_t)b->raw_calls.count - 1;
	call->ctx = prefix->ctx;
	if (call->ctx) {
		(void)gst_model_context(b, t->process, call->ctx);
	} else {
		t->lacks_ctx = true;
	}
	call->first_op = (uint32_t)prefix->stream;
	call->op_count = (uint32_t)(prefix->stream >> 32);
	switch (kind) {
	case GST_REC_CALL: {
		const struct gst_rec_call *r = data;

		call->args = add_args(b, r->object, r->value, r->count, r->flags, r->place);
		break;
	}
	case GST_REC_CALL_LAUNCH: {
		const struct gst_rec_call_launch *r = data;

		call->args = add_args(b, r->event, r->event2, 0, r->flags, 0);
		call->sync_id = string_id(&b->processes.data[t->process], r->name);
		break;
	}
	case GST_REC_CALL_COPY: {
		const struct gst_rec_call_copy *r = data;

		call->args = add_args(b, r->dst, r->src, r->size, r->count, (int32_t)r->direction);
		if (call->api_flags & GST_API_BATCH && r->access != GST_ACCESS_STREAM)
			call->flags |= GST_CALL_EARLY_SOURCE;
		break;
	}
	case GST_REC_CALL_MEMSET: {
		const struct gst_rec_call_memset *r = data;

		call->args = add_args(b, r->dst, 0, r->size, 0, 0);
		break;
	}
	case GST_REC_CALL_EVENT: {
		const struct gst_rec_call_event *r = data;

		/* Many, and nobody asks for the handle once the event is known. */
		if (gst_call_names_event(call) && !(r->event2 | r->context | r->flags)) {
			add_value(b, call, r->event);
		} else {
			call->args = add_args(b, r->event, r->event2, r->context, r->flags, 0);
		}
		break;
	}
	case GST_REC_CALL_STREAM: {
		const struct gst_rec_call_stream *r = data;

		call->args = add_args(b, 0, 0, 0, r->flags, r->priority);
		break;
	}
	case GST_REC_CALL_GRAPH: {
		const struct gst_rec_call_graph *r = data;

		/* A call that names an executable graph and a node names no graph. */
		call->args = add_args(b, r->exec && r->node ? r->event : r->graph,
				      r->exec ? r->exec : r->event, r->node, r->mode, 0);
		break;
	}
	case GST_REC_CALL_MEMORY: {
		const struct gst_rec_call_memory *r = data;

		call->args = add_args(b, r->address, r->pool, r->size, 0, 0);
		break;
	}
	case GST_REC_CALL_HOST: {
		const struct gst_rec_call_host *r = data;

		call->args = add_args(b, r->function, r->user, 0, 0, 0);
		break;
	}
	default:
		break;
	}
}

static void ingest_exit(struct gst_builder *b, uint32_t thread, uint32_t corr,
			const struct gst_rec_call_exit *r)
{
	struct gst_raw_thread *t = &b->threads.data[thread];
	struct gst_call *call = t->open == GST_NONE ? NULL : &b->raw_calls.data[t->open];

	t->open = GST_NONE;
	if (!call || call->corr != corr) {
		/* Its enter was lost: all that is known is that it ended. */
		call = add_call(b, thread, r->exit_ns, 0, corr);
		call->flags = GST_CALL_NO_ENTER;
		t->lacks_ctx = true;
	}
	call->exit_ns = r->exit_ns < call->enter_ns ? call->enter_ns : r->exit_ns;
	if (!gst_call_names_event(call))
		add_value(b, call, r->value);
	call->result = r->result;
	call->flags |= GST_CALL_RETURNED;
}

/* An element of the thread's open call. Others belong to a call whose beginning was lost. */
static void ingest_memop(struct gst_builder *b, uint32_t thread, uint32_t corr,
			 const struct gst_rec_memop *r)
{
	struct gst_raw_thread *t = &b->threads.data[thread];
	struct gst_call *call = t->open == GST_NONE ? NULL : &b->raw_calls.data[t->open];

	if (!call || call->cls != GST_API_CLASS_MEMOP || call->corr != corr)
		return;
	gst_vec_push(&b->raw_memops, ((struct gst_raw_memop){.out = {.address = r->address,
								     .value = r->value,
								     .type = r->type,
								     .flags = r->flags},
							     .index = r->index,
							     .previous = call->sync_id}));
	call->sync_id = (uint32_t)b->raw_memops.count;
}

/* ---- device records ------------------------------------------------------------------------------- */

static uint32_t dev_context(struct gst_builder *b, uint32_t process, uint32_t cupti_id)
{
	bool is_new;

	if (b->dev_contexts.count) {
		const struct gst_raw_context *last = &b->dev_contexts.data[b->last_dev_context];

		if (last->process == process && last->cupti_id == cupti_id)
			return b->last_dev_context;
	}
	b->last_dev_context = *gst_map_add(&b->dev_context_map, (uint64_t)process << 32 | cupti_id,
					   (uint32_t)b->dev_contexts.count, &is_new);
	if (is_new)
		gst_vec_push(&b->dev_contexts,
			     ((struct gst_raw_context){process, cupti_id, GST_NONE}));
	return b->last_dev_context;
}

static uint32_t look_up_lane(struct gst_builder *b, uint32_t process, uint32_t ctx, uint32_t stream)
{
	uint32_t dev_ctx = ctx ? dev_context(b, process, ctx) : GST_NONE;
	/* Contexts count from 0 up, processes of which no context is told from the other end down. */
	uint64_t key = (uint64_t)(ctx ? dev_ctx : GST_NONE - process) << 32 | stream;
	bool is_new;
	uint32_t lane = *gst_map_add(&b->dev_lane_map, key, (uint32_t)b->dev_lanes.count, &is_new);

	if (is_new)
		gst_vec_push(&b->dev_lanes,
			     (struct gst_raw_lane){process, ctx, stream, dev_ctx, GST_NONE});
	return lane;
}

/* The lane of a device record: mostly one of those asked for last. */
static inline uint32_t dev_lane(struct gst_builder *b, uint32_t process, uint32_t ctx,
				uint32_t stream)
{
	uint32_t *cached = &b->lane_cache[(stream + ctx * 37) % LANE_CACHE];

	if (*cached) {
		const struct gst_raw_lane *lane = &b->dev_lanes.data[*cached - 1];

		if (lane->stream == stream && lane->ctx == ctx && lane->process == process)
			return *cached - 1;
	}
	*cached = look_up_lane(b, process, ctx, stream) + 1;
	return *cached - 1;
}

static inline struct gst_raw_dev *add_dev(struct gst_builder *b, uint32_t process, uint32_t kind,
					  uint32_t corr, uint64_t begin_ns, uint64_t end_ns,
					  uint32_t lane)
{
	struct gst_raw_dev *dev = gst_vec_extend(&b->processes.data[process].devs, 1);

	*dev = (struct gst_raw_dev){.begin_ns = begin_ns,
				    .end_ns = end_ns,
				    .corr = corr,
				    .lane = lane,
				    .detail = GST_NONE,
				    .kind = (uint8_t)(kind - GST_REC_KERNEL)};
	return dev;
}

static uint32_t small_id(uint64_t id)
{
	return id < UINT32_MAX ? (uint32_t)id : 0;
}

#define KERNEL_WORDS (sizeof(struct gst_kernel) / 8)

/*
 * @k as it stands in memory, from its fields: those were stored a moment ago, and to load two of them as one word waits
 * until they have left the processor's store buffer (20 of 45 ns a record).
 */
static inline void kernel_words(const struct gst_kernel *k, uint64_t words[KERNEL_WORDS])
{
	_Static_assert(sizeof(*k) == 48 && offsetof(struct gst_kernel, graph_node) == 40,
		       "no byte is left out below");
	words[0] = k->grid[0] | (uint64_t)k->grid[1] << 32;
	words[1] = k->grid[2] | (uint64_t)k->block[0] << 32 | (uint64_t)k->block[1] << 48;
	words[2] = k->block[2] | (uint64_t)k->registers << 16 | (uint64_t)k->shared_static << 32;
	words[3] = k->shared_dynamic | (uint64_t)k->cupti_stream << 32;
	words[4] = k->channel | (uint64_t)k->channel_type << 16 | (uint64_t)k->launch_type << 24 |
		   (uint64_t)k->ctx << 32;
	words[5] = k->graph_node;
}

/* The index of @k in the table: programs launch the same again and again. */
static inline __attribute__((always_inline)) uint32_t intern_kernel(struct gst_builder *b,
								    const struct gst_kernel *k)
{
	uint64_t words[KERNEL_WORDS], known[KERNEL_WORDS];
	uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = 0, difference = 0;
	uint32_t *slot;

	kernel_words(k, words);
	/* No product waits for another one. */
#pragma GCC unroll 8
	for (size_t i = 0; i < KERNEL_WORDS; i++)
		hash += (words[i] ^ words[i] >> 32) * (factor * (2 * i + 1));
	slot = &b->kernel_cache[(hash ^ hash >> 32) * factor >> 50 & (KERNEL_CACHE - 1)];
	if (*slot) {
		memcpy(known, &b->kernels.data[*slot - 1], sizeof(known));
#pragma GCC unroll 8
		for (size_t i = 0; i < KERNEL_WORDS; i++)
			difference |= words[i] ^ known[i];
		if (!difference)
			return *slot - 1;
	}
	gst_vec_push(&b->kernels, *k);
	*slot = (uint32_t)b->kernels.count;
	return *slot - 1;
}

static void ingest_kernel(struct gst_builder *b, uint32_t process, uint32_t corr,
			  const struct gst_rec_kernel *r)
{
	uint32_t lane = dev_lane(b, process, r->ctx, r->stream);
	struct gst_kernel k = {.grid = {r->grid_x, r->grid_y, r->grid_z},
			       .block = {r->block_x, r->block_y, r->block_z},
			       .registers = r->registers,
			       .shared_static = r->shared_static,
			       .shared_dynamic = r->shared_dynamic,
			       .cupti_stream = r->stream,
			       .channel = r->channel,
			       .channel_type = r->channel_type,
			       .launch_type = r->launch_type,
			       .ctx = b->dev_lanes.data[lane].dev_ctx,
			       .graph_node = r->graph_node};
	struct gst_raw_dev *dev =
		add_dev(b, process, GST_REC_KERNEL, corr, r->start_ns, r->end_ns, lane);

	dev->name = string_id(&b->processes.data[process], r->name);
	dev->detail = intern_kernel(b, &k);
	dev->sync_id = r->graph;
	dev->flags = (uint8_t)r->flags;
	dev->bits = r->graph_node ? RAW_DEV_NODE : 0;
	b->detail_count++;
}

static void ingest_memcpy(struct gst_builder *b, uint32_t process, uint32_t corr,
			  const struct gst_rec_memcpy *r)
{
	struct gst_raw_dev *dev = add_dev(b, process, GST_REC_MEMCPY, corr, r->start_ns, r->end_ns,
					  dev_lane(b, process, r->ctx, r->stream));
	struct gst_copy *c = gst_vec_extend(&b->copies, 1);

	*c = (struct gst_copy){.bytes = r->size,
			       .graph_node = r->graph_node,
			       .copy_kind = r->copy_kind,
			       .src_kind = r->src_kind,
			       .dst_kind = r->dst_kind,
			       .is_async = r->is_async != 0,
			       .is_peer = r->is_peer != 0,
			       .channel = r->channel,
			       .cupti_stream = r->stream,
			       .src_device = r->src_device,
			       .dst_device = r->dst_device,
			       .src_ctx = GST_NONE,
			       .dst_ctx = GST_NONE};
	if (r->is_peer && r->src_ctx)
		c->src_ctx = dev_context(b, process, r->src_ctx);
	if (r->is_peer && r->dst_ctx)
		c->dst_ctx = dev_context(b, process, r->dst_ctx);
	dev->detail = (uint32_t)b->copies.count - 1;
	dev->sync_id = r->graph;
	dev->flags = (uint8_t)r->flags;
	dev->bits = r->graph_node ? RAW_DEV_NODE : 0;
	b->detail_count++;
}

static void ingest_memset(struct gst_builder *b, uint32_t process, uint32_t corr,
			  const struct gst_rec_memset *r)
{
	struct gst_raw_dev *dev = add_dev(b, process, GST_REC_MEMSET, corr, r->start_ns, r->end_ns,
					  dev_lane(b, process, r->ctx, r->stream));

	gst_vec_push(&b->memsets, ((struct gst_memset){.bytes = r->size,
						       .graph_node = r->graph_node,
						       .memory_kind = r->memory_kind,
						       .is_async = r->is_async != 0,
						       .cupti_stream = r->stream}));
	dev->detail = (uint32_t)b->memsets.count - 1;
	dev->sync_id = r->graph;
	dev->flags = (uint8_t)r->flags;
	dev->bits = r->graph_node ? RAW_DEV_NODE : 0;
	b->detail_count++;
}

/* A device record of @kind, another one than those above; @data is all of it. */
static void ingest_other_dev(struct gst_builder *b, uint32_t process, uint32_t kind, uint32_t corr,
			     const void *data)
{
	struct gst_raw_dev *dev;

	switch (kind) {
	case GST_REC_GRAPH_RUN: {
		const struct gst_rec_graph_run *r = data;

		dev = add_dev(b, process, kind, corr, r->start_ns, r->end_ns,
			      dev_lane(b, process, r->ctx, r->stream));
		dev->detail = r->graph;
		dev->flags = (uint8_t)r->flags;
		break;
	}
	case GST_REC_SYNC: {
		const struct gst_rec_sync *r = data;

		dev = add_dev(b, process, kind, corr, r->start_ns, r->end_ns,
			      dev_lane(b, process, r->ctx, r->stream));
		dev->name = r->event_id;
		dev->sync_id = small_id(r->sync_id);
		dev->flags = (uint8_t)r->flags;
		dev->sync_type = (uint8_t)r->type;
		break;
	}
	case GST_REC_EVENT: {
		const struct gst_rec_event *r = data;

		dev = add_dev(b, process, kind, corr, r->time_ns, r->time_ns,
			      dev_lane(b, process, r->ctx, r->stream));
		dev->name = r->event_id;
		dev->sync_id = small_id(r->sync_id);
		break;
	}
	case GST_REC_HOST_RUN: {
		const struct gst_rec_host_run *r = data;

		/* The node's id in two halves: it has no table of details. */
		dev = add_dev(b, process, kind, corr, r->start_ns, r->end_ns,
			      dev_lane(b, process, r->ctx, r->stream));
		dev->name = (uint32_t)r->graph_node;
		dev->sync_id = (uint32_t)(r->graph_node >> 32);
		dev->bits = r->graph_node ? RAW_DEV_NODE : 0;
		break;
	}
	case GST_REC_MEMORY: {
		const struct gst_rec_memory *r = data;
		struct gst_raw_memory m = {
			.out = {.time_ns = r->time_ns,
				.address = r->address,
				.bytes = r->size,
				.process = process,
				.ctx = r->ctx ? dev_context(b, process, r->ctx) : GST_NONE,
				.call = GST_NONE,
				.op = r->op,
				.memory_kind = r->memory_kind,
				.is_async = r->is_async != 0},
			.corr = corr};

		gst_vec_push(&b->memory, m);
		break;
	}
	case GST_REC_OVERHEAD: {
		const struct gst_rec_overhead *r = data;
		struct gst_overhead o = {.begin_ns = r->start_ns,
					 .end_ns = r->end_ns,
					 .process = process,
					 .type = r->type,
					 .tid = r->thread,
					 .call = corr};

		gst_vec_push(&b->overheads, o);
		break;
	}
	default:
		break;
	}
}

static void ingest_graph(struct gst_builder *b, uint32_t process, const struct gst_record *rec)
{
	switch (rec->kind) {
	case GST_REC_GRAPH: {
		const struct gst_rec_graph *r = rec->data;

		gst_map_put(&b->processes.data[process].graphs, r->graph, r->nodes);
		gst_vec_push(&b->raw_graphs, (struct gst_raw_graph){.handle = r->handle,
								    .process = process,
								    .graph = r->graph,
								    .original = r->original,
								    .corr = rec->corr});
		break;
	}
	case GST_REC_GRAPH_NODE: {
		const struct gst_rec_graph_node *r = rec->data;

		gst_vec_push(&b->raw_graph_nodes,
			     (struct gst_raw_graph_node){
				     .node = r->node,
				     .handle = r->handle,
				     .original = r->original,
				     .process = process,
				     .graph = r->graph,
				     .corr = rec->corr,
				     .name = r->name, /* the trace's, until all strings are in */
				     .type = r->type <= UINT8_MAX ? (uint8_t)r->type : 0,
				     .change = r->change == GST_GRAPH_CHANGE_REMOVED});
		break;
	}
	case GST_REC_GRAPH_EDGE: {
		const struct gst_rec_graph_edge *r = rec->data;

		gst_vec_push(&b->raw_graph_edges,
			     (struct gst_raw_graph_edge){.from = r->from,
							 .to = r->to,
							 .process = process,
							 .graph = r->graph,
							 .corr = rec->corr,
							 .port = r->port,
							 .change = r->change ==
								   GST_GRAPH_CHANGE_REMOVED});
		break;
	}
	case GST_REC_GRAPH_EXEC: {
		const struct gst_rec_graph_exec *r = rec->data;

		gst_vec_push(&b->raw_execs, (struct gst_raw_exec){.handle = r->exec,
								  .process = process,
								  .graph = r->graph,
								  .id = r->id,
								  .corr = rec->corr,
								  .segment = rec->segment,
								  .exec = GST_NONE});
		break;
	}
	case GST_REC_EXEC_STATE: {
		const struct gst_rec_exec_state *r = rec->data;

		gst_vec_push(&b->raw_execs, (struct gst_raw_exec){.handle = r->exec,
								  .process = process,
								  .id = r->graph,
								  .corr = rec->corr,
								  .segment = rec->segment,
								  .is_state = true,
								  .exec = GST_NONE});
		break;
	}
	default:
		break;
	}
}

/* The thread with the system's id @tid: one that is defined, or one of its own. */
static uint32_t find_told_thread(struct gst_builder *b, uint32_t process, uint64_t tid)
{
	uint32_t thread;

	if (gst_map_get(&b->tid_map, (uint64_t)process << 32 | (uint32_t)tid, &thread))
		return thread;
	thread = find_thread(b, process, GST_TOLD_THREAD | (uint32_t)tid);
	b->threads.data[thread].tid = tid;
	return thread;
}

/* Its times are on the clock of device records. */
static void ingest_told_call(struct gst_builder *b, uint32_t process, const struct gst_record *rec)
{
	const struct gst_rec_api_run *r = rec->data;
	uint32_t thread = find_told_thread(b, process, r->tid);
	size_t first = b->raw_calls.count;
	struct gst_call *call = add_call(b, thread, r->start_ns, r->api, rec->corr);

	/* One that had not returned when the last records were forced out has no end. */
	call->exit_ns = r->end_ns;
	call->result = r->result;
	call->flags = r->end_ns ? GST_CALL_TOLD | GST_CALL_RETURNED : GST_CALL_TOLD;
	b->threads.data[thread].lacks_ctx = true;
	b->threads.data[thread].is_told = true;
	end_run(b, thread, first);
}

/* Later segments repeat what the first one and the calls since then tell. */
static bool is_repeated(const struct gst_raw_process *p, const struct gst_record *rec)
{
	return p->has_segment && rec->segment > p->first_segment;
}

static inline void take_call(struct gst_builder *b, uint32_t thread, const struct gst_record *rec)
{
	switch (rec->kind) {
	case GST_REC_CALL:
	case GST_REC_CALL_LAUNCH:
	case GST_REC_CALL_COPY:
	case GST_REC_CALL_MEMSET:
	case GST_REC_CALL_EVENT:
	case GST_REC_CALL_STREAM:
	case GST_REC_CALL_GRAPH:
	case GST_REC_CALL_MEMORY:
	case GST_REC_CALL_HOST:
		ingest_call(b, thread, rec->kind, rec->corr, rec->data);
		break;
	case GST_REC_CALL_EXIT:
		ingest_exit(b, thread, rec->corr, rec->data);
		break;
	case GST_REC_MEMOP:
		ingest_memop(b, thread, rec->corr, rec->data);
		break;
	case GST_REC_NVTX:
		gst_model_ingest_nvtx(b, thread, rec->data);
		break;
	default:
		break;
	}
}

static inline void take_device(struct gst_builder *b, uint32_t process,
			       const struct gst_record *rec)
{
	switch (rec->kind) {
	case GST_REC_KERNEL:
		ingest_kernel(b, process, rec->corr, rec->data);
		break;
	case GST_REC_MEMCPY:
		ingest_memcpy(b, process, rec->corr, rec->data);
		break;
	case GST_REC_MEMSET:
		ingest_memset(b, process, rec->corr, rec->data);
		break;
	default:
		ingest_other_dev(b, process, rec->kind, rec->corr, rec->data);
		break;
	}
}

void gst_model_ingest_calls(struct gst_builder *b, uint32_t process,
			    const struct gst_records *records)
{
	uint32_t thread = find_thread(b, process, records->thread);
	struct gst_records r = *records; /* its fields in registers */
	size_t first = b->raw_calls.count;
	struct gst_record rec;

	while (gst_records_next(&r, &rec))
		take_call(b, thread, &rec);
	end_run(b, thread, first);
}

void gst_model_ingest_devices(struct gst_builder *b, uint32_t process,
			      const struct gst_records *records)
{
	struct gst_records r = *records;
	struct gst_record rec;

	while (gst_records_next(&r, &rec))
		take_device(b, process, &rec);
}

/* ---- all ------------------------------------------------------------------------------------------ */

void gst_model_ingest(struct gst_builder *b, uint32_t source, const struct gst_record *rec)
{
	uint32_t process;
	struct gst_raw_process *p = find_process(b, source, rec->process, &process);

	switch (rec->kind) {
	case GST_REC_STRING: {
		const struct gst_rec_string *r = rec->data;

		if (r->id)
			ingest_string(b, p, r->id, rec);
		break;
	}
	case GST_REC_TRACE:
		p->out.trace = *(const struct gst_rec_trace *)rec->data;
		p->out.has_trace = true;
		if (p->out.trace.options & GST_TRACE_COUNTED_CALLS)
			b->m->call_early_ns = GST_COUNTED_CALL_EARLY_NS;
		break;
	case GST_REC_PROCESS:
		p->out.rec = *(const struct gst_rec_process *)rec->data;
		p->out.has_process = true;
		break;
	case GST_REC_VARIABLE: {
		const struct gst_rec_variable *r = rec->data;

		if (is_repeated(p, rec))
			break;
		struct gst_raw_variable v = {
			.out = {.process = process, .name = r->name, .value = r->value}};

		gst_vec_push(&b->variables, v);
		break;
	}
	case GST_REC_RANK:
		if (!is_repeated(p, rec))
			ingest_rank(b, process, rec->data);
		break;
	case GST_REC_DEVICE:
		ingest_device(b, process, rec->data);
		break;
	case GST_REC_CONTEXT:
		ingest_context(b, process, rec->data);
		break;
	case GST_REC_STREAM: {
		struct gst_raw_stream_def def = {0};

		def.rec = *(const struct gst_rec_stream *)rec->data;
		def.corr = rec->corr;
		def.segment = rec->segment;
		def.stream = GST_NONE;
		gst_vec_push(&p->stream_defs, def);
		break;
	}
	case GST_REC_THREAD: {
		const struct gst_rec_thread *r = rec->data;
		uint32_t t = find_thread(b, process, r->thread);

		b->threads.data[t].tid = r->tid;
		gst_map_put(&b->tid_map, (uint64_t)process << 32 | (uint32_t)r->tid, t);
		b->threads.data[t].name = r->name;
		break;
	}
	case GST_REC_GRAPH:
	case GST_REC_GRAPH_NODE:
	case GST_REC_GRAPH_EDGE:
	case GST_REC_GRAPH_EXEC:
	case GST_REC_EXEC_STATE:
		ingest_graph(b, process, rec);
		break;
	case GST_REC_MODULE: {
		const struct gst_rec_module *r = rec->data;

		if (rec->corr && r->change == GST_GRAPH_CHANGE_MADE)
			gst_vec_push(&b->loads, (uint64_t)process << 32 | rec->corr);
		break;
	}
	case GST_REC_ANCHOR: {
		const struct gst_rec_anchor *r = rec->data;
		struct gst_anchor a = {.mono_ns = r->mono_ns,
				       .gpu_ns = r->gpu_ns ? r->gpu_ns : r->real_ns,
				       .real_ns = r->real_ns,
				       .width_ns = r->width_ns};

		gst_vec_push(&p->clock.anchors, a);
		break;
	}
	case GST_REC_LOSS: {
		const struct gst_rec_loss *r = rec->data;

		add_loss(b, process, r->kind, r->reason, r->count, r->since_ns, r->until_ns);
		break;
	}
	case GST_REC_NOTE: {
		const struct gst_rec_note *r = rec->data;
		struct gst_note n = {.process = process,
				     .code = r->code,
				     .text = r->text,
				     .detail = r->detail,
				     .time_ns = r->time_ns};

		gst_vec_push(&b->notes, n);
		break;
	}
	case GST_REC_NVTX_NAME:
		gst_model_ingest_nvtx_name(b, process, rec->data);
		break;
	case GST_REC_SEGMENT:
		ingest_segment(p, rec->data);
		break;
	case GST_REC_END:
		ingest_end(p, rec);
		break;
	case GST_REC_EVENT_STATE: {
		const struct gst_rec_event_state *r = rec->data;
		struct gst_raw_event_state s = {.handle = r->event,
						.flags = r->flags,
						.corr = rec->corr,
						.segment = rec->segment};

		gst_vec_push(&p->event_states, s);
		break;
	}
	case GST_REC_API_RUN:
		ingest_told_call(b, process, rec);
		break;
	default:
		if (rec->kind < GST_REC_KERNEL) {
			uint32_t thread = find_thread(b, process, rec->thread);
			size_t first = b->raw_calls.count;

			take_call(b, thread, rec);
			end_run(b, thread, first);
		} else {
			take_device(b, process, rec);
		}
		break;
	}
}

void gst_model_ingest_strings(struct gst_builder *b)
{
	for (size_t i = 0; i < b->processes.count; i++) {
		const struct gst_raw_process *p = &b->processes.data[i];
		struct gst_rec_process *rec = &b->processes.data[i].out.rec;
		struct gst_rec_trace *trace = &b->processes.data[i].out.trace;

		rec->host = string_id(p, rec->host);
		rec->exe = string_id(p, rec->exe);
		rec->cmdline = string_id(p, rec->cmdline);
		rec->name = string_id(p, rec->name);
		rec->driver_release = string_id(p, rec->driver_release);
		rec->staging = string_id(p, rec->staging);
		rec->cupti_path = string_id(p, rec->cupti_path);
		trace->writer = string_id(p, trace->writer);
		trace->version = string_id(p, trace->version);
		trace->commit = string_id(p, trace->commit);
	}
	for (size_t i = 0; i < b->devices.count; i++) {
		struct gst_device *d = &b->devices.data[i];

		d->name = d->rec.name = string_id(&b->processes.data[d->process], d->rec.name);
	}
	for (size_t i = 0; i < b->threads.count; i++) {
		struct gst_raw_thread *t = &b->threads.data[i];

		t->name = string_id(&b->processes.data[t->process], t->name);
	}
	for (size_t i = 0; i < b->notes.count; i++) {
		struct gst_note *n = &b->notes.data[i];

		n->text = string_id(&b->processes.data[n->process], n->text);
	}
	for (size_t i = 0; i < b->raw_graph_nodes.count; i++) {
		struct gst_raw_graph_node *n = &b->raw_graph_nodes.data[i];

		n->name = string_id(&b->processes.data[n->process], n->name);
	}
	for (size_t i = 0; i < b->variables.count; i++) {
		struct gst_raw_variable *v = &b->variables.data[i];
		const struct gst_raw_process *p = &b->processes.data[v->out.process];

		v->out.name = string_id(p, v->out.name);
		if (!v->has_value)
			v->out.value = string_id(p, v->out.value);
	}
}

/* The loader's reasons, as losses: which records may be missing. */
static void ingest_reason(struct gst_builder *b, uint32_t process,
			  const struct gst_load_stats *stats, const struct gst_load_reason *r)
{
	switch (r->code) {
	case GST_LOAD_NO_END:
	case GST_LOAD_TRUNCATED:
	case GST_LOAD_STAGING_GONE:
		/* What is missing comes after all that is there; it is one loss, whatever shows it. */
		for (size_t i = 0; i < b->losses.count; i++) {
			if (b->losses.data[i].process == process &&
			    b->losses.data[i].reason == GST_LOSS_ENDED_EARLY)
				return;
		}
		/* After it: the call that a hung program is in mostly is the last of all. */
		add_loss(b, process, 0, GST_LOSS_ENDED_EARLY, 0,
			 stats->last_ns ? stats->last_ns + 1 : 0, UINT64_MAX);
		break;
	case GST_LOAD_PENDING:
		add_loss(b, process, GST_REC_KERNEL, GST_LOSS_UNKNOWN, r->count, 0, 0);
		break;
	case GST_LOAD_BAD_HEADER:
	case GST_LOAD_BAD_BODY:
	case GST_LOAD_BAD_RECORD:
	case GST_LOAD_MISSING_CHUNKS:
	case GST_LOAD_MISSING_BYTES:
		add_loss(b, process, 0, GST_LOSS_DAMAGED, r->count, 0, 0);
		break;
	case GST_LOAD_OPEN_CHUNK:   /* its records were read */
	case GST_LOAD_LOST_RECORDS: /* the LOSS records tell it better */
	case GST_LOAD_REASONS:
		break;
	}
}

/* Kinds that may change order and that we cannot read: as good as calls that are lost. */
static void ingest_unknown(struct gst_builder *b, uint32_t source,
			   const struct gst_load_stats *stats)
{
	for (size_t i = 0; i < stats->unknown_count; i++) {
		const struct gst_load_unknown *u = &stats->unknown[i];
		uint32_t process;

		if (!u->is_critical)
			continue;
		(void)find_process(b, source, u->process, &process);
		gst_vec_push(&b->losses, (struct gst_loss){.process = process,
							   .kind = 0,
							   .reason = GST_LOSS_UNKNOWN,
							   .count = u->count});
	}
}

void gst_model_ingest_stats(struct gst_builder *b, uint32_t source,
			    const struct gst_load_stats *stats)
{
	b->m->stats.records += stats->records;
	b->m->stats.unknown_records += stats->unknown_records;
	b->m->stats.unknown_critical += stats->unknown_critical;
	ingest_unknown(b, source, stats);
	for (uint32_t i = 0; i < b->processes.count; i++) {
		/* What lies outside of the window may be missing for some threads, and not for others. */
		if (b->processes.data[i].source == source && stats->from_ns)
			gst_vec_push(&b->gaps, (struct gst_gap){i, 1, stats->from_ns, true});
		if (b->processes.data[i].source == source && stats->to_ns)
			gst_vec_push(&b->gaps, (struct gst_gap){i, stats->to_ns, UINT64_MAX, true});
	}
	if (stats->is_complete)
		return;
	b->m->is_complete = false;
	for (uint32_t i = 0; i < b->processes.count; i++) {
		if (b->processes.data[i].source != source)
			continue;
		b->processes.data[i].out.is_complete = false;
		for (size_t r = 0; r < stats->reason_count; r++)
			ingest_reason(b, i, stats, &stats->reasons[r]);
	}
}
