/*
 * fuzz_analyze.c - traces from a stranger through every stage: load, model, order, timing, check, verify.
 *
 * Role      : fuzz target of the whole analysis; the loader has targets of its own.
 * Method    : text as it is (a fuzzer changes numbers and lines there), binary with its checksums made right.
 * Invariant : no crash; a replay without a cut is what was observed; no cost is above its upper bound, and no
 *             stall longer than the trace.
 * Not here  : exporters.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/check/check.h"
#include "analyzer/load/load.h"
#include "tracer/format/encode.h"

/* Inputs larger than this only cost time. */
#define INPUT_MAX ((size_t)256 << 10)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend(uint8_t *data, size_t size)
{
	for (size_t at = 0; at + sizeof(struct gst_chunk_header) <= size; at += 8) {
		struct gst_chunk_header h;
		size_t left;

		memcpy(&h, data + at, sizeof(h));
		if (h.magic != GST_CHUNK_MAGIC) {
			continue;
		}
		left = h.header_bytes <= size - at ? size - at - h.header_bytes : 0;
		if ((h.flags & GST_CHUNK_SEALED) && h.stored_bytes <= left) {
			h.body_crc =
				gst_crc32c(0, data + at + h.header_bytes, (size_t)h.stored_bytes);
		}
		h.header_crc = gst_chunk_header_crc(&h);
		memcpy(data + at, &h, sizeof(h));
	}
}

static void look_at(const struct gst_model *m, struct gst_arena *arena)
{
	struct gst_err err = {0};
	const struct gst_order *o;
	const struct gst_timing *t;
	const struct gst_findings *f;
	struct gst_verify v;
	struct gst_replay r;
	struct gst_cut none = {0};

	if (gst_order_build(m, arena, &o, &err) || gst_timing_build(m, o, arena, &t, &err)) {
		GST_ASSERT(err.text[0]);
		return;
	}
	gst_timing_replay(t, &none, arena, &r);
	GST_ASSERT(r.makespan_ns == r.baseline_ns);
	gst_timing_verify(t, arena, &v);
	GST_ASSERT(v.example_count <= v.contradictions);
	GST_ASSERT(!gst_check_run(m, o, t, NULL, arena, &f, &err));
	for (uint32_t i = 0; i < f->count; i++) {
		const struct gst_finding *x = &f->items[i];
		GST_ASSERT(x->id && x->title && x->detail && x->advice);
		GST_ASSERT(x->cost_low_ns <= x->cost_ns && x->cost_ns <= x->cost_high_ns);
		GST_ASSERT(x->blocked_ns <= m->end_ns);
		GST_ASSERT(x->evidence_count <= x->occurrence_count &&
			   x->evidence_count <= GST_EVIDENCE_MAX);
		for (uint32_t j = 0; j < x->path_count; j++) {
			GST_ASSERT(x->path[j] < gst_order_edge_bound(o));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_loader *l = NULL;
	const struct gst_model *m = NULL;
	struct gst_err err = {0};
	uint8_t *copy = malloc(size ? size : 1);

	options.fold_staging = false;
	if (copy && size && size <= INPUT_MAX) {
		memcpy(copy, data, size);
		mend(copy, size);
		if (!gst_loader_open_memory(copy, size, "fuzz", &options, &l, &err) &&
		    !gst_model_build(&l, 1, arena, &m, &err)) {
			look_at(m, arena);
		}
	}
	gst_loader_close(l);
	gst_model_free(m);
	gst_arena_free(arena);
	free(copy);
	return 0;
}
