/*
 * record_test.c - a program under the real libgstrace.so leaves the trace of what it did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tracer/test/harness.h"
#include "tracer/format/api.h"
#include "tracer/test/scan.h"

/* Script of the mandated finding: the middle kernel in the legacy stream. */
#define THREE_KERNELS                                                                                \
	"stream s1; stream s2; launch s1 first 300us; launch 0 middle 300us; launch s2 last 300us; " \
	"devsync; print done; exit 3"

static void the_program_is_untouched(void **state)
{
	struct run *run = *state;

	run->is_untraced = true;
	run_script(run, THREE_KERNELS);
	run_assert_ended(run, 3);
	assert_string_equal(run->out, "done\n");
	assert_int_equal(run->traces, 0);
	run->is_untraced = false;
	run_script(run, THREE_KERNELS);
	run_assert_ended(run, 3);
	assert_string_equal(run->out, "done\n");
	assert_string_equal(run->err, "");
	assert_int_equal(run->traces, 1);
	assert_int_equal(run_staging_files(run), 0);
}

static void calls_and_kernels_are_in_order(void **state)
{
	static const char *const names[] = {"first", "middle", "last"};
	struct run *run = *state;
	struct gst_rec_kernel kernel, before = {0};
	struct gst_rec_call_launch launch;
	struct scan scan;
	size_t open;

	run_script(run, THREE_KERNELS);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 3);
	assert_int_equal(open, 0);
	/* outermost calls only: the driver calls inside these are not calls of their own */
	assert_int_equal(scan_calls(&scan, "cudaDeviceSynchronize_v3020", &open), 1);
	assert_int_equal(scan_calls(&scan, "cuCtxSynchronize_v2", &open), 0);
	assert_int_equal(scan_calls(&scan, "cuStreamCreateWithPriority", &open), 2);
	assert_int_equal(scan_calls(&scan, NULL, &open), 6);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 3);
	for (size_t i = 0; i < 3; i++) {
		scan_get(&scan, scan_find(&scan, GST_REC_KERNEL, i), &kernel, sizeof(kernel));
		scan_get(&scan, scan_find(&scan, GST_REC_CALL_LAUNCH, i), &launch, sizeof(launch));
		assert_int_equal(kernel.head.corr, launch.head.corr);
		assert_string_equal(scan_string(&scan, kernel.name), names[i]);
		assert_string_equal(scan_string(&scan, launch.name), names[i]);
		assert_int_equal(kernel.end_ns - kernel.start_ns, 300000);
		assert_true(kernel.start_ns >= before.end_ns); /* the legacy barrier */
		before = kernel;
	}
	scan_get(&scan, scan_find(&scan, GST_REC_KERNEL, 1), &kernel, sizeof(kernel));
	assert_int_equal(kernel.stream, 7);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	assert_int_equal(scan.records[scan.count - 1].kind, GST_REC_END);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_true(scan_count(&scan, GST_REC_ANCHOR) >= 2);
	assert_true(scan_count(&scan, GST_REC_DEVICE) >= 1);
	assert_true(scan_count(&scan, GST_REC_CONTEXT) >= 1);
	assert_true(scan_count(&scan, GST_REC_STREAM) >= 3);
	scan_release(&scan);
}

/* A launch is three records: call, return, kernel. */
static void launches_take_few_bytes(void **state)
{
	struct run *run = *state;
	struct gst_rec_kernel kernel;
	struct scan scan;
	struct stat about;
	size_t open;

	run_script(run, "stream s; repeat 2000 { launch s k 1us }; devsync");
	assert_int_equal(stat(run->trace, &about), 0);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 2000);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 2000);
	for (size_t i = 0; i < 2000; i++) {
		size_t at = scan_find(&scan, GST_REC_KERNEL, i);

		scan_get(&scan, at, &kernel, sizeof(kernel));
		assert_int_equal(kernel.end_ns - kernel.start_ns, 1000);
		assert_true(scan.records[at].is_short);
	}
	/* Definitions, headers and all. */
	assert_true((size_t)about.st_size <= 40 * scan.count);
	scan_release(&scan);
}

static void each_kind_of_call_is_recorded(void **state)
{
	struct run *run = *state;
	struct gst_rec_call_copy copy;
	struct gst_rec_memcpy done;
	struct gst_rec_call_event event;
	struct gst_rec_call_exit left;
	struct scan scan;
	uint64_t handle;
	size_t open, i;

	run->env[0] = "GSTRACE_EVENT_IDS=always";
	run_script(
		run,
		"stream s nonblocking -2; event e; "
		"memcpy h2d pageable 64KiB s; memcpy d2h pinned 1KiB s; memcpy h2d pageable 4KiB; "
		"memset 4096 s; record e s; wait 0 e; query e; sync e; query s; sync s; "
		"hostfunc s 10us; launch-ex s k 1us; malloc m 1MiB; malloc a 64KiB s; free a s; free m; "
		"hostalloc h 4KiB; hostfree h; "
		"capture s; launch s captured 5us; endcapture s g; instantiate g x; graphlaunch x s; "
		"devsync; destroy e; destroy s; reset");
	run_assert_ended(run, 0);
	assert_string_equal(run->err, "");
	scan_open(&scan, run->trace);
	static const char *const once[] = {
		"cuMemcpyHtoDAsync_v2",
		"cuMemcpyDtoHAsync_v2",
		"cudaMemcpy_v3020",
		"cuMemsetD8Async",
		"cuEventRecord",
		"cuStreamWaitEvent",
		"cuEventQuery",
		"cudaEventSynchronize_v3020",
		"cuStreamQuery",
		"cudaStreamSynchronize_v3020",
		"cuLaunchHostFunc",
		"cuLaunchKernelEx",
		"cudaMalloc_v3020",
		"cuMemAllocAsync",
		"cuMemFreeAsync",
		"cudaFree_v3020",
		"cudaHostAlloc_v3020",
		"cudaFreeHost_v3020",
		"cuStreamBeginCapture_v2",
		"cuStreamEndCapture",
		"cuGraphInstantiateWithFlags",
		"cuGraphLaunch",
		"cuEventCreate",
		"cuEventDestroy_v2",
		"cuStreamDestroy_v2",
		"cudaDeviceReset_v3020",
	};
	for (i = 0; i < sizeof(once) / sizeof(once[0]); i++) {
		size_t calls = scan_calls(&scan, once[i], &open);

		if (calls != 1 || open) {
			fail_msg("%s: %zu calls, %zu open", once[i], calls, open);
		}
	}
	scan_get(&scan, scan_find(&scan, GST_REC_CALL_COPY, 0), &copy, sizeof(copy));
	assert_int_equal(copy.size, 64 << 10);
	assert_int_equal(copy.direction, GST_COPY_HTOD);
	assert_true(copy.stream > 2);
	scan_get(&scan, scan_find(&scan, GST_REC_CALL_COPY, 2), &copy, sizeof(copy));
	assert_int_equal(copy.size, 4 << 10);
	assert_int_equal(copy.direction, GST_COPY_HTOD); /* read from the runtime call's kind */
	assert_int_equal(scan_count(&scan, GST_REC_MEMCPY), 3);
	scan_get(&scan, scan_find(&scan, GST_REC_MEMCPY, 0), &done, sizeof(done));
	assert_int_equal(done.src_kind, GST_MEM_PAGEABLE);
	assert_int_equal(done.dst_kind, GST_MEM_DEVICE);
	assert_int_equal(done.is_async, 1);
	/* the handle an event create gave is the one recorded later */
	i = scan_find(&scan, GST_REC_CALL_EVENT, 0);
	scan_get(&scan, i, &event, sizeof(event));
	for (i++; scan.records[i].kind != GST_REC_CALL_EXIT; i++) {
	}
	scan_get(&scan, i, &left, sizeof(left));
	handle = left.value;
	assert_true(handle != 0);
	scan_get(&scan, scan_find(&scan, GST_REC_CALL_EVENT, 1), &event, sizeof(event));
	assert_int_equal(event.event, handle);
	assert_true(scan_count(&scan, GST_REC_EVENT) >= 1);
	assert_true(scan_count(&scan, GST_REC_SYNC) >= 4);
	assert_true(scan_count(&scan, GST_REC_MEMORY) >= 6);
	/* a graph launch is one device record unless nodes are asked for */
	assert_int_equal(scan_count(&scan, GST_REC_GRAPH_RUN), 1);
	scan_release(&scan);
}

/* Which record a wait means is asked of CUPTI when calls alone might not tell. */
static void events_are_numbered_for_two_threads(void **state)
{
	static const struct {
		const char *setting, *script;
		bool has_ids;
	} cases[] = {
		{NULL, "stream a; event e; record e a; wait 0 e; devsync", false},
		{NULL,
		 "stream a; event e; record e a; thread { record e a; wait 0 e; sleep 5ms }; join; record e a; "
		 "devsync",
		 true},
		{"GSTRACE_EVENT_IDS=always", "stream a; event e; record e a; wait 0 e; devsync",
		 true},
		{"GSTRACE_EVENT_IDS=never",
		 "stream a; event e; record e a; thread { record e a; wait 0 e }; join; devsync",
		 false},
	};
	struct run *run = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scan scan;
		size_t open;

		run->env[0] = cases[i].setting;
		run_script(run, cases[i].script);
		scan_open(&scan, run->trace);
		assert_true(scan_calls(&scan, "cuEventRecord", &open) >= 1);
		assert_int_equal(scan_count(&scan, GST_REC_EVENT) > 0, cases[i].has_ids);
		assert_int_equal(scan_count(&scan, GST_REC_SYNC) > 0, cases[i].has_ids);
		assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
		scan_release(&scan);
		unlink(run->trace);
	}
}

static void errors_are_recorded(void **state)
{
	struct run *run = *state;
	struct gst_rec_call_exit left;
	struct gst_rec_note note;
	struct scan scan;
	size_t open, failed = 0, shown = 0;

	run_script(run,
		   "stream s; launch s k 1us; fail 2; malloc m 1MiB; fail 700; query s; fail 719; "
		   "launch s k 1us; devsync");
	run_assert_ended(run, 0);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 2);
	for (size_t n = 0, i; (i = scan_find(&scan, GST_REC_CALL_EXIT, n)) != SIZE_MAX; n++) {
		scan_get(&scan, i, &left, sizeof(left));
		if (left.result) {
			assert_int_equal(left.result, failed == 0 ? 2 : failed == 1 ? 700 : 719);
			failed++;
		}
		if (left.result == 700) {
			/* the first that shows an asynchronous error, and no other, has a note */
			for (size_t m = 0; scan_find(&scan, GST_REC_NOTE, m) != SIZE_MAX; m++) {
				scan_get(&scan, scan_find(&scan, GST_REC_NOTE, m), &note,
					 sizeof(note));
				if (note.code == GST_NOTE_ASYNC_ERROR) {
					assert_int_equal(note.head.corr, left.head.corr);
					assert_int_equal(note.detail, 700);
					shown++;
				}
			}
		}
	}
	assert_int_equal(failed, 3);
	assert_int_equal(shown, 1);
	scan_release(&scan);
}

static void graphs_have_nodes_and_edges(void **state)
{
	struct run *run = *state;
	struct gst_rec_graph graph, clone;
	struct gst_rec_graph_node node[6];
	struct gst_rec_graph_edge edge;
	struct gst_rec_graph_exec exec;
	struct gst_rec_call_graph launch;
	struct gst_rec_graph_run ran;
	struct scan scan;

	run_script(run, "stream s; capture s; launch s a 5us; hostfunc s 1us; launch s b 5us; "
			"endcapture s g; instantiate g x; graphlaunch x s; devsync");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_GRAPH), 2);
	scan_get(&scan, scan_find(&scan, GST_REC_GRAPH, 0), &graph, sizeof(graph));
	scan_get(&scan, scan_find(&scan, GST_REC_GRAPH, 1), &clone, sizeof(clone));
	assert_true(graph.graph != 0 && graph.handle != 0);
	assert_int_equal(graph.original, 0);
	assert_int_equal(clone.original, graph.graph);
	assert_int_equal(scan_count(&scan, GST_REC_GRAPH_NODE), 6);
	for (size_t i = 0; i < 6; i++) {
		scan_get(&scan, scan_find(&scan, GST_REC_GRAPH_NODE, i), &node[i], sizeof(node[i]));
		assert_int_equal(node[i].graph, i < 3 ? graph.graph : clone.graph);
		assert_int_equal(node[i].type, i % 3 == 1 ? GST_NODE_HOST : GST_NODE_KERNEL);
		assert_int_equal(node[i].change, GST_GRAPH_CHANGE_MADE);
		assert_int_equal(node[i].node >> 32, node[i].graph);
		assert_int_equal(node[i].original, i < 3 ? 0 : node[i - 3].node);
		assert_true(node[i].handle != 0 && node[i].head.corr != 0);
	}
	assert_string_equal(scan_string(&scan, node[0].name), "a");
	assert_int_equal(node[1].name, 0);
	assert_string_equal(scan_string(&scan, node[2].name), "b");
	assert_int_equal(scan_count(&scan, GST_REC_GRAPH_EDGE), 4);
	for (size_t i = 0; i < 4; i++) {
		size_t to = i + 1 + i / 2;

		scan_get(&scan, scan_find(&scan, GST_REC_GRAPH_EDGE, i), &edge, sizeof(edge));
		assert_int_equal(edge.from, node[to - 1].node);
		assert_int_equal(edge.to, node[to].node);
		assert_int_equal(edge.port, 0);
	}
	/* the executable graph of the launch is known by both its names */
	assert_int_equal(scan_count(&scan, GST_REC_GRAPH_EXEC), 1);
	scan_get(&scan, scan_find(&scan, GST_REC_GRAPH_EXEC, 0), &exec, sizeof(exec));
	assert_int_equal(exec.graph, graph.graph);
	for (size_t n = 0;; n++) {
		scan_get(&scan, scan_find(&scan, GST_REC_CALL_GRAPH, n), &launch, sizeof(launch));
		if (launch.exec) {
			break;
		}
	}
	assert_int_equal(launch.exec, exec.exec);
	scan_get(&scan, scan_find(&scan, GST_REC_GRAPH_RUN, 0), &ran, sizeof(ran));
	assert_int_equal(ran.graph, exec.id);
	scan_release(&scan);
}

static void modules_are_told_with_their_call(void **state)
{
	struct run *run = *state;
	struct gst_rec_call_launch launch;
	struct gst_rec_module module;
	struct scan scan;

	run_script(run, "stream s; launch s a 1us; launch s b 1us; devsync");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_MODULE), 1);
	scan_get(&scan, scan_find(&scan, GST_REC_MODULE, 0), &module, sizeof(module));
	scan_get(&scan, scan_find(&scan, GST_REC_CALL_LAUNCH, 0), &launch, sizeof(launch));
	assert_int_equal(module.head.corr, launch.head.corr);
	assert_int_equal(module.module, 1);
	assert_int_equal(module.ctx, 1);
	assert_int_equal(module.size, 16);
	scan_release(&scan);
}

static void modules_end_with_their_call(void **state)
{
	struct run *run = *state;
	struct gst_rec_module module;
	struct gst_rec_call call;
	struct scan scan;
	size_t last, unloads = 0;

	/* loaded, unloaded and loaded again: the third window is told of one */
	run->env[0] = "GSTRACE_START=paused";
	run_script(run, "stream s; profiler on; launch s a 1us; devsync; unload; profiler off; "
			"profiler on; launch s b 1us; devsync; profiler off; sleep 250ms; "
			"profiler on; launch s c 1us; devsync; profiler off");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_MODULE), 4);
	scan_get(&scan, scan_find(&scan, GST_REC_MODULE, 1), &module, sizeof(module));
	for (size_t i = 0; i < scan.count; i++) {
		if (scan.records[i].kind == GST_REC_CALL) {
			scan_get(&scan, i, &call, sizeof(call));
			unloads += !strcmp(gst_api_find(call.api)->name, "cuModuleUnload") &&
				   call.head.corr == module.head.corr;
		}
	}
	assert_int_equal(unloads, 1);
	assert_int_equal(module.change, GST_GRAPH_CHANGE_REMOVED);
	assert_int_equal(module.module, 1);
	last = scan_find(&scan, GST_REC_MODULE, 3);
	assert_int_equal(scan.records[last].segment, 2);
	scan_get(&scan, last, &module, sizeof(module));
	assert_int_equal(module.change, GST_GRAPH_CHANGE_MADE);
	assert_int_equal(module.head.corr, 0);
	scan_release(&scan);
}

static void calls_about_memory_have_their_details(void **state)
{
	static const struct {
		const char *symbol;
		uint64_t object, value;
		uint32_t flags;
		int32_t place;
		uint32_t count;
		bool has_stream;
	} wanted[] = {
		{"cuStreamWriteValue32_v2", 0x7f3000000000u, 7, 1, 0, 0, true},
		{"cuStreamWaitValue64_v2", 0x7f3000000000u, 8, 2, 0, 0, true},
		{"cuStreamBatchMemOp_v2", 0, 3, 0, 0, 3, true},
		{"cuSignalExternalSemaphoresAsync", 0x777, 0, 0, 0, 2, true},
		{"cuMemPrefetchAsync_v2", 0x7f3000000000u, 4096, 0, 4, 0, true},
		{"cuStreamAttachMemAsync", 0x7f3000000000u, 8192, 4, 0, 0, true},
		{"cuPointerSetAttribute", 0x7f3000000000u, 1, 6, 0, 0, false},
		{"cuMemPoolSetAttribute", 0x999, UINT64_C(1) << 33, 4, 0, 0, false},
		{"cuDeviceSetMemPool", 0x999, 0, 0, 3, 0, false},
		{"cuCtxSetLimit", 2, 1 << 20, 0, 0, 0, false},
		{"cuCtxEnablePeerAccess", 0x888, 0, 0, 0, 0, false},
		{"cuDevicePrimaryCtxSetFlags_v2", 0, 0, 0x80, 2, 0, false},
	};
	struct run *run = *state;
	struct gst_rec_call_copy copy;
	struct gst_rec_memop op[5];
	struct gst_rec_call call;
	struct scan scan;
	size_t open;

	run_script(run, "stream s; memory write-value s; memory wait-value s; memory batch s; "
			"memory signal-semaphore s; memory prefetch s; memory attach s; "
			"memory sync-memops; memory pool-attribute; memory device-pool; "
			"memory limit; memory peer; memory context-flags; memory batch-copy s");
	run_assert_ended(run, 0);
	scan_open(&scan, run->trace);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct gst_api *api =
			gst_api_find_name(wanted[i].symbol, strlen(wanted[i].symbol));

		assert_non_null(api);
		scan_get(&scan, scan_find(&scan, GST_REC_CALL, i), &call, sizeof(call));
		if (call.api != api->api || call.object != wanted[i].object ||
		    call.value != wanted[i].value || call.flags != wanted[i].flags ||
		    call.place != wanted[i].place || call.count != wanted[i].count ||
		    (call.stream != 0) != wanted[i].has_stream) {
			fail_msg(
				"%s: object %#lx value %lu flags %#x place %d count %u stream %#lx",
				wanted[i].symbol, (unsigned long)call.object,
				(unsigned long)call.value, call.flags, call.place, call.count,
				(unsigned long)call.stream);
		}
	}
	/* element by element, in order, between their call and its exit */
	assert_int_equal(scan_count(&scan, GST_REC_MEMOP), 5);
	for (size_t i = 0; i < 5; i++) {
		size_t at = scan_find(&scan, GST_REC_MEMOP, i);

		scan_get(&scan, at, &op[i], sizeof(op[i]));
		scan_get(&scan, scan_find(&scan, GST_REC_CALL, i < 2 ? i : 2), &call, sizeof(call));
		assert_int_equal(op[i].head.corr, call.head.corr);
		assert_true(at > scan_find(&scan, GST_REC_CALL, i < 2 ? i : 2));
		assert_int_equal(op[i].index, i < 2 ? 0 : i - 2);
	}
	assert_true(op[0].type == GST_MEMOP_WRITE_32 && op[0].value == 7 && op[0].flags == 1);
	assert_true(op[1].type == GST_MEMOP_WAIT_64 && op[1].value == 8 && op[1].flags == 2);
	assert_true(op[2].type == GST_MEMOP_WAIT_64 && op[2].value == UINT64_C(1) << 40);
	assert_true(op[2].address == 0x7f3000000000u && op[2].flags == 1);
	assert_true(op[3].type == GST_MEMOP_BARRIER && op[3].flags == 1 && !op[3].address);
	assert_true(op[4].type == GST_MEMOP_WRITE_32 && op[4].value == UINT32_MAX - 5u);
	assert_true(op[4].address == 0x7f3000000008u);
	scan_get(&scan, scan_find(&scan, GST_REC_CALL_COPY, 0), &copy, sizeof(copy));
	assert_int_equal(copy.count, 3);
	assert_int_equal(copy.size, 16 + 32 + 64);
	assert_int_equal(copy.access, GST_ACCESS_ANY); /* the weakest */
	assert_int_equal(scan_calls(&scan, "cuMemcpyBatchAsync_v2", &open), 1);
	scan_release(&scan);
}

static void graph_nodes_are_recorded_on_request(void **state)
{
	struct run *run = *state;
	struct gst_rec_kernel kernel;
	struct scan scan;

	run->env[0] = "GSTRACE_GRAPHS=nodes";
	run_script(run, "stream s; capture s; launch s a 5us; launch s b 5us; endcapture s g; "
			"instantiate g x; graphlaunch x s; graphlaunch x s; devsync");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_GRAPH_RUN), 0);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 4);
	scan_get(&scan, scan_find(&scan, GST_REC_KERNEL, 0), &kernel, sizeof(kernel));
	assert_true(kernel.graph_node != 0);
	scan_release(&scan);
}

static void the_per_thread_default_stream_is_told_apart(void **state)
{
	struct run *run = *state;
	struct gst_rec_stream stream;
	struct gst_rec_kernel kernel;
	uint32_t owner[2] = {0};
	struct scan scan;
	size_t open;

	run_script(
		run,
		"default-stream per-thread; launch 0 a 10us; memcpy h2d pageable 1KiB; "
		"thread { launch 0 b 10us; sync 0 }; join; sync 0; runtime off; launch 0 c 10us; devsync");
	run_assert_ended(run, 0);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel_ptsz", &open), 3);
	assert_int_equal(scan_calls(&scan, "cudaMemcpy_ptds_v7000", &open), 1);
	assert_int_equal(scan_calls(&scan, "cudaStreamSynchronize_ptsz_v7000", &open), 2);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 0);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 3);
	/* each thread's stream has its owner, told once */
	for (size_t n = 0, i; (i = scan_find(&scan, GST_REC_STREAM, n)) != SIZE_MAX; n++) {
		scan_get(&scan, i, &stream, sizeof(stream));
		if (stream.thread) {
			assert_true(stream.thread == 1 || stream.thread == 2);
			owner[stream.thread - 1] += stream.stream;
		}
	}
	for (size_t n = 0; n < 3; n++) {
		struct gst_rec_call_launch launch;

		scan_get(&scan, scan_find(&scan, GST_REC_KERNEL, n), &kernel, sizeof(kernel));
		for (size_t c = 0; c < 3; c++) {
			size_t at = scan_find(&scan, GST_REC_CALL_LAUNCH, c);

			scan_get(&scan, at, &launch, sizeof(launch));
			if (launch.head.corr == kernel.head.corr) {
				assert_int_equal(owner[scan.records[at].thread - 1], kernel.stream);
			}
		}
	}
	scan_release(&scan);
}

static void many_threads_keep_their_order(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run_script(
		run,
		"stream s1; stream s2; "
		"thread { repeat 500 { launch s1 a 0 } } ; thread { repeat 500 { launch s2 b 0 } }; "
		"thread { repeat 500 { launch 0 c 0 } } ; thread { repeat 100 { event e; record e s1; destroy e } }; "
		"repeat 20 { thread { launch s1 short 0 } } ; join; devsync");
	run_assert_ended(run, 0);
	scan_open(&scan, run->trace);
	/* scan_calls checks enter, exit and times of every thread */
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1520);
	assert_int_equal(open, 0);
	assert_int_equal(scan_calls(&scan, "cuEventRecord", &open), 100);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 1520);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_true(scan_count(&scan, GST_REC_THREAD) >= 25);
	scan_release(&scan);
}

static void private_leaves_out_names(void **state)
{
	struct run *run = *state;
	char host[256] = "";
	char *bytes;
	size_t size;
	FILE *file;

	gethostname(host, sizeof(host) - 1);
	run->env[0] = "GSTRACE_PRIVATE=1";
	run_script(run, "launch 0 k 1us; devsync");
	assert_int_equal(run->traces, 1);
	file = fopen(run->trace, "rb");
	assert_non_null(file);
	bytes = calloc(1, 1 << 20);
	assert_non_null(bytes);
	size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	/* the short name of the program stays; its path, its words and the folders go */
	assert_null(memmem(bytes, size, "/fake_app", 9));
	assert_null(memmem(bytes, size, "devsync", 7));
	assert_null(memmem(bytes, size, "libfake_cupti", 13));
	assert_null(memmem(bytes, size, run->dir, strlen(run->dir)));
	if (strlen(host) > 3) {
		assert_null(memmem(bytes, size, host, strlen(host)));
	}
	free(bytes);
}

static void names_with_odd_bytes_survive(void **state)
{
	struct run *run = *state;
	struct gst_rec_kernel kernel;
	struct scan scan;

	run_script(run, "launch 0 k\033[31m\"\\\xff 1us; devsync");
	scan_open(&scan, run->trace);
	scan_get(&scan, scan_find(&scan, GST_REC_KERNEL, 0), &kernel, sizeof(kernel));
	assert_string_equal(scan_string(&scan, kernel.name), "k\033[31m\"\\\xff");
	scan_release(&scan);
}

static void streams_have_handles(void **state)
{
	static const char *const modes[] = {"GSTRACE_MODE=full", "GSTRACE_MODE=order"};
	struct run *run = *state;
	struct gst_rec_stream stream;
	struct gst_rec_context context;
	struct scan scan;
	size_t open, index;

	for (size_t m = 0; m < 2; m++) {
		size_t found = 0;

		run->env[0] = modes[m];
		unlink(run->trace);
		run_script(run, "stream s nonblocking -2; stream t; launch s k 1us; devsync");
		scan_open(&scan, run->trace);
		assert_int_equal(scan_calls(&scan, "cuStreamCreateWithPriority", &open), 2);
		for (size_t n = 0; (index = scan_find(&scan, GST_REC_STREAM, n)) != SIZE_MAX; n++) {
			scan_get(&scan, index, &stream, sizeof(stream));
			if (!stream.handle) {
				continue;
			}
			/* made by a call that is in the trace */
			assert_true(stream.head.corr != 0);
			assert_int_equal(stream.ctx, 1);
			assert_int_equal(stream.type,
					 found ? GST_STREAM_BLOCKING : GST_STREAM_NONBLOCKING);
			assert_int_equal(stream.priority, found ? 0 : -2);
			found++;
		}
		assert_int_equal(found, 2);
		scan_get(&scan, scan_find(&scan, GST_REC_CONTEXT, 0), &context, sizeof(context));
		assert_true(context.ctx == 1 && context.handle != 0);
		scan_release(&scan);
	}
}

static void settings_are_listed_by_purpose(void **state)
{
	struct run *run = *state;
	const char *at;

	run->env[0] = "GSTRACE_HELP=1";
	run->env[1] = "GSTRACE_DISABLE=1";
	run_script(run, "launch 0 k 1us; print done");
	run_assert_ended(run, 0);
	assert_string_equal(run->out, "done\n");
	assert_int_equal(run->traces, 0);
	at = strstr(run->err, "what is recorded:");
	assert_non_null(at);
	at = strstr(at, "GSTRACE_MODE (full)");
	assert_non_null(at);
	at = strstr(at, "when:");
	assert_non_null(at);
	assert_non_null(strstr(at, "GSTRACE_MAX_SIZE (0)"));
}

static void order_mode_has_calls_alone(void **state)
{
	struct run *run = *state;
	struct gst_rec_trace trace;
	struct scan scan;
	size_t open;

	run->env[0] = "GSTRACE_MODE=order";
	run_script(run, THREE_KERNELS);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 3);
	/* of the driver alone: what the runtime calls of it */
	assert_int_equal(scan_calls(&scan, "cudaDeviceSynchronize_v3020", &open), 0);
	assert_int_equal(scan_calls(&scan, "cuCtxSynchronize_v2", &open), 1);
	assert_int_equal(open, 0);
	assert_int_equal(scan_count(&scan, GST_REC_KERNEL), 0);
	assert_int_equal(scan_count(&scan, GST_REC_END), 1);
	scan_get(&scan, scan_find(&scan, GST_REC_TRACE, 0), &trace, sizeof(trace));
	/* how the machine counts time is its own matter */
	assert_int_equal(trace.options & ~(uint32_t)GST_TRACE_COUNTED_CALLS, GST_TRACE_NO_DEVICE);
	scan_release(&scan);
}

static void nvtx_ranges_stand_among_the_calls(void **state)
{
	static const struct {
		uint32_t what;
		const char *name;
		const char *domain;
	} wanted[] = {
		{GST_NVTX_PUSH, "outer", ""},
		{GST_NVTX_PUSH, "inner", ""},
		{GST_NVTX_POP_RANGE, "", ""},
		{GST_NVTX_MARK, "here", ""},
		{GST_NVTX_START, "long", ""},
		{GST_NVTX_POP_RANGE, "", ""},
		{GST_NVTX_STOP, "", ""},
		{GST_NVTX_MARK, "text", "dom"},
		{GST_NVTX_MARK, "h\303\266he", ""},
		{GST_NVTX_MARK, "", ""},
	};
	struct run *run = *state;
	struct gst_rec_nvtx nvtx[10];
	struct gst_rec_nvtx_name name;
	struct gst_rec_stream stream;
	struct scan scan;
	size_t open;

	run->has_nvtx = true;
	/* strings and domains may come before CUDA does */
	run_script(
		run,
		"nvtx domain dom; nvtx register text; nvtx mark too-early; stream s; "
		"nvtx push outer; nvtx push-ex inner; launch s k 1us; nvtx pop; nvtx mark here; "
		"nvtx start long r; nvtx pop; nvtx end r; nvtx domain-mark; nvtx mark-wide; "
		"nvtx foreign; nvtx name-stream fast s; nvtx name-thread main; devsync; print done");
	run_assert_ended(run, 0);
	assert_string_equal(run->out, "done\n");
	assert_string_equal(run->err, "");
	scan_open(&scan, run->trace);
	assert_false(scan_has_note(&scan, GST_NOTE_NO_NVTX));
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	assert_int_equal(scan_count(&scan, GST_REC_NVTX), 10);
	for (size_t i = 0; i < 10; i++) {
		scan_get(&scan, scan_find(&scan, GST_REC_NVTX, i), &nvtx[i], sizeof(nvtx[i]));
		assert_int_equal(nvtx[i].what, wanted[i].what);
		assert_string_equal(scan_string(&scan, nvtx[i].name), wanted[i].name);
		assert_string_equal(scan_string(&scan, nvtx[i].domain), wanted[i].domain);
		assert_true(nvtx[i].time_ns >= nvtx[i ? i - 1 : 0].time_ns);
	}
	assert_true(nvtx[1].category == 9 && nvtx[1].color == 0xff00ff00);
	assert_true(nvtx[1].payload == 77 && nvtx[1].payload_type == 1);
	assert_true(nvtx[4].id != 0 && nvtx[4].id == nvtx[6].id);
	assert_true(scan_find(&scan, GST_REC_NVTX, 1) < scan_find(&scan, GST_REC_CALL_LAUNCH, 0));
	assert_true(scan_find(&scan, GST_REC_NVTX, 2) > scan_find(&scan, GST_REC_CALL_LAUNCH, 0));
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1);
	assert_int_equal(scan_count(&scan, GST_REC_NVTX_NAME), 2);
	for (size_t n = 0;; n++) {
		scan_get(&scan, scan_find(&scan, GST_REC_STREAM, n), &stream, sizeof(stream));
		if (stream.handle) {
			break;
		}
	}
	scan_get(&scan, scan_find(&scan, GST_REC_NVTX_NAME, 0), &name, sizeof(name));
	assert_int_equal(name.type, GST_NVTX_OF_STREAM);
	assert_int_equal(name.object, stream.handle);
	assert_string_equal(scan_string(&scan, name.name), "fast");
	scan_get(&scan, scan_find(&scan, GST_REC_NVTX_NAME, 1), &name, sizeof(name));
	assert_int_equal(name.type, GST_NVTX_OF_THREAD);
	assert_int_equal(name.object, 4711);
	scan_release(&scan);
}

static void a_trace_without_nvtx_says_so(void **state)
{
	struct run *run = *state;
	struct scan scan;

	run_script(run, "nvtx push outer; launch 0 k 1us; nvtx pop; devsync");
	run_assert_ended(run, 0);
	scan_open(&scan, run->trace);
	assert_true(scan_has_note(&scan, GST_NOTE_NO_NVTX));
	assert_int_equal(scan_count(&scan, GST_REC_NVTX), 0);
	scan_release(&scan);
	unlink(run->trace);
	run->env[0] = "NVTX_INJECTION64_PATH=/usr/lib/another_tool.so";
	run_script(run, "launch 0 k 1us; devsync");
	scan_open(&scan, run->trace);
	assert_true(scan_has_note(&scan, GST_NOTE_NO_NVTX));
	scan_release(&scan);
}

/* NVTX alone, in a program that never comes to CUDA: nothing happens. */
static void nvtx_without_cuda_does_nothing(void **state)
{
	struct run *run = *state;

	run->has_nvtx = true;
	run_script(run, "nvtx push outer; nvtx start long r; nvtx end r; nvtx pop; print done");
	run_assert_ended(run, 0);
	assert_string_equal(run->out, "done\n");
	assert_int_equal(run->traces, 0);
}

static void host_functions_say_when_they_ran(void **state)
{
	struct run *run = *state;
	struct gst_rec_host_run ran;
	struct gst_rec_call_host call;
	struct gst_rec_thread thread;
	struct scan scan;
	size_t open;

	run_script(run, "stream s; hostrun s 1ms; devsync; hostruns");
	assert_string_equal(run->out, "1\n");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_count(&scan, GST_REC_HOST_RUN), 0); /* not asked for */
	scan_release(&scan);
	unlink(run->trace);
	run->env[0] = "GSTRACE_HOST_FUNCTIONS=wrap";
	/* in a capture and in a failed call nothing of ours runs; many failed ones use no places up */
	run_script(run, "stream s; hostrun s 2ms; capture s; hostrun s 1ms; endcapture s g; "
			"repeat 3000 { fail 719; hostrun s 1ms }; hostrun 0 0; devsync; hostruns");
	run_assert_ended(run, 0);
	assert_string_equal(run->out, "2\n");
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchHostFunc", &open), 3003);
	assert_int_equal(scan_count(&scan, GST_REC_HOST_RUN), 2);
	assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
	scan_get(&scan, scan_find(&scan, GST_REC_HOST_RUN, 0), &ran, sizeof(ran));
	scan_get(&scan, scan_find(&scan, GST_REC_CALL_HOST, 0), &call, sizeof(call));
	scan_get(&scan, scan_find(&scan, GST_REC_THREAD, 0), &thread, sizeof(thread));
	assert_int_equal(ran.head.corr, call.head.corr);
	assert_true(ran.end_ns - ran.start_ns >= 2000000);
	assert_true(ran.tid != 0 && ran.tid != thread.tid);
	assert_int_equal(ran.ctx, 1);
	assert_true(ran.stream >= 13);
	/* the call names the program's function, not ours */
	assert_true(call.function != 0 && call.user != 0);
	scan_get(&scan, scan_find(&scan, GST_REC_HOST_RUN, 1), &ran, sizeof(ran));
	assert_int_equal(ran.stream, 7);
	scan_release(&scan);
}

/* From 13.1 on CUPTI says where and when host functions ran. */
static void a_newer_cupti_tells_of_host_functions(void **state)
{
	static const struct {
		const char *version;
		const char *env;
		size_t runs;
	} cases[] = {
		{"fault version 130100; ", "GSTRACE_GRAPHS=nodes", 3},
		{"fault version 130100; ", "GSTRACE_GRAPHS=launches", 1},
		{"fault version 130100; ", "GSTRACE_MODE=order", 0},
		{"fault version 130100; ", "GSTRACE_HOST_FUNCTIONS=wrap", 0},
		{"fault version 130001; ", "GSTRACE_GRAPHS=nodes", 0},
	};
	struct run *run = *state;
	struct gst_rec_host_run ran;
	struct gst_rec_call_host call;
	struct gst_rec_call_graph launch;
	char script[400];
	struct scan scan;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unlink(run->trace);
		run->env[0] = cases[i].env;
		snprintf(
			script, sizeof(script),
			"%sstream s; hostfunc s 2ms; capture s; launch s k 1us; hostfunc s 1ms; "
			"endcapture s g; instantiate g x; graphlaunch x s; graphlaunch x s; devsync",
			cases[i].version);
		run_script(run, script);
		run_assert_ended(run, 0);
		scan_open(&scan, run->trace);
		assert_int_equal(scan_count(&scan, GST_REC_HOST_RUN), cases[i].runs);
		assert_int_equal(scan_count(&scan, GST_REC_LOSS), 0);
		assert_false(scan_has_note(&scan, GST_NOTE_KIND_OFF));
		assert_false(scan_has_note(&scan, GST_NOTE_ACTIVITY_OFF));
		for (size_t n = 0; n < cases[i].runs; n++) {
			scan_get(&scan, scan_find(&scan, GST_REC_HOST_RUN, n), &ran, sizeof(ran));
			assert_int_equal(ran.tid, 4711);
			assert_int_equal(ran.ctx, 1);
			assert_true(ran.stream >= 13);
			if (n == 0) {
				scan_get(&scan, scan_find(&scan, GST_REC_CALL_HOST, 0), &call,
					 sizeof(call));
				assert_int_equal(ran.head.corr, call.head.corr);
				assert_int_equal(ran.graph_node, 0);
				assert_int_equal(ran.end_ns - ran.start_ns, 2000000);
				continue;
			}
			assert_true(ran.graph_node != 0);
			assert_int_equal(ran.end_ns - ran.start_ns, 1000000);
			/* its corr is that of one of the launches */
			for (size_t c = 0;; c++) {
				size_t at = scan_find(&scan, GST_REC_CALL_GRAPH, c);

				assert_true(at != SIZE_MAX);
				scan_get(&scan, at, &launch, sizeof(launch));
				if (launch.head.corr == ran.head.corr) {
					break;
				}
			}
		}
		scan_release(&scan);
	}
}

/* Two libraries of one soname in a process would be one to the loader and two to CUDA. */
static void a_cupti_that_the_program_has_loaded_is_used(void **state)
{
	struct run *run = *state;
	struct scan scan;
	size_t open;

	run->library = "FAKE_CUPTI_NAMED";
	run->cupti = "/nowhere/libcupti.so.13";
	run_script(run, "launch 0 k 1us; devsync");
	run_assert_ended(run, 0);
	assert_string_equal(run->err, "");
	assert_int_equal(run->traces, 1);
	scan_open(&scan, run->trace);
	assert_int_equal(scan_calls(&scan, "cuLaunchKernel", &open), 1);
	scan_release(&scan);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_program_is_untouched),
		CASE(calls_and_kernels_are_in_order),
		CASE(launches_take_few_bytes),
		CASE(each_kind_of_call_is_recorded),
		CASE(events_are_numbered_for_two_threads),
		CASE(errors_are_recorded),
		CASE(graphs_have_nodes_and_edges),
		CASE(modules_are_told_with_their_call),
		CASE(modules_end_with_their_call),
		CASE(calls_about_memory_have_their_details),
		CASE(graph_nodes_are_recorded_on_request),
		CASE(the_per_thread_default_stream_is_told_apart),
		CASE(many_threads_keep_their_order),
		CASE(private_leaves_out_names),
		CASE(names_with_odd_bytes_survive),
		CASE(streams_have_handles),
		CASE(settings_are_listed_by_purpose),
		CASE(order_mode_has_calls_alone),
		CASE(nvtx_ranges_stand_among_the_calls),
		CASE(a_trace_without_nvtx_says_so),
		CASE(nvtx_without_cuda_does_nothing),
		CASE(host_functions_say_when_they_ran),
		CASE(a_newer_cupti_tells_of_host_functions),
		CASE(a_cupti_that_the_program_has_loaded_is_used),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
