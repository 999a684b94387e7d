/*
 * linebuf.h - put short texts together in a caller's buffer: log lines, paths, names.
 *
 * No malloc, no locale, no stdio: usable in any thread of the traced program and in a signal
 * handler. What does not fit is left out and is_cut says so; the text always ends with a zero.
 */
#ifndef GSTRACE_TRACER_LINEBUF_H
#define GSTRACE_TRACER_LINEBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gst_linebuf {
	char *text;  /* the caller's, zero-terminated */
	size_t size; /* bytes of it, at least 1 */
	size_t used; /* without the zero */
	bool is_cut; /* something did not fit */
};

/** Begin an empty text in @text of @size bytes (at least 1), which must outlive @b. */
void gst_linebuf_init(struct gst_linebuf *b, char *text, size_t size);

/** Append @text; NULL appends nothing. */
void gst_linebuf_add(struct gst_linebuf *b, const char *text);

/** Append @length bytes of @text. */
void gst_linebuf_add_bytes(struct gst_linebuf *b, const char *text, size_t length);

/** Append @value in decimal. */
void gst_linebuf_add_dec(struct gst_linebuf *b, int64_t value);

/** Append @value in lower-case hex with at least @digits digits (1 to 16). */
void gst_linebuf_add_hex(struct gst_linebuf *b, uint64_t value, unsigned int digits);

#endif
