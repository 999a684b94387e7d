/*
 * fake_cupti.c - the exported functions of libcupti, with faults on demand.
 *
 * Role      : libgstrace opens this library and calls it as it would the real one.
 * Method    : one mutex over all state, never held while a function of the tool runs. Records wait in
 *             a list until their work has ended; fake_deliver() copies them into buffers
 *             that the tool supplied, under a second mutex that keeps buffers in order.
 * Invariant : a buffer is with the tool or with us, never both; a callback comes only if enabled.
 * Not here  : CUDA calls and their times (fake_cuda.c).
 */
#include "tracer/fake_cupti/fake_cupti.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracer/fake_cupti/fake_internal.h"

#define EXPORT __attribute__((visibility("default")))

#define CBIDS	     1024
#define KINDS	     256
#define RECORD_MAX   512
#define UNKNOWN_SIZE 64

struct pending {
	struct pending *next;
	uint64_t ready_ns;
	size_t size;
	union {
		uint32_t kind;
		uint64_t align;
		uint8_t bytes[RECORD_MAX];
	} record;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t deliver_lock = PTHREAD_MUTEX_INITIALIZER;

/* All under lock. */
static struct {
	uint32_t version;
	char holder[GST_CUPTI_OLD_SUBSCRIBER_NAME_MIN];
	bool is_held;
	bool is_subscribed;
	bool is_finalized;
	bool has_context;
	gst_cupti_callback_fn callback;
	void *user;
	bool enabled[GST_CUPTI_DOMAIN_COUNT][CBIDS];
	bool is_silent[GST_CUPTI_DOMAIN_COUNT];
	int callback_result[GST_CUPTI_DOMAIN_COUNT];
	char failing[64]; /* entry point that gives failing_result */
	int failing_result;
	uint32_t callback_cbid[GST_CUPTI_DOMAIN_COUNT];
	bool kinds[KINDS];
	int enable_result[KINDS];
	bool all_syncs;
	bool event_times;
	gst_cupti_buffer_requested_fn requested;
	gst_cupti_buffer_completed_fn completed;
	struct pending *first;
	struct pending **last;
	size_t pending_count;
	uint8_t *buffer;
	size_t buffer_size;
	size_t buffer_used;
	size_t dropped;
	size_t grow;
	unsigned zero_times;
	unsigned reverse_times;
	bool hang_flush;
	bool hang_enable;
	uint64_t slow_flush_ns;
	uint64_t flushes; /* that began */
	bool keep_buffers;
	uint8_t *kept[64]; /* buffers that never went back */
	size_t kept_count;
} fake = {.version = GST_CUPTI_VERSION_KNOWN, .last = &fake.first};

/* A child of fork() must find both mutexes free, whatever other threads did. */
static void lock_all(void)
{
	pthread_mutex_lock(&deliver_lock);
	pthread_mutex_lock(&lock);
}

static void unlock_all(void)
{
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&deliver_lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}

uint64_t fake_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void fake_sleep_until(uint64_t until_ns)
{
	struct timespec t = {.tv_sec = (time_t)(until_ns / 1000000000u),
			     .tv_nsec = (long)(until_ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == EINTR) {
	}
}

uint32_t fake_version(void)
{
	uint32_t version;

	pthread_mutex_lock(&lock);
	version = fake.version;
	pthread_mutex_unlock(&lock);
	return version;
}

static bool read_flag(const bool *flag)
{
	bool is_on;

	pthread_mutex_lock(&lock);
	is_on = *flag && !fake.is_finalized;
	pthread_mutex_unlock(&lock);
	return is_on;
}

bool fake_wants(uint32_t kind)
{
	/* Until 12.9 these two came together. */
	if (kind == GST_CUPTI_KIND_CUDA_EVENT && fake_version() < GST_CUPTI_V_12_9) {
		kind = GST_CUPTI_KIND_SYNCHRONIZATION;
	}
	return kind < KINDS && read_flag(&fake.kinds[kind]);
}

bool fake_wants_all_syncs(void)
{
	return read_flag(&fake.all_syncs);
}

bool fake_wants_event_times(void)
{
	return read_flag(&fake.event_times);
}

/* ---- records ------------------------------------------------------------------------------- */

static size_t known_size(uint32_t kind, uint32_t version)
{
	switch (kind) {
	case GST_CUPTI_KIND_CONCURRENT_KERNEL:
		return version >= GST_CUPTI_V_13_0   ? GST_CUPTI_KERNEL_SIZE_10
		       : version >= GST_CUPTI_V_12_0 ? GST_CUPTI_KERNEL_SIZE_9
						     : GST_CUPTI_KERNEL_SIZE_8;
	case GST_CUPTI_KIND_MEMCPY:
		return version >= GST_CUPTI_V_12_8 ? GST_CUPTI_MEMCPY_SIZE_6
						   : GST_CUPTI_MEMCPY_SIZE_5;
	case GST_CUPTI_KIND_MEMCPY2:
		return GST_CUPTI_MEMCPY_PTOP_SIZE_4;
	case GST_CUPTI_KIND_MEMSET:
		return GST_CUPTI_MEMSET_SIZE_4;
	case GST_CUPTI_KIND_STREAM:
		return GST_CUPTI_STREAM_SIZE;
	case GST_CUPTI_KIND_CONTEXT:
		return version >= GST_CUPTI_V_12_5   ? GST_CUPTI_CONTEXT_SIZE_3
		       : version >= GST_CUPTI_V_12_4 ? GST_CUPTI_CONTEXT_SIZE_2
						     : GST_CUPTI_CONTEXT_SIZE_1;
	case GST_CUPTI_KIND_DEVICE:
		return version >= GST_CUPTI_V_12_8 ? GST_CUPTI_DEVICE_SIZE_5
						   : GST_CUPTI_DEVICE_SIZE_4;
	case GST_CUPTI_KIND_GRAPH_TRACE:
		return version >= GST_CUPTI_V_12_3 ? GST_CUPTI_GRAPH_TRACE_SIZE_2
						   : GST_CUPTI_GRAPH_TRACE_SIZE_1;
	case GST_CUPTI_KIND_MEMORY2:
		return version >= GST_CUPTI_V_12_6 ? GST_CUPTI_MEMORY_SIZE_4
						   : GST_CUPTI_MEMORY_SIZE_3;
	case GST_CUPTI_KIND_OVERHEAD:
		return version >= GST_CUPTI_V_12_4 ? GST_CUPTI_OVERHEAD_SIZE_3
						   : GST_CUPTI_OVERHEAD_SIZE_1;
	case GST_CUPTI_KIND_SYNCHRONIZATION:
		return version >= GST_CUPTI_V_12_8 ? GST_CUPTI_SYNCHRONIZATION_SIZE_2
						   : GST_CUPTI_SYNCHRONIZATION_SIZE_1;
	case GST_CUPTI_KIND_DRIVER:
	case GST_CUPTI_KIND_RUNTIME:
		return GST_CUPTI_API_SIZE;
	case GST_CUPTI_KIND_CUDA_EVENT:
		return version >= GST_CUPTI_V_12_8 ? GST_CUPTI_CUDA_EVENT_SIZE_2
						   : GST_CUPTI_CUDA_EVENT_SIZE_1;
	case GST_CUPTI_KIND_GRAPH_HOST_NODE:
		return GST_CUPTI_GRAPH_HOST_NODE_SIZE;
	case GST_CUPTI_KIND_HOST_LAUNCH:
		return GST_CUPTI_HOST_LAUNCH_SIZE;
	default:
		return UNKNOWN_SIZE;
	}
}

/* Caller holds lock. */
static size_t record_size(uint32_t kind)
{
	return known_size(kind, fake.version) + fake.grow;
}

void fake_record(const void *record, uint64_t *start, uint64_t *end, uint64_t ready_ns)
{
	struct pending *p = calloc(1, sizeof(*p));
	uint32_t kind;
	size_t known;

	if (!p) {
		abort();
	}
	memcpy(&kind, record, sizeof(kind));
	pthread_mutex_lock(&lock);
	if (fake.is_finalized) {
		pthread_mutex_unlock(&lock);
		free(p);
		return;
	}
	if (start && end && fake.zero_times) {
		fake.zero_times--;
		*start = 0;
		*end = 0;
	} else if (start && end && fake.reverse_times) {
		uint64_t old = *start;

		fake.reverse_times--;
		*start = *end;
		*end = old;
	}
	known = known_size(kind, fake.version);
	p->size = record_size(kind);
	p->ready_ns = ready_ns;
	memcpy(p->record.bytes, record, known);
	/* What lies past the known fields is anything but zero. */
	memset(p->record.bytes + known, 0xA5, p->size - known);
	*fake.last = p;
	fake.last = &p->next;
	fake.pending_count++;
	pthread_mutex_unlock(&lock);
}

size_t fake_pending_records(void)
{
	size_t count;

	pthread_mutex_lock(&lock);
	count = fake.pending_count + (fake.buffer_used != 0);
	pthread_mutex_unlock(&lock);
	return count;
}

/* Caller holds lock: the first record that may go, taken off the list. */
static struct pending *take(uint64_t now, bool is_forced)
{
	for (struct pending **at = &fake.first; *at; at = &(*at)->next) {
		struct pending *p = *at;

		if (p->ready_ns > now && !is_forced) {
			continue;
		}
		*at = p->next;
		if (!p->next) {
			fake.last = at;
		}
		fake.pending_count--;
		return p;
	}
	return NULL;
}

/* Caller holds lock, which is left for the time of the tool's function. */
static void hand_back(void)
{
	gst_cupti_buffer_completed_fn completed = fake.completed;
	uint8_t *buffer = fake.buffer;
	size_t size = fake.buffer_size;
	size_t used = fake.buffer_used;
	bool is_kept = fake.keep_buffers;

	fake.buffer = NULL;
	fake.buffer_used = 0;
	if (is_kept || !completed) {
		fake.kept[fake.kept_count++ % (sizeof(fake.kept) / sizeof(fake.kept[0]))] = buffer;
		return;
	}
	pthread_mutex_unlock(&lock);
	completed(NULL, 0, buffer, size, used);
	pthread_mutex_lock(&lock);
}

static void deliver(bool is_flush, bool is_forced)
{
	uint64_t now = fake_now();
	struct pending *p;

	pthread_mutex_lock(&deliver_lock);
	pthread_mutex_lock(&lock);
	while (fake.requested && (p = take(now, is_forced)) != NULL) {
		if (p->ready_ns > now && p->record.kind == GST_CUPTI_KIND_CONCURRENT_KERNEL) {
			struct gst_cupti_kernel running;

			/* A forced flush hands a running kernel back without its end. */
			memcpy(&running, p->record.bytes,
			       offsetof(struct gst_cupti_kernel, completed));
			running.end = 0;
			memcpy(p->record.bytes, &running,
			       offsetof(struct gst_cupti_kernel, completed));
		}
		if (fake.buffer && fake.buffer_size - fake.buffer_used < p->size) {
			hand_back();
		}
		if (!fake.buffer) {
			gst_cupti_buffer_requested_fn requested = fake.requested;
			uint8_t *buffer = NULL;
			size_t size = 0;
			size_t max_records = 0;

			pthread_mutex_unlock(&lock);
			requested(&buffer, &size, &max_records);
			pthread_mutex_lock(&lock);
			fake.buffer = buffer;
			fake.buffer_size = buffer ? size : 0;
			fake.buffer_used = 0;
		}
		if (fake.buffer_size - fake.buffer_used < p->size) {
			fake.dropped++;
		} else {
			memcpy(fake.buffer + fake.buffer_used, p->record.bytes, p->size);
			fake.buffer_used += p->size;
		}
		free(p);
	}
	if (is_flush && fake.buffer && fake.buffer_used) {
		hand_back();
	}
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&deliver_lock);
}

void fake_deliver(void)
{
	deliver(false, false);
}

/* ---- callbacks ----------------------------------------------------------------------------- */

void fake_callback(uint32_t domain, uint32_t cbid, const void *data)
{
	gst_cupti_callback_fn callback;
	void *user;

	pthread_mutex_lock(&lock);
	callback = fake.callback;
	user = fake.user;
	if (!fake.is_subscribed || fake.is_finalized || fake.is_silent[domain] || cbid >= CBIDS ||
	    !fake.enabled[domain][cbid]) {
		callback = NULL;
	}
	pthread_mutex_unlock(&lock);
	if (callback) {
		callback(user, domain, cbid, data);
	}
}

void fake_context_created(void)
{
	pthread_mutex_lock(&lock);
	fake.has_context = true;
	pthread_mutex_unlock(&lock);
	fake_emit_objects(GST_CUPTI_KIND_DEVICE);
	fake_emit_objects(GST_CUPTI_KIND_CONTEXT);
	fake_emit_objects(GST_CUPTI_KIND_STREAM);
}

/* ---- faults -------------------------------------------------------------------------------- */

#define SET(field, value)                    \
	do {                                 \
		pthread_mutex_lock(&lock);   \
		fake.field = (value);        \
		pthread_mutex_unlock(&lock); \
	} while (0)

EXPORT void fake_set_version(uint32_t version)
{
	SET(version, version);
}

EXPORT void fake_set_holder(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (length >= sizeof(fake.holder)) {
		length = sizeof(fake.holder) - 1;
	}
	pthread_mutex_lock(&lock);
	memset(fake.holder, 0, sizeof(fake.holder));
	if (length) {
		memcpy(fake.holder, name, length);
	}
	fake.is_held = name != NULL;
	pthread_mutex_unlock(&lock);
}

EXPORT void fake_fail_enable(uint32_t kind, int result)
{
	if (kind < KINDS) {
		SET(enable_result[kind], result);
	}
}

EXPORT void fake_fail_callback(uint32_t domain, uint32_t cbid, int result)
{
	if (domain < GST_CUPTI_DOMAIN_COUNT) {
		SET(callback_cbid[domain], cbid);
		SET(callback_result[domain], result);
	}
}

EXPORT void fake_fail_entry(const char *name, int result)
{
	pthread_mutex_lock(&lock);
	memset(fake.failing, 0, sizeof(fake.failing));
	memcpy(fake.failing, name, strnlen(name, sizeof(fake.failing) - 1));
	fake.failing_result = result;
	pthread_mutex_unlock(&lock);
}

EXPORT void fake_silence(uint32_t domain)
{
	if (domain < GST_CUPTI_DOMAIN_COUNT) {
		SET(is_silent[domain], true);
	}
}

EXPORT void fake_hang_flush(void)
{
	SET(hang_flush, true);
}

EXPORT void fake_hang_enable(void)
{
	SET(hang_enable, true);
}

EXPORT void fake_slow_flush(uint64_t ns)
{
	SET(slow_flush_ns, ns);
}

static uint64_t count_flushes(void)
{
	uint64_t count;

	pthread_mutex_lock(&lock);
	count = fake.flushes;
	pthread_mutex_unlock(&lock);
	return count;
}

EXPORT void fake_await_flush(void)
{
	uint64_t before = count_flushes();

	while (count_flushes() == before) {
		fake_sleep_until(fake_now() + 100000);
	}
}

EXPORT void fake_keep_buffers(void)
{
	SET(keep_buffers, true);
}

EXPORT void fake_grow_records(size_t bytes)
{
	SET(grow, bytes > 256 ? 256 : bytes & ~(size_t)7);
}

EXPORT void fake_zero_times(unsigned records)
{
	SET(zero_times, records);
}

EXPORT void fake_reverse_times(unsigned records)
{
	SET(reverse_times, records);
}

EXPORT void fake_drop_records(size_t records)
{
	pthread_mutex_lock(&lock);
	fake.dropped += records;
	pthread_mutex_unlock(&lock);
}

EXPORT void fake_unknown_record(uint32_t kind)
{
	uint64_t record[UNKNOWN_SIZE / 8];

	memset(record, 0xEE, sizeof(record));
	memcpy(record, &kind, sizeof(kind));
	fake_record(record, NULL, NULL, fake_now());
}

EXPORT void fake_finalize(void)
{
	struct gst_cupti_state_data data = {.result = GST_CUPTI_ERROR_UNKNOWN,
					    .message = "fatal error, CUPTI ends itself"};

	fake_callback(GST_CUPTI_DOMAIN_STATE, GST_CUPTI_STATE_FATAL_ERROR, &data);
	SET(is_finalized, true);
}

/* ---- exported functions of CUPTI ------------------------------------------------------------ */

/* Every function but these two fails once CUPTI has ended itself. */
#define UNLESS_FINALIZED()                                      \
	do {                                                    \
		bool is_finalized;                              \
		pthread_mutex_lock(&lock);                      \
		is_finalized = fake.is_finalized;               \
		pthread_mutex_unlock(&lock);                    \
		if (is_finalized) {                             \
			return GST_CUPTI_ERROR_NOT_INITIALIZED; \
		}                                               \
	} while (0)

/* First of all in every entry point. */
#define FAIL_IF_TOLD()                                \
	do {                                          \
		int result_ = told_to_fail(__func__); \
		if (result_) {                        \
			return result_;               \
		}                                     \
	} while (0)

static int told_to_fail(const char *name)
{
	int result = 0;

	pthread_mutex_lock(&lock);
	if (strcmp(fake.failing, name) == 0) {
		result = fake.failing_result;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

#define DECLARE(name) EXPORT gst_cupti_##name##_t name
DECLARE(cuptiGetVersion);
DECLARE(cuptiGetResultString);
DECLARE(cuptiGetTimestamp);
DECLARE(cuptiSubscribe);
DECLARE(cuptiSubscribe_v2);
DECLARE(cuptiUnsubscribe);
DECLARE(cuptiEnableCallback);
DECLARE(cuptiEnableDomain);
DECLARE(cuptiActivityEnable);
DECLARE(cuptiActivityDisable);
DECLARE(cuptiActivityRegisterCallbacks);
DECLARE(cuptiActivityGetNextRecord);
DECLARE(cuptiActivityGetNumDroppedRecords);
DECLARE(cuptiActivityFlushAll);
DECLARE(cuptiActivityFlushPeriod);
DECLARE(cuptiActivitySetAttribute);
DECLARE(cuptiActivityGetAttribute);
DECLARE(cuptiActivityEnableLatencyTimestamps);
DECLARE(cuptiActivityEnableLaunchAttributes);
DECLARE(cuptiActivityEnableCudaEventDeviceTimestamps);
DECLARE(cuptiActivityEnableAllSyncRecords);
DECLARE(cuptiSetThreadIdType);
DECLARE(cuptiGetContextId);
DECLARE(cuptiGetDeviceId);
DECLARE(cuptiGetStreamIdEx);
DECLARE(cuptiGetGraphId);
DECLARE(cuptiGetGraphExecId);
DECLARE(cuptiGetGraphNodeId);
DECLARE(cuptiFinalize);

int cuptiGetVersion(uint32_t *version)
{
	FAIL_IF_TOLD();
	*version = fake_version();
	return GST_CUPTI_SUCCESS;
}

int cuptiGetResultString(uint32_t result, const char **text)
{
	FAIL_IF_TOLD();
	switch (result) {
	case GST_CUPTI_SUCCESS:
		*text = "CUPTI_SUCCESS";
		break;
	case GST_CUPTI_ERROR_INVALID_KIND:
		*text = "CUPTI_ERROR_INVALID_KIND";
		break;
	case GST_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
		*text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
		break;
	case GST_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
		*text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
		break;
	default:
		return GST_CUPTI_ERROR_INVALID_PARAMETER;
	}
	return GST_CUPTI_SUCCESS;
}

int cuptiGetTimestamp(uint64_t *timestamp_ns)
{
	FAIL_IF_TOLD();
	*timestamp_ns = fake_now();
	return GST_CUPTI_SUCCESS;
}

static int subscribe(gst_cupti_subscriber_handle *subscriber, gst_cupti_callback_fn callback,
		     void *user, char *holder, size_t holder_size)
{
	int result = GST_CUPTI_SUCCESS;

	pthread_mutex_lock(&lock);
	if (fake.is_held || fake.is_subscribed) {
		if (holder && holder_size) {
			size_t length = strlen(fake.holder);

			if (length >= holder_size) {
				length = holder_size - 1;
			}
			memcpy(holder, fake.holder, length);
			holder[length] = '\0';
		}
		result = GST_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	} else {
		fake.is_subscribed = true;
		fake.callback = callback;
		fake.user = user;
		*subscriber = (gst_cupti_subscriber_handle)(void *)&fake;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int cuptiSubscribe(gst_cupti_subscriber_handle *subscriber, gst_cupti_callback_fn callback,
		   void *userdata)
{
	FAIL_IF_TOLD();
	UNLESS_FINALIZED();
	return subscribe(subscriber, callback, userdata, NULL, 0);
}

int cuptiSubscribe_v2(gst_cupti_subscriber_handle *subscriber, gst_cupti_callback_fn callback,
		      void *userdata, struct gst_cupti_subscriber_params *params)
{
	FAIL_IF_TOLD();
	UNLESS_FINALIZED();
	if (params && params->structSize != sizeof(*params)) {
		return GST_CUPTI_ERROR_INVALID_PARAMETER;
	}
	return subscribe(subscriber, callback, userdata, params ? params->oldSubscriberName : NULL,
			 params ? params->oldSubscriberSize : 0);
}

int cuptiUnsubscribe(gst_cupti_subscriber_handle subscriber)
{
	FAIL_IF_TOLD();
	UNLESS_FINALIZED();
	if ((void *)subscriber != (void *)&fake) {
		return GST_CUPTI_ERROR_INVALID_PARAMETER;
	}
	pthread_mutex_lock(&lock);
	fake.is_subscribed = false;
	memset(fake.enabled, 0, sizeof(fake.enabled));
	pthread_mutex_unlock(&lock);
	return GST_CUPTI_SUCCESS;
}

int cuptiEnableCallback(uint32_t enable, gst_cupti_subscriber_handle subscriber, uint32_t domain,
			uint32_t cbid)
{
	int result = GST_CUPTI_SUCCESS;

	FAIL_IF_TOLD();
	UNLESS_FINALIZED();
	if ((void *)subscriber != (void *)&fake || domain >= GST_CUPTI_DOMAIN_COUNT ||
	    cbid >= CBIDS) {
		return GST_CUPTI_ERROR_INVALID_PARAMETER;
	}
	pthread_mutex_lock(&lock);
	if (domain == GST_CUPTI_DOMAIN_STATE && fake.version < GST_CUPTI_V_12_2) {
		result = GST_CUPTI_ERROR_INVALID_PARAMETER;
	} else if (fake.callback_result[domain] &&
		   (!fake.callback_cbid[domain] || fake.callback_cbid[domain] == cbid)) {
		result = fake.callback_result[domain];
	} else {
		fake.enabled[domain][cbid] = enable != 0;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int cuptiEnableDomain(uint32_t enable, gst_cupti_subscriber_handle subscriber, uint32_t domain)
{
	int result = GST_CUPTI_SUCCESS;

	FAIL_IF_TOLD();
	for (uint32_t cbid = 1; cbid < CBIDS && !result; cbid++) {
		result = cuptiEnableCallback(enable, subscriber, domain, cbid);
	}
	return result;
}

static int set_kind(uint32_t kind, bool is_on)
{
	int result;
	bool has_context;

	UNLESS_FINALIZED();
	if (kind == 0 || kind >= GST_CUPTI_KIND_COUNT_READ ||
	    (kind >= GST_CUPTI_KIND_COUNT_KNOWN && fake.version < GST_CUPTI_V_13_1)) {
		return GST_CUPTI_ERROR_INVALID_KIND;
	}
	pthread_mutex_lock(&lock);
	result = fake.enable_result[kind];
	if (kind == GST_CUPTI_KIND_CUDA_EVENT && fake.version < GST_CUPTI_V_12_9) {
		result = GST_CUPTI_ERROR_INVALID_KIND;
	}
	if (!result) {
		fake.kinds[kind] = is_on;
	}
	has_context = fake.has_context;
	pthread_mutex_unlock(&lock);
	if (!result && is_on && has_context) {
		fake_emit_objects(kind);
	}
	return result;
}

static void hang_if(const bool *flag)
{
	while (read_flag(flag)) {
		pause();
	}
}

int cuptiActivityEnable(uint32_t kind)
{
	FAIL_IF_TOLD();
	hang_if(&fake.hang_enable);
	return set_kind(kind, true);
}

int cuptiActivityDisable(uint32_t kind)
{
	FAIL_IF_TOLD();
	return set_kind(kind, false);
}

int cuptiActivityRegisterCallbacks(gst_cupti_buffer_requested_fn requested,
				   gst_cupti_buffer_completed_fn completed)
{
	FAIL_IF_TOLD();
	UNLESS_FINALIZED();
	if (!requested || !completed) {
		return GST_CUPTI_ERROR_INVALID_PARAMETER;
	}
	SET(requested, requested);
	SET(completed, completed);
	return GST_CUPTI_SUCCESS;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes,
			       struct gst_cupti_activity **record)
{
	size_t at = 0;
	uint32_t kind;

	FAIL_IF_TOLD();
	if (!buffer || !record) {
		return GST_CUPTI_ERROR_INVALID_PARAMETER;
	}
	pthread_mutex_lock(&lock);
	if (*record) {
		memcpy(&kind, *record, sizeof(kind));
		at = (size_t)((uint8_t *)*record - buffer) + record_size(kind);
	}
	pthread_mutex_unlock(&lock);
	if (at >= valid_bytes) {
		return GST_CUPTI_ERROR_MAX_LIMIT_REACHED;
	}
	*record = (struct gst_cupti_activity *)(void *)(buffer + at);
	return (*record)->kind ? GST_CUPTI_SUCCESS : GST_CUPTI_ERROR_INVALID_KIND;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream_id, size_t *dropped)
{
	FAIL_IF_TOLD();
	(void)context;
	(void)stream_id;
	pthread_mutex_lock(&lock);
	*dropped = fake.dropped;
	fake.dropped = 0;
	pthread_mutex_unlock(&lock);
	return GST_CUPTI_SUCCESS;
}

int cuptiActivityFlushAll(uint32_t flag)
{
	uint64_t slow_ns;

	FAIL_IF_TOLD();
	UNLESS_FINALIZED();
	hang_if(&fake.hang_flush);
	pthread_mutex_lock(&lock);
	slow_ns = fake.slow_flush_ns;
	fake.flushes++;
	pthread_mutex_unlock(&lock);
	if (slow_ns) {
		fake_sleep_until(fake_now() + slow_ns);
	}
	deliver(true, flag == GST_CUPTI_FLUSH_FORCED);
	return GST_CUPTI_SUCCESS;
}

int cuptiActivityFlushPeriod(uint32_t time_ms)
{
	FAIL_IF_TOLD();
	(void)time_ms;
	return GST_CUPTI_SUCCESS;
}

static int check_attribute(uint32_t attr, const size_t *value_size, const void *value)
{
	bool is_byte = attr == GST_CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER ||
		       attr == GST_CUPTI_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED ||
		       attr == GST_CUPTI_ATTR_PER_THREAD_ACTIVITY_BUFFER;

	if (!value_size || !value || attr > GST_CUPTI_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS ||
	    (attr == GST_CUPTI_ATTR_PER_THREAD_ACTIVITY_BUFFER &&
	     fake_version() < GST_CUPTI_V_12_3)) {
		return GST_CUPTI_ERROR_INVALID_PARAMETER;
	}
	return *value_size < (is_byte ? sizeof(uint8_t) : sizeof(size_t))
		       ? GST_CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT
		       : GST_CUPTI_SUCCESS;
}

/* Attributes are checked and have no effect: there is one list of buffers. */
int cuptiActivitySetAttribute(uint32_t attr, size_t *value_size, void *value)
{
	FAIL_IF_TOLD();
	UNLESS_FINALIZED();
	return check_attribute(attr, value_size, value);
}

int cuptiActivityGetAttribute(uint32_t attr, size_t *value_size, void *value)
{
	int result = check_attribute(attr, value_size, value);

	FAIL_IF_TOLD();
	if (!result) {
		memset(value, 0, *value_size);
	}
	return result;
}

int cuptiActivityEnableLatencyTimestamps(uint8_t enable)
{
	FAIL_IF_TOLD();
	(void)enable;
	return GST_CUPTI_SUCCESS;
}

int cuptiActivityEnableLaunchAttributes(uint8_t enable)
{
	FAIL_IF_TOLD();
	(void)enable;
	return GST_CUPTI_SUCCESS;
}

int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable)
{
	FAIL_IF_TOLD();
	UNLESS_FINALIZED();
	SET(event_times, enable != 0);
	return GST_CUPTI_SUCCESS;
}

int cuptiActivityEnableAllSyncRecords(uint8_t enable)
{
	FAIL_IF_TOLD();
	UNLESS_FINALIZED();
	SET(all_syncs, enable != 0);
	return GST_CUPTI_SUCCESS;
}

int cuptiSetThreadIdType(uint32_t type)
{
	FAIL_IF_TOLD();
	return type > GST_CUPTI_THREAD_ID_SYSTEM ? GST_CUPTI_ERROR_INVALID_PARAMETER
						 : GST_CUPTI_SUCCESS;
}

int cuptiGetContextId(void *context, uint32_t *context_id)
{
	FAIL_IF_TOLD();
	if (context != FAKE_CONTEXT) {
		return GST_CUPTI_ERROR_INVALID_CONTEXT;
	}
	*context_id = FAKE_CONTEXT_ID;
	return GST_CUPTI_SUCCESS;
}

int cuptiGetDeviceId(void *context, uint32_t *device_id)
{
	FAIL_IF_TOLD();
	if (context != FAKE_CONTEXT) {
		return GST_CUPTI_ERROR_INVALID_CONTEXT;
	}
	*device_id = FAKE_DEVICE_ID;
	return GST_CUPTI_SUCCESS;
}

int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *stream_id)
{
	FAIL_IF_TOLD();
	(void)context;
	*stream_id = fake_stream_id(stream, per_thread != 0);
	return *stream_id ? GST_CUPTI_SUCCESS : GST_CUPTI_ERROR_INVALID_STREAM;
}

int cuptiGetGraphId(void *graph, uint32_t *graph_id)
{
	FAIL_IF_TOLD();
	*graph_id = fake_graph_id(graph);
	return *graph_id ? GST_CUPTI_SUCCESS : GST_CUPTI_ERROR_INVALID_PARAMETER;
}

int cuptiGetGraphNodeId(void *node, uint64_t *node_id)
{
	FAIL_IF_TOLD();
	*node_id = fake_node_id(node);
	return *node_id ? GST_CUPTI_SUCCESS : GST_CUPTI_ERROR_INVALID_PARAMETER;
}

int cuptiGetGraphExecId(void *graph_exec, uint32_t *graph_id)
{
	FAIL_IF_TOLD();
	return cuptiGetGraphId(graph_exec, graph_id);
}

int cuptiFinalize(void)
{
	FAIL_IF_TOLD();
	SET(is_finalized, true);
	return GST_CUPTI_SUCCESS;
}
