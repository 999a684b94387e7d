/*
 * order_dump.c - the graph as text, one line an edge: `gstrace dump --order`, and goldens.
 *
 * Role      : what a person reads who asks why gstrace thinks what it thinks.
 * Method    : call by call, what reaches its enter, its barrier points, its ops, its exit; "op 3", "call 2",
 *             "barrier 0".
 * Invariant : the same graph gives the same bytes.
 * Not here  : what the ops and calls are (the model's dump).
 */
#include <inttypes.h>

#include "analyzer/base/outfile.h"
#include "analyzer/order/order_internal.h"

static void put_node(const struct gst_order *o, struct gst_outfile *out, gst_node_id n)
{
	if (gst_node_is_op(o, n)) {
		gst_outfile_printf(out, "op %" PRIu32, n);
	} else if (gst_node_is_call(o, n)) {
		gst_outfile_printf(out, "call %" PRIu32, n - o->m->op_count);
	} else {
		gst_outfile_printf(out, "barrier %" PRIu32, n - o->v.barrier_base);
	}
}

static void put_refs(const struct gst_order *o, struct gst_outfile *out, const struct gst_ref *refs,
		     uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		gst_outfile_puts(out, "meant ");
		put_node(o, out, refs[i].node);
		switch ((enum gst_record_ref)refs[i].kind) {
		case GST_REF_OP:
			gst_outfile_printf(out, " op %" PRIu32 "\n", refs[i].record);
			break;
		case GST_REF_EMPTY:
			gst_outfile_puts(out, " nothing: never recorded\n");
			break;
		case GST_REF_UNKNOWN:
			gst_outfile_puts(out, " unknown\n");
			break;
		case GST_REF_AMBIGUOUS:
			gst_outfile_puts(out, " ambiguous\n");
			break;
		}
	}
}

static void put_edge(const struct gst_order *o, struct gst_outfile *out, const struct gst_edge *e)
{
	static const char *const strengths[] = {"documented", "possible", "observed", "disproved"};
	static const char *const forms[] = {"end->begin", "begin->begin", "enter->begin",
					    "end->exit", "exit->enter"};

	gst_outfile_printf(out, "%s ", gst_rule_id((enum gst_rule)e->rule));
	put_node(o, out, e->from);
	gst_outfile_puts(out, " -> ");
	put_node(o, out, e->to);
	gst_outfile_printf(out, " %s", forms[e->form]);
	if (e->strength != GST_DOCUMENTED)
		gst_outfile_printf(out, " %s", strengths[e->strength]);
	if (e->flags & GST_EDGE_UNCHECKED)
		gst_outfile_puts(out, " unchecked");
	gst_outfile_puts(out, "\n");
}

/* Edges into @point. */
static void put_edges(const struct gst_order *o, struct gst_outfile *out, gst_point_id point)
{
	struct gst_edges in = gst_order_in(o, gst_node_of_point(point));

	for (uint32_t i = 0; i < in.count; i++) {
		const struct gst_edge e = gst_edges_at(o, &in, i);

		if (gst_edge_to_point(&e) == point)
			put_edge(o, out, &e);
	}
}

static void put_all_edges(const struct gst_order *o, struct gst_outfile *out)
{
	gst_node_id barrier = o->v.barrier_base;

	for (gst_call_id c = 0; c < o->m->call_count; c++) {
		gst_node_id call = gst_node_of_call(o, c);
		gst_op_id first = o->m->calls[c].first_op;

		put_edges(o, out, gst_point_begin(call));
		for (; barrier < o->v.node_count && gst_barrier_owner(o, barrier) == call;
		     barrier++)
			put_edges(o, out, gst_point_begin(barrier));
		for (uint32_t i = 0; i < o->m->calls[c].op_count; i++)
			put_edges(o, out, gst_point_begin(first + i));
		put_edges(o, out, gst_point_end(call));
	}
}

void gst_order_dump(const struct gst_order *o, struct gst_outfile *out)
{
	gst_outfile_printf(out, "order nodes=%" PRIu32 " edges=%" PRIu32 "\n", o->v.node_count,
			   o->v.edge_count);
	for (uint32_t i = o->v.barrier_base; i < o->v.node_count; i++) {
		put_node(o, out, i);
		gst_outfile_puts(out, " of ");
		put_node(o, out, gst_barrier_owner(o, i));
		gst_outfile_puts(out, "\n");
	}
	put_all_edges(o, out);
	put_refs(o, out, o->op_refs, o->op_ref_count);
	put_refs(o, out, o->call_refs, o->call_ref_count);
	for (uint32_t i = 0; i < o->ambiguous_count; i++)
		gst_outfile_printf(out, "ambiguous call %" PRIu32 " call %" PRIu32 "\n",
				   o->ambiguous[i].a, o->ambiguous[i].b);
	for (uint32_t i = 0; i < o->vague_launch_count; i++)
		gst_outfile_printf(out, "nodes of op %" PRIu32 ": not all order is known\n",
				   o->vague_launches[i]);
	for (uint32_t i = 0; i < o->cycle_count; i++) {
		gst_outfile_puts(out, i ? " -> " : "cycle ");
		put_node(o, out, o->cycle[i]);
		if (i + 1 == o->cycle_count)
			gst_outfile_puts(out, "\n");
	}
}
