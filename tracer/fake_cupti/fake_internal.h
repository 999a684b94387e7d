/*
 * fake_internal.h - between fake_cupti.c (CUPTI's side) and fake_cuda.c (the program's side).
 */
#ifndef GSTRACE_TRACER_FAKE_CUPTI_FAKE_INTERNAL_H
#define GSTRACE_TRACER_FAKE_CUPTI_FAKE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/cupti_abi.h"
#include "tracer/format/api.h"

#define FAKE_CONTEXT	((void *)0x55550001000)
#define FAKE_CONTEXT_ID 1u
#define FAKE_DEVICE_ID	0u

/** CLOCK_REALTIME in ns: the clock of records. */
uint64_t fake_now(void);

/** Sleep until CLOCK_REALTIME shows @until_ns. */
void fake_sleep_until(uint64_t until_ns);

uint32_t fake_version(void);

/** Whether the tool asked for records of @kind. */
bool fake_wants(uint32_t kind);

/** Whether records of synchronization calls that did not succeed are wanted as well. */
bool fake_wants_all_syncs(void);

/** Whether CUDA_EVENT records shall carry device times. */
bool fake_wants_event_times(void);

/**
 * Put a record into CUPTI; it is complete, and can be handed to the tool, once the clock reaches
 * @ready_ns. @start and @end point to its times (NULL: has none), for the faults. Copied.
 */
void fake_record(const void *record, uint64_t *start, uint64_t *end, uint64_t ready_ns);

/** Move complete records to the tool's buffers and hand back full ones. */
void fake_deliver(void);

/** Tell the tool, if it asked for that callback. */
void fake_callback(uint32_t domain, uint32_t cbid, const void *data);

/** Everything the tool enabled shall be told again: a context now exists. */
void fake_context_created(void);

/** Called by cuptiActivityEnable: records that CUPTI emits when a kind is switched on late. */
void fake_emit_objects(uint32_t kind);

/** CUPTI's id of a stream or graph handle; 0 = no such. */
uint32_t fake_stream_id(const void *stream, bool is_per_thread);
uint32_t fake_graph_id(const void *graph);
/** The handle that a program has for stream number @stream. */
void *fake_stream_handle(int stream);

uint64_t fake_node_id(const void *node);

#endif
