/*
 * callbacks.c - CUDA calls as they happen.
 *
 * Role      : the host side of the trace.
 * Method    : at enter the parameters are read (call_params.c), then one record is committed; at exit the
 *             value behind the out-pointer, if the call succeeded.
 *             Calls inside a recorded call carry its correlation id: that is how they are known.
 * Invariant : out-pointers are read only at exit and only after success.
 * Not here  : the record of a call (call_record.c), which calls are open (open_calls.c), what is alive
 *             (call_objects.c), what a call orders (analyzer), when the GPU did it (activity.c).
 */
#include "tracer/callbacks.h"
#include "tracer/call_objects.h"
#include "tracer/call_params.h"
#include "tracer/call_record.h"
#include "tracer/open_calls.h"
#include "tracer/own_thread.h"
#include "tracer/resources.h"

#include <string.h>

#define CBID_PROFILER_START  308u
#define CBID_PROFILER_STOP   309u
#define CBID_MODULE_UNLOAD   22u
#define CBID_LAUNCH	     307u
#define CBID_LAUNCH_PTSZ     442u
#define CBID_MODULE_FUNCTION 23u
#define CBID_LIBRARY_UNLOAD  680u
#define CBID_LIBRARY_KERNEL  681u
#define CBID_KERNEL_FUNCTION 683u

/* Where there are no windows: one, and it is open. */
static struct gst_windows always = {.now = 1, .opened = 1, .is_plain = 1};

/* Classes of calls that make a record of an event, or mean one. */
#define EVENT_CLASSES                                                                          \
	(GST_CLASS_BIT(EVENT_RECORD) | GST_CLASS_BIT(EVENT_WAIT) | GST_CLASS_BIT(EVENT_SYNC) | \
	 GST_CLASS_BIT(EVENT_QUERY) | GST_CLASS_BIT(EVENT_ELAPSED))

/* Classes among which are calls after which handles of kernels, and addresses of their names, may mean others. */
#define UNLOAD_CLASSES \
	(GST_CLASS_BIT(MODULE) | GST_CLASS_BIT(CTX_DESTROY) | GST_CLASS_BIT(DEVICE_RESET))

/* Classes among which are calls that make an event part of a graph. */
#define GRAPH_EVENT_CLASSES                                                                     \
	(GST_CLASS_BIT(EVENT_RECORD) | GST_CLASS_BIT(EVENT_WAIT) | GST_CLASS_BIT(GRAPH_BUILD) | \
	 GST_CLASS_BIT(GRAPH_UPDATE))

_Static_assert(GST_API_CLASS_COUNT < 64, "a class is a bit");

void gst_callbacks_init(struct gst_callbacks *cb, const struct gst_state *state,
			struct gst_threads *threads, struct gst_loss *loss,
			struct gst_intern *strings, struct gst_lane *defs)
{
	cb->state = state;
	cb->threads = threads;
	cb->loss = loss;
	cb->strings = strings;
	cb->defs = defs;
	cb->windows = &always;
	for (size_t i = 0; i < gst_api_count(); i++) {
		const struct gst_api *api = gst_api_at(i);
		uint32_t domain = api->api >> 16;
		uint32_t cbid = api->api & 0xffff;

		if (gst_api_is_recorded(api) && domain - 1 < 2 && cbid < GST_CALLBACKS_CBIDS) {
			cb->apis[domain - 1][cbid] = api;
		}
	}
}

uint32_t gst_callbacks_enable(struct gst_callbacks *cb, const struct gst_cupti *cupti,
			      bool has_runtime)
{
	static const char *const missing[] = {
		"CUPTI enabled no driver callback: launches, asynchronous copies and events are not in "
		"the trace",
		"CUPTI enabled no runtime callback: synchronous calls appear as the driver calls inside",
	};
	uint32_t last = has_runtime ? GST_CUPTI_DOMAIN_RUNTIME : GST_CUPTI_DOMAIN_DRIVER;
	uint32_t enabled = 0;

	for (uint32_t domain = GST_CUPTI_DOMAIN_DRIVER; domain <= last; domain++) {
		uint32_t before = enabled;

		for (uint32_t cbid = 0; cbid < GST_CALLBACKS_CBIDS; cbid++) {
			if (cb->apis[domain - 1][cbid] &&
			    !cupti->cuptiEnableCallback(1, cupti->subscriber, domain, cbid)) {
				enabled++;
			}
		}
		if (enabled == before) {
			gst_notes_add(cb->defs, cb->strings, GST_NOTE_CALLBACK_OFF, (int32_t)domain,
				      missing[domain - GST_CUPTI_DOMAIN_DRIVER]);
		}
	}
	/* They give handles of kernels: not recorded, but looked at for their names. Refused: names are missing. */
	(void)cupti->cuptiEnableCallback(1, cupti->subscriber, GST_CUPTI_DOMAIN_DRIVER,
					 CBID_MODULE_FUNCTION);
	(void)cupti->cuptiEnableCallback(1, cupti->subscriber, GST_CUPTI_DOMAIN_DRIVER,
					 CBID_LIBRARY_KERNEL);
	(void)cupti->cuptiEnableCallback(1, cupti->subscriber, GST_CUPTI_DOMAIN_DRIVER,
					 CBID_KERNEL_FUNCTION);
	gst_resources_enable(cb, cupti);
	if (cupti->version >= GST_CUPTI_V_12_2) {
		/* To learn that CUPTI gave up; without it, the missing records tell. */
		(void)cupti->cuptiEnableCallback(1, cupti->subscriber, GST_CUPTI_DOMAIN_STATE,
						 GST_CUPTI_STATE_FATAL_ERROR);
	}
	return enabled;
}

/* The kernel that a call makes a graph node of, as a string; 0 = none or not known. */
static uint32_t kernel_name(struct gst_callbacks *cb, const struct gst_call_params *d)
{
	return d->kernel ? gst_intern(cb->strings,
				      gst_kernel_names_find(&cb->kernel_names, d->kernel))
			 : 0;
}

/* What says which ports the edges leave that the call makes. */
static const void *edge_params(const struct gst_api *api,
			       const struct gst_cupti_callback_data *data)
{
	return api->class_id == GST_API_CLASS_GRAPH_BUILD ? data->functionParams : NULL;
}

/* cudaProfilerStart and Stop: the call itself is the first, or the last, of its window. */
static uint32_t turn_window(struct gst_callbacks *cb, const struct gst_api *api, uint32_t corr,
			    uint32_t now)
{
	bool is_start = api->api == GST_API_ID(GST_API_DOMAIN_DRIVER, CBID_PROFILER_START);
	bool is_opened = false;
	struct gst_own_signals signals;

	if (!is_start && api->api != GST_API_ID(GST_API_DOMAIN_DRIVER, CBID_PROFILER_STOP)) {
		return now;
	}
	/* A handler that left it by longjmp() would leave it half done, and no window could open or close again. */
	gst_own_signals_hold_all(&signals);
	if (is_start) {
		is_opened = gst_windows_open(cb->windows, corr);
	} else {
		(void)gst_windows_close(cb->windows, corr);
	}
	gst_own_signals_let_in(&signals);
	if (is_opened) {
		gst_pool_wake(cb->threads->pool);
	}
	/* The call that closes a window is in it. */
	return is_start ? gst_windows_now(cb->windows) : now;
}

/* Whether the call puts work into the per-thread default stream of its thread. */
static bool is_own_stream(const struct gst_api *api, uint64_t stream)
{
	if (stream == GST_CU_STREAM_PER_THREAD) {
		return true;
	}
	return !stream && api->flags & (GST_API_PTSZ | GST_API_PTDS) &&
	       api->class_id != GST_API_CLASS_STREAM_SYNC &&
	       api->class_id != GST_API_CLASS_STREAM_QUERY;
}

/* A host function is about to go into a stream: run it through ours, if that was asked for. */
static uint32_t wrap_host_function(struct gst_callbacks *cb, const struct gst_api *api,
				   const struct gst_cupti_callback_data *data, uint64_t stream)
{
	uint32_t id;

	if ((api->layout != GST_PARAMS_HOST_FUNC && api->layout != GST_PARAMS_STREAM_CALLBACK) ||
	    !data->functionParams) {
		return 0;
	}
	id = gst_resources_stream_id(cb, api, data, stream);
	return gst_host_wrap_take(cb->host_wrap, api, (void *)(uintptr_t)data->functionParams,
				  data->correlationId, data->contextUid, id ? id : GST_ID_NONE);
}

/* Captures are counted from before they begin until after they ended, recorded or not. */
static void follow_capture(struct gst_callbacks *cb, const struct gst_api *api,
			   const struct gst_cupti_callback_data *data)
{
	bool is_exit = data->callbackSite == GST_CUPTI_API_EXIT;
	int32_t result = 0;

	if (is_exit && data->functionReturnValue) {
		memcpy(&result, data->functionReturnValue, sizeof(result));
	}
	if (api->class_id == GST_API_CLASS_CAPTURE_BEGIN) {
		if (!is_exit || result) {
			gst_host_wrap_capture(cb->host_wrap, is_exit ? -1 : 1);
		}
	} else if (is_exit && (!result || result == GST_CU_ERROR_CAPTURE_INVALIDATED)) {
		gst_host_wrap_capture(cb->host_wrap, -1);
	}
}

/*
 * In two halves: for the whole gcc takes `rep stos`, whose start alone is a tenth of what a call costs us
 * (tools/bench_tracer).
 */
static void clear_data(struct gst_call_params *d)
{
	_Static_assert(sizeof(*d) <= 128, "each half is a few vector stores");
	memset(d, 0, sizeof(*d) / 2);
	memset((unsigned char *)d + sizeof(*d) / 2, 0, sizeof(*d) - sizeof(*d) / 2);
}

/* The first thread that uses events needs no numbers of CUPTI's: its calls are in order. */
static void note_event_user(struct gst_callbacks *cb, struct gst_thread_slot *slot)
{
	struct gst_thread_slot *first = atomic_load_explicit(&cb->event_user, memory_order_relaxed);

	if (first == slot ||
	    (!first && atomic_compare_exchange_strong(&cb->event_user, &first, slot)) ||
	    atomic_load(&cb->is_cupti_dead)) {
		return;
	}
	gst_activity_enable_late(cb->activity, GST_ACTIVITY_EVENT_IDS);
}

/* Records and waits that a graph makes at each launch are no calls: only CUPTI's numbers tell which is which. */
static void note_event_of_graph(struct gst_callbacks *cb, const struct gst_api *api,
				const struct gst_call_params *d)
{
	bool is_external = (api->class_id == GST_API_CLASS_EVENT_RECORD ||
			    api->class_id == GST_API_CLASS_EVENT_WAIT) &&
			   d->flags & (GST_CU_EVENT_RECORD_EXTERNAL | GST_CU_EVENT_WAIT_EXTERNAL);

	if ((is_external || d->event) && cb->activity && !atomic_load(&cb->is_cupti_dead)) {
		gst_activity_enable_late(cb->activity, GST_ACTIVITY_EVENT_IDS);
	}
}

/* A call that is not recorded, but followed. @segment: of the window that is open. */
static void push_silent(struct gst_callbacks *cb, struct gst_thread_slot *slot,
			const struct gst_api *api, const struct gst_cupti_callback_data *data,
			const struct gst_call_params *d, uint32_t segment)
{
	struct gst_open_call *open =
		gst_open_calls_push(slot, data->correlationId, api->api, d->out);

	open->is_silent = true;
	open->segment = segment;
	open->params = edge_params(api, data);
	open->name = kernel_name(cb, d);
	gst_call_objects_note(open, api, d);
}

/* ---- a launch as it mostly is ---- */

/*
 * What follows is on_enter() and on_exit_call() once more, for cuLaunchKernel when nothing is special about it. All
 * that they do beside the record is to look at what may be; a callback comes so seldom that each line of cache of
 * code or data it needs is fetched anew, some ns each, and that is most of what it costs (docs/PERFORMANCE.md).
 */
#define LAUNCH_BYTES ((uint32_t)offsetof(struct gst_rec_call_launch, event))
#define EXIT_BYTES   ((uint32_t)offsetof(struct gst_rec_call_exit, exit_ns) + 8u)

static void keep_name(struct gst_thread_slot *slot, const struct gst_cupti_callback_data *data,
		      uint32_t id, uint32_t epoch)
{
	const struct gst_cu_launch *launch = data->functionParams;
	struct gst_name_near *near = &slot->names[gst_thread_name_place(launch->f)];

	/* A signal handler may leave by a jump in the middle: then nothing is known. */
	near->id = 0;
	atomic_signal_fence(memory_order_seq_cst);
	near->function = launch->f;
	near->text = data->symbolName;
	near->epoch = epoch;
	atomic_signal_fence(memory_order_seq_cst);
	near->id = id;
}

static bool is_launch(uint32_t domain, uint32_t cbid)
{
	return domain == GST_CUPTI_DOMAIN_DRIVER &&
	       (cbid == CBID_LAUNCH || cbid == CBID_LAUNCH_PTSZ);
}

/* The name's id, if it is known and nothing about the launch is special; else 0. */
static inline uint32_t plain_launch(const struct gst_callbacks *cb,
				    const struct gst_thread_slot *slot, uint32_t cbid,
				    const struct gst_cupti_callback_data *data)
{
	const struct gst_cu_launch *launch = data->functionParams;
	const struct gst_name_near *near;
	uint64_t stream;

	if (!launch) {
		return 0;
	}
	stream = gst_handle(launch->hStream);
	near = &slot->names[gst_thread_name_place(launch->f)];
	if (near->function != launch->f || near->text != data->symbolName ||
	    near->epoch != atomic_load_explicit(&cb->names_epoch, memory_order_relaxed) ||
	    stream == GST_CU_STREAM_PER_THREAD || (!stream && cbid == CBID_LAUNCH_PTSZ)) {
		return 0;
	}
	return near->id;
}

/* False: nothing was done. */
static inline bool enter_launch(const struct gst_callbacks *cb, struct gst_thread_slot *slot,
				uint32_t cbid, const struct gst_cupti_callback_data *data,
				uintptr_t here)
{
	const struct gst_cu_launch *launch = data->functionParams;
	uint32_t now = gst_windows_now(cb->windows);
	struct gst_page *page = slot->page;
	struct gst_open_call *call = &slot->calls[0];
	struct gst_rec_call_launch *r;
	uint32_t name;

	if (slot->busy_at || slot->depth || !page || !gst_windows_is_open(now) ||
	    page->segment != gst_windows_segment(now) ||
	    page->room - page->position <
		    LAUNCH_BYTES + (uint32_t)sizeof(struct gst_rec_call_exit)) {
		return false;
	}
	slot->busy_at = here;
	atomic_signal_fence(memory_order_seq_cst);
	name = plain_launch(cb, slot, cbid, data);
	if (!name) {
		gst_thread_leave(slot);
		return false;
	}
	r = (void *)(page->body + page->position);
	r->api = GST_API_ID(GST_CUPTI_DOMAIN_DRIVER, cbid);
	r->ctx = data->contextUid;
	r->stream = gst_handle(launch->hStream);
	r->flags = 0;
	r->name = name;
	if (!slot->is_bare) {
		memset(call, 0, sizeof(*call));
		atomic_signal_fence(memory_order_seq_cst);
		slot->is_bare = 1;
	}
	call->corr = data->correlationId;
	call->api = GST_API_ID(GST_CUPTI_DOMAIN_DRIVER, cbid);
	call->segment = page->segment;
	call->name = name;
	/* The clock last: our own work is not the call's. */
	r->enter_ns = gst_call_clock_now(&slot->clock);
	gst_chunk_commit(page, GST_KIND_CALL_LAUNCH, LAUNCH_BYTES, data->correlationId);
	slot->depth = 1;
	gst_thread_leave(slot);
	return true;
}

/* Whether the call that returns is the one that enter_launch() opened, and returns as it mostly does. */
static inline bool is_plain_return(const struct gst_thread_slot *slot, uint32_t cbid,
				   const struct gst_cupti_callback_data *data)
{
	const struct gst_page *page = slot->page;
	const struct gst_open_call *call = &slot->calls[0];
	int32_t result;

	if (slot->depth != 1 || !slot->is_bare || !page || call->corr != data->correlationId ||
	    call->api != GST_API_ID(GST_CUPTI_DOMAIN_DRIVER, cbid) ||
	    page->segment != call->segment || page->room - page->position < EXIT_BYTES ||
	    !data->functionReturnValue) {
		return false;
	}
	memcpy(&result, data->functionReturnValue, sizeof(result));
	return !result;
}

/* False: nothing was done, but *@now may be when the call returned. */
static inline bool leave_launch(struct gst_thread_slot *slot, uint32_t cbid,
				const struct gst_cupti_callback_data *data, uintptr_t here,
				uint64_t *now)
{
	struct gst_page *page = slot->page;
	struct gst_rec_call_exit *r;

	/* Before the clock, too, which a signal handler's calls must not read meanwhile. */
	if (slot->busy_at) {
		return false;
	}
	slot->busy_at = here;
	atomic_signal_fence(memory_order_seq_cst);
	/* The clock first: our own work is not the call's. */
	*now = gst_call_clock_now(&slot->clock);
	if (!is_plain_return(slot, cbid, data)) {
		gst_thread_leave(slot);
		return false;
	}
	r = (void *)(page->body + page->position);
	r->exit_ns = *now;
	slot->depth = 0;
	gst_chunk_commit(page, GST_KIND_CALL_EXIT, EXIT_BYTES, data->correlationId);
	gst_chunk_fetch_next(page);
	gst_thread_leave(slot);
	return true;
}

static void on_enter(struct gst_callbacks *cb, struct gst_thread_slot *slot,
		     const struct gst_api *api, const struct gst_cupti_callback_data *data)
{
	union gst_call_record r;
	struct gst_call_params d;
	struct gst_open_call *open;
	uint32_t now = gst_windows_now(cb->windows);
	bool has_state = cb->objects && gst_call_objects_have(api);
	uint32_t bytes, epoch;
	struct gst_page *page;
	void *place;

	if (__builtin_expect(api->flags & GST_API_PEER, 0) && cb->activity &&
	    !atomic_load(&cb->is_cupti_dead)) {
		gst_activity_enable_late(cb->activity, GST_ACTIVITY_PEERS);
	}
	if (__builtin_expect(EVENT_CLASSES >> api->class_id & 1, 0) && cb->activity) {
		note_event_user(cb, slot);
	}
	if (gst_open_calls_make(cb, slot, api, data->correlationId)) {
		return;
	}
	if (__builtin_expect(api->class_id == GST_API_CLASS_PROFILER, 0)) {
		now = turn_window(cb, api, data->correlationId, now);
	}
	if (__builtin_expect(!gst_windows_is_open(now), 0)) {
		if (has_state) {
			clear_data(&d);
			if (data->functionParams) {
				gst_call_params_read(&d, api, data->functionParams);
			}
			note_event_of_graph(cb, api, &d);
			push_silent(cb, slot, api, data, &d, GST_SEGMENT_NONE);
		}
		return;
	}
	clear_data(&d);
	memset(&r, 0, sizeof(r));
	if (data->functionParams) {
		gst_call_params_read(&d, api, data->functionParams);
	}
	if (__builtin_expect(GRAPH_EVENT_CLASSES >> api->class_id & 1, 0)) {
		note_event_of_graph(cb, api, &d);
	}
	epoch = atomic_load(&cb->names_epoch);
	r.prefix.api = api->api;
	r.prefix.ctx = data->contextUid;
	r.prefix.stream = d.stream;
	bytes = gst_call_record_fill(&r, api, &d, data, cb->strings);
	if (api->layout == GST_PARAMS_LAUNCH && data->functionParams) {
		keep_name(slot, data, r.launch.name, epoch);
	}
	/* With room for its exit: a call without one must be a call that did not return. */
	place = gst_thread_reserve(cb->threads, slot,
				   bytes + (uint32_t)sizeof(struct gst_rec_call_exit),
				   gst_windows_segment(now));
	if (!place) {
		gst_loss_add(cb->loss, r.head.kind, GST_LOSS_NO_CHUNK, 1);
		/* What it does to objects is known all the same. */
		if (has_state) {
			push_silent(cb, slot, api, data, &d, gst_windows_segment(now));
		}
		return;
	}
	page = slot->page;
	/* The clock last: our own work is not the call's. */
	r.prefix.enter_ns = gst_call_clock_now(&slot->clock);
	bytes = gst_record_trim(&r, bytes);
	memcpy((unsigned char *)place + sizeof(r.head), (unsigned char *)&r + sizeof(r.head),
	       bytes - sizeof(r.head));
	gst_chunk_commit(page, r.head.kind, bytes, data->correlationId);
	if (__builtin_expect(gst_call_record_is_memop(api), 0)) {
		gst_call_record_put_memops(cb, slot, api, &d, gst_windows_segment(now),
					   data->correlationId);
	}
	open = gst_open_calls_push(slot, data->correlationId, api->api, d.out);
	open->segment = gst_windows_segment(now);
	open->is_own = is_own_stream(api, d.stream);
	open->name = r.head.kind == GST_KIND_CALL_LAUNCH ? r.launch.name : kernel_name(cb, &d);
	open->params = edge_params(api, data);
	if (has_state) {
		gst_call_objects_note(open, api, &d);
	}
	/* Last: nothing after this may fail. */
	if (__builtin_expect(cb->host_wrap != NULL, 0)) {
		open->wrapped = wrap_host_function(cb, api, data, d.stream);
	}
}

/* Errors that work on the device left behind: every later call of the context gives them too. Same in both domains. */
static bool is_asynchronous(int32_t result)
{
	static const uint16_t codes[] = {
		214, /* uncorrectable ECC error */
		220, /* uncorrectable NVLink error */
		226, /* contained error */
		700, /* illegal address */
		702, /* launch timeout */
		710, /* assertion in a kernel */
		714, /* hardware stack error */
		715, /* illegal instruction */
		716, /* misaligned address */
		717, /* invalid address space */
		718, /* invalid program counter */
		719, /* launch failed */
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (result == codes[i]) {
			return true;
		}
	}
	return false;
}

/* Once: the first call that shows it. What failed was put into a stream earlier. */
static void note_error(struct gst_callbacks *cb, int32_t result, uint32_t corr)
{
	struct gst_rec_note note = {
		.head = gst_record_head(GST_KIND_NOTE, sizeof(note), corr),
		.code = GST_NOTE_ASYNC_ERROR,
		.detail = result,
		.time_ns = gst_clock_mono_ns(),
	};

	if (!is_asynchronous(result) || atomic_exchange(&cb->is_error_said, 1)) {
		return;
	}
	note.text = gst_intern(cb->strings,
			       "a call returned an error of work that was submitted earlier: "
			       "this is the first one that shows it");
	(void)gst_lane_put_one(cb->defs, &note, sizeof(note));
}

static void on_exit_call(struct gst_callbacks *cb, struct gst_thread_slot *slot,
			 const struct gst_api *api, const struct gst_cupti_callback_data *data,
			 uint64_t now)
{
	struct gst_rec_call_exit r = {.exit_ns = now};
	const struct gst_open_call *call =
		gst_open_calls_close(slot, data->correlationId, api->api);
	uint32_t bytes;
	void *place;

	if (!call) {
		return; /* a nested call, or one whose enter was lost */
	}
	if (data->functionReturnValue) {
		memcpy(&r.result, data->functionReturnValue, sizeof(r.result));
	}
	if (r.result == GST_CU_SUCCESS) {
		if (call->out) {
			memcpy(&r.value, call->out, sizeof(r.value));
		}
		if (call->object | call->extra | r.value && cb->objects) {
			gst_call_objects_follow(cb, api, call, r.value, data->contextUid);
		}
	}
	if (__builtin_expect(r.result && r.result != GST_CU_ERROR_NOT_READY, 0)) {
		note_error(cb, r.result, call->corr);
	}
	if (__builtin_expect(call->is_own && slot->owner_told != data->contextUid, 0) &&
	    r.result == GST_CU_SUCCESS) {
		gst_resources_tell_owner(cb, slot, data);
	}
	if (__builtin_expect(call->wrapped != 0, 0)) {
		if (r.result == GST_CU_SUCCESS) {
			gst_host_wrap_returned(cb->host_wrap, call->wrapped);
		} else {
			gst_host_wrap_cancel(cb->host_wrap, call->wrapped);
		}
	}
	if (call->is_silent) {
		return;
	}
	r.head.kind = GST_KIND_CALL_EXIT;
	bytes = gst_record_trim(&r, sizeof(r));
	place = gst_thread_reserve(cb->threads, slot, bytes, call->segment);
	if (!place) {
		gst_loss_add(cb->loss, GST_KIND_CALL_EXIT, GST_LOSS_NO_CHUNK, 1);
		return;
	}
	memcpy((unsigned char *)place + sizeof(r.head), (unsigned char *)&r + sizeof(r.head),
	       bytes - sizeof(r.head));
	gst_chunk_commit(slot->page, GST_KIND_CALL_EXIT, bytes, data->correlationId);
}

static void on_state(struct gst_callbacks *cb, uint32_t cbid,
		     const struct gst_cupti_state_data *data)
{
	if (cbid != GST_CUPTI_STATE_FATAL_ERROR || atomic_exchange(&cb->is_cupti_dead, 1)) {
		return;
	}
	gst_notes_add(cb->defs, cb->strings, GST_NOTE_CUPTI_FATAL, data ? (int32_t)data->result : 0,
		      data ? data->message : NULL);
}

/* A call that gives a handle of a kernel has returned. */
static void on_kernel_handle(struct gst_callbacks *cb, uint32_t cbid,
			     const struct gst_cupti_callback_data *data)
{
	const struct gst_cu_get_kernel *get = data->functionParams;
	const struct gst_cu_get_function *alias = data->functionParams;
	int32_t result = 0;

	if (data->callbackSite != GST_CUPTI_API_EXIT || !data->functionParams) {
		return;
	}
	if (data->functionReturnValue) {
		memcpy(&result, data->functionReturnValue, sizeof(result));
	}
	if (result) {
		return;
	}
	if (cbid == CBID_KERNEL_FUNCTION) {
		if (alias->function) {
			gst_kernel_names_alias(&cb->kernel_names, gst_handle(*alias->function),
					       gst_handle(alias->kernel));
		}
	} else if (get->kernel) {
		gst_kernel_names_add(&cb->kernel_names, gst_handle(*get->kernel), get->name);
	}
}

/* A call that is neither recorded nor followed. */
static void miss(struct gst_callbacks *cb, const struct gst_api *api, uint32_t reason)
{
	gst_loss_add(cb->loss, 0, reason, 1);
	if (cb->objects && gst_call_objects_have(api)) {
		atomic_store(&cb->objects->is_use_missed, 1);
	}
}

static __attribute__((noinline)) void on_any_event(struct gst_callbacks *cb, uint32_t domain,
						   uint32_t cbid, const void *cbdata,
						   uintptr_t here, uint64_t now)
{
	const struct gst_cupti_callback_data *data = cbdata;
	struct gst_thread_slot *slot;
	const struct gst_api *api;
	bool was_left;

	if (domain == GST_CUPTI_DOMAIN_RESOURCE) {
		gst_resources_on_event(cb, cbid, cbdata);
		return;
	}
	if (domain == GST_CUPTI_DOMAIN_STATE) {
		on_state(cb, cbid, cbdata);
		return;
	}
	if (domain - 1 >= 2 || cbid >= GST_CALLBACKS_CBIDS || !data) {
		return;
	}
	api = cb->apis[domain - 1][cbid];
	if (!api) {
		if (domain == GST_CUPTI_DOMAIN_DRIVER &&
		    (cbid == CBID_MODULE_FUNCTION || cbid == CBID_LIBRARY_KERNEL ||
		     cbid == CBID_KERNEL_FUNCTION)) {
			on_kernel_handle(cb, cbid, data);
		}
		return;
	}
	if (__builtin_expect(UNLOAD_CLASSES >> api->class_id & 1, 0)) {
		/* At enter and at exit. */
		atomic_fetch_add(&cb->names_epoch, 1);
	}
	if (__builtin_expect(api->class_id == GST_API_CLASS_MODULE, 0) &&
	    domain == GST_CUPTI_DOMAIN_DRIVER && data->callbackSite == GST_CUPTI_API_ENTER &&
	    (cbid == CBID_MODULE_UNLOAD || cbid == CBID_LIBRARY_UNLOAD)) {
		/* Before its handles can come again: what others learn meanwhile stays. */
		gst_kernel_names_forget(&cb->kernel_names);
	}
	if (__builtin_expect(!atomic_load_explicit(&cb->is_called, memory_order_relaxed), 0)) {
		atomic_store_explicit(&cb->is_called, 1, memory_order_relaxed);
	}
	if (__builtin_expect(cb->host_wrap != NULL, 0) &&
	    (api->class_id == GST_API_CLASS_CAPTURE_BEGIN ||
	     api->class_id == GST_API_CLASS_CAPTURE_END)) {
		follow_capture(cb, api, data);
	}
	slot = gst_threads_self(cb->threads);
	if (!slot) {
		miss(cb, api, GST_LOSS_NO_THREAD_SLOT);
		return;
	}
	/* A signal handler that interrupted us and calls CUDA: its record cannot go into our page. */
	was_left = slot->busy_at != 0;
	if (!gst_thread_enter(cb->threads, slot, here)) {
		miss(cb, api, GST_LOSS_BUSY);
		return;
	}
	/* By a jump: what that call did to objects is not known. */
	if (__builtin_expect(was_left && cb->objects, 0)) {
		atomic_store(&cb->objects->is_use_missed, 1);
	}
	if (data->callbackSite == GST_CUPTI_API_ENTER) {
		on_enter(cb, slot, api, data);
	} else {
		on_exit_call(cb, slot, api, data, now ? now : gst_call_clock_now(&slot->clock));
	}
	gst_thread_leave_call(slot);
}

void gst_callbacks_on_event(void *user, uint32_t domain, uint32_t cbid, const void *cbdata)
{
	const struct gst_cupti_callback_data *data = cbdata;
	struct gst_thread_slot *slot = gst_threads_current();
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct gst_callbacks *cb = user;
	uint64_t now = 0;

	if (!gst_state_is_on(cb->state)) {
		return;
	}
	if (is_launch(domain, cbid) && slot && data) {
		if (data->callbackSite == GST_CUPTI_API_ENTER
			    ? enter_launch(cb, slot, cbid, data, here)
			    : leave_launch(slot, cbid, data, here, &now)) {
			return;
		}
	}
	on_any_event(cb, domain, cbid, cbdata, here, now);
}
