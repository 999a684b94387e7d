/*
 * check.c - the list of checks, and the run over all of them.
 *
 * Role      : gst_check_run; the one place where a check is registered.
 * Method    : each check is a run of its own, so that they may be made at the same time (parallel.h): what
 *             it needs and what it finds is its own, and the stages before are const. What all of them want
 *             to know by a replay is asked at once, then each reports. Findings are put together in the
 *             order of the list and sorted by cost, severity, id and time.
 * Invariant : the order of the list changes nothing but gst_check_ids(); the number of threads, nothing.
 * Not here  : what is wrong and what it costs.
 */
#include "analyzer/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/parallel.h"

#define OF(class) (UINT64_C(1) << GST_API_CLASS_##class)
#define OF_ANY	  UINT64_MAX
_Static_assert(GST_API_CLASS_COUNT <= 64, "a bit for each class");

/*
 * X(id, function, which calls it wants to see, of which classes these are, weight, does it find nothing without device
 * records?), in the order of gst_check_ids().
 */
#define GST_CHECKS(X)                                                                           \
	X("default-stream-serialization", gst_check_default_stream, NULL, 0, 4, true)           \
	X("pageable-copy", gst_check_pageable_copy, gst_check_pageable_copy_wants, OF(COPY), 2, \
	  true)                                                                                 \
	X("synchronous-copy", gst_check_sync_copy, gst_check_sync_copy_wants,                   \
	  OF(COPY) | OF(MEMSET), 3, true)                                                       \
	X("host-sync-stall", gst_check_host_sync, gst_check_host_sync_wants,                    \
	  OF(STREAM_SYNC) | OF(EVENT_SYNC) | OF(CTX_SYNC), 5, true)                             \
	X("implicit-sync", gst_check_implicit_sync, NULL, 0, 1, true)                           \
	X("graph-reinstantiated", gst_check_graph_reinstantiated,                               \
	  gst_check_graph_reinstantiated_wants, OF(GRAPH_INSTANTIATE) | OF(GRAPH_UPDATE), 1,    \
	  false)                                                                                \
	X("gpu-starved", gst_check_gpu_starved, NULL, 0, 4, true)                               \
	X("api-error", gst_check_api_error, gst_check_api_error_wants, OF_ANY, 0, false)        \
	X("launch-blocking", gst_check_launch_blocking, NULL, 0, 0, false)                      \
	X("default-stream-mixed", gst_check_default_stream_mixed, NULL, 0, 0, false)            \
	X("deprecated-stream-callback", gst_check_stream_callback,                              \
	  gst_check_stream_callback_wants, OF(STREAM_CALLBACK), 0, false)                       \
	X("event-timing-flag", gst_check_event_timing_flag, gst_check_event_timing_wants,       \
	  OF(EVENT_WAIT) | OF(EVENT_SYNC) | OF(EVENT_QUERY) | OF(EVENT_ELAPSED), 0, false)      \
	X("queue-full", gst_check_queue_full, NULL, 0, 0, true)                                 \
	X("lost-records", gst_check_lost_records, NULL, 0, 0, false)

#define WEIGHT_MAX 5u

static const struct gst_check checks[] = {
#define GST_X(id, run, wants, classes, weight, times) {id, run, wants, classes, weight, times},
	GST_CHECKS(GST_X)
#undef GST_X
};

/* Edges that all searches of one check may look at, a second's worth or two. */
#define SEARCHES_WORTH UINT64_C(50000000)

/* The list of calls is looked at in so many parts, which threads share. */
#define STRETCHES 16u

#define CHECK_COUNT (sizeof(checks) / sizeof(checks[0]))

static bool is_named(const char *id, const char *const *names, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(names[i], id) == 0) {
			return true;
		}
	}
	return false;
}

static gst_status know_all(const char *const *names, uint32_t count, struct gst_err *err)
{
	for (uint32_t i = 0; i < count; i++) {
		char known[GST_ERR_TEXT_BYTES] = "";
		size_t length = 0;
		bool is_known = false;

		for (size_t j = 0; j < CHECK_COUNT; j++) {
			size_t n = strlen(checks[j].id);
			is_known |= strcmp(names[i], checks[j].id) == 0;
			if (length + n + 3 < sizeof(known)) {
				if (length) {
					known[length++] = ',';
					known[length++] = ' ';
				}
				memcpy(known + length, checks[j].id, n + 1);
				length += n;
			}
		}
		if (!is_known) {
			return gst_err_set(err, GST_E_FORMAT,
					   "no finding is called \"%.60s\"; known are %s", names[i],
					   known);
		}
	}
	return GST_OK;
}

/* Of findings that say the same of the same time, in two processes perhaps: the numbers of their first occurrences. */
static int by_evidence(const struct gst_finding *x, const struct gst_finding *y)
{
	const struct gst_occurrence *a = x->occurrences, *b = y->occurrences;

	if (!x->evidence_count || !y->evidence_count) {
		return (x->evidence_count > 0) - (y->evidence_count > 0);
	}
	if (a->call != b->call) {
		return a->call < b->call ? -1 : 1;
	}
	if (a->waiter != b->waiter) {
		return a->waiter < b->waiter ? -1 : 1;
	}
	return (a->culprit > b->culprit) - (a->culprit < b->culprit);
}

static int by_cost(const void *a, const void *b)
{
	const struct gst_finding *x = a, *y = b;

	if (x->rank_ns != y->rank_ns) {
		return x->rank_ns > y->rank_ns ? -1 : 1;
	}
	if (x->severity != y->severity) {
		return x->severity > y->severity ? -1 : 1;
	}
	if (x->cost_is_bound && y->cost_is_bound && x->cost_high_ns != y->cost_high_ns) {
		return x->cost_high_ns > y->cost_high_ns ? -1 : 1;
	}
	if (strcmp(x->id, y->id) != 0) {
		return strcmp(x->id, y->id);
	}
	if (x->begin_ns != y->begin_ns) {
		return x->begin_ns < y->begin_ns ? -1 : 1;
	}
	if (strcmp(x->title, y->title) != 0) {
		return strcmp(x->title, y->title);
	}
	if (x->end_ns != y->end_ns) {
		return x->end_ns < y->end_ns ? -1 : 1;
	}
	return by_evidence(x, y);
}

struct runs {
	struct gst_check_run run[CHECK_COUNT];
	uint32_t check[CHECK_COUNT]; /* of each run */
	uint32_t order[CHECK_COUNT]; /* in which they are begun */
	uint32_t count;
};

/* A stretch of calls, and those of them that each run wants to see. */
struct stretch {
	struct {
		gst_call_id *data;
		size_t count, cap;
	} wanted[CHECK_COUNT];
};

struct wanted {
	const struct runs *runs;
	const struct gst_model *m;
	uint32_t by_class[GST_API_CLASS_COUNT]; /* a bit a run that may want such calls */
	struct stretch stretches[STRETCHES];
};

static void find_in_stretch(uint32_t index, void *payload)
{
	struct wanted *w = payload;
	struct stretch *out = &w->stretches[index];
	gst_call_id end = (gst_call_id)((uint64_t)w->m->call_count * (index + 1) / STRETCHES);

	for (gst_call_id i = (gst_call_id)((uint64_t)w->m->call_count * index / STRETCHES); i < end;
	     i++) {
		const struct gst_call *c = &w->m->calls[i];

		for (uint32_t left = w->by_class[c->cls]; left; left &= left - 1) {
			uint32_t j = (uint32_t)__builtin_ctz(left);
			if (checks[w->runs->check[j]].wants(c)) {
				gst_vec_push(&out->wanted[j], i);
			}
		}
	}
}

/* One look at all calls, for all checks. */
static void find_wanted(struct runs *runs, const struct gst_model *m)
{
	struct wanted *w = gst_mem_alloc(sizeof(*w));

	_Static_assert(CHECK_COUNT <= 32, "a bit for each run");
	w->runs = runs;
	w->m = m;
	for (uint32_t j = 0; j < runs->count; j++) {
		for (uint32_t k = 0; k < GST_API_CLASS_COUNT; k++) {
			w->by_class[k] |= (uint32_t)(checks[runs->check[j]].classes >> k & 1) << j;
		}
	}
	gst_parallel_run(STRETCHES, find_in_stretch, w);
	for (uint32_t i = 0; i < STRETCHES; i++) {
		for (uint32_t j = 0; j < runs->count; j++) {
			for (size_t n = 0; n < w->stretches[i].wanted[j].count; n++) {
				gst_vec_push(&runs->run[j].calls,
					     w->stretches[i].wanted[j].data[n]);
			}
			gst_vec_free(&w->stretches[i].wanted[j]);
		}
	}
	gst_mem_free(w, sizeof(*w));
}

static void find_order(struct runs *runs)
{
	uint32_t count = 0;

	for (uint32_t weight = WEIGHT_MAX + 1; weight-- > 0;) {
		for (uint32_t j = 0; j < runs->count; j++) {
			if (checks[runs->check[j]].weight == weight) {
				runs->order[count++] = j;
			}
		}
	}
}

static void run_one(uint32_t index, void *payload)
{
	struct runs *runs = payload;
	struct gst_check_run *r;

	index = runs->order[index];
	r = &runs->run[index];
	r->arena = gst_arena_new(0);
	r->search = gst_mem_alloc(sizeof(*r->search));
	r->search_left = SEARCHES_WORTH;
	r->thread_at = gst_mem_alloc((r->m->thread_count + (size_t)1) * sizeof(*r->thread_at));
	checks[runs->check[index]].run(r);
	gst_mem_free(r->thread_at, (r->m->thread_count + (size_t)1) * sizeof(*r->thread_at));
	gst_vec_free(&r->calls);
	gst_mem_free(r->search, sizeof(*r->search));
}

static void finish_one(uint32_t index, void *payload)
{
	struct runs *runs = payload;

	gst_groups_finish(&runs->run[runs->order[index]]);
}

static void replay(struct runs *runs)
{
	struct gst_check_run *all[CHECK_COUNT];

	for (uint32_t i = 0; i < runs->count; i++) {
		all[i] = &runs->run[i];
	}
	gst_groups_replay(all, runs->count);
}

/* All findings into @all, whatever finished first. */
static void put_together(struct runs *runs, struct gst_arena *arena, struct gst_check_run *all)
{
	for (uint32_t i = 0; i < runs->count; i++) {
		struct gst_check_run *r = &runs->run[i];

		for (size_t j = 0; j < r->found.count; j++) {
			struct gst_finding *f = &r->found.data[j];

			/* With an upper bound alone it stands behind all of its severity. */
			f->rank_ns =
				f->cost_is_bound ? gst_check_least_of(r, f->severity) : f->cost_ns;
			gst_vec_push(&all->found, *f);
		}
		for (size_t j = 0; j < r->hidden.count; j++) {
			gst_vec_push(&all->hidden, r->hidden.data[j]);
		}
		all->hidden_count += r->hidden_count;
		all->skipped_count += r->skipped_count;
		all->search_left += r->search_left;
		gst_vec_free(&r->found);
		gst_vec_free(&r->hidden);
		gst_arena_adopt(arena, r->arena);
	}
}

gst_status gst_check_run(const struct gst_model *m, const struct gst_order *o,
			 const struct gst_timing *t, const struct gst_check_options *opt,
			 struct gst_arena *arena, const struct gst_findings **out,
			 struct gst_err *err)
{
	static const struct gst_check_options all;
	struct gst_check_run r = {.m = m, .o = o, .t = t};
	struct runs *runs;
	struct gst_findings *f;
	uint32_t run_count;
	gst_status st;

	if (!opt) {
		opt = &all;
	}
	st = know_all(opt->only, opt->only_count, err);
	if (!st) {
		st = know_all(opt->skip, opt->skip_count, err);
	}
	if (st) {
		return st;
	}
	r.is_all = opt->all;
	r.traced_ns = m->end_ns > m->begin_ns ? m->end_ns - m->begin_ns : 0;
	runs = gst_mem_alloc(sizeof(*runs));
	for (uint32_t i = 0; i < CHECK_COUNT; i++) {
		if ((opt->only_count == 0 || is_named(checks[i].id, opt->only, opt->only_count)) &&
		    !is_named(checks[i].id, opt->skip, opt->skip_count)) {
			runs->check[runs->count] = i;
			runs->run[runs->count++] = r;
		}
	}
	find_wanted(runs, m);
	find_order(runs);
	gst_parallel_run(runs->count, run_one, runs);
	replay(runs);
	gst_parallel_run(runs->count, finish_one, runs);
	run_count = runs->count;
	put_together(runs, arena, &r);
	gst_mem_free(runs, sizeof(*runs));
	f = GST_ARENA_ARRAY(arena, struct gst_findings, 1);
	if (r.found.count) {
		qsort(r.found.data, r.found.count, sizeof(*r.found.data), by_cost);
		f->items =
			gst_arena_copy(arena, r.found.data, r.found.count * sizeof(*r.found.data));
	}
	f->count = (uint32_t)r.found.count;
	f->steps = SEARCHES_WORTH * run_count - r.search_left;
	f->hidden_count = r.hidden_count;
	f->skipped_count = r.skipped_count;
	f->hidden_blocked_ns = gst_spans_union(&r.hidden);
	gst_vec_free(&r.hidden);
	gst_vec_free(&r.found);
	*out = f;
	return GST_OK;
}

const char *gst_severity_name(enum gst_severity s)
{
	switch (s) {
	case GST_SEVERITY_INFO:
		return "info";
	case GST_SEVERITY_LOW:
		return "low";
	case GST_SEVERITY_MEDIUM:
		return "medium";
	case GST_SEVERITY_HIGH:
		return "high";
	}
	return "unknown";
}

const char *const *gst_check_ids(uint32_t *count)
{
	static const char *const ids[] = {
#define GST_X(id, run, wants, classes, weight, times) id,
		GST_CHECKS(GST_X)
#undef GST_X
	};

	*count = (uint32_t)CHECK_COUNT;
	return ids;
}

bool gst_check_needs_times(uint32_t index)
{
	return checks[index].needs_times;
}
