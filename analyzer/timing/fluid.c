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

/* Knots are counted within the process: its first is 0. */
struct running {
	int64_t end; /* on the virtual clock */
	uint32_t knot, share;
};

struct device {
	int64_t virtual_ns, last_ns; /* the virtual clock, and the moment for which it holds */
	uint64_t sum;		     /* of the shares of what runs */
	uint32_t version;	     /* of the one tick that counts */
	bool is_full;		     /* a kernel that fills it runs */
	GST_VEC(struct running) running;
	GST_VEC(uint32_t) queue; /* knots */
	size_t head;
};

/* An op that may start (device = GST_NONE), or the next end on a device. */
struct event {
	int64_t ns;
	uint32_t id; /* knot, or the device's version */
	uint32_t device;
};

struct sim {
	const struct gst_timing *t;
	const struct gst_replay_outs *outs;
	uint32_t first, first_arc; /* of the process, among all */
	const struct gst_replay_plan *plan;
	uint64_t *is_cut; /* a bit an arc */
	int64_t *
		gained; /* [knots] least that the arcs so far let it gain; below 0: it comes later */
	uint32_t *waits; /* [knots] arcs still to come */
	int64_t last;	 /* moment so far */
	struct device *devices;
	GST_VEC(struct event) heap;
	GST_VEC(uint32_t) ready;     /* knots released, not yet looked at */
	struct gst_sort_item *added; /* waits of the cut, by knot of the op; value: which change */
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

static gst_moment_id moment_of(const struct sim *s, uint32_t knot)
{
	return s->t->knots.moments[s->first + knot];
}

/* When it ended as observed. */
static int64_t end_of(const struct sim *s, uint32_t knot)
{
	return s->t->knots.end_ns[s->first + knot];
}

/* a + b, within what a gain can be: a trace may claim any duration, and ends are added to it. */
static int64_t sum_of(int64_t a, int64_t b)
{
	const int64_t most = (int64_t)GST_TIMES_MAX_NS / 2;
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum) || sum > most || sum < -most) {
		return a > 0 ? most : -most;
	}
	return sum;
}

static void release(struct sim *s, uint32_t knot, int64_t gain_ns)
{
	s->gained[knot] = gain_ns < s->gained[knot] ? gain_ns : s->gained[knot];
	if (--s->waits[knot] == 0) {
		gst_vec_push(&s->ready, knot);
	}
}

/* Calls that the cut makes wait for the op of @knot. */
static void tell_added(struct sim *s, uint32_t knot, int64_t gain_ns)
{
	uint32_t low = 0, high = s->added_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (s->added[mid].key < knot) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	for (; low < s->added_count && s->added[low].key == knot; low++) {
		const struct gst_change *c = &s->plan->changes[s->added[low].value];
		release(s, c->knot - s->first, sum_of(gain_ns, c->ns));
	}
}

/* Tell the arcs out of @knot that hang on its begin, or all others, that its end comes at @end. */
static void tell(struct sim *s, uint32_t knot, bool begins, int64_t end)
{
	const struct gst_knots *k = &s->t->knots;
	int64_t gain_ns = end_of(s, knot) - end;

	for (uint32_t i = s->outs->begin[knot]; i < s->outs->begin[knot + 1]; i++) {
		uint32_t arc = s->outs->arcs[i];
		bool is_begin = (k->arcs[arc].from & GST_ARC_BEGINS) != 0;

		arc -= s->first_arc;
		if (is_begin == begins && !(s->is_cut[arc / 64] >> arc % 64 & 1)) {
			release(s, s->outs->targets[i],
				sum_of(gain_ns, gst_arc_slack(k, arc + s->first_arc)));
		}
	}
	if (!begins) {
		gst_replay_last(end, &s->last);
		if (s->added_count) {
			tell_added(s, knot, gain_ns);
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
		uint32_t knot = d->queue.data[d->head];
		gst_op_id op = moment_of(s, knot);
		uint32_t share = gst_timing_share(s->t, op);

		if (d->is_full || (share >= WHOLE && d->running.count)) {
			break;
		}
		d->head++;
		gst_vec_push(&d->running,
			     ((struct running){.end = d->virtual_ns + gst_replay_duration(s->t, op),
					       .knot = knot,
					       .share = share}));
		d->sum += share;
		d->is_full = share >= WHOLE;
		/* Begins count by the end they would lead to. */
		tell(s, knot, true, d->last_ns + gst_replay_duration(s->t, op));
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
		tell(s, r.knot, false, now);
	}
	d->running.count = kept;
	start_queued(s, device);
}

/* What the call itself gains that returns at @knot. */
static int64_t own_gain(const struct sim *s, uint32_t knot)
{
	const struct gst_change *c = s->plan->changes;
	uint32_t low = 0, high = s->plan->change_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (c[mid].knot < s->first + knot ||
		    (c[mid].knot == s->first + knot && c[mid].op != GST_NONE)) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low < s->plan->change_count && c[low].knot == s->first + knot ? c[low].ns : 0;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static void settle(struct sim *s)
{
	const struct gst_timing *t = s->t;

	while (s->ready.count) {
		uint32_t i = s->ready.data[--s->ready.count];
		gst_moment_id p = moment_of(s, i);
		int64_t gain_ns = s->gained[i], end;

		if (gain_ns == INT64_MAX) {
			gain_ns = 0; /* nothing is left that releases it */
		} else if (s->plan->change_count) {
			gain_ns = sum_of(gain_ns, own_gain(s, i));
		}
		if (gst_replay_spins(t, p)) {
			gain_ns = gain_ns > 0 ? 0 : gain_ns;
		}
		end = end_of(s, i) - gain_ns;
		if (p < t->m->op_count && t->m->ops[p].kind == GST_OP_KERNEL &&
		    (t->m->ops[p].flags & GST_OP_TIMED) && !gst_replay_spins(t, p) &&
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

void gst_replay_turn_round(const struct gst_timing *t, uint32_t process,
			   struct gst_replay_outs *out)
{
	const struct gst_knots *k = &t->knots;
	uint32_t first = k->process_first[process];
	uint32_t count = k->process_first[process + 1] - first;
	uint32_t begin = k->arc_begin[first], arcs = k->arc_begin[first + count] - begin;
	uint32_t *next;

	out->begin = GST_ARENA_ARRAY(out->arena, uint32_t, (size_t)count + 2);
	out->arcs = GST_ARENA_ARRAY(out->arena, uint32_t, arcs);
	out->targets = GST_ARENA_ARRAY(out->arena, uint32_t, arcs);
	next = out->begin + 1;
	for (uint32_t j = begin; j < begin + arcs; j++) {
		next[(k->arcs[j].from & ~GST_ARC_BEGINS) - first + 1]++;
	}
	for (uint32_t i = 1; i <= count; i++) {
		next[i] += next[i - 1];
	}
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = k->arc_begin[first + i]; j < k->arc_begin[first + i + 1]; j++) {
			uint32_t at = next[(k->arcs[j].from & ~GST_ARC_BEGINS) - first]++;
			out->arcs[at] = j;
			out->targets[at] = i;
		}
	}
}

/* The cut: what each knot waits for then. */
static void apply(struct sim *s, uint32_t count, struct gst_arena *scratch)
{
	const struct gst_knots *k = &s->t->knots;

	for (uint32_t i = 0; i < count; i++) {
		s->waits[i] = k->arc_begin[s->first + i + 1] - k->arc_begin[s->first + i];
	}
	for (uint32_t i = 0; i < s->plan->arc_count; i++) {
		uint32_t arc = s->plan->arcs[i].arc - s->first_arc;

		s->is_cut[arc / 64] |= UINT64_C(1) << arc % 64;
		s->waits[s->plan->arcs[i].knot - s->first]--;
	}
	s->added = GST_ARENA_ARRAY(scratch, struct gst_sort_item, s->plan->change_count);
	for (uint32_t i = 0; i < s->plan->change_count; i++) {
		const struct gst_change *c = &s->plan->changes[i];

		if (c->op != GST_NONE) {
			s->added[s->added_count].key = c->op - s->first;
			s->added[s->added_count++].value = i;
			s->waits[c->knot - s->first]++;
		}
	}
	gst_sort_items(s->added, s->added_count);
}

int64_t gst_replay_shared(const struct gst_timing *t, const struct gst_replay_outs *outs,
			  const struct gst_replay_plan *plan, uint32_t process)
{
	const struct gst_knots *k = &t->knots;
	struct gst_arena *scratch = gst_arena_new(0);
	struct sim s = {.t = t, .plan = plan, .outs = outs, .first = k->process_first[process]};
	uint32_t count = k->process_first[process + 1] - s.first;
	uint32_t arcs = k->arc_begin[s.first + count] - k->arc_begin[s.first];

	s.first_arc = k->arc_begin[s.first];
	s.is_cut = GST_ARENA_ARRAY(scratch, uint64_t, (size_t)arcs / 64 + 1);
	s.gained = GST_ARENA_ARRAY(scratch, int64_t, count);
	s.waits = GST_ARENA_ARRAY(scratch, uint32_t, count);
	s.devices = GST_ARENA_ARRAY(scratch, struct device, t->m->device_count);
	apply(&s, count, scratch);
	for (uint32_t i = 0; i < count; i++) {
		s.gained[i] = INT64_MAX;
	}
	for (uint32_t i = count; i-- > 0;) {
		if (s.waits[i] == 0) {
			gst_vec_push(&s.ready, i);
		}
	}
	settle(&s);
	while (s.heap.count) {
		struct event e = heap_pop(&s);
		if (e.device == GST_NONE) {
			uint32_t device = gst_timing_device(t, moment_of(&s, e.id));
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
	gst_arena_free(scratch);
	return s.last;
}
