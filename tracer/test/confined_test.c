/*
 * confined_test.c - file systems that are full, read-only or gone, and rights that a program has: real ones.
 *
 * In a mount namespace of its own, so the whole program must be let make one: else its cases are skipped, with the
 * reason. fault_test and faultloop_test show the same with a shim, wherever they run.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tracer/test/harness.h"
#include "tracer/test/scan.h"

#define PROGRAM "stream s; launch s k 50us; devsync; print done; exit 9"
#define LAUNCHES_MUCH \
	"repeat 40 { repeat 500 { launch 0 k 0 }; sleep 2ms }; devsync; print done; exit 9"

static char why_not[200]; /* "" = we have a namespace */
static char place[300];	  /* where the last file system was put */

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool is_ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0) {
		close(fd);
	}
	return is_ok;
}

/* Root needs no more than that; others get a user namespace in which they are root. */
static void enter_namespace(void)
{
	char uid[40], gid[40];

	snprintf(uid, sizeof(uid), "0 %d 1", (int)getuid());
	snprintf(gid, sizeof(gid), "0 %d 1", (int)getgid());
	if (unshare(CLONE_NEWNS) &&
	    (unshare(CLONE_NEWUSER | CLONE_NEWNS) || !write_file("/proc/self/setgroups", "deny") ||
	     !write_file("/proc/self/uid_map", uid) || !write_file("/proc/self/gid_map", gid))) {
		snprintf(why_not, sizeof(why_not), "no namespace of mounts here: %s",
			 strerror(errno));
	} else if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		snprintf(why_not, sizeof(why_not), "mounts cannot be kept apart here: %s",
			 strerror(errno));
	}
}

/* tools/test_summary.py lists it, and takes no other word for it. */
#define SKIP(reason)                                                \
	do {                                                        \
		printf("allowed skip: %s: %s\n", __func__, reason); \
		fflush(stdout);                                     \
		skip();                                             \
	} while (0)

#define NEED_NAMESPACE()               \
	do {                           \
		if (why_not[0]) {      \
			SKIP(why_not); \
		}                      \
	} while (0)

/* A tmpfs with @options in a folder of the run that is not taken for a trace. */
static void mount_tmpfs(const struct run *run, const char *options)
{
	snprintf(place, sizeof(place), "%s/.fs", run->dir);
	assert_true(!mkdir(place, 0700) || errno == EEXIST);
	if (mount("tmpfs", place, "tmpfs", MS_NODEV, options)) {
		fail_msg("mount: %s", strerror(errno));
	}
}

static void unmount(void)
{
	assert_int_equal(umount2(place, MNT_DETACH), 0);
	rmdir(place);
}

static void assert_untouched(const struct run *run)
{
	assert_true(WIFEXITED(run->status));
	assert_int_equal(WEXITSTATUS(run->status), 9);
	assert_string_equal(run->out, "done\n");
	assert_int_equal(run_staging_files(run), 0);
}

static void assert_one_line(const struct run *run, const char *word)
{
	assert_untouched(run);
	if (run_lines(run->err) != 1 || strncmp(run->err, "gstrace: ", 9) != 0 ||
	    !strstr(run->err, word)) {
		fail_msg("stderr is not one line with \"%s\": %s", word, run->err);
	}
}

static void a_file_system_that_runs_full_ends_the_recording_only(void **state)
{
	struct run *run = *state;
	struct scan scan;

	NEED_NAMESPACE();
	mount_tmpfs(run, "size=1m");
	run->env[0] = "GSTRACE_OUTPUT=.fs/x.gst";
	run->env[1] = "GSTRACE_WRITE_MS=5";
	run_script(run, LAUNCHES_MUCH);
	assert_one_line(run, "the trace is cut");
	snprintf(run->trace, sizeof(run->trace), "%s/x.gst", place);
	/* whole chunks, and why there are no more */
	scan_open(&scan, run->trace);
	assert_true(scan_count(&scan, GST_REC_CALL_LAUNCH) > 100);
	assert_true(scan_count(&scan, GST_REC_CALL_LAUNCH) < 20000);
	assert_true(scan_has_note(&scan, GST_NOTE_WRITE_FAILED));
	assert_true(scan_lost_since(&scan, GST_LOSS_WRITE_FAILED) > 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 0);
	scan_release(&scan);
	unmount();
}

static void a_full_file_system_is_said_in_one_line(void **state)
{
	struct run *run = *state;
	struct stat about;
	char path[400];

	NEED_NAMESPACE();
	/* room for next to nothing, then for no file at all */
	mount_tmpfs(run, "size=16k");
	run->env[0] = "GSTRACE_OUTPUT=.fs/x.gst";
	run_script(run, PROGRAM);
	assert_one_line(run, "cannot be written");
	snprintf(path, sizeof(path), "%s/x.gst", place);
	assert_int_equal(stat(path, &about), -1);
	unmount();
	mount_tmpfs(run, "nr_inodes=1");
	run_script(run, PROGRAM);
	assert_one_line(run, "no space left");
	unmount();
}

static void a_read_only_file_system_is_said_in_one_line(void **state)
{
	struct run *run = *state;

	NEED_NAMESPACE();
	mount_tmpfs(run, "size=4m");
	assert_int_equal(mount(NULL, place, NULL, MS_REMOUNT | MS_RDONLY, "size=4m"), 0);
	run->env[0] = "GSTRACE_OUTPUT=.fs/x.gst";
	run_script(run, PROGRAM);
	assert_one_line(run, "read-only file system");
	unmount();
}

static void a_file_system_that_goes_away_does_no_harm(void **state)
{
	struct run *run = *state;
	char byte;

	NEED_NAMESPACE();
	mount_tmpfs(run, "size=64m");
	run->env[0] = "GSTRACE_OUTPUT=.fs/x.gst";
	run->env[1] = "GSTRACE_WRITE_MS=5";
	memset(run->out, 0, sizeof(run->out));
	run_start(run, "launch 0 k 0; print go; sleep 50ms; " LAUNCHES_MUCH);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(read(run->out_fd, &byte, 1), 1);
	}
	unmount();
	run_finish(run);
	assert_untouched(run);
	assert_string_equal(run->err, "");
}

/* Less memory for records, or none that outlives the program; never a SIGBUS. */
static void little_room_for_staging_is_enough(void **state)
{
	static const struct {
		const char *size;
		bool has_file;
	} cases[] = {{"size=3m", true}, {"size=512k", false}};
	struct run *run = *state;
	char dir[400];

	NEED_NAMESPACE();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scan scan;
		size_t open;

		mount_tmpfs(run, cases[i].size);
		snprintf(dir, sizeof(dir), "GSTRACE_STAGING_DIR=%s", place);
		run->env[0] = dir;
		run->env[1] = "GSTRACE_WRITE_MS=5";
		run_script(run, LAUNCHES_MUCH);
		assert_untouched(run);
		assert_string_equal(run->err, "");
		scan_open(&scan, run->trace);
		assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open) +
					 scan_lost(&scan, GST_LOSS_NO_CHUNK),
				 20000);
		assert_int_equal(scan_has_note(&scan, GST_NOTE_NO_TMPFS), !cases[i].has_file);
		assert_int_equal(scan_count(&scan, GST_REC_END), 1);
		scan_release(&scan);
		unlink(run->trace);
		unmount();
	}
}

#if !RUN_IS_SANITIZED /* they look at /proc, and are not for such programs */
static void a_machine_without_proc_and_sys_is_enough(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	NEED_NAMESPACE();
	if (mount("tmpfs", "/sys", "tmpfs", 0, NULL) || mount("tmpfs", "/proc", "tmpfs", 0, NULL)) {
		SKIP("nothing may be put over /proc here");
	}
	run_script(run, PROGRAM);
	assert_int_equal(umount2("/proc", MNT_DETACH) | umount2("/sys", MNT_DETACH), 0);
	assert_untouched(run);
	assert_string_equal(run->err, "");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}

/* @variable names the file; its copy, in the file system of this case, gets its name. */
static void copy(const char *variable, const char *name, mode_t mode, uid_t owner)
{
	char command[1500], path[400];

	snprintf(path, sizeof(path), "%s/%s", place, name);
	snprintf(command, sizeof(command), "cp -L '%s' '%s'", getenv(variable), path);
	assert_int_equal(system(command), 0);
	assert_int_equal(chown(path, owner, (gid_t)-1), 0);
	assert_int_equal(chmod(path, mode), 0);
	assert_int_equal(setenv(variable, path, 1), 0);
}

static void a_setuid_program_is_left_alone(void **state)
{
	static const char *const variables[] = {"FAKE_APP", "FAKE_CUPTI", "GSTRACE_LIB"};
	static char kept[3][1000];
	const uid_t other = 65534;
	struct run *run = *state;

	NEED_NAMESPACE();
	mount_tmpfs(run, "size=64m,mode=755");
	snprintf(kept[0], sizeof(kept[0]), "%s/x", place);
	if (mknod(kept[0], S_IFREG | 0600, 0) || chown(kept[0], other, (gid_t)-1)) {
		unmount();
		SKIP("there is no second user here");
	}
	for (int i = 0; i < 3; i++) {
		snprintf(kept[i], sizeof(kept[i]), "%s", getenv(variables[i]));
	}
	/* Whoever it runs as may write here: a trace, or a line of ours, would show. */
	assert_int_equal(chmod(run->dir, 0777), 0);
	copy("FAKE_CUPTI", "libfake_cupti.so", 0755, 0);
	copy("GSTRACE_LIB", "libgstrace.so", 0755, 0);
	copy("FAKE_APP", "plain_app", 0755, 0);
	run_script(run, PROGRAM);
	assert_untouched(run);
	assert_int_equal(run->traces, 1);
	unlink(run->trace);
	assert_int_equal(setenv("FAKE_APP", kept[0], 1), 0);
	copy("FAKE_APP", "setuid_app", 04755, other);
	run->env[0] = "GSTRACE_HELP=1";
	run->has_nvtx = true;
	run_script(run, PROGRAM);
	for (int i = 0; i < 3; i++) {
		setenv(variables[i], kept[i], 1);
	}
	unmount();
	assert_untouched(run);
	assert_string_equal(run->err, "");
	assert_int_equal(run->traces, 0);
}
#endif

#define CASE(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_file_system_that_runs_full_ends_the_recording_only),
		CASE(a_full_file_system_is_said_in_one_line),
		CASE(a_read_only_file_system_is_said_in_one_line),
		CASE(a_file_system_that_goes_away_does_no_harm),
		CASE(little_room_for_staging_is_enough),
#if !RUN_IS_SANITIZED
		CASE(a_machine_without_proc_and_sys_is_enough),
		CASE(a_setuid_program_is_left_alone),
#endif
	};

	enter_namespace();
	return cmocka_run_group_tests_name("confined", tests, NULL, NULL);
}
