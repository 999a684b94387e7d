/*
 * settings.c - the table of settings as data.
 *
 * Role      : record turns options into variables, env prints them, help shows both.
 * Not here  : what a setting does (tracer/config.c).
 */
#include "analyzer/cli/settings.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/cli/cli.h"
#include "tracer/format/setting_values.h"

#define ROW(index, name, variable, arg, choices, on, help) {name, variable, arg, choices, on, help},
const struct gst_setting gst_settings[] = {GST_SETTING_OPTIONS(ROW){0}};
#undef ROW

enum { SETTING_COUNT = sizeof(gst_settings) / sizeof(gst_settings[0]) - 1 };

const struct gst_setting *gst_setting_of_option(int id)
{
	if (id < GST_SETTING_FIRST || id >= GST_SETTING_FIRST + SETTING_COUNT) {
		return NULL;
	}
	return &gst_settings[id - GST_SETTING_FIRST];
}

/*
 * The library takes the nearest that it can do and says so, in the traced program, maybe hours later: here a number
 * that it would not take as it is is wrong.
 */
static bool is_number(struct gst_opt *opt, const struct gst_setting *setting, const char *value)
{
	static const struct {
		const char *variable;
		uint64_t low, high;
	} bounds[] = {
#define ROW(field, variable, least, most) {variable, least, most},
		GST_SETTING_BOUNDS(ROW)
#undef ROW
	};
	uint64_t low = 0, high = UINT64_MAX, number;

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		if (strcmp(setting->variable, bounds[i].variable) == 0) {
			low = bounds[i].low;
			high = bounds[i].high;
		}
	}
	return gst_opt_number(opt, setting->name, value, low, high, setting->arg[0] == 'S',
			      &number);
}

const char *gst_setting_value(struct gst_opt *opt, const struct gst_setting *setting,
			      const char *value)
{
	size_t length;

	if (!setting->arg) {
		return setting->on;
	}
	if (strcmp(setting->arg, "SIZE") == 0 || strcmp(setting->arg, "MS") == 0) {
		return is_number(opt, setting, value) ? value : NULL;
	}
	if (!setting->choices) {
		return value;
	}
	length = strlen(value);
	for (const char *c = setting->choices; *c;) {
		size_t n = strcspn(c, "|");

		if (n == length && memcmp(c, value, n) == 0) {
			return value;
		}
		c += n + (c[n] == '|');
	}
	gst_opt_wrong(opt, "--%s=%s is not one of: %s", setting->name, gst_cli_show(value),
		      setting->choices);
	return NULL;
}
