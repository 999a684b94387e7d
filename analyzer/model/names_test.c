/* names_test.c - kernel names and labels, also of names that mean harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/model/model_internal.h"

static void expect_name(const char *mangled, const char *wanted)
{
	struct gst_strtab *t = gst_strtab_new();
	uint32_t id = gst_strtab_intern(t, mangled, strlen(mangled));

	assert_string_equal(gst_strtab_get(t, gst_model_short_name(t, id), NULL), wanted);
	gst_strtab_free(t);
}

static void test_short_names(void **state)
{
	(void)state;
	expect_name("_Z6middlej", "middle");
	expect_name("_Z9vectorAddPKfS0_Pfi", "vectorAdd");
	expect_name("my_c_kernel", "my_c_kernel");
	expect_name(
		"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
		"at::native::vectorized_elementwise_kernel<>");
	expect_name("_ZN3cub17CUB_200200_800_NS18DeviceReduceKernelIiEEvv",
		    "cub::DeviceReduceKernel<>");
	expect_name("_ZN6thrust8cuda_cub4core13_kernel_agentIiEEvv", "thrust::_kernel_agent<>");
	expect_name("_ZN12_GLOBAL__N_14spinEy", "spin");
	expect_name("_ZN1AlsERKS_", "A::operator<<");
	expect_name("_ZN1AclEi", "A::operator()");
	/* Not a mangled name after all. */
	expect_name("_Z", "_Z");
	expect_name("_Zgarbage!", "_Zgarbage!");
}

/* A name that the demangler refuses for its length keeps what it spells out. */
static void test_long_name(void **state)
{
	char *name = malloc(40000);
	size_t used;

	(void)state;
	assert_non_null(name);
	used = (size_t)snprintf(name, 100, "_ZN7cutlass6KernelI");
	for (int i = 0; i < 3000; i++) {
		memcpy(name + used, "Li123E", 6);
		used += 6;
	}
	memcpy(name + used, "EEvv", 5);
	expect_name(name, "cutlass::Kernel");
	free(name);
}

/* Substitutions that double the name at each step: 2^60 bytes, if it were let go on. */
static void test_exploding_name(void **state)
{
	char name[2000];
	size_t used = (size_t)snprintf(name, sizeof(name), "_Z1fI1aS_E");

	(void)state;
	/* f(pair<X, X>, pair<that, that>, ...) by substitutions */
	used = (size_t)snprintf(name, sizeof(name), "_Z1f1AIiiE");
	for (int i = 0; i < 60; i++)
		used += (size_t)snprintf(name + used, sizeof(name) - used, "1AIS%c_S%c_E",
					 i < 10 ? '0' + i : 'A' + i % 26,
					 i < 10 ? '0' + i : 'A' + i % 26);
	/* Whatever comes out, it comes soon. */
	expect_name(name, "f");
}

static void test_label(void **state)
{
	static const char text[] =
		"gstext 1.0\n"
		"chunk events process=1 thread=1\n"
		"call_copy corr=1 enter_ns=10 api=cuMemcpyHtoDAsync_v2 size=4194304\n"
		"call_exit corr=1 exit_ns=20\n"
		"call_memset corr=2 enter_ns=30 api=cuMemsetD8Async size=1536\n"
		"call_exit corr=2 exit_ns=40\n"
		"chunk events process=1\n"
		"memcpy corr=1 start_ns=50 end_ns=60 ctx=1 stream=7 copy_kind=h2d "
		"src_kind=pageable dst_kind=device size=4194304\n";
	struct gst_arena *arena = gst_arena_new(0);
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_loader *loader;
	const struct gst_model *m;
	struct gst_err err = {0};
	char label[64];
	char small[8];

	(void)state;
	assert_int_equal(
		gst_loader_open_memory(text, sizeof(text) - 1, "text", &options, &loader, &err), 0);
	assert_int_equal(gst_model_build(&loader, 1, arena, &m, &err), 0);
	assert_int_equal(m->op_count, 2);
	gst_model_op_label(m, 0, label, sizeof(label));
	assert_string_equal(label, "memcpy h2d 4 MiB (pageable)");
	gst_model_op_label(m, 1, label, sizeof(label));
	assert_string_equal(label, "memset 1.5 KiB");
	gst_model_op_label(m, 0, small, sizeof(small));
	assert_string_equal(small, "memcpy ");
	gst_loader_close(loader);
	gst_model_free(m);
	gst_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_names),
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_exploding_name),
		cmocka_unit_test(test_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
