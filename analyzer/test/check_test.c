/*
 * check_test.c - all checks together: which run, what several processes and large traces do, and other words.
 *
 * Role      : what holds for findings whatever the check.
 * Method    : the scenes of scenes.h; each again with kernels renamed, streams renumbered, times shifted and chunks
 *             shuffled.
 * Invariant : no expected number comes from the output; each is worked out beside its scene.
 * Not here  : each check (check_x_test.c), recorded traces (their EXPECT lines).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/test/found.h"
#include "analyzer/test/scenes.h"

static void test_only_and_skip(void **state)
{
	static const char *const wanted[] = {"pageable-copy"};
	static const char *const unknown[] = {"pagable-copy"};
	struct gst_check_options only = {.only = wanted, .only_count = 1};
	struct gst_check_options skip = {.skip = wanted, .skip_count = 1};
	struct gst_check_options wrong = {.skip = unknown, .skip_count = 1};
	struct gst_err err = {0};
	struct found r = {.s = gst_scene_new(NULL)};

	(void)state;
	gst_scene_pageable(r.s, true);
	found_run_with(&r, &only);
	assert_non_null(found_find(&r, "pageable-copy"));
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, &skip, r.x.arena, &r.f, &err), 0);
	assert_null(found_find(&r, "pageable-copy"));
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, &wrong, r.x.arena, &r.f, &err),
			 GST_E_FORMAT);
	assert_non_null(strstr(err.text, "\"pagable-copy\""));
	assert_non_null(strstr(err.text, "host-sync-stall"));
	found_done(&r);
}

/* Two ranks do the same: each would be shorter, though the other one would not. */
static void test_two_processes(void **state)
{
	struct gst_scene *s[2];
	struct gst_loader *l[2] = {NULL, NULL};
	struct gst_arena *arena = gst_arena_new(0);
	const struct gst_model *m;
	const struct gst_order *o;
	const struct gst_timing *t;
	const struct gst_findings *f;
	struct gst_err err = {0};
	uint32_t seen = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const char *text;
		s[i] = gst_scene_new(NULL);
		gst_scene_default_stream(s[i], true);
		text = gst_scene_text(s[i]);
		assert_int_equal(gst_loader_open_memory(text, strlen(text), i ? "b" : "a", NULL,
							&l[i], &err),
				 0);
	}
	assert_int_equal(gst_model_build(l, 2, arena, &m, &err), 0);
	assert_int_equal(m->process_count, 2);
	assert_int_equal(gst_order_build(m, arena, &o, &err), 0);
	assert_int_equal(gst_timing_build(m, o, arena, &t, &err), 0);
	assert_int_equal(gst_check_run(m, o, t, NULL, arena, &f, &err), 0);
	for (uint32_t i = 0; i < f->count; i++) {
		seen += strcmp(f->items[i].id, "default-stream-serialization") == 0;
		assert_int_equal(f->items[i].cost_ns, GST_SCENE_DEFAULT_GAIN_US * US);
	}
	assert_int_equal(seen, 2);
	gst_model_free(m);
	gst_arena_free(arena);
	for (int i = 0; i < 2; i++) {
		gst_loader_close(l[i]);
		gst_scene_free(s[i]);
	}
}

static void same_findings(const struct gst_findings *a, const struct gst_findings *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->hidden_count, b->hidden_count);
	assert_int_equal(a->hidden_blocked_ns, b->hidden_blocked_ns);
	for (uint32_t i = 0; i < a->count; i++) {
		const struct gst_finding *x = &a->items[i], *y = &b->items[i];
		assert_string_equal(x->id, y->id);
		assert_int_equal(x->severity, y->severity);
		assert_int_equal(x->cost_ns, y->cost_ns);
		assert_int_equal(x->cost_low_ns, y->cost_low_ns);
		assert_int_equal(x->cost_high_ns, y->cost_high_ns);
		assert_int_equal(x->blocked_ns, y->blocked_ns);
		assert_int_equal(x->occurrence_count, y->occurrence_count);
		assert_int_equal(x->path_count, y->path_count);
	}
}

static void test_same_in_other_words(void **state)
{
	static void (*const scenes[])(struct gst_scene *,
				      bool) = {gst_scene_default_stream, gst_scene_pageable,
					       gst_scene_device_sync, gst_scene_sync_copy};
	static const struct gst_scene_style styles[] = {
		{.name_prefix = "_Z9renamed_"},
		{.stream_step = 7},
		{.shift_us = 3600000000u},
		{.seed = 1},
		{.seed = 2},
		{.seed = 3},
		{.name_prefix = "x", .stream_step = 3, .shift_us = 77, .seed = 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		struct found plain;

		plain.s = gst_scene_new(NULL);
		scenes[i](plain.s, true);
		plain = found_run(plain.s);
		assert_true(plain.f->count > 0);
		for (size_t j = 0; j < sizeof(styles) / sizeof(styles[0]); j++) {
			struct found other;

			other.s = gst_scene_new(&styles[j]);
			scenes[i](other.s, true);
			other = found_run(other.s);
			same_findings(plain.f, other.f);
			found_done(&other);
		}
		found_done(&plain);
	}
}

/* Seventy places that wait for stream 1 before they launch into stream 2: the 64 with most to gain are replayed. */
static void test_more_places_than_are_replayed(void **state)
{
	const struct gst_check_options all = {.all = true};
	struct gst_scene *s = gst_scene_new(NULL);
	struct gst_err err = {0};
	struct found r;
	uint32_t t = 100;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	for (uint32_t i = 0; i < 70; i++) {
		char name[8];

		snprintf(name, sizeof(name), "k%u", i);
		gst_scene_kernel(s, 1, t, t + 5, 1, "long", 1, t + 10, t + 110);
		gst_scene_call(s, 1, t + 6, t + 112, "call_stream", "cuStreamSynchronize", 1, NULL);
		gst_scene_kernel(s, 1, t + 113, t + 118, 2, name, 1, t + 120, t + 125);
		t += 130;
	}
	r = found_run(s);
	assert_int_equal(r.f->skipped_count, 6);
	assert_true(r.f->hidden_count >= 6);
	/* Their cost is not known, so they are never shown. */
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, &all, r.x.arena, &r.f, &err), 0);
	assert_int_equal(r.f->skipped_count, 6);
	assert_int_equal(r.f->hidden_count, 6);
	found_done(&r);
}

/* Two places that wait for stream 1 before they launch into stream 2: 100 us, and 6 us, less than is worth a line. */
static void test_all_shows_what_is_small(void **state)
{
	const struct gst_check_options all = {.all = true};
	struct gst_scene *s = gst_scene_new(NULL);
	const struct gst_finding *large;
	struct gst_err err = {0};
	uint32_t hidden;
	struct found r;

	(void)state;
	gst_scene_stream(s, 1, false);
	gst_scene_stream(s, 2, false);
	gst_scene_kernel(s, 1, 100, 105, 1, "long", 1, 110, 210);
	gst_scene_call(s, 1, 106, 212, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_kernel(s, 1, 213, 218, 2, "a", 1, 220, 225);
	gst_scene_kernel(s, 1, 226, 230, 1, "short", 1, 234, 240);
	gst_scene_call(s, 1, 231, 241, "call_stream", "cuStreamSynchronize", 1, NULL);
	gst_scene_kernel(s, 1, 242, 246, 2, "b", 1, 250, 255);
	r = found_run(s);
	assert_int_equal(r.f->count, 1);
	large = &r.f->items[0];
	hidden = r.f->hidden_count;
	assert_int_equal(hidden, 1);
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, &all, r.x.arena, &r.f, &err), 0);
	assert_int_equal(r.f->count, 1 + hidden);
	assert_int_equal(r.f->hidden_count, 0);
	assert_int_equal(r.f->hidden_blocked_ns, 0);
	assert_int_equal(r.f->items[0].cost_ns, large->cost_ns);
	assert_false(r.f->items[0].is_small);
	assert_true(r.f->items[1].is_small);
	assert_true(r.f->items[1].cost_is_known);
	assert_true(r.f->items[1].cost_ns >= 1 && r.f->items[1].cost_ns <= 9999);
	assert_int_equal(r.f->items[1].severity, GST_SEVERITY_INFO);
	found_done(&r);
}

/* Of equal findings that come first whose calls do, whatever the number of threads. */
static void test_order_of_equals(void **state)
{
	struct gst_scene *s[4];
	struct found r = {0};
	struct gst_err err = {0};
	uint32_t seen = 0;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		s[i] = gst_scene_new(NULL);
		gst_scene_stream(s[i], 1, false);
		gst_scene_call_value(s[i], 1, 10, 20, "call_event", "cuEventCreate", 0, "flags=2",
				     0xe1);
		gst_scene_fail(s[i], 1, 2);
		gst_scene_kernel(s[i], 1, 30, 35, 1, "k", 1, 40, 500);
	}
	gst_scene_analyze_together(s, 4, &r.x);
	assert_int_equal(gst_check_run(r.x.m, r.x.o, r.x.t, NULL, r.x.arena, &r.f, &err), 0);
	for (uint32_t i = 0; i + 1 < r.f->count; i++) {
		const struct gst_finding *a = &r.f->items[i], *b = a + 1;

		if (strcmp(a->id, "api-error") || strcmp(b->id, "api-error")) {
			continue;
		}
		assert_string_equal(a->title, b->title);
		assert_int_equal(a->begin_ns, b->begin_ns);
		assert_true(a->occurrences[0].call < b->occurrences[0].call);
		seen++;
	}
	assert_int_equal(seen, 3);
	gst_scene_release(&r.x);
	for (uint32_t i = 0; i < 4; i++) {
		gst_scene_free(s[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_equals),
		cmocka_unit_test(test_only_and_skip),
		cmocka_unit_test(test_two_processes),
		cmocka_unit_test(test_same_in_other_words),
		cmocka_unit_test(test_more_places_than_are_replayed),
		cmocka_unit_test(test_all_shows_what_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
