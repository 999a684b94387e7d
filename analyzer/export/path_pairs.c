/*
 * path_pairs.c - see path_pairs.h.
 *
 * Role      : one answer for many pairs, as text and JSON.
 * Method    : chain clocks (gst_clocks_before) from SEARCHED_MAX pairs on, a search for each below: making the clocks takes
 *             a pass over all edges.
 * Invariant : both give the same answer.
 * Not here  : which operations are meant (cli), why one comes before another (path.c).
 */
#include "analyzer/export/path_pairs.h"

#include <inttypes.h>

#include "analyzer/base/units.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/json_writer.h"
#include "analyzer/export/text_layout.h"
#include "tracer/format/version.h"

#define SEARCHED_MAX   64u
#define CLOCKS_BYTES   (UINT64_C(1) << 30)
#define SCHEMA_VERSION 1u

/* What answers: by documented edges, and by all of them; the same two where no edge is only possible. */
struct asking {
	const struct gst_order *o;
	struct gst_clocks *documented, *all; /* NULL: searched for */
	bool has_possible;
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

static enum gst_answer ask(const struct asking *k, bool documented_only, gst_op_id x, gst_op_id y)
{
	const struct gst_clocks *clocks =
		documented_only || !k->has_possible ? k->documented : k->all;
	const struct gst_path_query q = {.documented_only = documented_only};

	return clocks ? gst_clocks_before(clocks, x, y) : gst_order_before(k->o, x, y, &q);
}

static enum gst_pair_order order_of(const struct asking *k, gst_op_id x, gst_op_id y)
{
	enum gst_answer forward = ask(k, true, x, y);
	enum gst_answer reverse;

	if (forward == GST_YES) {
		return GST_PAIR_FORWARD;
	}
	reverse = ask(k, true, y, x);
	if (reverse == GST_YES) {
		return GST_PAIR_REVERSE;
	}
	if (k->has_possible) {
		if (ask(k, false, x, y) == GST_YES) {
			return GST_PAIR_MAYBE_FORWARD;
		}
		if (ask(k, false, y, x) == GST_YES) {
			return GST_PAIR_MAYBE_REVERSE;
		}
	}
	return forward == GST_DONT_KNOW || reverse == GST_DONT_KNOW ? GST_PAIR_UNKNOWN
								    : GST_PAIR_NONE;
}

void gst_path_pairs(const struct gst_analysis *a, const gst_op_id *from, uint32_t from_count,
		    const gst_op_id *to, uint32_t to_count, struct gst_path_pairs *out)
{
	struct asking k = {.o = a->order, .has_possible = has_possible(a->order)};

	*out = (struct gst_path_pairs){.total = 0};
	if ((uint64_t)from_count * to_count > SEARCHED_MAX) {
		k.documented = gst_clocks_new(a->order, CLOCKS_BYTES, true);
		k.all = k.has_possible ? gst_clocks_new(a->order, CLOCKS_BYTES, false) : NULL;
	}
	for (uint32_t i = 0; i < from_count; i++) {
		for (uint32_t n = 0; n < to_count; n++) {
			enum gst_pair_order order;

			if (from[i] == to[n]) {
				continue;
			}
			order = order_of(&k, from[i], to[n]);
			if (out->count[order]++ == 0) {
				out->from[order] = from[i];
				out->to[order] = to[n];
			}
			out->total++;
		}
	}
	gst_clocks_free(k.documented);
	gst_clocks_free(k.all);
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
