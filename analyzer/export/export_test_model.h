/*
 * export_test_model.h - models made in code, for tests of exporters: any size, every kind of thing, names of
 * every unpleasant form, times that keep all rules of ordering.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_EXPORT_TEST_MODEL_H
#define GSTRACE_ANALYZER_EXPORT_EXPORT_TEST_MODEL_H

#include "analyzer/model/model.h"

/**
 * A model of @call_count calls from @seed, in @arena: two processes, each with threads, a context, a legacy
 * stream, blocking and non-blocking ones; kernels, copies, memsets, records, waits, graph launches known as a
 * whole and by their nodes, stream-ordered memory, host functions, host waits, lost records, a call that
 * never returned. Give back with gst_model_free.
 */
const struct gst_model *gst_test_model(struct gst_arena *arena, uint64_t seed, uint32_t call_count);

#endif
