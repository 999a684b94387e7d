/*
 * abi_layout.h - a table of our things and the headers' of the same name, and what differs: for the tests of cupti_abi.h.
 */
#ifndef GSTRACE_TRACER_ABI_LAYOUT_H
#define GSTRACE_TRACER_ABI_LAYOUT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct layout {
	const char *what;
	size_t offset;
	size_t size;
	size_t real_offset;
	size_t real_size;
};

#define FIELD(ours, field, real, real_field)                                           \
	{                                                                              \
#ours "." #field " = " #real, offsetof(struct ours, field),            \
			sizeof(((struct ours *)0)->field), offsetof(real, real_field), \
			sizeof(((real *)0)->real_field)                                \
	}
#define SIZE(ours, real)                                                   \
	{                                                                  \
#ours " = " #real, 0, sizeof(struct ours), 0, sizeof(real) \
	}
#define VALUE(ours, real)                                               \
	{                                                               \
#ours " = " #real, (size_t)(ours), 0, (size_t)(real), 0 \
	}

/** How many lines of @table differ, each of them named. */
static inline int differences(const struct layout *table, size_t count)
{
	int found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct layout *l = &table[i];
		size_t size = l->size;

		/* our union is wider than the one member compared: only its place counts */
		if (strstr(l->what, "gst_cu_memset") == l->what && strstr(l->what, ".value = ")) {
			size = l->real_size;
		}
		if (l->offset != l->real_offset || size != l->real_size) {
			print_error("%s: offset %zu size %zu, header has %zu and %zu\n", l->what,
				    l->offset, l->size, l->real_offset, l->real_size);
			found++;
		}
	}
	return found;
}

#define CHECK(table) assert_int_equal(differences(table, sizeof(table) / sizeof(table[0])), 0)

#endif
