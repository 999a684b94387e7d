/*
 * check_host_sync.c - host-sync-stall: a wait of the host that was redundant, early or too broad.
 *
 * Role      : device, stream and event synchronize calls that the program could do without.
 * Method    : what was pending at enter, and whether the next work of the thread (within 20 us of the
 *             return) is ordered after it by anything but the host:
 *
 *               nothing pending                      redundant: the call's own time
 *               next work related to none of it      early: the wait moves to the thread's next one
 *               related, but not to what ended last  broader: the call waits for the related work only
 *
 * Invariant : a last wait, and one whose reason may lie in the host's code (a pause before the next
 *             submission), is no finding. Ends that are not known claim nothing.
 * Not here  : waits in other calls (check_implicit_sync.c, check_sync_copy.c).
 */
#include "analyzer/check/check_internal.h"

enum kind { REDUNDANT, EARLY, BROADER };

/* More groups than this: the next work's name tells no places apart, it is left out of the key. */
#define GROUPS_MAX 256u

struct look {
	gst_call_id call;
	gst_op_id next;		      /* GST_NONE */
	uint64_t last_ns, related_ns; /* latest end waited for, and of what the next work needs */
	gst_op_id culprit;
	bool has_vague;
	bool is_coarse; /* group without the name of the next work */
};

bool gst_check_host_sync_wants(const struct gst_call *c)
{
	return (c->cls == GST_API_CLASS_STREAM_SYNC || c->cls == GST_API_CLASS_EVENT_SYNC ||
		c->cls == GST_API_CLASS_CTX_SYNC) &&
	       (c->flags & GST_CALL_RETURNED) &&
	       !(c->flags & (GST_CALL_NO_ENTER | GST_CALL_CAPTURED)) && c->result == 0;
}

static void cut_waits(struct gst_check_run *r, struct gst_group *g, gst_call_id call)
{
	struct gst_edges in = gst_order_in(r->o, gst_node_of_call(r->o, call));

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(r->o, &in, i);

		if (e.form == GST_END_EXIT) {
			gst_vec_push(&g->edges, e.id);
		}
	}
}

/* Look at what was pending (l->call and l->next are known), and sort it by whether the next work needs it: related ops come first. */
static size_t look_at(struct gst_check_run *r, struct gst_awaiteds *a, struct look *l)
{
	size_t related = 0;

	l->last_ns = l->related_ns = 0;
	l->culprit = GST_NONE;
	gst_check_awaited(r, l->call, a, &l->has_vague);
	if (l->next != GST_NONE && a->count) {
		(void)gst_check_relate(r, a, l->next);
	}
	for (size_t i = 0; i < a->count; i++) {
		struct gst_awaited x = a->data[i];
		if (x.end_ns >= l->last_ns) {
			l->last_ns = x.end_ns;
			l->culprit = x.op;
		}
		if (l->next != GST_NONE && x.is_related) {
			l->related_ns = x.end_ns > l->related_ns ? x.end_ns : l->related_ns;
			a->data[i] = a->data[related];
			a->data[related++] = x;
		}
	}
	return related;
}

static void key_of(const struct gst_check_run *r, const struct look *l, enum kind kind,
		   uint32_t key[6])
{
	const struct gst_call *c = &r->m->calls[l->call];

	key[0] = c->api;
	key[1] = c->thread;
	key[2] = c->stream;
	key[3] = l->next == GST_NONE || l->is_coarse ? GST_NONE : r->m->ops[l->next].name;
	key[4] = l->next == GST_NONE || l->is_coarse ? GST_NONE : r->m->ops[l->next].kind;
	key[5] = kind;
}

static void add(struct gst_check_run *r, struct gst_group *g, const struct look *l,
		uint64_t from_ns)
{
	const struct gst_call *c = &r->m->calls[l->call];
	uint64_t to_ns = l->last_ns < c->exit_ns ? l->last_ns : c->exit_ns;

	if (g->path_count == 0) {
		gst_edge_id e = gst_timing_binding(r->t, gst_node_of_call(r->o, l->call), NULL);
		if (e != GST_NONE && gst_order_edge(r->o, e).form == GST_END_EXIT) {
			g->path_count = gst_check_binding_path(r, e, g->path);
		}
	}
	g->reach_ns += to_ns - from_ns;
	gst_group_add(g, (struct gst_occurrence){.begin_ns = from_ns,
						 .end_ns = to_ns,
						 .waiter = l->next,
						 .culprit = l->culprit,
						 .call = l->call,
						 .blocked_ns = to_ns - from_ns});
}

static void judge(struct gst_check_run *r, struct gst_groups *groups, struct gst_awaiteds *a,
		  struct look *l)
{
	const struct gst_call *c = &r->m->calls[l->call];
	size_t related = look_at(r, a, l);
	struct gst_group *g;
	uint32_t key[6];

	if (a->count == 0) {
		if (!l->has_vague) {
			key_of(r, l, REDUNDANT, key);
			g = gst_groups_at(groups, key);
			g->reach_ns += c->exit_ns - c->enter_ns;
			gst_vec_push(&g->calls, l->call);
			gst_group_add(g, (struct gst_occurrence){.begin_ns = c->enter_ns,
								 .end_ns = c->exit_ns,
								 .waiter = l->next,
								 .culprit = GST_NONE,
								 .call = l->call});
		}
		return;
	}
	if (l->next == GST_NONE || l->has_vague || l->last_ns < c->enter_ns + GST_STALL_MIN_NS) {
		return;
	}
	if (related == 0) {
		gst_call_id next_wait = gst_check_next_wait(r, l->call);

		key_of(r, l, EARLY, key);
		g = gst_groups_at(groups, key);
		add(r, g, l, c->enter_ns);
		cut_waits(r, g, l->call);
		for (size_t i = 0; i < a->count && next_wait != GST_NONE; i++) {
			gst_vec_push(&g->waits,
				     ((struct gst_wait){.call = next_wait, .op = a->data[i].op}));
		}
	} else if (l->last_ns > l->related_ns + GST_STALL_MIN_NS) {
		key_of(r, l, BROADER, key);
		g = gst_groups_at(groups, key);
		add(r, g, l, l->related_ns > c->enter_ns ? l->related_ns : c->enter_ns);
	}
}

/* All waits of a place that is too broad become narrow, also those that found nothing else pending. */
static void narrow(struct gst_check_run *r, struct gst_groups *groups, struct gst_awaiteds *a,
		   const gst_op_id *next, bool is_coarse)
{
	for (size_t n = 0; n < r->calls.count; n++) {
		gst_call_id i = r->calls.data[n];
		struct look l = {.call = i, .next = next[n], .is_coarse = is_coarse};
		struct gst_group *g;
		uint32_t key[6];
		size_t related;

		key_of(r, &l, BROADER, key);
		g = l.next == GST_NONE ? NULL : gst_groups_find(groups, key);
		if (!g) {
			continue;
		}
		related = look_at(r, a, &l);
		cut_waits(r, g, i);
		for (size_t j = 0; j < related; j++) {
			gst_vec_push(&g->waits,
				     ((struct gst_wait){.call = i, .op = a->data[j].op}));
		}
	}
}

static void report(struct gst_check_run *r, struct gst_group *g, uint64_t together_ns,
		   void *payload)
{
	struct gst_finding f = {.id = "host-sync-stall"};
	const struct gst_occurrence *x = &g->occurrences.data[0];
	const char *api = gst_check_api(r, x->call);
	const char *thread = gst_check_thread(r, x->call);
	const char *next = gst_check_op(r, x->waiter);

	(void)together_ns;
	(void)payload;
	gst_group_cost(r, g, &f);
	switch ((enum kind)g->key[5]) {
	case REDUNDANT:
		f.title = gst_check_text(r, "%s had nothing to wait for %s", api,
					 gst_check_times(r, g->occurrence_count));
		f.detail = gst_check_text(
			r, "%s on %s: all work that it covers was over when it was called", api,
			thread);
		f.advice = "Leave the call out: what it waits for was waited for before.";
		break;
	case EARLY:
		f.title = gst_check_text(
			r,
			"%s held up the launch of %s %s, which does not depend on what was waited for",
			api, next, gst_check_times(r, g->occurrence_count));
		f.detail = gst_check_text(
			r,
			"%s on %s waited for %s (%s); %s (%s) was submitted right after and has no order with it",
			api, thread, gst_check_op(r, x->culprit),
			gst_check_stream(r, r->m->ops[x->culprit].stream), next,
			gst_check_stream(r, r->m->ops[x->waiter].stream));
		f.advice =
			"Submit the independent work before the wait, or order the streams on the device with "
			"cudaEventRecord and cudaStreamWaitEvent and let the host wait only where it needs "
			"a result. If the host reads a result here to decide what to submit, the wait is needed.";
		break;
	case BROADER:
		f.title = gst_check_text(r, "%s waited for more than the next launch (%s) needs %s",
					 api, next, gst_check_times(r, g->occurrence_count));
		f.detail = gst_check_text(
			r,
			"%s on %s waited for %s (%s) as well; %s (%s), submitted right after, depends on other work that was over before",
			api, thread, gst_check_op(r, x->culprit),
			gst_check_stream(r, r->m->ops[x->culprit].stream), next,
			gst_check_stream(r, r->m->ops[x->waiter].stream));
		f.advice =
			"Wait for the one stream or event whose result is needed (cudaStreamSynchronize, "
			"cudaEventSynchronize) instead of the whole device.";
		break;
	}
	gst_group_report(r, g, &f);
}

/* @next: by call that the check wants, the work that comes next. */
static void look_at_all(struct gst_check_run *r, struct gst_groups *groups, const gst_op_id *next,
			const gst_call_id *last_work, bool is_coarse)
{
	struct gst_awaiteds awaited = {0};
	bool has_broader = false;

	for (size_t n = 0; n < r->calls.count; n++) {
		gst_call_id i = r->calls.data[n];
		gst_call_id last = last_work[r->m->calls[i].thread];
		struct look l = {.call = i, .next = next[n], .is_coarse = is_coarse};
		if (!is_coarse && groups->v.count > GROUPS_MAX) {
			break;
		}
		if (last != GST_NONE && i < last) {
			judge(r, groups, &awaited, &l);
		}
	}
	for (size_t i = 0; i < groups->v.count; i++) {
		has_broader |= groups->v.data[i].key[5] == BROADER;
	}
	if (has_broader && (is_coarse || groups->v.count <= GROUPS_MAX)) {
		narrow(r, groups, &awaited, next, is_coarse);
	}
	gst_vec_free(&awaited);
}

void gst_check_host_sync(struct gst_check_run *r)
{
	struct gst_groups groups = {0};
	gst_call_id *last_work;
	gst_op_id *next;

	if (!r->calls.count) {
		return;
	}
	last_work = gst_check_last_work(r);
	next = gst_mem_alloc(r->calls.count * sizeof(*next));
	for (size_t n = 0; n < r->calls.count; n++) {
		next[n] = gst_check_next_work(r, r->calls.data[n]);
	}
	look_at_all(r, &groups, next, last_work, false);
	if (groups.v.count > GROUPS_MAX) {
		gst_groups_release(&groups);
		look_at_all(r, &groups, next, last_work, true);
	}
	gst_mem_free(next, r->calls.count * sizeof(*next));
	gst_mem_free(last_work, (r->m->thread_count + (size_t)1) * sizeof(*last_work));
	gst_groups_report(r, &groups, 0, report, NULL);
}
