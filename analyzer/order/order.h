/*
 * order.h - the happens-before graph: which op, call or barrier comes before which, by what rule.
 *
 * Reads no timestamp of any op. Rules give edges and strengths; timing/ promotes or disproves the
 * `possible` ones afterwards. docs/ORDERING.md has a section for each rule.
 *
 * Nodes are ops, calls and barrier points, in one id space:
 *     0 .. op_count-1                     op i
 *     op_count .. op_count+call_count-1   call j
 *     after that                          barrier points (S3, E5, H1 over many lanes): no duration of their own
 * Each edge joins two *points* of nodes, by its form:
 *     END_BEGIN    from's end   -> to's begin     (work after work)
 *     BEGIN_BEGIN  from's begin -> to's begin     (programmatic launches)
 *     ENTER_BEGIN  call's enter -> op's begin     (submission)
 *     END_EXIT     op's end     -> call's exit    (host waits)
 *     EXIT_ENTER   call's exit  -> call's enter   (one thread)
 * A barrier point takes END_BEGIN edges in and gives END_BEGIN or END_EXIT edges out, all of one rule. Edges into
 * a barrier point are DOCUMENTED (they say what the barrier is made of); whether it is waited for at all is
 * the strength of the edges out of it. A later barrier of the same context may stand on an earlier one.
 * Legacy actions are their own barrier: S3 edges go into and out of the op itself.
 *
 * An op that is a node of a graph launch ends by the end of its launch: there is no edge for that, but every answer
 * heeds it.
 *
 * Nodes may lie on a circle where points do not: a call submits a copy (ENTER_BEGIN) and waits for it
 * (END_EXIT). So order among nodes is told for points.
 *
 * Most edges are of rules that give a node one edge at most, all alike but for its source. These are not stored but put
 * together when they are asked for, and their ids are told by the node that they reach
 * (docs/design/0003-edges.md):
 *     0 .. op_count-1                 where op i comes from: U1 from its call, or G2 from its launch
 *     op_count .. 2*op_count-1        what op i stands behind in its stream: S1, or F1 with a host function
 *     2*op_count .. +call_count-1     T1, from the call before call j in its thread
 *     after that                      all others, stored, by the node that they reach; of one node as given by the rules
 * Not each id of the first three has an edge. Where a rule gives more than that (threads overlap), the rest is
 * stored. What is not stored is documented and may be held against timestamps.
 */
#ifndef GSTRACE_ANALYZER_ORDER_ORDER_H
#define GSTRACE_ANALYZER_ORDER_ORDER_H

#include "analyzer/base/assert.h"
#include "analyzer/model/model.h"

typedef uint32_t gst_node_id;
typedef uint32_t gst_edge_id;
typedef uint32_t gst_point_id; /* 2 * node: its begin or enter; 2 * node + 1: its end or exit */

enum gst_rule {
#define GST_RULE(ID, strength, text, source) GST_RULE_##ID,
#include "analyzer/order/rules.def"
#undef GST_RULE
	GST_RULE_COUNT
};

enum gst_strength { GST_DOCUMENTED, GST_POSSIBLE, GST_OBSERVED, GST_DISPROVED };

enum gst_form { GST_END_BEGIN, GST_BEGIN_BEGIN, GST_ENTER_BEGIN, GST_END_EXIT, GST_EXIT_ENTER };

struct gst_edge {
	gst_edge_id id;
	gst_node_id from, to;
	uint8_t rule;	  /* enum gst_rule */
	uint8_t strength; /* DOCUMENTED or POSSIBLE here; timing keeps what became of the latter */
	uint8_t form;	  /* enum gst_form */
	uint8_t flags;	  /* GST_EDGE_* */
};

/* never held against timestamps (staged copy, ambiguous submission), or by begins alone (unknown trigger) */
#define GST_EDGE_UNCHECKED 1u

struct gst_order;

/**
 * Build and seal the graph of @m in @arena.
 *
 * A cycle is not an error: the trace is inconsistent; gst_order_cycle() gives it, and conclusions about its
 * nodes are withheld. Cost: linear in ops + calls + edges. Threads: one builder.
 */
gst_status gst_order_build(const struct gst_model *m, struct gst_arena *arena,
			   const struct gst_order **out, struct gst_err *err)
	__attribute__((warn_unused_result));

/**
 * The same, while @beside (parallel.h: gst_parallel_begin) goes on in another thread if there is one. It is called
 * once and over at return, also where that tells an error. It may read the model, and nothing of the graph; NULL: none.
 */
gst_status gst_order_build_beside(const struct gst_model *m, struct gst_arena *arena,
				  void (*beside)(void *payload), void *payload,
				  const struct gst_order **out, struct gst_err *err)
	__attribute__((warn_unused_result));

/* An edge as it is stored: its place tells its id. */
struct gst_stored_edge {
	gst_node_id from, to;
	uint8_t rule, strength, form, flags;
};

/* What is read most of a graph: the first member of struct gst_order. For the functions below alone. */
struct gst_order_view {
	const struct gst_op *ops;
	const struct gst_call *calls;
	const uint32_t *
		op_before; /* by op: what it stands behind in its stream, with GST_BEFORE_F1; GST_NONE */
	const gst_call_id *call_before; /* by call: the one before it in its thread; GST_NONE */
	const struct gst_stored_edge *stored; /* those into one node are a run; runs by node */
	const uint64_t *has_run;	      /* a bit a node */
	const uint32_t *runs_before;	      /* by word of has_run: bits set in the words before */
	const uint32_t *run_first;	      /* by run, and one more: its first edge in stored */
	const gst_node_id *barrier_owner;
	uint32_t op_count, node_count, edge_count;
	uint32_t barrier_base; /* first barrier point: op_count + call_count */
	gst_edge_id stored_base, edge_bound;
};

#define GST_BEFORE_F1 0x80000000u /* more than any node */

static inline const struct gst_order_view *gst_order_view(const struct gst_order *o)
{
	return (const struct gst_order_view *)o;
}

static inline uint32_t gst_order_node_count(const struct gst_order *o)
{
	return gst_order_view(o)->node_count;
}
static inline uint32_t gst_order_edge_count(const struct gst_order *o)
{
	return gst_order_view(o)->edge_count;
}
/** Ids of edges are below this; not each of them has an edge. */
static inline gst_edge_id gst_order_edge_bound(const struct gst_order *o)
{
	return gst_order_view(o)->edge_bound;
}
/** The first edge from id @e on, edge_bound if there is none: for passes over all edges. */
gst_edge_id gst_order_next_edge(const struct gst_order *o, gst_edge_id e);

/** The first stored edge: those of all rules but T1, U1, S1, F1 and G2 come from here on, and no id is left out. */
static inline gst_edge_id gst_order_first_stored(const struct gst_order *o)
{
	return gst_order_view(o)->stored_base;
}

/* Sources of the edges that are not stored, for passes over all nodes; GST_NONE: there is no such edge. */

/** Where op @op comes from: its launch if it is a node (G2), else its call (U1). */
static inline gst_node_id gst_order_origin(const struct gst_order *o, gst_op_id op)
{
	const struct gst_order_view *v = gst_order_view(o);
	const struct gst_op *x = &v->ops[op];

	if (x->call == GST_NONE)
		return GST_NONE;
	if (x->flags & GST_OP_NODE)
		return x->parent;
	return v->calls[x->call].flags & GST_CALL_NO_ENTER ? GST_NONE : v->op_count + x->call;
}
/** What op @op stands behind in its stream (S1, F1). */
static inline gst_node_id gst_order_op_before(const struct gst_order *o, gst_op_id op)
{
	uint32_t before = gst_order_view(o)->op_before[op];

	return before == GST_NONE ? GST_NONE : before & ~GST_BEFORE_F1;
}
/** The id of the edge that tells the same of @node, an op or a call: what it stands behind in its stream or thread. */
static inline gst_edge_id gst_order_before_id(const struct gst_order *o, gst_node_id node)
{
	return gst_order_view(o)->op_count + node;
}
/** The call before call @call in its thread (T1). */
static inline gst_call_id gst_order_call_before(const struct gst_order *o, gst_call_id call)
{
	return gst_order_view(o)->call_before[call];
}

/** Edge @e, which there is. O(1). */
static inline struct gst_edge gst_order_edge(const struct gst_order *o, gst_edge_id e)
{
	const struct gst_order_view *v = gst_order_view(o);
	struct gst_edge out = {.id = e, .strength = GST_DOCUMENTED};

	GST_DCHECK(e < v->edge_bound);
	if (e >= v->stored_base) {
		const struct gst_stored_edge *s = &v->stored[e - v->stored_base];

		out.from = s->from;
		out.to = s->to;
		out.rule = s->rule;
		out.strength = s->strength;
		out.form = s->form;
		out.flags = s->flags;
	} else if (e < v->op_count) {
		bool is_node = v->ops[e].flags & GST_OP_NODE;

		out.from = gst_order_origin(o, e);
		out.to = e;
		out.rule = is_node ? GST_RULE_G2 : GST_RULE_U1;
		out.form = is_node ? GST_BEGIN_BEGIN : GST_ENTER_BEGIN;
	} else if (e < 2 * v->op_count) {
		uint32_t before = v->op_before[e - v->op_count];

		out.from = before & ~GST_BEFORE_F1;
		out.to = e - v->op_count;
		out.rule = before & GST_BEFORE_F1 ? GST_RULE_F1 : GST_RULE_S1;
		out.form = GST_END_BEGIN;
	} else {
		out.from = v->op_count + v->call_before[e - 2 * v->op_count];
		out.to = e - v->op_count;
		out.rule = GST_RULE_T1;
		out.form = GST_EXIT_ENTER;
	}
	return out;
}

/* Edges into one node: some that are not stored, then a run of those that are. */
struct gst_edges {
	uint32_t count, made_count;
	gst_edge_id made[2];
	gst_edge_id first;
};

/** The stored ones of the edges into @node: those of all rules but T1, U1, S1, F1 and G2. */
static inline struct gst_edges gst_order_stored_in(const struct gst_order *o, gst_node_id node)
{
	const struct gst_order_view *v = gst_order_view(o);
	uint64_t word = v->has_run[node / 64] >> (node % 64);
	struct gst_edges in = {0};
	uint32_t run;

	if (!(word & 1))
		return in;
	run = v->runs_before[node / 64 + 1] - (uint32_t)__builtin_popcountll(word);
	in.first = v->stored_base + v->run_first[run];
	in.count = v->run_first[run + 1] - v->run_first[run];
	return in;
}
/** Edges into @node, in the order of their ids. O(1). */
static inline struct gst_edges gst_order_in(const struct gst_order *o, gst_node_id node)
{
	const struct gst_order_view *v = gst_order_view(o);
	struct gst_edges in = gst_order_stored_in(o, node);

	if (node < v->op_count) {
		if (gst_order_origin(o, node) != GST_NONE)
			in.made[in.made_count++] = node;
		if (v->op_before[node] != GST_NONE)
			in.made[in.made_count++] = v->op_count + node;
	} else if (node < v->barrier_base && v->call_before[node - v->op_count] != GST_NONE) {
		in.made[in.made_count++] = v->op_count + node;
	}
	in.count += in.made_count;
	return in;
}
/** Number @i of them. */
static inline struct gst_edge gst_edges_at(const struct gst_order *o, const struct gst_edges *in,
					   uint32_t i)
{
	return gst_order_edge(o,
			      i < in->made_count ? in->made[i] : in->first + (i - in->made_count));
}

/* Edges by the node they leave. Most passes go by what reaches a node: made for those that do not. */
struct gst_order_outs {
	const gst_edge_id *ids;
	const uint32_t *first; /* node_count + 1 */
};

/** Group the edges of @o by the node they leave, in the order of their ids. Linear; lives in @arena. */
struct gst_order_outs gst_order_group_out(const struct gst_order *o, struct gst_arena *arena);

/** Edges out of @node, as with gst_order_in. */
static inline const gst_edge_id *gst_order_out(const struct gst_order_outs *outs, gst_node_id node,
					       uint32_t *count)
{
	*count = outs->first[node + 1] - outs->first[node];
	return outs->ids + outs->first[node];
}

static inline gst_node_id gst_node_of_op(gst_op_id op)
{
	return op;
}
static inline gst_node_id gst_node_of_call(const struct gst_order *o, gst_call_id call)
{
	return gst_order_view(o)->op_count + call;
}
static inline bool gst_node_is_op(const struct gst_order *o, gst_node_id n)
{
	return n < gst_order_view(o)->op_count;
}
static inline bool gst_node_is_call(const struct gst_order *o,
				    gst_node_id n) /* call id = n - op_count */
{
	return n >= gst_order_view(o)->op_count && n < gst_order_view(o)->barrier_base;
}
static inline bool gst_node_is_barrier(const struct gst_order *o, gst_node_id n)
{
	return n >= gst_order_view(o)->barrier_base;
}
/** The op (legacy action) or call for which a barrier point exists; GST_NONE if @n is none. */
static inline gst_node_id gst_barrier_owner(const struct gst_order *o, gst_node_id n)
{
	const struct gst_order_view *v = gst_order_view(o);

	return n >= v->barrier_base ? v->barrier_owner[n - v->barrier_base] : GST_NONE;
}

/** Which EVENT_RECORD op an EVENT_WAIT op (or a waiting call, by node) refers to. */
enum gst_record_ref {
	GST_REF_OP,
	GST_REF_EMPTY /* E3: never recorded */,
	GST_REF_UNKNOWN,
	GST_REF_AMBIGUOUS
};
enum gst_record_ref gst_order_record_of(const struct gst_order *o, gst_node_id wait,
					gst_op_id *record);

static inline gst_node_id gst_node_of_point(gst_point_id p)
{
	return p / 2;
}
static inline gst_point_id gst_point_begin(gst_node_id n)
{
	return 2 * n;
}
static inline gst_point_id gst_point_end(gst_node_id n)
{
	return 2 * n + 1;
}
/** The point that edge @e leaves, and the one it reaches. */
gst_point_id gst_edge_from_point(const struct gst_edge *e);
gst_point_id gst_edge_to_point(const struct gst_edge *e);

/**
 * All points, each after every point that must precede it: along edges, and begin before end of one node. Points of
 * cycles, and what lies behind them, come last, by id. May be made for the call, in @arena. Linear.
 */
const gst_point_id *gst_order_topological(const struct gst_order *o, struct gst_arena *arena,
					  uint32_t *count);
/**
 * Is something of @call (its points, its barrier points', its ops') in a stretch where the order of submission is
 * not a topological one? Asked from call to call with *@hint 0 at first: O(1) on average.
 */
bool gst_order_is_turned(const struct gst_order *o, gst_call_id call, uint32_t *hint);
/** Is there such a stretch? */
bool gst_order_has_turns(const struct gst_order *o);
/** 0, or the number of nodes on the cycle reported in @nodes. */
uint32_t gst_order_cycle(const struct gst_order *o, const gst_node_id **nodes);

struct gst_path_query {
	uint64_t without_rules; /* bit set of enum gst_rule: edges of these rules are not used */
	const gst_node_id *without_nodes; /* barrier points or ops not to pass through */
	uint32_t without_node_count;
	bool documented_only; /* leave out `possible` edges */
	bool device_only;     /* leave out host edges (calls) */
	uint32_t max_nodes;   /* give up after visiting so many; 0 = no limit */
	const uint8_t
		*without_edges; /* a bit an edge, lowest first: these are not used; NULL = none */
};

enum gst_answer { GST_NO, GST_YES, GST_DONT_KNOW };

/**
 * Is end(@a) before begin(@b) (ops or calls) by some path allowed by @q (NULL: any)?
 * GST_DONT_KNOW if the limit was reached or lost records lie between.
 */
enum gst_answer gst_order_before(const struct gst_order *o, gst_node_id a, gst_node_id b,
				 const struct gst_path_query *q);

/* Of one side, at a time. */
#define GST_MANY_MAX 64u

/**
 * Which of @near (up to GST_MANY_MAX ops or calls) end before each of @far begins, and which begin after it has ended:
 * bit i of before[k] and after[k] is of near[i] and far[k]. As gst_order_before() says, GST_YES or not, of each pair.
 *
 * Cost: two passes over the edges between all of them, and eight bytes a point there.
 */
void gst_order_before_many(const struct gst_order *o, const gst_node_id *near, uint32_t near_count,
			   const gst_node_id *far, uint32_t far_count, bool documented_only,
			   uint64_t *before, uint64_t *after);

/** What gst_order_before() says of two between which no path is: GST_NO or GST_DONT_KNOW. */
enum gst_answer gst_order_not_before(const struct gst_order *o, gst_node_id a, gst_node_id b);

/* How far each chain (a stream, a thread) is before each point; for many questions about one graph. */
struct gst_clocks;

/**
 * Chain clocks of @o, which must outlive them, by all edges or by documented ones alone. Their trees take at most
 * @limit_bytes beside 14 bytes a node; points for which there is no room get none, and questions about these are
 * searched for.
 *
 * Cost: the edges, and where chains meet, what one knew and the other did not, 64 bytes and a step for each 16
 * chains of it: little where a legacy op or a wait brings all up to date, up to all chains for each op where
 * every op waits for any stream. Give back with gst_clocks_free (NULL is fine).
 */
struct gst_clocks *gst_clocks_new(const struct gst_order *o, uint64_t limit_bytes,
				  bool documented_only) __attribute__((warn_unused_result));
void gst_clocks_free(struct gst_clocks *c);

/** Do the clocks tell whether @a comes before @b? Else gst_clocks_before() searches. */
bool gst_clocks_tell(const struct gst_clocks *c, gst_node_id a, gst_node_id b);

/**
 * As gst_order_before by the edges that @c was made of, whatever lies between the two: a look at one clock, or two,
 * and a search where gst_clocks_tell() says no.
 */
enum gst_answer gst_clocks_before(const struct gst_clocks *c, gst_node_id a, gst_node_id b);

struct gst_clocks_stats {
	uint64_t bytes, steps; /* of the trees; looks at edges and branches while they were made */
	bool is_full;
};
struct gst_clocks_stats gst_clocks_stats(const struct gst_clocks *c);

/**
 * Why: a path from @a to @b of documented edges if there is one, with the fewest edges, ties by lowest id.
 * Returns the number of edges, 0 = none; *edges lives in @scratch.
 */
uint32_t gst_order_why(const struct gst_order *o, gst_node_id a, gst_node_id b,
		       const struct gst_path_query *q, struct gst_arena *scratch,
		       const gst_edge_id **edges);

const char *gst_rule_id(enum gst_rule r);     /* "S3" */
const char *gst_rule_text(enum gst_rule r);   /* "legacy default stream" */
const char *gst_rule_source(enum gst_rule r); /* where CUDA says so */

/** Ambiguous or unknown things met while building, for the report. */
struct gst_order_stats {
	uint64_t ambiguous_pairs, unknown_records, empty_events, dropped_implied, per_rule[64];
	/* things given up because too many calls overlapped: edges may be missing, none is wrong */
	uint64_t cut_fronts;
	/* things and lanes looked at to find the edges: for tests of scale */
	uint64_t steps;
	/* waits for a value of which nobody knows who wrote it: ordered by their streams alone */
	uint64_t unmatched_values;
	/* launches of graphs whose edges were not followed: they go round, or are too many for the trace */
	uint64_t cut_graphs;
	uint64_t unknown_ports;	     /* edges of graphs whose port was not seen */
	uint64_t unknown_iterations; /* runs of graphs whose iterations cannot be told apart */
	uint64_t vague_launches; /* launches of which not all is known that orders their nodes */
	/* calls that a full queue held up, and nobody knows what made room */
	uint64_t unknown_queue_waits;
};
const struct gst_order_stats *gst_order_stats(const struct gst_order *o);

/** Pairs of calls whose order of acceptance matters and is not known: listed up to a bound, the total is in the stats. */
struct gst_ambiguous_pair {
	gst_call_id a, b;
};
const struct gst_ambiguous_pair *gst_order_ambiguous(const struct gst_order *o, uint32_t *count);

struct gst_outfile;

/** The graph as text, one line an edge, for `gstrace dump --order` and goldens. */
void gst_order_dump(const struct gst_order *o, struct gst_outfile *out);

#endif
