/*
 * replay.c - what the same work would gain without some of its edges.
 *
 * Role      : tells what findings cost: makespan with all edges minus makespan without a finding's.
 * Method    : high bound, one pass over the knots of a process (timing_internal.h): each gains the least of what
 *             the arcs left let it gain. Reading the arcs is what a pass costs, so it answers LANES questions
 *             at once; it remembers a gain only as long as some arc looks back at it.
 *             Low bound: events in time, with kernels sharing their device (fluid.c).
 * Invariant : without a cut nothing gains. What else is asked in the same pass changes no answer.
 * Not here  : threads' own locks: a gap between two calls stays as long as it was.
 */
#include "analyzer/timing/replay_internal.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "analyzer/base/assert.h"
#include "analyzer/base/parallel.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/vec.h"

/* One bit each in a byte. */
#define LANES 8u

/* ---- questions ------------------------------------------------------------------------------- */

/* One cut, as far as it is about one process. */
struct job {
	struct gst_replay_plan plan;
	uint32_t cut, process; /* by number */
	uint32_t number;       /* of the cut's */
	double gain_ns;	       /* the answer; below 0 where added waits make it end later */
};

struct jobs {
	struct job *data;
	size_t count, cap;
};

/* The process of knot @i; GST_NONE. */
static uint32_t process_at(const struct gst_timing *t, uint32_t i)
{
	const uint32_t *first = t->knots.process_first;
	uint32_t low = 0, high = t->m->process_count;

	if (high == 0 || i < first[0]) {
		return GST_NONE;
	}
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (first[mid] <= i) {
			low = mid;
		} else {
			high = mid;
		}
	}
	return low;
}

static void sort_arcs(struct gst_cut_arc *arcs, uint32_t count)
{
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));

	for (uint32_t i = 0; i < count; i++) {
		items[i] = (struct gst_sort_item){.key = arcs[i].arc, .value = arcs[i].knot};
	}
	gst_sort_items(items, count);
	for (uint32_t i = 0; i < count; i++) {
		arcs[i].arc = (uint32_t)items[i].key;
		arcs[i].knot = items[i].value;
	}
	gst_mem_free(items, count * sizeof(*items));
}

/* The arcs of the cut, those of one process one after the other. */
static uint32_t find_arcs(const struct gst_timing *t, const struct gst_cut *cut,
			  struct gst_cut_arc *arcs)
{
	uint32_t count = gst_replay_find_arcs(t, cut->edges, cut->edge_count, arcs);

	if (t->m->process_count > 1) {
		sort_arcs(arcs, count);
	}
	return count;
}

/* The knot of a call's return, which no other moment shares; GST_NONE = not known when it returned. */
static uint32_t knot_of_return(const struct gst_timing *t, gst_call_id call)
{
	GST_ASSERT(gst_replay_may_shrink(&t->m->calls[call]));
	return gst_timing_knot(t, gst_moment_of_exit(t, call));
}

/* When the last thing that could have let @call return let it. */
static int64_t released_ns(const struct gst_timing *t, gst_call_id call)
{
	return (int64_t)t->m->calls[call].exit_ns - gst_replay_own_ns(t, call);
}

/* An op's knot has no other moment: its end is that of the op. */
static uint32_t find_changes(const struct gst_timing *t, const struct gst_cut *cut,
			     struct gst_arena *scratch, const struct gst_change **out)
{
	size_t most = (size_t)cut->call_count + cut->wait_count;
	struct gst_sort_item *items = gst_mem_alloc(most * sizeof(*items));
	struct gst_change *found = gst_mem_alloc(most * sizeof(*found)), *sorted;
	gst_call_id last = GST_NONE;
	int64_t last_ns = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < cut->wait_count; i++) {
		const struct gst_wait *w = &cut->waits[i];
		uint32_t knot = knot_of_return(t, w->call), op = gst_timing_knot(t, w->op);

		/* One that comes later in the order cannot be waited for. */
		if (knot == GST_NONE || op >= knot || process_at(t, op) != process_at(t, knot)) {
			continue;
		}
		if (w->call != last) {
			last = w->call;
			last_ns = released_ns(t, last);
		}
		items[count].key = (uint64_t)knot << 1;
		found[count++] = (struct gst_change){
			.knot = knot, .op = op, .ns = last_ns - t->knots.end_ns[op]};
	}
	for (uint32_t i = 0; i < cut->call_count; i++) {
		uint32_t knot = knot_of_return(t, cut->calls[i]);
		int64_t ns;

		if (knot == GST_NONE) {
			continue;
		}
		ns = gst_replay_own_ns(t, cut->calls[i]) - (int64_t)cut->call_cost_ns;
		if (ns > 0) {
			items[count].key = (uint64_t)knot << 1 | 1;
			found[count++] =
				(struct gst_change){.knot = knot, .op = GST_NONE, .ns = ns};
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		items[i].value = i;
	}
	gst_sort_items(items, count);
	sorted = GST_ARENA_ARRAY(scratch, struct gst_change, count);
	for (uint32_t i = 0; i < count; i++) {
		sorted[i] = found[items[i].value];
	}
	gst_mem_free(found, most * sizeof(*found));
	gst_mem_free(items, most * sizeof(*items));
	*out = sorted;
	return count;
}

/* A job for each process that the cut changes anything in. */
static void add_jobs(const struct gst_timing *t, const struct gst_cut *cut, uint32_t number,
		     struct gst_arena *scratch, struct jobs *jobs)
{
	struct gst_cut_arc *arcs = GST_ARENA_ARRAY(scratch, struct gst_cut_arc, cut->edge_count);
	uint32_t arc_count = find_arcs(t, cut, arcs), arc = 0, change = 0;
	const struct gst_change *changes;
	uint32_t change_count = find_changes(t, cut, scratch, &changes);

	while (arc < arc_count || change < change_count) {
		struct job j = {.cut = number};
		uint32_t knot = arc < arc_count ? arcs[arc].knot : UINT32_MAX, end;

		if (change < change_count && changes[change].knot < knot) {
			knot = changes[change].knot;
		}
		j.process = process_at(t, knot);
		end = j.process == GST_NONE ? t->knots.process_first[0]
					    : t->knots.process_first[j.process + 1];
		j.plan = (struct gst_replay_plan){.arcs = arcs + arc, .changes = changes + change};
		while (arc < arc_count && arcs[arc].knot < end) {
			arc++;
			j.plan.arc_count++;
		}
		while (change < change_count && changes[change].knot < end) {
			change++;
			j.plan.change_count++;
		}
		if (j.process != GST_NONE) {
			j.number = (uint32_t)jobs->count;
			gst_vec_push(jobs, j);
		}
	}
}

/* ---- one pass --------------------------------------------------------------------------------- */

/*
 * Gains are whole numbers of nanoseconds in doubles: exact below 2^53 (104 days), and any processor compares two of
 * them at once. A trace that claims more gets an answer that is off by a few of its parts in 2^53.
 */
typedef double pair __attribute__((vector_size(16)));
#ifndef __SSE2__
typedef int64_t pair_mask __attribute__((vector_size(16)));
#endif

/* Of each lane: lane l is at of[l / 2][l % 2]. */
struct gains {
	pair of[LANES / 2];
};

/* More than any gain: there is no arc left. */
#define NOTHING_LEFT 1e300

static inline pair lesser(pair a, pair b)
{
#ifdef __SSE2__
	/* One instruction, which gcc 12 does not find in the lines below. */
	return _mm_min_pd(a, b);
#else
	pair_mask is_less = a < b;

	return (pair)(((pair_mask)a & is_less) | ((pair_mask)b & ~is_less));
#endif
}

/* Lines instead of loops, or they would not stay in registers. */
_Static_assert(LANES == 8, "four pairs");

static inline struct gains same_for_all(double ns)
{
	pair both = {ns, ns};

	return (struct gains){{both, both, both, both}};
}

/* Of @a and, @ns later, @b: what lets a knot gain less. */
static inline struct gains least(struct gains a, const struct gains *b, double ns)
{
	pair both = {ns, ns};

	a.of[0] = lesser(b->of[0] + both, a.of[0]);
	a.of[1] = lesser(b->of[1] + both, a.of[1]);
	a.of[2] = lesser(b->of[2] + both, a.of[2]);
	a.of[3] = lesser(b->of[3] + both, a.of[3]);
	return a;
}

/* What happens to one lane at a knot, beside arcs that are cut. In this order. */
struct event {
	enum { TAKE_GAIN, GAIN_MORE, KEEP_GAIN } kind;
	uint32_t knot;
	uint32_t lane;
	uint32_t slot; /* of the gain of an awaited op */
	double ns;
};

struct pass {
	const struct gst_timing *t;
	const struct gst_knots *k;
	uint32_t first, end;	     /* knots of the process */
	uint32_t begin;		     /* the first one that anything happens at */
	uint64_t *is_special;	     /* a bit a knot, from first on: something happens there */
	uint8_t *cut;		     /* by arc of the process, a bit a lane: it does without it */
	struct gains *near;	     /* of the last GST_KNOTS_NEAR knots */
	struct gains *far;	     /* of those knots that are far sources */
	uint32_t far_first;	     /* how many of them are of earlier processes */
	struct event *events;	     /* by knot */
	uint32_t event_count, event; /* the next one */
	double *kept;		     /* by slot */
	double most;		     /* no knot gains more */
	struct gains last;	     /* what the end of the process gains */
	uint32_t watched;	     /* a knot; GST_NONE */
	double watched_ns;	     /* what it gains in the first lane */
};

static uint32_t far_rank(const struct gst_knots *k, uint32_t knot)
{
	uint64_t before = k->far[knot / 64] & ((UINT64_C(1) << knot % 64) - 1);

	return k->far_before[knot / 64] + (uint32_t)__builtin_popcountll(before);
}

/* Of the source of an arc into knot @i. */
static inline const struct gains *gains_of(const struct pass *p, uint32_t i, uint32_t source)
{
	return i - source <= GST_KNOTS_NEAR ? &p->near[source % GST_KNOTS_NEAR]
					    : &p->far[far_rank(p->k, source) - p->far_first];
}

/* What the arcs into knot @i let it gain. */
static inline struct gains pull(const struct pass *p, uint32_t i)
{
	const struct gst_knots *k = p->k;
	uint32_t end = k->arc_begin[i + 1];
	struct gains g = same_for_all(k->arc_begin[i] < end ? NOTHING_LEFT : 0);

	for (uint32_t j = k->arc_begin[i]; j < end; j++) {
		g = least(g, gains_of(p, i, k->arcs[j].from & ~GST_ARC_BEGINS),
			  (double)gst_arc_slack(k, j));
	}
	return g;
}

/* Of lane @l alone. */
static double pull_lane(const struct pass *p, uint32_t i, uint32_t l)
{
	const struct gst_knots *k = p->k;
	uint32_t first = k->arc_begin[p->first];
	double gain = NOTHING_LEFT;

	for (uint32_t j = k->arc_begin[i]; j < k->arc_begin[i + 1]; j++) {
		const struct gains *source = gains_of(p, i, k->arcs[j].from & ~GST_ARC_BEGINS);
		double by_this = source->of[l / 2][l % 2] + (double)gst_arc_slack(k, j);

		if (!(p->cut[j - first] >> l & 1) && by_this < gain) {
			gain = by_this;
		}
	}
	return gain;
}

/* At a special knot: with some arcs cut for some lanes, and with events. */
static struct gains pull_special(struct pass *p, uint32_t i)
{
	const struct gst_knots *k = p->k;
	struct gains g = pull(p, i);
	uint8_t cut = 0;

	for (uint32_t j = k->arc_begin[i]; j < k->arc_begin[i + 1]; j++) {
		cut |= p->cut[j - k->arc_begin[p->first]];
	}
	for (uint32_t l = 0; l < LANES; l++) {
		if (cut >> l & 1) {
			g.of[l / 2][l % 2] = pull_lane(p, i, l);
		}
	}
	for (; p->event < p->event_count; p->event++) {
		const struct event *e = &p->events[p->event];
		double gain = g.of[e->lane / 2][e->lane % 2];

		if (e->knot != i || e->kind == KEEP_GAIN) {
			break;
		}
		if (e->kind == TAKE_GAIN && p->kept[e->slot] + e->ns < gain) {
			gain = p->kept[e->slot] + e->ns;
		} else if (e->kind == GAIN_MORE && gain < NOTHING_LEFT) {
			gain += e->ns;
		}
		g.of[e->lane / 2][e->lane % 2] = gain;
	}
	for (uint32_t l = 0; l < LANES; l++) {
		if (g.of[l / 2][l % 2] >= NOTHING_LEFT) {
			g.of[l / 2][l % 2] = 0;
		}
	}
	return g;
}

static void keep(struct pass *p, uint32_t i, const struct gains *g)
{
	for (; p->event < p->event_count && p->events[p->event].knot == i; p->event++) {
		const struct event *e = &p->events[p->event];
		p->kept[e->slot] = g->of[e->lane / 2][e->lane % 2];
	}
}

static bool is_in(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static void pass_over(struct pass *p, int64_t baseline_ns)
{
	const struct gst_knots *k = p->k;
	const struct gains none = same_for_all(0);
	struct gains *far = p->far + (far_rank(k, p->begin) - p->far_first);
	int64_t first_ns = INT64_MIN; /* the last moment of what nothing happens to */

	for (uint32_t i = p->first; i < p->begin; i++) {
		gst_replay_last(k->end_ns[i], &first_ns);
	}
	p->last =
		same_for_all(p->begin > p->first ? (double)(baseline_ns - first_ns) : NOTHING_LEFT);
	for (uint32_t i = p->begin; i < p->end; i++) {
		bool is_special = is_in(p->is_special, i - p->first);
		double before_ns = (double)(baseline_ns - k->end_ns[i]);
		struct gains g = is_special ? pull_special(p, i) : pull(p, i);

		/* Ends that are up to other devices come no earlier than they did. */
		if (p->t->has_spinning && gst_replay_spins(p->t, k->moments[i])) {
			g = least(g, &none, 0);
		}
		p->near[i % GST_KNOTS_NEAR] = g;
		if (is_special) {
			keep(p, i, &g);
		}
		if (i == p->watched) {
			p->watched_ns = g.of[0][0];
		}
		if (is_in(k->far, i)) {
			*far++ = g;
		}
		/* What ended so long before the last moment cannot become it. */
		if (before_ns <= p->most) {
			p->last = least(p->last, &g, before_ns);
		}
	}
}

/* ---- its preparation --------------------------------------------------------------------------- */

static void note(struct pass *p, uint32_t knot)
{
	uint32_t at = knot - p->first;

	p->is_special[at / 64] |= UINT64_C(1) << at % 64;
	p->begin = knot < p->begin ? knot : p->begin;
}

/* The least slack of the arcs into @knot that lane @l has left: no more is gained there than at their sources. */
static double least_left(const struct pass *p, uint32_t knot, uint32_t l)
{
	const struct gst_knots *k = p->k;
	int64_t least = INT64_MAX;

	for (uint32_t j = k->arc_begin[knot]; j < k->arc_begin[knot + 1]; j++) {
		if (!(p->cut[j - k->arc_begin[p->first]] >> l & 1)) {
			int64_t slack = gst_arc_slack(k, j);
			least = slack < least ? slack : least;
		}
	}
	return least == INT64_MAX ? 0 : (double)least;
}

/* Returns what lane @l gains by that at most. */
static double cut_arcs(struct pass *p, const struct gst_replay_plan *plan, uint32_t l)
{
	uint32_t first = p->k->arc_begin[p->first];
	double most = 0;

	for (uint32_t i = 0; i < plan->arc_count; i++) {
		uint8_t *cut = &p->cut[plan->arcs[i].arc - first];

		*cut = (uint8_t)(*cut | 1u << l);
		note(p, plan->arcs[i].knot);
	}
	for (uint32_t i = 0; i < plan->arc_count; i++) {
		if (i == 0 || plan->arcs[i].knot != plan->arcs[i - 1].knot) {
			most += least_left(p, plan->arcs[i].knot, l);
		}
	}
	return most;
}

/* Events in the order of knots. Returns how much lane @l gains or loses by its changes at most. */
static double add_events(struct pass *p, const struct gst_replay_plan *plan, uint32_t l)
{
	double most = 0;

	for (uint32_t i = 0; i < plan->change_count; i++) {
		const struct gst_change *c = &plan->changes[i];
		struct event *e = &p->events[p->event_count++];

		*e = (struct event){.kind = GAIN_MORE,
				    .knot = c->knot,
				    .lane = l,
				    .slot = p->event_count,
				    .ns = (double)c->ns};
		note(p, c->knot);
		most += c->ns < 0 ? -e->ns : e->ns;
		if (c->op != GST_NONE) {
			e->kind = TAKE_GAIN;
			e[1] = *e;
			e[1].kind = KEEP_GAIN;
			e[1].knot = c->op;
			p->event_count++;
			note(p, c->op);
		}
	}
	return most;
}

static void sort_events(struct pass *p)
{
	struct gst_sort_item *items = gst_mem_alloc(p->event_count * sizeof(*items));
	struct event *sorted = gst_mem_alloc(p->event_count * sizeof(*sorted));

	for (uint32_t i = 0; i < p->event_count; i++) {
		items[i].key = (uint64_t)p->events[i].knot << 2 | p->events[i].kind;
		items[i].value = i;
	}
	gst_sort_items(items, p->event_count);
	for (uint32_t i = 0; i < p->event_count; i++) {
		sorted[i] = p->events[items[i].value];
	}
	memcpy(p->events, sorted, p->event_count * sizeof(*sorted));
	gst_mem_free(sorted, p->event_count * sizeof(*sorted));
	gst_mem_free(items, p->event_count * sizeof(*items));
}

/* The answers to @count questions about one process, at most LANES. Returns what knot @watched gains by the first. */
static double answer(const struct gst_timing *t, struct job *jobs, uint32_t count, uint32_t watched)
{
	const struct gst_knots *k = &t->knots;
	struct gst_arena *arena = gst_arena_new(0);
	uint32_t process = jobs[0].process, changes = 0;
	struct pass p = {.t = t, .k = k, .watched = watched};

	p.first = k->process_first[process];
	p.begin = p.end = k->process_first[process + 1];
	p.far_first = far_rank(k, p.first);
	p.near = GST_ARENA_ARRAY(arena, struct gains, GST_KNOTS_NEAR);
	p.far = GST_ARENA_ARRAY(arena, struct gains, far_rank(k, p.end) - p.far_first);
	p.cut = gst_arena_alloc(arena, k->arc_begin[p.end] - k->arc_begin[p.first]);
	p.is_special = GST_ARENA_ARRAY(arena, uint64_t, (p.end - p.first) / 64 + 1);
	for (uint32_t l = 0; l < count; l++) {
		changes += jobs[l].plan.change_count;
	}
	p.events = GST_ARENA_ARRAY(arena, struct event, (size_t)2 * changes);
	p.kept = GST_ARENA_ARRAY(arena, double, (size_t)2 * changes + 1);
	for (uint32_t l = 0; l < count; l++) {
		double most = cut_arcs(&p, &jobs[l].plan, l) + add_events(&p, &jobs[l].plan, l);
		p.most = most > p.most ? most : p.most;
	}
	sort_events(&p);
	pass_over(&p, t->baseline_ns[process]);
	for (uint32_t l = 0; l < count; l++) {
		jobs[l].gain_ns = p.last.of[l / 2][l % 2];
	}
	gst_arena_free(arena);
	return p.watched_ns;
}

/* Some jobs about one process. */
struct batch {
	struct job *jobs;
	uint32_t count;
};

struct replay {
	const struct gst_timing *t;
	const struct gst_cut *cuts;
	struct gst_replay *out;
	struct jobs *jobs;	   /* by cut */
	struct gst_arena **arenas; /* by cut: of its jobs */
	const struct job **most;   /* by cut: of the process that gains most; NULL */
	struct jobs all;	   /* by process */
	GST_VEC(struct batch) batches;
	struct low *lows; /* by process */
};

static void plan_cut(uint32_t index, void *payload)
{
	struct replay *r = payload;

	r->arenas[index] = gst_arena_new(0);
	add_jobs(r->t, &r->cuts[index], index, r->arenas[index], &r->jobs[index]);
}

/* Jobs of one process side by side. */
static void sort_jobs(struct replay *r, uint32_t cut_count)
{
	GST_VEC(struct gst_sort_item) items = {0};

	for (uint32_t i = 0; i < cut_count; i++) {
		for (size_t j = 0; j < r->jobs[i].count; j++) {
			gst_vec_push(&items,
				     ((struct gst_sort_item){.key = r->jobs[i].data[j].process,
							     .value = i,
							     .extra = (uint32_t)j}));
		}
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count; i++) {
		gst_vec_push(&r->all, r->jobs[items.data[i].value].data[items.data[i].extra]);
	}
	for (size_t i = 0; i < r->all.count;) {
		struct batch b = {.jobs = &r->all.data[i]};

		while (b.count < LANES && i < r->all.count &&
		       r->all.data[i].process == b.jobs->process) {
			b.count++;
			i++;
		}
		gst_vec_push(&r->batches, b);
	}
	gst_vec_free(&items);
}

static void answer_batch(uint32_t index, void *payload)
{
	struct replay *r = payload;

	(void)answer(r->t, r->batches.data[index].jobs, r->batches.data[index].count, GST_NONE);
}

/* ---- the public side ----------------------------------------------------------------------------- */

/* In whole numbers. */
static int64_t gain_of(const struct job *job)
{
	const double most = (double)GST_TIMES_MAX_NS;

	if (job->gain_ns > most) {
		return (int64_t)GST_TIMES_MAX_NS;
	}
	return job->gain_ns < -most ? -(int64_t)GST_TIMES_MAX_NS : (int64_t)job->gain_ns;
}

/* What low bounds of one process have in common. */
struct low {
	struct gst_replay_outs outs;
	bool is_wanted;
	int64_t all_ns; /* its last moment without a cut, kernels sharing their device */
};

static void begin_low(uint32_t process, void *payload)
{
	static const struct gst_replay_plan nothing;
	struct replay *r = payload;
	struct low *low = &r->lows[process];

	if (low->is_wanted) {
		low->outs.arena = gst_arena_new(0);
		gst_replay_turn_round(r->t, process, &low->outs);
		low->all_ns = gst_replay_shared(r->t, &low->outs, &nothing, process);
	}
}

/* The low bound of a cut, whose high bound is what the most gaining of its jobs gains. */
static void answer_low(uint32_t index, void *payload)
{
	struct replay *r = payload;
	struct gst_replay *out = &r->out[index];
	const struct job *job = r->most[index];
	const struct low *low;
	int64_t without;

	if (!job || !out->low_is_known) {
		return;
	}
	low = &r->lows[job->process];
	without = gst_replay_shared(r->t, &low->outs, &job->plan, job->process);
	if (low->all_ns > without) {
		out->gain_low_ns = (uint64_t)(low->all_ns - without);
	}
	if (out->gain_low_ns > out->gain_high_ns) {
		out->gain_low_ns = out->gain_high_ns;
	}
}

/* Of the process that gains most; the first one's makespan is where it is even if nothing is gained. */
static const struct job *take_most(const struct gst_timing *t, const struct jobs *jobs,
				   struct gst_replay *out)
{
	const struct job *most = NULL;

	*out = (struct gst_replay){.baseline_ns = (uint64_t)t->baseline_ns[0],
				   .makespan_ns = (uint64_t)t->baseline_ns[0]};
	for (size_t i = 0; i < jobs->count; i++) {
		const struct job *j = &jobs->data[i];
		int64_t gain_ns = gain_of(j);

		out->steps +=
			t->knots.process_first[j->process + 1] - t->knots.process_first[j->process];
		if (gain_ns > 0 && (uint64_t)gain_ns > out->gain_high_ns) {
			most = j;
			out->gain_high_ns = (uint64_t)gain_ns;
			out->baseline_ns = (uint64_t)t->baseline_ns[j->process];
			out->makespan_ns = (uint64_t)(t->baseline_ns[j->process] - gain_ns);
		} else if (j->process == 0 && out->gain_high_ns == 0) {
			out->makespan_ns = (uint64_t)(t->baseline_ns[0] - gain_ns);
		}
	}
	return most;
}

static void replay_low(struct replay *r, uint32_t count)
{
	const struct gst_timing *t = r->t;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t p = r->most[i] ? r->most[i]->process : 0;

		/* The shared replay takes at most as long as all kernels one after the other. */
		r->out[i].low_is_known =
			!r->cuts[i].is_high_only &&
			t->process_first[p + 1] - t->process_first[p] <= GST_REPLAY_LOW_MAX &&
			t->kernels_ns < GST_TIMES_MAX_NS;
		r->lows[p].is_wanted |= r->most[i] && r->out[i].low_is_known;
	}
	gst_parallel_run(t->m->process_count, begin_low, r);
	gst_parallel_run(count, answer_low, r);
	for (uint32_t p = 0; p < t->m->process_count; p++) {
		gst_arena_free(r->lows[p].outs.arena);
	}
}

void gst_timing_replay_all(const struct gst_timing *t, const struct gst_cut *cuts, uint32_t count,
			   struct gst_arena *scratch, struct gst_replay *out)
{
	struct replay r = {.t = t, .cuts = cuts, .out = out};

	r.jobs = GST_ARENA_ARRAY(scratch, struct jobs, count);
	r.arenas = GST_ARENA_ARRAY(scratch, struct gst_arena *, count);
	r.most = GST_ARENA_ARRAY(scratch, const struct job *, count);
	r.lows = GST_ARENA_ARRAY(scratch, struct low, (size_t)t->m->process_count + 1);
	gst_parallel_run(count, plan_cut, &r);
	sort_jobs(&r, count);
	gst_parallel_run((uint32_t)r.batches.count, answer_batch, &r);
	for (size_t i = 0; i < r.all.count; i++) {
		struct job *j = &r.all.data[i];
		r.jobs[j->cut].data[j->number].gain_ns = j->gain_ns;
	}
	for (uint32_t i = 0; i < count; i++) {
		r.most[i] = take_most(t, &r.jobs[i], &out[i]);
	}
	replay_low(&r, count);
	for (uint32_t i = 0; i < count; i++) {
		gst_vec_free(&r.jobs[i]);
		gst_arena_free(r.arenas[i]);
	}
	gst_vec_free(&r.batches);
	gst_vec_free(&r.all);
}

void gst_timing_replay(const struct gst_timing *t, const struct gst_cut *cut,
		       struct gst_arena *scratch, struct gst_replay *out)
{
	gst_timing_replay_all(t, cut, 1, scratch, out);
}

bool gst_timing_earliest(const struct gst_timing *t, const struct gst_cut *cut, gst_op_id op,
			 struct gst_arena *scratch, uint64_t *begin_ns)
{
	uint32_t knot = gst_timing_knot(t, op);
	struct jobs jobs = {0};
	double gain_ns = 0;
	int64_t begin;

	/* Ops have knots of their own. */
	if (knot == GST_NONE || !(t->m->ops[op].flags & GST_OP_TIMED) ||
	    process_at(t, knot) == GST_NONE) {
		return false;
	}
	add_jobs(t, cut, 0, scratch, &jobs);
	for (size_t i = 0; i < jobs.count; i++) {
		if (jobs.data[i].process == process_at(t, knot)) {
			gain_ns = answer(t, &jobs.data[i], 1, knot);
		}
	}
	gst_vec_free(&jobs);
	begin = (int64_t)gst_timing_begin(t, op) - (int64_t)gain_ns;
	*begin_ns = begin > 0 ? (uint64_t)begin : 0;
	return true;
}
