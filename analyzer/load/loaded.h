/* loaded.h - for tests: a trace from memory, loaded whole, and as what. Whatever fails fails the running test. */
#ifndef GSTRACE_ANALYZER_LOAD_LOADED_H
#define GSTRACE_ANALYZER_LOAD_LOADED_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/base/mem.h"
#include "analyzer/load/gst_writer.h"
#include "analyzer/load/load.h"
#include "analyzer/load/text_writer.h"

/* A small trace with all that matters: two threads, device records, a string, a trailer. */
static const char loaded_small_text[] =
	"gstext 1.0\n"
	"chunk defs process=100\n"
	"string id=1 text=\"vec_add\"\n"
	"trace start_mono_ns=5 writer=1\n"
	"process pid=100 name=1\n"
	"context ctx=1 null_stream=7\n"
	"stream ctx=1 stream=7 type=legacy\n"
	"segment time_ns=5\n"
	"chunk events process=100 thread=1\n"
	"call_launch corr=7 enter_ns=100 api=cuLaunchKernel ctx=1 name=1\n"
	"call_exit corr=7 exit_ns=120\n"
	"chunk events process=100 thread=2\n"
	"call_copy corr=8 enter_ns=1000 api=cuMemcpyHtoDAsync_v2 size=64\n"
	"call_exit corr=8 exit_ns=1200\n"
	"chunk events process=100\n"
	"kernel corr=7 start_ns=200 end_ns=300 ctx=1 stream=7 name=1\n"
	"chunk defs process=100\n"
	"end time_ns=2000 records=11 chunks=4\n";

/* A loaded trace as text, in one place. */
struct loaded {
	gst_status st;
	struct gst_err err;
	char *text;
	size_t length, room;
	bool is_complete, has_end;
	struct gst_load_stats stats;
	char reasons[1000];
};

/** Load @data into @r; whatever came of it, give it back with loaded_free. */
static inline void loaded_bytes(struct loaded *r, const void *data, size_t size,
				const struct gst_load_options *o)
{
	const struct gst_load_stats *stats;
	struct gst_outfile *out;
	struct gst_loader *l;
	size_t i, used = 0;

	memset(r, 0, sizeof(*r));
	r->st = gst_loader_open_memory(data, size, "test", o, &l, &r->err);
	if (r->st)
		return;
	out = gst_outfile_open_memory();
	r->st = gst_text_write_trace(out, l, &r->err);
	r->text = gst_outfile_take_memory(out, &r->length, &r->room);
	stats = gst_loader_stats(l);
	r->stats = *stats;
	r->is_complete = stats->is_complete;
	r->has_end = stats->has_end;
	for (i = 0; i < stats->reason_count && used < sizeof(r->reasons); i++)
		used += (size_t)snprintf(r->reasons + used, sizeof(r->reasons) - used,
					 "%" PRIu64 ": %s\n", stats->reasons[i].count,
					 stats->reasons[i].text);
	/* Good as long as the loader only. */
	r->stats.reasons = NULL;
	r->stats.unknown = NULL;
	gst_loader_close(l);
}

static inline void loaded_free(struct loaded *r)
{
	gst_mem_free(r->text, r->room);
	r->text = NULL;
}

/** Options that ask for nothing special. */
static inline struct gst_load_options loaded_options(void)
{
	return (struct gst_load_options){.segment = -1};
}

/** The bytes of a .gst with the records of @text: *size of them, to give back with gst_mem_free(.., *room). */
static inline uint8_t *loaded_gst(const char *text, size_t *size, size_t *room)
{
	struct gst_load_options o = loaded_options();
	uint64_t before = 0;
	struct gst_gst_writer *w;
	struct gst_outfile *out;
	struct gst_err err = {0};
	struct gst_record rec;
	struct gst_loader *l;
	int got;

	o.file_order = true;
	o.keep_unknown = true;
	o.keep_short = true;
	if (gst_loader_open_memory(text, strlen(text), "text", &o, &l, &err))
		fail_msg("%s", err.text);
	out = gst_outfile_open_memory();
	w = gst_gst_writer_new(out);
	while ((got = gst_loader_next(l, &rec)) > 0) {
		const struct gst_chunk_header *h = gst_loader_chunk(l);
		struct gst_rec_head head;

		if (gst_loader_chunk_number(l) != before) {
			if (before)
				gst_gst_writer_end(w);
			before = gst_loader_chunk_number(l);
			gst_gst_writer_begin(w, h);
		}
		memcpy(&head, rec.data, sizeof(head));
		if (rec.schema)
			assert_int_equal(gst_gst_writer_put(w, rec.schema, rec.corr, rec.data,
							    rec.tail, rec.tail_bytes, &err),
					 GST_OK);
		else
			assert_int_equal(gst_gst_writer_put_raw(w, head.kind, rec.corr, rec.tail,
								rec.tail_bytes, &err),
					 GST_OK);
	}
	assert_int_equal(got, 0);
	gst_gst_writer_end(w);
	gst_gst_writer_free(w);
	gst_loader_close(l);
	return (uint8_t *)gst_outfile_take_memory(out, size, room);
}

#endif
