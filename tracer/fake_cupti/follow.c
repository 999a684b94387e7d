/*
 * follow.c - pointers in the parameters of CUDA calls.
 *
 * Role      : recorder and player of CUPTI recordings.
 * Method    : one case for each layout, as in callbacks.c, without a default: a new layout is a warning here.
 * Invariant : lists are followed as far as callbacks.c reads them.
 * Not here  : what the fields mean.
 */
#include "tracer/fake_cupti/follow.h"

#include "tracer/cupti_abi.h"
#include "tracer/format/api.h"
#include "tracer/format/format.h"

#include <stdbool.h>

#define LIST_MAX       256u
#define ATTRIBUTES_MAX 64u
#define EDGES_MAX      65536u /* resources.c may look anywhere in them */

/* Calls that callbacks.c reads by their number: no layout says what they point to. */
#define DRIVER(cbid)	GST_API_ID(GST_API_DOMAIN_DRIVER, cbid)
#define MODULE_FUNCTION DRIVER(23u)
#define LIBRARY_KERNEL	DRIVER(681u)
#define KERNEL_FUNCTION DRIVER(683u)
#define ADD_KERNEL	DRIVER(502u)
#define ADD_KERNEL_2	DRIVER(689u)

/* Of a node's parameters: those of a kernel stand where the event of others does. */
#define NODE_BYTES \
	(offsetof(struct gst_cu_node_params, event) + sizeof(struct gst_cu_kernel_params))

struct walk {
	follow_fn *visit;
	void *arg;
};

/* Follow the pointer that stands at @field. */
static void *go(const struct walk *w, const void *field, size_t bytes)
{
	void **pointer = (void **)(uintptr_t)field;

	if (*pointer && bytes) {
		*pointer = w->visit(w->arg, *pointer, bytes);
	}
	return bytes ? *pointer : NULL;
}

static size_t list(uint64_t count, size_t bytes)
{
	return (size_t)(count < LIST_MAX ? count : LIST_MAX) * bytes;
}

/* All of an array, or the receiver gets none of it. */
static void go_whole(const struct walk *w, const void *field, uint64_t count, size_t bytes)
{
	void **pointer = (void **)(uintptr_t)field;

	if (count > EDGES_MAX) {
		*pointer = NULL;
	}
	go(w, field, count > EDGES_MAX ? 0 : (size_t)count * bytes);
}

/* True if it is one of the calls that give handles of kernels. */
static bool follow_kernel_handle(const struct walk *w, uint32_t api, void *params)
{
	if (api == KERNEL_FUNCTION) {
		go(w, &((struct gst_cu_get_function *)params)->function, 8);
		return true;
	}
	if (api == MODULE_FUNCTION || api == LIBRARY_KERNEL) {
		go(w, &((struct gst_cu_get_kernel *)params)->kernel, 8);
		go(w, &((struct gst_cu_get_kernel *)params)->name, FOLLOW_TEXT);
		return true;
	}
	return false;
}

void follow_params(uint32_t id, void *params, follow_fn *visit, void *arg)
{
	const struct walk w = {visit, arg};
	const struct gst_api *api = gst_api_find(id);
	uint32_t layout = api ? api->layout : (uint32_t)GST_PARAMS_NONE;
	union {
		void *any;
		struct gst_cu_launch_ex *launch_ex;
		struct gst_cu_launch_multi *launch_multi;
		struct gst_cu_copy_2d_call *copy_2d;
		struct gst_cu_copy_3d_call *copy_3d;
		struct gst_cu_copy_batch *batch;
		struct gst_cu_copy_batch_v2 *batch_v2;
		struct gst_cu_copy_3d_batch *batch_3d;
		struct gst_cu_copy_3d_batch_v2 *batch_3d_v2;
		struct gst_cu_capture_end *capture_end;
		struct gst_cu_graph_instantiate *instantiate;
		struct gst_cu_graph_add *graph_add;
		struct gst_cu_graph_add_data *graph_add_data;
		struct gst_cu_graph_node *graph_node;
		struct gst_cu_graph_exec_node *graph_exec_node;
		struct gst_cu_graph_edges *graph_edges;
		struct gst_cu_graph_edges_data *graph_edges_data;
		struct gst_cu_prefetch_batch *prefetch_batch;
		struct gst_cu_memop_batch *memop_batch;
		struct gst_cu_semaphores *semaphores;
		struct gst_cu_pointer_attribute *pointer;
		struct gst_cu_pool_attribute *pool_attribute;
		struct gst_cu_pool_access *pool_access;
		struct gst_cu_pool_of_memory *pool_of_memory;
		struct gst_cu_pool_create *pool_create;
	} p = {params};
	struct gst_cu_launch_config *config;
	uint32_t attributes;

	if (follow_kernel_handle(&w, id, params)) {
		return;
	}
	switch ((enum gst_api_layout)layout) {
	case GST_PARAMS_LAUNCH_EX:
		config = go(&w, &p.launch_ex->config, sizeof(*config));
		if (config) {
			attributes = config->numAttrs < ATTRIBUTES_MAX ? config->numAttrs
								       : ATTRIBUTES_MAX;
			go(&w, &config->attrs, attributes * sizeof(config->attrs[0]));
		}
		break;
	case GST_PARAMS_LAUNCH_MULTI:
		go(&w, &p.launch_multi->list,
		   list(p.launch_multi->numDevices, sizeof(p.launch_multi->list[0])));
		break;
	case GST_PARAMS_COPY_2D:
	case GST_PARAMS_COPY_2D_ASYNC:
		go(&w, &p.copy_2d->copy, sizeof(*p.copy_2d->copy));
		break;
	case GST_PARAMS_COPY_3D:
	case GST_PARAMS_COPY_3D_ASYNC:
	case GST_PARAMS_COPY_3D_PEER:
	case GST_PARAMS_COPY_3D_PEER_ASYNC:
		go(&w, &p.copy_3d->copy, sizeof(*p.copy_3d->copy));
		break;
	case GST_PARAMS_COPY_BATCH:
		go(&w, &p.batch->dsts, list(p.batch->count, 8));
		go(&w, &p.batch->srcs, list(p.batch->count, 8));
		go(&w, &p.batch->sizes, list(p.batch->count, 8));
		go(&w, &p.batch->attrs, list(p.batch->numAttrs, sizeof(p.batch->attrs[0])));
		go(&w, &p.batch->attrsIdxs, list(p.batch->numAttrs, 8));
		break;
	case GST_PARAMS_COPY_BATCH_V2:
		go(&w, &p.batch_v2->dsts, list(p.batch_v2->count, 8));
		go(&w, &p.batch_v2->srcs, list(p.batch_v2->count, 8));
		go(&w, &p.batch_v2->sizes, list(p.batch_v2->count, 8));
		go(&w, &p.batch_v2->attrs,
		   list(p.batch_v2->numAttrs, sizeof(p.batch_v2->attrs[0])));
		go(&w, &p.batch_v2->attrsIdxs, list(p.batch_v2->numAttrs, 8));
		break;
	case GST_PARAMS_COPY_3D_BATCH:
		go(&w, &p.batch_3d->opList,
		   list(p.batch_3d->numOps, sizeof(struct gst_cu_copy_3d_op)));
		break;
	case GST_PARAMS_COPY_3D_BATCH_V2:
		go(&w, &p.batch_3d_v2->opList,
		   list(p.batch_3d_v2->numOps, sizeof(struct gst_cu_copy_3d_op)));
		break;
	case GST_PARAMS_CAPTURE_END:
		go(&w, &p.capture_end->graph, 8);
		break;
	case GST_PARAMS_GRAPH_INSTANTIATE_PARAMS:
		go(&w, &p.instantiate->args, sizeof(*p.instantiate->args));
		/* fall through */
	case GST_PARAMS_GRAPH_INSTANTIATE:
	case GST_PARAMS_GRAPH_INSTANTIATE_FLAGS:
		go(&w, &p.instantiate->graphExec, 8);
		break;
	case GST_PARAMS_ALLOC_PITCH:
	case GST_PARAMS_EVENT_CREATE:
	case GST_PARAMS_EVENT_ELAPSED:
	case GST_PARAMS_STREAM_CREATE:
	case GST_PARAMS_STREAM_CREATE_PRIO:
	case GST_PARAMS_GREEN_STREAM_CREATE:
	case GST_PARAMS_STREAM_OUT:
	case GST_PARAMS_ALLOC:
	case GST_PARAMS_ALLOC_FLAGS:
	case GST_PARAMS_ALLOC_ASYNC:
	case GST_PARAMS_ALLOC_POOL:
	case GST_PARAMS_MODULE_LOAD:
	case GST_PARAMS_CTX_OUT:
	case GST_PARAMS_POINTER_OUT:
	case GST_PARAMS_CTX_CREATE:
	case GST_PARAMS_CTX_CREATE_V3:
	case GST_PARAMS_CTX_CREATE_V4:
	case GST_PARAMS_POOL_CREATE:
	case GST_PARAMS_MEM_CREATE:
		/* The first parameter says where the result goes. */
		go(&w, params, 8);
		if (layout == GST_PARAMS_POOL_CREATE) {
			go(&w, &p.pool_create->props, 88);
		}
		break;
	case GST_PARAMS_GRAPH_ADD:
	case GST_PARAMS_GRAPH_ADD_EVENT:
	case GST_PARAMS_GRAPH_ADD_NODE:
		go_whole(&w, &p.graph_add->dependencies, p.graph_add->count, 8);
		if (layout == GST_PARAMS_GRAPH_ADD_NODE) {
			go(&w, &p.graph_add->params, NODE_BYTES);
		} else if (id == ADD_KERNEL || id == ADD_KERNEL_2) {
			go(&w, &p.graph_add->kernel,
			   id == ADD_KERNEL_2 ? sizeof(*p.graph_add->kernel)
					      : offsetof(struct gst_cu_kernel_params, kernel));
		}
		break;
	case GST_PARAMS_GRAPH_EXEC_NODE_PARAMS:
		go(&w, &p.graph_exec_node->params, NODE_BYTES);
		break;
	case GST_PARAMS_GRAPH_NODE_PARAMS:
		go(&w, &p.graph_node->params, NODE_BYTES);
		break;
	case GST_PARAMS_GRAPH_ADD_NODE_DATA:
		go_whole(&w, &p.graph_add_data->dependencies, p.graph_add_data->count, 8);
		go_whole(&w, &p.graph_add_data->data, p.graph_add_data->count,
			 sizeof(p.graph_add_data->data[0]));
		go(&w, &p.graph_add_data->params, NODE_BYTES);
		break;
	case GST_PARAMS_GRAPH_EDGES:
		go_whole(&w, &p.graph_edges->from, p.graph_edges->count, 8);
		go_whole(&w, &p.graph_edges->to, p.graph_edges->count, 8);
		break;
	case GST_PARAMS_GRAPH_EDGES_DATA:
		go_whole(&w, &p.graph_edges_data->from, p.graph_edges_data->count, 8);
		go_whole(&w, &p.graph_edges_data->to, p.graph_edges_data->count, 8);
		go_whole(&w, &p.graph_edges_data->data, p.graph_edges_data->count,
			 sizeof(p.graph_edges_data->data[0]));
		break;
	case GST_PARAMS_PREFETCH_BATCH:
		go(&w, &p.prefetch_batch->ptrs, list(p.prefetch_batch->count, 8));
		go(&w, &p.prefetch_batch->sizes, list(p.prefetch_batch->count, 8));
		go(&w, &p.prefetch_batch->locations,
		   list(p.prefetch_batch->numLocations, sizeof(p.prefetch_batch->locations[0])));
		go(&w, &p.prefetch_batch->locationIdxs, list(p.prefetch_batch->numLocations, 8));
		break;
	case GST_PARAMS_MEMOP_BATCH:
		go(&w, &p.memop_batch->ops,
		   list(p.memop_batch->count, sizeof(struct gst_cu_memop)));
		break;
	case GST_PARAMS_SEMAPHORES:
		go(&w, &p.semaphores->semaphores, list(p.semaphores->count, 8));
		break;
	case GST_PARAMS_POINTER_ATTRIBUTE:
		go(&w, &p.pointer->value, 4);
		break;
	case GST_PARAMS_POOL_ATTRIBUTE:
		go(&w, &p.pool_attribute->value,
		   p.pool_attribute->attribute <= GST_CU_POOL_REUSE_LAST ? 4 : 8);
		break;
	case GST_PARAMS_POOL_ACCESS:
		go(&w, &p.pool_access->map, list(p.pool_access->count, 12));
		break;
	case GST_PARAMS_POOL_OF_MEMORY:
		go(&w, &p.pool_of_memory->location, sizeof(struct gst_cu_mem_location));
		break;
	/* Values alone; or pointers into the program's data and handles, whose value is what counts. */
	case GST_PARAMS_NONE:
	case GST_PARAMS_COUNT:
	case GST_PARAMS_LAUNCH:
	case GST_PARAMS_COPY:
	case GST_PARAMS_COPY_ASYNC:
	case GST_PARAMS_COPY_TO_ARRAY:
	case GST_PARAMS_COPY_TO_ARRAY_ASYNC:
	case GST_PARAMS_COPY_FROM_ARRAY:
	case GST_PARAMS_COPY_FROM_ARRAY_ASYNC:
	case GST_PARAMS_COPY_ARRAY_ARRAY:
	case GST_PARAMS_COPY_PEER:
	case GST_PARAMS_COPY_PEER_ASYNC:
	case GST_PARAMS_MEMSET_8:
	case GST_PARAMS_MEMSET_16:
	case GST_PARAMS_MEMSET_32:
	case GST_PARAMS_MEMSET_8_ASYNC:
	case GST_PARAMS_MEMSET_16_ASYNC:
	case GST_PARAMS_MEMSET_32_ASYNC:
	case GST_PARAMS_MEMSET_2D_8:
	case GST_PARAMS_MEMSET_2D_16:
	case GST_PARAMS_MEMSET_2D_32:
	case GST_PARAMS_MEMSET_2D_8_ASYNC:
	case GST_PARAMS_MEMSET_2D_16_ASYNC:
	case GST_PARAMS_MEMSET_2D_32_ASYNC:
	case GST_PARAMS_EVENT:
	case GST_PARAMS_EVENT_RECORD:
	case GST_PARAMS_EVENT_RECORD_FLAGS:
	case GST_PARAMS_CTX_EVENT:
	case GST_PARAMS_STREAM:
	case GST_PARAMS_STREAM_WAIT:
	case GST_PARAMS_HOST_FUNC:
	case GST_PARAMS_STREAM_CALLBACK:
	case GST_PARAMS_CAPTURE_BEGIN:
	case GST_PARAMS_CAPTURE_TO_GRAPH:
	case GST_PARAMS_GRAPH_STREAM:
	case GST_PARAMS_GRAPH_EXEC:
	case GST_PARAMS_GRAPH_EXEC_NODE:
	case GST_PARAMS_GRAPH_EXEC_NODE_EVENT:
	case GST_PARAMS_GRAPH_EXEC_NODE_FLAG:
	case GST_PARAMS_GRAPH:
	case GST_PARAMS_GRAPH_UPDATE:
	case GST_PARAMS_GRAPH_NODE:
	case GST_PARAMS_GRAPH_NODE_SET:
	case GST_PARAMS_GRAPH_NODE_EVENT:
	case GST_PARAMS_CAPTURE_EDGES:
	case GST_PARAMS_CAPTURE_EDGES_DATA:
	case GST_PARAMS_FREE:
	case GST_PARAMS_HOST_REGISTER:
	case GST_PARAMS_MEM_RANGE:
	case GST_PARAMS_FREE_ASYNC:
	case GST_PARAMS_POOL:
	case GST_PARAMS_POOL_TRIM:
	case GST_PARAMS_POOL_OF_DEVICE:
	case GST_PARAMS_PREFETCH:
	case GST_PARAMS_PREFETCH_V2:
	case GST_PARAMS_MEMOP_32:
	case GST_PARAMS_MEMOP_64:
	case GST_PARAMS_ATTACH:
	case GST_PARAMS_MODULE:
	case GST_PARAMS_CTX:
	case GST_PARAMS_CTX_FLAGS:
	case GST_PARAMS_DEVICE_FLAGS:
	case GST_PARAMS_DEVICE:
	case GST_PARAMS_LIMIT:
	case GST_PARAMS_PEER:
	case GST_PARAMS_STREAM_AT_16:
	case GST_PARAMS_STREAM_AT_24:
	case GST_PARAMS_STREAM_AT_32:
	case GST_PARAMS_RT_COPY:
	case GST_PARAMS_RT_COPY_SYMBOL:
	case GST_PARAMS_RT_COPY_2D:
	case GST_PARAMS_RT_COPY_PEER:
	case GST_PARAMS_RT_MEMSET:
	case GST_PARAMS_RT_MEMSET_2D:
		break;
	}
}

void follow_resource(uint32_t cbid, void **descriptor, follow_fn *visit, void *arg)
{
	const struct walk w = {visit, arg};
	struct gst_cupti_stream_attr_data *attr;

	if (cbid >= GST_CUPTI_RESOURCE_MODULE_LOADED &&
	    cbid <= GST_CUPTI_RESOURCE_MODULE_PROFILED) {
		go(&w, (const void *)descriptor, sizeof(struct gst_cupti_module_data));
	} else if (cbid == GST_CUPTI_RESOURCE_STREAM_ATTRIBUTE_CHANGED) {
		attr = go(&w, (const void *)descriptor, sizeof(*attr));
		if (attr) {
			go(&w, &attr->value, 64);
		}
	} else if (cbid >= GST_CUPTI_RESOURCE_GRAPH_CREATED) {
		go(&w, (const void *)descriptor, sizeof(struct gst_cupti_graph_data));
	} else {
		*descriptor = NULL;
	}
}
