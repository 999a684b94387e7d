/*
 * fuzz_order.c - model and graph of traces from a stranger.
 *
 * Role      : fuzz target of analyzer/model and analyzer/order.
 * Method    : whatever the loader makes of the input is built, validated, dumped and asked about; text
 *             is tried with the first line put before it too.
 * Invariant : no crash, no leak, a valid model, a path exactly where the answer is yes.
 * Not here  : the loader itself (analyzer/load/fuzz_*.c).
 */
#include "analyzer/base/assert.h"
#include "analyzer/base/outfile.h"
#include "analyzer/order/order.h"

#define FIRST_LINE  "gstext 1.0\n"
#define ASKED_NODES 12u
#define CLOCK_NODES 24u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct gst_order *o)
{
	uint32_t nodes = gst_order_node_count(o);
	struct gst_arena *scratch = gst_arena_new(0);
	const struct gst_path_query q = {.documented_only = true};

	nodes = nodes < ASKED_NODES ? nodes : ASKED_NODES;
	for (gst_node_id a = 0; a < nodes; a++) {
		for (gst_node_id b = 0; b < nodes; b++) {
			const gst_edge_id *edges = NULL;
			gst_op_id record;
			uint32_t count;

			if (a == b || gst_node_is_barrier(o, a) || gst_node_is_barrier(o, b))
				continue;
			count = gst_order_why(o, a, b, &q, scratch, &edges);
			GST_ASSERT((count != 0) == (gst_order_before(o, a, b, &q) == GST_YES));
			(void)gst_order_record_of(o, a, &record);
		}
	}
	gst_arena_free(scratch);
}

/* Clocks, with and without room, say what a search says, for nodes from all over the graph. */
static void ask_clocks(const struct gst_order *o, uint32_t things, uint64_t limit_bytes,
		       bool documented_only)
{
	struct gst_clocks *clocks = gst_clocks_new(o, limit_bytes, documented_only);
	const struct gst_path_query q = {.documented_only = documented_only};
	uint32_t step = things / CLOCK_NODES + 1;

	for (gst_node_id a = 0; a < things; a += step) {
		for (gst_node_id b = 0; b < things; b += step)
			GST_ASSERT(gst_clocks_before(clocks, a, b) ==
				   gst_order_before(o, a, b, &q));
	}
	gst_clocks_free(clocks);
}

/* Many at once say what a search says of each. */
static void ask_many(const struct gst_order *o, uint32_t things, bool documented_only)
{
	const struct gst_path_query q = {.documented_only = documented_only};
	gst_node_id nodes[GST_MANY_MAX] = {0};
	uint64_t before[GST_MANY_MAX], after[GST_MANY_MAX];
	uint32_t step = things / GST_MANY_MAX + 1;
	uint32_t count = 0;

	for (gst_node_id n = 0; n < things; n += step)
		nodes[count++] = n;
	gst_order_before_many(o, nodes, count, nodes, count, documented_only, before, after);
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < count; k++) {
			enum gst_answer answer = gst_order_before(o, nodes[i], nodes[k], &q);

			if (i == k)
				continue;
			GST_ASSERT((before[k] >> i & 1) == (answer == GST_YES));
			GST_ASSERT((after[i] >> k & 1) == (answer == GST_YES));
			GST_ASSERT(answer == GST_YES ||
				   answer == gst_order_not_before(o, nodes[i], nodes[k]));
		}
	}
}

static void build(const void *data, size_t size)
{
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_loader *loader = NULL;
	const struct gst_model *m = NULL;
	const struct gst_order *o;
	struct gst_outfile *out;
	struct gst_err err = {0};

	if (!gst_loader_open_memory(data, size, "fuzz", &options, &loader, &err) &&
	    !gst_model_build(&loader, 1, arena, &m, &err)) {
		GST_ASSERT(!gst_model_validate(m));
		if (!gst_order_build(m, arena, &o, &err)) {
			ask(o);
			ask_clocks(o, m->op_count + m->call_count, UINT64_MAX, false);
			ask_clocks(o, m->op_count + m->call_count, 1024, false);
			ask_clocks(o, m->op_count + m->call_count, 1024, true);
			ask_many(o, m->op_count + m->call_count, true);
			ask_many(o, m->op_count + m->call_count, false);
			out = gst_outfile_open_memory();
			gst_model_dump(m, out);
			gst_order_dump(o, out);
			gst_outfile_abort(out);
		}
	}
	gst_loader_close(loader);
	gst_model_free(m);
	gst_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *text;

	build(data, size);
	text = malloc(size + sizeof(FIRST_LINE));
	if (!text)
		return 0;
	memcpy(text, FIRST_LINE, sizeof(FIRST_LINE) - 1);
	if (size)
		memcpy(text + sizeof(FIRST_LINE) - 1, data, size);
	build(text, size + sizeof(FIRST_LINE) - 1);
	free(text);
	return 0;
}
