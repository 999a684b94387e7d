/*
 * replay_test.c - the replay of knots, many questions at once, against one of moments, one by one.
 *
 * Role      : that nothing is lost by what timing/ leaves out: a thread's calls that share a knot, slacks in
 *             place of times, gains kept only as long as an arc looks back, eight questions in one pass.
 * Method    : random runs and random cuts; the answers of gst_timing_replay_all() are those of reference() below,
 *             which goes over the moments of each call as they were submitted and knows edges and times alone.
 * Invariant : not one number differs.
 * Not here  : numbers worked out by hand (timing_test.c); the low bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/test/scenes.h"
#include "tracer/format/api.h"

#define CUTS	19u /* two full passes, and some */
#define UNKNOWN INT64_MIN

static uint32_t below(uint32_t *random, uint32_t n)
{
	*random = *random * 1664525u + 1013904223u;
	return (*random >> 8) % n;
}

/* ---- the reference ------------------------------------------------------------------------------- */

struct reference {
	const struct gst_scene_stages *x;
	const struct gst_cut *cut;
	int64_t *seen,
		*then; /* by moment: when its end was, and would be; nodes, then exits of calls */
	int64_t least_ns[GST_OP_KIND_COUNT];
	gst_op_id last_copy[2]; /* to the device, from it: the engine is busy until then */
};

static int by_id(const void *a, const void *b)
{
	gst_edge_id x = *(const gst_edge_id *)a, y = *(const gst_edge_id *)b;

	return x < y ? -1 : x > y;
}

static bool is_cut(const struct gst_cut *c, gst_edge_id e)
{
	return bsearch(&e, c->edges, c->edge_count, sizeof(e), by_id) != NULL;
}

static bool is_timed(const struct reference *r, gst_node_id n)
{
	return n < r->x->m->op_count && (r->x->m->ops[n].flags & GST_OP_TIMED);
}

static int64_t duration(const struct reference *r, gst_node_id n)
{
	uint64_t begin = 0, end = 0;

	return is_timed(r, n) && gst_timing_op_ns(r->x->t, n, &begin, &end) ? (int64_t)(end - begin)
									    : 0;
}

static uint32_t moment_of_exit(const struct reference *r, gst_call_id call)
{
	return gst_order_node_count(r->x->o) + call;
}

/* What has released a moment, and would release it now. */
struct latest {
	int64_t seen, then;
};

static void arrive(struct latest *l, int64_t seen, int64_t then, bool is_left)
{
	l->seen = seen > l->seen ? seen : l->seen;
	if (is_left && then > l->then) {
		l->then = then;
	}
}

static void take_edge(struct reference *r, gst_edge_id id, int64_t at, struct latest *l)
{
	const struct gst_edge e = gst_order_edge(r->x->o, id);
	uint32_t source = e.from;
	uint64_t ns;
	int64_t reached;

	if (!gst_timing_in_force(r->x->t, id) || !gst_timing_source_ns(r->x->t, id, &ns)) {
		return;
	}
	if (e.form == GST_EXIT_ENTER) {
		source = moment_of_exit(r, e.from - r->x->m->op_count);
	}
	reached = (int64_t)ns;
	if (reached > at) {
		reached = at;
	} else if (e.form == GST_ENTER_BEGIN && is_timed(r, e.to)) {
		int64_t least = r->least_ns[r->x->m->ops[e.to].kind];
		reached += at - reached < least ? at - reached : least;
	}
	arrive(l, reached, reached - (r->seen[source] - r->then[source]), !is_cut(r->cut, id));
}

/* Moment @p was reached at @at and is over @lasts later; no sooner than what it is released by, and own time. */
static void settle(struct reference *r, uint32_t p, int64_t at, int64_t lasts, struct latest *l,
		   int64_t own_most)
{
	int64_t own = l->seen == UNKNOWN ? 0 : at + lasts - l->seen;

	own = own > own_most ? own_most : own;
	r->seen[p] = at + lasts;
	r->then[p] = l->then == UNKNOWN ? at + lasts : l->then + own;
}

static void begin_node(struct reference *r, gst_node_id n, int64_t at)
{
	struct latest l = {UNKNOWN, UNKNOWN};
	const struct gst_model *m = r->x->m;
	struct gst_edges in = gst_order_in(r->x->o, n);

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(r->x->o, &in, i);

		if (e.form != GST_END_EXIT || !gst_node_is_call(r->x->o, n)) {
			take_edge(r, e.id, at, &l);
		}
	}
	if (n < m->op_count && m->ops[n].kind == GST_OP_MEMCPY) {
		gst_op_id *last =
			&r->last_copy[m->copies[m->ops[n].detail].copy_kind == GST_COPY_DTOH];

		if (*last != GST_NONE && m->ops[*last].end_ns <= m->ops[n].begin_ns) {
			arrive(&l, r->seen[*last], r->then[*last], true);
		}
		*last = n;
	}
	settle(r, n, at, duration(r, n), &l, INT64_MAX);
}

static void end_call(struct reference *r, gst_call_id call)
{
	struct latest l = {UNKNOWN, UNKNOWN};
	const struct gst_model *m = r->x->m;
	gst_node_id node = gst_node_of_call(r->x->o, call);
	struct gst_edges in = gst_order_in(r->x->o, node);
	int64_t at = (int64_t)m->calls[call].exit_ns, most = INT64_MAX;

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(r->x->o, &in, i);

		if (e.form == GST_END_EXIT) {
			take_edge(r, e.id, at, &l);
		}
	}
	arrive(&l, r->seen[node], r->then[node], true);
	for (uint32_t i = 0; i < r->cut->wait_count; i++) {
		if (r->cut->waits[i].call == call) {
			arrive(&l, UNKNOWN, r->then[r->cut->waits[i].op], true);
		}
	}
	for (uint32_t i = 0; i < r->cut->call_count; i++) {
		if (r->cut->calls[i] == call) {
			most = (int64_t)r->cut->call_cost_ns;
		}
	}
	settle(r, moment_of_exit(r, call), at, 0, &l, most);
}

/* When a barrier point was passed: all of it was over. */
static int64_t passed(const struct reference *r, gst_node_id barrier)
{
	struct gst_edges in = gst_order_in(r->x->o, barrier);
	int64_t at = UNKNOWN;

	for (uint32_t i = 0; i < in.count; i++) {
		uint64_t ns;
		if (gst_timing_source_ns(r->x->t, gst_edges_at(r->x->o, &in, i).id, &ns) &&
		    (int64_t)ns > at) {
			at = (int64_t)ns;
		}
	}
	return at;
}

/* By how much the last moment comes earlier. Calls one after the other, so each moment after what it waits for. */
static uint64_t reference(const struct gst_scene_stages *x, const struct gst_cut *cut)
{
	const struct gst_model *m = x->m;
	struct reference r = {.x = x, .cut = cut, .last_copy = {GST_NONE, GST_NONE}};
	uint32_t nodes = gst_order_node_count(x->o), moments = nodes + m->call_count;
	gst_node_id barrier = m->op_count + m->call_count;
	int64_t seen = UNKNOWN, then = UNKNOWN;

	r.seen = gst_mem_alloc(moments * sizeof(*r.seen));
	r.then = gst_mem_alloc(moments * sizeof(*r.then));
	for (uint32_t k = 0; k < GST_OP_KIND_COUNT; k++) {
		r.least_ns[k] = INT64_MAX;
	}
	for (gst_op_id i = 0; i < m->op_count; i++) {
		int64_t gap =
			(int64_t)m->ops[i].begin_ns - (int64_t)m->calls[m->ops[i].call].enter_ns;
		if (is_timed(&r, i) && gap >= 0 && gap < r.least_ns[m->ops[i].kind]) {
			r.least_ns[m->ops[i].kind] = gap;
		}
	}
	for (gst_call_id c = 0; c < m->call_count; c++) {
		gst_node_id node = gst_node_of_call(x->o, c);

		begin_node(&r, node, (int64_t)m->calls[c].enter_ns);
		for (; barrier < nodes && gst_barrier_owner(x->o, barrier) == node; barrier++) {
			if (passed(&r, barrier) != UNKNOWN) {
				begin_node(&r, barrier, passed(&r, barrier));
			}
		}
		for (uint32_t i = 0; i < m->calls[c].op_count; i++) {
			uint64_t begin, end;
			gst_op_id op = m->calls[c].first_op + i;

			assert_true(gst_timing_op_ns(x->t, op, &begin, &end));
			begin_node(&r, op, (int64_t)begin);
		}
		end_call(&r, c);
	}
	for (uint32_t p = 0; p < moments; p++) {
		seen = r.seen[p] > seen ? r.seen[p] : seen;
		then = r.then[p] > then ? r.then[p] : then;
	}
	gst_mem_free(r.then, moments * sizeof(*r.then));
	gst_mem_free(r.seen, moments * sizeof(*r.seen));
	return seen > then ? (uint64_t)(seen - then) : 0;
}

/* ---- random runs and cuts ---------------------------------------------------------------------------- */

#define STREAMS \
	6u /* 0 is the default stream, the last one does not block; copies have one for each direction */

struct run {
	struct gst_scene *s;
	uint32_t random, now, busy[STREAMS];
};

static uint32_t begin_in(struct run *r, uint32_t stream, uint32_t at)
{
	bool is_blocking = stream + 1 < STREAMS;

	/* The default stream waits for all that block, and they for it. */
	at = r->busy[stream] > at ? r->busy[stream] : at;
	at = is_blocking && r->busy[0] > at ? r->busy[0] : at;
	for (uint32_t i = 0; stream == 0 && i + 1 < STREAMS; i++) {
		at = r->busy[i] > at ? r->busy[i] : at;
	}
	return at + below(&r->random, 3);
}

static uint32_t idle_at(const struct run *r, uint32_t stream)
{
	uint32_t at = stream < STREAMS ? r->busy[stream] : 0;

	for (uint32_t i = 0; stream == STREAMS && i < STREAMS; i++) {
		at = r->busy[i] > at ? r->busy[i] : at;
	}
	return at > r->now ? at : r->now;
}

static void add_call(struct run *r)
{
	uint32_t stream = below(&r->random, STREAMS), length = 1 + below(&r->random, 60);
	uint32_t thread = 1 + below(&r->random, 3), begin, until;
	bool is_sync = below(&r->random, 2) != 0;

	switch (below(&r->random, 9)) {
	case 0: /* a copy */
		stream = 3 + below(&r->random, 2);
		begin = begin_in(r, stream, r->now + 2);
		until = is_sync ? begin + length + 2 : r->now + 2;
		gst_scene_copy(r->s, thread, r->now, until, stream,
			       (struct gst_scene_copy){.is_sync = is_sync,
						       .to_device = stream == 3,
						       .is_pageable = is_sync},
			       begin, begin + length);
		r->busy[stream] = begin + length;
		break;
	case 1:
		until = idle_at(r, stream) + 1 + below(&r->random, 9);
		gst_scene_call(r->s, thread, r->now, until, "call_stream", "cuStreamSynchronize",
			       stream, NULL);
		break;
	case 2:
		until = idle_at(r, STREAMS) + 1 + below(&r->random, 9);
		gst_scene_call(r->s, thread, r->now, until, "call", "cuCtxSynchronize", 0, NULL);
		break;
	case 3:
		until = r->now + 1;
		gst_scene_call(r->s, thread, r->now, until, "call_event", "cuEventRecord", stream,
			       "event=0x5");
		break;
	case 4:
		until = r->now + 1;
		gst_scene_call(r->s, thread, r->now, until, "call_event", "cuStreamWaitEvent",
			       stream, "event=0x5");
		break;
	default:
		begin = begin_in(r, stream, r->now + 1 + below(&r->random, 4));
		until = r->now + 2;
		gst_scene_kernel(r->s, thread, r->now, until, stream, "k", 1, begin,
				 begin + length);
		r->busy[stream] = begin + length;
		break;
	}
	r->now = until + below(&r->random, 8);
}

static void begin_run(struct run *r, uint32_t seed)
{
	*r = (struct run){.s = gst_scene_new(NULL), .random = seed, .now = 10};
	for (uint32_t i = 1; i < STREAMS; i++) {
		gst_scene_stream(r->s, i, i + 1 < STREAMS);
	}
}

static bool may_shrink(const struct gst_call *c)
{
	return c->cls == GST_API_CLASS_STREAM_SYNC || c->cls == GST_API_CLASS_CTX_SYNC ||
	       c->cls == GST_API_CLASS_COPY;
}

/* One edge, call or operation in @share. */
static void cut_some(const struct gst_scene_stages *x, uint32_t share, uint32_t *random,
		     struct gst_arena *arena, struct gst_cut *c)
{
	uint32_t end = gst_order_edge_bound(x->o);
	gst_edge_id *edges = GST_ARENA_ARRAY(arena, gst_edge_id, end);
	gst_call_id *calls = GST_ARENA_ARRAY(arena, gst_call_id, x->m->call_count);
	struct gst_wait *waits = GST_ARENA_ARRAY(arena, struct gst_wait, x->m->call_count);

	*c = (struct gst_cut){.edges = edges,
			      .calls = calls,
			      .waits = waits,
			      .call_cost_ns = below(random, 3000),
			      .is_high_only = true};
	for (gst_edge_id e = gst_order_next_edge(x->o, 0); e < end;
	     e = gst_order_next_edge(x->o, e + 1)) {
		if (gst_order_edge(x->o, e).form != GST_EXIT_ENTER && below(random, share) == 0) {
			edges[c->edge_count++] = e;
		}
	}
	for (gst_call_id i = 0; i < x->m->call_count; i++) {
		if (!may_shrink(&x->m->calls[i])) {
			continue;
		}
		if (below(random, share) == 0) {
			calls[c->call_count++] = i;
		}
		/* On something submitted before. */
		if (below(random, share) == 0 && x->m->calls[i].first_op > 0) {
			waits[c->wait_count++] = (struct gst_wait){
				.call = i, .op = below(random, x->m->calls[i].first_op)};
		}
	}
}

static uint32_t same_answers(const struct gst_scene_stages *x, uint32_t share, uint32_t cut_count,
			     uint32_t *random)
{
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_cut cuts[CUTS];
	struct gst_replay together[CUTS];
	uint32_t gaining = 0;

	for (uint32_t i = 0; i < cut_count; i++) {
		cut_some(x, share, random, arena, &cuts[i]);
	}
	gst_timing_replay_all(x->t, cuts, cut_count, arena, together);
	for (uint32_t i = 0; i < cut_count; i++) {
		assert_int_equal(together[i].gain_high_ns, reference(x, &cuts[i]));
		gaining += together[i].gain_high_ns > 0;
	}
	gst_arena_free(arena);
	return gaining;
}

static void test_random_cuts(void **state)
{
	uint32_t gaining = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 100; seed++) {
		struct gst_scene_stages x;
		struct run r;

		begin_run(&r, seed);
		for (uint32_t i = 0; i < 60; i++) {
			add_call(&r);
		}
		gst_scene_analyze(r.s, &x);
		gaining += same_answers(&x, 1 + seed % 12, CUTS, &r.random);
		gst_scene_release(&x);
		gst_scene_free(r.s);
	}
	assert_true(gaining > 500);
}

/* An operation, and one that waits for it when all that is near it has long been forgotten. */
static void test_far_sources(void **state)
{
	struct gst_scene_stages x;
	struct run r;

	(void)state;
	begin_run(&r, 7);
	for (uint32_t part = 0; part < 3; part++) {
		for (uint32_t i = 0; i < 30; i++) {
			add_call(&r);
		}
		/* In one stream alone. */
		for (uint32_t i = 0; i < 18000; i++) {
			uint32_t begin = begin_in(&r, 2, r.now + 1);

			gst_scene_kernel(r.s, 1, r.now, r.now + 1, 2, "k", 1, begin, begin + 2);
			r.busy[2] = begin + 2;
			r.now += 2;
		}
	}
	for (uint32_t i = 0; i < 30; i++) {
		add_call(&r);
	}
	gst_scene_analyze(r.s, &x);
	assert_true(same_answers(&x, 20, 3, &r.random) > 0);
	gst_scene_release(&x);
	gst_scene_free(r.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_cuts),
		cmocka_unit_test(test_far_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
