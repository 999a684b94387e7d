/*
 * oracle_world.c - random small programs, in the states that CUDA allows.
 *
 * Role      : gst_world_make() for oracle_test.c.
 * Method    : acts are drawn one by one; each is made to fit the state of the program (streams, events, a capture, memory,
 *             contexts), which it then changes, or drawn again.
 * Invariant : the beginning of a program is the program of the same seed that is shorter, but for calls that did not return.
 * Not here  : how it is written down (oracle_text.c), what it orders (oracle_rules.c).
 */
#include "analyzer/test/oracle_world.h"

#include <stdlib.h>

static int add_stream(struct gst_world *w, int ctx, enum stream_kind kind, int thread)
{
	struct gst_program_stream *s = &w->streams[w->stream_count];

	*s = (struct gst_program_stream){
		.ctx = ctx, .kind = kind, .thread = thread, .created_by = -1};
	s->is_alive = true;
	s->is_defined = true;
	s->id = kind == LEGACY && ctx < w->ctxs ? 7 : 13 + w->stream_count;
	if (kind == BLOCKING || kind == NONBLOCKING)
		s->handle = w->next_handle += 0x10;
	return w->stream_count++;
}

static int legacy_of(const struct gst_world *w, int ctx)
{
	for (int i = 0; i < w->stream_count; i++) {
		if (w->streams[i].kind == LEGACY && w->streams[i].ctx == ctx)
			return i;
	}
	abort();
}

static int per_thread_of(const struct gst_world *w, int ctx, int thread)
{
	for (int i = 0; i < w->stream_count; i++) {
		if (w->streams[i].kind == PER_THREAD && w->streams[i].ctx == ctx &&
		    w->streams[i].thread == thread)
			return i;
	}
	abort();
}

static bool has_green(const struct gst_world *w, int ctx)
{
	for (int i = w->ctxs; i < w->contexts; i++) {
		if (w->primary[i] == ctx)
			return true;
	}
	return false;
}

/* @ctx or, often, a green context of it. */
static int pick_green(struct gst_world *w, int ctx)
{
	int i;

	if (w->contexts == w->ctxs || gst_chance(&w->random, 40))
		return ctx;
	i = w->ctxs + gst_below(&w->random, w->contexts - w->ctxs);
	return w->primary[i] == ctx ? i : ctx;
}

/* A stream that @thread may name, with the legacy stream often. */
static int pick_stream(struct gst_world *w, int thread, int ctx)
{
	int start;

	if (gst_chance(&w->random, 25))
		return legacy_of(w, pick_green(w, ctx));
	if (gst_chance(&w->random, 10))
		return per_thread_of(w, ctx, thread);
	start = gst_below(&w->random, w->stream_count);
	for (int i = 0; i < w->stream_count; i++) {
		const struct gst_program_stream *s = &w->streams[(start + i) % w->stream_count];

		if (s->is_alive && (s->kind == BLOCKING || s->kind == NONBLOCKING))
			return (start + i) % w->stream_count;
	}
	return legacy_of(w, ctx);
}

static bool is_default(const struct gst_program_stream *s)
{
	return s->kind == LEGACY || s->kind == PER_THREAD;
}

static bool is_capturing(const struct gst_world *w, const struct gst_program_stream *s)
{
	return w->capture_stream >= 0 && s->capture == w->captures;
}

/* A legacy action while a blocking stream of its context captures is an error. */
static bool breaks_capture(const struct gst_world *w, int ctx)
{
	for (int i = 0; i < w->stream_count; i++) {
		if (w->streams[i].ctx == ctx && w->streams[i].kind != NONBLOCKING &&
		    is_capturing(w, &w->streams[i]))
			return true;
	}
	return false;
}

bool gst_act_submits(const struct gst_act *a)
{
	switch (a->kind) {
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

static void fill_act(struct gst_world *w, struct gst_act *a)
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
	at = gst_below(&w->random, total);
	for (int i = 0; i < KINDS; i++) {
		if (at < weights[i]) {
			a->kind = (enum kind)i;
			break;
		}
		at -= weights[i];
	}
	a->thread = gst_below(&w->random, w->threads);
	a->ctx = gst_below(&w->random, w->ctxs);
	a->target = pick_green(w, a->ctx);
	a->stream = pick_stream(w, a->thread, a->ctx);
	a->event = gst_below(&w->random, w->event_count);
	a->event2 = gst_below(&w->random, w->event_count);
	a->exec = gst_below(&w->random, EXECS);
	a->direction = (enum direction)gst_below(&w->random, 4);
	a->memory = (enum memory)gst_below(&w->random, 3);
	a->is_peer_api = gst_chance(&w->random, 60);
	a->is_completion = gst_chance(&w->random, 50);
	a->by_number = gst_chance(&w->random, 30);
	a->has_record = gst_chance(&w->random, 85);
	a->word = gst_below(&w->random, 3);
	a->value = 1 + gst_below(&w->random, 3);
	a->compare = gst_below(&w->random, 4);
	a->has_barrier = gst_chance(&w->random, 80);
	a->region = gst_below(&w->random, REGIONS + 1) - 1;
	a->is_on = gst_chance(&w->random, 70);
	a->is_early = gst_chance(&w->random, 40);
	a->no_pre = gst_chance(&w->random, 20);
	a->no_post = gst_chance(&w->random, 20);
	a->loads = gst_chance(&w->random, 10);
	a->has_both = gst_chance(&w->random, 40) && a->event2 != a->event;
	a->made_room = -1;
	a->returned = true;
}

/*
 * Where there are green contexts the trace tells of calls into a default stream which context they are for by their device
 * records alone.
 */
static bool is_untold(const struct gst_world *w, const struct gst_act *a)
{
	const struct gst_program_stream *s = &w->streams[a->stream];

	if (s->kind != LEGACY || (s->ctx < w->ctxs && !has_green(w, s->ctx)))
		return false;
	switch (a->kind) {
	case KERNEL:
	case PROGRAMMATIC:
	case LAUNCH_EVENT:
	case MEMSET:
	case MEMSET_SYNC:
	case COPY:
	case COPY_SYNC:
	case PEER:
		return !a->has_record;
	default:
		return gst_act_submits(a) || a->kind == STREAM_SYNC || a->kind == STREAM_QUERY;
	}
}

/* Make @a fit the state of the program, and change the state as it does. False: not possible now. */
static bool apply(struct gst_world *w, struct gst_act *a, int index)
{
	struct gst_program_stream *s = &w->streams[a->stream];
	bool is_query = a->kind == EVENT_QUERY || a->kind == STREAM_QUERY;
	int own = a->kind == COPY_SYNC || a->kind == MEMSET_SYNC || a->kind == PEER;

	if (w->overlap &&
	    (a->kind == PROGRAMMATIC || a->kind == CREATE || a->kind == DESTROY ||
	     a->kind == EVENT_RENEW || a->kind == CAPTURE_BEGIN || a->kind == CAPTURE_END))
		return false;
	if (w->is_dead[a->ctx] || w->is_dead[a->target] ||
	    (w->is_dead[s->ctx] && a->kind != CTX_END))
		return false;
	if (own && !is_default(s)) {
		a->stream = gst_chance(&w->random, 70) ? legacy_of(w, a->ctx)
						       : per_thread_of(w, a->ctx, a->thread);
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
	if (!gst_act_in_no_stream(a) && is_untold(w, a))
		return false;
	if (is_query && gst_chance(&w->random, 40))
		a->result = 600;
	if (gst_chance(&w->random, 4))
		a->result = 1;
	if (w->capture_stream >= 0) {
		if ((gst_act_submits(a) && s->kind == LEGACY && breaks_capture(w, s->ctx)) ||
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
		for (int i = 0; i < w->contexts; i++)
			w->is_dead[i] |= gst_world_covers(w, a->ctx, i);
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
		a->stream = add_stream(
			w, a->target,
			a->target == a->ctx && gst_chance(&w->random, 50) ? BLOCKING : NONBLOCKING,
			-1);
		s = &w->streams[a->stream];
		s->created_by = index;
		/* The call that creates a green context's stream names the primary one. */
		s->is_defined = gst_chance(&w->random, 70) || a->target != a->ctx;
		/* The handle of a stream that is gone may come again. */
		for (int i = 0; i < a->stream; i++) {
			bool is_free = !w->streams[i].is_alive && gst_chance(&w->random, 70);

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
		if (w->free_count && gst_chance(&w->random, 80)) {
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
		if (w->live_count && gst_chance(&w->random, 30)) {
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
	if (!gst_act_submits(a))
		return true;
	a->captured = is_capturing(w, s) && !a->result && !gst_act_in_no_stream(a);
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
static void fill_queues(struct gst_world *w)
{
	for (int k = 0; k < w->act_count && !w->overlap; k++) {
		struct gst_act *a = &w->acts[k];
		int i = k - 1;

		if (a->kind != KERNEL || !a->runs || !a->has_record || !gst_chance(&w->random, 20))
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

void gst_world_make(struct gst_world *w, uint64_t seed, int length)
{
	*w = (struct gst_world){.random = gst_random_from(seed)};
	w->threads = 1 + gst_below(&w->random, THREADS_MAX);
	w->ctxs = 1 + gst_below(&w->random, CTX_MAX);
	w->event_count = 1 + gst_below(&w->random, EVENTS_MAX);
	w->overlap = w->threads > 1 && gst_chance(&w->random, 35);
	w->launch_blocking = gst_chance(&w->random, 5);
	w->capture_stream = -1;
	w->next_address = 0x7000000;
	w->next_handle = 0x1000;
	for (int c = 0; c < w->ctxs; c++) {
		(void)add_stream(w, c, LEGACY, -1);
		for (int t = 0; t < w->threads; t++)
			(void)add_stream(w, c, PER_THREAD, t);
		for (int i = 1 + gst_below(&w->random, 3); i > 0; i--)
			(void)add_stream(w, c, gst_chance(&w->random, 60) ? BLOCKING : NONBLOCKING,
					 -1);
	}
	w->contexts = w->ctxs;
	for (int c = 0; c < w->ctxs; c++)
		w->primary[c] = -1;
	/* Few, or more than are looked at one by one. */
	for (int i = gst_chance(&w->random, 60)	  ? 0
		     : gst_chance(&w->random, 75) ? 1 + gst_below(&w->random, 3)
						  : GREENS_MAX;
	     i > 0; i--) {
		int c = w->contexts++;

		w->primary[c] = gst_chance(&w->random, 80) ? 0 : w->ctxs - 1;
		(void)add_stream(w, c, LEGACY, -1);
		for (int k = 1 + gst_below(&w->random, 2); k > 0; k--)
			(void)add_stream(w, c, NONBLOCKING, -1);
	}
	w->now = 1000;
	while (w->act_count < length) {
		struct gst_act a = {0};
		uint64_t enter;

		fill_act(w, &a);
		if (!apply(w, &a, w->act_count))
			continue;
		enter = w->now + 1;
		if (w->until[a.thread] > enter)
			enter = w->until[a.thread];
		a.enter = enter;
		a.exit = enter + (w->overlap ? 1 + (uint64_t)gst_below(&w->random, 60) : 1);
		w->until[a.thread] = a.exit;
		w->now = w->overlap ? a.enter : a.exit;
		w->acts[w->act_count++] = a;
		if (a.kind != MULTI)
			continue;
		/* Its other half, in a stream with a higher number: records come in that order. */
		for (int i = a.stream + 1; i < w->stream_count && w->act_count < length; i++) {
			const struct gst_program_stream *s = &w->streams[i];

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
			if (gst_chance(&w->random, 15) && w->acts[i].result == 0 &&
			    w->acts[i].kind != CREATE && w->acts[i].kind != ALLOC &&
			    w->acts[i].kind != CAPTURE_BEGIN && w->acts[i].kind != EVENT_RENEW)
				w->acts[i].returned = false;
			break;
		}
	}
}
