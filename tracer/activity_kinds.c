/*
 * activity_kinds.c - which kinds of activity CUPTI is asked for, and when.
 *
 * Role      : the start asks for most, a call of the program for the dear ones, the flusher for those that had to
 *             wait for a flush.
 * Method    : one table of kinds, each with its moment; what a version refuses by nature is no note.
 * Invariant : a kind is asked for once and stays on; attributes are set before the first one.
 * Not here  : what their records say (activity.c).
 */
#include "tracer/activity.h"
#include "tracer/clock.h"

#include <errno.h>

static void set_attribute(struct gst_activity *a, uint32_t attribute, uint8_t value)
{
	size_t size = sizeof(value);

	/* Refused by versions that do not have it: then CUPTI's own way stays. */
	if (a->cupti->cuptiActivitySetAttribute) {
		(void)a->cupti->cuptiActivitySetAttribute(attribute, &size, &value);
	}
}

static const struct {
	uint32_t kind;
	const char *name;
	enum gst_activity_when when;
} wanted_kinds[] = {
	/* Definitions first: their records come as soon as the kind is on. */
	{GST_CUPTI_KIND_DEVICE, "device", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_CONTEXT, "context", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_STREAM, "stream", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_CONCURRENT_KERNEL, "concurrent kernel", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_MEMCPY, "memcpy", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_MEMSET, "memset", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_GRAPH_TRACE, "graph", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_MEMORY2, "memory", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_OVERHEAD, "overhead", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_HOST_LAUNCH, "host function", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_GRAPH_HOST_NODE, "host node of a graph", GST_ACTIVITY_START},
	{GST_CUPTI_KIND_SYNCHRONIZATION, "synchronization", GST_ACTIVITY_EVENT_IDS},
	{GST_CUPTI_KIND_CUDA_EVENT, "event", GST_ACTIVITY_EVENT_IDS},
	{GST_CUPTI_KIND_MEMCPY2, "peer memcpy", GST_ACTIVITY_PEERS},
	{GST_CUPTI_KIND_DRIVER, "driver call", GST_ACTIVITY_CALLS},
	{GST_CUPTI_KIND_RUNTIME, "runtime call", GST_ACTIVITY_CALLS},
};
#define WANTED_KINDS (sizeof(wanted_kinds) / sizeof(wanted_kinds[0]))

static bool is_expected(const struct gst_activity *a, uint32_t kind, int result)
{
	/* Before 12.9 events come with synchronization and are no kind of their own. */
	return kind == GST_CUPTI_KIND_CUDA_EVENT && !gst_activity_has(a, GST_CUPTI_V_12_9) &&
	       result == GST_CUPTI_ERROR_INVALID_KIND;
}

/* Whether @kind is of this version, and adds to what else was asked for. */
static bool is_wanted(const struct gst_activity *a, uint32_t kind)
{
	switch (kind) {
	case GST_CUPTI_KIND_GRAPH_TRACE:
		return !a->options.graph_nodes;
	case GST_CUPTI_KIND_HOST_LAUNCH:
		return gst_activity_has(a, GST_CUPTI_V_13_1) && !a->options.host_wrap;
	case GST_CUPTI_KIND_GRAPH_HOST_NODE:
		return gst_activity_has(a, GST_CUPTI_V_13_1) && a->options.graph_nodes;
	default:
		return true;
	}
}

static uint32_t enable_kinds(struct gst_activity *a, enum gst_activity_when when)
{
	const struct gst_cupti *cupti = a->cupti;
	uint32_t enabled = 0;

	for (size_t i = 0; i < WANTED_KINDS; i++) {
		uint32_t kind = wanted_kinds[i].kind;
		int result;

		if (wanted_kinds[i].when != when || !is_wanted(a, kind)) {
			continue;
		}
		result = cupti->cuptiActivityEnable(kind);
		if (!result) {
			enabled++;
		} else if (!is_expected(a, kind, result)) {
			gst_notes_add(a->defs, a->strings, GST_NOTE_KIND_OFF, result,
				      wanted_kinds[i].name);
		}
	}
	if (when != GST_ACTIVITY_EVENT_IDS) {
		return enabled;
	}
	/* A loop that polls an event would fill the buffers with "not yet"; its calls are in the trace. */
	if (gst_activity_has(a, GST_CUPTI_V_12_8) && cupti->cuptiActivityEnableAllSyncRecords) {
		(void)cupti->cuptiActivityEnableAllSyncRecords(0);
	}
	if (a->options.event_times && gst_activity_has(a, GST_CUPTI_V_13_0) &&
	    cupti->cuptiActivityEnableCudaEventDeviceTimestamps) {
		(void)cupti->cuptiActivityEnableCudaEventDeviceTimestamps(1);
	}
	return enabled;
}

uint32_t gst_activity_enable(struct gst_activity *a, const struct gst_activity_options *options)
{
	const struct gst_cupti *cupti = a->cupti;
	uint32_t enabled;
	int result;

	/* All before the first kind is on and before a context exists. */
	set_attribute(a, GST_CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1);
	if (gst_activity_has(a, GST_CUPTI_V_12_3)) {
		set_attribute(a, GST_CUPTI_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0);
	}
	if (cupti->cuptiSetThreadIdType) {
		(void)cupti->cuptiSetThreadIdType(GST_CUPTI_THREAD_ID_SYSTEM);
	}
	a->options = *options;
	result = gst_activity_receive(a);
	if (result) {
		gst_notes_add(a->defs, a->strings, GST_NOTE_ACTIVITY_OFF, result,
			      "CUPTI takes no activity buffers: device records are off");
		return 0;
	}
	enabled = enable_kinds(a, GST_ACTIVITY_START);
	if (options->calls) {
		atomic_store(&a->asked[GST_ACTIVITY_CALLS], 1);
		enabled += enable_kinds(a, GST_ACTIVITY_CALLS);
	}
	/* Where no callback comes, none asks for them late. */
	if (options->event_times || options->event_ids == GST_EVENT_IDS_ALWAYS ||
	    (options->calls && options->event_ids != GST_EVENT_IDS_NEVER)) {
		atomic_store(&a->asked[GST_ACTIVITY_EVENT_IDS], 1);
		enabled += enable_kinds(a, GST_ACTIVITY_EVENT_IDS);
	}
	atomic_store(&a->is_ready, 1);
	return enabled;
}

void gst_activity_enable_late(struct gst_activity *a, enum gst_activity_when when)
{
	uint64_t none = 0;
	int saved_errno;

	if (atomic_load_explicit(&a->asked[when], memory_order_relaxed) ||
	    !atomic_load(&a->is_ready) ||
	    (when == GST_ACTIVITY_EVENT_IDS && a->options.event_ids == GST_EVENT_IDS_NEVER) ||
	    !gst_state_is_on(a->state) || atomic_load(&a->is_off)) {
		return;
	}
	if ((a->flush_since_ns && atomic_load(a->flush_since_ns)) ||
	    !atomic_compare_exchange_strong(&a->enable_since_ns, &none, gst_clock_mono_ns())) {
		atomic_store_explicit(&a->postponed[when], 1, memory_order_relaxed);
		return;
	}
	if (!atomic_exchange(&a->asked[when], 1)) {
		saved_errno = errno;
		(void)enable_kinds(a, when);
		errno = saved_errno;
	}
	atomic_store(&a->enable_since_ns, 0);
}

void gst_activity_enable_postponed(struct gst_activity *a)
{
	for (uint32_t when = 0; when < GST_ACTIVITY_WHEN_COUNT; when++) {
		if (atomic_exchange(&a->postponed[when], 0)) {
			gst_activity_enable_late(a, (enum gst_activity_when)when);
		}
	}
}

void gst_activity_disable(struct gst_activity *a)
{
	if (!a->cupti->cuptiActivityDisable || atomic_exchange(&a->is_off_said, 1)) {
		return;
	}
	for (size_t i = 0; i < WANTED_KINDS; i++) {
		enum gst_activity_when when = wanted_kinds[i].when;

		/* 13.0 deadlocks on this one. */
		if ((wanted_kinds[i].kind == GST_CUPTI_KIND_CONCURRENT_KERNEL &&
		     a->cupti->version == GST_CUPTI_V_13_0) ||
		    !is_wanted(a, wanted_kinds[i].kind) ||
		    (when != GST_ACTIVITY_START && !atomic_load(&a->asked[when]))) {
			continue;
		}
		(void)a->cupti->cuptiActivityDisable(wanted_kinds[i].kind);
	}
}
