/*
 * identity_test.c - the runtime's version from the names of mapped files.
 */
#include "tracer/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_libcudart)};

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
