/*
 * json_writer.c - JSON, one value after the other.
 *
 * Role      : export_json.c says what is in the document, this how it is written.
 * Method    : a stack of what is open gives commas and indentation; strings go through escape.c.
 * Invariant : what comes out is valid JSON in UTF-8 whatever the strings are; misuse is an assertion.
 * Not here  : what is in the document (export_json.c).
 */
#include "analyzer/export/json_writer.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/export/escape.h"

void gst_json_init(struct gst_json *j, struct gst_outfile *out, unsigned compact_depth)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
	j->compact_depth = compact_depth;
	j->is_first = true;
}

static void new_line(struct gst_json *j)
{
	static const char spaces[2 * GST_JSON_DEPTH + 1] = "                                ";

	gst_outfile_write(j->out, "\n", 1);
	gst_outfile_write(j->out, spaces, 2 * (size_t)j->depth);
}

/* Before a value or a key: what separates it from the one before. */
static void separate(struct gst_json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (!j->is_first) {
		gst_outfile_puts(j->out, j->depth > j->compact_depth ? ", " : ",");
	}
	if (j->depth > 0 && j->depth <= j->compact_depth) {
		new_line(j);
	}
	j->is_first = false;
}

static void value(struct gst_json *j)
{
	GST_ASSERT(j->after_key || j->depth == 0 || j->is_array[j->depth - 1]);
	separate(j);
}

static void begin(struct gst_json *j, bool is_array)
{
	value(j);
	GST_ASSERT(j->depth < GST_JSON_DEPTH);
	gst_outfile_puts(j->out, is_array ? "[" : "{");
	j->is_array[j->depth++] = is_array;
	j->is_first = true;
}

static void end(struct gst_json *j, bool is_array)
{
	GST_ASSERT(j->depth > 0 && j->is_array[j->depth - 1] == is_array && !j->after_key);
	j->depth--;
	if (!j->is_first && j->depth < j->compact_depth) {
		new_line(j);
	}
	gst_outfile_puts(j->out, is_array ? "]" : "}");
	j->is_first = false;
}

void gst_json_begin_object(struct gst_json *j)
{
	begin(j, false);
}

void gst_json_end_object(struct gst_json *j)
{
	end(j, false);
}

void gst_json_begin_array(struct gst_json *j)
{
	begin(j, true);
}

void gst_json_end_array(struct gst_json *j)
{
	end(j, true);
}

void gst_json_key(struct gst_json *j, const char *key)
{
	GST_ASSERT(j->depth > 0 && !j->is_array[j->depth - 1] && !j->after_key);
	separate(j);
	gst_outfile_puts(j->out, "\"");
	gst_outfile_puts(j->out, key);
	gst_outfile_puts(j->out, "\": ");
	j->after_key = true;
}

void gst_json_uint(struct gst_json *j, uint64_t v)
{
	value(j);
	gst_outfile_printf(j->out, "%" PRIu64, v);
}

void gst_json_int(struct gst_json *j, int64_t v)
{
	value(j);
	gst_outfile_printf(j->out, "%" PRId64, v);
}

void gst_json_bool(struct gst_json *j, bool v)
{
	value(j);
	gst_outfile_puts(j->out, v ? "true" : "false");
}

void gst_json_null(struct gst_json *j)
{
	value(j);
	gst_outfile_puts(j->out, "null");
}

void gst_json_bytes(struct gst_json *j, const char *bytes, size_t length)
{
	char buf[512];
	size_t used = 0;

	value(j);
	gst_outfile_puts(j->out, "\"");
	for (size_t i = 0; i < length;) {
		size_t n;

		if (used > sizeof(buf) - GST_ESCAPE_MAX) {
			gst_outfile_write(j->out, buf, used);
			used = 0;
		}
		i += gst_escape_step(GST_ESCAPE_JSON, bytes + i, length - i, buf + used, &n);
		used += n;
	}
	gst_outfile_write(j->out, buf, used);
	gst_outfile_puts(j->out, "\"");
}

void gst_json_string(struct gst_json *j, const char *text)
{
	if (text) {
		gst_json_bytes(j, text, strlen(text));
	} else {
		gst_json_null(j);
	}
}

void gst_json_hex(struct gst_json *j, uint64_t v)
{
	value(j);
	gst_outfile_printf(j->out, "\"0x%" PRIx64 "\"", v);
}

void gst_json_finish(struct gst_json *j)
{
	GST_ASSERT(j->depth == 0 && !j->after_key && !j->is_first);
	gst_outfile_puts(j->out, "\n");
}
