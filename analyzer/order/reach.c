/*
 * reach.c - is the end of A before the begin of B?
 *
 * Role      : check/ asks for each stall whether another path orders the two ops; tests ask for all pairs.
 * Method    : a path only goes up in the topological order, so nothing outside of the stretch between the two
 *             points can lie on it. One bit a point of that stretch, taken in order: a point is
 *             reached or not when its turn comes, there is no queue.
 * Invariant : cost is the edges reached plus a 64th of the stretch.
 * Not here  : which edges make the path (explain.c).
 */
#include "analyzer/base/assert.h"
#include "analyzer/order/order_internal.h"

#define STACK_WORDS 512u

static bool is_left_out(const struct gst_order *o, const struct gst_path_query *q, gst_node_id n)
{
	if (!q)
		return false;
	if (q->device_only && gst_node_is_call(o, n))
		return true;
	for (uint32_t i = 0; i < q->without_node_count; i++) {
		if (q->without_nodes[i] == n)
			return true;
	}
	return false;
}

/* A node of a graph ends before its launch does, which is what others wait for. */
static gst_node_id source_of(const struct gst_order *o, gst_node_id a, gst_node_id b)
{
	if (gst_node_is_op(o, a) && o->m->ops[a].parent != GST_NONE) {
		a = o->m->ops[a].parent;
		/* Between nodes of one launch nothing is known here. */
		if (a == b || (gst_node_is_op(o, b) && o->m->ops[b].parent == a))
			return GST_NONE;
	}
	return a;
}

static uint32_t process_of(const struct gst_order *o, gst_node_id n)
{
	gst_call_id call = gst_node_is_op(o, n)	    ? o->m->ops[n].call
			   : gst_node_is_call(o, n) ? n - o->m->op_count
						    : GST_NONE;

	return call == GST_NONE ? GST_NONE : o->m->threads[o->m->calls[call].thread].process;
}

/* No path was found: is that an answer? Not where calls between the two may be missing. */
static enum gst_answer no_path(const struct gst_order *o, gst_node_id a, gst_node_id b)
{
	const struct gst_model *m = o->m;
	uint32_t process = process_of(o, a);
	gst_call_id x = gst_node_is_op(o, a) ? m->ops[a].call : a - m->op_count;
	gst_call_id y = gst_node_is_op(o, b) ? m->ops[b].call : b - m->op_count;
	uint64_t from_ns, to_ns;

	if (process == GST_NONE || process_of(o, b) != process)
		return process == GST_NONE || process_of(o, b) == GST_NONE ? GST_DONT_KNOW : GST_NO;
	if (o->stats.cut_fronts)
		return GST_DONT_KNOW;
	from_ns = m->calls[x].enter_ns;
	to_ns = m->calls[y].enter_ns;
	if (to_ns < from_ns)
		return GST_NO;
	return gst_order_lost_between(o, process, from_ns, to_ns) ? GST_DONT_KNOW : GST_NO;
}

enum gst_answer gst_order_before(const struct gst_order *o, gst_node_id a, gst_node_id b,
				 const struct gst_path_query *q)
{
	uint64_t on_stack[STACK_WORDS];
	uint64_t *bits = on_stack;
	gst_node_id source = source_of(o, a, b);
	enum gst_answer answer = GST_NO;
	uint32_t first, last, visited = 0;
	size_t words;

	if (source == GST_NONE || source == b)
		return GST_NO;
	first = o->position[gst_point_end(source)];
	last = o->position[gst_point_begin(b)];
	if (first >= o->acyclic_count || last >= o->acyclic_count)
		return GST_DONT_KNOW;
	if (first >= last)
		return no_path(o, source, b);
	words = (last - first) / 64 + 1;
	if (words > STACK_WORDS) {
		bits = gst_mem_alloc(words * sizeof(*bits));
	} else {
		memset(bits, 0, words * sizeof(*bits));
	}
	bits[0] = 1;
	for (size_t w = 0; w < words && answer == GST_NO; w++) {
		while (bits[w] && answer == GST_NO) {
			uint32_t at = (uint32_t)__builtin_ctzll(bits[w]);
			gst_point_id p = o->topological[first + w * 64 + at];
			gst_node_id n = gst_node_of_point(p);

			bits[w] &= bits[w] - 1;
			if (q && q->max_nodes && ++visited > q->max_nodes) {
				answer = GST_DONT_KNOW;
				break;
			}
			if (p == gst_point_begin(n)) {
				uint32_t to = o->position[p + 1] - first;

				if (o->position[p + 1] < last)
					bits[to / 64] |= UINT64_C(1) << (to % 64);
			}
			for (uint32_t i = o->out_first[n]; i < o->out_first[n + 1]; i++) {
				const struct gst_edge *e = &o->v.edges[o->out[i]];
				uint32_t to = o->position[gst_edge_to_point(e)];

				if (gst_edge_from_point(e) != p || to > last ||
				    gst_query_drops(o, q, o->out[i]) ||
				    (to != last && is_left_out(o, q, e->to)))
					continue;
				if (to == last) {
					answer = GST_YES;
					break;
				}
				bits[(to - first) / 64] |= UINT64_C(1) << ((to - first) % 64);
			}
		}
	}
	if (bits != on_stack)
		gst_mem_free(bits, words * sizeof(*bits));
	return answer == GST_NO ? no_path(o, source, b) : answer;
}
