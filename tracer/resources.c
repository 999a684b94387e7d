/*
 * resources.c - what is made and what ends, as it happens.
 *
 * Role      : definitions with handles, which activity records do not have, at the moment they are needed.
 * Method    : ids come from CUPTI's own functions; the call in which this happens is the thread's open one.
 * Invariant : an entry point that this CUPTI lacks costs that definition and nothing else; data may be NULL.
 * Not here  : what activities tell of the same objects (activity.c); both are merged by their ids.
 */
#include "tracer/resources.h"

void gst_resources_enable(struct gst_callbacks *cb, const struct gst_cupti *cupti)
{
	static const uint32_t wanted[] = {
		GST_CUPTI_RESOURCE_CONTEXT_CREATED,
		GST_CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING,
		GST_CUPTI_RESOURCE_STREAM_CREATED,
		GST_CUPTI_RESOURCE_STREAM_DESTROY_STARTING,
	};

	cb->cupti = cupti;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		/* Refused: activities still tell of contexts and streams. */
		(void)cupti->cuptiEnableCallback(1, cupti->subscriber, GST_CUPTI_DOMAIN_RESOURCE,
						 wanted[i]);
	}
}

/* CUPTI's id of a context; 0 = not known. */
static uint32_t context_id(const struct gst_callbacks *cb, void *context)
{
	uint32_t id = 0;

	if (!context || !cb->cupti->cuptiGetContextId ||
	    cb->cupti->cuptiGetContextId(context, &id)) {
		return 0;
	}
	return id;
}

static bool stream_id(const struct gst_callbacks *cb, const struct gst_cupti_resource_data *data,
		      uint32_t *id)
{
	return data->stream && cb->cupti->cuptiGetStreamIdEx &&
	       !cb->cupti->cuptiGetStreamIdEx(data->context, data->stream, 0, id);
}

static void on_context(struct gst_callbacks *cb, const struct gst_cupti_resource_data *data)
{
	struct gst_rec_context rec = {
		.head = gst_record_head(GST_KIND_CONTEXT, sizeof(rec), 0),
		.ctx = context_id(cb, data->context),
		.handle = (uint64_t)(uintptr_t)data->context,
	};

	if (!rec.ctx || !cb->cupti->cuptiGetDeviceId ||
	    cb->cupti->cuptiGetDeviceId(data->context, &rec.device)) {
		return;
	}
	(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
	if (cb->objects) {
		gst_objects_define_context(cb->objects, &rec, gst_windows_now(cb->windows));
	}
}

static void on_stream(struct gst_callbacks *cb, const struct gst_cupti_resource_data *data)
{
	const struct gst_thread_slot *slot = gst_threads_current();
	const struct gst_open_call *call =
		slot && slot->depth ? &slot->calls[slot->depth - 1] : NULL;
	const struct gst_api *api = call ? gst_api_find(call->api) : NULL;
	struct gst_rec_stream rec = {
		.ctx = context_id(cb, data->context),
		.handle = (uint64_t)(uintptr_t)data->stream,
	};
	bool is_recorded = call && !call->is_silent;

	if (!rec.ctx || !stream_id(cb, data, &rec.stream)) {
		return;
	}
	if (api && api->class_id == GST_API_CLASS_STREAM_CREATE) {
		rec.type = call->extra & GST_CU_STREAM_NON_BLOCKING ? GST_STREAM_NONBLOCKING
								    : GST_STREAM_BLOCKING;
		rec.priority = (int32_t)(call->extra >> 32);
	}
	rec.head = gst_record_head(GST_KIND_STREAM, sizeof(rec), is_recorded ? call->corr : 0);
	(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
	if (cb->objects) {
		gst_objects_define_stream(cb->objects, &rec, gst_windows_now(cb->windows));
	}
}

static void on_stream_end(struct gst_callbacks *cb, const struct gst_cupti_resource_data *data)
{
	uint32_t ctx = context_id(cb, data->context);
	uint32_t id;

	if (cb->objects && ctx && stream_id(cb, data, &id)) {
		gst_objects_remove(&cb->objects->streams, gst_objects_stream_key(ctx, id),
				   gst_windows_now(cb->windows));
	}
}

void gst_resources_on_event(struct gst_callbacks *cb, uint32_t cbid,
			    const struct gst_cupti_resource_data *data)
{
	uint32_t ctx;

	/* Some come without data. */
	if (!data || !cb->cupti) {
		return;
	}
	switch (cbid) {
	case GST_CUPTI_RESOURCE_CONTEXT_CREATED:
		on_context(cb, data);
		break;
	case GST_CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING:
		ctx = context_id(cb, data->context);
		if (cb->objects && ctx) {
			gst_objects_remove(&cb->objects->contexts, ctx,
					   gst_windows_now(cb->windows));
		}
		break;
	case GST_CUPTI_RESOURCE_STREAM_CREATED:
		on_stream(cb, data);
		break;
	case GST_CUPTI_RESOURCE_STREAM_DESTROY_STARTING:
		on_stream_end(cb, data);
		break;
	default:
		break;
	}
}
