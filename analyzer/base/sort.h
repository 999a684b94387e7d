/* sort.h - stable sort of many items by a 64-bit key. */
#ifndef GSTRACE_ANALYZER_BASE_SORT_H
#define GSTRACE_ANALYZER_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct gst_sort_item {
	uint64_t key;
	uint32_t value; /* usually an index */
	uint32_t extra; /* carried along */
};

/**
 * Sort @count items by key, smallest first; items of equal keys keep their order.
 *
 * Cost: O(count) for each byte in which keys differ; @count items of scratch memory (mem.h).
 */
void gst_sort_items(struct gst_sort_item *items, size_t count);

#endif
