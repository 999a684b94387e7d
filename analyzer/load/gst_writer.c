/*
 * gst_writer.c - collect records, seal chunks, append them to an output.
 *
 * Role      : the analyzer's only writer of the binary format.
 * Method    : one body buffer; header and checksums are made when the chunk ends.
 * Invariant : what it writes, the loader reads as complete (given a trailer).
 * Not here  : when to begin a chunk, the order of records (the caller).
 */
#include "analyzer/load/gst_writer.h"

#include "analyzer/base/assert.h"
#include "analyzer/base/vec.h"
#include "tracer/format/encode.h"

#include <inttypes.h>

struct gst_gst_writer {
	struct gst_outfile *out;
	struct gst_chunk_header header;
	GST_VEC(uint8_t) body;
	uint64_t records;
	uint64_t chunks;
	uint64_t first_ns, last_ns;
	uint32_t chunk_records;
	bool is_begun;
	bool is_sealed;
};

struct gst_gst_writer *gst_gst_writer_new(struct gst_outfile *out)
{
	struct gst_gst_writer *w = gst_mem_alloc(sizeof(*w));

	w->out = out;
	return w;
}

void gst_gst_writer_free(struct gst_gst_writer *w)
{
	if (!w)
		return;
	gst_vec_free(&w->body);
	gst_mem_free(w, sizeof(*w));
}

void gst_gst_writer_begin(struct gst_gst_writer *w, const struct gst_chunk_header *like)
{
	GST_ASSERT(!w->is_begun);
	w->is_begun = true;
	w->is_sealed = (like->flags & GST_CHUNK_SEALED) != 0;
	w->chunks++;
	gst_chunk_init_open(&w->header, like->flags, like->process, like->thread, like->segment,
			    like->sequence, 0);
	w->header.source_page = like->source_page;
	w->header.source_offset = like->source_offset;
	gst_vec_clear(&w->body);
	w->chunk_records = 0;
	w->first_ns = 0;
	w->last_ns = 0;
}

/* Room for one record at the end of the body, zeroed; NULL: @err says why not. */
static uint8_t *add_record(struct gst_gst_writer *w, uint64_t bytes, gst_status *st,
			   struct gst_err *err)
{
	uint8_t *p;

	GST_ASSERT(w->is_begun);
	*st = GST_OK;
	if (bytes > GST_RECORD_MAX_BYTES)
		*st = gst_err_set(err, GST_E_LIMIT,
				  "record of %" PRIu64 " bytes, expected at most %u", bytes,
				  GST_RECORD_MAX_BYTES);
	else if (w->body.count + bytes > GST_CHUNK_MAX_BYTES - 8)
		*st = gst_err_set(
			err, GST_E_LIMIT,
			"chunk of more than %u bytes; begin another one before this record",
			GST_CHUNK_MAX_BYTES - 8);
	if (*st)
		return NULL;
	p = gst_vec_extend(&w->body, (size_t)bytes);
	memset(p, 0, (size_t)bytes);
	w->chunk_records++;
	w->records++;
	return p;
}

gst_status gst_gst_writer_put(struct gst_gst_writer *w, const struct gst_schema_record *schema,
			      uint32_t corr, const void *data, const void *tail,
			      uint32_t tail_bytes, struct gst_err *err)
{
	uint32_t kind = schema->kind | (schema->is_critical ? GST_KIND_CRITICAL : 0u);
	struct gst_rec_head head;
	uint64_t bytes, stored;
	gst_status st;
	uint8_t *p;

	if (schema->has_tail) {
		struct gst_rec_string string;

		if (tail_bytes > GST_STRING_MAX_BYTES)
			return gst_err_set(err, GST_E_LIMIT,
					   "string of %" PRIu32 " bytes, expected at most %u",
					   tail_bytes, GST_STRING_MAX_BYTES);
		bytes = gst_string_record_bytes(tail_bytes);
		p = add_record(w, bytes, &st, err);
		if (!p)
			return st;
		memcpy(&string, data, sizeof(string));
		gst_string_record_write(p, string.id, tail, tail_bytes);
		string.head = gst_record_head(kind, (uint32_t)bytes, corr);
		memcpy(p, &string.head, sizeof(string.head));
		return GST_OK;
	}
	GST_ASSERT(tail_bytes % 8 == 0);
	memcpy(&head, data, sizeof(head));
	stored = (uint64_t)head.size8 * 8;
	bytes = tail_bytes ? (uint64_t)schema->bytes + tail_bytes
			   : gst_record_trim(data, schema->bytes);
	if (!tail_bytes && stored > bytes && stored <= schema->bytes)
		bytes = stored;
	p = add_record(w, bytes, &st, err);
	if (!p)
		return st;
	memcpy(p, data, tail_bytes ? schema->bytes : (size_t)bytes);
	if (tail_bytes)
		memcpy(p + schema->bytes, tail, tail_bytes);
	head = gst_record_head(kind, (uint32_t)bytes, corr);
	memcpy(p, &head, sizeof(head));
	gst_schema_time_range(schema, data, &w->first_ns, &w->last_ns);
	if (schema->kind == GST_REC_END)
		w->header.flags |= GST_CHUNK_END;
	return GST_OK;
}

gst_status gst_gst_writer_put_raw(struct gst_gst_writer *w, uint32_t kind, uint32_t corr,
				  const void *body, uint32_t bytes, struct gst_err *err)
{
	uint64_t size = sizeof(struct gst_rec_head) + gst_format_align8(bytes);
	struct gst_rec_head head;
	gst_status st;
	uint8_t *p;

	p = add_record(w, size, &st, err);
	if (!p)
		return st;
	head = gst_record_head(kind, (uint32_t)size, corr);
	memcpy(p, &head, sizeof(head));
	if (bytes)
		memcpy(p + sizeof(head), body, bytes);
	return GST_OK;
}

void gst_gst_writer_set_number(struct gst_gst_writer *w, uint64_t sequence)
{
	GST_ASSERT(w->is_begun);
	w->header.sequence = sequence;
}

size_t gst_gst_writer_body_bytes(const struct gst_gst_writer *w)
{
	return w->body.count;
}

uint64_t gst_gst_writer_records(const struct gst_gst_writer *w)
{
	return w->records;
}

uint64_t gst_gst_writer_chunks(const struct gst_gst_writer *w)
{
	return w->chunks;
}

void gst_gst_writer_end(struct gst_gst_writer *w)
{
	GST_ASSERT(w->is_begun);
	w->is_begun = false;
	if (w->is_sealed) {
		gst_chunk_seal(&w->header, w->body.data, w->body.count, w->chunk_records,
			       w->first_ns, w->last_ns);
	} else {
		/* One word of zeros ends the records. */
		memset(gst_vec_extend(&w->body, 8), 0, 8);
		w->header.stored_bytes = w->body.count;
		w->header.unpacked_bytes = w->body.count;
		gst_chunk_reseal_open(&w->header);
	}
	gst_outfile_write(w->out, &w->header, sizeof(w->header));
	gst_outfile_write(w->out, w->body.data, w->body.count);
}
