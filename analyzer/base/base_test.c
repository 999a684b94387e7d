/*
 * base_test.c - errors, memory, arrays, maps, string tables and sorting.
 */
#include "analyzer/base/arena.h"
#include "analyzer/base/assert.h"
#include "analyzer/base/err.h"
#include "analyzer/base/map.h"
#include "analyzer/base/pages.h"
#include "analyzer/base/parallel.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/strtab.h"
#include "analyzer/base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

static jmp_buf oom_jump;
static uint64_t oom_wanted;

static void jump_on_oom(uint64_t wanted, uint64_t used, uint64_t limit)
{
	(void)used;
	(void)limit;
	oom_wanted = wanted;
	longjmp(oom_jump, 1);
}

static uint64_t random_u64(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return gst_hash_u64(*state);
}

static void test_err(void **state)
{
	struct gst_err err = {0};
	char longest[2000];

	(void)state;
	assert_int_equal(gst_err_set(&err, GST_E_FORMAT, "length %d < %d", 9, 16), GST_E_FORMAT);
	gst_err_prefix(&err, "%s: chunk %d", "a.gst", 17);
	assert_string_equal(err.text, "a.gst: chunk 17: length 9 < 16");
	assert_int_equal(err.status, GST_E_FORMAT);
	assert_int_equal(gst_err_set(NULL, GST_E_IO, "x"), GST_E_IO);
	gst_err_prefix(NULL, "x");

	/* A long name is cut, the cause stays. */
	memset(longest, 'p', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	gst_err_set(&err, GST_E_IO, "the cause");
	gst_err_prefix(&err, "%s", longest);
	assert_non_null(strstr(err.text, ": the cause"));
	gst_err_set(&err, GST_E_IO, "%s", longest);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	gst_err_prefix(&err, "%s", longest);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void test_mem_limit(void **state)
{
	void *p;

	(void)state;
	gst_mem_set_oom_hook(jump_on_oom);
	gst_mem_set_limit(gst_mem_used() + 1000);
	p = gst_mem_alloc(600);
	if (!setjmp(oom_jump)) {
		(void)gst_mem_alloc(600);
		fail_msg("the limit did not hold");
	}
	assert_int_equal(oom_wanted, 600);
	gst_mem_free(p, 600);
	p = gst_mem_alloc(900);
	if (!setjmp(oom_jump)) {
		p = gst_mem_realloc(p, 900, 1100);
		fail_msg("the limit did not hold");
	}
	p = gst_mem_realloc(p, 900, 10);
	gst_mem_free(p, 10);
	gst_mem_set_limit(0);

	gst_mem_fail_nth(2);
	p = gst_mem_alloc(1);
	if (!setjmp(oom_jump)) {
		(void)gst_mem_alloc(1);
		fail_msg("the second allocation did not fail");
	}
	gst_mem_free(p, 1);
	p = gst_mem_alloc(1);
	gst_mem_free(p, 1);
	gst_mem_set_oom_hook(NULL);
}

#define MIB ((size_t)1 << 20)

static void keeps_pages_for_the_next_block(void **state)
{
	uint8_t *a, *b, *c;

	(void)state;
	gst_pages_trim(0);
	a = gst_pages_alloc(4 * MIB, 0);
	assert_non_null(a);
	memset(a, 0xff, 4 * MIB);
	/* What a block shrinks by is kept, and joined with the rest once that is free. */
	assert_ptr_equal(gst_pages_realloc(a, 4 * MIB, MIB + 1, 0), a);
	assert_true(gst_pages_kept() < 3 * MIB);
	b = gst_pages_alloc(2 * MIB, SIZE_MAX);
	assert_ptr_equal(b, a + 4 * MIB - gst_pages_kept() - 2 * MIB);
	for (size_t i = 0; i < 2 * MIB; i++)
		assert_int_equal(b[i], 0);
	gst_pages_free(a, MIB + 1);
	gst_pages_free(b, 2 * MIB);
	assert_int_equal(gst_pages_kept(), 4 * MIB);
	c = gst_pages_alloc(4 * MIB, 0);
	assert_ptr_equal(c, a);
	assert_int_equal(gst_pages_kept(), 0);
	assert_int_equal(c[0] | c[MIB] | c[4 * MIB - 1], 0);
	gst_pages_free(c, 4 * MIB);
	gst_pages_trim(MIB);
	assert_int_equal(gst_pages_kept(), MIB);
	/* Too little for this one: what is kept goes, as the caller says. */
	a = gst_pages_alloc(2 * MIB, 0);
	assert_non_null(a);
	assert_int_equal(gst_pages_kept(), 0);
	gst_pages_free(a, 2 * MIB);
	gst_pages_trim(0);
}

static void grows_blocks_with_their_contents(void **state)
{
	uint8_t *a, *kept;

	(void)state;
	gst_pages_trim(0);
	a = gst_pages_alloc(MIB, 0);
	memset(a, 7, MIB);
	kept = gst_pages_alloc(2 * MIB, 0);
	gst_pages_free(kept, 2 * MIB);
	/* Copied to pages that are there, because that is cheaper than to map as many. */
	a = gst_pages_realloc(a, MIB, 2 * MIB, SIZE_MAX);
	assert_ptr_equal(a, kept);
	assert_int_equal(gst_pages_kept(), MIB);
	a = gst_pages_realloc(a, 2 * MIB, 64 * MIB, 0);
	assert_non_null(a);
	for (size_t i = 0; i < MIB; i++)
		assert_int_equal(a[i], 7);
	assert_null(gst_pages_realloc(a, 64 * MIB, SIZE_MAX / 2, 0));
	assert_null(gst_pages_alloc(SIZE_MAX, 0));
	assert_int_equal(a[MIB - 1], 7);
	gst_pages_free(a, 64 * MIB);
	gst_pages_trim(0);
}

/* What is kept and what is in use never are more than what was in use at one time. */
static void keeps_no_more_than_the_peak(void **state)
{
	uint8_t *blocks[8] = {NULL};
	size_t sizes[8] = {0};
	uint64_t random = 3;

	(void)state;
	gst_mem_give_back();
	for (int round = 0; round < 2000; round++) {
		size_t at = (size_t)(random_u64(&random) % 8);
		size_t bytes = (size_t)(random_u64(&random) % (2 * MIB)) + 1;

		if (random_u64(&random) % 3 == 0) {
			gst_mem_free(blocks[at], sizes[at]);
			blocks[at] = gst_mem_alloc(bytes);
			assert_int_equal(blocks[at][0] | blocks[at][bytes - 1], 0);
		} else {
			blocks[at] = gst_mem_realloc(blocks[at], sizes[at], bytes);
			assert_true(!sizes[at] || blocks[at][0] == at);
		}
		sizes[at] = bytes;
		memset(blocks[at], (int)at, bytes);
		/* But for small blocks, which are malloc's. */
		assert_true(gst_pages_kept() + gst_mem_used() <= gst_mem_peak() + 2 * MIB);
	}
	for (size_t i = 0; i < 8; i++)
		gst_mem_free(blocks[i], sizes[i]);
	gst_mem_give_back();
	assert_int_equal(gst_pages_kept(), 0);
}

static void test_arena(void **state)
{
	uint64_t before = gst_mem_used();
	struct gst_arena *a = gst_arena_new(0);
	uint64_t seed = 1;
	size_t i, j;
	int round;

	(void)state;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 3000; i++) {
			size_t size = (size_t)(random_u64(&seed) % (i % 100 == 0 ? 200000 : 300));
			uint8_t *p = gst_arena_alloc(a, size);

			assert_non_null(p);
			assert_int_equal((uintptr_t)p % 16, 0);
			for (j = 0; j < size; j++) {
				if (p[j])
					fail_msg("byte %zu of %zu is not zero", j, size);
			}
			memset(p, 0xa5, size);
		}
		assert_true(gst_arena_used(a) > 0);
		gst_arena_reset(a);
		assert_int_equal(gst_arena_used(a), 0);
	}
	assert_memory_equal(gst_arena_copy(a, "abc", 3), "abc", 4);
	assert_string_equal(gst_arena_copy(a, "", 0), "");
	gst_arena_free(a);
	gst_arena_free(NULL);
	assert_int_equal(gst_mem_used(), before);
}

static void test_arena_limit(void **state)
{
	struct gst_arena *a = gst_arena_new(1 << 20);
	int *numbers;

	(void)state;
	gst_arena_set_oom_hook(jump_on_oom);
	if (!setjmp(oom_jump)) {
		for (;;)
			(void)gst_arena_alloc(a, 100);
	}
	assert_true(gst_arena_used(a) <= 1 << 20);
	if (!setjmp(oom_jump)) {
		(void)gst_arena_alloc_array(a, SIZE_MAX / 2, 16);
		fail_msg("a product that overflows was allocated");
	}
	gst_arena_free(a);
	a = gst_arena_new(0);
	numbers = GST_ARENA_ARRAY(a, int, 100);
	numbers[99] = 1;
	gst_arena_free(a);
	gst_arena_set_oom_hook(NULL);
}

static void test_vec(void **state)
{
	struct pair {
		int a, b;
	};
	GST_VEC(struct pair) v = {0};
	uint64_t before = gst_mem_used();
	struct pair *more;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++)
		gst_vec_push(&v, ((struct pair){i, -i}));
	assert_int_equal(v.count, 1000);
	more = gst_vec_extend(&v, 5000);
	assert_ptr_equal(more, v.data + 1000);
	assert_true(v.cap >= 6000);
	for (i = 0; i < 1000; i++)
		assert_int_equal(v.data[i].a + v.data[i].b, 0);
	gst_vec_clear(&v);
	assert_int_equal(v.count, 0);
	gst_vec_free(&v);
	assert_null(v.data);
	assert_int_equal(gst_mem_used(), before);
}

/* The map against an array that is searched from end to end. */
static void test_map(void **state)
{
	enum { KEYS = 400 };
	struct {
		uint64_t key;
		uint32_t value;
		bool is_there;
	} model[KEYS];
	struct gst_map m = {0};
	uint64_t seed = 7;
	size_t count = 0;
	int i, step;

	(void)state;
	for (i = 0; i < KEYS; i++) {
		/* Clusters, multiples of a power of two, the extremes. */
		model[i].key = i % 3 == 0   ? (uint64_t)i
			       : i % 3 == 1 ? (uint64_t)i << 40
					    : ~(uint64_t)i;
		model[i].is_there = false;
	}
	assert_false(gst_map_get(&m, 0, NULL));
	assert_false(gst_map_remove(&m, 0));
	for (step = 0; step < 20000; step++) {
		uint64_t r = random_u64(&seed);
		int k = (int)(r % KEYS);
		uint32_t value = 0;

		if (r >> 60 < 8) {
			gst_map_put(&m, model[k].key, (uint32_t)step);
			count += !model[k].is_there;
			model[k].is_there = true;
			model[k].value = (uint32_t)step;
		} else if (r >> 60 < 14) {
			assert_int_equal(gst_map_remove(&m, model[k].key), model[k].is_there);
			count -= model[k].is_there;
			model[k].is_there = false;
		} else {
			assert_int_equal(gst_map_get(&m, model[k].key, &value), model[k].is_there);
			if (model[k].is_there)
				assert_int_equal(value, model[k].value);
		}
		assert_int_equal(gst_map_count(&m), count);
	}
	for (i = 0; i < KEYS; i++)
		assert_int_equal(gst_map_get(&m, model[i].key, NULL), model[i].is_there);
	gst_map_release(&m);
}

static void test_map_add(void **state)
{
	struct gst_map m = {0};
	bool is_new;
	int i;

	(void)state;
	*gst_map_add(&m, 5, 1, &is_new) += 1;
	assert_true(is_new);
	*gst_map_add(&m, 5, 1, &is_new) += 1;
	assert_false(is_new);
	assert_int_equal(*gst_map_add(&m, 5, 0, NULL), 3);
	for (i = 0; i < 100000; i++)
		gst_map_put(&m, (uint64_t)i, (uint32_t)i);
	assert_int_equal(gst_map_count(&m), 100000);
	gst_map_release(&m);
}

static void test_strtab(void **state)
{
	uint64_t before = gst_mem_used();
	struct gst_strtab *t = gst_strtab_new();
	char name[32];
	size_t length;
	uint32_t id;
	int round, i;

	(void)state;
	assert_int_equal(gst_strtab_intern(t, "", 0), 0);
	assert_int_equal(gst_strtab_intern(t, NULL, 0), 0);
	assert_int_equal(gst_strtab_intern(t, "a\0b", 3), 1);
	assert_int_equal(gst_strtab_intern(t, "a\0c", 3), 2);
	assert_int_equal(gst_strtab_intern(t, "a\0b", 3), 1);
	assert_int_equal(gst_strtab_intern(t, "a", 1), 3);
	/* Differing in trailing zeros alone. */
	assert_int_equal(gst_strtab_intern(t, "a\0", 2), 4);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 5000; i++) {
			int n = snprintf(name, sizeof(name), "kernel_%d", i);

			id = gst_strtab_intern(t, name, (size_t)n);
			assert_int_equal(id, 5 + i);
			assert_string_equal(gst_strtab_get(t, id, &length), name);
			assert_int_equal(length, n);
		}
	}
	assert_int_equal(gst_strtab_count(t), 5005);
	gst_strtab_free(t);
	gst_strtab_free(NULL);
	assert_int_equal(gst_mem_used(), before);
}

static void test_sort(void **state)
{
	static struct gst_sort_item items[5000];
	uint64_t seed = 3;
	size_t n, i;
	int round;

	(void)state;
	for (round = 0; round < 40; round++) {
		int shift = round % 8 * 8;

		n = round < 20 ? (size_t)round * 4 : (size_t)round * 125;
		for (i = 0; i < n; i++) {
			items[i].key = (random_u64(&seed) % (round % 2 ? 50 : 100000)) << shift;
			items[i].value = (uint32_t)i;
		}
		gst_sort_items(items, n);
		for (i = 1; i < n; i++) {
			assert_true(items[i - 1].key <= items[i].key);
			/* Stable. */
			if (items[i - 1].key == items[i].key)
				assert_true(items[i - 1].value < items[i].value);
		}
	}
}

static void test_status_names(void **state)
{
	(void)state;
	assert_string_equal(gst_status_name(GST_OK), "ok");
	assert_string_equal(gst_status_name(GST_E_UNSUPPORTED), "unsupported");
	assert_string_equal(gst_status_name(-99), "unknown");
	GST_ASSERT(1 + 1 == 2);
	GST_DCHECK(1 + 1 == 2);
}

static void adopts_what_another_arena_holds(void **state)
{
	struct gst_arena *a = gst_arena_new(0);
	struct gst_arena *empty = gst_arena_new(0);
	uint64_t before = gst_mem_used();

	(void)state;
	for (int round = 0; round < 3; round++) {
		struct gst_arena *from = gst_arena_new(0);
		char *small = gst_arena_copy(from, "kept", 4);
		uint8_t *large = gst_arena_alloc(from, 100000);
		char *mine;

		large[99999] = 7;
		gst_arena_adopt(a, from);
		mine = gst_arena_alloc(a, 16);
		memset(mine, 0xff, 16);
		assert_string_equal(small, "kept");
		assert_int_equal(large[99999], 7);
	}
	gst_arena_adopt(a, empty);
	assert_true(gst_arena_used(a) >= 300000);
	/* All of it goes with @a: it asserts that its counts hold. */
	gst_arena_free(a);
	assert_true(gst_mem_used() < before);
}

static void takes_vectors_as_they_are(void **state)
{
	struct gst_arena *a = gst_arena_new(0);
	struct gst_arena *other = gst_arena_new(0);
	uint64_t before = gst_mem_used();
	uint32_t *kept[3];
	const uint32_t counts[3] = {0, 100, 100000};

	(void)state;
	for (int i = 0; i < 3; i++) {
		GST_VEC(uint32_t) v = {0};
		uint32_t *data;

		for (uint32_t k = 0; k < counts[i]; k++)
			gst_vec_push(&v, k);
		data = v.data;
		GST_ARENA_TAKE_VEC(i == 1 ? a : other, kept[i], &v);
		assert_non_null(kept[i]);
		assert_true(i == 2 || kept[i] != data);
		assert_null(v.data);
		assert_int_equal(v.count, 0);
		assert_int_equal(v.cap, 0);
	}
	gst_arena_adopt(a, other);
	for (int i = 0; i < 3; i++) {
		for (uint32_t k = 0; k < counts[i]; k++)
			assert_int_equal(kept[i][k], k);
	}
	/* What was taken goes with the arena, at a reset too. */
	assert_true(gst_mem_used() > before + 400000);
	gst_arena_reset(a);
	assert_true(gst_mem_used() < before + 100000);
	gst_arena_free(a);
}

#define TASKS 1000u

static void count_task(uint32_t index, void *payload)
{
	uint32_t *ran = payload;

	ran[index] += index + 1;
}

static void runs_each_task_once(void **state)
{
	static uint32_t ran[TASKS];

	(void)state;
	assert_int_equal(gst_parallel_threads(), 1);
	for (uint32_t threads = 0; threads <= GST_THREADS_MAX + 1; threads++) {
		memset(ran, 0, sizeof(ran));
		gst_parallel_set_threads(threads);
		assert_true(gst_parallel_threads() >= 1);
		assert_true(gst_parallel_threads() <= GST_THREADS_MAX);
		gst_parallel_run(TASKS, count_task, ran);
		for (uint32_t i = 0; i < TASKS; i++)
			assert_int_equal(ran[i], i + 1);
		gst_parallel_run(0, count_task, NULL);
	}
	gst_parallel_set_threads(1);
}

struct besides {
	uint32_t ran[TASKS];
	_Atomic uint32_t over;
};

static void task_beside(void *payload)
{
	struct besides *b = payload;

	b->over++;
}

static void goes_on_beside_a_task(void **state)
{
	static struct besides b;
	struct gst_beside one, other;

	(void)state;
	for (uint32_t threads = 1; threads <= 4; threads++) {
		memset(&b, 0, sizeof(b));
		gst_parallel_set_threads(threads);
		gst_parallel_begin(&one, task_beside, &b);
		gst_parallel_begin(&other, task_beside, &b);
		if (threads == 1)
			assert_int_equal(b.over, 2);
		gst_parallel_run(TASKS, count_task, b.ran);
		gst_parallel_end(&other);
		gst_parallel_end(&one);
		assert_int_equal(b.over, 2);
		for (uint32_t i = 0; i < TASKS; i++)
			assert_int_equal(b.ran[i], i + 1);
	}
	gst_parallel_set_threads(1);
}

#define ROWS 100000u

struct relay {
	struct gst_progress progress;
	uint32_t *rows;
	uint32_t followed; /* rows that the follower has added up */
	uint64_t sum;
};

static void add_rows(struct relay *r, uint64_t end)
{
	for (; r->followed < end; r->followed++)
		r->sum += r->rows[r->followed];
}

static void follow_or_lead(uint32_t index, void *payload)
{
	struct relay *r = payload;
	uint64_t ready;

	if (!index) {
		if (!gst_progress_has_begun(&r->progress))
			return; /* one thread, or the leader is late */
		while ((ready = gst_progress_wait(&r->progress, r->followed)) > r->followed)
			add_rows(r, ready);
		return;
	}
	gst_progress_tell(&r->progress, 0);
	for (uint32_t i = 0; i < ROWS; i++) {
		r->rows[i] = i;
		if (i % 1000 == 0)
			gst_progress_tell(&r->progress, i + 1);
		/* From here on the rows are the leader's alone. */
		if (i == ROWS / 2) {
			gst_progress_end(&r->progress);
			memset(r->rows + r->followed, 0xff,
			       (i + 1 - r->followed) * sizeof(*r->rows));
			for (uint32_t k = r->followed; k <= i; k++)
				r->rows[k] = k;
		}
	}
	gst_progress_end(&r->progress);
}

static void follows_up_to_the_end(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct relay r = {.progress = GST_PROGRESS_INIT};

		r.rows = gst_mem_alloc(ROWS * sizeof(*r.rows));
		gst_parallel_set_threads((uint32_t)threads);
		gst_parallel_run(2, follow_or_lead, &r);
		gst_parallel_set_threads(1);
		assert_true(threads > 1 || !r.followed);
		assert_true(r.followed <= ROWS / 2 + 1);
		/* Told after the end: nobody gets it. */
		gst_progress_tell(&r.progress, ROWS);
		assert_int_equal(gst_progress_wait(&r.progress, r.followed), r.followed);
		add_rows(&r, ROWS);
		assert_int_equal(r.sum, (uint64_t)ROWS * (ROWS - 1) / 2);
		gst_mem_free(r.rows, ROWS * sizeof(*r.rows));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adopts_what_another_arena_holds),
		cmocka_unit_test(takes_vectors_as_they_are),
		cmocka_unit_test(runs_each_task_once),
		cmocka_unit_test(follows_up_to_the_end),
		cmocka_unit_test(goes_on_beside_a_task),
		cmocka_unit_test(test_err),
		cmocka_unit_test(test_mem_limit),
		cmocka_unit_test(keeps_pages_for_the_next_block),
		cmocka_unit_test(grows_blocks_with_their_contents),
		cmocka_unit_test(keeps_no_more_than_the_peak),
		cmocka_unit_test(test_arena),
		cmocka_unit_test(test_arena_limit),
		cmocka_unit_test(test_vec),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_map_add),
		cmocka_unit_test(test_strtab),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_status_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
