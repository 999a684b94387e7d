/*
 * check_internal.h - what the checks share: the run they are part of, groups, unions, words.
 *
 * A check goes over the model once, puts what it sees into groups (one a call site: same API, thread,
 * stream, names) and reports each group as one finding. docs/HOWTO_ADD_CHECK.md walks through one.
 */
#ifndef GSTRACE_ANALYZER_CHECK_CHECK_INTERNAL_H
#define GSTRACE_ANALYZER_CHECK_CHECK_INTERNAL_H

#include "analyzer/base/map.h"
#include "analyzer/base/vec.h"
#include "analyzer/check/check.h"

/* Waits shorter than this are below what two clocks and a scheduler let us see. */
#define GST_STALL_MIN_NS 1000u
/* What a thread submits within this time of a call's return it could have submitted before. */
#define GST_SOON_NS  20000u
#define GST_PATH_MAX 64u

struct gst_span {
	uint64_t begin_ns, end_ns;
};

struct gst_spans {
	struct gst_span *data;
	size_t count, cap;
};

/* One finding in the making. Zero-initialised it is an empty group. */
struct gst_group {
	uint32_t key[6];
	uint32_t next; /* group of the same hash, or GST_NONE */
	uint32_t occurrence_count;
	uint64_t begin_ns, end_ns;
	uint64_t reach_ns; /* sum of the stalls: no replay can gain more */
	uint64_t extra[9]; /* sums of the check's own */
	struct gst_spans blocked;
	GST_VEC(struct gst_occurrence) occurrences;
	GST_VEC(gst_edge_id) edges; /* to cut */
	GST_VEC(gst_call_id) calls; /* to make cheaper */
	GST_VEC(struct gst_wait) waits;
	gst_edge_id path[GST_PATH_MAX]; /* of the first occurrence, culprit to waiter */
	uint32_t path_count;
	bool are_ranges_told;	/* by the check itself */
	struct gst_replay gain; /* found before it is reported, if its stalls are worth a replay */
};

struct gst_groups {
	GST_VEC(struct gst_group) v;
	struct gst_map index;
	bool is_shown_without_gain; /* the check decides itself what is worth a line */
};

/* The nodes that a search has met; slots of an older epoch are empty. */
#define SEARCH_MAX   4096u
#define SEARCH_SLOTS (2 * SEARCH_MAX)

struct gst_search {
	struct {
		uint32_t epoch;
		gst_node_id node;
	} slots[SEARCH_SLOTS];
	gst_node_id queue[SEARCH_MAX];
	uint32_t epoch;
};

struct gst_check_run;

/** Report one group. @together_ns: what all groups would gain at once, at most; 0 = it is the only one. */
typedef void (*gst_report_fn)(struct gst_check_run *r, struct gst_group *g, uint64_t together_ns,
			      void *payload);

/* What a check leaves to be replayed and reported: see gst_groups_report. */
struct gst_later {
	struct gst_groups groups;
	struct gst_group all; /* all of them put together */
	const uint32_t *ids;  /* of groups, most to gain first */
	uint32_t count;	      /* how many of these are replayed, if their stalls reach the floor */
	GST_VEC(struct gst_cut) cuts;
	GST_VEC(struct gst_group *) asked; /* whose cut it is; the last one is all together */
	gst_report_fn report;
	void *payload;
};

struct gst_check_run {
	const struct gst_model *m;
	const struct gst_order *o;
	const struct gst_timing *t;
	struct gst_arena *arena; /* findings and their words */
	uint64_t traced_ns;
	bool is_all; /* groups below the floor are reported too */
	/* what the check wants, in order */
	GST_VEC(gst_call_id) calls;
	uint32_t *
		thread_at; /* by thread: where the last call that was asked for stands among its calls */
	struct gst_search *search;
	uint64_t search_left; /* edges that searches may still look at */
	GST_VEC(struct gst_finding) found;
	struct gst_later later;
	uint32_t hidden_count;
	uint32_t
		skipped_count; /* of them, those that were not replayed: too many in so large a trace */
	struct gst_spans hidden; /* the stalls of hidden groups */
};

struct gst_check {
	const char *id;
	void (*run)(struct gst_check_run *r);
	/* Is it a call that the check looks at? They are in gst_check_run's calls. NULL: it looks at no list. */
	bool (*wants)(const struct gst_call *c);
	uint64_t
		classes; /* it is asked of calls of these alone: a bit for each enum gst_api_class */
	uint32_t weight;  /* the heaviest are begun first: 0 = one look at a list */
	bool needs_times; /* without device records it finds nothing */
};

/* One a file. */
void gst_check_default_stream(struct gst_check_run *r);
void gst_check_pageable_copy(struct gst_check_run *r);
void gst_check_sync_copy(struct gst_check_run *r);
void gst_check_host_sync(struct gst_check_run *r);
void gst_check_implicit_sync(struct gst_check_run *r);
void gst_check_graph_reinstantiated(struct gst_check_run *r);
void gst_check_lost_records(struct gst_check_run *r);
bool gst_check_graph_reinstantiated_wants(const struct gst_call *c);
bool gst_check_pageable_copy_wants(const struct gst_call *c);
bool gst_check_host_sync_wants(const struct gst_call *c);
bool gst_check_sync_copy_wants(const struct gst_call *c);
bool gst_check_api_error_wants(const struct gst_call *c);
bool gst_check_stream_callback_wants(const struct gst_call *c);
bool gst_check_event_timing_wants(const struct gst_call *c);
void gst_check_api_error(struct gst_check_run *r);
void gst_check_launch_blocking(struct gst_check_run *r);
void gst_check_default_stream_mixed(struct gst_check_run *r);
void gst_check_stream_callback(struct gst_check_run *r);
void gst_check_event_timing_flag(struct gst_check_run *r);
void gst_check_queue_full(struct gst_check_run *r);
void gst_check_gpu_starved(struct gst_check_run *r);

/* ---- groups (group.c) ----------------------------------------------------------------------------- */

/** The group of @key, made if new. Good until the next call. Groups keep the order in which they were made. */
struct gst_group *gst_groups_at(struct gst_groups *g, const uint32_t key[6]);

/** The group of @key, or NULL. */
struct gst_group *gst_groups_find(struct gst_groups *g, const uint32_t key[6]);

void gst_groups_release(struct gst_groups *g);

/** Count @x; keep it if there is room; its stall (blocked_ns > 0: begin to end) joins the union. */
void gst_group_add(struct gst_group *g, struct gst_occurrence x);

/** Time covered by @s. Sorts it, and joins what overlaps. */
uint64_t gst_spans_union(struct gst_spans *s);

void gst_spans_add(struct gst_spans *s, uint64_t begin_ns, uint64_t end_ns);

/* ---- cost and report (report.c) -------------------------------------------------------------------- */

/** What the run would gain without what is in the group, into the cost fields of @f: for report functions. */
void gst_group_cost(struct gst_check_run *r, const struct gst_group *g, struct gst_finding *f);

/**
 * Report @g as finding @f (id, title, detail, advice and costs set by the check): severity by cost,
 * evidence and blocked time from the group. Below the floor it is only counted.
 */
void gst_group_report(struct gst_check_run *r, struct gst_group *g, struct gst_finding *f);

/**
 * Replay @g's groups without their edges, with their calls at @call_cost_ns and their waits added, as far as their stalls
 * reach the floor. Then call @report for each that may be worth a line, most to gain first; count the others as hidden:
 * all of them, if all together would gain less than the floor, and in a large trace those with the least.
 *
 * That comes after the check is over, when those of all checks are replayed together: the groups are @r's from here on,
 * @g is empty, and @payload must live in r->arena. Once a run.
 */
void gst_groups_report(struct gst_check_run *r, struct gst_groups *g, uint64_t call_cost_ns,
		       gst_report_fn report, void *payload);

/** The replay of what @count runs of one trace asked for: between the checks and their reports. Uses threads. */
void gst_groups_replay(struct gst_check_run *const *runs, uint32_t count);

/** The reports of one run, and its groups given back. */
void gst_groups_finish(struct gst_check_run *r);

/** Count @g as hidden: below the floor, or too many of its kind. */
void gst_check_hide(struct gst_check_run *r, const struct gst_group *g);

/** A finding with a severity of its own (correctness, loss): reported whatever it costs. */
void gst_check_add(struct gst_check_run *r, struct gst_group *g, struct gst_finding *f);

/** Least cost that is worth a line. */
uint64_t gst_check_floor(const struct gst_check_run *r);

/** Least cost of @severity. */
uint64_t gst_check_least_of(const struct gst_check_run *r, enum gst_severity severity);

/** As gst_check_floor, but 0 where everything is asked for. */
uint64_t gst_check_least(const struct gst_check_run *r);

/* ---- questions that checks have in common (site.c) ---------------------------------------------------- */

/**
 * The edges from the op that released @node last to @node, through barrier points; from culprit to waiter.
 * Returns their number (at most GST_PATH_MAX); 0 = not known.
 */
uint32_t gst_check_binding_path(const struct gst_check_run *r, gst_edge_id last,
				gst_edge_id path[GST_PATH_MAX]);

/**
 * The first work (kernel, copy, memset, graph, host function) that the thread of @call submits within
 * GST_SOON_NS of its return, before it waits for anything else; GST_NONE.
 */
gst_op_id gst_check_next_work(const struct gst_check_run *r, gst_call_id call);

/** The next call of the same thread in which the host may wait for the device; GST_NONE. */
gst_call_id gst_check_next_wait(const struct gst_check_run *r, gst_call_id call);

/** For each thread its last call that submits work, or GST_NONE; thread_count + 1 to give back (mem.h). */
gst_call_id *gst_check_last_work(const struct gst_check_run *r);

/* An op that a call waited for. */
struct gst_awaited {
	gst_op_id op;
	gst_stream_id stream; /* of the op */
	gst_edge_id edge;     /* the first of the way to the call */
	uint64_t end_ns;
	bool is_exact;
	bool is_related; /* by gst_check_relate */
};

struct gst_awaiteds {
	struct gst_awaited *data;
	size_t count, cap;
};

/**
 * The ops that @call waited for (edges in force, also through barrier points) and that were, or may have
 * been, still pending at its enter. @has_vague: an end is not known.
 */
void gst_check_awaited(const struct gst_check_run *r, gst_call_id call, struct gst_awaiteds *out,
		       bool *has_vague);

/**
 * Which of the awaited ops are followed by @work without the host's help? Streams, events and barriers between
 * them count; that the host waited does not. Fills is_related and returns how many are. A search that is
 * given up says "related": then nothing is claimed.
 */
size_t gst_check_relate(struct gst_check_run *r, struct gst_awaiteds *a, gst_op_id work);

/* ---- words (words.c) ------------------------------------------------------------------------------- */

/** As printf, into the arena. */
const char *gst_check_text(struct gst_check_run *r, const char *fmt, ...) GST_PRINTF(2, 3);

/** "12.3 ms" in @buf. */
const char *gst_check_time(char buf[32], uint64_t ns);
const char *gst_check_bytes(char buf[32], uint64_t bytes);

/** "once", "twice", "17 times". */
const char *gst_check_times(struct gst_check_run *r, uint64_t n);

/** Names, in the arena; never NULL. */
const char *gst_check_op(struct gst_check_run *r, gst_op_id op);
const char *gst_check_api(const struct gst_check_run *r, gst_call_id call);
const char *gst_check_stream(const struct gst_check_run *r, gst_stream_id s);
const char *gst_check_thread(struct gst_check_run *r, gst_call_id call);

/**
 * In which NVTX ranges the calls behind @g's occurrences were made: "in NVTX range forward", with numbers if it was not
 * always the same one; NULL = in none.
 */
const char *gst_check_ranges(struct gst_check_run *r, const struct gst_group *g);

/** What loss or ambiguity weakens; NULL = nothing. */
const char *gst_check_withheld(struct gst_check_run *r);

#endif
