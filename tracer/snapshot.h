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
	struct gst_loss *loss;
};

/**
 * Put SEGMENT, the definitions of the process and what was alive when @segment was opened into @w.
 *
 * @snapshot  a struct gst_snapshot. As gst_writer.begin_segment. Threads: the writer's. The first segment has
 *            the definitions of the process from its start; it gets the rest alone.
 */
void gst_snapshot_write(void *snapshot, struct gst_writer *w, uint32_t segment);

#endif
