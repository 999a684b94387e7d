/*
 * memory_rules.c - rules of what streams do to memory: waits for values.
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
