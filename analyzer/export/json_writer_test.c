/*
 * json_writer_test.c - structure, layout and strings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/export/json_writer.h"

static void document(void **state)
{
	struct gst_outfile *out = gst_outfile_open_memory();
	struct gst_json j;
	size_t length;

	(void)state;
	gst_json_init(&j, out, 2);
	gst_json_begin_object(&j);
	gst_json_key(&j, "n");
	gst_json_uint(&j, UINT64_MAX);
	gst_json_key(&j, "i");
	gst_json_int(&j, INT64_MIN);
	gst_json_key(&j, "list");
	gst_json_begin_array(&j);
	gst_json_begin_object(&j);
	gst_json_key(&j, "a");
	gst_json_bool(&j, true);
	gst_json_key(&j, "b");
	gst_json_null(&j);
	gst_json_end_object(&j);
	gst_json_begin_array(&j);
	gst_json_end_array(&j);
	gst_json_end_array(&j);
	gst_json_key(&j, "none");
	gst_json_begin_array(&j);
	gst_json_end_array(&j);
	gst_json_key(&j, "h");
	gst_json_hex(&j, 0x7f00);
	gst_json_key(&j, "s");
	gst_json_bytes(&j, "a\"\0\xff", 4);
	gst_json_key(&j, "t");
	gst_json_string(&j, NULL);
	gst_json_end_object(&j);
	gst_json_finish(&j);
	assert_string_equal(gst_outfile_memory(out, &length),
			    "{\n"
			    "  \"n\": 18446744073709551615,\n"
			    "  \"i\": -9223372036854775808,\n"
			    "  \"list\": [\n"
			    "    {\"a\": true, \"b\": null},\n"
			    "    []\n"
			    "  ],\n"
			    "  \"none\": [],\n"
			    "  \"h\": \"0x7f00\",\n"
			    "  \"s\": \"a\\\"\\u0000\xef\xbf\xbd\",\n"
			    "  \"t\": null\n"
			    "}\n");
	gst_outfile_abort(out);
}

static void long_strings(void **state)
{
	static char text[20000];
	struct gst_outfile *out = gst_outfile_open_memory();
	struct gst_json j;
	size_t length;

	(void)state;
	memset(text, '\033', sizeof(text) - 1);
	gst_json_init(&j, out, 0);
	gst_json_string(&j, text);
	gst_json_finish(&j);
	assert_int_equal(strlen(gst_outfile_memory(out, &length)), 6 * (sizeof(text) - 1) + 3);
	gst_outfile_abort(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(document),
		cmocka_unit_test(long_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
