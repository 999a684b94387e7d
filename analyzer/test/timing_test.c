/*
 * timing_test.c - evidence, binding, replay and verify on small runs with times worked out by hand.
 *
 * Role      : what timing.h promises, from text traces through the real stages.
 * Method    : the scenes of scenes.h, and a few of its own.
 * Invariant : no expected number comes from the output; each is worked out beside it.
 * Not here  : findings (check_test.c, check_x_test.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/load/load.h"
#include "analyzer/test/scenes.h"

#define US UINT64_C(1000)

static gst_edge_id edge_into(const struct gst_scene_stages *x, gst_node_id node, enum gst_rule rule)
{
	struct gst_edges in = gst_order_in(x->o, node);

	for (uint32_t i = 0; i < in.count; i++) {
		if (gst_edges_at(x->o, &in, i).rule == rule) {
			return gst_edges_at(x->o, &in, i).id;
		}
	}
	return GST_NONE;
}

/* ---- replay --------------------------------------------------------------------------------- */

static void same_as_observed(struct gst_scene *s)
{
	struct gst_scene_stages x;
	struct gst_cut none = {0};
	struct gst_replay r;
	uint64_t last = 0;
	struct gst_arena *scratch = gst_arena_new(0);

	gst_scene_analyze(s, &x);
	for (gst_op_id i = 0; i < x.m->op_count; i++) {
		last = x.m->ops[i].end_ns > last ? x.m->ops[i].end_ns : last;
	}
	for (gst_call_id i = 0; i < x.m->call_count; i++) {
		last = x.m->calls[i].exit_ns > last ? x.m->calls[i].exit_ns : last;
	}
	gst_timing_replay(x.t, &none, scratch, &r);
	assert_int_equal(r.baseline_ns, last);
	assert_int_equal(r.makespan_ns, last);
	assert_int_equal(r.gain_high_ns, 0);
	assert_int_equal(r.gain_low_ns, 0);
	gst_arena_free(scratch);
	gst_scene_release(&x);
	gst_scene_free(s);
}

typedef void (*scene_fn)(struct gst_scene *s, bool is_bad);

static const scene_fn scenes[] = {gst_scene_default_stream, gst_scene_pageable,
				  gst_scene_device_sync, gst_scene_sync_copy};

static void test_replay_of_everything_is_what_was_observed(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (int bad = 0; bad < 2; bad++) {
			struct gst_scene *s = gst_scene_new(NULL);
			scenes[i](s, bad);
			same_as_observed(s);
		}
	}
}

/* Random runs: streams, kernels, copies, waits; whatever order that gives, the replay must not change it. */
static void test_replay_of_random_runs_is_what_was_observed(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct gst_scene *s = gst_scene_new(NULL);
		uint32_t x = seed, now = 10, busy[4] = {0, 0, 0, 0};

		for (uint32_t i = 1; i < 4; i++) {
			gst_scene_stream(s, i, seed % 3 != 0);
		}
		for (int i = 0; i < 40; i++) {
			uint32_t stream, begin, length;

			x = x * 1664525u + 1013904223u;
			stream = (x >> 9) % 4;
			length = 1 + (x >> 12) % 300;
			begin = now + (x >> 20) % 40;
			if (begin < busy[stream]) {
				begin = busy[stream];
			}
			switch ((x >> 25) % 5) {
			case 0:
				gst_scene_copy(
					s, 1, now, begin + length + 3, stream,
					(struct gst_scene_copy){.is_pageable = (x & 256) != 0,
								.to_device = (x & 512) != 0},
					begin, begin + length);
				now = begin + length + 3;
				break;
			case 1:
				gst_scene_call(s, 1, now,
					       busy[stream] > now ? busy[stream] + 2 : now + 4,
					       "call_stream", "cuStreamSynchronize", stream, NULL);
				now = busy[stream] > now ? busy[stream] + 2 : now + 4;
				length = 0;
				begin = busy[stream];
				break;
			default:
				gst_scene_kernel(s, 1, now, now + 3, stream, "k", 1, begin,
						 begin + length);
				now += 5;
				break;
			}
			busy[stream] = begin + length;
			now += (x >> 28);
		}
		same_as_observed(s);
	}
}

static void cut_all(const struct gst_scene_stages *x, enum gst_rule rule, struct gst_arena *scratch,
		    struct gst_replay *r)
{
	gst_edge_id end = gst_order_edge_bound(x->o);
	gst_edge_id *cut = GST_ARENA_ARRAY(scratch, gst_edge_id, end);
	struct gst_cut c = {.edges = cut};

	for (gst_edge_id e = gst_order_next_edge(x->o, 0); e < end;
	     e = gst_order_next_edge(x->o, e + 1)) {
		if (gst_order_edge(x->o, e).rule == rule) {
			cut[c.edge_count++] = e;
		}
	}
	gst_timing_replay(x->t, &c, scratch, r);
}

static void test_without_the_barrier(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_scene_stages x;
	struct gst_replay r;

	(void)state;
	gst_scene_default_stream(s, true);
	gst_scene_analyze(s, &x);
	cut_all(&x, GST_RULE_S3, scratch, &r);
	assert_int_equal(r.gain_high_ns, GST_SCENE_DEFAULT_GAIN_US * US);
	/* Kernels of one block leave room for each other. */
	assert_int_equal(r.gain_low_ns, GST_SCENE_DEFAULT_GAIN_US * US);
	assert_true(r.low_is_known);
	gst_arena_free(scratch);
	gst_scene_release(&x);
	gst_scene_free(s);
}

/*
 * A (stream 1) 20..1020 and B (legacy) 1020..2020, launched at 10 and 20, waited for until 2030.
 * Without the barrier B begins at 30 and the wait is over at 1040: 990 us.
 */
static void two_kernels(uint32_t blocks_a, uint32_t blocks_b, uint32_t multiprocessors,
			struct gst_replay *r)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_scene_stages x;

	gst_scene_multiprocessors(s, multiprocessors);
	gst_scene_stream(s, 1, true);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", blocks_a, 20, 1020);
	gst_scene_kernel(s, 1, 20, 25, 0, "b", blocks_b, 1020, 2020);
	gst_scene_call(s, 1, 30, 2030, "call", "cuCtxSynchronize", 0, NULL);
	gst_scene_analyze(s, &x);
	cut_all(&x, GST_RULE_S3, scratch, r);
	gst_arena_free(scratch);
	gst_scene_release(&x);
	gst_scene_free(s);
}

/* When an operation could have begun without a rule, without one edge, without either of two. */
static void test_earliest_begin(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_scene_stages x;
	gst_edge_id cut[4];
	struct gst_cut c = {.edges = cut};
	gst_op_id b, record;
	uint64_t begin_ns, observed_ns, end_ns;
	struct gst_edges in;

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_stream(s, 2, true);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_kernel(s, 1, 20, 25, 2, "other", 1, 30, 700);
	gst_scene_call(s, 1, 26, 28, "call_event", "cuEventRecord", 2, "event=0x5");
	gst_scene_kernel(s, 1, 40, 45, 0, "b", 1, 1030, 2030);
	gst_scene_analyze(s, &x);
	b = gst_scene_op(&x, "b", 1);
	record = gst_scene_op(&x, "record", 1);
	assert_true(gst_timing_op_ns(x.t, b, &observed_ns, &end_ns));
	assert_true(gst_timing_earliest(x.t, &c, b, scratch, &begin_ns));
	assert_int_equal(begin_ns, observed_ns);
	/* Without a it waits for the event's record in stream 2, at 700, and takes the same 10 us from then on. */
	in = gst_order_in(x.o, b);
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(x.o, &in, i);

		if (e.rule == GST_RULE_S3 && e.from == gst_scene_op(&x, "a", 1)) {
			cut[c.edge_count++] = e.id;
		}
	}
	assert_int_equal(c.edge_count, 1);
	assert_true(gst_timing_earliest(x.t, &c, b, scratch, &begin_ns));
	assert_int_equal(observed_ns - begin_ns, (1030 - 710) * US);
	/* Without both its launch lets it go: 10 us after 40 is the least that a launch takes here, and 10 more. */
	c.edge_count = 0;
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(x.o, &in, i);

		if (e.rule == GST_RULE_S3) {
			cut[c.edge_count++] = e.id;
		}
	}
	assert_int_equal(c.edge_count, 2);
	assert_true(gst_timing_earliest(x.t, &c, b, scratch, &begin_ns));
	assert_int_equal(observed_ns - begin_ns, (1030 - 60) * US);
	/* What has no times has no begin. */
	assert_false(gst_timing_earliest(x.t, &c, record, scratch, &begin_ns));
	gst_arena_free(scratch);
	gst_scene_release(&x);
	gst_scene_free(s);
}

static void test_kernels_share_the_device(void **state)
{
	struct gst_replay r;

	(void)state;
	/* 132 * 32 = 4224 blocks of one warp can be resident. */
	two_kernels(1, 1, 132, &r);
	assert_int_equal(r.gain_high_ns, 990 * US);
	assert_int_equal(r.gain_low_ns, 990 * US);

	/* Either fills it: nothing is gained. */
	two_kernels(4224, 1, 132, &r);
	assert_int_equal(r.gain_high_ns, 990 * US);
	assert_int_equal(r.gain_low_ns, 0);
	two_kernels(1, 8000, 132, &r);
	assert_int_equal(r.gain_low_ns, 0);

	/*
	 * Three quarters each: together they run at 1 / 1.5. A has 990 us left at 30, ends at
	 * 30 + 1485 = 1515; B did 990 of its 1000 by then and ends at 1525; the wait at 1535.
	 */
	two_kernels(3168, 3168, 132, &r);
	assert_int_equal(r.gain_high_ns, 990 * US);
	assert_int_equal(r.gain_low_ns, (2030 - 1535) * US);

	/* A device of unknown size may be full. */
	two_kernels(1, 1, 0, &r);
	assert_int_equal(r.gain_high_ns, 990 * US);
	assert_int_equal(r.gain_low_ns, 0);
}

/*
 * Two copies of one engine: in stream order a, b; by their (broken) times b came first. The engine and the
 * stream contradict each other, the replay still gives what was observed.
 */
static void test_engines_may_contradict_the_order(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_copy in = {.to_device = true};

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_copy(s, 1, 10, 15, 1, in, 500, 600);
	gst_scene_copy(s, 1, 20, 25, 1, in, 30, 100);
	gst_scene_call(s, 1, 30, 700, "call", "cuCtxSynchronize", 0, NULL);
	same_as_observed(s);
}

/*
 * c comes after a and b by the barrier, but began 10 us before a's end by skewed clocks. Without a's edge it
 * begins with the end of b, at 900, not 10 us before that as well: 90 us are gained.
 */
static void test_skewed_clocks(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_scene_stages x;
	struct gst_replay r;
	struct gst_cut cut = {.edge_count = 1};
	gst_edge_id edge = GST_NONE;
	struct gst_edges in;

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_stream(s, 2, true);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1000);
	gst_scene_kernel(s, 1, 20, 25, 2, "b", 1, 30, 900);
	gst_scene_kernel(s, 1, 30, 35, 0, "c", 1, 990, 1990);
	gst_scene_call(s, 1, 40, 2000, "call", "cuCtxSynchronize", 0, NULL);
	gst_scene_analyze(s, &x);
	in = gst_order_in(x.o, gst_scene_op(&x, "c", 1));
	for (uint32_t i = 0; i < in.count; i++) {
		if (gst_edges_at(x.o, &in, i).from == gst_scene_op(&x, "a", 1)) {
			edge = gst_edges_at(x.o, &in, i).id;
		}
	}
	assert_int_not_equal(edge, GST_NONE);
	cut.edges = &edge;
	gst_timing_replay(x.t, &cut, scratch, &r);
	assert_int_equal(r.gain_high_ns, 90 * US);
	gst_arena_free(scratch);
	gst_scene_release(&x);
	same_as_observed(s);
}

/* b may start once a has started; both orders of begins are replayed as they were. */
static void test_programmatic_launch(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_scene_stages x;
	struct gst_verify v;
	struct gst_replay r;

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_kernel(s, 1, 5, 8, 0, "before", 1, 15, 1000);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 1000, 2000);
	gst_scene_programmatic(s);
	gst_scene_kernel(s, 1, 20, 25, 1, "b", 1, 1500, 2500);
	gst_scene_call(s, 1, 30, 2510, "call", "cuCtxSynchronize", 0, NULL);
	gst_scene_analyze(s, &x);
	gst_timing_verify(x.t, scratch, &v);
	assert_int_equal(v.contradictions, 0);
	assert_int_equal(v.begins_alone, 1);
	assert_int_equal(v.rules[GST_RULE_S2].checked, 1);
	assert_int_equal(v.rules[GST_RULE_S2].tight, 0);
	/*
	 * Without the barrier a begins 10 us after its call, at 20; b could begin at 30 for the same reason and
	 * takes the 500 us that it took after a's begin: 530..1530, waited for until 1540: 970 us.
	 */
	cut_all(&x, GST_RULE_S3, scratch, &r);
	assert_int_equal(r.gain_high_ns, 970 * US);
	assert_int_equal(r.gain_low_ns, 970 * US);
	gst_scene_release(&x);
	gst_arena_free(scratch);
	gst_scene_free(s);
}

static void test_collectives_do_not_end_earlier(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_scene_stages x;
	struct gst_replay r;

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_kernel(s, 1, 20, 25, 0, "ncclDevKernel_AllReduce", 1, 1020, 2020);
	gst_scene_call(s, 1, 30, 2030, "call", "cuCtxSynchronize", 0, NULL);
	gst_scene_analyze(s, &x);
	cut_all(&x, GST_RULE_S3, scratch, &r);
	assert_int_equal(r.gain_high_ns, 0);
	gst_arena_free(scratch);
	gst_scene_release(&x);
	gst_scene_free(s);
}

/* Edges of rule @rule that lead into an operation of @process. */
static void cut_in(const struct gst_scene_stages *x, enum gst_rule rule, uint32_t process,
		   struct gst_arena *scratch, struct gst_replay *r)
{
	gst_edge_id end = gst_order_edge_bound(x->o);
	gst_edge_id *cut = GST_ARENA_ARRAY(scratch, gst_edge_id, end);
	struct gst_cut c = {.edges = cut};

	for (gst_edge_id e = gst_order_next_edge(x->o, 0); e < end;
	     e = gst_order_next_edge(x->o, e + 1)) {
		const struct gst_edge edge = gst_order_edge(x->o, e);

		if (edge.rule == rule && gst_node_is_op(x->o, edge.to) &&
		    x->m->streams[x->m->ops[edge.to].stream].process == process) {
			cut[c.edge_count++] = e;
		}
	}
	assert_true(c.edge_count > 0);
	gst_timing_replay(x->t, &c, scratch, r);
}

/* Three processes side by side: each is replayed alone, with the answer that it has alone. */
static void test_processes_apart(void **state)
{
	static const uint32_t ends_us[] = {2020, 1520};
	struct gst_scene *apart[3];
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_scene_stages x;
	struct gst_replay r, first;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct gst_scene *s = apart[i] = gst_scene_new(NULL);

		gst_scene_multiprocessors(s, 132);
		gst_scene_stream(s, 1, true);
		gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
		if (i == 2) {
			continue; /* one with nothing to gain */
		}
		gst_scene_kernel(s, 1, 20, 25, 0, "b", 1, 1020, ends_us[i]);
		gst_scene_call(s, 1, 30, ends_us[i] + 10, "call", "cuCtxSynchronize", 0, NULL);
	}
	gst_scene_analyze_together(apart, 3, &x);
	assert_int_equal(x.m->process_count, 3);
	/* b begins at 30 and lasts as long as it did; a ends at 1020, and the wait is over at 1030 or 1040. */
	cut_in(&x, GST_RULE_S3, 0, scratch, &first);
	assert_int_equal(first.gain_high_ns, 990 * US);
	assert_int_equal(first.gain_low_ns, 990 * US);
	cut_in(&x, GST_RULE_S3, 1, scratch, &r);
	assert_int_equal(r.gain_high_ns, 500 * US);
	assert_int_equal(r.gain_low_ns, 500 * US);
	assert_int_equal(r.baseline_ns - r.makespan_ns, 500 * US);
	/* All together: what the first one gains, and nothing was looked at in the third. */
	cut_all(&x, GST_RULE_S3, scratch, &r);
	assert_int_equal(r.gain_high_ns, 990 * US);
	assert_int_equal(r.steps, 2 * first.steps);
	gst_arena_free(scratch);
	gst_scene_release(&x);
	for (uint32_t i = 0; i < 3; i++) {
		gst_scene_free(apart[i]);
	}
}

/* ---- evidence and binding ------------------------------------------------------------------- */

static void test_pageable_copies_wait_by_evidence(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_stages x;
	struct gst_scene_copy in = {.to_device = true, .is_pageable = true},
			      out = {.is_pageable = true};
	gst_op_id k;
	gst_edge_id e;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	/* What came before it in its stream was over: no evidence. */
	gst_scene_kernel(s, 1, 1, 2, 2, "j", 1, 3, 4);
	gst_scene_copy(s, 1, 6, 8, 2, in, 7, 9);
	gst_scene_kernel(s, 1, 10, 15, 1, "k", 1, 20, 1000);
	/* Returned while k ran: staged. */
	gst_scene_copy(s, 1, 20, 40, 1, in, 1000, 1010);
	gst_scene_kernel(s, 1, 50, 55, 1, "l", 1, 1010, 2000);
	/* Waited for l, and returned before its own end. */
	gst_scene_copy(s, 1, 60, 2100, 1, in, 2010, 2112);
	gst_scene_kernel(s, 1, 2105, 2110, 1, "m", 1, 2115, 3000);
	/* Waited for its own end. */
	gst_scene_copy(s, 1, 2115, 3120, 1, out, 3010, 3110);
	gst_scene_analyze(s, &x);
	e = edge_into(&x, gst_node_of_call(x.o, x.m->ops[gst_scene_op(&x, "memcpy", 1)].call),
		      GST_RULE_H5);
	assert_int_not_equal(e, GST_NONE);
	assert_int_equal(gst_timing_strength(x.t, e), GST_POSSIBLE);
	e = edge_into(&x, gst_node_of_call(x.o, x.m->ops[gst_scene_op(&x, "memcpy", 2)].call),
		      GST_RULE_H5);
	assert_int_not_equal(e, GST_NONE);
	assert_int_equal(gst_timing_strength(x.t, e), GST_DISPROVED);
	k = gst_scene_op(&x, "memcpy", 3);
	e = gst_timing_binding(x.t, gst_node_of_call(x.o, x.m->ops[k].call), NULL);
	assert_int_equal(gst_order_edge(x.o, e).rule, GST_RULE_H5);
	assert_int_equal(gst_order_edge(x.o, e).from, gst_scene_op(&x, "l", 1));
	assert_int_equal(gst_timing_strength(x.t, e), GST_OBSERVED);
	k = gst_scene_op(&x, "memcpy", 4);
	e = gst_timing_binding(x.t, gst_node_of_call(x.o, x.m->ops[k].call), NULL);
	assert_int_equal(gst_order_edge(x.o, e).rule, GST_RULE_H5);
	assert_int_equal(gst_order_edge(x.o, e).from, k);
	gst_scene_release(&x);
	gst_scene_free(s);
}

/* cudaFree from 30 to @exit beside a kernel that ends at 1000, and one in another stream until @other. */
static enum gst_strength free_beside(uint32_t exit, uint32_t other)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_stages x;
	gst_edge_id e = GST_NONE;
	enum gst_strength strength;

	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "k", 1, 20, 1000);
	gst_scene_kernel(s, 1, 20, 25, 2, "l", 1, 30, other);
	gst_scene_call(s, 1, 30, exit, "call_memory", "cuMemFree_v2", 0, "address=0x1000");
	gst_scene_analyze(s, &x);
	for (gst_call_id i = 0; i < x.m->call_count; i++) {
		if (x.m->calls[i].cls == GST_API_CLASS_FREE) {
			e = edge_into(&x, gst_node_of_call(x.o, i), GST_RULE_H7);
		}
	}
	assert_int_not_equal(e, GST_NONE);
	strength = gst_timing_strength(x.t, e);
	gst_scene_release(&x);
	gst_scene_free(s);
	return strength;
}

static void test_any_call_may_wait_by_evidence(void **state)
{
	(void)state;
	assert_int_equal(free_beside(1010, 900), GST_OBSERVED);
	/* The other kernel still ran at exit. */
	assert_int_equal(free_beside(1010, 3000), GST_DISPROVED);
	/* The exit came too long after the end to show a wait, but there may have been one before other work. */
	assert_int_equal(free_beside(1250, 900), GST_POSSIBLE);
	/* All was over at enter: no evidence. */
	assert_int_equal(free_beside(40, 29 + 2) == GST_OBSERVED, 0);
}

static void test_binding_is_the_last_release(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_stages x;
	uint64_t slack, at;
	gst_edge_id e;

	(void)state;
	gst_scene_default_stream(s, true);
	gst_scene_analyze(&*s, &x);
	/* middle 2: last 1 ended at 6020, middle 1 at 3020, first 2 at 4020. */
	e = gst_timing_binding(x.t, gst_scene_op(&x, "middle", 2), &slack);
	assert_int_equal(gst_order_edge(x.o, e).from, gst_scene_op(&x, "last", 1));
	assert_int_equal(gst_order_edge(x.o, e).rule, GST_RULE_S3);
	assert_int_equal(slack, 2000 * US);
	assert_true(gst_timing_source_ns(x.t, e, &at));
	assert_int_equal(at, x.m->ops[gst_scene_op(&x, "last", 1)].end_ns);
	/* The call waited for last 4. */
	e = gst_timing_binding(x.t, gst_node_of_call(x.o, x.m->call_count - 1), NULL);
	assert_int_equal(gst_order_edge(x.o, e).form, GST_END_EXIT);
	gst_scene_release(&x);
	gst_scene_free(s);
}

static void test_times_of_what_has_none(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_stages x;
	uint64_t begin, end;
	gst_op_id record;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_call_value(s, 1, 1, 2, "call_event", "cuEventCreate", 0, "flags=0", 0xe1);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_call(s, 1, 16, 17, "call_event", "cuEventRecord", 1, "event=0xe1");
	gst_scene_lost_kernel(s, 1, 20, 25, 1, "lost");
	gst_scene_analyze(s, &x);
	record = gst_scene_op(&x, "record", 1);
	/* An event is reached when the kernel before it ends. */
	assert_true(gst_timing_op_ns(x.t, record, &begin, &end));
	assert_int_equal(begin, x.m->ops[gst_scene_op(&x, "a", 1)].end_ns);
	assert_int_equal(end, begin);
	assert_true(gst_timing_is_exact(x.t, record));
	/* Of a kernel without a record only that it was not before. */
	assert_true(gst_timing_op_ns(x.t, gst_scene_op(&x, "lost", 1), &begin, &end));
	assert_int_equal(end, x.m->ops[gst_scene_op(&x, "a", 1)].end_ns);
	assert_false(gst_timing_is_exact(x.t, gst_scene_op(&x, "lost", 1)));
	assert_true(gst_timing_op_ns(x.t, gst_scene_op(&x, "a", 1), &begin, &end));
	assert_int_equal(end - begin, 1000 * US);
	gst_scene_release(&x);
	gst_scene_free(s);
}

/* A free beside a kernel whose end nobody knows: it may have waited, or not. */
static void test_lost_work_proves_nothing(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_stages x;
	gst_edge_id e;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "k", 1, 20, 1000);
	gst_scene_lost_kernel(s, 1, 20, 25, 1, "lost");
	gst_scene_call(s, 1, 30, 1010, "call_memory", "cuMemFree_v2", 0, "address=0x1000");
	gst_scene_analyze(s, &x);
	e = edge_into(&x, gst_node_of_call(x.o, x.m->call_count - 1), GST_RULE_H7);
	assert_int_not_equal(e, GST_NONE);
	assert_int_equal(gst_timing_strength(x.t, e), GST_POSSIBLE);
	assert_false(gst_timing_in_force(x.t, e));
	gst_scene_release(&x);
	gst_scene_free(s);
}

/* ---- verify --------------------------------------------------------------------------------- */

/* The secondary of a programmatic launch begins right behind the primary's begin, and then before it. */
static void test_verify_compares_begins(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct gst_scene *s = gst_scene_new(NULL);
		struct gst_scene_stages x;
		struct gst_arena *scratch = gst_arena_new(0);
		struct gst_verify v;

		gst_scene_stream(s, 1, true);
		gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 1000, 2000);
		gst_scene_programmatic(s);
		gst_scene_kernel(s, 1, 20, 25, 1, "b", 1, i ? 999 : 1001, 2500);
		gst_scene_analyze(s, &x);
		gst_timing_verify(x.t, scratch, &v);
		assert_int_equal(v.rules[GST_RULE_S2].tight, !i);
		assert_int_equal(v.rules[GST_RULE_S2].contradictions, i);
		assert_int_equal(v.begins_alone, 1);
		gst_scene_release(&x);
		gst_arena_free(scratch);
		gst_scene_free(s);
	}
}

static void verify(struct gst_scene *s, struct gst_verify *v)
{
	struct gst_scene_stages x;
	struct gst_arena *arena = gst_arena_new(0);

	gst_scene_analyze(s, &x);
	gst_timing_verify(x.t, arena, v);
	gst_scene_release(&x);
	gst_arena_free(arena);
	gst_scene_free(s);
	v->examples = NULL;
	v->windows = NULL;
}

static void test_verify_agrees(void **state)
{
	struct gst_verify v;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (int bad = 0; bad < 2; bad++) {
			struct gst_scene *s = gst_scene_new(NULL);
			scenes[i](s, bad);
			verify(s, &v);
			assert_int_equal(v.contradictions, 0);
			assert_true(v.rules[GST_RULE_S1].checked > 0);
			assert_true(v.rules[GST_RULE_U1].checked > 0);
			assert_true(v.rules[GST_RULE_T1].checked > 0);
		}
	}
}

/*
 * The record of a copy from host to host begins with its call, before the wait for its stream: its begin proves
 * nothing, its end does. It is taken to have begun when the kernel before it ended.
 */
static void test_host_copy_begins_early(void **state)
{
	static const struct gst_scene_copy copy = {.is_sync = true, .is_host_only = true};
	static const uint32_t ends[] = {1040, 900};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct gst_scene *s = gst_scene_new(NULL);
		struct gst_scene_stages x;
		struct gst_verify v;
		uint64_t begin_ns, end_ns;

		gst_scene_kernel(s, 1, 10, 15, 0, "a", 1, 20, 1020);
		gst_scene_copy(s, 1, 20, 1050, 0, copy, 25, ends[i]);
		gst_scene_analyze(s, &x);
		assert_int_equal(x.m->stats.early_begins, 1);
		assert_true(
			gst_timing_op_ns(x.t, gst_scene_op(&x, "memcpy", 1), &begin_ns, &end_ns));
		assert_int_equal(end_ns - begin_ns, i == 0 ? 20 * US : 0);
		gst_scene_release(&x);
		verify(s, &v);
		assert_int_equal(v.rules[GST_RULE_S1].contradictions, i);
	}
}

/* The same in a replay: what was observed comes out again. */
static void test_host_copy_in_a_replay(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_copy(s, 1, 20, 1050, 0,
		       (struct gst_scene_copy){.is_sync = true, .is_host_only = true}, 25, 1040);
	gst_scene_kernel(s, 1, 1060, 1065, 1, "b", 1, 1070, 2000);
	gst_scene_call(s, 1, 1070, 2010, "call", "cuCtxSynchronize", 0, NULL);
	same_as_observed(s);
}

/* Non-blocking streams taken for blocking ones: the overlap contradicts S3. */
static void test_verify_sees_a_wrong_stream_kind(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_verify v;

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_kernel(s, 1, 20, 25, 0, "b", 1, 30, 1030);
	verify(s, &v);
	assert_int_equal(v.contradictions, 1);
	assert_int_equal(v.rules[GST_RULE_S3].contradictions, 1);
}

static void two_streams_by_event(uint32_t begin, struct gst_verify *v)
{
	struct gst_scene *s = gst_scene_new(NULL);

	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_call_value(s, 1, 1, 2, "call_event", "cuEventCreate", 0, "flags=0", 0xe1);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_call(s, 1, 16, 17, "call_event", "cuEventRecord", 1, "event=0xe1");
	gst_scene_call(s, 1, 18, 19, "call_event", "cuStreamWaitEvent", 2, "event=0xe1");
	gst_scene_kernel(s, 1, 20, 25, 2, "b", 1, begin, begin + 100);
	verify(s, v);
}

/* Events have no times of their own: the chain kernel, record, wait, kernel is checked as a whole. */
static void test_verify_sees_through_events(void **state)
{
	struct gst_verify v;

	(void)state;
	two_streams_by_event(1021, &v);
	assert_int_equal(v.contradictions, 0);
	assert_true(v.rules[GST_RULE_E1].checked == 1 && v.rules[GST_RULE_E1].tight == 1);
	two_streams_by_event(1500, &v);
	assert_true(v.rules[GST_RULE_E1].checked == 1 && v.rules[GST_RULE_E1].tight == 0);
	two_streams_by_event(700, &v);
	assert_int_equal(v.rules[GST_RULE_E1].contradictions, 1);
}

/* Synchronize returned 50 us before the end by the device's clock, and work began 10 us before its launch. */
static void test_verify_intersects_clock_offsets(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_verify v;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 100, 1000);
	gst_scene_call(s, 1, 20, 950, "call_stream", "cuStreamSynchronize", 1, NULL);
	verify(s, &v);
	/* One device clock that is 50 to 90 us ahead explains both. */
	assert_int_equal(v.contradictions, 0);
	assert_int_equal(v.window_count, 1);

	s = gst_scene_new(NULL);
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1000);
	gst_scene_call(s, 1, 20, 950, "call_stream", "cuStreamSynchronize", 1, NULL);
	verify(s, &v);
	/* At least 50 and at most 10 us ahead: no clock does that. */
	assert_int_equal(v.contradictions, 1);
}

/*
 * The wall clock goes back by 50 ms between two anchors, between the kernels: which times it moved is not
 * known, so one of these is put 25 ms too late.
 */
static void test_verify_knows_of_clock_steps(void **state)
{
	struct gst_verify v;

	(void)state;
	for (int has_step = 0; has_step < 2; has_step++) {
		struct gst_scene *s = gst_scene_new(NULL);

		gst_scene_stream(s, 1, false);
		gst_scene_kernel(s, 1, 1900000, 1900005, 1, "a", 1, 1910000, 1920000);
		gst_scene_kernel(s, 1, 1940000, 1940005, 1, "b", 1, has_step ? 1895000 : 1945000,
				 has_step ? 1897000 : 1947000);
		gst_scene_call(s, 1, 2500000, 2500005, "call", "cuCtxSynchronize", 0, NULL);
		if (has_step) {
			gst_scene_anchor(s, 2000000, 1950000);
		}
		verify(s, &v);
		assert_int_equal(v.contradictions, 0);
		assert_int_equal(v.not_checkable_clock, has_step);
		assert_int_equal(v.rules[GST_RULE_S1].checked, !has_step);
	}
}

/* b on device 1 waits by an event for a, which ends on device 0 at 50000 ns. */
static void verify_devices(const char *b_times, const char *syncs, struct gst_verify *v)
{
	static const char head[] =
		"gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1\n"
		"device device=0 name=\"0\"\ndevice device=1 name=\"1\"\n"
		"context ctx=1 device=0 null_stream=7\ncontext ctx=2 device=1 null_stream=7\n"
		"stream ctx=1 stream=13 type=nonblocking handle=0x100\n"
		"stream ctx=2 stream=13 type=nonblocking handle=0x200\n"
		"thread thread=1 name=\"1\" tid=1\nthread thread=2 name=\"2\" tid=2\n"
		"chunk events process=1 thread=1\n"
		"call_launch corr=1 enter_ns=10000 api=cuLaunchKernel ctx=1 stream=0x100\n"
		"call_exit corr=1 exit_ns=10100\n"
		"call_event corr=2 enter_ns=10200 api=cuEventRecord ctx=1 stream=0x100 event=0x900\n"
		"call_exit corr=2 exit_ns=10300\n"
		"call_event corr=3 enter_ns=10400 api=cuStreamWaitEvent ctx=2 stream=0x200 event=0x900\n"
		"call_exit corr=3 exit_ns=10500\n"
		"call_launch corr=4 enter_ns=10600 api=cuLaunchKernel ctx=2 stream=0x200\n"
		"call_exit corr=4 exit_ns=10700\n";
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_loader *loader;
	const struct gst_model *m;
	const struct gst_order *o;
	const struct gst_timing *t;
	struct gst_err err = {0};
	char text[4000];
	int n = snprintf(text, sizeof(text),
			 "%s%schunk events process=1\n"
			 "kernel corr=1 start_ns=14000 end_ns=50000 ctx=1 stream=13\n"
			 "kernel corr=4 %s ctx=2 stream=13\nend time_ns=200000\n",
			 head, syncs, b_times);

	assert_true(n > 0 && (size_t)n < sizeof(text));
	assert_false(gst_loader_open_memory(text, (size_t)n, "text", &options, &loader, &err));
	assert_false(gst_model_build(&loader, 1, arena, &m, &err));
	assert_false(gst_order_build(m, arena, &o, &err));
	assert_false(gst_timing_build(m, o, arena, &t, &err));
	gst_timing_verify(t, arena, v);
	gst_loader_close(loader);
	gst_model_free(m);
	gst_arena_free(arena);
}

/* The clock of device 0 is ahead of the host's by 4000 ns at most, that of device 1 behind it by what the sync leaves. */
static void test_verify_compares_devices(void **state)
{
	static const char both[] =
		"call_stream corr=5 enter_ns=10800 api=cuStreamSynchronize ctx=2 stream=0x200\n"
		"call_exit corr=5 exit_ns=%d\n";
	char syncs[300];
	struct gst_verify v;

	(void)state;
	(void)snprintf(syncs, sizeof(syncs), both, 65000);
	verify_devices("start_ns=52000 end_ns=60000", syncs, &v);
	assert_int_equal(v.contradictions, 0);
	assert_int_equal(v.rules[GST_RULE_E1].checked, 1);
	assert_int_equal(v.rules[GST_RULE_E1].tight, 1);
	/* By 8000 ns the clocks can differ, and not by more. */
	(void)snprintf(syncs, sizeof(syncs), both, 64000);
	verify_devices("start_ns=42000 end_ns=60000", syncs, &v);
	assert_int_equal(v.contradictions, 0);
	assert_int_equal(v.rules[GST_RULE_E1].tight, 1);
	verify_devices("start_ns=41999 end_ns=60000", syncs, &v);
	/* The record and the wait have no times of their own: the edges to and from them say the same. */
	assert_int_equal(v.contradictions, 3);
	assert_int_equal(v.rules[GST_RULE_E1].contradictions, 1);
	/* Known too badly to be a test. */
	(void)snprintf(syncs, sizeof(syncs), both, 90000);
	verify_devices("start_ns=52000 end_ns=60000", syncs, &v);
	assert_int_equal(v.rules[GST_RULE_E1].checked, 1);
	assert_int_equal(v.rules[GST_RULE_E1].tight, 0);
	/* Nothing says how far the second one is behind. */
	verify_devices("start_ns=30000 end_ns=60000", "", &v);
	assert_int_equal(v.contradictions, 0);
	assert_int_equal(v.rules[GST_RULE_E1].checked, 0);
	assert_int_equal(v.not_checkable_device, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verify_compares_devices),
		cmocka_unit_test(test_verify_compares_begins),
		cmocka_unit_test(test_replay_of_everything_is_what_was_observed),
		cmocka_unit_test(test_verify_knows_of_clock_steps),
		cmocka_unit_test(test_replay_of_random_runs_is_what_was_observed),
		cmocka_unit_test(test_without_the_barrier),
		cmocka_unit_test(test_earliest_begin),
		cmocka_unit_test(test_kernels_share_the_device),
		cmocka_unit_test(test_engines_may_contradict_the_order),
		cmocka_unit_test(test_programmatic_launch),
		cmocka_unit_test(test_skewed_clocks),
		cmocka_unit_test(test_collectives_do_not_end_earlier),
		cmocka_unit_test(test_processes_apart),
		cmocka_unit_test(test_pageable_copies_wait_by_evidence),
		cmocka_unit_test(test_any_call_may_wait_by_evidence),
		cmocka_unit_test(test_binding_is_the_last_release),
		cmocka_unit_test(test_times_of_what_has_none),
		cmocka_unit_test(test_lost_work_proves_nothing),
		cmocka_unit_test(test_verify_agrees),
		cmocka_unit_test(test_host_copy_begins_early),
		cmocka_unit_test(test_host_copy_in_a_replay),
		cmocka_unit_test(test_verify_sees_a_wrong_stream_kind),
		cmocka_unit_test(test_verify_sees_through_events),
		cmocka_unit_test(test_verify_intersects_clock_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
