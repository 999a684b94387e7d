/*
 * thread_slot.c - slots of the traced threads.
 *
 * Role      : callbacks.c asks for the calling thread's slot at each call.
 * Method    : slots that ended threads gave back are on a lock-free stack, the others are handed out
 *             in order; a pthread key's destructor closes the page and gives the slot back.
 *             A thread that calls after that has a slot again, but for one call.
 * Invariant : a slot has one owner; an index is never used for two threads.
 * Not here  : what is recorded (callbacks.c).
 */
#include "tracer/thread_slot.h"
#include "tracer/old_glibc.h"
#include "tracer/own_thread.h"
#include "tracer/format/encode.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_SLOT UINT32_MAX

__thread struct gst_thread_slot *gst_thread_slot_self __attribute__((tls_model("initial-exec")));

/*
 * The index that the calling thread had when the key's destructor ran; 0: it has not. Destructors of the program that
 * make calls after that may do so in the last round, behind which nobody calls ours: such a thread has a slot for each
 * call only.
 */
static __thread uint32_t ended_as __attribute__((tls_model("initial-exec")));

/* The segment in which the thread was told last, + 1. */
static __thread uint32_t told_in __attribute__((tls_model("initial-exec")));

/* There is one tracer in a process; the key's destructor has no other way to it. */
static struct gst_threads *the_threads;

static void push_slot(struct gst_threads *t, struct gst_thread_slot *slot)
{
	uint32_t index = (uint32_t)(slot - t->slots);
	uint64_t before = atomic_load_explicit(&t->free, memory_order_relaxed);
	uint64_t after;

	do {
		atomic_store_explicit(&slot->next, (uint32_t)before, memory_order_relaxed);
		after = ((before >> 32) + 1) << 32 | index;
	} while (!atomic_compare_exchange_weak_explicit(
		&t->free, &before, after, memory_order_release, memory_order_relaxed));
}

static struct gst_thread_slot *pop_slot(struct gst_threads *t)
{
	uint64_t before = atomic_load_explicit(&t->free, memory_order_acquire);
	uint64_t after;
	uint32_t index;

	do {
		index = (uint32_t)before;
		if (index == NO_SLOT) {
			return NULL;
		}
		after = ((before >> 32) + 1) << 32 |
			atomic_load_explicit(&t->slots[index].next, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		&t->free, &before, after, memory_order_acquire, memory_order_acquire));
	return &t->slots[index];
}

static void close_page(struct gst_thread_slot *slot)
{
	if (slot->page) {
		gst_page_close(slot->page);
		slot->page = NULL;
	}
}

static void give_back(void *arg)
{
	struct gst_thread_slot *slot = arg;

	ended_as = slot->thread;
	/* A child of fork() has copies of nothing here that it may touch. */
	gst_thread_slot_self = NULL;
	atomic_store(&slot->live, 0);
	close_page(slot);
	gst_lane_thread_ends();
	push_slot(the_threads, slot);
}

void gst_threads_let_go(struct gst_thread_slot *slot)
{
	gst_thread_slot_self = NULL;
	atomic_store(&slot->live, 0);
	/* With its page: one for each call would be many, and the slot comes back to the same thread mostly. */
	push_slot(the_threads, slot);
}

bool gst_threads_has_live(const struct gst_threads *t)
{
	uint32_t used = atomic_load(&t->used);

	for (uint32_t i = 0; i < used; i++) {
		if (atomic_load(&t->slots[i].live)) {
			return true;
		}
	}
	return false;
}

int gst_threads_init(struct gst_threads *t, struct gst_pool *pool, struct gst_loss *loss,
		     struct gst_intern *strings, struct gst_lane *defs)
{
	int error = pthread_key_create(&t->key, give_back);

	if (error) {
		return error;
	}
	t->pool = pool;
	t->loss = loss;
	t->strings = strings;
	t->defs = defs;
	atomic_init(&t->free, NO_SLOT);
	the_threads = t;
	return 0;
}

static void describe_thread(struct gst_threads *t, struct gst_thread_slot *slot)
{
	uint32_t segment = gst_lane_segment(t->defs) + 1;
	char name[17] = {0};
	struct gst_rec_thread rec = {
		.head = gst_record_head(GST_KIND_THREAD, sizeof(rec), 0),
		.thread = slot->thread,
		.tid = (uint64_t)syscall(SYS_gettid),
	};

	if (!prctl(PR_GET_NAME, name)) {
		rec.name = gst_intern(t->strings, name);
	}
	atomic_store(&slot->name, rec.name);
	atomic_store(&slot->tid, rec.tid);
	atomic_store(&slot->live, slot->thread);
	/* The other calls of a thread that is past its end need no more of them. */
	if (!slot->is_for_one_call || told_in != segment) {
		told_in = segment;
		gst_lane_put_one(t->defs, &rec, sizeof(rec));
	}
}

static struct gst_thread_slot *new_slot(struct gst_threads *t)
{
	int saved_errno = errno;
	struct gst_thread_slot *slot = pop_slot(t);

	if (!slot) {
		uint32_t index = atomic_load(&t->used);

		/* Not a plain addition: many refused threads must not wrap the counter. */
		do {
			if (index >= GST_THREADS_MAX) {
				return NULL;
			}
		} while (!atomic_compare_exchange_weak(&t->used, &index, index + 1));
		slot = &t->slots[index];
	}
	if (slot->thread != ended_as) {
		close_page(slot);
	}
	slot->depth = 0;
	slot->busy_at = 0;
	slot->owner_told = 0;
	slot->is_bare = 0;
	slot->inside = 0;
	slot->missed = 0;
	slot->left_corr = 0;
	slot->last_left = 0;
	memset(slot->left, 0, sizeof(slot->left));
	memset(&slot->clock, 0, sizeof(slot->clock));
	memset(slot->names, 0, sizeof(slot->names));
	slot->is_for_one_call = ended_as != 0;
	slot->thread = ended_as ? ended_as : atomic_fetch_add(&t->last_thread, 1) + 1;
	gst_thread_slot_self = slot;
	if (!ended_as) {
		pthread_setspecific(t->key, slot);
	}
	describe_thread(t, slot);
	errno = saved_errno;
	return slot;
}

struct gst_thread_slot *gst_threads_self(struct gst_threads *t)
{
	return gst_thread_slot_self ? gst_thread_slot_self : new_slot(t);
}

/*
 * The thread comes here from deeper in its stack than it was when it was interrupted: by a handler's calls, which are
 * few, or because all calls of the program come from deeper than the one that a handler left.
 */
static bool is_missed_often(struct gst_thread_slot *slot)
{
	uint32_t at = slot->page ? slot->page->position : 0;

	if (slot->missed_at != at) {
		slot->missed_at = at;
		slot->missed = 0;
	}
	if (++slot->missed < GST_BUSY_MISSED) {
		return false;
	}
	slot->missed = 0;
	return true;
}

bool gst_threads_recover(struct gst_threads *t, struct gst_thread_slot *slot, uintptr_t here)
{
	int saved_errno = errno;
	/* Otherwise the handler of one that interrupted us, which goes on afterwards. */
	bool is_gone = here >= slot->busy_at && !gst_own_signals_is_on_stack();

	errno = saved_errno;
	if (!is_gone && !is_missed_often(slot)) {
		return false;
	}
	/*
	 * Half a record may lie behind the committed ones: another must not be put over it. Nobody but the writer has
	 * the page any more; it stays open where what was interrupted might, after all, go on and finish its record.
	 */
	if (slot->page && is_gone) {
		gst_page_close(slot->page);
	}
	slot->page = NULL;
	gst_intern_recover(t->strings);
	gst_loss_add(t->loss, 0, GST_LOSS_BUSY, 1);
	return true;
}

bool gst_threads_is_known(void)
{
	return gst_thread_slot_self || ended_as;
}
