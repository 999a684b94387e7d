/*
 * oracle_text.c - a random program as a text trace, truthful or with one lie.
 *
 * Role      : gst_world_text() for oracle_test.c.
 * Method    : one buffer of lines for each thread and one for the device, put together in any order.
 * Invariant : nothing of what the trace does not tell in reality is in the text.
 * Not here  : graphs with definitions (graph_oracle_test.c).
 */
#include "analyzer/test/oracle_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const lie_names[] = {
	"none",
	"a non-blocking stream is blocking",
	"a blocking stream is non-blocking",
	"a per-thread stream is the legacy stream",
	"two contexts are one",
	"a wait names another event",
	"a failed call succeeded",
	"a not-ready query is ready",
	"a capture is none",
	"a programmatic launch is ordinary",
	"pageable memory is pinned",
	"a stream-ordered allocation is a kernel",
	"an event is not created anew",
	"two executable graphs are one",
	"a stream synchronize is one of the context",
	"a peer copy is a plain one",
	"an event recorded by a launch is recorded after it",
	"another value is written",
	"a write without a barrier has one",
	"an event of a context is one of the other",
	"a launch that loads its kernel loads nothing",
	"a full queue is not full",
	"a launch that records two events records one",
	"a batch reads its sources in stream order",
	"marked memory is not marked",
	"a green context is a primary one",
	"a stream of a green context is one of its primary",
};

const char *gst_lie_name(enum lie lie)
{
	return lie_names[lie];
}

static bool is_default(const struct gst_program_stream *s)
{
	return s->kind == LEGACY || s->kind == PER_THREAD;
}

static int legacy_of(const struct gst_world *w, int ctx)
{
	for (int i = 0; i < w->stream_count; i++) {
		if (w->streams[i].kind == LEGACY && w->streams[i].ctx == ctx)
			return i;
	}
	abort();
}

static const char *memory_text(enum memory m, enum lie lie)
{
	if (m == PAGEABLE)
		return lie == LIE_PAGEABLE_IS_PINNED ? "pinned" : "pageable";
	return m == PINNED ? "pinned" : "managed";
}

static int lied_ctx(int ctx, enum lie lie)
{
	return lie == LIE_ONE_CONTEXT ? 1 : ctx + 1;
}

/* Streams of the second context keep numbers of their own. */
static int lied_id(const struct gst_program_stream *s, enum lie lie)
{
	return s->kind == LEGACY && s->ctx && lie == LIE_ONE_CONTEXT ? 7 : s->id;
}

/* The context by which records of stream @s go. */
static int stream_ctx(const struct gst_world *w, const struct gst_program_stream *s, enum lie lie)
{
	bool is_other = lie == LIE_GREEN_STREAM_IS_OF_PRIMARY && w->primary[s->ctx] >= 0;

	return lied_ctx(is_other ? w->primary[s->ctx] : s->ctx, lie);
}

static void put_stream_def(struct gst_text *t, const struct gst_world *w,
			   const struct gst_program_stream *s, enum lie lie)
{
	enum stream_kind kind = s->kind;

	if (kind == NONBLOCKING && lie == LIE_NONBLOCKING_IS_BLOCKING) {
		kind = BLOCKING;
	} else if (kind == BLOCKING && lie == LIE_BLOCKING_IS_NONBLOCKING) {
		kind = NONBLOCKING;
	}
	gst_put(t, "stream ctx=%d stream=%d type=%s", stream_ctx(w, s, lie), lied_id(s, lie),
		kind == LEGACY	      ? "legacy"
		: kind == NONBLOCKING ? "nonblocking"
				      : "blocking");
	/* A created stream's handle may be told by its definition or by its call. */
	if (s->handle && (s->created_by < 0 || s->id % 2))
		gst_put(t, " handle=0x%" PRIx64, s->handle);
	if (s->created_by >= 0)
		gst_put(t, " corr=%d", s->created_by + 100);
	gst_put(t, "\n");
}

static bool is_per_thread(const struct gst_world *w, const struct gst_act *a, enum lie lie)
{
	return w->streams[a->stream].kind == PER_THREAD && lie != LIE_PER_THREAD_IS_LEGACY;
}

/* api=, corr=, ctx= and stream= of a call that names its stream. */
static void put_call(struct gst_text *t, const struct gst_world *w, const struct gst_act *a, int i,
		     enum lie lie, const char *record, const char *api)
{
	const struct gst_program_stream *s = &w->streams[a->stream];
	bool per_thread = is_per_thread(w, a, lie);
	uint64_t handle = s->handle;

	if (is_default(s) && a->by_number)
		handle = per_thread ? 2 : 1;
	gst_put(t, "%s corr=%d enter_ns=%" PRIu64 " api=%s%s ctx=%d", record, i + 100, a->enter,
		api, per_thread && handle == 0 ? "_ptsz" : "", lied_ctx(a->ctx, lie));
	if (handle)
		gst_put(t, " stream=0x%" PRIx64, handle);
}

/* The same for one that names none: it runs in the default stream of its entry point. */
static void put_default_call(struct gst_text *t, const struct gst_world *w, const struct gst_act *a,
			     int i, enum lie lie, const char *record, const char *api)
{
	gst_put(t, "%s corr=%d enter_ns=%" PRIu64 " api=%s%s ctx=%d", record, i + 100, a->enter,
		api, is_per_thread(w, a, lie) ? "_ptds" : "", lied_ctx(a->ctx, lie));
}

static void put_where(struct gst_text *t, const struct gst_world *w, const struct gst_act *a,
		      enum lie lie)
{
	const struct gst_program_stream *s = &w->streams[a->stream];
	int id = lied_id(s, lie);

	if (s->kind == PER_THREAD && lie == LIE_PER_THREAD_IS_LEGACY)
		id = 7;
	gst_put(t, " ctx=%d stream=%d", stream_ctx(w, s, lie), id);
}

static const char *direction_text(enum direction d)
{
	static const char *const names[] = {"h2d", "d2h", "d2d", "h2h"};

	return names[d];
}

static void put_copy_record(struct gst_text *t, const struct gst_world *w, const struct gst_act *a,
			    int i, enum lie lie)
{
	gst_put(t, "memcpy corr=%d", i + 100);
	put_where(t, w, a, lie);
	if (a->kind == PEER) {
		gst_put(t,
			" copy_kind=p2p src_kind=device dst_kind=device is_peer=1 src_ctx=%d dst_ctx=%d\n",
			lied_ctx(0, lie), lied_ctx(1, lie));
		return;
	}
	gst_put(t, " copy_kind=%s src_kind=%s dst_kind=%s is_async=%d size=64\n",
		direction_text(a->direction),
		a->direction == H2D ? memory_text(a->memory, lie) : "device",
		a->direction == D2H ? memory_text(a->memory, lie) : "device", a->kind == COPY);
}

/* @offset into the memory that @a is about. */
static unsigned region_address(const struct gst_act *a, unsigned offset)
{
	return 0x500000u + 0x1000u * (unsigned)(a->region + 1) + offset;
}

static void put_act(struct gst_text *host, struct gst_text *device, const struct gst_world *w,
		    int i, enum lie lie)
{
	const struct gst_act *a = &w->acts[i];
	static const char *const sync_copies[] = {"cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2",
						  "cuMemcpyDtoD_v2"};
	int event = a->event;
	int result = a->result;
	bool is_device = a->runs && a->has_record;
	uint64_t value = 0;

	if (lie == LIE_WAIT_FOR_OTHER_EVENT && a->kind == WAIT)
		event = (event + 1) % w->event_count;
	if (lie == LIE_FAILED_SUCCEEDED && result == 1)
		result = 0;
	if (lie == LIE_NOT_READY_IS_READY && result == 600)
		result = 0;
	switch (a->kind) {
	case KERNEL:
	case PROGRAMMATIC:
	case LAUNCH_EVENT:
		if (a->kind == KERNEL) {
			put_call(host, w, a, i, lie, "call_launch", "cuLaunchKernel");
		} else {
			put_call(host, w, a, i, lie, "call_launch", "cuLaunchKernelEx");
		}
		if (a->kind == PROGRAMMATIC && lie != LIE_PROGRAMMATIC_IS_ORDINARY)
			gst_put(host, " flags=%s",
				i % 3 ? "programmatic-serialization" : "attributes-unread");
		if (a->kind == LAUNCH_EVENT && lie != LIE_LAUNCH_EVENT_IS_RECORD)
			gst_put(host, " flags=%s event=0x%x",
				a->has_both && lie != LIE_ONE_LAUNCH_EVENT
					? "programmatic-event|launch-completion-event"
				: a->is_completion && !a->has_both ? "launch-completion-event"
								   : "programmatic-event",
				0x9000 + event);
		if (a->kind == LAUNCH_EVENT && a->has_both && lie != LIE_LAUNCH_EVENT_IS_RECORD &&
		    lie != LIE_ONE_LAUNCH_EVENT)
			gst_put(host, " event2=0x%x", 0x9000 + a->event2);
		if (is_device) {
			gst_put(device, "kernel corr=%d", i + 100);
			put_where(device, w, a, lie);
			if (a->gpu_end)
				gst_put(device, " start_ns=%" PRIu64 " end_ns=%" PRIu64,
					a->gpu_begin, a->gpu_end);
			gst_put(device, " name=\"k\"\n");
		}
		if (a->loads && lie != LIE_NOTHING_LOADED)
			gst_put(device,
				"overhead corr=%d type=lazy-function-loading start_ns=%" PRIu64
				" end_ns=%" PRIu64 "\n",
				i + 100, a->enter, a->exit);
		if (a->made_room >= 0 && lie != LIE_QUEUE_NOT_FULL)
			gst_put(device,
				"overhead corr=%d type=command-buffer-full start_ns=%" PRIu64
				" end_ns=%" PRIu64 "\n",
				i + 100, a->enter, a->exit);
		break;
	case MEMSET:
		put_call(host, w, a, i, lie, "call_memset", "cuMemsetD8Async");
		if (is_device) {
			gst_put(device, "memset corr=%d memory_kind=device", i + 100);
			put_where(device, w, a, lie);
			gst_put(device, "\n");
		}
		break;
	case MEMSET_SYNC:
		put_default_call(host, w, a, i, lie, "call_memset", "cuMemsetD8_v2");
		gst_put(host, " dst=0x%x", region_address(a, 0x40));
		if (is_device) {
			gst_put(device, "memset corr=%d memory_kind=%s", i + 100,
				a->memory == PAGEABLE ? "device" : memory_text(a->memory, lie));
			put_where(device, w, a, lie);
			gst_put(device, "\n");
		}
		break;
	case COPY:
		put_call(host, w, a, i, lie, "call_copy", "cuMemcpyAsync");
		gst_put(host, " size=64 direction=%s", direction_text(a->direction));
		if (is_device)
			put_copy_record(device, w, a, i, lie);
		break;
	case COPY_SYNC:
		if (a->direction == H2H) {
			gst_put(host, "call_copy corr=%d enter_ns=%" PRIu64 " api=%s ctx=%d",
				i + 100, a->enter,
				is_per_thread(w, a, lie) ? "cudaMemcpy_ptds_v7000"
							 : "cudaMemcpy_v3020",
				lied_ctx(a->ctx, lie));
			gst_put(host, " size=64 direction=h2h");
			break;
		}
		put_default_call(host, w, a, i, lie, "call_copy", sync_copies[a->direction]);
		gst_put(host, " size=64 %s=0x%x", i % 2 ? "dst" : "src", region_address(a, 0xfff));
		if (is_device)
			put_copy_record(device, w, a, i, lie);
		break;
	case PEER:
		put_default_call(host, w, a, i, lie, "call_copy",
				 a->is_peer_api && lie != LIE_PEER_IS_PLAIN ? "cuMemcpyPeer"
									    : "cuMemcpyDtoD_v2");
		if (is_device)
			put_copy_record(device, w, a, i, lie);
		break;
	case RECORD:
		put_call(host, w, a, i, lie, "call_event", "cuEventRecord");
		gst_put(host, " event=0x%x", 0x9000 + event);
		break;
	case WAIT:
		put_call(host, w, a, i, lie, "call_event", "cuStreamWaitEvent");
		gst_put(host, " event=0x%x", 0x9000 + event);
		break;
	case EVENT_SYNC:
	case EVENT_QUERY:
		gst_put(host, "call_event corr=%d enter_ns=%" PRIu64 " api=%s ctx=%d event=0x%x",
			i + 100, a->enter,
			a->kind == EVENT_SYNC ? "cuEventSynchronize" : "cuEventQuery",
			lied_ctx(a->ctx, lie), 0x9000 + event);
		break;
	case ELAPSED:
		gst_put(host,
			"call_event corr=%d enter_ns=%" PRIu64
			" api=cuEventElapsedTime ctx=%d event=0x%x event2=0x%x",
			i + 100, a->enter, lied_ctx(a->ctx, lie), 0x9000 + event,
			0x9000 + a->event2);
		break;
	case STREAM_SYNC:
	case STREAM_QUERY:
		if (a->kind == STREAM_SYNC && lie == LIE_STREAM_SYNC_IS_CTX_SYNC) {
			gst_put(host,
				"call corr=%d enter_ns=%" PRIu64 " api=cuCtxSynchronize ctx=%d",
				i + 100, a->enter, lied_ctx(a->ctx, lie));
			break;
		}
		put_call(host, w, a, i, lie, "call_stream",
			 a->kind == STREAM_SYNC ? "cuStreamSynchronize" : "cuStreamQuery");
		break;
	case CTX_SYNC:
		gst_put(host, "call corr=%d enter_ns=%" PRIu64 " api=cuCtxSynchronize ctx=%d",
			i + 100, a->enter, lied_ctx(a->ctx, lie));
		break;
	case HOST_FUNC:
		put_call(host, w, a, i, lie, "call_host", "cuLaunchHostFunc");
		break;
	case GRAPH:
		put_call(host, w, a, i, lie, "call_graph", "cuGraphLaunch");
		gst_put(host, " exec=0x%x", 0xa000 + (lie == LIE_ONE_GRAPH ? 0 : a->exec));
		if (is_device) {
			for (int n = 0; n < 2; n++)
				gst_put(device,
					"kernel corr=%d ctx=%d stream=%d name=\"n\" graph_node=%d\n",
					i + 100, lied_ctx(w->streams[a->stream].ctx, lie), 90 + n,
					n + 1);
		}
		break;
	case ALLOC:
		if (lie == LIE_ALLOC_IS_KERNEL) {
			put_call(host, w, a, i, lie, "call_launch", "cuLaunchKernel");
			break;
		}
		put_call(host, w, a, i, lie, "call_memory", "cuMemAllocAsync");
		gst_put(host, " size=64");
		value = a->address;
		break;
	case FREE_ASYNC:
		put_call(host, w, a, i, lie, "call_memory", "cuMemFreeAsync");
		gst_put(host, " address=0x%" PRIx64, a->address);
		break;
	case FREE_PLAIN:
		gst_put(host,
			"call_memory corr=%d enter_ns=%" PRIu64
			" api=cuMemFree_v2 ctx=%d address=0x%" PRIx64,
			i + 100, a->enter, lied_ctx(a->ctx, lie), a->address);
		break;
	case CREATE: {
		const struct gst_program_stream *s = &w->streams[a->stream];
		bool is_nonblocking = s->kind == NONBLOCKING;

		if (is_nonblocking && lie == LIE_NONBLOCKING_IS_BLOCKING) {
			is_nonblocking = false;
		} else if (!is_nonblocking && lie == LIE_BLOCKING_IS_NONBLOCKING) {
			is_nonblocking = true;
		}
		gst_put(host, "call_stream corr=%d enter_ns=%" PRIu64 " api=%s ctx=%d flags=%d",
			i + 100, a->enter,
			a->target == a->ctx ? "cuStreamCreate" : "cuGreenCtxStreamCreate",
			lied_ctx(a->ctx, lie), is_nonblocking);
		value = s->handle;
		break;
	}
	case DESTROY:
		gst_put(host,
			"call_stream corr=%d enter_ns=%" PRIu64
			" api=cuStreamDestroy_v2 ctx=%d stream=0x%" PRIx64,
			i + 100, a->enter, lied_ctx(a->ctx, lie), w->streams[a->stream].handle);
		break;
	case EVENT_RENEW:
		/* Two calls in the place of one: the corr of the first is out of the way. */
		if (lie == LIE_EVENT_NEVER_RENEWED) {
			gst_put(host, "call corr=%d enter_ns=%" PRIu64 " api=cuCtxSetLimit ctx=%d",
				i + 100, a->enter, lied_ctx(a->ctx, lie));
			result = 1;
			break;
		}
		gst_put(host,
			"call_event corr=%d enter_ns=%" PRIu64
			" api=cuEventDestroy_v2 ctx=%d event=0x%x\ncall_exit corr=%d exit_ns=%" PRIu64
			"\n",
			i + 5000, a->enter, lied_ctx(a->ctx, lie), 0x9000 + event, i + 5000,
			a->enter);
		gst_put(host, "call_event corr=%d enter_ns=%" PRIu64 " api=cuEventCreate ctx=%d",
			i + 100, a->enter, lied_ctx(a->ctx, lie));
		value = (uint64_t)(0x9000 + event);
		break;
	case MULTI:
		put_call(host, w, a, i, lie, "call_launch", "cuLaunchCooperativeKernelMultiDevice");
		gst_put(host, " flags=cooperative|multi-device%s%s",
			a->no_pre ? "|no-pre-launch-sync" : "",
			a->no_post ? "|no-post-launch-sync" : "");
		gst_put(device, "kernel corr=%d", i + 100);
		put_where(device, w, a, lie);
		gst_put(device, " name=\"k\"\n");
		break;
	case MULTI_OTHER:
		gst_put(device, "kernel corr=%d", i - 1 + 100);
		put_where(device, w, a, lie);
		gst_put(device, " name=\"k\"\n");
		return;
	case BATCH:
		put_call(host, w, a, i, lie, "call_copy", "cuMemcpyBatchAsync_v2");
		gst_put(host, " size=128 count=2 access=%s",
			!a->is_early || lie == LIE_SOURCES_IN_ORDER ? "stream"
			: i % 2					    ? "during-call"
								    : "any");
		for (int n = 0; n < 2 && is_device; n++) {
			gst_put(device, "memcpy corr=%d", i + 100);
			put_where(device, w, a, lie);
			gst_put(device, " copy_kind=d2d src_kind=device dst_kind=device size=64\n");
		}
		break;
	case MARK:
		gst_put(host,
			"call corr=%d enter_ns=%" PRIu64
			" api=cuPointerSetAttribute ctx=%d object=0x%x value=%d flags=6",
			i + 100, a->enter, lied_ctx(a->ctx, lie), region_address(a, 0),
			a->is_on && lie != LIE_NOTHING_MARKED);
		break;
	case CTX_FLAGS:
		gst_put(host,
			"call corr=%d enter_ns=%" PRIu64 " api=cuCtxSetFlags ctx=%d flags=0x%x",
			i + 100, a->enter, lied_ctx(a->ctx, lie),
			a->is_on && lie != LIE_NOTHING_MARKED ? 0x84 : 4);
		break;
	case CTX_RECORD:
	case CTX_WAIT: {
		static const char *const apis[][2] = {
			{"cuCtxRecordEvent", "cuCtxWaitEvent"},
			{"cuGreenCtxRecordEvent", "cuGreenCtxWaitEvent"}};
		bool is_green = w->primary[a->target] >= 0;
		int target = a->target;

		if (lie == LIE_OTHER_CONTEXT)
			target = is_green ? w->primary[target] : w->ctxs > 1 ? !target : target;
		gst_put(host,
			"call_event corr=%d enter_ns=%" PRIu64
			" api=%s ctx=%d event=0x%x context=0x%x",
			i + 100, a->enter, apis[is_green][a->kind == CTX_WAIT],
			lied_ctx(w->is_dead[!a->ctx] || w->ctxs < 2 ? a->ctx : !a->ctx, lie),
			0x9000 + event, 0xc000 + lied_ctx(target, lie));
		break;
	}
	case CACHE_CONFIG:
		gst_put(host, "call corr=%d enter_ns=%" PRIu64 " api=cuCtxSetCacheConfig ctx=%d",
			i + 100, a->enter, lied_ctx(a->ctx, lie));
		break;
	case CTX_END:
		gst_put(host,
			"call corr=%d enter_ns=%" PRIu64 " api=cuCtxDestroy_v2 ctx=%d object=0x%x",
			i + 100, a->enter, lied_ctx(!a->ctx, lie), 0xc000 + lied_ctx(a->ctx, lie));
		break;
	case VALUE_WRITE:
	case VALUE_WAIT: {
		static const char *const apis[] = {"cuStreamWriteValue32_v2",
						   "cuStreamWaitValue32_v2"};
		int written = a->value;
		int flags = a->kind == VALUE_WAIT ? a->compare : !a->has_barrier;

		if (a->kind == VALUE_WRITE && lie == LIE_OTHER_VALUE)
			written = written % 3 + 1;
		if (a->kind == VALUE_WRITE && lie == LIE_NO_BARRIER_HAS_ONE)
			flags = 0;
		put_call(host, w, a, i, lie, "call", apis[a->kind == VALUE_WAIT]);
		gst_put(host,
			" object=0x%x value=%d flags=0x%x\nmemop corr=%d address=0x%x value=0x%x"
			" type=%s-32 flags=0x%x",
			0xb000 + 4 * a->word, written, flags, i + 100, 0xb000 + 4 * a->word,
			written, a->kind == VALUE_WAIT ? "wait" : "write", flags);
		break;
	}
	case CAPTURE_BEGIN:
		if (lie == LIE_NO_CAPTURE)
			result = 1;
		put_call(host, w, a, i, lie, "call_graph", "cuStreamBeginCapture");
		break;
	case CAPTURE_END:
		put_call(host, w, a, i, lie, "call_graph", "cuStreamEndCapture");
		break;
	case KINDS:
		break;
	}
	gst_put(host, "\n");
	if (!a->returned)
		return;
	gst_put(host, "call_exit corr=%d exit_ns=%" PRIu64, i + 100, a->exit);
	if (value)
		gst_put(host, " value=0x%" PRIx64, value);
	if (result)
		gst_put(host, " result=%d", result);
	gst_put(host, "\n");
	if (a->kind == LAUNCH_EVENT && lie == LIE_LAUNCH_EVENT_IS_RECORD && a->runs) {
		/* As if it had been recorded in the stream, after the kernel. */
		put_call(host, w, a, i, lie, "call_event", "cuEventRecord");
		gst_put(host, " event=0x%x\ncall_exit corr=%d exit_ns=%" PRIu64 "\n",
			0x9000 + event, i + 100, a->exit);
	}
}

const struct gst_text *gst_world_text(const struct gst_world *w, enum lie lie, struct gst_random *r)
{
	static struct gst_source sources[THREADS_MAX + 1];
	static struct gst_text texts[2];
	static bool is_second;
	struct gst_text *t = &texts[is_second = !is_second];
	struct gst_source *device = &sources[w->threads];

	t->used = device->lines.used = 0;
	gst_put(t, "gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1\n");
	if (w->launch_blocking)
		gst_put(t, "variable name=\"CUDA_LAUNCH_BLOCKING\" value=\"1\"\n");
	for (int c = 0; c < (lie == LIE_ONE_CONTEXT ? 1 : w->ctxs); c++)
		gst_put(t, "context ctx=%d device=%d handle=0x%x null_stream=7\n", c + 1, c,
			0xc001 + c);
	for (int c = w->ctxs; c < w->contexts && lie != LIE_ONE_CONTEXT; c++) {
		gst_put(t, "context ctx=%d device=%d handle=0x%x", c + 1, w->primary[c],
			0xc001 + c);
		if (lie != LIE_GREEN_IS_ITS_OWN)
			gst_put(t, " parent=%d", w->primary[c] + 1);
		gst_put(t, " null_stream=%d\n", w->streams[legacy_of(w, c)].id);
	}
	for (int i = 0; i < w->stream_count; i++) {
		const struct gst_program_stream *s = &w->streams[i];

		/* A per-thread stream's definition does not say whose it is, or is missing. */
		if (s->kind == PER_THREAD && (s->id % 3 == 0 || lie == LIE_PER_THREAD_IS_LEGACY))
			continue;
		if (s->kind == LEGACY && s->ctx &&
		    (lie == LIE_ONE_CONTEXT || lie == LIE_GREEN_STREAM_IS_OF_PRIMARY))
			continue;
		if (s->is_defined && s->created_by < w->act_count)
			put_stream_def(t, w, s, lie);
	}
	for (int k = 0; k < w->threads; k++) {
		sources[k].lines.used = 0;
		snprintf(sources[k].chunk, sizeof(sources[k].chunk),
			 "chunk events process=1 thread=%d", k + 1);
	}
	for (int e = 0; e < w->event_count; e++)
		gst_put(&sources[0].lines,
			"call_event corr=%d enter_ns=%d api=cuEventCreate ctx=1\n"
			"call_exit corr=%d exit_ns=%d value=0x%x\n",
			9000 + e, 100 + e, 9000 + e, 100 + e, 0x9000 + e);
	for (int i = 0; i < REGIONS; i++)
		gst_put(&sources[0].lines,
			"call_memory corr=%d enter_ns=%d api=cuMemAlloc_v2 ctx=1 size=4096\n"
			"call_exit corr=%d exit_ns=%d value=0x%x\n",
			9100 + i, 200 + i, 9100 + i, 200 + i, 0x501000 + 0x1000 * i);
	snprintf(device->chunk, sizeof(device->chunk), "chunk events process=1");
	for (int i = 0; i < w->act_count; i++)
		put_act(&sources[w->acts[i].thread].lines, &device->lines, w, i, lie);
	gst_put_sources(t, sources, w->threads + 1, r);
	gst_put(t, "chunk defs process=1\nend time_ns=900000\n");
	return t;
}
