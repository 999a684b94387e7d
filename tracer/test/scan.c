/*
 * scan.c - the tests' own reader of traces.
 *
 * Role      : the second opinion on what the tracer writes; shares nothing with analyzer/load.
 * Method    : one pass over the chunks of the .gst, then over the open chunks of the staging file, leaving
 *             out the bytes of pages that the .gst has copied already.
 * Invariant : cmocka asserts; a trace that breaks a promise of the format ends the test.
 * Not here  : salvage of damaged files.
 */
#include "tracer/test/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/format/api.h"
#include "tracer/format/crc32c.h"

struct page {
	uint64_t number;
	uint64_t copied; /* bytes of its body in the .gst */
};

static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	long length;
	uint8_t *data;

	if (!file) {
		return NULL;
	}
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	length = ftell(file);
	rewind(file);
	data = malloc((size_t)length + 1);
	assert_non_null(data);
	*size = fread(data, 1, (size_t)length, file);
	fclose(file);
	return data;
}

/* The KERNEL that a KERNEL_SHORT stands for. */
static void lengthen(struct scan_record *r)
{
	struct gst_rec_kernel *k = calloc(1, sizeof(*k));
	struct gst_rec_kernel_short s = {.start_ns = 0};

	assert_non_null(k);
	memcpy(&s, r->data, r->bytes < sizeof(s) ? r->bytes : sizeof(s));
	k->head.corr = s.head.corr;
	k->start_ns = s.start_ns;
	k->end_ns = s.start_ns + s.duration_ns;
	k->ctx = s.ctx;
	k->stream = s.stream;
	k->device = s.device;
	k->name = s.name;
	k->grid_x = s.grid_x;
	k->grid_y = s.grid_y;
	k->grid_z = s.grid_z;
	k->block_x = s.block_x;
	k->block_y = s.block_y;
	k->block_z = s.block_z;
	k->registers = s.registers;
	k->shared_static = s.shared_static;
	k->shared_dynamic = s.shared_dynamic;
	k->channel = s.channel;
	k->channel_type = 1;
	k->graph_node = s.graph_node;
	k->graph = (uint32_t)(s.graph_node >> 32);
	r->kind = GST_REC_KERNEL;
	r->data = k;
	r->bytes = sizeof(*k);
	r->is_short = true;
}

static void add_record(struct scan *scan, const struct gst_chunk_header *h, const uint8_t *at,
		       uint32_t bytes, bool is_staged)
{
	struct gst_rec_head head;
	struct scan_record *r;

	if ((scan->count & (scan->count + 1)) == 0) {
		scan->records =
			realloc(scan->records, (scan->count * 2 + 2) * sizeof(*scan->records));
		assert_non_null(scan->records);
	}
	memcpy(&head, at, sizeof(head));
	r = &scan->records[scan->count++];
	r->kind = head.kind & GST_KIND_MASK;
	r->corr = head.corr;
	r->thread = h->thread;
	r->segment = h->segment;
	r->bytes = bytes;
	r->data = at;
	r->is_staged = is_staged;
	r->is_short = false;
	if (r->kind == GST_REC_KERNEL_SHORT) {
		lengthen(r);
	}
}

/* Records in [@at, @end); an open chunk ends at the first word that is 0. Returns what was read. */
static uint64_t add_records(struct scan *scan, const struct gst_chunk_header *h, const uint8_t *at,
			    uint64_t bytes, bool is_staged, uint32_t *count)
{
	uint64_t used = 0;

	*count = 0;
	while (used + sizeof(struct gst_rec_head) <= bytes) {
		struct gst_rec_head head;
		uint64_t size;

		memcpy(&head, at + used, sizeof(head));
		size = (uint64_t)head.size8 * 8;
		if (!size) {
			assert_false(h->flags & GST_CHUNK_SEALED);
			break;
		}
		assert_true(size <= GST_RECORD_MAX_BYTES);
		assert_true(used + size <= bytes);
		assert_true((head.kind & GST_KIND_MASK) != 0);
		add_record(scan, h, at + used, (uint32_t)size, is_staged);
		used += size;
		(*count)++;
	}
	return used;
}

static struct page *page_of(struct scan *scan, uint64_t number)
{
	struct page *pages = scan->pages;

	for (size_t i = 0; i < scan->page_count; i++) {
		if (pages[i].number == number) {
			return &pages[i];
		}
	}
	pages = realloc(pages, (scan->page_count + 1) * sizeof(*pages));
	assert_non_null(pages);
	scan->pages = pages;
	pages[scan->page_count].number = number;
	pages[scan->page_count].copied = 0;
	return &pages[scan->page_count++];
}

static void check_header(const struct gst_chunk_header *h)
{
	uint32_t covered = h->flags & GST_CHUNK_SEALED ? 124 : 96;

	assert_int_equal(h->major, GST_FORMAT_MAJOR);
	assert_int_equal(h->header_bytes, sizeof(*h));
	assert_int_equal(h->codec, GST_CODEC_NONE);
	assert_true(h->stored_bytes <= GST_CHUNK_MAX_BYTES);
	assert_int_equal(h->header_crc, gst_crc32c(0, h, covered));
}

static void read_trace(struct scan *scan, const uint8_t *data, size_t size)
{
	uint64_t sequence = 0;
	size_t at = 0;

	while (at + 8 <= size) {
		struct gst_chunk_header h;
		uint64_t magic;
		uint32_t count;

		memcpy(&magic, data + at, 8);
		if (!magic) {
			at += 8; /* a reserved tail */
			continue;
		}
		assert_true(magic == GST_CHUNK_MAGIC);
		if (at + sizeof(h) > size) {
			scan->is_cut = true;
			break;
		}
		memcpy(&h, data + at, sizeof(h));
		check_header(&h);
		assert_true(h.flags & GST_CHUNK_SEALED);
		assert_true(h.sequence > sequence);
		sequence = h.sequence;
		if (at + sizeof(h) + h.stored_bytes > size) {
			scan->is_cut = true;
			break;
		}
		assert_int_equal(h.body_crc, gst_crc32c(0, data + at + sizeof(h), h.stored_bytes));
		assert_int_equal(
			add_records(scan, &h, data + at + sizeof(h), h.stored_bytes, false, &count),
			h.stored_bytes);
		assert_int_equal(count, h.record_count);
		if (h.source_page) {
			struct page *page = page_of(scan, h.source_page);

			/* pieces of a page come in order, without gaps or overlaps */
			assert_int_equal(h.source_offset, page->copied);
			page->copied = h.source_offset + h.stored_bytes;
		}
		scan->chunks++;
		at += sizeof(h) + ((h.stored_bytes + 7) & ~UINT64_C(7));
	}
}

static int by_page(const void *a, const void *b)
{
	const struct gst_chunk_header *const *x = a;
	const struct gst_chunk_header *const *y = b;

	return (*x)->source_page < (*y)->source_page ? -1 : (*x)->source_page > (*y)->source_page;
}

static void read_staging(struct scan *scan, const uint8_t *data, size_t size)
{
	const struct gst_chunk_header **open;
	size_t count = 0;

	open = calloc(size / sizeof(struct gst_chunk_header) + 1, sizeof(*open));
	assert_non_null(open);
	for (size_t at = 0; at + sizeof(struct gst_chunk_header) <= size;) {
		const struct gst_chunk_header *h = (const void *)(data + at);

		if (h->magic != GST_CHUNK_MAGIC) {
			at += 8;
			continue;
		}
		check_header(h);
		assert_true(at + sizeof(*h) + h->stored_bytes <= size);
		open[count++] = h;
		at += sizeof(*h) + h->stored_bytes;
	}
	qsort(open, count, sizeof(*open), by_page);
	for (size_t i = 0; i < count; i++) {
		const struct gst_chunk_header *h = open[i];
		struct page *page = page_of(scan, h->source_page);
		uint32_t records;

		add_records(scan, h, (const uint8_t *)(h + 1) + page->copied,
			    h->stored_bytes - page->copied, true, &records);
	}
	free(open);
}

void scan_open(struct scan *scan, const char *path)
{
	struct gst_rec_process process;
	size_t size, index;

	memset(scan, 0, sizeof(*scan));
	scan->file = read_file(path, &size);
	if (!scan->file) {
		fail_msg("%s cannot be read", path);
	}
	read_trace(scan, scan->file, size);
	index = scan_find(scan, GST_REC_PROCESS, 0);
	assert_true(index != SIZE_MAX);
	scan_get(scan, index, &process, sizeof(process));
	if (process.staging) {
		scan->staging = read_file(scan_string(scan, process.staging), &size);
		if (scan->staging) {
			scan->has_staging = true;
			read_staging(scan, scan->staging, size);
		}
	}
	/* a kill can cut the last chunk, but then what it held is still in the staging file */
	assert_true(!scan->is_cut || scan->has_staging);
}

void scan_release(struct scan *scan)
{
	for (size_t i = 0; i < scan->count; i++) {
		if (scan->records[i].is_short) {
			free((void *)(uintptr_t)scan->records[i].data);
		}
	}
	free(scan->records);
	free(scan->file);
	free(scan->staging);
	free(scan->pages);
}

void scan_get(const struct scan *scan, size_t index, void *out, size_t bytes)
{
	const struct scan_record *r;

	assert_true(index < scan->count);
	r = &scan->records[index];
	memset(out, 0, bytes);
	memcpy(out, r->data, r->bytes < bytes ? r->bytes : bytes);
}

size_t scan_count(const struct scan *scan, uint32_t kind)
{
	size_t count = 0;

	for (size_t i = 0; i < scan->count; i++) {
		count += !kind || scan->records[i].kind == kind;
	}
	return count;
}

size_t scan_find(const struct scan *scan, uint32_t kind, size_t nth)
{
	for (size_t i = 0; i < scan->count; i++) {
		if (scan->records[i].kind == kind && nth-- == 0) {
			return i;
		}
	}
	return SIZE_MAX;
}

bool scan_has_note(const struct scan *scan, uint32_t code)
{
	struct gst_rec_note note;
	size_t index;

	for (size_t n = 0; (index = scan_find(scan, GST_REC_NOTE, n)) != SIZE_MAX; n++) {
		scan_get(scan, index, &note, sizeof(note));
		if (note.code == code) {
			return true;
		}
	}
	return false;
}

uint64_t scan_lost_of(const struct scan *scan, uint32_t kind, uint32_t reason)
{
	struct gst_rec_loss loss;
	uint64_t lost = 0;
	size_t index;

	for (size_t n = 0; (index = scan_find(scan, GST_REC_LOSS, n)) != SIZE_MAX; n++) {
		scan_get(scan, index, &loss, sizeof(loss));
		if (loss.reason == reason && (kind == SCAN_ANY_KIND || loss.kind == kind)) {
			lost += loss.count;
		}
	}
	return lost;
}

uint64_t scan_lost(const struct scan *scan, uint32_t reason)
{
	return scan_lost_of(scan, SCAN_ANY_KIND, reason);
}

uint64_t scan_lost_since(const struct scan *scan, uint32_t reason)
{
	struct gst_rec_loss loss;
	size_t index;

	for (size_t n = 0; (index = scan_find(scan, GST_REC_LOSS, n)) != SIZE_MAX; n++) {
		scan_get(scan, index, &loss, sizeof(loss));
		if (loss.reason == reason) {
			return loss.since_ns;
		}
	}
	return 0;
}

const char *scan_string(const struct scan *scan, uint32_t id)
{
	static char text[GST_STRING_MAX_BYTES + 1];
	struct gst_rec_string string;
	size_t index;

	for (size_t n = 0; (index = scan_find(scan, GST_REC_STRING, n)) != SIZE_MAX; n++) {
		scan_get(scan, index, &string, sizeof(string));
		if (string.id == id) {
			assert_true(string.length <= GST_STRING_MAX_BYTES);
			assert_true(sizeof(string) + string.length <= scan->records[index].bytes);
			memcpy(text, (const uint8_t *)scan->records[index].data + sizeof(string),
			       string.length);
			text[string.length] = '\0';
			return text;
		}
	}
	return "";
}

static bool is_call(uint32_t kind)
{
	return kind >= GST_REC_CALL && kind < GST_REC_CALL_EXIT;
}

size_t scan_calls(const struct scan *scan, const char *symbol, size_t *open)
{
	const struct gst_api *wanted = symbol ? gst_api_find_name(symbol, strlen(symbol)) : NULL;
	size_t calls = 0;

	*open = 0;
	if (symbol) {
		assert_non_null(wanted);
	}
	for (size_t i = 0; i < scan->count; i++) {
		const struct scan_record *r = &scan->records[i];
		struct gst_rec_call_prefix call;
		struct gst_rec_call_exit left;
		size_t j;

		if (!is_call(r->kind)) {
			continue;
		}
		scan_get(scan, i, &call, sizeof(call));
		for (j = i + 1; j < scan->count; j++) {
			if (scan->records[j].thread == r->thread &&
			    (is_call(scan->records[j].kind) ||
			     scan->records[j].kind == GST_REC_CALL_EXIT)) {
				break;
			}
		}
		if (j < scan->count) {
			/* only the last call of a thread may be open */
			assert_int_equal(scan->records[j].kind, GST_REC_CALL_EXIT);
			assert_int_equal(scan->records[j].corr, r->corr);
			scan_get(scan, j, &left, sizeof(left));
			assert_true(left.exit_ns >= call.enter_ns);
		}
		if (!wanted || call.api == wanted->api) {
			calls++;
			*open += j == scan->count;
		}
	}
	return calls;
}
