/*
 * state.h - whether this process is being recorded, in one word that a child of fork() does not share.
 *
 * The word lies in a page that the kernel wipes on fork (also on a raw clone without CLONE_VM), so a
 * child reads 0 and its callbacks do nothing. It only ever goes from 1 to 0.
 */
#ifndef GSTRACE_TRACER_STATE_H
#define GSTRACE_TRACER_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gst_state {
	_Atomic uint32_t is_on; /* records are wanted */
	_Atomic uint32_t
		is_parent; /* this is the process that was initialised: it may end the trace */
};

static inline bool gst_state_is_on(const struct gst_state *state)
{
	return atomic_load_explicit(&state->is_on, memory_order_relaxed) != 0;
}

#endif
