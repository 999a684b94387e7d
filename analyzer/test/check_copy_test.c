/*
 * check_copy_test.c - pageable-copy and synchronous-copy: when they fire, when not, and their cost.
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

static void test_pageable_copy(void **state)
{
	struct found r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_pageable(r.s, true);
	r = found_run(r.s);
	f = found_the(&r, "pageable-copy");
	assert_int_equal(f->cost_ns, GST_SCENE_PAGEABLE_GAIN_US * US);
	assert_int_equal(f->blocked_ns, GST_SCENE_PAGEABLE_BLOCKED_US * US);
	assert_int_equal(f->occurrence_count, 2);
	assert_true(found_has_rule(&r, f, GST_RULE_H5));
	assert_null(found_find(&r, "default-stream-serialization"));
	assert_null(found_find(&r, "host-sync-stall"));
	found_done(&r);

	r.s = gst_scene_new(NULL);
	gst_scene_pageable(r.s, false);
	r = found_run(r.s);
	assert_int_equal(r.f->count, 0);
	found_done(&r);
}

/* Small copies to the device are staged at once: their calls took no longer than a pinned copy's. */
static void test_staged_copies_are_fine(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_copy pinned = {.to_device = true, .bytes = 4096};
	struct gst_scene_copy pageable = {.to_device = true, .is_pageable = true, .bytes = 4096};
	struct found r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "k", 1, 20, 5000);
	gst_scene_copy(s, 1, 20, 38, 1, pinned, 5000, 5010);
	gst_scene_copy(s, 1, 40, 60, 1, pageable, 5010, 5020);
	gst_scene_call(s, 1, 70, 5030, "call", "cuCtxSynchronize", 0, NULL);
	r = found_run(s);
	assert_int_equal(r.f->count, 0);
	assert_int_equal(r.f->hidden_count, 0);
	found_done(&r);
}

static void test_sync_copy(void **state)
{
	struct found r;
	const struct gst_finding *f;

	(void)state;
	r.s = gst_scene_new(NULL);
	gst_scene_sync_copy(r.s, true);
	r = found_run(r.s);
	f = found_the(&r, "synchronous-copy");
	assert_int_equal(f->cost_ns, GST_SCENE_SYNC_COPY_GAIN_US * US);
	assert_int_equal(f->blocked_ns, GST_SCENE_SYNC_COPY_BLOCKED_US * US);
	assert_int_equal(f->occurrence_count, 2);
	assert_true(found_has_rule(&r, f, GST_RULE_H4));
	assert_null(found_find(&r, "host-sync-stall"));
	assert_null(found_find(&r, "default-stream-serialization"));
	found_done(&r);

	r.s = gst_scene_new(NULL);
	gst_scene_sync_copy(r.s, false);
	r = found_run(r.s);
	found_nothing_but_info(&r);
	assert_null(found_find(&r, "synchronous-copy"));
	found_done(&r);
}

/* Before each copy there is a kernel in its stream without a record: perhaps that was the wait. */
static void test_sync_copy_behind_unknown_work(void **state)
{
	const struct gst_scene_copy in = {.is_sync = true, .to_device = true, .is_pageable = true};
	struct found r;

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
		r = found_run(s);
		assert_int_equal(found_find(&r, "synchronous-copy") == NULL, is_lost);
		found_done(&r);
	}
}

/* The kernel that follows runs in the default stream, after the copy by stream order. */
static void test_sync_copy_for_the_next_kernel(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

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
	r = found_run(s);
	found_nothing_but_info(&r);
	found_done(&r);
}

/* Copies before the first kernel are one line, and cost nothing. */
static void test_start_up(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_scene_copy in = {.is_sync = true, .to_device = true};
	struct found r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_copy(s, 1, 10, 1000, 0, in, 20, 990);
	gst_scene_copy(s, 1, 1010, 2000, 0, in, 1020, 1990);
	gst_scene_kernel(s, 1, 2010, 2015, 1, "k", 1, 2020, 3000);
	gst_scene_call(s, 1, 2020, 3010, "call", "cuCtxSynchronize", 0, NULL);
	r = found_run(s);
	assert_int_equal(found_the(&r, "synchronous-copy")->severity, GST_SEVERITY_INFO);
	assert_int_equal(found_the(&r, "synchronous-copy")->cost_ns, 0);
	assert_int_equal(found_the(&r, "synchronous-copy")->blocked_ns, 2 * 990 * US);
	found_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pageable_copy),
		cmocka_unit_test(test_staged_copies_are_fine),
		cmocka_unit_test(test_sync_copy),
		cmocka_unit_test(test_sync_copy_behind_unknown_work),
		cmocka_unit_test(test_sync_copy_for_the_next_kernel),
		cmocka_unit_test(test_start_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
