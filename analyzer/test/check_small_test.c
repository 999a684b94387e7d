/*
 * check_small_test.c - findings about calls and variables alone, and lost-records.
 *
 * Role      : a run that shows each, and one that does not.
 * Method    : small scenes.
 * Invariant : no expected number comes from the output; each is worked out beside its scene.
 * Not here  : findings with a cost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/test/found.h"
#include "analyzer/test/scenes.h"

/* A second kernel with the id of a launch: nobody knows who submitted what, and the findings say so. */
static void test_stale_ids(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	const struct gst_finding *f;
	struct found r;

	(void)state;
	gst_scene_default_stream(s, true);
	r = found_run(s);
	assert_null(found_the(&r, "default-stream-serialization")->withheld);
	found_done(&r);
	s = gst_scene_new(NULL);
	gst_scene_default_stream(s, true);
	gst_scene_lost_kernel(s, 1, 135, 138, 0, "lost");
	gst_scene_device_record(s, "kernel corr=1 ctx=1 stream=7 name=\"a\"", 1030, 1031);
	r = found_run(s);
	assert_non_null(found_the(&r, "default-stream-serialization")->withheld);
	f = found_the(&r, "lost-records");
	assert_int_equal(f->severity, GST_SEVERITY_MEDIUM);
	assert_non_null(strstr(f->title, "1 operation"));
	found_done(&r);
}

static void test_lost_records(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

	(void)state;
	gst_scene_define(s, "loss kind=kernel reason=cupti-dropped count=17");
	gst_scene_default_stream(s, true);
	r = found_run(s);
	assert_non_null(strstr(found_the(&r, "lost-records")->title, "17 device records"));
	assert_non_null(found_the(&r, "default-stream-serialization")->withheld);
	found_done(&r);
}

static const char *loss_title(const char *line, enum gst_severity *severity)
{
	static char title[200];
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;
	const struct gst_finding *f;

	gst_scene_define(s, line);
	gst_scene_kernel(s, 1, 10, 15, 0, "a", 1, 20, 100);
	r = found_run(s);
	f = found_the(&r, "lost-records");
	*severity = f->severity;
	snprintf(title, sizeof(title), "%s; %s", f->title, f->detail);
	found_done(&r);
	return title;
}

static void test_losses_say_what_they_weaken(void **state)
{
	enum gst_severity severity;

	(void)state;
	assert_non_null(
		strstr(loss_title("loss kind=call_launch reason=no-chunk count=3", &severity),
		       "3 API calls were lost; the tracer's memory was full"));
	assert_int_equal(severity, GST_SEVERITY_MEDIUM);
	assert_non_null(strstr(loss_title("loss kind=overhead reason=no-buffer", &severity),
			       "an unknown number of records about memory or tool overhead"));
	assert_int_equal(severity, GST_SEVERITY_INFO);
	assert_non_null(strstr(loss_title("loss kind=event reason=flush-hung count=1", &severity),
			       "1 event and synchronization records"));
	assert_non_null(strstr(loss_title("loss reason=write-failed", &severity),
			       "an unknown number of records of several kinds"));
	assert_int_equal(severity, GST_SEVERITY_MEDIUM);
}

static void test_every_loss_has_words(void **state)
{
	static const struct {
		const char *name;
		uint32_t value;
	} reasons[] = {
#define GST_X(tag, prefix, value, name, text) {#prefix, value},
		GST_FORMAT_ENUMS(GST_X)
#undef GST_X
	};
	const char *unknown = gst_loss_words(UINT32_MAX);
	unsigned seen = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (!strcmp(reasons[i].name, "LOSS") && reasons[i].value != GST_LOSS_UNKNOWN) {
			assert_string_not_equal(gst_loss_words(reasons[i].value), unknown);
			seen++;
		}
	}
	assert_true(seen >= GST_LOSS_OLD_WINDOW);
}

static void test_api_error(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_call(s, 1, 1, 2, "call_memory", "cuMemAlloc_v2", 0, "size=1000");
	gst_scene_fail(s, 1, 2);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 100);
	/* Not ready is an answer. */
	gst_scene_call(s, 1, 20, 21, "call_stream", "cuStreamQuery", 1, NULL);
	gst_scene_fail(s, 1, 600);
	r = found_run(s);
	assert_string_equal(found_the(&r, "api-error")->title,
			    "cuMemAlloc failed once: out of memory (2)");
	assert_int_equal(found_the(&r, "api-error")->severity, GST_SEVERITY_MEDIUM);
	found_done(&r);

	s = gst_scene_new(NULL);
	gst_scene_kernel(s, 1, 10, 15, 0, "a", 1, 20, 100);
	gst_scene_call(s, 1, 20, 110, "call", "cuCtxSynchronize", 0, NULL);
	gst_scene_fail(s, 1, 700);
	gst_scene_call(s, 1, 120, 121, "call_memory", "cuMemFree_v2", 0, "address=0x1000");
	gst_scene_fail(s, 1, 700);
	r = found_run(s);
	/* One finding, not one for each call that it came back from. */
	assert_int_equal(found_the(&r, "api-error")->occurrence_count, 2);
	assert_int_equal(found_the(&r, "api-error")->severity, GST_SEVERITY_HIGH);
	assert_non_null(
		strstr(found_the(&r, "api-error")->title, "illegal memory access (700), first"));
	found_done(&r);
}

static void test_queue_full(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

	(void)state;
	gst_scene_kernel(s, 1, 10, 15, 0, "a", 1, 20, 900);
	gst_scene_device_record(s, "overhead type=command-buffer-full", 100, 300);
	gst_scene_device_record(s, "overhead type=command-buffer-full", 200, 400);
	gst_scene_device_record(s, "overhead type=buffer-flush", 500, 600);
	r = found_run(s);
	/* A union: 100 to 400. */
	assert_int_equal(found_the(&r, "queue-full")->blocked_ns, 300 * US);
	assert_int_equal(found_the(&r, "queue-full")->occurrence_count, 2);
	found_done(&r);
}

static void test_launch_blocking(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

	(void)state;
	gst_scene_define(s, "string id=900 text=\"CUDA_LAUNCH_BLOCKING\"");
	gst_scene_define(s, "string id=901 text=\"1\"");
	gst_scene_define(s, "variable name=900 value=901");
	gst_scene_kernel(s, 1, 10, 115, 0, "a", 1, 20, 100);
	r = found_run(s);
	assert_int_equal(found_the(&r, "launch-blocking")->severity, GST_SEVERITY_HIGH);
	found_done(&r);
	s = gst_scene_new(NULL);
	gst_scene_define(s, "string id=900 text=\"CUDA_LAUNCH_BLOCKING\"");
	gst_scene_define(s, "string id=901 text=\"0\"");
	gst_scene_define(s, "variable name=900 value=901");
	gst_scene_kernel(s, 1, 10, 15, 0, "a", 1, 20, 100);
	r = found_run(s);
	assert_null(found_find(&r, "launch-blocking"));
	found_done(&r);
}

static void test_event_timing_flag(void **state)
{
	struct gst_scene *s = gst_scene_new(NULL);
	struct found r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_call_value(s, 1, 1, 2, "call_event", "cuEventCreate", 0, "flags=0", 0xe1);
	gst_scene_call_value(s, 1, 3, 4, "call_event", "cuEventCreate", 0, "flags=2", 0xe2);
	gst_scene_call_value(s, 1, 5, 6, "call_event", "cuEventCreate", 0, "flags=0", 0xe3);
	gst_scene_call_value(s, 1, 7, 8, "call_event", "cuEventCreate", 0, "flags=0", 0xe4);
	gst_scene_kernel(s, 1, 10, 15, 1, "a", 1, 20, 100);
	gst_scene_call(s, 1, 16, 17, "call_event", "cuEventRecord", 1, "event=0xe1");
	gst_scene_call(s, 1, 18, 19, "call_event", "cuEventRecord", 1, "event=0xe2");
	gst_scene_call(s, 1, 20, 21, "call_event", "cuEventRecord", 1, "event=0xe3");
	gst_scene_call(s, 1, 21, 22, "call_event", "cuEventRecord", 1, "event=0xe4");
	gst_scene_call(s, 1, 22, 110, "call_event", "cuEventSynchronize", 0, "event=0xe1");
	gst_scene_call(s, 1, 112, 113, "call_event", "cuEventSynchronize", 0, "event=0xe2");
	gst_scene_call(s, 1, 114, 115, "call_event", "cuEventSynchronize", 0, "event=0xe3");
	gst_scene_call(s, 1, 116, 117, "call_event", "cuEventElapsedTime", 0,
		       "event=0xe3 event2=0xe4");
	r = found_run(s);
	/* 0xe1 alone: 0xe2 has the flag, 0xe3 and 0xe4 were read. */
	assert_int_equal(found_the(&r, "event-timing-flag")->occurrence_count, 1);
	found_done(&r);
}

/*
 * What Limits says of --mode=order: the checks that it names find nothing in a run without device records. Each of these
 * runs has such a finding with them.
 */
static void test_withheld_without_device_records(void **state)
{
	static void (*const scenes[])(struct gst_scene *,
				      bool) = {gst_scene_default_stream, gst_scene_pageable,
					       gst_scene_device_sync, gst_scene_sync_copy};
	static const char *const ids[] = {"default-stream-serialization", "pageable-copy",
					  "host-sync-stall", "synchronous-copy"};
	uint32_t count, named = 0;
	const char *const *all = gst_check_ids(&count);

	(void)state;
	for (uint32_t i = 0; i < count; i++) {
		named += gst_check_needs_times(i);
	}
	/* Beside these, implicit-sync and queue-full, which are measured on a device, and gpu-starved (check_starved_test). */
	assert_int_equal(named, sizeof(ids) / sizeof(ids[0]) + 3);
	for (size_t k = 0; k < sizeof(scenes) / sizeof(scenes[0]); k++) {
		struct gst_scene *s = gst_scene_new(NULL);
		struct found r;

		scenes[k](s, true);
		r = found_run(s);
		(void)found_the(&r, ids[k]);
		found_done(&r);
		s = gst_scene_new(&(struct gst_scene_style){.has_no_device = true});
		scenes[k](s, true);
		r = found_run(s);
		for (uint32_t i = 0; i < count; i++) {
			if (gst_check_needs_times(i) && found_find(&r, all[i])) {
				fail_msg("%s without times", all[i]);
			}
		}
		found_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stale_ids),
		cmocka_unit_test(test_lost_records),
		cmocka_unit_test(test_losses_say_what_they_weaken),
		cmocka_unit_test(test_every_loss_has_words),
		cmocka_unit_test(test_api_error),
		cmocka_unit_test(test_queue_full),
		cmocka_unit_test(test_launch_blocking),
		cmocka_unit_test(test_event_timing_flag),
		cmocka_unit_test(test_withheld_without_device_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
