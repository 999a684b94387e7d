/*
 * schema_test.c - the tables agree with the structs, and every name leads back to its value.
 */
#include "tracer/format/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_table(void **state)
{
	uint32_t i, f;

	(void)state;
	for (i = 0; i < GST_SCHEMA_RECORDS; i++) {
		const struct gst_schema_record *r = gst_schema_record(i);
		uint32_t end = sizeof(struct gst_rec_head);

		assert_int_equal(r->index, i);
		assert_ptr_equal(gst_schema_find(r->kind), r);
		assert_ptr_equal(gst_schema_find(r->kind | GST_KIND_CRITICAL), r);
		assert_ptr_equal(gst_schema_find_name(r->name, strlen(r->name)), r);
		assert_true(strlen(r->doc) > 0);
		/* Fields follow each other without a hole: nothing in a file is without a name. */
		for (f = 0; f < r->field_count; f++) {
			const struct gst_schema_field *field = &r->fields[f];

			assert_int_equal(field->offset, end);
			end += field->bytes;
			assert_ptr_equal(gst_schema_find_field(r, field->name, strlen(field->name)),
					 field);
		}
		assert_int_equal(end, r->bytes);
		if (i)
			assert_true(r->kind > gst_schema_record(i - 1)->kind);
	}
	assert_null(gst_schema_record(GST_SCHEMA_RECORDS));
	assert_null(gst_schema_find(0));
	assert_null(gst_schema_find(0x7fff));
	assert_null(gst_schema_find_name("kernels", 7));
	assert_null(gst_schema_find_name("kerne", 5));
}

static const struct gst_schema_field *field_of(uint32_t kind, const char *name)
{
	return gst_schema_find_field(gst_schema_find(kind), name, strlen(name));
}

static void test_get_set(void **state)
{
	const struct gst_schema_field *f;
	struct gst_rec_stream stream;
	struct gst_rec_kernel kernel;
	struct gst_rec_rank rank;

	(void)state;
	memset(&stream, 0, sizeof(stream));
	f = field_of(GST_REC_STREAM, "priority");
	assert_true(f->is_signed);
	assert_true(gst_schema_set(f, &stream, (uint64_t)(int64_t)-5));
	assert_int_equal(stream.priority, -5);
	assert_true(gst_schema_get(f, &stream) == (uint64_t)(int64_t)-5);
	assert_true(gst_schema_set(f, &stream, INT32_MAX));
	assert_false(gst_schema_set(f, &stream, (uint64_t)INT32_MAX + 1));
	assert_true(gst_schema_set(f, &stream, (uint64_t)(int64_t)INT32_MIN));
	assert_false(gst_schema_set(f, &stream, (uint64_t)((int64_t)INT32_MIN - 1)));
	assert_int_equal(stream.priority, INT32_MIN);

	memset(&kernel, 0, sizeof(kernel));
	f = field_of(GST_REC_KERNEL, "block_x");
	assert_true(gst_schema_set(f, &kernel, 65535));
	assert_false(gst_schema_set(f, &kernel, 65536));
	assert_false(gst_schema_set(f, &kernel, UINT64_MAX));
	assert_int_equal(kernel.block_x, 65535);
	f = field_of(GST_REC_KERNEL, "launch_type");
	assert_true(gst_schema_set(f, &kernel, 255));
	assert_false(gst_schema_set(f, &kernel, 256));
	f = field_of(GST_REC_KERNEL, "start_ns");
	assert_true(gst_schema_set(f, &kernel, UINT64_MAX));
	assert_true(gst_schema_get(f, &kernel) == UINT64_MAX);

	f = field_of(GST_REC_RANK, "value");
	memset(&rank, 0, sizeof(rank));
	assert_true(gst_schema_set(f, &rank, UINT64_MAX));
	assert_true(rank.value == -1);
}

static void test_values(void **state)
{
	uint32_t i, f, n, forms_with_values = 0;

	(void)state;
	for (i = 0; i < GST_SCHEMA_RECORDS; i++) {
		const struct gst_schema_record *r = gst_schema_record(i);

		for (f = 0; f < r->field_count; f++) {
			const struct gst_schema_form *form = r->fields[f].form;
			uint64_t value, back;
			const char *text;

			for (n = 0; gst_schema_value_at(form, n, &value, &text); n++) {
				assert_string_equal(gst_schema_value_text(form, value), text);
				assert_true(gst_schema_value_find(form, text, strlen(text), &back));
				assert_true(back == value);
				if (form->class_id == GST_FORM_FLAGS)
					assert_true(value && (value & (value - 1)) == 0);
			}
			if (form->class_id == GST_FORM_ENUM || form->class_id == GST_FORM_FLAGS) {
				assert_true(n > 0);
				forms_with_values++;
			} else {
				assert_int_equal(n, 0);
			}
		}
	}
	assert_true(forms_with_values > 10);
	assert_string_equal(gst_codec_name(GST_CODEC_LZ4), "lz4");
	assert_null(gst_codec_name(77));
}

static void test_time_range(void **state)
{
	struct gst_rec_loss loss;
	uint64_t first = 0, last = 0;

	(void)state;
	memset(&loss, 0, sizeof(loss));
	gst_schema_time_range(gst_schema_find(GST_REC_LOSS), &loss, &first, &last);
	assert_int_equal(first, 0);
	loss.since_ns = 50;
	loss.until_ns = 70;
	gst_schema_time_range(gst_schema_find(GST_REC_LOSS), &loss, &first, &last);
	assert_int_equal(first, 50);
	assert_int_equal(last, 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_get_set),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_time_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
