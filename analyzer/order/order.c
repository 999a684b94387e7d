/*
 * order.c - build, seal and read the graph.
 *
 * Role      : model in, graph out; everything after this asks through order.h.
 * Method    : rules.c says what edges there are; seal sorts those that are stored by the node they reach
 *             (counting sort) and gives each point its place in a topological order (topology.c).
 * Invariant : after seal nothing changes.
 * Not here  : the rules (rules.c), reachability (reach.c), paths (explain.c).
 */
#include "analyzer/base/assert.h"
#include "analyzer/base/parallel.h"
#include "analyzer/base/sort.h"
#include "analyzer/order/order_internal.h"

#define MAX_NODES (UINT32_MAX / 2 - 16)

static const struct {
	const char *id, *text, *source;
} rules[] = {
#define GST_RULE(ID, strength, text, source) {#ID, text, source},
#include "analyzer/order/rules.def"
#undef GST_RULE
};

_Static_assert(GST_RULE_COUNT <= 64, "a rule is a bit of gst_path_query.without_rules");

const char *gst_rule_id(enum gst_rule r)
{
	return rules[r].id;
}

const char *gst_rule_text(enum gst_rule r)
{
	return rules[r].text;
}

const char *gst_rule_source(enum gst_rule r)
{
	return rules[r].source;
}

gst_point_id gst_edge_from_point(const struct gst_edge *e)
{
	switch ((enum gst_form)e->form) {
	case GST_BEGIN_BEGIN:
	case GST_ENTER_BEGIN:
		return gst_point_begin(e->from);
	case GST_END_BEGIN:
	case GST_END_EXIT:
	case GST_EXIT_ENTER:
		break;
	}
	return gst_point_end(e->from);
}

gst_point_id gst_edge_to_point(const struct gst_edge *e)
{
	return e->form == GST_END_EXIT ? gst_point_end(e->to) : gst_point_begin(e->to);
}

/* ---- before the rules ------------------------------------------------------------------------------------ */

struct raw_window {
	uint32_t process;
	struct gst_window w;
};

static void add_window(struct raw_window *list, size_t *count, uint32_t process, uint64_t from_ns,
		       uint64_t to_ns)
{
	struct raw_window *last = *count ? &list[*count - 1] : NULL;

	if (last && last->process == process && last->w.to_ns >= from_ns) {
		last->w.to_ns = to_ns > last->w.to_ns ? to_ns : last->w.to_ns;
	} else {
		list[(*count)++] = (struct raw_window){process, {from_ns, to_ns}};
	}
}

/* Losses and gaps of each process: merged, in order of time. */
static void find_windows(struct gst_order_builder *b)
{
	const struct gst_model *m = b->m;
	size_t most = (size_t)m->loss_count + m->gap_count;
	struct gst_sort_item *items = gst_mem_alloc(most * sizeof(*items));
	struct raw_window *list = gst_mem_alloc(most * sizeof(*list));
	uint32_t *first = GST_ARENA_ARRAY(b->arena, uint32_t, (size_t)m->process_count + 1);
	struct gst_window *out;
	size_t count = 0;
	size_t kept = 0;

	for (uint32_t i = 0; i < m->loss_count; i++) {
		if (gst_loss_touches_calls(&m->losses[i]))
			items[count++] = (struct gst_sort_item){m->losses[i].since_ns, i, 0};
	}
	for (uint32_t i = 0; i < m->gap_count; i++)
		items[count++] = (struct gst_sort_item){m->gaps[i].from_ns, i, 1};
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++)
		items[i].key = items[i].extra ? m->gaps[items[i].value].process
					      : m->losses[items[i].value].process;
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		const struct gst_gap *g = items[i].extra ? &m->gaps[items[i].value] : NULL;
		const struct gst_loss *l = items[i].extra ? NULL : &m->losses[items[i].value];

		if (g) {
			add_window(list, &kept, g->process, g->from_ns, g->to_ns);
		} else {
			add_window(list, &kept, l->process, l->since_ns,
				   l->until_ns ? l->until_ns : UINT64_MAX);
		}
	}
	out = GST_ARENA_ARRAY(b->arena, struct gst_window, kept);
	for (size_t i = 0; i < kept; i++) {
		out[i] = list[i].w;
		first[list[i].process + 1]++;
	}
	for (uint32_t i = 0; i < m->process_count; i++)
		first[i + 1] += first[i];
	b->o->windows = out;
	b->o->window_first = first;
	gst_mem_free(list, most * sizeof(*list));
	gst_mem_free(items, most * sizeof(*items));
}

bool gst_order_lost_between(const struct gst_order *o, uint32_t process, uint64_t from_ns,
			    uint64_t to_ns)
{
	uint32_t low = o->window_first[process];
	uint32_t end = o->window_first[process + 1];
	uint32_t high = end;

	/* The first one that does not end before @from_ns. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (o->windows[middle].to_ns < from_ns) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < end && o->windows[low].from_ns <= to_ns;
}

static bool string_is(const struct gst_model *m, uint32_t id, const char *text)
{
	size_t length;
	const char *s = gst_strtab_get(m->strings, id, &length);

	return length == strlen(text) && !memcmp(s, text, length);
}

static void find_settings(struct gst_order_builder *b)
{
	for (uint32_t i = 0; i < b->m->process_count; i++) {
		const struct gst_process *p = &b->m->processes[i];

		b->processes[i].is_cuda_11 = p->has_process && p->rec.driver_version / 1000 == 11;
	}
	for (uint32_t i = 0; i < b->m->variable_count; i++) {
		const struct gst_variable *v = &b->m->variables[i];

		if (string_is(b->m, v->name, "CUDA_LAUNCH_BLOCKING") &&
		    string_is(b->m, v->value, "1"))
			b->processes[v->process].is_launch_blocking = true;
	}
}

/* Events that @c records: a launch may record two, by attributes. */
static uint32_t recorded(const struct gst_model *m, const struct gst_call *c,
			 gst_event_id events[2])
{
	uint32_t count = 0;

	if ((c->cls != GST_API_CLASS_EVENT_RECORD && c->cls != GST_API_CLASS_LAUNCH) ||
	    c->event == GST_NONE || (c->flags & GST_CALL_RETURNED && c->result))
		return 0;
	events[count++] = c->event;
	if (c->cls == GST_API_CLASS_LAUNCH && c->args != GST_NONE &&
	    m->args[c->args].b < m->event_count && m->args[c->args].b != c->event)
		events[count++] = (gst_event_id)m->args[c->args].b;
	return count;
}

static gst_op_id last_op(const struct gst_call *c)
{
	return c->first_op + c->op_count - 1;
}

/* Event records that are nodes of the launch @c. */
static uint32_t count_node_records(const struct gst_model *m, const struct gst_call *c)
{
	uint32_t count = 0;

	for (uint32_t i = c->op_count; c->cls == GST_API_CLASS_GRAPH_LAUNCH && i-- > 0;) {
		const struct gst_op *op = &m->ops[c->first_op + i];

		/* They come last. */
		if (op->kind != GST_OP_EVENT_RECORD || op->event == GST_NONE)
			break;
		count++;
	}
	return count;
}

struct found_record {
	gst_event_id event;
	gst_call_id call;
};

/* One pass over the calls: those that record each event, and who marks memory. */
static void look_through_calls(struct gst_order_builder *b)
{
	GST_VEC(struct found_record) found = {0};
	const struct gst_model *m = b->m;
	gst_event_id events[2];

	b->record_first = gst_mem_alloc(((size_t)m->event_count + 2) * sizeof(*b->record_first));
	for (gst_call_id i = 0; i < m->call_count; i++) {
		uint32_t count = recorded(m, &m->calls[i], events);

		if (m->calls[i].cls == GST_API_CLASS_OTHER)
			gst_order_find_marks(b, i);
		for (uint32_t k = 0; k < count; k++)
			gst_vec_push(&found,
				     ((struct found_record){.event = events[k], .call = i}));
		for (uint32_t k = count_node_records(m, &m->calls[i]); k-- > 0;) {
			gst_event_id event = m->ops[last_op(&m->calls[i]) - k].event;

			gst_vec_push(&found, ((struct found_record){.event = event, .call = i}));
		}
	}
	b->record_count = (uint32_t)found.count;
	for (size_t i = 0; i < found.count; i++)
		b->record_first[found.data[i].event + 2]++;
	for (uint32_t i = 2; i < m->event_count + 2; i++)
		b->record_first[i] += b->record_first[i - 1];
	b->record_calls = gst_mem_alloc(b->record_count * sizeof(*b->record_calls));
	for (size_t i = 0; i < found.count; i++)
		b->record_calls[b->record_first[found.data[i].event + 1]++] = found.data[i].call;
	gst_vec_free(&found);
}

/* Of records with one number none is known to be meant: the first one stands for them. */
static void sort_numbered(struct gst_numbered *list, uint32_t count)
{
	struct gst_sort_item *items;
	bool is_sorted = true;

	/* CUPTI counts up. */
	for (uint32_t i = 1; i < count && is_sorted; i++)
		is_sorted = list[i - 1].sync_id <= list[i].sync_id;
	if (is_sorted)
		return;
	items = gst_mem_alloc(count * sizeof(*items));
	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct gst_sort_item){.key = list[i].sync_id, .value = list[i].record};
	gst_sort_items(items, count);
	for (uint32_t i = 0; i < count; i++)
		list[i] = (struct gst_numbered){(uint32_t)items[i].key, items[i].value};
	gst_mem_free(items, count * sizeof(*items));
}

/* One pass over the ops: the records that CUPTI numbered, by event. */
static void look_through_ops(struct gst_order_builder *b)
{
	const struct gst_model *m = b->m;
	GST_VEC(gst_op_id) found = {0};
	uint32_t *first = gst_mem_alloc(((size_t)m->event_count + 2) * sizeof(*first));

	for (gst_op_id i = 0; i < m->op_count && m->event_count; i++) {
		const struct gst_op *op = &m->ops[i];

		if (op->kind == GST_OP_EVENT_RECORD && op->sync_id && op->event != GST_NONE) {
			first[op->event + 2]++;
			gst_vec_push(&found, i);
		}
	}
	for (uint32_t i = 2; i < m->event_count + 2; i++)
		first[i] += first[i - 1];
	b->numbered_count = (uint32_t)found.count;
	b->numbered = gst_mem_alloc(found.count * sizeof(*b->numbered));
	for (size_t i = 0; i < found.count; i++) {
		const struct gst_op *op = &m->ops[found.data[i]];

		b->numbered[first[op->event + 1]++] =
			(struct gst_numbered){op->sync_id, found.data[i]};
	}
	for (uint32_t i = 0; i < m->event_count; i++)
		sort_numbered(b->numbered + first[i], first[i + 1] - first[i]);
	b->numbered_first = first;
	gst_vec_free(&found);
}

gst_op_id gst_order_numbered(const struct gst_order_builder *b, gst_event_id event,
			     uint32_t sync_id)
{
	uint32_t low = b->numbered_first[event];
	uint32_t end = b->numbered_first[event + 1];
	uint32_t high = end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (b->numbered[middle].sync_id < sync_id) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < end && b->numbered[low].sync_id == sync_id ? b->numbered[low].record
								: GST_NONE;
}

/* What the rules look ahead for, each in a thread of its own. */
static void look_ahead(uint32_t index, void *payload)
{
	if (index == 0) {
		look_through_calls(payload);
	} else {
		look_through_ops(payload);
	}
}

static void init(struct gst_order_builder *b)
{
	const struct gst_model *m = b->m;

	b->is_one_thread = m->thread_count < 2;
	b->lanes = gst_mem_alloc(m->stream_count * sizeof(*b->lanes));
	b->contexts = gst_mem_alloc(m->context_count * sizeof(*b->contexts));
	b->events = gst_mem_alloc(m->event_count * sizeof(*b->events));
	b->noted = gst_mem_alloc(b->is_one_thread ? 1 : m->call_count * sizeof(*b->noted));
	b->last_call = gst_mem_alloc(m->thread_count * sizeof(*b->last_call));
	b->processes = gst_mem_alloc(m->process_count * sizeof(*b->processes));
	for (uint32_t i = 0; i < m->stream_count; i++)
		b->lanes[i].collected_call = GST_NONE;
	for (uint32_t i = 0; i < m->context_count; i++) {
		struct gst_order_ctx *ctx = &b->contexts[i];

		for (size_t k = 0; k < COLLECT_COUNT; k++)
			ctx->barrier[k] = ctx->all_greens[k] = ctx->joined[k] = GST_NONE;
		ctx->first_green = ctx->next_green = GST_NONE;
		ctx->primary = m->contexts[i].parent;
	}
	for (uint32_t i = m->context_count; i-- > 0;) {
		uint32_t parent = m->contexts[i].parent;

		if (parent == GST_NONE)
			continue;
		b->contexts[i].next_green = b->contexts[parent].first_green;
		b->contexts[parent].first_green = i;
		b->contexts[parent].green_count++;
	}
	for (uint32_t i = 0; i < m->thread_count; i++)
		b->last_call[i] = GST_NONE;
	gst_parallel_run(2, look_ahead, b);
	gst_order_find_values(b);
	gst_order_init_graphs(b);
	find_windows(b);
	find_settings(b);
}

static void release(struct gst_order_builder *b)
{
	const struct gst_model *m = b->m;

	for (uint32_t i = 0; i < m->context_count; i++) {
		for (size_t k = 0; k < COLLECT_COUNT; k++) {
			gst_vec_free(&b->contexts[i].dirty[k]);
			gst_vec_free(&b->contexts[i].new_greens[k]);
		}
	}
	for (uint32_t i = 0; i < m->process_count; i++) {
		gst_map_release(&b->processes[i].execs);
		gst_map_release(&b->processes[i].frees);
		gst_map_release(&b->processes[i].ordered);
		gst_map_release(&b->processes[i].values);
		gst_map_release(&b->processes[i].sizes);
	}
	gst_mem_free(b->lanes, m->stream_count * sizeof(*b->lanes));
	gst_mem_free(b->contexts, m->context_count * sizeof(*b->contexts));
	gst_mem_free(b->events, m->event_count * sizeof(*b->events));
	gst_mem_free(b->record_first, ((size_t)m->event_count + 2) * sizeof(*b->record_first));
	gst_mem_free(b->record_calls, b->record_count * sizeof(*b->record_calls));
	gst_mem_free(b->noted, b->is_one_thread ? 1 : m->call_count * sizeof(*b->noted));
	gst_mem_free(b->last_call, m->thread_count * sizeof(*b->last_call));
	gst_mem_free(b->processes, m->process_count * sizeof(*b->processes));
	gst_order_release_graphs(b);
	gst_vec_free(&b->vague_launches);
	gst_mem_free(b->numbered_first, ((size_t)m->event_count + 2) * sizeof(*b->numbered_first));
	gst_mem_free(b->numbered, b->numbered_count * sizeof(*b->numbered));
	gst_map_release(&b->pairs);
	gst_vec_free(&b->edges);
	gst_vec_free(&b->owners);
	gst_vec_free(&b->backward);
	gst_vec_free(&b->pool);
	gst_vec_free(&b->preds);
	gst_vec_free(&b->afters);
	gst_vec_free(&b->exec_fronts);
	gst_vec_free(&b->value_lists);
	gst_vec_free(&b->value_writes);
	gst_vec_free(&b->marks);
	gst_vec_free(&b->ambiguous);
	gst_vec_free(&b->op_refs);
	gst_vec_free(&b->call_refs);
}

/* ---- seal -------------------------------------------------------------------------------------------------- */

static uint32_t run_of(const struct gst_order_view *v, gst_node_id n)
{
	return v->runs_before[n / 64 + 1] -
	       (uint32_t)__builtin_popcountll(v->has_run[n / 64] >> (n % 64));
}

/* What was given in the order of calls, by the node that it reaches: into each its edges as they were given. */
static void sort_edges(struct gst_order_builder *b)
{
	struct gst_order_view *v = &b->o->v;
	size_t words = v->node_count / 64 + (size_t)1;
	uint64_t *has_run = GST_ARENA_ARRAY(b->arena, uint64_t, words);
	uint32_t *runs_before = GST_ARENA_ARRAY(b->arena, uint32_t, words + 1);
	struct gst_stored_edge *stored =
		GST_ARENA_ARRAY(b->arena, struct gst_stored_edge, b->edges.count);
	uint32_t *first;

	for (size_t i = 0; i < b->edges.count; i++)
		has_run[b->edges.data[i].to / 64] |= UINT64_C(1) << (b->edges.data[i].to % 64);
	for (size_t i = 0; i < words; i++)
		runs_before[i + 1] = runs_before[i] + (uint32_t)__builtin_popcountll(has_run[i]);
	v->has_run = has_run;
	v->runs_before = runs_before;
	/* Counts go two places on: filling then moves each start to where it belongs. */
	first = GST_ARENA_ARRAY(b->arena, uint32_t, (size_t)runs_before[words] + 2);
	for (size_t i = 0; i < b->edges.count; i++)
		first[run_of(v, b->edges.data[i].to) + 2]++;
	for (size_t i = 2; i < (size_t)runs_before[words] + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < b->edges.count; i++)
		stored[first[run_of(v, b->edges.data[i].to) + 1]++] = b->edges.data[i];
	v->run_first = first;
	v->stored = stored;
	gst_vec_free(&b->edges);
}

static void count_barriers(struct gst_order_builder *b)
{
	struct gst_order *o = b->o;
	size_t blocks = o->m->call_count / 64 + (size_t)1;
	uint32_t *before = GST_ARENA_ARRAY(b->arena, uint32_t, blocks + 1);

	for (size_t i = 0; i < b->owners.count; i++)
		before[(b->owners.data[i] - o->v.op_count) / 64 + 1]++;
	for (size_t i = 0; i < blocks; i++)
		before[i + 1] += before[i];
	o->barriers_before = before;
	o->ops_of_calls = b->end_op;
}

static void seal(struct gst_order_builder *b)
{
	struct gst_order *o = b->o;

	o->v.node_count = o->v.barrier_base + (uint32_t)b->owners.count;
	o->v.edge_count = b->made_edges + (uint32_t)b->edges.count;
	o->v.edge_bound = o->v.stored_base + (gst_edge_id)b->edges.count;
	o->v.barrier_owner =
		gst_arena_copy(b->arena, b->owners.data, b->owners.count * sizeof(*b->owners.data));
	sort_edges(b);
	count_barriers(b);
	gst_order_seal_topology(o, b->backward.data, b->backward.count, b->arena);
	o->op_refs = gst_arena_copy(b->arena, b->op_refs.data,
				    b->op_refs.count * sizeof(*b->op_refs.data));
	o->op_ref_count = (uint32_t)b->op_refs.count;
	o->call_refs = gst_arena_copy(b->arena, b->call_refs.data,
				      b->call_refs.count * sizeof(*b->call_refs.data));
	o->call_ref_count = (uint32_t)b->call_refs.count;
	o->ambiguous = gst_arena_copy(b->arena, b->ambiguous.data,
				      b->ambiguous.count * sizeof(*b->ambiguous.data));
	o->ambiguous_count = (uint32_t)b->ambiguous.count;
	o->vague_launches =
		gst_arena_copy(b->arena, b->vague_launches.data,
			       b->vague_launches.count * sizeof(*b->vague_launches.data));
	o->vague_launch_count = (uint32_t)b->vague_launches.count;
	o->stats.vague_launches = b->vague_launches.count;
}

static void begin(struct gst_order_builder *b)
{
	const struct gst_model *m = b->m;
	struct gst_order *o = gst_arena_alloc(b->arena, sizeof(*o));

	o->m = m;
	o->v.op_count = m->op_count;
	o->v.barrier_base = m->op_count + m->call_count;
	o->v.stored_base = 2 * m->op_count + m->call_count;
	o->v.ops = m->ops;
	o->v.calls = m->calls;
	b->o = o;
	b->op_before = GST_ARENA_ARRAY(b->arena, uint32_t, m->op_count);
	memset(b->op_before, 0xff, m->op_count * sizeof(*b->op_before));
	o->v.op_before = b->op_before;
	b->call_before = GST_ARENA_ARRAY(b->arena, gst_call_id, m->call_count);
	o->v.call_before = b->call_before;
	init(b);
}

static gst_status finish(struct gst_order_builder *b, const struct gst_order **out,
			 struct gst_err *err)
{
	gst_status st = GST_OK;

	if (b->edges.count > UINT32_MAX - 16 - b->o->v.stored_base ||
	    (uint64_t)b->o->v.barrier_base + b->owners.count > MAX_NODES) {
		st = gst_err_set(err, GST_E_LIMIT, "more than %u edges or %u nodes",
				 UINT32_MAX - 16, MAX_NODES);
	} else {
		seal(b);
		*out = b->o;
	}
	release(b);
	return st;
}

gst_status gst_order_build_beside(const struct gst_model *m, struct gst_arena *arena,
				  void (*beside)(void *payload), void *payload,
				  const struct gst_order **out, struct gst_err *err)
{
	struct gst_order_builder b = {.arena = arena, .m = m};
	struct gst_beside other;

	/* A call makes one barrier point for its context and one for each of its green contexts. */
	if ((uint64_t)m->op_count + m->call_count > MAX_NODES / 2) {
		if (beside)
			beside(payload);
		return gst_err_set(err, GST_E_LIMIT, "more than %u ops and calls", MAX_NODES / 2);
	}
	/* Looking ahead has work for two threads, the rules for one. */
	begin(&b);
	if (beside)
		gst_parallel_begin(&other, beside, payload);
	gst_order_apply_rules(&b);
	if (beside)
		gst_parallel_end(&other);
	return finish(&b, out, err);
}

gst_status gst_order_build(const struct gst_model *m, struct gst_arena *arena,
			   const struct gst_order **out, struct gst_err *err)
{
	return gst_order_build_beside(m, arena, NULL, NULL, out, err);
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

gst_edge_id gst_order_next_edge(const struct gst_order *o, gst_edge_id e)
{
	const struct gst_order_view *v = &o->v;

	while (e < v->op_count && gst_order_origin(o, e) == GST_NONE)
		e++;
	while (e >= v->op_count && e < 2 * v->op_count && v->op_before[e - v->op_count] == GST_NONE)
		e++;
	while (e >= 2 * v->op_count && e < v->stored_base &&
	       v->call_before[e - 2 * v->op_count] == GST_NONE)
		e++;
	return e;
}

struct gst_order_outs gst_order_group_out(const struct gst_order *o, struct gst_arena *arena)
{
	uint32_t *first = GST_ARENA_ARRAY(arena, uint32_t, (size_t)o->v.node_count + 2);
	gst_edge_id *ids = GST_ARENA_ARRAY(arena, gst_edge_id, o->v.edge_count);
	gst_edge_id e;

	/* Counts go two places on, as in sort_edges. */
	for (e = gst_order_next_edge(o, 0); e < o->v.edge_bound; e = gst_order_next_edge(o, e + 1))
		first[gst_order_edge(o, e).from + 2]++;
	for (uint32_t n = 1; n < o->v.node_count; n++)
		first[n + 1] += first[n];
	for (e = gst_order_next_edge(o, 0); e < o->v.edge_bound; e = gst_order_next_edge(o, e + 1))
		ids[first[gst_order_edge(o, e).from + 1]++] = e;
	return (struct gst_order_outs){.ids = ids, .first = first};
}

static const struct gst_ref *find_ref(const struct gst_ref *refs, uint32_t count, gst_node_id node)
{
	uint32_t low = 0;
	uint32_t high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (refs[middle].node < node) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < count && refs[low].node == node ? &refs[low] : NULL;
}

enum gst_record_ref gst_order_record_of(const struct gst_order *o, gst_node_id wait,
					gst_op_id *record)
{
	const struct gst_ref *r = gst_node_is_op(o, wait)
					  ? find_ref(o->op_refs, o->op_ref_count, wait)
					  : find_ref(o->call_refs, o->call_ref_count, wait);

	*record = r ? r->record : GST_NONE;
	return r ? (enum gst_record_ref)r->kind : GST_REF_UNKNOWN;
}

const struct gst_order_stats *gst_order_stats(const struct gst_order *o)
{
	return &o->stats;
}

const struct gst_ambiguous_pair *gst_order_ambiguous(const struct gst_order *o, uint32_t *count)
{
	*count = o->ambiguous_count;
	return o->ambiguous;
}
