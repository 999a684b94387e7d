/*
 * model_ops.c - the ops of a call: from its device records, or from the call alone.
 *
 * Role      : part of the walk of model_resolve.c.
 * Method    : what ran is believed, whatever the call said: each device record of work is an op. A graph launch is an
 *             op and its nodes after it; event nodes, of which no record tells, are added from the graph's definition.
 * Invariant : ops of one call are neighbours; an op of a call that left no record says so by its flags.
 * Not here  : the stream that a call names (model_resolve.c), which event a node means (model_graphs.c).
 */
#include "analyzer/base/sort.h"
#include "analyzer/model/model_walk.h"

/* External semaphores are of the same class, and of a kind without rules. */
static bool is_memop(const struct gst_call *c)
{
	const struct gst_api *api = gst_api_find(c->api);

	return api && (api->layout == GST_PARAMS_MEMOP_32 || api->layout == GST_PARAMS_MEMOP_64 ||
		       api->layout == GST_PARAMS_MEMOP_BATCH);
}

enum gst_op_kind gst_model_submits(const struct gst_call *c)
{
	const struct gst_api *api;

	switch ((enum gst_api_class)c->cls) {
	case GST_API_CLASS_LAUNCH:
		return GST_OP_KERNEL;
	case GST_API_CLASS_COPY:
		return GST_OP_MEMCPY;
	case GST_API_CLASS_MEMSET:
		return GST_OP_MEMSET;
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_EVENT_WAIT:
		/* Of a context that is not known: nothing is known of it. */
		if (gst_model_is_about_context(c) && c->ctx == GST_NONE)
			return GST_OP_OPAQUE;
		return c->cls == GST_API_CLASS_EVENT_RECORD ? GST_OP_EVENT_RECORD
							    : GST_OP_EVENT_WAIT;
	case GST_API_CLASS_HOST_FUNC:
	case GST_API_CLASS_STREAM_CALLBACK:
		return GST_OP_HOST_FUNC;
	case GST_API_CLASS_GRAPH_LAUNCH:
		return GST_OP_GRAPH_LAUNCH;
	case GST_API_CLASS_ALLOC_ASYNC:
		return GST_OP_ALLOC;
	case GST_API_CLASS_FREE_ASYNC:
		return GST_OP_FREE;
	case GST_API_CLASS_MEMOP:
		return is_memop(c) ? GST_OP_MEMOP : GST_OP_OPAQUE;
	case GST_API_CLASS_GRAPH_UPLOAD:
	case GST_API_CLASS_PREFETCH:
		return GST_OP_OPAQUE;
	case GST_API_CLASS_OTHER:
		/* Graphics interop, sparse mapping, attach: in their stream's order, no more is known. */
		api = gst_api_find(c->api);
		if (!api)
			return GST_OP_KIND_COUNT;
		if (api->layout == GST_PARAMS_STREAM_AT_16 ||
		    api->layout == GST_PARAMS_STREAM_AT_24 ||
		    api->layout == GST_PARAMS_STREAM_AT_32 ||
		    !strcmp(api->name, "cuStreamAttachMemAsync"))
			return GST_OP_OPAQUE;
		return GST_OP_KIND_COUNT;
	case GST_API_CLASS_EVENT_CREATE:
	case GST_API_CLASS_EVENT_SYNC:
	case GST_API_CLASS_EVENT_QUERY:
	case GST_API_CLASS_EVENT_DESTROY:
	case GST_API_CLASS_EVENT_ELAPSED:
	case GST_API_CLASS_STREAM_CREATE:
	case GST_API_CLASS_STREAM_DESTROY:
	case GST_API_CLASS_STREAM_SYNC:
	case GST_API_CLASS_STREAM_QUERY:
	case GST_API_CLASS_CTX_SYNC:
	case GST_API_CLASS_CTX_CREATE:
	case GST_API_CLASS_CTX_DESTROY:
	case GST_API_CLASS_DEVICE_RESET:
	case GST_API_CLASS_CAPTURE_BEGIN:
	case GST_API_CLASS_CAPTURE_END:
	case GST_API_CLASS_GRAPH_INSTANTIATE:
	case GST_API_CLASS_GRAPH_UPDATE:
	case GST_API_CLASS_GRAPH_DESTROY:
	case GST_API_CLASS_GRAPH_BUILD:
	case GST_API_CLASS_ALLOC:
	case GST_API_CLASS_FREE:
	case GST_API_CLASS_HOST_ALLOC:
	case GST_API_CLASS_HOST_FREE:
	case GST_API_CLASS_HOST_REGISTER:
	case GST_API_CLASS_HOST_UNREGISTER:
	case GST_API_CLASS_POOL:
	case GST_API_CLASS_MODULE:
	case GST_API_CLASS_LIMIT:
	case GST_API_CLASS_PEER:
	case GST_API_CLASS_PROFILER:
	case GST_API_CLASS_COUNT:
		break;
	}
	return GST_OP_KIND_COUNT;
}

struct gst_op *gst_model_add_op(struct gst_builder *b, enum gst_op_kind kind, gst_call_id call,
				gst_stream_id stream)
{
	struct gst_op *op;

	/* Who follows the walk reads them: they may not move. */
	if (b->ops.count == b->ops.cap)
		gst_progress_end(&b->walked);
	op = gst_vec_extend(&b->ops, 1);
	*op = (struct gst_op){.call = call,
			      .stream = stream,
			      .parent = GST_NONE,
			      .detail = GST_NONE,
			      .event = GST_NONE,
			      .kind = (uint8_t)kind};
	if (kind == GST_OP_OPAQUE)
		b->m->stats.opaque_ops++;
	return op;
}

void gst_model_set_times(struct gst_builder *b, struct gst_op *op, const struct gst_raw_dev *d)
{
	if (d->flags & GST_DEVICE_FLAG_FORCED)
		op->flags |= GST_OP_FORCED;
	if (d->bits & RAW_DEV_TIMED) {
		op->begin_ns = d->begin_ns;
		op->end_ns = d->end_ns;
		op->flags |= GST_OP_TIMED;
		/* The thread that copies stamps it before it waits for the stream: H200, CUPTI 13.0. */
		if (d->kind == DEV_KIND(MEMCPY) && !(d->bits & RAW_DEV_NODE) &&
		    b->copies.data[d->detail].copy_kind == GST_COPY_HTOH) {
			op->flags |= GST_OP_EARLY_BEGIN;
			b->m->stats.early_begins++;
		}
	} else {
		op->flags |= GST_OP_BAD_TIME;
		b->m->stats.bad_times++;
	}
}

static uint64_t node_of_dev(const struct gst_builder *b, const struct gst_raw_dev *d)
{
	switch (d->kind) {
	case DEV_KIND(KERNEL):
		return b->kernels.data[d->detail].graph_node;
	case DEV_KIND(MEMCPY):
		return b->copies.data[d->detail].graph_node;
	case DEV_KIND(MEMSET):
		return b->memsets.data[d->detail].graph_node;
	case DEV_KIND(HOST_RUN):
		return (uint64_t)d->sync_id << 32 | d->name;
	default:
		return 0;
	}
}

struct gst_op *gst_model_add_dev_op(struct gst_builder *b, uint32_t process, struct gst_raw_dev *d,
				    gst_call_id call, gst_op_id parent)
{
	struct gst_op *op = gst_model_add_op(b, gst_model_kind_of_dev(d), call,
					     gst_model_lane_of_dev(b, d->lane));

	op->parent = parent;
	if (d->kind != DEV_KIND(GRAPH_RUN))
		op->detail = d->detail;
	if (d->kind == DEV_KIND(KERNEL))
		op->name = d->name;
	if (d->bits & RAW_DEV_NODE) {
		uint64_t node = node_of_dev(b, d);

		op->flags |= GST_OP_NODE;
		op->graph_node = gst_model_graph_node(b, process, node);
		b->m->stats.undefined_nodes += node && op->graph_node == GST_NONE;
	}
	if (call == GST_NONE) {
		op->flags |= GST_OP_NO_CALL;
		if (!d->corr && d->bits & RAW_DEV_NODE)
			b->m->stats.nodes_without_launch++;
		else
			b->m->stats.ops_without_call++;
	}
	gst_model_set_times(b, op, d);
	return op;
}

/* Earlier first; what came first in the file if that does not tell. */
static bool dev_is_before(const struct gst_builder *b, const struct gst_raw_dev *x,
			  const struct gst_raw_dev *y)
{
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns;
	return b->dev_lanes.data[x->lane].stream < b->dev_lanes.data[y->lane].stream;
}

/* Device records from @dev on that are ops of their own or nodes, by time, into b->found, which is empty. */
static void gather(struct gst_builder *b, uint32_t process, uint32_t dev)
{
	const struct gst_raw_dev *devs = b->processes.data[process].devs.data;
	bool is_sorted = true;

	for (uint32_t d = dev; d != GST_NONE; d = devs[d].next) {
		if (gst_model_kind_of_dev(&devs[d]) == GST_OP_KIND_COUNT)
			continue;
		if (b->found.count &&
		    dev_is_before(b, &devs[d], &devs[b->found.data[b->found.count - 1]]))
			is_sorted = false;
		gst_vec_push(&b->found, d);
	}
	if (!is_sorted && b->found.count < 16) {
		for (size_t i = 1; i < b->found.count; i++) {
			uint32_t moved = b->found.data[i];
			size_t at = i;

			for (; at && dev_is_before(b, &devs[moved], &devs[b->found.data[at - 1]]);
			     at--)
				b->found.data[at] = b->found.data[at - 1];
			b->found.data[at] = moved;
		}
	} else if (!is_sorted) {
		struct gst_sort_item *items = gst_mem_alloc(b->found.count * sizeof(*items));

		/* Least key first: the sort is stable. */
		for (int pass = 0; pass < 3; pass++) {
			for (size_t i = 0; i < b->found.count; i++) {
				const struct gst_raw_dev *d = &devs[b->found.data[i]];

				items[i].key = pass == 0   ? b->dev_lanes.data[d->lane].stream
					       : pass == 1 ? d->end_ns
							   : d->begin_ns;
				items[i].value = b->found.data[i];
			}
			gst_sort_items(items, b->found.count);
			for (size_t i = 0; i < b->found.count; i++)
				b->found.data[i] = items[i].value;
		}
		gst_mem_free(items, b->found.count * sizeof(*items));
	}
}

/* More event nodes than this for each call and record cannot be what a program did: they are cut. */
#define EVENT_NODES_FREE 4096u

static struct gst_op *add_event_node(struct gst_builder *b, gst_op_id launch, enum gst_op_kind kind,
				     uint32_t node)
{
	const struct gst_op *l = &b->ops.data[launch];
	gst_call_id call = l->call;
	struct gst_op *op = gst_model_add_op(b, kind, call, l->stream);

	op->parent = launch;
	op->flags |= GST_OP_NODE;
	op->detail = node;
	b->event_node_ops++;
	return op;
}

/* The event nodes of what @exec runs; none if there would be more than the trace can mean. */
static const uint32_t *event_nodes_of(struct gst_builder *b, uint32_t process, uint32_t exec,
				      uint32_t *count)
{
	uint64_t most = EVENT_NODES_FREE +
			2 * ((uint64_t)b->m->call_count + b->processes.data[process].devs.count);
	const struct gst_graph *g;

	*count = 0;
	if (exec == GST_NONE || b->execs.data[exec].graph == GST_NONE)
		return NULL;
	g = &b->graphs.data[b->execs.data[exec].graph];
	if (g->event_count && b->event_node_ops >= most) {
		b->m->stats.cut_event_nodes += g->event_count;
		return NULL;
	}
	if (!g->event_count)
		return NULL;
	*count = g->event_count;
	return b->graph_event_nodes.data + g->first_event;
}

/*
 * E6: event records and waits that are nodes act at every launch, and have no device record of their own but
 * CUPTI's word that an event was recorded. Waits stand before all other nodes of the launch, records after them.
 */
static void add_wait_nodes(struct gst_builder *b, gst_op_id launch, uint32_t exec,
			   const uint32_t *nodes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		gst_event_id event;

		if (b->graph_nodes.data[nodes[i]].type != GST_NODE_WAIT_EVENT)
			continue;
		event = gst_model_node_event(b, exec, nodes[i], b->ops.data[launch].call);
		add_event_node(b, launch, GST_OP_EVENT_WAIT, nodes[i])->event = event;
	}
}

static void set_event_dev(struct gst_op *op, const struct gst_raw_dev *d)
{
	op->sync_id = d->sync_id;
	if (d->bits & RAW_DEV_TIMED) {
		op->begin_ns = op->end_ns = d->begin_ns;
		op->flags |= GST_OP_TIMED;
	}
}

uint32_t gst_model_tell_record_nodes(struct gst_builder *b, uint32_t process, gst_op_id first,
				     uint32_t count, uint32_t dev, uint32_t *left)
{
	const struct gst_raw_process *p = &b->processes.data[process];
	struct gst_map by_event = {0};
	uint32_t told = 0;
	uint32_t last = GST_NONE;

	for (uint32_t d = dev; d != GST_NONE; d = p->devs.data[d].next) {
		if (p->devs.data[d].kind == DEV_KIND(EVENT)) {
			last = d;
			told++;
		}
	}
	if (told == 1 && count == 1 && !b->ops.data[first].sync_id) {
		gst_event_id event = GST_NONE;

		(void)gst_map_get(&p->event_ids, p->devs.data[last].name, &event);
		if (event == GST_NONE || b->ops.data[first].event == GST_NONE ||
		    event == b->ops.data[first].event) {
			if (b->ops.data[first].event == GST_NONE)
				b->ops.data[first].event = event;
			set_event_dev(&b->ops.data[first], &p->devs.data[last]);
			return 0;
		}
	}
	for (uint32_t i = 0; told && i < count; i++) {
		if (b->ops.data[first + i].event != GST_NONE && !b->ops.data[first + i].sync_id)
			(void)gst_map_add(&by_event, b->ops.data[first + i].event, first + i, NULL);
	}
	for (uint32_t d = dev; d != GST_NONE; d = p->devs.data[d].next) {
		gst_event_id event;
		uint32_t op;

		if (p->devs.data[d].kind != DEV_KIND(EVENT))
			continue;
		if (gst_map_get(&p->event_ids, p->devs.data[d].name, &event) &&
		    gst_map_get(&by_event, event, &op)) {
			set_event_dev(&b->ops.data[op], &p->devs.data[d]);
			(void)gst_map_remove(&by_event, event);
			told--;
		} else if (left) {
			*left++ = d;
		}
	}
	gst_map_release(&by_event);
	return told;
}

static void add_record_nodes(struct gst_builder *b, uint32_t process, gst_op_id launch,
			     uint32_t exec, const uint32_t *nodes, uint32_t count, uint32_t dev)
{
	struct gst_raw_process *p = &b->processes.data[process];
	gst_op_id first = (gst_op_id)b->ops.count;
	uint32_t devs = 0;
	uint32_t records, left;

	for (uint32_t d = dev; d != GST_NONE; d = p->devs.data[d].next)
		devs += p->devs.data[d].kind == DEV_KIND(EVENT);
	for (uint32_t i = 0; i < count; i++) {
		gst_event_id event;

		if (b->graph_nodes.data[nodes[i]].type != GST_NODE_RECORD_EVENT)
			continue;
		event = gst_model_node_event(b, exec, nodes[i], b->ops.data[launch].call);
		add_event_node(b, launch, GST_OP_EVENT_RECORD, nodes[i])->event = event;
	}
	if (!devs)
		return;
	records = (uint32_t)b->ops.count - first;
	gst_vec_clear(&b->found);
	(void)gst_vec_extend(&b->found, devs);
	left = gst_model_tell_record_nodes(b, process, first, records, dev, b->found.data);
	/* Which event has which number may show later: those that are left may be what these nodes did. */
	if (left && records > devs - left) {
		gst_vec_push(&b->untold, (struct gst_untold){process, first, records, dev});
		if (left <= records - (devs - left))
			return;
	}
	/* Records that no node explains: of graphs whose definitions do not say what their nodes do. */
	for (uint32_t i = 0; i < left; i++) {
		const struct gst_raw_dev *d = &p->devs.data[b->found.data[i]];
		struct gst_op *op = add_event_node(b, launch, GST_OP_EVENT_RECORD, GST_NONE);

		(void)gst_map_get(&p->event_ids, d->name, &op->event);
		set_event_dev(op, d);
	}
}

/* The graph that all records of a launch name, its id of CUPTI; 0 = they do not agree. */
static uint32_t graph_of_records(const struct gst_builder *b, uint32_t process)
{
	const struct gst_raw_process *p = &b->processes.data[process];
	uint32_t graph = 0;

	for (size_t i = 0; i < b->found.count; i++) {
		const struct gst_raw_dev *d = &p->devs.data[b->found.data[i]];

		if (d->kind == DEV_KIND(GRAPH_RUN))
			return d->detail;
		if (i && d->sync_id != graph)
			return 0;
		graph = d->sync_id;
	}
	return graph;
}

/* Are all nodes of the program in @graph among those of the launch that is op @launch? */
static bool has_all_nodes(const struct gst_builder *b, gst_op_id launch, uint32_t graph)
{
	uint32_t last = GST_NONE;
	uint32_t seen = 0;

	for (size_t i = launch + 1; i < b->ops.count; i++) {
		uint32_t node = gst_op_graph_node(&b->ops.data[i]);

		if (node == GST_NONE || b->graph_nodes.data[node].graph != graph || node == last)
			continue;
		last = node;
		seen++;
	}
	return seen && seen == b->graphs.data[graph].own_count;
}

/* Nodes of its graph ran for which CUPTI names no call: they may be of any of its launches. */
static bool runs_untold_nodes(const struct gst_builder *b, uint32_t process, uint32_t exec)
{
	uint32_t graph = exec == GST_NONE ? GST_NONE : b->execs.data[exec].graph;
	uint32_t unused;

	return graph != GST_NONE && gst_map_get(&b->processes.data[process].untold,
						b->graphs.data[graph].cupti_id, &unused);
}

/* A graph launch: its own op, then its nodes. */
static void add_graph_ops(struct gst_builder *b, uint32_t process, gst_call_id id, uint32_t dev)
{
	struct gst_call *c = &b->m->calls[id];
	struct gst_raw_process *p = &b->processes.data[process];
	gst_op_id launch = (gst_op_id)b->ops.count;
	const struct gst_raw_dev *run = NULL;
	uint64_t begin_ns = UINT64_MAX;
	uint64_t end_ns = 0;
	uint32_t expected = 0;
	uint32_t graph = 0;
	uint32_t exec = gst_model_exec_of(b, process, id);
	const uint32_t *event_nodes;
	uint32_t event_count;
	uint32_t nodes = 0;
	bool all_timed = true;
	struct gst_op *op;

	op = gst_model_add_op(b, GST_OP_GRAPH_LAUNCH, id, c->stream);
	op->detail = exec;
	if (exec != GST_NONE)
		gst_model_exec_runs(b, exec, graph_of_records(b, process));
	event_nodes = event_nodes_of(b, process, exec, &event_count);
	add_wait_nodes(b, launch, exec, event_nodes, event_count);
	for (size_t i = 0; i < b->found.count; i++) {
		struct gst_raw_dev *d = &p->devs.data[b->found.data[i]];

		if (d->kind == DEV_KIND(GRAPH_RUN)) {
			run = d;
			continue;
		}
		/* Whatever a launch submits is its node, also where the record does not say so. */
		d->bits |= RAW_DEV_NODE;
		(void)gst_model_add_dev_op(b, process, d, id, launch);
		nodes++;
		graph = d->sync_id ? d->sync_id : graph;
		if (!(d->bits & RAW_DEV_TIMED)) {
			all_timed = false;
			continue;
		}
		begin_ns = d->begin_ns < begin_ns ? d->begin_ns : begin_ns;
		end_ns = d->end_ns > end_ns ? d->end_ns : end_ns;
	}
	op = &b->ops.data[launch];
	if (run)
		op->stream = gst_model_lane_of_dev(b, run->lane);
	add_record_nodes(b, process, launch, exec, event_nodes, event_count, dev);
	op = &b->ops.data[launch];
	if (run && run->bits & RAW_DEV_TIMED) {
		gst_model_set_times(b, op, run);
		return;
	}
	if (!nodes && p->out.trace.options & GST_TRACE_NO_DEVICE)
		return;
	if (!nodes) {
		op->flags |= GST_OP_NO_RECORD;
		if (runs_untold_nodes(b, process, exec))
			b->m->stats.launches_without_nodes++;
		else
			b->m->stats.ops_without_record++;
		return;
	}
	if (begin_ns > end_ns)
		return;
	op->begin_ns = begin_ns;
	op->end_ns = end_ns;
	/* Host, empty and event nodes have no record: all known only if as many came as there are. */
	(void)gst_map_get(&p->graphs, graph, &expected);
	if (all_timed && graph &&
	    ((expected && nodes >= expected) ||
	     (exec != GST_NONE && b->execs.data[exec].graph != GST_NONE &&
	      has_all_nodes(b, launch, b->execs.data[exec].graph)))) {
		op->flags |= GST_OP_TIMED;
	} else {
		op->flags |= GST_OP_PARTIAL;
	}
}

static void finish_event_op(struct gst_builder *b, uint32_t process, gst_call_id id, uint32_t dev,
			    struct gst_op *op)
{
	const struct gst_call *c = &b->m->calls[id];
	const struct gst_raw_dev *devs = b->processes.data[process].devs.data;

	op->event = c->event;
	op->sync_id = c->sync_id;
	if (op->kind != GST_OP_EVENT_RECORD)
		return;
	for (uint32_t d = dev; d != GST_NONE; d = devs[d].next) {
		if (devs[d].kind == DEV_KIND(EVENT) && devs[d].bits & RAW_DEV_TIMED) {
			op->begin_ns = op->end_ns = devs[d].begin_ns;
			op->flags |= GST_OP_TIMED;
			return;
		}
	}
}

/* Does this kind of op have a device record, if all went well? */
static bool has_record(const struct gst_builder *b, uint32_t process, enum gst_op_kind kind,
		       const struct gst_call *c)
{
	/* Recorded without them, by choice: nothing is missing. */
	if (b->processes.data[process].out.trace.options & GST_TRACE_NO_DEVICE)
		return false;
	switch (kind) {
	case GST_OP_KERNEL:
	case GST_OP_MEMSET:
	case GST_OP_GRAPH_LAUNCH:
		return true;
	case GST_OP_MEMCPY:
		/* Host to host is a matter of the CPU. */
		return c->args == GST_NONE || b->args.data[c->args].extra != GST_COPY_HTOH;
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
	return false;
}

/*
 * Memory operations: an op an element, in array order. What of a batch is not in the trace is an op without
 * detail in its place, of which nothing but its stream is known.
 */
static void add_memops(struct gst_builder *b, gst_call_id id, const struct gst_pending *raw)
{
	const struct gst_call *c = &b->m->calls[id];
	uint64_t expected = c->args == GST_NONE ? 0 : b->args.data[c->args].bytes;
	uint64_t next = 0; /* index expected */

	gst_vec_clear(&b->found);
	for (uint32_t r = raw->name; r; r = b->raw_memops.data[r - 1].previous)
		gst_vec_push(&b->found, r - 1);
	for (size_t i = b->found.count; i-- > 0;) {
		const struct gst_raw_memop *r = &b->raw_memops.data[b->found.data[i]];
		struct gst_op *op;

		if (r->index > next) {
			(void)gst_model_add_op(b, GST_OP_MEMOP, id, c->stream);
			b->m->stats.opaque_ops++;
		}
		next = (uint64_t)r->index + 1;
		op = gst_model_add_op(b, GST_OP_MEMOP, id, c->stream);
		op->detail = (uint32_t)b->memops.count;
		gst_vec_push(&b->memops, r->out);
	}
	if (!b->found.count || next < expected) {
		(void)gst_model_add_op(b, GST_OP_MEMOP, id, c->stream);
		b->m->stats.opaque_ops++;
	}
	gst_vec_clear(&b->found);
	if (c->stream == GST_NONE) {
		b->m->stats.ops_without_stream++;
		return;
	}
	for (size_t i = c->first_op; i < b->ops.count; i++)
		b->ops.data[i].flags |= GST_OP_STREAM_GUESSED;
}

/* Is its other end outside of the trace? Of what has a stream: M5, E7. */
static bool is_open(const struct gst_builder *b, const struct gst_call *c)
{
	const struct gst_api *api;

	switch (c->cls) {
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_EVENT_WAIT:
		return c->event != GST_NONE && b->events.data[c->event].flags & EVENT_INTERPROCESS;
	case GST_API_CLASS_MEMOP:
	case GST_API_CLASS_OTHER:
		api = gst_api_find(c->api);
		return api && (api->layout == GST_PARAMS_SEMAPHORES ||
			       !strcmp(api->name, "cuGraphicsMapResources") ||
			       !strcmp(api->name, "cuGraphicsUnmapResources"));
	default:
		return false;
	}
}

/*
 * A copy or memset of 0 bytes submits nothing, holds nothing up and waits for nothing (kernels/ordering/empty_copy.cu).
 * A size is read together with the addresses, so 0 beside one that was read is a size.
 */
static bool moves_nothing(const struct gst_builder *b, const struct gst_call *c)
{
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->args.data[c->args];

	if (!args || args->bytes > 0)
		return false;
	if (c->cls == GST_API_CLASS_MEMSET)
		return args->a != 0;
	/* flags: copies in a batch. The sizes of a long one are not summed up. */
	return c->cls == GST_API_CLASS_COPY && args->a && args->b && args->flags <= 1;
}

void gst_model_add_ops(struct gst_builder *b, gst_call_id id, const struct gst_pending *raw,
		       bool is_submitted)
{
	struct gst_call *c = &b->m->calls[id];
	uint32_t process = b->m->threads[c->thread].process;
	struct gst_raw_dev *devs = b->processes.data[process].devs.data;
	enum gst_op_kind kind = gst_model_submits(c);
	uint32_t first = (uint32_t)b->ops.count;
	bool is_programmatic = kind == GST_OP_KERNEL && c->args != GST_NONE &&
			       b->args.data[c->args].flags &
				       (GST_LAUNCH_FLAG_PROGRAMMATIC | GST_LAUNCH_FLAG_UNREAD);
	struct gst_op *op;

	c->first_op = first;
	gst_vec_clear(&b->found);
	if (raw->dev != GST_NONE && devs[raw->dev].next != GST_NONE) {
		gather(b, process, raw->dev);
	} else if (raw->dev != GST_NONE &&
		   gst_model_kind_of_dev(&devs[raw->dev]) != GST_OP_KIND_COUNT) {
		gst_vec_push(&b->found, raw->dev);
	}
	if (kind == GST_OP_GRAPH_LAUNCH && (is_submitted || b->found.count)) {
		add_graph_ops(b, process, id, raw->dev);
	} else if (b->found.count) {
		/* It ran, whatever the call said. */
		for (size_t i = 0; i < b->found.count; i++) {
			op = gst_model_add_dev_op(b, process, &devs[b->found.data[i]], id,
						  GST_NONE);
			if (op->kind == GST_OP_KERNEL && is_programmatic)
				op->flags |= GST_OP_PROGRAMMATIC;
			/* Of other calls it is no name. */
			if (op->kind == GST_OP_KERNEL && kind == GST_OP_KERNEL && !op->name)
				op->name = raw->name;
		}
	} else if (is_submitted && kind == GST_OP_MEMOP) {
		add_memops(b, id, raw);
	} else if (is_submitted && kind != GST_OP_KIND_COUNT && !moves_nothing(b, c)) {
		op = gst_model_add_op(b, kind, id, c->stream);
		if (kind == GST_OP_KERNEL)
			op->name = raw->name;
		if (is_programmatic)
			op->flags |= GST_OP_PROGRAMMATIC;
		if (has_record(b, process, kind, c)) {
			op->flags |= GST_OP_NO_RECORD;
			b->m->stats.ops_without_record++;
		}
		if (kind == GST_OP_EVENT_RECORD || kind == GST_OP_EVENT_WAIT)
			finish_event_op(b, process, id, raw->dev, op);
		if (is_open(b, c)) {
			op->flags |= GST_OP_OPEN;
			b->m->stats.open_ends++;
			b->m->stats.opaque_ops -= kind == GST_OP_OPAQUE;
		}
		if (gst_model_is_about_context(c)) {
			op->flags |= GST_OP_CONTEXT;
		} else if (c->stream == GST_NONE) {
			b->m->stats.ops_without_stream++;
		} else if (!gst_model_lane_record(b, process, c, raw->dev)) {
			op->flags |= GST_OP_STREAM_GUESSED;
		}
	}
	c->op_count = (uint32_t)b->ops.count - first;
}
