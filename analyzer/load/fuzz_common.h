/*
 * fuzz_common.h - what both fuzz targets of the loader hold to be true.
 *
 * Private to the targets. A broken promise aborts, and so does memory over the documented bound.
 */
#ifndef GSTRACE_ANALYZER_LOAD_FUZZ_COMMON_H
#define GSTRACE_ANALYZER_LOAD_FUZZ_COMMON_H

#include "analyzer/base/assert.h"
#include "analyzer/base/mem.h"
#include "analyzer/load/load.h"
#include "analyzer/load/text_writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every byte that a record claims to have must be readable: ASan looks on. */
static inline uint64_t gst_fuzz_touch(const struct gst_record *rec)
{
	size_t bytes = rec->schema ? rec->schema->bytes : sizeof(struct gst_rec_head), i;
	const uint8_t *p = rec->data;
	uint64_t sum = 0;

	for (i = 0; i < bytes; i++)
		sum += p[i];
	for (i = 0; i < rec->tail_bytes; i++)
		sum += rec->tail[i];
	if (rec->kind == GST_REC_STRING) {
		const struct gst_rec_string *string = rec->data;

		GST_ASSERT(string->id && string->length == rec->tail_bytes);
	}
	return sum;
}

/* The trace as text, in the order of the file; NULL if it cannot be opened or has no record. */
static inline char *gst_fuzz_to_text(const void *data, size_t size, size_t *length, size_t *room)
{
	struct gst_load_options o = {
		.segment = -1, .file_order = true, .keep_unknown = true, .keep_short = true};
	struct gst_err err = {0};
	struct gst_outfile *out;
	struct gst_loader *l;
	uint64_t records;
	char *text;

	if (gst_loader_open_memory(data, size, "fuzz", &o, &l, &err)) {
		GST_ASSERT(err.status && err.text[0]);
		return NULL;
	}
	out = gst_outfile_open_memory();
	GST_ASSERT(!gst_text_write_trace(out, l, &err));
	records = gst_loader_stats(l)->records + gst_loader_stats(l)->unknown_records;
	gst_loader_close(l);
	text = gst_outfile_take_memory(out, length, room);
	if (records)
		return text;
	gst_mem_free(text, *room);
	return NULL;
}

/* Load it in every way; what the text form holds must come back from it. */
static inline void gst_fuzz_load(const uint8_t *data, size_t size)
{
	uint64_t sink = 0;
	struct gst_load_options o = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_loader *l;
	struct gst_record rec;
	uint64_t records = 0;
	size_t length, room, length2, room2;
	char *text, *text2;
	int got;

	gst_mem_set_limit((UINT64_C(64) << 20) + 8 * (uint64_t)size);
	if (!gst_loader_open_memory(data, size, "fuzz", &o, &l, NULL)) {
		while ((got = gst_loader_next(l, &rec)) > 0) {
			sink += gst_fuzz_touch(&rec);
			records++;
		}
		GST_ASSERT(got == 0);
		GST_ASSERT(gst_loader_stats(l)->records == records);
		GST_ASSERT(gst_loader_stats(l)->is_complete ==
			   (gst_loader_stats(l)->reason_count == 0));
		gst_loader_close(l);
	}
	/* The sum must be made. */
	__asm__ volatile("" : : "r"(sink));
	o.from_ns = 100;
	o.to_ns = 1000;
	o.segment = 0;
	if (!gst_loader_open_memory(data, size, "fuzz", &o, &l, NULL)) {
		while (gst_loader_next(l, &rec) > 0)
			sink += gst_fuzz_touch(&rec);
		gst_loader_close(l);
	}
	/* Writing text needs more than reading. */
	gst_mem_set_limit(0);
	text = gst_fuzz_to_text(data, size, &length, &room);
	if (text) {
		text2 = gst_fuzz_to_text(text, length, &length2, &room2);
		GST_ASSERT(text2 && length == length2 && memcmp(text, text2, length) == 0);
		gst_mem_free(text2, room2);
		gst_mem_free(text, room);
	}
	GST_ASSERT(gst_mem_used() == 0);
}

#endif
