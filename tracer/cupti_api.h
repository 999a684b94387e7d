/*
 * cupti_api.h - find a libcupti, and every entry point of it that we call, in one table.
 *
 * Nothing is linked: the library is found at run time and each symbol looked up, because a missing one
 * must cost a feature and not the traced program. Tests put functions of their own into the table.
 */
#ifndef GSTRACE_TRACER_CUPTI_API_H
#define GSTRACE_TRACER_CUPTI_API_H

#include "tracer/cupti_abi.h"

#include <stdbool.h>
#include <stddef.h>

/* X(name, needed): without a needed one a library is not used. */
#define GST_CUPTI_FUNCTIONS(X)                             \
	X(cuptiGetVersion, 1)                              \
	X(cuptiGetResultString, 0)                         \
	X(cuptiGetTimestamp, 0)                            \
	X(cuptiSubscribe, 1)                               \
	X(cuptiSubscribe_v2, 0)                            \
	X(cuptiUnsubscribe, 1)                             \
	X(cuptiEnableCallback, 1)                          \
	X(cuptiActivityEnable, 1)                          \
	X(cuptiActivityDisable, 0)                         \
	X(cuptiActivityRegisterCallbacks, 1)               \
	X(cuptiActivityGetNextRecord, 1)                   \
	X(cuptiActivityGetNumDroppedRecords, 0)            \
	X(cuptiActivityFlushAll, 1)                        \
	X(cuptiActivitySetAttribute, 0)                    \
	X(cuptiActivityEnableLatencyTimestamps, 0)         \
	X(cuptiActivityEnableCudaEventDeviceTimestamps, 0) \
	X(cuptiActivityEnableAllSyncRecords, 0)            \
	X(cuptiSetThreadIdType, 0)                         \
	X(cuptiGetContextId, 0)                            \
	X(cuptiGetDeviceId, 0)                             \
	X(cuptiGetStreamIdEx, 0)                           \
	X(cuptiGetGraphId, 0)                              \
	X(cuptiGetGraphExecId, 0)                          \
	X(cuptiGetGraphNodeId, 0)

struct gst_cupti {
	void *library;	  /* handle of dlopen(); NULL: not loaded */
	uint32_t version; /* what cuptiGetVersion() told */
	char path[256];	  /* where it was found, as dladdr() tells */
	gst_cupti_subscriber_handle subscriber;
#define GST_X(name, needed) gst_cupti_##name##_t *name;
	GST_CUPTI_FUNCTIONS(GST_X)
#undef GST_X
};

/* Why there is no libcupti, in words for the user. */
struct gst_cupti_reason {
	char text[512];
};

/**
 * Find, load and subscribe to a libcupti.
 *
 * One that the program has loaded already is taken first, because the same soname would serve both;
 * then @wanted (GSTRACE_CUPTI; NULL or "" = none), then the usual places, newest first, none of a
 * newer major version than the driver's and none older than 11.8. One that refuses is closed and the
 * next tried; one held by another tool ends the search.
 *
 * @callback, @user  for the subscription.
 *
 * Returns true with @cupti filled in; false with @reason, and nothing left behind.
 * Threads: one, at start, inside cuInit.
 */
bool gst_cupti_open(struct gst_cupti *cupti, const char *wanted, gst_cupti_callback_fn callback,
		    void *user, struct gst_cupti_reason *reason);

/** Undo gst_cupti_open(), for a start that failed later. */
void gst_cupti_close(struct gst_cupti *cupti);

/** What @result means, in CUPTI's words or as "error N" in @buffer (at least 32 bytes). */
const char *gst_cupti_text(const struct gst_cupti *cupti, int result, char *buffer, size_t size);

/** CUDA version of the driver in this process, e.g. 13000; 0 = there is none, or it does not tell. */
uint32_t gst_cupti_driver_version(void);

/** Whether a CUPTI of @version beside @driver may call nobody back, and give numbers that join nothing: 11.8 beside one of CUDA 13. */
bool gst_cupti_may_be_silent(uint32_t version, uint32_t driver);

/** Major CUDA version of a cuptiGetVersion() number: 11, 12, 13 ... */
uint32_t gst_cupti_major(uint32_t version);

#endif
