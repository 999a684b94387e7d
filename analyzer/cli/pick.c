/*
 * pick.c - see pick.h.
 *
 * Role      : commands that ask about single operations.
 * Method    : the text is taken apart from its end (@TIME, #N), then from its front; one pass over the operations
 *             counts what fits, names that are equal before names that contain.
 * Invariant : more than one operation is never narrowed down silently.
 * Not here  : what is asked about the operation (cmd_*.c).
 */
#include "analyzer/cli/pick.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/cli/analysis.h"
#include "analyzer/export/describe.h"

enum { MAX_TEXT = 4096, MAX_LISTED = 10 };

struct pick {
	char text[MAX_TEXT];
	const char *name;   /* NULL = any */
	const char *stream; /* NULL = any; a number or a name */
	bool has_number, has_corr, has_time, is_last, is_exact;
	uint64_t number, corr, time_ns;
	uint64_t nth; /* from 1; 0 = not said */
};

static bool digits(const char *text, uint64_t *out)
{
	uint64_t n = 0;

	if (!*text) {
		return false;
	}
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || n > UINT64_C(1) << 60) {
			return false;
		}
		n = n * 10 + (uint64_t)(*text - '0');
	}
	*out = n;
	return true;
}

/* @TIME and #N, in either order. What looks like them and is none belongs to a name. */
static void take_ends(struct pick *p)
{
	for (int i = 0; i < 2; i++) {
		char *at = strrchr(p->text, '@'), *hash = strrchr(p->text, '#');

		if (at && !p->has_time && gst_cli_parse_time(at + 1, &p->time_ns)) {
			p->has_time = true;
			*at = '\0';
		} else if (hash && !p->nth && !p->is_last && strcmp(hash + 1, "last") == 0) {
			p->is_last = true;
			*hash = '\0';
		} else if (hash && !p->nth && !p->is_last && digits(hash + 1, &p->nth)) {
			*hash = '\0';
		}
	}
}

static void take_apart(struct pick *p, const char *text)
{
	char *rest = p->text, *colon;

	snprintf(p->text, sizeof(p->text), "%s", text);
	take_ends(p);
	if (digits(rest, &p->number) ||
	    (strncmp(rest, "op:", 3) == 0 && digits(rest + 3, &p->number))) {
		p->has_number = true;
		return;
	}
	if (strncmp(rest, "corr:", 5) == 0 && digits(rest + 5, &p->corr)) {
		p->has_corr = true;
		return;
	}
	if (strncmp(rest, "stream:", 7) == 0) {
		p->stream = rest + 7;
		colon = strchr(rest + 7, ':');
		rest = colon ? colon + 1 : rest + strlen(rest);
		if (colon) {
			*colon = '\0';
		}
	}
	if (*rest) {
		p->name = rest;
	}
}

static bool fits_stream(const struct pick *p, const struct gst_model *m, gst_stream_id s)
{
	struct gst_label label;
	uint64_t number;

	if (s == GST_NONE) {
		return false;
	}
	if (digits(p->stream, &number)) {
		return m->streams[s].cupti_id != GST_ID_NONE && m->streams[s].cupti_id == number;
	}
	label = gst_stream_label(m, s);
	return strstr(label.text, p->stream) != NULL;
}

static bool fits_name(const struct pick *p, const struct gst_model *m, gst_op_id op)
{
	const char *mangled = gst_strtab_get(m->strings, m->ops[op].name, NULL);
	char label[GST_LABEL_BYTES];

	gst_model_op_label(m, op, label, sizeof(label));
	if (p->is_exact) {
		return strcmp(label, p->name) == 0 || strcmp(mangled, p->name) == 0;
	}
	return strstr(label, p->name) || strstr(mangled, p->name);
}

static bool fits(const struct pick *p, const struct gst_model *m, gst_op_id op)
{
	const struct gst_op *x = &m->ops[op];

	if (p->has_number && op != p->number) {
		return false;
	}
	if (p->has_corr && (x->call == GST_NONE || m->calls[x->call].corr != p->corr)) {
		return false;
	}
	if (p->has_time &&
	    (!(x->flags & GST_OP_TIMED) || p->time_ns < x->begin_ns || p->time_ns > x->end_ns)) {
		return false;
	}
	return (!p->stream || fits_stream(p, m, x->stream)) && (!p->name || fits_name(p, m, op));
}

/* How many fit; *op is the one meant if there is just one, or an #N. */
static uint64_t search(const struct pick *p, const struct gst_model *m, gst_op_id *op)
{
	uint64_t count = 0;

	*op = GST_NONE;
	for (gst_op_id i = 0; i < m->op_count; i++) {
		if (fits(p, m, i)) {
			count++;
			if (p->is_last || count == (p->nth ? p->nth : 1)) {
				*op = i;
			}
		}
	}
	return count;
}

static void list(const struct pick *p, const struct gst_model *m)
{
	uint64_t count = 0;

	for (gst_op_id i = 0; i < m->op_count && count < MAX_LISTED; i++) {
		const struct gst_op *x = &m->ops[i];
		char label[GST_LABEL_BYTES];

		if (!fits(p, m, i)) {
			continue;
		}
		count++;
		gst_model_op_label(m, i, label, sizeof(label));
		fprintf(stderr, "  op:%-8" PRIu32 " #%-4" PRIu64 " %s in %s%s%s\n", i, count,
			gst_cli_show(label), gst_cli_show(gst_stream_label(m, x->stream).text),
			x->flags & GST_OP_TIMED ? ", began at " : "",
			x->flags & GST_OP_TIMED ? gst_moment(x->begin_ns).text : "");
	}
}

static void list_streams(const struct gst_model *m)
{
	uint32_t count = 0;

	for (gst_stream_id s = 0; s < m->stream_count; s++) {
		if (m->streams[s].op_count == 0) {
			continue;
		}
		if (count++ == MAX_LISTED) {
			fprintf(stderr, "  ...\n");
			break;
		}
		fprintf(stderr, "  %s: %" PRIu32 "\n", gst_cli_show(gst_stream_label(m, s).text),
			m->streams[s].op_count);
	}
}

/* How many operations @text means, 0 after a complaint; @p is how to find them, *op as with search(). */
static uint64_t count_meant(struct gst_opt *opt, const char *name, const char *text,
			    const struct gst_model *m, struct pick *p, gst_op_id *op)
{
	uint64_t count;

	if (strlen(text) >= MAX_TEXT) {
		gst_opt_wrong(opt, "--%s is too long", name);
		return 0;
	}
	p->is_exact = true;
	take_apart(p, text);
	count = search(p, m, op);
	if (count == 0 && p->name) {
		p->is_exact = false;
		count = search(p, m, op);
	}
	if (count == 0 && p->stream) {
		gst_opt_wrong_list(
			opt,
			"--%s=%s: no operation fits; the trace has %" PRIu32 ", by stream:", name,
			gst_cli_show(text), m->op_count);
		list_streams(m);
		gst_opt_try_help(opt);
	} else if (count == 0) {
		gst_opt_wrong(opt, "--%s=%s: no operation fits; the trace has %" PRIu32, name,
			      gst_cli_show(text), m->op_count);
	} else if (p->nth > count) {
		gst_opt_wrong(opt, "--%s=%s: there are only %" PRIu64, name, gst_cli_show(text),
			      count);
		return 0;
	}
	return count;
}

uint32_t gst_pick_ops(struct gst_opt *opt, const char *name, const char *text,
		      const struct gst_analysis *a, struct gst_arena *arena, const gst_op_id **ops)
{
	const struct gst_model *m = a->model;
	struct pick p = {.text = ""};
	gst_op_id one;
	uint32_t count = (uint32_t)count_meant(opt, name, text, m, &p, &one), kept = 0;
	gst_op_id *all = GST_ARENA_ARRAY(arena, gst_op_id, (size_t)count + 1);

	*ops = all;
	if (count > 0 && (p.nth || p.is_last)) {
		all[0] = one;
		return 1;
	}
	for (gst_op_id i = 0; i < m->op_count && kept < count; i++) {
		if (fits(&p, m, i)) {
			all[kept++] = i;
		}
	}
	return kept;
}

bool gst_pick_op(struct gst_opt *opt, const char *name, const char *text,
		 const struct gst_analysis *a, gst_op_id *op)
{
	const struct gst_model *m = a->model;
	struct pick p = {.text = ""};
	uint64_t count = count_meant(opt, name, text, m, &p, op);

	if (count > 1 && !p.nth && !p.is_last) {
		gst_opt_wrong_list(opt,
				   "--%s=%s could be any of %" PRIu64
				   " operations; add #1 to #%" PRIu64 ", or say one of:",
				   name, gst_cli_show(text), count, count);
		list(&p, m);
		if (count > MAX_LISTED) {
			fprintf(stderr, "  ...\n");
		}
		gst_opt_try_help(opt);
		return false;
	}
	return count > 0;
}
