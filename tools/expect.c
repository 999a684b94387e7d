/*
 * expect.c - hold the EXPECT lines of a workload or a text trace against the analysis of a trace.
 *
 * Role      : expect SOURCE TRACE; one program for text traces, recorded traces in CI and live runs.
 * Method    : the language of kernels/README.md; every line is checked, and each that does not hold is
 *             printed with what was found instead.
 * Invariant : a line that is not understood is an error: no promise is skipped in silence.
 * Not here  : what is promised; that stands in the source.
 *
 * Exit status: 0 all hold, 1 some do not, 2 usage or a line that is not understood, 3 unreadable trace.
 */
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/arena.h"
#include "analyzer/check/check.h"
#include "analyzer/load/load.h"

#define WORDS_MAX  32
#define LINE_BYTES 1024

struct range {
	uint64_t from, to;
};

struct subject {
	const struct gst_model *m;
	const struct gst_order *o;
	const struct gst_timing *t;
	const struct gst_findings *f;
	const char *source;
	unsigned line;
	unsigned failed, held;
};

static const char *const kinds[GST_OP_KIND_COUNT] = {
	[GST_OP_KERNEL] = "kernel",	  [GST_OP_MEMCPY] = "memcpy",
	[GST_OP_MEMSET] = "memset",	  [GST_OP_HOST_FUNC] = "host_func",
	[GST_OP_EVENT_RECORD] = "record", [GST_OP_EVENT_WAIT] = "wait",
	[GST_OP_GRAPH_LAUNCH] = "graph",  [GST_OP_ALLOC] = "alloc",
	[GST_OP_FREE] = "free",		  [GST_OP_MEMOP] = "memop",
	[GST_OP_OPAQUE] = "opaque",
};

static _Noreturn void bad_line(const struct subject *s, const char *what)
{
	fprintf(stderr, "%s:%u: EXPECT line not understood: %s\n", s->source, s->line, what);
	exit(2);
}

static void verdict(struct subject *s, bool holds, const char *promise, const char *found)
{
	if (holds) {
		s->held++;
		return;
	}
	s->failed++;
	printf("%s:%u: does not hold: %s\n    found: %s\n", s->source, s->line, promise, found);
}

/* ---- words ---------------------------------------------------------------------------------- */

/* A decimal number at @p; what follows it in *@end. */
static bool number(const char *p, uint64_t *n, const char **end)
{
	char *after;

	if (*p < '0' || *p > '9') {
		return false;
	}
	*n = strtoull(p, &after, 10);
	*end = after;
	return true;
}

/* N, N..M, >=N, <=N in words @w[0..]; returns the number of words used, 0 = none. */
static int parse_range(char **w, int count, struct range *r, bool *is_bare)
{
	const char *p, *end;
	char cmp = 0;
	int used = 1;

	if (count < 1) {
		return 0;
	}
	p = w[0];
	*is_bare = false;
	if (strncmp(p, ">=", 2) == 0 || strncmp(p, "<=", 2) == 0 || strncmp(p, "==", 2) == 0) {
		cmp = *p;
		p += 2;
		if (*p == '\0') {
			if (count < 2) {
				return 0;
			}
			p = w[1];
			used = 2;
		}
	}
	if (!number(p, &r->from, &end)) {
		return 0;
	}
	r->to = r->from;
	if (!cmp && strncmp(end, "..", 2) == 0) {
		if (!number(end + 2, &r->to, &end)) {
			return 0;
		}
	} else if (!cmp) {
		*is_bare = true;
	}
	if (*end != '\0') {
		return 0;
	}
	if (cmp == '>') {
		r->to = UINT64_MAX;
	} else if (cmp == '<') {
		r->from = 0;
	}
	return used;
}

static bool is_in(struct range r, uint64_t n)
{
	return n >= r.from && n <= r.to;
}

static enum gst_op_kind kind_of(const struct subject *s, const char *word)
{
	for (int i = 0; i < GST_OP_KIND_COUNT; i++) {
		if (strcmp(kinds[i], word) == 0) {
			return (enum gst_op_kind)i;
		}
	}
	bad_line(s, word);
}

/* ---- ops ------------------------------------------------------------------------------------ */

static bool is_called(const struct subject *s, gst_op_id op, const char *name, size_t length)
{
	const struct gst_op *x = &s->m->ops[op];
	const char *mangled;
	char *whole;
	bool is_it;

	/* Of nodes of graphs, kernels alone: the others have no names to tell them apart. */
	if (x->flags & GST_OP_NODE && x->kind != GST_OP_KERNEL) {
		return false;
	}
	if (x->kind != GST_OP_KERNEL) {
		return strlen(kinds[x->kind]) == length &&
		       memcmp(kinds[x->kind], name, length) == 0;
	}
	mangled = gst_strtab_get(s->m->strings, x->name, NULL);
	whole = cplus_demangle_v3(mangled, DMGL_PARAMS | DMGL_ANSI);
	if (name[0] == '~') {
		char *text = strndup(name + 1, length - 1);
		is_it = text && strstr(whole ? whole : mangled, text) != NULL;
		free(text);
	} else {
		const char *n = whole ? whole : mangled;
		is_it = strcspn(n, "(<") == length && memcmp(n, name, length) == 0;
	}
	free(whole);
	return is_it;
}

static gst_op_id find_op(const struct subject *s, const char *word)
{
	const char *hash = strrchr(word, '#'), *end;
	uint64_t k, seen = 0;

	if (!hash || hash == word || !number(hash + 1, &k, &end) || *end != '\0' || k == 0) {
		bad_line(s, word);
	}
	for (gst_op_id i = 0; i < s->m->op_count; i++) {
		if (is_called(s, i, word, (size_t)(hash - word)) && ++seen == k) {
			return i;
		}
	}
	return GST_NONE;
}

static void check_order(struct subject *s, char **w, int count, bool is_ordered, const char *text)
{
	const struct gst_path_query documented = {.documented_only = true};
	gst_op_id a, b;
	enum gst_answer ab, ba;
	char found[200];

	if (count != 3 || strcmp(w[1], is_ordered ? "->" : "|") != 0) {
		bad_line(s, text);
	}
	a = find_op(s, w[0]);
	b = find_op(s, w[2]);
	if (a == GST_NONE || b == GST_NONE) {
		(void)snprintf(found, sizeof(found), "no op %.100s", a == GST_NONE ? w[0] : w[2]);
		verdict(s, false, text, found);
		return;
	}
	/* That something may be waited for is no order. */
	ab = gst_order_before(s->o, a, b, is_ordered ? NULL : &documented);
	ba = gst_order_before(s->o, b, a, is_ordered ? NULL : &documented);
	(void)snprintf(found, sizeof(found), "first before second: %s, second before first: %s",
		       ab == GST_YES	     ? "yes"
		       : ab == GST_DONT_KNOW ? "not known"
					     : "no",
		       ba == GST_YES	     ? "yes"
		       : ba == GST_DONT_KNOW ? "not known"
					     : "no");
	verdict(s, is_ordered ? ab == GST_YES : ab == GST_NO && ba == GST_NO, text, found);
}

/* ---- counts --------------------------------------------------------------------------------- */

static void check_count(struct subject *s, char **w, int count, uint64_t n, const char *text)
{
	struct range r;
	bool is_bare;
	char found[40];

	if (parse_range(w, count, &r, &is_bare) != count) {
		bad_line(s, text);
	}
	(void)snprintf(found, sizeof(found), "%" PRIu64, n);
	verdict(s, is_in(r, n), text, found);
}

static uint64_t count_streams(const struct subject *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->m->stream_count; i++) {
		n += s->m->streams[i].op_count > 0;
	}
	return n;
}

static uint64_t count_ops(const struct subject *s, enum gst_op_kind kind)
{
	uint64_t n = 0;

	for (gst_op_id i = 0; i < s->m->op_count; i++) {
		n += s->m->ops[i].kind == kind && !(s->m->ops[i].flags & GST_OP_NODE);
	}
	return n;
}

static uint64_t count_edges(const struct subject *s, const char *rule)
{
	uint64_t n = 0;
	int id = -1;

	for (int i = 0; i < GST_RULE_COUNT; i++) {
		if (strcmp(gst_rule_id((enum gst_rule)i), rule) == 0) {
			id = i;
		}
	}
	if (id < 0) {
		bad_line(s, rule);
	}
	for (gst_edge_id e = gst_order_next_edge(s->o, 0); e < gst_order_edge_bound(s->o);
	     e = gst_order_next_edge(s->o, e + 1)) {
		n += gst_order_edge(s->o, e).rule == id && gst_timing_in_force(s->t, e);
	}
	return n;
}

/* ---- findings ------------------------------------------------------------------------------- */

static void know_finding(const struct subject *s, const char *id)
{
	uint32_t count;
	const char *const *ids = gst_check_ids(&count);

	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(ids[i], id) == 0) {
			return;
		}
	}
	bad_line(s, id);
}

static bool has_rule(const struct subject *s, const struct gst_finding *f, const char *rule)
{
	for (uint32_t i = 0; i < f->path_count; i++) {
		const struct gst_edge e = gst_order_edge(s->o, f->path[i]);
		if (strcmp(gst_rule_id((enum gst_rule)e.rule), rule) == 0) {
			return true;
		}
	}
	return false;
}

/* "recoverable_us RANGE" and the like: splits off a range that sticks to the word. */
static int check_time(const struct subject *s, char **w, int count, const char *name, uint64_t ns,
		      bool *holds, const char *text)
{
	size_t length = strlen(name);
	struct range r;
	bool is_bare;
	int used;
	char *rest[2];

	if (w[0][length] == '\0') {
		used = parse_range(w + 1, count - 1, &r, &is_bare);
		if (used == 0) {
			bad_line(s, text);
		}
		used++;
	} else {
		rest[0] = w[0] + length;
		rest[1] = count > 1 ? w[1] : NULL;
		used = parse_range(rest, count > 1 ? 2 : 1, &r, &is_bare);
		if (used == 0) {
			bad_line(s, text);
		}
	}
	*holds = *holds && is_in(r, ns / 1000);
	return used;
}

static bool meets(const struct subject *s, const struct gst_finding *f, char **w, int count,
		  const char *text)
{
	bool holds = true;

	for (int i = 0; i < count;) {
		if (strncmp(w[i], "severity>=", 10) == 0) {
			int want = -1;
			for (int v = GST_SEVERITY_INFO; v <= GST_SEVERITY_HIGH; v++) {
				if (strcmp(gst_severity_name((enum gst_severity)v), w[i] + 10) ==
				    0) {
					want = v;
				}
			}
			if (want < 0) {
				bad_line(s, text);
			}
			holds = holds && (int)f->severity >= want;
			i++;
		} else if (strncmp(w[i], "path~", 5) == 0) {
			holds = holds && has_rule(s, f, w[i] + 5);
			i++;
		} else if (strncmp(w[i], "recoverable_us", 14) == 0) {
			i += check_time(s, w + i, count - i, "recoverable_us", f->cost_ns, &holds,
					text);
		} else if (strncmp(w[i], "blocked_us", 10) == 0) {
			i += check_time(s, w + i, count - i, "blocked_us", f->blocked_ns, &holds,
					text);
		} else {
			bad_line(s, text);
		}
	}
	return holds;
}

static void list_findings(const struct subject *s, const char *id, char *out, size_t size)
{
	size_t used = 0;

	(void)snprintf(out, size, "no such finding");
	for (uint32_t i = 0; i < s->f->count; i++) {
		const struct gst_finding *f = &s->f->items[i];
		int n;
		if (id && strcmp(f->id, id) != 0) {
			continue;
		}
		n = snprintf(out + used, size - used,
			     "%s%s %s recoverable %" PRIu64 " us (%" PRIu64 "..%" PRIu64
			     ") blocked %" PRIu64 " us",
			     used ? "; " : "", f->id, gst_severity_name(f->severity),
			     f->cost_ns / 1000, f->cost_low_ns / 1000, f->cost_high_ns / 1000,
			     f->blocked_ns / 1000);
		if (n < 0 || (size_t)n >= size - used) {
			return;
		}
		used += (size_t)n;
	}
}

static void check_finding(struct subject *s, char **w, int count, const char *text)
{
	char found[1000];
	bool holds = false;

	if (count < 1) {
		bad_line(s, text);
	}
	know_finding(s, w[0]);
	/* A condition is read even where no finding is there to meet it. */
	static const struct gst_finding none;
	(void)meets(s, &none, w + 1, count - 1, text);
	for (uint32_t i = 0; i < s->f->count; i++) {
		if (strcmp(s->f->items[i].id, w[0]) == 0) {
			holds |= meets(s, &s->f->items[i], w + 1, count - 1, text);
		}
	}
	list_findings(s, w[0], found, sizeof(found));
	verdict(s, holds, text, found);
}

static void check_none(struct subject *s, char **w, int count, const char *text)
{
	char found[1000];
	bool holds = true;

	if (count != 1) {
		bad_line(s, text);
	}
	know_finding(s, w[0]);
	for (uint32_t i = 0; i < s->f->count; i++) {
		holds &= strcmp(s->f->items[i].id, w[0]) != 0 ||
			 s->f->items[i].severity < GST_SEVERITY_LOW;
	}
	list_findings(s, w[0], found, sizeof(found));
	verdict(s, holds, text, found);
}

/* A bare N is met within 5 %. */
static void check_gain(struct subject *s, char **w, int count, const char *text)
{
	struct range r;
	bool is_bare, holds = false;
	char found[1000];

	if (parse_range(w, count, &r, &is_bare) != count) {
		bad_line(s, text);
	}
	if (is_bare) {
		r.from -= r.from / 20;
		r.to += r.to / 20;
	}
	for (uint32_t i = 0; i < s->f->count; i++) {
		const struct gst_finding *f = &s->f->items[i];

		/* Of a bound alone is known only that it is no less. */
		holds |= f->cost_is_bound ? r.from <= f->cost_high_ns / 1000
					  : is_in(r, f->cost_ns / 1000);
	}
	list_findings(s, NULL, found, sizeof(found));
	verdict(s, holds, text, found);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void check_line(struct subject *s, const char *text)
{
	char copy[LINE_BYTES], *w[WORDS_MAX], *p = copy;
	int n = 0;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	while (*(p += strspn(p, " \t"))) {
		if (n == WORDS_MAX) {
			bad_line(s, text);
		}
		w[n++] = p;
		p += strcspn(p, " \t");
		if (*p) {
			*p++ = '\0';
		}
	}
	if (n < 2) {
		bad_line(s, text);
	}
	if (strcmp(w[0], "TWIN") == 0) {
		return;
	}
	if (strcmp(w[1], "streams:") == 0) {
		check_count(s, w + 2, n - 2, count_streams(s), text);
	} else if (strcmp(w[1], "ops") == 0 && n > 3) {
		size_t length = strlen(w[2]);
		if (w[2][length - 1] != ':') {
			bad_line(s, text);
		}
		w[2][length - 1] = '\0';
		check_count(s, w + 3, n - 3, count_ops(s, kind_of(s, w[2])), text);
	} else if (strcmp(w[1], "edges:") == 0 && n > 3) {
		check_count(s, w + 3, n - 3, count_edges(s, w[2]), text);
	} else if (strcmp(w[1], "ordered:") == 0 || strcmp(w[1], "unordered:") == 0) {
		check_order(s, w + 2, n - 2, w[1][0] == 'o', text);
	} else if (strcmp(w[1], "finding:") == 0) {
		check_finding(s, w + 2, n - 2, text);
	} else if (strcmp(w[1], "none:") == 0) {
		check_none(s, w + 2, n - 2, text);
	} else if (strcmp(w[1], "gain_us:") == 0) {
		check_gain(s, w + 2, n - 2, text);
	} else {
		bad_line(s, text);
	}
}

static void check_source(struct subject *s)
{
	FILE *in = fopen(s->source, "r");
	char line[LINE_BYTES];

	if (!in) {
		fprintf(stderr, "expect: cannot read %s\n", s->source);
		exit(2);
	}
	while (fgets(line, sizeof(line), in)) {
		char *p = line + strspn(line, " \t");

		s->line++;
		/* The star of a comment, or the hash of a text trace. */
		if (*p == '*' || *p == '#') {
			p++;
			p += strspn(p, " \t");
		}
		if (strncmp(p, "EXPECT", 6) != 0 && strncmp(p, "TWIN", 4) != 0) {
			continue;
		}
		p[strcspn(p, "\r\n")] = '\0';
		check_line(s, p);
	}
	fclose(in);
}

static gst_status analyze(const char *path, struct gst_arena *arena, struct subject *s,
			  struct gst_err *err)
{
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_loader *loader = NULL;
	gst_status st;

	options.fold_staging = false;
	st = gst_loader_open(path, &options, &loader, err);
	if (!st) {
		st = gst_model_build(&loader, 1, arena, &s->m, err);
	}
	if (!st) {
		st = gst_order_build(s->m, arena, &s->o, err);
	}
	if (!st) {
		st = gst_timing_build(s->m, s->o, arena, &s->t, err);
	}
	if (!st) {
		st = gst_check_run(s->m, s->o, s->t, NULL, arena, &s->f, err);
	}
	gst_loader_close(loader);
	return st;
}

int main(int argc, char **argv)
{
	struct gst_arena *arena;
	struct gst_err err = {0};
	struct subject s = {0};

	if (argc != 3) {
		fprintf(stderr,
			"usage: expect SOURCE TRACE\n"
			"  holds the EXPECT lines of SOURCE (kernels/README.md) against TRACE\n");
		return 2;
	}
	s.source = argv[1];
	arena = gst_arena_new(0);
	if (analyze(argv[2], arena, &s, &err)) {
		fprintf(stderr, "expect: %s\n", err.text);
		gst_arena_free(arena);
		return 3;
	}
	check_source(&s);
	if (s.held + s.failed == 0) {
		fprintf(stderr, "expect: %s promises nothing\n", s.source);
		gst_arena_free(arena);
		return 2;
	}
	printf("%s: %u of %u EXPECT lines hold\n", argv[2], s.held, s.held + s.failed);
	gst_model_free(s.m);
	gst_arena_free(arena);
	return s.failed ? 1 : 0;
}
