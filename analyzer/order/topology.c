/*
 * topology.c - a place for each point, after all points that must precede it.
 *
 * Role      : gst_order_seal_topology, once; where a point stands and which one stands there, for reach.c,
 *             explain.c and gst_order_topological.
 * Method    : the order of submission (call by call: enter, barrier points, ops, exit; the end of a graph launch
 *             comes behind those of its nodes) is a topological one
 *             but where device times or CUPTI's numbers turned overlapping calls round: the stretches
 *             between the two ends of such edges are sorted, each by itself. Places are computed: of
 *             the calls, ops and barrier points before. Only with a cycle each point's place is kept.
 * Invariant : an edge's from-point stands before its to-point unless both are in or behind a cycle.
 * Not here  : what is ordered by paths (reach.c).
 */
#include "analyzer/base/assert.h"
#include "analyzer/base/sort.h"
#include "analyzer/order/order_internal.h"

#define PLACE_NONE  GST_NONE
#define PLACE_BEGUN (GST_NONE - 1)

/* ---- the order of submission ------------------------------------------------------------------------------ */

/* How many barrier points are of calls before @c, which may be the call behind the last one. */
static uint32_t barriers_before(const struct gst_order *o, gst_call_id c)
{
	gst_node_id owner = o->v.op_count + c;
	uint32_t low = o->barriers_before[c / 64];
	uint32_t high = o->barriers_before[c / 64 + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (o->v.barrier_owner[middle] < owner) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static uint32_t barriers_of(const struct gst_order *o, gst_call_id c)
{
	return barriers_before(o, c + 1) - barriers_before(o, c);
}

/* The first barrier point of call @c, which has some. */
static gst_node_id first_barrier(const struct gst_order *o, gst_call_id c)
{
	return o->v.barrier_base + barriers_before(o, c);
}

/* Place of the enter of @c: what is before it has two points each. */
static uint32_t place_of_call(const struct gst_order *o, gst_call_id c)
{
	gst_op_id ops = c < o->m->call_count ? o->m->calls[c].first_op : o->ops_of_calls;

	return 2 * (c + ops + barriers_before(o, c));
}

static uint32_t submitted_at(const struct gst_order *o, gst_point_id p)
{
	gst_node_id n = gst_node_of_point(p);
	uint32_t second = p & 1;
	uint32_t place;
	gst_call_id c;

	if (n >= o->v.barrier_base) {
		c = o->v.barrier_owner[n - o->v.barrier_base] - o->v.op_count;
		return place_of_call(o, c) + 1 + 2 * (n - first_barrier(o, c)) + second;
	}
	if (n >= o->v.op_count) {
		c = n - o->v.op_count;
		return second ? place_of_call(o, c + 1) - 1 : place_of_call(o, c);
	}
	c = o->m->ops[n].call;
	if (c == GST_NONE)
		return place_of_call(o, o->m->call_count) + 2 * (n - o->ops_of_calls) + second;
	place = place_of_call(o, c) + 1 + 2 * barriers_of(o, c);
	if (gst_order_has_nodes(o, n))
		return place + (second ? 2 * o->m->calls[c].op_count - 1 : 0);
	/* Behind the begin of its launch, whose end comes last. */
	if (o->m->ops[n].parent != GST_NONE)
		place--;
	return place + 2 * (n - o->m->calls[c].first_op) + second;
}

/* The call in whose stretch @place is; @near is tried first. call_count: behind all of them. */
static gst_call_id call_at(const struct gst_order *o, uint32_t place, gst_call_id near)
{
	uint32_t low = 0;
	uint32_t high = o->m->call_count;

	if (place >= place_of_call(o, high))
		return high;
	if (place_of_call(o, near) <= place) {
		if (place < place_of_call(o, near + 1))
			return near;
		low = near + 1;
	} else {
		if (near && place_of_call(o, near - 1) <= place)
			return near - 1;
		high = near;
	}
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (place_of_call(o, middle) <= place) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return low;
}

static gst_point_id submitted_point(const struct gst_order *o, uint32_t place, gst_call_id *near)
{
	gst_call_id c = call_at(o, place, *near);
	uint32_t at, barriers;
	gst_op_id first;

	if (c == o->m->call_count)
		return 2 * o->ops_of_calls + (place - place_of_call(o, c));
	*near = c;
	at = place - place_of_call(o, c);
	if (at == 0)
		return gst_point_begin(o->v.op_count + c);
	if (place + 1 == place_of_call(o, c + 1))
		return gst_point_end(o->v.op_count + c);
	barriers = barriers_of(o, c);
	if (--at < 2 * barriers)
		return 2 * first_barrier(o, c) + at;
	at -= 2 * barriers;
	first = o->m->calls[c].first_op;
	if (!gst_order_has_nodes(o, first) || at == 0)
		return 2 * first + at;
	return at == 2 * o->m->calls[c].op_count - 1 ? gst_point_end(first) : 2 * first + at + 1;
}

/* ---- stretches that are turned round ------------------------------------------------------------------------ */

/* The stretch with @place in it, or NULL. */
static const struct gst_turn *turn_at(const struct gst_order *o, uint32_t place)
{
	uint32_t low = 0;
	uint32_t high = o->turn_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (o->turns[middle].last < place) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < o->turn_count && o->turns[low].first <= place ? &o->turns[low] : NULL;
}

uint32_t gst_order_position(const struct gst_order *o, gst_point_id p)
{
	const struct gst_turn *t;
	uint32_t place;

	if (o->position)
		return o->position[p];
	place = submitted_at(o, p);
	t = o->turn_count ? turn_at(o, place) : NULL;
	return t ? t->first + o->turned_to[t->base + (place - t->first)] : place;
}

gst_point_id gst_order_point_at(const struct gst_order *o, uint32_t place, gst_call_id *near)
{
	const struct gst_turn *t;

	if (o->topological)
		return o->topological[place];
	t = o->turn_count ? turn_at(o, place) : NULL;
	return submitted_point(
		o, t ? t->first + o->turned_from[t->base + (place - t->first)] : place, near);
}

struct step {
	uint32_t place; /* as submitted, in the stretch */
	gst_point_id point;
	uint32_t next; /* of what it waits for, by number */
};

struct turning {
	const struct gst_order *o;
	const struct gst_turn *turn;
	uint32_t *to, *from; /* of this stretch */
	GST_VEC(struct step) stack;
};

/* The next thing that @s waits for and that has no place yet; false = all have theirs. */
static bool next_unplaced(const struct turning *t, struct step *s, struct step *out)
{
	const struct gst_order *o = t->o;
	gst_node_id n = gst_node_of_point(s->point);
	struct gst_edges in = gst_order_in(o, n);
	uint32_t count = in.count;
	uint32_t nodes = s->point == gst_point_end(n) && gst_order_has_nodes(o, n)
				 ? o->m->calls[o->m->ops[n].call].op_count - 1
				 : 0;

	/* Edges, its own begin, and of a launch the ends of its nodes. */
	while (s->next <= count + nodes) {
		gst_point_id from = s->point - 1;
		uint32_t place;

		if (s->next > count) {
			from = gst_point_end(n + s->next - count);
		} else if (s->next < count) {
			const struct gst_edge e = gst_edges_at(o, &in, s->next);

			from = gst_edge_to_point(&e) == s->point ? gst_edge_from_point(&e)
								 : GST_NONE;
		} else if (s->point == gst_point_begin(n)) {
			from = GST_NONE;
		}
		s->next++;
		if (from == GST_NONE)
			continue;
		place = submitted_at(o, from);
		if (place < t->turn->first || t->to[place - t->turn->first] < PLACE_BEGUN)
			continue;
		*out = (struct step){.place = place - t->turn->first, .point = from};
		return true;
	}
	return false;
}

/* Order one stretch; false: points wait for each other. */
static bool place_points(struct turning *t)
{
	uint32_t count = t->turn->last - t->turn->first + 1;
	uint32_t placed = 0;
	gst_call_id near = 0;

	memset(t->to, 0xff, (size_t)count * sizeof(*t->to));
	for (uint32_t i = 0; i < count; i++) {
		if (t->to[i] != PLACE_NONE)
			continue;
		t->to[i] = PLACE_BEGUN;
		gst_vec_push(
			&t->stack,
			((struct step){.place = i,
				       .point = submitted_point(t->o, t->turn->first + i, &near)}));
		while (t->stack.count) {
			struct step *top = &t->stack.data[t->stack.count - 1];
			struct step before;

			if (!next_unplaced(t, top, &before)) {
				t->to[top->place] = placed;
				t->from[placed++] = top->place;
				t->stack.count--;
				continue;
			}
			if (t->to[before.place] == PLACE_BEGUN)
				return false;
			t->to[before.place] = PLACE_BEGUN;
			gst_vec_push(&t->stack, before);
		}
	}
	return true;
}

/* The stretches of places that edges in @backward lead back over, where they overlap as one. Returns all places in them. */
static uint32_t find_turns(struct gst_order *o, const struct gst_stored_edge *backward,
			   size_t backward_count, struct gst_arena *arena)
{
	struct gst_sort_item *items = gst_mem_alloc((backward_count + 1) * sizeof(*items));
	size_t count = 0;
	uint32_t places = 0;
	struct gst_turn *turns;

	for (size_t i = 0; i < backward_count; i++) {
		const struct gst_edge e = {
			.from = backward[i].from, .to = backward[i].to, .form = backward[i].form};
		uint32_t from = submitted_at(o, gst_edge_from_point(&e));
		uint32_t to = submitted_at(o, gst_edge_to_point(&e));

		if (from >= to)
			items[count++] = (struct gst_sort_item){.key = to, .value = from};
	}
	gst_sort_items(items, count);
	turns = GST_ARENA_ARRAY(arena, struct gst_turn, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t first = (uint32_t)items[i].key;
		struct gst_turn *t = o->turn_count ? &turns[o->turn_count - 1] : NULL;

		if (!t || first > t->last) {
			t = &turns[o->turn_count++];
			*t = (struct gst_turn){.first = first, .last = first};
		}
		if (items[i].value > t->last)
			t->last = items[i].value;
	}
	for (uint32_t i = 0; i < o->turn_count; i++) {
		turns[i].base = places;
		turns[i].first_call = call_at(o, turns[i].first, 0);
		turns[i].last_call = call_at(o, turns[i].last, 0);
		places += turns[i].last - turns[i].first + 1;
	}
	gst_mem_free(items, (backward_count + 1) * sizeof(*items));
	o->turns = turns;
	return places;
}

/* False: there is a cycle. */
static bool turn_round(struct gst_order *o, uint32_t places, struct gst_arena *arena)
{
	uint32_t *to = GST_ARENA_ARRAY(arena, uint32_t, places);
	uint32_t *from = GST_ARENA_ARRAY(arena, uint32_t, places);
	struct turning t = {.o = o};
	bool is_good = true;

	for (uint32_t i = 0; i < o->turn_count && is_good; i++) {
		t.turn = &o->turns[i];
		t.to = to + t.turn->base;
		t.from = from + t.turn->base;
		is_good = place_points(&t);
	}
	o->turned_to = to;
	o->turned_from = from;
	gst_vec_free(&t.stack);
	return is_good;
}

bool gst_order_is_turned(const struct gst_order *o, gst_call_id call, uint32_t *hint)
{
	while (*hint < o->turn_count && o->turns[*hint].last_call < call)
		++*hint;
	return *hint < o->turn_count && o->turns[*hint].first_call <= call;
}

bool gst_order_has_turns(const struct gst_order *o)
{
	return o->turn_count > 0;
}

/* ---- cycles --------------------------------------------------------------------------------------------------- */

/* The launch that op @n is a node of; GST_NONE. */
static gst_op_id launch_of(const struct gst_order *o, gst_node_id n)
{
	return gst_node_is_op(o, n) ? o->m->ops[n].parent : GST_NONE;
}

/* Kahn's algorithm: what is in or behind a cycle is left, and comes last by id. Returns how many are not. */
static uint32_t place_around_cycle(const struct gst_order *o, gst_point_id *points,
				   uint32_t *position)
{
	uint32_t count = 2 * o->v.node_count;
	uint32_t *degree = gst_mem_alloc((size_t)count * sizeof(*degree));
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_order_outs outs = gst_order_group_out(o, scratch);
	gst_call_id near = 0;
	uint32_t head = 0;
	uint32_t tail = 0;
	uint32_t done;

	for (uint32_t n = 0; n < o->v.node_count; n++) {
		degree[gst_point_end(n)]++;
		if (launch_of(o, n) != GST_NONE)
			degree[gst_point_end(launch_of(o, n))]++;
	}
	for (gst_edge_id id = gst_order_next_edge(o, 0); id < o->v.edge_bound;
	     id = gst_order_next_edge(o, id + 1)) {
		const struct gst_edge e = gst_order_edge(o, id);

		degree[gst_edge_to_point(&e)]++;
	}
	for (uint32_t i = 0; i < count; i++) {
		gst_point_id p = submitted_point(o, i, &near);

		if (!degree[p])
			points[tail++] = p;
	}
	while (head < tail) {
		gst_point_id p = points[head++];
		gst_node_id n = gst_node_of_point(p);
		uint32_t edges;
		const gst_edge_id *out = gst_order_out(&outs, n, &edges);

		if (p == gst_point_begin(n) && !--degree[p + 1])
			points[tail++] = p + 1;
		if (p == gst_point_end(n) && launch_of(o, n) != GST_NONE &&
		    !--degree[gst_point_end(launch_of(o, n))])
			points[tail++] = gst_point_end(launch_of(o, n));
		for (uint32_t i = 0; i < edges; i++) {
			const struct gst_edge e = gst_order_edge(o, out[i]);
			gst_point_id to = gst_edge_to_point(&e);

			if (gst_edge_from_point(&e) == p && !--degree[to])
				points[tail++] = to;
		}
	}
	done = tail;
	for (gst_point_id p = 0; p < count; p++) {
		if (degree[p])
			points[tail++] = p;
	}
	GST_ASSERT(tail == count);
	for (uint32_t i = 0; i < count; i++)
		position[points[i]] = i;
	gst_arena_free(scratch);
	gst_mem_free(degree, (size_t)count * sizeof(*degree));
	return done;
}

/* Every point that is left has a predecessor that is left: going back must come round. */
static void find_cycle(struct gst_order *o, struct gst_arena *arena)
{
	uint32_t count = 2 * o->v.node_count;
	uint32_t *seen = gst_mem_alloc((size_t)count * sizeof(*seen));
	GST_VEC(gst_point_id) path = {0};
	gst_node_id *cycle;
	gst_point_id p = o->topological[o->acyclic_count];
	size_t first;
	uint32_t length = 0;

	while (!seen[p]) {
		gst_node_id n = gst_node_of_point(p);
		gst_point_id before = p;
		struct gst_edges in;

		gst_vec_push(&path, p);
		seen[p] = (uint32_t)path.count;
		if (p == gst_point_end(n) && o->position[p - 1] >= o->acyclic_count)
			before = p - 1;
		for (gst_op_id op = n + 1; p == gst_point_end(n) && before == p &&
					   op < o->v.op_count && launch_of(o, op) == n;
		     op++) {
			if (o->position[gst_point_end(op)] >= o->acyclic_count)
				before = gst_point_end(op);
		}
		in = gst_order_in(o, n);
		for (uint32_t i = 0; before == p && i < in.count; i++) {
			const struct gst_edge e = gst_edges_at(o, &in, i);

			if (gst_edge_to_point(&e) == p &&
			    o->position[gst_edge_from_point(&e)] >= o->acyclic_count)
				before = gst_edge_from_point(&e);
		}
		GST_ASSERT(before != p);
		p = before;
	}
	first = seen[p] - 1;
	cycle = GST_ARENA_ARRAY(arena, gst_node_id, path.count - first);
	for (size_t i = path.count; i-- > first;) {
		gst_node_id n = gst_node_of_point(path.data[i]);

		if (!length || cycle[length - 1] != n)
			cycle[length++] = n;
	}
	if (length > 1 && cycle[length - 1] == cycle[0])
		length--;
	o->cycle = cycle;
	o->cycle_count = length;
	gst_vec_free(&path);
	gst_mem_free(seen, (size_t)count * sizeof(*seen));
}

void gst_order_seal_topology(struct gst_order *o, const struct gst_stored_edge *backward,
			     size_t backward_count, struct gst_arena *arena)
{
	uint32_t count = 2 * o->v.node_count;
	uint32_t places = find_turns(o, backward, backward_count, arena);
	gst_point_id *points;
	uint32_t *position;

	o->acyclic_count = count;
	if (!places || turn_round(o, places, arena))
		return;
	points = GST_ARENA_ARRAY(arena, gst_point_id, count);
	position = GST_ARENA_ARRAY(arena, uint32_t, count);
	o->acyclic_count = place_around_cycle(o, points, position);
	o->topological = points;
	o->position = position;
	find_cycle(o, arena);
}

/* ---- for others --------------------------------------------------------------------------------------------- */

const gst_point_id *gst_order_topological(const struct gst_order *o, struct gst_arena *arena,
					  uint32_t *count)
{
	gst_point_id *points;
	gst_call_id near = 0;

	*count = 2 * o->v.node_count;
	if (o->topological)
		return o->topological;
	points = GST_ARENA_ARRAY(arena, gst_point_id, *count);
	for (uint32_t i = 0; i < *count; i++)
		points[i] = gst_order_point_at(o, i, &near);
	return points;
}

uint32_t gst_order_cycle(const struct gst_order *o, const gst_node_id **nodes)
{
	*nodes = o->cycle;
	return o->cycle_count;
}
