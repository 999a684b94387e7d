/*
 * roundtrip_test.c - .gst -> text -> .gst gives equal records, on every trace named as an argument.
 *
 * Role      : holds the text form to what real programs produce (testdata/real) and to the
 *             hand-written traces.
 * Method    : the trace as text in the order of its file; that text as .gst; its text again.
 * Invariant : a real trace is complete.
 * Not here  : damaged traces (corrupt_test.c).
 */
#include "analyzer/base/mem.h"
#include "analyzer/base/outfile.h"
#include "analyzer/load/load.h"
#include "analyzer/load/text_writer.h"

#include <inttypes.h>

static const struct gst_load_options in_file_order = {
	.segment = -1, .file_order = true, .keep_unknown = true};

/* The text of the trace in @l, which is closed; NULL: said why. */
static char *to_text(struct gst_loader *l, size_t *length, size_t *room, uint64_t *records)
{
	struct gst_outfile *out = gst_outfile_open_memory();
	struct gst_err err = {0};

	if (gst_text_write_trace(out, l, &err)) {
		printf("FAIL: %s\n", err.text);
		gst_outfile_abort(out);
		gst_loader_close(l);
		return NULL;
	}
	*records = gst_loader_stats(l)->records + gst_loader_stats(l)->unknown_records;
	gst_loader_close(l);
	return gst_outfile_take_memory(out, length, room);
}

static int check(const char *path)
{
	struct gst_loader *l;
	struct gst_err err = {0};
	char *first = NULL, *second = NULL;
	size_t first_length, first_room = 0, second_length, second_room = 0;
	uint64_t records, again;
	int failed = 1;

	if (gst_loader_open(path, &in_file_order, &l, &err)) {
		printf("FAIL: %s\n", err.text);
		return 1;
	}
	first = to_text(l, &first_length, &first_room, &records);
	if (!first)
		return 1;
	if (gst_loader_open_memory(first, first_length, "text", &in_file_order, &l, &err)) {
		printf("FAIL: %s: its text form: %s\n", path, err.text);
		goto out;
	}
	second = to_text(l, &second_length, &second_room, &again);
	if (!second)
		goto out;
	if (records != again || first_length != second_length ||
	    memcmp(first, second, first_length) != 0)
		printf("FAIL: %s: %" PRIu64 " records, %" PRIu64
		       " come back from the text form, or other ones\n",
		       path, records, again);
	else
		failed = 0;
out:
	gst_mem_free(first, first_room);
	gst_mem_free(second, second_room);
	return failed;
}

/* Traces of real programs that ended in order have nothing missing. */
static int check_complete(const char *path)
{
	const struct gst_load_stats *s;
	struct gst_record rec;
	struct gst_err err = {0};
	struct gst_loader *l;
	int failed = 0, got;

	if (gst_loader_open(path, NULL, &l, &err)) {
		printf("FAIL: %s\n", err.text);
		return 1;
	}
	while ((got = gst_loader_next(l, &rec)) > 0)
		;
	s = gst_loader_stats(l);
	if (got || !s->is_complete) {
		printf("FAIL: %s: %s\n", path,
		       got		 ? gst_loader_error(l)->text
		       : s->reason_count ? s->reasons[0].text
					 : "not complete");
		failed = 1;
	}
	gst_loader_close(l);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0, i;

	for (i = 1; i < argc; i++) {
		int one = check(argv[i]);

		if (strstr(argv[i], "/real/"))
			one |= check_complete(argv[i]);
		failed += one;
	}
	printf("%d passed, %d failed\n", argc - 1 - failed, failed);
	/* No trace named: nothing was tested. */
	return failed || argc == 1;
}
