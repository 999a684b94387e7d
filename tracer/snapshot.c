/*
 * snapshot.c - definitions and living objects once more, for a segment that can be read alone.
 *
 * Role      : whoever opens a window puts what is alive into it; the writer adds what never changes.
 * Method    : tables that callbacks keep are read while other threads go on; each object says what it was
 *             when the window opened. Later it could not: windows may be shorter than a cycle of the writer.
 * Invariant : what is not known any more is left out and counted as a loss, never guessed.
 * Not here  : the tables (objects.c), when windows open (window.c).
 */
#include "tracer/snapshot.h"
#include "tracer/clock.h"
#include "tracer/format/encode.h"

/* Where the records of one snapshot go. */
struct target {
	const struct gst_snapshot *s;
	struct gst_page *page;
	uint32_t now;
	uint32_t segment;
};

static void put(struct target *t, const void *rec, uint32_t bytes)
{
	uint64_t no_patience = 0;

	/* A loss is counted there. */
	(void)gst_lane_put_patiently(t->s->defs, &t->page, rec, bytes, t->segment, &no_patience);
}

static void put_contexts(struct target *t)
{
	const struct gst_objects *objects = t->s->objects;

	for (uint32_t i = 0; i < GST_OBJECTS_CONTEXTS; i++) {
		const struct gst_object *c = &objects->contexts.list[i];
		struct gst_rec_context rec = {
			.head = gst_record_head(GST_KIND_CONTEXT, sizeof(rec), 0),
			.ctx = (uint32_t)atomic_load(&c->key),
		};

		if (gst_object_was_alive(c, t->now)) {
			rec.device = atomic_load(&c->data[GST_CONTEXT_DEVICE]);
			rec.handle = atomic_load(&c->handle);
			rec.parent = atomic_load(&c->data[GST_CONTEXT_PARENT]);
			rec.null_stream = atomic_load(&c->data[GST_CONTEXT_NULL_STREAM]);
			put(t, &rec, sizeof(rec));
		}
	}
}

static void put_streams(struct target *t)
{
	const struct gst_objects *objects = t->s->objects;

	for (uint32_t i = 0; i < GST_OBJECTS_STREAMS; i++) {
		const struct gst_object *o = &objects->streams.list[i];
		uint64_t key = atomic_load(&o->key);
		struct gst_rec_stream rec = {
			.head = gst_record_head(GST_KIND_STREAM, sizeof(rec), 0),
			.ctx = (uint32_t)(key >> 32) & 0x7fffffff,
			.stream = (uint32_t)key,
		};

		/* A context takes its streams along. */
		if (gst_object_was_alive(o, t->now) &&
		    gst_objects_find(&objects->contexts, rec.ctx)) {
			rec.handle = atomic_load(&o->handle);
			rec.type = atomic_load(&o->data[GST_STREAM_TYPE_IS]);
			rec.priority = (int32_t)atomic_load(&o->data[GST_STREAM_PRIORITY]);
			rec.thread = atomic_load(&o->data[GST_STREAM_THREAD]);
			put(t, &rec, sizeof(rec));
		}
	}
}

static void put_threads(struct target *t)
{
	const struct gst_threads *threads = t->s->threads;
	uint32_t used = atomic_load(&threads->used);

	for (uint32_t i = 0; i < used && i < GST_THREADS_MAX; i++) {
		const struct gst_thread_slot *slot = &threads->slots[i];
		struct gst_rec_thread rec = {
			.head = gst_record_head(GST_KIND_THREAD, sizeof(rec), 0),
			.thread = atomic_load(&slot->live),
			.name = atomic_load(&slot->name),
			.tid = atomic_load(&slot->tid),
		};

		/* The slot may have gone to another thread meanwhile: that one tells of itself. */
		if (rec.thread && atomic_load(&slot->live) == rec.thread) {
			put(t, &rec, sizeof(rec));
		}
	}
}

static void put_devices(const struct gst_snapshot *s, struct gst_writer *w)
{
	uint32_t count = atomic_load(&s->devices->count);

	for (uint32_t i = 0; i < count && i < GST_DEVICES_MAX; i++) {
		struct gst_rec_device rec;

		if (atomic_load(&s->devices->slots[i].is_ready)) {
			rec = atomic_load(&s->devices->slots[i].is_full) ? s->devices->slots[i].full
									 : s->devices->slots[i].rec;
			rec.head = gst_record_head(GST_KIND_DEVICE, sizeof(rec), 0);
			gst_writer_put(w, &rec, sizeof(rec));
		}
	}
}

/* "Never" is said only if every call was followed. */
static bool is_use_known(const struct gst_objects *objects, const struct gst_object *object,
			 uint32_t now, uint32_t *corr)
{
	return gst_object_last_use(object, now, corr) &&
	       (*corr || !atomic_load(&objects->is_use_missed));
}

static void put_events(struct target *t)
{
	const struct gst_objects *objects = t->s->objects;

	for (uint32_t i = 0; i < GST_OBJECTS_EVENTS; i++) {
		const struct gst_object *e = &objects->events.list[i];
		struct gst_rec_event_state rec = {.event = atomic_load(&e->key)};
		uint32_t corr;

		if (!gst_object_was_alive(e, t->now)) {
			continue;
		}
		if (!is_use_known(objects, e, t->now, &corr)) {
			gst_loss_add(t->s->loss, GST_REC_EVENT_STATE, GST_LOSS_BUSY, 1);
			continue;
		}
		rec.head = gst_record_head(GST_KIND_EVENT_STATE, sizeof(rec), corr);
		rec.flags = atomic_load(&e->data[GST_EVENT_FLAGS]);
		rec.ctx = atomic_load(&e->data[GST_EVENT_CTX]);
		put(t, &rec, sizeof(rec));
	}
}

static void put_execs(struct target *t)
{
	const struct gst_objects *objects = t->s->objects;

	for (uint32_t i = 0; i < GST_OBJECTS_EXECS; i++) {
		const struct gst_object *e = &objects->execs.list[i];
		struct gst_rec_exec_state rec = {.exec = atomic_load(&e->key)};
		uint32_t corr;

		if (!gst_object_was_alive(e, t->now)) {
			continue;
		}
		if (!is_use_known(objects, e, t->now, &corr)) {
			gst_loss_add(t->s->loss, GST_REC_EXEC_STATE, GST_LOSS_BUSY, 1);
			continue;
		}
		rec.head = gst_record_head(GST_KIND_EXEC_STATE, sizeof(rec), corr);
		rec.graph = atomic_load(&e->data[GST_EXEC_GRAPH]);
		put(t, &rec, sizeof(rec));
	}
}

/* Objects for which the tables had no place are not in the snapshot: it must not read as complete. */
static void say_forgotten(const struct gst_snapshot *s, struct gst_objects_table *table,
			  uint32_t kind)
{
	uint32_t count = atomic_exchange(&table->forgotten, 0);

	if (count) {
		gst_loss_add(s->loss, kind, GST_LOSS_TABLE_FULL, count);
	}
}

void gst_snapshot_take(void *snapshot, uint32_t now)
{
	const struct gst_snapshot *s = snapshot;
	struct target t = {.s = s, .now = now, .segment = gst_windows_segment(now)};

	atomic_store(&s->objects->snapshot_due, now);
	t.page = gst_lane_take(s->defs);
	put_contexts(&t);
	put_streams(&t);
	put_threads(&t);
	put_events(&t);
	put_execs(&t);
	gst_lane_give(s->defs, t.page);
	say_forgotten(s, &s->objects->contexts, GST_REC_CONTEXT);
	say_forgotten(s, &s->objects->streams, GST_REC_STREAM);
	say_forgotten(s, &s->objects->events, GST_REC_EVENT_STATE);
	say_forgotten(s, &s->objects->execs, GST_REC_EXEC_STATE);
	say_forgotten(s, &s->objects->graphs, GST_REC_GRAPH);
	atomic_store(&s->objects->snapshot_due, 0);
}

void gst_snapshot_write(void *snapshot, struct gst_writer *w, uint32_t segment)
{
	const struct gst_snapshot *s = snapshot;

	gst_identity_write_segment(
		w, segment, false,
		atomic_load(&s->windows->kept[segment % GST_WINDOWS_KEPT].from_mono_ns));
	if (segment) {
		gst_identity_write(s->identity, w, s->config, s->cupti);
	}
	put_devices(s, w);
}
