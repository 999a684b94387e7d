/*
 * rules.c - the ordering rules: one function a rule, each adds the edges that the rule gives.
 *
 * Role      : order.c runs this once; docs/ORDERING.md has a section for each rule.
 * Method    : one walk over the calls in submission order. Lists of "last things" (frontiers) stand for all
 *             that came before: a lane's, an event's records, a graph's launches. They hold more than
 *             one thing only where calls of threads overlap or a launch was programmatic.
 * Invariant : no time of an op is read; gst_model_accepted says BEFORE for both ends of each edge, or
 *             there is no edge. Each op enters and leaves a frontier once: the walk is linear.
 * Not here  : what became of `possible` edges (analyzer/timing).
 */
#include "analyzer/base/assert.h"
#include "analyzer/order/order_internal.h"

#define EVENT_INTERPROCESS 4u /* flag of an event's creation */
#define PAIRS_LISTED_MAX   1000u
#define PAIRS_KNOWN_MAX	   (1u << 20)
#define LIST_MAX	   128u /* things in one list; only calls of so many threads at once can be more */

/* Does an edge of the call under way lead to what was submitted after its source, without a doubt? */
static bool is_forward(const struct gst_order_builder *b, gst_node_id from, gst_node_id to)
{
	uint32_t ops = b->m->op_count;

	if (to < ops)
		return from < ops ? from < to : to >= b->first_op;
	if (to < b->o->v.barrier_base) /* the exit of this call, or the enter after another exit */
		return from >= ops || from < b->end_op;
	return from < ops ? from < b->first_op : from < to;
}

void gst_order_add_edge(struct gst_order_builder *b, gst_node_id from, gst_node_id to,
			enum gst_rule rule, enum gst_strength strength, enum gst_form form,
			uint8_t flags)
{
	struct gst_stored_edge e = {.from = from,
				    .to = to,
				    .rule = (uint8_t)rule,
				    .strength = (uint8_t)strength,
				    .form = (uint8_t)form,
				    .flags = flags};

	gst_vec_push(&b->edges, e);
	b->o->stats.per_rule[rule]++;
	if (!is_forward(b, from, to))
		gst_vec_push(&b->backward, e);
}

void gst_order_add_work(struct gst_order_builder *b, gst_node_id from, gst_node_id to,
			enum gst_rule rule)
{
	gst_order_add_edge(b, from, to, rule, GST_DOCUMENTED, GST_END_BEGIN, 0);
}

void gst_order_add_wait(struct gst_order_builder *b, gst_node_id from, gst_call_id call,
			enum gst_rule rule, enum gst_strength strength)
{
	gst_order_add_edge(b, from, node_of_call(b, call), rule, strength, GST_END_EXIT, 0);
}

gst_node_id gst_order_add_barrier(struct gst_order_builder *b, gst_node_id owner)
{
	gst_vec_push(&b->owners, owner);
	return b->o->v.barrier_base + (uint32_t)b->owners.count - 1;
}

/* ---- frontiers ----------------------------------------------------------------------------------------- */

uint32_t gst_order_new_front(struct gst_order_builder *b)
{
	if (!b->pool.count)
		gst_vec_push(&b->pool, (struct gst_front){0}); /* 0 ends lists */
	gst_vec_push(&b->pool, (struct gst_front){0});
	return (uint32_t)b->pool.count - 1;
}

static void free_front(struct gst_order_builder *b, uint32_t id)
{
	b->pool.data[id].next = b->free_fronts;
	b->free_fronts = id;
}

void gst_order_pop(struct gst_order_builder *b, uint32_t *head)
{
	uint32_t id = *head;

	*head = b->pool.data[id].next;
	free_front(b, id);
}

void gst_order_note_pair(struct gst_order_builder *b, gst_call_id x, gst_call_id y)
{
	gst_call_id first = x < y ? x : y;
	gst_call_id second = x < y ? y : x;
	uint64_t key = (uint64_t)first << 32 | second;
	bool is_new = true;
	uint32_t value;

	GST_DCHECK(!b->is_one_thread);
	if (b->is_quiet)
		return;
	/* Several rules may ask for the same pair. Most are of the call under way: the last one noted with each tells. */
	if (second != b->call) {
		if (gst_map_count(&b->pairs) < PAIRS_KNOWN_MAX)
			(void)gst_map_add(&b->pairs, key, 1, &is_new);
	} else {
		is_new = b->noted[first] != second + 1 &&
			 !(gst_map_count(&b->pairs) && gst_map_get(&b->pairs, key, &value));
		b->noted[first] = second + 1;
	}
	if (!is_new)
		return;
	b->o->stats.ambiguous_pairs++;
	if (b->ambiguous.count < PAIRS_LISTED_MAX)
		gst_vec_push(&b->ambiguous, (struct gst_ambiguous_pair){first, second});
}

static bool returned_by(const struct gst_order_builder *b, gst_call_id x, gst_call_id y)
{
	const struct gst_call *c;

	if (x == GST_NONE || b->is_one_thread)
		return true;
	c = &b->m->calls[x];
	return c->flags & GST_CALL_RETURNED &&
	       gst_model_is_past(b->m, c->exit_ns, b->m->calls[y].enter_ns);
}

/* So many calls overlap that the rest of the list is given up: edges are missing then, none is wrong. */
static void cut_list(struct gst_order_builder *b, uint32_t *link)
{
	while (*link) {
		uint32_t id = *link;

		*link = b->pool.data[id].next;
		free_front(b, id);
		b->o->stats.cut_fronts++;
	}
}

unsigned gst_order_collect(struct gst_order_builder *b, uint32_t *head, gst_call_id call)
{
	uint32_t *link = head;
	uint32_t left = LIST_MAX;
	unsigned saw = 0;

	gst_vec_clear(&b->preds);
	gst_vec_clear(&b->afters);
	while (*link) {
		uint32_t id = *link;
		struct gst_front f = b->pool.data[id];
		enum gst_accepted when = gst_order_accepted(b, f.call, call);
		bool is_covered = false;
		bool is_past = false;

		b->o->stats.steps++;
		if (!left--) {
			cut_list(b, link);
			break;
		}
		if (when != GST_ACCEPTED_BEFORE) {
			if (when == GST_ACCEPTED_AMBIGUOUS) {
				saw |= SAW_AMBIGUOUS;
				saw |= b->m->calls[f.call].flags & GST_CALL_RETURNED ? SAW_LATER
										     : SAW_NEVER;
				gst_order_note_pair(b, f.call, call);
			} else {
				saw |= SAW_LATER;
				gst_vec_push(&b->afters, f);
			}
			link = &b->pool.data[id].next;
			continue;
		}
		for (size_t i = 0; i < b->preds.count && !is_past; i++) {
			const struct gst_front *y = &b->preds.data[i];

			if (!y->is_chain ||
			    gst_order_accepted(b, f.call, y->call) != GST_ACCEPTED_BEFORE)
				continue;
			is_covered = true;
			is_past = returned_by(b, y->call, call);
		}
		if (is_past) {
			*link = f.next;
			free_front(b, id);
			continue;
		}
		if (!is_covered)
			gst_vec_push(&b->preds, f);
		link = &b->pool.data[id].next;
	}
	return saw;
}

/*
 * The same for a lane. A long chain of programmatic launches leaves many ends open: they are joined in a
 * barrier point, so that each is waited for once.
 */
unsigned gst_order_collect_lane(struct gst_order_builder *b, struct gst_lane *lane,
				gst_call_id call)
{
	unsigned saw = gst_order_collect(b, &lane->front, call);
	gst_node_id barrier;
	struct gst_front last;
	uint32_t version = 0;

	if (saw || b->preds.count <= FRONT_MAX)
		return saw;
	last = b->pool.data[lane->front];
	barrier = gst_order_add_barrier(b, node_of_call(b, call));
	for (size_t i = b->preds.count; i-- > 0;) {
		gst_order_add_work(b, b->preds.data[i].node, barrier, GST_RULE_S2);
		if (b->preds.data[i].aux > version)
			version = b->preds.data[i].aux;
	}
	while (lane->front) {
		uint32_t id = lane->front;

		lane->front = b->pool.data[id].next;
		free_front(b, id);
	}
	gst_order_push(
		b, &lane->front,
		(struct gst_front){
			.node = barrier, .call = GST_NONE, .aux = version, .is_chain = true});
	gst_vec_clear(&b->preds);
	gst_vec_push(&b->preds, b->pool.data[lane->front]);
	/* What comes next may be a programmatic launch too: it looks at the op just before it. */
	if (!last.is_chain)
		gst_order_push(b, &lane->front, last);
	return 0;
}

/* ---- T1, U1, G2: by construction; none of them is stored -------------------------------------------------- */

/* An edge of @rule that is told by what it reaches: it need only be counted. */
static void count_made(struct gst_order_builder *b, enum gst_rule rule)
{
	b->made_edges++;
	b->o->stats.per_rule[rule]++;
}

static void rule_t1(struct gst_order_builder *b, gst_call_id call)
{
	gst_call_id *last = &b->last_call[b->m->calls[call].thread];

	b->call_before[call] = *last;
	if (*last != GST_NONE)
		count_made(b, GST_RULE_T1);
	*last = call;
}

/* Work comes after its call. A launch begins with its first node; nodes have no order among each other here. */
static void rule_u1_g2(struct gst_order_builder *b, gst_op_id op)
{
	if (gst_order_origin(b->o, op) != GST_NONE)
		count_made(b, b->m->ops[op].flags & GST_OP_NODE ? GST_RULE_G2 : GST_RULE_U1);
}

/* ---- streams ------------------------------------------------------------------------------------------------ */

/* Does an op of this kind, in the legacy stream, hold up the blocking streams and wait for them? */
static bool acts(const struct gst_op *op)
{
	switch ((enum gst_op_kind)op->kind) {
	case GST_OP_KERNEL:
	case GST_OP_MEMCPY:
	case GST_OP_MEMSET:
	case GST_OP_HOST_FUNC:
	case GST_OP_EVENT_RECORD:
	case GST_OP_EVENT_WAIT:
	case GST_OP_GRAPH_LAUNCH:
		return true;
	case GST_OP_ALLOC: /* seen not to */
	case GST_OP_FREE:
	case GST_OP_MEMOP: /* not known to */
	case GST_OP_OPAQUE:
	case GST_OP_KIND_COUNT:
		break;
	}
	return false;
}

static bool is_host_func(const struct gst_order_builder *b, gst_node_id node)
{
	return node < b->m->op_count && b->m->ops[node].kind == GST_OP_HOST_FUNC;
}

/*
 * S2: a programmatic launch has begin -> begin toward the kernel just before it, and to nothing else. Records and waits of
 * events between the two do not make it wait for that kernel's end (seen); what they stand for may hold it up. Not in a
 * legacy stream, where they are barriers of their own (S3).
 * True if that is so here; *version is then what is known to be before it.
 */
static bool rule_s2(struct gst_order_builder *b, gst_op_id op, struct gst_lane *lane,
		    uint32_t *version)
{
	const struct gst_op *o = &b->m->ops[op];
	const struct gst_front *f;
	gst_op_id kernel;

	if (!(o->flags & GST_OP_PROGRAMMATIC) || !lane->front || !lane->kernel)
		return false;
	f = &b->pool.data[lane->front];
	kernel = lane->kernel - 1;
	if (f->node >= b->m->op_count ||
	    (f->node != kernel && b->m->streams[o->stream].kind == GST_STREAM_KIND_LEGACY) ||
	    gst_order_accepted(b, f->call, o->call) != GST_ACCEPTED_BEFORE ||
	    gst_order_accepted(b, b->m->ops[kernel].call, o->call) != GST_ACCEPTED_BEFORE)
		return false;
	gst_order_add_edge(b, kernel, op, GST_RULE_S2, GST_DOCUMENTED, GST_BEGIN_BEGIN,
			   GST_EDGE_UNCHECKED);
	if (f->node == kernel) {
		*version = f->aux;
	} else {
		gst_order_add_edge(b, f->node, op, GST_RULE_S1, GST_POSSIBLE, GST_END_BEGIN, 0);
		/* What they were known to come after, it is told again. */
		memset(lane->gates_seen, 0, sizeof(lane->gates_seen));
	}
	return true;
}

/* Is @op part of a launch on several devices? What follows waits for all of its kernels (M6). */
static bool is_on_several(const struct gst_order_builder *b, gst_op_id op)
{
	gst_call_id call = b->m->ops[op].call;
	uint32_t args = call == GST_NONE ? GST_NONE : b->m->calls[call].args;

	return args != GST_NONE && b->m->args[args].flags & GST_LAUNCH_FLAG_MULTI_DEVICE;
}

/* @op is the last one of @lane now. */
static void note_kernel(const struct gst_order_builder *b, gst_op_id op, struct gst_lane *lane)
{
	uint8_t kind = b->m->ops[op].kind;

	if (kind == GST_OP_KERNEL) {
		lane->kernel = op + 1;
	} else if ((kind != GST_OP_EVENT_RECORD && kind != GST_OP_EVENT_WAIT) ||
		   (lane->kernel && is_on_several(b, lane->kernel - 1))) {
		lane->kernel = 0;
	}
}

/* S1, and F1 where one of the two is a host function: after the last things of the stream. */
static void rule_s1(struct gst_order_builder *b, gst_op_id op, struct gst_lane *lane,
		    uint32_t *version)
{
	(void)gst_order_collect_lane(b, lane, b->m->ops[op].call);
	for (size_t i = b->preds.count; i-- > 0;) {
		const struct gst_front *f = &b->preds.data[i];
		bool is_f1 = is_host_func(b, f->node) || is_host_func(b, op);
		enum gst_rule rule = is_f1 ? GST_RULE_F1 : GST_RULE_S1;

		if (b->op_before[op] == GST_NONE) {
			b->op_before[op] = f->node | (is_f1 ? GST_BEFORE_F1 : 0);
			count_made(b, rule);
		} else {
			gst_order_add_work(b, f->node, op, rule);
		}
		if (f->aux > *version)
			*version = f->aux;
	}
	/* Its call was entered later, and overlaps, but the device shows that it was accepted first. */
	for (size_t i = b->afters.count; i-- > 0;) {
		gst_node_id later = b->afters.data[i].node;
		bool is_f1 = is_host_func(b, later) || is_host_func(b, op);

		if (later < b->m->op_count && b->m->ops[later].flags & GST_OP_PROGRAMMATIC &&
		    b->m->ops[op].kind == GST_OP_KERNEL) {
			gst_order_add_edge(b, op, later, GST_RULE_S2, GST_DOCUMENTED,
					   GST_BEGIN_BEGIN, GST_EDGE_UNCHECKED);
		} else {
			gst_order_add_work(b, op, later, is_f1 ? GST_RULE_F1 : GST_RULE_S1);
		}
	}
}

static void add_action_edges(struct gst_order_builder *b, gst_op_id op, bool foreign_only)
{
	for (size_t i = b->preds.count; i-- > 0;) {
		const struct gst_front *f = &b->preds.data[i];

		/* aux of an action: 0 of this context, else 1 + strength of a peer copy's barrier */
		if (f->aux) {
			gst_order_add_edge(b, f->node, op, GST_RULE_M2,
					   (enum gst_strength)(f->aux - 1), GST_END_BEGIN, 0);
		} else if (!foreign_only) {
			gst_order_add_work(b, f->node, op, GST_RULE_S3);
		}
	}
}

/* S3, second half: work of a blocking stream waits for the legacy actions before it. */
static void rule_s3_after(struct gst_order_builder *b, gst_op_id op, struct gst_order_ctx *ctx,
			  uint32_t *version)
{
	if (*version >= ctx->version) {
		b->o->stats.dropped_implied += ctx->version != 0;
		return;
	}
	if (!gst_order_collect(b, &ctx->actions, b->m->ops[op].call))
		*version = ctx->version;
	add_action_edges(b, op, false);
}

/* All blocking lanes of @ctx that have work since they were last looked at: each its last things -> @op. */
static void collect_blocking(struct gst_order_builder *b, gst_op_id op, struct gst_order_ctx *ctx,
			     enum gst_rule rule, enum gst_strength strength)
{
	gst_call_id call = b->m->ops[op].call;
	size_t kept = 0;

	for (size_t i = 0; i < ctx->dirty[COLLECT_S3].count; i++) {
		uint32_t s = ctx->dirty[COLLECT_S3].data[i];
		struct gst_lane *lane = &b->lanes[s];
		unsigned saw;

		b->o->stats.steps++;
		/* All of it went into an action that is before this one: seen through that. */
		if (lane->collected_seq == lane->seq && lane->collected_call != GST_NONE &&
		    gst_order_accepted(b, lane->collected_call, call) == GST_ACCEPTED_BEFORE) {
			lane->dirty &= (uint8_t) ~(1u << COLLECT_S3);
			b->o->stats.dropped_implied++;
			continue;
		}
		ctx->dirty[COLLECT_S3].data[kept++] = s;
		saw = gst_order_collect_lane(b, lane, call);
		for (size_t k = b->preds.count; k-- > 0;)
			gst_order_add_edge(b, b->preds.data[k].node, op, rule, strength,
					   GST_END_BEGIN, 0);
		if (!(saw & SAW_LATER) && strength == GST_DOCUMENTED) {
			lane->collected_call = call;
			lane->collected_seq = lane->seq;
		}
	}
	ctx->dirty[COLLECT_S3].count = kept;
}

/* S3, first half: a legacy action waits for all blocking streams of its context. E4 follows from it. */
static void rule_s3_before(struct gst_order_builder *b, gst_op_id op, struct gst_order_ctx *ctx)
{
	collect_blocking(b, op, ctx, GST_RULE_S3, GST_DOCUMENTED);
}

/*
 * M2: a synchronous peer copy is a legacy action on both devices. A plain copy between devices acted the
 * same, but nobody promises it.
 */
static void rule_m2(struct gst_order_builder *b, gst_op_id op)
{
	const struct gst_op *o = &b->m->ops[op];
	const struct gst_call *c = &b->m->calls[o->call];
	uint32_t own = b->m->streams[o->stream].ctx;
	const struct gst_copy *copy;
	enum gst_strength strength;
	uint32_t ends[2];

	if (o->kind != GST_OP_MEMCPY || o->detail == GST_NONE ||
	    !(c->api_flags & GST_API_SYNC_FORM))
		return;
	copy = &b->m->copies[o->detail];
	if (!copy->is_peer)
		return;
	strength = c->api_flags & GST_API_PEER ? GST_DOCUMENTED : GST_POSSIBLE;
	ends[0] = copy->src_ctx;
	ends[1] = copy->dst_ctx == copy->src_ctx ? GST_NONE : copy->dst_ctx;
	for (size_t i = 0; i < 2; i++) {
		struct gst_order_ctx *ctx;

		if (ends[i] == GST_NONE || ends[i] == own)
			continue;
		ctx = &b->contexts[ends[i]];
		collect_blocking(b, op, ctx, GST_RULE_M2, strength);
		(void)gst_order_collect(b, &ctx->actions, o->call);
		for (size_t k = b->preds.count; k-- > 0;)
			gst_order_add_edge(b, b->preds.data[k].node, op, GST_RULE_M2, strength,
					   GST_END_BEGIN, 0);
		ctx->version++;
		ctx->has_foreign = true;
		gst_order_push(b, &ctx->actions,
			       (struct gst_front){.node = op,
						  .call = o->call,
						  .aux = 1 + (uint32_t)strength,
						  .is_chain = strength == GST_DOCUMENTED});
	}
}

/* @ctx has new work for these collectors: its primary is to know. */
static void list_green(struct gst_order_builder *b, struct gst_order_ctx *ctx, unsigned collectors)
{
	struct gst_order_ctx *primary =
		ctx->primary == GST_NONE ? NULL : &b->contexts[ctx->primary];

	collectors &= ~(unsigned)ctx->listed;
	if (!primary || primary->green_count <= GREENS_MAX)
		return;
	for (unsigned i = 0; collectors >> i; i++) {
		if (collectors & 1u << i)
			gst_vec_push(&primary->new_greens[i], (uint32_t)(ctx - b->contexts));
	}
	ctx->listed |= (uint8_t)collectors;
}

static void mark_dirty(struct gst_order_builder *b, uint32_t stream, struct gst_order_ctx *ctx,
		       bool is_blocking)
{
	struct gst_lane *lane = &b->lanes[stream];
	unsigned want = 1u << COLLECT_H1 | 1u << COLLECT_H7 | 1u << COLLECT_H10 | 1u << COLLECT_E5;

	if (is_blocking)
		want |= 1u << COLLECT_S3 | 1u << COLLECT_H3;
	want &= ~(unsigned)lane->dirty;
	for (unsigned i = 0; want && i < COLLECT_COUNT; i++) {
		if (want & 1u << i)
			gst_vec_push(&ctx->dirty[i], stream);
	}
	lane->dirty |= (uint8_t)want;
	list_green(b, ctx, want & (1u << COLLECT_H1 | 1u << COLLECT_H10 | 1u << COLLECT_E5));
}

/* S1, S2, S3, F1, M2: what the stream of @op says about it. S4 to S9 are what is not done here. */
static void stream_rules(struct gst_order_builder *b, gst_op_id op)
{
	const struct gst_op *o = &b->m->ops[op];
	const struct gst_stream *s = &b->m->streams[o->stream];
	struct gst_lane *lane = &b->lanes[o->stream];
	struct gst_order_ctx *ctx = s->ctx == GST_NONE ? NULL : &b->contexts[s->ctx];
	bool is_legacy = s->kind == GST_STREAM_KIND_LEGACY;
	bool is_blocking = gst_stream_is_blocking(s);
	uint32_t version = 0;
	bool is_chain = true;

	if (gst_order_rule_m3(b, op, lane, &version)) {
		lane->seq++;
		lane->kernel = 0;
		gst_order_push(b, &lane->front,
			       (struct gst_front){.node = op, .call = o->call, .aux = version});
		if (ctx)
			mark_dirty(b, o->stream, ctx, is_blocking);
		return;
	}
	if (rule_s2(b, op, lane, &version)) {
		is_chain = false;
	} else {
		rule_s1(b, op, lane, &version);
	}
	if (ctx && is_blocking) {
		rule_s3_after(b, op, ctx, &version);
	} else if (ctx && is_legacy) {
		if (ctx->has_foreign) {
			(void)gst_order_collect(b, &ctx->actions, o->call);
			add_action_edges(b, op, true);
		}
		if (acts(o)) {
			rule_s3_before(b, op, ctx);
			rule_m2(b, op);
			ctx->version++;
			gst_order_push(b, &ctx->actions,
				       (struct gst_front){
					       .node = op, .call = o->call, .is_chain = is_chain});
		}
	}
	if (ctx)
		gst_order_rule_gates(b, op, ctx, lane);
	if (lane->joined)
		gst_order_rule_m6_lane(b, op, lane);
	lane->seq++;
	note_kernel(b, op, lane);
	gst_order_push(b, &lane->front,
		       (struct gst_front){
			       .node = op, .call = o->call, .aux = version, .is_chain = is_chain});
	if (ctx)
		mark_dirty(b, o->stream, ctx, is_blocking);
}

/* ---- events --------------------------------------------------------------------------------------------------- */

static bool lost_between(const struct gst_order_builder *b, gst_call_id from, gst_call_id to)
{
	const struct gst_call *c = &b->m->calls[to];

	return gst_order_lost_between(b->o, b->m->threads[c->thread].process,
				      b->m->calls[from].enter_ns,
				      c->flags & GST_CALL_RETURNED ? c->exit_ns : c->enter_ns);
}

/*
 * Is @event recorded by a call that was entered after @call, and still may have been accepted before it? Which
 * record is the latest needs this look ahead; no other rule does.
 */
static bool recorded_meanwhile(struct gst_order_builder *b, gst_call_id call, gst_event_id event)
{
	const struct gst_call *c = &b->m->calls[call];
	uint32_t end = b->record_first[event + 1];
	uint32_t low = b->record_first[event];
	uint32_t high = end;
	uint32_t left = LIST_MAX;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (b->record_calls[middle] <= call) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	for (; low < end; low++) {
		gst_call_id later = b->record_calls[low];

		b->o->stats.steps++;
		if (c->flags & GST_CALL_RETURNED &&
		    gst_model_is_past(b->m, c->exit_ns, b->m->calls[later].enter_ns))
			return false;
		if (!left--)
			return true;
		if (gst_order_accepted(b, call, later) != GST_ACCEPTED_BEFORE) {
			gst_order_note_pair(b, call, later);
			return true;
		}
	}
	return false;
}

enum gst_record_ref gst_order_meant_record(struct gst_order_builder *b, gst_call_id call,
					   gst_event_id event, uint32_t sync_id, gst_op_id *record,
					   enum front_kind *kind)
{
	const struct gst_front *f;
	unsigned saw;

	*kind = FRONT_RECORD;
	*record = GST_NONE;
	if (event == GST_NONE)
		return GST_REF_UNKNOWN;
	*record = sync_id ? gst_order_numbered(b, event, sync_id) : GST_NONE;
	if (*record != GST_NONE) {
		if (b->m->ops[*record].flags & GST_OP_NODE)
			*kind = FRONT_NODE;
		if (gst_order_accepted(b, b->m->ops[*record].call, call) != GST_ACCEPTED_AFTER)
			return GST_REF_OP;
		*record = GST_NONE; /* a number that cannot be right */
		return GST_REF_UNKNOWN;
	}
	/* Other processes may record it too. */
	if (b->m->events[event].flags & EVENT_INTERPROCESS)
		return GST_REF_UNKNOWN;
	saw = gst_order_collect(b, &b->events[event], call);
	if (saw & SAW_AMBIGUOUS || b->preds.count > 1 || recorded_meanwhile(b, call, event))
		return GST_REF_AMBIGUOUS;
	/* E3: nothing recorded, and we would know. */
	if (!b->preds.count)
		return b->m->events[event].history_is_complete && !sync_id ? GST_REF_EMPTY
									   : GST_REF_UNKNOWN;
	f = &b->preds.data[0];
	if (f->aux == FRONT_UNKNOWN || lost_between(b, f->call, call))
		return GST_REF_UNKNOWN;
	/* CUPTI names a record, and it is not this one. */
	if (sync_id && (f->aux == FRONT_RECORD || f->aux == FRONT_NODE) &&
	    b->m->ops[f->node].sync_id)
		return GST_REF_UNKNOWN;
	*record = f->node;
	*kind = (enum front_kind)f->aux;
	return GST_REF_OP;
}

static void count_ref(struct gst_order_builder *b, enum gst_record_ref ref)
{
	switch (ref) {
	case GST_REF_OP:
		break;
	case GST_REF_EMPTY:
		b->o->stats.empty_events++;
		break;
	case GST_REF_UNKNOWN:
	case GST_REF_AMBIGUOUS:
		b->o->stats.unknown_records++;
		break;
	}
}

void gst_order_note_ref(struct gst_order_builder *b, gst_op_id op, enum gst_record_ref ref,
			gst_op_id record)
{
	count_ref(b, ref);
	gst_vec_push(&b->op_refs, (struct gst_ref){op, record, (uint32_t)ref});
}

/* E6: CUPTI's number of the record is what says that a record made by a node was meant. */
static enum gst_strength strength_of_node(const struct gst_order_builder *b, gst_op_id record,
					  uint32_t sync_id)
{
	return sync_id && b->m->ops[record].sync_id == sync_id ? GST_OBSERVED : GST_POSSIBLE;
}

void gst_order_record_event(struct gst_order_builder *b, gst_event_id event, gst_node_id op,
			    gst_call_id call, enum front_kind kind)
{
	/* Drops what no later wait can mean any more. */
	(void)gst_order_collect(b, &b->events[event], call);
	gst_order_push(b, &b->events[event],
		       (struct gst_front){
			       .node = op, .call = call, .aux = (uint32_t)kind, .is_chain = true});
}

/* E1: a wait holds up its stream until the record meant is done. E8: one made by a launch is only begun. */
static void rule_e1(struct gst_order_builder *b, gst_op_id wait)
{
	const struct gst_op *o = &b->m->ops[wait];
	enum front_kind kind;
	gst_op_id record;
	enum gst_record_ref ref =
		gst_order_meant_record(b, o->call, o->event, o->sync_id, &record, &kind);

	gst_order_note_ref(b, wait, ref, record);
	if (ref != GST_REF_OP)
		return;
	switch (kind) {
	case FRONT_RECORD:
		if (b->m->ops[record].stream == o->stream && o->stream != GST_NONE &&
		    gst_order_accepted(b, b->m->ops[record].call, o->call) == GST_ACCEPTED_BEFORE) {
			b->o->stats.dropped_implied++; /* S1 */
			break;
		}
		gst_order_add_work(b, record, wait,
				   o->flags & GST_OP_CONTEXT ? GST_RULE_E5 : GST_RULE_E1);
		break;
	case FRONT_NODE:
		if (b->m->ops[record].stream == o->stream && o->stream != GST_NONE) {
			b->o->stats.dropped_implied++; /* S1: its launch */
			break;
		}
		gst_order_add_edge(b, record, wait, GST_RULE_E6,
				   strength_of_node(b, record, o->sync_id), GST_END_BEGIN, 0);
		break;
	case FRONT_PROGRAMMATIC:
		gst_order_add_edge(b, record, wait, GST_RULE_E8, GST_DOCUMENTED, GST_BEGIN_BEGIN,
				   GST_EDGE_UNCHECKED);
		break;
	case FRONT_COMPLETION:
		gst_order_add_edge(b, record, wait, GST_RULE_E8, GST_POSSIBLE, GST_BEGIN_BEGIN,
				   GST_EDGE_UNCHECKED);
		break;
	case FRONT_UNKNOWN:
		break;
	}
}

static void event_rules(struct gst_order_builder *b, gst_op_id op)
{
	const struct gst_op *o = &b->m->ops[op];
	const struct gst_call *c = &b->m->calls[o->call];
	uint32_t flags;

	if (o->flags & GST_OP_CONTEXT && o->kind == GST_OP_EVENT_RECORD)
		gst_order_rule_e5_record(b, op);
	if (o->kind == GST_OP_EVENT_RECORD && o->event != GST_NONE) {
		gst_order_record_event(b, o->event, op, o->call, FRONT_RECORD);
	} else if (o->kind == GST_OP_EVENT_WAIT) {
		rule_e1(b, op);
		if (o->flags & GST_OP_CONTEXT)
			gst_order_rule_e5_wait(b, op);
	} else if (o->kind == GST_OP_KERNEL && c->event != GST_NONE && c->args != GST_NONE) {
		uint64_t second = b->m->args[c->args].b;

		flags = b->m->args[c->args].flags;
		/* Of two events traces of before have one, and do not say which: the weaker claim. */
		if (flags & GST_LAUNCH_FLAG_COMPLETION_EVENT && second >= b->m->event_count) {
			gst_order_record_event(b, c->event, op, o->call, FRONT_COMPLETION);
			return;
		}
		if (flags & GST_LAUNCH_FLAG_PROGRAMMATIC_EVENT)
			gst_order_record_event(b, c->event, op, o->call, FRONT_PROGRAMMATIC);
		if (flags & GST_LAUNCH_FLAG_COMPLETION_EVENT)
			gst_order_record_event(b, (gst_event_id)second, op, o->call,
					       FRONT_COMPLETION);
	}
}

#define EVENT_EXTERNAL 1u /* flag of a record: a capture makes it a node, which acts at launches */

/* A record that gave no op we understand: captured, or of a whole context. */
static void forget_record(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];

	if (c->cls != GST_API_CLASS_EVENT_RECORD || c->event == GST_NONE ||
	    (c->flags & GST_CALL_RETURNED && c->result))
		return;
	if (c->flags & GST_CALL_CAPTURED && c->args != GST_NONE &&
	    b->m->args[c->args].flags & EVENT_EXTERNAL)
		return;
	for (uint32_t i = 0; i < c->op_count; i++) {
		if (b->m->ops[c->first_op + i].kind == GST_OP_EVENT_RECORD)
			return;
	}
	gst_order_record_event(b, c->event, GST_NONE, call, FRONT_UNKNOWN);
}

/* ---- graphs and memory ---------------------------------------------------------------------------------------- */

/* G3: launches (and uploads) of one executable graph follow each other, whatever their streams. */
static void rule_g3(struct gst_order_builder *b, gst_op_id op, uint32_t process, uint64_t exec)
{
	const struct gst_op *o = &b->m->ops[op];
	uint32_t next = (uint32_t)b->exec_fronts.count;
	bool is_new;
	uint32_t at = *gst_map_add(&b->processes[process].execs, exec, next, &is_new);

	if (is_new)
		gst_vec_push(&b->exec_fronts, 0);
	(void)gst_order_collect(b, &b->exec_fronts.data[at], o->call);
	for (size_t i = b->preds.count; i-- > 0;) {
		if (o->stream != GST_NONE && b->m->ops[b->preds.data[i].node].stream == o->stream) {
			b->o->stats.dropped_implied++; /* S1 */
		} else {
			gst_order_add_work(b, b->preds.data[i].node, op, GST_RULE_G3);
		}
	}
	gst_order_push(b, &b->exec_fronts.data[at],
		       (struct gst_front){.node = op, .call = o->call, .is_chain = true});
}

/* M1: an address that was freed in another stream is given out again after that. */
static void rule_m1(struct gst_order_builder *b, gst_op_id op, uint32_t process, uint64_t address)
{
	const struct gst_op *o = &b->m->ops[op];
	struct gst_order_process *p = &b->processes[process];
	uint32_t freed;

	if (o->kind == GST_OP_FREE) {
		gst_map_put(&p->frees, address, op);
		(void)gst_map_remove(&p->ordered, address);
		return;
	}
	gst_map_put(&p->ordered, address, 1);
	if (!gst_map_get(&p->frees, address, &freed))
		return;
	(void)gst_map_remove(&p->frees, address);
	if ((o->stream == GST_NONE || b->m->ops[freed].stream != o->stream) &&
	    gst_order_accepted(b, b->m->ops[freed].call, o->call) == GST_ACCEPTED_BEFORE)
		gst_order_add_work(b, freed, op, GST_RULE_M1);
}

static void object_rules(struct gst_order_builder *b, gst_op_id op)
{
	const struct gst_op *o = &b->m->ops[op];
	const struct gst_call *c = &b->m->calls[o->call];
	uint32_t process = b->m->threads[c->thread].process;
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->m->args[c->args];

	if (o->kind == GST_OP_MEMOP)
		gst_order_rule_m4(b, op);
	if (!args)
		return;
	if ((c->cls == GST_API_CLASS_GRAPH_LAUNCH || c->cls == GST_API_CLASS_GRAPH_UPLOAD) &&
	    args->b && (o->kind == GST_OP_GRAPH_LAUNCH || o->kind == GST_OP_OPAQUE))
		rule_g3(b, op, process, args->b);
	if ((o->kind == GST_OP_ALLOC || o->kind == GST_OP_FREE) && args->a)
		rule_m1(b, op, process, args->a);
}

/* Objects that end: their handles and addresses may come again. */
static void forget_objects(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];
	uint32_t process = b->m->threads[c->thread].process;
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->m->args[c->args];

	if (!args || (c->flags & GST_CALL_RETURNED && c->result))
		return;
	if ((c->cls == GST_API_CLASS_GRAPH_DESTROY || c->cls == GST_API_CLASS_GRAPH_INSTANTIATE) &&
	    args->b)
		(void)gst_map_remove(&b->processes[process].execs, args->b);
}

/* ---- the host waits ------------------------------------------------------------------------------------------- */

/* H1, H2: all work of a stream up to now -> exit. */
static void wait_for_stream(struct gst_order_builder *b, gst_call_id call, uint32_t stream,
			    enum gst_rule rule)
{
	(void)gst_order_collect_lane(b, &b->lanes[stream], call);
	for (size_t i = b->preds.count; i-- > 0;)
		gst_order_add_wait(b, b->preds.data[i].node, call, rule, GST_DOCUMENTED);
}

gst_node_id gst_order_join_lanes(struct gst_order_builder *b, gst_call_id call,
				 struct gst_order_ctx *ctx, enum collector collector,
				 enum gst_rule rule)
{
	gst_node_id barrier = GST_NONE;
	size_t kept = 0;

	for (size_t i = 0; i < ctx->dirty[collector].count; i++) {
		uint32_t s = ctx->dirty[collector].data[i];
		struct gst_lane *lane = &b->lanes[s];

		b->o->stats.steps++;
		if (gst_order_collect_lane(b, lane, call) & SAW_LATER) {
			/* Part of it may belong to a later wait. */
			ctx->dirty[collector].data[kept++] = s;
		} else {
			lane->dirty &= (uint8_t) ~(1u << collector);
		}
		if (!b->preds.count)
			continue;
		if (barrier == GST_NONE) {
			barrier = gst_order_add_barrier(b, node_of_call(b, call));
			if (ctx->barrier[collector] != GST_NONE)
				gst_order_add_work(b, ctx->barrier[collector], barrier, rule);
		}
		for (size_t k = b->preds.count; k-- > 0;)
			gst_order_add_work(b, b->preds.data[k].node, barrier, rule);
	}
	ctx->dirty[collector].count = kept;
	if (barrier != GST_NONE)
		ctx->barrier[collector] = barrier;
	return ctx->barrier[collector];
}

gst_node_id gst_order_join_greens(struct gst_order_builder *b, gst_call_id call,
				  struct gst_order_ctx *ctx, enum collector collector,
				  enum gst_rule rule)
{
	gst_node_id barrier = GST_NONE;
	size_t kept = 0;

	for (size_t i = 0; i < ctx->new_greens[collector].count; i++) {
		uint32_t id = ctx->new_greens[collector].data[i];
		struct gst_order_ctx *green = &b->contexts[id];
		gst_node_id all = gst_order_join_lanes(b, call, green, collector, rule);

		b->o->stats.steps++;
		if (green->dirty[collector].count) {
			ctx->new_greens[collector].data[kept++] = id;
		} else {
			green->listed &= (uint8_t) ~(1u << collector);
		}
		if (all == green->joined[collector])
			continue;
		green->joined[collector] = all;
		if (barrier == GST_NONE) {
			barrier = gst_order_add_barrier(b, node_of_call(b, call));
			if (ctx->all_greens[collector] != GST_NONE)
				gst_order_add_work(b, ctx->all_greens[collector], barrier, rule);
		}
		gst_order_add_work(b, all, barrier, rule);
	}
	ctx->new_greens[collector].count = kept;
	if (barrier != GST_NONE)
		ctx->all_greens[collector] = barrier;
	return ctx->all_greens[collector];
}

void gst_order_wait_for_lanes(struct gst_order_builder *b, gst_call_id call,
			      struct gst_order_ctx *ctx, enum collector collector,
			      enum gst_rule rule, enum gst_strength strength)
{
	gst_node_id barrier = gst_order_join_lanes(b, call, ctx, collector, rule);

	if (barrier != GST_NONE)
		gst_order_add_wait(b, barrier, call, rule, strength);
}

static void rule_h1_context(struct gst_order_builder *b, gst_call_id call)
{
	/* A primary context's wait covers its green contexts. */
	if (b->m->calls[call].ctx != GST_NONE)
		gst_order_wait_for_contexts(b, call, COLLECT_H1, GST_RULE_H1, GST_DOCUMENTED);
}

/* H1 and H2 for a stream, H3 for what a wait for the legacy stream covers beside it. */
static void rule_h1_stream(struct gst_order_builder *b, gst_call_id call, enum gst_rule rule)
{
	uint32_t stream = b->m->calls[call].stream;
	const struct gst_stream *s;

	if (stream == GST_NONE)
		return;
	s = &b->m->streams[stream];
	wait_for_stream(b, call, stream, rule);
	if (s->kind == GST_STREAM_KIND_LEGACY && s->ctx != GST_NONE)
		gst_order_wait_for_lanes(b, call, &b->contexts[s->ctx], COLLECT_H3, GST_RULE_H3,
					 GST_DOCUMENTED);
}

/* H1, H2: the record meant -> exit. One made by a launch attribute says nothing of the kernel's end (E8). */
static void rule_h1_event(struct gst_order_builder *b, gst_call_id call, gst_event_id event,
			  uint32_t sync_id, enum gst_rule rule, bool is_first)
{
	enum front_kind kind;
	gst_op_id record;
	enum gst_record_ref ref = gst_order_meant_record(b, call, event, sync_id, &record, &kind);

	count_ref(b, ref);
	if (is_first)
		gst_vec_push(&b->call_refs,
			     (struct gst_ref){node_of_call(b, call), record, (uint32_t)ref});
	if (ref == GST_REF_OP && kind == FRONT_RECORD)
		gst_order_add_wait(b, record, call, rule, GST_DOCUMENTED);
	if (ref == GST_REF_OP && kind == FRONT_NODE)
		gst_order_add_wait(b, record, call, GST_RULE_E6,
				   strength_of_node(b, record, sync_id));
}

/* Direction and memory of a copy, as far as record and call tell. */
struct copy_form {
	bool to_device, to_host, is_host_only, is_device_only, is_peer;
	uint8_t host_memory; /* GST_MEM_x of the side that is on the host; UNKNOWN */
	bool has_record;
};

static struct copy_form form_of(const struct gst_order_builder *b, const struct gst_op *o)
{
	const struct gst_call *c = &b->m->calls[o->call];
	struct copy_form f = {0};
	uint32_t direction = GST_COPY_UNKNOWN;

	if (o->detail != GST_NONE && o->kind == GST_OP_MEMCPY) {
		const struct gst_copy *copy = &b->m->copies[o->detail];

		f.has_record = true;
		direction = copy->copy_kind;
		f.is_peer = copy->is_peer;
		f.host_memory = direction == GST_COPY_DTOH || direction == GST_COPY_ATOH
					? copy->dst_kind
					: copy->src_kind;
	} else if (c->args != GST_NONE && c->cls == GST_API_CLASS_COPY) {
		direction = (uint32_t)b->m->args[c->args].extra;
	}
	if (direction == GST_COPY_UNKNOWN) {
		direction = c->api_flags & GST_API_H2D	 ? GST_COPY_HTOD
			    : c->api_flags & GST_API_D2H ? GST_COPY_DTOH
							 : GST_COPY_UNKNOWN;
	}
	f.to_device = direction == GST_COPY_HTOD || direction == GST_COPY_HTOA;
	f.to_host = direction == GST_COPY_DTOH || direction == GST_COPY_ATOH;
	f.is_host_only = direction == GST_COPY_HTOH;
	f.is_device_only = direction == GST_COPY_DTOD || direction == GST_COPY_ATOD ||
			   direction == GST_COPY_DTOA || direction == GST_COPY_ATOA;
	return f;
}

static bool is_managed(uint8_t memory)
{
	return memory == GST_MEM_MANAGED || memory == GST_MEM_MANAGED_STATIC;
}

/* What @op waited for -> exit: the edges that were just added to it. */
static void wait_for_predecessors(struct gst_order_builder *b, gst_op_id op, size_t first_edge,
				  enum gst_rule rule, enum gst_strength strength)
{
	uint32_t before = b->op_before[op];
	size_t end = b->edges.count;

	if (before != GST_NONE)
		gst_order_add_wait(b, before & ~GST_BEFORE_F1, b->m->ops[op].call, rule, strength);
	for (size_t i = first_edge; i < end; i++) {
		struct gst_stored_edge e = b->edges.data[i];

		if (e.to != op || e.form != GST_END_BEGIN)
			continue;
		gst_order_add_wait(b, e.from, b->m->ops[op].call, rule,
				   e.strength == GST_DOCUMENTED ? strength : GST_POSSIBLE);
	}
}

/* M7: a copy on the device, or a memset of its memory, that is marked returns when it is done. */
static void rule_m7(struct gst_order_builder *b, gst_op_id op)
{
	const struct gst_op *o = &b->m->ops[op];

	if (gst_order_is_marked(b, o->call))
		gst_order_add_wait(b, op, o->call, GST_RULE_M7, GST_DOCUMENTED);
}

/*
 * H4 to H6 for managed memory, and for asynchronous copies to pageable memory: promised for CUDA 11; since 12.2 its
 * documentation says "may".
 */
static enum gst_strength once_promised(const struct gst_order_builder *b, const struct gst_op *o)
{
	uint32_t thread = b->m->calls[o->call].thread;

	return b->processes[b->m->threads[thread].process].is_cuda_11 ? GST_DOCUMENTED
								      : GST_POSSIBLE;
}

/* H4: which copies are host waits, and for what. */
static void rule_h4(struct gst_order_builder *b, gst_op_id op, size_t first_edge)
{
	const struct gst_op *o = &b->m->ops[op];
	struct copy_form f = form_of(b, o);

	if (f.is_peer)
		return;
	if (f.is_device_only) {
		rule_m7(b, op);
	} else if (f.is_host_only || f.to_host) {
		gst_order_add_wait(b, op, o->call, GST_RULE_H4, GST_DOCUMENTED);
	} else if (f.to_device && f.has_record && f.host_memory == GST_MEM_PINNED) {
		gst_order_add_wait(b, op, o->call, GST_RULE_H4, GST_DOCUMENTED);
	} else if (f.to_device && !is_managed(f.host_memory)) {
		/* Staged: the call returns before the copy ends. */
		wait_for_predecessors(b, op, first_edge, GST_RULE_H4, GST_DOCUMENTED);
	} else if (f.has_record && is_managed(f.host_memory)) {
		wait_for_predecessors(b, op, first_edge, GST_RULE_H4, once_promised(b, o));
	}
}

/* H5: asynchronous copies that may wait all the same. A host-to-host one is a documented wait (H4). */
static void rule_h5(struct gst_order_builder *b, gst_op_id op, size_t first_edge)
{
	const struct gst_op *o = &b->m->ops[op];
	struct copy_form f = form_of(b, o);

	if (f.is_peer)
		return;
	if (f.is_host_only) {
		gst_order_add_wait(b, op, o->call, GST_RULE_H4, GST_DOCUMENTED);
	} else if (!f.has_record) {
		return;
	} else if (f.to_host && f.host_memory == GST_MEM_PAGEABLE) {
		gst_order_add_wait(b, op, o->call, GST_RULE_H5, once_promised(b, o));
	} else if (is_managed(f.host_memory)) {
		wait_for_predecessors(b, op, first_edge, GST_RULE_H5, once_promised(b, o));
	} else if (f.to_device && f.host_memory == GST_MEM_PAGEABLE) {
		wait_for_predecessors(b, op, first_edge, GST_RULE_H5, GST_POSSIBLE);
	}
}

/* H6: a memset call of host memory returns when it is done; of device memory it does not wait. */
static void rule_h6(struct gst_order_builder *b, gst_op_id op)
{
	const struct gst_op *o = &b->m->ops[op];
	uint8_t memory;

	if (o->kind != GST_OP_MEMSET || o->detail == GST_NONE)
		return;
	memory = b->m->memsets[o->detail].memory_kind;
	if (memory == GST_MEM_PINNED) {
		gst_order_add_wait(b, op, o->call, GST_RULE_H6, GST_DOCUMENTED);
	} else if (is_managed(memory)) {
		gst_order_add_wait(b, op, o->call, GST_RULE_H6, once_promised(b, o));
	} else if (memory == GST_MEM_DEVICE || memory == GST_MEM_DEVICE_STATIC) {
		rule_m7(b, op);
	}
}

static bool may_block(struct gst_order_builder *b, const struct gst_call *c)
{
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->m->args[c->args];
	const struct gst_api *api;

	switch (c->cls) {
	case GST_API_CLASS_FREE:
		/* cudaFree(NULL) does nothing; a stream-ordered pointer is freed in its stream. */
		api = gst_api_find(c->api);
		if (api && api->layout == GST_PARAMS_FREE && (!args || !args->a))
			return false;
		if (!args || !args->a)
			return true;
		return !gst_map_remove(&b->processes[b->m->threads[c->thread].process].ordered,
				       args->a);
	case GST_API_CLASS_HOST_FREE:
	case GST_API_CLASS_HOST_UNREGISTER:
	case GST_API_CLASS_MODULE:
	case GST_API_CLASS_LIMIT:
		return true;
	case GST_API_CLASS_POOL:
		api = gst_api_find(c->api);
		return api && api->layout == GST_PARAMS_POOL_TRIM;
	case GST_API_CLASS_OTHER:
		api = gst_api_find(c->api);
		return api && !strcmp(api->name, "cuMemUnmap");
	default:
		return false;
	}
}

static bool may_be_barrier(const struct gst_call *c)
{
	const struct gst_api *api = c->cls == GST_API_CLASS_OTHER ? gst_api_find(c->api) : NULL;

	return api &&
	       (strstr(api->name, "SetCacheConfig") || strstr(api->name, "SetSharedMemConfig"));
}

/* H7: calls that are known to wait for the whole context at times. */
static void rule_h7(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];

	if (may_be_barrier(c))
		gst_order_rule_h7_barrier(b, call);
	if (c->ctx != GST_NONE && may_block(b, c))
		gst_order_wait_for_lanes(b, call, &b->contexts[c->ctx], COLLECT_H7, GST_RULE_H7,
					 GST_POSSIBLE);
}

/* H8: with CUDA_LAUNCH_BLOCKING=1 a launch returns when its kernel is done; of a graph, as seen, too. */
static void rule_h8(struct gst_order_builder *b, gst_op_id op)
{
	const struct gst_op *o = &b->m->ops[op];

	if (o->kind == GST_OP_KERNEL) {
		gst_order_add_wait(b, op, o->call, GST_RULE_H8, GST_DOCUMENTED);
	} else if (o->kind == GST_OP_GRAPH_LAUNCH) {
		gst_order_add_wait(b, op, o->call, GST_RULE_H8, GST_POSSIBLE);
	}
}

/* Waits of a call for what it submitted itself; @first_edge: the first edge of its op. */
static void own_waits(struct gst_order_builder *b, gst_op_id op, size_t first_edge)
{
	const struct gst_call *c = &b->m->calls[b->m->ops[op].call];
	bool is_sync = c->api_flags & GST_API_SYNC_FORM;

	if (c->flags & GST_CALL_RETURNED && c->result)
		return;
	if (c->cls == GST_API_CLASS_COPY) {
		if (is_sync) {
			rule_h4(b, op, first_edge);
		} else {
			rule_h5(b, op, first_edge);
		}
	} else if (c->cls == GST_API_CLASS_MEMSET && is_sync) {
		rule_h6(b, op);
	} else if ((c->cls == GST_API_CLASS_LAUNCH || c->cls == GST_API_CLASS_GRAPH_LAUNCH) &&
		   b->processes[b->m->threads[c->thread].process].is_launch_blocking) {
		rule_h8(b, op);
	}
}

static void host_waits(struct gst_order_builder *b, gst_call_id call)
{
	const struct gst_call *c = &b->m->calls[call];
	bool has_returned = c->flags & GST_CALL_RETURNED;
	uint64_t second;

	if (c->flags & (GST_CALL_NO_ENTER | GST_CALL_CAPTURED) || (has_returned && c->result))
		return;
	switch (c->cls) {
	case GST_API_CLASS_STREAM_SYNC:
		rule_h1_stream(b, call, GST_RULE_H1);
		return;
	case GST_API_CLASS_STREAM_QUERY:
		/* H2: one that says "ready" is a wait; a call that never returned said nothing. */
		if (has_returned)
			rule_h1_stream(b, call, GST_RULE_H2);
		return;
	case GST_API_CLASS_EVENT_SYNC:
		rule_h1_event(b, call, c->event, c->sync_id, GST_RULE_H1, true);
		return;
	case GST_API_CLASS_EVENT_QUERY:
		if (has_returned)
			rule_h1_event(b, call, c->event, c->sync_id, GST_RULE_H2, true);
		return;
	case GST_API_CLASS_EVENT_ELAPSED:
		if (!has_returned || c->args == GST_NONE)
			return;
		rule_h1_event(b, call, c->event, 0, GST_RULE_H2, true);
		second = b->m->args[c->args].b;
		if (second < b->m->event_count && (gst_event_id)second != c->event)
			rule_h1_event(b, call, (gst_event_id)second, 0, GST_RULE_H2, false);
		return;
	case GST_API_CLASS_CTX_SYNC:
		rule_h1_context(b, call);
		return;
	case GST_API_CLASS_CTX_DESTROY:
	case GST_API_CLASS_DEVICE_RESET:
		gst_order_rule_h10(b, call);
		return;
	default:
		rule_h7(b, call);
		return;
	}
}

void gst_order_apply_rules(struct gst_order_builder *b)
{
	for (gst_call_id call = 0; call < b->m->call_count; call++) {
		const struct gst_call *c = &b->m->calls[call];

		b->call = call;
		b->first_op = b->end_op;
		b->end_op += c->op_count;
		rule_t1(b, call);
		gst_order_note_marks(b, call);
		if (c->flags & GST_CALL_LOADED)
			gst_order_rule_h7_loading(b, call);
		if (c->cls == GST_API_CLASS_LAUNCH && c->op_count > 1)
			gst_order_rule_m6_before(b, call);
		for (uint32_t i = 0; i < c->op_count; i++) {
			gst_op_id op = c->first_op + i;
			size_t first_edge = b->edges.count;

			rule_u1_g2(b, op);
			if (b->m->ops[op].flags & GST_OP_NODE)
				continue;
			if (b->m->ops[op].stream != GST_NONE)
				stream_rules(b, op);
			event_rules(b, op);
			object_rules(b, op);
			own_waits(b, op, first_edge);
		}
		if (c->cls == GST_API_CLASS_LAUNCH && c->op_count > 1)
			gst_order_rule_m6_after(b, call);
		if (c->api_flags & GST_API_BATCH && c->op_count > 1)
			gst_order_join_batch(b, call);
		if (c->cls == GST_API_CLASS_GRAPH_LAUNCH && c->op_count > 1)
			gst_order_graph_rules(b, c->first_op);
		forget_record(b, call);
		forget_objects(b, call);
		host_waits(b, call);
		if (c->flags & GST_CALL_HELD)
			gst_order_rule_h9(b, call);
	}
}
