/*
 * cupti_abi.h - our own declarations of what libgstrace needs from CUPTI and the CUDA driver.
 *
 * Role      : the only place that knows numbers and layouts of CUPTI 11.8 to 13.x; libgstrace and the
 *             fake CUPTI are built from it, so neither needs a toolkit.
 * Method    : one struct per record kind, written at its newest known layout. CUPTI only ever
 *             appended fields (or used padding), so an older record is a prefix of the struct. The
 *             GST_CUPTI_<KIND>_SIZE_* constants name the sizes, the "since" marks name the value of
 *             cuptiGetVersion() from which a field exists.
 * Invariant : abi_test.c and abi_params_test.c compare every size, offset and value with the toolkit's headers.
 * Not here  : anything that calls or reads (cupti_api.c, activity.c, call_params.c).
 *
 * Reading a field on a library older than its "since" reads the next record: gate every field with
 * a gst_cupti_has()-style comparison against the version in use.
 *
 * cuptiGetVersion() values (documented): 15 = 11.2-11.4, 16 = 11.5, 17 = 11.6/11.7, 18 = 11.8,
 * 19 = 12.0/12.1, 20 = 12.2, 21 = 12.3, 22 = 12.4, 23 = 12.5, 24 = 12.6, 26 = 12.8, 27 = 12.9,
 * 28 = 12.9.1; from 13.0 on MMmmpp: 130000 = 13.0, 130001 = 13.0.1, 130100 = 13.1 ...
 *
 * "since 18*" means: present in every version we accept (11.8 and later). Where the release that
 * introduced a field is not documented, the mark says "unknown" and a safe later gate.
 *
 * CUPTI 13.1 and later have newer structs (Kernel11-13, Context4, Device6, GreenContext,
 * GraphHostNode, HostLaunch) and new kinds. Their documentation lists members but not offsets, so they are
 * left out until they can be asserted; the older prefix is expected to hold and must be
 * self-checked on the first records.
 */
#ifndef GSTRACE_TRACER_CUPTI_ABI_H
#define GSTRACE_TRACER_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* ---- versions ------------------------------------------------------------------------------ */

#define GST_CUPTI_V_11_5   16u
#define GST_CUPTI_V_11_6   17u
#define GST_CUPTI_V_11_8   18u
#define GST_CUPTI_V_12_0   19u
#define GST_CUPTI_V_12_2   20u
#define GST_CUPTI_V_12_3   21u
#define GST_CUPTI_V_12_4   22u
#define GST_CUPTI_V_12_5   23u
#define GST_CUPTI_V_12_6   24u
#define GST_CUPTI_V_12_8   26u
#define GST_CUPTI_V_12_9   27u
#define GST_CUPTI_V_12_9_1 28u
#define GST_CUPTI_V_13_0   130000u
#define GST_CUPTI_V_13_0_1 130001u
#define GST_CUPTI_V_13_1   130100u

#define GST_CUPTI_VERSION_MIN	GST_CUPTI_V_11_8   /* older ones can kill the program: refuse */
#define GST_CUPTI_VERSION_KNOWN GST_CUPTI_V_13_0_1 /* newest whose layouts are asserted */

/* ---- result codes -------------------------------------------------------------------------- */

enum gst_cupti_result {
	GST_CUPTI_SUCCESS = 0,
	GST_CUPTI_ERROR_INVALID_PARAMETER = 1,
	GST_CUPTI_ERROR_INVALID_CONTEXT = 3,
	GST_CUPTI_ERROR_INVALID_OPERATION = 7,
	GST_CUPTI_ERROR_OUT_OF_MEMORY = 8,
	GST_CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT = 10,
	GST_CUPTI_ERROR_API_NOT_IMPLEMENTED = 11,
	GST_CUPTI_ERROR_MAX_LIMIT_REACHED = 12, /* end of an activity buffer */
	GST_CUPTI_ERROR_NOT_READY = 13,
	GST_CUPTI_ERROR_NOT_COMPATIBLE = 14,
	GST_CUPTI_ERROR_NOT_INITIALIZED = 15,
	GST_CUPTI_ERROR_QUEUE_EMPTY = 18,
	GST_CUPTI_ERROR_INVALID_STREAM = 20,
	GST_CUPTI_ERROR_INVALID_KIND = 21,
	GST_CUPTI_ERROR_DISABLED = 23,
	GST_CUPTI_ERROR_NOT_SUPPORTED = 27,
	GST_CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED = 33,
	GST_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
	GST_CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED = 36,
	GST_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
	GST_CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
	GST_CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED = 41,
	GST_CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED = 42,
	GST_CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED = 43,
	GST_CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED = 44,
	GST_CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED = 45,
	GST_CUPTI_ERROR_UNKNOWN = 999,
};

/* ---- callback enums ------------------------------------------------------------------------ */

enum gst_cupti_site {
	GST_CUPTI_API_ENTER = 0,
	GST_CUPTI_API_EXIT = 1,
};

enum gst_cupti_domain {
	GST_CUPTI_DOMAIN_INVALID = 0,
	GST_CUPTI_DOMAIN_DRIVER = 1,
	GST_CUPTI_DOMAIN_RUNTIME = 2,
	GST_CUPTI_DOMAIN_RESOURCE = 3,
	GST_CUPTI_DOMAIN_SYNCHRONIZE = 4,
	GST_CUPTI_DOMAIN_NVTX = 5,
	GST_CUPTI_DOMAIN_STATE = 6, /* since 20 */
	GST_CUPTI_DOMAIN_COUNT = 7,
};

/* cbids of the RESOURCE domain; the data struct is named where it is not gst_cupti_resource_data */
enum gst_cupti_resource {
	GST_CUPTI_RESOURCE_CONTEXT_CREATED = 1,
	GST_CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING = 2,
	GST_CUPTI_RESOURCE_STREAM_CREATED = 3,
	GST_CUPTI_RESOURCE_STREAM_DESTROY_STARTING = 4,
	GST_CUPTI_RESOURCE_CU_INIT_FINISHED = 5, /* cbdata is NULL (measured) */
	/* resourceDescriptor of 6-8 points to a gst_cupti_module_data, of 9-20 to a
	 * gst_cupti_graph_data; of 21 presumably to a gst_cupti_stream_attr_data and of 22, 23 to a
	 * gst_cupti_graph_data (not measured) */
	GST_CUPTI_RESOURCE_MODULE_LOADED = 6,
	GST_CUPTI_RESOURCE_MODULE_UNLOAD_STARTING = 7,
	GST_CUPTI_RESOURCE_MODULE_PROFILED = 8, /* fires inside every launch: never enable */
	GST_CUPTI_RESOURCE_GRAPH_CREATED = 9,
	GST_CUPTI_RESOURCE_GRAPH_DESTROY_STARTING = 10,
	GST_CUPTI_RESOURCE_GRAPH_CLONED = 11,
	GST_CUPTI_RESOURCE_GRAPHNODE_CREATE_STARTING = 12,
	GST_CUPTI_RESOURCE_GRAPHNODE_CREATED = 13,
	GST_CUPTI_RESOURCE_GRAPHNODE_DESTROY_STARTING = 14,
	GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED = 15,
	GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING = 16,
	GST_CUPTI_RESOURCE_GRAPHEXEC_CREATE_STARTING = 17,
	GST_CUPTI_RESOURCE_GRAPHEXEC_CREATED = 18,
	GST_CUPTI_RESOURCE_GRAPHEXEC_DESTROY_STARTING = 19,
	GST_CUPTI_RESOURCE_GRAPHNODE_CLONED = 20,
	GST_CUPTI_RESOURCE_STREAM_ATTRIBUTE_CHANGED = 21, /* since 20 */
	GST_CUPTI_RESOURCE_GRAPH_NODE_UPDATED = 22,	  /* since 130000 */
	GST_CUPTI_RESOURCE_GRAPH_NODE_SET_PARAMS = 23,	  /* since 130000 */
};

enum gst_cupti_synchronize {
	GST_CUPTI_SYNCHRONIZE_STREAM = 1,
	GST_CUPTI_SYNCHRONIZE_CONTEXT = 2,
};

enum gst_cupti_state {
	GST_CUPTI_STATE_FATAL_ERROR = 1, /* CUPTI finalizes itself */
	GST_CUPTI_STATE_ERROR = 2,
	GST_CUPTI_STATE_WARNING = 3,
};

/* ---- activity enums ------------------------------------------------------------------------ */

enum gst_cupti_kind {
	GST_CUPTI_KIND_INVALID = 0,
	GST_CUPTI_KIND_MEMCPY = 1,
	GST_CUPTI_KIND_MEMSET = 2,
	GST_CUPTI_KIND_KERNEL = 3, /* serializes kernels: never enable */
	GST_CUPTI_KIND_DRIVER = 4,
	GST_CUPTI_KIND_RUNTIME = 5,
	GST_CUPTI_KIND_DEVICE = 8,
	GST_CUPTI_KIND_CONTEXT = 9,
	GST_CUPTI_KIND_CONCURRENT_KERNEL = 10,
	GST_CUPTI_KIND_NAME = 11,
	GST_CUPTI_KIND_MARKER = 12,
	GST_CUPTI_KIND_OVERHEAD = 17,
	GST_CUPTI_KIND_MEMCPY2 = 22, /* peer to peer */
	GST_CUPTI_KIND_DEVICE_ATTRIBUTE = 28,
	GST_CUPTI_KIND_CUDA_EVENT = 36,
	GST_CUPTI_KIND_STREAM = 37,
	GST_CUPTI_KIND_SYNCHRONIZATION = 38,
	GST_CUPTI_KIND_EXTERNAL_CORRELATION = 39,
	GST_CUPTI_KIND_INTERNAL_LAUNCH_API = 48,
	GST_CUPTI_KIND_MEMORY2 = 49,
	GST_CUPTI_KIND_MEMORY_POOL = 50,
	GST_CUPTI_KIND_GRAPH_TRACE = 51,
	GST_CUPTI_KIND_JIT = 52,			   /* since 18 */
	GST_CUPTI_KIND_DEVICE_GRAPH_TRACE = 53,		   /* since 26 */
	GST_CUPTI_KIND_MEM_DECOMPRESS = 54,		   /* since 26 */
	GST_CUPTI_KIND_CONFIDENTIAL_COMPUTE_ROTATION = 55, /* since 27 */
	GST_CUPTI_KIND_COUNT_KNOWN = 56,		   /* first value 13.0.1 does not know */
	/* Of 13.1, by its documentation alone: no header of it was at hand. */
	GST_CUPTI_KIND_GRAPH_HOST_NODE = 56,
	GST_CUPTI_KIND_HOST_LAUNCH = 58,
	GST_CUPTI_KIND_COUNT_READ = 59,
};

enum gst_cupti_attr {
	GST_CUPTI_ATTR_DEVICE_BUFFER_SIZE = 0,			   /* size_t */
	GST_CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT = 2,		   /* size_t */
	GST_CUPTI_ATTR_PROFILING_SEMAPHORE_POOL_SIZE = 3,	   /* size_t; no effect since 21 */
	GST_CUPTI_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT = 4,	   /* size_t; no effect since 21 */
	GST_CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER = 5,		   /* uint8_t */
	GST_CUPTI_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE = 6,	   /* size_t */
	GST_CUPTI_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE = 7, /* size_t; no effect since 21 */
	GST_CUPTI_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED = 8,	   /* uint8_t */
	GST_CUPTI_ATTR_PER_THREAD_ACTIVITY_BUFFER =
		9, /* uint8_t; since 21, on by default since 130000 */
	GST_CUPTI_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS = 10, /* size_t; since 27 */
};

enum gst_cupti_flush {
	GST_CUPTI_FLUSH_NORMAL = 0,
	GST_CUPTI_FLUSH_FORCED = 1, /* hands incomplete records back too: at exit only */
};

enum gst_cupti_thread_id_type {
	GST_CUPTI_THREAD_ID_DEFAULT = 0,
	GST_CUPTI_THREAD_ID_SYSTEM = 1, /* gettid */
};

enum gst_cupti_copy_kind {
	GST_CUPTI_COPY_UNKNOWN = 0,
	GST_CUPTI_COPY_HTOD = 1,
	GST_CUPTI_COPY_DTOH = 2,
	GST_CUPTI_COPY_HTOA = 3,
	GST_CUPTI_COPY_ATOH = 4,
	GST_CUPTI_COPY_ATOA = 5,
	GST_CUPTI_COPY_ATOD = 6,
	GST_CUPTI_COPY_DTOA = 7,
	GST_CUPTI_COPY_DTOD = 8,
	GST_CUPTI_COPY_HTOH = 9,
	GST_CUPTI_COPY_PTOP = 10,
};

enum gst_cupti_memory_kind {
	GST_CUPTI_MEMORY_UNKNOWN = 0,
	GST_CUPTI_MEMORY_PAGEABLE = 1,
	GST_CUPTI_MEMORY_PINNED = 2,
	GST_CUPTI_MEMORY_DEVICE = 3,
	GST_CUPTI_MEMORY_ARRAY = 4,
	GST_CUPTI_MEMORY_MANAGED = 5,
	GST_CUPTI_MEMORY_DEVICE_STATIC = 6,
	GST_CUPTI_MEMORY_MANAGED_STATIC = 7,
};

enum gst_cupti_memory_op {
	GST_CUPTI_MEMORY_OP_INVALID = 0,
	GST_CUPTI_MEMORY_OP_ALLOCATION = 1,
	GST_CUPTI_MEMORY_OP_RELEASE = 2,
};

enum gst_cupti_memory_pool_type {
	GST_CUPTI_MEMORY_POOL_INVALID = 0,
	GST_CUPTI_MEMORY_POOL_LOCAL = 1,
	GST_CUPTI_MEMORY_POOL_IMPORTED = 2,
};

enum gst_cupti_pool_op {
	GST_CUPTI_POOL_OP_INVALID = 0,
	GST_CUPTI_POOL_OP_CREATED = 1,
	GST_CUPTI_POOL_OP_DESTROYED = 2,
	GST_CUPTI_POOL_OP_TRIMMED = 3,
};

enum gst_cupti_sync_type {
	GST_CUPTI_SYNC_UNKNOWN = 0,
	GST_CUPTI_SYNC_EVENT_SYNCHRONIZE = 1,
	GST_CUPTI_SYNC_STREAM_WAIT_EVENT = 2,
	GST_CUPTI_SYNC_STREAM_SYNCHRONIZE = 3,
	GST_CUPTI_SYNC_CONTEXT_SYNCHRONIZE = 4,
};

enum gst_cupti_stream_flag {
	GST_CUPTI_STREAM_UNKNOWN = 0,
	GST_CUPTI_STREAM_DEFAULT = 1, /* blocking stream: takes part in the legacy barrier */
	GST_CUPTI_STREAM_NON_BLOCKING = 2,
	GST_CUPTI_STREAM_NULL = 3,
};
#define GST_CUPTI_STREAM_FLAG_MASK 0xFFFFu

enum gst_cupti_overhead_kind {
	GST_CUPTI_OVERHEAD_UNKNOWN = 0,
	GST_CUPTI_OVERHEAD_DRIVER_COMPILER = 1,
	GST_CUPTI_OVERHEAD_CUPTI_BUFFER_FLUSH = 1 << 16,
	GST_CUPTI_OVERHEAD_CUPTI_INSTRUMENTATION = 2 << 16,
	GST_CUPTI_OVERHEAD_CUPTI_RESOURCE = 3 << 16,
	GST_CUPTI_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING = 4 << 16, /* since 21 */
	GST_CUPTI_OVERHEAD_LAZY_FUNCTION_LOADING = 5 << 16,	       /* since 21 */
	GST_CUPTI_OVERHEAD_COMMAND_BUFFER_FULL = 6 << 16,	       /* since 22 */
	GST_CUPTI_OVERHEAD_ACTIVITY_BUFFER_REQUEST = 7 << 16,	       /* since 24 */
	GST_CUPTI_OVERHEAD_UVM_ACTIVITY_INIT = 8 << 16,		       /* since 26 */
};

enum gst_cupti_object_kind {
	GST_CUPTI_OBJECT_UNKNOWN = 0,
	GST_CUPTI_OBJECT_PROCESS = 1,
	GST_CUPTI_OBJECT_THREAD = 2,
	GST_CUPTI_OBJECT_DEVICE = 3,
	GST_CUPTI_OBJECT_CONTEXT = 4,
	GST_CUPTI_OBJECT_STREAM = 5,
};

enum gst_cupti_launch_type {
	GST_CUPTI_LAUNCH_REGULAR = 0,
	GST_CUPTI_LAUNCH_COOPERATIVE = 1,
	GST_CUPTI_LAUNCH_COOPERATIVE_MULTI_DEVICE = 2,
	GST_CUPTI_LAUNCH_COMMAND_LIST = 3,
};

enum gst_cupti_channel_type {
	GST_CUPTI_CHANNEL_INVALID = 0,
	GST_CUPTI_CHANNEL_COMPUTE = 1,
	GST_CUPTI_CHANNEL_ASYNC_MEMCPY = 2,
	GST_CUPTI_CHANNEL_DECOMP = 3, /* since 26 */
};

enum gst_cupti_compute_api {
	GST_CUPTI_COMPUTE_API_UNKNOWN = 0,
	GST_CUPTI_COMPUTE_API_CUDA = 1,
	GST_CUPTI_COMPUTE_API_CUDA_MPS = 2,
};

#define GST_CUPTI_FLAG_MEMCPY_ASYNC		 1u
#define GST_CUPTI_FLAG_MEMSET_ASYNC		 1u
#define GST_CUPTI_FLAG_DEVICE_CONCURRENT_KERNELS 1u
#define GST_CUPTI_FLAG_DEVICE_ATTRIBUTE_CUDEVICE 1u
#define GST_CUPTI_TIMESTAMP_UNKNOWN		 0u
#define GST_CUPTI_CORRELATION_ID_UNKNOWN	 0u
#define GST_CUPTI_SYNCHRONIZATION_INVALID_VALUE	 0xFFFFFFFFu /* stream or event id not applicable */

/* ---- callback data ------------------------------------------------------------------------- */

/* Handles (CUcontext, CUstream, CUevent, CUgraph ...) are opaque pointers here. */

struct gst_cupti_callback_data {
	uint32_t callbackSite; /* enum gst_cupti_site */
	uint32_t pad0;
	const char *functionName;   /* lives as long as the library */
	const void *functionParams; /* struct gst_cu_* below */
	void *functionReturnValue;  /* CUresult or cudaError_t (int); valid at exit only */
	const char *symbolName;	    /* launches: mangled kernel name; may be NULL */
	void *context;		    /* CUcontext; NULL where none is current */
	uint32_t contextUid;
	uint32_t pad1;
	uint64_t *
		correlationData; /* 8 bytes of ours, shared by enter and exit of one callback pair */
	uint32_t correlationId;	 /* one per outermost call */
	uint32_t pad2;
};

struct gst_cupti_resource_data {
	void *context;
	void *stream; /* STREAM_* only */
	void *resourceDescriptor;
};

struct gst_cupti_module_data {
	uint32_t moduleId;
	uint32_t pad0;
	uint64_t cubinSize;
	const char *pCubin;
};

struct gst_cupti_graph_data {
	void *graph;
	void *originalGraph;
	void *node;
	void *originalNode;
	uint32_t nodeType; /* enum gst_cu_graph_node_type */
	uint32_t pad0;
	void *dependency;
	void *graphExec;
};

struct gst_cupti_stream_attr_data {
	void *stream;
	uint32_t attr;
	uint32_t pad0;
	const void *value; /* 64-byte union, as gst_cu_launch_attribute.value */
};

struct gst_cupti_synchronize_data {
	void *context;
	void *stream;
};

struct gst_cupti_state_data {
	uint32_t result; /* enum gst_cupti_result */
	uint32_t pad0;
	const char *message; /* may be NULL */
};

/* cuptiSubscribe_v2, since 130000 */
#define GST_CUPTI_SUBSCRIBER_NAME_MAX	  53
#define GST_CUPTI_OLD_SUBSCRIBER_NAME_MIN 64
struct gst_cupti_subscriber_params {
	size_t structSize; /* sizeof(struct gst_cupti_subscriber_params) */
	const char *subscriberName;
	char *oldSubscriberName; /* buffer of ours; filled on MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
	size_t oldSubscriberSize;
};

/* ---- functions ----------------------------------------------------------------------------- */

/* The result is enum gst_cupti_result, kept as int: newer libraries may return other codes. */

typedef struct gst_cupti_subscriber *gst_cupti_subscriber_handle;

typedef void (*gst_cupti_callback_fn)(void *userdata, uint32_t domain, uint32_t cbid,
				      const void *cbdata);
typedef void (*gst_cupti_buffer_requested_fn)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*gst_cupti_buffer_completed_fn)(void *context, uint32_t stream_id, uint8_t *buffer,
					      size_t size, size_t valid_size);

struct gst_cupti_activity;

typedef int gst_cupti_cuptiGetVersion_t(uint32_t *version);
typedef int gst_cupti_cuptiGetResultString_t(uint32_t result, const char **text);
typedef int gst_cupti_cuptiGetTimestamp_t(uint64_t *timestamp_ns);
typedef int gst_cupti_cuptiSubscribe_t(gst_cupti_subscriber_handle *subscriber,
				       gst_cupti_callback_fn callback, void *userdata);
typedef int
gst_cupti_cuptiSubscribe_v2_t(gst_cupti_subscriber_handle *subscriber,
			      gst_cupti_callback_fn callback, void *userdata,
			      struct gst_cupti_subscriber_params *params); /* since 130000 */
typedef int gst_cupti_cuptiUnsubscribe_t(gst_cupti_subscriber_handle subscriber);
typedef int gst_cupti_cuptiEnableCallback_t(uint32_t enable, gst_cupti_subscriber_handle subscriber,
					    uint32_t domain, uint32_t cbid);
typedef int gst_cupti_cuptiEnableDomain_t(uint32_t enable, gst_cupti_subscriber_handle subscriber,
					  uint32_t domain);
typedef int gst_cupti_cuptiActivityEnable_t(uint32_t kind);
typedef int gst_cupti_cuptiActivityDisable_t(uint32_t kind);
typedef int gst_cupti_cuptiActivityRegisterCallbacks_t(gst_cupti_buffer_requested_fn requested,
						       gst_cupti_buffer_completed_fn completed);
typedef int gst_cupti_cuptiActivityGetNextRecord_t(uint8_t *buffer, size_t valid_bytes,
						   struct gst_cupti_activity **record);
typedef int gst_cupti_cuptiActivityGetNumDroppedRecords_t(void *context, uint32_t stream_id,
							  size_t *dropped);
typedef int gst_cupti_cuptiActivityFlushAll_t(uint32_t flag);
typedef int gst_cupti_cuptiActivityFlushPeriod_t(uint32_t time_ms);
typedef int gst_cupti_cuptiActivitySetAttribute_t(uint32_t attr, size_t *value_size, void *value);
typedef int gst_cupti_cuptiActivityGetAttribute_t(uint32_t attr, size_t *value_size, void *value);
typedef int gst_cupti_cuptiActivityEnableLatencyTimestamps_t(uint8_t enable);
typedef int gst_cupti_cuptiActivityEnableLaunchAttributes_t(uint8_t enable);
typedef int
gst_cupti_cuptiActivityEnableCudaEventDeviceTimestamps_t(uint8_t enable);  /* since 130000 */
typedef int gst_cupti_cuptiActivityEnableAllSyncRecords_t(uint8_t enable); /* since 26 */
typedef int gst_cupti_cuptiActivityEnableHWTrace_t(uint8_t enable);	   /* since 26 */
typedef int gst_cupti_cuptiSetThreadIdType_t(uint32_t type);
typedef int gst_cupti_cuptiGetThreadIdType_t(uint32_t *type);
typedef int gst_cupti_cuptiGetContextId_t(void *context, uint32_t *context_id);
typedef int gst_cupti_cuptiGetDeviceId_t(void *context, uint32_t *device_id);
typedef int gst_cupti_cuptiGetStreamIdEx_t(void *context, void *stream, uint8_t per_thread,
					   uint32_t *stream_id);
typedef int gst_cupti_cuptiGetGraphId_t(void *graph, uint32_t *graph_id);
typedef int gst_cupti_cuptiGetGraphExecId_t(void *graph_exec, uint32_t *graph_id); /* since 21 */
typedef int gst_cupti_cuptiGetGraphNodeId_t(void *node, uint64_t *node_id);
typedef int gst_cupti_cuptiGetLastError_t(void);
typedef int gst_cupti_cuptiFinalize_t(void); /* history of crashes: never by default */

/* ---- activity records ---------------------------------------------------------------------- */

/* Every record starts so; records lie on 8-byte boundaries. Times: CLOCK_REALTIME ns, 0 = unknown. */
struct gst_cupti_activity {
	uint32_t kind; /* enum gst_cupti_kind */
};

/* CONCURRENT_KERNEL (and KERNEL) */
struct gst_cupti_kernel {
	uint32_t kind;
	uint8_t cacheConfig;
	uint8_t sharedMemoryConfig;
	uint16_t registersPerThread;
	uint32_t partitionedGlobalCacheRequested;
	uint32_t partitionedGlobalCacheExecuted;
	uint64_t start;
	uint64_t end;
	uint64_t completed;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	int32_t gridX;
	int32_t gridY;
	int32_t gridZ;
	int32_t blockX;
	int32_t blockY;
	int32_t blockZ;
	int32_t staticSharedMemory;
	int32_t dynamicSharedMemory;
	uint32_t localMemoryPerThread;
	uint32_t localMemoryTotal;
	uint32_t correlationId;
	int64_t gridId;
	const char *name; /* mangled; valid as long as the module is loaded */
	void *reserved0;
	uint64_t queued;    /* latency timestamps only */
	uint64_t submitted; /* latency timestamps only */
	uint8_t launchType; /* enum gst_cupti_launch_type */
	uint8_t isSharedMemoryCarveoutRequested;
	uint8_t sharedMemoryCarveoutRequested;
	uint8_t padding;
	uint32_t sharedMemoryExecuted;
	uint64_t graphNodeId; /* (graphId << 32) | index; 0 outside graphs */
	uint32_t shmemLimitConfig;
	uint32_t graphId;
	void *pAccessPolicyWindow;
	uint32_t channelID;
	uint32_t channelType;
	/* Kernel7 (176 bytes, since 17) ends here */
	uint32_t clusterX;
	uint32_t clusterY;
	uint32_t clusterZ;
	uint32_t clusterSchedulingPolicy;
	uint64_t localMemoryTotal_v2;
	/* Kernel8 (200 bytes, since 18) ends here */
	uint32_t maxPotentialClusterSize;
	uint32_t maxActiveClusters;
	/* Kernel9 (208 bytes, since 19) ends here */
	uint8_t isDeviceLaunched;
	uint8_t padding3[7];
	/* Kernel10 (216 bytes, since 130000) ends here; 11 adds a priority (130100), 13 source graph ids (130400) */
};
#define GST_CUPTI_KERNEL_SIZE_7	 176u
#define GST_CUPTI_KERNEL_SIZE_8	 200u
#define GST_CUPTI_KERNEL_SIZE_9	 208u
#define GST_CUPTI_KERNEL_SIZE_10 216u

/* MEMCPY */
struct gst_cupti_memcpy {
	uint32_t kind;
	uint8_t copyKind; /* enum gst_cupti_copy_kind */
	uint8_t srcKind;  /* enum gst_cupti_memory_kind */
	uint8_t dstKind;
	uint8_t flags; /* GST_CUPTI_FLAG_MEMCPY_ASYNC: as asked for, not as done */
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	uint32_t correlationId;
	uint32_t runtimeCorrelationId;
	uint32_t pad;
	void *reserved0;
	uint64_t graphNodeId;
	uint32_t graphId;
	uint32_t channelID;
	uint32_t channelType;
	uint8_t isDeviceLaunched; /* since 130000; padding before */
	uint8_t pad2[3];
	/* Memcpy5 (88 bytes, since 17) ends here */
	uint64_t copyCount;
	/* Memcpy6 (96 bytes, since 26) ends here */
};
#define GST_CUPTI_MEMCPY_SIZE_5 88u
#define GST_CUPTI_MEMCPY_SIZE_6 96u

/* MEMCPY2: peer to peer */
struct gst_cupti_memcpy_ptop {
	uint32_t kind;
	uint8_t copyKind;
	uint8_t srcKind;
	uint8_t dstKind;
	uint8_t flags;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	uint32_t srcDeviceId;
	uint32_t srcContextId;
	uint32_t dstDeviceId;
	uint32_t dstContextId;
	uint32_t correlationId;
	void *reserved0;
	uint64_t graphNodeId;
	uint32_t graphId;
	uint32_t channelID; /* padding in PtoP3 (88 bytes), before 17 */
	uint32_t channelType;
	uint32_t pad;
	/* PtoP4 (96 bytes, since 17) ends here */
};
#define GST_CUPTI_MEMCPY_PTOP_SIZE_3 88u
#define GST_CUPTI_MEMCPY_PTOP_SIZE_4 96u

/* MEMSET */
struct gst_cupti_memset {
	uint32_t kind;
	uint32_t value;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	uint32_t correlationId;
	uint16_t flags; /* GST_CUPTI_FLAG_MEMSET_ASYNC */
	uint16_t memoryKind;
	uint32_t pad;
	void *reserved0;
	uint64_t graphNodeId;
	uint32_t graphId;
	uint32_t channelID; /* padding in Memset3 (80 bytes), before 17 */
	uint32_t channelType;
	uint8_t isDeviceLaunched; /* since 130000; padding before */
	uint8_t pad2[3];
	/* Memset4 (88 bytes, since 17) ends here */
};
#define GST_CUPTI_MEMSET_SIZE_3 80u
#define GST_CUPTI_MEMSET_SIZE_4 88u

/* STREAM (24 bytes, since 18*) */
struct gst_cupti_stream {
	uint32_t kind;
	uint32_t contextId;
	uint32_t streamId;
	uint32_t priority; /* read as signed */
	uint32_t flag;	   /* enum gst_cupti_stream_flag under GST_CUPTI_STREAM_FLAG_MASK */
	uint32_t correlationId;
};
#define GST_CUPTI_STREAM_SIZE 24u

/* CONTEXT */
struct gst_cupti_context {
	uint32_t kind;
	uint32_t contextId;
	uint32_t deviceId;
	uint16_t computeApiKind;
	uint16_t nullStreamId; /* low 16 bits only */
	/* Context (16 bytes, since 18*) ends here */
	uint32_t parentContextId;
	uint8_t isGreenContext; /* no CONTEXT records for green contexts since 130200 */
	uint8_t padding;
	uint16_t numMultiprocessors; /* since 23; padding before */
	/* Context2 (24 bytes, since 22) ends here */
	uint32_t cigMode;
	uint32_t padding2;
	/* Context3 (32 bytes, since 23) ends here */
};
#define GST_CUPTI_CONTEXT_SIZE_1 16u
#define GST_CUPTI_CONTEXT_SIZE_2 24u
#define GST_CUPTI_CONTEXT_SIZE_3 32u

/* DEVICE */
struct gst_cupti_device {
	uint32_t kind;
	uint32_t flags;
	uint64_t globalMemoryBandwidth; /* kBytes/s */
	uint64_t globalMemorySize;	/* bytes */
	uint32_t constantMemorySize;
	uint32_t l2CacheSize;
	uint32_t numThreadsPerWarp;
	uint32_t coreClockRate; /* kHz */
	uint32_t numMemcpyEngines;
	uint32_t numMultiprocessors;
	uint32_t maxIPC;
	uint32_t maxWarpsPerMultiprocessor;
	uint32_t maxBlocksPerMultiprocessor;
	uint32_t maxSharedMemoryPerMultiprocessor;
	uint32_t maxRegistersPerMultiprocessor;
	uint32_t maxRegistersPerBlock;
	uint32_t maxSharedMemoryPerBlock;
	uint32_t maxThreadsPerBlock;
	uint32_t maxBlockDimX;
	uint32_t maxBlockDimY;
	uint32_t maxBlockDimZ;
	uint32_t maxGridDimX;
	uint32_t maxGridDimY;
	uint32_t maxGridDimZ;
	uint32_t computeCapabilityMajor;
	uint32_t computeCapabilityMinor;
	uint32_t id;
	uint32_t eccEnabled;
	uint8_t uuid[16];
	const char *name; /* from malloc: ours to free */
	uint8_t isCudaVisible;
	/* Device3 (152 bytes, since 16) has padding up to 152 */
	uint8_t isMigEnabled; /* since 17 */
	uint8_t reserved[6];
	uint32_t gpuInstanceId;
	uint32_t computeInstanceId;
	uint8_t migUuid[16];
	/* Device4 (176 bytes, since 17) ends here */
	uint32_t isNumaNode; /* release unknown: gate at 26 or later */
	uint32_t numaId;
	/* Device5 (184 bytes, release unknown; holds in 130001) ends here */
};
#define GST_CUPTI_DEVICE_SIZE_3 152u
#define GST_CUPTI_DEVICE_SIZE_4 176u
#define GST_CUPTI_DEVICE_SIZE_5 184u

/* DEVICE_ATTRIBUTE (24 bytes, since 18*) */
struct gst_cupti_device_attribute {
	uint32_t kind;
	uint32_t flags;
	uint32_t deviceId;
	uint32_t attribute;
	uint64_t value; /* union; 32-bit attributes fill the low half */
};
#define GST_CUPTI_DEVICE_ATTRIBUTE_SIZE 24u

/* GRAPH_TRACE: one record a graph launch */
struct gst_cupti_graph_trace {
	uint32_t kind;
	uint32_t correlationId;
	uint64_t start;
	uint64_t end;
	uint32_t deviceId;
	uint32_t graphId;
	uint32_t contextId;
	uint32_t streamId;
	void *reserved;
	/* GraphTrace (48 bytes, since 18*) ends here */
	uint32_t endDeviceId;
	uint32_t endContextId;
	/* GraphTrace2 (56 bytes, since 21) ends here */
};
#define GST_CUPTI_GRAPH_TRACE_SIZE_1 48u
#define GST_CUPTI_GRAPH_TRACE_SIZE_2 56u

/* MEMORY2 */
struct gst_cupti_memory {
	uint32_t kind;
	uint32_t memoryOperationType; /* enum gst_cupti_memory_op */
	uint32_t memoryKind;
	uint32_t correlationId;
	uint64_t address;
	uint64_t bytes;
	uint64_t timestamp;
	uint64_t PC;
	uint32_t processId;
	uint32_t deviceId;
	uint32_t contextId;
	uint32_t streamId;
	const char *name; /* symbol of static variables, or NULL */
	uint32_t isAsync;
	uint32_t pad1;
	uint32_t poolType; /* enum gst_cupti_memory_pool_type; the next five describe the pool */
	uint32_t pad2;
	uint64_t poolAddress;
	uint64_t poolReleaseThreshold;
	uint64_t poolSize; /* process id of the owner for an imported pool */
	/* Memory2 (112 bytes, before 17) ends here */
	uint64_t poolUtilizedSize;
	/* Memory3 (120 bytes, since 17) ends here */
	const char *source;
	/* Memory4 (128 bytes, since 24) ends here */
};
#define GST_CUPTI_MEMORY_SIZE_2 112u
#define GST_CUPTI_MEMORY_SIZE_3 120u
#define GST_CUPTI_MEMORY_SIZE_4 128u

/*
 * GRAPH_HOST_NODE and HOST_LAUNCH, since 13.1. The documentation lists the fields, in this order; whether there is a
 * hole before the times of the second it does not say. Which of the two it is shows at the times (activity.c).
 */
struct gst_cupti_graph_host_node {
	uint32_t kind;
	uint32_t streamId; /* of the stream that waits for it */
	uint32_t contextId;
	uint32_t deviceId;
	uint32_t correlationId;
	uint32_t graphId;
	uint64_t graphNodeId;
	uint32_t processId;
	uint32_t threadId;
	uint64_t start;
	uint64_t end;
};

struct gst_cupti_host_launch {
	uint32_t kind;
	uint32_t streamId;
	uint32_t contextId;
	uint32_t deviceId;
	uint32_t correlationId;
	uint32_t processId;
	uint32_t threadId;
	uint32_t times[5]; /* start and end, from the first or the second of these on */
};

#define GST_CUPTI_GRAPH_HOST_NODE_SIZE 56u
#define GST_CUPTI_HOST_LAUNCH_SIZE     48u

/* OVERHEAD */
struct gst_cupti_overhead {
	uint32_t kind;
	uint32_t overheadKind; /* enum gst_cupti_overhead_kind */
	uint32_t objectKind;   /* enum gst_cupti_object_kind */
	union {
		struct {
			uint32_t processId;
			uint32_t threadId;
		} pt; /* PROCESS, THREAD */
		struct {
			uint32_t deviceId;
			uint32_t contextId;
			uint32_t streamId;
		} dcs; /* DEVICE, CONTEXT, STREAM */
	} objectId;
	uint64_t start;
	uint64_t end;
	/* Overhead (40 bytes, since 18*) ends here */
	uint32_t correlationId; /* Overhead2: documented for 20, read from 22 on */
	uint32_t reserved0;
	/* Overhead2 (48 bytes) ends here */
	void *overheadData; /* ours to free; COMMAND_BUFFER_FULL: gst_cupti_command_buffer_full */
			    /* Overhead3 (56 bytes, since 22) ends here */
};
#define GST_CUPTI_OVERHEAD_SIZE_1 40u
#define GST_CUPTI_OVERHEAD_SIZE_2 48u
#define GST_CUPTI_OVERHEAD_SIZE_3 56u

struct gst_cupti_command_buffer_full {
	uint32_t commandBufferLength;
	uint32_t channelID;
	uint32_t channelType;
};

/* SYNCHRONIZATION */
struct gst_cupti_synchronization {
	uint32_t kind;
	uint32_t type; /* enum gst_cupti_sync_type */
	uint64_t start;
	uint64_t end;
	uint32_t correlationId;
	uint32_t contextId;
	uint32_t streamId;
	uint32_t cudaEventId;
	/* Synchronization (40 bytes, since 18*) ends here */
	uint64_t cudaEventSyncId; /* the exact record this waits for */
	uint32_t returnValue;	  /* of the call, as CUresult */
	uint32_t pad;
	/* Synchronization2 (56 bytes, since 26) ends here */
};
#define GST_CUPTI_SYNCHRONIZATION_SIZE_1 40u
#define GST_CUPTI_SYNCHRONIZATION_SIZE_2 56u

/* CUDA_EVENT: one event record operation */
struct gst_cupti_cuda_event {
	uint32_t kind;
	uint32_t correlationId;
	uint32_t contextId;
	uint32_t streamId;
	uint32_t eventId;
	uint32_t pad;
	/* CudaEvent (24 bytes, since 18*) ends here */
	uint32_t deviceId;
	uint32_t pad2;
	void *reserved0;
	uint64_t deviceTimestamp; /* 0 unless device timestamps were asked for (since 130000) */
	uint64_t cudaEventSyncId;
	/* CudaEvent2 (56 bytes, since 26) ends here */
};
#define GST_CUPTI_CUDA_EVENT_SIZE_1 24u
#define GST_CUPTI_CUDA_EVENT_SIZE_2 56u

/* DRIVER, RUNTIME, INTERNAL_LAUNCH_API (40 bytes, since 18*) */
struct gst_cupti_api {
	uint32_t kind;
	uint32_t cbid;
	uint64_t start;
	uint64_t end;
	uint32_t processId;
	uint32_t threadId;
	uint32_t correlationId;
	uint32_t returnValue;
};
#define GST_CUPTI_API_SIZE 40u

/* ---- CUDA: values -------------------------------------------------------------------------- */

/* Stream handles with a meaning of their own; what 0 means, the cbid tells (_ptsz, _ptds). */
#define GST_CU_STREAM_LEGACY	 ((uintptr_t)1)
#define GST_CU_STREAM_PER_THREAD ((uintptr_t)2)

#define GST_CU_SUCCESS			 0
#define GST_CU_ERROR_NOT_READY		 600 /* same number in both domains */
#define GST_CU_ERROR_CAPTURE_INVALIDATED 901

#define GST_CU_STREAM_DEFAULT	   0u
#define GST_CU_STREAM_NON_BLOCKING 1u

#define GST_CU_EVENT_BLOCKING_SYNC   1u
#define GST_CU_EVENT_DISABLE_TIMING  2u
#define GST_CU_EVENT_INTERPROCESS    4u
#define GST_CU_EVENT_RECORD_EXTERNAL 1u
#define GST_CU_EVENT_WAIT_EXTERNAL   1u

#define GST_CU_MEMHOSTALLOC_PORTABLE	  1u
#define GST_CU_MEMHOSTALLOC_DEVICEMAP	  2u
#define GST_CU_MEMHOSTALLOC_WRITECOMBINED 4u
#define GST_CU_MEMHOSTREGISTER_READ_ONLY  8u
#define GST_CU_MEM_ATTACH_GLOBAL	  1u
#define GST_CU_MEM_ATTACH_HOST		  2u
#define GST_CU_MEM_ATTACH_SINGLE	  4u

enum gst_cu_memory_type {
	GST_CU_MEMORYTYPE_HOST = 1,
	GST_CU_MEMORYTYPE_DEVICE = 2,
	GST_CU_MEMORYTYPE_ARRAY = 3,
	GST_CU_MEMORYTYPE_UNIFIED = 4,
};

enum gst_cuda_memcpy_kind { /* runtime copies */
			    GST_CUDA_MEMCPY_H2H = 0,
			    GST_CUDA_MEMCPY_H2D = 1,
			    GST_CUDA_MEMCPY_D2H = 2,
			    GST_CUDA_MEMCPY_D2D = 3,
			    GST_CUDA_MEMCPY_DEFAULT = 4,
};

enum gst_cu_capture_mode {
	GST_CU_CAPTURE_GLOBAL = 0,
	GST_CU_CAPTURE_THREAD_LOCAL = 1,
	GST_CU_CAPTURE_RELAXED = 2,
};

enum gst_cu_graph_node_type {
	GST_CU_GRAPH_NODE_KERNEL = 0,
	GST_CU_GRAPH_NODE_MEMCPY = 1,
	GST_CU_GRAPH_NODE_MEMSET = 2,
	GST_CU_GRAPH_NODE_HOST = 3,
	GST_CU_GRAPH_NODE_GRAPH = 4,
	GST_CU_GRAPH_NODE_EMPTY = 5,
	GST_CU_GRAPH_NODE_WAIT_EVENT = 6,
	GST_CU_GRAPH_NODE_EVENT_RECORD = 7,
	GST_CU_GRAPH_NODE_EXT_SEMAS_SIGNAL = 8,
	GST_CU_GRAPH_NODE_EXT_SEMAS_WAIT = 9,
	GST_CU_GRAPH_NODE_MEM_ALLOC = 10,
	GST_CU_GRAPH_NODE_MEM_FREE = 11,
	GST_CU_GRAPH_NODE_BATCH_MEM_OP = 12,
	GST_CU_GRAPH_NODE_CONDITIONAL = 13,
};

enum gst_cu_launch_attribute_id {
	GST_CU_LAUNCH_ATTR_IGNORE = 0,
	GST_CU_LAUNCH_ATTR_COOPERATIVE = 2,
	GST_CU_LAUNCH_ATTR_SYNCHRONIZATION_POLICY = 3,
	GST_CU_LAUNCH_ATTR_CLUSTER_DIMENSION = 4,
	GST_CU_LAUNCH_ATTR_PROGRAMMATIC_STREAM_SERIALIZATION = 6, /* value.i32 */
	GST_CU_LAUNCH_ATTR_PROGRAMMATIC_EVENT = 7,		  /* value.event */
	GST_CU_LAUNCH_ATTR_PRIORITY = 8,
	GST_CU_LAUNCH_ATTR_MEM_SYNC_DOMAIN_MAP = 9,
	GST_CU_LAUNCH_ATTR_MEM_SYNC_DOMAIN = 10,
	GST_CU_LAUNCH_ATTR_LAUNCH_COMPLETION_EVENT = 12, /* value.event */
};

enum gst_cu_stream_mem_op {
	GST_CU_MEM_OP_WAIT_VALUE_32 = 1,
	GST_CU_MEM_OP_WRITE_VALUE_32 = 2,
	GST_CU_MEM_OP_FLUSH_REMOTE_WRITES = 3,
	GST_CU_MEM_OP_WAIT_VALUE_64 = 4,
	GST_CU_MEM_OP_WRITE_VALUE_64 = 5,
	GST_CU_MEM_OP_BARRIER = 6,
};

/* ---- CUDA: structs that parameters point to ------------------------------------------------ */

struct gst_cu_launch_attribute { /* 72 bytes */
	uint32_t id;		 /* enum gst_cu_launch_attribute_id */
	uint32_t pad;
	union {
		uint8_t bytes[64];
		int32_t i32; /* cooperative, programmatic serialization, priority */
		struct {
			void *event;
			int32_t flags;
			int32_t triggerAtBlockStart; /* PROGRAMMATIC_EVENT only */
		} event;
		struct {
			uint32_t x;
			uint32_t y;
			uint32_t z;
		} clusterDim;
	} value;
};

struct gst_cu_launch_config { /* 56 bytes */
	uint32_t gridDimX;
	uint32_t gridDimY;
	uint32_t gridDimZ;
	uint32_t blockDimX;
	uint32_t blockDimY;
	uint32_t blockDimZ;
	uint32_t sharedMemBytes;
	uint32_t pad;
	void *hStream;
	const struct gst_cu_launch_attribute *attrs;
	uint32_t numAttrs;
	uint32_t pad1;
};

struct gst_cu_launch_params { /* one device of cuLaunchCooperativeKernelMultiDevice; 56 bytes */
	void *function;
	uint32_t gridDimX;
	uint32_t gridDimY;
	uint32_t gridDimZ;
	uint32_t blockDimX;
	uint32_t blockDimY;
	uint32_t blockDimZ;
	uint32_t sharedMemBytes;
	uint32_t pad;
	void *hStream;
	void **kernelParams;
};

struct gst_cu_copy_2d { /* 128 bytes; _v2 entry points only */
	uint64_t srcXInBytes;
	uint64_t srcY;
	uint32_t srcMemoryType; /* enum gst_cu_memory_type: which of the next three counts */
	uint32_t pad0;
	const void *srcHost;
	uint64_t srcDevice;
	void *srcArray;
	uint64_t srcPitch;
	uint64_t dstXInBytes;
	uint64_t dstY;
	uint32_t dstMemoryType;
	uint32_t pad1;
	void *dstHost;
	uint64_t dstDevice;
	void *dstArray;
	uint64_t dstPitch;
	uint64_t WidthInBytes;
	uint64_t Height;
};

struct gst_cu_copy_3d { /* 200 bytes; _v2 and Peer entry points */
	uint64_t srcXInBytes;
	uint64_t srcY;
	uint64_t srcZ;
	uint64_t srcLOD;
	uint32_t srcMemoryType;
	uint32_t pad0;
	const void *srcHost;
	uint64_t srcDevice;
	void *srcArray;
	void *srcContext; /* Peer only; NULL otherwise */
	uint64_t srcPitch;
	uint64_t srcHeight;
	uint64_t dstXInBytes;
	uint64_t dstY;
	uint64_t dstZ;
	uint64_t dstLOD;
	uint32_t dstMemoryType;
	uint32_t pad1;
	void *dstHost;
	uint64_t dstDevice;
	void *dstArray;
	void *dstContext; /* Peer only; NULL otherwise */
	uint64_t dstPitch;
	uint64_t dstHeight;
	uint64_t WidthInBytes;
	uint64_t Height;
	uint64_t Depth;
};

struct gst_cu_copy_attributes {	 /* 24 bytes */
	uint32_t srcAccessOrder; /* 1 stream, 2 during the call, 3 any */
	uint32_t srcLocType;
	int32_t srcLocId;
	uint32_t dstLocType;
	int32_t dstLocId;
	uint32_t flags;
};

struct gst_cu_graph_instantiate_args { /* 32 bytes */
	uint64_t flags;
	void *hUploadStream;
	void *hErrNode_out;
	uint32_t result_out;
	uint32_t pad;
};

struct gst_cu_mem_location { /* 8 bytes */
	uint32_t type;	     /* 1 device, 2 host, 3 host NUMA node */
	int32_t id;
};

/* ---- CUDA: parameters of the calls we read ------------------------------------------------- */

/*
 * One struct per layout; the api table (tracer/format/api.def) names the layout of each cbid as
 * GST_PARAMS_<LAYOUT>. Only the 64-bit entry points have one: the 32-bit originals (no suffix where a
 * _v2 exists) are recorded without reading their parameters. A trailing stream exists
 * in the asynchronous forms only: GST_PARAMS_COPY has no stream, GST_PARAMS_COPY_ASYNC has.
 * Values behind out-pointers (p*) may be read at exit only, and only after success.
 */

struct gst_cu_launch { /* LAUNCH: cuLaunchKernel, cuLaunchCooperativeKernel */
	void *f;
	uint32_t gridDimX;
	uint32_t gridDimY;
	uint32_t gridDimZ;
	uint32_t blockDimX;
	uint32_t blockDimY;
	uint32_t blockDimZ;
	uint32_t sharedMemBytes;
	uint32_t pad;
	void *hStream;
	void **kernelParams;
	/* cuLaunchKernel goes on with void **extra */
};

struct gst_cu_launch_ex { /* LAUNCH_EX: cuLaunchKernelEx */
	const struct gst_cu_launch_config *config;
	void *f;
	void **kernelParams;
	void **extra;
};

#define GST_CU_MULTI_DEVICE_NO_PRE_SYNC	 1u /* flags of it */
#define GST_CU_MULTI_DEVICE_NO_POST_SYNC 2u

struct gst_cu_launch_multi { /* LAUNCH_MULTI: cuLaunchCooperativeKernelMultiDevice */
	struct gst_cu_launch_params *list;
	uint32_t numDevices;
	uint32_t flags;
};

struct gst_cu_copy { /* COPY, COPY_ASYNC: HtoD, DtoH, DtoD, cuMemcpy; a host pointer is 8 bytes too */
	uint64_t dst;
	uint64_t src;
	uint64_t bytes;
	void *hStream; /* COPY_ASYNC */
};

struct gst_cu_copy_to_array { /* COPY_TO_ARRAY(_ASYNC): DtoA, HtoA */
	void *dstArray;
	uint64_t dstOffset;
	uint64_t src;
	uint64_t bytes;
	void *hStream; /* _ASYNC */
};

struct gst_cu_copy_from_array { /* COPY_FROM_ARRAY(_ASYNC): AtoD, AtoH */
	uint64_t dst;
	void *srcArray;
	uint64_t srcOffset;
	uint64_t bytes;
	void *hStream; /* _ASYNC */
};

struct gst_cu_copy_array_array { /* COPY_ARRAY_ARRAY: AtoA */
	void *dstArray;
	uint64_t dstOffset;
	void *srcArray;
	uint64_t srcOffset;
	uint64_t bytes;
};

struct gst_cu_copy_2d_call { /* COPY_2D, COPY_2D_ASYNC */
	const struct gst_cu_copy_2d *copy;
	void *hStream; /* _ASYNC */
};

struct gst_cu_copy_3d_call { /* COPY_3D, COPY_3D_ASYNC, COPY_3D_PEER, COPY_3D_PEER_ASYNC */
	const struct gst_cu_copy_3d *copy;
	void *hStream; /* _ASYNC */
};

struct gst_cu_copy_peer { /* COPY_PEER, COPY_PEER_ASYNC */
	uint64_t dst;
	void *dstContext;
	uint64_t src;
	void *srcContext;
	uint64_t bytes;
	void *hStream; /* _ASYNC */
};

struct gst_cu_copy_batch { /* COPY_BATCH: cuMemcpyBatchAsync */
	const uint64_t *dsts;
	const uint64_t *srcs;
	const uint64_t *sizes;
	uint64_t count;
	const struct gst_cu_copy_attributes *attrs;
	const uint64_t *attrsIdxs;
	uint64_t numAttrs;
	uint64_t *failIdx;
	void *hStream;
};

struct gst_cu_copy_batch_v2 { /* COPY_BATCH_V2: cuMemcpyBatchAsync_v2 (no failIdx) */
	const uint64_t *dsts;
	const uint64_t *srcs;
	const uint64_t *sizes;
	uint64_t count;
	const struct gst_cu_copy_attributes *attrs;
	const uint64_t *attrsIdxs;
	uint64_t numAttrs;
	void *hStream;
};

struct gst_cu_copy_3d_batch { /* COPY_3D_BATCH: cuMemcpy3DBatchAsync */
	uint64_t numOps;
	const void *opList;
	uint64_t *failIdx;
	uint64_t flags;
	void *hStream;
};

struct gst_cu_copy_3d_batch_v2 { /* COPY_3D_BATCH_V2: cuMemcpy3DBatchAsync_v2 */
	uint64_t numOps;
	const void *opList;
	uint64_t flags;
	void *hStream;
};

struct gst_cu_memset { /* MEMSET_8/16/32, MEMSET_8/16/32_ASYNC: element width as named */
	uint64_t dst;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
	} value;
	uint32_t pad;
	uint64_t count; /* elements */
	void *hStream;	/* _ASYNC */
};

struct gst_cu_memset_2d { /* MEMSET_2D_8/16/32, MEMSET_2D_8/16/32_ASYNC */
	uint64_t dst;
	uint64_t dstPitch;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
	} value;
	uint32_t pad;
	uint64_t width; /* elements */
	uint64_t height;
	void *hStream; /* _ASYNC */
};

struct gst_cu_event_create { /* EVENT_CREATE */
	void **event;
	uint32_t flags;
};

struct gst_cu_event { /* EVENT: query, synchronize, destroy */
	void *event;
};

struct gst_cu_event_record { /* EVENT_RECORD, EVENT_RECORD_FLAGS */
	void *event;
	void *hStream;
	uint32_t flags; /* EVENT_RECORD_FLAGS */
};

struct gst_cu_event_elapsed { /* EVENT_ELAPSED */
	float *milliseconds;
	void *start;
	void *end;
};

struct gst_cu_ctx_event { /* CTX_EVENT: cuCtxRecordEvent, cuCtxWaitEvent, cuGreenCtx*Event */
	void *context;
	void *event;
};

struct gst_cu_stream_create { /* STREAM_CREATE, STREAM_CREATE_PRIO */
	void **stream;
	uint32_t flags;
	int32_t priority; /* STREAM_CREATE_PRIO */
};

struct gst_cu_green_stream_create { /* GREEN_STREAM_CREATE */
	void **stream;
	void *greenContext;
	uint32_t flags;
	int32_t priority;
};

struct gst_cu_stream { /* STREAM: query, synchronize, destroy, first form of begin capture */
	void *hStream;
};

struct gst_cu_stream_wait { /* STREAM_WAIT: cuStreamWaitEvent */
	void *hStream;
	void *event;
	uint32_t flags;
};

struct gst_cu_host_func { /* HOST_FUNC: cuLaunchHostFunc */
	void *hStream;
	void (*fn)(void *user_data);
	void *userData;
};

struct gst_cu_stream_callback { /* STREAM_CALLBACK: cuStreamAddCallback */
	void *hStream;
	void (*callback)(void *stream, int status, void *user_data);
	void *userData;
	uint32_t flags;
};

struct gst_cu_capture_begin { /* CAPTURE_BEGIN: cuStreamBeginCapture_v2 */
	void *hStream;
	uint32_t mode; /* enum gst_cu_capture_mode */
};

struct gst_cu_capture_to_graph { /* CAPTURE_TO_GRAPH: cuStreamBeginCaptureToGraph */
	void *hStream;
	void *graph;
	void *const *dependencies;
	const void *dependencyData;
	uint64_t numDependencies;
	uint32_t mode;
};

struct gst_cu_capture_end { /* CAPTURE_END */
	void *hStream;
	void **graph;
};

struct gst_cu_graph_instantiate { /* GRAPH_INSTANTIATE (first two), _FLAGS, _PARAMS */
	void **graphExec;
	void *graph;
	union {
		uint64_t flags;				    /* GRAPH_INSTANTIATE_FLAGS */
		struct gst_cu_graph_instantiate_args *args; /* GRAPH_INSTANTIATE_PARAMS */
	};
};

struct gst_cu_graph_stream { /* GRAPH_STREAM: launch, upload */
	void *graphExec;
	void *hStream;
};

struct gst_cu_graph_exec { /* GRAPH_EXEC: cuGraphExecDestroy */
	void *graphExec;
};

struct gst_cu_graph { /* GRAPH: cuGraphDestroy */
	void *graph;
};

struct gst_cu_graph_update { /* GRAPH_UPDATE: cuGraphExecUpdate, _v2 (results follow) */
	void *graphExec;
	void *graph;
};

struct gst_cu_edge_data {
	uint8_t from_port, to_port, type, reserved[5];
};

struct gst_cu_node_params { /* of cuGraphAddNode, cuGraphNodeSetParams, what is read of it */
	uint32_t type;	    /* enum gst_cu_graph_node_type */
	uint32_t reserved[3];
	void *event; /* of an event record or wait */
};

struct gst_cu_kernel_params { /* of a kernel node, what is read of it; in gst_cu_node_params too, at event */
	void *function;
	uint32_t sizes[7];
	void **arguments;
	void **extra;
	void *kernel; /* if function is NULL; not in cuGraphAddKernelNode's first version */
};

struct gst_cu_get_kernel { /* cuModuleGetFunction, cuLibraryGetKernel */
	void **kernel;
	void *module;
	const char *name;
};

struct gst_cu_get_function { /* cuKernelGetFunction */
	void **function;
	void *kernel;
};

struct gst_cu_graph_add { /* GRAPH_ADD, GRAPH_ADD_EVENT, GRAPH_ADD_NODE */
	void **node;
	void *graph;
	void *const *dependencies;
	uint64_t count;
	union {
		void *event;				   /* GRAPH_ADD_EVENT */
		const struct gst_cu_kernel_params *kernel; /* GRAPH_ADD of a kernel node */
		const struct gst_cu_node_params *params;   /* GRAPH_ADD_NODE */
	};
};

struct gst_cu_graph_add_data { /* GRAPH_ADD_NODE_DATA: cuGraphAddNode_v2 */
	void **node;
	void *graph;
	void *const *dependencies;
	const struct gst_cu_edge_data *data;
	uint64_t count;
	const struct gst_cu_node_params *params;
};

struct gst_cu_graph_edges { /* GRAPH_EDGES: cuGraphAddDependencies, Remove */
	void *graph;
	void *const *from;
	void *const *to;
	uint64_t count;
};

struct gst_cu_graph_edges_data { /* GRAPH_EDGES_DATA: the same, _v2 */
	void *graph;
	void *const *from;
	void *const *to;
	const struct gst_cu_edge_data *data;
	uint64_t count;
};

struct gst_cu_graph_node { /* GRAPH_NODE: cuGraphDestroyNode; GRAPH_NODE_SET: whatever follows */
	void *node;
	union {
		void *event; /* GRAPH_NODE_EVENT: cuGraphEventRecordNodeSetEvent */
		const struct gst_cu_node_params
			*params; /* GRAPH_NODE_PARAMS: cuGraphNodeSetParams */
	};
};

struct gst_cu_graph_exec_node { /* GRAPH_EXEC_NODE: cuGraphExecKernelNodeSetParams and its like */
	void *graphExec;
	void *node; /* of the graph that it was made from */
	union {
		void *event; /* GRAPH_EXEC_NODE_EVENT: cuGraphExecEventRecordNodeSetEvent */
		const struct gst_cu_node_params
			*params;     /* GRAPH_EXEC_NODE_PARAMS: cuGraphExecNodeSetParams */
		uint32_t is_enabled; /* GRAPH_EXEC_NODE_FLAG: cuGraphNodeSetEnabled */
	};
};

struct gst_cu_capture_edges { /* CAPTURE_EDGES, _DATA: cuStreamUpdateCaptureDependencies, _v2 */
	void *hStream;
	void *const *dependencies;
	union {
		uint64_t count;			     /* CAPTURE_EDGES */
		const struct gst_cu_edge_data *data; /* CAPTURE_EDGES_DATA */
	};
};

struct gst_cu_alloc { /* ALLOC: cuMemAlloc_v2, cuMemAllocHost_v2 */
	uint64_t *ptr;
	uint64_t bytes;
};

struct gst_cu_mem_create { /* MEM_CREATE: cuMemCreate */
	uint64_t *handle;
	uint64_t bytes;
};

struct gst_cu_mem_range { /* MEM_RANGE: cuMemMap, cuMemUnmap, cuMemSetAccess, cuMemAdvise */
	uint64_t ptr;
	uint64_t bytes;
};

struct gst_cu_alloc_flags { /* ALLOC_FLAGS: cuMemAllocManaged, cuMemHostAlloc */
	uint64_t *ptr;
	uint64_t bytes;
	uint32_t flags;
};

struct gst_cu_alloc_pitch { /* ALLOC_PITCH */
	uint64_t *ptr;
	uint64_t *pitch;
	uint64_t widthInBytes;
	uint64_t height;
	uint32_t elementSizeBytes;
};

struct gst_cu_free { /* FREE: cuMemFree_v2, cuMemFreeHost, cuMemHostUnregister */
	uint64_t ptr;
};

struct gst_cu_host_register { /* HOST_REGISTER */
	uint64_t ptr;
	uint64_t bytes;
	uint32_t flags;
};

struct gst_cu_alloc_async { /* ALLOC_ASYNC */
	uint64_t *ptr;
	uint64_t bytes;
	void *hStream;
};

struct gst_cu_alloc_pool { /* ALLOC_POOL: cuMemAllocFromPoolAsync */
	uint64_t *ptr;
	uint64_t bytes;
	void *pool;
	void *hStream;
};

struct gst_cu_free_async { /* FREE_ASYNC */
	uint64_t ptr;
	void *hStream;
};

struct gst_cu_pool_create { /* POOL_CREATE */
	void **pool;
	const void *props;
};

struct gst_cu_pool { /* POOL (destroy), POOL_TRIM */
	void *pool;
	uint64_t minBytesToKeep; /* POOL_TRIM */
};

struct gst_cu_prefetch { /* PREFETCH */
	uint64_t ptr;
	uint64_t bytes;
	int32_t dstDevice;
	uint32_t pad;
	void *hStream;
};

struct gst_cu_prefetch_v2 { /* PREFETCH_V2 */
	uint64_t ptr;
	uint64_t bytes;
	struct gst_cu_mem_location location;
	uint32_t flags;
	uint32_t pad;
	void *hStream;
};

struct gst_cu_prefetch_batch { /* PREFETCH_BATCH */
	const uint64_t *ptrs;
	const uint64_t *sizes;
	uint64_t count;
	const struct gst_cu_mem_location *locations;
	const uint64_t *locationIdxs;
	uint64_t numLocations;
	uint64_t flags;
	void *hStream;
};

struct gst_cu_memop_32 { /* MEMOP_32: cuStreamWaitValue32, cuStreamWriteValue32 and _v2 */
	void *hStream;
	uint64_t addr;
	uint32_t value;
	uint32_t flags;
};

struct gst_cu_memop_64 { /* MEMOP_64 */
	void *hStream;
	uint64_t addr;
	uint64_t value;
	uint32_t flags;
};

struct gst_cu_memop_batch { /* MEMOP_BATCH: cuStreamBatchMemOp and _v2 */
	void *hStream;
	uint32_t count;
	uint32_t pad;
	void *ops; /* 48 bytes each, enum gst_cu_stream_mem_op first */
	uint32_t flags;
};

/* One of cuStreamBatchMemOp; what follows is the driver's own. */
struct gst_cu_memop {	      /* 48 bytes */
	uint32_t operation;   /* 1 wait 32, 2 write 32, 3 flush, 4 wait 64, 5 write 64, 6 barrier */
	uint32_t short_flags; /* of 3 and 6 */
	uint64_t address;
	uint64_t value; /* 1, 2: the lower half */
	uint32_t flags;
	uint32_t pad;
	uint64_t unused[2];
};

struct gst_cu_semaphores { /* SEMAPHORES: cuSignal- and cuWaitExternalSemaphoresAsync */
	void *const *semaphores;
	const void *params;
	uint32_t count;
	uint32_t pad;
	void *hStream;
};

struct gst_cu_attach { /* ATTACH: cuStreamAttachMemAsync */
	void *hStream;
	uint64_t ptr;
	uint64_t bytes;
	uint32_t flags;
};

#define GST_CU_POINTER_SYNC_MEMOPS 6u
#define GST_CU_CTX_SYNC_MEMOPS	   0x80u

struct gst_cu_pointer_attribute { /* POINTER_ATTRIBUTE: cuPointerSetAttribute */
	const uint32_t *value;
	uint32_t attribute;
	uint32_t pad;
	uint64_t ptr;
};

/* CU_MEMPOOL_ATTR_*: the first three are ints, later ones 64 bits. */
#define GST_CU_POOL_REUSE_LAST 3u

struct gst_cu_pool_attribute { /* POOL_ATTRIBUTE: cuMemPoolSetAttribute */
	void *pool;
	uint32_t attribute;
	uint32_t pad;
	const void *value;
};

struct gst_cu_pool_access { /* POOL_ACCESS: cuMemPoolSetAccess */
	void *pool;
	const void *map;
	uint64_t count;
};

struct gst_cu_pool_of_device { /* POOL_OF_DEVICE: cuDeviceSetMemPool */
	int32_t device;
	uint32_t pad;
	void *pool;
};

struct gst_cu_pool_of_memory { /* POOL_OF_MEMORY: cuMemSetMemPool */
	const void *location;
	uint32_t type;
	uint32_t pad;
	void *pool;
};

struct gst_cu_ctx_create { /* CTX_CREATE: cuCtxCreate and _v2 */
	void **context;
	uint32_t flags;
	int32_t device;
};

struct gst_cu_ctx_create_v3 { /* CTX_CREATE_V3 */
	void **context;
	const void *params;
	int32_t numParams;
	uint32_t flags;
	int32_t device;
};

struct gst_cu_ctx_create_v4 { /* CTX_CREATE_V4 */
	void **context;
	const void *params;
	uint32_t flags;
	int32_t device;
};

struct gst_cu_ctx_flags { /* CTX_FLAGS: cuCtxSetFlags */
	uint32_t flags;
};

struct gst_cu_device_flags { /* DEVICE_FLAGS: cuDevicePrimaryCtxSetFlags */
	int32_t device;
	uint32_t flags;
};

/* An element of cuMemcpy3DBatchAsync's list, 112 bytes. */
struct gst_cu_copy_3d_op {
	uint64_t operands[13];
	uint32_t srcAccessOrder;
	uint32_t flags;
};

struct gst_cu_module_load { /* MODULE_LOAD: modules and libraries; the image or file name is second */
	void **module;
	const void *image;
};

struct gst_cu_module { /* MODULE: unload */
	void *module;
};

struct gst_cu_ctx { /* CTX: cuCtxDestroy_v2, cuCtxSynchronize_v2, cuCtxDisablePeerAccess */
	void *context;
};

struct gst_cu_ctx_out { /* CTX_OUT: cuCtxCreate*, cuDevicePrimaryCtxRetain: only the first is common */
	void **context;
};

struct gst_cu_device { /* DEVICE: cuDevicePrimaryCtxRelease, Reset */
	int32_t device;
};

struct gst_cu_limit { /* LIMIT: cuCtxSetLimit */
	uint32_t limit;
	uint32_t pad;
	uint64_t value;
};

struct gst_cu_peer { /* PEER: cuCtxEnablePeerAccess */
	void *context;
	uint32_t flags;
};

/* Runtime calls, recorded where the outermost name matters. STREAM, EVENT, ALLOC, ALLOC_FLAGS, FREE,
 * HOST_REGISTER, LIMIT have the driver's layout. */

struct gst_cuda_copy { /* RT_COPY: cudaMemcpy */
	uint64_t dst;
	uint64_t src;
	uint64_t bytes;
	uint32_t copyKind; /* enum gst_cuda_memcpy_kind */
};

struct gst_cuda_copy_symbol { /* RT_COPY_SYMBOL: cudaMemcpyToSymbol, cudaMemcpyFromSymbol */
	uint64_t first;	      /* the symbol, or the destination */
	uint64_t second;      /* the source, or the symbol */
	uint64_t bytes;
	uint64_t offset;
	uint32_t copyKind;
};

struct gst_cuda_copy_2d { /* RT_COPY_2D: cudaMemcpy2D */
	uint64_t dst;
	uint64_t dpitch;
	uint64_t src;
	uint64_t spitch;
	uint64_t width;
	uint64_t height;
	uint32_t copyKind;
};

struct gst_cuda_copy_peer { /* RT_COPY_PEER: cudaMemcpyPeer */
	uint64_t dst;
	int32_t dstDevice;
	uint32_t pad0;
	uint64_t src;
	int32_t srcDevice;
	uint32_t pad1;
	uint64_t bytes;
};

struct gst_cuda_memset { /* RT_MEMSET: cudaMemset */
	uint64_t dst;
	int32_t value; /* low byte counts */
	uint32_t pad;
	uint64_t bytes;
};

struct gst_cuda_memset_2d { /* RT_MEMSET_2D: cudaMemset2D */
	uint64_t dst;
	uint64_t pitch;
	int32_t value;
	uint32_t pad;
	uint64_t width;
	uint64_t height;
};

#endif
