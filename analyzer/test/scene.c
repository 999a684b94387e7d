/*
 * scene.c - for tests: text traces made of a few calls.
 *
 * Role      : tests of timing and check say what ran when; this writes the records.
 * Method    : one buffer of lines for each thread and one for the device, put together at the end.
 * Invariant : all goes through the loader and the model, as a recorded trace would.
 * Not here  : any expectation.
 */
#include "analyzer/test/scene.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/vec.h"
#include "analyzer/load/load.h"

#define THREADS_MAX 8u
#define START_US    1000u /* nothing happens before */
#define SCENES_MAX  8u

struct lines {
	GST_VEC(char) text;
	GST_VEC(size_t) starts;
};

struct gst_scene {
	struct gst_scene_style style;
	struct lines defs, device, threads[THREADS_MAX];
	GST_VEC(char) whole;
	uint32_t next_corr, multiprocessors, streams[64], stream_count;
	uint64_t next_address;
	bool is_programmatic;
	uint32_t last_us;
};

static void add_line(struct lines *l, const char *fmt, ...) GST_PRINTF(2, 3);

static void add_line(struct lines *l, const char *fmt, ...)
{
	char line[1000];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	GST_ASSERT(n > 0 && (size_t)n < sizeof(line));
	gst_vec_push(&l->starts, l->text.count);
	memcpy(gst_vec_extend(&l->text, n + 1), line, (size_t)n + 1);
}

static uint64_t mono(struct gst_scene *s, uint32_t us)
{
	if (us > s->last_us) {
		s->last_us = us;
	}
	return (START_US + s->style.shift_us + us) * UINT64_C(1000);
}

/* The device's clock is another one. */
static uint64_t gpu(struct gst_scene *s, uint32_t us)
{
	return mono(s, us) + UINT64_C(1700000000000000000);
}

static uint32_t step(const struct gst_scene *s)
{
	return s->style.stream_step ? s->style.stream_step : 1;
}

static uint64_t handle(const struct gst_scene *s, uint32_t stream)
{
	return stream == GST_SCENE_LEGACY ? 0
					  : UINT64_C(0x5000) + UINT64_C(0x100) * stream * step(s);
}

static uint32_t stream_id(const struct gst_scene *s, uint32_t stream)
{
	return stream == GST_SCENE_LEGACY ? 7 : 12 + stream * step(s);
}

struct gst_scene *gst_scene_new(const struct gst_scene_style *style)
{
	struct gst_scene *s = gst_mem_alloc(sizeof(*s));

	if (style) {
		s->style = *style;
	}
	s->next_corr = 1;
	s->next_address = UINT64_C(0x100000000);
	s->multiprocessors = 132;
	return s;
}

void gst_scene_free(struct gst_scene *s)
{
	struct lines *all[THREADS_MAX + 2] = {&s->defs, &s->device};

	for (uint32_t i = 0; i < THREADS_MAX; i++) {
		all[2 + i] = &s->threads[i];
	}
	for (uint32_t i = 0; i < THREADS_MAX + 2; i++) {
		gst_vec_free(&all[i]->text);
		gst_vec_free(&all[i]->starts);
	}
	gst_vec_free(&s->whole);
	gst_mem_free(s, sizeof(*s));
}

void gst_scene_stream(struct gst_scene *s, uint32_t stream, bool is_blocking)
{
	add_line(&s->defs, "stream ctx=1 stream=%u handle=0x%" PRIx64 " type=%s",
		 stream_id(s, stream), handle(s, stream), is_blocking ? "blocking" : "nonblocking");
}

void gst_scene_define(struct gst_scene *s, const char *line)
{
	add_line(&s->defs, "%s", line);
}

void gst_scene_anchor(struct gst_scene *s, uint32_t host, uint32_t device)
{
	add_line(&s->defs, "anchor mono_ns=%" PRIu64 " real_ns=%" PRIu64 " gpu_ns=%" PRIu64,
		 mono(s, host), gpu(s, device), gpu(s, device));
}

void gst_scene_multiprocessors(struct gst_scene *s, uint32_t count)
{
	s->multiprocessors = count;
}

static void add_exit(struct gst_scene *s, uint32_t thread, uint32_t corr, uint32_t exit,
		     uint64_t value)
{
	add_line(&s->threads[thread], "call_exit corr=%u exit_ns=%" PRIu64 " value=0x%" PRIx64,
		 corr, mono(s, exit), value);
}

void gst_scene_kernel(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
		      uint32_t stream, const char *name, uint32_t blocks, uint32_t begin,
		      uint32_t end)
{
	uint32_t corr = s->next_corr++;
	const char *prefix = s->style.name_prefix ? s->style.name_prefix : "";

	GST_ASSERT(thread < THREADS_MAX);
	add_line(&s->threads[thread],
		 "call_launch corr=%u enter_ns=%" PRIu64 " api=%s ctx=1 stream=0x%" PRIx64
		 " name=\"%s%s\"%s",
		 corr, mono(s, enter), s->is_programmatic ? "cuLaunchKernelEx" : "cuLaunchKernel",
		 handle(s, stream), prefix, name,
		 s->is_programmatic ? " flags=programmatic-serialization" : "");
	s->is_programmatic = false;
	add_exit(s, thread, corr, exit, 0);
	add_line(
		&s->device,
		"kernel corr=%u start_ns=%" PRIu64 " end_ns=%" PRIu64
		" ctx=1 stream=%u name=\"%s%s\" grid_x=%u grid_y=1 grid_z=1 block_x=32 block_y=1 block_z=1",
		corr, gpu(s, begin), gpu(s, end), stream_id(s, stream), prefix, name, blocks);
}

void gst_scene_programmatic(struct gst_scene *s)
{
	s->is_programmatic = true;
}

void gst_scene_lost_kernel(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
			   uint32_t stream, const char *name)
{
	uint32_t corr = s->next_corr++;

	add_line(&s->threads[thread],
		 "call_launch corr=%u enter_ns=%" PRIu64
		 " api=cuLaunchKernel ctx=1 stream=0x%" PRIx64 " name=\"%s\"",
		 corr, mono(s, enter), handle(s, stream), name);
	add_exit(s, thread, corr, exit, 0);
}

void gst_scene_fail(struct gst_scene *s, uint32_t thread, int32_t result)
{
	struct lines *l = &s->threads[thread];
	char text[40];
	int n = snprintf(text, sizeof(text), " result=%d", result);

	/* At the end of the last line, before its zero byte. */
	GST_ASSERT(n > 0 && l->text.count);
	l->text.count--;
	memcpy(gst_vec_extend(&l->text, n + 1), text, (size_t)n + 1);
}

void gst_scene_device_record(struct gst_scene *s, const char *line, uint32_t begin, uint32_t end)
{
	add_line(&s->device, "%s start_ns=%" PRIu64 " end_ns=%" PRIu64, line, gpu(s, begin),
		 gpu(s, end));
}

void gst_scene_copy(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
		    uint32_t stream, struct gst_scene_copy c, uint32_t begin, uint32_t end)
{
	uint32_t corr = s->next_corr++;
	const char *host = c.is_pageable ? "pageable" : "pinned";
	uint64_t bytes = c.bytes ? c.bytes : UINT64_C(1) << 20;

	GST_ASSERT(thread < THREADS_MAX);
	s->next_address += 2 * bytes;
	add_line(&s->threads[thread],
		 "call_copy corr=%u enter_ns=%" PRIu64 " api=%s ctx=1 stream=0x%" PRIx64
		 " dst=0x%" PRIx64 " src=0x%" PRIx64 " size=%" PRIu64,
		 corr, mono(s, enter),
		 c.is_sync ? (c.to_device ? "cuMemcpyHtoD_v2" : "cuMemcpyDtoH_v2")
			   : (c.to_device ? "cuMemcpyHtoDAsync_v2" : "cuMemcpyDtoHAsync_v2"),
		 handle(s, stream), c.dst ? c.dst : s->next_address,
		 c.src ? c.src : s->next_address + bytes, bytes);
	add_exit(s, thread, corr, exit, 0);
	add_line(&s->device,
		 "memcpy corr=%u start_ns=%" PRIu64 " end_ns=%" PRIu64
		 " ctx=1 stream=%u copy_kind=%s src_kind=%s dst_kind=%s is_async=%d size=%" PRIu64,
		 corr, gpu(s, begin), gpu(s, end), stream_id(s, stream),
		 c.is_host_only ? "h2h"
		 : c.to_device	? "h2d"
				: "d2h",
		 c.to_device || c.is_host_only ? host : "device",
		 c.to_device && !c.is_host_only ? "device" : host, !c.is_sync, bytes);
}

void gst_scene_call_value(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
			  const char *kind, const char *api, uint32_t stream, const char *fields,
			  uint64_t value)
{
	uint32_t corr = s->next_corr++;

	GST_ASSERT(thread < THREADS_MAX);
	add_line(&s->threads[thread],
		 "%s corr=%u enter_ns=%" PRIu64 " api=%s ctx=1 stream=0x%" PRIx64 " %s", kind, corr,
		 mono(s, enter), api, handle(s, stream), fields ? fields : "");
	add_exit(s, thread, corr, exit, value);
}

void gst_scene_call(struct gst_scene *s, uint32_t thread, uint32_t enter, uint32_t exit,
		    const char *kind, const char *api, uint32_t stream, const char *fields)
{
	gst_scene_call_value(s, thread, enter, exit, kind, api, stream, fields, 0);
}

void gst_scene_nvtx(struct gst_scene *s, uint32_t thread, uint32_t at, const char *what,
		    const char *name)
{
	GST_ASSERT(thread < THREADS_MAX);
	add_line(&s->threads[thread], "nvtx time_ns=%" PRIu64 " what=%s%s%s%s", mono(s, at), what,
		 name ? " name=\"" : "", name ? name : "", name ? "\"" : "");
}

/* ---- the text ------------------------------------------------------------------------------- */

static void put(struct gst_scene *s, const char *fmt, ...) GST_PRINTF(2, 3);

static void put(struct gst_scene *s, const char *fmt, ...)
{
	char line[1200];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	GST_ASSERT(n > 0 && (size_t)n < sizeof(line));
	memcpy(gst_vec_extend(&s->whole, n), line, (size_t)n);
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

/* One chunk of a thread (0: the device): lines @from to @to. */
static void put_chunk(struct gst_scene *s, const struct lines *l, uint32_t thread, size_t from,
		      size_t to)
{
	put(s, "chunk events process=1 thread=%u\n", thread);
	for (size_t i = from; i < to; i++) {
		put(s, "%s\n", l->text.data + l->starts.data[i]);
	}
}

/* The lines of each thread stay in order; chunks of threads and of the device mix as the seed wants. */
static void put_shuffled(struct gst_scene *s)
{
	size_t next[THREADS_MAX] = {0};
	size_t device_left = s->style.has_no_device ? 0 : s->device.starts.count;
	size_t *device = gst_mem_alloc((device_left + 1) * sizeof(*device));
	uint32_t seed = s->style.seed;

	for (size_t i = 0; i < device_left; i++) {
		device[i] = i;
	}
	for (size_t i = device_left; i > 1; i--) {
		size_t j = draw(&seed, (uint32_t)i), x = device[i - 1];
		device[i - 1] = device[j];
		device[j] = x;
	}
	for (bool is_left = true; is_left;) {
		uint32_t t = draw(&seed, THREADS_MAX);
		size_t n = 1 + draw(&seed, 3);

		if (t == 0 && device_left) {
			device_left--;
			put_chunk(s, &s->device, 0, device[device_left], device[device_left] + 1);
		} else if (t && next[t] < s->threads[t].starts.count) {
			n = next[t] + n < s->threads[t].starts.count ? next[t] + n
								     : s->threads[t].starts.count;
			put_chunk(s, &s->threads[t], t, next[t], n);
			next[t] = n;
		}
		is_left = device_left > 0;
		for (uint32_t i = 1; i < THREADS_MAX; i++) {
			is_left |= next[i] < s->threads[i].starts.count;
		}
	}
	gst_mem_free(device, (s->device.starts.count + 1) * sizeof(*device));
}

const char *gst_scene_text(struct gst_scene *s)
{
	gst_vec_clear(&s->whole);
	put(s, "gstext 1.0\nchunk defs process=1\n");
	put(s, "segment flags=unbroken time_ns=%" PRIu64 "\n", mono(s, 0));
	put(s, "trace uuid_hi=1 uuid_lo=2 start_mono_ns=%" PRIu64 " start_real_ns=%" PRIu64 "%s\n",
	    mono(s, 0), gpu(s, 0), s->style.has_no_device ? " options=no-device-records" : "");
	put(s, "process pid=1 name=\"scene\" driver_version=13000 runtime_version=13000\n");
	put(s, "anchor mono_ns=%" PRIu64 " real_ns=%" PRIu64 " gpu_ns=%" PRIu64 "\n", mono(s, 0),
	    gpu(s, 0), gpu(s, 0));
	put(s,
	    "device device=0 name=\"GPU\" sm_count=%u copy_engines=3 pageable_access=0 host_page_tables=0 max_blocks_per_sm=32 max_warps_per_sm=64\n",
	    s->multiprocessors);
	put(s, "context ctx=1 device=0 handle=0xc1 null_stream=7\n");
	put(s, "stream ctx=1 stream=7 type=legacy\n");
	for (uint32_t t = 1; t < THREADS_MAX; t++) {
		if (s->threads[t].starts.count) {
			put(s, "thread thread=%u tid=%u\n", t, 100 + t);
		}
	}
	for (size_t i = 0; i < s->defs.starts.count; i++) {
		put(s, "%s\n", s->defs.text.data + s->defs.starts.data[i]);
	}
	if (s->style.seed) {
		put_shuffled(s);
	} else {
		for (uint32_t t = 1; t < THREADS_MAX; t++) {
			if (s->threads[t].starts.count) {
				put_chunk(s, &s->threads[t], t, 0, s->threads[t].starts.count);
			}
		}
		if (s->device.starts.count && !s->style.has_no_device) {
			put_chunk(s, &s->device, 0, 0, s->device.starts.count);
		}
	}
	put(s,
	    "chunk defs process=1\nanchor mono_ns=%" PRIu64 " real_ns=%" PRIu64 " gpu_ns=%" PRIu64
	    "\nend time_ns=%" PRIu64 "\n",
	    mono(s, s->last_us), gpu(s, s->last_us), gpu(s, s->last_us), mono(s, s->last_us));
	gst_vec_push(&s->whole, '\0');
	return s->whole.data;
}

static void must(gst_status st, const struct gst_err *err, const char *text)
{
	if (st) {
		fprintf(stderr, "%s\n----\n%s\n", text, err->text);
		abort();
	}
}

void gst_scene_analyze_together(struct gst_scene *const *scenes, uint32_t count,
				struct gst_scene_stages *out)
{
	struct gst_loader *loaders[SCENES_MAX];
	struct gst_err err = {0};

	GST_ASSERT(count <= SCENES_MAX);
	out->arena = gst_arena_new(0);
	for (uint32_t i = 0; i < count; i++) {
		const char *text = gst_scene_text(scenes[i]);

		must(gst_loader_open_memory(text, strlen(text), "scene", NULL, &loaders[i], &err),
		     &err, text);
	}
	must(gst_model_build(loaders, count, out->arena, &out->m, &err), &err, "");
	for (uint32_t i = 0; i < count; i++) {
		gst_loader_close(loaders[i]);
	}
	must(gst_order_build(out->m, out->arena, &out->o, &err), &err, "");
	must(gst_timing_build(out->m, out->o, out->arena, &out->t, &err), &err, "");
}

void gst_scene_analyze(struct gst_scene *s, struct gst_scene_stages *out)
{
	gst_scene_analyze_together(&s, 1, out);
}

void gst_scene_release(struct gst_scene_stages *out)
{
	gst_model_free(out->m);
	gst_arena_free(out->arena);
}

gst_op_id gst_scene_op(const struct gst_scene_stages *s, const char *name, uint32_t k)
{
	for (gst_op_id i = 0; i < s->m->op_count; i++) {
		const struct gst_op *x = &s->m->ops[i];
		const char *is = x->kind == GST_OP_KERNEL
					 ? gst_strtab_get(s->m->strings, x->name, NULL)
				 : x->kind == GST_OP_MEMCPY	  ? "memcpy"
				 : x->kind == GST_OP_EVENT_RECORD ? "record"
				 : x->kind == GST_OP_EVENT_WAIT	  ? "wait"
								  : "other";
		if (strcmp(is, name) == 0 && --k == 0) {
			return i;
		}
	}
	fprintf(stderr, "no op %s in the scene\n", name);
	abort();
}
