/*
 * gst_writer.h - write a .gst: for the text form, generated traces and tests.
 *
 *   begin (a chunk) -> put (records) -> end -> ... ; the caller commits the output
 */
#ifndef GSTRACE_ANALYZER_LOAD_GST_WRITER_H
#define GSTRACE_ANALYZER_LOAD_GST_WRITER_H

#include "analyzer/base/err.h"
#include "analyzer/base/outfile.h"
#include "tracer/format/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gst_gst_writer;

/** A writer of chunks into @out, which stays the caller's. */
struct gst_gst_writer *gst_gst_writer_new(struct gst_outfile *out);

/** Forget a chunk that was begun, free the writer; NULL is fine. */
void gst_gst_writer_free(struct gst_gst_writer *w);

/**
 * Begin a chunk with the flags (GST_CHUNK_x), process, thread, segment, sequence, source_page and
 * source_offset of @like. Without GST_CHUNK_SEALED it stays open. GST_CHUNK_END comes by itself
 * with an END record. Sequence 0: not numbered. Asserts: no chunk is begun.
 */
void gst_gst_writer_begin(struct gst_gst_writer *w, const struct gst_chunk_header *like);

/**
 * Append a record of @schema: @data is its full struct (the head is made anew) with @corr.
 *
 * Zeros at its end are left out, but for those within the size that its head names (0 = none): a copy
 * then has the size of what was read. @tail: the text of a STRING (length is set from @tail_bytes), or
 * what follows the fields of others, a multiple of 8 bytes.
 * Errors: GST_E_LIMIT: string, record or chunk too large; nothing is added.
 */
GST_NODISCARD gst_status gst_gst_writer_put(struct gst_gst_writer *w,
					    const struct gst_schema_record *schema, uint32_t corr,
					    const void *data, const void *tail, uint32_t tail_bytes,
					    struct gst_err *err);

/** Append a record of an unknown kind (with its critical bit); @bytes after the head, padded to 8. */
GST_NODISCARD gst_status gst_gst_writer_put_raw(struct gst_gst_writer *w, uint32_t kind,
						uint32_t corr, const void *body, uint32_t bytes,
						struct gst_err *err);

/** Give the chunk that is open the number @sequence after all: writers that fill several at a time. */
void gst_gst_writer_set_number(struct gst_gst_writer *w, uint64_t sequence);

/** Bytes of the body so far; a caller that fills chunks ends one when it is large enough. */
size_t gst_gst_writer_body_bytes(const struct gst_gst_writer *w);

/** Records and chunks written so far, the chunk that is open included: for the END record. */
uint64_t gst_gst_writer_records(const struct gst_gst_writer *w);
uint64_t gst_gst_writer_chunks(const struct gst_gst_writer *w);

/** End the chunk: seal it (or not) and write it out. Asserts: a chunk is begun. */
void gst_gst_writer_end(struct gst_gst_writer *w);

#endif
