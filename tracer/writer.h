/*
 * writer.h - the thread that copies committed records from the staging memory to the .gst file.
 *
 * The file holds sealed chunks only and is only ever appended to. Each names the bytes of staging
 * memory it was copied from; a page's copied_bytes moves after its chunk is in the file, so that after a
 * crash a reader of both takes each record once. The writer never calls CUPTI.
 */
#ifndef GSTRACE_TRACER_WRITER_H
#define GSTRACE_TRACER_WRITER_H

#include "tracer/carry.h"
#include "tracer/chunk.h"
#include "tracer/intern.h"
#include "tracer/state.h"
#include "tracer/thread_slot.h"
#include "tracer/window.h"

#include <pthread.h>
#include <sys/types.h>

/* What the writer asks of the system; tests put faults in between. */
struct gst_writer_io {
	ssize_t (*write)(void *arg, int fd, const void *data, size_t size);
	/* Reserve disk blocks up to @end without making the file longer; 0 or an errno. */
	int (*reserve)(void *arg, int fd, uint64_t from, uint64_t end);
	void *arg;
};

#define GST_WRITER_OUT_BYTES (512u << 10)
#define GST_WRITER_OWN_BYTES (16u << 10)

struct gst_writer_pending {
	struct gst_page *page;
	uint64_t number;
	uint32_t copied; /* what copied will be once the file has it */
	bool is_closed;	 /* it was closed before it was read: there is no more to come */
};

struct gst_writer {
	struct gst_pool *pool;
	struct gst_loss *loss;
	struct gst_intern *strings;
	struct gst_state *state; /* switched off when the file cannot be written */
	struct gst_writer_io io;
	/* Set by inject.c; NULL: one segment, open from the start. */
	const struct gst_windows *windows;
	/* Puts the snapshot that begins @segment; called in the writer's thread. */
	void (*begin_segment)(void *arg, struct gst_writer *w, uint32_t segment);
	void *begin_arg;
	struct gst_carry
		*carry;	    /* definitions that later segments need again; NULL: they go without */
	uint32_t carried;   /* segments that have got them */
	uint64_t max_bytes; /* stop recording when the file is so long; 0 = never */
	bool is_full;	    /* ... and it was: what comes is counted */
	uint64_t losses_ns; /* when losses were written last */
	uint32_t segment;   /* that the writer's own records and new strings belong to */
	uint32_t begun;	    /* segments whose snapshot was written */
	uint32_t last_segment; /* the highest one with a chunk */
	int fd;
	uint64_t file_dev, file_ino; /* which file @fd was at first; 0, 0 = not known */
	uint64_t end;		     /* length of the file */
	uint64_t reserved; /* up to where blocks are reserved; 0 = this file system cannot */
	unsigned char *out;
	size_t out_used;
	unsigned char *own; /* records of the writer's own, of one chunk */
	uint32_t own_used;
	uint32_t own_count;
	struct gst_writer_pending *pending; /* one for each page */
	uint32_t pending_count;
	uint32_t pending_flushed;  /* of them, in the file */
	uint64_t sequence;	   /* of the last chunk put into the buffer */
	uint64_t sequence_in_file; /* of the last one that is in the file */
	uint64_t records;
	uint64_t chunks;
	uint64_t lost_on_disk;	 /* records that could not be written */
	int error;		 /* errno of the write that failed; 0 = none */
	int64_t real_minus_mono; /* of the last anchor */
	uint64_t anchor_ns;	 /* when it was taken */
	uint64_t period_ns;
	uint64_t hang_ns; /* a call into CUPTI longer than this hangs */
	/* When a call into CUPTI that may hang began, 0 = none is under way; may be NULL. */
	const _Atomic uint64_t *flush_since_ns; /* the flusher's */
	const _Atomic uint64_t
		*enable_since_ns; /* activity.h: in a thread of the program, mostly */
	/* Whose end may be the program's, since ours are left then: NULL: nobody looks. */
	const struct gst_threads *threads;
	uint64_t looked_ns;	 /* when it was looked for last */
	bool is_ended;		 /* it has come */
	uint64_t flush_noted_ns; /* of the one a note was written for */
	uint64_t enable_noted_ns;
	_Atomic uint32_t stop;		     /* asked to end */
	_Atomic uint32_t is_done;	     /* futex: the thread ended */
	_Atomic uint64_t pending_activities; /* for END: records known to be missing */
	pthread_t thread;
};

/**
 * Make @w ready to write to @fd, an empty file that stays the caller's. @w is zeroed memory.
 *
 * @io  NULL: the system's. Returns 0 or an errno. Threads: one.
 */
int gst_writer_init(struct gst_writer *w, int fd, struct gst_pool *pool, struct gst_loss *loss,
		    struct gst_intern *strings, struct gst_state *state,
		    const struct gst_writer_io *io);

/** Free what gst_writer_init() took; the thread has ended. */
void gst_writer_release(struct gst_writer *w);

/**
 * Add the definition @rec of @bytes (a whole record) to the writer's own chunk.
 *
 * Threads: the writer's, or the one that starts it before it runs.
 */
void gst_writer_put(struct gst_writer *w, const void *rec, uint32_t bytes);

/** Take an anchor of the host's clocks now, and a note if they were stepped. Threads: as put. */
void gst_writer_anchor(struct gst_writer *w);

/**
 * Copy everything committed so far to the file and recycle what is done with.
 *
 * Returns 0, or the errno of the write that failed, now or earlier: then recording is off, and a note and
 * the losses are written as far as the disk takes them. Threads: as put.
 */
int gst_writer_cycle(struct gst_writer *w);

/** The last cycle: anchor, losses, and the trailer unless something could not be written. */
int gst_writer_finish(struct gst_writer *w);

/** Start the thread. Returns 0 or an errno. */
int gst_writer_start(struct gst_writer *w);

/**
 * Ask the thread to finish and wait for it, at most until @deadline_ns (MONOTONIC).
 *
 * True if everything is in the file and it is closed in order.
 */
bool gst_writer_stop(struct gst_writer *w, uint64_t deadline_ns);

#endif
