/*
 * words.c - names, times and sizes as a finding says them.
 *
 * Role      : one place for how things are called, so that all findings read alike.
 * Method    : snprintf into the arena; numbers as the report writes them (units.h).
 * Invariant : does not depend on the locale (whole numbers only) or on addresses.
 * Not here  : escaping; each exporter has its own.
 */
#include "analyzer/check/check_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/units.h"

const char *gst_check_text(struct gst_check_run *r, const char *fmt, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, fmt);
	length = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (length < 0) {
		return "";
	}
	text = gst_arena_alloc(r->arena, (size_t)length + 1);
	va_start(args, fmt);
	(void)vsnprintf(text, (size_t)length + 1, fmt, args);
	va_end(args);
	return text;
}

const char *gst_check_time(char buf[32], uint64_t ns)
{
	struct gst_number n = gst_duration(ns);

	memcpy(buf, n.text, sizeof(n.text));
	return buf;
}

const char *gst_check_bytes(char buf[32], uint64_t bytes)
{
	struct gst_number n = gst_bytes(bytes);

	memcpy(buf, n.text, sizeof(n.text));
	return buf;
}

_Static_assert(sizeof(struct gst_number) == 32, "fits into what callers have");

const char *gst_check_times(struct gst_check_run *r, uint64_t n)
{
	if (n == 1) {
		return "once";
	}
	return n == 2 ? "twice" : gst_check_text(r, "%" PRIu64 " times", n);
}

const char *gst_check_op(struct gst_check_run *r, gst_op_id op)
{
	char buf[512];

	if (op == GST_NONE) {
		return "unknown work";
	}
	gst_model_op_label(r->m, op, buf, sizeof(buf));
	return gst_check_text(r, "%s", buf);
}

const char *gst_check_api(const struct gst_check_run *r, gst_call_id call)
{
	const struct gst_api *api = call == GST_NONE ? NULL : gst_api_find(r->m->calls[call].api);

	return api ? api->name : "a CUDA call";
}

const char *gst_check_stream(const struct gst_check_run *r, gst_stream_id s)
{
	return s == GST_NONE ? "an unknown stream"
			     : gst_strtab_get(r->m->strings, r->m->streams[s].name, NULL);
}

const char *gst_check_thread(struct gst_check_run *r, gst_call_id call)
{
	const struct gst_thread *t;

	if (call == GST_NONE) {
		return "an unknown thread";
	}
	t = &r->m->threads[r->m->calls[call].thread];
	if (t->name) {
		return gst_check_text(r, "thread %u (%s)", t->index,
				      gst_strtab_get(r->m->strings, t->name, NULL));
	}
	return gst_check_text(r, "thread %u", t->index);
}

const char *gst_check_withheld(struct gst_check_run *r)
{
	const gst_node_id *nodes;

	if (r->m->loss_count) {
		return "records were lost: waits may be missing here, and the costs may be off";
	}
	if (r->m->stats.misjoined_records) {
		return "which call submitted what is not known for all of it: orders are missing, and the costs may be off";
	}
	if (!r->m->is_complete) {
		return "the trace is not complete: what comes after its end is not known";
	}
	if (gst_order_stats(r->o)->ambiguous_pairs) {
		return "calls of several threads overlapped, so that the order in which some of them were "
		       "accepted is not known: orders may be missing";
	}
	if (gst_order_cycle(r->o, &nodes)) {
		return "the order of this trace contradicts itself: the costs may be off";
	}
	return NULL;
}
