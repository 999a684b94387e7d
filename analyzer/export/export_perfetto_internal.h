/*
 * export_perfetto_internal.h - the parts of the Perfetto exporter, for its own files and tests.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_EXPORT_PERFETTO_INTERNAL_H
#define GSTRACE_ANALYZER_EXPORT_EXPORT_PERFETTO_INTERNAL_H

#include "analyzer/base/outfile.h"
#include "analyzer/base/vec.h"
#include "analyzer/timing/timing.h"

struct ProtobufCMessage;

/* ---- stream: packets to bytes ----------------------------------------------------------------- */

struct gst_pf_stream;

/** A stream of packets into @out, which stays the caller's. */
struct gst_pf_stream *gst_pf_stream_new(struct gst_outfile *out, bool is_compressed);

/** Append one packet. Copies what it needs. Amortised O(size); memory is one batch, whatever the trace. */
void gst_pf_stream_put(struct gst_pf_stream *s, const struct ProtobufCMessage *packet);

/** A write or the compression has failed: further packets are ignored, so a long job may stop. */
bool gst_pf_stream_failed(const struct gst_pf_stream *s);

/** Write what is buffered and free @s. Errors: GST_E_NOMEM (zlib). Failed writes are @out's to report. */
gst_status gst_pf_stream_finish(struct gst_pf_stream *s, struct gst_err *err) GST_NODISCARD;

/* ---- lanes: which row of a track a slice goes to ------------------------------------------------ */

struct gst_lane {
	uint64_t end_ns; /* of the last slice in it */
	uint64_t uuid;	 /* track; 0 = not made yet */
};

/* Slices of one track that may overlap: each lane holds a sequence without overlap. Zeroed = empty. */
struct gst_lanes {
	GST_VEC(struct gst_lane) lanes;
	GST_VEC(uint32_t) busy; /* heap by end: lanes that may still be in use */
	GST_VEC(uint32_t) idle; /* heap by number */
};

/**
 * The lowest lane that is free from @begin_ns on; taken until @end_ns. Calls come by rising @begin_ns.
 * The pointer is good until the next call. Cost: O(log lanes).
 */
struct gst_lane *gst_lanes_take(struct gst_lanes *l, uint64_t begin_ns, uint64_t end_ns);

void gst_lanes_release(struct gst_lanes *l);

/* ---- arrows: which edges can be drawn, between which slices --------------------------------------- */

/* One edge of the order graph, drawn from the end of a slice to the begin of another, or to a call's exit. */
struct gst_arrow {
	gst_op_id source;
	gst_node_id target; /* an op, or a call */
	gst_edge_id edge;
};

struct gst_arrow_stats {
	uint64_t drawn;	       /* arrows, launches not counted */
	uint64_t same_pair;    /* left out: another edge joins the same two slices */
	uint64_t same_stream;  /* left out: both are in one stream, whose track shows their order */
	uint64_t without_ends; /* left out: what it starts from or leads to has no times */
	uint64_t against_time; /* left out: the source ends after the target begins */
	uint64_t not_in_force; /* left out: possible without evidence, or disproved */
	uint64_t overlapping;  /* left out: begin -> begin edges between streams */
};

struct gst_arrows {
	/* op -> slice that stands for its end (as a source), for its begin (as a target); GST_NONE */
	gst_op_id *last;  /* by node: ops, calls, barrier points */
	gst_op_id *first; /* by op */
	uint32_t node_count, op_count;
	struct gst_arrow *by_target; /* by target, then source */
	struct gst_arrow *by_source; /* by source, then target */
	uint32_t count;
	struct gst_arrow_stats stats;
};

/**
 * Find the arrows of an analysis. Pure; memory is about 24 bytes a node and 24 an arrow (mem.h).
 *
 * An op with times stands for itself. A graph launch known by its nodes alone begins with the first
 * and ends with the last of them. What takes no time of its own (event records and waits, stream-ordered
 * memory, barrier points) is as late as the latest work before it, and passes an arrow that leads to
 * it on to the next work in its stream. Other ops without times have no arrows.
 */
void gst_arrows_build(const struct gst_model *m, const struct gst_order *o,
		      const struct gst_timing *t, struct gst_arrows *out);

void gst_arrows_release(struct gst_arrows *a);

/** Arrows that lead to @target / start at @source: an array of *count. Cost: O(log arrows). */
const struct gst_arrow *gst_arrows_into(const struct gst_arrows *a, gst_node_id target,
					uint32_t *count);
const struct gst_arrow *gst_arrows_from(const struct gst_arrows *a, gst_op_id source,
					uint32_t *count);

/**
 * The slice that the launch arrow of @op's call leads to, and its edge (U1): @op itself, the first known
 * node of a graph launch, or GST_NONE.
 */
gst_op_id gst_arrows_launched(const struct gst_arrows *a, const struct gst_model *m,
			      const struct gst_order *o, gst_op_id op, gst_edge_id *edge);

#endif
