/*
 * explain.c - why is A before B? The path with the fewest edges.
 *
 * Role      : findings and `gstrace path` show it.
 * Method    : backwards from B, point by point down the topological order, each point learns its distance to
 *             B in edges; then forwards from A along falling distance, the lowest id first. Paths of
 *             documented edges alone are tried first: a possible edge is no proof.
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
	gst_node_id b;
	uint32_t first, last; /* positions of the two points */
	uint32_t *distance;   /* edges to @b, by position - first */
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

/* The least number of edges from @p on, and the edge that begins such a way (GST_NONE: inside of a node). */
static uint32_t best_step(const struct search *s, gst_point_id p, gst_edge_id *step)
{
	const struct gst_order *o = s->o;
	gst_node_id n = gst_node_of_point(p);
	uint32_t best = FAR;
	gst_node_id best_to = GST_NONE;

	*step = GST_NONE;
	if (p == gst_point_begin(n) && o->position[p + 1] < s->last &&
	    s->distance[o->position[p + 1] - s->first] != FAR)
		best = s->distance[o->position[p + 1] - s->first];
	for (uint32_t i = o->out_first[n]; i < o->out_first[n + 1]; i++) {
		const struct gst_edge *e = &o->v.edges[o->out[i]];
		uint32_t to = o->position[gst_edge_to_point(e)];
		uint32_t through;

		if (gst_edge_from_point(e) != p || to > s->last ||
		    gst_query_drops(o, s->q, o->out[i]) || is_left_out(s, e->to) ||
		    s->distance[to - s->first] == FAR)
			continue;
		through = s->distance[to - s->first] + 1;
		if (through < best || (through == best && *step != GST_NONE && e->to < best_to)) {
			best = through;
			best_to = e->to;
			*step = o->out[i];
		}
	}
	return best;
}

static uint32_t find_path(struct search *s, struct gst_arena *scratch, const gst_edge_id **edges)
{
	const struct gst_order *o = s->o;
	size_t count = (size_t)s->last - s->first + 1;
	uint32_t length = 0;
	gst_edge_id step;
	gst_edge_id *out;
	gst_point_id p;

	s->distance[count - 1] = 0;
	for (size_t i = count - 1; i-- > 0;)
		s->distance[i] = best_step(s, o->topological[s->first + i], &step);
	if (s->distance[0] == FAR)
		return 0;
	out = GST_ARENA_ARRAY(scratch, gst_edge_id, s->distance[0]);
	for (p = o->topological[s->first]; o->position[p] != s->last;) {
		(void)best_step(s, p, &step);
		if (step == GST_NONE) {
			p++;
		} else {
			out[length++] = step;
			p = gst_edge_to_point(&o->v.edges[step]);
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
	struct search s = {.o = o, .q = &query, .b = b};
	gst_node_id source = a;
	uint32_t length = 0;
	size_t bytes;
	bool any = !query.documented_only;

	if (gst_node_is_op(o, a) && o->m->ops[a].parent != GST_NONE) {
		source = o->m->ops[a].parent;
		if (source == b || (gst_node_is_op(o, b) && o->m->ops[b].parent == source))
			return 0;
	}
	if (source == b)
		return 0;
	s.first = o->position[gst_point_end(source)];
	s.last = o->position[gst_point_begin(b)];
	if (s.first >= s.last || s.last >= o->acyclic_count)
		return 0;
	bytes = ((size_t)s.last - s.first + 1) * sizeof(*s.distance);
	s.distance = gst_mem_alloc(bytes);
	query.documented_only = true;
	length = find_path(&s, scratch, edges);
	if (!length && any) {
		query.documented_only = false;
		length = find_path(&s, scratch, edges);
	}
	gst_mem_free(s.distance, bytes);
	return length;
}
