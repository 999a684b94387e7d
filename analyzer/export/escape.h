/*
 * escape.h - names from a trace are a stranger's bytes: make them harmless, one rule per output.
 *
 *   text      printable UTF-8 stays; control characters, invalid bytes, C1 controls, marks that turn the
 *             direction of writing, separators of lines and invisible characters become \xNN for each of their bytes; a
 *             backslash becomes two, so that what is read is unambiguous.
 *   JSON      valid UTF-8 stays; invalid bytes become U+FFFD; controls, DEL, quote and backslash are escaped.
 *   UTF-8     invalid bytes become U+FFFD; everything else stays (Perfetto, SQLite).
 *
 * Nothing here depends on the locale, allocates or fails. Threads: any.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_ESCAPE_H
#define GSTRACE_ANALYZER_EXPORT_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* No character becomes longer than this: four bytes, each written as \xNN. */
#define GST_ESCAPE_MAX 16

/**
 * Take one character of UTF-8 from @s (@length bytes, at least 1) and put its number in @code.
 * Returns its length, or 0 if the bytes there are not well-formed (overlong forms, surrogates and numbers past
 * U+10FFFF included): then one byte is to be skipped.
 */
size_t gst_utf8_decode(const char *s, size_t length, uint32_t *code);

enum gst_escape_form { GST_ESCAPE_TEXT, GST_ESCAPE_JSON, GST_ESCAPE_UTF8 };

/**
 * Escape one character at @s (@length bytes, at least 1) into @out, not terminated; *out_length is set.
 * Returns how many bytes of @s it took, at least 1.
 */
size_t gst_escape_step(enum gst_escape_form form, const char *s, size_t length,
		       char out[GST_ESCAPE_MAX], size_t *out_length);

/**
 * Escape @s (@length bytes) into @buf, always terminated if @size > 0, cut between characters if it does not fit.
 * Returns the length that the whole result has, without the terminator: >= @size means that it was cut.
 */
size_t gst_escape(enum gst_escape_form form, const char *s, size_t length, char *buf, size_t size);

/** Columns that @length bytes of escaped text take on a terminal: 2 for wide characters, 0 for combining marks. */
size_t gst_text_width(const char *text, size_t length);

/** How many bytes of escaped text fit in @columns, never half a character or half a \xNN. */
size_t gst_text_fit(const char *text, size_t length, size_t columns);

#endif
