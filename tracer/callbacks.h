/*
 * callbacks.h - API callbacks of CUPTI become CALL_* and CALL_EXIT records.
 *
 * Contract of each callback: it runs in the application's thread, inside a CUDA call. No malloc, no I/O, no
 * lock, no CUDA call, of CUPTI only ids of objects (and once a process late kinds of activity);
 * 20 to 50 ns in a loop, two to three times that where the caches were used for something else. A record is committed at enter, so a call that never
 * returns is in the trace. What cannot be recorded is counted.
 */
#ifndef GSTRACE_TRACER_CALLBACKS_H
#define GSTRACE_TRACER_CALLBACKS_H

#include "tracer/activity.h"
#include "tracer/cupti_api.h"
#include "tracer/format/api.h"
#include "tracer/host_wrap.h"
#include "tracer/kernel_names.h"
#include "tracer/notes.h"
#include "tracer/objects.h"
#include "tracer/state.h"
#include "tracer/thread_slot.h"
#include "tracer/window.h"

#define GST_CALLBACKS_CBIDS 2048u

struct gst_callbacks {
	const struct gst_state *state;
	struct gst_threads *threads;
	struct gst_windows *windows; /* may be set after init; else everything is recorded */
	_Atomic uint32_t
		names_epoch; /* counts when kernels may have been unloaded: handles and names may come again */
	const struct gst_cupti *cupti; /* from gst_callbacks_enable() on: for ids of objects */
	struct gst_loss *loss;
	struct gst_intern *strings;
	struct gst_lane *defs;
	struct gst_objects *objects;   /* may be set after init; NULL: nobody asks what is alive */
	struct gst_activity *activity; /* may be set after init; NULL: no device records */
	struct gst_host_wrap
		*host_wrap; /* may be set after init; NULL: host functions are left alone */
	_Atomic uint32_t
		is_cupti_dead; /* CUPTI said that it ended itself: it must not be called again */
	_Atomic uint32_t is_error_said; /* the first asynchronous error has its note */
	_Atomic uint32_t is_left_said;	/* so has the first call that was left by a jump */
	_Atomic uint32_t contexts_made; /* ever */
	struct gst_thread_slot *_Atomic event_user; /* the first thread that used events */
	_Atomic uint32_t is_called; /* a callback of a call came: CUPTI does not keep silent */
	struct gst_kernel_names kernel_names;
	/* By domain - 1 and cbid: what we record; NULL = not enabled. */
	const struct gst_api *apis[2][GST_CALLBACKS_CBIDS];
};

/** Make @cb ready (zeroed memory); everything named outlives it. */
void gst_callbacks_init(struct gst_callbacks *cb, const struct gst_state *state,
			struct gst_threads *threads, struct gst_loss *loss,
			struct gst_intern *strings, struct gst_lane *defs);

/**
 * Enable the callbacks of every call of the api table that is recorded, one by one.
 *
 * @has_runtime: those of the runtime too. Without, what it calls of the driver is recorded in their place, and each call
 * of the runtime is 50 ns cheaper, also those that nobody asks for.
 *
 * A cbid that this CUPTI does not know is skipped. Returns how many were enabled; 0 gets a note.
 */
uint32_t gst_callbacks_enable(struct gst_callbacks *cb, const struct gst_cupti *cupti,
			      bool has_runtime);

/** CUPTI's callback; @user is the struct gst_callbacks. errno is kept. */
void gst_callbacks_on_event(void *user, uint32_t domain, uint32_t cbid, const void *cbdata);

#endif
