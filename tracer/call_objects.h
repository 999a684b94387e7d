/*
 * call_objects.h - what calls do to events, streams and graphs that are alive: objects.h is told.
 *
 * At enter it is noted with the open call, at exit, if the call succeeded, it is done. Threads: the slot's.
 */
#ifndef GSTRACE_TRACER_CALL_OBJECTS_H
#define GSTRACE_TRACER_CALL_OBJECTS_H

#include "tracer/call_params.h"
#include "tracer/callbacks.h"

/* Classes of calls that change what is alive: looked at outside windows too. */
#define GST_CLASS_BIT(name) (UINT64_C(1) << GST_API_CLASS_##name)
#define GST_STATE_CLASSES                                                 \
	(GST_CLASS_BIT(EVENT_CREATE) | GST_CLASS_BIT(EVENT_RECORD) |      \
	 GST_CLASS_BIT(EVENT_DESTROY) | GST_CLASS_BIT(STREAM_CREATE) |    \
	 GST_CLASS_BIT(GRAPH_INSTANTIATE) | GST_CLASS_BIT(GRAPH_LAUNCH) | \
	 GST_CLASS_BIT(GRAPH_DESTROY) | GST_CLASS_BIT(GRAPH_BUILD) | GST_CLASS_BIT(GRAPH_UPDATE))

/** Whether the call changes what is alive, or when it was used last: such calls are followed outside windows too. */
static inline bool gst_call_objects_have(const struct gst_api *api)
{
	return GST_STATE_CLASSES >> api->class_id & 1 || api->layout == GST_PARAMS_LAUNCH_EX;
}

/** Note in @call what is to be told when it has returned; @d is what call_params.h gave of it. */
void gst_call_objects_note(struct gst_open_call *call, const struct gst_api *api,
			   const struct gst_call_params *d);

/** @call succeeded in context @ctx; @value is what it gave. What opened a window meanwhile is told what it did. */
void gst_call_objects_follow(struct gst_callbacks *cb, const struct gst_api *api,
			     const struct gst_open_call *call, uint64_t value, uint32_t ctx);

#endif
