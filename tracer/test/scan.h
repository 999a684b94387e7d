/*
 * scan.h - a small reader of .gst files for the tracer's tests, written from FORMAT alone.
 *
 * It reads a trace and the staging file that the trace names, if that is still there, checks every
 * checksum and order that the format promises, and gives the records in order. Anything wrong fails the test.
 */
#ifndef GSTRACE_TRACER_TEST_SCAN_H
#define GSTRACE_TRACER_TEST_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/format/format.h"

struct scan_record {
	uint16_t kind; /* without the critical bit */
	uint32_t corr;
	uint32_t thread;  /* of its chunk */
	uint32_t segment; /* of its chunk */
	uint32_t bytes;
	const void *data; /* as in the file: trailing zero fields may be missing */
	bool is_short; /* a KERNEL_SHORT in the file; @kind and @data are those of the KERNEL it stands for */
	bool is_staged; /* found in the staging file only */
};

struct scan {
	struct scan_record *records;
	size_t count;
	size_t chunks;
	bool has_staging;
	bool is_cut; /* the last chunk of the .gst is not whole */
	void *file;
	void *staging;
	void *pages; /* how much of each staging page the .gst holds */
	size_t page_count;
};

/** Read @path; must be released. */
void scan_open(struct scan *scan, const char *path);
void scan_release(struct scan *scan);

/** Copy record @index into @out of @bytes, missing fields as zero. */
void scan_get(const struct scan *scan, size_t index, void *out, size_t bytes);

/** How many records of @kind; 0: all. */
size_t scan_count(const struct scan *scan, uint32_t kind);

/** Index of the @nth (from 0) record of @kind, or SIZE_MAX. */
size_t scan_find(const struct scan *scan, uint32_t kind, size_t nth);

/** Whether a NOTE with @code is there. */
bool scan_has_note(const struct scan *scan, uint32_t code);

#define SCAN_ANY_KIND UINT32_MAX

/** How many records of @kind were lost for @reason. */
uint64_t scan_lost_of(const struct scan *scan, uint32_t kind, uint32_t reason);

/** Sum of the counts of LOSS records for @reason. */
uint64_t scan_lost(const struct scan *scan, uint32_t reason);

/** When the first loss for @reason began; 0: there is none, or it does not say. */
uint64_t scan_lost_since(const struct scan *scan, uint32_t reason);

/** Text of STRING @id; "" if there is none. Valid until the next call. */
const char *scan_string(const struct scan *scan, uint32_t id);

/**
 * Number of calls of api @symbol, and whether they were left: each CALL_x is followed in its thread by its
 * CALL_EXIT with the same correlation id. @open: calls without an exit (at most the last of a thread, checked).
 */
size_t scan_calls(const struct scan *scan, const char *symbol, size_t *open);

#endif
