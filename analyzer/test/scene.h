/*
 * scene.h - for tests: a small program run, written as a text trace and analyzed.
 *
 * A test says which calls were made and which work ran when, in microseconds; the scene writes the
 * records that the tracer would have written for it and builds all stages. The same scene can be
 * written in other words that must not change any answer (struct gst_scene_style).
 */
#ifndef GSTRACE_ANALYZER_TEST_SCENE_H
#define GSTRACE_ANALYZER_TEST_SCENE_H

#include "analyzer/timing/timing.h"

struct gst_scene;

/* How the same events are written down. Zero-initialised: plainly. */
struct gst_scene_style {
	const char *name_prefix; /* before each kernel's name; NULL = none */
	uint64_t shift_us;	 /* added to all times */
	uint32_t stream_step;	 /* CUPTI's stream ids count by this (0 = 1), handles as well */
	uint32_t seed;		 /* not 0: chunks in another order, and of other lengths */
	bool has_no_device; /* as with --mode=order: device records are left out, and the trace says so */
};

struct gst_scene *gst_scene_new(const struct gst_scene_style *style);
void gst_scene_free(struct gst_scene *s);

#define GST_SCENE_LEGACY 0u /* handle of the default stream */

/** A user stream, named by a small number from 1 in the calls below. */
void gst_scene_stream(struct gst_scene *s, uint32_t stream, bool is_blocking);

/** The text of other records of the definitions, one line each (a loss, a variable). */
void gst_scene_define(struct gst_scene *s, const char *line);

/** One more anchor: when the host's clock showed @host, the device's showed @device (us). */
void gst_scene_anchor(struct gst_scene *s, uint32_t host, uint32_t device);

/** The size of the device: multiprocessors of 32 blocks and 64 warps each (0: not told). */
void gst_scene_multiprocessors(struct gst_scene *s, uint32_t count);

/** Kernel @name of @blocks blocks of 32 threads, launched by @thread between @enter and @exit, which ran from @begin to @end (us). */
void gst_scene_kernel(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
		      uint32_t stream, const char *name, uint32_t blocks, uint32_t begin,
		      uint32_t end);

/** The next kernel is launched with programmatic stream serialization. */
void gst_scene_programmatic(struct gst_scene *s);

/** A launch whose kernel left no record: it never ran, or the record was lost. */
void gst_scene_lost_kernel(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
			   uint32_t stream, const char *name);

/** A failed call: the result of the last call of @thread is @result instead of 0. */
void gst_scene_fail(struct gst_scene *s, uint32_t thread, int32_t result);

/** Another record of the device, as text without its times. */
void gst_scene_device_record(struct gst_scene *s, const char *line, uint32_t begin, uint32_t end);

struct gst_scene_copy {
	bool is_sync, to_device, is_pageable;
	bool is_host_only; /* from host to host, whatever to_device says */
	uint64_t dst, src; /* 0: made up, different each time */
	uint64_t bytes;	   /* 0: 1 MiB */
};

void gst_scene_copy(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
		    uint32_t stream, struct gst_scene_copy copy, uint32_t begin, uint32_t end);

/** A call without work of its own: @api by name, @fields as in the text form ("event=0x5"), @kind as well ("call_event"). */
void gst_scene_call(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
		    const char *kind, const char *api, uint32_t stream, const char *fields);

/** The same of a call that gave @value. */
void gst_scene_call_value(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
			  const char *kind, const char *api, uint32_t stream, const char *fields,
			  uint64_t value);

/** An NVTX record of @thread at @at: @what as in the text form ("push", "pop", "mark"), @name NULL = none. In order with its calls. */
void gst_scene_nvtx(struct gst_scene *s, uint32_t thread, uint32_t at, const char *what,
		    const char *name);

/** The text trace so far; the scene's. */
const char *gst_scene_text(struct gst_scene *s);

struct gst_scene_stages {
	struct gst_arena *arena;
	const struct gst_model *m;
	const struct gst_order *o;
	const struct gst_timing *t;
};

/** Load, model, order and timing; fails the test (aborts) if a stage fails. */
void gst_scene_analyze(struct gst_scene *s, struct gst_scene_stages *out);
/** The same of several at once, each a process of its own. */
void gst_scene_analyze_together(struct gst_scene *const *scenes, uint32_t count,
				struct gst_scene_stages *out);
void gst_scene_release(struct gst_scene_stages *out);

/** The @k-th op (from 1) whose kernel's name, or "memcpy", ... is @name; aborts if there is none. */
gst_op_id gst_scene_op(const struct gst_scene_stages *s, const char *name, uint32_t k);

#endif
