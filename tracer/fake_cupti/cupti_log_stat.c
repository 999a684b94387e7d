/*
 * cupti_log_stat.c - what a recording shows of its CUPTI.
 *
 *     cupti_log_stat RECORDING...     one fact a line: name, tab, value
 *
 * Role      : tools/record_cupti.sh makes its table of versions from it; tests hold record sizes against cupti_abi.h.
 * Method    : one pass over the events; sizes of records are the distances between them.
 * Invariant : only what is in the recording is said; nothing is judged that did not occur.
 * Not here  : playing it (cupti_player.c).
 */
#include "tracer/cupti_api.h"
#include "tracer/fake_cupti/cupti_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS	64
#define DOMAINS GST_CUPTI_DOMAIN_COUNT
#define SIZES	8
#define IDS	(1u << 20)

struct ids {
	uint32_t *list;
	size_t count;
};

struct stat {
	char *library;
	char *names[64];
	uint32_t name_count;
	uint32_t version;
	uint32_t missing;
	bool is_subscribed; /* it was asked to */
	int subscribe;	    /* result */
	uint32_t enabled[DOMAINS], refused[DOMAINS];
	uint32_t callbacks[DOMAINS];
	int kind_result[KINDS];
	bool is_kind_asked[KINDS];
	uint32_t records[KINDS];
	uint32_t sizes[KINDS][SIZES];
	uint32_t buffers, held, threads;
	uint64_t record_bytes;
	struct ids called; /* correlation ids of callbacks */
	struct ids worked; /* ... of device records */
	struct ids told;   /* ... of RUNTIME and DRIVER records */
	struct ids alone;  /* ... of kernels and launches of graphs, of which a call makes one */
	struct ids
		copied; /* ... of copies and memsets outside of graphs, of which it may make several */
	size_t alone_records;
	bool is_forced;
};

static void add_id(struct ids *ids, uint32_t id)
{
	if (!ids->list) {
		ids->list = calloc(IDS, sizeof(*ids->list));
	}
	if (!ids->list) {
		log_fail("no memory");
	}
	if (ids->count < IDS && (!ids->count || ids->list[ids->count - 1] != id)) {
		ids->list[ids->count++] = id;
	}
}

static int compare_ids(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sorted, each once. */
static void sort_ids(struct ids *ids)
{
	size_t kept = 0;

	if (ids->count) {
		qsort(ids->list, ids->count, sizeof(*ids->list), compare_ids);
	}
	for (size_t i = 0; i < ids->count; i++) {
		if (!kept || ids->list[kept - 1] != ids->list[i]) {
			ids->list[kept++] = ids->list[i];
		}
	}
	ids->count = kept;
}

static size_t common_ids(const struct ids *a, const struct ids *b)
{
	size_t common = 0;

	for (size_t i = 0; i < a->count; i++) {
		common += b->count && bsearch(&a->list[i], b->list, b->count, sizeof(*b->list),
					      compare_ids) != NULL;
	}
	return common;
}

static void read_file_event(struct stat *s, struct log_cursor c)
{
	c.at += sizeof(LOG_MAGIC) - 1 + 4;
	s->library = log_get_text(&c);
	while (c.at < c.end && s->name_count < 64) {
		s->names[s->name_count++] = log_get_text(&c);
		s->missing += !log_get_32(&c);
	}
}

static void read_call(struct stat *s, struct log_cursor c)
{
	uint32_t function = log_get_32(&c);
	const char *name = function < s->name_count ? s->names[function] : "";
	int result = (int)log_get_32(&c);
	uint64_t arguments[3] = {0};

	for (uint32_t i = 0, count = log_get_32(&c); i < count; i++) {
		uint64_t value = log_get_64(&c);

		if (i < 3) {
			arguments[i] = value;
		}
	}
	if (!strcmp(name, "cuptiGetVersion") && log_get_32(&c)) {
		s->version = (uint32_t)log_get_64(&c);
	} else if (!strncmp(name, "cuptiSubscribe", 14)) {
		s->is_subscribed = true;
		s->subscribe = result;
	} else if (!strcmp(name, "cuptiEnableCallback") && arguments[1] < DOMAINS) {
		(result ? s->refused : s->enabled)[arguments[1]]++;
	} else if (!strcmp(name, "cuptiActivityEnable") && arguments[0] < KINDS) {
		s->is_kind_asked[arguments[0]] = true;
		s->kind_result[arguments[0]] = result;
	}
}

static void read_callback(struct stat *s, struct log_cursor c)
{
	uint32_t domain = log_get_32(&c);

	(void)log_get_32(&c);
	if (domain < DOMAINS) {
		s->callbacks[domain]++;
	}
	if (log_get_32(&c) == LOG_DATA_API) {
		(void)log_get_32(&c);
		(void)log_get_64(&c);
		(void)log_get_32(&c);
		add_id(&s->called, log_get_32(&c));
	}
}

static void add_size(struct stat *s, uint32_t kind, uint32_t size)
{
	for (int i = 0; i < SIZES; i++) {
		if (!s->sizes[kind][i] || s->sizes[kind][i] == size) {
			s->sizes[kind][i] = size;
			return;
		}
	}
}

/* A kernel of a graph has the number of the graph's launch. */
static void add_work(struct stat *s, struct ids *ids, uint32_t id, uint32_t graph)
{
	add_id(&s->worked, id);
	if (!graph) {
		add_id(ids, id);
		s->alone_records += ids == &s->alone;
	}
}

/* @room: bytes to the next record. */
static void read_record(struct stat *s, const unsigned char *record, uint32_t room)
{
	union {
		struct gst_cupti_kernel kernel;
		struct gst_cupti_memcpy copy;
		struct gst_cupti_memset memset;
		struct gst_cupti_graph_trace graph;
		struct gst_cupti_api api;
		uint32_t kind;
	} r;

	memset(&r, 0, sizeof(r));
	memcpy(&r, record, room < sizeof(r) ? room : sizeof(r));
	if (r.kind >= KINDS) {
		r.kind = 0;
	}
	s->records[r.kind]++;
	add_size(s, r.kind, room);
	switch (r.kind) {
	case GST_CUPTI_KIND_CONCURRENT_KERNEL:
		add_work(s, &s->alone, r.kernel.correlationId, r.kernel.graphId);
		break;
	case GST_CUPTI_KIND_MEMCPY:
		add_work(s, &s->copied, r.copy.correlationId, r.copy.graphId);
		break;
	case GST_CUPTI_KIND_MEMSET:
		add_work(s, &s->copied, r.memset.correlationId, r.memset.graphId);
		break;
	case GST_CUPTI_KIND_GRAPH_TRACE:
		add_work(s, &s->alone, r.graph.correlationId, 0);
		break;
	case GST_CUPTI_KIND_DRIVER:
	case GST_CUPTI_KIND_RUNTIME:
		add_id(&s->told, r.api.correlationId);
		break;
	default:
		break;
	}
}

static void read_complete(struct stat *s, struct log_cursor c)
{
	const unsigned char *bytes;
	uint32_t *offsets;
	uint32_t count, valid;

	s->buffers++;
	(void)log_get_64(&c);
	(void)log_get_32(&c);
	(void)log_get_64(&c);
	(void)log_get_64(&c);
	count = log_get_32(&c);
	offsets = calloc((size_t)count + 1, sizeof(*offsets));
	if (!offsets) {
		log_fail("no memory");
	}
	for (uint32_t i = 0; i < count; i++) {
		offsets[i] = log_get_32(&c);
	}
	for (uint32_t i = log_get_32(&c); i; i--) {
		uint32_t length;

		(void)log_get_64(&c);
		(void)log_get_bytes(&c, &length);
	}
	bytes = log_get_bytes(&c, &valid);
	offsets[count] = valid;
	s->record_bytes += valid;
	for (uint32_t i = 0; i < count; i++) {
		if (offsets[i] > offsets[i + 1] || offsets[i + 1] > valid) {
			log_fail("records overlap");
		}
		read_record(s, bytes + offsets[i], offsets[i + 1] - offsets[i]);
	}
	free(offsets);
}

static void read_events(struct stat *s, const struct log_file *file)
{
	for (size_t i = 0; i < file->count; i++) {
		struct log_cursor c = log_open(&file->events[i]);

		switch ((enum log_type)file->events[i].head.type) {
		case LOG_FILE:
			read_file_event(s, c);
			break;
		case LOG_THREAD:
			s->threads++;
			break;
		case LOG_CALL:
			read_call(s, c);
			break;
		case LOG_CALLBACK:
			read_callback(s, c);
			break;
		case LOG_COMPLETE:
			read_complete(s, c);
			break;
		case LOG_FLUSH:
			s->is_forced |= log_get_32(&c) == GST_CUPTI_FLUSH_FORCED;
			break;
		case LOG_HELD:
			s->held = log_get_32(&c);
			break;
		case LOG_THREAD_END:
		case LOG_END:
		case LOG_REQUEST:
		case LOG_DRIVER:
			break;
		}
	}
	sort_ids(&s->called);
	sort_ids(&s->worked);
	sort_ids(&s->told);
	sort_ids(&s->alone);
	sort_ids(&s->copied);
}

static void print_domain(const struct stat *s, const char *name, uint32_t domain)
{
	printf("callbacks-%s\t%u came, %u enabled, %u refused\n", name, s->callbacks[domain],
	       s->enabled[domain], s->refused[domain]);
}

/* Of the ids in device records, @found belong to a call. A number that CUPTI left standing belongs to one too, so
 * works that cannot be of one call must not share one. */
static const char *how(const struct stat *s, size_t found)
{
	bool is_shared = s->alone.count < s->alone_records || common_ids(&s->alone, &s->copied) > 0;

	if (!s->worked.count) {
		return "none";
	}
	if (s->worked.count == 1 && (is_shared || !found)) {
		return "one stale number";
	}
	return is_shared ? "stale numbers" : found == s->worked.count ? "match" : "do not match";
}

static void print(const struct stat *s)
{
	size_t joined = common_ids(&s->worked, &s->called);
	size_t told = common_ids(&s->told, &s->worked);

	printf("library\t%s\nversion\t%u\nmissing-functions\t%u\n", s->library, s->version,
	       s->missing);
	if (s->is_subscribed) {
		printf("subscribe\t%d\n", s->subscribe);
	} else {
		printf("subscribe\tnot asked\n");
	}
	printf("threads\t%u\n", s->threads);
	print_domain(s, "driver", GST_CUPTI_DOMAIN_DRIVER);
	print_domain(s, "runtime", GST_CUPTI_DOMAIN_RUNTIME);
	print_domain(s, "resource", GST_CUPTI_DOMAIN_RESOURCE);
	printf("buffers\t%u of %llu bytes, %u still inside%s\n", s->buffers,
	       (unsigned long long)s->record_bytes, s->held,
	       s->is_forced ? "" : " (no last flush)");
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		if (s->is_kind_asked[kind] && s->kind_result[kind]) {
			printf("kind-%u-refused\t%d\n", kind, s->kind_result[kind]);
		}
		if (s->records[kind]) {
			printf("kind-%u\t%u records of", kind, s->records[kind]);
			for (int i = 0; i < SIZES && s->sizes[kind][i]; i++) {
				printf(" %u", s->sizes[kind][i]);
			}
			printf(" bytes\n");
		}
	}
	printf("correlation\t%zu ids in calls, %zu in device records, %zu in both, %zu in api records, %zu of "
	       "them in device records\n",
	       s->called.count, s->worked.count, joined, s->told.count, told);
	printf("attached\t%s\n", s->is_subscribed && !s->subscribe ? "yes" : "no");
	printf("calls\t%s\n",
	       s->callbacks[GST_CUPTI_DOMAIN_DRIVER] + s->callbacks[GST_CUPTI_DOMAIN_RUNTIME]
		       ? "yes"
		       : "none");
	printf("device\t%s\n", s->worked.count ? "yes" : "none");
	printf("ids\t%s\n", how(s, joined));
	printf("api\t%s\n", s->told.count ? how(s, told) : "none");
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stat *s = calloc(1, sizeof(*s));
		struct log_file file;

		if (!s) {
			log_fail("no memory");
		}
		log_read(&file, argv[i]);
		read_events(s, &file);
		print(s);
		log_release(&file);
		for (uint32_t n = 0; n < s->name_count; n++) {
			free(s->names[n]);
		}
		free(s->library);
		free(s->called.list);
		free(s->worked.list);
		free(s->told.list);
		free(s->alone.list);
		free(s->copied.list);
		free(s);
	}
	return argc > 1 ? 0 : 2;
}
