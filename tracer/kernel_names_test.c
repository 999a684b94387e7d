/*
 * kernel_names_test.c - names by handle: known, replaced, forgotten, too many.
 */
#include "tracer/kernel_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct gst_kernel_names *names_new(void)
{
	struct gst_kernel_names *names = calloc(1, sizeof(*names));

	assert_non_null(names);
	return names;
}

static void names_are_those_of_their_handles(void **state)
{
	struct gst_kernel_names *names = names_new();
	uint32_t used;

	(void)state;
	assert_null(gst_kernel_names_find(names, 0x10));
	gst_kernel_names_add(names, 0x10, "_Z3addPf");
	gst_kernel_names_add(names, 0x20, "_Z3mulPf");
	gst_kernel_names_alias(names, 0x30, 0x20);
	gst_kernel_names_alias(names, 0x40, 0x50);
	gst_kernel_names_add(names, 0, "none");
	assert_string_equal(gst_kernel_names_find(names, 0x10), "_Z3addPf");
	assert_string_equal(gst_kernel_names_find(names, 0x30), "_Z3mulPf");
	assert_null(gst_kernel_names_find(names, 0x40));
	assert_null(gst_kernel_names_find(names, 0));
	/* Asked for again and again: no more room is taken. */
	used = atomic_load(&names->used);
	for (int i = 0; i < 1000; i++) {
		gst_kernel_names_add(names, 0x10, "_Z3addPf");
	}
	assert_int_equal(atomic_load(&names->used), used);
	/* Another kernel has the handle now. */
	gst_kernel_names_add(names, 0x10, "_Z3subPf");
	assert_string_equal(gst_kernel_names_find(names, 0x10), "_Z3subPf");
	gst_kernel_names_add(names, 0x10, NULL);
	assert_null(gst_kernel_names_find(names, 0x10));
	gst_kernel_names_forget(names);
	assert_null(gst_kernel_names_find(names, 0x30));
	gst_kernel_names_add(names, 0x30, "new");
	assert_string_equal(gst_kernel_names_find(names, 0x30), "new");
	free(names);
}

static void too_many_are_not_known(void **state)
{
	struct gst_kernel_names *names = names_new();
	char name[200], expected[200];
	uint64_t known = 0;

	(void)state;
	memset(name, 'k', sizeof(name));
	name[150] = '\0';
	for (uint64_t i = 1; i <= 20000; i++) {
		for (int c = 0; c < 4; c++) {
			name[c] = (char)('a' + (i >> (4 * c)) % 16);
		}
		gst_kernel_names_add(names, i << 8, name);
	}
	memcpy(expected, name, sizeof(name));
	for (uint64_t i = 1; i <= 20000; i++) {
		const char *found = gst_kernel_names_find(names, i << 8);

		for (int c = 0; c < 4; c++) {
			expected[c] = (char)('a' + (i >> (4 * c)) % 16);
		}
		if (found) {
			known++;
			assert_string_equal(found, expected);
		}
	}
	assert_true(known > 5000 && known <= GST_KERNEL_NAMES);
	assert_true(atomic_load(&names->used) <= GST_KERNEL_NAMES_BYTES);
	free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_their_handles),
		cmocka_unit_test(too_many_are_not_known),
	};

	return cmocka_run_group_tests_name("kernel_names", tests, NULL, NULL);
}
