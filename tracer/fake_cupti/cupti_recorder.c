/*
 * cupti_recorder.c - a libcupti between libgstrace and the real one, which writes down what passes.
 *
 *     GSTRACE_CUPTI=libcupti_recorder.so GSTRACE_RECORDER_CUPTI=the real one GSTRACE_RECORDER_LOG=file
 *     [GSTRACE_RECORDER_KINDS=4,5]    activity kinds to enable besides those that libgstrace asks for
 *
 * Role      : recordings of real programs, which cupti_player.c plays without a GPU.
 * Method    : every function that libgstrace looks up is forwarded; the tool's callbacks are called by ours. Each
 *             event is one write() under a lock, before the callback it tells of.
 * Invariant : no lock is held while CUPTI or the tool runs, because CUPTI may hold locks of its own; memory is
 *             read by the kernel, which refuses what is not there (unless it refuses that service).
 * Not here  : the form of the file (cupti_log.h), which memory belongs to a call (follow.c).
 */
#include "tracer/cupti_api.h"
#include "tracer/fake_cupti/cupti_log.h"
#include "tracer/fake_cupti/follow.h"
#include "tracer/format/api.h"
#include "tracer/format/format.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

#define HELD_MAX      4096
#define RECORDS_MAX   (1u << 18)
#define OVERHEAD_DATA 12u

enum function {
#define GST_X(name, needed) F_##name,
	GST_CUPTI_FUNCTIONS(GST_X)
#undef GST_X
		FUNCTIONS
};

static struct gst_cupti real; /* its table of functions */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t end_key;
static int fd = -1;
static pid_t owner;
static uint32_t version;
static gst_cupti_callback_fn tool_callback;
static gst_cupti_buffer_requested_fn tool_requested;
static gst_cupti_buffer_completed_fn tool_completed;

/* Under lock: buffers that the real CUPTI has. */
static uint8_t *held[HELD_MAX];
static uint32_t threads;

static bool is_driver_told;
static bool is_trusting; /* this kernel does not read our memory for us */

static __thread uint32_t thread; /* + 1; 0 = not told yet */

/* ---- the file ------------------------------------------------------------------------------- */

static uint64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void append(uint32_t type, const struct log_buffer *b)
{
	struct log_head head = {
		.bytes = (uint32_t)b->used,
		.type = (uint16_t)type,
		.thread = (uint16_t)(thread - 1),
		.mono_ns = mono_ns(),
	};
	struct iovec parts[2] = {{&head, sizeof(head)}, {b->data, b->used}};
	size_t at = 0;

	if (fd < 0) {
		return;
	}
	pthread_mutex_lock(&lock);
	if (writev(fd, parts, 2) != (ssize_t)(sizeof(head) + b->used)) {
		/* A file with a hole would be worse than a short one. */
		fd = -1;
		at = 1;
	}
	pthread_mutex_unlock(&lock);
	if (at) {
		fprintf(stderr, "cupti_recorder: writing failed: the recording is cut\n");
	}
}

static void end_thread(void *unused)
{
	const struct log_buffer none = {0};

	(void)unused;
	if (getpid() == owner) {
		append(LOG_THREAD_END, &none);
	}
}

/* Whether events of this thread are written down; the first one tells who it is. */
static bool is_on(void)
{
	struct log_buffer b = {0};
	char name[17] = {0};

	/* A child of fork() has nothing to say. */
	if (fd < 0 || getpid() != owner) {
		return false;
	}
	if (!thread) {
		thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
		prctl(PR_GET_NAME, name);
		log_put_64(&b, (uint64_t)syscall(SYS_gettid));
		log_put_text(&b, name);
		append(LOG_THREAD, &b);
		free(b.data);
		pthread_setspecific(end_key, &end_key);
	}
	return true;
}

static void put(uint32_t type, struct log_buffer *b)
{
	append(type, b);
	free(b->data);
}

/* The whole of it or nothing. */
static bool read_memory(void *to, const void *from, size_t bytes)
{
	struct iovec here = {to, bytes};
	struct iovec there = {(void *)(uintptr_t)from, bytes};

	if (is_trusting) {
		memcpy(to, from, bytes);
		return true;
	}
	return process_vm_readv(owner, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

/* ---- start ---------------------------------------------------------------------------------- */

static void start(void)
{
	static const char *const names[] = {
#define GST_X(name, needed) #name,
		GST_CUPTI_FUNCTIONS(GST_X)
#undef GST_X
	};
	const char *path = getenv("GSTRACE_RECORDER_CUPTI");
	const char *log = getenv("GSTRACE_RECORDER_LOG");
	struct log_buffer b = {0};
	void *entry[FUNCTIONS];

	if (!path || !log) {
		fprintf(stderr,
			"cupti_recorder: GSTRACE_RECORDER_CUPTI or GSTRACE_RECORDER_LOG is missing\n");
		return;
	}
	real.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!real.library) {
		fprintf(stderr, "cupti_recorder: %s\n", dlerror());
		return;
	}
	for (int i = 0; i < FUNCTIONS; i++) {
		entry[i] = dlsym(real.library, names[i]);
	}
#define GST_X(name, needed) *(void **)&real.name = entry[F_##name];
	GST_CUPTI_FUNCTIONS(GST_X)
#undef GST_X
	fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0) {
		perror(log);
		return;
	}
	owner = getpid();
	is_trusting = !read_memory(&(int){0}, &fd, sizeof(fd));
	pthread_key_create(&end_key, end_thread);
	log_put(&b, LOG_MAGIC, sizeof(LOG_MAGIC) - 1);
	log_put_32(&b, LOG_VERSION);
	log_put_text(&b, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	for (int i = 0; i < FUNCTIONS; i++) {
		log_put_text(&b, names[i]);
		log_put_32(&b, entry[i] != NULL);
	}
	put(LOG_FILE, &b);
}

static void init(void)
{
	pthread_once(&once, start);
}

/* ---- calls of the tool ---------------------------------------------------------------------- */

static int told(enum function function, int result, uint32_t count, const uint64_t *arguments,
		uint32_t out_count, const uint64_t *out)
{
	struct log_buffer b = {0};

	if (is_on()) {
		log_put_32(&b, function);
		log_put_32(&b, (uint32_t)result);
		log_put_32(&b, count);
		log_put(&b, arguments, count * sizeof(*arguments));
		log_put_32(&b, result ? 0 : out_count);
		log_put(&b, out, result ? 0 : out_count * sizeof(*out));
		put(LOG_CALL, &b);
	}
	return result;
}

#define ARGUMENTS(...)                                                                             \
	(uint32_t)(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)), (const uint64_t[]) \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define NOTHING	   0, NULL
#define P(pointer) ((uint64_t)(uintptr_t)(pointer))

/* What the real library says; it may lack the function. */
#define FORWARD(name, ...) \
	(init(), real.name ? real.name(__VA_ARGS__) : GST_CUPTI_ERROR_API_NOT_IMPLEMENTED)

#define DECLARE(name)	    EXPORT gst_cupti_##name##_t name
#define GST_X(name, needed) DECLARE(name);
GST_CUPTI_FUNCTIONS(GST_X)
#undef GST_X

int cuptiGetVersion(uint32_t *out)
{
	int result = FORWARD(cuptiGetVersion, out);

	version = result ? 0 : *out;
	return told(F_cuptiGetVersion, result, NOTHING, ARGUMENTS(version));
}

int cuptiGetResultString(uint32_t result, const char **text)
{
	return FORWARD(cuptiGetResultString, result, text);
}

int cuptiGetTimestamp(uint64_t *timestamp_ns)
{
	int result = FORWARD(cuptiGetTimestamp, timestamp_ns);

	return told(F_cuptiGetTimestamp, result, NOTHING, ARGUMENTS(*timestamp_ns));
}

static void on_callback(void *user, uint32_t domain, uint32_t cbid, const void *data);

int cuptiSubscribe(gst_cupti_subscriber_handle *subscriber, gst_cupti_callback_fn callback,
		   void *userdata)
{
	tool_callback = callback;
	return told(F_cuptiSubscribe, FORWARD(cuptiSubscribe, subscriber, on_callback, userdata),
		    NOTHING, NOTHING);
}

int cuptiSubscribe_v2(gst_cupti_subscriber_handle *subscriber, gst_cupti_callback_fn callback,
		      void *userdata, struct gst_cupti_subscriber_params *params)
{
	tool_callback = callback;
	return told(F_cuptiSubscribe_v2,
		    FORWARD(cuptiSubscribe_v2, subscriber, on_callback, userdata, params), NOTHING,
		    NOTHING);
}

int cuptiUnsubscribe(gst_cupti_subscriber_handle subscriber)
{
	return told(F_cuptiUnsubscribe, FORWARD(cuptiUnsubscribe, subscriber), NOTHING, NOTHING);
}

int cuptiEnableCallback(uint32_t enable, gst_cupti_subscriber_handle subscriber, uint32_t domain,
			uint32_t cbid)
{
	return told(F_cuptiEnableCallback,
		    FORWARD(cuptiEnableCallback, enable, subscriber, domain, cbid),
		    ARGUMENTS(enable, domain, cbid), NOTHING);
}

int cuptiActivityEnable(uint32_t kind)
{
	return told(F_cuptiActivityEnable, FORWARD(cuptiActivityEnable, kind), ARGUMENTS(kind),
		    NOTHING);
}

int cuptiActivityDisable(uint32_t kind)
{
	return told(F_cuptiActivityDisable, FORWARD(cuptiActivityDisable, kind), ARGUMENTS(kind),
		    NOTHING);
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes,
			       struct gst_cupti_activity **record)
{
	return FORWARD(cuptiActivityGetNextRecord, buffer, valid_bytes, record);
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream_id, size_t *dropped)
{
	int result = FORWARD(cuptiActivityGetNumDroppedRecords, context, stream_id, dropped);

	return told(F_cuptiActivityGetNumDroppedRecords, result, ARGUMENTS(P(context), stream_id),
		    ARGUMENTS(*dropped));
}

int cuptiActivitySetAttribute(uint32_t attr, size_t *value_size, void *value)
{
	return told(F_cuptiActivitySetAttribute,
		    FORWARD(cuptiActivitySetAttribute, attr, value_size, value), ARGUMENTS(attr),
		    NOTHING);
}

int cuptiActivityEnableLatencyTimestamps(uint8_t enable)
{
	return told(F_cuptiActivityEnableLatencyTimestamps,
		    FORWARD(cuptiActivityEnableLatencyTimestamps, enable), ARGUMENTS(enable),
		    NOTHING);
}

int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable)
{
	return told(F_cuptiActivityEnableCudaEventDeviceTimestamps,
		    FORWARD(cuptiActivityEnableCudaEventDeviceTimestamps, enable),
		    ARGUMENTS(enable), NOTHING);
}

int cuptiActivityEnableAllSyncRecords(uint8_t enable)
{
	return told(F_cuptiActivityEnableAllSyncRecords,
		    FORWARD(cuptiActivityEnableAllSyncRecords, enable), ARGUMENTS(enable), NOTHING);
}

int cuptiSetThreadIdType(uint32_t type)
{
	return told(F_cuptiSetThreadIdType, FORWARD(cuptiSetThreadIdType, type), ARGUMENTS(type),
		    NOTHING);
}

int cuptiGetContextId(void *context, uint32_t *context_id)
{
	int result = FORWARD(cuptiGetContextId, context, context_id);

	return told(F_cuptiGetContextId, result, ARGUMENTS(P(context)), ARGUMENTS(*context_id));
}

int cuptiGetDeviceId(void *context, uint32_t *device_id)
{
	int result = FORWARD(cuptiGetDeviceId, context, device_id);

	return told(F_cuptiGetDeviceId, result, ARGUMENTS(P(context)), ARGUMENTS(*device_id));
}

int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *stream_id)
{
	int result = FORWARD(cuptiGetStreamIdEx, context, stream, per_thread, stream_id);

	return told(F_cuptiGetStreamIdEx, result, ARGUMENTS(P(context), P(stream), per_thread),
		    ARGUMENTS(*stream_id));
}

int cuptiGetGraphId(void *graph, uint32_t *graph_id)
{
	int result = FORWARD(cuptiGetGraphId, graph, graph_id);

	return told(F_cuptiGetGraphId, result, ARGUMENTS(P(graph)), ARGUMENTS(*graph_id));
}

int cuptiGetGraphExecId(void *graph_exec, uint32_t *graph_id)
{
	int result = FORWARD(cuptiGetGraphExecId, graph_exec, graph_id);

	return told(F_cuptiGetGraphExecId, result, ARGUMENTS(P(graph_exec)), ARGUMENTS(*graph_id));
}

int cuptiGetGraphNodeId(void *node, uint64_t *node_id)
{
	int result = FORWARD(cuptiGetGraphNodeId, node, node_id);

	return told(F_cuptiGetGraphNodeId, result, ARGUMENTS(P(node)), ARGUMENTS(*node_id));
}

/* ---- callbacks ------------------------------------------------------------------------------ */

struct blocks {
	struct log_buffer log;
	uint32_t count;
	void *copies[64]; /* freed with it; they are walked over */
};

/* Bytes of @text with its end, without reading beyond its page; 0: there is none, or it is too long. */
static size_t text_bytes(const char *text)
{
	char part[64];
	size_t bytes = 0;

	if (is_trusting) {
		bytes = strnlen(text, FOLLOW_TEXT_MAX);
		return bytes < FOLLOW_TEXT_MAX ? bytes + 1 : 0;
	}
	while (bytes < FOLLOW_TEXT_MAX) {
		size_t room = 4096 - (P(text + bytes) & 4095);
		size_t take = room < sizeof(part) ? room : sizeof(part);
		const char *end;

		if (!read_memory(part, text + bytes, take)) {
			return 0;
		}
		end = memchr(part, '\0', take);
		if (end) {
			return bytes + (size_t)(end - part) + 1;
		}
		bytes += take;
	}
	return 0;
}

static void *copy_block(void *arg, const void *pointer, size_t bytes)
{
	struct blocks *blocks = arg;
	void *copy;

	if (bytes == FOLLOW_TEXT) {
		bytes = text_bytes(pointer);
		if (!bytes) {
			return NULL;
		}
	}

	if (blocks->count == sizeof(blocks->copies) / sizeof(blocks->copies[0])) {
		return NULL;
	}
	copy = calloc(1, bytes);
	if (!copy || !read_memory(copy, pointer, bytes)) {
		free(copy);
		return NULL;
	}
	log_put_64(&blocks->log, P(pointer));
	log_put_bytes(&blocks->log, copy, bytes);
	blocks->copies[blocks->count++] = copy;
	return copy;
}

static void put_blocks(struct log_buffer *b, struct blocks *blocks)
{
	log_put_32(b, blocks->count);
	log_put(b, blocks->log.data, blocks->log.used);
	free(blocks->log.data);
	for (uint32_t i = 0; i < blocks->count; i++) {
		free(blocks->copies[i]);
	}
}

static void put_api(struct log_buffer *b, uint32_t domain, uint32_t cbid,
		    const struct gst_cupti_callback_data *data)
{
	uint64_t params[FOLLOW_PARAMS_BYTES / 8] = {0};
	size_t bytes = data->functionParams ? FOLLOW_PARAMS_BYTES : 0;
	struct blocks blocks = {0};
	uint32_t result = 0;
	bool has_result = data->callbackSite == GST_CUPTI_API_EXIT && data->functionReturnValue;

	if (has_result) {
		memcpy(&result, data->functionReturnValue, sizeof(result));
	}
	log_put_32(b, data->callbackSite);
	log_put_64(b, P(data->context));
	log_put_32(b, data->contextUid);
	log_put_32(b, data->correlationId);
	log_put_32(b, has_result);
	log_put_32(b, result);
	log_put_32(b, data->symbolName != NULL);
	log_put_text(b, data->symbolName);
	/* They may stand at the end of what is mapped. */
	while (bytes && !read_memory(params, data->functionParams, bytes)) {
		bytes -= 8;
	}
	log_put_bytes(b, params, bytes);
	if (bytes) {
		follow_params(GST_API_ID(domain, cbid), params, copy_block, &blocks);
	}
	put_blocks(b, &blocks);
}

static void put_resource(struct log_buffer *b, uint32_t cbid,
			 const struct gst_cupti_resource_data *data)
{
	void *descriptor = data->resourceDescriptor;
	struct blocks blocks = {0};

	log_put_64(b, P(data->context));
	log_put_64(b, P(data->stream));
	log_put_64(b, P(descriptor));
	follow_resource(cbid, &descriptor, copy_block, &blocks);
	put_blocks(b, &blocks);
}

static void put_state(struct log_buffer *b, const struct gst_cupti_state_data *data)
{
	log_put_32(b, data->result);
	log_put_32(b, data->message != NULL);
	log_put_text(b, data->message);
}

static void put_end(void)
{
	struct log_buffer none = {0};

	put(LOG_END, &none);
}

static void on_callback(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
	struct log_buffer b = {0};
	bool is_logged = is_on();

	if (is_logged) {
		log_put_32(&b, domain);
		log_put_32(&b, cbid);
		if (!data) {
			log_put_32(&b, LOG_DATA_NONE);
		} else if (domain == GST_CUPTI_DOMAIN_DRIVER ||
			   domain == GST_CUPTI_DOMAIN_RUNTIME) {
			log_put_32(&b, LOG_DATA_API);
			put_api(&b, domain, cbid, data);
		} else if (domain == GST_CUPTI_DOMAIN_RESOURCE) {
			log_put_32(&b, LOG_DATA_RESOURCE);
			put_resource(&b, cbid, data);
		} else if (domain == GST_CUPTI_DOMAIN_STATE) {
			log_put_32(&b, LOG_DATA_STATE);
			put_state(&b, data);
		} else {
			log_put_32(&b, LOG_DATA_NONE);
		}
		put(LOG_CALLBACK, &b);
	}
	tool_callback(user, domain, cbid, data);
	if (is_logged) {
		put_end();
	}
}

/* ---- buffers -------------------------------------------------------------------------------- */

static void hold(uint8_t *buffer, bool is_held)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < HELD_MAX; i++) {
		if (held[i] == (is_held ? NULL : buffer)) {
			held[i] = is_held ? buffer : NULL;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

static void on_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	struct log_buffer b = {0};

	tool_requested(buffer, size, max_records);
	if (*buffer) {
		hold(*buffer, true);
	}
	if (is_on()) {
		log_put_64(&b, P(*buffer));
		log_put_64(&b, *size);
		log_put_64(&b, *max_records);
		put(LOG_REQUEST, &b);
	}
}

/* A pointer at @at of a record, and what is there. */
static void put_pointer(struct log_buffer *b, uint32_t *count, size_t record, size_t at,
			const void *pointer, enum log_pointer type, size_t bytes)
{
	char copy[OVERHEAD_DATA];

	if (!pointer || (type == LOG_POINTER_HEAP && !read_memory(copy, pointer, bytes))) {
		return;
	}
	log_put_32(b, (uint32_t)(record + at));
	log_put_32(b, type);
	if (type == LOG_POINTER_HEAP) {
		log_put_bytes(b, copy, bytes);
	} else {
		log_put_text(b, pointer);
	}
	++*count;
}

static void put_pointers(struct log_buffer *b, uint32_t *count, const uint8_t *buffer, size_t at)
{
	const union {
		const uint8_t *bytes;
		const struct gst_cupti_activity *any;
		const struct gst_cupti_kernel *kernel;
		const struct gst_cupti_device *device;
		const struct gst_cupti_overhead *overhead;
	} r = {buffer + at};

	switch (r.any->kind) {
	case GST_CUPTI_KIND_KERNEL:
	case GST_CUPTI_KIND_CONCURRENT_KERNEL:
		put_pointer(b, count, at, offsetof(struct gst_cupti_kernel, name), r.kernel->name,
			    LOG_POINTER_TEXT, 0);
		break;
	case GST_CUPTI_KIND_DEVICE:
		put_pointer(b, count, at, offsetof(struct gst_cupti_device, name), r.device->name,
			    LOG_POINTER_TEXT, 0);
		break;
	case GST_CUPTI_KIND_OVERHEAD:
		if (version >= GST_CUPTI_V_12_4 &&
		    r.overhead->overheadKind == GST_CUPTI_OVERHEAD_COMMAND_BUFFER_FULL) {
			put_pointer(b, count, at, offsetof(struct gst_cupti_overhead, overheadData),
				    r.overhead->overheadData, LOG_POINTER_HEAP, OVERHEAD_DATA);
		}
		break;
	default:
		break;
	}
}

static void put_records(struct log_buffer *b, uint8_t *buffer, size_t valid_size)
{
	struct log_buffer offsets = {0}, pointers = {0};
	struct gst_cupti_activity *record = NULL;
	uint32_t count = 0, pointer_count = 0;

	while (valid_size && count < RECORDS_MAX &&
	       !real.cuptiActivityGetNextRecord(buffer, valid_size, &record) && record) {
		size_t at = (size_t)((uint8_t *)record - buffer);

		log_put_32(&offsets, (uint32_t)at);
		count++;
		put_pointers(&pointers, &pointer_count, buffer, at);
	}
	log_put_32(b, count);
	log_put(b, offsets.data, offsets.used);
	log_put_32(b, pointer_count);
	log_put(b, pointers.data, pointers.used);
	log_put_bytes(b, buffer, valid_size);
	free(offsets.data);
	free(pointers.data);
}

static void on_completed(void *context, uint32_t stream_id, uint8_t *buffer, size_t size,
			 size_t valid_size)
{
	struct log_buffer b = {0};
	bool is_logged = is_on();

	if (is_logged) {
		log_put_64(&b, P(context));
		log_put_32(&b, stream_id);
		log_put_64(&b, P(buffer));
		log_put_64(&b, size);
		put_records(&b, buffer, buffer ? valid_size : 0);
		put(LOG_COMPLETE, &b);
	}
	hold(buffer, false);
	tool_completed(context, stream_id, buffer, size, valid_size);
	if (is_logged) {
		put_end();
	}
}

/* Kinds that the tool does not ask for: "4,5". */
static void enable_more(void)
{
	const char *at = getenv("GSTRACE_RECORDER_KINDS");
	char *end;

	while (at && *at) {
		uint32_t kind = (uint32_t)strtoul(at, &end, 10);

		if (end == at) {
			return;
		}
		(void)cuptiActivityEnable(kind);
		at = end + (*end == ',');
	}
}

int cuptiActivityRegisterCallbacks(gst_cupti_buffer_requested_fn requested,
				   gst_cupti_buffer_completed_fn completed)
{
	int result;

	tool_requested = requested;
	tool_completed = completed;
	result = told(F_cuptiActivityRegisterCallbacks,
		      FORWARD(cuptiActivityRegisterCallbacks, on_requested, on_completed), NOTHING,
		      NOTHING);

	enable_more();
	return result;
}

static void tell_held(void)
{
	struct log_buffer b = {0}, list = {0};
	uint32_t count = 0;

	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < HELD_MAX; i++) {
		uint32_t word;

		if (held[i] && read_memory(&word, held[i], sizeof(word))) {
			log_put_64(&list, P(held[i]));
			log_put_32(&list, word);
			count++;
		}
	}
	pthread_mutex_unlock(&lock);
	log_put_32(&b, count);
	log_put(&b, list.data, list.used);
	put(LOG_HELD, &b);
	free(list.data);
}

/* What libgstrace asks the driver, once it answers: attributes of devices alone. */
static void tell_driver(void)
{
	static const int attributes[] = {33, 34, 50, 88, 100};
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	int (*get_version)(int *value);
	int (*get_count)(int *count);
	int (*get)(int *device, int ordinal);
	int (*get_uuid)(uint8_t uuid[16], int device);
	int (*get_attribute)(int *value, int attribute, int device);
	struct log_buffer b = {0};
	int count = 0, device, value = 0;
	uint8_t uuid[16];

	if (!driver) {
		return;
	}
	*(void **)&get_version = dlsym(driver, "cuDriverGetVersion");
	*(void **)&get_count = dlsym(driver, "cuDeviceGetCount");
	*(void **)&get = dlsym(driver, "cuDeviceGet");
	*(void **)&get_uuid = dlsym(driver, "cuDeviceGetUuid_v2");
	*(void **)&get_attribute = dlsym(driver, "cuDeviceGetAttribute");
	if (get_version && get_count && get && get_uuid && get_attribute && !get_version(&value) &&
	    !get_count(&count)) {
		log_put_32(&b, (uint32_t)value);
		log_put_32(&b, (uint32_t)count);
		for (int i = 0; i < count; i++) {
			memset(uuid, 0, sizeof(uuid));
			device = -1;
			(void)get(&device, i);
			(void)get_uuid(uuid, device);
			log_put(&b, uuid, sizeof(uuid));
			log_put_32(&b, sizeof(attributes) / sizeof(attributes[0]));
			for (size_t a = 0; a < sizeof(attributes) / sizeof(attributes[0]); a++) {
				value = -1;
				(void)get_attribute(&value, attributes[a], device);
				log_put_32(&b, (uint32_t)attributes[a]);
				log_put_32(&b, (uint32_t)value);
			}
		}
		put(LOG_DRIVER, &b);
		is_driver_told = true;
	}
	dlclose(driver);
}

int cuptiActivityFlushAll(uint32_t flag)
{
	struct log_buffer b = {0};
	int result;

	init();
	if (is_on()) {
		log_put_32(&b, flag);
		put(LOG_FLUSH, &b);
	}
	result = told(F_cuptiActivityFlushAll, FORWARD(cuptiActivityFlushAll, flag),
		      ARGUMENTS(flag), NOTHING);
	if (is_on() && !is_driver_told) {
		tell_driver();
	}
	if (is_on() && flag == GST_CUPTI_FLUSH_FORCED) {
		tell_held();
	}
	return result;
}
