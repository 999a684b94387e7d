/*
 * cupti_player.c - a libcupti that plays what the recorder wrote down, to the real libgstrace.
 *
 *     FAKE_CUPTI=libcupti_player.so GSTRACE_CUPTI=libcupti_player.so CUDA_INJECTION64_PATH=libgstrace.so
 *     fake_app -c RECORDING
 *
 * Role      : the "program with CUDA" and its CUPTI in one; fake_app calls fake_run_script() here.
 * Method    : events one at a time in the order of the file, each in a thread of its own kind; calls of
 *             libgstrace get the answers they got inside the same event, or the nearest ones. The last flush, at
 *             exit, brings what came in the recorded one.
 * Invariant : handles and addresses are those of the recording; what pointers lead to is a copy.
 * Not here  : what a callback is given (cupti_player_calls.c); clocks: call times are those of the replay.
 */
#include "tracer/fake_cupti/cupti_player.h"
#include "tracer/fake_cupti/fake_inject.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define EXPORT	     __attribute__((visibility("default")))
#define THREADS	     4096
#define FUNCTIONS    64
#define ARGUMENTS    4
#define NO_SUCH_CALL GST_CUPTI_ERROR_NOT_SUPPORTED

struct call {
	const char *name;
	int result;
	uint64_t arguments[ARGUMENTS];
	uint64_t out;
};

struct text {
	struct text *next;
	char *text;
};

struct buffer {
	struct buffer *next;
	uint64_t recorded;
	uint8_t *ours;
	size_t size;
};

static struct log_file file;
static char *names[FUNCTIONS];
static bool is_there[FUNCTIONS];
static uint32_t name_count;
static struct call *calls; /* one an event; those that are none have no name */
static size_t *ends;	   /* of a CALLBACK or COMPLETE */
static struct player_thread threads[THREADS];
static struct text *texts;
static struct buffer *buffers;
static size_t position; /* the event that is played */
static uint32_t main_thread;

struct player_tool player_tool;
static gst_cupti_buffer_requested_fn tool_requested;
static gst_cupti_buffer_completed_fn tool_completed;
static const size_t *tool_offsets; /* of the records in the buffer being handed over */
static uint32_t tool_offset_count;
static uint8_t *tool_buffer;

/* Whose turn it is: one event at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static uint32_t whose; /* thread + 1; 0: the main thread's */

void *player_allocate(size_t bytes)
{
	void *memory = calloc(1, bytes ? bytes : 1);

	if (!memory) {
		log_fail("no memory");
	}
	return memory;
}

/* ---- what was recorded ---------------------------------------------------------------------- */

static void read_file_event(void)
{
	struct log_cursor c = log_open(&file.events[0]);

	c.at += sizeof(LOG_MAGIC) - 1 + 4;
	free(log_get_text(&c));
	while (c.at < c.end && name_count < FUNCTIONS) {
		names[name_count] = log_get_text(&c);
		is_there[name_count++] = log_get_32(&c) != 0;
	}
}

static void read_call(size_t index)
{
	struct log_cursor c = log_open(&file.events[index]);
	uint32_t function = log_get_32(&c);
	struct call *call = &calls[index];
	uint32_t count;

	if (function >= name_count) {
		log_fail("a call of no function");
	}
	call->name = names[function];
	call->result = (int)log_get_32(&c);
	count = log_get_32(&c);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = log_get_64(&c);

		if (i < ARGUMENTS) {
			call->arguments[i] = value;
		}
	}
	count = log_get_32(&c);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = log_get_64(&c);

		call->out = i ? call->out : value;
	}
}

static void read_recording(const char *path)
{
	size_t *open = player_allocate(THREADS * sizeof(*open));

	log_read(&file, path);
	read_file_event();
	calls = player_allocate(file.count * sizeof(*calls));
	ends = player_allocate(file.count * sizeof(*ends));
	main_thread = THREADS;
	for (size_t i = 1; i < file.count; i++) {
		const struct log_head *head = &file.events[i].head;

		if (head->thread >= THREADS) {
			log_fail("too many threads");
		}
		switch (head->type) {
		case LOG_THREAD:
			threads[head->thread].name = &file.events[i];
			break;
		case LOG_CALL:
			read_call(i);
			if (main_thread == THREADS) {
				main_thread = head->thread;
			}
			break;
		case LOG_CALLBACK:
		case LOG_COMPLETE:
			open[head->thread] = i;
			ends[i] = i;
			break;
		case LOG_END:
			ends[open[head->thread]] = i;
			break;
		default:
			break;
		}
	}
	free(open);
}

static bool is_same(const struct call *a, const struct call *b)
{
	return a->name && strcmp(a->name, b->name) == 0 &&
	       memcmp(a->arguments, b->arguments, sizeof(a->arguments)) == 0;
}

/* The answer inside the event that is played, the last one before it, or the first one after. */
static int answer(struct call *call)
{
	const struct log_head *now = &file.events[position].head;
	size_t found = 0;

	for (size_t i = position; i <= ends[position]; i++) {
		if (file.events[i].head.thread == now->thread && is_same(&calls[i], call)) {
			found = i;
			break;
		}
	}
	for (size_t i = position; !found && i > 0; i--) {
		found = is_same(&calls[i], call) ? i : 0;
	}
	for (size_t i = position; !found && i < file.count; i++) {
		found = is_same(&calls[i], call) ? i : 0;
	}
	if (!found) {
		return NO_SUCH_CALL;
	}
	call->out = calls[found].out;
	return calls[found].result;
}

const char *player_pooled(char *text)
{
	for (struct text *t = texts; t; t = t->next) {
		if (strcmp(t->text, text) == 0) {
			free(text);
			return t->text;
		}
	}
	struct text *t = player_allocate(sizeof(*t));

	t->text = text;
	t->next = texts;
	texts = t;
	return text;
}

/* ---- functions of CUPTI --------------------------------------------------------------------- */

#define DECLARE(name)	    EXPORT gst_cupti_##name##_t name
#define GST_X(name, needed) DECLARE(name);
GST_CUPTI_FUNCTIONS(GST_X)
#undef GST_X

static int ask(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t *out)
{
	struct call call = {.name = name, .arguments = {a, b, c}};
	int result = answer(&call);

	if (!result && out) {
		*out = call.out;
	}
	return result;
}

static int ask_32(const char *name, uint64_t a, uint64_t b, uint64_t c, uint32_t *out)
{
	uint64_t value = 0;
	int result = ask(name, a, b, c, &value);

	if (!result) {
		*out = (uint32_t)value;
	}
	return result;
}

int cuptiGetVersion(uint32_t *version)
{
	return ask_32(__func__, 0, 0, 0, version);
}

int cuptiGetResultString(uint32_t result, const char **text)
{
	(void)result;
	(void)text;
	return NO_SUCH_CALL;
}

int cuptiGetTimestamp(uint64_t *timestamp_ns)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	*timestamp_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return GST_CUPTI_SUCCESS;
}

static int subscribe(const char *name, gst_cupti_subscriber_handle *subscriber,
		     gst_cupti_callback_fn callback, void *user)
{
	int result = ask(name, 0, 0, 0, NULL);

	if (!result) {
		player_tool.callback = callback;
		player_tool.user = user;
		*subscriber = (gst_cupti_subscriber_handle)(void *)&file;
	}
	return result;
}

int cuptiSubscribe(gst_cupti_subscriber_handle *subscriber, gst_cupti_callback_fn callback,
		   void *userdata)
{
	return subscribe(__func__, subscriber, callback, userdata);
}

int cuptiSubscribe_v2(gst_cupti_subscriber_handle *subscriber, gst_cupti_callback_fn callback,
		      void *userdata, struct gst_cupti_subscriber_params *params)
{
	(void)params;
	return subscribe(__func__, subscriber, callback, userdata);
}

int cuptiUnsubscribe(gst_cupti_subscriber_handle subscriber)
{
	(void)subscriber;
	return GST_CUPTI_SUCCESS;
}

int cuptiEnableCallback(uint32_t enable, gst_cupti_subscriber_handle subscriber, uint32_t domain,
			uint32_t cbid)
{
	(void)subscriber;
	return ask(__func__, enable, domain, cbid, NULL);
}

int cuptiActivityEnable(uint32_t kind)
{
	return ask(__func__, kind, 0, 0, NULL);
}

int cuptiActivityDisable(uint32_t kind)
{
	return ask(__func__, kind, 0, 0, NULL);
}

int cuptiActivityRegisterCallbacks(gst_cupti_buffer_requested_fn requested,
				   gst_cupti_buffer_completed_fn completed)
{
	tool_requested = requested;
	tool_completed = completed;
	return ask(__func__, 0, 0, 0, NULL);
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes,
			       struct gst_cupti_activity **record)
{
	uint32_t next = 0;

	(void)valid_bytes;
	if (buffer != tool_buffer) {
		return GST_CUPTI_ERROR_INVALID_PARAMETER;
	}
	while (*record && next < tool_offset_count &&
	       tool_offsets[next++] != (size_t)((uint8_t *)*record - buffer)) {
	}
	if (next >= tool_offset_count) {
		return GST_CUPTI_ERROR_MAX_LIMIT_REACHED;
	}
	*record = (struct gst_cupti_activity *)(void *)(buffer + tool_offsets[next]);
	return GST_CUPTI_SUCCESS;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream_id, size_t *dropped)
{
	*dropped = 0;
	/* Told once: not what an event before told. */
	for (size_t i = position; i <= ends[position]; i++) {
		const struct call wanted = {.name = __func__, .arguments = {P(context), stream_id}};

		if (is_same(&calls[i], &wanted)) {
			*dropped = calls[i].out;
			return calls[i].result;
		}
	}
	return GST_CUPTI_SUCCESS;
}

int cuptiActivitySetAttribute(uint32_t attr, size_t *value_size, void *value)
{
	(void)value_size;
	(void)value;
	return ask(__func__, attr, 0, 0, NULL);
}

int cuptiActivityEnableLatencyTimestamps(uint8_t enable)
{
	return ask(__func__, enable, 0, 0, NULL);
}

int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable)
{
	return ask(__func__, enable, 0, 0, NULL);
}

int cuptiActivityEnableAllSyncRecords(uint8_t enable)
{
	return ask(__func__, enable, 0, 0, NULL);
}

int cuptiSetThreadIdType(uint32_t type)
{
	return ask(__func__, type, 0, 0, NULL);
}

int cuptiGetContextId(void *context, uint32_t *context_id)
{
	return ask_32(__func__, P(context), 0, 0, context_id);
}

int cuptiGetDeviceId(void *context, uint32_t *device_id)
{
	return ask_32(__func__, P(context), 0, 0, device_id);
}

int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *stream_id)
{
	return ask_32(__func__, P(context), P(stream), per_thread, stream_id);
}

int cuptiGetGraphId(void *graph, uint32_t *graph_id)
{
	return ask_32(__func__, P(graph), 0, 0, graph_id);
}

int cuptiGetGraphExecId(void *graph_exec, uint32_t *graph_id)
{
	return ask_32(__func__, P(graph_exec), 0, 0, graph_id);
}

int cuptiGetGraphNodeId(void *node, uint64_t *node_id)
{
	return ask(__func__, P(node), 0, 0, node_id);
}

/* ---- buffers -------------------------------------------------------------------------------- */

static struct buffer **find_buffer(uint64_t recorded)
{
	struct buffer **at = &buffers;

	while (*at && (*at)->recorded != recorded) {
		at = &(*at)->next;
	}
	return at;
}

static struct buffer *request(uint64_t recorded)
{
	struct buffer *buffer = player_allocate(sizeof(*buffer));
	size_t max_records = 0;

	tool_requested(&buffer->ours, &buffer->size, &max_records);
	buffer->recorded = recorded;
	buffer->next = buffers;
	buffers = buffer;
	return buffer;
}

static void play_request(const struct log_event *event)
{
	struct log_cursor c = log_open(event);
	uint64_t recorded = log_get_64(&c);

	if (recorded && tool_requested && !*find_buffer(recorded)) {
		request(recorded);
	}
}

static void put_pointers(struct log_cursor *c, uint8_t *buffer, size_t valid)
{
	for (uint32_t count = log_get_32(c); count; count--) {
		uint32_t at = log_get_32(c);
		uint32_t type = log_get_32(c);
		char *text = log_get_text(c);
		const char *pointer = type == LOG_POINTER_TEXT ? player_pooled(text) : text;

		if (at + sizeof(pointer) > valid) {
			log_fail("a pointer outside of its buffer");
		}
		memcpy(buffer + at, &pointer, sizeof(pointer));
	}
}

static void play_complete(const struct log_event *event)
{
	struct log_cursor c = log_open(event);
	void *context = (void *)(uintptr_t)log_get_64(&c);
	uint32_t stream = log_get_32(&c);
	uint64_t recorded = log_get_64(&c);
	struct buffer **at = find_buffer(recorded);
	struct buffer *buffer;
	struct log_cursor pointers, skip;
	const unsigned char *bytes;
	size_t *offsets;
	uint32_t valid;

	if (!tool_completed || !recorded) {
		return;
	}
	buffer = *at ? *at : request(recorded);
	at = find_buffer(recorded);
	(void)log_get_64(&c);
	tool_offset_count = log_get_32(&c);
	offsets = player_allocate(tool_offset_count * sizeof(*offsets));
	for (uint32_t i = 0; i < tool_offset_count; i++) {
		offsets[i] = log_get_32(&c);
	}
	pointers = c;
	skip = c;
	for (uint32_t count = log_get_32(&skip); count; count--) {
		uint32_t length;

		(void)log_get_64(&skip);
		(void)log_get_bytes(&skip, &length);
	}
	bytes = log_get_bytes(&skip, &valid);
	if (!buffer->ours || buffer->size < valid) {
		log_fail("libgstrace gives smaller buffers now: record again");
	}
	memcpy(buffer->ours, bytes, valid);
	put_pointers(&pointers, buffer->ours, valid);
	tool_offsets = offsets;
	tool_buffer = buffer->ours;
	*at = buffer->next;
	tool_completed(context, stream, buffer->ours, buffer->size, valid);
	tool_buffer = NULL;
	tool_offset_count = 0;
	free(offsets);
	free(buffer);
}

/* Buffers that never came back hold at least one record. */
static void play_held(const struct log_event *event)
{
	struct log_cursor c = log_open(event);

	for (uint32_t count = log_get_32(&c); count; count--) {
		struct buffer *buffer = *find_buffer(log_get_64(&c));
		uint32_t word = log_get_32(&c);

		if (buffer && buffer->ours) {
			__atomic_store_n((uint32_t *)(void *)buffer->ours, word, __ATOMIC_RELAXED);
		}
	}
}

/* ---- the play ------------------------------------------------------------------------------- */

static void play(const struct log_event *event)
{
	switch (event->head.type) {
	case LOG_CALLBACK:
		player_callback(&threads[event->head.thread], event);
		break;
	case LOG_REQUEST:
		play_request(event);
		break;
	case LOG_COMPLETE:
		play_complete(event);
		break;
	default:
		break;
	}
}

static bool is_played(const struct log_event *event)
{
	return event->head.type == LOG_CALLBACK || event->head.type == LOG_REQUEST ||
	       event->head.type == LOG_COMPLETE;
}

static bool is_forced_flush(const struct log_event *event)
{
	struct log_cursor c = log_open(event);

	return event->head.type == LOG_FLUSH && log_get_32(&c) == GST_CUPTI_FLUSH_FORCED;
}

static void take_name(const struct player_thread *t)
{
	struct log_cursor c = log_open(t->name);
	char *name;

	(void)log_get_64(&c);
	name = log_get_text(&c);
	prctl(PR_SET_NAME, name);
	free(name);
}

/* Plays the event at position whenever it is called, and ends with its THREAD_END. */
static void *run_thread(void *arg)
{
	struct player_thread *t = arg;
	uint32_t self = (uint32_t)(t - threads) + 1;
	bool is_over = false;

	take_name(t);
	pthread_mutex_lock(&lock);
	while (!is_over) {
		while (whose != self) {
			pthread_cond_wait(&turn, &lock);
		}
		pthread_mutex_unlock(&lock);
		is_over = file.events[position].head.type == LOG_THREAD_END;
		play(&file.events[position]);
		pthread_mutex_lock(&lock);
		if (!is_over) {
			whose = 0;
			pthread_cond_broadcast(&turn);
		}
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void play_in(struct player_thread *t)
{
	bool is_end = file.events[position].head.type == LOG_THREAD_END;

	if (!t->is_started) {
		if (is_end) {
			return;
		}
		if (!t->name || pthread_create(&t->thread, NULL, run_thread, t)) {
			log_fail("a thread cannot be made");
		}
		t->is_started = true;
	}
	pthread_mutex_lock(&lock);
	whose = (uint32_t)(t - threads) + 1;
	pthread_cond_broadcast(&turn);
	while (whose && !is_end) {
		pthread_cond_wait(&turn, &lock);
	}
	pthread_mutex_unlock(&lock);
	if (is_end) {
		/* With the destructors that libgstrace has for its threads. */
		pthread_join(t->thread, NULL);
		t->is_started = false;
		/* The other threads wait, and may look. */
		pthread_mutex_lock(&lock);
		whose = 0;
		pthread_mutex_unlock(&lock);
	}
}

EXPORT int fake_run_script(const char *path);

/* What fake_app calls: the script is the name of a recording. */
int fake_run_script(const char *path)
{
	read_recording(path);
	if (main_thread == THREADS) {
		log_fail("nothing was recorded");
	}
	take_name(&threads[main_thread]);
	fake_inject("cupti_player");
	for (position = 1; position < file.count && !is_forced_flush(&file.events[position]);
	     position++) {
		const struct log_event *event = &file.events[position];

		if (event->head.type != LOG_THREAD_END && !is_played(event)) {
			continue;
		}
		if (event->head.thread == main_thread) {
			play(event);
		} else {
			play_in(&threads[event->head.thread]);
		}
	}
	return 0;
}

int cuptiActivityFlushAll(uint32_t flag)
{
	/* Earlier ones: their buffers come at their place in the recording. */
	if (flag != GST_CUPTI_FLUSH_FORCED || position == file.count) {
		return GST_CUPTI_SUCCESS;
	}
	for (; position < file.count; position++) {
		const struct log_event *event = &file.events[position];

		if (event->head.type == LOG_REQUEST || event->head.type == LOG_COMPLETE) {
			play(event);
		} else if (event->head.type == LOG_HELD) {
			play_held(event);
		}
	}
	position = file.count - 1;
	return GST_CUPTI_SUCCESS;
}

/* ---- the driver, which libgstrace asks about devices ---------------------------------------- */

EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuDeviceGetCount(int *count);
EXPORT int cuDeviceGet(int *device, int ordinal);
EXPORT int cuDeviceGetUuid(uint8_t uuid[16], int device);
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device);

#define DRIVER_ERROR 100 /* no device */

/* Open at the number of devices; false: the driver was not asked. */
static bool open_driver(struct log_cursor *c, uint32_t *version)
{
	for (size_t i = 1; i < file.count; i++) {
		if (file.events[i].head.type == LOG_DRIVER) {
			*c = log_open(&file.events[i]);
			*version = log_get_32(c);
			return true;
		}
	}
	return false;
}

int cuDriverGetVersion(int *version)
{
	struct log_cursor c;
	uint32_t value;

	if (!open_driver(&c, &value)) {
		return DRIVER_ERROR;
	}
	*version = (int)value;
	return 0;
}

int cuDeviceGetCount(int *count)
{
	struct log_cursor c;
	uint32_t version;

	if (!open_driver(&c, &version)) {
		return DRIVER_ERROR;
	}
	*count = (int)log_get_32(&c);
	return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal;
	return 0;
}

/* At the UUID of @device. */
static bool open_device(struct log_cursor *c, int device)
{
	uint32_t version, count;

	if (!open_driver(c, &version) || device < 0 || (uint32_t)device >= log_get_32(c)) {
		return false;
	}
	for (; device; device--) {
		c->at += 16;
		for (count = log_get_32(c); count; count--) {
			(void)log_get_64(c);
		}
	}
	return true;
}

int cuDeviceGetUuid(uint8_t uuid[16], int device)
{
	struct log_cursor c;

	if (!open_device(&c, device)) {
		return DRIVER_ERROR;
	}
	memcpy(uuid, c.at, 16);
	return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	struct log_cursor c;

	if (!open_device(&c, device)) {
		return DRIVER_ERROR;
	}
	c.at += 16;
	for (uint32_t count = log_get_32(&c); count; count--) {
		uint32_t which = log_get_32(&c);
		uint32_t found = log_get_32(&c);

		if (which == (uint32_t)attribute) {
			*value = (int)found;
			return 0;
		}
	}
	return DRIVER_ERROR;
}
