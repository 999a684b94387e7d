/*
 * check_sync_copy.c - synchronous-copy: a blocking copy after which the thread submits unrelated work.
 *
 * Role      : copies in their blocking form whose wait came too early: the next work has nothing to do
 *             with what was waited for and could have been submitted before.
 * Method    : the wait of each such call is moved to the next wait of its thread (where the copy must be
 *             over at the latest) and the trace replayed: what is gained is device time that lay idle
 *             during the wait and that the next work would have filled.
 * Invariant : ordered by stream, event or barrier after what was waited for = not early.
 * Not here  : copies before the first kernel of their process: a program has to start somehow.
 */
#include "analyzer/check/check_internal.h"

/* When the first kernel of each process began; process_count numbers to give back (mem.h). */
static uint64_t *first_kernels(const struct gst_check_run *r)
{
	const struct gst_model *m = r->m;
	uint64_t *first = gst_mem_alloc((m->process_count + (size_t)1) * sizeof(*first));

	for (uint32_t i = 0; i < m->process_count; i++) {
		first[i] = UINT64_MAX;
	}
	for (gst_op_id i = 0; i < m->op_count; i++) {
		const struct gst_op *x = &m->ops[i];
		uint64_t begin_ns;

		if (x->kind != GST_OP_KERNEL || x->stream == GST_NONE) {
			continue;
		}
		if (x->flags & GST_OP_TIMED) {
			begin_ns = x->begin_ns;
		} else if (x->call != GST_NONE) {
			/* Without a time of its own it began when it was submitted, or later. */
			begin_ns = m->calls[x->call].enter_ns;
		} else {
			continue;
		}
		if (begin_ns < first[m->streams[x->stream].process]) {
			first[m->streams[x->stream].process] = begin_ns;
		}
	}
	return first;
}

static void look_at(struct gst_check_run *r, struct gst_groups *groups,
		    struct gst_awaiteds *awaited, gst_call_id call)
{
	const struct gst_call *c = &r->m->calls[call];
	uint64_t last_ns = 0;
	gst_edge_id binding = gst_timing_binding(r->t, gst_node_of_call(r->o, call), NULL);
	gst_call_id next_wait;
	gst_op_id next, culprit = GST_NONE;
	struct gst_group *g;
	struct gst_edges in;
	bool has_vague;

	if (binding == GST_NONE || gst_order_edge(r->o, binding).form != GST_END_EXIT) {
		return;
	}
	next = gst_check_next_work(r, call);
	if (next == GST_NONE) {
		return;
	}
	gst_check_awaited(r, call, awaited, &has_vague);
	/* What held it may be work of which nobody knows when it ended. */
	if (has_vague || gst_check_relate(r, awaited, next) > 0) {
		return;
	}
	for (size_t i = 0; i < awaited->count; i++) {
		if (awaited->data[i].end_ns >= last_ns) {
			last_ns = awaited->data[i].end_ns;
			culprit = awaited->data[i].op;
		}
	}
	if (culprit == GST_NONE) {
		return;
	}
	last_ns = last_ns < c->exit_ns ? last_ns : c->exit_ns;
	if (last_ns < c->enter_ns + GST_STALL_MIN_NS) {
		return;
	}
	g = gst_groups_at(groups, (uint32_t[6]){c->api, c->thread, c->stream, r->m->ops[next].name,
						r->m->ops[next].kind});
	if (g->path_count == 0) {
		g->path_count = gst_check_binding_path(r, binding, g->path);
	}
	g->reach_ns += last_ns - c->enter_ns;
	gst_group_add(g, (struct gst_occurrence){.begin_ns = c->enter_ns,
						 .end_ns = last_ns,
						 .waiter = next,
						 .culprit = culprit,
						 .call = call,
						 .blocked_ns = last_ns - c->enter_ns});
	in = gst_order_in(r->o, gst_node_of_call(r->o, call));
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(r->o, &in, i);

		if (e.form == GST_END_EXIT) {
			gst_vec_push(&g->edges, e.id);
		}
	}
	next_wait = gst_check_next_wait(r, call);
	for (size_t i = 0; i < awaited->count && next_wait != GST_NONE; i++) {
		gst_vec_push(&g->waits,
			     ((struct gst_wait){.call = next_wait, .op = awaited->data[i].op}));
	}
}

static void report(struct gst_check_run *r, struct gst_group *g, uint64_t together_ns,
		   void *payload)
{
	struct gst_finding f = {.id = "synchronous-copy"};
	const struct gst_occurrence *x = &g->occurrences.data[0];
	const char *next = gst_check_op(r, x->waiter);

	(void)together_ns;
	(void)payload;
	gst_group_cost(r, g, &f);
	f.title = gst_check_text(r, "%s held up the launch of %s %s, which does not depend on it",
				 gst_check_api(r, x->call), next,
				 gst_check_times(r, g->occurrence_count));
	f.detail = gst_check_text(
		r,
		"%s on %s waited for %s; %s (%s) was submitted right after and has no order with it",
		gst_check_api(r, x->call), gst_check_thread(r, x->call),
		gst_check_op(r, x->culprit), next,
		gst_check_stream(r, r->m->ops[x->waiter].stream));
	f.advice =
		"Use cudaMemcpyAsync with pinned memory in a stream of its own (cudaStreamNonBlocking) and wait for "
		"it where the data is needed; or submit the independent work before the copy. If the host "
		"reads the copied data to decide what to submit, the wait is needed.";
	gst_group_report(r, g, &f);
}

/* All of them in one line, if they took a hundredth of the traced time: a program has to start somehow. */
static void report_start_up(struct gst_check_run *r, struct gst_group *g)
{
	struct gst_finding f = {.id = "synchronous-copy", .severity = GST_SEVERITY_INFO};
	char buf[32];

	if (g->occurrence_count && gst_spans_union(&g->blocked) >= r->traced_ns / 100) {
		f.cost_is_known = true;
		f.title = gst_check_text(
			r, "start-up: synchronous copies before the first kernel took %s",
			gst_check_time(buf, gst_spans_union(&g->blocked)));
		f.detail = gst_check_text(r, "%u calls, the first on %s", g->occurrence_count,
					  gst_check_thread(r, g->occurrences.data[0].call));
		f.advice =
			"Nothing needs to be done where this happens once. If the start matters, copy from pinned "
			"memory with cudaMemcpyAsync and launch what does not need the data meanwhile.";
		gst_check_add(r, g, &f);
	}
	gst_vec_free(&g->occurrences);
	gst_vec_free(&g->blocked);
}

bool gst_check_sync_copy_wants(const struct gst_call *c)
{
	return (c->cls == GST_API_CLASS_COPY || c->cls == GST_API_CLASS_MEMSET) &&
	       c->api_flags & GST_API_SYNC_FORM && c->flags & GST_CALL_RETURNED &&
	       !(c->flags & (GST_CALL_NO_ENTER | GST_CALL_CAPTURED));
}

void gst_check_sync_copy(struct gst_check_run *r)
{
	struct gst_groups groups = {0};
	struct gst_group start_up = {0};
	struct gst_awaiteds awaited = {0};
	uint64_t *first_ns;

	if (!r->calls.count) {
		return;
	}
	first_ns = first_kernels(r);

	for (size_t j = 0; j < r->calls.count; j++) {
		gst_call_id i = r->calls.data[j];
		const struct gst_call *c = &r->m->calls[i];

		if (c->enter_ns >= first_ns[r->m->threads[c->thread].process]) {
			look_at(r, &groups, &awaited, i);
		} else {
			gst_group_add(&start_up,
				      (struct gst_occurrence){
					      .begin_ns = c->enter_ns,
					      .end_ns = c->exit_ns,
					      .waiter = GST_NONE,
					      .culprit = c->op_count ? c->first_op : GST_NONE,
					      .call = i,
					      .blocked_ns = c->exit_ns - c->enter_ns});
		}
	}
	gst_mem_free(first_ns, (r->m->process_count + (size_t)1) * sizeof(*first_ns));
	gst_groups_report(r, &groups, 0, report, NULL);
	report_start_up(r, &start_up);
	gst_vec_free(&awaited);
}
