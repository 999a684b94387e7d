/*
 * window_test.c - windows open and close; device records find theirs.
 */
#include "tracer/window.h"
#include "tracer/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static bool is_in(const struct gst_windows *w, uint32_t corr, uint32_t segment)
{
	uint32_t found;

	return gst_windows_find(w, corr, 0, &found) == GST_WINDOWS_INSIDE && found == segment;
}

static bool is_out(const struct gst_windows *w, uint32_t corr)
{
	uint32_t found;

	return gst_windows_find(w, corr, 0, &found) == GST_WINDOWS_OUTSIDE;
}

static bool is_forgotten(const struct gst_windows *w, uint32_t corr)
{
	uint32_t found;

	return gst_windows_find(w, corr, 0, &found) == GST_WINDOWS_FORGOTTEN;
}

static void running_from_the_start(void **state)
{
	static struct gst_windows w;
	uint64_t before = gst_clock_mono_ns();

	(void)state;
	gst_windows_init(&w, false);
	assert_int_equal(gst_windows_closed_ns(&w, 0), 0);
	assert_true(gst_windows_is_open(gst_windows_now(&w)));
	assert_false(gst_windows_open(&w, 5));
	assert_true(is_in(&w, 1, 0) && is_in(&w, UINT32_MAX, 0) && is_in(&w, 0, 0));
	assert_true(gst_windows_close(&w, 100));
	assert_false(gst_windows_close(&w, 101));
	assert_true(gst_windows_closed_ns(&w, 0) >= before &&
		    gst_windows_closed_ns(&w, 0) <= gst_clock_mono_ns());
	assert_true(!gst_windows_closed_ns(&w, 1) && !gst_windows_closed_ns(&w, GST_WINDOWS_KEPT));
	assert_true(is_in(&w, 1, 0) && is_in(&w, 100, 0) && is_out(&w, 101));
	assert_true(gst_windows_open(&w, 200));
	assert_int_equal(gst_windows_segment(gst_windows_now(&w)), 1);
	assert_true(is_in(&w, 100, 0) && is_out(&w, 199) && is_in(&w, 200, 1) && is_in(&w, 300, 1));
}

static void paused_at_the_start(void **state)
{
	static struct gst_windows w;
	uint32_t segment;
	uint64_t now;

	(void)state;
	gst_windows_init(&w, true);
	assert_false(gst_windows_is_open(gst_windows_now(&w)));
	assert_true(is_out(&w, 1));
	assert_true(gst_windows_open(&w, UINT32_MAX - 1));
	assert_int_equal(gst_windows_segment(gst_windows_now(&w)), 0);
	/* ids wrap */
	assert_true(is_out(&w, UINT32_MAX - 2) && is_in(&w, UINT32_MAX, 0) && is_in(&w, 3, 0));
	/* a record without an id: by its time */
	now = gst_clock_real_ns();
	assert_true(gst_windows_find(&w, 0, now, &segment));
	assert_false(gst_windows_find(&w, 0, now - 1000000000u, &segment));
	assert_true(gst_windows_close(&w, 10));
	assert_true(is_in(&w, 10, 0) && is_out(&w, 11));
	assert_false(gst_windows_find(&w, 0, gst_clock_real_ns() + 1000000000u, &segment));
}

static void old_windows_are_forgotten_not_mixed_up(void **state)
{
	static struct gst_windows w;
	const uint32_t count = 3 * GST_WINDOWS_KEPT, oldest = count - (GST_WINDOWS_KEPT - 1);
	uint32_t segment;

	(void)state;
	gst_windows_init(&w, true);
	/* the ids wrap on the way */
	for (uint32_t i = 0; i < count; i++) {
		assert_true(gst_windows_open(&w, 100 * i + 10 - 100 * (count - 100)));
		assert_true(gst_windows_close(&w, 100 * i + 20 - 100 * (count - 100)));
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t corr = 100 * i - 100 * (count - 100);

		if (i < oldest) {
			assert_true(is_forgotten(&w, corr + 15) && is_forgotten(&w, corr + 25));
			continue;
		}
		assert_true(is_in(&w, corr + 10, i) && is_in(&w, corr + 15, i) &&
			    is_in(&w, corr + 20, i));
		assert_true(is_out(&w, corr + 21));
		assert_true(i == oldest ? is_forgotten(&w, corr + 9) : is_out(&w, corr + 9));
	}
	/* without an id */
	assert_int_equal(gst_windows_find(&w, 0, 1, &segment), GST_WINDOWS_FORGOTTEN);
	assert_int_equal(gst_windows_find(&w, 0, gst_clock_real_ns() + 1000000000u, &segment),
			 GST_WINDOWS_OUTSIDE);
}

static uint32_t opened_at, times_opened;

static void on_open(void *arg, uint32_t now)
{
	struct gst_windows *w = arg;

	opened_at = now;
	times_opened++;
	/* calls see it already, and nobody can close it meanwhile */
	assert_int_equal(gst_windows_now(w), now);
	assert_false(gst_windows_close(w, 99));
	assert_false(gst_windows_open(w, 99));
}

static void whoever_opens_looks_around_first(void **state)
{
	static struct gst_windows w;

	(void)state;
	gst_windows_init(&w, true);
	w.on_open = on_open;
	w.on_open_arg = &w;
	assert_true(gst_windows_open(&w, 5));
	assert_int_equal(opened_at, 1);
	assert_true(gst_windows_close(&w, 6));
	assert_true(gst_windows_open(&w, 7));
	assert_int_equal(opened_at, 3);
	assert_int_equal(times_opened, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(running_from_the_start),
		cmocka_unit_test(paused_at_the_start),
		cmocka_unit_test(old_windows_are_forgotten_not_mixed_up),
		cmocka_unit_test(whoever_opens_looks_around_first),
	};

	return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
