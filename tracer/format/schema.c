/*
 * schema.c - descriptor tables made from records.def and the enums of format.h.
 *
 * Role      : one truth for structs (format.h), text form, dumps and docs/FORMAT.md.
 * Method    : the same table is included several times under different macros.
 * Invariant : every field has a form; offsets are those of the compiled structs.
 * Not here  : reading and writing files (analyzer/load).
 */
#include "tracer/format/schema.h"

#include <string.h>

/* All forms: X(name, class). One that is used in records.def and missing here does not compile. */
#define FORMS(X)                \
	X(dec, DEC)             \
	X(hex, HEX)             \
	X(str, STR)             \
	X(bytes, BYTES)         \
	X(mono, MONO)           \
	X(gpu, GPU)             \
	X(real, REAL)           \
	X(raw, RAW)             \
	X(dur, DUR)             \
	X(api, API)             \
	X(kind, KIND)           \
	X(trace_options, FLAGS) \
	X(segment_flags, FLAGS) \
	X(launch_flags, FLAGS)  \
	X(device_flags, FLAGS)  \
	X(stream_type, ENUM)    \
	X(loss_reason, ENUM)    \
	X(note_code, ENUM)      \
	X(launch_type, ENUM)    \
	X(copy_kind, ENUM)      \
	X(memory_kind, ENUM)    \
	X(memory_op, ENUM)      \
	X(sync_type, ENUM)      \
	X(overhead_type, ENUM)  \
	X(node_type, ENUM)      \
	X(graph_change, ENUM)   \
	X(nvtx_what, ENUM)      \
	X(nvtx_object, ENUM)    \
	X(access_order, ENUM)   \
	X(memop_type, ENUM)

#define X(name, class) FORM_##name,
enum form_index { FORMS(X) };
#undef X

#define X(name, class) {#name, GST_FORM_##class},
static const struct gst_schema_form forms[] = {FORMS(X)};
#undef X

struct value {
	enum form_index form;
	uint32_t value;
	const char *text;
};

#define X(tag, prefix, value, name, text) {FORM_##tag, value, text},
static const struct value values[] = {GST_FORMAT_ENUMS(X)};
#undef X

#define VALUES (sizeof(values) / sizeof(values[0]))

#define GST_REC(KIND, value, name, critical, doc) \
	static const struct gst_schema_field fields_##name[] = {
#define GST_F(rec, ctype, field, form, doc)     \
	{#field,                                \
	 #ctype,                                \
	 &forms[FORM_##form],                   \
	 doc,                                   \
	 offsetof(struct gst_rec_##rec, field), \
	 sizeof(ctype),                         \
	 (ctype)-1 < (ctype)1},
#define GST_REC_END(KIND, name) \
	}                       \
	;
#include "tracer/format/records.def"
#undef GST_REC
#undef GST_F
#undef GST_REC_END

#define GST_REC(KIND, value, rec, critical, doc)         \
	{#rec,                                           \
	 doc,                                            \
	 fields_##rec,                                   \
	 value,                                          \
	 GST_SCHEMA_INDEX_##KIND,                        \
	 sizeof(struct gst_rec_##rec),                   \
	 sizeof(fields_##rec) / sizeof(fields_##rec[0]), \
	 critical,                                       \
	 (value) == GST_REC_STRING},
#define GST_F(name, ctype, field, form, doc)
#define GST_REC_END(KIND, name)
static const struct gst_schema_record records[] = {
#include "tracer/format/records.def"
};
#undef GST_REC
#undef GST_F
#undef GST_REC_END

const struct gst_schema_record *gst_schema_record(uint32_t index)
{
	return index < GST_SCHEMA_RECORDS ? &records[index] : NULL;
}

const struct gst_schema_record *gst_schema_find(uint32_t kind)
{
	switch (kind & GST_KIND_MASK) {
#define GST_REC(KIND, value, name, critical, doc) \
	case value:                               \
		return &records[GST_SCHEMA_INDEX_##KIND];
#define GST_F(name, ctype, field, form, doc)
#define GST_REC_END(KIND, name)
#include "tracer/format/records.def"
#undef GST_REC
#undef GST_F
#undef GST_REC_END
	default:
		return NULL;
	}
}

static bool is_text(const char *want, const char *text, size_t length)
{
	return strlen(want) == length && memcmp(want, text, length) == 0;
}

const struct gst_schema_record *gst_schema_find_name(const char *name, size_t length)
{
	uint32_t i;

	for (i = 0; i < GST_SCHEMA_RECORDS; i++) {
		if (is_text(records[i].name, name, length))
			return &records[i];
	}
	return NULL;
}

const struct gst_schema_field *gst_schema_find_field(const struct gst_schema_record *rec,
						     const char *name, size_t length)
{
	uint32_t i;

	for (i = 0; i < rec->field_count; i++) {
		if (is_text(rec->fields[i].name, name, length))
			return &rec->fields[i];
	}
	return NULL;
}

uint64_t gst_schema_get(const struct gst_schema_field *field, const void *data)
{
	const uint8_t *p = (const uint8_t *)data + field->offset;
	uint64_t value = 0;

	memcpy(&value, p, field->bytes);
	if (field->is_signed && field->bytes < 8 && value >> (field->bytes * 8 - 1) & 1)
		value |= UINT64_MAX << (field->bytes * 8);
	return value;
}

bool gst_schema_set(const struct gst_schema_field *field, void *data, uint64_t value)
{
	uint8_t *p = (uint8_t *)data + field->offset;

	if (field->bytes < 8) {
		uint64_t high = value >> (field->bytes * 8 - (field->is_signed ? 1 : 0));
		uint64_t ones = UINT64_MAX >> (field->bytes * 8 - (field->is_signed ? 1 : 0));

		if (high && !(field->is_signed && high == ones))
			return false;
	}
	memcpy(p, &value, field->bytes);
	return true;
}

static bool has_form(const struct value *v, const struct gst_schema_form *form)
{
	return &forms[v->form] == form;
}

const char *gst_schema_value_text(const struct gst_schema_form *form, uint64_t value)
{
	size_t i;

	for (i = 0; i < VALUES; i++) {
		if (has_form(&values[i], form) && values[i].value == value)
			return values[i].text;
	}
	return NULL;
}

bool gst_schema_value_find(const struct gst_schema_form *form, const char *text, size_t length,
			   uint64_t *value)
{
	size_t i;

	for (i = 0; i < VALUES; i++) {
		if (has_form(&values[i], form) && is_text(values[i].text, text, length)) {
			*value = values[i].value;
			return true;
		}
	}
	return false;
}

bool gst_schema_value_at(const struct gst_schema_form *form, uint32_t index, uint64_t *value,
			 const char **text)
{
	size_t i;

	for (i = 0; i < VALUES; i++) {
		if (!has_form(&values[i], form) || index--)
			continue;
		*value = values[i].value;
		*text = values[i].text;
		return true;
	}
	return false;
}

const char *gst_codec_name(uint32_t codec)
{
	switch ((enum gst_codec)codec) {
	case GST_CODEC_NONE:
		return "none";
	case GST_CODEC_ZSTD:
		return "zstd";
	case GST_CODEC_LZ4:
		return "lz4";
	case GST_CODEC_ZLIB:
		return "zlib";
	}
	return NULL;
}

void gst_schema_time_range(const struct gst_schema_record *rec, const void *data, uint64_t *first,
			   uint64_t *last)
{
	uint32_t i;

	for (i = 0; i < rec->field_count; i++) {
		uint64_t t;

		if (rec->fields[i].form->class_id != GST_FORM_MONO)
			continue;
		t = gst_schema_get(&rec->fields[i], data);
		if (!t)
			continue;
		if (!*first || t < *first)
			*first = t;
		if (t > *last)
			*last = t;
	}
}
