/*
 * reach_many.c - which of up to 64 points come before, or after, each of many others.
 *
 * Role      : for pairs of nodes of one graph launch, which no chain clock tells: a search for each would be a walk
 *             through the graph for each pair.
 * Method    : a bit for each of the 64, carried along the edges in topological order: from their ends on, or from
 *             their begins back, over the stretch that the others lie in.
 * Invariant : says what gst_order_before() says for each pair. Cost: the edges of the stretch, whatever the pairs.
 * Not here  : pairs far apart (clocks.c), one pair (reach.c).
 */
#include "analyzer/base/assert.h"
#include "analyzer/order/order_internal.h"

struct pass {
	const struct gst_order *o;
	uint32_t first, last; /* positions of the stretch, both inside */
	uint64_t *bits;	      /* by position - first */
	bool is_back;	      /* bits go from a point to what is before it */
	bool documented_only;
};

/* Positions that are not in or behind a cycle. */
static bool is_placed(const struct gst_order *o, uint32_t position)
{
	return position < o->acyclic_count;
}

/* The end of the launch that @n is a node of: reached, it tells that @n's end was; UINT32_MAX. */
static uint32_t launch_end(const struct gst_order *o, gst_node_id n)
{
	gst_op_id launch = gst_node_is_op(o, n) ? o->m->ops[n].parent : GST_NONE;
	uint32_t end =
		launch == GST_NONE ? UINT32_MAX : gst_order_position(o, gst_point_end(launch));

	return end > gst_order_position(o, gst_point_end(n)) ? end : UINT32_MAX;
}

static bool is_in_stretch(const struct pass *p, uint32_t position)
{
	return position >= p->first && position <= p->last;
}

static void seed(struct pass *p, uint32_t position, uint64_t bit)
{
	if (is_in_stretch(p, position))
		p->bits[position - p->first] |= bit;
}

static uint64_t bits_at(const struct pass *p, uint32_t position)
{
	return is_in_stretch(p, position) ? p->bits[position - p->first] : 0;
}

/* @before comes before the point at @at. */
static void carry(struct pass *p, uint32_t before, uint32_t at)
{
	if (!is_in_stretch(p, before) || before >= at)
		return;
	if (p->is_back) {
		p->bits[before - p->first] |= p->bits[at - p->first];
	} else {
		p->bits[at - p->first] |= p->bits[before - p->first];
	}
}

static void visit(struct pass *p, uint32_t at, gst_call_id *near)
{
	const struct gst_order *o = p->o;
	gst_point_id point = gst_order_point_at(o, at, near);
	gst_node_id n = gst_node_of_point(point);
	struct gst_edges in = gst_order_in(o, n);
	uint32_t waits;

	if (point == gst_point_end(n)) {
		carry(p, gst_order_position(o, gst_point_begin(n)), at);
		for (gst_op_id op = gst_order_wait_nodes(o, n, &waits); waits--; op++)
			carry(p, gst_order_position(o, gst_point_end(op)), at);
	}
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(o, &in, i);

		if (gst_edge_to_point(&e) == point &&
		    (!p->documented_only || e.strength == GST_DOCUMENTED))
			carry(p, gst_order_position(o, gst_edge_from_point(&e)), at);
	}
}

static void run(struct pass *p)
{
	gst_call_id near = 0;

	for (uint32_t i = p->first; i <= p->last; i++) {
		uint32_t at = p->is_back ? p->last - (i - p->first) : i;

		/* Nothing goes out from a point that was not reached. */
		if (!p->is_back || p->bits[at - p->first])
			visit(p, at, &near);
	}
}

static uint32_t point_of(const struct pass *p, gst_node_id n, bool is_near)
{
	/* Before: the near ones' ends, the far ones' begins. After: the other way round. */
	return gst_order_position(p->o,
				  is_near != p->is_back ? gst_point_end(n) : gst_point_begin(n));
}

static void one_way(const struct gst_order *o, const gst_node_id *near, uint32_t near_count,
		    const gst_node_id *far, uint32_t far_count, bool documented_only, bool is_after,
		    uint64_t *seen)
{
	struct pass p = {.o = o,
			 .first = UINT32_MAX,
			 .is_back = is_after,
			 .documented_only = documented_only};
	size_t words;

	memset(seen, 0, far_count * sizeof(*seen));
	for (uint32_t i = 0; i < near_count + far_count; i++) {
		uint32_t at = i < near_count ? point_of(&p, near[i], true)
					     : point_of(&p, far[i - near_count], false);

		if (!is_placed(o, at))
			continue;
		p.first = at < p.first ? at : p.first;
		p.last = at > p.last ? at : p.last;
	}
	if (p.first >= p.last)
		return;
	words = p.last - p.first + (size_t)1;
	p.bits = gst_mem_alloc(words * sizeof(*p.bits));
	for (uint32_t i = 0; i < near_count; i++) {
		seed(&p, point_of(&p, near[i], true), UINT64_C(1) << i);
		if (!is_after)
			seed(&p, launch_end(o, near[i]), UINT64_C(1) << i);
	}
	run(&p);
	for (uint32_t k = 0; k < far_count; k++) {
		seen[k] = bits_at(&p, point_of(&p, far[k], false));
		if (is_after)
			seen[k] |= bits_at(&p, launch_end(o, far[k]));
	}
	gst_mem_free(p.bits, words * sizeof(*p.bits));
}

void gst_order_before_many(const struct gst_order *o, const gst_node_id *near, uint32_t near_count,
			   const gst_node_id *far, uint32_t far_count, bool documented_only,
			   uint64_t *before, uint64_t *after)
{
	GST_ASSERT(near_count <= GST_MANY_MAX);
	one_way(o, near, near_count, far, far_count, documented_only, false, before);
	one_way(o, near, near_count, far, far_count, documented_only, true, after);
}

enum gst_answer gst_order_not_before(const struct gst_order *o, gst_node_id a, gst_node_id b)
{
	if (!is_placed(o, gst_order_position(o, gst_point_end(a))) ||
	    !is_placed(o, gst_order_position(o, gst_point_begin(b))))
		return GST_DONT_KNOW;
	return gst_order_no_path(o, a, b);
}
