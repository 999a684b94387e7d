/*
 * queue.c - which calls a full command queue held up, and whose end made room.
 *
 * Role      : last step of gst_model_build that adds something; analyzer/order makes edges of it (H9).
 * Method    : CUPTI 12.4 and later say of a call that it was held. Before that it is inferred: so many ops of the
 *             stream were pending, the call took long, and returned right after one of them had ended.
 *
 *                 op 1 | op 2 | ...... | op 1024 | call for op 1025
 *                      ^ ends ------------------->     returns
 *
 * Invariant : linear: per lane, calls and what has ended at their return both only move on.
 * Not here  : whether it was that op for sure: it is the last one of its stream that ended before the return.
 */
#include "analyzer/base/sort.h"
#include "analyzer/model/model_internal.h"

#define CUPTI_12_4	  22u	 /* the first version that tells */
#define INFER_PENDING_MIN 1000u	 /* queues were seen to take 1,024 launches */
#define INFER_CALL_MIN_NS 20000u /* a launch takes a tenth of that */
#define INFER_AFTER_NS	  200000u

static bool may_infer(const struct gst_model *m, const struct gst_call *c)
{
	const struct gst_process *p = &m->processes[m->threads[c->thread].process];

	return p->has_process && p->rec.cupti_version && p->rec.cupti_version < CUPTI_12_4 &&
	       c->exit_ns - c->enter_ns >= INFER_CALL_MIN_NS;
}

struct found {
	GST_VEC(struct gst_queue_wait) list;
};

static void look_at_lane(struct gst_model *m, const struct gst_stream *s, struct found *found)
{
	gst_call_id last_call = GST_NONE;
	gst_op_id ended = GST_NONE; /* the last one that had ended at the return */
	uint32_t cursor = 0;	    /* the first one that had not */

	for (uint32_t i = 0; i < s->op_count; i++) {
		gst_call_id id = m->ops[s->ops[i]].call;
		struct gst_call *c = id == GST_NONE ? NULL : &m->calls[id];
		bool is_in;

		if (!c || id == last_call || !(c->flags & GST_CALL_RETURNED) ||
		    c->flags & GST_CALL_NO_ENTER)
			continue;
		last_call = id;
		for (; cursor < i; cursor++) {
			const struct gst_op *op = &m->ops[s->ops[cursor]];

			if (!(op->flags & GST_OP_TIMED))
				continue;
			if (op->end_ns > c->exit_ns)
				break;
			ended = s->ops[cursor];
		}
		is_in = ended != GST_NONE && m->ops[ended].end_ns > c->enter_ns &&
			m->ops[ended].call != id;
		if (c->flags & GST_CALL_HELD) {
			gst_vec_push(&found->list,
				     ((struct gst_queue_wait){.call = id,
							      .op = is_in ? ended : GST_NONE}));
		} else if (is_in && i - cursor >= INFER_PENDING_MIN && may_infer(m, c) &&
			   c->exit_ns - m->ops[ended].end_ns <= INFER_AFTER_NS) {
			c->flags |= GST_CALL_HELD;
			gst_vec_push(&found->list,
				     ((struct gst_queue_wait){
					     .call = id, .op = ended, .is_inferred = true}));
		}
	}
}

void gst_model_find_queue_waits(struct gst_builder *b)
{
	struct gst_model *m = b->m;
	struct found found = {0};
	struct gst_sort_item *items;
	struct gst_queue_wait *out;
	bool may_be_held = false;

	for (uint32_t i = 0; i < m->overhead_count; i++) {
		const struct gst_overhead *o = &m->overheads[i];

		if (o->type == GST_OVERHEAD_COMMAND_BUFFER_FULL && o->call != GST_NONE) {
			m->calls[o->call].flags |= GST_CALL_HELD;
			may_be_held = true;
		}
	}
	for (uint32_t i = 0; i < m->process_count; i++)
		may_be_held |= m->processes[i].has_process &&
			       m->processes[i].rec.cupti_version < CUPTI_12_4;
	for (uint32_t i = 0; i < m->stream_count && may_be_held; i++)
		look_at_lane(m, &m->streams[i], &found);
	items = gst_mem_alloc(found.list.count * sizeof(*items));
	out = GST_ARENA_ARRAY(b->arena, struct gst_queue_wait, found.list.count);
	for (size_t i = 0; i < found.list.count; i++)
		items[i] = (struct gst_sort_item){.key = found.list.data[i].call,
						  .value = (uint32_t)i};
	gst_sort_items(items, found.list.count);
	for (size_t i = 0; i < found.list.count; i++)
		out[i] = found.list.data[items[i].value];
	m->queue_waits = out;
	m->queue_wait_count = (uint32_t)found.list.count;
	gst_mem_free(items, found.list.count * sizeof(*items));
	gst_vec_free(&found.list);
}
