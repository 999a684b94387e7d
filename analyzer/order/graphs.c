/*
 * graphs.c - what the edges of a graph order: G4, G5 and G7 among the nodes of a launch, E6 for its event nodes.
 *
 * Role      : rules.c calls it for each launch, after the launch itself has its place.
 * Method    : of each graph a plan is kept: the nodes that a launch had records of, and what orders these, straight
 *             or through nodes that have none. Launch after launch has the same nodes: then the plan is
 *             laid over them, one edge of the graph at a time. A join of many through a node without a
 *             record becomes a barrier point.
 * Invariant : no edge that the graph does not give; what cannot be told (ports, iterations, definitions that are
 *             missing) gives none, and the launch is marked: no path is no answer there. Work is bounded by
 *             a budget that is linear in the trace.
 * Not here  : launches among each other (rules.c: S1, S3, G3).
 */
#include "analyzer/base/assert.h"
#include "analyzer/order/order_internal.h"

#define NO_SLOT UINT32_MAX

/* What is known of "A before B" along a way through the graph. */
struct claim {
	bool ends;     /* A's end counts, else its begin */
	bool is_sure;  /* documented */
	bool is_vague; /* a port was not seen */
};

struct plan_edge {
	uint32_t from, to; /* slots */
	struct claim claim;
};

/* A slot that orders a node, in a list. */
struct source {
	uint32_t slot, next; /* next: 0 ends the list */
	struct claim claim;
};

/* Slots: nodes with records, by index; then joins, each after those that it hangs on. */
struct plan {
	bool is_made, is_cut, is_cyclic, is_vague;
	gst_call_id from, to; /* holds for launches from .. to - 1; GST_NONE: for all later ones */
	GST_VEC(uint32_t) nodes; /* of the first slots: indices into graph_nodes */
	uint32_t join_count;
	GST_VEC(struct plan_edge) edges;
	uint32_t seen; /* nodes of the launch at hand */
};

struct gst_order_graphs {
	struct plan *plans; /* by graph */
	uint32_t *slot;	    /* by node: its slot in the plan of its graph; NO_SLOT */
	/* the launch at hand, by node: first and last op of it, and how many */
	gst_op_id *first_op, *last_op;
	uint32_t *ops;
	GST_VEC(gst_op_id) next_op; /* of the same node, by op - first op of the launch */
	GST_VEC(uint32_t) touched;  /* nodes with ops */
	GST_VEC(uint32_t) graphs;   /* graphs of these */
	GST_VEC(gst_node_id) at; /* by slot: node of the order's graph, in the iteration at hand */
	GST_VEC(gst_node_id) next_at;
	GST_VEC(uint32_t) scratch;
	GST_VEC(struct source) sources;
	gst_op_id *recorded_by; /* by event: the last launch of which a node records it; GST_NONE */
	bool *is_lossy;		/* by process: definitions of graphs may be missing */
	uint64_t budget;
};

static bool spend(struct gst_order_graphs *g, uint64_t work)
{
	if (g->budget < work)
		return false;
	g->budget -= work;
	return true;
}

void gst_order_init_graphs(struct gst_order_builder *b)
{
	const struct gst_model *m = b->m;
	struct gst_order_graphs *g;

	if (!m->graph_count && !m->exec_count)
		return;
	g = gst_mem_alloc(sizeof(*g));
	g->plans = gst_mem_alloc(m->graph_count * sizeof(*g->plans));
	g->slot = gst_mem_alloc(m->graph_node_count * sizeof(*g->slot));
	g->first_op = gst_mem_alloc(m->graph_node_count * sizeof(*g->first_op));
	g->last_op = gst_mem_alloc(m->graph_node_count * sizeof(*g->last_op));
	g->ops = gst_mem_alloc(m->graph_node_count * sizeof(*g->ops));
	g->is_lossy = gst_mem_alloc(m->process_count * sizeof(*g->is_lossy));
	g->recorded_by = gst_mem_alloc(m->event_count * sizeof(*g->recorded_by));
	memset(g->recorded_by, 0xff, m->event_count * sizeof(*g->recorded_by));
	memset(g->slot, 0xff, m->graph_node_count * sizeof(*g->slot));
	for (uint32_t i = 0; i < m->loss_count; i++)
		g->is_lossy[m->losses[i].process] |= gst_loss_touches_graphs(&m->losses[i]);
	g->budget = (UINT64_C(1) << 20) + 16 * ((uint64_t)m->op_count + m->call_count +
						m->graph_node_count + m->graph_edge_count);
	b->graphs = g;
}

void gst_order_release_graphs(struct gst_order_builder *b)
{
	const struct gst_model *m = b->m;
	struct gst_order_graphs *g = b->graphs;

	if (!g)
		return;
	for (uint32_t i = 0; i < m->graph_count; i++) {
		gst_vec_free(&g->plans[i].nodes);
		gst_vec_free(&g->plans[i].edges);
	}
	gst_vec_free(&g->next_op);
	gst_vec_free(&g->touched);
	gst_vec_free(&g->graphs);
	gst_vec_free(&g->at);
	gst_vec_free(&g->next_at);
	gst_vec_free(&g->scratch);
	gst_vec_free(&g->sources);
	gst_mem_free(g->recorded_by, m->event_count * sizeof(*g->recorded_by));
	gst_mem_free(g->is_lossy, m->process_count * sizeof(*g->is_lossy));
	gst_mem_free(g->ops, m->graph_node_count * sizeof(*g->ops));
	gst_mem_free(g->last_op, m->graph_node_count * sizeof(*g->last_op));
	gst_mem_free(g->first_op, m->graph_node_count * sizeof(*g->first_op));
	gst_mem_free(g->slot, m->graph_node_count * sizeof(*g->slot));
	gst_mem_free(g->plans, m->graph_count * sizeof(*g->plans));
	gst_mem_free(g, sizeof(*g));
	b->graphs = NULL;
}

/* ---- G4, G5: the plan of a graph ------------------------------------------------------------------------- */

/* G5: what an edge says, by the port that it leaves from. */
static struct claim claim_of_port(uint8_t port)
{
	switch ((enum gst_port)port) {
	case GST_PORT_DEFAULT:
		return (struct claim){.ends = true, .is_sure = true};
	case GST_PORT_PROGRAMMATIC:
		return (struct claim){.is_sure = true};
	case GST_PORT_LAUNCH_ORDER:
		return (struct claim){0};
	case GST_PORT_UNKNOWN:
	case GST_PORT_OTHER:
		break;
	}
	return (struct claim){.is_vague = true};
}

/* A before X as @a says, X before B as @x says: X has begun by its end, so A's side counts. */
static struct claim compose(struct claim a, struct claim x)
{
	return (struct claim){.ends = a.ends,
			      .is_sure = a.is_sure && x.is_sure,
			      .is_vague = a.is_vague || x.is_vague};
}

static bool is_plain(struct claim c)
{
	return c.ends && c.is_sure;
}

struct making {
	struct gst_order_builder *b;
	struct gst_order_graphs *g;
	struct plan *p;
	const struct gst_graph *graph;
	const struct gst_graph_edge *edges;
	gst_call_id launch;
	/* by node - first_node */
	uint32_t *degree;    /* edges into it that are there */
	uint32_t *out_first; /* node_count + 1: its edges, by - first_edge */
	uint32_t *order;     /* topological */
	uint32_t *sources;   /* list in g->sources; 0 = none */
	bool *is_useful;     /* a node with a record hangs on it, or it is one */
	uint32_t *stamp;     /* by 2 * slot + ends: 1 + the node that it was last met at */
	uint32_t *met;	     /* the same: the source that it was met as */
};

static bool is_there(const struct making *k, const struct gst_graph_edge *e)
{
	const struct gst_graph_node *nodes = k->b->m->graph_nodes;

	return gst_graph_edge_is_there(e, k->launch) &&
	       !((nodes[e->from].flags | nodes[e->to].flags) & GST_GRAPH_NODE_INTERNAL);
}

static bool has_record(const struct making *k, uint32_t local)
{
	return k->g->ops[k->graph->first_node + local] != 0;
}

/* For which launches are the edges those of this one? */
static void find_validity(struct making *k)
{
	k->p->from = 0;
	k->p->to = GST_NONE;
	for (uint32_t i = 0; i < k->graph->edge_count; i++) {
		const gst_call_id changes[2] = {k->edges[i].made, k->edges[i].removed};

		for (int c = 0; c < 2; c++) {
			if (changes[c] == GST_NONE)
				continue;
			if (changes[c] < k->launch && changes[c] + 1 > k->p->from)
				k->p->from = changes[c] + 1;
			if (changes[c] >= k->launch && changes[c] + 1 < k->p->to)
				k->p->to = changes[c] + 1;
		}
	}
}

/* Edges by the node they leave, and nodes each after those that it depends on. False: they go round. */
static bool sort_nodes(struct making *k)
{
	uint32_t first = k->graph->first_node;
	uint32_t count = k->graph->node_count;
	uint32_t head = 0;
	uint32_t tail = 0;

	for (uint32_t i = 0; i < k->graph->edge_count; i++) {
		k->out_first[k->edges[i].from - first + 1] = i + 1;
		if (is_there(k, &k->edges[i]))
			k->degree[k->edges[i].to - first]++;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (k->out_first[i + 1] < k->out_first[i])
			k->out_first[i + 1] = k->out_first[i];
		if (!k->degree[i])
			k->order[tail++] = i;
	}
	while (head < tail) {
		uint32_t n = k->order[head++];

		for (uint32_t i = k->out_first[n]; i < k->out_first[n + 1]; i++) {
			if (is_there(k, &k->edges[i]) && !--k->degree[k->edges[i].to - first])
				k->order[tail++] = k->edges[i].to - first;
		}
	}
	return tail == count;
}

static void find_useful(struct making *k)
{
	for (uint32_t at = k->graph->node_count; at-- > 0;) {
		uint32_t n = k->order[at];

		k->is_useful[n] = has_record(k, n);
		for (uint32_t i = k->out_first[n]; i < k->out_first[n + 1] && !k->is_useful[n]; i++)
			k->is_useful[n] = is_there(k, &k->edges[i]) &&
					  k->is_useful[k->edges[i].to - k->graph->first_node];
	}
}

static void push_source(struct making *k, uint32_t *list, uint32_t slot, struct claim claim)
{
	if (!k->g->sources.count)
		gst_vec_push(&k->g->sources, (struct source){0});
	gst_vec_push(&k->g->sources, (struct source){slot, *list, claim});
	*list = (uint32_t)k->g->sources.count - 1;
}

/* Is source @id said as well, or better, by another one of the list of @n? */
static bool is_dominated(const struct making *k, uint32_t n, uint32_t id)
{
	const struct source *s = &k->g->sources.data[id];
	const struct source *other;

	if (s->claim.ends || k->stamp[2 * s->slot + 1] != n + 1)
		return false;
	other = &k->g->sources.data[k->met[2 * s->slot + 1]];
	return other->claim.is_sure || !s->claim.is_sure;
}

/* Of several ways from one slot to @n the strongest claims stay. Returns how many are left. */
static uint32_t merge_sources(struct making *k, uint32_t n, bool *all_plain)
{
	uint32_t *link = &k->sources[n];
	uint32_t count = 0;

	while (*link) {
		uint32_t id = *link;
		const struct source *s = &k->g->sources.data[id];
		uint32_t key = 2 * s->slot + s->claim.ends;

		if (k->stamp[key] == n + 1) {
			struct source *first = &k->g->sources.data[k->met[key]];

			first->claim.is_vague |= s->claim.is_vague && !first->claim.is_sure;
			if (s->claim.is_sure)
				first->claim = s->claim;
			*link = s->next;
			continue;
		}
		k->stamp[key] = n + 1;
		k->met[key] = id;
		link = &k->g->sources.data[id].next;
	}
	*all_plain = true;
	for (link = &k->sources[n]; *link;) {
		if (is_dominated(k, n, *link)) {
			*link = k->g->sources.data[*link].next;
			continue;
		}
		count++;
		*all_plain = *all_plain && is_plain(k->g->sources.data[*link].claim);
		link = &k->g->sources.data[*link].next;
	}
	return count;
}

static void end_sources(struct making *k, uint32_t n, uint32_t slot)
{
	for (uint32_t id = k->sources[n]; id; id = k->g->sources.data[id].next) {
		struct claim claim = k->g->sources.data[id].claim;

		gst_vec_push(&k->p->edges,
			     (struct plan_edge){k->g->sources.data[id].slot, slot, claim});
	}
	k->sources[n] = 0;
}

/* False: more work than the trace is worth. */
static bool pass_on(struct making *k, uint32_t n)
{
	uint32_t first = k->graph->first_node;
	uint32_t slot = k->g->slot[first + n];
	bool all_plain;
	uint32_t in = merge_sources(k, n, &all_plain);
	uint32_t out = 0;

	for (uint32_t i = k->out_first[n]; i < k->out_first[n + 1]; i++) {
		if (!is_there(k, &k->edges[i]) || !k->is_useful[k->edges[i].to - first])
			continue;
		out++;
		all_plain = all_plain && is_plain(claim_of_port(k->edges[i].port));
	}
	if (has_record(k, n)) {
		end_sources(k, n, slot);
	} else if (in > 1 && out > 1 && all_plain) {
		slot = (uint32_t)k->p->nodes.count + k->p->join_count++;
		end_sources(k, n, slot);
	} else {
		slot = NO_SLOT;
	}
	for (uint32_t i = k->out_first[n]; i < k->out_first[n + 1]; i++) {
		const struct gst_graph_edge *e = &k->edges[i];
		struct claim claim = claim_of_port(e->port);
		uint32_t *to = &k->sources[e->to - first];

		if (!is_there(k, e) || !k->is_useful[e->to - first])
			continue;
		/* Even where something else is known of the two: it may order more. */
		k->p->is_vague |= claim.is_vague && (slot != NO_SLOT || in);
		if (slot != NO_SLOT) {
			push_source(k, to, slot, claim);
			continue;
		}
		if (!spend(k->g, in))
			return false;
		for (uint32_t id = k->sources[n]; id; id = k->g->sources.data[id].next)
			push_source(k, to, k->g->sources.data[id].slot,
				    compose(k->g->sources.data[id].claim, claim));
	}
	return true;
}

/* For the nodes of the launch at hand, which ops[] holds. */
static void make_plan(struct gst_order_builder *b, uint32_t graph, gst_call_id launch)
{
	struct gst_order_graphs *g = b->graphs;
	const struct gst_graph *x = &b->m->graphs[graph];
	struct plan *p = &g->plans[graph];
	size_t n = x->node_count;
	uint32_t *words;
	struct making k = {.b = b,
			   .g = g,
			   .p = p,
			   .graph = x,
			   .edges = b->m->graph_edges + x->first_edge,
			   .launch = launch};

	gst_vec_clear(&p->nodes);
	gst_vec_clear(&p->edges);
	p->join_count = 0;
	p->is_made = true;
	p->is_vague = p->is_cyclic = false;
	p->is_cut = !spend(g, 4 * (n + x->edge_count) + 16);
	if (p->is_cut)
		return;
	b->o->stats.steps += n + x->edge_count;
	for (uint32_t i = x->first_node; i < x->first_node + n; i++) {
		g->slot[i] = g->ops[i] ? (uint32_t)p->nodes.count : NO_SLOT;
		if (g->ops[i])
			gst_vec_push(&p->nodes, i);
	}
	find_validity(&k);
	/* Joins are nodes as well: there are no more slots than nodes. */
	gst_vec_clear(&g->scratch);
	words = gst_vec_extend(&g->scratch, 9 * (n + 1));
	memset(words, 0, 9 * (n + 1) * sizeof(*words));
	k.degree = words;
	k.out_first = words + (n + 1);
	k.order = words + 2 * (n + 1);
	k.sources = words + 3 * (n + 1);
	k.stamp = words + 4 * (n + 1);
	k.met = words + 6 * (n + 1);
	k.is_useful = (bool *)(words + 8 * (n + 1));
	gst_vec_clear(&g->sources);
	p->is_cyclic = !sort_nodes(&k);
	if (p->is_cyclic)
		return;
	find_useful(&k);
	for (uint32_t i = 0; i < n && !p->is_cut; i++) {
		if (k.is_useful[k.order[i]])
			p->is_cut = !pass_on(&k, k.order[i]);
	}
	if (p->is_cut) {
		gst_vec_clear(&p->edges);
		p->join_count = 0;
	}
}

/* ---- a plan over the ops of a launch ---------------------------------------------------------------------- */

static void add_plan_edge(struct gst_order_builder *b, const struct plan_edge *e, gst_node_id from,
			  gst_node_id to, enum gst_rule rule)
{
	bool is_g4 = e->claim.ends && e->claim.is_sure;

	gst_order_add_edge(b, from, to, is_g4 ? rule : GST_RULE_G5,
			   e->claim.is_sure ? GST_DOCUMENTED : GST_POSSIBLE,
			   e->claim.ends ? GST_END_BEGIN : GST_BEGIN_BEGIN,
			   (uint8_t)(is_g4 ? 0 : GST_EDGE_UNCHECKED));
	b->o->stats.unknown_ports += e->claim.is_vague;
}

/* G7: no node of an iteration begins before all nodes of the one before it have ended. */
static void join_iterations(struct gst_order_builder *b, const struct plan *p, gst_call_id call,
			    const gst_node_id *before, const gst_node_id *after)
{
	gst_node_id barrier;

	if (p->nodes.count == 1) {
		gst_order_add_work(b, before[0], after[0], GST_RULE_G7);
		return;
	}
	barrier = gst_order_add_barrier(b, node_of_call(b, call));
	for (uint32_t i = 0; i < p->nodes.count; i++)
		gst_order_add_work(b, before[i], barrier, GST_RULE_G7);
	for (uint32_t i = 0; i < p->nodes.count; i++)
		gst_order_add_work(b, barrier, after[i], GST_RULE_G7);
}

/*
 * How often the graph ran in this launch: as often as each of its nodes did; 0 = that differs, or the records do
 * not tell which came first.
 */
static uint32_t count_iterations(const struct gst_order_builder *b, const struct plan *p)
{
	const struct gst_order_graphs *g = b->graphs;
	uint32_t count = g->ops[p->nodes.data[0]];

	for (size_t i = 1; i < p->nodes.count; i++) {
		if (g->ops[p->nodes.data[i]] != count)
			return 0;
	}
	for (size_t i = 0; i < p->nodes.count && count > 1; i++) {
		uint32_t node = p->nodes.data[i];

		for (gst_op_id op = g->first_op[node];;
		     op = g->next_op.data[op - g->next_op.data[0]]) {
			if (!(b->m->ops[op].flags & GST_OP_TIMED))
				return 0;
			if (op == g->last_op[node])
				break;
		}
	}
	return count;
}

/* False: not all that orders the nodes of the launch is known. */
static bool lay_plan(struct gst_order_builder *b, struct plan *p, gst_op_id launch)
{
	struct gst_order_graphs *g = b->graphs;
	gst_call_id call = b->m->ops[launch].call;
	uint32_t slots = (uint32_t)p->nodes.count + p->join_count;
	uint32_t iterations;
	gst_node_id *at;

	if (p->is_cut || p->is_cyclic) {
		b->o->stats.cut_graphs++;
		return false;
	}
	iterations = count_iterations(b, p);
	if (!iterations) {
		b->o->stats.unknown_iterations++;
		return false;
	}
	if (!spend(g, (uint64_t)iterations * (p->edges.count + slots))) {
		b->o->stats.cut_graphs++;
		return false;
	}
	gst_vec_clear(&g->at);
	at = gst_vec_extend(&g->at, slots + 1);
	for (uint32_t i = 0; i < p->nodes.count; i++)
		at[i] = g->first_op[p->nodes.data[i]];
	for (uint32_t k = 0; k < iterations; k++) {
		for (uint32_t i = 0; i < p->join_count; i++)
			at[p->nodes.count + i] = gst_order_add_barrier(b, node_of_call(b, call));
		for (size_t i = 0; i < p->edges.count; i++) {
			const struct plan_edge *e = &p->edges.data[i];

			add_plan_edge(b, e, at[e->from], at[e->to], GST_RULE_G4);
		}
		if (k + 1 == iterations)
			break;
		gst_vec_clear(&g->next_at);
		(void)gst_vec_extend(&g->next_at, slots + 1);
		for (uint32_t i = 0; i < p->nodes.count; i++)
			g->next_at.data[i] = g->next_op.data[at[i] - g->next_op.data[0]];
		join_iterations(b, p, call, at, g->next_at.data);
		for (uint32_t i = 0; i < p->nodes.count; i++)
			at[i] = g->next_at.data[i];
	}
	return !p->is_vague;
}

static bool is_planned(const struct gst_order_graphs *g, const struct plan *p, gst_call_id launch)
{
	if (!p->is_made || p->seen != p->nodes.count || launch < p->from || launch >= p->to)
		return false;
	for (size_t i = 0; i < p->nodes.count; i++) {
		if (!g->ops[p->nodes.data[i]])
			return false;
	}
	return true;
}

/* The ops of @launch by node, into ops[] and its like. False: some are of no known node. */
static bool take_ops(struct gst_order_builder *b, gst_op_id launch)
{
	struct gst_order_graphs *g = b->graphs;
	const struct gst_call *c = &b->m->calls[b->m->ops[launch].call];
	gst_op_id end = c->first_op + c->op_count;
	bool is_whole = true;

	gst_vec_clear(&g->touched);
	gst_vec_clear(&g->graphs);
	gst_vec_clear(&g->next_op);
	gst_vec_push(&g->next_op, launch); /* the first op: its own place is of no other use */
	for (gst_op_id op = launch + 1; op < end && b->m->ops[op].parent == launch; op++) {
		uint32_t node = gst_op_graph_node(&b->m->ops[op]);
		struct plan *p;

		gst_vec_push(&g->next_op, GST_NONE);
		if (node == GST_NONE) {
			is_whole = false;
			continue;
		}
		if (g->ops[node]++) {
			g->next_op.data[g->last_op[node] - launch] = op;
			g->last_op[node] = op;
			continue;
		}
		g->first_op[node] = g->last_op[node] = op;
		gst_vec_push(&g->touched, node);
		p = &g->plans[b->m->graph_nodes[node].graph];
		if (!p->seen++)
			gst_vec_push(&g->graphs, b->m->graph_nodes[node].graph);
	}
	return is_whole;
}

/* ---- E6: event nodes ---------------------------------------------------------------------------------------- */

/* The record that is the latest at the launch, to node @wait. */
static void wait_node(struct gst_order_builder *b, gst_op_id wait)
{
	const struct gst_op *o = &b->m->ops[wait];
	enum front_kind kind = FRONT_UNKNOWN;
	gst_op_id record = GST_NONE;
	enum gst_record_ref ref = GST_REF_UNKNOWN;

	/* What the graph records itself may be meant, this time or the last: that is not promised. */
	if (o->event != GST_NONE && b->graphs->recorded_by[o->event] != o->parent)
		ref = gst_order_meant_record(b, o->call, o->event, 0, &record, &kind);
	gst_order_note_ref(b, wait, ref, record);
	if (ref != GST_REF_OP)
		return;
	switch (kind) {
	case FRONT_RECORD:
		gst_order_add_work(b, record, wait, GST_RULE_E6);
		break;
	case FRONT_NODE:
		gst_order_add_edge(b, record, wait, GST_RULE_E6, GST_POSSIBLE, GST_END_BEGIN, 0);
		break;
	case FRONT_PROGRAMMATIC:
	case FRONT_COMPLETION:
		gst_order_add_edge(b, record, wait, GST_RULE_E8,
				   kind == FRONT_PROGRAMMATIC ? GST_DOCUMENTED : GST_POSSIBLE,
				   GST_BEGIN_BEGIN, GST_EDGE_UNCHECKED);
		break;
	case FRONT_UNKNOWN:
		break;
	}
}

static void event_nodes(struct gst_order_builder *b, gst_op_id launch)
{
	const struct gst_model *m = b->m;
	gst_call_id call = m->ops[launch].call;
	gst_op_id end = m->calls[call].first_op + m->calls[call].op_count;

	for (gst_op_id op = launch + 1; op < end; op++) {
		if (m->ops[op].flags & GST_OP_NODE && m->ops[op].kind == GST_OP_EVENT_RECORD &&
		    m->ops[op].event != GST_NONE)
			b->graphs->recorded_by[m->ops[op].event] = launch;
	}
	for (gst_op_id op = launch + 1; op < end; op++) {
		if (m->ops[op].flags & GST_OP_NODE && m->ops[op].kind == GST_OP_EVENT_WAIT)
			wait_node(b, op);
	}
	for (gst_op_id op = launch + 1; op < end; op++) {
		if (m->ops[op].flags & GST_OP_NODE && m->ops[op].kind == GST_OP_EVENT_RECORD &&
		    m->ops[op].event != GST_NONE)
			gst_order_record_event(b, m->ops[op].event, op, call, FRONT_NODE);
	}
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

void gst_order_graph_rules(struct gst_order_builder *b, gst_op_id launch)
{
	struct gst_order_graphs *g = b->graphs;
	gst_call_id call = b->m->ops[launch].call;
	const struct gst_call *c = &b->m->calls[call];
	bool is_whole;

	if (!g || c->op_count < 2)
		return;
	event_nodes(b, launch);
	is_whole = take_ops(b, launch);
	for (size_t i = 0; i < g->graphs.count; i++) {
		struct plan *p = &g->plans[g->graphs.data[i]];

		if (!is_planned(g, p, call))
			make_plan(b, g->graphs.data[i], call);
		is_whole &= lay_plan(b, p, launch);
	}
	is_whole &= !g->is_lossy[b->m->threads[c->thread].process];
	for (size_t i = 0; i < g->graphs.count; i++)
		g->plans[g->graphs.data[i]].seen = 0;
	for (size_t i = 0; i < g->touched.count; i++)
		g->ops[g->touched.data[i]] = 0;
	if (!is_whole)
		gst_vec_push(&b->vague_launches, launch);
}

bool gst_order_is_vague_launch(const struct gst_order *o, gst_op_id launch)
{
	uint32_t low = 0;
	uint32_t high = o->vague_launch_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (o->vague_launches[middle] < launch) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < o->vague_launch_count && o->vague_launches[low] == launch;
}
