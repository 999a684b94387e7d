/*
 * cupti_log.h - the file in which the recorder keeps what passed between a real CUPTI and libgstrace.
 *
 * An event is a struct log_head and its payload, one behind the other, little-endian, in the order in
 * which things happened. The recorder appends (cupti_recorder.c); the player and cupti_log_stat read a whole
 * file, packed with gzip or not. Payloads, field by field, in the order written:
 *
 *   FILE      "gstcupti", u32 version of this format, text name of the library; then text of each function,
 *             in the order of their numbers, and u32 whether the library has it
 *   THREAD    u64 tid, text name: the first event of a thread
 *   THREAD_END
 *   CALL      u32 function, i32 result, u32 n, n u64 arguments, u32 n, n u64 values it gave: when it has
 *             returned. Subscriber and function pointers are 0
 *   CALLBACK  u32 domain, u32 cbid, u32 enum log_data; then as it says; until END of the same thread calls
 *             are the tool's own, made inside it
 *     API       u32 site, u64 context, u32 context id, u32 correlation id, u32 has a result, i32 result,
 *               u32 has a symbol, text symbol, bytes parameters, blocks
 *     RESOURCE  u64 context, u64 stream, u64 descriptor, blocks
 *     STATE     u32 result, u32 has a message, text message
 *   END       of a CALLBACK or COMPLETE
 *   REQUEST   u64 buffer, u64 size, u64 max_records: as the tool answered
 *   COMPLETE  u64 context, u32 stream, u64 buffer, u64 size, u32 n, n u32 offsets of records, u32 n, n times
 *             (u32 offset of a pointer, u32 enum log_pointer, bytes what is there), bytes the records
 *   FLUSH     u32 flag: the tool calls cuptiActivityFlushAll
 *   HELD      u32 n, n times (u64 buffer, u32 its first word): what CUPTI still held after a forced flush
 *   DRIVER    u32 version, u32 n devices: bytes of 16 UUID, u32 n, n times (u32 attribute, i32 value)
 *
 *   text, bytes  u32 length and the bytes      blocks  u32 n, n times (u64 address, bytes): see follow.h
 */
#ifndef GSTRACE_TRACER_FAKE_CUPTI_CUPTI_LOG_H
#define GSTRACE_TRACER_FAKE_CUPTI_CUPTI_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_MAGIC   "gstcupti"
#define LOG_VERSION 1u

enum log_type {
	LOG_FILE = 1,
	LOG_THREAD,
	LOG_THREAD_END,
	LOG_CALL,
	LOG_CALLBACK,
	LOG_END,
	LOG_REQUEST,
	LOG_COMPLETE,
	LOG_FLUSH,
	LOG_HELD,
	LOG_DRIVER,
};

enum log_data { LOG_DATA_NONE, LOG_DATA_API, LOG_DATA_RESOURCE, LOG_DATA_STATE };

enum log_pointer {
	LOG_POINTER_TEXT, /* the receiver reads it */
	LOG_POINTER_HEAP, /* the receiver frees it */
};

struct log_head {
	uint32_t bytes; /* of the payload */
	uint16_t type;	/* enum log_type */
	uint16_t thread;
	uint64_t mono_ns; /* CLOCK_MONOTONIC: before a callback, after a call */
};

/* ---- writing: a payload in the making, in memory from malloc ------------------------------------ */

struct log_buffer {
	unsigned char *data;
	size_t used;
	size_t size;
};

void log_put(struct log_buffer *b, const void *data, size_t bytes);
void log_put_32(struct log_buffer *b, uint32_t value);
void log_put_64(struct log_buffer *b, uint64_t value);
void log_put_bytes(struct log_buffer *b, const void *data, size_t bytes); /* length first */
void log_put_text(struct log_buffer *b, const char *text);		  /* NULL: empty */

/* ---- reading: ends the process with a message if the file is not whole --------------------------- */

struct log_cursor {
	const unsigned char *at;
	const unsigned char *end;
};

struct log_event {
	struct log_head head;
	const unsigned char *payload;
};

struct log_file {
	unsigned char *data;
	struct log_event *events;
	size_t count;
};

/** Read all of @path. A last event that was cut off is left out. */
void log_read(struct log_file *file, const char *path);
void log_release(struct log_file *file);

struct log_cursor log_open(const struct log_event *event);
uint32_t log_get_32(struct log_cursor *c);
uint64_t log_get_64(struct log_cursor *c);
const unsigned char *log_get_bytes(struct log_cursor *c, uint32_t *bytes);
/** A string of its own memory, from malloc. */
char *log_get_text(struct log_cursor *c);

/** Say what is wrong on stderr and end the process. */
_Noreturn void log_fail(const char *what);

#endif
