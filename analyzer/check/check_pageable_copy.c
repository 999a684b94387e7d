/*
 * check_pageable_copy.c - pageable-copy: an "Async" copy of pageable memory that was none.
 *
 * Role      : asynchronous copies whose call took longer than a pinned copy's, or whose copy was slower.
 * Method    : call time above the median call of a pinned copy of the same trace is blocked time; the
 *             replay takes away the call's waits (H5) and that time. The bandwidth is compared with
 *             pinned copies of the same direction and reported apart: it is no part of the cost.
 * Invariant : ranked by stall, never by bytes; a copy that neither blocked nor was slower is no finding.
 * Not here  : forms without Async in their name (check_sync_copy.c).
 */
#include "analyzer/check/check_internal.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/sort.h"

/* A pinned copy's call where the trace has none: 15-20 us on the machines this was seen on. */
#define PINNED_CALL_NS 20000u
/* A call that took so much longer than a pinned one's did something else. */
#define EXCESS_MIN_NS 5000u
/* Blocked or slower for a hundredth of the traced time: worth a line. */
#define SHOWN_SHARE 100u
/* Copies smaller than this are all overhead: no bandwidth is read from them. */
#define BANDWIDTH_MIN_BYTES 65536u

enum { EXTRA_BYTES, EXTRA_SLOWER_NS, EXTRA_WAITED, EXTRA_CALL_NS };

/* What pinned copies of this trace did: median time of a call, bytes per second by direction (h2d, d2h). */
struct pinned {
	uint64_t call_ns;
	uint64_t bytes_per_s[2];
	bool is_measured;
};

struct sample {
	struct gst_sort_item *data;
	size_t count, cap;
};

static uint64_t median(struct sample *s)
{
	gst_sort_items(s->data, s->count);
	return s->data[(s->count - 1) / 2].key;
}

/* 0 h2d, 1 d2h, -1 another direction; @host gets the kind of the host's memory. */
static int direction(const struct gst_copy *c, uint8_t *host)
{
	switch (c->copy_kind) {
	case GST_COPY_HTOD:
	case GST_COPY_HTOA:
		*host = c->src_kind;
		return 0;
	case GST_COPY_DTOH:
	case GST_COPY_ATOH:
		*host = c->dst_kind;
		return 1;
	default: /* copies without the host */
		return -1;
	}
}

/* The copy that @op, of a call that the check looks at, is, if it is an asynchronous one with the host. */
static const struct gst_copy *async_copy(const struct gst_check_run *r, gst_op_id op, int *way,
					 uint8_t *host)
{
	const struct gst_op *x = &r->m->ops[op];
	const struct gst_copy *c;

	if (x->kind != GST_OP_MEMCPY || x->detail == GST_NONE || (x->flags & GST_OP_NODE)) {
		return NULL;
	}
	c = &r->m->copies[x->detail];
	*way = direction(c, host);
	return *way >= 0 && c->is_async ? c : NULL;
}

static uint64_t call_ns(const struct gst_check_run *r, gst_op_id op)
{
	const struct gst_call *c = &r->m->calls[r->m->ops[op].call];
	return c->exit_ns - c->enter_ns;
}

struct copies {
	gst_op_id *data;
	size_t count, cap;
};

static void find_copies(const struct gst_check_run *r, struct copies *copies)
{
	for (size_t i = 0; i < r->calls.count; i++) {
		const struct gst_call *c = &r->m->calls[r->calls.data[i]];

		for (gst_op_id op = c->first_op; op < c->first_op + c->op_count; op++) {
			int way;
			uint8_t host;

			if (async_copy(r, op, &way, &host)) {
				gst_vec_push(copies, op);
			}
		}
	}
}

static void measure_pinned(const struct gst_check_run *r, const struct copies *copies,
			   struct pinned *p)
{
	struct sample calls = {0}, speed[2] = {{0}, {0}};

	for (size_t j = 0; j < copies->count; j++) {
		gst_op_id i = copies->data[j];
		const struct gst_op *x = &r->m->ops[i];
		int way;
		uint8_t host;
		const struct gst_copy *c = async_copy(r, i, &way, &host);

		if (!c || host != GST_MEM_PINNED) {
			continue;
		}
		gst_vec_push(&calls, ((struct gst_sort_item){.key = call_ns(r, i)}));
		if ((x->flags & GST_OP_TIMED) && c->bytes >= BANDWIDTH_MIN_BYTES &&
		    c->bytes < UINT64_MAX / 1000000000 && x->end_ns > x->begin_ns) {
			gst_vec_push(&speed[way],
				     ((struct gst_sort_item){.key = c->bytes * 1000000000 /
								    (x->end_ns - x->begin_ns)}));
		}
	}
	p->is_measured = calls.count > 0;
	p->call_ns = p->is_measured ? median(&calls) : PINNED_CALL_NS;
	for (int way = 0; way < 2; way++) {
		p->bytes_per_s[way] = speed[way].count ? median(&speed[way]) : 0;
		gst_vec_free(&speed[way]);
	}
	gst_vec_free(&calls);
}

static bool reads_pageable(const struct gst_check_run *r, gst_op_id op)
{
	const struct gst_model *m = r->m;
	uint32_t ctx = m->ops[op].stream == GST_NONE ? GST_NONE : m->streams[m->ops[op].stream].ctx;
	uint32_t device = ctx == GST_NONE ? GST_NONE : m->contexts[ctx].device;

	return device != GST_NONE && m->devices[device].rec.host_page_tables == 1;
}

/* By how much the copy itself was slower than a pinned one. */
static uint64_t slower_ns(const struct gst_check_run *r, gst_op_id op, const struct gst_copy *c,
			  uint64_t bytes_per_s)
{
	const struct gst_op *x = &r->m->ops[op];
	uint64_t pinned_ns;

	if (bytes_per_s == 0 || !(x->flags & GST_OP_TIMED) || c->bytes < BANDWIDTH_MIN_BYTES ||
	    c->bytes >= UINT64_MAX / 1000000000) {
		return 0;
	}
	pinned_ns = c->bytes * 1000000000 / bytes_per_s;
	return x->end_ns - x->begin_ns > pinned_ns ? x->end_ns - x->begin_ns - pinned_ns : 0;
}

static void look_at(struct gst_check_run *r, struct gst_groups *groups, const struct pinned *p,
		    gst_op_id op)
{
	const struct gst_model *m = r->m;
	int way;
	uint8_t host;
	const struct gst_copy *c = async_copy(r, op, &way, &host);
	gst_call_id call;
	gst_edge_id binding;
	struct gst_group *g;
	uint64_t spent, excess, slower;
	struct gst_edges in;
	bool did_wait;
	gst_op_id culprit = op;
	gst_edge_id path[GST_PATH_MAX];
	uint32_t path_count;

	if (!c || host != GST_MEM_PAGEABLE || reads_pageable(r, op)) {
		return;
	}
	call = m->ops[op].call;
	spent = call_ns(r, op);
	excess = spent > p->call_ns ? spent - p->call_ns : 0;
	slower = slower_ns(r, op, c, p->bytes_per_s[way]);
	if (excess < EXCESS_MIN_NS && slower < EXCESS_MIN_NS) {
		return;
	}
	binding = gst_timing_binding(r->t, gst_node_of_call(r->o, call), NULL);
	did_wait = binding != GST_NONE && gst_order_edge(r->o, binding).form == GST_END_EXIT;
	g = gst_groups_at(groups,
			  (uint32_t[6]){m->calls[call].api, m->calls[call].thread, (uint32_t)way});
	if (did_wait) {
		path_count = gst_check_binding_path(r, binding, path);
		if (path_count && gst_node_is_op(r->o, gst_order_edge(r->o, path[0]).from)) {
			culprit = gst_order_edge(r->o, path[0]).from;
		}
		if (g->path_count == 0) {
			memcpy(g->path, path, sizeof(path));
			g->path_count = path_count;
		}
	}
	g->extra[EXTRA_BYTES] += c->bytes;
	g->extra[EXTRA_SLOWER_NS] += slower;
	g->extra[EXTRA_WAITED] += did_wait;
	g->extra[EXTRA_CALL_NS] += spent;
	g->reach_ns += spent;
	gst_group_add(g, (struct gst_occurrence){.begin_ns = m->calls[call].exit_ns - excess,
						 .end_ns = m->calls[call].exit_ns,
						 .waiter = gst_check_next_work(r, call),
						 .culprit = culprit,
						 .call = call,
						 .blocked_ns = excess});
	gst_vec_push(&g->calls, call);
	in = gst_order_in(r->o, gst_node_of_call(r->o, call));
	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(r->o, &in, i);
		if (e.form == GST_END_EXIT && e.rule == GST_RULE_H5) {
			gst_vec_push(&g->edges, e.id);
		}
	}
}

static const char *say_bandwidth(struct gst_check_run *r, const struct gst_group *g,
				 const struct pinned *p)
{
	char a[32], b[32];

	if (p->bytes_per_s[g->key[2]] == 0) {
		return "how much faster the copies themselves would be is not known: no pinned copy in this "
		       "direction to compare with";
	}
	return gst_check_text(
		r,
		"beside that, at the %s/s that pinned copies of this trace reached, the copies themselves would take %s less",
		gst_check_bytes(a, p->bytes_per_s[g->key[2]]),
		gst_check_time(b, g->extra[EXTRA_SLOWER_NS]));
}

static void report(struct gst_check_run *r, struct gst_group *g, uint64_t together_ns,
		   void *payload)
{
	const struct pinned *p = payload;
	struct gst_finding f = {.id = "pageable-copy"};
	gst_call_id call = g->occurrences.data[0].call;
	const char *api = gst_check_api(r, call);
	bool to_device = g->key[2] == 0;
	char a[32], b[32], c[32];

	gst_group_cost(r, g, &f);
	f.title = gst_check_text(r, "%s of pageable memory blocked the host %s (%s in all, %s)",
				 api, gst_check_times(r, g->occurrence_count),
				 gst_check_bytes(a, g->extra[EXTRA_BYTES]),
				 to_device ? "host to device" : "device to host");
	f.detail = gst_check_text(
		r,
		"%s on %s: the calls took %s in all, a pinned copy's call takes %s (%s)\nheld up by earlier work "
		"of the stream or the copy itself: %" PRIu64
		", by the driver's staging alone: %" PRIu64 "\n%s",
		gst_check_op(r, r->m->calls[call].first_op), gst_check_thread(r, call),
		gst_check_time(b, g->extra[EXTRA_CALL_NS]), gst_check_time(c, p->call_ns),
		p->is_measured ? "median of this trace" : "assumed: this trace has none",
		g->extra[EXTRA_WAITED], g->occurrence_count - g->extra[EXTRA_WAITED],
		say_bandwidth(r, g, p));
	f.advice =
		"Allocate the host buffer with cudaMallocHost (cudaHostAlloc), or pin it once with "
		"cudaHostRegister, and keep it for all copies; only from pinned memory is cudaMemcpyAsync "
		"asynchronous. Wait for the copy (event or stream) before the host touches the buffer.";
	/* The buffers of both directions are often the same ones. */
	if (together_ns > f.cost_ns + gst_check_floor(r)) {
		f.detail = gst_check_text(
			r, "%s\nall pageable copies of the program pinned at once would gain %s",
			f.detail, gst_check_time(a, together_ns));
	}
	/* What blocked is said even where nothing is gained by itself: it adds up with others. */
	if (f.cost_ns < gst_check_floor(r) &&
	    (gst_spans_union(&g->blocked) >= r->traced_ns / SHOWN_SHARE ||
	     g->extra[EXTRA_SLOWER_NS] >= r->traced_ns / SHOWN_SHARE)) {
		gst_check_add(r, g, &f);
	} else {
		gst_group_report(r, g, &f);
	}
}

bool gst_check_pageable_copy_wants(const struct gst_call *c)
{
	return c->cls == GST_API_CLASS_COPY && c->flags & GST_CALL_RETURNED &&
	       !(c->flags & GST_CALL_NO_ENTER);
}

void gst_check_pageable_copy(struct gst_check_run *r)
{
	struct gst_groups groups = {.is_shown_without_gain = true};
	struct pinned *p = GST_ARENA_ARRAY(r->arena, struct pinned, 1);
	struct copies copies = {0};

	find_copies(r, &copies);
	measure_pinned(r, &copies, p);
	for (size_t i = 0; i < copies.count; i++) {
		look_at(r, &groups, p, copies.data[i]);
	}
	gst_vec_free(&copies);
	gst_groups_report(r, &groups, p->call_ns, report, p);
}
