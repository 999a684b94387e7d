/*
 * timing.c - what all of timing/ stands on: copy engines, kernel sizes.
 *
 * Role      : gst_timing_build; the small questions (source, share) that others ask of it.
 * Method    : a copy engine is an edge from each copy to the next one of the same device and direction that
 *             began after it had ended, as observed.
 * Invariant : an edge of an engine joins copies that did not overlap.
 * Not here  : the order of moments (moments.c), which edges hold (evidence.c), what if they did not (replay.c).
 */
#include "analyzer/timing/timing_internal.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/vec.h"

/* Kernels that wait for kernels of other devices: a replay never lets them end earlier. */
static const char *const spinning[] = {"nccl", "nvshmem", "NCCL", "rccl"};

uint32_t gst_timing_device(const struct gst_timing *t, gst_op_id op)
{
	gst_stream_id s = t->m->ops[op].stream;
	uint32_t ctx;

	if (s == GST_NONE) {
		return GST_NONE;
	}
	ctx = t->m->streams[s].ctx;
	return ctx == GST_NONE ? GST_NONE : t->m->contexts[ctx].device;
}

/* ---- copy engines --------------------------------------------------------------------------------- */

struct engine_copy {
	uint32_t engine;
	gst_op_id op;
};

/* Device and direction of a copy; GST_NONE where no engine of its own moves it. */
static uint32_t engine_of(const struct gst_timing *t, gst_op_id op)
{
	const struct gst_op *x = &t->m->ops[op];
	uint32_t device;

	if (x->kind != GST_OP_MEMCPY || x->detail == GST_NONE || !(x->flags & GST_OP_TIMED)) {
		return GST_NONE;
	}
	device = gst_timing_device(t, op);
	if (device == GST_NONE) {
		return GST_NONE;
	}
	switch (t->m->copies[x->detail].copy_kind) {
	case GST_COPY_HTOD:
	case GST_COPY_HTOA:
		return device * 2;
	case GST_COPY_DTOH:
	case GST_COPY_ATOH:
		return device * 2 + 1;
	default: /* copies on the device run on multiprocessors; the others' engine is not known */
		return GST_NONE;
	}
}

void gst_timing_forget_engines(struct gst_timing *t)
{
	memset(t->engine_next, 0xff, t->m->copy_count * sizeof(*t->engine_next));
	memset(t->engine_prev, 0xff, t->m->copy_count * sizeof(*t->engine_prev));
}

static void take_turned(struct gst_timing *t, struct gst_sort_item *items, size_t count)
{
	gst_op_id *ops = GST_ARENA_ARRAY(t->own, gst_op_id, count);

	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		ops[i] = (gst_op_id)items[i].key;
	}
	t->turned_copies = ops;
	t->turned_copy_count = (uint32_t)count;
}

static void find_engines(struct gst_timing *t)
{
	GST_VEC(struct gst_sort_item) items = {0}, turned = {0};
	GST_VEC(uint32_t) last = {0};
	const struct gst_model *m = t->m;

	gst_timing_forget_engines(t);
	for (gst_op_id i = 0; i < m->op_count && m->copy_count; i++) {
		uint32_t engine = engine_of(t, i);
		if (engine != GST_NONE) {
			gst_vec_push(&items, ((struct gst_sort_item){.key = m->ops[i].begin_ns,
								     .value = i,
								     .extra = engine}));
		}
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < (size_t)m->device_count * 2; i++) {
		gst_vec_push(&last, GST_NONE);
	}
	for (size_t i = 0; i < items.count; i++) {
		uint32_t *before = &last.data[items.data[i].extra];
		const struct gst_op *b = &m->ops[items.data[i].value];

		if (*before != GST_NONE) {
			const struct gst_op *a = &m->ops[*before];
			/* Copies that overlapped had an engine each. */
			if (a->end_ns <= b->begin_ns) {
				t->engine_next[a->detail] = items.data[i].value;
				t->engine_prev[b->detail] = *before;
				if (*before > items.data[i].value) {
					gst_vec_push(&turned, ((struct gst_sort_item){
								      .key = items.data[i].value}));
				}
			} else if (a->end_ns > b->end_ns) {
				continue;
			}
		}
		*before = items.data[i].value;
	}
	take_turned(t, turned.data, turned.count);
	gst_vec_free(&turned);
	gst_vec_free(&items);
	gst_vec_free(&last);
}

/* ---- sizes of kernels ----------------------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint32_t share_of(const struct gst_kernel *k, const struct gst_rec_device *d)
{
	uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1];
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	uint64_t warps = (threads + 31) / 32;
	uint64_t shared = (uint64_t)k->shared_static + k->shared_dynamic;
	uint64_t resident;

	if (blocks > UINT32_MAX) {
		return 1000000;
	}
	blocks *= k->grid[2];
	if (blocks == 0 || threads == 0 || d->sm_count == 0 || d->max_blocks_per_sm == 0 ||
	    d->max_warps_per_sm == 0) {
		return 1000000;
	}
	resident = least(d->max_blocks_per_sm, d->max_warps_per_sm / warps);
	if (d->max_registers_per_sm && k->registers) {
		resident = least(resident, d->max_registers_per_sm / (warps * 32 * k->registers));
	}
	if (d->max_shared_per_sm && shared) {
		resident = least(resident, d->max_shared_per_sm / shared);
	}
	if (resident == 0) {
		resident = 1; /* it did run */
	}
	resident *= d->sm_count;
	if (blocks >= resident) {
		return 1000000;
	}
	/* Rounded up: the share is a cautious number. */
	return (uint32_t)((blocks * 1000000 + resident - 1) / resident);
}

static void find_spinning(struct gst_timing *t)
{
	uint32_t count = gst_strtab_count(t->m->strings);

	for (uint32_t i = 0; i < count; i++) {
		const char *s = gst_strtab_get(t->m->strings, i, NULL);
		for (size_t j = 0; j < sizeof(spinning) / sizeof(spinning[0]); j++) {
			if (strstr(s, spinning[j])) {
				t->spins[i] = 1;
				t->has_spinning = true;
			}
		}
	}
}

uint32_t gst_timing_share(const struct gst_timing *t, gst_op_id op)
{
	const struct gst_op *x = &t->m->ops[op];
	uint32_t device;

	GST_ASSERT(op < t->m->op_count);
	if (x->kind != GST_OP_KERNEL || x->detail == GST_NONE) {
		return 1000000;
	}
	device = gst_timing_device(t, op);
	return device == GST_NONE ? 1000000
				  : share_of(&t->m->kernels[x->detail], &t->m->devices[device].rec);
}

/* ---- the public side ------------------------------------------------------------------------------- */

struct gst_timing *gst_timing_prepare(const struct gst_model *m)
{
	struct gst_arena *own = gst_arena_new(0);
	struct gst_timing *t = GST_ARENA_ARRAY(own, struct gst_timing, 1);

	t->own = own;
	t->m = m;
	t->engine_next = GST_ARENA_ARRAY(own, gst_op_id, m->copy_count);
	t->engine_prev = GST_ARENA_ARRAY(own, gst_op_id, m->copy_count);
	t->spins = GST_ARENA_ARRAY(own, uint8_t, gst_strtab_count(m->strings));
	t->latency_ns = GST_ARENA_ARRAY(own, uint64_t, GST_OP_KIND_COUNT);
	find_engines(t);
	gst_replay_find_latencies(t);
	gst_replay_count_own_exits(t);
	find_spinning(t);
	return t;
}

void gst_timing_drop(struct gst_timing *prepared)
{
	gst_arena_free(prepared->own);
}

static gst_status check_limits(const struct gst_model *m, const struct gst_order *o,
			       struct gst_err *err)
{
	uint64_t moments = (uint64_t)gst_order_node_count(o) + m->call_count;

	if (moments >= GST_ARC_BEGINS ||
	    (uint64_t)gst_order_edge_bound(o) + moments >= UINT32_MAX) {
		return gst_err_set(err, GST_E_LIMIT, "the trace has more than 2^31 ops and calls");
	}
	/* From here on times are added and subtracted as signed numbers. */
	if (m->end_ns > GST_TIMES_MAX_NS) {
		return gst_err_set(err, GST_E_FORMAT,
				   "the trace spans %" PRIu64 " ns, more than any run could last",
				   m->end_ns);
	}
	return GST_OK;
}

gst_status gst_timing_finish(struct gst_timing *prepared, const struct gst_order *o,
			     struct gst_arena *arena, const struct gst_timing **out,
			     struct gst_err *err)
{
	struct gst_timing *t = prepared;
	const struct gst_model *m = t->m;
	gst_status st = check_limits(m, o, err);

	if (st) {
		gst_timing_drop(t);
		return st;
	}
	gst_arena_adopt(arena, t->own);
	t->own = NULL;
	t->o = o;
	t->node_count = gst_order_node_count(o);
	t->moment_count = t->node_count + m->call_count;
	t->edge_count = gst_order_edge_bound(o);
	t->stored_base = gst_order_first_stored(o);
	t->edges = GST_ARENA_ARRAY(arena, uint8_t, t->edge_count - t->stored_base);
	t->seen = GST_ARENA_ARRAY(arena, uint64_t, t->node_count - m->call_count);
	t->vague = GST_ARENA_ARRAY(arena, uint8_t, t->node_count - m->call_count);
	t->place = GST_ARENA_ARRAY(arena, uint32_t, t->moment_count);
	t->baseline_ns = GST_ARENA_ARRAY(arena, int64_t, (size_t)m->process_count + 1);
	t->process_first = GST_ARENA_ARRAY(arena, uint32_t, (size_t)m->process_count + 2);
	gst_timing_init_evidence(t);
	gst_moments_find(t, arena);
	gst_timing_settle(t, arena);
	*out = t;
	return GST_OK;
}

gst_status gst_timing_build(const struct gst_model *m, const struct gst_order *o,
			    struct gst_arena *arena, const struct gst_timing **out,
			    struct gst_err *err)
{
	return gst_timing_finish(gst_timing_prepare(m), o, arena, out, err);
}

uint64_t gst_timing_steps(const struct gst_timing *t)
{
	return t->steps;
}

enum gst_strength gst_timing_strength(const struct gst_timing *t, gst_edge_id e)
{
	GST_ASSERT(e < t->edge_count);
	return gst_timing_strength_of(t, e);
}

bool gst_timing_source_ns(const struct gst_timing *t, gst_edge_id e, uint64_t *ns)
{
	const struct gst_edge edge = gst_order_edge(t->o, e);
	uint64_t at = gst_timing_source(t, &edge);

	if (at == GST_TIME_UNKNOWN) {
		return false;
	}
	*ns = at;
	return true;
}

bool gst_timing_is_exact(const struct gst_timing *t, gst_node_id node)
{
	GST_ASSERT(node < t->node_count);
	return !gst_timing_is_vague(t, node);
}

bool gst_timing_op_ns(const struct gst_timing *t, gst_op_id op, uint64_t *begin_ns,
		      uint64_t *end_ns)
{
	const struct gst_op *x = &t->m->ops[op];

	GST_ASSERT(op < t->m->op_count);
	if (x->flags & GST_OP_TIMED) {
		*begin_ns = gst_timing_begin(t, op);
		*end_ns = x->end_ns;
		return true;
	}
	if (gst_timing_seen(t, op) == GST_TIME_UNKNOWN) {
		return false;
	}
	*begin_ns = *end_ns = gst_timing_seen(t, op);
	return true;
}
