/*
 * text_layout.c - indented, wrapped lines and columns.
 *
 * Role      : export_text.c gives words, this lays them out.
 * Method    : escape first, then count columns of what will be seen; a word longer than a line stands alone.
 * Invariant : no byte of a trace reaches the output unescaped.
 * Not here  : what is said (export_text.c).
 */
#include "analyzer/export/text_layout.h"

#include <string.h>

#include "analyzer/export/escape.h"

enum { LINE_BYTES = 16384 };

static void spaces(struct gst_outfile *out, size_t count)
{
	gst_outfile_printf(out, "%*s", (int)count, "");
}

/* One line of escaped text, wrapped; the caller has written what stands before it, @indent columns. */
static void wrap(struct gst_outfile *out, const char *text, size_t length, size_t indent)
{
	size_t room = GST_TEXT_COLUMNS - indent, column = 0, at = 0;

	while (at < length) {
		const char *word = text + at;
		size_t blanks = 0, n = 0, width;

		while (at + blanks < length && word[blanks] == ' ') {
			blanks++;
		}
		while (at + blanks + n < length && word[blanks + n] != ' ') {
			n++;
		}
		width = gst_text_width(word + blanks, n);
		if (column > 0 && column + blanks + width > room) {
			gst_outfile_puts(out, "\n");
			spaces(out, indent);
			column = 0;
			at += blanks; /* blanks at the end of a line are not shown */
			blanks = 0;
			word = text + at;
		}
		gst_outfile_write(out, word, blanks + n);
		column += blanks + width;
		at += blanks + n;
	}
	gst_outfile_puts(out, "\n");
}

void gst_text_field(struct gst_outfile *out, size_t indent, size_t key_columns, const char *key,
		    const char *text)
{
	char buf[LINE_BYTES];

	gst_outfile_printf(out, "%*s%-*s", (int)indent, "", (int)key_columns, key);
	for (;;) {
		size_t n = strcspn(text, "\n");

		gst_escape(GST_ESCAPE_TEXT, text, n, buf, sizeof(buf));
		wrap(out, buf, strlen(buf), indent + key_columns);
		text += n;
		if (*text == '\0' || *++text == '\0') {
			break;
		}
		spaces(out, indent + key_columns);
	}
}

/* Escaped @text in at most @columns; returns the columns taken. */
static size_t put_cut(struct gst_outfile *out, const char *text, size_t columns)
{
	size_t length = strlen(text), width = gst_text_width(text, length);

	if (width <= columns) {
		gst_outfile_write(out, text, length);
		return width;
	}
	length = gst_text_fit(text, length, columns > 3 ? columns - 3 : columns);
	gst_outfile_write(out, text, length);
	width = gst_text_width(text, length);
	if (columns > 3) {
		gst_outfile_puts(out, "...");
		width += 3;
	}
	return width;
}

void gst_text_cell2(struct gst_outfile *out, const char *text, const char *end, size_t columns,
		    bool is_padded)
{
	char buf[4096], tail[1024];
	size_t width, used;

	gst_escape(GST_ESCAPE_TEXT, text, strlen(text), buf, sizeof(buf));
	gst_escape(GST_ESCAPE_TEXT, end, strlen(end), tail, sizeof(tail));
	width = gst_text_width(tail, strlen(tail));
	/* Something of the name is to be seen, too. */
	if (width > columns - columns / 4) {
		width = columns - columns / 4;
	}
	used = put_cut(out, buf, columns - width);
	used += put_cut(out, tail, columns - used);
	if (is_padded && used < columns) {
		spaces(out, columns - used);
	}
}

void gst_text_cell(struct gst_outfile *out, const char *text, size_t columns, bool is_padded)
{
	gst_text_cell2(out, text, "", columns, is_padded);
}

void gst_text_right(struct gst_outfile *out, const char *text, size_t columns)
{
	gst_outfile_printf(out, "%*s", (int)columns, text);
}
