/*
 * notes.h - say something in the trace: NOTE records.
 */
#ifndef GSTRACE_TRACER_NOTES_H
#define GSTRACE_TRACER_NOTES_H

#include "tracer/chunk.h"
#include "tracer/clock.h"
#include "tracer/format/encode.h"
#include "tracer/intern.h"

/**
 * Put a NOTE with @code (GST_NOTE_x), a number that belongs to it and words (NULL = none) into @defs.
 *
 * What does not fit is lost and counted. Threads: any; no lock is waited for. errno is kept.
 */
static inline void gst_notes_add(struct gst_lane *defs, struct gst_intern *strings, uint32_t code,
				 int32_t detail, const char *text)
{
	struct gst_rec_note note = {
		.head = gst_record_head(GST_KIND_NOTE, sizeof(note), 0),
		.code = code,
		.detail = detail,
		.time_ns = gst_clock_mono_ns(),
		.text = gst_intern(strings, text),
	};

	gst_lane_put_one(defs, &note, sizeof(note));
}

#endif
