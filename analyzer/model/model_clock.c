/*
 * model_clock.c - from the clock of device records (REALTIME) to MONOTONIC.
 *
 * Role      : build.c converts every device time once, here.
 * Method    : the two anchors around a time, linear between them; outside, the nearest one's offset.
 *             Where the wall clock stepped between two anchors a straight line would bend all times
 *             of that second: there the nearer anchor's offset is used instead.
 * Invariant : without a step the answer is monotonic in its argument.
 * Not here  : which host a process ran on, and the model's zero (build.c).
 */
#include "analyzer/base/sort.h"
#include "analyzer/model/model_internal.h"

/* The wall clock is slewed by 0.05 % at most; what is beyond twice that and 100 us is a step. */
#define STEP_FLOOR_NS 100000u
/* Anchors, about seconds, in which the device record of a call is looked for after a step. */
#define LOOK_AHEAD 64u

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t drift(const struct gst_anchor *a, const struct gst_anchor *b)
{
	return distance(b->gpu_ns - a->gpu_ns, b->mono_ns - a->mono_ns);
}

static bool find_step(const struct gst_anchor *a, const struct gst_anchor *b)
{
	uint64_t span = b->mono_ns - a->mono_ns;

	if (b->gpu_ns <= a->gpu_ns)
		return true;
	return drift(a, b) > span / 1000 + STEP_FLOOR_NS + a->width_ns + b->width_ns;
}

void gst_clock_map_seal(struct gst_clock_map *map, uint64_t *steps)
{
	size_t count = map->anchors.count;
	struct gst_sort_item *items;
	struct gst_anchor *sorted;
	size_t kept = 0;

	if (!count)
		return;
	items = gst_mem_alloc(count * sizeof(*items));
	sorted = gst_mem_alloc(count * sizeof(*sorted));
	for (size_t i = 0; i < count; i++) {
		items[i].key = map->anchors.data[i].mono_ns;
		items[i].value = (uint32_t)i;
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		const struct gst_anchor *a = &map->anchors.data[items[i].value];

		if (kept && sorted[kept - 1].mono_ns == a->mono_ns)
			continue;
		sorted[kept++] = *a;
	}
	for (size_t i = 0; i < kept; i++) {
		map->anchors.data[i] = sorted[i];
		if (sorted[i].width_ns > map->uncertainty_ns)
			map->uncertainty_ns = sorted[i].width_ns;
		if (!i)
			continue;
		map->anchors.data[i - 1].is_step = find_step(&sorted[i - 1], &sorted[i]);
		if (map->anchors.data[i - 1].is_step) {
			map->has_steps = true;
			++*steps;
		}
		if (drift(&sorted[i - 1], &sorted[i]) > map->uncertainty_ns)
			map->uncertainty_ns = drift(&sorted[i - 1], &sorted[i]);
	}
	map->anchors.count = kept;
	map->by_gpu = gst_mem_alloc(kept * sizeof(*map->by_gpu));
	for (size_t i = 0; i < kept; i++) {
		items[i].key = sorted[i].gpu_ns;
		items[i].value = (uint32_t)i;
	}
	gst_sort_items(items, kept);
	for (size_t i = 0; i < kept; i++)
		map->by_gpu[i] = items[i].value;
	gst_mem_free(sorted, count * sizeof(*sorted));
	gst_mem_free(items, count * sizeof(*items));
}

/* The anchor with the largest GPU time not after @gpu_ns; the first one if there is none. */
static size_t find_anchor(struct gst_clock_map *map, uint64_t gpu_ns)
{
	const struct gst_anchor *a = map->anchors.data;
	size_t low = 0;
	size_t high = map->anchors.count;

	if (!map->has_steps && map->hint + 1 < high && a[map->hint].gpu_ns <= gpu_ns &&
	    gpu_ns < a[map->hint + 1].gpu_ns)
		return map->hint;
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (a[map->by_gpu[middle]].gpu_ns <= gpu_ns) {
			low = middle;
		} else {
			high = middle;
		}
	}
	map->hint = map->by_gpu[low];
	return map->hint;
}

/* x * y / z, rounded down, for x < z; whole numbers, so that anchors may be days apart. */
static uint64_t part(uint64_t x, uint64_t y, uint64_t z)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t product;

	if (!__builtin_mul_overflow(x, y, &product))
		return product / z;
	return (uint64_t)((wide)x * y / z);
}

/* @gpu_ns by the interval that begins with anchor @i, or beyond it. */
static uint64_t by_anchor(const struct gst_clock_map *map, size_t i, uint64_t gpu_ns)
{
	const struct gst_anchor *a = &map->anchors.data[i];
	const struct gst_anchor *b = a + 1;
	uint64_t offset = gpu_ns - a->gpu_ns;
	uint64_t span, gpu_span;

	if (gpu_ns < a->gpu_ns || i + 1 == map->anchors.count)
		return a->mono_ns + offset;
	span = b->mono_ns - a->mono_ns;
	if (a->is_step)
		return offset <= span / 2 || b->gpu_ns - gpu_ns > span
			       ? a->mono_ns + offset
			       : b->mono_ns - (b->gpu_ns - gpu_ns);
	gpu_span = b->gpu_ns - a->gpu_ns;
	return span >= gpu_span ? a->mono_ns + offset + part(offset, span - gpu_span, gpu_span)
				: a->mono_ns + offset - part(offset, gpu_span - span, gpu_span);
}

/* By the two nearest anchors; their stretch is kept for the times to come. */
static uint64_t to_mono(struct gst_clock_map *map, uint64_t gpu_ns)
{
	const struct gst_anchor *a;
	uint64_t span, gpu_span, gain, most;
	size_t i;

	if (!map->anchors.count)
		return gpu_ns;
	i = find_anchor(map, gpu_ns);
	a = &map->anchors.data[i];
	if (!map->has_steps && i + 1 < map->anchors.count && gpu_ns >= a->gpu_ns) {
		span = a[1].mono_ns - a->mono_ns;
		gpu_span = a[1].gpu_ns - a->gpu_ns;
		gain = distance(span, gpu_span);
		/* What would take wide numbers is not kept. */
		if (!__builtin_mul_overflow(gpu_span, gain, &most))
			map->last = (struct gst_clock_stretch){a->gpu_ns, gpu_span, a->mono_ns,
							       gain, span < gpu_span};
	}
	return by_anchor(map, i, gpu_ns);
}

uint64_t gst_clock_map_look_up(struct gst_clock_map *map, uint64_t gpu_ns, uint64_t enter_ns)
{
	const struct gst_anchor *a = map->anchors.data;
	size_t low = 0;
	size_t high = map->anchors.count;

	if (!map->has_steps)
		return to_mono(map, gpu_ns);
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (a[middle].mono_ns <= enter_ns) {
			low = middle;
		} else {
			high = middle;
		}
	}
	/* The first stretch after @enter_ns in which the clock showed @gpu_ns. */
	for (size_t i = low; i < map->anchors.count && i - low < LOOK_AHEAD; i++) {
		uint64_t end_ns = i + 1 < map->anchors.count ? a[i + 1].mono_ns : UINT64_MAX;
		uint64_t mono_ns = by_anchor(map, i, gpu_ns);

		if (mono_ns >= a[i].mono_ns && mono_ns >= enter_ns && mono_ns <= end_ns)
			return mono_ns;
	}
	return to_mono(map, gpu_ns);
}

void gst_clock_map_release(struct gst_clock_map *map)
{
	gst_mem_free(map->by_gpu, map->anchors.count * sizeof(*map->by_gpu));
	map->by_gpu = NULL;
	gst_vec_free(&map->anchors);
}
