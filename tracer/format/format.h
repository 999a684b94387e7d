/*
 * format.h - trace format 1 (.gst): chunks, records, enums, limits.
 *
 * The only thing the tracer and the analyzer share (with api.h and encode.h). Facts and layout alone:
 * no malloc, no I/O. docs/FORMAT.md describes the same in prose, with byte tables made from
 * records.def. All numbers are little-endian; everything is aligned to 8 bytes.
 *
 *   file  := chunk*            zeros between chunks are skipped (a reserved tail)
 *   chunk := header body       body = stored_bytes bytes, padded with zeros to 8
 *   body  := record*           in an open chunk up to the first record word that is 0
 */
#ifndef GSTRACE_TRACER_FORMAT_FORMAT_H
#define GSTRACE_TRACER_FORMAT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define GST_FORMAT_MAJOR 1
#define GST_FORMAT_MINOR 0

/* Limits that are part of the format: a reader refuses what is larger. */
#define GST_CHUNK_MAX_BYTES  (16u << 20) /* stored and unpacked body of one chunk */
#define GST_RECORD_MAX_BYTES (64u << 10) /* one record with its tail */
#define GST_STRING_MAX_BYTES (16u << 10) /* one string; longer ones are cut and say so */

/* "GSTCHUNK" read as a little-endian number: each chunk begins with it, at a multiple of 8. */
#define GST_CHUNK_MAGIC UINT64_C(0x4b4e554843545347)

/* Times of calls of a trace that is "counted-calls" are so much before CLOCK_MONOTONIC at most, and never after it. */
#define GST_COUNTED_CALL_EARLY_NS 300u

enum gst_codec {
	GST_CODEC_NONE = 0,
	GST_CODEC_ZSTD = 1, /* reserved: refused by name */
	GST_CODEC_LZ4 = 2,  /* reserved: refused by name */
	GST_CODEC_ZLIB = 3, /* reserved: refused by name */
};

enum gst_chunk_flags {
	GST_CHUNK_DEFS = 1u << 0,   /* holds definitions: read whatever the window */
	GST_CHUNK_EVENTS = 1u << 1, /* holds calls and device records: may be missing */
	GST_CHUNK_SEALED = 1u << 2, /* complete: body_crc, record_count and times hold */
	GST_CHUNK_END = 1u << 3,    /* holds the trailer of its segment */
};

/*
 * 128 bytes before each body. header_crc is the CRC-32C of the 124 bytes before it, always valid.
 * In an open chunk (not SEALED) stored_bytes is the room reserved for the body; record_count, times and
 * body_crc are 0. source_page/source_offset say which bytes of the tracer's staging memory the body was
 * copied from: two chunks of one process that cover the same bytes are copies, and a reader takes them once.
 */
struct gst_chunk_header {
	uint64_t magic;		 /*   0  GST_CHUNK_MAGIC */
	uint16_t major;		 /*   8  another major is refused, naming both */
	uint16_t minor;		 /*  10 */
	uint16_t header_bytes;	 /*  12  128; a longer header is read, its rest ignored */
	uint16_t codec;		 /*  14  enum gst_codec */
	uint32_t flags;		 /*  16  enum gst_chunk_flags */
	uint32_t segment;	 /*  20  from 0 */
	uint64_t stored_bytes;	 /*  24  length of the body in the file, without padding */
	uint64_t unpacked_bytes; /*  32  length of the body after decoding; codec 0: the same */
	uint32_t process;	 /*  40  pid */
	uint32_t thread;	 /*  44  whose calls these are; 0: device records, definitions */
	uint64_t sequence;	 /*  48  number of the chunk in its process, from 1 */
	uint32_t record_count;	 /*  56 */
	uint32_t body_crc;	 /*  60  CRC-32C of the stored body */
	uint64_t first_ns;	 /*  64  smallest MONOTONIC time in it; 0 = none or not known */
	uint64_t last_ns;	/*  72  largest; chunks outside a window are skipped by these two */
	uint64_t source_page;	/*  80  number of the staging page, from 1; 0 = not from staging */
	uint32_t source_offset; /*  88  offset of the body's first byte in that page's body */
	uint32_t reserved0;	/*  92  0 */
	uint64_t copied_bytes;	/*  96  staging only: bytes of it already in the .gst */
	uint64_t reserved1;	/* 104  0 */
	uint64_t reserved2;	/* 112  0 */
	uint32_t reserved3;	/* 120  0 */
	uint32_t header_crc;	/* 124  of bytes 0..123; in an open chunk of 0..95 */
};

/* The first word of each record; stored last, with release order, in an open chunk. */
struct gst_rec_head {
	uint16_t kind;	/* enum gst_rec_kind | GST_KIND_CRITICAL */
	uint16_t size8; /* size of the record in 8 bytes, >= 1; 0 = end of an open chunk */
	uint32_t corr;	/* CUPTI correlation id; 0 = none */
};

#define GST_KIND_CRITICAL 0x8000u /* the kind may change order */
#define GST_KIND_MASK	  0x7fffu

/* The enums. Values are CUPTI's where CUPTI has the enum; unknown values are kept and shown as numbers. */
/* X(enum tag, PREFIX, value, NAME, text) */
#define GST_FORMAT_ENUMS(X)                                                                    \
	X(trace_options, TRACE, 1, PRIVATE, "private")                                         \
	X(trace_options, TRACE, 2, GRAPH_NODES, "graph-nodes")                                 \
	X(trace_options, TRACE, 4, NO_DEVICE, "no-device-records")                             \
	X(trace_options, TRACE, 8, STARTED_PAUSED, "started-paused")                           \
	X(trace_options, TRACE, 16, COUNTED_CALLS, "counted-calls")                            \
	X(segment_flags, SEGMENT, 1, UNBROKEN, "unbroken")                                     \
	X(stream_type, STREAM, 0, UNKNOWN, "unknown")                                          \
	X(stream_type, STREAM, 1, BLOCKING, "blocking")                                        \
	X(stream_type, STREAM, 2, NONBLOCKING, "nonblocking")                                  \
	X(stream_type, STREAM, 3, LEGACY, "legacy")                                            \
	X(loss_reason, LOSS, 0, UNKNOWN, "unknown")                                            \
	X(loss_reason, LOSS, 1, NO_CHUNK, "no-chunk")                                          \
	X(loss_reason, LOSS, 2, CUPTI_DROPPED, "cupti-dropped")                                \
	X(loss_reason, LOSS, 3, FLUSH_HUNG, "flush-hung")                                      \
	X(loss_reason, LOSS, 4, WRITE_FAILED, "write-failed")                                  \
	X(loss_reason, LOSS, 5, STRING_TABLE_FULL, "string-table-full")                        \
	X(loss_reason, LOSS, 6, UNKNOWN_ACTIVITY, "unknown-activity")                          \
	X(loss_reason, LOSS, 7, NO_BUFFER, "no-buffer")                                        \
	X(loss_reason, LOSS, 8, NO_THREAD_SLOT, "no-thread-slot")                              \
	X(loss_reason, LOSS, 9, SELF_CHECK, "self-check")                                      \
	X(loss_reason, LOSS, 10, DAMAGED, "damaged")                                           \
	X(loss_reason, LOSS, 11, ENDED_EARLY, "ended-early")                                   \
	X(loss_reason, LOSS, 12, SIZE_LIMIT, "size-limit")                                     \
	X(loss_reason, LOSS, 13, TABLE_FULL, "table-full")                                     \
	X(loss_reason, LOSS, 14, REFUSED, "refused")                                           \
	X(loss_reason, LOSS, 15, BUSY, "busy")                                                 \
	X(loss_reason, LOSS, 16, OLD_WINDOW, "old-window")                                     \
	X(note_code, NOTE, 0, TEXT, "text")                                                    \
	X(note_code, NOTE, 1, ACTIVITY_OFF, "activity-off")                                    \
	X(note_code, NOTE, 2, KIND_OFF, "kind-off")                                            \
	X(note_code, NOTE, 3, CALLBACK_OFF, "callback-off")                                    \
	X(note_code, NOTE, 4, CLOCK_STEP, "clock-step")                                        \
	X(note_code, NOTE, 5, FLUSH_HUNG, "flush-hung")                                        \
	X(note_code, NOTE, 6, NO_TMPFS, "no-tmpfs")                                            \
	X(note_code, NOTE, 7, WRITE_FAILED, "write-failed")                                    \
	X(note_code, NOTE, 8, CUPTI_FATAL, "cupti-fatal")                                      \
	X(note_code, NOTE, 9, NO_NVTX, "no-nvtx")                                              \
	X(note_code, NOTE, 10, STRING_CUT, "string-cut")                                       \
	X(note_code, NOTE, 11, FORKED, "forked")                                               \
	X(note_code, NOTE, 12, FOLDED, "folded-from-staging")                                  \
	X(note_code, NOTE, 13, SIZE_LIMIT, "size-limit")                                       \
	X(note_code, NOTE, 14, ASYNC_ERROR, "asynchronous-error")                              \
	X(launch_flags, LAUNCH_FLAG, 1, COOPERATIVE, "cooperative")                            \
	X(launch_flags, LAUNCH_FLAG, 2, CLUSTER, "cluster")                                    \
	X(launch_flags, LAUNCH_FLAG, 4, PROGRAMMATIC, "programmatic-serialization")            \
	X(launch_flags, LAUNCH_FLAG, 8, PROGRAMMATIC_EVENT, "programmatic-event")              \
	X(launch_flags, LAUNCH_FLAG, 16, COMPLETION_EVENT, "launch-completion-event")          \
	X(launch_flags, LAUNCH_FLAG, 32, UNREAD, "attributes-unread")                          \
	X(launch_flags, LAUNCH_FLAG, 64, MULTI_DEVICE, "multi-device")                         \
	X(launch_flags, LAUNCH_FLAG, 128, NO_PRE_SYNC, "no-pre-launch-sync")                   \
	X(launch_flags, LAUNCH_FLAG, 256, NO_POST_SYNC, "no-post-launch-sync")                 \
	X(launch_type, LAUNCH, 0, REGULAR, "regular")                                          \
	X(launch_type, LAUNCH, 1, COOPERATIVE_SINGLE, "cooperative")                           \
	X(launch_type, LAUNCH, 2, COOPERATIVE_MULTI, "cooperative-multi-device")               \
	X(launch_type, LAUNCH, 3, COMMAND_LIST, "command-list")                                \
	X(copy_kind, COPY, 0, UNKNOWN, "unknown")                                              \
	X(copy_kind, COPY, 1, HTOD, "h2d")                                                     \
	X(copy_kind, COPY, 2, DTOH, "d2h")                                                     \
	X(copy_kind, COPY, 3, HTOA, "h2a")                                                     \
	X(copy_kind, COPY, 4, ATOH, "a2h")                                                     \
	X(copy_kind, COPY, 5, ATOA, "a2a")                                                     \
	X(copy_kind, COPY, 6, ATOD, "a2d")                                                     \
	X(copy_kind, COPY, 7, DTOA, "d2a")                                                     \
	X(copy_kind, COPY, 8, DTOD, "d2d")                                                     \
	X(copy_kind, COPY, 9, HTOH, "h2h")                                                     \
	X(copy_kind, COPY, 10, PTOP, "p2p")                                                    \
	X(memory_kind, MEM, 0, UNKNOWN, "unknown")                                             \
	X(memory_kind, MEM, 1, PAGEABLE, "pageable")                                           \
	X(memory_kind, MEM, 2, PINNED, "pinned")                                               \
	X(memory_kind, MEM, 3, DEVICE, "device")                                               \
	X(memory_kind, MEM, 4, ARRAY, "array")                                                 \
	X(memory_kind, MEM, 5, MANAGED, "managed")                                             \
	X(memory_kind, MEM, 6, DEVICE_STATIC, "device-static")                                 \
	X(memory_kind, MEM, 7, MANAGED_STATIC, "managed-static")                               \
	X(memory_op, MEMORY, 0, UNKNOWN, "unknown")                                            \
	X(memory_op, MEMORY, 1, ALLOC, "alloc")                                                \
	X(memory_op, MEMORY, 2, FREE, "free")                                                  \
	X(sync_type, SYNC, 0, UNKNOWN, "unknown")                                              \
	X(sync_type, SYNC, 1, EVENT_SYNC, "event-synchronize")                                 \
	X(sync_type, SYNC, 2, STREAM_WAIT, "stream-wait-event")                                \
	X(sync_type, SYNC, 3, STREAM_SYNC, "stream-synchronize")                               \
	X(sync_type, SYNC, 4, CTX_SYNC, "context-synchronize")                                 \
	X(overhead_type, OVERHEAD, 0, UNKNOWN, "unknown")                                      \
	X(overhead_type, OVERHEAD, 1, COMPILER, "compiler")                                    \
	X(overhead_type, OVERHEAD, 65536, BUFFER_FLUSH, "buffer-flush")                        \
	X(overhead_type, OVERHEAD, 131072, INSTRUMENTATION, "instrumentation")                 \
	X(overhead_type, OVERHEAD, 196608, RESOURCE, "resource")                               \
	X(overhead_type, OVERHEAD, 262144, MODULE_LOADING, "module-loading")                   \
	X(overhead_type, OVERHEAD, 327680, LAZY_LOADING, "lazy-function-loading")              \
	X(overhead_type, OVERHEAD, 393216, COMMAND_BUFFER_FULL, "command-buffer-full")         \
	X(overhead_type, OVERHEAD, 458752, ACTIVITY_BUFFER_REQUEST, "activity-buffer-request") \
	X(overhead_type, OVERHEAD, 524288, UVM_ACTIVITY_INIT, "uvm-activity-init")             \
	X(access_order, ACCESS, 0, UNKNOWN, "unknown")                                         \
	X(access_order, ACCESS, 1, STREAM, "stream")                                           \
	X(access_order, ACCESS, 2, DURING_CALL, "during-call")                                 \
	X(access_order, ACCESS, 3, ANY, "any")                                                 \
	X(memop_type, MEMOP, 0, UNKNOWN, "unknown")                                            \
	X(memop_type, MEMOP, 1, WAIT_32, "wait-32")                                            \
	X(memop_type, MEMOP, 2, WRITE_32, "write-32")                                          \
	X(memop_type, MEMOP, 3, FLUSH_REMOTE, "flush-remote-writes")                           \
	X(memop_type, MEMOP, 4, WAIT_64, "wait-64")                                            \
	X(memop_type, MEMOP, 5, WRITE_64, "write-64")                                          \
	X(memop_type, MEMOP, 6, BARRIER, "barrier")                                            \
	X(nvtx_what, NVTX, 0, UNKNOWN, "unknown")                                              \
	X(nvtx_what, NVTX, 1, MARK, "mark")                                                    \
	X(nvtx_what, NVTX, 2, PUSH, "push")                                                    \
	X(nvtx_what, NVTX, 3, POP_RANGE, "pop")                                                \
	X(nvtx_what, NVTX, 4, START, "start")                                                  \
	X(nvtx_what, NVTX, 5, STOP, "stop")                                                    \
	X(nvtx_object, NVTX_OF, 0, UNKNOWN, "unknown")                                         \
	X(nvtx_object, NVTX_OF, 1, THREAD, "thread")                                           \
	X(nvtx_object, NVTX_OF, 2, STREAM, "stream")                                           \
	X(nvtx_object, NVTX_OF, 3, EVENT, "event")                                             \
	X(nvtx_object, NVTX_OF, 4, CONTEXT, "context")                                         \
	X(nvtx_object, NVTX_OF, 5, DEVICE, "device")                                           \
	X(nvtx_object, NVTX_OF, 6, CATEGORY, "category")                                       \
	X(node_type, NODE, 0, UNKNOWN, "unknown")                                              \
	X(node_type, NODE, 1, KERNEL, "kernel")                                                \
	X(node_type, NODE, 2, MEMCPY, "memcpy")                                                \
	X(node_type, NODE, 3, MEMSET, "memset")                                                \
	X(node_type, NODE, 4, HOST, "host")                                                    \
	X(node_type, NODE, 5, GRAPH, "graph")                                                  \
	X(node_type, NODE, 6, EMPTY, "empty")                                                  \
	X(node_type, NODE, 7, WAIT_EVENT, "wait-event")                                        \
	X(node_type, NODE, 8, RECORD_EVENT, "record-event")                                    \
	X(node_type, NODE, 9, SEMAPHORE_SIGNAL, "semaphore-signal")                            \
	X(node_type, NODE, 10, SEMAPHORE_WAIT, "semaphore-wait")                               \
	X(node_type, NODE, 11, ALLOC, "alloc")                                                 \
	X(node_type, NODE, 12, FREE, "free")                                                   \
	X(node_type, NODE, 13, MEMOPS, "memops")                                               \
	X(node_type, NODE, 14, CONDITIONAL, "conditional")                                     \
	X(graph_change, GRAPH_CHANGE, 0, MADE, "made")                                         \
	X(graph_change, GRAPH_CHANGE, 1, REMOVED, "removed")                                   \
	X(device_flags, DEVICE_FLAG, 1, FORCED, "forced-flush")                                \
	X(device_flags, DEVICE_FLAG, 2, CAPTURED, "in-capture")

#define GST_X(tag, prefix, value, name, text) GST_##prefix##_##name = value,
enum gst_format_value { GST_FORMAT_ENUMS(GST_X) };
#undef GST_X

#define GST_REC(KIND, value, name, critical, doc) \
	GST_REC_##KIND = value, GST_KIND_##KIND = (value) | ((critical) ? GST_KIND_CRITICAL : 0),
#define GST_F(name, ctype, field, form, doc)
#define GST_REC_END(KIND, name)
enum gst_rec_kind {
#include "tracer/format/records.def"
};
#undef GST_REC
#undef GST_F
#undef GST_REC_END

/* struct gst_rec_kernel, struct gst_rec_call_launch, ...: each begins with `struct gst_rec_head head`. */
#define GST_REC(KIND, value, name, critical, doc) \
	struct gst_rec_##name {                   \
		struct gst_rec_head head;
#define GST_F(name, ctype, field, form, doc) ctype field;
#define GST_REC_END(KIND, name) \
	}                       \
	;
#include "tracer/format/records.def"
#undef GST_REC
#undef GST_F
#undef GST_REC_END

/* What all CALL_* records but CALL_EXIT begin with. */
struct gst_rec_call_prefix {
	struct gst_rec_head head;
	uint64_t enter_ns;
	uint32_t api;
	uint32_t ctx;
	uint64_t stream;
};

#define GST_API_DOMAIN_DRIVER	 1u
#define GST_API_DOMAIN_RUNTIME	 2u
#define GST_API_ID(domain, cbid) (((uint32_t)(domain) << 16) | (uint32_t)(cbid))

#define GST_ID_NONE UINT32_MAX /* "none" in stream and event_id fields of SYNC and MEMORY */

_Static_assert(sizeof(struct gst_chunk_header) == 128, "chunk header is 128 bytes");
_Static_assert(sizeof(struct gst_rec_head) == 8, "record head is 8 bytes");
_Static_assert(sizeof(struct gst_rec_call_prefix) == 32, "call prefix is 32 bytes");
_Static_assert(offsetof(struct gst_rec_call_copy, dst) == 32, "calls share their prefix");

#define GST_REC(KIND, value, name, critical, doc) \
	_Static_assert(sizeof(struct gst_rec_##name) % 8 == 0, #name " is a multiple of 8");
#define GST_F(name, ctype, field, form, doc)
#define GST_REC_END(KIND, name)
#include "tracer/format/records.def"
#undef GST_REC
#undef GST_F
#undef GST_REC_END

#endif
