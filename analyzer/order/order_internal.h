/* order_internal.h - the graph and what its builders share. */
#ifndef GSTRACE_ANALYZER_ORDER_ORDER_INTERNAL_H
#define GSTRACE_ANALYZER_ORDER_ORDER_INTERNAL_H

#include "analyzer/base/map.h"
#include "analyzer/base/vec.h"
#include "analyzer/order/order.h"

/* Which record a wait means; sorted by node. */
struct gst_ref {
	gst_node_id node;
	gst_op_id record;
	uint32_t kind; /* enum gst_record_ref */
};

/* A record of an event to which CUPTI gave a number. */
struct gst_numbered {
	uint32_t sync_id;
	gst_op_id record;
};

/* When calls of a process may be missing. */
struct gst_window {
	uint64_t from_ns, to_ns;
};

/* A stretch of places in which the order of submission is no topological one. */
struct gst_turn {
	uint32_t first, last;
	uint32_t base;			   /* of its places in turned_to and turned_from */
	gst_call_id first_call, last_call; /* of these places; call_count: behind all calls */
};

struct gst_order {
	struct gst_order_view v; /* first: order.h reads it there */
	const struct gst_model *m;
	/* by 64 calls, and one more: how many barrier points are of calls before */
	const uint32_t *barriers_before;
	gst_op_id ops_of_calls; /* those from here on have no call */
	/* where that is no topological order; in order, apart */
	const struct gst_turn *turns;
	uint32_t turn_count;
	const uint32_t *turned_to,
		*turned_from; /* place in the stretch: of one as submitted, and back */
	/* With a cycle, else NULL: 2 * node_count points in order, and each point's place */
	const gst_point_id *topological;
	const uint32_t *position;
	uint32_t acyclic_count; /* points before those of cycles */
	const gst_node_id *cycle;
	uint32_t cycle_count;
	const struct gst_ref *op_refs, *call_refs;
	uint32_t op_ref_count, call_ref_count;
	const struct gst_ambiguous_pair *ambiguous;
	uint32_t ambiguous_count;
	const gst_op_id
		*vague_launches; /* of which not all is known that orders their nodes; sorted */
	uint32_t vague_launch_count;
	const struct gst_window *windows; /* by process, in order of time, apart */
	const uint32_t *window_first;	  /* process_count + 1 */
	struct gst_order_stats stats;
};

/*
 * One thing in a frontier: work of a lane (records of an event, launches of a graph) after which nothing
 * that covers it has come for sure. Newest first; an id of 0 ends a list.
 */
struct gst_front {
	gst_node_id node; /* op or barrier point; GST_NONE: a record that is not known */
	gst_call_id call; /* GST_NONE: before everything that comes now */
	uint32_t next;
	uint32_t
		aux; /* lanes: version of the legacy actions that are before it; events: enum front_kind */
	bool is_chain; /* whatever was accepted before it in this list ended before it began */
};

enum front_kind {
	FRONT_RECORD,
	FRONT_PROGRAMMATIC,
	FRONT_COMPLETION,
	FRONT_NODE, /* of a graph: whether it is the event's latest is not promised */
	FRONT_UNKNOWN
};

enum collector {
	COLLECT_S3,  /* blocking lanes, for legacy actions */
	COLLECT_H3,  /* blocking lanes, for waits for the legacy stream */
	COLLECT_H1,  /* all lanes, for waits for the context */
	COLLECT_H7,  /* all lanes, for calls that may block */
	COLLECT_H10, /* all lanes, for the end of their context */
	COLLECT_E5,  /* all lanes, for records of the context */
	COLLECT_COUNT
};

/* What all later work of a context waits for. */
enum gate_kind {
	GATE_WAIT,  /* E5: a wait for an event */
	GATE_LIMIT, /* H7: a change of the cache configuration, possible */
	GATE_COUNT
};

struct gst_lane {
	uint32_t front;
	uint32_t seq; /* ops so far */
	uint32_t
		kernel; /* 1 + the last op but for event records and waits, if that is a kernel; 0 = it is none (S2) */
	uint8_t dirty; /* in the list of collector i: bit i */
	/* COLLECT_S3: the last legacy action's call that took all there was, and what there was */
	gst_call_id collected_call;
	uint32_t collected_seq;
	uint32_t gates_seen[GATE_COUNT]; /* in front of an op of the lane: up to this version */
	uint32_t
		joined; /* frontier of kernels elsewhere that later ops of the lane wait for (M6) */
};

struct gst_order_ctx {
	uint32_t first_green,
		next_green; /* contexts of which this is the primary; its next sister */
	uint32_t green_count;
	uint32_t primary;	    /* of a green context; GST_NONE */
	uint8_t listed;		    /* among its primary's new_greens of collector i: bit i */
	uint32_t actions;	    /* frontier of legacy actions */
	uint32_t version;	    /* legacy actions so far */
	bool is_sync_memops;	    /* M7, for all of its memory */
	bool has_foreign;	    /* peer copies of another context are among them */
	uint32_t gates[GATE_COUNT]; /* frontiers, each of one that stands on all before it */
	uint32_t gate_versions[GATE_COUNT];	/* how many so far */
	GST_VEC(uint32_t) dirty[COLLECT_COUNT]; /* lanes with new work */
	gst_node_id barrier[COLLECT_COUNT];	/* last barrier point; GST_NONE */
	/* Where there are many green contexts: those with new work, and their last barrier point. */
	GST_VEC(uint32_t) new_greens[COLLECT_COUNT];
	gst_node_id all_greens[COLLECT_COUNT];
	gst_node_id joined[COLLECT_COUNT]; /* which of its own its primary's stands on; GST_NONE */
};

/* Who writes to an address, in submission order; memory_rules.c. */
struct gst_value_list {
	uint32_t first, last, count; /* in value_writes */
	bool is_mixed;		     /* 32 and 64 bits wide, or half of it written alone */
	bool is_chain;		     /* each in the stream of the one before, and surely after it */
};

struct gst_value_write {
	gst_op_id op;
	uint32_t next; /* GST_NONE */
};

/* Memory that was marked: synchronous copies and memsets of it wait for themselves (M7). */
struct gst_mark {
	uint32_t process;
	uint64_t base, size;
};

#define GREENS_MAX 8u	/* green contexts of one context; more are joined in a barrier point */
#define MARKS_MAX  256u /* at once; of more only the first ones are heeded */

struct gst_order_process {
	struct gst_map execs;	/* handle -> index into exec_fronts */
	struct gst_map frees;	/* address -> op that freed it */
	struct gst_map ordered; /* address -> 1: it was allocated in stream order */
	struct gst_map values;	/* address -> index into value_lists */
	struct gst_map
		sizes; /* address of an allocation -> its size, at most UINT32_MAX; if any is marked */
	bool has_marks;
	bool is_launch_blocking;
	bool is_cuda_11; /* the driver: its documentation promises more */
};

struct gst_order_builder {
	struct gst_arena *arena;
	const struct gst_model *m;
	struct gst_order *o;
	bool is_one_thread; /* all calls are in their order, and nothing overlaps */
	bool is_quiet;	    /* pairs whose order is not known matter to possible edges alone */
	/* Edges that are not stored, by what they reach, and how many: those of struct gst_order_view. */
	uint32_t *op_before;
	gst_call_id *call_before;
	uint32_t made_edges;
	GST_VEC(struct gst_stored_edge) edges; /* all others, as they were given */
	GST_VEC(gst_node_id) owners;	       /* of barrier points */
	gst_call_id call;		       /* under way */
	gst_op_id first_op, end_op;	       /* its ops */
	/* edges that may lead to what was submitted before their source: all that do are among them */
	GST_VEC(struct gst_stored_edge) backward;
	GST_VEC(struct gst_front) pool;
	uint32_t free_fronts;
	GST_VEC(struct gst_front) preds;  /* answer of collect */
	GST_VEC(struct gst_front) afters; /* what it met that was accepted after the call */
	struct gst_lane *lanes;		  /* by stream */
	struct gst_order_ctx *contexts;
	uint32_t *events; /* frontier of records, by event */
	/* by event: its first one in record_calls, the calls that record it in order; event_count + 2 */
	uint32_t *record_first;
	gst_call_id *record_calls;
	uint32_t record_count;
	gst_call_id *last_call; /* by thread */
	/* by event: its first one in numbered, its records with a number of CUPTI's, by that; event_count + 2 */
	uint32_t *numbered_first;
	struct gst_numbered *numbered;
	uint32_t numbered_count;
	struct gst_order_process *processes;
	GST_VEC(uint32_t) exec_fronts; /* frontiers of launches */
	GST_VEC(struct gst_value_list) value_lists;
	GST_VEC(struct gst_value_write) value_writes;
	size_t batch_first_edge, batch_end_edge; /* of the first copy of the batch at hand */
	GST_VEC(struct gst_mark) marks;
	uint32_t next_queue_wait; /* of the model's, by call */
	/* by call, unless there is one thread: 1 + the last one that it was noted with, while that was under way */
	gst_call_id *noted;
	struct gst_map pairs; /* ambiguous pairs noted with a call that comes later */
	GST_VEC(struct gst_ambiguous_pair) ambiguous;
	GST_VEC(struct gst_ref) op_refs, call_refs;
	struct gst_order_graphs *graphs; /* graphs.c; NULL = there are none */
	GST_VEC(gst_op_id) vague_launches;
};

/* rules.c: all edges, one function a rule. */
void gst_order_apply_rules(struct gst_order_builder *b);

/* context_rules.c: rules of whole contexts, and what holds a call up. */
void gst_order_rule_gates(struct gst_order_builder *b, gst_op_id op, struct gst_order_ctx *ctx,
			  struct gst_lane *lane);
/* E5, before @record is made the event's latest, and once it is known what @wait waits for. */
void gst_order_rule_e5_record(struct gst_order_builder *b, gst_op_id record);
void gst_order_rule_e5_wait(struct gst_order_builder *b, gst_op_id wait);
/* H7, before the ops of a call that loads something, and for calls that may be a barrier on the device. */
void gst_order_rule_h7_loading(struct gst_order_builder *b, gst_call_id call);
void gst_order_rule_h7_barrier(struct gst_order_builder *b, gst_call_id call);
/* M6, before the kernels of a launch on several devices, before one of a lane with such, and after them. */
void gst_order_rule_m6_before(struct gst_order_builder *b, gst_call_id call);
void gst_order_rule_m6_lane(struct gst_order_builder *b, gst_op_id op, struct gst_lane *lane);
void gst_order_rule_m6_after(struct gst_order_builder *b, gst_call_id call);
void gst_order_rule_h9(struct gst_order_builder *b, gst_call_id call);
void gst_order_rule_h10(struct gst_order_builder *b, gst_call_id call);

/* memory_rules.c: before the walk, and for each memory operation in it. */
void gst_order_find_values(struct gst_order_builder *b);
void gst_order_rule_m4(struct gst_order_builder *b, gst_op_id op);
/*
 * M3: true if the order of @op, of a batch of copies, toward what is before it in its stream is made by this rule; *version
 * is then what is known to be before it.
 */
bool gst_order_rule_m3(struct gst_order_builder *b, gst_op_id op, const struct gst_lane *lane,
		       uint32_t *version);
/* After the ops of a batch: many of them become one thing in their lane. */
void gst_order_join_batch(struct gst_order_builder *b, gst_call_id call);
/* M7: what a call says about marks, before the walk and in it; is @call's own memory marked? */
void gst_order_find_marks(struct gst_order_builder *b, gst_call_id call);
void gst_order_note_marks(struct gst_order_builder *b, gst_call_id call);
bool gst_order_is_marked(const struct gst_order_builder *b, gst_call_id call);

/* graphs.c: E6, G4, G5 and G7 for the nodes of op @launch. */
void gst_order_init_graphs(struct gst_order_builder *b);
void gst_order_release_graphs(struct gst_order_builder *b);
void gst_order_graph_rules(struct gst_order_builder *b, gst_op_id launch);

/* Is something missing of what orders the nodes of @launch? O(log n). */
bool gst_order_is_vague_launch(const struct gst_order *o, gst_op_id launch);

/* ---- what all files of rules build with; in rules.c --------------------------------------------------- */

static inline gst_node_id node_of_call(const struct gst_order_builder *b, gst_call_id call)
{
	return b->m->op_count + call;
}

void gst_order_add_edge(struct gst_order_builder *b, gst_node_id from, gst_node_id to,
			enum gst_rule rule, enum gst_strength strength, enum gst_form form,
			uint8_t flags);
/* Documented, end -> begin. */
void gst_order_add_work(struct gst_order_builder *b, gst_node_id from, gst_node_id to,
			enum gst_rule rule);
/* End -> exit of @call. */
void gst_order_add_wait(struct gst_order_builder *b, gst_node_id from, gst_call_id call,
			enum gst_rule rule, enum gst_strength strength);
/* A new barrier point, placed right after the enter of @owner, a call. */
gst_node_id gst_order_add_barrier(struct gst_order_builder *b, gst_node_id owner);

/* Was @x accepted before @y? GST_NONE: before everything. Ops of one call stand in lists in their order. */
static inline enum gst_accepted gst_order_accepted(const struct gst_order_builder *b, gst_call_id x,
						   gst_call_id y)
{
	if (x == y || x == GST_NONE)
		return GST_ACCEPTED_BEFORE;
	if (y == GST_NONE)
		return GST_ACCEPTED_AFTER;
	if (b->is_one_thread || b->m->calls[x].thread == b->m->calls[y].thread)
		return x < y ? GST_ACCEPTED_BEFORE : GST_ACCEPTED_AFTER;
	return gst_model_accepted(b->m, x, y);
}

/* The first record of @event that CUPTI gave the number @sync_id; GST_NONE. In order.c. */
gst_op_id gst_order_numbered(const struct gst_order_builder *b, gst_event_id event,
			     uint32_t sync_id);

/* The order of the two matters, and is not known. */
void gst_order_note_pair(struct gst_order_builder *b, gst_call_id x, gst_call_id y);

/*
 * E2: the record that @call, which names @event, refers to: by CUPTI's number, else the latest one accepted
 * before it. *kind is meaningful for GST_REF_OP.
 */
enum gst_record_ref gst_order_meant_record(struct gst_order_builder *b, gst_call_id call,
					   gst_event_id event, uint32_t sync_id, gst_op_id *record,
					   enum front_kind *kind);

/* From @call on, @op is the latest record of @event; GST_NONE: one that is not known. */
void gst_order_record_event(struct gst_order_builder *b, gst_event_id event, gst_node_id op,
			    gst_call_id call, enum front_kind kind);

/* What wait @op means, for gst_order_record_of. */
void gst_order_note_ref(struct gst_order_builder *b, gst_op_id op, enum gst_record_ref ref,
			gst_op_id record);

/* A place in the pool that was never used. */
uint32_t gst_order_new_front(struct gst_order_builder *b);

/* Put @f at the head of the list. */
static inline void gst_order_push(struct gst_order_builder *b, uint32_t *head, struct gst_front f)
{
	uint32_t id = b->free_fronts;

	if (id) {
		b->free_fronts = b->pool.data[id].next;
	} else {
		id = gst_order_new_front(b);
	}
	f.next = *head;
	b->pool.data[id] = f;
	*head = id;
}
/* Take the head off the list, which is not empty. */
void gst_order_pop(struct gst_order_builder *b, uint32_t *head);

/*
 * What collecting met beside the things it found: what may belong to a later call, and calls that never
 * returned, which stay ambiguous for good.
 */
#define SAW_LATER     1u
#define SAW_AMBIGUOUS 2u
#define SAW_NEVER     4u

#define FRONT_MAX 8u /* more things than this in a lane are joined in a barrier point */

/*
 * Into b->preds: what in the list was accepted before @call, without what an other one of these covers.
 * Things that can matter to no later call either leave the list.
 */
unsigned gst_order_collect(struct gst_order_builder *b, uint32_t *head, gst_call_id call);
unsigned gst_order_collect_lane(struct gst_order_builder *b, struct gst_lane *lane,
				gst_call_id call);

/*
 * All lanes of @ctx, joined in one barrier point that stands on the last one of @collector: only lanes with
 * new work are looked at. GST_NONE: nothing ever ran there.
 */
gst_node_id gst_order_join_lanes(struct gst_order_builder *b, gst_call_id call,
				 struct gst_order_ctx *ctx, enum collector collector,
				 enum gst_rule rule);
/* The same for all lanes of the green contexts of @ctx, which are more than GREENS_MAX. */
gst_node_id gst_order_join_greens(struct gst_order_builder *b, gst_call_id call,
				  struct gst_order_ctx *ctx, enum collector collector,
				  enum gst_rule rule);

/* topology.c: places, once all edges are grouped. */
void gst_order_seal_topology(struct gst_order *o, const struct gst_stored_edge *backward,
			     size_t backward_count, struct gst_arena *arena);

/* Where @p stands among all points: below acyclic_count, or in or behind a cycle. */
uint32_t gst_order_position(const struct gst_order *o, gst_point_id p);

/* The point at @place; *@near is a guess at its call, to begin with 0, and better from call to call. */
gst_point_id gst_order_point_at(const struct gst_order *o, uint32_t place, gst_call_id *near);

/* Is op @n a launch whose nodes come next, up to the end of its call? They end before it does. */
static inline bool gst_order_has_nodes(const struct gst_order *o, gst_node_id n)
{
	const struct gst_op *ops = o->m->ops;

	return n + 1 < o->v.op_count && ops[n].kind == GST_OP_GRAPH_LAUNCH &&
	       ops[n + 1].parent == n;
}

/* The nodes of @n, if it is a launch, that wait for events: *count from the one returned on. */
static inline gst_op_id gst_order_wait_nodes(const struct gst_order *o, gst_node_id n,
					     uint32_t *count)
{
	gst_op_id op = n + 1;

	*count = 0;
	/* They come first. */
	while (n < o->v.op_count && op + *count < o->v.op_count &&
	       o->m->ops[op + *count].parent == n &&
	       o->m->ops[op + *count].kind == GST_OP_EVENT_WAIT)
		++*count;
	return op;
}

/* reach.c: the answer where no path was found. */
enum gst_answer gst_order_no_path(const struct gst_order *o, gst_node_id a, gst_node_id b);

/* May calls of @process between the two times be missing? */
bool gst_order_lost_between(const struct gst_order *o, uint32_t process, uint64_t from_ns,
			    uint64_t to_ns);

/* Is edge @e, its rule or its strength left out by @q? */
static inline bool gst_query_drops(const struct gst_path_query *q, const struct gst_edge *e)
{
	return q && ((q->without_rules >> e->rule & 1) ||
		     (q->documented_only && e->strength != GST_DOCUMENTED) ||
		     (q->without_edges && (q->without_edges[e->id / 8] >> (e->id % 8) & 1)));
}
/* All lanes of @ctx, and @call waits for them until its exit. */
void gst_order_wait_for_lanes(struct gst_order_builder *b, gst_call_id call,
			      struct gst_order_ctx *ctx, enum collector collector,
			      enum gst_rule rule, enum gst_strength strength);
/* The same for the context of @call, which is known, and its green contexts; in context_rules.c. */
void gst_order_wait_for_contexts(struct gst_order_builder *b, gst_call_id call,
				 enum collector collector, enum gst_rule rule,
				 enum gst_strength strength);

#endif
