/*
 * linebuf_test.c - texts that fit, texts that do not, numbers at their limits.
 */
#include "tracer/linebuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_numbers(void **state)
{
	struct gst_linebuf line;
	char text[128];

	(void)state;
	gst_linebuf_init(&line, text, sizeof(text));
	gst_linebuf_add_dec(&line, 0);
	gst_linebuf_add(&line, " ");
	gst_linebuf_add_dec(&line, INT64_MIN);
	gst_linebuf_add(&line, " ");
	gst_linebuf_add_dec(&line, INT64_MAX);
	gst_linebuf_add(&line, " ");
	gst_linebuf_add_hex(&line, 0, 1);
	gst_linebuf_add(&line, " ");
	gst_linebuf_add_hex(&line, 0xabc, 8);
	gst_linebuf_add(&line, " ");
	gst_linebuf_add_hex(&line, UINT64_MAX, 1);
	assert_string_equal(text, "0 -9223372036854775808 9223372036854775807 0 00000abc "
				  "ffffffffffffffff");
	assert_false(line.is_cut);
}

static void test_cut(void **state)
{
	struct gst_linebuf line;
	char text[8];

	(void)state;
	gst_linebuf_init(&line, text, sizeof(text));
	gst_linebuf_add(&line, "1234567");
	assert_false(line.is_cut);
	gst_linebuf_add(&line, NULL);
	assert_false(line.is_cut);
	gst_linebuf_add(&line, "8");
	assert_true(line.is_cut);
	assert_string_equal(text, "1234567");
	assert_int_equal(line.used, 7);
}

static void test_one_byte(void **state)
{
	struct gst_linebuf line;
	char text[1];

	(void)state;
	gst_linebuf_init(&line, text, sizeof(text));
	gst_linebuf_add_dec(&line, 5);
	assert_true(line.is_cut);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_one_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
