/*
 * text_layout.h - lines of a text report: indentation, wrapping, columns. Escapes what it is given.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_TEXT_LAYOUT_H
#define GSTRACE_ANALYZER_EXPORT_TEXT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/outfile.h"

enum { GST_TEXT_COLUMNS = 100 };

/**
 * Write @text (raw bytes of anybody's, \n begins a new line) after @key, wrapped between words; further lines are
 * indented as the text of the first. @indent columns before the key, @key_columns for it; an empty key is as good.
 */
void gst_text_field(struct gst_outfile *out, size_t indent, size_t key_columns, const char *key,
		    const char *text);

/** Write raw @text escaped, at most @columns wide ("..." at its end if cut), padded to @columns if @is_padded. */
void gst_text_cell(struct gst_outfile *out, const char *text, size_t columns, bool is_padded);

/** The same for @text and then @end: what is cut is @text, unless @end alone takes more than three quarters. */
void gst_text_cell2(struct gst_outfile *out, const char *text, const char *end, size_t columns,
		    bool is_padded);

/** Write @text (ours) right-aligned in @columns. */
void gst_text_right(struct gst_outfile *out, const char *text, size_t columns);

#endif
