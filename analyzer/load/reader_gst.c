/*
 * reader_gst.c - find the chunks of a .gst, put them in order, read their bodies.
 *
 * Role      : the only code that knows how a file is cut into chunks.
 * Method    : headers first, bodies when their turn comes. Where no header is expected any more, the
 *             next one is searched for at steps of 8 bytes; zeros are skipped in silence.
 * Invariant : the ranges of the chunks in the index do not overlap, so reading them all is linear in
 *             the size of the file.
 * Not here  : records (decode.c), counting them (loader.c).
 */
#include "analyzer/load/reader_internal.h"

#include "analyzer/base/assert.h"
#include "tracer/format/encode.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#define SCAN_BYTES	 ((size_t)64 << 10)
#define HEADER_MAX_BYTES 4096u

const uint8_t *gst_source_read(const struct gst_source *s, uint64_t offset, size_t bytes,
			       uint8_t *buffer, struct gst_err *err)
{
	size_t done = 0;

	GST_ASSERT(offset <= s->size && bytes <= s->size - offset);
	if (s->fd < 0) {
		const uint8_t *p = s->data + offset;

		if ((uintptr_t)p % 8 == 0)
			return p;
		memcpy(buffer, p, bytes);
		return buffer;
	}
	while (done < bytes) {
		ssize_t n = pread(s->fd, buffer + done, bytes - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			gst_err_set(err, GST_E_IO,
				    "%s: cannot read %zu bytes at offset 0x%" PRIx64 ": %s",
				    s->name, bytes - done, offset + done,
				    n < 0 ? strerror(errno) : "the file became shorter");
			return NULL;
		}
		done += (size_t)n;
	}
	return buffer;
}

enum header_check { HEADER_GOOD, HEADER_BAD, HEADER_NONE, HEADER_REFUSED };

/*
 * Look at the header at @offset. REFUSED: @err says why. BAD: the magic is there, the rest is not
 * in order.
 */
static enum header_check check_header(const struct gst_source *s, uint64_t offset,
				      struct gst_chunk_header *h, struct gst_err *err)
{
	uint64_t buffer[sizeof(*h) / 8];
	const uint8_t *p;
	const char *codec;

	if (s->size - offset < sizeof(*h))
		return HEADER_NONE;
	p = gst_source_read(s, offset, sizeof(*h), (uint8_t *)buffer, err);
	if (!p)
		return HEADER_REFUSED;
	memcpy(h, p, sizeof(*h));
	if (h->magic != GST_CHUNK_MAGIC)
		return HEADER_NONE;
	/* Another major may have another header: at the begin of the file believe the number alone. */
	if (h->major != GST_FORMAT_MAJOR &&
	    (offset == 0 || h->header_crc == gst_chunk_header_crc(h))) {
		gst_err_set(
			err, GST_E_VERSION,
			"%s: offset 0x%" PRIx64
			": trace format version %u.%u, but this gstrace reads version %u (up to %u.%u)",
			s->name, offset, (unsigned int)h->major, (unsigned int)h->minor,
			(unsigned int)GST_FORMAT_MAJOR, (unsigned int)GST_FORMAT_MAJOR,
			(unsigned int)GST_FORMAT_MINOR);
		return HEADER_REFUSED;
	}
	if (h->header_crc != gst_chunk_header_crc(h))
		return HEADER_BAD;
	if (h->codec != GST_CODEC_NONE) {
		codec = gst_codec_name(h->codec);
		gst_err_set(err, GST_E_UNSUPPORTED,
			    "%s: offset 0x%" PRIx64
			    ": chunk compressed with %s (codec %u), which this gstrace cannot read",
			    s->name, offset, codec ? codec : "an unknown codec",
			    (unsigned int)h->codec);
		return HEADER_REFUSED;
	}
	if (h->header_bytes < sizeof(*h) || h->header_bytes % 8 != 0 ||
	    h->header_bytes > HEADER_MAX_BYTES || h->header_bytes > s->size - offset ||
	    h->stored_bytes > GST_CHUNK_MAX_BYTES || h->unpacked_bytes != h->stored_bytes)
		return HEADER_BAD;
	return HEADER_GOOD;
}

/* What search() found on its way. */
struct found {
	uint64_t offset;	 /* of the header, or `end` if there is none */
	uint64_t garbage_bytes;	 /* that are not zero and no header */
	uint64_t garbage_offset; /* of the first of them */
	struct gst_chunk_header header;
	enum header_check check; /* GOOD, NONE (reached the end) or REFUSED */
};

/* Search [from, end) for a valid header, at steps of 8 bytes. @buffer has SCAN_BYTES. */
static void search(const struct gst_source *s, uint64_t from, uint64_t end, uint8_t *buffer,
		   struct found *f, struct gst_err *err)
{
	uint64_t at = from;

	f->garbage_bytes = 0;
	f->garbage_offset = UINT64_MAX;
	f->check = HEADER_NONE;
	f->offset = from;
	/* Mostly it is right there: the rest need not be read for that. */
	if (from < end) {
		f->check = check_header(s, from, &f->header, err);
		if (f->check == HEADER_GOOD || f->check == HEADER_REFUSED)
			return;
		f->check = HEADER_NONE;
	}
	while (at < end) {
		size_t bytes = end - at < SCAN_BYTES ? (size_t)(end - at) : SCAN_BYTES;
		const uint8_t *p = gst_source_read(s, at, bytes, buffer, err);
		size_t i;

		if (!p) {
			f->check = HEADER_REFUSED;
			return;
		}
		for (i = 0; i < bytes; i += 8) {
			uint64_t word = 0;

			memcpy(&word, p + i, bytes - i < 8 ? bytes - i : 8);
			if (!word)
				continue;
			if (word == GST_CHUNK_MAGIC) {
				f->check = check_header(s, at + i, &f->header, err);
				if (f->check == HEADER_GOOD || f->check == HEADER_REFUSED) {
					f->offset = at + i;
					return;
				}
				f->check = HEADER_NONE;
			}
			if (f->garbage_offset == UINT64_MAX)
				f->garbage_offset = at + i;
			f->garbage_bytes += bytes - i < 8 ? bytes - i : 8;
		}
		at += bytes;
	}
	f->offset = end;
}

/* Whether the word at @offset is where a chunk may end: end of file, zero, or another chunk. */
static bool is_boundary(const struct gst_source *s, uint64_t offset, struct gst_err *err,
			bool *failed)
{
	uint64_t word = 0, buffer = 0;
	size_t bytes;
	const uint8_t *p;

	*failed = false;
	if (offset >= s->size)
		return true;
	bytes = s->size - offset < 8 ? (size_t)(s->size - offset) : 8;
	p = gst_source_read(s, offset, bytes, (uint8_t *)&buffer, err);
	if (!p) {
		*failed = true;
		return true;
	}
	memcpy(&word, p, bytes);
	return !word || word == GST_CHUNK_MAGIC;
}

static void add_ref(struct gst_loader *l, const struct gst_chunk_header *h, uint64_t offset,
		    uint64_t body_bytes, uint32_t state)
{
	struct gst_chunk_ref r = {
		.offset = offset & ((UINT64_C(1) << 48) - 1),
		.source_page = h->source_page,
		.source_offset = h->source_offset,
		.body_bytes = (uint32_t)body_bytes,
		.process = h->process,
		.thread = h->thread,
		.segment = h->segment,
		.state = (uint16_t)state,
	};
	bool is_always_read = (h->flags & (GST_CHUNK_DEFS | GST_CHUNK_END)) != 0;

	if (h->flags & GST_CHUNK_SEALED)
		r.state |= GST_REF_SEALED;
	/* A page of staging memory is numbered as a page, not as a chunk of the file. */
	if (h->flags & GST_CHUNK_SEALED ||
	    (h->sequence != h->source_page && !(state & GST_REF_STAGING)))
		r.sequence = h->sequence;
	if (h->flags & GST_CHUNK_DEFS)
		r.state |= GST_REF_DEFS;
	if (h->flags & GST_CHUNK_END)
		r.state |= GST_REF_END;
	if (l->options.segment >= 0 && h->segment != (uint32_t)l->options.segment)
		r.state |= GST_REF_OUTSIDE;
	if (!is_always_read && h->first_ns && h->last_ns &&
	    ((l->options.from_ns && h->last_ns < l->options.from_ns) ||
	     (l->options.to_ns && h->first_ns > l->options.to_ns)))
		r.state |= GST_REF_OUTSIDE;
	gst_vec_push(&l->refs, r);
	l->stats.chunks++;
}

gst_status gst_index_source(struct gst_loader *l, const struct gst_source *s, uint32_t extra_state,
			    struct gst_err *err)
{
	uint8_t *buffer = gst_mem_alloc(SCAN_BYTES);
	gst_status st = GST_OK;
	uint64_t at = 0;

	while (at < s->size) {
		struct found f;
		uint64_t body, end, next, scan_end;
		uint32_t state = extra_state;
		struct found inner;
		bool failed;

		search(s, at, s->size, buffer, &f, err);
		if (f.check == HEADER_REFUSED) {
			st = err ? err->status : GST_E_IO;
			break;
		}
		/* Staging memory is no file: what is not (yet) a chunk in it is no damage. */
		if (f.garbage_bytes && !(extra_state & GST_REF_STAGING)) {
			l->stats.skipped_bytes += f.garbage_bytes;
			gst_loader_reason(l, GST_LOAD_BAD_HEADER, f.garbage_bytes, f.garbage_offset,
					  "%" PRIu64 " bytes from offset 0x%" PRIx64
					  " on are no chunk; expected a chunk header or zeros",
					  f.garbage_bytes, f.garbage_offset);
		}
		if (f.check != HEADER_GOOD)
			break;

		body = f.offset + f.header.header_bytes;
		end = body + f.header.stored_bytes;
		next = gst_format_align8(end);
		if (end > s->size) {
			end = s->size;
			next = s->size;
			state |= GST_REF_TRUNCATED;
			scan_end = s->size;
		} else if (next >= s->size || is_boundary(s, next, err, &failed)) {
			scan_end = 0;
		} else {
			/* Bytes may have been taken out of its body: then the next chunk begins early. */
			scan_end = end;
		}
		if (scan_end) {
			search(s, body, scan_end, buffer, &inner, err);
			if (inner.check == HEADER_REFUSED) {
				st = err ? err->status : GST_E_IO;
				break;
			}
			if (inner.check == HEADER_GOOD) {
				end = inner.offset;
				next = inner.offset;
				state |= GST_REF_CUT;
			}
		}
		add_ref(l, &f.header, f.offset, end - body, state);
		at = next;
		/* What pads a body to 8 bytes is zero. */
		if (next > end && next <= s->size) {
			uint64_t word = 0, room = 0;
			const uint8_t *p = gst_source_read(s, end, (size_t)(next - end),
							   (uint8_t *)&room, err);

			if (!p) {
				st = GST_E_IO;
				break;
			}
			memcpy(&word, p, (size_t)(next - end));
			if (word) {
				l->stats.skipped_bytes += next - end;
				gst_loader_reason(l, GST_LOAD_BAD_HEADER, next - end, end,
						  "padding at offset 0x%" PRIx64 " is not zero",
						  end);
			}
		}
	}
	gst_mem_free(buffer, SCAN_BYTES);
	return st;
}

/* ---- order ---------------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The first difference decides; equal chunks stay in the order of the file. */
#define FIRST_OF(...)                                                        \
	do {                                                                 \
		const int results[] = {__VA_ARGS__};                         \
		size_t k;                                                    \
                                                                             \
		for (k = 0; k < sizeof(results) / sizeof(results[0]); k++) { \
			if (results[k])                                      \
				return results[k];                           \
		}                                                            \
		return 0;                                                    \
	} while (0)

/* A, B: the two chunks; I, J: their indexes. */
#define CHUNKS(l, a, b)                                                        \
	const uint32_t i = *(const uint32_t *)(a), j = *(const uint32_t *)(b); \
	const struct gst_chunk_ref *r = &(l)->refs.data[i], *s = &(l)->refs.data[j]

static int by_number(const void *a, const void *b, void *loader)
{
	const struct gst_loader *l = loader;

	CHUNKS(l, a, b);
	FIRST_OF(compare(r->process, s->process), compare(r->sequence, s->sequence), compare(i, j));
}

static int compare_places(const struct gst_chunk_ref *r, const struct gst_chunk_ref *s)
{
	/* Open chunks after the sealed ones, which hold copies of them. */
	FIRST_OF(compare(r->source_page, s->source_page),
		 compare(!(r->state & GST_REF_SEALED), !(s->state & GST_REF_SEALED)),
		 compare(r->source_offset, s->source_offset));
}

static int by_page(const void *a, const void *b, void *loader)
{
	const struct gst_loader *l = loader;

	CHUNKS(l, a, b);
	FIRST_OF(compare(r->process, s->process), compare_places(r, s), compare(i, j));
}

static int by_order(const void *a, const void *b, void *loader)
{
	const struct gst_loader *l = loader;

	CHUNKS(l, a, b);
	/* What has no number (0) comes last. */
	FIRST_OF(compare(!(r->state & GST_REF_DEFS), !(s->state & GST_REF_DEFS)),
		 compare(r->segment, s->segment), compare(r->process, s->process),
		 compare(r->sequence - 1, s->sequence - 1), compare(i, j));
}

static int compare_threads(const struct gst_chunk_ref *r, const struct gst_chunk_ref *s)
{
	FIRST_OF(compare(r->segment, s->segment), compare(r->process, s->process),
		 compare(r->thread, s->thread));
}

static int by_thread_and_page(const void *a, const void *b, void *loader)
{
	const struct gst_loader *l = loader;

	CHUNKS(l, a, b);
	FIRST_OF(compare_threads(r, s), compare_places(r, s), compare(i, j));
}

/* Of places in l->order. */
static int by_thread_and_place(const void *a, const void *b, void *loader)
{
	const struct gst_loader *l = loader;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	FIRST_OF(compare_threads(&l->refs.data[l->order[i]], &l->refs.data[l->order[j]]),
		 compare(i, j));
}

typedef int (*compare_fn)(const void *a, const void *b, void *loader);

/* Most files are in order already. */
static void sort_indexes(struct gst_loader *l, uint32_t *indexes, size_t count, compare_fn fn)
{
	size_t i;

	for (i = 1; i < count; i++) {
		if (fn(&indexes[i - 1], &indexes[i], l) > 0) {
			qsort_r(indexes, count, sizeof(*indexes), fn, l);
			return;
		}
	}
}

/* Gaps in the numbers of the sealed chunks of each process, and numbers that are there twice. */
static void check_numbers(struct gst_loader *l, uint32_t *indexes)
{
	const struct gst_chunk_ref *before = NULL;
	size_t i, n = 0;

	for (i = 0; i < l->refs.count; i++) {
		if (l->refs.data[i].sequence)
			indexes[n++] = (uint32_t)i;
	}
	sort_indexes(l, indexes, n, by_number);
	for (i = 0; i < n; i++) {
		struct gst_chunk_ref *r = &l->refs.data[indexes[i]];
		uint64_t expected = 1;

		if (before && before->process == r->process)
			expected = before->sequence + 1;
		if (r->sequence > expected) {
			gst_loader_reason(l, GST_LOAD_MISSING_CHUNKS, r->sequence - expected,
					  r->offset,
					  "chunk at offset 0x%" PRIx64 " of process %" PRIu32
					  " has number %" PRIu64 ", expected %" PRIu64,
					  (uint64_t)r->offset, r->process, r->sequence, expected);
		} else if (r->sequence < expected) {
			gst_loader_reason(l, GST_LOAD_MISSING_CHUNKS, 1, r->offset,
					  "chunk at offset 0x%" PRIx64 " of process %" PRIu32
					  " has number %" PRIu64
					  " like the one at offset 0x%" PRIx64,
					  (uint64_t)r->offset, r->process, r->sequence,
					  (uint64_t)before->offset);
			if (!l->options.file_order)
				r->state |= GST_REF_DOUBLE;
		}
		before = r;
	}
}

/* What several chunks copied from the same staging memory is read once. */
static void find_double_coverage(struct gst_loader *l, uint32_t *indexes)
{
	const struct gst_chunk_ref *before = NULL;
	uint64_t covered = 0;
	size_t i, n = 0;

	for (i = 0; i < l->refs.count; i++) {
		if (l->refs.data[i].source_page)
			indexes[n++] = (uint32_t)i;
	}
	sort_indexes(l, indexes, n, by_page);
	for (i = 0; i < n; i++) {
		struct gst_chunk_ref *r = &l->refs.data[indexes[i]];
		uint64_t end = (uint64_t)r->source_offset + r->body_bytes;

		if (!before || before->process != r->process ||
		    before->source_page != r->source_page)
			covered = 0;
		before = r;
		if (r->state & GST_REF_DOUBLE)
			continue;
		if (r->source_offset > covered) {
			gst_loader_reason(
				l, GST_LOAD_MISSING_BYTES, r->source_offset - covered, r->offset,
				"chunk at offset 0x%" PRIx64 " goes on at byte %" PRIu32
				" of staging page %" PRIu64 ", expected byte %" PRIu64,
				(uint64_t)r->offset, r->source_offset, r->source_page, covered);
		} else if (!l->options.file_order) {
			if (covered - r->source_offset >= r->body_bytes && r->body_bytes)
				r->state |= GST_REF_DOUBLE;
			else
				r->skip_bytes = (uint32_t)(covered - r->source_offset);
		}
		/* How far an open chunk is filled is not known before it is read. */
		if (r->state & GST_REF_SEALED && end > covered)
			covered = end;
	}
}

/*
 * The chunks of a thread come in the order in which it filled staging pages: page numbers only
 * grow, while the writer may reach a newer page before the rest of an older one.
 */
static void order_by_pages(struct gst_loader *l, uint32_t *wanted)
{
	uint32_t *places;
	size_t i, n = 0, count = 0;

	for (i = 0; i < l->order_count; i++) {
		const struct gst_chunk_ref *r = &l->refs.data[l->order[i]];

		count += !(r->state & GST_REF_DEFS) && r->source_page && r->thread;
	}
	/* `places` gets, thread by thread, the places in the order; `wanted` what belongs there. */
	places = gst_mem_alloc(count * sizeof(*places));
	for (i = 0; i < l->order_count; i++) {
		const struct gst_chunk_ref *r = &l->refs.data[l->order[i]];

		if (r->state & GST_REF_DEFS || !r->source_page || !r->thread)
			continue;
		wanted[n] = l->order[i];
		places[n++] = (uint32_t)i;
	}
	sort_indexes(l, places, n, by_thread_and_place);
	sort_indexes(l, wanted, n, by_thread_and_page);
	for (i = 0; i < n; i++)
		l->order[places[i]] = wanted[i];
	gst_mem_free(places, count * sizeof(*places));
}

void gst_index_finish(struct gst_loader *l)
{
	size_t count = l->refs.count;
	uint32_t *indexes = gst_mem_alloc(count * sizeof(*indexes));
	size_t i;

	GST_ASSERT(count < UINT32_MAX);
	check_numbers(l, indexes);
	find_double_coverage(l, indexes);

	l->order = gst_mem_alloc(count * sizeof(*l->order));
	l->order_count = count;
	for (i = 0; i < count; i++)
		l->order[i] = (uint32_t)i;
	if (!l->options.file_order) {
		sort_indexes(l, l->order, count, by_order);
		order_by_pages(l, indexes);
	}
	gst_mem_free(indexes, count * sizeof(*indexes));
}

/* ---- bodies --------------------------------------------------------------------------------- */

static uint8_t *body_buffer(struct gst_loader *l, size_t bytes)
{
	if (bytes > l->buffer_bytes) {
		gst_mem_free(l->buffer, l->buffer_bytes);
		l->buffer = NULL;
		l->buffer_bytes = 0;
		l->buffer = gst_mem_alloc(bytes);
		l->buffer_bytes = bytes;
	}
	return l->buffer;
}

int gst_chunk_open(struct gst_loader *l, const struct gst_chunk_ref *ref)
{
	const struct gst_source *s = ref->state & GST_REF_STAGING ? &l->staging : &l->main;
	uint64_t offset = ref->offset;
	uint64_t room[sizeof(struct gst_chunk_header) / 8];
	const uint8_t *p;

	if (ref->state & GST_REF_OUTSIDE) {
		l->stats.chunks_outside++;
		return 0;
	}
	if (ref->state & GST_REF_DOUBLE) {
		l->stats.chunks_double++;
		return 0;
	}
	if (ref->state & GST_REF_CUT) {
		l->stats.chunks_damaged++;
		gst_loader_reason(l, GST_LOAD_BAD_BODY, 1, offset,
				  "chunk at offset 0x%" PRIx64
				  ": another chunk begins after %" PRIu32 " bytes of its body",
				  offset, ref->body_bytes);
		return 0;
	}
	p = gst_source_read(s, offset, sizeof(room), (uint8_t *)room, &l->err);
	if (!p)
		return GST_E_IO;
	memcpy(&l->header, p, sizeof(l->header));
	l->body_offset = ref->offset + l->header.header_bytes;
	p = gst_source_read(s, l->body_offset, ref->body_bytes, body_buffer(l, ref->body_bytes),
			    &l->err);
	if (!p)
		return GST_E_IO;
	if (ref->state & GST_REF_TRUNCATED) {
		l->stats.chunks_damaged++;
		gst_loader_reason(l, GST_LOAD_TRUNCATED, 1, offset,
				  "chunk at offset 0x%" PRIx64 " has %" PRIu64
				  " bytes of records, but the file ends after %" PRIu32,
				  offset, l->header.stored_bytes, ref->body_bytes);
	} else if (ref->state & GST_REF_SEALED) {
		uint32_t crc = gst_crc32c(0, p, ref->body_bytes);

		if (crc != l->header.body_crc) {
			l->stats.chunks_damaged++;
			gst_loader_reason(l, GST_LOAD_BAD_BODY, 1, offset,
					  "chunk at offset 0x%" PRIx64
					  ": checksum of the body is 0x%08" PRIx32
					  ", expected 0x%08" PRIx32,
					  offset, crc, l->header.body_crc);
			return 0;
		}
	}
	if (!(ref->state & GST_REF_SEALED) && !(ref->state & GST_REF_STAGING))
		gst_loader_reason(l, GST_LOAD_OPEN_CHUNK, 1, offset,
				  "chunk at offset 0x%" PRIx64 " was never sealed", offset);
	l->ref = ref;
	l->body = p;
	l->body_end = ref->body_bytes;
	l->position = ref->skip_bytes;
	l->records_seen = 0;
	l->counts_records = ref->state & GST_REF_SEALED && !(ref->state & GST_REF_TRUNCATED) &&
			    !ref->skip_bytes;
	l->needs_times = !(ref->state & GST_REF_SEALED);
	return 1;
}
