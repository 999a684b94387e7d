/*
 * scale_test.c - the analysis takes steps in proportion to the trace, whatever its shape.
 *
 * Role      : counts, not times, so that it says the same on any machine: edges, and the steps of each search that
 *             is not one pass, for a program of some size and one four times as large.
 * Method    : shapes that once were, or could become, quadratic: many blocking streams under a legacy op, streams
 *             long dead at later barriers, a mesh of events, one long stream, threads whose calls overlap,
 *             calls that never return, many green contexts, a large graph of which few nodes run at a time.
 * Invariant : four times the ops, at most 4.5 times the steps and edges, and at most STEPS_MAX of each an op.
 * Not here  : seconds (tools/bench_analyzer.sh).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/base/outfile.h"
#include "analyzer/check/check.h"

#define SMALL	  2000u
#define REAL_NS	  UINT64_C(1700000000001000000)
#define STEPS_MAX 40u
#define STREAMS	  1000u

struct program {
	struct gst_outfile *text;
	struct gst_outfile *device; /* records of what ran, for the end */
	uint32_t corr, thread;
	uint64_t now, random;
};

static uint32_t below(struct program *p, uint32_t n)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (uint32_t)(p->random >> 33) % n;
}

static void on_thread(struct program *p, uint32_t thread)
{
	if (p->thread != thread)
		gst_outfile_printf(p->text, "chunk events process=1 thread=%u\n", thread);
	p->thread = thread;
}

static void leave(struct program *p)
{
	p->now += 100;
	gst_outfile_printf(p->text, "call_exit corr=%u exit_ns=%llu\n", p->corr,
			   (unsigned long long)p->now);
	p->now += 10;
}

static void enter(struct program *p, const char *record, const char *api, const char *fields)
{
	p->corr++;
	gst_outfile_printf(p->text, "%s corr=%u enter_ns=%llu api=%s ctx=1 %s\n", record, p->corr,
			   (unsigned long long)p->now, api, fields);
}

/* Handles are 0x100 times the number; 0 is the legacy stream. */
static void launch(struct program *p, uint32_t stream)
{
	char fields[64];
	unsigned long long start = REAL_NS + (p->now - 1000000) + 20 + below(p, 150);

	snprintf(fields, sizeof(fields), "stream=0x%x", 0x100 * stream);
	enter(p, "call_launch", "cuLaunchKernel", fields);
	gst_outfile_printf(p->device,
			   "kernel corr=%u start_ns=%llu end_ns=%llu ctx=1 stream=%u name=\"k\"\n",
			   p->corr, start, start + 3000, 7 + stream);
}

static void synchronize(struct program *p, uint32_t stream)
{
	char fields[64];

	snprintf(fields, sizeof(fields), "stream=0x%x", 0x100 * stream);
	enter(p, "call_stream", "cuStreamSynchronize", fields);
	leave(p);
}

static void define_streams(struct program *p, uint32_t count, bool all_blocking)
{
	gst_outfile_printf(p->text, "chunk defs process=1\n");
	for (uint32_t i = 1; i <= count; i++)
		gst_outfile_printf(p->text, "stream ctx=1 stream=%u handle=0x%x type=%s\n", 7 + i,
				   0x100 * i, all_blocking || i % 2 ? "blocking" : "nonblocking");
	p->thread = 0;
}

/* ---- shapes ---------------------------------------------------------------------------------------------- */

static void shape_single(struct program *p, uint32_t ops)
{
	define_streams(p, 1, true);
	on_thread(p, 1);
	for (uint32_t i = 0; i < ops; i++) {
		launch(p, 1);
		leave(p);
	}
}

/* As many streams as a quarter of the ops, and a legacy op after every ten. */
static void shape_legacy(struct program *p, uint32_t ops)
{
	define_streams(p, STREAMS, true);
	on_thread(p, 1);
	for (uint32_t i = 0; i < ops; i++) {
		launch(p, i % 10 == 9 ? 0 : 1 + below(p, STREAMS));
		leave(p);
	}
}

/* Each stream works once, and is destroyed; then come barriers of all kinds. */
static void shape_dead_streams(struct program *p, uint32_t ops)
{
	char fields[64];

	define_streams(p, ops / 2, true);
	on_thread(p, 1);
	for (uint32_t i = 1; i <= ops / 2; i++) {
		launch(p, i);
		leave(p);
		snprintf(fields, sizeof(fields), "stream=0x%x", 0x100 * i);
		enter(p, "call_stream", "cuStreamDestroy", fields);
		leave(p);
	}
	for (uint32_t i = 0; i < ops / 8; i++) {
		launch(p, 0);
		leave(p);
		synchronize(p, 0);
		enter(p, "call", "cuCtxSynchronize", "");
		leave(p);
		enter(p, "call_memory", "cuMemFree", "address=0x5000");
		leave(p);
	}
}

/* Each kernel waits for what was recorded in another stream. */
static void shape_mesh(struct program *p, uint32_t ops)
{
	char fields[64];

	define_streams(p, 100, false);
	on_thread(p, 1);
	for (uint32_t i = 0; i < ops / 3; i++) {
		uint32_t from = 1 + below(p, 100);
		uint32_t to = 1 + below(p, 100);

		snprintf(fields, sizeof(fields), "stream=0x%x event=0x9%04x", 0x100 * from,
			 below(p, 64));
		enter(p, "call_event", "cuEventRecord", fields);
		leave(p);
		snprintf(fields, sizeof(fields), "stream=0x%x event=0x9%04x", 0x100 * to,
			 below(p, 64));
		enter(p, "call_event", "cuStreamWaitEvent", fields);
		leave(p);
		launch(p, to);
		leave(p);
	}
}

/* Two threads whose calls overlap, in the same streams: device times tell which was first, or nothing does. */
static void shape_overlap(struct program *p, uint32_t ops)
{
	define_streams(p, 8, true);
	for (uint32_t thread = 1; thread <= 2; thread++) {
		p->now = 1000000 + 60 * thread;
		on_thread(p, thread);
		for (uint32_t i = 0; i < ops / 2; i++) {
			launch(p, below(p, 9));
			leave(p);
			if (i % 7 == 0)
				synchronize(p, 1 + below(p, 8));
		}
	}
}

/* Threads stand in launches for good; what the others submit has no known order with these. */
static void shape_never_return(struct program *p, uint32_t ops)
{
	uint32_t stuck = 40;

	define_streams(p, 4, true);
	for (uint32_t thread = 2; thread < 2 + stuck; thread++) {
		on_thread(p, thread);
		enter(p, "call_launch", "cuLaunchKernel",
		      thread % 2 ? "stream=0x100" : "stream=0x200");
	}
	on_thread(p, 1);
	for (uint32_t i = 0; i < ops; i++) {
		launch(p, 1 + below(p, 4));
		leave(p);
		if (i % 20 == 0)
			synchronize(p, 1 + below(p, 4));
	}
}

/* Each green context works once; then come waits, records and ends of the primary one, which cover them all. */
static void shape_green(struct program *p, uint32_t ops)
{
	char fields[64];

	gst_outfile_printf(p->text, "chunk defs process=1\n"
				    "context ctx=1 device=0 null_stream=7 handle=0xc1\n");
	for (uint32_t i = 1; i <= ops / 4; i++)
		gst_outfile_printf(p->text,
				   "context ctx=%u device=0 parent=1 handle=0x%x\n"
				   "stream ctx=%u stream=%u handle=0x%x type=nonblocking\n",
				   1 + i, 0xc1 + i, 1 + i, 7 + i, 0x100 * i);
	p->thread = 0;
	on_thread(p, 1);
	for (uint32_t i = 1; i <= ops / 4; i++) {
		snprintf(fields, sizeof(fields), "stream=0x%x", 0x100 * i);
		enter(p, "call_launch", "cuLaunchKernel", fields);
		leave(p);
	}
	for (uint32_t i = 0; i < ops / 4; i++) {
		enter(p, "call", "cuCtxSynchronize", "");
		leave(p);
		enter(p, "call_event", "cuCtxRecordEvent", "event=0x9000 context=0xc1");
		leave(p);
		enter(p, "call_event", "cuCtxWaitEvent", "event=0x9001 context=0xc1");
		leave(p);
		if (i % 8 == 0) {
			enter(p, "call", "cuCtxDestroy", "object=0xc1");
			leave(p);
		}
	}
}

/* One node of as many as there are ops runs in each launch, never the one that ran in the launch before. */
static void shape_graph(struct program *p, uint32_t ops)
{
	gst_outfile_printf(p->text, "chunk defs process=1\ngraph graph=2 handle=0xa00\n"
				    "stream ctx=1 stream=8 handle=0x100 type=blocking\n"
				    "graph_exec exec=0xa00 graph=1 id=2\n");
	for (uint32_t i = 0; i < ops; i++)
		gst_outfile_printf(p->text, "graph_node node=0x2%08x graph=2 type=kernel\n", i);
	p->thread = 0;
	on_thread(p, 1);
	for (uint32_t i = 0; i < ops / 2; i++) {
		unsigned long long start = REAL_NS + (p->now - 1000000) + 150;

		enter(p, "call_graph", "cuGraphLaunch", "stream=0x100 exec=0xa00");
		gst_outfile_printf(
			p->device,
			"kernel corr=%u start_ns=%llu end_ns=%llu ctx=1 stream=8 name=\"k\" graph=2 "
			"graph_node=0x2%08x\n",
			p->corr, start, start + 50, i % 2);
		leave(p);
	}
}

/* ---- the count ---------------------------------------------------------------------------------------------- */

struct count {
	uint64_t things, edges, order, timing, check;
};

static void measure(void (*shape)(struct program *p, uint32_t ops), uint32_t ops, struct count *out)
{
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct program p = {.text = gst_outfile_open_memory(),
			    .device = gst_outfile_open_memory(),
			    .now = 1000000,
			    .random = 88172645463325252u};
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_loader *loader = NULL;
	const struct gst_model *m = NULL;
	const struct gst_order *o = NULL;
	const struct gst_timing *t = NULL;
	const struct gst_findings *f = NULL;
	struct gst_err err = {0};
	const char *text;
	size_t length;

	gst_outfile_printf(
		p.text,
		"gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1000000\n"
		"anchor mono_ns=1000000 real_ns=%llu gpu_ns=%llu\n"
		"device device=0 name=\"GPU\" sm_count=1\n"
		"context ctx=1 device=0 null_stream=7\nstream ctx=1 stream=7 type=legacy\n",
		(unsigned long long)REAL_NS, (unsigned long long)REAL_NS);
	shape(&p, ops);
	gst_outfile_printf(p.text, "chunk events process=1 thread=0\n");
	text = gst_outfile_memory(p.device, &length);
	gst_outfile_write(p.text, text, length);
	gst_outfile_printf(p.text, "chunk defs process=1\nend time_ns=%llu\n",
			   (unsigned long long)p.now + 1000);
	text = gst_outfile_memory(p.text, &length);
	if (gst_loader_open_memory(text, length, "text", &options, &loader, &err) ||
	    gst_model_build(&loader, 1, arena, &m, &err) || gst_order_build(m, arena, &o, &err) ||
	    gst_timing_build(m, o, arena, &t, &err) ||
	    gst_check_run(m, o, t, NULL, arena, &f, &err))
		fail_msg("%s", err.text);
	*out = (struct count){.things = (uint64_t)m->op_count + m->call_count,
			      .edges = gst_order_edge_count(o),
			      .order = gst_order_stats(o)->steps,
			      .timing = gst_timing_steps(t),
			      .check = f->steps};
	gst_loader_close(loader);
	gst_model_free(m);
	gst_arena_free(arena);
	gst_outfile_abort(p.text);
	gst_outfile_abort(p.device);
}

static void hold(const char *name, const char *what, const struct count *small,
		 const struct count *large, uint64_t few, uint64_t many)
{
	if (many > STEPS_MAX * large->things)
		fail_msg("%s: %llu %s for %llu ops and calls", name, (unsigned long long)many, what,
			 (unsigned long long)large->things);
	/* A few steps are noise. */
	if (many * small->things > few * large->things * 9 / 8 + 1000 * small->things)
		fail_msg("%s: %llu %s for %llu ops and calls, but %llu for %llu", name,
			 (unsigned long long)few, what, (unsigned long long)small->things,
			 (unsigned long long)many, (unsigned long long)large->things);
}

static void grow(const char *name, void (*shape)(struct program *p, uint32_t ops))
{
	struct count small, large;

	measure(shape, SMALL, &small);
	measure(shape, 4 * SMALL, &large);
	print_message(
		"%s: %llu ops and calls, %llu edges, steps of order %llu, timing %llu, check %llu\n",
		name, (unsigned long long)large.things, (unsigned long long)large.edges,
		(unsigned long long)large.order, (unsigned long long)large.timing,
		(unsigned long long)large.check);
	assert_true(large.things > 3 * small.things && large.things > SMALL);
	hold(name, "edges", &small, &large, small.edges, large.edges);
	hold(name, "steps of order", &small, &large, small.order, large.order);
	hold(name, "steps of timing", &small, &large, small.timing, large.timing);
	hold(name, "steps of check", &small, &large, small.check, large.check);
}

static void test_single(void **state)
{
	(void)state;
	grow("single", shape_single);
}

static void test_legacy(void **state)
{
	(void)state;
	grow("legacy", shape_legacy);
}

static void test_dead_streams(void **state)
{
	(void)state;
	grow("dead streams", shape_dead_streams);
}

static void test_mesh(void **state)
{
	(void)state;
	grow("mesh", shape_mesh);
}

static void test_overlap(void **state)
{
	(void)state;
	grow("overlap", shape_overlap);
}

static void test_never_return(void **state)
{
	(void)state;
	grow("never return", shape_never_return);
}

static void test_green(void **state)
{
	(void)state;
	grow("green contexts", shape_green);
}

static void test_graph(void **state)
{
	(void)state;
	grow("graph", shape_graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single),	     cmocka_unit_test(test_legacy),
		cmocka_unit_test(test_dead_streams), cmocka_unit_test(test_mesh),
		cmocka_unit_test(test_overlap),	     cmocka_unit_test(test_never_return),
		cmocka_unit_test(test_green),	     cmocka_unit_test(test_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
