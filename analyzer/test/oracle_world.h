/*
 * oracle_world.h - random small programs for oracle_test.c: what they do, and the trace of it.
 *
 * A program is a list of acts: calls of up to three threads in up to two contexts and their green contexts, in the order
 * in which they are made. Their times are the host's alone.
 */
#ifndef GSTRACE_ANALYZER_TEST_ORACLE_WORLD_H
#define GSTRACE_ANALYZER_TEST_ORACLE_WORLD_H

#include "analyzer/test/oracle_kit.h"

#define ACTS_MAX    48
#define THREADS_MAX 3
#define CTX_MAX	    2
#define GREENS_MAX  10 /* more than the engine looks at one by one */
#define STREAMS_MAX 64
#define EVENTS_MAX  6
#define EXECS	    2
#define ADDRESSES   64
#define REGIONS	    2

enum kind {
	KERNEL,
	PROGRAMMATIC,
	LAUNCH_EVENT,
	MEMSET,
	MEMSET_SYNC,
	COPY,
	COPY_SYNC,
	PEER,
	RECORD,
	WAIT,
	EVENT_SYNC,
	EVENT_QUERY,
	ELAPSED,
	STREAM_SYNC,
	STREAM_QUERY,
	CTX_SYNC,
	HOST_FUNC,
	GRAPH,
	ALLOC,
	FREE_ASYNC,
	FREE_PLAIN,
	CREATE,
	DESTROY,
	EVENT_RENEW, /* destroy and create again: the same handle, a new life */
	CAPTURE_BEGIN,
	CAPTURE_END,
	VALUE_WRITE,
	VALUE_WAIT,
	CTX_RECORD,
	CTX_WAIT,
	CACHE_CONFIG,
	CTX_END,
	BATCH,
	MULTI,	     /* a launch on two devices: this act and the next one, */
	MULTI_OTHER, /* which is of the same call */
	MARK,
	CTX_FLAGS,
	KINDS
};

enum direction { H2D, D2H, D2D, H2H };
enum memory { PAGEABLE, PINNED, MANAGED };
enum stream_kind { LEGACY, PER_THREAD, BLOCKING, NONBLOCKING };

/* Lies that a trace may tell; the oracle keeps to the truth. */
enum lie {
	NO_LIE,
	LIE_NONBLOCKING_IS_BLOCKING,
	LIE_BLOCKING_IS_NONBLOCKING,
	LIE_PER_THREAD_IS_LEGACY,
	LIE_ONE_CONTEXT,
	LIE_WAIT_FOR_OTHER_EVENT,
	LIE_FAILED_SUCCEEDED,
	LIE_NOT_READY_IS_READY,
	LIE_NO_CAPTURE,
	LIE_PROGRAMMATIC_IS_ORDINARY,
	LIE_PAGEABLE_IS_PINNED,
	LIE_ALLOC_IS_KERNEL,
	LIE_EVENT_NEVER_RENEWED,
	LIE_ONE_GRAPH,
	LIE_STREAM_SYNC_IS_CTX_SYNC,
	LIE_PEER_IS_PLAIN,
	LIE_LAUNCH_EVENT_IS_RECORD,
	LIE_OTHER_VALUE,
	LIE_NO_BARRIER_HAS_ONE,
	LIE_OTHER_CONTEXT,
	LIE_NOTHING_LOADED,
	LIE_QUEUE_NOT_FULL,
	LIE_ONE_LAUNCH_EVENT,
	LIE_SOURCES_IN_ORDER,
	LIE_NOTHING_MARKED,
	LIE_GREEN_IS_ITS_OWN,
	LIE_GREEN_STREAM_IS_OF_PRIMARY,
	LIES
};

struct gst_act {
	enum kind kind;
	int thread, ctx, stream, event, event2, exec;
	int target; /* context that a call is about, green ones too; ctx is the one it is made in */
	enum direction direction;
	enum memory memory;
	uint64_t address;
	int region; /* of memory that a copy or memset on the device is about; -1 = another one */
	bool is_on; /* a mark, or a context's flag, is set and not taken away */
	bool is_marked; /* what it is about */
	bool no_pre,
		no_post; /* a launch on two devices does not wait, or is not waited for, there */
	bool is_early;	 /* a batch: its sources may be read before */
	int word, value, compare; /* of waits and writes of values */
	bool has_barrier;
	bool is_pool_address, is_peer_api, is_completion, by_number;
	bool has_record, is_programmatic_ok;
	bool has_both; /* a launch: records event, programmatic, and event2, at its completion */
	bool loads;    /* a launch: its kernel */
	int made_room; /* the act whose end let this call return, as the queue was full; -1 */
	uint64_t gpu_begin, gpu_end; /* 0: not told */
	int result;
	bool returned;
	bool runs; /* it puts work into its stream */
	bool captured;
	uint64_t enter, exit;
};

struct gst_program_stream {
	int ctx, thread;
	enum stream_kind kind;
	uint64_t handle;
	int id, created_by; /* act, or -1: defined from the start */
	bool is_alive, is_defined;
	int capture;
};

struct event {
	bool is_recorded, in_capture_only;
	int capture; /* in which it was last recorded; 0 = none */
};

struct gst_world {
	struct gst_random random;
	int threads, ctxs, stream_count, act_count, event_count;
	int contexts;			   /* ctxs, and behind these the green ones */
	int primary[CTX_MAX + GREENS_MAX]; /* of a green context; -1 */
	bool overlap, launch_blocking;
	struct gst_program_stream streams[STREAMS_MAX];
	struct event events[EVENTS_MAX];
	struct gst_act acts[ACTS_MAX];
	int captures; /* so far; the last one is active if capture_stream >= 0 */
	int capture_stream;
	uint64_t free_addresses[ADDRESSES];
	int free_count;
	uint64_t live_addresses[ADDRESSES];
	int live_count;
	uint64_t next_address, next_handle;
	uint64_t now, until[THREADS_MAX];
	bool is_dead[CTX_MAX + GREENS_MAX], is_flagged[CTX_MAX], is_marked[REGIONS];
};

/** The program of @seed, @length acts long. */
void gst_world_make(struct gst_world *w, uint64_t seed, int length);

/** Is @ctx the context @of, or a green one of it? */
static inline bool gst_world_covers(const struct gst_world *w, int of, int ctx)
{
	return ctx == of || w->primary[ctx] == of;
}

/** Does it put work into a stream or a context? */
bool gst_act_submits(const struct gst_act *a);
/** Its work is of a whole context. */
static inline bool gst_act_in_no_stream(const struct gst_act *a)
{
	return a->kind == CTX_RECORD || a->kind == CTX_WAIT;
}

/** "a non-blocking stream is blocking" */
const char *gst_lie_name(enum lie lie);

/**
 * @w as a trace that tells @lie, act i with the correlation id 100 + i; with @r its chunks are cut and come in another order.
 * One of two texts in turn, so that the one before is still there.
 */
const struct gst_text *gst_world_text(const struct gst_world *w, enum lie lie,
				      struct gst_random *r);

#endif
