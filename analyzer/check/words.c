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
		return r->m->call_early_ns
			       ? "calls of several threads overlapped, or came within what their times hide (0.3 us), so "
				 "that the order in which some of them were accepted is not known: orders may be missing"
			       : "calls of several threads overlapped, so that the order in which some of them were "
				 "accepted is not known: orders may be missing";
	}
	if (gst_order_cycle(r->o, &nodes)) {
		return "the order of this trace contradicts itself: the costs may be off";
	}
	return NULL;
}

enum { RANGES_KEPT = 64, RANGES_SHOWN = 3 };

const char *gst_check_ranges(struct gst_check_run *r, const struct gst_group *g)
{
	struct {
		uint32_t name, count;
	} seen[RANGES_KEPT];
	uint32_t kept = 0, in_any = 0;
	const char *text = NULL;

	if (!r->m->call_ranges) {
		return NULL;
	}
	for (size_t i = 0; i < g->occurrences.count; i++) {
		const struct gst_occurrence *o = &g->occurrences.data[i];
		gst_call_id call = o->call;
		uint32_t range, at = 0;

		if (call == GST_NONE && o->waiter != GST_NONE) {
			call = r->m->ops[o->waiter].call;
		}
		range = call == GST_NONE ? GST_NONE : gst_call_range(r->m, call);
		if (range == GST_NONE || r->m->ranges[range].name == 0) {
			continue;
		}
		in_any++;
		while (at < kept && seen[at].name != r->m->ranges[range].name) {
			at++;
		}
		if (at == kept && kept < RANGES_KEPT) {
			seen[kept].name = r->m->ranges[range].name;
			seen[kept++].count = 0;
		}
		if (at < kept) {
			seen[at].count++;
		}
	}
	for (uint32_t shown = 0; shown < RANGES_SHOWN; shown++) {
		uint32_t best = 0;

		for (uint32_t i = 1; i < kept; i++) {
			best = seen[i].count > seen[best].count ? i : best;
		}
		if (kept == 0 || seen[best].count == 0) {
			break;
		}
		text = gst_check_text(
			r, "%s%s%s%s", text ? text : "", text ? ", " : "in NVTX range ",
			gst_strtab_get(r->m->strings, seen[best].name, NULL),
			seen[best].count == g->occurrences.count
				? ""
				: gst_check_text(r, " (%s)", gst_check_times(r, seen[best].count)));
		seen[best].count = 0;
	}
	if (text && in_any < g->occurrences.count) {
		text = gst_check_text(r, "%s; in none %s", text,
				      gst_check_times(r, g->occurrences.count - in_any));
	}
	return text;
}
