/*
 * kill_test.c - however the traced process ends, no committed API record is lost.
 *
 * The program prints a line after each call that returned. What was printed is what must be in the trace, with the
 * part that is still in the staging file.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "tracer/test/harness.h"
#include "tracer/test/scan.h"

/* Read the program's stdout until @lines lines came, or it ended. */
static void read_lines(struct run *run, int lines)
{
	size_t used = 0;

	while (run_lines(run->out) < lines) {
		ssize_t got = read(run->out_fd, run->out + used, sizeof(run->out) - 1 - used);

		if (got <= 0) {
			return;
		}
		used += (size_t)got;
	}
}

static void kill_after(struct run *run, const char *script, int lines, long pause_us)
{
	struct timespec pause = {.tv_nsec = pause_us * 1000};

	memset(run->out, 0, sizeof(run->out));
	run_start(run, script);
	read_lines(run, lines);
	nanosleep(&pause, NULL);
	kill(run->pid, SIGKILL);
	run_finish(run);
	assert_true(WIFSIGNALED(run->status));
	assert_int_equal(WTERMSIG(run->status), SIGKILL);
	assert_int_equal(run->traces, 1);
}

static void remove_files(struct run *run)
{
	char command[1200];

	/* the folders are ours and hold plain files */
	snprintf(command, sizeof(command), "rm -f %s/*.gst* %s/*", run->dir, run->shm);
	assert_int_equal(system(command), 0);
}

static void a_killed_program_loses_no_call(void **state)
{
	/* lines before the kill, and microseconds after the last of them */
	static const struct {
		int lines;
		long pause_us;
	} moments[] = {{1, 0},	    {2, 50},	{10, 120},	{100, 333},	{500, 1},
		       {1000, 777}, {2000, 20}, {3000, 100000}, {4000, 150000}, {5000, 260000}};
	struct run *run = *state;
	size_t open;

	for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++) {
		uint32_t expected = 1;
		struct scan scan;
		size_t calls;
		int printed;

		kill_after(run, "runtime off; repeat 1000000 { launch 0 k 0; print x }",
			   moments[i].lines, moments[i].pause_us);
		printed = run_lines(run->out);
		scan_open(&scan, run->trace);
		calls = scan_calls(&scan, "cuLaunchKernel", &open);
		print_message("%d printed, %zu in the trace (%s), %zu open\n", printed, calls,
			      scan.has_staging ? "with staging" : "file only", open);
		assert_true(calls - open >= (size_t)printed);
		assert_true(calls <= (size_t)printed + 2);
		/* every call has a correlation id of its own here, and none may be missing */
		for (size_t r = 0; r < scan.count; r++) {
			if (scan.records[r].kind == GST_REC_CALL_LAUNCH) {
				assert_int_equal(scan.records[r].corr, expected);
				expected++;
			}
		}
		assert_int_equal(scan_count(&scan, GST_REC_END), 0);
		assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
		scan_release(&scan);
		remove_files(run);
	}
}

static void threads_of_a_killed_program_lose_no_call(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open, calls;

	kill_after(run,
		   "runtime off; thread { repeat 1000000 { launch 0 a 0; print x } };"
		   "thread { repeat 1000000 { launch 0 b 0; print x } };"
		   "thread { repeat 1000000 { launch 0 c 0; print x } }; join",
		   6000, 500);
	scan_open(&scan, run->trace);
	calls = scan_calls(&scan, "cuLaunchKernel", &open);
	assert_true(calls - open >= (size_t)run_lines(run->out));
	assert_true(open <= 3);
	scan_release(&scan);
}

/*
 * No pause between the calls: pages are copied and used again all the time. With 1 MiB of staging they run
 * out as well; then calls are missing (how many, a killed process may not have been able to write down),
 * but never one half of a call: scan_calls() checks that.
 */
static void a_kill_during_recycling_loses_no_call(void **state)
{
	struct run *run = *state;

	run->env[1] = "GSTRACE_WRITE_MS=1";
	for (int i = 0; i < 6; i++) {
		bool has_room = i % 2 == 0;
		uint32_t last = 0;
		struct scan scan;
		size_t open;

		run->env[0] = has_room ? "GSTRACE_STAGING_BYTES=32M" : "GSTRACE_STAGING_BYTES=1M";
		kill_after(run,
			   "runtime off; repeat 100 { repeat 1000 { launch 0 k 0 } ; print x }; "
			   "print end; sleep 5s",
			   30 + 10 * i, 97 * i);
		scan_open(&scan, run->trace);
		scan_calls(&scan, "cuLaunchKernel", &open);
		for (size_t r = 0; r < scan.count; r++) {
			if (scan.records[r].kind == GST_REC_CALL_LAUNCH) {
				assert_true(scan.records[r].corr > last);
				assert_true(!has_room || scan.records[r].corr == last + 1);
				last = scan.records[r].corr;
			}
		}
		assert_true(!has_room || last >= (uint32_t)run_lines(run->out) * 1000);
		assert_true(last > 1000);
		scan_release(&scan);
		remove_files(run);
	}
}

/* The kills are spread over the time that the program takes, most of which is our start and end. */
/* Kills a short program after @pause_s; 1 = there was a trace with something in it, and it was read. */
static int kill_and_read(struct run *run, double pause_s)
{
	struct timespec pause = {.tv_sec = (time_t)pause_s,
				 .tv_nsec = (long)((pause_s - (double)(time_t)pause_s) * 1e9)};
	struct stat file;
	struct scan scan;
	size_t open;
	int read = 0;

	memset(run->out, 0, sizeof(run->out));
	run_start(run, "repeat 50 { launch 0 k 0 }; devsync");
	nanosleep(&pause, NULL);
	kill(run->pid, SIGKILL);
	run_finish(run);
	assert_true(run->traces <= 1);
	/* made, and nothing in it yet: nothing had been called */
	if (run->traces && !stat(run->trace, &file) && file.st_size > 0) {
		scan_open(&scan, run->trace);
		scan_calls(&scan, "cuLaunchKernel", &open);
		scan_release(&scan);
		read = 1;
	}
	remove_files(run);
	return read;
}

static void a_kill_at_the_start_or_the_end_leaves_a_readable_trace(void **state)
{
	struct run *run = *state;
	double whole_s, pause_s;
	int read = 0;

	run_script(run, "repeat 50 { launch 0 k 0 }; devsync");
	remove_files(run);
	whole_s = run->seconds < 0.6 ? run->seconds : 0.6;
	for (int i = 0; i < 60; i++)
		read += kill_and_read(run, whole_s * i / 40);
	/* On a busy machine even the longest pause may end before the first call. */
	for (pause_s = 1; !read && pause_s <= 16; pause_s *= 2)
		read += kill_and_read(run, pause_s);
	assert_true(read > 0);
}

/*
 * Each call has a number of its own. One that a thread has got and not come to us with may be missing, so one
 * for each of @threads: the others may have gone on for long meanwhile.
 */
static void assert_no_gap(const struct scan *scan, uint32_t threads)
{
	uint32_t last = 0, missing = 0;
	unsigned char *seen;

	for (size_t r = 0; r < scan->count; r++) {
		if (scan->records[r].kind == GST_REC_CALL_LAUNCH && scan->records[r].corr > last) {
			last = scan->records[r].corr;
		}
	}
	seen = calloc(1, last + 1);
	assert_non_null(seen);
	for (size_t r = 0; r < scan->count; r++) {
		if (scan->records[r].kind == GST_REC_CALL_LAUNCH) {
			seen[scan->records[r].corr] = 1;
		}
	}
	for (uint32_t corr = 1; corr <= last; corr++) {
		missing += !seen[corr];
	}
	free(seen);
	assert_true(missing <= threads);
}

static void a_hundred_ends_at_random_moments_lose_no_call(void **state)
{
	static const struct {
		const char *statement; /* NULL: killed from outside */
		int signal;
		int code;
	} ends[] = {
		{NULL, SIGKILL, 0},   {"abort", SIGABRT, 0},	{"_exit 3", 0, 3},
		{"segv", SIGSEGV, 0}, {"exec /bin/true", 0, 0},
	};
	struct run *run = *state;
	unsigned seed = 20261130;
	size_t calls = 0, open_calls = 0;

	print_message("seed %u\n", seed);
	for (int i = 0; i < (RUN_IS_SANITIZED ? 10 : 100); i++) {
		int end = i % 5, us = rand_r(&seed) % 6000;
		char script[400];
		struct scan scan;
		size_t open;

		snprintf(script, sizeof(script),
			 "runtime off; init; thread { repeat 1000000 { launch 0 a 0; print x } }; "
			 "thread { repeat 1000000 { launch 0 b 0; print x } }; sleep %dus; %s",
			 ends[end].statement ? us : 20000000,
			 ends[end].statement ? ends[end].statement : "exit 1");
		run->env[0] = "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0";
		run->env[1] = i & 1 ? "GSTRACE_WRITE_MS=1" : NULL;
		if (ends[end].statement) {
			run_script(run, script);
		} else {
			kill_after(run, script, 1, us);
		}
		if (ends[end].signal) {
			assert_true(WIFSIGNALED(run->status));
			assert_int_equal(WTERMSIG(run->status), ends[end].signal);
		} else {
			assert_true(WIFEXITED(run->status));
			assert_int_equal(WEXITSTATUS(run->status), ends[end].code);
		}
		assert_string_equal(run->err, "");
		assert_int_equal(run->traces, 1);
		scan_open(&scan, run->trace);
		/* it holds that only the last call of a thread may be open */
		calls += scan_calls(&scan, "cuLaunchKernel", &open);
		assert_true(scan_calls(&scan, "cuLaunchKernel", &open) - open >=
			    (size_t)run_lines(run->out));
		assert_true(open <= 2);
		open_calls += open;
		assert_no_gap(&scan, 2);
		assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
		assert_int_equal(scan_count(&scan, GST_REC_END), 0);
		scan_release(&scan);
		run_clear(run);
	}
	print_message("%zu calls, %zu of them open\n", calls, open_calls);
	assert_true(calls > 0);
}

static void a_call_that_never_returned_is_in_the_trace(void **state)
{
	static const char *const ends[] = {"inside kill", "inside abort", "inside _exit 7"};
	struct run *run = *state;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct gst_rec_call_launch launch;
		struct scan scan;
		char script[200];
		size_t open;

		snprintf(script, sizeof(script),
			 "stream s; launch s before 1us; %s; launch s within 1us", ends[i]);
		run_script(run, script);
		assert_int_equal(run->traces, 1);
		scan_open(&scan, run->trace);
		assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 2);
		assert_int_equal(open, 1);
		scan_get(&scan, scan_find(&scan, GST_REC_CALL_LAUNCH, 1), &launch, sizeof(launch));
		assert_string_equal(scan_string(&scan, launch.name), "within");
		scan_release(&scan);
		remove_files(run);
	}
}

static void a_blocking_call_is_visible_while_it_waits(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	kill_after(run, "launch 0 long 20s; print x; devsync", 1, 300000);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cudaDeviceSynchronize_v3020", &open), 1);
	assert_int_equal(open, 1);
	scan_release(&scan);
}

static void exit_inside_a_call_ends_in_order(void **state)
{
	static const char *const scripts[] = {
		"launch 0 k 1us; inside exit 4; launch 0 k 1us",
		"launch 0 k 1us; inside quick_exit 4; launch 0 k 1us",
	};
	struct run *run = *state;
	struct scan scan;
	size_t open;

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		unlink(run->trace);
		run_script(run, scripts[i]);
		assert_true(WIFEXITED(run->status));
		assert_int_equal(WEXITSTATUS(run->status), 4);
		scan_open(&scan, run->trace);
		assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 2);
		assert_int_equal(open, 1);
		assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 1);
		assert_int_equal(scan_count(&scan, GST_REC_END), 1);
		scan_release(&scan);
		assert_int_equal(run_staging_files(run), 0);
	}
}

/* A sanitizer's search for leaks in a child of a program with threads prints about itself. */
#define NO_LEAK_CHECK "ASAN_OPTIONS=detect_leaks=0"

static void a_forked_child_writes_nothing(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run->env[0] = NO_LEAK_CHECK;
	run_script(run, "launch 0 parent 1us; "
			"fork { launch 0 child 1us; devsync; print child }; "
			"fork { print second; _exit 5 }; "
			"launch 0 parent 1us; devsync; print parent; exit 6");
	assert_true(WIFEXITED(run->status));
	assert_int_equal(WEXITSTATUS(run->status), 6);
	assert_string_equal(run->out, "child\nsecond\nparent\n");
	assert_string_equal(run->err, "");
	assert_int_equal(run->traces, 1);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 2);
	assert_int_equal(scan_calls(&scan, "cudaDeviceSynchronize_v3020", &open), 1);
	for (size_t n = 0, i; (i = scan_find(&scan, GST_REC_CALL_LAUNCH, n)) != SIZE_MAX; n++) {
		struct gst_rec_call_launch launch;

		scan_get(&scan, i, &launch, sizeof(launch));
		assert_string_equal(scan_string(&scan, launch.name), "parent");
	}
	/* the children's exits ended nothing */
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	assert_int_equal(scan.records[scan.count - 1].kind, GST_REC_END);
	scan_release(&scan);
	assert_int_equal(run_staging_files(run), 0);
}

__attribute__((unused)) static void a_fork_while_threads_call_does_no_harm(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run_script(run, "init; thread { repeat 2000 { launch 0 a 0 } }; "
			"repeat 20 { fork { launch 0 child 0 } }; join; devsync; print ok");
	assert_true(WIFEXITED(run->status));
	assert_int_equal(WEXITSTATUS(run->status), 0);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 2000);
	assert_int_equal(open, 0);
	scan_release(&scan);
}

/* Forked before CUDA is initialised, parent and child are two programs with a trace each. */
static void a_child_that_starts_cuda_has_its_own_trace(void **state)
{
	struct run *run = *state;

	run->env[0] = NO_LEAK_CHECK;
	run_script(run, "fork { launch 0 child 0; devsync }; launch 0 parent 0; devsync");
	assert_true(WIFEXITED(run->status));
	assert_string_equal(run->err, "");
	assert_int_equal(run->traces, 2);
	assert_int_equal(run_staging_files(run), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_killed_program_loses_no_call),
		CASE(threads_of_a_killed_program_lose_no_call),
		CASE(a_kill_during_recycling_loses_no_call),
		CASE(a_kill_at_the_start_or_the_end_leaves_a_readable_trace),
		CASE(a_hundred_ends_at_random_moments_lose_no_call),
		CASE(a_call_that_never_returned_is_in_the_trace),
		CASE(a_blocking_call_is_visible_while_it_waits),
		CASE(exit_inside_a_call_ends_in_order),
		CASE(a_forked_child_writes_nothing),
#if !RUN_IS_SANITIZED /* their own locks do not survive a fork while other threads run */
		CASE(a_fork_while_threads_call_does_no_harm),
#endif
		CASE(a_child_that_starts_cuda_has_its_own_trace),
	};

	return cmocka_run_group_tests_name("kill", tests, NULL, NULL);
}
