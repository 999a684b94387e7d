/*
 * linebuf.c - put short texts together without stdio.
 *
 * Role      : log lines, output names and staging paths of the tracer.
 * Method    : append what fits, remember whether anything did not.
 * Invariant : used < size, and text[used] is 0.
 * Not here  : writing the text anywhere (siglog.c).
 */
#include "tracer/linebuf.h"

#include <string.h>

void gst_linebuf_init(struct gst_linebuf *b, char *text, size_t size)
{
	b->text = text;
	b->size = size;
	b->used = 0;
	b->is_cut = false;
	text[0] = '\0';
}

void gst_linebuf_add_bytes(struct gst_linebuf *b, const char *text, size_t length)
{
	size_t room = b->size - b->used - 1;

	if (length > room) {
		length = room;
		b->is_cut = true;
	}
	memcpy(b->text + b->used, text, length);
	b->used += length;
	b->text[b->used] = '\0';
}

void gst_linebuf_add(struct gst_linebuf *b, const char *text)
{
	if (text) {
		gst_linebuf_add_bytes(b, text, strlen(text));
	}
}

void gst_linebuf_add_dec(struct gst_linebuf *b, int64_t value)
{
	char digits[24];
	size_t at = sizeof(digits);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0) {
		digits[--at] = '-';
	}
	gst_linebuf_add_bytes(b, digits + at, sizeof(digits) - at);
}

void gst_linebuf_add_hex(struct gst_linebuf *b, uint64_t value, unsigned int digits)
{
	char text[16];
	size_t at = sizeof(text);

	do {
		text[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (at && (value || sizeof(text) - at < digits));
	gst_linebuf_add_bytes(b, text + at, sizeof(text) - at);
}
