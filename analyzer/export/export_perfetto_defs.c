/*
 * export_perfetto_defs.c - what a Perfetto trace begins with: clock, attributes, GPUs, processes, tracks.
 *
 * Role      : everything of the file that has no time.
 * Method    : numbers of tracks are computed from ids of the model; those of further rows come behind.
 * Invariant : a track is defined before its first slice.
 * Not here  : slices.
 */
#include "analyzer/export/export_perfetto_parts.h"

#include <inttypes.h>

#include "analyzer/export/describe.h"
#include "analyzer/export/export_names.h"
#include "tracer/format/version.h"

#define TEXT_OF(id, text) text,
static const char *const category_text[] = {CATEGORIES(TEXT_OF)};
static const char *const note_text[] = {NOTES(TEXT_OF)};
static const char *const argument_text[] = {ARGUMENTS(TEXT_OF)};

/* ---- definitions ---------------------------------------------------------------------------------- */

/* Numbers of tracks; those of lanes follow, from next_uuid on. */
uint64_t gst_pf_process_uuid(uint32_t process)
{
	return 1 + (uint64_t)process;
}

uint64_t gst_pf_thread_uuid(const struct gst_pf_exporter *x, uint32_t thread)
{
	return gst_pf_process_uuid(x->process_count) + thread;
}

static uint64_t group_uuid(const struct gst_pf_exporter *x, uint32_t process)
{
	return gst_pf_thread_uuid(x, x->m->thread_count) + process;
}

static uint64_t device_uuid(const struct gst_pf_exporter *x, uint32_t device)
{
	return group_uuid(x, x->process_count) + device;
}

uint64_t gst_pf_ctx_uuid(const struct gst_pf_exporter *x, uint32_t ctx)
{
	return device_uuid(x, x->m->device_count) + ctx;
}

uint64_t gst_pf_findings_uuid(const struct gst_pf_exporter *x)
{
	return gst_pf_ctx_uuid(x, x->ctx_count);
}

uint64_t gst_pf_critical_uuid(const struct gst_pf_exporter *x)
{
	return gst_pf_findings_uuid(x) + 1;
}

void gst_pf_put_track(struct gst_pf_exporter *x, GstPf__TrackDescriptor *track, uint64_t uuid,
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
static void put_group(struct gst_pf_exporter *x, uint64_t uuid, uint64_t parent, char *name,
		      uint32_t rank)
{
	GstPf__TrackDescriptor track = GST_PF__TRACK_DESCRIPTOR__INIT;

	track.name = name;
	track.has_child_ordering = true;
	track.child_ordering = ORDER_EXPLICIT;
	track.has_sibling_order_rank = true;
	track.sibling_order_rank = rank > INT32_MAX ? INT32_MAX : (int32_t)rank;
	track.has_sibling_merge_behavior = true;
	track.sibling_merge_behavior = MERGE_NONE;
	gst_pf_put_track(x, &track, uuid, parent);
}

/* Rows of the same name and parent are one track for the viewer: so are the lanes of a stream. */
void gst_pf_put_row(struct gst_pf_exporter *x, uint64_t uuid, uint64_t parent, char *name,
		    uint32_t rank)
{
	GstPf__TrackDescriptor track = GST_PF__TRACK_DESCRIPTOR__INIT;

	track.name = name;
	track.has_sibling_order_rank = true;
	track.sibling_order_rank = rank > INT32_MAX ? INT32_MAX : (int32_t)rank;
	gst_pf_put_track(x, &track, uuid, parent);
}

void gst_pf_put_clock(struct gst_pf_exporter *x)
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
	gst_pf_put(x, &p);
}

void gst_pf_put_uuid(struct gst_pf_exporter *x)
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
	gst_pf_put(x, &p);
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
	struct gst_pf_exporter *x;
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
	key = gst_pf_format(to->x, "gstrace.limit.%" PRIu32, to->count);
	add_attribute(to->l, key)->string_value = gst_pf_clean(to->x, line);
}

/* What the file holds, and what of the trace it does not. */
void gst_pf_put_attributes(struct gst_pf_exporter *x)
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
			attribute_number(&l,
					 gst_pf_format(x, "gstrace.ops_without_times.%s",
						       gst_name_op_kind(k)),
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
			gst_pf_clean_id(x, rec->driver_release);
	}
	gst_describe_limits(x->a, put_limit, &limits);
	attribute_number(&l, "gstrace.limits", limits.count);
	attributes.n_attribute = l.count;
	attributes.attribute = l.list;
	p.trace_attributes = &attributes;
	gst_pf_put(x, &p);
	gst_arena_reset(x->words);
}

void gst_pf_put_gpus(struct gst_pf_exporter *x)
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
		gpu->name = gst_pf_clean_id(x, m->devices[d].name);
		gpu->vendor = (char *)"NVIDIA";
		if (rec->compute_major) {
			gpu->architecture = gst_pf_format(x, "sm_%" PRIu32 "%" PRIu32,
							  rec->compute_major, rec->compute_minor);
		}
		gpu->pci_bdf = gst_pf_format(
			x, "%04" PRIx32 ":%02" PRIx32 ":%02" PRIx32 ".%" PRIx32, rec->pci_domain,
			rec->pci_bus, rec->pci_device, rec->pci_function);
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
	gst_pf_put(x, &p);
	gst_map_release(&seen);
	gst_arena_reset(x->words);
}

static char *process_name(struct gst_pf_exporter *x, uint32_t process)
{
	if (process >= x->m->process_count || !x->m->processes[process].has_process) {
		return gst_pf_format(x, "process %" PRIu32, process);
	}
	return gst_pf_clean_id(x, x->m->processes[process].rec.name);
}

void gst_pf_put_process(struct gst_pf_exporter *x, uint32_t process)
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

			gst_vec_push(&words, gst_pf_clean_bytes(x, text + i, n));
			i += n + 1;
		}
	}
	entry.n_cmdline = words.count;
	entry.cmdline = words.data;
	tree.n_processes = 1;
	tree.processes = list;
	p.process_tree = &tree;
	gst_pf_put(x, &p);
	gst_vec_free(&words);
	gst_arena_reset(x->words);

	descriptor.has_pid = true;
	descriptor.pid = x->pids[process];
	descriptor.process_name = process_name(x, process);
	track.process = &descriptor;
	gst_pf_put_track(x, &track, gst_pf_process_uuid(process), 0);
}

/* Two processes must not share a pid, as those of two machines or containers may; 0 is the idle task. */
void gst_pf_choose_pids(struct gst_pf_exporter *x)
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

void gst_pf_put_threads(struct gst_pf_exporter *x)
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
		descriptor.thread_name = t->name ? gst_pf_clean_id(x, t->name)
						 : gst_pf_format(x, "thread %" PRIu32, t->index);
		track.thread = &descriptor;
		gst_pf_put_track(x, &track, gst_pf_thread_uuid(x, i),
				 gst_pf_process_uuid(t->process));
	}
	gst_map_release(&seen);
}

void gst_pf_put_word_tables(struct gst_pf_exporter *x)
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
	gst_pf_put_interned(x, &data);
}

static bool ctx_is_known(const struct gst_pf_exporter *x, uint32_t ctx)
{
	return ctx < x->m->context_count;
}

static char *ctx_name(struct gst_pf_exporter *x, uint32_t ctx)
{
	return ctx_is_known(x, ctx)
		       ? gst_pf_format(x, "Context %" PRIu32, x->m->contexts[ctx].cupti_id)
		       : gst_pf_format(x, "Context not known");
}

char *gst_pf_place_name(struct gst_pf_exporter *x, uint32_t place)
{
	return place < x->m->stream_count ? gst_pf_clean_id(x, x->m->streams[place].name)
					  : gst_pf_format(x, "stream not known");
}

uint32_t gst_pf_place_rank(const struct gst_pf_exporter *x, uint32_t place)
{
	return place < x->m->stream_count ? x->m->streams[place].cupti_id : GST_ID_NONE;
}

/* Groups of the used places, from the process down: each is made when its first stream is. */
static void put_groups_of(struct gst_pf_exporter *x, const struct gst_pf_place *p,
			  struct gst_map *made)
{
	const struct gst_model *m = x->m;
	uint64_t parent = group_uuid(x, p->process);
	bool is_new;

	gst_map_add(made, parent, 0, &is_new);
	if (is_new) {
		put_group(x, parent, gst_pf_process_uuid(p->process), gst_pf_format(x, "CUDA"), 0);
	}
	if (p->device != GST_NONE) {
		uint64_t uuid = device_uuid(x, p->device);

		gst_map_add(made, uuid, 0, &is_new);
		if (is_new) {
			put_group(x, uuid, parent,
				  gst_pf_format(x, "Device %" PRIu32 ": %s",
						m->devices[p->device].cupti_id,
						gst_pf_clean_id(x, m->devices[p->device].name)),
				  m->devices[p->device].cupti_id);
		}
		parent = uuid;
	}
	gst_map_add(made, gst_pf_ctx_uuid(x, p->ctx), 0, &is_new);
	if (is_new) {
		put_group(x, gst_pf_ctx_uuid(x, p->ctx), parent, ctx_name(x, p->ctx),
			  ctx_is_known(x, p->ctx) ? m->contexts[p->ctx].cupti_id : GST_ID_NONE);
	}
}

static void put_context(struct gst_pf_exporter *x, const struct gst_pf_place *p,
			struct gst_map *made)
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
	gst_pf_put_interned(x, &data);
}

static void put_queue(struct gst_pf_exporter *x, uint32_t place)
{
	const struct gst_pf_place *p = &x->places[place];
	GstPf__InternedGpuSpecification in = GST_PF__INTERNED_GPU_SPECIFICATION__INIT,
					*list[] = {&in};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;

	in.has_iid = true;
	in.iid = (uint64_t)place + 1;
	in.name = gst_pf_format(x, "%s %" PRId32 ", %s, %s", process_name(x, p->process),
				x->pids[p->process], ctx_name(x, p->ctx),
				gst_pf_place_name(x, place));
	data.n_gpu_specifications = 1;
	data.gpu_specifications = list;
	gst_pf_put_interned(x, &data);
}

void gst_pf_put_places(struct gst_pf_exporter *x)
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

void gst_pf_put_left_out(struct gst_pf_exporter *x)
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
	gst_pf_put(x, &p);
}
