/*
 * resources.h - resource callbacks of CUPTI become definitions: contexts and streams with their handles.
 *
 * Contract: runs in the application's thread inside the call that makes or ends the object. No malloc, I/O or
 * lock. It asks CUPTI for ids, which CUPTI allows there, and calls nothing of CUDA. Calls of
 * a paused recording are looked at too: definitions are complete whenever a window opens.
 */
#ifndef GSTRACE_TRACER_RESOURCES_H
#define GSTRACE_TRACER_RESOURCES_H

#include "tracer/callbacks.h"

/** Enable the resource callbacks that are looked at. */
void gst_resources_enable(struct gst_callbacks *cb, const struct gst_cupti *cupti);

/**
 * Say once that the per-thread default stream of the context that is current is this thread's. At the exit of a
 * call that put work into it.
 */
void gst_resources_tell_owner(struct gst_callbacks *cb, struct gst_thread_slot *slot,
			      const struct gst_cupti_callback_data *data);

/** CUPTI's id of the stream that handle @stream means in a call of @api; 0 = not known. */
uint32_t gst_resources_stream_id(const struct gst_callbacks *cb, const struct gst_api *api,
				 const struct gst_cupti_callback_data *data, uint64_t stream);

/** The callback @cbid of the RESOURCE domain. errno is kept. */
void gst_resources_on_event(struct gst_callbacks *cb, uint32_t cbid,
			    const struct gst_cupti_resource_data *data);

#endif
