/*
 * scenes.c - for tests: the runs of scenes.h.
 *
 * Role      : one place for what several tests look at.
 * Method    : calls and times as the comments of scenes.h say.
 * Invariant : the good twin of a scene differs in what the finding is about, and in what follows from it.
 * Not here  : any expectation.
 */
#include "analyzer/test/scenes.h"

static void wait_for(struct gst_scene *s, uint32_t enter, uint32_t exit, uint32_t stream)
{
	if (stream) {
		gst_scene_call(s, 1, enter, exit, "call_stream", "cuStreamSynchronize", stream,
			       NULL);
	} else {
		gst_scene_call(s, 1, enter, exit, "call", "cuCtxSynchronize", 0, NULL);
	}
}

void gst_scene_default_stream(struct gst_scene *s, bool is_blocking)
{
	uint32_t first = 20;

	gst_scene_stream(s, 1, is_blocking);
	gst_scene_stream(s, 2, is_blocking);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t call = 10 + 30 * i;
		uint32_t middle = is_blocking ? 1020 + 5000 * i : 30 + 2000 * i;
		uint32_t last = is_blocking ? 3020 + 5000 * i : 40 + 3000 * i;

		gst_scene_kernel(s, 1, call, call + 5, 1, "first", 1, first, first + 1000);
		gst_scene_kernel(s, 1, call + 10, call + 15, 0, "middle", 1, middle, middle + 2000);
		gst_scene_kernel(s, 1, call + 20, call + 25, 2, "last", 1, last, last + 3000);
		first = is_blocking ? middle + 2000 : first + 1000;
	}
	wait_for(s, 140, is_blocking ? 21030 : 12050, 0);
}

void gst_scene_pageable(struct gst_scene *s, bool is_pageable)
{
	struct gst_scene_copy back = {.is_pageable = is_pageable};

	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "k1", 1, 20, 5020);
	gst_scene_copy(s, 1, 20, is_pageable ? 6000 : 30, 1, back, 5020, 5990);
	if (is_pageable) {
		gst_scene_kernel(s, 1, 6010, 6015, 2, "k2", 1, 6020, 11020);
		gst_scene_copy(s, 1, 6020, 12000, 2, back, 11020, 11990);
		wait_for(s, 12030, 12040, 0);
	} else {
		gst_scene_kernel(s, 1, 40, 45, 2, "k2", 1, 50, 5050);
		gst_scene_copy(s, 1, 50, 60, 2, back, 5990, 6960);
		wait_for(s, 90, 6970, 0);
	}
}

void gst_scene_device_sync(struct gst_scene *s, bool is_broad)
{
	uint32_t lane = is_broad ? 0 : 1;
	uint32_t at = is_broad ? 6040 : 1050;

	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 15, 2, "background", 1, 20, 6020);
	gst_scene_kernel(s, 1, 20, 25, 1, "step", 1, 30, 1030);
	wait_for(s, 30, is_broad ? 6030 : 1040, lane);
	for (int i = 0; i < 3; i++) {
		bool is_last = i == 2;
		gst_scene_kernel(s, 1, at, at + 5, 1, "step", 1, at + 10, at + 1010);
		wait_for(s, at + 10, is_last && !is_broad ? 6030 : at + 1020, is_last ? 0 : lane);
		at += 1030;
	}
}

void gst_scene_sync_copy(struct gst_scene *s, bool is_sync)
{
	struct gst_scene_copy in = {.is_sync = is_sync, .to_device = true};

	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 10, 15, 1, "warm", 1, 20, 30);
	wait_for(s, 20, 40, 0);
	if (is_sync) {
		gst_scene_copy(s, 1, 1000, 3410, 0, in, 1010, 3400);
		gst_scene_kernel(s, 1, 3420, 3425, 1, "compute", 1, 3430, 4930);
		wait_for(s, 3430, 4940, 1);
		gst_scene_copy(s, 1, 5040, 7450, 0, in, 5050, 7440);
		gst_scene_kernel(s, 1, 7460, 7465, 1, "compute", 1, 7470, 8970);
		wait_for(s, 7470, 8980, 1);
	} else {
		gst_scene_copy(s, 1, 1000, 1010, 2, in, 1010, 3400);
		gst_scene_kernel(s, 1, 1020, 1025, 1, "compute", 1, 1030, 2530);
		wait_for(s, 1030, 3410, 0);
		gst_scene_copy(s, 1, 3510, 3520, 2, in, 3520, 5910);
		gst_scene_kernel(s, 1, 3530, 3535, 1, "compute", 1, 3540, 5040);
		wait_for(s, 3540, 5920, 0);
	}
}
