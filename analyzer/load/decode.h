/* decode.h - take one record out of the body of a chunk, checking everything. */
#ifndef GSTRACE_ANALYZER_LOAD_DECODE_H
#define GSTRACE_ANALYZER_LOAD_DECODE_H

#include "analyzer/load/load.h"

/* Larger than every known struct: decode.c asserts it. */
#define GST_DECODE_SCRATCH_BYTES 256

enum gst_decode_fault {
	GST_DECODE_OK,
	GST_DECODE_END,	      /* the first word is 0: an open chunk ends here */
	GST_DECODE_NO_SIZE,   /* a kind without a size */
	GST_DECODE_CUT,	      /* longer than what is left of the chunk */
	GST_DECODE_TOO_LARGE, /* longer than a record may be */
	GST_DECODE_STRING_SHORT,
	GST_DECODE_STRING_LENGTH,
	GST_DECODE_STRING_ID,
};

/**
 * Decode the record at @p, of which @left bytes (a multiple of 8) may be read.
 *
 * @scratch  room for GST_DECODE_SCRATCH_BYTES, aligned to 8: a record without its last fields is
 *           completed there.
 *
 * On GST_DECODE_OK sets kind, corr, schema, data, tail and tail_bytes of @out, and *@bytes to the
 * record's size. Else only *@bytes: what the record says about its size. @p is aligned to 8.
 */
enum gst_decode_fault gst_decode_record(const uint8_t *p, size_t left, void *scratch,
					struct gst_record *out, uint32_t *bytes);

/** Word a fault (not OK, not END) into @text: found and expected. */
void gst_decode_explain(enum gst_decode_fault fault, const uint8_t *p, size_t left, char *text,
			size_t text_bytes);

#endif
