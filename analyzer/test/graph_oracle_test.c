/*
 * graph_oracle_test.c - what graphs order, written a second time as plain loops over all pairs.
 *
 * Role      : proves G2 to G7 and E6: random programs that launch graphs traced node by node; every pair of ops
 *             and nodes is compared. oracle_test.c does the same for all that is no graph.
 * Method    : the oracle keeps every node of every launch, with a record or without, adds one relation for each
 *             edge that the launch finds, and closes them. Then each rule is left out of the engine's
 *             answers, and each of a list of lies is told in the trace: all must be noticed.
 * Invariant : no code or table of analyzer/order is used to find an answer here.
 * Not here  : times (those of the records only say in which order iterations came).
 *
 * graph_oracle_test [SEEDS [FIRST]]: a failing seed is printed with its program.
 */
#include "analyzer/test/oracle_kit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAPHS	   3 /* two that are launched, and the body of a loop in the first */
#define NODES_MAX  9
#define EDGES_MAX  24
#define ACTS_MAX   9
#define LOOPS_MAX  3
#define STREAMS	   4 /* the default stream, a blocking one, and non-blocking ones */
#define EVENTS	   3
#define THINGS_MAX (ACTS_MAX * (1 + NODES_MAX * 2 + NODES_MAX * LOOPS_MAX))

enum act_kind { KERNEL, RECORD, WAIT, LAUNCH, CHANGE };
enum node_kind { N_KERNEL, N_MEMSET, N_EMPTY, N_RECORD, N_WAIT };
enum port { P_DEFAULT, P_PROGRAMMATIC, P_LAUNCH_ORDER, P_UNKNOWN };

enum lie {
	NO_LIE,
	LIE_EDGE_MISSING,
	LIE_EDGE_TOO_MANY,
	LIE_PROGRAMMATIC_IS_DEFAULT,
	LIE_DEFAULT_IS_PROGRAMMATIC,
	LIE_LAUNCH_ORDER_IS_PROGRAMMATIC,
	LIE_REMOVED_IS_THERE,
	LIE_LATER_EDGE_IS_THERE,
	LIE_INTERNAL_IS_OWN,
	LIE_ITERATION_MISSING,
	LIE_OTHER_EVENT,
	LIE_OTHER_NUMBER,
	LIE_OTHER_NODE,
	LIES
};

static const char *const lie_names[] = {
	"none",
	"an edge of a graph is missing",
	"a graph has an edge too many",
	"a programmatic port is the node's end",
	"a node's end is a programmatic port",
	"a launch-order port is a programmatic one",
	"an edge that was removed is there",
	"an edge was there from the start",
	"a node of CUDA's is the program's",
	"a record of an iteration is missing",
	"an event node names another event",
	"a wait names a record that is none",
	"a node ran in another one's place",
};

struct edge {
	int from, to; /* from < to: in the order of the nodes */
	enum port port;
	int made, removed; /* acts; -1 = by the instantiation, and never */
};

struct graph {
	int node_count, edge_count;
	enum node_kind kind[NODES_MAX];
	int event[NODES_MAX];
	int number[NODES_MAX]; /* index in CUPTI's id: any order */
	struct edge edges[EDGES_MAX];
};

struct act {
	enum act_kind kind;
	int stream, event, graph;
	int loops;	   /* of the body; 0 = it did not run */
	unsigned disabled; /* nodes without a record */
	bool has_number;   /* CUPTI tells the number of the record */
};

struct world {
	struct gst_random random;
	struct graph graphs[GRAPHS];
	struct act acts[ACTS_MAX];
	int act_count;
};

/* ---- a random program ------------------------------------------------------------------------------------ */

static bool is_captured(const struct graph *g, int node)
{
	return g->kind[node] == N_RECORD || g->kind[node] == N_WAIT;
}

static void make_graph(struct world *w, struct graph *g, bool is_body)
{
	g->node_count = 1 + gst_below(&w->random, NODES_MAX);
	for (int i = 0; i < g->node_count; i++) {
		int at = gst_below(&w->random, i + 1);

		g->kind[i] = (enum node_kind)gst_below(&w->random, is_body ? 3 : 5);
		g->event[i] = gst_below(&w->random, EVENTS);
		/* At most one node records an event: of two nobody knows which is the latest. */
		for (int k = 0; k < i && g->kind[i] == N_RECORD; k++) {
			if (g->kind[k] == N_RECORD && g->event[k] == g->event[i])
				g->kind[i] = N_EMPTY;
		}
		g->number[i] = g->number[at];
		g->number[at] = i;
	}
	for (int i = 0; i < g->node_count; i++) {
		for (int k = i + 1; k < g->node_count && g->edge_count < EDGES_MAX; k++) {
			struct edge *e = &g->edges[g->edge_count];

			if (!gst_chance(&w->random, 35))
				continue;
			*e = (struct edge){.from = i, .to = k, .made = -1, .removed = -1};
			if (g->kind[i] == N_KERNEL && g->kind[k] == N_KERNEL &&
			    gst_chance(&w->random, 50))
				e->port = (enum port)gst_below(&w->random, 4);
			if (gst_chance(&w->random, 8)) {
				e->made = gst_below(&w->random, w->act_count);
			} else if (gst_chance(&w->random, 8)) {
				e->removed = gst_below(&w->random, w->act_count);
			}
			/* Only a call of the trace can tell when. */
			if (e->made >= 0 && w->acts[e->made].kind != CHANGE)
				e->made = -1;
			if (e->removed >= 0 && w->acts[e->removed].kind != CHANGE)
				e->removed = -1;
			g->edge_count++;
		}
	}
}

static void make_world(struct world *w, uint64_t seed, int length)
{
	static const enum act_kind kinds[] = {KERNEL, RECORD, RECORD, WAIT,   WAIT,
					      LAUNCH, LAUNCH, LAUNCH, LAUNCH, CHANGE};

	*w = (struct world){.random = gst_random_from(seed)};
	for (int i = 0; i < length; i++) {
		struct act *a = &w->acts[i];

		a->kind = kinds[gst_below(&w->random, 10)];
		a->stream = gst_below(&w->random, STREAMS);
		a->event = gst_below(&w->random, EVENTS);
		a->graph = gst_below(&w->random, 2);
		a->loops = a->graph ? 0 : gst_below(&w->random, LOOPS_MAX + 1);
		a->disabled = gst_chance(&w->random, 30)
				      ? (unsigned)gst_below(&w->random, 1 << NODES_MAX)
				      : 0;
		a->has_number = gst_chance(&w->random, 50);
	}
	w->act_count = length;
	for (int i = 0; i < GRAPHS; i++)
		make_graph(w, &w->graphs[i], i == 2);
}

/* ---- as a trace --------------------------------------------------------------------------------------------- */

/* Ids of graphs: 1 to 3 of the program, 11 to 13 their clones. */
static uint64_t node_id(int graph, const struct graph *g, int node, bool is_clone)
{
	return (uint64_t)(graph + (is_clone ? 11 : 1)) << 32 | (uint64_t)g->number[node];
}

/* Correlation ids: acts from 100, captured event calls from 1000, instantiations 11 and 12. */
static int made_by(int graph)
{
	return graph == 1 ? 12 : 11;
}

static int capture_of(int graph, int node)
{
	return 1000 + 100 * graph + node;
}

static void put_edge(struct gst_text *t, int graph, const struct graph *g, const struct edge *e,
		     bool is_clone, int corr, bool is_removal, enum lie lie)
{
	enum port port = e->port;

	if (port == P_PROGRAMMATIC && lie == LIE_PROGRAMMATIC_IS_DEFAULT) {
		port = P_DEFAULT;
	} else if (port == P_DEFAULT && lie == LIE_DEFAULT_IS_PROGRAMMATIC) {
		port = P_PROGRAMMATIC;
	} else if (port == P_LAUNCH_ORDER && lie == LIE_LAUNCH_ORDER_IS_PROGRAMMATIC) {
		port = P_PROGRAMMATIC;
	}
	gst_put(t, "graph_edge from=0x%" PRIx64 " to=0x%" PRIx64 " graph=%d",
		node_id(graph, g, e->from, is_clone), node_id(graph, g, e->to, is_clone),
		graph + (is_clone ? 11 : 1));
	/* The clone's edges do not say their port: the original's do, or those made later. */
	if (!is_clone || corr >= 100)
		gst_put(t, " port=%d", port == P_UNKNOWN ? 0 : (int)port + 1);
	if (is_removal)
		gst_put(t, " change=removed");
	gst_put(t, " corr=%d\n", corr);
}

static void put_graph(struct gst_text *t, const struct world *w, int graph, enum lie lie)
{
	static const char *const types[] = {"kernel", "memset", "empty", "kernel", "kernel"};
	const struct graph *g = &w->graphs[graph];

	gst_put(t, "graph graph=%d\ngraph graph=%d handle=0x%x corr=%d\n", graph + 1, graph + 11,
		0xa00 + graph, made_by(graph));
	for (int i = 0; i < g->node_count; i++) {
		/* A kernel has its name from its capture: without one CUPTI's word for it is not believed. */
		gst_put(t, "graph_node node=0x%" PRIx64 " graph=%d type=%s%s corr=%d\n",
			node_id(graph, g, i, false), graph + 1, types[g->kind[i]],
			g->kind[i] == N_KERNEL ? " name=\"k\"" : "",
			is_captured(g, i) ? capture_of(graph, i) : 0);
		gst_put(t,
			"graph_node node=0x%" PRIx64 " original=0x%" PRIx64
			" graph=%d type=%s corr=%d\n",
			node_id(graph, g, i, true), node_id(graph, g, i, false), graph + 11,
			types[g->kind[i]], made_by(graph));
	}
	for (int i = 0; i < g->edge_count; i++) {
		const struct edge *e = &g->edges[i];

		if (lie == LIE_EDGE_MISSING && i == 0)
			continue;
		if (e->made < 0 || lie == LIE_LATER_EDGE_IS_THERE) {
			put_edge(t, graph, g, e, false, 0, false, lie);
			put_edge(t, graph, g, e, true, made_by(graph), false, lie);
		} else {
			put_edge(t, graph, g, e, true, 100 + e->made, false, lie);
		}
		if (e->removed >= 0 && lie != LIE_REMOVED_IS_THERE)
			put_edge(t, graph, g, e, true, 100 + e->removed, true, lie);
	}
	if (lie == LIE_EDGE_TOO_MANY && g->node_count > 2) {
		struct edge e = {.from = 0, .to = g->node_count - 1};

		put_edge(t, graph, g, &e, true, made_by(graph), false, lie);
	}
	/* CUDA puts a node of its own between any two: it must order nothing. */
	if (g->node_count > 1) {
		char original[64] = "";

		if (lie == LIE_INTERNAL_IS_OWN) {
			gst_put(t, "graph_node node=0x%x0000003f graph=%d type=kernel name=\"k\"\n",
				graph + 1, graph + 1);
			snprintf(original, sizeof(original), " original=0x%x0000003f", graph + 1);
		}
		gst_put(t, "graph_node node=0x%x0000003f graph=%d type=kernel%s corr=%d\n",
			graph + 11, graph + 11, original, made_by(graph));
		gst_put(t,
			"graph_edge from=0x%" PRIx64 " to=0x%x0000003f graph=%d port=1 corr=%d\n"
			"graph_edge from=0x%x0000003f to=0x%" PRIx64 " graph=%d port=1 corr=%d\n",
			node_id(graph, g, 0, true), graph + 11, graph + 11, made_by(graph),
			graph + 11, node_id(graph, g, g->node_count - 1, true), graph + 11,
			made_by(graph));
	}
	if (graph < 2)
		gst_put(t, "graph_exec exec=0x%x graph=%d id=%d corr=%d\n", 0xa00 + graph,
			graph + 1, graph + 11, made_by(graph));
}

static bool has_record(const struct graph *g, int node, unsigned disabled)
{
	return (g->kind[node] == N_KERNEL || g->kind[node] == N_MEMSET) && !(disabled >> node & 1);
}

static void put_nodes(struct gst_text *t, const struct graph *g, int graph, int corr,
		      unsigned disabled, int iteration, enum lie lie)
{
	for (int i = 0; i < g->node_count; i++) {
		int node = lie == LIE_OTHER_NODE && i == 0 ? g->node_count - 1 : i;

		if (!has_record(g, i, disabled))
			continue;
		if (lie == LIE_ITERATION_MISSING && iteration == 1 && i == g->node_count - 1)
			continue;
		if (!has_record(g, node, disabled))
			node = i;
		/* Times say nothing but which iteration came first. */
		gst_put(t,
			"%s corr=%d start_ns=%d end_ns=%d ctx=1 stream=99 graph=%d graph_node=0x%" PRIx64
			"%s\n",
			g->kind[i] == N_KERNEL ? "kernel" : "memset", corr,
			1000000 + iteration * 100 + i, 1000000 + iteration * 100 + i, graph + 11,
			node_id(graph, g, node, true), g->kind[i] == N_KERNEL ? " name=\"k\"" : "");
	}
}

/* CUPTI's number of the record that act @i, or its node, makes. */
static int number_of(int i, int node)
{
	return 1 + i * (NODES_MAX + 1) + node;
}

/* The record that wait @k means: act * 64 + node, or act * 64 + 63 for an ordinary one; -1 = none. */
static int meant(const struct world *w, int k, int event)
{
	for (int i = k; i-- > 0;) {
		const struct graph *g = &w->graphs[w->acts[i].graph];

		if (w->acts[i].kind == RECORD && w->acts[i].event == event)
			return i * 64 + 63;
		for (int n = 0; w->acts[i].kind == LAUNCH && n < g->node_count; n++) {
			if (g->kind[n] == N_RECORD && g->event[n] == event)
				return i * 64 + n;
		}
	}
	return -1;
}

/* CUPTI's number of a stream, and its handle. */
static int id_of(int stream)
{
	return stream ? 12 + stream : 7;
}

static int handle_of(int stream)
{
	return stream ? 0x100 + stream : 1;
}

/* With @r its chunks are cut and come in another order. One of two texts in turn. */
static const struct gst_text *make_text(const struct world *w, enum lie lie, struct gst_random *r)
{
	static struct gst_text texts[2];
	static struct gst_source sources[] = {{.chunk = "chunk events process=1 thread=1"},
					      {.chunk = "chunk events process=1"}};
	static bool is_second;
	struct gst_text *whole = &texts[is_second = !is_second];
	struct gst_text *t = &sources[0].lines, *device = &sources[1].lines;
	int now = 1000;

	whole->used = t->used = device->used = 0;
	gst_put(whole, "gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1\n"
		       "context ctx=1 device=0 null_stream=7\nstream ctx=1 stream=7 type=legacy\n");
	for (int s = 1; s < STREAMS; s++)
		gst_put(whole, "stream ctx=1 stream=%d type=%s handle=0x%x\n", id_of(s),
			s == 1 ? "blocking" : "nonblocking", handle_of(s));
	for (int i = 0; i < GRAPHS; i++)
		put_graph(whole, w, i, lie);
	for (int e = 0; e < EVENTS; e++)
		gst_put(t,
			"call_event corr=%d enter_ns=%d api=cuEventCreate ctx=1\n"
			"call_exit corr=%d exit_ns=%d value=0x%x\n",
			20 + e, now, 20 + e, now, 0x900 + e);
	for (int i = 0; i < 2; i++) {
		const struct graph *g = &w->graphs[i];

		gst_put(t,
			"call_graph corr=%d enter_ns=%d api=cuStreamBeginCapture_v2 ctx=1 stream=0x101\n"
			"call_exit corr=%d exit_ns=%d\n",
			30 + i, now, 30 + i, now);
		now++;
		for (int n = 0; n < g->node_count; n++) {
			int event = g->event[n];

			if (!is_captured(g, n))
				continue;
			if (lie == LIE_OTHER_EVENT)
				event = (event + 1) % EVENTS;
			gst_put(t,
				"call_event corr=%d enter_ns=%d api=%s ctx=1 stream=0x101 event=0x%x flags=%d\n"
				"call_exit corr=%d exit_ns=%d\n",
				capture_of(i, n), now,
				g->kind[n] == N_WAIT ? "cuStreamWaitEvent"
						     : "cuEventRecordWithFlags",
				0x900 + event, 1, capture_of(i, n), now);
			now++;
		}
		gst_put(t,
			"call_graph corr=%d enter_ns=%d api=cuStreamEndCapture ctx=1 stream=0x101\n"
			"call_exit corr=%d exit_ns=%d\n"
			"call_graph corr=%d enter_ns=%d api=cuGraphInstantiateWithFlags ctx=1 graph=0xb00\n"
			"call_exit corr=%d exit_ns=%d value=0x%x\n",
			40 + i, now, 40 + i, now, made_by(i), now + 1, made_by(i), now + 1,
			0xa00 + i);
		now += 2;
	}
	for (int i = 0; i < w->act_count; i++) {
		const struct act *a = &w->acts[i];
		const struct graph *g = &w->graphs[a->graph];
		int corr = 100 + i;

		switch (a->kind) {
		case KERNEL:
			gst_put(t,
				"call_launch corr=%d enter_ns=%d api=cuLaunchKernel ctx=1 stream=0x%x\n",
				corr, now++, handle_of(a->stream));
			gst_put(device, "kernel corr=%d ctx=1 stream=%d name=\"k\"\n", corr,
				id_of(a->stream));
			break;
		case RECORD:
		case WAIT:
			gst_put(t,
				"call_event corr=%d enter_ns=%d api=%s ctx=1 stream=0x%x event=0x%x\n",
				corr, now++,
				a->kind == WAIT ? "cuStreamWaitEvent" : "cuEventRecord",
				handle_of(a->stream), 0x900 + a->event);
			if (a->kind == RECORD) {
				gst_put(device,
					"event corr=%d ctx=1 stream=%d event_id=%d sync_id=%d\n",
					corr, id_of(a->stream), a->event, number_of(i, NODES_MAX));
			} else if (a->has_number && meant(w, i, a->event) >= 0) {
				int latest = meant(w, i, a->event);

				gst_put(device,
					"sync corr=%d ctx=1 stream=%d type=stream-wait-event event_id=%d sync_id=%d\n",
					corr, id_of(a->stream), a->event,
					number_of(latest / 64,
						  latest % 64 == 63 ? NODES_MAX : latest % 64) +
						(lie == LIE_OTHER_NUMBER ? 1000 : 0));
			}
			break;
		case LAUNCH:
			gst_put(t,
				"call_graph corr=%d enter_ns=%d api=cuGraphLaunch ctx=1 stream=0x%x exec=0x%x\n",
				corr, now++, handle_of(a->stream), 0xa00 + a->graph);
			put_nodes(device, g, a->graph, corr, a->disabled, 0, lie);
			for (int k = 0; k < a->loops; k++)
				put_nodes(device, &w->graphs[2], 2, corr, 0, k + 1, lie);
			for (int n = 0; n < g->node_count; n++) {
				if (g->kind[n] == N_RECORD)
					gst_put(device,
						"event corr=%d ctx=1 stream=%d event_id=%d sync_id=%d\n",
						corr, id_of(a->stream), g->event[n],
						number_of(i, n));
			}
			break;
		case CHANGE:
			gst_put(t,
				"call_graph corr=%d enter_ns=%d api=cuGraphExecKernelNodeSetParams ctx=1 exec=0x%x\n",
				corr, now++, 0xa00 + a->graph);
			break;
		}
		gst_put(t, "call_exit corr=%d exit_ns=%d\n", corr, now++);
	}
	gst_put_sources(whole, sources, 2, r);
	gst_put(whole, "chunk defs process=1\nend time_ns=900000\n");
	return whole;
}

/* ---- the rules, over all pairs ----------------------------------------------------------------------------- */

/* An op, or a node of a launch in one iteration, with a record or without. */
struct thing {
	int act, graph, node, iteration; /* node -1: the act's own op */
	gst_op_id op;			 /* of the engine; GST_NONE = it has none */
};

struct oracle {
	const struct world *w;
	struct thing things[THINGS_MAX];
	int count;
	/* must: promised. may: perhaps as well. all: as if ports that were not seen were the nodes' ends: what
	 * is not in there is surely no order */
	struct gst_relation must, may, all;
};

enum strength { ALL, MAY, MUST };

static void relate(struct oracle *o, int from, int to, enum strength s)
{
	gst_relation_set(&o->all, from, to);
	if (s >= MAY)
		gst_relation_set(&o->may, from, to);
	if (s == MUST)
		gst_relation_set(&o->must, from, to);
}

static int begin_of(int thing)
{
	return 2 * thing;
}

static int end_of(int thing)
{
	return 2 * thing + 1;
}

static int add_thing(struct oracle *o, int act, int graph, int node, int iteration)
{
	o->things[o->count] = (struct thing){act, graph, node, iteration, GST_NONE};
	return o->count++;
}

/* Is @e in its graph when act @k launches it? */
static bool is_there(const struct edge *e, int k)
{
	return (e->made < 0 || e->made < k) && (e->removed < 0 || e->removed >= k);
}

static int find_thing(const struct oracle *o, int act, int graph, int node, int iteration)
{
	for (int i = 0; i < o->count; i++) {
		const struct thing *x = &o->things[i];

		if (x->act == act && x->node == node &&
		    (node < 0 || (x->graph == graph && x->iteration == iteration)))
			return i;
	}
	abort();
}

static void relate_run(struct oracle *o, int act, int graph, int iteration)
{
	const struct graph *g = &o->w->graphs[graph];
	int launch = find_thing(o, act, 0, -1, 0);

	for (int n = 0; n < g->node_count; n++) {
		int x = find_thing(o, act, graph, n, iteration);

		relate(o, begin_of(launch), begin_of(x), MUST);
		relate(o, end_of(x), end_of(launch), MUST);
		for (int later = 0; graph == 2 && later < g->node_count; later++) {
			if (iteration < o->w->acts[act].loops)
				relate(o, end_of(x),
				       begin_of(find_thing(o, act, graph, later, iteration + 1)),
				       MUST);
		}
	}
	for (int i = 0; i < g->edge_count; i++) {
		const struct edge *e = &g->edges[i];
		int a, b;

		if (!is_there(e, act))
			continue;
		a = find_thing(o, act, graph, e->from, iteration);
		b = find_thing(o, act, graph, e->to, iteration);
		switch (e->port) {
		case P_DEFAULT:
			relate(o, end_of(a), begin_of(b), MUST);
			break;
		case P_PROGRAMMATIC:
			relate(o, begin_of(a), begin_of(b), MUST);
			break;
		case P_LAUNCH_ORDER:
			relate(o, begin_of(a), begin_of(b), MAY);
			break;
		case P_UNKNOWN:
			relate(o, begin_of(a), begin_of(b), MAY);
			relate(o, end_of(a), begin_of(b), ALL);
			break;
		}
	}
}

/* @x, a wait of act @k for @event, comes after the record meant. */
static void relate_wait(struct oracle *o, int k, int x, int event, bool is_node)
{
	int r = meant(o->w, k, event);
	const struct graph *own = &o->w->graphs[o->w->acts[k].graph];

	for (int n = 0; is_node && n < own->node_count; n++) {
		if (own->kind[n] == N_RECORD && own->event[n] == event)
			return; /* by its own graph, now or before: not promised */
	}
	if (r < 0)
		return;
	if (r % 64 == 63) {
		relate(o, end_of(find_thing(o, r / 64, 0, -1, 0)), begin_of(x), MUST);
	} else {
		relate(o, end_of(find_thing(o, r / 64, o->w->acts[r / 64].graph, r % 64, 0)),
		       begin_of(x), MAY);
	}
}

/* One stream, or one of the two is the default stream and the other a blocking one. */
static bool by_stream(const struct act *a, const struct act *b)
{
	return a->stream == b->stream || a->stream + b->stream == 1;
}

static void make_oracle(struct oracle *o, const struct world *w)
{
	o->w = w;
	o->count = 0;
	for (int k = 0; k < w->act_count; k++) {
		const struct act *a = &w->acts[k];

		if (a->kind == CHANGE)
			continue;
		(void)add_thing(o, k, 0, -1, 0);
		for (int n = 0; a->kind == LAUNCH && n < w->graphs[a->graph].node_count; n++)
			(void)add_thing(o, k, a->graph, n, 0);
		for (int i = 1; a->kind == LAUNCH && i <= a->loops; i++) {
			for (int n = 0; n < w->graphs[2].node_count; n++)
				(void)add_thing(o, k, 2, n, i);
		}
	}
	gst_relation_reset(&o->must, 2 * o->count);
	gst_relation_reset(&o->may, 2 * o->count);
	gst_relation_reset(&o->all, 2 * o->count);
	for (int x = 0; x < o->count; x++)
		relate(o, begin_of(x), end_of(x), MUST);
	for (int k = 0; k < w->act_count; k++) {
		const struct act *a = &w->acts[k];
		int x;

		if (a->kind == CHANGE)
			continue;
		x = find_thing(o, k, 0, -1, 0);
		for (int i = 0; i < k; i++) {
			const struct act *b = &w->acts[i];

			if (b->kind != CHANGE &&
			    (by_stream(b, a) ||
			     (a->kind == LAUNCH && b->kind == LAUNCH && a->graph == b->graph)))
				relate(o, end_of(find_thing(o, i, 0, -1, 0)), begin_of(x), MUST);
		}
		if (a->kind == WAIT)
			relate_wait(o, k, x, a->event, false);
		if (a->kind != LAUNCH)
			continue;
		relate_run(o, k, a->graph, 0);
		for (int i = 1; i <= a->loops; i++)
			relate_run(o, k, 2, i);
		for (int n = 0; n < w->graphs[a->graph].node_count; n++) {
			if (w->graphs[a->graph].kind[n] == N_WAIT)
				relate_wait(o, k, find_thing(o, k, a->graph, n, 0),
					    w->graphs[a->graph].event[n], true);
		}
	}
	gst_relation_close(&o->must);
	gst_relation_close(&o->may);
	gst_relation_close(&o->all);
}

/* ---- comparison ------------------------------------------------------------------------------------------------ */

/* The engine's op of each thing. False: one that should be there is not, or one is too many. */
static bool match(struct oracle *o, const struct gst_engine *e)
{
	uint32_t matched = 0;

	for (int i = 0; i < o->count; i++) {
		struct thing *x = &o->things[i];
		const struct act *a = &o->w->acts[x->act];
		const struct graph *g = &o->w->graphs[x->graph];
		int skip = x->iteration > 0 ? x->iteration - 1 : 0;
		bool wants_op = x->node < 0 || is_captured(g, x->node) ||
				has_record(g, x->node, x->graph == 2 ? 0 : a->disabled);

		for (gst_op_id op = 0; op < e->m->op_count && x->op == GST_NONE; op++) {
			const struct gst_op *y = &e->m->ops[op];
			uint32_t node = gst_op_graph_node(y);

			if (e->m->calls[y->call].corr != (uint32_t)(100 + x->act) ||
			    (x->node < 0) != !(y->flags & GST_OP_NODE))
				continue;
			if (x->node >= 0 &&
			    (node == GST_NONE || e->m->graph_nodes[node].cupti_id !=
							 node_id(x->graph, g, x->node, true)))
				continue;
			if (skip-- > 0)
				continue;
			x->op = op;
			matched++;
		}
		if ((x->op != GST_NONE) != wants_op)
			return false;
	}
	return matched == e->m->op_count;
}

static bool is_noticed(const struct world *w, enum lie lie, uint64_t without, const char **what,
		       int *from, int *to)
{
	static struct oracle o;
	static const char *const questions[] = {"any path", "documented", "a certain no"};
	struct gst_engine e;
	bool is_bad;

	*what = "ops";
	*from = *to = 0;
	if (!gst_engine_open(&e, make_text(w, lie, NULL))) {
		gst_engine_close(&e);
		return true;
	}
	make_oracle(&o, w);
	is_bad = !match(&o, &e);
	for (int i = 0; i < o.count && !is_bad; i++) {
		for (int k = 0; k < o.count && !is_bad; k++) {
			struct gst_path_query q = {.without_rules = without};
			gst_op_id a = o.things[i].op;
			gst_op_id b = o.things[k].op;
			enum gst_answer any;

			if (i == k || a == GST_NONE || b == GST_NONE)
				continue;
			*from = i;
			*to = k;
			*what = questions[0];
			any = gst_order_before(e.o, a, b, &q);
			is_bad = (any == GST_YES) !=
				 gst_relation_has(&o.may, end_of(i), begin_of(k));
			if (!is_bad) {
				*what = questions[2];
				/* Which node of the graph holds the body is not in the trace. */
				is_bad = any == GST_NO && !without &&
					 o.things[i].act == o.things[k].act &&
					 o.things[i].node >= 0 && o.things[k].node >= 0 &&
					 (gst_relation_has(&o.all, end_of(i), begin_of(k)) ||
					  o.things[i].graph != o.things[k].graph);
			}
			q.documented_only = true;
			if (!is_bad) {
				*what = questions[1];
				is_bad = (gst_order_before(e.o, a, b, &q) == GST_YES) !=
					 gst_relation_has(&o.must, end_of(i), begin_of(k));
			}
		}
	}
	gst_engine_close(&e);
	return is_bad;
}

static int length_of(uint64_t seed)
{
	return 1 + (int)(seed * 7 % ACTS_MAX);
}

static int check_programs(uint64_t first_seed, uint64_t seeds)
{
	struct world w;
	const char *what;
	int from, to;

	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		make_world(&w, s, length_of(s));
		if (!is_noticed(&w, NO_LIE, 0, &what, &from, &to))
			continue;
		fprintf(stderr, "seed %" PRIu64 ": thing %d before thing %d: %s\n%s", s, from, to,
			what, make_text(&w, NO_LIE, NULL)->data);
		return 1;
	}
	printf("%" PRIu64 " programs from seed %" PRIu64 ": engine and oracle agree on all pairs\n",
	       seeds, first_seed);
	return 0;
}

static int check_negative(const char *name, enum lie lie, uint64_t without, uint64_t seeds)
{
	struct world w;
	const char *what;
	int from, to;

	for (uint64_t s = 1; s <= seeds; s++) {
		make_world(&w, s, length_of(s));
		if (is_noticed(&w, lie, without, &what, &from, &to)) {
			printf("%s: noticed after %" PRIu64 " programs\n", name, s);
			return 0;
		}
	}
	fprintf(stderr, "%s: not noticed in %" PRIu64 " programs\n", name, seeds);
	return 1;
}

static const struct gst_text *program_text(uint64_t seed, struct gst_random *r)
{
	struct world w;

	make_world(&w, seed, length_of(seed));
	return make_text(&w, NO_LIE, r);
}

/* An act added at the end changes no answer about those before it, nodes of graphs included. */
static int check_prefix(uint64_t first_seed, uint64_t seeds)
{
	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		struct gst_engine a, b;
		bool is_bad = false;
		struct world w;

		make_world(&w, s, length_of(s));
		/* What a change makes or removes would be there from the start without it. */
		if (w.acts[w.act_count - 1].kind == CHANGE)
			continue;
		if (!gst_engine_open(&b, make_text(&w, NO_LIE, NULL)))
			return 1;
		w.act_count--;
		if (!gst_engine_open(&a, make_text(&w, NO_LIE, NULL)))
			return 1;
		for (gst_op_id i = 0; i < a.m->op_count; i++) {
			for (gst_op_id k = 0; k < a.m->op_count; k++) {
				const struct gst_path_query q = {.documented_only = true};

				is_bad |= gst_order_before(a.o, i, k, NULL) !=
						  gst_order_before(b.o, i, k, NULL) ||
					  gst_order_before(a.o, i, k, &q) !=
						  gst_order_before(b.o, i, k, &q);
			}
		}
		gst_engine_close(&b);
		gst_engine_close(&a);
		if (is_bad) {
			fprintf(stderr, "seed %" PRIu64 ": the last call changes earlier answers\n",
				s);
			return 1;
		}
	}
	printf("an op at the end changes no earlier answer\n");
	return 0;
}

int main(int argc, char **argv)
{
	static const enum gst_rule rules[] = {GST_RULE_S3, GST_RULE_G2, GST_RULE_G3, GST_RULE_G4,
					      GST_RULE_G5, GST_RULE_G7, GST_RULE_E6};
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
	uint64_t first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	int failed = check_programs(first_seed, seeds);

	failed += gst_check_properties(program_text, first_seed, seeds);
	failed += check_prefix(first_seed, seeds / 2);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		char name[64];

		snprintf(name, sizeof(name), "rule %s left out", gst_rule_id(rules[i]));
		failed += check_negative(name, NO_LIE, UINT64_C(1) << rules[i], 1000);
	}
	for (int lie = 1; lie < LIES; lie++)
		failed += check_negative(lie_names[lie], (enum lie)lie, 0, 1000);
	return failed != 0;
}
