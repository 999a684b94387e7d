/* model_internal.h - what the steps of gst_model_build share. */
#ifndef GSTRACE_ANALYZER_MODEL_MODEL_INTERNAL_H
#define GSTRACE_ANALYZER_MODEL_MODEL_INTERNAL_H

#include "analyzer/base/map.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/vec.h"
#include "analyzer/model/model.h"

/* One reading of the clocks, as far as conversion needs it. */
struct gst_anchor {
	uint64_t mono_ns, gpu_ns, real_ns, width_ns;
	bool is_step; /* between it and the next one the wall clock stepped */
};

/* From the clock of device records to MONOTONIC: by the two nearest anchors. */
struct gst_clock_map {
	GST_VEC(struct gst_anchor) anchors; /* by mono_ns, once sealed */
	uint32_t *by_gpu;		    /* their indices, by gpu_ns */
	bool has_steps;
	uint64_t uncertainty_ns; /* largest width or drift */
	size_t hint;		 /* anchor of the last answer */
	/* The last stretch between two anchors that answered, if no clock stepped; span_ns 0 = none. */
	struct gst_clock_stretch {
		uint64_t gpu_ns, span_ns; /* where it begins, how long it is */
		uint64_t mono_ns;
		uint64_t gain_ns; /* by how much MONOTONIC gains in it, or loses */
		bool loses;
	} last;
};

/*
 * A call as it came is a struct gst_call already, so that it is copied once at most. Until gst_model_resolve has
 * come to it, these fields hold what the record said, or a step found out:
 *
 *   ctx                 CUPTI's number; 0 = not known (index of the context, or none, once the calls are sorted)
 *   first_op, op_count  stream handle, as passed: gst_call_handle()
 *   sync_id             kernel name, id of the process; of a memory operation: its last element's index + 1; 0 = none
 *   event               index of the value it gave in builder->values, + 1; 0 = none. Of a call that names an event
 *                       and nothing else, gst_call_names_event(), without args: the event's handle
 *   stream              its first device record; GST_NONE = none
 */
static inline uint64_t gst_call_handle(const struct gst_call *c)
{
	return (uint64_t)c->op_count << 32 | c->first_op;
}

/* Calls that mostly name an event and nothing else, and give no value. */
static inline bool gst_call_names_event(const struct gst_call *c)
{
	return c->cls == GST_API_CLASS_EVENT_RECORD || c->cls == GST_API_CLASS_EVENT_WAIT ||
	       c->cls == GST_API_CLASS_EVENT_SYNC || c->cls == GST_API_CLASS_EVENT_QUERY ||
	       c->cls == GST_API_CLASS_EVENT_DESTROY;
}

/* The same of the call that is being resolved. */
struct gst_pending {
	uint64_t handle;
	uint64_t value;
	uint32_t name;
	uint32_t dev;
};

/* A device record as it came. 40 bytes: there are as many as operations. */
struct gst_raw_dev {
	uint64_t begin_ns,
		end_ns; /* GPU clock; the model's once its call is found, or is known to be none */
	union {
		uint32_t corr; /* until records are chained (model_join.c) */
		uint32_t next; /* the next record of the same call */
	};
	uint32_t lane;	  /* index in builder->dev_lanes */
	uint32_t name;	  /* kernel: id of the process; event and sync: CUPTI event id */
	uint32_t detail;  /* index into kernels, copies, memsets; graph id of a graph run */
	uint32_t sync_id; /* event and sync; nodes: graph id */
	uint8_t kind;	  /* GST_REC_x - GST_REC_KERNEL */
	uint8_t flags;	  /* enum device_flags */
	uint8_t sync_type;
	uint8_t bits; /* RAW_DEV_x */
};

#define RAW_DEV_NODE	1u /* of a graph */
#define RAW_DEV_TIMED	2u
#define RAW_DEV_CLAIMED 4u /* belongs to a call */
#define RAW_DEV_BASED	8u /* its times are the model's */

/* What device records name together: a context and a stream of it. */
struct gst_raw_lane {
	uint32_t process;
	uint32_t ctx, stream; /* CUPTI's numbers; context 0 = not told */
	uint32_t dev_ctx;     /* index in builder->dev_contexts; GST_NONE: context 0 */
	uint32_t found;	      /* index in builder->streams; GST_NONE until the walk comes to it */
};

#define DEV_KIND(kind) ((uint8_t)(GST_REC_##kind - GST_REC_KERNEL))

/* Bit of the index of a thread that no record defines, but calls are told of; the rest is its id of the system. */
#define GST_TOLD_THREAD 0x80000000u

/* Calls of one thread that are neighbours in builder->raw_calls: those of a chunk, or of several. */
struct gst_call_run {
	uint32_t first, count;
};

struct gst_raw_thread {
	uint32_t process, index, name;
	uint64_t tid;
	uint32_t open;	/* call without an exit yet, index in raw_calls; GST_NONE */
	uint32_t final; /* index in the model */
	bool is_told;	/* records tell of some of its calls (GST_CALL_TOLD) */
	bool lacks_ctx; /* some of its calls do not tell their context */
	uint32_t call_count;
	GST_VEC(struct gst_call_run) runs;
};

struct gst_raw_stream_def {
	struct gst_rec_stream rec;
	uint32_t corr, segment;
	uint32_t stream;      /* what it became */
	uint32_t next_corr;   /* earlier definition with the same corr; GST_NONE */
	uint32_t next_handle; /* next definition with the same handle, if corr is 0 */
	bool is_claimed;
};

/* Definitions of graphs as they came, for model_graphs.c. */
struct gst_raw_graph {
	uint64_t handle;
	uint32_t process, graph, original, corr;
};

struct gst_raw_graph_node {
	uint64_t node, handle, original;
	uint32_t process, graph, corr, name;
	uint8_t type, change;
};

struct gst_raw_graph_edge {
	uint64_t from, to;
	uint32_t process, graph, corr;
	uint16_t port;
	uint8_t change;
};

/* A call gave a node of a graph, or of an executable one, another event. */
struct gst_node_event {
	uint32_t exec; /* GST_NONE = of the graph itself */
	gst_call_id call;
	gst_event_id event; /* GST_NONE = not known */
	uint32_t before;    /* the one before of the same handle; GST_NONE */
};

struct gst_raw_exec {
	uint64_t handle;
	uint32_t process, graph, id, corr, segment;
	bool is_state; /* of a snapshot: its corr is that of a launch */
	uint32_t exec; /* what it became; GST_NONE */
};

/* Reads as "from here on we know": a live event in the snapshot of the first segment read. */
struct gst_raw_event_state {
	uint64_t handle;
	uint32_t flags, corr, segment;
};

/* What two threads write at the same time stands in different lines of the cache. */
struct gst_apart {
	uint64_t unused[8];
};

struct gst_raw_segment {
	uint32_t index;
	uint64_t time_ns, end_ns; /* MONOTONIC, then the model's; end 0 = no trailer */
	bool is_unbroken;
};

/* Record nodes of a launch for which CUPTI's numbers of events are not all known yet. */
struct gst_untold {
	uint32_t process;
	gst_op_id first;
	uint32_t count;
	uint32_t dev; /* the launch's first device record */
};

#define CLONES_MAX 8u /* clones of clones: child graphs and bodies, in practice two */

struct gst_raw_process {
	uint32_t source, pid;
	struct gst_process out;
	GST_VEC(uint32_t) low_strings; /* id in the trace -> id in the model, for small ids */
	struct gst_map strings;	       /* and for the others */
	bool has_recent_context;       /* the last answer of gst_model_context */
	uint32_t recent_cupti_id, recent_context;
	struct gst_map contexts;	/* CUPTI id -> index in builder->contexts */
	struct gst_map context_handles; /* CUcontext -> CUPTI id; 0 = several had it */
	struct gst_map only_contexts;	/* CUPTI device id -> its context, if it has one alone */
	struct gst_map devices;
	struct gst_map graphs;	    /* graph id -> nodes that a record counts */
	struct gst_map graph_ids;   /* graph id -> index in builder->graphs */
	struct gst_map graph_nodes; /* node id -> index in builder->graph_nodes */
	struct gst_map node_events; /* node's handle -> last of builder->node_events */
	struct gst_map exec_lives;  /* executable graph's handle -> index in builder->execs */
	struct gst_map exec_defs;   /* the same, while definitions are read: the last one */
	struct gst_map event_ids;   /* CUPTI's event id -> event */
	bool has_capture_ports;	    /* captured calls may make edges from any port */
	uint32_t recent_graph;	    /* graph of the last node asked for */
	gst_call_id resumed; /* in the walk: first call after the last gap; 0 = there was none */
	struct gst_clock_map clock;
	GST_VEC(struct gst_raw_stream_def) stream_defs;
	GST_VEC(struct gst_raw_event_state) event_states;
	struct gst_apart before_devs;
	GST_VEC(struct gst_raw_dev) devs; /* by the thread that reads device records */
	struct gst_apart after_devs;
	uint32_t call_count, most_corr; /* number of calls, largest correlation id */
	/* correlation id -> first call with it: an array, or a map if the ids are few and far between */
	uint32_t *dense;
	size_t dense_size;
	struct gst_map sparse;
	uint32_t *dev_heads; /* as large as `dense`: the first of the device records with the id */
	uint32_t first_segment;
	bool has_segment;
	GST_VEC(struct gst_raw_segment) segments;     /* by index, once sorted */
	size_t next_def, next_event_state, next_exec; /* the first ones of segments to come */
	uint32_t capture_floor;			      /* captures up to this one are over */
	uint32_t next_segment;			      /* the first one that has not begun yet */
	uint32_t thread_count;
	uint32_t context_count;
	uint32_t last_context; /* one of its contexts */
	/* while calls are resolved */
	struct gst_map handles;	    /* stream handle -> stream */
	struct gst_map per_thread;  /* thread, ctx -> stream */
	struct gst_map event_lives; /* event handle -> event */
	struct gst_map creators;    /* corr of calls that create streams -> call */
	struct gst_map created;	    /* corr -> last stream definition with it */
	struct gst_map def_handles; /* handle -> first unclaimed definition without corr */
	struct gst_map untold;	    /* CUPTI's ids of graphs of which nodes ran for no call -> 0 */
	uint32_t conflict_note;	    /* note about records that contradict handles, + 1 */
	bool has_lost_calls;
	/* device records whose id names no call of the trace; one that cannot be theirs, or several */
	uint64_t homeless, misjoined;
	uint64_t claimed; /* device records that are a call's */
};

struct gst_raw_stream {
	struct gst_stream out;
	uint32_t alias; /* stream it turned out to be; GST_NONE = itself */
	uint32_t capture;
	bool is_named; /* a call names it */
};

struct gst_raw_variable {
	struct gst_variable out;
	bool has_value; /* value is the model's id already */
};

struct gst_raw_memop {
	struct gst_memop out;
	uint32_t index;	   /* its place in the array */
	uint32_t previous; /* the element of the same call before it, index + 1; 0 = none */
};

struct gst_raw_memory {
	struct gst_memory_record out;
	uint32_t corr;
};

struct gst_raw_nvtx {
	uint64_t time_ns; /* MONOTONIC, then the model's */
	uint64_t id, payload;
	uint32_t thread; /* raw index */
	uint32_t name, domain, category, color;
	uint8_t what, payload_type;
};

/* A context, as a device record names it. */
struct gst_raw_context {
	uint32_t process, cupti_id;
	uint32_t index; /* in builder->contexts */
};

#define HANDLE_CACHE 512u
#define LANE_CACHE   512u
#define API_CACHE    64u
#define KERNEL_CACHE 16384u

struct gst_builder {
	struct gst_arena *arena;
	struct gst_model *m;
	uint64_t file_bytes, records_read; /* of all inputs so far */
	uint64_t base_ns; /* that of the whole trace, if a window of it is read; 0 = not told */
	GST_VEC(struct gst_raw_process) processes;
	GST_VEC(struct gst_raw_thread) threads;
	/* Of all threads, as they come; once the calls are in order, this memory is that of the ops. */
	GST_VEC(struct gst_call) raw_calls;
	uint64_t class_calls[GST_API_CLASS_COUNT];
	GST_VEC(uint64_t) values; /* handles and addresses that calls gave */
	GST_VEC(struct gst_call_args) args;
	GST_VEC(struct gst_raw_memop) raw_memops;
	GST_VEC(struct gst_memop) memops; /* by op */
	GST_VEC(struct gst_raw_graph) raw_graphs;
	GST_VEC(struct gst_raw_graph_node) raw_graph_nodes;
	GST_VEC(struct gst_raw_graph_edge) raw_graph_edges;
	GST_VEC(struct gst_raw_exec) raw_execs;
	GST_VEC(struct gst_graph) graphs;
	GST_VEC(struct gst_graph_node) graph_nodes;
	GST_VEC(struct gst_graph_edge) graph_edges;
	GST_VEC(uint32_t) graph_event_nodes;
	GST_VEC(struct gst_exec) execs;
	GST_VEC(struct gst_node_event) node_events;
	struct gst_map exec_of_call; /* call that makes an executable graph -> it */
	GST_VEC(struct gst_untold) untold;
	uint64_t event_node_ops; /* so far, of all launches */
	GST_VEC(uint64_t) loads; /* of modules: process << 32 | correlation id */
	GST_VEC(struct gst_raw_variable) variables;
	GST_VEC(struct gst_loss) losses;
	GST_VEC(struct gst_gap) gaps;
	GST_VEC(struct gst_note) notes;
	GST_VEC(struct gst_raw_nvtx) nvtx;
	GST_VEC(struct gst_given_name) given_names;
	GST_VEC(struct gst_context) contexts;
	GST_VEC(struct gst_device) devices;
	GST_VEC(struct gst_raw_stream) streams;
	GST_VEC(struct gst_event) events;
	GST_VEC(uint32_t)
	event_captures;		/* capture in which the event was last recorded; 0 = none */
	GST_VEC(bool) captures; /* by number from 1: still active */
	/* by context: the call that ended it, and how many streams there were then */
	struct gst_ctx_end {
		gst_call_id call;
		uint32_t streams;
	} * ctx_ends;
	uint32_t ctx_end_count; /* contexts that records of devices alone name come later */
	GST_VEC(struct gst_op) ops;
	/*
	 * In the walk other threads know the ops as model->ops, with that much room: they may move only once nobody
	 * follows (add_op).
	 */
	size_t ops_room;
	GST_VEC(uint32_t) op_names; /* each name of a kernel once, and 0; in the order of the ops */
	/* device records, or elements of a batch, of the call at hand */
	GST_VEC(uint32_t) found;
	struct gst_map process_map, thread_map, lane_map, tid_map;
	/* once the calls are sorted: the next call with the same correlation id; NULL: no two have one */
	uint32_t *same_id;
	struct gst_map last_same;   /* process, correlation id -> the last one, of several */
	uint64_t first_ns, last_ns; /* of all calls */
	struct gst_progress joined; /* calls that have their device records */
	struct gst_progress walked; /* ops that are final */
	struct gst_lanes *lanes;    /* what was seen of them (model_lanes.c) */
	bool has_joined_streams;    /* two streams turned out to be one */
	/* caches of the look-ups */
	uint32_t last_process, last_source, last_pid, last_thread;
	uint64_t last_thread_key;
	struct gst_handle_cache {
		uint64_t handle; /* 0 = unused */
		uint32_t process, stream;
	} handle_cache[HANDLE_CACHE];
	struct gst_api_cache {
		const struct gst_api *api; /* NULL = unused, or not known */
		uint32_t id;
	} api_cache[API_CACHE];

	/* By the thread that reads device records, while another one may read calls. */
	struct gst_apart before_device;
	uint64_t detail_count; /* device records with details */
	GST_VEC(struct gst_kernel) kernels;
	GST_VEC(struct gst_copy) copies;
	GST_VEC(struct gst_memset) memsets;
	GST_VEC(struct gst_raw_memory) memory;
	GST_VEC(struct gst_overhead) overheads; /* call: the correlation id, then the call */
	/* Contexts that they name; what they point to is an index in here until contexts are sorted. */
	GST_VEC(struct gst_raw_context) dev_contexts;
	struct gst_map dev_context_map;
	uint32_t last_dev_context;
	GST_VEC(struct gst_raw_lane) dev_lanes;
	struct gst_map dev_lane_map;
	uint32_t lane_cache[LANE_CACHE];     /* by hash: index + 1 of a lane that was asked for */
	uint32_t kernel_cache[KERNEL_CACHE]; /* by hash: index + 1 of a kernel that was like it */
	struct gst_apart after_device;
};

/* The stream that @s, by its number in the walk, turned out to be; GST_NONE is itself. */
static inline uint32_t gst_model_root(const struct gst_builder *b, uint32_t s)
{
	while (s != GST_NONE && b->streams.data[s].alias != GST_NONE)
		s = b->streams.data[s].alias;
	return s;
}

/* model_clock.c */
void gst_clock_map_seal(struct gst_clock_map *map, uint64_t *steps);
/*
 * @gpu_ns in MONOTONIC; without anchors the clocks are taken to be one. It was not before @enter_ns: after a step back
 * a clock shows times twice.
 */
uint64_t gst_clock_map_look_up(struct gst_clock_map *map, uint64_t gpu_ns, uint64_t enter_ns);

/* The same: times come in an order, so mostly by the stretch of the one before. */
static inline uint64_t gst_clock_map_to_mono(struct gst_clock_map *map, uint64_t gpu_ns,
					     uint64_t enter_ns)
{
	const struct gst_clock_stretch *s = &map->last;
	uint64_t offset = gpu_ns - s->gpu_ns;
	uint64_t gained;

	if (offset >= s->span_ns)
		return gst_clock_map_look_up(map, gpu_ns, enter_ns);
	gained = offset * s->gain_ns / s->span_ns;
	return s->mono_ns + offset + (s->loses ? 0 - gained : gained);
}

void gst_clock_map_release(struct gst_clock_map *map);

/* A time is a time only below this: what is above comes from a broken clock. */
#define GST_SANE_NS (UINT64_C(1) << 62)

/* @mono_ns of @p on the clock of the first process. */
static inline uint64_t gst_model_to_first(const struct gst_raw_process *p, uint64_t mono_ns)
{
	return mono_ns + (uint64_t)p->out.mono_to_model_ns;
}

/* @ns of the first process' clock on the model's. */
static inline uint64_t gst_model_since_base(const struct gst_builder *b, uint64_t ns)
{
	return ns < GST_SANE_NS && ns > b->m->base_ns ? ns - b->m->base_ns : 0;
}

static inline void gst_model_take_min(uint64_t *least, uint64_t ns)
{
	if (ns && ns < GST_SANE_NS && ns < *least)
		*least = ns;
}

static inline void gst_model_base_dev(const struct gst_builder *b, struct gst_raw_dev *d)
{
	d->begin_ns = gst_model_since_base(b, d->begin_ns);
	d->end_ns = gst_model_since_base(b, d->end_ns);
	d->bits |= RAW_DEV_BASED;
}

/* Two GPU times of @p, not before @enter_ns, to the clock of the first process; false, and 0: no times. */
static inline bool gst_model_convert_range(struct gst_raw_process *p, uint64_t *begin_ns,
					   uint64_t *end_ns, uint64_t enter_ns)
{
	bool is_good = *begin_ns && *end_ns && *begin_ns <= *end_ns && *end_ns < GST_SANE_NS;

	if (is_good) {
		*begin_ns = gst_clock_map_to_mono(&p->clock, *begin_ns, enter_ns);
		*end_ns = gst_clock_map_to_mono(&p->clock, *end_ns, *begin_ns);
		*begin_ns = gst_model_to_first(p, *begin_ns);
		*end_ns = gst_model_to_first(p, *end_ns);
		/* Around a step of the clock two times may change places. */
		is_good = *end_ns >= *begin_ns && *begin_ns < GST_SANE_NS && *end_ns < GST_SANE_NS;
	}
	if (!is_good)
		*begin_ns = *end_ns = 0;
	return is_good;
}

/* model_join.c: is an event recorded or awaited for a whole context, in no stream? */
bool gst_model_is_about_context(const struct gst_call *c);
uint32_t gst_model_context_of_handle(struct gst_builder *b, uint32_t process, uint64_t handle);
/* Calls that name their context in place of the current one. */
void gst_model_name_context(struct gst_builder *b, uint32_t process, struct gst_call *c);
/*
 * All calls in order into model->calls, all device records on the clock of the first process: two threads. Gives the
 * first moment of all, UINT64_MAX if there is none. Clocks are sealed.
 */
uint64_t gst_model_order_calls(struct gst_builder *b);
/*
 * Device records to their calls, in the order of the file; the times of both become the model's. What can be done call
 * by call is left to gst_model_join_ahead(), a thread that goes before the walk and tells builder->joined.
 */
void gst_model_join_devices(struct gst_builder *b);
void gst_model_join_ahead(struct gst_builder *b);

/* model_ingest.c: take one record in. */
void gst_model_ingest(struct gst_builder *b, uint32_t source, const struct gst_record *rec);
/* The same for a chunk of calls, and for one of device records, of @process: one thread each, at the same time. */
void gst_model_ingest_calls(struct gst_builder *b, uint32_t process,
			    const struct gst_records *records);
void gst_model_ingest_devices(struct gst_builder *b, uint32_t process,
			      const struct gst_records *records);
/* Index of the process @pid of @source, which is new if need be. */
uint32_t gst_model_process(struct gst_builder *b, uint32_t source, uint32_t pid);
/* What the loader has to say at the end of @source. */
void gst_model_ingest_stats(struct gst_builder *b, uint32_t source,
			    const struct gst_load_stats *stats);
/* The model's id of string @id of the trace; 0 if it is not known. */
uint32_t gst_model_string(const struct gst_raw_process *p, uint32_t id);
/* Once all records are in: ids of strings in definitions become the model's. */
void gst_model_ingest_strings(struct gst_builder *b);
uint32_t gst_model_look_up_context(struct gst_builder *b, uint32_t process, uint32_t cupti_id);

/* The context that @process calls @cupti_id: mostly the one asked for last. */
static inline uint32_t gst_model_context(struct gst_builder *b, uint32_t process, uint32_t cupti_id)
{
	const struct gst_raw_process *p = &b->processes.data[process];

	if (p->has_recent_context && p->recent_cupti_id == cupti_id)
		return p->recent_context;
	return gst_model_look_up_context(b, process, cupti_id);
}

/* model_graphs.c: graphs, nodes, edges and executable graphs, from their records; calls are sorted. */
void gst_model_graphs_define(struct gst_builder *b);
/* Index of the node with CUPTI's id @node; GST_NONE. O(1). */
uint32_t gst_model_graph_node(struct gst_builder *b, uint32_t process, uint64_t node);
/* Recording goes on after a gap, with call @first: handles are what the snapshot of @segment says. */
void gst_model_graphs_segment(struct gst_builder *b, uint32_t process, uint32_t segment,
			      gst_call_id first);
/* In the walk over the calls: what call @id does to executable graphs. */
void gst_model_graphs_walk(struct gst_builder *b, uint32_t process, gst_call_id id);
/*
 * The event that @node, of what @exec runs, records or waits for at call @launch; GST_NONE = not known. In the walk.
 */
gst_event_id gst_model_node_event(const struct gst_builder *b, uint32_t exec, uint32_t node,
				  gst_call_id launch);
/* The executable graph that call @id launches or uploads, an index; GST_NONE if the call does not tell. */
uint32_t gst_model_exec_of(struct gst_builder *b, uint32_t process, gst_call_id id);
/* Device records of a launch of @exec name the graph @cupti_id. */
void gst_model_exec_runs(struct gst_builder *b, uint32_t exec, uint32_t cupti_id);
/* Once all ops are there: kinds of nodes, ports of edges. */
void gst_model_graphs_finish(struct gst_builder *b);
void gst_model_graphs_release(struct gst_builder *b);

/* model_resolve.c: streams, events, captures, ops. Calls are sorted, and joined or to be joined ahead. */
gst_status gst_model_resolve(struct gst_builder *b, struct gst_err *err);

/* model_nvtx.c: ranges, and the one in which each call was made; names of threads and streams. */
void gst_model_ingest_nvtx(struct gst_builder *b, uint32_t thread, const struct gst_rec_nvtx *rec);
void gst_model_ingest_nvtx_name(struct gst_builder *b, uint32_t process,
				const struct gst_rec_nvtx_name *rec);
/* Once calls, threads and streams are final. */
void gst_model_finish_nvtx(struct gst_builder *b);

/* names.c: id of the short form of the kernel name @mangled, in @strings. */
uint32_t gst_model_short_name(struct gst_strtab *strings, uint32_t mangled);

/* queue.c: which calls a full command queue held up. Ops and lanes are final. */
void gst_model_find_queue_waits(struct gst_builder *b);

/* submit.c: the calls whose ops a lane has got so far. */
struct gst_lane_calls {
	gst_call_id last, longest; /* GST_NONE: there is none */
	uint64_t longest_exit_ns;
	uint32_t thread;
	bool is_shared; /* they are of several threads */
};

/*
 * Call @id put an op into @lane, after those that did so before: mark it, and others, if it overlaps a call of another
 * thread to the same lane. It is held against its neighbour, and against the call before it that lasted longest.
 */
void gst_model_look_at_call(struct gst_model *m, struct gst_lane_calls *lane, gst_call_id id);

/* model_lanes.c: before the walk; while it goes on, in another thread; and when all ops are there. */
void gst_model_lanes_begin(struct gst_builder *b);
void gst_model_lanes_follow(struct gst_builder *b);
void gst_model_lanes_finish(struct gst_builder *b);
/* Where the walk gave up; else they are gone already. */
void gst_model_lanes_release(struct gst_builder *b);

#endif
