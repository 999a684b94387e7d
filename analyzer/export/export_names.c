/*
 * export_names.c - tables of words for enums.
 *
 * Role      : JSON, Perfetto and SQLite say the same word for the same thing.
 * Method    : values of the format come from its own table; ours are switches without default, so that
 *             the compiler lists what is missing.
 * Not here  : labels for people (gst_model_op_label), texts of rules (order.h).
 */
#include "analyzer/export/export_names.h"

#include <inttypes.h>

#include "tracer/format/api.h"

static const struct value {
	const char *tag, *text;
	uint32_t value;
} values[] = {
#define GST_X(tag, prefix, value, name, text) {#tag, text, value},
	GST_FORMAT_ENUMS(GST_X)
#undef GST_X
};

static const char *find(const char *tag, uint32_t value)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (values[i].value == value && strcmp(values[i].tag, tag) == 0) {
			return values[i].text;
		}
	}
	return "unknown";
}

const char *gst_name_copy_kind(uint32_t value)
{
	return find("copy_kind", value);
}

const char *gst_name_memory_kind(uint32_t value)
{
	return find("memory_kind", value);
}

const char *gst_name_loss_reason(uint32_t value)
{
	return find("loss_reason", value);
}

const char *gst_name_note_code(uint32_t value)
{
	return find("note_code", value);
}

const char *gst_name_op_kind(uint32_t kind)
{
	switch ((enum gst_op_kind)kind) {
	case GST_OP_KERNEL:
		return "kernel";
	case GST_OP_MEMCPY:
		return "memcpy";
	case GST_OP_MEMSET:
		return "memset";
	case GST_OP_HOST_FUNC:
		return "host-function";
	case GST_OP_EVENT_RECORD:
		return "event-record";
	case GST_OP_EVENT_WAIT:
		return "event-wait";
	case GST_OP_GRAPH_LAUNCH:
		return "graph-launch";
	case GST_OP_ALLOC:
		return "alloc";
	case GST_OP_FREE:
		return "free";
	case GST_OP_MEMOP:
		return "memory-op";
	case GST_OP_OPAQUE:
		return "other";
	case GST_OP_KIND_COUNT:
		break;
	}
	return "unknown";
}

const char *gst_name_node_type(uint32_t type)
{
	static const char *const names[] = {
		[GST_NODE_UNKNOWN] = "unknown",
		[GST_NODE_KERNEL] = "kernel",
		[GST_NODE_MEMCPY] = "memcpy",
		[GST_NODE_MEMSET] = "memset",
		[GST_NODE_HOST] = "host-function",
		[GST_NODE_GRAPH] = "child-graph",
		[GST_NODE_EMPTY] = "empty",
		[GST_NODE_WAIT_EVENT] = "event-wait",
		[GST_NODE_RECORD_EVENT] = "event-record",
		[GST_NODE_SEMAPHORE_SIGNAL] = "semaphore-signal",
		[GST_NODE_SEMAPHORE_WAIT] = "semaphore-wait",
		[GST_NODE_ALLOC] = "alloc",
		[GST_NODE_FREE] = "free",
		[GST_NODE_MEMOPS] = "memory-op",
		[GST_NODE_CONDITIONAL] = "conditional",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

const char *gst_name_port(uint32_t port)
{
	static const char *const names[] = {
		[GST_PORT_UNKNOWN] = "unknown",
		[GST_PORT_DEFAULT] = "default",
		[GST_PORT_PROGRAMMATIC] = "programmatic",
		[GST_PORT_LAUNCH_ORDER] = "launch-order",
		[GST_PORT_OTHER] = "other",
	};

	return port < sizeof(names) / sizeof(names[0]) ? names[port] : "unknown";
}

const char *gst_name_stream_kind(uint32_t kind)
{
	switch ((enum gst_stream_kind)kind) {
	case GST_STREAM_KIND_BLOCKING:
		return "blocking";
	case GST_STREAM_KIND_NONBLOCKING:
		return "nonblocking";
	case GST_STREAM_KIND_LEGACY:
		return "legacy";
	case GST_STREAM_KIND_PER_THREAD:
		return "per-thread";
	case GST_STREAM_KIND_UNKNOWN:
		break;
	}
	return "unknown";
}

const char *gst_name_strength(enum gst_strength s)
{
	switch (s) {
	case GST_DOCUMENTED:
		return "documented";
	case GST_POSSIBLE:
		return "possible";
	case GST_OBSERVED:
		return "observed";
	case GST_DISPROVED:
		return "disproved";
	}
	return "unknown";
}

const char *gst_name_form(uint32_t form)
{
	switch ((enum gst_form)form) {
	case GST_END_BEGIN:
		return "end-begin";
	case GST_BEGIN_BEGIN:
		return "begin-begin";
	case GST_ENTER_BEGIN:
		return "enter-begin";
	case GST_END_EXIT:
		return "end-exit";
	case GST_EXIT_ENTER:
		return "exit-enter";
	}
	return "unknown";
}

void gst_name_api(uint32_t api, char *buf, size_t size)
{
	const struct gst_api *known = gst_api_find(api);

	if (known) {
		snprintf(buf, size, "%s", known->name);
	} else {
		snprintf(buf, size, "%s call %" PRIu32,
			 api >> 16 == GST_API_DOMAIN_RUNTIME ? "runtime" : "driver", api & 0xffff);
	}
}
