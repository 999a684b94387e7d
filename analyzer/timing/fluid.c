/*
 * fluid.c - replay in which kernels that run at once share their device: the low bound of a gain.
 *
 * Role      : gst_replay_shared, for replay.c alone.
 * Method    : events in time. Each kernel wants a share of its device; while the shares sum up to more
 *             than one, all of them slow down alike (processor sharing: one virtual clock a device). A
 *             kernel that fills the device by itself runs alone. Everything else as in replay.c.
 * Invariant : with room for all, the same times as replay.c; whole numbers only, so the same on any
 *             machine.
 * Not here  : memory bandwidth and caches: two kernels may hinder each other more than this says.
 */
#include "analyzer/timing/replay_internal.h"

#include "analyzer/base/sort.h"
#include "analyzer/base/vec.h"

#define WHOLE 1000000u

/* Positions are those within the process: its first is 0. */
struct running {
	int64_t end; /* on the virtual clock */
	uint32_t position, share;
};

struct device {
	int64_t virtual_ns, last_ns; /* the virtual clock, and the moment for which it holds */
	uint64_t sum;		     /* of the shares of what runs */
	uint32_t version;	     /* of the one tick that counts */
	bool is_full;		     /* a kernel that fills it runs */
	GST_VEC(struct running) running;
	GST_VEC(uint32_t) queue; /* positions */
	size_t head;
};

/* An op that may start (device = GST_NONE), or the next end on a device. */
struct event {
	int64_t ns;
	uint32_t id; /* position, or the device's version */
	uint32_t device;
};

struct sim {
	const struct gst_timing *t;
	const struct gst_replay_plan *plan;
	uint32_t first, count;	 /* of the process: position in all, how many */
	int64_t *reached;	 /* [positions] latest of the arcs so far; INT64_MIN */
	uint32_t *waits;	 /* [positions] arcs still to come */
	uint32_t *out_begin;	 /* [positions + 1] */
	uint32_t *out, *targets; /* arcs out of each position, and where each leads */
	int64_t last;		 /* moment so far */
	struct device *devices;
	GST_VEC(struct event) heap;
	GST_VEC(uint32_t) ready;     /* positions released, not yet looked at */
	struct gst_sort_item *added; /* waits of the cut, by position of the op */
	uint32_t added_count;
};

static bool is_before(const struct event *a, const struct event *b)
{
	if (a->ns != b->ns) {
		return a->ns < b->ns;
	}
	/* Ends first, so that what they free can be used in the same moment. */
	if ((a->device == GST_NONE) != (b->device == GST_NONE)) {
		return b->device == GST_NONE;
	}
	return a->device != b->device ? a->device < b->device : a->id < b->id;
}

static void heap_push(struct sim *s, struct event e)
{
	size_t i = s->heap.count;

	gst_vec_push(&s->heap, e);
	while (i > 0 && is_before(&e, &s->heap.data[(i - 1) / 2])) {
		s->heap.data[i] = s->heap.data[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	s->heap.data[i] = e;
}

static struct event heap_pop(struct sim *s)
{
	struct event top = s->heap.data[0];
	struct event e = s->heap.data[--s->heap.count];
	size_t i = 0, n = s->heap.count;

	while (2 * i + 1 < n) {
		size_t child = 2 * i + 1;
		if (child + 1 < n && is_before(&s->heap.data[child + 1], &s->heap.data[child])) {
			child++;
		}
		if (!is_before(&s->heap.data[child], &e)) {
			break;
		}
		s->heap.data[i] = s->heap.data[child];
		i = child;
	}
	s->heap.data[i] = e;
	return top;
}

static gst_moment_id moment_at(const struct sim *s, uint32_t position)
{
	return s->t->topological[s->first + position];
}

static bool is_cut(const struct gst_replay_plan *plan, const struct gst_arc *a)
{
	return (plan->is_cut[a->edge / 8] >> (a->edge % 8)) & 1;
}

static void release(struct sim *s, uint32_t position, int64_t at)
{
	if (at > s->reached[position]) {
		s->reached[position] = at;
	}
	if (--s->waits[position] == 0) {
		gst_vec_push(&s->ready, position);
	}
}

/* Calls that the cut makes wait for the op at @position. */
static void tell_added(struct sim *s, uint32_t position, int64_t at)
{
	uint32_t low = 0, high = s->added_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (s->added[mid].key < position) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	for (; low < s->added_count && s->added[low].key == position; low++) {
		release(s, s->added[low].value, at);
	}
}

/* Tell the arcs out of @position that hang on its begin, or all others, that its end comes at @end. */
static void tell(struct sim *s, uint32_t position, bool begins, int64_t end)
{
	for (uint32_t i = s->out_begin[position]; i < s->out_begin[position + 1]; i++) {
		const struct gst_arc *a = &s->t->arcs[s->out[i]];
		if (((a->from & GST_ARC_BEGINS) != 0) == begins && !is_cut(s->plan, a)) {
			release(s, s->targets[i],
				gst_replay_sum(end, gst_arc_weight(s->t, a, s->out[i])));
		}
	}
	if (!begins) {
		gst_replay_last(end, &s->last);
		if (s->added_count) {
			tell_added(s, position, end);
		}
	}
}

/* ---- a device ------------------------------------------------------------------------------------- */

static uint64_t slowdown(const struct device *d)
{
	return d->sum > WHOLE ? d->sum : WHOLE;
}

/* a * b / c without overflow, for b and c below 2^31 or so. */
static int64_t scale(int64_t a, uint64_t b, uint64_t c)
{
	uint64_t x = (uint64_t)a;
	return (int64_t)(x / c * b + x % c * b / c);
}

static void advance(struct device *d, int64_t now)
{
	if (now > d->last_ns) {
		if (d->running.count) {
			d->virtual_ns += scale(now - d->last_ns, WHOLE, slowdown(d));
		}
		d->last_ns = now;
	}
}

static void set_tick(struct sim *s, uint32_t device)
{
	struct device *d = &s->devices[device];
	int64_t next = INT64_MAX;

	d->version++;
	for (size_t i = 0; i < d->running.count; i++) {
		next = d->running.data[i].end < next ? d->running.data[i].end : next;
	}
	if (next != INT64_MAX) {
		int64_t left = next > d->virtual_ns ? next - d->virtual_ns : 0;
		uint64_t by = slowdown(d);
		int64_t ns = scale(left, by, WHOLE);
		/* Round up, or the tick comes before the end. */
		ns += scale(ns, WHOLE, by) < left;
		heap_push(s, (struct event){
				     .ns = d->last_ns + ns, .id = d->version, .device = device});
	}
}

/* Start what stands first in the queue, as far as there is room. */
static void start_queued(struct sim *s, uint32_t device)
{
	struct device *d = &s->devices[device];

	while (d->head < d->queue.count) {
		uint32_t position = d->queue.data[d->head];
		gst_op_id op = moment_at(s, position);
		uint32_t share = gst_timing_share(s->t, op);

		if (d->is_full || (share >= WHOLE && d->running.count)) {
			break;
		}
		d->head++;
		gst_vec_push(&d->running,
			     ((struct running){.end = d->virtual_ns + gst_replay_duration(s->t, op),
					       .position = position,
					       .share = share}));
		d->sum += share;
		d->is_full = share >= WHOLE;
		/* Begins count by the end they would lead to. */
		tell(s, position, true, d->last_ns + gst_replay_duration(s->t, op));
	}
	if (d->head == d->queue.count) {
		d->head = d->queue.count = 0;
	}
	set_tick(s, device);
}

static void tick(struct sim *s, uint32_t device, int64_t now)
{
	struct device *d = &s->devices[device];
	size_t kept = 0;

	advance(d, now);
	for (size_t i = 0; i < d->running.count; i++) {
		struct running r = d->running.data[i];
		if (r.end > d->virtual_ns) {
			d->running.data[kept++] = r;
			continue;
		}
		d->sum -= r.share;
		if (r.share >= WHOLE) {
			d->is_full = false;
		}
		/* Nothing that is released here starts before this event is over. */
		tell(s, r.position, false, now);
	}
	d->running.count = kept;
	start_queued(s, device);
}

static bool is_cheap(const struct gst_replay_plan *plan, uint32_t position)
{
	uint32_t low = 0, high = plan->cheap_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (plan->cheap[mid].key < position) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low < plan->cheap_count && plan->cheap[low].key == position;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static void settle(struct sim *s)
{
	const struct gst_timing *t = s->t;

	while (s->ready.count) {
		uint32_t i = s->ready.data[--s->ready.count];
		gst_moment_id p = moment_at(s, i);
		int64_t end = t->end_ns[s->first + i], own = t->own_ns[s->first + i];

		if (end == INT64_MIN) {
			continue; /* nothing hangs on it */
		}
		if (s->reached[i] != INT64_MIN) {
			if (s->plan->cheap_count && own > s->plan->call_cost_ns &&
			    is_cheap(s->plan, s->first + i)) {
				own = s->plan->call_cost_ns;
			}
			end = gst_replay_sum(s->reached[i], own);
		}
		if (gst_replay_spins(t, p)) {
			end = end < t->end_ns[s->first + i] ? t->end_ns[s->first + i] : end;
		} else if (p < t->m->op_count && t->m->ops[p].kind == GST_OP_KERNEL &&
			   (t->m->ops[p].flags & GST_OP_TIMED) &&
			   gst_timing_device(t, p) != GST_NONE) {
			heap_push(s, (struct event){.ns = end - gst_replay_duration(t, p),
						    .id = i,
						    .device = GST_NONE});
			continue;
		}
		tell(s, i, true, end);
		tell(s, i, false, end);
	}
}

/* Within the process, from one within all. */
static uint32_t source_of(const struct sim *s, uint32_t arc)
{
	return (s->t->arcs[arc].from & ~GST_ARC_BEGINS) - s->first;
}

/* Arcs by their source, and how many each position waits for. */
static void turn_round(struct sim *s, struct gst_arena *scratch)
{
	const struct gst_timing *t = s->t;
	uint32_t begin = t->arc_begin[s->first], end = t->arc_begin[s->first + s->count];
	uint32_t *next;

	s->out_begin = GST_ARENA_ARRAY(scratch, uint32_t, (size_t)s->count + 2);
	s->out = GST_ARENA_ARRAY(scratch, uint32_t, end - begin);
	s->targets = GST_ARENA_ARRAY(scratch, uint32_t, end - begin);
	next = s->out_begin + 1;
	for (uint32_t j = begin; j < end; j++) {
		next[source_of(s, j) + 1]++;
	}
	for (uint32_t i = 1; i <= s->count; i++) {
		next[i] += next[i - 1];
	}
	for (uint32_t i = 0; i < s->count; i++) {
		for (uint32_t j = t->arc_begin[s->first + i]; j < t->arc_begin[s->first + i + 1];
		     j++) {
			uint32_t at = next[source_of(s, j)]++;
			s->out[at] = j;
			s->targets[at] = i;
			s->waits[i] += !is_cut(s->plan, &t->arcs[j]);
		}
	}
	s->added = GST_ARENA_ARRAY(scratch, struct gst_sort_item, s->plan->wait_count);
	for (uint32_t i = 0; i < s->plan->wait_count; i++) {
		const struct gst_sort_item *w = &s->plan->waits[i];

		if (w->value < s->first || w->value >= w->key || w->key >= s->first + s->count) {
			continue;
		}
		s->added[s->added_count++] = (struct gst_sort_item){
			.key = w->value - s->first, .value = (uint32_t)w->key - s->first};
		s->waits[w->key - s->first]++;
	}
	gst_sort_items(s->added, s->added_count);
}

int64_t gst_replay_shared(const struct gst_replay_plan *plan, uint32_t process,
			  struct gst_arena *scratch)
{
	const struct gst_timing *t = plan->t;
	struct sim s = {.t = t, .plan = plan, .first = t->process_first[process]};

	s.count = t->process_first[process + 1] - s.first;
	s.reached = GST_ARENA_ARRAY(scratch, int64_t, s.count);
	s.waits = GST_ARENA_ARRAY(scratch, uint32_t, s.count);
	s.devices = GST_ARENA_ARRAY(scratch, struct device, t->m->device_count);
	turn_round(&s, scratch);
	for (uint32_t i = 0; i < s.count; i++) {
		s.reached[i] = INT64_MIN;
	}
	for (uint32_t i = s.count; i-- > 0;) {
		if (s.waits[i] == 0) {
			gst_vec_push(&s.ready, i);
		}
	}
	settle(&s);
	while (s.heap.count) {
		struct event e = heap_pop(&s);
		if (e.device == GST_NONE) {
			uint32_t device = gst_timing_device(t, moment_at(&s, e.id));
			advance(&s.devices[device], e.ns);
			gst_vec_push(&s.devices[device].queue, e.id);
			start_queued(&s, device);
		} else if (e.id == s.devices[e.device].version) {
			tick(&s, e.device, e.ns);
		}
		settle(&s);
	}
	for (uint32_t i = 0; i < t->m->device_count; i++) {
		gst_vec_free(&s.devices[i].running);
		gst_vec_free(&s.devices[i].queue);
	}
	gst_vec_free(&s.heap);
	gst_vec_free(&s.ready);
	return s.last;
}
