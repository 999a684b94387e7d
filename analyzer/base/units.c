/*
 * units.c - numbers for people.
 *
 * Role      : reports and messages write a duration, a size, a count in one way.
 * Method    : three significant digits by integer division, rounded half up; a number that rounds up to the next
 *             unit is written in that unit (999.6 us is 1.00 ms).
 * Invariant : integers alone: the same text on every machine and in every locale.
 * Not here  : machine-readable numbers, which are never rounded.
 */
#include "analyzer/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* @value / @unit with three digits: 1.23, 12.3, 123. False if it rounds to @limit or more. */
static int three_digits(uint64_t value, uint64_t unit, uint64_t limit, char *buf, size_t size)
{
	uint64_t whole = value / unit, rest = value % unit;
	unsigned scale = whole < 10 ? 100 : whole < 100 ? 10 : 1;
	uint64_t scaled;

	/* rest < unit <= 2^50 (one PiB), scale <= 100: no overflow */
	scaled = whole * scale + (rest * scale + unit / 2) / unit;
	/* 9.996 becomes 10.0, not 10.00 */
	if (scaled >= 1000 && scale > 1) {
		scaled = (scaled + 5) / 10;
		scale /= 10;
	}
	if (scaled >= limit * scale) {
		return 0;
	}
	if (scale == 1) {
		snprintf(buf, size, "%" PRIu64, scaled);
	} else {
		snprintf(buf, size, "%" PRIu64 ".%0*" PRIu64, scaled / scale, scale == 100 ? 2 : 1,
			 scaled % scale);
	}
	return 1;
}

struct gst_number gst_duration(uint64_t ns)
{
	struct gst_number n = {""};
	char digits[16];

	if (ns < 1000) {
		snprintf(n.text, sizeof(n.text), "%" PRIu64 " ns", ns);
	} else if (ns < 1000000 && three_digits(ns, 1000, 1000, digits, sizeof(digits))) {
		snprintf(n.text, sizeof(n.text), "%s us", digits);
	} else if (ns < 1000000000 && three_digits(ns, 1000000, 1000, digits, sizeof(digits))) {
		snprintf(n.text, sizeof(n.text), "%s ms", digits);
	} else if (ns < UINT64_C(100000000000) &&
		   three_digits(ns, 1000000000, 100, digits, sizeof(digits))) {
		snprintf(n.text, sizeof(n.text), "%s s", digits);
	} else {
		uint64_t s = ns / 1000000000 + (ns % 1000000000 >= 500000000);

		snprintf(n.text, sizeof(n.text), "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
	}
	return n;
}

struct gst_number gst_moment(uint64_t ns)
{
	struct gst_number n;

	snprintf(n.text, sizeof(n.text), "%" PRIu64 ".%06" PRIu64 " ms", ns / 1000000,
		 ns % 1000000);
	return n;
}

struct gst_number gst_signed_duration(int64_t ns)
{
	struct gst_number d = gst_duration(ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns), n;

	n.text[0] = ns < 0 ? '-' : '+';
	memcpy(n.text + 1, d.text, sizeof(n.text) - 1);
	return n;
}

struct gst_number gst_count(uint64_t value)
{
	struct gst_number n = {""};
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, value), out = 0;

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0) {
			n.text[out++] = ',';
		}
		n.text[out++] = digits[i];
	}
	return n;
}

struct gst_number gst_bytes(uint64_t bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
	struct gst_number n = {""};
	char digits[16];

	if (bytes < 1024) {
		snprintf(n.text, sizeof(n.text), "%" PRIu64 " B", bytes);
		return n;
	}
	for (unsigned i = 0; i < 5; i++) {
		uint64_t unit = UINT64_C(1) << (10 * (i + 1));

		if ((bytes < unit * 1024 || i == 4) &&
		    three_digits(bytes, unit, i == 4 ? 1 << 20 : 1024, digits, sizeof(digits))) {
			snprintf(n.text, sizeof(n.text), "%s %s", digits, units[i]);
			break;
		}
	}
	return n;
}

struct gst_number gst_share(uint64_t part, uint64_t whole)
{
	struct gst_number n = {""};
	uint64_t tenths;

	if (whole == 0) {
		snprintf(n.text, sizeof(n.text), "-");
		return n;
	}
	/* Both by the same power of two: part * 1000 must not overflow. */
	while (part > UINT64_MAX / 2000 || whole > UINT64_MAX / 2000) {
		part >>= 1;
		whole >>= 1;
	}
	tenths = (part * 1000 + whole / 2) / whole;
	if (tenths == 0 && part > 0) {
		snprintf(n.text, sizeof(n.text), "< 0.1 %%");
	} else if (tenths < 100) {
		snprintf(n.text, sizeof(n.text), "%" PRIu64 ".%" PRIu64 " %%", tenths / 10,
			 tenths % 10);
	} else {
		snprintf(n.text, sizeof(n.text), "%" PRIu64 " %%", (tenths + 5) / 10);
	}
	return n;
}
