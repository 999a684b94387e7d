/* found.h - for tests: the findings of a scene. Whatever is not as it must be fails the running test. */
#ifndef GSTRACE_ANALYZER_TEST_FOUND_H
#define GSTRACE_ANALYZER_TEST_FOUND_H

#include "analyzer/check/check.h"
#include "analyzer/test/scene.h"

#define US UINT64_C(1000)

struct found {
	struct gst_scene *s;
	struct gst_scene_stages x;
	const struct gst_findings *f;
};

/** Analyze @s with all checks; it belongs to the result. */
struct found found_run(struct gst_scene *s);
/** The same for r->s, with @options (NULL: all checks). */
void found_run_with(struct found *r, const struct gst_check_options *options);
void found_done(struct found *r);

/** The first finding called @id; NULL = there is none. */
const struct gst_finding *found_find(const struct found *r, const char *id);
/** The finding is there, once, with what every finding must have. */
const struct gst_finding *found_the(const struct found *r, const char *id);
/** Does the path that proves @f have an edge of @rule? */
bool found_has_rule(const struct found *r, const struct gst_finding *f, enum gst_rule rule);
bool found_costs_time(const struct gst_finding *f);
/** No finding costs time; of those that tell no more than an upper bound, nothing is asked. */
void found_nothing_but_info(const struct found *r);

#endif
