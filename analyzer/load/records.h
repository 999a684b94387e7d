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
#include "tracer/format/encode.h"

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
	static const uint8_t zeros[16];
	uint8_t *bytes = to;

	if (left < GST_RECORD_COPY_BYTES || all > GST_RECORD_COPY_BYTES) {
		memcpy(bytes, p, size);
		memset(bytes + size, 0, all - size);
		return;
	}
	/* Without a branch on the size: each step is one move of a vector register. */
#pragma GCC unroll 6
	for (size_t i = 0; i < GST_RECORD_COPY_BYTES; i += 16)
		memcpy(bytes + i, p + i, 16);
#pragma GCC unroll 6
	for (size_t i = 0; i < GST_RECORD_COPY_BYTES; i += 16)
		memcpy(bytes + size + i, zeros, 16);
}

/**
 * If @out is a KERNEL_SHORT, decoded with all its fields, make it the KERNEL that it stands for, in @scratch (it may be
 * there already).
 */
static inline void gst_record_lengthen(struct gst_record *out, void *scratch)
{
	if (out->kind == GST_REC_KERNEL_SHORT) {
		struct gst_rec_kernel_short s;

		memcpy(&s, out->data, sizeof(s));
		gst_kernel_lengthen(scratch, &s);
		out->kind = GST_REC_KERNEL;
		out->schema = gst_schema_find(GST_REC_KERNEL);
		out->data = scratch;
	}
}

/** The next record; false: there is none. @out is good until the next call. */
static inline bool gst_records_next(struct gst_records *r, struct gst_record *out)
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
	gst_record_lengthen(out, r->scratch);
	r->kind_records[out->schema->index]++;
	r->at += size;
	r->left -= size;
	r->offset += size;
	return true;
}

#endif
