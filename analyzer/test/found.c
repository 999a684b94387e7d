/*
 * found.c - for tests: the findings of a scene.
 *
 * Role      : run all stages and the checks over a scene; look findings up, with what every finding must have.
 * Method    : fails the running cmocka test where something is not as every finding must be.
 * Invariant : nothing is expected here that a check decides.
 * Not here  : scenes (scene.h), what each check must find (check_x_test.c).
 */
#include "analyzer/test/found.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void found_run_with(struct found *r, const struct gst_check_options *options)
{
	struct gst_err err = {0};

	gst_scene_analyze(r->s, &r->x);
	assert_int_equal(gst_check_run(r->x.m, r->x.o, r->x.t, options, r->x.arena, &r->f, &err),
			 0);
}

struct found found_run(struct gst_scene *s)
{
	struct found r = {.s = s};

	found_run_with(&r, NULL);
	return r;
}

void found_done(struct found *r)
{
	gst_scene_release(&r->x);
	gst_scene_free(r->s);
}

const struct gst_finding *found_find(const struct found *r, const char *id)
{
	for (uint32_t i = 0; i < r->f->count; i++) {
		if (strcmp(r->f->items[i].id, id) == 0) {
			return &r->f->items[i];
		}
	}
	return NULL;
}

/* The finding is there, once, with what every finding must have. */
const struct gst_finding *found_the(const struct found *r, const char *id)
{
	const struct gst_finding *f = found_find(r, id);
	uint32_t seen = 0;

	for (uint32_t i = 0; i < r->f->count; i++) {
		seen += strcmp(r->f->items[i].id, id) == 0;
	}
	if (seen != 1) {
		fail_msg("%u findings of %s", seen, id);
	}
	assert_true(f->title && f->title[0] && f->detail && f->detail[0]);
	assert_true(f->advice && f->advice[0]);
	assert_true(f->cost_low_ns <= f->cost_ns && f->cost_ns <= f->cost_high_ns);
	assert_true(f->evidence_count <= f->occurrence_count);
	assert_true(f->begin_ns <= f->end_ns);
	return f;
}

bool found_has_rule(const struct found *r, const struct gst_finding *f, enum gst_rule rule)
{
	for (uint32_t i = 0; i < f->path_count; i++) {
		if (gst_order_edge(r->x.o, f->path[i]).rule == rule) {
			return true;
		}
	}
	return false;
}

bool found_costs_time(const struct gst_finding *f)
{
	return f->severity > GST_SEVERITY_INFO;
}

void found_nothing_but_info(const struct found *r)
{
	for (uint32_t i = 0; i < r->f->count; i++) {
		if (found_costs_time(&r->f->items[i]) && !r->f->items[i].cost_is_bound) {
			fail_msg("%s: %s", r->f->items[i].id, r->f->items[i].title);
		}
	}
}
