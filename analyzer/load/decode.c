/*
 * decode.c - the checked decoder of records.
 *
 * Role      : the only code that turns bytes of a file into structs.
 * Method    : a record as long as its struct is used in place; a shorter one is completed with
 *             zeros in scratch memory; what is longer than the struct is the tail.
 * Invariant : nothing outside [p, p + left) is read.
 * Not here  : chunks and checksums (reader_gst.c), what records mean (analyzer/model).
 */
#include "analyzer/load/decode.h"

#include "analyzer/load/records.h"
#include "tracer/format/encode.h"

#include <inttypes.h>

#define GST_REC(KIND, value, name, critical, doc) \
	_Static_assert(sizeof(struct gst_rec_##name) <= GST_DECODE_SCRATCH_BYTES, #name);
#define GST_F(name, ctype, field, form, doc)
#define GST_REC_END(KIND, name)
#include "tracer/format/records.def"
#undef GST_REC
#undef GST_F
#undef GST_REC_END

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "structs are read in place");

_Static_assert(2 * GST_RECORD_COPY_BYTES <= GST_DECODE_SCRATCH_BYTES,
	       "a record, and zeros after it");

enum gst_decode_fault gst_decode_record(const uint8_t *p, size_t left, void *scratch,
					struct gst_record *out, uint32_t *bytes)
{
	const struct gst_schema_record *schema;
	struct gst_rec_head head;
	uint32_t size;

	*bytes = 0;
	if (left < sizeof(head))
		return GST_DECODE_CUT;
	memcpy(&head, p, sizeof(head));
	size = (uint32_t)head.size8 * 8;
	*bytes = size;
	if (!size)
		return head.kind || head.corr ? GST_DECODE_NO_SIZE : GST_DECODE_END;
	if (size > GST_RECORD_MAX_BYTES)
		return GST_DECODE_TOO_LARGE;
	if (size > left)
		return GST_DECODE_CUT;

	schema = gst_schema_find(head.kind);
	out->kind = head.kind & GST_KIND_MASK;
	out->corr = head.corr;
	out->schema = schema;
	if (!schema) {
		out->data = p;
		out->tail = p + sizeof(head);
		out->tail_bytes = size - (uint32_t)sizeof(head);
		return GST_DECODE_OK;
	}
	if (size >= schema->bytes) {
		out->data = p;
		out->tail = p + schema->bytes;
		out->tail_bytes = size - schema->bytes;
	} else {
		gst_record_complete(scratch, p, left, size, schema->bytes);
		out->data = scratch;
		out->tail = p + size;
		out->tail_bytes = 0;
	}
	if (schema->has_tail) {
		struct gst_rec_string string;

		if (size < sizeof(string))
			return GST_DECODE_STRING_SHORT;
		memcpy(&string, p, sizeof(string));
		if (string.length > out->tail_bytes || string.length > GST_STRING_MAX_BYTES)
			return GST_DECODE_STRING_LENGTH;
		if (!string.id)
			return GST_DECODE_STRING_ID;
		out->tail_bytes = string.length;
	}
	return GST_DECODE_OK;
}

void gst_record_lengthen(void *scratch, const void *data)
{
	struct gst_rec_kernel_short s;

	memcpy(&s, data, sizeof(s));
	gst_kernel_lengthen(scratch, &s);
}

void gst_decode_explain(enum gst_decode_fault fault, const uint8_t *p, size_t left, char *text,
			size_t text_bytes)
{
	struct gst_rec_head head = {0, 0, 0};
	struct gst_rec_string string;
	uint32_t size;

	if (left >= sizeof(head))
		memcpy(&head, p, sizeof(head));
	size = (uint32_t)head.size8 * 8;
	switch (fault) {
	case GST_DECODE_OK:
	case GST_DECODE_END:
		snprintf(text, text_bytes, "record word is 0, expected %zu more bytes of records",
			 left);
		break;
	case GST_DECODE_NO_SIZE:
		snprintf(text, text_bytes, "record of kind 0x%04x has size 0, expected at least 8",
			 (unsigned int)head.kind);
		break;
	case GST_DECODE_CUT:
		snprintf(text, text_bytes,
			 "record of kind 0x%04x has %" PRIu32
			 " bytes, but %zu are left in the chunk",
			 (unsigned int)head.kind, size, left);
		break;
	case GST_DECODE_TOO_LARGE:
		snprintf(text, text_bytes,
			 "record of kind 0x%04x has %" PRIu32 " bytes, expected at most %u",
			 (unsigned int)head.kind, size, GST_RECORD_MAX_BYTES);
		break;
	case GST_DECODE_STRING_SHORT:
		snprintf(text, text_bytes,
			 "string record has %" PRIu32 " bytes, expected at least %zu", size,
			 sizeof(string));
		break;
	case GST_DECODE_STRING_LENGTH:
		memcpy(&string, p, sizeof(string));
		snprintf(text, text_bytes,
			 "string of %" PRIu32 " bytes in a record with room for %" PRIu32
			 ", expected at most %u",
			 string.length, size - (uint32_t)sizeof(string), GST_STRING_MAX_BYTES);
		break;
	case GST_DECODE_STRING_ID:
		snprintf(text, text_bytes, "string with id 0, expected 1 or more");
		break;
	}
}
