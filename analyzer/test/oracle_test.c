/*
 * oracle_test.c - the ordering rules written a second time, as plain loops over all pairs.
 *
 * Role      : proves the graph: random small programs, every pair of ops and calls compared.
 * Method    : a program is made from a seed and written as a text trace; the engine reads that. The oracle knows
 *             the program itself, adds one relation for each rule and pair, and closes them.
 *             Then each rule is left out of the engine's answers, and each of a list of lies is told in
 *             the trace: all must be noticed.
 * Invariant : no code or table of analyzer/order is used to find an answer here.
 * Not here  : times (there are none in these traces), findings.
 *
 * oracle_test [SEEDS [FIRST]]: a failing seed is printed with its shortest failing program.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "analyzer/base/outfile.h"
#include "analyzer/order/order.h"

#define ACTS_MAX    48
#define THREADS_MAX 3
#define CTX_MAX	    2
#define STREAMS_MAX 40
#define EVENTS_MAX  6
#define EXECS	    2
#define ADDRESSES   64
#define REGIONS	    2
#define POINTS_MAX  (4 * ACTS_MAX)
#define WORDS	    ((POINTS_MAX + 63) / 64)

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
	LIES
};

static const char *const lie_names[] = {
	"none",
	"a non-blocking stream is blocking",
	"a blocking stream is non-blocking",
	"a per-thread stream is the legacy stream",
	"two contexts are one",
	"a wait names another event",
	"a failed call succeeded",
	"a not-ready query is ready",
	"a capture is none",
	"a programmatic launch is ordinary",
	"pageable memory is pinned",
	"a stream-ordered allocation is a kernel",
	"an event is not created anew",
	"two executable graphs are one",
	"a stream synchronize is one of the context",
	"a peer copy is a plain one",
	"an event recorded by a launch is recorded after it",
	"another value is written",
	"a write without a barrier has one",
	"an event of a context is one of the other",
	"a launch that loads its kernel loads nothing",
	"a full queue is not full",
	"a launch that records two events records one",
	"a batch reads its sources in stream order",
	"marked memory is not marked",
};

struct act {
	enum kind kind;
	int thread, ctx, stream, event, event2, exec;
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

struct stream {
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

struct world {
	uint64_t random;
	int threads, ctxs, stream_count, act_count, event_count;
	bool overlap, launch_blocking;
	struct stream streams[STREAMS_MAX];
	struct event events[EVENTS_MAX];
	struct act acts[ACTS_MAX];
	int captures; /* so far; the last one is active if capture_stream >= 0 */
	int capture_stream;
	uint64_t free_addresses[ADDRESSES];
	int free_count;
	uint64_t live_addresses[ADDRESSES];
	int live_count;
	uint64_t next_address, next_handle;
	uint64_t now, until[THREADS_MAX];
	bool is_dead[CTX_MAX], is_flagged[CTX_MAX], is_marked[REGIONS];
};

static uint64_t next_random(struct world *w)
{
	uint64_t z = (w->random += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static int below(struct world *w, int n)
{
	return (int)(next_random(w) % (uint64_t)n);
}

static bool chance(struct world *w, int percent)
{
	return below(w, 100) < percent;
}

/* ---- a random program ------------------------------------------------------------------------------- */

static int add_stream(struct world *w, int ctx, enum stream_kind kind, int thread)
{
	struct stream *s = &w->streams[w->stream_count];

	*s = (struct stream){.ctx = ctx, .kind = kind, .thread = thread, .created_by = -1};
	s->is_alive = true;
	s->is_defined = true;
	s->id = kind == LEGACY ? 7 : 13 + w->stream_count;
	if (kind == BLOCKING || kind == NONBLOCKING)
		s->handle = w->next_handle += 0x10;
	return w->stream_count++;
}

static int legacy_of(const struct world *w, int ctx)
{
	for (int i = 0; i < w->stream_count; i++) {
		if (w->streams[i].kind == LEGACY && w->streams[i].ctx == ctx)
			return i;
	}
	abort();
}

static int per_thread_of(const struct world *w, int ctx, int thread)
{
	for (int i = 0; i < w->stream_count; i++) {
		if (w->streams[i].kind == PER_THREAD && w->streams[i].ctx == ctx &&
		    w->streams[i].thread == thread)
			return i;
	}
	abort();
}

/* A stream that @thread may name, with the legacy stream often. */
static int pick_stream(struct world *w, int thread, int ctx)
{
	int start;

	if (chance(w, 25))
		return legacy_of(w, ctx);
	if (chance(w, 10))
		return per_thread_of(w, ctx, thread);
	start = below(w, w->stream_count);
	for (int i = 0; i < w->stream_count; i++) {
		const struct stream *s = &w->streams[(start + i) % w->stream_count];

		if (s->is_alive && (s->kind == BLOCKING || s->kind == NONBLOCKING))
			return (start + i) % w->stream_count;
	}
	return legacy_of(w, ctx);
}

static bool is_default(const struct stream *s)
{
	return s->kind == LEGACY || s->kind == PER_THREAD;
}

static bool is_capturing(const struct world *w, const struct stream *s)
{
	return w->capture_stream >= 0 && s->capture == w->captures;
}

/* A legacy action while a blocking stream of its context captures is an error. */
static bool breaks_capture(const struct world *w, int ctx)
{
	for (int i = 0; i < w->stream_count; i++) {
		if (w->streams[i].ctx == ctx && w->streams[i].kind != NONBLOCKING &&
		    is_capturing(w, &w->streams[i]))
			return true;
	}
	return false;
}

static bool submits(enum kind k)
{
	switch (k) {
	case KERNEL:
	case PROGRAMMATIC:
	case LAUNCH_EVENT:
	case MEMSET:
	case MEMSET_SYNC:
	case COPY:
	case COPY_SYNC:
	case PEER:
	case RECORD:
	case WAIT:
	case HOST_FUNC:
	case GRAPH:
	case ALLOC:
	case FREE_ASYNC:
	case VALUE_WRITE:
	case VALUE_WAIT:
	case CTX_RECORD:
	case CTX_WAIT:
	case BATCH:
	case MULTI:
	case MULTI_OTHER:
		return true;
	default:
		return false;
	}
}

/* Of a whole context. */
static bool in_no_stream(const struct act *a)
{
	return a->kind == CTX_RECORD || a->kind == CTX_WAIT;
}

static void fill_act(struct world *w, struct act *a)
{
	static const int weights[KINDS] = {
		[KERNEL] = 16,	     [PROGRAMMATIC] = 8, [LAUNCH_EVENT] = 3, [MEMSET] = 3,
		[MEMSET_SYNC] = 3,   [COPY] = 6,	 [COPY_SYNC] = 8,    [PEER] = 4,
		[RECORD] = 14,	     [WAIT] = 14,	 [EVENT_SYNC] = 5,   [EVENT_QUERY] = 4,
		[ELAPSED] = 3,	     [STREAM_SYNC] = 6,	 [STREAM_QUERY] = 4, [CTX_SYNC] = 3,
		[HOST_FUNC] = 4,     [GRAPH] = 6,	 [ALLOC] = 5,	     [FREE_ASYNC] = 4,
		[FREE_PLAIN] = 3,    [CREATE] = 4,	 [DESTROY] = 3,	     [EVENT_RENEW] = 2,
		[CAPTURE_BEGIN] = 3, [CAPTURE_END] = 6,	 [VALUE_WRITE] = 5,  [VALUE_WAIT] = 5,
		[CTX_RECORD] = 3,    [CTX_WAIT] = 3,	 [CACHE_CONFIG] = 2, [CTX_END] = 1,
		[BATCH] = 5,	     [MULTI] = 5,	 [MARK] = 3,	     [CTX_FLAGS] = 2};
	int total = 0;
	int at;

	for (int i = 0; i < KINDS; i++)
		total += weights[i];
	at = below(w, total);
	for (int i = 0; i < KINDS; i++) {
		if (at < weights[i]) {
			a->kind = (enum kind)i;
			break;
		}
		at -= weights[i];
	}
	a->thread = below(w, w->threads);
	a->ctx = below(w, w->ctxs);
	a->stream = pick_stream(w, a->thread, a->ctx);
	a->event = below(w, w->event_count);
	a->event2 = below(w, w->event_count);
	a->exec = below(w, EXECS);
	a->direction = (enum direction)below(w, 4);
	a->memory = (enum memory)below(w, 3);
	a->is_peer_api = chance(w, 60);
	a->is_completion = chance(w, 50);
	a->by_number = chance(w, 30);
	a->has_record = chance(w, 85);
	a->word = below(w, 3);
	a->value = 1 + below(w, 3);
	a->compare = below(w, 4);
	a->has_barrier = chance(w, 80);
	a->region = below(w, REGIONS + 1) - 1;
	a->is_on = chance(w, 70);
	a->is_early = chance(w, 40);
	a->no_pre = chance(w, 20);
	a->no_post = chance(w, 20);
	a->loads = chance(w, 10);
	a->has_both = chance(w, 40) && a->event2 != a->event;
	a->made_room = -1;
	a->returned = true;
}

/* Make @a fit the state of the program, and change the state as it does. False: not possible now. */
static bool apply(struct world *w, struct act *a, int index)
{
	struct stream *s = &w->streams[a->stream];
	bool is_query = a->kind == EVENT_QUERY || a->kind == STREAM_QUERY;
	int own = a->kind == COPY_SYNC || a->kind == MEMSET_SYNC || a->kind == PEER;

	if (w->overlap &&
	    (a->kind == PROGRAMMATIC || a->kind == CREATE || a->kind == DESTROY ||
	     a->kind == EVENT_RENEW || a->kind == CAPTURE_BEGIN || a->kind == CAPTURE_END))
		return false;
	if (w->is_dead[a->ctx] || (w->is_dead[s->ctx] && a->kind != CTX_END))
		return false;
	if (own && !is_default(s)) {
		a->stream =
			chance(w, 70) ? legacy_of(w, a->ctx) : per_thread_of(w, a->ctx, a->thread);
		s = &w->streams[a->stream];
	}
	if (a->kind == PEER) {
		if (w->ctxs < 2 || w->is_dead[0] || w->is_dead[1])
			return false;
		a->stream = legacy_of(w, a->ctx);
		s = &w->streams[a->stream];
		a->has_record = true;
	}
	if ((a->kind == COPY || a->kind == COPY_SYNC) && a->direction == H2H)
		a->has_record = false;
	/* Without a record the kind of memory is not known. */
	if (((a->kind == COPY || a->kind == COPY_SYNC) && a->direction != H2H) ||
	    a->kind == MEMSET_SYNC)
		a->has_record = true;
	if (is_query && chance(w, 40))
		a->result = 600;
	if (chance(w, 4))
		a->result = 1;
	if (w->capture_stream >= 0) {
		if ((submits(a->kind) && s->kind == LEGACY && breaks_capture(w, s->ctx)) ||
		    a->kind == CTX_SYNC || a->kind == FREE_PLAIN || own ||
		    ((a->kind == STREAM_SYNC || a->kind == STREAM_QUERY) &&
		     (s->kind == LEGACY || is_capturing(w, s))))
			a->result = 906;
	}
	if (a->kind == BATCH && (s->kind == LEGACY || a->result))
		return false;
	if (a->kind == BATCH)
		a->has_record = true;
	if (a->kind == MULTI &&
	    (w->overlap || a->result || w->capture_stream >= 0 || is_default(s) || !s->is_defined))
		return false;
	if (a->kind == MULTI) {
		a->has_record = true;
		a->loads = false;
	}
	a->is_marked = w->is_flagged[a->ctx] || (a->region >= 0 && w->is_marked[a->region]);
	switch (a->kind) {
	case MARK:
		if (w->overlap || a->region < 0)
			return false;
		w->is_marked[a->region] = a->result ? w->is_marked[a->region] : a->is_on;
		return true;
	case CTX_FLAGS:
		if (w->overlap)
			return false;
		w->is_flagged[a->ctx] = a->result ? w->is_flagged[a->ctx] : a->is_on;
		return true;
	case CACHE_CONFIG:
		return w->capture_stream < 0;
	case CTX_END:
		/* The other one goes on. */
		if (w->ctxs < 2 || w->capture_stream >= 0 || w->overlap || a->result ||
		    w->is_dead[!a->ctx])
			return false;
		w->is_dead[a->ctx] = true;
		return true;
	case CTX_RECORD:
	case CTX_WAIT:
		/* Capture or a context's event: the two do not go together. */
		if (w->capture_stream >= 0 || w->events[a->event].in_capture_only)
			return false;
		break;
	case CAPTURE_BEGIN:
		if (w->capture_stream >= 0 || s->kind == LEGACY || a->result)
			return false;
		w->captures++;
		w->capture_stream = a->stream;
		s->capture = w->captures;
		return true;
	case CAPTURE_END:
		if (w->capture_stream < 0)
			return false;
		a->stream = w->capture_stream;
		if (w->streams[a->stream].kind == PER_THREAD)
			a->thread = w->streams[a->stream].thread;
		a->ctx = w->streams[a->stream].ctx;
		a->result = 0;
		w->capture_stream = -1;
		return true;
	case CREATE:
		if (w->stream_count == STREAMS_MAX || a->result)
			return false;
		a->stream = add_stream(w, a->ctx, chance(w, 50) ? BLOCKING : NONBLOCKING, -1);
		s = &w->streams[a->stream];
		s->created_by = index;
		s->is_defined = chance(w, 70);
		/* The handle of a stream that is gone may come again. */
		for (int i = 0; i < a->stream; i++) {
			bool is_free = !w->streams[i].is_alive && chance(w, 70);

			for (int k = 0; k < a->stream && is_free; k++)
				is_free = !w->streams[k].is_alive ||
					  w->streams[k].handle != w->streams[i].handle;
			if (is_free)
				s->handle = w->streams[i].handle;
		}
		return true;
	case DESTROY:
		if (is_default(s) || is_capturing(w, s) || a->result)
			return false;
		s->is_alive = false;
		return true;
	case EVENT_RENEW:
		if (a->result)
			return false;
		w->events[a->event] = (struct event){0};
		return true;
	case ALLOC:
		if (a->result)
			return false;
		if (w->free_count && chance(w, 80)) {
			a->address = w->free_addresses[--w->free_count];
		} else {
			a->address = w->next_address += 0x1000;
		}
		break;
	case FREE_ASYNC:
		if (!w->live_count || a->result)
			return false;
		a->address = w->live_addresses[--w->live_count];
		break;
	case FREE_PLAIN:
		if (w->live_count && chance(w, 30)) {
			a->address = w->live_addresses[--w->live_count];
			a->is_pool_address = true;
			a->result = 0;
		} else {
			a->address = w->next_address += 0x1000;
		}
		return true;
	case WAIT:
		if (w->events[a->event].in_capture_only &&
		    w->events[a->event].capture != w->captures)
			return false;
		if (w->events[a->event].in_capture_only && w->capture_stream < 0)
			return false;
		break;
	case EVENT_SYNC:
	case EVENT_QUERY:
		if (w->events[a->event].in_capture_only)
			return false;
		return true;
	case ELAPSED:
		if (w->events[a->event].in_capture_only || w->events[a->event2].in_capture_only)
			return false;
		return true;
	default:
		break;
	}
	if (!submits(a->kind))
		return true;
	a->captured = is_capturing(w, s) && !a->result && !in_no_stream(a);
	if (a->kind == WAIT && !a->result && w->events[a->event].in_capture_only &&
	    w->events[a->event].capture == w->captures) {
		if (s->kind == LEGACY)
			return false;
		s->capture = w->captures;
		a->captured = true;
	}
	if (a->captured && (own || a->kind == GRAPH || a->kind == LAUNCH_EVENT))
		return false;
	if ((a->kind == RECORD || a->kind == LAUNCH_EVENT || a->kind == CTX_RECORD) && !a->result) {
		w->events[a->event].is_recorded = true;
		w->events[a->event].in_capture_only = a->captured;
		w->events[a->event].capture = a->captured ? w->captures : 0;
		if (a->kind == LAUNCH_EVENT && a->has_both)
			w->events[a->event2] = w->events[a->event];
	}
	a->runs = !a->captured && !a->result;
	if (a->runs && a->kind == ALLOC && w->live_count < ADDRESSES)
		w->live_addresses[w->live_count++] = a->address;
	if (a->runs && a->kind == FREE_ASYNC && w->free_count < ADDRESSES)
		w->free_addresses[w->free_count++] = a->address;
	return true;
}

/* Some launches are held up by a full queue, until an earlier kernel of their stream has ended. */
static void fill_queues(struct world *w)
{
	for (int k = 0; k < w->act_count && !w->overlap; k++) {
		struct act *a = &w->acts[k];
		int i = k - 1;

		if (a->kind != KERNEL || !a->runs || !a->has_record || !chance(w, 20))
			continue;
		while (i >= 0 &&
		       (w->acts[i].kind != KERNEL || !w->acts[i].runs || !w->acts[i].has_record ||
			w->acts[i].stream != a->stream || w->acts[i].gpu_end))
			i--;
		if (i < 0)
			continue;
		a->made_room = i;
		w->acts[i].gpu_begin = a->enter;
		w->acts[i].gpu_end = a->exit;
	}
}

static void make_world(struct world *w, uint64_t seed, int length)
{
	*w = (struct world){.random = seed * 0x2545f4914f6cdd1d + 1};
	w->threads = 1 + below(w, THREADS_MAX);
	w->ctxs = 1 + below(w, CTX_MAX);
	w->event_count = 1 + below(w, EVENTS_MAX);
	w->overlap = w->threads > 1 && chance(w, 35);
	w->launch_blocking = chance(w, 5);
	w->capture_stream = -1;
	w->next_address = 0x7000000;
	w->next_handle = 0x1000;
	for (int c = 0; c < w->ctxs; c++) {
		(void)add_stream(w, c, LEGACY, -1);
		for (int t = 0; t < w->threads; t++)
			(void)add_stream(w, c, PER_THREAD, t);
		for (int i = 1 + below(w, 3); i > 0; i--)
			(void)add_stream(w, c, chance(w, 60) ? BLOCKING : NONBLOCKING, -1);
	}
	w->now = 1000;
	while (w->act_count < length) {
		struct act a = {0};
		uint64_t enter;

		fill_act(w, &a);
		if (!apply(w, &a, w->act_count))
			continue;
		enter = w->now + 1;
		if (w->until[a.thread] > enter)
			enter = w->until[a.thread];
		a.enter = enter;
		a.exit = enter + (w->overlap ? 1 + (uint64_t)below(w, 60) : 1);
		w->until[a.thread] = a.exit;
		w->now = w->overlap ? a.enter : a.exit;
		w->acts[w->act_count++] = a;
		if (a.kind != MULTI)
			continue;
		/* Its other half, in a stream with a higher number: records come in that order. */
		for (int i = a.stream + 1; i < w->stream_count && w->act_count < length; i++) {
			const struct stream *s = &w->streams[i];

			if (!s->is_alive || !s->is_defined || is_default(s) || w->is_dead[s->ctx] ||
			    s->ctx == w->streams[a.stream].ctx)
				continue;
			a.kind = MULTI_OTHER;
			a.stream = i;
			w->acts[w->act_count++] = a;
			break;
		}
		if (a.kind == MULTI)
			w->acts[w->act_count - 1].kind = KERNEL;
	}
	fill_queues(w);
	/* The last call of a thread may never have returned. */
	for (int t = 0; t < w->threads; t++) {
		for (int i = length; i-- > 0;) {
			if (w->acts[i].thread != t)
				continue;
			if (w->acts[i].kind == MULTI_OTHER)
				break;
			if (chance(w, 15) && w->acts[i].result == 0 && w->acts[i].kind != CREATE &&
			    w->acts[i].kind != ALLOC && w->acts[i].kind != CAPTURE_BEGIN &&
			    w->acts[i].kind != EVENT_RENEW)
				w->acts[i].returned = false;
			break;
		}
	}
}

/* ---- as a trace ------------------------------------------------------------------------------------------ */

struct text {
	char data[1 << 17];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->data + t->used, sizeof(t->data) - t->used, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(t->data) - t->used)
		abort();
	t->used += (size_t)n;
}

static const char *memory_text(enum memory m, enum lie lie)
{
	if (m == PAGEABLE)
		return lie == LIE_PAGEABLE_IS_PINNED ? "pinned" : "pageable";
	return m == PINNED ? "pinned" : "managed";
}

static int lied_ctx(int ctx, enum lie lie)
{
	return lie == LIE_ONE_CONTEXT ? 1 : ctx + 1;
}

/* Streams of the second context keep numbers of their own. */
static int lied_id(const struct stream *s, enum lie lie)
{
	return s->kind == LEGACY && s->ctx && lie == LIE_ONE_CONTEXT ? 7 : s->id;
}

static void put_stream_def(struct text *t, const struct stream *s, enum lie lie)
{
	enum stream_kind kind = s->kind;

	if (kind == NONBLOCKING && lie == LIE_NONBLOCKING_IS_BLOCKING) {
		kind = BLOCKING;
	} else if (kind == BLOCKING && lie == LIE_BLOCKING_IS_NONBLOCKING) {
		kind = NONBLOCKING;
	}
	put(t, "stream ctx=%d stream=%d type=%s", lied_ctx(s->ctx, lie), lied_id(s, lie),
	    kind == LEGACY	  ? "legacy"
	    : kind == NONBLOCKING ? "nonblocking"
				  : "blocking");
	/* A created stream's handle may be told by its definition or by its call. */
	if (s->handle && (s->created_by < 0 || s->id % 2))
		put(t, " handle=0x%" PRIx64, s->handle);
	if (s->created_by >= 0)
		put(t, " corr=%d", s->created_by + 100);
	put(t, "\n");
}

static bool is_per_thread(const struct world *w, const struct act *a, enum lie lie)
{
	return w->streams[a->stream].kind == PER_THREAD && lie != LIE_PER_THREAD_IS_LEGACY;
}

/* api=, corr=, ctx= and stream= of a call that names its stream. */
static void put_call(struct text *t, const struct world *w, const struct act *a, int i,
		     enum lie lie, const char *record, const char *api)
{
	const struct stream *s = &w->streams[a->stream];
	bool per_thread = is_per_thread(w, a, lie);
	uint64_t handle = s->handle;

	if (is_default(s) && a->by_number)
		handle = per_thread ? 2 : 1;
	put(t, "%s corr=%d enter_ns=%" PRIu64 " api=%s%s ctx=%d", record, i + 100, a->enter, api,
	    per_thread && handle == 0 ? "_ptsz" : "", lied_ctx(a->ctx, lie));
	if (handle)
		put(t, " stream=0x%" PRIx64, handle);
}

/* The same for one that names none: it runs in the default stream of its entry point. */
static void put_default_call(struct text *t, const struct world *w, const struct act *a, int i,
			     enum lie lie, const char *record, const char *api)
{
	put(t, "%s corr=%d enter_ns=%" PRIu64 " api=%s%s ctx=%d", record, i + 100, a->enter, api,
	    is_per_thread(w, a, lie) ? "_ptds" : "", lied_ctx(a->ctx, lie));
}

static void put_where(struct text *t, const struct world *w, const struct act *a, enum lie lie)
{
	const struct stream *s = &w->streams[a->stream];
	int id = lied_id(s, lie);

	if (s->kind == PER_THREAD && lie == LIE_PER_THREAD_IS_LEGACY)
		id = 7;
	put(t, " ctx=%d stream=%d", lied_ctx(s->ctx, lie), id);
}

static const char *direction_text(enum direction d)
{
	static const char *const names[] = {"h2d", "d2h", "d2d", "h2h"};

	return names[d];
}

static void put_copy_record(struct text *t, const struct world *w, const struct act *a, int i,
			    enum lie lie)
{
	put(t, "memcpy corr=%d", i + 100);
	put_where(t, w, a, lie);
	if (a->kind == PEER) {
		put(t,
		    " copy_kind=p2p src_kind=device dst_kind=device is_peer=1 src_ctx=%d dst_ctx=%d\n",
		    lied_ctx(0, lie), lied_ctx(1, lie));
		return;
	}
	put(t, " copy_kind=%s src_kind=%s dst_kind=%s is_async=%d size=64\n",
	    direction_text(a->direction),
	    a->direction == H2D ? memory_text(a->memory, lie) : "device",
	    a->direction == D2H ? memory_text(a->memory, lie) : "device", a->kind == COPY);
}

/* @offset into the memory that @a is about. */
static unsigned region_address(const struct act *a, unsigned offset)
{
	return 0x500000u + 0x1000u * (unsigned)(a->region + 1) + offset;
}

static void put_act(struct text *host, struct text *device, const struct world *w, int i,
		    enum lie lie)
{
	const struct act *a = &w->acts[i];
	static const char *const sync_copies[] = {"cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2",
						  "cuMemcpyDtoD_v2"};
	int event = a->event;
	int result = a->result;
	bool is_device = a->runs && a->has_record;
	uint64_t value = 0;

	if (lie == LIE_WAIT_FOR_OTHER_EVENT && a->kind == WAIT)
		event = (event + 1) % w->event_count;
	if (lie == LIE_FAILED_SUCCEEDED && result == 1)
		result = 0;
	if (lie == LIE_NOT_READY_IS_READY && result == 600)
		result = 0;
	switch (a->kind) {
	case KERNEL:
	case PROGRAMMATIC:
	case LAUNCH_EVENT:
		if (a->kind == KERNEL) {
			put_call(host, w, a, i, lie, "call_launch", "cuLaunchKernel");
		} else {
			put_call(host, w, a, i, lie, "call_launch", "cuLaunchKernelEx");
		}
		if (a->kind == PROGRAMMATIC && lie != LIE_PROGRAMMATIC_IS_ORDINARY)
			put(host, " flags=%s",
			    i % 3 ? "programmatic-serialization" : "attributes-unread");
		if (a->kind == LAUNCH_EVENT && lie != LIE_LAUNCH_EVENT_IS_RECORD)
			put(host, " flags=%s event=0x%x",
			    a->has_both && lie != LIE_ONE_LAUNCH_EVENT
				    ? "programmatic-event|launch-completion-event"
			    : a->is_completion && !a->has_both ? "launch-completion-event"
							       : "programmatic-event",
			    0x9000 + event);
		if (a->kind == LAUNCH_EVENT && a->has_both && lie != LIE_LAUNCH_EVENT_IS_RECORD &&
		    lie != LIE_ONE_LAUNCH_EVENT)
			put(host, " event2=0x%x", 0x9000 + a->event2);
		if (is_device) {
			put(device, "kernel corr=%d", i + 100);
			put_where(device, w, a, lie);
			if (a->gpu_end)
				put(device, " start_ns=%" PRIu64 " end_ns=%" PRIu64, a->gpu_begin,
				    a->gpu_end);
			put(device, " name=\"k\"\n");
		}
		if (a->loads && lie != LIE_NOTHING_LOADED)
			put(device,
			    "overhead corr=%d type=lazy-function-loading start_ns=%" PRIu64
			    " end_ns=%" PRIu64 "\n",
			    i + 100, a->enter, a->exit);
		if (a->made_room >= 0 && lie != LIE_QUEUE_NOT_FULL)
			put(device,
			    "overhead corr=%d type=command-buffer-full start_ns=%" PRIu64
			    " end_ns=%" PRIu64 "\n",
			    i + 100, a->enter, a->exit);
		break;
	case MEMSET:
		put_call(host, w, a, i, lie, "call_memset", "cuMemsetD8Async");
		if (is_device) {
			put(device, "memset corr=%d memory_kind=device", i + 100);
			put_where(device, w, a, lie);
			put(device, "\n");
		}
		break;
	case MEMSET_SYNC:
		put_default_call(host, w, a, i, lie, "call_memset", "cuMemsetD8_v2");
		put(host, " dst=0x%x", region_address(a, 0x40));
		if (is_device) {
			put(device, "memset corr=%d memory_kind=%s", i + 100,
			    a->memory == PAGEABLE ? "device" : memory_text(a->memory, lie));
			put_where(device, w, a, lie);
			put(device, "\n");
		}
		break;
	case COPY:
		put_call(host, w, a, i, lie, "call_copy", "cuMemcpyAsync");
		put(host, " size=64 direction=%s", direction_text(a->direction));
		if (is_device)
			put_copy_record(device, w, a, i, lie);
		break;
	case COPY_SYNC:
		if (a->direction == H2H) {
			put(host, "call_copy corr=%d enter_ns=%" PRIu64 " api=%s ctx=%d", i + 100,
			    a->enter,
			    is_per_thread(w, a, lie) ? "cudaMemcpy_ptds_v7000" : "cudaMemcpy_v3020",
			    lied_ctx(a->ctx, lie));
			put(host, " size=64 direction=h2h");
			break;
		}
		put_default_call(host, w, a, i, lie, "call_copy", sync_copies[a->direction]);
		put(host, " size=64 %s=0x%x", i % 2 ? "dst" : "src", region_address(a, 0xfff));
		if (is_device)
			put_copy_record(device, w, a, i, lie);
		break;
	case PEER:
		put_default_call(host, w, a, i, lie, "call_copy",
				 a->is_peer_api && lie != LIE_PEER_IS_PLAIN ? "cuMemcpyPeer"
									    : "cuMemcpyDtoD_v2");
		if (is_device)
			put_copy_record(device, w, a, i, lie);
		break;
	case RECORD:
		put_call(host, w, a, i, lie, "call_event", "cuEventRecord");
		put(host, " event=0x%x", 0x9000 + event);
		break;
	case WAIT:
		put_call(host, w, a, i, lie, "call_event", "cuStreamWaitEvent");
		put(host, " event=0x%x", 0x9000 + event);
		break;
	case EVENT_SYNC:
	case EVENT_QUERY:
		put(host, "call_event corr=%d enter_ns=%" PRIu64 " api=%s ctx=%d event=0x%x",
		    i + 100, a->enter,
		    a->kind == EVENT_SYNC ? "cuEventSynchronize" : "cuEventQuery",
		    lied_ctx(a->ctx, lie), 0x9000 + event);
		break;
	case ELAPSED:
		put(host,
		    "call_event corr=%d enter_ns=%" PRIu64
		    " api=cuEventElapsedTime ctx=%d event=0x%x event2=0x%x",
		    i + 100, a->enter, lied_ctx(a->ctx, lie), 0x9000 + event, 0x9000 + a->event2);
		break;
	case STREAM_SYNC:
	case STREAM_QUERY:
		if (a->kind == STREAM_SYNC && lie == LIE_STREAM_SYNC_IS_CTX_SYNC) {
			put(host, "call corr=%d enter_ns=%" PRIu64 " api=cuCtxSynchronize ctx=%d",
			    i + 100, a->enter, lied_ctx(a->ctx, lie));
			break;
		}
		put_call(host, w, a, i, lie, "call_stream",
			 a->kind == STREAM_SYNC ? "cuStreamSynchronize" : "cuStreamQuery");
		break;
	case CTX_SYNC:
		put(host, "call corr=%d enter_ns=%" PRIu64 " api=cuCtxSynchronize ctx=%d", i + 100,
		    a->enter, lied_ctx(a->ctx, lie));
		break;
	case HOST_FUNC:
		put_call(host, w, a, i, lie, "call_host", "cuLaunchHostFunc");
		break;
	case GRAPH:
		put_call(host, w, a, i, lie, "call_graph", "cuGraphLaunch");
		put(host, " exec=0x%x", 0xa000 + (lie == LIE_ONE_GRAPH ? 0 : a->exec));
		if (is_device) {
			for (int n = 0; n < 2; n++)
				put(device,
				    "kernel corr=%d ctx=%d stream=%d name=\"n\" graph_node=%d\n",
				    i + 100, lied_ctx(w->streams[a->stream].ctx, lie), 90 + n,
				    n + 1);
		}
		break;
	case ALLOC:
		if (lie == LIE_ALLOC_IS_KERNEL) {
			put_call(host, w, a, i, lie, "call_launch", "cuLaunchKernel");
			break;
		}
		put_call(host, w, a, i, lie, "call_memory", "cuMemAllocAsync");
		put(host, " size=64");
		value = a->address;
		break;
	case FREE_ASYNC:
		put_call(host, w, a, i, lie, "call_memory", "cuMemFreeAsync");
		put(host, " address=0x%" PRIx64, a->address);
		break;
	case FREE_PLAIN:
		put(host,
		    "call_memory corr=%d enter_ns=%" PRIu64
		    " api=cuMemFree_v2 ctx=%d address=0x%" PRIx64,
		    i + 100, a->enter, lied_ctx(a->ctx, lie), a->address);
		break;
	case CREATE: {
		const struct stream *s = &w->streams[a->stream];
		bool is_nonblocking = s->kind == NONBLOCKING;

		if (is_nonblocking && lie == LIE_NONBLOCKING_IS_BLOCKING) {
			is_nonblocking = false;
		} else if (!is_nonblocking && lie == LIE_BLOCKING_IS_NONBLOCKING) {
			is_nonblocking = true;
		}
		put(host,
		    "call_stream corr=%d enter_ns=%" PRIu64 " api=cuStreamCreate ctx=%d flags=%d",
		    i + 100, a->enter, lied_ctx(a->ctx, lie), is_nonblocking);
		value = s->handle;
		break;
	}
	case DESTROY:
		put(host,
		    "call_stream corr=%d enter_ns=%" PRIu64
		    " api=cuStreamDestroy_v2 ctx=%d stream=0x%" PRIx64,
		    i + 100, a->enter, lied_ctx(a->ctx, lie), w->streams[a->stream].handle);
		break;
	case EVENT_RENEW:
		/* Two calls in the place of one: the corr of the first is out of the way. */
		if (lie == LIE_EVENT_NEVER_RENEWED) {
			put(host, "call corr=%d enter_ns=%" PRIu64 " api=cuCtxSetLimit ctx=%d",
			    i + 100, a->enter, lied_ctx(a->ctx, lie));
			result = 1;
			break;
		}
		put(host,
		    "call_event corr=%d enter_ns=%" PRIu64
		    " api=cuEventDestroy_v2 ctx=%d event=0x%x\ncall_exit corr=%d exit_ns=%" PRIu64
		    "\n",
		    i + 5000, a->enter, lied_ctx(a->ctx, lie), 0x9000 + event, i + 5000, a->enter);
		put(host, "call_event corr=%d enter_ns=%" PRIu64 " api=cuEventCreate ctx=%d",
		    i + 100, a->enter, lied_ctx(a->ctx, lie));
		value = (uint64_t)(0x9000 + event);
		break;
	case MULTI:
		put_call(host, w, a, i, lie, "call_launch", "cuLaunchCooperativeKernelMultiDevice");
		put(host, " flags=cooperative|multi-device%s%s",
		    a->no_pre ? "|no-pre-launch-sync" : "",
		    a->no_post ? "|no-post-launch-sync" : "");
		put(device, "kernel corr=%d", i + 100);
		put_where(device, w, a, lie);
		put(device, " name=\"k\"\n");
		break;
	case MULTI_OTHER:
		put(device, "kernel corr=%d", i - 1 + 100);
		put_where(device, w, a, lie);
		put(device, " name=\"k\"\n");
		return;
	case BATCH:
		put_call(host, w, a, i, lie, "call_copy", "cuMemcpyBatchAsync_v2");
		put(host, " size=128 count=2 access=%s",
		    !a->is_early || lie == LIE_SOURCES_IN_ORDER ? "stream"
		    : i % 2					? "during-call"
								: "any");
		for (int n = 0; n < 2 && is_device; n++) {
			put(device, "memcpy corr=%d", i + 100);
			put_where(device, w, a, lie);
			put(device, " copy_kind=d2d src_kind=device dst_kind=device size=64\n");
		}
		break;
	case MARK:
		put(host,
		    "call corr=%d enter_ns=%" PRIu64
		    " api=cuPointerSetAttribute ctx=%d object=0x%x value=%d flags=6",
		    i + 100, a->enter, lied_ctx(a->ctx, lie), region_address(a, 0),
		    a->is_on && lie != LIE_NOTHING_MARKED);
		break;
	case CTX_FLAGS:
		put(host, "call corr=%d enter_ns=%" PRIu64 " api=cuCtxSetFlags ctx=%d flags=0x%x",
		    i + 100, a->enter, lied_ctx(a->ctx, lie),
		    a->is_on && lie != LIE_NOTHING_MARKED ? 0x84 : 4);
		break;
	case CTX_RECORD:
	case CTX_WAIT:
		put(host,
		    "call_event corr=%d enter_ns=%" PRIu64 " api=%s ctx=%d event=0x%x context=0x%x",
		    i + 100, a->enter,
		    a->kind == CTX_RECORD ? "cuCtxRecordEvent" : "cuCtxWaitEvent",
		    lied_ctx(w->is_dead[!a->ctx] || w->ctxs < 2 ? a->ctx : !a->ctx, lie),
		    0x9000 + event,
		    0xc000 + lied_ctx(w->ctxs > 1 && lie == LIE_OTHER_CONTEXT ? !a->ctx : a->ctx,
				      lie));
		break;
	case CACHE_CONFIG:
		put(host, "call corr=%d enter_ns=%" PRIu64 " api=cuCtxSetCacheConfig ctx=%d",
		    i + 100, a->enter, lied_ctx(a->ctx, lie));
		break;
	case CTX_END:
		put(host,
		    "call corr=%d enter_ns=%" PRIu64 " api=cuCtxDestroy_v2 ctx=%d object=0x%x",
		    i + 100, a->enter, lied_ctx(!a->ctx, lie), 0xc000 + lied_ctx(a->ctx, lie));
		break;
	case VALUE_WRITE:
	case VALUE_WAIT: {
		static const char *const apis[] = {"cuStreamWriteValue32_v2",
						   "cuStreamWaitValue32_v2"};
		int written = a->value;
		int flags = a->kind == VALUE_WAIT ? a->compare : !a->has_barrier;

		if (a->kind == VALUE_WRITE && lie == LIE_OTHER_VALUE)
			written = written % 3 + 1;
		if (a->kind == VALUE_WRITE && lie == LIE_NO_BARRIER_HAS_ONE)
			flags = 0;
		put_call(host, w, a, i, lie, "call", apis[a->kind == VALUE_WAIT]);
		put(host,
		    " object=0x%x value=%d flags=0x%x\nmemop corr=%d address=0x%x value=0x%x"
		    " type=%s-32 flags=0x%x",
		    0xb000 + 4 * a->word, written, flags, i + 100, 0xb000 + 4 * a->word, written,
		    a->kind == VALUE_WAIT ? "wait" : "write", flags);
		break;
	}
	case CAPTURE_BEGIN:
		if (lie == LIE_NO_CAPTURE)
			result = 1;
		put_call(host, w, a, i, lie, "call_graph", "cuStreamBeginCapture");
		break;
	case CAPTURE_END:
		put_call(host, w, a, i, lie, "call_graph", "cuStreamEndCapture");
		break;
	case KINDS:
		break;
	}
	put(host, "\n");
	if (!a->returned)
		return;
	put(host, "call_exit corr=%d exit_ns=%" PRIu64, i + 100, a->exit);
	if (value)
		put(host, " value=0x%" PRIx64, value);
	if (result)
		put(host, " result=%d", result);
	put(host, "\n");
	if (a->kind == LAUNCH_EVENT && lie == LIE_LAUNCH_EVENT_IS_RECORD && a->runs) {
		/* As if it had been recorded in the stream, after the kernel. */
		put_call(host, w, a, i, lie, "call_event", "cuEventRecord");
		put(host, " event=0x%x\ncall_exit corr=%d exit_ns=%" PRIu64 "\n", 0x9000 + event,
		    i + 100, a->exit);
	}
}

/* One text at a time: large, so not on the stack. */
static struct text host_text[THREADS_MAX], device_text, all_text;

static const struct text *make_text(const struct world *w, enum lie lie)
{
	struct text *t = &all_text;

	t->used = device_text.used = 0;
	put(t, "gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1\n");
	if (w->launch_blocking)
		put(t, "variable name=\"CUDA_LAUNCH_BLOCKING\" value=\"1\"\n");
	for (int c = 0; c < (lie == LIE_ONE_CONTEXT ? 1 : w->ctxs); c++)
		put(t, "context ctx=%d device=%d handle=0x%x null_stream=7\n", c + 1, c,
		    0xc001 + c);
	for (int i = 0; i < w->stream_count; i++) {
		const struct stream *s = &w->streams[i];

		/* A per-thread stream's definition does not say whose it is, or is missing. */
		if (s->kind == PER_THREAD && (s->id % 3 == 0 || lie == LIE_PER_THREAD_IS_LEGACY))
			continue;
		if (s->kind == LEGACY && s->ctx && lie == LIE_ONE_CONTEXT)
			continue;
		if (s->is_defined && s->created_by < w->act_count)
			put_stream_def(t, s, lie);
	}
	for (int k = 0; k < w->threads; k++) {
		host_text[k].used = 0;
		put(&host_text[k], "chunk events process=1 thread=%d\n", k + 1);
	}
	for (int e = 0; e < w->event_count; e++)
		put(&host_text[0],
		    "call_event corr=%d enter_ns=%d api=cuEventCreate ctx=1\n"
		    "call_exit corr=%d exit_ns=%d value=0x%x\n",
		    9000 + e, 100 + e, 9000 + e, 100 + e, 0x9000 + e);
	for (int r = 0; r < REGIONS; r++)
		put(&host_text[0],
		    "call_memory corr=%d enter_ns=%d api=cuMemAlloc_v2 ctx=1 size=4096\n"
		    "call_exit corr=%d exit_ns=%d value=0x%x\n",
		    9100 + r, 200 + r, 9100 + r, 200 + r, 0x501000 + 0x1000 * r);
	put(&device_text, "chunk events process=1\n");
	for (int i = 0; i < w->act_count; i++)
		put_act(&host_text[w->acts[i].thread], &device_text, w, i, lie);
	for (int k = 0; k < w->threads; k++)
		put(t, "%s", host_text[k].data);
	put(t, "%schunk defs process=1\nend time_ns=900000\n", device_text.data);
	return t;
}

/* ---- the rules, over all pairs --------------------------------------------------------------------------- */

enum strength { MAY = 1, MUST = 2, DEVICE = 4 }; /* DEVICE: no host thread is involved */

struct relation {
	uint64_t bits[POINTS_MAX][WORDS];
};

struct oracle {
	const struct world *w;
	struct relation may, must, device;
};

/* The act whose call act i is of. */
static int call_of[ACTS_MAX];

static int enter_of(int i)
{
	return 4 * call_of[i];
}

static int exit_of(int i)
{
	return 4 * call_of[i] + 1;
}

static int begin_of(int i)
{
	return 4 * i + 2;
}

static int end_of(int i)
{
	return 4 * i + 3;
}

static void set(struct relation *r, int from, int to)
{
	r->bits[from][to / 64] |= UINT64_C(1) << (to % 64);
}

static bool has(const struct relation *r, int from, int to)
{
	return r->bits[from][to / 64] >> (to % 64) & 1;
}

static void relate(struct oracle *o, int from, int to, int strength)
{
	set(&o->may, from, to);
	if (strength & MUST)
		set(&o->must, from, to);
	if ((strength & (MUST | DEVICE)) == (MUST | DEVICE))
		set(&o->device, from, to);
}

static void close_relation(struct relation *r, int points)
{
	for (int k = 0; k < points; k++) {
		for (int i = 0; i < points; i++) {
			if (!has(r, i, k))
				continue;
			for (int x = 0; x < WORDS; x++)
				r->bits[i][x] |= r->bits[k][x];
		}
	}
}

/* Was act @i surely accepted before act @k? */
static bool first(const struct world *w, int i, int k)
{
	const struct act *a = &w->acts[i];
	const struct act *b = &w->acts[k];

	if (a->thread == b->thread)
		return i < k && !(k == i + 1 && b->kind == MULTI_OTHER);
	return a->returned && a->exit <= b->enter;
}

static bool is_kernel(const struct act *a)
{
	return a->kind == KERNEL || a->kind == PROGRAMMATIC || a->kind == LAUNCH_EVENT ||
	       a->kind == MULTI || a->kind == MULTI_OTHER;
}

static bool is_action(const struct act *a)
{
	return a->kind != ALLOC && a->kind != FREE_ASYNC && a->kind != VALUE_WRITE &&
	       a->kind != VALUE_WAIT;
}

static const struct stream *stream_of(const struct world *w, int i)
{
	return &w->streams[w->acts[i].stream];
}

static bool blocks(const struct stream *s)
{
	return s->kind == BLOCKING || s->kind == PER_THREAD;
}

/* The op that stands immediately before act @k in its stream; -1 = none. */
static int just_before(const struct world *w, int k)
{
	for (int i = k; i-- > 0;) {
		if (w->acts[i].runs && !in_no_stream(&w->acts[i]) &&
		    w->acts[i].stream == w->acts[k].stream)
			return i;
	}
	return -1;
}

static bool overlaps_before(const struct world *w, int k)
{
	int i = just_before(w, k);

	return w->acts[k].kind == PROGRAMMATIC && i >= 0 && is_kernel(&w->acts[i]) &&
	       first(w, i, k);
}

/* After nothing that its stream has. */
static bool is_early(const struct act *a)
{
	return a->kind == BATCH && a->is_early;
}

/* Does act @i end before act @k begins because of their streams alone? */
static bool by_stream(const struct world *w, int i, int k)
{
	const struct stream *s = stream_of(w, i);
	const struct stream *t = stream_of(w, k);

	if (!first(w, i, k) || in_no_stream(&w->acts[i]) || in_no_stream(&w->acts[k]) ||
	    is_early(&w->acts[k]))
		return false;
	if (w->acts[i].stream == w->acts[k].stream)
		return !overlaps_before(w, k);
	if (s->ctx != t->ctx)
		return false;
	if (s->kind == LEGACY && is_action(&w->acts[i]) && blocks(t))
		return true;
	return t->kind == LEGACY && is_action(&w->acts[k]) && blocks(s);
}

static bool is_peer_of(const struct act *a)
{
	return a->kind == PEER && a->runs;
}

static int max_strength(int a, int b)
{
	return a > b ? a : b;
}

/* Peer copies join both contexts: every context other than the copy's own is an end of it. */
static int peer_strength(const struct world *w, int i, int k)
{
	const struct stream *s = stream_of(w, i);
	const struct stream *t = stream_of(w, k);

	int strength = 0;

	if (!first(w, i, k) || s->ctx == t->ctx || is_early(&w->acts[k]) ||
	    in_no_stream(&w->acts[i]) || in_no_stream(&w->acts[k]))
		return 0;
	if (is_peer_of(&w->acts[k]) && (blocks(s) || (s->kind == LEGACY && is_action(&w->acts[i]))))
		strength = w->acts[k].is_peer_api ? MUST : MAY;
	if (is_peer_of(&w->acts[i]) && (blocks(t) || t->kind == LEGACY))
		strength = max_strength(strength, w->acts[i].is_peer_api ? MUST : MAY);
	return strength;
}

/* Does act @i record @event, in a life that act @k still sees? */
static bool records(const struct world *w, int i, int k, int event)
{
	const struct act *a = &w->acts[i];

	if ((a->kind != RECORD && a->kind != LAUNCH_EVENT && a->kind != CTX_RECORD) || a->result ||
	    (a->event != event &&
	     !(a->kind == LAUNCH_EVENT && a->has_both && a->event2 == event)) ||
	    i == k)
		return false;
	/* A program that creates events anew does not overlap. */
	for (int n = i + 1; n < k; n++) {
		if (w->acts[n].kind == EVENT_RENEW && w->acts[n].event == event)
			return false;
	}
	return true;
}

/* The record that act @k means by @event; -1 = none, or not known. */
static int meant_record(const struct world *w, int k, int event)
{
	int found = -1;

	for (int i = 0; i < w->act_count; i++) {
		bool is_last = true;

		if (!records(w, i, k, event) || first(w, k, i))
			continue;
		if (!first(w, i, k))
			return -1; /* before or after: nobody knows */
		for (int n = 0; n < w->act_count; n++) {
			if (n != i && records(w, n, k, event) && first(w, n, k) && !first(w, n, i))
				is_last = false;
		}
		if (is_last)
			found = i;
	}
	return found >= 0 && w->acts[found].runs ? found : -1;
}

static void relate_records(struct oracle *o, int k, int event, bool is_host)
{
	const struct world *w = o->w;
	int r = meant_record(w, k, event);

	if (r < 0)
		return;
	if (w->acts[r].kind != LAUNCH_EVENT) {
		if (is_host) {
			relate(o, end_of(r), exit_of(k), MUST);
		} else {
			relate(o, end_of(r), begin_of(k), MUST | DEVICE);
		}
	} else if (!is_host) {
		relate(o, begin_of(r), begin_of(k),
		       (w->acts[r].has_both ? w->acts[r].event2 == event : w->acts[r].is_completion)
			       ? MAY
			       : MUST | DEVICE);
	}
}

/* The other half of the launch that act @k is of; -1 = it is none. */
static int other_half(const struct world *w, int k)
{
	return w->acts[k].kind == MULTI ? k + 1 : w->acts[k].kind == MULTI_OTHER ? k - 1 : -1;
}

static int by_launch(const struct world *w, int i, int k)
{
	int before = other_half(w, k);
	int after = other_half(w, i);

	if (!first(w, i, k) || is_early(&w->acts[k]) || in_no_stream(&w->acts[i]) ||
	    in_no_stream(&w->acts[k]))
		return 0;
	if (before >= 0 && !w->acts[k].no_pre && w->acts[before].stream == w->acts[i].stream)
		return MUST;
	return after >= 0 && !w->acts[i].no_post && w->acts[after].stream == w->acts[k].stream
		       ? MUST
		       : 0;
}

/* Records and waits of a whole context; the calls that may be a barrier on the device. */
static int by_context(const struct world *w, int i, int k)
{
	const struct act *a = &w->acts[i];
	const struct act *b = &w->acts[k];
	int strength = 0;

	if (!first(w, i, k) || is_early(b))
		return 0;
	if (b->kind == CTX_RECORD && !in_no_stream(a) && stream_of(w, i)->ctx == b->ctx)
		return MUST;
	if (a->kind == CTX_WAIT &&
	    (b->kind == CTX_WAIT ? b->ctx == a->ctx
				 : !in_no_stream(b) && stream_of(w, k)->ctx == a->ctx))
		return MUST;
	for (int g = 0; g < w->act_count && !in_no_stream(a) && !in_no_stream(b); g++) {
		if (w->acts[g].kind == CACHE_CONFIG && !w->acts[g].result && first(w, i, g) &&
		    first(w, g, k) && stream_of(w, i)->ctx == w->acts[g].ctx &&
		    stream_of(w, k)->ctx == w->acts[g].ctx)
			strength = MAY;
	}
	return strength;
}

static void relate_copy(struct oracle *o, int k)
{
	const struct world *w = o->w;
	const struct act *a = &w->acts[k];
	bool is_sync = a->kind == COPY_SYNC;
	int own = 0;
	int earlier = 0;

	switch (a->direction) {
	case H2H:
		own = MUST;
		break;
	case D2H:
		own = is_sync ? MUST : a->memory == PAGEABLE ? MAY : 0;
		earlier = !is_sync && a->memory == MANAGED ? MAY : 0;
		break;
	case H2D:
		if (is_sync) {
			own = a->memory == PINNED ? MUST : 0;
			earlier = a->memory == PAGEABLE ? MUST : a->memory == MANAGED ? MAY : 0;
		} else {
			earlier = a->memory != PINNED ? MAY : 0;
		}
		break;
	case D2D:
		own = is_sync && a->is_marked ? MUST : 0;
		break;
	}
	if (own)
		relate(o, end_of(k), exit_of(k), own);
	for (int i = 0; i < w->act_count && earlier; i++) {
		int peer;

		if (i == k || !w->acts[i].runs)
			continue;
		if (by_stream(w, i, k))
			relate(o, end_of(i), exit_of(k), earlier);
		peer = max_strength(peer_strength(w, i, k), by_context(w, i, k));
		peer = max_strength(peer, by_launch(w, i, k));
		if (peer)
			relate(o, end_of(i), exit_of(k), peer < earlier ? peer : earlier);
	}
}

static void relate_host_waits(struct oracle *o, int k)
{
	const struct world *w = o->w;
	const struct act *a = &w->acts[k];
	const struct stream *s = stream_of(w, k);

	if (a->captured || a->result)
		return;
	if ((a->kind == STREAM_QUERY || a->kind == EVENT_QUERY || a->kind == ELAPSED) &&
	    !a->returned)
		return;
	if (a->kind == EVENT_SYNC || a->kind == EVENT_QUERY || a->kind == ELAPSED)
		relate_records(o, k, a->event, true);
	if (a->kind == ELAPSED)
		relate_records(o, k, a->event2, true);
	if ((a->kind == COPY || a->kind == COPY_SYNC) && a->runs)
		relate_copy(o, k);
	if (a->kind == MEMSET_SYNC && a->runs && a->memory == PAGEABLE && a->is_marked)
		relate(o, end_of(k), exit_of(k), MUST);
	if (a->kind == MEMSET_SYNC && a->runs && a->memory != PAGEABLE)
		relate(o, end_of(k), exit_of(k), a->memory == PINNED ? MUST : MAY);
	if (is_kernel(a) && a->runs && w->launch_blocking)
		relate(o, end_of(k), exit_of(k), MUST);
	if (a->kind == GRAPH && a->runs && w->launch_blocking)
		relate(o, end_of(k), exit_of(k), MAY);
	if (a->made_room >= 0)
		relate(o, end_of(a->made_room), exit_of(k), MAY);
	for (int i = 0; i < w->act_count; i++) {
		const struct stream *t = stream_of(w, i);

		if (i == k || !w->acts[i].runs || !first(w, i, k) || in_no_stream(&w->acts[i]))
			continue;
		if (a->kind == CTX_END && t->ctx == a->ctx)
			relate(o, end_of(i), exit_of(k), MAY);
		if (is_kernel(a) && a->loads && t->ctx == a->ctx)
			relate(o, end_of(i), exit_of(k), MAY);
		if ((a->kind == STREAM_SYNC || a->kind == STREAM_QUERY) &&
		    (w->acts[i].stream == a->stream ||
		     (s->kind == LEGACY && t->ctx == s->ctx && blocks(t))))
			relate(o, end_of(i), exit_of(k), MUST);
		if (a->kind == CTX_SYNC && t->ctx == a->ctx)
			relate(o, end_of(i), exit_of(k), MUST);
		if (a->kind == FREE_PLAIN && !a->is_pool_address && t->ctx == a->ctx)
			relate(o, end_of(i), exit_of(k), MAY);
	}
}

/* The last freeing of the address that act @k got; -1 = none. */
static int last_free(const struct world *w, int k)
{
	int found = -1;

	for (int i = 0; i < w->act_count; i++) {
		if (w->acts[i].kind == FREE_ASYNC && w->acts[i].runs && i < k &&
		    w->acts[i].address == w->acts[k].address)
			found = i;
	}
	return found >= 0 && first(w, found, k) ? found : -1;
}

/* Does the value that act @i writes end the wait of act @k? */
static bool ends_wait(const struct world *w, int i, int k)
{
	const struct act *a = &w->acts[i];
	const struct act *b = &w->acts[k];

	if (a->kind != VALUE_WRITE || !a->runs || a->word != b->word)
		return false;
	switch (b->compare) {
	case 0:
		return a->value >= b->value;
	case 1:
		return a->value == b->value;
	case 2:
		return (a->value & b->value) > 0;
	default:
		return true; /* of 32 bits some are clear in both */
	}
}

/* The write that the wait of act @k has surely seen, or a later one of its stream; -1 = nobody knows. */
static int written_for(const struct world *w, int k)
{
	int found = -1;

	for (int i = 0; i < w->act_count; i++) {
		if (!ends_wait(w, i, k) ||
		    (w->acts[i].stream == w->acts[k].stream && first(w, k, i)))
			continue;
		if (w->acts[i].stream == w->acts[k].stream)
			return -1;
		if (found >= 0 &&
		    (w->acts[found].stream != w->acts[i].stream || !first(w, found, i)))
			return -1;
		if (found < 0)
			found = i;
	}
	return found >= 0 && first(w, found, k) && w->acts[found].has_barrier ? found : -1;
}

static void make_oracle(struct oracle *o, const struct world *w)
{
	int n = w->act_count;

	memset(o, 0, sizeof(*o));
	o->w = w;
	for (int k = 0; k < n; k++)
		call_of[k] = w->acts[k].kind == MULTI_OTHER ? k - 1 : k;
	for (int k = 0; k < n; k++) {
		const struct act *a = &w->acts[k];

		relate(o, enter_of(k), exit_of(k), MUST);
		relate_host_waits(o, k);
		for (int i = 0; i < k; i++) {
			if (w->acts[i].thread == a->thread && call_of[i] != call_of[k])
				relate(o, exit_of(i), enter_of(k), MUST);
		}
		if (!a->runs)
			continue;
		relate(o, enter_of(k), begin_of(k), MUST);
		relate(o, begin_of(k), end_of(k), MUST | DEVICE);
		if (overlaps_before(w, k))
			relate(o, begin_of(just_before(w, k)), begin_of(k), MUST | DEVICE);
		if (a->kind == WAIT || a->kind == CTX_WAIT)
			relate_records(o, k, a->event, false);
		if (a->kind == VALUE_WAIT && written_for(w, k) >= 0)
			relate(o, end_of(written_for(w, k)), begin_of(k), MAY);
		if (a->kind == ALLOC && last_free(w, k) >= 0)
			relate(o, end_of(last_free(w, k)), begin_of(k), MUST | DEVICE);
		for (int i = 0; i < n; i++) {
			int strength = 0;

			if (i == k || !w->acts[i].runs)
				continue;
			if (by_stream(w, i, k) || (a->kind == GRAPH && w->acts[i].kind == GRAPH &&
						   w->acts[i].exec == a->exec && first(w, i, k)))
				strength = MUST;
			strength = max_strength(strength, peer_strength(w, i, k));
			strength = max_strength(strength, by_context(w, i, k));
			strength = max_strength(strength, by_launch(w, i, k));
			if (strength)
				relate(o, end_of(i), begin_of(k), strength | DEVICE);
		}
	}
	close_relation(&o->may, 4 * n);
	close_relation(&o->must, 4 * n);
	close_relation(&o->device, 4 * n);
}

/* ---- comparison --------------------------------------------------------------------------------------------- */

struct engine {
	struct gst_arena *arena;
	struct gst_loader *loader;
	const struct gst_model *m;
	const struct gst_order *o;
	gst_call_id calls[ACTS_MAX];
	gst_op_id ops[ACTS_MAX];
};

static void close_engine(struct engine *e)
{
	gst_loader_close(e->loader);
	gst_model_free(e->m);
	gst_arena_free(e->arena);
}

static bool open_engine(struct engine *e, const struct text *t, const struct world *w)
{
	struct gst_err err = {0};
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	const char *bad;

	*e = (struct engine){.arena = gst_arena_new(0)};
	if (gst_loader_open_memory(t->data, t->used, "oracle", &options, &e->loader, &err) ||
	    gst_model_build(&e->loader, 1, e->arena, &e->m, &err) ||
	    gst_order_build(e->m, e->arena, &e->o, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return false;
	}
	bad = gst_model_validate(e->m);
	if (bad) {
		fprintf(stderr, "invalid model: %s\n", bad);
		return false;
	}
	for (int i = 0; i < ACTS_MAX; i++)
		e->calls[i] = e->ops[i] = GST_NONE;
	for (uint32_t c = 0; c < e->m->call_count; c++) {
		uint32_t corr = e->m->calls[c].corr;

		if (corr < 100 || corr >= 100 + (uint32_t)w->act_count)
			continue;
		if (e->calls[corr - 100] != GST_NONE)
			continue;
		e->calls[corr - 100] = c;
		if (e->m->calls[c].op_count)
			e->ops[corr - 100] = e->m->calls[c].first_op;
	}
	for (int i = 1; i < w->act_count; i++) {
		if (w->acts[i].kind != MULTI_OTHER)
			continue;
		e->calls[i] = e->calls[i - 1];
		e->ops[i] = e->ops[i - 1] == GST_NONE ? GST_NONE : e->ops[i - 1] + 1;
	}
	return true;
}

enum which { WHICH_MAY, WHICH_MUST, WHICH_DEVICE, WHICHES };

static const char *const which_names[] = {"any path", "documented", "documented, device only"};

struct difference {
	int i, k;
	const char *from, *to;
	bool wanted;
	enum which which;
};

static bool differs(const struct engine *e, gst_node_id a, gst_node_id b, bool wanted,
		    const struct gst_path_query *q)
{
	return (gst_order_before(e->o, a, b, q) == GST_YES) != wanted;
}

/* The first pair about which the two differ. */
static bool compare_pair(const struct oracle *o, const struct engine *e, int i, int k,
			 enum which which, uint64_t without, struct difference *d)
{
	const struct relation *r = which == WHICH_MAY	 ? &o->may
				   : which == WHICH_MUST ? &o->must
							 : &o->device;
	const struct gst_path_query q = {.without_rules = without,
					 .documented_only = which != WHICH_MAY,
					 .device_only = which == WHICH_DEVICE};
	const struct world *w = o->w;
	bool a_runs = w->acts[i].runs;
	bool b_runs = w->acts[k].runs;

	*d = (struct difference){.i = i, .k = k, .which = which};
	if (a_runs && b_runs) {
		d->from = "op";
		d->to = "op";
		d->wanted = has(r, end_of(i), begin_of(k));
		if (differs(e, e->ops[i], e->ops[k], d->wanted, &q))
			return true;
		if (w->acts[k].kind == BATCH &&
		    differs(e, e->ops[i], e->ops[k] + 1, d->wanted, &q)) {
			d->to = "second copy";
			return true;
		}
		if (w->acts[i].kind == BATCH &&
		    differs(e, e->ops[i] + 1, e->ops[k], d->wanted, &q)) {
			d->from = "second copy";
			return true;
		}
		if (w->acts[k].kind == GRAPH && w->acts[k].has_record &&
		    differs(e, e->ops[i], e->ops[k] + 1, d->wanted, &q)) {
			d->to = "node";
			return true;
		}
		if (w->acts[i].kind == GRAPH && w->acts[i].has_record &&
		    differs(e, e->ops[i] + 2, e->ops[k], d->wanted, &q)) {
			d->from = "node";
			return true;
		}
	}
	if (which == WHICH_DEVICE || call_of[i] == call_of[k])
		return false;
	if (a_runs) {
		d->from = "op";
		d->to = "call";
		d->wanted = has(r, end_of(i), enter_of(k));
		if (differs(e, e->ops[i], gst_node_of_call(e->o, e->calls[k]), d->wanted, &q))
			return true;
	}
	d->from = "call";
	d->to = "call";
	d->wanted = has(r, exit_of(i), enter_of(k));
	if (differs(e, gst_node_of_call(e->o, e->calls[i]), gst_node_of_call(e->o, e->calls[k]),
		    d->wanted, &q))
		return true;
	if (b_runs) {
		d->to = "op";
		d->wanted = has(r, exit_of(i), begin_of(k));
		if (differs(e, gst_node_of_call(e->o, e->calls[i]), e->ops[k], d->wanted, &q))
			return true;
	}
	return false;
}

/* A path must be there exactly if the answer is yes, and each of its edges must hold for itself. */
static bool path_is_wrong(const struct engine *e, struct gst_arena *scratch, gst_op_id a,
			  gst_op_id b)
{
	const struct gst_path_query q = {.documented_only = true};
	const gst_edge_id *edges = NULL;
	uint32_t count;
	gst_point_id at = gst_point_end(a);

	gst_arena_reset(scratch);
	count = gst_order_why(e->o, a, b, &q, scratch, &edges);
	if ((count != 0) != (gst_order_before(e->o, a, b, &q) == GST_YES))
		return true;
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_edge edge = gst_order_edge(e->o, edges[i]);

		/* From a begin one may go on at the end of the same node. */
		if (gst_edge_from_point(&edge) != at &&
		    !(gst_edge_from_point(&edge) == at + 1 && at % 2 == 0))
			return true;
		at = gst_edge_to_point(&edge);
	}
	return count && at != gst_point_begin(b);
}

static struct oracle the_oracle;
static struct gst_arena *the_scratch;

/* True if engine and oracle differ for this program, told as @lie has it. */
static bool is_noticed(const struct world *w, enum lie lie, uint64_t without, struct difference *d)
{
	struct engine e;
	bool is_bad = false;

	if (!open_engine(&e, make_text(w, lie), w)) {
		close_engine(&e);
		return true;
	}
	make_oracle(&the_oracle, w);
	*d = (struct difference){.from = "call", .to = "ops"};
	for (int i = 0; i < w->act_count && !is_bad; i++) {
		d->i = d->k = i;
		is_bad = e.calls[i] == GST_NONE || (e.ops[i] != GST_NONE) != w->acts[i].runs;
		/* The copies of a batch are in no order. */
		if (w->acts[i].kind == BATCH && w->acts[i].runs && !is_bad)
			is_bad = differs(&e, e.ops[i], e.ops[i] + 1, false, NULL);
	}
	for (int i = 0; i < w->act_count && !is_bad; i++) {
		for (int k = 0; k < w->act_count && !is_bad; k++) {
			for (int which = 0; which < WHICHES && !is_bad; which++) {
				if (i != k)
					is_bad = compare_pair(&the_oracle, &e, i, k,
							      (enum which)which, without, d);
			}
			if (i != k && !is_bad && !lie && !without && w->acts[i].runs &&
			    w->acts[k].runs && path_is_wrong(&e, the_scratch, e.ops[i], e.ops[k])) {
				*d = (struct difference){
					.i = i, .k = k, .from = "op", .to = "op (path)"};
				is_bad = true;
			}
		}
	}
	close_engine(&e);
	return is_bad;
}

static int length_of(uint64_t seed)
{
	return 4 + (int)(seed * 7 % (ACTS_MAX - 3));
}

static void report(uint64_t seed)
{
	struct world w;
	struct difference d;

	/* A program's beginning is a program: the shortest one that still fails. */
	for (int length = 1; length <= length_of(seed); length++) {
		make_world(&w, seed, length);
		if (!is_noticed(&w, NO_LIE, 0, &d))
			continue;
		fprintf(stderr,
			"seed %" PRIu64 ", %d calls: %s of corr %d before %s of corr %d (%s): "
			"oracle says %s\n%s",
			seed, length, d.from, d.i + 100, d.to, d.k + 100, which_names[d.which],
			d.wanted ? "yes" : "no", make_text(&w, NO_LIE)->data);
		return;
	}
	fprintf(stderr, "seed %" PRIu64 " fails at its full length only\n", seed);
}

static int check_programs(uint64_t first_seed, uint64_t seeds)
{
	struct difference d;
	struct world w;

	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		make_world(&w, s, length_of(s));
		if (is_noticed(&w, NO_LIE, 0, &d)) {
			report(s);
			return 1;
		}
	}
	printf("%" PRIu64 " programs from seed %" PRIu64 ": engine and oracle agree on all pairs\n",
	       seeds, first_seed);
	return 0;
}

static int check_negative(const char *what, enum lie lie, uint64_t without, uint64_t first_seed,
			  uint64_t seeds)
{
	struct difference d;
	struct world w;

	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		make_world(&w, s, length_of(s));
		if (is_noticed(&w, lie, without, &d)) {
			printf("%s: noticed after %" PRIu64 " programs\n", what,
			       s - first_seed + 1);
			return 0;
		}
	}
	fprintf(stderr, "%s: not noticed in %" PRIu64 " programs from seed %" PRIu64 "\n", what,
		seeds, first_seed);
	return 1;
}

/* An act added at the end changes no answer about those before it. */
static int check_prefix(uint64_t first_seed, uint64_t seeds)
{
	const struct gst_path_query q = {.documented_only = true};

	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		struct world shorter, longer;
		struct engine a, b;
		bool is_bad = false;
		int n = length_of(s);

		make_world(&longer, s, n);
		shorter = longer;
		shorter.act_count--;
		/* A call that overlaps the new one may become ambiguous by it: that is no added op. */
		if (longer.overlap || longer.acts[n - 1].kind == MULTI_OTHER)
			continue;
		if (!open_engine(&a, make_text(&shorter, NO_LIE), &shorter))
			return 1;
		if (!open_engine(&b, make_text(&longer, NO_LIE), &longer))
			return 1;
		for (int i = 0; i < n - 1; i++) {
			for (int k = 0; k < n - 1; k++) {
				if (i == k || !shorter.acts[i].runs || !shorter.acts[k].runs)
					continue;
				if (gst_order_before(a.o, a.ops[i], a.ops[k], &q) !=
				    gst_order_before(b.o, b.ops[i], b.ops[k], &q))
					is_bad = true;
			}
		}
		close_engine(&b);
		close_engine(&a);
		if (is_bad) {
			fprintf(stderr, "seed %" PRIu64 ": the last call changes earlier answers\n",
				s);
			return 1;
		}
	}
	printf("an op at the end changes no earlier answer\n");
	return 0;
}

/* No S3 edge touches a non-blocking stream, and there is no cycle. */
static int check_properties(uint64_t first_seed, uint64_t seeds)
{
	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		const gst_node_id *cycle;
		struct engine e;
		struct world w;
		bool is_bad;

		make_world(&w, s, length_of(s));
		if (!open_engine(&e, make_text(&w, NO_LIE), &w))
			return 1;
		is_bad = gst_order_cycle(e.o, &cycle) != 0;
		for (gst_edge_id i = gst_order_next_edge(e.o, 0); i < gst_order_edge_bound(e.o);
		     i = gst_order_next_edge(e.o, i + 1)) {
			const struct gst_edge edge = gst_order_edge(e.o, i);
			const gst_node_id ends[2] = {edge.from, edge.to};

			for (int k = 0; k < 2 && edge.rule == GST_RULE_S3; k++) {
				const struct gst_op *op = &e.m->ops[ends[k]];

				is_bad |= !gst_node_is_op(e.o, ends[k]) ||
					  e.m->streams[op->stream].kind ==
						  GST_STREAM_KIND_NONBLOCKING;
			}
		}
		close_engine(&e);
		if (is_bad) {
			fprintf(stderr,
				"seed %" PRIu64 ": a cycle, or S3 at a non-blocking stream\n", s);
			return 1;
		}
	}
	printf("no cycle, no S3 at a non-blocking stream\n");
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	uint64_t first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	int failed = 0;

	the_scratch = gst_arena_new(0);
	failed += check_programs(first_seed, seeds);
	failed += check_properties(first_seed, seeds / 4);
	failed += check_prefix(first_seed, seeds / 4);
	for (int r = 0; r < GST_RULE_COUNT; r++) {
		char what[64];

		/* No nodes with definitions here: graph_oracle_test.c. */
		if (r == GST_RULE_G4 || r == GST_RULE_G5 || r == GST_RULE_G7 || r == GST_RULE_E6)
			continue;
		snprintf(what, sizeof(what), "rule %s left out", gst_rule_id((enum gst_rule)r));
		failed += check_negative(what, NO_LIE, UINT64_C(1) << r, 1, 1000);
	}
	for (int lie = 1; lie < LIES; lie++)
		failed += check_negative(lie_names[lie], (enum lie)lie, 0, 1, 1000);
	gst_arena_free(the_scratch);
	return failed != 0;
}
