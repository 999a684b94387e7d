/*
 * check_stream_test.c - default-stream-serialization: when it fires, when not, and its cost.
 *
 * Role      : what docs/HOWTO_ADD_CHECK.md asks of a check: a run that shows it, one that does not, its cost.
 * Method    : the scenes of scenes.h and small ones of its own.
 * Invariant : no expected number comes from the output; each is worked out beside its scene.
 * Not here  : the same runs in other words (check_test.c), recorded traces (their EXPECT lines).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/test/found.h"
#include "analyzer/test/scenes.h"

static void test_default_stream(void **state)
{
	struct found r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_default_stream(r.s, true);
	r = found_run(r.s);
	f = found_the(&r, "default-stream-serialization");
	assert_int_equal(f->cost_ns, GST_SCENE_DEFAULT_GAIN_US * US);
	assert_int_equal(f->blocked_ns, GST_SCENE_DEFAULT_BLOCKED_US * US);
	/* middle and last four times, first three times. */
	assert_int_equal(f->occurrence_count, 11);
	assert_int_equal(f->severity, GST_SEVERITY_HIGH);
	assert_true(found_has_rule(&r, f, GST_RULE_S3));
	assert_int_equal(f->occurrences[0].culprit, gst_scene_op(&r.x, "first", 1));
	assert_int_equal(f->occurrences[0].waiter, gst_scene_op(&r.x, "middle", 1));
	assert_null(f->withheld);
	assert_null(strstr(f->detail, "load-bearing"));
	found_done(&r);

	r.s = gst_scene_new(NULL);
	gst_scene_default_stream(r.s, false);
	r = found_run(r.s);
	assert_int_equal(r.f->count, 0);
	found_done(&r);
}

/* A (stream 1) and B (legacy), one after the other; @what stands between them. */
enum between { NOTHING, EVENT, HOST_WAIT, ONE_STREAM };

static struct found one_after_the_other(enum between what)
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
	return found_run(s);
}

/* Whoever reads a finding looks for the ranges of his program: the launches of "middle" are made in two of them. */
static void test_ranges_are_named(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	const struct gst_finding *f;
	struct found r;
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
	r = found_run(s);
	f = found_the(&r, "default-stream-serialization");
	/* Each of the waits is for the device, and all but one third of them in the first range. */
	assert_non_null(strstr(f->detail, "\nin NVTX range forward ("));
	assert_non_null(strstr(f->detail, "), backward ("));
	assert_null(strstr(f->detail, "step"));
	found_done(&r);

	s = gst_scene_new(NULL);
	gst_scene_default_stream(s, true);
	r = found_run(s);
	assert_null(strstr(found_the(&r, "default-stream-serialization")->detail, "NVTX"));
	found_done(&r);
}

static void test_default_stream_with_another_relation(void **state)
{
	struct found r;

	(void)state;
	r = one_after_the_other(NOTHING);
	/* Without the barrier b begins 10 us after its call, at 40 instead of 1020. */
	assert_int_equal(found_the(&r, "default-stream-serialization")->cost_ns, (1020 - 40) * US);
	found_done(&r);
	/* Not even counted as too small to show. */
	r = one_after_the_other(EVENT);
	assert_null(found_find(&r, "default-stream-serialization"));
	assert_int_equal(r.f->hidden_count, 0);
	found_done(&r);
	r = one_after_the_other(HOST_WAIT);
	assert_null(found_find(&r, "default-stream-serialization"));
	assert_int_equal(r.f->hidden_count, 0);
	found_done(&r);
	r = one_after_the_other(ONE_STREAM);
	assert_int_equal(r.f->count, 0);
	found_done(&r);
}

/* A copy in stream 1 writes what a copy in the default stream reads: the barrier is needed. */
static void test_load_bearing_barrier(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

	(void)state;
	gst_scene_stream(s, 1, true);
	gst_scene_copy(s, 1, 10, 15, 1,
		       (struct gst_scene_copy){.to_device = true, .dst = 0x7000, .bytes = 4096}, 20,
		       1020);
	gst_scene_copy(s, 1, 20, 25, 0, (struct gst_scene_copy){.src = 0x7800, .bytes = 4096}, 1020,
		       2020);
	gst_scene_call(s, 1, 30, 2030, "call", "cuCtxSynchronize", 0, NULL);
	r = found_run(s);
	assert_non_null(strstr(found_the(&r, "default-stream-serialization")->detail,
			       "load-bearing-barrier: 1 of these waits"));
	found_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_stream),
		cmocka_unit_test(test_ranges_are_named),
		cmocka_unit_test(test_default_stream_with_another_relation),
		cmocka_unit_test(test_load_bearing_barrier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
