/*
 * escape.c - one character at a time, the same for short names and for 16 KiB ones.
 *
 * Role      : every exporter and command passes names, paths and messages of others through here.
 * Method    : decode strictly, classify by small tables of ranges, write the form's escape.
 * Invariant : output of GST_ESCAPE_TEXT has no byte below 0x20 and no 0x7f; output of all forms is valid UTF-8.
 * Not here  : shortening of kernel names (model/), quoting of JSON strings (json_writer.c).
 */
#include "analyzer/export/escape.h"

#include <stdbool.h>
#include <string.h>

size_t gst_utf8_decode(const char *s, size_t length, uint32_t *code)
{
	const unsigned char *b = (const unsigned char *)s;
	uint32_t c = b[0], least;
	size_t need;

	if (c < 0x80) {
		*code = c;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		need = 2;
		least = 0x80;
		c &= 0x1f;
	} else if (c >= 0xe0 && c <= 0xef) {
		need = 3;
		least = 0x800;
		c &= 0x0f;
	} else if (c >= 0xf0 && c <= 0xf4) {
		need = 4;
		least = 0x10000;
		c &= 0x07;
	} else {
		return 0;
	}
	if (need > length) {
		return 0;
	}
	for (size_t i = 1; i < need; i++) {
		if ((b[i] & 0xc0) != 0x80) {
			return 0;
		}
		c = c << 6 | (b[i] & 0x3f);
	}
	if (c < least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
		return 0;
	}
	*code = c;
	return need;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t code, const struct range *ranges, size_t count)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (code < ranges[mid].first) {
			high = mid;
		} else if (code > ranges[mid].last) {
			low = mid + 1;
		} else {
			return true;
		}
	}
	return false;
}

#define IN(code, table) in_ranges(code, table, sizeof(table) / sizeof((table)[0]))

/* Characters that could make a line read as something else than it is. */
static const struct range deceptive[] = {
	{0x0080, 0x009f},    /* C1 controls */
	{0x00ad, 0x00ad},    /* soft hyphen */
	{0x034f, 0x034f},    /* grapheme joiner */
	{0x061c, 0x061c},    /* Arabic letter mark */
	{0x115f, 0x1160},    /* Hangul fillers */
	{0x180e, 0x180e},    /* vowel separator */
	{0x200b, 0x200f},    /* zero width, direction marks */
	{0x2028, 0x202e},    /* separators of lines, direction embeddings and overrides */
	{0x2060, 0x206f},    /* word joiner, direction isolates, deprecated controls */
	{0x3164, 0x3164},    /* Hangul filler */
	{0xfe00, 0xfe0f},    /* variation selectors */
	{0xfeff, 0xfeff},    /* byte order mark */
	{0xffa0, 0xffa0},    /* Hangul filler */
	{0xfff0, 0xfffb},    /* interlinear marks */
	{0xfffe, 0xffff},    /* not characters */
	{0xe0000, 0xe0fff},  /* tags, variation selectors */
	{0xf0000, 0x10ffff}, /* private */
};

static const struct range combining[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f}, {0x0900, 0x0902},
	{0x0e34, 0x0e3a}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f},
};

static const struct range wide[] = {
	{0x1100, 0x115f},   {0x2e80, 0x303e},	{0x3041, 0x33ff},   {0x3400, 0x4dbf},
	{0x4e00, 0x9fff},   {0xa000, 0xa4cf},	{0xa960, 0xa97c},   {0xac00, 0xd7a3},
	{0xf900, 0xfaff},   {0xfe30, 0xfe6f},	{0xff00, 0xff60},   {0xffe0, 0xffe6},
	{0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

static size_t hex_bytes(const char *s, size_t length, char *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char b = (unsigned char)s[i];

		out[n++] = '\\';
		out[n++] = 'x';
		out[n++] = digits[b >> 4];
		out[n++] = digits[b & 15];
	}
	return n;
}

static size_t step_text(const char *s, size_t taken, bool is_valid, uint32_t code, char *out)
{
	if (!is_valid || code < 0x20 || code == 0x7f || IN(code, deceptive)) {
		return hex_bytes(s, taken, out);
	}
	if (code == '\\') {
		out[0] = out[1] = '\\';
		return 2;
	}
	memcpy(out, s, taken);
	return taken;
}

static size_t step_json(const char *s, size_t taken, uint32_t code, char *out)
{
	static const char digits[] = "0123456789abcdef";
	static const char letters[] = "btn?fr"; /* 8 to 13; 11 has none */

	if (code == '"' || code == '\\') {
		out[0] = '\\';
		out[1] = (char)code;
		return 2;
	}
	if (code >= 8 && code <= 13 && code != 11) {
		out[0] = '\\';
		out[1] = letters[code - 8];
		return 2;
	}
	/* Also what is valid JSON but breaks lines or terminals when somebody prints it. */
	if (code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x2028 || code == 0x2029) {
		out[0] = '\\';
		out[1] = 'u';
		out[2] = digits[code >> 12 & 15];
		out[3] = digits[code >> 8 & 15];
		out[4] = digits[code >> 4 & 15];
		out[5] = digits[code & 15];
		return 6;
	}
	memcpy(out, s, taken);
	return taken;
}

size_t gst_escape_step(enum gst_escape_form form, const char *s, size_t length,
		       char out[GST_ESCAPE_MAX], size_t *out_length)
{
	uint32_t code = 0;
	size_t taken = gst_utf8_decode(s, length, &code);
	bool is_valid = taken > 0;

	if (!is_valid) {
		taken = 1;
	}
	if (form == GST_ESCAPE_TEXT) {
		*out_length = step_text(s, taken, is_valid, code, out);
	} else if (!is_valid) {
		memcpy(out, "\xef\xbf\xbd", 3);
		*out_length = 3;
	} else if (form == GST_ESCAPE_JSON) {
		*out_length = step_json(s, taken, code, out);
	} else {
		memcpy(out, s, taken);
		*out_length = taken;
	}
	return taken;
}

size_t gst_escape(enum gst_escape_form form, const char *s, size_t length, char *buf, size_t size)
{
	size_t total = 0, kept = 0;
	bool is_cut = size == 0;

	for (size_t i = 0; i < length;) {
		char step[GST_ESCAPE_MAX];
		size_t n;

		i += gst_escape_step(form, s + i, length - i, step, &n);
		total += n;
		if (!is_cut && n < size - kept) {
			memcpy(buf + kept, step, n);
			kept += n;
		} else {
			is_cut = true;
		}
	}
	if (size > 0) {
		buf[kept] = '\0';
	}
	return total;
}

/* Length of the unit at @text: a \xNN, a doubled backslash or one character; *columns is its width. */
static size_t text_unit(const char *text, size_t length, size_t *columns)
{
	uint32_t code;
	size_t n;

	if (text[0] == '\\' && length >= 2) {
		n = text[1] == 'x' && length >= 4 ? 4 : 2;
		*columns = n;
		return n;
	}
	n = gst_utf8_decode(text, length, &code);
	if (n == 0) {
		*columns = 1;
		return 1;
	}
	*columns = IN(code, combining) ? 0 : IN(code, wide) ? 2 : 1;
	return n;
}

size_t gst_text_width(const char *text, size_t length)
{
	size_t width = 0, columns;

	for (size_t i = 0; i < length;) {
		i += text_unit(text + i, length - i, &columns);
		width += columns;
	}
	return width;
}

size_t gst_text_fit(const char *text, size_t length, size_t columns)
{
	size_t i = 0;

	while (i < length) {
		size_t width, n = text_unit(text + i, length - i, &width);

		if (width > columns) {
			break;
		}
		columns -= width;
		i += n;
	}
	return i;
}
