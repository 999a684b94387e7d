/*
 * export_perfetto.c - an analysis as a trace for the Perfetto viewer.
 *
 * Role      : walks the stages once and makes packets; docs/PERFETTO.md shows the result.
 * Method    : clock and definitions first, then each thread's calls, then all ops by begin, then
 *             findings; what needs a name is preceded by the packet that defines it. Sequence 1 has
 *             everything but track descriptors, which are sequence 2 (no state there).
 * Invariant : ids are defined before use; slices of one track follow each other; a slice's end has no name;
 *             waits stand on ends of slices, launches on begins of calls; an arrow is one edge.
 * Not here  : packets and names (_words.c), what has no time (_defs.c), threads (_calls.c), which edges are arrows
 *             (_arrows.c), rows (_lanes.c), bytes (_stream.c).
 */
#include "analyzer/export/export_perfetto_parts.h"

#include <string.h>

#include "analyzer/base/sort.h"
#include "analyzer/export/export_names.h"
#include "analyzer/timing/critical.h"

/* ---- ops ---------------------------------------------------------------------------------------------- */

/* Arguments of a launch, in arrays on the stack. */
struct arguments {
	GstPf__ComputeArg data[ARGUMENT_COUNT], *list[ARGUMENT_COUNT];
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
static void put_stage(struct gst_pf_exporter *x, gst_op_id id, uint64_t name, uint64_t rules)
{
	const struct gst_model *m = x->m;
	const struct gst_op *op = &m->ops[id];
	uint32_t number = gst_pf_place_of(x, op);
	const struct gst_pf_place *place = &x->places[number];
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
		a->string_value_iid = gst_pf_rules_value(x, rules);
	}
	launch.n_args = arguments.count;
	launch.args = arguments.list;
	e.has_event_id = e.has_duration = e.has_context = true;
	e.event_id = id;
	e.duration = gst_pf_file_ns(x, op->end_ns) - gst_pf_file_ns(x, op->begin_ns);
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
	p.timestamp = gst_pf_file_ns(x, op->begin_ns);
	p.gpu_render_stage_event = &e;
	gst_pf_put(x, &p);
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
static uint64_t row_at(struct gst_pf_exporter *x, uint32_t number, uint64_t begin_ns,
		       uint64_t end_ns)
{
	struct gst_pf_place *place = &x->places[number];
	struct gst_lane *lane = gst_lanes_take(&place->lanes, begin_ns, end_ns);

	if (!lane->uuid) {
		lane->uuid = x->next_uuid++;
		gst_pf_put_row(x, lane->uuid, gst_pf_ctx_uuid(x, place->ctx),
			       gst_pf_place_name(x, number), gst_pf_place_rank(x, number));
	}
	return lane->uuid;
}

/* The same op as a slice on the track of its stream. */
static void put_slice(struct gst_pf_exporter *x, gst_op_id id, uint64_t name, uint64_t rules)
{
	const struct gst_model *m = x->m;
	const struct gst_op *op = &m->ops[id];
	uint64_t row = row_at(x, gst_pf_track_of(x, op), op->begin_ns, op->end_ns);
	uint64_t category = op_category(op), bytes;
	uint32_t range;
	struct gst_pf_notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT, end = begin;

	gst_pf_note_number(&notes, NOTE_OP, id);
	if (op->call != GST_NONE) {
		gst_pf_note_number(&notes, NOTE_CORRELATION, m->calls[op->call].corr);
	}
	if (op_bytes(m, op, &bytes)) {
		gst_pf_note_number(&notes, NOTE_BYTES, bytes);
	}
	if (op->flags & GST_OP_NODE && op->parent != GST_NONE) {
		gst_pf_note_number(&notes, NOTE_GRAPH_LAUNCH, op->parent);
	}
	if (rules) {
		gst_pf_note_string(&notes, NOTE_WAIT_KIND, gst_pf_rules_value(x, rules));
	}
	range = op->call == GST_NONE ? GST_NONE : gst_call_range(m, op->call);
	if (range != GST_NONE && m->ranges[range].name) {
		gst_pf_note_string(&notes, NOTE_NVTX_RANGE,
				   gst_pf_string_value(x, m->ranges[range].name));
	}
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	begin.has_name_iid = true;
	begin.name_iid = name;
	gst_pf_use_notes(&begin, &notes);
	gst_pf_use_flows(&begin, &x->flows_in, &x->flows_out);
	gst_pf_put_event(x, SLICE_BEGIN, row, op->begin_ns, &begin);
	gst_pf_put_event(x, SLICE_END, row, op->end_ns, &end);
}

static uint64_t memop_name(struct gst_pf_exporter *x, const struct gst_memop *op)
{
	static const char *const names[] = {"memory operation",	   "wait for value", "write value",
					    "flush remote writes", "wait for value", "write value",
					    "memory barrier"};
	uint32_t type = op->type < COUNT(names) ? op->type : GST_MEMOP_UNKNOWN;
	bool is_new;
	uint64_t iid = gst_pf_name_iid(x, gst_pf_name_key(NAME_MEMOP, type), &is_new);

	if (is_new) {
		gst_pf_put_op_name(x, iid, gst_pf_format(x, "%s", names[type]), NULL);
	}
	return iid;
}

/* An empty slice on the track of its stream: where it is, not how long it took. */
static void put_moment(struct gst_pf_exporter *x, gst_op_id id, uint64_t at_ns)
{
	const struct gst_op *op = &x->m->ops[id];
	const struct gst_memop *memop = &x->m->memops[op->detail];
	uint64_t name = memop_name(x, memop), category = CATEGORY_OTHER_OP;
	uint64_t row = row_at(x, gst_pf_place_of(x, op), at_ns, at_ns);
	struct gst_pf_notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT, end = begin;

	gst_pf_note_number(&notes, NOTE_MEMORY_OP, id);
	gst_pf_note_number(&notes, NOTE_CORRELATION, x->m->calls[op->call].corr);
	gst_pf_note_number(&notes, NOTE_ADDRESS, memop->address);
	gst_pf_note_number(&notes, NOTE_VALUE, memop->value);
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	begin.has_name_iid = true;
	begin.name_iid = name;
	gst_pf_use_notes(&begin, &notes);
	gst_pf_put_event(x, SLICE_BEGIN, row, at_ns, &begin);
	gst_pf_put_event(x, SLICE_END, row, at_ns, &end);
}

static void put_op(struct gst_pf_exporter *x, gst_op_id id)
{
	const struct gst_model *m = x->m;
	const struct gst_op *op = &m->ops[id];
	gst_op_id launch = id;
	gst_edge_id edge;
	const struct gst_arrow *arrows;
	uint64_t name = gst_pf_op_name(x, id), rules = 0;
	uint32_t count;

	x->events.count = x->flows_in.count = x->flows_out.count = 0;
	if (op->flags & GST_OP_NODE) {
		launch = op->parent;
	}
	if (launch != GST_NONE && gst_arrows_launched(&x->arrows, m, x->o, launch, &edge) == id &&
	    gst_pf_launch_has_flow(x, &m->calls[m->ops[launch].call], id)) {
		gst_pf_add_link(x, &x->flows_in, gst_pf_flow_id(edge));
	}
	arrows = gst_arrows_into(&x->arrows, gst_node_of_op(id), &count);
	for (uint32_t i = 0; i < count; i++) {
		gst_pf_add_link(x, &x->events, arrows[i].source);
		gst_pf_add_link(x, &x->flows_in, gst_pf_flow_id(arrows[i].edge));
		rules |= UINT64_C(1) << gst_order_edge(x->o, arrows[i].edge).rule;
	}
	if (rules) {
		/* Defined here: the packets below must not be interrupted. */
		gst_pf_rules_value(x, rules);
	}
	if (x->has_render) {
		put_stage(x, id, name, rules);
	}
	if (x->has_tracks) {
		arrows = gst_arrows_from(&x->arrows, id, &count);
		for (uint32_t i = 0; i < count; i++) {
			bool to_call = gst_node_is_call(x->o, arrows[i].target);

			if (!to_call ||
			    gst_pf_call_is_drawn(&m->calls[arrows[i].target - m->op_count])) {
				gst_pf_add_link(x, &x->flows_out, gst_pf_flow_id(arrows[i].edge));
			}
		}
		put_slice(x, id, name, rules);
	}
}

/* By begin, then end, then id: an empty slice comes before a longer one that begins with it. */
static void put_ops(struct gst_pf_exporter *x)
{
	const struct gst_model *m = x->m;
	GST_VEC(struct gst_sort_item) items = {0};
	uint64_t at_ns;

	gst_vec_reserve(&items, x->ops_drawn + x->memory_ops_drawn);
	for (gst_op_id i = 0; i < m->op_count; i++) {
		if (gst_pf_is_drawn(&m->ops[i])) {
			gst_vec_push(&items,
				     ((struct gst_sort_item){.key = m->ops[i].end_ns, .value = i}));
		} else if (gst_pf_is_moment(x, i, &at_ns)) {
			gst_vec_push(&items, ((struct gst_sort_item){.key = at_ns, .value = i}));
		}
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count; i++) {
		if (gst_pf_is_drawn(&m->ops[items.data[i].value])) {
			items.data[i].key = m->ops[items.data[i].value].begin_ns;
		}
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count && !gst_pf_stream_failed(x->stream); i++) {
		if (gst_pf_is_moment(x, items.data[i].value, &at_ns)) {
			put_moment(x, items.data[i].value, at_ns);
		} else {
			put_op(x, items.data[i].value);
		}
	}
	gst_vec_free(&items);
}

/* ---- findings ------------------------------------------------------------------------------------------ */

static void put_occurrence(struct gst_pf_exporter *x, uint32_t number,
			   const struct gst_occurrence *o, uint64_t track)
{
	const struct gst_finding *f = &x->a->findings->items[number];
	uint64_t end_ns = o->end_ns < o->begin_ns ? o->begin_ns : o->end_ns;
	uint64_t category = CATEGORY_FINDING;
	struct gst_pf_notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT, end = begin;
	GstPf__GpuCorrelation waited = GST_PF__GPU_CORRELATION__INIT;
	gst_op_id culprit = o->culprit == GST_NONE ? GST_NONE : x->arrows.last[o->culprit];
	bool is_new;

	begin.has_name_iid = true;
	begin.name_iid = gst_pf_name_iid(x, gst_pf_name_key(NAME_FINDING, number), &is_new);
	if (is_new) {
		gst_pf_put_name(x, begin.name_iid, gst_pf_clean(x, f->title));
	}
	/* What defines a string comes first: it ends the life of texts that are not defined so. */
	if (f->advice) {
		gst_pf_note_string(&notes, NOTE_ADVICE,
				   gst_pf_finding_value(x, number, true, f->advice));
	}
	if (f->withheld) {
		gst_pf_note_string(&notes, NOTE_WITHHELD,
				   gst_pf_finding_value(x, number, false, f->withheld));
	}
	gst_pf_note_number(&notes, NOTE_NUMBER, (uint64_t)number + 1);
	gst_pf_note_text_of(&notes, NOTE_SEVERITY, gst_pf_clean(x, gst_severity_name(f->severity)));
	if (f->cost_is_known) {
		if (!f->cost_is_bound) {
			gst_pf_note_number(&notes, NOTE_COST, f->cost_ns);
		}
		gst_pf_note_number(&notes, NOTE_COST_LOW, f->cost_low_ns);
		gst_pf_note_number(&notes, NOTE_COST_HIGH, f->cost_high_ns);
	}
	gst_pf_note_number(&notes, NOTE_BLOCKED, o->blocked_ns);
	if (o->waiter != GST_NONE) {
		gst_pf_note_number(&notes, NOTE_WAITER, o->waiter);
	}
	if (o->culprit != GST_NONE) {
		gst_pf_note_number(&notes, NOTE_CULPRIT, o->culprit);
	}
	if (o->call != GST_NONE) {
		char name[128];

		gst_name_api(x->m->calls[o->call].api, name, sizeof(name));
		gst_pf_note_text_of(&notes, NOTE_CALL, gst_pf_clean(x, name));
	}
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	gst_pf_use_notes(&begin, &notes);
	gst_pf_put_event(x, SLICE_BEGIN, track, o->begin_ns, &begin);
	gst_arena_reset(x->words);

	x->events.count = 0;
	if (culprit != GST_NONE && x->has_render) {
		gst_pf_add_link(x, &x->events, culprit);
	}
	gst_pf_use_waits(&end, &waited, &x->events);
	gst_pf_put_event(x, SLICE_END, track, end_ns, &end);
}

/* All occurrences of the findings of one kind, on rows of one name. */
static void put_kind(struct gst_pf_exporter *x, const char *kind, uint32_t rank)
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
			gst_pf_put_row(x, lane->uuid, gst_pf_findings_uuid(x),
				       gst_pf_clean(x, kind), rank);
		}
		put_occurrence(x, items.data[i].value, o, lane->uuid);
	}
	gst_lanes_release(&lanes);
	gst_vec_free(&items);
}

static void put_findings(struct gst_pf_exporter *x)
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
	gst_pf_put_track(x, &root, gst_pf_findings_uuid(x), 0);
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

static uint64_t segment_name(struct gst_pf_exporter *x, const struct gst_segment *g)
{
	bool is_new;
	uint64_t iid;

	switch ((enum gst_cause)g->cause) {
	case GST_CAUSE_KERNEL:
	case GST_CAUSE_COPY:
	case GST_CAUSE_GRAPH:
	case GST_CAUSE_HOST_FUNC:
		return gst_pf_op_name(x, g->node);
	case GST_CAUSE_CALL:
		return gst_pf_api_name(x, x->m->calls[g->node - x->m->op_count].api);
	default: /* gaps have the name of their cause */
		break;
	}
	iid = gst_pf_name_iid(x, gst_pf_name_key(NAME_CAUSE, g->cause), &is_new);
	if (is_new) {
		gst_pf_put_name(x, iid,
				gst_pf_format(x, "%s", gst_cause_name((enum gst_cause)g->cause)));
	}
	return iid;
}

static void note_node(const struct gst_pf_exporter *x, struct gst_pf_notes *notes, gst_node_id node)
{
	if (node == GST_NONE) {
		return;
	}
	if (gst_node_is_op(x->o, node)) {
		gst_pf_note_number(notes, NOTE_CRITICAL_OP, node);
	} else if (gst_node_is_call(x->o, node)) {
		gst_pf_note_number(notes, NOTE_CRITICAL_CALL, node - x->m->op_count);
	}
}

static void put_segment(struct gst_pf_exporter *x, const struct gst_segment *g)
{
	uint64_t category = CATEGORY_CRITICAL;
	struct gst_pf_notes notes = {.count = 0};
	GstPf__TrackEvent begin = GST_PF__TRACK_EVENT__INIT;

	begin.has_name_iid = true;
	begin.name_iid = segment_name(x, g);
	if (g->edge != GST_NONE) {
		gst_pf_note_string(
			&notes, NOTE_RULE,
			gst_pf_rules_value(x, UINT64_C(1) << gst_order_edge(x->o, g->edge).rule));
	}
	gst_pf_note_text_of(&notes, NOTE_CAUSE, (char *)gst_cause_name((enum gst_cause)g->cause));
	if (g->unknown) {
		gst_pf_note_text_of(&notes, NOTE_UNKNOWN,
				    (char *)gst_unknown_name((enum gst_unknown)g->unknown));
	}
	note_node(x, &notes, g->node);
	if (g->from != GST_NONE && gst_node_is_op(x->o, g->from)) {
		gst_pf_note_number(&notes, NOTE_FROM_OP, g->from);
	}
	if (g->held_ns != UINT64_MAX) {
		gst_pf_note_number(&notes, NOTE_HELD, g->held_ns);
	}
	begin.n_category_iids = 1;
	begin.category_iids = &category;
	gst_pf_use_notes(&begin, &notes);
	gst_pf_put_event(x, SLICE_BEGIN, gst_pf_critical_uuid(x), g->begin_ns, &begin);
	gst_pf_put_plain_end(x, gst_pf_critical_uuid(x), g->end_ns);
	gst_arena_reset(x->words);
}

static void put_critical(struct gst_pf_exporter *x)
{
	GstPf__TrackDescriptor root = GST_PF__TRACK_DESCRIPTOR__INIT;
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_critical c;

	gst_timing_critical(x->a->timing, GST_NONE, arena, &c);
	if (c.segment_count > 0) {
		root.name = (char *)"gstrace critical path";
		root.description =
			(char *)"What the end of the run hung on, moment by moment, as `gstrace critical` tells it.";
		gst_pf_put_track(x, &root, gst_pf_critical_uuid(x), 0);
	}
	for (uint32_t i = 0; i < c.segment_count && !gst_pf_stream_failed(x->stream); i++) {
		put_segment(x, &c.segments[i]);
	}
	gst_arena_free(arena);
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

gst_status gst_export_perfetto(const struct gst_analysis *a, const struct gst_perfetto_options *opt,
			       struct gst_outfile *out, struct gst_err *err)
{
	const struct gst_model *m = a->model;
	bool has_choice = opt && (opt->render_stages || opt->tracks);
	struct gst_pf_exporter x = {.a = a, .m = m, .o = a->order};

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
	x.next_uuid = gst_pf_critical_uuid(&x) + 1;
	x.next_iid = (uint64_t)x.place_count + 1;
	gst_arrows_build(m, a->order, a->timing, &x.arrows);
	gst_pf_find_places(&x);
	gst_pf_choose_pids(&x);

	gst_pf_put_clock(&x);
	gst_pf_put_uuid(&x);
	gst_pf_put_attributes(&x);
	gst_pf_put_gpus(&x);
	for (uint32_t i = 0; i < x.process_count; i++) {
		gst_pf_put_process(&x, i);
	}
	gst_pf_put_threads(&x);
	gst_pf_put_word_tables(&x);
	gst_pf_put_places(&x);
	for (uint32_t i = 0; i < m->thread_count; i++) {
		gst_pf_put_thread(&x, i);
	}
	gst_pf_put_ranges_apart(&x);
	put_ops(&x);
	put_findings(&x);
	put_critical(&x);
	gst_pf_put_left_out(&x);

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
