/*
 * fake_app.c - an ordinary program that "uses CUDA": it runs a script of calls.
 *
 *     FAKE_CUPTI=libfake_cupti.so fake_app [-c TEXT | FILE]      else the file FAKE_CUPTI_SCRIPT names
 *
 * Role      : what tests put under the tracer; CUDA_INJECTION64_PATH works as with the real driver.
 * Method    : the fake CUDA is opened at run time, so that the same program can run with variants of it
 *             and libgstrace can find (or not find) a libcupti on its own.
 * Invariant : nothing but the script decides what is printed and how it ends.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(1 << 20);
	size_t used;

	if (!file || !text) {
		perror(path);
		exit(2);
	}
	used = fread(text, 1, (1 << 20) - 1, file);
	text[used] = '\0';
	fclose(file);
	return text;
}

int main(int argc, char **argv)
{
	const char *library = getenv("FAKE_CUPTI");
	const char *file = argc > 1 ? argv[1] : getenv("FAKE_CUPTI_SCRIPT");
	int (*run_script)(const char *text);
	void *handle;

	if (!library || !file) {
		fprintf(stderr, "usage: FAKE_CUPTI=LIBRARY fake_app [-c TEXT | FILE]\n");
		return 2;
	}
	handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		fprintf(stderr, "fake_app: %s\n", dlerror());
		return 2;
	}
	*(void **)&run_script = dlsym(handle, "fake_run_script");
	if (!run_script) {
		fprintf(stderr, "fake_app: %s\n", dlerror());
		return 2;
	}
	if (argc > 2 && strcmp(argv[1], "-c") == 0) {
		return run_script(argv[2]);
	}
	return run_script(read_file(file));
}
