/*
 * build.c - gst_model_build: records in, model out.
 *
 * Role      : runs the steps (ingest, clocks, order, join, resolve) and moves the results into the
 *             arena in their final order.
 * Method    : tables grow in vectors; ids become final when their number is known.
 * Invariant : the order of the chunks of different threads in the file does not matter.
 * Not here  : what a record means (model_ingest.c), the order of calls and which device records are theirs
 *             (model_join.c), streams, events and ops (model_resolve.c).
 */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/base/assert.h"
#include "analyzer/base/sort.h"
#include "analyzer/model/model_internal.h"

#define MAX_ITEMS (UINT32_MAX - 16u)

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

static int compare_enters(const void *a, const void *b)
{
	const struct gst_call *x = a;
	const struct gst_call *y = b;

	if (x->enter_ns != y->enter_ns)
		return x->enter_ns < y->enter_ns ? -1 : 1;
	return x->corr < y->corr ? -1 : x->corr > y->corr;
}

/* The calls of a thread, out of the builder's or back into them. */
static void move_calls(const struct gst_builder *b, const struct gst_raw_thread *t,
		       struct gst_call *calls, bool is_back)
{
	for (size_t r = 0; r < t->runs.count; r++) {
		struct gst_call *run = &b->raw_calls.data[t->runs.data[r].first];
		uint32_t count = t->runs.data[r].count;

		memcpy(is_back ? run : calls, is_back ? calls : run, count * sizeof(*calls));
		calls += count;
	}
}

/* Calls that CUPTI's records tell come in any order and with the clock of device records. */
static void convert_told(struct gst_builder *b)
{
	for (size_t t = 0; t < b->threads.count; t++) {
		const struct gst_raw_thread *thread = &b->threads.data[t];
		struct gst_clock_map *clock = &b->processes.data[thread->process].clock;
		size_t count = thread->call_count;
		struct gst_call *calls;

		if (!thread->is_told)
			continue;
		calls = gst_mem_alloc(count * sizeof(*calls));
		move_calls(b, thread, calls, false);
		for (size_t i = 0; i < count; i++) {
			struct gst_call *c = &calls[i];

			if (!(c->flags & GST_CALL_TOLD))
				continue;
			c->enter_ns = gst_clock_map_to_mono(clock, c->enter_ns, 0);
			if (c->flags & GST_CALL_RETURNED)
				c->exit_ns = gst_clock_map_to_mono(clock, c->exit_ns, c->enter_ns);
		}
		qsort(calls, count, sizeof(*calls), compare_enters);
		move_calls(b, thread, calls, true);
		gst_mem_free(calls, count * sizeof(*calls));
	}
}

/* The clocks of all processes, before anything is read on them. */
static void seal_clocks(struct gst_builder *b)
{
	align_processes(b);
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];
		uint64_t steps = 0;

		gst_clock_map_seal(&p->clock, &steps);
		p->out.clock_uncertainty_ns = p->clock.uncertainty_ns;
		b->m->stats.clock_steps += steps;
		if (steps)
			note(b, (uint32_t)i, GST_NOTE_CLOCK_STEP,
			     "the wall clock stepped during the recording",
			     steps > INT32_MAX ? INT32_MAX : (int32_t)steps);
	}
	convert_told(b);
}

/* The model's time 0, by the first moment of calls and device records; and all other times on its clock. */
static void convert_times(struct gst_builder *b, uint64_t least)
{
	uint64_t offset = 0;

	for (size_t i = 0; i < b->nvtx.count; i++) {
		struct gst_raw_nvtx *n = &b->nvtx.data[i];

		n->time_ns = gst_model_to_first(
			&b->processes.data[b->threads.data[n->thread].process], n->time_ns);
		gst_model_take_min(&least, n->time_ns);
	}
	/* Whole milliseconds: the times of a small text trace stay as they were written. */
	b->m->base_ns = least == UINT64_MAX ? 0 : least - least % 1000000;
	/* A window of a trace has the times of the whole. */
	if (b->base_ns && b->base_ns < least)
		b->m->base_ns = b->base_ns;
	if (b->processes.count && real_offset(b->processes.data, &offset))
		b->m->real_base_ns = b->m->base_ns + offset;
	for (size_t i = 0; i < b->nvtx.count; i++)
		b->nvtx.data[i].time_ns = gst_model_since_base(b, b->nvtx.data[i].time_ns);
	for (size_t i = 0; i < b->memory.count; i++) {
		struct gst_memory_record *r = &b->memory.data[i].out;
		uint64_t end_ns = r->time_ns;

		(void)gst_model_convert_range(&b->processes.data[r->process], &r->time_ns, &end_ns,
					      0);
		r->time_ns = gst_model_since_base(b, r->time_ns);
	}
	for (size_t i = 0; i < b->overheads.count; i++) {
		struct gst_overhead *o = &b->overheads.data[i];

		(void)gst_model_convert_range(&b->processes.data[o->process], &o->begin_ns,
					      &o->end_ns, 0);
		o->begin_ns = gst_model_since_base(b, o->begin_ns);
		o->end_ns = gst_model_since_base(b, o->end_ns);
	}
	for (size_t i = 0; i < b->losses.count; i++) {
		struct gst_loss *l = &b->losses.data[i];
		const struct gst_raw_process *p = &b->processes.data[l->process];

		if (l->since_ns)
			l->since_ns = gst_model_since_base(b, gst_model_to_first(p, l->since_ns));
		if (l->until_ns && l->until_ns != UINT64_MAX)
			l->until_ns = gst_model_since_base(b, gst_model_to_first(p, l->until_ns));
	}
	for (size_t i = 0; i < b->gaps.count; i++) {
		struct gst_gap *g = &b->gaps.data[i];
		const struct gst_raw_process *p = &b->processes.data[g->process];

		g->from_ns = gst_model_since_base(b, gst_model_to_first(p, g->from_ns));
		if (g->to_ns != UINT64_MAX)
			g->to_ns = gst_model_since_base(b, gst_model_to_first(p, g->to_ns));
	}
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];

		for (size_t k = 0; k < p->segments.count; k++)
			p->segments.data[k].time_ns = gst_model_since_base(
				b, gst_model_to_first(p, p->segments.data[k].time_ns));
	}
	for (size_t i = 0; i < b->notes.count; i++) {
		struct gst_note *n = &b->notes.data[i];

		if (n->time_ns)
			n->time_ns = gst_model_since_base(
				b, gst_model_to_first(&b->processes.data[n->process], n->time_ns));
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
					     (struct gst_gap){i, last_end_ns, s->time_ns, false});
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

/* Short names of kernels that ran, or were to. */
static void shorten_names(struct gst_builder *b)
{
	struct gst_model *m = b->m;
	uint32_t count = gst_strtab_count(m->strings);
	uint32_t *out = GST_ARENA_ARRAY(b->arena, uint32_t, count);

	for (size_t i = 0; i < b->op_names.count; i++) {
		uint32_t name = b->op_names.data[i];

		if (name)
			out[name] = gst_model_short_name(m->strings, name);
	}
	m->short_names = out;
	m->short_name_count = count;
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
	shorten_names(b);
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
		gst_vec_free(&b->threads.data[i].runs);
	gst_vec_free(&b->raw_calls);
	gst_model_graphs_release(b);
	gst_model_lanes_release(b);
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
	gst_vec_free(&b->dev_lanes);
	gst_map_release(&b->dev_lane_map);
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
	gst_vec_free(&b->op_names);
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
	uint64_t items = b->raw_calls.count + b->detail_count + b->raw_memops.count;
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

	if (b->raw_calls.count > MAX_ITEMS)
		return gst_err_set(err, GST_E_LIMIT, "more than %u calls", MAX_ITEMS);
	if (is_too_dense(b))
		return gst_err_set(err, GST_E_LIMIT,
				   "%" PRIu64 " calls and device records in %" PRIu64
				   " bytes are more than any tracer writes",
				   b->raw_calls.count + b->detail_count + b->raw_memops.count +
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
	/* A fresh page costs more than to fill it: the calls have left theirs. */
	if (b->raw_calls.data) {
		b->ops.data = gst_mem_realloc(b->raw_calls.data,
					      b->raw_calls.cap * sizeof(*b->raw_calls.data),
					      count * sizeof(*b->ops.data));
		b->ops.cap = count;
		b->raw_calls.data = NULL;
		b->raw_calls.count = b->raw_calls.cap = 0;
	}
	gst_vec_reserve(&b->ops, count);
	b->m->ops = b->ops.data;
	b->ops_room = b->ops.cap;
}

gst_status gst_model_build(struct gst_loader *const *loaders, size_t loader_count,
			   struct gst_arena *arena, const struct gst_model **out,
			   struct gst_err *err)
{
	struct gst_builder b = {.joined = GST_PROGRESS_INIT, .walked = GST_PROGRESS_INIT};
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
	seal_clocks(&b);
	convert_times(&b, gst_model_order_calls(&b));
	make_ops(&b);
	gst_model_join_devices(&b);
	gst_model_graphs_define(&b);
	st = gst_model_resolve(&b, err);
	if (st)
		goto out;
	/* From the clock of the first process to the model's: the calls were the last that were to be converted. */
	for (size_t i = 0; i < b.processes.count; i++)
		b.processes.data[i].out.mono_to_model_ns -= (int64_t)b.m->base_ns;
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
