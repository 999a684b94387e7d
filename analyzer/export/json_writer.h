/*
 * json_writer.h - JSON as a stream: constant memory, no floating point, strings made valid.
 *
 * One value after the other; commas, indentation and quoting are the writer's. Objects and arrays down to @compact_depth
 * stand on lines of their own, deeper ones on one line, so that documents can be read and compared line by line.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_JSON_WRITER_H
#define GSTRACE_ANALYZER_EXPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/outfile.h"

#define GST_JSON_DEPTH 16

/* Initialise with gst_json_init; the fields are private. */
struct gst_json {
	struct gst_outfile *out;
	unsigned depth, compact_depth;
	bool is_first, after_key;
	bool is_array[GST_JSON_DEPTH]; /* by depth */
};

void gst_json_init(struct gst_json *j, struct gst_outfile *out, unsigned compact_depth);

/** Begin and end an object or array; asserts that they pair and are at most GST_JSON_DEPTH deep. */
void gst_json_begin_object(struct gst_json *j);
void gst_json_end_object(struct gst_json *j);
void gst_json_begin_array(struct gst_json *j);
void gst_json_end_array(struct gst_json *j);

/** In an object: the name of the value that follows. @key is ours, plain ASCII. */
void gst_json_key(struct gst_json *j, const char *key);

void gst_json_uint(struct gst_json *j, uint64_t value);
void gst_json_int(struct gst_json *j, int64_t value);
void gst_json_bool(struct gst_json *j, bool value);
void gst_json_null(struct gst_json *j);

/** @length bytes of anybody's; invalid UTF-8 becomes U+FFFD. */
void gst_json_bytes(struct gst_json *j, const char *bytes, size_t length);

/** The same for a terminated string; NULL gives null. */
void gst_json_string(struct gst_json *j, const char *text);

/** "0x1f", as a string: JSON's numbers are decimal, and many readers keep 53 bits. */
void gst_json_hex(struct gst_json *j, uint64_t value);

/** The newline at the end; asserts that all is closed. */
void gst_json_finish(struct gst_json *j);

#endif
