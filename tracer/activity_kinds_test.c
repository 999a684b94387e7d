/*
 * activity_kinds_test.c - what CUPTI is asked for at the start, what later, and that nobody waits for a flush.
 */
#include "tracer/activity_test_util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static bool was_enabled(uint32_t kind)
{
	for (uint32_t i = 0; i < enabled_count; i++) {
		if (enabled[i] == kind) {
			return true;
		}
	}
	return false;
}

static void test_enable(void **state)
{
	struct gst_activity_options options = {0};
	struct bench *b = bench_new(GST_CUPTI_V_13_0_1);
	struct gst_rec_note note;

	(void)state;
	assert_int_equal(gst_activity_enable(&b->activity, &options), 9);
	assert_true(was_enabled(GST_CUPTI_KIND_CONCURRENT_KERNEL));
	assert_true(was_enabled(GST_CUPTI_KIND_GRAPH_TRACE));
	/* It would serialize the program. */
	assert_false(was_enabled(GST_CUPTI_KIND_KERNEL));
	assert_true(attributes & 1u << GST_CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
	assert_true(attributes & 1u << GST_CUPTI_ATTR_PER_THREAD_ACTIVITY_BUFFER);
	bench_free(b);

	b = bench_new(GST_CUPTI_V_12_8);
	options.graph_nodes = true;
	options.event_ids = GST_EVENT_IDS_ALWAYS;
	enable_result = GST_CUPTI_ERROR_INVALID_KIND;
	assert_int_equal(gst_activity_enable(&b->activity, &options), 9);
	assert_false(was_enabled(GST_CUPTI_KIND_GRAPH_TRACE));
	/* Expected before 12.9: no note. */
	assert_int_equal(gst_test_count(b->w, GST_REC_NOTE), 0);
	bench_free(b);

	b = bench_new(GST_CUPTI_V_12_9);
	enable_result = GST_CUPTI_ERROR_INVALID_KIND;
	(void)gst_activity_enable(&b->activity, &options);
	assert_true(gst_test_find(b->w, GST_REC_NOTE, 0, &note, sizeof(note)));
	assert_int_equal(note.code, GST_NOTE_KIND_OFF);
	assert_int_equal(note.detail, GST_CUPTI_ERROR_INVALID_KIND);
	bench_free(b);

	b = bench_new(GST_CUPTI_V_11_8);
	(void)gst_activity_enable(&b->activity, &options);
	assert_false(attributes & 1u << GST_CUPTI_ATTR_PER_THREAD_ACTIVITY_BUFFER);
	bench_free(b);
}

static void late(struct bench *b, enum gst_activity_when when, uint32_t kind)
{
	assert_false(was_enabled(kind));
	gst_activity_enable_late(&b->activity, when);
	assert_true(was_enabled(kind));
	enabled_count = 0;
	gst_activity_enable_late(&b->activity, when);
	assert_int_equal(enabled_count, 0);
}

static void test_late_kinds(void **state)
{
	struct gst_activity_options options = {0};
	struct bench *b = bench_new(GST_CUPTI_V_13_0_1);
	struct gst_rec_note note;

	(void)state;
	/* Not ready: nothing is asked for, and nothing forgotten. */
	gst_activity_enable_late(&b->activity, GST_ACTIVITY_PEERS);
	assert_int_equal(enabled_count, 0);
	(void)gst_activity_enable(&b->activity, &options);
	late(b, GST_ACTIVITY_PEERS, GST_CUPTI_KIND_MEMCPY2);
	late(b, GST_ACTIVITY_EVENT_IDS, GST_CUPTI_KIND_SYNCHRONIZATION);
	disabled_count = 0;
	gst_activity_disable(&b->activity);
	assert_int_equal(disabled_count, 12);
	bench_free(b);

	/* What was not asked for is not taken back. */
	b = bench_new(GST_CUPTI_V_12_8);
	(void)gst_activity_enable(&b->activity, &options);
	enable_result = GST_CUPTI_ERROR_INVALID_KIND;
	gst_activity_enable_late(&b->activity, GST_ACTIVITY_PEERS);
	assert_true(gst_test_find(b->w, GST_REC_NOTE, 0, &note, sizeof(note)));
	assert_int_equal(note.code, GST_NOTE_KIND_OFF);
	disabled_count = 0;
	gst_activity_disable(&b->activity);
	assert_int_equal(disabled_count, 10);
	bench_free(b);

	b = bench_new(GST_CUPTI_V_13_0_1);
	options.event_ids = GST_EVENT_IDS_NEVER;
	(void)gst_activity_enable(&b->activity, &options);
	enabled_count = 0;
	gst_activity_enable_late(&b->activity, GST_ACTIVITY_EVENT_IDS);
	assert_int_equal(enabled_count, 0);
	/* Recording has ended: CUPTI is left alone. */
	atomic_store(&b->w->state.is_on, 0);
	gst_activity_enable_late(&b->activity, GST_ACTIVITY_PEERS);
	assert_int_equal(enabled_count, 0);
	bench_free(b);

	b = bench_new(GST_CUPTI_V_13_0_1);
	options.event_ids = GST_EVENT_IDS_ALWAYS;
	assert_int_equal(gst_activity_enable(&b->activity, &options), 11);
	enabled_count = 0;
	gst_activity_enable_late(&b->activity, GST_ACTIVITY_EVENT_IDS);
	assert_int_equal(enabled_count, 0);
	bench_free(b);
}

/* A flush may hold CUPTI's locks, and never return: who asks meanwhile goes on at once. */
static void test_late_kinds_do_not_wait_for_a_flush(void **state)
{
	const struct gst_activity_options options = {0};
	struct bench *b = bench_new(GST_CUPTI_V_13_0_1);
	_Atomic uint64_t since_ns;

	(void)state;
	atomic_init(&since_ns, 0);
	b->activity.flush_since_ns = &since_ns;
	(void)gst_activity_enable(&b->activity, &options);
	enabled_count = 0;
	atomic_store(&since_ns, 77);
	gst_activity_enable_late(&b->activity, GST_ACTIVITY_PEERS);
	gst_activity_enable_postponed(&b->activity);
	assert_int_equal(enabled_count, 0);
	/* The flusher comes back. Only what was asked for, and once. */
	atomic_store(&since_ns, 0);
	errno = 17;
	gst_activity_enable_postponed(&b->activity);
	assert_int_equal(errno, 17);
	assert_int_equal(enabled_count, 1);
	assert_int_equal(enabled[0], GST_CUPTI_KIND_MEMCPY2);
	gst_activity_enable_postponed(&b->activity);
	gst_activity_enable_late(&b->activity, GST_ACTIVITY_PEERS);
	assert_int_equal(enabled_count, 1);
	bench_free(b);
}

/* Another thread may hang in such a request: it is not joined, and the flusher tries again. */
static void test_late_kinds_do_not_wait_for_each_other(void **state)
{
	const struct gst_activity_options options = {0};
	struct bench *b = bench_new(GST_CUPTI_V_13_0_1);

	(void)state;
	(void)gst_activity_enable(&b->activity, &options);
	enabled_count = 0;
	atomic_store(&b->activity.enable_since_ns, 77);
	gst_activity_enable_late(&b->activity, GST_ACTIVITY_EVENT_IDS);
	gst_activity_enable_postponed(&b->activity);
	assert_int_equal(enabled_count, 0);
	atomic_store(&b->activity.enable_since_ns, 0);
	gst_activity_enable_postponed(&b->activity);
	assert_int_equal(enabled_count, 2);
	assert_int_equal(atomic_load(&b->activity.enable_since_ns), 0);
	bench_free(b);
}

/* CUPTI 13.0 can deadlock when kernels are switched off; 13.0.1 does not. */
static void test_what_is_switched_off(void **state)
{
	const struct gst_activity_options options = {0};

	(void)state;
	for (uint32_t version = GST_CUPTI_V_13_0; version <= GST_CUPTI_V_13_0_1; version++) {
		struct bench *b = bench_new(version);
		uint64_t kernels = UINT64_C(1) << GST_CUPTI_KIND_CONCURRENT_KERNEL;

		(void)gst_activity_enable(&b->activity, &options);
		gst_activity_disable(&b->activity);
		assert_int_equal((disabled & kernels) != 0, version == GST_CUPTI_V_13_0_1);
		assert_true(disabled >> GST_CUPTI_KIND_MEMCPY & 1);
		/* Late kinds that nobody asked for, and records of calls, were never on. */
		assert_false(disabled >> GST_CUPTI_KIND_MEMCPY2 & 1);
		assert_false(disabled >> GST_CUPTI_KIND_RUNTIME & 1);
		bench_free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_enable),
		cmocka_unit_test(test_late_kinds),
		cmocka_unit_test(test_late_kinds_do_not_wait_for_a_flush),
		cmocka_unit_test(test_late_kinds_do_not_wait_for_each_other),
		cmocka_unit_test(test_what_is_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
