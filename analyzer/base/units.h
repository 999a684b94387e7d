/*
 * units.h - numbers for people: one way to write a duration, a moment, a count, a size, a share.
 *
 * Integer arithmetic alone: the same text on every machine and in every locale. Each returns its buffer, a
 * struct by value, so that several fit in one call of printf: gst_duration(ns).text.
 */
#ifndef GSTRACE_ANALYZER_BASE_UNITS_H
#define GSTRACE_ANALYZER_BASE_UNITS_H

#include <stdint.h>

struct gst_number {
	char text[32];
};

/** "0 ns", "812 ns", "4.13 us", "12.3 ms", "1.50 s", "2 min 05 s": three significant digits. */
struct gst_number gst_duration(uint64_t ns);

/** A moment since the begin of the trace, to the nanosecond: "12.345678 ms". */
struct gst_number gst_moment(uint64_t ns);

/** A difference with its sign: "+1.30 us", "-224 ns". */
struct gst_number gst_signed_duration(int64_t ns);

/** "1,234,567". */
struct gst_number gst_count(uint64_t n);

/** "512 B", "4.00 KiB", "1.50 MiB": powers of 1024, three significant digits. */
struct gst_number gst_bytes(uint64_t bytes);

/** @part of @whole: "33 %", "4.2 %" below 10, "< 0.1 %", "-" if @whole is 0. */
struct gst_number gst_share(uint64_t part, uint64_t whole);

#endif
