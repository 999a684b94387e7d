/*
 * path_pairs.c - see path_pairs.h.
 *
 * Role      : one answer for many pairs, as text and JSON.
 * Method    : chain clocks (gst_clocks_before), and a pass for each 64 operations of one side where these do not tell:
 *             inside of graph launches, and where there are so few pairs that making clocks is dearer.
 * Invariant : both give the same answer, and no more than a few steps are taken for each pair or edge.
 * Not here  : which operations are meant (cli), why one comes before another (path.c).
 */
#include "analyzer/export/path_pairs.h"

#include <inttypes.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/units.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/json_writer.h"
#include "analyzer/export/text_layout.h"
#include "tracer/format/version.h"

/* For so few, making clocks is dearer than a pass. */
#define FEW	       64u
#define CLOCKS_BYTES   (UINT64_C(1) << 30)
#define SCHEMA_VERSION 1u

/* What answers: by documented edges, or by all of them. */
struct source {
	bool documented_only;
	struct gst_clocks *clocks; /* NULL: too few */
	uint64_t *before,
		*after; /* by place in asked: which of the part come before it, and after it */
};

/* One of the sides in parts of GST_MANY_MAX, the smaller one, and the other as a whole. */
struct pairs {
	const struct gst_order *o;
	struct source sources[2]; /* documented, all: the same where no edge is only possible */
	uint32_t source_count;
	const gst_op_id *near, *far;
	uint32_t near_count, far_count;
	bool is_swapped;  /* near is what comes second */
	gst_op_id *asked; /* of far: those of which a clock does not tell */
	struct gst_path_pairs *out;
};

static bool has_possible(const struct gst_order *o)
{
	for (gst_edge_id e = gst_order_next_edge(o, 0); e < gst_order_edge_bound(o);
	     e = gst_order_next_edge(o, e + 1)) {
		if (gst_order_edge(o, e).strength != GST_DOCUMENTED) {
			return true;
		}
	}
	return false;
}

static bool is_told(const struct pairs *p, gst_op_id x, gst_op_id y)
{
	for (uint32_t i = 0; i < p->source_count; i++) {
		const struct gst_clocks *c = p->sources[i].clocks;

		if (!c || !gst_clocks_tell(c, x, y) || !gst_clocks_tell(c, y, x)) {
			return false;
		}
	}
	return true;
}

static void count_pair(struct pairs *p, gst_op_id near, gst_op_id far, enum gst_pair_order order)
{
	gst_op_id from = p->is_swapped ? far : near;
	gst_op_id to = p->is_swapped ? near : far;

	/* The first one in order of submission is shown. */
	if (p->out->count[order]++ == 0 || from < p->out->from[order] ||
	    (from == p->out->from[order] && to < p->out->to[order])) {
		p->out->from[order] = from;
		p->out->to[order] = to;
	}
	p->out->total++;
}

/* Does near number @i of a part come before @y, or after it? @at: place of @y in asked; GST_NONE: clocks tell. */
static enum gst_answer ask(const struct pairs *p, const struct source *s, gst_op_id x, uint32_t i,
			   gst_op_id y, uint32_t at, bool is_after)
{
	gst_op_id first = is_after ? y : x, second = is_after ? x : y;

	if (at == GST_NONE) {
		return gst_clocks_before(s->clocks, first, second);
	}
	return (is_after ? s->after : s->before)[at] >> i & 1
		       ? GST_YES
		       : gst_order_not_before(p->o, first, second);
}

static enum gst_pair_order order_of(const struct pairs *p, gst_op_id x, uint32_t i, gst_op_id y,
				    uint32_t at)
{
	static const enum gst_pair_order orders[2][2] = {
		{GST_PAIR_FORWARD, GST_PAIR_REVERSE},
		{GST_PAIR_MAYBE_FORWARD, GST_PAIR_MAYBE_REVERSE}};
	bool is_unknown = false;

	for (uint32_t k = 0; k < p->source_count; k++) {
		for (int way = 0; way < 2; way++) {
			/* The first way is from the first side to the second one. */
			enum gst_answer answer =
				ask(p, &p->sources[k], x, i, y, at, p->is_swapped != (way == 1));

			if (answer == GST_YES) {
				return orders[k][way];
			}
			is_unknown = is_unknown || (k == 0 && answer == GST_DONT_KNOW);
		}
	}
	return is_unknown ? GST_PAIR_UNKNOWN : GST_PAIR_NONE;
}

/* All pairs of @count of the near ones. */
static void count_part(struct pairs *p, const gst_op_id *near, uint32_t count)
{
	uint32_t asked = 0, at = 0;

	for (uint32_t k = 0; k < p->far_count; k++) {
		uint32_t i = 0;

		while (i < count && (near[i] == p->far[k] || is_told(p, near[i], p->far[k]))) {
			i++;
		}
		if (i < count) {
			p->asked[asked++] = p->far[k];
		}
	}
	for (uint32_t k = 0; k < p->source_count && asked; k++) {
		const struct source *s = &p->sources[k];

		gst_order_before_many(p->o, near, count, p->asked, asked, s->documented_only,
				      s->before, s->after);
	}
	for (uint32_t k = 0; k < p->far_count; k++) {
		gst_op_id y = p->far[k];
		bool is_asked = at < asked && p->asked[at] == y;

		for (uint32_t i = 0; i < count; i++) {
			if (near[i] != y) {
				count_pair(p, near[i], y,
					   order_of(p, near[i], i, y, is_asked ? at : GST_NONE));
			}
		}
		at += is_asked;
	}
}

void gst_path_pairs(const struct gst_analysis *a, const gst_op_id *from, uint32_t from_count,
		    const gst_op_id *to, uint32_t to_count, struct gst_path_pairs *out)
{
	struct pairs p = {.o = a->order,
			  .out = out,
			  .is_swapped = to_count < from_count,
			  .source_count = has_possible(a->order) ? 2 : 1};

	*out = (struct gst_path_pairs){.total = 0};
	p.near = p.is_swapped ? to : from;
	p.near_count = p.is_swapped ? to_count : from_count;
	p.far = p.is_swapped ? from : to;
	p.far_count = p.is_swapped ? from_count : to_count;
	p.asked = gst_mem_alloc(p.far_count * sizeof(*p.asked));
	for (uint32_t i = 0; i < p.source_count; i++) {
		struct source *s = &p.sources[i];

		s->documented_only = i == 0;
		s->before = gst_mem_alloc(p.far_count * sizeof(*s->before));
		s->after = gst_mem_alloc(p.far_count * sizeof(*s->after));
		if ((uint64_t)from_count * to_count > FEW) {
			s->clocks = gst_clocks_new(p.o, CLOCKS_BYTES, s->documented_only);
		}
	}
	for (uint32_t i = 0; i < p.near_count; i += GST_MANY_MAX) {
		uint32_t left = p.near_count - i;

		count_part(&p, p.near + i, left < GST_MANY_MAX ? left : GST_MANY_MAX);
	}
	for (uint32_t i = 0; i < p.source_count; i++) {
		struct source *s = &p.sources[i];

		gst_mem_free(s->before, p.far_count * sizeof(*s->before));
		gst_mem_free(s->after, p.far_count * sizeof(*s->after));
		gst_clocks_free(s->clocks);
	}
	gst_mem_free(p.asked, p.far_count * sizeof(*p.asked));
}

static void text_line(const struct gst_analysis *a, const struct gst_path_pairs *p,
		      enum gst_pair_order order, const char *what, struct gst_outfile *out)
{
	gst_stream_id streams[2];
	char text[5 * GST_LABEL_BYTES];
	struct gst_label from, to;

	gst_outfile_printf(out, "%14s  %6s  %s\n", gst_count(p->count[order]).text,
			   gst_share(p->count[order], p->total).text, what);
	if (p->count[order] == 0) {
		return;
	}
	from = gst_node_label(a, p->from[order], &streams[0]);
	to = gst_node_label(a, p->to[order], &streams[1]);
	snprintf(text, sizeof(text), "%s (op %" PRIu32 ", %s) and %s (op %" PRIu32 ", %s)",
		 from.text, p->from[order], gst_stream_label(a->model, streams[0]).text, to.text,
		 p->to[order], gst_stream_label(a->model, streams[1]).text);
	gst_text_field(out, 26, 0, "such as ", text);
}

gst_status gst_export_pairs_text(const struct gst_analysis *a, const struct gst_path_pairs *p,
				 struct gst_outfile *out, struct gst_err *err)
{
	(void)err; /* write errors stick to @out */
	gst_outfile_printf(out, "%s pair%s of operations:\n\n", gst_count(p->total).text,
			   p->total == 1 ? "" : "s");
	text_line(a, p, GST_PAIR_FORWARD, "the first comes before the second", out);
	text_line(a, p, GST_PAIR_REVERSE, "the second comes before the first", out);
	text_line(a, p, GST_PAIR_MAYBE_FORWARD,
		  "the first may come before the second: by a rule that is not promised", out);
	text_line(a, p, GST_PAIR_MAYBE_REVERSE,
		  "the second may come before the first: by a rule that is not promised", out);
	text_line(a, p, GST_PAIR_NONE, "no CUDA order seen", out);
	text_line(a, p, GST_PAIR_UNKNOWN, "none seen, and what could show one is missing", out);
	return GST_OK;
}

gst_status gst_export_pairs_json(const struct gst_analysis *a, const struct gst_path_pairs *p,
				 struct gst_outfile *out, struct gst_err *err)
{
	static const char *const names[GST_PAIR_ORDERS] = {
		"forward", "reverse", "maybe_forward", "maybe_reverse", "none", "unknown"};
	struct gst_json j;

	(void)err; /* write errors stick to @out */
	gst_json_init(&j, out, 2);
	gst_json_begin_object(&j);
	gst_json_key(&j, "schema_version");
	gst_json_uint(&j, SCHEMA_VERSION);
	gst_json_key(&j, "gstrace_version");
	gst_json_string(&j, GST_VERSION);
	gst_json_key(&j, "complete");
	gst_json_bool(&j, a->model->is_complete);
	gst_json_key(&j, "pairs");
	gst_json_uint(&j, p->total);
	for (int i = 0; i < GST_PAIR_ORDERS; i++) {
		gst_json_key(&j, names[i]);
		gst_json_begin_object(&j);
		gst_json_key(&j, "count");
		gst_json_uint(&j, p->count[i]);
		gst_json_key(&j, "from");
		p->count[i] ? gst_json_uint(&j, p->from[i]) : gst_json_null(&j);
		gst_json_key(&j, "to");
		p->count[i] ? gst_json_uint(&j, p->to[i]) : gst_json_null(&j);
		gst_json_end_object(&j);
	}
	gst_json_end_object(&j);
	gst_json_finish(&j);
	return GST_OK;
}
