/*
 * path.h - the answer to "why does this operation come after that one?", for `gstrace path`.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_PATH_H
#define GSTRACE_ANALYZER_EXPORT_PATH_H

#include "analyzer/export/export.h"

enum gst_path_order {
	GST_PATH_FORWARD, /* the second comes after the first */
	GST_PATH_REVERSE, /* the first comes after the second */
	GST_PATH_NONE,	  /* no CUDA order seen */
	GST_PATH_UNKNOWN, /* none seen, and records that could show one are missing */
};

struct gst_path_answer {
	gst_op_id from, to;
	enum gst_path_order order;
	enum gst_strength strength; /* of the weakest edge: DOCUMENTED, OBSERVED or POSSIBLE */
	const gst_edge_id *edges;   /* from the end of one to the begin of the other */
	uint32_t edge_count;	    /* 0 with NONE and UNKNOWN */
};

/**
 * Find the path with the fewest edges from @from to @to, or else from @to to @from: of documented edges alone; or
 * else with ones that this run bore out; or else with possible ones. Never over an edge that the times
 * disproved.
 *
 * Owns: the edges live in @arena. Cost: linear in what lies between the two in the order, a few times.
 */
void gst_path_find(const struct gst_analysis *a, gst_op_id from, gst_op_id to,
		   struct gst_arena *arena, struct gst_path_answer *out);

/** "forward", "reverse", "none", "unknown". */
const char *gst_path_order_name(enum gst_path_order order);

/** From the end of the path's first operation to the begin of its last one; false = not measured, or no path. */
bool gst_path_gap(const struct gst_analysis *a, const struct gst_path_answer *p, int64_t *ns);

/** Of an answer without a path: what could order the two and is not seen, a line each; at least one. */
void gst_path_doubts(const struct gst_analysis *a, const struct gst_path_answer *p,
		     void (*fn)(void *payload, const char *line), void *payload);

/* One thing that an operation had to wait for. */
struct gst_release {
	gst_edge_id edge; /* into the op */
	gst_edge_id
		why; /* the first on the way from `from` that is not of the stream's own order; or edge */
	gst_node_id from; /* what let it go: behind barrier points and events, what ended last */
	bool is_in_force; /* documented, or borne out by this run */
	bool is_known;	  /* at_ns and slack_ns hold; else not known when */
	bool is_exact;	  /* false: it may have been later */
	uint64_t at_ns;
	uint64_t
		slack_ns; /* how much earlier that was than the last one in force; 0 = it is the last */
};

/**
 * What released @op: every edge into it, the last one in force first, then by time, then by edge; those whose time is not
 * known come last. Returns how many; *out lives in @arena. Cost: O(n log n) of what leads into @op.
 */
uint32_t gst_path_releases(const struct gst_analysis *a, gst_op_id op, struct gst_arena *arena,
			   const struct gst_release **out);

/* What is left out to ask when an operation could have begun: rules, or some of what released it. */
struct gst_path_without {
	uint64_t rules;		       /* bit set of enum gst_rule */
	const struct gst_release *one; /* of gst_path_releases(); NULL = none */
	/* The answer: */
	uint32_t edge_count;		     /* edges in force that were left out */
	bool is_known;			     /* false: when the operation ran is not known */
	uint64_t begin_ns;		     /* at the earliest, with durations as they were */
	uint64_t earlier_ns, run_earlier_ns; /* than it did begin; by which the run ends earlier */
};

/** Answer @w for @op. Cost: linear in the trace, twice. Memory from @arena. */
void gst_path_leave_out(const struct gst_analysis *a, gst_op_id op, struct gst_arena *arena,
			struct gst_path_without *w);

/** @without: questions answered by gst_path_leave_out(), each in a line or object of its own. */
gst_status gst_export_releases_text(const struct gst_analysis *a, gst_op_id op,
				    const struct gst_release *releases, uint32_t count,
				    const struct gst_path_without *without, uint32_t without_count,
				    struct gst_outfile *out, struct gst_err *err)
	__attribute__((warn_unused_result));
gst_status gst_export_releases_json(const struct gst_analysis *a, gst_op_id op,
				    const struct gst_release *releases, uint32_t count,
				    const struct gst_path_without *without, uint32_t without_count,
				    struct gst_outfile *out, struct gst_err *err)
	__attribute__((warn_unused_result));

gst_status gst_export_path_text(const struct gst_analysis *a, const struct gst_path_answer *p,
				struct gst_outfile *out, struct gst_err *err)
	__attribute__((warn_unused_result));
gst_status gst_export_path_json(const struct gst_analysis *a, const struct gst_path_answer *p,
				struct gst_outfile *out, struct gst_err *err)
	__attribute__((warn_unused_result));

#endif
