/*
 * reader_internal.h - the parts of a loader: sources, the index of chunks, the chunk being read.
 *
 * Private to analyzer/load.
 */
#ifndef GSTRACE_ANALYZER_LOAD_READER_INTERNAL_H
#define GSTRACE_ANALYZER_LOAD_READER_INTERNAL_H

#include "analyzer/base/arena.h"
#include "analyzer/base/map.h"
#include "analyzer/base/vec.h"
#include "analyzer/load/decode.h"
#include "analyzer/load/load.h"

/* Bytes to read from: a file, or memory. */
struct gst_source {
	int fd;		     /* -1: memory */
	const uint8_t *data; /* memory */
	uint64_t size;
	const char *name;
};

enum gst_chunk_state {
	GST_REF_DEFS = 1u << 0,
	GST_REF_END = 1u << 1,
	GST_REF_SEALED = 1u << 2,
	GST_REF_TRUNCATED = 1u << 3, /* the file ends inside: body_bytes is what there is */
	GST_REF_CUT = 1u << 4,	     /* another chunk begins inside: not read */
	GST_REF_OUTSIDE = 1u << 5,   /* outside the window or of another segment: not read */
	GST_REF_DOUBLE = 1u << 6,    /* all of it is in other chunks: not read */
	GST_REF_STAGING = 1u << 7,   /* in the staging file */
};

/* One chunk with a valid header. Small, because a hostile file may have one every 128 bytes. */
struct gst_chunk_ref {
	uint64_t offset : 48; /* of the header */
	uint64_t state : 16;  /* enum gst_chunk_state */
	uint64_t sequence;    /* 0 = not numbered */
	uint64_t source_page;
	uint32_t source_offset;
	uint32_t body_bytes;
	uint32_t process;
	uint32_t thread;
	uint32_t segment;
	uint32_t skip_bytes; /* at the begin of the body: in other chunks already */
};

struct gst_segment_state {
	uint32_t process;
	uint32_t segment;
	bool is_read;
	bool has_end;
};

struct gst_loader {
	struct gst_load_options options;
	struct gst_source main;
	struct gst_source staging;
	GST_VEC(struct gst_chunk_ref) refs;
	uint32_t *order; /* indexes of refs in the order of reading */
	size_t order_count;
	size_t next; /* in order */

	/* The chunk being read. */
	struct gst_chunk_header header;
	const struct gst_chunk_ref *ref; /* NULL: none */
	const uint8_t *body;
	uint64_t body_offset; /* in the file */
	size_t body_end;
	size_t position;
	uint32_t records_seen; /* in this chunk */
	bool counts_records;   /* the header's record_count is checked at the end */
	bool needs_times;      /* the header tells no times: look at the records */

	uint8_t *buffer; /* of a body, from mem.h */
	size_t buffer_bytes;
	uint64_t scratch[GST_DECODE_SCRATCH_BYTES / 8];

	struct gst_load_stats stats;
	GST_VEC(struct gst_load_reason) reasons; /* at most one of each code */
	GST_VEC(struct gst_load_unknown) unknown;
	struct gst_map unknown_threads; /* process << 32 | thread -> number */
	struct gst_map unknown_kinds;	/* number << 16 | kind -> index in unknown */
	GST_VEC(struct gst_segment_state) segments;
	struct gst_map segment_map; /* process << 32 | segment -> index in segments */
	struct gst_err err;
	bool is_over;
	char *name;
	uint8_t *owned; /* image made from text, or a pipe read to its end */
	size_t owned_bytes;
};

/** Read @bytes at @offset; a pointer into memory, or into @buffer after filling it. NULL: @err says why. */
const uint8_t *gst_source_read(const struct gst_source *s, uint64_t offset, size_t bytes,
			       uint8_t *buffer, struct gst_err *err);

/**
 * Find the chunks of @s and append them to l->refs; damage goes to l->stats and the reasons.
 *
 * @extra_state is set in each (GST_REF_STAGING). Errors: GST_E_IO, GST_E_VERSION, GST_E_UNSUPPORTED.
 */
GST_NODISCARD gst_status gst_index_source(struct gst_loader *l, const struct gst_source *s,
					  uint32_t extra_state, struct gst_err *err);

/** After all sources: windows, double coverage, gaps, and the order of reading. */
void gst_index_finish(struct gst_loader *l);

/**
 * Make @ref the chunk being read: 1, 0 if it is left out (then it is counted), or a gst_status
 * with the words in l->err.
 */
int gst_chunk_open(struct gst_loader *l, const struct gst_chunk_ref *ref);

/** The next record of the chunk being read: 1, or 0 when it has no more. */
int gst_chunk_next(struct gst_loader *l, struct gst_record *out);

/** The chunk being read is done, or given up. */
void gst_chunk_close(struct gst_loader *l);

/** All was read: what is missing in the whole. */
void gst_loader_finish(struct gst_loader *l);

/** What was read reaches from @first to @last; 0 = not known. */
void gst_loader_widen_times(struct gst_loader *l, uint64_t first, uint64_t last);

/** Count @count more of reason @code; the text is that of the first. */
void gst_loader_reason(struct gst_loader *l, enum gst_load_reason_code code, uint64_t count,
		       uint64_t offset, const char *fmt, ...) GST_PRINTF(5, 6);

/** Find the staging files that the definitions name and index them. Errors: as gst_index_source. */
GST_NODISCARD gst_status gst_staging_find(struct gst_loader *l, struct gst_err *err);

/**
 * Turn the text trace @text into the bytes of a .gst; *@image is from mem.h, *@room its size there.
 *
 * Errors: GST_E_FORMAT, GST_E_LIMIT with line, found and expected.
 */
GST_NODISCARD gst_status gst_text_to_gst(const char *text, size_t size, uint8_t **image,
					 size_t *image_bytes, size_t *room, struct gst_err *err);

/** Whether @size bytes at @data begin like a text trace. */
bool gst_text_is(const void *data, size_t size);

#endif
