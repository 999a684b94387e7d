/*
 * vec.c - growth of arrays.
 *
 * Role      : the one function behind the macros of vec.h.
 * Method    : half as much again (an eighth, once large: realloc moves pages then, not bytes), or
 *             what is asked for if that is more.
 * Invariant : count + more fits, or the call does not return.
 * Not here  : anything that knows the type of an item.
 */
#include "analyzer/base/vec.h"

#include <stdint.h>

#define FIRST_BYTES 256
#define LARGE_BYTES ((size_t)16 << 20)

void *gst_vec_grow(void *data, size_t item_bytes, size_t count, size_t more, size_t *cap)
{
	size_t wanted, bytes, growth;

	if (__builtin_add_overflow(count, more, &wanted))
		gst_mem_oom(UINT64_MAX);
	growth = *cap * item_bytes < LARGE_BYTES ? *cap / 2 : *cap / 8;
	if (wanted < *cap + growth)
		wanted = *cap + growth;
	if (wanted < FIRST_BYTES / item_bytes)
		wanted = FIRST_BYTES / item_bytes;
	if (__builtin_mul_overflow(wanted, item_bytes, &bytes))
		gst_mem_oom(UINT64_MAX);
	data = gst_mem_realloc(data, *cap * item_bytes, bytes);
	*cap = wanted;
	return data;
}
