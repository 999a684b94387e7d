/*
 * reach.c - is the end of A before the begin of B?
 *
 * Role      : check/ asks for each stall whether another path orders the two ops; tests ask for all pairs.
 * Method    : backwards, by what reaches each point. A path only goes up in the topological order, so nothing
 *             outside of the stretch between the two points can lie on it. One bit a point of that stretch,
 *             taken in order: a point is reached or not when its turn comes, there is no queue.
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

/* The launch that @n is a node of: it ends no earlier; GST_NONE. */
static gst_op_id launch_of(const struct gst_order *o, gst_node_id n)
{
	return gst_node_is_op(o, n) ? o->m->ops[n].parent : GST_NONE;
}

static uint32_t process_of(const struct gst_order *o, gst_node_id n)
{
	gst_call_id call = gst_node_is_op(o, n)	    ? o->m->ops[n].call
			   : gst_node_is_call(o, n) ? n - o->m->op_count
						    : GST_NONE;

	return call == GST_NONE ? GST_NONE : o->m->threads[o->m->calls[call].thread].process;
}

/* Between nodes of one launch: what a node that holds another graph does to that one's nodes is not told. */
static enum gst_answer no_path_inside(const struct gst_order *o, gst_op_id a, gst_op_id b)
{
	uint32_t x = gst_op_graph_node(&o->m->ops[a]);
	uint32_t y = gst_op_graph_node(&o->m->ops[b]);

	if (x == GST_NONE || y == GST_NONE ||
	    o->m->graph_nodes[x].graph != o->m->graph_nodes[y].graph ||
	    gst_order_is_vague_launch(o, o->m->ops[a].parent))
		return GST_DONT_KNOW;
	return GST_NO;
}

/* The op that stands in a stream for @n: of a graph's node, its launch; NULL = none does. */
static const struct gst_op *placed_op(const struct gst_order *o, gst_node_id n)
{
	gst_op_id launch = launch_of(o, n);

	if (!gst_node_is_op(o, n))
		return NULL;
	return &o->m->ops[launch == GST_NONE ? n : launch];
}

/* Is an op of @stream submitted from @first to @last? */
static bool has_op_between(const struct gst_stream *stream, gst_op_id first, gst_op_id last)
{
	uint32_t low = 0;
	uint32_t high = stream->op_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stream->ops[middle] < first) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < stream->op_count && stream->ops[low] <= last;
}

/*
 * Is the place of @n not known: its stream, or whether that takes part in S3, with an op of the legacy stream between @n
 * and @other, or one of the two?
 */
static bool is_misplaced(const struct gst_order *o, gst_node_id n, gst_node_id other)
{
	const struct gst_model *m = o->m;
	const struct gst_op *op = placed_op(o, n);
	const struct gst_stream *s;
	gst_stream_id legacy;

	if (!op || op->flags & GST_OP_CONTEXT)
		return false;
	if (op->stream == GST_NONE)
		return true;
	s = &m->streams[op->stream];
	legacy = s->ctx == GST_NONE ? GST_NONE : m->contexts[s->ctx].legacy_stream;
	return s->kind == GST_STREAM_KIND_UNKNOWN && legacy != GST_NONE &&
	       gst_node_is_op(o, other) &&
	       has_op_between(&m->streams[legacy], n < other ? n : other, n < other ? other : n);
}

/* Two of one stream, of which nobody knows which was first. */
static bool is_ambiguous(const struct gst_order *o, gst_node_id a, gst_node_id b)
{
	const struct gst_model *m = o->m;

	return gst_node_is_op(o, a) && gst_node_is_op(o, b) &&
	       m->ops[a].stream == m->ops[b].stream && m->ops[a].call != m->ops[b].call &&
	       gst_model_accepted(m, m->ops[a].call, m->ops[b].call) == GST_ACCEPTED_AMBIGUOUS;
}

/* No path was found: is that an answer? Not where calls between the two may be missing, or who is where is not known. */
enum gst_answer gst_order_no_path(const struct gst_order *o, gst_node_id a, gst_node_id b)
{
	const struct gst_model *m = o->m;
	uint32_t process = process_of(o, a);
	gst_call_id x = gst_node_is_op(o, a) ? m->ops[a].call : a - m->op_count;
	gst_call_id y = gst_node_is_op(o, b) ? m->ops[b].call : b - m->op_count;
	uint64_t from_ns, to_ns;

	if (launch_of(o, a) != GST_NONE && launch_of(o, a) == launch_of(o, b))
		return no_path_inside(o, a, b);
	if (process == GST_NONE || process_of(o, b) != process)
		return process == GST_NONE || process_of(o, b) == GST_NONE ? GST_DONT_KNOW : GST_NO;
	if (o->stats.cut_fronts || is_misplaced(o, a, b) || is_misplaced(o, b, a) ||
	    is_ambiguous(o, a, b))
		return GST_DONT_KNOW;
	from_ns = m->calls[x].enter_ns;
	to_ns = m->calls[y].enter_ns;
	if (to_ns < from_ns)
		return GST_NO;
	return gst_order_lost_between(o, process, from_ns, to_ns) ? GST_DONT_KNOW : GST_NO;
}

struct search {
	const struct gst_order *o;
	const struct gst_path_query *q;
	gst_node_id a, b;
	uint32_t first, last; /* positions of the two points */
	uint64_t *bits;	      /* reached, and not yet looked at: by position - first */
};

static void reach(struct search *s, uint32_t position)
{
	s->bits[(position - s->first) / 64] |= UINT64_C(1) << ((position - s->first) % 64);
}

/* All that leads to @p; true if that is the point that the search is for. */
static bool look_before(struct search *s, gst_point_id p)
{
	const struct gst_order *o = s->o;
	gst_node_id n = gst_node_of_point(p);
	struct gst_edges in = gst_order_in(o, n);
	uint32_t waits;

	if (p == gst_point_end(n)) {
		uint32_t at = gst_order_position(o, p - 1);

		if (at > s->first)
			reach(s, at);
		if (launch_of(o, s->a) == n)
			return true;
		/* Of a launch's nodes these alone wait for what the launch does not wait for itself. */
		for (gst_op_id op = gst_order_wait_nodes(o, n, &waits); waits--; op++) {
			at = gst_order_position(o, gst_point_end(op));
			if (at > s->first && !is_left_out(o, s->q, op))
				reach(s, at);
		}
	}
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(o, &in, i);
		uint32_t at;

		if (gst_edge_to_point(&e) != p || gst_query_drops(s->q, &e))
			continue;
		at = gst_order_position(o, gst_edge_from_point(&e));
		if (at == s->first)
			return true;
		if (at > s->first && !is_left_out(o, s->q, e.from))
			reach(s, at);
	}
	return false;
}

static enum gst_answer go_back(struct search *s)
{
	gst_call_id near = 0;
	uint32_t visited = 0;

	reach(s, s->last);
	for (size_t w = (s->last - s->first) / 64 + 1; w-- > 0;) {
		while (s->bits[w]) {
			uint32_t at = 63 - (uint32_t)__builtin_clzll(s->bits[w]);

			s->bits[w] &= ~(UINT64_C(1) << at);
			if (s->q && s->q->max_nodes && ++visited > s->q->max_nodes)
				return GST_DONT_KNOW;
			if (look_before(s, gst_order_point_at(
						   s->o, s->first + (uint32_t)w * 64 + at, &near)))
				return GST_YES;
		}
	}
	return GST_NO;
}

enum gst_answer gst_order_before(const struct gst_order *o, gst_node_id a, gst_node_id b,
				 const struct gst_path_query *q)
{
	uint64_t on_stack[STACK_WORDS];
	struct search s = {.o = o, .q = q, .a = a, .b = b};
	enum gst_answer answer;
	size_t words;

	if (a == b)
		return GST_NO;
	s.first = gst_order_position(o, gst_point_end(a));
	s.last = gst_order_position(o, gst_point_begin(b));
	if (s.first >= o->acyclic_count || s.last >= o->acyclic_count)
		return GST_DONT_KNOW;
	if (s.first >= s.last)
		return gst_order_no_path(o, a, b);
	words = (s.last - s.first) / 64 + 1;
	if (words > STACK_WORDS) {
		s.bits = gst_mem_alloc(words * sizeof(*s.bits));
	} else {
		memset(on_stack, 0, words * sizeof(*on_stack));
		s.bits = on_stack;
	}
	answer = go_back(&s);
	if (s.bits != on_stack)
		gst_mem_free(s.bits, words * sizeof(*s.bits));
	return answer == GST_NO ? gst_order_no_path(o, a, b) : answer;
}
