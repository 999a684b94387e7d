/*
 * clocks.c - chain clocks: is A before B, however far apart, without a search.
 *
 * Role      : for who asks many questions about one graph; gst_order_before searches for each.
 * Method    : ops of a stream, calls of a thread and barrier points on one another form chains. The clock of a
 *             point says how far each chain is before it: a tree of 16 branches with the chains as leaves,
 *             of which a new version copies what differs. Only where chains meet is there a new one: an op
 *             has the clock of the op before it in its chain, and that of its call's enter beside it.
 * Invariant : a clock is exact, or there is none (memory at its limit, nodes of graphs, cycles) and then
 *             there is none behind it either: such questions are searched for.
 * Not here  : which edges make the path (explain.c), queries that leave edges out (reach.c).
 */
#include "analyzer/base/assert.h"
#include "analyzer/order/order_internal.h"

#define WIDTH	 16u
#define NO_CLOCK GST_NONE

struct branch {
	uint32_t at[WIDTH]; /* branches, or at the lowest level how many of each chain are before */
};

struct gst_clocks {
	const struct gst_order *o;
	uint32_t *chain, *index; /* by node; GST_NONE: in no chain */
	uint32_t *
		begin_clock; /* by node: without its chain and, an op's, without its call's enter */
	uint32_t *end_clock; /* by call */
	GST_VEC(struct branch) tree; /* 0 is empty */
	uint64_t limit_bytes;
	uint32_t levels;
	bool documented_only; /* `possible` edges are not there */
	bool is_full;
	bool has_open_nodes; /* something else than launches and nodes that wait lets in what is outside */
	uint64_t steps;
};

static bool is_used(const struct gst_clocks *c, const struct gst_edge *e)
{
	return !c->documented_only || e->strength == GST_DOCUMENTED;
}

static bool is_node_of_graph(const struct gst_order *o, gst_node_id n)
{
	return gst_node_is_op(o, n) && o->m->ops[n].flags & GST_OP_NODE;
}

/* ---- trees ---------------------------------------------------------------------------------------------------- */

static uint32_t add_branch(struct gst_clocks *c, const struct branch *b)
{
	if ((c->tree.count + 1) * sizeof(*b) > c->limit_bytes) {
		c->is_full = true;
		return 0;
	}
	gst_vec_push(&c->tree, *b);
	return (uint32_t)c->tree.count - 1;
}

static uint32_t look_up(const struct gst_clocks *c, uint32_t root, uint32_t chain)
{
	for (uint32_t level = c->levels; level-- > 0 && root;)
		root = c->tree.data[root].at[chain >> (4 * level) & (WIDTH - 1)];
	return root;
}

static uint32_t raise(struct gst_clocks *c, uint32_t root, uint32_t level, uint32_t chain,
		      uint32_t count)
{
	struct branch b = c->tree.data[root];
	uint32_t *at = &b.at[chain >> (4 * (level - 1)) & (WIDTH - 1)];
	uint32_t new =
		level == 1 ? (count > *at ? count : *at) : raise(c, *at, level - 1, chain, count);

	c->steps++;
	if (new == *at)
		return root;
	*at = new;
	return add_branch(c, &b);
}

/* The later of both in each chain. Versions share what did not change: equal branches end the walk. */
static uint32_t join(struct gst_clocks *c, uint32_t x, uint32_t y, uint32_t level)
{
	struct branch a, b;
	bool is_x = true;
	bool is_y = true;

	c->steps++;
	if (x == y || !y)
		return x;
	if (!x)
		return y;
	if (!level)
		return x > y ? x : y;
	a = c->tree.data[x];
	b = c->tree.data[y];
	for (uint32_t i = 0; i < WIDTH; i++) {
		uint32_t new = a.at[i] == b.at[i] ? a.at[i] : join(c, a.at[i], b.at[i], level - 1);

		is_x = is_x && new == a.at[i];
		is_y = is_y && new == b.at[i];
		a.at[i] = new;
	}
	return is_x ? x : is_y ? y : add_branch(c, &a);
}

/* ---- chains --------------------------------------------------------------------------------------------------- */

static bool continues(const struct gst_order *o, const struct gst_edge *e)
{
	if (e->form == GST_EXIT_ENTER)
		return true;
	if (e->form != GST_END_BEGIN)
		return false;
	if (gst_node_is_barrier(o, e->to))
		return gst_node_is_barrier(o, e->from);
	return gst_node_is_op(o, e->from) && gst_node_is_op(o, e->to) &&
	       o->m->ops[e->from].stream == o->m->ops[e->to].stream;
}

/* Is @from the launch of node @n, or another node of it? */
static bool is_inside(const struct gst_order *o, gst_node_id from, gst_op_id n)
{
	gst_op_id launch = o->m->ops[n].parent;

	return from == launch || (gst_node_is_op(o, from) && o->m->ops[from].parent == launch);
}

/* Give each node its place in a chain: behind a node that has none behind it yet, or in a new one. */
static uint32_t find_chains(struct gst_clocks *c)
{
	const struct gst_order *o = c->o;
	uint8_t *is_followed = gst_mem_alloc(o->v.node_count + (size_t)1);
	gst_call_id near = 0;
	uint32_t chains = 0;

	memset(c->chain, 0xff, o->v.node_count * sizeof(*c->chain));
	for (uint32_t place = 0; place < o->acyclic_count; place++) {
		gst_point_id p = gst_order_point_at(o, place, &near);
		gst_node_id n = gst_node_of_point(p);
		struct gst_edges in;

		if (p != gst_point_begin(n))
			continue;
		in = gst_order_in(o, n);
		if (is_node_of_graph(o, n)) {
			for (uint32_t i = 0; i < in.count && !c->has_open_nodes; i++)
				c->has_open_nodes =
					!is_inside(o, gst_edges_at(o, &in, i).from, n) &&
					o->m->ops[n].kind != GST_OP_EVENT_WAIT;
			continue;
		}
		for (uint32_t i = 0; i < in.count && c->chain[n] == GST_NONE; i++) {
			const struct gst_edge e = gst_edges_at(o, &in, i);

			if (!continues(o, &e) || !is_used(c, &e) || is_followed[e.from] ||
			    c->chain[e.from] == GST_NONE)
				continue;
			is_followed[e.from] = 1;
			c->chain[n] = c->chain[e.from];
			c->index[n] = c->index[e.from] + 1;
		}
		if (c->chain[n] == GST_NONE)
			c->chain[n] = chains++;
	}
	gst_mem_free(is_followed, o->v.node_count + (size_t)1);
	return chains;
}

/* ---- clocks --------------------------------------------------------------------------------------------------- */

/* How many of @chain are before the begin of @n, or before its end (of a call: also what it waited for). */
static uint32_t before_point(const struct gst_clocks *c, gst_node_id n, bool is_end, uint32_t chain)
{
	const struct gst_order *o = c->o;
	bool is_call = gst_node_is_call(o, n);
	uint32_t clock = is_call && is_end ? c->end_clock[n - o->v.op_count] : c->begin_clock[n];
	uint32_t count, other;
	gst_call_id call;

	if (chain == c->chain[n])
		return c->index[n];
	count = look_up(c, clock, chain);
	call = gst_node_is_op(o, n) ? o->m->ops[n].call : GST_NONE;
	if (call == GST_NONE || o->m->calls[call].flags & GST_CALL_NO_ENTER)
		return count;
	other = before_point(c, gst_node_of_call(o, call), false, chain);
	return other > count ? other : count;
}

/* What is being put together: the clock of a point of @node. */
struct meet {
	struct gst_clocks *c;
	gst_node_id node;
	gst_node_id
		enter; /* the call of an op, or the call itself: what is before its enter is said by that */
	uint32_t clock;
	bool has_none;
};

static gst_node_id enter_of(const struct gst_order *o, gst_node_id n)
{
	gst_call_id call = gst_node_is_op(o, n) ? o->m->ops[n].call : GST_NONE;

	return call == GST_NONE || o->m->calls[call].flags & GST_CALL_NO_ENTER
		       ? GST_NONE
		       : gst_node_of_call(o, call);
}

/* Is the end of @from before this point, by what was taken already? */
static bool is_known(const struct meet *m, gst_node_id from)
{
	const struct gst_clocks *c = m->c;
	uint32_t chain = c->chain[from];

	return chain != GST_NONE && (look_up(c, m->clock, chain) > c->index[from] ||
				     (m->enter != GST_NONE && m->enter != m->node &&
				      before_point(c, m->enter, false, chain) > c->index[from]));
}

static void say(struct meet *m, uint32_t chain, uint32_t count)
{
	struct gst_clocks *c = m->c;

	if (chain != c->chain[m->node] && count > look_up(c, m->clock, chain))
		m->clock = raise(c, m->clock, c->levels, chain, count);
}

static void take_edge(struct meet *m, const struct gst_edge *e);

/* Nodes of a launch that wait for events hold up its end, not its begin. */
static void take_wait_nodes(struct meet *m, gst_node_id launch)
{
	const struct gst_order *o = m->c->o;
	uint32_t waits;

	for (gst_op_id op = gst_order_wait_nodes(o, launch, &waits); waits--; op++) {
		struct gst_edges in = gst_order_in(o, op);

		for (uint32_t i = 0; i < in.count; i++) {
			const struct gst_edge e = gst_edges_at(o, &in, i);

			if (is_used(m->c, &e) && e.from != launch &&
			    !(gst_node_is_op(o, e.from) && o->m->ops[e.from].parent == launch))
				take_edge(m, &e);
		}
	}
}

/* All that is before a point of @from is before this one. */
static void take_point(struct meet *m, gst_node_id from, bool is_end)
{
	struct gst_clocks *c = m->c;
	const struct gst_order *o = c->o;
	gst_node_id enter = enter_of(o, from);
	uint32_t clock = gst_node_is_call(o, from) && is_end ? c->end_clock[from - o->v.op_count]
							     : c->begin_clock[from];

	if (clock == NO_CLOCK || c->chain[from] == GST_NONE) {
		m->has_none = true;
		return;
	}
	m->clock = join(c, m->clock, clock, c->levels);
	say(m, c->chain[from], c->index[from] + is_end);
	if (is_end)
		take_wait_nodes(m, from);
	if (enter == GST_NONE || (m->enter != GST_NONE && c->chain[enter] == c->chain[m->enter] &&
				  c->index[enter] <= c->index[m->enter]))
		return;
	take_point(m, enter, false);
}

static void take_edge(struct meet *m, const struct gst_edge *e)
{
	switch ((enum gst_form)e->form) {
	case GST_ENTER_BEGIN:
		if (e->from == m->enter)
			return; /* beside it */
		take_point(m, e->from, false);
		return;
	case GST_BEGIN_BEGIN:
		take_point(m, e->from, false);
		return;
	case GST_END_BEGIN:
	case GST_END_EXIT:
	case GST_EXIT_ENTER:
		if (!is_known(m, e->from))
			take_point(m, e->from, true);
		return;
	}
}

static uint32_t clock_of(struct gst_clocks *c, gst_point_id p)
{
	const struct gst_order *o = c->o;
	gst_node_id n = gst_node_of_point(p);
	struct meet m = {.c = c, .node = n, .enter = gst_node_is_call(o, n) ? n : enter_of(o, n)};
	struct gst_edge last = {.id = GST_NONE};
	struct gst_edges in = gst_order_in(o, n);

	if (p == gst_point_end(n)) {
		m.clock = c->begin_clock[n];
	} else if (m.enter != n && m.enter != GST_NONE && c->begin_clock[m.enter] == NO_CLOCK) {
		return NO_CLOCK;
	}
	if (m.clock == NO_CLOCK)
		return NO_CLOCK;
	/* What was submitted last is likely to know of the others: these need not be joined then. */
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(o, &in, i);

		if (gst_edge_to_point(&e) == p && is_used(c, &e) &&
		    (last.id == GST_NONE || e.from > last.from))
			last = e;
	}
	if (last.id != GST_NONE)
		take_edge(&m, &last);
	for (uint32_t i = 0; i < in.count && !m.has_none && !c->is_full; i++) {
		const struct gst_edge e = gst_edges_at(o, &in, i);

		c->steps++;
		if (gst_edge_to_point(&e) == p && is_used(c, &e) && e.id != last.id)
			take_edge(&m, &e);
	}
	return m.has_none || c->is_full ? NO_CLOCK : m.clock;
}

struct gst_clocks *gst_clocks_new(const struct gst_order *o, uint64_t limit_bytes,
				  bool documented_only)
{
	struct gst_clocks *c = gst_mem_alloc(sizeof(*c));
	gst_call_id near = 0;
	uint32_t chains;

	c->o = o;
	c->limit_bytes = limit_bytes;
	c->documented_only = documented_only;
	c->chain = gst_mem_alloc(o->v.node_count * sizeof(*c->chain));
	c->index = gst_mem_alloc(o->v.node_count * sizeof(*c->index));
	c->begin_clock = gst_mem_alloc(o->v.node_count * sizeof(*c->begin_clock));
	c->end_clock = gst_mem_alloc(o->m->call_count * sizeof(*c->end_clock));
	memset(c->begin_clock, 0xff, o->v.node_count * sizeof(*c->begin_clock));
	memset(c->end_clock, 0xff, o->m->call_count * sizeof(*c->end_clock));
	chains = find_chains(c);
	for (c->levels = 1; c->levels < 8 && chains >> (4 * c->levels);)
		c->levels++;
	gst_vec_push(&c->tree, (struct branch){0});
	for (uint32_t place = 0; place < o->acyclic_count; place++) {
		gst_point_id p = gst_order_point_at(o, place, &near);
		gst_node_id n = gst_node_of_point(p);

		if (is_node_of_graph(o, n))
			continue;
		if (p == gst_point_begin(n)) {
			c->begin_clock[n] = clock_of(c, p);
		} else if (gst_node_is_call(o, n)) {
			c->end_clock[n - o->v.op_count] = clock_of(c, p);
		}
	}
	return c;
}

void gst_clocks_free(struct gst_clocks *c)
{
	if (!c)
		return;
	gst_mem_free(c->chain, c->o->v.node_count * sizeof(*c->chain));
	gst_mem_free(c->index, c->o->v.node_count * sizeof(*c->index));
	gst_mem_free(c->begin_clock, c->o->v.node_count * sizeof(*c->begin_clock));
	gst_mem_free(c->end_clock, c->o->m->call_count * sizeof(*c->end_clock));
	gst_vec_free(&c->tree);
	gst_mem_free(c, sizeof(*c));
}

/* Whose clocks tell whether @a comes before @b: the launch's for a node of it, if what is outside is before both. */
static void stand_in(const struct gst_clocks *c, gst_node_id a, gst_node_id b, gst_node_id *source,
		     gst_node_id *target)
{
	const struct gst_order *o = c->o;
	uint32_t waits;

	*source = is_node_of_graph(o, a) ? o->m->ops[a].parent : a;
	*target = b;
	/* What is before a node and not of its launch is before the launch. */
	if (is_node_of_graph(o, b) && o->m->ops[b].parent != GST_NONE && !c->has_open_nodes) {
		(void)gst_order_wait_nodes(o, o->m->ops[b].parent, &waits);
		if (!waits)
			*target = o->m->ops[b].parent;
	}
}

/* Not inside of a launch, and not where there is no clock. */
static bool has_clocks(const struct gst_clocks *c, gst_node_id source, gst_node_id target)
{
	return source != target && source != GST_NONE && c->chain[source] != GST_NONE &&
	       c->chain[target] != GST_NONE && c->begin_clock[source] != NO_CLOCK &&
	       c->begin_clock[target] != NO_CLOCK;
}

bool gst_clocks_tell(const struct gst_clocks *c, gst_node_id a, gst_node_id b)
{
	gst_node_id source, target;

	stand_in(c, a, b, &source, &target);
	return has_clocks(c, source, target);
}

enum gst_answer gst_clocks_before(const struct gst_clocks *c, gst_node_id a, gst_node_id b)
{
	const struct gst_order *o = c->o;
	const struct gst_path_query q = {.documented_only = c->documented_only};
	gst_node_id source, target;

	stand_in(c, a, b, &source, &target);
	if (!has_clocks(c, source, target))
		return gst_order_before(o, a, b, &q);
	if (before_point(c, target, false, c->chain[source]) > c->index[source])
		return GST_YES;
	return gst_order_no_path(o, a, b);
}

struct gst_clocks_stats gst_clocks_stats(const struct gst_clocks *c)
{
	return (struct gst_clocks_stats){.bytes = c->tree.count * sizeof(struct branch),
					 .steps = c->steps,
					 .is_full = c->is_full};
}
