/*
 * loader.c - open a trace and give its records in order.
 *
 * Role      : what the model sees of a file; counts what is there and what is not.
 * Method    : text is turned into a .gst in memory first, so there is one reader.
 * Invariant : is_complete is false whenever anything was cut, changed, missing or lost.
 * Not here  : chunks (reader_gst.c), the decoder (decode.c), what records mean (analyzer/model).
 */
#include "analyzer/load/load.h"

#include "analyzer/base/assert.h"
#include "analyzer/load/reader_internal.h"
#include "analyzer/load/records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/* More (thread, kind) pairs than this are not told apart: a limit for hostile files. */
#define UNKNOWN_MAX 4096u

void gst_loader_reason(struct gst_loader *l, enum gst_load_reason_code code, uint64_t count,
		       uint64_t offset, const char *fmt, ...)
{
	struct gst_load_reason reason = {.code = code, .count = count, .offset = offset};
	va_list ap;
	size_t i;

	for (i = 0; i < l->reasons.count && l->reasons.data[i].code <= code; i++) {
		if (l->reasons.data[i].code == code) {
			l->reasons.data[i].count += count;
			return;
		}
	}
	va_start(ap, fmt);
	vsnprintf(reason.text, sizeof(reason.text), fmt, ap);
	va_end(ap);
	gst_vec_push(&l->reasons, reason);
	if (i + 1 < l->reasons.count)
		memmove(&l->reasons.data[i + 1], &l->reasons.data[i],
			(l->reasons.count - 1 - i) * sizeof(reason));
	l->reasons.data[i] = reason;
}

static char *copy_name(const char *name)
{
	size_t bytes = strlen(name) + 1;
	char *p = gst_mem_alloc(bytes);

	memcpy(p, name, bytes);
	return p;
}

static struct gst_loader *new_loader(const char *name, const struct gst_load_options *o)
{
	struct gst_loader *l = gst_mem_alloc(sizeof(*l));

	l->options = o ? *o : GST_LOAD_OPTIONS_DEFAULT;
	l->name = copy_name(name);
	l->main.fd = -1;
	l->main.name = l->name;
	l->staging.fd = -1;
	l->stats.from_ns = l->options.from_ns;
	l->stats.base_ns = l->options.base_ns;
	l->stats.to_ns = l->options.to_ns;
	return l;
}

void gst_loader_close(struct gst_loader *l)
{
	if (!l)
		return;
	if (l->main.fd >= 0)
		close(l->main.fd);
	if (l->staging.fd >= 0)
		close(l->staging.fd);
	if (l->staging.name)
		gst_mem_free((char *)(uintptr_t)l->staging.name, strlen(l->staging.name) + 1);
	gst_mem_free(l->owned, l->owned_bytes);
	gst_mem_free(l->order, l->order_count * sizeof(*l->order));
	gst_mem_free(l->buffer, l->buffer_bytes);
	gst_vec_free(&l->refs);
	gst_vec_free(&l->reasons);
	gst_vec_free(&l->unknown);
	gst_vec_free(&l->segments);
	gst_map_release(&l->unknown_threads);
	gst_map_release(&l->unknown_kinds);
	gst_map_release(&l->segment_map);
	gst_mem_free(l->name, strlen(l->name) + 1);
	gst_mem_free(l, sizeof(*l));
}

static struct gst_segment_state *segment_of(struct gst_loader *l, uint32_t process,
					    uint32_t segment)
{
	bool is_new;
	uint32_t *index = gst_map_add(&l->segment_map, (uint64_t)process << 32 | segment,
				      (uint32_t)l->segments.count, &is_new);

	if (is_new)
		gst_vec_push(&l->segments,
			     ((struct gst_segment_state){process, segment, false, false}));
	return &l->segments.data[*index];
}

/* The source is set: index it, decide the order. */
static gst_status start(struct gst_loader *l, struct gst_err *err)
{
	gst_status st;
	size_t i;

	st = gst_index_source(l, &l->main, 0, err);
	if (st)
		return st;
	if (!l->refs.count)
		return gst_err_set(
			err, GST_E_FORMAT,
			"%s: no chunk of a trace in %" PRIu64
			" bytes; expected \"GSTCHUNK\" at offset 0 (.gst) or a first line "
			"\"gstext 1.0\" (.gstext)",
			l->name, l->main.size);
	if (l->options.fold_staging) {
		st = gst_staging_find(l, err);
		if (st)
			return st;
	}
	for (i = 0; i < l->refs.count; i++) {
		const struct gst_chunk_ref *r = &l->refs.data[i];
		struct gst_segment_state *segment = segment_of(l, r->process, r->segment);

		if (l->options.segment < 0 || r->segment == (uint32_t)l->options.segment)
			segment->is_read = true;
	}
	l->stats.segments = (uint32_t)l->segments.count;
	gst_index_finish(l);
	return GST_OK;
}

static gst_status start_text(struct gst_loader *l, const char *text, size_t size,
			     struct gst_err *err)
{
	uint8_t *image;
	size_t bytes, room;
	gst_status st;

	st = gst_text_to_gst(text, size, &image, &bytes, &room, err);
	if (st) {
		gst_err_prefix(err, "%s", l->name);
		return st;
	}
	/* The text, if it was ours, is not needed any more. */
	gst_mem_free(l->owned, l->owned_bytes);
	l->owned = image;
	l->owned_bytes = room;
	l->main.data = image;
	l->main.size = bytes;
	l->stats.is_text = true;
	l->options.fold_staging = false;
	return start(l, err);
}

static gst_status start_memory(struct gst_loader *l, const void *data, size_t size,
			       struct gst_err *err)
{
	l->stats.file_bytes = size;
	if (gst_text_is(data, size))
		return start_text(l, data, size, err);
	l->main.data = data;
	l->main.size = size;
	if (!size)
		return gst_err_set(err, GST_E_FORMAT, "%s: the file is empty", l->name);
	return start(l, err);
}

gst_status gst_loader_open_memory(const void *data, size_t size, const char *name,
				  const struct gst_load_options *o, struct gst_loader **out,
				  struct gst_err *err)
{
	struct gst_err local = {0};
	struct gst_loader *l = new_loader(name, o);
	gst_status st;

	l->options.fold_staging = false;
	st = start_memory(l, data, size, err ? err : &local);
	if (st) {
		gst_loader_close(l);
		return st;
	}
	*out = l;
	return GST_OK;
}

/* All that comes out of @fd, into l->owned. For pipes, and for text. */
static gst_status read_all(struct gst_loader *l, int fd, size_t expected, size_t *size,
			   struct gst_err *err)
{
	GST_VEC(uint8_t) bytes = {0};
	ssize_t n;

	gst_vec_reserve(&bytes, expected + 1);
	for (;;) {
		gst_vec_reserve(&bytes, 1);
		n = read(fd, bytes.data + bytes.count, bytes.cap - bytes.count);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		bytes.count += (size_t)n;
	}
	l->owned = bytes.data;
	l->owned_bytes = bytes.cap;
	*size = bytes.count;
	if (n < 0)
		return gst_err_set(err, GST_E_IO, "%s: cannot read: %s", l->name, strerror(errno));
	return GST_OK;
}

static gst_status open_file(struct gst_loader *l, const char *path, struct gst_err *err)
{
	struct stat st_buf;
	char begin[64];
	ssize_t n;
	size_t size;
	gst_status st;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return gst_err_set(err, GST_E_IO, "%s: cannot open: %s", path, strerror(errno));
	l->main.fd = fd;
	if (fstat(fd, &st_buf) != 0)
		return gst_err_set(err, GST_E_IO, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st_buf.st_mode))
		return gst_err_set(err, GST_E_IO, "%s: is a folder, expected a trace", path);
	/* They may go on for ever. */
	if (S_ISCHR(st_buf.st_mode) || S_ISBLK(st_buf.st_mode))
		return gst_err_set(err, GST_E_IO, "%s: is a device, expected a trace", path);
	if (S_ISREG(st_buf.st_mode)) {
		l->main.size = (uint64_t)st_buf.st_size;
		l->stats.file_bytes = l->main.size;
		n = pread(fd, begin, sizeof(begin), 0);
		if (n < 0)
			return gst_err_set(err, GST_E_IO, "%s: cannot read: %s", path,
					   strerror(errno));
		if (!n)
			return gst_err_set(err, GST_E_FORMAT, "%s: the file is empty", path);
		if (!gst_text_is(begin, (size_t)n))
			return start(l, err);
	}
	st = read_all(l, fd, S_ISREG(st_buf.st_mode) ? (size_t)st_buf.st_size : 0, &size, err);
	if (st)
		return st;
	close(fd);
	l->main.fd = -1;
	return start_memory(l, l->owned, size, err);
}

gst_status gst_loader_open(const char *path, const struct gst_load_options *o,
			   struct gst_loader **out, struct gst_err *err)
{
	struct gst_err local = {0};
	struct gst_loader *l = new_loader(path, o);
	gst_status st;

	st = open_file(l, path, err ? err : &local);
	if (st) {
		gst_loader_close(l);
		return st;
	}
	*out = l;
	return GST_OK;
}

static void count_unknown(struct gst_loader *l, const struct gst_record *rec)
{
	struct gst_rec_head head;
	uint32_t thread, index;
	bool is_critical;

	memcpy(&head, rec->data, sizeof(head));
	is_critical = (head.kind & GST_KIND_CRITICAL) != 0;
	l->stats.unknown_records++;
	l->stats.unknown_critical += is_critical;
	if (l->unknown.count >= UNKNOWN_MAX) {
		/* Look it up, add nothing. */
		if (!gst_map_get(&l->unknown_threads, (uint64_t)rec->process << 32 | rec->thread,
				 &thread) ||
		    !gst_map_get(&l->unknown_kinds, (uint64_t)thread << 16 | rec->kind, &index)) {
			l->stats.has_more_unknown = true;
			return;
		}
	} else {
		bool is_new;

		thread = *gst_map_add(&l->unknown_threads,
				      (uint64_t)rec->process << 32 | rec->thread,
				      (uint32_t)gst_map_count(&l->unknown_threads), NULL);
		index = *gst_map_add(&l->unknown_kinds, (uint64_t)thread << 16 | rec->kind,
				     (uint32_t)l->unknown.count, &is_new);
		if (is_new)
			gst_vec_push(&l->unknown,
				     ((struct gst_load_unknown){.process = rec->process,
								.thread = rec->thread,
								.kind = rec->kind}));
	}
	l->unknown.data[index].is_critical |= is_critical;
	l->unknown.data[index].count++;
}

/* What the loader itself wants to know of a definition. */
static void note_definition(struct gst_loader *l, const struct gst_record *rec)
{
	if (rec->kind == GST_REC_LOSS) {
		const struct gst_rec_loss *loss = rec->data;

		l->stats.loss_notes++;
		if (!loss->count)
			l->stats.has_loss_of_unknown_size = true;
		else if (__builtin_add_overflow(l->stats.lost_records, loss->count,
						&l->stats.lost_records))
			l->stats.lost_records = UINT64_MAX;
		gst_loader_reason(
			l, GST_LOAD_LOST_RECORDS, loss->count, rec->offset,
			"the tracer lost records (%s)",
			gst_schema_value_text(gst_schema_find_field(rec->schema, "reason", 6)->form,
					      loss->reason)
				?: "reason not known");
	} else if (rec->kind == GST_REC_END) {
		const struct gst_rec_end *end = rec->data;

		segment_of(l, rec->process, rec->segment)->has_end = true;
		/* In a text the reader numbers the chunks. */
		if (!l->stats.is_text && end->chunks && l->header.sequence &&
		    end->chunks != l->header.sequence - 1)
			gst_loader_reason(l, GST_LOAD_MISSING_CHUNKS, 1, rec->offset,
					  "the trailer counts %" PRIu64
					  " chunks before its own, which has number %" PRIu64,
					  end->chunks, l->header.sequence);
		if (end->pending)
			gst_loader_reason(l, GST_LOAD_PENDING, end->pending, rec->offset,
					  "%" PRIu64
					  " activity records were asked for and never delivered",
					  end->pending);
	}
}

void gst_loader_widen_times(struct gst_loader *l, uint64_t first, uint64_t last)
{
	if (first && (!l->stats.first_ns || first < l->stats.first_ns))
		l->stats.first_ns = first;
	if (last > l->stats.last_ns)
		l->stats.last_ns = last;
}

/* The chunk being read is done, or given up. */
void gst_chunk_close(struct gst_loader *l)
{
	if (l->counts_records && l->records_seen != l->header.record_count)
		gst_loader_reason(l, GST_LOAD_BAD_RECORD, 1, l->ref->offset,
				  "chunk at offset 0x%" PRIx64 " holds %" PRIu32
				  " records, its header says %" PRIu32,
				  (uint64_t)l->ref->offset, l->records_seen,
				  l->header.record_count);
	if (!l->needs_times)
		gst_loader_widen_times(l, l->header.first_ns, l->header.last_ns);
	l->body = NULL;
}

/* The next record of the chunk being read: 1, or 0 when it has no more. */
int gst_chunk_next(struct gst_loader *l, struct gst_record *out)
{
	while (l->position < l->body_end) {
		const uint8_t *p = l->body + l->position;
		size_t left = l->body_end - l->position;
		enum gst_decode_fault fault;
		uint64_t offset;
		uint32_t bytes;

		fault = gst_decode_record(p, left, l->scratch, out, &bytes);
		offset = l->body_offset + l->position;
		if (__builtin_expect(fault != GST_DECODE_OK, 0)) {
			char why[160];

			if (fault == GST_DECODE_END && !(l->ref->state & GST_REF_SEALED))
				break;
			/* Cut by the end of the file, and said so. */
			if (fault == GST_DECODE_CUT && l->ref->state & GST_REF_TRUNCATED)
				break;
			gst_decode_explain(fault, p, left, why, sizeof(why));
			l->stats.chunks_damaged++;
			l->counts_records = false;
			gst_loader_reason(l, GST_LOAD_BAD_RECORD, 1, offset,
					  "record at offset 0x%" PRIx64 ": %s", offset, why);
			break;
		}
		l->position += bytes;
		l->records_seen++;
		out->offset = offset;
		out->thread = l->header.thread;
		out->process = l->header.process;
		out->segment = l->header.segment;
		if (!out->schema) {
			count_unknown(l, out);
			if (l->options.keep_unknown)
				return 1;
			continue;
		}
		if (out->kind == GST_REC_KERNEL_SHORT && !l->options.keep_short) {
			gst_record_lengthen(l->scratch, out->data);
			out->kind = GST_REC_KERNEL;
			out->schema = gst_schema_find(GST_REC_KERNEL);
			out->data = l->scratch;
		}
		l->stats.records++;
		l->stats.kind_records[out->schema->index]++;
		if (out->kind < GST_REC_CALL)
			note_definition(l, out);
		if (__builtin_expect(l->needs_times, 0)) {
			uint64_t first = 0, last = 0;

			gst_schema_time_range(out->schema, out->data, &first, &last);
			gst_loader_widen_times(l, first, last);
		}
		return 1;
	}
	return 0;
}

/* All was read: what is missing in the whole. */
void gst_loader_finish(struct gst_loader *l)
{
	size_t i;

	l->is_over = true;
	l->stats.has_end = true;
	for (i = 0; i < l->segments.count; i++) {
		const struct gst_segment_state *s = &l->segments.data[i];

		if (!s->is_read || s->has_end)
			continue;
		l->stats.has_end = false;
		gst_loader_reason(
			l, GST_LOAD_NO_END, 1, UINT64_MAX,
			"segment %" PRIu32 " of process %" PRIu32
			" has no trailer: recording did not end in order, or the end of the "
			"file is missing",
			s->segment, s->process);
	}
	l->stats.is_complete = l->reasons.count == 0;
}

int gst_loader_next(struct gst_loader *l, struct gst_record *out)
{
	for (;;) {
		const struct gst_chunk_ref *ref;
		int got;

		if (l->body) {
			if (gst_chunk_next(l, out))
				return 1;
			gst_chunk_close(l);
		}
		if (l->next >= l->order_count) {
			if (!l->is_over)
				gst_loader_finish(l);
			return 0;
		}
		ref = &l->refs.data[l->order[l->next++]];
		got = gst_chunk_open(l, ref);
		if (got < 0)
			return got;
		if (got && ref->state & GST_REF_STAGING)
			l->stats.staging_chunks++;
	}
}

const struct gst_err *gst_loader_error(const struct gst_loader *l)
{
	return &l->err;
}

const struct gst_chunk_header *gst_loader_chunk(const struct gst_loader *l)
{
	return l->ref ? &l->header : NULL;
}

uint64_t gst_loader_chunk_number(const struct gst_loader *l)
{
	return l->next;
}

const struct gst_load_stats *gst_loader_stats(struct gst_loader *l)
{
	l->stats.reasons = l->reasons.data;
	l->stats.reason_count = l->reasons.count;
	l->stats.unknown = l->unknown.data;
	l->stats.unknown_count = l->unknown.count;
	return &l->stats;
}
