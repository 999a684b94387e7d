/*
 * arena.c - bump allocation in blocks that grow.
 *
 * Role      : owns the model, graph and findings of an analysis; scratch memory of a pass.
 * Method    : a list of blocks; the newest is bumped; what is larger than a block gets its own.
 *             Blocks come zeroed; after a reset what is handed out again is cleared first.
 * Invariant : used <= size in each block; the sum of block sizes is `taken`.
 * Not here  : single frees; growable arrays (vec.h).
 */
#include "analyzer/base/arena.h"

#include "analyzer/base/assert.h"
#include "analyzer/base/status.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_DEBUG 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_DEBUG 1
#endif
#endif
#ifdef GST_ARENA_DEBUG
#define ARENA_DEBUG 1
#endif
#ifndef ARENA_DEBUG
#define ARENA_DEBUG 0
#endif

#define FIRST_BLOCK_BYTES ((size_t)16 << 10)
#define LAST_BLOCK_BYTES  ((size_t)4 << 20)

struct block {
	struct block *next;
	size_t size;  /* with this header */
	size_t used;  /* with this header */
	size_t dirty; /* bytes before this may be other than zero */
};

/* Memory of another's making. */
struct taken {
	struct taken *next;
	void *data;
	size_t size;
};

/* Smaller ones are copied: a block of the arena has room for many. */
#define TAKE_BYTES ((size_t)64 << 10)

_Static_assert(sizeof(struct block) % 16 == 0, "what follows the header is aligned to 16");

struct gst_arena {
	struct block *head;
	struct taken *list; /* themselves in blocks */
	uint64_t taken;
	uint64_t used;
	uint64_t limit;
	size_t next_block;
};

struct gst_arena *gst_arena_new(uint64_t limit_bytes)
{
	struct gst_arena *a = gst_mem_alloc(sizeof(*a));

	a->limit = limit_bytes;
	a->next_block = FIRST_BLOCK_BYTES;
	return a;
}

static void free_blocks(struct gst_arena *a, struct block *keep)
{
	struct block *b, *next;
	struct taken *t;

	for (t = a->list; t; t = t->next) {
		a->taken -= t->size;
		gst_mem_free(t->data, t->size);
	}
	a->list = NULL;

	for (b = a->head; b; b = next) {
		next = b->next;
		if (b == keep)
			continue;
		a->taken -= b->size;
		gst_mem_free(b, b->size);
	}
	a->head = keep;
	if (keep)
		keep->next = NULL;
}

void gst_arena_free(struct gst_arena *a)
{
	if (!a)
		return;
	free_blocks(a, NULL);
	GST_ASSERT(a->taken == 0);
	gst_mem_free(a, sizeof(*a));
}

void gst_arena_reset(struct gst_arena *a)
{
	struct block *b, *largest = NULL;

	for (b = a->head; b && !ARENA_DEBUG; b = b->next) {
		if (!largest || b->size > largest->size)
			largest = b;
	}
	free_blocks(a, largest);
	if (largest)
		largest->used = sizeof(struct block);
	a->used = 0;
}

void gst_arena_adopt(struct gst_arena *a, struct gst_arena *from)
{
	struct block **last = &from->head;

	/* Behind the head, whose room is still good. What is left of theirs stays unused. */
	while (*last)
		last = &(*last)->next;
	if (a->head) {
		*last = a->head->next;
		a->head->next = from->head;
	} else {
		a->head = from->head;
	}
	if (from->list) {
		struct taken *t = from->list;

		while (t->next)
			t = t->next;
		t->next = a->list;
		a->list = from->list;
	}
	a->taken += from->taken;
	a->used += from->used;
	gst_mem_free(from, sizeof(*from));
}

static struct block *add_block(struct gst_arena *a, size_t size)
{
	struct block *b;

	if (a->limit && (size > a->limit || a->taken > a->limit - size))
		gst_mem_oom(size);
	b = gst_mem_alloc(size);
	b->size = size;
	b->used = sizeof(*b);
	b->dirty = sizeof(*b);
	a->taken += size;
	return b;
}

void *gst_arena_alloc(struct gst_arena *a, size_t size)
{
	struct block *b = a->head;
	size_t rounded;
	uint8_t *p;

	if (size > SIZE_MAX / 2)
		gst_mem_oom(size);
	rounded = (size + 15) & ~(size_t)15;
	if (ARENA_DEBUG) {
		/* Not rounded: ASan then sees the byte after it. */
		b = add_block(a, sizeof(*b) + size);
		b->next = a->head;
		a->head = b;
		b->used = b->size;
		a->used += rounded;
		return b + 1;
	}
	if (!b || b->size - b->used < rounded) {
		if (rounded > a->next_block / 4) {
			/* Its own block, behind the head, whose room is still good. */
			struct block *own = add_block(a, sizeof(*own) + rounded);

			own->used = own->size;
			own->dirty = own->size;
			if (b) {
				own->next = b->next;
				b->next = own;
			} else {
				a->head = own;
			}
			a->used += rounded;
			return own + 1;
		}
		b = add_block(a, a->next_block);
		b->next = a->head;
		a->head = b;
		if (a->next_block < LAST_BLOCK_BYTES)
			a->next_block *= 2;
	}
	p = (uint8_t *)b + b->used;
	b->used += rounded;
	a->used += rounded;
	/* A fresh block is zero already; only what was handed out before a reset is cleared. */
	if (p < (uint8_t *)b + b->dirty) {
		size_t dirty = (size_t)((uint8_t *)b + b->dirty - p);

		memset(p, 0, dirty < rounded ? dirty : rounded);
	}
	if (b->used > b->dirty)
		b->dirty = b->used;
	return p;
}

void *gst_arena_alloc_array(struct gst_arena *a, size_t count, size_t item_bytes)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, item_bytes, &bytes))
		gst_mem_oom(UINT64_MAX);
	return gst_arena_alloc(a, bytes);
}

void *gst_arena_copy(struct gst_arena *a, const void *data, size_t size)
{
	uint8_t *p = gst_arena_alloc(a, size + 1);

	if (size)
		memcpy(p, data, size);
	return p;
}

void *gst_arena_take(struct gst_arena *a, void *data, size_t room_bytes, size_t used_bytes)
{
	struct taken *t;
	void *p;

	GST_ASSERT(used_bytes <= room_bytes);
	if (used_bytes < TAKE_BYTES) {
		p = gst_arena_copy(a, data, used_bytes);
		gst_mem_free(data, room_bytes);
		return p;
	}
	if (a->limit && (used_bytes > a->limit || a->taken > a->limit - used_bytes))
		gst_mem_oom(used_bytes);
	t = gst_arena_alloc(a, sizeof(*t));
	t->data = gst_mem_realloc(data, room_bytes, used_bytes);
	t->size = used_bytes;
	t->next = a->list;
	a->list = t;
	a->taken += used_bytes;
	a->used += used_bytes;
	return t->data;
}

uint64_t gst_arena_used(const struct gst_arena *a)
{
	return a->used;
}

void gst_arena_set_oom_hook(gst_oom_fn fn)
{
	gst_mem_set_oom_hook(fn);
}
