/*
 * objects.h - what is alive: contexts, streams, events, graphs and executable graphs, for the snapshot at the
 * beginning of a window.
 *
 * Written by callbacks in the program's threads: no lock, no allocation, a bounded search. A table that is
 * full forgets an object and counts it; a snapshot then says so. Nothing here says what an object orders.
 */
#ifndef GSTRACE_TRACER_OBJECTS_H
#define GSTRACE_TRACER_OBJECTS_H

#include "tracer/format/format.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GST_OBJECTS_CONTEXTS 256u /* powers of two */
#define GST_OBJECTS_STREAMS  8192u
#define GST_OBJECTS_EVENTS   16384u
#define GST_OBJECTS_EXECS    4096u
#define GST_OBJECTS_GRAPHS   4096u

/* One cache line. "now" is that of window.h. */
struct gst_object {
	_Atomic uint64_t key;  /* what it is found by; 0 = empty */
	_Atomic uint64_t last; /* of its last use: now << 32 | correlation id; 0 = never used */
	_Atomic uint64_t
		before; /* now since when "last" is newer << 32 | correlation id before that */
	_Atomic uint64_t handle;
	_Atomic uint32_t born; /* now + 1 when it was made; 0 = being filled in */
	_Atomic uint32_t died; /* now + 1 when it ended; 0 = alive */
	_Atomic uint32_t data[4];
};

struct gst_objects_table {
	struct gst_object *list;
	uint32_t mask;
	_Atomic uint32_t
		forgotten; /* objects for which there was no place, since the last snapshot */
};

/* What data[] holds. */
enum gst_objects_data {
	GST_CONTEXT_DEVICE = 0,
	GST_CONTEXT_PARENT = 1,
	GST_CONTEXT_NULL_STREAM = 2,
	GST_STREAM_TYPE_IS = 0,
	GST_STREAM_PRIORITY = 1,
	GST_STREAM_THREAD = 2,
	GST_EVENT_FLAGS = 0,
	GST_EVENT_CTX = 1,
	GST_EXEC_GRAPH = 0,
	GST_GRAPH_ID = 0,
	GST_GRAPH_FREED = 1, /* when the one before of the same handle ended, + 1; 0 = not known */
};

struct gst_objects {
	_Atomic uint32_t
		is_use_missed; /* some call was not followed: what has no use may have one */
	_Atomic uint32_t
		snapshot_due; /* now of the window whose snapshot is being written; 0 = none */
	struct gst_objects_table contexts; /* key: CUPTI id */
	struct gst_objects_table streams;  /* key: gst_objects_stream_key() */
	struct gst_objects_table events;   /* key: handle */
	struct gst_objects_table execs;	   /* key: handle */
	struct gst_objects_table
		graphs; /* key: handle; that of an executable graph is its clone's too */
	struct gst_object context_list[GST_OBJECTS_CONTEXTS];
	struct gst_object stream_list[GST_OBJECTS_STREAMS];
	struct gst_object event_list[GST_OBJECTS_EVENTS];
	struct gst_object exec_list[GST_OBJECTS_EXECS];
	struct gst_object graph_list[GST_OBJECTS_GRAPHS];
};

/** Make @o empty; zeroed memory. */
void gst_objects_init(struct gst_objects *o);

static inline uint64_t gst_objects_stream_key(uint32_t ctx, uint32_t stream)
{
	/* Never 0. */
	return (uint64_t)ctx << 32 | (uint64_t)stream | UINT64_C(1) << 63;
}

/** The object of @key; NULL if there is none, or it ended. */
struct gst_object *gst_objects_find(const struct gst_objects_table *table, uint64_t key);

/** What has the place of @key, also if it ended; NULL if nothing has. */
const struct gst_object *gst_objects_place(const struct gst_objects_table *table, uint64_t key);

/**
 * A new object of @key; what an older one of the same key was is over. NULL, and one more forgotten, if there
 * is no place. The caller sets data and handle, then says with gst_object_ready() when it was made.
 */
struct gst_object *gst_objects_add(struct gst_objects *o, struct gst_objects_table *table,
				   uint64_t key);
void gst_object_ready(struct gst_object *object, uint32_t now);

/**
 * What a definition tells of a stream or a context, for the snapshot: fields that are 0 are not known and
 * change nothing.
 */
void gst_objects_define_stream(struct gst_objects *o, const struct gst_rec_stream *rec,
			       uint32_t now);
void gst_objects_define_exec(struct gst_objects *o, const struct gst_rec_graph_exec *rec,
			     uint32_t now);
void gst_objects_define_context(struct gst_objects *o, const struct gst_rec_context *rec,
				uint32_t now);

void gst_objects_define_graph(struct gst_objects *o, const struct gst_rec_graph *rec, uint32_t now);

/** It ends at @now. */
void gst_objects_remove(struct gst_objects_table *table, uint64_t key, uint32_t now);

/** Its last use is call @corr, at @now. A few ns if it was used since now changed. */
static inline void gst_object_use(struct gst_object *object, uint32_t now, uint32_t corr)
{
	uint64_t use = (uint64_t)now << 32 | corr;
	uint64_t last = atomic_load_explicit(&object->last, memory_order_relaxed);

	if (__builtin_expect(last >> 32 == now, 1)) {
		atomic_store_explicit(&object->last, use, memory_order_relaxed);
		return;
	}
	/* What is kept comes first: whoever finds the new value finds the old one too. */
	do {
		if (last >> 32 == now) {
			atomic_store(&object->last, use);
			return;
		}
		atomic_store(&object->before, (uint64_t)now << 32 | (uint32_t)last);
	} while (!atomic_compare_exchange_weak(&object->last, &last, use));
}

/** Whether @object was alive when the window of @now (an odd number) opened. */
bool gst_object_was_alive(const struct gst_object *object, uint32_t now);

/**
 * Its last use before the window of @now opened, 0 if it was never used, in *@corr; false if that is not known
 * any more: now has changed twice since then. So it is asked by whoever opens the window, before another can.
 */
bool gst_object_last_use(const struct gst_object *object, uint32_t now, uint32_t *corr);

#endif
