/*
 * record_test_util.h - for tests: a small world of pool, losses, strings and lanes, and its records.
 */
#ifndef GSTRACE_TRACER_RECORD_TEST_UTIL_H
#define GSTRACE_TRACER_RECORD_TEST_UTIL_H

#include "tracer/chunk.h"
#include "tracer/intern.h"
#include "tracer/state.h"
#include "tracer/thread_slot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct gst_test_world {
	struct gst_pool pool;
	struct gst_loss loss;
	struct gst_intern strings;
	struct gst_lane defs;
	struct gst_lane device;
	struct gst_threads threads;
	struct gst_state state;
};

/** A world on anonymous memory of @bytes; the test fails if there is none. The caller frees it as below. */
static inline struct gst_test_world *gst_test_world_new(size_t bytes)
{
	struct gst_test_world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	assert_int_equal(gst_pool_init(&w->pool, NULL, bytes, 1, 2, 42), 0);
	gst_intern_init(&w->strings, &w->pool.pages[0], &w->loss);
	gst_lane_init(&w->defs, &w->pool, &w->loss, GST_CHUNK_DEFS);
	gst_lane_init(&w->device, &w->pool, &w->loss, GST_CHUNK_EVENTS);
	assert_int_equal(gst_threads_init(&w->threads, &w->pool, &w->loss, &w->strings, &w->defs),
			 0);
	atomic_store(&w->state.is_on, 1);
	return w;
}

static inline void gst_test_world_free(struct gst_test_world *w)
{
	pthread_key_delete(w->threads.key);
	/* Pages of it that this thread has not given back are none of the next one's. */
	gst_lane_thread_ends();
	gst_pool_release(&w->pool, true);
	free(w);
}

/**
 * Record @index (from 0) of @kind (GST_REC_x) in all pages, in the order the pages were taken, copied to
 * @rec of @size bytes and filled up with zeros as a reader does. False if there are not so many.
 */
static inline bool gst_test_seek(struct gst_test_world *w, uint32_t kind, uint32_t *index,
				 void *rec, size_t size)
{
	uint64_t last = 0;

	for (;;) {
		struct gst_page *next = NULL;
		uint32_t at = 0;

		for (uint32_t i = 0; i < w->pool.page_count; i++) {
			struct gst_page *page = &w->pool.pages[i];

			if (atomic_load(&page->state) != GST_PAGE_FREE &&
			    page->header->source_page > last &&
			    (!next || page->header->source_page < next->header->source_page)) {
				next = page;
			}
		}
		if (!next) {
			return false;
		}
		last = next->header->source_page;
		while (next->room - at >= sizeof(struct gst_rec_head)) {
			struct gst_rec_head head;
			size_t bytes;

			memcpy(&head, next->body + at, sizeof(head));
			bytes = (size_t)head.size8 * 8;
			if (!bytes) {
				break;
			}
			if ((head.kind & GST_KIND_MASK) == kind && (*index)-- == 0) {
				memset(rec, 0, size);
				memcpy(rec, next->body + at, bytes < size ? bytes : size);
				return true;
			}
			at += (uint32_t)bytes;
		}
	}
}

static inline bool gst_test_find(struct gst_test_world *w, uint32_t kind, uint32_t index, void *rec,
				 size_t size)
{
	return gst_test_seek(w, kind, &index, rec, size);
}

/** How many records of @kind (GST_REC_x) there are. */
static inline uint32_t gst_test_count(struct gst_test_world *w, uint32_t kind)
{
	uint32_t left = UINT32_MAX;

	/* In one go: a search for each would take a time that grows with the square. */
	(void)gst_test_seek(w, kind, &left, NULL, 0);
	return UINT32_MAX - left;
}

/** Whether string @id is @text. */
static inline bool gst_test_string_is(struct gst_test_world *w, uint32_t id, const char *text)
{
	struct {
		struct gst_rec_string rec;
		char text[512];
	} s;

	for (uint32_t i = 0; gst_test_find(w, GST_REC_STRING, i, &s, sizeof(s)); i++) {
		if (s.rec.id == id) {
			return s.rec.length == strlen(text) && s.rec.length <= sizeof(s.text) &&
			       !memcmp(s.text, text, s.rec.length);
		}
	}
	return false;
}

/** How many records of @kind were lost for @reason, taking all counts. */
static inline uint64_t gst_test_lost(struct gst_test_world *w, uint32_t kind, uint32_t reason)
{
	struct gst_rec_loss rec;
	uint32_t cursor = 0;
	uint64_t count = 0;

	while (gst_loss_take(&w->loss, &cursor, &rec)) {
		if (rec.kind == kind && rec.reason == reason) {
			count += rec.count;
		}
	}
	return count;
}

#endif
