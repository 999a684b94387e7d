/*
 * read_all_test.c - gst_loader_read gives what gst_loader_next gives, on every trace named as an argument and on
 *                   larger ones made here, with any number of threads.
 *
 * Role      : holds the reader with two threads to the plain one.
 * Method    : a hash over the records of each side in their order, and all that is told of the file.
 * Invariant : none.
 * Not here  : what records mean.
 */
#include "analyzer/base/outfile.h"
#include "analyzer/base/parallel.h"
#include "analyzer/base/vec.h"
#include "analyzer/load/gst_writer.h"
#include "analyzer/load/load.h"
#include "analyzer/load/records.h"

#include <inttypes.h>

struct seen {
	uint64_t hash[3]; /* of calls of threads, device records of none, all others */
	uint64_t count[3];

	bool is_tag_wrong;
	struct gst_load_stats stats;
};

static void mix(uint64_t *hash, const void *data, size_t bytes)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < bytes; i++)
		*hash = (*hash ^ p[i]) * UINT64_C(0x100000001b3);
}

static void look(struct seen *s, const struct gst_record *r)
{
	bool is_call = r->kind >= GST_REC_CALL && r->kind < GST_REC_KERNEL && r->thread;
	bool is_device = r->kind >= GST_REC_KERNEL && r->kind != GST_REC_API_RUN && !r->thread;
	int i = is_call ? 0 : is_device ? 1 : 2;
	const uint32_t words[] = {r->kind,
				  r->corr,
				  r->thread,
				  r->process,
				  r->segment,
				  r->tail_bytes,
				  (uint32_t)r->schema->index};

	mix(&s->hash[i], words, sizeof(words));
	mix(&s->hash[i], &r->offset, sizeof(r->offset));
	mix(&s->hash[i], (const uint8_t *)r->data + sizeof(struct gst_rec_head),
	    r->schema->bytes - sizeof(struct gst_rec_head));
	mix(&s->hash[i], r->tail, r->tail_bytes);
	s->count[i]++;
}

static gst_status on_record(void *payload, const struct gst_record *r, struct gst_err *err)
{
	(void)err;
	look(payload, r);
	return GST_OK;
}

static uint32_t on_announce(void *payload, uint32_t process)
{
	(void)payload;
	return process ^ 0x5a5a;
}

static void on_aside(struct seen *s, uint32_t tag, struct gst_records *records)
{
	struct gst_record r;

	while (gst_records_next(records, &r)) {
		if (tag != (r.process ^ 0x5a5a))
			s->is_tag_wrong = true;
		look(s, &r);
	}
}

static void on_calls(void *payload, uint32_t tag, struct gst_records *records)
{
	on_aside((struct seen *)payload, tag, records);
}

static void on_devices(void *payload, uint32_t tag, struct gst_records *records)
{
	on_aside((struct seen *)payload + 1, tag, records);
}

static gst_status on_pause(void *payload, struct gst_err *err)
{
	(void)payload;
	(void)err;
	return GST_OK;
}

static bool is_same(const struct gst_load_stats *a, const struct gst_load_stats *b)
{
	if (a->records != b->records || a->chunks != b->chunks || a->first_ns != b->first_ns ||
	    a->last_ns != b->last_ns || a->chunks_outside != b->chunks_outside ||
	    a->chunks_damaged != b->chunks_damaged || a->chunks_double != b->chunks_double ||
	    a->lost_records != b->lost_records || a->unknown_records != b->unknown_records ||
	    a->unknown_count != b->unknown_count || a->reason_count != b->reason_count ||
	    a->has_end != b->has_end || a->is_complete != b->is_complete ||
	    memcmp(a->kind_records, b->kind_records, sizeof(a->kind_records)) != 0)
		return false;
	for (size_t i = 0; i < a->reason_count; i++) {
		if (a->reasons[i].code != b->reasons[i].code ||
		    a->reasons[i].count != b->reasons[i].count ||
		    a->reasons[i].offset != b->reasons[i].offset ||
		    strcmp(a->reasons[i].text, b->reasons[i].text) != 0)
			return false;
	}
	return true;
}

/* Records that came by @calls and @devices, of all; -1: not what it should be. */
static int64_t compare(const char *path, const struct gst_load_options *o, uint32_t threads)
{
	struct gst_loader *plain, *l;
	/* Of the calling thread, and of device records. */
	struct seen by_next = {.count = {0}}, by_read[2] = {{.count = {0}}, {.count = {0}}};
	const struct gst_load_sink sink = {.payload = by_read,
					   .record = on_record,
					   .announce = on_announce,
					   .calls = on_calls,
					   .devices = on_devices,
					   .pause = on_pause};
	struct gst_err err = {0};
	struct gst_record r;
	int64_t aside;
	bool is_good;

	/* Some of the damaged ones are no trace any more. */
	if (gst_loader_open(path, o, &plain, &err))
		return 0;
	if (gst_loader_open(path, o, &l, &err)) {
		printf("FAIL: %s\n", err.text);
		exit(1);
	}
	while (gst_loader_next(plain, &r) > 0)
		look(&by_next, &r);
	gst_parallel_set_threads(threads);
	if (gst_loader_read(l, &sink, &err)) {
		printf("FAIL: %s: %s\n", path, err.text);
		exit(1);
	}
	is_good = !by_read[0].is_tag_wrong && !by_read[1].is_tag_wrong;
	aside = (int64_t)by_read[1].count[1];
	/* Device records came by either way, and then in the order of the two. */
	is_good = is_good && by_next.count[1] == by_read[0].count[1] + by_read[1].count[1] &&
		  (by_read[0].count[1] || by_next.hash[1] == by_read[1].hash[1]) &&
		  (by_read[1].count[1] || by_next.hash[1] == by_read[0].hash[1]);
	for (int i = 0; i < 3; i += 2)
		is_good = is_good && by_next.count[i] == by_read[0].count[i] &&
			  by_next.hash[i] == by_read[0].hash[i];
	is_good = is_good && is_same(gst_loader_stats(plain), gst_loader_stats(l));
	gst_loader_close(plain);
	gst_loader_close(l);
	if (!is_good)
		printf("FAIL: %s: not the same with %" PRIu32 " threads\n", path, threads);
	return is_good ? aside : -1;
}

/* @chunks chunks of calls and of device records in turn; @odd: one in 37 is not as a tracer writes it. */
static void write_trace(const char *path, uint32_t chunks, bool is_odd)
{
	const struct gst_schema_record *call = gst_schema_find(GST_REC_CALL_STREAM);
	const struct gst_schema_record *kernel = gst_schema_find(GST_REC_KERNEL);
	const struct gst_schema_record *brief = gst_schema_find(GST_REC_KERNEL_SHORT);
	struct gst_err err = {0};
	struct gst_outfile *out;
	struct gst_gst_writer *w;

	if (gst_outfile_open(path, &out, &err)) {
		printf("FAIL: %s\n", err.text);
		exit(1);
	}
	w = gst_gst_writer_new(out);
	for (uint32_t i = 0; i < chunks; i++) {
		struct gst_chunk_header like = {.flags = GST_CHUNK_EVENTS | GST_CHUNK_SEALED,
						.process = 7 + i % 3,
						.thread = i % 2 ? 1 + i % 5 : 0,
						.sequence = 1 + i / 3};
		bool is_misplaced = is_odd && i % 37 == 36;

		if (is_odd && i % 41 == 40)
			like.flags &= ~(uint32_t)GST_CHUNK_SEALED;
		gst_gst_writer_begin(w, &like);
		for (uint32_t k = 0; k < 400; k++) {
			struct gst_rec_call_stream c = {.enter_ns = 1000 + i * 1000 + k,
							.stream = k};
			struct gst_rec_kernel d = {.start_ns = 2000 + i * 1000 + k, .ctx = 1};
			struct gst_rec_kernel_short s = {.start_ns = d.start_ns,
							 .duration_ns = k,
							 .graph_node = k % 3 ? k : 0};
			bool is_call = (like.thread != 0) != (is_misplaced && k == 200);
			gst_status st =
				is_call ? gst_gst_writer_put(w, call, k + 1, &c, NULL, 0, &err)
				: k % 2 ? gst_gst_writer_put(w, kernel, k + 1, &d, NULL, 0, &err)
					: gst_gst_writer_put(w, brief, k + 1, &s, NULL, 0, &err);

			if (st) {
				printf("FAIL: %s\n", err.text);
				exit(1);
			}
		}
		gst_gst_writer_end(w);
	}
	gst_gst_writer_free(w);
	if (gst_outfile_commit(out, &err)) {
		printf("FAIL: %s\n", err.text);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	const struct gst_load_options all = {.segment = -1};
	const struct gst_load_options window = {.segment = -1, .from_ns = 100000, .to_ns = 200000};
	const char *folder = getenv("TEST_TMPDIR");
	int64_t aside, expected = 0;
	char path[512];
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		for (uint32_t threads = 1; threads <= 2; threads++)
			failed |= compare(argv[i], &all, threads) < 0;
	}
	for (int is_odd = 0; is_odd < 2; is_odd++) {
		snprintf(path, sizeof(path), "%s/read_all_%d.gst", folder ? folder : "/tmp",
			 is_odd);
		write_trace(path, 600, is_odd);
		for (uint32_t threads = 1; threads <= 4; threads += threads) {
			failed |= compare(path, &window, threads) < 0;
			aside = compare(path, &all, threads);
			failed |= aside < 0;
			/* That what came aside did not hang on threads; and that it did come. */
			if (threads == 1)
				expected = aside;
			if (aside != expected || aside < (is_odd ? 50000 : 120000)) {
				printf("FAIL: %" PRId64
				       " device records aside, with one thread %" PRId64 "\n",
				       aside, expected);
				failed = 1;
			}
		}
		remove(path);
	}
	if (!failed)
		printf("read_all_test: ok\n");
	return failed;
}
