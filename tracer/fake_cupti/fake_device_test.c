/*
 * fake_device_test.c - the simulated device keeps CUDA's order, and nothing more.
 */
#include "tracer/fake_cupti/fake_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static struct fake_device device;

static uint64_t start_of(int stream, uint64_t now, uint64_t duration)
{
	uint64_t start;

	fake_device_submit(&device, stream, now, duration, &start);
	return start;
}

static void streams_are_in_order(void **state)
{
	int s;

	(void)state;
	fake_device_init(&device);
	s = fake_device_add_stream(&device, FAKE_STREAM_NONBLOCKING);
	assert_int_equal(start_of(s, 100, 50), 100);
	assert_int_equal(start_of(s, 110, 10), 150);
	assert_int_equal(start_of(s, 500, 10), 500);
	assert_int_equal(fake_device_done(&device, s), 510);
}

static void blocking_streams_meet_in_the_legacy_stream_only(void **state)
{
	int a, b, free;

	(void)state;
	fake_device_init(&device);
	a = fake_device_add_stream(&device, FAKE_STREAM_BLOCKING);
	b = fake_device_add_stream(&device, FAKE_STREAM_BLOCKING);
	free = fake_device_add_stream(&device, FAKE_STREAM_NONBLOCKING);
	assert_int_equal(start_of(a, 100, 1000), 100);
	assert_int_equal(start_of(b, 100, 10), 100); /* two blocking streams overlap */
	assert_int_equal(start_of(0, 100, 10), 1100);
	assert_int_equal(start_of(b, 100, 10), 1110);
	assert_int_equal(start_of(free, 100, 5000), 100);
	assert_int_equal(start_of(0, 100, 10), 1120); /* not after the non-blocking one */
	assert_int_equal(fake_device_done(&device, 0), 1130);
	assert_int_equal(fake_device_done(&device, free), 5100);
	assert_int_equal(fake_device_done(&device, -1), 5100);
}

static void an_event_carries_a_point_to_another_stream(void **state)
{
	uint64_t start, event;
	int a, b;

	(void)state;
	fake_device_init(&device);
	a = fake_device_add_stream(&device, FAKE_STREAM_NONBLOCKING);
	b = fake_device_add_stream(&device, FAKE_STREAM_NONBLOCKING);
	start_of(a, 0, 700);
	event = fake_device_submit(&device, a, 0, 0, &start); /* record */
	start_of(a, 0, 700);				      /* after it: does not count */
	fake_device_submit(&device, b, event, 0, &start);     /* wait */
	assert_int_equal(start_of(b, 0, 1), 700);
}

static void the_number_of_streams_is_bounded(void **state)
{
	(void)state;
	fake_device_init(&device);
	for (int i = 1; i < FAKE_DEVICE_STREAMS; i++) {
		assert_int_equal(fake_device_add_stream(&device, FAKE_STREAM_BLOCKING), i);
	}
	assert_int_equal(fake_device_add_stream(&device, FAKE_STREAM_BLOCKING), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_in_order),
		cmocka_unit_test(blocking_streams_meet_in_the_legacy_stream_only),
		cmocka_unit_test(an_event_carries_a_point_to_another_stream),
		cmocka_unit_test(the_number_of_streams_is_bounded),
	};

	return cmocka_run_group_tests_name("fake_device", tests, NULL, NULL);
}
