/*
 * describe.h - what is in an analysis, in words for people; the words of machine-readable outputs are those of
 * export_names.h.
 *
 * Buffers get raw bytes of the trace (names): the caller escapes for its output. Ids that are out of range are bugs.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_DESCRIBE_H
#define GSTRACE_ANALYZER_EXPORT_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/export/export.h"

/* Longest label: names are shortened by the model. */
#define GST_LABEL_BYTES 256

struct gst_label {
	char text[GST_LABEL_BYTES];
};

/** Name of an API function as its user wrote it, or "driver call 123" if it is not known. */
struct gst_label gst_api_label(uint32_t api);

/** String @id of the model as a label; cut if longer. */
struct gst_label gst_string_label(const struct gst_model *m, uint32_t id);

/** "stream 13", "default stream", "unknown stream". */
struct gst_label gst_stream_label(const struct gst_model *m, gst_stream_id stream);

/** What a node is called: an op's label, a call's function, "barrier of ..." (and @stream: where, or GST_NONE). */
struct gst_label gst_node_label(const struct gst_analysis *a, gst_node_id node,
				gst_stream_id *stream);

/** Name of the innermost NVTX range in which @call was made; "" = none, or it has no name. GST_NONE is fine. */
struct gst_label gst_range_label(const struct gst_model *m, gst_call_id call);

/** The call behind a node, or GST_NONE. */
gst_call_id gst_node_call(const struct gst_analysis *a, gst_node_id node);

/** When the target point of edge @e was reached; false = not known (barrier points, ops without times). */
bool gst_edge_target_ns(const struct gst_analysis *a, gst_edge_id e, uint64_t *ns);

/** Was a part of the trace read (--from, --to)? Then what seems unfinished may be finished outside. */
bool gst_analysis_is_window(const struct gst_analysis *a);

#define GST_OPEN_WAIT_RULES 8

/* What a call waits for. */
struct gst_open_wait {
	gst_op_id op;
	enum gst_rule rule; /* by which the call waits for it */
	/* The unfinished op that holds op up in the end and is itself held up by none; GST_NONE: there is none. */
	gst_op_id behind;
	uint32_t
		rule_count; /* of the way from op to there: each rule once, the nearest to op first */
	enum gst_rule rules[GST_OPEN_WAIT_RULES];
};

/**
 * Calls @fn for each op that a call which never returned waits for, at most @max; returns how many there are.
 *
 * Unfinished is what was not seen to end: its record may as well be missing. Of several ops that hold one up, the one
 * submitted first is followed.
 */
uint32_t gst_describe_waits(const struct gst_analysis *a, gst_call_id call, uint32_t max,
			    void (*fn)(void *payload, const struct gst_open_wait *wait),
			    void *payload);

/** Everything that is lost, ambiguous or not understood, a line each; nothing if there is nothing. */
void gst_describe_limits(const struct gst_analysis *a, void (*fn)(void *payload, const char *line),
			 void *payload);

/** What kind of program: name of the process, its executable's last part, or its pid. */
struct gst_label gst_process_label(const struct gst_model *m, uint32_t process);

/** The UUID of a trace as text, lower case, with dashes; "" if it is not known. */
struct gst_label gst_uuid_label(uint64_t hi, uint64_t lo);

/** Whether the trace of @process was to tell when work ran: not so with --mode=order. GST_NONE: of any process. */
bool gst_describe_has_times(const struct gst_model *m, uint32_t process);

#endif
