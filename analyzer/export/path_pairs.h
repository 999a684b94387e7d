/*
 * path_pairs.h - which of many operations come before which of many others, for `gstrace path --pairs`.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_PATH_PAIRS_H
#define GSTRACE_ANALYZER_EXPORT_PATH_PAIRS_H

#include "analyzer/export/export.h"

#define GST_PAIRS_MAX UINT64_C(4000000)

enum gst_pair_order {
	GST_PAIR_FORWARD, /* by documented rules alone */
	GST_PAIR_REVERSE,
	GST_PAIR_MAYBE_FORWARD, /* by rules that only may order them, too */
	GST_PAIR_MAYBE_REVERSE,
	GST_PAIR_NONE,
	GST_PAIR_UNKNOWN,
	GST_PAIR_ORDERS
};

/* Of two ops each, one of either side; an op is in no pair with itself. */
struct gst_path_pairs {
	uint64_t count
		[GST_PAIR_ORDERS]; /* by enum gst_pair_order: the first before the second, ... */
	gst_op_id from[GST_PAIR_ORDERS], to[GST_PAIR_ORDERS]; /* the first pair of each */
	uint64_t total;
};

/**
 * Ask for all pairs, at most GST_PAIRS_MAX, by documented edges, then by possible ones as well, whatever came of the
 * latter.
 *
 * A few are searched for; for many chain clocks are made first, which then answer each in some 100 ns wherever the two are.
 * Memory of these: 14 bytes a node and at most 1 GiB, freed again; twice that where the order has edges that are only possible.
 */
void gst_path_pairs(const struct gst_analysis *a, const gst_op_id *from, uint32_t from_count,
		    const gst_op_id *to, uint32_t to_count, struct gst_path_pairs *out);

gst_status gst_export_pairs_text(const struct gst_analysis *a, const struct gst_path_pairs *p,
				 struct gst_outfile *out, struct gst_err *err)
	__attribute__((warn_unused_result));
gst_status gst_export_pairs_json(const struct gst_analysis *a, const struct gst_path_pairs *p,
				 struct gst_outfile *out, struct gst_err *err)
	__attribute__((warn_unused_result));

#endif
