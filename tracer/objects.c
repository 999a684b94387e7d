/*
 * objects.c - tables of living objects without locks.
 *
 * Role      : callbacks keep them up to date, the writer reads them for a snapshot.
 * Method    : open addressing with a short, bounded search; keys are never taken out, only replaced once
 *             their object ended. The driver gives a handle to one object at a time, so a key has one
 *             writer but for its uses.
 * Invariant : an object that was alive when the window opened, whose snapshot is due, keeps its place.
 * Not here  : which calls these are (callbacks.c).
 */
#include "tracer/objects.h"

#include <stddef.h>

#define PROBES 32u

void gst_objects_init(struct gst_objects *o)
{
	o->contexts.list = o->context_list;
	o->contexts.mask = GST_OBJECTS_CONTEXTS - 1;
	o->streams.list = o->stream_list;
	o->streams.mask = GST_OBJECTS_STREAMS - 1;
	o->events.list = o->event_list;
	o->events.mask = GST_OBJECTS_EVENTS - 1;
	o->execs.list = o->exec_list;
	o->execs.mask = GST_OBJECTS_EXECS - 1;
	o->graphs.list = o->graph_list;
	o->graphs.mask = GST_OBJECTS_GRAPHS - 1;
}

static uint32_t place_of(const struct gst_objects_table *table, uint64_t key)
{
	return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & table->mask;
}

static struct gst_object *place(const struct gst_objects_table *table, uint64_t key)
{
	uint32_t at = place_of(table, key);

	for (uint32_t i = 0; i < PROBES; i++) {
		struct gst_object *object = &table->list[(at + i) & table->mask];
		uint64_t found = atomic_load_explicit(&object->key, memory_order_relaxed);

		if (found == key) {
			return object;
		}
		if (!found) {
			return NULL;
		}
	}
	return NULL;
}

const struct gst_object *gst_objects_place(const struct gst_objects_table *table, uint64_t key)
{
	return place(table, key);
}

struct gst_object *gst_objects_find(const struct gst_objects_table *table, uint64_t key)
{
	struct gst_object *object = place(table, key);

	return object && !atomic_load_explicit(&object->died, memory_order_relaxed) ? object : NULL;
}

/* Whether the snapshot that is due still has to tell of a dead object. */
static bool is_needed(const struct gst_objects *o, const struct gst_object *object)
{
	uint32_t due = atomic_load_explicit(&o->snapshot_due, memory_order_relaxed);

	return due && gst_object_was_alive(object, due);
}

static void reset(struct gst_object *object)
{
	atomic_store(&object->born, 0);
	atomic_store(&object->last, 0);
	atomic_store(&object->before, 0);
	atomic_store(&object->handle, 0);
	for (uint32_t i = 0; i < 4; i++) {
		atomic_store(&object->data[i], 0);
	}
}

/* A place for @key: its own, an empty one, or that of an object that ended. */
static struct gst_object *claim(struct gst_objects *o, struct gst_objects_table *table,
				uint64_t key)
{
	uint32_t at = place_of(table, key);
	struct gst_object *taken = NULL;

	for (uint32_t i = 0; i < PROBES && !taken; i++) {
		struct gst_object *object = &table->list[(at + i) & table->mask];
		uint64_t found = atomic_load_explicit(&object->key, memory_order_relaxed);

		if (found == key ||
		    (!found && atomic_compare_exchange_strong(&object->key, &found, key))) {
			taken = object;
		}
	}
	for (uint32_t i = 0; i < PROBES && !taken; i++) {
		struct gst_object *object = &table->list[(at + i) & table->mask];
		uint64_t found = atomic_load_explicit(&object->key, memory_order_relaxed);

		if (atomic_load_explicit(&object->died, memory_order_relaxed) &&
		    !is_needed(o, object) &&
		    atomic_compare_exchange_strong(&object->key, &found, key)) {
			taken = object;
		}
	}
	if (!taken) {
		atomic_fetch_add(&table->forgotten, 1);
	}
	return taken;
}

struct gst_object *gst_objects_add(struct gst_objects *o, struct gst_objects_table *table,
				   uint64_t key)
{
	struct gst_object *object = claim(o, table, key);

	if (object) {
		reset(object);
	}
	return object;
}

/* For what is told of more than once, by several threads. */
static struct gst_object *merge(struct gst_objects *o, struct gst_objects_table *table,
				uint64_t key)
{
	struct gst_object *object = gst_objects_find(table, key);

	if (!object) {
		object = claim(o, table, key);
		if (object && atomic_load(&object->died)) {
			reset(object);
		}
	}
	return object;
}

/* 0 is "not known". */
static void learn(_Atomic uint32_t *field, uint32_t value)
{
	if (value) {
		atomic_store(field, value);
	}
}

void gst_objects_define_stream(struct gst_objects *o, const struct gst_rec_stream *rec,
			       uint32_t now)
{
	struct gst_object *s = merge(o, &o->streams, gst_objects_stream_key(rec->ctx, rec->stream));

	if (!s) {
		return;
	}
	if (rec->handle) {
		atomic_store(&s->handle, rec->handle);
	}
	learn(&s->data[GST_STREAM_TYPE_IS], rec->type);
	learn(&s->data[GST_STREAM_PRIORITY], (uint32_t)rec->priority);
	learn(&s->data[GST_STREAM_THREAD], rec->thread);
	if (!atomic_load(&s->born)) {
		gst_object_ready(s, now);
	}
}

void gst_objects_define_exec(struct gst_objects *o, const struct gst_rec_graph_exec *rec,
			     uint32_t now)
{
	struct gst_object *e = merge(o, &o->execs, rec->exec);

	if (!e) {
		return;
	}
	atomic_store(&e->data[GST_EXEC_GRAPH], rec->id ? rec->id : rec->graph);
	if (!atomic_load(&e->born)) {
		gst_object_ready(e, now);
	}
}

void gst_objects_define_graph(struct gst_objects *o, const struct gst_rec_graph *rec, uint32_t now)
{
	const struct gst_object *old = place(&o->graphs, rec->handle);
	uint32_t died = old ? atomic_load(&old->died) : 0;
	struct gst_object *g = rec->handle ? gst_objects_add(o, &o->graphs, rec->handle) : NULL;

	if (g) {
		atomic_store(&g->data[GST_GRAPH_ID], rec->graph);
		atomic_store(&g->data[GST_GRAPH_FREED], died);
		gst_object_ready(g, now);
	}
}

void gst_objects_define_context(struct gst_objects *o, const struct gst_rec_context *rec,
				uint32_t now)
{
	struct gst_object *c = merge(o, &o->contexts, rec->ctx);

	if (!c || !rec->ctx) {
		return;
	}
	if (rec->handle) {
		atomic_store(&c->handle, rec->handle);
	}
	learn(&c->data[GST_CONTEXT_DEVICE], rec->device);
	learn(&c->data[GST_CONTEXT_PARENT], rec->parent);
	learn(&c->data[GST_CONTEXT_NULL_STREAM], rec->null_stream);
	if (!atomic_load(&c->born)) {
		gst_object_ready(c, now);
	}
}

void gst_object_ready(struct gst_object *object, uint32_t now)
{
	atomic_store(&object->died, 0);
	atomic_store_explicit(&object->born, now + 1, memory_order_release);
}

void gst_objects_remove(struct gst_objects_table *table, uint64_t key, uint32_t now)
{
	struct gst_object *object = gst_objects_find(table, key);

	if (object) {
		atomic_store(&object->died, now + 1);
	}
}

bool gst_object_was_alive(const struct gst_object *object, uint32_t now)
{
	uint32_t born = atomic_load_explicit(&object->born, memory_order_acquire);
	uint32_t died = atomic_load(&object->died);

	return born && born <= now && (!died || died > now);
}

bool gst_object_last_use(const struct gst_object *object, uint32_t now, uint32_t *corr)
{
	uint64_t use = atomic_load(&object->last);

	*corr = (uint32_t)use;
	if (use >> 32 < now) {
		return true;
	}
	use = atomic_load(&object->before);
	*corr = (uint32_t)use;
	return use >> 32 == now;
}
