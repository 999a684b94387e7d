/*
 * call_objects.c - what calls do to events, streams and graphs.
 *
 * Role      : keeps objects.h right from calls, recorded or not, so that each window's snapshot is.
 * Method    : by the class of the call; a window that opened while the call was under way is told late.
 * Invariant : nothing is done for a call that failed.
 * Not here  : the tables (objects.c), what resource callbacks tell (resources.c).
 */
#include "tracer/call_objects.h"

#include <string.h>

/* Whether the event of a node of a graph is a parameter of the call itself. */
static bool names_event(const struct gst_api *api)
{
	return api->layout == GST_PARAMS_GRAPH_ADD_EVENT ||
	       api->layout == GST_PARAMS_GRAPH_NODE_EVENT ||
	       api->layout == GST_PARAMS_GRAPH_EXEC_NODE_EVENT;
}

/* Whether a node that the call makes, or changes, records an event. */
static bool records_event(const struct gst_api *api, const struct gst_call_params *d)
{
	return d->flags == GST_NODE_RECORD_EVENT ||
	       (names_event(api) && strstr(api->name, "Record"));
}

void gst_call_objects_note(struct gst_open_call *call, const struct gst_api *api,
			   const struct gst_call_params *d)
{
	switch ((enum gst_api_class)api->class_id) {
	case GST_API_CLASS_GRAPH_LAUNCH:
		call->object = d->second;
		break;
	case GST_API_CLASS_GRAPH_DESTROY:
		/* One of the two. */
		call->object = d->second | d->object;
		break;
	case GST_API_CLASS_STREAM_CREATE:
		call->extra = (uint64_t)(uint32_t)d->priority << 32 |
			      (api->layout == GST_PARAMS_GREEN_STREAM_CREATE
				       ? d->flags | GST_CU_STREAM_NON_BLOCKING
				       : d->flags);
		break;
	case GST_API_CLASS_EVENT_CREATE:
		call->extra = d->flags;
		break;
	case GST_API_CLASS_GRAPH_BUILD:
	case GST_API_CLASS_GRAPH_UPDATE:
		call->object = records_event(api, d) ? d->event : 0;
		break;
	case GST_API_CLASS_LAUNCH: /* events that attributes record */
		call->object = d->object;
		call->second = d->second;
		break;
	default: /* events */
		call->object = d->object;
		break;
	}
}

static struct gst_object *use_object(struct gst_callbacks *cb, struct gst_objects_table *table,
				     uint64_t handle_, uint32_t now, uint32_t corr, uint32_t ctx,
				     bool is_event)
{
	struct gst_object *object = gst_objects_find(table, handle_);

	if (!object) {
		/* Made before us, or by a call we do not see (IPC). */
		object = gst_objects_add(cb->objects, table, handle_);
		if (!object) {
			return NULL;
		}
		gst_object_ready(object, 0);
	}
	if (is_event) {
		atomic_store_explicit(&object->data[GST_EVENT_CTX], ctx, memory_order_relaxed);
	}
	gst_object_use(object, now, corr);
	return object;
}

/*
 * The window that is open now has opened while @call was under way: its segment does not have the call, and the
 * snapshot did not know yet what it did. So that is told now.
 */
static void tell_late(struct gst_callbacks *cb, const struct gst_object *object, bool is_event,
		      uint32_t corr)
{
	struct gst_rec_event_state event;
	struct gst_rec_exec_state exec;

	if (is_event) {
		event = (struct gst_rec_event_state){
			.head = gst_record_head(GST_KIND_EVENT_STATE, sizeof(event), corr),
			.event = atomic_load(&object->key),
			.flags = atomic_load(&object->data[GST_EVENT_FLAGS]),
			.ctx = atomic_load(&object->data[GST_EVENT_CTX]),
		};
		(void)gst_lane_put_one(cb->defs, &event, sizeof(event));
		return;
	}
	exec = (struct gst_rec_exec_state){
		.head = gst_record_head(GST_KIND_EXEC_STATE, sizeof(exec), corr),
		.exec = atomic_load(&object->key),
		.graph = atomic_load(&object->data[GST_EXEC_GRAPH]),
	};
	(void)gst_lane_put_one(cb->defs, &exec, sizeof(exec));
}

void gst_call_objects_follow(struct gst_callbacks *cb, const struct gst_api *api,
			     const struct gst_open_call *call, uint64_t value, uint32_t ctx)
{
	uint32_t now = gst_windows_now(cb->windows);
	struct gst_objects *o = cb->objects;
	struct gst_object *object = NULL, *second = NULL;
	bool is_event = true;
	uint32_t corr = call->corr;

	switch ((enum gst_api_class)api->class_id) {
	case GST_API_CLASS_EVENT_CREATE:
		corr = 0;
		object = value ? gst_objects_add(o, &o->events, value) : NULL;
		if (object) {
			atomic_store(&object->data[GST_EVENT_FLAGS], (uint32_t)call->extra);
			atomic_store(&object->data[GST_EVENT_CTX], ctx);
			gst_object_ready(object, now);
		}
		break;
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_LAUNCH:
		object = use_object(cb, &o->events, call->object, now, corr, ctx, true);
		if (__builtin_expect(call->second != 0, 0)) {
			second = use_object(cb, &o->events, call->second, now, corr, ctx, true);
		}
		break;
	case GST_API_CLASS_GRAPH_BUILD:
	case GST_API_CLASS_GRAPH_UPDATE:
		/* Each launch of the graph records it, unseen: it is not an event that was never recorded. */
		if (call->object) {
			object = use_object(cb, &o->events, call->object, now, corr, ctx, true);
		}
		break;
	case GST_API_CLASS_EVENT_DESTROY:
		gst_objects_remove(&o->events, call->object, now);
		break;
	case GST_API_CLASS_GRAPH_INSTANTIATE:
		is_event = false;
		corr = 0;
		/* A resource callback inside told of it, mostly. */
		object = value ? gst_objects_find(&o->execs, value) : NULL;
		if (value && !object) {
			object = gst_objects_add(o, &o->execs, value);
			if (object) {
				gst_object_ready(object, now);
			}
		}
		break;
	case GST_API_CLASS_GRAPH_LAUNCH:
		is_event = false;
		object = use_object(cb, &o->execs, call->object, now, corr, 0, false);
		break;
	case GST_API_CLASS_GRAPH_DESTROY:
		gst_objects_remove(&o->execs, call->object, now);
		gst_objects_remove(&o->graphs, call->object, now);
		break;
	default:
		break;
	}
	/* Asked again: the window may have opened since. */
	atomic_signal_fence(memory_order_seq_cst);
	now = gst_windows_now(cb->windows);
	if (__builtin_expect(gst_windows_is_open(now) && call->segment != gst_windows_segment(now),
			     0)) {
		if (object) {
			tell_late(cb, object, is_event, corr);
		}
		if (second) {
			tell_late(cb, second, is_event, corr);
		}
	}
}
