/*
 * call_params.c - parameters of CUDA calls, by layout.
 *
 * Role      : callbacks.c asks what a call was given, when it enters.
 * Method    : the api table names a layout for each call; what is common to many layouts is read by one function.
 * Invariant : params is read only through a layout that was asserted for the cbid; of what it points to, only what
 *             the driver would read of a call that it takes.
 * Not here  : which part of it goes into which record (callbacks.c).
 */
#include "tracer/call_params.h"
#include "tracer/format/format.h"

#include <stdbool.h>
#include <string.h>

#define LAUNCH_ATTRIBUTES_MAX 64u
#define COPY_ATTRIBUTES_MAX   256u
#define CBID_ADD_KERNEL	      502u
#define CBID_ADD_KERNEL_2     689u

/* @event: that of the programmatic attribute; else that of launch completion, otherwise @event2. */
static uint32_t launch_attributes(const struct gst_cu_launch_config *config, uint64_t *event,
				  uint64_t *event2)
{
	uint64_t completion = 0;
	uint32_t flags = 0;
	uint32_t count = config->attrs ? config->numAttrs : 0;

	if (count > LAUNCH_ATTRIBUTES_MAX) {
		count = LAUNCH_ATTRIBUTES_MAX;
		flags |= GST_LAUNCH_FLAG_UNREAD;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_cu_launch_attribute *attr = &config->attrs[i];

		switch (attr->id) {
		case GST_CU_LAUNCH_ATTR_COOPERATIVE:
			flags |= attr->value.i32 ? GST_LAUNCH_FLAG_COOPERATIVE : 0u;
			break;
		case GST_CU_LAUNCH_ATTR_CLUSTER_DIMENSION:
			flags |= GST_LAUNCH_FLAG_CLUSTER;
			break;
		case GST_CU_LAUNCH_ATTR_PROGRAMMATIC_STREAM_SERIALIZATION:
			flags |= attr->value.i32 ? GST_LAUNCH_FLAG_PROGRAMMATIC : 0u;
			break;
		case GST_CU_LAUNCH_ATTR_PROGRAMMATIC_EVENT:
			flags |= GST_LAUNCH_FLAG_PROGRAMMATIC_EVENT;
			*event = gst_handle(attr->value.event.event);
			break;
		case GST_CU_LAUNCH_ATTR_LAUNCH_COMPLETION_EVENT:
			flags |= GST_LAUNCH_FLAG_COMPLETION_EVENT;
			completion = gst_handle(attr->value.event.event);
			break;
		default: /* the others order nothing */
			break;
		}
	}
	*(*event ? event2 : event) = completion;
	return flags;
}

/* Direction of a copy between two kinds of memory (enum gst_cu_memory_type); unified tells nothing. */
static uint32_t direction_of(uint32_t from, uint32_t to)
{
	static const uint8_t directions[3][3] = {
		{GST_COPY_HTOH, GST_COPY_HTOD, GST_COPY_HTOA},
		{GST_COPY_DTOH, GST_COPY_DTOD, GST_COPY_DTOA},
		{GST_COPY_ATOH, GST_COPY_ATOD, GST_COPY_ATOA},
	};

	return from - 1 < 3 && to - 1 < 3 ? directions[from - 1][to - 1] : GST_COPY_UNKNOWN;
}

static uint32_t direction_of_runtime(uint32_t kind)
{
	switch (kind) {
	case GST_CUDA_MEMCPY_H2H:
		return GST_COPY_HTOH;
	case GST_CUDA_MEMCPY_H2D:
		return GST_COPY_HTOD;
	case GST_CUDA_MEMCPY_D2H:
		return GST_COPY_DTOH;
	case GST_CUDA_MEMCPY_D2D:
		return GST_COPY_DTOD;
	default:
		return GST_COPY_UNKNOWN;
	}
}

static uint64_t place_of(uint32_t memory_type, const void *host, uint64_t device, const void *array)
{
	switch (memory_type) {
	case GST_CU_MEMORYTYPE_HOST:
		return gst_handle(host);
	case GST_CU_MEMORYTYPE_ARRAY:
		return gst_handle(array);
	default:
		return device;
	}
}

static void read_copy_2d(struct gst_call_params *d, const struct gst_cu_copy_2d *copy)
{
	if (!copy) {
		return;
	}
	d->object = place_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray);
	d->second = place_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray);
	d->size = copy->WidthInBytes * copy->Height;
	d->direction = direction_of(copy->srcMemoryType, copy->dstMemoryType);
}

static void read_copy_3d(struct gst_call_params *d, const struct gst_cu_copy_3d *copy)
{
	if (!copy) {
		return;
	}
	d->object = place_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray);
	d->second = place_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray);
	d->size = copy->WidthInBytes * copy->Height * copy->Depth;
	if (!d->direction) {
		d->direction = direction_of(copy->srcMemoryType, copy->dstMemoryType);
	}
}

/* Of a CUmemLocation: devices are type 1. */
static int32_t place_at(const int32_t *location)
{
	return location[0] == 1 ? location[1] + 1 : -location[0];
}

static void widen_access(struct gst_call_params *d, uint32_t order)
{
	if (order > d->access) {
		d->access = order;
	}
}

static void read_attributes(struct gst_call_params *d, const struct gst_cu_copy_attributes *attrs,
			    uint64_t count)
{
	/* More attributes than copies are refused: there may be less memory than they promise. */
	if (count > d->count) {
		return;
	}
	for (uint64_t i = 0; attrs && i < count && i < COPY_ATTRIBUTES_MAX; i++) {
		widen_access(d, attrs[i].srcAccessOrder);
	}
}

static void read_batch_3d(struct gst_call_params *d, const struct gst_cu_copy_3d_op *list,
			  uint64_t count, const void *stream)
{
	d->stream = gst_handle(stream);
	d->count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	for (uint64_t i = 0; list && i < count && i < COPY_ATTRIBUTES_MAX; i++) {
		widen_access(d, list[i].srcAccessOrder);
	}
}

static void read_batch(struct gst_call_params *d, const uint64_t *dsts, const uint64_t *srcs,
		       const uint64_t *sizes, uint64_t count, const void *stream)
{
	d->stream = gst_handle(stream);
	d->count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	/* The first tells where; the whole of a long list is not worth a pause of the caller. */
	if (count && dsts && srcs && sizes) {
		d->object = dsts[0];
		d->second = srcs[0];
		if (count <= 256) {
			for (uint64_t i = 0; i < count; i++) {
				d->size += sizes[i];
			}
		}
	}
}

/* The parameters end before their last field in the first version of the call. */
static void read_kernel_params(struct gst_call_params *d, const struct gst_cu_kernel_params *params,
			       bool has_kernel)
{
	if (params) {
		d->kernel = gst_handle(params->function);
		if (!d->kernel && has_kernel) {
			d->kernel = gst_handle(params->kernel);
		}
	}
}

static void read_node_params(struct gst_call_params *d, const struct gst_cu_node_params *params)
{
	if (!params || params->type >= GST_NODE_CONDITIONAL) {
		return;
	}
	/* As in records of nodes. */
	d->flags = params->type + 1;
	if (d->flags == GST_NODE_KERNEL) {
		read_kernel_params(d, (const void *)&params->event, true);
	}
	if (d->flags == GST_NODE_WAIT_EVENT || d->flags == GST_NODE_RECORD_EVENT) {
		d->event = gst_handle(params->event);
	}
}

/* One case for each layout; each struct is asserted against the toolkit's headers by abi_params_test.c. */
void gst_call_params_read(struct gst_call_params *d, const struct gst_api *api, const void *params)
{
	const union {
		const void *any;
		const struct gst_cu_launch *launch;
		const struct gst_cu_launch_ex *launch_ex;
		const struct gst_cu_launch_multi *launch_multi;
		const struct gst_cu_copy *copy;
		const struct gst_cu_copy_to_array *to_array;
		const struct gst_cu_copy_from_array *from_array;
		const struct gst_cu_copy_array_array *array_array;
		const struct gst_cu_copy_2d_call *copy_2d;
		const struct gst_cu_copy_3d_call *copy_3d;
		const struct gst_cu_copy_peer *copy_peer;
		const struct gst_cu_copy_batch *batch;
		const struct gst_cu_copy_batch_v2 *batch_v2;
		const struct gst_cu_copy_3d_batch *batch_3d;
		const struct gst_cu_copy_3d_batch_v2 *batch_3d_v2;
		const struct gst_cu_memset *memset;
		const struct gst_cu_memset_2d *memset_2d;
		const struct gst_cu_event_create *event_create;
		const struct gst_cu_event *event;
		const struct gst_cu_event_record *event_record;
		const struct gst_cu_event_elapsed *event_elapsed;
		const struct gst_cu_ctx_event *ctx_event;
		const struct gst_cu_stream_create *stream_create;
		const struct gst_cu_green_stream_create *green_stream;
		const struct gst_cu_stream *stream;
		const struct gst_cu_stream_wait *stream_wait;
		const struct gst_cu_host_func *host_func;
		const struct gst_cu_stream_callback *callback;
		const struct gst_cu_capture_begin *capture_begin;
		const struct gst_cu_capture_to_graph *capture_to_graph;
		const struct gst_cu_capture_end *capture_end;
		const struct gst_cu_graph_instantiate *instantiate;
		const struct gst_cu_graph_stream *graph_stream;
		const struct gst_cu_graph_exec *graph_exec;
		const struct gst_cu_graph *graph;
		const struct gst_cu_graph_update *graph_update;
		const struct gst_cu_graph_add *graph_add;
		const struct gst_cu_graph_add_data *graph_add_data;
		const struct gst_cu_graph_edges *graph_edges;
		const struct gst_cu_graph_node *graph_node;
		const struct gst_cu_graph_exec_node *graph_exec_node;
		const struct gst_cu_capture_edges *capture_edges;
		const struct gst_cu_alloc *alloc;
		const struct gst_cu_alloc_pitch *alloc_pitch;
		const struct gst_cu_free *free;
		const struct gst_cu_mem_create *mem_create;
		const struct gst_cu_mem_range *mem_range;
		const struct gst_cu_host_register *host_register;
		const struct gst_cu_alloc_async *alloc_async;
		const struct gst_cu_alloc_pool *alloc_pool;
		const struct gst_cu_free_async *free_async;
		const struct gst_cu_pool_create *pool_create;
		const struct gst_cu_pool *pool;
		const struct gst_cu_prefetch *prefetch;
		const struct gst_cu_prefetch_v2 *prefetch_v2;
		const struct gst_cu_prefetch_batch *prefetch_batch;
		const struct gst_cu_memop_32 *memop_32;
		const struct gst_cu_memop_64 *memop_64;
		const struct gst_cu_memop_batch *memop_batch;
		const struct gst_cu_semaphores *semaphores;
		const struct gst_cu_attach *attach;
		const struct gst_cu_pointer_attribute *pointer;
		const struct gst_cu_pool_attribute *pool_attribute;
		const struct gst_cu_pool_access *pool_access;
		const struct gst_cu_pool_of_device *pool_of_device;
		const struct gst_cu_pool_of_memory *pool_of_memory;
		const struct gst_cu_ctx_create *ctx_create;
		const struct gst_cu_ctx_create_v3 *ctx_create_v3;
		const struct gst_cu_ctx_create_v4 *ctx_create_v4;
		const struct gst_cu_ctx_flags *ctx_flags;
		const struct gst_cu_device_flags *device_flags;
		const struct gst_cu_module_load *module_load;
		const struct gst_cuda_copy *rt_copy;
		const struct gst_cuda_copy_symbol *rt_symbol;
		const struct gst_cuda_copy_2d *rt_copy_2d;
		const struct gst_cuda_copy_peer *rt_peer;
		const struct gst_cuda_memset *rt_memset;
		const struct gst_cuda_memset_2d *rt_memset_2d;
		const struct gst_cu_limit *limit;
		const struct gst_cu_device *device;
	} p = {params};
	uint32_t width = 1;
	uint64_t word;

	switch ((enum gst_api_layout)api->layout) {
	case GST_PARAMS_NONE:
	case GST_PARAMS_COUNT:
		break;
	case GST_PARAMS_LAUNCH:
		d->stream = gst_handle(p.launch->hStream);
		break;
	case GST_PARAMS_LAUNCH_EX:
		if (p.launch_ex->config) {
			d->stream = gst_handle(p.launch_ex->config->hStream);
			d->flags = launch_attributes(p.launch_ex->config, &d->object, &d->second);
		}
		break;
	case GST_PARAMS_LAUNCH_MULTI:
		d->flags = GST_LAUNCH_FLAG_MULTI_DEVICE | GST_LAUNCH_FLAG_COOPERATIVE;
		d->flags |= p.launch_multi->flags & GST_CU_MULTI_DEVICE_NO_PRE_SYNC
				    ? GST_LAUNCH_FLAG_NO_PRE_SYNC
				    : 0u;
		d->flags |= p.launch_multi->flags & GST_CU_MULTI_DEVICE_NO_POST_SYNC
				    ? GST_LAUNCH_FLAG_NO_POST_SYNC
				    : 0u;
		if (p.launch_multi->list && p.launch_multi->numDevices) {
			d->stream = gst_handle(p.launch_multi->list[0].hStream);
		}
		break;
	case GST_PARAMS_COPY_ASYNC:
		d->stream = gst_handle(p.copy->hStream);
		/* fall through */
	case GST_PARAMS_COPY:
		d->object = p.copy->dst;
		d->second = p.copy->src;
		d->size = p.copy->bytes;
		break;
	case GST_PARAMS_COPY_TO_ARRAY_ASYNC:
		d->stream = gst_handle(p.to_array->hStream);
		/* fall through */
	case GST_PARAMS_COPY_TO_ARRAY:
		d->object = gst_handle(p.to_array->dstArray);
		d->second = p.to_array->src;
		d->size = p.to_array->bytes;
		break;
	case GST_PARAMS_COPY_FROM_ARRAY_ASYNC:
		d->stream = gst_handle(p.from_array->hStream);
		/* fall through */
	case GST_PARAMS_COPY_FROM_ARRAY:
		d->object = p.from_array->dst;
		d->second = gst_handle(p.from_array->srcArray);
		d->size = p.from_array->bytes;
		break;
	case GST_PARAMS_COPY_ARRAY_ARRAY:
		d->object = gst_handle(p.array_array->dstArray);
		d->second = gst_handle(p.array_array->srcArray);
		d->size = p.array_array->bytes;
		break;
	case GST_PARAMS_COPY_2D_ASYNC:
		d->stream = gst_handle(p.copy_2d->hStream);
		/* fall through */
	case GST_PARAMS_COPY_2D:
		read_copy_2d(d, p.copy_2d->copy);
		break;
	case GST_PARAMS_COPY_3D_ASYNC:
	case GST_PARAMS_COPY_3D_PEER_ASYNC:
		d->stream = gst_handle(p.copy_3d->hStream);
		/* fall through */
	case GST_PARAMS_COPY_3D:
	case GST_PARAMS_COPY_3D_PEER:
		read_copy_3d(d, p.copy_3d->copy);
		break;
	case GST_PARAMS_COPY_PEER_ASYNC:
		d->stream = gst_handle(p.copy_peer->hStream);
		/* fall through */
	case GST_PARAMS_COPY_PEER:
		d->object = p.copy_peer->dst;
		d->second = p.copy_peer->src;
		d->size = p.copy_peer->bytes;
		break;
	case GST_PARAMS_COPY_BATCH:
		read_batch(d, p.batch->dsts, p.batch->srcs, p.batch->sizes, p.batch->count,
			   p.batch->hStream);
		read_attributes(d, p.batch->attrs, p.batch->numAttrs);
		break;
	case GST_PARAMS_COPY_BATCH_V2:
		read_batch(d, p.batch_v2->dsts, p.batch_v2->srcs, p.batch_v2->sizes,
			   p.batch_v2->count, p.batch_v2->hStream);
		read_attributes(d, p.batch_v2->attrs, p.batch_v2->numAttrs);
		break;
	case GST_PARAMS_COPY_3D_BATCH:
		read_batch_3d(d, p.batch_3d->opList, p.batch_3d->numOps, p.batch_3d->hStream);
		break;
	case GST_PARAMS_COPY_3D_BATCH_V2:
		read_batch_3d(d, p.batch_3d_v2->opList, p.batch_3d_v2->numOps,
			      p.batch_3d_v2->hStream);
		break;
	case GST_PARAMS_MEMSET_32_ASYNC:
	case GST_PARAMS_MEMSET_32:
		width *= 2;
		/* fall through */
	case GST_PARAMS_MEMSET_16_ASYNC:
	case GST_PARAMS_MEMSET_16:
		width *= 2;
		/* fall through */
	case GST_PARAMS_MEMSET_8_ASYNC:
	case GST_PARAMS_MEMSET_8:
		d->object = p.memset->dst;
		d->size = p.memset->count * width;
		if (api->layout == GST_PARAMS_MEMSET_8_ASYNC ||
		    api->layout == GST_PARAMS_MEMSET_16_ASYNC ||
		    api->layout == GST_PARAMS_MEMSET_32_ASYNC) {
			d->stream = gst_handle(p.memset->hStream);
		}
		break;
	case GST_PARAMS_MEMSET_2D_32_ASYNC:
	case GST_PARAMS_MEMSET_2D_32:
		width *= 2;
		/* fall through */
	case GST_PARAMS_MEMSET_2D_16_ASYNC:
	case GST_PARAMS_MEMSET_2D_16:
		width *= 2;
		/* fall through */
	case GST_PARAMS_MEMSET_2D_8_ASYNC:
	case GST_PARAMS_MEMSET_2D_8:
		d->object = p.memset_2d->dst;
		d->size = p.memset_2d->width * p.memset_2d->height * width;
		if (api->layout == GST_PARAMS_MEMSET_2D_8_ASYNC ||
		    api->layout == GST_PARAMS_MEMSET_2D_16_ASYNC ||
		    api->layout == GST_PARAMS_MEMSET_2D_32_ASYNC) {
			d->stream = gst_handle(p.memset_2d->hStream);
		}
		break;
	case GST_PARAMS_EVENT_CREATE:
		d->flags = p.event_create->flags;
		d->out = p.event_create->event;
		break;
	case GST_PARAMS_EVENT:
		d->object = gst_handle(p.event->event);
		break;
	case GST_PARAMS_EVENT_RECORD_FLAGS:
		d->flags = p.event_record->flags;
		/* fall through */
	case GST_PARAMS_EVENT_RECORD:
		d->object = gst_handle(p.event_record->event);
		d->stream = gst_handle(p.event_record->hStream);
		break;
	case GST_PARAMS_EVENT_ELAPSED:
		d->object = gst_handle(p.event_elapsed->start);
		d->second = gst_handle(p.event_elapsed->end);
		break;
	case GST_PARAMS_CTX_EVENT:
		d->object = gst_handle(p.ctx_event->event);
		d->second = gst_handle(p.ctx_event->context);
		break;
	case GST_PARAMS_STREAM_CREATE_PRIO:
		d->priority = p.stream_create->priority;
		/* fall through */
	case GST_PARAMS_STREAM_CREATE:
		d->flags = p.stream_create->flags;
		d->out = p.stream_create->stream;
		break;
	case GST_PARAMS_GREEN_STREAM_CREATE:
		d->flags = p.green_stream->flags;
		d->priority = p.green_stream->priority;
		d->out = p.green_stream->stream;
		break;
	case GST_PARAMS_STREAM_OUT:
	case GST_PARAMS_CTX_OUT:
	case GST_PARAMS_POINTER_OUT:
		memcpy(&d->out, params, sizeof(d->out));
		break;
	case GST_PARAMS_STREAM:
		d->stream = gst_handle(p.stream->hStream);
		break;
	case GST_PARAMS_STREAM_WAIT:
		d->stream = gst_handle(p.stream_wait->hStream);
		d->object = gst_handle(p.stream_wait->event);
		d->flags = p.stream_wait->flags;
		break;
	case GST_PARAMS_HOST_FUNC:
		d->stream = gst_handle(p.host_func->hStream);
		d->object = (uint64_t)(uintptr_t)p.host_func->fn;
		d->second = gst_handle(p.host_func->userData);
		break;
	case GST_PARAMS_STREAM_CALLBACK:
		d->stream = gst_handle(p.callback->hStream);
		d->object = (uint64_t)(uintptr_t)p.callback->callback;
		d->second = gst_handle(p.callback->userData);
		break;
	case GST_PARAMS_CAPTURE_BEGIN:
		d->stream = gst_handle(p.capture_begin->hStream);
		d->flags = p.capture_begin->mode;
		break;
	case GST_PARAMS_CAPTURE_TO_GRAPH:
		d->stream = gst_handle(p.capture_to_graph->hStream);
		d->object = gst_handle(p.capture_to_graph->graph);
		d->flags = p.capture_to_graph->mode;
		break;
	case GST_PARAMS_CAPTURE_END:
		d->stream = gst_handle(p.capture_end->hStream);
		d->out = p.capture_end->graph;
		break;
	case GST_PARAMS_GRAPH_INSTANTIATE_FLAGS:
		d->flags = (uint32_t)p.instantiate->flags;
		/* fall through */
	case GST_PARAMS_GRAPH_INSTANTIATE:
		d->object = gst_handle(p.instantiate->graph);
		d->out = p.instantiate->graphExec;
		break;
	case GST_PARAMS_GRAPH_INSTANTIATE_PARAMS:
		d->object = gst_handle(p.instantiate->graph);
		d->out = p.instantiate->graphExec;
		if (p.instantiate->args) {
			d->flags = (uint32_t)p.instantiate->args->flags;
			d->stream = gst_handle(p.instantiate->args->hUploadStream);
		}
		break;
	case GST_PARAMS_GRAPH_STREAM:
		d->second = gst_handle(p.graph_stream->graphExec);
		d->stream = gst_handle(p.graph_stream->hStream);
		break;
	case GST_PARAMS_GRAPH_EXEC_NODE_EVENT:
		d->event = gst_handle(p.graph_exec_node->event);
		d->node = gst_handle(p.graph_exec_node->node);
		d->second = gst_handle(p.graph_exec_node->graphExec);
		break;
	case GST_PARAMS_GRAPH_EXEC_NODE_PARAMS:
		read_node_params(d, p.graph_exec_node->params);
		d->node = gst_handle(p.graph_exec_node->node);
		d->second = gst_handle(p.graph_exec_node->graphExec);
		break;
	case GST_PARAMS_GRAPH_EXEC_NODE_FLAG:
		d->flags = p.graph_exec_node->is_enabled;
		/* fall through */
	case GST_PARAMS_GRAPH_EXEC_NODE:
		d->node = gst_handle(p.graph_exec_node->node);
		/* fall through */
	case GST_PARAMS_GRAPH_EXEC:
		d->second = gst_handle(p.graph_exec->graphExec);
		break;
	case GST_PARAMS_GRAPH:
		d->object = gst_handle(p.graph->graph);
		break;
	case GST_PARAMS_GRAPH_UPDATE:
		d->second = gst_handle(p.graph_update->graphExec);
		d->object = gst_handle(p.graph_update->graph);
		break;
	case GST_PARAMS_GRAPH_ADD_EVENT:
		d->event = gst_handle(p.graph_add->event);
		/* fall through */
	case GST_PARAMS_GRAPH_ADD:
		d->object = gst_handle(p.graph_add->graph);
		if (api->api == GST_API_ID(GST_API_DOMAIN_DRIVER, CBID_ADD_KERNEL) ||
		    api->api == GST_API_ID(GST_API_DOMAIN_DRIVER, CBID_ADD_KERNEL_2)) {
			read_kernel_params(
				d, p.graph_add->kernel,
				api->api == GST_API_ID(GST_API_DOMAIN_DRIVER, CBID_ADD_KERNEL_2));
		}
		break;
	case GST_PARAMS_GRAPH_ADD_NODE:
		d->object = gst_handle(p.graph_add->graph);
		read_node_params(d, p.graph_add->params);
		break;
	case GST_PARAMS_GRAPH_ADD_NODE_DATA:
		d->object = gst_handle(p.graph_add_data->graph);
		read_node_params(d, p.graph_add_data->params);
		break;
	case GST_PARAMS_GRAPH_EDGES:
	case GST_PARAMS_GRAPH_EDGES_DATA:
		d->object = gst_handle(p.graph_edges->graph);
		break;
	case GST_PARAMS_GRAPH_NODE_EVENT:
		d->event = gst_handle(p.graph_node->event);
		d->node = gst_handle(p.graph_node->node);
		break;
	case GST_PARAMS_GRAPH_NODE_PARAMS:
		read_node_params(d, p.graph_node->params);
		/* fall through */
	case GST_PARAMS_GRAPH_NODE:
	case GST_PARAMS_GRAPH_NODE_SET:
		d->node = gst_handle(p.graph_node->node);
		break;
	case GST_PARAMS_CAPTURE_EDGES_DATA:
		/* Edges that captured calls make from here on may leave any port. */
		d->flags = p.capture_edges->data != NULL;
		/* fall through */
	case GST_PARAMS_CAPTURE_EDGES:
		d->stream = gst_handle(p.capture_edges->hStream);
		break;
	case GST_PARAMS_ALLOC:
	case GST_PARAMS_ALLOC_FLAGS:
		d->size = p.alloc->bytes;
		d->out = p.alloc->ptr;
		break;
	case GST_PARAMS_ALLOC_PITCH:
		/* The pitch is not known yet: at least so much. */
		d->size = p.alloc_pitch->widthInBytes * p.alloc_pitch->height;
		d->out = p.alloc_pitch->ptr;
		break;
	case GST_PARAMS_FREE:
		d->object = p.free->ptr;
		break;
	case GST_PARAMS_MEM_CREATE:
		d->size = p.mem_create->bytes;
		d->out = p.mem_create->handle;
		break;
	case GST_PARAMS_MEM_RANGE:
		d->object = p.mem_range->ptr;
		d->size = p.mem_range->bytes;
		break;
	case GST_PARAMS_HOST_REGISTER:
		d->object = p.host_register->ptr;
		d->size = p.host_register->bytes;
		break;
	case GST_PARAMS_ALLOC_ASYNC:
		d->stream = gst_handle(p.alloc_async->hStream);
		d->size = p.alloc_async->bytes;
		d->out = p.alloc_async->ptr;
		break;
	case GST_PARAMS_ALLOC_POOL:
		d->stream = gst_handle(p.alloc_pool->hStream);
		d->size = p.alloc_pool->bytes;
		d->second = gst_handle(p.alloc_pool->pool);
		d->out = p.alloc_pool->ptr;
		break;
	case GST_PARAMS_FREE_ASYNC:
		d->stream = gst_handle(p.free_async->hStream);
		d->object = p.free_async->ptr;
		break;
	case GST_PARAMS_POOL_CREATE:
		d->out = p.pool_create->pool;
		break;
	case GST_PARAMS_POOL_TRIM:
		d->size = p.pool->minBytesToKeep;
		/* fall through */
	case GST_PARAMS_POOL:
		d->second = gst_handle(p.pool->pool);
		break;
	case GST_PARAMS_PREFETCH:
		d->stream = gst_handle(p.prefetch->hStream);
		d->object = p.prefetch->ptr;
		d->size = p.prefetch->bytes;
		/* -1 is the host: no device. */
		d->place = p.prefetch->dstDevice < 0 ? -2 : p.prefetch->dstDevice + 1;
		break;
	case GST_PARAMS_PREFETCH_V2:
		d->stream = gst_handle(p.prefetch_v2->hStream);
		d->object = p.prefetch_v2->ptr;
		d->size = p.prefetch_v2->bytes;
		d->place = place_at((const int32_t *)&p.prefetch_v2->location);
		d->flags = p.prefetch_v2->flags;
		break;
	case GST_PARAMS_PREFETCH_BATCH:
		read_batch(d, p.prefetch_batch->ptrs, p.prefetch_batch->ptrs,
			   p.prefetch_batch->sizes, p.prefetch_batch->count,
			   p.prefetch_batch->hStream);
		break;
	case GST_PARAMS_MEMOP_32:
		d->stream = gst_handle(p.memop_32->hStream);
		d->object = p.memop_32->addr;
		d->size = p.memop_32->value;
		d->flags = p.memop_32->flags;
		break;
	case GST_PARAMS_MEMOP_64:
		d->stream = gst_handle(p.memop_64->hStream);
		d->object = p.memop_64->addr;
		d->size = p.memop_64->value;
		d->flags = p.memop_64->flags;
		break;
	case GST_PARAMS_MEMOP_BATCH:
		d->stream = gst_handle(p.memop_batch->hStream);
		d->size = p.memop_batch->count;
		d->count = p.memop_batch->count;
		d->flags = p.memop_batch->flags;
		d->ops = p.memop_batch->ops;
		break;
	case GST_PARAMS_SEMAPHORES:
		d->stream = gst_handle(p.semaphores->hStream);
		d->count = p.semaphores->count;
		if (p.semaphores->semaphores && p.semaphores->count) {
			d->object = gst_handle(p.semaphores->semaphores[0]);
		}
		break;
	case GST_PARAMS_ATTACH:
		d->stream = gst_handle(p.attach->hStream);
		d->object = p.attach->ptr;
		d->size = p.attach->bytes;
		d->flags = p.attach->flags;
		break;
	case GST_PARAMS_POINTER_ATTRIBUTE:
		d->object = p.pointer->ptr;
		d->flags = p.pointer->attribute;
		if (p.pointer->attribute == GST_CU_POINTER_SYNC_MEMOPS && p.pointer->value) {
			d->size = *p.pointer->value;
		}
		break;
	case GST_PARAMS_POOL_ATTRIBUTE:
		d->object = gst_handle(p.pool_attribute->pool);
		d->flags = p.pool_attribute->attribute;
		if (p.pool_attribute->value) {
			memcpy(&d->size, p.pool_attribute->value,
			       p.pool_attribute->attribute <= GST_CU_POOL_REUSE_LAST ? 4 : 8);
		}
		break;
	case GST_PARAMS_POOL_ACCESS:
		d->object = gst_handle(p.pool_access->pool);
		d->count = (uint32_t)p.pool_access->count;
		break;
	case GST_PARAMS_POOL_OF_DEVICE:
		d->object = gst_handle(p.pool_of_device->pool);
		d->place = p.pool_of_device->device + 1;
		break;
	case GST_PARAMS_POOL_OF_MEMORY:
		d->object = gst_handle(p.pool_of_memory->pool);
		d->flags = p.pool_of_memory->type;
		if (p.pool_of_memory->location) {
			d->place = place_at(p.pool_of_memory->location);
		}
		break;
	case GST_PARAMS_CTX_CREATE:
		d->out = p.ctx_create->context;
		d->flags = p.ctx_create->flags;
		d->place = p.ctx_create->device + 1;
		break;
	case GST_PARAMS_CTX_CREATE_V3:
		d->out = p.ctx_create_v3->context;
		d->flags = p.ctx_create_v3->flags;
		d->place = p.ctx_create_v3->device + 1;
		break;
	case GST_PARAMS_CTX_CREATE_V4:
		d->out = p.ctx_create_v4->context;
		d->flags = p.ctx_create_v4->flags;
		d->place = p.ctx_create_v4->device + 1;
		break;
	case GST_PARAMS_CTX_FLAGS:
		d->flags = p.ctx_flags->flags;
		break;
	case GST_PARAMS_DEVICE_FLAGS:
		d->place = p.device_flags->device + 1;
		d->flags = p.device_flags->flags;
		break;
	case GST_PARAMS_MODULE_LOAD:
		d->out = p.module_load->module;
		break;
	case GST_PARAMS_MODULE:
	case GST_PARAMS_CTX:
	case GST_PARAMS_PEER:
		memcpy(&d->object, params, sizeof(d->object));
		break;
	case GST_PARAMS_DEVICE:
		d->size = (uint32_t)p.device->device;
		break;
	case GST_PARAMS_LIMIT:
		d->object = p.limit->limit;
		d->size = p.limit->value;
		break;
	case GST_PARAMS_STREAM_AT_16:
	case GST_PARAMS_STREAM_AT_24:
	case GST_PARAMS_STREAM_AT_32:
		word = api->layout == GST_PARAMS_STREAM_AT_16	? 16
		       : api->layout == GST_PARAMS_STREAM_AT_24 ? 24
								: 32;
		memcpy(&d->stream, (const unsigned char *)params + word, sizeof(d->stream));
		break;
	case GST_PARAMS_RT_COPY:
		d->object = p.rt_copy->dst;
		d->second = p.rt_copy->src;
		d->size = p.rt_copy->bytes;
		d->direction = direction_of_runtime(p.rt_copy->copyKind);
		break;
	case GST_PARAMS_RT_COPY_SYMBOL:
		/* A symbol's address on the host is not where the copy goes. */
		d->size = p.rt_symbol->bytes;
		d->direction = direction_of_runtime(p.rt_symbol->copyKind);
		break;
	case GST_PARAMS_RT_COPY_2D:
		d->object = p.rt_copy_2d->dst;
		d->second = p.rt_copy_2d->src;
		d->size = p.rt_copy_2d->width * p.rt_copy_2d->height;
		d->direction = direction_of_runtime(p.rt_copy_2d->copyKind);
		break;
	case GST_PARAMS_RT_COPY_PEER:
		d->object = p.rt_peer->dst;
		d->second = p.rt_peer->src;
		d->size = p.rt_peer->bytes;
		break;
	case GST_PARAMS_RT_MEMSET:
		d->object = p.rt_memset->dst;
		d->size = p.rt_memset->bytes;
		break;
	case GST_PARAMS_RT_MEMSET_2D:
		d->object = p.rt_memset_2d->dst;
		d->size = p.rt_memset_2d->width * p.rt_memset_2d->height;
		break;
	}
}
