/* real_trace.h - for tests: a recorded trace in memory, whose records may be changed before it is analyzed. */
#ifndef GSTRACE_ANALYZER_TEST_REAL_TRACE_H
#define GSTRACE_ANALYZER_TEST_REAL_TRACE_H

#include "analyzer/base/vec.h"
#include "analyzer/check/check.h"
#include "analyzer/load/load.h"

struct real_item {
	const struct gst_schema_record *schema;
	uint32_t corr, chunk, tail_bytes;
	void *data, *tail;
};

struct real_trace {
	const char *name;
	GST_VEC(struct gst_chunk_header) chunks;
	GST_VEC(struct real_item) items;
	struct gst_arena *arena;
};

struct real_stages {
	struct gst_arena *arena;
	const struct gst_model *m;
	const struct gst_order *o;
	const struct gst_timing *t;
	const struct gst_findings *f;
};

/** Say that something of @trace does not hold, and count it. */
void real_fail(const char *trace, const char *what, const char *why);
extern unsigned real_failures;

/** All records of @path; ends the program if it cannot be read. */
void real_read(const char *path, struct real_trace *t);
void real_forget(struct real_trace *t);
/** A copy whose records may be changed; the strings of @t are shared. */
struct real_trace real_copy(const struct real_trace *t);

/** A field by name: false if the record has none of that name, or the value does not fit. */
bool real_set(struct real_item *x, const char *field, uint64_t value);
uint64_t real_get(const struct real_item *x, const char *field);

/** All stages over @t as it is now; ends the program if one fails. */
struct real_stages real_analyze(struct real_trace *t);
void real_release(struct real_stages *s);

#endif
