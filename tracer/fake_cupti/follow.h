/*
 * follow.h - the memory that a callback's data points to, as far as libgstrace reads it.
 *
 * One walk for both sides: the recorder copies each block into the log, the player puts copies in place. The walker
 * changes the pointers of the struct it walks over, so both walk over a copy. A pointer that libgstrace begins
 * to read must be followed here too, or the player gives it NULL.
 */
#ifndef GSTRACE_TRACER_FAKE_CUPTI_FOLLOW_H
#define GSTRACE_TRACER_FAKE_CUPTI_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

/* A struct has a pointer to @bytes at @pointer. What this returns is put in its place and walked over in turn; NULL:
 * there is nothing. */
typedef void *follow_fn(void *arg, const void *pointer, size_t bytes);

/* For @bytes: a text, as far as its end; longer ones than this are not followed. */
#define FOLLOW_TEXT	SIZE_MAX
#define FOLLOW_TEXT_MAX 4096u

/* No call has more parameters than this (struct gst_cu_copy_batch). */
#define FOLLOW_PARAMS_BYTES 96u

/** @params: FOLLOW_PARAMS_BYTES, of which the call @id (GST_API_ID) has filled in its part. */
void follow_params(uint32_t id, void *params, follow_fn *visit, void *arg);

/** @descriptor: the field of struct gst_cupti_resource_data. */
void follow_resource(uint32_t cbid, void **descriptor, follow_fn *visit, void *arg);

#endif
