/*
 * config.c - settings from the environment.
 *
 * Role      : the only reader of GSTRACE_* variables.
 * Method    : the table in config.h makes the struct, the parsing and the help.
 * Invariant : every field has a usable value whatever the environment holds.
 * Not here  : the file itself (output.c).
 */
#include "tracer/config.h"
#include "tracer/linebuf.h"
#include "tracer/siglog.h"

#include <string.h>

bool gst_config_parse_size(const char *text, uint64_t *value)
{
	uint64_t number = 0;
	unsigned int shift = 0;
	const char *at = text;

	if (*at < '0' || *at > '9') {
		return false;
	}
	for (; *at >= '0' && *at <= '9'; at++) {
		if (number > (UINT64_MAX - 9) / 10) {
			return false;
		}
		number = number * 10 + (uint64_t)(*at - '0');
	}
	switch (*at) {
	case 'G':
	case 'g':
		shift = 30;
		at++;
		break;
	case 'M':
	case 'm':
		shift = 20;
		at++;
		break;
	case 'K':
	case 'k':
		shift = 10;
		at++;
		break;
	default:
		break;
	}
	if (*at || number > UINT64_MAX >> shift) {
		return false;
	}
	*value = number << shift;
	return true;
}

static bool set_text(struct gst_config_text *field, const char *text)
{
	struct gst_linebuf line;

	gst_linebuf_init(&line, field->value, sizeof(field->value));
	gst_linebuf_add(&line, text);
	return !line.is_cut;
}

static bool set_flag(bool *field, const char *text)
{
	if (strcmp(text, "0") && strcmp(text, "1")) {
		return false;
	}
	*field = text[0] == '1';
	return true;
}

static bool set_size(uint64_t *field, const char *text)
{
	return gst_config_parse_size(text, field);
}

/* One of @choices, "a|b|c"; otherwise the first, which is the default. */
static void check_choice(struct gst_config_text *field, const char *variable, const char *choices)
{
	size_t length = strlen(field->value);
	struct gst_config_text fallback = {{0}};

	for (const char *at = choices; *at;) {
		size_t bytes = strcspn(at, "|");

		if (bytes == length && !memcmp(at, field->value, bytes)) {
			return;
		}
		at += bytes + (at[bytes] == '|');
	}
	memcpy(fallback.value, choices, strcspn(choices, "|"));
	gst_siglog(variable, "=\"", field->value, "\" is not understood; using \"", fallback.value,
		   "\"", NULL);
	*field = fallback;
}

static void check_bounds(uint64_t *field, const char *variable, uint64_t least, uint64_t most)
{
	uint64_t wanted = *field;
	struct gst_linebuf line;
	char text[24];

	if (wanted >= least && wanted <= most) {
		return;
	}
	*field = wanted < least ? least : most;
	gst_linebuf_init(&line, text, sizeof(text));
	gst_linebuf_add_dec(&line, (int64_t)*field);
	gst_siglog(variable, wanted < least ? " is too small" : " is too large", "; using ", text,
		   NULL);
}

void gst_config_read(struct gst_config *config, const char *(*get)(const char *name))
{
	const char *text;

	memset(config, 0, sizeof(*config));
	/* An empty text is a value, an empty number or flag is none. */
#define GST_X(type, field, variable, fallback, help)                                             \
	(void)set_##type(&config->field, fallback);                                              \
	text = get(variable);                                                                    \
	if (text && (text[0] || sizeof(config->field) == sizeof(struct gst_config_text)) &&      \
	    !set_##type(&config->field, text)) {                                                 \
		gst_siglog(variable "=\"", text, "\" is not understood; using \"" fallback "\"", \
			   NULL);                                                                \
		(void)set_##type(&config->field, fallback);                                      \
	}
	GST_CONFIG_SETTINGS(GST_X)
#undef GST_X
#define GST_X(field, variable, least, most) check_bounds(&config->field, variable, least, most);
	GST_SETTING_BOUNDS(GST_X)
#undef GST_X
#define GST_X(field, variable, choices) check_choice(&config->field, variable, choices);
	GST_SETTING_CHOICES(GST_X)
#undef GST_X
}

bool gst_config_has_device(const struct gst_config *config)
{
	return strcmp(config->mode.value, "order") != 0;
}

bool gst_config_is_paused(const struct gst_config *config)
{
	return strcmp(config->start.value, "paused") == 0;
}

bool gst_config_has_host_wrap(const struct gst_config *config)
{
	return strcmp(config->host_functions.value, "wrap") == 0;
}

bool gst_config_has_event_ids(const struct gst_config *config)
{
	return strcmp(config->event_ids.value, "always") == 0;
}

bool gst_config_has_no_event_ids(const struct gst_config *config)
{
	return strcmp(config->event_ids.value, "never") == 0;
}

bool gst_config_has_graph_nodes(const struct gst_config *config)
{
	return strcmp(config->graphs.value, "nodes") == 0;
}

void gst_config_print_help(void)
{
	gst_siglog("settings of libgstrace, from the environment:", NULL);
#define GST_X(type, field, variable, fallback, help) \
	gst_siglog("    " variable " (" fallback "): " help, NULL);
#define GST_G(table, heading)               \
	gst_siglog("  " heading ":", NULL); \
	table(GST_X)
	GST_CONFIG_GROUPS(GST_G)
#undef GST_G
#undef GST_X
}

/* A name must stay one part of the path. */
static void add_name(struct gst_linebuf *path, const char *name)
{
	for (; *name; name++) {
		gst_linebuf_add_bytes(path, *name == '/' ? "_" : name, 1);
	}
}

bool gst_config_output_path(const char *pattern, bool is_private,
			    const struct gst_config_names *names, char *path, size_t size)
{
	struct gst_linebuf out;

	if (!pattern[0]) {
		pattern = is_private ? "gstrace-%p.gst" : "gstrace-%h-%p.gst";
	}
	gst_linebuf_init(&out, path, size);
	for (const char *at = pattern; *at; at++) {
		if (at[0] != '%' || !at[1] || !strchr("hpet%", at[1])) {
			gst_linebuf_add_bytes(&out, at, 1);
			continue;
		}
		at++;
		switch (*at) {
		case 'h':
			add_name(&out, names->host);
			break;
		case 'p':
			gst_linebuf_add_dec(&out, names->pid);
			break;
		case 'e':
			add_name(&out, names->exe);
			break;
		case 't':
			gst_linebuf_add_dec(&out, names->start_s);
			break;
		default:
			gst_linebuf_add(&out, "%");
			break;
		}
	}
	return !out.is_cut && out.used;
}
