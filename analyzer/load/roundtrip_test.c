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
	.segment = -1, .file_order = true, .keep_unknown = true, .keep_short = true};

/* The text of the trace in @l, which is closed; NULL: said why. @reasons: why it is not complete. */
static char *to_text(struct gst_loader *l, size_t *length, size_t *room, uint64_t *records,
		     size_t *reasons)
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
	*reasons = gst_loader_stats(l)->reason_count;
	gst_loader_close(l);
	return gst_outfile_take_memory(out, length, room);
}

static int check(const char *path)
{
	struct gst_loader *l;
	struct gst_err err = {0};
	char *first = NULL, *second = NULL;
	size_t first_length, first_room = 0, second_length, second_room = 0;
	size_t reasons, reasons_again;
	uint64_t records, again;
	int failed = 1;

	if (gst_loader_open(path, &in_file_order, &l, &err)) {
		printf("FAIL: %s\n", err.text);
		return 1;
	}
	first = to_text(l, &first_length, &first_room, &records, &reasons);
	if (!first)
		return 1;
	if (gst_loader_open_memory(first, first_length, "text", &in_file_order, &l, &err)) {
		printf("FAIL: %s: its text form: %s\n", path, err.text);
		goto out;
	}
	second = to_text(l, &second_length, &second_room, &again, &reasons_again);
	if (!second)
		goto out;
	if (records != again || first_length != second_length ||
	    memcmp(first, second, first_length) != 0)
		printf("FAIL: %s: %" PRIu64 " records, %" PRIu64
		       " come back from the text form, or other ones\n",
		       path, records, again);
	else if (reasons != reasons_again)
		printf("FAIL: %s: something is missing from it, or from its text form alone\n",
		       path);
	else
		failed = 0;
out:
	gst_mem_free(first, first_room);
	gst_mem_free(second, second_room);
	return failed;
}

/* The chunks of a file in any other order: the same records in the same order come out. */
static int check_shuffled(const char *path)
{
	enum { CHUNKS_MAX = 1000, ROUNDS = 5 };
	static size_t begin[CHUNKS_MAX + 1];
	char *first = NULL, *shuffled = NULL;
	size_t first_length = 0, first_room = 0, length, room, size, at, count = 0, i;
	uint8_t *data = NULL, *other = NULL;
	uint64_t records, random = 1;
	size_t reasons;
	struct gst_loader *l;
	int failed = 1, round;
	FILE *f = fopen(path, "rb");
	long end;

	if (!f || fseek(f, 0, SEEK_END) || (end = ftell(f)) <= 0 || fseek(f, 0, SEEK_SET)) {
		perror(path);
		goto out;
	}
	size = (size_t)end;
	data = malloc(size);
	other = malloc(size);
	if (!data || !other || fread(data, 1, size, f) != size) {
		perror(path);
		goto out;
	}
	for (at = 0; at < size && count < CHUNKS_MAX;) {
		struct gst_chunk_header h;

		memcpy(&h, data + at, sizeof(h));
		begin[count++] = at;
		at += h.header_bytes + (size_t)((h.stored_bytes + 7) & ~UINT64_C(7));
	}
	begin[count] = size;
	for (round = 0; round < ROUNDS; round++) {
		size_t order[CHUNKS_MAX];

		for (i = 0; i < count; i++)
			order[i] = i;
		for (i = count; round && i > 1; i--) {
			size_t j, swap = order[i - 1];

			random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
			j = (size_t)(random >> 33) % i;
			order[i - 1] = order[j];
			order[j] = swap;
		}
		for (i = 0, at = 0; i < count; i++) {
			size_t bytes = begin[order[i] + 1] - begin[order[i]];

			memcpy(other + at, data + begin[order[i]], bytes);
			at += bytes;
		}
		if (gst_loader_open_memory(other, size, path, NULL, &l, NULL))
			goto out;
		shuffled = to_text(l, &length, &room, &records, &reasons);
		if (!shuffled)
			goto out;
		if (!first) {
			first = shuffled;
			first_length = length;
			first_room = room;
			continue;
		}
		i = length == first_length && memcmp(first, shuffled, length) == 0;
		gst_mem_free(shuffled, room);
		if (!i) {
			printf("FAIL: %s: round %d: other records when chunks are shuffled\n", path,
			       round);
			goto out;
		}
	}
	failed = 0;
out:
	gst_mem_free(first, first_room);
	free(data);
	free(other);
	if (f)
		fclose(f);
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
			one |= check_complete(argv[i]) | check_shuffled(argv[i]);
		failed += one;
	}
	printf("%d passed, %d failed\n", argc - 1 - failed, failed);
	/* No trace named: nothing was tested. */
	return failed || argc == 1;
}
