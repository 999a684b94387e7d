/*
 * schema.h - records.def as a table that code can walk: fields, offsets, forms, value names.
 *
 * For the loader, the text form, `dump` and the byte tables of docs/FORMAT.md. All static and const:
 * no set-up, no allocation, any thread.
 */
#ifndef GSTRACE_TRACER_FORMAT_SCHEMA_H
#define GSTRACE_TRACER_FORMAT_SCHEMA_H

#include "tracer/format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the numbers of a field mean, for reading and writing them as text. */
enum gst_form_class {
	GST_FORM_DEC,
	GST_FORM_HEX,
	GST_FORM_STR, /* id of a STRING record; 0 = none */
	GST_FORM_BYTES,
	GST_FORM_MONO,	/* ns, CLOCK_MONOTONIC */
	GST_FORM_GPU,	/* ns, the clock of CUPTI records */
	GST_FORM_REAL,	/* ns, CLOCK_REALTIME */
	GST_FORM_RAW,	/* ns, CLOCK_MONOTONIC_RAW */
	GST_FORM_DUR,	/* ns */
	GST_FORM_API,	/* domain and cbid: api.h */
	GST_FORM_KIND,	/* a record kind */
	GST_FORM_ENUM,	/* one of the named values */
	GST_FORM_FLAGS, /* named bits */
};

struct gst_schema_form {
	const char *name; /* as in records.def */
	enum gst_form_class class_id;
};

struct gst_schema_field {
	const char *name;
	const char *type; /* uint32_t, ... */
	const struct gst_schema_form *form;
	const char *doc;
	uint16_t offset; /* in bytes from the begin of the record */
	uint8_t bytes;	 /* 1, 2, 4 or 8 */
	bool is_signed;
};

struct gst_schema_record {
	const char *name; /* lower case, as in text */
	const char *doc;
	const struct gst_schema_field *fields;
	uint16_t kind;	/* without the critical bit */
	uint16_t index; /* its place in the table, < GST_SCHEMA_RECORDS */
	uint16_t bytes; /* size of its struct */
	uint8_t field_count;
	bool is_critical;
	bool has_tail; /* bytes follow the fields (STRING) */
};

#define GST_REC(KIND, value, name, critical, doc) GST_SCHEMA_INDEX_##KIND,
#define GST_F(name, ctype, field, form, doc)
#define GST_REC_END(KIND, name)
enum gst_schema_index {
#include "tracer/format/records.def"
	GST_SCHEMA_RECORDS, /* number of kinds known */
};
#undef GST_REC
#undef GST_F
#undef GST_REC_END

/** The kind number @index (< GST_SCHEMA_RECORDS), in the order of records.def. */
const struct gst_schema_record *gst_schema_record(uint32_t index);

/** The record of @kind (with or without the critical bit); NULL if it is not known. Cost: O(1). */
const struct gst_schema_record *gst_schema_find(uint32_t kind);

/** The record called @name (@length bytes); NULL if there is none. */
const struct gst_schema_record *gst_schema_find_name(const char *name, size_t length);

/** The field of @rec called @name (@length bytes); NULL if there is none. */
const struct gst_schema_field *gst_schema_find_field(const struct gst_schema_record *rec,
						     const char *name, size_t length);

/** The number in @field of the full-size record at @data; a signed one is sign-extended. */
uint64_t gst_schema_get(const struct gst_schema_field *field, const void *data);

/**
 * Put @value into @field of the full-size record at @data.
 *
 * False, and nothing done, if it does not fit; a signed field takes its sign-extended values.
 */
bool gst_schema_set(const struct gst_schema_field *field, void *data, uint64_t value);

/** Text of @value in an ENUM or of one bit in a FLAGS form; NULL if it has no name. */
const char *gst_schema_value_text(const struct gst_schema_form *form, uint64_t value);

/** The value with the text @text (@length bytes) in @form; false if there is none. */
bool gst_schema_value_find(const struct gst_schema_form *form, const char *text, size_t length,
			   uint64_t *value);

/** The named values, for tables: number @index of @form, or false when there are no more. */
bool gst_schema_value_at(const struct gst_schema_form *form, uint32_t index, uint64_t *value,
			 const char **text);

/** "none", "zstd", ...: name of a codec, known or reserved; NULL if it has none. */
const char *gst_codec_name(uint32_t codec);

/**
 * Widen [*@first, *@last] by the MONOTONIC times in the full-size record at @data; times of 0 do
 * not count, and *@first == 0 means that there is no range yet.
 */
void gst_schema_time_range(const struct gst_schema_record *rec, const void *data, uint64_t *first,
			   uint64_t *last);

#endif
