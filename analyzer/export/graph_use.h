/*
 * graph_use.h - what became of each executable graph, counted once for all exporters.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_GRAPH_USE_H
#define GSTRACE_ANALYZER_EXPORT_GRAPH_USE_H

#include "analyzer/base/arena.h"
#include "analyzer/model/model.h"

struct gst_graph_use {
	uint64_t whole_runs; /* launches with times of their own */
	uint64_t node_runs;  /* device records of nodes */
	uint64_t busy_ns;    /* sum of the launches' spans, of those by their nodes too */
};

/** By index of model->execs; lives in @arena. Linear in ops. */
const struct gst_graph_use *gst_graph_use_count(const struct gst_model *m, struct gst_arena *arena);

/** How long the call took that made @exec; false = not known. */
bool gst_graph_make_ns(const struct gst_model *m, const struct gst_exec *exec, uint64_t *ns);

#endif
