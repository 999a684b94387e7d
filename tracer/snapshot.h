/*
 * snapshot.h - the beginning of a segment: what it takes to read it alone.
 */
#ifndef GSTRACE_TRACER_SNAPSHOT_H
#define GSTRACE_TRACER_SNAPSHOT_H

#include "tracer/devices.h"
#include "tracer/identity.h"
#include "tracer/objects.h"
#include "tracer/thread_slot.h"
#include "tracer/window.h"

/* Where it all comes from; everything outlives the writer. */
struct gst_snapshot {
	const struct gst_identity *identity;
	const struct gst_config *config;
	const struct gst_cupti *cupti;
	const struct gst_windows *windows;
	struct gst_objects *objects;
	const struct gst_threads *threads;
	const struct gst_devices *devices;
	struct gst_lane *defs;
	struct gst_loss *loss;
};

/**
 * Put what is alive into the segment of @now, the window that just opened: contexts, streams, threads, events and
 * executable graphs with their last use.
 *
 * @snapshot  a struct gst_snapshot. As gst_windows.on_open: in the thread that opens the window, while no other can,
 *            so nothing that is asked is forgotten yet. No lock, I/O or allocation; what finds no page is lost and
 *            counted. Cost: 0.1 ms to look through the tables, 30 ns for each living object.
 */
void gst_snapshot_take(void *snapshot, uint32_t now);

/**
 * Put SEGMENT and the definitions of the process into @w, once for each segment.
 *
 * @snapshot  a struct gst_snapshot. As gst_writer.begin_segment. Threads: the writer's. The first segment has
 *            the definitions of the process from its start; it gets the rest alone.
 */
void gst_snapshot_write(void *snapshot, struct gst_writer *w, uint32_t segment);

#endif
