/*
 * text_layout_test.c - wrapping and cells, with names that are wide, long or hostile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/export/text_layout.h"

static struct gst_outfile *out;

static int set_up(void **state)
{
	(void)state;
	out = gst_outfile_open_memory();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	gst_outfile_abort(out);
	return 0;
}

static void check(const char *want)
{
	size_t length;
	const char *got = gst_outfile_memory(out, &length);

	assert_string_equal(got, want);
	assert_int_equal(length, strlen(want));
}

static void wraps_between_words(void **state)
{
	(void)state;
	gst_text_field(
		out, 2, 9, "where",
		"twelve words that are long enough to need more than the one line of a hundred columns "
		"which a report has");
	check("  where    twelve words that are long enough to need more than the one line of a hundred columns\n"
	      "           which a report has\n");
}

static void keeps_lines_and_long_words(void **state)
{
	char word[150];

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	gst_text_field(out, 0, 4, "a", "one\ntwo\n");
	gst_text_field(out, 0, 4, "", "");
	gst_text_field(out, 0, 4, "b", word);
	{
		char want[400];

		snprintf(want, sizeof(want), "a   one\n    two\n    \nb   %s\n", word);
		check(want);
	}
}

static void escapes(void **state)
{
	(void)state;
	gst_text_field(out, 0, 0, "", "a\033[2Jb\\c\xff");
	gst_text_cell(out, "\r\t", 12, true);
	gst_outfile_puts(out, "|");
	check("a\\x1b[2Jb\\\\c\\xff\n\\x0d\\x09    |");
}

static void cells(void **state)
{
	(void)state;
	gst_text_cell(out, "short", 8, true);
	gst_outfile_puts(out, "|");
	gst_text_cell(out, "rather longer", 8, true);
	gst_outfile_puts(out, "|");
	gst_text_cell(out, "not padded", 20, false);
	gst_outfile_puts(out, "|");
	/* Two columns each; the cut is between characters. */
	gst_text_cell(out, "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", 8, true);
	gst_outfile_puts(out, "|");
	gst_text_cell2(out, "a long name of a kernel", " in stream 13", 24, true);
	gst_outfile_puts(out, "|");
	gst_text_cell2(out, "k", " in a stream with a name of many words", 20, true);
	gst_outfile_puts(out, "|");
	gst_text_right(out, "7", 3);
	check("short   |rathe...|not padded|\xe4\xb8\xad\xe4\xb8\xad... |a long n... in stream 13|"
	      "k in a stream wit...|  7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(wraps_between_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_lines_and_long_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(escapes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cells, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
