/*
 * load_files_test.c - traces in files, staging files among them, and how much memory a load takes.
 *
 * Role      : the loader on what is on a disk, and within its bounds.
 * Method    : files in the test's own folder; an allocator that fails at each allocation in turn.
 * Invariant : no expected answer comes from the loader under test.
 * Not here  : what is in the records.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/base/mem.h"
#include "analyzer/load/loaded.h"
#include "tracer/format/encode.h"

static void temp_path(char *path, size_t room, const char *name)
{
	const char *folder = getenv("TEST_TMPDIR");

	snprintf(path, room, "%s/%s.%ld", folder ? folder : "/tmp", name, (long)getpid());
}

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static size_t count_records(struct gst_loader *l)
{
	struct gst_record rec;
	size_t n = 0;
	int got;

	while ((got = gst_loader_next(l, &rec)) > 0)
		n++;
	assert_int_equal(got, 0);
	return n;
}

static void test_files(void **state)
{
	struct gst_err err = {0};
	struct gst_loader *l;
	size_t size, room;
	uint8_t *gst = loaded_gst(loaded_small_text, &size, &room);
	char path[300];

	(void)state;
	temp_path(path, sizeof(path), "small.gst");
	write_file(path, gst, size);
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_OK);
	assert_int_equal(count_records(l), 12);
	assert_true(gst_loader_stats(l)->is_complete);
	assert_int_equal(gst_loader_stats(l)->file_bytes, size);
	gst_loader_close(l);

	write_file(path, loaded_small_text, strlen(loaded_small_text));
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_OK);
	assert_int_equal(count_records(l), 12);
	gst_loader_close(l);

	write_file(path, "", 0);
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_E_FORMAT);
	assert_non_null(strstr(err.text, "the file is empty"));
	unlink(path);
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_E_IO);
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_int_equal(gst_loader_open("/", NULL, &l, &err), GST_E_IO);
	assert_string_equal(err.text, "/: is a folder, expected a trace");
	gst_loader_close(NULL);
	gst_mem_free(gst, room);
}

/* The file gets shorter after it was opened. */
static void test_file_shrinks(void **state)
{
	struct gst_err err = {0};
	struct gst_record rec;
	struct gst_loader *l;
	size_t size, room;
	uint8_t *gst = loaded_gst(loaded_small_text, &size, &room);
	char path[300];
	int got;

	(void)state;
	temp_path(path, sizeof(path), "shrink.gst");
	write_file(path, gst, size);
	assert_int_equal(gst_loader_open(path, NULL, &l, &err), GST_OK);
	assert_int_equal(truncate(path, 200), 0);
	while ((got = gst_loader_next(l, &rec)) > 0)
		;
	assert_int_equal(got, GST_E_IO);
	assert_non_null(strstr(gst_loader_error(l)->text, "the file became shorter"));
	gst_loader_close(l);
	unlink(path);
	gst_mem_free(gst, room);
}

static void this_boot(uint64_t *hi, uint64_t *lo)
{
	unsigned long long a, b, c, d, e;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%8llx-%4llx-%4llx-%4llx-%12llx", &a, &b, &c, &d, &e), 5);
	fclose(f);
	*hi = a << 32 | b << 16 | c;
	*lo = d << 48 | e;
}

static void test_staging(void **state)
{
	struct gst_load_options o = loaded_options();
	char text[1000], path[300], staging[300];
	struct gst_chunk_header h;
	struct gst_err err = {0};
	uint64_t hi, lo, page[64] = {0};
	struct gst_rec_call_exit exit_rec = {.exit_ns = 700};
	struct gst_record rec;
	struct gst_loader *l;
	uint8_t *gst;
	size_t size, room, n;
	int got, wrong_boot;

	(void)state;
	this_boot(&hi, &lo);
	temp_path(path, sizeof(path), "killed.gst");
	temp_path(staging, sizeof(staging), "staging");
	/* The page has a call and its exit; the .gst got the call only. */
	gst_chunk_init_open(&h, GST_CHUNK_EVENTS, 9, 1, 0, 77, sizeof(page) - sizeof(h));
	h.source_page = 77;
	gst_chunk_reseal_open(&h);
	h.copied_bytes = 16;
	memcpy(page, &h, sizeof(h));
	page[16] = (uint64_t)GST_KIND_CALL | 2u << 16 | UINT64_C(5) << 32;
	page[17] = 600;
	exit_rec.head = gst_record_head(GST_KIND_CALL_EXIT, 16, 5);
	memcpy(&page[18], &exit_rec, 16);

	for (wrong_boot = 0; wrong_boot < 2; wrong_boot++) {
		snprintf(text, sizeof(text),
			 "gstext 1.0\n"
			 "chunk defs process=9\n"
			 "string id=1 text=\"%s\"\n"
			 "process pid=9 staging=1 boot_hi=0x%" PRIx64 " boot_lo=0x%" PRIx64 "\n"
			 "chunk events process=9 thread=1 page=77\n"
			 "call corr=5 enter_ns=600\n",
			 staging, hi, lo + (uint64_t)wrong_boot);
		gst = loaded_gst(text, &size, &room);
		write_file(path, gst, size);
		gst_mem_free(gst, room);
		write_file(staging, page, sizeof(page));

		o.fold_staging = true;
		assert_int_equal(gst_loader_open(path, &o, &l, &err), GST_OK);
		n = 0;
		while ((got = gst_loader_next(l, &rec)) > 0) {
			if (rec.kind == GST_REC_CALL_EXIT) {
				assert_int_equal(rec.corr, 5);
				assert_int_equal(
					((const struct gst_rec_call_exit *)rec.data)->exit_ns, 700);
				assert_int_equal(rec.offset, 144);
			}
			n++;
		}
		assert_int_equal(got, 0);
		assert_int_equal(n, wrong_boot ? 3 : 4);
		assert_int_equal(gst_loader_stats(l)->staging_chunks, !wrong_boot);
		assert_false(gst_loader_stats(l)->is_complete);
		assert_int_equal(gst_loader_stats(l)->last_ns, wrong_boot ? 600 : 700);
		gst_loader_close(l);
		assert_int_equal(unlink(staging), 0);
	}
	o.fold_staging = true;
	assert_int_equal(gst_loader_open(path, &o, &l, &err), GST_OK);
	assert_int_equal(count_records(l), 3);
	assert_int_equal(gst_loader_stats(l)->reasons[1].code, GST_LOAD_STAGING_GONE);
	gst_loader_close(l);
	unlink(path);
}

/* Files that are nothing but the smallest things of which a reader keeps something. */
static void test_memory_bound(void **state)
{
	enum { SIZE = 20 << 20 };
	uint8_t *bytes = malloc(SIZE);
	struct gst_chunk_header h;
	struct gst_loader *l;
	struct gst_record rec;
	size_t i, n = 0;
	uint64_t before;

	(void)state;
	assert_non_null(bytes);
	/* Empty chunks, each another process and segment. */
	for (i = 0; i + sizeof(h) <= SIZE; i += sizeof(h)) {
		gst_chunk_init_open(&h, GST_CHUNK_EVENTS, (uint32_t)n, 1, (uint32_t)n, n + 1, 0);
		n++;
		h.source_page = n;
		gst_chunk_seal(&h, bytes, 0, 0, 0, 0);
		memcpy(bytes + i, &h, sizeof(h));
	}
	before = gst_mem_used();
	/* Less than the 64 MiB promised: SIZE is small, for speed. */
	gst_mem_set_limit(before + (24u << 20) + 8u * (uint64_t)SIZE);
	assert_int_equal(gst_loader_open_memory(bytes, SIZE, "t", NULL, &l, NULL), GST_OK);
	while (gst_loader_next(l, &rec) > 0)
		;
	assert_int_equal(gst_loader_stats(l)->chunks, n);
	gst_loader_close(l);

	/* One-word records of unknown kinds. */
	gst_chunk_init_open(&h, GST_CHUNK_EVENTS, 1, 1, 0, 1, GST_CHUNK_MAX_BYTES - 8);
	for (i = 0; i + sizeof(h) + GST_CHUNK_MAX_BYTES <= SIZE;
	     i += sizeof(h) + GST_CHUNK_MAX_BYTES) {
		h.thread++;
		h.sequence++;
		gst_chunk_reseal_open(&h);
		memcpy(bytes + i, &h, sizeof(h));
		for (n = 0; n < GST_CHUNK_MAX_BYTES / 8; n++) {
			uint64_t word = 0x16000 + n % 0x1fff;

			memcpy(bytes + i + sizeof(h) + n * 8, &word, 8);
		}
	}
	assert_int_equal(gst_loader_open_memory(bytes, SIZE, "t", NULL, &l, NULL), GST_OK);
	while (gst_loader_next(l, &rec) > 0)
		;
	assert_true(gst_loader_stats(l)->has_more_unknown);
	gst_loader_close(l);

	/* Text: the shortest chunks; then each of another process. */
	for (i = 0; i < 2; i++) {
		size_t length = (size_t)snprintf((char *)bytes, SIZE, "gstext 1.0\n");

		for (n = 1; length + 64 < SIZE; n++)
			length += (size_t)snprintf((char *)bytes + length, 64,
						   "chunk defs process=%zu\nend\n", i ? n : i);
		assert_int_equal(gst_loader_open_memory(bytes, length, "t", NULL, &l, NULL),
				 GST_OK);
		while (gst_loader_next(l, &rec) > 0)
			;
		assert_int_equal(gst_loader_stats(l)->records, n - 1);
		gst_loader_close(l);
	}
	gst_mem_set_limit(0);
	free(bytes);
	assert_int_equal(gst_mem_used(), before);
}

/* Each allocation fails once: the hook is called, nothing else happens. */
static void exit_on_oom(uint64_t wanted, uint64_t used, uint64_t limit)
{
	(void)wanted;
	(void)used;
	(void)limit;
	_exit(4);
}

static void test_every_allocation_fails(void **state)
{
	uint64_t n;
	int status = -1;

	(void)state;
	for (n = 1; n < 1000; n++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (!child) {
			struct gst_load_options o = loaded_options();
			struct loaded r;

			gst_mem_set_oom_hook(exit_on_oom);
			gst_mem_fail_nth(n);
			loaded_bytes(&r, loaded_small_text, strlen(loaded_small_text), &o);
			_exit(r.is_complete ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		if (!WEXITSTATUS(status))
			break;
		assert_int_equal(WEXITSTATUS(status), 4);
	}
	/* Some did fail, and in the end none. */
	assert_true(n > 10);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_file_shrinks),
		cmocka_unit_test(test_staging),
		cmocka_unit_test(test_memory_bound),
		cmocka_unit_test(test_every_allocation_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
