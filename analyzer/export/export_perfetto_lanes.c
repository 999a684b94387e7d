/*
 * export_perfetto_lanes.c - spread overlapping slices over as few rows as needed.
 *
 * Role      : a track of the format holds nested slices only; nodes of graphs and programmatic launches
 *             overlap, and so may the calls of a damaged trace.
 * Method    : slices come by begin. Lanes whose last slice has ended move from the busy heap (by end) to
 *             the idle heap (by number); the lowest idle lane is taken, or a new one made.
 * Invariant : in a lane each slice begins at or after the end of the one before.
 * Not here  : tracks and names (export_perfetto.c).
 */
#include "analyzer/export/export_perfetto_internal.h"

static bool ends_before(const struct gst_lanes *l, uint32_t a, uint32_t b)
{
	uint64_t ea = l->lanes.data[a].end_ns, eb = l->lanes.data[b].end_ns;

	return ea != eb ? ea < eb : a < b;
}

static bool is_lower(const struct gst_lanes *l, uint32_t a, uint32_t b)
{
	(void)l;
	return a < b;
}

typedef bool less_fn(const struct gst_lanes *l, uint32_t a, uint32_t b);

static void sift_up(const struct gst_lanes *l, uint32_t *heap, size_t i, less_fn *less)
{
	while (i && less(l, heap[i], heap[(i - 1) / 2])) {
		uint32_t swap = heap[i];

		heap[i] = heap[(i - 1) / 2];
		heap[(i - 1) / 2] = swap;
		i = (i - 1) / 2;
	}
}

/* Take the top out: what is left is @count items. */
static uint32_t pop(const struct gst_lanes *l, uint32_t *heap, size_t count, less_fn *less)
{
	uint32_t top = heap[0];
	size_t i = 0;

	heap[0] = heap[count];
	for (;;) {
		size_t child = 2 * i + 1;
		uint32_t swap;

		if (child >= count) {
			return top;
		}
		if (child + 1 < count && less(l, heap[child + 1], heap[child])) {
			child++;
		}
		if (!less(l, heap[child], heap[i])) {
			return top;
		}
		swap = heap[i];
		heap[i] = heap[child];
		heap[child] = swap;
		i = child;
	}
}

struct gst_lane *gst_lanes_take(struct gst_lanes *l, uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t lane;

	while (l->busy.count && l->lanes.data[l->busy.data[0]].end_ns <= begin_ns) {
		lane = pop(l, l->busy.data, --l->busy.count, ends_before);
		gst_vec_push(&l->idle, lane);
		sift_up(l, l->idle.data, l->idle.count - 1, is_lower);
	}
	if (l->idle.count) {
		lane = pop(l, l->idle.data, --l->idle.count, is_lower);
	} else {
		lane = (uint32_t)l->lanes.count;
		gst_vec_push(&l->lanes, ((struct gst_lane){0}));
	}
	l->lanes.data[lane].end_ns = end_ns;
	gst_vec_push(&l->busy, lane);
	sift_up(l, l->busy.data, l->busy.count - 1, ends_before);
	return &l->lanes.data[lane];
}

void gst_lanes_release(struct gst_lanes *l)
{
	gst_vec_free(&l->lanes);
	gst_vec_free(&l->busy);
	gst_vec_free(&l->idle);
}
