/*
 * load_text_test.c - the text form of traces: there and back, literals, errors.
 *
 * Role      : what docs/FORMAT.md says of the text form.
 * Method    : records through text and back; lines that are wrong, with the line that the error names.
 * Invariant : no expected answer comes from the loader under test.
 * Not here  : random traces both ways (roundtrip_test.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/base/mem.h"
#include "analyzer/load/gst_writer.h"
#include "analyzer/load/loaded.h"
#include "tracer/format/encode.h"

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
	struct gst_load_options o = loaded_options();
	size_t size, room;
	struct loaded r;
	uint8_t *gst;

	(void)state;
	o.file_order = true;
	o.keep_unknown = true;
	o.keep_short = true;
	loaded_bytes(&r, text, strlen(text), &o);
	assert_string_equal(r.err.text, "");
	assert_string_equal(r.text, text);
	loaded_free(&r);
	/* And through the binary form. */
	gst = loaded_gst(text, &size, &room);
	loaded_bytes(&r, gst, size, &o);
	assert_string_equal(r.text, text);
	assert_false(r.stats.is_text);
	assert_int_equal(r.stats.unknown_records, 2);
	assert_int_equal(r.stats.unknown_critical, 1);
	loaded_free(&r);
	/* At an address that is not a multiple of 8. */
	gst = gst_mem_realloc(gst, room, size + 1);
	memmove(gst + 1, gst, size);
	loaded_bytes(&r, gst + 1, size, &o);
	assert_string_equal(r.text, text);
	loaded_free(&r);
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
		struct gst_load_options o = loaded_options();
		struct loaded a, b;
		char text[1000];

		snprintf(text, sizeof(text), "%s%s", head, as_short[i]);
		loaded_bytes(&a, text, strlen(text), &o);
		assert_int_equal(a.stats.kind_records[GST_SCHEMA_INDEX_KERNEL], 1);
		snprintf(text, sizeof(text), "%s%s", head, as_long[i]);
		loaded_bytes(&b, text, strlen(text), &o);
		assert_string_equal(a.text, b.text);
		assert_non_null(strstr(a.text, as_long[i]));
		assert_memory_equal(a.stats.kind_records, b.stats.kind_records,
				    sizeof(a.stats.kind_records));
		loaded_free(&a);
		loaded_free(&b);
		o.keep_short = true;
		snprintf(text, sizeof(text), "%s%s", head, as_short[i]);
		loaded_bytes(&a, text, strlen(text), &o);
		assert_int_equal(a.stats.kind_records[GST_SCHEMA_INDEX_KERNEL_SHORT], 1);
		assert_non_null(strstr(a.text, as_short[i]));
		loaded_free(&a);
	}
}

/* Every field of every kind, at its extremes, through text and back. */
static void test_every_field(void **state)
{
	struct gst_load_options o = loaded_options();
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
	loaded_bytes(&first, gst, size, &o);
	assert_string_equal(first.err.text, "");
	for (i = 0; i < GST_SCHEMA_RECORDS; i++)
		assert_true(first.stats.kind_records[i] >= 4);
	gst_mem_free(gst, room);
	gst = loaded_gst(first.text, &size, &room);
	loaded_bytes(&second, gst, size, &o);
	assert_string_equal(second.text, first.text);
	gst_mem_free(gst, room);
	loaded_free(&first);
	loaded_free(&second);
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
	struct gst_load_options o = loaded_options();
	struct loaded r;

	(void)state;
	loaded_bytes(&r, text, strlen(text), &o);
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
	loaded_free(&r);
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
		loaded_bytes(&r, cases[i].text, strlen(cases[i].text), NULL);
		assert_string_equal(r.err.text, cases[i].want);
		assert_int_equal(r.st, cases[i].st);
		loaded_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_kernel_short),
		cmocka_unit_test(test_every_field), cmocka_unit_test(test_literals),
		cmocka_unit_test(test_text_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
