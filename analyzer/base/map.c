/*
 * map.c - open addressing with linear probing.
 *
 * Role      : ids, handles and correlation numbers to indexes.
 * Method    : at most 3/4 full; removal shifts back what follows, so there are no tombstones.
 * Invariant : every key is reached from its home slot without crossing an unused one.
 * Not here  : keys that are not numbers (strtab.h).
 */
#include "analyzer/base/map.h"

#include "analyzer/base/mem.h"

#define FIRST_SLOTS 16

void gst_map_release(struct gst_map *m)
{
	if (m->slots)
		gst_mem_free(m->slots, (m->mask + 1) * sizeof(*m->slots));
	m->slots = NULL;
	m->count = 0;
	m->mask = 0;
}

/* The slot of @key, or the unused one where it would go. */
static size_t find(const struct gst_map *m, uint64_t key)
{
	size_t i = (size_t)gst_hash_u64(key) & m->mask;

	while (m->slots[i].is_used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return i;
}

static void grow(struct gst_map *m)
{
	struct gst_map old = *m;
	size_t slots = old.slots ? (old.mask + 1) * 2 : FIRST_SLOTS;
	size_t i;

	if (slots > SIZE_MAX / sizeof(*m->slots))
		gst_mem_oom(UINT64_MAX);
	m->slots = gst_mem_alloc(slots * sizeof(*m->slots));
	m->mask = slots - 1;
	for (i = 0; old.slots && i <= old.mask; i++) {
		if (old.slots[i].is_used)
			m->slots[find(m, old.slots[i].key)] = old.slots[i];
	}
	gst_map_release(&old);
}

bool gst_map_get(const struct gst_map *m, uint64_t key, uint32_t *value)
{
	size_t i;

	if (!m->slots)
		return false;
	i = find(m, key);
	if (!m->slots[i].is_used)
		return false;
	if (value)
		*value = m->slots[i].value;
	return true;
}

uint32_t *gst_map_add(struct gst_map *m, uint64_t key, uint32_t value, bool *is_new)
{
	size_t i;

	if (!m->slots || (m->count + 1) * 4 > (m->mask + 1) * 3)
		grow(m);
	i = find(m, key);
	if (is_new)
		*is_new = !m->slots[i].is_used;
	if (!m->slots[i].is_used) {
		m->slots[i] = (struct gst_map_slot){key, value, 1};
		m->count++;
	}
	return &m->slots[i].value;
}

void gst_map_put(struct gst_map *m, uint64_t key, uint32_t value)
{
	*gst_map_add(m, key, value, NULL) = value;
}

bool gst_map_remove(struct gst_map *m, uint64_t key)
{
	size_t hole, i;

	if (!m->slots)
		return false;
	hole = find(m, key);
	if (!m->slots[hole].is_used)
		return false;
	m->slots[hole].is_used = 0;
	m->count--;
	for (i = (hole + 1) & m->mask; m->slots[i].is_used; i = (i + 1) & m->mask) {
		size_t home = (size_t)gst_hash_u64(m->slots[i].key) & m->mask;

		/* Move it back if the hole lies between its home and where it is. */
		if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
			m->slots[hole] = m->slots[i];
			m->slots[i].is_used = 0;
			hole = i;
		}
	}
	return true;
}

size_t gst_map_count(const struct gst_map *m)
{
	return m->count;
}
