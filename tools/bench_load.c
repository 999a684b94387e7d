/*
 * bench_load.c - how fast records come out of the loader.
 *
 * Role      : one number of tools/bench_analyzer.sh; and how large records are.
 * Method    : load the file from end to end, look at one word of each record, print what was counted.
 *             The mean size is that of calls and device records, without definitions and headers.
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
	uint64_t sum = 0, chunk = 0, body_bytes = 0, body_records = 0;
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
	while ((got = gst_loader_next(l, &rec)) > 0) {
		sum += *(const uint64_t *)rec.data;
		if (chunk != gst_loader_chunk_number(l)) {
			const struct gst_chunk_header *h = gst_loader_chunk(l);

			chunk = gst_loader_chunk_number(l);
			if (!(h->flags & GST_CHUNK_DEFS)) {
				body_bytes += h->stored_bytes;
				body_records += h->record_count;
			}
		}
	}
	if (got < 0) {
		fprintf(stderr, "bench_load: %s\n", gst_loader_error(l)->text);
		return 3;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	seconds =
		(double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
	stats = gst_loader_stats(l);
	printf("records=%" PRIu64 " bytes=%" PRIu64 " seconds=%.6f complete=%d peak_bytes=%" PRIu64
	       " mean_record=%.2f sum=%" PRIx64 "\n",
	       stats->records, stats->file_bytes, seconds, stats->is_complete, gst_mem_peak(),
	       body_records ? (double)body_bytes / (double)body_records : 0.0, sum);
	gst_loader_close(l);
	return 0;
}
