/*
 * load_damage_test.c - traces that were cut, torn or written by a stranger.
 *
 * Role      : whatever the bytes: an error, or what is left with a reason.
 * Method    : one good trace, damaged in one place; headers and bodies that break one rule each.
 * Invariant : no expected answer comes from the loader under test.
 * Not here  : whole broken files with their expected answer (corrupt_test.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/base/mem.h"
#include "analyzer/load/loaded.h"
#include "tracer/format/encode.h"

static void test_missing_chunk(void **state)
{
	static const char text[] = "gstext 1.0\n"
				   "chunk defs process=1 sequence=2\nend\n"
				   "chunk events process=1 thread=1 sequence=5\ncall\n";
	struct loaded r;

	(void)state;
	loaded_bytes(&r, text, strlen(text), NULL);
	assert_false(r.is_complete);
	assert_true(r.has_end);
	assert_string_equal(r.reasons,
			    "3: chunk at offset 0x0 of process 1 has number 2, expected 1\n");
	loaded_free(&r);
}

static void test_tail_of_zeros(void **state)
{
	size_t size, room;
	uint8_t *gst = loaded_gst(loaded_small_text, &size, &room);
	size_t more = size + 200000;
	struct loaded r;

	(void)state;
	gst = gst_mem_realloc(gst, room, more);
	memset(gst + size, 0, more - size);
	loaded_bytes(&r, gst, more, NULL);
	assert_true(r.is_complete);
	assert_int_equal(r.stats.skipped_bytes, 0);
	loaded_free(&r);
	/* A single bit in it, and it is not what a writer left. */
	gst[more - 3] = 1;
	loaded_bytes(&r, gst, more, NULL);
	assert_false(r.is_complete);
	assert_int_equal(r.stats.records, 12);
	assert_int_equal(r.stats.skipped_bytes, 8);
	loaded_free(&r);
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
	loaded_bytes(&r, text, strlen(text), NULL);
	assert_int_equal(r.stats.kind_records[GST_SCHEMA_INDEX_CALL], 3);
	assert_string_equal(r.reasons, "1: chunk at offset 0x88 was never sealed\n");
	assert_false(r.is_complete);
	loaded_free(&r);
}

/* Bytes taken out of a body: the chunk is given up, the next one is found all the same. */
static void test_bytes_cut_out(void **state)
{
	size_t size, room, cut;
	uint8_t *gst = loaded_gst(loaded_small_text, &size, &room);
	uint8_t *copy = gst_mem_alloc(size);
	struct loaded r;

	(void)state;
	for (cut = 8; cut <= 64; cut += 8) {
		memcpy(copy, gst, 200);
		memcpy(copy + 200, gst + 200 + cut, size - 200 - cut);
		loaded_bytes(&r, copy, size - cut, NULL);
		assert_int_equal(r.st, GST_OK);
		assert_false(r.is_complete);
		assert_int_equal(r.stats.records, 6);
		assert_true(r.has_end);
		loaded_free(&r);
	}
	gst_mem_free(copy, size);
	gst_mem_free(gst, room);
}

/* Whatever byte is changed, and wherever the file ends: an error, or not complete. */
static void test_every_flip_and_cut(void **state)
{
	size_t size, room, i, cut_records = 0;
	uint8_t *gst = loaded_gst(loaded_small_text, &size, &room);
	struct loaded r;
	int bit;

	(void)state;
	loaded_bytes(&r, gst, size, NULL);
	assert_true(r.is_complete);
	loaded_free(&r);
	for (i = 0; i < size; i++) {
		for (bit = 0; bit < 8; bit += 3) {
			gst[i] ^= (uint8_t)(1 << bit);
			loaded_bytes(&r, gst, size, NULL);
			if (!r.st && r.is_complete)
				fail_msg("bit %d of byte %zu is not noticed", bit, i);
			loaded_free(&r);
			gst[i] ^= (uint8_t)(1 << bit);
		}
	}
	for (i = 0; i < size; i++) {
		loaded_bytes(&r, gst, i, NULL);
		if (!r.st && r.is_complete)
			fail_msg("a cut to %zu bytes is not noticed", i);
		/* What is whole is used. */
		assert_true(r.stats.records >= cut_records);
		cut_records = r.stats.records;
		loaded_free(&r);
	}
	assert_int_equal(cut_records, 11);
	gst_mem_free(gst, room);
}

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
	loaded_bytes(&r, bytes, one_chunk(bytes, NULL), NULL);
	assert_true(r.is_complete);
	loaded_free(&r);
	loaded_bytes(&r, bytes, one_chunk(bytes, minor_9), NULL);
	assert_true(r.is_complete);
	loaded_free(&r);
	loaded_bytes(&r, bytes, one_chunk(bytes, longer_header), NULL);
	assert_true(r.is_complete);
	loaded_free(&r);

	loaded_bytes(&r, bytes, one_chunk(bytes, major_2), NULL);
	assert_int_equal(r.st, GST_E_VERSION);
	assert_string_equal(r.err.text,
			    "test: offset 0x0: trace format version 2.7, but this gstrace "
			    "reads version 1 (up to 1.0)");
	loaded_bytes(&r, bytes, one_chunk(bytes, codec_zstd), NULL);
	assert_int_equal(r.st, GST_E_UNSUPPORTED);
	assert_string_equal(r.err.text,
			    "test: offset 0x0: chunk compressed with zstd (codec 1), which "
			    "this gstrace cannot read");
	loaded_bytes(&r, bytes, one_chunk(bytes, codec_unknown), NULL);
	assert_int_equal(r.st, GST_E_UNSUPPORTED);
	assert_non_null(strstr(r.err.text, "an unknown codec (codec 99)"));
	loaded_bytes(&r, bytes, one_chunk(bytes, huge_body), NULL);
	assert_int_equal(r.st, GST_E_FORMAT);
	loaded_bytes(&r, bytes, one_chunk(bytes, wrong_count), NULL);
	assert_string_equal(r.reasons,
			    "1: chunk at offset 0x0 holds 1 records, its header says 2\n");
	assert_false(r.is_complete);
	loaded_free(&r);
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
		loaded_bytes(&r, bytes, sizeof(h) + cases[i].count * 8, NULL);
		assert_int_equal(r.st, GST_OK);
		assert_false(r.is_complete);
		assert_int_equal(r.stats.records, 0);
		snprintf(want, sizeof(want), "1: record at offset 0x80: %s\n", cases[i].want);
		assert_memory_equal(strstr(r.reasons, want) ? "" : r.reasons, "", 1);
		loaded_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing_chunk),	   cmocka_unit_test(test_tail_of_zeros),
		cmocka_unit_test(test_open_chunk),	   cmocka_unit_test(test_bytes_cut_out),
		cmocka_unit_test(test_every_flip_and_cut), cmocka_unit_test(test_headers),
		cmocka_unit_test(test_bad_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
