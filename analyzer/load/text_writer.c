/*
 * text_writer.c - the text form, made from the schema.
 *
 * Role      : `gstrace dump --text` and `--raw`; the way by which tests look into a trace.
 * Method    : walks the fields of the schema; a field that is 0 is not written.
 * Invariant : reader_text.c reads back what is written here, to the same values.
 * Not here  : names in place of string ids: the text shows what the file holds.
 */
#include "analyzer/load/text_writer.h"

#include "tracer/format/api.h"
#include "tracer/format/encode.h"

#include <inttypes.h>

void gst_text_write_begin(struct gst_outfile *out)
{
	gst_outfile_printf(out, "gstext %d.%d\n", GST_FORMAT_MAJOR, GST_FORMAT_MINOR);
}

void gst_text_write_chunk(struct gst_outfile *out, const struct gst_chunk_header *h)
{
	gst_outfile_printf(
		out, "\nchunk %s process=%" PRIu32 " thread=%" PRIu32 " segment=%" PRIu32,
		h->flags & GST_CHUNK_DEFS ? (h->flags & GST_CHUNK_EVENTS ? "defs|events" : "defs")
					  : "events",
		h->process, h->thread, h->segment);
	gst_outfile_printf(out, " sequence=%" PRIu64, h->sequence);
	if (h->source_page)
		gst_outfile_printf(out, " page=%" PRIu64 " page_offset=%" PRIu32, h->source_page,
				   h->source_offset);
	if (!(h->flags & GST_CHUNK_SEALED))
		gst_outfile_puts(out, " open=1");
	gst_outfile_puts(out, "\n");
}

void gst_text_write_quoted(struct gst_outfile *out, const void *bytes, size_t length)
{
	const uint8_t *p = bytes;
	size_t i, begin = 0;

	gst_outfile_puts(out, "\"");
	for (i = 0; i < length; i++) {
		if (p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
			continue;
		gst_outfile_write(out, p + begin, i - begin);
		gst_outfile_printf(out, "\\x%02x", (unsigned int)p[i]);
		begin = i + 1;
	}
	gst_outfile_write(out, p + begin, length - begin);
	gst_outfile_puts(out, "\"");
}

static void write_hex(struct gst_outfile *out, const uint8_t *p, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < length; i++) {
		char two[2] = {digits[p[i] >> 4], digits[p[i] & 15]};

		gst_outfile_write(out, two, 2);
	}
}

static void write_flags(struct gst_outfile *out, const struct gst_schema_form *form, uint64_t value)
{
	const char *separator = "";
	int bit;

	for (bit = 0; bit < 64; bit++) {
		uint64_t one = UINT64_C(1) << bit;
		const char *text;

		if (!(value & one))
			continue;
		text = gst_schema_value_text(form, one);
		if (text)
			gst_outfile_printf(out, "%s%s", separator, text);
		else
			gst_outfile_printf(out, "%s0x%" PRIx64, separator, one);
		separator = "|";
	}
	if (!value)
		gst_outfile_puts(out, "0");
}

static void write_api(struct gst_outfile *out, uint64_t value)
{
	const struct gst_api *api = gst_api_find((uint32_t)value);
	uint32_t domain = (uint32_t)(value >> 16);

	if (api)
		gst_outfile_puts(out, api->symbol);
	else if (domain == GST_API_DOMAIN_DRIVER || domain == GST_API_DOMAIN_RUNTIME)
		gst_outfile_printf(out, "%s:%" PRIu64,
				   domain == GST_API_DOMAIN_DRIVER ? "driver" : "runtime",
				   value & 0xffff);
	else
		gst_outfile_printf(out, "0x%" PRIx64, value);
}

void gst_text_write_value(struct gst_outfile *out, const struct gst_schema_field *field,
			  const void *data)
{
	uint64_t value = gst_schema_get(field, data);
	const struct gst_schema_record *kind;
	const char *text = NULL;

	switch (field->form->class_id) {
	case GST_FORM_HEX:
		gst_outfile_printf(out, "0x%" PRIx64, value);
		return;
	case GST_FORM_FLAGS:
		write_flags(out, field->form, value);
		return;
	case GST_FORM_API:
		write_api(out, value);
		return;
	case GST_FORM_ENUM:
		text = gst_schema_value_text(field->form, value);
		break;
	case GST_FORM_KIND:
		kind = value <= GST_KIND_MASK ? gst_schema_find((uint32_t)value) : NULL;
		text = kind ? kind->name : NULL;
		break;
	case GST_FORM_DEC:
	case GST_FORM_STR:
	case GST_FORM_BYTES:
	case GST_FORM_MONO:
	case GST_FORM_GPU:
	case GST_FORM_REAL:
	case GST_FORM_RAW:
	case GST_FORM_DUR:
		break;
	}
	if (text)
		gst_outfile_puts(out, text);
	else if (field->is_signed)
		gst_outfile_printf(out, "%" PRId64, (int64_t)value);
	else
		gst_outfile_printf(out, "%" PRIu64, value);
}

void gst_text_write_fields(struct gst_outfile *out, const struct gst_record *rec)
{
	uint32_t i;

	if (!rec->schema) {
		gst_outfile_puts(out, " bytes=");
		write_hex(out, rec->tail, rec->tail_bytes);
		return;
	}
	for (i = 0; i < rec->schema->field_count; i++) {
		const struct gst_schema_field *field = &rec->schema->fields[i];

		/* The length of a string is that of its text. */
		if (!gst_schema_get(field, rec->data) ||
		    (rec->schema->has_tail && field->form->class_id == GST_FORM_BYTES))
			continue;
		gst_outfile_printf(out, " %s=", field->name);
		gst_text_write_value(out, field, rec->data);
	}
	if (rec->schema->has_tail) {
		gst_outfile_puts(out, " text=");
		gst_text_write_quoted(out, rec->tail, rec->tail_bytes);
	} else if (rec->tail_bytes) {
		gst_outfile_puts(out, " bytes=");
		write_hex(out, rec->tail, rec->tail_bytes);
	} else {
		struct gst_rec_head head;

		/* Zeros that a writer did not leave out count in the offsets of its staging pages. */
		memcpy(&head, rec->data, sizeof(head));
		if ((uint32_t)head.size8 * 8 > gst_record_trim(rec->data, rec->schema->bytes))
			gst_outfile_printf(out, " record_bytes=%" PRIu32, (uint32_t)head.size8 * 8);
	}
}

void gst_text_write_record(struct gst_outfile *out, const struct gst_record *rec)
{
	if (rec->schema) {
		gst_outfile_puts(out, rec->schema->name);
	} else {
		struct gst_rec_head head;

		memcpy(&head, rec->data, sizeof(head));
		gst_outfile_printf(out, "raw kind=0x%04x", (unsigned int)head.kind);
	}
	if (rec->corr)
		gst_outfile_printf(out, " corr=%" PRIu32, rec->corr);
	gst_text_write_fields(out, rec);
	gst_outfile_puts(out, "\n");
}

gst_status gst_text_write_trace(struct gst_outfile *out, struct gst_loader *l, struct gst_err *err)
{
	uint64_t before = 0;
	struct gst_record rec;
	int got;

	gst_text_write_begin(out);
	while ((got = gst_loader_next(l, &rec)) > 0) {
		if (gst_loader_chunk_number(l) != before) {
			gst_text_write_chunk(out, gst_loader_chunk(l));
			before = gst_loader_chunk_number(l);
		}
		gst_text_write_record(out, &rec);
		if (gst_outfile_failed(out))
			break;
	}
	if (got < 0) {
		*err = *gst_loader_error(l);
		return got;
	}
	return GST_OK;
}
