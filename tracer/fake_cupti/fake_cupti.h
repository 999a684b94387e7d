/*
 * fake_cupti.h - a libcupti and a CUDA of our own, to drive the real libgstrace without a GPU.
 *
 * The library exports the cupti* functions that libgstrace looks up, and these fake_* functions with
 * which a test (or a script, see fake_script.h) plays the program: each makes one CUDA call, with
 * enter and exit callbacks in both domains, real parameter structs, activity records of the version in
 * force and times that keep CUDA's stream order. A call that waits really waits.
 *
 * Calls may be made from any thread. Results are CUresult; 0 is success.
 */
#ifndef GSTRACE_TRACER_FAKE_CUPTI_FAKE_CUPTI_H
#define GSTRACE_TRACER_FAKE_CUPTI_FAKE_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the program's side: streams, events and graphs are named by small numbers ---------------- */

#define FAKE_NULL \
	0 /* stream 0: the legacy default stream, or the thread's own: see fake_per_thread */
#define FAKE_LEGACY	-1 /* CU_STREAM_LEGACY */
#define FAKE_PER_THREAD -2 /* CU_STREAM_PER_THREAD */

enum fake_copy { FAKE_H2D, FAKE_D2H, FAKE_D2D, FAKE_H2H };

/**
 * What the driver does in cuInit: loads the library that CUDA_INJECTION64_PATH names and calls its
 * InitializeInjection, then creates a context. Called by the first call below; again: nothing.
 */
void fake_init(void);

/* Of the variant that is also the driver: of CUDA 13. */
int cuDriverGetVersion(int *version);

/* Whether calls come through the runtime (the default: runtime enter, driver enter, driver exit, runtime
 * exit with one correlation id) or the driver alone; whether stream 0 is the thread's own (_ptsz). */
void fake_runtime(bool is_on);
void fake_per_thread(bool is_on);

int fake_stream_create(bool is_blocking, int priority); /* stream number, > 0 */
void fake_stream_destroy(int stream);
int fake_launch(int stream, const char *kernel, uint64_t duration_ns);
/* By cuLaunchKernelEx with programmatic stream serialization. */
int fake_launch_ex(int stream, const char *kernel, uint64_t duration_ns);
int fake_memcpy_async(int stream, enum fake_copy copy, bool is_pinned, uint64_t bytes);
int fake_memcpy(enum fake_copy copy, bool is_pinned, uint64_t bytes); /* the synchronous form */
int fake_memset_async(int stream, uint64_t bytes);
int fake_event_create(void); /* event number, > 0 */
int fake_event_record(int event, int stream);
int fake_stream_wait(int stream, int event);
int fake_event_query(int event); /* 600: not ready */
int fake_event_sync(int event);
int fake_event_destroy(int event);
int fake_stream_query(int stream);
int fake_stream_sync(int stream);
int fake_device_sync(void);
int fake_profiler(bool is_on); /* cudaProfilerStart or Stop */
int fake_host_func(int stream, uint64_t duration_ns);
/**
 * A host function that really runs, in a thread of its own, and has ended when this returns. Its parameters are
 * read after the enter callback, as the driver does. In a capture nothing runs, and a tool that changed parameters
 * there ends the process. Gives the result of the call.
 */
int fake_host_run(int stream, uint64_t duration_ns);
int fake_host_runs(void); /* how many ran, with the right argument */
uint64_t fake_malloc(uint64_t bytes);
int fake_free(uint64_t address);
uint64_t fake_malloc_async(int stream, uint64_t bytes);
int fake_free_async(int stream, uint64_t address);
uint64_t fake_host_alloc(uint64_t bytes);
int fake_host_free(uint64_t address);
int fake_capture_begin(int stream);
int fake_capture_end(int stream);      /* graph number, > 0 */
int fake_graph_instantiate(int graph); /* executable graph number, > 0 */
int fake_graph_launch(int exec, int stream);
int fake_device_reset(void);

/**
 * A call of the driver that has to do with memory, without work on the device: "write-value", "wait-value", "batch",
 * "signal-semaphore", "prefetch", "attach", "sync-memops", "pool-attribute", "device-pool", "limit", "peer",
 * "context-flags", "batch-copy". Returns -1 for any other.
 */
int fake_memory(const char *what, int stream);

/**
 * An NVTX function: mark, mark-wide, push, push-ex, pop, start (gives the range's id), end (@number: the id),
 * name-thread, name-stream (@number: of the stream), domain, register, domain-mark, foreign.
 */
uint64_t fake_nvtx(const char *what, const char *text, uint64_t number);

/* Run once inside this thread's next call, after its last enter callback. */
void fake_inside(void (*action)(void *argument), void *argument);

/* The module of all kernels: the next launch loads it again. */
void fake_module_unload(void);

/* The next call of this thread does nothing and returns @result. */
void fake_fail_next(int result);

/* Records whose work has not ended yet, plus one if a buffer of the tool holds some. */
size_t fake_pending_records(void);

/* ---- faults: set before the first call unless told otherwise --------------------------------- */

void fake_set_version(uint32_t version); /* cuptiGetVersion(); record sizes follow it */
void fake_set_holder(const char *name);	 /* subscribing gives 39, and this name; NULL: no more */
void fake_fail_enable(uint32_t kind, int result); /* cuptiActivityEnable(kind); any time */
void fake_fail_callback(uint32_t domain, uint32_t cbid,
			int result);		    /* cuptiEnableCallback; cbid 0: all */
void fake_fail_entry(const char *name, int result); /* any time: "cuptiGetVersion" and its like */
void fake_silence(uint32_t domain);		    /* callbacks of it never come */
void fake_hang_flush(void);		   /* any time: cuptiActivityFlushAll never returns */
void fake_hang_enable(void);		   /* any time: cuptiActivityEnable never returns */
void fake_slow_flush(uint64_t ns);	   /* any time: each flush takes so long */
void fake_await_flush(void);		   /* any time: returns when the next flush has begun */
void fake_keep_buffers(void);		   /* any time: full buffers are not handed back */
void fake_grow_records(size_t bytes);	   /* each record is longer than known */
void fake_zero_times(unsigned records);	   /* any time: the next ones have start = end = 0 */
void fake_reverse_times(unsigned records); /* any time: the next ones end before they start */
void fake_drop_records(size_t records);	   /* any time: told with the next buffer */
void fake_unknown_record(uint32_t kind);   /* any time: a record of a kind nobody knows */
void fake_finalize(void);		   /* any time: CUPTI ends itself after a fatal error */

#endif
