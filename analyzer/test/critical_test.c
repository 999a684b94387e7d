/*
 * critical_test.c - the critical path of small runs whose answer is known by construction.
 *
 * Role      : what critical.h promises, from text traces through the real stages.
 * Method    : each run is written down as calls and work with times (us); each stretch of its path stands beside it.
 * Invariant : no expected number comes from the output. Of every run, also of random ones: the stretches join, the
 *             times by cause add up to the window, and each gap leads back to what it names.
 * Not here  : the outputs (question_golden_test).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/test/scenes.h"
#include "analyzer/timing/critical.h"

#define US	  UINT64_C(1000)
#define NOT_KNOWN UINT64_MAX

struct run {
	struct gst_scene_stages x;
	struct gst_critical c;
	uint64_t zero_ns; /* model time of 0 us; the first call of the scene is made at 10 us */
};

static void check_whole(const struct run *r)
{
	const struct gst_critical *c = &r->c;
	uint64_t at = c->begin_ns, sum = 0, unknown = 0;

	for (uint32_t i = 0; i < c->segment_count; i++) {
		const struct gst_segment *s = &c->segments[i];

		assert_int_equal(s->begin_ns, at);
		assert_true(s->end_ns > s->begin_ns);
		assert_int_equal(s->cause == GST_CAUSE_UNKNOWN, s->unknown != GST_UNKNOWN_NONE);
		at = s->end_ns;
	}
	assert_int_equal(at, c->end_ns);
	for (int i = 0; i < GST_CAUSE_COUNT; i++) {
		sum += c->cause_ns[i];
	}
	for (int i = GST_UNKNOWN_NONE + 1; i < GST_UNKNOWN_COUNT; i++) {
		unknown += c->unknown_ns[i];
	}
	assert_int_equal(sum, c->end_ns - c->begin_ns);
	assert_int_equal(unknown, c->cause_ns[GST_CAUSE_UNKNOWN]);
}

static void analyze(struct gst_scene *s, struct run *r)
{
	gst_scene_analyze(s, &r->x);
	gst_timing_critical(r->x.t, GST_NONE, r->x.arena, &r->c);
	r->zero_ns = r->x.m->calls[0].enter_ns - 10 * US;
	check_whole(r);
}

static void done(struct gst_scene *s, struct run *r)
{
	gst_scene_release(&r->x);
	gst_scene_free(s);
}

/* A stretch: until when (us), by which cause, and the name of the work or call. The first begins at 10 us. */
struct want {
	uint32_t until;
	enum gst_cause cause;
	const char *node; /* NULL: not looked at */
};

static const char *name_of(const struct run *r, gst_node_id node)
{
	static char label[200];

	if (node == GST_NONE) {
		return "";
	}
	if (gst_node_is_op(r->x.o, node)) {
		gst_model_op_label(r->x.m, node, label, sizeof(label));
		return label;
	}
	return gst_api_find(r->x.m->calls[node - r->x.m->op_count].api)->name;
}

static void print_path(const struct run *r)
{
	for (uint32_t i = 0; i < r->c.segment_count; i++) {
		const struct gst_segment *s = &r->c.segments[i];

		print_message("%llu..%llu %s (%s) %s\n",
			      (unsigned long long)((s->begin_ns - r->zero_ns) / US),
			      (unsigned long long)((s->end_ns - r->zero_ns) / US),
			      gst_cause_name((enum gst_cause)s->cause),
			      gst_unknown_name((enum gst_unknown)s->unknown), name_of(r, s->node));
	}
}

static void check_path(const struct run *r, const struct want *want, uint32_t count)
{
	if (r->c.segment_count != count) {
		print_path(r);
	}
	assert_int_equal(r->c.segment_count, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_segment *s = &r->c.segments[i];

		if (s->end_ns != r->zero_ns + want[i].until * US || s->cause != want[i].cause) {
			print_path(r);
		}
		assert_int_equal(s->end_ns, r->zero_ns + want[i].until * US);
		assert_int_equal(s->cause, want[i].cause);
		if (want[i].node) {
			assert_string_equal(name_of(r, s->node), want[i].node);
		}
	}
}

#define CHECK_PATH(r, ...)                                                \
	do {                                                              \
		const struct want want_[] = {__VA_ARGS__};                \
		check_path((r), want_, sizeof(want_) / sizeof(want_[0])); \
	} while (0)

static gst_edge_id rule_of(const struct run *r, const struct gst_segment *s)
{
	return s->edge == GST_NONE ? GST_RULE_COUNT : gst_order_edge(r->x.o, s->edge).rule;
}

/* ---- one stream ------------------------------------------------------------------------------------------ */

static void test_stream_and_synchronize(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 12, 1, "a", 1, 20, 50);
	gst_scene_kernel(s, 1, 13, 15, 1, "b", 1, 51, 100);
	gst_scene_call(s, 1, 16, 103, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_call(s, 1, 110, 112, "call", "cuProfilerStart", 0, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {20, GST_CAUSE_LATENCY, "a"}, {50, GST_CAUSE_KERNEL, "a"},
		   {51, GST_CAUSE_IDLE, "b"}, {100, GST_CAUSE_KERNEL, "b"},
		   {103, GST_CAUSE_HOST_WAIT, "cuStreamSynchronize"},
		   {110, GST_CAUSE_HOST_COMPUTE, NULL}, {112, GST_CAUSE_CALL, NULL});
	assert_int_equal(r.c.cause_ns[GST_CAUSE_KERNEL], 79 * US);
	/* The call had waited since 16. */
	assert_int_equal(r.c.segments[4].held_ns, 84 * US);
	assert_int_equal(rule_of(&r, &r.c.segments[4]), GST_RULE_H1);
	/* b: submitted at 13, and 10 us is the least that a launch takes here: without a, at 23. */
	assert_int_equal(r.c.segments[2].held_ns, 27 * US);
	assert_int_equal(r.c.blame_count, 1);
	assert_true(r.c.blames[0].is_host);
	assert_int_equal(r.c.blames[0].held_ns, 84 * US);
	assert_int_equal(r.c.blames[0].gap_ns, 3 * US);
	assert_int_equal(r.c.stream_count, 1);
	assert_int_equal(r.c.streams[0].run_ns, 79 * US);
	assert_int_equal(r.c.streams[0].ops, 2);
	done(s, &r);
}

/* b is submitted late: it began when its launch was through, though a had ended a moment before its enter was over. */
static void test_launch_bound(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 12, 1, "a", 1, 20, 50);
	gst_scene_kernel(s, 1, 48, 49, 1, "b", 1, 58, 70);
	gst_scene_call(s, 1, 60, 75, "call_stream", "cuStreamSynchronize", 1, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {12, GST_CAUSE_CALL, "cuLaunchKernel"}, {48, GST_CAUSE_HOST_COMPUTE, NULL},
		   {58, GST_CAUSE_LATENCY, "b"}, {70, GST_CAUSE_KERNEL, "b"},
		   {75, GST_CAUSE_HOST_WAIT, NULL});
	/* Without its launch's 10 us, the end of a would have let it go at 50. */
	assert_int_equal(r.c.segments[2].held_ns, 8 * US);
	done(s, &r);
}

/* The only copy of a run waits in its stream: how long its launch took here is not what a launch takes. */
static void test_one_of_its_kind(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 12, 1, "a", 1, 100, 150);
	gst_scene_copy(s, 1, 13, 15, 1, (struct gst_scene_copy){.to_device = true}, 151, 160);
	analyze(s, &r);
	CHECK_PATH(&r, {100, GST_CAUSE_LATENCY, "a"}, {150, GST_CAUSE_KERNEL, "a"},
		   {151, GST_CAUSE_IDLE, NULL}, {160, GST_CAUSE_COPY, NULL});
	done(s, &r);
}

/* A call that returned before the work was over waited for nothing; one that waited for work that was over neither. */
static void test_nothing_to_wait_for(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 12, 1, "a", 1, 20, 30);
	gst_scene_call(s, 1, 40, 44, "call_stream", "cuStreamSynchronize", 1, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {12, GST_CAUSE_CALL, "cuLaunchKernel"}, {40, GST_CAUSE_HOST_COMPUTE, NULL},
		   {44, GST_CAUSE_CALL, "cuStreamSynchronize"});
	assert_int_equal(r.c.blame_count, 0);
	assert_int_equal(r.c.stream_count, 0);
	done(s, &r);
}

/* ---- several streams ------------------------------------------------------------------------------------- */

static void test_event(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 11, 1, "producer", 1, 15, 60);
	gst_scene_call(s, 1, 12, 13, "call_event", "cuEventRecord", 1, "event=0xe1");
	gst_scene_kernel(s, 1, 14, 15, 2, "before", 1, 20, 40);
	gst_scene_call(s, 1, 16, 17, "call_event", "cuStreamWaitEvent", 2, "event=0xe1");
	gst_scene_kernel(s, 1, 18, 19, 2, "consumer", 1, 64, 90);
	analyze(s, &r);
	CHECK_PATH(&r, {15, GST_CAUSE_LATENCY, "producer"}, {60, GST_CAUSE_KERNEL, "producer"},
		   {64, GST_CAUSE_BARRIER, "consumer"}, {90, GST_CAUSE_KERNEL, "consumer"});
	/* The rule is that of the event, though the last edge is the stream's. */
	assert_int_equal(rule_of(&r, &r.c.segments[2]), GST_RULE_E1);
	assert_string_equal(name_of(&r, r.c.segments[2].from), "producer");
	/* Else: the work before it in its stream had ended at 40. */
	assert_int_equal(r.c.segments[2].held_ns, 20 * US);
	assert_int_equal(r.c.blame_count, 1);
	assert_false(r.c.blames[0].is_host);
	assert_int_equal(r.c.blames[0].rule, GST_RULE_E1);
	assert_int_equal(r.c.blames[0].waiter,
			 r.x.m->ops[gst_scene_op(&r.x, "consumer", 1)].stream);
	assert_int_equal(r.c.blames[0].culprit,
			 r.x.m->ops[gst_scene_op(&r.x, "producer", 1)].stream);
	done(s, &r);
}

static void test_legacy_stream(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_stream(s, 2, true);
	gst_scene_kernel(s, 1, 10, 11, 1, "first", 1, 15, 50);
	gst_scene_kernel(s, 1, 12, 13, GST_SCENE_LEGACY, "middle", 1, 52, 70);
	gst_scene_kernel(s, 1, 14, 15, 2, "last", 1, 71, 80);
	gst_scene_call(s, 1, 16, 85, "call", "cuCtxSynchronize", 0, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {15, GST_CAUSE_LATENCY, "first"}, {50, GST_CAUSE_KERNEL, "first"},
		   {52, GST_CAUSE_BARRIER, "middle"}, {70, GST_CAUSE_KERNEL, "middle"},
		   {71, GST_CAUSE_BARRIER, "last"}, {80, GST_CAUSE_KERNEL, "last"},
		   {85, GST_CAUSE_HOST_WAIT, "cuCtxSynchronize"});
	assert_int_equal(rule_of(&r, &r.c.segments[2]), GST_RULE_S3);
	assert_int_equal(rule_of(&r, &r.c.segments[4]), GST_RULE_S3);
	/* middle was submitted at 12, plus 5 us of a launch at least: 17. */
	assert_int_equal(r.c.segments[2].held_ns, 33 * US);
	assert_string_equal(name_of(&r, r.c.segments[6].from), "last");
	done(s, &r);
}

/* Of two streams that a call waits for, the one that ended last is on the path. */
static void test_the_last_of_two(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 11, 1, "short", 1, 15, 50);
	gst_scene_kernel(s, 1, 12, 13, 2, "long", 1, 17, 80);
	gst_scene_call(s, 1, 14, 82, "call", "cuCtxSynchronize", 0, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {11, GST_CAUSE_CALL, NULL}, {12, GST_CAUSE_HOST_COMPUTE, NULL},
		   {17, GST_CAUSE_LATENCY, "long"}, {80, GST_CAUSE_KERNEL, "long"},
		   {82, GST_CAUSE_HOST_WAIT, NULL});
	assert_int_equal(r.c.segments[4].held_ns, 66 * US);
	done(s, &r);
}

/* Copies of one direction queue at their engine: no edge joins their streams. */
static void test_copy_engine(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;
	const struct gst_scene_copy up = {.to_device = true};

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_copy(s, 1, 10, 11, 1, up, 15, 60);
	gst_scene_copy(s, 1, 12, 13, 2, up, 61, 90);
	analyze(s, &r);
	CHECK_PATH(&r, {15, GST_CAUSE_LATENCY, NULL}, {60, GST_CAUSE_COPY, NULL},
		   {61, GST_CAUSE_BARRIER, NULL}, {90, GST_CAUSE_COPY, NULL});
	assert_int_equal(r.c.segments[2].edge, GST_NONE);
	assert_int_equal(r.c.segments[2].from, gst_scene_op(&r.x, "memcpy", 1));
	assert_int_equal(r.c.blames[0].rule, GST_RULE_COUNT);
	done(s, &r);
}

/* A programmatic launch begins while the one before it runs: until then that one ran, after it this one. */
static void test_programmatic(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 11, 1, "primary", 1, 20, 60);
	gst_scene_programmatic(s);
	gst_scene_kernel(s, 1, 12, 13, 1, "secondary", 1, 50, 90);
	analyze(s, &r);
	/* 10 us is the least that a launch takes; secondary could have begun at 22 but for its primary's 20. */
	CHECK_PATH(&r, {11, GST_CAUSE_CALL, NULL}, {12, GST_CAUSE_HOST_COMPUTE, NULL},
		   {50, GST_CAUSE_LATENCY, "secondary"}, {90, GST_CAUSE_KERNEL, "secondary"});
	done(s, &r);

	s = gst_scene_new(NULL);
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 11, 2, "quick", 1, 12, 14);
	gst_scene_kernel(s, 1, 16, 17, 1, "primary", 1, 40, 60);
	gst_scene_programmatic(s);
	gst_scene_kernel(s, 1, 18, 19, 1, "secondary", 1, 42, 90);
	analyze(s, &r);
	/* 2 us is the least: the launch would have let secondary go at 20, primary's begin did at 40. */
	CHECK_PATH(&r, {11, GST_CAUSE_CALL, NULL}, {16, GST_CAUSE_HOST_COMPUTE, NULL},
		   {40, GST_CAUSE_LATENCY, "primary"}, {42, GST_CAUSE_KERNEL, "primary"},
		   {90, GST_CAUSE_KERNEL, "secondary"});
	done(s, &r);
}

/* ---- host threads ---------------------------------------------------------------------------------------- */

/* Thread 2 waits for an event that thread 1's work holds up: the path goes over to thread 1. */
static void test_two_threads(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_call(s, 1, 10, 20, "call", "cuProfilerStart", 0, NULL);
	gst_scene_kernel(s, 1, 22, 23, 1, "work", 1, 30, 80);
	gst_scene_call(s, 1, 24, 25, "call_event", "cuEventRecord", 1, "event=0xe1");
	gst_scene_call(s, 2, 26, 84, "call_event", "cuEventSynchronize", 0, "event=0xe1");
	gst_scene_call(s, 2, 90, 95, "call", "cuProfilerStart", 0, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {20, GST_CAUSE_CALL, NULL}, {22, GST_CAUSE_HOST_COMPUTE, NULL},
		   {30, GST_CAUSE_LATENCY, "work"}, {80, GST_CAUSE_KERNEL, "work"},
		   {84, GST_CAUSE_HOST_WAIT, "cuEventSynchronize"},
		   {90, GST_CAUSE_HOST_COMPUTE, NULL}, {95, GST_CAUSE_CALL, NULL});
	assert_string_equal(name_of(&r, r.c.segments[4].from), "work");
	done(s, &r);
}

/* A program that asks until it is told yes waits as well. */
static void test_polling(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 11, 1, "work", 1, 20, 50);
	for (uint32_t at = 30; at < 50; at += 4) {
		gst_scene_call(s, 1, at, at + 1, "call_stream", "cuStreamQuery", 1, NULL);
		gst_scene_fail(s, 1, 600);
	}
	gst_scene_call(s, 1, 52, 54, "call_stream", "cuStreamQuery", 1, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {20, GST_CAUSE_LATENCY, "work"}, {50, GST_CAUSE_KERNEL, "work"},
		   {54, GST_CAUSE_HOST_WAIT, "cuStreamQuery"});
	assert_int_equal(rule_of(&r, &r.c.segments[2]), GST_RULE_H2);
	done(s, &r);
}

/* The end of the run is in a thread whose begin nobody has seen. */
static void test_thread_start(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 11, 1, "elsewhere", 1, 20, 40);
	gst_scene_call(s, 2, 60, 65, "call", "cuProfilerStart", 0, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {60, GST_CAUSE_UNKNOWN, "cuProfilerStart"}, {65, GST_CAUSE_CALL, NULL});
	assert_int_equal(r.c.segments[0].unknown, GST_UNKNOWN_THREAD_START);
	done(s, &r);
}

/* ---- what is not known ----------------------------------------------------------------------------------- */

/* Work whose record was lost may be what the call waited for. */
static void test_lost_kernel(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 12, 1, "seen", 1, 20, 40);
	gst_scene_lost_kernel(s, 1, 14, 16, 1, "lost");
	gst_scene_call(s, 1, 17, 90, "call_stream", "cuStreamSynchronize", 1, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {20, GST_CAUSE_LATENCY, "seen"}, {40, GST_CAUSE_KERNEL, "seen"},
		   {90, GST_CAUSE_UNKNOWN, "lost"});
	assert_int_equal(r.c.segments[2].unknown, GST_UNKNOWN_NO_TIMES);
	assert_int_equal(r.c.blame_count, 0);
	done(s, &r);
}

/* A host function whose run was recorded is work like any other. */
static void test_host_function(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 12, 1, "a", 1, 20, 40);
	gst_scene_call(s, 1, 14, 16, "call_host", "cuLaunchHostFunc", 1, NULL);
	gst_scene_device_record(s, "host_run corr=2 ctx=1 stream=13", 45, 80);
	gst_scene_call(s, 1, 17, 90, "call_stream", "cuStreamSynchronize", 1, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {20, GST_CAUSE_LATENCY, "a"}, {40, GST_CAUSE_KERNEL, "a"},
		   {45, GST_CAUSE_BARRIER, "host function"},
		   {80, GST_CAUSE_HOST_FUNC, "host function"},
		   {90, GST_CAUSE_HOST_WAIT, "cuStreamSynchronize"});
	assert_int_equal(rule_of(&r, &r.c.segments[2]), GST_RULE_F1);
	done(s, &r);
}

/* Recorded without the device: the host alone is known, and what it waited for is not. */
static void test_no_device_records(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_lost_kernel(s, 1, 10, 12, 1, "a");
	gst_scene_call(s, 1, 20, 60, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_call(s, 1, 70, 75, "call", "cuProfilerStart", 0, NULL);
	analyze(s, &r);
	CHECK_PATH(&r, {12, GST_CAUSE_CALL, NULL}, {20, GST_CAUSE_HOST_COMPUTE, NULL},
		   {60, GST_CAUSE_UNKNOWN, "a"}, {70, GST_CAUSE_HOST_COMPUTE, NULL},
		   {75, GST_CAUSE_CALL, NULL});
	done(s, &r);
}

/* What the host did while calls were lost is not known. */
static void test_lost_calls(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;
	char line[160];
	const char *first;
	unsigned long long enter;

	(void)state;
	gst_scene_call(s, 1, 10, 20, "call", "cuProfilerStart", 0, NULL);
	gst_scene_call(s, 1, 80, 90, "call", "cuProfilerStart", 0, NULL);
	first = strstr(gst_scene_text(s), "enter_ns=");
	assert_non_null(first);
	assert_int_equal(sscanf(first, "enter_ns=%llu", &enter), 1);
	snprintf(line, sizeof(line),
		 "loss kind=call_launch reason=no-chunk count=3 since_ns=%llu until_ns=%llu",
		 enter + 20 * US, enter + 40 * US);
	gst_scene_define(s, line);
	analyze(s, &r);
	CHECK_PATH(&r, {20, GST_CAUSE_CALL, NULL}, {30, GST_CAUSE_HOST_COMPUTE, NULL},
		   {50, GST_CAUSE_UNKNOWN, NULL}, {80, GST_CAUSE_HOST_COMPUTE, NULL},
		   {90, GST_CAUSE_CALL, NULL});
	assert_int_equal(r.c.segments[2].unknown, GST_UNKNOWN_LOST);
	done(s, &r);
}

/* ---- runs of any kind ------------------------------------------------------------------------------------ */

/* Each gap begins where what it names ended, and each stretch of work is within its work. */
static void check_joins(const struct run *r)
{
	for (uint32_t i = 0; i < r->c.segment_count; i++) {
		const struct gst_segment *s = &r->c.segments[i];
		bool is_work = gst_cause_is_work(s->cause);

		if (is_work) {
			assert_true(s->begin_ns >= r->x.m->ops[s->node].begin_ns);
			assert_true(s->end_ns <= r->x.m->ops[s->node].end_ns);
		} else if (s->from != GST_NONE && gst_node_is_op(r->x.o, s->from)) {
			assert_int_equal(s->begin_ns, r->x.m->ops[s->from].end_ns);
			/* And that is what stands before it on the path. */
			assert_true(i > 0 && r->c.segments[i - 1].node == s->from);
		}
	}
}

static void test_random_runs(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct gst_scene *s = gst_scene_new(NULL);
		uint32_t x = seed, now[3] = {0, 10, 12}, busy[4] = {0, 0, 0, 0};
		struct run r;

		for (uint32_t i = 1; i < 4; i++) {
			gst_scene_stream(s, i, seed % 3 != 0);
		}
		for (int i = 0; i < 60; i++) {
			uint32_t stream, begin, length, thread;

			x = x * 1664525u + 1013904223u;
			thread = i == 0 || seed % 2 == 0 ? 1 : 1 + (x >> 7) % 2;
			stream = (x >> 9) % 4;
			length = 1 + (x >> 12) % 300;
			begin = now[thread] + 1 + (x >> 20) % 40;
			begin = begin < busy[stream] ? busy[stream] : begin;
			if ((x >> 25) % 4 == 0) {
				uint32_t end = busy[stream] > now[thread] ? busy[stream] + 2
									  : now[thread] + 4;

				gst_scene_call(s, thread, now[thread], end, "call_stream",
					       "cuStreamSynchronize", stream, NULL);
				now[thread] = end + 1;
				continue;
			}
			gst_scene_kernel(s, thread, now[thread], now[thread] + 3, stream, "k", 1,
					 begin, begin + length);
			now[thread] += 5;
			busy[stream] = begin + length;
		}
		analyze(s, &r);
		check_joins(&r);
		done(s, &r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream_and_synchronize),
		cmocka_unit_test(test_launch_bound),
		cmocka_unit_test(test_one_of_its_kind),
		cmocka_unit_test(test_nothing_to_wait_for),
		cmocka_unit_test(test_event),
		cmocka_unit_test(test_legacy_stream),
		cmocka_unit_test(test_the_last_of_two),
		cmocka_unit_test(test_copy_engine),
		cmocka_unit_test(test_programmatic),
		cmocka_unit_test(test_two_threads),
		cmocka_unit_test(test_polling),
		cmocka_unit_test(test_thread_start),
		cmocka_unit_test(test_lost_kernel),
		cmocka_unit_test(test_host_function),
		cmocka_unit_test(test_no_device_records),
		cmocka_unit_test(test_lost_calls),
		cmocka_unit_test(test_random_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
