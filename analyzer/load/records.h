/*
 * records.h - the records of a chunk of which all is known to be well: nothing is left to check.
 *
 * gst_loader_read() has looked at each head before: the records are whole, of kinds that belong there, and none has
 * a tail of its own. So the loop over them, inlined where they are used, is short.
 */
#ifndef GSTRACE_ANALYZER_LOAD_RECORDS_H
#define GSTRACE_ANALYZER_LOAD_RECORDS_H

#include "analyzer/base/status.h"
#include "analyzer/load/load.h"

/* As long as the longest record of which there are many. */
#define GST_RECORD_COPY_BYTES 96u

/* The caller of gst_records_next() changes nothing in here. */
struct gst_records {
	const uint8_t *at;
	size_t left;	 /* bytes */
	uint64_t offset; /* of `at` in the file */
	uint32_t thread, process, segment;
	const struct gst_schema_record *const *schemas; /* by kind */
	uint64_t *kind_records;				/* counted, by index in the schema */
	void *scratch;					/* GST_DECODE_SCRATCH_BYTES */
};

/**
 * Complete in @to the record of @size bytes at @p that left out its last fields: @all bytes with zeros at the end.
 * @left bytes may be read at @p; @to has room for twice GST_RECORD_COPY_BYTES, and for @all.
 */
static inline void gst_record_complete(void *to, const uint8_t *p, size_t left, uint32_t size,
				       uint32_t all)
{
	static const uint8_t zeros[32];
	uint8_t *bytes = to;

	if (left < GST_RECORD_COPY_BYTES || all > GST_RECORD_COPY_BYTES) {
		memcpy(bytes, p, size);
		memset(bytes + size, 0, all - size);
		return;
	}
	/* A step is two moves of vector registers; what it does beyond the end is overwritten, or not read. */
	for (size_t i = 0; i < size; i += sizeof(zeros))
		memcpy(bytes + i, p + i, sizeof(zeros));
	for (size_t i = size; i < all; i += sizeof(zeros))
		memcpy(bytes + i, zeros, sizeof(zeros));
}

/** The KERNEL that the KERNEL_SHORT at @data stands for, all its fields there, in @scratch; @data may be there already. */
void gst_record_lengthen(void *scratch, const void *data);

/** The next record; false: there is none. @out is good until the next call. */
static inline __attribute__((always_inline)) bool gst_records_next(struct gst_records *r,
								   struct gst_record *out)
{
	const struct gst_schema_record *schema;
	struct gst_rec_head head;
	uint32_t size;

	if (!r->left)
		return false;
	memcpy(&head, r->at, sizeof(head));
	size = (uint32_t)head.size8 * 8;
	out->kind = head.kind & GST_KIND_MASK;
	schema = r->schemas[out->kind];
	out->corr = head.corr;
	out->thread = r->thread;
	out->process = r->process;
	out->segment = r->segment;
	out->offset = r->offset;
	out->schema = schema;
	if (size >= schema->bytes) {
		out->data = r->at;
		out->tail = r->at + schema->bytes;
		out->tail_bytes = size - schema->bytes;
	} else {
		gst_record_complete(r->scratch, r->at, r->left, size, schema->bytes);
		out->data = r->scratch;
		out->tail = r->at + size;
		out->tail_bytes = 0;
	}
	if (out->kind == GST_REC_KERNEL_SHORT) {
		gst_record_lengthen(r->scratch, out->data);
		out->kind = GST_REC_KERNEL;
		out->schema = r->schemas[GST_REC_KERNEL];
		out->data = r->scratch;
	}
	r->kind_records[out->schema->index]++;
	r->at += size;
	r->left -= size;
	r->offset += size;
	return true;
}

#endif
