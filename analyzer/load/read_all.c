/*
 * read_all.c - all records of a trace, with two threads.
 *
 * Role      : what the model reads with; gst_loader_next() for all others.
 * Method    : a window of chunks at a time: those of host threads and those of the device are given side by side, and
 *             whoever is done first reads and checks the chunks of the next window. A chunk that is not as a tracer
 *             writes them (definitions, cut, damaged, unknown or misplaced kinds) is read by itself, by the code
 *             behind gst_loader_next().
 * Invariant : what is given where hangs on the file alone, not on threads. A regular chunk has no reason to tell.
 * Not here  : what is wrong with a chunk (loader.c, reader_gst.c).
 */
#include "analyzer/base/parallel.h"
#include "analyzer/load/load.h"
#include "analyzer/load/reader_internal.h"
#include "analyzer/load/records.h"
#include "tracer/format/encode.h"

/* Chunks at a time: as many as keep the cost of starting threads small, and two windows stay in the cache. */
#define WINDOW_CHUNKS 128u
#define WINDOW_BYTES  ((size_t)2 << 20)
/* Not worth a thread. */
#define FEW_BYTES ((size_t)256 << 10)
/* A tracer's records are larger on average; what is denser is counted record by record. */
#define MEAN_BYTES 16u
/* Kinds above are not known. */
#define KINDS 0x400u

enum side { SIDE_CALL, SIDE_DEVICE };

struct slot {
	const struct gst_chunk_ref *ref;
	struct gst_chunk_header header;
	uint8_t *buffer; /* room for the body */
	const uint8_t *body;
	uint32_t tag;
	bool is_regular;
};

struct window {
	uint32_t count; /* slots in use */
	size_t bytes;	/* of their bodies */
	struct slot slots[WINDOW_CHUNKS];
	uint8_t *buffer;
	size_t buffer_bytes;
};

/* What one of the two threads counts. */
struct lane {
	uint64_t scratch[GST_DECODE_SCRATCH_BYTES / 8];
	uint64_t kind_records[GST_SCHEMA_RECORDS];
	uint64_t apart[8]; /* from the other's line of the cache */
};

struct reading {
	struct gst_loader *l;
	const struct gst_load_sink *sink;
	struct window windows[2];
	struct window *given,
		*next; /* the one whose records are given; the one that is checked meanwhile */
	struct lane lanes[2]; /* by side */
	/* By side: the kinds that belong there. */
	const struct gst_schema_record *schemas[2][KINDS];
};

static enum side side_of_chunk(const struct slot *s)
{
	return s->ref->thread ? SIDE_CALL : SIDE_DEVICE;
}

/* Whole records of known kinds that belong there, as many as the header says? */
static bool is_body_regular(const struct reading *r, const struct slot *s)
{
	const struct gst_schema_record *const *schemas = r->schemas[side_of_chunk(s)];
	size_t bytes = s->ref->body_bytes;
	uint32_t records = 0;
	size_t at = 0;

	while (at < bytes) {
		struct gst_rec_head head;
		uint32_t kind;

		if (bytes - at < sizeof(head))
			return false;
		memcpy(&head, s->body + at, sizeof(head));
		kind = head.kind & GST_KIND_MASK;
		if (!head.size8 || (size_t)head.size8 * 8 > bytes - at ||
		    (size_t)head.size8 * 8 > GST_RECORD_MAX_BYTES || kind >= KINDS ||
		    !schemas[kind])
			return false;
		at += (size_t)head.size8 * 8;
		records++;
	}
	return records == s->header.record_count && records && bytes / records >= MEAN_BYTES;
}

/* Read and check the chunk of @s. */
static void check_chunk(const struct reading *r, struct slot *s)
{
	uint64_t room[sizeof(s->header) / 8];
	struct gst_err ignored = {0}; /* it comes again when the chunk is read by itself */
	const uint8_t *p;

	s->is_regular = false;
	if (s->ref->state != GST_REF_SEALED || s->ref->skip_bytes)
		return;
	p = gst_source_read(&r->l->main, s->ref->offset, sizeof(room), (uint8_t *)room, &ignored);
	if (!p)
		return;
	memcpy(&s->header, p, sizeof(s->header));
	s->body = gst_source_read(&r->l->main, s->ref->offset + s->header.header_bytes,
				  s->ref->body_bytes, s->buffer, &ignored);
	s->is_regular = s->body &&
			gst_crc32c(0, s->body, s->ref->body_bytes) == s->header.body_crc &&
			is_body_regular(r, s);
}

/* The records of one side, chunk by chunk. */
static void give_side(struct reading *r, enum side side)
{
	struct lane *lane = &r->lanes[side];

	for (uint32_t i = 0; i < r->given->count; i++) {
		const struct slot *s = &r->given->slots[i];
		struct gst_records records = {.at = s->body,
					      .left = s->ref->body_bytes,
					      .offset = s->ref->offset + s->header.header_bytes,
					      .thread = s->header.thread,
					      .process = s->header.process,
					      .segment = s->header.segment,
					      .schemas = r->schemas[side],
					      .kind_records = lane->kind_records,
					      .scratch = lane->scratch};

		if (side_of_chunk(s) != side)
			continue;
		if (side == SIDE_CALL) {
			r->sink->calls(r->sink->payload, s->tag, &records);
		} else {
			r->sink->devices(r->sink->payload, s->tag, &records);
		}
	}
}

/* Tasks 0 and 1 give the records of a window, the others check a chunk of the next one each. */
static void give_or_check(uint32_t i, void *payload)
{
	struct reading *r = payload;

	switch (i) {
	case 0:
		give_side(r, SIDE_CALL);
		break;
	case 1:
		give_side(r, SIDE_DEVICE);
		break;
	default:
		check_chunk(r, &r->next->slots[i - 2]);
		break;
	}
}

/* Up to @most chunks from number @first of the order on, and room for their bodies. */
static void fill_window(const struct gst_loader *l, struct window *w, size_t first, uint32_t most)
{
	size_t at = 0;

	for (w->count = 0; w->count < most && first + w->count < l->order_count; w->count++) {
		struct slot *s = &w->slots[w->count];
		size_t room;

		s->ref = &l->refs.data[l->order[first + w->count]];
		room = gst_format_align8(s->ref->body_bytes);
		if (w->count && at + room > WINDOW_BYTES)
			break;
		s->buffer = w->buffer ? w->buffer + at : NULL;
		at += room;
	}
	w->bytes = at;
}

/*
 * The regular chunks that the window at hand begins with are given, while the next window, of up to @most, is
 * checked. False: the chunk that comes next is not regular.
 */
static bool give_window(struct reading *r, uint32_t most)
{
	struct gst_loader *l = r->l;
	struct window *w = r->given;
	uint32_t regular = 0;
	uint32_t tasks;
	bool is_whole;

	while (regular < w->count && w->slots[regular].is_regular) {
		struct slot *s = &w->slots[regular++];

		s->tag = r->sink->announce(r->sink->payload, s->header.process);
		gst_loader_widen_times(l, s->header.first_ns, s->header.last_ns);
	}
	is_whole = regular == w->count;
	fill_window(l, r->next, l->next + regular, is_whole ? most : 0);
	w->count = regular;
	tasks = 2 + r->next->count;
	if (w->bytes + r->next->bytes >= FEW_BYTES) {
		gst_parallel_run(tasks, give_or_check, r);
	} else {
		for (uint32_t i = 0; i < tasks; i++)
			give_or_check(i, r);
	}
	l->next += regular;
	r->given = r->next;
	r->next = w;
	return is_whole;
}

/* The next chunk by itself. */
static gst_status read_alone(struct reading *r, struct gst_err *err)
{
	struct gst_loader *l = r->l;
	const struct gst_chunk_ref *ref = &l->refs.data[l->order[l->next++]];
	int got = gst_chunk_open(l, ref);
	struct gst_record rec;
	gst_status st = GST_OK;

	if (got < 0) {
		*err = l->err;
		return got;
	}
	if (!got)
		return GST_OK;
	if (ref->state & GST_REF_STAGING)
		l->stats.staging_chunks++;
	while (!st && gst_chunk_next(l, &rec))
		st = r->sink->record(r->sink->payload, &rec, err);
	if (!st)
		gst_chunk_close(l);
	return st;
}

static struct reading *begin(struct gst_loader *l, const struct gst_load_sink *sink)
{
	struct reading *r = gst_mem_alloc(sizeof(*r));
	size_t all = 0, longest = 0;

	r->l = l;
	r->sink = sink;
	r->given = &r->windows[0];
	r->next = &r->windows[1];
	for (uint32_t kind = GST_REC_CALL; kind < KINDS; kind++)
		r->schemas[kind < GST_REC_KERNEL ? SIDE_CALL : SIDE_DEVICE][kind] =
			gst_schema_find(kind);
	/* It tells of a call, and stands among the records of the device. */
	r->schemas[SIDE_DEVICE][GST_REC_API_RUN] = NULL;
	/* Once, and not as windows grow: blocks that come and go make holes between those that stay. */
	for (size_t i = 0; i < l->order_count; i++) {
		size_t room = gst_format_align8(l->refs.data[i].body_bytes);

		all += room;
		longest = room > longest ? room : longest;
	}
	if (all > WINDOW_BYTES)
		all = longest > WINDOW_BYTES ? longest : WINDOW_BYTES;
	/* Bodies in memory are read in place, unless they are not aligned. */
	for (int i = 0; i < 2 && (l->main.fd >= 0 || (uintptr_t)l->main.data % 8); i++) {
		r->windows[i].buffer = gst_mem_alloc(all);
		r->windows[i].buffer_bytes = all;
	}
	return r;
}

static void end(struct reading *r)
{
	for (uint32_t i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < GST_SCHEMA_RECORDS; k++) {
			r->l->stats.records += r->lanes[i].kind_records[k];
			r->l->stats.kind_records[k] += r->lanes[i].kind_records[k];
		}
		gst_mem_free(r->windows[i].buffer, r->windows[i].buffer_bytes);
	}
	gst_mem_free(r, sizeof(*r));
}

gst_status gst_loader_read(struct gst_loader *l, const struct gst_load_sink *sink,
			   struct gst_err *err)
{
	struct reading *r = begin(l, sink);
	gst_status st = GST_OK;
	uint32_t most = 1;

	while (!st && l->next < l->order_count) {
		/* Few again behind a chunk read by itself: what is checked in vain is in proportion to what is given. */
		if (give_window(r, most)) {
			most = most < WINDOW_CHUNKS / 2 ? most * 2 : WINDOW_CHUNKS;
		} else {
			most = 1;
			st = read_alone(r, err);
		}
		if (!st)
			st = sink->pause(sink->payload, err);
	}
	end(r);
	if (!st && !l->is_over)
		gst_loader_finish(l);
	return st;
}
