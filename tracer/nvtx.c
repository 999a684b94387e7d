/*
 * nvtx.c - a tool of NVTX.
 *
 * Role      : what the program says about itself, beside what it calls.
 * Method    : one function for each of NVTX's; records go into the thread's own pages, with the calls, so
 *             that their order among these is kept. Registered strings and domains are copied into
 *             a fixed area, and a handle is the address of the copy.
 * Invariant : a handle from elsewhere is not followed: it must lie in our area; what does not fit is counted.
 * Not here  : which ranges are open (analyzer).
 */
#include "tracer/nvtx.h"

#include <string.h>

#define TEXT_MAX 1024u /* of a name, in bytes */

static struct gst_callbacks *_Atomic recorder;
static _Atomic uint32_t is_attached;
static _Atomic uint64_t last_range;

static struct {
	_Atomic uint32_t used;
	char bytes[GST_NVTX_TEXT_BYTES];
} area;

/* ---- texts ---- */

/* UTF-8 of a wide string, cut to fit. */
static void narrow(char *out, size_t size, const wchar_t *wide)
{
	size_t used = 0;

	for (; wide && *wide && used + 5 < size; wide++) {
		uint32_t c = (uint32_t)*wide;

		if (c < 0x80) {
			out[used++] = (char)c;
		} else if (c < 0x800) {
			out[used++] = (char)(0xc0 | c >> 6);
			out[used++] = (char)(0x80 | (c & 0x3f));
		} else if (c < 0x10000) {
			out[used++] = (char)(0xe0 | c >> 12);
			out[used++] = (char)(0x80 | (c >> 6 & 0x3f));
			out[used++] = (char)(0x80 | (c & 0x3f));
		} else if (c < 0x110000) {
			out[used++] = (char)(0xf0 | c >> 18);
			out[used++] = (char)(0x80 | (c >> 12 & 0x3f));
			out[used++] = (char)(0x80 | (c >> 6 & 0x3f));
			out[used++] = (char)(0x80 | (c & 0x3f));
		}
	}
	out[used] = '\0';
}

/* A copy of @text that stays; NULL if there is no room. */
static const char *remember(const char *text)
{
	size_t length = text ? strnlen(text, TEXT_MAX) : 0;
	uint32_t used = atomic_load(&area.used);
	char *copy;

	do {
		if (length + 1 > GST_NVTX_TEXT_BYTES - used) {
			return NULL;
		}
	} while (!atomic_compare_exchange_weak(&area.used, &used, used + (uint32_t)length + 1));
	copy = area.bytes + used;
	if (length) {
		memcpy(copy, text, length);
	}
	copy[length] = '\0';
	return copy;
}

/* The text of a handle of ours; NULL for any other. */
static const char *recall(const void *handle)
{
	uintptr_t at = (uintptr_t)handle - (uintptr_t)area.bytes;

	return at < GST_NVTX_TEXT_BYTES ? (const char *)handle : NULL;
}

/* ---- records ---- */

static struct gst_callbacks *active(void)
{
	struct gst_callbacks *cb = atomic_load_explicit(&recorder, memory_order_acquire);

	return cb && gst_state_is_on(cb->state) ? cb : NULL;
}

static void put(struct gst_rec_nvtx *rec)
{
	struct gst_callbacks *cb = active();
	uint32_t now = cb ? gst_windows_now(cb->windows) : 0;
	struct gst_thread_slot *slot;
	uint32_t bytes;
	void *place;

	if (!cb || !gst_windows_is_open(now)) {
		return;
	}
	slot = gst_threads_self(cb->threads);
	if (!slot) {
		gst_loss_add(cb->loss, GST_KIND_NVTX, GST_LOSS_NO_THREAD_SLOT, 1);
		return;
	}
	if (!gst_thread_enter(cb->threads, slot, (uintptr_t)__builtin_frame_address(0))) {
		gst_loss_add(cb->loss, GST_KIND_NVTX, GST_LOSS_BUSY, 1);
		return;
	}
	rec->time_ns = gst_clock_mono_ns();
	bytes = gst_record_trim(rec, sizeof(*rec));
	place = gst_thread_reserve(cb->threads, slot, bytes, gst_windows_segment(now));
	if (place) {
		memcpy((unsigned char *)place + sizeof(rec->head),
		       (unsigned char *)rec + sizeof(rec->head), bytes - sizeof(rec->head));
		gst_chunk_commit(slot->page, GST_KIND_NVTX, bytes, 0);
	} else {
		gst_loss_add(cb->loss, GST_KIND_NVTX, GST_LOSS_NO_CHUNK, 1);
	}
	gst_thread_leave_call(slot);
}

/* Most texts are constants of the program and come again. */
static uint32_t text_id(const char *text)
{
	struct gst_callbacks *cb = active();

	return cb ? gst_intern_near(cb->strings, text) : 0;
}

static uint32_t wide_id(const wchar_t *wide)
{
	struct gst_callbacks *cb = active();
	char text[TEXT_MAX];

	narrow(text, sizeof(text), wide);
	return cb ? gst_intern(cb->strings, text) : 0;
}

static uint32_t message_id(int32_t type, union gst_nvtx_text message)
{
	switch (type) {
	case GST_NVTX_MESSAGE_ASCII:
		return text_id(message.ascii);
	case GST_NVTX_MESSAGE_UNICODE:
		return message.unicode ? wide_id(message.unicode) : 0;
	case GST_NVTX_MESSAGE_REGISTERED:
		return text_id(recall(message.registered));
	default:
		return 0;
	}
}

static void put_attributes(uint32_t what, const void *domain,
			   const struct gst_nvtx_attributes *attributes, uint64_t id)
{
	struct gst_nvtx_attributes a = {0};
	struct gst_rec_nvtx rec = {.what = what, .id = id, .domain = text_id(recall(domain))};

	if (attributes) {
		/* Older programs have a shorter one. */
		memcpy(&a, attributes, attributes->size < sizeof(a) ? attributes->size : sizeof(a));
	}
	rec.name = message_id(a.message_type, a.message);
	rec.category = a.category;
	if (a.color_type) {
		rec.color = a.color;
	}
	if (a.payload_type) {
		rec.payload_type = (uint32_t)a.payload_type;
		rec.payload = a.payload;
	}
	put(&rec);
}

static void put_text(uint32_t what, uint32_t name, uint64_t id)
{
	struct gst_rec_nvtx rec = {.what = what, .name = name, .id = id};

	put(&rec);
}

static void put_name(uint32_t type, uint64_t object, uint32_t name, const void *domain)
{
	struct gst_callbacks *cb = active();
	struct gst_rec_nvtx_name rec = {
		.head = gst_record_head(GST_KIND_NVTX_NAME, sizeof(rec), 0),
		.object = object,
		.type = type,
		.name = name,
		.domain = text_id(recall(domain)),
	};

	/* Definitions: outside windows too. */
	if (cb) {
		(void)gst_lane_put_one(cb->defs, &rec, sizeof(rec));
	}
}

static uint64_t new_range(void)
{
	return atomic_fetch_add_explicit(&last_range, 1, memory_order_relaxed) + 1;
}

/* ---- NVTX's functions ---- */

static void mark_ex(const struct gst_nvtx_attributes *a)
{
	put_attributes(GST_NVTX_MARK, NULL, a, 0);
}

static void mark_a(const char *text)
{
	put_text(GST_NVTX_MARK, text_id(text), 0);
}

static void mark_w(const wchar_t *text)
{
	put_text(GST_NVTX_MARK, wide_id(text), 0);
}

static uint64_t start_ex(const struct gst_nvtx_attributes *a)
{
	uint64_t id = new_range();

	put_attributes(GST_NVTX_START, NULL, a, id);
	return id;
}

static uint64_t start_a(const char *text)
{
	uint64_t id = new_range();

	put_text(GST_NVTX_START, text_id(text), id);
	return id;
}

static uint64_t start_w(const wchar_t *text)
{
	uint64_t id = new_range();

	put_text(GST_NVTX_START, wide_id(text), id);
	return id;
}

static void end(uint64_t id)
{
	put_text(GST_NVTX_STOP, 0, id);
}

/* What NVTX itself gives without a tool: the program sees no difference. */
static int push_ex(const struct gst_nvtx_attributes *a)
{
	put_attributes(GST_NVTX_PUSH, NULL, a, 0);
	return GST_NVTX_NO_PUSH_POP_TRACKING;
}

static int push_a(const char *text)
{
	put_text(GST_NVTX_PUSH, text_id(text), 0);
	return GST_NVTX_NO_PUSH_POP_TRACKING;
}

static int push_w(const wchar_t *text)
{
	put_text(GST_NVTX_PUSH, wide_id(text), 0);
	return GST_NVTX_NO_PUSH_POP_TRACKING;
}

static int pop(void)
{
	put_text(GST_NVTX_POP_RANGE, 0, 0);
	return GST_NVTX_NO_PUSH_POP_TRACKING;
}

static void name_category_a(uint32_t category, const char *name)
{
	put_name(GST_NVTX_OF_CATEGORY, category, text_id(name), NULL);
}

static void name_category_w(uint32_t category, const wchar_t *name)
{
	put_name(GST_NVTX_OF_CATEGORY, category, wide_id(name), NULL);
}

static void name_thread_a(uint32_t thread, const char *name)
{
	put_name(GST_NVTX_OF_THREAD, thread, text_id(name), NULL);
}

static void name_thread_w(uint32_t thread, const wchar_t *name)
{
	put_name(GST_NVTX_OF_THREAD, thread, wide_id(name), NULL);
}

static void domain_mark(const void *domain, const struct gst_nvtx_attributes *a)
{
	put_attributes(GST_NVTX_MARK, domain, a, 0);
}

static uint64_t domain_start(const void *domain, const struct gst_nvtx_attributes *a)
{
	uint64_t id = new_range();

	put_attributes(GST_NVTX_START, domain, a, id);
	return id;
}

static void domain_end(const void *domain, uint64_t id)
{
	put_attributes(GST_NVTX_STOP, domain, NULL, id);
}

static int domain_push(const void *domain, const struct gst_nvtx_attributes *a)
{
	put_attributes(GST_NVTX_PUSH, domain, a, 0);
	return GST_NVTX_NO_PUSH_POP_TRACKING;
}

static int domain_pop(const void *domain)
{
	put_attributes(GST_NVTX_POP_RANGE, domain, NULL, 0);
	return GST_NVTX_NO_PUSH_POP_TRACKING;
}

static void *resource_create(const void *domain, const struct gst_nvtx_resource *r)
{
	uint32_t type = 0;

	if (!r || r->size < sizeof(*r)) {
		return NULL;
	}
	switch (r->identifier_type) {
	case GST_NVTX_RESOURCE_CU_DEVICE:
	case GST_NVTX_RESOURCE_CUDA_DEVICE:
		type = GST_NVTX_OF_DEVICE;
		break;
	case GST_NVTX_RESOURCE_CU_CONTEXT:
		type = GST_NVTX_OF_CONTEXT;
		break;
	case GST_NVTX_RESOURCE_CU_STREAM:
	case GST_NVTX_RESOURCE_CUDA_STREAM:
		type = GST_NVTX_OF_STREAM;
		break;
	case GST_NVTX_RESOURCE_CU_EVENT:
	case GST_NVTX_RESOURCE_CUDA_EVENT:
		type = GST_NVTX_OF_EVENT;
		break;
	default:
		return NULL;
	}
	put_name(type, r->identifier, message_id(r->message_type, r->message), domain);
	return NULL;
}

static void resource_destroy(void *resource)
{
	(void)resource;
}

static void domain_category_a(const void *domain, uint32_t category, const char *name)
{
	put_name(GST_NVTX_OF_CATEGORY, category, text_id(name), domain);
}

static void domain_category_w(const void *domain, uint32_t category, const wchar_t *name)
{
	put_name(GST_NVTX_OF_CATEGORY, category, wide_id(name), domain);
}

static const void *register_a(const void *domain, const char *text)
{
	(void)domain;
	return remember(text);
}

static const void *register_w(const void *domain, const wchar_t *wide)
{
	char text[TEXT_MAX];

	(void)domain;
	narrow(text, sizeof(text), wide);
	return remember(text);
}

static const void *domain_create_a(const char *name)
{
	return remember(name);
}

static const void *domain_create_w(const wchar_t *name)
{
	return register_w(NULL, name);
}

static void domain_destroy(const void *domain)
{
	(void)domain;
}

#define NAMER(name, type, argument)                                    \
	static void name##_a(argument object, const char *text)        \
	{                                                              \
		put_name(type, (uint64_t)object, text_id(text), NULL); \
	}                                                              \
	static void name##_w(argument object, const wchar_t *text)     \
	{                                                              \
		put_name(type, (uint64_t)object, wide_id(text), NULL); \
	}
NAMER(name_device, GST_NVTX_OF_DEVICE, uint32_t)
NAMER(name_context, GST_NVTX_OF_CONTEXT, uintptr_t)
NAMER(name_stream, GST_NVTX_OF_STREAM, uintptr_t)
NAMER(name_event, GST_NVTX_OF_EVENT, uintptr_t)

/* ---- attaching ---- */

static const struct {
	uint32_t module;
	uint32_t id;
	gst_nvtx_function function;
} functions[] = {
#define F(module, id, function)                                                        \
	{                                                                              \
		GST_NVTX_MODULE_##module, GST_NVTX_##id, (gst_nvtx_function)(function) \
	}
	F(CORE, MARK_EX, mark_ex),
	F(CORE, MARK_A, mark_a),
	F(CORE, MARK_W, mark_w),
	F(CORE, START_EX, start_ex),
	F(CORE, START_A, start_a),
	F(CORE, START_W, start_w),
	F(CORE, END, end),
	F(CORE, PUSH_EX, push_ex),
	F(CORE, PUSH_A, push_a),
	F(CORE, PUSH_W, push_w),
	F(CORE, POP, pop),
	F(CORE, NAME_CATEGORY_A, name_category_a),
	F(CORE, NAME_CATEGORY_W, name_category_w),
	F(CORE, NAME_THREAD_A, name_thread_a),
	F(CORE, NAME_THREAD_W, name_thread_w),
	F(CORE2, DOMAIN_MARK, domain_mark),
	F(CORE2, DOMAIN_START, domain_start),
	F(CORE2, DOMAIN_END, domain_end),
	F(CORE2, DOMAIN_PUSH, domain_push),
	F(CORE2, DOMAIN_POP, domain_pop),
	F(CORE2, RESOURCE_CREATE, resource_create),
	F(CORE2, RESOURCE_DESTROY, resource_destroy),
	F(CORE2, DOMAIN_CATEGORY_A, domain_category_a),
	F(CORE2, DOMAIN_CATEGORY_W, domain_category_w),
	F(CORE2, REGISTER_A, register_a),
	F(CORE2, REGISTER_W, register_w),
	F(CORE2, DOMAIN_CREATE_A, domain_create_a),
	F(CORE2, DOMAIN_CREATE_W, domain_create_w),
	F(CORE2, DOMAIN_DESTROY, domain_destroy),
	F(CUDA, CU_DEVICE_A, name_device_a),
	F(CUDA, CU_DEVICE_W, name_device_w),
	F(CUDA, CU_CONTEXT_A, name_context_a),
	F(CUDA, CU_CONTEXT_W, name_context_w),
	F(CUDA, CU_STREAM_A, name_stream_a),
	F(CUDA, CU_STREAM_W, name_stream_w),
	F(CUDA, CU_EVENT_A, name_event_a),
	F(CUDA, CU_EVENT_W, name_event_w),
	F(CUDART, CUDA_DEVICE_A, name_device_a),
	F(CUDART, CUDA_DEVICE_W, name_device_w),
	F(CUDART, CUDA_STREAM_A, name_stream_a),
	F(CUDART, CUDA_STREAM_W, name_stream_w),
	F(CUDART, CUDA_EVENT_A, name_event_a),
	F(CUDART, CUDA_EVENT_W, name_event_w),
#undef F
};

int gst_nvtx_attach(gst_nvtx_get_table_fn get_table)
{
	const struct gst_nvtx_callbacks *callbacks =
		get_table ? get_table(GST_NVTX_TABLE_CALLBACKS) : NULL;

	if (!callbacks || callbacks->struct_size < sizeof(*callbacks) || !callbacks->get_module) {
		return 0;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		gst_nvtx_function **table = NULL;
		unsigned int size = 0;

		/* An NVTX that lacks a module or a function goes without. */
		if (callbacks->get_module(functions[i].module, &table, &size) && table &&
		    functions[i].id < size && table[functions[i].id]) {
			*table[functions[i].id] = functions[i].function;
		}
	}
	atomic_store(&is_attached, 1);
	return 1;
}

void gst_nvtx_start(struct gst_callbacks *cb)
{
	atomic_store_explicit(&recorder, cb, memory_order_release);
}

int gst_nvtx_is_attached(void)
{
	return atomic_load(&is_attached) != 0;
}
