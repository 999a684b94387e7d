/*
 * chunk_test.c - pages and records: layout, exhaustion, and many threads against one collector.
 */
#include "tracer/format/encode.h"
#include "tracer/record_test_util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define WORLD_BYTES (2u << 20)

static struct gst_rec_memory make_record(uint32_t corr)
{
	struct gst_rec_memory rec = {
		.head = gst_record_head(GST_KIND_MEMORY, sizeof(rec), corr),
		.time_ns = corr,
		.pool = ~(uint64_t)corr,
	};

	return rec;
}

static void test_page_is_an_open_chunk(void **state)
{
	struct gst_test_world *w = gst_test_world_new(WORLD_BYTES);
	struct gst_page *page = gst_pool_take(&w->pool, GST_PAGE_SMALL, GST_CHUNK_EVENTS, 9, 0);
	struct gst_rec_memory rec = make_record(3);
	uint32_t count, bytes;

	(void)state;
	assert_non_null(page);
	assert_int_equal(page->room, GST_PAGE_SMALL_BYTES - sizeof(struct gst_chunk_header));
	assert_int_equal(page->header->magic, GST_CHUNK_MAGIC);
	assert_int_equal(page->header->thread, 9);
	assert_int_equal(page->header->process, 42);
	assert_int_equal(page->header->flags, GST_CHUNK_EVENTS);
	assert_int_equal(page->header->stored_bytes, page->room);
	assert_int_equal(page->header->source_page, 2); /* 1 is the strings' */
	assert_int_equal(page->header->header_crc, gst_chunk_header_crc(page->header));
	/* copied_bytes moves and is outside the checksum. */
	page->header->copied_bytes = 80;
	assert_int_equal(page->header->header_crc, gst_chunk_header_crc(page->header));

	assert_true(gst_chunk_put(page, &rec, sizeof(rec)));
	assert_true(gst_chunk_put(page, &rec, sizeof(rec)));
	bytes = gst_chunk_committed(page, 0, &count);
	assert_int_equal(bytes, 2 * sizeof(rec));
	assert_int_equal(count, 2);
	assert_memory_equal(page->body, &rec, sizeof(rec));
	assert_int_equal(gst_chunk_committed(page, sizeof(rec), &count), sizeof(rec));
	assert_int_equal(count, 1);

	/* Recycled: zero from end to end, and another number next time. */
	gst_page_close(page);
	gst_pool_recycle(&w->pool, page);
	for (uint32_t i = 0; i < GST_PAGE_SMALL_BYTES; i++) {
		assert_int_equal(((unsigned char *)page->header)[i], 0);
	}
	assert_ptr_equal(gst_pool_take(&w->pool, GST_PAGE_SMALL, GST_CHUNK_DEFS, 0, 0), page);
	assert_int_equal(page->header->source_page, 3);
	gst_test_world_free(w);
}

static void test_full_page(void **state)
{
	struct gst_test_world *w = gst_test_world_new(WORLD_BYTES);
	struct gst_page *page = gst_pool_take(&w->pool, GST_PAGE_SMALL, GST_CHUNK_EVENTS, 1, 0);
	struct gst_rec_memory rec = make_record(1);
	uint32_t fit = page->room / (uint32_t)sizeof(rec);
	uint32_t count;

	(void)state;
	for (uint32_t i = 0; i < fit; i++) {
		assert_true(gst_chunk_put(page, &rec, sizeof(rec)));
	}
	assert_false(gst_chunk_put(page, &rec, sizeof(rec)));
	assert_int_equal(gst_chunk_committed(page, 0, &count), fit * sizeof(rec));
	assert_int_equal(count, fit);
	/* A scribbled size does not lead past the page. */
	((struct gst_rec_head *)(void *)page->body)->size8 = 0xffff;
	assert_int_equal(gst_chunk_committed(page, 0, &count), 0);
	gst_test_world_free(w);
}

static void test_exhaustion_is_counted(void **state)
{
	struct gst_test_world *w = gst_test_world_new(GST_POOL_BYTES_MIN);
	struct gst_rec_memory rec = make_record(1);
	struct gst_page *page = NULL;
	uint32_t taken = 0;

	(void)state;
	while (gst_pool_take(&w->pool, GST_PAGE_LARGE, GST_CHUNK_EVENTS, 1, 0)) {
		taken++;
	}
	assert_int_equal(taken, w->pool.page_count - 1);
	/* The writer was asked to come. */
	assert_int_equal(atomic_load(&w->pool.wake), 1);
	assert_false(gst_lane_put(&w->device, &page, &rec, sizeof(rec)));
	assert_null(page);
	assert_false(gst_lane_put_one(&w->device, &rec, sizeof(rec)));
	assert_int_equal(gst_test_lost(w, GST_REC_MEMORY, GST_LOSS_NO_CHUNK), 2);
	gst_test_world_free(w);
}

static void *recycle_when_woken(void *arg)
{
	struct gst_test_world *w = arg;

	/* As the writer does: when a page was wanted in vain. */
	gst_pool_wait(&w->pool, UINT64_C(20000000000));
	gst_page_close(&w->pool.pages[1]);
	gst_pool_recycle(&w->pool, &w->pool.pages[1]);
	return NULL;
}

/* A thread of our own waits for the writer, and only so long. */
static void test_patience(void **state)
{
	struct gst_test_world *w = gst_test_world_new(GST_POOL_BYTES_MIN);
	struct gst_rec_memory rec = make_record(1);
	uint64_t patience = UINT64_C(20000000000);
	struct gst_page *page = NULL;
	pthread_t thread;

	(void)state;
	while (gst_pool_take(&w->pool, GST_PAGE_LARGE, GST_CHUNK_EVENTS, 1, 0)) {
	}
	atomic_store(&w->pool.wake, 0);
	assert_int_equal(pthread_create(&thread, NULL, recycle_when_woken, w), 0);
	assert_true(gst_lane_put_patiently(&w->device, &page, &rec, sizeof(rec), 0, &patience));
	assert_true(patience < UINT64_C(20000000000));
	assert_int_equal(gst_test_lost(w, GST_REC_MEMORY, GST_LOSS_NO_CHUNK), 0);
	pthread_join(thread, NULL);
	patience = 2000000;
	page = NULL;
	assert_false(gst_lane_put_patiently(&w->device, &page, &rec, sizeof(rec), 0, &patience));
	assert_int_equal(patience, 0);
	assert_int_equal(gst_test_lost(w, GST_REC_MEMORY, GST_LOSS_NO_CHUNK), 1);
	gst_test_world_free(w);
}

static void *take_a_page(void *arg)
{
	return gst_lane_take(arg);
}

static void test_lane_shares_pages(void **state)
{
	struct gst_test_world *w = gst_test_world_new(WORLD_BYTES);
	struct gst_rec_memory rec = make_record(1);
	struct gst_page *first, *second;
	pthread_t other;
	void *taken;

	(void)state;
	assert_true(gst_lane_put_one(&w->device, &rec, sizeof(rec)));
	first = gst_lane_take(&w->device);
	assert_int_equal(first->position, sizeof(rec));
	assert_int_equal(pthread_create(&other, NULL, take_a_page, &w->device), 0);
	assert_int_equal(pthread_join(other, &taken), 0);
	second = taken;
	assert_ptr_not_equal(first, second);
	gst_lane_give(&w->device, first);
	gst_lane_give(&w->device, second);
	gst_lane_give(&w->device, NULL);
	assert_int_equal(atomic_load(&first->state), GST_PAGE_OPEN);
	gst_lane_release(&w->device);
	assert_int_equal(atomic_load(&first->state), GST_PAGE_CLOSED);
	assert_int_equal(atomic_load(&second->state), GST_PAGE_CLOSED);
	gst_test_world_free(w);
}

static void test_staging_file(void **state)
{
	struct gst_pool pool;
	struct stat about;
	char path[sizeof(pool.path)];

	(void)state;
	assert_int_equal(gst_pool_init(&pool, "/dev/shm", 3u << 20, 0xabc, 1, 7), 0);
	if (!pool.path[0]) {
		/* Not everywhere is there one: anonymous memory serves. */
		gst_pool_release(&pool, true);
		return;
	}
	memcpy(path, pool.path, sizeof(path));
	assert_non_null(strstr(path, "/gstrace-0000000000000abc0000000000000001.staging"));
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0400);
	assert_int_equal(about.st_size, 3 << 20);
	gst_pool_release(&pool, true);
	assert_int_equal(access(path, F_OK), -1);

	/* Not on tmpfs, or nowhere to put it: memory that does not outlive the process, and no path. */
	assert_int_equal(gst_pool_init(&pool, "/proc", 1u << 20, 1, 1, 7), 0);
	assert_string_equal(pool.path, "");
	gst_pool_release(&pool, true);
	assert_int_equal(gst_pool_init(&pool, "/nonexistent", 1u << 20, 1, 1, 7), 0);
	assert_string_equal(pool.path, "");
	gst_pool_release(&pool, true);
}

/* Whoever truncated it would raise SIGBUS in the traced program: its own user cannot. */
static void test_staging_cannot_be_truncated(void **state)
{
	struct gst_pool pool;
	pid_t child;
	int status;

	(void)state;
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		bool is_kept;

		struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
		struct __user_cap_data_struct none[2] = {{0}};

		/* Root may write anywhere. */
		if (syscall(SYS_capset, &head, none)) {
			_exit(2);
		}
		if (gst_pool_init(&pool, "/dev/shm", 2u << 20, 0xabd, 1, 7)) {
			_exit(3);
		}
		is_kept = !pool.path[0] ||
			  (truncate(pool.path, 0) < 0 && errno == EACCES &&
			   open(pool.path, O_WRONLY | O_TRUNC) < 0 && errno == EACCES);
		memset(pool.memory, 1, pool.bytes);
		gst_pool_release(&pool, true);
		_exit(is_kept ? 0 : 4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- threads ---- */

#define PRODUCERS 4u
#define RECORDS	  6000u

struct stress {
	struct gst_test_world *w;
	_Atomic uint32_t running;
};

struct producer {
	struct stress *stress;
	uint32_t number;
	uint32_t dropped;
};

static void *produce(void *arg)
{
	struct producer *p = arg;
	struct gst_test_world *w = p->stress->w;
	struct gst_thread_slot *slot = gst_threads_self(&w->threads);

	for (uint32_t i = 1; i <= RECORDS; i++) {
		struct gst_rec_memory rec = make_record(i);
		unsigned char *to = gst_thread_reserve(&w->threads, slot, sizeof(rec), 0);

		rec.address = p->number;
		if (to) {
			memcpy(to + 8, (unsigned char *)&rec + 8, sizeof(rec) - 8);
			gst_chunk_commit(slot->page, GST_KIND_MEMORY, sizeof(rec), i);
		} else {
			p->dropped++;
			gst_loss_add(&w->loss, GST_REC_MEMORY, GST_LOSS_NO_CHUNK, 1);
		}
		rec.address = 100 + p->number;
		if (!gst_lane_put_one(&w->device, &rec, sizeof(rec))) {
			p->dropped++;
		}
	}
	atomic_fetch_sub(&p->stress->running, 1);
	return NULL;
}

/* What the writer does: committed bytes of each page, recycling of closed ones. */
static void collect(struct gst_test_world *w, uint64_t *collected)
{
	for (uint32_t i = 1; i < w->pool.page_count; i++) {
		struct gst_page *page = &w->pool.pages[i];
		uint32_t state = atomic_load_explicit(&page->state, memory_order_acquire);
		uint32_t count, bytes, at;

		if (state == GST_PAGE_FREE) {
			continue;
		}
		bytes = gst_chunk_committed(page, page->copied, &count);
		for (at = page->copied; at < page->copied + bytes;) {
			struct gst_rec_memory rec;
			uint32_t size;

			memcpy(&rec, page->body + at, sizeof(rec.head));
			size = (uint32_t)rec.head.size8 * 8;
			if (rec.head.kind == GST_KIND_MEMORY) {
				assert_int_equal(size, sizeof(rec));
				memcpy(&rec, page->body + at, sizeof(rec));
				/* Whole: nothing of it may be older than its first word. */
				assert_int_equal(rec.time_ns, rec.head.corr);
				assert_true(rec.pool == ~(uint64_t)rec.head.corr);
				++*collected;
			}
			at += size;
		}
		page->copied += bytes;
		if (state == GST_PAGE_CLOSED) {
			gst_pool_recycle(&w->pool, page);
		}
	}
}

static void test_stress(void **state)
{
	struct gst_test_world *w = gst_test_world_new(GST_POOL_BYTES_MIN);
	struct stress stress = {.w = w};
	struct producer producers[PRODUCERS];
	uint64_t collected = 0;
	pthread_t threads[PRODUCERS];
	uint64_t dropped = 0;

	(void)state;
	atomic_store(&stress.running, PRODUCERS);
	for (uint32_t i = 0; i < PRODUCERS; i++) {
		producers[i] = (struct producer){&stress, i, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, produce, &producers[i]), 0);
	}
	while (atomic_load(&stress.running)) {
		gst_pool_wait(&w->pool, 1000000);
		collect(w, &collected);
	}
	for (uint32_t i = 0; i < PRODUCERS; i++) {
		pthread_join(threads[i], NULL);
		dropped += producers[i].dropped;
	}
	gst_lane_release(&w->device);
	gst_lane_release(&w->defs);
	collect(w, &collected);
	/* Every record arrived or was counted; threads gave their pages back when they ended. */
	assert_int_equal(collected + dropped, 2 * PRODUCERS * RECORDS);
	assert_int_equal(gst_test_lost(w, GST_REC_MEMORY, GST_LOSS_NO_CHUNK), dropped);
	for (uint32_t i = 1; i < w->pool.page_count; i++) {
		assert_int_equal(atomic_load(&w->pool.pages[i].state), GST_PAGE_FREE);
	}
	assert_int_equal(atomic_load(&w->pool.free_count[GST_PAGE_SMALL]),
			 w->pool.total[GST_PAGE_SMALL]);
	assert_int_equal(atomic_load(&w->pool.free_count[GST_PAGE_LARGE]),
			 w->pool.total[GST_PAGE_LARGE]);
	gst_test_world_free(w);
}

static void *one_call(void *arg)
{
	struct gst_test_world *w = arg;
	struct gst_thread_slot *slot = gst_threads_self(&w->threads);

	assert_non_null(slot);
	assert_ptr_equal(slot, gst_threads_self(&w->threads));
	return (void *)(uintptr_t)slot->thread;
}

/* Slots are used again, indexes are not; each thread is defined once. */
static void test_threads_come_and_go(void **state)
{
	struct gst_test_world *w = gst_test_world_new(WORLD_BYTES);

	(void)state;
	for (uintptr_t i = 1; i <= 40; i++) {
		pthread_t thread;
		void *index;

		assert_int_equal(pthread_create(&thread, NULL, one_call, w), 0);
		assert_int_equal(pthread_join(thread, &index), 0);
		assert_int_equal((uintptr_t)index, i);
	}
	assert_int_equal(atomic_load(&w->threads.used), 1);
	assert_int_equal(gst_test_count(w, GST_REC_THREAD), 40);
	gst_test_world_free(w);
}

static struct gst_lane *lost_lanes[2];
static jmp_buf back;

/* As a callback that a signal handler leaves by a jump: with a page of each lane out, and half a record in one. */
static __attribute__((noinline)) void leave_pages_out(void)
{
	struct gst_page *defs = gst_lane_take(lost_lanes[0]);
	struct gst_page *device = gst_lane_take(lost_lanes[1]);
	struct gst_rec_memory rec = make_record(1);

	assert_non_null(defs);
	assert_non_null(device);
	assert_true(gst_chunk_put(device, &rec, sizeof(rec)));
	memset(device->body + device->position + 8, 0xEE, 64);
	longjmp(back, 1);
}

static uint32_t count_open(const struct gst_pool *pool)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < pool->page_count; i++) {
		count += atomic_load(&pool->pages[i].state) == GST_PAGE_OPEN;
	}
	return count;
}

static void *lose_pages(void *arg)
{
	struct gst_test_world *w = arg;

	for (volatile int i = 0; i < 8; i++) {
		if (!setjmp(back)) {
			leave_pages_out();
			fail();
		}
	}
	/* Each time the two before were found. */
	assert_int_equal(count_open(&w->pool), 2);
	assert_int_equal(gst_test_lost(w, 0, GST_LOSS_BUSY), 14);
	gst_lane_thread_ends();
	return NULL;
}

static void test_pages_that_a_jump_left_out_come_back(void **state)
{
	struct gst_test_world *w = gst_test_world_new(WORLD_BYTES);
	pthread_t thread;

	(void)state;
	lost_lanes[0] = &w->defs;
	lost_lanes[1] = &w->device;
	assert_int_equal(pthread_create(&thread, NULL, lose_pages, w), 0);
	pthread_join(thread, NULL);
	assert_int_equal(count_open(&w->pool), 0);
	assert_int_equal(gst_test_lost(w, 0, GST_LOSS_BUSY), 2);
	/* What was committed is there. */
	assert_int_equal(gst_test_count(w, GST_REC_MEMORY), 8);
	gst_test_world_free(w);
}

static void recycle_closed(struct gst_pool *pool)
{
	for (uint32_t i = 1; i < pool->page_count; i++) {
		if (atomic_load(&pool->pages[i].state) == GST_PAGE_CLOSED) {
			gst_pool_recycle(pool, &pool->pages[i]);
		}
	}
}

/* What is still under way further up the stack is left alone. */
static __attribute__((noinline)) void use_lanes_below(struct gst_test_world *w)
{
	struct gst_rec_memory rec = make_record(4);

	assert_true(gst_lane_put_one(&w->defs, &rec, sizeof(rec)));
	assert_true(gst_lane_put_one(&w->device, &rec, sizeof(rec)));
}

static void test_pages_in_use_are_not_taken_back(void **state)
{
	struct gst_test_world *w = gst_test_world_new(WORLD_BYTES);
	struct gst_page *defs = gst_lane_take(&w->defs);
	struct gst_page *device = gst_lane_take(&w->device);
	struct gst_rec_memory rec = make_record(5);

	(void)state;
	use_lanes_below(w);
	/* A full one is replaced: the new one counts. */
	for (int i = 0; i < 5000; i++) {
		assert_true(gst_lane_put(&w->device, &device, &rec, sizeof(rec)));
		use_lanes_below(w);
		recycle_closed(&w->pool);
	}
	assert_int_equal(atomic_load(&defs->state), GST_PAGE_OPEN);
	assert_int_equal(atomic_load(&device->state), GST_PAGE_OPEN);
	gst_lane_give(&w->device, device);
	gst_lane_give(&w->defs, defs);
	assert_int_equal(gst_test_lost(w, 0, GST_LOSS_BUSY), 0);
	gst_test_world_free(w);
}

/* As a delivery does that begins when all pages are in use, and gets its first far down the stack. */
static __attribute__((noinline)) void put_far_below(struct gst_test_world *w,
						    struct gst_page **page)
{
	volatile unsigned char deep[4096];
	struct gst_rec_memory rec = make_record(6);

	deep[0] = deep[sizeof(deep) - 1] = 1;
	assert_true(gst_lane_put(&w->device, page, &rec, sizeof(rec)));
	assert_int_equal(deep[0], 1);
}

static void test_a_page_taken_far_below_is_its_holders(void **state)
{
	struct gst_test_world *w = gst_test_world_new(WORLD_BYTES);
	struct gst_page *device = NULL;

	(void)state;
	put_far_below(w, &device);
	assert_non_null(device);
	use_lanes_below(w);
	assert_int_equal(atomic_load(&device->state), GST_PAGE_OPEN);
	gst_lane_give(&w->device, device);
	assert_int_equal(gst_test_lost(w, 0, GST_LOSS_BUSY), 0);
	gst_test_world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_is_an_open_chunk),
		cmocka_unit_test(test_full_page),
		cmocka_unit_test(test_exhaustion_is_counted),
		cmocka_unit_test(test_patience),
		cmocka_unit_test(test_lane_shares_pages),
		cmocka_unit_test(test_pages_that_a_jump_left_out_come_back),
		cmocka_unit_test(test_pages_in_use_are_not_taken_back),
		cmocka_unit_test(test_a_page_taken_far_below_is_its_holders),
		cmocka_unit_test(test_staging_file),
		cmocka_unit_test(test_staging_cannot_be_truncated),
		cmocka_unit_test(test_stress),
		cmocka_unit_test(test_threads_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
