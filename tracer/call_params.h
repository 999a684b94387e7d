/*
 * call_params.h - what a CUDA call was given, whatever its layout.
 */
#ifndef GSTRACE_TRACER_CALL_PARAMS_H
#define GSTRACE_TRACER_CALL_PARAMS_H

#include "tracer/cupti_abi.h"
#include "tracer/format/api.h"

#include <stdint.h>

/* What a layout gives; each record kind takes its part. What it does not give is 0. */
struct gst_call_params {
	uint64_t stream;
	uint64_t object; /* dst, event, graph, address, function, handle */
	uint64_t second; /* src, second event, executable graph, pool, argument */
	uint64_t size;	 /* bytes, or a value */
	uint32_t flags;	 /* as passed, or launch flags */
	uint32_t count;
	int32_t priority;
	uint32_t direction;
	uint64_t node;	 /* graph node */
	uint64_t kernel; /* of a new graph node */
	uint64_t event;	 /* that a graph node records or waits for, from now on */
	int32_t place;	 /* device + 1 */
	uint32_t access;
	const struct gst_cu_memop
		*ops;	 /* the program's, @count of them: to be read inside the call */
	const void *out; /* where the call will put what it gives; NULL = nowhere */
};

/** A handle or address of the program, as records have it. */
static inline uint64_t gst_handle(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/**
 * Read the parameters @params (functionParams of CUPTI, not NULL) of a call of @api into @d, which is zero.
 *
 * In the callback at enter, in the program's thread: no lock, allocation or system call; arrays are read up to a few
 * hundred elements. Pointers that the driver would refuse are not followed where that can be told; others are as good
 * as the program makes them.
 */
void gst_call_params_read(struct gst_call_params *d, const struct gst_api *api, const void *params);

#endif
