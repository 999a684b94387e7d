/*
 * check_graph_test.c - graph-reinstantiated: when it fires, when not, and its cost.
 *
 * Role      : what docs/HOWTO_ADD_CHECK.md asks of a check: a run that shows it, each "not when", its cost.
 * Method    : rounds of one small graph each, which differ in one thing from those that show it.
 * Invariant : no expected number comes from the output; each is worked out beside its scene.
 * Not here  : recorded traces (their EXPECT lines).
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/test/found.h"

#define ROUNDS 4u
/* A round: begins to capture, instantiates 50..550, launches 560..570, runs 580..880, waits 575..890. */
#define ROUND_US 1000u
#define MAKE_US	 500u

/* In what the rounds differ from those of four equal graphs. */
enum way {
	EQUAL,
	MEASURED,      /* an update of another executable graph takes 100 us */
	ONCE,	       /* two rounds only */
	OTHER_EDGES,   /* the third node follows the first or the second, in turn */
	OTHER_KINDS,   /* the second node is a memset in every other round */
	ALLOCATES,     /* one node allocates */
	REFUSED,       /* an update is tried before, and refused */
	USED_ON,       /* each is launched once more at the end; without device records */
	SIDE_BY_SIDE,  /* nothing waits, two streams in turn, each launch runs on during the next */
	SAME_GRAPH,    /* one graph, of which the trace does not say what is in it */
	CHANGED_GRAPH, /* the same, and an edge is added before the last round */
	WITHOUT_DEVICE, /* recorded without device records */
};

static void define(struct gst_scene *s, const char *fmt, ...) GST_PRINTF(2, 3);

static void define(struct gst_scene *s, const char *fmt, ...)
{
	char line[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	gst_scene_define(s, line);
}

static uint32_t graph_of(enum way way, uint32_t round)
{
	return way == SAME_GRAPH || way == CHANGED_GRAPH ? 1 : 1 + 2 * round;
}

static uint64_t node(uint32_t graph, uint32_t index)
{
	return (uint64_t)graph << 32 | index;
}

/* What a call to a capturing stream puts into @graph: the node, and its edge from @after (index + 1; 0 = none). */
static void define_node(struct gst_scene *s, uint32_t graph, uint32_t index, uint32_t after,
			uint32_t corr)
{
	define(s, "graph_node node=0x%" PRIx64 " graph=%u type=kernel corr=%u", node(graph, index),
	       graph, corr);
	if (after) {
		define(s, "graph_edge from=0x%" PRIx64 " to=0x%" PRIx64 " graph=%u corr=%u",
		       node(graph, after - 1), node(graph, index), graph, corr);
	}
}

/* The clone that an instantiate call makes of @graph. */
static void define_clone(struct gst_scene *s, uint32_t graph, uint32_t exec, const uint32_t *after,
			 uint32_t corr)
{
	uint32_t clone = graph + 1;

	define(s, "graph graph=%u handle=0x%x corr=%u", clone, exec, corr);
	for (uint32_t i = 0; i < 3; i++) {
		define(s,
		       "graph_node node=0x%" PRIx64 " original=0x%" PRIx64
		       " graph=%u type=kernel corr=%u",
		       node(clone, i), node(graph, i), clone, corr);
		if (after[i]) {
			define(s, "graph_edge from=0x%" PRIx64 " to=0x%" PRIx64 " graph=%u corr=%u",
			       node(clone, after[i] - 1), node(clone, i), clone, corr);
		}
	}
	define(s, "graph_exec exec=0x%x graph=%u id=%u corr=%u", exec, graph, clone, corr);
}

/* Seven calls; @corr is that of the last one before. */
static uint32_t capture(struct gst_scene *s, enum way way, uint32_t round, uint32_t corr)
{
	uint32_t graph = graph_of(way, round), at = round * ROUND_US;
	uint32_t after[3] = {0, 1, way == OTHER_EDGES ? 1 + round % 2 : 2};
	bool is_memset = way == OTHER_KINDS && round % 2;
	char exec[32], fields[64];

	snprintf(exec, sizeof(exec), "graph=0x%x", 0xb00 + graph);
	gst_scene_call(s, 1, at, at + 5, "call_graph", "cuStreamBeginCapture_v2", 1, "mode=0");
	gst_scene_call(s, 1, at + 6, at + 7, "call_launch", "cuLaunchKernel", 1, "name=\"a\"");
	gst_scene_call(s, 1, at + 8, at + 9, is_memset ? "call_memset" : "call_launch",
		       is_memset ? "cuMemsetD8Async" : "cuLaunchKernel", 1,
		       is_memset ? "dst=0x1000 size=64" : "name=\"b\"");
	if (way == ALLOCATES) {
		gst_scene_call_value(s, 1, at + 10, at + 11, "call_memory", "cuMemAllocAsync", 1,
				     "size=64", 0x7000);
	} else {
		gst_scene_call(s, 1, at + 10, at + 11, "call_launch", "cuLaunchKernel", 1,
			       "name=\"c\"");
	}
	gst_scene_call_value(s, 1, at + 12, at + 14, "call_graph", "cuStreamEndCapture", 1, NULL,
			     0xb00 + graph);
	if (way == REFUSED && round) {
		snprintf(fields, sizeof(fields), "exec=0x%x graph=0x%x", 0xa00 + round - 1,
			 0xb00 + graph);
	} else {
		snprintf(fields, sizeof(fields), "exec=0xfff graph=0x%x", 0xb00 + graph);
	}
	gst_scene_call(s, 1, at + 15, at + (way == MEASURED ? 40 : 20), "call_graph",
		       way == MEASURED || way == REFUSED ? "cuGraphExecUpdate_v2" : "cuGraphUpload",
		       1, fields);
	if (way == REFUSED) {
		gst_scene_fail(s, 1, 910);
	}
	gst_scene_call_value(s, 1, at + 50, at + 50 + MAKE_US, "call_graph",
			     "cuGraphInstantiateWithFlags", 0, exec, 0xa00 + round);
	if (way != SAME_GRAPH && way != CHANGED_GRAPH) {
		define(s, "graph graph=%u handle=0x%x corr=%u", graph, 0xb00 + graph, corr + 1);
		for (uint32_t i = 0; i < 3; i++) {
			define_node(s, graph, i, after[i], corr + 2 + i);
		}
		define_clone(s, graph, 0xa00 + round, after, corr + 7);
	} else {
		define(s, "graph_exec exec=0x%x graph=1 id=%u corr=%u", 0xa00 + round, 100 + round,
		       corr + 7);
	}
	return corr + 7;
}

static void launch(struct gst_scene *s, uint32_t at, uint32_t stream, uint32_t exec, uint32_t corr,
		   uint32_t end)
{
	char fields[32], line[128];

	snprintf(fields, sizeof(fields), "exec=0x%x", exec);
	gst_scene_call(s, 1, at, at + 10, "call_graph", "cuGraphLaunch", stream, fields);
	snprintf(line, sizeof(line), "graph_run corr=%u ctx=1 stream=%u graph=%u exec=%u", corr,
		 12 + stream, exec, exec);
	gst_scene_device_record(s, line, at + 20, end);
}

static struct found rounds(enum way way)
{
	const struct gst_scene_style style = {.has_no_device =
						      way == WITHOUT_DEVICE || way == USED_ON};
	struct gst_scene *s = gst_scene_new(&style);
	uint32_t corr = 0, count = way == ONCE ? 2 : ROUNDS;

	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	if (way == SAME_GRAPH || way == CHANGED_GRAPH) {
		define(s, "graph graph=1 handle=0xb01");
	}
	if (way == CHANGED_GRAPH) {
		/* By the third round's first call. */
		define(s, "graph_edge from=0x100000000 to=0x100000001 graph=1 corr=%u", 2 * 9 + 1);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i * ROUND_US;
		bool is_side = way == SIDE_BY_SIDE;

		corr = capture(s, way, i, corr);
		launch(s, at + 560, is_side ? 1 + i % 2 : 1, 0xa00 + i, ++corr,
		       is_side ? at + 1700 : at + 880);
		if (is_side) {
			gst_scene_call_value(s, 1, at + 575, at + 577, "call_event",
					     "cuEventCreate", 0, "flags=2", 0xe00 + i);
		} else {
			gst_scene_call(s, 1, at + 575, at + 890, "call_stream",
				       "cuStreamSynchronize", 1, NULL);
		}
		corr++;
	}
	if (way == USED_ON) {
		for (uint32_t i = 0; i < count; i++) {
			launch(s, 4000 + 20 * i, 1, 0xa00 + i, ++corr, 4030 + 20 * i);
		}
	}
	return found_run(s);
}

static void test_equal_graphs(void **state)
{
	struct found r = rounds(EQUAL);
	const struct gst_finding *f = found_the(&r, "graph-reinstantiated");

	(void)state;
	/* The thread waits for each launch: all of three calls is gained, or nothing if an update takes as long. */
	assert_int_equal(f->occurrence_count, 3);
	assert_int_equal(f->cost_high_ns, 3 * MAKE_US * US);
	assert_int_equal(f->cost_low_ns, 0);
	assert_int_equal(f->cost_ns, 0);
	assert_true(f->cost_is_bound);
	assert_int_equal(f->blocked_ns, 0);
	assert_true(f->cost_is_known);
	assert_int_equal(f->severity, GST_SEVERITY_LOW);
	assert_non_null(strstr(f->withheld, "what an update costs"));
	assert_non_null(strstr(f->detail, "a graph of 3 nodes"));
	assert_int_equal(r.x.m->calls[f->occurrences[0].call].cls, GST_API_CLASS_GRAPH_INSTANTIATE);
	found_done(&r);
}

static void test_an_update_was_measured(void **state)
{
	struct found r = rounds(MEASURED);
	const struct gst_finding *f = found_the(&r, "graph-reinstantiated");

	(void)state;
	/* Updates take 25 us: 475 are gained three times, whatever shares the device. */
	assert_int_equal(f->cost_high_ns, 3 * 475 * US);
	assert_int_equal(f->cost_low_ns, 3 * 475 * US);
	assert_null(f->withheld);
	assert_non_null(strstr(f->detail, "median of 4"));
	found_done(&r);
}

static void test_the_same_graph(void **state)
{
	struct found r = rounds(SAME_GRAPH);
	const struct gst_finding *f = found_the(&r, "graph-reinstantiated");

	(void)state;
	assert_int_equal(f->occurrence_count, 3);
	assert_non_null(strstr(f->detail, "the same graph as before"));
	found_done(&r);
}

static void test_without_device_records(void **state)
{
	struct found r = rounds(WITHOUT_DEVICE);
	const struct gst_finding *f = found_the(&r, "graph-reinstantiated");

	(void)state;
	assert_int_equal(f->occurrence_count, 3);
	assert_int_equal(f->cost_low_ns, 0);
	assert_non_null(f->withheld);
	found_done(&r);
}

static void test_not_when(void **state)
{
	static const enum way ways[] = {ONCE,	 OTHER_EDGES, OTHER_KINDS,  ALLOCATES,
					REFUSED, USED_ON,     SIDE_BY_SIDE, CHANGED_GRAPH};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct found r = rounds(ways[i]);

		if (found_find(&r, "graph-reinstantiated")) {
			fail_msg("rounds of way %u", ways[i]);
		}
		/* The scene is what it says it is. */
		assert_int_equal(r.x.m->exec_count,
				 (ways[i] == ONCE ? 2 : ROUNDS) + (ways[i] == REFUSED ? 0 : 1));
		found_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_graphs),
		cmocka_unit_test(test_an_update_was_measured),
		cmocka_unit_test(test_the_same_graph),
		cmocka_unit_test(test_without_device_records),
		cmocka_unit_test(test_not_when),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
