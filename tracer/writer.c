/*
 * writer.c - staging memory to file.
 *
 * Role      : the only one that does I/O on the trace, and the only one that recycles pages.
 * Method    : each cycle lists the pages in use in the order they were taken and then reads how far
 *             each is committed: a thread's later page is listed only after its earlier one was
 *             closed, so a thread's records reach the file in their order.
 * Invariant : what the file holds is whole sealed chunks; copied_bytes moves, and a page is recycled,
 *             only after the chunk is in the file. Disk blocks are reserved ahead, so that a full
 *             disk leaves room to say so.
 * Not here  : CUPTI.
 */
#include "tracer/writer.h"
#include "tracer/call_clock.h"
#include "tracer/old_glibc.h"
#include "tracer/clock.h"
#include "tracer/format/encode.h"
#include "tracer/own_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANCHOR_PERIOD_NS UINT64_C(900000000)
#define CLOCK_STEP_NS	 INT64_C(2000000)
/* A device record's time is converted roughly for the chunk's window; this much wider on each side. */
#define WINDOW_SLACK_NS UINT64_C(10000000)
/* How long a program may stay whose threads have all ended. */
#define LOOK_PERIOD_NS	 UINT64_C(300000000)
#define OWN_THREADS	 2u		       /* the flusher and this one */
#define LOSSES_PERIOD_NS UINT64_C(10000000000) /* in a file that is full */
#define RESERVE_BYTES	 (UINT64_C(4) << 20)
#define RESERVE_MIN	 (UINT64_C(256) << 10)
/* Kept back for the last words: a note, the losses. */
#define LAST_WORDS_BYTES (UINT64_C(64) << 10)

static ssize_t system_write(void *arg, int fd, const void *data, size_t size)
{
	(void)arg;
	return write(fd, data, size);
}

static int system_reserve(void *arg, int fd, uint64_t from, uint64_t end)
{
	(void)arg;
	return fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(end - from)) ? errno : 0;
}

static void *map_private(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static size_t pending_bytes(const struct gst_pool *pool)
{
	return pool->page_count * sizeof(struct gst_writer_pending);
}

int gst_writer_init(struct gst_writer *w, int fd, struct gst_pool *pool, struct gst_loss *loss,
		    struct gst_intern *strings, struct gst_state *state,
		    const struct gst_writer_io *io)
{
	struct stat about;

	w->fd = fd;
	if (!gst_old_fstat(fd, &about)) {
		w->file_dev = about.st_dev;
		w->file_ino = about.st_ino;
	}
	w->pool = pool;
	w->loss = loss;
	w->strings = strings;
	w->state = state;
	w->period_ns = 100000000;
	w->hang_ns = UINT64_C(5000000000);
	w->io = io ? *io : (struct gst_writer_io){system_write, system_reserve, NULL};
	w->out = map_private(GST_WRITER_OUT_BYTES);
	w->own = map_private(GST_WRITER_OWN_BYTES);
	w->pending = map_private(pending_bytes(pool));
	if (!w->out || !w->own || !w->pending) {
		gst_writer_release(w);
		return ENOMEM;
	}
	return 0;
}

void gst_writer_release(struct gst_writer *w)
{
	if (w->out) {
		munmap(w->out, GST_WRITER_OUT_BYTES);
	}
	if (w->own) {
		munmap(w->own, GST_WRITER_OWN_BYTES);
	}
	if (w->pending) {
		munmap(w->pending, pending_bytes(w->pool));
	}
	w->out = NULL;
	w->own = NULL;
	w->pending = NULL;
}

/* ---- the file ---- */

static void fail(struct gst_writer *w, int error)
{
	if (!w->error) {
		w->error = error;
		atomic_store(&w->state->is_on, 0);
	}
}

/* A program that closes all descriptors may have given the number of ours to a file of its own. */
static bool has_lost_file(struct gst_writer *w)
{
	struct stat about;

	if (!w->file_ino || (!gst_old_fstat(w->fd, &about) && about.st_ino == w->file_ino &&
			     about.st_dev == w->file_dev)) {
		return false;
	}
	/* For good: nothing that follows may reach it. */
	w->fd = -1;
	return true;
}

/* All of it or an errno; the file may then end in a part of it. */
static int write_all(struct gst_writer *w, const unsigned char *data, size_t size)
{
	while (size) {
		ssize_t done = w->io.write(w->io.arg, w->fd, data, size);

		if (done < 0 && errno == EINTR) {
			continue;
		}
		if (done <= 0) {
			return done < 0 ? errno : EIO;
		}
		data += done;
		size -= (size_t)done;
		w->end += (uint64_t)done;
	}
	return 0;
}

/* Have blocks for @bytes more and for the last words. */
static int reserve(struct gst_writer *w, uint64_t bytes)
{
	uint64_t need = w->end + bytes + LAST_WORDS_BYTES;
	int error;

	if (w->reserved == UINT64_MAX || need <= w->reserved) {
		return 0;
	}
	error = w->io.reserve(w->io.arg, w->fd, w->end, need + RESERVE_BYTES);
	if (!error) {
		w->reserved = need + RESERVE_BYTES;
		return 0;
	}
	if (error == ENOSPC || error == EFBIG || error == EDQUOT) {
		error = w->io.reserve(w->io.arg, w->fd, w->end, need + RESERVE_MIN);
		if (!error) {
			w->reserved = need + RESERVE_MIN;
			return 0;
		}
		return error;
	}
	/* A file system that cannot: its writes will tell. */
	w->reserved = UINT64_MAX;
	return 0;
}

/* What the pending pages hold is in the file now. */
static void settle(struct gst_writer *w)
{
	for (; w->pending_flushed < w->pending_count; w->pending_flushed++) {
		struct gst_writer_pending *p = &w->pending[w->pending_flushed];

		p->page->copied = p->copied;
		__atomic_store_n(&p->page->header->copied_bytes, p->copied, __ATOMIC_RELEASE);
	}
}

/* @up_to: pending pages whose chunks are in the buffer completely. */
static int flush_out(struct gst_writer *w)
{
	uint64_t end = w->end;
	int error;

	if (w->error) {
		return w->error;
	}
	error = has_lost_file(w) ? EBADF : reserve(w, w->out_used);
	if (!error) {
		error = write_all(w, w->out, w->out_used);
		if (error && !has_lost_file(w) && !ftruncate(w->fd, (off_t)end)) {
			/* Not half a chunk; the position follows, O_APPEND is not used. */
			if (lseek(w->fd, (off_t)end, SEEK_SET) >= 0) {
				w->end = end;
			}
		}
	}
	w->out_used = 0;
	if (error) {
		fail(w, error);
		return error;
	}
	w->sequence_in_file = w->sequence;
	settle(w);
	return 0;
}

/* Seal a chunk over @body into the buffer; @body fits into it. */
static void put_chunk(struct gst_writer *w, struct gst_chunk_header *h, const void *body,
		      uint32_t bytes, uint32_t count, uint64_t first_ns, uint64_t last_ns)
{
	if (h->segment > w->last_segment) {
		w->last_segment = h->segment;
	}
	h->sequence = ++w->sequence;
	gst_chunk_seal(h, body, bytes, count, first_ns, last_ns);
	memcpy(w->out + w->out_used, h, sizeof(*h));
	memcpy(w->out + w->out_used + sizeof(*h), body, bytes);
	w->out_used += sizeof(*h) + bytes;
	w->records += count;
	w->chunks++;
}

/* ---- times of a chunk ---- */

struct window {
	uint64_t first_ns;
	uint64_t last_ns;
};

static void widen(struct window *window, uint64_t from, uint64_t to)
{
	if (from && (!window->first_ns || from < window->first_ns)) {
		window->first_ns = from;
	}
	if (to > window->last_ns) {
		window->last_ns = to;
	}
}

static uint64_t mono_of(const struct gst_writer *w, uint64_t gpu_ns, int64_t slack_ns)
{
	int64_t mono = (int64_t)gpu_ns - w->real_minus_mono + slack_ns;

	return gpu_ns && mono > 0 ? (uint64_t)mono : 0;
}

/* A field of @record, or 0 if the record is shorter. */
static uint64_t field_of(const unsigned char *record, uint32_t bytes, size_t offset)
{
	uint64_t value = 0;

	if (offset + sizeof(value) <= bytes) {
		memcpy(&value, record + offset, sizeof(value));
	}
	return value;
}

static void widen_by_record(const struct gst_writer *w, struct window *window,
			    const unsigned char *record, uint32_t kind, uint32_t bytes)
{
	uint64_t first, last;

	/* Calls and exits begin with their time; so do device records but events. */
	first = field_of(record, bytes, 8);
	if (kind == GST_REC_MEMOP) {
		return; /* its call tells when */
	}
	if (kind >= GST_REC_CALL && kind < GST_REC_KERNEL) {
		widen(window, first, first);
		return;
	}
	last = first;
	if (kind == GST_REC_KERNEL_SHORT) {
		last = first +
		       (uint32_t)field_of(record, bytes,
					  offsetof(struct gst_rec_kernel_short, duration_ns));
	} else if (kind == GST_REC_EVENT) {
		first = last = field_of(record, bytes, offsetof(struct gst_rec_event, time_ns));
	} else if (kind != GST_REC_MEMORY) {
		last = field_of(record, bytes, 16);
	}
	widen(window, mono_of(w, first ? first : last, -(int64_t)WINDOW_SLACK_NS),
	      mono_of(w, last ? last : first, (int64_t)WINDOW_SLACK_NS));
}

/* Whole committed records of @page from @from on, up to @room bytes. */
struct part {
	uint32_t bytes;
	uint32_t count;
	struct window window;
	bool is_cut; /* there is more */
};

/* One walk for all that is asked: the first touch of each record is what costs. */
static struct part walk(const struct gst_writer *w, const struct gst_page *page, uint32_t from,
			uint32_t room)
{
	bool is_dated = page->header->flags & GST_CHUNK_EVENTS;
	struct part part = {0};
	uint32_t left = page->room - from;

	while (left - part.bytes >= sizeof(struct gst_rec_head)) {
		const unsigned char *record = page->body + from + part.bytes;
		uint64_t word =
			__atomic_load_n((const uint64_t *)(const void *)record, __ATOMIC_ACQUIRE);
		uint32_t bytes = (uint32_t)((word >> 16) & 0xffff) * 8;

		/* The program may have scribbled over it: never past the page. */
		if (!bytes || bytes > left - part.bytes) {
			break;
		}
		if (bytes > room - part.bytes) {
			part.is_cut = true;
			break;
		}
		if (is_dated) {
			widen_by_record(w, &part.window, record, (uint32_t)word & GST_KIND_MASK,
					bytes);
		}
		part.bytes += bytes;
		part.count++;
	}
	return part;
}

/* ---- the writer's own records ---- */

static void put_own_chunk(struct gst_writer *w)
{
	struct gst_chunk_header h;

	if (!w->own_used) {
		return;
	}
	if (w->out_used + sizeof(h) + w->own_used > GST_WRITER_OUT_BYTES) {
		(void)flush_out(w);
	}
	gst_chunk_init_open(&h, GST_CHUNK_DEFS, w->pool->process, 0, w->segment, 0, w->own_used);
	put_chunk(w, &h, w->own, w->own_used, w->own_count, 0, 0);
	w->own_used = 0;
	w->own_count = 0;
}

void gst_writer_put(struct gst_writer *w, const void *rec, uint32_t bytes)
{
	if (w->own_used + bytes > GST_WRITER_OWN_BYTES) {
		put_own_chunk(w);
	}
	memcpy(w->own + w->own_used, rec, bytes);
	w->own_used += bytes;
	w->own_count++;
}

static void put_note(struct gst_writer *w, uint32_t code, int32_t detail, const char *text)
{
	struct gst_rec_note note = {
		.head = gst_record_head(GST_KIND_NOTE, sizeof(note), 0),
		.code = code,
		.detail = detail,
		.time_ns = gst_clock_mono_ns(),
		.text = gst_intern(w->strings, text),
	};

	gst_writer_put(w, &note, sizeof(note));
}

void gst_writer_anchor(struct gst_writer *w)
{
	struct gst_rec_anchor anchor;
	int64_t real_minus_mono, step;

	gst_clock_anchor(&anchor, NULL, NULL);
	real_minus_mono = (int64_t)(anchor.real_ns - anchor.mono_ns);
	step = real_minus_mono - w->real_minus_mono;
	if (w->anchor_ns && (step > CLOCK_STEP_NS || step < -CLOCK_STEP_NS)) {
		int64_t ms = step / 1000000;

		put_note(w, GST_NOTE_CLOCK_STEP,
			 ms > INT32_MAX	  ? INT32_MAX
			 : ms < INT32_MIN ? INT32_MIN
					  : (int32_t)ms,
			 "the wall clock was stepped; milliseconds");
	}
	w->real_minus_mono = real_minus_mono;
	w->anchor_ns = anchor.mono_ns;
	gst_writer_put(w, &anchor, sizeof(anchor));
}

static void put_losses(struct gst_writer *w)
{
	struct gst_rec_loss loss;
	uint32_t cursor = 0;

	while (gst_loss_take(w->loss, &cursor, &loss)) {
		gst_writer_put(w, &loss, sizeof(loss));
	}
	if (atomic_load_explicit(&w->strings->is_cut, memory_order_relaxed) == 1) {
		atomic_store_explicit(&w->strings->is_cut, 2, memory_order_relaxed);
		put_note(w, GST_NOTE_STRING_CUT, GST_STRING_MAX_BYTES,
			 "a string was longer than the format allows and was cut");
	}
}

/* A call into CUPTI that began more than @patience_ns ago costs device records: since when, and how many is unknown. */
static void watch_call(struct gst_writer *w, const _Atomic uint64_t *since_ns, uint64_t *noted_ns,
		       uint64_t patience_ns, const char *text)
{
	uint64_t since = since_ns ? atomic_load(since_ns) : 0;
	uint64_t now = gst_clock_mono_ns();

	if (since && since != *noted_ns && now > since && now - since >= patience_ns) {
		struct gst_rec_loss loss = {
			.head = gst_record_head(GST_KIND_LOSS, sizeof(loss), 0),
			.reason = GST_LOSS_FLUSH_HUNG,
			.since_ns = since,
		};

		*noted_ns = since;
		put_note(w, GST_NOTE_FLUSH_HUNG, (int32_t)((now - since) / 1000000), text);
		gst_writer_put(w, &loss, sizeof(loss));
	}
}

static void watch_cupti(struct gst_writer *w, uint64_t patience_ns)
{
	watch_call(w, w->flush_since_ns, &w->flush_noted_ns, patience_ns,
		   "a flush of CUPTI does not return: device records may be missing from "
		   "before its beginning on; milliseconds waited");
	watch_call(
		w, w->enable_since_ns, &w->enable_noted_ns, patience_ns,
		"CUPTI does not return from being asked for more kinds of records: the call that "
		"needed them has not begun, and device records may be missing; milliseconds waited");
}

/* ---- a cycle ---- */

/* Shell sort by number: no malloc as in qsort, and the list is short or nearly sorted. */
static void sort_pending(struct gst_writer_pending *list, uint32_t count)
{
	for (uint32_t gap = count / 2; gap; gap /= 2) {
		for (uint32_t i = gap; i < count; i++) {
			struct gst_writer_pending moved = list[i];
			uint32_t at = i;

			for (; at >= gap && list[at - gap].number > moved.number; at -= gap) {
				list[at] = list[at - gap];
			}
			list[at] = moved;
		}
	}
}

static void list_pages(struct gst_writer *w)
{
	w->pending_count = 0;
	w->pending_flushed = 0;
	for (uint32_t i = 0; i < w->pool->page_count; i++) {
		struct gst_page *page = &w->pool->pages[i];
		uint32_t state = atomic_load_explicit(&page->state, memory_order_acquire);

		if (state != GST_PAGE_FREE) {
			w->pending[w->pending_count++] = (struct gst_writer_pending){
				.page = page,
				.number = page->header->source_page,
				.is_closed = state == GST_PAGE_CLOSED,
				.copied = page->copied,
			};
		}
	}
	sort_pending(w->pending, w->pending_count);
}

/* Copy what is new in one page into the buffer, in chunks that fit. */
static int copy_page(struct gst_writer *w, struct gst_writer_pending *p)
{
	struct gst_page *page = p->page;
	struct part part = {.is_cut = true};

	while (part.is_cut) {
		struct gst_chunk_header h;
		uint32_t from = p->copied;

		if (w->out_used + sizeof(h) + GST_RECORD_MAX_BYTES > GST_WRITER_OUT_BYTES) {
			int error = flush_out(w);

			if (error) {
				return error;
			}
		}
		part = walk(w, page, from,
			    (uint32_t)(GST_WRITER_OUT_BYTES - w->out_used - sizeof(h)));
		if (!part.bytes) {
			break;
		}
		memcpy(&h, page->header, sizeof(h));
		h.source_offset = from;
		if (page == &w->pool->pages[0]) {
			h.segment = w->segment; /* strings of now */
		}
		put_chunk(w, &h, page->body + from, part.bytes, part.count, part.window.first_ns,
			  part.window.last_ns);
		if (w->carry && h.flags & GST_CHUNK_DEFS && page != &w->pool->pages[0]) {
			gst_carry_take(w->carry, h.segment, page->body + from, part.bytes);
		}
		/* A flush in the middle of the page settles what is in the buffer by then. */
		p->copied = from + part.bytes;
	}
	return 0;
}

/* ---- segments ---- */

/* All strings so far once more: a segment can be read alone. Not as a copy of the page: those are read once. */
static int repeat_strings(struct gst_writer *w)
{
	const struct gst_page *page = &w->pool->pages[0];
	uint32_t from = 0;

	while (from < page->copied) {
		struct gst_chunk_header h;
		uint32_t part = 0, count = 0, room;

		if (w->out_used + sizeof(h) + GST_RECORD_MAX_BYTES > GST_WRITER_OUT_BYTES) {
			int error = flush_out(w);

			if (error) {
				return error;
			}
		}
		room = (uint32_t)(GST_WRITER_OUT_BYTES - w->out_used - sizeof(h));
		while (from + part < page->copied) {
			struct gst_rec_head head;

			memcpy(&head, page->body + from + part, sizeof(head));
			if (!head.size8 || part + (uint32_t)head.size8 * 8 > room ||
			    part + (uint32_t)head.size8 * 8 > page->copied - from) {
				break;
			}
			part += (uint32_t)head.size8 * 8;
			count++;
		}
		if (!part) {
			/* The program scribbled over it: the rest cannot be told apart. */
			gst_loss_add(w->loss, GST_REC_STRING, GST_LOSS_DAMAGED, 1);
			break;
		}
		gst_chunk_init_open(&h, GST_CHUNK_DEFS, w->pool->process, 0, w->segment, 0, part);
		put_chunk(w, &h, page->body + from, part, count, 0, 0);
		from += part;
	}
	return 0;
}

/* Follow the windows: what is put from now on belongs to the segment of now. */
static void follow_windows(struct gst_writer *w)
{
	uint32_t opened, segment;

	if (!w->windows || w->is_full) {
		return;
	}
	opened = atomic_load(&w->windows->opened);
	for (; w->begun < opened && !w->error; w->begun++) {
		if (w->segment != w->begun) {
			put_own_chunk(w);
			w->segment = w->begun;
		}
		if (w->begun) {
			(void)repeat_strings(w);
		}
		if (w->begin_segment) {
			w->begin_segment(w->begin_arg, w, w->begun);
		}
	}
	segment = gst_windows_segment(gst_windows_now(w->windows));
	if (segment != w->segment) {
		put_own_chunk(w);
		w->segment = segment;
	}
}

/* Nothing of the program's: no loss. */
static bool is_about_trace(uint32_t kind)
{
	return kind == GST_REC_ANCHOR || kind == GST_REC_NOTE || kind == GST_REC_LOSS;
}

static void put_carried(void *arg, const void *rec, uint32_t bytes)
{
	gst_writer_put(arg, rec, bytes);
}

/* Segments that began get what earlier ones were told, all of which is in our hands by now. */
static void carry_on(struct gst_writer *w)
{
	uint32_t segment = w->segment;

	for (; w->carry && w->carried < w->begun && !w->error && !w->is_full; w->carried++) {
		put_own_chunk(w);
		w->segment = w->carried;
		gst_carry_put(w->carry, w->segment, put_carried, w);
	}
	if (segment != w->segment) {
		put_own_chunk(w);
		w->segment = segment;
	}
	put_own_chunk(w);
}

#define KINDS_OF_A_PAGE 16u

/* What is new in one page is left out: counted by kind. */
static void leave_out(struct gst_writer *w, struct gst_writer_pending *p)
{
	const struct gst_page *page = p->page;
	uint32_t count;
	uint32_t bytes = gst_chunk_committed(page, page->copied, &count);
	uint32_t from = page->copied, kinds = 0;
	struct {
		uint32_t kind, count;
	} left[KINDS_OF_A_PAGE];

	for (uint32_t at = from; at - from < bytes;) {
		struct gst_rec_head head;
		uint32_t i = 0;

		memcpy(&head, page->body + at, sizeof(head));
		if (!head.size8) {
			break; /* scribbled over since */
		}
		at += (uint32_t)head.size8 * 8;
		if (is_about_trace(head.kind & GST_KIND_MASK)) {
			continue;
		}
		while (i < kinds && left[i].kind != head.kind) {
			i++;
		}
		if (i < kinds) {
			left[i].count++;
		} else if (kinds < KINDS_OF_A_PAGE) {
			left[kinds].kind = head.kind;
			left[kinds++].count = 1;
		} else {
			gst_loss_add(w->loss, head.kind, GST_LOSS_SIZE_LIMIT, 1);
		}
	}
	for (uint32_t i = 0; i < kinds; i++) {
		gst_loss_add(w->loss, left[i].kind, GST_LOSS_SIZE_LIMIT, left[i].count);
	}
	p->copied = from + bytes;
}

/*
 * The file is as long as it may be: no more records, and the trace says so. What comes from now on is still taken
 * in, to be counted: CUPTI's part of the cost is there anyway.
 */
static void stop_when_full(struct gst_writer *w)
{
	if (w->is_full || !w->max_bytes || w->end + w->out_used < w->max_bytes) {
		return;
	}
	w->is_full = true;
	put_note(w, GST_NOTE_SIZE_LIMIT, (int32_t)(w->max_bytes >> 20),
		 "the file is as long as it may be: nothing is recorded from here on; MiB");
	put_own_chunk(w);
}

static void count_unwritten(struct gst_writer *w)
{
	for (uint32_t i = 0; i < w->pool->page_count; i++) {
		struct gst_page *page = &w->pool->pages[i];
		uint32_t count = 0;

		if (atomic_load_explicit(&page->state, memory_order_acquire) != GST_PAGE_FREE) {
			(void)gst_chunk_committed(page, page->copied, &count);
			w->lost_on_disk += count;
		}
	}
}

/* Once: what the reserved blocks are for. Strings are gone with the rest, so the number must do. */
static void say_last_words(struct gst_writer *w)
{
	struct gst_rec_note note = {
		.head = gst_record_head(GST_KIND_NOTE, sizeof(note), 0),
		.code = GST_NOTE_WRITE_FAILED,
		.detail = w->error,
		.time_ns = gst_clock_mono_ns(),
	};
	struct gst_rec_loss loss = {
		.head = gst_record_head(GST_KIND_LOSS, sizeof(loss), 0),
		.reason = GST_LOSS_WRITE_FAILED,
		.since_ns = note.time_ns,
	};

	count_unwritten(w);
	loss.count = w->lost_on_disk;
	/* The buffer's chunks are not in the file: no gap in the numbers for them. */
	w->sequence = w->sequence_in_file;
	w->out_used = 0;
	w->own_used = 0;
	w->own_count = 0;
	gst_writer_put(w, &note, sizeof(note));
	gst_writer_put(w, &loss, sizeof(loss));
	put_own_chunk(w);
	(void)write_all(w, w->out, w->out_used);
	w->out_used = 0;
}

static int cycle(struct gst_writer *w, bool is_last)
{
	bool was_well = !w->error;

	if (!was_well) {
		return w->error;
	}
	follow_windows(w);
	watch_cupti(w, w->hang_ns);
	/* A full file does not grow by a line each cycle. */
	if (!w->is_full || is_last || gst_clock_mono_ns() - w->losses_ns > LOSSES_PERIOD_NS) {
		put_losses(w);
		w->losses_ns = gst_clock_mono_ns();
	}
	/* The writer's own definitions first: anchors before what they convert. */
	put_own_chunk(w);
	list_pages(w);
	for (uint32_t i = 0; i < w->pending_count && !w->error; i++) {
		uint32_t all = w->pending_count;

		/* settle() must not pass this page before its last chunk is in the buffer. */
		w->pending_count = i;
		stop_when_full(w);
		/* Strings go on: the last words need theirs. */
		if (w->is_full && w->pending[i].page != &w->pool->pages[0]) {
			leave_out(w, &w->pending[i]);
			w->pending_count = all;
			continue;
		}
		if (!copy_page(w, &w->pending[i])) {
			w->pending_count = all;
		}
	}
	if (!w->error) {
		carry_on(w);
		(void)flush_out(w);
	}
	if (w->error) {
		say_last_words(w);
		return w->error;
	}
	for (uint32_t i = 0; i < w->pending_count; i++) {
		if (w->pending[i].is_closed) {
			/* Records stood there: the program scribbled over one, and what follows cannot be told apart. */
			if (w->pending[i].copied < w->pending[i].page->position) {
				gst_loss_add(w->loss, 0, GST_LOSS_DAMAGED, 1);
			}
			gst_pool_recycle(w->pool, w->pending[i].page);
		}
	}
	return 0;
}

int gst_writer_cycle(struct gst_writer *w)
{
	return cycle(w, false);
}

static int put_end(struct gst_writer *w, uint32_t segment)
{
	uint64_t closed_ns = w->windows ? gst_windows_closed_ns(w->windows, segment) : 0;
	struct gst_rec_end end = {
		.head = gst_record_head(GST_KIND_END, sizeof(end), 0),
		.time_ns = closed_ns ? closed_ns : gst_clock_mono_ns(),
		.records = w->records,
		.chunks = w->chunks,
		.pending = segment == w->last_segment ? atomic_load(&w->pending_activities) : 0,
	};
	struct gst_chunk_header h;

	if (w->out_used + sizeof(h) + sizeof(end) > GST_WRITER_OUT_BYTES && flush_out(w)) {
		say_last_words(w);
		return w->error;
	}
	gst_chunk_init_open(&h, GST_CHUNK_DEFS | GST_CHUNK_END, w->pool->process, 0, segment, 0,
			    sizeof(end));
	put_chunk(w, &h, &end, sizeof(end), 1, 0, 0);
	return 0;
}

int gst_writer_finish(struct gst_writer *w)
{
	uint32_t last;

	if (w->error) {
		return w->error;
	}
	gst_writer_anchor(w);
	/* Nobody will wait for it any more. */
	watch_cupti(w, 0);
	if (cycle(w, true)) {
		return w->error;
	}
	/* What the cycle itself found out: strings of its notes, losses counted meanwhile. */
	if (cycle(w, true)) {
		return w->error;
	}
	/* Late records may come for any segment, so all end here. */
	last = w->last_segment;
	for (uint32_t segment = 0; segment <= last; segment++) {
		if (put_end(w, segment)) {
			return w->error;
		}
	}
	w->pending_count = 0;
	w->pending_flushed = 0;
	if (flush_out(w)) {
		say_last_words(w);
		return w->error;
	}
	/* Give back the blocks reserved ahead. */
	if (w->reserved != UINT64_MAX && !has_lost_file(w) && ftruncate(w->fd, (off_t)w->end)) {
		/* Only space is lost. */
	}
	return 0;
}

/* ---- the thread ---- */

/*
 * The C library ends a program with its last thread. Ours must not keep one that ended with pthread_exit() in its main
 * thread. Looked for only while no thread is left that made calls.
 */
static void end_with_program(struct gst_writer *w)
{
	uint64_t now = gst_clock_mono_ns();

	if (!w->threads || w->is_ended || now - w->looked_ns < LOOK_PERIOD_NS ||
	    gst_threads_has_live(w->threads)) {
		return;
	}
	w->looked_ns = now;
	w->is_ended = gst_own_thread_is_alone(OWN_THREADS) && gst_own_thread_end_program();
}

static void *body(void *arg)
{
	struct gst_writer *w = arg;

	while (!atomic_load(&w->stop)) {
		bool is_due = false;

		if (!w->is_full && gst_clock_mono_ns() - w->anchor_ns > ANCHOR_PERIOD_NS) {
			gst_writer_anchor(w);
			is_due = true;
		}
		if (is_due || !atomic_load(&gst_call_clock_rate.scale)) {
			gst_call_clock_measure();
		}
		(void)gst_writer_cycle(w);
		end_with_program(w);
		gst_pool_wait(w->pool, w->period_ns);
	}
	(void)gst_writer_finish(w);
	gst_own_thread_signal(&w->is_done);
	return NULL;
}

int gst_writer_start(struct gst_writer *w)
{
	return gst_own_thread_start(&w->thread, "gstrace-writer", body, w);
}

bool gst_writer_stop(struct gst_writer *w, uint64_t deadline_ns)
{
	atomic_store(&w->stop, 1);
	gst_pool_wake(w->pool);
	if (!gst_own_thread_wait(&w->is_done, deadline_ns)) {
		return false;
	}
	pthread_join(w->thread, NULL);
	return !w->error;
}
