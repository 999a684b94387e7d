/*
 * memory_rules.c - rules of what streams do to memory: batches of copies, waits for values, marked memory.
 *
 * Role      : rules.c calls these, op by op; docs/ORDERING.md has a section for each rule.
 * Method    : writes of values are listed by address before the walk. A wait stands on the earliest write that
 *             satisfies it, if every other one that does comes after that in its stream: whichever of them it
 *             saw, that first one was done.
 *
 *                 stream 1   A ==> write 1 ==> B ==> write 2
 *                                      \
 *                 stream 2              ====> wait >= 1 ==> C
 *
 * Invariant : no time is read; what is in memory before, or comes from a kernel or the host, is not known:
 *             such an edge is possible, never documented. Edges go from an earlier call to a later one.
 * Not here  : whether the timestamps bear it out (analyzer/timing).
 */
#include "analyzer/base/assert.h"
#include "analyzer/order/order_internal.h"

#define WRITES_MAX 4096u /* to one address, looked at for one wait */

static uint32_t process_of(const struct gst_order_builder *b, gst_op_id op)
{
	return b->m->threads[b->m->calls[b->m->ops[op].call].thread].process;
}

static const struct gst_memop *memop_of(const struct gst_order_builder *b, gst_op_id op)
{
	const struct gst_op *o = &b->m->ops[op];

	return o->kind == GST_OP_MEMOP && o->detail != GST_NONE ? &b->m->memops[o->detail] : NULL;
}

static bool is_wide(const struct gst_memop *x)
{
	return x->type == GST_MEMOP_WAIT_64 || x->type == GST_MEMOP_WRITE_64;
}

static bool is_wait(const struct gst_memop *x)
{
	return x->type == GST_MEMOP_WAIT_32 || x->type == GST_MEMOP_WAIT_64;
}

static bool is_write(const struct gst_memop *x)
{
	return x->type == GST_MEMOP_WRITE_32 || x->type == GST_MEMOP_WRITE_64;
}

/* Does the value that @write writes end @wait? */
static bool satisfies(const struct gst_memop *write, const struct gst_memop *wait)
{
	uint64_t mask = is_wide(wait) ? UINT64_MAX : UINT32_MAX;
	uint64_t sign = is_wide(wait) ? UINT64_C(1) << 63 : UINT64_C(1) << 31;

	switch (wait->flags & GST_WAIT_COMPARE) {
	case GST_WAIT_GEQ:
		return !((write->value - wait->value) & sign);
	case GST_WAIT_EQ:
		return !((write->value ^ wait->value) & mask);
	case GST_WAIT_AND:
		return (write->value & wait->value & mask) != 0;
	default:
		return (~(write->value | wait->value) & mask) != 0;
	}
}

static struct gst_value_list *list_of(struct gst_order_builder *b, uint32_t process,
				      uint64_t address)
{
	uint32_t next = (uint32_t)b->value_lists.count;
	bool is_new;
	uint32_t at = *gst_map_add(&b->processes[process].values, address, next, &is_new);

	if (is_new)
		gst_vec_push(&b->value_lists,
			     ((struct gst_value_list){
				     .first = GST_NONE, .last = GST_NONE, .is_chain = true}));
	return &b->value_lists.data[at];
}

static void add_write(struct gst_order_builder *b, gst_op_id op, const struct gst_memop *x)
{
	uint32_t process = process_of(b, op);
	struct gst_value_list *l = list_of(b, process, x->address);
	uint32_t id = (uint32_t)b->value_writes.count;

	gst_vec_push(&b->value_writes, ((struct gst_value_write){.op = op, .next = GST_NONE}));
	if (l->count) {
		gst_op_id before = b->value_writes.data[l->last].op;
		const struct gst_op *p = &b->m->ops[before];
		const struct gst_op *o = &b->m->ops[op];

		l->is_mixed |= is_wide(memop_of(b, before)) != is_wide(x);
		l->is_chain &= o->stream != GST_NONE && p->stream == o->stream &&
			       gst_order_accepted(b, p->call, o->call) == GST_ACCEPTED_BEFORE;
		b->value_writes.data[l->last].next = id;
	} else {
		l->first = id;
	}
	l->last = id;
	l->count++;
	/* Its upper half is another address: what waits there cannot be matched. */
	if (is_wide(x))
		list_of(b, process, x->address + 4)->is_mixed = true;
}

void gst_order_find_values(struct gst_order_builder *b)
{
	for (gst_op_id op = 0; op < b->m->op_count && b->m->memop_count; op++) {
		const struct gst_memop *x = memop_of(b, op);

		if (x && is_write(x))
			add_write(b, op, x);
	}
}

/* The write that @wait stands on; GST_NONE = not known, or its own stream's (*is_own). */
static gst_op_id find_write(struct gst_order_builder *b, gst_op_id wait, bool *is_own)
{
	const struct gst_op *w = &b->m->ops[wait];
	const struct gst_memop *x = memop_of(b, wait);
	struct gst_map *values = &b->processes[process_of(b, wait)].values;
	const struct gst_value_list *l;
	gst_op_id found = GST_NONE;
	uint32_t left = WRITES_MAX;
	uint32_t half;
	uint32_t at;

	*is_own = false;
	if (!gst_map_get(values, x->address, &at))
		return GST_NONE;
	l = &b->value_lists.data[at];
	if (l->is_mixed || !l->count ||
	    is_wide(memop_of(b, b->value_writes.data[l->first].op)) != is_wide(x))
		return GST_NONE;
	/* Half of what it waits for is written alone. */
	if (is_wide(x) && gst_map_get(values, x->address + 4, &half) &&
	    b->value_lists.data[half].count)
		return GST_NONE;
	for (uint32_t i = l->first; i != GST_NONE; i = b->value_writes.data[i].next) {
		gst_op_id op = b->value_writes.data[i].op;
		const struct gst_op *o = &b->m->ops[op];

		if (!left--)
			return GST_NONE;
		if (!satisfies(memop_of(b, op), x))
			continue;
		if (o->stream == w->stream && o->stream != GST_NONE) {
			enum gst_accepted when =
				o->call == w->call
					? (op < wait ? GST_ACCEPTED_BEFORE : GST_ACCEPTED_AFTER)
					: gst_order_accepted(b, o->call, w->call);

			if (when == GST_ACCEPTED_AFTER)
				continue;
			*is_own = when == GST_ACCEPTED_BEFORE;
			return GST_NONE;
		}
		if (found == GST_NONE) {
			found = op;
			/* What follows in the list follows in its stream. */
			if (l->is_chain)
				break;
		} else if (b->m->ops[found].stream != o->stream || o->stream == GST_NONE ||
			   gst_order_accepted(b, b->m->ops[found].call, o->call) !=
				   GST_ACCEPTED_BEFORE) {
			return GST_NONE;
		}
	}
	return found;
}

/* M4: a wait for a value comes after the write of that value, as far as one can tell. */
void gst_order_rule_m4(struct gst_order_builder *b, gst_op_id op)
{
	const struct gst_memop *x = memop_of(b, op);
	gst_op_id write;
	bool is_own;

	if (!x || !is_wait(x))
		return;
	write = find_write(b, op, &is_own);
	if (is_own) {
		b->o->stats.dropped_implied++; /* S1 */
		return;
	}
	if (write != GST_NONE && memop_of(b, write)->flags & GST_WRITE_NO_BARRIER)
		write = GST_NONE;
	if (write != GST_NONE) {
		gst_call_id from = b->m->ops[write].call;
		gst_call_id to = b->m->ops[op].call;
		enum gst_accepted when = gst_order_accepted(b, from, to);

		if (when == GST_ACCEPTED_BEFORE) {
			gst_order_add_edge(b, write, op, GST_RULE_M4, GST_POSSIBLE, GST_END_BEGIN,
					   0);
			return;
		}
		if (when == GST_ACCEPTED_AMBIGUOUS)
			gst_order_note_pair(b, from, to);
	}
	b->o->stats.unmatched_values++;
}

/* ---- M3 ------------------------------------------------------------------------------------------------------ */

#define BATCH_MAX 64u /* more copies than this of one batch are joined in a barrier point */

bool gst_order_rule_m3(struct gst_order_builder *b, gst_op_id op, const struct gst_lane *lane,
		       uint32_t *version)
{
	const struct gst_op *o = &b->m->ops[op];
	const struct gst_call *c = &b->m->calls[o->call];
	const struct gst_op *first = &b->m->ops[c->first_op];
	size_t end;

	if (!(c->api_flags & GST_API_BATCH) || o->kind != GST_OP_MEMCPY ||
	    b->m->streams[o->stream].kind == GST_STREAM_KIND_LEGACY)
		return false;
	/* Its source may be read at any time from the call on: after nothing in its stream. */
	if (c->flags & (GST_CALL_EARLY_SOURCE | GST_CALL_TOLD))
		return true;
	if (op == c->first_op) {
		b->batch_first_edge = b->edges.count;
		return false;
	}
	if (first->stream != o->stream)
		return false;
	if (op == c->first_op + 1)
		b->batch_end_edge = b->edges.count;
	/* The others come after what the first one comes after, and not after each other. */
	if (b->op_before[c->first_op] != GST_NONE)
		gst_order_add_work(b, b->op_before[c->first_op] & ~GST_BEFORE_F1, op, GST_RULE_M3);
	end = b->batch_end_edge;
	for (size_t i = b->batch_first_edge; i < end; i++) {
		struct gst_stored_edge e = b->edges.data[i];

		if (e.to == c->first_op && e.form == GST_END_BEGIN)
			gst_order_add_edge(b, e.from, op, GST_RULE_M3,
					   (enum gst_strength)e.strength, GST_END_BEGIN, 0);
	}
	*version = lane->front ? b->pool.data[lane->front].aux : 0;
	return true;
}

void gst_order_join_batch(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];
	const struct gst_op *first = &b->m->ops[c->first_op];
	struct gst_lane *lane;
	gst_node_id barrier;
	uint32_t version = 0;

	if (c->cls != GST_API_CLASS_COPY || c->op_count <= BATCH_MAX || first->stream == GST_NONE)
		return;
	lane = &b->lanes[first->stream];
	barrier = gst_order_add_barrier(b, node_of_call(b, call));
	while (lane->front && b->pool.data[lane->front].call == call) {
		struct gst_front f = b->pool.data[lane->front];

		gst_order_add_work(b, f.node, barrier, GST_RULE_M3);
		version = f.aux;
		gst_order_pop(b, &lane->front);
	}
	gst_order_push(b, &lane->front,
		       (struct gst_front){
			       .node = barrier,
			       .call = call,
			       .aux = version,
			       .is_chain = !(c->flags & (GST_CALL_EARLY_SOURCE | GST_CALL_TOLD))});
}

/* ---- M7 ------------------------------------------------------------------------------------------------------ */

#define ATTRIBUTE_SYNC_MEMOPS 6u    /* of a pointer */
#define FLAG_SYNC_MEMOPS      0x80u /* of a context */

static const struct gst_api *other_api(const struct gst_call *c)
{
	return c->cls == GST_API_CLASS_OTHER ? gst_api_find(c->api) : NULL;
}

void gst_order_find_marks(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_api *api = other_api(&b->m->calls[call]);

	if (api && api->layout == GST_PARAMS_POINTER_ATTRIBUTE)
		b->processes[b->m->threads[b->m->calls[call].thread].process].has_marks = true;
}

/* From here on @address, and the allocation that begins there, is marked, or no longer. */
static void mark(struct gst_order_builder *b, uint32_t process, uint64_t address, bool is_on)
{
	uint32_t size = 1; /* an allocation that is not known, or only a place inside one */

	(void)gst_map_get(&b->processes[process].sizes, address, &size);
	for (size_t i = 0; i < b->marks.count; i++) {
		struct gst_mark *m = &b->marks.data[i];

		if (m->process == process && m->base == address) {
			*m = b->marks.data[--b->marks.count];
			break;
		}
	}
	if (is_on && b->marks.count < MARKS_MAX)
		gst_vec_push(&b->marks, ((struct gst_mark){process, address, size}));
}

void gst_order_note_marks(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->m->args[c->args];
	uint32_t process = b->m->threads[c->thread].process;
	struct gst_order_process *p = &b->processes[process];
	const struct gst_api *api;

	if ((c->flags & GST_CALL_RETURNED && c->result) || !args)
		return;
	switch (c->cls) {
	case GST_API_CLASS_CTX_CREATE:
		if (c->ctx != GST_NONE && args->flags & FLAG_SYNC_MEMOPS)
			b->contexts[c->ctx].is_sync_memops = true;
		break;
	case GST_API_CLASS_ALLOC:
		if (p->has_marks && args->a)
			gst_map_put(&p->sizes, args->a,
				    args->bytes < UINT32_MAX ? (uint32_t)args->bytes : UINT32_MAX);
		break;
	case GST_API_CLASS_FREE:
		if (p->has_marks && args->a) {
			mark(b, process, args->a, false);
			(void)gst_map_remove(&p->sizes, args->a);
		}
		break;
	case GST_API_CLASS_OTHER:
		api = other_api(c);
		if (!api)
			break;
		if (api->layout == GST_PARAMS_POINTER_ATTRIBUTE &&
		    args->flags == ATTRIBUTE_SYNC_MEMOPS) {
			mark(b, process, args->a, args->b != 0);
		} else if (c->ctx != GST_NONE && (api->layout == GST_PARAMS_CTX_FLAGS ||
						  api->layout == GST_PARAMS_DEVICE_FLAGS)) {
			b->contexts[c->ctx].is_sync_memops = args->flags & FLAG_SYNC_MEMOPS;
		}
		break;
	default:
		break;
	}
}

bool gst_order_is_marked(const struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->m->args[c->args];
	uint32_t process = b->m->threads[c->thread].process;

	if (c->ctx != GST_NONE && b->contexts[c->ctx].is_sync_memops)
		return true;
	for (size_t i = 0; i < b->marks.count && args; i++) {
		const struct gst_mark *m = &b->marks.data[i];

		/* The source of a memset is none. */
		if (m->process == process &&
		    ((args->a && args->a - m->base < m->size) ||
		     (c->cls == GST_API_CLASS_COPY && args->b && args->b - m->base < m->size)))
			return true;
	}
	return false;
}
