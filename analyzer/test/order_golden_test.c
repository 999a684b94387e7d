/*
 * order_golden_test.c - model and graph of each text trace, against the text in testdata/golden/order.
 *
 * Role      : a trace a rule, and a trace a non-rule; the golden holds all edges, so one too many fails as well.
 * Method    : order_golden_test GOLDEN_DIR TRACE...: dumps each trace and compares. With the variable
 *             GSTRACE_GOLDEN_OUT set to a folder the dumps are written there instead (tools/golden.sh).
 *             What a trace is there for stands in it, and holds whatever the golden says:
 *                 # HOLDS [no] edge RULE NODE -> NODE
 *                 # HOLDS [no] [documented] path NODE -> NODE        NODE: "op 3", "call 2", "barrier 0"
 *                 # HOLDS unknown path NODE -> NODE                  none is seen, and what could show one is missing
 *                 # HOLDS unproved|observed|disproved edge RULE NODE -> NODE    what the times make of it
 * Invariant : every trace has a golden, and each model is valid.
 * Not here  : findings (goldens of analyze).
 */
#include <stdio.h>

#include "analyzer/base/outfile.h"
#include "analyzer/timing/timing.h"

static char *read_file(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	size_t room = 0;
	size_t got;

	*length = 0;
	if (!f)
		return NULL;
	do {
		if (room - *length < 4096) {
			room = room ? 2 * room : 65536;
			data = realloc(data, room);
			if (!data)
				abort();
		}
		got = fread(data + *length, 1, room - *length, f);
		*length += got;
	} while (got);
	(void)fclose(f);
	return data;
}

/* The first line in which the two differ. */
static void show_difference(const char *wanted, size_t wanted_length, const char *got,
			    size_t got_length)
{
	size_t line = 1;
	size_t start = 0;
	size_t i = 0;

	while (i < wanted_length && i < got_length && wanted[i] == got[i]) {
		if (wanted[i++] == '\n') {
			line++;
			start = i;
		}
	}
	fprintf(stderr, "  line %zu\n  golden: %.*s\n  got:    %.*s\n", line,
		(int)strcspn(wanted + start, "\n"), wanted + start, (int)strcspn(got + start, "\n"),
		got + start);
}

static int compare(const char *folder, const char *name, const char *got, size_t got_length)
{
	char path[4096];
	size_t wanted_length;
	char *wanted;
	int failed;

	snprintf(path, sizeof(path), "%s/%s.txt", folder, name);
	wanted = read_file(path, &wanted_length);
	if (!wanted) {
		fprintf(stderr, "%s: no golden %s\n", name, path);
		return 1;
	}
	failed = wanted_length != got_length || memcmp(wanted, got, got_length) != 0;
	if (failed) {
		fprintf(stderr, "%s: differs from %s\n", name, path);
		wanted = realloc(wanted, wanted_length + 1);
		if (!wanted)
			abort();
		wanted[wanted_length] = 0;
		show_difference(wanted, wanted_length, got, got_length);
	}
	free(wanted);
	return failed;
}

static int write_golden(const char *folder, const char *name, const char *got, size_t got_length)
{
	char path[4096];
	struct gst_outfile *out;
	struct gst_err err = {0};

	snprintf(path, sizeof(path), "%s/%s.txt", folder, name);
	if (gst_outfile_open(path, &out, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	gst_outfile_write(out, got, got_length);
	return gst_outfile_commit(out, &err) != GST_OK;
}

/* "op 3", "call 2" or "barrier 0" at @*at; moves on past it. */
static gst_node_id parse_node(const struct gst_model *m, const struct gst_order *o, const char **at)
{
	unsigned long number;
	bool is_op = !strncmp(*at, "op ", 3);
	char *end;

	if (!strncmp(*at, "barrier ", 8)) {
		number = m->op_count + m->call_count + strtoul(*at + 8, &end, 10);
		*at = end;
		return number < gst_order_node_count(o) ? (gst_node_id)number : GST_NONE;
	}
	if (!is_op && strncmp(*at, "call ", 5) != 0)
		return GST_NONE;
	number = strtoul(*at + (is_op ? 3 : 5), &end, 10);
	*at = end;
	if (number >= (is_op ? m->op_count : m->call_count))
		return GST_NONE;
	return is_op ? gst_node_of_op((gst_op_id)number) : gst_node_of_call(o, (gst_call_id)number);
}

/* @t: count edges of @strength alone; NULL: any. */
static bool has_edge(const struct gst_order *o, const struct gst_timing *t,
		     enum gst_strength strength, const char *rule, size_t rule_length,
		     gst_node_id a, gst_node_id b)
{
	for (gst_edge_id i = gst_order_next_edge(o, 0); i < gst_order_edge_bound(o);
	     i = gst_order_next_edge(o, i + 1)) {
		const struct gst_edge e = gst_order_edge(o, i);
		const char *id = gst_rule_id((enum gst_rule)e.rule);

		if (e.from == a && e.to == b && strlen(id) == rule_length &&
		    !memcmp(id, rule, rule_length) && (!t || gst_timing_strength(t, i) == strength))
			return true;
	}
	return false;
}

/* One expectation; -1 = not understood, else whether it holds. */
static int holds(const struct gst_model *m, const struct gst_order *o, const struct gst_timing *t,
		 const char *at)
{
	static const struct {
		const char *word;
		enum gst_strength strength;
	} strengths[] = {{"unproved ", GST_POSSIBLE},
			 {"observed ", GST_OBSERVED},
			 {"disproved ", GST_DISPROVED}};
	enum gst_strength strength = GST_DOCUMENTED;
	enum gst_answer answer = GST_YES;
	struct gst_path_query q = {0};
	bool is_wanted = strncmp(at, "no ", 3) != 0;
	const char *rule = NULL;
	size_t rule_length = 0;
	gst_node_id a, b;

	at += is_wanted ? 0 : 3;
	if (!strncmp(at, "documented ", 11)) {
		q.documented_only = true;
		at += 11;
	} else if (!strncmp(at, "unknown path ", 13)) {
		answer = GST_DONT_KNOW;
		at += 8;
	}
	for (size_t i = 0; i < sizeof(strengths) / sizeof(strengths[0]); i++) {
		if (!strncmp(at, strengths[i].word, strlen(strengths[i].word))) {
			strength = strengths[i].strength;
			at += strlen(strengths[i].word);
		}
	}
	if (!strncmp(at, "edge ", 5)) {
		rule = at + 5;
		rule_length = strcspn(rule, " ");
		at = rule + rule_length + 1;
	} else if (!strncmp(at, "path ", 5)) {
		at += 5;
	} else {
		return -1;
	}
	a = parse_node(m, o, &at);
	if (a == GST_NONE || strncmp(at, " -> ", 4) != 0)
		return -1;
	at += 4;
	b = parse_node(m, o, &at);
	if (b == GST_NONE || *at != '\n')
		return -1;
	if (rule)
		return has_edge(o, strength == GST_DOCUMENTED ? NULL : t, strength, rule,
				rule_length, a, b) == is_wanted;
	return (gst_order_before(o, a, b, &q) == answer) == is_wanted;
}

static int check_expectations(const char *path, const struct gst_model *m,
			      const struct gst_order *o, const struct gst_timing *t)
{
	static const char mark[] = "# HOLDS ";
	size_t length;
	char *text = read_file(path, &length);
	int failed = 0;

	if (!text)
		return 1;
	text = realloc(text, length + 1);
	if (!text)
		abort();
	text[length] = 0;
	for (const char *at = strstr(text, mark); at; at = strstr(at, mark)) {
		int answer;

		at += strlen(mark);
		answer = holds(m, o, t, at);
		if (answer == 1)
			continue;
		fprintf(stderr, "%s: %s: %.*s\n", path, answer ? "not understood" : "does not hold",
			(int)strcspn(at, "\n"), at);
		failed = 1;
	}
	free(text);
	return failed;
}

static int check_trace(const char *folder, const char *path)
{
	const char *update = getenv("GSTRACE_GOLDEN_OUT");
	const char *slash = strrchr(path, '/');
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_loader *loader = NULL;
	const struct gst_model *m = NULL;
	const struct gst_order *o;
	const struct gst_timing *t;
	struct gst_outfile *out = NULL;
	struct gst_err err = {0};
	const char *bad;
	const char *text;
	char name[256];
	size_t length;
	int failed = 1;

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
	name[strcspn(name, ".")] = 0;
	if (gst_loader_open(path, NULL, &loader, &err) ||
	    gst_model_build(&loader, 1, arena, &m, &err) || gst_order_build(m, arena, &o, &err) ||
	    gst_timing_build(m, o, arena, &t, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		goto out;
	}
	bad = gst_model_validate(m);
	if (bad) {
		fprintf(stderr, "%s: invalid model: %s\n", path, bad);
		goto out;
	}
	out = gst_outfile_open_memory();
	gst_model_dump(m, out);
	gst_order_dump(o, out);
	text = gst_outfile_memory(out, &length);
	failed = check_expectations(path, m, o, t);
	failed |= update ? write_golden(update, name, text, length)
			 : compare(folder, name, text, length);
out:
	gst_outfile_abort(out);
	gst_loader_close(loader);
	gst_model_free(m);
	gst_arena_free(arena);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: order_golden_test GOLDEN_DIR TRACE...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		failed += check_trace(argv[1], argv[i]);
	printf("%d traces, %d failed\n", argc - 2, failed);
	return failed != 0;
}
