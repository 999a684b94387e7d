/*
 * model.h - what happened, as objects: processes, threads, calls, streams, events, ops; one clock.
 *
 * Built once from the loader's records, read-only afterwards. Every later stage (order, timing, check,
 * export) takes `const struct gst_model *`. The model knows no ordering rule: it says who submitted what,
 * where and when, and what of that is not known. Times end in _ns and are nanoseconds of the model clock:
 * CLOCK_MONOTONIC of the first process' host, minus `base_ns`, so that the trace begins near 0.
 *
 * Ids are dense indices. Op ids and call ids increase in *submission order*: by the begin of the call
 * (then by thread, then by position); gst_model_accepted() says which pairs that really proves.
 *
 * Everything lives in the arena given to gst_model_build but the strings: gst_model_free gives those back.
 */
#ifndef GSTRACE_ANALYZER_MODEL_MODEL_H
#define GSTRACE_ANALYZER_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/arena.h"
#include "analyzer/base/err.h"
#include "analyzer/base/status.h"
#include "analyzer/base/strtab.h"
#include "analyzer/load/load.h"
#include "tracer/format/api.h"
#include "tracer/format/format.h"

typedef uint32_t gst_op_id;
typedef uint32_t gst_call_id;
typedef uint32_t gst_stream_id; /* index into model->streams, not CUPTI's number */
typedef uint32_t gst_event_id;	/* index into model->events: one life of a CUevent */

#define GST_NONE UINT32_MAX /* "no such op, call, stream, event, ..." */

enum gst_op_kind {
	GST_OP_KERNEL,
	GST_OP_MEMCPY,
	GST_OP_MEMSET,
	GST_OP_HOST_FUNC,
	GST_OP_EVENT_RECORD,
	GST_OP_EVENT_WAIT,
	GST_OP_GRAPH_LAUNCH,
	GST_OP_ALLOC,  /* stream-ordered */
	GST_OP_FREE,   /* stream-ordered */
	GST_OP_MEMOP,  /* wait/write value; each element of a batch is one */
	GST_OP_OPAQUE, /* a recorded kind without a rule: ordered by its stream only, counted */
	GST_OP_KIND_COUNT
};

enum gst_op_flags {
	/* begin_ns and end_ns were measured (kernel, copy, memset, graph run or its nodes) */
	GST_OP_TIMED = 1u << 0,
	/* node of a graph launch: `parent` is the launch; not a member of a lane */
	GST_OP_NODE = 1u << 1,
	/* a device record whose call is not in the trace: submission unknown */
	GST_OP_NO_CALL = 1u << 2,
	/* submitted, and its kind has device records, but none came: never ran, or lost */
	GST_OP_NO_RECORD = 1u << 3,
	/* its record was handed back by a forced flush: end may be unknown */
	GST_OP_FORCED = 1u << 4,
	/* launched with programmatic stream serialization, or attributes unread */
	GST_OP_PROGRAMMATIC = 1u << 5,
	GST_OP_STREAM_GUESSED = 1u << 6, /* stream by handle, without a record that confirms it */
	GST_OP_BAD_TIME = 1u << 7,	 /* times zero or reversed in the record: not TIMED */
	/* graph launch, not TIMED: begin_ns and end_ns span its known nodes only; it may have
	 * begun earlier and ended later */
	GST_OP_PARTIAL = 1u << 8,
	/* copy from host to host: begin_ns is when its call came to it; the copy itself may have waited
	 * after that. The end holds */
	GST_OP_EARLY_BEGIN = 1u << 9,
	/* event record or wait of a whole context, that of its call: in no stream */
	GST_OP_CONTEXT = 1u << 10,
	/* joined with work outside of the trace: external semaphore, graphics, event of another process */
	GST_OP_OPEN = 1u << 11,
};

/* One unit of work in a stream. 48 bytes: ten million of them are ordinary. */
struct gst_op {
	uint64_t begin_ns, end_ns; /* 0, 0 unless TIMED or PARTIAL */
	gst_call_id call;	   /* call that submitted it; GST_NONE with NO_CALL */
	gst_stream_id stream;	   /* GST_NONE = not known */
	gst_op_id parent;	   /* NODE: its launch; otherwise GST_NONE */
	uint32_t name;		   /* kernel: mangled name in model->strings; others 0 */
	/* index into kernels, copies, memsets, memops, by kind, and of a graph launch into execs; GST_NONE = no
	 * record */
	uint32_t detail;
	gst_event_id event; /* EVENT_RECORD, EVENT_WAIT: the event; otherwise GST_NONE */
	union {
		/* EVENT_RECORD, EVENT_WAIT: CUPTI's number of the record meant; 0 = not told */
		uint32_t sync_id;
		/* other NODEs: index into graph_nodes; GST_NONE = no definition of it in the trace.
		 * Of an event record or wait that is a NODE it is `detail`: gst_op_graph_node() */
		uint32_t graph_node;
	};
	uint16_t flags;
	uint8_t kind;
	uint8_t reserved;
};

enum gst_call_flags {
	/* exit_ns and result hold; otherwise the call never returned */
	GST_CALL_RETURNED = 1u << 0,
	/* made to a capturing stream: it submitted nothing that runs */
	GST_CALL_CAPTURED = 1u << 1,
	/* overlaps a call of another thread with which its order matters, or comes too close (gst_model_is_past) */
	GST_CALL_AMBIGUOUS = 1u << 2,
	GST_CALL_NO_ENTER = 1u << 3, /* only the exit is in the trace (loss) */
	/* a function or module was loaded inside, and the call is not for that (lazy loading) */
	GST_CALL_LOADED = 1u << 4,
	GST_CALL_HELD = 1u << 5, /* the command queue was full: told by CUPTI, or inferred */
	GST_CALL_TOLD = 1u << 6, /* by a record of CUPTI: no parameters, the stream by its work */
	/* batch of copies whose sources may be read out of stream order, as asked for or for all we know */
	GST_CALL_EARLY_SOURCE = 1u << 7,
};

/* One outermost API call on a host thread. */
struct gst_call {
	uint64_t enter_ns, exit_ns;
	uint32_t api;	 /* GST_API_ID: look up in api.h */
	uint32_t corr;	 /* correlation id; calls inside one call of the runtime share it */
	uint32_t thread; /* index into model->threads */
	/* stream it names, resolved (legacy and per-thread too); GST_NONE = none, or not known */
	gst_stream_id stream;
	uint32_t ctx;	    /* index into model->contexts; GST_NONE = not known */
	gst_event_id event; /* event it names; GST_NONE */
	/* ops it submitted, nodes included: first_op .. first_op + op_count - 1. Of a call without any:
	 * how many the calls before it submitted */
	gst_op_id first_op;
	uint32_t op_count;
	uint32_t args; /* index into model->args (addresses, sizes, handles); GST_NONE */
	int32_t result;
	/* event wait/synchronize/query: record meant, by CUPTI; 0 = not told */
	uint32_t sync_id;
	uint8_t cls;	    /* enum gst_api_class of api.h */
	uint8_t flags;	    /* enum gst_call_flags */
	uint16_t api_flags; /* flags of api.h (synchronous form, _ptsz, ...) */
};

/* What a call was given, where a check may need it. */
struct gst_call_args {
	/* copy: dst, src; memset: dst; memory: address (allocation: the one it gave), pool;
	 * graph: graph (or the event of a node of an executable one), exec or event, and in bytes the node it changes; host: function, user; launch: event;
	 * event: handle (but a call that names an event and nothing else has no args); b of an elapsed time and of a launch: gst_event_id of the second event, GST_NONE;
	 * others: object, value */
	uint64_t a, b;
	/* size; event: handle of the context it is about; others: elements of a batch */
	uint64_t bytes;
	uint32_t flags; /* launch_flags, event flags, stream flags, capture mode, which attribute */
	int32_t extra;	/* priority; copy: direction; others: device + 1 */
};

/* How a kernel was launched. Ops of one context may share an entry. */
struct gst_kernel {
	uint32_t grid[3];
	uint16_t block[3];
	uint16_t registers;
	uint32_t shared_static, shared_dynamic;
	/* as recorded: for nodes of graphs the internal stream, display only */
	uint32_t cupti_stream;
	uint16_t channel;
	uint8_t channel_type, launch_type;
	uint32_t ctx; /* index into model->contexts; GST_NONE = not told */
	uint64_t graph_node;
};

struct gst_copy {
	uint64_t bytes;
	uint64_t graph_node;
	uint8_t copy_kind, src_kind, dst_kind; /* format.h: enum copy_kind, memory_kind */
	bool is_async; /* an asynchronous form was called; says nothing of whether it blocked */
	bool is_peer;
	uint16_t channel;
	uint32_t cupti_stream;
	uint32_t src_device, dst_device; /* CUPTI device ids, peer copies */
	/* indices into model->contexts, peer copies; GST_NONE = not known */
	uint32_t src_ctx, dst_ctx;
};

struct gst_memset {
	uint64_t bytes;
	uint64_t graph_node;
	uint8_t memory_kind;
	bool is_async;
	uint32_t cupti_stream;
};

/* A wait for a value in memory, or a write of one, as the call asked for it. */
struct gst_memop {
	uint64_t address, value;
	uint32_t type;	/* format.h: enum memop_type */
	uint32_t flags; /* of CUDA: enum gst_memop_flags for waits and writes */
};

enum gst_memop_flags {
	GST_WAIT_GEQ = 0, /* the difference to the value, as a signed number, is not below 0 */
	GST_WAIT_EQ = 1,
	GST_WAIT_AND = 2, /* one of the bits of the value is set */
	GST_WAIT_NOR = 3, /* one of the bits that are not in the value is clear */
	GST_WAIT_COMPARE = 3,
	GST_WRITE_NO_BARRIER = 1, /* no order of memory comes with it */
};

enum gst_stream_kind {
	GST_STREAM_KIND_BLOCKING,
	GST_STREAM_KIND_NONBLOCKING,
	GST_STREAM_KIND_LEGACY,	    /* the context's NULL stream */
	GST_STREAM_KIND_PER_THREAD, /* a per-thread default stream: blocking */
	GST_STREAM_KIND_UNKNOWN,    /* flags not in the trace: no S3 claim is made for it */
};

/* A lane of the device side: one life of a stream. */
struct gst_stream {
	uint32_t process, ctx; /* indices; ctx GST_NONE = not known */
	uint32_t cupti_id;     /* GST_ID_NONE = not known */
	uint64_t handle;       /* 0 = none known */
	int32_t priority;
	uint32_t thread;		       /* PER_THREAD: its owner; else GST_NONE */
	gst_call_id create_call, destroy_call; /* GST_NONE = not in the trace */
	uint8_t kind;			       /* enum gst_stream_kind */
	bool is_internal;     /* made by CUDA for graph nodes, or never used by the program */
	uint32_t op_count;    /* ops of the lane (nodes of graphs not counted) */
	const gst_op_id *ops; /* in submission order */
	uint64_t busy_ns;     /* union of the timed ops of the lane, nodes included */
	uint32_t name;	      /* display name in strings, e.g. "stream 13", "default stream" */
};

/* One life of a CUevent: from its creation (or first sight) to its destruction. */
struct gst_event {
	uint32_t process;
	uint64_t handle;
	uint32_t flags;		 /* creation flags; valid if create_call is known */
	gst_call_id create_call; /* GST_NONE: existed before the trace, or unknown */
	gst_call_id destroy_call;
	/* recording was unbroken since its creation (E3 may be applied) */
	bool history_is_complete;
};

/* What is known of the port that an edge of a graph leaves from. */
enum gst_port {
	GST_PORT_UNKNOWN,      /* between kernels, or what may be some, and not seen */
	GST_PORT_DEFAULT,      /* the end of the node */
	GST_PORT_PROGRAMMATIC, /* a kernel's blocks have triggered */
	GST_PORT_LAUNCH_ORDER, /* a kernel's blocks have begun */
	GST_PORT_OTHER	       /* a number that has no meaning here */
};

enum gst_graph_node_flags {
	/* put into a clone by CUDA or CUPTI: no node of the program's graph is its original */
	GST_GRAPH_NODE_INTERNAL = 1u << 0,
	GST_GRAPH_NODE_UNDEFINED = 1u << 1, /* only edges name it */
	GST_GRAPH_NODE_RAN = 1u << 2,	    /* device records name it */
	/* of no kind that has a rule: ordered by its launch only, counted */
	GST_GRAPH_NODE_OPAQUE = 1u << 3,
};

struct gst_graph_node {
	uint64_t cupti_id;
	uint64_t handle; /* CUgraphNode; 0 = not known */
	uint32_t graph;
	uint32_t original;   /* index of the node it was cloned from; GST_NONE */
	gst_call_id made;    /* GST_NONE = before the trace, or not known */
	gst_call_id removed; /* GST_NONE = never */
	uint32_t name;	     /* strings; 0 = not told */
	uint8_t type; /* format.h: enum node_type; UNKNOWN also where CUPTI's word is worth nothing */
	uint8_t flags;
};

/* One life of a dependency: from `made` on, until `removed`. */
struct gst_graph_edge {
	uint32_t from, to; /* indices into graph_nodes, of one graph */
	gst_call_id made, removed;
	uint8_t port; /* enum gst_port */
};

/* A graph of the program, or the clone that an executable graph runs. */
struct gst_graph {
	uint32_t process, cupti_id;
	uint64_t handle;   /* 0 = not known */
	uint32_t original; /* index of the graph it was cloned from; GST_NONE */
	gst_call_id made;
	uint32_t first_node, node_count;   /* by CUPTI's id; removed and internal ones among them */
	uint32_t first_edge, edge_count;   /* by from, to, made */
	uint32_t first_event, event_count; /* in graph_event_nodes: its event records and waits */
	uint32_t own_count;		   /* nodes that are the program's and were not removed */
	uint32_t opaque_count;		   /* of these: OPAQUE */
	gst_call_id
		last_change; /* last call that made or removed a node or edge; GST_NONE = none known */
};

/* One life of a CUgraphExec. */
struct gst_exec {
	uint32_t process;
	uint64_t handle;
	uint32_t graph;	 /* what its launches run, a clone; GST_NONE = not known */
	uint32_t source; /* graph of the program that it was made from; GST_NONE = not known */
	gst_call_id make_call, destroy_call; /* GST_NONE = not in the trace */
	uint32_t launches, uploads, updates, node_changes;
	/* Which events its nodes name may have changed before this call, and nobody knows how; GST_NONE = no. */
	gst_call_id lost_events;
};

struct gst_context {
	uint32_t process, cupti_id, device; /* device: index into model->devices, GST_NONE */
	uint32_t legacy_stream;		    /* gst_stream_id; GST_NONE = never seen */
	uint32_t parent;		    /* index of the primary of a green context; GST_NONE */
	bool has_green;			    /* it is the parent of some */
};

struct gst_device {
	uint32_t process, cupti_id;
	uint32_t name;		   /* strings */
	struct gst_rec_device rec; /* as recorded */
};

struct gst_thread {
	uint32_t process, index; /* index: as in the trace */
	uint64_t tid;
	uint32_t name;
	uint32_t call_count;
	const gst_call_id *calls; /* in order */
};

struct gst_process {
	struct gst_rec_process rec; /* as recorded; its strings are ids of model->strings */
	struct gst_rec_trace trace;
	bool has_trace, has_process;
	bool is_unbroken;	       /* recorded from the first CUDA call on */
	bool is_complete;	       /* nothing lost, cut or damaged */
	uint32_t source;	       /* which input file */
	int64_t mono_to_model_ns;      /* add to MONOTONIC of that process */
	uint64_t clock_uncertainty_ns; /* largest width or drift between two anchors */
};

struct gst_variable {
	uint32_t process, name, value;
};

/* A loss or a salvage note, with what it touches. */
struct gst_loss {
	uint32_t process, kind, reason; /* kind 0 = several or not known */
	uint64_t count;			/* 0 = not known */
	uint64_t since_ns, until_ns;	/* model clock; 0, 0 = anywhere */
};

/* When calls were left out on purpose: between the windows of a recording, or outside of the window read. */
struct gst_gap {
	uint32_t process;
	uint64_t from_ns, to_ns; /* model clock; UINT64_MAX = to the end */
	bool is_unread;		 /* recorded, maybe: outside of the window read (--from, --to) */
};

struct gst_memory_record { /* MEMORY records, model clock */
	uint64_t time_ns, address, bytes;
	uint32_t process, ctx;
	gst_call_id call;
	uint8_t op, memory_kind;
	bool is_async;
};

struct gst_overhead {
	uint64_t begin_ns, end_ns;
	uint32_t process, type, tid;
	gst_call_id call; /* inside which it was; GST_NONE = not told */
};

/* A call that a full command queue held up. */
struct gst_queue_wait {
	gst_call_id call;
	gst_op_id op; /* of its stream, whose end made room; GST_NONE = not known */
	bool is_inferred;
};

#define GST_RANGE_OPEN UINT64_MAX /* end of a range that has none in the trace */

/* What the program says about itself by NVTX: a range, or a mark. */
struct gst_range {
	uint64_t begin_ns, end_ns; /* GST_RANGE_OPEN; a mark has its moment twice */
	uint64_t payload;	   /* its bits; payload_type as recorded, 0 = none */
	uint32_t thread;	   /* that began it */
	uint32_t parent; /* range of the thread, pushed and not popped when it began; GST_NONE */
	uint32_t name, domain; /* strings; 0 = none */
	uint32_t category, color;
	uint8_t what; /* GST_NVTX_PUSH (popped by its thread), GST_NVTX_START (by any), GST_NVTX_MARK */
	uint8_t payload_type;
	uint16_t reserved;
};

/* A name that the program gave by NVTX. */
struct gst_given_name {
	uint64_t object;	/* as recorded: handle, number, thread id */
	uint32_t process, type; /* GST_NVTX_OF_x */
	uint32_t name, domain;
	uint32_t target; /* the thread or stream that has the name now; GST_NONE */
};

struct gst_note {
	uint32_t process, code, text;
	int32_t detail;
	uint64_t time_ns;
};

/* Counts of what could not be matched or understood; each has a line in every report if not 0. */
struct gst_model_stats {
	uint64_t records, unknown_records, unknown_critical;
	/* device records whose correlation id names calls, but not exactly one that can be theirs */
	uint64_t misjoined_records;
	uint64_t ops_without_call, calls_without_return, ops_without_record, ops_without_stream;
	uint64_t early_begins; /* GST_OP_EARLY_BEGIN */
	uint64_t open_ends;    /* GST_OP_OPEN */
	uint64_t bad_times, ambiguous_calls, captured_calls, opaque_ops, clock_steps, errors;
	/* NVTX: ranges and marks of the table; ranges without an end; ends without their range; names of
	 * threads and streams that could be nobody's, or several streams' */
	uint64_t nvtx_ranges, nvtx_marks, nvtx_open_ranges, nvtx_lone_ends, nvtx_names_unused;
	/* nodes that ran and that no record of a graph defines; launches whose graph is not known */
	uint64_t undefined_nodes, undefined_launches;
	/* nodes that ran and whose records name no call (bodies of loops), and are in no count above;
	 * launches of their graphs of which no other node ran */
	uint64_t nodes_without_launch, launches_without_nodes;
	/* event nodes of launches that were left out: more than the trace can have meant */
	uint64_t cut_event_nodes;
	/* nodes of graphs that were launched, of kinds without a rule */
	uint64_t opaque_nodes;
};

struct gst_model {
	uint64_t base_ns;	   /* MONOTONIC of the first process at model time 0 */
	uint64_t real_base_ns;	   /* CLOCK_REALTIME at model time 0 */
	uint64_t begin_ns, end_ns; /* first and last time of anything */
	bool is_complete;	   /* all processes complete and all inputs undamaged */
	/* times of calls may be so much before the truth, never after it; within a thread they never go back */
	uint64_t call_early_ns;

	struct gst_strtab *strings;
	struct gst_process *processes;
	uint32_t process_count;
	struct gst_thread *threads;
	uint32_t thread_count;
	struct gst_device *devices;
	uint32_t device_count;
	struct gst_context *contexts;
	uint32_t context_count;
	struct gst_stream *streams;
	uint32_t stream_count;
	struct gst_event *events;
	uint32_t event_count;
	struct gst_call *calls;
	uint32_t call_count;
	struct gst_call_args *args;
	uint32_t args_count;
	struct gst_op *ops;
	uint32_t op_count;
	struct gst_kernel *kernels;
	uint32_t kernel_count;
	struct gst_copy *copies;
	uint32_t copy_count;
	struct gst_memset *memsets;
	uint32_t memset_count;
	struct gst_memop *memops;
	uint32_t memop_count;
	struct gst_graph *graphs; /* by process and CUPTI's id */
	uint32_t graph_count;
	struct gst_graph_node *graph_nodes;
	uint32_t graph_node_count;
	struct gst_graph_edge *graph_edges;
	uint32_t graph_edge_count;
	const uint32_t *graph_event_nodes; /* indices into graph_nodes */
	uint32_t graph_event_node_count;
	struct gst_exec *execs;
	uint32_t exec_count;
	struct gst_memory_record *memory;
	uint32_t memory_count;
	struct gst_overhead *overheads;
	uint32_t overhead_count;
	struct gst_queue_wait *queue_waits; /* by call */
	uint32_t queue_wait_count;
	struct gst_variable *variables;
	uint32_t variable_count;
	struct gst_loss *losses;
	uint32_t loss_count;
	struct gst_gap *gaps;
	uint32_t gap_count;
	struct gst_note *notes;
	uint32_t note_count;
	struct gst_range *ranges; /* by thread, then by begin */
	uint32_t range_count;
	/* by call: the range of its thread, pushed last and not popped when it was made; GST_NONE.
	 * NULL: there are none */
	const uint32_t *call_ranges;
	struct gst_given_name *given_names; /* in the order in which they were given */
	uint32_t given_name_count;
	/* by id of a kernel's name: id of its short form (demangled, without arguments); 0 = none */
	const uint32_t *short_names;
	uint32_t short_name_count;
	struct gst_model_stats stats;
};

/**
 * Build the model from the records of @loaders (one an input file; all are read to their end).
 *
 * Owns: *out and all it points to live in @arena. On failure *out is unchanged.
 * Errors: those of the loaders; GST_E_LIMIT past 2^32 - 16 ops or calls.
 * Cost: linear in records (plus a merge of the threads' calls). Threads: as base/parallel.h says; the same for any number.
 */
gst_status gst_model_build(struct gst_loader *const *loaders, size_t loader_count,
			   struct gst_arena *arena, const struct gst_model **out,
			   struct gst_err *err) __attribute__((warn_unused_result));

/** Give back what @m holds outside its arena (the strings); NULL is fine. Before the arena is freed. */
void gst_model_free(const struct gst_model *m);

enum gst_accepted { GST_ACCEPTED_BEFORE, GST_ACCEPTED_AFTER, GST_ACCEPTED_AMBIGUOUS };

/**
 * Is @earlier, a time of a call, surely not after @later, one of a call of another thread? Times of calls may be a
 * little early (FORMAT.md, "Clocks": counted-calls), so closer than that nothing is known.
 */
static inline bool gst_model_is_past(const struct gst_model *m, uint64_t earlier, uint64_t later)
{
	return earlier <= later && later - earlier >= m->call_early_ns;
}

/**
 * In which order did the driver accept calls @a and @b of one process? BEFORE/AFTER where the thread's
 * order, disjoint spans, CUPTI's sync ids or device times prove it; otherwise AMBIGUOUS. O(1).
 */
enum gst_accepted gst_model_accepted(const struct gst_model *m, gst_call_id a, gst_call_id b);

/** May @l have taken calls or what their order hangs on, and not device records or names alone? */
static inline bool gst_loss_touches_calls(const struct gst_loss *l)
{
	switch (l->kind) {
	case 0: /* several or not known */
	case GST_REC_CONTEXT:
	case GST_REC_STREAM:
	case GST_REC_SEGMENT:
	case GST_REC_EVENT_STATE:
	case GST_REC_EXEC_STATE:
		return true;
	case GST_REC_NVTX: /* stands among the calls, and orders nothing */
		return false;
	default:
		return l->kind >= GST_REC_CALL && l->kind < GST_REC_KERNEL;
	}
}

/** The innermost NVTX range in which @call was made; GST_NONE. */
static inline uint32_t gst_call_range(const struct gst_model *m, gst_call_id call)
{
	return m->call_ranges ? m->call_ranges[call] : GST_NONE;
}

/** May @l have taken definitions of graphs, their nodes or edges? */
static inline bool gst_loss_touches_graphs(const struct gst_loss *l)
{
	return l->kind == 0 || l->kind == GST_REC_GRAPH || l->kind == GST_REC_GRAPH_NODE ||
	       l->kind == GST_REC_GRAPH_EDGE || l->kind == GST_REC_GRAPH_EXEC ||
	       l->kind == GST_REC_EXEC_STATE;
}

/** The node of a graph that @op ran, an index into graph_nodes; GST_NONE = it is none, or not known. */
static inline uint32_t gst_op_graph_node(const struct gst_op *op)
{
	if (!(op->flags & GST_OP_NODE))
		return GST_NONE;
	return op->kind == GST_OP_EVENT_RECORD || op->kind == GST_OP_EVENT_WAIT ? op->detail
										: op->graph_node;
}

/** Is @e in its graph as the launch @launch finds it? */
static inline bool gst_graph_edge_is_there(const struct gst_graph_edge *e, gst_call_id launch)
{
	return (e->made == GST_NONE || e->made < launch) &&
	       (e->removed == GST_NONE || e->removed >= launch);
}

/** Is @s a stream that legacy actions of its context wait for and hold up (S3)? UNKNOWN kinds: false. */
static inline bool gst_stream_is_blocking(const struct gst_stream *s)
{
	return s->kind == GST_STREAM_KIND_BLOCKING || s->kind == GST_STREAM_KIND_PER_THREAD;
}

/** Name of @op for people: demangled and shortened kernel name, or "memcpy h2d 4 MiB (pageable)", "event record", ... (unescaped UTF-8 as far as the source was; exporters escape). Writes at most @size bytes, always terminated. */
void gst_model_op_label(const struct gst_model *m, gst_op_id op, char *buf, size_t size);

struct gst_outfile;

/** The model as text, one line a thing, for `gstrace dump --model` and goldens: names escaped, no address of ours. */
void gst_model_dump(const struct gst_model *m, struct gst_outfile *out);

/** Invariants that every model keeps, whatever the input: NULL, or the first one that is broken. Linear; for tests and fuzzing. */
const char *gst_model_validate(const struct gst_model *m);

#endif
