/*
 * clocks_test.c - reachability against a plain search over all edges, on random programs.
 *
 * Threads whose calls overlap launch into blocking, non-blocking and the legacy stream, record events, wait for
 * them, and wait on the host; device times turn some overlapping calls round. For each pair of ops and calls,
 * chain clocks (with room for all, for some, for none) and gst_order_before must say what the search says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/base/outfile.h"
#include "analyzer/order/order_internal.h"

#define SEEDS	   200u
#define REAL_NS	   UINT64_C(1700000000001000000)
#define STREAMS	   6u
#define EVENTS	   4u
#define THREADS	   4u
#define CALLS	   24u /* of a thread, at most */
#define LARGE_SEED 1000u

struct scene {
	struct gst_arena *arena;
	struct gst_loader *loader;
	const struct gst_model *m;
	const struct gst_order *o;
	struct gst_outfile *text;
	uint64_t random;
};

static uint32_t below(struct scene *s, uint32_t n)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (uint32_t)(s->random >> 33) % n;
}

static void put(struct scene *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct scene *s, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	gst_outfile_printf(s->text, "%s\n", line);
}

struct kernel {
	uint32_t corr, stream;
	uint64_t start;
};

static void put_call(struct scene *s, uint32_t corr, uint64_t enter, struct kernel *k)
{
	unsigned long long at = enter;
	uint32_t stream = below(s, STREAMS + 1);
	uint32_t handle = stream ? 0x100 * stream : 0;
	uint32_t event = 0x9000 + 0x10 * below(s, EVENTS);

	switch (below(s, 11)) {
	default:
		put(s, "call_launch corr=%u enter_ns=%llu api=cuLaunchKernelEx ctx=1 stream=0x%x%s",
		    corr, at, handle, below(s, 8) ? "" : " flags=programmatic-serialization");
		*k = (struct kernel){corr, 7 + stream, enter + below(s, 300)};
		return;
	case 6:
		put(s,
		    "call_event corr=%u enter_ns=%llu api=cuEventRecord ctx=1 stream=0x%x event=0x%x",
		    corr, at, handle, event);
		return;
	case 7:
		put(s,
		    "call_event corr=%u enter_ns=%llu api=cuStreamWaitEvent ctx=1 stream=0x%x event=0x%x",
		    corr, at, handle, event);
		return;
	case 8:
		put(s,
		    "call_stream corr=%u enter_ns=%llu api=cuStreamSynchronize ctx=1 stream=0x%x",
		    corr, at, handle);
		return;
	case 9: /* it may wait: possible edges */
		put(s, "call_memory corr=%u enter_ns=%llu api=cudaFree_v3020 ctx=1 address=0x7000",
		    corr, at);
		return;
	case 10:
		if (below(s, 2)) {
			put(s, "call corr=%u enter_ns=%llu api=cuCtxSynchronize ctx=1", corr, at);
		} else {
			put(s,
			    "call_event corr=%u enter_ns=%llu api=cuEventSynchronize ctx=1 event=0x%x",
			    corr, at, event);
		}
		return;
	}
}

static void put_program(struct scene *s, uint32_t scale)
{
	GST_VEC(struct kernel) kernels = {0};
	uint32_t threads = 1 + below(s, THREADS);
	uint32_t corr = 0;

	put(s, "gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1000000");
	put(s, "anchor mono_ns=1000000 real_ns=%llu gpu_ns=%llu", (unsigned long long)REAL_NS,
	    (unsigned long long)REAL_NS);
	put(s, "device device=0 name=\"GPU\" sm_count=1");
	put(s, "context ctx=1 device=0 null_stream=7\nstream ctx=1 stream=7 type=legacy");
	for (uint32_t i = 1; i <= STREAMS; i++)
		put(s, "stream ctx=1 stream=%u handle=0x%x type=%s", 7 + i, 0x100 * i,
		    i % 3 ? "blocking" : "nonblocking");
	for (uint32_t t = 1; t <= threads; t++) {
		uint64_t now = 1000000 + below(s, 100);
		uint32_t calls = (4 + below(s, CALLS - 4)) * scale;

		put(s, "chunk events process=1 thread=%u", t);
		for (uint32_t i = 0; i < calls; i++) {
			struct kernel k = {0};

			put_call(s, ++corr, now, &k);
			now += 1 + below(s, 250);
			put(s, "call_exit corr=%u exit_ns=%llu", corr, (unsigned long long)now);
			now += 1 + below(s, 60);
			if (k.corr)
				gst_vec_push(&kernels, k);
		}
	}
	put(s, "chunk events process=1 thread=0");
	for (size_t i = 0; i < kernels.count; i++) {
		const struct kernel *k = &kernels.data[i];
		unsigned long long start = REAL_NS + (k->start - 1000000);

		put(s, "kernel corr=%u start_ns=%llu end_ns=%llu ctx=1 stream=%u name=\"k\"",
		    k->corr, start, start + 10, k->stream);
	}
	put(s, "chunk defs process=1\nend time_ns=90000000");
	gst_vec_free(&kernels);
}

static void begin(struct scene *s, uint64_t seed, uint32_t scale)
{
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_err err = {0};
	const char *text;
	size_t length;

	*s = (struct scene){.text = gst_outfile_open_memory(),
			    .random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
	put_program(s, scale);
	text = gst_outfile_memory(s->text, &length);
	s->arena = gst_arena_new(0);
	if (gst_loader_open_memory(text, length, "text", &options, &s->loader, &err) ||
	    gst_model_build(&s->loader, 1, s->arena, &s->m, &err) ||
	    gst_order_build(s->m, s->arena, &s->o, &err))
		fail_msg("%s", err.text);
}

static void drop(struct scene *s)
{
	gst_loader_close(s->loader);
	gst_model_free(s->m);
	gst_arena_free(s->arena);
	gst_outfile_abort(s->text);
}

/* All points after @from, by following each edge; seen: a byte a point. */
static void search(const struct gst_order *o, const struct gst_order_outs *outs, gst_point_id from,
		   uint8_t *seen, gst_point_id *stack)
{
	uint32_t depth = 0;

	memset(seen, 0, 2 * (size_t)gst_order_node_count(o));
	stack[depth++] = from;
	while (depth) {
		gst_point_id p = stack[--depth];
		gst_node_id n = gst_node_of_point(p);
		uint32_t count;
		const gst_edge_id *out = gst_order_out(outs, n, &count);

		if (p == gst_point_begin(n) && !seen[p + 1]) {
			seen[p + 1] = 1;
			stack[depth++] = p + 1;
		}
		for (uint32_t i = 0; i < count; i++) {
			const struct gst_edge e = gst_order_edge(o, out[i]);
			gst_point_id to = gst_edge_to_point(&e);

			if (gst_edge_from_point(&e) == p && !seen[to]) {
				seen[to] = 1;
				stack[depth++] = to;
			}
		}
	}
}

struct coverage {
	uint32_t yes, no, possible, turns, full, cycles;
};

/* The same of up to 64 at once, both ways, as of each pair. Returns how often the answer was yes. */
static uint64_t compare_many(const struct scene *s, uint64_t seed, bool documented_only)
{
	uint32_t things = s->m->op_count + s->m->call_count;
	const struct gst_path_query q = {.documented_only = documented_only};
	struct gst_arena *scratch = gst_arena_new(0);
	gst_node_id *all = GST_ARENA_ARRAY(scratch, gst_node_id, things);
	uint64_t *before = GST_ARENA_ARRAY(scratch, uint64_t, things);
	uint64_t *after = GST_ARENA_ARRAY(scratch, uint64_t, things);
	uint64_t yes = 0;

	for (gst_node_id n = 0; n < things; n++)
		all[n] = n;
	for (uint32_t first = 0; first < things; first += GST_MANY_MAX) {
		uint32_t count = things - first < GST_MANY_MAX ? things - first : GST_MANY_MAX;

		gst_order_before_many(s->o, all + first, count, all, things, documented_only,
				      before, after);
		for (uint32_t i = 0; i < count; i++) {
			for (gst_node_id k = 0; k < things; k++) {
				gst_node_id n = first + i;
				bool is_before = gst_order_before(s->o, n, k, &q) == GST_YES;
				bool is_after = gst_order_before(s->o, k, n, &q) == GST_YES;

				if (n == k)
					continue;
				if ((before[k] >> i & 1) != is_before ||
				    (after[k] >> i & 1) != is_after)
					fail_msg("seed %llu: many at once are wrong of %u and %u",
						 (unsigned long long)seed, n, k);
				yes += is_before;
			}
		}
	}
	gst_arena_free(scratch);
	return yes;
}

static void compare(struct scene *s, uint64_t seed, struct coverage *seen_all)
{
	const uint64_t limits[] = {UINT64_MAX, 2048, 0};
	struct gst_arena *scratch = gst_arena_new(0);
	struct gst_order_outs outs = gst_order_group_out(s->o, scratch);
	uint32_t things = s->m->op_count + s->m->call_count;
	uint32_t points = 2 * gst_order_node_count(s->o);
	uint8_t *seen = GST_ARENA_ARRAY(scratch, uint8_t, points);
	gst_point_id *stack = GST_ARENA_ARRAY(scratch, gst_point_id, points);
	struct gst_clocks *clocks[3], *documented;
	const struct gst_path_query q = {.documented_only = true};

	seen_all->turns += s->o->turn_count;
	for (size_t i = 0; i < 3; i++)
		clocks[i] = gst_clocks_new(s->o, limits[i], false);
	documented = gst_clocks_new(s->o, UINT64_MAX, true);
	assert_false(gst_clocks_stats(clocks[0]).is_full);
	seen_all->full += gst_clocks_stats(clocks[1]).is_full;
	for (gst_node_id a = 0; a < things; a++) {
		search(s->o, &outs, gst_point_end(a), seen, stack);
		for (gst_node_id b = 0; b < things; b++) {
			bool is_before = a != b && seen[gst_point_begin(b)];

			seen_all->yes += is_before;
			seen_all->no += !is_before;
			if ((gst_order_before(s->o, a, b, NULL) == GST_YES) != is_before)
				fail_msg("seed %llu: search of %u -> %u is wrong",
					 (unsigned long long)seed, a, b);
			for (size_t i = 0; i < 3; i++) {
				if ((gst_clocks_before(clocks[i], a, b) == GST_YES) != is_before)
					fail_msg(
						"seed %llu: clocks %zu say of %u -> %u the opposite",
						(unsigned long long)seed, i, a, b);
			}
			if (gst_clocks_before(documented, a, b) != gst_order_before(s->o, a, b, &q))
				fail_msg("seed %llu: documented clocks of %u -> %u are wrong",
					 (unsigned long long)seed, a, b);
			seen_all->possible +=
				is_before && gst_clocks_before(documented, a, b) != GST_YES;
		}
	}
	for (size_t i = 0; i < 3; i++)
		gst_clocks_free(clocks[i]);
	gst_clocks_free(documented);
	gst_arena_free(scratch);
}

static void test_random_programs(void **state)
{
	struct coverage seen = {0};
	uint64_t many = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		const gst_node_id *cycle;
		struct scene s;

		begin(&s, seed, 1);
		/* Random times may contradict each other: then there are answers to some questions only. */
		if (gst_order_cycle(s.o, &cycle)) {
			seen.cycles++;
		} else {
			compare(&s, seed, &seen);
			/* Two searches a pair: of some programs alone, by either kind of edges. */
			if (seed % 8 < 2)
				many += compare_many(&s, seed, seed % 2);
		}
		drop(&s);
	}
	/* All of it must have been met, or the test shows nothing. */
	assert_true(seen.yes > 10000 && seen.no > 10000 && seen.possible > 1000);
	assert_true(many > 10000);
	assert_true(seen.turns > 20 && seen.full > 20);
	assert_true(seen.cycles < SEEDS / 2);
}

/* Far apart, in a graph of which a search would look at thousands of points. */
static void test_far_apart(void **state)
{
	struct gst_clocks *clocks;
	const gst_node_id *cycle;
	struct scene s;
	uint64_t seed = LARGE_SEED;

	(void)state;
	for (begin(&s, seed, 40); gst_order_cycle(s.o, &cycle); begin(&s, ++seed, 40))
		drop(&s);
	clocks = gst_clocks_new(s.o, UINT64_MAX, false);
	for (uint32_t i = 0; i < 2000; i++) {
		gst_node_id a = below(&s, s.m->op_count);
		gst_node_id b = below(&s, s.m->op_count);

		assert_int_equal(gst_clocks_before(clocks, a, b),
				 gst_order_before(s.o, a, b, NULL));
	}
	gst_clocks_free(clocks);
	drop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_far_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
