/*
 * load_test.c - what a loader gives: order, windows, losses, double coverage, kinds it does not know.
 *
 * Role      : the loader on whole traces, in the order in which its users get records.
 * Method    : small traces as text, made into .gst where that matters; the answer as text.
 * Invariant : no expected answer comes from the loader under test.
 * Not here  : damage (load_damage_test.c), the text form (load_text_test.c), files (load_files_test.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/load/loaded.h"

static void test_order_and_counts(void **state)
{
	struct gst_load_options o = loaded_options();
	struct loaded r;

	(void)state;
	loaded_bytes(&r, loaded_small_text, strlen(loaded_small_text), &o);
	assert_int_equal(r.st, GST_OK);
	assert_string_equal(r.text,
			    "gstext 1.0\n"
			    "\nchunk defs process=100 thread=0 segment=0 sequence=1\n"
			    "string id=1 text=\"vec_add\"\n"
			    "trace start_mono_ns=5 writer=1\n"
			    "process pid=100 name=1\n"
			    "context ctx=1 null_stream=7\n"
			    "stream ctx=1 stream=7 type=legacy\n"
			    "segment time_ns=5\n"
			    "\nchunk defs process=100 thread=0 segment=0 sequence=5\n"
			    "end time_ns=2000 records=11 chunks=4\n"
			    "\nchunk events process=100 thread=1 segment=0 sequence=2\n"
			    "call_launch corr=7 enter_ns=100 api=cuLaunchKernel ctx=1 name=1\n"
			    "call_exit corr=7 exit_ns=120\n"
			    "\nchunk events process=100 thread=2 segment=0 sequence=3\n"
			    "call_copy corr=8 enter_ns=1000 api=cuMemcpyHtoDAsync_v2 size=64\n"
			    "call_exit corr=8 exit_ns=1200\n"
			    "\nchunk events process=100 thread=0 segment=0 sequence=4\n"
			    "kernel corr=7 start_ns=200 end_ns=300 ctx=1 stream=7 name=1\n");
	assert_true(r.is_complete);
	assert_true(r.has_end);
	assert_string_equal(r.reasons, "");
	assert_int_equal(r.stats.records, 12);
	assert_int_equal(r.stats.chunks, 5);
	assert_int_equal(r.stats.segments, 1);
	assert_int_equal(r.stats.kind_records[GST_SCHEMA_INDEX_CALL_EXIT], 2);
	assert_int_equal(r.stats.first_ns, 5);
	assert_int_equal(r.stats.last_ns, 2000);
	assert_true(r.stats.is_text);
	loaded_free(&r);
}

static void test_window_and_segment(void **state)
{
	struct gst_load_options o = loaded_options();
	struct loaded r;

	(void)state;
	o.from_ns = 121;
	loaded_bytes(&r, loaded_small_text, strlen(loaded_small_text), &o);
	assert_null(strstr(r.text, "call_launch"));
	assert_non_null(strstr(r.text, "call_copy"));
	/* Device records without MONOTONIC times are always read. */
	assert_non_null(strstr(r.text, "kernel corr=7"));
	assert_int_equal(r.stats.chunks_outside, 1);
	/* What was not asked for is not missing. */
	assert_true(r.is_complete);
	loaded_free(&r);

	o.from_ns = 120;
	o.to_ns = 999;
	loaded_bytes(&r, loaded_small_text, strlen(loaded_small_text), &o);
	assert_non_null(strstr(r.text, "call_launch"));
	assert_null(strstr(r.text, "call_copy"));
	loaded_free(&r);

	o = loaded_options();
	o.segment = 1;
	loaded_bytes(&r, loaded_small_text, strlen(loaded_small_text), &o);
	assert_string_equal(r.text, "gstext 1.0\n");
	assert_int_equal(r.stats.chunks_outside, 5);
	loaded_free(&r);
}

static void test_losses(void **state)
{
	static const char text[] = "gstext 1.0\n"
				   "chunk defs process=1\n"
				   "loss kind=kernel reason=cupti-dropped count=3\n"
				   "loss kind=sync reason=no-chunk count=18446744073709551615\n"
				   "loss reason=99\n"
				   "end pending=2\n";
	struct loaded r;

	(void)state;
	loaded_bytes(&r, text, strlen(text), NULL);
	assert_false(r.is_complete);
	assert_true(r.has_end);
	assert_int_equal(r.stats.loss_notes, 3);
	assert_true(r.stats.lost_records == UINT64_MAX);
	assert_true(r.stats.has_loss_of_unknown_size);
	assert_string_equal(r.reasons,
			    "2: the tracer lost records (cupti-dropped)\n"
			    "2: 2 activity records were asked for and never delivered\n");
	loaded_free(&r);
}

/* The thread went from page 3 to page 4; the writer copied some of 4 before the rest of 3. */
static void test_order_by_pages(void **state)
{
	static const char text[] =
		"gstext 1.0\n"
		"chunk events process=1 thread=1 page=3 page_offset=0\ncall corr=1\n"
		"chunk events process=1 thread=2 page=5 page_offset=0\ncall corr=100\n"
		"chunk events process=1 thread=1 page=4 page_offset=0\ncall corr=3\ncall corr=4\n"
		"chunk events process=1 thread=1 page=3 page_offset=8\ncall corr=2\n"
		"chunk events process=1 thread=1 page=4 page_offset=16\ncall corr=5\n"
		"chunk defs process=1\nend\n";
	struct gst_loader *l;
	struct gst_record rec;
	uint32_t expected = 1;
	int got, others = 0;

	(void)state;
	assert_int_equal(gst_loader_open_memory(text, strlen(text), "t", NULL, &l, NULL), GST_OK);
	while ((got = gst_loader_next(l, &rec)) > 0) {
		if (rec.thread == 1)
			assert_int_equal(rec.corr, expected++);
		else
			others++;
	}
	assert_int_equal(got, 0);
	assert_int_equal(expected, 6);
	assert_int_equal(others, 2);
	assert_true(gst_loader_stats(l)->is_complete);
	gst_loader_close(l);
}

static void test_double_coverage(void **state)
{
	static const char text[] =
		"gstext 1.0\n"
		"chunk defs process=1\nend\n"
		"chunk events process=1 thread=1 page=3 page_offset=0\ncall corr=1\ncall corr=2\n"
		/* Wholly, partly and not covered. */
		"chunk events process=1 thread=1 page=3 page_offset=8\ncall corr=2\n"
		"chunk events process=1 thread=1 page=3 page_offset=8\ncall corr=2\ncall corr=3\n"
		"chunk events process=1 thread=1 page=3 page_offset=24\ncall corr=4\n"
		/* Another process: another page 3. */
		"chunk events process=2 thread=1 page=3 page_offset=0\ncall corr=9\n"
		"chunk defs process=2\nend\n";
	static const char gap[] =
		"gstext 1.0\n"
		"chunk defs process=1\nend\n"
		"chunk events process=1 thread=1 page=3 page_offset=8\ncall corr=1\n";
	struct gst_load_options o = loaded_options();
	struct loaded r;

	(void)state;
	loaded_bytes(&r, text, strlen(text), NULL);
	assert_int_equal(r.stats.kind_records[GST_SCHEMA_INDEX_CALL], 5);
	assert_int_equal(r.stats.chunks_double, 1);
	assert_true(r.is_complete);
	loaded_free(&r);
	o.file_order = true;
	loaded_bytes(&r, text, strlen(text), &o);
	assert_int_equal(r.stats.kind_records[GST_SCHEMA_INDEX_CALL], 7);
	loaded_free(&r);
	loaded_bytes(&r, gap, strlen(gap), NULL);
	assert_false(r.is_complete);
	assert_non_null(strstr(r.reasons,
			       "8: chunk at offset 0x88 goes on at byte 8 of staging page 3, "
			       "expected byte 0"));
	loaded_free(&r);
}

static void test_unknown_kinds(void **state)
{
	static const char text[] = "gstext 1.0\n"
				   "chunk defs process=1\nend\n"
				   "chunk events process=1 thread=4\n"
				   "raw kind=0xf001\nraw kind=0xf001\nraw kind=0x7002\n"
				   "chunk events process=1 thread=5\nraw kind=0x7001\n";
	struct gst_record rec;
	struct gst_loader *l;
	const struct gst_load_stats *s;

	(void)state;
	assert_int_equal(gst_loader_open_memory(text, strlen(text), "t", NULL, &l, NULL), GST_OK);
	assert_int_equal(gst_loader_next(l, &rec), 1);
	assert_int_equal(rec.kind, GST_REC_END);
	assert_int_equal(gst_loader_next(l, &rec), 0);
	assert_int_equal(gst_loader_next(l, &rec), 0);
	s = gst_loader_stats(l);
	assert_int_equal(s->unknown_count, 3);
	assert_int_equal(s->unknown[0].thread, 4);
	assert_int_equal(s->unknown[0].kind, 0x7001);
	assert_int_equal(s->unknown[0].count, 2);
	assert_true(s->unknown[0].is_critical);
	assert_false(s->unknown[1].is_critical);
	assert_int_equal(s->unknown[2].thread, 5);
	assert_false(s->unknown[2].is_critical);
	/* A newer writer, not damage. */
	assert_true(s->is_complete);
	gst_loader_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_counts), cmocka_unit_test(test_window_and_segment),
		cmocka_unit_test(test_losses),		 cmocka_unit_test(test_order_by_pages),
		cmocka_unit_test(test_double_coverage),	 cmocka_unit_test(test_unknown_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
