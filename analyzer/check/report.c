/*
 * report.c - what a group costs and whether that is worth a line.
 *
 * Role      : turns groups into findings: replay, severity, floor, evidence.
 * Method    : recoverable = replay with the group's edges minus replay without all of them at once.
 *             The best estimate lies half way between the bounds: kernels that fill the device give
 *             nothing by linear sharing, and everything if what they wait for is not the device.
 * Invariant : no cost is a sum of durations that overlap; a group is never charged more than its stalls.
 * Not here  : which groups there are (check_x.c).
 */
#include "analyzer/check/check_internal.h"

#include <string.h>

#include "analyzer/base/sort.h"

/* At most so many groups of one check are replayed, those with the most to gain; fewer in a large trace. */
#define REPLAYS_MAX   64u
#define REPLAYS_MIN   4u
#define REPLAYS_WORTH 20000000u /* ops and calls over all replays */

uint64_t gst_check_floor(const struct gst_check_run *r)
{
	uint64_t share = r->traced_ns / 5000; /* 0.02 % */
	return share > 10000 ? share : 10000;
}

uint64_t gst_check_least(const struct gst_check_run *r)
{
	return r->is_all ? 0 : gst_check_floor(r);
}

uint64_t gst_check_least_of(const struct gst_check_run *r, enum gst_severity severity)
{
	switch (severity) {
	case GST_SEVERITY_HIGH:
		return r->traced_ns / 10;
	case GST_SEVERITY_MEDIUM:
		return r->traced_ns / 50;
	case GST_SEVERITY_LOW:
		return r->traced_ns / 500 > 100000 ? r->traced_ns / 500 : 100000;
	case GST_SEVERITY_INFO:
		break;
	}
	return gst_check_floor(r);
}

static enum gst_severity severity_of(const struct gst_check_run *r, uint64_t cost_ns)
{
	for (int s = GST_SEVERITY_HIGH; s > GST_SEVERITY_INFO; s--) {
		if (cost_ns >= gst_check_least_of(r, (enum gst_severity)s)) {
			return (enum gst_severity)s;
		}
	}
	return GST_SEVERITY_INFO;
}

/* Ids that lie close together: a bit each is less work than a sort. */
static uint32_t sort_dense(uint32_t *ids, size_t count, uint32_t first, uint32_t last)
{
	size_t words = (last - first) / 64 + (size_t)1;
	uint64_t *bits = gst_mem_alloc(words * sizeof(*bits));
	uint32_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bits[(ids[i] - first) / 64] |= UINT64_C(1) << (ids[i] - first) % 64;
	}
	for (size_t i = 0; i < words; i++) {
		for (uint64_t left = bits[i]; left; left &= left - 1) {
			ids[kept++] = first + (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(left);
		}
	}
	gst_mem_free(bits, words * sizeof(*bits));
	return kept;
}

static uint32_t sort_sparse(uint32_t *ids, size_t count)
{
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	uint32_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		items[i] = (struct gst_sort_item){.key = ids[i]};
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || ids[kept - 1] != (uint32_t)items[i].key) {
			ids[kept++] = (uint32_t)items[i].key;
		}
	}
	gst_mem_free(items, count * sizeof(*items));
	return kept;
}

static uint32_t sort_unique(uint32_t *ids, size_t count)
{
	uint32_t first = UINT32_MAX, last = 0;
	bool is_sorted = true;

	for (size_t i = 0; i < count; i++) {
		is_sorted &= i == 0 || ids[i - 1] < ids[i];
		first = ids[i] < first ? ids[i] : first;
		last = ids[i] > last ? ids[i] : last;
	}
	if (is_sorted) {
		return (uint32_t)count;
	}
	return (last - first) / 64 < count ? sort_dense(ids, count, first, last)
					   : sort_sparse(ids, count);
}

static struct gst_cut cut_of(struct gst_group *g, uint64_t call_cost_ns)
{
	g->edges.count = sort_unique(g->edges.data, g->edges.count);
	g->calls.count = sort_unique(g->calls.data, g->calls.count);
	return (struct gst_cut){.edges = g->edges.data,
				.calls = g->calls.data,
				.waits = g->waits.data,
				.edge_count = (uint32_t)g->edges.count,
				.call_count = (uint32_t)g->calls.count,
				.wait_count = (uint32_t)g->waits.count,
				.call_cost_ns = call_cost_ns,
				.is_high_only = true};
}

void gst_group_cost(struct gst_check_run *r, const struct gst_group *g, struct gst_finding *f)
{
	const struct gst_replay *x = &g->gain;

	f->cost_is_known = true;
	f->cost_ns = f->cost_low_ns = 0;
	f->cost_high_ns = g->reach_ns;
	if (!g->reach_ns || g->reach_ns < gst_check_least(r)) {
		return;
	}
	f->cost_high_ns = x->gain_high_ns;
	if (!x->gain_high_ns || x->gain_high_ns < gst_check_least(r)) {
		return;
	}
	f->cost_low_ns = x->gain_low_ns;
	if (!x->low_is_known) {
		f->withheld = gst_check_withheld(r);
	}
	if (!x->low_is_known && !f->withheld) {
		f->withheld =
			"the lower bound of the cost is left at 0: the trace is too large to replay "
			"with kernels that share the device";
	}
	f->cost_ns = x->low_is_known ? x->gain_low_ns + (x->gain_high_ns - x->gain_low_ns) / 2
				     : x->gain_high_ns;
}

static const uint32_t *by_reach(struct gst_check_run *r, const struct gst_groups *g)
{
	struct gst_sort_item *items = gst_mem_alloc((g->v.count + 1) * sizeof(*items));
	uint32_t *ids = GST_ARENA_ARRAY(r->arena, uint32_t, g->v.count);

	for (size_t i = 0; i < g->v.count; i++) {
		items[i] = (struct gst_sort_item){.key = UINT64_MAX - g->v.data[i].reach_ns,
						  .value = (uint32_t)i};
	}
	gst_sort_items(items, g->v.count);
	for (size_t i = 0; i < g->v.count; i++) {
		ids[i] = items[i].value;
	}
	gst_mem_free(items, (g->v.count + 1) * sizeof(*items));
	return ids;
}

/* Without the added waits, which only take from the gain: no group gains more. */
static void put_together(struct gst_group *all, const struct gst_groups *g)
{
	for (size_t i = 0; i < g->v.count; i++) {
		const struct gst_group *x = &g->v.data[i];
		all->reach_ns += x->reach_ns;
		for (size_t j = 0; j < x->edges.count; j++) {
			gst_vec_push(&all->edges, x->edges.data[j]);
		}
		for (size_t j = 0; j < x->calls.count; j++) {
			gst_vec_push(&all->calls, x->calls.data[j]);
		}
	}
}

void gst_groups_report(struct gst_check_run *r, struct gst_groups *g, uint64_t call_cost_ns,
		       gst_report_fn report, void *payload)
{
	struct gst_later *l = &r->later;
	uint64_t moments = (uint64_t)r->m->op_count + r->m->call_count + 1;
	uint64_t max = REPLAYS_WORTH / moments;

	max = max < REPLAYS_MIN ? REPLAYS_MIN : max > REPLAYS_MAX ? REPLAYS_MAX : max;
	l->groups = *g;
	memset(g, 0, sizeof(*g));
	l->report = report;
	l->payload = payload;
	l->ids = by_reach(r, &l->groups);
	l->count = (uint32_t)(max < l->groups.v.count ? max : l->groups.v.count);
	put_together(&l->all, &l->groups);
	if (!l->all.reach_ns || l->all.reach_ns < gst_check_least(r)) {
		return;
	}
	for (uint32_t i = 0; i < l->count; i++) {
		struct gst_group *x = &l->groups.v.data[l->ids[i]];
		if (x->reach_ns && x->reach_ns >= gst_check_least(r)) {
			gst_vec_push(&l->cuts, cut_of(x, call_cost_ns));
			gst_vec_push(&l->asked, x);
		}
	}
	/* One group is all of them, unless waits are added to it. */
	if (l->groups.v.count > 1 || l->groups.v.data[0].waits.count > 0) {
		gst_vec_push(&l->cuts, cut_of(&l->all, call_cost_ns));
		gst_vec_push(&l->asked, &l->all);
	}
}

/* What is asked in one replay of all checks, and whose group each is. */
struct questions {
	GST_VEC(struct gst_cut) cuts;
	GST_VEC(struct gst_group *) groups;
};

static void ask(const struct gst_timing *t, struct questions *q)
{
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_replay *gains = GST_ARENA_ARRAY(scratch, struct gst_replay, q->cuts.count);

	gst_timing_replay_all(t, q->cuts.data, (uint32_t)q->cuts.count, scratch, gains);
	for (size_t i = 0; i < q->cuts.count; i++) {
		q->groups.data[i]->gain = gains[i];
	}
	gst_vec_clear(&q->cuts);
	gst_vec_clear(&q->groups);
	gst_arena_free(scratch);
}

/* All groups of a check together: what they gain is the most that one of them does. */
static uint64_t together_ns(const struct gst_later *l)
{
	size_t last = l->asked.count;

	return last ? l->asked.data[last - 1]->gain.gain_high_ns : 0;
}

void gst_groups_replay(struct gst_check_run *const *runs, uint32_t count)
{
	struct questions q = {0};

	for (uint32_t i = 0; i < count; i++) {
		const struct gst_later *l = &runs[i]->later;
		for (size_t j = 0; j < l->cuts.count; j++) {
			gst_vec_push(&q.cuts, l->cuts.data[j]);
			gst_vec_push(&q.groups, l->asked.data[j]);
		}
	}
	if (q.cuts.count) {
		ask(runs[0]->t, &q);
	}
	/* Low bounds of those that gain enough: they take several times as long. */
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_check_run *r = runs[i];
		const struct gst_later *l = &r->later;

		for (size_t j = 0; j < l->cuts.count; j++) {
			if ((uint64_t)r->m->op_count + r->m->call_count > GST_REPLAY_LOW_MAX ||
			    together_ns(l) < gst_check_least(r) || l->asked.data[j] == &l->all ||
			    !l->asked.data[j]->gain.gain_high_ns ||
			    l->asked.data[j]->gain.gain_high_ns < gst_check_least(r)) {
				continue;
			}
			gst_vec_push(&q.cuts, l->cuts.data[j]);
			q.cuts.data[q.cuts.count - 1].is_high_only = false;
			gst_vec_push(&q.groups, l->asked.data[j]);
		}
	}
	if (q.cuts.count) {
		ask(runs[0]->t, &q);
	}
	gst_vec_free(&q.cuts);
	gst_vec_free(&q.groups);
}

void gst_groups_finish(struct gst_check_run *r)
{
	struct gst_later *l = &r->later;
	uint64_t gain_ns = together_ns(l);

	for (size_t i = 0; i < l->groups.v.count; i++) {
		struct gst_group *x = &l->groups.v.data[l->ids[i]];
		if (!gain_ns || gain_ns < gst_check_least(r)) {
			x->reach_ns = 0; /* known: nothing is gained */
		}
		/* It may be worth a line; nobody knows. */
		r->skipped_count += i >= l->count && x->reach_ns >= gst_check_least(r);
		if (i >= l->count ||
		    (x->reach_ns == 0 && !l->groups.is_shown_without_gain && !r->is_all)) {
			gst_check_hide(r, x);
		} else {
			l->report(r, x, l->groups.v.count > 1 ? gain_ns : 0, l->payload);
		}
	}
	gst_vec_free(&l->all.edges);
	gst_vec_free(&l->all.calls);
	gst_vec_free(&l->cuts);
	gst_vec_free(&l->asked);
	gst_groups_release(&l->groups);
}

static void take_evidence(struct gst_check_run *r, struct gst_group *g, struct gst_finding *f)
{
	const char *ranges = g->are_ranges_told ? NULL : gst_check_ranges(r, g);

	if (ranges) {
		f->detail = f->detail && f->detail[0]
				    ? gst_check_text(r, "%s\n%s", f->detail, ranges)
				    : ranges;
	}
	f->blocked_ns = gst_spans_union(&g->blocked);
	f->begin_ns = g->begin_ns;
	f->end_ns = g->end_ns;
	f->occurrence_count = g->occurrence_count;
	f->evidence_count = (uint32_t)g->occurrences.count;
	if (g->occurrences.count) {
		f->occurrences =
			gst_arena_copy(r->arena, g->occurrences.data,
				       g->occurrences.count * sizeof(*g->occurrences.data));
	}
	f->path_count = g->path_count;
	if (g->path_count) {
		f->path = gst_arena_copy(r->arena, g->path, g->path_count * sizeof(*g->path));
	}
	if (!f->withheld) {
		f->withheld = gst_check_withheld(r);
	}
}

void gst_check_add(struct gst_check_run *r, struct gst_group *g, struct gst_finding *f)
{
	take_evidence(r, g, f);
	gst_vec_push(&r->found, *f);
}

void gst_check_hide(struct gst_check_run *r, const struct gst_group *g)
{
	r->hidden_count++;
	for (size_t i = 0; i < g->blocked.count; i++) {
		gst_spans_add(&r->hidden, g->blocked.data[i].begin_ns, g->blocked.data[i].end_ns);
	}
}

void gst_group_report(struct gst_check_run *r, struct gst_group *g, struct gst_finding *f)
{
	uint64_t cost_ns = f->cost_is_bound ? f->cost_high_ns : f->cost_ns;

	take_evidence(r, g, f);
	if (cost_ns < gst_check_least(r)) {
		gst_check_hide(r, g);
		return;
	}
	f->is_small = cost_ns < gst_check_floor(r);
	f->severity = f->is_small ? GST_SEVERITY_INFO : severity_of(r, cost_ns);
	/* What a bound alone is known of is not proved to cost anything. */
	if (f->cost_is_bound && f->severity > GST_SEVERITY_LOW) {
		f->severity = GST_SEVERITY_LOW;
	}
	gst_vec_push(&r->found, *f);
}
