/*
 * callbacks_graph_test.c - calls that build and change graphs: nodes, names, edges and their ports, events.
 */
#include "tracer/callbacks_test_util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static int graph_id(void *graph, uint32_t *id)
{
	*id = (uint32_t)(uintptr_t)graph;
	return 0;
}

static int node_id(void *node, uint64_t *id)
{
	*id = (uint64_t)(uintptr_t)node;
	return 0;
}

static void tell_edge(struct bench *b, uintptr_t from, uintptr_t to)
{
	const struct gst_cupti_graph_data graph = {
		.graph = pointer(7), .node = pointer(to), .dependency = pointer(from)};
	const struct gst_cupti_resource_data data = {.resourceDescriptor = (void *)&graph};

	gst_callbacks_on_event(&b->callbacks, GST_CUPTI_DOMAIN_RESOURCE,
			       GST_CUPTI_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, &data);
}

static void *build_graph(void *arg)
{
	void *const from[] = {pointer(1), pointer(2), pointer(3)};
	void *const to[] = {pointer(4), pointer(5), pointer(4)};
	const struct gst_cu_edge_data ports[] = {
		{0}, {.from_port = 1, .type = 1}, {.from_port = 2}};
	const struct gst_cu_graph_edges_data edges = {
		.graph = pointer(7), .from = from, .to = to, .data = ports, .count = 3};
	const struct gst_cu_node_params node = {.type = 7, .event = pointer(0x9e)};
	const struct gst_cu_graph_add_data add = {.graph = pointer(7),
						  .dependencies = from,
						  .data = ports,
						  .count = 3,
						  .params = &node};
	const struct gst_cu_graph_add plain = {
		.graph = pointer(7), .dependencies = from, .count = 3, .event = pointer(0x9f)};
	struct bench *b = arg;

	enter(b, driver, "cuGraphAddDependencies_v2", 21, &edges);
	tell_edge(b, 1, 4);
	tell_edge(b, 2, 5);
	tell_edge(b, 3, 4);
	tell_edge(b, 1, 5); /* not of this call's */
	leave(b, driver, "cuGraphAddDependencies_v2", 21, &edges, 0);
	enter(b, driver, "cuGraphAddNode_v2", 22, &add);
	tell_edge(b, 3, 6); /* in any order */
	tell_edge(b, 2, 6);
	leave(b, driver, "cuGraphAddNode_v2", 22, &add, 0);
	enter(b, driver, "cuGraphAddEventWaitNode", 23, &plain);
	tell_edge(b, 1, 8);
	tell_edge(b, 9, 10); /* of a clone inside */
	leave(b, driver, "cuGraphAddEventWaitNode", 23, &plain, 0);
	tell_edge(b, 1, 2);
	return NULL;
}

/* The handle-giving call @cbid returns. */
static void give_handle(struct bench *b, uint32_t cbid, const void *params, int32_t result)
{
	const struct gst_cupti_callback_data data = {
		.callbackSite = GST_CUPTI_API_EXIT,
		.functionReturnValue = &result,
		.functionParams = params,
	};

	gst_callbacks_on_event(&b->callbacks, driver, cbid, &data);
}

static void tell_node(struct bench *b, uintptr_t node)
{
	const struct gst_cupti_graph_data graph = {.graph = pointer(7), .node = pointer(node)};
	const struct gst_cupti_resource_data data = {.resourceDescriptor = (void *)&graph};

	gst_callbacks_on_event(&b->callbacks, GST_CUPTI_DOMAIN_RESOURCE,
			       GST_CUPTI_RESOURCE_GRAPHNODE_CREATED, &data);
}

static void *add_kernel_nodes(void *arg)
{
	void *kernel = pointer(0x100), *function = pointer(0x200), *failed = pointer(0x300);
	const struct gst_cu_get_kernel get = {.kernel = &kernel, .name = "_Z5namedv"};
	const struct gst_cu_get_kernel get_failed = {.kernel = &failed, .name = "_Z6failedv"};
	const struct gst_cu_get_function alias = {.function = &function, .kernel = kernel};
	const struct gst_cu_kernel_params by_function = {.function = function};
	const struct gst_cu_kernel_params by_kernel = {.kernel = kernel};
	const struct gst_cu_kernel_params by_failed = {.function = failed};
	const struct gst_cu_graph_add first = {.graph = pointer(7), .kernel = &by_function};
	const struct gst_cu_graph_add second = {.graph = pointer(7), .kernel = &by_kernel};
	const struct gst_cu_graph_add third = {.graph = pointer(7), .kernel = &by_failed};
	struct {
		struct gst_cu_node_params head;
		uint64_t room[32];
	} any;
	const struct gst_cu_graph_add_data fourth = {.graph = pointer(7), .params = &any.head};
	const struct gst_cupti_resource_data ended = {.context = pointer(0x1000)};
	struct bench *b = arg;

	give_handle(b, 681, &get, 0);
	give_handle(b, 683, &alias, 0);
	give_handle(b, 23, &get_failed, 500);
	enter(b, driver, "cuGraphAddKernelNode", 31, &first);
	tell_node(b, 1);
	leave(b, driver, "cuGraphAddKernelNode", 31, &first, 0);
	/* the first version has no kernel behind its function: not read */
	enter(b, driver, "cuGraphAddKernelNode", 32, &second);
	tell_node(b, 2);
	leave(b, driver, "cuGraphAddKernelNode", 32, &second, 0);
	enter(b, driver, "cuGraphAddKernelNode_v2", 33, &second);
	tell_node(b, 3);
	leave(b, driver, "cuGraphAddKernelNode_v2", 33, &second, 0);
	enter(b, driver, "cuGraphAddKernelNode_v2", 34, &third);
	tell_node(b, 4);
	leave(b, driver, "cuGraphAddKernelNode_v2", 34, &third, 0);
	memset(&any, 0, sizeof(any));
	memcpy(&any.head.event, &by_kernel, sizeof(by_kernel));
	enter(b, driver, "cuGraphAddNode_v2", 35, &fourth);
	tell_node(b, 5);
	leave(b, driver, "cuGraphAddNode_v2", 35, &fourth, 0);
	/* its handle may come again for another kernel; what another thread learns meanwhile is of a module that stays */
	enter(b, driver, "cuModuleUnload", 36, &kernel);
	enter(b, driver, "cuGraphAddKernelNode_v2", 37, &second);
	tell_node(b, 6);
	leave(b, driver, "cuGraphAddKernelNode_v2", 37, &second, 0);
	give_handle(b, 681, &get, 0);
	leave(b, driver, "cuModuleUnload", 36, &kernel, 0);
	enter(b, driver, "cuGraphAddKernelNode_v2", 38, &second);
	tell_node(b, 7);
	leave(b, driver, "cuGraphAddKernelNode_v2", 38, &second, 0);
	/* a context takes its modules along */
	gst_callbacks_on_event(&b->callbacks, GST_CUPTI_DOMAIN_RESOURCE,
			       GST_CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING, &ended);
	enter(b, driver, "cuGraphAddKernelNode_v2", 39, &second);
	tell_node(b, 8);
	leave(b, driver, "cuGraphAddKernelNode_v2", 39, &second, 0);
	return NULL;
}

static void test_kernel_names_of_nodes(void **state)
{
	static const bool is_known[] = {true, false, true, false, true, false, true, false};
	const struct gst_cupti cupti = {.cuptiGetGraphId = graph_id,
					.cuptiGetGraphNodeId = node_id};
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_graph_node node;

	(void)state;
	b->callbacks.cupti = &cupti;
	in_thread(add_kernel_nodes, b);
	for (unsigned i = 0; i < sizeof(is_known) / sizeof(is_known[0]); i++) {
		assert_true(gst_test_find(b->w, GST_REC_GRAPH_NODE, i, &node, sizeof(node)));
		assert_int_equal(node.node, i + 1);
		assert_int_equal(node.name != 0, is_known[i]);
		if (node.name) {
			assert_int_equal(node.name, gst_intern(&b->w->strings, "_Z5namedv"));
		}
	}
	bench_free(b);
}

static void test_ports_of_edges(void **state)
{
	static const uint16_t wanted[] = {1, 2, 3, 0, 3, 2, 1, 0, 0};
	const struct gst_cupti cupti = {.cuptiGetGraphId = graph_id,
					.cuptiGetGraphNodeId = node_id};
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_graph_edge edge;
	struct gst_rec_call_graph call;

	(void)state;
	b->callbacks.cupti = &cupti;
	in_thread(build_graph, b);
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_true(gst_test_find(b->w, GST_REC_GRAPH_EDGE, i, &edge, sizeof(edge)));
		assert_int_equal(edge.port, wanted[i]);
		assert_int_equal(edge.head.corr, i < 4 ? 21 : i < 6 ? 22 : i < 8 ? 23 : 0);
	}
	assert_true(gst_test_find(b->w, GST_REC_CALL_GRAPH, 1, &call, sizeof(call)));
	assert_int_equal(call.graph, 7);
	assert_int_equal(call.mode, GST_NODE_RECORD_EVENT);
	assert_int_equal(call.event, 0x9e);
	assert_true(gst_test_find(b->w, GST_REC_CALL_GRAPH, 2, &call, sizeof(call)));
	assert_int_equal(call.event, 0x9f);
	bench_free(b);
}

static void *change_nodes(void *arg)
{
	static const struct gst_cu_node_params wait = {.type = GST_CU_GRAPH_NODE_WAIT_EVENT,
						       .event = (void *)0xb3};
	const struct gst_cu_graph_node node = {.node = pointer(2), .event = pointer(0xb1)};
	const struct gst_cu_graph_node params = {.node = pointer(3), .params = &wait};
	const struct gst_cu_graph_exec_node exec = {
		.graphExec = pointer(9), .node = pointer(2), .event = pointer(0xb2)};
	const struct gst_cu_graph_exec_node exec_params = {
		.graphExec = pointer(9), .node = pointer(3), .params = &wait};
	const struct gst_cu_graph_exec_node off = {.graphExec = pointer(9), .node = pointer(4)};
	const struct gst_cu_graph_exec_node on = {
		.graphExec = pointer(9), .node = pointer(4), .is_enabled = 1};
	struct bench *b = arg;

	enter(b, driver, "cuGraphEventRecordNodeSetEvent", 31, &node);
	leave(b, driver, "cuGraphEventRecordNodeSetEvent", 31, &node, 0);
	enter(b, driver, "cuGraphNodeSetParams", 32, &params);
	leave(b, driver, "cuGraphNodeSetParams", 32, &params, 0);
	enter(b, driver, "cuGraphExecEventRecordNodeSetEvent", 33, &exec);
	leave(b, driver, "cuGraphExecEventRecordNodeSetEvent", 33, &exec, 0);
	enter(b, driver, "cuGraphExecNodeSetParams", 34, &exec_params);
	leave(b, driver, "cuGraphExecNodeSetParams", 34, &exec_params, 0);
	enter(b, driver, "cuGraphNodeSetEnabled", 35, &off);
	leave(b, driver, "cuGraphNodeSetEnabled", 35, &off, 0);
	enter(b, driver, "cuGraphNodeSetEnabled", 36, &on);
	leave(b, driver, "cuGraphNodeSetEnabled", 36, &on, 0);
	enter(b, driver, "cuGraphMemsetNodeSetParams", 37, &node);
	leave(b, driver, "cuGraphMemsetNodeSetParams", 37, &node, 0);
	return NULL;
}

/* Which event a node names, whether it runs: a call may change it, in the graph or in an executable one. */
static void test_changes_of_nodes(void **state)
{
	static const struct {
		uint64_t exec, node, event, mode;
	} wanted[] = {
		{0, 2, 0xb1, 0}, {0, 3, 0xb3, GST_NODE_WAIT_EVENT},
		{9, 2, 0xb2, 0}, {9, 3, 0xb3, GST_NODE_WAIT_EVENT},
		{9, 4, 0, 0},	 {9, 4, 0, 1},
		{0, 2, 0, 0},
	};
	struct bench *b = bench_new(4u << 20);
	struct gst_objects *objects = calloc(1, sizeof(*objects));
	struct gst_rec_call_graph call;

	(void)state;
	assert_non_null(objects);
	gst_objects_init(objects);
	b->callbacks.objects = objects;
	in_thread(change_nodes, b);
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_true(gst_test_find(b->w, GST_REC_CALL_GRAPH, i, &call, sizeof(call)));
		assert_int_equal(call.exec, wanted[i].exec);
		assert_int_equal(call.node, wanted[i].node);
		assert_int_equal(call.event, wanted[i].event);
		assert_int_equal(call.mode, wanted[i].mode);
	}
	/* Launches record these two from now on; the third is one that is waited for. */
	assert_non_null(gst_objects_find(&objects->events, 0xb1));
	assert_non_null(gst_objects_find(&objects->events, 0xb2));
	assert_null(gst_objects_find(&objects->events, 0xb3));
	bench_free(b);
	free(objects);
}

static void *add_record_node(void *arg)
{
	const struct gst_cu_graph_add add = {.graph = pointer(7), .event = pointer(0xa0)};
	struct bench *b = arg;

	enter(b, driver, "cuGraphAddEventRecordNode", 24, &add);
	leave(b, driver, "cuGraphAddEventRecordNode", 24, &add, 0);
	return NULL;
}

/* An event that graphs alone record must not be said to be without a record in a later window. */
static void test_events_of_graphs_are_followed(void **state)
{
	const struct gst_cupti cupti = {.cuptiGetGraphId = graph_id,
					.cuptiGetGraphNodeId = node_id};
	struct bench *b = bench_new(4u << 20);
	struct gst_objects *objects = calloc(1, sizeof(*objects));

	(void)state;
	assert_non_null(objects);
	gst_objects_init(objects);
	b->callbacks.cupti = &cupti;
	b->callbacks.objects = objects;
	in_thread(build_graph, b);
	in_thread(add_record_node, b);
	for (uint64_t event = 0x9e; event <= 0xa0; event++) {
		const struct gst_object *object = gst_objects_find(&objects->events, event);

		/* 0x9f is one that a graph waits for: that says nothing of its records. */
		assert_int_equal(object != NULL, event != 0x9f);
		assert_true(!object || (uint32_t)atomic_load(&object->last) != 0);
	}
	bench_free(b);
	free(objects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_names_of_nodes),
		cmocka_unit_test(test_ports_of_edges),
		cmocka_unit_test(test_changes_of_nodes),
		cmocka_unit_test(test_events_of_graphs_are_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
