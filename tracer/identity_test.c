/*
 * identity_test.c - the runtime's version from the names of mapped files; variables.
 */
#include "tracer/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint32_t version_of(const char *maps)
{
	return gst_identity_runtime_version(maps, strlen(maps));
}

static void names_of_libcudart(void **state)
{
	(void)state;
	assert_int_equal(version_of(""), 0);
	assert_int_equal(version_of("7f00-7f01 r-xp 0 08:01 1 /usr/lib/libcuda.so.580.1\n"), 0);
	assert_int_equal(version_of("7f00 /usr/local/cuda/lib64/libcudart.so.12.4.127\n"), 12040);
	assert_int_equal(version_of("7f00 /opt/libcudart.so.13.0.48"), 13000);
	assert_int_equal(version_of("7f00 /x/libcudart-d0da41ae.so.11.8.89\n"), 11080);
	/* the major version alone is not a version */
	assert_int_equal(version_of("7f00 /x/nvidia/cuda_runtime/lib/libcudart.so.12\n"), 0);
	/* ... but another file may tell */
	assert_int_equal(version_of("7f00 /x/libcudart.so.12\n7f01 /y/libcudart.so.12.9.79\n"),
			 12090);
	/* a suffix of another line is not taken */
	assert_int_equal(version_of("7f00 /x/libcudart_static.a\n7f01 /y/liby.so.9.9.9\n"), 0);
	assert_int_equal(version_of("7f00 /x/libcudart.so.99999999999.1\n"), 0);
	assert_int_equal(version_of("7f00 /x/libcudart.so."), 0);
	assert_int_equal(version_of("7f00 /x/libcudart.so.12."), 0);
}

static const char *text_of(const struct gst_intern *in, uint32_t id)
{
	return (const char *)in->page->body + in->offset[id] + sizeof(struct gst_rec_string);
}

/* A later segment is written by another thread, while the program may change its environment. */
static void variables_are_those_of_the_start(void **state)
{
	static struct gst_identity id;
	static struct gst_intern strings;
	static struct gst_loss loss;
	struct gst_config config = {.is_private = true};
	struct gst_pool pool;

	(void)state;
	assert_int_equal(gst_pool_init(&pool, NULL, GST_POOL_BYTES_MIN, 1, 2, 3), 0);
	gst_intern_init(&strings, &pool.pages[0], &loss);
	setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
	setenv("CUDA_MPS_PIPE_DIRECTORY", "/secret", 1);
	setenv("RANK", "5", 1);
	setenv("LOCAL_RANK", "none", 1);
	gst_identity_read_variables(&id, &strings, &config);
	assert_int_equal(id.variable_count, 2);
	assert_string_equal(text_of(&strings, id.variables[0].name), "CUDA_LAUNCH_BLOCKING");
	assert_string_equal(text_of(&strings, id.variables[0].value), "1");
	assert_string_equal(text_of(&strings, id.variables[1].name), "CUDA_MPS_PIPE_DIRECTORY");
	assert_int_equal(id.variables[1].value, 0);
	assert_int_equal(id.rank_count, 1);
	assert_string_equal(text_of(&strings, id.ranks[0].name), "RANK");
	assert_int_equal(id.ranks[0].value, 5);
	gst_pool_release(&pool, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_libcudart),
		cmocka_unit_test(variables_are_those_of_the_start),
	};

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
