/*
 * call_clock_test.c - a time of a call is CLOCK_MONOTONIC, within what call_clock.h promises.
 */
#include "tracer/call_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define SCALE_OF_2_GHZ (UINT32_MAX / 2 - UINT32_MAX / 2048)

/* Between two readings of the clock lies ours, less what it may be late; it never goes back. */
static void check_readings(struct gst_call_clock *c, uint32_t count)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t before = gst_clock_mono_ns();
		uint64_t now = gst_call_clock_now(c);
		uint64_t after = gst_clock_mono_ns();

		assert_true(now <= after);
		assert_true(now + GST_COUNTED_CALL_EARLY_NS >= before);
		assert_true(now >= last);
		last = now;
		if (i % 1000 == 0) {
			const struct timespec pause = {.tv_nsec = 30000};

			nanosleep(&pause, NULL);
		}
	}
}

static void test_real_clock(void **state)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	struct gst_call_clock c = {0};
	uint32_t kept = 0;

	(void)state;
	/* Nothing is known of the counter: the clock. */
	check_readings(&c, 2000);
	assert_int_equal(c.limit, 0);
	gst_call_clock_init();
	if (!gst_call_clock_rate.is_usable) {
		/* Another clock source, or no /sys to ask: the clock, each time. */
		check_readings(&c, 2000);
		assert_int_equal(c.limit, 0);
		return;
	}
	for (int i = 0; i < 50 && !atomic_load(&gst_call_clock_rate.scale); i++) {
		gst_call_clock_measure();
		nanosleep(&pause, NULL);
	}
	/* It may take long to be let alone for a microsecond, on a busy machine: the clock until then. */
	if (!atomic_load(&gst_call_clock_rate.scale)) {
		check_readings(&c, 2000);
		assert_int_equal(c.limit, 0);
		return;
	}
	for (int i = 0; i < 20; i++) {
		check_readings(&c, 10000);
		gst_call_clock_measure();
		kept += c.limit != 0;
	}
	assert_true(kept > 0);
	assert_true(gst_call_clock_rate.is_usable);
}

static void test_rate(void **state)
{
	struct gst_call_clock_rate r = {.is_usable = true};

	(void)state;
	gst_call_clock_rate_take(&r, 1000, 5);
	assert_int_equal(r.scale, 0);
	/* Too soon to tell. */
	gst_call_clock_rate_take(&r, 3000, 1005);
	assert_int_equal(r.scale, 0);
	gst_call_clock_rate_take(&r, 1000 + 200000000, 5 + 100000000);
	assert_true(r.scale >= SCALE_OF_2_GHZ - 10 && r.scale <= SCALE_OF_2_GHZ + 10);
	/* Slewed by 500 ppm: followed. */
	gst_call_clock_rate_take(&r, 1000 + 400000000, 5 + 200050000);
	assert_true(r.is_usable);
	assert_true(r.scale > SCALE_OF_2_GHZ + SCALE_OF_2_GHZ / 2500);
	/* A pause of a minute says nothing. */
	gst_call_clock_rate_take(&r, 1000 + 120400000000, UINT64_C(60000000000) + 200050000);
	assert_true(r.is_usable && r.scale);
	/* 1 % is no slewing: another counter, another machine. */
	gst_call_clock_rate_take(&r, 1000 + 120600000000, UINT64_C(60000000000) + 301050000);
	assert_false(r.is_usable);
	assert_int_equal(r.scale, 0);
	gst_call_clock_rate_take(&r, 1000 + 120800000000, UINT64_C(60000000000) + 401050000);
	assert_int_equal(r.scale, 0);
}

static void test_odd_counters(void **state)
{
	struct gst_call_clock_rate back = {.is_usable = true}, slow = back, still = back,
				   early = back;

	(void)state;
	gst_call_clock_rate_take(&back, 1000, 100);
	gst_call_clock_rate_take(&back, 900, 100000100);
	assert_false(back.is_usable);
	gst_call_clock_rate_take(&still, 1000, 100);
	gst_call_clock_rate_take(&still, 1000, 100000100);
	assert_false(still.is_usable);
	gst_call_clock_rate_take(&early, 1000, 100000100);
	gst_call_clock_rate_take(&early, 200001000, 100);
	assert_false(early.is_usable);
	/* Below 1 GHz. */
	gst_call_clock_rate_take(&slow, 1000, 100);
	gst_call_clock_rate_take(&slow, 50001000, 100000100);
	assert_false(slow.is_usable);
	assert_int_equal(back.scale | still.scale | early.scale | slow.scale, 0);
}

/* Whatever the counter does, a time is at most GST_CALL_CLOCK_NS after the last reading of the clock. */
static void test_jumping_counter(void **state)
{
	struct gst_call_clock c = {.ns = 1000000, .scale = SCALE_OF_2_GHZ, .limit = 100000};

	(void)state;
	c.ticks = gst_call_clock_ticks() - 90000;
	if (!gst_call_clock_ticks()) {
		skip();
	}
	/* It was ahead: read. */
	c.ticks = gst_call_clock_ticks() + 1000000000;
	assert_true(gst_call_clock_now(&c) > 2000000);
	c = (struct gst_call_clock){.ns = 1000000, .scale = SCALE_OF_2_GHZ, .limit = 100000};
	c.ticks = gst_call_clock_ticks() - 1000000000;
	assert_true(gst_call_clock_now(&c) > 2000000);
	/* The clock says less than we did: not gone on from. */
	c = (struct gst_call_clock){.ns = UINT64_MAX / 2, .scale = SCALE_OF_2_GHZ, .limit = 0};
	assert_true(gst_call_clock_now(&c) < UINT64_MAX / 2);
	assert_int_equal(c.limit, 0);
}

/* A processor whose counter is ahead of another's, or of the clock: nobody uses it from then on. */
static void test_counter_ahead_of_the_clock(void **state)
{
	struct gst_call_clock c = {.scale = SCALE_OF_2_GHZ}, other = {0};

	(void)state;
	if (!gst_call_clock_ticks()) {
		skip();
	}
	gst_call_clock_rate =
		(struct gst_call_clock_rate){.is_usable = true, .scale = SCALE_OF_2_GHZ};
	/* Behind it: that is what a tick is taken to be less for. */
	c.ticks = gst_call_clock_ticks();
	c.ns = gst_clock_mono_ns() - 1000000000;
	(void)gst_call_clock_now(&c);
	assert_false(gst_call_clock_rate.is_wrong);
	assert_int_equal(gst_call_clock_rate.scale, SCALE_OF_2_GHZ);
	/* Half a second by the counter, and next to nothing by the clock. */
	c = (struct gst_call_clock){.scale = SCALE_OF_2_GHZ};
	c.ns = gst_clock_mono_ns();
	c.ticks = gst_call_clock_ticks() - 1000000000;
	(void)gst_call_clock_now(&c);
	assert_int_equal(c.limit, 0);
	assert_int_equal(gst_call_clock_rate.scale, 0);
	(void)gst_call_clock_now(&other);
	assert_int_equal(other.limit, 0);
	/* The writer does not take it up again. */
	gst_call_clock_rate_take(&gst_call_clock_rate, 1000, 100);
	gst_call_clock_rate_take(&gst_call_clock_rate, 200001000, 100000100);
	assert_int_equal(gst_call_clock_rate.scale, 0);
	assert_false(gst_call_clock_rate.is_usable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_clock),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_odd_counters),
		cmocka_unit_test(test_jumping_counter),
		cmocka_unit_test(test_counter_ahead_of_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
