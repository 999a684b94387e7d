/*
 * escape_test.c - hostile names, in each form.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/export/escape.h"

static void check(enum gst_escape_form form, const char *in, size_t length, const char *want)
{
	char buf[256];
	size_t n = gst_escape(form, in, length, buf, sizeof(buf));

	assert_string_equal(buf, want);
	assert_int_equal(n, strlen(want));
}

#define CHECK(form, in, want) check(GST_ESCAPE_##form, in, sizeof(in) - 1, want)

static void text_is_harmless(void **state)
{
	(void)state;
	CHECK(TEXT, "plain <float, 4>", "plain <float, 4>");
	CHECK(TEXT, "a\033[31mred\033[0m", "a\\x1b[31mred\\x1b[0m");
	CHECK(TEXT, "two\nlines\ttab\r", "two\\x0alines\\x09tab\\x0d");
	CHECK(TEXT, "nul\0in", "nul\\x00in");
	CHECK(TEXT, "back\\slash \"quoted\"", "back\\\\slash \"quoted\"");
	CHECK(TEXT, "del\177", "del\\x7f");
	CHECK(TEXT, "\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9");
	/* C1 CSI does what ESC [ does on some terminals. */
	CHECK(TEXT,
	      "\xc2\x9b"
	      "31m",
	      "\\xc2\\x9b31m");
	/* A right-to-left override would show the rest reversed. */
	CHECK(TEXT,
	      "\xe2\x80\xae"
	      "abc",
	      "\\xe2\\x80\\xae"
	      "abc");
	/* Lone continuation, cut sequence, overlong slash, surrogate, past the last, 0xff. */
	CHECK(TEXT, "\x80", "\\x80");
	CHECK(TEXT, "\xe2\x82", "\\xe2\\x82");
	CHECK(TEXT, "\xc0\xaf", "\\xc0\\xaf");
	CHECK(TEXT, "\xed\xa0\x80", "\\xed\\xa0\\x80");
	CHECK(TEXT, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	CHECK(TEXT, "\xff", "\\xff");
}

static void json_is_valid(void **state)
{
	(void)state;
	CHECK(JSON, "a\"b\\c/d", "a\\\"b\\\\c/d");
	CHECK(JSON, "\b\t\n\f\r\v", "\\b\\t\\n\\f\\r\\u000b");
	CHECK(JSON, "\033[0m\177", "\\u001b[0m\\u007f");
	CHECK(JSON, "x\xffy", "x\xef\xbf\xbdy");
	CHECK(JSON, "\xc3\xa9", "\xc3\xa9");
	CHECK(JSON, "\xe2\x80\xa8", "\\u2028");
	CHECK(JSON, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
}

static void utf8_is_valid(void **state)
{
	(void)state;
	CHECK(UTF8, "a\"\n\xff\xc3\xa9", "a\"\n\xef\xbf\xbd\xc3\xa9");
}

/* All inputs of up to three bytes: output is valid UTF-8 and, as text, has no control byte. */
static void every_short_input(void **state)
{
	(void)state;
	for (uint32_t v = 0; v < 1u << 24; v += v < 1u << 16 ? 1 : 251) {
		char in[3] = {(char)(v >> 16), (char)(v >> 8), (char)v};

		for (int form = GST_ESCAPE_TEXT; form <= GST_ESCAPE_UTF8; form++) {
			char out[64];
			size_t n = gst_escape((enum gst_escape_form)form, in, sizeof(in), out,
					      sizeof(out));

			assert_true(n < sizeof(out));
			for (size_t i = 0; i < n;) {
				uint32_t code;
				size_t taken = gst_utf8_decode(out + i, n - i, &code);

				assert_true(taken > 0);
				assert_true(form == GST_ESCAPE_UTF8 ||
					    (code >= 0x20 && code != 0x7f));
				i += taken;
			}
		}
	}
}

static void cut_between_characters(void **state)
{
	char buf[8];

	(void)state;
	assert_int_equal(gst_escape(GST_ESCAPE_TEXT, "abc\033", 4, buf, sizeof(buf)), 7);
	assert_string_equal(buf, "abc\\x1b");
	assert_int_equal(gst_escape(GST_ESCAPE_TEXT, "abcd\033e", 6, buf, sizeof(buf)), 9);
	assert_string_equal(buf, "abcd");
	assert_int_equal(gst_escape(GST_ESCAPE_JSON, "\xff", 1, NULL, 0), 3);
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(gst_text_width("abc", 3), 3);
	assert_int_equal(gst_text_width("\\x1b", 4), 4);
	assert_int_equal(gst_text_width("\xe4\xb8\xad\xe6\x96\x87", 6),
			 4);				     /* two wide characters */
	assert_int_equal(gst_text_width("e\xcc\x81", 3), 1); /* e and a combining accent */
	assert_int_equal(gst_text_fit("ab\\x1b", 6, 5), 2);
	assert_int_equal(gst_text_fit("ab\\x1b", 6, 6), 6);
	assert_int_equal(gst_text_fit("\xe4\xb8\xad\xe6\x96\x87", 6, 3), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_harmless),	  cmocka_unit_test(json_is_valid),
		cmocka_unit_test(utf8_is_valid),	  cmocka_unit_test(every_short_input),
		cmocka_unit_test(cut_between_characters), cmocka_unit_test(widths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
