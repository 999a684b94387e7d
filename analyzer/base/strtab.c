/*
 * strtab.c - intern strings into an arena, found again by hash.
 *
 * Role      : kernel, stream and file names of a trace.
 * Method    : open addressing over ids; each entry keeps the hash, so that most misses cost no
 *             comparison.
 * Invariant : table slots hold id + 1, 0 = unused; at most 1/2 full.
 * Not here  : demangling, escaping.
 */
#include "analyzer/base/strtab.h"

#include "analyzer/base/arena.h"
#include "analyzer/base/assert.h"
#include "analyzer/base/map.h"
#include "analyzer/base/status.h"
#include "analyzer/base/vec.h"

struct entry {
	const char *bytes;
	uint64_t hash;
	size_t length;
};

struct gst_strtab {
	struct gst_arena *arena;
	GST_VEC(struct entry) entries;
	uint32_t *slots;
	size_t mask;
};

#define FIRST_SLOTS 64

struct gst_strtab *gst_strtab_new(void)
{
	struct gst_strtab *t = gst_mem_alloc(sizeof(*t));

	t->arena = gst_arena_new(0);
	t->slots = gst_mem_alloc(FIRST_SLOTS * sizeof(*t->slots));
	t->mask = FIRST_SLOTS - 1;
	gst_strtab_intern(t, "", 0);
	return t;
}

void gst_strtab_free(struct gst_strtab *t)
{
	if (!t)
		return;
	gst_vec_free(&t->entries);
	gst_mem_free(t->slots, (t->mask + 1) * sizeof(*t->slots));
	gst_arena_free(t->arena);
	gst_mem_free(t, sizeof(*t));
}

static uint64_t hash_bytes(const uint8_t *p, size_t length)
{
	uint64_t h = gst_hash_u64(length + 1);
	uint64_t word = 0;

	for (; length >= 8; p += 8, length -= 8) {
		memcpy(&word, p, 8);
		h = gst_hash_u64(h ^ word);
	}
	word = 0;
	if (length)
		memcpy(&word, p, length);
	return gst_hash_u64(h ^ word);
}

static void grow(struct gst_strtab *t)
{
	size_t slots = (t->mask + 1) * 2;
	size_t id, i;

	gst_mem_free(t->slots, (t->mask + 1) * sizeof(*t->slots));
	t->mask = slots - 1;
	t->slots = gst_mem_alloc(slots * sizeof(*t->slots));
	for (id = 0; id < t->entries.count; id++) {
		i = (size_t)t->entries.data[id].hash & t->mask;
		while (t->slots[i])
			i = (i + 1) & t->mask;
		t->slots[i] = (uint32_t)id + 1;
	}
}

uint32_t gst_strtab_intern(struct gst_strtab *t, const void *bytes, size_t length)
{
	uint64_t hash = hash_bytes(bytes, length);
	size_t i = (size_t)hash & t->mask;

	for (; t->slots[i]; i = (i + 1) & t->mask) {
		const struct entry *e = &t->entries.data[t->slots[i] - 1];

		if (e->hash == hash && e->length == length &&
		    (!length || memcmp(e->bytes, bytes, length) == 0))
			return t->slots[i] - 1;
	}
	if (t->entries.count >= UINT32_MAX - 1)
		gst_mem_oom(length);
	gst_vec_push(&t->entries,
		     ((struct entry){gst_arena_copy(t->arena, bytes, length), hash, length}));
	t->slots[i] = (uint32_t)t->entries.count;
	if (t->entries.count * 2 > t->mask)
		grow(t);
	return (uint32_t)t->entries.count - 1;
}

const char *gst_strtab_get(const struct gst_strtab *t, uint32_t id, size_t *length)
{
	GST_ASSERT(id < t->entries.count);
	if (length)
		*length = t->entries.data[id].length;
	return t->entries.data[id].bytes;
}

uint32_t gst_strtab_count(const struct gst_strtab *t)
{
	return (uint32_t)t->entries.count;
}
