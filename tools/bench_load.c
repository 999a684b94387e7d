/*
 * bench_load.c - how fast records come out of the loader.
 *
 * Role      : one number of tools/bench_analyzer.sh.
 * Method    : load the file from end to end, look at one word of each record, print what was counted.
 * Invariant : none.
 * Not here  : the other stages (`gstrace analyze` is timed as a whole).
 */
#include "analyzer/base/mem.h"
#include "analyzer/load/load.h"

#include <inttypes.h>

int main(int argc, char **argv)
{
	const struct gst_load_stats *stats;
	struct timespec begin, end;
	struct gst_err err = {0};
	struct gst_loader *l;
	struct gst_record rec;
	uint64_t sum = 0;
	double seconds;
	int got;

	if (argc != 2) {
		fputs("usage: bench_load TRACE\n", stderr);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (gst_loader_open(argv[1], NULL, &l, &err)) {
		fprintf(stderr, "bench_load: %s\n", err.text);
		return 3;
	}
	while ((got = gst_loader_next(l, &rec)) > 0)
		sum += *(const uint64_t *)rec.data;
	if (got < 0) {
		fprintf(stderr, "bench_load: %s\n", gst_loader_error(l)->text);
		return 3;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	seconds =
		(double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
	stats = gst_loader_stats(l);
	printf("records=%" PRIu64 " bytes=%" PRIu64 " seconds=%.6f complete=%d peak_bytes=%" PRIu64
	       " sum=%" PRIx64 "\n",
	       stats->records, stats->file_bytes, seconds, stats->is_complete, gst_mem_peak(), sum);
	gst_loader_close(l);
	return 0;
}
