/*
 * check_implicit_sync.c - implicit-sync: a call that is no wait by name waited for the device.
 *
 * Role      : cudaFree, cudaFreeHost, module loading and the like that held up their thread.
 * Method    : by measurement alone: calls with an H7 edge that the timestamps bear out.
 * Invariant : a call that returned without waiting is no finding, whatever the documentation allows.
 * Not here  : copies (check_pageable_copy.c, check_sync_copy.c), named waits (check_host_sync.c).
 */
#include "analyzer/check/check_internal.h"

static void look_at(struct gst_check_run *r, struct gst_groups *groups, gst_edge_id id)
{
	const struct gst_edge e = gst_order_edge(r->o, id);
	gst_call_id call = e.to - r->m->op_count;
	const struct gst_call *c = &r->m->calls[call];
	struct gst_group *g;
	gst_edge_id path[GST_PATH_MAX];
	uint32_t path_count;
	uint64_t until;

	if (!gst_timing_source_ns(r->t, id, &until) || until < c->enter_ns + GST_STALL_MIN_NS) {
		return;
	}
	until = until < c->exit_ns ? until : c->exit_ns;
	g = gst_groups_at(groups, (uint32_t[6]){c->api, c->thread});
	path_count = gst_check_binding_path(r, id, path);
	if (g->path_count == 0) {
		for (uint32_t i = 0; i < path_count; i++) {
			g->path[i] = path[i];
		}
		g->path_count = path_count;
	}
	g->reach_ns += until - c->enter_ns;
	gst_vec_push(&g->edges, id);
	gst_group_add(
		g,
		(struct gst_occurrence){
			.begin_ns = c->enter_ns,
			.end_ns = until,
			.waiter = gst_check_next_work(r, call),
			.culprit = path_count && gst_node_is_op(r->o,
								gst_order_edge(r->o, path[0]).from)
					   ? gst_order_edge(r->o, path[0]).from
					   : GST_NONE,
			.call = call,
			.blocked_ns = until - c->enter_ns});
}

static void report(struct gst_check_run *r, struct gst_group *g, uint64_t together_ns,
		   void *payload)
{
	struct gst_finding f = {.id = "implicit-sync"};
	const struct gst_occurrence *x = &g->occurrences.data[0];

	(void)together_ns;
	(void)payload;
	gst_group_cost(r, g, &f);
	f.title = gst_check_text(r, "%s waited for the device %s", gst_check_api(r, x->call),
				 gst_check_times(r, g->occurrence_count));
	f.detail = gst_check_text(r, "%s on %s returned only after %s had ended",
				  gst_check_api(r, x->call), gst_check_thread(r, x->call),
				  gst_check_op(r, x->culprit));
	f.advice =
		"Keep memory and modules for the whole run instead of freeing and loading them while work "
		"is pending; for temporary device memory use cudaMallocAsync and cudaFreeAsync.";
	gst_group_report(r, g, &f);
}

void gst_check_implicit_sync(struct gst_check_run *r)
{
	struct gst_groups groups = {0};
	gst_edge_id end = gst_order_edge_bound(r->o);

	if (gst_order_stats(r->o)->per_rule[GST_RULE_H7] == 0) {
		return;
	}

	for (gst_edge_id e = gst_order_first_stored(r->o); e < end; e++) {
		const struct gst_edge edge = gst_order_edge(r->o, e);
		if (edge.rule == GST_RULE_H7 && edge.form == GST_END_EXIT &&
		    gst_timing_strength(r->t, e) == GST_OBSERVED) {
			look_at(r, &groups, e);
		}
	}
	gst_groups_report(r, &groups, 0, report, NULL);
}
