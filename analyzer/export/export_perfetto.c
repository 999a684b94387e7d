/*
 * export_perfetto.c - an analysis as a trace for the Perfetto viewer.
 *
 * Role      : walks the stages once and makes packets; docs/PERFETTO.md shows the result.
 * Method    : clock and definitions first, then each thread's calls, then all ops by begin, then
 *             findings; what needs a name is preceded by the packet that defines it. Sequence 1 has
 *             everything but track descriptors, which are sequence 2 (no state there).
 * Invariant : ids are defined before use; slices of one track follow each other; a slice's end has no name;
 *             waits stand on ends of slices, launches on begins of calls; an arrow is one edge.
 * Not here  : which edges are arrows (_arrows.c), rows (_lanes.c), bytes (_stream.c).
 */
#include "analyzer/export/export.h"

#include <inttypes.h>

#include "analyzer/base/map.h"
#include "analyzer/base/sort.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/escape.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/export_perfetto_internal.h"
#include "analyzer/export/trace_pruned.pb-c.h"
#include "analyzer/timing/critical.h"
#include "tracer/format/api.h"
#include "tracer/format/version.h"

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
enum note { NOTE_NONE, NOTES(NOTE_IID) };
#define ARGUMENT_IID(id, text) ARGUMENT_##id,
enum argument { ARGUMENT_NONE, ARGUMENTS(ARGUMENT_IID) };

#define TEXT_OF(id, text) text,
static const char *const category_text[] = {CATEGORIES(TEXT_OF)};
static const char *const note_text[] = {NOTES(TEXT_OF)};
static const char *const argument_text[] = {ARGUMENTS(TEXT_OF)};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where an op is drawn: a stream, or a process' place for ops whose stream is not known. */
struct place {
	bool is_used;
	uint32_t process, ctx, device; /* device GST_NONE = not known; ctx: number of its place */
	struct gst_lanes lanes;
};

/* A vector that functions can take. */
struct links {
	uint64_t *data;
	size_t count, cap;
};

struct exporter {
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
	struct place *places;
	struct gst_lanes *threads;
	uint32_t next_range; /* the first one of threads to come */
	struct links apart;  /* ranges that are not on their thread's row */
	uint32_t *gpu_of_device;
	int32_t *pids;

	uint64_t next_uuid, next_iid;
	struct gst_map names;	/* name_key() -> iid of event name, stage and kernel */
	struct gst_map strings; /* string of the model, or set of rules -> iid of a string value */

	uint64_t memory_ops_drawn, ops_drawn, ops_without_times[GST_OP_KIND_COUNT],
		partial_launches;
	uint64_t calls_drawn, calls_unreturned, links_left_out;
	/* Lists of the packet being made: ops launched or waited for, arrows in and out. */
	struct links events, flows_in, flows_out;
};

/* ---- packets ------------------------------------------------------------------------------------ */

static void put(struct exporter *x, GstPf__TracePacket *p)
{
	p->has_trusted_packet_sequence_id = true;
	p->trusted_packet_sequence_id = SEQUENCE;
	p->has_sequence_flags = true;
	if (!p->sequence_flags) {
		p->sequence_flags = FLAG_NEEDS_STATE;
	}
	gst_pf_stream_put(x->stream, &p->base);
}

/* Model time to the file's clock, MONOTONIC. Readers have signed times: saturate. */
static uint64_t file_ns(const struct exporter *x, uint64_t model_ns)
{
	uint64_t base = x->m->base_ns;

	return base > TIME_MAX || model_ns > TIME_MAX - base ? TIME_MAX : base + model_ns;
}

static void put_event(struct exporter *x, enum slice type, uint64_t track, uint64_t model_ns,
		      GstPf__TrackEvent *e)
{
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;

	e->has_type = true;
	e->type = (int32_t)type;
	e->has_track_uuid = true;
	e->track_uuid = track;
	p.has_timestamp = true;
	p.timestamp = file_ns(x, model_ns);
	p.track_event = e;
	put(x, &p);
}

static void put_interned(struct exporter *x, GstPf__InternedData *data)
{
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;

	p.interned_data = data;
	put(x, &p);
	gst_arena_reset(x->words);
}

/* ---- words -------------------------------------------------------------------------------------- */

/* A copy of @text that is valid UTF-8 without zero bytes, good until the next packet of definitions. */
static char *clean_bytes(struct exporter *x, const char *text, size_t length)
{
	size_t bytes = gst_escape(GST_ESCAPE_UTF8, text, length, NULL, 0);
	char *copy = gst_arena_alloc(x->words, bytes + 1);

	gst_escape(GST_ESCAPE_UTF8, text, length, copy, bytes + 1);
	for (size_t i = 0; i < bytes; i++) {
		if (!copy[i]) {
			copy[i] = ' ';
		}
	}
	return copy;
}

static char *clean(struct exporter *x, const char *text)
{
	return clean_bytes(x, text, strlen(text));
}

static char *clean_id(struct exporter *x, uint32_t string)
{
	size_t length;
	const char *text = gst_strtab_get(x->m->strings, string, &length);

	return clean_bytes(x, text, length);
}

static char *format(struct exporter *x, const char *fmt, ...) GST_PRINTF(2, 3);

static char *format(struct exporter *x, const char *fmt, ...)
{
	va_list ap, again;
	char *text;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	text = gst_arena_alloc(x->words, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return text;
}

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

static uint64_t name_key(enum name_space space, uint64_t id)
{
	return (uint64_t)space << 48 | id;
}

static void put_name(struct exporter *x, uint64_t iid, char *name)
{
	GstPf__Interned in = GST_PF__INTERNED__INIT, *list[] = {&in};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;

	in.has_iid = true;
	in.iid = iid;
	in.name = name;
	data.n_event_names = 1;
	data.event_names = list;
	put_interned(x, &data);
}

/* The name of an op: as event name, as stage and, for kernels, as kernel with its name in full. */
static void put_op_name(struct exporter *x, uint64_t iid, char *name, char *full)
{
	GstPf__Interned in = GST_PF__INTERNED__INIT, *names[] = {&in};
	GstPf__InternedGpuSpecification stage = GST_PF__INTERNED_GPU_SPECIFICATION__INIT,
					*stages[] = {&stage};
	GstPf__InternedComputeKernel kernel = GST_PF__INTERNED_COMPUTE_KERNEL__INIT,
				     *kernels[] = {&kernel};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;

	in.has_iid = stage.has_iid = kernel.has_iid = true;
	in.iid = stage.iid = kernel.iid = iid;
	in.name = stage.name = kernel.demangled_name = name;
	stage.description = kernel.name = full;
	stage.has_category = true;
	stage.category = full ? CATEGORY_COMPUTE : 0;
	/* Of the critical path, in any form. */
	data.n_event_names = 1;
	data.event_names = names;
	if (x->has_render) {
		data.n_gpu_specifications = 1;
		data.gpu_specifications = stages;
		data.n_compute_kernels = full ? 1 : 0;
		data.compute_kernels = kernels;
	}
	put_interned(x, &data);
}

/* Number of @key; *is_new tells that it must be defined now. */
static uint64_t name_iid(struct exporter *x, uint64_t key, bool *is_new)
{
	/* Names are fewer than strings and calls of the table: 32 bits hold them. */
	uint64_t iid = *gst_map_add(&x->names, key, (uint32_t)x->next_iid, is_new);

	x->next_iid += *is_new;
	return iid;
}

/* Which memory makes a copy remarkable: GST_MEM_UNKNOWN = none. */
static uint8_t notable_memory(const struct gst_copy *c)
{
	static const uint8_t notable[] = {GST_MEM_PAGEABLE, GST_MEM_MANAGED};

	for (size_t i = 0; i < COUNT(notable); i++) {
		if (c->src_kind == notable[i] || c->dst_kind == notable[i]) {
			return notable[i];
		}
	}
	return GST_MEM_UNKNOWN;
}

static uint64_t op_name(struct exporter *x, gst_op_id id)
{
	const struct gst_op *op = &x->m->ops[id];
	bool is_new;
	uint64_t iid;

	if (op->kind == GST_OP_KERNEL) {
		iid = name_iid(x, name_key(NAME_KERNEL, op->name), &is_new);
		if (is_new) {
			char label[LABEL_BYTES];

			gst_model_op_label(x->m, id, label, sizeof(label));
			put_op_name(x, iid, clean(x, label), clean_id(x, op->name));
		}
	} else if (op->kind == GST_OP_MEMCPY && op->detail != GST_NONE) {
		const struct gst_copy *c = &x->m->copies[op->detail];
		uint8_t memory = notable_memory(c);

		iid = name_iid(x, name_key(NAME_COPY, (uint64_t)c->copy_kind << 8 | memory),
			       &is_new);
		if (is_new) {
			put_op_name(x, iid,
				    format(x, "memcpy %s%s%s", gst_name_copy_kind(c->copy_kind),
					   memory ? " " : "",
					   memory ? gst_name_memory_kind(memory) : ""),
				    NULL);
		}
	} else {
		iid = name_iid(x, name_key(NAME_OP, op->kind), &is_new);
		if (is_new) {
			put_op_name(x, iid, format(x, "%s", gst_name_op_kind(op->kind)), NULL);
		}
	}
	return iid;
}

static uint64_t api_name(struct exporter *x, uint32_t api)
{
	char name[128];
	bool is_new;
	uint64_t iid = name_iid(x, name_key(NAME_API, api), &is_new);

	if (is_new) {
		gst_name_api(api, name, sizeof(name));
		put_name(x, iid, clean(x, name));
	}
	return iid;
}

static void put_string(struct exporter *x, uint64_t iid, char *text)
{
	GstPf__InternedBytes in = GST_PF__INTERNED_BYTES__INIT, *list[] = {&in};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;

	in.has_iid = in.has_str = true;
	in.iid = iid;
	in.str.data = (uint8_t *)text;
	in.str.len = strlen(text);
	data.n_debug_annotation_string_values = 1;
	data.debug_annotation_string_values = list;
	put_interned(x, &data);
}

/* A name of the model as a string value. */
static uint64_t string_value(struct exporter *x, uint32_t string)
{
	bool is_new;
	uint64_t iid = *gst_map_add(&x->strings, string, (uint32_t)x->next_iid, &is_new);

	if (is_new) {
		x->next_iid++;
		put_string(x, iid, clean_id(x, string));
	}
	return iid;
}

/* A text of a finding as a string value: it may stand on a thousand slices. */
static uint64_t finding_value(struct exporter *x, uint32_t number, bool is_advice, const char *text)
{
	uint64_t key = UINT64_C(1) << 62 | (uint64_t)number << 1 | is_advice;
	bool is_new;
	uint64_t iid = *gst_map_add(&x->strings, key, (uint32_t)x->next_iid, &is_new);

	if (is_new) {
		x->next_iid++;
		put_string(x, iid, clean(x, text));
	}
	return iid;
}

/* The rules of a set of edges as a string value: "E1 event wait; S3 legacy default stream". */
static uint64_t rules_value(struct exporter *x, uint64_t rules)
{
	bool is_new;
	uint64_t iid = *gst_map_add(&x->strings, UINT64_C(1) << 63 | rules, (uint32_t)x->next_iid,
				    &is_new);
	char *text = NULL;

	if (!is_new) {
		return iid;
	}
	x->next_iid++;
	for (uint32_t r = 0; r < GST_RULE_COUNT; r++) {
		if (rules >> r & 1) {
			text = format(x, "%s%s%s %s", text ? text : "", text ? "; " : "",
				      gst_rule_id(r), gst_rule_text(r));
		}
	}
	put_string(x, iid, text);
	return iid;
}

_Static_assert(GST_RULE_COUNT < 62, "a set of rules and two marks are 64 bits");

/* Arguments of one slice, in arrays on the stack. */
struct notes {
	GstPf__DebugAnnotation data[COUNT(note_text)], *list[COUNT(note_text)];
	size_t count;
};

static GstPf__DebugAnnotation *add_note(struct notes *n, enum note name)
{
	GstPf__DebugAnnotation *d = &n->data[n->count];

	*d = (GstPf__DebugAnnotation)GST_PF__DEBUG_ANNOTATION__INIT;
	d->has_name_iid = true;
	d->name_iid = name;
	n->list[n->count++] = d;
	return d;
}

static void note_number(struct notes *n, enum note name, uint64_t value)
{
	GstPf__DebugAnnotation *d = add_note(n, name);

	d->has_uint_value = true;
	d->uint_value = value;
}

static void note_string(struct notes *n, enum note name, uint64_t iid)
{
	GstPf__DebugAnnotation *d = add_note(n, name);

	d->has_string_value_iid = true;
	d->string_value_iid = iid;
}

static void note_text_of(struct notes *n, enum note name, char *text)
{
	add_note(n, name)->string_value = text;
}

static void use_notes(GstPf__TrackEvent *e, struct notes *n)
{
	e->n_debug_annotations = n->count;
	e->debug_annotations = n->list;
}

/* ---- definitions ---------------------------------------------------------------------------------- */

/* Numbers of tracks; those of lanes follow, from next_uuid on. */
static uint64_t process_uuid(uint32_t process)
{
	return 1 + (uint64_t)process;
}

static uint64_t thread_uuid(const struct exporter *x, uint32_t thread)
{
	return process_uuid(x->process_count) + thread;
}

static uint64_t group_uuid(const struct exporter *x, uint32_t process)
{
	return thread_uuid(x, x->m->thread_count) + process;
}

static uint64_t device_uuid(const struct exporter *x, uint32_t device)
{
	return group_uuid(x, x->process_count) + device;
}

static uint64_t ctx_uuid(const struct exporter *x, uint32_t ctx)
{
	return device_uuid(x, x->m->device_count) + ctx;
}

static uint64_t findings_uuid(const struct exporter *x)
{
	return ctx_uuid(x, x->ctx_count);
}

static uint64_t critical_uuid(const struct exporter *x)
{
	return findings_uuid(x) + 1;
}

static void put_track(struct exporter *x, GstPf__TrackDescriptor *track, uint64_t uuid,
		      uint64_t parent)
{
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;

	track->has_uuid = true;
	track->uuid = uuid;
	track->has_parent_uuid = parent != 0;
	track->parent_uuid = parent;
	p.track_descriptor = track;
	p.has_trusted_packet_sequence_id = true;
	p.trusted_packet_sequence_id = SEQUENCE_TRACKS;
	gst_pf_stream_put(x->stream, &p.base);
	gst_arena_reset(x->words);
}

/* A track that holds others, in the order of their ranks. */
static void put_group(struct exporter *x, uint64_t uuid, uint64_t parent, char *name, uint32_t rank)
{
	GstPf__TrackDescriptor track = GST_PF__TRACK_DESCRIPTOR__INIT;

	track.name = name;
	track.has_child_ordering = true;
	track.child_ordering = ORDER_EXPLICIT;
	track.has_sibling_order_rank = true;
	track.sibling_order_rank = rank > INT32_MAX ? INT32_MAX : (int32_t)rank;
	track.has_sibling_merge_behavior = true;
	track.sibling_merge_behavior = MERGE_NONE;
	put_track(x, &track, uuid, parent);
}

/* Rows of the same name and parent are one track for the viewer: so are the lanes of a stream. */
static void put_row(struct exporter *x, uint64_t uuid, uint64_t parent, char *name, uint32_t rank)
{
	GstPf__TrackDescriptor track = GST_PF__TRACK_DESCRIPTOR__INIT;

	track.name = name;
	track.has_sibling_order_rank = true;
	track.sibling_order_rank = rank > INT32_MAX ? INT32_MAX : (int32_t)rank;
	put_track(x, &track, uuid, parent);
}

static void put_clock(struct exporter *x)
{
	const struct gst_model *m = x->m;
	GstPf__ClockSnapshot__Clock clocks[3], *list[3];
	const uint32_t ids[3] = {CLOCK_BOOTTIME_ID, CLOCK_MONOTONIC_ID, CLOCK_REALTIME_ID};
	GstPf__ClockSnapshot snapshot = GST_PF__CLOCK_SNAPSHOT__INIT;
	GstPf__TracePacketDefaults defaults = GST_PF__TRACE_PACKET_DEFAULTS__INIT;
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;

	for (size_t i = 0; i < 3; i++) {
		uint64_t ns = ids[i] == CLOCK_REALTIME_ID ? m->real_base_ns : m->base_ns;

		clocks[i] = (GstPf__ClockSnapshot__Clock)GST_PF__CLOCK_SNAPSHOT__CLOCK__INIT;
		clocks[i].has_clock_id = clocks[i].has_timestamp = true;
		clocks[i].clock_id = ids[i];
		clocks[i].timestamp = ns > TIME_MAX ? TIME_MAX : ns;
		list[i] = &clocks[i];
	}
	snapshot.n_clocks = 3;
	snapshot.clocks = list;
	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = CLOCK_MONOTONIC_ID;
	p.clock_snapshot = &snapshot;
	p.trace_packet_defaults = &defaults;
	p.has_first_packet_on_sequence = p.first_packet_on_sequence = true;
	p.sequence_flags = FLAG_CLEARED;
	put(x, &p);
}

static void put_uuid(struct exporter *x)
{
	GstPf__TraceUuid uuid = GST_PF__TRACE_UUID__INIT;
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;

	if (!x->m->process_count || !x->m->processes[0].has_trace) {
		return;
	}
	uuid.has_msb = uuid.has_lsb = true;
	uuid.msb = (int64_t)x->m->processes[0].trace.uuid_hi;
	uuid.lsb = (int64_t)x->m->processes[0].trace.uuid_lo;
	p.trace_uuid = &uuid;
	put(x, &p);
}

#define MAX_ATTRIBUTES 96
#define MAX_LIMITS     32

struct attributes {
	GstPf__TraceAttributes__Attribute data[MAX_ATTRIBUTES], *list[MAX_ATTRIBUTES];
	size_t count;
};

static GstPf__TraceAttributes__Attribute *add_attribute(struct attributes *l, const char *key)
{
	GstPf__TraceAttributes__Attribute *a = &l->data[l->count];

	*a = (GstPf__TraceAttributes__Attribute)GST_PF__TRACE_ATTRIBUTES__ATTRIBUTE__INIT;
	a->key = (char *)key;
	l->list[l->count++] = a;
	return a;
}

static void attribute_number(struct attributes *l, const char *key, uint64_t value)
{
	GstPf__TraceAttributes__Attribute *a = add_attribute(l, key);

	a->has_long_value = true;
	a->long_value = value > TIME_MAX ? INT64_MAX : (int64_t)value;
}

struct limit_attributes {
	struct exporter *x;
	struct attributes *l;
	uint32_t count;
};

/* A sentence of what is not known: an attribute of its own. */
static void put_limit(void *payload, const char *line)
{
	struct limit_attributes *to = payload;
	const char *key;

	if (to->count++ >= MAX_LIMITS) {
		return;
	}
	key = format(to->x, "gstrace.limit.%" PRIu32, to->count);
	add_attribute(to->l, key)->string_value = clean(to->x, line);
}

/* What the file holds, and what of the trace it does not. */
static void put_attributes(struct exporter *x)
{
	const struct gst_model *m = x->m;
	const struct gst_arrow_stats *s = &x->arrows.stats;
	struct attributes l = {.count = 0};
	struct limit_attributes limits = {x, &l, 0};
	GstPf__TraceAttributes attributes = GST_PF__TRACE_ATTRIBUTES__INIT;
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;
	uint64_t untimed = 0;

	add_attribute(&l, "gstrace.version")->string_value = (char *)GST_VERSION;
	add_attribute(&l, "gstrace.commit")->string_value = (char *)GST_COMMIT;
	attribute_number(&l, "gstrace.complete", m->is_complete);
	attribute_number(&l, "gstrace.processes", m->process_count);
	attribute_number(&l, "gstrace.records", m->stats.records);
	attribute_number(&l, "gstrace.losses", m->loss_count);
	attribute_number(&l, "gstrace.findings", x->a->findings->count);
	attribute_number(&l, "gstrace.calls", m->call_count);
	attribute_number(&l, "gstrace.calls_drawn", x->calls_drawn);
	attribute_number(&l, "gstrace.calls_unreturned", x->calls_unreturned);
	attribute_number(&l, "gstrace.ops", m->op_count);
	attribute_number(&l, "gstrace.ops_drawn", x->ops_drawn);
	for (uint32_t k = 0; k < GST_OP_KIND_COUNT; k++) {
		untimed += x->ops_without_times[k];
	}
	attribute_number(&l, "gstrace.ops_without_times", untimed);
	if (m->range_count) {
		attribute_number(&l, "gstrace.nvtx_ranges", m->stats.nvtx_ranges);
		attribute_number(&l, "gstrace.nvtx_marks", m->stats.nvtx_marks);
	}
	if (m->memop_count) {
		attribute_number(&l, "gstrace.memory_ops_drawn", x->memory_ops_drawn);
	}
	for (uint32_t k = 0; k < GST_OP_KIND_COUNT; k++) {
		if (x->ops_without_times[k]) {
			attribute_number(
				&l, format(x, "gstrace.ops_without_times.%s", gst_name_op_kind(k)),
				x->ops_without_times[k]);
		}
	}
	attribute_number(&l, "gstrace.graph_launches_known_by_nodes", x->partial_launches);
	attribute_number(&l, "gstrace.arrows", s->drawn);
	attribute_number(&l, "gstrace.edges_same_pair", s->same_pair);
	attribute_number(&l, "gstrace.edges_same_stream", s->same_stream);
	attribute_number(&l, "gstrace.edges_without_ends", s->without_ends);
	attribute_number(&l, "gstrace.edges_against_time", s->against_time);
	attribute_number(&l, "gstrace.edges_not_in_force", s->not_in_force);
	attribute_number(&l, "gstrace.edges_overlapping", s->overlapping);
	if (m->process_count && m->processes[0].has_process) {
		const struct gst_rec_process *rec = &m->processes[0].rec;

		attribute_number(&l, "gstrace.cuda_driver_version", rec->driver_version);
		attribute_number(&l, "gstrace.cuda_runtime_version", rec->runtime_version);
		attribute_number(&l, "gstrace.cupti_version", rec->cupti_version);
		add_attribute(&l, "gstrace.driver_release")->string_value =
			clean_id(x, rec->driver_release);
	}
	gst_describe_limits(x->a, put_limit, &limits);
	attribute_number(&l, "gstrace.limits", limits.count);
	attributes.n_attribute = l.count;
	attributes.attribute = l.list;
	p.trace_attributes = &attributes;
	put(x, &p);
	gst_arena_reset(x->words);
}

static void put_gpus(struct exporter *x)
{
	const struct gst_model *m = x->m;
	GstPf__GpuInfo info = GST_PF__GPU_INFO__INIT;
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;
	GstPf__GpuInfo__Gpu **list =
		gst_arena_alloc_array(x->words, m->device_count, sizeof(*list));
	struct gst_map seen = {0};

	for (uint32_t d = 0; d < m->device_count; d++) {
		const struct gst_rec_device *rec = &m->devices[d].rec;
		GstPf__GpuInfo__Gpu *gpu;
		uint8_t *uuid;
		uint32_t number = (uint32_t)info.n_gpus;
		bool is_new = true;

		/* Two processes see one GPU: the same UUID is the same index. */
		if (rec->uuid_hi || rec->uuid_lo) {
			number = *gst_map_add(
				&seen, rec->uuid_hi ^ (rec->uuid_lo << 1 | rec->uuid_lo >> 63),
				number, &is_new);
		}
		x->gpu_of_device[d] = number;
		if (!is_new) {
			continue;
		}
		gpu = gst_arena_alloc(x->words, sizeof(*gpu));
		*gpu = (GstPf__GpuInfo__Gpu)GST_PF__GPU_INFO__GPU__INIT;
		gpu->name = clean_id(x, m->devices[d].name);
		gpu->vendor = (char *)"NVIDIA";
		if (rec->compute_major) {
			gpu->architecture = format(x, "sm_%" PRIu32 "%" PRIu32, rec->compute_major,
						   rec->compute_minor);
		}
		gpu->pci_bdf =
			format(x, "%04" PRIx32 ":%02" PRIx32 ":%02" PRIx32 ".%" PRIx32,
			       rec->pci_domain, rec->pci_bus, rec->pci_device, rec->pci_function);
		uuid = gst_arena_alloc(x->words, 16);
		for (int i = 0; i < 8; i++) {
			uuid[i] = (uint8_t)(rec->uuid_hi >> (56 - 8 * i));
			uuid[8 + i] = (uint8_t)(rec->uuid_lo >> (56 - 8 * i));
		}
		gpu->has_uuid = true;
		gpu->uuid.data = uuid;
		gpu->uuid.len = 16;
		list[info.n_gpus++] = gpu;
	}
	info.gpus = list;
	p.gpu_info = &info;
	put(x, &p);
	gst_map_release(&seen);
	gst_arena_reset(x->words);
}

static char *process_name(struct exporter *x, uint32_t process)
{
	if (process >= x->m->process_count || !x->m->processes[process].has_process) {
		return format(x, "process %" PRIu32, process);
	}
	return clean_id(x, x->m->processes[process].rec.name);
}

static void put_process(struct exporter *x, uint32_t process)
{
	const struct gst_rec_process *rec =
		process < x->m->process_count ? &x->m->processes[process].rec : NULL;
	GstPf__ProcessTree__Process entry = GST_PF__PROCESS_TREE__PROCESS__INIT, *list[] = {&entry};
	GstPf__ProcessTree tree = GST_PF__PROCESS_TREE__INIT;
	GstPf__ProcessDescriptor descriptor = GST_PF__PROCESS_DESCRIPTOR__INIT;
	GstPf__TrackDescriptor track = GST_PF__TRACK_DESCRIPTOR__INIT;
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;
	GST_VEC(char *) words = {0};

	entry.has_pid = true;
	entry.pid = x->pids[process];
	if (rec && rec->ppid <= INT32_MAX) {
		entry.has_ppid = true;
		entry.ppid = (int32_t)rec->ppid;
	}
	/* The viewer shows the first word as the process' name. */
	gst_vec_push(&words, process_name(x, process));
	if (rec && rec->cmdline) {
		size_t length;
		const char *text = gst_strtab_get(x->m->strings, rec->cmdline, &length);

		for (size_t i = strnlen(text, length) + 1; i < length;) {
			size_t n = strnlen(text + i, length - i);

			gst_vec_push(&words, clean_bytes(x, text + i, n));
			i += n + 1;
		}
	}
	entry.n_cmdline = words.count;
	entry.cmdline = words.data;
	tree.n_processes = 1;
	tree.processes = list;
	p.process_tree = &tree;
	put(x, &p);
	gst_vec_free(&words);
	gst_arena_reset(x->words);

	descriptor.has_pid = true;
	descriptor.pid = x->pids[process];
	descriptor.process_name = process_name(x, process);
	track.process = &descriptor;
	put_track(x, &track, process_uuid(process), 0);
}

/* Two processes must not share a pid, as those of two machines or containers may; 0 is the idle task. */
static void choose_pids(struct exporter *x)
{
	struct gst_map seen = {0};

	for (uint32_t i = 0; i < x->process_count; i++) {
		uint32_t pid = i < x->m->process_count ? x->m->processes[i].rec.pid : 0;
		bool is_new = false;

		if (pid && pid < PID_MADE_UP) {
			gst_map_add(&seen, pid, 0, &is_new);
		}
		x->pids[i] = is_new ? (int32_t)pid : (int32_t)((PID_MADE_UP + i) & INT32_MAX);
	}
	gst_map_release(&seen);
}

static void put_threads(struct exporter *x)
{
	const struct gst_model *m = x->m;
	struct gst_map seen = {0};

	for (uint32_t i = 0; i < m->thread_count; i++) {
		const struct gst_thread *t = &m->threads[i];
		GstPf__ThreadDescriptor descriptor = GST_PF__THREAD_DESCRIPTOR__INIT;
		GstPf__TrackDescriptor track = GST_PF__TRACK_DESCRIPTOR__INIT;
		bool is_new = false;

		if (t->tid && t->tid < PID_MADE_UP) {
			gst_map_add(&seen, t->tid, 0, &is_new);
		}
		descriptor.has_pid = descriptor.has_tid = true;
		descriptor.pid = x->pids[t->process];
		descriptor.tid = is_new ? (int64_t)t->tid : (int64_t)PID_MADE_UP + i;
		descriptor.thread_name =
			t->name ? clean_id(x, t->name) : format(x, "thread %" PRIu32, t->index);
		track.thread = &descriptor;
		put_track(x, &track, thread_uuid(x, i), process_uuid(t->process));
	}
	gst_map_release(&seen);
}

static void put_word_tables(struct exporter *x)
{
	const struct {
		const char *const *words;
		size_t count;
	} tables[] = {{category_text, COUNT(category_text)},
		      {note_text, COUNT(note_text)},
		      {argument_text, COUNT(argument_text)}};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;
	GstPf__Interned **lists[COUNT(tables)];

	for (size_t t = 0; t < COUNT(tables); t++) {
		lists[t] = gst_arena_alloc_array(x->words, tables[t].count, sizeof(**lists));
		for (size_t i = 0; i < tables[t].count; i++) {
			GstPf__Interned *in = gst_arena_alloc(x->words, sizeof(*in));

			*in = (GstPf__Interned)GST_PF__INTERNED__INIT;
			in->has_iid = true;
			in->iid = i + 1;
			in->name = (char *)tables[t].words[i];
			lists[t][i] = in;
		}
	}
	data.n_event_categories = tables[0].count;
	data.event_categories = lists[0];
	data.n_debug_annotation_names = tables[1].count;
	data.debug_annotation_names = lists[1];
	data.n_compute_arg_names = tables[2].count;
	data.compute_arg_names = lists[2];
	put_interned(x, &data);
}

static bool ctx_is_known(const struct exporter *x, uint32_t ctx)
{
	return ctx < x->m->context_count;
}

static char *ctx_name(struct exporter *x, uint32_t ctx)
{
	return ctx_is_known(x, ctx) ? format(x, "Context %" PRIu32, x->m->contexts[ctx].cupti_id)
				    : format(x, "Context not known");
}

static char *place_name(struct exporter *x, uint32_t place)
{
	return place < x->m->stream_count ? clean_id(x, x->m->streams[place].name)
					  : format(x, "stream not known");
}

static uint32_t place_rank(const struct exporter *x, uint32_t place)
{
	return place < x->m->stream_count ? x->m->streams[place].cupti_id : GST_ID_NONE;
}

/* Groups of the used places, from the process down: each is made when its first stream is. */
static void put_groups_of(struct exporter *x, const struct place *p, struct gst_map *made)
{
	const struct gst_model *m = x->m;
	uint64_t parent = group_uuid(x, p->process);
	bool is_new;

	gst_map_add(made, parent, 0, &is_new);
	if (is_new) {
		put_group(x, parent, process_uuid(p->process), format(x, "CUDA"), 0);
	}
	if (p->device != GST_NONE) {
		uint64_t uuid = device_uuid(x, p->device);

		gst_map_add(made, uuid, 0, &is_new);
		if (is_new) {
			put_group(x, uuid, parent,
				  format(x, "Device %" PRIu32 ": %s",
					 m->devices[p->device].cupti_id,
					 clean_id(x, m->devices[p->device].name)),
				  m->devices[p->device].cupti_id);
		}
		parent = uuid;
	}
	gst_map_add(made, ctx_uuid(x, p->ctx), 0, &is_new);
	if (is_new) {
		put_group(x, ctx_uuid(x, p->ctx), parent, ctx_name(x, p->ctx),
			  ctx_is_known(x, p->ctx) ? m->contexts[p->ctx].cupti_id : GST_ID_NONE);
	}
}

static void put_context(struct exporter *x, const struct place *p, struct gst_map *made)
{
	GstPf__InternedGraphicsContext in = GST_PF__INTERNED_GRAPHICS_CONTEXT__INIT,
				       *list[] = {&in};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;
	bool is_new;

	gst_map_add(made, p->ctx, 0, &is_new);
	if (!is_new) {
		return;
	}
	in.has_iid = in.has_pid = in.has_api = true;
	in.iid = (uint64_t)p->ctx + 1;
	in.pid = x->pids[p->process];
	in.api = GPU_API_CUDA;
	data.n_graphics_contexts = 1;
	data.graphics_contexts = list;
	put_interned(x, &data);
}

static void put_queue(struct exporter *x, uint32_t place)
{
	const struct place *p = &x->places[place];
	GstPf__InternedGpuSpecification in = GST_PF__INTERNED_GPU_SPECIFICATION__INIT,
					*list[] = {&in};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;

	in.has_iid = true;
	in.iid = (uint64_t)place + 1;
	in.name = format(x, "%s %" PRId32 ", %s, %s", process_name(x, p->process),
			 x->pids[p->process], ctx_name(x, p->ctx), place_name(x, place));
	data.n_gpu_specifications = 1;
	data.gpu_specifications = list;
	put_interned(x, &data);
}

static void put_places(struct exporter *x)
{
	struct gst_map groups = {0}, contexts = {0};

	for (uint32_t i = 0; i < x->place_count; i++) {
		if (!x->places[i].is_used) {
			continue;
		}
		if (x->has_tracks) {
			put_groups_of(x, &x->places[i], &groups);
		}
		if (x->has_render) {
			put_context(x, &x->places[i], &contexts);
			put_queue(x, i);
		}
	}
	gst_map_release(&groups);
	gst_map_release(&contexts);
}

/* ---- where things are ------------------------------------------------------------------------------- */

static bool is_drawn(const struct gst_op *op)
{
	return op->flags & GST_OP_TIMED;
}

/* A memory operation has no times: it is drawn at the moment that its stream came to it, where that is known. */
static bool is_moment(const struct exporter *x, gst_op_id id, uint64_t *at_ns)
{
	const struct gst_op *op = &x->m->ops[id];
	uint64_t end_ns;

	return x->has_tracks && op->kind == GST_OP_MEMOP && op->detail != GST_NONE &&
	       gst_timing_op_ns(x->a->timing, id, at_ns, &end_ns);
}

static bool call_is_drawn(const struct gst_call *call)
{
	return !(call->flags & GST_CALL_NO_ENTER);
}

static uint32_t place_of(const struct exporter *x, const struct gst_op *op)
{
	uint32_t process = 0;

	if (op->stream != GST_NONE) {
		return op->stream;
	}
	if (op->call != GST_NONE) {
		process = x->m->threads[x->m->calls[op->call].thread].process;
	}
	return x->m->stream_count + process;
}

/* Where the slice of @op stands: a node under its launch, wherever CUDA ran it. */
static uint32_t track_of(const struct exporter *x, const struct gst_op *op)
{
	bool is_node = op->flags & GST_OP_NODE && op->parent != GST_NONE;

	return place_of(x, is_node ? &x->m->ops[op->parent] : op);
}

static void find_places(struct exporter *x)
{
	const struct gst_model *m = x->m;
	uint64_t at_ns;

	for (uint32_t i = 0; i < x->place_count; i++) {
		struct place *p = &x->places[i];
		bool is_stream = i < m->stream_count;

		p->process = is_stream ? m->streams[i].process : i - m->stream_count;
		p->device = GST_NONE;
		p->ctx = m->context_count + p->process;
		if (is_stream && m->streams[i].ctx != GST_NONE) {
			p->ctx = m->streams[i].ctx;
			p->device = m->contexts[p->ctx].device;
		}
	}
	for (gst_op_id i = 0; i < m->op_count; i++) {
		const struct gst_op *op = &m->ops[i];

		if (is_drawn(op)) {
			x->places[place_of(x, op)].is_used = true;
			x->places[track_of(x, op)].is_used = true;
			x->ops_drawn++;
			continue;
		}
		x->ops_without_times[op->kind]++;
		if (is_moment(x, i, &at_ns)) {
			x->places[place_of(x, op)].is_used = true;
			x->memory_ops_drawn++;
		}
		x->partial_launches +=
			x->arrows.first[i] != GST_NONE && op->kind == GST_OP_GRAPH_LAUNCH;
	}
	for (gst_call_id i = 0; i < m->call_count; i++) {
		x->calls_drawn += call_is_drawn(&m->calls[i]);
		x->calls_unreturned += !(m->calls[i].flags & GST_CALL_RETURNED);
	}
}

/* ---- calls ------------------------------------------------------------------------------------------- */

static uint64_t flow_id(gst_edge_id edge)
{
	return (uint64_t)edge + 1;
}

/* Append to a list of one packet, as far as a packet may grow. */
static void add_link(struct exporter *x, struct links *l, uint64_t value)
{
	if (l->count < LINKS_MAX) {
		gst_vec_push(l, value);
	} else {
		x->links_left_out++;
	}
}

static void use_submissions(GstPf__TrackEvent *e, GstPf__GpuCorrelation *gpu, struct links *l)
{
	if (l->count) {
		gpu->n_render_stage_submission_event_ids = l->count;
		gpu->render_stage_submission_event_ids = l->data;
		e->gpu_correlation = gpu;
	}
}

static void use_waits(GstPf__TrackEvent *e, GstPf__GpuCorrelation *gpu, struct links *l)
{
	if (l->count) {
		gpu->n_render_stage_wait_event_ids = l->count;
		gpu->render_stage_wait_event_ids = l->data;
		e->gpu_correlation = gpu;
	}
}

static void use_flows(GstPf__TrackEvent *e, struct links *in, struct links *out)
{
	e->n_terminating_flow_ids = in->count;
	e->terminating_flow_ids = in->data;
	e->n_flow_ids = out->count;
	e->flow_ids = out->data;
}

static uint64_t call_end(const struct exporter *x, const struct gst_call *call)
{
	uint64_t end = call->flags & GST_CALL_RETURNED ? call->exit_ns : x->m->end_ns;

	return end < call->enter_ns ? call->enter_ns : end;
}

/* A launch arrow of the track form: not if clocks put the op before its call. */
static bool launch_has_flow(const struct exporter *x, const struct gst_call *call, gst_op_id op)
{
	return x->has_tracks && call_is_drawn(call) && x->m->ops[op].begin_ns >= call->enter_ns;
}

static uint64_t call_track(struct exporter *x, const struct gst_call *call, uint64_t end_ns)
{
	struct gst_lanes *lanes = &x->threads[call->thread];
	struct gst_lane *lane = gst_lanes_take(lanes, call->enter_ns, end_ns);

	if (!lane->uuid) {
		const struct gst_thread *t = &x->m->threads[call->thread];

		lane->uuid = thread_uuid(x, call->thread);
		if (lane != lanes->lanes.data) {
			/* A thread's track is one row: calls that overlap mean that records are missing. */
			lane->uuid = x->next_uuid++;
			put_row(x, lane->uuid, process_uuid(t->process),
				format(x, "thread %" PRIu64 ", overlapping calls", t->tid), 0);
		}
	}
	return lane->uuid;
}

static void put_call(struct exporter *x, gst_call_id id)
{
	const struct gst_model *m = x->m;
	const struct gst_call *call = &m->calls[id];
	const struct gst_arrow *in;
	uint64_t end_ns = call_end(x, call), track = call_track(x, call, end_ns);
	uint64_t category =
		call->api >> 16 == GST_API_DOMAIN_RUNTIME ? CATEGORY_RUNTIME : CATEGORY_DRIVER;
	uint64_t rules = 0;
	uint32_t count;
	struct notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT, end = begin;
	GstPf__GpuCorrelation launches = GST_PF__GPU_CORRELATION__INIT, waited = launches;

	x->events.count = x->flows_in.count = x->flows_out.count = 0;
	for (uint32_t i = 0; i < call->op_count; i++) {
		gst_edge_id edge;
		gst_op_id op = gst_arrows_launched(&x->arrows, m, x->o, call->first_op + i, &edge);

		if (op == GST_NONE) {
			continue;
		}
		if (x->has_render) {
			add_link(x, &x->events, op);
		}
		if (launch_has_flow(x, call, op)) {
			add_link(x, &x->flows_out, flow_id(edge));
		}
	}
	in = gst_arrows_into(&x->arrows, gst_node_of_call(x->o, id), &count);
	for (uint32_t i = 0; i < count; i++) {
		rules |= UINT64_C(1) << gst_order_edge(x->o, in[i].edge).rule;
	}

	note_number(&notes, NOTE_CORRELATION, call->corr);
	if (call->stream != GST_NONE) {
		note_string(&notes, NOTE_STREAM, string_value(x, m->streams[call->stream].name));
	}
	if (rules) {
		note_string(&notes, NOTE_WAIT_KIND, rules_value(x, rules));
	}
	if (!(call->flags & GST_CALL_RETURNED)) {
		note_number(&notes, NOTE_INCOMPLETE, 1);
	} else if (call->result) {
		GstPf__DebugAnnotation *d = add_note(&notes, NOTE_RESULT);

		d->has_int_value = true;
		d->int_value = call->result;
	}
	if (call->flags & GST_CALL_CAPTURED) {
		note_number(&notes, NOTE_CAPTURED, 1);
	}
	if (call->flags & GST_CALL_AMBIGUOUS) {
		note_number(&notes, NOTE_AMBIGUOUS, 1);
	}
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	begin.has_name_iid = begin.has_gpu_api = true;
	begin.name_iid = api_name(x, call->api);
	begin.gpu_api = GPU_API_CUDA;
	use_notes(&begin, &notes);
	use_submissions(&begin, &launches, &x->events);
	use_flows(&begin, &x->flows_in, &x->flows_out);
	put_event(x, SLICE_BEGIN, track, call->enter_ns, &begin);

	x->events.count = x->flows_out.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (x->has_render) {
			add_link(x, &x->events, in[i].source);
		}
		if (x->has_tracks) {
			add_link(x, &x->flows_in, flow_id(in[i].edge));
		}
	}
	if (x->flows_in.count) {
		GstPf__TrackEvent done = GST_PF__TRACK_EVENT__INIT;
		bool is_new;

		/* A flow that ended at the call's begin would point backwards. */
		done.has_name_iid = true;
		done.name_iid = name_iid(x, name_key(NAME_DONE, 0), &is_new);
		if (is_new) {
			put_name(x, done.name_iid, format(x, "sync done"));
		}
		use_flows(&done, &x->flows_in, &x->flows_out);
		put_event(x, SLICE_INSTANT, track, end_ns, &done);
	}
	use_waits(&end, &waited, &x->events);
	put_event(x, SLICE_END, track, end_ns, &end);
}

/* ---- NVTX ranges, and calls within them ------------------------------------------------------------------ */

/* What stands on the row of a thread: a call, or a range or mark (@is_nvtx). */
struct row_item {
	uint64_t begin_ns, end_ns;
	uint32_t id;
	bool is_nvtx;
};

struct row {
	GST_VEC(struct row_item) items;
	GST_VEC(struct row_item) open;	/* ranges begun and not ended, the innermost last */
	GST_VEC(struct row_item) calls; /* on the row itself, one after the other */
};

static uint64_t range_name(struct exporter *x, uint32_t string)
{
	bool is_new;
	uint64_t iid = name_iid(x, name_key(NAME_RANGE, string), &is_new);

	if (is_new) {
		put_name(x, iid, string ? clean_id(x, string) : format(x, "(no name)"));
	}
	return iid;
}

/* Its payload, in the words of its type. */
static void note_payload(struct exporter *x, struct notes *notes, const struct gst_range *r)
{
	double wide;
	float narrow;
	uint32_t low = (uint32_t)r->payload;

	switch (r->payload_type) {
	case 1: /* of 64 bits */
	case 4:
		note_number(notes, NOTE_PAYLOAD, r->payload_type == 4 ? low : r->payload);
		break;
	case 2:
	case 5: {
		GstPf__DebugAnnotation *d = add_note(notes, NOTE_PAYLOAD);

		d->has_int_value = true;
		d->int_value = r->payload_type == 5 ? (int32_t)low : (int64_t)r->payload;
		break;
	}
	case 3:
		memcpy(&wide, &r->payload, sizeof(wide));
		note_text_of(notes, NOTE_PAYLOAD, format(x, "%.17g", wide));
		break;
	case 6:
		memcpy(&narrow, &low, sizeof(narrow));
		note_text_of(notes, NOTE_PAYLOAD, format(x, "%.9g", (double)narrow));
		break;
	default: /* none, or one that we do not know */
		break;
	}
}

static void put_range_begin(struct exporter *x, uint32_t id, uint64_t track)
{
	const struct gst_range *r = &x->m->ranges[id];
	uint64_t category = CATEGORY_NVTX;
	struct notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT;

	begin.has_name_iid = true;
	begin.name_iid = range_name(x, r->name);
	if (r->domain) {
		note_string(&notes, NOTE_DOMAIN, string_value(x, r->domain));
	}
	if (r->category) {
		note_number(&notes, NOTE_NUMBER_OF_CATEGORY, r->category);
	}
	if (r->what == GST_NVTX_START) {
		note_number(&notes, NOTE_THREAD, x->m->threads[r->thread].tid);
	}
	if (r->end_ns == GST_RANGE_OPEN) {
		note_number(&notes, NOTE_INCOMPLETE, 1);
	}
	note_payload(x, &notes, r);
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	use_notes(&begin, &notes);
	put_event(x, r->what == GST_NVTX_MARK ? SLICE_INSTANT : SLICE_BEGIN, track, r->begin_ns,
		  &begin);
	gst_arena_reset(x->words);
}

static void put_plain_end(struct exporter *x, uint64_t track, uint64_t ns)
{
	GstPf__TrackEvent end = GST_PF__TRACK_EVENT__INIT;

	put_event(x, SLICE_END, track, ns, &end);
}

/* End the ranges on the row that are over at @ns. */
static void end_ranges(struct exporter *x, struct row *row, uint64_t track, uint64_t ns)
{
	while (row->open.count > 0 && row->open.data[row->open.count - 1].end_ns <= ns) {
		put_plain_end(x, track, row->open.data[--row->open.count].end_ns);
	}
}

/* The last call on the row that begins before @ns; NULL. */
static const struct row_item *call_before(const struct row *row, uint64_t ns)
{
	size_t low = 0, high = row->calls.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (row->calls.data[mid].begin_ns < ns) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low ? &row->calls.data[low - 1] : NULL;
}

/* Does a call begin or end within the range, but not both? In a damaged trace, and where a clock is coarse. */
static bool cuts_a_call(const struct row *row, const struct row_item *r)
{
	const struct row_item *c = call_before(row, r->begin_ns);

	if (c && c->end_ns > r->begin_ns) {
		return true;
	}
	c = call_before(row, r->end_ns);
	return c && c->begin_ns >= r->begin_ns && c->end_ns > r->end_ns;
}

static uint64_t range_end(const struct gst_range *r, uint64_t last_ns)
{
	uint64_t end_ns = r->end_ns;

	if (end_ns == GST_RANGE_OPEN) {
		end_ns = last_ns > r->begin_ns ? last_ns : r->begin_ns;
	}
	return end_ns;
}

static void collect_calls(const struct exporter *x, const struct gst_thread *t, struct row *row)
{
	const struct gst_model *m = x->m;

	for (uint32_t i = 0; i < t->call_count; i++) {
		const struct gst_call *call = &m->calls[t->calls[i]];

		if (call_is_drawn(call)) {
			gst_vec_push(&row->items,
				     ((struct row_item){call->enter_ns, call_end(x, call),
							t->calls[i], false}));
		}
	}
}

/* All ranges of @thread: those that may stand on its row are items, the others stand apart. */
static void collect_ranges(struct exporter *x, uint32_t thread, struct row *row)
{
	const struct gst_model *m = x->m;
	uint64_t last_ns = m->end_ns;
	uint32_t first = x->next_range;

	for (; x->next_range < m->range_count && m->ranges[x->next_range].thread == thread;
	     x->next_range++) {
		const struct gst_range *r = &m->ranges[x->next_range];
		uint64_t end_ns = r->end_ns == GST_RANGE_OPEN ? r->begin_ns : r->end_ns;

		last_ns = end_ns > last_ns ? end_ns : last_ns;
	}
	for (uint32_t i = first; i < x->next_range; i++) {
		const struct gst_range *r = &m->ranges[i];
		const struct row_item item = {r->begin_ns, range_end(r, last_ns), i, true};

		if (r->what == GST_NVTX_START ||
		    (r->what == GST_NVTX_PUSH && cuts_a_call(row, &item))) {
			gst_vec_push(&x->apart, i);
		} else {
			gst_vec_push(&row->items, item);
		}
	}
}

/* By begin; what lasts longer first, as it stands around the other. */
static void sort_row(struct row *row)
{
	size_t count = row->items.count;
	struct gst_sort_item *order;
	struct row_item *sorted;

	if (count == 0) {
		return;
	}
	order = gst_mem_alloc(count * sizeof(*order));
	sorted = gst_mem_alloc(count * sizeof(*sorted));
	for (size_t i = 0; i < count; i++) {
		order[i] = (struct gst_sort_item){.key = UINT64_MAX - row->items.data[i].end_ns,
						  .value = (uint32_t)i};
	}
	gst_sort_items(order, count); /* stable */
	for (size_t i = 0; i < count; i++) {
		order[i].key = row->items.data[order[i].value].begin_ns;
	}
	gst_sort_items(order, count);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = row->items.data[order[i].value];
	}
	memcpy(row->items.data, sorted, count * sizeof(*sorted));
	gst_mem_free(order, count * sizeof(*order));
	gst_mem_free(sorted, count * sizeof(*sorted));
}

/* Calls of one thread by their begin (they are in that order but in a damaged trace), within its pushed ranges. */
static void put_thread(struct exporter *x, uint32_t thread)
{
	uint64_t track = thread_uuid(x, thread), free_ns = 0;
	struct row row = {0};

	collect_calls(x, &x->m->threads[thread], &row);
	if (x->m->range_count) {
		sort_row(&row);
		for (size_t i = 0; i < row.items.count; i++) {
			/* As lanes are taken: those that overlap go to other rows. */
			if (row.items.data[i].begin_ns >= free_ns) {
				gst_vec_push(&row.calls, row.items.data[i]);
				free_ns = row.items.data[i].end_ns;
			}
		}
		collect_ranges(x, thread, &row);
	}
	sort_row(&row);
	for (size_t i = 0; i < row.items.count && !gst_pf_stream_failed(x->stream); i++) {
		const struct row_item *item = &row.items.data[i];

		end_ranges(x, &row, track, item->begin_ns);
		if (!item->is_nvtx) {
			put_call(x, item->id);
		} else if (x->m->ranges[item->id].what == GST_NVTX_MARK) {
			put_range_begin(x, item->id, track);
		} else if (row.open.count > 0 &&
			   row.open.data[row.open.count - 1].end_ns < item->end_ns) {
			gst_vec_push(&x->apart, item->id); /* domains that are not nested */
		} else {
			put_range_begin(x, item->id, track);
			gst_vec_push(&row.open, *item);
		}
	}
	end_ranges(x, &row, track, UINT64_MAX);
	gst_vec_free(&row.items);
	gst_vec_free(&row.open);
	gst_vec_free(&row.calls);
}

/* Started ranges, and pushed ones that do not fit their thread's row: on rows of their process. */
static void put_ranges_apart(struct exporter *x)
{
	const struct gst_model *m = x->m;
	struct gst_sort_item *order = gst_mem_alloc((x->apart.count + 1) * sizeof(*order));
	struct gst_lanes lanes = {0};
	uint32_t process = GST_NONE;

	for (size_t i = 0; i < x->apart.count; i++) {
		order[i] = (struct gst_sort_item){.key = m->ranges[x->apart.data[i]].begin_ns,
						  .value = (uint32_t)x->apart.data[i]};
	}
	gst_sort_items(order, x->apart.count);
	for (size_t i = 0; i < x->apart.count; i++) {
		order[i].key = m->threads[m->ranges[order[i].value].thread].process;
	}
	gst_sort_items(order, x->apart.count);
	for (size_t i = 0; i < x->apart.count && !gst_pf_stream_failed(x->stream); i++) {
		const struct gst_range *r = &m->ranges[order[i].value];
		uint64_t end_ns = range_end(r, m->end_ns);
		struct gst_lane *lane;

		if (order[i].key != process) {
			process = (uint32_t)order[i].key;
			gst_lanes_release(&lanes);
			lanes = (struct gst_lanes){0};
		}
		lane = gst_lanes_take(&lanes, r->begin_ns, end_ns);
		if (!lane->uuid) {
			lane->uuid = x->next_uuid++;
			put_row(x, lane->uuid, process_uuid(process), format(x, "NVTX ranges"), 0);
		}
		put_range_begin(x, order[i].value, lane->uuid);
		put_plain_end(x, lane->uuid, end_ns);
	}
	gst_lanes_release(&lanes);
	gst_mem_free(order, (x->apart.count + 1) * sizeof(*order));
}

/* ---- ops ---------------------------------------------------------------------------------------------- */

/* Arguments of a launch, in arrays on the stack. */
struct arguments {
	GstPf__ComputeArg data[COUNT(argument_text)], *list[COUNT(argument_text)];
	size_t count;
};

static GstPf__ComputeArg *add_argument(struct arguments *l, enum argument name)
{
	GstPf__ComputeArg *a = &l->data[l->count];

	*a = (GstPf__ComputeArg)GST_PF__COMPUTE_ARG__INIT;
	a->has_name_iid = true;
	a->name_iid = name;
	l->list[l->count++] = a;
	return a;
}

static void argument_number(struct arguments *l, enum argument name, uint64_t value)
{
	GstPf__ComputeArg *a = add_argument(l, name);

	a->has_int_value = true;
	a->int_value = value > TIME_MAX ? INT64_MAX : (int64_t)value;
}

static void set_dim(GstPf__Dim3 *d, uint32_t dx, uint32_t dy, uint32_t dz)
{
	*d = (GstPf__Dim3)GST_PF__DIM3__INIT;
	d->has_x = d->has_y = d->has_z = true;
	d->x = dx;
	d->y = dy;
	d->z = dz;
}

static bool op_bytes(const struct gst_model *m, const struct gst_op *op, uint64_t *bytes)
{
	if (op->detail == GST_NONE) {
		return false;
	}
	if (op->kind == GST_OP_MEMCPY) {
		*bytes = m->copies[op->detail].bytes;
		return true;
	}
	if (op->kind == GST_OP_MEMSET) {
		*bytes = m->memsets[op->detail].bytes;
		return true;
	}
	return false;
}

/* One op as the format's own kind of GPU work. */
static void put_stage(struct exporter *x, gst_op_id id, uint64_t name, uint64_t rules)
{
	const struct gst_model *m = x->m;
	const struct gst_op *op = &m->ops[id];
	uint32_t number = place_of(x, op);
	const struct place *place = &x->places[number];
	struct arguments arguments = {.count = 0};
	GstPf__Dim3 grid, block;
	GstPf__ComputeKernelLaunch launch = GST_PF__COMPUTE_KERNEL_LAUNCH__INIT;
	GstPf__GpuRenderStageEvent e = GST_PF__GPU_RENDER_STAGE_EVENT__INIT;
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;
	uint64_t bytes;

	if (place->device != GST_NONE) {
		argument_number(&arguments, ARGUMENT_DEVICE, m->devices[place->device].cupti_id);
		e.has_gpu_id = true;
		e.gpu_id = (int32_t)(x->gpu_of_device[place->device] & INT32_MAX);
	}
	if (op->stream != GST_NONE && m->streams[op->stream].cupti_id != GST_ID_NONE) {
		argument_number(&arguments, ARGUMENT_STREAM, m->streams[op->stream].cupti_id);
	}
	argument_number(&arguments, ARGUMENT_OP, id);
	if (op->kind == GST_OP_KERNEL) {
		e.has_kernel_iid = true;
		e.kernel_iid = name;
	}
	if (op->kind == GST_OP_KERNEL && op->detail != GST_NONE) {
		const struct gst_kernel *k = &m->kernels[op->detail];

		set_dim(&grid, k->grid[0], k->grid[1], k->grid[2]);
		set_dim(&block, k->block[0], k->block[1], k->block[2]);
		launch.grid_size = &grid;
		launch.workgroup_size = &block;
		argument_number(&arguments, ARGUMENT_GRID_SIZE,
				(uint64_t)k->grid[0] * k->grid[1] * k->grid[2]);
		argument_number(&arguments, ARGUMENT_WORKGROUP_SIZE,
				(uint64_t)k->block[0] * k->block[1] * k->block[2]);
		argument_number(&arguments, ARGUMENT_REGISTERS, k->registers);
		argument_number(&arguments, ARGUMENT_SHARED_STATIC, k->shared_static);
		argument_number(&arguments, ARGUMENT_SHARED_DYNAMIC, k->shared_dynamic);
	}
	if (op_bytes(m, op, &bytes)) {
		argument_number(&arguments, ARGUMENT_BYTES, bytes);
	}
	if (op->flags & GST_OP_NODE && op->parent != GST_NONE) {
		argument_number(&arguments, ARGUMENT_GRAPH_LAUNCH, op->parent);
	}
	if (rules) {
		GstPf__ComputeArg *a = add_argument(&arguments, ARGUMENT_WAIT_KIND);

		a->has_string_value_iid = true;
		a->string_value_iid = rules_value(x, rules);
	}
	launch.n_args = arguments.count;
	launch.args = arguments.list;
	e.has_event_id = e.has_duration = e.has_context = true;
	e.event_id = id;
	e.duration = file_ns(x, op->end_ns) - file_ns(x, op->begin_ns);
	e.context = (uint64_t)place->ctx + 1;
	e.has_hw_queue_iid = e.has_stage_iid = true;
	e.hw_queue_iid = (uint64_t)number + 1;
	e.stage_iid = name;
	if (op->call != GST_NONE) {
		e.has_submission_id = true;
		e.submission_id = m->calls[op->call].corr;
	}
	e.n_event_wait_ids = x->events.count;
	e.event_wait_ids = x->events.data;
	e.launch = &launch;
	p.has_timestamp = true;
	p.timestamp = file_ns(x, op->begin_ns);
	p.gpu_render_stage_event = &e;
	put(x, &p);
}

static uint64_t op_category(const struct gst_op *op)
{
	switch ((enum gst_op_kind)op->kind) {
	case GST_OP_KERNEL:
		return CATEGORY_KERNEL;
	case GST_OP_MEMCPY:
		return CATEGORY_MEMCPY;
	case GST_OP_MEMSET:
		return CATEGORY_MEMSET;
	case GST_OP_GRAPH_LAUNCH:
		return CATEGORY_GRAPH;
	case GST_OP_HOST_FUNC:
	case GST_OP_EVENT_RECORD:
	case GST_OP_EVENT_WAIT:
	case GST_OP_ALLOC:
	case GST_OP_FREE:
	case GST_OP_MEMOP:
	case GST_OP_OPAQUE:
	case GST_OP_KIND_COUNT:
		break;
	}
	return CATEGORY_OTHER_OP;
}

/* The row among those of place @number that is free for this time: its track, named when it is new. */
static uint64_t row_at(struct exporter *x, uint32_t number, uint64_t begin_ns, uint64_t end_ns)
{
	struct place *place = &x->places[number];
	struct gst_lane *lane = gst_lanes_take(&place->lanes, begin_ns, end_ns);

	if (!lane->uuid) {
		lane->uuid = x->next_uuid++;
		put_row(x, lane->uuid, ctx_uuid(x, place->ctx), place_name(x, number),
			place_rank(x, number));
	}
	return lane->uuid;
}

/* The same op as a slice on the track of its stream. */
static void put_slice(struct exporter *x, gst_op_id id, uint64_t name, uint64_t rules)
{
	const struct gst_model *m = x->m;
	const struct gst_op *op = &m->ops[id];
	uint64_t row = row_at(x, track_of(x, op), op->begin_ns, op->end_ns);
	uint64_t category = op_category(op), bytes;
	uint32_t range;
	struct notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT, end = begin;

	note_number(&notes, NOTE_OP, id);
	if (op->call != GST_NONE) {
		note_number(&notes, NOTE_CORRELATION, m->calls[op->call].corr);
	}
	if (op_bytes(m, op, &bytes)) {
		note_number(&notes, NOTE_BYTES, bytes);
	}
	if (op->flags & GST_OP_NODE && op->parent != GST_NONE) {
		note_number(&notes, NOTE_GRAPH_LAUNCH, op->parent);
	}
	if (rules) {
		note_string(&notes, NOTE_WAIT_KIND, rules_value(x, rules));
	}
	range = op->call == GST_NONE ? GST_NONE : gst_call_range(m, op->call);
	if (range != GST_NONE && m->ranges[range].name) {
		note_string(&notes, NOTE_NVTX_RANGE, string_value(x, m->ranges[range].name));
	}
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	begin.has_name_iid = true;
	begin.name_iid = name;
	use_notes(&begin, &notes);
	use_flows(&begin, &x->flows_in, &x->flows_out);
	put_event(x, SLICE_BEGIN, row, op->begin_ns, &begin);
	put_event(x, SLICE_END, row, op->end_ns, &end);
}

static uint64_t memop_name(struct exporter *x, const struct gst_memop *op)
{
	static const char *const names[] = {"memory operation",	   "wait for value", "write value",
					    "flush remote writes", "wait for value", "write value",
					    "memory barrier"};
	uint32_t type = op->type < COUNT(names) ? op->type : GST_MEMOP_UNKNOWN;
	bool is_new;
	uint64_t iid = name_iid(x, name_key(NAME_MEMOP, type), &is_new);

	if (is_new) {
		put_op_name(x, iid, format(x, "%s", names[type]), NULL);
	}
	return iid;
}

/* An empty slice on the track of its stream: where it is, not how long it took. */
static void put_moment(struct exporter *x, gst_op_id id, uint64_t at_ns)
{
	const struct gst_op *op = &x->m->ops[id];
	const struct gst_memop *memop = &x->m->memops[op->detail];
	uint64_t name = memop_name(x, memop), category = CATEGORY_OTHER_OP;
	uint64_t row = row_at(x, place_of(x, op), at_ns, at_ns);
	struct notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT, end = begin;

	note_number(&notes, NOTE_MEMORY_OP, id);
	note_number(&notes, NOTE_CORRELATION, x->m->calls[op->call].corr);
	note_number(&notes, NOTE_ADDRESS, memop->address);
	note_number(&notes, NOTE_VALUE, memop->value);
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	begin.has_name_iid = true;
	begin.name_iid = name;
	use_notes(&begin, &notes);
	put_event(x, SLICE_BEGIN, row, at_ns, &begin);
	put_event(x, SLICE_END, row, at_ns, &end);
}

static void put_op(struct exporter *x, gst_op_id id)
{
	const struct gst_model *m = x->m;
	const struct gst_op *op = &m->ops[id];
	gst_op_id launch = id;
	gst_edge_id edge;
	const struct gst_arrow *arrows;
	uint64_t name = op_name(x, id), rules = 0;
	uint32_t count;

	x->events.count = x->flows_in.count = x->flows_out.count = 0;
	if (op->flags & GST_OP_NODE) {
		launch = op->parent;
	}
	if (launch != GST_NONE && gst_arrows_launched(&x->arrows, m, x->o, launch, &edge) == id &&
	    launch_has_flow(x, &m->calls[m->ops[launch].call], id)) {
		add_link(x, &x->flows_in, flow_id(edge));
	}
	arrows = gst_arrows_into(&x->arrows, gst_node_of_op(id), &count);
	for (uint32_t i = 0; i < count; i++) {
		add_link(x, &x->events, arrows[i].source);
		add_link(x, &x->flows_in, flow_id(arrows[i].edge));
		rules |= UINT64_C(1) << gst_order_edge(x->o, arrows[i].edge).rule;
	}
	if (rules) {
		/* Defined here: the packets below must not be interrupted. */
		rules_value(x, rules);
	}
	if (x->has_render) {
		put_stage(x, id, name, rules);
	}
	if (x->has_tracks) {
		arrows = gst_arrows_from(&x->arrows, id, &count);
		for (uint32_t i = 0; i < count; i++) {
			bool to_call = gst_node_is_call(x->o, arrows[i].target);

			if (!to_call || call_is_drawn(&m->calls[arrows[i].target - m->op_count])) {
				add_link(x, &x->flows_out, flow_id(arrows[i].edge));
			}
		}
		put_slice(x, id, name, rules);
	}
}

/* By begin, then end, then id: an empty slice comes before a longer one that begins with it. */
static void put_ops(struct exporter *x)
{
	const struct gst_model *m = x->m;
	GST_VEC(struct gst_sort_item) items = {0};
	uint64_t at_ns;

	gst_vec_reserve(&items, x->ops_drawn + x->memory_ops_drawn);
	for (gst_op_id i = 0; i < m->op_count; i++) {
		if (is_drawn(&m->ops[i])) {
			gst_vec_push(&items,
				     ((struct gst_sort_item){.key = m->ops[i].end_ns, .value = i}));
		} else if (is_moment(x, i, &at_ns)) {
			gst_vec_push(&items, ((struct gst_sort_item){.key = at_ns, .value = i}));
		}
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count; i++) {
		if (is_drawn(&m->ops[items.data[i].value])) {
			items.data[i].key = m->ops[items.data[i].value].begin_ns;
		}
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count && !gst_pf_stream_failed(x->stream); i++) {
		if (is_moment(x, items.data[i].value, &at_ns)) {
			put_moment(x, items.data[i].value, at_ns);
		} else {
			put_op(x, items.data[i].value);
		}
	}
	gst_vec_free(&items);
}

/* ---- findings ------------------------------------------------------------------------------------------ */

static void put_occurrence(struct exporter *x, uint32_t number, const struct gst_occurrence *o,
			   uint64_t track)
{
	const struct gst_finding *f = &x->a->findings->items[number];
	uint64_t end_ns = o->end_ns < o->begin_ns ? o->begin_ns : o->end_ns;
	uint64_t category = CATEGORY_FINDING;
	struct notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT, end = begin;
	GstPf__GpuCorrelation waited = GST_PF__GPU_CORRELATION__INIT;
	gst_op_id culprit = o->culprit == GST_NONE ? GST_NONE : x->arrows.last[o->culprit];
	bool is_new;

	begin.has_name_iid = true;
	begin.name_iid = name_iid(x, name_key(NAME_FINDING, number), &is_new);
	if (is_new) {
		put_name(x, begin.name_iid, clean(x, f->title));
	}
	/* What defines a string comes first: it ends the life of texts that are not defined so. */
	if (f->advice) {
		note_string(&notes, NOTE_ADVICE, finding_value(x, number, true, f->advice));
	}
	if (f->withheld) {
		note_string(&notes, NOTE_WITHHELD, finding_value(x, number, false, f->withheld));
	}
	note_number(&notes, NOTE_NUMBER, (uint64_t)number + 1);
	note_text_of(&notes, NOTE_SEVERITY, clean(x, gst_severity_name(f->severity)));
	if (f->cost_is_known) {
		note_number(&notes, NOTE_COST, f->cost_ns);
		note_number(&notes, NOTE_COST_LOW, f->cost_low_ns);
		note_number(&notes, NOTE_COST_HIGH, f->cost_high_ns);
	}
	note_number(&notes, NOTE_BLOCKED, o->blocked_ns);
	if (o->waiter != GST_NONE) {
		note_number(&notes, NOTE_WAITER, o->waiter);
	}
	if (o->culprit != GST_NONE) {
		note_number(&notes, NOTE_CULPRIT, o->culprit);
	}
	if (o->call != GST_NONE) {
		char name[128];

		gst_name_api(x->m->calls[o->call].api, name, sizeof(name));
		note_text_of(&notes, NOTE_CALL, clean(x, name));
	}
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	use_notes(&begin, &notes);
	put_event(x, SLICE_BEGIN, track, o->begin_ns, &begin);
	gst_arena_reset(x->words);

	x->events.count = 0;
	if (culprit != GST_NONE && x->has_render) {
		add_link(x, &x->events, culprit);
	}
	use_waits(&end, &waited, &x->events);
	put_event(x, SLICE_END, track, end_ns, &end);
}

/* All occurrences of the findings of one kind, on rows of one name. */
static void put_kind(struct exporter *x, const char *kind, uint32_t rank)
{
	const struct gst_findings *all = x->a->findings;
	GST_VEC(struct gst_sort_item) items = {0};
	struct gst_lanes lanes = {0};

	for (uint32_t i = 0; i < all->count; i++) {
		const struct gst_finding *f = &all->items[i];

		if (strcmp(f->id, kind) != 0) {
			continue;
		}
		for (uint32_t k = 0; k < f->evidence_count; k++) {
			gst_vec_push(&items,
				     ((struct gst_sort_item){.key = f->occurrences[k].begin_ns,
							     .value = i,
							     .extra = k}));
		}
		if (!f->evidence_count) {
			gst_vec_push(&items,
				     ((struct gst_sort_item){
					     .key = f->begin_ns, .value = i, .extra = GST_NONE}));
		}
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count; i++) {
		const struct gst_finding *f = &all->items[items.data[i].value];
		/* A finding without a place, such as a loss, is drawn over its whole time. */
		struct gst_occurrence whole = {.begin_ns = f->begin_ns,
					       .end_ns = f->end_ns,
					       .waiter = GST_NONE,
					       .culprit = GST_NONE,
					       .call = GST_NONE,
					       .blocked_ns = f->blocked_ns};
		const struct gst_occurrence *o = items.data[i].extra == GST_NONE
							 ? &whole
							 : &f->occurrences[items.data[i].extra];
		struct gst_lane *lane = gst_lanes_take(
			&lanes, o->begin_ns, o->end_ns < o->begin_ns ? o->begin_ns : o->end_ns);

		if (!lane->uuid) {
			lane->uuid = x->next_uuid++;
			put_row(x, lane->uuid, findings_uuid(x), clean(x, kind), rank);
		}
		put_occurrence(x, items.data[i].value, o, lane->uuid);
	}
	gst_lanes_release(&lanes);
	gst_vec_free(&items);
}

static void put_findings(struct exporter *x)
{
	const struct gst_findings *all = x->a->findings;
	GstPf__TrackDescriptor root = GST_PF__TRACK_DESCRIPTOR__INIT;

	if (!all->count) {
		return;
	}
	root.name = (char *)"gstrace findings";
	root.description =
		(char *)"What held work up, as `gstrace analyze` tells it; the costliest first.";
	root.has_child_ordering = root.has_sibling_merge_behavior = true;
	root.child_ordering = ORDER_EXPLICIT;
	root.sibling_merge_behavior = MERGE_NONE;
	put_track(x, &root, findings_uuid(x), 0);
	for (uint32_t i = 0; i < all->count; i++) {
		uint32_t earlier = 0;

		while (earlier < i && strcmp(all->items[earlier].id, all->items[i].id) != 0) {
			earlier++;
		}
		if (earlier == i) {
			put_kind(x, all->items[i].id, i);
		}
	}
}

/* ---- the critical path ------------------------------------------------------------------------------------ */

static uint64_t segment_name(struct exporter *x, const struct gst_segment *g)
{
	bool is_new;
	uint64_t iid;

	switch ((enum gst_cause)g->cause) {
	case GST_CAUSE_KERNEL:
	case GST_CAUSE_COPY:
	case GST_CAUSE_GRAPH:
	case GST_CAUSE_HOST_FUNC:
		return op_name(x, g->node);
	case GST_CAUSE_CALL:
		return api_name(x, x->m->calls[g->node - x->m->op_count].api);
	default: /* gaps have the name of their cause */
		break;
	}
	iid = name_iid(x, name_key(NAME_CAUSE, g->cause), &is_new);
	if (is_new) {
		put_name(x, iid, format(x, "%s", gst_cause_name((enum gst_cause)g->cause)));
	}
	return iid;
}

static void note_node(const struct exporter *x, struct notes *notes, gst_node_id node)
{
	if (node == GST_NONE) {
		return;
	}
	if (gst_node_is_op(x->o, node)) {
		note_number(notes, NOTE_CRITICAL_OP, node);
	} else if (gst_node_is_call(x->o, node)) {
		note_number(notes, NOTE_CRITICAL_CALL, node - x->m->op_count);
	}
}

static void put_segment(struct exporter *x, const struct gst_segment *g)
{
	uint64_t category = CATEGORY_CRITICAL;
	struct notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT;

	begin.has_name_iid = true;
	begin.name_iid = segment_name(x, g);
	if (g->edge != GST_NONE) {
		note_string(&notes, NOTE_RULE,
			    rules_value(x, UINT64_C(1) << gst_order_edge(x->o, g->edge).rule));
	}
	note_text_of(&notes, NOTE_CAUSE, (char *)gst_cause_name((enum gst_cause)g->cause));
	if (g->unknown) {
		note_text_of(&notes, NOTE_UNKNOWN,
			     (char *)gst_unknown_name((enum gst_unknown)g->unknown));
	}
	note_node(x, &notes, g->node);
	if (g->from != GST_NONE && gst_node_is_op(x->o, g->from)) {
		note_number(&notes, NOTE_FROM_OP, g->from);
	}
	if (g->held_ns != UINT64_MAX) {
		note_number(&notes, NOTE_HELD, g->held_ns);
	}
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	use_notes(&begin, &notes);
	put_event(x, SLICE_BEGIN, critical_uuid(x), g->begin_ns, &begin);
	put_plain_end(x, critical_uuid(x), g->end_ns);
	gst_arena_reset(x->words);
}

static void put_critical(struct exporter *x)
{
	GstPf__TrackDescriptor root = GST_PF__TRACK_DESCRIPTOR__INIT;
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_critical c;

	gst_timing_critical(x->a->timing, GST_NONE, arena, &c);
	if (c.segment_count > 0) {
		root.name = (char *)"gstrace critical path";
		root.description =
			(char *)"What the end of the run hung on, moment by moment, as `gstrace critical` tells it.";
		put_track(x, &root, critical_uuid(x), 0);
	}
	for (uint32_t i = 0; i < c.segment_count && !gst_pf_stream_failed(x->stream); i++) {
		put_segment(x, &c.segments[i]);
	}
	gst_arena_free(arena);
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

static void put_left_out(struct exporter *x)
{
	struct attributes l = {.count = 0};
	GstPf__TraceAttributes attributes = GST_PF__TRACE_ATTRIBUTES__INIT;
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;

	if (!x->links_left_out) {
		return;
	}
	attribute_number(&l, "gstrace.links_left_out", x->links_left_out);
	attributes.n_attribute = l.count;
	attributes.attribute = l.list;
	p.trace_attributes = &attributes;
	put(x, &p);
}

gst_status gst_export_perfetto(const struct gst_analysis *a, const struct gst_perfetto_options *opt,
			       struct gst_outfile *out, struct gst_err *err)
{
	const struct gst_model *m = a->model;
	bool has_choice = opt && (opt->render_stages || opt->tracks);
	struct exporter x = {.a = a, .m = m, .o = a->order};

	x.has_render = !has_choice || opt->render_stages;
	x.has_tracks = !has_choice || opt->tracks;
	x.stream = gst_pf_stream_new(out, !opt || !opt->is_plain);
	x.words = gst_arena_new(0);
	x.process_count = m->process_count ? m->process_count : 1;
	x.ctx_count = m->context_count + x.process_count;
	x.place_count = m->stream_count + x.process_count;
	x.places = gst_mem_alloc(x.place_count * sizeof(*x.places));
	x.threads = gst_mem_alloc(m->thread_count * sizeof(*x.threads));
	x.gpu_of_device = gst_mem_alloc(m->device_count * sizeof(*x.gpu_of_device));
	x.pids = gst_mem_alloc(x.process_count * sizeof(*x.pids));
	x.next_uuid = critical_uuid(&x) + 1;
	x.next_iid = (uint64_t)x.place_count + 1;
	gst_arrows_build(m, a->order, a->timing, &x.arrows);
	find_places(&x);
	choose_pids(&x);

	put_clock(&x);
	put_uuid(&x);
	put_attributes(&x);
	put_gpus(&x);
	for (uint32_t i = 0; i < x.process_count; i++) {
		put_process(&x, i);
	}
	put_threads(&x);
	put_word_tables(&x);
	put_places(&x);
	for (uint32_t i = 0; i < m->thread_count; i++) {
		put_thread(&x, i);
	}
	put_ranges_apart(&x);
	put_ops(&x);
	put_findings(&x);
	put_critical(&x);
	put_left_out(&x);

	for (uint32_t i = 0; i < x.place_count; i++) {
		gst_lanes_release(&x.places[i].lanes);
	}
	for (uint32_t i = 0; i < m->thread_count; i++) {
		gst_lanes_release(&x.threads[i]);
	}
	gst_mem_free(x.places, x.place_count * sizeof(*x.places));
	gst_mem_free(x.threads, m->thread_count * sizeof(*x.threads));
	gst_mem_free(x.gpu_of_device, m->device_count * sizeof(*x.gpu_of_device));
	gst_mem_free(x.pids, x.process_count * sizeof(*x.pids));
	gst_map_release(&x.names);
	gst_map_release(&x.strings);
	gst_arrows_release(&x.arrows);
	gst_vec_free(&x.events);
	gst_vec_free(&x.apart);
	gst_vec_free(&x.flows_in);
	gst_vec_free(&x.flows_out);
	gst_arena_free(x.words);
	return gst_pf_stream_finish(x.stream, err);
}
