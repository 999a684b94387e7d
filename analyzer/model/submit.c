/*
 * submit.c - in which order did the driver accept two calls?
 *
 * Role      : order/ asks for each pair of neighbours whose order makes an edge.
 * Method    : one thread: its own order. Two threads: disjoint spans; else what the device shows (two ops
 *             of one stream begin in the order in which they were accepted), else two records of one event
 *             by CUPTI's numbers. What none of these proves is ambiguous, never a guess.
 * Invariant : accepted(a, b) is BEFORE if and only if accepted(b, a) is AFTER.
 * Not here  : which pairs matter (analyzer/order).
 */
#include "analyzer/base/assert.h"
#include "analyzer/model/model_internal.h"

/* Did @a return before @b was entered? */
static bool is_over_before(const struct gst_call *a, const struct gst_call *b)
{
	return a->flags & GST_CALL_RETURNED && !(b->flags & GST_CALL_NO_ENTER) &&
	       a->exit_ns <= b->enter_ns;
}

static enum gst_accepted by_device(const struct gst_model *m, const struct gst_call *a,
				   const struct gst_call *b)
{
	const struct gst_op *x, *y;

	if (!a->op_count || !b->op_count)
		return GST_ACCEPTED_AMBIGUOUS;
	x = &m->ops[a->first_op];
	y = &m->ops[b->first_op];
	if (x->stream == GST_NONE || x->stream != y->stream ||
	    !(x->flags & y->flags & GST_OP_TIMED) || x->begin_ns == y->begin_ns)
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
	if (is_over_before(x, y))
		return GST_ACCEPTED_BEFORE;
	if (is_over_before(y, x))
		return GST_ACCEPTED_AFTER;
	answer = by_device(m, x, y);
	if (answer != GST_ACCEPTED_AMBIGUOUS)
		return answer;
	if (x->cls == GST_API_CLASS_EVENT_RECORD && y->cls == x->cls && x->event == y->event &&
	    x->event != GST_NONE && x->sync_id && y->sync_id && x->sync_id != y->sync_id)
		return x->sync_id < y->sync_id ? GST_ACCEPTED_BEFORE : GST_ACCEPTED_AFTER;
	return GST_ACCEPTED_AMBIGUOUS;
}

static void mark_pair(struct gst_model *m, gst_call_id a, gst_call_id b)
{
	if (a == GST_NONE || a == b || gst_model_accepted(m, a, b) != GST_ACCEPTED_AMBIGUOUS)
		return;
	m->calls[a].flags |= GST_CALL_AMBIGUOUS;
	m->calls[b].flags |= GST_CALL_AMBIGUOUS;
}

static uint64_t exit_of(const struct gst_call *c)
{
	return c->flags & GST_CALL_RETURNED ? c->exit_ns : UINT64_MAX;
}

void gst_model_mark_ambiguous(struct gst_model *m)
{
	if (m->thread_count < 2)
		return;
	/* Each with its neighbour in the lane, and with the call before it that lasted longest. */
	for (uint32_t s = 0; s < m->stream_count; s++) {
		gst_call_id last = GST_NONE;
		gst_call_id longest = GST_NONE;

		for (uint32_t i = 0; i < m->streams[s].op_count; i++) {
			gst_call_id call = m->ops[m->streams[s].ops[i]].call;

			if (call == GST_NONE || call == last)
				continue;
			mark_pair(m, last, call);
			mark_pair(m, longest, call);
			last = call;
			if (longest == GST_NONE ||
			    exit_of(&m->calls[call]) > exit_of(&m->calls[longest]))
				longest = call;
		}
	}
}
