/*
 * api_test.c - the table of CUDA calls and its lookups.
 */
#include "tracer/format/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/format/format.h"

static const struct gst_api *named(const char *name)
{
	return gst_api_find_name(name, strlen(name));
}

static void table_is_sorted(void **state)
{
	(void)state;
	assert_true(gst_api_count() > 400);
	assert_null(gst_api_at(gst_api_count()));
	for (size_t i = 1; i < gst_api_count(); i++) {
		assert_true(gst_api_at(i - 1)->api < gst_api_at(i)->api);
	}
}

static void every_entry_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < gst_api_count(); i++) {
		const struct gst_api *api = gst_api_at(i);
		const struct gst_api *by_name = named(api->name);

		assert_ptr_equal(gst_api_find(api->api), api);
		assert_ptr_equal(named(api->symbol), api); /* so symbols are unique */
		assert_non_null(by_name);
		assert_string_equal(by_name->name, api->name);
		assert_true(api->class_id < GST_API_CLASS_COUNT);
		assert_true(api->layout < GST_PARAMS_COUNT);
	}
}

static void unknown_is_null(void **state)
{
	(void)state;
	assert_null(gst_api_find(0));
	assert_null(gst_api_find(UINT32_MAX));
	assert_null(gst_api_find(GST_API_ID(GST_API_DOMAIN_DRIVER, 1))); /* cuInit */
	assert_null(gst_api_find(GST_API_ID(GST_API_DOMAIN_RUNTIME, 0xffff)));
	assert_null(gst_api_find_name("", 0));
	assert_null(named("cuLaunchKerne"));
	assert_null(named("cuLaunchKernelX"));
	assert_null(named("zzz"));
	assert_null(named("A"));
	assert_null(gst_api_find_name("cuLaunchKernel\0", 15));
	/* the length decides, not a terminator */
	assert_non_null(gst_api_find_name("cuLaunchKernelXYZ", 14));
}

/* Numbers, names and flags that other modules lean on. */
static void known_entries(void **state)
{
	const struct gst_api *api;

	(void)state;
	api = gst_api_find(GST_API_ID(GST_API_DOMAIN_DRIVER, 307));
	assert_non_null(api);
	assert_string_equal(api->symbol, "cuLaunchKernel");
	assert_int_equal(api->class_id, GST_API_CLASS_LAUNCH);
	assert_int_equal(api->layout, GST_PARAMS_LAUNCH);
	assert_int_equal(api->flags, GST_API_HOT);

	api = gst_api_find(GST_API_ID(GST_API_DOMAIN_DRIVER, 421));
	assert_non_null(api);
	assert_string_equal(api->symbol, "cuMemcpyHtoDAsync_v2_ptsz");
	assert_string_equal(api->name, "cuMemcpyHtoDAsync");
	assert_int_equal(api->class_id, GST_API_CLASS_COPY);
	assert_int_equal(api->layout, GST_PARAMS_COPY_ASYNC);
	assert_int_equal(api->flags, GST_API_HOT | GST_API_H2D | GST_API_PTSZ);

	api = gst_api_find(GST_API_ID(GST_API_DOMAIN_RUNTIME, 31));
	assert_non_null(api);
	assert_string_equal(api->symbol, "cudaMemcpy_v3020");
	assert_string_equal(api->name, "cudaMemcpy");
	assert_int_equal(api->layout, GST_PARAMS_RT_COPY);
	assert_true(api->flags & GST_API_SYNC_FORM);
	assert_true(gst_api_is_recorded(api));
}

static void names_prefer_the_newest_default_stream_form(void **state)
{
	(void)state;
	assert_string_equal(named("cuMemcpyHtoD")->symbol, "cuMemcpyHtoD"); /* a symbol itself */
	assert_string_equal(named("cudaStreamDestroy")->symbol, "cudaStreamDestroy_v5050");
	assert_string_equal(named("cudaMemcpyAsync")->symbol, "cudaMemcpyAsync_v3020");
	assert_string_equal(named("cudaStreamSynchronize")->symbol, "cudaStreamSynchronize_v3020");
}

static void hot_runtime_calls_are_not_recorded(void **state)
{
	(void)state;
	assert_false(gst_api_is_recorded(named("cudaLaunchKernel")));
	assert_false(gst_api_is_recorded(named("cudaMemcpyAsync")));
	assert_false(gst_api_is_recorded(named("cudaEventRecord")));
	assert_true(gst_api_is_recorded(named("cudaDeviceSynchronize")));
	assert_true(gst_api_is_recorded(named("cudaFree")));
	assert_true(gst_api_is_recorded(named("cuLaunchKernel")));
}

static void variants_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < gst_api_count(); i++) {
		const struct gst_api *api = gst_api_at(i);
		int is_ptsz = strstr(api->symbol, "_ptsz") != NULL;
		int is_ptds = strstr(api->symbol, "_ptds") != NULL;

		assert_int_equal(!!(api->flags & GST_API_PTSZ), is_ptsz);
		assert_int_equal(!!(api->flags & GST_API_PTDS), is_ptds);
		assert_null(strstr(api->name, "_pts"));
		assert_null(strstr(api->name, "_ptd"));
		if (api->class_id == GST_API_CLASS_COPY) {
			unsigned directions =
				(unsigned)api->flags &
				(GST_API_H2D | GST_API_D2H | GST_API_D2D | GST_API_ANY_DIR);

			assert_true(directions && !(directions & (directions - 1)));
		}
	}
}

static void classes_have_names(void **state)
{
	(void)state;
	assert_string_equal(gst_api_class_name(GST_API_CLASS_OTHER), "OTHER");
	assert_string_equal(gst_api_class_name(GST_API_CLASS_CTX_SYNC), "CTX_SYNC");
	assert_string_equal(gst_api_class_name(GST_API_CLASS_PREFETCH), "PREFETCH");
	assert_string_equal(gst_api_class_name(GST_API_CLASS_PROFILER), "PROFILER");
	assert_string_equal(gst_api_class_name(GST_API_CLASS_COUNT), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_sorted),
		cmocka_unit_test(every_entry_is_found),
		cmocka_unit_test(unknown_is_null),
		cmocka_unit_test(known_entries),
		cmocka_unit_test(names_prefer_the_newest_default_stream_form),
		cmocka_unit_test(hot_runtime_calls_are_not_recorded),
		cmocka_unit_test(variants_agree),
		cmocka_unit_test(classes_have_names),
	};

	return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
