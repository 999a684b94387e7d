/*
 * open_calls.h - the calls that a thread has entered and not returned from.
 *
 * They are in its slot: a few that lie one in another, and some that most likely never return because a signal
 * handler, or an exception, left them by a jump. All of it is the thread's own, inside gst_thread_enter().
 */
#ifndef GSTRACE_TRACER_OPEN_CALLS_H
#define GSTRACE_TRACER_OPEN_CALLS_H

#include "tracer/callbacks.h"

/** gst_open_calls_make(), where a call is open or was left. */
bool gst_open_calls_are_around(struct gst_callbacks *cb, struct gst_thread_slot *slot,
			       const struct gst_api *api, uint32_t corr);

/**
 * Whether the call of @api with @corr is made by one that is recorded: those share its correlation id. They are of the
 * driver, inside one of the runtime that launches nothing. The first call behind one that was left by a jump notes it.
 */
static inline bool gst_open_calls_make(struct gst_callbacks *cb, struct gst_thread_slot *slot,
				       const struct gst_api *api, uint32_t corr)
{
	return (slot->depth || slot->last_left) && gst_open_calls_are_around(cb, slot, api, corr);
}

/** Take the oldest @count open calls out of the way; should one return all the same, it is found there. */
void gst_open_calls_set_aside(struct gst_thread_slot *slot, uint32_t count);

/** One more; all but the three values is 0. Older ones are set aside where there are too many. */
static inline struct gst_open_call *gst_open_calls_push(struct gst_thread_slot *slot, uint32_t corr,
							uint32_t api, const void *out)
{
	struct gst_open_call *call;

	/* Before anything else is set: a signal handler may leave by a jump. */
	slot->is_bare = 0;
	atomic_signal_fence(memory_order_seq_cst);

	/*
	 * Calls that never returned (a longjmp, a C++ exception) may lie below, and would keep launches from the short
	 * way for good. Few calls are made inside another with ids of their own: by signal handlers, and not many.
	 */
	if (slot->depth && slot->inside++ >= GST_CALLS_INSIDE) {
		gst_open_calls_set_aside(slot, slot->depth);
	} else if (slot->depth == GST_CALLS_NESTED) {
		gst_open_calls_set_aside(slot, 1);
	}
	call = &slot->calls[slot->depth++];
	*call = (struct gst_open_call){.corr = corr, .api = api, .out = out};
	return call;
}

/**
 * The call that returns, which is open no more, nor are those inside it; NULL: its enter was not seen.
 *
 * It stays as it is until the next call enters.
 */
static inline const struct gst_open_call *gst_open_calls_close(struct gst_thread_slot *slot,
							       uint32_t corr, uint32_t api)
{
	for (uint32_t at = slot->depth; at; at--) {
		if (slot->calls[at - 1].corr == corr && slot->calls[at - 1].api == api) {
			slot->depth = at - 1;
			slot->inside = at == 1 ? 0 : slot->inside;
			return &slot->calls[at - 1];
		}
	}
	for (uint32_t i = 0; slot->last_left && i < GST_CALLS_NESTED; i++) {
		if (slot->left[i].corr == corr && slot->left[i].api == api) {
			slot->left[i].api = 0;
			return &slot->left[i];
		}
	}
	return NULL;
}

#endif
