/*
 * check_wait_test.c - host-sync-stall and implicit-sync: when they fire, when not, and their cost.
 *
 * Role      : what docs/HOWTO_ADD_CHECK.md asks of a check: a run that shows it, one that does not, its cost.
 * Method    : the scenes of scenes.h and small ones of its own.
 * Invariant : no expected number comes from the output; each is worked out beside its scene.
 * Not here  : the same runs in other words (check_test.c), recorded traces (their EXPECT lines).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analyzer/test/found.h"
#include "analyzer/test/scenes.h"

static void test_broad_wait(void **state)
{
	struct found r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_device_sync(r.s, true);
	r = found_run(r.s);
	f = found_the(&r, "host-sync-stall");
	assert_int_equal(f->cost_ns, GST_SCENE_BROAD_GAIN_US * US);
	assert_int_equal(f->blocked_ns, GST_SCENE_BROAD_BLOCKED_US * US);
	assert_true(found_has_rule(&r, f, GST_RULE_H1));
	assert_int_equal(f->occurrences[0].culprit, gst_scene_op(&r.x, "background", 1));
	assert_int_equal(f->occurrences[0].waiter, gst_scene_op(&r.x, "step", 2));
	found_done(&r);

	r.s = gst_scene_new(NULL);
	gst_scene_device_sync(r.s, false);
	r = found_run(r.s);
	assert_int_equal(r.f->count, 0);
	found_done(&r);
}

/* The same after a queue of five thousand launches: however long it is, the background is no part of it. */
static void test_broad_wait_after_many_launches(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;
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
	r = found_run(s);
	/* The last of the many ends at 20030, the wait 10 us later, the step at 20060 + 5000: background lasts longer, until 60030. */
	assert_int_equal(found_the(&r, "host-sync-stall")->cost_ns, (65060 - 60030) * US);
	found_done(&r);
}

/*
 * a (stream 1) 20..1020 is waited for, then b (stream 2) is launched at 1040 after @pause; both are waited for at
 * the end. Early: b could have been launched at 40 (10 us after the call at 30 returns, which then takes its own
 * 10 us) and would end at 1050, the last wait 10 us later: 2060 - 1060 = 1000 us.
 */
static struct found wait_then_launch(uint32_t pause, bool same_stream, uint32_t blocks)
{
	struct gst_scene *s = gst_scene_new(NULL);
	uint32_t t = 1030 + pause;

	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", blocks, 20, 1020);
	gst_scene_call(s, 1, 20, 1030, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_kernel(s, 1, t, t + 5, same_stream ? 1 : 2, "b", blocks, t + 10, t + 1010);
	gst_scene_call(s, 1, t + 10, t + 1020, "call", "cuCtxSynchronize", 0, NULL);
	return found_run(s);
}

static void test_early_wait(void **state)
{
	struct found r = wait_then_launch(10, false, 1);
	const struct gst_finding *f = found_the(&r, "host-sync-stall");

	(void)state;
	assert_int_equal(f->cost_ns, 1000 * US);
	assert_int_equal(f->blocked_ns, 1000 * US);
	found_done(&r);
	/* The host did something in between: perhaps with the result. */
	r = wait_then_launch(100, false, 1);
	assert_int_equal(r.f->count, 0);
	found_done(&r);
	/* b comes after a anyway. */
	r = wait_then_launch(10, true, 1);
	assert_int_equal(r.f->count, 0);
	found_done(&r);
	/*
	 * Each takes three quarters of the device: from 50 on both run at 1 / 1.5. a, with 970 us left, ends
	 * at 1505, b 30 us of its own later, at 1535; the last wait returns at 1545.
	 */
	r = wait_then_launch(10, false, 3168);
	assert_int_equal(found_the(&r, "host-sync-stall")->cost_low_ns, (2060 - 1545) * US);
	assert_int_equal(found_the(&r, "host-sync-stall")->cost_high_ns, 1000 * US);
	found_done(&r);
}

/* The next work comes after what was waited for by two events through a third stream. */
static void test_wait_for_what_is_related(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

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
	r = found_run(s);
	assert_null(found_find(&r, "host-sync-stall"));
	assert_int_equal(r.f->hidden_count, 0);
	found_done(&r);
}

/* The next work is in the same stream, with an event record between. */
static void test_wait_for_the_same_stream(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_call_value(s, 1, 1, 2, "call_event", "cuEventCreate", 0, "flags=2", 0xe1);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_call(s, 1, 20, 1030, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_call(s, 1, 1032, 1033, "call_event", "cuEventRecord", 1, "event=0xe1");
	gst_scene_kernel(s, 1, 1040, 1045, 1, "b", 1, 1050, 2050);
	gst_scene_call(s, 1, 1050, 2060, "call", "cuCtxSynchronize", 0, NULL);
	r = found_run(s);
	assert_null(found_find(&r, "host-sync-stall"));
	assert_int_equal(r.f->hidden_count, 0);
	found_done(&r);
}

/* Whether these waits found something pending nobody knows: the kernel's record is lost. */
static void test_waits_for_lost_work(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_lost_kernel(s, 1, 10, 15, 1, "lost");
	for (uint32_t i = 0; i < 60; i++) {
		gst_scene_call(s, 1, 200 + 20 * i, 215 + 20 * i, "call_stream",
			       "cuStreamSynchronize", 1, NULL);
	}
	gst_scene_kernel(s, 1, 1500, 1505, 1, "b", 1, 1510, 1600);
	gst_scene_call(s, 1, 1510, 1610, "call_stream", "cuStreamSynchronize", 1, NULL);
	r = found_run(s);
	assert_null(found_find(&r, "host-sync-stall"));
	assert_int_equal(r.f->hidden_count, 0);
	found_done(&r);
}

static void test_redundant_wait(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;
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
	r = found_run(s);
	f = found_the(&r, "host-sync-stall");
	assert_int_equal(f->occurrence_count, 60);
	assert_int_equal(f->cost_ns, 900 * US);
	assert_int_equal(f->blocked_ns, 0);
	found_done(&r);
}

/* A loop that the device bounds: the host waits nearly all the time, and nothing is to be gained. */
static void test_needed_waits_cost_nothing(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

	(void)state;
	gst_scene_stream(s, 1, false);
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t t = 10 + 1030 * i;
		gst_scene_kernel(s, 1, t, t + 5, 1, "a", 1, t + 10, t + 1010);
		gst_scene_call(s, 1, t + 10, t + 1020, "call_stream", "cuStreamSynchronize", 1,
			       NULL);
	}
	r = found_run(s);
	assert_int_equal(r.f->count, 0);
	found_done(&r);
}

static void test_implicit_sync(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;
	const struct gst_finding *f;

	(void)state;
	/* The free lasts until a is over; b, in another stream, is launched only then. */
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_call(s, 1, 20, 1030, "call_memory", "cuMemFree_v2", 0, "address=0x1000");
	gst_scene_kernel(s, 1, 1040, 1045, 2, "b", 1, 1050, 2050);
	gst_scene_call(s, 1, 1050, 2060, "call", "cuCtxSynchronize", 0, NULL);
	r = found_run(s);
	f = found_the(&r, "implicit-sync");
	/* The free takes its last 10 us alone: b runs 50..1050, the wait is over at 1060. */
	assert_int_equal(f->cost_ns, 1000 * US);
	assert_int_equal(f->blocked_ns, 1000 * US);
	assert_true(found_has_rule(&r, f, GST_RULE_H7));
	found_done(&r);

	/* It returned while a still ran: whatever took its time, it was no wait for a. */
	s = gst_scene_new(NULL);
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 1020);
	gst_scene_call(s, 1, 20, 900, "call_memory", "cuMemFree_v2", 0, "address=0x1000");
	gst_scene_call(s, 1, 950, 1030, "call", "cuCtxSynchronize", 0, NULL);
	r = found_run(s);
	assert_null(found_find(&r, "implicit-sync"));
	assert_int_equal(r.f->hidden_count, 0);
	found_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broad_wait),
		cmocka_unit_test(test_broad_wait_after_many_launches),
		cmocka_unit_test(test_early_wait),
		cmocka_unit_test(test_wait_for_what_is_related),
		cmocka_unit_test(test_wait_for_the_same_stream),
		cmocka_unit_test(test_waits_for_lost_work),
		cmocka_unit_test(test_redundant_wait),
		cmocka_unit_test(test_needed_waits_cost_nothing),
		cmocka_unit_test(test_implicit_sync),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
