/*
 * vec.h - growable arrays of any type, addressed by index.
 *
 *   GST_VEC(struct edge) edges = {0};
 *   gst_vec_push(&edges, ((struct edge){from, to}));
 *   edges.data[0]; edges.count;
 *   gst_vec_free(&edges);
 *
 * Memory comes from mem.h: nothing here returns an error. Pointers into the array are good until
 * the next push or reserve. One thread at a time.
 */
#ifndef GSTRACE_ANALYZER_BASE_VEC_H
#define GSTRACE_ANALYZER_BASE_VEC_H

#include "analyzer/base/mem.h"

#include <stddef.h>

/** Zero-initialised it is an empty array. */
#define GST_VEC(type)         \
	struct {              \
		type *data;   \
		size_t count; \
		size_t cap;   \
	}

/** Make room for @more items after the ones that are there. */
#define gst_vec_reserve(v, more)                                                              \
	((v)->cap - (v)->count >= (size_t)(more)                                              \
		 ? (void)0                                                                    \
		 : (void)((v)->data = gst_vec_grow((v)->data, sizeof(*(v)->data), (v)->count, \
						   (size_t)(more), &(v)->cap)))

/** Append one item. */
#define gst_vec_push(v, ...) \
	(gst_vec_reserve((v), 1), (void)((v)->data[(v)->count++] = (__VA_ARGS__)))

/** Append @more items that are not initialised; gives a pointer to the first of them. */
#define gst_vec_extend(v, more)                                      \
	(gst_vec_reserve((v), (more)), (v)->count += (size_t)(more), \
	 (v)->data + ((v)->count - (size_t)(more)))

/** Forget the items, keep the memory. */
#define gst_vec_clear(v) ((void)((v)->count = 0))

/** Give the memory back; the array is empty then and may be used again. */
#define gst_vec_free(v)                                                            \
	(gst_mem_free((v)->data, (v)->cap * sizeof(*(v)->data)), (v)->data = NULL, \
	 (void)((v)->count = (v)->cap = 0))

/** Behind the macros: a larger array (1.5 times or more); writes the new *@cap. */
void *gst_vec_grow(void *data, size_t item_bytes, size_t count, size_t more, size_t *cap);

#endif
