/*
 * export_perfetto_parts.h - what the files of the exporter share: its state, words with numbers, packets, tracks.
 *
 * export_perfetto_words.c makes packets and numbers for names, _defs.c what stands in the beginning, _calls.c threads with
 * their calls and ranges, export_perfetto.c the rest and the order of all. Texts made by clean() and format() live until the
 * next packet of definitions or tracks.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_EXPORT_PERFETTO_PARTS_H
#define GSTRACE_ANALYZER_EXPORT_EXPORT_PERFETTO_PARTS_H

#include "analyzer/base/map.h"
#include "analyzer/export/export.h"
#include "analyzer/export/export_perfetto_internal.h"
#include "analyzer/export/trace_pruned.pb-c.h"

#define SEQUENCE	   1u
#define SEQUENCE_TRACKS	   2u
#define FLAG_CLEARED	   1u
#define FLAG_NEEDS_STATE   2u
#define CLOCK_REALTIME_ID  1u
#define CLOCK_MONOTONIC_ID 3u
#define CLOCK_BOOTTIME_ID  6u
#define GPU_API_CUDA	   4
#define ORDER_EXPLICIT	   3
#define MERGE_NONE	   2
#define CATEGORY_COMPUTE   2
#define LINKS_MAX	   4096u /* in one packet: it must stay below 512 kB */
#define LABEL_BYTES	   1024
#define PID_MADE_UP	   (1 << 22) /* the system's pids are smaller */
#define TIME_MAX	   ((uint64_t)INT64_MAX)

enum slice { SLICE_BEGIN = 1, SLICE_END = 2, SLICE_INSTANT = 3 };

/* Interned numbers of fixed words: each table is sent whole in the beginning. */
#define CATEGORIES(X)              \
	X(DRIVER, "driver call")   \
	X(RUNTIME, "runtime call") \
	X(KERNEL, "kernel")        \
	X(MEMCPY, "memcpy")        \
	X(MEMSET, "memset")        \
	X(GRAPH, "graph")          \
	X(OTHER_OP, "other op")    \
	X(FINDING, "finding")      \
	X(NVTX, "nvtx")            \
	X(CRITICAL, "critical path")

#define NOTES(X)                               \
	X(OP, "op")                            \
	X(CORRELATION, "correlation")          \
	X(RESULT, "result")                    \
	X(STREAM, "stream")                    \
	X(BYTES, "bytes")                      \
	X(WAIT_KIND, "wait_kind")              \
	X(INCOMPLETE, "incomplete")            \
	X(CAPTURED, "captured")                \
	X(AMBIGUOUS, "ambiguous_order")        \
	X(GRAPH_LAUNCH, "graph_launch")        \
	X(NUMBER, "number")                    \
	X(SEVERITY, "severity")                \
	X(COST, "cost_ns")                     \
	X(COST_LOW, "cost_low_ns")             \
	X(COST_HIGH, "cost_high_ns")           \
	X(BLOCKED, "blocked_ns")               \
	X(WAITER, "waiter_op")                 \
	X(CULPRIT, "culprit_op")               \
	X(CALL, "call")                        \
	X(ADVICE, "advice")                    \
	X(WITHHELD, "withheld")                \
	X(MEMORY_OP, "memory_op")              \
	X(ADDRESS, "address")                  \
	X(VALUE, "value")                      \
	X(DOMAIN, "domain")                    \
	X(NUMBER_OF_CATEGORY, "nvtx_category") \
	X(PAYLOAD, "payload")                  \
	X(THREAD, "thread")                    \
	X(NVTX_RANGE, "nvtx_range")            \
	X(CAUSE, "cause")                      \
	X(UNKNOWN, "unknown")                  \
	X(RULE, "rule")                        \
	X(HELD, "held_ns")                     \
	X(CRITICAL_OP, "critical_op")          \
	X(CRITICAL_CALL, "critical_call")      \
	X(FROM_OP, "from_op")

/* The viewer looks for these by name; launch arguments appear without a prefix. */
#define ARGUMENTS(X)                            \
	X(DEVICE, "device")                     \
	X(STREAM, "stream")                     \
	X(OP, "op")                             \
	X(GRID_SIZE, "grid_size")               \
	X(WORKGROUP_SIZE, "workgroup_size")     \
	X(REGISTERS, "registers_per_thread")    \
	X(SHARED_STATIC, "shared_mem_static")   \
	X(SHARED_DYNAMIC, "shared_mem_dynamic") \
	X(BYTES, "bytes")                       \
	X(WAIT_KIND, "wait_kind")               \
	X(GRAPH_LAUNCH, "graph_launch")

#define CATEGORY_IID(id, text) CATEGORY_##id,
enum category { CATEGORY_NONE, CATEGORIES(CATEGORY_IID) };
#define NOTE_IID(id, text) NOTE_##id,
enum note { NOTE_NONE, NOTES(NOTE_IID) NOTE_COUNT };
#define ARGUMENT_IID(id, text) ARGUMENT_##id,
enum argument { ARGUMENT_NONE, ARGUMENTS(ARGUMENT_IID) ARGUMENT_COUNT };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where an op is drawn: a stream, or a process' place for ops whose stream is not known. */
struct gst_pf_place {
	bool is_used;
	uint32_t process, ctx, device; /* device GST_NONE = not known; ctx: number of its place */
	struct gst_lanes lanes;
};

/* A vector that functions can take. */
struct gst_pf_links {
	uint64_t *data;
	size_t count, cap;
};

struct gst_pf_exporter {
	const struct gst_analysis *a;
	const struct gst_model *m;
	const struct gst_order *o;
	bool has_render, has_tracks;
	struct gst_pf_stream *stream;
	struct gst_arrows arrows;
	struct gst_arena *words; /* cleaned texts of the packet being made */

	uint32_t process_count; /* at least 1 */
	uint32_t ctx_count;	/* contexts, then for each process the one that is not known */
	uint32_t place_count;	/* streams, then for each process the one that is not known */
	struct gst_pf_place *places;
	struct gst_lanes *threads;
	uint32_t next_range;	   /* the first one of threads to come */
	struct gst_pf_links apart; /* ranges that are not on their thread's row */
	uint32_t *gpu_of_device;
	int32_t *pids;

	uint64_t next_uuid, next_iid;
	struct gst_map names;	/* name_key() -> iid of event name, stage and kernel */
	struct gst_map strings; /* string of the model, or set of rules -> iid of a string value */

	uint64_t memory_ops_drawn, ops_drawn, ops_without_times[GST_OP_KIND_COUNT],
		partial_launches;
	uint64_t calls_drawn, calls_unreturned, links_left_out;
	/* Lists of the packet being made: ops launched or waited for, arrows in and out. */
	struct gst_pf_links events, flows_in, flows_out;
};

enum name_space {
	NAME_KERNEL = 1,
	NAME_COPY,
	NAME_OP,
	NAME_API,
	NAME_FINDING,
	NAME_DONE,
	NAME_MEMOP,
	NAME_RANGE,
	NAME_CAUSE
};

/* Arguments of one slice, in arrays on the stack. */
struct gst_pf_notes {
	GstPf__DebugAnnotation data[NOTE_COUNT], *list[NOTE_COUNT];
	size_t count;
};

/* ---- packets, names and arguments: export_perfetto_words.c */
void gst_pf_put(struct gst_pf_exporter *x, GstPf__TracePacket *p);
uint64_t gst_pf_file_ns(const struct gst_pf_exporter *x, uint64_t model_ns);
void gst_pf_put_event(struct gst_pf_exporter *x, enum slice type, uint64_t track, uint64_t model_ns,
		      GstPf__TrackEvent *e);
void gst_pf_put_interned(struct gst_pf_exporter *x, GstPf__InternedData *data);
char *gst_pf_clean_bytes(struct gst_pf_exporter *x, const char *text, size_t length);
char *gst_pf_clean(struct gst_pf_exporter *x, const char *text);
char *gst_pf_clean_id(struct gst_pf_exporter *x, uint32_t string);
char *gst_pf_format(struct gst_pf_exporter *x, const char *fmt, ...) GST_PRINTF(2, 3);
uint64_t gst_pf_name_key(enum name_space space, uint64_t id);
void gst_pf_put_name(struct gst_pf_exporter *x, uint64_t iid, char *name);
void gst_pf_put_op_name(struct gst_pf_exporter *x, uint64_t iid, char *name, char *full);
uint64_t gst_pf_name_iid(struct gst_pf_exporter *x, uint64_t key, bool *is_new);
uint64_t gst_pf_op_name(struct gst_pf_exporter *x, gst_op_id id);
uint64_t gst_pf_api_name(struct gst_pf_exporter *x, uint32_t api);
uint64_t gst_pf_string_value(struct gst_pf_exporter *x, uint32_t string);
uint64_t gst_pf_finding_value(struct gst_pf_exporter *x, uint32_t number, bool is_advice,
			      const char *text);
uint64_t gst_pf_rules_value(struct gst_pf_exporter *x, uint64_t rules);
GstPf__DebugAnnotation *gst_pf_add_note(struct gst_pf_notes *n, enum note name);
void gst_pf_note_number(struct gst_pf_notes *n, enum note name, uint64_t value);
void gst_pf_note_string(struct gst_pf_notes *n, enum note name, uint64_t iid);
void gst_pf_note_text_of(struct gst_pf_notes *n, enum note name, char *text);
void gst_pf_use_notes(GstPf__TrackEvent *e, struct gst_pf_notes *n);

/* ---- tracks, and what stands in the beginning: export_perfetto_defs.c */
uint64_t gst_pf_process_uuid(uint32_t process);
uint64_t gst_pf_thread_uuid(const struct gst_pf_exporter *x, uint32_t thread);
uint64_t gst_pf_ctx_uuid(const struct gst_pf_exporter *x, uint32_t ctx);
uint64_t gst_pf_findings_uuid(const struct gst_pf_exporter *x);
uint64_t gst_pf_critical_uuid(const struct gst_pf_exporter *x);
void gst_pf_put_track(struct gst_pf_exporter *x, GstPf__TrackDescriptor *track, uint64_t uuid,
		      uint64_t parent);
void gst_pf_put_row(struct gst_pf_exporter *x, uint64_t uuid, uint64_t parent, char *name,
		    uint32_t rank);
void gst_pf_put_clock(struct gst_pf_exporter *x);
void gst_pf_put_uuid(struct gst_pf_exporter *x);
void gst_pf_put_attributes(struct gst_pf_exporter *x);
/* At the end: what turned out to be too much. */
void gst_pf_put_left_out(struct gst_pf_exporter *x);
void gst_pf_put_gpus(struct gst_pf_exporter *x);
void gst_pf_put_process(struct gst_pf_exporter *x, uint32_t process);
void gst_pf_choose_pids(struct gst_pf_exporter *x);
void gst_pf_put_threads(struct gst_pf_exporter *x);
void gst_pf_put_word_tables(struct gst_pf_exporter *x);
char *gst_pf_place_name(struct gst_pf_exporter *x, uint32_t place);
uint32_t gst_pf_place_rank(const struct gst_pf_exporter *x, uint32_t place);
void gst_pf_put_places(struct gst_pf_exporter *x);

/* ---- where things are, threads: export_perfetto_calls.c */
bool gst_pf_is_drawn(const struct gst_op *op);
bool gst_pf_is_moment(const struct gst_pf_exporter *x, gst_op_id id, uint64_t *at_ns);
bool gst_pf_call_is_drawn(const struct gst_call *call);
uint32_t gst_pf_place_of(const struct gst_pf_exporter *x, const struct gst_op *op);
uint32_t gst_pf_track_of(const struct gst_pf_exporter *x, const struct gst_op *op);
void gst_pf_find_places(struct gst_pf_exporter *x);
uint64_t gst_pf_flow_id(gst_edge_id edge);
void gst_pf_add_link(struct gst_pf_exporter *x, struct gst_pf_links *l, uint64_t value);
void gst_pf_use_waits(GstPf__TrackEvent *e, GstPf__GpuCorrelation *gpu, struct gst_pf_links *l);
void gst_pf_use_flows(GstPf__TrackEvent *e, struct gst_pf_links *in, struct gst_pf_links *out);
bool gst_pf_launch_has_flow(const struct gst_pf_exporter *x, const struct gst_call *call,
			    gst_op_id op);
void gst_pf_put_plain_end(struct gst_pf_exporter *x, uint64_t track, uint64_t ns);
void gst_pf_put_thread(struct gst_pf_exporter *x, uint32_t thread);
void gst_pf_put_ranges_apart(struct gst_pf_exporter *x);

#endif
