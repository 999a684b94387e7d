/*
 * model_graphs.c - graphs, their nodes and edges, and what calls do to executable graphs.
 *
 * Role      : steps of gst_model_build: tables from the definitions, executable graphs in the walk over the
 *             calls, and at the end what only device records can tell.
 * Method    : nodes get their index by sorting (graph, CUPTI's id); an edge is a pair of indices with the calls
 *             that made and removed it. A clone's node knows its original: kind, event and port come from there.
 * Invariant : linear in records (and a sort); an id that nothing defines is a node of its own, never an error.
 * Not here  : what the edges order (analyzer/order/graphs.c).
 */
#include "analyzer/base/assert.h"
#include "analyzer/base/sort.h"
#include "analyzer/model/model_internal.h"

/* ---- the calls that made them ----------------------------------------------------------------------- */

struct makers {
	struct gst_map calls; /* process, corr -> call */
	uint64_t *seen;	      /* a bit for each corr that is wanted, modulo SEEN_BITS */
};

#define SEEN_BITS (UINT32_C(1) << 20)

static uint64_t maker_key(uint32_t process, uint32_t corr)
{
	return (uint64_t)process << 32 | corr;
}

static void want(struct makers *m, uint32_t process, uint32_t corr)
{
	if (!corr)
		return;
	gst_map_put(&m->calls, maker_key(process, corr), GST_NONE);
	m->seen[corr % SEEN_BITS / 64] |= UINT64_C(1) << (corr % 64);
}

/* Does @c say from which ports captured calls go on? */
static bool may_give_ports(const struct gst_builder *b, const struct gst_call *c)
{
	const struct gst_api *api = gst_api_find(c->api);

	return api && api->layout == GST_PARAMS_CAPTURE_EDGES_DATA && c->args != GST_NONE &&
	       b->args.data[c->args].flags;
}

/* One pass over the calls; of those that share an id the first one counts. */
static void find_makers(struct gst_builder *b, struct makers *m)
{
	uint32_t last_process = GST_NONE;
	uint32_t last_corr = 0;

	for (size_t i = 0; i < b->raw_graphs.count; i++)
		want(m, b->raw_graphs.data[i].process, b->raw_graphs.data[i].corr);
	for (size_t i = 0; i < b->raw_graph_nodes.count; i++) {
		const struct gst_raw_graph_node *n = &b->raw_graph_nodes.data[i];

		if (n->corr == last_corr && n->process == last_process)
			continue;
		last_corr = n->corr;
		last_process = n->process;
		want(m, n->process, n->corr);
	}
	for (size_t i = 0; i < b->raw_graph_edges.count; i++) {
		const struct gst_raw_graph_edge *e = &b->raw_graph_edges.data[i];

		if (e->corr == last_corr && e->process == last_process)
			continue;
		last_corr = e->corr;
		last_process = e->process;
		want(m, e->process, e->corr);
	}
	for (size_t i = 0; i < b->raw_execs.count; i++) {
		if (!b->raw_execs.data[i].is_state)
			want(m, b->raw_execs.data[i].process, b->raw_execs.data[i].corr);
	}
	for (gst_call_id c = b->m->call_count; gst_map_count(&m->calls) && c-- > 0;) {
		const struct gst_call *call = &b->m->calls[c];
		uint32_t corr = call->corr;
		uint32_t process = b->m->threads[call->thread].process;
		uint64_t key = maker_key(process, corr);

		if (call->cls == GST_API_CLASS_GRAPH_BUILD && may_give_ports(b, call))
			b->processes.data[process].has_capture_ports = true;

		if (corr && m->seen[corr % SEEN_BITS / 64] >> (corr % 64) & 1 &&
		    gst_map_get(&m->calls, key, NULL))
			gst_map_put(&m->calls, key, c);
	}
}

static gst_call_id maker_of(const struct makers *m, uint32_t process, uint32_t corr)
{
	gst_call_id call = GST_NONE;

	if (corr)
		(void)gst_map_get(&m->calls, maker_key(process, corr), &call);
	return call;
}

/* ---- graphs ----------------------------------------------------------------------------------------------- */

static uint32_t graph_by_id(const struct gst_builder *b, uint32_t process, uint32_t id)
{
	uint32_t found = GST_NONE;

	(void)gst_map_get(&b->processes.data[process].graph_ids, id, &found);
	return found;
}

static void add_graph(struct gst_builder *b, uint32_t process, uint32_t id)
{
	bool is_new;

	(void)gst_map_add(&b->processes.data[process].graph_ids, id, (uint32_t)b->graphs.count,
			  &is_new);
	if (!is_new)
		return;
	gst_vec_push(&b->graphs, (struct gst_graph){.process = process,
						    .cupti_id = id,
						    .original = GST_NONE,
						    .made = GST_NONE,
						    .last_change = GST_NONE});
}

/* By process and id: the order in which they are numbered. */
static void sort_graphs(struct gst_builder *b)
{
	size_t count = b->graphs.count;
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	struct gst_graph *sorted = gst_mem_alloc(count * sizeof(*sorted));

	for (size_t i = 0; i < count; i++) {
		items[i].key =
			(uint64_t)b->graphs.data[i].process << 32 | b->graphs.data[i].cupti_id;
		items[i].value = (uint32_t)i;
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = b->graphs.data[items[i].value];
		gst_map_put(&b->processes.data[sorted[i].process].graph_ids, sorted[i].cupti_id,
			    (uint32_t)i);
	}
	if (count)
		memcpy(b->graphs.data, sorted, count * sizeof(*sorted));
	gst_mem_free(sorted, count * sizeof(*sorted));
	gst_mem_free(items, count * sizeof(*items));
}

static void define_graphs(struct gst_builder *b, const struct makers *makers)
{
	for (size_t i = 0; i < b->raw_graphs.count; i++)
		add_graph(b, b->raw_graphs.data[i].process, b->raw_graphs.data[i].graph);
	for (size_t i = 0; i < b->raw_graph_nodes.count; i++)
		add_graph(b, b->raw_graph_nodes.data[i].process, b->raw_graph_nodes.data[i].graph);
	for (size_t i = 0; i < b->raw_graph_edges.count; i++)
		add_graph(b, b->raw_graph_edges.data[i].process, b->raw_graph_edges.data[i].graph);
	sort_graphs(b);
	for (size_t i = 0; i < b->raw_graphs.count; i++) {
		const struct gst_raw_graph *r = &b->raw_graphs.data[i];
		struct gst_graph *g = &b->graphs.data[graph_by_id(b, r->process, r->graph)];

		if (r->handle)
			g->handle = r->handle;
		if (r->original && r->original != r->graph)
			g->original = graph_by_id(b, r->process, r->original);
		if (g->made == GST_NONE)
			g->made = maker_of(makers, r->process, r->corr);
	}
}

/* ---- nodes ------------------------------------------------------------------------------------------------ */

uint32_t gst_model_graph_node(struct gst_builder *b, uint32_t process, uint64_t node)
{
	struct gst_raw_process *p = &b->processes.data[process];
	uint32_t found = GST_NONE;

	if (!node)
		return GST_NONE;
	/* Ids count up in a graph, and launches name node after node of it. */
	if (p->recent_graph < b->graphs.count) {
		const struct gst_graph *g = &b->graphs.data[p->recent_graph];
		uint32_t at = (uint32_t)node;

		if (at < g->node_count && g->process == process &&
		    b->graph_nodes.data[g->first_node + at].cupti_id == node)
			return g->first_node + at;
	}
	if (gst_map_get(&p->graph_nodes, node, &found))
		p->recent_graph = b->graph_nodes.data[found].graph;
	return found;
}

static void add_node(struct gst_builder *b, uint32_t process, uint64_t id, uint32_t graph,
		     uint8_t flags)
{
	bool is_new;

	(void)gst_map_add(&b->processes.data[process].graph_nodes, id,
			  (uint32_t)b->graph_nodes.count, &is_new);
	if (!is_new)
		return;
	gst_vec_push(&b->graph_nodes,
		     (struct gst_graph_node){.cupti_id = id,
					     .graph = graph_by_id(b, process, graph),
					     .original = GST_NONE,
					     .made = GST_NONE,
					     .removed = GST_NONE,
					     .flags = flags});
}

static void sort_nodes(struct gst_builder *b)
{
	size_t count = b->graph_nodes.count;
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	struct gst_graph_node *sorted = gst_mem_alloc(count * sizeof(*sorted));

	for (size_t i = 0; i < count; i++) {
		items[i].key = b->graph_nodes.data[i].cupti_id;
		items[i].value = (uint32_t)i;
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++)
		items[i].key = b->graph_nodes.data[items[i].value].graph;
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		struct gst_graph *g;

		sorted[i] = b->graph_nodes.data[items[i].value];
		g = &b->graphs.data[sorted[i].graph];
		if (!g->node_count++)
			g->first_node = (uint32_t)i;
		gst_map_put(&b->processes.data[g->process].graph_nodes, sorted[i].cupti_id,
			    (uint32_t)i);
	}
	if (count)
		memcpy(b->graph_nodes.data, sorted, count * sizeof(*sorted));
	gst_mem_free(sorted, count * sizeof(*sorted));
	gst_mem_free(items, count * sizeof(*items));
}

/* What a call that adds a node adds. */
static uint8_t type_of_build(const struct gst_builder *b, const struct gst_call *c)
{
	static const struct {
		const char *name;
		uint8_t type;
	} adds[] = {
		{"cuGraphAddKernelNode", GST_NODE_KERNEL},
		{"cuGraphAddMemcpyNode", GST_NODE_MEMCPY},
		{"cuGraphAddMemsetNode", GST_NODE_MEMSET},
		{"cuGraphAddHostNode", GST_NODE_HOST},
		{"cuGraphAddChildGraphNode", GST_NODE_GRAPH},
		{"cuGraphAddEmptyNode", GST_NODE_EMPTY},
		{"cuGraphAddEventRecordNode", GST_NODE_RECORD_EVENT},
		{"cuGraphAddEventWaitNode", GST_NODE_WAIT_EVENT},
		{"cuGraphAddExternalSemaphoresSignalNode", GST_NODE_SEMAPHORE_SIGNAL},
		{"cuGraphAddExternalSemaphoresWaitNode", GST_NODE_SEMAPHORE_WAIT},
		{"cuGraphAddMemAllocNode", GST_NODE_ALLOC},
		{"cuGraphAddMemFreeNode", GST_NODE_FREE},
		{"cuGraphAddBatchMemOpNode", GST_NODE_MEMOPS},
	};
	const struct gst_api *api = gst_api_find(c->api);
	uint32_t flags = c->args == GST_NONE ? 0 : b->args.data[c->args].flags;

	for (size_t i = 0; api && i < sizeof(adds) / sizeof(adds[0]); i++) {
		if (!strcmp(api->name, adds[i].name))
			return adds[i].type;
	}
	/* cuGraphAddNode says it itself. */
	return flags <= GST_NODE_CONDITIONAL ? (uint8_t)flags : GST_NODE_UNKNOWN;
}

/* What a call that was captured, or that builds a graph, put into it. */
static uint8_t type_of_call(const struct gst_builder *b, gst_call_id call)
{
	if (call == GST_NONE)
		return GST_NODE_UNKNOWN;
	switch (b->m->calls[call].cls) {
	case GST_API_CLASS_LAUNCH:
		return GST_NODE_KERNEL;
	case GST_API_CLASS_COPY:
		return GST_NODE_MEMCPY;
	case GST_API_CLASS_MEMSET:
		return GST_NODE_MEMSET;
	case GST_API_CLASS_HOST_FUNC:
		return GST_NODE_HOST;
	case GST_API_CLASS_EVENT_RECORD:
		return GST_NODE_RECORD_EVENT;
	case GST_API_CLASS_EVENT_WAIT:
		return GST_NODE_WAIT_EVENT;
	case GST_API_CLASS_ALLOC_ASYNC:
		return GST_NODE_ALLOC;
	case GST_API_CLASS_FREE_ASYNC:
		return GST_NODE_FREE;
	case GST_API_CLASS_MEMOP:
		return GST_NODE_MEMOPS;
	case GST_API_CLASS_GRAPH_LAUNCH:
		return GST_NODE_GRAPH;
	case GST_API_CLASS_GRAPH_BUILD:
		return type_of_build(b, &b->m->calls[call]);
	default:
		return GST_NODE_UNKNOWN;
	}
}

/* CUPTI 13.0 calls nodes of every kind kernels (measured): then the word says nothing. */
static bool *find_truthful(const struct gst_builder *b)
{
	bool *tells = gst_mem_alloc(b->processes.count * sizeof(*tells));

	for (size_t i = 0; i < b->raw_graph_nodes.count; i++) {
		const struct gst_raw_graph_node *n = &b->raw_graph_nodes.data[i];

		if (n->type != GST_NODE_UNKNOWN && n->type != GST_NODE_KERNEL)
			tells[n->process] = true;
	}
	return tells;
}

static void merge_node(struct gst_builder *b, const struct makers *makers,
		       const struct gst_raw_graph_node *r, bool is_truthful, uint8_t *told)
{
	uint32_t index = gst_model_graph_node(b, r->process, r->node);
	struct gst_graph_node *n = &b->graph_nodes.data[index];
	gst_call_id call = maker_of(makers, r->process, r->corr);
	uint32_t original;

	if (r->change) {
		n->removed = call;
		return;
	}
	n->removed = GST_NONE;
	if (r->handle)
		n->handle = r->handle;
	if (n->made == GST_NONE)
		n->made = call;
	original = gst_model_graph_node(b, r->process, r->original);
	if (original != GST_NONE && b->graph_nodes.data[original].graph != n->graph)
		n->original = original;
	if (r->name)
		n->name = r->name;
	if ((r->type > GST_NODE_KERNEL && r->type <= GST_NODE_CONDITIONAL) ||
	    (r->type == GST_NODE_KERNEL && (is_truthful || r->name)))
		told[index] = r->type;
	/* What the captured call was is sure; CUPTI's word comes after that. */
	n->type = type_of_call(b, n->made);
	if (n->type == GST_NODE_UNKNOWN)
		n->type = told[index];
}

/* The node of the program's graph that @node was made from, however many clones ago. */
static uint32_t origin_of(const struct gst_builder *b, uint32_t node)
{
	for (uint32_t i = 0; i < CLONES_MAX && b->graph_nodes.data[node].original != GST_NONE; i++)
		node = b->graph_nodes.data[node].original;
	return node;
}

static void define_nodes(struct gst_builder *b, const struct makers *makers)
{
	bool *is_truthful = find_truthful(b);
	uint8_t *told;

	for (size_t i = 0; i < b->raw_graph_nodes.count; i++) {
		const struct gst_raw_graph_node *n = &b->raw_graph_nodes.data[i];

		if (n->node)
			add_node(b, n->process, n->node, n->graph, 0);
	}
	for (size_t i = 0; i < b->raw_graph_edges.count; i++) {
		const struct gst_raw_graph_edge *e = &b->raw_graph_edges.data[i];

		if (!e->from || !e->to)
			continue;
		add_node(b, e->process, e->from, e->graph, GST_GRAPH_NODE_UNDEFINED);
		add_node(b, e->process, e->to, e->graph, GST_GRAPH_NODE_UNDEFINED);
	}
	sort_nodes(b);
	told = gst_mem_alloc(b->graph_nodes.count * sizeof(*told));
	for (size_t i = 0; i < b->raw_graph_nodes.count; i++) {
		const struct gst_raw_graph_node *n = &b->raw_graph_nodes.data[i];

		if (n->node)
			merge_node(b, makers, n, is_truthful[n->process], told);
	}
	for (uint32_t i = 0; i < b->graph_nodes.count; i++) {
		struct gst_graph_node *n = &b->graph_nodes.data[i];
		const struct gst_graph_node *o = &b->graph_nodes.data[origin_of(b, i)];
		struct gst_graph *g = &b->graphs.data[n->graph];

		if (n->original == GST_NONE)
			continue;
		/* Not that of the call: it may have cloned a whole child graph. */
		n->type = o->type != GST_NODE_UNKNOWN ? o->type : told[i];
		if (!n->name)
			n->name = o->name;
		if (g->original == GST_NONE)
			g->original = b->graph_nodes.data[n->original].graph;
	}
	/* As far as can be told before it is known what ran. */
	for (uint32_t i = 0; i < b->graph_nodes.count; i++) {
		const struct gst_graph_node *n = &b->graph_nodes.data[i];
		struct gst_graph *g = &b->graphs.data[n->graph];

		g->own_count += (g->original == GST_NONE || n->original != GST_NONE) &&
				n->removed == GST_NONE;
	}
	gst_mem_free(told, b->graph_nodes.count * sizeof(*told));
	gst_mem_free(is_truthful, b->processes.count * sizeof(*is_truthful));
}

/* Event records and waits of each graph: they act at every launch. */
static void list_event_nodes(struct gst_builder *b)
{
	for (uint32_t i = 0; i < b->graph_nodes.count; i++) {
		const struct gst_graph_node *n = &b->graph_nodes.data[i];
		struct gst_graph *g = &b->graphs.data[n->graph];

		if (n->type != GST_NODE_RECORD_EVENT && n->type != GST_NODE_WAIT_EVENT)
			continue;
		if (!g->event_count++)
			g->first_event = (uint32_t)b->graph_event_nodes.count;
		gst_vec_push(&b->graph_event_nodes, i);
	}
}

/* ---- edges ------------------------------------------------------------------------------------------------ */

static uint8_t port_of_record(uint16_t port)
{
	/* + 1, as recorded: 0 = not known. */
	switch (port) {
	case 0:
		return GST_PORT_UNKNOWN;
	case 1:
		return GST_PORT_DEFAULT;
	case 2:
		return GST_PORT_PROGRAMMATIC;
	case 3:
		return GST_PORT_LAUNCH_ORDER;
	default:
		return GST_PORT_OTHER;
	}
}

/* One record about an edge, after all earlier ones about the same pair. @open: its life goes on. */
static bool merge_edge(struct gst_builder *b, const struct makers *makers,
		       const struct gst_raw_graph_edge *r, uint32_t from, uint32_t to, bool open)
{
	gst_call_id call = maker_of(makers, r->process, r->corr);
	struct gst_graph *g = &b->graphs.data[b->graph_nodes.data[from].graph];
	struct gst_graph_edge *last = open ? &b->graph_edges.data[b->graph_edges.count - 1] : NULL;

	if (call != GST_NONE && (g->last_change == GST_NONE || call > g->last_change))
		g->last_change = call;
	if (r->change) {
		/* While it instantiates a clone, CUDA rewires it: what the program asked for still holds. */
		if (last && call != GST_NONE && call == last->made &&
		    b->graph_nodes.data[from].original != GST_NONE &&
		    b->graph_nodes.data[to].original != GST_NONE)
			return true;
		if (last && call == GST_NONE) {
			/* Nobody knows when it ended: it is not relied on. */
			b->graph_edges.count--;
			g->edge_count--;
		} else if (last) {
			last->removed = call;
		}
		return false;
	}
	if (last) {
		if (last->port == GST_PORT_UNKNOWN)
			last->port = port_of_record(r->port);
		return true;
	}
	if (!g->edge_count++)
		g->first_edge = (uint32_t)b->graph_edges.count;
	gst_vec_push(&b->graph_edges, (struct gst_graph_edge){.from = from,
							      .to = to,
							      .made = call,
							      .removed = GST_NONE,
							      .port = port_of_record(r->port)});
	return true;
}

static void define_edges(struct gst_builder *b, const struct makers *makers)
{
	GST_VEC(struct gst_sort_item) items = {0};
	bool open = false;

	for (size_t i = 0; i < b->raw_graph_edges.count; i++) {
		const struct gst_raw_graph_edge *e = &b->raw_graph_edges.data[i];
		uint32_t from = gst_model_graph_node(b, e->process, e->from);
		uint32_t to = gst_model_graph_node(b, e->process, e->to);

		if (from == GST_NONE || to == GST_NONE ||
		    b->graph_nodes.data[from].graph != b->graph_nodes.data[to].graph)
			continue;
		gst_vec_push(&items, (struct gst_sort_item){.key = (uint64_t)from << 32 | to,
							    .value = (uint32_t)i});
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count; i++) {
		if (i && items.data[i].key != items.data[i - 1].key)
			open = false;
		open = merge_edge(b, makers, &b->raw_graph_edges.data[items.data[i].value],
				  (uint32_t)(items.data[i].key >> 32), (uint32_t)items.data[i].key,
				  open);
	}
	gst_vec_free(&items);
}

/* ---- executable graphs -------------------------------------------------------------------------------------- */

static uint32_t new_exec(struct gst_builder *b, uint32_t process, uint64_t handle,
			 gst_call_id make_call)
{
	gst_vec_push(&b->execs, (struct gst_exec){.process = process,
						  .handle = handle,
						  .graph = GST_NONE,
						  .source = GST_NONE,
						  .make_call = make_call,
						  .destroy_call = GST_NONE,
						  .lost_events = GST_NONE});
	return (uint32_t)b->execs.count - 1;
}

/* A graph may have the id that its executable graph is said to have, and be another one all the same. */
static bool is_clone(const struct gst_builder *b, uint32_t graph)
{
	return graph != GST_NONE && b->graphs.data[graph].original != GST_NONE;
}

static void define_execs(struct gst_builder *b, const struct makers *makers)
{
	for (size_t i = 0; i < b->raw_execs.count; i++) {
		struct gst_raw_exec *r = &b->raw_execs.data[i];
		struct gst_raw_process *p = &b->processes.data[r->process];
		bool is_later = p->has_segment && r->segment > p->first_segment;
		gst_call_id call = r->is_state ? GST_NONE : maker_of(makers, r->process, r->corr);
		uint32_t known, graph;
		struct gst_exec *e;

		if (r->is_state && is_later)
			continue; /* gst_model_graphs_segment */
		if (r->is_state && gst_map_get(&p->exec_lives, r->handle, &known))
			continue;
		graph = r->id ? graph_by_id(b, r->process, r->id) : GST_NONE;
		if (!is_clone(b, graph) && r->id == r->graph)
			graph = GST_NONE;
		/* Each window tells again of what was made before it. */
		if (is_later && call == GST_NONE && gst_map_get(&p->exec_defs, r->handle, &known) &&
		    b->execs.data[known].graph == graph) {
			r->exec = known;
			continue;
		}
		r->exec = new_exec(b, r->process, r->handle, call);
		gst_map_put(&p->exec_defs, r->handle, r->exec);
		e = &b->execs.data[r->exec];
		e->source = r->graph ? graph_by_id(b, r->process, r->graph) : GST_NONE;
		e->graph = graph;
		if (call != GST_NONE) {
			(void)gst_map_add(&b->exec_of_call, call, r->exec, NULL);
		} else if (!is_later) {
			gst_map_put(&p->exec_lives, r->handle, r->exec);
		}
	}
}

void gst_model_graphs_segment(struct gst_builder *b, uint32_t process, uint32_t segment,
			      gst_call_id first)
{
	struct gst_raw_process *p = &b->processes.data[process];
	struct gst_map before = p->exec_lives;

	p->resumed = first;
	p->exec_lives = (struct gst_map){0};
	/* The loader gives definitions segment by segment. */
	for (; p->next_exec < b->raw_execs.count; p->next_exec++) {
		struct gst_raw_exec *r = &b->raw_execs.data[p->next_exec];
		uint32_t graph = r->id ? graph_by_id(b, process, r->id) : GST_NONE;
		uint32_t known;

		if (r->process != process || r->segment < segment)
			continue;
		if (r->segment > segment)
			break;
		/* The snapshot says what is alive; the definition what that is. */
		if (!r->is_state) {
			if (b->execs.data[r->exec].make_call == GST_NONE ||
			    b->execs.data[r->exec].destroy_call == GST_NONE)
				gst_map_put(&before, r->handle, r->exec);
			if (b->execs.data[r->exec].make_call == GST_NONE)
				gst_map_put(&p->exec_lives, r->handle, r->exec);
			continue;
		}
		if (gst_map_get(&p->exec_lives, r->handle, NULL))
			continue;
		if (!gst_map_get(&before, r->handle, &known) ||
		    b->execs.data[known].graph != graph) {
			known = new_exec(b, process, r->handle, GST_NONE);
			b->execs.data[known].graph = graph;
		}
		gst_map_put(&p->exec_lives, r->handle, known);
	}
	gst_map_release(&before);
}

uint32_t gst_model_exec_of(struct gst_builder *b, uint32_t process, gst_call_id id)
{
	const struct gst_call *c = &b->m->calls[id];
	uint64_t handle = c->args == GST_NONE ? 0 : b->args.data[c->args].b;
	uint32_t found;

	if (!handle)
		return GST_NONE;
	if (gst_map_get(&b->processes.data[process].exec_lives, handle, &found))
		return found;
	/* Made before the trace began, or its making was lost. */
	found = new_exec(b, process, handle, GST_NONE);
	gst_map_put(&b->processes.data[process].exec_lives, handle, found);
	return found;
}

void gst_model_exec_runs(struct gst_builder *b, uint32_t exec, uint32_t cupti_id)
{
	struct gst_exec *e = &b->execs.data[exec];

	if (e->graph == GST_NONE && cupti_id)
		e->graph = graph_by_id(b, e->process, cupti_id);
}

static void instantiate(struct gst_builder *b, uint32_t process, gst_call_id id)
{
	const struct gst_call *c = &b->m->calls[id];
	uint64_t handle = c->args == GST_NONE ? 0 : b->args.data[c->args].b;
	uint32_t exec;

	if (!handle)
		return;
	if (!gst_map_get(&b->exec_of_call, id, &exec))
		exec = new_exec(b, process, handle, id);
	b->execs.data[exec].handle = handle;
	gst_map_put(&b->processes.data[process].exec_lives, handle, exec);
}

/* What call @id, that changes a node of @exec (GST_NONE: of a graph), makes of the node's event. */
static void note_node_event(struct gst_builder *b, uint32_t process, uint32_t exec, gst_call_id id)
{
	struct gst_raw_process *p = &b->processes.data[process];
	const struct gst_call *c = &b->m->calls[id];
	const struct gst_api *api = gst_api_find(c->api);
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->args.data[c->args];
	uint32_t before = GST_NONE;

	switch (api && args ? api->layout : GST_PARAMS_NONE) {
	case GST_PARAMS_GRAPH_NODE_PARAMS:
	case GST_PARAMS_GRAPH_EXEC_NODE_PARAMS:
		/* 0 in traces of before: any kind. */
		if (args->flags && args->flags != GST_NODE_RECORD_EVENT &&
		    args->flags != GST_NODE_WAIT_EVENT)
			return;
		break;
	case GST_PARAMS_GRAPH_NODE_EVENT:
	case GST_PARAMS_GRAPH_EXEC_NODE_EVENT:
		break;
	default:
		return;
	}
	(void)gst_map_get(&p->node_events, args->bytes, &before);
	gst_map_put(&p->node_events, args->bytes, (uint32_t)b->node_events.count);
	gst_vec_push(&b->node_events, (struct gst_node_event){exec, id, c->event, before});
}

/* More changes of one node than these are not looked through: then its event is not known. */
#define NODE_EVENTS_SEEN 64u

/*
 * The newest change of @node by a call before @until that was made to @exec (GST_NONE: to its graph): an index,
 * GST_NONE = there is none. False if it cannot be told.
 */
static bool find_node_event(const struct gst_builder *b, const struct gst_graph_node *node,
			    uint32_t exec, gst_call_id until, uint32_t *found)
{
	const struct gst_raw_process *p = &b->processes.data[b->graphs.data[node->graph].process];
	uint32_t at = GST_NONE;

	*found = GST_NONE;
	if (!gst_map_count(&p->node_events))
		return true;
	if (!node->handle)
		return false;
	(void)gst_map_get(&p->node_events, node->handle, &at);
	for (uint32_t seen = 0; at != GST_NONE; at = b->node_events.data[at].before) {
		const struct gst_node_event *e = &b->node_events.data[at];

		if (seen++ == NODE_EVENTS_SEEN)
			return false;
		/* Another node may have had the handle before. */
		if (e->exec == exec && e->call < until &&
		    (node->made == GST_NONE || e->call > node->made)) {
			*found = at;
			return true;
		}
	}
	return true;
}

/* What a call gave @node of @exec itself. False if that cannot be told; *@found: GST_NONE = nothing. */
static bool find_exec_event(const struct gst_builder *b, const struct gst_exec *x, uint32_t exec,
			    uint32_t node, gst_call_id launch, uint32_t *found)
{
	gst_call_id resumed = b->processes.data[x->process].resumed;
	const struct gst_graph_node *n = &b->graph_nodes.data[node];
	bool is_lost = x->lost_events != GST_NONE && x->lost_events < launch;

	/* Calls name the node that it was made from, however many clones ago. */
	*found = GST_NONE;
	for (uint32_t i = 0; i < CLONES_MAX && *found == GST_NONE && n->original != GST_NONE; i++) {
		n = &b->graph_nodes.data[n->original];
		if (!find_node_event(b, n, exec, launch, found))
			return false;
	}
	if (*found != GST_NONE)
		return b->node_events.data[*found].call >= resumed &&
		       !(is_lost && b->node_events.data[*found].call < x->lost_events);
	/* Between windows a call may have changed it unseen. */
	return !is_lost && (!resumed || (x->make_call != GST_NONE && x->make_call >= resumed));
}

gst_event_id gst_model_node_event(const struct gst_builder *b, uint32_t exec, uint32_t node,
				  gst_call_id launch)
{
	const struct gst_exec *x = &b->execs.data[exec];
	gst_call_id resumed = b->processes.data[x->process].resumed;
	const struct gst_graph_node *n = &b->graph_nodes.data[node];
	const struct gst_call *c;
	gst_call_id until = launch;
	uint32_t found;

	if (!find_exec_event(b, x, exec, node, launch, &found))
		return GST_NONE;
	if (found != GST_NONE)
		return b->node_events.data[found].event;
	/* In the graphs on the way: what they said when the next was cloned from them. */
	for (uint32_t i = 0; i < CLONES_MAX && n->original != GST_NONE; i++) {
		until = n->made == GST_NONE ? until : n->made;
		n = &b->graph_nodes.data[n->original];
		if (!find_node_event(b, n, GST_NONE, until, &found))
			return GST_NONE;
		if (found != GST_NONE)
			return b->node_events.data[found].call >= resumed
				       ? b->node_events.data[found].event
				       : GST_NONE;
	}
	if (n->made == GST_NONE || n->made >= launch || n->made < resumed)
		return GST_NONE;
	c = &b->m->calls[n->made];
	return c->cls == GST_API_CLASS_EVENT_RECORD || c->cls == GST_API_CLASS_EVENT_WAIT ||
			       c->cls == GST_API_CLASS_GRAPH_BUILD
		       ? c->event
		       : GST_NONE;
}

void gst_model_graphs_walk(struct gst_builder *b, uint32_t process, gst_call_id id)
{
	const struct gst_call *c = &b->m->calls[id];
	const struct gst_api *api;
	uint32_t exec;

	if (c->flags & GST_CALL_RETURNED && c->result)
		return;
	switch (c->cls) {
	case GST_API_CLASS_GRAPH_INSTANTIATE:
		instantiate(b, process, id);
		return;
	case GST_API_CLASS_GRAPH_LAUNCH:
	case GST_API_CLASS_GRAPH_UPLOAD:
	case GST_API_CLASS_GRAPH_UPDATE:
	case GST_API_CLASS_GRAPH_DESTROY:
	case GST_API_CLASS_GRAPH_BUILD:
		break;
	default:
		return;
	}
	if (c->flags & GST_CALL_CAPTURED)
		return;
	if (c->cls == GST_API_CLASS_GRAPH_BUILD) {
		note_node_event(b, process, GST_NONE, id);
		return;
	}
	exec = gst_model_exec_of(b, process, id);
	if (exec == GST_NONE)
		return; /* a graph, not an executable one */
	switch (c->cls) {
	case GST_API_CLASS_GRAPH_LAUNCH:
		b->execs.data[exec].launches++;
		break;
	case GST_API_CLASS_GRAPH_UPLOAD:
		b->execs.data[exec].uploads++;
		break;
	case GST_API_CLASS_GRAPH_UPDATE:
		api = gst_api_find(c->api);
		if (api && api->layout == GST_PARAMS_GRAPH_UPDATE) {
			b->execs.data[exec].updates++;
		} else {
			b->execs.data[exec].node_changes++;
		}
		if (!api || api->layout == GST_PARAMS_GRAPH_UPDATE)
			b->execs.data[exec].lost_events = id;
		else
			note_node_event(b, process, exec, id);
		break;
	default:
		b->execs.data[exec].destroy_call = id;
		(void)gst_map_remove(&b->processes.data[process].exec_lives,
				     b->args.data[c->args].b);
		break;
	}
}

/* ---- at the end: what device records and originals tell ------------------------------------------------------- */

static uint8_t type_of_op(const struct gst_op *op)
{
	switch ((enum gst_op_kind)op->kind) {
	case GST_OP_KERNEL:
		return GST_NODE_KERNEL;
	case GST_OP_MEMCPY:
		return GST_NODE_MEMCPY;
	case GST_OP_MEMSET:
		return GST_NODE_MEMSET;
	case GST_OP_HOST_FUNC:
		return GST_NODE_HOST;
	default:
		return GST_NODE_UNKNOWN;
	}
}

static void see_runs(struct gst_builder *b)
{
	for (uint32_t i = 0; i < b->m->op_count; i++) {
		const struct gst_op *op = &b->m->ops[i];
		uint32_t node = gst_op_graph_node(op);
		struct gst_graph_node *n;

		if (node == GST_NONE || type_of_op(op) == GST_NODE_UNKNOWN)
			continue;
		n = &b->graph_nodes.data[node];
		n->flags |= GST_GRAPH_NODE_RAN;
		if (n->type == GST_NODE_UNKNOWN)
			n->type = type_of_op(op);
		if (n->original != GST_NONE &&
		    b->graph_nodes.data[n->original].type == GST_NODE_UNKNOWN)
			b->graph_nodes.data[n->original].type = n->type;
	}
}

static bool has_rule(uint8_t type)
{
	switch (type) {
	case GST_NODE_KERNEL:
	case GST_NODE_MEMCPY:
	case GST_NODE_MEMSET:
	case GST_NODE_HOST:
	case GST_NODE_EMPTY:
	case GST_NODE_RECORD_EVENT:
	case GST_NODE_WAIT_EVENT:
		return true;
	default:
		return false;
	}
}

static void judge_nodes(struct gst_builder *b)
{
	for (size_t i = 0; i < b->graphs.count; i++)
		b->graphs.data[i].own_count = 0;
	for (uint32_t i = 0; i < b->graph_nodes.count; i++) {
		struct gst_graph_node *n = &b->graph_nodes.data[i];
		struct gst_graph *g = &b->graphs.data[n->graph];

		if (g->original != GST_NONE && n->original == GST_NONE &&
		    !(n->flags & GST_GRAPH_NODE_RAN)) {
			n->flags |= GST_GRAPH_NODE_INTERNAL;
			continue;
		}
		if (!has_rule(n->type))
			n->flags |= GST_GRAPH_NODE_OPAQUE;
		if (n->removed != GST_NONE)
			continue;
		g->own_count++;
		g->opaque_count += (n->flags & GST_GRAPH_NODE_OPAQUE) != 0;
	}
}

static bool may_be_kernel(uint8_t type)
{
	return type == GST_NODE_KERNEL || type == GST_NODE_UNKNOWN || type == GST_NODE_GRAPH ||
	       type == GST_NODE_CONDITIONAL;
}

/* The port that a captured call gives to the edges it makes. */
static uint8_t port_of_call(const struct gst_builder *b, gst_call_id call, uint8_t from_type)
{
	const struct gst_call *c;
	uint32_t flags;

	if (call == GST_NONE)
		return GST_PORT_UNKNOWN;
	c = &b->m->calls[call];
	/* A call that builds a graph has said it in the edge's record. */
	if (c->cls == GST_API_CLASS_GRAPH_BUILD ||
	    b->processes.data[b->m->threads[c->thread].process].has_capture_ports)
		return GST_PORT_UNKNOWN;
	if (c->cls != GST_API_CLASS_LAUNCH)
		return type_of_call(b, call) == GST_NODE_UNKNOWN ? GST_PORT_UNKNOWN
								 : GST_PORT_DEFAULT;
	flags = c->args == GST_NONE ? 0 : b->args.data[c->args].flags;
	if (flags & GST_LAUNCH_FLAG_UNREAD)
		return GST_PORT_UNKNOWN;
	if (!(flags & GST_LAUNCH_FLAG_PROGRAMMATIC))
		return GST_PORT_DEFAULT;
	return from_type == GST_NODE_KERNEL ? GST_PORT_PROGRAMMATIC : GST_PORT_UNKNOWN;
}

static const struct gst_graph_edge *find_edge(const struct gst_builder *b, uint32_t from,
					      uint32_t to)
{
	const struct gst_graph *g = &b->graphs.data[b->graph_nodes.data[from].graph];
	uint64_t wanted = (uint64_t)from << 32 | to;
	uint32_t low = g->first_edge;
	uint32_t end = g->first_edge + g->edge_count;
	uint32_t high = end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct gst_graph_edge *e = &b->graph_edges.data[middle];

		if (((uint64_t)e->from << 32 | e->to) < wanted) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < end && b->graph_edges.data[low].from == from &&
			       b->graph_edges.data[low].to == to
		       ? &b->graph_edges.data[low]
		       : NULL;
}

static void find_port(struct gst_builder *b, struct gst_graph_edge *e)
{
	uint32_t from = e->from;
	uint32_t to = e->to;
	const struct gst_graph_edge *o = e;

	/* Ports other than the default one are between kernels alone. */
	if (!may_be_kernel(b->graph_nodes.data[from].type) ||
	    !may_be_kernel(b->graph_nodes.data[to].type)) {
		e->port = GST_PORT_DEFAULT;
		return;
	}
	for (uint32_t i = 0; i < CLONES_MAX && o && e->port == GST_PORT_UNKNOWN; i++) {
		e->port = o->port;
		if (e->port == GST_PORT_UNKNOWN)
			e->port = port_of_call(b, o->made, b->graph_nodes.data[from].type);
		from = b->graph_nodes.data[from].original;
		to = b->graph_nodes.data[to].original;
		if (from == GST_NONE || to == GST_NONE ||
		    b->graph_nodes.data[from].graph != b->graph_nodes.data[to].graph)
			return;
		o = find_edge(b, from, to);
	}
}

void gst_model_graphs_finish(struct gst_builder *b)
{
	struct gst_model *m = b->m;

	if (b->graph_nodes.count)
		see_runs(b);
	judge_nodes(b);
	for (size_t i = 0; i < b->graph_edges.count; i++)
		find_port(b, &b->graph_edges.data[i]);
	for (size_t i = 0; i < b->execs.count; i++) {
		const struct gst_exec *e = &b->execs.data[i];

		if (!e->launches)
			continue;
		if (e->graph == GST_NONE || !b->graphs.data[e->graph].own_count) {
			m->stats.undefined_launches += e->launches;
		} else {
			m->stats.opaque_nodes += b->graphs.data[e->graph].opaque_count;
		}
	}
}

void gst_model_graphs_define(struct gst_builder *b)
{
	struct makers makers = {.seen = gst_mem_alloc(SEEN_BITS / 8)};

	for (size_t i = 0; i < b->processes.count; i++)
		b->processes.data[i].recent_graph = GST_NONE;
	find_makers(b, &makers);
	define_graphs(b, &makers);
	define_nodes(b, &makers);
	list_event_nodes(b);
	define_edges(b, &makers);
	define_execs(b, &makers);
	gst_map_release(&makers.calls);
	gst_mem_free(makers.seen, SEEN_BITS / 8);
	gst_vec_free(&b->raw_graphs);
	gst_vec_free(&b->raw_graph_nodes);
	gst_vec_free(&b->raw_graph_edges);
}

void gst_model_graphs_release(struct gst_builder *b)
{
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];

		gst_map_release(&p->graph_ids);
		gst_map_release(&p->graph_nodes);
		gst_map_release(&p->node_events);
		gst_map_release(&p->exec_lives);
		gst_map_release(&p->exec_defs);
		gst_map_release(&p->event_ids);
	}
	gst_map_release(&b->exec_of_call);
	gst_vec_free(&b->raw_graphs);
	gst_vec_free(&b->raw_graph_nodes);
	gst_vec_free(&b->raw_graph_edges);
	gst_vec_free(&b->raw_execs);
	gst_vec_free(&b->graphs);
	gst_vec_free(&b->graph_nodes);
	gst_vec_free(&b->graph_edges);
	gst_vec_free(&b->graph_event_nodes);
	gst_vec_free(&b->execs);
	gst_vec_free(&b->node_events);
	gst_vec_free(&b->untold);
}
