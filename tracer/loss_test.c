/*
 * loss_test.c - each loss is reported once, under its kind and reason; clock anchors hold together.
 */
#include "tracer/loss.h"
#include "tracer/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_counts(void **state)
{
	static struct gst_loss loss;
	struct gst_rec_loss rec;
	uint64_t before = gst_clock_mono_ns();
	uint32_t cursor = 0;

	(void)state;
	assert_false(gst_loss_take(&loss, &cursor, &rec));
	gst_loss_add(&loss, GST_KIND_CALL_LAUNCH, GST_LOSS_NO_CHUNK, 1);
	gst_loss_add(&loss, GST_REC_CALL_LAUNCH, GST_LOSS_NO_CHUNK, 2);
	gst_loss_add(&loss, GST_KIND_KERNEL, GST_LOSS_NO_CHUNK, 5);

	cursor = 0;
	assert_true(gst_loss_take(&loss, &cursor, &rec));
	assert_int_equal(rec.kind, GST_REC_CALL_LAUNCH);
	assert_int_equal(rec.reason, GST_LOSS_NO_CHUNK);
	assert_int_equal(rec.count, 3);
	assert_true(rec.since_ns >= before && rec.until_ns >= rec.since_ns);
	assert_int_equal(rec.head.size8, sizeof(rec) / 8);
	assert_true(gst_loss_take(&loss, &cursor, &rec));
	assert_int_equal(rec.kind, GST_REC_KERNEL);
	assert_int_equal(rec.count, 5);
	assert_false(gst_loss_take(&loss, &cursor, &rec));

	cursor = 0;
	assert_false(gst_loss_take(&loss, &cursor, &rec));
}

/* Every kind comes back as itself; what has no cell is "several". */
static void test_kinds(void **state)
{
	static const uint32_t kinds[] = {
		GST_REC_CALL,	  GST_REC_CALL_HOST, GST_REC_CALL_EXIT, GST_REC_KERNEL,
		GST_REC_HOST_RUN, GST_REC_STRING,    GST_REC_STREAM,	GST_REC_MODULE,
	};
	struct gst_rec_loss rec;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		static struct gst_loss loss;
		uint32_t cursor = 0;

		gst_loss_add(&loss, kinds[i], GST_LOSS_UNKNOWN, 1);
		assert_true(gst_loss_take(&loss, &cursor, &rec));
		assert_int_equal(rec.kind, kinds[i]);
		while (gst_loss_take(&loss, &cursor, &rec)) {
		}
	}
	{
		static struct gst_loss loss;
		uint32_t cursor = 0;

		gst_loss_add(&loss, 0x7ffe, 99, 1);
		assert_true(gst_loss_take(&loss, &cursor, &rec));
		assert_int_equal(rec.kind, 0);
		assert_int_equal(rec.reason, GST_LOSS_UNKNOWN);
	}
}

static uint64_t read_gpu(void *arg)
{
	return *(uint64_t *)arg;
}

static void test_anchor(void **state)
{
	uint64_t gpu = 77;
	struct gst_rec_anchor anchor;
	uint64_t before = gst_clock_mono_ns();
	uint64_t after;

	(void)state;
	gst_clock_anchor(&anchor, read_gpu, &gpu);
	after = gst_clock_mono_ns();
	assert_true(anchor.mono_ns >= before && anchor.mono_ns <= after);
	assert_true(anchor.width_ns <= after - before);
	assert_true(anchor.real_ns > UINT64_C(1500000000000000000));
	assert_true(anchor.raw_ns > 0);
	assert_int_equal(anchor.gpu_ns, 77);
	assert_int_equal(anchor.head.kind, GST_KIND_ANCHOR);
	gst_clock_anchor(&anchor, NULL, NULL);
	assert_int_equal(anchor.gpu_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_anchor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
