/*
 * submit.c - in which order did the driver accept two calls?
 *
 * Role      : order/ asks for each pair of neighbours whose order makes an edge.
 * Method    : one thread: its own order. Two threads: disjoint spans; else what the device shows (two ops
 *             of one stream begin in the order in which they were accepted), else two records of one event
 *             by CUPTI's numbers. What none of these proves is ambiguous, never a guess: nor is a begin that
 *             its stream does not hold back, or that another clock gave.
 * Invariant : accepted(a, b) is BEFORE if and only if accepted(b, a) is AFTER.
 * Not here  : which pairs matter (analyzer/order).
 */
#include "analyzer/base/assert.h"
#include "analyzer/model/model_internal.h"

/* Did @a return before @b was entered, for sure? Of two threads. */
static bool is_over_before(const struct gst_model *m, const struct gst_call *a,
			   const struct gst_call *b)
{
	return a->flags & GST_CALL_RETURNED && !(b->flags & GST_CALL_NO_ENTER) &&
	       gst_model_is_past(m, a->exit_ns, b->enter_ns);
}

/* Does its begin tell its place in its stream? Of a batch whose sources may be read early, and of a copy that was
 * stamped before it waited, it does not. */
static bool tells_place(const struct gst_call *c, const struct gst_op *op)
{
	return op->stream != GST_NONE && op->flags & GST_OP_TIMED &&
	       !(op->flags & GST_OP_EARLY_BEGIN) &&
	       !(c->api_flags & GST_API_BATCH &&
		 c->flags & (GST_CALL_EARLY_SOURCE | GST_CALL_TOLD));
}

static enum gst_accepted by_device(const struct gst_model *m, const struct gst_call *a,
				   const struct gst_call *b)
{
	const struct gst_op *x, *y;

	if (!a->op_count || !b->op_count)
		return GST_ACCEPTED_AMBIGUOUS;
	x = &m->ops[a->first_op];
	y = &m->ops[b->first_op];
	/* The times of host functions are the host's. */
	if (!tells_place(a, x) || !tells_place(b, y) || x->stream != y->stream ||
	    (x->kind == GST_OP_HOST_FUNC) != (y->kind == GST_OP_HOST_FUNC) ||
	    x->begin_ns == y->begin_ns)
		return GST_ACCEPTED_AMBIGUOUS;
	return x->begin_ns < y->begin_ns ? GST_ACCEPTED_BEFORE : GST_ACCEPTED_AFTER;
}

enum gst_accepted gst_model_accepted(const struct gst_model *m, gst_call_id a, gst_call_id b)
{
	const struct gst_call *x = &m->calls[a];
	const struct gst_call *y = &m->calls[b];
	enum gst_accepted answer;

	GST_DCHECK(a != b);
	if (x->thread == y->thread)
		return a < b ? GST_ACCEPTED_BEFORE : GST_ACCEPTED_AFTER;
	if (is_over_before(m, x, y))
		return GST_ACCEPTED_BEFORE;
	if (is_over_before(m, y, x))
		return GST_ACCEPTED_AFTER;
	answer = by_device(m, x, y);
	if (answer != GST_ACCEPTED_AMBIGUOUS)
		return answer;
	if (x->cls == GST_API_CLASS_EVENT_RECORD && y->cls == x->cls && x->event == y->event &&
	    x->event != GST_NONE && x->sync_id && y->sync_id && x->sync_id != y->sync_id)
		return x->sync_id < y->sync_id ? GST_ACCEPTED_BEFORE : GST_ACCEPTED_AFTER;
	return GST_ACCEPTED_AMBIGUOUS;
}

static void mark(struct gst_model *m, gst_call_id id)
{
	struct gst_call *c = &m->calls[id];

	m->stats.ambiguous_calls += !(c->flags & GST_CALL_AMBIGUOUS);
	c->flags |= GST_CALL_AMBIGUOUS;
}

static void mark_pair(struct gst_model *m, gst_call_id a, gst_call_id b)
{
	if (a == GST_NONE || a == b || gst_model_accepted(m, a, b) != GST_ACCEPTED_AMBIGUOUS)
		return;
	mark(m, a);
	mark(m, b);
}

static uint64_t exit_of(const struct gst_call *c)
{
	return c->flags & GST_CALL_RETURNED ? c->exit_ns : UINT64_MAX;
}

void gst_model_look_at_call(struct gst_model *m, struct gst_lane_calls *lane, gst_call_id id)
{
	const struct gst_call *c = &m->calls[id];

	if (id == lane->last)
		return;
	if (lane->last == GST_NONE) {
		lane->thread = c->thread;
		lane->last = lane->longest = id;
		lane->longest_exit_ns = exit_of(c);
		return;
	}
	lane->is_shared |= c->thread != lane->thread;
	/* One thread has its own order; what began after all others had returned came after them. */
	if (lane->is_shared && (!gst_model_is_past(m, lane->longest_exit_ns, c->enter_ns) ||
				c->flags & GST_CALL_NO_ENTER)) {
		mark_pair(m, lane->last, id);
		mark_pair(m, lane->longest, id);
	}
	lane->last = id;
	if (exit_of(c) > lane->longest_exit_ns) {
		lane->longest = id;
		lane->longest_exit_ns = exit_of(c);
	}
}
