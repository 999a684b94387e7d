/*
 * identity.h - what a trace says about where it came from: definitions at its beginning.
 */
#ifndef GSTRACE_TRACER_IDENTITY_H
#define GSTRACE_TRACER_IDENTITY_H

#include "tracer/config.h"
#include "tracer/cupti_api.h"
#include "tracer/writer.h"

#define GST_IDENTITY_VARIABLES 11u
#define GST_IDENTITY_RANKS     7u

struct gst_identity {
	uint64_t uuid_hi;
	uint64_t uuid_lo;
	char host[256];
	char exe[1024];
	const char *exe_name; /* in exe, without folders */
	int64_t pid;
	uint64_t start_mono_ns;
	uint64_t start_real_ns;
	uint32_t variable_count, rank_count;
	struct gst_rec_variable variables[GST_IDENTITY_VARIABLES]; /* those that were set */
	struct gst_rec_rank ranks[GST_IDENTITY_RANKS];
};

/** Read what names and headers need. Never fails: what cannot be read is "" or 0. */
void gst_identity_init(struct gst_identity *id);

/**
 * Read the variables that the trace tells of; with config->is_private the values of paths are left out.
 *
 * Threads: the program's, once, at start. Later ones must not look: the program may change its environment.
 */
void gst_identity_read_variables(struct gst_identity *id, struct gst_intern *strings,
				 const struct gst_config *config);

/**
 * CUDA runtime version that the name of a libcudart in @maps (as /proc/PID/maps, @length bytes) tells, e.g. 12040;
 * 0 if there is none, or it is linked statically, or its name has the major version alone.
 */
uint32_t gst_identity_runtime_version(const char *maps, size_t length);

/** Put the SEGMENT record that begins @index, at @time_ns. Threads: as gst_identity_write(). */
void gst_identity_write_segment(struct gst_writer *w, uint32_t index, bool is_unbroken,
				uint64_t time_ns);

/**
 * Put TRACE, PROCESS, VARIABLE, RANK and the first ANCHOR into the file of @w.
 *
 * With config->is_private, host, command line and paths are left out.
 * Threads: one, at start, before the writer runs; the writer's for later segments.
 */
void gst_identity_write(const struct gst_identity *id, struct gst_writer *w,
			const struct gst_config *config, const struct gst_cupti *cupti);

#endif
