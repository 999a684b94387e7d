/*
 * text_layout.c - see text_layout.h.
 *
 * Method    : escape first, then count columns of what will be seen; a word longer than a line stands alone.
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

void gst_text_cell(struct gst_outfile *out, const char *text, size_t columns, bool is_padded)
{
	char buf[4096];
	size_t length, width;

	gst_escape(GST_ESCAPE_TEXT, text, strlen(text), buf, sizeof(buf));
	length = strlen(buf);
	width = gst_text_width(buf, length);
	if (width > columns) {
		length = gst_text_fit(buf, length, columns > 3 ? columns - 3 : columns);
		gst_outfile_write(out, buf, length);
		width = gst_text_width(buf, length);
		if (columns > 3) {
			gst_outfile_puts(out, "...");
			width += 3;
		}
	} else {
		gst_outfile_write(out, buf, length);
	}
	if (is_padded && width < columns) {
		spaces(out, columns - width);
	}
}

void gst_text_right(struct gst_outfile *out, const char *text, size_t columns)
{
	gst_outfile_printf(out, "%*s", (int)columns, text);
}
