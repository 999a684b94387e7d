/*
 * load.h - read a trace (.gst or .gstext) as a sequence of checked records.
 *
 * The file is data from a stranger: every length, count and offset is checked before use. What is
 * damaged is left out, counted, and makes the trace incomplete; it is never guessed. Only what is no
 * trace at all, another major version or an unknown codec is an error.
 *
 *   gst_loader_open -> gst_loader_next until 0 -> gst_loader_stats -> gst_loader_close
 *
 * Memory: at most 64 MiB + 8 times the size of the file, whatever is in it. A loader belongs to one
 * thread; different loaders are independent.
 */
#ifndef GSTRACE_ANALYZER_LOAD_LOAD_H
#define GSTRACE_ANALYZER_LOAD_LOAD_H

#include "analyzer/base/err.h"
#include "analyzer/base/status.h"
#include "tracer/format/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gst_loader;

struct gst_load_options {
	uint64_t
		from_ns; /* window, CLOCK_MONOTONIC; 0 = open. Event chunks wholly outside of it are */
	uint64_t to_ns; /* not read; those that touch it are read whole. Definitions always are */
	uint64_t
		base_ns; /* passed on to the model: CLOCK_MONOTONIC at its time 0; 0 = it chooses */
	int32_t segment; /* one segment alone; -1 = all */
	bool fold_staging; /* read what is still in the tracer's staging file, if that is on this machine */
	bool file_order; /* for dumps: chunks as they stand in the file, copies of records included */
	bool keep_unknown; /* give records of unknown kinds too (schema is NULL) */
	bool keep_short; /* for dumps: KERNEL_SHORT as it is; else it comes as the KERNEL that it stands for */
};

#define GST_LOAD_OPTIONS_DEFAULT ((struct gst_load_options){.segment = -1, .fold_staging = true})

/** One record. The pointers are good until the next call on the loader. */
struct gst_record {
	uint32_t kind;	  /* GST_REC_x, without the critical bit */
	uint32_t corr;	  /* correlation id; 0 = none */
	uint32_t thread;  /* index of the thread whose chunk it was in; 0 = none */
	uint32_t process; /* pid of its chunk */
	uint32_t segment;
	uint32_t tail_bytes;
	uint64_t
		offset; /* of the record in the file (in the staging file, if it came from there) */
	const struct gst_schema_record *schema; /* NULL: unknown kind */
	const void *
		data; /* struct gst_rec_x in full: fields that were left out are 0. Unknown kind: the head */
	const uint8_t *
		tail; /* STRING: the text, tail_bytes == length. Others: what a newer writer added */
};

/* Why a trace is not complete. */
enum gst_load_reason_code {
	GST_LOAD_NO_END,     /* a segment has no trailer: the program died or the file was cut */
	GST_LOAD_OPEN_CHUNK, /* a chunk was never sealed */
	GST_LOAD_BAD_HEADER, /* bytes that are no chunk were skipped */
	GST_LOAD_BAD_BODY,   /* checksum of a body is wrong: chunk left out */
	GST_LOAD_TRUNCATED,  /* the file ends inside a chunk: whole records of it are used */
	GST_LOAD_BAD_RECORD, /* a record breaks the rules: the rest of its chunk is left out */
	GST_LOAD_MISSING_CHUNKS, /* gaps in the chunks' numbers, or a number twice */
	GST_LOAD_MISSING_BYTES,	 /* gaps in what was copied from staging memory */
	GST_LOAD_LOST_RECORDS,	 /* the tracer says that it lost records */
	GST_LOAD_PENDING,	 /* activity records that were never delivered */
	GST_LOAD_STAGING_GONE, /* the staging file with the newest records is not there (any more) */
	GST_LOAD_REASONS,
};

struct gst_load_reason {
	enum gst_load_reason_code code;
	uint64_t count;	 /* chunks, bytes, records: what the text says */
	uint64_t offset; /* in the file, of the first; UINT64_MAX = does not apply */
	char text[200];	 /* in words, about the first one, with offset, found, expected */
};

/* Records of an unknown kind that were skipped, by thread. */
struct gst_load_unknown {
	uint32_t process;
	uint32_t thread;
	uint32_t kind;	  /* without the critical bit */
	bool is_critical; /* it may have changed order: conclusions about this thread are withheld */
	uint64_t count;
};

struct gst_load_stats {
	uint64_t file_bytes;
	uint64_t records; /* given by gst_loader_next, unknown kinds not counted */
	uint64_t kind_records[GST_SCHEMA_RECORDS]; /* by index in the schema */
	uint64_t unknown_records;
	uint64_t unknown_critical; /* of these, with the critical bit */
	uint64_t chunks;	   /* with a valid header, staging included */
	uint64_t chunks_outside;   /* not read: outside the window or another segment */
	uint64_t chunks_damaged;   /* left out or cut */
	uint64_t chunks_double;	   /* left out: copies of others */
	uint64_t staging_chunks;   /* read from the staging file */
	uint64_t skipped_bytes;	   /* that are neither chunk nor zero */
	uint64_t lost_records;	   /* sum of the LOSS records that tell a number */
	uint64_t loss_notes;	   /* LOSS records */
	uint64_t first_ns;	   /* MONOTONIC range of what was read; 0 = no time at all */
	uint64_t last_ns;
	uint64_t from_ns; /* the window asked for */
	uint64_t to_ns;
	uint64_t base_ns;  /* as in the options */
	uint32_t segments; /* segments seen, whatever was asked for */
	bool has_loss_of_unknown_size;
	bool has_more_unknown; /* unknown kinds that the list below has no room for */
	bool has_end;	       /* each segment read has its trailer */
	bool is_complete; /* has_end, and nothing cut, damaged, missing or lost; a window does not count */
	bool is_text;			       /* .gstext */
	const struct gst_load_reason *reasons; /* why it is not complete, in order of code */
	size_t reason_count;
	const struct gst_load_unknown *unknown;
	size_t unknown_count;
};

/**
 * Open the trace @path; .gst or .gstext is told by content. @o NULL: GST_LOAD_OPTIONS_DEFAULT.
 *
 * Errors: GST_E_IO; GST_E_FORMAT (no trace; text: line, found, expected); GST_E_VERSION (both named);
 * GST_E_UNSUPPORTED (codec named); *@out is then untouched. @err names the path.
 * Cost: reads the chunk headers of a .gst, all of a .gstext.
 */
GST_NODISCARD gst_status gst_loader_open(const char *path, const struct gst_load_options *o,
					 struct gst_loader **out, struct gst_err *err);

/**
 * The same for @size bytes at @data, which stay the caller's and must outlive the loader. @name is
 * used in messages. Staging is never read.
 */
GST_NODISCARD gst_status gst_loader_open_memory(const void *data, size_t size, const char *name,
						const struct gst_load_options *o,
						struct gst_loader **out, struct gst_err *err);

/**
 * Get the next record: 1, 0 at the end, or a negative gst_status (words: gst_loader_error).
 *
 * Order: all definition chunks, then all event chunks; each by segment and number of the chunk. The
 * records of one thread come in the order it committed them; those of different threads do not.
 * Cost: O(1) amortised; no allocation per record.
 */
GST_NODISCARD int gst_loader_next(struct gst_loader *l, struct gst_record *out);

struct gst_records; /* records.h */

/* Where gst_loader_read() puts records. */
struct gst_load_sink {
	void *payload;
	/* A record; nothing else runs. An error ends the reading. */
	gst_status (*record)(void *payload, const struct gst_record *r, struct gst_err *err);
	/* Records of a process will come by the next two, at least one: the tag that they get. Nothing else runs. */
	uint32_t (*announce)(void *payload, uint32_t process);
	/* All records of a chunk of a thread, of kinds CALL to before KERNEL; take them by gst_records_next(). */
	void (*calls)(void *payload, uint32_t tag, struct gst_records *r);
	/* The same of a chunk of no thread, kinds KERNEL and above but API_RUN. The two run at the same time. */
	void (*devices)(void *payload, uint32_t tag, struct gst_records *r);
	/* Now and then, when nothing else runs. An error ends the reading. */
	gst_status (*pause)(void *payload, struct gst_err *err);
};

/**
 * Give all records to @sink, in place of gst_loader_next() until it is 0, with several threads if base/parallel.h
 * says so. In @record they come in the order of gst_loader_next(), in @calls and @devices those of each of the two do;
 * what comes by which, and when, depends on the file alone.
 *
 * Errors: those of gst_loader_next() and of @sink.
 */
GST_NODISCARD gst_status gst_loader_read(struct gst_loader *l, const struct gst_load_sink *sink,
					 struct gst_err *err);

/** Why gst_loader_next() returned a negative status. */
const struct gst_err *gst_loader_error(const struct gst_loader *l);

/** Header of the chunk that the last record was in; NULL before the first. */
const struct gst_chunk_header *gst_loader_chunk(const struct gst_loader *l);

/** Number of that chunk in the order of reading, from 1: another one means that a new chunk began. */
uint64_t gst_loader_chunk_number(const struct gst_loader *l);

/** Counts so far; is_complete and the reasons are final once gst_loader_next() returned 0. */
const struct gst_load_stats *gst_loader_stats(struct gst_loader *l);

/** Close the files, free all; NULL is fine. */
void gst_loader_close(struct gst_loader *l);

#endif
