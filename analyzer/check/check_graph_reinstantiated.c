/*
 * check_graph_reinstantiated.c - graph-reinstantiated: an executable graph made anew where the one before would do.
 *
 * Role      : instantiate calls of one thread, each for a graph like the one before, whose executable graph was given up.
 * Method    : what is instantiated is told apart by its nodes' kinds and its edges, in the order in which they were made
 *             (what cudaGraphExecUpdate compares), or else by the graph itself, if nobody changed it. Cost: a replay in
 *             which the calls take no longer than an update.
 * Invariant : never claimed: kinds of nodes that an update may refuse, two executable graphs that were used side by
 *             side, a program whose update was refused. An update's own cost is measured in the trace or said as unknown.
 * Not here  : what destroying the old ones and uploading the new ones costs: it comes on top.
 */
#include "analyzer/check/check_internal.h"

#include <inttypes.h>

#include "analyzer/base/sort.h"
#include "tracer/format/api.h"

/* Made anew less often, it is no habit. */
#define AGAIN_MIN 2u
/* With more pauses of the recording than these, what was launched in them is not looked into: no claim. */
#define GAPS_MAX 64u
/* Graphs that differ and have the same hash: a stranger's work. The rest has no shape. */
#define SHAPES_MAX 8u

#define NOT_ASKED (UINT32_MAX - 1)

/* ---- what a graph looks like ------------------------------------------------------------------------------ */

struct shapes {
	const struct gst_model *m;
	uint32_t *
		position; /* by node: how many of its graph come before it; GST_NONE = it does not count */
	uint32_t *of_graph; /* by graph: the first graph that looks like it; GST_NONE = not known */
	struct gst_map by_hash;
};

/* Kinds whose parameters cudaGraphExecUpdate takes over. Of a child graph it is not known what is in it. */
static bool is_updatable(const struct gst_graph_node *n)
{
	switch (n->type) {
	case GST_NODE_KERNEL:
	case GST_NODE_MEMCPY:
	case GST_NODE_MEMSET:
	case GST_NODE_HOST:
	case GST_NODE_EMPTY:
	case GST_NODE_RECORD_EVENT:
	case GST_NODE_WAIT_EVENT:
		return !(n->flags & GST_GRAPH_NODE_UNDEFINED);
	default:
		return false;
	}
}

static bool counts(const struct gst_graph_node *n)
{
	return !(n->flags & GST_GRAPH_NODE_INTERNAL) && n->removed == GST_NONE;
}

static bool edge_counts(const struct shapes *s, const struct gst_graph_edge *e)
{
	return e->removed == GST_NONE && s->position[e->from] != GST_NONE &&
	       s->position[e->to] != GST_NONE;
}

/* Numbers the nodes of @g. False if one of them is of a kind of which nothing is claimed. */
static bool number_nodes(struct shapes *s, const struct gst_graph *g, uint64_t *hash)
{
	uint32_t count = 0;

	for (uint32_t i = g->first_node; i < g->first_node + g->node_count; i++) {
		const struct gst_graph_node *n = &s->m->graph_nodes[i];

		s->position[i] = GST_NONE;
		if (!counts(n)) {
			continue;
		}
		if (!is_updatable(n)) {
			return false;
		}
		s->position[i] = count++;
		*hash = gst_hash_u64(*hash ^ n->type) + 1;
	}
	return count > 0;
}

static bool next_node(const struct gst_model *m, const struct gst_graph *g, uint32_t *at)
{
	while (*at < g->first_node + g->node_count && !counts(&m->graph_nodes[*at])) {
		++*at;
	}
	return *at < g->first_node + g->node_count;
}

static bool next_edge(const struct shapes *s, const struct gst_graph *g, uint32_t *at)
{
	while (*at < g->first_edge + g->edge_count && !edge_counts(s, &s->m->graph_edges[*at])) {
		++*at;
	}
	return *at < g->first_edge + g->edge_count;
}

static bool has_same_nodes(const struct shapes *s, const struct gst_graph *a,
			   const struct gst_graph *b)
{
	uint32_t i = a->first_node, j = b->first_node;

	for (;; i++, j++) {
		bool more = next_node(s->m, a, &i);

		if (next_node(s->m, b, &j) != more) {
			return false;
		}
		if (!more) {
			return true;
		}
		if (s->m->graph_nodes[i].type != s->m->graph_nodes[j].type) {
			return false;
		}
	}
}

static bool has_same_edges(const struct shapes *s, const struct gst_graph *a,
			   const struct gst_graph *b)
{
	uint32_t i = a->first_edge, j = b->first_edge;

	for (;; i++, j++) {
		const struct gst_graph_edge *x, *y;
		bool more = next_edge(s, a, &i);

		if (next_edge(s, b, &j) != more) {
			return false;
		}
		if (!more) {
			return true;
		}
		x = &s->m->graph_edges[i];
		y = &s->m->graph_edges[j];
		if (s->position[x->from] != s->position[y->from] ||
		    s->position[x->to] != s->position[y->to] || x->port != y->port) {
			return false;
		}
	}
}

static bool is_much_larger(const struct gst_graph *a, const struct gst_graph *b)
{
	return a->node_count / 2 > b->node_count + 32 || a->edge_count / 2 > b->edge_count + 32;
}

static uint32_t find_shape(struct shapes *s, uint32_t graph)
{
	const struct gst_graph *g = &s->m->graphs[graph];
	uint64_t hash = 0;

	if (!number_nodes(s, g, &hash)) {
		return GST_NONE;
	}
	for (uint32_t i = g->first_edge; i < g->first_edge + g->edge_count; i++) {
		const struct gst_graph_edge *e = &s->m->graph_edges[i];

		if (edge_counts(s, e)) {
			hash = gst_hash_u64(hash ^ ((uint64_t)s->position[e->from] << 32 |
						    s->position[e->to])) +
			       e->port;
		}
	}
	for (uint32_t i = 0; i < SHAPES_MAX; i++) {
		uint32_t first = *gst_map_add(&s->by_hash, hash + i, graph, NULL);

		/* A look at the other takes no longer than one at this one. */
		if (first != graph && is_much_larger(&s->m->graphs[first], g)) {
			return GST_NONE;
		}
		if (first == graph || (has_same_nodes(s, &s->m->graphs[first], g) &&
				       has_same_edges(s, &s->m->graphs[first], g))) {
			return first;
		}
	}
	return GST_NONE;
}

/* Of a clone: what is in it is what was instantiated. */
static uint32_t shape_of(struct shapes *s, uint32_t graph)
{
	if (graph == GST_NONE || s->m->graphs[graph].original == GST_NONE) {
		return GST_NONE;
	}
	if (s->of_graph[graph] == NOT_ASKED) {
		s->of_graph[graph] = find_shape(s, graph);
	}
	return s->of_graph[graph];
}

static void open_shapes(struct shapes *s, const struct gst_model *m)
{
	s->m = m;
	s->position = gst_mem_alloc((m->graph_node_count + (size_t)1) * sizeof(*s->position));
	s->of_graph = gst_mem_alloc((m->graph_count + (size_t)1) * sizeof(*s->of_graph));
	for (uint32_t i = 0; i < m->graph_count; i++) {
		s->of_graph[i] = NOT_ASKED;
	}
}

static void close_shapes(struct shapes *s)
{
	gst_map_release(&s->by_hash);
	gst_mem_free(s->of_graph, (s->m->graph_count + (size_t)1) * sizeof(*s->of_graph));
	gst_mem_free(s->position, (s->m->graph_node_count + (size_t)1) * sizeof(*s->position));
}

/* ---- how executable graphs were used ------------------------------------------------------------------------ */

struct use {
	gst_op_id first; /* launch; GST_NONE = never launched */
	gst_call_id last_call;
	gst_stream_id stream; /* of all launches; GST_NONE = of several, or not known */
	uint64_t begin_ns, end_ns;
	bool is_timed; /* all launches are */
};

static struct use *find_uses(const struct gst_model *m)
{
	struct use *uses = gst_mem_alloc((m->exec_count + (size_t)1) * sizeof(*uses));

	for (uint32_t i = 0; i < m->exec_count; i++) {
		uses[i] = (struct use){.first = GST_NONE, .begin_ns = UINT64_MAX};
	}
	for (gst_op_id i = 0; i < m->op_count; i++) {
		const struct gst_op *op = &m->ops[i];
		bool is_timed = op->flags & (GST_OP_TIMED | GST_OP_PARTIAL);
		struct use *u;

		if (op->kind != GST_OP_GRAPH_LAUNCH || op->flags & GST_OP_NODE ||
		    op->detail == GST_NONE || op->call == GST_NONE) {
			continue;
		}
		u = &uses[op->detail];
		if (u->first == GST_NONE) {
			*u = (struct use){.first = i,
					  .last_call = op->call,
					  .stream = op->stream,
					  .begin_ns = UINT64_MAX,
					  .is_timed = true};
		}
		u->stream = u->stream == op->stream ? u->stream : GST_NONE;
		u->last_call = op->call > u->last_call ? op->call : u->last_call;
		u->is_timed &= is_timed;
		if (is_timed) {
			u->begin_ns = op->begin_ns < u->begin_ns ? op->begin_ns : u->begin_ns;
			u->end_ns = op->end_ns > u->end_ns ? op->end_ns : u->end_ns;
		}
	}
	return uses;
}

/* Did @after begin when @before was over? Where times do not tell, one stream does. */
static bool is_behind(const struct use *before, const struct use *after)
{
	if (before->is_timed && after->is_timed) {
		return before->end_ns <= after->begin_ns;
	}
	return before->stream != GST_NONE && before->stream == after->stream;
}

/* May the recording have been paused while @exec could be launched, after its last launch that was seen? */
static bool has_gap(const struct gst_model *m, const struct gst_exec *exec, const struct use *u)
{
	uint64_t from_ns = m->calls[u->last_call].enter_ns;
	uint64_t to_ns =
		exec->destroy_call == GST_NONE ? UINT64_MAX : m->calls[exec->destroy_call].enter_ns;

	for (uint32_t i = 0; i < m->gap_count && i < GAPS_MAX; i++) {
		if (m->gaps[i].to_ns > from_ns && m->gaps[i].from_ns < to_ns) {
			return true;
		}
	}
	return m->gap_count > GAPS_MAX;
}

/* ---- the search ----------------------------------------------------------------------------------------------- */

/* One that was made anew: @exec instead of @before. */
struct again {
	uint32_t place, exec, before;
};

struct search {
	struct gst_check_run *r;
	struct shapes shapes;
	struct use *uses;
	struct gst_map execs; /* instantiate call -> exec */
	struct gst_map
		refused;       /* process and handle, mixed -> last call that failed to change it */
	struct gst_map places; /* thread and what is instantiated -> index into last */
	GST_VEC(uint32_t) last;	 /* by place: the newest exec */
	GST_VEC(uint32_t) count; /* by place: how often made anew */
	GST_VEC(struct again) found;
	GST_VEC(struct gst_sort_item) updates; /* their times */
};

/* Of all that updates cost in the trace, for report functions. */
struct updates {
	uint64_t ns;
	uint32_t count;
};

static uint64_t handle_key(uint32_t process, uint64_t handle)
{
	return gst_hash_u64(handle + process);
}

bool gst_check_graph_reinstantiated_wants(const struct gst_call *c)
{
	return !(c->flags & (GST_CALL_NO_ENTER | GST_CALL_CAPTURED)) &&
	       c->flags & GST_CALL_RETURNED;
}

static void see_update(struct search *s, gst_call_id call)
{
	const struct gst_model *m = s->r->m;
	const struct gst_call *c = &m->calls[call];
	const struct gst_api *api = gst_api_find(c->api);

	if (c->result && c->args != GST_NONE) {
		gst_map_put(&s->refused,
			    handle_key(m->threads[c->thread].process, m->args[c->args].b), call);
	} else if (!c->result && api && api->layout == GST_PARAMS_GRAPH_UPDATE) {
		gst_vec_push(&s->updates, (struct gst_sort_item){.key = c->exit_ns - c->enter_ns});
	}
}

/* Could @before have been launched on, brought up to date, instead of making @exec? */
static bool would_do(const struct search *s, uint32_t before, uint32_t exec, bool has_shape)
{
	const struct gst_model *m = s->r->m;
	const struct gst_exec *x = &m->execs[before], *y = &m->execs[exec];
	gst_call_id call;

	if (s->uses[before].last_call >= y->make_call ||
	    !is_behind(&s->uses[before], &s->uses[exec]) || has_gap(m, x, &s->uses[before])) {
		return false;
	}
	if (gst_map_get(&s->refused, handle_key(x->process, x->handle), &call) &&
	    call > x->make_call) {
		return false;
	}
	return has_shape || m->graphs[y->source].last_change == GST_NONE ||
	       m->graphs[y->source].last_change < x->make_call;
}

static void see_instantiate(struct search *s, gst_call_id call)
{
	const struct gst_model *m = s->r->m;
	uint32_t exec, what, *place;
	bool is_new, has_shape;

	if (m->calls[call].result || !gst_map_get(&s->execs, call, &exec) ||
	    s->uses[exec].first == GST_NONE) {
		return;
	}
	what = shape_of(&s->shapes, m->execs[exec].graph);
	has_shape = what != GST_NONE;
	what = has_shape ? what : m->execs[exec].source;
	if (what == GST_NONE) {
		return;
	}
	place = gst_map_add(&s->places,
			    (uint64_t)m->calls[call].thread << 32 | (what << 1 | has_shape),
			    (uint32_t)s->last.count, &is_new);
	if (is_new) {
		gst_vec_push(&s->last, exec);
		gst_vec_push(&s->count, 0);
		return;
	}
	if (would_do(s, s->last.data[*place], exec, has_shape)) {
		gst_vec_push(&s->found, (struct again){*place, exec, s->last.data[*place]});
		s->count.data[*place]++;
	}
	s->last.data[*place] = exec;
}

static void search(struct search *s)
{
	const struct gst_check_run *r = s->r;

	open_shapes(&s->shapes, r->m);
	s->uses = find_uses(r->m);
	for (uint32_t i = 0; i < r->m->exec_count; i++) {
		if (r->m->execs[i].make_call != GST_NONE) {
			gst_map_put(&s->execs, r->m->execs[i].make_call, i);
		}
	}
	for (size_t i = 0; i < r->calls.count; i++) {
		if (r->m->calls[r->calls.data[i]].cls == GST_API_CLASS_GRAPH_UPDATE) {
			see_update(s, r->calls.data[i]);
		} else {
			see_instantiate(s, r->calls.data[i]);
		}
	}
}

static void end_search(struct search *s)
{
	gst_vec_free(&s->updates);
	gst_vec_free(&s->found);
	gst_vec_free(&s->count);
	gst_vec_free(&s->last);
	gst_map_release(&s->places);
	gst_map_release(&s->refused);
	gst_map_release(&s->execs);
	gst_mem_free(s->uses, (s->r->m->exec_count + (size_t)1) * sizeof(*s->uses));
	close_shapes(&s->shapes);
}

/* ---- the finding ------------------------------------------------------------------------------------------------ */

enum extra { EXTRA_CALL_NS, EXTRA_LONGEST_NS, EXTRA_EXEC };

static void add(const struct search *s, struct gst_groups *groups, const struct again *a,
		uint64_t update_ns)
{
	const struct gst_model *m = s->r->m;
	gst_call_id call = m->execs[a->exec].make_call;
	const struct gst_call *c = &m->calls[call];
	uint64_t ns = c->exit_ns - c->enter_ns;
	struct gst_group *g = gst_groups_at(groups, (uint32_t[6]){c->thread, c->api, a->place});

	g->extra[EXTRA_CALL_NS] += ns;
	g->extra[EXTRA_LONGEST_NS] =
		ns > g->extra[EXTRA_LONGEST_NS] ? ns : g->extra[EXTRA_LONGEST_NS];
	if (g->occurrence_count == 0) {
		g->extra[EXTRA_EXEC] = a->exec;
	}
	g->reach_ns += ns > update_ns ? ns - update_ns : 0;
	gst_vec_push(&g->calls, call);
	/* Nothing waits: the thread is busy. */
	gst_group_add(g, (struct gst_occurrence){.begin_ns = c->enter_ns,
						 .end_ns = c->exit_ns,
						 .waiter = s->uses[a->exec].first,
						 .culprit = GST_NONE,
						 .call = call});
}

static const char *say_graph(struct gst_check_run *r, uint32_t exec)
{
	const struct gst_model *m = r->m;
	uint32_t clone = m->execs[exec].graph;
	uint32_t nodes = clone == GST_NONE ? 0 : m->graphs[clone].own_count;

	if (nodes == 0) {
		return "from the same graph as before, which had not changed";
	}
	return gst_check_text(r,
			      "from a graph of %" PRIu32
			      " node%s, of the same kinds and order as the one before",
			      nodes, nodes == 1 ? "" : "s");
}

/* What the host waits for it waits for longer if it comes earlier, and nobody knows how much. */
static bool is_untimed(const struct gst_model *m, gst_call_id call)
{
	uint32_t process = m->threads[m->calls[call].thread].process;

	return m->processes[process].trace.options & GST_TRACE_NO_DEVICE;
}

static void report(struct gst_check_run *r, struct gst_group *g, uint64_t together_ns,
		   void *payload)
{
	const struct updates *u = payload;
	struct gst_finding f = {.id = "graph-reinstantiated"};
	gst_call_id call = g->occurrences.data[0].call;
	char a[32], b[32], c[32];

	(void)together_ns;
	gst_group_cost(r, g, &f);
	f.title = gst_check_text(r, "%s made an executable graph anew %s: %s of calls",
				 gst_check_api(r, call), gst_check_times(r, g->occurrence_count),
				 gst_check_time(a, g->extra[EXTRA_CALL_NS]));
	f.detail = gst_check_text(
		r,
		"on %s, each time %s; the executable graph before it was not launched again\nthe longest call took %s; %s",
		gst_check_thread(r, call), say_graph(r, (uint32_t)g->extra[EXTRA_EXEC]),
		gst_check_time(b, g->extra[EXTRA_LONGEST_NS]),
		u->count ? gst_check_text(
				   r, "cudaGraphExecUpdate takes %s here (median of %" PRIu32 ")",
				   gst_check_time(c, u->ns), u->count)
			 : "this trace has no cudaGraphExecUpdate to compare with");
	f.advice =
		"Keep the executable graph: launch it again if the graph is the same, else bring it up to date with "
		"cudaGraphExecUpdate (or set the parameters of the nodes that change), and instantiate only if "
		"that is refused.";
	if (u->count == 0 || is_untimed(r->m, call)) {
		f.cost_is_bound = true;
		f.cost_ns = f.cost_low_ns = 0;
		f.withheld = gst_check_withheld(r);
	}
	if (!f.withheld && u->count == 0) {
		f.withheld =
			"what an update costs is not known here: it may take as long as instantiating, so only a bound is "
			"told";
	} else if (!f.withheld && is_untimed(r->m, call)) {
		f.withheld =
			"when work ran is not known: the device may have been busy all the time, so only a bound is told";
	}
	gst_group_report(r, g, &f);
}

void gst_check_graph_reinstantiated(struct gst_check_run *r)
{
	struct search s = {.r = r};
	struct gst_groups groups = {0};
	struct updates *u = GST_ARENA_ARRAY(r->arena, struct updates, 1);

	if (r->m->exec_count <= AGAIN_MIN) {
		return;
	}
	search(&s);
	u->count = (uint32_t)s.updates.count;
	if (u->count) {
		gst_sort_items(s.updates.data, s.updates.count);
		u->ns = s.updates.data[u->count / 2].key;
	}
	for (size_t i = 0; i < s.found.count; i++) {
		if (s.count.data[s.found.data[i].place] >= AGAIN_MIN) {
			add(&s, &groups, &s.found.data[i], u->ns);
		}
	}
	end_search(&s);
	gst_groups_report(r, &groups, u->ns, report, u);
}
