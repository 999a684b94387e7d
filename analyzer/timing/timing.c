/*
 * timing.c - what all of timing/ stands on: moments in topological order, copy engines, kernel sizes.
 *
 * Role      : gst_timing_build; the small questions (source, share) that others ask of it.
 * Method    : moments as they were submitted, and each after what it waits for: a search from where that is
 *             not so. A copy engine is an edge from each copy to the next one of the same device and
 *             direction that began after it had ended, as observed.
 * Invariant : topological holds every moment once; where edges and engines form a cycle (broken
 *             timestamps), the engines are left out, and what then still hangs comes last.
 * Not here  : which edges hold (evidence.c), what if they did not (replay.c).
 */
#include "analyzer/timing/timing_internal.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/parallel.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/vec.h"

/* Kernels that wait for kernels of other devices: a replay never lets them end earlier. */
static const char *const spinning[] = {"nccl", "nvshmem", "NCCL", "rccl"};

uint32_t gst_timing_device(const struct gst_timing *t, gst_op_id op)
{
	gst_stream_id s = t->m->ops[op].stream;
	uint32_t ctx;

	if (s == GST_NONE) {
		return GST_NONE;
	}
	ctx = t->m->streams[s].ctx;
	return ctx == GST_NONE ? GST_NONE : t->m->contexts[ctx].device;
}

/* ---- copy engines --------------------------------------------------------------------------------- */

struct engine_copy {
	uint32_t engine;
	gst_op_id op;
};

/* Device and direction of a copy; GST_NONE where no engine of its own moves it. */
static uint32_t engine_of(const struct gst_timing *t, gst_op_id op)
{
	const struct gst_op *x = &t->m->ops[op];
	uint32_t device;

	if (x->kind != GST_OP_MEMCPY || x->detail == GST_NONE || !(x->flags & GST_OP_TIMED)) {
		return GST_NONE;
	}
	device = gst_timing_device(t, op);
	if (device == GST_NONE) {
		return GST_NONE;
	}
	switch (t->m->copies[x->detail].copy_kind) {
	case GST_COPY_HTOD:
	case GST_COPY_HTOA:
		return device * 2;
	case GST_COPY_DTOH:
	case GST_COPY_ATOH:
		return device * 2 + 1;
	default: /* copies on the device run on multiprocessors; the others' engine is not known */
		return GST_NONE;
	}
}

static void forget_engines(struct gst_timing *t)
{
	memset(t->engine_next, 0xff, t->m->copy_count * sizeof(*t->engine_next));
	memset(t->engine_prev, 0xff, t->m->copy_count * sizeof(*t->engine_prev));
}

static void find_engines(struct gst_timing *t)
{
	GST_VEC(struct gst_sort_item) items = {0};
	GST_VEC(uint32_t) last = {0};
	const struct gst_model *m = t->m;

	forget_engines(t);
	for (gst_op_id i = 0; i < m->op_count && m->copy_count; i++) {
		uint32_t engine = engine_of(t, i);
		if (engine != GST_NONE) {
			gst_vec_push(&items, ((struct gst_sort_item){.key = m->ops[i].begin_ns,
								     .value = i,
								     .extra = engine}));
		}
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < (size_t)m->device_count * 2; i++) {
		gst_vec_push(&last, GST_NONE);
	}
	for (size_t i = 0; i < items.count; i++) {
		uint32_t *before = &last.data[items.data[i].extra];
		const struct gst_op *b = &m->ops[items.data[i].value];

		if (*before != GST_NONE) {
			const struct gst_op *a = &m->ops[*before];
			/* Copies that overlapped had an engine each. */
			if (a->end_ns <= b->begin_ns) {
				t->engine_next[a->detail] = items.data[i].value;
				t->engine_prev[b->detail] = *before;
			} else if (a->end_ns > b->end_ns) {
				continue;
			}
		}
		*before = items.data[i].value;
	}
	gst_vec_free(&items);
	gst_vec_free(&last);
}

/* ---- topological order of moments ------------------------------------------------------------------ */

#define PLACE_NONE  GST_NONE
#define PLACE_BEGUN (GST_NONE - 1)

struct step {
	gst_moment_id moment;
	uint32_t next; /* of what it waits for, by number */
};

struct placing {
	struct gst_timing *t;
	uint32_t placed;
	GST_VEC(struct step) stack;
};

static gst_op_id engine_before(const struct gst_timing *t, gst_moment_id p)
{
	const struct gst_op *x = &t->m->ops[p];

	return p < t->m->op_count && x->kind == GST_OP_MEMCPY && x->detail != GST_NONE
		       ? t->engine_prev[x->detail]
		       : GST_NONE;
}

/* The next thing that @s waits for and that has no place yet; GST_NONE = all have theirs. */
static gst_moment_id next_unplaced(struct gst_timing *t, struct step *s)
{
	gst_moment_id p = s->moment;
	bool is_exit = gst_moment_is_exit(t, p);
	gst_node_id node = is_exit ? t->m->op_count + (p - t->node_count) : p;
	struct gst_edges in = gst_order_in(t->o, node);

	while (s->next < in.count) {
		const struct gst_edge e = gst_edges_at(t->o, &in, s->next++);

		t->steps++;
		if (gst_moment_to(t, &e) == p && t->place[gst_moment_from(t, &e)] >= PLACE_BEGUN) {
			return gst_moment_from(t, &e);
		}
	}
	if (s->next++ == in.count) {
		gst_moment_id other = is_exit ? node : engine_before(t, p);
		if (other != GST_NONE && t->place[other] >= PLACE_BEGUN) {
			return other;
		}
	}
	return GST_NONE;
}

static void put_moment(struct placing *s, gst_moment_id p)
{
	s->t->place[p] = s->placed;
	s->t->topological[s->placed++] = p;
}

/* Place @first after all that it waits for; false: they wait for each other. */
static bool place_deep(struct placing *s, gst_moment_id first)
{
	struct gst_timing *t = s->t;

	t->place[first] = PLACE_BEGUN;
	gst_vec_push(&s->stack, ((struct step){.moment = first}));
	while (s->stack.count) {
		struct step *top = &s->stack.data[s->stack.count - 1];
		gst_moment_id before = next_unplaced(t, top);

		if (before == GST_NONE) {
			put_moment(s, top->moment);
			s->stack.count--;
		} else if (t->place[before] == PLACE_BEGUN) {
			return false;
		} else {
			t->place[before] = PLACE_BEGUN;
			gst_vec_push(&s->stack, ((struct step){.moment = before}));
		}
	}
	return true;
}

static bool place(struct placing *s, gst_moment_id p, bool is_forward)
{
	struct gst_timing *t = s->t;

	if (t->place[p] != PLACE_NONE) {
		return true;
	}
	if (is_forward) {
		gst_op_id before = engine_before(t, p);
		if (before == GST_NONE || t->place[before] != PLACE_NONE) {
			put_moment(s, p);
			return true;
		}
	}
	return place_deep(s, p);
}

/* As they were submitted: enter, barrier points, ops, exit, call by call; and each after what it waits for. */
static bool place_all(struct placing *s)
{
	struct gst_timing *t = s->t;
	const struct gst_model *m = t->m;
	gst_node_id barrier = m->op_count + m->call_count;
	bool is_good = true;
	gst_op_id op = 0;
	uint32_t hint = 0;

	s->placed = 0;
	s->stack.count = 0;
	memset(t->place, 0xff, t->moment_count * sizeof(*t->place));
	for (gst_call_id c = 0; c < m->call_count && is_good; c++) {
		gst_node_id call = m->op_count + c;
		bool is_forward = !gst_order_is_turned(t->o, c, &hint);

		is_good = place(s, call, is_forward);
		while (barrier < t->node_count && gst_barrier_owner(t->o, barrier) == call) {
			is_good = is_good && place(s, barrier++, is_forward);
		}
		for (uint32_t i = 0; i < m->calls[c].op_count; i++) {
			is_good = is_good && place(s, op++, is_forward);
		}
		is_good = is_good && place(s, gst_moment_of_exit(t, c), is_forward);
	}
	while (op < m->op_count && is_good) {
		is_good = place(s, op++, false);
	}
	return is_good;
}

/* Kahn's algorithm, without the engines: what hangs on a cycle is left and comes last, by id. */
static void place_around_cycle(struct gst_timing *t)
{
	const struct gst_model *m = t->m;
	uint32_t *waits = gst_mem_alloc(t->moment_count * sizeof(*waits));
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_order_outs outs = gst_order_group_out(t->o, scratch);
	uint32_t placed = 0, head = 0;

	for (gst_edge_id e = gst_order_next_edge(t->o, 0); e < t->edge_count;
	     e = gst_order_next_edge(t->o, e + 1)) {
		const struct gst_edge edge = gst_order_edge(t->o, e);

		waits[gst_moment_to(t, &edge)]++;
	}
	for (gst_call_id c = 0; c < m->call_count; c++) {
		waits[gst_moment_of_exit(t, c)]++;
	}
	for (gst_moment_id p = 0; p < t->moment_count; p++) {
		if (waits[p] == 0) {
			t->topological[placed++] = p;
		}
	}
	while (head < placed) {
		gst_moment_id p = t->topological[head++];
		bool is_exit = gst_moment_is_exit(t, p);
		gst_node_id node = is_exit ? m->op_count + (p - t->node_count) : p;
		uint32_t count;
		const gst_edge_id *out = gst_order_out(&outs, node, &count);

		for (uint32_t i = 0; i < count; i++) {
			const struct gst_edge e = gst_order_edge(t->o, out[i]);
			if (gst_moment_from(t, &e) == p && --waits[gst_moment_to(t, &e)] == 0) {
				t->topological[placed++] = gst_moment_to(t, &e);
			}
		}
		if (!is_exit && gst_node_is_call(t->o, node)) {
			gst_moment_id exit = gst_moment_of_exit(t, node - m->op_count);
			if (--waits[exit] == 0) {
				t->topological[placed++] = exit;
			}
		}
	}
	for (gst_moment_id p = 0; p < t->moment_count && placed < t->moment_count; p++) {
		if (waits[p] != 0) {
			t->topological[placed++] = p;
		}
	}
	for (uint32_t i = 0; i < placed; i++) {
		t->place[t->topological[i]] = i;
	}
	GST_ASSERT(placed == t->moment_count);
	gst_arena_free(scratch);
	gst_mem_free(waits, t->moment_count * sizeof(*waits));
}

uint32_t gst_timing_process(const struct gst_timing *t, gst_moment_id p)
{
	const struct gst_model *m = t->m;
	gst_call_id call = GST_NONE;

	if (p < t->node_count && gst_node_is_barrier(t->o, p)) {
		p = gst_barrier_owner(t->o, p);
	}
	if (p == GST_NONE) {
		return GST_NONE;
	}
	if (gst_moment_is_exit(t, p)) {
		call = p - t->node_count;
	} else if (gst_node_is_call(t->o, p)) {
		call = p - m->op_count;
	} else if (p < m->op_count) {
		if (m->ops[p].stream != GST_NONE) {
			return m->streams[m->ops[p].stream].process;
		}
		call = m->ops[p].call;
	}
	return call == GST_NONE ? GST_NONE : m->threads[m->calls[call].thread].process;
}

/* Process by process, each in the order found: what is asked about one does not look at the others. */
static void part_by_process(struct gst_timing *t)
{
	uint32_t processes = t->m->process_count;
	uint32_t *whose, *next;
	gst_moment_id *old;

	if (processes < 2) {
		t->process_first[1] = t->moment_count;
		return;
	}
	whose = gst_mem_alloc(t->moment_count * sizeof(*whose));
	old = gst_mem_alloc(t->moment_count * sizeof(*old));
	next = gst_mem_alloc(((size_t)processes + 2) * sizeof(*next));
	for (uint32_t i = 0; i < t->moment_count; i++) {
		old[i] = t->topological[i];
		whose[i] = gst_timing_process(t, old[i]) + 1; /* 0: nobody's */
		next[whose[i] + 1]++;
	}
	for (uint32_t i = 1; i <= processes + 1; i++) {
		next[i] += next[i - 1];
	}
	memcpy(t->process_first, next + 1, ((size_t)processes + 1) * sizeof(*next));
	for (uint32_t i = 0; i < t->moment_count; i++) {
		uint32_t at = next[whose[i]]++;

		t->topological[at] = old[i];
		t->place[old[i]] = at;
	}
	gst_mem_free(next, ((size_t)processes + 2) * sizeof(*next));
	gst_mem_free(old, t->moment_count * sizeof(*old));
	gst_mem_free(whose, t->moment_count * sizeof(*whose));
}

static void find_topological(struct gst_timing *t)
{
	struct placing s = {.t = t};
	bool is_good = place_all(&s);

	if (!is_good) {
		forget_engines(t);
		is_good = place_all(&s);
	}
	if (is_good) {
		GST_ASSERT(s.placed == t->moment_count);
	} else {
		place_around_cycle(t);
	}
	part_by_process(t);
	gst_vec_free(&s.stack);
}

/* ---- sizes of kernels ----------------------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint32_t share_of(const struct gst_kernel *k, const struct gst_rec_device *d)
{
	uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1];
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	uint64_t warps = (threads + 31) / 32;
	uint64_t shared = (uint64_t)k->shared_static + k->shared_dynamic;
	uint64_t resident;

	if (blocks > UINT32_MAX) {
		return 1000000;
	}
	blocks *= k->grid[2];
	if (blocks == 0 || threads == 0 || d->sm_count == 0 || d->max_blocks_per_sm == 0 ||
	    d->max_warps_per_sm == 0) {
		return 1000000;
	}
	resident = least(d->max_blocks_per_sm, d->max_warps_per_sm / warps);
	if (d->max_registers_per_sm && k->registers) {
		resident = least(resident, d->max_registers_per_sm / (warps * 32 * k->registers));
	}
	if (d->max_shared_per_sm && shared) {
		resident = least(resident, d->max_shared_per_sm / shared);
	}
	if (resident == 0) {
		resident = 1; /* it did run */
	}
	resident *= d->sm_count;
	if (blocks >= resident) {
		return 1000000;
	}
	/* Rounded up: the share is a cautious number. */
	return (uint32_t)((blocks * 1000000 + resident - 1) / resident);
}

static void find_spinning(struct gst_timing *t)
{
	uint32_t count = gst_strtab_count(t->m->strings);

	for (uint32_t i = 0; i < count; i++) {
		const char *s = gst_strtab_get(t->m->strings, i, NULL);
		for (size_t j = 0; j < sizeof(spinning) / sizeof(spinning[0]); j++) {
			if (strstr(s, spinning[j])) {
				t->spins[i] = 1;
				t->has_spinning = true;
			}
		}
	}
}

uint32_t gst_timing_share(const struct gst_timing *t, gst_op_id op)
{
	const struct gst_op *x = &t->m->ops[op];
	uint32_t device;

	GST_ASSERT(op < t->m->op_count);
	if (x->kind != GST_OP_KERNEL || x->detail == GST_NONE) {
		return 1000000;
	}
	device = gst_timing_device(t, op);
	return device == GST_NONE ? 1000000
				  : share_of(&t->m->kernels[x->detail], &t->m->devices[device].rec);
}

/* ---- the public side ------------------------------------------------------------------------------- */

static void prepare(uint32_t index, void *payload)
{
	struct gst_timing *t = payload;

	if (index == 0) {
		find_engines(t);
		find_topological(t);
	} else {
		gst_timing_init_evidence(t);
		gst_replay_find_latencies(t);
		find_spinning(t);
	}
}

gst_status gst_timing_build(const struct gst_model *m, const struct gst_order *o,
			    struct gst_arena *arena, const struct gst_timing **out,
			    struct gst_err *err)
{
	struct gst_timing *t = GST_ARENA_ARRAY(arena, struct gst_timing, 1);
	uint64_t moments = (uint64_t)gst_order_node_count(o) + m->call_count;

	if (moments >= GST_ARC_BEGINS ||
	    (uint64_t)gst_order_edge_bound(o) + moments >= UINT32_MAX) {
		return gst_err_set(err, GST_E_LIMIT, "the trace has more than 2^31 ops and calls");
	}
	/* From here on times are added and subtracted as signed numbers. */
	if (m->end_ns > GST_TIMES_MAX_NS) {
		return gst_err_set(err, GST_E_FORMAT,
				   "the trace spans %" PRIu64 " ns, more than any run could last",
				   m->end_ns);
	}
	t->m = m;
	t->o = o;
	t->node_count = gst_order_node_count(o);
	t->moment_count = (uint32_t)moments;
	t->edge_count = gst_order_edge_bound(o);
	t->stored_base = gst_order_first_stored(o);
	t->edges = GST_ARENA_ARRAY(arena, uint8_t, t->edge_count - t->stored_base);
	t->seen_ns = GST_ARENA_ARRAY(arena, uint64_t, t->node_count);
	t->is_vague = GST_ARENA_ARRAY(arena, uint8_t, t->node_count);
	t->topological = GST_ARENA_ARRAY(arena, gst_moment_id, t->moment_count);
	t->engine_next = GST_ARENA_ARRAY(arena, gst_op_id, m->copy_count);
	t->engine_prev = GST_ARENA_ARRAY(arena, gst_op_id, m->copy_count);
	t->place = GST_ARENA_ARRAY(arena, uint32_t, t->moment_count);
	t->baseline_ns = GST_ARENA_ARRAY(arena, int64_t, (size_t)m->process_count + 1);
	t->process_first = GST_ARENA_ARRAY(arena, uint32_t, (size_t)m->process_count + 2);
	t->spins = GST_ARENA_ARRAY(arena, uint8_t, gst_strtab_count(m->strings));
	t->latency_ns = GST_ARENA_ARRAY(arena, uint64_t, GST_OP_KIND_COUNT);
	gst_parallel_run(2, prepare, t);
	gst_timing_settle(t, arena);
	*out = t;
	return GST_OK;
}

uint64_t gst_timing_steps(const struct gst_timing *t)
{
	return t->steps;
}

enum gst_strength gst_timing_strength(const struct gst_timing *t, gst_edge_id e)
{
	GST_ASSERT(e < t->edge_count);
	return gst_timing_strength_of(t, e);
}

bool gst_timing_source_ns(const struct gst_timing *t, gst_edge_id e, uint64_t *ns)
{
	const struct gst_edge edge = gst_order_edge(t->o, e);
	uint64_t at = gst_timing_source(t, &edge);

	if (at == GST_TIME_UNKNOWN) {
		return false;
	}
	*ns = at;
	return true;
}

bool gst_timing_is_exact(const struct gst_timing *t, gst_node_id node)
{
	GST_ASSERT(node < t->node_count);
	return !t->is_vague[node];
}

bool gst_timing_op_ns(const struct gst_timing *t, gst_op_id op, uint64_t *begin_ns,
		      uint64_t *end_ns)
{
	const struct gst_op *x = &t->m->ops[op];

	GST_ASSERT(op < t->m->op_count);
	if (x->flags & GST_OP_TIMED) {
		*begin_ns = gst_timing_begin(t, op);
		*end_ns = x->end_ns;
		return true;
	}
	if (t->seen_ns[op] == GST_TIME_UNKNOWN) {
		return false;
	}
	*begin_ns = *end_ns = t->seen_ns[op];
	return true;
}
