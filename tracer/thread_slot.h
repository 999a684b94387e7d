/*
 * thread_slot.h - what each traced thread has: an index, a page, its open calls.
 *
 * One pointer and a guard lie in thread-local storage of the initial-exec kind, so that reaching them is
 * one instruction and never allocates. The slot itself comes from a fixed table and goes back when the
 * thread ends.
 */
#ifndef GSTRACE_TRACER_THREAD_SLOT_H
#define GSTRACE_TRACER_THREAD_SLOT_H

#include "tracer/call_clock.h"
#include "tracer/chunk.h"
#include "tracer/intern.h"

#include <pthread.h>

#define GST_THREADS_MAX	 4096u
#define GST_CALLS_NESTED 4u
#define GST_CALLS_INSIDE 16u
#define GST_BUSY_MISSED	 32u
#define GST_NAMES_NEAR	 64u
#define GST_SEGMENT_NONE UINT32_MAX

struct gst_open_call {
	uint32_t corr;
	uint32_t api;
	uint32_t segment;   /* its enter is there; GST_SEGMENT_NONE: it came between windows */
	uint32_t name;	    /* string id of the kernel it launches */
	const void *out;    /* where the call will put what it gives; NULL = nowhere */
	uint64_t object;    /* what objects.h is told when it returns; 0 = nothing */
	uint64_t second;    /* a second event that a launch records; 0 = none */
	const void *params; /* of a call that makes edges of a graph; NULL = of none */
	uint64_t next_edge; /* place in its arrays from which the next edge is looked for */
	uint64_t extra;	    /* flags of a new object, and priority << 32 */
	uint32_t wrapped;   /* place of its host function, host_wrap.h; 0 = none */
	bool is_silent;	    /* its enter is not recorded: outside a window, or lost */
	bool is_own;	    /* it puts work into the thread's own default stream */
};

/* The name that a launch of @function had, as CUPTI gave it; id 0: nothing is known. */
struct gst_name_near {
	const void *function;
	const char *text;
	uint32_t id;
	uint32_t
		epoch; /* of gst_callbacks: handles and names that were unloaded since are others */
	uint64_t reserved;
};

/*
 * Lines of cache are what a callback costs: between two of them the driver has used the small caches for itself. So what
 * a launch needs comes first and lies together.
 */
struct gst_thread_slot {
	struct gst_page *page;
	uintptr_t busy_at; /* frame of our callback that the thread is in; 0 = in none */
	uint32_t depth;	   /* calls[] in use */
	uint32_t is_bare;  /* of calls[0] nothing but corr, api, segment and name is set */
	struct gst_call_clock clock;
	struct gst_open_call calls[GST_CALLS_NESTED];
	uint32_t thread;       /* index in the trace, from 1 */
	_Atomic uint32_t live; /* the same while a thread has the slot, else 0 */
	_Atomic uint32_t name; /* string id of the thread's name */
	_Atomic uint32_t next; /* free list */
	_Atomic uint64_t tid;
	uint32_t owner_told;	  /* context whose per-thread stream was told to be this thread's */
	uint32_t is_for_one_call; /* the thread is past the destructor that would give it back */
	uint32_t
		inside; /* calls since calls[0] began that it cannot make itself: it seems not to return */
	uint32_t last_left; /* place in left[] that was used last, counting on; 0: none ever */
	uint32_t
		missed; /* callbacks in a row that found the slot busy, without a record in between */
	uint32_t missed_at; /* where the page ended then */
	uint32_t
		left_corr; /* of a call that was left: later ones that have it are not inside it; 0: none */
	uint32_t reserved[7];
	/* Calls that are open but out of the way: most were left by a jump. api 0: none. */
	struct gst_open_call left[GST_CALLS_NESTED];
	struct gst_name_near names[GST_NAMES_NEAR];
};

_Static_assert(sizeof(struct gst_thread_slot) % 64 == 0, "slots begin where a line of cache does");
_Static_assert(offsetof(struct gst_thread_slot, calls) + offsetof(struct gst_open_call, out) <= 64,
	       "what a launch needs is in one line");

struct gst_threads {
	struct gst_thread_slot slots[GST_THREADS_MAX]; /* first: see there */
	struct gst_pool *pool;
	struct gst_loss *loss;
	struct gst_intern *strings;
	struct gst_lane *defs;
	pthread_key_t key;
	_Atomic uint32_t last_thread;
	_Atomic uint64_t free; /* head: change count << 32 | index; slots that threads gave back */
	_Atomic uint32_t used; /* slots that were ever given out */
};

/* The calling thread's slot, or NULL; thread_slot.c alone sets it. */
extern __thread struct gst_thread_slot *gst_thread_slot_self
	__attribute__((tls_model("initial-exec")));

/** Make @t ready (zeroed memory). Returns 0 or an errno. Threads: one, once per process. */
int gst_threads_init(struct gst_threads *t, struct gst_pool *pool, struct gst_loss *loss,
		     struct gst_intern *strings, struct gst_lane *defs);

/**
 * The calling thread's slot; at the thread's first call one is taken and a THREAD record written.
 *
 * NULL if all slots are in use (the caller counts the loss). errno is kept. No lock, no malloc.
 */
struct gst_thread_slot *gst_threads_self(struct gst_threads *t);

/** Whether a thread that made a recorded call has not ended yet. Threads: any. */
bool gst_threads_has_live(const struct gst_threads *t);

/** The calling thread's slot if it has one, else NULL. */
static inline struct gst_thread_slot *gst_threads_current(void)
{
	return gst_thread_slot_self;
}

/** The place in names[] where @function's would be. */
static inline uint32_t gst_thread_name_place(const void *function)
{
	uintptr_t handle = (uintptr_t)function;

	return (uint32_t)(handle >> 4 ^ handle >> 10 ^ handle >> 16) & (GST_NAMES_NEAR - 1);
}

/** For gst_thread_enter(): whether what was under way in @slot is gone, seen from frame @here. */
bool gst_threads_recover(struct gst_threads *t, struct gst_thread_slot *slot, uintptr_t here);

/** Whether the calling thread made a recorded call, so is one of the program's. */
bool gst_threads_is_known(void);

/**
 * The calling thread begins to write into its slot's page. False: it must not, because this is a signal handler
 * that interrupted it while it did so.
 *
 * A handler that interrupted it may also have left by longjmp(); then what was begun is given up, once the
 * thread comes here from the same depth of its stack or above, or GST_BUSY_MISSED times from below.
 *
 * @here: frame of our outermost function.
 */
static inline bool gst_thread_enter(struct gst_threads *t, struct gst_thread_slot *slot,
				    uintptr_t here)
{
	if (__builtin_expect(slot->busy_at != 0, 0) && !gst_threads_recover(t, slot, here)) {
		return false;
	}
	slot->busy_at = here;
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}

static inline void gst_thread_leave(struct gst_thread_slot *slot)
{
	atomic_signal_fence(memory_order_seq_cst);
	slot->busy_at = 0;
}

/** Give @slot back, whose thread is past its end, but for its page. Threads: the slot's. */
void gst_threads_let_go(struct gst_thread_slot *slot);

/** The same as gst_thread_leave(), for all but the shortest way: it also ends what was for one call. */
static inline void gst_thread_leave_call(struct gst_thread_slot *slot)
{
	gst_thread_leave(slot);
	if (__builtin_expect(slot->is_for_one_call && !slot->depth, 0)) {
		gst_threads_let_go(slot);
	}
}

/**
 * Place for a record of @bytes of @segment in the slot's page; takes a new page when it is full or of
 * another segment.
 *
 * NULL if no page is free (the caller counts the loss).
 */
static inline void *gst_thread_reserve(struct gst_threads *t, struct gst_thread_slot *slot,
				       uint32_t bytes, uint32_t segment)
{
	void *place = slot->page && slot->page->segment == segment
			      ? gst_chunk_reserve(slot->page, bytes)
			      : NULL;

	if (__builtin_expect(place != NULL, 1)) {
		return place;
	}
	/* A thread's first page is small: most threads make few calls. */
	struct gst_page *old = slot->page;

	slot->page = gst_pool_take(t->pool, old ? GST_PAGE_LARGE : GST_PAGE_SMALL, GST_CHUNK_EVENTS,
				   slot->thread, segment);
	if (old) {
		gst_page_close(old);
	}
	return slot->page ? gst_chunk_reserve(slot->page, bytes) : NULL;
}

#endif
