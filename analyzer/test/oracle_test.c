/*
 * oracle_test.c - the graph of random small programs against the rules written a second time.
 *
 * Role      : proves the graph: every pair of ops and calls is compared, and each path.
 * Method    : a program is made from a seed (oracle_world.c) and written as a text trace (oracle_text.c); the engine reads
 *             that. The oracle (oracle_rules.c) knows the program itself. Then each rule is left out of the
 *             engine's answers, and each of a list of lies is told in the trace: all must be noticed.
 * Invariant : no code or table of analyzer/order is used to find an answer here.
 * Not here  : times (there are none in these traces), findings; graphs with definitions (graph_oracle_test.c).
 *
 * oracle_test [SEEDS [FIRST]]: a failing seed is printed with its shortest failing program.
 */
#include "analyzer/test/oracle_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what the engine says ------------------------------------------------------------------------------------ */

struct answers {
	struct gst_engine x;
	gst_call_id calls[ACTS_MAX];
	gst_op_id ops[ACTS_MAX];
};

static bool open_engine(struct answers *e, const struct gst_text *t, const struct gst_world *w)
{
	if (!gst_engine_open(&e->x, t))
		return false;
	for (int i = 0; i < ACTS_MAX; i++)
		e->calls[i] = e->ops[i] = GST_NONE;
	for (uint32_t c = 0; c < e->x.m->call_count; c++) {
		uint32_t corr = e->x.m->calls[c].corr;

		if (corr < 100 || corr >= 100 + (uint32_t)w->act_count)
			continue;
		if (e->calls[corr - 100] != GST_NONE)
			continue;
		e->calls[corr - 100] = c;
		if (e->x.m->calls[c].op_count)
			e->ops[corr - 100] = e->x.m->calls[c].first_op;
	}
	for (int i = 1; i < w->act_count; i++) {
		if (w->acts[i].kind != MULTI_OTHER)
			continue;
		e->calls[i] = e->calls[i - 1];
		e->ops[i] = e->ops[i - 1] == GST_NONE ? GST_NONE : e->ops[i - 1] + 1;
	}
	return true;
}

enum which { WHICH_MAY, WHICH_MUST, WHICH_DEVICE, WHICHES };

static const char *const which_names[] = {"any path", "documented", "documented, device only"};

struct difference {
	int i, k;
	const char *from, *to;
	bool wanted;
	enum which which;
};

static bool differs(const struct answers *e, gst_node_id a, gst_node_id b, bool wanted,
		    const struct gst_path_query *q)
{
	return (gst_order_before(e->x.o, a, b, q) == GST_YES) != wanted;
}

/* The first pair about which the two differ. */
static bool compare_pair(const struct gst_oracle *o, const struct answers *e, int i, int k,
			 enum which which, uint64_t without, struct difference *d)
{
	const struct gst_relation *r = which == WHICH_MAY    ? &o->may
				       : which == WHICH_MUST ? &o->must
							     : &o->device;
	const struct gst_path_query q = {.without_rules = without,
					 .documented_only = which != WHICH_MAY,
					 .device_only = which == WHICH_DEVICE};
	const struct gst_world *w = o->w;
	bool a_runs = w->acts[i].runs;
	bool b_runs = w->acts[k].runs;

	*d = (struct difference){.i = i, .k = k, .which = which};
	if (a_runs && b_runs) {
		d->from = "op";
		d->to = "op";
		d->wanted = gst_relation_has(r, gst_end_of(i), gst_begin_of(k));
		if (differs(e, e->ops[i], e->ops[k], d->wanted, &q))
			return true;
		if (w->acts[k].kind == BATCH &&
		    differs(e, e->ops[i], e->ops[k] + 1, d->wanted, &q)) {
			d->to = "second copy";
			return true;
		}
		if (w->acts[i].kind == BATCH &&
		    differs(e, e->ops[i] + 1, e->ops[k], d->wanted, &q)) {
			d->from = "second copy";
			return true;
		}
		if (w->acts[k].kind == GRAPH && w->acts[k].has_record &&
		    differs(e, e->ops[i], e->ops[k] + 1, d->wanted, &q)) {
			d->to = "node";
			return true;
		}
		if (w->acts[i].kind == GRAPH && w->acts[i].has_record &&
		    differs(e, e->ops[i] + 2, e->ops[k], d->wanted, &q)) {
			d->from = "node";
			return true;
		}
	}
	if (which == WHICH_DEVICE || gst_oracle_call_of[i] == gst_oracle_call_of[k])
		return false;
	if (a_runs) {
		d->from = "op";
		d->to = "call";
		d->wanted = gst_relation_has(r, gst_end_of(i), gst_enter_of(k));
		if (differs(e, e->ops[i], gst_node_of_call(e->x.o, e->calls[k]), d->wanted, &q))
			return true;
	}
	d->from = "call";
	d->to = "call";
	d->wanted = gst_relation_has(r, gst_exit_of(i), gst_enter_of(k));
	if (differs(e, gst_node_of_call(e->x.o, e->calls[i]), gst_node_of_call(e->x.o, e->calls[k]),
		    d->wanted, &q))
		return true;
	if (b_runs) {
		d->to = "op";
		d->wanted = gst_relation_has(r, gst_exit_of(i), gst_begin_of(k));
		if (differs(e, gst_node_of_call(e->x.o, e->calls[i]), e->ops[k], d->wanted, &q))
			return true;
	}
	return false;
}

/* A path must be there exactly if the answer is yes, and each of its edges must hold for itself. */
static bool path_is_wrong(const struct answers *e, struct gst_arena *scratch, gst_op_id a,
			  gst_op_id b)
{
	const struct gst_path_query q = {.documented_only = true};
	const gst_edge_id *edges = NULL;
	uint32_t count;
	gst_point_id at = gst_point_end(a);

	gst_arena_reset(scratch);
	count = gst_order_why(e->x.o, a, b, &q, scratch, &edges);
	if ((count != 0) != (gst_order_before(e->x.o, a, b, &q) == GST_YES))
		return true;
	for (uint32_t i = 0; i < count; i++) {
		const struct gst_edge edge = gst_order_edge(e->x.o, edges[i]);

		/* From a begin one may go on at the end of the same node. */
		if (gst_edge_from_point(&edge) != at &&
		    !(gst_edge_from_point(&edge) == at + 1 && at % 2 == 0))
			return true;
		at = gst_edge_to_point(&edge);
	}
	return count && at != gst_point_begin(b);
}

static struct gst_oracle the_oracle;
static struct gst_arena *the_scratch;

/* True if engine and oracle differ for this program, told as @lie has it. */
static bool is_noticed(const struct gst_world *w, enum lie lie, uint64_t without,
		       struct difference *d)
{
	struct answers e;
	bool is_bad = false;

	if (!open_engine(&e, gst_world_text(w, lie, NULL), w)) {
		gst_engine_close(&e.x);
		return true;
	}
	gst_oracle_make(&the_oracle, w);
	*d = (struct difference){.from = "call", .to = "ops"};
	for (int i = 0; i < w->act_count && !is_bad; i++) {
		d->i = d->k = i;
		is_bad = e.calls[i] == GST_NONE || (e.ops[i] != GST_NONE) != w->acts[i].runs;
		/* The copies of a batch are in no order. */
		if (w->acts[i].kind == BATCH && w->acts[i].runs && !is_bad)
			is_bad = differs(&e, e.ops[i], e.ops[i] + 1, false, NULL);
	}
	for (int i = 0; i < w->act_count && !is_bad; i++) {
		for (int k = 0; k < w->act_count && !is_bad; k++) {
			for (int which = 0; which < WHICHES && !is_bad; which++) {
				if (i != k)
					is_bad = compare_pair(&the_oracle, &e, i, k,
							      (enum which)which, without, d);
			}
			if (i != k && !is_bad && !lie && !without && w->acts[i].runs &&
			    w->acts[k].runs && path_is_wrong(&e, the_scratch, e.ops[i], e.ops[k])) {
				*d = (struct difference){
					.i = i, .k = k, .from = "op", .to = "op (path)"};
				is_bad = true;
			}
		}
	}
	gst_engine_close(&e.x);
	return is_bad;
}

static int length_of(uint64_t seed)
{
	return 4 + (int)(seed * 7 % (ACTS_MAX - 3));
}

static void report(uint64_t seed)
{
	struct gst_world w;
	struct difference d;

	/* A program's beginning is a program: the shortest one that still fails. */
	for (int length = 1; length <= length_of(seed); length++) {
		gst_world_make(&w, seed, length);
		if (!is_noticed(&w, NO_LIE, 0, &d))
			continue;
		fprintf(stderr,
			"seed %" PRIu64 ", %d calls: %s of corr %d before %s of corr %d (%s): "
			"oracle says %s\n%s",
			seed, length, d.from, d.i + 100, d.to, d.k + 100, which_names[d.which],
			d.wanted ? "yes" : "no", gst_world_text(&w, NO_LIE, NULL)->data);
		return;
	}
	fprintf(stderr, "seed %" PRIu64 " fails at its full length only\n", seed);
}

static int check_programs(uint64_t first_seed, uint64_t seeds)
{
	struct difference d;
	struct gst_world w;

	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		gst_world_make(&w, s, length_of(s));
		if (is_noticed(&w, NO_LIE, 0, &d)) {
			report(s);
			return 1;
		}
	}
	printf("%" PRIu64 " programs from seed %" PRIu64 ": engine and oracle agree on all pairs\n",
	       seeds, first_seed);
	return 0;
}

static int check_negative(const char *what, enum lie lie, uint64_t without, uint64_t first_seed,
			  uint64_t seeds)
{
	struct difference d;
	struct gst_world w;

	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		gst_world_make(&w, s, length_of(s));
		if (is_noticed(&w, lie, without, &d)) {
			printf("%s: noticed after %" PRIu64 " programs\n", what,
			       s - first_seed + 1);
			return 0;
		}
	}
	fprintf(stderr, "%s: not noticed in %" PRIu64 " programs from seed %" PRIu64 "\n", what,
		seeds, first_seed);
	return 1;
}

static bool has_open_call(const struct gst_world *w)
{
	for (int i = 0; i < w->act_count; i++) {
		if (!w->acts[i].returned)
			return true;
	}
	return false;
}

/* An act added at the end changes no answer about those before it. */
static int check_prefix(uint64_t first_seed, uint64_t seeds)
{
	const struct gst_path_query q = {.documented_only = true};

	for (uint64_t s = first_seed; s < first_seed + seeds; s++) {
		struct gst_world shorter, longer;
		struct answers a, b;
		bool is_bad = false;
		int n = length_of(s);

		gst_world_make(&longer, s, n);
		shorter = longer;
		shorter.act_count--;
		/* A call that overlaps the new one may become ambiguous by it: that is no added op. */
		if (longer.overlap || has_open_call(&shorter) ||
		    longer.acts[n - 1].kind == MULTI_OTHER)
			continue;
		if (!open_engine(&a, gst_world_text(&shorter, NO_LIE, NULL), &shorter))
			return 1;
		if (!open_engine(&b, gst_world_text(&longer, NO_LIE, NULL), &longer))
			return 1;
		for (int i = 0; i < n - 1; i++) {
			for (int k = 0; k < n - 1; k++) {
				if (i == k || !shorter.acts[i].runs || !shorter.acts[k].runs)
					continue;
				if (gst_order_before(a.x.o, a.ops[i], a.ops[k], &q) !=
				    gst_order_before(b.x.o, b.ops[i], b.ops[k], &q))
					is_bad = true;
			}
		}
		gst_engine_close(&b.x);
		gst_engine_close(&a.x);
		if (is_bad) {
			fprintf(stderr, "seed %" PRIu64 ": the last call changes earlier answers\n",
				s);
			return 1;
		}
	}
	printf("an op at the end changes no earlier answer\n");
	return 0;
}

static const struct gst_text *program_text(uint64_t seed, struct gst_random *r)
{
	struct gst_world w;

	gst_world_make(&w, seed, length_of(seed));
	return gst_world_text(&w, NO_LIE, r);
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	uint64_t first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	int failed = 0;

	the_scratch = gst_arena_new(0);
	failed += check_programs(first_seed, seeds);
	failed += gst_check_properties(program_text, first_seed, seeds);
	failed += check_prefix(first_seed, seeds);
	for (int r = 0; r < GST_RULE_COUNT; r++) {
		char what[64];

		/* No nodes with definitions here: graph_oracle_test.c. */
		if (r == GST_RULE_G4 || r == GST_RULE_G5 || r == GST_RULE_G7 || r == GST_RULE_E6)
			continue;
		snprintf(what, sizeof(what), "rule %s left out", gst_rule_id((enum gst_rule)r));
		failed += check_negative(what, NO_LIE, UINT64_C(1) << r, 1, 1000);
	}
	for (int lie = 1; lie < LIES; lie++)
		failed += check_negative(gst_lie_name((enum lie)lie), (enum lie)lie, 0, 1, 1000);
	gst_arena_free(the_scratch);
	return failed != 0;
}
