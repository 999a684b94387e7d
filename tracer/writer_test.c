/*
 * writer_test.c - what the file holds after short writes, interruptions, a full disk and a crash.
 */
#include "tracer/clock.h"
#include "tracer/format/encode.h"
#include "tracer/record_test_util.h"
#include "tracer/writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- a disk with faults ---- */

struct disk {
	size_t largest;	    /* a write takes at most so much; 0 = all */
	uint32_t interrupt; /* every so many writes are interrupted; 0 = none */
	uint64_t room;	    /* bytes until it is full */
	uint32_t writes;
	bool cannot_reserve; /* a file system without fallocate */
	int full_error;
};

static ssize_t disk_write(void *arg, int fd, const void *data, size_t size)
{
	struct disk *disk = arg;

	disk->writes++;
	if (disk->interrupt && disk->writes % disk->interrupt == 0) {
		errno = EINTR;
		return -1;
	}
	if (disk->largest && size > disk->largest) {
		size = disk->largest;
	}
	if (size > disk->room) {
		size = (size_t)disk->room;
	}
	if (!size) {
		errno = disk->full_error;
		return -1;
	}
	disk->room -= size;
	return write(fd, data, size);
}

static int disk_reserve(void *arg, int fd, uint64_t from, uint64_t end)
{
	struct disk *disk = arg;

	(void)fd;
	if (disk->cannot_reserve) {
		return EOPNOTSUPP;
	}
	return end - from > disk->room ? disk->full_error : 0;
}

/* ---- reading the file back ---- */

struct file {
	unsigned char *data;
	size_t size;
	uint32_t chunks;
	uint32_t records;
	uint32_t of_kind[0x400];
	bool has_end;
	uint64_t sequence;
	uint64_t page;	  /* that the last chunk of thread 5 was copied from */
	uint64_t covered; /* bytes of it so far */
	int32_t note_detail;
	uint64_t loss_count;
	struct gst_rec_end end;
};

static uint32_t read_record(struct file *f, const unsigned char *at)
{
	struct gst_rec_head head;
	uint32_t kind;

	memcpy(&head, at, sizeof(head));
	kind = head.kind & GST_KIND_MASK;
	assert_true(head.size8 > 0 && kind < 0x400);
	f->records++;
	f->of_kind[kind]++;
	if (kind == GST_REC_NOTE) {
		struct gst_rec_note note;

		memcpy(&note, at, sizeof(note));
		f->note_detail = note.detail;
	}
	if (kind == GST_REC_LOSS) {
		struct gst_rec_loss loss;

		memcpy(&loss, at, sizeof(loss));
		f->loss_count += loss.count;
	}
	if (kind == GST_REC_END) {
		memcpy(&f->end, at, sizeof(f->end));
	}
	return (uint32_t)head.size8 * 8;
}

/* Asserts that the file is whole sealed chunks to its last byte. */
static void read_back(int fd, struct file *f)
{
	struct stat about;
	size_t at = 0;

	memset(f, 0, sizeof(*f));
	assert_int_equal(fstat(fd, &about), 0);
	f->size = (size_t)about.st_size;
	f->data = malloc(f->size + 1);
	assert_non_null(f->data);
	assert_int_equal(pread(fd, f->data, f->size, 0), (ssize_t)f->size);
	while (at < f->size) {
		struct gst_chunk_header h;
		uint32_t in_chunk = 0;
		uint64_t first = UINT64_MAX, last = 0;

		assert_true(f->size - at >= sizeof(h));
		memcpy(&h, f->data + at, sizeof(h));
		assert_int_equal(h.magic, GST_CHUNK_MAGIC);
		assert_true(h.flags & GST_CHUNK_SEALED);
		assert_int_equal(h.header_crc, gst_chunk_header_crc(&h));
		assert_int_equal(h.sequence, ++f->sequence);
		at += sizeof(h);
		assert_true(f->size - at >= h.stored_bytes);
		assert_int_equal(h.body_crc, gst_crc32c(0, f->data + at, h.stored_bytes));
		for (uint64_t in = 0; in < h.stored_bytes;) {
			uint64_t time;

			memcpy(&time, f->data + at + in + 8, sizeof(time));
			first = time < first ? time : first;
			last = time > last ? time : last;
			in += read_record(f, f->data + at + in);
			in_chunk++;
		}
		assert_int_equal(in_chunk, h.record_count);
		if (h.thread == 5) {
			/* Calls: the window is exact, and no byte comes twice. */
			assert_int_equal(h.first_ns, first);
			assert_int_equal(h.last_ns, last);
			f->covered = h.source_page == f->page ? f->covered : 0;
			f->page = h.source_page;
			assert_int_equal(h.source_offset, f->covered);
			f->covered += h.stored_bytes;
		}
		f->has_end |= (h.flags & GST_CHUNK_END) != 0;
		f->chunks++;
		at += h.stored_bytes;
	}
	free(f->data);
	f->data = NULL;
}

/* ---- a world with a writer ---- */

struct bench {
	struct gst_test_world *w;
	struct gst_writer writer;
	struct disk disk;
	struct gst_page *page; /* of "thread" 5 */
	uint32_t put;
	int fd;
	char path[256];
};

static struct bench *bench_new(const struct disk *disk)
{
	const char *dir = getenv("TEST_TMPDIR");
	struct bench *b = calloc(1, sizeof(*b));
	size_t length;
	struct gst_writer_io io = {disk_write, disk_reserve, NULL};

	assert_non_null(b);
	b->w = gst_test_world_new(4u << 20);
	b->disk = *disk;
	io.arg = &b->disk;
	dir = dir ? dir : "/tmp";
	length = strlen(dir);
	assert_true(length < 200);
	memcpy(b->path, dir, length);
	memcpy(b->path + length, "/writer_test.XXXXXX", 20);
	b->fd = mkstemp(b->path);
	assert_true(b->fd >= 0);
	assert_int_equal(gst_writer_init(&b->writer, b->fd, &b->w->pool, &b->w->loss,
					 &b->w->strings, &b->w->state, &io),
			 0);
	b->page = gst_pool_take(&b->w->pool, GST_PAGE_LARGE, GST_CHUNK_EVENTS, 5, 0);
	return b;
}

static void bench_free(struct bench *b)
{
	gst_writer_release(&b->writer);
	close(b->fd);
	unlink(b->path);
	gst_test_world_free(b->w);
	free(b);
}

static void put_calls(struct bench *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct gst_rec_call_exit rec = {
			.head = gst_record_head(GST_KIND_CALL_EXIT, sizeof(rec), i + 1),
			.exit_ns = gst_clock_mono_ns(),
		};

		if (!gst_chunk_put(b->page, &rec, sizeof(rec))) {
			gst_page_close(b->page);
			b->page =
				gst_pool_take(&b->w->pool, GST_PAGE_LARGE, GST_CHUNK_EVENTS, 5, 0);
			assert_true(b->page && gst_chunk_put(b->page, &rec, sizeof(rec)));
		}
		b->put++;
	}
}

static const struct disk good_disk = {.room = UINT64_MAX, .full_error = ENOSPC};

static void test_copies_once(void **state)
{
	struct bench *b = bench_new(&good_disk);
	struct file f;

	(void)state;
	put_calls(b, 10);
	gst_writer_anchor(&b->writer);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	assert_int_equal(b->page->header->copied_bytes, 10 * sizeof(struct gst_rec_call_exit));
	put_calls(b, 7);
	gst_loss_add(&b->w->loss, GST_REC_KERNEL, GST_LOSS_NO_CHUNK, 3);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	read_back(b->fd, &f);
	assert_int_equal(f.of_kind[GST_REC_CALL_EXIT], 17);
	assert_int_equal(f.of_kind[GST_REC_ANCHOR], 1);
	assert_int_equal(f.loss_count, 3);
	assert_false(f.has_end);

	/* Closed: copied and given back. */
	put_calls(b, 1);
	gst_page_close(b->page);
	assert_int_equal(gst_writer_finish(&b->writer), 0);
	assert_int_equal(atomic_load(&b->page->state), GST_PAGE_FREE);
	read_back(b->fd, &f);
	assert_true(f.has_end);
	assert_int_equal(f.of_kind[GST_REC_CALL_EXIT], 18);
	assert_int_equal(f.of_kind[GST_REC_END], 1);
	assert_int_equal(f.end.records, f.records - 1);
	assert_int_equal(f.end.chunks, f.chunks - 1);
	bench_free(b);
}

static void test_short_and_interrupted_writes(void **state)
{
	struct disk disk = {.room = UINT64_MAX, .largest = 100, .interrupt = 3};
	struct bench *b = bench_new(&disk);
	struct file f;

	(void)state;
	put_calls(b, 500);
	assert_int_equal(gst_writer_finish(&b->writer), 0);
	read_back(b->fd, &f);
	assert_int_equal(f.of_kind[GST_REC_CALL_EXIT], 500);
	assert_true(f.has_end);
	bench_free(b);
}

/* What a program scribbled over is not passed over in silence. */
static void test_scribbled_page(void **state)
{
	struct bench *b = bench_new(&good_disk);
	struct file f;

	(void)state;
	put_calls(b, 10);
	memset(b->page->body + 4 * sizeof(struct gst_rec_call_exit), 0, 8);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	put_calls(b, 2);
	gst_page_close(b->page);
	assert_int_equal(gst_writer_finish(&b->writer), 0);
	read_back(b->fd, &f);
	assert_int_equal(f.of_kind[GST_REC_CALL_EXIT], 4);
	assert_int_equal(f.loss_count, 1);
	assert_true(f.has_end);
	bench_free(b);
}

/* More in one cycle than the buffer holds. */
static void test_many_pages(void **state)
{
	struct bench *b = bench_new(&good_disk);
	uint32_t pages = 0, records = 0;
	struct gst_page *page;
	struct file f;

	(void)state;
	while ((page = gst_pool_take(&b->w->pool, GST_PAGE_LARGE, GST_CHUNK_EVENTS, 6, 0))) {
		struct gst_rec_call_exit rec = {
			.head = gst_record_head(GST_KIND_CALL_EXIT, sizeof(rec), 1),
			.exit_ns = 1,
		};

		while (gst_chunk_put(page, &rec, sizeof(rec))) {
			records++;
		}
		gst_page_close(page);
		pages++;
	}
	assert_true(pages * (uint64_t)GST_PAGE_SMALL_BYTES > GST_WRITER_OUT_BYTES);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	read_back(b->fd, &f);
	assert_int_equal(f.of_kind[GST_REC_CALL_EXIT], records);
	/* All free again but the strings' and the bench's own. */
	assert_int_equal(atomic_load(&b->w->pool.free_count[GST_PAGE_SMALL]) +
				 atomic_load(&b->w->pool.free_count[GST_PAGE_LARGE]),
			 pages);
	bench_free(b);
}

/* The disk fills up: the file says so in its last chunk, recording stops, and there is no trailer. */
static void fill_disk(uint64_t room, bool cannot_reserve, int error, bool must_say)
{
	struct disk disk = {.room = room, .cannot_reserve = cannot_reserve, .full_error = error};
	struct bench *b = bench_new(&disk);
	struct file f;
	int result = 0;

	for (uint32_t i = 0; i < 60 && !result; i++) {
		put_calls(b, 300);
		result = gst_writer_cycle(&b->writer);
	}
	assert_int_equal(result, error);
	assert_false(gst_state_is_on(&b->w->state));
	assert_int_equal(gst_writer_finish(&b->writer), error);
	read_back(b->fd, &f);
	assert_false(f.has_end);
	if (must_say) {
		assert_int_equal(f.of_kind[GST_REC_NOTE], 1);
		assert_int_equal(f.note_detail, error);
		assert_int_equal(f.of_kind[GST_REC_CALL_EXIT] + f.loss_count, b->put);
		assert_true(f.loss_count > 0);
	}
	bench_free(b);
}

static void test_full_disk(void **state)
{
	(void)state;
	/* Blocks are reserved ahead: there is always room for the last words. */
	fill_disk(340000, false, ENOSPC, true);
	fill_disk(345000, false, EFBIG, true);
	/* Without reservation the file ends at the last whole chunk. */
	fill_disk(9000, true, ENOSPC, false);
	fill_disk(100, true, EDQUOT, false);
	fill_disk(0, true, EIO, false);
}

/* A program that closes all descriptors and opens its own files: none of them gets a byte, none is cut. */
static void test_descriptor_of_another_file(void **state)
{
	char path[] = "/tmp/writer_test.XXXXXX";
	struct bench *b = bench_new(&good_disk);
	int theirs = mkstemp(path);
	struct stat about;

	(void)state;
	assert_true(theirs >= 0);
	unlink(path);
	assert_int_equal(write(theirs, "mine", 4), 4);
	put_calls(b, 4);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	assert_int_equal(dup2(theirs, b->fd), b->fd);
	put_calls(b, 4);
	assert_int_equal(gst_writer_cycle(&b->writer), EBADF);
	assert_int_equal(atomic_load(&b->w->state.is_on), 0);
	assert_int_equal(gst_writer_finish(&b->writer), EBADF);
	assert_int_equal(fstat(theirs, &about), 0);
	assert_int_equal(about.st_size, 4);
	close(theirs);
	bench_free(b);
}

/* A crash after the write and before copied_bytes moved: the same bytes are in both, named the same. */
static void test_double_coverage_is_named(void **state)
{
	struct bench *b = bench_new(&good_disk);
	struct gst_chunk_header h;
	struct file f;

	(void)state;
	put_calls(b, 4);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	read_back(b->fd, &f);
	assert_int_equal(pread(b->fd, &h, sizeof(h), 0), (ssize_t)sizeof(h));
	assert_int_equal(h.source_page, b->page->header->source_page);
	assert_int_equal(h.source_offset, 0);
	assert_int_equal(h.process, b->page->header->process);
	bench_free(b);
}

static void test_hanging_flush_is_said_once(void **state)
{
	struct bench *b = bench_new(&good_disk);
	_Atomic uint64_t since = gst_clock_mono_ns() - 1000000;
	struct file f;

	(void)state;
	b->writer.flush_since_ns = &since;
	b->writer.hang_ns = UINT64_C(60000000000);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	read_back(b->fd, &f);
	assert_int_equal(f.of_kind[GST_REC_NOTE], 0);
	b->writer.hang_ns = 1000;
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	assert_int_equal(gst_writer_finish(&b->writer), 0);
	read_back(b->fd, &f);
	assert_int_equal(f.of_kind[GST_REC_NOTE], 1);
	assert_int_equal(f.of_kind[GST_REC_LOSS], 1);
	bench_free(b);
}

/* A wild store of the program hit the strings: the writer must not hang over them. */
static void test_scribbled_strings(void **state)
{
	static struct gst_windows windows;
	struct bench *b = bench_new(&good_disk);
	unsigned char *strings = b->w->pool.pages[0].body;
	struct file f;

	(void)state;
	alarm(20);
	gst_windows_init(&windows, false);
	b->writer.windows = &windows;
	assert_int_not_equal(gst_intern(&b->w->strings, "one"), 0);
	put_calls(b, 1);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	memset(strings, 0, 8);
	assert_true(gst_windows_close(&windows, 1));
	assert_true(gst_windows_open(&windows, 2));
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	assert_int_equal(gst_writer_cycle(&b->writer), 0);
	alarm(0);
	read_back(b->fd, &f);
	assert_int_equal(f.of_kind[GST_REC_STRING], 1);
	assert_int_equal(f.of_kind[GST_REC_LOSS], 1);
	bench_free(b);
}

static void test_thread(void **state)
{
	struct bench *b = bench_new(&good_disk);
	struct file f;

	(void)state;
	b->writer.period_ns = 2000000;
	gst_writer_anchor(&b->writer);
	assert_int_equal(gst_writer_start(&b->writer), 0);
	for (uint32_t i = 0; i < 20; i++) {
		put_calls(b, 50);
		gst_pool_wake(&b->w->pool);
	}
	assert_true(gst_writer_stop(&b->writer, gst_clock_mono_ns() + UINT64_C(20000000000)));
	read_back(b->fd, &f);
	assert_int_equal(f.of_kind[GST_REC_CALL_EXIT], 1000);
	assert_true(f.has_end);
	/* At the start and at the end. */
	assert_true(f.of_kind[GST_REC_ANCHOR] >= 2);
	bench_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies_once),
		cmocka_unit_test(test_short_and_interrupted_writes),
		cmocka_unit_test(test_scribbled_page),
		cmocka_unit_test(test_many_pages),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_descriptor_of_another_file),
		cmocka_unit_test(test_double_coverage_is_named),
		cmocka_unit_test(test_hanging_flush_is_said_once),
		cmocka_unit_test(test_scribbled_strings),
		cmocka_unit_test(test_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
