/*
 * site.c - questions about the place in the program that several checks ask.
 *
 * Role      : what a thread did next, what a call waited for, whether two ops have another relation.
 * Method    : a thread's calls are in order; ops' ids are in order of submission, so a search from an op
 *             back to an earlier one never looks at what was submitted before that one.
 * Invariant : every search is bounded; one that was given up claims nothing.
 * Not here  : costs (report.c).
 */
#include "analyzer/check/check_internal.h"

#include "analyzer/base/assert.h"

#define BARRIERS_MAX 256u
#define CALLS_MAX    1000u /* looked at after a wait: within 20 us there are fewer */
#define AWAITED_MAX  4096u

/* Where @call stands among the calls of its thread: mostly soon after the one asked for before. */
static uint32_t position(const struct gst_check_run *r, gst_call_id call)
{
	uint32_t *at = &r->thread_at[r->m->calls[call].thread];
	const struct gst_thread *t = &r->m->threads[r->m->calls[call].thread];
	uint32_t low = 0, high = t->call_count;

	if (t->calls[*at] <= call) {
		uint32_t step = 1;

		low = *at;
		while (low + step < high && t->calls[low + step] <= call) {
			low += step;
			step *= 2;
		}
		high = low + step < high ? low + step : high;
	}
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (t->calls[mid] <= call) {
			low = mid;
		} else {
			high = mid;
		}
	}
	return *at = low;
}

static bool is_work(const struct gst_op *x)
{
	if (x->flags & GST_OP_NODE) {
		return false;
	}
	switch ((enum gst_op_kind)x->kind) {
	case GST_OP_KERNEL:
	case GST_OP_MEMCPY:
	case GST_OP_MEMSET:
	case GST_OP_HOST_FUNC:
	case GST_OP_GRAPH_LAUNCH:
		return true;
	case GST_OP_EVENT_RECORD:
	case GST_OP_EVENT_WAIT:
	case GST_OP_ALLOC:
	case GST_OP_FREE:
	case GST_OP_MEMOP:
	case GST_OP_OPAQUE:
	case GST_OP_KIND_COUNT:
		break;
	}
	return false;
}

static gst_op_id first_work(const struct gst_model *m, const struct gst_call *c)
{
	for (uint32_t i = 0; i < c->op_count; i++) {
		if (is_work(&m->ops[c->first_op + i])) {
			return c->first_op + i;
		}
	}
	return GST_NONE;
}

static bool is_wait(const struct gst_check_run *r, gst_call_id call)
{
	struct gst_edges in;

	switch (r->m->calls[call].cls) {
	case GST_API_CLASS_STREAM_SYNC:
	case GST_API_CLASS_EVENT_SYNC:
	case GST_API_CLASS_CTX_SYNC:
		return true;
	default: /* many classes: any call may wait */
		break;
	}
	in = gst_order_in(r->o, gst_node_of_call(r->o, call));
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(r->o, &in, i);

		if (e.form == GST_END_EXIT && gst_timing_in_force(r->t, e.id)) {
			return true;
		}
	}
	return false;
}

gst_op_id gst_check_next_work(const struct gst_check_run *r, gst_call_id call)
{
	const struct gst_model *m = r->m;
	const struct gst_thread *t = &m->threads[m->calls[call].thread];

	uint32_t first = position(r, call) + 1;

	for (uint32_t i = first; i < t->call_count && i - first < CALLS_MAX; i++) {
		const struct gst_call *c = &m->calls[t->calls[i]];
		gst_op_id op;

		if (c->enter_ns > m->calls[call].exit_ns + GST_SOON_NS ||
		    (c->flags & GST_CALL_NO_ENTER)) {
			return GST_NONE;
		}
		op = first_work(m, c);
		if (op != GST_NONE) {
			return op;
		}
		if (is_wait(r, t->calls[i])) {
			return GST_NONE;
		}
	}
	return GST_NONE;
}

gst_call_id gst_check_next_wait(const struct gst_check_run *r, gst_call_id call)
{
	const struct gst_thread *t = &r->m->threads[r->m->calls[call].thread];

	for (uint32_t i = position(r, call) + 1; i < t->call_count; i++) {
		if (is_wait(r, t->calls[i])) {
			return t->calls[i];
		}
	}
	return GST_NONE;
}

gst_call_id *gst_check_last_work(const struct gst_check_run *r)
{
	const struct gst_model *m = r->m;
	gst_call_id *last = gst_mem_alloc((m->thread_count + (size_t)1) * sizeof(*last));

	for (uint32_t i = 0; i < m->thread_count; i++) {
		last[i] = GST_NONE;
		for (uint32_t j = m->threads[i].call_count; j-- > 0 && last[i] == GST_NONE;) {
			gst_call_id call = m->threads[i].calls[j];
			if (first_work(m, &m->calls[call]) != GST_NONE) {
				last[i] = call;
			}
		}
	}
	return last;
}

/* Put @node into the search; false if it was there, or if there is no room. */
static bool is_new(struct gst_search *s, gst_node_id node)
{
	uint32_t at = (uint32_t)(gst_hash_u64(node) & (SEARCH_SLOTS - 1));

	for (;; at = (at + 1) & (SEARCH_SLOTS - 1)) {
		if (s->slots[at].epoch != s->epoch) {
			s->slots[at].epoch = s->epoch;
			s->slots[at].node = node;
			return true;
		}
		if (s->slots[at].node == node) {
			return false;
		}
	}
}

/* Which of the awaited ops are @x, or come before it in its stream. Returns how many new ones. */
static size_t mark(struct gst_check_run *r, gst_node_id x, struct gst_awaiteds *a)
{
	gst_stream_id stream;
	size_t marked = 0;

	/* A wait for a thousand streams makes each step of the search a thousand. */
	r->search_left -= a->count / 8 < r->search_left ? a->count / 8 : r->search_left;
	if (x >= r->m->op_count) {
		return 0;
	}
	stream = r->m->ops[x].stream;
	for (size_t i = 0; i < a->count; i++) {
		struct gst_awaited *y = &a->data[i];
		if (!y->is_related &&
		    (y->op == x || (y->op < x && y->stream == stream && stream != GST_NONE))) {
			y->is_related = true;
			marked++;
		}
	}
	return marked;
}

static gst_op_id first_unrelated(const struct gst_awaiteds *a)
{
	gst_op_id first = GST_NONE;

	for (size_t i = 0; i < a->count; i++) {
		if (!a->data[i].is_related && a->data[i].op < first) {
			first = a->data[i].op;
		}
	}
	return first;
}

/*
 * Down the stream of @x as long as nothing but the stream leads there: no place in the search is
 * needed for that. GST_NONE: nothing submitted since @first.
 */
static gst_node_id follow_stream(struct gst_check_run *r, gst_node_id x, gst_op_id first)
{
	while (x < r->m->op_count && r->search_left) {
		uint32_t found = 0;
		struct gst_edges in = gst_order_in(r->o, x);
		gst_node_id from = GST_NONE;

		for (uint32_t i = 0; i < in.count; i++) {
			const struct gst_edge e = gst_edges_at(r->o, &in, i);
			if (e.form == GST_END_BEGIN || e.form == GST_BEGIN_BEGIN) {
				found++;
				from = e.from;
			}
		}
		if (found != 1 || from >= r->m->op_count ||
		    r->m->ops[from].stream != r->m->ops[x].stream) {
			return found ? x : GST_NONE;
		}
		if (from < first) {
			return GST_NONE;
		}
		r->search_left--;
		x = from;
	}
	return x;
}

size_t gst_check_relate(struct gst_check_run *r, struct gst_awaiteds *a, gst_op_id work)
{
	struct gst_search *s = r->search;
	uint32_t queued = 1, next = 0;
	size_t related;
	gst_op_id first;

	for (size_t i = 0; i < a->count; i++) {
		a->data[i].is_related = false;
	}
	s->epoch++;
	s->queue[0] = work;
	(void)is_new(s, work);
	related = mark(r, work, a);
	first = first_unrelated(a);
	while (next < queued && related < a->count) {
		gst_node_id x = s->queue[next++];
		struct gst_edges in;

		in = gst_order_in(r->o, x);
		for (uint32_t i = 0; i < in.count; i++) {
			const struct gst_edge e = gst_edges_at(r->o, &in, i);

			/* What was submitted before an op does not come after it. */
			if ((e.form != GST_END_BEGIN && e.form != GST_BEGIN_BEGIN) ||
			    (e.from < r->m->op_count && e.from < first)) {
				continue;
			}
			if (queued == SEARCH_MAX || r->search_left == 0) {
				/* Given up: nothing is claimed of the others. */
				for (size_t j = 0; j < a->count; j++) {
					a->data[j].is_related = true;
				}
				return a->count;
			}
			r->search_left--;
			if (is_new(s, e.from)) {
				gst_node_id at;
				/* Its stream as a whole, down to it, is marked at once. */
				size_t marked = mark(r, e.from, a);

				if (marked) {
					related += marked;
					first = first_unrelated(a);
				}
				at = follow_stream(r, e.from, first);
				if (at != GST_NONE && (at == e.from || is_new(s, at))) {
					s->queue[queued++] = at;
				}
			}
		}
	}
	return related;
}

uint32_t gst_check_binding_path(const struct gst_check_run *r, gst_edge_id last,
				gst_edge_id path[GST_PATH_MAX])
{
	uint32_t count = 0;

	while (last != GST_NONE && count < GST_PATH_MAX) {
		const struct gst_edge e = gst_order_edge(r->o, last);

		if (count && e.form != GST_END_BEGIN && e.form != GST_BEGIN_BEGIN) {
			break;
		}
		path[count++] = last;
		if (gst_node_is_call(r->o, e.from) ||
		    (gst_node_is_op(r->o, e.from) && (r->m->ops[e.from].flags & GST_OP_TIMED))) {
			break;
		}
		last = gst_timing_binding(r->t, e.from, NULL);
	}
	for (uint32_t i = 0; i < count / 2; i++) {
		gst_edge_id x = path[i];
		path[i] = path[count - 1 - i];
		path[count - 1 - i] = x;
	}
	return count;
}

static void take_awaited(const struct gst_check_run *r, gst_edge_id id, uint64_t enter_ns,
			 struct gst_awaiteds *out, bool *has_vague)
{
	gst_op_id op = gst_order_edge(r->o, id).from;
	struct gst_awaited x = {.op = op, .stream = r->m->ops[op].stream, .edge = id};

	x.is_exact = gst_timing_is_exact(r->t, op);
	if (!gst_timing_source_ns(r->t, id, &x.end_ns)) {
		*has_vague = true;
		return;
	}
	*has_vague |= !x.is_exact;
	if (x.end_ns > enter_ns) {
		gst_vec_push(out, x);
	}
}

void gst_check_awaited(const struct gst_check_run *r, gst_call_id call, struct gst_awaiteds *out,
		       bool *has_vague)
{
	uint64_t enter_ns = r->m->calls[call].enter_ns;
	gst_node_id stack[BARRIERS_MAX];
	uint32_t depth = 0, seen = 0;

	*has_vague = false;
	out->count = 0;
	stack[depth++] = gst_node_of_call(r->o, call);
	while (depth) {
		gst_node_id node = stack[--depth];
		bool is_call = gst_node_is_call(r->o, node);
		struct gst_edges in = gst_order_in(r->o, node);

		for (uint32_t i = 0; i < in.count; i++) {
			const struct gst_edge e = gst_edges_at(r->o, &in, i);
			uint64_t end_ns;

			if (++seen > AWAITED_MAX) {
				*has_vague = true;
				return;
			}
			if ((is_call && e.form != GST_END_EXIT) ||
			    !gst_timing_in_force(r->t, e.id)) {
				continue;
			}
			if (gst_node_is_op(r->o, e.from)) {
				take_awaited(r, e.id, enter_ns, out, has_vague);
			} else if (gst_node_is_barrier(r->o, e.from)) {
				/* All that an earlier barrier point stands for was over. */
				if (gst_timing_source_ns(r->t, e.id, &end_ns) &&
				    end_ns <= enter_ns && gst_timing_is_exact(r->t, e.from)) {
					continue;
				}
				if (depth < BARRIERS_MAX) {
					stack[depth++] = e.from;
				} else {
					*has_vague = true;
				}
			}
		}
	}
}
