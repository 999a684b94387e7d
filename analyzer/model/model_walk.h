/* model_walk.h - what the parts of the walk over the calls share: model_resolve.c, model_ops.c. */
#ifndef GSTRACE_ANALYZER_MODEL_MODEL_WALK_H
#define GSTRACE_ANALYZER_MODEL_MODEL_WALK_H

#include "analyzer/model/model_internal.h"

#define EVENT_INTERPROCESS 4u /* flag of an event's creation */

/* The kind of op that a device record is; GST_OP_KIND_COUNT = none of its own. */
static inline enum gst_op_kind gst_model_kind_of_dev(const struct gst_raw_dev *d)
{
	switch (d->kind) {
	case DEV_KIND(KERNEL):
		return GST_OP_KERNEL;
	case DEV_KIND(MEMCPY):
		return GST_OP_MEMCPY;
	case DEV_KIND(MEMSET):
		return GST_OP_MEMSET;
	case DEV_KIND(GRAPH_RUN):
		return GST_OP_GRAPH_LAUNCH;
	case DEV_KIND(HOST_RUN):
		return GST_OP_HOST_FUNC;
	default:
		return GST_OP_KIND_COUNT; /* event, sync: belong to the op of their call */
	}
}

/* model_resolve.c: the stream, by its number in the walk, of lane @lane as device records name it. */
uint32_t gst_model_lane_of_dev(struct gst_builder *b, uint32_t lane);
/*
 * The first device record from @dev on, all of call @c, that tells in which lane the call's work was; NULL = none. An
 * event that a node of a launched graph recorded was in the stream that CUDA chose for the node.
 */
const struct gst_raw_dev *gst_model_lane_record(const struct gst_builder *b, uint32_t process,
						const struct gst_call *c, uint32_t dev);

/* model_ops.c: what a call of this kind puts into a stream; GST_OP_KIND_COUNT = nothing. */
enum gst_op_kind gst_model_submits(const struct gst_call *c);
/* One more op, the last of all, of which nothing else is known. Good until the next one is added. */
struct gst_op *gst_model_add_op(struct gst_builder *b, enum gst_op_kind kind, gst_call_id call,
				gst_stream_id stream);
void gst_model_set_times(struct gst_builder *b, struct gst_op *op, const struct gst_raw_dev *d);
/* An op from the device record @d: in its own lane, or @parent's node. @call GST_NONE: it is nobody's. */
struct gst_op *gst_model_add_dev_op(struct gst_builder *b, uint32_t process, struct gst_raw_dev *d,
				    gst_call_id call, gst_op_id parent);
/* All ops of call @id, whose stream and event are known. Device records are ops also if it submitted nothing. */
void gst_model_add_ops(struct gst_builder *b, gst_call_id id, const struct gst_pending *raw,
		       bool is_submitted);
/*
 * CUPTI's records of the events that a launch recorded, to the nodes first .. first + count - 1 that did it: by the
 * event, or where there is one of each. Returns how many records are left: those of @left, if it is not NULL.
 */
uint32_t gst_model_tell_record_nodes(struct gst_builder *b, uint32_t process, gst_op_id first,
				     uint32_t count, uint32_t dev, uint32_t *left);

#endif
