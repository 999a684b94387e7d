/*
 * api.c - lookups in the table of CUDA calls.
 *
 * Role      : callbacks.c asks what a callback id is; load/ and the text form ask for names.
 * Method    : api.def is sorted by domain and cbid: one binary search. Two generated lists of
 *             indexes hold the same table by symbol, and one entry per name: one more each.
 * Invariant : the table is sorted, symbols are unique, the lists are sorted (api_test.c).
 * Not here  : parameter structs (tracer/cupti_abi.h), what a call orders (analyzer/order).
 */
#include "tracer/format/api.h"

#include <string.h>

#include "tracer/format/format.h"

#define GST_API(domain, cbid, symbol_, name_, class_, flags_, layout_) \
	{GST_API_ID(GST_API_DOMAIN_##domain, cbid),                    \
	 flags_,                                                       \
	 GST_API_CLASS_##class_,                                       \
	 GST_PARAMS_##layout_,                                         \
	 #symbol_,                                                     \
	 #name_},
static const struct gst_api table[] = {
#include "tracer/format/api.def"
};
#undef GST_API

#define TABLE_COUNT (sizeof(table) / sizeof(table[0]))

#define GST_API_BY_SYMBOL(...) static const uint16_t by_symbol[] = {__VA_ARGS__};
#define GST_API_BY_NAME(...)   static const uint16_t by_name[] = {__VA_ARGS__};
#include "tracer/format/api_order.def"

_Static_assert(sizeof(by_symbol) / sizeof(by_symbol[0]) == TABLE_COUNT, "every entry has a symbol");

/* In the order of enum gst_api_class. */
static const char *const class_names[] = {
	"OTHER",	   "LAUNCH",	    "COPY",	     "MEMSET",
	"EVENT_CREATE",	   "EVENT_RECORD",  "EVENT_WAIT",    "EVENT_SYNC",
	"EVENT_QUERY",	   "EVENT_DESTROY", "EVENT_ELAPSED", "STREAM_CREATE",
	"STREAM_DESTROY",  "STREAM_SYNC",   "STREAM_QUERY",  "CTX_SYNC",
	"CTX_CREATE",	   "CTX_DESTROY",   "DEVICE_RESET",  "HOST_FUNC",
	"STREAM_CALLBACK", "CAPTURE_BEGIN", "CAPTURE_END",   "GRAPH_INSTANTIATE",
	"GRAPH_LAUNCH",	   "GRAPH_UPLOAD",  "GRAPH_UPDATE",  "GRAPH_DESTROY",
	"GRAPH_BUILD",	   "ALLOC",	    "FREE",	     "ALLOC_ASYNC",
	"FREE_ASYNC",	   "HOST_ALLOC",    "HOST_FREE",     "HOST_REGISTER",
	"HOST_UNREGISTER", "POOL",	    "PREFETCH",	     "MEMOP",
	"MODULE",	   "LIMIT",	    "PEER",	     "PROFILER",
};

_Static_assert(sizeof(class_names) / sizeof(class_names[0]) == GST_API_CLASS_COUNT,
	       "one name for each class");

const struct gst_api *gst_api_find(uint32_t api)
{
	size_t low = 0;
	size_t high = TABLE_COUNT;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table[middle].api < api) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < TABLE_COUNT && table[low].api == api ? &table[low] : NULL;
}

/* strcmp of @text[0..length) with a string that ends in 0 */
static int compare(const char *text, size_t length, const char *string)
{
	size_t other = strlen(string);
	int order = memcmp(text, string, length < other ? length : other);

	if (order || length == other) {
		return order;
	}
	return length < other ? -1 : 1;
}

const struct gst_api *gst_api_find_name(const char *name, size_t length)
{
	const uint16_t *list = by_symbol;
	size_t low = 0;
	size_t high = TABLE_COUNT;

	for (;;) {
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			const struct gst_api *api = &table[list[middle]];
			int order =
				compare(name, length, list == by_name ? api->name : api->symbol);

			if (!order) {
				return api;
			}
			if (order > 0) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		if (list == by_name) {
			return NULL;
		}
		list = by_name;
		low = 0;
		high = sizeof(by_name) / sizeof(by_name[0]);
	}
}

size_t gst_api_count(void)
{
	return TABLE_COUNT;
}

const struct gst_api *gst_api_at(size_t index)
{
	return index < TABLE_COUNT ? &table[index] : NULL;
}

int gst_api_is_recorded(const struct gst_api *api)
{
	return api->api >> 16 != GST_API_DOMAIN_RUNTIME || !(api->flags & GST_API_HOT);
}

const char *gst_api_class_name(uint32_t class_id)
{
	return class_id < GST_API_CLASS_COUNT ? class_names[class_id] : "?";
}
