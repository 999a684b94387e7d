/*
 * fake_graph.c - events and graphs of the fake CUDA.
 *
 * Role      : the calls of fake_cupti.h that are about these.
 * Method    : fake_cuda.c has what a call is made of.
 * Invariant : the lock is never held in a callback or while waiting.
 * Not here  : what CUPTI does with callbacks and records.
 */
#include "tracer/fake_cupti/fake_cuda.h"

/* ---- events -------------------------------------------------------------------------------- */

EXPORT int fake_event_create(void)
{
	void *made = NULL;
	struct gst_cu_event_create params = {.event = &made, .flags = GST_CU_EVENT_DISABLE_TIMING};
	struct call call;
	int event = 0;
	int result = 2;

	if (cuda_begin(&call, "cudaEventCreateWithFlags_v3020", NULL, "cuEventCreate", &params,
		       NULL)) {
		pthread_mutex_lock(&cuda_lock);
		if (cuda.event_count + 1 < EVENTS) {
			event = ++cuda.event_count;
			made = cuda_handle(EVENT_BASE, event);
			result = GST_CU_SUCCESS;
		}
		pthread_mutex_unlock(&cuda_lock);
	}
	return cuda_end(&call, result) ? 0 : event;
}

EXPORT int fake_event_record(int event, int stream)
{
	struct gst_cu_event_record params = {.event = cuda_handle(EVENT_BASE, event),
					     .hStream = cuda_stream_handle(stream)};
	struct gst_cupti_cuda_event record = {.kind = GST_CUPTI_KIND_CUDA_EVENT};
	uint64_t start_ns, end_ns;
	struct call call;

	if (cuda_begin(&call, "cudaEventRecord_v3020", NULL, "cuEventRecord", &params, NULL)) {
		int on = cuda_device_stream(stream);

		if (cuda_capture_of(on)) {
			pthread_mutex_lock(&cuda_lock);
			cuda.events[event].is_captured = true;
			pthread_mutex_unlock(&cuda_lock);
		} else {
			end_ns = cuda_submit(on, 0, 0, &start_ns);
			pthread_mutex_lock(&cuda_lock);
			cuda.events[event].is_captured = false;
			cuda.events[event].time_ns = end_ns;
			cuda.events[event].sync_id = cuda.next_sync++;
			record.cudaEventSyncId = cuda.events[event].sync_id;
			pthread_mutex_unlock(&cuda_lock);
			record.correlationId = cuda_correlation();
			record.contextId = FAKE_CONTEXT_ID;
			record.streamId = cuda.stream_id[on];
			record.eventId = (uint32_t)event;
			record.deviceId = FAKE_DEVICE_ID;
			record.deviceTimestamp = fake_wants_event_times() ? end_ns : 0;
			if (fake_wants(GST_CUPTI_KIND_CUDA_EVENT)) {
				fake_record(&record, NULL, NULL, end_ns);
			}
		}
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_stream_wait(int stream, int event)
{
	struct gst_cu_stream_wait params = {.hStream = cuda_stream_handle(stream),
					    .event = cuda_handle(EVENT_BASE, event)};
	uint64_t begun = fake_now();
	uint64_t start_ns, at;
	struct call call;

	if (cuda_begin(&call, "cudaStreamWaitEvent_v3020", NULL, "cuStreamWaitEvent", &params,
		       NULL)) {
		int on = cuda_device_stream(stream);

		pthread_mutex_lock(&cuda_lock);
		at = cuda.events[event].is_captured || cuda.capturing[on]
			     ? 0
			     : cuda.events[event].time_ns;
		pthread_mutex_unlock(&cuda_lock);
		if (at) {
			cuda_submit(on, at, 0, &start_ns);
		}
		/* Also inside a capture, with the number of an older record: as measured. */
		cuda_sync_record(GST_CUPTI_SYNC_STREAM_WAIT_EVENT, begun, cuda.stream_id[on], event,
				 GST_CU_SUCCESS);
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

static uint64_t event_time(int event)
{
	uint64_t at;

	pthread_mutex_lock(&cuda_lock);
	at = cuda.events[event].time_ns;
	pthread_mutex_unlock(&cuda_lock);
	return at;
}

EXPORT int fake_event_query(int event)
{
	struct gst_cu_event params = {.event = cuda_handle(EVENT_BASE, event)};
	uint64_t begun = fake_now();
	int result = GST_CU_SUCCESS;
	struct call call;

	if (cuda_begin(&call, "cudaEventQuery_v3020", NULL, "cuEventQuery", &params, NULL)) {
		result = event_time(event) > fake_now() ? GST_CU_ERROR_NOT_READY : GST_CU_SUCCESS;
		cuda_sync_record(GST_CUPTI_SYNC_EVENT_SYNCHRONIZE, begun, SYNC_NONE, event, result);
	}
	return cuda_end(&call, result);
}

EXPORT int fake_event_sync(int event)
{
	struct gst_cu_event params = {.event = cuda_handle(EVENT_BASE, event)};
	uint64_t begun = fake_now();
	struct call call;

	if (cuda_begin(&call, "cudaEventSynchronize_v3020", &params, "cuEventSynchronize", &params,
		       NULL)) {
		fake_sleep_until(event_time(event));
		cuda_sync_record(GST_CUPTI_SYNC_EVENT_SYNCHRONIZE, begun, SYNC_NONE, event,
				 GST_CU_SUCCESS);
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_event_destroy(int event)
{
	struct gst_cu_event params = {.event = cuda_handle(EVENT_BASE, event)};
	struct call call;

	cuda_begin(&call, "cudaEventDestroy_v3020", NULL, "cuEventDestroy_v2", &params, NULL);
	return cuda_end(&call, GST_CU_SUCCESS);
}

/* ---- graphs -------------------------------------------------------------------------------- */

EXPORT int fake_capture_begin(int stream)
{
	struct gst_cu_capture_begin params = {.hStream = cuda_stream_handle(stream),
					      .mode = GST_CU_CAPTURE_GLOBAL};
	struct gst_cupti_graph_data data = {0};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	int result = 2;
	struct call call;

	if (cuda_begin(&call, "cudaStreamBeginCapture_v10000", NULL, "cuStreamBeginCapture_v2",
		       &params, NULL)) {
		int on = cuda_device_stream(stream);
		int graph = 0;

		pthread_mutex_lock(&cuda_lock);
		if (cuda.graph_count + 1 < GRAPHS && !cuda.capturing[on]) {
			graph = ++cuda.graph_count;
			cuda.graphs[graph].id = cuda.next_graph_id++;
			cuda.capturing[on] = graph;
			result = GST_CU_SUCCESS;
		}
		pthread_mutex_unlock(&cuda_lock);
		if (graph) {
			data.graph = cuda_handle(GRAPH_BASE, graph);
			fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_GRAPH_CREATED,
				      &resource);
		}
	}
	return cuda_end(&call, result);
}

EXPORT int fake_capture_end(int stream)
{
	void *made = NULL;
	struct gst_cu_capture_end params = {.hStream = cuda_stream_handle(stream), .graph = &made};
	int result = 401; /* capture invalidated */
	struct call call;
	int graph = 0;

	if (cuda_begin(&call, "cudaStreamEndCapture_v10000", NULL, "cuStreamEndCapture", &params,
		       NULL)) {
		int on = cuda_device_stream(stream);

		graph = cuda_capture_of(on);
		if (graph) {
			pthread_mutex_lock(&cuda_lock);
			cuda.capturing[on] = 0;
			pthread_mutex_unlock(&cuda_lock);
			made = cuda_handle(GRAPH_BASE, graph);
			result = GST_CU_SUCCESS;
		}
	}
	return cuda_end(&call, result) ? 0 : graph;
}

static void clone_nodes(int graph, int exec)
{
	struct gst_cupti_graph_data data = {.graph = cuda_handle(EXEC_BASE, exec),
					    .originalGraph = cuda_handle(GRAPH_BASE, graph)};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};

	for (int i = 0; i < cuda.execs[exec].count; i++) {
		data.node = cuda_node_handle(GRAPHS + exec, i);
		data.originalNode = cuda_node_handle(graph, i);
		data.dependency = NULL;
		data.nodeType = cuda.execs[exec].nodes[i].name ? GST_CU_GRAPH_NODE_KERNEL
							       : GST_CU_GRAPH_NODE_HOST;
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_GRAPHNODE_CLONED,
			      &resource);
		if (i > 0) {
			data.dependency = cuda_node_handle(GRAPHS + exec, i - 1);
			fake_callback(GST_CUPTI_DOMAIN_RESOURCE,
				      GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, &resource);
		}
	}
}

EXPORT int fake_graph_instantiate(int graph)
{
	void *made = NULL;
	struct gst_cu_graph_instantiate params = {.graphExec = &made,
						  .graph = cuda_handle(GRAPH_BASE, graph)};
	struct gst_cupti_graph_data data = {.originalGraph = params.graph};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	int result = 2;
	struct call call;
	int exec = 0;

	if (cuda_begin(&call, "cudaGraphInstantiate_v12000", NULL, "cuGraphInstantiateWithFlags",
		       &params, NULL)) {
		pthread_mutex_lock(&cuda_lock);
		if (cuda.exec_count + 1 < GRAPHS) {
			exec = ++cuda.exec_count;
			cuda.execs[exec] = cuda.graphs[graph];
			cuda.execs[exec].id = cuda.next_graph_id++;
			result = GST_CU_SUCCESS;
		}
		pthread_mutex_unlock(&cuda_lock);
		if (exec) {
			made = cuda_handle(EXEC_BASE, exec);
			data.graphExec = made;
			data.graph = made;
			fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_GRAPH_CLONED,
				      &resource);
			clone_nodes(graph, exec);
			data.graph = params.graph;
			data.originalGraph = NULL;
			fake_callback(GST_CUPTI_DOMAIN_RESOURCE,
				      GST_CUPTI_RESOURCE_GRAPHEXEC_CREATED, &resource);
		}
	}
	return cuda_end(&call, result) ? 0 : exec;
}

EXPORT int fake_graph_launch(int exec, int stream)
{
	struct gst_cu_graph_stream params = {.graphExec = cuda_handle(EXEC_BASE, exec),
					     .hStream = cuda_stream_handle(stream)};
	struct call call;

	if (cuda_begin(&call, "cudaGraphLaunch_v10000", NULL, "cuGraphLaunch", &params, NULL)) {
		int on = cuda_device_stream(stream);
		struct graph *g = &cuda.execs[exec];
		uint64_t first_ns = 0, start_ns, end_ns = 0;
		bool is_whole = fake_wants(GST_CUPTI_KIND_GRAPH_TRACE);

		for (int i = 0; i < g->count; i++) {
			end_ns = cuda_submit(on, 0, g->nodes[i].duration_ns, &start_ns);
			if (!first_ns) {
				first_ns = start_ns;
			}
			if (!is_whole && g->nodes[i].name) {
				cuda_kernel_record(on, cuda_keep(g->nodes[i].name), start_ns,
						   end_ns, g->id,
						   (uint64_t)g->id << 32 | (uint64_t)i);
			} else if (!g->nodes[i].name) {
				cuda_host_node_record(on, start_ns, end_ns, g->id,
						      (uint64_t)g->id << 32 | (uint64_t)i);
			}
		}
		if (is_whole) {
			struct gst_cupti_graph_trace record = {
				.kind = GST_CUPTI_KIND_GRAPH_TRACE,
				.correlationId = cuda_correlation(),
				.start = first_ns,
				.end = end_ns,
				.deviceId = FAKE_DEVICE_ID,
				.graphId = g->id,
				.contextId = FAKE_CONTEXT_ID,
				.streamId = cuda.stream_id[on],
				.endDeviceId = FAKE_DEVICE_ID,
				.endContextId = FAKE_CONTEXT_ID,
			};

			fake_record(&record, &record.start, &record.end, end_ns);
		}
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}
