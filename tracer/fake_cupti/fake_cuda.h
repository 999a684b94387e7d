/*
 * fake_cuda.h - between the files of the fake CUDA: its state, and how a call is made of callbacks and work.
 */
#ifndef GSTRACE_TRACER_FAKE_CUPTI_FAKE_CUDA_H
#define GSTRACE_TRACER_FAKE_CUPTI_FAKE_CUDA_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/fake_cupti/fake_cupti.h"
#include "tracer/fake_cupti/fake_device.h"
#include "tracer/fake_cupti/fake_internal.h"
#include "tracer/format/format.h"

#define EXPORT __attribute__((visibility("default")))

#define LAUNCH_LATENCY_NS 3000
#define COPY_NS_PER_KIB	  20 /* some 50 GB/s */
#define STAGED_MAX_BYTES  (1u << 20)
#define NULL_STREAM_ID	  7u
#define FIRST_STREAM_ID	  13u
#define EVENTS		  1024
#define GRAPHS		  64
#define GRAPH_NODES	  64
#define SYNC_NONE	  GST_CUPTI_SYNCHRONIZATION_INVALID_VALUE

/* Handles are addresses that nobody can reach: a base for each type, and the number. */
#define STREAM_BASE	 0x555520000000u
#define EVENT_BASE	 0x555530000000u
#define GRAPH_BASE	 0x555540000000u
#define EXEC_BASE	 0x555550000000u
#define NODE_BASE	 (GRAPH_BASE + 0x1000000u) /* of graphs, then of executable ones */
#define FAKE_HOST_THREAD 4711u			   /* on which host functions run */
#define HANDLE_STEP	 0x100u

struct event {
	uint64_t time_ns; /* when its last record is reached; 0 = never recorded */
	uint64_t sync_id;
	bool is_captured;
};

struct node {
	char *name; /* kernel; NULL: host function */
	uint64_t duration_ns;
};

struct graph {
	struct node nodes[GRAPH_NODES];
	int count;
	uint32_t id; /* of an executable graph: of its clone */
};

/* All of it under cuda_lock. */
struct fake_cuda {
	struct fake_device device;
	uint32_t stream_id[FAKE_DEVICE_STREAMS];
	int priority[FAKE_DEVICE_STREAMS];
	int capturing[FAKE_DEVICE_STREAMS]; /* graph number, 0 = no */
	struct event events[EVENTS];
	int event_count;
	struct graph graphs[GRAPHS];
	int graph_count;
	struct graph execs[GRAPHS];
	int exec_count;
	uint32_t next_graph_id;
	uint32_t next_stream_id;
	uint32_t next_correlation;
	uint64_t next_sync;
	uint64_t next_address;
	bool is_runtime;
	bool is_per_thread;
	bool is_module_loaded;
};

extern pthread_mutex_t cuda_lock;
extern struct fake_cuda cuda;

struct side {
	const struct gst_api *api; /* NULL: this side is not entered */
	const void *params;
	const char *symbol;
	uint64_t data; /* correlationData */
	int result;
};

struct call {
	struct side runtime;
	struct side driver;
	uint64_t unread[16]; /* parameters of a runtime call whose layout nobody reads */
};

/** The program's handle of number @number of the type that begins at @base. */
void *cuda_handle(uint64_t base, int number);
void *cuda_stream_handle(int stream);

/** The device stream that a call with this stream argument uses. */
int cuda_device_stream(int stream);

/** A number for a node of a graph, or, from GRAPHS on, of an executable graph. */
void *cuda_node_handle(int graph, int index);

/**
 * Enter a call. @runtime: symbol of the runtime call, or NULL where a program calls the driver itself.
 * @runtime_params: NULL where nobody reads them. False if the call shall fail: then only leave it.
 */
bool cuda_begin(struct call *call, const char *runtime, const void *runtime_params,
		const char *driver, const void *driver_params, const char *kernel);
int cuda_end(struct call *call, int result);

/** The correlation id of the thread's call. */
uint32_t cuda_correlation(void);

/** Put work into a stream now; the duration of host functions and kernels, 0 for markers. */
uint64_t cuda_submit(int stream, uint64_t not_before, uint64_t duration, uint64_t *begin_ns);

/** When the work in @stream is done; -1: in all of them. */
uint64_t cuda_done(int stream);

/** Graph that the stream's work goes into, or 0. */
int cuda_capture_of(int stream);
void cuda_add_node(int graph, const char *name, uint64_t duration);

void cuda_kernel_record(int stream, const char *name, uint64_t start_ns, uint64_t end_ns,
			uint32_t graph, uint64_t node);
void cuda_sync_record(uint32_t type, uint64_t start_ns, uint32_t stream_id, int event, int result);
void cuda_host_node_record(int on, uint64_t start_ns, uint64_t end_ns, uint32_t graph,
			   uint64_t node);

/** @name for as long as the library lives: one copy of each. */
const char *cuda_keep(const char *name);

#endif
