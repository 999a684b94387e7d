/*
 * export_perfetto_test.c - the Perfetto traces of models and of real traces, read back from their bytes.
 *
 * Role      : perfetto_wire.c checks that a trace is well made; this file, that it is the right one.
 * Method    : export_perfetto_test TRACE...: each is analyzed, exported and compared with its model and
 *             graph, thing by thing; then models made in code, faults, and the parts by themselves.
 * Invariant : ops drawn = ops with times; an arrow = an edge in force whose source ends first; what is not drawn
 *             is counted in the file.
 * Not here  : what a viewer makes of it (docs/PERFETTO.md).
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/map.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/export_perfetto_internal.h"
#include "analyzer/export/export_test_analysis.h"
#include "analyzer/export/perfetto_wire.h"
#include "analyzer/timing/critical.h"

static char **traces;
static int trace_count;

#define HOLDS(what, ...)                              \
	do {                                          \
		if (!(what)) {                        \
			print_error(__VA_ARGS__);     \
			print_error(": %s\n", #what); \
			fail();                       \
		}                                     \
	} while (0)

static void export(const struct gst_analysis *a, const struct gst_perfetto_options *opt,
		   struct wire_trace *w, const char *name)
{
	struct gst_outfile *out = gst_outfile_open_memory();
	struct gst_err err = {0};
	size_t length;
	const char *bytes;

	assert_int_equal(gst_export_perfetto(a, opt, out, &err), GST_OK);
	bytes = gst_outfile_memory(out, &length);
	HOLDS(wire_read(bytes, length, w), "%s: %s", name, w->error);
	gst_outfile_abort(out);
}

static bool is_timed(const struct gst_op *op)
{
	return op->flags & GST_OP_TIMED;
}

/* Times have a sign in the file: those past it are its largest. */
static uint64_t file_ns(const struct gst_model *m, uint64_t ns)
{
	uint64_t largest = (uint64_t)INT64_MAX;

	return m->base_ns > largest || ns > largest - m->base_ns ? largest : m->base_ns + ns;
}

static uint64_t pair_key(uint64_t a, uint64_t b)
{
	return a << 32 | b;
}

/* Where each thing of the model is in the file: index + 1 of its slice, 0 = nowhere. */
struct found {
	uint32_t *slice_of_op, *slice_of_call, *stage_of_op;
	struct gst_map api_by_end; /* packet of the END -> slice */
	struct gst_map launched;   /* op -> call */
};

static void count_limit(void *payload, const char *line)
{
	int64_t *count = payload;

	*count += line[0] != 0;
}

static void find_ops(const struct gst_analysis *a, const struct wire_trace *w, struct found *f,
		     const char *name)
{
	int64_t limits = 0;
	const struct gst_model *m = a->model;
	uint32_t timed = 0;

	for (size_t i = 0; i < w->stages.count; i++) {
		const struct wire_stage *s = &w->stages.data[i];
		const struct gst_op *op = &m->ops[s->event];

		HOLDS(s->event < m->op_count && s->arg_op == s->event && is_timed(op), "%s", name);
		HOLDS(s->begin_ns == file_ns(m, op->begin_ns) &&
			      s->duration_ns == file_ns(m, op->end_ns) - s->begin_ns,
		      "%s: op %" PRIu64, name, s->event);
		HOLDS(op->call == GST_NONE ? s->submission == WIRE_NONE
					   : s->submission == m->calls[op->call].corr,
		      "%s: op %" PRIu64, name, s->event);
		if (op->stream != GST_NONE) {
			HOLDS(s->arg_stream == (m->streams[op->stream].cupti_id == GST_ID_NONE
							? WIRE_NONE
							: m->streams[op->stream].cupti_id),
			      "%s: op %" PRIu64, name, s->event);
		}
		HOLDS(s->has_wait_kind == (s->waits.count > 0), "%s: op %" PRIu64, name, s->event);
		f->stage_of_op[s->event] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < w->slices.count; i++) {
		const struct wire_slice *s = &w->slices.data[i];

		if (s->is_api || s->op == WIRE_NONE) {
			continue;
		}
		HOLDS(s->op < m->op_count && !f->slice_of_op[s->op], "%s", name);
		HOLDS(s->begin_ns == file_ns(m, m->ops[s->op].begin_ns) &&
			      s->end_ns == file_ns(m, m->ops[s->op].end_ns),
		      "%s: op %" PRIu64, name, s->op);
		f->slice_of_op[s->op] = (uint32_t)i + 1;
	}
	for (gst_op_id i = 0; i < m->op_count; i++) {
		timed += is_timed(&m->ops[i]);
		HOLDS(is_timed(&m->ops[i]) == !!f->slice_of_op[i] &&
			      is_timed(&m->ops[i]) == !!f->stage_of_op[i],
		      "%s: op %" PRIu32, name, i);
	}
	HOLDS(w->stages.count == timed, "%s", name);
	HOLDS(wire_attribute(w, "gstrace.ops_drawn") == timed, "%s", name);
	HOLDS(wire_attribute(w, "gstrace.ops_without_times") == m->op_count - timed, "%s", name);
	HOLDS(wire_attribute(w, "gstrace.complete") == m->is_complete, "%s", name);
	gst_describe_limits(a, count_limit, &limits);
	HOLDS(wire_attribute(w, "gstrace.limits") == limits, "%s", name);
}

static void find_calls(const struct gst_analysis *a, const struct wire_trace *w, struct found *f,
		       const char *name)
{
	const struct gst_model *m = a->model;
	struct gst_map by_key = {0};
	size_t api_slices = 0, drawn = 0;

	/* The place in its thread and time tell which call it is; correlation ids of two processes may be equal. */
	for (size_t i = 0; i < w->slices.count; i++) {
		const struct wire_slice *s = &w->slices.data[i];

		if (s->is_api) {
			api_slices++;
			gst_map_put(&by_key, gst_hash_u64(s->correlation) ^ s->begin_ns,
				    (uint32_t)i);
			gst_map_put(&f->api_by_end, s->end_packet, (uint32_t)i);
		}
	}
	for (gst_call_id i = 0; i < m->call_count; i++) {
		const struct gst_call *c = &m->calls[i];
		const struct wire_slice *s;
		uint32_t slice;
		bool has_returned = c->flags & GST_CALL_RETURNED;

		if (c->flags & GST_CALL_NO_ENTER) {
			continue;
		}
		drawn++;
		HOLDS(gst_map_get(&by_key, gst_hash_u64(c->corr) ^ file_ns(m, c->enter_ns), &slice),
		      "%s: call %" PRIu32, name, i);
		s = &w->slices.data[slice];
		HOLDS(s->end_ns == file_ns(m, has_returned ? c->exit_ns : m->end_ns),
		      "%s: call %" PRIu32, name, i);
		HOLDS(s->is_incomplete == !has_returned, "%s: call %" PRIu32, name, i);
		HOLDS(s->has_wait_kind == (s->waits.count > 0), "%s: call %" PRIu32, name, i);
		f->slice_of_call[i] = slice + 1;
		for (size_t k = 0; k < s->submissions.count; k++) {
			HOLDS(m->ops[s->submissions.data[k]].call == i, "%s: call %" PRIu32, name,
			      i);
			gst_map_put(&f->launched, s->submissions.data[k], i);
		}
	}
	HOLDS(drawn == api_slices, "%s", name);
	HOLDS(wire_attribute(w, "gstrace.calls_drawn") == (int64_t)drawn, "%s", name);
	gst_map_release(&by_key);
}

static bool has_edge_from_call(const struct gst_analysis *a, gst_op_id op)
{
	struct gst_edges in = gst_order_in(a->order, op);

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(a->order, &in, i);

		if (e.rule == GST_RULE_U1 &&
		    e.from == gst_node_of_call(a->order, a->model->ops[op].call)) {
			return true;
		}
	}
	return false;
}

/* Each op with times that was submitted by a call of the trace is launched by one slice. */
static void check_launches(const struct gst_analysis *a, const struct found *f, const char *name)
{
	const struct gst_model *m = a->model;

	for (gst_op_id i = 0; i < m->op_count; i++) {
		const struct gst_op *op = &m->ops[i];
		uint32_t call;

		if (!is_timed(op) || op->flags & GST_OP_NODE || op->call == GST_NONE ||
		    !f->slice_of_call[op->call] || !has_edge_from_call(a, i)) {
			continue;
		}
		HOLDS(gst_map_get(&f->launched, i, &call) && call == op->call, "%s: op %" PRIu32,
		      name, i);
	}
}

struct arrow {
	uint32_t from, to; /* slice + 1 */
};

static void check_arrows(const struct gst_analysis *a, const struct wire_trace *w,
			 const struct found *f, const char *name)
{
	const struct gst_model *m = a->model;
	uint32_t edges = gst_order_edge_bound(a->order), drawn = 0, drawable = 0, pairs = 0;
	struct arrow *arrows = gst_mem_alloc((edges + 1) * sizeof(*arrows));
	struct gst_map waits = {0};
	int64_t counted = 0;
	static const char *const reasons[] = {"same_pair",    "same_stream",  "without_ends",
					      "against_time", "not_in_force", "overlapping"};

	for (size_t i = 0; i < w->slices.count; i++) {
		const struct wire_slice *s = &w->slices.data[i];

		for (size_t k = 0; k < s->flows_out.count; k++) {
			HOLDS(s->flows_out.data[k] && s->flows_out.data[k] <= edges, "%s", name);
			arrows[s->flows_out.data[k]].from = (uint32_t)i + 1;
		}
		for (size_t k = 0; k < s->flows_in.count; k++) {
			uint32_t slice = (uint32_t)i;

			/* An instant stands before the end of the call that it belongs to. */
			if (s->is_instant) {
				HOLDS(gst_map_get(&f->api_by_end, s->begin_packet + 1, &slice),
				      "%s", name);
			}
			HOLDS(s->flows_in.data[k] && s->flows_in.data[k] <= edges, "%s", name);
			arrows[s->flows_in.data[k]].to = slice + 1;
		}
		for (size_t k = 0; s->is_api && k < s->waits.count; k++) {
			gst_map_put(&waits, pair_key(s->waits.data[k], i + m->op_count), 0);
			pairs++;
		}
	}
	for (size_t i = 0; i < w->stages.count; i++) {
		for (size_t k = 0; k < w->stages.data[i].waits.count; k++) {
			gst_map_put(
				&waits,
				pair_key(w->stages.data[i].waits.data[k], w->stages.data[i].event),
				0);
			pairs++;
		}
	}
	for (gst_edge_id id = gst_order_next_edge(a->order, 0); id < edges;
	     id = gst_order_next_edge(a->order, id + 1)) {
		const struct gst_edge e = gst_order_edge(a->order, id);
		const struct arrow *arrow = &arrows[id + 1];
		const struct wire_slice *from, *to;
		enum gst_strength strength = gst_timing_strength(a->timing, id);
		bool is_candidate = e.rule != GST_RULE_T1 && e.rule != GST_RULE_U1 &&
				    e.rule != GST_RULE_S1 && e.rule != GST_RULE_S2 &&
				    e.rule != GST_RULE_G2 && e.form != GST_ENTER_BEGIN &&
				    e.form != GST_EXIT_ENTER &&
				    !gst_node_is_barrier(a->order, e.to);

		drawable += is_candidate;
		if (!arrow->from && !arrow->to) {
			continue;
		}
		HOLDS(arrow->from && arrow->to, "%s: edge %" PRIu32, name, id);
		HOLDS(strength == GST_DOCUMENTED || strength == GST_OBSERVED, "%s: edge %" PRIu32,
		      name, id);
		from = &w->slices.data[arrow->from - 1];
		to = &w->slices.data[arrow->to - 1];
		if (e.rule == GST_RULE_U1) {
			HOLDS(from->is_api && !to->is_api, "%s: edge %" PRIu32, name, id);
			HOLDS(arrow->from == f->slice_of_call[e.from - m->op_count],
			      "%s: edge %" PRIu32, name, id);
			HOLDS(to->op == e.to || m->ops[to->op].parent == e.to, "%s: edge %" PRIu32,
			      name, id);
			HOLDS(from->begin_ns <= to->begin_ns, "%s: edge %" PRIu32, name, id);
			continue;
		}
		drawn++;
		HOLDS(is_candidate && !from->is_api, "%s: edge %" PRIu32, name, id);
		if (gst_node_is_op(a->order, e.from) && is_timed(&m->ops[e.from])) {
			HOLDS(from->op == e.from, "%s: edge %" PRIu32, name, id);
		}
		if (gst_node_is_call(a->order, e.to)) {
			HOLDS(arrow->to == f->slice_of_call[e.to - m->op_count],
			      "%s: edge %" PRIu32, name, id);
			HOLDS(from->end_ns <= to->end_ns, "%s: edge %" PRIu32, name, id);
			HOLDS(gst_map_get(&waits, pair_key(from->op, arrow->to - 1 + m->op_count),
					  NULL),
			      "%s: edge %" PRIu32, name, id);
		} else {
			HOLDS(!is_timed(&m->ops[e.to]) || to->op == e.to, "%s: edge %" PRIu32, name,
			      id);
			HOLDS(from->end_ns <= to->begin_ns, "%s: edge %" PRIu32, name, id);
			HOLDS(gst_map_get(&waits, pair_key(from->op, to->op), NULL),
			      "%s: edge %" PRIu32, name, id);
			/* The graph itself must know that the two are in order (or that a loss hides it). */
			if (edges < 20000) {
				HOLDS(gst_order_before(a->order, (gst_node_id)from->op,
						       (gst_node_id)to->op, NULL) != GST_NO,
				      "%s: edge %" PRIu32, name, id);
			}
		}
	}
	/* Both forms have the same arrows, and each pair once. */
	HOLDS(drawn == pairs && gst_map_count(&waits) == pairs, "%s", name);
	HOLDS(wire_attribute(w, "gstrace.arrows") == drawn, "%s", name);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		char key[64];

		snprintf(key, sizeof(key), "gstrace.edges_%s", reasons[i]);
		HOLDS(wire_attribute(w, key) >= 0, "%s", name);
		counted += wire_attribute(w, key);
	}
	HOLDS(drawn + counted == drawable, "%s", name);
	gst_map_release(&waits);
	gst_mem_free(arrows, (edges + 1) * sizeof(*arrows));
}

/* stream > context > (device >) CUDA > process; findings apart. */
static void check_tracks(const struct gst_analysis *a, const struct wire_trace *w, const char *name)
{
	size_t occurrences = 0, wanted = 0;

	for (size_t i = 0; i < w->slices.count; i++) {
		const struct wire_slice *s = &w->slices.data[i];
		const struct wire_track *t = wire_find_track(w, s->track);
		const struct wire_track *parent = wire_find_track(w, t->parent);

		if (s->is_api || s->is_nvtx || (s->is_instant && s->within != WIRE_NONE) ||
		    strcmp(t->name, "gstrace critical path") == 0) {
			continue;
		}
		if (s->op == WIRE_NONE) {
			occurrences +=
				!s->is_instant && strcmp(parent->name, "gstrace findings") == 0;
			continue;
		}
		HOLDS(strncmp(parent->name, "Context ", 8) == 0, "%s: track %s", name, t->name);
		parent = wire_find_track(w, parent->parent);
		if (strncmp(parent->name, "Device ", 7) == 0) {
			parent = wire_find_track(w, parent->parent);
		}
		HOLDS(strcmp(parent->name, "CUDA") == 0, "%s: track %s", name, t->name);
		parent = wire_find_track(w, parent->parent);
		HOLDS(parent->is_process && !parent->parent, "%s: track %s", name, t->name);
	}
	for (uint32_t i = 0; i < a->findings->count; i++) {
		uint32_t count = a->findings->items[i].evidence_count;

		wanted += count ? count : 1;
	}
	HOLDS(occurrences == wanted, "%s", name);
}

/* The critical path: one stretch after the other, on a track of its own. */
static void check_critical(const struct gst_analysis *a, const struct wire_trace *w,
			   const char *name)
{
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_critical c;
	uint32_t next = 0;

	gst_timing_critical(a->timing, GST_NONE, arena, &c);
	for (size_t i = 0; i < w->slices.count; i++) {
		const struct wire_slice *s = &w->slices.data[i];

		if (strcmp(wire_find_track(w, s->track)->name, "gstrace critical path") != 0) {
			continue;
		}
		HOLDS(next < c.segment_count, "%s", name);
		HOLDS(s->begin_ns == file_ns(a->model, c.segments[next].begin_ns) &&
			      s->end_ns == file_ns(a->model, c.segments[next].end_ns),
		      "%s: stretch %" PRIu32, name, next);
		next++;
	}
	HOLDS(next == c.segment_count, "%s", name);
	gst_arena_free(arena);
}

/* Each range and mark is drawn once: on its thread's row, or on one of its process. */
static void check_ranges(const struct gst_analysis *a, const struct wire_trace *w,
			 const struct found *f, const char *name)
{
	const struct gst_model *m = a->model;
	size_t ranges = 0, marks = 0, named = 0;

	for (size_t i = 0; i < w->slices.count; i++) {
		const struct wire_slice *s = &w->slices.data[i];
		const struct wire_track *t = wire_find_track(w, s->track);

		if (s->range) {
			named++;
		}
		if (!s->is_nvtx) {
			continue;
		}
		HOLDS(t->tid >= 0 || strcmp(t->name, "NVTX ranges") == 0, "%s: track %s", name,
		      t->name);
		ranges += !s->is_instant;
		marks += s->is_instant;
	}
	HOLDS(ranges == m->stats.nvtx_ranges && marks == m->stats.nvtx_marks, "%s", name);
	/* Work has the range of its call as an argument; a call that is drawn in a range is in it. */
	for (gst_op_id i = 0; i < m->op_count; i++) {
		uint32_t range =
			m->ops[i].call == GST_NONE ? GST_NONE : gst_call_range(m, m->ops[i].call);

		if (f->slice_of_op[i]) {
			HOLDS((w->slices.data[f->slice_of_op[i] - 1].range != 0) ==
				      (range != GST_NONE && m->ranges[range].name != 0),
			      "%s: op %" PRIu32, name, i);
			named -= range != GST_NONE && m->ranges[range].name != 0;
		}
	}
	HOLDS(named == 0, "%s", name);
	/* load is launched in forward, in step; layer ends after forward, so it is on a row of the process. */
	if (strstr(name, "n1_nvtx")) {
		static const uint32_t depth[] = {2, 2, 1, 1, 0};

		for (gst_call_id i = 0; i < m->call_count; i++) {
			const struct wire_slice *s = &w->slices.data[f->slice_of_call[i] - 1];
			uint32_t around = 0;

			for (; s->within != WIRE_NONE; s = &w->slices.data[s->within]) {
				HOLDS(w->slices.data[s->within].is_nvtx, "%s", name);
				around++;
			}
			HOLDS(around == depth[i], "%s: call %" PRIu32, name, i);
		}
	}
}

static void check_all(const struct gst_analysis *a, const char *name)
{
	const struct gst_model *m = a->model;
	struct wire_trace w, other;
	struct found f = {
		.slice_of_op = gst_mem_alloc((m->op_count + 1) * sizeof(uint32_t)),
		.stage_of_op = gst_mem_alloc((m->op_count + 1) * sizeof(uint32_t)),
		.slice_of_call = gst_mem_alloc((m->call_count + 1) * sizeof(uint32_t)),
	};

	export(a, NULL, &w, name);
	HOLDS(w.clocks[3] == file_ns(m, 0) && w.clocks[6] == file_ns(m, 0) &&
		      w.clocks[1] == (m->real_base_ns > INT64_MAX ? INT64_MAX : m->real_base_ns),
	      "%s", name);
	find_ops(a, &w, &f, name);
	find_calls(a, &w, &f, name);
	check_launches(a, &f, name);
	check_arrows(a, &w, &f, name);
	check_tracks(a, &w, name);
	check_critical(a, &w, name);
	check_ranges(a, &w, &f, name);

	/* Each form alone: the other leaves nothing behind. */
	export(a, &(struct gst_perfetto_options){.tracks = true}, &other, name);
	HOLDS(other.stages.count == 0 && other.slices.count == w.slices.count, "%s", name);
	for (size_t i = 0; i < other.slices.count; i++) {
		HOLDS(!other.slices.data[i].waits.count && !other.slices.data[i].submissions.count,
		      "%s", name);
	}
	wire_free(&other);
	export(a, &(struct gst_perfetto_options){.render_stages = true}, &other, name);
	HOLDS(other.stages.count == w.stages.count, "%s", name);
	for (size_t i = 0; i < other.slices.count; i++) {
		HOLDS(!other.slices.data[i].flows_in.count && !other.slices.data[i].flows_out.count,
		      "%s", name);
	}
	wire_free(&other);
	export(a, &(struct gst_perfetto_options){.is_plain = true}, &other, name);
	HOLDS(other.packets == w.packets && !other.compressed_packets, "%s", name);
	wire_free(&other);
	wire_free(&w);
	gst_map_release(&f.api_by_end);
	gst_map_release(&f.launched);
	gst_mem_free(f.slice_of_op, (m->op_count + 1) * sizeof(uint32_t));
	gst_mem_free(f.stage_of_op, (m->op_count + 1) * sizeof(uint32_t));
	gst_mem_free(f.slice_of_call, (m->call_count + 1) * sizeof(uint32_t));
}

static void test_traces(void **state)
{
	(void)state;
	for (int i = 0; i < trace_count; i++) {
		struct gst_test_analysis t;
		struct gst_err err = {0};

		/* Damaged ones are among them; whether they can be read is the loader's test. */
		if (gst_test_analyze_file(traces[i], &t, &err)) {
			check_all(&t.a, traces[i]);
		}
		gst_test_analysis_release(&t);
	}
}

static void test_models(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct gst_test_analysis t;
		struct gst_err err = {0};
		char name[64];

		snprintf(name, sizeof(name), "seed %" PRIu64, seed);
		HOLDS(gst_test_analyze_model(seed, (uint32_t)seed * 40, &t, &err), "%s: %s", name,
		      err.text);
		check_all(&t.a, name);
		gst_test_analysis_release(&t);
	}
}

static void test_empty_model(void **state)
{
	struct gst_test_analysis t;
	struct gst_err err = {0};
	struct gst_model nothing = {.strings = gst_strtab_new()};
	const struct gst_model *full;

	(void)state;
	assert_true(gst_test_analyze_model(1, 0, &t, &err));
	check_all(&t.a, "no calls");
	gst_test_analysis_release(&t);

	t = (struct gst_test_analysis){.arena = gst_arena_new(0)};
	t.a.model = &nothing;
	assert_int_equal(gst_order_build(&nothing, t.arena, &t.a.order, &err), GST_OK);
	assert_int_equal(gst_timing_build(&nothing, t.a.order, t.arena, &t.a.timing, &err), GST_OK);
	assert_int_equal(
		gst_check_run(&nothing, t.a.order, t.a.timing, NULL, t.arena, &t.a.findings, &err),
		GST_OK);
	check_all(&t.a, "nothing at all");
	full = t.a.model;
	t.a.model = NULL;
	gst_strtab_free(full->strings);
	gst_test_analysis_release(&t);
}

/* The same analysis gives the same bytes. */
static void test_repeatable(void **state)
{
	struct gst_test_analysis t;
	struct gst_err err = {0};
	struct gst_outfile *out[2];
	const char *bytes[2];
	size_t length[2];

	(void)state;
	assert_true(gst_test_analyze_model(3, 500, &t, &err));
	for (int i = 0; i < 2; i++) {
		out[i] = gst_outfile_open_memory();
		assert_int_equal(gst_export_perfetto(&t.a, NULL, out[i], &err), GST_OK);
		bytes[i] = gst_outfile_memory(out[i], &length[i]);
	}
	assert_int_equal(length[0], length[1]);
	assert_memory_equal(bytes[0], bytes[1], length[0]);
	gst_outfile_abort(out[0]);
	gst_outfile_abort(out[1]);
	gst_test_analysis_release(&t);
}

static int files_in(const char *folder)
{
	DIR *d = opendir(folder);
	int count = 0;

	assert_non_null(d);
	while (readdir(d)) {
		count++;
	}
	closedir(d);
	return count - 2; /* . and .. */
}

/* Writing fails after so many bytes: the status says so, and no file is left. */
static void test_full_disk(void **state)
{
	static const rlim_t limits[] = {0, 1, 100, 5000, 60000};
	struct gst_test_analysis t;
	struct gst_err err = {0};
	struct rlimit old;
	char folder[512], path[600];

	(void)state;
	assert_true(gst_test_analyze_model(5, 3000, &t, &err));
	snprintf(folder, sizeof(folder), "%s/full%ld", gst_test_folder(), (long)getpid());
	snprintf(path, sizeof(path), "%s/x.pftrace", folder);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct gst_outfile *out;
		gst_status st;

		assert_int_equal(gst_outfile_open(path, &out, &err), GST_OK);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){limits[i], old.rlim_max}),
				 0);
		st = gst_export_perfetto(&t.a, NULL, out, &err);
		if (st) {
			gst_outfile_abort(out);
		} else {
			st = gst_outfile_commit(out, &err);
		}
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(st, GST_E_IO);
		assert_non_null(strstr(err.text, path));
		assert_int_equal(files_in(folder), 0);
	}
	rmdir(folder);
	gst_test_analysis_release(&t);
}

/* Lanes against the obvious way: the lowest lane whose last slice has ended. */
static void test_lanes(void **state)
{
	struct gst_lanes lanes = {0};
	uint64_t ends[100] = {0}, random = 12345, begin = 0;
	size_t used = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t end;
		size_t lane = 0;
		struct gst_lane *got;

		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		begin += random >> 60;
		end = begin + (random >> 40) % 100;
		while (lane < used && ends[lane] > begin) {
			lane++;
		}
		assert_true(lane < 100);
		used = lane == used ? used + 1 : used;
		ends[lane] = end;
		got = gst_lanes_take(&lanes, begin, end);
		assert_int_equal(got - lanes.lanes.data, lane);
	}
	assert_int_equal(lanes.lanes.count, used);
	gst_lanes_release(&lanes);
}

/* The second reader must see faults: each byte of a trace changed, one at a time. */
static void test_reader_sees_faults(void **state)
{
	struct gst_test_analysis t;
	struct gst_err err = {0};
	struct gst_outfile *out = gst_outfile_open_memory();
	size_t length, seen = 0, tried = 0;
	char *bytes;
	const char *original;

	(void)state;
	assert_true(gst_test_analyze_model(2, 60, &t, &err));
	assert_int_equal(gst_export_perfetto(&t.a, &(struct gst_perfetto_options){.is_plain = true},
					     out, &err),
			 GST_OK);
	original = gst_outfile_memory(out, &length);
	bytes = gst_mem_alloc(length);
	for (size_t i = 0; i < length; i += 7) {
		struct wire_trace w;

		memcpy(bytes, original, length);
		bytes[i] = (char)(bytes[i] ^ 0x15);
		tried++;
		seen += !wire_read(bytes, length, &w);
		wire_free(&w);
	}
	/* What is left are texts and numbers that may have any value. */
	assert_true(seen > tried / 2);
	for (size_t cut = 1; cut < length; cut += 97) {
		struct wire_trace w;

		wire_read(original, length - cut, &w);
		wire_free(&w);
	}
	gst_mem_free(bytes, length);
	gst_outfile_abort(out);
	gst_test_analysis_release(&t);
}

/* Memory does not grow with the output: what is kept is a fixed number of bytes for each op and edge. */
static void test_memory(void **state)
{
	struct gst_test_analysis t;
	struct gst_err err = {0};
	struct gst_outfile *out;
	uint64_t before, bound;

	(void)state;
	assert_true(gst_test_analyze_model(9, 30000, &t, &err));
	assert_int_equal(gst_outfile_open("/dev/null", &out, &err), GST_OK);
	before = gst_mem_used();
	bound = (uint64_t)t.a.model->op_count * 64 +
		(uint64_t)gst_order_edge_count(t.a.order) * 64 + (2 << 20);
	assert_int_equal(gst_export_perfetto(&t.a, NULL, out, &err), GST_OK);
	assert_true(gst_mem_peak() < before + bound);
	assert_int_equal(gst_outfile_commit(out, &err), GST_OK);
	gst_test_analysis_release(&t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory), /* first: the peak is the process' */
		cmocka_unit_test(test_lanes),	    cmocka_unit_test(test_models),
		cmocka_unit_test(test_empty_model), cmocka_unit_test(test_repeatable),
		cmocka_unit_test(test_full_disk),   cmocka_unit_test(test_reader_sees_faults),
		cmocka_unit_test(test_traces),
	};

	traces = argv + 1;
	trace_count = argc - 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
