/*
 * model_resolve.c - streams, events and captures, from sorted calls and their device records.
 *
 * Role      : the step of gst_model_build that says what belongs to what.
 * Method    : one walk over the calls in submission order. Handles of streams and events are looked up in
 *             maps that create and destroy keep up to date; a device record says in which lane an op really
 *             was, and where it disagrees with the handle the record wins. Two streams that turn out to be
 *             one (a handle, and a lane of records) are joined by an alias, resolved at the end. Beside the walk
 *             another thread prepares calls ahead of it, and sums up ops behind it.
 * Invariant : op ids grow in submission order; ops of one call are neighbours, nodes after their launch.
 * Not here  : the ops of a call (model_ops.c), those of a lane (model_lanes.c), which record a wait means and what
 *             orders what (analyzer/order).
 */
#include "analyzer/base/parallel.h"
#include "analyzer/base/sort.h"
#include "analyzer/model/model_walk.h"

#define MAX_OPS		  (UINT32_MAX / 4)
#define HANDLE_LEGACY	  1u
#define HANDLE_PER_THREAD 2u
/* Streams that one call makes, CUDA's own included; the latest are looked at. */
#define DEFS_OF_CALL_MAX	64u
#define STREAM_FLAG_NONBLOCKING 1u
#define EVENT_EXTERNAL		1u /* of a record or a wait */
#define RESULT_NOT_READY	600
#define RESULT_WRONG_THREAD	908 /* of an end-capture: the capture goes on */

static void note_conflict(struct gst_builder *b, uint32_t process, uint64_t time_ns)
{
	static const char text[] =
		"a device record names another stream than its call: the record is believed";
	uint32_t *slot;
	struct gst_note n = {.process = process,
			     .code = GST_NOTE_TEXT,
			     .text = gst_strtab_intern(b->m->strings, text, strlen(text)),
			     .time_ns = time_ns};

	/* One note a process: the count is what matters. */
	slot = &b->processes.data[process].conflict_note;
	if (*slot) {
		struct gst_note *old = &b->notes.data[*slot - 1];

		old->detail += old->detail < INT32_MAX;
		return;
	}
	n.detail = 1;
	gst_vec_push(&b->notes, n);
	*slot = (uint32_t)b->notes.count;
}

static uint32_t new_stream(struct gst_builder *b, uint32_t process, uint32_t ctx,
			   enum gst_stream_kind kind)
{
	struct gst_raw_stream s = {0};

	s.out.process = process;
	s.out.ctx = ctx;
	s.out.cupti_id = GST_ID_NONE;
	s.out.thread = GST_NONE;
	s.out.create_call = s.out.destroy_call = GST_NONE;
	s.out.kind = (uint8_t)kind;
	s.alias = GST_NONE;
	gst_vec_push(&b->streams, s);
	return (uint32_t)b->streams.count - 1;
}

/* The lane of device records that name context @ctx (index) and stream @id. */
static uint32_t lane_of(struct gst_builder *b, uint32_t process, uint32_t ctx, uint32_t id)
{
	uint32_t next = (uint32_t)b->streams.count;
	bool is_new;
	uint32_t found = *gst_map_add(&b->lane_map, (uint64_t)ctx << 32 | id, next, &is_new);

	if (!is_new)
		return gst_model_root(b, found);
	(void)new_stream(b, process, ctx, GST_STREAM_KIND_UNKNOWN);
	b->streams.data[next].out.cupti_id = id;
	return next;
}

/* The same for lane @lane, as it is named by a device record. */
uint32_t gst_model_lane_of_dev(struct gst_builder *b, uint32_t lane)
{
	struct gst_raw_lane *l = &b->dev_lanes.data[lane];

	if (l->found == GST_NONE)
		l->found =
			lane_of(b, l->process, gst_model_context(b, l->process, l->ctx), l->stream);
	return l->found = gst_model_root(b, l->found);
}

static uint32_t legacy_of(struct gst_builder *b, uint32_t process, uint32_t ctx)
{
	struct gst_context *c;

	if (ctx == GST_NONE)
		return GST_NONE;
	c = &b->contexts.data[ctx];
	if (c->legacy_stream == GST_NONE)
		c->legacy_stream = new_stream(b, process, ctx, GST_STREAM_KIND_LEGACY);
	return gst_model_root(b, c->legacy_stream);
}

static uint32_t per_thread_of(struct gst_builder *b, uint32_t process, uint32_t thread,
			      uint32_t ctx)
{
	struct gst_raw_process *p = &b->processes.data[process];
	uint32_t next = (uint32_t)b->streams.count;
	bool is_new;
	uint32_t found;

	if (ctx == GST_NONE)
		return GST_NONE;
	found = *gst_map_add(&p->per_thread, (uint64_t)thread << 32 | ctx, next, &is_new);
	if (!is_new)
		return gst_model_root(b, found);
	(void)new_stream(b, process, ctx, GST_STREAM_KIND_PER_THREAD);
	b->streams.data[next].out.thread = thread;
	return next;
}

static enum gst_stream_kind kind_of_type(uint32_t type)
{
	switch (type) {
	case GST_STREAM_BLOCKING:
		return GST_STREAM_KIND_BLOCKING;
	case GST_STREAM_NONBLOCKING:
		return GST_STREAM_KIND_NONBLOCKING;
	case GST_STREAM_LEGACY:
		return GST_STREAM_KIND_LEGACY;
	default:
		return GST_STREAM_KIND_UNKNOWN;
	}
}

/* The model's thread with index @index of @process; GST_NONE. */
static uint32_t thread_by_index(const struct gst_builder *b, uint32_t process, uint32_t index)
{
	uint32_t raw;

	if (!index || !gst_map_get(&b->thread_map, (uint64_t)process << 32 | index, &raw))
		return GST_NONE;
	return b->threads.data[raw].final;
}

/* ---- definitions of streams and events ------------------------------------------------------------- */

static void define_streams(struct gst_builder *b, uint32_t process)
{
	struct gst_raw_process *p = &b->processes.data[process];
	struct gst_map tails = {0};

	for (uint32_t i = 0; i < p->stream_defs.count; i++) {
		struct gst_raw_stream_def *d = &p->stream_defs.data[i];
		uint32_t ctx = gst_model_context(b, process, d->rec.ctx);
		enum gst_stream_kind kind = kind_of_type(d->rec.type);
		struct gst_stream *s;

		d->stream = lane_of(b, process, ctx, d->rec.stream);
		s = &b->streams.data[d->stream].out;
		d->next_corr = d->next_handle = GST_NONE;
		if (s->kind == GST_STREAM_KIND_UNKNOWN)
			s->kind = (uint8_t)kind;
		if (d->rec.priority)
			s->priority = d->rec.priority;
		if (kind == GST_STREAM_KIND_LEGACY) {
			s->kind = (uint8_t)kind;
			b->contexts.data[ctx].legacy_stream = d->stream;
		}
		if (d->rec.thread && s->kind != GST_STREAM_KIND_LEGACY &&
		    thread_by_index(b, process, d->rec.thread) != GST_NONE) {
			s->kind = GST_STREAM_KIND_PER_THREAD;
			s->thread = thread_by_index(b, process, d->rec.thread);
			gst_map_put(&p->per_thread, (uint64_t)s->thread << 32 | ctx, d->stream);
		}
		if (d->corr && !gst_map_get(&p->creators, d->corr, NULL))
			d->corr = 0; /* its call is not in the trace */
		if (d->corr) {
			uint32_t *head = gst_map_add(&p->created, d->corr, i, NULL);

			if (*head != i) {
				d->next_corr = *head;
				*head = i;
			}
		}
		if (d->rec.handle > HANDLE_PER_THREAD) {
			bool is_new;
			uint32_t *tail;

			s->handle = d->rec.handle;
			/* Those of later windows count from there on: begin_segment. */
			if (d->corr || (p->has_segment && d->segment > p->first_segment))
				continue;
			/* First definition of a handle: known from the start. Later ones: lives to come. */
			tail = gst_map_add(&tails, d->rec.handle, i, &is_new);
			if (is_new) {
				gst_map_put(&p->def_handles, d->rec.handle, i);
				gst_map_put(&p->handles, d->rec.handle, d->stream);
			} else if (p->stream_defs.data[*tail].stream != d->stream) {
				p->stream_defs.data[*tail].next_handle = i;
				*tail = i;
			}
		}
	}
	gst_map_release(&tails);
}

static uint32_t new_event(struct gst_builder *b, uint32_t process, uint64_t handle, uint32_t flags,
			  gst_call_id create_call, bool is_known)
{
	struct gst_event e = {.process = process,
			      .handle = handle,
			      .flags = flags,
			      .create_call = create_call,
			      .destroy_call = GST_NONE,
			      .history_is_complete = is_known};

	gst_vec_push(&b->events, e);
	gst_vec_push(&b->event_captures, 0);
	return (uint32_t)b->events.count - 1;
}

static uint32_t event_of(struct gst_builder *b, uint32_t process, uint64_t handle)
{
	struct gst_map *lives = &b->processes.data[process].event_lives;
	uint32_t found;

	if (!handle)
		return GST_NONE;
	if (gst_map_get(lives, handle, &found))
		return found;
	found = new_event(b, process, handle, 0, GST_NONE, false);
	gst_map_put(lives, handle, found);
	return found;
}

static void define_events(struct gst_builder *b, uint32_t process)
{
	struct gst_raw_process *p = &b->processes.data[process];

	for (size_t i = 0; i < p->event_states.count; i++) {
		const struct gst_raw_event_state *s = &p->event_states.data[i];
		uint32_t e;

		if (p->has_segment && s->segment > p->first_segment)
			continue;
		e = new_event(b, process, s->handle, s->flags, GST_NONE, !s->corr);

		gst_map_put(&p->event_lives, s->handle, e);
	}
}

/*
 * Recording goes on after a gap: handles and events are what the snapshot says. What happened to them in
 * between is not known.
 */
static void begin_segment(struct gst_builder *b, uint32_t process,
			  const struct gst_raw_segment *segment, gst_call_id first)
{
	struct gst_raw_process *p = &b->processes.data[process];

	if (segment->is_unbroken)
		return;
	gst_map_release(&p->handles);
	memset(b->handle_cache, 0, sizeof(b->handle_cache));
	gst_map_release(&p->event_lives);
	gst_model_graphs_segment(b, process, segment->index, first);
	p->capture_floor = (uint32_t)b->captures.count;
	/* The loader gives definitions segment by segment. */
	for (; p->next_def < p->stream_defs.count; p->next_def++) {
		const struct gst_raw_stream_def *d = &p->stream_defs.data[p->next_def];

		if (d->segment > segment->index)
			break;
		if (d->segment == segment->index && !d->corr && d->rec.handle > HANDLE_PER_THREAD)
			gst_map_put(&p->handles, d->rec.handle, d->stream);
	}
	for (; p->next_event_state < p->event_states.count; p->next_event_state++) {
		const struct gst_raw_event_state *s = &p->event_states.data[p->next_event_state];

		if (s->segment > segment->index)
			break;
		if (s->segment == segment->index)
			gst_map_put(&p->event_lives, s->handle,
				    new_event(b, process, s->handle, s->flags, GST_NONE, !s->corr));
	}
}

/* ---- contexts of calls ------------------------------------------------------------------------------ */

static bool takes_stream(const struct gst_call *c)
{
	switch ((enum gst_api_class)c->cls) {
	case GST_API_CLASS_LAUNCH:
	case GST_API_CLASS_COPY:
	case GST_API_CLASS_MEMSET:
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_EVENT_WAIT:
	case GST_API_CLASS_STREAM_SYNC:
	case GST_API_CLASS_STREAM_QUERY:
	case GST_API_CLASS_HOST_FUNC:
	case GST_API_CLASS_STREAM_CALLBACK:
	case GST_API_CLASS_CAPTURE_BEGIN:
	case GST_API_CLASS_CAPTURE_END:
	case GST_API_CLASS_GRAPH_LAUNCH:
	case GST_API_CLASS_GRAPH_UPLOAD:
	case GST_API_CLASS_ALLOC_ASYNC:
	case GST_API_CLASS_FREE_ASYNC:
	case GST_API_CLASS_PREFETCH:
	case GST_API_CLASS_MEMOP:
		return true;
	case GST_API_CLASS_OTHER:
	case GST_API_CLASS_EVENT_CREATE:
	case GST_API_CLASS_EVENT_SYNC:
	case GST_API_CLASS_EVENT_QUERY:
	case GST_API_CLASS_EVENT_DESTROY:
	case GST_API_CLASS_EVENT_ELAPSED:
	case GST_API_CLASS_STREAM_CREATE:
	case GST_API_CLASS_STREAM_DESTROY:
	case GST_API_CLASS_CTX_SYNC:
	case GST_API_CLASS_CTX_CREATE:
	case GST_API_CLASS_CTX_DESTROY:
	case GST_API_CLASS_DEVICE_RESET:
	case GST_API_CLASS_GRAPH_INSTANTIATE:
	case GST_API_CLASS_GRAPH_UPDATE:
	case GST_API_CLASS_GRAPH_DESTROY:
	case GST_API_CLASS_GRAPH_BUILD:
	case GST_API_CLASS_ALLOC:
	case GST_API_CLASS_FREE:
	case GST_API_CLASS_HOST_ALLOC:
	case GST_API_CLASS_HOST_FREE:
	case GST_API_CLASS_HOST_REGISTER:
	case GST_API_CLASS_HOST_UNREGISTER:
	case GST_API_CLASS_POOL:
	case GST_API_CLASS_MODULE:
	case GST_API_CLASS_LIMIT:
	case GST_API_CLASS_PEER:
	case GST_API_CLASS_PROFILER:
	case GST_API_CLASS_COUNT:
		break;
	}
	return false;
}

static bool is_default_handle(uint64_t handle)
{
	return handle <= HANDLE_PER_THREAD;
}

/* A record that tells in which lane its op was: not a graph's node, whose stream is CUDA's own affair. */
static bool tells_lane(const struct gst_builder *b, const struct gst_raw_dev *d)
{
	if (d->bits & RAW_DEV_NODE || d->flags & GST_DEVICE_FLAG_CAPTURED ||
	    b->dev_lanes.data[d->lane].stream == GST_ID_NONE)
		return false;
	return d->kind != DEV_KIND(SYNC) || d->sync_type == GST_SYNC_STREAM_WAIT;
}

const struct gst_raw_dev *gst_model_lane_record(const struct gst_builder *b, uint32_t process,
						const struct gst_call *c, uint32_t dev)
{
	const struct gst_raw_process *p = &b->processes.data[process];
	bool is_launch = c->cls == GST_API_CLASS_GRAPH_LAUNCH;

	for (uint32_t i = dev; i != GST_NONE; i = p->devs.data[i].next) {
		const struct gst_raw_dev *d = &p->devs.data[i];

		if (tells_lane(b, d) && !(is_launch && d->kind == DEV_KIND(EVENT)))
			return d;
	}
	return NULL;
}

/* Is its context, if not known, not the current one either? */
static bool names_context(const struct gst_call *c)
{
	return c->cls == GST_API_CLASS_CTX_DESTROY || c->cls == GST_API_CLASS_DEVICE_RESET ||
	       gst_model_is_about_context(c);
}

/*
 * The context of each call: as recorded, else that of the thread's last call that tells (or first, before
 * that), else the only one of the process. Where all calls of a thread tell it, it is known already.
 */
static void find_contexts(struct gst_builder *b)
{
	struct gst_model *m = b->m;

	for (size_t raw = 0; raw < b->threads.count; raw++) {
		uint32_t t = b->threads.data[raw].final;
		uint32_t process = m->threads[t].process;
		struct gst_raw_process *p = &b->processes.data[process];
		uint32_t current = GST_NONE;
		uint32_t unknown = 0;

		for (uint32_t i = 0; i < m->threads[t].call_count && b->threads.data[raw].lacks_ctx;
		     i++) {
			struct gst_call *c = &m->calls[m->threads[t].calls[i]];
			const struct gst_raw_dev *d;
			uint32_t told;

			if (c->ctx) {
				current = gst_model_context(b, process, c->ctx);
			} else if (takes_stream(c) && is_default_handle(gst_call_handle(c)) &&
				   (d = gst_model_lane_record(b, process, c, c->stream)) != NULL &&
				   (told = b->dev_lanes.data[d->lane].ctx) != 0) {
				current = gst_model_context(b, process, told);
			}
			c->ctx = current;
			if (current == GST_NONE)
				unknown = i + 1;
			gst_model_name_context(b, process, c);
		}
		/* Calls before the first that tells. */
		if (unknown && unknown < m->threads[t].call_count) {
			current = m->calls[m->threads[t].calls[unknown]].ctx;
		} else if (unknown && p->context_count == 1) {
			current = p->last_context;
		}
		for (uint32_t i = 0; i < unknown; i++) {
			struct gst_call *c = &m->calls[m->threads[t].calls[i]];

			if (c->ctx == GST_NONE && !names_context(c))
				c->ctx = current;
		}
	}
}

/* ---- streams of calls --------------------------------------------------------------------------------- */

static struct gst_handle_cache *cache_of(struct gst_builder *b, uint32_t process, uint64_t handle)
{
	return &b->handle_cache[gst_hash_u64(handle ^ process) % HANDLE_CACHE];
}

/* @handle means @stream from here on; GST_NONE = nothing. */
static void set_handle(struct gst_builder *b, uint32_t process, uint64_t handle, uint32_t stream)
{
	struct gst_map *handles = &b->processes.data[process].handles;

	cache_of(b, process, handle)->handle = 0;
	if (stream == GST_NONE) {
		(void)gst_map_remove(handles, handle);
	} else {
		gst_map_put(handles, handle, stream);
	}
}

/* Did its context end? The handles of its streams may come again. */
static bool is_ended(const struct gst_builder *b, uint32_t stream)
{
	uint32_t ctx = b->streams.data[stream].out.ctx;
	uint32_t parent = ctx == GST_NONE ? GST_NONE : b->contexts.data[ctx].parent;

	/* A context that only a device record names, known since the walk began, did not end. */
	return (ctx < b->ctx_end_count && stream < b->ctx_ends[ctx].streams) ||
	       (parent < b->ctx_end_count && stream < b->ctx_ends[parent].streams);
}

static uint32_t stream_of_handle(struct gst_builder *b, const struct gst_call *c, uint64_t handle)
{
	uint32_t process = b->m->threads[c->thread].process;
	struct gst_handle_cache *cache;
	uint32_t found;

	if (handle == 0)
		return c->api_flags & (GST_API_PTSZ | GST_API_PTDS)
			       ? per_thread_of(b, process, c->thread, c->ctx)
			       : legacy_of(b, process, c->ctx);
	if (handle == HANDLE_LEGACY)
		return legacy_of(b, process, c->ctx);
	if (handle == HANDLE_PER_THREAD)
		return per_thread_of(b, process, c->thread, c->ctx);
	cache = cache_of(b, process, handle);
	if (cache->handle == handle && cache->process == process)
		return gst_model_root(b, cache->stream);
	if (!gst_map_get(&b->processes.data[process].handles, handle, &found) ||
	    is_ended(b, gst_model_root(b, found))) {
		/* Made before the trace began, or its creation was lost. */
		found = new_stream(b, process, c->ctx, GST_STREAM_KIND_UNKNOWN);
		b->streams.data[found].out.handle = handle;
		set_handle(b, process, handle, found);
	}
	*cache = (struct gst_handle_cache){handle, process, found};
	return gst_model_root(b, found);
}

/* Whether lane @r of device records may be what @h is in the map of handles. */
static bool may_join(const struct gst_raw_stream *h, const struct gst_raw_stream *r)
{
	if (h->out.cupti_id != GST_ID_NONE)
		return false;
	if (r->out.create_call != GST_NONE || (r->out.handle && r->out.handle != h->out.handle))
		return false;
	/* A handle that was not created in the trace tells no context: the record does. */
	if (h->out.ctx != r->out.ctx && h->out.kind != GST_STREAM_KIND_UNKNOWN &&
	    h->out.create_call == GST_NONE)
		return false;
	switch ((enum gst_stream_kind)h->out.kind) {
	case GST_STREAM_KIND_LEGACY:
		return r->out.kind == GST_STREAM_KIND_LEGACY ||
		       r->out.kind == GST_STREAM_KIND_UNKNOWN;
	case GST_STREAM_KIND_PER_THREAD:
		return (r->out.kind == GST_STREAM_KIND_BLOCKING && !r->out.handle) ||
		       r->out.kind == GST_STREAM_KIND_UNKNOWN;
	case GST_STREAM_KIND_BLOCKING:
	case GST_STREAM_KIND_NONBLOCKING:
		return r->out.kind == h->out.kind || r->out.kind == GST_STREAM_KIND_UNKNOWN;
	case GST_STREAM_KIND_UNKNOWN:
		return r->out.kind != GST_STREAM_KIND_LEGACY &&
		       r->out.kind != GST_STREAM_KIND_PER_THREAD;
	}
	return false;
}

/*
 * A stream of a green context is created with the primary as the current one; its records name the green one,
 * with the same number.
 */
static bool is_green_twin(const struct gst_builder *b, const struct gst_raw_stream *h,
			  const struct gst_raw_stream *r)
{
	return h->out.create_call != GST_NONE && r->out.create_call == GST_NONE &&
	       h->out.cupti_id != GST_ID_NONE && h->out.cupti_id == r->out.cupti_id &&
	       h->out.ctx != GST_NONE && r->out.ctx != GST_NONE &&
	       b->contexts.data[r->out.ctx].parent == h->out.ctx &&
	       r->out.kind == GST_STREAM_KIND_UNKNOWN;
}

/* @from turned out to be @into: what is known of either is known of both. */
static void join(struct gst_builder *b, uint32_t from, uint32_t into)
{
	struct gst_raw_stream *f = &b->streams.data[from];
	struct gst_raw_stream *t = &b->streams.data[into];

	if (f->out.kind != GST_STREAM_KIND_UNKNOWN)
		t->out.kind = f->out.kind;
	if (f->out.handle)
		t->out.handle = f->out.handle;
	if (f->out.thread != GST_NONE)
		t->out.thread = f->out.thread;
	if (f->out.create_call != GST_NONE)
		t->out.create_call = f->out.create_call;
	if (f->out.destroy_call != GST_NONE)
		t->out.destroy_call = f->out.destroy_call;
	if (f->out.priority)
		t->out.priority = f->out.priority;
	if (f->capture)
		t->capture = f->capture;
	if (t->out.ctx == GST_NONE)
		t->out.ctx = f->out.ctx;
	t->is_named |= f->is_named;
	if (t->out.kind == GST_STREAM_KIND_LEGACY && t->out.ctx != GST_NONE)
		b->contexts.data[t->out.ctx].legacy_stream = into;
	f->alias = into;
	b->has_joined_streams = true;
}

/* CUPTI names the primary context where a green one of it is current: whose default stream is meant? */
static bool is_default_of_green(const struct gst_builder *b, const struct gst_call *c,
				uint64_t handle)
{
	bool is_legacy = handle == HANDLE_LEGACY ||
			 (!handle && !(c->api_flags & (GST_API_PTSZ | GST_API_PTDS)));

	return is_legacy && c->ctx != GST_NONE && b->contexts.data[c->ctx].has_green;
}

/* The stream call @id names, by its handle and, if there is one, the record of what it submitted. */
static void resolve_stream(struct gst_builder *b, gst_call_id id, const struct gst_pending *raw)
{
	struct gst_call *c = &b->m->calls[id];
	uint32_t process = b->m->threads[c->thread].process;
	const struct gst_raw_dev *d;
	uint32_t by_record;

	if (!takes_stream(c) &&
	    (is_default_handle(raw->handle) ||
	     (c->cls != GST_API_CLASS_OTHER && c->cls != GST_API_CLASS_GRAPH_BUILD)))
		return;
	if (c->flags & GST_CALL_NO_ENTER || gst_model_is_about_context(c))
		return;
	/* Several records name several streams: the call, the first of them. */
	d = c->cls == GST_API_CLASS_LAUNCH && c->args != GST_NONE &&
			    b->args.data[c->args].flags & GST_LAUNCH_FLAG_MULTI_DEVICE
		    ? NULL
		    : gst_model_lane_record(b, process, c, raw->dev);
	c->stream = c->flags & GST_CALL_TOLD || is_default_of_green(b, c, raw->handle)
			    ? GST_NONE
			    : stream_of_handle(b, c, raw->handle);
	if (d) {
		by_record = gst_model_lane_of_dev(b, d->lane);
		if (c->stream == GST_NONE) {
			c->stream = by_record;
		} else if (c->stream != by_record) {
			if (may_join(&b->streams.data[c->stream], &b->streams.data[by_record]) ||
			    is_green_twin(b, &b->streams.data[c->stream],
					  &b->streams.data[by_record])) {
				join(b, c->stream, by_record);
			} else {
				note_conflict(b, process, c->enter_ns);
			}
			c->stream = by_record;
		}
	}
	if (c->stream != GST_NONE)
		b->streams.data[c->stream].is_named = true;
}

static void create_stream(struct gst_builder *b, gst_call_id id, const struct gst_pending *raw)
{
	struct gst_call *c = &b->m->calls[id];
	uint32_t process = b->m->threads[c->thread].process;
	struct gst_raw_process *p = &b->processes.data[process];
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->args.data[c->args];
	const struct gst_api *api = gst_api_find(c->api);
	bool is_nonblocking = (args && args->flags & STREAM_FLAG_NONBLOCKING) ||
			      (api && api->layout == GST_PARAMS_GREEN_STREAM_CREATE);
	uint32_t best = GST_NONE;
	uint32_t left = DEFS_OF_CALL_MAX;
	uint32_t def;
	struct gst_stream *s;

	if (!raw->value)
		return;
	/* The first call of a process makes the context and its internal streams too: ours came last. */
	if (gst_map_get(&p->created, c->corr, &def)) {
		for (; def != GST_NONE && left--; def = p->stream_defs.data[def].next_corr) {
			const struct gst_raw_stream_def *d = &p->stream_defs.data[def];

			if (d->is_claimed || d->rec.type == GST_STREAM_LEGACY || d->rec.thread ||
			    (d->rec.handle && d->rec.handle != raw->value))
				continue;
			if (best == GST_NONE || d->rec.handle ||
			    (!p->stream_defs.data[best].rec.handle &&
			     d->rec.stream > p->stream_defs.data[best].rec.stream))
				best = def;
		}
	} else if (gst_map_get(&p->def_handles, raw->value, &def)) {
		/* One that was used before this call is another life of the handle. */
		while (def != GST_NONE &&
		       (p->stream_defs.data[def].is_claimed ||
			b->streams.data[gst_model_root(b, p->stream_defs.data[def].stream)]
				.is_named))
			def = p->stream_defs.data[def].next_handle;
		best = def;
		gst_map_put(&p->def_handles, raw->value, def);
	}
	if (best != GST_NONE) {
		p->stream_defs.data[best].is_claimed = true;
		c->stream = gst_model_root(b, p->stream_defs.data[best].stream);
	} else {
		c->stream = new_stream(b, process, c->ctx, GST_STREAM_KIND_UNKNOWN);
	}
	s = &b->streams.data[c->stream].out;
	if (s->kind == GST_STREAM_KIND_UNKNOWN)
		s->kind = is_nonblocking ? GST_STREAM_KIND_NONBLOCKING : GST_STREAM_KIND_BLOCKING;
	if (args && args->extra && !s->priority)
		s->priority = args->extra;
	s->handle = raw->value;
	s->create_call = id;
	b->streams.data[c->stream].is_named = true;
	set_handle(b, process, raw->value, c->stream);
}

/* ---- the walk --------------------------------------------------------------------------------------------- */

/* A capture that was going on when a gap in the recording began is not known to go on after it. */
static bool is_capturing(const struct gst_builder *b, uint32_t process, uint32_t capture)
{
	return capture > b->processes.data[process].capture_floor && b->captures.data[capture - 1];
}

static bool succeeded(const struct gst_call *c)
{
	return !(c->flags & GST_CALL_RETURNED) || c->result == 0;
}

/* Was an event recorded, or awaited, with the flag that makes it a node of the captured graph? */
static bool is_external(const struct gst_builder *b, const struct gst_call *c)
{
	return c->cls != GST_API_CLASS_LAUNCH && c->args != GST_NONE &&
	       b->args.data[c->args].flags & EVENT_EXTERNAL;
}

/* G1. True if the call was made to a capturing stream, so that nothing of it runs. */
static bool walk_capture(struct gst_builder *b, const struct gst_call *c, bool is_ok)
{
	struct gst_raw_stream *s = c->stream == GST_NONE ? NULL : &b->streams.data[c->stream];
	uint32_t *in_event = c->event == GST_NONE ? NULL : &b->event_captures.data[c->event];
	uint32_t process = b->m->threads[c->thread].process;
	bool is_captured = s && is_capturing(b, process, s->capture);

	switch ((enum gst_api_class)c->cls) {
	case GST_API_CLASS_CAPTURE_BEGIN:
		if (is_ok && s && c->flags & GST_CALL_RETURNED) {
			gst_vec_push(&b->captures, true);
			s->capture = (uint32_t)b->captures.count;
		}
		return false;
	case GST_API_CLASS_CAPTURE_END:
		/* An invalid capture ends as well. */
		if (is_captured && c->result != RESULT_WRONG_THREAD)
			b->captures.data[s->capture - 1] = false;
		return false;
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_LAUNCH: /* by an attribute */
		/* An external record is a node that acts at launches: of the event it says nothing now. */
		if (is_captured && is_external(b, c))
			return true;
		if (is_ok && in_event)
			*in_event = is_captured ? s->capture : 0;
		if (is_ok && c->cls == GST_API_CLASS_LAUNCH && c->args != GST_NONE &&
		    b->args.data[c->args].b < b->events.count)
			b->event_captures.data[b->args.data[c->args].b] =
				is_captured ? s->capture : 0;
		return is_captured;
	case GST_API_CLASS_EVENT_WAIT:
		if (is_ok && s && in_event && is_capturing(b, process, *in_event) &&
		    !(is_captured && is_external(b, c))) {
			s->capture = *in_event;
			return true;
		}
		return is_captured;
	default:
		return is_captured && gst_model_submits(c) != GST_OP_KIND_COUNT;
	}
}

static bool is_event_class(const struct gst_call *c)
{
	switch (c->cls) {
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_EVENT_WAIT:
	case GST_API_CLASS_EVENT_SYNC:
	case GST_API_CLASS_EVENT_QUERY:
	case GST_API_CLASS_EVENT_DESTROY:
	case GST_API_CLASS_EVENT_ELAPSED:
	case GST_API_CLASS_LAUNCH: /* an attribute records it */
		return true;
	default:
		return false;
	}
}

/* Which record of the event CUPTI says was meant, or made; and how it numbers the event. */
static void find_sync_id(struct gst_builder *b, uint32_t process, gst_call_id id, uint32_t dev)
{
	struct gst_call *c = &b->m->calls[id];
	const struct gst_raw_dev *devs = b->processes.data[process].devs.data;
	uint8_t kind = c->cls == GST_API_CLASS_EVENT_RECORD ? DEV_KIND(EVENT) : DEV_KIND(SYNC);

	for (uint32_t d = dev; d != GST_NONE; d = devs[d].next) {
		if (devs[d].kind == kind && c->event != GST_NONE && devs[d].name != GST_ID_NONE)
			gst_map_put(&b->processes.data[process].event_ids, devs[d].name, c->event);
		if (devs[d].kind == kind && !(devs[d].flags & GST_DEVICE_FLAG_CAPTURED) &&
		    devs[d].sync_id) {
			c->sync_id = devs[d].sync_id;
			return;
		}
	}
}

static void walk_event(struct gst_builder *b, uint32_t process, gst_call_id id,
		       const struct gst_pending *raw)
{
	struct gst_call *c = &b->m->calls[id];
	struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->args.data[c->args];
	uint64_t handle;

	if (c->cls == GST_API_CLASS_EVENT_CREATE) {
		if (raw->value && succeeded(c)) {
			c->event =
				new_event(b, process, raw->value, args ? args->flags : 0, id, true);
			gst_map_put(&b->processes.data[process].event_lives, raw->value, c->event);
		}
		return;
	}
	if (c->cls == GST_API_CLASS_GRAPH_BUILD && args && args->b)
		c->event = event_of(b, process, args->b);
	if (c->cls == GST_API_CLASS_GRAPH_UPDATE && args && args->a && args->bytes)
		c->event = event_of(b, process, args->a);
	if (c->cls == GST_API_CLASS_OTHER && raw->value && succeeded(c)) {
		const struct gst_api *api = gst_api_find(c->api);

		/* E7: who else records it is not in the trace. */
		if (api && !strcmp(api->name, "cuIpcOpenEventHandle")) {
			c->event = new_event(b, process, raw->value, EVENT_INTERPROCESS, id, false);
			gst_map_put(&b->processes.data[process].event_lives, raw->value, c->event);
		}
		return;
	}
	if (!is_event_class(c) || (!args && !(raw->value && gst_call_names_event(c))))
		return;
	handle = args ? args->a : raw->value;
	c->event = event_of(b, process, handle);
	if (c->cls == GST_API_CLASS_EVENT_ELAPSED || c->cls == GST_API_CLASS_LAUNCH)
		args->b = event_of(b, process, args->b);
	if (c->cls == GST_API_CLASS_EVENT_DESTROY && c->event != GST_NONE && succeeded(c)) {
		b->events.data[c->event].destroy_call = id;
		(void)gst_map_remove(&b->processes.data[process].event_lives, handle);
	}
	if (raw->dev != GST_NONE && c->cls != GST_API_CLASS_LAUNCH)
		find_sync_id(b, process, id, raw->dev);
}

/* Where the address of an allocation, or the graph of a call, is known at its exit only. */
static void keep_value(struct gst_builder *b, const struct gst_call *c, uint64_t value)
{
	struct gst_call_args *args;

	if (!value)
		return;
	switch (c->cls) {
	case GST_API_CLASS_ALLOC:
	case GST_API_CLASS_ALLOC_ASYNC:
	case GST_API_CLASS_HOST_ALLOC:
	case GST_API_CLASS_GRAPH_INSTANTIATE:
	case GST_API_CLASS_CAPTURE_END:
		break;
	default:
		return;
	}
	if (c->args == GST_NONE)
		return;
	args = &b->args.data[c->args];
	if (c->cls == GST_API_CLASS_GRAPH_INSTANTIATE) {
		args->b = value;
	} else {
		args->a = value;
	}
}

/* Counted and spanned once it is final. */
static void note_call(struct gst_builder *b, const struct gst_call *c)
{
	uint64_t last_ns = c->flags & GST_CALL_RETURNED ? c->exit_ns : c->enter_ns;

	if (c->enter_ns < b->first_ns)
		b->first_ns = c->enter_ns;
	if (last_ns > b->last_ns)
		b->last_ns = last_ns;
	b->m->stats.calls_without_return += !(c->flags & GST_CALL_RETURNED);
	b->m->stats.captured_calls += (c->flags & GST_CALL_CAPTURED) != 0;
}

/* What the fields of @c held that get their meaning now. */
static struct gst_pending take_pending(const struct gst_builder *b, struct gst_call *c)
{
	struct gst_pending raw = {
		.handle = gst_call_handle(c),
		.value = c->event ? b->values.data[c->event - 1] : 0,
		.name = c->sync_id,
		.dev = c->stream,
	};

	c->stream = c->event = GST_NONE;
	c->first_op = c->op_count = c->sync_id = 0;
	return raw;
}

/* H10: all lanes of a context end with it. A primary context that is given back may live on. */
static void end_context(struct gst_builder *b, gst_call_id id)
{
	const struct gst_call *c = &b->m->calls[id];
	const struct gst_api *api;

	if (c->cls != GST_API_CLASS_DEVICE_RESET && c->cls != GST_API_CLASS_CTX_DESTROY)
		return;
	api = gst_api_find(c->api);
	if (c->ctx >= b->ctx_end_count ||
	    (c->cls == GST_API_CLASS_CTX_DESTROY && (!api || api->layout != GST_PARAMS_CTX)))
		return;
	b->ctx_ends[c->ctx].call = id;
	b->ctx_ends[c->ctx].streams = (uint32_t)b->streams.count;
	memset(b->handle_cache, 0, sizeof(b->handle_cache));
}

/* Launches, copies and memsets are most calls, and concern no event, no context and no graph. */
static bool is_plain_work(const struct gst_call *c)
{
	return c->cls == GST_API_CLASS_COPY || c->cls == GST_API_CLASS_MEMSET ||
	       (c->cls == GST_API_CLASS_LAUNCH && c->args == GST_NONE);
}

/* What call @id, no plain work, makes, ends or names besides its stream. */
static void walk_objects(struct gst_builder *b, uint32_t process, gst_call_id id,
			 const struct gst_pending *raw, bool is_ok)
{
	struct gst_call *c = &b->m->calls[id];

	if (raw->value && c->args == GST_NONE &&
	    (c->cls == GST_API_CLASS_ALLOC || c->cls == GST_API_CLASS_ALLOC_ASYNC ||
	     c->cls == GST_API_CLASS_HOST_ALLOC || c->cls == GST_API_CLASS_GRAPH_INSTANTIATE ||
	     c->cls == GST_API_CLASS_CAPTURE_END)) {
		gst_vec_push(&b->args, (struct gst_call_args){0});
		c->args = (uint32_t)b->args.count - 1;
	}
	/* A context's flags are those of the call that made it. */
	if (c->cls == GST_API_CLASS_CTX_CREATE && raw->value && is_ok)
		c->ctx = gst_model_context_of_handle(b, process, raw->value);
	walk_event(b, process, id, raw);
	keep_value(b, c, raw->value);
}

/* The stream that call @id makes, ends or names. */
static void walk_stream(struct gst_builder *b, uint32_t process, gst_call_id id,
			const struct gst_pending *raw, bool is_ok)
{
	struct gst_call *c = &b->m->calls[id];
	uint32_t s;

	if (c->cls == GST_API_CLASS_STREAM_CREATE) {
		if (is_ok)
			create_stream(b, id, raw);
	} else if (c->cls == GST_API_CLASS_STREAM_DESTROY) {
		if (!is_ok || !gst_map_get(&b->processes.data[process].handles, raw->handle, &s))
			return;
		c->stream = gst_model_root(b, s);
		b->streams.data[c->stream].out.destroy_call = id;
		b->streams.data[c->stream].is_named = true;
		set_handle(b, process, raw->handle, GST_NONE);
	} else {
		resolve_stream(b, id, raw);
	}
}

/*
 * The most frequent call by far: work that nothing is special about, in a stream made by the program and met before,
 * with its one record, which agrees. False, and nothing has happened: walk_call() has to look at all that may be.
 */
static bool walk_plain_work(struct gst_builder *b, uint32_t process, gst_call_id id)
{
	struct gst_call *c = &b->m->calls[id];
	const struct gst_raw_process *p = &b->processes.data[process];
	uint64_t handle = gst_call_handle(c);
	const struct gst_handle_cache *cache = cache_of(b, process, handle);
	const struct gst_raw_dev *d;
	struct gst_op *op;
	uint32_t stream;

	if (c->stream == GST_NONE || c->flags & (GST_CALL_NO_ENTER | GST_CALL_TOLD) ||
	    !succeeded(c) || is_default_handle(handle) || b->captures.count)
		return false;
	d = &p->devs.data[c->stream];
	stream = b->dev_lanes.data[d->lane].found;
	if (d->next != GST_NONE || d->kind > DEV_KIND(MEMSET) || !tells_lane(b, d) ||
	    stream == GST_NONE || b->streams.data[stream].alias != GST_NONE)
		return false;
	if (cache->handle != handle || cache->process != process || cache->stream != stream)
		return false;
	op = gst_model_add_op(b, gst_model_kind_of_dev(d), id, stream);
	op->detail = d->detail;
	if (op->kind == GST_OP_KERNEL)
		op->name = d->name ? d->name : c->sync_id;
	gst_model_set_times(b, op, d);
	b->streams.data[stream].is_named = true;
	c->stream = stream;
	c->event = GST_NONE;
	c->first_op = (gst_op_id)(b->ops.count - 1);
	c->op_count = 1;
	c->sync_id = 0;
	note_call(b, c);
	return true;
}

static void walk_call(struct gst_builder *b, gst_call_id id)
{
	struct gst_call *c = &b->m->calls[id];
	uint32_t process = b->m->threads[c->thread].process;
	struct gst_raw_process *p = &b->processes.data[process];
	bool is_plain = is_plain_work(c);
	bool is_ok = succeeded(c);
	struct gst_pending raw;
	bool is_captured;

	while (p->next_segment < p->segments.count &&
	       p->segments.data[p->next_segment].time_ns <= c->enter_ns) {
		if (p->next_segment)
			begin_segment(b, process, &p->segments.data[p->next_segment], id);
		p->next_segment++;
	}
	if (is_plain && walk_plain_work(b, process, id))
		return;
	raw = take_pending(b, c);
	if (!is_plain)
		walk_objects(b, process, id, &raw, is_ok);
	walk_stream(b, process, id, &raw, is_ok);
	if (!is_plain && is_ok && c->flags & GST_CALL_RETURNED)
		end_context(b, id);
	is_captured = (b->captures.count || c->cls == GST_API_CLASS_CAPTURE_BEGIN) &&
		      walk_capture(b, c, is_ok);
	if (is_captured)
		c->flags |= GST_CALL_CAPTURED;
	if (!is_plain)
		gst_model_graphs_walk(b, process, id);
	if (!is_ok && !(c->result == RESULT_NOT_READY && (c->cls == GST_API_CLASS_EVENT_QUERY ||
							  c->cls == GST_API_CLASS_STREAM_QUERY)))
		b->m->stats.errors++;
	gst_model_add_ops(b, id, &raw, is_ok && !is_captured);
	note_call(b, c);
}

/* Records whose call is not in the trace, by time. */
static void add_orphans(struct gst_builder *b, uint32_t process)
{
	struct gst_raw_process *p = &b->processes.data[process];
	GST_VEC(struct gst_sort_item) items = {0};

	if (p->claimed == p->devs.count)
		return;
	for (uint32_t d = 0; d < p->devs.count; d++) {
		struct gst_raw_dev *dev = &p->devs.data[d];

		if (dev->bits & RAW_DEV_CLAIMED || gst_model_kind_of_dev(dev) == GST_OP_KIND_COUNT)
			continue;
		if (!(dev->bits & RAW_DEV_BASED))
			gst_model_base_dev(b, dev);
		gst_vec_push(&items, (struct gst_sort_item){.key = dev->begin_ns, .value = d});
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count; i++)
		(void)gst_model_add_dev_op(b, process, &p->devs.data[items.data[i].value], GST_NONE,
					   GST_NONE);
	gst_vec_free(&items);
}

/* Calls that are walked before the one who follows is told of their ops. */
#define CALLS_AT_A_TIME 4096u

static gst_status walk_calls(struct gst_builder *b, struct gst_err *err)
{
	uint64_t joined = 0;

	gst_progress_tell(&b->walked, 0);
	for (uint32_t i = 0; i < b->m->call_count; i++) {
		if (i == joined)
			joined = gst_progress_wait(&b->joined, i);
		if (b->ops.count > MAX_OPS)
			return gst_err_set(err, GST_E_LIMIT, "more than %u ops", MAX_OPS);
		walk_call(b, i);
		if (i % CALLS_AT_A_TIME == 0)
			gst_progress_tell(&b->walked, b->ops.count);
	}
	return GST_OK;
}

struct resolving {
	struct gst_builder *b;
	struct gst_err *err;
	gst_status st;
};

/*
 * The walk, and beside it who goes before it, and then behind it: device records to the calls that it comes to, lanes
 * from the ops that it made. That one is task 0: with one thread all calls are joined when the walk begins.
 */
static void go_beside_or_walk(uint32_t i, void *payload)
{
	struct resolving *r = payload;

	if (!i) {
		gst_model_join_ahead(r->b);
		gst_model_lanes_follow(r->b);
	} else {
		r->st = walk_calls(r->b, r->err);
		gst_progress_end(&r->b->walked);
	}
}

/* The streams of a context that ended are gone. */
static void end_streams(struct gst_builder *b)
{
	for (uint32_t i = 0; i < b->streams.count; i++) {
		struct gst_stream *s = &b->streams.data[i].out;

		if (s->destroy_call == GST_NONE && is_ended(b, i) && s->ctx < b->ctx_end_count &&
		    i < b->ctx_ends[s->ctx].streams)
			s->destroy_call = b->ctx_ends[s->ctx].call;
	}
}

/* What only the walk needs is as large as all the rest: gone before its results are summed up. */
static void release_walk(struct gst_builder *b)
{
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];

		gst_vec_free(&p->devs);
		gst_vec_free(&p->stream_defs);
		gst_map_release(&p->handles);
		gst_map_release(&p->event_lives);
		gst_map_release(&p->creators);
		gst_map_release(&p->created);
		gst_map_release(&p->def_handles);
	}
	gst_vec_free(&b->values);
	gst_vec_free(&b->dev_lanes);
	gst_map_release(&b->dev_lane_map);
	gst_map_release(&b->lane_map);
}

gst_status gst_model_resolve(struct gst_builder *b, struct gst_err *err)
{
	struct resolving r = {b, err, GST_OK};

	for (uint32_t i = 0; i < b->processes.count; i++) {
		define_streams(b, i);
		define_events(b, i);
	}
	b->ctx_end_count = (uint32_t)b->contexts.count;
	b->ctx_ends = GST_ARENA_ARRAY(b->arena, struct gst_ctx_end, b->ctx_end_count);
	find_contexts(b);
	b->first_ns = UINT64_MAX;
	gst_model_lanes_begin(b);
	gst_parallel_run(2, go_beside_or_walk, &r);
	if (r.st)
		return r.st;
	for (size_t i = 0; i < b->untold.count; i++) {
		const struct gst_untold *u = &b->untold.data[i];

		(void)gst_model_tell_record_nodes(b, u->process, u->first, u->count, u->dev, NULL);
	}
	for (uint32_t i = 0; i < b->processes.count; i++)
		add_orphans(b, i);
	if (b->ops.count > MAX_OPS)
		return gst_err_set(err, GST_E_LIMIT, "more than %u ops", MAX_OPS);
	end_streams(b);
	release_walk(b);
	gst_model_lanes_finish(b);
	return GST_OK;
}
