/*
 * map.h - hash map from 64-bit keys to 32-bit values.
 *
 * Any key and any value is fine. Memory comes from mem.h: nothing here fails. Iteration is not
 * offered on purpose: outputs must not depend on hash order. One thread at a time.
 */
#ifndef GSTRACE_ANALYZER_BASE_MAP_H
#define GSTRACE_ANALYZER_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gst_map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t is_used;
};

/** Zero-initialised it is an empty map. The fields are private. */
struct gst_map {
	struct gst_map_slot *slots;
	size_t count;
	size_t mask; /* slots - 1; the number of slots is a power of two */
};

/** Give the memory back; the map is empty then and may be used again. */
void gst_map_release(struct gst_map *m);

/** Look @key up; writes *@value (may be NULL) and returns true if it is there. Cost: O(1). */
bool gst_map_get(const struct gst_map *m, uint64_t key, uint32_t *value);

/** Set the value of @key, replacing what was there. Cost: O(1) amortised. */
void gst_map_put(struct gst_map *m, uint64_t key, uint32_t value);

/**
 * The value of @key, put there as @value if it is new; *@is_new (may be NULL) tells which.
 * The pointer is good until the next put or add.
 */
uint32_t *gst_map_add(struct gst_map *m, uint64_t key, uint32_t value, bool *is_new);

/** Take @key out; true if it was there. */
bool gst_map_remove(struct gst_map *m, uint64_t key);

/** Number of keys. */
size_t gst_map_count(const struct gst_map *m);

/** A well mixed hash of @key. */
static inline uint64_t gst_hash_u64(uint64_t key)
{
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	key ^= key >> 32;
	return key;
}

#endif
