/*
 * check_small.c - findings that need no more than a look at the calls.
 *
 * Role      : api-error, launch-blocking, default-stream-mixed, deprecated-stream-callback,
 *             event-timing-flag, queue-full.
 * Method    : each goes once over the calls that it wants (or the variables).
 * Invariant : these have severities of their own; none of them claims a cost it did not measure.
 * Not here  : anything with a replay.
 */
#include "analyzer/check/check_internal.h"

#include <string.h>

#define NOT_READY	     600
#define EVENT_DISABLE_TIMING 2u

static struct gst_occurrence at_call(const struct gst_check_run *r, gst_call_id call)
{
	const struct gst_call *c = &r->m->calls[call];

	return (struct gst_occurrence){.begin_ns = c->enter_ns,
				       .end_ns = c->flags & GST_CALL_RETURNED ? c->exit_ns
									      : c->enter_ns,
				       .waiter = GST_NONE,
				       .culprit = GST_NONE,
				       .call = call};
}

/* ---- api-error ------------------------------------------------------------------------------------- */

struct error {
	int32_t code;
	const char *name;
	bool is_late; /* shows at whatever call comes next: not that call's fault */
};

static const struct error errors[] = {
	{1, "invalid value", false},
	{2, "out of memory", false},
	{101, "invalid device", false},
	{201, "invalid context", false},
	{209, "no kernel image for this device", false},
	{214, "uncorrectable memory error", true},
	{400, "invalid handle", false},
	{500, "not found", false},
	{700, "illegal memory access", true},
	{701, "launch out of resources", false},
	{702, "launch timed out", true},
	{710, "device-side assertion", true},
	{714, "hardware stack error", true},
	{715, "illegal instruction", true},
	{716, "misaligned address", true},
	{717, "invalid address space", true},
	{718, "invalid program counter", true},
	{719, "launch failed", true},
	{801, "not supported", false},
	{900, "not permitted while a stream captures", false},
	{901, "stream capture was invalidated", false},
	{906, "would depend on legacy stream while it captures", false},
	{907, "captured event", false},
};

static const struct error *find_error(int32_t code)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].code == code) {
			return &errors[i];
		}
	}
	return NULL;
}

bool gst_check_api_error_wants(const struct gst_call *c)
{
	if (!(c->flags & GST_CALL_RETURNED) || c->result == 0) {
		return false;
	}
	/* A query's answer is no error. */
	return !(c->result == NOT_READY &&
		 (c->cls == GST_API_CLASS_STREAM_QUERY || c->cls == GST_API_CLASS_EVENT_QUERY ||
		  c->cls == GST_API_CLASS_EVENT_ELAPSED));
}

void gst_check_api_error(struct gst_check_run *r)
{
	struct gst_groups groups = {0};

	for (size_t j = 0; j < r->calls.count; j++) {
		gst_call_id i = r->calls.data[j];
		const struct gst_call *c = &r->m->calls[i];
		const struct error *e;
		uint32_t process = r->m->threads[c->thread].process;

		e = find_error(c->result);
		/* A late error comes back from every later call: one finding for the process. */
		gst_group_add(gst_groups_at(&groups, (uint32_t[6]){process, (uint32_t)c->result,
								   e && e->is_late ? 0 : c->api}),
			      at_call(r, i));
	}
	for (size_t i = 0; i < groups.v.count; i++) {
		struct gst_group *g = &groups.v.data[i];
		gst_call_id call = g->occurrences.data[0].call;
		const struct error *e = find_error(r->m->calls[call].result);
		struct gst_finding f = {.id = "api-error"};
		const char *name = e ? e->name : "error";

		f.severity = e && e->is_late ? GST_SEVERITY_HIGH : GST_SEVERITY_MEDIUM;
		if (e && e->is_late) {
			f.title = gst_check_text(r, "%s (%d), first shown by %s", name,
						 r->m->calls[call].result, gst_check_api(r, call));
			f.detail = gst_check_text(
				r,
				"an asynchronous error of work submitted before this call on %s; returned %s",
				gst_check_thread(r, call), gst_check_times(r, g->occurrence_count));
			f.advice =
				"Look at the work submitted before that call, not at the call; compute-sanitizer names "
				"the kernel and the line. The context cannot be used any more.";
		} else {
			f.title = gst_check_text(r, "%s failed %s: %s (%d)", gst_check_api(r, call),
						 gst_check_times(r, g->occurrence_count), name,
						 r->m->calls[call].result);
			f.detail = gst_check_text(r, "first on %s", gst_check_thread(r, call));
			f.advice = "Check the result of this call where it is made.";
		}
		gst_check_add(r, g, &f);
	}
	gst_groups_release(&groups);
}

/* ---- launch-blocking --------------------------------------------------------------------------------- */

void gst_check_launch_blocking(struct gst_check_run *r)
{
	for (uint32_t i = 0; i < r->m->variable_count; i++) {
		const struct gst_variable *v = &r->m->variables[i];
		struct gst_group none = {.begin_ns = r->m->begin_ns, .end_ns = r->m->end_ns};
		struct gst_finding f = {.id = "launch-blocking", .severity = GST_SEVERITY_HIGH};
		const char *value = gst_strtab_get(r->m->strings, v->value, NULL);

		if (strcmp(gst_strtab_get(r->m->strings, v->name, NULL), "CUDA_LAUNCH_BLOCKING") !=
			    0 ||
		    value[0] == '\0' || strcmp(value, "0") == 0) {
			continue;
		}
		f.title = "CUDA_LAUNCH_BLOCKING is set: every kernel launch waits for its kernel";
		f.detail = gst_check_text(
			r,
			"CUDA_LAUNCH_BLOCKING=%s in the environment; nothing in this trace runs as it "
			"would without it",
			value);
		f.advice = "Unset CUDA_LAUNCH_BLOCKING, a help for debugging, and record again.";
		gst_check_add(r, &none, &f);
	}
}

/* ---- default-stream-mixed ----------------------------------------------------------------------------- */

static void report_mixed(struct gst_check_run *r, gst_stream_id legacy, gst_stream_id own)
{
	const struct gst_model *m = r->m;
	struct gst_group g = {0};
	struct gst_finding f = {.id = "default-stream-mixed", .severity = GST_SEVERITY_INFO};

	for (int i = 0; i < 2; i++) {
		gst_op_id op = m->streams[i ? own : legacy].ops[0];
		if (m->ops[op].call != GST_NONE) {
			gst_group_add(&g, at_call(r, m->ops[op].call));
		}
	}
	f.title = "the legacy and the per-thread default stream are both in use";
	f.detail = gst_check_text(
		r, "first in the legacy default stream: %s; first in a per-thread one: %s",
		gst_check_op(r, m->streams[legacy].ops[0]),
		gst_check_op(r, m->streams[own].ops[0]));
	f.advice =
		"Parts of the program (or its libraries) were built with different --default-stream: work "
		"in the legacy stream holds up the per-thread ones. Build all with per-thread, or name the "
		"streams.";
	gst_check_add(r, &g, &f);
	gst_vec_free(&g.occurrences);
}

void gst_check_default_stream_mixed(struct gst_check_run *r)
{
	const struct gst_model *m = r->m;
	/* The first per-thread stream of each context that has work. */
	gst_stream_id *own = gst_mem_alloc((m->context_count + (size_t)1) * sizeof(*own));

	for (uint32_t c = 0; c < m->context_count; c++) {
		own[c] = GST_NONE;
	}
	for (gst_stream_id s = 0; s < m->stream_count; s++) {
		const struct gst_stream *x = &m->streams[s];
		if (x->kind == GST_STREAM_KIND_PER_THREAD && x->op_count && x->ctx != GST_NONE &&
		    own[x->ctx] == GST_NONE) {
			own[x->ctx] = s;
		}
	}
	for (uint32_t c = 0; c < m->context_count; c++) {
		gst_stream_id legacy = m->contexts[c].legacy_stream;
		if (legacy != GST_NONE && m->streams[legacy].op_count && own[c] != GST_NONE) {
			report_mixed(r, legacy, own[c]);
		}
	}
	gst_mem_free(own, (m->context_count + (size_t)1) * sizeof(*own));
}

/* ---- deprecated-stream-callback ------------------------------------------------------------------------- */

bool gst_check_stream_callback_wants(const struct gst_call *c)
{
	return c->cls == GST_API_CLASS_STREAM_CALLBACK;
}

void gst_check_stream_callback(struct gst_check_run *r)
{
	struct gst_group g = {0};
	struct gst_finding f = {.id = "deprecated-stream-callback", .severity = GST_SEVERITY_INFO};

	for (size_t i = 0; i < r->calls.count; i++) {
		gst_group_add(&g, at_call(r, r->calls.data[i]));
	}
	if (g.occurrence_count == 0) {
		return;
	}
	f.title = gst_check_text(r, "%s is used %s: slated for deprecation",
				 gst_check_api(r, g.occurrences.data[0].call),
				 gst_check_times(r, g.occurrence_count));
	f.detail =
		gst_check_text(r, "first on %s", gst_check_thread(r, g.occurrences.data[0].call));
	f.advice =
		"Use cudaLaunchHostFunc, unless the callback must also run after an error: only the old form does.";
	gst_check_add(r, &g, &f);
	gst_vec_free(&g.occurrences);
}

/* ---- event-timing-flag ----------------------------------------------------------------------------------- */

enum use { USE_ORDER = 1, USE_TIME = 2 };

bool gst_check_event_timing_wants(const struct gst_call *c)
{
	return c->cls == GST_API_CLASS_EVENT_WAIT || c->cls == GST_API_CLASS_EVENT_SYNC ||
	       c->cls == GST_API_CLASS_EVENT_QUERY || c->cls == GST_API_CLASS_EVENT_ELAPSED;
}

void gst_check_event_timing_flag(struct gst_check_run *r)
{
	const struct gst_model *m = r->m;
	uint8_t *uses = gst_mem_alloc(m->event_count + (size_t)1);
	struct gst_group g = {0};
	struct gst_finding f = {.id = "event-timing-flag", .severity = GST_SEVERITY_INFO};

	for (size_t i = 0; i < r->calls.count; i++) {
		const struct gst_call *c = &m->calls[r->calls.data[i]];
		uint8_t use = 0;

		switch (c->cls) {
		case GST_API_CLASS_EVENT_WAIT:
		case GST_API_CLASS_EVENT_SYNC:
		case GST_API_CLASS_EVENT_QUERY:
			use = USE_ORDER;
			break;
		case GST_API_CLASS_EVENT_ELAPSED:
			use = USE_TIME;
			if (c->args != GST_NONE && m->args[c->args].b < m->event_count) {
				uses[m->args[c->args].b] |= USE_TIME;
			}
			break;
		default: /* the others tell nothing of what an event is for */
			break;
		}
		if (use && c->event != GST_NONE) {
			uses[c->event] |= use;
		}
	}
	for (gst_event_id e = 0; e < m->event_count; e++) {
		if (uses[e] == USE_ORDER && m->events[e].create_call != GST_NONE &&
		    !(m->events[e].flags & EVENT_DISABLE_TIMING)) {
			gst_group_add(&g, at_call(r, m->events[e].create_call));
		}
	}
	if (g.occurrence_count) {
		f.title = gst_check_text(r, "%u event%s for order only, but %s created with timing",
					 g.occurrence_count,
					 g.occurrence_count == 1 ? " is used" : "s are used",
					 g.occurrence_count == 1 ? "was" : "were");
		f.detail = gst_check_text(r, "first created by %s on %s",
					  gst_check_api(r, g.occurrences.data[0].call),
					  gst_check_thread(r, g.occurrences.data[0].call));
		f.advice =
			"Create them with cudaEventCreateWithFlags(..., cudaEventDisableTiming): recording and waiting "
			"cost less.";
		gst_check_add(r, &g, &f);
		gst_vec_free(&g.occurrences);
	}
	gst_mem_free(uses, m->event_count + (size_t)1);
}

/* ---- queue-full -------------------------------------------------------------------------------------------- */

void gst_check_queue_full(struct gst_check_run *r)
{
	const struct gst_model *m = r->m;
	struct gst_group g = {0};
	struct gst_finding f = {.id = "queue-full", .severity = GST_SEVERITY_INFO};
	char buf[32];

	for (uint32_t i = 0; i < m->overhead_count; i++) {
		const struct gst_overhead *x = &m->overheads[i];
		if (x->type == GST_OVERHEAD_COMMAND_BUFFER_FULL && x->end_ns > x->begin_ns) {
			gst_group_add(
				&g, (struct gst_occurrence){.begin_ns = x->begin_ns,
							    .end_ns = x->end_ns,
							    .waiter = GST_NONE,
							    .culprit = GST_NONE,
							    .call = GST_NONE,
							    .blocked_ns = x->end_ns - x->begin_ns});
		}
	}
	if (g.occurrence_count) {
		f.title = gst_check_text(r,
					 "the host waited %s for room in a full command queue (%s)",
					 gst_check_times(r, g.occurrence_count),
					 gst_check_time(buf, gst_spans_union(&g.blocked)));
		f.detail =
			"as CUPTI saw it; by itself that is no loss: the device had work all the time";
		f.advice =
			"If the thread has other things to do, submit less ahead (wait for an event of some launches ago), or "
			"put many small launches into a graph.";
		gst_check_add(r, &g, &f);
		gst_vec_free(&g.occurrences);
		gst_vec_free(&g.blocked);
	}
}
