/*
 * resources.c - what is made and what ends, as it happens.
 *
 * Role      : definitions with handles, which activity records do not have, at the moment they are needed.
 * Method    : ids come from CUPTI's own functions; the call in which this happens is the thread's open one.
 * Invariant : an entry point that this CUPTI lacks costs that definition and nothing else; data may be NULL.
 * Not here  : what activities tell of the same objects (activity.c); both are merged by their ids.
 */
#include "tracer/resources.h"

#include <errno.h>

void gst_resources_enable(struct gst_callbacks *cb, const struct gst_cupti *cupti)
{
	static const uint32_t wanted[] = {
		GST_CUPTI_RESOURCE_CONTEXT_CREATED,
		GST_CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING,
		GST_CUPTI_RESOURCE_STREAM_CREATED,
		GST_CUPTI_RESOURCE_STREAM_DESTROY_STARTING,
		GST_CUPTI_RESOURCE_MODULE_LOADED,
		GST_CUPTI_RESOURCE_MODULE_UNLOAD_STARTING,
		GST_CUPTI_RESOURCE_GRAPH_CREATED,
		GST_CUPTI_RESOURCE_GRAPH_CLONED,
		GST_CUPTI_RESOURCE_GRAPHNODE_CREATED,
		GST_CUPTI_RESOURCE_GRAPHNODE_CLONED,
		GST_CUPTI_RESOURCE_GRAPHNODE_DESTROY_STARTING,
		GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED,
		GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING,
		GST_CUPTI_RESOURCE_GRAPHEXEC_CREATED,
	};

	cb->cupti = cupti;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		/* Refused: activities still tell of contexts and streams. */
		(void)cupti->cuptiEnableCallback(1, cupti->subscriber, GST_CUPTI_DOMAIN_RESOURCE,
						 wanted[i]);
	}
}

/* CUPTI's id of a context; 0 = not known. */
static uint32_t context_id(const struct gst_callbacks *cb, void *context)
{
	uint32_t id = 0;

	if (!context || !cb->cupti->cuptiGetContextId ||
	    cb->cupti->cuptiGetContextId(context, &id)) {
		return 0;
	}
	return id;
}

static bool stream_id(const struct gst_callbacks *cb, const struct gst_cupti_resource_data *data,
		      uint32_t *id)
{
	return data->stream && cb->cupti->cuptiGetStreamIdEx &&
	       !cb->cupti->cuptiGetStreamIdEx(data->context, data->stream, 0, id);
}

static void on_context(struct gst_callbacks *cb, const struct gst_cupti_resource_data *data)
{
	struct gst_rec_context rec = {
		.head = gst_record_head(GST_KIND_CONTEXT, sizeof(rec), 0),
		.ctx = context_id(cb, data->context),
		.handle = (uint64_t)(uintptr_t)data->context,
	};

	if (!rec.ctx || !cb->cupti->cuptiGetDeviceId ||
	    cb->cupti->cuptiGetDeviceId(data->context, &rec.device)) {
		return;
	}
	(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
	if (cb->objects) {
		gst_objects_define_context(cb->objects, &rec, gst_windows_now(cb->windows));
	}
}

/* The recorded call in which this happens, or NULL. */
static const struct gst_open_call *open_call(void)
{
	const struct gst_thread_slot *slot = gst_threads_current();

	return slot && slot->depth ? &slot->calls[slot->depth - 1] : NULL;
}

static uint32_t call_corr(const struct gst_open_call *call)
{
	return call && !call->is_silent ? call->corr : 0;
}

static void on_stream(struct gst_callbacks *cb, const struct gst_cupti_resource_data *data)
{
	const struct gst_open_call *call = open_call();
	const struct gst_api *api = call ? gst_api_find(call->api) : NULL;
	struct gst_rec_stream rec = {
		.ctx = context_id(cb, data->context),
		.handle = (uint64_t)(uintptr_t)data->stream,
	};

	if (!rec.ctx || !stream_id(cb, data, &rec.stream)) {
		return;
	}
	if (api && api->class_id == GST_API_CLASS_STREAM_CREATE) {
		rec.type = call->extra & GST_CU_STREAM_NON_BLOCKING ? GST_STREAM_NONBLOCKING
								    : GST_STREAM_BLOCKING;
		rec.priority = (int32_t)(call->extra >> 32);
	}
	rec.head = gst_record_head(GST_KIND_STREAM, sizeof(rec), call_corr(call));
	(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
	if (cb->objects) {
		gst_objects_define_stream(cb->objects, &rec, gst_windows_now(cb->windows));
	}
}

static void on_stream_end(struct gst_callbacks *cb, const struct gst_cupti_resource_data *data)
{
	uint32_t ctx = context_id(cb, data->context);
	uint32_t id;

	if (cb->objects && ctx && stream_id(cb, data, &id)) {
		gst_objects_remove(&cb->objects->streams, gst_objects_stream_key(ctx, id),
				   gst_windows_now(cb->windows));
	}
}

uint32_t gst_resources_stream_id(const struct gst_callbacks *cb, const struct gst_api *api,
				 const struct gst_cupti_callback_data *data, uint64_t stream)
{
	bool is_own = stream == GST_CU_STREAM_PER_THREAD ||
		      (!stream && api->flags & (GST_API_PTSZ | GST_API_PTDS));
	/* NULL and a flag stand for the two default streams. */
	void *handle = stream > GST_CU_STREAM_PER_THREAD ? (void *)(uintptr_t)stream : NULL;
	uint32_t id = 0;

	if (!cb->cupti || !cb->cupti->cuptiGetStreamIdEx || !data->context ||
	    cb->cupti->cuptiGetStreamIdEx(data->context, handle, is_own, &id)) {
		return 0;
	}
	return id;
}

void gst_resources_tell_owner(struct gst_callbacks *cb, struct gst_thread_slot *slot,
			      const struct gst_cupti_callback_data *data)
{
	struct gst_rec_stream rec = {
		.head = gst_record_head(GST_KIND_STREAM, sizeof(rec), 0),
		.ctx = data->contextUid,
		.type = GST_STREAM_BLOCKING,
		.thread = slot->thread,
	};

	if (!data->context || !data->contextUid) {
		return;
	}
	slot->owner_told = data->contextUid;
	if (!cb->cupti || !cb->cupti->cuptiGetStreamIdEx ||
	    cb->cupti->cuptiGetStreamIdEx(data->context, NULL, 1, &rec.stream) || !rec.stream) {
		return;
	}
	(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
	if (cb->objects) {
		gst_objects_define_stream(cb->objects, &rec, gst_windows_now(cb->windows));
	}
}

static void on_module(struct gst_callbacks *cb, const struct gst_cupti_resource_data *data,
		      uint32_t change)
{
	const struct gst_cupti_module_data *module = data->resourceDescriptor;
	struct gst_rec_module rec = {
		.ctx = context_id(cb, data->context),
		.change = change,
	};
	uint32_t bytes;

	if (module) {
		rec.module = module->moduleId;
		rec.size = module->cubinSize;
		bytes = gst_record_trim(&rec, sizeof(rec));
		/* A module that is loaded inside a launch was loaded lazily. */
		rec.head = gst_record_head(GST_KIND_MODULE, bytes, call_corr(open_call()));
		(void)gst_lane_put_one(cb->defs, &rec, bytes);
	}
}

/* ---- graphs ---- */

static uint32_t graph_id(const struct gst_callbacks *cb, void *graph)
{
	uint32_t id = 0;

	if (!graph || !cb->cupti->cuptiGetGraphId || cb->cupti->cuptiGetGraphId(graph, &id)) {
		return 0;
	}
	return id;
}

static uint64_t node_id(const struct gst_callbacks *cb, void *node)
{
	uint64_t id = 0;

	if (!node || !cb->cupti->cuptiGetGraphNodeId || cb->cupti->cuptiGetGraphNodeId(node, &id)) {
		return 0;
	}
	return id;
}

/* Whether nodes end because their graph does: then the call says it all. */
static bool is_in_destroy(void)
{
	const struct gst_open_call *call = open_call();
	const struct gst_api *api = call ? gst_api_find(call->api) : NULL;

	return api && (api->class_id == GST_API_CLASS_GRAPH_DESTROY ||
		       api->class_id == GST_API_CLASS_CTX_DESTROY ||
		       api->class_id == GST_API_CLASS_DEVICE_RESET);
}

static void on_graph(struct gst_callbacks *cb, const struct gst_cupti_graph_data *g)
{
	struct gst_rec_graph rec = {
		.head = gst_record_head(GST_KIND_GRAPH, sizeof(rec), call_corr(open_call())),
		.graph = graph_id(cb, g->graph),
		.original = graph_id(cb, g->originalGraph),
		.handle = (uint64_t)(uintptr_t)g->graph,
	};

	if (rec.graph) {
		(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
		if (cb->objects) {
			gst_objects_define_graph(cb->objects, &rec, gst_windows_now(cb->windows));
		}
	}
}

static void on_exec(struct gst_callbacks *cb, const struct gst_cupti_graph_data *g)
{
	struct gst_rec_graph_exec rec = {
		.head = gst_record_head(GST_KIND_GRAPH_EXEC, sizeof(rec), call_corr(open_call())),
		.exec = (uint64_t)(uintptr_t)g->graphExec,
		.graph = graph_id(cb, g->graph),
	};

	if (!rec.exec) {
		return;
	}
	if (cb->cupti->cuptiGetGraphExecId &&
	    cb->cupti->cuptiGetGraphExecId(g->graphExec, &rec.id)) {
		rec.id = 0;
	}
	(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
	if (cb->objects) {
		gst_objects_define_exec(cb->objects, &rec, gst_windows_now(cb->windows));
	}
}

static void on_node(struct gst_callbacks *cb, const struct gst_cupti_graph_data *g, uint32_t change)
{
	const struct gst_open_call *call = open_call();
	struct gst_rec_graph_node rec = {
		.head = gst_record_head(GST_KIND_GRAPH_NODE, sizeof(rec), call_corr(call)),
		.node = node_id(cb, g->node),
		.handle = (uint64_t)(uintptr_t)g->node,
		.original = node_id(cb, g->originalNode),
		.graph = graph_id(cb, g->graph),
		.type = g->nodeType < GST_NODE_CONDITIONAL ? g->nodeType + 1
							   : (uint32_t)GST_NODE_UNKNOWN,
		.change = change,
	};

	if (call && rec.type == GST_NODE_KERNEL && !change) {
		rec.name = call->name;
	}
	(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
}

#define EDGES_TRIED 4096u

/* The place of @from and @to in the arrays of the call; @count = they are not there, or too far on. */
static uint64_t find_edge(struct gst_open_call *call, void *const *from, const void *a,
			  void *const *to, const void *b, uint64_t count)
{
	uint64_t at = call->next_edge < count ? call->next_edge : 0;

	/* They are told in the order of the arrays, mostly. */
	for (uint64_t tried = 0; from && tried < count && tried < EDGES_TRIED; tried++) {
		if (from[at] == a && (!to || to[at] == b)) {
			call->next_edge = at + 1;
			return at;
		}
		at = at + 1 < count ? at + 1 : 0;
	}
	return count;
}

/*
 * The port that a new edge leaves from, + 1: CUPTI does not tell, the call that makes it does. An edge that is not
 * in its arrays is of a clone inside (a child graph): that of its original is known. 0 = not known.
 */
static uint16_t port_of(const struct gst_cupti_graph_data *g)
{
	struct gst_thread_slot *slot = gst_threads_current();
	struct gst_open_call *call = slot && slot->depth ? &slot->calls[slot->depth - 1] : NULL;
	const struct gst_api *api = call && call->params ? gst_api_find(call->api) : NULL;
	const struct gst_cu_edge_data *data = NULL;
	uint64_t at, count;

	if (!api) {
		return 0;
	}
	switch ((enum gst_api_layout)api->layout) {
	case GST_PARAMS_GRAPH_ADD:
	case GST_PARAMS_GRAPH_ADD_EVENT:
	case GST_PARAMS_GRAPH_ADD_NODE: {
		const struct gst_cu_graph_add *p = call->params;

		count = p->count;
		at = find_edge(call, p->dependencies, g->dependency, NULL, NULL, count);
		break;
	}
	case GST_PARAMS_GRAPH_ADD_NODE_DATA: {
		const struct gst_cu_graph_add_data *p = call->params;

		count = p->count;
		data = p->data;
		at = find_edge(call, p->dependencies, g->dependency, NULL, NULL, count);
		break;
	}
	case GST_PARAMS_GRAPH_EDGES: {
		const struct gst_cu_graph_edges *p = call->params;

		count = p->count;
		at = find_edge(call, p->from, g->dependency, p->to, g->node, count);
		break;
	}
	case GST_PARAMS_GRAPH_EDGES_DATA: {
		const struct gst_cu_graph_edges_data *p = call->params;

		count = p->count;
		data = p->data;
		at = find_edge(call, p->from, g->dependency, p->to, g->node, count);
		break;
	}
	default:
		return 0;
	}
	if (at == count) {
		return 0;
	}
	return data ? (uint16_t)(data[at].from_port + 1) : 1;
}

static void on_edge(struct gst_callbacks *cb, const struct gst_cupti_graph_data *g, uint32_t change)
{
	struct gst_rec_graph_edge rec = {
		.head = gst_record_head(GST_KIND_GRAPH_EDGE, sizeof(rec), call_corr(open_call())),
		.from = node_id(cb, g->dependency),
		.to = node_id(cb, g->node),
		.graph = graph_id(cb, g->graph),
		.port = change == GST_GRAPH_CHANGE_MADE ? port_of(g) : 0,
		.change = (uint16_t)change,
	};

	(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
}

static void on_graph_event(struct gst_callbacks *cb, uint32_t cbid,
			   const struct gst_cupti_graph_data *g)
{
	if (!g) {
		return;
	}
	switch (cbid) {
	case GST_CUPTI_RESOURCE_GRAPH_CREATED:
	case GST_CUPTI_RESOURCE_GRAPH_CLONED:
		on_graph(cb, g);
		break;
	case GST_CUPTI_RESOURCE_GRAPHEXEC_CREATED:
		on_exec(cb, g);
		break;
	case GST_CUPTI_RESOURCE_GRAPHNODE_CREATED:
	case GST_CUPTI_RESOURCE_GRAPHNODE_CLONED:
		on_node(cb, g, GST_GRAPH_CHANGE_MADE);
		break;
	case GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED:
		on_edge(cb, g, GST_GRAPH_CHANGE_MADE);
		break;
	case GST_CUPTI_RESOURCE_GRAPHNODE_DESTROY_STARTING:
		if (!is_in_destroy()) {
			on_node(cb, g, GST_GRAPH_CHANGE_REMOVED);
		}
		break;
	case GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING:
		if (!is_in_destroy()) {
			on_edge(cb, g, GST_GRAPH_CHANGE_REMOVED);
		}
		break;
	default:
		break;
	}
}

void gst_resources_on_event(struct gst_callbacks *cb, uint32_t cbid,
			    const struct gst_cupti_resource_data *data)
{
	int saved_errno = errno;
	uint32_t ctx;

	/* Some come without data. */
	if (!data || !cb->cupti) {
		return;
	}
	switch (cbid) {
	case GST_CUPTI_RESOURCE_CONTEXT_CREATED:
		if (atomic_fetch_add(&cb->contexts_made, 1) == 1 && cb->activity &&
		    !atomic_load(&cb->is_cupti_dead)) {
			gst_activity_enable_late(cb->activity, GST_ACTIVITY_PEERS);
		}
		on_context(cb, data);
		break;
	case GST_CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING:
		/* It takes its modules along, without a call for each. */
		gst_kernel_names_forget(&cb->kernel_names);
		ctx = context_id(cb, data->context);
		if (cb->objects && ctx) {
			gst_objects_remove(&cb->objects->contexts, ctx,
					   gst_windows_now(cb->windows));
		}
		break;
	case GST_CUPTI_RESOURCE_STREAM_CREATED:
		on_stream(cb, data);
		break;
	case GST_CUPTI_RESOURCE_STREAM_DESTROY_STARTING:
		on_stream_end(cb, data);
		break;
	case GST_CUPTI_RESOURCE_MODULE_LOADED:
		on_module(cb, data, GST_GRAPH_CHANGE_MADE);
		break;
	case GST_CUPTI_RESOURCE_MODULE_UNLOAD_STARTING:
		on_module(cb, data, GST_GRAPH_CHANGE_REMOVED);
		break;
	default:
		on_graph_event(cb, cbid, data->resourceDescriptor);
		break;
	}
	errno = saved_errno;
}
