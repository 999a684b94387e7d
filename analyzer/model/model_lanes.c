/*
 * model_lanes.c - what the ops of each lane are together: their list, busy time, calls whose order nobody knows.
 *
 * Role      : last step of gst_model_resolve; streams get the numbers that they have in the model.
 * Method    : a thread follows the walk (model_resolve.c) and looks at each op once it is final, by the numbers that
 *             streams have in the walk; what it found is theirs in the model if no two of them turned out to be one.
 *             If some did, all is looked at again afterwards.
 * Invariant : the result does not hang on how far the follower came.
 * Not here  : when the order of two calls is known (submit.c).
 */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/base/parallel.h"
#include "analyzer/base/sort.h"
#include "analyzer/model/model_internal.h"

/* What has been seen of a lane. */
struct lane {
	uint64_t until_ns, last_begin_ns, busy_ns;
	struct gst_lane_calls calls;
	uint32_t op_count;
	bool is_shuffled; /* its ops did not begin in the order of their ids */
};

struct gst_lanes {
	GST_VEC(struct lane) lanes; /* by number of the stream */
	gst_op_id next;		    /* the first op that was not looked at */
	uint64_t begin_ns, end_ns;  /* of those that were */
	bool *is_named;		    /* by string: it is in builder->op_names */
	uint32_t name_count;
};

/* ---- behind the walk ---------------------------------------------------------------------------------- */

void gst_model_lanes_begin(struct gst_builder *b)
{
	struct gst_lanes *f = gst_mem_alloc(sizeof(*f));

	f->begin_ns = UINT64_MAX;
	f->name_count = gst_strtab_count(b->m->strings);
	f->is_named = gst_mem_alloc(f->name_count * sizeof(*f->is_named));
	b->lanes = f;
}

static struct lane *lane_at(struct gst_lanes *f, gst_stream_id stream)
{
	while (f->lanes.count <= stream)
		gst_vec_push(&f->lanes, ((struct lane){.calls = {.last = GST_NONE}}));
	return &f->lanes.data[stream];
}

static void add_busy(struct lane *lane, const struct gst_op *op)
{
	uint64_t from = op->begin_ns > lane->until_ns ? op->begin_ns : lane->until_ns;

	if (op->begin_ns < lane->last_begin_ns)
		lane->is_shuffled = true;
	lane->last_begin_ns = op->begin_ns;
	if (op->end_ns > from) {
		lane->busy_ns += op->end_ns - from;
		lane->until_ns = op->end_ns;
	}
}

/* The ops before @end, in the order of their ids. */
static void look_at_ops(struct gst_builder *b, gst_op_id end)
{
	struct gst_lanes *f = b->lanes;
	struct gst_model *m = b->m;
	bool may_be_ambiguous = m->thread_count > 1;

	for (; f->next < end; f->next++) {
		const struct gst_op *op = &m->ops[f->next];
		struct lane *lane;

		if (op->flags & (GST_OP_TIMED | GST_OP_PARTIAL)) {
			if (op->begin_ns < f->begin_ns)
				f->begin_ns = op->begin_ns;
			if (op->end_ns > f->end_ns)
				f->end_ns = op->end_ns;
		}
		if (!f->is_named[op->name]) {
			f->is_named[op->name] = true;
			gst_vec_push(&b->op_names, op->name);
		}
		if (op->stream == GST_NONE)
			continue;
		lane = lane_at(f, op->stream);
		if (op->flags & GST_OP_TIMED)
			add_busy(lane, op);
		if (op->flags & GST_OP_NODE)
			continue;
		lane->op_count++;
		if (may_be_ambiguous && op->call != GST_NONE)
			gst_model_look_at_call(m, &lane->calls, op->call);
	}
}

void gst_model_lanes_follow(struct gst_builder *b)
{
	uint64_t ready;

	/* With one thread the walk comes after this, and nobody is to be followed. */
	if (!gst_progress_has_begun(&b->walked))
		return;
	while ((ready = gst_progress_wait(&b->walked, b->lanes->next)) > b->lanes->next)
		look_at_ops(b, (gst_op_id)ready);
}

/* ---- final numbers ------------------------------------------------------------------------------------ */

static void name_stream(struct gst_builder *b, struct gst_stream *s)
{
	char text[80];
	int length;

	switch ((enum gst_stream_kind)s->kind) {
	case GST_STREAM_KIND_LEGACY:
		length = snprintf(text, sizeof(text), "default stream");
		break;
	case GST_STREAM_KIND_PER_THREAD:
		length = snprintf(text, sizeof(text), "per-thread stream of thread %" PRIu32,
				  s->thread == GST_NONE ? 0 : b->m->threads[s->thread].index);
		break;
	case GST_STREAM_KIND_BLOCKING:
	case GST_STREAM_KIND_NONBLOCKING:
	case GST_STREAM_KIND_UNKNOWN:
		length = s->cupti_id == GST_ID_NONE
				 ? snprintf(text, sizeof(text), "stream 0x%" PRIx64, s->handle)
				 : snprintf(text, sizeof(text), "stream %" PRIu32, s->cupti_id);
		break;
	default:
		length = 0;
		break;
	}
	s->name = gst_strtab_intern(b->m->strings, text, length > 0 ? (size_t)length : 0);
}

/* Streams by process, context and number; aliases are gone. @at maps old to new. */
static uint32_t *number_streams(struct gst_builder *b)
{
	size_t count = b->streams.count;
	struct gst_sort_item *items = gst_mem_alloc(count * sizeof(*items));
	uint32_t *at = gst_mem_alloc(count * sizeof(*at));
	size_t kept = 0;
	struct gst_stream *out;

	for (size_t i = 0; i < count; i++) {
		const struct gst_raw_stream *s = &b->streams.data[i];

		if (s->alias != GST_NONE)
			continue;
		items[kept].key = (uint64_t)s->out.ctx << 32 | s->out.cupti_id;
		items[kept].value = (uint32_t)i;
		items[kept].extra = s->out.process;
		kept++;
	}
	gst_sort_items(items, kept);
	for (size_t i = 0; i < kept; i++)
		items[i].key = items[i].extra;
	gst_sort_items(items, kept);
	out = GST_ARENA_ARRAY(b->arena, struct gst_stream, kept);
	for (size_t i = 0; i < kept; i++) {
		at[items[i].value] = (uint32_t)i;
		out[i] = b->streams.data[items[i].value].out;
		/* With the lanes' ops counted, unused ones are known to be. */
		out[i].is_internal = !b->streams.data[items[i].value].is_named;
	}
	for (size_t i = 0; i < count; i++) {
		if (b->streams.data[i].alias != GST_NONE)
			at[i] = at[gst_model_root(b, (uint32_t)i)];
	}
	gst_mem_free(items, count * sizeof(*items));
	b->m->streams = out;
	b->m->stream_count = (uint32_t)kept;
	return at;
}

/* The numbers in the walk are no use any more: look at all ops again, once they have those of the model. */
static void start_again(struct gst_builder *b, uint32_t *at)
{
	struct gst_lanes *f = b->lanes;
	struct gst_model *m = b->m;

	for (uint32_t i = 0; i < m->op_count; i++) {
		if (m->ops[i].stream != GST_NONE)
			m->ops[i].stream = at[m->ops[i].stream];
	}
	for (uint32_t i = 0; i < m->call_count; i++) {
		if (m->calls[i].stream != GST_NONE)
			m->calls[i].stream = at[m->calls[i].stream];
		m->calls[i].flags &= (uint8_t)~GST_CALL_AMBIGUOUS;
	}
	for (uint32_t i = 0; i < m->stream_count; i++)
		at[i] = i;
	m->stats.ambiguous_calls = 0;
	gst_vec_clear(&f->lanes);
	f->next = 0;
	f->begin_ns = UINT64_MAX;
	f->end_ns = 0;
}

/* Busy time of lanes in which the begins did not tell the order: nodes, and ops whose calls overlapped. */
static void measure_shuffled(struct gst_model *m, const bool *is_shuffled)
{
	struct lane *lanes = gst_mem_alloc(m->stream_count * sizeof(*lanes));
	GST_VEC(struct gst_sort_item) items = {0};

	for (uint32_t i = 0; i < m->op_count; i++) {
		const struct gst_op *op = &m->ops[i];

		if (op->stream != GST_NONE && op->flags & GST_OP_TIMED && is_shuffled[op->stream])
			gst_vec_push(&items,
				     (struct gst_sort_item){.key = op->begin_ns, .value = i});
	}
	gst_sort_items(items.data, items.count);
	for (size_t i = 0; i < items.count; i++)
		add_busy(&lanes[m->ops[items.data[i].value].stream], &m->ops[items.data[i].value]);
	for (uint32_t i = 0; i < m->stream_count; i++) {
		if (is_shuffled[i])
			m->streams[i].busy_ns = lanes[i].busy_ns;
	}
	gst_vec_free(&items);
	gst_mem_free(lanes, m->stream_count * sizeof(*lanes));
}

/* Two at a time: they do not touch the same. */
struct numbering {
	struct gst_builder *b;
	const uint32_t *at; /* number of a stream in the walk -> in the model */
	gst_op_id *ids;	    /* of the ops, lane by lane */
	bool is_same;	    /* the numbers in the walk are those of the model, as often */
};

static void number_calls(const struct numbering *n)
{
	const struct gst_model *m = n->b->m;

	if (n->is_same)
		return;
	for (uint32_t i = 0; i < m->call_count; i++) {
		if (m->calls[i].stream != GST_NONE)
			m->calls[i].stream = n->at[m->calls[i].stream];
	}
}

/* Each op to the list of its lane too. */
static void number_ops(const struct numbering *n)
{
	struct gst_model *m = n->b->m;

	for (uint32_t i = 0; i < m->op_count; i++) {
		struct gst_op *op = &m->ops[i];
		struct gst_stream *s;

		if (op->stream == GST_NONE)
			continue;
		if (!n->is_same)
			op->stream = n->at[op->stream];
		if (op->flags & GST_OP_NODE)
			continue;
		s = &m->streams[op->stream];
		n->ids[(size_t)(s->ops - n->ids) + s->op_count++] = i;
	}
}

static void number_calls_or_ops(uint32_t i, void *payload)
{
	const struct numbering *n = payload;

	if (!i) {
		number_ops(n);
	} else {
		number_calls(n);
	}
}

/* What was seen of the lanes to the streams of the model; returns how many ops are in their lists. */
static uint32_t tell_streams(struct gst_builder *b, const uint32_t *at, bool *is_shuffled)
{
	const struct gst_lanes *f = b->lanes;
	struct gst_model *m = b->m;
	uint32_t all = 0;

	for (uint32_t i = 0; i < f->lanes.count; i++) {
		const struct lane *lane = &f->lanes.data[i];

		/* One that turned out to be another has seen nothing: start_again() */
		if (!lane->op_count && !lane->last_begin_ns)
			continue;
		m->streams[at[i]].op_count = lane->op_count;
		m->streams[at[i]].busy_ns = lane->busy_ns;
		is_shuffled[at[i]] = lane->is_shuffled;
		is_shuffled[m->stream_count] |= lane->is_shuffled;
		all += lane->op_count;
	}
	return all;
}

/* Do streams keep their numbers? Definitions mostly come in the order of contexts and CUPTI's numbers. */
static bool is_same(const uint32_t *at, uint32_t count)
{
	uint32_t i = 0;

	while (i < count && at[i] == i)
		i++;
	return i == count;
}

static void fill_lanes(struct gst_builder *b, const uint32_t *at)
{
	struct gst_model *m = b->m;
	/* The last one: some is. */
	bool *is_shuffled = gst_mem_alloc((m->stream_count + (size_t)1) * sizeof(*is_shuffled));
	uint32_t lane_ops = tell_streams(b, at, is_shuffled);
	gst_op_id *ids = GST_ARENA_ARRAY(b->arena, gst_op_id, lane_ops);
	struct numbering n = {b, at, ids, is_same(at, m->stream_count)};

	for (uint32_t i = 0; i < m->stream_count; i++) {
		m->streams[i].ops = ids;
		ids += m->streams[i].op_count;
		m->streams[i].op_count = 0;
	}
	gst_parallel_run(2, number_calls_or_ops, &n);
	if (is_shuffled[m->stream_count])
		measure_shuffled(m, is_shuffled);
	gst_mem_free(is_shuffled, (m->stream_count + (size_t)1) * sizeof(*is_shuffled));
}

void gst_model_lanes_release(struct gst_builder *b)
{
	struct gst_lanes *f = b->lanes;

	if (!f)
		return;
	gst_vec_free(&f->lanes);
	gst_mem_free(f->is_named, f->name_count * sizeof(*f->is_named));
	gst_mem_free(f, sizeof(*f));
	b->lanes = NULL;
}

void gst_model_lanes_finish(struct gst_builder *b)
{
	struct gst_model *m = b->m;
	size_t count = b->streams.count;
	uint32_t *at = number_streams(b);

	for (size_t i = 0; i < b->contexts.count; i++) {
		struct gst_context *c = &b->contexts.data[i];

		if (c->legacy_stream != GST_NONE)
			c->legacy_stream = at[c->legacy_stream];
	}
	gst_vec_free(&b->streams);
	m->op_count = (uint32_t)b->ops.count;
	GST_ARENA_TAKE_VEC(b->arena, m->ops, &b->ops);
	if (b->has_joined_streams || b->untold.count)
		start_again(b, at);
	look_at_ops(b, m->op_count);
	m->begin_ns = b->lanes->begin_ns < b->first_ns ? b->lanes->begin_ns : b->first_ns;
	m->end_ns = b->lanes->end_ns > b->last_ns ? b->lanes->end_ns : b->last_ns;
	if (m->begin_ns == UINT64_MAX)
		m->begin_ns = 0;
	fill_lanes(b, at);
	gst_model_lanes_release(b);
	gst_mem_free(at, count * sizeof(*at));
	for (uint32_t i = 0; i < m->stream_count; i++) {
		struct gst_stream *s = &m->streams[i];

		/* A lane nothing but graph nodes ran in is CUDA's own; so is one that nothing ever used. */
		s->is_internal = s->is_internal && !s->op_count && s->create_call == GST_NONE &&
				 s->kind != GST_STREAM_KIND_LEGACY;
		name_stream(b, s);
	}
}
