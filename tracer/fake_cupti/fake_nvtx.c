/*
 * fake_nvtx.c - NVTX as a program has it compiled in: functions that a tool may replace.
 *
 * Role      : statement "nvtx" of scripts.
 * Method    : at the first use the library that NVTX_INJECTION64_PATH names gets tables of pointers to function
 *             pointers; where it puts nothing, a call does nothing, as without a tool.
 * Invariant : signatures are NVTX's (tracer/nvtx_abi.h).
 */
#include "tracer/fake_cupti/fake_cupti.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/fake_cupti/fake_internal.h"
#include "tracer/nvtx_abi.h"

#define EXPORT __attribute__((visibility("default")))
#define PLACES 16

static gst_nvtx_function functions[8][PLACES];
static gst_nvtx_function *places[8][PLACES];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const void *domain;
static const void *registered;

static int get_module(uint32_t module, gst_nvtx_function ***table, unsigned int *size)
{
	if (module < 1 || module >= 8) {
		return 0;
	}
	for (int i = 1; i < PLACES; i++) {
		places[module][i] = &functions[module][i];
	}
	*table = places[module];
	*size = PLACES;
	return 1;
}

static const void *get_table(uint32_t id)
{
	static const struct gst_nvtx_callbacks callbacks = {sizeof(callbacks), get_module};

	return id == GST_NVTX_TABLE_CALLBACKS ? &callbacks : NULL;
}

static void start(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path && path[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*initialize)(gst_nvtx_get_table_fn get);

	if (!library) {
		return;
	}
	*(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
	if (!initialize || !initialize(get_table)) {
		memset(functions, 0, sizeof(functions));
	}
}

#define CALL(result, module, id, signature, ...)                                           \
	do {                                                                               \
		gst_nvtx_function f_ = functions[GST_NVTX_MODULE_##module][GST_NVTX_##id]; \
		if (f_) {                                                                  \
			result((signature)f_)(__VA_ARGS__);                                \
		}                                                                          \
	} while (0)

EXPORT uint64_t fake_nvtx(const char *what, const char *text, uint64_t number)
{
	struct gst_nvtx_attributes a = {
		.version = 3,
		.size = sizeof(a),
		.category = 9,
		.color_type = 1,
		.color = 0xff00ff00,
		.payload_type = 1,
		.payload = 77,
		.message_type = GST_NVTX_MESSAGE_ASCII,
		.message = {.ascii = text},
	};
	uint64_t id = 0;
	int depth = GST_NVTX_NO_PUSH_POP_TRACKING;

	pthread_once(&once, start);
	if (strcmp(what, "mark") == 0) {
		CALL(, CORE, MARK_A, void (*)(const char *), text);
	} else if (strcmp(what, "mark-wide") == 0) {
		CALL(, CORE, MARK_W, void (*)(const wchar_t *), L"h\u00f6he");
	} else if (strcmp(what, "push") == 0) {
		CALL(depth =, CORE, PUSH_A, int (*)(const char *), text);
	} else if (strcmp(what, "push-ex") == 0) {
		CALL(depth =, CORE, PUSH_EX, int (*)(const struct gst_nvtx_attributes *), &a);
	} else if (strcmp(what, "pop") == 0) {
		CALL(depth =, CORE, POP, int (*)(void));
	} else if (strcmp(what, "start") == 0) {
		CALL(id =, CORE, START_A, uint64_t(*)(const char *), text);
	} else if (strcmp(what, "end") == 0) {
		CALL(, CORE, END, void (*)(uint64_t), number);
	} else if (strcmp(what, "name-thread") == 0) {
		CALL(, CORE, NAME_THREAD_A, void (*)(uint32_t, const char *), 4711, text);
	} else if (strcmp(what, "name-stream") == 0) {
		CALL(, CUDART, CUDA_STREAM_A, void (*)(void *, const char *),
		     fake_stream_handle((int)number), text);
	} else if (strcmp(what, "domain") == 0) {
		CALL(domain =, CORE2, DOMAIN_CREATE_A, const void *(*)(const char *), text);
	} else if (strcmp(what, "register") == 0) {
		CALL(registered =, CORE2, REGISTER_A, const void *(*)(const void *, const char *),
		     domain, text);
	} else if (strcmp(what, "domain-mark") == 0) {
		a.message_type = GST_NVTX_MESSAGE_REGISTERED;
		a.message.registered = registered;
		CALL(, CORE2, DOMAIN_MARK,
		     void (*)(const void *, const struct gst_nvtx_attributes *), domain, &a);
	} else if (strcmp(what, "foreign") == 0) {
		/* a handle that no tool of ours gave */
		a.message_type = GST_NVTX_MESSAGE_REGISTERED;
		a.message.registered = (const void *)(uintptr_t)0x10;
		CALL(, CORE2, DOMAIN_MARK,
		     void (*)(const void *, const struct gst_nvtx_attributes *),
		     (const void *)(uintptr_t)0x20, &a);
	} else {
		abort();
	}
	/* the program must not see a difference */
	if (depth != GST_NVTX_NO_PUSH_POP_TRACKING) {
		abort();
	}
	return id;
}
