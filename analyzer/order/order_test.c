/* order_test.c - what the graph answers, and how it grows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/base/outfile.h"
#include "analyzer/order/order.h"

struct scene {
	struct gst_outfile *text;
	struct gst_arena *arena;
	struct gst_loader *loader;
	const struct gst_model *m;
	const struct gst_order *o;
	uint32_t corr;
	uint64_t now;
};

static void begin(struct scene *s, const char *defs)
{
	*s = (struct scene){.text = gst_outfile_open_memory(), .now = 1000};
	gst_outfile_printf(
		s->text,
		"gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1\n"
		"context ctx=1 device=0 null_stream=7\n%schunk events process=1 thread=1\n",
		defs);
}

static void launch(struct scene *s, const char *fields)
{
	gst_outfile_printf(s->text,
			   "call_launch corr=%u enter_ns=%llu api=cuLaunchKernelEx ctx=1 %s\n"
			   "call_exit corr=%u exit_ns=%llu\n",
			   s->corr + 1, (unsigned long long)s->now, fields, s->corr + 1,
			   (unsigned long long)s->now + 1);
	s->corr++;
	s->now += 2;
}

static void synchronize(struct scene *s, const char *fields)
{
	gst_outfile_printf(s->text,
			   "call_stream corr=%u enter_ns=%llu api=cuStreamSynchronize ctx=1 %s\n"
			   "call_exit corr=%u exit_ns=%llu\n",
			   s->corr + 1, (unsigned long long)s->now, fields, s->corr + 1,
			   (unsigned long long)s->now + 1);
	s->corr++;
	s->now += 2;
}

static void build(struct scene *s)
{
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_err err = {0};
	const char *text;
	size_t length;

	gst_outfile_printf(s->text, "chunk defs process=1\nend time_ns=%llu\n",
			   (unsigned long long)s->now + 1000);
	text = gst_outfile_memory(s->text, &length);
	s->arena = gst_arena_new(0);
	if (gst_loader_open_memory(text, length, "text", &options, &s->loader, &err) ||
	    gst_model_build(&s->loader, 1, s->arena, &s->m, &err) ||
	    gst_order_build(s->m, s->arena, &s->o, &err))
		fail_msg("%s", err.text);
	assert_null(gst_model_validate(s->m));
}

static void drop(struct scene *s)
{
	gst_loader_close(s->loader);
	gst_model_free(s->m);
	gst_arena_free(s->arena);
	gst_outfile_abort(s->text);
}

static uint64_t rule_count(const struct scene *s, enum gst_rule rule)
{
	return gst_order_stats(s->o)->per_rule[rule];
}

/* Every programmatic launch is waited for once, however many waits follow. */
static void test_long_programmatic_chain(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, "stream ctx=1 stream=13 type=nonblocking handle=0x100\n");
	launch(&s, "stream=0x100");
	for (int i = 0; i < 3000; i++) {
		launch(&s, "stream=0x100 flags=programmatic-serialization");
		if (i % 3 == 0)
			synchronize(&s, "stream=0x100");
	}
	launch(&s, "stream=0x100");
	build(&s);
	assert_int_equal(s.m->op_count, 3002);
	/* Linear: a launch has an S2 edge to the one before it, and one or two into barrier points. */
	assert_true(gst_order_edge_count(s.o) < 12 * s.m->op_count);
	assert_int_equal(gst_order_before(s.o, 0, 3001, NULL), GST_YES);
	assert_int_equal(gst_order_before(s.o, 1500, 3001, NULL), GST_YES);
	assert_int_equal(gst_order_before(s.o, 3000, 3001, NULL), GST_YES);
	drop(&s);
}

/* A thousand streams and a legacy op every ten ops: each op joins S3 once on each side. */
static void test_barriers_are_linear(void **state)
{
	struct scene s;
	char fields[64];

	(void)state;
	begin(&s, "");
	/* The streams are made by calls that are not in the trace: defined before the events. */
	gst_outfile_printf(s.text, "chunk defs process=1\n");
	for (int i = 0; i < 1000; i++)
		gst_outfile_printf(s.text, "stream ctx=1 stream=%d type=blocking handle=0x%x\n",
				   13 + i, 0x1000 + i);
	gst_outfile_printf(s.text, "chunk events process=1 thread=1\n");
	for (int i = 0; i < 5000; i++) {
		snprintf(fields, sizeof(fields), "stream=0x%x", 0x1000 + i % 1000);
		launch(&s, i % 10 == 9 ? "" : fields);
	}
	build(&s);
	assert_true(rule_count(&s, GST_RULE_S3) <= 2ull * s.m->op_count);
	assert_true(gst_order_edge_count(s.o) < 6 * s.m->op_count);
	assert_int_equal(gst_order_before(s.o, 0, 4998, NULL), GST_YES);
	drop(&s);
}

/* 300 threads inside of a call to one stream at the same time: bounded, and said. */
static void test_many_overlapping_calls(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, "stream ctx=1 stream=13 type=nonblocking handle=0x100\n");
	launch(&s, "stream=0x100");
	for (int i = 0; i < 300; i++)
		gst_outfile_printf(s.text,
				   "chunk events process=1 thread=%d\n"
				   "call_launch corr=%d enter_ns=%d api=cuLaunchKernel ctx=1 "
				   "stream=0x100\ncall_exit corr=%d exit_ns=9000\n",
				   i + 2, 1000 + i, 2000 + i, 1000 + i);
	s.now = 10000;
	build(&s);
	assert_true(gst_order_stats(s.o)->cut_fronts > 0);
	assert_true(gst_order_stats(s.o)->ambiguous_pairs > 0);
	assert_int_equal(gst_order_before(s.o, 0, 1, NULL), GST_YES);
	assert_int_equal(gst_order_before(s.o, 5, 6, NULL), GST_DONT_KNOW);
	drop(&s);
}

static void test_queries(void **state)
{
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_path_query q = {0};
	const gst_edge_id *edges;
	const gst_node_id legacy = 1;
	uint8_t dropped[8] = {0};
	struct scene s;

	(void)state;
	begin(&s, "stream ctx=1 stream=13 type=blocking handle=0x100\n"
		  "stream ctx=1 stream=14 type=blocking handle=0x200\n");
	launch(&s, "stream=0x100");
	launch(&s, "");
	launch(&s, "stream=0x200");
	synchronize(&s, "stream=0x200");
	launch(&s, "stream=0x100");
	build(&s);
	assert_int_equal(gst_order_before(s.o, 0, 2, NULL), GST_YES);
	assert_int_equal(gst_order_before(s.o, 2, 0, NULL), GST_NO);
	assert_int_equal(gst_order_why(s.o, 0, 2, NULL, scratch, &edges), 2);
	assert_int_equal(gst_order_edge(s.o, edges[0]).rule, GST_RULE_S3);
	assert_int_equal(gst_order_edge(s.o, edges[1]).to, 2);
	/* Without the rule, or without the op in the middle, nothing is left. */
	q.without_rules = UINT64_C(1) << GST_RULE_S3;
	assert_int_equal(gst_order_before(s.o, 0, 2, &q), GST_NO);
	assert_int_equal(gst_order_why(s.o, 0, 2, &q, scratch, &edges), 0);
	q = (struct gst_path_query){.without_nodes = &legacy, .without_node_count = 1};
	assert_int_equal(gst_order_before(s.o, 0, 2, &q), GST_NO);
	/* Without the edge itself as well: the way round by the legacy op is all there is. */
	assert_true(edges[0] < 8 * sizeof(dropped));
	dropped[edges[0] / 8] = (uint8_t)(1u << (edges[0] % 8));
	q = (struct gst_path_query){.without_edges = dropped};
	assert_int_equal(gst_order_before(s.o, 0, 2, &q), GST_NO);
	assert_int_equal(gst_order_why(s.o, 0, 2, &q, scratch, &edges), 0);
	assert_int_equal(gst_order_before(s.o, 1, 2, &q), GST_YES);
	/* 2 before 3: by the host alone. */
	q = (struct gst_path_query){0};
	assert_int_equal(gst_order_before(s.o, 2, 3, &q), GST_YES);
	q.device_only = true;
	assert_int_equal(gst_order_before(s.o, 2, 3, &q), GST_NO);
	/* A search that may not look far does not know. */
	q = (struct gst_path_query){.max_nodes = 1};
	assert_int_equal(gst_order_before(s.o, 0, 3, &q), GST_YES);
	assert_int_equal(gst_order_before(s.o, 0, 2, &q), GST_DONT_KNOW);
	assert_int_equal(gst_order_before(s.o, gst_node_of_call(s.o, 3), 3, NULL), GST_YES);
	assert_int_equal(gst_order_before(s.o, 3, gst_node_of_call(s.o, 4), NULL), GST_NO);
	gst_arena_free(scratch);
	drop(&s);
}

/* ---- the path with the fewest edges, against a plain search ---- */

#define FAR UINT32_MAX

/* Edges from the end of @a to each point, by a queue; documented ones alone, or all. 0 at the end of @a. */
static void plain_distances(const struct gst_order *o, gst_node_id a, bool documented,
			    uint32_t *distance)
{
	uint32_t points = 2 * gst_order_node_count(o);
	bool is_changed = true;

	for (uint32_t p = 0; p < points; p++)
		distance[p] = FAR;
	distance[gst_point_end(a)] = 0;
	/* Until nothing gets nearer: slow, and nothing to get wrong. */
	while (is_changed) {
		is_changed = false;
		for (gst_edge_id e = gst_order_next_edge(o, 0); e < gst_order_edge_bound(o);
		     e = gst_order_next_edge(o, e + 1)) {
			const struct gst_edge x = gst_order_edge(o, e);
			uint32_t from = distance[gst_edge_from_point(&x)];
			uint32_t *to = &distance[gst_edge_to_point(&x)];

			if (from != FAR && from + 1 < *to &&
			    (!documented || x.strength == GST_DOCUMENTED)) {
				*to = from + 1;
				is_changed = true;
			}
		}
		for (uint32_t p = 0; p < points; p += 2) {
			if (distance[p] < distance[p + 1]) {
				distance[p + 1] = distance[p];
				is_changed = true;
			}
		}
	}
}

static void check_why(const struct gst_order *o, gst_node_id a, gst_node_id b, uint32_t shortest,
		      bool documented, struct gst_arena *scratch)
{
	const gst_edge_id *edges = NULL;
	uint32_t count = gst_order_why(o, a, b, NULL, scratch, &edges);
	gst_point_id at = gst_point_end(a);

	assert_int_equal(count, shortest == FAR ? 0 : shortest);
	assert_int_equal(gst_order_before(o, a, b, NULL) == GST_YES, count > 0);
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_edge e = gst_order_edge(o, edges[i]);

		/* From where the last one came to, or from the end of that node. */
		assert_true(gst_edge_from_point(&e) == at ||
			    (at == gst_point_begin(gst_node_of_point(at)) &&
			     gst_edge_from_point(&e) == at + 1));
		assert_true(!documented || e.strength == GST_DOCUMENTED);
		at = gst_edge_to_point(&e);
	}
	if (count)
		assert_int_equal(at, gst_point_begin(b));
}

/* Streams of both kinds, events, waits of the host, calls that may block: all pairs of ops. */
static void test_why_is_shortest(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct gst_arena *scratch = gst_arena_new(0);
		uint32_t x = seed, *all, *sure;
		struct scene s;
		size_t points;

		begin(&s, "stream ctx=1 stream=13 type=blocking handle=0x100\n"
			  "stream ctx=1 stream=14 type=blocking handle=0x200\n"
			  "stream ctx=1 stream=15 type=nonblocking handle=0x300\n");
		for (int i = 0; i < 18; i++) {
			char fields[64];
			uint32_t stream;

			x = x * 1664525u + 1013904223u;
			stream = (x >> 10) % 4 * 0x100;
			snprintf(fields, sizeof(fields), "stream=0x%x event=0x%x", stream,
				 0x900 + (x >> 20) % 2);
			switch ((x >> 25) % 8) {
			case 0:
				snprintf(fields, sizeof(fields), "stream=0x%x", stream);
				synchronize(&s, fields);
				break;
			case 1:
			case 2:
			case 3:
				gst_outfile_printf(
					s.text,
					"call_event corr=%u enter_ns=%llu api=%s ctx=1 %s\n"
					"call_exit corr=%u exit_ns=%llu\n",
					s.corr + 1, (unsigned long long)s.now,
					(x >> 25) % 8 == 1 ? "cuEventRecord" : "cuStreamWaitEvent",
					fields, s.corr + 1, (unsigned long long)s.now + 1);
				s.corr++;
				s.now += 2;
				break;
			case 4:
				gst_outfile_printf(s.text,
						   "call_memory corr=%u enter_ns=%llu "
						   "api=cuMemFree_v2 ctx=1 address=0x7000\n"
						   "call_exit corr=%u exit_ns=%llu\n",
						   s.corr + 1, (unsigned long long)s.now,
						   s.corr + 1, (unsigned long long)s.now + 1);
				s.corr++;
				s.now += 2;
				break;
			default:
				snprintf(fields, sizeof(fields), "stream=0x%x", stream);
				launch(&s, fields);
				break;
			}
		}
		build(&s);
		points = (size_t)2 * gst_order_node_count(s.o);
		all = gst_mem_alloc(points * sizeof(*all));
		sure = gst_mem_alloc(points * sizeof(*sure));
		for (gst_op_id a = 0; a < s.m->op_count; a++) {
			plain_distances(s.o, a, false, all);
			plain_distances(s.o, a, true, sure);
			for (gst_op_id b = 0; b < s.m->op_count; b++) {
				gst_point_id to = gst_point_begin(b);

				if (a != b)
					check_why(s.o, a, b, sure[to] != FAR ? sure[to] : all[to],
						  sure[to] != FAR, scratch);
			}
		}
		gst_mem_free(all, points * sizeof(*all));
		gst_mem_free(sure, points * sizeof(*sure));
		gst_arena_free(scratch);
		drop(&s);
	}
}

/* Where calls between two ops were lost, no path is no answer. */
static void test_loss_is_no_answer(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, "stream ctx=1 stream=13 type=nonblocking handle=0x100\n"
		  "stream ctx=1 stream=14 type=nonblocking handle=0x200\n"
		  "loss kind=call_event reason=no-chunk count=1 since_ns=1003 until_ns=1003\n");
	launch(&s, "stream=0x100");
	launch(&s, "stream=0x200");
	launch(&s, "stream=0x100");
	launch(&s, "stream=0x200");
	launch(&s, "stream=0x100");
	build(&s);
	assert_int_equal(gst_order_before(s.o, 0, 3, NULL), GST_DONT_KNOW);
	assert_int_equal(gst_order_before(s.o, 0, 2, NULL), GST_YES);
	assert_int_equal(gst_order_before(s.o, 3, 4, NULL), GST_NO);
	drop(&s);
}

/* Points come after all that must precede them. */
static void test_topological(void **state)
{
	const gst_point_id *points;
	uint32_t *at;
	uint32_t count;
	struct gst_order_outs all_outs;
	struct gst_arena *scratch = gst_arena_new(0);
	struct scene s;

	(void)state;
	begin(&s, "");
	for (int i = 0; i < 20; i++) {
		launch(&s, "");
		synchronize(&s, "");
	}
	build(&s);
	all_outs = gst_order_group_out(s.o, scratch);
	points = gst_order_topological(s.o, scratch, &count);
	assert_int_equal(count, 2 * gst_order_node_count(s.o));
	at = calloc(count, sizeof(*at));
	assert_non_null(at);
	for (uint32_t i = 0; i < count; i++)
		at[points[i]] = i;
	for (gst_edge_id e = gst_order_next_edge(s.o, 0); e < gst_order_edge_bound(s.o);
	     e = gst_order_next_edge(s.o, e + 1)) {
		const struct gst_edge edge = gst_order_edge(s.o, e);

		assert_true(at[gst_edge_from_point(&edge)] < at[gst_edge_to_point(&edge)]);
	}
	for (gst_node_id n = 0; n < gst_order_node_count(s.o); n++) {
		uint32_t outs;
		struct gst_edges in = gst_order_in(s.o, n);
		const gst_edge_id *out = gst_order_out(&all_outs, n, &outs);

		assert_true(at[gst_point_begin(n)] < at[gst_point_end(n)]);
		for (uint32_t i = 0; i < in.count; i++)
			assert_int_equal(gst_edges_at(s.o, &in, i).to, n);
		for (uint32_t i = 0; i < outs; i++)
			assert_int_equal(gst_order_edge(s.o, out[i]).from, n);
	}
	free(at);
	gst_arena_free(scratch);
	drop(&s);
}

/* Two unknown streams are not one stream: what S1 would imply is not implied then. */
static void test_unknown_streams_imply_nothing(void **state)
{
	static const char *const calls[] = {
		"call_graph corr=1 enter_ns=10 api=cuGraphLaunch exec=0xa00\ncall_exit corr=1 exit_ns=11\n",
		"call_graph corr=2 enter_ns=20 api=cuGraphLaunch exec=0xa00\ncall_exit corr=2 exit_ns=21\n",
		"call_memory corr=3 enter_ns=30 api=cuMemFreeAsync address=0x5000\ncall_exit corr=3 exit_ns=31\n",
		"call_memory corr=4 enter_ns=40 api=cuMemAllocAsync size=8\ncall_exit corr=4 exit_ns=41 value=0x5000\n",
	};
	struct scene s;

	(void)state;
	begin(&s, "context ctx=2 device=0 null_stream=8\n");
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		gst_outfile_printf(s.text, "%s", calls[i]);
	build(&s);
	assert_int_equal(s.m->op_count, 4);
	for (gst_op_id i = 0; i < 4; i++)
		assert_int_equal(s.m->ops[i].stream, GST_NONE);
	assert_int_equal(gst_order_stats(s.o)->per_rule[GST_RULE_G3], 1);
	assert_int_equal(gst_order_stats(s.o)->per_rule[GST_RULE_M1], 1);
	drop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_streams_imply_nothing),
		cmocka_unit_test(test_long_programmatic_chain),
		cmocka_unit_test(test_barriers_are_linear),
		cmocka_unit_test(test_many_overlapping_calls),
		cmocka_unit_test(test_queries),
		cmocka_unit_test(test_why_is_shortest),
		cmocka_unit_test(test_loss_is_no_answer),
		cmocka_unit_test(test_topological),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
