/*
 * crc32c_test.c - the checksum against known values and against a bit-by-bit one.
 */
#include "tracer/format/crc32c.h"
#include "tracer/format/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint32_t slow_crc(const uint8_t *p, size_t size)
{
	uint32_t c = UINT32_MAX;
	size_t i;
	int bit;

	for (i = 0; i < size; i++) {
		c ^= p[i];
		for (bit = 0; bit < 8; bit++)
			c = c & 1u ? c >> 1 ^ 0x82f63b78u : c >> 1;
	}
	return ~c;
}

static void test_known_values(void **state)
{
	uint8_t bytes[32];
	int i;

	(void)state;
	/* The check value of the algorithm, and the vectors of RFC 3720 B.4. */
	assert_int_equal(gst_crc32c(0, "123456789", 9), 0xe3069283u);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(gst_crc32c(0, bytes, 32), 0x8a9136aau);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(gst_crc32c(0, bytes, 32), 0x62a8ab43u);
	for (i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	assert_int_equal(gst_crc32c(0, bytes, 32), 0x46dd794eu);
	assert_int_equal(gst_crc32c(0, bytes, 0), 0);
}

static void test_against_bitwise(void **state)
{
	uint8_t bytes[300];
	uint32_t seed = 1;
	size_t i, start, size;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(seed >> 24);
	}
	for (start = 0; start < 9; start++) {
		for (size = 0; size + start <= sizeof(bytes); size++) {
			uint32_t want = slow_crc(bytes + start, size);

			assert_int_equal(gst_crc32c(0, bytes + start, size), want);
			assert_int_equal(gst_crc32c_portable(0, bytes + start, size), want);
			/* In two pieces. */
			assert_int_equal(gst_crc32c(gst_crc32c(0, bytes + start, size / 3),
						    bytes + start + size / 3, size - size / 3),
					 want);
		}
	}
}

/* As long as bodies are: where the processor can, several stretches of them at a time. */
static void test_long(void **state)
{
	static uint8_t bytes[10000];
	uint32_t seed = 3;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(seed >> 24);
	}
	for (size_t size = 3000; size <= sizeof(bytes) - 1; size += size % 1024 < 9 ? 1 : 239) {
		uint32_t begin = (uint32_t)size * 2654435761u;

		assert_int_equal(gst_crc32c(0, bytes + 1, size), slow_crc(bytes + 1, size));
		assert_int_equal(gst_crc32c(begin, bytes + 1, size),
				 gst_crc32c_portable(begin, bytes + 1, size));
	}
}

static void test_headers(void **state)
{
	struct gst_chunk_header h;
	uint64_t body[2] = {0x0000000000020100u, 7};
	uint32_t open_crc;

	(void)state;
	gst_chunk_init_open(&h, GST_CHUNK_EVENTS, 11, 2, 0, 5, 4096);
	open_crc = h.header_crc;
	assert_int_equal(open_crc, slow_crc((const uint8_t *)&h, 96));
	h.copied_bytes = 64; /* moves without a new checksum */
	assert_int_equal(gst_chunk_header_crc(&h), open_crc);
	gst_chunk_seal(&h, body, sizeof(body), 1, 10, 20);
	assert_int_equal(h.header_crc, slow_crc((const uint8_t *)&h, 124));
	assert_int_equal(h.body_crc, slow_crc((const uint8_t *)body, 16));
	assert_int_equal(h.stored_bytes, 16);
	assert_true(h.flags & GST_CHUNK_SEALED);
}

static void test_records(void **state)
{
	struct gst_rec_call_exit rec;
	uint8_t out[64];

	(void)state;
	memset(&rec, 0, sizeof(rec));
	assert_int_equal(gst_record_trim(&rec, sizeof(rec)), 8);
	rec.exit_ns = 1;
	assert_int_equal(gst_record_trim(&rec, sizeof(rec)), 16);
	rec.result = -1;
	assert_int_equal(gst_record_trim(&rec, sizeof(rec)), sizeof(rec));

	memset(out, 0xee, sizeof(out));
	assert_int_equal(gst_string_record_write(out, 3, "abc", 3), 24);
	assert_memory_equal(out + 16, "abc\0\0\0\0\0", 8);
	assert_int_equal(out[24], 0xee);
	assert_int_equal(gst_string_record_write(out, 3, "", 0), 16);
	assert_int_equal(gst_string_record_write(out, 3, "12345678", 8), 24);
	assert_memory_equal(out + 16, "12345678", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values), cmocka_unit_test(test_against_bitwise),
		cmocka_unit_test(test_long),	     cmocka_unit_test(test_headers),
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
