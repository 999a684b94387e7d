/*
 * count_steps.c - how many steps each stage takes for a trace.
 *
 * Role      : steps_test.sh holds the growth of the numbers to that of the trace.
 * Method    : the stages are compiled with -fsanitize-coverage=trace-pc: a call for each basic block, counted by
 *             step_counter.c.
 *             It is a count and not a time, so it is the same on any machine, however busy. One thread.
 * Invariant : none.
 * Not here  : what is not compiled so: libc, and the table of records.
 */
#include "analyzer/check/check.h"
#include "analyzer/test/step_counter.h"

#include <inttypes.h>

static uint64_t since(uint64_t *last)
{
	uint64_t before = *last;

	*last = gst_steps();
	return *last - before;
}

int main(int argc, char **argv)
{
	const struct gst_check_options options = {.only = NULL};
	struct gst_arena *arena = gst_arena_new(0);
	const struct gst_findings *findings;
	const struct gst_timing *timing;
	const struct gst_model *model;
	const struct gst_order *order;
	struct gst_loader *loader;
	struct gst_err err = {0};
	uint64_t last = 0, load, of_order, of_timing, of_check;

	if (argc != 2) {
		fputs("usage: count_steps TRACE\n", stderr);
		return 2;
	}
	if (gst_loader_open(argv[1], NULL, &loader, &err) ||
	    gst_model_build(&loader, 1, arena, &model, &err))
		goto failed;
	load = since(&last);
	if (gst_order_build(model, arena, &order, &err))
		goto failed;
	of_order = since(&last);
	if (gst_timing_build(model, order, arena, &timing, &err))
		goto failed;
	of_timing = since(&last);
	if (gst_check_run(model, order, timing, &options, arena, &findings, &err))
		goto failed;
	of_check = since(&last);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
	       model->stats.records, load, of_order, of_timing, of_check);
	gst_model_free(model);
	gst_arena_free(arena);
	gst_loader_close(loader);
	return 0;
failed:
	fprintf(stderr, "count_steps: %s\n", err.text);
	return 1;
}
