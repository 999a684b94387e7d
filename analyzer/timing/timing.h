/*
 * timing.h - everything that needs timestamps: evidence, binding predecessor, replay, verify.
 */
#ifndef GSTRACE_ANALYZER_TIMING_TIMING_H
#define GSTRACE_ANALYZER_TIMING_TIMING_H

#include "analyzer/order/order.h"

struct gst_timing;

/**
 * Hold the graph against the timestamps: promote or disprove `possible` edges, find for each node the
 * predecessor that released it last. Linear. Lives in @arena.
 */
gst_status gst_timing_build(const struct gst_model *m, const struct gst_order *o,
			    struct gst_arena *arena, const struct gst_timing **out,
			    struct gst_err *err) __attribute__((warn_unused_result));

/** What became of edge @e: DOCUMENTED, POSSIBLE (no evidence either way), OBSERVED, DISPROVED. */
enum gst_strength gst_timing_strength(const struct gst_timing *t, gst_edge_id e);

/**
 * The edge that released @node last (in force, i.e. documented or observed), and by how much the next
 * one came earlier (@slack_ns, UINT64_MAX if it was the only one). GST_NONE: no predecessor with known time.
 */
gst_edge_id gst_timing_binding(const struct gst_timing *t, gst_node_id node, uint64_t *slack_ns);

/** When the source point of edge @e was reached (its end, begin, enter or exit by the edge's form; a barrier point: the latest of its own). False = not known. */
bool gst_timing_source_ns(const struct gst_timing *t, gst_edge_id e, uint64_t *ns);

/* A set of edges taken out of the graph, to ask "what if". */
struct gst_cut {
	const gst_edge_id *edges; /* sorted, unique */
	uint32_t edge_count;
};

struct gst_replay {
	uint64_t makespan_ns; /* end of the last op or call, replayed */
	/* the same with no edge cut (the replay's own model of what happened) */
	uint64_t baseline_ns;
	uint64_t gain_high_ns; /* upper bound: durations unchanged */
	/* lower bound: 0 where either kernel alone fills the device; linear sharing otherwise */
	uint64_t gain_low_ns;
};

/**
 * Replay the trace with @cut's edges left out: each op begins when the edges that remain, its submission and
 * its engine allow, and lasts as long as it did; host gaps between calls stay as observed, host waits
 * shrink with what they wait for. Linear in nodes + edges per call; memory from @scratch.
 */
void gst_timing_replay(const struct gst_timing *t, const struct gst_cut *cut,
		       struct gst_arena *scratch, struct gst_replay *out);

/* ---- verify: every documented edge against the timestamps --------------------------------------- */

struct gst_verify_rule {
	uint64_t edges, checked, tight, contradictions, not_checkable;
};

struct gst_contradiction {
	gst_edge_id edge;
	int64_t gap_ns;
};

struct gst_verify {
	struct gst_verify_rule rules[GST_RULE_COUNT];
	uint64_t contradictions;
	struct gst_contradiction *examples; /* the first 20 */
	uint32_t example_count;
	/* host/device: per device, the clock offsets (ns, device minus host) that all enter->begin and end->exit edges allow */
	struct gst_clock_window {
		uint32_t device;
		uint64_t from_ns, to_ns;
		int64_t low_ns, high_ns;
		bool is_empty;
		gst_edge_id low_edge, high_edge;
	} * windows;
	uint32_t window_count;
	uint64_t not_checkable_untimed, not_checkable_forced, not_checkable_ambiguous,
		not_checkable_trigger, not_checkable_lost;
};

/** Fill @out (arrays in @arena). Tolerance: 64 ns on one device, an offset window per device between host and device, 0 on the host. */
void gst_timing_verify(const struct gst_timing *t, struct gst_arena *arena, struct gst_verify *out);

#endif
