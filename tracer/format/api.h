/*
 * api.h - the CUDA calls gstrace knows: names, meaning and parameter layout of CUPTI callback ids.
 *
 * Facts alone, made from api.def; shared by the tracer (what to record, how to read parameters) and
 * the analyzer (what a call means, its name in text). No malloc, no I/O, no state: all functions may be
 * called from any thread, also inside a callback.
 */
#ifndef GSTRACE_TRACER_FORMAT_API_H
#define GSTRACE_TRACER_FORMAT_API_H

#include <stddef.h>
#include <stdint.h>

/* What a call does. The numbers may change: they are never in a file. */
enum gst_api_class {
	GST_API_CLASS_OTHER, /* known and recorded, without a meaning of its own here */
	GST_API_CLASS_LAUNCH,
	GST_API_CLASS_COPY,
	GST_API_CLASS_MEMSET,
	GST_API_CLASS_EVENT_CREATE,
	GST_API_CLASS_EVENT_RECORD,
	GST_API_CLASS_EVENT_WAIT,
	GST_API_CLASS_EVENT_SYNC,
	GST_API_CLASS_EVENT_QUERY,
	GST_API_CLASS_EVENT_DESTROY,
	GST_API_CLASS_EVENT_ELAPSED,
	GST_API_CLASS_STREAM_CREATE,
	GST_API_CLASS_STREAM_DESTROY,
	GST_API_CLASS_STREAM_SYNC,
	GST_API_CLASS_STREAM_QUERY,
	GST_API_CLASS_CTX_SYNC,
	GST_API_CLASS_CTX_CREATE,
	GST_API_CLASS_CTX_DESTROY,
	GST_API_CLASS_DEVICE_RESET,
	GST_API_CLASS_HOST_FUNC,
	GST_API_CLASS_STREAM_CALLBACK,
	GST_API_CLASS_CAPTURE_BEGIN,
	GST_API_CLASS_CAPTURE_END,
	GST_API_CLASS_GRAPH_INSTANTIATE,
	GST_API_CLASS_GRAPH_LAUNCH,
	GST_API_CLASS_GRAPH_UPLOAD,
	GST_API_CLASS_GRAPH_UPDATE,
	GST_API_CLASS_GRAPH_DESTROY,
	GST_API_CLASS_GRAPH_BUILD, /* adds or removes nodes or dependencies */
	GST_API_CLASS_ALLOC,
	GST_API_CLASS_FREE,
	GST_API_CLASS_ALLOC_ASYNC,
	GST_API_CLASS_FREE_ASYNC,
	GST_API_CLASS_HOST_ALLOC,
	GST_API_CLASS_HOST_FREE,
	GST_API_CLASS_HOST_REGISTER,
	GST_API_CLASS_HOST_UNREGISTER,
	GST_API_CLASS_POOL,
	GST_API_CLASS_PREFETCH,
	GST_API_CLASS_MEMOP, /* stream memory operations and external semaphores */
	GST_API_CLASS_MODULE,
	GST_API_CLASS_LIMIT,
	GST_API_CLASS_PEER,
	GST_API_CLASS_PROFILER,
	GST_API_CLASS_COUNT,
};

enum gst_api_flags {
	/* The form without Async in its name, or a wait of the host. Whether and when it blocks is a
	 * matter of ordering rules. */
	GST_API_SYNC_FORM = 1u << 0,
	/* Stream 0 (and the default stream of a call without a stream) is the calling thread's own. */
	GST_API_PTSZ = 1u << 1, /* takes a stream */
	GST_API_PTDS = 1u << 2, /* takes none */
	/* Made often. A driver call: worth a fast path. A runtime call: never recorded itself, the
	 * driver call that it makes is. */
	GST_API_HOT = 1u << 3,
	GST_API_H2D =
		1u << 4, /* direction, where the entry point tells it; arrays count as device */
	GST_API_D2H = 1u << 5,
	GST_API_D2D = 1u << 6,
	GST_API_ANY_DIR = 1u << 7, /* parameters or addresses tell */
	GST_API_PEER = 1u << 8,
	GST_API_BATCH = 1u << 9, /* one call, several operations */
};

/* Parameter layouts; the structs are in tracer/cupti_abi.h. NONE: not to be read. STREAM_AT_n: only the
 * stream handle is known, at byte n. */
#define GST_API_LAYOUTS(X)          \
	X(NONE)                     \
	X(LAUNCH)                   \
	X(LAUNCH_EX)                \
	X(LAUNCH_MULTI)             \
	X(COPY)                     \
	X(COPY_ASYNC)               \
	X(COPY_TO_ARRAY)            \
	X(COPY_TO_ARRAY_ASYNC)      \
	X(COPY_FROM_ARRAY)          \
	X(COPY_FROM_ARRAY_ASYNC)    \
	X(COPY_ARRAY_ARRAY)         \
	X(COPY_2D)                  \
	X(COPY_2D_ASYNC)            \
	X(COPY_3D)                  \
	X(COPY_3D_ASYNC)            \
	X(COPY_3D_PEER)             \
	X(COPY_3D_PEER_ASYNC)       \
	X(COPY_PEER)                \
	X(COPY_PEER_ASYNC)          \
	X(COPY_BATCH)               \
	X(COPY_BATCH_V2)            \
	X(COPY_3D_BATCH)            \
	X(COPY_3D_BATCH_V2)         \
	X(MEMSET_8)                 \
	X(MEMSET_16)                \
	X(MEMSET_32)                \
	X(MEMSET_8_ASYNC)           \
	X(MEMSET_16_ASYNC)          \
	X(MEMSET_32_ASYNC)          \
	X(MEMSET_2D_8)              \
	X(MEMSET_2D_16)             \
	X(MEMSET_2D_32)             \
	X(MEMSET_2D_8_ASYNC)        \
	X(MEMSET_2D_16_ASYNC)       \
	X(MEMSET_2D_32_ASYNC)       \
	X(EVENT_CREATE)             \
	X(EVENT)                    \
	X(EVENT_RECORD)             \
	X(EVENT_RECORD_FLAGS)       \
	X(EVENT_ELAPSED)            \
	X(CTX_EVENT)                \
	X(STREAM_CREATE)            \
	X(STREAM_CREATE_PRIO)       \
	X(GREEN_STREAM_CREATE)      \
	X(STREAM_OUT)               \
	X(STREAM)                   \
	X(STREAM_WAIT)              \
	X(HOST_FUNC)                \
	X(STREAM_CALLBACK)          \
	X(CAPTURE_BEGIN)            \
	X(CAPTURE_TO_GRAPH)         \
	X(CAPTURE_END)              \
	X(GRAPH_INSTANTIATE)        \
	X(GRAPH_INSTANTIATE_FLAGS)  \
	X(GRAPH_INSTANTIATE_PARAMS) \
	X(GRAPH_STREAM)             \
	X(GRAPH_EXEC)               \
	X(GRAPH_EXEC_NODE)          \
	X(GRAPH_EXEC_NODE_EVENT)    \
	X(GRAPH_EXEC_NODE_PARAMS)   \
	X(GRAPH_EXEC_NODE_FLAG)     \
	X(GRAPH)                    \
	X(GRAPH_UPDATE)             \
	X(GRAPH_ADD)                \
	X(GRAPH_ADD_EVENT)          \
	X(GRAPH_ADD_NODE)           \
	X(GRAPH_ADD_NODE_DATA)      \
	X(GRAPH_EDGES)              \
	X(GRAPH_EDGES_DATA)         \
	X(GRAPH_NODE)               \
	X(GRAPH_NODE_SET)           \
	X(GRAPH_NODE_EVENT)         \
	X(GRAPH_NODE_PARAMS)        \
	X(CAPTURE_EDGES)            \
	X(CAPTURE_EDGES_DATA)       \
	X(ALLOC)                    \
	X(ALLOC_FLAGS)              \
	X(ALLOC_PITCH)              \
	X(FREE)                     \
	X(HOST_REGISTER)            \
	X(MEM_CREATE)               \
	X(MEM_RANGE)                \
	X(ALLOC_ASYNC)              \
	X(ALLOC_POOL)               \
	X(FREE_ASYNC)               \
	X(POOL_CREATE)              \
	X(POOL)                     \
	X(POOL_TRIM)                \
	X(POOL_ATTRIBUTE)           \
	X(POOL_ACCESS)              \
	X(POOL_OF_DEVICE)           \
	X(POOL_OF_MEMORY)           \
	X(PREFETCH)                 \
	X(PREFETCH_V2)              \
	X(PREFETCH_BATCH)           \
	X(MEMOP_32)                 \
	X(MEMOP_64)                 \
	X(MEMOP_BATCH)              \
	X(SEMAPHORES)               \
	X(ATTACH)                   \
	X(POINTER_ATTRIBUTE)        \
	X(MODULE_LOAD)              \
	X(MODULE)                   \
	X(CTX)                      \
	X(CTX_OUT)                  \
	X(POINTER_OUT)              \
	X(CTX_CREATE)               \
	X(CTX_CREATE_V3)            \
	X(CTX_CREATE_V4)            \
	X(CTX_FLAGS)                \
	X(DEVICE_FLAGS)             \
	X(DEVICE)                   \
	X(LIMIT)                    \
	X(PEER)                     \
	X(STREAM_AT_16)             \
	X(STREAM_AT_24)             \
	X(STREAM_AT_32)             \
	X(RT_COPY)                  \
	X(RT_COPY_SYMBOL)           \
	X(RT_COPY_2D)               \
	X(RT_COPY_PEER)             \
	X(RT_MEMSET)                \
	X(RT_MEMSET_2D)

#define GST_X(name) GST_PARAMS_##name,
enum gst_api_layout { GST_API_LAYOUTS(GST_X) GST_PARAMS_COUNT };
#undef GST_X

struct gst_api {
	uint32_t api;	    /* GST_API_ID(domain, cbid), as in the records */
	uint16_t flags;	    /* enum gst_api_flags */
	uint8_t class_id;   /* enum gst_api_class */
	uint8_t layout;	    /* enum gst_api_layout */
	const char *symbol; /* unique, names the variant: cuMemcpyHtoDAsync_v2_ptsz */
	const char *name;   /* as its user wrote it: cuMemcpyHtoDAsync */
};

/**
 * The entry of @api (GST_API_ID), or NULL if it is not in the table: a newer call, or one gstrace does not
 * record. Owns: nothing, the entry is static. Cost: O(log n), no allocation. Threads: any.
 */
const struct gst_api *gst_api_find(uint32_t api);

/**
 * The entry called @name: a symbol, or else a name; a name that stands for several variants gives the
 * newest one for the legacy default stream. NULL if there is none.
 *
 * @length  bytes of @name to look at; it needs no terminating zero.
 *
 * Cost: O(log n) for symbols and O(log n + variants) for names. Threads: any.
 */
const struct gst_api *gst_api_find_name(const char *name, size_t length);

/** Number of entries, and entry @index (asserts nothing: NULL past the end), by domain and cbid. */
size_t gst_api_count(void);
const struct gst_api *gst_api_at(size_t index);

/** Whether the tracer records calls of this entry themselves: all but hot runtime calls. */
int gst_api_is_recorded(const struct gst_api *api);

/** "LAUNCH", "EVENT_RECORD" ... for dumps; "?" for a value that is none. */
const char *gst_api_class_name(uint32_t class_id);

#endif
