/*
 * check_starved_test.c - gpu-starved: the device had nothing to do, because the host had not submitted it yet.
 *
 * Role      : what docs/HOWTO_ADD_CHECK.md asks of the check: runs that show it, with their idle time worked out by hand,
 *             and runs that look the same and do not.
 * Method    : scenes (scene.h) of ten batches in one stream; a kernel begins 10 us after the call that launches it.
 * Invariant : no expected number comes from the output.
 * Not here  : other checks (check_test.c); recorded traces (their EXPECT lines).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/check/check.h"
#include "analyzer/test/scene.h"

#define US	UINT64_C(1000)
#define BATCHES 10u

struct run {
	struct gst_scene *s;
	struct gst_scene_stages x;
	const struct gst_findings *f;
};

static struct run run(struct gst_scene *s)
{
	struct gst_err err = {0};
	struct run r = {.s = s};

	gst_scene_analyze(s, &r.x);
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, NULL, r.x.arena, &r.f, &err), 0);
	return r;
}

static void done(struct run *r)
{
	gst_scene_release(&r->x);
	gst_scene_free(r->s);
}

static uint32_t count(const struct run *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->f->count; i++) {
		n += strcmp(r->f->items[i].id, "gpu-starved") == 0;
	}
	return n;
}

/* The one finding, which waited for @blocked_us in @times pauses; work began @late_us in all after it had been submitted. */
static const struct gst_finding *the_late(const struct run *r, uint32_t times, uint64_t blocked_us,
					  uint64_t late_us)
{
	const struct gst_finding *f = NULL;

	assert_int_equal(count(r), 1);
	for (uint32_t i = 0; i < r->f->count; i++) {
		f = strcmp(r->f->items[i].id, "gpu-starved") == 0 ? &r->f->items[i] : f;
	}
	assert_int_equal(f->occurrence_count, times);
	assert_int_equal(f->blocked_ns, blocked_us * US);
	assert_int_equal(f->cost_high_ns, (blocked_us + late_us) * US);
	assert_int_equal(f->cost_low_ns, 0);
	assert_true(f->cost_is_known && f->severity <= GST_SEVERITY_LOW);
	assert_true(f->advice && f->advice[0]);
	assert_int_equal(f->path_count, 1);
	assert_int_equal(gst_order_edge(r->x.o, f->path[0]).rule, GST_RULE_U1);
	return f;
}

static const struct gst_finding *the(const struct run *r, uint32_t times, uint64_t blocked_us)
{
	return the_late(r, times, blocked_us, 0);
}

static void says(const struct gst_finding *f, const char *words)
{
	if (!strstr(f->detail, words)) {
		fail_msg("\"%s\" is not in:\n%s", words, f->detail);
	}
}

/* A kernel of @us, launched at @at. */
static void kernel(struct gst_scene *s, uint32_t at, uint32_t us)
{
	gst_scene_kernel(s, 1, at, at + 5, 1, "k", 1, at + 10, at + 10 + us);
}

/*
 * Each ms a kernel of 500 us: it ends 510 us after its launch, the next one begins at 1010. Between two the device is idle
 * for 500 us, of which the host is outside of CUDA for 490.
 */
static void starved(struct gst_scene *s)
{
	gst_scene_stream(s, 1, false);
	for (uint32_t i = 0; i < BATCHES; i++) {
		kernel(s, 1000 * i + 100, 500);
	}
}

static void test_host_code(void **state)
{
	struct run r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	starved(r.s);
	r = run(r.s);
	f = the(&r, BATCHES - 1, 500 * (BATCHES - 1));
	assert_true(f->cost_is_bound);
	assert_int_equal(f->cost_ns, 0);
	assert_int_equal(f->severity, GST_SEVERITY_LOW);
	assert_non_null(strstr(f->title, "outside of CUDA"));
	says(f, "from cuLaunchKernel to cuLaunchKernel, 9 times");
	says(f, "other");
	assert_int_equal(f->occurrences[0].waiter, gst_scene_op(&r.x, "k", 2));
	assert_int_equal(f->occurrences[0].begin_ns + 500 * US, f->occurrences[0].end_ns);
	done(&r);
}

/* The same kernels, launched one after the other before the first one has ended. */
static void test_submitted_ahead(void **state)
{
	struct run r;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	for (uint32_t i = 0; i < BATCHES; i++) {
		/* The device itself takes 60 us from one to the next: nobody else does. */
		gst_scene_kernel(r.s, 1, 10 * i + 100, 10 * i + 105, 1, "k", 1, 110 + 560 * i,
				 110 + 560 * i + 500);
	}
	r = run(r.s);
	assert_int_equal(count(&r), 0);
	done(&r);
}

/* Fifty kernels of 5 us, launched every 20 us: idle for 15 us each time, 5 us of that between two calls. */
static void test_launches(void **state)
{
	struct run r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	for (uint32_t i = 0; i < 50; i++) {
		kernel(r.s, 20 * i + 100, 5);
	}
	r = run(r.s);
	f = the(&r, 49, 49 * 15);
	assert_true(f->cost_is_bound);
	assert_non_null(strstr(f->title, "between launches"));
	says(f, "15.0 us on average, 5.00 us of it outside of CUDA");
	says(f, "the call that ended it took 5.00 us, and what it submitted ran for 5.00 us");
	says(f, "what graphs would gain is not known");
	done(&r);
}

/*
 * The host waits for each kernel, comes back 50 us after its end, and launches the next one 440 us later: 450 us are its
 * own. The wait is needed, and no stall of that name.
 */
static void test_after_a_wait(void **state)
{
	struct run r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	for (uint32_t i = 0; i < BATCHES; i++) {
		uint32_t t = 1000 * i + 100;

		kernel(r.s, t, 500);
		gst_scene_call(r.s, 1, t + 20, t + 560, "call_stream", "cuStreamSynchronize", 1,
			       NULL);
	}
	r = run(r.s);
	f = the(&r, BATCHES - 1, 450 * (BATCHES - 1));
	says(f, "9 times the host came out of a wait (cuStreamSynchronize)");
	says(f, "from cuStreamSynchronize to cuLaunchKernel");
	for (uint32_t i = 0; i < r.f->count; i++) {
		assert_string_not_equal(r.f->items[i].id, "host-sync-stall");
	}
	done(&r);
}

/*
 * A synchronous copy between two kernels: its call (300 us, of which the copy takes 10) is that of another finding.
 * Before it the host is away for 190 us, after it for 90; the kernel begins 10 us after its launch: 190 + 100.
 */
static void test_copies_are_others(void **state)
{
	struct run r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	for (uint32_t i = 0; i < BATCHES; i++) {
		uint32_t t = 1000 * i + 100;

		kernel(r.s, t, 390); /* to t + 400 */
		gst_scene_copy(
			r.s, 1, t + 590, t + 890, 1,
			(struct gst_scene_copy){.is_sync = true, .to_device = true, .dst = 0x1000},
			t + 870, t + 880);
		/* The next launch is at t + 1000. */
	}
	r = run(r.s);
	/* Before the copies, of which there are ten, and after all but the last. */
	f = the(&r, 2 * BATCHES - 2, (190 + 120) * (BATCHES - 1));
	says(f, "came out of a wait (cuMemcpyHtoD)");
	done(&r);
}

/* Copies here and there before the first kernel and after the last one: start-up and shut-down. */
static void test_start_up(void **state)
{
	static const struct gst_scene_copy copy = {.to_device = true};
	struct run r;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	for (uint32_t i = 0; i < BATCHES; i++) {
		gst_scene_copy(r.s, 1, 1000 * i + 100, 1000 * i + 105, 1, copy, 1000 * i + 110,
			       1000 * i + 120);
	}
	for (uint32_t i = 0; i < BATCHES; i++) {
		gst_scene_kernel(r.s, 1, 20000 + 10 * i, 20005 + 10 * i, 1, "k", 1, 20010 + 500 * i,
				 20010 + 500 * i + 500);
	}
	for (uint32_t i = 0; i < BATCHES; i++) {
		gst_scene_copy(r.s, 1, 1000 * i + 30100, 1000 * i + 30105, 1, copy,
			       1000 * i + 30110, 1000 * i + 30120);
	}
	r = run(r.s);
	assert_int_equal(count(&r), 0);
	done(&r);
}

/* One pause of 5 ms and two of 500 us: no loop. */
static void test_once(void **state)
{
	struct run r;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	kernel(r.s, 100, 500);
	kernel(r.s, 5600, 500);
	kernel(r.s, 6600, 500);
	kernel(r.s, 7600, 500);
	r = run(r.s);
	assert_int_equal(count(&r), 0);
	done(&r);
}

/* One pause of 50 ms, and four of 200 us that are not worth a line: one long pause is no loop, wherever it was. */
static void test_one_long_pause(void **state)
{
	struct run r;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	kernel(r.s, 100, 500);
	for (uint32_t i = 0; i < 5; i++) {
		kernel(r.s, 50600 + 700 * i, 500);
	}
	r = run(r.s);
	assert_int_equal(count(&r), 0);
	done(&r);
}

/*
 * All but the first kernel begin 110 us after their launch, 100 us later than they could have: that is not the host's. Once it
 * is late by 700 us, then eight times by 600. Had it submitted in time, these 100 us might be gone too: they count for the bound.
 */
static void test_late_device(void **state)
{
	struct run r;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	for (uint32_t i = 0; i < BATCHES; i++) {
		uint32_t t = 1000 * i + 100, begin = t + (i ? 110 : 10);

		gst_scene_kernel(r.s, 1, t, t + 5, 1, "k", 1, begin, begin + 300);
	}
	r = run(r.s);
	(void)the_late(&r, BATCHES - 1, 700 + 600 * (BATCHES - 2), 100 * (BATCHES - 1));
	done(&r);
}

/* After each kernel one without a record was launched: it may have run all the time. */
static void test_lost_work(void **state)
{
	struct run r;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	for (uint32_t i = 0; i < BATCHES; i++) {
		kernel(r.s, 1000 * i + 100, 500);
		gst_scene_lost_kernel(r.s, 1, 1000 * i + 120, 1000 * i + 125, 1, "lost");
	}
	r = run(r.s);
	assert_int_equal(count(&r), 0);
	done(&r);
}

/* Another stream of the device is busy meanwhile. */
static void test_another_stream(void **state)
{
	struct run r;

	(void)state;
	r.s = gst_scene_new(NULL);
	starved(r.s);
	gst_scene_stream(r.s, 2, false);
	gst_scene_kernel(r.s, 2, 100, 105, 2, "other", 1, 115, 9900);
	r = run(r.s);
	assert_int_equal(count(&r), 0);
	done(&r);
}

/*
 * The host makes a stream wait for an event of another one each time, right before it launches there: the wait was over
 * long ago, only its submission came late. So nothing is told of less time than without it.
 */
static void test_waits_take_no_time(void **state)
{
	struct run r;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_stream(r.s, 1, false);
	gst_scene_stream(r.s, 2, false);
	gst_scene_call_value(r.s, 1, 10, 12, "call_event", "cuEventCreate", 0, "flags=2", 0x7);
	gst_scene_call(r.s, 1, 20, 22, "call_event", "cuEventRecord", 2, "event=0x7");
	for (uint32_t i = 0; i < BATCHES; i++) {
		gst_scene_call(r.s, 1, 1000 * i + 94, 1000 * i + 98, "call_event",
			       "cuStreamWaitEvent", 1, "event=0x7");
		kernel(r.s, 1000 * i + 100, 500);
	}
	r = run(r.s);
	(void)the(&r, BATCHES - 1, 500 * (BATCHES - 1));
	done(&r);
}

/* Of two processes each has its own device. */
static void test_two_processes(void **state)
{
	struct gst_scene *scenes[2];
	struct gst_err err = {0};
	struct run r = {0};
	const struct gst_finding *f;

	(void)state;
	for (int i = 0; i < 2; i++) {
		scenes[i] = gst_scene_new(NULL);
		starved(scenes[i]);
	}
	gst_scene_analyze_together(scenes, 2, &r.x);
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, NULL, r.x.arena, &r.f, &err), 0);
	assert_int_equal(count(&r), 2);
	f = &r.f->items[0];
	assert_int_equal(f->blocked_ns, 4500 * US);
	assert_non_null(strstr(f->title, "of process"));
	gst_scene_release(&r.x);
	gst_scene_free(scenes[0]);
	gst_scene_free(scenes[1]);
}

static void test_in_other_words(void **state)
{
	static const struct gst_scene_style styles[] = {{.name_prefix = "_Z9renamed_"},
							{.stream_step = 7},
							{.shift_us = 3600000000u},
							{.seed = 1},
							{.seed = 2}};

	(void)state;
	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		struct run r;

		r.s = gst_scene_new(&styles[i]);
		starved(r.s);
		r = run(r.s);
		(void)the(&r, BATCHES - 1, 500 * (BATCHES - 1));
		done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_code),
		cmocka_unit_test(test_submitted_ahead),
		cmocka_unit_test(test_launches),
		cmocka_unit_test(test_after_a_wait),
		cmocka_unit_test(test_copies_are_others),
		cmocka_unit_test(test_start_up),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_one_long_pause),
		cmocka_unit_test(test_late_device),
		cmocka_unit_test(test_lost_work),
		cmocka_unit_test(test_another_stream),
		cmocka_unit_test(test_waits_take_no_time),
		cmocka_unit_test(test_two_processes),
		cmocka_unit_test(test_in_other_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
