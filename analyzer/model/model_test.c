/* model_test.c - what records make of streams, events, times and losses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/parallel.h"
#include "analyzer/load/gst_writer.h"
#include "analyzer/model/model.h"
#include "tracer/format/schema.h"

#define MAX_FILES 3

struct scene {
	struct gst_arena *arena;
	struct gst_loader *loaders[MAX_FILES];
	size_t count;
	const struct gst_model *m;
};

static void add_text(struct scene *s, const char *text)
{
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_err err = {0};

	if (gst_loader_open_memory(text, strlen(text), "text", &options, &s->loaders[s->count],
				   &err))
		fail_msg("%s", err.text);
	s->count++;
}

static const struct gst_model *build(struct scene *s)
{
	struct gst_err err = {0};
	const char *bad;

	s->arena = gst_arena_new(0);
	if (gst_model_build(s->loaders, s->count, s->arena, &s->m, &err))
		fail_msg("%s", err.text);
	bad = gst_model_validate(s->m);
	if (bad)
		fail_msg("invalid: %s", bad);
	return s->m;
}

static const struct gst_model *build_text(struct scene *s, const char *text)
{
	*s = (struct scene){0};
	add_text(s, text);
	return build(s);
}

static void drop(struct scene *s)
{
	for (size_t i = 0; i < s->count; i++)
		gst_loader_close(s->loaders[i]);
	gst_model_free(s->m);
	gst_arena_free(s->arena);
}

static const struct gst_stream *stream_of_op(const struct gst_model *m, gst_op_id op)
{
	assert_true(m->ops[op].stream < m->stream_count);
	return &m->streams[m->ops[op].stream];
}

#define EXIT(corr) "call_exit corr=" #corr " exit_ns=90000\n"

/* A record that names another lane than the handle is believed, and a note is made. */
static void test_record_wins(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk defs process=1\n"
		    "context ctx=1 null_stream=7\n"
		    "stream ctx=1 stream=13 type=blocking handle=0x100\n"
		    "stream ctx=1 stream=14 type=nonblocking handle=0x200\n"
		    "chunk events process=1 thread=1\n"
		    "call_launch corr=1 enter_ns=10 api=cuLaunchKernel ctx=1 stream=0x100\n"
		    "call_exit corr=1 exit_ns=20\n"
		    "chunk events process=1\n"
		    "kernel corr=1 start_ns=30 end_ns=40 ctx=1 stream=14\n");

	(void)state;
	assert_int_equal(stream_of_op(m, 0)->cupti_id, 14);
	assert_int_equal(m->calls[0].stream, m->ops[0].stream);
	assert_int_equal(m->note_count, 1);
	assert_int_equal(m->notes[0].detail, 1);
	drop(&s);
}

/* The event of a launched graph's node was recorded in a stream of CUDA's: that is not the launch's. */
static void test_node_tells_no_stream(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s,
		"gstext 1.0\nchunk defs process=1\n"
		"context ctx=1 null_stream=7\n"
		"stream ctx=1 stream=14 type=nonblocking handle=0x100\n"
		"stream ctx=1 stream=18 type=nonblocking\n"
		"chunk events process=1 thread=1\n"
		"call_graph corr=1 enter_ns=10 api=cuGraphLaunch ctx=1 stream=0x100 exec=0xe\n"
		"call_exit corr=1 exit_ns=20\n"
		"call_stream corr=2 enter_ns=30 api=cuStreamSynchronize ctx=1 stream=0x100\n"
		"call_exit corr=2 exit_ns=90\n"
		"chunk events process=1\n"
		"kernel corr=1 start_ns=30 end_ns=80 ctx=1 stream=18 graph_node=0x400000001 graph=4\n"
		"event corr=1 ctx=1 stream=18 event_id=2 sync_id=2\n");

	(void)state;
	assert_int_equal(stream_of_op(m, 0)->cupti_id, 14);
	assert_int_equal(m->calls[0].stream, m->calls[1].stream);
	assert_int_equal(m->note_count, 0);
	drop(&s);
}

/* CUPTI 11.8 beside a newer driver gives all that happens one correlation id, a synchronize's at best. */
static void test_stale_ids(void **state)
{
	struct scene s;
	const struct gst_model *m =
		build_text(&s, "gstext 1.0\nchunk defs process=1\nsegment index=0 flags=1\n"
			       "context ctx=1 null_stream=7\n"
			       "chunk events process=1 thread=1\n"
			       "call corr=5 enter_ns=10 api=cudaDeviceSynchronize_v3020 ctx=1\n"
			       "call_exit corr=5 exit_ns=20\n"
			       "call_event corr=5 enter_ns=30 api=cuEventRecord ctx=1 event=0x5\n"
			       "call_exit corr=5 exit_ns=40\n"
			       "call_event corr=5 enter_ns=50 api=cuEventRecord ctx=1 event=0x5\n"
			       "call_exit corr=5 exit_ns=60\n"
			       "chunk events process=1\n"
			       "kernel corr=5 start_ns=30 end_ns=40 ctx=1 stream=7\n"
			       "event corr=5 ctx=1 stream=7 event_id=1 sync_id=3\n"
			       "kernel corr=5 start_ns=50 end_ns=60 ctx=1 stream=7\n");

	(void)state;
	assert_int_equal(m->stats.ops_without_call, 2);
	assert_int_equal(m->stats.misjoined_records, 3);
	assert_false(m->is_complete);
	assert_int_equal(m->loss_count, 2);
	assert_int_equal(m->losses[1].kind, GST_REC_CALL);
	assert_int_equal(m->losses[1].reason, GST_LOSS_REFUSED);
	assert_false(m->events[0].history_is_complete);
	for (uint32_t i = 0; i < m->call_count; i++)
		assert_int_equal(m->calls[i].sync_id, 0);
	assert_true(m->ops[2].flags & GST_OP_NO_CALL);
	assert_true(m->ops[3].flags & GST_OP_NO_CALL);
	assert_int_equal(m->op_count, 4);
	drop(&s);
}

/* What a call of the runtime does inside has its id: the kernel is the launch's, not the loading's. */
static void test_shared_id(void **state)
{
	struct scene s;
	const struct gst_model *m =
		build_text(&s, "gstext 1.0\nchunk defs process=1\nsegment index=0 flags=1\n"
			       "context ctx=1 null_stream=7\n"
			       "chunk events process=1 thread=1\n"
			       "call corr=5 enter_ns=10 api=cuLibraryLoadData ctx=1\n"
			       "call_exit corr=5 exit_ns=20\n"
			       "call_launch corr=5 enter_ns=30 api=cuLaunchKernel ctx=1\n"
			       "call_exit corr=5 exit_ns=40\n"
			       "chunk events process=1\n"
			       "kernel corr=5 start_ns=50 end_ns=60 ctx=1 stream=7\n");

	(void)state;
	assert_int_equal(m->op_count, 1);
	assert_int_equal(m->ops[0].call, 1);
	assert_int_equal(m->stats.misjoined_records, 0);
	assert_true(m->is_complete || m->loss_count);
	drop(&s);
}

/* A launch has one kernel: of several records with its id, the first one after its begin. */
static void test_one_kernel_a_launch(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk defs process=1\ncontext ctx=1 null_stream=7\n"
		    "chunk events process=1 thread=1\n"
		    "call_launch corr=5 enter_ns=30 api=cuLaunchKernel ctx=1\n"
		    "call_exit corr=5 exit_ns=40\n"
		    "call_launch corr=6 enter_ns=60 api=cuLaunchCooperativeKernelMultiDevice "
		    "ctx=1 flags=0x40\n"
		    "call_exit corr=6 exit_ns=70\n"
		    "chunk events process=1\n"
		    "kernel corr=5 start_ns=20 end_ns=25 ctx=1 stream=7 grid_x=1\n"
		    "kernel corr=5 start_ns=90 end_ns=95 ctx=1 stream=7 grid_x=2\n"
		    "kernel corr=5 start_ns=50 end_ns=60 ctx=1 stream=7 grid_x=3\n"
		    "kernel corr=6 start_ns=100 end_ns=110 ctx=1 stream=7 grid_x=4\n"
		    "kernel corr=6 start_ns=100 end_ns=110 ctx=1 stream=8 grid_x=5\n");

	(void)state;
	assert_int_equal(m->calls[0].op_count, 1);
	assert_int_equal(m->kernels[m->ops[m->calls[0].first_op].detail].grid[0], 3);
	assert_int_equal(m->calls[1].op_count, 2);
	assert_int_equal(m->stats.misjoined_records, 2);
	assert_int_equal(m->stats.ops_without_call, 2);
	assert_false(m->is_complete);
	drop(&s);
}

/* Nodes of a loop's body name no call: neither they nor the launches that ran them are lost. */
static void test_body_without_launch(void **state)
{
	static const char text[] =
		"gstext 1.0\nchunk defs process=1\nsegment flags=1\ncontext ctx=1 null_stream=7\n"
		"stream ctx=1 stream=13 type=nonblocking handle=0x100\n"
		"graph graph=1 handle=0x10\n"
		"graph corr=2 graph=3 handle=0x30 original=1\n"
		"graph_exec corr=2 exec=0xe graph=1 id=3\n"
		"chunk events process=1 thread=1\n"
		"call_graph corr=2 enter_ns=12 api=cuGraphInstantiateWithFlags graph=0x10\n"
		"call_exit corr=2 exit_ns=13 value=0xe\n"
		"call_graph corr=3 enter_ns=20 api=cuGraphLaunch ctx=1 stream=0x100 exec=0xe\n"
		"call_exit corr=3 exit_ns=21\n"
		"call_launch corr=4 enter_ns=22 api=cuLaunchKernel ctx=1 stream=0x100\n"
		"call_exit corr=4 exit_ns=23\n"
		"chunk events process=1\n"
		"kernel start_ns=30 end_ns=40 ctx=1 stream=16 graph_node=0x300000001 graph=3\n"
		"kernel start_ns=50 end_ns=60 ctx=1 stream=16 graph_node=0x300000001 graph=3\n"
		"end time_ns=100\n";
	struct scene s;
	const struct gst_model *m = build_text(&s, text);

	(void)state;
	assert_int_equal(m->stats.nodes_without_launch, 2);
	assert_int_equal(m->stats.ops_without_call, 0);
	assert_int_equal(m->stats.launches_without_nodes, 1);
	/* The kernel's record is. */
	assert_int_equal(m->stats.ops_without_record, 1);
	assert_true(m->is_complete);
	drop(&s);
}

/* Work of which no call is in the trace makes it incomplete, unless the call can lie in a gap. */
static void test_homeless_record(void **state)
{
	static const char *const flags[] = {"1", "0"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct scene s;
		char text[512];
		const struct gst_model *m;

		(void)snprintf(text, sizeof(text),
			       "gstext 1.0\nchunk defs process=1\nsegment index=0 flags=%s\n"
			       "context ctx=1 null_stream=7\n"
			       "chunk events process=1 thread=1\n"
			       "call_launch corr=5 enter_ns=30 api=cuLaunchKernel ctx=1\n"
			       "call_exit corr=5 exit_ns=40\n"
			       "chunk events process=1\n"
			       "kernel corr=5 start_ns=40 end_ns=45 ctx=1 stream=7\n"
			       "kernel corr=4 start_ns=20 end_ns=25 ctx=1 stream=7\n"
			       "end time_ns=100\n",
			       flags[i]);
		m = build_text(&s, text);
		assert_int_equal(m->stats.ops_without_call, 1);
		assert_int_equal(m->stats.misjoined_records, 0);
		assert_int_equal(m->processes[0].is_complete, i == 1);
		drop(&s);
	}
}

/* Of calls with one id the middle one takes its record once, whether ids count up or are far and few. */
static void test_middle_of_one_id(void **state)
{
	static const char *const ids[] = {"9", "4000000000"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct scene s;
		char text[1024];
		const struct gst_model *m;

		(void)snprintf(text, sizeof(text),
			       "gstext 1.0\nchunk defs process=1\nsegment index=0 flags=1\n"
			       "context ctx=1 null_stream=7\n"
			       "chunk events process=1 thread=1\n"
			       "call_event corr=%s enter_ns=1010 api=cuEventRecord ctx=1 event=1\n"
			       "call_exit corr=%s exit_ns=1020\n"
			       "call_launch corr=%s enter_ns=1030 api=cuLaunchKernel ctx=1\n"
			       "call_exit corr=%s exit_ns=1040\n"
			       "call_event corr=%s enter_ns=1050 api=cuEventRecord ctx=1 event=2\n"
			       "call_exit corr=%s exit_ns=1060\n"
			       "chunk events process=1\n"
			       "kernel corr=%s start_ns=1040 end_ns=1045 ctx=1 stream=7\n"
			       "end time_ns=2000\n",
			       ids[i], ids[i], ids[i], ids[i], ids[i], ids[i], ids[i]);
		m = build_text(&s, text);
		assert_int_equal(m->op_count, 3);
		assert_int_equal(m->ops[1].call, 1);
		assert_int_equal(m->ops[1].begin_ns - m->calls[1].enter_ns, 10);
		assert_int_equal(m->ops[1].end_ns - m->calls[1].enter_ns, 15);
		assert_int_equal(m->stats.ops_without_record, 0);
		assert_true(m->processes[0].is_complete);
		drop(&s);
	}
}

#define PROCESSES 400

/* Many processes with a call each and an id far beyond it: a few bytes of the file are no table of ids each. */
static void test_far_ids_of_many(void **state)
{
	char *text = gst_mem_alloc((size_t)PROCESSES * 256);
	uint64_t before = gst_mem_used();
	size_t at = 0;
	struct scene s;

	(void)state;
	at += (size_t)snprintf(text, 32, "gstext 1.0\n");
	for (int i = 1; i <= PROCESSES; i++)
		at += (size_t)snprintf(
			text + at, 256,
			"chunk events process=%d thread=1\n"
			"call_launch corr=65000 enter_ns=30 api=cuLaunchKernel ctx=1\n"
			"call_exit corr=65000 exit_ns=40\n"
			"chunk events process=%d\n"
			"kernel corr=65000 start_ns=50 end_ns=60 ctx=1 stream=7\n",
			i, i);
	gst_mem_set_limit(before + (16u << 20));
	(void)build_text(&s, text);
	gst_mem_set_limit(0);
	assert_int_equal(s.m->op_count, PROCESSES);
	assert_int_equal(s.m->stats.ops_without_call, 0);
	drop(&s);
	gst_mem_free(text, (size_t)PROCESSES * 256);
}

/* What the tracer notes that it could not record is missing; what nothing rests on is not. */
static void test_notes_void(void **state)
{
	static const struct {
		const char *note;
		uint32_t kind, reason;
		bool is_complete;
	} cases[] = {
		{"code=callback-off text=\"no calls\"", GST_REC_CALL, GST_LOSS_REFUSED, false},
		{"code=activity-off text=\"no records\"", GST_REC_KERNEL, GST_LOSS_REFUSED, false},
		{"code=kind-off text=\"memset\"", GST_REC_MEMSET, GST_LOSS_REFUSED, false},
		{"code=kind-off text=\"a kind to come\"", 0, GST_LOSS_REFUSED, false},
		{"code=kind-off text=\"overhead\"", 0, 0, true},
		{"code=flush-hung text=\"hung\"", GST_REC_KERNEL, GST_LOSS_FLUSH_HUNG, false},
		{"code=cupti-fatal time_ns=50 text=\"bad\"", 0, GST_LOSS_REFUSED, false},
		{"code=write-failed time_ns=50", 0, GST_LOSS_WRITE_FAILED, false},
		{"code=no-nvtx text=\"no ranges\"", 0, 0, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene s;
		char text[512];
		const struct gst_model *m;

		(void)snprintf(text, sizeof(text),
			       "gstext 1.0\nchunk defs process=1\nnote %s\n"
			       "chunk events process=1 thread=1\n"
			       "call corr=1 enter_ns=10 api=cuCtxSynchronize\n"
			       "call_exit corr=1 exit_ns=60\nend time_ns=100\n",
			       cases[i].note);
		m = build_text(&s, text);
		assert_int_equal(m->processes[0].is_complete, cases[i].is_complete);
		assert_int_equal(m->is_complete, cases[i].is_complete);
		assert_int_equal(m->loss_count, !cases[i].is_complete);
		if (m->loss_count) {
			assert_int_equal(m->losses[0].kind, cases[i].kind);
			assert_int_equal(m->losses[0].reason, cases[i].reason);
		}
		drop(&s);
	}
}

/* The loss that the tracer wrote beside its note is not said twice. */
static void test_note_with_its_loss(void **state)
{
	struct scene s;
	const struct gst_model *m =
		build_text(&s, "gstext 1.0\nchunk defs process=1\n"
			       "note code=flush-hung time_ns=50 text=\"hung\"\n"
			       "loss reason=flush-hung since_ns=40\n"
			       "chunk events process=1 thread=1\n"
			       "call corr=1 enter_ns=10 api=cuCtxSynchronize\n"
			       "call_exit corr=1 exit_ns=60\nend time_ns=100\n");

	(void)state;
	assert_int_equal(m->loss_count, 1);
	drop(&s);
}

/* Without device records by choice: no op lacks one. */
static void test_order_mode(void **state)
{
	struct scene s;
	const struct gst_model *m =
		build_text(&s, "gstext 1.0\nchunk defs process=1\n"
			       "trace uuid_hi=1 uuid_lo=2 options=no-device-records\n"
			       "chunk events process=1 thread=1\n"
			       "call_launch corr=1 enter_ns=10 api=cuLaunchKernel ctx=1\n"
			       "call_exit corr=1 exit_ns=20\n"
			       "call_graph corr=2 enter_ns=30 api=cuGraphLaunch ctx=1\n"
			       "call_exit corr=2 exit_ns=40\nend time_ns=100\n");

	(void)state;
	assert_int_equal(m->op_count, 2);
	assert_int_equal(m->stats.ops_without_record, 0);
	assert_int_equal(m->ops[0].flags & GST_OP_NO_RECORD, 0);
	assert_int_equal(m->ops[1].flags & GST_OP_NO_RECORD, 0);
	drop(&s);
}

/* A stream of a green context: the record's context is the green one, the creation's the primary. */
static void test_green_stream(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk defs process=1\n"
		    "context ctx=1 null_stream=7\ncontext ctx=2 null_stream=16 parent=1\n"
		    "stream corr=1 ctx=1 stream=17 type=nonblocking\n"
		    "chunk events process=1 thread=1\n"
		    "call_stream corr=1 enter_ns=10 api=cuGreenCtxStreamCreate ctx=1 flags=1\n"
		    "call_exit corr=1 exit_ns=20 value=0x900\n"
		    "call_launch corr=2 enter_ns=30 api=cuLaunchKernel ctx=1 stream=0x900\n"
		    "call_exit corr=2 exit_ns=40\n"
		    "call_launch corr=3 enter_ns=50 api=cuLaunchKernel ctx=1 stream=0x900\n"
		    "call_exit corr=3 exit_ns=60\n"
		    "chunk events process=1\n"
		    "kernel corr=2 start_ns=50 end_ns=60 ctx=2 stream=17\n"
		    "kernel corr=3 start_ns=70 end_ns=80 ctx=2 stream=17\n");

	(void)state;
	assert_int_equal(m->note_count, 0);
	assert_int_equal(m->ops[0].stream, m->ops[1].stream);
	assert_int_equal(stream_of_op(m, 0)->kind, GST_STREAM_KIND_NONBLOCKING);
	assert_int_equal(stream_of_op(m, 0)->create_call, 0);
	assert_int_equal(m->contexts[stream_of_op(m, 0)->ctx].cupti_id, 2);
	drop(&s);
}

/* Whose default stream a call means while there are green contexts, its record alone can tell. */
static void test_green_default_stream(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk defs process=1\n"
		    "context ctx=1 null_stream=7\ncontext ctx=2 null_stream=16 parent=1\n"
		    "chunk events process=1 thread=1\n"
		    "call_launch corr=1 enter_ns=30 api=cuLaunchKernel ctx=1\n"
		    "call_exit corr=1 exit_ns=40\n"
		    "call_host corr=2 enter_ns=50 api=cuLaunchHostFunc ctx=1\n"
		    "call_exit corr=2 exit_ns=60\n"
		    "call_host corr=3 enter_ns=70 api=cuLaunchHostFunc ctx=1 stream=0x900\n"
		    "call_exit corr=3 exit_ns=80\n"
		    "chunk events process=1\n"
		    "kernel corr=1 start_ns=50 end_ns=60 ctx=2 stream=16\n");

	(void)state;
	assert_true(m->contexts[0].has_green);
	assert_false(m->contexts[1].has_green);
	assert_int_equal(m->note_count, 0);
	assert_int_equal(stream_of_op(m, 0)->kind, GST_STREAM_KIND_LEGACY);
	assert_int_equal(stream_of_op(m, 0)->ctx, 1);
	assert_int_equal(m->ops[1].stream, GST_NONE);
	assert_int_not_equal(m->ops[2].stream, GST_NONE);
	assert_int_equal(m->stats.ops_without_stream, 1);
	drop(&s);
}

/* The first stream of a process: its call makes the context and CUDA's own streams too. */
static void test_first_stream(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk defs process=1\n"
		    "stream corr=1 ctx=1 stream=6 type=blocking\n"
		    "stream corr=1 ctx=1 stream=7 type=legacy\n"
		    "stream corr=1 ctx=1 stream=8 type=nonblocking\n"
		    "stream corr=1 ctx=1 stream=13 type=nonblocking priority=-5\n"
		    "context ctx=1 null_stream=7\n"
		    "chunk events process=1 thread=1\n"
		    "call_stream corr=1 enter_ns=10 api=cuStreamCreateWithPriority ctx=1 flags=1 "
		    "priority=-5\n"
		    "call_exit corr=1 exit_ns=20 value=0x900\n"
		    "call_launch corr=2 enter_ns=30 api=cuLaunchKernel ctx=1 stream=0x900\n"
		    "call_exit corr=2 exit_ns=40\n");

	(void)state;
	assert_int_equal(stream_of_op(m, 0)->cupti_id, 13);
	assert_int_equal(stream_of_op(m, 0)->kind, GST_STREAM_KIND_NONBLOCKING);
	assert_int_equal(stream_of_op(m, 0)->priority, -5);
	assert_int_equal(stream_of_op(m, 0)->create_call, 0);
	assert_int_equal(m->ops[0].flags & (GST_OP_NO_RECORD | GST_OP_STREAM_GUESSED),
			 GST_OP_NO_RECORD | GST_OP_STREAM_GUESSED);
	assert_true(m->streams[0].is_internal);
	assert_false(stream_of_op(m, 0)->is_internal);
	drop(&s);
}

/* A stream that existed before the trace: its flags are not known, so nothing is claimed of it. */
static void test_unknown_stream(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk events process=1 thread=1\n"
		    "call_launch corr=1 enter_ns=10 api=cuLaunchKernel ctx=1 stream=0x900\n"
		    "call_exit corr=1 exit_ns=20\n");

	(void)state;
	assert_int_equal(stream_of_op(m, 0)->kind, GST_STREAM_KIND_UNKNOWN);
	assert_false(gst_stream_is_blocking(stream_of_op(m, 0)));
	drop(&s);
}

/* A thread's own stream is learned from a later record, and holds for earlier calls without one. */
static void test_per_thread_is_learned(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk defs process=1\n"
		    "context ctx=1 null_stream=7\n"
		    "stream ctx=1 stream=14 type=blocking\n"
		    "chunk events process=1 thread=1\n"
		    "call_event corr=1 enter_ns=10 api=cuEventRecord_ptsz ctx=1 event=0x5\n"
		    "call_exit corr=1 exit_ns=20\n"
		    "call_launch corr=2 enter_ns=30 api=cuLaunchKernel_ptsz ctx=1\n"
		    "call_exit corr=2 exit_ns=40\n"
		    "chunk events process=1\n"
		    "kernel corr=2 start_ns=50 end_ns=60 ctx=1 stream=14\n");

	(void)state;
	assert_int_equal(m->ops[0].stream, m->ops[1].stream);
	assert_int_equal(stream_of_op(m, 0)->cupti_id, 14);
	assert_int_equal(stream_of_op(m, 0)->kind, GST_STREAM_KIND_PER_THREAD);
	assert_int_equal(stream_of_op(m, 0)->thread, 0);
	assert_int_equal(stream_of_op(m, 0)->op_count, 2);
	drop(&s);
}

/* A context that no call names is learned from the thread's device records, also backwards. */
static void test_context_is_learned(void **state)
{
	struct scene s;
	const struct gst_model *m =
		build_text(&s, "gstext 1.0\nchunk defs process=1\n"
			       "context ctx=1 null_stream=7\ncontext ctx=2 null_stream=7\n"
			       "chunk events process=1 thread=1\n"
			       "call_launch corr=1 enter_ns=10 api=cuLaunchKernel\n"
			       "call_exit corr=1 exit_ns=20\n"
			       "call_launch corr=2 enter_ns=30 api=cuLaunchKernel\n"
			       "call_exit corr=2 exit_ns=40\n"
			       "chunk events process=1\n"
			       "kernel corr=2 start_ns=50 end_ns=60 ctx=2 stream=7\n");

	(void)state;
	assert_int_equal(m->contexts[m->calls[0].ctx].cupti_id, 2);
	assert_int_equal(m->ops[0].stream, m->ops[1].stream);
	assert_int_equal(stream_of_op(m, 0)->kind, GST_STREAM_KIND_LEGACY);
	drop(&s);
}

static const char graph_text[] =
	"gstext 1.0\nchunk defs process=1\n"
	"context ctx=1 null_stream=7\ngraph graph=2 nodes=3\ngraph graph=3 nodes=2\n"
	"chunk events process=1 thread=1\n"
	"call_graph corr=1 enter_ns=10 api=cuGraphLaunch ctx=1 exec=0xa\n"
	"call_exit corr=1 exit_ns=20\n"
	"call_graph corr=2 enter_ns=30 api=cuGraphLaunch ctx=1 exec=0xb\n"
	"call_exit corr=2 exit_ns=40\n"
	"chunk events process=1\n"
	"kernel corr=1 start_ns=70 end_ns=90 ctx=1 stream=7 graph=2 graph_node=0x200000002\n"
	"kernel corr=1 start_ns=50 end_ns=60 ctx=1 stream=18 graph=2 graph_node=0x200000001\n"
	"kernel corr=2 start_ns=100 end_ns=120 ctx=1 stream=7 graph=3 graph_node=0x300000001\n"
	"kernel corr=2 start_ns=100 end_ns=130 ctx=1 stream=18 graph=3 graph_node=0x300000002\n";

/* G6: a launch has the times of its nodes, if all are known; else they are bounds. */
static void test_graph_times(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(&s, graph_text);

	(void)state;
	assert_int_equal(m->op_count, 6);
	assert_int_equal(m->ops[0].kind, GST_OP_GRAPH_LAUNCH);
	assert_int_equal(m->ops[0].flags & (GST_OP_TIMED | GST_OP_PARTIAL), GST_OP_PARTIAL);
	assert_int_equal(m->ops[0].begin_ns, 50);
	assert_int_equal(m->ops[0].end_ns, 90);
	assert_int_equal(m->ops[1].begin_ns, 50);
	assert_int_equal(m->ops[1].parent, 0);
	assert_int_equal(m->ops[3].flags & (GST_OP_TIMED | GST_OP_PARTIAL), GST_OP_TIMED);
	assert_int_equal(m->ops[3].end_ns, 130);
	assert_int_equal(stream_of_op(m, 0)->op_count, 2);
	assert_int_equal(stream_of_op(m, 0)->busy_ns, 90 - 70 + 130 - 100);
	drop(&s);
}

/* Device times become the model's by the two nearest anchors: here the wall clock is 100 ppm fast. */
static void test_clock(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk defs process=1\n"
		    "anchor mono_ns=1000000000 real_ns=5000000000 width_ns=300\n"
		    "anchor mono_ns=2000000000 real_ns=6000100000 width_ns=200\n"
		    "chunk events process=1 thread=1\n"
		    "call_launch corr=1 enter_ns=1400000000 api=cuLaunchKernel ctx=1\n"
		    "call_exit corr=1 exit_ns=1400001000\n"
		    "chunk events process=1\n"
		    "kernel corr=1 start_ns=5500050000 end_ns=6000100000 ctx=1 stream=7\n");

	(void)state;
	assert_int_equal(m->base_ns, 1400000000);
	assert_int_equal(m->calls[0].enter_ns, 0);
	assert_int_equal(m->ops[0].begin_ns, 100000000);
	assert_int_equal(m->ops[0].end_ns, 600000000);
	assert_int_equal(m->processes[0].clock_uncertainty_ns, 100000);
	assert_int_equal(m->stats.clock_steps, 0);
	drop(&s);
}

/* Exact to the nanosecond however far anchors are apart: half a year, in which the wall clock gained 0.04 %. */
static void test_clock_of_half_a_year(void **state)
{
	static const uint64_t anchor = UINT64_C(15768000000000000),
			      thousandths[] = {1, 333, 500, 999};
	struct scene s;
	char text[1000];

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		for (int slow = 0; slow < 2; slow++) {
			/* A gain of 400 ns in each ms: on the device's side k/1000 of it is k/1000 of the span. */
			uint64_t gain = anchor / 2500;
			uint64_t span = slow ? anchor - gain : anchor + gain;
			uint64_t k = thousandths[i];
			const struct gst_model *m;

			snprintf(text, sizeof(text),
				 "gstext 1.0\nchunk defs process=1\n"
				 "anchor mono_ns=1000 real_ns=5000\n"
				 "anchor mono_ns=%llu real_ns=%llu\n"
				 "chunk events process=1 thread=1\n"
				 "call_launch corr=1 enter_ns=1000 api=cuLaunchKernel ctx=1\n"
				 "call_exit corr=1 exit_ns=2000\n"
				 "chunk events process=1\n"
				 "kernel corr=1 start_ns=%llu end_ns=%llu ctx=1 stream=7\n",
				 (unsigned long long)(1000 + anchor),
				 (unsigned long long)(5000 + span),
				 (unsigned long long)(5000 + span / 1000 * k),
				 (unsigned long long)(5000 + span / 1000 * k + 2500000));
			m = build_text(&s, text);
			assert_int_equal(m->stats.clock_steps, 0);
			assert_int_equal(m->base_ns + m->ops[0].begin_ns, 1000 + anchor / 1000 * k);
			/* 2.5 ms of a clock that is 0.04 % fast are 2,499,000.4 ns; of a slow one 2,501,000.4. */
			assert_true(m->ops[0].end_ns - m->ops[0].begin_ns >=
				    (slow ? 2501000 : 2499000));
			assert_true(m->ops[0].end_ns - m->ops[0].begin_ns <=
				    (slow ? 2501001 : 2499001));
			drop(&s);
		}
	}
}

/* Zero, reversed and absurd times: an op without times, counted. */
static void test_bad_times(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk events process=1 thread=1\n"
		    "call_launch corr=1 enter_ns=10 api=cuLaunchKernel ctx=1\ncall_exit corr=1 "
		    "exit_ns=20\n"
		    "call_launch corr=2 enter_ns=30 api=cuLaunchKernel ctx=1\ncall_exit corr=2 "
		    "exit_ns=40\n"
		    "call_launch corr=3 enter_ns=50 api=cuLaunchKernel ctx=1\ncall_exit corr=3 "
		    "exit_ns=60\n"
		    "chunk events process=1\n"
		    "kernel corr=1 ctx=1 stream=7\n"
		    "kernel corr=2 start_ns=90 end_ns=80 ctx=1 stream=7\n"
		    "kernel corr=3 start_ns=18446744073709551000 end_ns=18446744073709551001 ctx=1 "
		    "stream=7\n");

	(void)state;
	assert_int_equal(m->stats.bad_times, 3);
	for (gst_op_id i = 0; i < 3; i++) {
		assert_int_equal(m->ops[i].flags, GST_OP_BAD_TIME);
		assert_int_equal(m->ops[i].begin_ns, 0);
	}
	drop(&s);
}

#define TWO_HOSTS(boot, offset)                                                          \
	"gstext 1.0\nchunk defs process=1\nprocess pid=1 boot_hi=" boot "\n"             \
	"anchor mono_ns=1000000000 real_ns=" offset "\nsegment time_ns=1\n"              \
	"chunk events process=1 thread=1\n"                                              \
	"call_launch corr=1 enter_ns=1500000000 api=cuLaunchKernel ctx=1 stream=0x100\n" \
	"call_exit corr=1 exit_ns=1500001000\nchunk defs process=1\nend time_ns=1600000000\n"

/* Files of one boot share the clock; those of other hosts meet by the wall clock. */
static void test_two_processes(void **state)
{
	struct scene s = {0};
	const struct gst_model *m;

	(void)state;
	add_text(&s, TWO_HOSTS("0x1", "70000000000"));
	add_text(&s, TWO_HOSTS("0x1", "70000000000"));
	add_text(&s, TWO_HOSTS("0x2", "70200000000"));
	m = build(&s);
	assert_int_equal(m->process_count, 3);
	assert_int_equal(m->call_count, 3);
	assert_int_equal(m->stream_count, 3);
	assert_int_equal(m->calls[0].enter_ns, m->calls[1].enter_ns);
	assert_int_equal(m->calls[2].enter_ns - m->calls[0].enter_ns, 200000000);
	assert_int_equal(m->threads[m->calls[2].thread].process, 2);
	assert_true(m->is_complete);
	drop(&s);
}

/* Chunks of different threads may stand in any order: the model is the same. */
static void test_chunk_order(void **state)
{
	static const char head[] =
		"gstext 1.0\nchunk defs process=1\ncontext ctx=1 null_stream=7\n";
	static const char one[] = "chunk events process=1 thread=1\n"
				  "call_launch corr=1 enter_ns=10 api=cuLaunchKernel ctx=1\n"
				  "call_exit corr=1 exit_ns=20\n"
				  "call_launch corr=3 enter_ns=30 api=cuLaunchKernel ctx=1\n"
				  "call_exit corr=3 exit_ns=40\n";
	static const char two[] = "chunk events process=1 thread=2\n"
				  "call_launch corr=2 enter_ns=10 api=cuLaunchKernel ctx=1\n"
				  "call_exit corr=2 exit_ns=20\n";
	char text[1024];
	struct scene a, b;

	(void)state;
	snprintf(text, sizeof(text), "%s%s%s", head, one, two);
	build_text(&a, text);
	snprintf(text, sizeof(text), "%s%s%s", head, two, one);
	build_text(&b, text);
	assert_int_equal(a.m->call_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(a.m->calls[i].corr, b.m->calls[i].corr);
		assert_int_equal(a.m->calls[i].thread, b.m->calls[i].thread);
		assert_int_equal(a.m->ops[i].stream, b.m->ops[i].stream);
	}
	assert_int_equal(a.m->calls[0].corr, 1);
	assert_int_equal(a.m->calls[1].corr, 2);
	drop(&a);
	drop(&b);
}

/* Losses make a trace incomplete, and an event's history too if calls were among them. */
static void test_losses(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1\n"
		    "loss kind=kernel reason=cupti-dropped count=5\n"
		    "loss kind=call reason=no-chunk count=1 since_ns=15 until_ns=25\n"
		    "chunk events process=1 thread=1\n"
		    "call_event corr=1 enter_ns=10 api=cuEventCreate ctx=1\n"
		    "call_exit corr=1 exit_ns=12 value=0x50\n"
		    "call_event corr=2 enter_ns=30 api=cuEventCreate ctx=1\n"
		    "call_exit corr=2 exit_ns=32 value=0x60\n"
		    "chunk defs process=1\nend time_ns=100\n");

	(void)state;
	assert_false(m->is_complete);
	assert_true(m->processes[0].is_unbroken);
	assert_int_equal(m->loss_count, 2);
	assert_false(gst_loss_touches_calls(&m->losses[0]));
	assert_true(gst_loss_touches_calls(&m->losses[1]));
	assert_int_equal(m->event_count, 2);
	assert_false(m->events[0].history_is_complete);
	assert_true(m->events[1].history_is_complete);
	drop(&s);
}

/* Which call came first: by thread, by time, by what the device did. */
static void test_accepted(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s,
		"gstext 1.0\nchunk events process=1 thread=1\n"
		"call_launch corr=1 enter_ns=10 api=cuLaunchKernel ctx=1 stream=0x1\n" EXIT(
			1) "chunk events process=1 thread=2\n"
			   "call_launch corr=2 enter_ns=20 api=cuLaunchKernel ctx=1 stream=0x1\n"
			   "call_exit corr=2 exit_ns=30\n"
			   "call_launch corr=3 enter_ns=40 api=cuLaunchKernel ctx=1 stream=0x1\n"
			   "call_exit corr=3 exit_ns=50\n"
			   "chunk events process=1\n"
			   "kernel corr=1 start_ns=900 end_ns=950 ctx=1 stream=7\n"
			   "kernel corr=2 start_ns=800 end_ns=850 ctx=1 stream=7\n");

	(void)state;
	assert_int_equal(gst_model_accepted(m, 1, 2), GST_ACCEPTED_BEFORE);
	assert_int_equal(gst_model_accepted(m, 2, 1), GST_ACCEPTED_AFTER);
	assert_int_equal(gst_model_accepted(m, 0, 1), GST_ACCEPTED_AFTER);
	assert_int_equal(gst_model_accepted(m, 1, 0), GST_ACCEPTED_BEFORE);
	assert_int_equal(gst_model_accepted(m, 0, 2), GST_ACCEPTED_AMBIGUOUS);
	assert_true(m->calls[2].flags & GST_CALL_AMBIGUOUS);
	drop(&s);
}

static const char other_text[] =
	"gstext 1.0\nchunk defs process=1\n"
	"string id=1 text=\"RANK\"\nstring id=2 text=\"main\"\nstring id=3 text=\"k\"\n"
	"string id=900000 text=\"far\"\n"
	"rank name=1 value=-3\nthread thread=1 name=2 tid=44\n"
	"variable name=900000 value=2\n"
	"note code=no-tmpfs time_ns=15 text=2\n"
	"context ctx=1 null_stream=7\ncontext ctx=2 parent=1\n"
	"chunk events process=1 thread=1\n"
	"call_memory corr=1 enter_ns=10 api=cuMemAlloc_v2 ctx=1 size=64\n"
	"call_exit corr=1 exit_ns=11 value=0x7000\n"
	"call_launch corr=4000000000 enter_ns=12 api=cuLaunchKernel ctx=1 name=3\n"
	"call_exit corr=4000000000 exit_ns=13\n"
	"call corr=3 enter_ns=14 api=cuStreamWaitValue32_v2 ctx=1 stream=0x100\n"
	"call_exit corr=3 exit_ns=15\n"
	"call corr=4 enter_ns=16 api=cuMemPrefetchAsync ctx=1 stream=0x100\n"
	"call_exit corr=4 exit_ns=17\n"
	"call corr=5 enter_ns=18 api=cuStreamAttachMemAsync ctx=1 stream=0x100\n"
	"call_exit corr=5 exit_ns=19\n"
	"call corr=6 enter_ns=20 api=cuStreamSetAttribute ctx=1 stream=0x100\n"
	"call_exit corr=6 exit_ns=21\n"
	"call_event corr=7 enter_ns=22 api=cuCtxRecordEvent ctx=1 event=0x50\n"
	"call_exit corr=7 exit_ns=23\n"
	"call_graph corr=8 enter_ns=24 api=cuGraphUpload ctx=1 stream=0x100 exec=0xa\n"
	"call_exit corr=8 exit_ns=25\n"
	"call_host corr=9 enter_ns=26 api=cuLaunchHostFunc ctx=1 stream=0x100\n"
	"call_exit corr=9 exit_ns=27\n"
	"call_event corr=10 enter_ns=28 api=cuEventRecord ctx=1 stream=0x100 event=0x60\n"
	"call_exit corr=10 exit_ns=29\n"
	"call_graph corr=11 enter_ns=30 api=cuStreamEndCapture ctx=1 stream=0x100\n"
	"call_exit corr=11 exit_ns=31 value=0xb0\n"
	"chunk events process=1\n"
	"kernel corr=4000000000 start_ns=50 end_ns=60 ctx=1 stream=7 name=3 flags=forced-flush\n"
	"memory corr=1 time_ns=10 address=0x7000 size=64 op=alloc memory_kind=device ctx=1\n"
	"memory corr=0 time_ns=5 address=0x8000 size=32 op=free ctx=2\n"
	"overhead start_ns=20 end_ns=30 type=lazy-function-loading thread=44\n"
	"host_run corr=9 start_ns=70 end_ns=80 ctx=1 stream=13\n"
	"event corr=10 ctx=1 stream=13 event_id=1 sync_id=1 time_ns=85\n"
	"chunk defs process=1\nend time_ns=100\n";

/* Kinds without a rule, odd numbers, and what is kept beside ops. */
static void test_other_records(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(&s, other_text);
	size_t length;

	(void)state;
	assert_int_equal(m->variable_count, 2);
	assert_string_equal(gst_strtab_get(m->strings, m->variables[0].value, &length), "-3");
	assert_string_equal(gst_strtab_get(m->strings, m->variables[1].name, &length), "far");
	assert_string_equal(gst_strtab_get(m->strings, m->threads[0].name, &length), "main");
	assert_int_equal(m->note_count, 1);
	assert_string_equal(gst_strtab_get(m->strings, m->notes[0].text, &length), "main");
	assert_int_equal(m->contexts[1].parent, 0);
	/* In order of time; the freeing is nobody's. */
	assert_int_equal(m->memory_count, 2);
	assert_int_equal(m->memory[0].address, 0x8000);
	assert_int_equal(m->memory[0].call, GST_NONE);
	assert_int_equal(m->memory[1].call, 0);
	assert_int_equal(m->overhead_count, 1);
	assert_int_equal(m->overheads[0].end_ns - m->overheads[0].begin_ns, 10);
	/* The address that an allocation gave. */
	assert_int_equal(m->args[m->calls[0].args].a, 0x7000);
	assert_int_equal(m->args[m->calls[10].args].a, 0xb0);

	assert_int_equal(m->op_count, 8);
	assert_int_equal(m->ops[0].kind, GST_OP_KERNEL);
	assert_int_equal(m->ops[0].flags, GST_OP_TIMED | GST_OP_FORCED);
	assert_int_equal(m->ops[0].call, 1);
	assert_int_equal(m->ops[1].kind, GST_OP_MEMOP);
	assert_int_equal(m->ops[2].kind, GST_OP_OPAQUE);
	assert_int_equal(m->ops[3].kind, GST_OP_OPAQUE);
	assert_int_equal(m->calls[5].op_count, 0);
	assert_int_equal(m->ops[4].kind, GST_OP_OPAQUE);
	assert_int_equal(m->ops[4].stream, GST_NONE);
	assert_int_equal(m->ops[5].kind, GST_OP_OPAQUE);
	assert_int_equal(m->ops[6].kind, GST_OP_HOST_FUNC);
	assert_int_equal(m->ops[6].end_ns, 80);
	assert_int_equal(m->ops[7].kind, GST_OP_EVENT_RECORD);
	assert_int_equal(m->ops[7].begin_ns, 85);
	assert_int_equal(m->ops[7].sync_id, 1);
	/* The handle's stream is the one that the records name. */
	assert_int_equal(m->ops[1].stream, m->ops[7].stream);
	assert_int_equal(stream_of_op(m, 7)->cupti_id, 13);
	assert_int_equal(m->stats.opaque_ops, 5); /* the memory operation has no elements */
	drop(&s);
}

/* A window of a trace: what lies before it may be missing for some threads. */
static void test_window_is_a_gap(void **state)
{
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_err err = {0};
	struct scene s = {0};

	(void)state;
	options.from_ns = 30;
	options.to_ns = 40;
	assert_int_equal(gst_loader_open_memory(graph_text, sizeof(graph_text) - 1, "text",
						&options, &s.loaders[0], &err),
			 0);
	s.count = 1;
	build(&s);
	assert_int_equal(s.m->gap_count, 2);
	assert_int_equal(s.m->gaps[0].to_ns, 30);
	assert_int_equal(s.m->gaps[1].from_ns, 40);
	drop(&s);
}

/* ---- NVTX ---- */

static const char *range_of(const struct gst_model *m, gst_call_id call)
{
	uint32_t range = gst_call_range(m, call);

	return range == GST_NONE ? "" : gst_strtab_get(m->strings, m->ranges[range].name, NULL);
}

/* Ranges of two domains end in any order; a call is in the one pushed last of those not popped. */
static void test_nvtx_ranges(void **state)
{
	struct scene s;
	const struct gst_model *m =
		build_text(&s, "gstext 1.0\nchunk defs process=1\ncontext ctx=1 null_stream=7\n"
			       "thread thread=1 tid=11\nthread thread=2 tid=12\n"
			       "chunk events process=1 thread=1\n"
			       "nvtx time_ns=1005 what=push name=\"outer\"\n"
			       "nvtx time_ns=1006 what=push name=\"library\" domain=\"d\"\n"
			       "call corr=1 enter_ns=1010 api=cuProfilerStart\n"
			       "call_exit corr=1 exit_ns=1020\n"
			       "nvtx time_ns=1030 what=pop\n"
			       "call corr=2 enter_ns=1040 api=cuProfilerStart\n"
			       "call_exit corr=2 exit_ns=1050\n"
			       "nvtx time_ns=1060 what=pop domain=\"d\"\n"
			       "nvtx time_ns=1061 what=pop domain=\"d\"\n"
			       "call corr=3 enter_ns=1070 api=cuProfilerStart\n"
			       "call_exit corr=3 exit_ns=1080\n"
			       "nvtx time_ns=1090 what=push name=\"open\"\n"
			       "nvtx time_ns=1095 what=mark name=\"here\"\n"
			       "call corr=4 enter_ns=1100 api=cuProfilerStart\n"
			       "call_exit corr=4 exit_ns=1110\n"
			       "chunk events process=1 thread=2\n"
			       "call corr=5 enter_ns=1012 api=cuProfilerStart\n"
			       "call_exit corr=5 exit_ns=1013\n");

	(void)state;
	assert_string_equal(range_of(m, 0), "library");
	assert_string_equal(range_of(m, 1), ""); /* of the other thread */
	assert_string_equal(range_of(m, 2), "library");
	assert_string_equal(range_of(m, 3), "");
	assert_string_equal(range_of(m, 4), "open");
	assert_int_equal(m->range_count, 4);
	assert_int_equal(m->ranges[0].begin_ns, 1005);
	assert_int_equal(m->ranges[0].end_ns, 1030);
	assert_int_equal(m->ranges[1].end_ns, 1060);
	assert_int_equal(m->ranges[1].parent, 0);
	assert_true(m->ranges[2].end_ns == GST_RANGE_OPEN);
	assert_int_equal(m->ranges[2].parent, GST_NONE);
	assert_int_equal(m->ranges[3].what, GST_NVTX_MARK);
	assert_int_equal(m->ranges[3].parent, 2);
	assert_int_equal(m->stats.nvtx_ranges, 3);
	assert_int_equal(m->stats.nvtx_marks, 1);
	assert_int_equal(m->stats.nvtx_open_ranges, 1);
	assert_int_equal(m->stats.nvtx_lone_ends, 1);
	drop(&s);
}

/* A started range ends in whatever thread; ids of two processes are their own; the clock begins with the first range. */
static void test_nvtx_started(void **state)
{
	struct scene s;
	const struct gst_model *m =
		build_text(&s, "gstext 1.0\nchunk defs process=1\nprocess pid=1 boot_hi=1\n"
			       "chunk defs process=2\nprocess pid=2 boot_hi=1\n"
			       "chunk events process=1 thread=1\n"
			       "nvtx time_ns=5000000 what=start name=\"a\" id=7\n"
			       "call corr=1 enter_ns=9000000 api=cuProfilerStart\n"
			       "call_exit corr=1 exit_ns=9000100\n"
			       "chunk events process=1 thread=2\n"
			       "nvtx time_ns=5000300 what=stop id=7\n"
			       "nvtx time_ns=5000400 what=stop id=7\n"
			       "chunk events process=2 thread=1\n"
			       "nvtx time_ns=5000200 what=start name=\"b\" id=7\n"
			       "nvtx time_ns=5000100 what=stop id=7\n");

	(void)state;
	assert_int_equal(m->base_ns, 5000000);
	assert_int_equal(m->range_count, 2);
	assert_int_equal(m->ranges[0].begin_ns, 0);
	assert_int_equal(m->ranges[0].end_ns, 300);
	/* An end before its begin. */
	assert_int_equal(m->ranges[1].begin_ns, 200);
	assert_int_equal(m->ranges[1].end_ns, 200);
	assert_int_equal(m->stats.nvtx_lone_ends, 1);
	assert_string_equal(range_of(m, 0), "");
	drop(&s);
}

/* A name holds for the one stream that had the handle; its number stays in it. */
static void test_nvtx_names(void **state)
{
	struct scene s;
	char text[2048];
	const struct gst_model *m;

	(void)state;
	(void)snprintf(
		text, sizeof(text),
		"gstext 1.0\nchunk defs process=1\ncontext ctx=1 null_stream=7\n"
		"thread thread=1 name=\"python\" tid=11\n"
		"stream ctx=1 stream=13 type=nonblocking handle=0x100\n"
		"nvtx_name object=0x100 type=stream name=\"old\"\n"
		"nvtx_name object=0x100 type=stream name=\"%060d\\xc3\\xa4\\xc3\\xa4\\xc3\\xa4\"\n"
		"nvtx_name object=0xb type=thread name=\"main\"\n"
		"nvtx_name object=0xb type=thread name=\"main\"\n"
		"nvtx_name object=0xc type=thread name=\"nobody\"\n"
		"nvtx_name object=0x200 type=stream name=\"which\"\n"
		"chunk events process=1 thread=1\n"
		"call_stream corr=1 enter_ns=10 api=cuStreamCreate ctx=1\n"
		"call_exit corr=1 exit_ns=20 value=0x200\n"
		"call_launch corr=2 enter_ns=21 api=cuLaunchKernel ctx=1 stream=0x200\n"
		"call_exit corr=2 exit_ns=22\n"
		"call_stream corr=3 enter_ns=30 api=cuStreamDestroy ctx=1 stream=0x200\n"
		"call_exit corr=3 exit_ns=40\n"
		"call_stream corr=4 enter_ns=50 api=cuStreamCreate ctx=1\n"
		"call_exit corr=4 exit_ns=60 value=0x200\n"
		"call_launch corr=5 enter_ns=61 api=cuLaunchKernel ctx=1 stream=0x200\n"
		"call_exit corr=5 exit_ns=62\n"
		"call_launch corr=6 enter_ns=71 api=cuLaunchKernel ctx=1 stream=0x100\n"
		"call_exit corr=6 exit_ns=72\n",
		7);
	m = build_text(&s, text);
	assert_string_equal(gst_strtab_get(m->strings, m->threads[0].name, NULL), "main");
	/* Cut between two characters. */
	(void)snprintf(text, sizeof(text), "stream 13 (%060d\xc3\xa4\xc3\xa4)", 7);
	assert_string_equal(gst_strtab_get(m->strings, stream_of_op(m, 2)->name, NULL), text);
	assert_null(strchr(gst_strtab_get(m->strings, stream_of_op(m, 0)->name, NULL), '('));
	assert_int_equal(m->stats.nvtx_names_unused, 2);
	assert_int_equal(m->given_name_count, 5);
	assert_int_equal(m->given_names[0].target, GST_NONE);
	assert_true(m->given_names[1].target < m->stream_count);
	drop(&s);
}

/* Ranges order nothing: where some were lost, no call was. */
static void test_nvtx_loss(void **state)
{
	const struct gst_loss nvtx = {.kind = GST_REC_NVTX}, call = {.kind = GST_REC_CALL};

	(void)state;
	assert_false(gst_loss_touches_calls(&nvtx));
	assert_true(gst_loss_touches_calls(&call));
}

/* @count records of @kind, 8 bytes each: 0 or the status of the model. */
static gst_status build_smallest(uint32_t kind, uint32_t count)
{
	static const uint64_t zeros[64];
	const struct gst_schema_record *schema = gst_schema_find(kind);
	struct gst_outfile *out = gst_outfile_open_memory();
	struct gst_gst_writer *w = gst_gst_writer_new(out);
	struct gst_chunk_header like = {.flags = GST_CHUNK_SEALED, .process = 1, .thread = 1};
	struct gst_arena *arena = gst_arena_new(0);
	const struct gst_model *m = NULL;
	struct gst_loader *loader;
	struct gst_err err = {0};
	size_t length, room;
	gst_status st;
	char *data;

	for (uint32_t i = 0; i < count; like.sequence++) {
		gst_gst_writer_begin(w, &like);
		for (; i < count && gst_gst_writer_body_bytes(w) < 60000; i++)
			assert_int_equal(gst_gst_writer_put(w, schema, 0, zeros, NULL, 0, &err), 0);
		gst_gst_writer_end(w);
	}
	gst_gst_writer_free(w);
	data = gst_outfile_take_memory(out, &length, &room);
	assert_int_equal(gst_loader_open_memory(data, length, "small", NULL, &loader, &err), 0);
	st = gst_model_build(&loader, 1, arena, &m, &err);
	gst_model_free(m);
	gst_loader_close(loader);
	gst_arena_free(arena);
	gst_mem_free(data, room);
	return st;
}

/* What the analysis takes is bounded by the size of the file, whatever is in it. */
static void test_smallest_records(void **state)
{
	static const uint32_t kinds[] = {GST_REC_CALL,	 GST_REC_CALL_EXIT, GST_REC_KERNEL,
					 GST_REC_MEMCPY, GST_REC_MEMSET,    GST_REC_MEMORY};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		assert_int_equal(build_smallest(kinds[i], 50000), 0);
		assert_int_equal(build_smallest(kinds[i], 1100000), GST_E_LIMIT);
	}
}

#define FOLLOWED_CALLS	 20000u
#define FOLLOWED_STREAMS 4u

/*
 * Launches of two threads, in turn and overlapping, into streams with definitions or without. Those before
 * @first_record have no device record: they are more ops than there was room made for, and their streams are found to
 * be those of records only later.
 */
static char *write_followed(bool is_defined, uint32_t first_record)
{
	size_t room = FOLLOWED_CALLS * (size_t)256, at = 0;
	char *text = malloc(room);

	assert_non_null(text);
	at += (size_t)snprintf(text + at, room - at,
			       "gstext 1.0\nchunk defs process=1\n"
			       "context ctx=1 null_stream=7\n");
	for (uint32_t i = FOLLOWED_STREAMS; i-- > 0 && is_defined;)
		at += (size_t)snprintf(text + at, room - at,
				       "stream ctx=1 stream=%u type=blocking handle=0x%x\n", 13 + i,
				       0x100 + i);
	for (uint32_t thread = 0; thread < 2; thread++) {
		at += (size_t)snprintf(text + at, room - at, "chunk events process=1 thread=%u\n",
				       thread + 1);
		for (uint32_t i = thread; i < FOLLOWED_CALLS; i += 2)
			at += (size_t)snprintf(
				text + at, room - at,
				"call_launch corr=%u enter_ns=%u api=cuLaunchKernel ctx=1 stream=0x%x\n"
				"call_exit corr=%u exit_ns=%u\n",
				i + 1, 1000 + i * 100, 0x100 + i / 2 % FOLLOWED_STREAMS, i + 1,
				1000 + i * 100 + (i % 5 ? 50 : 150));
	}
	at += (size_t)snprintf(text + at, room - at, "chunk events process=1\n");
	for (uint32_t i = first_record; i < FOLLOWED_CALLS; i++)
		at += (size_t)snprintf(text + at, room - at,
				       "kernel corr=%u start_ns=%u end_ns=%u ctx=1 stream=%u\n",
				       i + 1, 2000 + i * 100, 2090 + i * 100,
				       13 + i / 2 % FOLLOWED_STREAMS);
	return text;
}

/* What a thread does ahead of the walk over the calls and behind it comes out as if it were done one after the other. */
static void test_followed_walk(void **state)
{
	static const struct {
		bool is_defined;
		uint32_t first_record;
	} traces[] = {{true, 0}, {true, 15000}, {false, 0}, {false, 15000}};

	(void)state;
	for (size_t t = 0; t < sizeof(traces) / sizeof(traces[0]); t++) {
		char *text = write_followed(traces[t].is_defined, traces[t].first_record);
		struct scene one, two;
		const struct gst_model *a, *b;

		a = build_text(&one, text);
		gst_parallel_set_threads(2);
		b = build_text(&two, text);
		gst_parallel_set_threads(1);
		assert_int_equal(a->stats.ambiguous_calls > 1000, traces[t].first_record > 0);
		assert_memory_equal(&a->stats, &b->stats, sizeof(a->stats));
		assert_int_equal(a->begin_ns, b->begin_ns);
		assert_int_equal(a->end_ns, b->end_ns);
		assert_int_equal(a->call_count, FOLLOWED_CALLS);
		assert_memory_equal(a->calls, b->calls, a->call_count * sizeof(*a->calls));
		assert_int_equal(a->op_count, FOLLOWED_CALLS);
		assert_memory_equal(a->ops, b->ops, a->op_count * sizeof(*a->ops));
		assert_int_equal(a->stream_count, b->stream_count);
		for (uint32_t i = 0; i < a->stream_count; i++) {
			const struct gst_stream *x = &a->streams[i], *y = &b->streams[i];

			assert_int_equal(x->cupti_id, y->cupti_id);
			assert_int_equal(x->busy_ns, y->busy_ns);
			assert_int_equal(x->busy_ns > 0, x->cupti_id >= 13);
			assert_int_equal(x->op_count, y->op_count);
			assert_memory_equal(x->ops, y->ops, x->op_count * sizeof(*x->ops));
		}
		drop(&one);
		drop(&two);
		free(text);
	}
}

#define GRAPH_DEFS(corr)                                                           \
	"graph graph=1 handle=0xb00\n"                                             \
	"graph_node node=0x100000000 graph=1 type=kernel name=\"a\"\n"             \
	"graph_node node=0x100000001 graph=1 type=memset\n"                        \
	"graph_edge from=0x100000000 to=0x100000001 graph=1\n"                     \
	"graph graph=2 handle=0xa00 corr=" corr "\n"                               \
	"graph_node node=0x200000000 graph=2 type=kernel corr=" corr "\n"          \
	"graph_node node=0x200000000 original=0x100000000 graph=2 corr=" corr "\n" \
	"graph_node node=0x200000001 original=0x100000001 graph=2 corr=" corr "\n" \
	"graph_edge from=0x200000000 to=0x200000001 graph=2 corr=" corr "\n"       \
	"graph_exec exec=0xa00 graph=1 id=2 corr=" corr "\n"

/* A later window tells again of graphs that were made before it: they are the same ones. */
static void test_graphs_of_windows(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s,
		"gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1\n"
		"context ctx=1 null_stream=7\n" GRAPH_DEFS(
			"1") "chunk events process=1 thread=1\n"
			     "call_graph corr=1 enter_ns=10 api=cuGraphInstantiateWithFlags ctx=1 graph=0xb00\n"
			     "call_exit corr=1 exit_ns=20 value=0xa00\n"
			     "call_graph corr=2 enter_ns=30 api=cuGraphLaunch ctx=1 exec=0xa00\n"
			     "call_exit corr=2 exit_ns=40\n"
			     "chunk events process=1\n"
			     "kernel corr=2 start_ns=50 end_ns=60 ctx=1 stream=7 graph=2 graph_node=0x200000000\n"
			     "chunk defs process=1\nend time_ns=1000\n"
			     "chunk defs process=1 segment=1\nsegment index=1 time_ns=2000\n"
			     "context ctx=1 null_stream=7\n" GRAPH_DEFS(
				     "0") "exec_state exec=0xa00 graph=2 corr=2\n"
					  "chunk events process=1 thread=1 segment=1\n"
					  "call_graph corr=3 enter_ns=2010 api=cuGraphLaunch ctx=1 exec=0xa00\n"
					  "call_exit corr=3 exit_ns=2020\n"
					  "chunk defs process=1 segment=1\nend time_ns=3000\n");

	(void)state;
	assert_int_equal(m->graph_count, 2);
	assert_int_equal(m->graph_node_count, 4);
	assert_int_equal(m->graph_edge_count, 2);
	assert_int_equal(m->exec_count, 1);
	assert_int_equal(m->execs[0].launches, 2);
	assert_int_equal(m->execs[0].graph, 1);
	assert_int_equal(m->execs[0].source, 0);
	assert_int_equal(m->graphs[1].original, 0);
	assert_int_equal(m->graphs[1].own_count, 2);
	assert_int_equal(gst_op_graph_node(&m->ops[1]), 2);
	assert_int_equal(m->graph_nodes[2].original, 0);
	assert_true(m->graph_nodes[2].flags & GST_GRAPH_NODE_RAN);
	assert_int_equal(m->graph_edges[1].port, GST_PORT_DEFAULT);
	drop(&s);
}

/* Ids that nothing defines, and more than there can be, cost nothing but themselves. */
static void test_graphs_undefined(void **state)
{
	struct scene s;
	const struct gst_model *m = build_text(
		&s, "gstext 1.0\nchunk defs process=1\n"
		    "graph_edge from=0x100000000 to=0x100000001 graph=1 change=removed\n"
		    "graph_edge from=0x100000001 to=0x200000000 graph=1\n"
		    "graph_edge from=0x500000001 to=0x500000001 graph=5 port=77\n"
		    "graph_node node=0x600000000 original=0x600000000 graph=6 type=99\n"
		    "graph_exec exec=0xa00 graph=77 id=78\n"
		    "chunk events process=1 thread=1\n"
		    "call_graph corr=2 enter_ns=30 api=cuGraphLaunch ctx=1 exec=0xa00\n"
		    "call_exit corr=2 exit_ns=40\n"
		    "call_graph corr=3 enter_ns=50 api=cuGraphExecDestroy ctx=1 exec=0xa00\n"
		    "call_exit corr=3 exit_ns=60\n"
		    "call_graph corr=4 enter_ns=70 api=cuGraphLaunch ctx=1 exec=0xa00\n"
		    "call_exit corr=4 exit_ns=80\n"
		    "chunk events process=1\n"
		    "kernel corr=2 start_ns=90 end_ns=95 ctx=1 stream=7 graph_node=0x900000000\n");

	(void)state;
	assert_int_equal(m->exec_count, 2);
	assert_int_equal(m->execs[0].destroy_call, 1);
	assert_int_equal(m->execs[1].launches, 1);
	assert_int_equal(m->execs[0].graph, GST_NONE);
	assert_int_equal(m->stats.undefined_launches, 2);
	assert_int_equal(m->stats.undefined_nodes, 1);
	assert_int_equal(gst_op_graph_node(&m->ops[1]), GST_NONE);
	drop(&s);
}

/* A stream with @pending launches that are not over, and a call of @call_us that returns @after_us after one of them. */
static uint32_t queue_waits(int pending, unsigned cupti_version, int call_us, int after_us)
{
	struct gst_outfile *out = gst_outfile_open_memory();
	unsigned long long now = 1000;
	unsigned long long enter, end;
	const char *text;
	struct scene s;
	size_t length;
	uint32_t found;

	gst_outfile_printf(out,
			   "gstext 1.0\nchunk defs process=1\nprocess pid=1 cupti_version=%u\n"
			   "context ctx=1 null_stream=7\n"
			   "stream ctx=1 stream=13 type=nonblocking handle=0x100\n"
			   "chunk events process=1 thread=1\n",
			   cupti_version);
	for (int i = 0; i <= pending; i++, now += 2000)
		gst_outfile_printf(out,
				   "call_launch corr=%d enter_ns=%llu api=cuLaunchKernel ctx=1 "
				   "stream=0x100\ncall_exit corr=%d exit_ns=%llu\n",
				   i + 1, now, i + 1, now + 1000);
	enter = now + 1000000;
	end = enter + 1000 * (unsigned long long)(call_us - after_us);
	gst_outfile_printf(out,
			   "call_launch corr=%d enter_ns=%llu api=cuLaunchKernel ctx=1 "
			   "stream=0x100\ncall_exit corr=%d exit_ns=%llu\n"
			   "chunk events process=1\n",
			   pending + 2, enter, pending + 2, enter + 1000 * (unsigned)call_us);
	for (int i = 0; i <= pending + 1; i++)
		gst_outfile_printf(out,
				   "kernel corr=%d start_ns=%llu end_ns=%llu ctx=1 stream=13\n",
				   i + 1, i ? end + 1000000 + 100 * (unsigned)i : 5000,
				   i ? end + 1000090 + 100 * (unsigned)i : end);
	gst_outfile_printf(out, "chunk defs process=1\nend time_ns=%llu\n", end + 100000000);
	text = gst_outfile_memory(out, &length);
	s = (struct scene){0};
	add_text(&s, text);
	(void)build(&s);
	found = s.m->queue_wait_count;
	if (found) {
		assert_int_equal(found, 1);
		assert_true(s.m->queue_waits[0].is_inferred);
		assert_int_equal(s.m->queue_waits[0].op, 0);
		assert_int_equal(s.m->calls[s.m->queue_waits[0].call].corr, pending + 2);
	}
	drop(&s);
	gst_outfile_abort(out);
	return found;
}

/* H9, where CUPTI is too old to tell of a full queue: so many are pending, it took long, and returned right behind an end. */
static void test_full_queue_is_inferred(void **state)
{
	(void)state;
	assert_int_equal(queue_waits(1000, 21, 300, 100), 1);
	assert_int_equal(queue_waits(999, 21, 300, 100), 0);
	assert_int_equal(queue_waits(1000, 22, 300, 100), 0);
	assert_int_equal(queue_waits(1000, 0, 300, 100), 0);
	assert_int_equal(queue_waits(1000, 21, 300, 200), 1);
	assert_int_equal(queue_waits(1000, 21, 300, 201), 0);
	assert_int_equal(queue_waits(1000, 21, 20, 10), 1);
	assert_int_equal(queue_waits(1000, 21, 19, 10), 0);
	/* Nothing ended inside of it. */
	assert_int_equal(queue_waits(1000, 21, 100, 100), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_queue_is_inferred),
		cmocka_unit_test(test_smallest_records),
		cmocka_unit_test(test_followed_walk),
		cmocka_unit_test(test_record_wins),
		cmocka_unit_test(test_node_tells_no_stream),
		cmocka_unit_test(test_stale_ids),
		cmocka_unit_test(test_shared_id),
		cmocka_unit_test(test_one_kernel_a_launch),
		cmocka_unit_test(test_homeless_record),
		cmocka_unit_test(test_middle_of_one_id),
		cmocka_unit_test(test_far_ids_of_many),
		cmocka_unit_test(test_body_without_launch),
		cmocka_unit_test(test_notes_void),
		cmocka_unit_test(test_note_with_its_loss),
		cmocka_unit_test(test_order_mode),
		cmocka_unit_test(test_green_stream),
		cmocka_unit_test(test_green_default_stream),
		cmocka_unit_test(test_first_stream),
		cmocka_unit_test(test_unknown_stream),
		cmocka_unit_test(test_per_thread_is_learned),
		cmocka_unit_test(test_context_is_learned),
		cmocka_unit_test(test_graph_times),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_clock_of_half_a_year),
		cmocka_unit_test(test_bad_times),
		cmocka_unit_test(test_two_processes),
		cmocka_unit_test(test_chunk_order),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_other_records),
		cmocka_unit_test(test_window_is_a_gap),
		cmocka_unit_test(test_graphs_of_windows),
		cmocka_unit_test(test_graphs_undefined),
		cmocka_unit_test(test_nvtx_ranges),
		cmocka_unit_test(test_nvtx_started),
		cmocka_unit_test(test_nvtx_names),
		cmocka_unit_test(test_nvtx_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
