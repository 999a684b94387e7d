/*
 * group.c - groups of occurrences, and time covered by spans that may overlap.
 *
 * Role      : what happened a thousand times at one place in the program is one finding.
 * Method    : a map from the hash of the key, with a chain for equal hashes.
 * Invariant : groups keep the order in which they were made; no output depends on a hash.
 * Not here  : what a group costs (report.c).
 */
#include "analyzer/check/check_internal.h"

#include <string.h>

#include "analyzer/base/sort.h"

static uint64_t hash_of(const uint32_t key[6])
{
	uint64_t h = 0;

	for (int i = 0; i < 6; i++) {
		h = gst_hash_u64(h ^ key[i]);
	}
	return h;
}

struct gst_group *gst_groups_find(struct gst_groups *g, const uint32_t key[6])
{
	uint32_t i;

	if (!gst_map_get(&g->index, hash_of(key), &i)) {
		return NULL;
	}
	for (; i != GST_NONE; i = g->v.data[i].next) {
		if (memcmp(g->v.data[i].key, key, sizeof(g->v.data[i].key)) == 0) {
			return &g->v.data[i];
		}
	}
	return NULL;
}

struct gst_group *gst_groups_at(struct gst_groups *g, const uint32_t key[6])
{
	struct gst_group *old = gst_groups_find(g, key);
	uint32_t *first;
	struct gst_group *made;
	bool is_new;

	if (old) {
		return old;
	}
	made = gst_vec_extend(&g->v, 1);
	memset(made, 0, sizeof(*made));
	memcpy(made->key, key, sizeof(made->key));
	first = gst_map_add(&g->index, hash_of(key), (uint32_t)(g->v.count - 1), &is_new);
	made->next = is_new ? GST_NONE : *first;
	*first = (uint32_t)(g->v.count - 1);
	return made;
}

void gst_groups_release(struct gst_groups *g)
{
	for (size_t i = 0; i < g->v.count; i++) {
		struct gst_group *x = &g->v.data[i];
		gst_vec_free(&x->blocked);
		gst_vec_free(&x->occurrences);
		gst_vec_free(&x->edges);
		gst_vec_free(&x->calls);
		gst_vec_free(&x->waits);
	}
	gst_vec_free(&g->v);
	gst_map_release(&g->index);
}

/* Most spans begin after the one before, or within it: these need no room, and no sort later on. */
void gst_spans_add(struct gst_spans *s, uint64_t begin_ns, uint64_t end_ns)
{
	struct gst_span *last = s->count ? &s->data[s->count - 1] : NULL;

	if (end_ns <= begin_ns) {
		return;
	}
	if (last && begin_ns >= last->begin_ns && begin_ns <= last->end_ns) {
		last->end_ns = end_ns > last->end_ns ? end_ns : last->end_ns;
		return;
	}
	gst_vec_push(s, ((struct gst_span){.begin_ns = begin_ns, .end_ns = end_ns}));
}

static void sort_spans(struct gst_spans *s)
{
	struct gst_sort_item *items;
	struct gst_span *sorted;
	size_t in_order = 1;

	while (in_order < s->count &&
	       s->data[in_order - 1].begin_ns <= s->data[in_order].begin_ns) {
		in_order++;
	}
	if (in_order >= s->count) {
		return;
	}
	items = gst_mem_alloc(s->count * sizeof(*items));
	for (size_t i = 0; i < s->count; i++) {
		items[i] = (struct gst_sort_item){.key = s->data[i].begin_ns, .value = (uint32_t)i};
	}
	gst_sort_items(items, s->count);
	sorted = gst_mem_alloc(s->cap * sizeof(*sorted));
	for (size_t i = 0; i < s->count; i++) {
		sorted[i] = s->data[items[i].value];
	}
	gst_mem_free(s->data, s->cap * sizeof(*s->data));
	s->data = sorted;
	gst_mem_free(items, s->count * sizeof(*items));
}

uint64_t gst_spans_union(struct gst_spans *s)
{
	uint64_t covered = 0;
	size_t kept = 0;

	sort_spans(s);
	for (size_t i = 0; i < s->count; i++) {
		struct gst_span x = s->data[i];
		struct gst_span *last = kept ? &s->data[kept - 1] : NULL;

		if (!last || x.begin_ns > last->end_ns) {
			s->data[kept++] = x;
		} else if (x.end_ns > last->end_ns) {
			last->end_ns = x.end_ns;
		}
	}
	s->count = kept;
	for (size_t i = 0; i < kept; i++) {
		covered += s->data[i].end_ns - s->data[i].begin_ns;
	}
	return covered;
}

void gst_group_add(struct gst_group *g, struct gst_occurrence x)
{
	if (g->occurrence_count == 0 || x.begin_ns < g->begin_ns) {
		g->begin_ns = x.begin_ns;
	}
	if (x.end_ns > g->end_ns) {
		g->end_ns = x.end_ns;
	}
	g->occurrence_count++;
	if (x.blocked_ns) {
		gst_spans_add(&g->blocked, x.begin_ns, x.end_ns);
	}
	if (g->occurrences.count < GST_EVIDENCE_MAX) {
		gst_vec_push(&g->occurrences, x);
	}
}
