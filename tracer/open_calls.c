/*
 * open_calls.c - which calls a thread is in.
 *
 * Role      : callbacks.c asks whether a call is one of its own, and which one returns.
 * Method    : a stack of a few; what seems to have been left by a jump is set aside, and found there should it
 *             return all the same.
 * Invariant : a signal handler may leave each function at any point: then a call is there twice or not at all.
 * Not here  : the short way of launches (callbacks.c), pages and slots (thread_slot.c).
 */
#include "tracer/open_calls.h"

#include <string.h>

/* Once: what follows from a call of @corr that was left. */
static void note_left(struct gst_callbacks *cb, struct gst_thread_slot *slot, uint32_t corr)
{
	slot->left_corr = corr;
	gst_loss_add(cb->loss, 0, GST_LOSS_UNKNOWN, GST_CALLS_INSIDE);
	if (!atomic_exchange(&cb->is_left_said, 1)) {
		gst_notes_add(cb->defs, cb->strings, GST_NOTE_TEXT, (int32_t)corr,
			      "a call was left by a jump, as of a signal handler: CUPTI gives all "
			      "later calls of its thread its correlation id");
	}
}

/* When a call was left by a jump, CUPTI takes all later ones of the thread for calls inside it; to be sure of it, some must have come. */
bool gst_open_calls_are_around(struct gst_callbacks *cb, struct gst_thread_slot *slot,
			       const struct gst_api *api, uint32_t corr)
{
	for (uint32_t i = 0; corr && i < slot->depth; i++) {
		if (slot->calls[i].corr != corr) {
			continue;
		}
		if (api->class_id != GST_API_CLASS_LAUNCH &&
		    slot->calls[i].api >> 16 == GST_API_DOMAIN_RUNTIME &&
		    api->api >> 16 == GST_API_DOMAIN_DRIVER) {
			return true;
		}
		if (slot->inside < GST_CALLS_INSIDE) {
			slot->inside++;
			return true;
		}
		note_left(cb, slot, corr);
		return false;
	}
	for (uint32_t i = 0; corr && corr != slot->left_corr && i < GST_CALLS_NESTED; i++) {
		if (slot->left[i].api && slot->left[i].corr == corr) {
			return true;
		}
	}
	return false;
}

void gst_open_calls_set_aside(struct gst_thread_slot *slot, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct gst_open_call call = slot->calls[i];
		struct gst_open_call *left = &slot->left[++slot->last_left % GST_CALLS_NESTED];

		/* A signal handler may leave by a jump in the middle: then it is none. */
		left->api = 0;
		call.api = 0;
		atomic_signal_fence(memory_order_seq_cst);
		*left = call;
		atomic_signal_fence(memory_order_seq_cst);
		left->api = slot->calls[i].api;
	}
	memmove(&slot->calls[0], &slot->calls[count],
		sizeof(slot->calls[0]) * (GST_CALLS_NESTED - count));
	slot->depth -= count;
	slot->inside = 0;
}
