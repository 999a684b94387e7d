/*
 * sort.c - radix sort, least significant byte first.
 *
 * Role      : puts millions of operations in order of time.
 * Method    : insertion sort for a few; else one pass for each byte that is not the same in all
 *             keys. An array that is in order already is left alone.
 * Invariant : stable.
 * Not here  : keys wider than 64 bits.
 */
#include "analyzer/base/sort.h"

#include "analyzer/base/mem.h"
#include "analyzer/base/status.h"

static void insertion_sort(struct gst_sort_item *items, size_t count)
{
	size_t i, j;

	for (i = 1; i < count; i++) {
		struct gst_sort_item item = items[i];

		for (j = i; j > 0 && items[j - 1].key > item.key; j--)
			items[j] = items[j - 1];
		items[j] = item;
	}
}

void gst_sort_items(struct gst_sort_item *items, size_t count)
{
	struct gst_sort_item *from = items, *to, *scratch;
	uint64_t all_and = UINT64_MAX, all_or = 0;
	size_t i;
	int shift, is_sorted = 1;

	if (count < 32) {
		insertion_sort(items, count);
		return;
	}
	for (i = 0; i < count; i++) {
		all_and &= items[i].key;
		all_or |= items[i].key;
		is_sorted &= i == 0 || items[i - 1].key <= items[i].key;
	}
	if (is_sorted)
		return;
	scratch = gst_mem_alloc(count * sizeof(*scratch));
	to = scratch;
	for (shift = 0; shift < 64; shift += 8) {
		size_t start[256] = {0};
		size_t sum = 0;
		struct gst_sort_item *swap;

		if (((all_and ^ all_or) >> shift & 0xff) == 0)
			continue;
		for (i = 0; i < count; i++)
			start[from[i].key >> shift & 0xff]++;
		for (i = 0; i < 256; i++) {
			size_t n = start[i];

			start[i] = sum;
			sum += n;
		}
		for (i = 0; i < count; i++)
			to[start[from[i].key >> shift & 0xff]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
	gst_mem_free(scratch, count * sizeof(*scratch));
}
