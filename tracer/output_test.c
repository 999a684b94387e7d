/*
 * output_test.c - nothing is overwritten, links are not followed, reports are small files.
 */
#include "tracer/output.h"
#include "tracer/linebuf.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[256];

static int make_folder(void **state)
{
	struct gst_linebuf line;
	const char *base = getenv("TEST_TMPDIR");

	(void)state;
	gst_linebuf_init(&line, folder, sizeof(folder));
	gst_linebuf_add(&line, base ? base : "/tmp");
	gst_linebuf_add(&line, "/output_test.XXXXXX");
	return line.is_cut || !mkdtemp(folder);
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"a.gst", "a.gst.1", "link.gst", "link.gst.1", NULL};
	struct gst_linebuf line;
	char path[512];

	(void)state;
	for (const char *const *name = names; *name; name++) {
		gst_linebuf_init(&line, path, sizeof(path));
		gst_linebuf_add(&line, folder);
		gst_linebuf_add(&line, "/");
		gst_linebuf_add(&line, *name);
		unlink(path);
	}
	gst_linebuf_init(&line, path, sizeof(path));
	gst_linebuf_add(&line, folder);
	gst_linebuf_add(&line, "/");
	gst_linebuf_add_dec(&line, getpid());
	gst_linebuf_add(&line, ".trace");
	unlink(path);
	return rmdir(folder);
}

static void in_folder(char *path, size_t size, const char *name)
{
	struct gst_linebuf line;

	gst_linebuf_init(&line, path, size);
	gst_linebuf_add(&line, folder);
	gst_linebuf_add(&line, "/");
	gst_linebuf_add(&line, name);
	assert_false(line.is_cut);
}

static void test_never_overwrites(void **state)
{
	char first[512], second[512], wanted[512];
	struct stat about;
	int fd;

	(void)state;
	in_folder(first, sizeof(first), "a.gst");
	in_folder(second, sizeof(second), "a.gst");
	in_folder(wanted, sizeof(wanted), "a.gst.1");
	fd = gst_output_create(first, sizeof(first));
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0600);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
	fd = gst_output_create(second, sizeof(second));
	assert_true(fd >= 0);
	assert_string_equal(second, wanted);
	close(fd);
}

static void test_link_is_not_followed(void **state)
{
	char link_path[512], target[512], wanted[512];
	int fd;

	(void)state;
	in_folder(link_path, sizeof(link_path), "link.gst");
	in_folder(target, sizeof(target), "target");
	in_folder(wanted, sizeof(wanted), "link.gst.1");
	assert_int_equal(symlink(target, link_path), 0);
	fd = gst_output_create(link_path, sizeof(link_path));
	assert_true(fd >= 0);
	close(fd);
	assert_string_equal(link_path, wanted);
	assert_int_equal(access(target, F_OK), -1);
}

/* A program without stdout must not print into the trace. */
static void test_never_a_standard_descriptor(void **state)
{
	struct rlimit before, few;
	char path[512];
	int saved, fd;

	(void)state;
	saved = dup(STDIN_FILENO);
	assert_true(saved > STDERR_FILENO);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (int round = 0; round < 2; round++) {
		few = before;
		few.rlim_cur = round ? (rlim_t)saved + 2 : before.rlim_cur;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		close(STDIN_FILENO);
		in_folder(path, sizeof(path), "few.gst");
		fd = gst_output_create(path, sizeof(path));
		assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
		assert_true(fd > STDERR_FILENO);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		close(fd);
		unlink(path);
	}
	/* Nothing but such a one is free: no trace, and no empty file. */
	few.rlim_cur = (rlim_t)saved + 1;
	for (int used = dup(saved); used >= 0 && used < saved; used = dup(saved)) {
		few.rlim_cur = (rlim_t)used + 1;
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	close(STDIN_FILENO);
	in_folder(path, sizeof(path), "few.gst");
	fd = gst_output_create(path, sizeof(path));
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	close(saved);
	assert_int_equal(fd, -1);
	assert_int_equal(access(path, F_OK), -1);
}

static void test_errors(void **state)
{
	char path[512];

	(void)state;
	in_folder(path, sizeof(path), "none/a.gst");
	assert_int_equal(gst_output_create(path, sizeof(path)), -1);
	assert_int_equal(errno, ENOENT);
	/* Nothing beside what is no file. */
	in_folder(path, sizeof(path), "");
	path[strlen(path) - 1] = '\0';
	assert_int_equal(gst_output_create(path, sizeof(path)), -1);
	assert_int_equal(errno, EISDIR);
	in_folder(path, sizeof(path), "pipe");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(gst_output_create(path, sizeof(path)), -1);
	assert_int_equal(errno, ENODEV);
	unlink(path);
	/* It exists, and there is no room for a number behind the name. */
	in_folder(path, sizeof(path), "a.gst");
	assert_int_equal(gst_output_create(path, strlen(path) + 1), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

static void test_report(void **state)
{
	char path[512], text[64];
	struct gst_linebuf line;
	ssize_t length;
	int fd;

	(void)state;
	gst_output_report("", "trace", "nobody asked");
	gst_output_report("/nonexistent", "trace", "nobody there");
	gst_output_report(folder, "trace", "/x/a.gst");
	/* After exec(), in the same process. */
	gst_output_report(folder, "trace", "/x/a.gst.1");
	gst_output_report(folder, "trace", "/x/a\n/b\\n.gst");
	gst_linebuf_init(&line, path, sizeof(path));
	gst_linebuf_add(&line, folder);
	gst_linebuf_add(&line, "/");
	gst_linebuf_add_dec(&line, getpid());
	gst_linebuf_add(&line, ".trace");
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	assert_true(length > 0);
	text[length] = '\0';
	assert_string_equal(text, "/x/a.gst\n/x/a.gst.1\n/x/a\\n/b\\\\n.gst\n");
}

static void test_absolute(void **state)
{
	char here[4096], full[4200];

	(void)state;
	gst_output_absolute("/a/b", full, sizeof(full));
	assert_string_equal(full, "/a/b");
	gst_output_absolute("b.gst", full, sizeof(full));
	assert_non_null(getcwd(here, sizeof(here)));
	assert_memory_equal(full, here, strlen(here));
	assert_string_equal(full + strlen(here), "/b.gst");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never_overwrites),
		cmocka_unit_test(test_link_is_not_followed),
		cmocka_unit_test(test_never_a_standard_descriptor),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_absolute),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
