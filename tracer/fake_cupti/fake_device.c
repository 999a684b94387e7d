/*
 * fake_device.c - the stream order of CUDA as arithmetic on the ends of streams.
 *
 * Role      : fake_cuda.c asks here when the work of a call begins and ends.
 * Method    : one number a stream, the end of its last work. Work in the legacy stream begins after
 *             the ends of all blocking streams; work in a blocking one after the legacy stream's end.
 * Invariant : ends only grow.
 * Not here  : calls, records, clocks.
 */
#include "tracer/fake_cupti/fake_device.h"

#include <string.h>

#define LEGACY 0

void fake_device_init(struct fake_device *device)
{
	memset(device, 0, sizeof(*device));
	device->kind[LEGACY] = FAKE_STREAM_LEGACY;
	device->streams = 1;
}

int fake_device_add_stream(struct fake_device *device, enum fake_stream_kind kind)
{
	if (device->streams >= FAKE_DEVICE_STREAMS) {
		return -1;
	}
	device->kind[device->streams] = kind;
	return device->streams++;
}

static void at_least(uint64_t *value, uint64_t floor)
{
	if (*value < floor) {
		*value = floor;
	}
}

uint64_t fake_device_submit(struct fake_device *device, int stream, uint64_t not_before_ns,
			    uint64_t duration_ns, uint64_t *start_ns)
{
	uint64_t start = not_before_ns;

	at_least(&start, fake_device_done(device, stream));
	if (device->kind[stream] == FAKE_STREAM_BLOCKING) {
		at_least(&start, device->tail_ns[LEGACY]);
	}
	*start_ns = start;
	device->tail_ns[stream] = start + duration_ns;
	return device->tail_ns[stream];
}

uint64_t fake_device_done(const struct fake_device *device, int stream)
{
	uint64_t done = 0;

	for (int i = 0; i < device->streams; i++) {
		if (i == stream || stream < 0 ||
		    (stream == LEGACY && device->kind[i] == FAKE_STREAM_BLOCKING)) {
			at_least(&done, device->tail_ns[i]);
		}
	}
	return done;
}
