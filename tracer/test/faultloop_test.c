/*
 * faultloop_test.c - each system call of the tracer, each entry point of CUPTI fails once; clocks run wrong.
 *
 * Whatever fails, the program is as without the tracer, and the trace is whole or says that it is not; where there is
 * none, one line on stderr says why. Nothing stays in /dev/shm.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tracer/test/harness.h"
#include "tracer/test/scan.h"

#define PROGRAM                                                                              \
	"stream s; launch s a 50us; memcpy h2d pageable 4KiB s; sleep 12ms; launch s b 1us;" \
	"devsync; sleep 8ms; launch s c 1us; devsync; print done; exit 9"
#define LAUNCHES 3

/* More than any function is called in such a run, by far. */
#define MOST 200

/* Whether the trace says that something is missing. */
static bool says_so(const struct scan *scan)
{
	return scan_count(scan, GST_REC_LOSS) > 0 || scan_has_note(scan, GST_NOTE_KIND_OFF) ||
	       scan_has_note(scan, GST_NOTE_CALLBACK_OFF) ||
	       scan_has_note(scan, GST_NOTE_ACTIVITY_OFF) ||
	       scan_has_note(scan, GST_NOTE_CUPTI_FATAL) ||
	       scan_has_note(scan, GST_NOTE_WRITE_FAILED);
}

/* @what was made to fail. */
static void assert_honest(const struct run *run, const char *what)
{
	struct scan scan;
	size_t open, launches;

	if (!WIFEXITED(run->status) || WEXITSTATUS(run->status) != 9 ||
	    strcmp(run->out, "done\n") != 0) {
		fail_msg("%s: status %#x, stdout %s, stderr %s", what, run->status, run->out,
			 run->err);
	}
	if (run_lines(run->err) > 1 ||
	    (run->err[0] && strncmp(run->err, "gstrace: ", strlen("gstrace: ")) != 0)) {
		fail_msg("%s: not one line of ours: %s", what, run->err);
	}
	if (run->traces == 0) {
		if (!run->err[0]) {
			fail_msg("%s: no trace, and nothing says why", what);
		}
		return;
	}
	assert_int_equal(run->traces, 1);
	scan_open(&scan, run->trace);
	launches = scan_calls(&scan, "cuLaunchKernel", &open);
	if (!run->err[0] && !says_so(&scan) &&
	    (launches != LAUNCHES || scan_count(&scan, GST_REC_KERNEL) != LAUNCHES ||
	     scan_count(&scan, GST_REC_MEMCPY) != 1 || scan_count(&scan, GST_REC_END) != 1)) {
		fail_msg("%s: %zu launches, %zu kernels, %zu ends, and nothing says so", what,
			 launches, scan_count(&scan, GST_REC_KERNEL),
			 scan_count(&scan, GST_REC_END));
	}
	scan_release(&scan);
}

#if !RUN_IS_SANITIZED /* they start with calls of their own, before the shim can */
/* One run with @fault; whether the call to fail came at all. */
static bool run_with(struct run *run, const char *fault)
{
	char fired[400], path[300], words[128];
	bool has_fired;

	snprintf(path, sizeof(path), "%s/fired", run->shm);
	snprintf(fired, sizeof(fired), "FAULT_FIRED=%s", path);
	snprintf(words, sizeof(words), "FAULT=%s", fault);
	run->has_shim = true;
	run->env[0] = words;
	run->env[1] = fired;
	run->env[2] = "GSTRACE_WRITE_MS=3";
	run->env[3] = "GSTRACE_FLUSH_MS=5";
	run->env[4] = "GSTRACE_EXIT_MS=800";
	run->env[5] = "GSTRACE_STAGING_BYTES=1M";
	run_script(run, PROGRAM);
	run->env[0] = run->env[1] = NULL;
	has_fired = access(path, F_OK) == 0;
	unlink(path);
	assert_honest(run, fault);
	if (strncmp(fault, "unlink", 6) != 0 && run_staging_files(run) != 0) {
		fail_msg("%s: a staging file is left", fault);
	}
	run_clear(run);
	return has_fired;
}

static void each_system_call_may_fail(void **state)
{
	static const struct {
		const char *function;
		int error;
	} all[] = {
		{"open", EACCES},
		{"read", EIO},
		{"write", ENOSPC},
		{"close", EIO},
		{"fcntl", EMFILE},
		{"lseek", EINVAL},
		{"unlink", EPERM},
		{"mmap", ENOMEM},
		{"munmap", EINVAL},
		{"madvise", EINVAL},
		{"statfs", ENOSYS},
		{"fallocate", ENOSPC},
		{"ftruncate", EPERM},
		{"fchmod", EPERM},
		{"readlink", EACCES},
		{"realpath", ENOENT},
		{"getcwd", ENOENT},
		{"gethostname", EPERM},
		{"pthread_create", EAGAIN},
		{"pthread_key_create", EAGAIN},
		{"pthread_sigmask", EINVAL},
		{"pthread_attr_init", ENOMEM},
		{"dlopen", ENOMEM},
		{"dladdr", 0},
		{"syscall", ENOSYS},
	};
	struct run *run = *state;
	int total = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char fault[64];
		int n = 1;

		for (; n < MOST; n++) {
			snprintf(fault, sizeof(fault), "%s:%d:%d", all[i].function, n,
				 all[i].error);
			if (!run_with(run, fault)) {
				break;
			}
			/* calls that come again and again: the first of them stand for all */
			if (n == 20) {
				break;
			}
		}
		total += n - 1;
	}
	print_message("%d calls failed, one in each run\n", total);
	assert_true(total > 60);
}

static void a_function_may_fail_for_good(void **state)
{
	static const char *const faults[] = {
		"write:%d+:28",	 /* ENOSPC */
		"write:%d+:122", /* EDQUOT */
		"write:%d+:5",	 /* EIO */
		"fallocate:%d+:28", "fallocate:%d+:122", "fallocate:%d+:95",	  "mmap:%d+:12",
		"open:%d+:24",	    "syscall:%d+:38",	 "pthread_create:%d+:11",
	};
	struct run *run = *state;

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		char fault[64];

		for (int n = 1; n <= 5; n++) {
			/* the format is one of those above */
			int used = snprintf(fault, sizeof(fault), "%.*s%d%s",
					    (int)(strchr(faults[i], '%') - faults[i]), faults[i], n,
					    strchr(faults[i], '%') + 2);

			assert_true(used > 0);
			if (!run_with(run, fault)) {
				break;
			}
		}
	}
}

/* Short writes and interrupted ones cost nothing. */
static void slow_writes_lose_nothing(void **state)
{
	static const char *const faults[] = {"FAULT=write:1+:short", "FAULT=write:1+:intr"};
	struct run *run = *state;

	for (size_t i = 0; i < 2; i++) {
		struct scan scan;
		size_t open;

		run->has_shim = true;
		run->env[0] = faults[i];
		run_script(run, PROGRAM);
		assert_honest(run, faults[i]);
		assert_string_equal(run->err, "");
		scan_open(&scan, run->trace);
		assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), LAUNCHES);
		assert_int_equal(scan_count(&scan, GST_REC_END), 1);
		assert_false(says_so(&scan));
		scan_release(&scan);
		run_clear(run);
	}
}
#endif

/* ---- CUPTI ----------------------------------------------------------------------------------- */

static const char *const entry_points[] = {
	"cuptiGetVersion",
	"cuptiGetResultString",
	"cuptiGetTimestamp",
	"cuptiSubscribe",
	"cuptiSubscribe_v2",
	"cuptiUnsubscribe",
	"cuptiEnableCallback",
	"cuptiEnableDomain",
	"cuptiActivityEnable",
	"cuptiActivityDisable",
	"cuptiActivityRegisterCallbacks",
	"cuptiActivityGetNextRecord",
	"cuptiActivityGetNumDroppedRecords",
	"cuptiActivityFlushAll",
	"cuptiActivityFlushPeriod",
	"cuptiActivitySetAttribute",
	"cuptiActivityGetAttribute",
	"cuptiActivityEnableLatencyTimestamps",
	"cuptiActivityEnableLaunchAttributes",
	"cuptiActivityEnableCudaEventDeviceTimestamps",
	"cuptiActivityEnableAllSyncRecords",
	"cuptiSetThreadIdType",
	"cuptiGetContextId",
	"cuptiGetDeviceId",
	"cuptiGetStreamIdEx",
	"cuptiGetGraphId",
	"cuptiGetGraphExecId",
	"cuptiGetGraphNodeId",
	"cuptiFinalize",
};

#if !RUN_IS_SANITIZED
static void each_entry_point_may_be_missing(void **state)
{
	struct run *run = *state;

	for (size_t i = 0; i < sizeof(entry_points) / sizeof(entry_points[0]); i++) {
		char fault[96];

		snprintf(fault, sizeof(fault), "dlsym:%s:0", entry_points[i]);
		(void)run_with(run, fault);
	}
}
#endif

static void each_entry_point_may_give_an_error(void **state)
{
	/* unknown, not initialized */
	static const int errors[] = {999, 15};
	struct run *run = *state;

	run->env[0] = "GSTRACE_EXIT_MS=800";
	run->env[1] = "GSTRACE_FLUSH_MS=5";
	run->env[2] = "GSTRACE_STAGING_BYTES=1M";
	for (size_t i = 0; i < sizeof(entry_points) / sizeof(entry_points[0]); i++) {
		for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
			char script[500];

			/* from the start, and once all is under way */
			snprintf(script, sizeof(script), "%sfault entry %s %d; " PROGRAM,
				 e & 1 ? "init; " : "", entry_points[i], errors[e]);
			run_script(run, script);
			assert_honest(run, script);
			assert_int_equal(run_staging_files(run), 0);
			run_clear(run);
		}
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
#if !RUN_IS_SANITIZED
		CASE(each_system_call_may_fail),
		CASE(a_function_may_fail_for_good),
		CASE(slow_writes_lose_nothing),
		CASE(each_entry_point_may_be_missing),
#endif
		CASE(each_entry_point_may_give_an_error),
	};

	return cmocka_run_group_tests_name("faultloop", tests, NULL, NULL);
}
