/*
 * load_test.c - order, damage, windows, double coverage, staging and the text form.
 */
#include "analyzer/load/gst_writer.h"
#include "analyzer/load/load.h"
#include "analyzer/load/text_writer.h"

#include "analyzer/base/mem.h"
#include "tracer/format/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A small trace with all that matters: two threads, device records, a string, a trailer. */
static const char small_text[] = "gstext 1.0\n"
				 "chunk defs process=100\n"
				 "string id=1 text=\"vec_add\"\n"
				 "trace start_mono_ns=5 writer=1\n"
				 "process pid=100 name=1\n"
				 "context ctx=1 null_stream=7\n"
				 "stream ctx=1 stream=7 type=legacy\n"
				 "segment time_ns=5\n"
				 "chunk events process=100 thread=1\n"
				 "call_launch corr=7 enter_ns=100 api=cuLaunchKernel ctx=1 name=1\n"
				 "call_exit corr=7 exit_ns=120\n"
				 "chunk events process=100 thread=2\n"
				 "call_copy corr=8 enter_ns=1000 api=cuMemcpyHtoDAsync_v2 size=64\n"
				 "call_exit corr=8 exit_ns=1200\n"
				 "chunk events process=100\n"
				 "kernel corr=7 start_ns=200 end_ns=300 ctx=1 stream=7 name=1\n"
				 "chunk defs process=100\n"
				 "end time_ns=2000 records=11 chunks=4\n";

/* A loaded trace as text, in one place. */
struct loaded {
	gst_status st;
	struct gst_err err;
	char *text;
	size_t length, room;
	bool is_complete, has_end;
	struct gst_load_stats stats;
	char reasons[1000];
};

static void load_bytes(struct loaded *r, const void *data, size_t size,
		       const struct gst_load_options *o)
{
	const struct gst_load_stats *stats;
	struct gst_outfile *out;
	struct gst_loader *l;
	size_t i, used = 0;

	memset(r, 0, sizeof(*r));
	r->st = gst_loader_open_memory(data, size, "test", o, &l, &r->err);
	if (r->st)
		return;
	out = gst_outfile_open_memory();
	r->st = gst_text_write_trace(out, l, &r->err);
	r->text = gst_outfile_take_memory(out, &r->length, &r->room);
	stats = gst_loader_stats(l);
	r->stats = *stats;
	r->is_complete = stats->is_complete;
	r->has_end = stats->has_end;
	for (i = 0; i < stats->reason_count && used < sizeof(r->reasons); i++)
		used += (size_t)snprintf(r->reasons + used, sizeof(r->reasons) - used,
					 "%" PRIu64 ": %s\n", stats->reasons[i].count,
					 stats->reasons[i].text);
	/* Good as long as the loader only. */
	r->stats.reasons = NULL;
	r->stats.unknown = NULL;
	gst_loader_close(l);
}

static void unload(struct loaded *r)
{
	gst_mem_free(r->text, r->room);
	r->text = NULL;
}

static struct gst_load_options options(void)
{
	return (struct gst_load_options){.segment = -1};
}

/* The bytes of a .gst with the records of @text. */
static uint8_t *make_gst(const char *text, size_t *size, size_t *room)
{
	struct gst_load_options o = options();
	uint64_t before = 0;
	struct gst_gst_writer *w;
	struct gst_outfile *out;
	struct gst_err err = {0};
	struct gst_record rec;
	struct gst_loader *l;
	int got;

	o.file_order = true;
	o.keep_unknown = true;
	o.keep_short = true;
	if (gst_loader_open_memory(text, strlen(text), "text", &o, &l, &err))
		fail_msg("%s", err.text);
	out = gst_outfile_open_memory();
	w = gst_gst_writer_new(out);
	while ((got = gst_loader_next(l, &rec)) > 0) {
		const struct gst_chunk_header *h = gst_loader_chunk(l);
		struct gst_rec_head head;

		if (gst_loader_chunk_number(l) != before) {
			if (before)
				gst_gst_writer_end(w);
			before = gst_loader_chunk_number(l);
			gst_gst_writer_begin(w, h);
		}
		memcpy(&head, rec.data, sizeof(head));
		if (rec.schema)
			assert_int_equal(gst_gst_writer_put(w, rec.schema, rec.corr, rec.data,
							    rec.tail, rec.tail_bytes, &err),
					 GST_OK);
		else
			assert_int_equal(gst_gst_writer_put_raw(w, head.kind, rec.corr, rec.tail,
								rec.tail_bytes, &err),
					 GST_OK);
	}
	assert_int_equal(got, 0);
	gst_gst_writer_end(w);
	gst_gst_writer_free(w);
	gst_loader_close(l);
	return (uint8_t *)gst_outfile_take_memory(out, size, room);
}

static void test_order_and_counts(void **state)
{
	struct gst_load_options o = options();
	struct loaded r;

	(void)state;
	load_bytes(&r, small_text, strlen(small_text), &o);
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
	unload(&r);
}

static void test_round_trip(void **state)
{
	static const char text[] =
		"gstext 1.0\n"
		"\nchunk defs process=7 thread=0 segment=0 sequence=1\n"
		"string id=1 text=\"\\x00\\x1b[31m\\x22\\x5c \\xff\"\n"
		"string id=2 text=\"\"\n"
		"device pageable_access=-1 host_page_tables=-1 memory_bytes=18446744073709551615\n"
		"rank name=1 value=-9223372036854775808\n"
		"stream stream=4294967295 type=9 priority=-5\n"
		"loss kind=kernel reason=77 count=3\n"
		"loss kind=32767\n"
		"note code=clock-step detail=-2147483648\n"
		"\nchunk events process=7 thread=3 segment=0 sequence=2 page=9 page_offset=0\n"
		"call_launch corr=4294967295 enter_ns=1 api=cuLaunchKernel_ptsz "
		"flags=cooperative|attributes-unread|0x80000000\n"
		"call api=driver:65535\n"
		"call api=runtime:0\n"
		"call api=0x30001\n"
		"raw kind=0xf123 corr=5 bytes=00ff000000000000\n"
		"raw kind=0x7123 bytes=\n"
		"\nchunk events process=7 thread=0 segment=0 sequence=3\n"
		"kernel start_ns=18446744073709551615 launch_type=cooperative-multi-device bytes=0102030405060708\n"
		"\nchunk defs|events process=7 thread=0 segment=1 sequence=4\n"
		"end time_ns=1\n";
	struct gst_load_options o = options();
	size_t size, room;
	struct loaded r;
	uint8_t *gst;

	(void)state;
	o.file_order = true;
	o.keep_unknown = true;
	o.keep_short = true;
	load_bytes(&r, text, strlen(text), &o);
	assert_string_equal(r.err.text, "");
	assert_string_equal(r.text, text);
	unload(&r);
	/* And through the binary form. */
	gst = make_gst(text, &size, &room);
	load_bytes(&r, gst, size, &o);
	assert_string_equal(r.text, text);
	assert_false(r.stats.is_text);
	assert_int_equal(r.stats.unknown_records, 2);
	assert_int_equal(r.stats.unknown_critical, 1);
	unload(&r);
	/* At an address that is not a multiple of 8. */
	gst = gst_mem_realloc(gst, room, size + 1);
	memmove(gst + 1, gst, size);
	load_bytes(&r, gst + 1, size, &o);
	assert_string_equal(r.text, text);
	unload(&r);
	gst_mem_free(gst, size + 1);
}

/* A KERNEL_SHORT comes as the KERNEL it stands for, but for dumps. */
static void test_kernel_short(void **state)
{
	static const char head[] = "gstext 1.0\nchunk events process=100\n";
	static const char *const as_short[] = {
		("kernel_short corr=7 start_ns=200 duration_ns=100 grid_x=9 name=1 shared_dynamic=8 stream=7 grid_y=2 block_x=3 "
		 "block_y=4 shared_static=5 grid_z=6 block_z=10 registers=11 ctx=12 device=13 channel=14 graph_node=0x200000003\n"),
		"kernel_short corr=8 start_ns=200 ctx=1\n",
		/* Not as a tracer writes it. */
		"kernel_short corr=9 duration_ns=5\n",
		"kernel_short\n",
		"kernel_short start_ns=18446744073709551615 duration_ns=4294967295\n",
	};
	static const char *const as_long[] = {
		"kernel corr=7 start_ns=200 end_ns=300 ctx=12 stream=7 device=13 name=1 grid_x=9 grid_y=2 grid_z=6 block_x=3 "
		"block_y=4 block_z=10 registers=11 shared_static=5 shared_dynamic=8 channel=14 channel_type=1 graph_node=0x200000003 "
		"graph=2\n",
		"kernel corr=8 start_ns=200 end_ns=200 ctx=1 channel_type=1\n",
		"kernel corr=9 channel_type=1\n",
		"kernel channel_type=1\n",
		"kernel start_ns=18446744073709551615 end_ns=4294967294 channel_type=1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(as_short) / sizeof(as_short[0]); i++) {
		struct gst_load_options o = options();
		struct loaded a, b;
		char text[1000];

		snprintf(text, sizeof(text), "%s%s", head, as_short[i]);
		load_bytes(&a, text, strlen(text), &o);
		assert_int_equal(a.stats.kind_records[GST_SCHEMA_INDEX_KERNEL], 1);
		snprintf(text, sizeof(text), "%s%s", head, as_long[i]);
		load_bytes(&b, text, strlen(text), &o);
		assert_string_equal(a.text, b.text);
		assert_non_null(strstr(a.text, as_long[i]));
		assert_memory_equal(a.stats.kind_records, b.stats.kind_records,
				    sizeof(a.stats.kind_records));
		unload(&a);
		unload(&b);
		o.keep_short = true;
		snprintf(text, sizeof(text), "%s%s", head, as_short[i]);
		load_bytes(&a, text, strlen(text), &o);
		assert_int_equal(a.stats.kind_records[GST_SCHEMA_INDEX_KERNEL_SHORT], 1);
		assert_non_null(strstr(a.text, as_short[i]));
		unload(&a);
	}
}

/* Every field of every kind, at its extremes, through text and back. */
static void test_every_field(void **state)
{
	struct gst_load_options o = options();
	struct gst_chunk_header like = {
		.flags = GST_CHUNK_DEFS | GST_CHUNK_SEALED, .process = 1, .sequence = 1};
	struct gst_err err = {0};
	struct gst_outfile *out = gst_outfile_open_memory();
	struct gst_gst_writer *w = gst_gst_writer_new(out);
	uint64_t values[] = {1, UINT64_MAX, UINT64_MAX / 2, UINT64_MAX / 3};
	struct loaded first, second;
	size_t size, room, v;
	uint8_t *gst;
	uint32_t i, f;

	(void)state;
	gst_gst_writer_begin(w, &like);
	for (i = 0; i < GST_SCHEMA_RECORDS; i++) {
		const struct gst_schema_record *schema = gst_schema_record(i);

		for (v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			uint64_t data[32];

			for (f = 0; f < 32; f++)
				data[f] = values[v];
			assert_int_equal(gst_gst_writer_put(w, schema, (uint32_t)values[v], data,
							    schema->has_tail ? "text" : NULL,
							    schema->has_tail ? 4 : 0, &err),
					 GST_OK);
		}
		/* And each field alone: what is left out around it is 0. */
		for (f = 0; f < schema->field_count; f++) {
			uint64_t data[32] = {0};

			if (schema->has_tail)
				continue;
			assert_true(gst_schema_set(&schema->fields[f], data, 1));
			assert_int_equal(gst_gst_writer_put(w, schema, 0, data, NULL, 0, &err),
					 GST_OK);
		}
	}
	gst_gst_writer_end(w);
	gst_gst_writer_free(w);
	gst = (uint8_t *)gst_outfile_take_memory(out, &size, &room);
	o.file_order = true;
	o.keep_short = true;
	load_bytes(&first, gst, size, &o);
	assert_string_equal(first.err.text, "");
	for (i = 0; i < GST_SCHEMA_RECORDS; i++)
		assert_true(first.stats.kind_records[i] >= 4);
	gst_mem_free(gst, room);
	gst = make_gst(first.text, &size, &room);
	load_bytes(&second, gst, size, &o);
	assert_string_equal(second.text, first.text);
	gst_mem_free(gst, room);
	unload(&first);
	unload(&second);
}

static void test_literals(void **state)
{
	static const char text[] = "gstext 1.0   # comment\n"
				   "# comment\n\n"
				   "chunk events process=1 thread=1\r\n"
				   "\tcall_launch name=\"a\" # comment\n"
				   "call_launch name=\"b\"\n"
				   "call_launch name=\"\"\n"
				   "chunk events process=1 thread=2\n"
				   "call_launch name=\"a\"\n"
				   "chunk events process=2 thread=1\n"
				   "call_launch name=\"a\"";
	struct gst_load_options o = options();
	struct loaded r;

	(void)state;
	load_bytes(&r, text, strlen(text), &o);
	assert_string_equal(r.err.text, "");
	assert_string_equal(r.text, "gstext 1.0\n"
				    "\nchunk defs process=1 thread=0 segment=0 sequence=2\n"
				    "string id=2147483648 text=\"a\"\n"
				    "string id=2147483649 text=\"b\"\n"
				    "\nchunk defs process=2 thread=0 segment=0 sequence=2\n"
				    "string id=2147483650 text=\"a\"\n"
				    "\nchunk events process=1 thread=1 segment=0 sequence=1\n"
				    "call_launch name=2147483648\n"
				    "call_launch name=2147483649\n"
				    "call_launch\n"
				    "\nchunk events process=1 thread=2 segment=0 sequence=3\n"
				    "call_launch name=2147483648\n"
				    "\nchunk events process=2 thread=1 segment=0 sequence=1\n"
				    "call_launch name=2147483650\n");
	assert_false(r.is_complete);
	assert_string_equal(
		r.reasons,
		"2: segment 0 of process 1 has no trailer: recording did not end in order, "
		"or the end of the file is missing\n");
	unload(&r);
}

static void test_text_errors(void **state)
{
	static const struct {
		const char *text, *want;
		gst_status st;
	} cases[] = {
		{"gstext 2.0\n",
		 "test: line 1: trace format version 2.0, but this gstrace reads version 1 (up to 1.0)",
		 GST_E_VERSION},
		{"gstext x\n", "test: line 1: found \"x\", expected a version such as 1.0",
		 GST_E_FORMAT},
		{"gstext 1.0 x\n", "test: line 1: found \"x\", expected nothing after the version",
		 GST_E_FORMAT},
		{"gstext 1.0\nend\n",
		 "test: line 2: found \"end\", expected a chunk line before the first record",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk\n", "test: line 2: found \"\", expected defs or events",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs\n",
		 "test: line 2: found a chunk without process=, expected one", GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1 colour=2\n",
		 "test: line 2: found \"colour\", expected process, thread, segment, sequence, page, "
		 "page_offset or open",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=4294967296\n",
		 "test: line 2: found \"4294967296\", expected a number of at most 32 bits",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nfoo\n",
		 "test: line 3: found \"foo\", expected chunk, raw or the name of a record",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nend foo=1\n",
		 "test: line 3: found \"foo\", expected a field of end", GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nend time_ns\n",
		 "test: line 3: found \"time_ns\", expected name=value", GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nend time_ns=1x\n",
		 "test: line 3: found time_ns=1x, expected a value of form mono that fits uint64_t",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nend time_ns=18446744073709551616\n",
		 "test: line 3: found time_ns=18446744073709551616, expected a value of form mono that "
		 "fits uint64_t",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nstream type=red\n",
		 "test: line 3: found type=red, expected a value of form stream_type that fits uint32_t",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nstream type=\"red\"\n",
		 "test: line 3: found \"\"red\"\", expected a number: this field is no string",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nkernel block_x=65536\n",
		 "test: line 3: found block_x=65536, expected a value of form dec that fits uint16_t",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nstring id=1 text=\"a\n",
		 "test: line 3: found \"\"a\", expected a closing quote", GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nstring id=1 text=\"\\q\"\n",
		 "test: line 3: found \"\\q\"\", expected \\xNN, \\\\ or \\\"", GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nstring text=\"a\"\n",
		 "test: line 3: found \"string\", expected an id that is not 0", GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nraw kind=0x0012\n",
		 "test: line 3: found \"raw\", expected the name of the record: its kind is known",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nend bytes=012\n",
		 "test: line 3: found \"012\", expected an even number of hexadecimal digits, at most "
		 "131072",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nend bytes=0123\n",
		 "test: line 3: found \"end\", expected bytes= with a multiple of 8 bytes",
		 GST_E_FORMAT},
		{"gstext 1.0\nchunk defs process=1\nstring id=0x80000000 text=\"a\"\nprocess name=\"b\"\n",
		 "test: found string ids of 0x80000000 or more, expected smaller ones in a text with "
		 "strings in quotes",
		 GST_E_FORMAT},
		{"gstext 1.0\n",
		 "test: no chunk of a trace in 0 bytes; expected \"GSTCHUNK\" at offset 0 (.gst) or a "
		 "first line \"gstext 1.0\" (.gstext)",
		 GST_E_FORMAT},
		{"hello, world",
		 "test: no chunk of a trace in 12 bytes; expected \"GSTCHUNK\" at offset 0 (.gst) or a "
		 "first line \"gstext 1.0\" (.gstext)",
		 GST_E_FORMAT},
		{"", "test: the file is empty", GST_E_FORMAT},
	};
	struct loaded r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		load_bytes(&r, cases[i].text, strlen(cases[i].text), NULL);
		assert_string_equal(r.err.text, cases[i].want);
		assert_int_equal(r.st, cases[i].st);
		unload(&r);
	}
}

static void test_window_and_segment(void **state)
{
	struct gst_load_options o = options();
	struct loaded r;

	(void)state;
	o.from_ns = 121;
	load_bytes(&r, small_text, strlen(small_text), &o);
	assert_null(strstr(r.text, "call_launch"));
	assert_non_null(strstr(r.text, "call_copy"));
	/* Device records without MONOTONIC times are always read. */
	assert_non_null(strstr(r.text, "kernel corr=7"));
	assert_int_equal(r.stats.chunks_outside, 1);
	/* What was not asked for is not missing. */
	assert_true(r.is_complete);
	unload(&r);

	o.from_ns = 120;
	o.to_ns = 999;
	load_bytes(&r, small_text, strlen(small_text), &o);
	assert_non_null(strstr(r.text, "call_launch"));
	assert_null(strstr(r.text, "call_copy"));
	unload(&r);

	o = options();
	o.segment = 1;
	load_bytes(&r, small_text, strlen(small_text), &o);
	assert_string_equal(r.text, "gstext 1.0\n");
	assert_int_equal(r.stats.chunks_outside, 5);
	unload(&r);
}

static void test_missing_chunk(void **state)
{
	static const char text[] = "gstext 1.0\n"
				   "chunk defs process=1 sequence=2\nend\n"
				   "chunk events process=1 thread=1 sequence=5\ncall\n";
	struct loaded r;

	(void)state;
	load_bytes(&r, text, strlen(text), NULL);
	assert_false(r.is_complete);
	assert_true(r.has_end);
	assert_string_equal(r.reasons,
			    "3: chunk at offset 0x0 of process 1 has number 2, expected 1\n");
	unload(&r);
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
	load_bytes(&r, text, strlen(text), NULL);
	assert_false(r.is_complete);
	assert_true(r.has_end);
	assert_int_equal(r.stats.loss_notes, 3);
	assert_true(r.stats.lost_records == UINT64_MAX);
	assert_true(r.stats.has_loss_of_unknown_size);
	assert_string_equal(r.reasons,
			    "2: the tracer lost records (cupti-dropped)\n"
			    "2: 2 activity records were asked for and never delivered\n");
	unload(&r);
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
	struct gst_load_options o = options();
	struct loaded r;

	(void)state;
	load_bytes(&r, text, strlen(text), NULL);
	assert_int_equal(r.stats.kind_records[GST_SCHEMA_INDEX_CALL], 5);
	assert_int_equal(r.stats.chunks_double, 1);
	assert_true(r.is_complete);
	unload(&r);
	o.file_order = true;
	load_bytes(&r, text, strlen(text), &o);
	assert_int_equal(r.stats.kind_records[GST_SCHEMA_INDEX_CALL], 7);
	unload(&r);
	load_bytes(&r, gap, strlen(gap), NULL);
	assert_false(r.is_complete);
	assert_non_null(strstr(r.reasons,
			       "8: chunk at offset 0x88 goes on at byte 8 of staging page 3, "
			       "expected byte 0"));
	unload(&r);
}

static void test_tail_of_zeros(void **state)
{
	size_t size, room;
	uint8_t *gst = make_gst(small_text, &size, &room);
	size_t more = size + 200000;
	struct loaded r;

	(void)state;
	gst = gst_mem_realloc(gst, room, more);
	memset(gst + size, 0, more - size);
	load_bytes(&r, gst, more, NULL);
	assert_true(r.is_complete);
	assert_int_equal(r.stats.skipped_bytes, 0);
	unload(&r);
	/* A single bit in it, and it is not what a writer left. */
	gst[more - 3] = 1;
	load_bytes(&r, gst, more, NULL);
	assert_false(r.is_complete);
	assert_int_equal(r.stats.records, 12);
	assert_int_equal(r.stats.skipped_bytes, 8);
	unload(&r);
	gst_mem_free(gst, more);
}

static void test_open_chunk(void **state)
{
	static const char text[] =
		"gstext 1.0\n"
		"chunk defs process=1\nend\n"
		"chunk events process=1 thread=1 open=1\ncall corr=1\ncall corr=2\n"
		"chunk events process=1 thread=1\ncall corr=3\n";
	struct loaded r;

	(void)state;
	load_bytes(&r, text, strlen(text), NULL);
	assert_int_equal(r.stats.kind_records[GST_SCHEMA_INDEX_CALL], 3);
	assert_string_equal(r.reasons, "1: chunk at offset 0x88 was never sealed\n");
	assert_false(r.is_complete);
	unload(&r);
}

/* Bytes taken out of a body: the chunk is given up, the next one is found all the same. */
static void test_bytes_cut_out(void **state)
{
	size_t size, room, cut;
	uint8_t *gst = make_gst(small_text, &size, &room);
	uint8_t *copy = gst_mem_alloc(size);
	struct loaded r;

	(void)state;
	for (cut = 8; cut <= 64; cut += 8) {
		memcpy(copy, gst, 200);
		memcpy(copy + 200, gst + 200 + cut, size - 200 - cut);
		load_bytes(&r, copy, size - cut, NULL);
		assert_int_equal(r.st, GST_OK);
		assert_false(r.is_complete);
		assert_int_equal(r.stats.records, 6);
		assert_true(r.has_end);
		unload(&r);
	}
	gst_mem_free(copy, size);
	gst_mem_free(gst, room);
}

/* Whatever byte is changed, and wherever the file ends: an error, or not complete. */
static void test_every_flip_and_cut(void **state)
{
	size_t size, room, i, cut_records = 0;
	uint8_t *gst = make_gst(small_text, &size, &room);
	struct loaded r;
	int bit;

	(void)state;
	load_bytes(&r, gst, size, NULL);
	assert_true(r.is_complete);
	unload(&r);
	for (i = 0; i < size; i++) {
		for (bit = 0; bit < 8; bit += 3) {
			gst[i] ^= (uint8_t)(1 << bit);
			load_bytes(&r, gst, size, NULL);
			if (!r.st && r.is_complete)
				fail_msg("bit %d of byte %zu is not noticed", bit, i);
			unload(&r);
			gst[i] ^= (uint8_t)(1 << bit);
		}
	}
	for (i = 0; i < size; i++) {
		load_bytes(&r, gst, i, NULL);
		if (!r.st && r.is_complete)
			fail_msg("a cut to %zu bytes is not noticed", i);
		/* What is whole is used. */
		assert_true(r.stats.records >= cut_records);
		cut_records = r.stats.records;
		unload(&r);
	}
	assert_int_equal(cut_records, 11);
	gst_mem_free(gst, room);
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

/* ---- headers -------------------------------------------------------------------------------- */

/* One sealed chunk with an END record, whose header @change may alter before it is sealed. */
static size_t one_chunk(uint8_t *out, void (*change)(struct gst_chunk_header *h))
{
	struct gst_chunk_header h;
	struct gst_rec_end end = {.time_ns = 5};

	end.head = gst_record_head(GST_KIND_END, 16, 0);
	gst_chunk_init_open(&h, GST_CHUNK_DEFS | GST_CHUNK_END, 1, 0, 0, 1, 0);
	gst_chunk_seal(&h, &end, 16, 1, 5, 5);
	if (change) {
		change(&h);
		h.header_crc = gst_chunk_header_crc(&h);
	}
	memset(out, 0, 512);
	memcpy(out, &h, sizeof(h));
	memcpy(out + h.header_bytes, &end, 16);
	return h.header_bytes + 16u;
}

static void major_2(struct gst_chunk_header *h)
{
	h->major = 2;
	h->minor = 7;
}

static void minor_9(struct gst_chunk_header *h)
{
	h->minor = 9;
}

static void codec_zstd(struct gst_chunk_header *h)
{
	h->codec = GST_CODEC_ZSTD;
}

static void codec_unknown(struct gst_chunk_header *h)
{
	h->codec = 99;
}

static void longer_header(struct gst_chunk_header *h)
{
	h->header_bytes = 256;
}

static void huge_body(struct gst_chunk_header *h)
{
	h->stored_bytes = UINT64_MAX;
	h->unpacked_bytes = UINT64_MAX;
}

static void wrong_count(struct gst_chunk_header *h)
{
	h->record_count = 2;
}

static void test_headers(void **state)
{
	uint8_t bytes[512];
	struct loaded r;

	(void)state;
	load_bytes(&r, bytes, one_chunk(bytes, NULL), NULL);
	assert_true(r.is_complete);
	unload(&r);
	load_bytes(&r, bytes, one_chunk(bytes, minor_9), NULL);
	assert_true(r.is_complete);
	unload(&r);
	load_bytes(&r, bytes, one_chunk(bytes, longer_header), NULL);
	assert_true(r.is_complete);
	unload(&r);

	load_bytes(&r, bytes, one_chunk(bytes, major_2), NULL);
	assert_int_equal(r.st, GST_E_VERSION);
	assert_string_equal(r.err.text,
			    "test: offset 0x0: trace format version 2.7, but this gstrace "
			    "reads version 1 (up to 1.0)");
	load_bytes(&r, bytes, one_chunk(bytes, codec_zstd), NULL);
	assert_int_equal(r.st, GST_E_UNSUPPORTED);
	assert_string_equal(r.err.text,
			    "test: offset 0x0: chunk compressed with zstd (codec 1), which "
			    "this gstrace cannot read");
	load_bytes(&r, bytes, one_chunk(bytes, codec_unknown), NULL);
	assert_int_equal(r.st, GST_E_UNSUPPORTED);
	assert_non_null(strstr(r.err.text, "an unknown codec (codec 99)"));
	load_bytes(&r, bytes, one_chunk(bytes, huge_body), NULL);
	assert_int_equal(r.st, GST_E_FORMAT);
	load_bytes(&r, bytes, one_chunk(bytes, wrong_count), NULL);
	assert_string_equal(r.reasons,
			    "1: chunk at offset 0x0 holds 1 records, its header says 2\n");
	assert_false(r.is_complete);
	unload(&r);
}

/* Bodies that are sealed and whole, and break the rules of records. */
static void test_bad_records(void **state)
{
	static const struct {
		uint64_t words[4];
		uint32_t count;
		const char *want;
	} cases[] = {
		{{0x0000000000000012}, 1, "record of kind 0x0012 has size 0, expected at least 8"},
		{{0x0000000000000000}, 1, "record word is 0, expected 8 more bytes of records"},
		{{0x0000000000050012},
		 1,
		 "record of kind 0x0012 has 40 bytes, but 8 are left in the chunk"},
		{{0x00000000ffff0012},
		 1,
		 "record of kind 0x0012 has 524280 bytes, expected at most 65536"},
		{{0x0000000000010001}, 1, "string record has 8 bytes, expected at least 16"},
		{{0x0000000000030001, 0x0000000900000001, 0},
		 3,
		 "string of 9 bytes in a record with room for 8, expected at most 16384"},
		{{0x0000000000030001, 0x0000000800000000, 0},
		 3,
		 "string with id 0, expected 1 or more"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gst_chunk_header h;
		uint8_t bytes[512];
		struct loaded r;
		char want[300];

		gst_chunk_init_open(&h, GST_CHUNK_DEFS, 1, 0, 0, 1, 0);
		gst_chunk_seal(&h, cases[i].words, cases[i].count * 8, 1, 0, 0);
		memcpy(bytes, &h, sizeof(h));
		memcpy(bytes + sizeof(h), cases[i].words, cases[i].count * 8);
		load_bytes(&r, bytes, sizeof(h) + cases[i].count * 8, NULL);
		assert_int_equal(r.st, GST_OK);
		assert_false(r.is_complete);
		assert_int_equal(r.stats.records, 0);
		snprintf(want, sizeof(want), "1: record at offset 0x80: %s\n", cases[i].want);
		assert_memory_equal(strstr(r.reasons, want) ? "" : r.reasons, "", 1);
		unload(&r);
	}
}

/* ---- files ---------------------------------------------------------------------------------- */

static void temp_path(char *path, size_t room, const char *name)
{
	const char *folder = getenv("TEST_TMPDIR");

	snprintf(path, room, "%s/%s.%ld", folder ? folder : "/tmp", name, (long)getpid());
}

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static size_t count_records(struct gst_loader *l)
{
	struct gst_record rec;
	size_t n = 0;
	int got;

	while ((got = gst_loader_next(l, &rec)) > 0)
		n++;
	assert_int_equal(got, 0);
	return n;
}

static void test_files(void **state)
{
	struct gst_err err = {0};
	struct gst_loader *l;
	size_t size, room;
	uint8_t *gst = make_gst(small_text, &size, &room);
	char path[300];

	(void)state;
	temp_path(path, sizeof(path), "small.gst");
	write_file(path, gst, size);
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_OK);
	assert_int_equal(count_records(l), 12);
	assert_true(gst_loader_stats(l)->is_complete);
	assert_int_equal(gst_loader_stats(l)->file_bytes, size);
	gst_loader_close(l);

	write_file(path, small_text, strlen(small_text));
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_OK);
	assert_int_equal(count_records(l), 12);
	gst_loader_close(l);

	write_file(path, "", 0);
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_E_FORMAT);
	assert_non_null(strstr(err.text, "the file is empty"));
	unlink(path);
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_E_IO);
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_int_equal(gst_loader_open("/", NULL, &l, &err), GST_E_IO);
	assert_string_equal(err.text, "/: is a folder, expected a trace");
	gst_loader_close(NULL);
	gst_mem_free(gst, room);
}

/* The file gets shorter after it was opened. */
static void test_file_shrinks(void **state)
{
	struct gst_err err = {0};
	struct gst_record rec;
	struct gst_loader *l;
	size_t size, room;
	uint8_t *gst = make_gst(small_text, &size, &room);
	char path[300];
	int got;

	(void)state;
	temp_path(path, sizeof(path), "shrink.gst");
	write_file(path, gst, size);
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_OK);
	assert_int_equal(truncate(path, 200), 0);
	while ((got = gst_loader_next(l, &rec)) > 0)
		;
	assert_int_equal(got, GST_E_IO);
	assert_non_null(strstr(gst_loader_error(l)->text, "the file became shorter"));
	gst_loader_close(l);
	unlink(path);
	gst_mem_free(gst, room);
}

static void this_boot(uint64_t *hi, uint64_t *lo)
{
	unsigned long long a, b, c, d, e;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%8llx-%4llx-%4llx-%4llx-%12llx", &a, &b, &c, &d, &e), 5);
	fclose(f);
	*hi = a << 32 | b << 16 | c;
	*lo = d << 48 | e;
}

static void test_staging(void **state)
{
	struct gst_load_options o = options();
	char text[1000], path[300], staging[300];
	struct gst_chunk_header h;
	struct gst_err err = {0};
	uint64_t hi, lo, page[64] = {0};
	struct gst_rec_call_exit exit_rec = {.exit_ns = 700};
	struct gst_record rec;
	struct gst_loader *l;
	uint8_t *gst;
	size_t size, room, n;
	int got, wrong_boot;

	(void)state;
	this_boot(&hi, &lo);
	temp_path(path, sizeof(path), "killed.gst");
	temp_path(staging, sizeof(staging), "staging");
	/* The page has a call and its exit; the .gst got the call only. */
	gst_chunk_init_open(&h, GST_CHUNK_EVENTS, 9, 1, 0, 77, sizeof(page) - sizeof(h));
	h.source_page = 77;
	gst_chunk_reseal_open(&h);
	h.copied_bytes = 16;
	memcpy(page, &h, sizeof(h));
	page[16] = (uint64_t)GST_KIND_CALL | 2u << 16 | UINT64_C(5) << 32;
	page[17] = 600;
	exit_rec.head = gst_record_head(GST_KIND_CALL_EXIT, 16, 5);
	memcpy(&page[18], &exit_rec, 16);

	for (wrong_boot = 0; wrong_boot < 2; wrong_boot++) {
		snprintf(text, sizeof(text),
			 "gstext 1.0\n"
			 "chunk defs process=9\n"
			 "string id=1 text=\"%s\"\n"
			 "process pid=9 staging=1 boot_hi=0x%" PRIx64 " boot_lo=0x%" PRIx64 "\n"
			 "chunk events process=9 thread=1 page=77\n"
			 "call corr=5 enter_ns=600\n",
			 staging, hi, lo + (uint64_t)wrong_boot);
		gst = make_gst(text, &size, &room);
		write_file(path, gst, size);
		gst_mem_free(gst, room);
		write_file(staging, page, sizeof(page));

		o.fold_staging = true;
		assert_int_equal(gst_loader_open(path, &o, &l, &err), GST_OK);
		n = 0;
		while ((got = gst_loader_next(l, &rec)) > 0) {
			if (rec.kind == GST_REC_CALL_EXIT) {
				assert_int_equal(rec.corr, 5);
				assert_int_equal(
					((const struct gst_rec_call_exit *)rec.data)->exit_ns, 700);
				assert_int_equal(rec.offset, 144);
			}
			n++;
		}
		assert_int_equal(got, 0);
		assert_int_equal(n, wrong_boot ? 3 : 4);
		assert_int_equal(gst_loader_stats(l)->staging_chunks, !wrong_boot);
		assert_false(gst_loader_stats(l)->is_complete);
		assert_int_equal(gst_loader_stats(l)->last_ns, wrong_boot ? 600 : 700);
		gst_loader_close(l);
		assert_int_equal(unlink(staging), 0);
	}
	o.fold_staging = true;
	assert_int_equal(gst_loader_open(path, &o, &l, &err), GST_OK);
	assert_int_equal(count_records(l), 3);
	assert_int_equal(gst_loader_stats(l)->reasons[1].code, GST_LOAD_STAGING_GONE);
	gst_loader_close(l);
	unlink(path);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Files that are nothing but the smallest things of which a reader keeps something. */
static void test_memory_bound(void **state)
{
	enum { SIZE = 20 << 20 };
	uint8_t *bytes = malloc(SIZE);
	struct gst_chunk_header h;
	struct gst_loader *l;
	struct gst_record rec;
	size_t i, n = 0;
	uint64_t before;

	(void)state;
	assert_non_null(bytes);
	/* Empty chunks, each another process and segment. */
	for (i = 0; i + sizeof(h) <= SIZE; i += sizeof(h)) {
		gst_chunk_init_open(&h, GST_CHUNK_EVENTS, (uint32_t)n, 1, (uint32_t)n, n + 1, 0);
		n++;
		h.source_page = n;
		gst_chunk_seal(&h, bytes, 0, 0, 0, 0);
		memcpy(bytes + i, &h, sizeof(h));
	}
	before = gst_mem_used();
	/* Less than the 64 MiB promised: SIZE is small, for speed. */
	gst_mem_set_limit(before + (24u << 20) + 8u * (uint64_t)SIZE);
	assert_int_equal(gst_loader_open_memory(bytes, SIZE, "t", NULL, &l, NULL), GST_OK);
	while (gst_loader_next(l, &rec) > 0)
		;
	assert_int_equal(gst_loader_stats(l)->chunks, n);
	gst_loader_close(l);

	/* One-word records of unknown kinds. */
	gst_chunk_init_open(&h, GST_CHUNK_EVENTS, 1, 1, 0, 1, GST_CHUNK_MAX_BYTES - 8);
	for (i = 0; i + sizeof(h) + GST_CHUNK_MAX_BYTES <= SIZE;
	     i += sizeof(h) + GST_CHUNK_MAX_BYTES) {
		h.thread++;
		h.sequence++;
		gst_chunk_reseal_open(&h);
		memcpy(bytes + i, &h, sizeof(h));
		for (n = 0; n < GST_CHUNK_MAX_BYTES / 8; n++) {
			uint64_t word = 0x16000 + n % 0x1fff;

			memcpy(bytes + i + sizeof(h) + n * 8, &word, 8);
		}
	}
	assert_int_equal(gst_loader_open_memory(bytes, SIZE, "t", NULL, &l, NULL), GST_OK);
	while (gst_loader_next(l, &rec) > 0)
		;
	assert_true(gst_loader_stats(l)->has_more_unknown);
	gst_loader_close(l);

	/* Text: the shortest chunks; then each of another process. */
	for (i = 0; i < 2; i++) {
		size_t length = (size_t)snprintf((char *)bytes, SIZE, "gstext 1.0\n");

		for (n = 1; length + 64 < SIZE; n++)
			length += (size_t)snprintf((char *)bytes + length, 64,
						   "chunk defs process=%zu\nend\n", i ? n : i);
		assert_int_equal(gst_loader_open_memory(bytes, length, "t", NULL, &l, NULL),
				 GST_OK);
		while (gst_loader_next(l, &rec) > 0)
			;
		assert_int_equal(gst_loader_stats(l)->records, n - 1);
		gst_loader_close(l);
	}
	gst_mem_set_limit(0);
	free(bytes);
	assert_int_equal(gst_mem_used(), before);
}

/* Each allocation fails once: the hook is called, nothing else happens. */
static void exit_on_oom(uint64_t wanted, uint64_t used, uint64_t limit)
{
	(void)wanted;
	(void)used;
	(void)limit;
	_exit(4);
}

static void test_every_allocation_fails(void **state)
{
	uint64_t n;
	int status = -1;

	(void)state;
	for (n = 1; n < 1000; n++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (!child) {
			struct gst_load_options o = options();
			struct loaded r;

			gst_mem_set_oom_hook(exit_on_oom);
			gst_mem_fail_nth(n);
			load_bytes(&r, small_text, strlen(small_text), &o);
			_exit(r.is_complete ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		if (!WEXITSTATUS(status))
			break;
		assert_int_equal(WEXITSTATUS(status), 4);
	}
	/* Some did fail, and in the end none. */
	assert_true(n > 10);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_counts),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_kernel_short),
		cmocka_unit_test(test_every_field),
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_text_errors),
		cmocka_unit_test(test_window_and_segment),
		cmocka_unit_test(test_missing_chunk),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_order_by_pages),
		cmocka_unit_test(test_double_coverage),
		cmocka_unit_test(test_tail_of_zeros),
		cmocka_unit_test(test_open_chunk),
		cmocka_unit_test(test_bytes_cut_out),
		cmocka_unit_test(test_every_flip_and_cut),
		cmocka_unit_test(test_unknown_kinds),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_bad_records),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_file_shrinks),
		cmocka_unit_test(test_staging),
		cmocka_unit_test(test_memory_bound),
		cmocka_unit_test(test_every_allocation_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
