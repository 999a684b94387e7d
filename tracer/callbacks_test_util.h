/*
 * callbacks_test_util.h - calls as CUPTI tells of them, without CUDA: for the tests of callbacks.c and resources.c.
 */
#ifndef GSTRACE_TRACER_CALLBACKS_TEST_UTIL_H
#define GSTRACE_TRACER_CALLBACKS_TEST_UTIL_H

#include "tracer/callbacks.h"
#include "tracer/record_test_util.h"

#include <pthread.h>

static const uint32_t driver = GST_CUPTI_DOMAIN_DRIVER;
static const uint32_t runtime = GST_CUPTI_DOMAIN_RUNTIME;

struct bench {
	struct gst_test_world *w;
	struct gst_callbacks callbacks;
	int errno_after; /* of the program, when the thread ends */
};

static inline struct bench *bench_new(size_t bytes)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->w = gst_test_world_new(bytes);
	gst_callbacks_init(&b->callbacks, &b->w->state, &b->w->threads, &b->w->loss, &b->w->strings,
			   &b->w->defs);
	return b;
}

static inline void bench_free(struct bench *b)
{
	gst_test_world_free(b->w);
	free(b);
}

static inline uint32_t cbid_of(const char *symbol)
{
	const struct gst_api *api = gst_api_find_name(symbol, strlen(symbol));

	assert_non_null(api);
	assert_string_equal(api->symbol, symbol);
	return api->api & 0xffff;
}

static inline void enter(struct bench *b, uint32_t domain, const char *symbol, uint32_t corr,
			 const void *params)
{
	const struct gst_cupti_callback_data data = {
		.callbackSite = GST_CUPTI_API_ENTER,
		.functionParams = params,
		.symbolName = "_Z1kv",
		.contextUid = 1,
		.correlationId = corr,
	};

	gst_callbacks_on_event(&b->callbacks, domain, cbid_of(symbol), &data);
}

static inline void leave(struct bench *b, uint32_t domain, const char *symbol, uint32_t corr,
			 const void *params, int32_t result)
{
	const struct gst_cupti_callback_data data = {
		.callbackSite = GST_CUPTI_API_EXIT,
		.functionParams = params,
		.functionReturnValue = &result,
		.contextUid = 1,
		.correlationId = corr,
	};

	gst_callbacks_on_event(&b->callbacks, domain, cbid_of(symbol), &data);
}

static inline void *pointer(uintptr_t value)
{
	return (void *)value;
}

/* Each test runs in a thread of its own, so that it has a slot of its own world. */
static inline void in_thread(void *(*body)(void *arg), void *arg)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, body, arg), 0);
	pthread_join(thread, NULL);
}

#endif
