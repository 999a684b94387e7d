/*
 * arena.h - memory of one analysis or one pass, freed at once.
 *
 * Allocation never returns NULL: over the arena's or the process's limit (mem.h), or out of
 * memory, it calls the one hook, which does not return. One thread at a time.
 * With GST_ARENA_DEBUG defined, and always under ASan, each allocation is a block of its own, so
 * that a read past its end is seen.
 */
#ifndef GSTRACE_ANALYZER_BASE_ARENA_H
#define GSTRACE_ANALYZER_BASE_ARENA_H

#include "analyzer/base/mem.h"

#include <stddef.h>
#include <stdint.h>

struct gst_arena;

/** A new empty arena. @limit_bytes: the most it may take from the system; 0 = no limit of its own. */
struct gst_arena *gst_arena_new(uint64_t limit_bytes);

/** Free the arena and all that was allocated in it; NULL is fine. */
void gst_arena_free(struct gst_arena *a);

/** Forget all allocations. Keeps memory for the next pass. */
void gst_arena_reset(struct gst_arena *a);

/** Let @a own all that was allocated in @from, where it stands; @from is gone then. */
void gst_arena_adopt(struct gst_arena *a, struct gst_arena *from);

/** @size bytes (0 is fine), zeroed, aligned to 16, valid until reset or free. Cost: O(size). */
void *gst_arena_alloc(struct gst_arena *a, size_t size);

/** The same for @count items of @item_bytes; a product that overflows counts as out of memory. */
void *gst_arena_alloc_array(struct gst_arena *a, size_t count, size_t item_bytes);

/** A copy of @size bytes at @data, with one zero byte after it. */
void *gst_arena_copy(struct gst_arena *a, const void *data, size_t size);

/**
 * Let @a own @data, which was allocated by mem.h with @room_bytes of which @used_bytes count: large data stays
 * where it is, without the room behind it, other is copied. Returns where it is then; never NULL.
 */
void *gst_arena_take(struct gst_arena *a, void *data, size_t room_bytes, size_t used_bytes);

/** Bytes handed out since new or reset, rounding included. */
uint64_t gst_arena_used(const struct gst_arena *a);

/** The hook of mem.h, set for arenas, vectors and tables alike. */
void gst_arena_set_oom_hook(gst_oom_fn fn);

/** Let @a own the items of vector @v (vec.h), at @to from now on. The vector is empty then. */
#define GST_ARENA_TAKE_VEC(a, to, v)                                            \
	do {                                                                    \
		(to) = gst_arena_take((a), (v)->data, (v)->cap * sizeof(*(to)), \
				      (v)->count * sizeof(*(to)));              \
		(v)->data = NULL;                                               \
		(v)->count = (v)->cap = 0;                                      \
	} while (0)

#define GST_ARENA_ARRAY(arena, type, count) \
	((type *)gst_arena_alloc_array((arena), (count), sizeof(type)))

#endif
