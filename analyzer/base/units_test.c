/*
 * units_test.c - borders between units and digits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/base/units.h"

static void durations(void **state)
{
	(void)state;
	assert_string_equal(gst_duration(0).text, "0 ns");
	assert_string_equal(gst_duration(999).text, "999 ns");
	assert_string_equal(gst_duration(1000).text, "1.00 us");
	assert_string_equal(gst_duration(4125).text, "4.13 us");
	assert_string_equal(gst_duration(9996).text, "10.0 us");
	assert_string_equal(gst_duration(99960).text, "100 us");
	assert_string_equal(gst_duration(12345).text, "12.3 us");
	assert_string_equal(gst_duration(999499).text, "999 us");
	assert_string_equal(gst_duration(999500).text, "1.00 ms");
	assert_string_equal(gst_duration(999999999).text, "1.00 s");
	assert_string_equal(gst_duration(UINT64_C(59940000000)).text, "59.9 s");
	assert_string_equal(gst_duration(UINT64_C(99990000000)).text, "1 min 40 s");
	assert_string_equal(gst_duration(UINT64_C(125000000000)).text, "2 min 05 s");
	assert_string_equal(gst_duration(UINT64_MAX).text, "307445734 min 34 s");
	assert_string_equal(gst_signed_duration(-224).text, "-224 ns");
	assert_string_equal(gst_signed_duration(INT64_MIN).text, "-153722867 min 17 s");
	assert_string_equal(gst_signed_duration(1300).text, "+1.30 us");
}

static void others(void **state)
{
	(void)state;
	assert_string_equal(gst_moment(0).text, "0.000000 ms");
	assert_string_equal(gst_moment(12345678).text, "12.345678 ms");
	assert_string_equal(gst_moment(UINT64_MAX).text, "18446744073709.551615 ms");
	assert_string_equal(gst_count(0).text, "0");
	assert_string_equal(gst_count(999).text, "999");
	assert_string_equal(gst_count(1000).text, "1,000");
	assert_string_equal(gst_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
	assert_string_equal(gst_bytes(1023).text, "1023 B");
	assert_string_equal(gst_bytes(4096).text, "4.00 KiB");
	assert_string_equal(gst_bytes(1048575).text, "1.00 MiB");
	assert_string_equal(gst_bytes(UINT64_C(3) << 29).text, "1.50 GiB");
	assert_string_equal(gst_bytes(UINT64_MAX).text, "16384 PiB");
	assert_string_equal(gst_share(1, 0).text, "-");
	assert_string_equal(gst_share(0, 5).text, "0.0 %");
	assert_string_equal(gst_share(1, 100000).text, "< 0.1 %");
	assert_string_equal(gst_share(42, 1000).text, "4.2 %");
	assert_string_equal(gst_share(1, 3).text, "33 %");
	assert_string_equal(gst_share(9996, 100000).text, "10 %");
	assert_string_equal(gst_share(UINT64_MAX, UINT64_MAX).text, "100 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
