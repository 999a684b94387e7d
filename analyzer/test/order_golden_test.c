/*
 * order_golden_test.c - model and graph of each text trace, against the text in testdata/golden/order.
 *
 * Role      : a trace a rule, and a trace a non-rule; the golden holds all edges, so one too many fails as well.
 * Method    : order_golden_test GOLDEN_DIR TRACE...: dumps each trace and compares. With the variable
 *             GSTRACE_GOLDEN_OUT set to a folder the dumps are written there instead (tools/golden.sh).
 * Invariant : every trace has a golden, and each model is valid.
 * Not here  : findings (goldens of analyze).
 */
#include <stdio.h>

#include "analyzer/base/outfile.h"
#include "analyzer/order/order.h"

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

static int check_trace(const char *folder, const char *path)
{
	const char *update = getenv("GSTRACE_GOLDEN_OUT");
	const char *slash = strrchr(path, '/');
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_loader *loader = NULL;
	const struct gst_model *m = NULL;
	const struct gst_order *o;
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
	    gst_model_build(&loader, 1, arena, &m, &err) || gst_order_build(m, arena, &o, &err)) {
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
	failed = update ? write_golden(update, name, text, length)
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
