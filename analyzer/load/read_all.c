/*
 * read_all.c - all records of a trace, with two threads.
 *
 * Role      : what the model reads with; gst_loader_next() for all others.
 * Method    : some chunks at a time: read and check each (any thread), then those of host threads and those of the
 *             device side by side. A chunk that is not as a tracer writes them (definitions, cut, damaged, unknown or
 *             misplaced kinds) is read by itself, by the code behind gst_loader_next().
 * Invariant : what is given where hangs on the file alone, not on threads. A regular chunk has no reason to tell.
 * Not here  : what is wrong with a chunk (loader.c, reader_gst.c).
 */
#include "analyzer/base/parallel.h"
#include "analyzer/load/load.h"
#include "analyzer/load/reader_internal.h"
#include "tracer/format/encode.h"

/* Chunks at a time: as many as keep the cost of starting threads small. */
#define WINDOW_CHUNKS 256u
#define WINDOW_BYTES  ((size_t)4 << 20)
/* Not worth a thread. */
#define FEW_BYTES ((size_t)256 << 10)
/* A tracer's records are larger on average; what is denser is counted record by record. */
#define MEAN_BYTES 16u
/* Kinds above are not known. */
#define KINDS 0x400u

enum side { SIDE_NONE, SIDE_CALL, SIDE_DEVICE };

struct slot {
	const struct gst_chunk_ref *ref;
	struct gst_chunk_header header;
	uint8_t *buffer; /* room for the body */
	const uint8_t *body;
	uint32_t tag;
	bool is_regular;
};

/* What one of the two threads counts. */
struct lane {
	uint64_t scratch[GST_DECODE_SCRATCH_BYTES / 8];
	uint64_t records;
	uint64_t kind_records[GST_SCHEMA_RECORDS];
	uint64_t apart[8]; /* from the other's line of the cache */
};

struct reading {
	struct gst_loader *l;
	const struct gst_load_sink *sink;
	uint32_t count; /* slots in use */
	size_t bytes;	/* of their bodies */
	struct slot slots[WINDOW_CHUNKS];
	struct lane lanes[2]; /* of SIDE_CALL, SIDE_DEVICE */
	uint8_t side_of[KINDS];
	uint8_t *buffer;
	size_t buffer_bytes;
};

static enum side side_of_chunk(const struct slot *s)
{
	return s->ref->thread ? SIDE_CALL : SIDE_DEVICE;
}

/* Whole records of the kinds that belong there, as many as the header says? */
static bool is_body_regular(const struct reading *r, const struct slot *s)
{
	enum side side = side_of_chunk(s);
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
		    r->side_of[kind] != side)
			return false;
		at += (size_t)head.size8 * 8;
		records++;
	}
	return records == s->header.record_count && records && bytes / records >= MEAN_BYTES;
}

/* Read and check chunk @i of the window. */
static void check_chunk(uint32_t i, void *payload)
{
	struct reading *r = payload;
	struct slot *s = &r->slots[i];
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

static void read_chunk(struct reading *r, struct lane *lane, const struct slot *s)
{
	void (*put)(void *, uint32_t, const struct gst_record *) =
		side_of_chunk(s) == SIDE_CALL ? r->sink->call : r->sink->device;
	struct gst_record rec = {.thread = s->header.thread,
				 .process = s->header.process,
				 .segment = s->header.segment};
	uint64_t offset = s->ref->offset + s->header.header_bytes;
	size_t at = 0;

	while (at < s->ref->body_bytes) {
		uint32_t bytes;

		if (gst_decode_record(s->body + at, s->ref->body_bytes - at, lane->scratch, &rec,
				      &bytes) != GST_DECODE_OK)
			return;
		rec.offset = offset + at;
		at += bytes;
		lane->records++;
		lane->kind_records[rec.schema->index]++;
		put(r->sink->payload, s->tag, &rec);
	}
}

/* The chunks of one side, in order. */
static void read_side(uint32_t i, void *payload)
{
	struct reading *r = payload;

	for (uint32_t k = 0; k < r->count; k++) {
		if (side_of_chunk(&r->slots[k]) == (i ? SIDE_DEVICE : SIDE_CALL))
			read_chunk(r, &r->lanes[i], &r->slots[k]);
	}
}

/* Up to @most chunks from the next one on, and room for their bodies. */
static void fill_window(struct reading *r, uint32_t most)
{
	struct gst_loader *l = r->l;
	size_t bytes = 0, at = 0;

	for (r->count = 0; r->count < most && l->next + r->count < l->order_count; r->count++) {
		struct slot *s = &r->slots[r->count];
		size_t room;

		s->ref = &l->refs.data[l->order[l->next + r->count]];
		room = gst_format_align8(s->ref->body_bytes);
		if (r->count && bytes + room > WINDOW_BYTES)
			break;
		bytes += room;
	}
	r->bytes = bytes;
	for (uint32_t i = 0; i < r->count && r->buffer; i++) {
		r->slots[i].buffer = r->buffer + at;
		at += gst_format_align8(r->slots[i].ref->body_bytes);
	}
}

/* The regular chunks that the window begins with: their number. */
static uint32_t read_window(struct reading *r)
{
	struct gst_loader *l = r->l;

	gst_parallel_run(r->count, check_chunk, r);
	for (uint32_t i = 0; i < r->count; i++) {
		struct slot *s = &r->slots[i];

		if (!s->is_regular) {
			r->count = i;
			break;
		}
		s->tag = r->sink->announce(r->sink->payload, s->header.process);
		gst_loader_widen_times(l, s->header.first_ns, s->header.last_ns);
	}
	if (r->bytes >= FEW_BYTES) {
		gst_parallel_run(2, read_side, r);
	} else {
		read_side(0, r);
		read_side(1, r);
	}
	l->next += r->count;
	return r->count;
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
	for (uint32_t kind = GST_REC_CALL; kind < KINDS; kind++) {
		if (gst_schema_find(kind))
			r->side_of[kind] = kind < GST_REC_KERNEL ? SIDE_CALL : SIDE_DEVICE;
	}
	/* It tells of a call, and stands among the records of the device. */
	r->side_of[GST_REC_API_RUN] = SIDE_NONE;
	/* Once, and not as windows grow: blocks that come and go make holes between those that stay. */
	for (size_t i = 0; i < l->order_count; i++) {
		size_t room = gst_format_align8(l->refs.data[i].body_bytes);

		all += room;
		longest = room > longest ? room : longest;
	}
	if (all > WINDOW_BYTES)
		all = longest > WINDOW_BYTES ? longest : WINDOW_BYTES;
	/* Bodies in memory are read in place, unless they are not aligned. */
	if (l->main.fd >= 0 || (uintptr_t)l->main.data % 8) {
		r->buffer = gst_mem_alloc(all);
		r->buffer_bytes = all;
	}
	return r;
}

static void end(struct reading *r)
{
	for (uint32_t i = 0; i < 2; i++) {
		r->l->stats.records += r->lanes[i].records;
		for (uint32_t k = 0; k < GST_SCHEMA_RECORDS; k++)
			r->l->stats.kind_records[k] += r->lanes[i].kind_records[k];
	}
	gst_mem_free(r->buffer, r->buffer_bytes);
	gst_mem_free(r, sizeof(*r));
}

gst_status gst_loader_read(struct gst_loader *l, const struct gst_load_sink *sink,
			   struct gst_err *err)
{
	struct reading *r = begin(l, sink);
	gst_status st = GST_OK;
	uint32_t window = 1;

	while (!st && l->next < l->order_count) {
		uint32_t wanted, done;

		fill_window(r, window);
		wanted = r->count;
		done = r->slots[0].ref->state == GST_REF_SEALED ? read_window(r) : 0;
		if (done == wanted) {
			window = window < WINDOW_CHUNKS / 2 ? window * 2 : WINDOW_CHUNKS;
		} else {
			/* Small steps again: what was looked at in vain is not more than what was read. */
			window = 1;
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
