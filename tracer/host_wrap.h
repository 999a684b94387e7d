/*
 * host_wrap.h - when and where host functions run, by running them ourselves (GSTRACE_HOST_FUNCTIONS=wrap).
 *
 * In the callback of cuLaunchHostFunc and cuStreamAddCallback the function and its argument are replaced by ours,
 * which takes the time, runs the program's and writes a HOST_RUN. CUPTI does not document that parameters may be
 * changed; it was measured, and so this is off unless asked for. Never while anything is
 * captured: a graph would run our function again and again, with no known end. Where no place is free, the
 * call stays as it is.
 */
#ifndef GSTRACE_TRACER_HOST_WRAP_H
#define GSTRACE_TRACER_HOST_WRAP_H

#include "tracer/chunk.h"
#include "tracer/cupti_abi.h"
#include "tracer/format/api.h"
#include "tracer/loss.h"
#include "tracer/state.h"
#include "tracer/window.h"

#define GST_HOST_WRAP_PLACES 1024u

struct gst_host_wrap;

/* One function that is in a stream or runs. */
struct gst_host_place {
	_Atomic uint32_t state; /* host_wrap.c's */
	uint32_t corr;
	uint32_t ctx;
	uint32_t stream; /* CUPTI stream id */
	union {
		void (*function)(void *user);
		void (*callback)(void *stream, int result, void *user);
	} run;
	void *user;
	struct gst_host_wrap *wrap;
};

struct gst_host_wrap {
	const struct gst_state *state;
	const struct gst_windows *windows;
	struct gst_lane *device;
	struct gst_loss *loss;
	_Atomic uint32_t captures; /* in progress, in any stream */
	_Atomic uint32_t next;	   /* where to look for a free place */
	struct gst_host_place places[GST_HOST_WRAP_PLACES];
};

/** Make @w ready (zeroed memory); everything named, and @w, outlives the program. */
void gst_host_wrap_init(struct gst_host_wrap *w, const struct gst_state *state,
			const struct gst_windows *windows, struct gst_lane *device,
			struct gst_loss *loss);

/** A capture is about to begin, did not, or is over. */
void gst_host_wrap_capture(struct gst_host_wrap *w, int change);

/**
 * Put our function into @params of a call of @api, which runs in stream @stream (CUPTI's id) of context @ctx.
 *
 * Returns a number for gst_host_wrap_cancel(), or 0 if the call stays as it is. Threads: any; no lock.
 */
uint32_t gst_host_wrap_take(struct gst_host_wrap *w, const struct gst_api *api, void *params,
			    uint32_t corr, uint32_t ctx, uint32_t stream);

/** The call failed: the function will never run. */
void gst_host_wrap_cancel(struct gst_host_wrap *w, uint32_t place);

/** The call returned: where a capture began meanwhile, the place is kept for ever. */
void gst_host_wrap_returned(struct gst_host_wrap *w, uint32_t place);

#endif
