/*
 * nvtx.h - NVTX ranges, marks and names become NVTX and NVTX_NAME records.
 *
 * Contract: the program's threads call in here from NVTX functions. No malloc, no I/O, no lock, some 100 ns. What
 * a function gives to the program is what it gives without a tool, but for the ids of ranges, strings
 * and domains, which NVTX asks a tool for.
 */
#ifndef GSTRACE_TRACER_NVTX_H
#define GSTRACE_TRACER_NVTX_H

#include "tracer/callbacks.h"
#include "tracer/nvtx_abi.h"

#define GST_NVTX_TEXT_BYTES (256u << 10) /* for registered strings and names of domains */

/**
 * Put our functions into the tables that @get_table gives. 1, or 0 if there is no table of callbacks.
 *
 * Threads: NVTX sees to it that there is one. May be called before recording starts: what comes until then is not in
 * the trace, but strings and domains are remembered.
 */
int gst_nvtx_attach(gst_nvtx_get_table_fn get_table);

/** Record from now on with @cb, which outlives the program; NULL: no more. */
void gst_nvtx_start(struct gst_callbacks *cb);

/** Whether a program's NVTX code came to us. */
int gst_nvtx_is_attached(void);

#endif
