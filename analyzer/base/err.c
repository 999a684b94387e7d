/*
 * err.c - format error texts into the caller's buffer.
 *
 * Role      : every module words its errors with these two.
 * Method    : vsnprintf; a prefix is formatted on the stack and the old text appended to it.
 * Invariant : no allocation; the text ends with a zero byte.
 * Not here  : printing (cli).
 */
#include "analyzer/base/err.h"

#include <stdarg.h>

gst_status gst_err_set(struct gst_err *err, gst_status status, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return status;
	err->status = status;
	va_start(ap, fmt);
	if (vsnprintf(err->text, sizeof(err->text), fmt, ap) < 0)
		err->text[0] = '\0';
	va_end(ap);
	return status;
}

void gst_err_prefix(struct gst_err *err, const char *fmt, ...)
{
	char text[GST_ERR_TEXT_BYTES];
	size_t used, rest;
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	used = strlen(text);
	/* A long path must not push the cause out: it keeps at least half of the room. */
	if (used > sizeof(text) / 2)
		used = sizeof(text) / 2;
	rest = strnlen(err->text, sizeof(err->text) - 1);
	if (used + 2 + rest >= sizeof(text))
		rest = sizeof(text) - used - 3;
	text[used] = ':';
	text[used + 1] = ' ';
	memcpy(text + used + 2, err->text, rest);
	text[used + 2 + rest] = '\0';
	memcpy(err->text, text, used + 2 + rest + 1);
}
