/*
 * segments_test.c - windows of a run under the real libgstrace.so: each is a segment that can be read alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "tracer/test/harness.h"
#include "tracer/test/scan.h"

/* Number of calls of @symbol in @segment. */
static size_t calls_in(const struct scan *scan, uint32_t segment, uint32_t kind)
{
	size_t n = 0;

	for (size_t i = 0; i < scan->count; i++) {
		n += scan->records[i].segment == segment && scan->records[i].kind == kind;
	}
	return n;
}

static void windows_are_segments(void **state)
{
	struct run *run = *state;
	struct gst_rec_segment segment;
	struct gst_rec_end end;
	struct gst_rec_event_state event;
	struct gst_rec_exec_state exec;
	struct gst_rec_kernel kernel;
	struct scan scan;
	size_t open, i;

	run->env[0] = "GSTRACE_START=paused";
	run->env[1] = "GSTRACE_FLUSH_MS=50"; /* so that CUPTI has told of the device by then */
	run_script(
		run,
		"stream s; event e; event never; event gone; destroy gone; launch s before 1us; "
		"record e s; capture s; launch s node 1us; endcapture s g; instantiate g x; "
		"graphlaunch x s; devsync; sleep 120ms; profiler on; launch s one 1us; wait s e; record e s; "
		"record never s; event new; devsync; profiler off; launch s between 1us; "
		"record new s; devsync; profiler on; wait s e; launch s two 1us; devsync");
	run_assert_ended(run, 0);
	assert_string_equal(run->err, "");
	scan_open(&scan, run->trace);
	/* what lies outside is not there, neither the call nor what the device did */
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 2);
	assert_int_equal(open, 0);
	assert_int_equal(scan_calls(&scan, "cuProfilerStart", &open), 2);
	assert_int_equal(scan_calls(&scan, "cuProfilerStop", &open), 1);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 2);
	assert_int_equal(scan_count(&scan, GST_REC_GRAPH_RUN), 0);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	for (i = 0; i < 2; i++) {
		scan_get(&scan, scan_find(&scan, GST_REC_KERNEL, i), &kernel, sizeof(kernel));
		assert_string_equal(scan_string(&scan, kernel.name), i ? "two" : "one");
		assert_int_equal(scan.records[scan_find(&scan, GST_REC_KERNEL, i)].segment, i);
		scan_get(&scan, scan_find(&scan, GST_REC_SEGMENT, i), &segment, sizeof(segment));
		assert_int_equal(segment.index, i);
		assert_int_equal(segment.flags & GST_SEGMENT_UNBROKEN, 0);
		assert_int_equal(calls_in(&scan, (uint32_t)i, GST_REC_END), 1);
		assert_true(calls_in(&scan, (uint32_t)i, GST_REC_PROCESS) == 1);
		assert_true(calls_in(&scan, (uint32_t)i, GST_REC_CONTEXT) >= 1);
		assert_true(calls_in(&scan, (uint32_t)i, GST_REC_STREAM) >= 1);
		assert_true(calls_in(&scan, (uint32_t)i, GST_REC_THREAD) >= 1);
		assert_true(calls_in(&scan, (uint32_t)i, GST_REC_DEVICE) >= 1);
		assert_true(calls_in(&scan, (uint32_t)i, GST_REC_STRING) >= 3);
	}
	/* a window ends when it is closed, not with the file */
	scan_get(&scan, scan_find(&scan, GST_REC_END, 0), &end, sizeof(end));
	scan_get(&scan, scan_find(&scan, GST_REC_SEGMENT, 1), &segment, sizeof(segment));
	assert_true(end.time_ns < segment.time_ns);
	scan_get(&scan, scan_find(&scan, GST_REC_END, 1), &end, sizeof(end));
	assert_true(end.time_ns > segment.time_ns);
	/* e was recorded before each window, never not before the first, gone is gone, new is newer */
	assert_int_equal(calls_in(&scan, 0, GST_REC_EVENT_STATE), 2);
	assert_int_equal(calls_in(&scan, 1, GST_REC_EVENT_STATE), 3);
	for (i = 0; i < 5; i++) {
		scan_get(&scan, scan_find(&scan, GST_REC_EVENT_STATE, i), &event, sizeof(event));
		assert_true(event.event != 0);
		assert_int_equal(event.flags, 2); /* without timing */
		open = event.head.corr == 0;
		assert_int_equal(open, i < 2 && event.event == 0x555530000200u);
	}
	assert_int_equal(scan_count(&scan, GST_REC_EXEC_STATE), 2);
	scan_get(&scan, scan_find(&scan, GST_REC_EXEC_STATE, 0), &exec, sizeof(exec));
	assert_true(exec.exec != 0 && exec.head.corr != 0);
	scan_release(&scan);
}

/* A graph launched in a window is known there by its nodes, whenever it was made. */
static void each_window_knows_the_graphs(void **state)
{
	struct run *run = *state;
	struct gst_rec_graph_node node;
	struct gst_rec_graph_edge edge;
	struct gst_rec_graph graph;
	struct scan scan;

	run->env[0] = "GSTRACE_START=paused";
	run_script(
		run,
		"stream s; capture s; launch s a 1us; launch s b 1us; endcapture s g; "
		"instantiate g x; profiler on; graphlaunch x s; devsync; profiler off; sleep 250ms; "
		"capture s; launch s c 1us; endcapture s h; instantiate h y; "
		"profiler on; graphlaunch x s; graphlaunch y s; devsync; profiler off; "
		"profiler on; graphlaunch y s; devsync; profiler off; ");
	run_assert_ended(run, 0);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	/* a graph and its clone each; the second pair from the second window on, once in each */
	assert_int_equal(calls_in(&scan, 0, GST_REC_GRAPH), 2);
	assert_int_equal(calls_in(&scan, 1, GST_REC_GRAPH), 4);
	assert_int_equal(calls_in(&scan, 2, GST_REC_GRAPH), 4);
	for (uint32_t segment = 0; segment < 3; segment++) {
		assert_int_equal(calls_in(&scan, segment, GST_REC_GRAPH_NODE), segment ? 6 : 4);
		assert_int_equal(calls_in(&scan, segment, GST_REC_GRAPH_EDGE), 2);
		assert_int_equal(calls_in(&scan, segment, GST_REC_GRAPH_EXEC), segment ? 2 : 1);
		assert_int_equal(calls_in(&scan, segment, GST_REC_MODULE),
				 calls_in(&scan, 0, GST_REC_MODULE));
	}
	for (size_t i = 0; i < scan.count; i++) {
		if (scan.records[i].kind == GST_REC_GRAPH_NODE) {
			scan_get(&scan, i, &node, sizeof(node));
			assert_true(node.node >> 32 == node.graph && node.type == GST_NODE_KERNEL);
			assert_int_equal(node.head.corr, 0);
		} else if (scan.records[i].kind == GST_REC_GRAPH_EDGE) {
			scan_get(&scan, i, &edge, sizeof(edge));
			assert_true(edge.from >> 32 == edge.graph && edge.from < edge.to);
		} else if (scan.records[i].kind == GST_REC_GRAPH) {
			scan_get(&scan, i, &graph, sizeof(graph));
			assert_true(graph.handle != 0);
		}
	}
	scan_release(&scan);
}

/* The correlation id of the first call of @symbol in @segment. */
static uint32_t call_corr(const struct scan *scan, uint32_t segment, uint32_t cbid)
{
	struct gst_rec_call call;

	for (size_t i = 0; i < scan->count; i++) {
		if (scan->records[i].segment == segment && scan->records[i].kind == GST_REC_CALL) {
			scan_get(scan, i, &call, sizeof(call));
			if (call.api == GST_API_ID(GST_API_DOMAIN_DRIVER, cbid)) {
				return call.head.corr;
			}
		}
	}
	return 0;
}

/* Windows shorter than a cycle of the writer: each knows what came between it and the one before. */
static void windows_may_be_as_short_as_they_like(void **state)
{
	struct run *run = *state;
	struct gst_rec_event_state event;
	struct scan scan;
	size_t states = 0;

	run->env[0] = "GSTRACE_START=paused";
	run->env[1] = "GSTRACE_WRITE_MS=10000";
	run_script(run,
		   "stream s; event e; capture s; launch s n 1us; endcapture s g; instantiate g x; "
		   "repeat 200 { record e s; graphlaunch x s; profiler on; record e s; "
		   "graphlaunch x s; profiler off }; devsync");
	run_assert_ended(run, 0);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_int_equal(scan_count(&scan, GST_REC_SEGMENT), 200);
	/* what was defined after the last window ends for itself */
	assert_true(scan_count(&scan, GST_REC_END) >= 200);
	for (size_t i = 0; i < scan.count; i++) {
		uint32_t segment = scan.records[i].segment;

		if (scan.records[i].kind != GST_REC_EVENT_STATE &&
		    scan.records[i].kind != GST_REC_EXEC_STATE) {
			continue;
		}
		scan_get(&scan, i, &event, sizeof(event.head));
		states++;
		/* the record, or launch, just before the call that opened the window */
		assert_true(event.head.corr < call_corr(&scan, segment, 308));
		assert_true(call_corr(&scan, segment, 308) - event.head.corr <= 2);
	}
	assert_int_equal(states, 400);
	scan_release(&scan);
}

#define BUSY_THREAD(n)                                                                         \
	"thread { repeat 100 { repeat 60 { record e" n " s }; event t" n "; record t" n " s; " \
	"destroy t" n " } };"
#define FIRST_EVENT 0x555530000100u
#define EVENT_STEP  0x100u

/* The same while many threads make, record and destroy events. */
static void windows_of_a_busy_program_lose_nothing(void **state)
{
	struct run *run = *state;
	struct gst_rec_event_state event;
	struct scan scan;
	static uint8_t seen[60][8];

	run->env[0] = "GSTRACE_START=paused";
	run->env[1] = "GSTRACE_STAGING_BYTES=64M";
	memset(seen, 0, sizeof(seen));
	run_script(
		run,
		"stream s; event e0; event e1; event e2; event e3; event e4; event e5; event e6; event e7; "
		"record e0 s; record e1 s; record e2 s; record e3 s; record e4 s; record e5 s; "
		"record e6 s; record e7 s; " BUSY_THREAD("0") BUSY_THREAD("1") BUSY_THREAD(
			"2") BUSY_THREAD("3") BUSY_THREAD("4") BUSY_THREAD("5") BUSY_THREAD("6")
			BUSY_THREAD(
				"7") "repeat 60 { profiler on; sleep 200us; profiler off; sleep 50us }; join; devsync");
	run_assert_ended(run, 0);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_int_equal(scan_count(&scan, GST_REC_SEGMENT), 60);
	for (size_t i = 0; i < scan.count; i++) {
		if (scan.records[i].kind == GST_REC_EVENT_STATE) {
			scan_get(&scan, i, &event, sizeof(event));
			/* handles count up: e0 was made first, and each of the eight was recorded */
			if (event.event >= FIRST_EVENT &&
			    event.event < FIRST_EVENT + 8 * EVENT_STEP && event.head.corr) {
				seen[scan.records[i].segment]
				    [(event.event - FIRST_EVENT) / EVENT_STEP] = 1;
			}
		}
	}
	for (size_t i = 0; i < 60; i++) {
		for (size_t k = 0; k < 8; k++) {
			assert_true(seen[i][k]);
		}
	}
	scan_release(&scan);
}

/* Records that are only in the staging memory know their segment too. */
static void a_kill_inside_a_window_loses_nothing(void **state)
{
	struct run *run = *state;
	struct gst_rec_event_state event;
	struct scan scan;
	size_t open;

	run->env[0] = "GSTRACE_START=paused";
	run->env[1] = "GSTRACE_WRITE_MS=40";
	run_script(run, "stream s; event e; record e s; profiler on; launch s one 1us; sleep 90ms; "
			"profiler off; launch s between 1us; profiler on; sleep 90ms; "
			"launch s two 1us; inside kill; launch s three 1us");
	assert_true(WIFSIGNALED(run->status));
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 3);
	assert_int_equal(open, 1);
	assert_int_equal(calls_in(&scan, 0, GST_REC_CALL_LAUNCH), 1);
	assert_int_equal(calls_in(&scan, 1, GST_REC_CALL_LAUNCH), 2);
	assert_int_equal(calls_in(&scan, 1, GST_REC_SEGMENT), 1);
	assert_int_equal(calls_in(&scan, 1, GST_REC_EVENT_STATE), 1);
	scan_get(&scan, scan_find(&scan, GST_REC_EVENT_STATE, 1), &event, sizeof(event));
	assert_true(event.head.corr != 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 0);
	scan_release(&scan);
}

static void nothing_was_started(void **state)
{
	struct run *run = *state;
	struct gst_rec_trace trace;
	struct scan scan;
	size_t open;

	run->env[0] = "GSTRACE_START=paused";
	run_script(run, "launch 0 k 1us; devsync");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, NULL, &open), 0);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 0);
	assert_int_equal(scan_count(&scan, GST_REC_SEGMENT), 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_get(&scan, scan_find(&scan, GST_REC_TRACE, 0), &trace, sizeof(trace));
	assert_int_equal(trace.options & ~(uint32_t)GST_TRACE_COUNTED_CALLS,
			 GST_TRACE_STARTED_PAUSED);
	scan_release(&scan);
}

static void a_window_can_be_closed_from_another_thread(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run_script(run, "stream s; thread { repeat 300 { launch s a 0 } }; "
			"thread { repeat 300 { launch s b 0 } }; "
			"repeat 20 { profiler off; profiler on }; join; devsync");
	run_assert_ended(run, 0);
	scan_open(&scan, run->trace);
	/* scan_calls holds that every call that entered has left */
	assert_true(scan_calls(&scan, "cuLaunchKernel", &open) <= 600);
	assert_int_equal(open, 0);
	assert_int_equal(scan_count(&scan, GST_REC_SEGMENT), 21);
	assert_int_equal(scan_count(&scan, GST_REC_END), 21);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	scan_release(&scan);
}

static uint64_t lost_of(const struct scan *scan, uint32_t kind, uint32_t reason)
{
	struct gst_rec_loss loss;
	uint64_t count = 0;
	size_t index;

	for (size_t n = 0; (index = scan_find(scan, GST_REC_LOSS, n)) != SIZE_MAX; n++) {
		scan_get(scan, index, &loss, sizeof(loss));
		count += loss.kind == kind && loss.reason == reason ? loss.count : 0;
	}
	return count;
}

static void a_file_is_no_longer_than_asked_for(void **state)
{
	struct run *run = *state;
	struct stat st;
	struct scan scan;

	run->env[0] = "GSTRACE_MAX_SIZE=300K";
	run->env[1] = "GSTRACE_STAGING_BYTES=2M";
	run_script(run,
		   "repeat 40 { repeat 1000 { launch 0 k 0 }; sleep 5ms }; print done; exit 4");
	run_assert_ended(run, 4);
	assert_string_equal(run->out, "done\n");
	assert_int_equal(stat(run->trace, &st), 0);
	assert_true(st.st_size < (300 << 10) + (1 << 20));
	assert_int_equal(run_staging_files(run), 0);
	scan_open(&scan, run->trace);
	assert_true(scan_has_note(&scan, GST_NOTE_SIZE_LIMIT));
	assert_true(scan_lost_since(&scan, GST_LOSS_SIZE_LIMIT) != 0);
	/* a launch, its return and its kernel, each in the trace or counted */
	assert_int_equal(scan_count(&scan, GST_REC_CALL_LAUNCH) +
				 lost_of(&scan, GST_REC_CALL_LAUNCH, GST_LOSS_SIZE_LIMIT),
			 40000);
	assert_int_equal(scan_count(&scan, GST_REC_CALL_EXIT) +
				 lost_of(&scan, GST_REC_CALL_EXIT, GST_LOSS_SIZE_LIMIT),
			 scan_count(&scan, GST_REC_CALL_LAUNCH) +
				 lost_of(&scan, GST_REC_CALL_LAUNCH, GST_LOSS_SIZE_LIMIT) +
				 scan_count(&scan, GST_REC_CALL));
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL) +
				 lost_of(&scan, GST_REC_KERNEL, GST_LOSS_SIZE_LIMIT),
			 40000);
	assert_int_equal(scan_lost(&scan, GST_LOSS_NO_CHUNK), 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_release(&scan);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(windows_are_segments),
		CASE(each_window_knows_the_graphs),
		CASE(windows_may_be_as_short_as_they_like),
		CASE(windows_of_a_busy_program_lose_nothing),
		CASE(a_kill_inside_a_window_loses_nothing),
		CASE(nothing_was_started),
		CASE(a_window_can_be_closed_from_another_thread),
		CASE(a_file_is_no_longer_than_asked_for),
	};

	return cmocka_run_group_tests_name("segments", tests, NULL, NULL);
}
