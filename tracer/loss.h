/*
 * loss.h - count what could not be recorded, by kind of record and reason.
 *
 * Callbacks count here when there is no room; the writer turns the counts into LOSS records, so
 * that the analyzer can say which of its conclusions they touch.
 */
#ifndef GSTRACE_TRACER_LOSS_H
#define GSTRACE_TRACER_LOSS_H

#include "tracer/format/format.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GST_LOSS_REASONS 17u
#define GST_LOSS_KINDS	 73u

struct gst_loss_cell {
	_Atomic uint64_t count;
	_Atomic uint64_t since_ns;
	_Atomic uint64_t until_ns;
};

struct gst_loss {
	struct gst_loss_cell cells[GST_LOSS_KINDS][GST_LOSS_REASONS];
	_Atomic uint32_t is_dirty; /* something was counted since the last gst_loss_take() */
};

/**
 * Count @count records of @kind (GST_REC_x or GST_KIND_x; 0 = several or not known) lost for @reason
 * (GST_LOSS_x), now.
 *
 * Cost: a clock reading and a few atomic operations; no lock. Threads: any. errno is kept.
 */
void gst_loss_add(struct gst_loss *loss, uint32_t kind, uint32_t reason, uint64_t count);

/**
 * Take the next count that is not 0 as a LOSS record, starting at *@cursor (0 to begin).
 *
 * Returns false when there are no more. Threads: the writer's.
 */
bool gst_loss_take(struct gst_loss *loss, uint32_t *cursor, struct gst_rec_loss *rec);

#endif
