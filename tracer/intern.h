/*
 * intern.h - texts become STRING records once, and ids from then on.
 *
 * The records lie in the staging memory's first page, which is never recycled: a lookup compares with
 * the record itself, and after a crash the strings are still there. Bounded: when page or table are
 * full, texts get the id 0 and a loss is counted.
 */
#ifndef GSTRACE_TRACER_INTERN_H
#define GSTRACE_TRACER_INTERN_H

#include "tracer/loss.h"
#include "tracer/pool.h"

#define GST_INTERN_MAX	 16384u /* strings */
#define GST_INTERN_SLOTS 32768u /* of the table; a power of two */
#define GST_INTERN_NEAR	 1024u	/* of the cache by address; a power of two */

struct gst_intern {
	struct gst_page *page;
	struct gst_loss *loss;
	_Atomic uint32_t is_locked;
	_Atomic uint32_t is_cut;		  /* a string was longer than the format allows */
	uint32_t count;				  /* ids given out; under the lock */
	_Atomic uint32_t slots[GST_INTERN_SLOTS]; /* id, 0 = empty */
	uint32_t offset[GST_INTERN_MAX + 1];	  /* of id's record in the page's body */
	uint32_t hash[GST_INTERN_MAX + 1];
	struct {
		_Atomic uintptr_t text;
		_Atomic uint32_t id;
	} near[GST_INTERN_NEAR];
};

/** Begin with no strings in @page, which stays the table's for good. @in is zeroed memory. */
void gst_intern_init(struct gst_intern *in, struct gst_page *page, struct gst_loss *loss);

/**
 * The calling thread left an addition by longjmp() out of a signal handler: undo what it had begun, if it had.
 */
void gst_intern_recover(struct gst_intern *in);

/**
 * The id of the @length bytes at @text; 0 if there is no room or another thread was adding too long.
 *
 * Longer than GST_STRING_MAX_BYTES is cut. Cost: a checksum and one comparison; adding copies the text
 * under a lock that is tried a bounded number of times, never waited for. Threads: any.
 */
uint32_t gst_intern_bytes(struct gst_intern *in, const char *text, size_t length);

/** The same for a zero-terminated @text; NULL gives 0. */
uint32_t gst_intern(struct gst_intern *in, const char *text);

/**
 * The same for a @text that mostly comes again at the same address, as kernel names do.
 *
 * The address only says where to look first; the text is compared each time, because a module may be
 * unloaded and another put in its place. NULL gives 0.
 */
uint32_t gst_intern_near(struct gst_intern *in, const char *text);

#endif
