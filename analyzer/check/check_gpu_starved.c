/*
 * check_gpu_starved.c - gpu-starved: a device had nothing to do, because the host had not submitted it yet.
 *
 * Role      : the time in which a device was idle for its process and nothing but the host held up what came next.
 * Method    : the busy time of each device, put together from its streams; of each pause the op that ended it, what
 *             let that go but its submission, and, back from there, what its thread did: between two calls, in
 *             calls, or in a wait or a copy, which others account for (check_host_sync.c, check_sync_copy.c, ...).
 * Invariant : a nanosecond is in one finding at most. Idle before the first kernel of a device and after its last one
 *             is start-up and shut-down. The idle time bounds the gain from above; nothing is known of how
 *             much of what the host did was needed, so that is no estimate, and no more than low.
 * Not here  : a pause that an order explains; what other processes ran.
 */
#include "analyzer/check/check_internal.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/sort.h"

/* Shorter pauses between two ops are of the device. */
#define PAUSE_MIN_NS GST_STALL_MIN_NS
/* The longest time from a launch to its begin that is the launch's. */
#define LATENCY_MAX_NS 20000u
/* A pause that is shorter is one of many between launches: what the host did in each one tells nothing. */
#define SHORT_NS 100000u
/* A fiftieth of the traced time is worth a line, and this at least. */
#define SHOWN_SHARE  50u
#define SHOWN_MIN_NS 500000u
/* More groups than this: names of calls and ranges tell no places apart. */
#define GROUPS_MAX 256u
/* What happens fewer times at a place is part of no loop: the program loads, compiles or sets something up. */
#define TIMES_MIN 4u
/* Places that a finding names. */
#define PLACES_MAX 3u
/* Graph launches that must have been measured before anything is said about what one costs. */
#define GRAPHS_MIN 10u
/* Steps from an op to what let it go, through those that take no time. */
#define RELEASE_STEPS 64u

enum kind {
	LAUNCHES, /* short pauses, one after the other: the device is faster than the host submits */
	OUTSIDE,  /* mostly between two calls */
	IN_CALL,  /* mostly in one call that waits for nothing */
	KIND_COUNT
};

enum {
	EXTRA_NS,      /* sum of the pauses: they are disjoint */
	EXTRA_LATE_NS, /* from their ends until what was submitted began: it would not be late either */
	EXTRA_OUTSIDE, /* of them, outside of CUDA */
	EXTRA_LONGEST,
	EXTRA_CALLS_NS, /* calls that submitted what ended them, in all */
	EXTRA_WORK_NS,	/* what they submitted ran so long */
	EXTRA_WAITS,	/* pauses that a wait of the host came before */
	EXTRA_WAIT_API, /* of the first one */
	EXTRA_PAUSES	/* at the same place, in any NVTX range */
};
_Static_assert(EXTRA_PAUSES < sizeof(((struct gst_group *)0)->extra) / sizeof(uint64_t),
	       "a group has room for all");

/* Time without a pause in one stream, or in which nobody knows. */
struct run {
	uint64_t begin_ns, end_ns;
	gst_op_id first; /* GST_NONE: not recorded */
};

struct device {
	GST_VEC(struct run) runs;
	uint64_t first_ns, last_ns; /* begin of the first kernel, end of the last one */
	uint64_t idle_ns;	    /* between them */
	struct gst_group kinds[KIND_COUNT];
	uint64_t unknown_ns; /* pauses before work of which is not known what else it waited for */
	uint64_t rare_ns;    /* pauses at places with few of them */
	uint32_t rare_count;
	bool is_unsorted;
};

/* What a stream is doing as far as the pass over all ops has come. */
struct lane {
	struct run open;  /* end 0 = none */
	uint64_t lost_ns; /* since then something may have run of which nothing is known; 0 = no */
	uint32_t device;  /* GST_NONE */
};

struct look {
	struct gst_check_run *r;
	struct gst_groups groups;
	struct device *devices;
	struct lane *lanes;
	uint64_t latency_ns
		[GST_OP_KIND_COUNT];	/* least time from a call to the begin of what it submits */
	uint64_t graph_ns, graph_nodes; /* of the calls that launch graphs, and of these graphs */
	uint32_t graph_launches;
};

static uint64_t shown_ns(const struct gst_check_run *r)
{
	uint64_t share = r->traced_ns / SHOWN_SHARE;

	return share > SHOWN_MIN_NS ? share : SHOWN_MIN_NS;
}

/* ---- busy and idle --------------------------------------------------------------------------------- */

static bool has_span(const struct gst_op *x)
{
	return (x->flags & (GST_OP_TIMED | GST_OP_PARTIAL)) && x->end_ns >= x->begin_ns;
}

static bool is_kernel(const struct gst_op *x)
{
	return x->kind == GST_OP_KERNEL || x->kind == GST_OP_GRAPH_LAUNCH;
}

static void add_run(struct device *d, struct run x)
{
	if (d->runs.count && d->runs.data[d->runs.count - 1].begin_ns > x.begin_ns) {
		d->is_unsorted = true;
	}
	gst_vec_push(&d->runs, x);
}

static void close_lane(struct look *l, struct lane *lane)
{
	if (lane->open.end_ns) {
		add_run(&l->devices[lane->device], lane->open);
		lane->open.end_ns = 0;
	}
}

/* How soon after its call work may begin. */
static void measure_latency(struct look *l, const struct gst_op *x)
{
	const struct gst_call *c = x->call == GST_NONE ? NULL : &l->r->m->calls[x->call];

	if (c && !(c->flags & GST_CALL_NO_ENTER) && x->begin_ns >= c->enter_ns &&
	    x->begin_ns - c->enter_ns < l->latency_ns[x->kind]) {
		l->latency_ns[x->kind] = x->begin_ns - c->enter_ns;
	}
}

/* What a launch of a graph costs. */
static void measure(struct look *l, const struct gst_op *x)
{
	const struct gst_model *m = l->r->m;
	const struct gst_call *c = x->call == GST_NONE ? NULL : &m->calls[x->call];

	if (c && !(c->flags & GST_CALL_NO_ENTER) && (c->flags & GST_CALL_RETURNED) &&
	    x->detail != GST_NONE && m->execs[x->detail].graph != GST_NONE) {
		const struct gst_graph *g = &m->graphs[m->execs[x->detail].graph];

		l->graph_ns += c->exit_ns - c->enter_ns;
		l->graph_nodes += g->own_count ? g->own_count : g->node_count;
		l->graph_launches++;
	}
}

static void take_op(struct look *l, gst_op_id op)
{
	const struct gst_op *x = &l->r->m->ops[op];
	struct lane *lane;
	struct device *d;

	if ((x->flags & GST_OP_NODE) || x->stream == GST_NONE) {
		return;
	}
	lane = &l->lanes[x->stream];
	if (lane->device == GST_NONE) {
		return;
	}
	if (!has_span(x)) {
		if ((x->flags & GST_OP_NO_RECORD) && lane->lost_ns == 0 && x->call != GST_NONE) {
			lane->lost_ns = l->r->m->calls[x->call].enter_ns + 1;
		}
		return;
	}
	d = &l->devices[lane->device];
	if (is_kernel(x)) {
		d->first_ns = x->begin_ns < d->first_ns ? x->begin_ns : d->first_ns;
		d->last_ns = x->end_ns > d->last_ns ? x->end_ns : d->last_ns;
	}
	if (lane->lost_ns && lane->lost_ns < x->begin_ns) {
		add_run(d, (struct run){lane->lost_ns, x->begin_ns, GST_NONE});
	}
	lane->lost_ns = 0;
	if (x->kind == GST_OP_GRAPH_LAUNCH) {
		measure(l, x);
	}
	if (lane->open.end_ns && x->begin_ns >= lane->open.begin_ns &&
	    x->begin_ns < lane->open.end_ns + PAUSE_MIN_NS) {
		lane->open.end_ns = x->end_ns > lane->open.end_ns ? x->end_ns : lane->open.end_ns;
		return;
	}
	/* What did not begin after a pause tells nothing of how soon it may begin. */
	measure_latency(l, x);
	close_lane(l, lane);
	lane->open = (struct run){x->begin_ns, x->end_ns, op};
}

/* Recording was off: nobody knows what ran then. */
static void take_gaps(struct look *l)
{
	const struct gst_model *m = l->r->m;

	for (uint32_t i = 0; i < m->gap_count; i++) {
		for (uint32_t d = 0; d < m->device_count && l->r->search_left; d++) {
			l->r->search_left--;
			if (m->devices[d].process == m->gaps[i].process &&
			    l->devices[d].runs.count) {
				add_run(&l->devices[d], (struct run){m->gaps[i].from_ns,
								     m->gaps[i].to_ns, GST_NONE});
			}
		}
	}
}

static void find_runs(struct look *l)
{
	const struct gst_model *m = l->r->m;

	for (uint32_t i = 0; i < m->device_count; i++) {
		l->devices[i].first_ns = UINT64_MAX;
	}
	for (uint32_t k = 0; k < GST_OP_KIND_COUNT; k++) {
		l->latency_ns[k] = LATENCY_MAX_NS;
	}
	for (gst_stream_id s = 0; s < m->stream_count; s++) {
		uint32_t ctx = m->streams[s].ctx;

		l->lanes[s].device = ctx == GST_NONE ? GST_NONE : m->contexts[ctx].device;
	}
	for (gst_op_id i = 0; i < m->op_count; i++) {
		take_op(l, i);
	}
	for (gst_stream_id s = 0; s < m->stream_count; s++) {
		close_lane(l, &l->lanes[s]);
	}
	take_gaps(l);
}

static void sort_runs(struct device *d)
{
	struct gst_sort_item *items;
	struct run *sorted;

	if (!d->is_unsorted) {
		return;
	}
	items = gst_mem_alloc(d->runs.count * sizeof(*items));
	sorted = gst_mem_alloc(d->runs.count * sizeof(*sorted));
	for (size_t i = 0; i < d->runs.count; i++) {
		items[i] = (struct gst_sort_item){.key = d->runs.data[i].begin_ns,
						  .value = (uint32_t)i};
	}
	gst_sort_items(items, d->runs.count);
	for (size_t i = 0; i < d->runs.count; i++) {
		sorted[i] = d->runs.data[items[i].value];
	}
	for (size_t i = 0; i < d->runs.count; i++) {
		d->runs.data[i] = sorted[i];
	}
	gst_mem_free(sorted, d->runs.count * sizeof(*sorted));
	gst_mem_free(items, d->runs.count * sizeof(*items));
}

/* ---- one pause ------------------------------------------------------------------------------------- */

struct pause {
	uint64_t from_ns, to_ns;
	uint32_t device;
	gst_op_id op;		 /* that ended it */
	gst_call_id call;	 /* that submitted that */
	uint64_t ns, outside_ns; /* as far as the host is to blame; of that, between two calls */
	uint64_t late_ns;	 /* from to_ns until @op began */
	/* the longest stretch of one kind: in `longest`, or before it */
	gst_call_id longest;
	uint64_t longest_ns;
	bool is_outside;
	gst_call_id wait; /* that returned in it, before all of that; GST_NONE */
};

/*
 * When @p->op could have begun had it been submitted in time: what else it comes after was over. False: not known.
 * Event waits and the like take no time: what counts is what let them go.
 */
static bool find_release(struct gst_check_run *r, const struct pause *p, uint64_t *ns)
{
	gst_node_id stack[RELEASE_STEPS];
	uint32_t depth = 0, steps = 0;

	*ns = p->from_ns;
	stack[depth++] = p->op;
	while (depth) {
		gst_node_id node = stack[--depth];
		struct gst_edges in = gst_order_in(r->o, node);

		for (uint32_t i = 0; i < in.count; i++) {
			const struct gst_edge e = gst_edges_at(r->o, &in, i);
			uint64_t at;

			if (r->search_left == 0 || ++steps > RELEASE_STEPS) {
				return false;
			}
			r->search_left--;
			if (e.form == GST_ENTER_BEGIN || !gst_timing_in_force(r->t, e.id)) {
				continue;
			}
			if (!gst_timing_source_ns(r->t, e.id, &at) ||
			    !gst_timing_is_exact(r->t, e.from)) {
				return false;
			}
			if (at <= *ns) {
				continue;
			}
			if (gst_node_is_op(r->o, e.from) && has_span(&r->m->ops[e.from])) {
				*ns = at;
			} else if (depth < RELEASE_STEPS) {
				stack[depth++] = e.from;
			} else {
				return false;
			}
		}
	}
	return true;
}

/* When what let @call return was over: it waited until then; 0 = it did not. */
static uint64_t waited_until(const struct gst_check_run *r, gst_call_id call)
{
	struct gst_edges in = gst_order_stored_in(r->o, gst_node_of_call(r->o, call));
	uint64_t until = 0;

	for (uint32_t i = 0; i < in.count && i < RELEASE_STEPS; i++) {
		const struct gst_edge e = gst_edges_at(r->o, &in, i);
		uint64_t at;

		if (e.form == GST_END_EXIT && gst_timing_in_force(r->t, e.id)) {
			if (!gst_timing_source_ns(r->t, e.id, &at)) {
				at = UINT64_MAX;
			}
			until = at > until ? at : until;
		}
	}
	return until;
}

/* Up to when @call, from its enter on, is a wait or a copy of which other checks tell. */
static uint64_t others_until(const struct gst_check_run *r, gst_call_id call)
{
	const struct gst_call *c = &r->m->calls[call];
	uint64_t until;

	switch ((enum gst_api_class)c->cls) {
	case GST_API_CLASS_STREAM_SYNC:
	case GST_API_CLASS_EVENT_SYNC:
	case GST_API_CLASS_CTX_SYNC:
		return UINT64_MAX;
	case GST_API_CLASS_COPY:
	case GST_API_CLASS_MEMSET:
		return waited_until(r, call) ? UINT64_MAX : 0;
	default: /* many classes: a wait that is none by name ends with what it waits for */
		until = waited_until(r, call);
		return until > c->enter_ns ? until : 0;
	}
}

/* [from, to) of the pause, in @call or (is_outside) before it, is the host's. */
static void blame(struct pause *p, struct gst_spans *spans, uint64_t from_ns, uint64_t to_ns,
		  gst_call_id call, bool is_outside)
{
	from_ns = from_ns > p->from_ns ? from_ns : p->from_ns;
	to_ns = to_ns < p->to_ns ? to_ns : p->to_ns;
	if (from_ns >= to_ns) {
		return;
	}
	gst_spans_add(spans, from_ns, to_ns);
	p->ns += to_ns - from_ns;
	p->outside_ns += is_outside ? to_ns - from_ns : 0;
	if (to_ns - from_ns > p->longest_ns) {
		p->longest_ns = to_ns - from_ns;
		p->longest = call;
		p->is_outside = is_outside;
	}
	p->wait = GST_NONE;
}

/* What the thread did, from the end of the pause back to its begin. */
static void go_back(struct gst_check_run *r, struct pause *p, struct gst_spans *spans)
{
	gst_call_id call = p->call;
	uint64_t until_ns = p->to_ns;

	while (until_ns > p->from_ns && r->search_left) {
		const struct gst_call *c = &r->m->calls[call];
		uint64_t others_ns = others_until(r, call);
		gst_call_id before = gst_order_call_before(r->o, call);

		r->search_left--;
		if (others_ns) {
			uint64_t end_ns = others_ns < until_ns ? others_ns : until_ns;

			blame(p, spans, end_ns, until_ns, call, false);
			if (end_ns > p->from_ns && end_ns > c->enter_ns) {
				p->wait = call;
			}
		} else {
			blame(p, spans, c->enter_ns, until_ns, call, false);
		}
		if (c->enter_ns <= p->from_ns) {
			break;
		}
		if (before == GST_NONE) {
			/* Before its first call a thread may not have been there. */
			break;
		}
		until_ns = c->enter_ns;
		if (r->m->calls[before].flags & GST_CALL_RETURNED) {
			blame(p, spans, r->m->calls[before].exit_ns, until_ns, call, true);
			until_ns = r->m->calls[before].exit_ns < until_ns
					   ? r->m->calls[before].exit_ns
					   : until_ns;
		}
		call = before;
	}
}

static void key_of(const struct gst_check_run *r, const struct pause *p, uint32_t key[6])
{
	uint32_t range = gst_call_range(r->m, p->call);
	gst_call_id before = gst_order_call_before(r->o, p->longest);

	key[0] = p->device;
	key[1] = r->m->calls[p->call].thread;
	key[2] = p->to_ns - p->from_ns < SHORT_NS ? LAUNCHES : p->is_outside ? OUTSIDE : IN_CALL;
	key[3] = key[4] = GST_NONE;
	if (key[2] != LAUNCHES) {
		key[4] = r->m->calls[p->longest].api;
	}
	if (key[2] == OUTSIDE && before != GST_NONE) {
		key[3] = r->m->calls[before].api;
	}
	key[5] = range == GST_NONE || r->m->ranges[range].name == 0 ? GST_NONE
								    : r->m->ranges[range].name;
}

/* As @key, without what tells places of one thread apart. */
static void coarsen(uint32_t key[6])
{
	key[3] = key[4] = key[5] = GST_NONE;
}

static void add(struct look *l, const struct pause *p, const struct gst_spans *spans)
{
	struct gst_check_run *r = l->r;
	const struct gst_model *m = r->m;
	const struct gst_call *c = &m->calls[p->call];
	struct gst_group *g;
	uint32_t key[6];

	key_of(r, p, key);
	g = gst_groups_find(&l->groups, key);
	if (!g) {
		if (l->groups.v.count >= GROUPS_MAX) {
			coarsen(key);
		}
		g = gst_groups_at(&l->groups, key);
	}
	gst_group_add(g, (struct gst_occurrence){.begin_ns = spans->data[spans->count - 1].begin_ns,
						 .end_ns = spans->data[0].end_ns,
						 .waiter = p->op,
						 .culprit = GST_NONE,
						 .call = p->call});
	if (g->occurrences.count == g->occurrence_count) {
		g->occurrences.data[g->occurrences.count - 1].blocked_ns = p->ns;
	}
	for (size_t i = spans->count; i-- > 0;) {
		gst_spans_add(&g->blocked, spans->data[i].begin_ns, spans->data[i].end_ns);
	}
	g->extra[EXTRA_NS] += p->ns;
	g->extra[EXTRA_LATE_NS] += p->late_ns;
	g->extra[EXTRA_OUTSIDE] += p->outside_ns;
	g->extra[EXTRA_LONGEST] = p->ns > g->extra[EXTRA_LONGEST] ? p->ns : g->extra[EXTRA_LONGEST];
	g->extra[EXTRA_CALLS_NS] += c->flags & GST_CALL_RETURNED ? c->exit_ns - c->enter_ns : 0;
	g->extra[EXTRA_WORK_NS] += m->ops[p->op].end_ns - m->ops[p->op].begin_ns;
	if (p->wait != GST_NONE) {
		if (g->extra[EXTRA_WAITS]++ == 0) {
			g->extra[EXTRA_WAIT_API] = m->calls[p->wait].api;
		}
	}
}

/* The device was idle from @from_ns on, until @op began. */
static void look_at(struct look *l, uint32_t device, uint64_t from_ns, gst_op_id op,
		    struct gst_spans *spans)
{
	struct gst_check_run *r = l->r;
	const struct gst_op *x = &r->m->ops[op];
	struct pause p = {.from_ns = from_ns,
			  .to_ns = x->begin_ns,
			  .device = device,
			  .op = op,
			  .call = x->call,
			  .longest = x->call,
			  .wait = GST_NONE};
	const struct gst_call *c;
	uint64_t submitted_ns, free_ns;

	if (x->call == GST_NONE || (r->m->calls[x->call].flags & GST_CALL_NO_ENTER)) {
		l->devices[device].unknown_ns += p.to_ns - p.from_ns;
		return;
	}
	c = &r->m->calls[x->call];
	submitted_ns = c->enter_ns + l->latency_ns[x->kind];
	if ((c->flags & GST_CALL_RETURNED) && c->exit_ns > submitted_ns) {
		submitted_ns =
			c->exit_ns; /* or before: it had begun then, and the pause was over */
	}
	p.to_ns = submitted_ns < p.to_ns ? submitted_ns : p.to_ns;
	if (p.to_ns <= p.from_ns) {
		return;
	}
	if (!find_release(r, &p, &free_ns)) {
		l->devices[device].unknown_ns += p.to_ns - p.from_ns;
		return;
	}
	if (p.to_ns <= free_ns) {
		return;
	}
	p.from_ns = free_ns;
	p.late_ns = x->begin_ns - p.to_ns;
	gst_vec_clear(spans);
	go_back(r, &p, spans);
	if (p.ns >= PAUSE_MIN_NS) {
		add(l, &p, spans);
	}
}

static void look_at_device(struct look *l, uint32_t device, struct gst_spans *spans)
{
	struct device *d = &l->devices[device];
	uint64_t until_ns;

	sort_runs(d);
	if (d->runs.count == 0 || d->first_ns == UINT64_MAX) {
		return;
	}
	until_ns = d->runs.data[0].end_ns;
	for (size_t i = 1; i < d->runs.count; i++) {
		const struct run *x = &d->runs.data[i];

		if (until_ns >= d->first_ns && x->begin_ns > until_ns + PAUSE_MIN_NS &&
		    x->first != GST_NONE && x->begin_ns <= d->last_ns) {
			look_at(l, device, until_ns, x->first, spans);
		}
		if (x->begin_ns > until_ns && until_ns >= d->first_ns &&
		    x->begin_ns <= d->last_ns) {
			d->idle_ns += x->begin_ns - until_ns;
		}
		until_ns = x->end_ns > until_ns ? x->end_ns : until_ns;
	}
}

/* ---- what is worth a line -------------------------------------------------------------------------- */

/* @x, the pauses of one place, into @to, those of its kind. */
static void put_in(struct gst_group *to, const struct gst_group *x)
{
	if (to->occurrence_count == 0) {
		*to = (struct gst_group){.begin_ns = x->begin_ns};
		to->extra[EXTRA_WAIT_API] = x->extra[EXTRA_WAIT_API];
	}
	to->begin_ns = x->begin_ns < to->begin_ns ? x->begin_ns : to->begin_ns;
	to->end_ns = x->end_ns > to->end_ns ? x->end_ns : to->end_ns;
	if (to->extra[EXTRA_WAITS] == 0) {
		to->extra[EXTRA_WAIT_API] = x->extra[EXTRA_WAIT_API];
	}
	to->occurrence_count += x->occurrence_count;
	for (size_t i = 0; i < x->occurrences.count && to->occurrences.count < GST_EVIDENCE_MAX;
	     i++) {
		gst_vec_push(&to->occurrences, x->occurrences.data[i]);
	}
	for (size_t i = 0; i < x->blocked.count; i++) {
		gst_spans_add(&to->blocked, x->blocked.data[i].begin_ns, x->blocked.data[i].end_ns);
	}
	to->extra[EXTRA_NS] += x->extra[EXTRA_NS];
	to->extra[EXTRA_LATE_NS] += x->extra[EXTRA_LATE_NS];
	to->extra[EXTRA_OUTSIDE] += x->extra[EXTRA_OUTSIDE];
	to->extra[EXTRA_CALLS_NS] += x->extra[EXTRA_CALLS_NS];
	to->extra[EXTRA_WORK_NS] += x->extra[EXTRA_WORK_NS];
	to->extra[EXTRA_WAITS] += x->extra[EXTRA_WAITS];
	if (x->extra[EXTRA_LONGEST] > to->extra[EXTRA_LONGEST]) {
		to->extra[EXTRA_LONGEST] = x->extra[EXTRA_LONGEST];
	}
}

static const char *api_name(uint64_t api)
{
	const struct gst_api *x = api < GST_NONE ? gst_api_find((uint32_t)api) : NULL;

	return x ? x->name : "a CUDA call";
}

/* Where the pauses of one place were. */
static const char *place(struct gst_check_run *r, const struct gst_group *g)
{
	const char *thread = gst_check_thread(r, g->occurrences.data[0].call);
	const char *calls = "", *range = "";
	char buf[32];

	if (g->key[2] == OUTSIDE && g->key[4] == GST_NONE) {
		calls = ", between calls of many names";
	} else if (g->key[2] == OUTSIDE && g->key[3] != GST_NONE) {
		calls = gst_check_text(r, ", from %s to %s", api_name(g->key[3]),
				       api_name(g->key[4]));
	} else if (g->key[2] == OUTSIDE) {
		calls = gst_check_text(r, ", before %s", api_name(g->key[4]));
	} else if (g->key[2] == IN_CALL) {
		calls = gst_check_text(r, ", in %s", api_name(g->key[4]));
	}
	if (g->key[5] != GST_NONE) {
		range = gst_check_text(r, " (NVTX range %s)",
				       gst_strtab_get(r->m->strings, g->key[5], NULL));
	}
	return gst_check_text(r, "%s of it on %s%s%s, %s", gst_check_time(buf, g->extra[EXTRA_NS]),
			      thread, calls, range, gst_check_times(r, g->occurrence_count));
}

static bool is_rare(const struct gst_group *g)
{
	return g->extra[EXTRA_PAUSES] < TIMES_MIN;
}

/* The places of @kind with the most, of all that are of @device. */
static const char *places(struct look *l, const uint32_t *ids, uint32_t device, enum kind kind)
{
	const char *text = NULL;
	uint32_t shown = 0, left = 0;

	for (size_t i = 0; i < l->groups.v.count; i++) {
		const struct gst_group *g = &l->groups.v.data[ids[i]];

		if (g->key[0] != device || g->key[2] != (uint32_t)kind || is_rare(g)) {
			continue;
		}
		if (shown++ >= PLACES_MAX) {
			left++;
			continue;
		}
		text = text ? gst_check_text(l->r, "%s\n%s", text, place(l->r, g)) : place(l->r, g);
	}
	if (left) {
		text = gst_check_text(l->r, "%s\nthe rest at %u more place%s", text, left,
				      left == 1 ? "" : "s");
	}
	return text ? text : "";
}

static const char *device_words(struct gst_check_run *r, uint32_t device)
{
	const struct gst_device *d = &r->m->devices[device];

	return r->m->process_count == 1
		       ? gst_check_text(r, "device %u", d->cupti_id)
		       : gst_check_text(r, "device %u of process %" PRIu64, d->cupti_id,
					(uint64_t)r->m->processes[d->process].rec.pid);
}

/* How long it is on average. */
static const char *mean(char buf[32], uint64_t ns, const struct gst_group *g)
{
	return gst_check_time(buf, ns / g->occurrence_count);
}

static const char *say(struct look *l, const struct gst_group *g, enum kind kind, uint32_t device,
		       struct gst_finding *f)
{
	struct gst_check_run *r = l->r;
	const char *words = device_words(r, device);
	const char *times = gst_check_times(r, g->occurrence_count);
	char a[32], b[32], c[32], d[32];

	switch (kind) {
	case LAUNCHES:
		f->title = gst_check_text(
			r,
			"%s was idle %s between launches: it had done its work before the host submitted more",
			words, times);
		f->advice =
			"Give the device more work a call: put launches that repeat into a CUDA graph, fuse small "
			"kernels, or use larger batches; and wait for results less often.";
		return gst_check_text(
			r,
			"a pause took %s on average, %s of it outside of CUDA; the call that ended it took %s, and "
			"what it submitted ran for %s",
			mean(a, g->extra[EXTRA_NS], g), mean(b, g->extra[EXTRA_OUTSIDE], g),
			mean(c, g->extra[EXTRA_CALLS_NS], g), mean(d, g->extra[EXTRA_WORK_NS], g));
	case OUTSIDE:
		f->title = gst_check_text(
			r,
			"%s was idle %s while the thread that had its next work was outside of CUDA",
			words, times);
		f->advice =
			"Have the next work ready before the device runs out of it: prepare it while the device is "
			"busy (before a wait, in other threads, by prefetching), or do that work on the device.";
		break;
	case IN_CALL:
	case KIND_COUNT:
		f->title = gst_check_text(
			r,
			"%s was idle %s while the thread that had its next work was in another CUDA call",
			words, times);
		f->advice =
			"Make such calls before the part that matters and keep what they make (memory, modules, streams, "
			"graphs), make them in another thread, or first submit work that the device can do meanwhile.";
		break;
	}
	return gst_check_text(r, "a pause took %s on average, %s at most",
			      mean(a, g->extra[EXTRA_NS], g),
			      gst_check_time(b, g->extra[EXTRA_LONGEST]));
}

/* What pauses between launches would be if graphs submitted the work, as launches of graphs in this trace cost. */
static void estimate(struct look *l, const struct gst_group *g, struct gst_finding *f)
{
	struct gst_check_run *r = l->r;
	char a[32], b[32];
	uint64_t node_ns;

	if (l->graph_launches < GRAPHS_MIN || l->graph_nodes < l->graph_launches) {
		f->detail = gst_check_text(
			r,
			"%s\nwhat graphs would gain is not known: this trace does not have enough launches of them",
			f->detail);
		return;
	}
	node_ns = l->graph_ns / l->graph_nodes;
	f->detail = gst_check_text(
		r,
		"%s\na launch of a graph took %s for %" PRIu64
		" nodes on average in this trace, %s a node: the estimate is for all of these launches in such graphs",
		f->detail, gst_check_time(a, l->graph_ns / l->graph_launches),
		l->graph_nodes / l->graph_launches, gst_check_time(b, node_ns));
	f->cost_is_bound = false;
	if (node_ns < f->cost_high_ns / g->occurrence_count) {
		f->cost_ns = f->cost_high_ns - node_ns * g->occurrence_count;
	}
}

static const char *say_device(struct look *l, const struct device *d, const char *detail)
{
	struct gst_check_run *r = l->r;
	char a[32], b[32], c[32];

	if (d->rare_count) {
		detail = gst_check_text(
			r, "%s\nnot counted: %u pause%s at places with fewer than %u, %s in all",
			detail, d->rare_count, d->rare_count == 1 ? "" : "s", TIMES_MIN,
			gst_check_time(a, d->rare_ns));
	}
	if (d->unknown_ns >= shown_ns(r)) {
		detail = gst_check_text(
			r,
			"%s\nnot counted: %s before work of which it is not known whether it waited for anything else",
			detail, gst_check_time(a, d->unknown_ns));
	}
	return gst_check_text(
		r,
		"%s\nfrom its first kernel (at %s) to the end of its last one the device was idle for %s of %s; "
		"before and after is start-up and shut-down, and not counted\nidle for this process: what others "
		"ran on the device is not seen",
		detail, gst_check_time(a, d->first_ns), gst_check_time(b, d->idle_ns),
		gst_check_time(c, d->last_ns - d->first_ns));
}

/* By time, and the submission that ended the first pause as what proves it. */
static void sort_pauses(struct gst_check_run *r, struct gst_group *g)
{
	size_t count = g->occurrences.count;
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	struct gst_occurrence *sorted = gst_mem_alloc(count * sizeof(*sorted));
	struct gst_edges in;

	for (size_t i = 0; i < count; i++) {
		items[i] = (struct gst_sort_item){.key = g->occurrences.data[i].begin_ns,
						  .value = (uint32_t)i};
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = g->occurrences.data[items[i].value];
	}
	memcpy(g->occurrences.data, sorted, count * sizeof(*sorted));
	gst_mem_free(sorted, count * sizeof(*sorted));
	gst_mem_free(items, count * sizeof(*items));
	in = gst_order_in(r->o, g->occurrences.data[0].waiter);
	for (uint32_t i = 0; i < in.count && g->path_count == 0; i++) {
		const struct gst_edge e = gst_edges_at(r->o, &in, i);

		if (e.form == GST_ENTER_BEGIN) {
			g->path[g->path_count++] = e.id;
		}
	}
}

static bool is_shown(const struct look *l, const struct gst_group *g)
{
	/* A single long pause is no loop. */
	return g->extra[EXTRA_NS] - g->extra[EXTRA_LONGEST] >= shown_ns(l->r);
}

static void report(struct look *l, const uint32_t *ids, uint32_t device, enum kind kind,
		   bool is_first, enum gst_severity severity)
{
	struct gst_check_run *r = l->r;
	struct device *d = &l->devices[device];
	struct gst_group *g = &d->kinds[kind];
	struct gst_finding f = {.id = "gpu-starved",
				.severity = severity,
				.cost_is_known = true,
				.cost_is_bound = true,
				/* Submitted in time, it would begin where the pause does. */
				.cost_high_ns = g->extra[EXTRA_NS] + g->extra[EXTRA_LATE_NS]};

	g->are_ranges_told = true;
	sort_pauses(r, g);
	f.detail = say(l, g, kind, device, &f);
	f.detail = gst_check_text(r, "%s\n%s", f.detail, places(l, ids, device, kind));
	if (g->extra[EXTRA_WAITS]) {
		f.detail = gst_check_text(
			r,
			"%s\n%s the host came out of a wait (%s) when the device had run dry: that wait itself is not counted",
			f.detail, gst_check_times(r, g->extra[EXTRA_WAITS]),
			api_name(g->extra[EXTRA_WAIT_API]));
	}
	if (kind == LAUNCHES) {
		estimate(l, g, &f);
	}
	if (is_first) {
		f.detail = say_device(l, d, f.detail);
	}
	gst_check_add(r, g, &f);
}

static void report_device(struct look *l, const uint32_t *ids, uint32_t device)
{
	struct device *d = &l->devices[device];
	bool is_first = true;
	uint64_t all_ns = 0;

	for (uint32_t k = 0; k < KIND_COUNT; k++) {
		all_ns += is_shown(l, &d->kinds[k]) ? d->kinds[k].extra[EXTRA_NS] : 0;
	}
	for (uint32_t k = 0; k < KIND_COUNT; k++) {
		if (is_shown(l, &d->kinds[k])) {
			/* What may be gained is not proved: never more than low. */
			report(l, ids, device, (enum kind)k, is_first,
			       all_ns >= l->r->traced_ns / 10 ? GST_SEVERITY_LOW
							      : GST_SEVERITY_INFO);
			is_first = false;
		}
		gst_vec_free(&d->kinds[k].occurrences);
		gst_vec_free(&d->kinds[k].blocked);
	}
}

/* How many pauses each place has in all NVTX ranges together. */
static void count_pauses(struct look *l)
{
	struct gst_groups any = {0};

	for (int step = 0; step < 2; step++) {
		for (size_t i = 0; i < l->groups.v.count; i++) {
			struct gst_group *g = &l->groups.v.data[i], *same;
			uint32_t key[6];

			memcpy(key, g->key, sizeof(key));
			key[5] = GST_NONE;
			same = gst_groups_at(&any, key);
			if (step) {
				g->extra[EXTRA_PAUSES] = same->occurrence_count;
			} else {
				same->occurrence_count += g->occurrence_count;
			}
		}
	}
	gst_groups_release(&any);
}

static void report_all(struct look *l)
{
	size_t count = l->groups.v.count;
	struct gst_sort_item *items = gst_mem_alloc((count + 1) * sizeof(*items));
	uint32_t *ids = GST_ARENA_ARRAY(l->r->arena, uint32_t, count);

	count_pauses(l);
	for (size_t i = 0; i < count; i++) {
		items[i] = (struct gst_sort_item){.key = UINT64_MAX -
							 l->groups.v.data[i].extra[EXTRA_NS],
						  .value = (uint32_t)i};
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		const struct gst_group *g = &l->groups.v.data[items[i].value];
		struct device *d = &l->devices[g->key[0]];

		ids[i] = items[i].value;
		if (is_rare(g)) {
			d->rare_ns += g->extra[EXTRA_NS];
			d->rare_count += g->occurrence_count;
		} else {
			put_in(&d->kinds[g->key[2]], g);
		}
	}
	gst_mem_free(items, (count + 1) * sizeof(*items));
	for (uint32_t i = 0; i < l->r->m->device_count; i++) {
		report_device(l, ids, i);
	}
}

void gst_check_gpu_starved(struct gst_check_run *r)
{
	const struct gst_model *m = r->m;
	struct look l = {.r = r};
	struct gst_spans spans = {0};
	size_t device_bytes = (m->device_count + (size_t)1) * sizeof(*l.devices);
	size_t lane_bytes = (m->stream_count + (size_t)1) * sizeof(*l.lanes);

	l.devices = gst_mem_alloc(device_bytes);
	l.lanes = gst_mem_alloc(lane_bytes);
	find_runs(&l);
	for (uint32_t i = 0; i < m->device_count; i++) {
		look_at_device(&l, i, &spans);
		gst_vec_free(&l.devices[i].runs);
	}
	gst_vec_free(&spans);
	report_all(&l);
	gst_groups_release(&l.groups);
	gst_mem_free(l.lanes, lane_bytes);
	gst_mem_free(l.devices, device_bytes);
}
