/*
 * intern_test.c - equal texts get equal ids, from any thread; bounds are kept and counted.
 */
#include "tracer/linebuf.h"
#include "tracer/record_test_util.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <cmocka.h>

static void test_ids(void **state)
{
	struct gst_test_world *w = gst_test_world_new(4u << 20);
	uint32_t a, b;

	(void)state;
	a = gst_intern(&w->strings, "alpha");
	b = gst_intern(&w->strings, "beta");
	assert_true(a && b && a != b);
	assert_int_equal(gst_intern(&w->strings, "alpha"), a);
	assert_int_equal(gst_intern_bytes(&w->strings, "alphabet", 5), a);
	assert_int_equal(gst_intern(&w->strings, NULL), 0);
	assert_int_equal(gst_intern_near(&w->strings, NULL), 0);
	assert_true(gst_intern(&w->strings, "") != 0);
	assert_true(gst_test_string_is(w, a, "alpha"));
	assert_true(gst_test_string_is(w, b, "beta"));
	/* A text with a zero byte inside, as a command line. */
	assert_true(gst_intern_bytes(&w->strings, "al\0ha", 5) != a);
	gst_test_world_free(w);
}

/* The address of a text says nothing: a module may be replaced by another. */
static void test_same_address_other_text(void **state)
{
	struct gst_test_world *w = gst_test_world_new(4u << 20);
	char text[16] = "kernel_a";
	uint32_t a = gst_intern_near(&w->strings, text);
	uint32_t b, shorter;

	(void)state;
	assert_int_equal(gst_intern_near(&w->strings, text), a);
	text[7] = 'b';
	b = gst_intern_near(&w->strings, text);
	assert_true(b && b != a);
	assert_true(gst_test_string_is(w, b, "kernel_b"));
	text[6] = '\0';
	shorter = gst_intern_near(&w->strings, text);
	assert_true(gst_test_string_is(w, shorter, "kernel"));
	text[6] = '_';
	assert_int_equal(gst_intern_near(&w->strings, text), b);
	gst_test_world_free(w);
}

static void test_long_text_is_cut(void **state)
{
	struct gst_test_world *w = gst_test_world_new(4u << 20);
	static char text[GST_STRING_MAX_BYTES + 100];
	struct gst_rec_string rec;
	uint32_t id;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	id = gst_intern(&w->strings, text);
	assert_true(id != 0);
	assert_int_equal(atomic_load(&w->strings.is_cut), 1);
	assert_true(gst_test_find(w, GST_REC_STRING, 0, &rec, sizeof(rec)));
	assert_int_equal(rec.length, GST_STRING_MAX_BYTES);
	assert_int_equal(gst_intern(&w->strings, text), id);
	gst_test_world_free(w);
}

static void test_full(void **state)
{
	struct gst_test_world *w = gst_test_world_new(GST_POOL_BYTES_MIN);
	static char text[8000];
	uint32_t first = gst_intern(&w->strings, "first");
	uint32_t refused = 0;

	(void)state;
	memset(text, 'y', sizeof(text) - 1);
	for (uint32_t i = 0; i < 64; i++) {
		text[0] = (char)('A' + i);
		refused += !gst_intern(&w->strings, text);
	}
	assert_true(refused >= 1 && refused <= 63);
	assert_int_equal(gst_test_lost(w, GST_REC_STRING, GST_LOSS_STRING_TABLE_FULL), refused);
	/* What is in stays in. */
	assert_int_equal(gst_intern(&w->strings, "first"), first);
	gst_test_world_free(w);
}

#define WORKERS 4
#define TEXTS	300

struct worker {
	struct gst_test_world *w;
	uint32_t ids[TEXTS];
};

static void *intern_many(void *arg)
{
	struct worker *worker = arg;

	for (uint32_t i = 0; i < TEXTS; i++) {
		struct gst_linebuf line;
		char text[32];

		gst_linebuf_init(&line, text, sizeof(text));
		gst_linebuf_add(&line, "kernel_");
		gst_linebuf_add_dec(&line, i);
		worker->ids[i] = gst_intern_near(&worker->w->strings, text);
	}
	return NULL;
}

static void test_threads_agree(void **state)
{
	struct gst_test_world *w = gst_test_world_new(4u << 20);
	static struct worker workers[WORKERS];
	pthread_t threads[WORKERS];

	(void)state;
	for (int i = 0; i < WORKERS; i++) {
		workers[i].w = w;
		assert_int_equal(pthread_create(&threads[i], NULL, intern_many, &workers[i]), 0);
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(threads[i], NULL);
	}
	for (uint32_t n = 0; n < TEXTS; n++) {
		struct gst_linebuf line;
		char text[32];
		uint32_t id;

		gst_linebuf_init(&line, text, sizeof(text));
		gst_linebuf_add(&line, "kernel_");
		gst_linebuf_add_dec(&line, n);
		id = gst_intern(&w->strings, text);
		assert_true(gst_test_string_is(w, id, text));
		for (int i = 0; i < WORKERS; i++) {
			/* 0: the lock was busy too long, which is counted, not wrong. */
			assert_true(workers[i].ids[n] == id || !workers[i].ids[n]);
		}
	}
	/* No text twice. */
	assert_int_equal(gst_test_count(w, GST_REC_STRING), TEXTS);
	gst_test_world_free(w);
}

static sigjmp_buf back;

static void jump_back(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* A signal while a text is added, and its handler jumps away: the lock and the page are whole again. */
static void test_an_addition_that_was_left(void **state)
{
	struct sigaction action = {.sa_handler = jump_back}, before;
	struct gst_test_world *w = gst_test_world_new(4u << 20);
	struct gst_page *page = &w->pool.pages[0];
	uint32_t a = gst_intern(&w->strings, "alpha");
	uintptr_t begin = ((uintptr_t)page->body + page->position) & ~(uintptr_t)4095;
	void *behind = (void *)(begin + 4096);
	static char text[6000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(mprotect(behind, 8192, PROT_READ), 0);
	assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
	if (!sigsetjmp(back, 1)) {
		gst_intern(&w->strings, text);
		fail();
	}
	sigaction(SIGSEGV, &before, NULL);
	assert_int_equal(mprotect(behind, 8192, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(gst_intern(&w->strings, "while it is locked"), 0);
	gst_intern_recover(&w->strings);
	assert_true(gst_intern(&w->strings, "beta") > a);
	assert_true(gst_intern(&w->strings, text) > a);
	/* these three, and nothing behind them */
	assert_int_equal(gst_test_count(w, GST_REC_STRING), 3);
	/* without an addition to undo: nothing */
	gst_intern_recover(&w->strings);
	assert_int_equal(gst_test_count(w, GST_REC_STRING), 3);
	gst_test_world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_same_address_other_text),
		cmocka_unit_test(test_long_text_is_cut),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_an_addition_that_was_left),
		cmocka_unit_test(test_threads_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
