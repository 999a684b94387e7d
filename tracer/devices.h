/*
 * devices.h - what CUPTI does not tell of a device: its PCI address, how it reaches pageable memory.
 *
 * CUPTI's DEVICE record is written as it comes. The flusher then asks the driver for the rest and
 * writes the record again, complete; a reader takes the last. Only queries that are allowed during
 * anybody's stream capture are made, on a thread that may block.
 */
#ifndef GSTRACE_TRACER_DEVICES_H
#define GSTRACE_TRACER_DEVICES_H

#include "tracer/chunk.h"

#include <stdbool.h>

#define GST_DEVICES_MAX 64u

/* Entry points of the driver (libcuda), looked up at run time; tests put their own here. */
struct gst_device_calls {
	int (*get_count)(int *count);
	int (*get)(int *device, int ordinal);
	int (*get_uuid)(uint8_t uuid[16], int device);
	int (*get_attribute)(int *value, int attribute, int device);
};

struct gst_devices {
	struct gst_device_calls calls;
	bool has_driver;	/* calls are there; fixed from the start on */
	_Atomic uint32_t count; /* slots given out */
	struct {
		struct gst_rec_device rec;
		_Atomic uint32_t is_ready;  /* rec is filled in */
		bool is_complete;	    /* the flusher's */
		struct gst_rec_device full; /* with what the driver told */
		_Atomic uint32_t is_full;   /* full is filled in */
	} slots[GST_DEVICES_MAX];
};

/**
 * Look for the driver (libcuda) that is loaded; without one nothing is completed.
 *
 * It stays loaded from then on. Takes the loader's lock, and where there is none it searches files, so: once, at start, in the thread that starts
 * CUDA. The program may hold that lock, or give up such calls, later.
 */
void gst_devices_find_driver(struct gst_devices *d);

/** Half of a UUID, which is 16 bytes in the order in which they are written. */
static inline uint64_t gst_devices_uuid_half(const uint8_t bytes[8])
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++) {
		value = value << 8 | bytes[i];
	}
	return value;
}

/** Remember @rec to be completed. Threads: any; no lock. More than GST_DEVICES_MAX are not completed. */
void gst_devices_add(struct gst_devices *d, const struct gst_rec_device *rec);

/**
 * Ask for what is missing of the devices added since, and write those records again into @defs.
 *
 * A driver that does not answer yet is asked again next time. Threads: the flusher's.
 */
void gst_devices_complete(struct gst_devices *d, struct gst_lane *defs);

#endif
