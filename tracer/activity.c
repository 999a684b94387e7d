/*
 * activity.c - the device side of the trace.
 *
 * Role      : what the GPU did and when, as CUPTI tells it.
 * Method    : buffers from a fixed mapping, small spare ones beyond it; each record is translated at
 *             delivery, field by field, each field gated by the version that has it.
 * Invariant : CUPTI always gets a buffer (before 12.9 it dies without one); a buffer of ours is zero when
 *             handed out; no field is read that the library in use does not write.
 * Not here  : which kinds are asked for (activity_kinds.c), when CUPTI is flushed (flusher.c), what records mean (analyzer).
 */
#include "tracer/activity.h"
#include "tracer/format/api.h"
#include "tracer/linebuf.h"
#include "tracer/thread_slot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SELF_CHECK_RECORDS 64u
#define DAY_NS		   (86400u * UINT64_C(1000000000))
#define PATIENCE_NS	   UINT64_C(300000000) /* for one buffer */
#define PLAUSIBLE_ID_MAX   (1u << 24)

/* CUPTI's buffer callbacks carry no pointer of ours. */
static struct gst_activity *receiver;

/* Bytes that are read of a record, from which version on: the gates of the functions below, as sizes. */
static const struct {
	uint32_t kind, since, bytes;
} read_sizes[] = {
	{GST_CUPTI_KIND_CONCURRENT_KERNEL, 0, GST_CUPTI_KERNEL_SIZE_7},
	{GST_CUPTI_KIND_KERNEL, 0, GST_CUPTI_KERNEL_SIZE_7},
	{GST_CUPTI_KIND_MEMCPY, 0, GST_CUPTI_MEMCPY_SIZE_5},
	{GST_CUPTI_KIND_MEMCPY, GST_CUPTI_V_12_8, GST_CUPTI_MEMCPY_SIZE_6},
	{GST_CUPTI_KIND_MEMCPY2, 0, GST_CUPTI_MEMCPY_PTOP_SIZE_4},
	{GST_CUPTI_KIND_MEMSET, 0, GST_CUPTI_MEMSET_SIZE_4},
	{GST_CUPTI_KIND_STREAM, 0, GST_CUPTI_STREAM_SIZE},
	{GST_CUPTI_KIND_CONTEXT, 0, GST_CUPTI_CONTEXT_SIZE_1},
	{GST_CUPTI_KIND_CONTEXT, GST_CUPTI_V_12_4, GST_CUPTI_CONTEXT_SIZE_2},
	{GST_CUPTI_KIND_DEVICE, 0, GST_CUPTI_DEVICE_SIZE_3},
	{GST_CUPTI_KIND_GRAPH_TRACE, 0, GST_CUPTI_GRAPH_TRACE_SIZE_1},
	{GST_CUPTI_KIND_MEMORY2, 0, GST_CUPTI_MEMORY_SIZE_2},
	{GST_CUPTI_KIND_OVERHEAD, 0, GST_CUPTI_OVERHEAD_SIZE_1},
	{GST_CUPTI_KIND_OVERHEAD, GST_CUPTI_V_12_4, GST_CUPTI_OVERHEAD_SIZE_3},
	{GST_CUPTI_KIND_SYNCHRONIZATION, 0, GST_CUPTI_SYNCHRONIZATION_SIZE_1},
	{GST_CUPTI_KIND_SYNCHRONIZATION, GST_CUPTI_V_12_8, GST_CUPTI_SYNCHRONIZATION_SIZE_2},
	{GST_CUPTI_KIND_CUDA_EVENT, 0, GST_CUPTI_CUDA_EVENT_SIZE_1},
	{GST_CUPTI_KIND_CUDA_EVENT, GST_CUPTI_V_12_8, GST_CUPTI_CUDA_EVENT_SIZE_2},
	{GST_CUPTI_KIND_DRIVER, 0, GST_CUPTI_API_SIZE},
	{GST_CUPTI_KIND_RUNTIME, 0, GST_CUPTI_API_SIZE},
	{GST_CUPTI_KIND_GRAPH_HOST_NODE, GST_CUPTI_V_13_1, GST_CUPTI_GRAPH_HOST_NODE_SIZE},
	{GST_CUPTI_KIND_HOST_LAUNCH, GST_CUPTI_V_13_1, GST_CUPTI_HOST_LAUNCH_SIZE},
};

static void set_read_sizes(struct gst_activity *a)
{
	for (size_t i = 0; i < sizeof(read_sizes) / sizeof(read_sizes[0]); i++) {
		if (gst_activity_has(a, read_sizes[i].since)) {
			a->read_sizes[read_sizes[i].kind] = read_sizes[i].bytes;
		}
	}
}

int gst_activity_init(struct gst_activity *a, const struct gst_cupti *cupti,
		      const struct gst_state *state, struct gst_loss *loss,
		      struct gst_intern *strings, struct gst_lane *defs, struct gst_lane *device)
{
	void *memory =
		mmap(NULL, (size_t)GST_ACTIVITY_BUFFERS * GST_ACTIVITY_BUFFER_BYTES,
		     PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED) {
		return ENOMEM;
	}
	a->buffers = memory;
	a->cupti = cupti;
	a->state = state;
	a->loss = loss;
	a->strings = strings;
	a->defs = defs;
	a->device = device;
	a->must_check = cupti->version > GST_CUPTI_VERSION_KNOWN;
	set_read_sizes(a);
	return 0;
}

/* ---- buffers ---- */

void gst_activity_on_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	struct gst_activity *a = receiver;
	int saved_errno = errno;
	void *spare;

	*max_records = 0; /* as many as fit */
	for (uint32_t i = 0; i < GST_ACTIVITY_BUFFERS; i++) {
		if (!atomic_load_explicit(&a->taken[i], memory_order_relaxed) &&
		    !atomic_exchange_explicit(&a->taken[i], 1, memory_order_acquire)) {
			*buffer = a->buffers + (size_t)i * GST_ACTIVITY_BUFFER_BYTES;
			*size = GST_ACTIVITY_BUFFER_BYTES;
			return;
		}
	}
	/* Every buffer is inside CUPTI. Newer ones take no for an answer; older ones die of it. */
	if (gst_activity_has(a, GST_CUPTI_V_12_9) &&
	    atomic_load_explicit(&a->spares, memory_order_relaxed) >= GST_ACTIVITY_SPARES) {
		spare = MAP_FAILED;
	} else {
		spare = mmap(NULL, GST_ACTIVITY_SPARE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	if (spare == MAP_FAILED) {
		gst_loss_add(a->loss, 0, GST_LOSS_NO_BUFFER, 1);
		*buffer = NULL;
		*size = 0;
	} else {
		atomic_fetch_add(&a->spares, 1);
		*buffer = spare;
		*size = GST_ACTIVITY_SPARE_BYTES;
	}
	errno = saved_errno;
}

static void give_buffer_back(struct gst_activity *a, uint8_t *buffer, size_t size)
{
	size_t offset = (size_t)((uintptr_t)buffer - (uintptr_t)a->buffers);
	uint32_t index = (uint32_t)(offset / GST_ACTIVITY_BUFFER_BYTES);

	if ((uintptr_t)buffer < (uintptr_t)a->buffers || index >= GST_ACTIVITY_BUFFERS) {
		munmap(buffer, size);
		atomic_fetch_sub(&a->spares, 1);
		return;
	}
	/* CUPTI was told that buffers come zeroed, so that it does not do it in the program's thread. */
	memset(buffer, 0, GST_ACTIVITY_BUFFER_BYTES);
	atomic_store_explicit(&a->taken[index], 0, memory_order_release);
}

uint32_t gst_activity_undelivered(const struct gst_activity *a)
{
	uint32_t count = 0;

	/* Buffers are zero when handed out and every record begins with its kind. */
	for (uint32_t i = 0; i < GST_ACTIVITY_BUFFERS; i++) {
		const unsigned char *buffer = a->buffers + (size_t)i * GST_ACTIVITY_BUFFER_BYTES;
		const uint32_t *kind = (const uint32_t *)(const void *)buffer;

		if (atomic_load(&a->taken[i]) && __atomic_load_n(kind, __ATOMIC_RELAXED)) {
			count++;
		}
	}
	return count;
}

/* A kind whose records are shorter than we know them: what follows would be read as theirs. */
static bool is_long_enough(struct gst_activity *a, const struct gst_cupti_activity *rec,
			   size_t bytes)
{
	struct gst_linebuf line;
	char text[128];

	if (__builtin_expect(rec->kind >= GST_CUPTI_KIND_COUNT_READ ||
				     bytes >= a->read_sizes[rec->kind],
			     1)) {
		return true;
	}
	gst_loss_add(a->loss, 0, GST_LOSS_SELF_CHECK, 1);
	if (!(atomic_fetch_or(&a->short_said, UINT64_C(1) << rec->kind) >> rec->kind & 1)) {
		gst_linebuf_init(&line, text, sizeof(text));
		gst_linebuf_add(&line, "CUPTI's records of kind ");
		gst_linebuf_add_dec(&line, rec->kind);
		gst_linebuf_add(&line, " are shorter than its version says: they are not read");
		gst_notes_add(a->defs, a->strings, GST_NOTE_TEXT, (int32_t)bytes, text);
	}
	return false;
}

static void count_dropped(struct gst_activity *a, void *context, uint32_t stream_id)
{
	size_t dropped = 0;

	if (a->cupti->cuptiActivityGetNumDroppedRecords &&
	    !a->cupti->cuptiActivityGetNumDroppedRecords(context, stream_id, &dropped) && dropped) {
		gst_loss_add(a->loss, 0, GST_LOSS_CUPTI_DROPPED, dropped);
	}
}

/* The size of a record is where the next one begins; gives what CUPTI said last. */
static int read_records(struct gst_activity *a, struct gst_activity_pages *pages, uint8_t *buffer,
			size_t valid_size)
{
	struct gst_cupti_activity *rec = NULL;
	int result = a->cupti->cuptiActivityGetNextRecord(buffer, valid_size, &rec);

	while (!result && rec) {
		struct gst_cupti_activity *next = rec;
		uintptr_t end = (uintptr_t)buffer + valid_size;

		result = a->cupti->cuptiActivityGetNextRecord(buffer, valid_size, &next);
		if (!result && next) {
			end = (uintptr_t)next;
		}
		if (is_long_enough(a, rec, end - (uintptr_t)rec) &&
		    !gst_activity_translate(a, pages, rec)) {
			return 0;
		}
		rec = next;
	}
	return result;
}

void gst_activity_on_completed(void *context, uint32_t stream_id, uint8_t *buffer, size_t size,
			       size_t valid_size)
{
	struct gst_activity *a = receiver;
	struct gst_activity_pages pages = {0};
	int saved_errno = errno;
	int result;

	if (!buffer) {
		return;
	}
	if (valid_size && gst_state_is_on(a->state) && !atomic_load(&a->is_off)) {
		/* The flusher and CUPTI's own thread may wait for the writer; the program never does. */
		pages.patience_ns = gst_threads_is_known() ? 0 : PATIENCE_NS;
		pages.defs = gst_lane_take(a->defs);
		pages.device = gst_lane_take(a->device);
		result = read_records(a, &pages, buffer, valid_size);
		if (result && result != GST_CUPTI_ERROR_MAX_LIMIT_REACHED) {
			/* How many more there were in this buffer nobody can tell. */
			gst_loss_add(a->loss, 0, GST_LOSS_REFUSED, 1);
		}
		gst_lane_give(a->defs, pages.defs);
		gst_lane_give(a->device, pages.device);
		if (pages.has_work) {
			atomic_store_explicit(&a->has_work, 1, memory_order_relaxed);
		}
		count_dropped(a, context, stream_id);
	}
	give_buffer_back(a, buffer, size);
	errno = saved_errno;
}

int gst_activity_receive(struct gst_activity *a)
{
	receiver = a;
	return a->cupti->cuptiActivityRegisterCallbacks(gst_activity_on_requested,
							gst_activity_on_completed);
}

/* ---- translation ---- */

/* Device records mostly end in fields that are 0; those are left out. */
static void put_device(struct gst_activity *a, struct gst_activity_pages *pages, void *rec,
		       uint32_t kind, uint32_t bytes, uint32_t corr)
{
	struct gst_rec_head head;
	uint32_t segment = 0;
	uint64_t time_ns;

	if (a->windows) {
		/* Where there is no correlation id, the first field is a time. */
		memcpy(&time_ns, (unsigned char *)rec + sizeof(head), sizeof(time_ns));
		switch (gst_windows_find(a->windows, corr, time_ns, &segment)) {
		case GST_WINDOWS_INSIDE:
			break;
		case GST_WINDOWS_FORGOTTEN:
			gst_loss_add(a->loss, kind, GST_LOSS_OLD_WINDOW, 1);
			return;
		case GST_WINDOWS_OUTSIDE:
			return;
		}
	}
	bytes = gst_record_trim(rec, bytes);
	head = gst_record_head(kind, bytes, corr);
	memcpy(rec, &head, sizeof(head));
	/* A loss is counted there. */
	(void)gst_lane_put_patiently(a->device, &pages->device, rec, bytes, segment,
				     &pages->patience_ns);
}

static void put_def(struct gst_activity *a, struct gst_activity_pages *pages, void *rec,
		    uint32_t kind, uint32_t bytes, uint32_t corr)
{
	struct gst_rec_head head = gst_record_head(kind, bytes, corr);

	memcpy(rec, &head, sizeof(head));
	(void)gst_lane_put_patiently(a->defs, &pages->defs, rec, bytes, gst_lane_segment(a->defs),
				     &pages->patience_ns);
}

/* A record that a forced flush handed out before its work ended says so. */
static uint32_t device_flags(const struct gst_activity *a, uint64_t end)
{
	return !end && atomic_load_explicit(&a->is_forced, memory_order_relaxed)
		       ? (uint32_t)GST_DEVICE_FLAG_FORCED
		       : 0;
}

static void translate_kernel(struct gst_activity *a, struct gst_activity_pages *pages,
			     const struct gst_cupti_kernel *k)
{
	struct gst_rec_kernel r = {
		.start_ns = k->start,
		.end_ns = k->end,
		.ctx = k->contextId,
		.stream = k->streamId,
		.device = k->deviceId,
		.name = gst_intern_near(a->strings, k->name),
		.grid_x = (uint32_t)k->gridX,
		.grid_y = (uint32_t)k->gridY,
		.grid_z = (uint32_t)k->gridZ,
		.block_x = (uint16_t)k->blockX,
		.block_y = (uint16_t)k->blockY,
		.block_z = (uint16_t)k->blockZ,
		.registers = k->registersPerThread,
		.shared_static = (uint32_t)k->staticSharedMemory,
		.shared_dynamic = (uint32_t)k->dynamicSharedMemory,
		.channel = (uint16_t)k->channelID,
		.channel_type = (uint8_t)k->channelType,
		.launch_type = k->launchType,
		.graph_node = k->graphNodeId,
		.graph = k->graphId,
		.flags = device_flags(a, k->end),
	};
	struct gst_rec_kernel_short s;

	if (gst_kernel_shorten(&s, &r)) {
		put_device(a, pages, &s, GST_KIND_KERNEL_SHORT, sizeof(s), k->correlationId);
	} else {
		put_device(a, pages, &r, GST_KIND_KERNEL, sizeof(r), k->correlationId);
	}
}

static void translate_memcpy(struct gst_activity *a, struct gst_activity_pages *pages,
			     const struct gst_cupti_memcpy *m)
{
	struct gst_rec_memcpy r = {
		.start_ns = m->start,
		.end_ns = m->end,
		.ctx = m->contextId,
		.stream = m->streamId,
		.device = m->deviceId,
		.copy_kind = m->copyKind,
		.src_kind = m->srcKind,
		.dst_kind = m->dstKind,
		.is_async = m->flags & GST_CUPTI_FLAG_MEMCPY_ASYNC ? 1 : 0,
		.size = m->bytes,
		.channel = (uint16_t)m->channelID,
		.channel_type = (uint8_t)m->channelType,
		.flags = device_flags(a, m->end),
		.graph_node = m->graphNodeId,
		.graph = m->graphId,
	};

	if (gst_activity_has(a, GST_CUPTI_V_12_8)) {
		r.copy_count = m->copyCount < UINT32_MAX ? (uint32_t)m->copyCount : UINT32_MAX;
	}
	put_device(a, pages, &r, GST_KIND_MEMCPY, sizeof(r), m->correlationId);
}

static void translate_peer(struct gst_activity *a, struct gst_activity_pages *pages,
			   const struct gst_cupti_memcpy_ptop *m)
{
	struct gst_rec_memcpy r = {
		.start_ns = m->start,
		.end_ns = m->end,
		.ctx = m->contextId,
		.stream = m->streamId,
		.device = m->deviceId,
		.copy_kind = m->copyKind,
		.src_kind = m->srcKind,
		.dst_kind = m->dstKind,
		.is_async = m->flags & GST_CUPTI_FLAG_MEMCPY_ASYNC ? 1 : 0,
		.size = m->bytes,
		.channel = (uint16_t)m->channelID,
		.channel_type = (uint8_t)m->channelType,
		.is_peer = 1,
		.flags = device_flags(a, m->end),
		.graph_node = m->graphNodeId,
		.graph = m->graphId,
		.src_device = m->srcDeviceId,
		.src_ctx = m->srcContextId,
		.dst_device = m->dstDeviceId,
		.dst_ctx = m->dstContextId,
	};

	put_device(a, pages, &r, GST_KIND_MEMCPY, sizeof(r), m->correlationId);
}

static void translate_memset(struct gst_activity *a, struct gst_activity_pages *pages,
			     const struct gst_cupti_memset *m)
{
	struct gst_rec_memset r = {
		.start_ns = m->start,
		.end_ns = m->end,
		.ctx = m->contextId,
		.stream = m->streamId,
		.device = m->deviceId,
		.memory_kind = (uint8_t)m->memoryKind,
		.is_async = m->flags & GST_CUPTI_FLAG_MEMSET_ASYNC ? 1 : 0,
		.channel = (uint16_t)m->channelID,
		.size = m->bytes,
		.graph_node = m->graphNodeId,
		.graph = m->graphId,
		.flags = device_flags(a, m->end),
	};

	put_device(a, pages, &r, GST_KIND_MEMSET, sizeof(r), m->correlationId);
}

static void translate_stream(struct gst_activity *a, struct gst_activity_pages *pages,
			     const struct gst_cupti_stream *s)
{
	uint32_t flag = s->flag & GST_CUPTI_STREAM_FLAG_MASK;
	struct gst_rec_stream r = {
		.ctx = s->contextId,
		.stream = s->streamId,
		.type = flag <= GST_CUPTI_STREAM_NULL ? flag : (uint32_t)GST_STREAM_UNKNOWN,
		.priority = (int32_t)s->priority,
	};

	put_def(a, pages, &r, GST_KIND_STREAM, sizeof(r), s->correlationId);
	if (a->objects) {
		gst_objects_define_stream(a->objects, &r, gst_windows_now(a->windows));
	}
}

static void translate_context(struct gst_activity *a, struct gst_activity_pages *pages,
			      const struct gst_cupti_context *c)
{
	struct gst_rec_context r = {
		.ctx = c->contextId,
		.device = c->deviceId,
		.null_stream = c->nullStreamId,
	};

	if (gst_activity_has(a, GST_CUPTI_V_12_4) && c->isGreenContext) {
		r.parent = c->parentContextId;
	}
	put_def(a, pages, &r, GST_KIND_CONTEXT, sizeof(r), 0);
	if (a->objects) {
		gst_objects_define_context(a->objects, &r, gst_windows_now(a->windows));
	}
}

static void translate_device(struct gst_activity *a, struct gst_activity_pages *pages,
			     const struct gst_cupti_device *d)
{
	struct gst_rec_device r = {
		.device = d->id,
		.name = gst_intern(a->strings, d->name),
		.uuid_hi = gst_devices_uuid_half(d->uuid),
		.uuid_lo = gst_devices_uuid_half(d->uuid + 8),
		.compute_major = d->computeCapabilityMajor,
		.compute_minor = d->computeCapabilityMinor,
		.sm_count = d->numMultiprocessors,
		.copy_engines = d->numMemcpyEngines,
		.pageable_access = -1,
		.host_page_tables = -1,
		.memory_bytes = d->globalMemorySize,
		.max_blocks_per_sm = d->maxBlocksPerMultiprocessor,
		.max_warps_per_sm = d->maxWarpsPerMultiprocessor,
		.max_shared_per_sm = d->maxSharedMemoryPerMultiprocessor,
		.max_registers_per_sm = d->maxRegistersPerMultiprocessor,
	};

	/*
	 * The name stays allocated: newer headers give it to us to free, older ones say that it is shared,
	 * and a few bytes for each device are not worth the wrong guess.
	 */
	put_def(a, pages, &r, GST_KIND_DEVICE, sizeof(r), 0);
	gst_devices_add(&a->devices, &r);
}

static void translate_graph(struct gst_activity *a, struct gst_activity_pages *pages,
			    const struct gst_cupti_graph_trace *g)
{
	struct gst_rec_graph_run r = {
		.start_ns = g->start,
		.end_ns = g->end,
		.ctx = g->contextId,
		.stream = g->streamId,
		.device = g->deviceId,
		.graph = g->graphId,
		.flags = device_flags(a, g->end),
	};

	put_device(a, pages, &r, GST_KIND_GRAPH_RUN, sizeof(r), g->correlationId);
}

static void translate_memory(struct gst_activity *a, struct gst_activity_pages *pages,
			     const struct gst_cupti_memory *m)
{
	struct gst_rec_memory r = {
		.time_ns = m->timestamp,
		.address = m->address,
		.size = m->bytes,
		.ctx = m->contextId,
		.stream = m->streamId,
		.device = m->deviceId,
		.op = (uint8_t)m->memoryOperationType,
		.memory_kind = (uint8_t)m->memoryKind,
		.is_async = m->isAsync ? 1 : 0,
		.pool_type = (uint8_t)m->poolType,
		.pool = m->poolType ? m->poolAddress : 0,
	};

	put_device(a, pages, &r, GST_KIND_MEMORY, sizeof(r), m->correlationId);
}

static void translate_overhead(struct gst_activity *a, struct gst_activity_pages *pages,
			       const struct gst_cupti_overhead *o)
{
	struct gst_rec_overhead r = {
		.start_ns = o->start,
		.end_ns = o->end,
		.type = o->overheadKind,
		.thread = o->objectKind == GST_CUPTI_OBJECT_THREAD ? o->objectId.pt.threadId : 0,
	};
	uint32_t corr = 0;

	if (gst_activity_has(a, GST_CUPTI_V_12_4)) {
		corr = o->correlationId;
	}
	put_device(a, pages, &r, GST_KIND_OVERHEAD, sizeof(r), corr);
	if (gst_activity_has(a, GST_CUPTI_V_12_4) &&
	    o->overheadKind == GST_CUPTI_OVERHEAD_COMMAND_BUFFER_FULL) {
		free(o->overheadData);
	}
}

static void translate_sync(struct gst_activity *a, struct gst_activity_pages *pages,
			   const struct gst_cupti_synchronization *s)
{
	struct gst_rec_sync r = {
		.start_ns = s->start,
		.end_ns = s->end,
		.ctx = s->contextId,
		.stream = s->streamId,
		.type = s->type,
		.event_id = s->cudaEventId,
		.flags = device_flags(a, s->end),
	};

	if (gst_activity_has(a, GST_CUPTI_V_12_8)) {
		r.sync_id = s->cudaEventSyncId;
		r.result = s->returnValue;
	}
	put_device(a, pages, &r, GST_KIND_SYNC, sizeof(r), s->correlationId);
}

static void translate_event(struct gst_activity *a, struct gst_activity_pages *pages,
			    const struct gst_cupti_cuda_event *e)
{
	struct gst_rec_event r = {
		.ctx = e->contextId,
		.stream = e->streamId,
		.event_id = e->eventId,
		.device = UINT32_MAX,
	};

	if (gst_activity_has(a, GST_CUPTI_V_12_8)) {
		r.device = e->deviceId;
		r.sync_id = e->cudaEventSyncId;
		r.time_ns = e->deviceTimestamp;
	}
	put_device(a, pages, &r, GST_KIND_EVENT, sizeof(r), e->correlationId);
}

/* The outermost call only. Where callbacks come, they have told more of it, and earlier. */
static void translate_call(struct gst_activity *a, struct gst_activity_pages *pages,
			   const struct gst_cupti_api *c)
{
	uint32_t domain = c->kind == GST_CUPTI_KIND_DRIVER ? (uint32_t)GST_API_DOMAIN_DRIVER
							   : (uint32_t)GST_API_DOMAIN_RUNTIME;
	struct gst_rec_api_run r = {
		.start_ns = c->start,
		.end_ns = c->end,
		.tid = c->threadId,
		.api = GST_API_ID(domain, c->cbid),
		.result = (int32_t)c->returnValue,
	};

	/* Of the many that only ask something nothing is recorded otherwise either. */
	if (!(a->is_called && atomic_load_explicit(a->is_called, memory_order_relaxed)) &&
	    gst_api_find(r.api)) {
		put_device(a, pages, &r, GST_KIND_API_RUN, sizeof(r), c->correlationId);
		atomic_store_explicit(&a->is_told, 1, memory_order_relaxed);
	}
}

/* Whether both are times of this day, or not known. */
static bool are_times(uint64_t start, uint64_t end)
{
	uint64_t now = gst_clock_real_ns();

	return (!start || (start + DAY_NS > now && start < now + DAY_NS)) &&
	       (!end || (end + DAY_NS > now && end < now + DAY_NS)) &&
	       (!start || !end || start <= end);
}

static void put_host_run(struct gst_activity *a, struct gst_activity_pages *pages,
			 struct gst_rec_host_run *r, uint32_t corr)
{
	if (!are_times(r->start_ns, r->end_ns)) {
		gst_loss_add(a->loss, GST_KIND_HOST_RUN, GST_LOSS_SELF_CHECK, 1);
		return;
	}
	put_device(a, pages, r, GST_KIND_HOST_RUN, sizeof(*r), corr);
}

static void translate_host_node(struct gst_activity *a, struct gst_activity_pages *pages,
				const struct gst_cupti_graph_host_node *h)
{
	struct gst_rec_host_run r = {
		.start_ns = h->start,
		.end_ns = h->end,
		.ctx = h->contextId,
		.stream = h->streamId,
		.graph_node = h->graphNodeId,
		.tid = h->threadId,
	};

	put_host_run(a, pages, &r, h->correlationId);
}

static void translate_host_launch(struct gst_activity *a, struct gst_activity_pages *pages,
				  const struct gst_cupti_host_launch *h)
{
	struct gst_rec_host_run r = {
		.ctx = h->contextId,
		.stream = h->streamId,
		.tid = h->threadId,
	};

	/* With a hole before the times, or without: half of one and half of the other is no time of this day. */
	memcpy(&r.start_ns, &h->times[1], sizeof(r.start_ns));
	memcpy(&r.end_ns, &h->times[3], sizeof(r.end_ns));
	if (!are_times(r.start_ns, r.end_ns)) {
		memcpy(&r.start_ns, &h->times[0], sizeof(r.start_ns));
		memcpy(&r.end_ns, &h->times[2], sizeof(r.end_ns));
	}
	put_host_run(a, pages, &r, h->correlationId);
}

/*
 * On a CUPTI newer than the layouts we know, the first records of each kind must make sense: a field
 * that moved shows as an absurd time or id.
 */
static bool is_plausible(const struct gst_cupti_activity *rec)
{
	uint64_t now = gst_clock_real_ns();
	uint64_t start = 0, end = 0;
	uint32_t ctx = 1, stream = 1;

	switch (rec->kind) {
	case GST_CUPTI_KIND_CONCURRENT_KERNEL: {
		const struct gst_cupti_kernel *k = (const void *)rec;

		start = k->start;
		end = k->end;
		ctx = k->contextId;
		stream = k->streamId;
		if (k->gridX <= 0 || k->gridY <= 0 || k->gridZ <= 0 || k->blockX <= 0 ||
		    k->blockX > 1024 || k->blockY > 1024 || k->blockZ > 1024 || !k->correlationId) {
			return false;
		}
		break;
	}
	case GST_CUPTI_KIND_MEMCPY: {
		const struct gst_cupti_memcpy *m = (const void *)rec;

		start = m->start;
		end = m->end;
		ctx = m->contextId;
		stream = m->streamId;
		if (m->copyKind > GST_CUPTI_COPY_PTOP || !m->correlationId) {
			return false;
		}
		break;
	}
	case GST_CUPTI_KIND_MEMCPY2: {
		const struct gst_cupti_memcpy_ptop *m = (const void *)rec;

		start = m->start;
		end = m->end;
		ctx = m->contextId;
		stream = m->streamId;
		break;
	}
	case GST_CUPTI_KIND_MEMSET: {
		const struct gst_cupti_memset *m = (const void *)rec;

		start = m->start;
		end = m->end;
		ctx = m->contextId;
		stream = m->streamId;
		break;
	}
	case GST_CUPTI_KIND_GRAPH_TRACE: {
		const struct gst_cupti_graph_trace *g = (const void *)rec;

		start = g->start;
		end = g->end;
		ctx = g->contextId;
		stream = g->streamId;
		break;
	}
	case GST_CUPTI_KIND_SYNCHRONIZATION: {
		const struct gst_cupti_synchronization *s = (const void *)rec;

		start = s->start;
		end = s->end;
		ctx = s->contextId;
		break;
	}
	case GST_CUPTI_KIND_STREAM: {
		const struct gst_cupti_stream *s = (const void *)rec;

		ctx = s->contextId;
		stream = s->streamId;
		break;
	}
	default:
		return true;
	}
	if (start && end && start > end) {
		return false;
	}
	if ((start && (start + DAY_NS < now || start > now + DAY_NS)) ||
	    (end && end > now + DAY_NS)) {
		return false;
	}
	return ctx < PLAUSIBLE_ID_MAX && stream < PLAUSIBLE_ID_MAX;
}

static bool passes_self_check(struct gst_activity *a, const struct gst_cupti_activity *rec)
{
	uint32_t kind = rec->kind;

	if (kind >= GST_CUPTI_KIND_COUNT_READ ||
	    atomic_fetch_add_explicit(&a->checked[kind], 1, memory_order_relaxed) >=
		    SELF_CHECK_RECORDS) {
		return true;
	}
	if (is_plausible(rec)) {
		return true;
	}
	atomic_store(&a->is_off, 1);
	gst_loss_add(a->loss, 0, GST_LOSS_SELF_CHECK, 1);
	gst_notes_add(a->defs, a->strings, GST_NOTE_ACTIVITY_OFF, (int32_t)kind,
		      "records of this newer CUPTI make no sense: device records are off");
	return false;
}

bool gst_activity_translate(struct gst_activity *a, struct gst_activity_pages *pages,
			    const struct gst_cupti_activity *rec)
{
	if (a->must_check && !passes_self_check(a, rec)) {
		return false;
	}
	switch (rec->kind) {
	case GST_CUPTI_KIND_CONCURRENT_KERNEL:
	case GST_CUPTI_KIND_KERNEL:
		pages->has_work = true;
		translate_kernel(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_MEMCPY:
		pages->has_work = true;
		translate_memcpy(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_MEMCPY2:
		pages->has_work = true;
		translate_peer(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_MEMSET:
		pages->has_work = true;
		translate_memset(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_STREAM:
		translate_stream(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_CONTEXT:
		translate_context(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_DEVICE:
		translate_device(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_GRAPH_TRACE:
		pages->has_work = true;
		translate_graph(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_MEMORY2:
		translate_memory(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_OVERHEAD:
		translate_overhead(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_SYNCHRONIZATION:
		translate_sync(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_CUDA_EVENT:
		translate_event(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_GRAPH_HOST_NODE:
		translate_host_node(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_HOST_LAUNCH:
		translate_host_launch(a, pages, (const void *)rec);
		break;
	case GST_CUPTI_KIND_DRIVER:
	case GST_CUPTI_KIND_RUNTIME:
		if (a->options.calls) {
			translate_call(a, pages, (const void *)rec);
			break;
		}
		/* fall through */
	default: /* a kind of a newer CUPTI, or one that came along unasked */
		gst_loss_add(a->loss, 0, GST_LOSS_UNKNOWN_ACTIVITY, 1);
		break;
	}
	return true;
}
