/*
 * perfetto_wire.h - a second reader of the Perfetto traces we write, for tests: from the wire bytes, without
 * protobuf-c and without the exporter's .proto, so that a fault of either is seen.
 *
 * It is stricter than a viewer: what a viewer would drop without a word is an error here.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_PERFETTO_WIRE_H
#define GSTRACE_ANALYZER_EXPORT_PERFETTO_WIRE_H

#include "analyzer/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_NONE UINT64_MAX

struct wire_ids {
	uint64_t *data;
	size_t count, cap;
};

/* A slice of a TrackEvent track: BEGIN and END joined, or an instant. */
struct wire_slice {
	uint64_t track, begin_ns, end_ns;
	uint64_t name;	      /* event name iid */
	uint64_t op, waiter;  /* arguments of these names; WIRE_NONE */
	uint64_t correlation; /* argument; WIRE_NONE */
	bool is_instant, is_api, is_incomplete, has_wait_kind;
	bool is_nvtx;			 /* of the category nvtx: others may stand within it */
	uint64_t within;		 /* index of the slice that it stands within; WIRE_NONE */
	uint64_t range;			 /* string of the argument nvtx_range; 0 */
	size_t begin_packet, end_packet; /* position in the file */
	struct wire_ids submissions, waits, flows_out, flows_in;
};

struct wire_stage {
	uint64_t event, begin_ns, duration_ns, context, queue, stage, submission;
	uint64_t arg_op, arg_stream, arg_device; /* WIRE_NONE */
	bool has_wait_kind;
	struct wire_ids waits;
};

struct wire_track {
	uint64_t uuid, parent;
	int64_t pid, tid; /* -1 = none */
	bool is_process;
	char *name;
};

struct wire_attribute {
	char *key, *text;
	int64_t value;
};

struct wire_trace {
	GST_VEC(struct wire_slice) slices;
	GST_VEC(struct wire_stage) stages;
	GST_VEC(struct wire_track) tracks;
	GST_VEC(struct wire_attribute) attributes;
	uint64_t clocks[12]; /* by id; WIRE_NONE */
	size_t snapshots, packets, compressed_packets, gpus;
	char error[300]; /* empty: nothing wrong */
};

/**
 * Read the whole file. False: @t->error says what is wrong, and where. Free @t in any case.
 *
 * Checked: framing, known fields of the right wire type alone, unpacked numbers, valid UTF-8, sequences
 * and their flags, ids defined before use, one clock snapshot (6, 3, 1) before the first time,
 * slices that follow each other on each track or stand within NVTX ranges, ends without names, waits on ends and launches on API slices
 * alone, each flow with one source and one later target, event ids used once, parents that exist.
 */
bool wire_read(const void *data, size_t size, struct wire_trace *t);

void wire_free(struct wire_trace *t);

/** The number of attribute @key; -1 if it is not there. */
int64_t wire_attribute(const struct wire_trace *t, const char *key);

/** The track @uuid; NULL if there is none. */
const struct wire_track *wire_find_track(const struct wire_trace *t, uint64_t uuid);

#endif
