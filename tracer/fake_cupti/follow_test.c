/*
 * follow_test.c - which pointers are followed, for the calls that no fake makes: handles of kernels, graphs in the making.
 */
#include "tracer/fake_cupti/follow.h"
#include "tracer/cupti_abi.h"
#include "tracer/format/api.h"
#include "tracer/format/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define UNUSED(state)	((void)(state))
#define DRIVER(cbid)	GST_API_ID(GST_API_DOMAIN_DRIVER, cbid)
#define MODULE_FUNCTION DRIVER(23)
#define LIBRARY_KERNEL	DRIVER(681)
#define KERNEL_FUNCTION DRIVER(683)

union params {
	uint64_t words[FOLLOW_PARAMS_BYTES / 8];
	struct gst_cu_get_kernel get;
	struct gst_cu_get_function function;
	struct gst_cu_graph_add add;
	struct gst_cu_graph_add_data add_data;
	struct gst_cu_graph_edges edges;
};

struct seen {
	const void *pointers[8];
	size_t bytes[8];
	int count;
};

static void *see(void *arg, const void *pointer, size_t bytes)
{
	struct seen *seen = arg;

	assert_true(seen->count < 8);
	seen->pointers[seen->count] = pointer;
	seen->bytes[seen->count++] = bytes;
	return (void *)(uintptr_t)pointer;
}

static void *none(void *arg, const void *pointer, size_t bytes)
{
	(void)arg;
	(void)pointer;
	(void)bytes;
	return NULL;
}

static void assert_seen(const struct seen *seen, int at, const void *pointer, size_t bytes)
{
	assert_true(at < seen->count);
	assert_ptr_equal(seen->pointers[at], pointer);
	assert_int_equal(seen->bytes[at], bytes);
}

/* Of a layout that is recorded: its id. */
static uint32_t api_of(uint32_t layout)
{
	for (uint32_t cbid = 1; cbid < 1024; cbid++) {
		const struct gst_api *api = gst_api_find(DRIVER(cbid));

		if (api && api->layout == layout) {
			return DRIVER(cbid);
		}
	}
	fail_msg("no call of layout %u", layout);
	return 0;
}

static void test_kernel_handles(void **state)
{
	const uint32_t by_name[] = {MODULE_FUNCTION, LIBRARY_KERNEL};
	void *kernel = NULL;

	UNUSED(state);
	for (int i = 0; i < 2; i++) {
		union params p = {.get = {&kernel, NULL, "_Z5namedv"}};
		struct seen seen = {0};

		follow_params(by_name[i], &p, see, &seen);
		assert_int_equal(seen.count, 2);
		assert_seen(&seen, 0, &kernel, 8);
		assert_seen(&seen, 1, p.get.name, FOLLOW_TEXT);
		/* What a recording lacks is not there for the receiver. */
		follow_params(by_name[i], &p, none, NULL);
		assert_null(p.get.kernel);
		assert_null(p.get.name);
	}
	union params p = {.function = {&kernel, &kernel}};
	struct seen seen = {0};

	follow_params(KERNEL_FUNCTION, &p, see, &seen);
	assert_int_equal(seen.count, 1);
	assert_seen(&seen, 0, &kernel, 8);
}

static void test_graphs_in_the_making(void **state)
{
	static void *nodes[3];
	static const struct gst_cu_edge_data data[3];
	static const struct gst_cu_node_params node[2];
	union params p = {.add_data = {nodes, NULL, nodes, data, 3, node}};
	struct seen seen = {0};

	UNUSED(state);
	follow_params(api_of(GST_PARAMS_GRAPH_ADD_NODE_DATA), &p, see, &seen);
	assert_int_equal(seen.count, 3);
	assert_seen(&seen, 0, nodes, 24);
	assert_seen(&seen, 1, data, 24);
	assert_ptr_equal(seen.pointers[2], node);
	assert_true(seen.bytes[2] >= offsetof(struct gst_cu_node_params, event) +
					     sizeof(struct gst_cu_kernel_params));

	/* The event of a node is no pointer to be followed. */
	memset(&seen, 0, sizeof(seen));
	p = (union params){.add = {nodes, NULL, nodes, 1, {.event = nodes}}};
	follow_params(api_of(GST_PARAMS_GRAPH_ADD_EVENT), &p, see, &seen);
	assert_int_equal(seen.count, 1);
	assert_seen(&seen, 0, nodes, 8);

	memset(&seen, 0, sizeof(seen));
	p = (union params){.edges = {NULL, nodes, nodes + 1, 2}};
	follow_params(api_of(GST_PARAMS_GRAPH_EDGES), &p, see, &seen);
	assert_int_equal(seen.count, 2);
	assert_seen(&seen, 0, nodes, 16);
	assert_seen(&seen, 1, nodes + 1, 16);

	/* Too many are left out whole: the receiver may look at any of them. */
	memset(&seen, 0, sizeof(seen));
	p.edges.count = UINT64_MAX / 4;
	follow_params(api_of(GST_PARAMS_GRAPH_EDGES), &p, see, &seen);
	assert_int_equal(seen.count, 0);
	assert_null(p.edges.from);
	assert_null(p.edges.to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_handles),
		cmocka_unit_test(test_graphs_in_the_making),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
