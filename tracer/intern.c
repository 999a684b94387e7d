/*
 * intern.c - strings of the trace.
 *
 * Role      : callbacks, activity, identity and notes name things through here.
 * Method    : open addressing by CRC-32C; slots are read without a lock, written under one that is
 *             tried a bounded number of times: its holder only copies at most 16 KiB.
 * Invariant : a published id has its record committed, and the record never changes.
 * Not here  : copying STRING records to the .gst (writer.c, as for every page).
 */
#include "tracer/intern.h"
#include "tracer/chunk.h"
#include "tracer/format/encode.h"

#include <sched.h>
#include <string.h>

#define LOCK_TRIES 4000u
#define LOCK_SPINS 200u

void gst_intern_init(struct gst_intern *in, struct gst_page *page, struct gst_loss *loss)
{
	in->page = page;
	in->loss = loss;
}

static const struct gst_rec_string *record_of(const struct gst_intern *in, uint32_t id)
{
	return (const struct gst_rec_string *)(const void *)(in->page->body + in->offset[id]);
}

static const char *text_of(const struct gst_rec_string *rec)
{
	return (const char *)rec + sizeof(*rec);
}

/* The id of the text, or 0; *empty is where it would go. */
static uint32_t find(const struct gst_intern *in, const char *text, uint32_t length, uint32_t hash,
		     uint32_t *empty)
{
	for (uint32_t i = 0; i < GST_INTERN_SLOTS; i++) {
		uint32_t slot = (hash + i) & (GST_INTERN_SLOTS - 1);
		uint32_t id = atomic_load_explicit(&in->slots[slot], memory_order_acquire);

		if (!id) {
			*empty = slot;
			return 0;
		}
		if (in->hash[id] == hash) {
			const struct gst_rec_string *rec = record_of(in, id);

			if (rec->length == length && !memcmp(text_of(rec), text, length)) {
				return id;
			}
		}
	}
	*empty = GST_INTERN_SLOTS;
	return 0;
}

/* Whether this thread has the lock: to be known by itself alone, in case it never comes back to release it. */
static __thread bool has_lock __attribute__((tls_model("initial-exec")));

/* The holder copies some bytes and is gone; if it was put to sleep meanwhile, let it run, but not for long. */
static bool try_lock(struct gst_intern *in)
{
	for (uint32_t i = 0; i < LOCK_TRIES; i++) {
		if (!atomic_load_explicit(&in->is_locked, memory_order_relaxed) &&
		    !atomic_exchange_explicit(&in->is_locked, 1, memory_order_acquire)) {
			has_lock = true;
			atomic_signal_fence(memory_order_seq_cst);
			return true;
		}
		if (i % LOCK_SPINS == LOCK_SPINS - 1) {
			sched_yield();
		}
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#endif
	}
	return false;
}

static void unlock(struct gst_intern *in)
{
	atomic_signal_fence(memory_order_seq_cst);
	has_lock = false;
	atomic_store_explicit(&in->is_locked, 0, memory_order_release);
}

void gst_intern_recover(struct gst_intern *in)
{
	struct gst_page *page = in->page;
	uint32_t most = gst_string_record_bytes(GST_STRING_MAX_BYTES);
	uint32_t room = page->room - page->position;

	if (!has_lock) {
		return;
	}
	/* What lies behind the committed strings must be zero again. */
	memset(page->body + page->position, 0, room < most ? room : most);
	unlock(in);
}

/* Under the lock. */
static uint32_t add(struct gst_intern *in, const char *text, uint32_t length, uint32_t hash)
{
	struct gst_rec_string *rec;
	uint32_t bytes = gst_string_record_bytes(length);
	uint32_t slot;
	uint32_t id = find(in, text, length, hash, &slot);

	if (id) {
		return id;
	}
	rec = in->count < GST_INTERN_MAX && slot < GST_INTERN_SLOTS
		      ? gst_chunk_reserve(in->page, bytes)
		      : NULL;
	if (!rec) {
		gst_loss_add(in->loss, GST_REC_STRING, GST_LOSS_STRING_TABLE_FULL, 1);
		return 0;
	}
	id = ++in->count;
	in->offset[id] = in->page->position;
	in->hash[id] = hash;
	rec->id = id;
	rec->length = length;
	/* The page was zero, so the padding is. */
	memcpy((char *)rec + sizeof(*rec), text, length);
	gst_chunk_commit(in->page, GST_KIND_STRING, bytes, 0);
	atomic_store_explicit(&in->slots[slot], id, memory_order_release);
	return id;
}

uint32_t gst_intern_bytes(struct gst_intern *in, const char *text, size_t length)
{
	uint32_t hash, id, slot;

	if (!text) {
		return 0;
	}
	if (length > GST_STRING_MAX_BYTES) {
		length = GST_STRING_MAX_BYTES;
		atomic_store_explicit(&in->is_cut, 1, memory_order_relaxed);
	}
	hash = gst_crc32c(0, text, length);
	id = find(in, text, (uint32_t)length, hash, &slot);
	if (id) {
		return id;
	}
	if (!try_lock(in)) {
		gst_loss_add(in->loss, GST_REC_STRING, GST_LOSS_BUSY, 1);
		return 0;
	}
	id = add(in, text, (uint32_t)length, hash);
	unlock(in);
	return id;
}

uint32_t gst_intern(struct gst_intern *in, const char *text)
{
	return text ? gst_intern_bytes(in, text, strnlen(text, GST_STRING_MAX_BYTES + 1)) : 0;
}

uint32_t gst_intern_near(struct gst_intern *in, const char *text)
{
	uintptr_t address = (uintptr_t)text;
	uint32_t place = (uint32_t)((address >> 3) ^ (address >> 13)) & (GST_INTERN_NEAR - 1);
	uint32_t id;

	if (!text) {
		return 0;
	}
	if (atomic_load_explicit(&in->near[place].text, memory_order_relaxed) == address) {
		id = atomic_load_explicit(&in->near[place].id, memory_order_acquire);
		if (id) {
			const struct gst_rec_string *rec = record_of(in, id);

			/* Not past the text's end: it may be shorter now than the one we know. */
			if (!strncmp(text_of(rec), text, rec->length) && !text[rec->length]) {
				return id;
			}
		}
	}
	id = gst_intern(in, text);
	atomic_store_explicit(&in->near[place].id, id, memory_order_release);
	atomic_store_explicit(&in->near[place].text, address, memory_order_relaxed);
	return id;
}
