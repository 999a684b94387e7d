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

struct running {
	int64_t end; /* on the virtual clock */
	gst_op_id op;
	uint32_t share;
};

struct device {
	int64_t virtual_ns, last_ns; /* the virtual clock, and the moment for which it holds */
	uint64_t sum;		     /* of the shares of what runs */
	uint32_t version;	     /* of the one tick that counts */
	bool is_full;		     /* a kernel that fills it runs */
	GST_VEC(struct running) running;
	GST_VEC(gst_op_id) queue;
	size_t head;
};

/* An op that may start (device = GST_NONE), or the next end on a device. */
struct event {
	int64_t ns;
	uint32_t id; /* op, or device's version */
	uint32_t device;
};

struct sim {
	const struct gst_timing *t;
	const struct gst_cut *cut;
	const uint8_t *is_cut;
	int64_t *reached; /* [moments] latest of the edges so far; INT64_MIN */
	uint32_t *waits;  /* [moments] edges still to come */
	int64_t makespan;
	struct device *devices;
	GST_VEC(struct event) heap;
	GST_VEC(gst_moment_id) ready; /* released, not yet looked at */
	struct gst_sort_item *added;  /* [added_count] waits of the cut, by op */
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

static bool counts(const struct sim *s, gst_edge_id e)
{
	return !((s->is_cut[e / 8] >> (e % 8)) & 1) && gst_timing_in_force(s->t, e);
}

static void release(struct sim *s, gst_moment_id p, int64_t at)
{
	if (at > s->reached[p]) {
		s->reached[p] = at;
	}
	if (--s->waits[p] == 0) {
		gst_vec_push(&s->ready, p);
	}
}

static void tell_added(struct sim *s, gst_op_id op, int64_t at);

/* Tell the edges out of @p that hang on its begin, or all others, that it came at @at (INT64_MIN: unknown). */
static void tell(struct sim *s, gst_moment_id p, bool begins, int64_t at)
{
	const struct gst_timing *t = s->t;
	bool is_exit = gst_moment_is_exit(t, p);
	gst_node_id node = is_exit ? t->m->op_count + (p - t->node_count) : p;
	uint32_t count;
	const gst_edge_id *out = gst_order_out(t->o, node, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct gst_edge *e = gst_order_edge(t->o, out[i]);

		if (gst_moment_from(t, e) != p || !counts(s, out[i]) ||
		    (e->form == GST_BEGIN_BEGIN) != begins) {
			continue;
		}
		release(s, gst_moment_to(t, e),
			at == INT64_MIN ? at : gst_replay_sum(at, gst_replay_weight(t, out[i])));
	}
	if (begins) {
		return;
	}
	s->makespan = at > s->makespan ? at : s->makespan;
	tell_added(s, p, at);
	if (!is_exit && gst_node_is_call(t->o, node)) {
		gst_call_id c = node - t->m->op_count;
		release(s, gst_moment_of_exit(t, c),
			gst_call_has_enter(&t->m->calls[c]) ? at : INT64_MIN);
	}
	if (p < t->m->op_count && t->m->ops[p].kind == GST_OP_MEMCPY &&
	    t->m->ops[p].detail != GST_NONE && t->engine_next[t->m->ops[p].detail] != GST_NONE) {
		release(s, t->engine_next[t->m->ops[p].detail], at);
	}
}

/* The same to the calls that the cut makes wait for op @op. */
static void tell_added(struct sim *s, gst_op_id op, int64_t at)
{
	uint32_t low = 0, high = s->added_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (s->added[mid].key < op) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	for (; low < s->added_count && s->added[low].key == op; low++) {
		release(s, gst_moment_of_exit(s->t, s->added[low].value), at);
	}
}

static void finish(struct sim *s, gst_moment_id p, int64_t begin, int64_t end)
{
	tell(s, p, true, begin);
	tell(s, p, false, end);
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
		gst_op_id op = d->queue.data[d->head];
		uint32_t share = gst_timing_share(s->t, op);

		if (d->is_full || (share >= WHOLE && d->running.count)) {
			break;
		}
		d->head++;
		gst_vec_push(&d->running,
			     ((struct running){.end = d->virtual_ns + gst_replay_duration(s->t, op),
					       .op = op,
					       .share = share}));
		d->sum += share;
		d->is_full = share >= WHOLE;
		tell(s, op, true, d->last_ns);
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
		tell(s, r.op, false, now);
	}
	d->running.count = kept;
	start_queued(s, device);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static int64_t observed_begin(const struct gst_timing *t, gst_moment_id p)
{
	const struct gst_model *m = t->m;

	if (gst_moment_is_exit(t, p)) {
		const struct gst_call *c = &m->calls[p - t->node_count];
		return gst_call_has_exit(c) ? (int64_t)c->exit_ns : INT64_MIN;
	}
	if (p < m->op_count && (m->ops[p].flags & GST_OP_TIMED)) {
		return (int64_t)m->ops[p].begin_ns;
	}
	if (gst_node_is_call(t->o, p)) {
		const struct gst_call *c = &m->calls[p - m->op_count];
		return gst_call_has_enter(c) ? (int64_t)c->enter_ns : INT64_MIN;
	}
	return t->seen_ns[p] == GST_TIME_UNKNOWN ? INT64_MIN : (int64_t)t->seen_ns[p];
}

static void settle(struct sim *s)
{
	const struct gst_timing *t = s->t;

	while (s->ready.count) {
		gst_moment_id p = s->ready.data[--s->ready.count];
		int64_t at = observed_begin(t, p), end;

		if (at == INT64_MIN) {
			finish(s, p, INT64_MIN, INT64_MIN);
			continue;
		}
		if (s->reached[p] != INT64_MIN) {
			at = gst_replay_sum(s->reached[p], gst_replay_delay(t, s->cut, p));
		}
		if (p < t->m->op_count && t->m->ops[p].kind == GST_OP_KERNEL &&
		    (t->m->ops[p].flags & GST_OP_TIMED) && !gst_replay_spins(t, p) &&
		    gst_timing_device(t, p) != GST_NONE) {
			heap_push(s, (struct event){.ns = at, .id = p, .device = GST_NONE});
			continue;
		}
		end = gst_replay_sum(at, gst_replay_duration(t, p));
		if (gst_replay_spins(t, p) && (t->m->ops[p].flags & GST_OP_TIMED) &&
		    end < (int64_t)t->m->ops[p].end_ns) {
			end = (int64_t)t->m->ops[p].end_ns;
		}
		finish(s, p, at, end);
	}
}

static void count_waits(struct sim *s)
{
	const struct gst_timing *t = s->t;

	for (gst_edge_id e = 0; e < t->edge_count; e++) {
		if (counts(s, e)) {
			s->waits[gst_moment_to(t, gst_order_edge(t->o, e))]++;
		}
	}
	for (gst_call_id c = 0; c < t->m->call_count; c++) {
		s->waits[gst_moment_of_exit(t, c)]++;
	}
	for (uint32_t i = 0; i < t->m->copy_count; i++) {
		if (t->engine_next[i] != GST_NONE) {
			s->waits[t->engine_next[i]]++;
		}
	}
	for (uint32_t i = 0; i < s->cut->wait_count; i++) {
		const struct gst_wait *w = &s->cut->waits[i];
		s->waits[gst_moment_of_exit(t, w->call)]++;
		s->added[s->added_count++] = (struct gst_sort_item){.key = w->op, .value = w->call};
	}
	gst_sort_items(s->added, s->added_count);
}

int64_t gst_replay_shared(const struct gst_timing *t, const struct gst_cut *cut,
			  const uint8_t *is_cut, struct gst_arena *scratch)
{
	struct sim s = {.t = t, .cut = cut, .is_cut = is_cut};

	s.reached = GST_ARENA_ARRAY(scratch, int64_t, t->moment_count);
	s.waits = GST_ARENA_ARRAY(scratch, uint32_t, t->moment_count);
	s.added = GST_ARENA_ARRAY(scratch, struct gst_sort_item, cut->wait_count);
	s.devices = GST_ARENA_ARRAY(scratch, struct device, t->m->device_count);
	count_waits(&s);
	for (gst_moment_id p = 0; p < t->moment_count; p++) {
		s.reached[p] = INT64_MIN;
	}
	for (gst_moment_id p = t->moment_count; p-- > 0;) {
		if (s.waits[p] == 0) {
			gst_vec_push(&s.ready, p);
		}
	}
	settle(&s);
	while (s.heap.count) {
		struct event e = heap_pop(&s);
		if (e.device == GST_NONE) {
			uint32_t device = gst_timing_device(t, e.id);
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
	return s.makespan;
}
