/*
 * activity.h - activity buffers in and out; CUPTI's records become ours.
 *
 * The only reader of versioned CUpti_Activity structs. CUPTI asks for buffers in whatever thread it
 * likes, the application's too, and hands them back in another: nothing here waits for a lock.
 */
#ifndef GSTRACE_TRACER_ACTIVITY_H
#define GSTRACE_TRACER_ACTIVITY_H

#include "tracer/cupti_api.h"
#include "tracer/devices.h"
#include "tracer/notes.h"
#include "tracer/objects.h"
#include "tracer/state.h"
#include "tracer/window.h"

#define GST_ACTIVITY_BUFFERS	  32u
#define GST_ACTIVITY_BUFFER_BYTES (1u << 20)
#define GST_ACTIVITY_SPARE_BYTES  (64u << 10)
#define GST_ACTIVITY_SPARES	  1024u

/* Kinds that cost much and that few programs need are asked for when they are: see gst_activity_enable_late(). */
enum gst_activity_when {
	GST_ACTIVITY_START,
	GST_ACTIVITY_PEERS,	/* copies between contexts */
	GST_ACTIVITY_EVENT_IDS, /* numbers of records of events, and which of them a call meant */
	GST_ACTIVITY_CALLS,	/* records of calls: where no callback may come, at start */
	GST_ACTIVITY_WHEN_COUNT,
};

enum gst_event_ids {
	GST_EVENT_IDS_AUTO, /* from when on two threads use events */
	GST_EVENT_IDS_ALWAYS,
	GST_EVENT_IDS_NEVER,
};

struct gst_activity_options {
	bool calls;	  /* records of calls too: no callback may come */
	bool graph_nodes; /* each node of a graph; otherwise one record for a launch of a graph */
	bool host_wrap;	  /* the tracer runs host functions itself and knows when they ran */
	bool event_times; /* ask the device when it reached each event; numbers come with it */
	enum gst_event_ids event_ids;
};

struct gst_activity {
	const struct gst_cupti *cupti;
	const struct gst_state *state;
	struct gst_loss *loss;
	struct gst_intern *strings;
	struct gst_lane *defs;
	struct gst_lane *device;
	const struct gst_windows *windows; /* may be set after init; NULL: everything is recorded */
	struct gst_objects *objects;	   /* may be set after init */
	const _Atomic uint32_t
		*is_called; /* may be set after init: callbacks tell of calls, records need not */
	struct gst_devices devices; /* to be completed by the flusher */
	unsigned char *buffers;	    /* GST_ACTIVITY_BUFFERS of them, zero while free */
	_Atomic uint32_t taken[GST_ACTIVITY_BUFFERS];
	_Atomic uint32_t spares;	     /* small buffers that are out, mapped one by one */
	_Atomic uint32_t is_forced;	     /* what comes now was forced out: it may have no end */
	_Atomic uint32_t is_off;	     /* the self-check failed: no record is believed */
	_Atomic uint32_t is_off_said;	     /* ... and the note was written */
	struct gst_activity_options options; /* fixed once is_ready */
	_Atomic uint32_t is_ready;	     /* late kinds may be asked for */
	_Atomic uint32_t asked[GST_ACTIVITY_WHEN_COUNT];     /* late kinds that were */
	_Atomic uint32_t postponed[GST_ACTIVITY_WHEN_COUNT]; /* ... that are to be after a flush */
	const _Atomic uint64_t *
		flush_since_ns; /* the flusher's; may be set after init: not 0 = CUPTI is in a flush */
	_Atomic uint64_t enable_since_ns; /* when a late kind began to be asked for; 0 = none is */
	bool must_check;		  /* this CUPTI is newer than the layouts we know */
	_Atomic uint32_t checked[GST_CUPTI_KIND_COUNT_READ];
	uint32_t read_sizes
		[GST_CUPTI_KIND_COUNT_READ]; /* bytes that are read of a record of each kind */
	_Atomic uint64_t
		short_said;	   /* by kind: its records are shorter than that, and it was said */
	_Atomic uint32_t is_told;  /* a record of a call was taken over */
	_Atomic uint32_t has_work; /* a kernel, copy or memset was delivered */
};

/** Whether the CUPTI in use has what came with version @since. */
static inline bool gst_activity_has(const struct gst_activity *a, uint32_t since)
{
	return a->cupti->version >= since;
}

/** Make @a ready (zeroed memory). Returns 0 or an errno. Owns its buffers until the process ends. */
int gst_activity_init(struct gst_activity *a, const struct gst_cupti *cupti,
		      const struct gst_state *state, struct gst_loss *loss,
		      struct gst_intern *strings, struct gst_lane *defs, struct gst_lane *device);

/**
 * Set CUPTI's attributes, register the buffer callbacks and enable the kinds.
 *
 * A kind that cannot be enabled gets a note. Returns how many were. Threads: one, at start; @a becomes
 * the process' receiver of buffers.
 */
uint32_t gst_activity_enable(struct gst_activity *a, const struct gst_activity_options *options);

/**
 * Ask CUPTI for the kinds of @when too, from now on; only the first time does anything.
 *
 * Not done at start, because whoever does not need them pays as well (H200, CUPTI 13.0; docs/PERFORMANCE.md):
 * with GST_ACTIVITY_PEERS a launch of a graph takes 23 us longer, and a program with one context cannot make such a copy: to be called when
 * a second context appears and before a call that names two. With GST_ACTIVITY_EVENT_IDS a record and a wait take 0.5 us
 * longer, and while one thread uses events the order of its calls tells which record is meant: to be called before a second
 * thread does, and when an event becomes part of a graph, whose launches then record it. A kind that cannot be enabled gets a note. Threads: any, in a callback too; no lock is held, errno is kept.
 *
 * While CUPTI is being flushed, or asked for other kinds in another thread, it is only noted: that may hold CUPTI's locks
 * for long, or for ever, and the program's thread must not wait for it. gst_activity_enable_postponed() makes up for it.
 * A call into CUPTI that never returns is noticed by enable_since_ns (writer.c).
 */
void gst_activity_enable_late(struct gst_activity *a, enum gst_activity_when when);

/** After a flush: enable what was asked for during it. Threads: the flusher's. */
void gst_activity_enable_postponed(struct gst_activity *a);

/** The pages that one delivery writes to; all begins as zero. */
struct gst_activity_pages {
	struct gst_page *defs;
	struct gst_page *device;
	uint64_t patience_ns; /* how long to wait for pages, all in all */
	bool has_work;	      /* a kernel, copy, memset or graph was among the records */
};

/**
 * Turn one record of CUPTI into ours, in a page of the right lane.
 *
 * Overhead data that @rec points to is ours by contract and is freed. Unknown kinds are counted. False if the self-check failed: the rest of the buffer is not to be believed.
 */
bool gst_activity_translate(struct gst_activity *a, struct gst_activity_pages *pages,
			    const struct gst_cupti_activity *rec);

/** Make @a the process' receiver of CUPTI's buffers. Returns CUPTI's result. Threads: one, at start. */
int gst_activity_receive(struct gst_activity *a);

/** CUPTI's buffer callbacks, for that receiver. errno is kept. */
void gst_activity_on_requested(uint8_t **buffer, size_t *size, size_t *max_records);
void gst_activity_on_completed(void *context, uint32_t stream_id, uint8_t *buffer, size_t size,
			       size_t valid_size);

/**
 * How many buffers that CUPTI did not give back hold records: at least so many are lost.
 *
 * After the last, forced flush. Threads: any.
 */
uint32_t gst_activity_undelivered(const struct gst_activity *a);

/** Disable all kinds, after the self-check failed. Threads: the flusher's. */
void gst_activity_disable(struct gst_activity *a);

#endif
