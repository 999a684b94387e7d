/*
 * timing.h - everything that needs timestamps: evidence, binding predecessor, replay, verify.
 */
#ifndef GSTRACE_ANALYZER_TIMING_TIMING_H
#define GSTRACE_ANALYZER_TIMING_TIMING_H

#include "analyzer/order/order.h"

struct gst_timing;

/**
 * Hold the graph against the timestamps: promote or disprove `possible` edges, find for each node the
 * predecessor that released it last. Linear. Lives in @arena. Errors: GST_E_FORMAT if the times span more
 * than 2^62 ns; GST_E_LIMIT past 2^31 ops and calls. Threads: as base/parallel.h says; the same for any number.
 */
gst_status gst_timing_build(const struct gst_model *m, const struct gst_order *o,
			    struct gst_arena *arena, const struct gst_timing **out,
			    struct gst_err *err) GST_NODISCARD;

/**
 * The same in two parts: what needs no graph, so that another thread may find it while the graph is built, and
 * the rest. The caller owns what the first gives: gst_timing_finish takes it, also where it fails; else gst_timing_drop.
 */
struct gst_timing *gst_timing_prepare(const struct gst_model *m) GST_NODISCARD;
gst_status gst_timing_finish(struct gst_timing *prepared, const struct gst_order *o,
			     struct gst_arena *arena, const struct gst_timing **out,
			     struct gst_err *err) GST_NODISCARD;
void gst_timing_drop(struct gst_timing *prepared);

/** Edges looked at to bring all into an order, beside those of the one pass: for tests of scale. */
uint64_t gst_timing_steps(const struct gst_timing *t);

/** What became of edge @e: DOCUMENTED, POSSIBLE (no evidence either way), OBSERVED, DISPROVED. */
enum gst_strength gst_timing_strength(const struct gst_timing *t, gst_edge_id e);

/** Whether @e held anything up or could have: DOCUMENTED or OBSERVED. */
static inline bool gst_timing_in_force(const struct gst_timing *t, gst_edge_id e)
{
	enum gst_strength s = gst_timing_strength(t, e);
	return s == GST_DOCUMENTED || s == GST_OBSERVED;
}

/**
 * The edge that released @node last (in force, i.e. documented or observed), and by how much the next
 * one came earlier (@slack_ns, UINT64_MAX if it was the only one). GST_NONE: no predecessor with known time.
 *
 * A call that waited gives the edge that its return waited for; one that did not gives the call before it.
 */
gst_edge_id gst_timing_binding(const struct gst_timing *t, gst_node_id node, uint64_t *slack_ns);

/* When the last of some edges in force released a node, and the first edge that did it then; GST_NONE: no such edge. */
struct gst_latest {
	gst_edge_id edge;
	uint64_t ns;
};

/** The latest of the edges of @rule into @node, and of all others, as far as their times are known. */
void gst_timing_latest(const struct gst_timing *t, gst_node_id node, enum gst_rule rule,
		       struct gst_latest *by_rule, struct gst_latest *by_others);

/** When the source point of edge @e was reached (its end, begin, enter or exit by the edge's form; a barrier point: the latest of its own). False = not known. */
bool gst_timing_source_ns(const struct gst_timing *t, gst_edge_id e, uint64_t *ns);

/**
 * When @op began and ended; of an op without times the moment its predecessors released it, twice.
 * False = not known either.
 */
bool gst_timing_op_ns(const struct gst_timing *t, gst_op_id op, uint64_t *begin_ns,
		      uint64_t *end_ns);

/** Is the time of @node's end known, or (of an op without times) only that it was not before gst_timing_op_ns()? */
bool gst_timing_is_exact(const struct gst_timing *t, gst_node_id node);

/**
 * The share of its device that @op occupies, in millionths: blocks of the grid against the blocks that
 * can be resident. 1000000 = fills it, or not known.
 */
uint32_t gst_timing_share(const struct gst_timing *t, gst_op_id op);

/* A wait that is put into the replay: @call returns no earlier than @op ends. */
struct gst_wait {
	gst_call_id call;
	gst_op_id op;
};

/*
 * What is changed to ask "what if": edges taken out, calls made cheaper, host waits put elsewhere. Not the order of a
 * thread's calls, though (edges of the form EXIT_ENTER stay), nor the calls of which most are made: calls and waits
 * are none that launch, or record an event or let a stream wait for one.
 */
struct gst_cut {
	const gst_edge_id *edges; /* sorted, unique */
	const gst_call_id *calls; /* sorted, unique: calls whose own time is at most call_cost_ns */
	const struct gst_wait
		*waits; /* sorted by call; the op precedes the call's exit in the graph */
	uint32_t edge_count, call_count, wait_count;
	uint64_t call_cost_ns;
	bool is_high_only; /* the upper bound alone: the lower one takes several times as long */
};

struct gst_replay {
	/* Of the process that gains most: traces of several processes are replayed side by side. */
	uint64_t makespan_ns;  /* end of the last op or call, replayed */
	uint64_t baseline_ns;  /* the same with no edge cut: what was observed */
	uint64_t gain_high_ns; /* upper bound: durations unchanged */
	uint64_t
		gain_low_ns; /* lower bound: 0 where either kernel alone fills the device; linear sharing otherwise */
	bool low_is_known; /* false: not asked for, or more than GST_REPLAY_LOW_MAX moments */
	uint64_t
		steps; /* knots of the processes looked at for the upper bound: for tests of scale */
};

#define GST_REPLAY_LOW_MAX \
	1000000u /* moments: one for an op, two for a call, one for a barrier point */

/**
 * Replay the trace with @cut's edges left out: each op begins when the edges that remain, its submission and
 * its engine allow, and lasts as long as it did; host gaps between calls stay as observed, host waits
 * shrink with what they wait for. Linear in nodes + edges of the processes that the cut is about; memory from @scratch.
 * Up to eight questions about one process cost little more than one: ask them together. Uses threads (parallel.h), so
 * it is not asked within a task; the answers are the same for any number.
 */
void gst_timing_replay_all(const struct gst_timing *t, const struct gst_cut *cuts, uint32_t count,
			   struct gst_arena *scratch, struct gst_replay *out);

/** The same for one. */
void gst_timing_replay(const struct gst_timing *t, const struct gst_cut *cut,
		       struct gst_arena *scratch, struct gst_replay *out);

/**
 * When @op would have begun under @cut, with all durations as they were: the earliest, as the upper bound of a gain is.
 * False: its times are not known. Linear in its process; memory from @scratch.
 */
bool gst_timing_earliest(const struct gst_timing *t, const struct gst_cut *cut, gst_op_id op,
			 struct gst_arena *scratch, uint64_t *begin_ns);

/* ---- verify: every documented edge against the timestamps --------------------------------------- */

struct gst_verify_rule {
	uint64_t edges, checked, tight, contradictions, not_checkable;
};

struct gst_contradiction {
	gst_edge_id edge;
	gst_edge_id other; /* of a clock window: with which it cannot hold together; GST_NONE */
	int64_t gap_ns;
};

/* host/device: per device and second, the clock offsets (ns, device minus host) that all enter->begin and end->exit edges allow */
struct gst_clock_window {
	uint32_t device; /* index into model->devices */
	uint64_t from_ns, to_ns;
	int64_t low_ns, high_ns; /* INT64_MIN, INT64_MAX: not bounded on that side */
	bool is_empty;
	gst_edge_id low_edge, high_edge; /* the witnesses; GST_NONE */
};

struct gst_verify {
	struct gst_verify_rule rules[GST_RULE_COUNT];
	uint64_t contradictions;
	struct gst_contradiction *examples; /* the first 20 */
	uint32_t example_count;
	struct gst_clock_window *windows;
	uint32_t window_count;
	/* documented edges that could not be checked, by reason */
	uint64_t not_checkable_untimed, not_checkable_forced, not_checkable_ambiguous,
		not_checkable_lost,
		not_checkable_device, /* two devices, and how far their clocks differ is not known */
		not_checkable_clock;  /* contradicted by less than the wall clock stepped */
	/* edges of which the times tell that no begin was before the other one, and not when the trigger was between them */
	uint64_t begins_alone;
};

/** Fill @out (arrays in @arena). Tolerance: 64 ns on one device, an offset window per device between host and device, both windows between two devices, 0 on the host; what a step of the wall clock could explain is not checkable. */
void gst_timing_verify(const struct gst_timing *t, struct gst_arena *arena, struct gst_verify *out);

#endif
