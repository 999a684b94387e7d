/*
 * fuzz_main.c - run a fuzz target over files, without libFuzzer.
 *
 * Role      : main() of every gst_fuzz_test; libFuzzer brings its own main for the fuzzer.
 * Method    : each file is copied to a heap block of its exact size, so that ASan and valgrind
 *             see a read one byte past the end.
 * Invariant : no file read means failure: an empty corpus tests nothing.
 * Not here  : making inputs; the corpus is in testdata/.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns 0, or -1 with a message on stderr when the file cannot be read. */
static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size;
	int ret = -1;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		perror(path);
		goto out;
	}
	/* An empty input still gets a pointer that may not be read through. */
	data = malloc((size_t)size);
	if (!data && size > 0) {
		perror(path);
		goto out;
	}
	if (fread(data, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		goto out;
	}
	/* On stderr and at once: after a crash the last line names the input. */
	fprintf(stderr, "%s: %ld bytes\n", path, size);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	ret = 0;
out:
	free(data);
	if (f)
		fclose(f);
	return ret;
}

int main(int argc, char **argv)
{
	int passed = 0;
	int failed = 0;
	int i;

	for (i = 1; i < argc; i++) {
		if (run_file(argv[i]))
			failed++;
		else
			passed++;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed || !passed;
}
