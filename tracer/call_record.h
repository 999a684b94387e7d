/*
 * call_record.h - the record of a call, of what was read of its parameters.
 */
#ifndef GSTRACE_TRACER_CALL_RECORD_H
#define GSTRACE_TRACER_CALL_RECORD_H

#include "tracer/call_params.h"
#include "tracer/callbacks.h"

union gst_call_record {
	struct gst_rec_head head;
	struct gst_rec_call_prefix prefix;
	struct gst_rec_call call;
	struct gst_rec_call_launch launch;
	struct gst_rec_call_copy copy;
	struct gst_rec_call_memset memset;
	struct gst_rec_call_event event;
	struct gst_rec_call_stream stream;
	struct gst_rec_call_graph graph;
	struct gst_rec_call_memory memory;
	struct gst_rec_call_host host;
};

/**
 * Fill in kind of @r and what follows its prefix: @d is what call_params.h gave of the call.
 *
 * @r must be zero. Returns the bytes of the record. Threads: any.
 */
uint32_t gst_call_record_fill(union gst_call_record *r, const struct gst_api *api,
			      const struct gst_call_params *d,
			      const struct gst_cupti_callback_data *data,
			      struct gst_intern *strings);

/** Whether the call has elements of its own: waits for values and writes of them. */
static inline bool gst_call_record_is_memop(const struct gst_api *api)
{
	return api->layout == GST_PARAMS_MEMOP_32 || api->layout == GST_PARAMS_MEMOP_64 ||
	       api->layout == GST_PARAMS_MEMOP_BATCH;
}

/**
 * Put the elements of such a call behind it: their order in the array is their order in the stream.
 *
 * What finds no page is counted. Threads: the slot's, inside gst_thread_enter().
 */
void gst_call_record_put_memops(struct gst_callbacks *cb, struct gst_thread_slot *slot,
				const struct gst_api *api, const struct gst_call_params *d,
				uint32_t segment, uint32_t corr);

#endif
