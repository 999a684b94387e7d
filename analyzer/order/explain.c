/*
 * explain.c - why is A before B? The path with the fewest edges.
 *
 * Role      : findings and `gstrace path` show it.
 * Method    : backwards from B, point by point down the topological order, each point tells those that lead to
 *             it how far B is, in edges, and each keeps the best way, of equal ones that to the lowest id; then
 *             forwards from A. Paths of documented edges alone are tried first: a possible edge is no proof.
 * Invariant : the same graph and query give the same path; gst_order_before says yes if and only if there
 *             is one.
 * Not here  : words (export), times (timing).
 */
#include "analyzer/base/assert.h"
#include "analyzer/order/order_internal.h"

#define FAR UINT32_MAX

struct search {
	const struct gst_order *o;
	const struct gst_path_query *q;
	gst_node_id a, b;
	uint32_t first, last; /* positions of the two points */
	uint32_t *distance;   /* edges to @b, by position - first */
	gst_edge_id *step;    /* the edge that begins such a way; GST_NONE: inside of a node */
};

static bool is_left_out(const struct search *s, gst_node_id n)
{
	const struct gst_path_query *q = s->q;

	if (n == s->b)
		return false;
	if (q->device_only && gst_node_is_call(s->o, n))
		return true;
	for (uint32_t i = 0; i < q->without_node_count; i++) {
		if (q->without_nodes[i] == n)
			return true;
	}
	return false;
}

/* A way from @at on of @length edges, the first of them @step (GST_NONE: inside of a node): is it the best so far? */
static void offer(struct search *s, uint32_t at, uint32_t length, gst_edge_id step)
{
	uint32_t i = at - s->first;

	if (at < s->first || length > s->distance[i])
		return;
	if (length == s->distance[i]) {
		gst_edge_id old = s->step[i];
		gst_node_id to, old_to;

		if (old == GST_NONE)
			return;
		to = step == GST_NONE ? 0 : gst_order_edge(s->o, step).to;
		old_to = gst_order_edge(s->o, old).to;
		if (step != GST_NONE && (to > old_to || (to == old_to && step > old)))
			return;
	}
	s->distance[i] = length;
	s->step[i] = step;
}

/* @p is so far from the end of the way: tell all that leads to it. */
static void look_before(struct search *s, gst_point_id p, uint32_t distance)
{
	const struct gst_order *o = s->o;
	gst_node_id n = gst_node_of_point(p);
	struct gst_edges in = gst_order_in(o, n);

	if (p == gst_point_end(n))
		offer(s, gst_order_position(o, p - 1), distance, GST_NONE);
	if (is_left_out(s, n))
		return;
	if (p == gst_point_end(n)) {
		uint32_t waits;

		if (gst_node_is_op(o, s->a) && o->m->ops[s->a].parent == n)
			offer(s, s->first, distance, GST_NONE);
		for (gst_op_id op = gst_order_wait_nodes(o, n, &waits); waits--; op++)
			offer(s, gst_order_position(o, gst_point_end(op)), distance, GST_NONE);
	}
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(o, &in, i);

		if (gst_edge_to_point(&e) == p && !gst_query_drops(s->q, &e))
			offer(s, gst_order_position(o, gst_edge_from_point(&e)), distance + 1,
			      e.id);
	}
}

/* Without an edge one gets to the node's end, and from that of a graph's node to its launch's. */
static gst_point_id next_inside(const struct gst_order *o, gst_point_id p)
{
	gst_node_id n = gst_node_of_point(p);

	return p == gst_point_begin(n) ? p + 1 : gst_point_end(o->m->ops[n].parent);
}

static uint32_t find_path(struct search *s, struct gst_arena *scratch, const gst_edge_id **edges)
{
	const struct gst_order *o = s->o;
	size_t count = (size_t)s->last - s->first + 1;
	gst_call_id near = 0;
	uint32_t length = 0;
	gst_edge_id *out;

	for (size_t i = 0; i < count; i++)
		s->distance[i] = FAR;
	s->distance[count - 1] = 0;
	for (size_t i = count; i-- > 1;) {
		if (s->distance[i] != FAR)
			look_before(s, gst_order_point_at(o, s->first + (uint32_t)i, &near),
				    s->distance[i]);
	}
	if (s->distance[0] == FAR)
		return 0;
	out = GST_ARENA_ARRAY(scratch, gst_edge_id, s->distance[0]);
	for (uint32_t at = s->first; at != s->last;) {
		gst_edge_id step = s->step[at - s->first];

		if (step == GST_NONE) {
			at = gst_order_position(o,
						next_inside(o, gst_order_point_at(o, at, &near)));
		} else {
			const struct gst_edge e = gst_order_edge(o, step);

			out[length++] = step;
			at = gst_order_position(o, gst_edge_to_point(&e));
		}
	}
	*edges = out;
	return length;
}

uint32_t gst_order_why(const struct gst_order *o, gst_node_id a, gst_node_id b,
		       const struct gst_path_query *q, struct gst_arena *scratch,
		       const gst_edge_id **edges)
{
	struct gst_path_query query = q ? *q : (struct gst_path_query){0};
	struct search s = {.o = o, .q = &query, .a = a, .b = b};
	uint32_t length = 0;
	size_t bytes;
	bool any = !query.documented_only;

	if (a == b)
		return 0;
	s.first = gst_order_position(o, gst_point_end(a));
	s.last = gst_order_position(o, gst_point_begin(b));
	if (s.first >= s.last || s.last >= o->acyclic_count)
		return 0;
	bytes = ((size_t)s.last - s.first + 1) * sizeof(*s.distance);
	s.distance = gst_mem_alloc(bytes);
	s.step = gst_mem_alloc(bytes);
	query.documented_only = true;
	length = find_path(&s, scratch, edges);
	if (!length && any) {
		query.documented_only = false;
		length = find_path(&s, scratch, edges);
	}
	gst_mem_free(s.distance, bytes);
	gst_mem_free(s.step, bytes);
	return length;
}
