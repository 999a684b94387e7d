/*
 * fake_cuda.c - CUDA calls as a tool sees them: callbacks around work on the simulated device.
 *
 * Role      : tests and scripts call fake_* here; fake_cupti.c carries callbacks and records to the tool.
 * Method    : each call enters the runtime (if asked for) and the driver with one correlation id, puts its
 *             work into fake_device.c at the current time, leaves records that become ready when the work
 *             ends, really waits if the call waits, and leaves in reverse order.
 * Invariant : the lock is never held in a callback or while waiting.
 * Not here  : what CUPTI does with callbacks and records.
 */
#include "tracer/fake_cupti/fake_cupti.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/fake_cupti/fake_device.h"
#include "tracer/fake_cupti/fake_inject.h"
#include "tracer/fake_cupti/fake_internal.h"
#include "tracer/format/format.h"

#define EXPORT __attribute__((visibility("default")))

#define LAUNCH_LATENCY_NS 3000
#define COPY_NS_PER_KIB	  20 /* some 50 GB/s */
#define STAGED_MAX_BYTES  (1u << 20)
#define NULL_STREAM_ID	  7u
#define FIRST_STREAM_ID	  13u
#define EVENTS		  1024
#define GRAPHS		  64
#define GRAPH_NODES	  64
#define SYNC_NONE	  GST_CUPTI_SYNCHRONIZATION_INVALID_VALUE

/* Handles are addresses that nobody can reach: a base for each type, and the number. */
#define STREAM_BASE	 0x555520000000u
#define EVENT_BASE	 0x555530000000u
#define GRAPH_BASE	 0x555540000000u
#define EXEC_BASE	 0x555550000000u
#define NODE_BASE	 (GRAPH_BASE + 0x1000000u) /* of graphs, then of executable ones */
#define FAKE_HOST_THREAD 4711u			   /* on which host functions run */
#define HANDLE_STEP	 0x100u

struct event {
	uint64_t time_ns; /* when its last record is reached; 0 = never recorded */
	uint64_t sync_id;
	bool is_captured;
};

struct node {
	char *name; /* kernel; NULL: host function */
	uint64_t duration_ns;
};

struct graph {
	struct node nodes[GRAPH_NODES];
	int count;
	uint32_t id; /* of an executable graph: of its clone */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t init_once = PTHREAD_ONCE_INIT;

/* All under lock. */
static struct {
	struct fake_device device;
	uint32_t stream_id[FAKE_DEVICE_STREAMS];
	int priority[FAKE_DEVICE_STREAMS];
	int capturing[FAKE_DEVICE_STREAMS]; /* graph number, 0 = no */
	struct event events[EVENTS];
	int event_count;
	struct graph graphs[GRAPHS];
	int graph_count;
	struct graph execs[GRAPHS];
	int exec_count;
	uint32_t next_graph_id;
	uint32_t next_stream_id;
	uint32_t next_correlation;
	uint64_t next_sync;
	uint64_t next_address;
	bool is_runtime;
	bool is_per_thread;
	bool is_module_loaded;
} cuda = {
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

/* A child of fork() must find the mutex free, whatever other threads did. */
static void lock_all(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_all(void)
{
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}

/* ---- handles ------------------------------------------------------------------------------- */

static void *handle(uint64_t base, int number)
{
	return (void *)(uintptr_t)(base + (uint64_t)number * HANDLE_STEP);
}

static int number_of(uint64_t base, const void *pointer, int count)
{
	uint64_t n = ((uint64_t)(uintptr_t)pointer - base) / HANDLE_STEP;

	return (uint64_t)(uintptr_t)pointer > base && n < (uint64_t)count ? (int)n : 0;
}

static void *stream_handle(int stream)
{
	if (stream == FAKE_LEGACY) {
		return (void *)GST_CU_STREAM_LEGACY;
	}
	if (stream == FAKE_PER_THREAD) {
		return (void *)GST_CU_STREAM_PER_THREAD;
	}
	return stream == FAKE_NULL ? NULL : handle(STREAM_BASE, stream);
}

void *fake_stream_handle(int stream)
{
	return stream_handle(stream);
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
static int device_stream(int stream)
{
	bool is_own;
	int made = 0;

	pthread_mutex_lock(&lock);
	is_own = stream == FAKE_PER_THREAD || (stream == FAKE_NULL && cuda.is_per_thread);
	if (is_own && !self.per_thread_stream) {
		made = fake_device_add_stream(&cuda.device, FAKE_STREAM_BLOCKING);
		if (made < 0) {
			abort();
		}
		self.per_thread_stream = made;
		cuda.stream_id[made] = cuda.next_stream_id++;
	}
	pthread_mutex_unlock(&lock);
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
		return cuda.stream_id[device_stream(FAKE_PER_THREAD)];
	}
	pthread_mutex_lock(&lock);
	if (!stream || stream == (void *)GST_CU_STREAM_LEGACY) {
		id = NULL_STREAM_ID;
	} else {
		n = number_of(STREAM_BASE, stream, cuda.device.streams);
		id = n ? cuda.stream_id[n] : 0;
	}
	pthread_mutex_unlock(&lock);
	return id;
}

uint32_t fake_graph_id(const void *graph)
{
	uint32_t id = 0;
	int n;

	pthread_mutex_lock(&lock);
	n = number_of(GRAPH_BASE, graph, cuda.graph_count + 1);
	if (n) {
		id = cuda.graphs[n].id;
	}
	n = number_of(EXEC_BASE, graph, cuda.exec_count + 1);
	if (n) {
		id = cuda.execs[n].id;
	}
	pthread_mutex_unlock(&lock);
	return id;
}

/* A number for a node of a graph, or, from GRAPHS on, of an executable graph. */
static void *node_handle(int graph, int index)
{
	return handle(NODE_BASE, graph * GRAPH_NODES + index);
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
	pthread_mutex_lock(&lock);
	id = graph < GRAPHS ? cuda.graphs[graph].id : cuda.execs[graph - GRAPHS].id;
	pthread_mutex_unlock(&lock);
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
	pthread_mutex_lock(&lock);
	cuda.is_runtime = is_on;
	pthread_mutex_unlock(&lock);
}

EXPORT void fake_per_thread(bool is_on)
{
	pthread_mutex_lock(&lock);
	cuda.is_per_thread = is_on;
	pthread_mutex_unlock(&lock);
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

struct side {
	const struct gst_api *api; /* NULL: this side is not entered */
	const void *params;
	const char *symbol;
	uint64_t data; /* correlationData */
	int result;
};

struct call {
	struct side runtime;
	struct side driver;
	uint64_t unread[16]; /* parameters of a runtime call whose layout nobody reads */
};

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
		pthread_mutex_lock(&lock);
		self.correlation = cuda.next_correlation++;
		pthread_mutex_unlock(&lock);
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

	pthread_mutex_lock(&lock);
	is_per_thread = cuda.is_per_thread;
	pthread_mutex_unlock(&lock);
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
static bool begin(struct call *call, const char *runtime, const void *runtime_params,
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
	pthread_mutex_lock(&lock);
	is_runtime = cuda.is_runtime;
	pthread_mutex_unlock(&lock);
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

static int end(struct call *call, int result)
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
static uint64_t submit(int stream, uint64_t not_before, uint64_t duration, uint64_t *begin_ns)
{
	uint64_t now = fake_now() + LAUNCH_LATENCY_NS;
	uint64_t end_ns;

	pthread_mutex_lock(&lock);
	end_ns = fake_device_submit(&cuda.device, stream, now > not_before ? now : not_before,
				    duration, begin_ns);
	pthread_mutex_unlock(&lock);
	return end_ns;
}

static uint64_t done(int stream)
{
	uint64_t at;

	pthread_mutex_lock(&lock);
	at = fake_device_done(&cuda.device, stream);
	pthread_mutex_unlock(&lock);
	return at;
}

/* Graph that the stream's work goes into, or 0. */
static int capture_of(int stream)
{
	int graph;

	pthread_mutex_lock(&lock);
	graph = cuda.capturing[stream];
	pthread_mutex_unlock(&lock);
	return graph;
}

static void add_node(int graph, const char *name, uint64_t duration)
{
	struct gst_cupti_graph_data data = {.graph = handle(GRAPH_BASE, graph)};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	struct graph *g = &cuda.graphs[graph];
	int index;

	pthread_mutex_lock(&lock);
	index = g->count;
	if (index < GRAPH_NODES) {
		g->nodes[index].name = name ? strdup(name) : NULL;
		g->nodes[index].duration_ns = duration;
		g->count++;
	}
	pthread_mutex_unlock(&lock);
	data.node = node_handle(graph, index);
	data.nodeType = name ? GST_CU_GRAPH_NODE_KERNEL : GST_CU_GRAPH_NODE_HOST;
	fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_GRAPHNODE_CREATED, &resource);
	if (index > 0) {
		data.dependency = node_handle(graph, index - 1);
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE,
			      GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, &resource);
	}
}

static void kernel_record(int stream, const char *name, uint64_t start_ns, uint64_t end_ns,
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

static void sync_record(uint32_t type, uint64_t start_ns, uint32_t stream_id, int event, int result)
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
		pthread_mutex_lock(&lock);
		record.cudaEventSyncId = cuda.events[event].sync_id;
		pthread_mutex_unlock(&lock);
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
	if (begin(&call, "cudaStreamCreateWithPriority_v5050", NULL, "cuStreamCreateWithPriority",
		  &params, NULL)) {
		pthread_mutex_lock(&lock);
		stream = fake_device_add_stream(
			&cuda.device, is_blocking ? FAKE_STREAM_BLOCKING : FAKE_STREAM_NONBLOCKING);
		if (stream > 0) {
			cuda.stream_id[stream] = cuda.next_stream_id++;
			cuda.priority[stream] = priority;
			result = GST_CU_SUCCESS;
		}
		pthread_mutex_unlock(&lock);
	}
	if (stream > 0) {
		made = stream_handle(stream);
		data.stream = made;
		stream_record(cuda.stream_id[stream], priority,
			      is_blocking ? GST_CUPTI_STREAM_DEFAULT
					  : GST_CUPTI_STREAM_NON_BLOCKING);
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_STREAM_CREATED, &data);
	}
	return end(&call, result) ? 0 : stream;
}

EXPORT void fake_stream_destroy(int stream)
{
	struct gst_cu_stream params = {.hStream = stream_handle(stream)};
	struct gst_cupti_resource_data data = {.context = FAKE_CONTEXT, .stream = params.hStream};
	struct call call;

	if (begin(&call, "cudaStreamDestroy_v5050", NULL, "cuStreamDestroy_v2", &params, NULL)) {
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_STREAM_DESTROY_STARTING,
			      &data);
	}
	end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_stream_query(int stream)
{
	struct gst_cu_stream params = {.hStream = stream_handle(stream)};
	uint64_t begun = fake_now();
	int result = GST_CU_SUCCESS;
	struct call call;

	if (begin(&call, "cudaStreamQuery_v3020", NULL, "cuStreamQuery", &params, NULL)) {
		int on = device_stream(stream);

		result = done(on) > fake_now() ? GST_CU_ERROR_NOT_READY : GST_CU_SUCCESS;
		sync_record(GST_CUPTI_SYNC_STREAM_SYNCHRONIZE, begun, cuda.stream_id[on], 0,
			    result);
	}
	return end(&call, result);
}

EXPORT int fake_stream_sync(int stream)
{
	struct gst_cu_stream params = {.hStream = stream_handle(stream)};
	uint64_t begun = fake_now();
	struct call call;

	if (begin(&call, "cudaStreamSynchronize_v3020", &params, "cuStreamSynchronize", &params,
		  NULL)) {
		int on = device_stream(stream);

		fake_sleep_until(done(on));
		/* As measured: stream 0 under _ptsz is told as the NULL stream. */
		sync_record(GST_CUPTI_SYNC_STREAM_SYNCHRONIZE, begun,
			    stream == FAKE_NULL ? NULL_STREAM_ID : cuda.stream_id[on], 0,
			    GST_CU_SUCCESS);
	}
	return end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_device_sync(void)
{
	struct gst_cu_ctx params = {.context = FAKE_CONTEXT};
	uint64_t begun = fake_now();
	struct call call;

	if (begin(&call, "cudaDeviceSynchronize_v3020", NULL,
		  fake_version() >= GST_CUPTI_V_13_0 ? "cuCtxSynchronize_v2" : "cuCtxSynchronize",
		  &params, NULL)) {
		fake_sleep_until(done(-1));
		if (fake_version() != GST_CUPTI_V_13_0) {
			sync_record(GST_CUPTI_SYNC_CONTEXT_SYNCHRONIZE, begun, SYNC_NONE, 0,
				    GST_CU_SUCCESS);
		}
	}
	return end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_profiler(bool is_on)
{
	struct call call;

	begin(&call, is_on ? "cudaProfilerStart_v4000" : "cudaProfilerStop_v4000", NULL,
	      is_on ? "cuProfilerStart" : "cuProfilerStop", NULL, NULL);
	return end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_device_reset(void)
{
	struct gst_cu_device params = {.device = (int32_t)FAKE_DEVICE_ID};
	struct gst_cupti_resource_data data = {.context = FAKE_CONTEXT};
	struct call call;

	if (begin(&call, "cudaDeviceReset_v3020", NULL, "cuDevicePrimaryCtxReset_v2", &params,
		  NULL)) {
		fake_sleep_until(done(-1));
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE,
			      GST_CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
	}
	return end(&call, GST_CU_SUCCESS);
}

/* ---- kernels, host functions ---------------------------------------------------------------- */

/* Kernel names must live as long as the library: one copy of each. */
static const char *keep(const char *name)
{
	static const char *kept[256];
	const char *found = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]) && !found; i++) {
		if (!kept[i]) {
			kept[i] = strdup(name);
		}
		if (kept[i] && strcmp(kept[i], name) == 0) {
			found = kept[i];
		}
	}
	pthread_mutex_unlock(&lock);
	return found ? found : "too_many_names";
}

/* As with lazy loading: inside the first launch. */
static void load_module(void)
{
	static const char cubin[16];
	struct gst_cupti_module_data data = {
		.moduleId = 1, .cubinSize = sizeof(cubin), .pCubin = cubin};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	bool is_first;

	pthread_mutex_lock(&lock);
	is_first = !cuda.is_module_loaded;
	cuda.is_module_loaded = true;
	pthread_mutex_unlock(&lock);
	if (is_first) {
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_MODULE_LOADED,
			      &resource);
	}
}

EXPORT void fake_module_unload(void)
{
	struct gst_cu_module params = {.module = (void *)(uintptr_t)0x30d1};
	struct gst_cupti_module_data data = {.moduleId = 1};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	struct call call;
	bool was_loaded;

	if (begin(&call, NULL, NULL, "cuModuleUnload", &params, NULL)) {
		pthread_mutex_lock(&lock);
		was_loaded = cuda.is_module_loaded;
		cuda.is_module_loaded = false;
		pthread_mutex_unlock(&lock);
		if (was_loaded) {
			fake_callback(GST_CUPTI_DOMAIN_RESOURCE,
				      GST_CUPTI_RESOURCE_MODULE_UNLOAD_STARTING, &resource);
		}
	}
	end(&call, GST_CU_SUCCESS);
}

static void run_kernel(int on, const char *kernel, uint64_t duration_ns)
{
	uint64_t start_ns, end_ns;
	int graph = capture_of(on);

	load_module();
	if (graph) {
		add_node(graph, kernel, duration_ns);
		return;
	}
	end_ns = submit(on, 0, duration_ns, &start_ns);
	kernel_record(on, kernel, start_ns, end_ns, 0, 0);
}

EXPORT int fake_launch(int stream, const char *kernel, uint64_t duration_ns)
{
	struct gst_cu_launch params = {
		.f = (void *)(uintptr_t)0x555560000000u,
		.gridDimX = 1,
		.gridDimY = 1,
		.gridDimZ = 1,
		.blockDimX = 32,
		.blockDimY = 1,
		.blockDimZ = 1,
		.hStream = stream_handle(stream),
	};
	struct call call;

	kernel = keep(kernel);
	if (begin(&call, "cudaLaunchKernel_v7000", NULL, "cuLaunchKernel", &params, kernel)) {
		run_kernel(device_stream(stream), kernel, duration_ns);
	}
	return end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_launch_ex(int stream, const char *kernel, uint64_t duration_ns)
{
	struct gst_cu_launch_attribute attribute = {
		.id = GST_CU_LAUNCH_ATTR_PROGRAMMATIC_STREAM_SERIALIZATION,
		.value = {.i32 = 1},
	};
	struct gst_cu_launch_config config = {
		.gridDimX = 1,
		.gridDimY = 1,
		.gridDimZ = 1,
		.blockDimX = 32,
		.blockDimY = 1,
		.blockDimZ = 1,
		.hStream = stream_handle(stream),
		.attrs = &attribute,
		.numAttrs = 1,
	};
	struct gst_cu_launch_ex params = {.config = &config,
					  .f = (void *)(uintptr_t)0x555560000000u};
	struct call call;

	kernel = keep(kernel);
	if (begin(&call, "cudaLaunchKernelExC_v11060", NULL, "cuLaunchKernelEx", &params, kernel)) {
		run_kernel(device_stream(stream), kernel, duration_ns);
	}
	return end(&call, GST_CU_SUCCESS);
}

/* From 13.1 on. Times stand behind a hole. */
static void host_record(int on, uint64_t start_ns, uint64_t end_ns)
{
	struct gst_cupti_host_launch record = {
		.kind = GST_CUPTI_KIND_HOST_LAUNCH,
		.streamId = cuda.stream_id[on],
		.contextId = FAKE_CONTEXT_ID,
		.deviceId = FAKE_DEVICE_ID,
		.correlationId = self.correlation,
		.processId = (uint32_t)getpid(),
		.threadId = FAKE_HOST_THREAD,
	};

	memcpy(&record.times[1], &start_ns, sizeof(start_ns));
	memcpy(&record.times[3], &end_ns, sizeof(end_ns));
	if (fake_wants(GST_CUPTI_KIND_HOST_LAUNCH)) {
		fake_record(&record, NULL, NULL, end_ns);
	}
}

static void host_node_record(int on, uint64_t start_ns, uint64_t end_ns, uint32_t graph,
			     uint64_t node)
{
	struct gst_cupti_graph_host_node record = {
		.kind = GST_CUPTI_KIND_GRAPH_HOST_NODE,
		.streamId = cuda.stream_id[on],
		.contextId = FAKE_CONTEXT_ID,
		.deviceId = FAKE_DEVICE_ID,
		.correlationId = self.correlation,
		.graphId = graph,
		.graphNodeId = node,
		.processId = (uint32_t)getpid(),
		.threadId = FAKE_HOST_THREAD,
		.start = start_ns,
		.end = end_ns,
	};

	if (fake_wants(GST_CUPTI_KIND_GRAPH_HOST_NODE)) {
		fake_record(&record, &record.start, &record.end, end_ns);
	}
}

static void host_function(void *argument)
{
	(void)argument;
}

/* The function takes its time in the stream; nobody runs it. */
EXPORT int fake_host_func(int stream, uint64_t duration_ns)
{
	struct gst_cu_host_func params = {.hStream = stream_handle(stream), .fn = host_function};
	uint64_t start_ns;
	struct call call;

	if (begin(&call, "cudaLaunchHostFunc_v10000", NULL, "cuLaunchHostFunc", &params, NULL)) {
		int on = device_stream(stream);
		int graph = capture_of(on);

		if (graph) {
			add_node(graph, NULL, duration_ns);
		} else {
			uint64_t end_ns = submit(on, 0, duration_ns, &start_ns);

			host_record(on, start_ns, end_ns);
		}
	}
	return end(&call, GST_CU_SUCCESS);
}

static _Atomic int host_runs;

static void count_run(void *argument)
{
	const uint64_t *duration_ns = argument;

	fake_sleep_until(fake_now() + *duration_ns);
	host_runs++;
}

static void *run_host_function(void *argument)
{
	const struct gst_cu_host_func *params = argument;

	params->fn(params->userData);
	return NULL;
}

EXPORT int fake_host_run(int stream, uint64_t duration_ns)
{
	struct gst_cu_host_func params = {
		.hStream = stream_handle(stream), .fn = count_run, .userData = &duration_ns};
	struct gst_cu_host_func taken;
	uint64_t start_ns;
	struct call call;
	pthread_t thread;
	bool is_started = false;
	int result;

	if (begin(&call, "cudaLaunchHostFunc_v10000", NULL, "cuLaunchHostFunc", &params, NULL)) {
		int on = device_stream(stream);
		int graph = capture_of(on);

		taken = params;
		if (graph) {
			if (params.fn != count_run || params.userData != &duration_ns) {
				abort();
			}
			add_node(graph, NULL, duration_ns);
		} else {
			submit(on, 0, duration_ns, &start_ns);
			is_started = !pthread_create(&thread, NULL, run_host_function, &taken);
		}
	}
	result = end(&call, GST_CU_SUCCESS);
	if (is_started) {
		pthread_join(thread, NULL);
	}
	return result;
}

EXPORT int fake_host_runs(void)
{
	return host_runs;
}

/* ---- copies and memory --------------------------------------------------------------------- */

static void copy_record(int on, enum fake_copy copy, bool is_pinned, uint64_t bytes,
			uint64_t start_ns, uint64_t end_ns, bool is_async)
{
	static const uint8_t kinds[] = {GST_CUPTI_COPY_HTOD, GST_CUPTI_COPY_DTOH,
					GST_CUPTI_COPY_DTOD, GST_CUPTI_COPY_HTOH};
	uint8_t host = is_pinned ? GST_CUPTI_MEMORY_PINNED : GST_CUPTI_MEMORY_PAGEABLE;
	struct gst_cupti_memcpy record = {
		.kind = GST_CUPTI_KIND_MEMCPY,
		.copyKind = kinds[copy],
		.srcKind = copy == FAKE_H2D || copy == FAKE_H2H ? host : GST_CUPTI_MEMORY_DEVICE,
		.dstKind = copy == FAKE_D2H || copy == FAKE_H2H ? host : GST_CUPTI_MEMORY_DEVICE,
		.flags = is_async ? GST_CUPTI_FLAG_MEMCPY_ASYNC : 0,
		.bytes = bytes,
		.start = start_ns,
		.end = end_ns,
		.deviceId = FAKE_DEVICE_ID,
		.contextId = FAKE_CONTEXT_ID,
		.streamId = cuda.stream_id[on],
		.correlationId = self.correlation,
		.channelID = 12,
		.channelType = GST_CUPTI_CHANNEL_ASYNC_MEMCPY,
		.copyCount = 1,
	};

	if (fake_wants(GST_CUPTI_KIND_MEMCPY)) {
		fake_record(&record, &record.start, &record.end, end_ns);
	}
}

static uint64_t copy_time(uint64_t bytes)
{
	return 1000 + bytes / 1024 * COPY_NS_PER_KIB;
}

EXPORT int fake_memcpy_async(int stream, enum fake_copy copy, bool is_pinned, uint64_t bytes)
{
	static const char *const driver[] = {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
					     "cuMemcpyDtoDAsync_v2", "cuMemcpyAsync"};
	struct gst_cu_copy params = {
		.dst = 0x7f1000000000u,
		.src = 0x7f2000000000u,
		.bytes = bytes,
		.hStream = stream_handle(stream),
	};
	uint64_t start_ns, end_ns;
	struct call call;

	if (begin(&call, "cudaMemcpyAsync_v3020", NULL, driver[copy], &params, NULL)) {
		int on = device_stream(stream);
		int graph = capture_of(on);

		if (graph) {
			add_node(graph, "memcpy", copy_time(bytes));
		} else {
			end_ns = submit(on, 0, copy_time(bytes), &start_ns);
			copy_record(on, copy, is_pinned, bytes, start_ns, end_ns, true);
			/* As measured: a pageable copy to the device is staged up to 1 MiB; larger ones,
			 * and pageable copies the other way, wait for their stream. */
			if (copy == FAKE_H2H || (!is_pinned && copy == FAKE_D2H) ||
			    (!is_pinned && copy == FAKE_H2D && bytes > STAGED_MAX_BYTES)) {
				fake_sleep_until(end_ns);
			}
		}
	}
	return end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_memcpy(enum fake_copy copy, bool is_pinned, uint64_t bytes)
{
	static const char *const driver[] = {"cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2",
					     "cuMemcpyDtoD_v2", "cuMemcpy"};
	static const uint32_t kinds[] = {GST_CUDA_MEMCPY_H2D, GST_CUDA_MEMCPY_D2H,
					 GST_CUDA_MEMCPY_D2D, GST_CUDA_MEMCPY_H2H};
	struct gst_cu_copy params = {
		.dst = 0x7f1000000000u, .src = 0x7f2000000000u, .bytes = bytes};
	struct gst_cuda_copy outer = {
		.dst = params.dst, .src = params.src, .bytes = bytes, .copyKind = kinds[copy]};
	uint64_t start_ns, end_ns;
	struct call call;

	if (begin(&call, "cudaMemcpy_v3020", &outer, driver[copy], &params, NULL)) {
		int on = device_stream(FAKE_NULL);

		end_ns = submit(on, 0, copy_time(bytes), &start_ns);
		copy_record(on, copy, is_pinned, bytes, start_ns, end_ns, false);
		if (copy != FAKE_D2D) {
			fake_sleep_until(end_ns);
		}
	}
	return end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_memset_async(int stream, uint64_t bytes)
{
	struct gst_cu_memset params = {
		.dst = 0x7f1000000000u, .count = bytes, .hStream = stream_handle(stream)};
	uint64_t start_ns, end_ns;
	struct call call;

	if (begin(&call, "cudaMemsetAsync_v3020", NULL, "cuMemsetD8Async", &params, NULL)) {
		int on = device_stream(stream);
		int graph = capture_of(on);

		if (graph) {
			add_node(graph, "memset", copy_time(bytes));
		} else {
			struct gst_cupti_memset record = {
				.kind = GST_CUPTI_KIND_MEMSET,
				.bytes = bytes,
				.deviceId = FAKE_DEVICE_ID,
				.contextId = FAKE_CONTEXT_ID,
				.streamId = cuda.stream_id[on],
				.correlationId = self.correlation,
				.flags = GST_CUPTI_FLAG_MEMSET_ASYNC,
				.memoryKind = GST_CUPTI_MEMORY_DEVICE,
			};

			end_ns = submit(on, 0, copy_time(bytes), &start_ns);
			record.start = start_ns;
			record.end = end_ns;
			if (fake_wants(GST_CUPTI_KIND_MEMSET)) {
				fake_record(&record, &record.start, &record.end, end_ns);
			}
		}
	}
	return end(&call, GST_CU_SUCCESS);
}

static void memory_record(uint32_t op, uint32_t memory, uint64_t address, uint64_t bytes, int on,
			  bool is_async)
{
	struct gst_cupti_memory record = {
		.kind = GST_CUPTI_KIND_MEMORY2,
		.memoryOperationType = op,
		.memoryKind = memory,
		.correlationId = self.correlation,
		.address = address,
		.bytes = bytes,
		.timestamp = fake_now(),
		.deviceId = FAKE_DEVICE_ID,
		.contextId = FAKE_CONTEXT_ID,
		.streamId = is_async ? cuda.stream_id[on] : SYNC_NONE,
		.isAsync = is_async,
	};

	if (fake_wants(GST_CUPTI_KIND_MEMORY2)) {
		fake_record(&record, NULL, NULL, record.timestamp);
	}
}

static uint64_t new_address(uint64_t bytes)
{
	uint64_t address;

	pthread_mutex_lock(&lock);
	address = cuda.next_address;
	cuda.next_address += (bytes + 0x1ff) & ~UINT64_C(0x1ff);
	pthread_mutex_unlock(&lock);
	return address;
}

EXPORT uint64_t fake_malloc(uint64_t bytes)
{
	uint64_t address = 0;
	struct gst_cu_alloc params = {.ptr = &address, .bytes = bytes};
	struct call call;

	if (begin(&call, "cudaMalloc_v3020", &params, "cuMemAlloc_v2", &params, NULL)) {
		address = new_address(bytes);
		memory_record(GST_CUPTI_MEMORY_OP_ALLOCATION, GST_CUPTI_MEMORY_DEVICE, address,
			      bytes, 0, false);
	}
	end(&call, GST_CU_SUCCESS);
	return address;
}

EXPORT int fake_free(uint64_t address)
{
	struct gst_cu_free params = {.ptr = address};
	struct call call;

	if (begin(&call, "cudaFree_v3020", &params, "cuMemFree_v2", &params, NULL)) {
		fake_sleep_until(done(-1)); /* waits for every stream */
		memory_record(GST_CUPTI_MEMORY_OP_RELEASE, GST_CUPTI_MEMORY_DEVICE, address, 0, 0,
			      false);
	}
	return end(&call, GST_CU_SUCCESS);
}

EXPORT uint64_t fake_malloc_async(int stream, uint64_t bytes)
{
	uint64_t address = 0;
	struct gst_cu_alloc_async params = {
		.ptr = &address, .bytes = bytes, .hStream = stream_handle(stream)};
	struct call call;

	if (begin(&call, "cudaMallocAsync_v11020", NULL, "cuMemAllocAsync", &params, NULL)) {
		address = new_address(bytes);
		memory_record(GST_CUPTI_MEMORY_OP_ALLOCATION, GST_CUPTI_MEMORY_DEVICE, address,
			      bytes, device_stream(stream), true);
	}
	end(&call, GST_CU_SUCCESS);
	return address;
}

EXPORT int fake_free_async(int stream, uint64_t address)
{
	struct gst_cu_free_async params = {.ptr = address, .hStream = stream_handle(stream)};
	struct call call;

	if (begin(&call, "cudaFreeAsync_v11020", NULL, "cuMemFreeAsync", &params, NULL)) {
		memory_record(GST_CUPTI_MEMORY_OP_RELEASE, GST_CUPTI_MEMORY_DEVICE, address, 0,
			      device_stream(stream), true);
	}
	return end(&call, GST_CU_SUCCESS);
}

EXPORT uint64_t fake_host_alloc(uint64_t bytes)
{
	uint64_t address = 0;
	struct gst_cu_alloc_flags params = {.ptr = &address, .bytes = bytes};
	struct call call;

	if (begin(&call, "cudaHostAlloc_v3020", &params, "cuMemHostAlloc", &params, NULL)) {
		address = new_address(bytes);
		memory_record(GST_CUPTI_MEMORY_OP_ALLOCATION, GST_CUPTI_MEMORY_PINNED, address,
			      bytes, 0, false);
	}
	end(&call, GST_CU_SUCCESS);
	return address;
}

EXPORT int fake_host_free(uint64_t address)
{
	struct gst_cu_free params = {.ptr = address};
	struct call call;

	if (begin(&call, "cudaFreeHost_v3020", &params, "cuMemFreeHost", &params, NULL)) {
		fake_sleep_until(done(-1));
		memory_record(GST_CUPTI_MEMORY_OP_RELEASE, GST_CUPTI_MEMORY_PINNED, address, 0, 0,
			      false);
	}
	return end(&call, GST_CU_SUCCESS);
}

/* ---- calls about memory that leave no record of a device ------------------------------------- */

#define MEMORY_ADDRESS UINT64_C(0x7f3000000000)

EXPORT int fake_memory(const char *what, int stream)
{
	static const uint32_t on = 1;
	static const uint64_t threshold = UINT64_C(1) << 33;
	static void *const semaphores[2] = {(void *)(uintptr_t)0x777, (void *)(uintptr_t)0x778};
	static const uint64_t addresses[3] = {MEMORY_ADDRESS, MEMORY_ADDRESS + 64,
					      MEMORY_ADDRESS + 128};
	static const uint64_t sizes[3] = {16, 32, 64};
	static const struct gst_cu_copy_attributes attributes[2] = {{.srcAccessOrder = 1},
								    {.srcAccessOrder = 3}};
	static const uint64_t first_of_attribute[2] = {0, 2};
	void *on_stream = stream_handle(stream);
	const struct gst_cu_memop ops[3] = {
		{.operation = 4, .address = MEMORY_ADDRESS, .value = UINT64_C(1) << 40, .flags = 1},
		{.operation = 6, .short_flags = 1},
		{.operation = 2, .address = MEMORY_ADDRESS + 8, .value = UINT64_MAX - 5},
	};
	const struct gst_cu_memop_32 write = {on_stream, MEMORY_ADDRESS, 7, 1};
	const struct gst_cu_memop_64 wait = {on_stream, MEMORY_ADDRESS, 8, 2};
	const struct gst_cu_memop_batch batch = {
		.hStream = on_stream, .count = 3, .ops = (void *)(uintptr_t)ops};
	const struct gst_cu_semaphores signal = {semaphores, NULL, 2, 0, on_stream};
	const struct gst_cu_prefetch_v2 prefetch = {MEMORY_ADDRESS, 4096, {1, 3}, 0, 0, on_stream};
	const struct gst_cu_attach attach = {on_stream, MEMORY_ADDRESS, 8192, 4};
	const struct gst_cu_pointer_attribute pointer = {&on, GST_CU_POINTER_SYNC_MEMOPS, 0,
							 MEMORY_ADDRESS};
	const struct gst_cu_pool_attribute pool = {(void *)(uintptr_t)0x999, 4, 0, &threshold};
	const struct gst_cu_pool_of_device of_device = {2, 0, (void *)(uintptr_t)0x999};
	const struct gst_cu_limit limit = {2, 0, 1 << 20};
	const struct gst_cu_ctx peer = {(void *)(uintptr_t)0x888};
	const struct gst_cu_device_flags flags = {1, GST_CU_CTX_SYNC_MEMOPS};
	const struct gst_cu_copy_batch_v2 copy = {.dsts = addresses,
						  .srcs = addresses,
						  .sizes = sizes,
						  .count = 3,
						  .attrs = attributes,
						  .attrsIdxs = first_of_attribute,
						  .numAttrs = 2,
						  .hStream = on_stream};
	const struct {
		const char *what;
		const char *symbol;
		const void *params;
	} calls[] = {
		{"write-value", "cuStreamWriteValue32_v2", &write},
		{"wait-value", "cuStreamWaitValue64_v2", &wait},
		{"batch", "cuStreamBatchMemOp_v2", &batch},
		{"signal-semaphore", "cuSignalExternalSemaphoresAsync", &signal},
		{"prefetch", "cuMemPrefetchAsync_v2", &prefetch},
		{"attach", "cuStreamAttachMemAsync", &attach},
		{"sync-memops", "cuPointerSetAttribute", &pointer},
		{"pool-attribute", "cuMemPoolSetAttribute", &pool},
		{"device-pool", "cuDeviceSetMemPool", &of_device},
		{"limit", "cuCtxSetLimit", &limit},
		{"peer", "cuCtxEnablePeerAccess", &peer},
		{"context-flags", "cuDevicePrimaryCtxSetFlags_v2", &flags},
		{"batch-copy", "cuMemcpyBatchAsync_v2", &copy},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct call call;

		if (strcmp(calls[i].what, what) == 0) {
			begin(&call, NULL, NULL, calls[i].symbol, calls[i].params, NULL);
			return end(&call, GST_CU_SUCCESS);
		}
	}
	return -1;
}

/* ---- events -------------------------------------------------------------------------------- */

EXPORT int fake_event_create(void)
{
	void *made = NULL;
	struct gst_cu_event_create params = {.event = &made, .flags = GST_CU_EVENT_DISABLE_TIMING};
	struct call call;
	int event = 0;
	int result = 2;

	if (begin(&call, "cudaEventCreateWithFlags_v3020", NULL, "cuEventCreate", &params, NULL)) {
		pthread_mutex_lock(&lock);
		if (cuda.event_count + 1 < EVENTS) {
			event = ++cuda.event_count;
			made = handle(EVENT_BASE, event);
			result = GST_CU_SUCCESS;
		}
		pthread_mutex_unlock(&lock);
	}
	return end(&call, result) ? 0 : event;
}

EXPORT int fake_event_record(int event, int stream)
{
	struct gst_cu_event_record params = {.event = handle(EVENT_BASE, event),
					     .hStream = stream_handle(stream)};
	struct gst_cupti_cuda_event record = {.kind = GST_CUPTI_KIND_CUDA_EVENT};
	uint64_t start_ns, end_ns;
	struct call call;

	if (begin(&call, "cudaEventRecord_v3020", NULL, "cuEventRecord", &params, NULL)) {
		int on = device_stream(stream);

		if (capture_of(on)) {
			pthread_mutex_lock(&lock);
			cuda.events[event].is_captured = true;
			pthread_mutex_unlock(&lock);
		} else {
			end_ns = submit(on, 0, 0, &start_ns);
			pthread_mutex_lock(&lock);
			cuda.events[event].is_captured = false;
			cuda.events[event].time_ns = end_ns;
			cuda.events[event].sync_id = cuda.next_sync++;
			record.cudaEventSyncId = cuda.events[event].sync_id;
			pthread_mutex_unlock(&lock);
			record.correlationId = self.correlation;
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
	return end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_stream_wait(int stream, int event)
{
	struct gst_cu_stream_wait params = {.hStream = stream_handle(stream),
					    .event = handle(EVENT_BASE, event)};
	uint64_t begun = fake_now();
	uint64_t start_ns, at;
	struct call call;

	if (begin(&call, "cudaStreamWaitEvent_v3020", NULL, "cuStreamWaitEvent", &params, NULL)) {
		int on = device_stream(stream);

		pthread_mutex_lock(&lock);
		at = cuda.events[event].is_captured || cuda.capturing[on]
			     ? 0
			     : cuda.events[event].time_ns;
		pthread_mutex_unlock(&lock);
		if (at) {
			submit(on, at, 0, &start_ns);
		}
		/* Also inside a capture, with the number of an older record: as measured. */
		sync_record(GST_CUPTI_SYNC_STREAM_WAIT_EVENT, begun, cuda.stream_id[on], event,
			    GST_CU_SUCCESS);
	}
	return end(&call, GST_CU_SUCCESS);
}

static uint64_t event_time(int event)
{
	uint64_t at;

	pthread_mutex_lock(&lock);
	at = cuda.events[event].time_ns;
	pthread_mutex_unlock(&lock);
	return at;
}

EXPORT int fake_event_query(int event)
{
	struct gst_cu_event params = {.event = handle(EVENT_BASE, event)};
	uint64_t begun = fake_now();
	int result = GST_CU_SUCCESS;
	struct call call;

	if (begin(&call, "cudaEventQuery_v3020", NULL, "cuEventQuery", &params, NULL)) {
		result = event_time(event) > fake_now() ? GST_CU_ERROR_NOT_READY : GST_CU_SUCCESS;
		sync_record(GST_CUPTI_SYNC_EVENT_SYNCHRONIZE, begun, SYNC_NONE, event, result);
	}
	return end(&call, result);
}

EXPORT int fake_event_sync(int event)
{
	struct gst_cu_event params = {.event = handle(EVENT_BASE, event)};
	uint64_t begun = fake_now();
	struct call call;

	if (begin(&call, "cudaEventSynchronize_v3020", &params, "cuEventSynchronize", &params,
		  NULL)) {
		fake_sleep_until(event_time(event));
		sync_record(GST_CUPTI_SYNC_EVENT_SYNCHRONIZE, begun, SYNC_NONE, event,
			    GST_CU_SUCCESS);
	}
	return end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_event_destroy(int event)
{
	struct gst_cu_event params = {.event = handle(EVENT_BASE, event)};
	struct call call;

	begin(&call, "cudaEventDestroy_v3020", NULL, "cuEventDestroy_v2", &params, NULL);
	return end(&call, GST_CU_SUCCESS);
}

/* ---- graphs -------------------------------------------------------------------------------- */

EXPORT int fake_capture_begin(int stream)
{
	struct gst_cu_capture_begin params = {.hStream = stream_handle(stream),
					      .mode = GST_CU_CAPTURE_GLOBAL};
	struct gst_cupti_graph_data data = {0};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	int result = 2;
	struct call call;

	if (begin(&call, "cudaStreamBeginCapture_v10000", NULL, "cuStreamBeginCapture_v2", &params,
		  NULL)) {
		int on = device_stream(stream);
		int graph = 0;

		pthread_mutex_lock(&lock);
		if (cuda.graph_count + 1 < GRAPHS && !cuda.capturing[on]) {
			graph = ++cuda.graph_count;
			cuda.graphs[graph].id = cuda.next_graph_id++;
			cuda.capturing[on] = graph;
			result = GST_CU_SUCCESS;
		}
		pthread_mutex_unlock(&lock);
		if (graph) {
			data.graph = handle(GRAPH_BASE, graph);
			fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_GRAPH_CREATED,
				      &resource);
		}
	}
	return end(&call, result);
}

EXPORT int fake_capture_end(int stream)
{
	void *made = NULL;
	struct gst_cu_capture_end params = {.hStream = stream_handle(stream), .graph = &made};
	int result = 401; /* capture invalidated */
	struct call call;
	int graph = 0;

	if (begin(&call, "cudaStreamEndCapture_v10000", NULL, "cuStreamEndCapture", &params,
		  NULL)) {
		int on = device_stream(stream);

		graph = capture_of(on);
		if (graph) {
			pthread_mutex_lock(&lock);
			cuda.capturing[on] = 0;
			pthread_mutex_unlock(&lock);
			made = handle(GRAPH_BASE, graph);
			result = GST_CU_SUCCESS;
		}
	}
	return end(&call, result) ? 0 : graph;
}

static void clone_nodes(int graph, int exec)
{
	struct gst_cupti_graph_data data = {.graph = handle(EXEC_BASE, exec),
					    .originalGraph = handle(GRAPH_BASE, graph)};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};

	for (int i = 0; i < cuda.execs[exec].count; i++) {
		data.node = node_handle(GRAPHS + exec, i);
		data.originalNode = node_handle(graph, i);
		data.dependency = NULL;
		data.nodeType = cuda.execs[exec].nodes[i].name ? GST_CU_GRAPH_NODE_KERNEL
							       : GST_CU_GRAPH_NODE_HOST;
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_GRAPHNODE_CLONED,
			      &resource);
		if (i > 0) {
			data.dependency = node_handle(GRAPHS + exec, i - 1);
			fake_callback(GST_CUPTI_DOMAIN_RESOURCE,
				      GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, &resource);
		}
	}
}

EXPORT int fake_graph_instantiate(int graph)
{
	void *made = NULL;
	struct gst_cu_graph_instantiate params = {.graphExec = &made,
						  .graph = handle(GRAPH_BASE, graph)};
	struct gst_cupti_graph_data data = {.originalGraph = params.graph};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	int result = 2;
	struct call call;
	int exec = 0;

	if (begin(&call, "cudaGraphInstantiate_v12000", NULL, "cuGraphInstantiateWithFlags",
		  &params, NULL)) {
		pthread_mutex_lock(&lock);
		if (cuda.exec_count + 1 < GRAPHS) {
			exec = ++cuda.exec_count;
			cuda.execs[exec] = cuda.graphs[graph];
			cuda.execs[exec].id = cuda.next_graph_id++;
			result = GST_CU_SUCCESS;
		}
		pthread_mutex_unlock(&lock);
		if (exec) {
			made = handle(EXEC_BASE, exec);
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
	return end(&call, result) ? 0 : exec;
}

EXPORT int fake_graph_launch(int exec, int stream)
{
	struct gst_cu_graph_stream params = {.graphExec = handle(EXEC_BASE, exec),
					     .hStream = stream_handle(stream)};
	struct call call;

	if (begin(&call, "cudaGraphLaunch_v10000", NULL, "cuGraphLaunch", &params, NULL)) {
		int on = device_stream(stream);
		struct graph *g = &cuda.execs[exec];
		uint64_t first_ns = 0, start_ns, end_ns = 0;
		bool is_whole = fake_wants(GST_CUPTI_KIND_GRAPH_TRACE);

		for (int i = 0; i < g->count; i++) {
			end_ns = submit(on, 0, g->nodes[i].duration_ns, &start_ns);
			if (!first_ns) {
				first_ns = start_ns;
			}
			if (!is_whole && g->nodes[i].name) {
				kernel_record(on, keep(g->nodes[i].name), start_ns, end_ns, g->id,
					      (uint64_t)g->id << 32 | (uint64_t)i);
			} else if (!g->nodes[i].name) {
				host_node_record(on, start_ns, end_ns, g->id,
						 (uint64_t)g->id << 32 | (uint64_t)i);
			}
		}
		if (is_whole) {
			struct gst_cupti_graph_trace record = {
				.kind = GST_CUPTI_KIND_GRAPH_TRACE,
				.correlationId = self.correlation,
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
	return end(&call, GST_CU_SUCCESS);
}
