/*
 * export_sqlite_work.c - tables of what ran: ops, nodes of graphs, executable graphs, details of ops, edges.
 *
 * Role      : the larger half of the database's tables, by number of rows.
 * Method    : one pass over the model for each table.
 * Invariant : ids are those of the model; what is not known is NULL.
 * Not here  : the other tables and the file (export_sqlite.c).
 */
#include <inttypes.h>

#include "analyzer/export/describe.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/graph_use.h"
#include "analyzer/export/sqlite_rows.h"
#include "tracer/format/schema.h"

static void put_ops(struct gst_sql *w)
{
	const struct gst_model *m = w->m;

	gst_sql_begin_table(w, "ops");
	for (gst_op_id i = 0; i < m->op_count && gst_sql_ok(w); i++) {
		const struct gst_op *op = &m->ops[i];
		bool is_timed = op->flags & GST_OP_TIMED;
		bool is_partial = !is_timed && op->flags & GST_OP_PARTIAL;

		gst_sql_int(w, i);
		gst_sql_word(w, gst_name_op_kind(op->kind));
		gst_sql_number_if(w, op->kind == GST_OP_KERNEL, op->name);
		gst_sql_id(w, op->call);
		gst_sql_id(w, op->stream);
		gst_sql_id(w, op->event);
		gst_sql_number_if(w, is_timed, op->begin_ns);
		gst_sql_number_if(w, is_timed, op->end_ns);
		gst_sql_id(w, op->parent);
		gst_sql_number_if(w, is_partial, op->begin_ns);
		gst_sql_number_if(w, is_partial, op->end_ns);
		gst_sql_int(w, !!(op->flags & GST_OP_NO_RECORD));
		gst_sql_int(w, !!(op->flags & GST_OP_FORCED));
		gst_sql_int(w, !!(op->flags & GST_OP_PROGRAMMATIC));
		gst_sql_int(w, !!(op->flags & GST_OP_STREAM_GUESSED));
		gst_sql_id(w, gst_op_graph_node(op));
		gst_sql_id(w, op->kind == GST_OP_GRAPH_LAUNCH ? op->detail : GST_NONE);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

static void put_graph_nodes(struct gst_sql *w)
{
	const struct gst_model *m = w->m;

	gst_sql_begin_table(w, "graphs");
	for (uint32_t i = 0; i < m->graph_count && gst_sql_ok(w); i++) {
		const struct gst_graph *g = &m->graphs[i];

		gst_sql_int(w, i);
		gst_sql_int(w, g->process);
		gst_sql_int(w, g->cupti_id);
		if (g->handle) {
			gst_sql_bits(w, g->handle);
		} else {
			gst_sql_null(w);
		}
		gst_sql_id(w, g->original);
		gst_sql_id(w, g->made);
		gst_sql_int(w, g->own_count);
		gst_sql_int(w, g->edge_count);
		gst_sql_int(w, g->opaque_count);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
	gst_sql_begin_table(w, "graph_nodes");
	for (uint32_t i = 0; i < m->graph_node_count && gst_sql_ok(w); i++) {
		const struct gst_graph_node *n = &m->graph_nodes[i];

		gst_sql_int(w, i);
		gst_sql_int(w, n->graph);
		gst_sql_bits(w, n->cupti_id);
		gst_sql_word(w, gst_name_node_type(n->type));
		if (n->name) {
			gst_sql_string(w, n->name);
		} else {
			gst_sql_null(w);
		}
		gst_sql_id(w, n->original);
		gst_sql_id(w, n->made);
		gst_sql_id(w, n->removed);
		gst_sql_int(w, !!(n->flags & GST_GRAPH_NODE_INTERNAL));
		gst_sql_int(w, !!(n->flags & GST_GRAPH_NODE_OPAQUE));
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
	gst_sql_begin_table(w, "graph_edges");
	for (uint32_t i = 0; i < m->graph_edge_count && gst_sql_ok(w); i++) {
		const struct gst_graph_edge *e = &m->graph_edges[i];

		gst_sql_int(w, i);
		gst_sql_int(w, e->from);
		gst_sql_int(w, e->to);
		gst_sql_word(w, gst_name_port(e->port));
		gst_sql_id(w, e->made);
		gst_sql_id(w, e->removed);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

static void put_graph_execs(struct gst_sql *w)
{
	const struct gst_model *m = w->m;
	struct gst_arena *scratch = gst_arena_new(0);
	const struct gst_graph_use *use = gst_graph_use_count(m, scratch);

	gst_sql_begin_table(w, "graph_execs");
	for (uint32_t i = 0; i < m->exec_count && gst_sql_ok(w); i++) {
		const struct gst_exec *e = &m->execs[i];

		gst_sql_int(w, i);
		gst_sql_int(w, e->process);
		gst_sql_bits(w, e->handle);
		gst_sql_id(w, e->graph);
		gst_sql_id(w, e->source);
		gst_sql_id(w, e->make_call);
		gst_sql_id(w, e->destroy_call);
		gst_sql_int(w, e->launches);
		gst_sql_int(w, e->uploads);
		gst_sql_int(w, e->updates);
		gst_sql_int(w, e->node_changes);
		gst_sql_told(w, e->process, use[i].node_runs);
		gst_sql_told(w, e->process, use[i].busy_ns);
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
	gst_arena_free(scratch);
}

static void put_kernel(struct gst_sql *w, gst_op_id op, const struct gst_kernel *k)
{
	gst_sql_int(w, op);
	for (int d = 0; d < 3; d++) {
		gst_sql_int(w, k->grid[d]);
	}
	for (int d = 0; d < 3; d++) {
		gst_sql_int(w, k->block[d]);
	}
	gst_sql_int(w, k->registers);
	gst_sql_int(w, k->shared_static);
	gst_sql_int(w, k->shared_dynamic);
	gst_sql_end_row(w);
}

static void put_copy(struct gst_sql *w, gst_op_id op, const struct gst_copy *c)
{
	gst_sql_int(w, op);
	gst_sql_word(w, gst_name_copy_kind(c->copy_kind));
	gst_sql_number(w, c->bytes);
	gst_sql_word(w, gst_name_memory_kind(c->src_kind));
	gst_sql_word(w, gst_name_memory_kind(c->dst_kind));
	gst_sql_int(w, c->is_async);
	gst_sql_int(w, c->is_peer);
	gst_sql_end_row(w);
}

static void put_memset(struct gst_sql *w, gst_op_id op, const struct gst_memset *s)
{
	gst_sql_int(w, op);
	gst_sql_number(w, s->bytes);
	gst_sql_word(w, gst_name_memory_kind(s->memory_kind));
	gst_sql_int(w, s->is_async);
	gst_sql_end_row(w);
}

/* Details of ops: one table for each kind that has some. */
static void put_details(struct gst_sql *w)
{
	static const struct {
		enum gst_op_kind kind;
		const char *table;
	} tables[] = {
		{GST_OP_KERNEL, "kernels"}, {GST_OP_MEMCPY, "copies"}, {GST_OP_MEMSET, "memsets"}};
	const struct gst_model *m = w->m;

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		gst_sql_begin_table(w, tables[t].table);
		for (gst_op_id i = 0; i < m->op_count && gst_sql_ok(w); i++) {
			const struct gst_op *op = &m->ops[i];

			if (op->kind != tables[t].kind || op->detail == GST_NONE) {
				continue;
			}
			if (op->kind == GST_OP_KERNEL) {
				put_kernel(w, i, &m->kernels[op->detail]);
			} else if (op->kind == GST_OP_MEMCPY) {
				put_copy(w, i, &m->copies[op->detail]);
			} else {
				put_memset(w, i, &m->memsets[op->detail]);
			}
		}
		gst_sql_end_table(w);
	}
}

static void put_edges(struct gst_sql *w)
{
	const struct gst_order *o = w->a->order;
	uint32_t first_barrier = w->m->op_count + w->m->call_count;

	gst_sql_begin_table(w, "rules");
	for (uint32_t r = 0; r < GST_RULE_COUNT; r++) {
		gst_sql_word(w, gst_rule_id(r));
		gst_sql_word(w, gst_rule_text(r));
		gst_sql_word(w, gst_rule_source(r));
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);

	gst_sql_begin_table(w, "barriers");
	for (gst_node_id n = first_barrier; n < gst_order_node_count(o) && gst_sql_ok(w); n++) {
		gst_node_id owner = gst_barrier_owner(o, n);

		gst_sql_int(w, (int64_t)n - first_barrier);
		if (owner == GST_NONE) {
			gst_sql_null(w);
			gst_sql_null(w);
		} else {
			gst_sql_node(w, owner);
		}
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);

	gst_sql_begin_table(w, "edges");
	for (gst_edge_id i = gst_order_next_edge(o, 0);
	     i < gst_order_edge_bound(o) && gst_sql_ok(w); i = gst_order_next_edge(o, i + 1)) {
		const struct gst_edge e = gst_order_edge(o, i);

		gst_sql_int(w, i);
		gst_sql_node(w, e.from);
		gst_sql_node(w, e.to);
		gst_sql_word(w, gst_rule_id(e.rule));
		gst_sql_word(w, gst_name_form(e.form));
		gst_sql_word(w, gst_name_strength(gst_timing_strength(w->a->timing, i)));
		gst_sql_int(w, !!(e.flags & GST_EDGE_UNCHECKED));
		gst_sql_end_row(w);
	}
	gst_sql_end_table(w);
}

void gst_sqlite_put_work(struct gst_sql *w)
{
	put_ops(w);
	put_graph_nodes(w);
	put_graph_execs(w);
	put_details(w);
	put_edges(w);
}
