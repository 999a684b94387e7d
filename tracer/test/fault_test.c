/*
 * fault_test.c - a CUPTI or a disk that misbehaves costs records, never the program, and the trace says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tracer/format/api.h"
#include "tracer/test/harness.h"
#include "tracer/test/scan.h"

#define PROGRAM "stream s; launch s k 50us; memcpy h2d pageable 4KiB s; devsync; print done; exit 9"

/* The program did what it does without us. */
static void assert_untouched(const struct run *run)
{
	assert_true(WIFEXITED(run->status));
	assert_int_equal(WEXITSTATUS(run->status), 9);
	assert_string_equal(run->out, "done\n");
}

/* Nothing recorded, and one line on stderr that says why. */
static void assert_one_line(const struct run *run, const char *word)
{
	assert_untouched(run);
	assert_int_equal(run->traces, 0);
	assert_int_equal(run_staging_files(run), 0);
	if (run_lines(run->err) != 1 || strncmp(run->err, "gstrace: ", 9) != 0 ||
	    !strstr(run->err, word)) {
		fail_msg("stderr is not one line with \"%s\": %s", word, run->err);
	}
}

static void no_cupti_is_said_in_one_line(void **state)
{
	struct run *run = *state;

	run->cupti = "/nowhere/libcupti.so.13";
	run_script(run, PROGRAM);
	assert_one_line(run, "/nowhere/libcupti.so.13");
}

static void an_old_cupti_is_refused(void **state)
{
	struct run *run = *state;

	run_script(run, "fault version 15; " PROGRAM);
	assert_one_line(run, "11.8");
}

static void the_holder_is_named(void **state)
{
	struct run *run = *state;

	run_script(run, "fault held Kineto; " PROGRAM);
	assert_one_line(run, "Kineto");
	/* before 13.0 nobody tells the name */
	run->library = "FAKE_CUPTI_11_8";
	run_script(run, "fault version 18; fault held Kineto; " PROGRAM);
	assert_one_line(run, "another tool");
}

static void a_library_without_its_functions_is_refused(void **state)
{
	struct run *run = *state;

	run->library = "FAKE_CUPTI_BROKEN";
	run_script(run, PROGRAM);
	assert_one_line(run, "lacks");
}

/* Every version has its own record sizes; reading one byte too many reads the next record. */
static void each_version_is_read_by_its_own_layout(void **state)
{
	static const int versions[] = {18, 19, 20, 21,	   22,	   23,	  24,
				       26, 27, 28, 130000, 130001, 130100};
	struct run *run = *state;

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct gst_rec_memcpy copy;
		struct gst_rec_kernel kernel;
		struct gst_rec_sync sync;
		struct gst_rec_device device;
		struct scan scan;
		char script[300];
		size_t open, n;

		run->library = versions[i] == 18 ? "FAKE_CUPTI_11_8" : "FAKE_CUPTI";
		run->env[0] = "GSTRACE_EVENT_IDS=always";
		snprintf(script, sizeof(script),
			 "fault version %d; event e; record e 0; wait 0 e; " PROGRAM, versions[i]);
		run_script(run, script);
		assert_untouched(run);
		assert_string_equal(run->err, "");
		assert_int_equal(run->traces, 1);
		scan_open(&scan, run->trace);
		assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1);
		assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 1);
		scan_get(&scan, scan_find(&scan, GST_REC_KERNEL, 0), &kernel, sizeof(kernel));
		assert_int_equal(kernel.end_ns - kernel.start_ns, 50000);
		assert_int_equal(kernel.flags, 0);
		assert_int_equal(kernel.channel, 8);
		assert_int_equal(scan_count(&scan, GST_REC_MEMCPY), 1);
		scan_get(&scan, scan_find(&scan, GST_REC_MEMCPY, 0), &copy, sizeof(copy));
		assert_int_equal(copy.size, 4096);
		assert_true(copy.copy_count <= 1);
		scan_get(&scan, scan_find(&scan, GST_REC_DEVICE, 0), &device, sizeof(device));
		assert_string_equal(scan_string(&scan, device.name), "Simulated device");
		n = scan_find(&scan, GST_REC_SYNC, 0);
		assert_true(n != SIZE_MAX);
		scan_get(&scan, n, &sync, sizeof(sync));
		assert_int_equal(sync.type, GST_SYNC_STREAM_WAIT);
		/* the exact record is known from 12.8 on; before, 0 and not a neighbour's bytes */
		assert_int_equal(sync.sync_id, versions[i] >= 26 ? 1 : 0);
		scan_release(&scan);
		unlink(run->trace);
	}
}

/* CUPTI 11.8 beside driver 580: no callback of a call comes. */
/* How many notes that callbacks are missing say @word. */
static int count_notes(const struct scan *scan, const char *word)
{
	struct gst_rec_note note;
	int count = 0;

	for (size_t n = 0; scan_find(scan, GST_REC_NOTE, n) != SIZE_MAX; n++) {
		scan_get(scan, scan_find(scan, GST_REC_NOTE, n), &note, sizeof(note));
		count += note.code == GST_NOTE_CALLBACK_OFF &&
			 strstr(scan_string(scan, note.text), word);
	}
	return count;
}

static void an_old_cupti_tells_of_calls_by_records(void **state)
{
	struct run *run = *state;
	struct gst_rec_api_run call;
	struct gst_rec_kernel kernel;
	struct scan scan;
	size_t open, launches = 0, failed = 0, threads = 0;
	uint64_t tid = 0;

	run->library = "FAKE_CUPTI_OLD";
	run->has_nvtx = true; /* its threads are no sign of calls */
	run_script(
		run,
		"fault version 18; fault silence 1; fault silence 2; nvtx push outer; stream s; "
		"launch s k 1us; fail 2; malloc m 1MiB; thread { launch s k2 1us }; join; devsync; "
		"runtime off; launch s k3 1us; sync s; nvtx pop");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, NULL, &open), 0);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_int_equal(scan_count(&scan, GST_REC_API_RUN), 7);
	for (size_t n = 0; n < 7; n++) {
		const struct gst_api *api;

		scan_get(&scan, scan_find(&scan, GST_REC_API_RUN, n), &call, sizeof(call));
		api = gst_api_find(call.api);
		assert_non_null(api);
		assert_true(call.start_ns && call.end_ns >= call.start_ns);
		threads += n && call.tid != tid;
		tid = call.tid;
		if (call.result) {
			assert_int_equal(call.result, 2);
			assert_int_equal(api->class_id, GST_API_CLASS_ALLOC);
			failed++;
		}
		if (api->class_id == GST_API_CLASS_LAUNCH) {
			scan_get(&scan, scan_find(&scan, GST_REC_KERNEL, launches), &kernel,
				 sizeof(kernel));
			assert_int_equal(kernel.head.corr, call.head.corr);
			assert_int_equal(api->api >> 16, launches == 2 ? GST_API_DOMAIN_DRIVER
								       : GST_API_DOMAIN_RUNTIME);
			launches++;
		}
	}
	assert_int_equal(launches, 3);
	assert_int_equal(failed, 1);
	assert_int_equal(threads, 2); /* to the other and back */
	/* what is known of such a CUPTI is said at once, what it does when it shows */
	assert_int_equal(count_notes(&scan, "older CUDA than the driver"), 1);
	assert_int_equal(count_notes(&scan, "without streams"), 1);
	assert_int_equal(count_notes(&scan, ""), 2);
	scan_release(&scan);
	unlink(run->trace);
	/* where callbacks come after all, records of calls are not wanted */
	run_script(run, "fault version 18; stream s; launch s k 1us; devsync");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1);
	assert_int_equal(scan_count(&scan, GST_REC_API_RUN), 0);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_int_equal(count_notes(&scan, "older CUDA than the driver"), 1);
	assert_int_equal(count_notes(&scan, ""), 1);
	scan_release(&scan);
	unlink(run->trace);
	/* a refusal of those kinds is said */
	run_script(run, "fault version 18; fault silence 1; fault silence 2; fault enable 4 21; "
			"fault enable 5 21; launch 0 k 1us; devsync");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_API_RUN), 0);
	assert_true(scan_has_note(&scan, GST_NOTE_KIND_OFF));
	assert_true(scan_has_note(&scan, GST_NOTE_CALLBACK_OFF));
	scan_release(&scan);
	unlink(run->trace);
	/* beside a driver of its own age, and for newer ones, nobody asks for them */
	run_script(run,
		   "fault version 20; fault silence 1; fault silence 2; launch 0 k 1us; devsync");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_API_RUN), 0);
	assert_int_equal(count_notes(&scan, "older CUDA than the driver"), 0);
	assert_int_equal(count_notes(&scan, ""), 1);
	scan_release(&scan);
}

static void longer_records_of_a_newer_cupti_are_read(void **state)
{
	struct run *run = *state;
	struct scan scan;

	run_script(run, "fault version 130400; fault grow 40; " PROGRAM);
	assert_untouched(run);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 1);
	assert_int_equal(scan_count(&scan, GST_REC_MEMCPY), 1);
	scan_release(&scan);
}

static void kinds_that_cannot_be_enabled_are_noted(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	/* MEMORY2, SYNCHRONIZATION and all runtime callbacks */
	run_script(run, "fault enable 49 35; fault enable 38 27; fault callback 2 0 35; " PROGRAM);
	assert_untouched(run);
	scan_open(&scan, run->trace);
	assert_true(scan_has_note(&scan, GST_NOTE_KIND_OFF));
	assert_true(scan_has_note(&scan, GST_NOTE_CALLBACK_OFF));
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 1);
	/* without the runtime call, the driver call inside is the outermost one */
	assert_int_equal(scan_calls(&scan, "cuCtxSynchronize_v2", &open), 1);
	scan_release(&scan);
}

static void silent_callbacks_leave_the_activities(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run_script(run, "fault silence 1; fault silence 2; " PROGRAM);
	assert_untouched(run);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, NULL, &open), 0);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 1);
	scan_release(&scan);
}

static void a_hanging_flush_costs_device_records_only(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run->env[0] = "GSTRACE_FLUSH_MS=20";
	run->env[1] = "GSTRACE_HANG_MS=50";
	run->env[2] = "GSTRACE_EXIT_MS=500";
	run_script(run, "stream s; launch s before 1us; devsync; sleep 100ms; fault hang-flush; "
			"repeat 50 { launch s after 1us; sleep 5ms }; devsync; print done; exit 9");
	assert_untouched(run);
	assert_true(run->seconds < 15); /* of a busy machine; it would be for ever */
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 51);
	assert_int_equal(open, 0);
	assert_true(scan_count(&scan, GST_REC_KERNEL) >= 1);
	assert_true(scan_count(&scan, GST_REC_KERNEL) < 51);
	assert_true(scan_has_note(&scan, GST_NOTE_FLUSH_HUNG));
	/* how many are missing nobody knows; since when, the trace says */
	assert_true(scan_lost_since(&scan, GST_LOSS_FLUSH_HUNG) > 0);
	scan_release(&scan);
}

/* A second thread uses events: its call brings CUPTI the request for their numbers. */
static void kinds_that_cannot_be_enabled_late_are_said(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run->env[0] = "GSTRACE_FLUSH_MS=20";
	run->env[1] = "GSTRACE_HANG_MS=50";
	run->env[2] = "GSTRACE_EXIT_MS=500";
	run_script(
		run,
		"stream s; event e; record e s; fault hang-enable; thread { record e s }; sleep 300ms; "
		"repeat 10 { launch s after 1us }; devsync; print done; exit 9");
	assert_untouched(run);
	assert_true(run->seconds < 15);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 10);
	assert_int_equal(open, 0);
	/* flushes go on */
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 10);
	assert_true(scan_has_note(&scan, GST_NOTE_FLUSH_HUNG));
	assert_true(scan_lost_since(&scan, GST_LOSS_FLUSH_HUNG) > 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
	assert_int_equal(run_staging_files(run), 0);
}

#define DURING_A_FLUSH                                                                      \
	"stream s; event e; record e s; fault slow-flush 1s; fault await-flush; %s thread " \
	"{ record e s }; join; sleep 2s; record e s; wait 0 e; launch s k 1us; devsync; print done; exit 9"

/* In the middle of a flush nobody waits for CUPTI: the flusher asks when it has come back. */
static void late_kinds_during_a_flush_come_from_the_flusher(void **state)
{
	struct run *run = *state;
	char script[400];

	for (int hangs = 0; hangs < 2; hangs++) {
		struct scan scan;
		size_t open;

		run->env[0] = "GSTRACE_FLUSH_MS=20";
		run->env[1] = "GSTRACE_EXIT_MS=3000";
		snprintf(script, sizeof(script), DURING_A_FLUSH, hangs ? "fault hang-enable;" : "");
		run_script(run, script);
		assert_untouched(run);
		scan_open(&scan, run->trace);
		assert_int_equal(scan_calls(&scan, "cuEventRecord", &open), 3);
		assert_int_equal(open, 0);
		if (!hangs) {
			assert_true(scan_count(&scan, GST_REC_EVENT) >= 1);
			assert_true(scan_count(&scan, GST_REC_SYNC) >= 1);
		}
		assert_int_equal(scan_has_note(&scan, GST_NOTE_FLUSH_HUNG), hangs);
		assert_int_equal(scan_lost_since(&scan, GST_LOSS_FLUSH_HUNG) > 0, hangs);
		assert_int_equal(scan_count(&scan, GST_REC_END), 1);
		scan_release(&scan);
		assert_int_equal(run_staging_files(run), 0);
		run_clear(run);
	}
}

static void buffers_that_never_come_back_do_no_harm(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run_script(run, "fault keep-buffers; " PROGRAM);
	assert_untouched(run);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 0);
	scan_release(&scan);
}

static void dropped_and_unknown_records_are_counted(void **state)
{
	struct run *run = *state;
	struct scan scan;

	run_script(run, "init; fault drop 12; fault unknown 200; fault unknown 201; " PROGRAM);
	assert_untouched(run);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_lost(&scan, GST_LOSS_CUPTI_DROPPED), 12);
	assert_int_equal(scan_lost(&scan, GST_LOSS_UNKNOWN_ACTIVITY), 2);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 1);
	scan_release(&scan);
}

static void zero_and_reversed_times_are_kept_as_they_are(void **state)
{
	struct run *run = *state;
	struct gst_rec_kernel kernel;
	struct scan scan;

	run_script(
		run,
		"fault zero-times 1; launch 0 a 10us; fault reverse-times 1; launch 0 b 10us; " PROGRAM);
	assert_untouched(run);
	scan_open(&scan, run->trace);
	scan_get(&scan, scan_find(&scan, GST_REC_KERNEL, 0), &kernel, sizeof(kernel));
	assert_int_equal(kernel.start_ns, 0);
	scan_release(&scan);
}

static void a_cupti_that_ends_itself_is_noted(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run_script(run,
		   "launch 0 before 1us; devsync; fault finalize; launch 0 after 1us; " PROGRAM);
	assert_untouched(run);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1);
	assert_true(scan_has_note(&scan, GST_NOTE_CUPTI_FATAL));
	scan_release(&scan);
}

static void a_running_kernel_at_exit_does_not_hold_the_program(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run_script(run, "launch 0 endless 1000s; print done; exit 9");
	assert_untouched(run);
	assert_true(run->seconds < 15); /* of a busy machine; it would be for ever */
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1);
	scan_release(&scan);
}

/* ---- the output ---------------------------------------------------------------------------- */

static void nothing_is_ever_overwritten(void **state)
{
	struct run *run = *state;
	char path[600];
	struct stat before, after;

	run->env[0] = "GSTRACE_OUTPUT=same.gst";
	run_script(run, PROGRAM);
	assert_int_equal(run->traces, 1);
	snprintf(path, sizeof(path), "%s/same.gst", run->dir);
	assert_int_equal(stat(path, &before), 0);
	run_script(run, PROGRAM);
	run_script(run, PROGRAM);
	assert_int_equal(run->traces, 3);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_size, after.st_size);
	snprintf(path, sizeof(path), "%s/same.gst.1", run->dir);
	assert_int_equal(access(path, R_OK), 0);
	snprintf(path, sizeof(path), "%s/same.gst.2", run->dir);
	assert_int_equal(access(path, R_OK), 0);
}

static void the_pattern_names_the_file(void **state)
{
	struct run *run = *state;
	char want[600];
	pid_t pid;

	run->env[0] = "GSTRACE_OUTPUT=x-%e-%p.gst";
	run_start(run, PROGRAM);
	pid = run->pid;
	run_finish(run);
	snprintf(want, sizeof(want), "%s/x-fake_app-%d.gst", run->dir, (int)pid);
	assert_string_equal(run->trace, want);
}

static void an_output_that_cannot_be_made_is_said_in_one_line(void **state)
{
	struct run *run = *state;

	run->env[0] = "GSTRACE_OUTPUT=/nowhere/x.gst";
	run_script(run, PROGRAM);
	assert_one_line(run, "/nowhere/x.gst");
}

/* The kernel refuses to make files longer: as a full disk, and with SIGXFSZ besides. */
static void a_full_disk_stops_the_recording_only(void **state)
{
	struct run *run = *state;
	struct scan scan;

	run->file_limit = 256 << 10;
	run->env[0] = "GSTRACE_WRITE_MS=5";
	run_script(
		run,
		"repeat 40 { repeat 500 { launch 0 k 0 }; sleep 2ms }; devsync; print done; exit 9");
	assert_untouched(run);
	assert_int_equal(run->traces, 1);
	assert_true(run_lines(run->err) <= 1);
	/* whole chunks only: scan_open checks that */
	scan_open(&scan, run->trace);
	assert_true(scan_count(&scan, GST_REC_CALL_LAUNCH) > 100);
	assert_true(scan_has_note(&scan, GST_NOTE_WRITE_FAILED) ||
		    scan_lost(&scan, GST_LOSS_WRITE_FAILED) > 0);
	scan_release(&scan);
	assert_int_equal(run_staging_files(run), 0);
}

__attribute__((unused)) static void
a_disk_full_from_the_start_leaves_the_program_alone(void **state)
{
	struct run *run = *state;

	run->file_limit = 512;
	run_script(run, "launch 0 k 1us; devsync; exit 9");
	/* its own stdout is limited as well, so only how it ended counts */
	assert_true(WIFEXITED(run->status));
	assert_int_equal(WEXITSTATUS(run->status), 9);
}

static void without_tmpfs_it_says_so(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run->env[0] = "GSTRACE_STAGING_DIR=/nowhere";
	run_script(run, PROGRAM);
	assert_untouched(run);
	scan_open(&scan, run->trace);
	assert_true(scan_has_note(&scan, GST_NOTE_NO_TMPFS));
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}

static void too_little_staging_is_counted_as_loss(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open, calls;

	run->env[0] = "GSTRACE_STAGING_BYTES=1M";
	run->env[1] = "GSTRACE_WRITE_MS=1000";
	run_script(run, "runtime off; repeat 100000 { launch 0 k 0 }; devsync; print done; exit 9");
	assert_untouched(run);
	scan_open(&scan, run->trace);
	calls = scan_calls(&scan, "cuLaunchKernel", &open);
	/* each call is there or counted */
	assert_true(calls == 100000 || scan_lost(&scan, GST_LOSS_NO_CHUNK) > 0);
	scan_release(&scan);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(no_cupti_is_said_in_one_line),
		CASE(an_old_cupti_is_refused),
		CASE(the_holder_is_named),
		CASE(a_library_without_its_functions_is_refused),
		CASE(each_version_is_read_by_its_own_layout),
		CASE(an_old_cupti_tells_of_calls_by_records),
		CASE(longer_records_of_a_newer_cupti_are_read),
		CASE(kinds_that_cannot_be_enabled_are_noted),
		CASE(silent_callbacks_leave_the_activities),
		CASE(a_hanging_flush_costs_device_records_only),
		CASE(kinds_that_cannot_be_enabled_late_are_said),
		CASE(late_kinds_during_a_flush_come_from_the_flusher),
		CASE(buffers_that_never_come_back_do_no_harm),
		CASE(dropped_and_unknown_records_are_counted),
		CASE(zero_and_reversed_times_are_kept_as_they_are),
		CASE(a_cupti_that_ends_itself_is_noted),
		CASE(a_running_kernel_at_exit_does_not_hold_the_program),
		CASE(nothing_is_ever_overwritten),
		CASE(the_pattern_names_the_file),
		CASE(an_output_that_cannot_be_made_is_said_in_one_line),
		CASE(a_full_disk_stops_the_recording_only),
#if !RUN_IS_THREAD_SANITIZED /* it cannot start under such a limit itself */
		CASE(a_disk_full_from_the_start_leaves_the_program_alone),
#endif
		CASE(without_tmpfs_it_says_so),
		CASE(too_little_staging_is_counted_as_loss),
	};

	return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
