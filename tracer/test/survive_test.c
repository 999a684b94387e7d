/*
 * survive_test.c - odd programs are the same with and without the tracer, and their trace is right.
 *
 * docs/SURVIVAL.md names the case for each thing that a program may do.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tracer/test/harness.h"
#include "tracer/test/scan.h"

/* What the program is without the tracer. */
struct plain {
	int status;
	char *out;
	char *err;
};

static void run_plain(struct run *run, const char *program, struct plain *plain)
{
	run->program = "ODD_APP";
	run->is_untraced = true;
	run_script(run, program);
	run->is_untraced = false;
	assert_int_equal(run->traces, 0);
	plain->status = run->status;
	plain->out = strdup(run->out);
	plain->err = strdup(run->err);
	assert_non_null(plain->out);
	assert_non_null(plain->err);
	if (WIFEXITED(plain->status) && WEXITSTATUS(plain->status) == 3) {
		fail_msg("%s is not well even without the tracer: %s", program, plain->out);
	}
}

static void assert_as(const struct run *run, const struct plain *plain, bool has_line)
{
	if (run->status != plain->status) {
		fail_msg("status %#x instead of %#x; stdout: %s stderr: %s", run->status,
			 plain->status, run->out, run->err);
	}
	assert_string_equal(run->out, plain->out);
	if (!has_line) {
		assert_string_equal(run->err, plain->err);
		return;
	}
	/* one line of ours, and the program's */
	if (run_lines(run->err) != run_lines(plain->err) + 1 || !strstr(run->err, "gstrace: ")) {
		fail_msg("not one line more than \"%s\": %s", plain->err, run->err);
	}
}

/* Run @program without and with the tracer: no difference, and @traces traces. */
static void both(struct run *run, const char *program, int traces)
{
	struct plain plain;

	run_plain(run, program, &plain);
	run_script(run, program);
	assert_as(run, &plain, false);
	assert_int_equal(run->traces, traces);
	free(plain.out);
	free(plain.err);
}

/* A whole trace with @launches launches and nothing lost. */
static void assert_launches(struct run *run, size_t launches)
{
	struct scan scan;
	size_t open;

	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), launches);
	assert_int_equal(open, 0);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), launches);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}

/* ... and nothing left behind. */
static void assert_whole(struct run *run, size_t launches)
{
	assert_launches(run, launches);
	assert_int_equal(run_staging_files(run), 0);
}

static void what_a_program_sees_of_itself_is_the_same(void **state)
{
	struct run *run = *state;

	both(run, "state", 1);
	assert_whole(run, 3);
}

/* ---- descriptors ---------------------------------------------------------------------------- */

#if !RUN_IS_THREAD_SANITIZED /* it is just such a race */
static void a_file_with_our_number_stays_as_it_is(void **state)
{
	struct run *run = *state;
	struct plain plain;
	struct scan scan;

	run_plain(run, "take-over", &plain);
	run->env[0] = "GSTRACE_WRITE_MS=5";
	run_script(run, "take-over");
	assert_as(run, &plain, true);
	assert_non_null(strstr(run->err, "the trace is cut"));
	/* what came before is there and says that it is not all */
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_END), 0);
	scan_release(&scan);
	assert_int_equal(run_staging_files(run), 0);
	free(plain.out);
	free(plain.err);
}

#endif

/* stderr is the program's file by then: not even our line may go there. */
static void nothing_goes_into_the_programs_files_at_exit(void **state)
{
	struct run *run = *state;

	both(run, "take-over-at-exit", 1);
	assert_int_equal(run_staging_files(run), 0);
}

static void standard_files_may_be_closed(void **state)
{
	struct run *run = *state;

	both(run, "no-standard-files", 1);
	assert_int_equal(WEXITSTATUS(run->status), 6);
}

static void many_descriptors_stay_the_programs(void **state)
{
	struct run *run = *state;

	both(run, "many-descriptors", 1);
	assert_whole(run, 50);
}

#if !RUN_IS_THREAD_SANITIZED
/* Ours among them: the trace ends there, and no file of the program is closed or written to. */
static void descriptors_may_be_closed_again_and_again(void **state)
{
	struct run *run = *state;
	struct plain plain;

	run_plain(run, "close-often", &plain);
	run->env[0] = "GSTRACE_WRITE_MS=1";
	for (int i = 0; i < 5; i++) {
		run_script(run, "close-often");
		assert_int_equal(run->status, plain.status);
		assert_string_equal(run->out, plain.out);
		/* One line, if the trace is cut, or there is none. */
		assert_true(run_lines(run->err) <= 1);
		assert_int_equal(run_staging_files(run), 0);
		unlink(run->trace);
	}
	free(plain.out);
	free(plain.err);
}
#endif

static void few_descriptors_are_enough(void **state)
{
	struct run *run = *state;
	struct scan scan;

	both(run, "descriptors-64", 1);
	assert_whole(run, 50);
	unlink(run->trace);
	both(run, "descriptors-8", 1);
	assert_whole(run, 50);
	unlink(run->trace);
	/* the trace takes the last one: none is left to map a staging file by */
	both(run, "descriptors-4", 1);
	assert_whole(run, 50);
	scan_open(&scan, run->trace);
	assert_true(scan_has_note(&scan, GST_NOTE_NO_TMPFS));
	scan_release(&scan);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void the_owner_can_read_whatever_the_mask(void **state)
{
	struct run *run = *state;
	struct stat about;

	both(run, "mask-all", 1);
	assert_int_equal(stat(run->trace, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0600);
	assert_whole(run, 20);
}

/* Links at the names of the trace and of the staging file are not followed. */
static void planted_links_are_not_followed(void **state)
{
	struct run *run = *state;
	char target[300], name[300], text[8] = "";
	struct stat about;
	FILE *file;

	snprintf(target, sizeof(target), "%s/.victim", run->dir);
	snprintf(name, sizeof(name), "%s/x.gst", run->dir);
	file = fopen(target, "w");
	assert_non_null(file);
	fputs("mine", file);
	fclose(file);
	assert_int_equal(symlink(target, name), 0);
	run->env[0] = "GSTRACE_OUTPUT=x.gst";
	run_script(run, "launch 0 k 1us; devsync; print done");
	assert_string_equal(run->out, "done\n");
	assert_string_equal(run->err, "");
	/* the name is taken: the next one, as for any other file */
	snprintf(name, sizeof(name), "%s/x.gst.1", run->dir);
	assert_int_equal(lstat(name, &about), 0);
	assert_true(S_ISREG(about.st_mode));
	assert_int_equal(about.st_mode & 07777, 0600);
	file = fopen(target, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, "mine");
	unlink(target);
}

static void another_folder_later_changes_nothing(void **state)
{
	struct run *run = *state;

	run->env[0] = "GSTRACE_OUTPUT=here.gst";
	both(run, "elsewhere", 1);
	assert_whole(run, 40);
}

static void a_folder_that_is_gone_is_said_in_one_line(void **state)
{
	struct run *run = *state;
	struct plain plain;

	run_plain(run, "from-nowhere", &plain);
	run_script(run, "from-nowhere");
	assert_as(run, &plain, true);
	assert_non_null(strstr(run->err, "no such folder"));
	assert_int_equal(run->traces, 0);
	assert_int_equal(run_staging_files(run), 0);
	free(plain.out);
	free(plain.err);
}

static void dropped_rights_do_no_harm(void **state)
{
	struct run *run = *state;

	both(run, "drop-rights", 1);
	if (getuid()) {
		assert_whole(run, 40);
	}
}

/* Nothing of the staging file is in memory any more, wherever its name may be. */
static void assert_staging_is_empty(const struct run *run)
{
	DIR *d = opendir(run->shm);
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		struct stat about;

		if (e->d_name[0] != '.' && !fstatat(dirfd(d), e->d_name, &about, 0)) {
			assert_int_equal(about.st_blocks, 0);
		}
	}
	closedir(d);
}

static void another_root_does_no_harm(void **state)
{
	struct run *run = *state;
	char jail[300];

	snprintf(jail, sizeof(jail), "%s/.jail", run->dir);
	both(run, "other-root", 1);
	assert_launches(run, 40);
	assert_staging_is_empty(run);
	rmdir(jail);
}

static void threads_may_have_descriptors_of_their_own(void **state)
{
	struct run *run = *state;

	both(run, "unshared-files", 1);
	assert_whole(run, 2040);
}

static void a_program_may_rename_itself(void **state)
{
	struct run *run = *state;

	both(run, "rename-itself", 1);
	assert_whole(run, 40);
}

#if !RUN_IS_THREAD_SANITIZED
static void a_changing_environment_does_no_harm(void **state)
{
	struct run *run = *state;

	both(run, "environment-race", 1);
	assert_whole(run, 20);
}

/* ---- children -------------------------------------------------------------------------------- */

static void a_clone_without_fork_is_not_recorded(void **state)
{
	struct run *run = *state;

	both(run, "raw-clone", 1);
	assert_whole(run, 20);
}

static void daemons_have_their_own_trace_or_none(void **state)
{
	struct run *run = *state;

	both(run, "daemon-before", 1);
	assert_whole(run, 30);
	unlink(run->trace);
	both(run, "daemon-after", 1);
	assert_whole(run, 30);
}
#endif

#if !RUN_IS_SANITIZED /* their locks are no good in children of several threads */
static void forks_of_many_threads_do_no_harm(void **state)
{
	struct run *run = *state;

	both(run, "fork-storm", 1);
	assert_whole(run, 2000);
}
#endif

static void children_that_execute_do_no_harm(void **state)
{
	struct run *run = *state;

	both(run, "vfork-and-spawn", 1);
	assert_whole(run, 30);
}

static void a_program_that_executes_itself_has_two_traces(void **state)
{
	struct run *run = *state;

	run->env[0] = "GSTRACE_OUTPUT=x.gst";
	both(run, "exec-itself", 2);
	/* no end: what was committed is in the staging file */
	for (int i = 0; i < 2; i++) {
		struct scan scan;
		size_t open;

		snprintf(run->trace, sizeof(run->trace), "%s/x.gst%s", run->dir, i ? ".1" : "");
		scan_open(&scan, run->trace);
		assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), i ? 7 : 30);
		assert_int_equal(open, 0);
		assert_int_equal(scan_count(&scan, GST_REC_END), i);
		scan_release(&scan);
	}
	assert_int_equal(run_staging_files(run), 1);
}

/* ---- signals and jumps ----------------------------------------------------------------------- */

static void the_programs_own_fault_handler_works(void **state)
{
	struct run *run = *state;

	both(run, "own-fault-handler", 1);
	assert_string_equal(run->out, "20\n");
	assert_whole(run, 20);
}

#if !RUN_IS_THREAD_SANITIZED /* it defers signals, and minds what handlers call */
static void calls_in_signal_handlers_are_recorded(void **state)
{
	struct run *run = *state;

	both(run, "calls-in-handlers", 1);
	assert_whole(run, 40);
}

static void calls_that_were_left_by_a_jump_stay_open(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t entered = 0, left = 0;

	both(run, "jump-out-of-calls", 1);
	scan_open(&scan, run->trace);
	for (size_t i = 0; i < scan.count; i++) {
		entered += scan.records[i].kind == GST_REC_CALL_LAUNCH;
		left += scan.records[i].kind == GST_REC_CALL_EXIT;
	}
	assert_int_equal(entered, 40);
	assert_int_equal(left, 21); /* the others, and the last wait */
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}
#endif

/* ---- ends ------------------------------------------------------------------------------------ */

static void exit_from_a_thread_ends_in_order(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	both(run, "exit-from-a-thread", 1);
	assert_int_equal(WEXITSTATUS(run->status), 14);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 6);
	assert_int_equal(scan_calls(&scan, "cudaDeviceSynchronize_v3020", &open), 1);
	assert_int_equal(open, 1);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
	assert_int_equal(run_staging_files(run), 0);
}

static void exit_within_exit_ends_in_order(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	both(run, "exit-in-exit", 1);
	assert_int_equal(WEXITSTATUS(run->status), 15);
	scan_open(&scan, run->trace);
	/* calls of exit functions that run before ours are there */
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 7);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
	assert_int_equal(run_staging_files(run), 0);
}

#if !RUN_IS_SANITIZED /* they look after cancelled threads in their own way */
static void cancelled_calls_stay_open(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	both(run, "cancel-a-call", 1);
	assert_int_equal(WEXITSTATUS(run->status), 17);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 6);
	assert_int_equal(scan_calls(&scan, "cudaDeviceSynchronize_v3020", &open), 3);
	assert_int_equal(open, 3);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
	unlink(run->trace);
	both(run, "cancel-the-start", 1);
	assert_int_equal(run_staging_files(run), 0);
}
#endif

/* ---- threads --------------------------------------------------------------------------------- */

static void our_threads_go_behind_the_programs(void **state)
{
	struct run *run = *state;

	both(run, "real-time", 1);
	assert_whole(run, 50);
}

static void our_threads_take_no_signal(void **state)
{
	struct run *run = *state;

	both(run, "signal-storm", 1);
	assert_whole(run, 3000);
}

#if !RUN_IS_SANITIZED /* ends of threads are its own business, too */
static void threads_may_end_inside_a_call(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t left = 0;

	both(run, "threads-end-inside", 1);
	scan_open(&scan, run->trace);
	for (size_t i = 0; i < scan.count; i++) {
		left += scan.records[i].kind == GST_REC_CALL_EXIT;
	}
	assert_int_equal(scan_count(&scan, GST_REC_CALL_LAUNCH) + scan_count(&scan, GST_REC_CALL),
			 102);
	assert_int_equal(left, 52);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}

static void the_last_thread_ends_the_program(void **state)
{
	struct run *run = *state;

	both(run, "main-thread-ends", 1);
	assert_whole(run, 13);
}

static void calls_at_the_end_of_a_thread_are_recorded(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	/* More threads than there are slots: none stays with one that is gone. */
	both(run, "calls-at-thread-end", 1);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open) +
				 scan_lost_of(&scan, GST_REC_CALL_LAUNCH, GST_LOSS_NO_CHUNK),
			 1 + 4200 * 9);
	assert_int_equal(scan_lost(&scan, GST_LOSS_NO_THREAD_SLOT), 0);
	assert_int_equal(scan_count(&scan, GST_REC_THREAD) +
				 scan_lost_of(&scan, GST_REC_THREAD, GST_LOSS_NO_CHUNK),
			 4201);
	scan_release(&scan);
}
#endif

#if !RUN_IS_SANITIZED /* its runtime is too dear for so many threads, and uses more stack */
static void a_thousand_threads_at_once_are_recorded(void **state)
{
	struct run *run = *state;

	both(run, "thousand-threads", 1);
	assert_whole(run, 5000);
}

static void threads_in_calls_do_not_hold_the_exit_up(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	both(run, "leave-threads", 1);
	assert_int_equal(run_staging_files(run), 0);
	scan_open(&scan, run->trace);
	/* Not each of them came to its first call in time. */
	assert_true(scan_count(&scan, GST_REC_THREAD) > 1);
	assert_true(scan_calls(&scan, "cuLaunchKernel", &open) > 10);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}

static void slots_of_ended_threads_are_used_again(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	/* more than there are slots */
	both(run, "threads-that-end", 1);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open) +
				 scan_lost_of(&scan, GST_REC_CALL_LAUNCH, GST_LOSS_NO_CHUNK),
			 5000);
	assert_int_equal(scan_lost(&scan, GST_LOSS_NO_THREAD_SLOT), 0);
	assert_int_equal(scan_count(&scan, GST_REC_THREAD) +
				 scan_lost_of(&scan, GST_REC_THREAD, GST_LOSS_NO_CHUNK),
			 5001);
	scan_release(&scan);
}

static void the_smallest_stacks_are_enough(void **state)
{
	struct run *run = *state;

	run->has_nvtx = true;
	both(run, "tiny-stacks", 1);
	assert_int_equal(run_staging_files(run), 0);
	unlink(run->trace);
	run->env[0] = "GSTRACE_SESSION=.";
	run_script(run, "tiny-start");
	assert_int_equal(run->status, 0);
	assert_string_equal(run->out, "done\n");
	assert_string_equal(run->err, "");
	/* the trace, and the note for gstrace record that tells its name */
	assert_int_equal(run->traces, 2);
	assert_int_equal(run_staging_files(run), 0);
}
#endif

/* ---- libraries ------------------------------------------------------------------------------- */

static void closed_libraries_stay_loaded(void **state)
{
	struct run *run = *state;

	both(run, "closes-libraries", 1);
	assert_whole(run, 20);
}

static void resets_and_short_lived_objects_are_recorded(void **state)
{
	struct run *run = *state;

	both(run, "resets", 1);
	assert_whole(run, 20);
}

/* ---- other tools ----------------------------------------------------------------------------- */

static void a_second_client_is_refused_as_ever(void **state)
{
	struct run *run = *state;

	run->program = "ODD_APP";
	run_script(run, "second-client");
	assert_string_equal(run->out, "done\n");
	assert_string_equal(run->err, "39\n");
	assert_whole(run, 20);
}

static void a_first_client_keeps_cupti(void **state)
{
	struct run *run = *state;
	struct plain plain;

	run_plain(run, "first-client", &plain);
	assert_string_equal(plain.out, "0\n0\ndone\n");
	run_script(run, "first-client");
	assert_as(run, &plain, true);
	assert_non_null(strstr(run->err, "another tool"));
	assert_int_equal(run->traces, 0);
	free(plain.out);
	free(plain.err);
}

static void a_client_that_takes_the_buffers_is_survived(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	both(run, "takes-the-buffers", 1);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 20);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 10);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}

static void a_client_that_ends_cupti_is_noted(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	both(run, "finalizes", 1);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 10);
	assert_true(scan_has_note(&scan, GST_NOTE_CUPTI_FATAL));
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}

/* ---- what the kernel refuses ----------------------------------------------------------------- */

#if defined(__x86_64__) && !RUN_IS_SANITIZED /* they make calls of their own */
static void a_strict_filter_kills_nobody(void **state)
{
	struct run *run = *state;

	run->env[0] = "GSTRACE_WRITE_MS=5";
	run->env[1] = "GSTRACE_FLUSH_MS=10";
	both(run, "strict-filter", 1);
	assert_int_equal(WEXITSTATUS(run->status), 18);
	assert_whole(run, 6010);
}

static void refused_system_calls_do_no_harm(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	both(run, "refusing-filter", 1);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 50);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}

/* @program under limits from a few MiB to plenty: recorded, or one line, or none where not even the library could be loaded. */
static void under_limits(struct run *run, const char *program)
{
	static const char *const sizes[] = {"ODD_AS_MIB=1",  "ODD_AS_MIB=2",   "ODD_AS_MIB=4",
					    "ODD_AS_MIB=8",  "ODD_AS_MIB=16",  "ODD_AS_MIB=24",
					    "ODD_AS_MIB=40", "ODD_AS_MIB=60",  "ODD_AS_MIB=80",
					    "ODD_AS_MIB=96", "ODD_AS_MIB=160", "ODD_AS_MIB=400"};
	int traces = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct plain plain;

		run->env[0] = sizes[i];
		run_plain(run, program, &plain);
		run_script(run, program);
		/* where not even the library could be loaded there is nobody to say so */
		assert_as(run, &plain, run->err[0] != '\0');
		assert_true(run->traces == 0 || run->err[0] == '\0');
		if (run->traces) {
			assert_whole(run, 50);
			unlink(run->trace);
			traces++;
		}
		assert_int_equal(run_staging_files(run), 0);
		free(plain.out);
		free(plain.err);
	}
	assert_true(traces > 0);
}

static void a_small_address_space_is_the_programs(void **state)
{
	under_limits(*state, "small-address-space");
}

static void little_data_is_the_programs(void **state)
{
	under_limits(*state, "small-data");
}

static void locked_memory_does_no_harm(void **state)
{
	struct run *run = *state;
	struct plain plain;

	run_plain(run, "locked-memory", &plain);
	run_script(run, "locked-memory");
	/* where little may be locked there is no memory for us either */
	assert_as(run, &plain, !run->traces);
	assert_int_equal(run_staging_files(run), 0);
	free(plain.out);
	free(plain.err);
}
#endif

#if !RUN_IS_SANITIZED /* the shim does not go with them */
static void more_rights_than_the_user_switch_it_off(void **state)
{
	struct run *run = *state;

	run->has_shim = true;
	run->env[0] = "FAULT_SECURE=1";
	run->env[1] = "GSTRACE_HELP=1";
	run->has_nvtx = true;
	both(run, "after-exec", 0);
	assert_int_equal(run_staging_files(run), 0);
}

static void nothing_is_allocated(void **state)
{
	struct run *run = *state;

	run->has_shim = true;
	run->env[0] = "FAULT_MALLOC=1";
	run->env[1] = "GSTRACE_HOST_FUNCTIONS=wrap";
	run->env[2] = "GSTRACE_START=paused";
	run->has_nvtx = true;
	both(run, "resets", 1);
	unlink(run->trace);
	run->env[2] = NULL;
	both(run, "thousand-threads", 1);
	assert_whole(run, 5000);
}
#endif

#define CASE(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_a_program_sees_of_itself_is_the_same),
		CASE(nothing_goes_into_the_programs_files_at_exit),
		CASE(standard_files_may_be_closed),
		CASE(many_descriptors_stay_the_programs),
		CASE(few_descriptors_are_enough),
		CASE(the_owner_can_read_whatever_the_mask),
		CASE(planted_links_are_not_followed),
		CASE(another_folder_later_changes_nothing),
		CASE(a_folder_that_is_gone_is_said_in_one_line),
		CASE(dropped_rights_do_no_harm),
		CASE(another_root_does_no_harm),
		CASE(threads_may_have_descriptors_of_their_own),
		CASE(a_program_may_rename_itself),
		CASE(our_threads_go_behind_the_programs),
		CASE(our_threads_take_no_signal),
#if !RUN_IS_THREAD_SANITIZED
		CASE(a_file_with_our_number_stays_as_it_is),
		CASE(descriptors_may_be_closed_again_and_again),
		CASE(a_changing_environment_does_no_harm),
		CASE(a_clone_without_fork_is_not_recorded),
		CASE(daemons_have_their_own_trace_or_none),
		CASE(calls_in_signal_handlers_are_recorded),
		CASE(calls_that_were_left_by_a_jump_stay_open),
#endif
		CASE(children_that_execute_do_no_harm),
		CASE(a_program_that_executes_itself_has_two_traces),
		CASE(the_programs_own_fault_handler_works),
		CASE(exit_from_a_thread_ends_in_order),
		CASE(exit_within_exit_ends_in_order),
#if !RUN_IS_SANITIZED
		CASE(cancelled_calls_stay_open),
		CASE(threads_may_end_inside_a_call),
		CASE(the_last_thread_ends_the_program),
		CASE(calls_at_the_end_of_a_thread_are_recorded),
		CASE(forks_of_many_threads_do_no_harm),
		CASE(a_thousand_threads_at_once_are_recorded),
		CASE(slots_of_ended_threads_are_used_again),
		CASE(threads_in_calls_do_not_hold_the_exit_up),
		CASE(the_smallest_stacks_are_enough),
		CASE(nothing_is_allocated),
		CASE(more_rights_than_the_user_switch_it_off),
#endif
		CASE(closed_libraries_stay_loaded),
		CASE(resets_and_short_lived_objects_are_recorded),
		CASE(a_second_client_is_refused_as_ever),
		CASE(a_first_client_keeps_cupti),
		CASE(a_client_that_takes_the_buffers_is_survived),
		CASE(a_client_that_ends_cupti_is_noted),
#if defined(__x86_64__) && !RUN_IS_SANITIZED
		CASE(a_strict_filter_kills_nobody),
		CASE(refused_system_calls_do_no_harm),
		CASE(a_small_address_space_is_the_programs),
		CASE(little_data_is_the_programs),
		CASE(locked_memory_does_no_harm),
#endif
	};

	return cmocka_run_group_tests_name("survive", tests, NULL, NULL);
}
