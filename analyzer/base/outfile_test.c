/*
 * outfile_test.c - outputs appear whole or not at all.
 */
#include "analyzer/base/outfile.h"

#include "analyzer/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];

static int make_folder(void **state)
{
	const char *base = getenv("TEST_TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%s/outfile.XXXXXX", base ? base : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int count_files(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int n = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static int remove_folder(void **state)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	char path[600];

	(void)state;
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	return rmdir(folder);
}

static void read_file(const char *path, char *text, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, room - 1, f);
	text[n] = '\0';
	fclose(f);
}

static void test_commit(void **state)
{
	struct gst_err err = {0};
	struct gst_outfile *o;
	char path[300], text[100];
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s/a.txt", folder);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_OK);
	gst_outfile_puts(o, "hello");
	gst_outfile_printf(o, " %s %d", "world", 7);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(gst_outfile_commit(o, &err), GST_OK);
	read_file(path, text, sizeof(text));
	assert_string_equal(text, "hello world 7");
	assert_int_equal(count_files(), 1);

	/* Replacing keeps the old one until the end, and its mode after it. */
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_OK);
	gst_outfile_puts(o, "new");
	read_file(path, text, sizeof(text));
	assert_string_equal(text, "hello world 7");
	gst_outfile_abort(o);
	assert_int_equal(count_files(), 1);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_OK);
	gst_outfile_puts(o, "new");
	assert_int_equal(gst_outfile_commit(o, &err), GST_OK);
	read_file(path, text, sizeof(text));
	assert_string_equal(text, "new");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void test_link_is_followed(void **state)
{
	struct gst_err err = {0};
	struct gst_outfile *o;
	char path[300], target[300], text[100];
	struct stat st;

	(void)state;
	snprintf(target, sizeof(target), "%s/target", folder);
	snprintf(path, sizeof(path), "%s/link", folder);
	assert_int_equal(gst_outfile_open(target, &o, &err), GST_OK);
	assert_int_equal(gst_outfile_commit(o, &err), GST_OK);
	assert_int_equal(symlink("target", path), 0);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_OK);
	gst_outfile_puts(o, "through");
	assert_int_equal(gst_outfile_commit(o, &err), GST_OK);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	read_file(target, text, sizeof(text));
	assert_string_equal(text, "through");
}

/* A link to nothing: what it names appears, and it stays. One to itself leads nowhere. */
static void test_dangling_link(void **state)
{
	struct gst_err err = {0};
	struct gst_outfile *o;
	char path[300], target[300], text[100];
	struct stat st;
	int before = count_files();

	(void)state;
	snprintf(target, sizeof(target), "%s/later", folder);
	snprintf(path, sizeof(path), "%s/dangling", folder);
	assert_int_equal(symlink("./later", path), 0);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_OK);
	gst_outfile_puts(o, "through");
	assert_int_equal(gst_outfile_commit(o, &err), GST_OK);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	read_file(target, text, sizeof(text));
	assert_string_equal(text, "through");
	assert_int_equal(unlink(target), 0);

	/* ... from the root on */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_OK);
	assert_int_equal(gst_outfile_commit(o, &err), GST_OK);
	assert_int_equal(access(target, F_OK), 0);
	assert_int_equal(unlink(path), 0);

	assert_int_equal(symlink("dangling", path), 0);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_E_IO);
	assert_non_null(strstr(err.text, "Too many levels"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(target), 0);
	assert_int_equal(count_files(), before);
}

/* As long as the system allows: no room is left for more letters while it is written. */
static void test_longest_name(void **state)
{
	struct gst_err err = {0};
	struct gst_outfile *o;
	char path[600];
	int before = count_files();

	(void)state;
	snprintf(path, sizeof(path), "%s/%0255d", folder, 7);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_OK);
	gst_outfile_abort(o);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_OK);
	assert_int_equal(gst_outfile_commit(o, &err), GST_OK);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(count_files(), before);

	snprintf(path, sizeof(path), "%s/%0256d", folder, 7);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_E_IO);
}

static void test_errors(void **state)
{
	struct gst_err err = {0};
	struct gst_outfile *o;
	char path[400];

	(void)state;
	snprintf(path, sizeof(path), "%s/no/such/folder", folder);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_E_IO);
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_non_null(strstr(err.text, path));

	/* A device is written in place, never replaced; a full one is an error of commit. */
	assert_int_equal(gst_outfile_open("/dev/full", &o, &err), GST_OK);
	assert_null(gst_outfile_temp_path(o));
	gst_outfile_puts(o, "x");
	assert_int_equal(gst_outfile_commit(o, &err), GST_E_IO);
	assert_non_null(strstr(err.text, "/dev/full: cannot write: No space left on device"));
	assert_int_equal(access("/dev/full", F_OK), 0);
}

static void test_large(void **state)
{
	static char block[300000];
	struct gst_err err = {0};
	struct gst_outfile *o;
	char path[300];
	struct stat st;
	int i;

	(void)state;
	memset(block, 'x', sizeof(block) - 1);
	snprintf(path, sizeof(path), "%s/large", folder);
	assert_int_equal(gst_outfile_open(path, &o, &err), GST_OK);
	for (i = 0; i < 3; i++) {
		gst_outfile_write(o, block, sizeof(block) - 1);
		gst_outfile_printf(o, "%s", block);
		gst_outfile_write(o, block, 1000);
	}
	assert_int_equal(gst_outfile_commit(o, &err), GST_OK);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3 * (2 * (sizeof(block) - 1) + 1000));
}

static void test_abort_all(void **state)
{
	struct gst_err err = {0};
	struct gst_outfile *a, *b;
	char path[300];
	int before;

	(void)state;
	before = count_files();
	snprintf(path, sizeof(path), "%s/x", folder);
	assert_int_equal(gst_outfile_open(path, &a, &err), GST_OK);
	assert_int_equal(gst_outfile_open(path, &b, &err), GST_OK);
	assert_int_equal(count_files(), before + 2);
	gst_outfile_abort_all();
	assert_int_equal(count_files(), before);
	gst_outfile_abort(a);
	gst_outfile_abort(b);
	gst_outfile_abort(NULL);
}

static void test_memory(void **state)
{
	struct gst_err err = {0};
	struct gst_outfile *o = gst_outfile_open_memory();
	size_t length, room;
	char *data;

	(void)state;
	gst_outfile_puts(o, "ab");
	assert_string_equal(gst_outfile_memory(o, &length), "ab");
	assert_int_equal(length, 2);
	gst_outfile_puts(o, "c");
	assert_string_equal(gst_outfile_memory(o, NULL), "abc");
	assert_false(gst_outfile_failed(o));
	assert_int_equal(gst_outfile_commit(o, &err), GST_OK);

	o = gst_outfile_open_memory();
	gst_outfile_puts(o, "xyz");
	data = gst_outfile_take_memory(o, &length, &room);
	assert_int_equal(length, 3);
	assert_memory_equal(data, "xyz", 3);
	gst_mem_free(data, room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commit),	      cmocka_unit_test(test_link_is_followed),
		cmocka_unit_test(test_dangling_link), cmocka_unit_test(test_longest_name),
		cmocka_unit_test(test_errors),	      cmocka_unit_test(test_large),
		cmocka_unit_test(test_abort_all),     cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
