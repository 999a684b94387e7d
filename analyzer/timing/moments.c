/*
 * moments.c - the order in which passes over all moments go.
 *
 * Role      : gst_moments_find, once; gst_moments_next gives one after the other.
 * Method    : moments as they were submitted, which is computed, and each after what it waits for: a search
 *             from where that may not be so, a turned stretch or a copy whose engine was busy with one that was
 *             submitted later; the rest need not be looked at. What a search finds is pulled forward: that is
 *             what is stored, and mostly it is nothing.
 * Invariant : a walk gives every moment once; where edges and engines form a cycle (broken timestamps), the
 *             engines are left out, and what then still hangs comes last.
 * Not here  : which edges hold (evidence.c).
 */
#include "analyzer/timing/timing_internal.h"

#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/vec.h"

struct step {
	gst_moment_id moment;
	uint32_t next; /* of what it waits for, by number */
};

/* Where a moment stands as submitted; of two in one call the lower part comes first. */
struct spot {
	gst_call_id call; /* call_count: behind all calls */
	enum { PART_ENTER, PART_BARRIERS, PART_OPS, PART_EXIT } part;
	gst_moment_id moment;
};

struct placing {
	struct gst_timing *t;
	struct spot now;	  /* all that was submitted before it has its place */
	uint64_t *placed, *begun; /* a bit a moment: of what was searched for */
	GST_VEC(struct step) stack;
	GST_VEC(struct gst_pull) pulls;
};

static bool is_in(const uint64_t *bits, gst_moment_id p)
{
	return bits[p / 64] >> (p % 64) & 1;
}

static void put_in(uint64_t *bits, gst_moment_id p)
{
	bits[p / 64] |= UINT64_C(1) << (p % 64);
}

static size_t bit_bytes(const struct gst_timing *t)
{
	return ((size_t)t->moment_count / 64 + 1) * sizeof(uint64_t);
}

static struct spot spot_of(const struct gst_timing *t, gst_moment_id p)
{
	const struct gst_model *m = t->m;
	gst_call_id call;

	if (gst_moment_is_exit(t, p)) {
		return (struct spot){p - t->node_count, PART_EXIT, p};
	}
	if (gst_node_is_barrier(t->o, p)) {
		return (struct spot){gst_barrier_owner(t->o, p) - m->op_count, PART_BARRIERS, p};
	}
	if (gst_node_is_call(t->o, p)) {
		return (struct spot){p - m->op_count, PART_ENTER, p};
	}
	call = m->ops[p].call;
	return (struct spot){call == GST_NONE ? m->call_count : call, PART_OPS, p};
}

static bool is_before(const struct spot *a, const struct spot *b)
{
	if (a->call != b->call) {
		return a->call < b->call;
	}
	return a->part != b->part ? a->part < b->part : a->moment < b->moment;
}

static bool has_place(const struct placing *a, gst_moment_id p)
{
	struct spot spot;

	if (is_in(a->placed, p)) {
		return true;
	}
	spot = spot_of(a->t, p);
	return is_before(&spot, &a->now);
}

static gst_op_id engine_before(const struct gst_timing *t, gst_moment_id p)
{
	const struct gst_op *x = p < t->m->op_count ? &t->m->ops[p] : NULL;

	return x && x->kind == GST_OP_MEMCPY && x->detail != GST_NONE ? t->engine_prev[x->detail]
								      : GST_NONE;
}

/* The next thing that @s waits for and that has no place yet; GST_NONE = all have theirs. */
static gst_moment_id next_unplaced(struct placing *a, struct step *s)
{
	struct gst_timing *t = a->t;
	gst_moment_id p = s->moment;
	bool is_exit = gst_moment_is_exit(t, p);
	gst_node_id node = is_exit ? t->m->op_count + (p - t->node_count) : p;
	struct gst_edges in = gst_order_in(t->o, node);

	while (s->next < in.count) {
		const struct gst_edge e = gst_edges_at(t->o, &in, s->next++);

		t->steps++;
		if (gst_moment_to(t, &e) == p && !has_place(a, gst_moment_from(t, &e))) {
			return gst_moment_from(t, &e);
		}
	}
	if (s->next++ == in.count) {
		gst_moment_id other = is_exit ? node : engine_before(t, p);
		if (other != GST_NONE && !has_place(a, other)) {
			return other;
		}
	}
	return GST_NONE;
}

/* Place @first after all that it waits for, which is pulled before it; false: they wait for each other. */
static bool place_deep(struct placing *a, gst_moment_id first)
{
	put_in(a->begun, first);
	gst_vec_push(&a->stack, ((struct step){.moment = first}));
	while (a->stack.count) {
		struct step *top = &a->stack.data[a->stack.count - 1];
		gst_moment_id before = next_unplaced(a, top);

		if (before == GST_NONE) {
			put_in(a->placed, top->moment);
			if (top->moment != first) {
				gst_vec_push(&a->pulls, ((struct gst_pull){.moment = top->moment,
									   .before = first}));
			}
			a->stack.count--;
		} else if (is_in(a->begun, before)) {
			return false;
		} else {
			put_in(a->begun, before);
			gst_vec_push(&a->stack, ((struct step){.moment = before}));
		}
	}
	return true;
}

/* @p comes next as submitted: place it, if it was not pulled forward, after all that it waits for. */
static bool place_next(struct placing *a, gst_moment_id p)
{
	a->now = spot_of(a->t, p);
	return is_in(a->placed, p) || place_deep(a, p);
}

/* How many barrier points are of calls before @call; at least @from are. */
static uint32_t barriers_before(const struct gst_timing *t, uint32_t from, gst_call_id call)
{
	gst_node_id first = t->m->op_count + t->m->call_count;

	while (first + from < t->node_count &&
	       gst_barrier_owner(t->o, first + from) < t->m->op_count + call) {
		from++;
	}
	return from;
}

/* The copies of calls before @call, from *@at on, whose engines were turned round. */
static bool place_copies(struct placing *a, uint32_t *at, gst_call_id call)
{
	const struct gst_timing *t = a->t;

	for (; *at < t->turned_copy_count; ++*at) {
		gst_op_id op = t->turned_copies[*at];

		if (t->m->ops[op].call >= call) {
			break;
		}
		if (engine_before(t, op) != GST_NONE && !place_next(a, op)) {
			return false;
		}
	}
	return true;
}

/* Ops without a call come last. */
static gst_op_id first_lone_op(const struct gst_model *m)
{
	const struct gst_call *last = m->call_count ? &m->calls[m->call_count - 1] : NULL;

	return last ? last->first_op + last->op_count : 0;
}

/* All of call @w->call, before which there are w->barrier barrier points; behind the last call, all ops without one. */
static bool place_call(struct placing *a, struct gst_moments *w)
{
	const struct gst_model *m = a->t->m;
	gst_call_id call = w->call;

	w->op = call < m->call_count ? m->calls[call].first_op : first_lone_op(m);
	do {
		gst_moment_id p = gst_moments_submitted(w);

		if (p == GST_NONE) {
			break;
		}
		if (!place_next(a, p)) {
			return false;
		}
	} while (w->call == call);
	return true;
}

/* As they were submitted, and each after what it waits for. */
static bool place_all(struct placing *a)
{
	const struct gst_timing *t = a->t;
	struct gst_moments w = {.t = t};
	gst_call_id calls = t->m->call_count;
	uint32_t hint = 0, copy = 0;

	memset(a->placed, 0, bit_bytes(t));
	memset(a->begun, 0, bit_bytes(t));
	gst_vec_clear(&a->stack);
	gst_vec_clear(&a->pulls);
	for (gst_call_id c = 0; c < calls && gst_order_has_turns(t->o); c++) {
		if (!gst_order_is_turned(t->o, c, &hint)) {
			continue;
		}
		if (!place_copies(a, &copy, c)) {
			return false;
		}
		/* Those of the call itself are searched from anyway. */
		while (copy < t->turned_copy_count && t->m->ops[t->turned_copies[copy]].call == c) {
			copy++;
		}
		w.call = c;
		w.barrier = barriers_before(t, w.barrier, c);
		if (!place_call(a, &w)) {
			return false;
		}
	}
	if (!place_copies(a, &copy, calls)) {
		return false;
	}
	w.call = calls;
	return place_call(a, &w);
}

/* Kahn's algorithm, without the engines: what hangs on a cycle is left and comes last, by id. */
static void place_around_cycle(struct gst_timing *t, gst_moment_id *order)
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
			order[placed++] = p;
		}
	}
	while (head < placed) {
		gst_moment_id p = order[head++];
		bool is_exit = gst_moment_is_exit(t, p);
		gst_node_id node = is_exit ? m->op_count + (p - t->node_count) : p;
		uint32_t count;
		const gst_edge_id *out = gst_order_out(&outs, node, &count);

		for (uint32_t i = 0; i < count; i++) {
			const struct gst_edge e = gst_order_edge(t->o, out[i]);
			if (gst_moment_from(t, &e) == p && --waits[gst_moment_to(t, &e)] == 0) {
				order[placed++] = gst_moment_to(t, &e);
			}
		}
		if (!is_exit && gst_node_is_call(t->o, node)) {
			gst_moment_id exit = gst_moment_of_exit(t, node - m->op_count);
			if (--waits[exit] == 0) {
				order[placed++] = exit;
			}
		}
	}
	for (gst_moment_id p = 0; p < t->moment_count && placed < t->moment_count; p++) {
		if (waits[p] != 0) {
			order[placed++] = p;
		}
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
static void part_by_process(struct gst_timing *t, struct gst_arena *arena)
{
	uint32_t processes = t->m->process_count;
	struct gst_moments w = {.t = t};
	gst_moment_id *order, p;
	uint32_t *next; /* by process, counted from 1 on; 0: nobody's */

	if (processes < 2) {
		t->process_first[1] = t->moment_count;
		return;
	}
	order = GST_ARENA_ARRAY(arena, gst_moment_id, t->moment_count);
	next = gst_mem_alloc(((size_t)processes + 3) * sizeof(*next));
	while ((p = gst_moments_next(&w)) != GST_NONE) {
		next[gst_timing_process(t, p) + 2]++;
	}
	for (uint32_t i = 1; i <= processes + 1; i++) {
		next[i] += next[i - 1];
	}
	memcpy(t->process_first, next + 1, ((size_t)processes + 1) * sizeof(*next));
	w = (struct gst_moments){.t = t};
	while ((p = gst_moments_next(&w)) != GST_NONE) {
		order[next[gst_timing_process(t, p) + 1]++] = p;
	}
	t->topological = order;
	gst_mem_free(next, ((size_t)processes + 3) * sizeof(*next));
}

static void keep_pulls(struct placing *a, struct gst_arena *arena)
{
	struct gst_timing *t = a->t;
	uint64_t *is_pulled = gst_arena_alloc(arena, bit_bytes(t));

	for (size_t i = 0; i < a->pulls.count; i++) {
		put_in(is_pulled, a->pulls.data[i].moment);
	}
	t->is_pulled = is_pulled;
	t->pull_count = (uint32_t)a->pulls.count;
	GST_ARENA_TAKE_VEC(arena, t->pulls, &a->pulls);
}

static void search(struct gst_timing *t, struct gst_arena *arena)
{
	struct placing a = {.t = t};
	bool is_good;

	a.placed = gst_mem_alloc(bit_bytes(t));
	a.begun = gst_mem_alloc(bit_bytes(t));
	is_good = place_all(&a);
	if (!is_good) {
		gst_timing_forget_engines(t);
		is_good = place_all(&a);
	}
	if (is_good && a.pulls.count) {
		keep_pulls(&a, arena);
	} else if (!is_good) {
		t->has_cycle = true;
		t->topological = GST_ARENA_ARRAY(arena, gst_moment_id, t->moment_count);
		place_around_cycle(t, t->topological);
	}
	gst_vec_free(&a.stack);
	gst_vec_free(&a.pulls);
	gst_mem_free(a.begun, bit_bytes(t));
	gst_mem_free(a.placed, bit_bytes(t));
}

void gst_moments_find(struct gst_timing *t, struct gst_arena *arena)
{
	if (t->turned_copy_count || gst_order_has_turns(t->o)) {
		search(t, arena);
	}
	part_by_process(t, arena);
}
