/*
 * config_test.c - settings and the name of the output.
 */
#include "tracer/config.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char *no_variable(const char *name)
{
	(void)name;
	return NULL;
}

static const char *some_variables(const char *name)
{
	static const char *const values[][2] = {
		{"GSTRACE_OUTPUT", "/tmp/%e.gst"},
		{"GSTRACE_PRIVATE", "1"},
		{"GSTRACE_STAGING_BYTES", "4m"},
		{"GSTRACE_STAGING_DIR", ""},
		{"GSTRACE_FLUSH_MS", "soon"},
		{"GSTRACE_GRAPHS", "nodes"},
		{"GSTRACE_DEVICE", ""},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (!strcmp(name, values[i][0])) {
			return values[i][1];
		}
	}
	return NULL;
}

static const char *odd_variables(const char *name)
{
	if (!strcmp(name, "GSTRACE_GRAPHS")) {
		return "edges";
	}
	return !strcmp(name, "GSTRACE_PRIVATE") ? "yes" : NULL;
}

static const char *extreme_times(const char *name)
{
	if (!strcmp(name, "GSTRACE_WRITE_MS") || !strcmp(name, "GSTRACE_EXIT_MS")) {
		return "0";
	}
	if (!strcmp(name, "GSTRACE_FLUSH_MS")) {
		return "00";
	}
	/* In nanoseconds 448384, modulo 2^64. */
	return !strcmp(name, "GSTRACE_HANG_MS") ? "18446744073710" : NULL;
}

/* No busy loop, and no sum that wraps around. */
static void test_times(void **state)
{
	static struct gst_config config;

	(void)state;
	gst_config_read(&config, extreme_times);
	assert_int_equal(config.write_ms, 1);
	assert_int_equal(config.flush_ms, 1);
	assert_int_equal(config.hang_ms, 86400000);
	assert_int_equal(config.exit_ms, 0);
}

static const char *asked_variable, *asked_value;

static const char *one_variable(const char *name)
{
	return strcmp(name, asked_variable) ? NULL : asked_value;
}

/* Every value of the table that gstrace has too is taken as it is, and each bound; what is beyond them is not. */
static void test_values_of_the_table(void **state)
{
	static struct gst_config config, plain;
	char text[32];

	(void)state;
	gst_config_read(&plain, no_variable);
#define ROW(field, variable, choices)                                                           \
	assert_int_equal(strcspn(choices, "|"), strlen(plain.field.value));                     \
	for (const char *at = choices; *at; at += strcspn(at, "|"), at += *at == '|') {         \
		assert_true((size_t)snprintf(text, sizeof(text), "%.*s", (int)strcspn(at, "|"), \
					     at) < sizeof(text));                               \
		asked_variable = variable;                                                      \
		asked_value = text;                                                             \
		gst_config_read(&config, one_variable);                                         \
		assert_string_equal(config.field.value, text);                                  \
	}
	GST_SETTING_CHOICES(ROW)
#undef ROW
#define ROW(field, variable, least, most)                                                    \
	assert_in_range(plain.field, least, most);                                           \
	for (int64_t beyond = -1; beyond <= 1; beyond++) {                                   \
		asked_variable = variable;                                                   \
		asked_value = text;                                                          \
		(void)snprintf(text, sizeof(text), "%" PRIu64, (uint64_t)((most) + beyond)); \
		gst_config_read(&config, one_variable);                                      \
		assert_int_equal(config.field, beyond < 0 ? (most)-1 : (most));              \
		if ((least) + beyond >= 0) {                                                 \
			(void)snprintf(text, sizeof(text), "%" PRIu64,                       \
				       (uint64_t)((least) + beyond));                        \
			gst_config_read(&config, one_variable);                              \
			assert_int_equal(config.field, beyond > 0 ? (least) + 1 : (least));  \
		}                                                                            \
	}
	GST_SETTING_BOUNDS(ROW)
#undef ROW
	assert_string_equal(GST_STAGING_BYTES_RANGE, "1M to 1G");
	assert_int_equal(GST_STAGING_BYTES_LEAST, 1 << 20);
	assert_int_equal(GST_STAGING_BYTES_MOST, 1 << 30);
}

static void test_defaults(void **state)
{
	static struct gst_config config;

	(void)state;
	gst_config_read(&config, no_variable);
	assert_string_equal(config.output.value, "");
	assert_false(config.is_private);
	assert_true(gst_config_has_device(&config));
	assert_false(config.is_disabled);
	assert_string_equal(config.graphs.value, "launches");
	assert_string_equal(config.staging_dir.value, "/dev/shm");
	assert_int_equal(config.staging_bytes, 16 << 20);
	assert_int_equal(config.write_ms, 100);
	assert_int_equal(config.exit_ms, 3000);
}

static void test_values(void **state)
{
	static struct gst_config config;

	(void)state;
	gst_config_read(&config, some_variables);
	assert_string_equal(config.output.value, "/tmp/%e.gst");
	assert_true(config.is_private);
	assert_int_equal(config.staging_bytes, 4 << 20);
	/* An empty text is a value. */
	assert_string_equal(config.staging_dir.value, "");
	assert_string_equal(config.graphs.value, "nodes");
	/* Not understood, or empty: the default. */
	assert_int_equal(config.flush_ms, 500);
	assert_true(gst_config_has_device(&config));

	gst_config_read(&config, odd_variables);
	assert_string_equal(config.graphs.value, "launches");
	assert_false(config.is_private);
}

static void test_sizes(void **state)
{
	uint64_t value = 7;

	(void)state;
	assert_true(gst_config_parse_size("0", &value));
	assert_int_equal(value, 0);
	assert_true(gst_config_parse_size("3K", &value));
	assert_int_equal(value, 3 << 10);
	assert_true(gst_config_parse_size("2g", &value));
	assert_int_equal(value, UINT64_C(2) << 30);
	assert_true(gst_config_parse_size("18446744073709551609", &value));
	assert_false(gst_config_parse_size("18446744073709551616", &value));
	assert_false(gst_config_parse_size("17179869184G", &value));
	assert_false(gst_config_parse_size("", &value));
	assert_false(gst_config_parse_size("-1", &value));
	assert_false(gst_config_parse_size("1MB", &value));
	assert_false(gst_config_parse_size(" 1", &value));
}

static void expect_path(const char *pattern, bool is_private, const char *wanted)
{
	const struct gst_config_names names = {
		.host = "node7",
		.exe = "train",
		.pid = 42,
		.start_s = 1700000000,
	};
	char path[64];

	assert_true(gst_config_output_path(pattern, is_private, &names, path, sizeof(path)));
	assert_string_equal(path, wanted);
}

static void test_names(void **state)
{
	const struct gst_config_names evil = {.host = "../x", .exe = "a/b"};
	char path[64];

	(void)state;
	expect_path("", false, "gstrace-node7-42.gst");
	expect_path("", true, "gstrace-42.gst");
	expect_path("/d/%h.%p.%e.%t", false, "/d/node7.42.train.1700000000");
	expect_path("100%%-%x-%", false, "100%-%x-%");
	assert_true(gst_config_output_path("%h-%e", false, &evil, path, sizeof(path)));
	assert_string_equal(path, ".._x-a_b");
	assert_false(gst_config_output_path("a-name-that-is-longer", false, &evil, path, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_of_the_table),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
