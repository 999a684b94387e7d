/*
 * call_record.c - the record of a call.
 *
 * Role      : callbacks.c commits what is filled in here.
 * Method    : a class of calls has one kind of record; each takes its part of what the layout gave.
 * Invariant : what the call does not say is 0.
 * Not here  : reading parameters (call_params.c), when and where it is recorded (callbacks.c).
 */
#include "tracer/call_record.h"

#include <string.h>

#define MEMOPS_MAX 256u /* the driver refuses more, without a look at them */

static uint32_t direction_of_flags(uint32_t flags)
{
	if (flags & GST_API_PEER) {
		return GST_COPY_PTOP;
	}
	if (flags & GST_API_H2D) {
		return GST_COPY_HTOD;
	}
	if (flags & GST_API_D2H) {
		return GST_COPY_DTOH;
	}
	return flags & GST_API_D2D ? GST_COPY_DTOD : GST_COPY_UNKNOWN;
}

uint32_t gst_call_record_fill(union gst_call_record *r, const struct gst_api *api,
			      const struct gst_call_params *d,
			      const struct gst_cupti_callback_data *data,
			      struct gst_intern *strings)
{
	switch ((enum gst_api_class)api->class_id) {
	case GST_API_CLASS_LAUNCH:
		r->head.kind = GST_KIND_CALL_LAUNCH;
		r->launch.flags = d->flags;
		r->launch.event = d->object;
		r->launch.event2 = d->second;
		r->launch.name = gst_intern_near(strings, data->symbolName);
		return sizeof(r->launch);
	case GST_API_CLASS_COPY:
		r->head.kind = GST_KIND_CALL_COPY;
		r->copy.dst = d->object;
		r->copy.src = d->second;
		r->copy.size = d->size;
		r->copy.count = d->count;
		r->copy.access = d->access;
		r->copy.direction = d->direction ? d->direction : direction_of_flags(api->flags);
		return sizeof(r->copy);
	case GST_API_CLASS_MEMSET:
		r->head.kind = GST_KIND_CALL_MEMSET;
		r->memset.dst = d->object;
		r->memset.size = d->size;
		return sizeof(r->memset);
	case GST_API_CLASS_EVENT_CREATE:
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_EVENT_WAIT:
	case GST_API_CLASS_EVENT_SYNC:
	case GST_API_CLASS_EVENT_QUERY:
	case GST_API_CLASS_EVENT_DESTROY:
	case GST_API_CLASS_EVENT_ELAPSED:
		r->head.kind = GST_KIND_CALL_EVENT;
		r->event.event = d->object;
		r->event.flags = d->flags;
		r->event.event2 = api->class_id == GST_API_CLASS_EVENT_ELAPSED ? d->second : 0;
		r->event.context = api->layout == GST_PARAMS_CTX_EVENT ? d->second : 0;
		return sizeof(r->event);
	case GST_API_CLASS_STREAM_CREATE:
	case GST_API_CLASS_STREAM_DESTROY:
	case GST_API_CLASS_STREAM_SYNC:
	case GST_API_CLASS_STREAM_QUERY:
		r->head.kind = GST_KIND_CALL_STREAM;
		r->stream.flags = d->flags;
		r->stream.priority = d->priority;
		return sizeof(r->stream);
	case GST_API_CLASS_HOST_FUNC:
	case GST_API_CLASS_STREAM_CALLBACK:
		r->head.kind = GST_KIND_CALL_HOST;
		r->host.function = d->object;
		r->host.user = d->second;
		return sizeof(r->host);
	case GST_API_CLASS_CAPTURE_BEGIN:
	case GST_API_CLASS_CAPTURE_END:
	case GST_API_CLASS_GRAPH_INSTANTIATE:
	case GST_API_CLASS_GRAPH_LAUNCH:
	case GST_API_CLASS_GRAPH_UPLOAD:
	case GST_API_CLASS_GRAPH_UPDATE:
	case GST_API_CLASS_GRAPH_DESTROY:
	case GST_API_CLASS_GRAPH_BUILD:
		r->head.kind = GST_KIND_CALL_GRAPH;
		r->graph.graph = d->object;
		r->graph.exec = d->second;
		r->graph.mode = d->flags;
		r->graph.node = d->node;
		r->graph.event = d->event;
		return sizeof(r->graph);
	case GST_API_CLASS_ALLOC:
	case GST_API_CLASS_FREE:
	case GST_API_CLASS_ALLOC_ASYNC:
	case GST_API_CLASS_FREE_ASYNC:
	case GST_API_CLASS_HOST_ALLOC:
	case GST_API_CLASS_HOST_FREE:
	case GST_API_CLASS_HOST_REGISTER:
	case GST_API_CLASS_HOST_UNREGISTER:
		r->head.kind = GST_KIND_CALL_MEMORY;
		r->memory.address = d->object;
		r->memory.size = d->size;
		r->memory.pool = d->second;
		return sizeof(r->memory);
	case GST_API_CLASS_POOL:
		if (!d->object) { /* not one of its settings */
			r->head.kind = GST_KIND_CALL_MEMORY;
			r->memory.size = d->size;
			r->memory.pool = d->second;
			return sizeof(r->memory);
		}
		break;
	case GST_API_CLASS_CTX_SYNC:
	case GST_API_CLASS_CTX_CREATE:
	case GST_API_CLASS_CTX_DESTROY:
	case GST_API_CLASS_DEVICE_RESET:
	case GST_API_CLASS_PREFETCH:
	case GST_API_CLASS_MEMOP:
	case GST_API_CLASS_MODULE:
	case GST_API_CLASS_LIMIT:
	case GST_API_CLASS_PEER:
	case GST_API_CLASS_PROFILER:
	case GST_API_CLASS_OTHER:
	case GST_API_CLASS_COUNT:
		break;
	}
	r->head.kind = GST_KIND_CALL;
	r->call.object = d->object;
	r->call.value = d->size;
	r->call.flags = d->flags;
	r->call.place = d->place;
	r->call.count = d->count;
	return sizeof(r->call);
}

/* What single calls do, by name: 32 or 64 bits, wait or write. */
static uint32_t memop_type(const struct gst_api *api)
{
	bool is_write = strstr(api->name, "Write") != NULL;

	if (api->layout == GST_PARAMS_MEMOP_64) {
		return is_write ? GST_MEMOP_WRITE_64 : GST_MEMOP_WAIT_64;
	}
	return is_write ? GST_MEMOP_WRITE_32 : GST_MEMOP_WAIT_32;
}

static void put_memop(struct gst_callbacks *cb, struct gst_thread_slot *slot, uint32_t segment,
		      struct gst_rec_memop *r, uint32_t corr)
{
	uint32_t bytes = gst_record_trim(r, sizeof(*r));
	void *place = gst_thread_reserve(
		cb->threads, slot, bytes + (uint32_t)sizeof(struct gst_rec_call_exit), segment);

	if (!place) {
		gst_loss_add(cb->loss, GST_KIND_MEMOP, GST_LOSS_NO_CHUNK, 1);
		return;
	}
	memcpy((unsigned char *)place + sizeof(r->head), (unsigned char *)r + sizeof(r->head),
	       bytes - sizeof(r->head));
	gst_chunk_commit(slot->page, GST_KIND_MEMOP, bytes, corr);
}

void gst_call_record_put_memops(struct gst_callbacks *cb, struct gst_thread_slot *slot,
				const struct gst_api *api, const struct gst_call_params *d,
				uint32_t segment, uint32_t corr)
{
	struct gst_rec_memop r;

	if (api->layout != GST_PARAMS_MEMOP_BATCH) {
		memset(&r, 0, sizeof(r));
		r.address = d->object;
		r.value = d->size;
		r.type = memop_type(api);
		r.flags = d->flags;
		put_memop(cb, slot, segment, &r, corr);
		return;
	}
	for (uint32_t i = 0; d->ops && d->count <= MEMOPS_MAX && i < d->count; i++) {
		const struct gst_cu_memop *op = &d->ops[i];

		memset(&r, 0, sizeof(r));
		r.type = op->operation;
		r.index = i;
		switch (op->operation) {
		case GST_MEMOP_WAIT_32:
		case GST_MEMOP_WRITE_32:
			r.address = op->address;
			r.value = (uint32_t)op->value;
			r.flags = op->flags;
			break;
		case GST_MEMOP_WAIT_64:
		case GST_MEMOP_WRITE_64:
			r.address = op->address;
			r.value = op->value;
			r.flags = op->flags;
			break;
		default:
			r.flags = op->short_flags;
			break;
		}
		put_memop(cb, slot, segment, &r, corr);
	}
}
