/*
 * check_test.c - findings that fire, that do not, and that stay the same in other words.
 *
 * Role      : what docs/HOWTO_ADD_CHECK.md asks of each check: a run that shows it, one that does not, its cost.
 * Method    : the scenes of scenes.h and small ones of its own; each again with kernels renamed, streams
 *             renumbered, times shifted and chunks shuffled.
 * Invariant : no expected number comes from the output; each is worked out beside its scene.
 * Not here  : recorded traces (their EXPECT lines).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/check/check.h"
#include "analyzer/load/load.h"
#include "analyzer/test/scenes.h"

#define US UINT64_C(1000)

struct run {
	struct gst_scene *s;
	struct gst_scene_stages x;
	const struct gst_findings *f;
};

static void run_with(struct run *r, const struct gst_check_options *options)
{
	struct gst_err err = {0};

	gst_scene_analyze(r->s, &r->x);
	assert_int_equal(gst_check_run(r->x.m, r->x.o, r->x.t, options, r->x.arena, &r->f, &err),
			 0);
}

static struct run run(struct gst_scene *s)
{
	struct run r = {.s = s};

	run_with(&r, NULL);
	return r;
}

static void done(struct run *r)
{
	gst_scene_release(&r->x);
	gst_scene_free(r->s);
}

static const struct gst_finding *find(const struct run *r, const char *id)
{
	for (uint32_t i = 0; i < r->f->count; i++) {
		if (strcmp(r->f->items[i].id, id) == 0) {
			return &r->f->items[i];
		}
	}
	return NULL;
}

/* The finding is there, once, with what every finding must have. */
static const struct gst_finding *the(const struct run *r, const char *id)
{
	const struct gst_finding *f = find(r, id);
	uint32_t seen = 0;

	for (uint32_t i = 0; i < r->f->count; i++) {
		seen += strcmp(r->f->items[i].id, id) == 0;
	}
	if (seen != 1) {
		fail_msg("%u findings of %s", seen, id);
	}
	assert_true(f->title && f->title[0] && f->detail && f->detail[0]);
	assert_true(f->advice && f->advice[0]);
	assert_true(f->cost_low_ns <= f->cost_ns && f->cost_ns <= f->cost_high_ns);
	assert_true(f->evidence_count <= f->occurrence_count);
	assert_true(f->begin_ns <= f->end_ns);
	return f;
}

static bool has_rule(const struct run *r, const struct gst_finding *f, enum gst_rule rule)
{
	for (uint32_t i = 0; i < f->path_count; i++) {
		if (gst_order_edge(r->x.o, f->path[i]).rule == rule) {
			return true;
		}
	}
	return false;
}

static bool costs_time(const struct gst_finding *f)
{
	return f->severity > GST_SEVERITY_INFO;
}

static void nothing_but_info(const struct run *r)
{
	for (uint32_t i = 0; i < r->f->count; i++) {
		if (costs_time(&r->f->items[i])) {
			fail_msg("%s: %s", r->f->items[i].id, r->f->items[i].title);
		}
	}
}

/* ---- default-stream-serialization ------------------------------------------------------------- */

static void test_default_stream(void **state)
{
	struct run r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_default_stream(r.s, true);
	r = run(r.s);
	f = the(&r, "default-stream-serialization");
	assert_int_equal(f->cost_ns, GST_SCENE_DEFAULT_GAIN_US * US);
	assert_int_equal(f->blocked_ns, GST_SCENE_DEFAULT_BLOCKED_US * US);
	/* middle and last four times, first three times. */
	assert_int_equal(f->occurrence_count, 11);
	assert_int_equal(f->severity, GST_SEVERITY_HIGH);
	assert_true(has_rule(&r, f, GST_RULE_S3));
	assert_int_equal(f->occurrences[0].culprit, gst_scene_op(&r.x, "first", 1));
	assert_int_equal(f->occurrences[0].waiter, gst_scene_op(&r.x, "middle", 1));
	assert_null(f->withheld);
	assert_null(strstr(f->detail, "load-bearing"));
	done(&r);

	r.s = gst_scene_new(NULL);
	gst_scene_default_stream(r.s, false);
	r = run(r.s);
	assert_int_equal(r.f->count, 0);
	done(&r);
}

/* A (stream 1) and B (legacy), one after the other; @what stands between them. */
enum between { NOTHING, EVENT, HOST_WAIT, ONE_STREAM };

static struct run one_after_the_other(enum between what)
{
	struct gst_scene *s = gst_scene_new(NULL);
	uint32_t b = 30;

	gst_scene_stream(s, 1, true);
	gst_scene_call_value(s, 1, 1, 2, "call_event", "cuEventCreate", 0, "flags=2", 0xe1);
	gst_scene_kernel(s, 1, 10, 15, what == ONE_STREAM ? 0 : 1, "a", 1, 20, 1020);
	if (what == EVENT) {
		gst_scene_call(s, 1, 16, 17, "call_event", "cuEventRecord", 1, "event=0xe1");
		gst_scene_call(s, 1, 18, 19, "call_event", "cuStreamWaitEvent", 0, "event=0xe1");
	} else if (what == HOST_WAIT) {
		/* With something to do for the host before it goes on. */
		gst_scene_call(s, 1, 16, 1030, "call_stream", "cuStreamSynchronize", 1, NULL);
		b = 1100;
	}
	gst_scene_kernel(s, 1, b, b + 5, 0, "b", 1, b < 1020 ? 1020 : b + 10, b + 2010);
	gst_scene_call(s, 1, b + 10, b + 2020, "call", "cuCtxSynchronize", 0, NULL);
	return run(s);
}

/* Whoever reads a finding looks for the ranges of his program: the launches of "middle" are made in two of them. */
static void test_ranges_are_named(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	const struct gst_finding *f;
	struct run r;
	uint32_t first = 20;

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_stream(s, 2, true);
	gst_scene_nvtx(s, 1, 9, "push", "step");
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t call = 10 + 30 * i, middle = 1020 + 5000 * i;

		gst_scene_nvtx(s, 1, call, "push", i < 2 ? "forward" : "backward");
		gst_scene_kernel(s, 1, call, call + 5, 1, "first", 1, first, first + 1000);
		gst_scene_kernel(s, 1, call + 10, call + 15, 0, "middle", 1, middle, middle + 2000);
		gst_scene_kernel(s, 1, call + 20, call + 25, 2, "last", 1, middle + 2000,
				 middle + 5000);
		gst_scene_nvtx(s, 1, call + 26, "pop", NULL);
		first = middle + 5000;
	}
	gst_scene_call(s, 1, 140, 16030, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	f = the(&r, "default-stream-serialization");
	/* Each of the waits is for the device, and all but one third of them in the first range. */
	assert_non_null(strstr(f->detail, "\nin NVTX range forward ("));
	assert_non_null(strstr(f->detail, "), backward ("));
	assert_null(strstr(f->detail, "step"));
	done(&r);

	s = gst_scene_new(NULL);
	gst_scene_default_stream(s, true);
	r = run(s);
	assert_null(strstr(the(&r, "default-stream-serialization")->detail, "NVTX"));
	done(&r);
}

static void test_default_stream_with_another_relation(void **state)
{
	struct run r;

	(void)state;
	r = one_after_the_other(NOTHING);
	/* Without the barrier b begins 10 us after its call, at 40 instead of 1020. */
	assert_int_equal(the(&r, "default-stream-serialization")->cost_ns, (1020 - 40) * US);
	done(&r);
	/* Not even counted as too small to show. */
	r = one_after_the_other(EVENT);
	assert_null(find(&r, "default-stream-serialization"));
	assert_int_equal(r.f->hidden_count, 0);
	done(&r);
	r = one_after_the_other(HOST_WAIT);
	assert_null(find(&r, "default-stream-serialization"));
	assert_int_equal(r.f->hidden_count, 0);
	done(&r);
	r = one_after_the_other(ONE_STREAM);
	assert_int_equal(r.f->count, 0);
	done(&r);
}

/* A copy in stream 1 writes what a copy in the default stream reads: the barrier is needed. */
static void test_load_bearing_barrier(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_copy(s, 1, 10, 15, 1,
		       (struct gst_scene_copy){.to_device = true, .dst = 0x7000, .bytes = 4096}, 20,
		       1020);
	gst_scene_copy(s, 1, 20, 25, 0, (struct gst_scene_copy){.src = 0x7800, .bytes = 4096}, 1020,
		       2020);
	gst_scene_call(s, 1, 30, 2030, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	assert_non_null(strstr(the(&r, "default-stream-serialization")->detail,
			       "load-bearing-barrier: 1 of these waits"));
	done(&r);
}

/* ---- pageable-copy ---------------------------------------------------------------------------- */

static void test_pageable_copy(void **state)
{
	struct run r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_pageable(r.s, true);
	r = run(r.s);
	f = the(&r, "pageable-copy");
	assert_int_equal(f->cost_ns, GST_SCENE_PAGEABLE_GAIN_US * US);
	assert_int_equal(f->blocked_ns, GST_SCENE_PAGEABLE_BLOCKED_US * US);
	assert_int_equal(f->occurrence_count, 2);
	assert_true(has_rule(&r, f, GST_RULE_H5));
	assert_null(find(&r, "default-stream-serialization"));
	assert_null(find(&r, "host-sync-stall"));
	done(&r);

	r.s = gst_scene_new(NULL);
	gst_scene_pageable(r.s, false);
	r = run(r.s);
	assert_int_equal(r.f->count, 0);
	done(&r);
}

/* Small copies to the device are staged at once: their calls took no longer than a pinned copy's. */
static void test_staged_copies_are_fine(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_copy pinned = {.to_device = true, .bytes = 4096};
	struct gst_scene_copy pageable = {.to_device = true, .is_pageable = true, .bytes = 4096};
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "k", 1, 20, 5000);
	gst_scene_copy(s, 1, 20, 38, 1, pinned, 5000, 5010);
	gst_scene_copy(s, 1, 40, 60, 1, pageable, 5010, 5020);
	gst_scene_call(s, 1, 70, 5030, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	assert_int_equal(r.f->count, 0);
	assert_int_equal(r.f->hidden_count, 0);
	done(&r);
}

/* ---- synchronous-copy ------------------------------------------------------------------------- */

static void test_sync_copy(void **state)
{
	struct run r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_sync_copy(r.s, true);
	r = run(r.s);
	f = the(&r, "synchronous-copy");
	assert_int_equal(f->cost_ns, GST_SCENE_SYNC_COPY_GAIN_US * US);
	assert_int_equal(f->blocked_ns, GST_SCENE_SYNC_COPY_BLOCKED_US * US);
	assert_int_equal(f->occurrence_count, 2);
	assert_true(has_rule(&r, f, GST_RULE_H4));
	assert_null(find(&r, "host-sync-stall"));
	assert_null(find(&r, "default-stream-serialization"));
	done(&r);

	r.s = gst_scene_new(NULL);
	gst_scene_sync_copy(r.s, false);
	r = run(r.s);
	nothing_but_info(&r);
	assert_null(find(&r, "synchronous-copy"));
	done(&r);
}

/* Before each copy there is a kernel in its stream without a record: perhaps that was the wait. */
static void test_sync_copy_behind_unknown_work(void **state)
{
	const struct gst_scene_copy in = {.is_sync = true, .to_device = true, .is_pageable = true};
	struct run r;

	(void)state;
	for (int is_lost = 0; is_lost < 2; is_lost++) {
		struct gst_scene *s = gst_scene_new(NULL);

		gst_scene_stream(s, 1, false);
		gst_scene_kernel(s, 1, 10, 15, 1, "warm", 1, 20, 30);
		for (uint32_t t = 1000; t < 10000; t += 4000) {
			gst_scene_kernel(s, 1, t, t + 5, 0, "before", 1, t + 10, t + 1000);
			if (is_lost) {
				gst_scene_lost_kernel(s, 1, t + 6, t + 9, 0, "unknown");
			}
			gst_scene_copy(s, 1, t + 10, t + 1010, 0, in, t + 1005, t + 1100);
			gst_scene_kernel(s, 1, t + 1015, t + 1020, 1, "k", 1, t + 1025, t + 3000);
			gst_scene_call(s, 1, t + 1500, t + 3010, "call", "cuCtxSynchronize", 0,
				       NULL);
		}
		r = run(s);
		assert_int_equal(find(&r, "synchronous-copy") == NULL, is_lost);
		done(&r);
	}
}

/* The kernel that follows runs in the default stream, after the copy by stream order. */
static void test_sync_copy_for_the_next_kernel(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_kernel(s, 1, 10, 15, 0, "warm", 1, 20, 30);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t t = 1000 + 4000 * i;
		gst_scene_copy(s, 1, t, t + 1010, 0,
			       (struct gst_scene_copy){.is_sync = true, .to_device = true}, t + 10,
			       t + 1000);
		gst_scene_kernel(s, 1, t + 1015, t + 1020, 0, "k", 1, t + 1025, t + 3000);
	}
	gst_scene_call(s, 1, 16100, 16110, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	nothing_but_info(&r);
	done(&r);
}

/* ---- host-sync-stall -------------------------------------------------------------------------- */

static void test_broad_wait(void **state)
{
	struct run r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_device_sync(r.s, true);
	r = run(r.s);
	f = the(&r, "host-sync-stall");
	assert_int_equal(f->cost_ns, GST_SCENE_BROAD_GAIN_US * US);
	assert_int_equal(f->blocked_ns, GST_SCENE_BROAD_BLOCKED_US * US);
	assert_true(has_rule(&r, f, GST_RULE_H1));
	assert_int_equal(f->occurrences[0].culprit, gst_scene_op(&r.x, "background", 1));
	assert_int_equal(f->occurrences[0].waiter, gst_scene_op(&r.x, "step", 2));
	done(&r);

	r.s = gst_scene_new(NULL);
	gst_scene_device_sync(r.s, false);
	r = run(r.s);
	assert_int_equal(r.f->count, 0);
	done(&r);
}

/* The same after a queue of five thousand launches: however long it is, the background is no part of it. */
static void test_broad_wait_after_many_launches(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;
	uint32_t i;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 15, 2, "background", 1, 20, 60020);
	for (i = 0; i < 5000; i++) {
		gst_scene_kernel(s, 1, 20 + 4 * i, 23 + 4 * i, 1, "step", 1, 30 + 4 * i,
				 34 + 4 * i);
	}
	gst_scene_call(s, 1, 20020, 60030, "call", "cuCtxSynchronize", 0, NULL);
	gst_scene_kernel(s, 1, 60040, 60045, 1, "step", 1, 60050, 65050);
	gst_scene_call(s, 1, 60050, 65060, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	/* The last of the many ends at 20030, the wait 10 us later, the step at 20060 + 5000: background lasts longer, until 60030. */
	assert_int_equal(the(&r, "host-sync-stall")->cost_ns, (65060 - 60030) * US);
	done(&r);
}

/*
 * a (stream 1) 20..1020 is waited for, then b (stream 2) is launched at 1040 after @pause; both are waited for at
 * the end. Early: b could have been launched at 40 (10 us after the call at 30 returns, which then takes its own
 * 10 us) and would end at 1050, the last wait 10 us later: 2060 - 1060 = 1000 us.
 */
static struct run wait_then_launch(uint32_t pause, bool same_stream, uint32_t blocks)
{
	struct gst_scene *s = gst_scene_new(NULL);
	uint32_t t = 1030 + pause;

	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", blocks, 20, 1020);
	gst_scene_call(s, 1, 20, 1030, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_kernel(s, 1, t, t + 5, same_stream ? 1 : 2, "b", blocks, t + 10, t + 1010);
	gst_scene_call(s, 1, t + 10, t + 1020, "call", "cuCtxSynchronize", 0, NULL);
	return run(s);
}

static void test_early_wait(void **state)
{
	struct run r = wait_then_launch(10, false, 1);
	const struct gst_finding *f = the(&r, "host-sync-stall");

	(void)state;
	assert_int_equal(f->cost_ns, 1000 * US);
	assert_int_equal(f->blocked_ns, 1000 * US);
	done(&r);
	/* The host did something in between: perhaps with the result. */
	r = wait_then_launch(100, false, 1);
	assert_int_equal(r.f->count, 0);
	done(&r);
	/* b comes after a anyway. */
	r = wait_then_launch(10, true, 1);
	assert_int_equal(r.f->count, 0);
	done(&r);
	/*
	 * Each takes three quarters of the device: from 50 on both run at 1 / 1.5. a, with 970 us left, ends
	 * at 1505, b 30 us of its own later, at 1535; the last wait returns at 1545.
	 */
	r = wait_then_launch(10, false, 3168);
	assert_int_equal(the(&r, "host-sync-stall")->cost_low_ns, (2060 - 1545) * US);
	assert_int_equal(the(&r, "host-sync-stall")->cost_high_ns, 1000 * US);
	done(&r);
}

/* The next work comes after what was waited for by two events through a third stream. */
static void test_wait_for_what_is_related(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	for (uint32_t i = 1; i <= 3; i++) {
		gst_scene_stream(s, i, false);
	}
	gst_scene_call_value(s, 1, 1, 2, "call_event", "cuEventCreate", 0, "flags=2", 0xe1);
	gst_scene_call_value(s, 1, 3, 4, "call_event", "cuEventCreate", 0, "flags=2", 0xe2);
	gst_scene_kernel(s, 1, 10, 12, 1, "a", 1, 20, 1020);
	gst_scene_call(s, 1, 12, 13, "call_event", "cuEventRecord", 1, "event=0xe1");
	gst_scene_call(s, 1, 13, 14, "call_event", "cuStreamWaitEvent", 2, "event=0xe1");
	gst_scene_kernel(s, 1, 14, 15, 2, "k", 1, 1021, 1022);
	gst_scene_call(s, 1, 15, 16, "call_event", "cuEventRecord", 2, "event=0xe2");
	gst_scene_call(s, 1, 16, 1030, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_call(s, 1, 1031, 1032, "call_event", "cuStreamWaitEvent", 3, "event=0xe2");
	gst_scene_kernel(s, 1, 1033, 1035, 3, "b", 1, 1045, 2045);
	gst_scene_call(s, 1, 1050, 2060, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	assert_null(find(&r, "host-sync-stall"));
	assert_int_equal(r.f->hidden_count, 0);
	done(&r);
}

/* The next work is in the same stream, with an event record between. */
static void test_wait_for_the_same_stream(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_call_value(s, 1, 1, 2, "call_event", "cuEventCreate", 0, "flags=2", 0xe1);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_call(s, 1, 20, 1030, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_call(s, 1, 1032, 1033, "call_event", "cuEventRecord", 1, "event=0xe1");
	gst_scene_kernel(s, 1, 1040, 1045, 1, "b", 1, 1050, 2050);
	gst_scene_call(s, 1, 1050, 2060, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	assert_null(find(&r, "host-sync-stall"));
	assert_int_equal(r.f->hidden_count, 0);
	done(&r);
}

/* Whether these waits found something pending nobody knows: the kernel's record is lost. */
static void test_waits_for_lost_work(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_lost_kernel(s, 1, 10, 15, 1, "lost");
	for (uint32_t i = 0; i < 60; i++) {
		gst_scene_call(s, 1, 200 + 20 * i, 215 + 20 * i, "call_stream",
			       "cuStreamSynchronize", 1, NULL);
	}
	gst_scene_kernel(s, 1, 1500, 1505, 1, "b", 1, 1510, 1600);
	gst_scene_call(s, 1, 1510, 1610, "call_stream", "cuStreamSynchronize", 1, NULL);
	r = run(s);
	assert_null(find(&r, "host-sync-stall"));
	assert_int_equal(r.f->hidden_count, 0);
	done(&r);
}

static void test_redundant_wait(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;
	const struct gst_finding *f;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 100);
	gst_scene_call(s, 1, 20, 110, "call_stream", "cuStreamSynchronize", 1, NULL);
	/* 60 times 15 us for nothing: 900 us. */
	for (uint32_t i = 0; i < 60; i++) {
		gst_scene_call(s, 1, 200 + 20 * i, 215 + 20 * i, "call_stream",
			       "cuStreamSynchronize", 1, NULL);
	}
	gst_scene_kernel(s, 1, 1500, 1505, 1, "b", 1, 1510, 1600);
	gst_scene_call(s, 1, 1510, 1610, "call_stream", "cuStreamSynchronize", 1, NULL);
	r = run(s);
	f = the(&r, "host-sync-stall");
	assert_int_equal(f->occurrence_count, 60);
	assert_int_equal(f->cost_ns, 900 * US);
	assert_int_equal(f->blocked_ns, 0);
	done(&r);
}

/* A loop that the device bounds: the host waits nearly all the time, and nothing is to be gained. */
static void test_needed_waits_cost_nothing(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t t = 10 + 1030 * i;
		gst_scene_kernel(s, 1, t, t + 5, 1, "a", 1, t + 10, t + 1010);
		gst_scene_call(s, 1, t + 10, t + 1020, "call_stream", "cuStreamSynchronize", 1,
			       NULL);
	}
	r = run(s);
	assert_int_equal(r.f->count, 0);
	done(&r);
}

/* ---- the small ones --------------------------------------------------------------------------- */

static void test_implicit_sync(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;
	const struct gst_finding *f;

	(void)state;
	/* The free lasts until a is over; b, in another stream, is launched only then. */
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_call(s, 1, 20, 1030, "call_memory", "cuMemFree_v2", 0, "address=0x1000");
	gst_scene_kernel(s, 1, 1040, 1045, 2, "b", 1, 1050, 2050);
	gst_scene_call(s, 1, 1050, 2060, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	f = the(&r, "implicit-sync");
	/* The free takes its last 10 us alone: b runs 50..1050, the wait is over at 1060. */
	assert_int_equal(f->cost_ns, 1000 * US);
	assert_int_equal(f->blocked_ns, 1000 * US);
	assert_true(has_rule(&r, f, GST_RULE_H7));
	done(&r);

	/* It returned while a still ran: whatever took its time, it was no wait for a. */
	s = gst_scene_new(NULL);
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_call(s, 1, 20, 900, "call_memory", "cuMemFree_v2", 0, "address=0x1000");
	gst_scene_call(s, 1, 950, 1030, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	assert_null(find(&r, "implicit-sync"));
	assert_int_equal(r.f->hidden_count, 0);
	done(&r);
}

/* A second kernel with the id of a launch: nobody knows who submitted what, and the findings say so. */
static void test_stale_ids(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	const struct gst_finding *f;
	struct run r;

	(void)state;
	gst_scene_default_stream(s, true);
	r = run(s);
	assert_null(the(&r, "default-stream-serialization")->withheld);
	done(&r);
	s = gst_scene_new(NULL);
	gst_scene_default_stream(s, true);
	gst_scene_lost_kernel(s, 1, 135, 138, 0, "lost");
	gst_scene_device_record(s, "kernel corr=1 ctx=1 stream=7 name=\"a\"", 1030, 1031);
	r = run(s);
	assert_non_null(the(&r, "default-stream-serialization")->withheld);
	f = the(&r, "lost-records");
	assert_int_equal(f->severity, GST_SEVERITY_MEDIUM);
	assert_non_null(strstr(f->title, "1 operation"));
	done(&r);
}

static void test_lost_records(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_define(s, "loss kind=kernel reason=cupti-dropped count=17");
	gst_scene_default_stream(s, true);
	r = run(s);
	assert_non_null(strstr(the(&r, "lost-records")->title, "17 device records"));
	assert_non_null(the(&r, "default-stream-serialization")->withheld);
	done(&r);
}

static const char *loss_title(const char *line, enum gst_severity *severity)
{
	static char title[200];
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;
	const struct gst_finding *f;

	gst_scene_define(s, line);
	gst_scene_kernel(s, 1, 10, 15, 0, "a", 1, 20, 100);
	r = run(s);
	f = the(&r, "lost-records");
	*severity = f->severity;
	snprintf(title, sizeof(title), "%s; %s", f->title, f->detail);
	done(&r);
	return title;
}

static void test_losses_say_what_they_weaken(void **state)
{
	enum gst_severity severity;

	(void)state;
	assert_non_null(
		strstr(loss_title("loss kind=call_launch reason=no-chunk count=3", &severity),
		       "3 API calls were lost; the tracer's memory was full"));
	assert_int_equal(severity, GST_SEVERITY_MEDIUM);
	assert_non_null(strstr(loss_title("loss kind=overhead reason=no-buffer", &severity),
			       "an unknown number of records about memory or tool overhead"));
	assert_int_equal(severity, GST_SEVERITY_INFO);
	assert_non_null(strstr(loss_title("loss kind=event reason=flush-hung count=1", &severity),
			       "1 event and synchronization records"));
	assert_non_null(strstr(loss_title("loss reason=write-failed", &severity),
			       "an unknown number of records of several kinds"));
	assert_int_equal(severity, GST_SEVERITY_MEDIUM);
}

static void test_every_loss_has_words(void **state)
{
	static const struct {
		const char *name;
		uint32_t value;
	} reasons[] = {
#define GST_X(tag, prefix, value, name, text) {#prefix, value},
		GST_FORMAT_ENUMS(GST_X)
#undef GST_X
	};
	const char *unknown = gst_loss_words(UINT32_MAX);
	unsigned seen = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (!strcmp(reasons[i].name, "LOSS") && reasons[i].value != GST_LOSS_UNKNOWN) {
			assert_string_not_equal(gst_loss_words(reasons[i].value), unknown);
			seen++;
		}
	}
	assert_true(seen >= GST_LOSS_OLD_WINDOW);
}

static void test_api_error(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_call(s, 1, 1, 2, "call_memory", "cuMemAlloc_v2", 0, "size=1000");
	gst_scene_fail(s, 1, 2);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 100);
	/* Not ready is an answer. */
	gst_scene_call(s, 1, 20, 21, "call_stream", "cuStreamQuery", 1, NULL);
	gst_scene_fail(s, 1, 600);
	r = run(s);
	assert_string_equal(the(&r, "api-error")->title,
			    "cuMemAlloc failed once: out of memory (2)");
	assert_int_equal(the(&r, "api-error")->severity, GST_SEVERITY_MEDIUM);
	done(&r);

	s = gst_scene_new(NULL);
	gst_scene_kernel(s, 1, 10, 15, 0, "a", 1, 20, 100);
	gst_scene_call(s, 1, 20, 110, "call", "cuCtxSynchronize", 0, NULL);
	gst_scene_fail(s, 1, 700);
	gst_scene_call(s, 1, 120, 121, "call_memory", "cuMemFree_v2", 0, "address=0x1000");
	gst_scene_fail(s, 1, 700);
	r = run(s);
	/* One finding, not one for each call that it came back from. */
	assert_int_equal(the(&r, "api-error")->occurrence_count, 2);
	assert_int_equal(the(&r, "api-error")->severity, GST_SEVERITY_HIGH);
	assert_non_null(strstr(the(&r, "api-error")->title, "illegal memory access (700), first"));
	done(&r);
}

static void test_queue_full(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_kernel(s, 1, 10, 15, 0, "a", 1, 20, 900);
	gst_scene_device_record(s, "overhead type=command-buffer-full", 100, 300);
	gst_scene_device_record(s, "overhead type=command-buffer-full", 200, 400);
	gst_scene_device_record(s, "overhead type=buffer-flush", 500, 600);
	r = run(s);
	/* A union: 100 to 400. */
	assert_int_equal(the(&r, "queue-full")->blocked_ns, 300 * US);
	assert_int_equal(the(&r, "queue-full")->occurrence_count, 2);
	done(&r);
}

/* Copies before the first kernel are one line, and cost nothing. */
static void test_start_up(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_copy in = {.is_sync = true, .to_device = true};
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_copy(s, 1, 10, 1000, 0, in, 20, 990);
	gst_scene_copy(s, 1, 1010, 2000, 0, in, 1020, 1990);
	gst_scene_kernel(s, 1, 2010, 2015, 1, "k", 1, 2020, 3000);
	gst_scene_call(s, 1, 2020, 3010, "call", "cuCtxSynchronize", 0, NULL);
	r = run(s);
	assert_int_equal(the(&r, "synchronous-copy")->severity, GST_SEVERITY_INFO);
	assert_int_equal(the(&r, "synchronous-copy")->cost_ns, 0);
	assert_int_equal(the(&r, "synchronous-copy")->blocked_ns, 2 * 990 * US);
	done(&r);
}

static void test_launch_blocking(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_define(s, "string id=900 text=\"CUDA_LAUNCH_BLOCKING\"");
	gst_scene_define(s, "string id=901 text=\"1\"");
	gst_scene_define(s, "variable name=900 value=901");
	gst_scene_kernel(s, 1, 10, 115, 0, "a", 1, 20, 100);
	r = run(s);
	assert_int_equal(the(&r, "launch-blocking")->severity, GST_SEVERITY_HIGH);
	done(&r);
	s = gst_scene_new(NULL);
	gst_scene_define(s, "string id=900 text=\"CUDA_LAUNCH_BLOCKING\"");
	gst_scene_define(s, "string id=901 text=\"0\"");
	gst_scene_define(s, "variable name=900 value=901");
	gst_scene_kernel(s, 1, 10, 15, 0, "a", 1, 20, 100);
	r = run(s);
	assert_null(find(&r, "launch-blocking"));
	done(&r);
}

static void test_event_timing_flag(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_call_value(s, 1, 1, 2, "call_event", "cuEventCreate", 0, "flags=0", 0xe1);
	gst_scene_call_value(s, 1, 3, 4, "call_event", "cuEventCreate", 0, "flags=2", 0xe2);
	gst_scene_call_value(s, 1, 5, 6, "call_event", "cuEventCreate", 0, "flags=0", 0xe3);
	gst_scene_call_value(s, 1, 7, 8, "call_event", "cuEventCreate", 0, "flags=0", 0xe4);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 100);
	gst_scene_call(s, 1, 16, 17, "call_event", "cuEventRecord", 1, "event=0xe1");
	gst_scene_call(s, 1, 18, 19, "call_event", "cuEventRecord", 1, "event=0xe2");
	gst_scene_call(s, 1, 20, 21, "call_event", "cuEventRecord", 1, "event=0xe3");
	gst_scene_call(s, 1, 21, 22, "call_event", "cuEventRecord", 1, "event=0xe4");
	gst_scene_call(s, 1, 22, 110, "call_event", "cuEventSynchronize", 0, "event=0xe1");
	gst_scene_call(s, 1, 112, 113, "call_event", "cuEventSynchronize", 0, "event=0xe2");
	gst_scene_call(s, 1, 114, 115, "call_event", "cuEventSynchronize", 0, "event=0xe3");
	gst_scene_call(s, 1, 116, 117, "call_event", "cuEventElapsedTime", 0,
		       "event=0xe3 event2=0xe4");
	r = run(s);
	/* 0xe1 alone: 0xe2 has the flag, 0xe3 and 0xe4 were read. */
	assert_int_equal(the(&r, "event-timing-flag")->occurrence_count, 1);
	done(&r);
}

/* ---- the run as a whole ----------------------------------------------------------------------- */

static void test_only_and_skip(void **state)
{
	static const char *const wanted[] = {"pageable-copy"};
	static const char *const unknown[] = {"pagable-copy"};
	struct gst_check_options only = {.only = wanted, .only_count = 1};
	struct gst_check_options skip = {.skip = wanted, .skip_count = 1};
	struct gst_check_options wrong = {.skip = unknown, .skip_count = 1};
	struct gst_err err = {0};
	struct run r = {.s = gst_scene_new(NULL)};

	(void)state;
	gst_scene_pageable(r.s, true);
	run_with(&r, &only);
	assert_non_null(find(&r, "pageable-copy"));
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, &skip, r.x.arena, &r.f, &err), 0);
	assert_null(find(&r, "pageable-copy"));
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, &wrong, r.x.arena, &r.f, &err),
			 GST_E_FORMAT);
	assert_non_null(strstr(err.text, "\"pagable-copy\""));
	assert_non_null(strstr(err.text, "host-sync-stall"));
	done(&r);
}

/* Two ranks do the same: each would be shorter, though the other one would not. */
static void test_two_processes(void **state)
{
	struct gst_scene *s[2];
	struct gst_loader *l[2] = {NULL, NULL};
	struct gst_arena *arena = gst_arena_new(0);
	const struct gst_model *m;
	const struct gst_order *o;
	const struct gst_timing *t;
	const struct gst_findings *f;
	struct gst_err err = {0};
	uint32_t seen = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const char *text;
		s[i] = gst_scene_new(NULL);
		gst_scene_default_stream(s[i], true);
		text = gst_scene_text(s[i]);
		assert_int_equal(gst_loader_open_memory(text, strlen(text), i ? "b" : "a", NULL,
							&l[i], &err),
				 0);
	}
	assert_int_equal(gst_model_build(l, 2, arena, &m, &err), 0);
	assert_int_equal(m->process_count, 2);
	assert_int_equal(gst_order_build(m, arena, &o, &err), 0);
	assert_int_equal(gst_timing_build(m, o, arena, &t, &err), 0);
	assert_int_equal(gst_check_run(m, o, t, NULL, arena, &f, &err), 0);
	for (uint32_t i = 0; i < f->count; i++) {
		seen += strcmp(f->items[i].id, "default-stream-serialization") == 0;
		assert_int_equal(f->items[i].cost_ns, GST_SCENE_DEFAULT_GAIN_US * US);
	}
	assert_int_equal(seen, 2);
	gst_model_free(m);
	gst_arena_free(arena);
	for (int i = 0; i < 2; i++) {
		gst_loader_close(l[i]);
		gst_scene_free(s[i]);
	}
}

static void same_findings(const struct gst_findings *a, const struct gst_findings *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->hidden_count, b->hidden_count);
	assert_int_equal(a->hidden_blocked_ns, b->hidden_blocked_ns);
	for (uint32_t i = 0; i < a->count; i++) {
		const struct gst_finding *x = &a->items[i], *y = &b->items[i];
		assert_string_equal(x->id, y->id);
		assert_int_equal(x->severity, y->severity);
		assert_int_equal(x->cost_ns, y->cost_ns);
		assert_int_equal(x->cost_low_ns, y->cost_low_ns);
		assert_int_equal(x->cost_high_ns, y->cost_high_ns);
		assert_int_equal(x->blocked_ns, y->blocked_ns);
		assert_int_equal(x->occurrence_count, y->occurrence_count);
		assert_int_equal(x->path_count, y->path_count);
	}
}

static void test_same_in_other_words(void **state)
{
	static void (*const scenes[])(struct gst_scene *,
				      bool) = {gst_scene_default_stream, gst_scene_pageable,
					       gst_scene_device_sync, gst_scene_sync_copy};
	static const struct gst_scene_style styles[] = {
		{.name_prefix = "_Z9renamed_"},
		{.stream_step = 7},
		{.shift_us = 3600000000u},
		{.seed = 1},
		{.seed = 2},
		{.seed = 3},
		{.name_prefix = "x", .stream_step = 3, .shift_us = 77, .seed = 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		struct run plain;

		plain.s = gst_scene_new(NULL);
		scenes[i](plain.s, true);
		plain = run(plain.s);
		assert_true(plain.f->count > 0);
		for (size_t j = 0; j < sizeof(styles) / sizeof(styles[0]); j++) {
			struct run other;

			other.s = gst_scene_new(&styles[j]);
			scenes[i](other.s, true);
			other = run(other.s);
			same_findings(plain.f, other.f);
			done(&other);
		}
		done(&plain);
	}
}

/* Seventy places that wait for stream 1 before they launch into stream 2: the 64 with most to gain are replayed. */
static void test_more_places_than_are_replayed(void **state)
{
	const struct gst_check_options all = {.all = true};
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_err err = {0};
	struct run r;
	uint32_t t = 100;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	for (uint32_t i = 0; i < 70; i++) {
		char name[8];

		snprintf(name, sizeof(name), "k%u", i);
		gst_scene_kernel(s, 1, t, t + 5, 1, "long", 1, t + 10, t + 110);
		gst_scene_call(s, 1, t + 6, t + 112, "call_stream", "cuStreamSynchronize", 1, NULL);
		gst_scene_kernel(s, 1, t + 113, t + 118, 2, name, 1, t + 120, t + 125);
		t += 130;
	}
	r = run(s);
	assert_int_equal(r.f->skipped_count, 6);
	assert_true(r.f->hidden_count >= 6);
	/* Their cost is not known, so they are never shown. */
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, &all, r.x.arena, &r.f, &err), 0);
	assert_int_equal(r.f->skipped_count, 6);
	assert_int_equal(r.f->hidden_count, 6);
	done(&r);
}

/* Two places that wait for stream 1 before they launch into stream 2: 100 us, and 6 us, less than is worth a line. */
static void test_all_shows_what_is_small(void **state)
{
	const struct gst_check_options all = {.all = true};
	struct gst_scene *s = gst_scene_new(NULL);
	const struct gst_finding *large;
	struct gst_err err = {0};
	uint32_t hidden;
	struct run r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 100, 105, 1, "long", 1, 110, 210);
	gst_scene_call(s, 1, 106, 212, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_kernel(s, 1, 213, 218, 2, "a", 1, 220, 225);
	gst_scene_kernel(s, 1, 226, 230, 1, "short", 1, 234, 240);
	gst_scene_call(s, 1, 231, 241, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_kernel(s, 1, 242, 246, 2, "b", 1, 250, 255);
	r = run(s);
	assert_int_equal(r.f->count, 1);
	large = &r.f->items[0];
	hidden = r.f->hidden_count;
	assert_int_equal(hidden, 1);
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, &all, r.x.arena, &r.f, &err), 0);
	assert_int_equal(r.f->count, 1 + hidden);
	assert_int_equal(r.f->hidden_count, 0);
	assert_int_equal(r.f->hidden_blocked_ns, 0);
	assert_int_equal(r.f->items[0].cost_ns, large->cost_ns);
	assert_false(r.f->items[0].is_small);
	assert_true(r.f->items[1].is_small);
	assert_true(r.f->items[1].cost_is_known);
	assert_in_range(r.f->items[1].cost_ns, 1, 9999);
	assert_int_equal(r.f->items[1].severity, GST_SEVERITY_INFO);
	done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_shows_what_is_small),
		cmocka_unit_test(test_more_places_than_are_replayed),
		cmocka_unit_test(test_default_stream),
		cmocka_unit_test(test_ranges_are_named),
		cmocka_unit_test(test_default_stream_with_another_relation),
		cmocka_unit_test(test_load_bearing_barrier),
		cmocka_unit_test(test_pageable_copy),
		cmocka_unit_test(test_staged_copies_are_fine),
		cmocka_unit_test(test_sync_copy),
		cmocka_unit_test(test_sync_copy_behind_unknown_work),
		cmocka_unit_test(test_sync_copy_for_the_next_kernel),
		cmocka_unit_test(test_broad_wait),
		cmocka_unit_test(test_broad_wait_after_many_launches),
		cmocka_unit_test(test_early_wait),
		cmocka_unit_test(test_wait_for_what_is_related),
		cmocka_unit_test(test_wait_for_the_same_stream),
		cmocka_unit_test(test_waits_for_lost_work),
		cmocka_unit_test(test_redundant_wait),
		cmocka_unit_test(test_needed_waits_cost_nothing),
		cmocka_unit_test(test_implicit_sync),
		cmocka_unit_test(test_lost_records),
		cmocka_unit_test(test_stale_ids),
		cmocka_unit_test(test_every_loss_has_words),
		cmocka_unit_test(test_losses_say_what_they_weaken),
		cmocka_unit_test(test_api_error),
		cmocka_unit_test(test_queue_full),
		cmocka_unit_test(test_start_up),
		cmocka_unit_test(test_launch_blocking),
		cmocka_unit_test(test_event_timing_flag),
		cmocka_unit_test(test_only_and_skip),
		cmocka_unit_test(test_two_processes),
		cmocka_unit_test(test_same_in_other_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
