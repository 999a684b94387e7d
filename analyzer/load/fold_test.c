/*
 * fold_test.c - what a killed program left, moved into its trace; what is not ours, left alone.
 */
#include "analyzer/load/fold.h"

#include "analyzer/base/mem.h"
#include "analyzer/load/reader_internal.h"
#include "tracer/format/encode.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define UUID_HI UINT64_C(0x0123456789abcdef)
#define UUID_LO UINT64_C(0xfedcba9876543210)

struct place {
	char dir[200], trace[300], staging[300];
};

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
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

/* A pid that is nobody's: that of a child which has ended. */
static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* Two calls with their exits on page 77 of the staging file; the .gst has the first call alone, and not its exit. */
static void make(struct place *p, pid_t pid, uint64_t ticks, const char *staging_name)
{
	const char *tmp = getenv("TEST_TMPDIR");
	uint64_t page[64] = {0}, hi, lo;
	struct gst_chunk_header h;
	struct gst_err err = {0};
	size_t bytes, room;
	struct stat ns;
	uint8_t *image;
	char text[1500];

	snprintf(p->dir, sizeof(p->dir), "%s/fold_test.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->trace, sizeof(p->trace), "%s/x.gst", p->dir);
	snprintf(p->staging, sizeof(p->staging), "%s/%s", p->dir, staging_name);
	this_boot(&hi, &lo);
	assert_int_equal(stat("/proc/self/ns/pid", &ns), 0);
	snprintf(text, sizeof(text),
		 "gstext 1.0\n"
		 "chunk defs process=%d\n"
		 "string id=1 text=\"%s\"\n"
		 "trace uuid_hi=0x%" PRIx64 " uuid_lo=0x%" PRIx64 "\n"
		 "process pid=%d pid_ns=%" PRIu64 " start_ticks=%" PRIu64
		 " staging=1 boot_hi=0x%" PRIx64 " boot_lo=0x%" PRIx64 "\n"
		 "chunk events process=%d thread=1 page=77\n"
		 "call corr=5 enter_ns=600\n",
		 (int)pid, p->staging, UUID_HI, UUID_LO, (int)pid, (uint64_t)ns.st_ino, ticks, hi,
		 lo, (int)pid);
	if (gst_text_to_gst(text, strlen(text), &image, &bytes, &room, &err)) {
		fail_msg("%s", err.text);
	}
	write_file(p->trace, image, bytes);
	gst_mem_free(image, room);

	gst_chunk_init_open(&h, GST_CHUNK_EVENTS, (uint32_t)pid, 1, 0, 0, sizeof(page) - sizeof(h));
	h.source_page = 77;
	gst_chunk_reseal_open(&h);
	h.copied_bytes = 16;
	memcpy(page, &h, sizeof(h));
	for (uint64_t i = 0; i < 2; i++) {
		page[16 + 4 * i] = (uint64_t)GST_KIND_CALL | 2u << 16 | (5 + i) << 32;
		page[17 + 4 * i] = 600 + 200 * i;
		page[18 + 4 * i] = (uint64_t)GST_KIND_CALL_EXIT | 2u << 16 | (5 + i) << 32;
		page[19 + 4 * i] = 700 + 200 * i;
	}
	write_file(p->staging, page, sizeof(page));
}

#define RIGHT_NAME "gstrace-0123456789abcdeffedcba9876543210.staging"

static void clean(const struct place *p)
{
	unlink(p->staging);
	unlink(p->trace);
	assert_int_equal(rmdir(p->dir), 0);
}

/* Calls and exits in the trace alone; also whether a staging file is still missed. */
static size_t count_calls(const struct place *p, bool *misses_staging)
{
	struct gst_err err = {0};
	struct gst_loader *l;
	struct gst_record r;
	size_t n = 0;

	assert_int_equal(gst_loader_open(p->trace, NULL, &l, &err), GST_OK);
	while (gst_loader_next(l, &r) > 0) {
		n += r.kind == GST_REC_CALL || r.kind == GST_REC_CALL_EXIT;
	}
	*misses_staging = false;
	for (size_t i = 0; i < gst_loader_stats(l)->reason_count; i++) {
		*misses_staging |= gst_loader_stats(l)->reasons[i].code == GST_LOAD_STAGING_GONE;
		assert_int_not_equal(gst_loader_stats(l)->reasons[i].code, GST_LOAD_MISSING_BYTES);
		assert_int_not_equal(gst_loader_stats(l)->reasons[i].code, GST_LOAD_MISSING_CHUNKS);
	}
	gst_loader_close(l);
	return n;
}

static void folds_once(void **state)
{
	struct gst_err err = {0};
	struct gst_fold fold;
	struct place p;
	bool misses;

	(void)state;
	make(&p, dead_pid(), 1, RIGHT_NAME);
	assert_int_equal(gst_fold(p.trace, &fold, &err), GST_OK);
	assert_int_equal(fold.outcome, GST_FOLD_DONE);
	assert_int_equal(fold.chunks, 1);
	assert_int_equal(fold.records, 3);
	assert_int_equal(access(p.staging, F_OK), -1);
	assert_int_equal(count_calls(&p, &misses), 4);
	assert_false(misses);
	assert_int_equal(gst_fold(p.trace, &fold, &err), GST_OK);
	assert_int_equal(fold.outcome, GST_FOLD_NOTHING);
	assert_int_equal(count_calls(&p, &misses), 4);
	clean(&p);
}

/* Killed in the middle of writing a chunk: at every length that the file can have. */
static void partial_chunks(void **state)
{
	struct gst_err err = {0};
	struct gst_fold fold;
	struct place p;
	struct stat st;
	bool misses;

	(void)state;
	for (off_t cut = 8; cut < 152; cut += 8) {
		make(&p, dead_pid(), 1, RIGHT_NAME);
		assert_int_equal(stat(p.trace, &st), 0);
		assert_int_equal(truncate(p.trace, st.st_size - cut), 0);
		if (gst_fold(p.trace, &fold, &err)) {
			fail_msg("%s", err.text);
		}
		assert_int_equal(fold.outcome, GST_FOLD_DONE);
		assert_int_equal(count_calls(&p, &misses), 4);
		clean(&p);
	}
}

static uint64_t my_ticks(void)
{
	unsigned long long ticks;
	FILE *f = fopen("/proc/self/stat", "r");

	assert_non_null(f);
	assert_int_equal(
		fscanf(f,
		       "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
		       "%*d %*d %*d %llu",
		       &ticks),
		1);
	fclose(f);
	return ticks;
}

static void leaves_others_alone(void **state)
{
	struct gst_err err = {0};
	struct gst_fold fold;
	struct place p;
	char real[320];
	bool misses;
	int fd;

	(void)state;
	/* Its process lives. */
	make(&p, getpid(), my_ticks(), RIGHT_NAME);
	assert_int_equal(gst_fold(p.trace, &fold, &err), GST_OK);
	assert_int_equal(fold.outcome, GST_FOLD_IN_USE);
	assert_int_equal(access(p.staging, F_OK), 0);
	clean(&p);
	/* The same pid, another process. */
	make(&p, getpid(), my_ticks() + 1, RIGHT_NAME);
	assert_int_equal(gst_fold(p.trace, &fold, &err), GST_OK);
	assert_int_equal(fold.outcome, GST_FOLD_DONE);
	clean(&p);
	/* A file that does not belong to the trace. */
	make(&p, dead_pid(), 1, "thesis.tex");
	assert_int_equal(gst_fold(p.trace, &fold, &err), GST_OK);
	assert_int_equal(fold.outcome, GST_FOLD_NOT_OURS);
	assert_int_equal(access(p.staging, F_OK), 0);
	clean(&p);
	/* One with the right name that is a link to something else. */
	make(&p, dead_pid(), 1, RIGHT_NAME);
	snprintf(real, sizeof(real), "%s/real", p.dir);
	assert_int_equal(rename(p.staging, real), 0);
	assert_int_equal(symlink(real, p.staging), 0);
	assert_int_equal(gst_fold(p.trace, &fold, &err), GST_OK);
	assert_int_equal(fold.outcome, GST_FOLD_NOTHING);
	assert_int_equal(access(real, F_OK), 0);
	assert_int_equal(unlink(real), 0);
	clean(&p);
	/* Another gstrace is at it. */
	make(&p, dead_pid(), 1, RIGHT_NAME);
	fd = open(p.trace, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(gst_fold(p.trace, &fold, &err), GST_OK);
	assert_int_equal(fold.outcome, GST_FOLD_IN_USE);
	close(fd);
	assert_int_equal(count_calls(&p, &misses),
			 4); /* by the staging file, which is still there */
	clean(&p);
}

static void no_trace(void **state)
{
	struct gst_fold fold = {.outcome = GST_FOLD_IN_USE};
	struct gst_err err = {0};

	(void)state;
	assert_int_equal(gst_fold("/no/such/x.gst", &fold, &err), GST_E_IO);
	assert_int_equal(gst_fold("/dev/null", &fold, &err), GST_E_IO);
	assert_int_equal(fold.outcome, GST_FOLD_IN_USE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds_once),
		cmocka_unit_test(partial_chunks),
		cmocka_unit_test(leaves_others_alone),
		cmocka_unit_test(no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
