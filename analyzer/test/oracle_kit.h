/*
 * oracle_kit.h - what the tests with random programs share: chance, text, the engine's answers, relations.
 *
 * No rule of CUDA is known here, and none of the engine's is used: each test writes its rules a second time.
 */
#ifndef GSTRACE_ANALYZER_TEST_ORACLE_KIT_H
#define GSTRACE_ANALYZER_TEST_ORACLE_KIT_H

#include "analyzer/order/order.h"

/* The same seed gives the same program on any machine. */
struct gst_random {
	uint64_t state;
};

struct gst_random gst_random_from(uint64_t seed);
/** 0 .. @n - 1 */
int gst_below(struct gst_random *r, int n);
bool gst_chance(struct gst_random *r, int percent);

/* Large: static, not on the stack. Full is a bug of the test, which ends. */
struct gst_text {
	char data[1 << 17];
	size_t used;
};

__attribute__((format(printf, 2, 3))) void gst_put(struct gst_text *t, const char *fmt, ...);

/* Lines of a thread or of the device, and the line with which each of its chunks begins. */
struct gst_source {
	struct gst_text lines;
	char chunk[64];
};

/**
 * Add all sources to @t: one chunk each, in turn; or if @r is not NULL cut into chunks that come in any
 * order in which those of one source follow each other.
 */
void gst_put_sources(struct gst_text *t, const struct gst_source *sources, int count,
		     struct gst_random *r);

struct gst_engine {
	struct gst_arena *arena;
	struct gst_loader *loader;
	const struct gst_model *m;
	const struct gst_order *o;
};

/** Load, model and order of @t. False, with a message: it is refused, or the model is not valid. To be closed in any case. */
bool gst_engine_open(struct gst_engine *e, const struct gst_text *t);
void gst_engine_close(struct gst_engine *e);

/** Does the graph of @a have other edges, refs or ambiguous pairs than that of @b, by their dumps? */
bool gst_engines_differ(const struct gst_engine *a, const struct gst_engine *b);

/** No cycle, and no S3 edge at a stream that the program made non-blocking. */
bool gst_engine_is_sound(const struct gst_engine *e);

/** The text of the random program of @seed, good until the next call; its chunks shuffled by @r if that is not NULL. */
typedef const struct gst_text *gst_program_text(uint64_t seed, struct gst_random *r);

/**
 * Of the programs of @seeds seeds from @first_seed on: each graph is sound, and chunks in another order make the same
 * one. Prints what was found; 0, or 1 at the first seed where that does not hold.
 */
int gst_check_properties(gst_program_text *program, uint64_t first_seed, uint64_t seeds);

/* A relation over points 0 .. points - 1: one bit a pair. */
struct gst_relation {
	uint64_t *bits;
	int points, words;
	size_t room;
};

/** Nothing is related; memory is kept from call to call. */
void gst_relation_reset(struct gst_relation *r, int points);
void gst_relation_free(struct gst_relation *r);
/** Make it transitive. O(n^3 / 64). */
void gst_relation_close(struct gst_relation *r);

static inline void gst_relation_set(struct gst_relation *r, int from, int to)
{
	r->bits[from * r->words + to / 64] |= UINT64_C(1) << (to % 64);
}

static inline bool gst_relation_has(const struct gst_relation *r, int from, int to)
{
	return r->bits[from * r->words + to / 64] >> (to % 64) & 1;
}

#endif
