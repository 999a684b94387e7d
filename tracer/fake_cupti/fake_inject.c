/*
 * fake_inject.c - how libgstrace.so comes into a program, without a driver.
 */
#include "tracer/fake_cupti/fake_inject.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void fake_inject(const char *who)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	int (*initialize)(void);
	void *library;

	if (!path || !path[0]) {
		return;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s: %s\n", who, dlerror());
		return;
	}
	*(void **)&initialize = dlsym(library, "InitializeInjection");
	if (initialize) {
		initialize();
	}
}
