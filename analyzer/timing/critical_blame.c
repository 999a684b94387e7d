/*
 * critical_blame.c - the critical path summed up: waits by who waited for whom, work by stream, time by NVTX range.
 *
 * Role      : the tables of gstrace critical.
 * Method    : one pass over the segments for each table; lists are sorted by time, of equals in the order of the path.
 * Invariant : sums of the path alone, which overlaps nowhere; what is not known is counted apart.
 * Not here  : the path itself (critical.c).
 */
#include <string.h>

#include "analyzer/base/map.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/vec.h"
#include "analyzer/timing/critical_internal.h"
#include "analyzer/timing/timing_internal.h"

static bool is_wait(const struct gst_segment *s)
{
	return s->from != GST_NONE &&
	       (s->cause == GST_CAUSE_BARRIER || s->cause == GST_CAUSE_HOST_WAIT);
}

static gst_stream_id stream_of(const struct gst_model *m, gst_node_id node)
{
	return node < m->op_count ? m->ops[node].stream : GST_NONE;
}

/* Those of @from that @order names, to @to, largest first. @order: keys are sizes, values places in @from; changed. */
static void take_largest_first(struct gst_sort_item *order, size_t count, const void *from,
			       void *to, size_t size)
{
	for (size_t i = 0; i < count; i++) {
		order[i].key = UINT64_MAX - order[i].key;
	}
	gst_sort_items(order, count);
	for (size_t i = 0; i < count; i++) {
		memcpy((char *)to + i * size, (const char *)from + order[i].value * size, size);
	}
}

static void blame_waits(const struct gst_timing *t, struct gst_arena *arena,
			struct gst_critical *out)
{
	GST_VEC(struct gst_blame) blames = {0};
	GST_VEC(uint32_t) next = {0}; /* another one of the same hash; GST_NONE: none */
	struct gst_sort_item *order;
	struct gst_blame *sorted;
	struct gst_map heads = {0};

	for (uint32_t i = 0; i < out->segment_count; i++) {
		const struct gst_segment *s = &out->segments[i];
		struct gst_blame b = {.example = i};
		uint32_t *head, at;
		bool is_new;

		if (!is_wait(s)) {
			continue;
		}
		b.is_host = gst_node_is_call(t->o, s->node);
		b.waiter = b.is_host ? t->m->calls[s->node - t->m->op_count].api
				     : stream_of(t->m, s->node);
		b.culprit = stream_of(t->m, s->from);
		b.rule = s->edge == GST_NONE ? (uint8_t)GST_RULE_COUNT
					     : gst_order_edge(t->o, s->edge).rule;
		head = gst_map_add(&heads,
				   gst_hash_u64((uint64_t)b.waiter << 32 | b.culprit) ^
					   (uint64_t)(b.rule * 2u + b.is_host),
				   (uint32_t)blames.count, &is_new);
		at = is_new ? GST_NONE : *head;
		while (at != GST_NONE &&
		       (blames.data[at].waiter != b.waiter ||
			blames.data[at].culprit != b.culprit || blames.data[at].rule != b.rule ||
			blames.data[at].is_host != b.is_host)) {
			at = next.data[at];
		}
		if (at == GST_NONE) {
			at = (uint32_t)blames.count;
			gst_vec_push(&next, is_new ? GST_NONE : *head);
			*head = at;
			gst_vec_push(&blames, b);
		}
		blames.data[at].count++;
		blames.data[at].gap_ns += s->end_ns - s->begin_ns;
		if (s->held_ns == GST_HELD_NOT_KNOWN) {
			blames.data[at].unheld++;
		} else {
			const struct gst_segment *best = &out->segments[blames.data[at].example];

			blames.data[at].held_ns += s->held_ns;
			if (best->held_ns == GST_HELD_NOT_KNOWN || s->held_ns > best->held_ns) {
				blames.data[at].example = i;
			}
		}
	}
	order = gst_mem_alloc(blames.count * sizeof(*order));
	for (uint32_t i = 0; i < blames.count; i++) {
		order[i] = (struct gst_sort_item){.key = blames.data[i].held_ns, .value = i};
	}
	sorted = GST_ARENA_ARRAY(arena, struct gst_blame, blames.count);
	take_largest_first(order, blames.count, blames.data, sorted, sizeof(*sorted));
	out->blames = sorted;
	out->blame_count = (uint32_t)blames.count;
	gst_mem_free(order, blames.count * sizeof(*order));
	gst_map_release(&heads);
	gst_vec_free(&next);
	gst_vec_free(&blames);
}

static void blame_streams(const struct gst_timing *t, struct gst_arena *arena,
			  struct gst_critical *out)
{
	uint32_t count = t->m->stream_count + 1; /* the last one: unknown */
	struct gst_blamed_stream *all = gst_mem_alloc(count * sizeof(*all)), *sorted;
	struct gst_sort_item *order = gst_mem_alloc(count * sizeof(*order));

	for (uint32_t i = 0; i < count; i++) {
		all[i] = (struct gst_blamed_stream){.stream = i + 1 < count ? i : GST_NONE};
	}
	for (uint32_t i = 0; i < out->segment_count; i++) {
		const struct gst_segment *s = &out->segments[i];

		if (gst_cause_is_work(s->cause)) {
			gst_stream_id stream = stream_of(t->m, s->node);
			struct gst_blamed_stream *b = &all[stream == GST_NONE ? count - 1 : stream];

			b->run_ns += s->end_ns - s->begin_ns;
			b->ops++;
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		if (all[i].ops > 0) {
			order[out->stream_count++] =
				(struct gst_sort_item){.key = all[i].run_ns, .value = i};
		}
	}
	sorted = GST_ARENA_ARRAY(arena, struct gst_blamed_stream, out->stream_count);
	take_largest_first(order, out->stream_count, all, sorted, sizeof(*sorted));
	out->streams = sorted;
	gst_mem_free(order, count * sizeof(*order));
	gst_mem_free(all, count * sizeof(*all));
}

/* The innermost range of the call that @node is, or by which it was submitted; its name. */
static uint32_t range_name(const struct gst_timing *t, gst_node_id node)
{
	gst_call_id call = GST_NONE;
	uint32_t range;

	if (node < t->m->op_count) {
		call = t->m->ops[node].call;
	} else if (gst_node_is_call(t->o, node)) {
		call = node - t->m->op_count;
	}
	range = call == GST_NONE ? GST_NONE : gst_call_range(t->m, call);
	return range == GST_NONE ? 0 : t->m->ranges[range].name;
}

static void blame_ranges(const struct gst_timing *t, struct gst_arena *arena,
			 struct gst_critical *out)
{
	GST_VEC(struct gst_blamed_range) all = {0};
	struct gst_map at = {0};
	struct gst_sort_item *order;
	struct gst_blamed_range *sorted;

	if (!t->m->call_ranges) {
		return;
	}
	for (uint32_t i = 0; i < out->segment_count; i++) {
		const struct gst_segment *s = &out->segments[i];
		uint32_t name = range_name(t, s->node), *slot;
		bool is_new;

		/* Where in between one range ended and the next began is not looked at. */
		if (s->cause == GST_CAUSE_HOST_COMPUTE && range_name(t, s->from) != name) {
			name = 0;
		}
		slot = gst_map_add(&at, name, (uint32_t)all.count, &is_new);
		if (is_new) {
			gst_vec_push(&all, ((struct gst_blamed_range){.name = name}));
		}
		all.data[*slot].ns += s->end_ns - s->begin_ns;
	}
	order = gst_mem_alloc(all.count * sizeof(*order));
	for (uint32_t i = 0; i < all.count; i++) {
		order[i] = (struct gst_sort_item){.key = all.data[i].ns, .value = i};
	}
	sorted = GST_ARENA_ARRAY(arena, struct gst_blamed_range, all.count);
	take_largest_first(order, all.count, all.data, sorted, sizeof(*sorted));
	out->ranges = sorted;
	out->range_count = (uint32_t)all.count;
	gst_mem_free(order, all.count * sizeof(*order));
	gst_map_release(&at);
	gst_vec_free(&all);
}

void gst_critical_blame(const struct gst_timing *t, struct gst_arena *arena,
			struct gst_critical *out)
{
	blame_waits(t, arena, out);
	blame_streams(t, arena, out);
	blame_ranges(t, arena, out);
}
