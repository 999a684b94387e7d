/*
 * critical_words.c - names of the causes of the critical path, and of why a stretch of it is not known.
 *
 * Role      : one word for each number, for all exporters; docs/CRITICAL.md explains them.
 * Method    : a switch over each enum, so that the compiler misses none.
 * Invariant : a word, once given, stays: it is in JSON, SQLite and Perfetto.
 * Not here  : sentences about them (analyzer/export/export_critical.c).
 */
#include "analyzer/timing/critical.h"

const char *gst_cause_name(enum gst_cause cause)
{
	switch (cause) {
	case GST_CAUSE_KERNEL:
		return "kernel";
	case GST_CAUSE_COPY:
		return "copy";
	case GST_CAUSE_GRAPH:
		return "graph";
	case GST_CAUSE_HOST_FUNC:
		return "host-function";
	case GST_CAUSE_HOST_COMPUTE:
		return "host-compute";
	case GST_CAUSE_CALL:
		return "cuda-call";
	case GST_CAUSE_LATENCY:
		return "launch-latency";
	case GST_CAUSE_BARRIER:
		return "barrier";
	case GST_CAUSE_HOST_WAIT:
		return "host-wait";
	case GST_CAUSE_IDLE:
		return "idle";
	case GST_CAUSE_UNKNOWN:
	case GST_CAUSE_COUNT:
		break;
	}
	return "unknown";
}

const char *gst_unknown_name(enum gst_unknown why)
{
	switch (why) {
	case GST_UNKNOWN_NO_TIMES:
		return "no-times";
	case GST_UNKNOWN_NO_CALL:
		return "no-call";
	case GST_UNKNOWN_THREAD_START:
		return "thread-start";
	case GST_UNKNOWN_NEVER_RETURNED:
		return "never-returned";
	case GST_UNKNOWN_NOT_RECORDED:
		return "not-recorded";
	case GST_UNKNOWN_LOST:
		return "lost";
	case GST_UNKNOWN_GRAPH_END:
		return "graph-end";
	case GST_UNKNOWN_NO_WAY_BACK:
		return "no-way-back";
	case GST_UNKNOWN_NONE:
	case GST_UNKNOWN_COUNT:
		break;
	}
	return "none";
}
