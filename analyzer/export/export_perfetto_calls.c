/*
 * export_perfetto_calls.c - host threads in a Perfetto trace: API calls, NVTX ranges, and where work is drawn.
 *
 * Role      : the rows of threads; places of work, which calls point at.
 * Method    : calls and ranges of a thread in order of their begins, a stack of what is open.
 * Invariant : slices of one track follow each other or stand in each other.
 * Not here  : work on devices (export_perfetto.c).
 */
#include "analyzer/export/export_perfetto_parts.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/sort.h"
#include "tracer/format/api.h"

/* ---- where things are ------------------------------------------------------------------------------- */

bool gst_pf_is_drawn(const struct gst_op *op)
{
	return op->flags & GST_OP_TIMED;
}

/* A memory operation has no times: it is drawn at the moment that its stream came to it, where that is known. */
bool gst_pf_is_moment(const struct gst_pf_exporter *x, gst_op_id id, uint64_t *at_ns)
{
	const struct gst_op *op = &x->m->ops[id];
	uint64_t end_ns;

	return x->has_tracks && op->kind == GST_OP_MEMOP && op->detail != GST_NONE &&
	       gst_timing_op_ns(x->a->timing, id, at_ns, &end_ns);
}

bool gst_pf_call_is_drawn(const struct gst_call *call)
{
	return !(call->flags & GST_CALL_NO_ENTER);
}

uint32_t gst_pf_place_of(const struct gst_pf_exporter *x, const struct gst_op *op)
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
uint32_t gst_pf_track_of(const struct gst_pf_exporter *x, const struct gst_op *op)
{
	bool is_node = op->flags & GST_OP_NODE && op->parent != GST_NONE;

	return gst_pf_place_of(x, is_node ? &x->m->ops[op->parent] : op);
}

void gst_pf_find_places(struct gst_pf_exporter *x)
{
	const struct gst_model *m = x->m;
	uint64_t at_ns;

	for (uint32_t i = 0; i < x->place_count; i++) {
		struct gst_pf_place *p = &x->places[i];
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

		if (gst_pf_is_drawn(op)) {
			x->places[gst_pf_place_of(x, op)].is_used = true;
			x->places[gst_pf_track_of(x, op)].is_used = true;
			x->ops_drawn++;
			continue;
		}
		x->ops_without_times[op->kind]++;
		if (gst_pf_is_moment(x, i, &at_ns)) {
			x->places[gst_pf_place_of(x, op)].is_used = true;
			x->memory_ops_drawn++;
		}
		x->partial_launches +=
			x->arrows.first[i] != GST_NONE && op->kind == GST_OP_GRAPH_LAUNCH;
	}
	for (gst_call_id i = 0; i < m->call_count; i++) {
		x->calls_drawn += gst_pf_call_is_drawn(&m->calls[i]);
		x->calls_unreturned += !(m->calls[i].flags & GST_CALL_RETURNED);
	}
}

/* ---- calls ------------------------------------------------------------------------------------------- */

uint64_t gst_pf_flow_id(gst_edge_id edge)
{
	return (uint64_t)edge + 1;
}

/* Append to a list of one packet, as far as a packet may grow. */
void gst_pf_add_link(struct gst_pf_exporter *x, struct gst_pf_links *l, uint64_t value)
{
	if (l->count < LINKS_MAX) {
		gst_vec_push(l, value);
	} else {
		x->links_left_out++;
	}
}

static void use_submissions(GstPf__TrackEvent *e, GstPf__GpuCorrelation *gpu,
			    struct gst_pf_links *l)
{
	if (l->count) {
		gpu->n_render_stage_submission_event_ids = l->count;
		gpu->render_stage_submission_event_ids = l->data;
		e->gpu_correlation = gpu;
	}
}

void gst_pf_use_waits(GstPf__TrackEvent *e, GstPf__GpuCorrelation *gpu, struct gst_pf_links *l)
{
	if (l->count) {
		gpu->n_render_stage_wait_event_ids = l->count;
		gpu->render_stage_wait_event_ids = l->data;
		e->gpu_correlation = gpu;
	}
}

void gst_pf_use_flows(GstPf__TrackEvent *e, struct gst_pf_links *in, struct gst_pf_links *out)
{
	e->n_terminating_flow_ids = in->count;
	e->terminating_flow_ids = in->data;
	e->n_flow_ids = out->count;
	e->flow_ids = out->data;
}

static uint64_t call_end(const struct gst_pf_exporter *x, const struct gst_call *call)
{
	uint64_t end = call->flags & GST_CALL_RETURNED ? call->exit_ns : x->m->end_ns;

	return end < call->enter_ns ? call->enter_ns : end;
}

/* A launch arrow of the track form: not if clocks put the op before its call. */
bool gst_pf_launch_has_flow(const struct gst_pf_exporter *x, const struct gst_call *call,
			    gst_op_id op)
{
	return x->has_tracks && gst_pf_call_is_drawn(call) &&
	       x->m->ops[op].begin_ns >= call->enter_ns;
}

static uint64_t call_track(struct gst_pf_exporter *x, const struct gst_call *call, uint64_t end_ns)
{
	struct gst_lanes *lanes = &x->threads[call->thread];
	struct gst_lane *lane = gst_lanes_take(lanes, call->enter_ns, end_ns);

	if (!lane->uuid) {
		const struct gst_thread *t = &x->m->threads[call->thread];

		lane->uuid = gst_pf_thread_uuid(x, call->thread);
		if (lane != lanes->lanes.data) {
			/* A thread's track is one row: calls that overlap mean that records are missing. */
			lane->uuid = x->next_uuid++;
			gst_pf_put_row(
				x, lane->uuid, gst_pf_process_uuid(t->process),
				gst_pf_format(x, "thread %" PRIu64 ", overlapping calls", t->tid),
				0);
		}
	}
	return lane->uuid;
}

static void put_call(struct gst_pf_exporter *x, gst_call_id id)
{
	const struct gst_model *m = x->m;
	const struct gst_call *call = &m->calls[id];
	const struct gst_arrow *in;
	uint64_t end_ns = call_end(x, call), track = call_track(x, call, end_ns);
	uint64_t category =
		call->api >> 16 == GST_API_DOMAIN_RUNTIME ? CATEGORY_RUNTIME : CATEGORY_DRIVER;
	uint64_t rules = 0;
	uint32_t count;
	struct gst_pf_notes notes = {.count = 0};
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
			gst_pf_add_link(x, &x->events, op);
		}
		if (gst_pf_launch_has_flow(x, call, op)) {
			gst_pf_add_link(x, &x->flows_out, gst_pf_flow_id(edge));
		}
	}
	in = gst_arrows_into(&x->arrows, gst_node_of_call(x->o, id), &count);
	for (uint32_t i = 0; i < count; i++) {
		rules |= UINT64_C(1) << gst_order_edge(x->o, in[i].edge).rule;
	}

	gst_pf_note_number(&notes, NOTE_CORRELATION, call->corr);
	if (call->stream != GST_NONE) {
		gst_pf_note_string(&notes, NOTE_STREAM,
				   gst_pf_string_value(x, m->streams[call->stream].name));
	}
	if (rules) {
		gst_pf_note_string(&notes, NOTE_WAIT_KIND, gst_pf_rules_value(x, rules));
	}
	if (!(call->flags & GST_CALL_RETURNED)) {
		gst_pf_note_number(&notes, NOTE_INCOMPLETE, 1);
	} else if (call->result) {
		GstPf__DebugAnnotation *d = gst_pf_add_note(&notes, NOTE_RESULT);

		d->has_int_value = true;
		d->int_value = call->result;
	}
	if (call->flags & GST_CALL_CAPTURED) {
		gst_pf_note_number(&notes, NOTE_CAPTURED, 1);
	}
	if (call->flags & GST_CALL_AMBIGUOUS) {
		gst_pf_note_number(&notes, NOTE_AMBIGUOUS, 1);
	}
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	begin.has_name_iid = begin.has_gpu_api = true;
	begin.name_iid = gst_pf_api_name(x, call->api);
	begin.gpu_api = GPU_API_CUDA;
	gst_pf_use_notes(&begin, &notes);
	use_submissions(&begin, &launches, &x->events);
	gst_pf_use_flows(&begin, &x->flows_in, &x->flows_out);
	gst_pf_put_event(x, SLICE_BEGIN, track, call->enter_ns, &begin);

	x->events.count = x->flows_out.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (x->has_render) {
			gst_pf_add_link(x, &x->events, in[i].source);
		}
		if (x->has_tracks) {
			gst_pf_add_link(x, &x->flows_in, gst_pf_flow_id(in[i].edge));
		}
	}
	if (x->flows_in.count) {
		GstPf__TrackEvent done = GST_PF__TRACK_EVENT__INIT;
		bool is_new;

		/* A flow that ended at the call's begin would point backwards. */
		done.has_name_iid = true;
		done.name_iid = gst_pf_name_iid(x, gst_pf_name_key(NAME_DONE, 0), &is_new);
		if (is_new) {
			gst_pf_put_name(x, done.name_iid, gst_pf_format(x, "sync done"));
		}
		gst_pf_use_flows(&done, &x->flows_in, &x->flows_out);
		gst_pf_put_event(x, SLICE_INSTANT, track, end_ns, &done);
	}
	gst_pf_use_waits(&end, &waited, &x->events);
	gst_pf_put_event(x, SLICE_END, track, end_ns, &end);
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

static uint64_t range_name(struct gst_pf_exporter *x, uint32_t string)
{
	bool is_new;
	uint64_t iid = gst_pf_name_iid(x, gst_pf_name_key(NAME_RANGE, string), &is_new);

	if (is_new) {
		gst_pf_put_name(x, iid,
				string ? gst_pf_clean_id(x, string)
				       : gst_pf_format(x, "(no name)"));
	}
	return iid;
}

/* Its payload, in the words of its type. */
static void note_payload(struct gst_pf_exporter *x, struct gst_pf_notes *notes,
			 const struct gst_range *r)
{
	double wide;
	float narrow;
	uint32_t low = (uint32_t)r->payload;

	switch (r->payload_type) {
	case 1: /* of 64 bits */
	case 4:
		gst_pf_note_number(notes, NOTE_PAYLOAD, r->payload_type == 4 ? low : r->payload);
		break;
	case 2:
	case 5: {
		GstPf__DebugAnnotation *d = gst_pf_add_note(notes, NOTE_PAYLOAD);

		d->has_int_value = true;
		d->int_value = r->payload_type == 5 ? (int32_t)low : (int64_t)r->payload;
		break;
	}
	case 3:
		memcpy(&wide, &r->payload, sizeof(wide));
		gst_pf_note_text_of(notes, NOTE_PAYLOAD, gst_pf_format(x, "%.17g", wide));
		break;
	case 6:
		memcpy(&narrow, &low, sizeof(narrow));
		gst_pf_note_text_of(notes, NOTE_PAYLOAD, gst_pf_format(x, "%.9g", (double)narrow));
		break;
	default: /* none, or one that we do not know */
		break;
	}
}

static void put_range_begin(struct gst_pf_exporter *x, uint32_t id, uint64_t track)
{
	const struct gst_range *r = &x->m->ranges[id];
	uint64_t category = CATEGORY_NVTX;
	struct gst_pf_notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT;

	begin.has_name_iid = true;
	begin.name_iid = range_name(x, r->name);
	if (r->domain) {
		gst_pf_note_string(&notes, NOTE_DOMAIN, gst_pf_string_value(x, r->domain));
	}
	if (r->category) {
		gst_pf_note_number(&notes, NOTE_NUMBER_OF_CATEGORY, r->category);
	}
	if (r->what == GST_NVTX_START) {
		gst_pf_note_number(&notes, NOTE_THREAD, x->m->threads[r->thread].tid);
	}
	if (r->end_ns == GST_RANGE_OPEN) {
		gst_pf_note_number(&notes, NOTE_INCOMPLETE, 1);
	}
	note_payload(x, &notes, r);
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	gst_pf_use_notes(&begin, &notes);
	gst_pf_put_event(x, r->what == GST_NVTX_MARK ? SLICE_INSTANT : SLICE_BEGIN, track,
			 r->begin_ns, &begin);
	gst_arena_reset(x->words);
}

void gst_pf_put_plain_end(struct gst_pf_exporter *x, uint64_t track, uint64_t ns)
{
	GstPf__TrackEvent end = GST_PF__TRACK_EVENT__INIT;

	gst_pf_put_event(x, SLICE_END, track, ns, &end);
}

/* End the ranges on the row that are over at @ns. */
static void end_ranges(struct gst_pf_exporter *x, struct row *row, uint64_t track, uint64_t ns)
{
	while (row->open.count > 0 && row->open.data[row->open.count - 1].end_ns <= ns) {
		gst_pf_put_plain_end(x, track, row->open.data[--row->open.count].end_ns);
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

static void collect_calls(const struct gst_pf_exporter *x, const struct gst_thread *t,
			  struct row *row)
{
	const struct gst_model *m = x->m;

	for (uint32_t i = 0; i < t->call_count; i++) {
		const struct gst_call *call = &m->calls[t->calls[i]];

		if (gst_pf_call_is_drawn(call)) {
			gst_vec_push(&row->items,
				     ((struct row_item){call->enter_ns, call_end(x, call),
							t->calls[i], false}));
		}
	}
}

/* All ranges of @thread: those that may stand on its row are items, the others stand apart. */
static void collect_ranges(struct gst_pf_exporter *x, uint32_t thread, struct row *row)
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
void gst_pf_put_thread(struct gst_pf_exporter *x, uint32_t thread)
{
	uint64_t track = gst_pf_thread_uuid(x, thread), free_ns = 0;
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
void gst_pf_put_ranges_apart(struct gst_pf_exporter *x)
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
			gst_pf_put_row(x, lane->uuid, gst_pf_process_uuid(process),
				       gst_pf_format(x, "NVTX ranges"), 0);
		}
		put_range_begin(x, order[i].value, lane->uuid);
		gst_pf_put_plain_end(x, lane->uuid, end_ns);
	}
	gst_lanes_release(&lanes);
	gst_mem_free(order, (x->apart.count + 1) * sizeof(*order));
}
