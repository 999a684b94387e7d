/*
 * gen_format_tables.c - the byte tables of docs/FORMAT.md.
 *
 * Role      : prints the part of the document that is made from records.def and format.h;
 *             tools/format_tables.sh puts it there, its test compares.
 * Method    : walks the schema.
 * Invariant : nothing about the bytes of a record is written by hand.
 * Not here  : prose.
 */
#include "tracer/format/schema.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
	const char *name;
	const char *type;
	size_t offset;
	const char *doc;
} header_fields[] = {
#define FIELD(name, type, doc)                                             \
	{                                                                  \
#name, #type, offsetof(struct gst_chunk_header, name), doc \
	}
	FIELD(magic, uint64_t, "`GSTCHUNK` in this order of bytes"),
	FIELD(major, uint16_t, "another major version is refused, naming both"),
	FIELD(minor, uint16_t, "grows when something is added"),
	FIELD(header_bytes, uint16_t,
	      "128; a longer header is read, what is behind byte 127 ignored"),
	FIELD(codec, uint16_t, "how the body is stored"),
	FIELD(flags, uint32_t, "see below"),
	FIELD(segment, uint32_t, "from 0"),
	FIELD(stored_bytes, uint64_t, "length of the body in the file, without padding"),
	FIELD(unpacked_bytes, uint64_t, "length of the body after decoding; codec none: the same"),
	FIELD(process, uint32_t, "pid"),
	FIELD(thread, uint32_t, "index of the thread whose calls these are; 0 = none"),
	FIELD(sequence, uint64_t, "number of the chunk in its process, from 1; 0 = not numbered"),
	FIELD(record_count, uint32_t, "records in the body"),
	FIELD(body_crc, uint32_t, "CRC-32C of the stored body"),
	FIELD(first_ns, uint64_t, "smallest MONOTONIC time in it; 0 = none or not known"),
	FIELD(last_ns, uint64_t, "largest"),
	FIELD(source_page, uint64_t,
	      "number of the staging page the body was copied from; 0 = none"),
	FIELD(source_offset, uint32_t, "where in that page's body"),
	FIELD(reserved0, uint32_t, "0"),
	FIELD(copied_bytes, uint64_t, "staging only: bytes of the page that are in the .gst"),
	FIELD(reserved1, uint64_t, "0"),
	FIELD(reserved2, uint64_t, "0"),
	FIELD(reserved3, uint32_t, "0"),
	FIELD(header_crc, uint32_t, "CRC-32C of bytes 0..123; of bytes 0..95 in an open chunk"),
#undef FIELD
};

static void print_header(void)
{
	size_t i;

	puts("### Chunk header\n");
	puts("| Offset | Type | Field | Meaning |");
	puts("|---:|---|---|---|");
	for (i = 0; i < sizeof(header_fields) / sizeof(header_fields[0]); i++)
		printf("| %zu | %s | `%s` | %s |\n", header_fields[i].offset, header_fields[i].type,
		       header_fields[i].name, header_fields[i].doc);
	printf("\nFlags: %u definitions, %u events, %u sealed, %u holds the trailer of its segment.\n",
	       GST_CHUNK_DEFS, GST_CHUNK_EVENTS, GST_CHUNK_SEALED, GST_CHUNK_END);
	fputs("Codecs:", stdout);
	for (i = 0; gst_codec_name((uint32_t)i); i++)
		printf("%s %zu %s%s", i ? "," : "", i, gst_codec_name((uint32_t)i),
		       i ? " (reserved)" : "");
	puts(".\n");
}

static void print_record(const struct gst_schema_record *r)
{
	uint32_t i;

	printf("#### `%s` 0x%04x%s\n\n", r->name, r->kind, r->is_critical ? ", critical" : "");
	printf("%s. %u bytes%s.\n\n", r->doc, r->bytes, r->has_tail ? ", then the text" : "");
	puts("| Offset | Type | Field | Form | Meaning |");
	puts("|---:|---|---|---|---|");
	puts("| 0 | | head | | kind, size, correlation id |");
	for (i = 0; i < r->field_count; i++) {
		const struct gst_schema_field *f = &r->fields[i];

		printf("| %u | %s | `%s` | %s | %s |\n", f->offset, f->type, f->name, f->form->name,
		       f->doc);
	}
	puts("");
}

/* All forms with named values, each once, in the order in which fields use them. */
static void print_values(void)
{
	const struct gst_schema_form *seen[64];
	uint32_t count = 0, i, f, k;

	puts("### Named values\n");
	puts("| Form | Values |");
	puts("|---|---|");
	for (i = 0; i < GST_SCHEMA_RECORDS; i++) {
		const struct gst_schema_record *r = gst_schema_record(i);

		for (f = 0; f < r->field_count; f++) {
			const struct gst_schema_form *form = r->fields[f].form;
			const char *text;
			uint64_t value;

			for (k = 0; k < count && seen[k] != form; k++)
				;
			if (k < count || count == 64 ||
			    !gst_schema_value_at(form, 0, &value, &text))
				continue;
			seen[count++] = form;
			printf("| %s%s |", form->name,
			       form->class_id == GST_FORM_FLAGS ? " (flags)" : "");
			for (k = 0; gst_schema_value_at(form, k, &value, &text); k++)
				printf("%s %" PRIu64 " `%s`", k ? "," : "", value, text);
			puts(" |");
		}
	}
}

int main(void)
{
	static const struct {
		uint32_t first;
		const char *title;
	} groups[] = {{0x0000, "Definitions"}, {0x0100, "Calls"}, {0x0200, "Device records"}};
	uint32_t i, g = 0;

	print_header();
	for (i = 0; i < GST_SCHEMA_RECORDS; i++) {
		const struct gst_schema_record *r = gst_schema_record(i);

		if (g < sizeof(groups) / sizeof(groups[0]) && r->kind >= groups[g].first) {
			printf("### %s\n\n", groups[g].title);
			g++;
		}
		print_record(r);
	}
	print_values();
	return fflush(stdout) != 0;
}
