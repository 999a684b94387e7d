/*
 * objects_test.c - what was alive at a moment, asked later; full tables.
 */
#include "tracer/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* As window.h counts: 1 = first window open, 2 = paused, 3 = second window open. */

static struct gst_objects *objects_new(void)
{
	struct gst_objects *o = calloc(1, sizeof(*o));

	assert_non_null(o);
	gst_objects_init(o);
	return o;
}

static struct gst_object *make(struct gst_objects *o, uint64_t key, uint32_t now)
{
	struct gst_object *object = gst_objects_add(o, &o->events, key);

	if (object) {
		gst_object_ready(object, now);
	}
	return object;
}

static void uses_are_told_as_of_the_window(void **state)
{
	struct gst_objects *o = objects_new();
	struct gst_object *e = make(o, 0x100, 1);
	uint32_t corr;

	(void)state;
	assert_ptr_equal(gst_objects_find(&o->events, 0x100), e);
	assert_null(gst_objects_find(&o->events, 0x200));
	assert_false(gst_object_was_alive(e, 1)); /* made in it: the trace has the call */
	assert_true(gst_object_was_alive(e, 3));
	assert_true(gst_object_last_use(e, 3, &corr));
	assert_int_equal(corr, 0);
	gst_object_use(e, 1, 7);
	gst_object_use(e, 2, 8);
	gst_object_use(e, 2, 9);
	assert_true(gst_object_last_use(e, 3, &corr));
	assert_int_equal(corr, 9);
	/* asked late: uses since then change nothing */
	gst_object_use(e, 3, 10);
	gst_object_use(e, 3, 11);
	assert_true(gst_object_last_use(e, 3, &corr));
	assert_int_equal(corr, 9);
	/* asked too late */
	gst_object_use(e, 4, 12);
	assert_false(gst_object_last_use(e, 3, &corr));
	assert_true(gst_object_last_use(e, 5, &corr));
	assert_int_equal(corr, 12);
	/* a thread that saw the window late: its use comes before the window */
	gst_object_use(e, 5, 13);
	gst_object_use(e, 4, 14);
	assert_true(gst_object_last_use(e, 5, &corr));
	assert_int_equal(corr, 14);
	free(o);
}

static void an_end_is_told_as_of_the_window(void **state)
{
	struct gst_objects *o = objects_new();
	struct gst_object *e = make(o, 0x100, 2);

	(void)state;
	gst_objects_remove(&o->events, 0x100, 3);
	assert_true(gst_object_was_alive(e, 3));
	assert_false(gst_object_was_alive(e, 5));
	assert_null(gst_objects_find(&o->events, 0x100));
	/* a handle that comes again is another object */
	make(o, 0x100, 4);
	assert_false(gst_object_was_alive(e, 3));
	assert_true(gst_object_was_alive(e, 5));
	free(o);
}

static void ended_objects_give_their_place(void **state)
{
	struct gst_objects *o = objects_new();

	(void)state;
	for (uint64_t i = 1; i <= 4 * GST_OBJECTS_EVENTS; i++) {
		assert_non_null(make(o, i << 8, 1));
		gst_objects_remove(&o->events, i << 8, 1);
	}
	assert_int_equal(atomic_load(&o->events.forgotten), 0);
	free(o);
}

static void a_full_table_counts(void **state)
{
	struct gst_objects *o = objects_new();
	uint32_t made = 0, forgotten;

	(void)state;
	for (uint64_t i = 1; i <= 2 * GST_OBJECTS_EVENTS; i++) {
		made += make(o, i << 8, 1) != NULL;
	}
	forgotten = atomic_load(&o->events.forgotten);
	assert_int_equal(made + forgotten, 2 * GST_OBJECTS_EVENTS);
	assert_true(made <= GST_OBJECTS_EVENTS);
	assert_true(made > GST_OBJECTS_EVENTS * 9 / 10);
	/* what ended stays as long as a snapshot has to tell of it */
	for (uint64_t i = 1; i <= 2 * GST_OBJECTS_EVENTS; i++) {
		gst_objects_remove(&o->events, i << 8, 3);
	}
	atomic_store(&o->snapshot_due, 3);
	assert_null(make(o, UINT64_C(0x123456789), 3));
	atomic_store(&o->snapshot_due, 0);
	assert_non_null(make(o, UINT64_C(0x123456789), 3));
	free(o);
}

static void definitions_are_merged(void **state)
{
	struct gst_objects *o = objects_new();
	struct gst_rec_stream stream = {.ctx = 1, .stream = 13, .handle = 0x55};
	struct gst_object *s;

	(void)state;
	gst_objects_define_stream(o, &stream, 1);
	stream.handle = 0;
	stream.type = GST_STREAM_NONBLOCKING;
	stream.priority = -3;
	gst_objects_define_stream(o, &stream, 2);
	s = gst_objects_find(&o->streams, gst_objects_stream_key(1, 13));
	assert_non_null(s);
	assert_int_equal(atomic_load(&s->handle), 0x55);
	assert_int_equal(atomic_load(&s->data[GST_STREAM_TYPE_IS]), GST_STREAM_NONBLOCKING);
	assert_int_equal((int32_t)atomic_load(&s->data[GST_STREAM_PRIORITY]), -3);
	assert_int_equal(atomic_load(&s->born), 2);
	free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uses_are_told_as_of_the_window),
		cmocka_unit_test(an_end_is_told_as_of_the_window),
		cmocka_unit_test(ended_objects_give_their_place),
		cmocka_unit_test(a_full_table_counts),
		cmocka_unit_test(definitions_are_merged),
	};

	return cmocka_run_group_tests_name("objects", tests, NULL, NULL);
}
