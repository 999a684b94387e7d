/*
 * activity_test_util.h - a CUPTI of few functions, and a tracer's device side on top of it: for the tests of activity_*.c.
 */
#ifndef GSTRACE_TRACER_ACTIVITY_TEST_UTIL_H
#define GSTRACE_TRACER_ACTIVITY_TEST_UTIL_H

#include "tracer/activity.h"
#include "tracer/record_test_util.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t dropped_now;
static int enable_result;
static uint32_t enabled[64];
static uint32_t enabled_count;
static uint32_t disabled_count;
static uint64_t disabled; /* by kind */
static uint32_t attributes;

static inline int get_next(uint8_t *buffer, size_t valid, struct gst_cupti_activity **rec)
{
	/* Streams only, one behind the other. */
	uint8_t *next = *rec ? (uint8_t *)*rec + GST_CUPTI_STREAM_SIZE : buffer;

	if (next + GST_CUPTI_STREAM_SIZE > buffer + valid) {
		return GST_CUPTI_ERROR_MAX_LIMIT_REACHED;
	}
	*rec = (struct gst_cupti_activity *)(void *)next;
	return 0;
}

static inline int get_dropped(void *context, uint32_t stream, size_t *dropped)
{
	(void)context;
	(void)stream;
	*dropped = dropped_now;
	return 0;
}

static inline int enable(uint32_t kind)
{
	errno = ENOMEM;
	enabled[enabled_count++ % 64] = kind;
	return kind == GST_CUPTI_KIND_CUDA_EVENT || kind == GST_CUPTI_KIND_MEMCPY2 ? enable_result
										   : 0;
}

static inline int disable(uint32_t kind)
{
	disabled_count++;
	disabled |= UINT64_C(1) << kind;
	return 0;
}

static inline int set_attribute(uint32_t attr, size_t *size, void *value)
{
	assert_int_equal(*size, 1);
	assert_int_equal(*(uint8_t *)value, attr == GST_CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
	attributes |= 1u << attr;
	return 0;
}

static inline int register_callbacks(gst_cupti_buffer_requested_fn requested,
				     gst_cupti_buffer_completed_fn completed)
{
	assert_ptr_equal(requested, gst_activity_on_requested);
	assert_ptr_equal(completed, gst_activity_on_completed);
	/* Attributes come before the first kind. */
	assert_int_equal(enabled_count, 0);
	return 0;
}

struct bench {
	struct gst_test_world *w;
	struct gst_cupti cupti;
	struct gst_activity activity;
	struct gst_activity_pages pages;
	unsigned char *room; /* two pages; the second is unreadable */
	size_t page_bytes;
};

static inline struct bench *bench_new(uint32_t version)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->w = gst_test_world_new(4u << 20);
	b->cupti.version = version;
	b->cupti.cuptiActivityGetNextRecord = get_next;
	b->cupti.cuptiActivityGetNumDroppedRecords = get_dropped;
	b->cupti.cuptiActivityEnable = enable;
	b->cupti.cuptiActivityDisable = disable;
	b->cupti.cuptiActivitySetAttribute = set_attribute;
	b->cupti.cuptiActivityRegisterCallbacks = register_callbacks;
	assert_int_equal(gst_activity_init(&b->activity, &b->cupti, &b->w->state, &b->w->loss,
					   &b->w->strings, &b->w->defs, &b->w->device),
			 0);
	b->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	b->room = mmap(NULL, 2 * b->page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	assert_true(b->room != MAP_FAILED);
	assert_int_equal(mprotect(b->room + b->page_bytes, b->page_bytes, PROT_NONE), 0);
	dropped_now = 0;
	enable_result = 0;
	enabled_count = 0;
	disabled_count = 0;
	disabled = 0;
	attributes = 0;
	return b;
}

static inline void bench_free(struct bench *b)
{
	munmap(b->room, 2 * b->page_bytes);
	munmap(b->activity.buffers, (size_t)GST_ACTIVITY_BUFFERS * GST_ACTIVITY_BUFFER_BYTES);
	gst_test_world_free(b->w);
	free(b);
}

/* Translate the first @size bytes of @rec, placed so that the next byte cannot be read. */
static inline bool give(struct bench *b, const void *rec, size_t size)
{
	unsigned char *at = b->room + b->page_bytes - size;

	memcpy(at, rec, size);
	return gst_activity_translate(&b->activity, &b->pages, (const void *)at);
}

#endif
