/*
 * carry.h - definitions that later segments need again: graphs, nodes, edges, executable graphs, modules, NVTX names.
 *
 * They are told once, in the segment of that moment, and there is no way to ask CUPTI for them later. The writer
 * keeps what passes through its hands and puts it into each later segment once more, so that this can be read alone.
 * Graphs that have ended are left out, and dropped when memory gets scarce; what does not find room is counted.
 */
#ifndef GSTRACE_TRACER_CARRY_H
#define GSTRACE_TRACER_CARRY_H

#include "tracer/objects.h"

#include <stddef.h>

#define GST_CARRY_BYTES	 (8u << 20) /* of address space: touched as it is used */
#define GST_CARRY_KINDS	 6u
#define GST_CARRY_GRAPHS 16384u /* a power of two; more than these are taken for alive */

struct gst_carry {
	const struct gst_objects *objects;
	unsigned char *memory;
	size_t bytes;
	size_t used;
	size_t other;	   /* of them, records of no graph */
	uint32_t next;	   /* segment that comes next for gst_carry_put() */
	uint32_t patience; /* records to forget before memory is searched for ended graphs again */
	uint64_t forgotten[GST_CARRY_KINDS];
	struct gst_carry_graph {
		uint32_t id; /* 0 = empty */
		uint32_t is_over;
	} graphs[GST_CARRY_GRAPHS]; /* found out anew each time it is asked for */
};

/** Make @c (zeroed memory) ready to hold @bytes. Returns 0 or ENOMEM. What it holds stays until the process ends. */
int gst_carry_init(struct gst_carry *c, const struct gst_objects *objects, size_t bytes);

/** Keep what later segments need of the @bytes of whole records at @body, of @segment. Threads: the writer's. */
void gst_carry_take(struct gst_carry *c, uint32_t segment, const unsigned char *body,
		    uint32_t bytes);

/**
 * Give to @put what was told in segments before @segment and was alive when it began, in that order, then a LOSS for
 * each kind of which some found no room. Correlation ids are 0: those calls are not in the segment.
 *
 * Threads: the writer's.
 */
void gst_carry_put(struct gst_carry *c, uint32_t segment,
		   void (*put)(void *arg, const void *rec, uint32_t bytes), void *arg);

#endif
