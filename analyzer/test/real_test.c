/*
 * real_test.c - every recorded trace: no contradiction, exact replay, the same findings in other words.
 *
 * Role      : holds the model of ordering against hardware, and the analysis against what must not matter.
 * Method    : real_test TRACE...; each is read into memory and written again with kernels renamed, streams
 *             renumbered, times shifted or chunks shuffled; then with one fact made wrong (a non-blocking
 *             stream blocking, a wait moved to the next record, ...), which verify must contradict.
 * Invariant : a wrong fact that nothing contradicts fails the test, as does a trace that is missing.
 * Not here  : the wrong facts (real_lies.c), what the traces promise (expect_test.sh).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/test/real_lies.h"
#include "analyzer/timing/critical.h"

static void rename_kernels(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];
		bool is_kernel = false;
		char name[40];
		int n;

		if (x->schema->kind != GST_REC_STRING) {
			continue;
		}
		for (size_t j = 0; j < t->items.count && !is_kernel; j++) {
			const struct real_item *y = &t->items.data[j];
			is_kernel = (y->schema->kind == GST_REC_KERNEL ||
				     y->schema->kind == GST_REC_CALL_LAUNCH) &&
				    real_get(y, "name") == real_get(x, "id");
		}
		if (is_kernel) {
			n = snprintf(name, sizeof(name), "renamed_%" PRIu64, real_get(x, "id"));
			x->tail = gst_arena_copy(t->arena, name, (size_t)n);
			x->tail_bytes = (uint32_t)n;
		}
	}
}

static void renumber_streams(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];

		for (uint32_t j = 0; j < x->schema->field_count; j++) {
			const struct gst_schema_field *f = &x->schema->fields[j];
			uint64_t id = gst_schema_get(f, x->data);
			/* CUPTI's numbers, not the handles of calls. */
			if (f->form->class_id == GST_FORM_DEC && id && id != UINT32_MAX &&
			    (strcmp(f->name, "stream") == 0 ||
			     strcmp(f->name, "null_stream") == 0)) {
				(void)gst_schema_set(f, x->data, 5000 - 7 * id);
			}
		}
	}
}

static void shift_times(struct real_trace *t)
{
	for (size_t i = 0; i < t->items.count; i++) {
		struct real_item *x = &t->items.data[i];

		for (uint32_t j = 0; j < x->schema->field_count; j++) {
			const struct gst_schema_field *f = &x->schema->fields[j];
			uint64_t ns = gst_schema_get(f, x->data);
			if (ns && (f->form->class_id == GST_FORM_MONO ||
				   f->form->class_id == GST_FORM_GPU ||
				   f->form->class_id == GST_FORM_REAL ||
				   f->form->class_id == GST_FORM_RAW)) {
				(void)gst_schema_set(f, x->data, ns + UINT64_C(3600123000000));
			}
		}
	}
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

/* Event chunks change places, but for those of one thread; device records also among each other. */
static void shuffle_chunks(struct real_trace *t, uint32_t seed)
{
	struct real_trace old = *t;
	GST_VEC(uint32_t) units = {0}; /* first item of each movable unit */
	GST_VEC(uint32_t) lengths = {0};
	size_t last = t->items.count;

	memset(&t->chunks, 0, sizeof(t->chunks));
	memset(&t->items, 0, sizeof(t->items));
	for (size_t i = 0; i < last;) {
		const struct gst_chunk_header *h = &old.chunks.data[old.items.data[i].chunk];
		size_t end = i + 1;
		bool moves = (h->flags & GST_CHUNK_EVENTS) && !(h->flags & GST_CHUNK_DEFS) &&
			     !(h->flags & GST_CHUNK_END);

		while (end < last && old.items.data[end].chunk == old.items.data[i].chunk &&
		       !(moves && h->thread == 0 && end - i >= 3)) {
			end++;
		}
		if (moves) {
			gst_vec_push(&units, (uint32_t)i);
			gst_vec_push(&lengths, (uint32_t)(end - i));
		}
		i = end;
	}
	for (size_t i = units.count; i > 1; i--) {
		size_t j = draw(&seed, (uint32_t)i);
		uint32_t a = units.data[i - 1], b = lengths.data[i - 1];
		units.data[i - 1] = units.data[j];
		lengths.data[i - 1] = lengths.data[j];
		units.data[j] = a;
		lengths.data[j] = b;
	}
	/* Chunks of one thread back into their order. */
	for (size_t i = 0; i < units.count; i++) {
		for (size_t j = i + 1; j < units.count; j++) {
			const struct gst_chunk_header *a =
				&old.chunks.data[old.items.data[units.data[i]].chunk];
			const struct gst_chunk_header *b =
				&old.chunks.data[old.items.data[units.data[j]].chunk];
			if (a->thread && a->thread == b->thread && units.data[j] < units.data[i]) {
				uint32_t x = units.data[i], y = lengths.data[i];
				units.data[i] = units.data[j];
				lengths.data[i] = lengths.data[j];
				units.data[j] = x;
				lengths.data[j] = y;
			}
		}
	}
	/* What does not move (definitions, the trailer) stays before and behind. */
	for (int part = 0; part < 3; part++) {
		for (size_t i = 0; i < (part == 1 ? units.count : last); i++) {
			size_t from = part == 1 ? units.data[i] : i;
			size_t n = part == 1 ? lengths.data[i] : 1;
			struct gst_chunk_header h = old.chunks.data[old.items.data[from].chunk];
			bool moves = (h.flags & GST_CHUNK_EVENTS) && !(h.flags & GST_CHUNK_DEFS) &&
				     !(h.flags & GST_CHUNK_END);

			if (part != 1 &&
			    (moves || (part == 2) != ((h.flags & GST_CHUNK_END) != 0))) {
				continue;
			}
			if (part == 1 || i == 0 ||
			    old.items.data[i].chunk != old.items.data[i - 1].chunk) {
				gst_vec_push(&t->chunks, h);
			}
			for (size_t j = 0; j < n; j++) {
				struct real_item x = old.items.data[from + j];
				x.chunk = (uint32_t)t->chunks.count - 1;
				gst_vec_push(&t->items, x);
			}
		}
	}
	gst_vec_free(&old.chunks);
	gst_vec_free(&old.items);
	gst_vec_free(&units);
	gst_vec_free(&lengths);
}

static void shuffle_1(struct real_trace *t)
{
	shuffle_chunks(t, 1);
}

static void shuffle_2(struct real_trace *t)
{
	shuffle_chunks(t, 2);
}

static void compare(const char *trace, const char *what, const struct gst_findings *a,
		    const struct gst_findings *b)
{
	char why[300];

	if (a->count != b->count || a->hidden_count != b->hidden_count ||
	    a->hidden_blocked_ns != b->hidden_blocked_ns) {
		(void)snprintf(why, sizeof(why), "%u findings and %u hidden, were %u and %u",
			       b->count, b->hidden_count, a->count, a->hidden_count);
		real_fail(trace, what, why);
		return;
	}
	for (uint32_t i = 0; i < a->count; i++) {
		const struct gst_finding *x = &a->items[i], *y = &b->items[i];
		if (strcmp(x->id, y->id) != 0 || x->severity != y->severity ||
		    x->cost_ns != y->cost_ns || x->cost_low_ns != y->cost_low_ns ||
		    x->cost_high_ns != y->cost_high_ns || x->blocked_ns != y->blocked_ns ||
		    x->occurrence_count != y->occurrence_count) {
			(void)snprintf(why, sizeof(why),
				       "%s of %" PRIu64 " ns, was %s of %" PRIu64 " ns", y->id,
				       y->cost_ns, x->id, x->cost_ns);
			real_fail(trace, what, why);
		}
	}
}

/* The critical path covers the run without gap or overlap, falls in time, and is one chain. */
static void check_critical(const char *trace, const char *what, const struct real_stages *s,
			   struct gst_critical *c)
{
	uint64_t at, sum = 0;
	char why[200];

	gst_timing_critical(s->t, GST_NONE, s->arena, c);
	at = c->begin_ns;
	for (uint32_t i = 0; i < c->segment_count; i++) {
		const struct gst_segment *x = &c->segments[i];
		bool is_work = gst_cause_is_work(x->cause);
		bool is_joined = x->begin_ns == at && x->end_ns > x->begin_ns;

		at = x->end_ns;
		if (is_work) {
			is_joined &= gst_node_is_op(s->o, x->node);
		} else if (is_joined && x->from != GST_NONE && gst_node_is_op(s->o, x->from) &&
			   i > 0 && gst_cause_is_work(c->segments[i - 1].cause)) {
			/* What ran before the gap is what the gap leads back to. */
			is_joined = c->segments[i - 1].node == x->from;
		}
		if (!is_joined) {
			(void)snprintf(why, sizeof(why), "stretch %u is not joined", i);
			real_fail(trace, what, why);
		}
	}
	for (int i = 0; i < GST_CAUSE_COUNT; i++) {
		sum += c->cause_ns[i];
	}
	if (at != c->end_ns || sum != c->end_ns - c->begin_ns) {
		(void)snprintf(why, sizeof(why),
			       "%" PRIu64 " ns of the path's %" PRIu64 " have a cause", sum,
			       c->end_ns - c->begin_ns);
		real_fail(trace, what, why);
	}
}

static void compare_critical(const char *trace, const char *what, const struct gst_critical *a,
			     const struct gst_critical *b)
{
	bool is_same = a->segment_count == b->segment_count && a->blame_count == b->blame_count;

	for (uint32_t i = 0; is_same && i < a->segment_count; i++) {
		const struct gst_segment *x = &a->segments[i], *y = &b->segments[i];

		is_same = x->cause == y->cause && x->unknown == y->unknown &&
			  x->end_ns - x->begin_ns == y->end_ns - y->begin_ns &&
			  x->held_ns == y->held_ns && x->node == y->node && x->from == y->from;
	}
	if (!is_same) {
		real_fail(trace, what, "the critical path is another one");
	}
}

static const struct {
	const char *what;
	void (*change)(struct real_trace *t);
} words[] = {
	{"kernels renamed", rename_kernels},  {"streams renumbered", renumber_streams},
	{"times shifted", shift_times},	      {"chunks shuffled", shuffle_1},
	{"chunks shuffled again", shuffle_2},
};

/* ---- one fact made wrong -------------------------------------------------------------------- */

/* Edges of @rule of which the times say @strength. */
static uint32_t edges_that_are(const struct real_stages *s, enum gst_rule rule,
			       enum gst_strength strength)
{
	uint32_t n = 0;

	for (gst_edge_id e = gst_order_next_edge(s->o, 0); e < gst_order_edge_bound(s->o);
	     e = gst_order_next_edge(s->o, e + 1)) {
		n += gst_order_edge(s->o, e).rule == rule &&
		     gst_timing_strength(s->t, e) == strength;
	}
	return n;
}

/* ---- each trace ----------------------------------------------------------------------------- */

/* Of the recorded traces. */
static struct gst_verify_rule corpus[GST_RULE_COUNT];
static uint32_t recorded;
static uint64_t borne_out[GST_RULE_COUNT];

static void take_proof(const struct real_trace *t, const struct real_stages *plain, bool *is_taken)
{
	for (size_t i = 0; i < real_unproved_count; i++) {
		struct real_trace c;
		struct real_stages other;

		if (strcmp(real_unproved[i].trace, t->name) != 0) {
			continue;
		}
		is_taken[i] = true;
		if (!edges_that_are(plain, real_unproved[i].rule, GST_OBSERVED)) {
			real_fail(t->name, gst_rule_id(real_unproved[i].rule),
				  "no edge that the times bear out");
		}
		c = real_copy(t);
		real_unproved[i].change(&c);
		other = real_analyze(&c);
		if (edges_that_are(&other, real_unproved[i].rule, GST_OBSERVED)) {
			real_fail(t->name, real_unproved[i].what, "the times still bear it out");
		}
		real_release(&other);
		real_forget(&c);
	}
}

static bool is_recorded(const char *name)
{
	size_t n = strlen(name);
	return n > 4 && strcmp(name + n - 4, ".gst") == 0;
}

static void disprove(const struct real_trace *t, const struct real_stages *plain,
		     bool *is_disproved)
{
	for (size_t i = 0; i < real_disproved_count; i++) {
		struct real_trace c;
		struct real_stages other;
		uint32_t before = edges_that_are(plain, real_disproved[i].rule, GST_DISPROVED);

		if (strcmp(real_disproved[i].trace, t->name) != 0) {
			continue;
		}
		is_disproved[i] = true;
		c = real_copy(t);
		real_disproved[i].change(&c);
		other = real_analyze(&c);
		if (edges_that_are(&other, real_disproved[i].rule, GST_DISPROVED) <= before) {
			real_fail(t->name, real_disproved[i].what,
				  "the times disprove no more than before");
		}
		real_release(&other);
		real_forget(&c);
	}
}

static void look_at(const char *path, bool *is_lied_about, bool *is_taken, bool *is_disproved)
{
	struct real_trace t;
	struct real_stages plain;
	struct gst_verify v;
	struct gst_replay replay;
	struct gst_cut none = {0};
	struct gst_critical critical;
	char why[200];

	real_read(path, &t);
	plain = real_analyze(&t);
	gst_timing_verify(plain.t, plain.arena, &v);
	for (uint32_t i = 0; i < v.example_count; i++) {
		const struct gst_edge e = gst_order_edge(plain.o, v.examples[i].edge);
		(void)snprintf(
			why, sizeof(why), "rule %s is contradicted by %" PRId64 " ns (%u to %u)",
			gst_rule_id((enum gst_rule)e.rule), v.examples[i].gap_ns, e.from, e.to);
		real_fail(t.name, "as recorded", why);
	}
	/* Those written by hand are only lied about. */
	if (is_recorded(t.name)) {
		recorded++;
	}
	for (int r = 0; is_recorded(t.name) && r < GST_RULE_COUNT; r++) {
		corpus[r].edges += v.rules[r].edges;
		corpus[r].checked += v.rules[r].checked;
		corpus[r].tight += v.rules[r].tight;
		corpus[r].not_checkable += v.rules[r].not_checkable;
		borne_out[r] += edges_that_are(&plain, (enum gst_rule)r, GST_OBSERVED);
	}
	gst_timing_replay(plain.t, &none, plain.arena, &replay);
	if (replay.makespan_ns != replay.baseline_ns) {
		real_fail(t.name, "as recorded", "the replay is not what was observed");
	}
	check_critical(t.name, "as recorded", &plain, &critical);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct real_trace c = real_copy(&t);
		struct gst_critical again;
		struct real_stages other;

		words[i].change(&c);
		other = real_analyze(&c);
		compare(t.name, words[i].what, plain.f, other.f);
		check_critical(t.name, words[i].what, &other, &again);
		compare_critical(t.name, words[i].what, &critical, &again);
		real_release(&other);
		real_forget(&c);
	}
	for (size_t i = 0; i < real_lies_count; i++) {
		struct real_trace c;
		struct real_stages other;

		if (strcmp(real_lies[i].trace, t.name) != 0) {
			continue;
		}
		is_lied_about[i] = true;
		c = real_copy(&t);
		real_lies[i].change(&c);
		other = real_analyze(&c);
		gst_timing_verify(other.t, other.arena, &v);
		/* Clocks that exclude each other are counted for the edge into the host. */
		if (real_lies[i].rule == GST_RULE_U1
			    ? v.contradictions == 0
			    : v.rules[real_lies[i].rule].contradictions == 0) {
			(void)snprintf(why, sizeof(why), "rule %s is not contradicted",
				       gst_rule_id(real_lies[i].rule));
			real_fail(t.name, real_lies[i].what, why);
		}
		real_release(&other);
		real_forget(&c);
	}
	take_proof(&t, &plain, is_taken);
	disprove(&t, &plain, is_disproved);
	real_release(&plain);
	real_forget(&t);
}

/* How often the recordings must have put a rule to the test: tight edges, unless it says otherwise. */
#define TIMES 10

enum proof { TIGHT, BORNE_OUT, NOT_SEEN };

static const struct {
	enum gst_rule rule;
	enum proof proof;
} proofs[] = {
	/* Only possible. */
	{GST_RULE_H5, BORNE_OUT},
	{GST_RULE_H7, BORNE_OUT},
	{GST_RULE_H9, BORNE_OUT},
	{GST_RULE_M4, BORNE_OUT},
	/* The end of a context takes longer than what the times could bear out. */
	{GST_RULE_H10, NOT_SEEN},
	/* CUPTI names no launch in records of a loop. */
	{GST_RULE_G7, NOT_SEEN},
	/* No recording of two devices. */
	{GST_RULE_M2, NOT_SEEN},
	{GST_RULE_M6, NOT_SEEN},
};

static void check_proof(enum gst_rule rule)
{
	enum proof proof = TIGHT;
	uint64_t times;
	char why[60];

	for (size_t i = 0; i < sizeof(proofs) / sizeof(proofs[0]); i++) {
		if (proofs[i].rule == rule) {
			proof = proofs[i].proof;
		}
	}
	times = proof == TIGHT ? corpus[rule].tight : borne_out[rule];
	if (proof != NOT_SEEN && times < TIMES) {
		(void)snprintf(why, sizeof(why), "put to the test %" PRIu64 " times", times);
		real_fail("all traces", gst_rule_id(rule), why);
	}
}

int main(int argc, char **argv)
{
	bool *is_lied_about = gst_mem_alloc(real_lies_count);
	bool *is_taken = gst_mem_alloc(real_unproved_count);
	bool *is_disproved = gst_mem_alloc(real_disproved_count);

	for (int i = 1; i < argc; i++) {
		look_at(argv[i], is_lied_about, is_taken, is_disproved);
	}
	for (size_t i = 0; i < real_lies_count; i++) {
		if (!is_lied_about[i]) {
			real_fail(real_lies[i].trace, real_lies[i].what, "no such trace");
		}
	}
	for (size_t i = 0; i < real_unproved_count; i++) {
		if (!is_taken[i]) {
			real_fail(real_unproved[i].trace, real_unproved[i].what, "no such trace");
		}
	}
	for (size_t i = 0; i < real_disproved_count; i++) {
		if (!is_disproved[i]) {
			real_fail(real_disproved[i].trace, real_disproved[i].what, "no such trace");
		}
	}
	gst_mem_free(is_disproved, real_disproved_count);
	gst_mem_free(is_taken, real_unproved_count);
	gst_mem_free(is_lied_about, real_lies_count);
	printf("rule  edges checked  tight not checkable, borne out\n");
	for (int r = 0; r < GST_RULE_COUNT; r++) {
		check_proof((enum gst_rule)r);
		printf("%-4s %6" PRIu64 " %7" PRIu64 " %6" PRIu64 " %13" PRIu64 " %10" PRIu64 "\n",
		       gst_rule_id((enum gst_rule)r), corpus[r].edges, corpus[r].checked,
		       corpus[r].tight, corpus[r].not_checkable, borne_out[r]);
	}
	printf("%u recorded traces, %u failures\n", recorded, real_failures);
	return real_failures || !recorded;
}
