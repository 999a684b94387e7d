/*
 * fake_device.h - when work would run on a GPU: a model just large enough for CUDA's stream order.
 *
 * Streams are in order; the legacy default stream waits for all blocking streams and they for it; events carry a
 * point of one stream to another. Any number of operations may overlap otherwise. Times are ns of
 * whatever clock the caller uses. Threads: none of its own, the caller locks.
 */
#ifndef GSTRACE_TRACER_FAKE_CUPTI_FAKE_DEVICE_H
#define GSTRACE_TRACER_FAKE_CUPTI_FAKE_DEVICE_H

#include <stdint.h>

#define FAKE_DEVICE_STREAMS 128

enum fake_stream_kind {
	FAKE_STREAM_NONE = 0,
	FAKE_STREAM_BLOCKING = 1, /* numbers as in CUPTI's STREAM record */
	FAKE_STREAM_NONBLOCKING = 2,
	FAKE_STREAM_LEGACY = 3,
};

struct fake_device {
	enum fake_stream_kind kind[FAKE_DEVICE_STREAMS];
	uint64_t tail_ns[FAKE_DEVICE_STREAMS]; /* end of the last work put into it */
	int streams;
};

/** Starts with stream 0, the legacy default stream. */
void fake_device_init(struct fake_device *device);

/** Index of a new stream, or -1 if there are FAKE_DEVICE_STREAMS already. */
int fake_device_add_stream(struct fake_device *device, enum fake_stream_kind kind);

/**
 * Put work of @duration_ns into @stream, to begin at @not_before_ns at the earliest; 0 long for a
 * record, a wait or a marker. Sets @start_ns; returns the end.
 */
uint64_t fake_device_submit(struct fake_device *device, int stream, uint64_t not_before_ns,
			    uint64_t duration_ns, uint64_t *start_ns);

/** When all that a synchronization with @stream waits for has ended; -1: with the device. */
uint64_t fake_device_done(const struct fake_device *device, int stream);

#endif
