/*
 * carry_test.c - what later segments are told again: graphs that live, in order; full memory.
 */
#include "tracer/carry.h"
#include "tracer/format/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

/* As window.h counts: 1 = segment 0 open, 2 = paused, 3 = segment 1 open. */

struct bench {
	struct gst_objects objects;
	struct gst_carry carry;
	uint32_t nodes, edges, graphs, execs, modules, names;
	uint64_t last_node;
	uint64_t lost[GST_REC_NVTX_NAME + 1];
};

static struct bench *bench_new(size_t bytes)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	gst_objects_init(&b->objects);
	assert_int_equal(gst_carry_init(&b->carry, &b->objects, bytes), 0);
	return b;
}

static void bench_free(struct bench *b)
{
	munmap(b->carry.memory, b->carry.bytes);
	free(b);
}

static void take(struct bench *b, uint32_t segment, const void *rec, uint32_t bytes)
{
	gst_carry_take(&b->carry, segment, rec, bytes);
}

/* A graph of two nodes and an edge, made by call 77. */
static void make_graph(struct bench *b, uint32_t segment, uint32_t id, uint64_t handle,
		       uint32_t now)
{
	struct gst_rec_graph graph = {.head = gst_record_head(GST_KIND_GRAPH, sizeof(graph), 77),
				      .graph = id,
				      .handle = handle};
	struct gst_rec_graph_edge edge = {
		.head = gst_record_head(GST_KIND_GRAPH_EDGE, sizeof(edge), 77),
		.from = (uint64_t)id << 32 | 1,
		.to = (uint64_t)id << 32 | 2,
		.graph = id};

	gst_objects_define_graph(&b->objects, &graph, now);
	/* Zeros at the end may be left out. */
	graph.head = gst_record_head(GST_KIND_GRAPH, gst_record_trim(&graph, sizeof(graph)), 77);
	take(b, segment, &graph, (uint32_t)graph.head.size8 * 8);
	for (uint32_t i = 1; i <= 2; i++) {
		struct gst_rec_graph_node node = {
			.head = gst_record_head(GST_KIND_GRAPH_NODE, sizeof(node), 77),
			.node = (uint64_t)id << 32 | i,
			.graph = id,
			.type = GST_NODE_KERNEL,
			.name = 5};

		take(b, segment, &node, sizeof(node));
	}
	take(b, segment, &edge, sizeof(edge));
}

static void on_put(void *arg, const void *rec, uint32_t bytes)
{
	struct bench *b = arg;
	struct gst_rec_head head;
	struct gst_rec_loss loss;
	struct gst_rec_graph_node node;

	memcpy(&head, rec, sizeof(head));
	assert_int_equal(head.size8 * 8, bytes);
	assert_int_equal(head.corr, 0);
	switch (head.kind & GST_KIND_MASK) {
	case GST_REC_GRAPH:
		b->graphs++;
		break;
	case GST_REC_GRAPH_NODE:
		memcpy(&node, rec, sizeof(node));
		assert_true(node.node > b->last_node);
		b->last_node = node.node;
		b->nodes++;
		break;
	case GST_REC_GRAPH_EDGE:
		b->edges++;
		break;
	case GST_REC_GRAPH_EXEC:
		b->execs++;
		break;
	case GST_REC_MODULE:
		b->modules++;
		break;
	case GST_REC_NVTX_NAME:
		b->names++;
		break;
	case GST_REC_LOSS:
		memcpy(&loss, rec, sizeof(loss));
		assert_int_equal(loss.reason, GST_LOSS_TABLE_FULL);
		b->lost[loss.kind] += loss.count;
		break;
	default:
		fail();
	}
}

static void put(struct bench *b, uint32_t segment)
{
	b->graphs = b->nodes = b->edges = b->execs = b->modules = b->names = 0;
	b->last_node = 0;
	memset(b->lost, 0, sizeof(b->lost));
	gst_carry_put(&b->carry, segment, on_put, b);
}

static void living_graphs_are_told_again(void **state)
{
	struct bench *b = bench_new(1 << 20);
	struct gst_rec_module module = {.head = gst_record_head(GST_KIND_MODULE, sizeof(module), 3),
					.module = 9,
					.size = 1};
	struct gst_rec_graph_exec exec = {
		.head = gst_record_head(GST_KIND_GRAPH_EXEC, sizeof(exec), 7),
		.exec = 0x900,
		.graph = 1,
		.id = 2};

	(void)state;
	make_graph(b, 0, 1, 0x800, 1);
	make_graph(b, 0, 2, 0x900, 1);
	take(b, 0, &module, sizeof(module));
	gst_objects_define_exec(&b->objects, &exec, 1);
	take(b, 0, &exec, sizeof(exec));
	put(b, 0);
	assert_int_equal(b->graphs + b->nodes + b->edges + b->modules + b->execs, 0);
	put(b, 1);
	assert_true(b->graphs == 2 && b->nodes == 4 && b->edges == 2 && b->modules == 1 &&
		    b->execs == 1);
	/* The executable graph ends in window 1, and with it its clone: still in that one, not in the next. */
	gst_objects_remove(&b->objects.execs, 0x900, 3);
	gst_objects_remove(&b->objects.graphs, 0x900, 3);
	put(b, 1);
	assert_true(b->graphs == 2 && b->nodes == 4 && b->execs == 1);
	put(b, 2);
	assert_true(b->graphs == 1 && b->nodes == 2 && b->edges == 1 && b->execs == 0 &&
		    b->modules == 1);
	/* Its handle comes again; and a graph of the window itself is not repeated in it. */
	make_graph(b, 2, 4, 0x900, 5);
	put(b, 2);
	assert_true(b->graphs == 1 && b->nodes == 2);
	put(b, 3);
	assert_true(b->graphs == 2 && b->nodes == 4);
	/* The other's handle comes again without its end being told. */
	make_graph(b, 3, 5, 0x800, 7);
	put(b, 4);
	assert_true(b->graphs == 2 && b->nodes == 4);
	assert_int_equal(b->last_node, UINT64_C(5) << 32 | 2);
	bench_free(b);
}

static void modules_that_are_gone_are_not_told_again(void **state)
{
	struct bench *b = bench_new(1 << 20);
	struct gst_rec_context context = {.ctx = 5};
	struct gst_rec_module module = {
		.head = gst_record_head(GST_KIND_MODULE, sizeof(module), 3)};

	(void)state;
	gst_objects_define_context(&b->objects, &context, 1);
	for (uint32_t id = 1; id <= 4; id++) {
		module.module = id;
		module.ctx = id == 4 ? 5 : 6;
		take(b, 0, &module, sizeof(module));
	}
	put(b, 1);
	assert_int_equal(b->modules, 4);
	module.module = 2;
	module.ctx = 6;
	module.change = GST_GRAPH_CHANGE_REMOVED;
	take(b, 1, &module, sizeof(module));
	module.module = 77; /* one that found no room */
	take(b, 1, &module, sizeof(module));
	put(b, 2);
	assert_int_equal(b->modules, 3);
	/* Its context ends, and with it the module. */
	gst_objects_remove(&b->objects.contexts, 5, 5);
	put(b, 2);
	assert_int_equal(b->modules, 3);
	put(b, 3);
	assert_int_equal(b->modules, 2);
	bench_free(b);
}

/* A program that loads and unloads all the time. */
static void modules_give_their_room(void **state)
{
	struct bench *b = bench_new(64 << 10);
	struct gst_rec_module module = {.head = gst_record_head(GST_KIND_MODULE, sizeof(module), 3),
					.ctx = 6};

	(void)state;
	for (uint32_t id = 1; id <= 5000; id++) {
		module.module = id;
		module.change = GST_GRAPH_CHANGE_MADE;
		take(b, 0, &module, sizeof(module));
		if (id > 10) {
			module.module = id - 10;
			module.change = GST_GRAPH_CHANGE_REMOVED;
			take(b, 0, &module, sizeof(module));
		}
	}
	put(b, 1);
	assert_int_equal(b->modules, 10);
	assert_int_equal(b->lost[GST_REC_MODULE], 0);
	bench_free(b);
}

static void ended_graphs_give_their_room(void **state)
{
	struct bench *b = bench_new(64 << 10);

	(void)state;
	put(b, 0);
	for (uint32_t id = 1; id <= 20000; id++) {
		make_graph(b, 0, id, 0x1000 + (id & 7) * 0x100, 1);
	}
	put(b, 1);
	assert_int_equal(b->lost[GST_REC_GRAPH_NODE] + b->lost[GST_REC_GRAPH], 0);
	assert_true(b->nodes == 16 && b->graphs == 8 && b->edges == 8);
	bench_free(b);
}

/* A graph that ends in a window is of that window, however short memory is before the window gets its graphs. */
static void scarce_memory_forgets_no_graph_of_an_open_window(void **state)
{
	struct bench *b = bench_new(64 << 10);

	(void)state;
	put(b, 0);
	make_graph(b, 0, 1, 0x800, 1);
	/* Window 1 is open; what it is told fills the memory before the writer comes to it. */
	gst_objects_remove(&b->objects.graphs, 0x800, 3);
	for (uint32_t id = 2; id <= 2000; id++) {
		make_graph(b, 1, id, 0x1000 + (id & 7) * 0x100, 3);
	}
	put(b, 1);
	assert_true(b->graphs == 1 && b->nodes == 2 && b->edges == 1);
	assert_true(b->lost[GST_REC_GRAPH] > 0);
	bench_free(b);
}

static void what_finds_no_room_is_counted(void **state)
{
	struct bench *b = bench_new(64 << 10);
	struct gst_rec_nvtx_name name = {
		.head = gst_record_head(GST_KIND_NVTX_NAME, sizeof(name), 0),
		.object = 1,
		.name = 4};

	(void)state;
	/* Names alone cannot take it all. */
	for (uint32_t i = 0; i < 4000; i++) {
		take(b, 0, &name, sizeof(name));
	}
	assert_true(b->carry.used <= 16 << 10);
	for (uint32_t id = 1; id <= 1000; id++) {
		make_graph(b, 0, id, 0x1000 + id * 0x100, 1);
	}
	put(b, 1);
	assert_true(b->graphs > 100 && b->lost[GST_REC_GRAPH] > 100);
	assert_int_equal(b->graphs + b->lost[GST_REC_GRAPH], 1000);
	assert_int_equal(b->nodes + b->lost[GST_REC_GRAPH_NODE], 2000);
	assert_int_equal(b->edges + b->lost[GST_REC_GRAPH_EDGE], 1000);
	assert_int_equal(b->names + b->lost[GST_REC_NVTX_NAME], 4000);
	bench_free(b);
}

static void scribbled_records_end_it(void **state)
{
	struct bench *b = bench_new(64 << 10);
	unsigned char bytes[64] = {0};
	struct gst_rec_head head = gst_record_head(GST_KIND_GRAPH, 4096, 1);

	(void)state;
	gst_carry_take(&b->carry, 0, bytes, sizeof(bytes));
	memcpy(bytes, &head, sizeof(head));
	gst_carry_take(&b->carry, 0, bytes, sizeof(bytes));
	assert_int_equal(b->carry.used, 0);
	bench_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(living_graphs_are_told_again),
		cmocka_unit_test(modules_that_are_gone_are_not_told_again),
		cmocka_unit_test(modules_give_their_room),
		cmocka_unit_test(ended_graphs_give_their_room),
		cmocka_unit_test(scarce_memory_forgets_no_graph_of_an_open_window),
		cmocka_unit_test(what_finds_no_room_is_counted),
		cmocka_unit_test(scribbled_records_end_it),
	};

	return cmocka_run_group_tests_name("carry", tests, NULL, NULL);
}
