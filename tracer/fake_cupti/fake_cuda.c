/*
 * fake_cuda.c - CUDA calls as a tool sees them: callbacks around work on the simulated device.
 *
 * Role      : tests and scripts call fake_* here; fake_cupti.c carries callbacks and records to the tool.
 * Method    : each call enters the runtime (if asked for) and the driver with one correlation id, puts its
 *             work into fake_device.c at the current time, leaves records that become ready when the work
 *             ends, really waits if the call waits, and leaves in reverse order.
 * Invariant : the lock is never held in a callback or while waiting.
 * Not here  : what CUPTI does with callbacks and records; kernels, memory, events and graphs (fake_kernel.c,
 *             fake_memory.c, fake_graph.c).
 */
#include "tracer/fake_cupti/fake_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/fake_cupti/fake_inject.h"

pthread_mutex_t cuda_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t init_once = PTHREAD_ONCE_INIT;

struct fake_cuda cuda = {
	.next_graph_id = 1,
	.next_stream_id = FIRST_STREAM_ID,
	.next_correlation = 1,
	.next_sync = 1,
	.next_address = 0x7f0000000000u,
	.is_runtime = true,
};

static _Thread_local struct {
	int depth;
	uintptr_t frame;     /* of the outermost call */
	uint64_t entered_ns; /* ... when it was entered */
	uint32_t correlation;
	int per_thread_stream; /* device stream, 0 = not made yet */
	int fail_next;
	void (*action)(void *argument);
	void *argument;
} self;

uint32_t cuda_correlation(void)
{
	return self.correlation;
}

/* A child of fork() must find the mutex free, whatever other threads did. */
static void lock_all(void)
{
	pthread_mutex_lock(&cuda_lock);
}

static void unlock_all(void)
{
	pthread_mutex_unlock(&cuda_lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}

/* ---- handles ------------------------------------------------------------------------------- */

void *cuda_handle(uint64_t base, int number)
{
	return (void *)(uintptr_t)(base + (uint64_t)number * HANDLE_STEP);
}

static int number_of(uint64_t base, const void *pointer, int count)
{
	uint64_t n = ((uint64_t)(uintptr_t)pointer - base) / HANDLE_STEP;

	return (uint64_t)(uintptr_t)pointer > base && n < (uint64_t)count ? (int)n : 0;
}

void *cuda_stream_handle(int stream)
{
	if (stream == FAKE_LEGACY) {
		return (void *)GST_CU_STREAM_LEGACY;
	}
	if (stream == FAKE_PER_THREAD) {
		return (void *)GST_CU_STREAM_PER_THREAD;
	}
	return stream == FAKE_NULL ? NULL : cuda_handle(STREAM_BASE, stream);
}

void *fake_stream_handle(int stream)
{
	return cuda_stream_handle(stream);
}

static void stream_record(uint32_t id, int priority, uint32_t flag)
{
	struct gst_cupti_stream record = {
		.kind = GST_CUPTI_KIND_STREAM,
		.contextId = FAKE_CONTEXT_ID,
		.streamId = id,
		.priority = (uint32_t)priority,
		.flag = flag,
		.correlationId = self.correlation,
	};

	if (fake_wants(GST_CUPTI_KIND_STREAM)) {
		fake_record(&record, NULL, NULL, fake_now());
	}
}

/* The device stream that a call with this stream argument uses. */
int cuda_device_stream(int stream)
{
	bool is_own;
	int made = 0;

	pthread_mutex_lock(&cuda_lock);
	is_own = stream == FAKE_PER_THREAD || (stream == FAKE_NULL && cuda.is_per_thread);
	if (is_own && !self.per_thread_stream) {
		made = fake_device_add_stream(&cuda.device, FAKE_STREAM_BLOCKING);
		if (made < 0) {
			abort();
		}
		self.per_thread_stream = made;
		cuda.stream_id[made] = cuda.next_stream_id++;
	}
	pthread_mutex_unlock(&cuda_lock);
	if (made) {
		stream_record(cuda.stream_id[made], 0, GST_CUPTI_STREAM_DEFAULT);
	}
	if (is_own) {
		return self.per_thread_stream;
	}
	return stream > 0 ? stream : 0;
}

uint32_t fake_stream_id(const void *stream, bool is_per_thread)
{
	uint32_t id = 0;
	int n;

	if (stream == (void *)GST_CU_STREAM_PER_THREAD || (!stream && is_per_thread)) {
		return cuda.stream_id[cuda_device_stream(FAKE_PER_THREAD)];
	}
	pthread_mutex_lock(&cuda_lock);
	if (!stream || stream == (void *)GST_CU_STREAM_LEGACY) {
		id = NULL_STREAM_ID;
	} else {
		n = number_of(STREAM_BASE, stream, cuda.device.streams);
		id = n ? cuda.stream_id[n] : 0;
	}
	pthread_mutex_unlock(&cuda_lock);
	return id;
}

uint32_t fake_graph_id(const void *graph)
{
	uint32_t id = 0;
	int n;

	pthread_mutex_lock(&cuda_lock);
	n = number_of(GRAPH_BASE, graph, cuda.graph_count + 1);
	if (n) {
		id = cuda.graphs[n].id;
	}
	n = number_of(EXEC_BASE, graph, cuda.exec_count + 1);
	if (n) {
		id = cuda.execs[n].id;
	}
	pthread_mutex_unlock(&cuda_lock);
	return id;
}

/* A number for a node of a graph, or, from GRAPHS on, of an executable graph. */
void *cuda_node_handle(int graph, int index)
{
	return cuda_handle(NODE_BASE, graph * GRAPH_NODES + index);
}

/* As measured: id of the graph in the upper half, index in the lower. */
uint64_t fake_node_id(const void *node)
{
	int n = number_of(NODE_BASE, node, 2 * GRAPHS * GRAPH_NODES);
	int graph = n / GRAPH_NODES;
	uint32_t id;

	if (!n) {
		return 0;
	}
	pthread_mutex_lock(&cuda_lock);
	id = graph < GRAPHS ? cuda.graphs[graph].id : cuda.execs[graph - GRAPHS].id;
	pthread_mutex_unlock(&cuda_lock);
	return (uint64_t)id << 32 | (uint64_t)(n % GRAPH_NODES);
}

/* ---- start --------------------------------------------------------------------------------- */

void fake_emit_objects(uint32_t kind)
{
	static const uint32_t internal[] = {6, 8, 9, 10, 11, 12};

	if (!fake_wants(kind)) {
		return;
	}
	if (kind == GST_CUPTI_KIND_DEVICE) {
		struct gst_cupti_device record = {
			.kind = GST_CUPTI_KIND_DEVICE,
			.flags = GST_CUPTI_FLAG_DEVICE_CONCURRENT_KERNELS,
			.globalMemorySize = UINT64_C(16) << 30,
			.numMemcpyEngines = 3,
			.numMultiprocessors = 16,
			.computeCapabilityMajor = 9,
			.id = FAKE_DEVICE_ID,
			.uuid = {0xfa, 0x4e},
			.name = strdup("Simulated device"), /* the tool may free it */
		};
		/* not lost if it does not */
		static const char *volatile last_name;

		last_name = record.name;
		(void)last_name;

		fake_record(&record, NULL, NULL, fake_now());
	} else if (kind == GST_CUPTI_KIND_CONTEXT) {
		struct gst_cupti_context record = {
			.kind = GST_CUPTI_KIND_CONTEXT,
			.contextId = FAKE_CONTEXT_ID,
			.deviceId = FAKE_DEVICE_ID,
			.computeApiKind = GST_CUPTI_COMPUTE_API_CUDA,
			.nullStreamId = NULL_STREAM_ID,
		};

		fake_record(&record, NULL, NULL, fake_now());
	} else if (kind == GST_CUPTI_KIND_STREAM) {
		stream_record(NULL_STREAM_ID, 0, GST_CUPTI_STREAM_NULL);
		for (size_t i = 0; i < sizeof(internal) / sizeof(internal[0]); i++) {
			stream_record(internal[i], 0, GST_CUPTI_STREAM_NON_BLOCKING);
		}
	}
}

/* Exported in one variant of this library: libgstrace asks the driver how new it is. */
EXPORT int cuDriverGetVersion(int *version)
{
	*version = 13000;
	return 0;
}

static void start(void)
{
	struct gst_cupti_resource_data data = {.context = FAKE_CONTEXT};

	fake_device_init(&cuda.device);
	cuda.stream_id[0] = NULL_STREAM_ID;
	fake_inject("fake_cuda");
	fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_CU_INIT_FINISHED, NULL);
	fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_CONTEXT_CREATED, &data);
	fake_context_created();
}

EXPORT void fake_init(void)
{
	pthread_once(&init_once, start);
}

EXPORT void fake_runtime(bool is_on)
{
	pthread_mutex_lock(&cuda_lock);
	cuda.is_runtime = is_on;
	pthread_mutex_unlock(&cuda_lock);
}

EXPORT void fake_per_thread(bool is_on)
{
	pthread_mutex_lock(&cuda_lock);
	cuda.is_per_thread = is_on;
	pthread_mutex_unlock(&cuda_lock);
}

EXPORT void fake_inside(void (*action)(void *argument), void *argument)
{
	self.action = action;
	self.argument = argument;
}

EXPORT void fake_fail_next(int result)
{
	self.fail_next = result;
}

/* ---- one call ------------------------------------------------------------------------------ */

static void tell(struct side *side, uint32_t site)
{
	struct gst_cupti_callback_data data = {
		.callbackSite = site,
		.functionName = side->api->symbol,
		.functionParams = side->params,
		.functionReturnValue = site == GST_CUPTI_API_EXIT ? &side->result : NULL,
		.symbolName = side->symbol,
		.context = FAKE_CONTEXT,
		.contextUid = FAKE_CONTEXT_ID,
		.correlationData = &side->data,
		.correlationId = self.correlation,
	};

	fake_callback(side->api->api >> 16, side->api->api & 0xffff, &data);
}

static void enter(struct side *side)
{
	if (!side->api) {
		return;
	}
	if (self.depth++ == 0) {
		pthread_mutex_lock(&cuda_lock);
		self.correlation = cuda.next_correlation++;
		pthread_mutex_unlock(&cuda_lock);
		self.entered_ns = fake_now();
	}
	tell(side, GST_CUPTI_API_ENTER);
}

/* As measured: only the outermost domain gets one. */
static void call_record(const struct side *side)
{
	bool is_driver = side->api->api >> 16 == GST_API_DOMAIN_DRIVER;
	struct gst_cupti_api record = {
		.kind = is_driver ? GST_CUPTI_KIND_DRIVER : GST_CUPTI_KIND_RUNTIME,
		.cbid = side->api->api & 0xffff,
		.start = self.entered_ns,
		.correlationId = self.correlation,
		.returnValue = (uint32_t)side->result,
	};

	/* Nothing is asked of the system unless somebody wants to know. */
	if (fake_wants(record.kind)) {
		record.end = fake_now();
		record.processId = (uint32_t)getpid();
		record.threadId = (uint32_t)syscall(SYS_gettid);
		fake_record(&record, &record.start, &record.end, record.end);
	}
}

static void leave(struct side *side, int result)
{
	if (!side->api) {
		return;
	}
	side->result = result;
	tell(side, GST_CUPTI_API_EXIT);
	if (--self.depth == 0) {
		call_record(side);
	}
}

static const struct gst_api *find_symbol(const char *symbol)
{
	const struct gst_api *api = gst_api_find_name(symbol, strlen(symbol));

	return api && strcmp(api->symbol, symbol) == 0 ? api : NULL;
}

/*
 * The variant of a symbol for the per-thread default stream: cuLaunchKernel -> cuLaunchKernel_ptsz,
 * cudaMemcpyAsync_v3020 -> cudaMemcpyAsync_ptsz_v7000 (its own number where it is younger); or
 * itself where there is none.
 */
static const struct gst_api *variant(const char *symbol)
{
	static const char *const marks[] = {"_ptsz", "_ptds"};
	const char *number = strncmp(symbol, "cuda", 4) == 0 ? strrchr(symbol, '_') : "";
	const char *const numbers[] = {number, "_v7000"};
	int stem = (int)(strlen(symbol) - strlen(number));
	const struct gst_api *api = NULL;
	bool is_per_thread;
	char name[128];

	pthread_mutex_lock(&cuda_lock);
	is_per_thread = cuda.is_per_thread;
	pthread_mutex_unlock(&cuda_lock);
	for (size_t i = 0; is_per_thread && !api && i < 4; i++) {
		snprintf(name, sizeof(name), "%.*s%s%s", stem, symbol, marks[i & 1],
			 number[0] ? numbers[i >> 1] : "");
		api = find_symbol(name);
	}
	if (!api) {
		api = find_symbol(symbol);
	}
	if (!api) {
		fprintf(stderr, "fake_cuda: no call %s\n", symbol);
		abort();
	}
	return api;
}

/*
 * Enter a call. @runtime: symbol of the runtime call, or NULL where a program calls the driver itself.
 * @runtime_params: NULL where nobody reads them. False if the call shall fail: then only leave it.
 */
bool cuda_begin(struct call *call, const char *runtime, const void *runtime_params,
		const char *driver, const void *driver_params, const char *kernel)
{
	bool is_runtime;

	fake_init();
	memset(call, 0, sizeof(*call));
	/* A call that was left by longjmp() is over once another begins at the same depth of the stack. */
	if (self.depth && (uintptr_t)call >= self.frame) {
		self.depth = 0;
	}
	if (!self.depth) {
		self.frame = (uintptr_t)call;
	}
	pthread_mutex_lock(&cuda_lock);
	is_runtime = cuda.is_runtime;
	pthread_mutex_unlock(&cuda_lock);
	if (runtime && is_runtime) {
		call->runtime.api = variant(runtime);
		call->runtime.params = runtime_params ? runtime_params : call->unread;
		call->runtime.symbol = kernel;
	}
	call->driver.api = variant(driver);
	call->driver.params = driver_params;
	call->driver.symbol = kernel;
	enter(&call->runtime);
	enter(&call->driver);
	if (self.action) {
		void (*action)(void *argument) = self.action;

		self.action = NULL;
		action(self.argument);
	}
	return !self.fail_next;
}

int cuda_end(struct call *call, int result)
{
	if (self.fail_next) {
		result = self.fail_next;
		self.fail_next = 0;
	}
	leave(&call->driver, result);
	leave(&call->runtime, result);
	fake_deliver();
	return result;
}

/* ---- work ---------------------------------------------------------------------------------- */

/* Put work into a stream now; the duration of host functions and kernels, 0 for markers. */
uint64_t cuda_submit(int stream, uint64_t not_before, uint64_t duration, uint64_t *begin_ns)
{
	uint64_t now = fake_now() + LAUNCH_LATENCY_NS;
	uint64_t end_ns;

	pthread_mutex_lock(&cuda_lock);
	end_ns = fake_device_submit(&cuda.device, stream, now > not_before ? now : not_before,
				    duration, begin_ns);
	pthread_mutex_unlock(&cuda_lock);
	return end_ns;
}

uint64_t cuda_done(int stream)
{
	uint64_t at;

	pthread_mutex_lock(&cuda_lock);
	at = fake_device_done(&cuda.device, stream);
	pthread_mutex_unlock(&cuda_lock);
	return at;
}

/* Graph that the stream's work goes into, or 0. */
int cuda_capture_of(int stream)
{
	int graph;

	pthread_mutex_lock(&cuda_lock);
	graph = cuda.capturing[stream];
	pthread_mutex_unlock(&cuda_lock);
	return graph;
}

void cuda_add_node(int graph, const char *name, uint64_t duration)
{
	struct gst_cupti_graph_data data = {.graph = cuda_handle(GRAPH_BASE, graph)};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	struct graph *g = &cuda.graphs[graph];
	int index;

	pthread_mutex_lock(&cuda_lock);
	index = g->count;
	if (index < GRAPH_NODES) {
		g->nodes[index].name = name ? strdup(name) : NULL;
		g->nodes[index].duration_ns = duration;
		g->count++;
	}
	pthread_mutex_unlock(&cuda_lock);
	data.node = cuda_node_handle(graph, index);
	data.nodeType = name ? GST_CU_GRAPH_NODE_KERNEL : GST_CU_GRAPH_NODE_HOST;
	fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_GRAPHNODE_CREATED, &resource);
	if (index > 0) {
		data.dependency = cuda_node_handle(graph, index - 1);
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE,
			      GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, &resource);
	}
}

void cuda_kernel_record(int stream, const char *name, uint64_t start_ns, uint64_t end_ns,
			uint32_t graph, uint64_t node)
{
	struct gst_cupti_kernel record = {
		.kind = GST_CUPTI_KIND_CONCURRENT_KERNEL,
		.registersPerThread = 16,
		.start = start_ns,
		.end = end_ns,
		.completed = end_ns,
		.deviceId = FAKE_DEVICE_ID,
		.contextId = FAKE_CONTEXT_ID,
		.streamId = cuda.stream_id[stream],
		.gridX = 1,
		.gridY = 1,
		.gridZ = 1,
		.blockX = 32,
		.blockY = 1,
		.blockZ = 1,
		.correlationId = self.correlation,
		.name = name,
		.graphId = graph,
		.graphNodeId = node,
		.channelID = 8,
		.channelType = GST_CUPTI_CHANNEL_COMPUTE,
	};

	if (fake_wants(GST_CUPTI_KIND_CONCURRENT_KERNEL)) {
		fake_record(&record, &record.start, &record.end, end_ns);
	}
}

void cuda_sync_record(uint32_t type, uint64_t start_ns, uint32_t stream_id, int event, int result)
{
	struct gst_cupti_synchronization record = {
		.kind = GST_CUPTI_KIND_SYNCHRONIZATION,
		.type = type,
		.start = start_ns,
		.end = fake_now(),
		.correlationId = self.correlation,
		.contextId = FAKE_CONTEXT_ID,
		.streamId = stream_id,
		.cudaEventId = event ? (uint32_t)event : SYNC_NONE,
		.returnValue = (uint32_t)result,
	};

	if (event) {
		pthread_mutex_lock(&cuda_lock);
		record.cudaEventSyncId = cuda.events[event].sync_id;
		pthread_mutex_unlock(&cuda_lock);
	}
	if (fake_wants(GST_CUPTI_KIND_SYNCHRONIZATION) && (!result || fake_wants_all_syncs())) {
		fake_record(&record, &record.start, &record.end, record.end);
	}
}

/* ---- streams ------------------------------------------------------------------------------- */

EXPORT int fake_stream_create(bool is_blocking, int priority)
{
	struct gst_cu_stream_create params = {
		.flags = is_blocking ? GST_CU_STREAM_DEFAULT : GST_CU_STREAM_NON_BLOCKING,
		.priority = priority,
	};
	struct gst_cupti_resource_data data = {.context = FAKE_CONTEXT};
	void *made = NULL;
	struct call call;
	int stream = 0;
	int result = 2; /* out of memory */

	params.stream = &made;
	if (cuda_begin(&call, "cudaStreamCreateWithPriority_v5050", NULL,
		       "cuStreamCreateWithPriority", &params, NULL)) {
		pthread_mutex_lock(&cuda_lock);
		stream = fake_device_add_stream(
			&cuda.device, is_blocking ? FAKE_STREAM_BLOCKING : FAKE_STREAM_NONBLOCKING);
		if (stream > 0) {
			cuda.stream_id[stream] = cuda.next_stream_id++;
			cuda.priority[stream] = priority;
			result = GST_CU_SUCCESS;
		}
		pthread_mutex_unlock(&cuda_lock);
	}
	if (stream > 0) {
		made = cuda_stream_handle(stream);
		data.stream = made;
		stream_record(cuda.stream_id[stream], priority,
			      is_blocking ? GST_CUPTI_STREAM_DEFAULT
					  : GST_CUPTI_STREAM_NON_BLOCKING);
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_STREAM_CREATED, &data);
	}
	return cuda_end(&call, result) ? 0 : stream;
}

EXPORT void fake_stream_destroy(int stream)
{
	struct gst_cu_stream params = {.hStream = cuda_stream_handle(stream)};
	struct gst_cupti_resource_data data = {.context = FAKE_CONTEXT, .stream = params.hStream};
	struct call call;

	if (cuda_begin(&call, "cudaStreamDestroy_v5050", NULL, "cuStreamDestroy_v2", &params,
		       NULL)) {
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_STREAM_DESTROY_STARTING,
			      &data);
	}
	cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_stream_query(int stream)
{
	struct gst_cu_stream params = {.hStream = cuda_stream_handle(stream)};
	uint64_t begun = fake_now();
	int result = GST_CU_SUCCESS;
	struct call call;

	if (cuda_begin(&call, "cudaStreamQuery_v3020", NULL, "cuStreamQuery", &params, NULL)) {
		int on = cuda_device_stream(stream);

		result = cuda_done(on) > fake_now() ? GST_CU_ERROR_NOT_READY : GST_CU_SUCCESS;
		cuda_sync_record(GST_CUPTI_SYNC_STREAM_SYNCHRONIZE, begun, cuda.stream_id[on], 0,
				 result);
	}
	return cuda_end(&call, result);
}

EXPORT int fake_stream_sync(int stream)
{
	struct gst_cu_stream params = {.hStream = cuda_stream_handle(stream)};
	uint64_t begun = fake_now();
	struct call call;

	if (cuda_begin(&call, "cudaStreamSynchronize_v3020", &params, "cuStreamSynchronize",
		       &params, NULL)) {
		int on = cuda_device_stream(stream);

		fake_sleep_until(cuda_done(on));
		/* As measured: stream 0 under _ptsz is told as the NULL stream. */
		cuda_sync_record(GST_CUPTI_SYNC_STREAM_SYNCHRONIZE, begun,
				 stream == FAKE_NULL ? NULL_STREAM_ID : cuda.stream_id[on], 0,
				 GST_CU_SUCCESS);
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_device_sync(void)
{
	struct gst_cu_ctx params = {.context = FAKE_CONTEXT};
	uint64_t begun = fake_now();
	struct call call;

	if (cuda_begin(&call, "cudaDeviceSynchronize_v3020", NULL,
		       fake_version() >= GST_CUPTI_V_13_0 ? "cuCtxSynchronize_v2"
							  : "cuCtxSynchronize",
		       &params, NULL)) {
		fake_sleep_until(cuda_done(-1));
		if (fake_version() != GST_CUPTI_V_13_0) {
			cuda_sync_record(GST_CUPTI_SYNC_CONTEXT_SYNCHRONIZE, begun, SYNC_NONE, 0,
					 GST_CU_SUCCESS);
		}
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_profiler(bool is_on)
{
	struct call call;

	cuda_begin(&call, is_on ? "cudaProfilerStart_v4000" : "cudaProfilerStop_v4000", NULL,
		   is_on ? "cuProfilerStart" : "cuProfilerStop", NULL, NULL);
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_device_reset(void)
{
	struct gst_cu_device params = {.device = (int32_t)FAKE_DEVICE_ID};
	struct gst_cupti_resource_data data = {.context = FAKE_CONTEXT};
	struct call call;

	if (cuda_begin(&call, "cudaDeviceReset_v3020", NULL, "cuDevicePrimaryCtxReset_v2", &params,
		       NULL)) {
		fake_sleep_until(cuda_done(-1));
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE,
			      GST_CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}
