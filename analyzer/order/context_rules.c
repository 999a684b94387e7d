/*
 * context_rules.c - rules of whole contexts and devices: events, ends, what holds calls and later work up.
 *
 * Role      : rules.c calls these; docs/ORDERING.md has a section for each rule.
 * Method    : what captures all lanes of a context goes through one barrier point. What holds up all later
 *             work of one is a gate: a list of one thing that stands on the gate before it, looked at by the
 *             first op of each lane that comes after it.
 *
 *                 lane 1   A ==\                        /==> C
 *                 lane 2   B ===> record of the context     D   ...   wait of the context ==> next of each lane
 *
 * Invariant : no time of an op is read; edges go from an earlier call to a later one.
 * Not here  : what `possible` edges came to (analyzer/timing).
 */
#include "analyzer/order/order_internal.h"

void gst_order_wait_for_contexts(struct gst_order_builder *b, gst_call_id call,
				 enum collector collector, enum gst_rule rule,
				 enum gst_strength strength)
{
	struct gst_order_ctx *ctx = &b->contexts[b->m->calls[call].ctx];
	gst_node_id greens;

	gst_order_wait_for_lanes(b, call, ctx, collector, rule, strength);
	if (ctx->green_count > GREENS_MAX) {
		greens = gst_order_join_greens(b, call, ctx, collector, rule);
		if (greens != GST_NONE)
			gst_order_add_wait(b, greens, call, rule, strength);
		return;
	}
	for (uint32_t i = ctx->first_green; i != GST_NONE; i = b->contexts[i].next_green)
		gst_order_wait_for_lanes(b, call, &b->contexts[i], collector, rule, strength);
}

/* ---- gates ------------------------------------------------------------------------------------------------ */

static const struct {
	enum gst_rule rule;
	enum gst_strength strength;
} gate_rules[GATE_COUNT] = {
	[GATE_WAIT] = {GST_RULE_E5, GST_DOCUMENTED},
	[GATE_LIMIT] = {GST_RULE_H7, GST_POSSIBLE},
};

static void push_gate(struct gst_order_builder *b, struct gst_order_ctx *ctx, enum gate_kind kind,
		      gst_node_id node, gst_call_id call)
{
	ctx->gate_versions[kind]++;
	gst_order_push(b, &ctx->gates[kind],
		       (struct gst_front){.node = node, .call = call, .is_chain = true});
}

/* @op comes after what holds up all work of @ctx. */
static void add_gates(struct gst_order_builder *b, gst_op_id op, struct gst_order_ctx *ctx,
		      enum gate_kind kind)
{
	(void)gst_order_collect(b, &ctx->gates[kind], b->m->ops[op].call);
	for (size_t i = b->preds.count; i-- > 0;)
		gst_order_add_edge(b, b->preds.data[i].node, op, gate_rules[kind].rule,
				   gate_rules[kind].strength, GST_END_BEGIN, 0);
}

void gst_order_rule_gates(struct gst_order_builder *b, gst_op_id op, struct gst_order_ctx *ctx,
			  struct gst_lane *lane)
{
	struct gst_order_ctx *primary =
		ctx->primary == GST_NONE ? NULL : &b->contexts[ctx->primary];

	for (unsigned kind = 0; kind < GATE_COUNT; kind++) {
		bool is_both = primary && kind == GATE_WAIT;
		/* Both only grow. */
		uint32_t version =
			ctx->gate_versions[kind] + (is_both ? primary->gate_versions[kind] : 0);

		if (lane->gates_seen[kind] == version) {
			b->o->stats.dropped_implied += version != 0;
			continue;
		}
		add_gates(b, op, ctx, (enum gate_kind)kind);
		if (is_both)
			add_gates(b, op, primary, (enum gate_kind)kind);
		/* With one thread what comes next in the lane comes after this op, and so after the gate. */
		if (b->is_one_thread)
			lane->gates_seen[kind] = version;
	}
}

/* ---- E5 ---------------------------------------------------------------------------------------------------- */

static void capture(struct gst_order_builder *b, gst_node_id all, gst_node_id record)
{
	if (all != GST_NONE)
		gst_order_add_work(b, all, record, GST_RULE_E5);
}

void gst_order_rule_e5_record(struct gst_order_builder *b, gst_op_id record)
{
	gst_call_id call = b->m->ops[record].call;
	struct gst_order_ctx *ctx = &b->contexts[b->m->calls[call].ctx];

	capture(b, gst_order_join_lanes(b, call, ctx, COLLECT_E5, GST_RULE_E5), record);
	if (ctx->green_count > GREENS_MAX) {
		capture(b, gst_order_join_greens(b, call, ctx, COLLECT_E5, GST_RULE_E5), record);
		return;
	}
	for (uint32_t i = ctx->first_green; i != GST_NONE; i = b->contexts[i].next_green)
		capture(b, gst_order_join_lanes(b, call, &b->contexts[i], COLLECT_E5, GST_RULE_E5),
			record);
}

/* Waits of one context stand on each other: what comes after one comes after all before it. */
static void stand_on(struct gst_order_builder *b, gst_op_id wait, struct gst_order_ctx *ctx)
{
	(void)gst_order_collect(b, &ctx->gates[GATE_WAIT], b->m->ops[wait].call);
	for (size_t i = b->preds.count; i-- > 0;)
		gst_order_add_work(b, b->preds.data[i].node, wait, GST_RULE_E5);
}

void gst_order_rule_e5_wait(struct gst_order_builder *b, gst_op_id wait)
{
	gst_call_id call = b->m->ops[wait].call;
	struct gst_order_ctx *ctx = &b->contexts[b->m->calls[call].ctx];

	/* Work of a green context waits for what its primary's does; not the other way round. */
	if (ctx->primary != GST_NONE)
		stand_on(b, wait, &b->contexts[ctx->primary]);
	stand_on(b, wait, ctx);
	push_gate(b, ctx, GATE_WAIT, wait, call);
}

/* ---- H7, H9, H10 -------------------------------------------------------------------------------------------- */

static bool says_nothing(const struct gst_call *c)
{
	return c->ctx == GST_NONE || c->flags & (GST_CALL_NO_ENTER | GST_CALL_CAPTURED) ||
	       (c->flags & GST_CALL_RETURNED && c->result);
}

void gst_order_rule_h7_loading(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];

	/* Loads are many, and what overlaps them seldom matters. */
	b->is_quiet = true;
	if (!says_nothing(c))
		gst_order_wait_for_lanes(b, call, &b->contexts[c->ctx], COLLECT_H7, GST_RULE_H7,
					 GST_POSSIBLE);
	b->is_quiet = false;
}

void gst_order_rule_h7_barrier(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];
	gst_node_id all;

	if (says_nothing(c))
		return;
	all = gst_order_join_lanes(b, call, &b->contexts[c->ctx], COLLECT_H7, GST_RULE_H7);
	if (all != GST_NONE)
		push_gate(b, &b->contexts[c->ctx], GATE_LIMIT, all, call);
}

void gst_order_rule_h9(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_model *m = b->m;

	while (b->next_queue_wait < m->queue_wait_count &&
	       m->queue_waits[b->next_queue_wait].call < call)
		b->next_queue_wait++;
	for (; b->next_queue_wait < m->queue_wait_count &&
	       m->queue_waits[b->next_queue_wait].call == call;
	     b->next_queue_wait++) {
		gst_op_id op = m->queue_waits[b->next_queue_wait].op;

		if (op != GST_NONE &&
		    gst_order_accepted(b, m->ops[op].call, call) == GST_ACCEPTED_BEFORE) {
			gst_order_add_wait(b, op, call, GST_RULE_H9, GST_POSSIBLE);
		} else {
			b->o->stats.unknown_queue_waits++;
		}
	}
}

void gst_order_rule_h10(struct gst_order_builder *b, gst_call_id call)
{
	if (!says_nothing(&b->m->calls[call]))
		gst_order_wait_for_contexts(b, call, COLLECT_H10, GST_RULE_H10, GST_POSSIBLE);
}

/* ---- M6 ------------------------------------------------------------------------------------------------------ */

#define DEVICES_MAX 64u /* of one launch */

static bool is_multi_device(const struct gst_order_builder *b, const struct gst_call *c,
			    uint32_t unless)
{
	return c->args != GST_NONE && c->op_count <= DEVICES_MAX &&
	       (b->m->args[c->args].flags & (GST_LAUNCH_FLAG_MULTI_DEVICE | unless)) ==
		       GST_LAUNCH_FLAG_MULTI_DEVICE;
}

/* Each kernel waits for what is in the streams of the others. */
void gst_order_rule_m6_before(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];

	if (!is_multi_device(b, c, GST_LAUNCH_FLAG_NO_PRE_SYNC))
		return;
	for (uint32_t i = 0; i < c->op_count; i++) {
		const struct gst_op *from = &b->m->ops[c->first_op + i];

		if (from->stream == GST_NONE)
			continue;
		(void)gst_order_collect_lane(b, &b->lanes[from->stream], call);
		for (uint32_t k = 0; k < c->op_count; k++) {
			if (b->m->ops[c->first_op + k].stream == from->stream)
				continue;
			for (size_t p = b->preds.count; p-- > 0;)
				gst_order_add_work(b, b->preds.data[p].node, c->first_op + k,
						   GST_RULE_M6);
		}
	}
}

/* What follows in any of the streams waits for the kernels in all. */
void gst_order_rule_m6_after(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];
	bool is_chain = is_multi_device(b, c, GST_LAUNCH_FLAG_NO_PRE_SYNC);

	if (!is_multi_device(b, c, GST_LAUNCH_FLAG_NO_POST_SYNC))
		return;
	for (uint32_t i = 0; i < c->op_count; i++) {
		const struct gst_op *to = &b->m->ops[c->first_op + i];
		bool is_first = is_chain;

		for (uint32_t k = 0; k < c->op_count && to->stream != GST_NONE; k++) {
			if (b->m->ops[c->first_op + k].stream == to->stream)
				continue;
			gst_order_push(b, &b->lanes[to->stream].joined,
				       (struct gst_front){.node = c->first_op + k,
							  .call = call,
							  .is_chain = is_first});
			is_first = false;
		}
	}
}

void gst_order_rule_m6_lane(struct gst_order_builder *b, gst_op_id op, struct gst_lane *lane)
{
	(void)gst_order_collect(b, &lane->joined, b->m->ops[op].call);
	for (size_t i = b->preds.count; i-- > 0;) {
		/* Its own launch's other kernels are no predecessors of it. */
		if (b->preds.data[i].call != b->m->ops[op].call)
			gst_order_add_work(b, b->preds.data[i].node, op, GST_RULE_M6);
	}
	/* With one thread what comes next in the lane comes after this op. */
	while (b->is_one_thread && lane->joined)
		gst_order_pop(b, &lane->joined);
}
