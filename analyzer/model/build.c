/*
 * build.c - gst_model_build: records in, model out.
 *
 * Role      : runs the steps (ingest, clocks, sort, correlate, resolve) and moves the results into the
 *             arena in their final order.
 * Method    : tables grow in vectors; ids become final when their number is known. Calls are sorted by
 *             enter, ties by thread; device records find their call by correlation id.
 * Invariant : the order of the chunks of different threads in the file does not matter.
 * Not here  : what a record means (model_ingest.c), streams, events and ops (model_resolve.c).
 */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/parallel.h"
#include "analyzer/base/sort.h"
#include "analyzer/model/model_internal.h"

#define MAX_ITEMS (UINT32_MAX - 16u)

/* A time is a time only below this: what is above comes from a broken clock. */
#define SANE_NS (UINT64_C(1) << 62)

/* The number first: the vector is empty then. */
#define TAKE(b, vec, items, number)                              \
	do {                                                     \
		(number) = (uint32_t)(vec).count;                \
		GST_ARENA_TAKE_VEC((b)->arena, (items), &(vec)); \
	} while (0)

/* ---- order of threads, contexts, devices: by number, whatever came first in the file ---------------- */

static void sort_threads(struct gst_builder *b)
{
	size_t count = b->threads.count;
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	struct gst_thread *out = GST_ARENA_ARRAY(b->arena, struct gst_thread, count);

	for (size_t i = 0; i < count; i++) {
		items[i].key =
			(uint64_t)b->threads.data[i].process << 32 | b->threads.data[i].index;
		items[i].value = (uint32_t)i;
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		struct gst_raw_thread *t = &b->threads.data[items[i].value];

		t->final = (uint32_t)i;
		out[i].process = t->process;
		out[i].index = t->index & ~GST_TOLD_THREAD;
		out[i].tid = t->tid;
		out[i].name = t->name;
	}
	b->m->threads = out;
	b->m->thread_count = (uint32_t)count;
	gst_mem_free(items, count * sizeof(*items));
}

/* Give the things of @map their final numbers: @at maps old to new. */
static uint32_t *ranks(const uint32_t *process, const uint32_t *cupti_id, size_t count)
{
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	uint32_t *at = gst_mem_alloc(count * sizeof(*at));

	for (size_t i = 0; i < count; i++) {
		items[i].key = (uint64_t)process[i] << 32 | cupti_id[i];
		items[i].value = (uint32_t)i;
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++)
		at[items[i].value] = (uint32_t)i;
	gst_mem_free(items, count * sizeof(*items));
	return at;
}

static uint32_t rank_of(const uint32_t *at, uint32_t id)
{
	return id == GST_NONE ? GST_NONE : at[id];
}

/* Of what device records name. */
static uint32_t rank_of_dev(const struct gst_builder *b, const uint32_t *at, uint32_t id)
{
	return id == GST_NONE ? GST_NONE : at[b->dev_contexts.data[id].index];
}

/* Contexts that only device records or definitions of streams name. */
static void collect_contexts(struct gst_builder *b)
{
	for (size_t i = 0; i < b->dev_contexts.count; i++) {
		struct gst_raw_context *c = &b->dev_contexts.data[i];

		c->index = gst_model_context(b, c->process, c->cupti_id);
	}
	for (uint32_t i = 0; i < b->processes.count; i++) {
		const struct gst_raw_process *p = &b->processes.data[i];

		for (size_t d = 0; d < p->stream_defs.count; d++)
			(void)gst_model_context(b, i, p->stream_defs.data[d].rec.ctx);
	}
}

static void sort_contexts(struct gst_builder *b)
{
	size_t count = b->contexts.count;
	size_t devices = b->devices.count;
	size_t most = count > devices ? count : devices;
	uint32_t *process = gst_mem_alloc(most * sizeof(*process));
	uint32_t *id = gst_mem_alloc(most * sizeof(*id));
	struct gst_context *contexts = gst_mem_alloc(count * sizeof(*contexts));
	struct gst_device *sorted = gst_mem_alloc(devices * sizeof(*sorted));
	uint32_t *ctx_at;
	uint32_t *device_at;

	for (size_t i = 0; i < count; i++) {
		process[i] = b->contexts.data[i].process;
		id[i] = b->contexts.data[i].cupti_id;
	}
	ctx_at = ranks(process, id, count);
	for (size_t i = 0; i < devices; i++) {
		process[i] = b->devices.data[i].process;
		id[i] = b->devices.data[i].cupti_id;
	}
	device_at = ranks(process, id, devices);
	for (size_t i = 0; i < count; i++) {
		struct gst_context *c = &contexts[ctx_at[i]];

		*c = b->contexts.data[i];
		c->device = rank_of(device_at, c->device);
		c->parent = rank_of(ctx_at, c->parent);
		gst_map_put(&b->processes.data[c->process].contexts, c->cupti_id, ctx_at[i]);
		b->processes.data[c->process].has_recent_context = false;
		b->processes.data[c->process].last_context = ctx_at[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (contexts[i].parent != GST_NONE)
			contexts[contexts[i].parent].has_green = true;
	}
	for (size_t i = 0; i < devices; i++)
		sorted[device_at[i]] = b->devices.data[i];
	for (size_t i = 0; i < b->copies.count; i++) {
		b->copies.data[i].src_ctx = rank_of_dev(b, ctx_at, b->copies.data[i].src_ctx);
		b->copies.data[i].dst_ctx = rank_of_dev(b, ctx_at, b->copies.data[i].dst_ctx);
	}
	for (size_t i = 0; i < b->kernels.count; i++)
		b->kernels.data[i].ctx = rank_of_dev(b, ctx_at, b->kernels.data[i].ctx);
	for (size_t i = 0; i < b->memory.count; i++)
		b->memory.data[i].out.ctx = rank_of_dev(b, ctx_at, b->memory.data[i].out.ctx);
	if (count)
		memcpy(b->contexts.data, contexts, count * sizeof(*contexts));
	if (devices)
		memcpy(b->devices.data, sorted, devices * sizeof(*sorted));
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_context *c = &b->contexts.data[i];
		uint32_t *only;
		bool is_new;

		if (c->parent != GST_NONE || c->device == GST_NONE)
			continue;
		only = gst_map_add(&b->processes.data[c->process].only_contexts,
				   b->devices.data[c->device].cupti_id, i, &is_new);
		if (!is_new)
			*only = GST_NONE;
	}
	gst_mem_free(device_at, devices * sizeof(*device_at));
	gst_mem_free(ctx_at, count * sizeof(*ctx_at));
	gst_mem_free(sorted, devices * sizeof(*sorted));
	gst_mem_free(contexts, count * sizeof(*contexts));
	gst_mem_free(id, most * sizeof(*id));
	gst_mem_free(process, most * sizeof(*process));
}

/* ---- clocks ---------------------------------------------------------------------------------------- */

static void note(struct gst_builder *b, uint32_t process, uint32_t code, const char *text,
		 int32_t detail)
{
	struct gst_note n = {.process = process,
			     .code = code,
			     .text = gst_strtab_intern(b->m->strings, text, strlen(text)),
			     .detail = detail};

	gst_vec_push(&b->notes, n);
}

/* REALTIME minus MONOTONIC of the process at its start; false = not told. */
static bool real_offset(const struct gst_raw_process *p, uint64_t *offset)
{
	if (p->clock.anchors.count && p->clock.anchors.data[0].real_ns) {
		*offset = p->clock.anchors.data[0].real_ns - p->clock.anchors.data[0].mono_ns;
		return true;
	}
	if (p->out.has_trace && p->out.trace.start_real_ns) {
		*offset = p->out.trace.start_real_ns - p->out.trace.start_mono_ns;
		return true;
	}
	return false;
}

/* Offsets of all processes to the first one's MONOTONIC: the same boot shares it, others meet by REALTIME. */
static void align_processes(struct gst_builder *b)
{
	const struct gst_raw_process *first = b->processes.data;
	uint64_t first_offset = 0;
	bool has_first = b->processes.count && real_offset(first, &first_offset);

	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];
		uint64_t offset;

		p->out.mono_to_model_ns = 0;
		if (!i || (p->out.rec.boot_hi == first->out.rec.boot_hi &&
			   p->out.rec.boot_lo == first->out.rec.boot_lo))
			continue;
		if (has_first && real_offset(p, &offset)) {
			p->out.mono_to_model_ns = (int64_t)(offset - first_offset);
		} else {
			note(b, (uint32_t)i, GST_NOTE_TEXT,
			     "clock not aligned with the first process: no wall clock in the trace",
			     0);
		}
	}
}

static uint64_t to_first(const struct gst_raw_process *p, uint64_t mono_ns)
{
	return mono_ns + (uint64_t)p->out.mono_to_model_ns;
}

static void take_min(uint64_t *least, uint64_t ns)
{
	if (ns && ns < SANE_NS && ns < *least)
		*least = ns;
}

static uint64_t since_base(const struct gst_builder *b, uint64_t ns)
{
	return ns < SANE_NS && ns > b->m->base_ns ? ns - b->m->base_ns : 0;
}

static void convert_range(struct gst_raw_process *p, uint64_t *begin_ns, uint64_t *end_ns,
			  uint64_t enter_ns, bool *is_good)
{
	*is_good = *begin_ns && *end_ns && *begin_ns <= *end_ns && *end_ns < SANE_NS;
	if (!*is_good) {
		*begin_ns = *end_ns = 0;
		return;
	}
	*begin_ns = gst_clock_map_to_mono_after(&p->clock, *begin_ns, enter_ns);
	*end_ns = gst_clock_map_to_mono_after(&p->clock, *end_ns, *begin_ns);
	*begin_ns = to_first(p, *begin_ns);
	*end_ns = to_first(p, *end_ns);
	/* Around a step of the clock two times may change places. */
	if (*end_ns < *begin_ns || *begin_ns >= SANE_NS || *end_ns >= SANE_NS) {
		*begin_ns = *end_ns = 0;
		*is_good = false;
	}
}

static int compare_enters(const void *a, const void *b)
{
	const struct gst_call *x = a;
	const struct gst_call *y = b;

	if (x->enter_ns != y->enter_ns)
		return x->enter_ns < y->enter_ns ? -1 : 1;
	return x->corr < y->corr ? -1 : x->corr > y->corr;
}

/* Calls that CUPTI's records tell come in any order and with the clock of device records. */
static void convert_told(struct gst_builder *b)
{
	for (size_t t = 0; t < b->threads.count; t++) {
		struct gst_raw_thread *thread = &b->threads.data[t];
		struct gst_clock_map *clock = &b->processes.data[thread->process].clock;

		if (!thread->is_told)
			continue;
		for (size_t i = 0; i < thread->calls.count; i++) {
			struct gst_call *c = &thread->calls.data[i];

			if (!(c->flags & GST_CALL_TOLD))
				continue;
			c->enter_ns = gst_clock_map_to_mono_after(clock, c->enter_ns, 0);
			if (c->flags & GST_CALL_RETURNED)
				c->exit_ns =
					gst_clock_map_to_mono_after(clock, c->exit_ns, c->enter_ns);
		}
		qsort(thread->calls.data, thread->calls.count, sizeof(struct gst_call),
		      compare_enters);
	}
}

/* When the first call with a correlation id was made, for device records whose time is ambiguous. */
struct enters {
	struct gst_map by_corr;
	GST_VEC(uint64_t) ns;
};

static void find_enters(const struct gst_builder *b, uint32_t process, struct enters *enters)
{
	for (size_t t = 0; t < b->threads.count; t++) {
		const struct gst_raw_thread *thread = &b->threads.data[t];

		if (thread->process != process || thread->is_told)
			continue;
		for (size_t i = 0; i < thread->calls.count; i++) {
			bool is_new;

			(void)gst_map_add(&enters->by_corr, thread->calls.data[i].corr,
					  (uint32_t)enters->ns.count, &is_new);
			if (is_new)
				gst_vec_push(&enters->ns, thread->calls.data[i].enter_ns);
		}
	}
}

static uint64_t enter_of(const struct enters *enters, uint32_t corr)
{
	uint32_t at;

	return gst_map_get(&enters->by_corr, corr, &at) ? enters->ns.data[at] : 0;
}

/* The first moment of all calls, on the clock of the first process. */
static void find_first_enter(const struct gst_builder *b, uint64_t *least)
{
	for (size_t t = 0; t < b->threads.count; t++) {
		const struct gst_raw_thread *thread = &b->threads.data[t];
		const struct gst_raw_process *p = &b->processes.data[thread->process];

		for (size_t i = 0; i < thread->calls.count; i++)
			take_min(least, to_first(p, thread->calls.data[i].enter_ns));
	}
}

static void convert_times(struct gst_builder *b)
{
	uint64_t least = UINT64_MAX;
	uint64_t offset = 0;
	bool is_good;

	align_processes(b);
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];
		struct enters enters = {0};
		uint64_t steps = 0;

		gst_clock_map_seal(&p->clock, &steps);
		p->out.clock_uncertainty_ns = p->clock.uncertainty_ns;
		b->m->stats.clock_steps += steps;
		if (steps)
			note(b, (uint32_t)i, GST_NOTE_CLOCK_STEP,
			     "the wall clock stepped during the recording",
			     steps > INT32_MAX ? INT32_MAX : (int32_t)steps);
		if (steps)
			find_enters(b, (uint32_t)i, &enters);
		for (size_t d = 0; d < p->devs.count; d++) {
			struct gst_raw_dev *dev = &p->devs.data[d];
			uint64_t enter_ns = 0;

			if (steps && dev->corr)
				enter_ns = enter_of(&enters, dev->corr);
			convert_range(p, &dev->begin_ns, &dev->end_ns, enter_ns, &is_good);
			if (is_good) {
				dev->bits |= RAW_DEV_TIMED;
				take_min(&least, dev->begin_ns);
			}
		}
		gst_map_release(&enters.by_corr);
		gst_vec_free(&enters.ns);
	}
	convert_told(b);
	find_first_enter(b, &least);
	for (size_t i = 0; i < b->nvtx.count; i++) {
		struct gst_raw_nvtx *n = &b->nvtx.data[i];

		n->time_ns = to_first(&b->processes.data[b->threads.data[n->thread].process],
				      n->time_ns);
		take_min(&least, n->time_ns);
	}
	/* Whole milliseconds: the times of a small text trace stay as they were written. */
	b->m->base_ns = least == UINT64_MAX ? 0 : least - least % 1000000;
	/* A window of a trace has the times of the whole. */
	if (b->base_ns && b->base_ns < least)
		b->m->base_ns = b->base_ns;
	if (b->processes.count && real_offset(b->processes.data, &offset))
		b->m->real_base_ns = b->m->base_ns + offset;
	/* Calls and device records get theirs where they are touched next: place_call, correlate. */
	for (size_t i = 0; i < b->nvtx.count; i++)
		b->nvtx.data[i].time_ns = since_base(b, b->nvtx.data[i].time_ns);
	for (size_t i = 0; i < b->memory.count; i++) {
		struct gst_memory_record *r = &b->memory.data[i].out;
		uint64_t end_ns = r->time_ns;

		convert_range(&b->processes.data[r->process], &r->time_ns, &end_ns, 0, &is_good);
		r->time_ns = since_base(b, r->time_ns);
	}
	for (size_t i = 0; i < b->overheads.count; i++) {
		struct gst_overhead *o = &b->overheads.data[i];

		convert_range(&b->processes.data[o->process], &o->begin_ns, &o->end_ns, 0,
			      &is_good);
		o->begin_ns = since_base(b, o->begin_ns);
		o->end_ns = since_base(b, o->end_ns);
	}
	for (size_t i = 0; i < b->losses.count; i++) {
		struct gst_loss *l = &b->losses.data[i];
		const struct gst_raw_process *p = &b->processes.data[l->process];

		if (l->since_ns)
			l->since_ns = since_base(b, to_first(p, l->since_ns));
		if (l->until_ns && l->until_ns != UINT64_MAX)
			l->until_ns = since_base(b, to_first(p, l->until_ns));
	}
	for (size_t i = 0; i < b->gaps.count; i++) {
		struct gst_gap *g = &b->gaps.data[i];
		const struct gst_raw_process *p = &b->processes.data[g->process];

		g->from_ns = since_base(b, to_first(p, g->from_ns));
		if (g->to_ns != UINT64_MAX)
			g->to_ns = since_base(b, to_first(p, g->to_ns));
	}
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];

		for (size_t k = 0; k < p->segments.count; k++)
			p->segments.data[k].time_ns =
				since_base(b, to_first(p, p->segments.data[k].time_ns));
	}
	for (size_t i = 0; i < b->notes.count; i++) {
		struct gst_note *n = &b->notes.data[i];

		if (n->time_ns)
			n->time_ns =
				since_base(b, to_first(&b->processes.data[n->process], n->time_ns));
	}
}

/* ---- what notes void ---------------------------------------------------------------------------------- */

static void void_records(struct gst_builder *b, uint32_t process, uint32_t kind, uint32_t reason,
			 uint64_t since_ns)
{
	struct gst_loss loss = {.process = process,
				.kind = kind,
				.reason = reason,
				.since_ns = since_ns,
				.until_ns = since_ns ? UINT64_MAX : 0};

	/* The tracer counts some of them itself. */
	for (size_t i = 0; i < b->losses.count; i++) {
		const struct gst_loss *old = &b->losses.data[i];

		if (old->process == process && old->reason == reason &&
		    (!old->kind || old->kind == kind))
			return;
	}
	b->processes.data[process].out.is_complete = false;
	gst_vec_push(&b->losses, loss);
}

/* The kind of records that the tracer calls @name; false = nothing rests on them. */
static bool kind_of_name(const char *name, uint32_t *kind)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} kinds[] = {
		{"device", GST_REC_DEVICE},	   {"context", GST_REC_CONTEXT},
		{"stream", GST_REC_STREAM},	   {"concurrent kernel", GST_REC_KERNEL},
		{"memcpy", GST_REC_MEMCPY},	   {"peer memcpy", GST_REC_MEMCPY},
		{"memset", GST_REC_MEMSET},	   {"graph", GST_REC_GRAPH_RUN},
		{"synchronization", GST_REC_SYNC}, {"event", GST_REC_EVENT},
	};

	*kind = 0;
	if (!strcmp(name, "memory") || !strcmp(name, "overhead"))
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(name, kinds[i].name))
			*kind = kinds[i].kind;
	}
	return true;
}

/* What the tracer says it could not record is missing, as much as what was lost. */
static void heed_notes(struct gst_builder *b)
{
	for (size_t i = 0; i < b->notes.count; i++) {
		const struct gst_note *n = &b->notes.data[i];
		uint32_t kind;

		switch (n->code) {
		case GST_NOTE_CALLBACK_OFF:
			void_records(b, n->process, GST_REC_CALL, GST_LOSS_REFUSED, 0);
			break;
		case GST_NOTE_ACTIVITY_OFF:
			void_records(b, n->process, GST_REC_KERNEL, GST_LOSS_REFUSED, 0);
			break;
		case GST_NOTE_KIND_OFF:
			if (kind_of_name(gst_strtab_get(b->m->strings, n->text, NULL), &kind))
				void_records(b, n->process, kind, GST_LOSS_REFUSED, 0);
			break;
		case GST_NOTE_FLUSH_HUNG:
			void_records(b, n->process, GST_REC_KERNEL, GST_LOSS_FLUSH_HUNG, 0);
			break;
		case GST_NOTE_CUPTI_FATAL:
			void_records(b, n->process, 0, GST_LOSS_REFUSED, n->time_ns);
			break;
		case GST_NOTE_WRITE_FAILED:
			void_records(b, n->process, 0, GST_LOSS_WRITE_FAILED, n->time_ns);
			break;
		default:
			break;
		}
	}
}

/* ---- calls ------------------------------------------------------------------------------------------- */

/* Of a handle that several contexts had nobody knows which is meant. */
uint32_t gst_model_context_of_handle(struct gst_builder *b, uint32_t process, uint64_t handle)
{
	uint32_t cupti_id;

	if (!handle ||
	    !gst_map_get(&b->processes.data[process].context_handles, handle, &cupti_id) ||
	    !cupti_id)
		return GST_NONE;
	return gst_model_context(b, process, cupti_id);
}

/* The only context of device @number that is no green one; GST_NONE: none, or several. */
static uint32_t context_of_device(const struct gst_builder *b, uint32_t process, uint64_t number)
{
	uint32_t ctx;

	return number < UINT32_MAX &&
			       gst_map_get(&b->processes.data[process].only_contexts, number, &ctx)
		       ? ctx
		       : GST_NONE;
}

bool gst_model_is_about_context(const struct gst_call *c)
{
	const struct gst_api *api;

	/* Those of a stream, which are many, are told by their flags. */
	if ((c->cls != GST_API_CLASS_EVENT_RECORD && c->cls != GST_API_CLASS_EVENT_WAIT) ||
	    c->api_flags & GST_API_HOT)
		return false;
	api = gst_api_find(c->api);
	return api && api->layout == GST_PARAMS_CTX_EVENT;
}

void gst_model_name_context(struct gst_builder *b, uint32_t process, struct gst_call *c)
{
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->args.data[c->args];
	const struct gst_api *api;
	uint32_t named;

	switch (c->cls) {
	case GST_API_CLASS_CTX_SYNC:
		api = gst_api_find(c->api);
		named = args && api && api->layout == GST_PARAMS_CTX
				? gst_model_context_of_handle(b, process, args->a)
				: GST_NONE;
		c->ctx = named == GST_NONE ? c->ctx : named;
		break;
	case GST_API_CLASS_CTX_DESTROY:
	case GST_API_CLASS_DEVICE_RESET:
		api = gst_api_find(c->api);
		if (api && api->layout == GST_PARAMS_CTX) {
			c->ctx = args ? gst_model_context_of_handle(b, process, args->a) : GST_NONE;
		} else if (api && api->layout == GST_PARAMS_DEVICE) {
			c->ctx = context_of_device(b, process, args ? args->b : 0);
		}
		break;
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_EVENT_WAIT:
		if (!gst_model_is_about_context(c))
			break;
		/* Traces of before do not tell: it is clear where there is but one. */
		if (args && args->bytes) {
			c->ctx = gst_model_context_of_handle(b, process, args->bytes);
		} else {
			c->ctx = b->processes.data[process].context_count == 1
					 ? b->processes.data[process].last_context
					 : GST_NONE;
		}
		break;
	case GST_API_CLASS_OTHER:
		api = gst_api_find(c->api);
		if (api && api->layout == GST_PARAMS_DEVICE_FLAGS)
			c->ctx = context_of_device(b, process,
						   args ? (uint32_t)(args->extra - 1) : 0);
		break;
	default:
		break;
	}
}

/* The calls of one thread that are not in their place yet. */
struct run {
	struct gst_call *next, *end;
	uint32_t *ids; /* of the thread: gets that of the next one */
	uint32_t raw, process;
};

struct head {
	uint64_t key;
	uint32_t run; /* equal keys: the lower thread first */
};

static uint64_t enter_ns(const struct gst_builder *b, const struct run *run)
{
	return since_base(b, to_first(&b->processes.data[run->process], run->next->enter_ns));
}

/* Several calls have one correlation id: @id comes after those that do. */
static void chain_same(struct gst_builder *b, uint32_t process, uint32_t corr, gst_call_id first,
		       gst_call_id id)
{
	uint32_t *last;

	if (!b->same_id) {
		b->same_id = gst_mem_alloc(b->call_count * sizeof(*b->same_id));
		memset(b->same_id, 0xff, b->call_count * sizeof(*b->same_id));
	}
	last = gst_map_add(&b->last_same, (uint64_t)process << 32 | corr, first, NULL);
	b->same_id[*last] = id;
	*last = id;
}

/* Call @id of the model: the next one of @run. Its times become the model's. */
static void place_call(struct gst_builder *b, struct run *run, gst_call_id id)
{
	struct gst_call *c = &b->m->calls[id];
	struct gst_raw_process *p = &b->processes.data[run->process];
	const struct gst_raw_thread *t = &b->threads.data[run->raw];

	if (c != run->next)
		*c = *run->next;
	run->next++;
	*run->ids++ = id;
	c->enter_ns = since_base(b, to_first(p, c->enter_ns));
	if (c->flags & GST_CALL_RETURNED) {
		c->exit_ns = since_base(b, to_first(p, c->exit_ns));
		/* A time beyond reason became 0. */
		if (c->exit_ns < c->enter_ns)
			c->exit_ns = c->enter_ns;
	}
	c->thread = t->final;
	if (!t->lacks_ctx) {
		c->ctx = gst_model_context(b, run->process, c->ctx);
		gst_model_name_context(b, run->process, c);
	}
	if (!c->corr)
		return;
	/* The first call of a process makes streams whatever it is: only these give handles. */
	if (c->cls == GST_API_CLASS_STREAM_CREATE)
		gst_map_put(&p->creators, c->corr, id);
	if (p->dense) {
		uint32_t *first = &p->dense[c->corr];

		if (*first == GST_NONE) {
			*first = id;
		} else {
			chain_same(b, run->process, c->corr, *first, id);
		}
	} else {
		bool is_new;
		uint32_t first = *gst_map_add(&p->sparse, c->corr, id, &is_new);

		if (!is_new)
			chain_same(b, run->process, c->corr, first, id);
	}
}

static bool is_before(struct head a, struct head b)
{
	return a.key != b.key ? a.key < b.key : a.run < b.run;
}

/* The head at @at may be too large for its place. */
static void sink(struct head *heads, size_t count, size_t at)
{
	struct head moved = heads[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && is_before(heads[child + 1], heads[child]))
			child++;
		if (!is_before(heads[child], moved))
			break;
		heads[at] = heads[child];
		at = child;
	}
	heads[at] = moved;
}

/* Where the calls are found by their correlation ids. */
static void make_corr_tables(struct gst_builder *b)
{
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];
		size_t size = (size_t)p->most_corr + 1;

		/* Correlation ids count up by one a call: a plain array, unless the file says otherwise. */
		if (size > 8 * (size_t)p->call_count + 65536)
			continue;
		p->dense_size = size;
		p->dense = gst_mem_alloc(size * sizeof(*p->dense));
		memset(p->dense, 0xff, size * sizeof(*p->dense));
	}
}

/* Where the calls go. Those of a single thread will stay where they are. */
static void make_calls(struct gst_builder *b)
{
	b->m->call_count = (uint32_t)b->call_count;
	if (b->threads.count != 1)
		b->m->calls = GST_ARENA_ARRAY(b->arena, struct gst_call, b->call_count);
}

/* Where the ops go, as many as there will be if nothing was lost or captured. */
static void make_ops(struct gst_builder *b)
{
	static const enum gst_api_class classes[] = {
		GST_API_CLASS_EVENT_RECORD,    GST_API_CLASS_EVENT_WAIT,
		GST_API_CLASS_HOST_FUNC,       GST_API_CLASS_GRAPH_LAUNCH,
		GST_API_CLASS_STREAM_CALLBACK, GST_API_CLASS_ALLOC_ASYNC,
		GST_API_CLASS_FREE_ASYNC,      GST_API_CLASS_MEMOP,
	};
	uint64_t count = b->detail_count;

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		count += b->class_calls[classes[i]];
	gst_vec_reserve(&b->ops, count);
}

/*
 * By the begin of the call, then by thread: the threads' calls are merged. Each thread's are in the order of
 * its records; an enter before the last one cannot be, and counts as if it were at the same time.
 */
static void sort_calls(struct gst_builder *b)
{
	size_t threads = b->threads.count;
	struct run *runs = gst_mem_alloc(threads * sizeof(*runs));
	struct head *heads = gst_mem_alloc(threads * sizeof(*heads));
	uint32_t *by_thread = GST_ARENA_ARRAY(b->arena, uint32_t, b->call_count);
	size_t count = 0;
	gst_call_id id = 0;

	if (threads == 1)
		GST_ARENA_TAKE_VEC(b->arena, b->m->calls, &b->threads.data[0].calls);
	for (size_t i = 0; i < threads; i++) {
		struct gst_raw_thread *t = &b->threads.data[i];
		struct run *run = &runs[t->final];

		run->raw = (uint32_t)i;
		run->process = t->process;
		run->next = threads == 1 ? b->m->calls : t->calls.data;
		run->end = run->next;
		if (run->next) /* none at all: no place to count from */
			run->end += threads == 1 ? b->call_count : t->calls.count;
	}
	for (size_t i = 0; i < threads; i++) {
		struct gst_thread *t = &b->m->threads[i];

		t->call_count = (uint32_t)(runs[i].end - runs[i].next);
		t->calls = runs[i].ids = by_thread;
		by_thread += t->call_count;
		if (t->call_count)
			heads[count++] = (struct head){enter_ns(b, &runs[i]), (uint32_t)i};
	}
	for (size_t i = count / 2; i-- > 0;)
		sink(heads, count, i);
	make_corr_tables(b);
	while (count) {
		struct run *run = &runs[heads[0].run];

		place_call(b, run, id++);
		if (run->next != run->end) {
			uint64_t key = enter_ns(b, run);

			if (key > heads[0].key)
				heads[0].key = key;
		} else {
			gst_vec_free(&b->threads.data[run->raw].calls);
			heads[0] = heads[--count];
		}
		sink(heads, count, 0);
	}
	GST_ASSERT(id == b->call_count);
	gst_mem_free(heads, threads * sizeof(*heads));
	gst_mem_free(runs, threads * sizeof(*runs));
}

/* Calls with one correlation id that are looked at: those a call of the runtime makes inside. */
#define SHARED_MAX 64u

enum claim { CLAIM_NONE, CLAIM_WEAK, CLAIM_STRONG };

/* Can what @d tells of have been submitted by @c? A stale correlation id names just any call. */
static enum claim claim_of(const struct gst_call *c, const struct gst_raw_dev *d)
{
	const enum gst_api_class cls = c->cls;
	bool can = false;

	/* A call that is not known here may have done anything. */
	if (cls == GST_API_CLASS_OTHER)
		return CLAIM_WEAK;
	switch (d->kind) {
	case DEV_KIND(KERNEL):
		can = cls == GST_API_CLASS_LAUNCH || cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(MEMCPY):
	case DEV_KIND(MEMSET):
		/* What fills new memory, or brings the variables of a module, is not the main thing. */
		if (cls == GST_API_CLASS_PREFETCH || cls == GST_API_CLASS_ALLOC ||
		    cls == GST_API_CLASS_ALLOC_ASYNC || cls == GST_API_CLASS_MODULE ||
		    cls == GST_API_CLASS_GRAPH_UPLOAD || cls == GST_API_CLASS_GRAPH_INSTANTIATE)
			return CLAIM_WEAK;
		can = cls == GST_API_CLASS_COPY || cls == GST_API_CLASS_MEMSET ||
		      cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(GRAPH_RUN):
		can = cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(HOST_RUN):
		can = cls == GST_API_CLASS_HOST_FUNC || cls == GST_API_CLASS_STREAM_CALLBACK ||
		      cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(EVENT):
		can = cls == GST_API_CLASS_EVENT_RECORD || cls == GST_API_CLASS_LAUNCH ||
		      cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(SYNC):
		if (d->sync_type == GST_SYNC_STREAM_WAIT) {
			can = cls == GST_API_CLASS_EVENT_WAIT;
		} else if (d->sync_type == GST_SYNC_EVENT_SYNC) {
			can = cls == GST_API_CLASS_EVENT_SYNC || cls == GST_API_CLASS_EVENT_QUERY;
		} else {
			can = true;
		}
		break;
	default:
		return CLAIM_WEAK;
	}
	return can ? CLAIM_STRONG : CLAIM_NONE;
}

/* The one of the calls @first, same_id[@first], ... that @d can be of; GST_NONE = none, or several. */
static gst_call_id owner_of(const struct gst_builder *b, const struct gst_raw_dev *d,
			    gst_call_id first)
{
	gst_call_id owner = GST_NONE;
	enum claim best = CLAIM_NONE;
	uint32_t left = SHARED_MAX;
	bool is_unique = false;

	if (!b->same_id)
		return claim_of(&b->m->calls[first], d) != CLAIM_NONE ? first : GST_NONE;
	for (gst_call_id c = first; c != GST_NONE; c = b->same_id[c]) {
		enum claim claim = claim_of(&b->m->calls[c], d);

		if (!left--)
			return GST_NONE;
		if (claim == CLAIM_NONE || claim < best)
			continue;
		is_unique = claim > best;
		best = claim;
		owner = c;
	}
	return is_unique ? owner : GST_NONE;
}

/* Is @d rather the kernel of a launch that began at @enter_ns than @best? */
static bool is_likelier(const struct gst_raw_dev *d, const struct gst_raw_dev *best,
			uint64_t enter_ns)
{
	bool is_after = d->bits & RAW_DEV_TIMED && d->begin_ns >= enter_ns;
	bool best_is_after = best->bits & RAW_DEV_TIMED && best->begin_ns >= enter_ns;

	return is_after != best_is_after ? is_after : d->begin_ns < best->begin_ns;
}

/* One launch is one kernel, unless it is for several devices: of more records, only one can be its. */
static void keep_one_kernel(struct gst_builder *b, struct gst_raw_process *p, gst_call_id id)
{
	struct gst_call *c = &b->m->calls[id];
	uint32_t best = GST_NONE;
	uint32_t kernels = 0;
	uint32_t *link;

	if (c->cls != GST_API_CLASS_LAUNCH ||
	    (c->args != GST_NONE &&
	     b->args.data[c->args].flags & (GST_LAUNCH_FLAG_MULTI_DEVICE | GST_LAUNCH_FLAG_UNREAD)))
		return;
	for (uint32_t d = c->stream; d != GST_NONE; d = p->devs.data[d].next) {
		if (p->devs.data[d].kind != DEV_KIND(KERNEL))
			continue;
		kernels++;
		if (best == GST_NONE ||
		    is_likelier(&p->devs.data[d], &p->devs.data[best], c->enter_ns))
			best = d;
	}
	if (kernels < 2)
		return;
	for (link = &c->stream; *link != GST_NONE;) {
		struct gst_raw_dev *d = &p->devs.data[*link];

		if (d->kind != DEV_KIND(KERNEL) || *link == best) {
			link = &d->next;
			continue;
		}
		*link = d->next;
		d->next = GST_NONE;
		d->bits &= (uint8_t)~RAW_DEV_CLAIMED;
		p->misjoined++;
	}
}

/* The first call of @p with @corr; GST_NONE. */
static gst_call_id call_of_corr(const struct gst_raw_process *p, uint32_t corr)
{
	uint32_t call = GST_NONE;

	if (!corr)
		return GST_NONE;
	if (!p->dense) {
		(void)gst_map_get(&p->sparse, corr, &call);
		return call;
	}
	return corr < p->dense_size ? p->dense[corr] : GST_NONE;
}

/* Something was loaded inside @call, which may be for another purpose. */
static void mark_loaded(struct gst_model *m, gst_call_id call)
{
	if (call != GST_NONE && m->calls[call].cls != GST_API_CLASS_MODULE)
		m->calls[call].flags |= GST_CALL_LOADED;
}

/* Chain the device records of each call, in the order of the file. Their times become the model's. */
static void correlate(struct gst_builder *b)
{
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];

		for (size_t d = p->devs.count; d-- > 0;) {
			struct gst_raw_dev *dev = &p->devs.data[d];
			gst_call_id call = call_of_corr(p, dev->corr);
			struct gst_call *c;

			dev->begin_ns = since_base(b, dev->begin_ns);
			dev->end_ns = since_base(b, dev->end_ns);
			if (call == GST_NONE) {
				/* Events and waits of the library's own calls may be told of too. */
				p->homeless += dev->corr && dev->kind <= DEV_KIND(MEMSET);
				if (!dev->corr && dev->bits & RAW_DEV_NODE)
					gst_map_put(&p->untold, dev->sync_id, 0);
				continue;
			}
			call = owner_of(b, dev, call);
			if (call == GST_NONE) {
				p->misjoined += dev->kind != DEV_KIND(SYNC);
				continue;
			}
			c = &b->m->calls[call];
			if (c->stream != GST_NONE && c->cls == GST_API_CLASS_LAUNCH)
				gst_vec_push(&b->crowded, call);
			dev->next = c->stream;
			dev->bits |= RAW_DEV_CLAIMED;
			c->stream = (uint32_t)d;
		}
	}
	for (size_t r = 0; r < b->memory.count; r++) {
		struct gst_raw_memory *rec = &b->memory.data[r];

		rec->out.call = call_of_corr(&b->processes.data[rec->out.process], rec->corr);
	}
	for (size_t r = 0; r < b->overheads.count; r++) {
		struct gst_overhead *o = &b->overheads.data[r];

		o->call = call_of_corr(&b->processes.data[o->process], o->call);
		if (o->type == GST_OVERHEAD_LAZY_LOADING || o->type == GST_OVERHEAD_MODULE_LOADING)
			mark_loaded(b->m, o->call);
	}
	for (size_t r = 0; r < b->loads.count; r++)
		mark_loaded(b->m, call_of_corr(&b->processes.data[b->loads.data[r] >> 32],
					       (uint32_t)b->loads.data[r]));
	for (size_t i = 0; i < b->crowded.count; i++) {
		gst_call_id call = b->crowded.data[i];
		uint32_t thread = b->m->calls[call].thread;

		keep_one_kernel(b, &b->processes.data[b->m->threads[thread].process], call);
	}
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];

		gst_mem_free(p->dense, p->dense_size * sizeof(*p->dense));
		p->dense = NULL;
		gst_map_release(&p->sparse);
	}
	gst_mem_free(b->same_id, b->call_count * sizeof(*b->same_id));
	b->same_id = NULL;
	gst_map_release(&b->last_same);
	gst_vec_free(&b->crowded);
}

/* ---- results ------------------------------------------------------------------------------------------ */

/* Whether calls, or things they need, may be missing after @from_ns. */
static bool lost_calls_after(const struct gst_builder *b, uint32_t process, uint64_t from_ns)
{
	for (size_t i = 0; i < b->losses.count; i++) {
		const struct gst_loss *l = &b->losses.data[i];

		if (l->process == process && gst_loss_touches_calls(l) &&
		    (!l->until_ns || l->until_ns >= from_ns) && l->reason != GST_LOSS_ENDED_EARLY)
			return true;
	}
	for (size_t i = 0; i < b->gaps.count; i++) {
		const struct gst_gap *g = &b->gaps.data[i];

		if (g->process == process && g->to_ns >= from_ns && g->to_ns != UINT64_MAX)
			return true;
	}
	return false;
}

/*
 * Work whose call cannot be told, although the recording has no gap in which that call can have been: who
 * submitted what, and when, is not known. If there is more such work than calls without work, calls are
 * missing, and with them may be event records and waits.
 */
static void judge_ids(struct gst_builder *b)
{
	for (uint32_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];
		bool has_gap = !p->out.is_unbroken;

		for (size_t g = 0; g < b->gaps.count && !has_gap; g++)
			has_gap = b->gaps.data[g].process == i;
		b->m->stats.misjoined_records += p->misjoined;
		if (!p->misjoined && (!p->homeless || has_gap))
			continue;
		p->out.is_complete = false;
		if (b->m->stats.ops_without_call > b->m->stats.ops_without_record) {
			void_records(b, i, GST_REC_CALL, GST_LOSS_REFUSED, 0);
			p->has_lost_calls = true;
		}
	}
}

static void finish_events(struct gst_builder *b)
{
	for (size_t i = 0; i < b->events.count; i++) {
		struct gst_event *e = &b->events.data[i];
		const struct gst_raw_process *p = &b->processes.data[e->process];

		if (!e->history_is_complete || !p->has_lost_calls)
			continue;
		e->history_is_complete =
			e->create_call != GST_NONE &&
			!lost_calls_after(b, e->process, b->m->calls[e->create_call].enter_ns);
	}
}

static int compare_segments(const void *a, const void *b)
{
	const struct gst_raw_segment *x = a;
	const struct gst_raw_segment *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* Between two windows of a recording calls were made that nobody wrote down. */
static void add_gaps(struct gst_builder *b)
{
	for (uint32_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];
		uint64_t last_end_ns = 1;

		if (p->segments.count)
			qsort(p->segments.data, p->segments.count, sizeof(*p->segments.data),
			      compare_segments);
		for (size_t k = 0; k < p->segments.count; k++) {
			const struct gst_raw_segment *s = &p->segments.data[k];

			if (k && !s->is_unbroken)
				gst_vec_push(&b->gaps,
					     (struct gst_gap){i, last_end_ns, s->time_ns});
			/* Without a trailer nobody knows when it ended: at any time after it began. */
			last_end_ns = s->end_ns ? s->end_ns : s->time_ns;
		}
		for (size_t l = 0; l < b->losses.count; l++) {
			if (b->losses.data[l].process == i &&
			    gst_loss_touches_calls(&b->losses.data[l]))
				p->has_lost_calls = true;
		}
		for (size_t g = 0; g < b->gaps.count; g++)
			p->has_lost_calls |= b->gaps.data[g].process == i;
	}
}

static void sort_memory(struct gst_builder *b)
{
	size_t count = b->memory.count;
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	struct gst_memory_record *out = GST_ARENA_ARRAY(b->arena, struct gst_memory_record, count);

	for (size_t i = 0; i < count; i++) {
		items[i].key = b->memory.data[i].out.time_ns;
		items[i].value = (uint32_t)i;
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++)
		out[i] = b->memory.data[items[i].value].out;
	gst_mem_free(items, count * sizeof(*items));
	b->m->memory = out;
	b->m->memory_count = (uint32_t)count;
}

static void sort_overheads(struct gst_builder *b)
{
	size_t count = b->overheads.count;
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	struct gst_overhead *out = GST_ARENA_ARRAY(b->arena, struct gst_overhead, count);

	for (size_t i = 0; i < count; i++) {
		items[i].key = b->overheads.data[i].begin_ns;
		items[i].value = (uint32_t)i;
	}
	gst_sort_items(items, count);
	for (size_t i = 0; i < count; i++)
		out[i] = b->overheads.data[items[i].value];
	gst_mem_free(items, count * sizeof(*items));
	b->m->overheads = out;
	b->m->overhead_count = (uint32_t)count;
}

/* Short names of kernels, once a name. */
static void shorten_names(struct gst_builder *b)
{
	struct gst_model *m = b->m;
	uint32_t count = gst_strtab_count(m->strings);
	uint32_t *out = GST_ARENA_ARRAY(b->arena, uint32_t, count);

	for (uint32_t i = 0; i < m->op_count; i++) {
		uint32_t name = m->ops[i].name;

		if (name && !out[name])
			out[name] = gst_model_short_name(m->strings, name);
	}
	m->short_names = out;
	m->short_name_count = count;
}

/* Two things that have nothing to do with each other. */
static void name_or_mark(uint32_t i, void *payload)
{
	struct gst_builder *b = payload;

	if (!i) {
		shorten_names(b);
	} else {
		gst_model_mark_ambiguous(b->m);
	}
}

static void finish(struct gst_builder *b)
{
	struct gst_model *m = b->m;
	struct gst_process *processes =
		GST_ARENA_ARRAY(b->arena, struct gst_process, b->processes.count);

	for (size_t i = 0; i < b->processes.count; i++) {
		processes[i] = b->processes.data[i].out;
		m->is_complete = m->is_complete && processes[i].is_complete;
	}
	m->processes = processes;
	m->process_count = (uint32_t)b->processes.count;
	gst_model_graphs_finish(b);
	TAKE(b, b->contexts, m->contexts, m->context_count);
	TAKE(b, b->devices, m->devices, m->device_count);
	TAKE(b, b->events, m->events, m->event_count);
	TAKE(b, b->args, m->args, m->args_count);
	TAKE(b, b->kernels, m->kernels, m->kernel_count);
	TAKE(b, b->copies, m->copies, m->copy_count);
	TAKE(b, b->memsets, m->memsets, m->memset_count);
	TAKE(b, b->memops, m->memops, m->memop_count);
	m->variables = GST_ARENA_ARRAY(b->arena, struct gst_variable, b->variables.count);
	for (size_t i = 0; i < b->variables.count; i++)
		m->variables[i] = b->variables.data[i].out;
	m->variable_count = (uint32_t)b->variables.count;
	TAKE(b, b->graphs, m->graphs, m->graph_count);
	TAKE(b, b->graph_nodes, m->graph_nodes, m->graph_node_count);
	TAKE(b, b->graph_edges, m->graph_edges, m->graph_edge_count);
	TAKE(b, b->graph_event_nodes, m->graph_event_nodes, m->graph_event_node_count);
	TAKE(b, b->execs, m->execs, m->exec_count);
	TAKE(b, b->losses, m->losses, m->loss_count);
	TAKE(b, b->gaps, m->gaps, m->gap_count);
	TAKE(b, b->notes, m->notes, m->note_count);
	sort_memory(b);
	sort_overheads(b);
	gst_model_finish_nvtx(b);
	gst_model_find_queue_waits(b);
	gst_parallel_run(2, name_or_mark, b);
}

static void release(struct gst_builder *b)
{
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];

		gst_vec_free(&p->low_strings);
		gst_map_release(&p->strings);
		gst_map_release(&p->contexts);
		gst_map_release(&p->context_handles);
		gst_map_release(&p->only_contexts);
		gst_map_release(&p->devices);
		gst_map_release(&p->graphs);
		gst_map_release(&p->handles);
		gst_map_release(&p->per_thread);
		gst_map_release(&p->event_lives);
		gst_map_release(&p->creators);
		gst_map_release(&p->created);
		gst_map_release(&p->def_handles);
		gst_map_release(&p->untold);
		gst_clock_map_release(&p->clock);
		gst_vec_free(&p->stream_defs);
		gst_vec_free(&p->event_states);
		gst_vec_free(&p->segments);
		gst_vec_free(&p->devs);
	}
	for (size_t i = 0; i < b->threads.count; i++)
		gst_vec_free(&b->threads.data[i].calls);
	gst_model_graphs_release(b);
	gst_map_release(&b->process_map);
	gst_map_release(&b->thread_map);
	gst_map_release(&b->tid_map);
	gst_map_release(&b->lane_map);
	gst_vec_free(&b->processes);
	gst_vec_free(&b->threads);
	gst_vec_free(&b->values);
	gst_vec_free(&b->args);
	gst_vec_free(&b->kernels);
	gst_vec_free(&b->copies);
	gst_vec_free(&b->memsets);
	gst_vec_free(&b->raw_memops);
	gst_vec_free(&b->memops);
	gst_vec_free(&b->memory);
	gst_vec_free(&b->overheads);
	gst_vec_free(&b->loads);
	gst_vec_free(&b->dev_contexts);
	gst_map_release(&b->dev_context_map);
	gst_vec_free(&b->variables);
	gst_vec_free(&b->losses);
	gst_vec_free(&b->gaps);
	gst_vec_free(&b->notes);
	gst_vec_free(&b->nvtx);
	gst_vec_free(&b->given_names);
	gst_vec_free(&b->contexts);
	gst_vec_free(&b->devices);
	gst_vec_free(&b->streams);
	gst_vec_free(&b->events);
	gst_vec_free(&b->event_captures);
	gst_vec_free(&b->captures);
	gst_vec_free(&b->ops);
	gst_vec_free(&b->found);
}

/*
 * What an analysis needs is bounded by the size of the file: FLOOR + FACTOR times that (docs/PERFORMANCE.md).
 * Records that leave out their zeros can be as small as 8 bytes and so break it; those of a tracer cannot. So a
 * trace of too many is refused before all that memory is taken.
 */
#define MEMORY_FLOOR  (UINT64_C(64) << 20)
#define MEMORY_FACTOR 8u
/* All stages together, for each call and each device record with a detail: measured 186 and 170. */
#define ITEM_BYTES 192u
#define ROW_BYTES  128u /* memory and overhead records: measured 110 and 90 */

static bool is_too_dense(const struct gst_builder *b)
{
	uint64_t items = b->call_count + b->detail_count + b->raw_memops.count;
	uint64_t rows = (uint64_t)b->memory.count + b->overheads.count + b->raw_graphs.count +
			b->raw_graph_nodes.count + b->raw_graph_edges.count + b->raw_execs.count;
	uint64_t bytes = items * ITEM_BYTES + rows * ROW_BYTES;

	return bytes > MEMORY_FLOOR && (bytes - MEMORY_FLOOR) / MEMORY_FACTOR > b->file_bytes;
}

struct reading {
	struct gst_builder *b;
	uint32_t source;
};

static gst_status refuse_dense(void *payload, struct gst_err *err)
{
	const struct gst_builder *b = ((const struct reading *)payload)->b;

	if (b->call_count > MAX_ITEMS)
		return gst_err_set(err, GST_E_LIMIT, "more than %u calls", MAX_ITEMS);
	if (is_too_dense(b))
		return gst_err_set(err, GST_E_LIMIT,
				   "%" PRIu64 " calls and device records in %" PRIu64
				   " bytes are more than any tracer writes",
				   b->call_count + b->detail_count + b->raw_memops.count +
					   b->memory.count + b->overheads.count,
				   b->file_bytes);
	return GST_OK;
}

static gst_status take_record(void *payload, const struct gst_record *rec, struct gst_err *err)
{
	struct reading *r = payload;
	gst_status st = ++r->b->records_read % 4096 ? GST_OK : refuse_dense(payload, err);

	if (!st)
		gst_model_ingest(r->b, r->source, rec);
	return st;
}

static uint32_t take_process(void *payload, uint32_t pid)
{
	struct reading *r = payload;

	return gst_model_process(r->b, r->source, pid);
}

static void take_calls(void *payload, uint32_t process, struct gst_records *records)
{
	gst_model_ingest_calls(((struct reading *)payload)->b, process, records);
}

static void take_devices(void *payload, uint32_t process, struct gst_records *records)
{
	gst_model_ingest_devices(((struct reading *)payload)->b, process, records);
}

static gst_status read_all(struct gst_builder *b, struct gst_loader *loader, uint32_t source,
			   struct gst_err *err)
{
	struct reading r = {b, source};
	const struct gst_load_sink sink = {.payload = &r,
					   .record = take_record,
					   .announce = take_process,
					   .calls = take_calls,
					   .devices = take_devices,
					   .pause = refuse_dense};
	struct gst_err local = {0};
	gst_status st;

	b->file_bytes += gst_loader_stats(loader)->file_bytes;
	st = gst_loader_read(loader, &sink, err ? err : &local);
	if (st)
		return st;
	gst_model_ingest_stats(b, source, gst_loader_stats(loader));
	if (source == 0)
		b->base_ns = gst_loader_stats(loader)->base_ns;
	return GST_OK;
}

/*
 * A fresh page costs much more than to fill it. So while one thread works, another one makes the pages of what comes
 * next; with one thread they come as they are needed.
 */
static void touch(void *data, size_t bytes)
{
	volatile uint8_t *p = data;

	for (size_t i = 0; i < bytes && gst_parallel_threads() > 1; i += 4096)
		p[i] = 0; /* as it is */
}

static void convert_or_touch(uint32_t i, void *payload)
{
	struct gst_builder *b = payload;

	if (!i) {
		convert_times(b);
	} else if (b->threads.count > 1) {
		touch(b->m->calls, b->m->call_count * sizeof(*b->m->calls));
	}
}

static void join_or_touch(uint32_t i, void *payload)
{
	struct gst_builder *b = payload;

	if (!i) {
		sort_calls(b);
		correlate(b);
	} else {
		touch(b->ops.data, b->ops.cap * sizeof(*b->ops.data));
	}
}

gst_status gst_model_build(struct gst_loader *const *loaders, size_t loader_count,
			   struct gst_arena *arena, const struct gst_model **out,
			   struct gst_err *err)
{
	struct gst_builder b = {0};
	gst_status st = GST_OK;

	b.arena = arena;
	b.m = gst_arena_alloc(arena, sizeof(*b.m));
	b.m->strings = gst_strtab_new();
	b.m->is_complete = true;
	for (size_t i = 0; i < loader_count && !st; i++)
		st = read_all(&b, loaders[i], (uint32_t)i, err);
	if (st)
		goto out;
	gst_model_ingest_strings(&b);
	heed_notes(&b);
	sort_threads(&b);
	collect_contexts(&b);
	sort_contexts(&b);
	add_gaps(&b);
	make_calls(&b);
	gst_parallel_run(2, convert_or_touch, &b);
	make_ops(&b);
	gst_parallel_run(2, join_or_touch, &b);
	for (size_t i = 0; i < b.processes.count; i++)
		b.processes.data[i].out.mono_to_model_ns -= (int64_t)b.m->base_ns;
	gst_model_graphs_define(&b);
	st = gst_model_resolve(&b, err);
	if (st)
		goto out;
	/* Large, and of no more use: before the results are copied. */
	gst_vec_free(&b.values);
	for (size_t i = 0; i < b.processes.count; i++)
		gst_vec_free(&b.processes.data[i].devs);
	judge_ids(&b);
	finish_events(&b);
	finish(&b);
	*out = b.m;
out:
	release(&b);
	if (st)
		gst_strtab_free(b.m->strings);
	return st;
}

void gst_model_free(const struct gst_model *m)
{
	if (m)
		gst_strtab_free(m->strings);
}
