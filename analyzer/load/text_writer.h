/*
 * text_writer.h - records and chunks in the text form (.gstext).
 *
 * Write gst_text_write_begin(), then for each chunk its line and its records, in the order of the
 * file (gst_load_options.file_order with keep_unknown): reading that back gives equal records.
 * Errors stick in the output.
 */
#ifndef GSTRACE_ANALYZER_LOAD_TEXT_WRITER_H
#define GSTRACE_ANALYZER_LOAD_TEXT_WRITER_H

#include "analyzer/base/outfile.h"
#include "analyzer/load/load.h"

/** The first line. */
void gst_text_write_begin(struct gst_outfile *out);

/** The line that begins a chunk with header @h. */
void gst_text_write_chunk(struct gst_outfile *out, const struct gst_chunk_header *h);

/** One record, one line: fields that are 0 are left out. */
void gst_text_write_record(struct gst_outfile *out, const struct gst_record *rec);

/** The fields of @rec as in its line, without the kind and corr, each after a space. */
void gst_text_write_fields(struct gst_outfile *out, const struct gst_record *rec);

/** The value of @field of the full-size record @data as text, as in the line. */
void gst_text_write_value(struct gst_outfile *out, const struct gst_schema_field *field,
			  const void *data);

/** @length bytes in quotes; quotes, backslashes and all that is not printable ASCII as \xNN. */
void gst_text_write_quoted(struct gst_outfile *out, const void *bytes, size_t length);

/** All of the trace in @l, from its begin. Errors: those of gst_loader_next(), in words too. */
GST_NODISCARD gst_status gst_text_write_trace(struct gst_outfile *out, struct gst_loader *l,
					      struct gst_err *err);

#endif
