/*
 * flusher_test.c - which flushes CUPTI sees, in which order, and that a hanging one is left behind.
 */
#include "tracer/flusher.h"
#include "tracer/own_thread.h"
#include "tracer/record_test_util.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct bench {
	struct gst_test_world *w;
	struct gst_cupti cupti;
	struct gst_callbacks callbacks;
	struct gst_activity activity;
	struct gst_flusher flusher;
};

static _Atomic uint32_t plain;
static _Atomic uint32_t forced;
static _Atomic uint32_t plain_after_forced;
static _Atomic uint32_t is_mask_full;
static _Atomic uint32_t must_hang;
static _Atomic uint32_t may_go_on;

static int flush_all(uint32_t how)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	atomic_store(&is_mask_full, sigismember(&mask, SIGINT) == 1 &&
					    sigismember(&mask, SIGPROF) == 1 &&
					    sigismember(&mask, SIGXFSZ) == 1);
	if (how == GST_CUPTI_FLUSH_FORCED) {
		atomic_fetch_add(&forced, 1);
	} else {
		atomic_fetch_add(&plain, 1);
		atomic_fetch_add(&plain_after_forced, atomic_load(&forced));
	}
	if (atomic_load(&must_hang)) {
		(void)gst_own_thread_wait(&may_go_on, gst_clock_mono_ns() + UINT64_C(30000000000));
	}
	return 0;
}

static int get_timestamp(uint64_t *now)
{
	*now = 1234;
	return 0;
}

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->w = gst_test_world_new(4u << 20);
	b->cupti.version = GST_CUPTI_V_13_0_1;
	b->cupti.cuptiActivityFlushAll = flush_all;
	b->cupti.cuptiGetTimestamp = get_timestamp;
	gst_callbacks_init(&b->callbacks, &b->w->state, &b->w->threads, &b->w->loss, &b->w->strings,
			   &b->w->defs);
	assert_int_equal(gst_activity_init(&b->activity, &b->cupti, &b->w->state, &b->w->loss,
					   &b->w->strings, &b->w->defs, &b->w->device),
			 0);
	b->flusher.cupti = &b->cupti;
	b->flusher.activity = &b->activity;
	b->flusher.callbacks = &b->callbacks;
	b->flusher.defs = &b->w->defs;
	b->flusher.period_ns = 2000000;
	atomic_store(&plain, 0);
	atomic_store(&forced, 0);
	atomic_store(&plain_after_forced, 0);
	atomic_store(&must_hang, 0);
	atomic_store(&may_go_on, 0);
	return b;
}

static void bench_free(struct bench *b)
{
	gst_test_world_free(b->w);
	free(b);
}

static void wait_until(_Atomic uint32_t *counter, uint32_t value)
{
	for (int i = 0; i < 10000 && atomic_load(counter) < value; i++) {
		const struct timespec pause = {0, 1000000};

		nanosleep(&pause, NULL);
	}
	assert_true(atomic_load(counter) >= value);
}

static uint64_t in_ms(uint64_t ms)
{
	return gst_clock_mono_ns() + ms * 1000000;
}

static void test_periods_and_end(void **state)
{
	struct bench *b = bench_new();
	struct gst_rec_anchor anchor;

	(void)state;
	assert_int_equal(gst_flusher_start(&b->flusher), 0);
	wait_until(&plain, 3);
	assert_int_equal(atomic_load(&forced), 0);
	assert_true(gst_flusher_stop(&b->flusher, in_ms(20000)));
	assert_int_equal(atomic_load(&forced), 1);
	assert_int_equal(atomic_load(&plain_after_forced), 0);
	assert_int_equal(atomic_load(&b->activity.is_forced), 1);
	assert_int_equal(atomic_load(&b->flusher.since_ns), 0);
	/* None of the program's signal handlers can run there. */
	assert_int_equal(atomic_load(&is_mask_full), 1);
	assert_true(gst_test_find(b->w, GST_REC_ANCHOR, 0, &anchor, sizeof(anchor)));
	assert_int_equal(anchor.gpu_ns, 1234);
	bench_free(b);
}

static void test_hang(void **state)
{
	struct bench *b = bench_new();
	uint64_t before;

	(void)state;
	atomic_store(&must_hang, 1);
	assert_int_equal(gst_flusher_start(&b->flusher), 0);
	wait_until(&plain, 1);
	/* The writer reads this to notice. */
	assert_true(atomic_load(&b->flusher.since_ns) != 0);
	before = gst_clock_mono_ns();
	assert_false(gst_flusher_stop(&b->flusher, in_ms(30)));
	assert_true(gst_clock_mono_ns() - before >= UINT64_C(29000000));
	gst_own_thread_signal(&may_go_on);
	assert_true(gst_own_thread_wait(&b->flusher.is_done, in_ms(20000)));
	pthread_join(b->flusher.thread, NULL);
	bench_free(b);
}

static void test_dead_cupti_is_left_alone(void **state)
{
	struct bench *b = bench_new();

	(void)state;
	atomic_store(&b->callbacks.is_cupti_dead, 1);
	assert_int_equal(gst_flusher_start(&b->flusher), 0);
	assert_true(gst_flusher_stop(&b->flusher, in_ms(20000)));
	assert_int_equal(atomic_load(&plain) + atomic_load(&forced), 0);
	bench_free(b);
}

static void test_silent_callbacks_are_said(void **state)
{
	struct bench *b = bench_new();
	struct gst_rec_note note;

	(void)state;
	atomic_store(&b->activity.has_work, 1);
	assert_int_equal(gst_flusher_start(&b->flusher), 0);
	wait_until(&plain, 3);
	assert_true(gst_flusher_stop(&b->flusher, in_ms(20000)));
	assert_int_equal(gst_test_count(b->w, GST_REC_NOTE), 1);
	assert_true(gst_test_find(b->w, GST_REC_NOTE, 0, &note, sizeof(note)));
	assert_int_equal(note.code, GST_NOTE_CALLBACK_OFF);
	bench_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_periods_and_end),
		cmocka_unit_test(test_hang),
		cmocka_unit_test(test_dead_cupti_is_left_alone),
		cmocka_unit_test(test_silent_callbacks_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
