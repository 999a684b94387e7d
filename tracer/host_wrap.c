/*
 * host_wrap.c - run the program's host functions and say when.
 *
 * Role      : HOST_RUN records where CUPTI has none.
 * Method    : a fixed number of places; the address of one is the argument that the driver passes on. A place
 *             is free again when its function has returned.
 * Invariant : the program's function runs exactly when the driver calls ours, in its thread, whether or not
 *             anything is recorded; a place whose call may have become part of a graph is never given back.
 * Not here  : which calls (callbacks.c).
 */
#include "tracer/host_wrap.h"
#include "tracer/clock.h"
#include "tracer/format/encode.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROBES 64u

enum { FREE, TAKEN, KEPT };

void gst_host_wrap_init(struct gst_host_wrap *w, const struct gst_state *state,
			const struct gst_windows *windows, struct gst_lane *device,
			struct gst_loss *loss)
{
	w->state = state;
	w->windows = windows;
	w->device = device;
	w->loss = loss;
	for (uint32_t i = 0; i < GST_HOST_WRAP_PLACES; i++) {
		w->places[i].wrap = w;
	}
}

void gst_host_wrap_capture(struct gst_host_wrap *w, int change)
{
	uint32_t captures = atomic_load(&w->captures);

	if (change > 0) {
		atomic_fetch_add(&w->captures, 1);
		return;
	}
	while (captures && !atomic_compare_exchange_weak(&w->captures, &captures, captures - 1)) {
	}
}

static void put_run(struct gst_host_place *place, uint64_t start_ns, uint64_t end_ns)
{
	struct gst_host_wrap *w = place->wrap;
	struct gst_rec_host_run rec = {
		.head = gst_record_head(GST_KIND_HOST_RUN, sizeof(rec), place->corr),
		.start_ns = start_ns,
		.end_ns = end_ns,
		.ctx = place->ctx,
		.stream = place->stream,
		.tid = (uint64_t)syscall(SYS_gettid),
	};
	uint64_t no_patience = 0;
	struct gst_page *page;
	enum gst_windows_place where;
	uint32_t segment;

	if (!gst_state_is_on(w->state)) {
		return;
	}
	where = gst_windows_find(w->windows, place->corr, start_ns, &segment);
	if (where != GST_WINDOWS_INSIDE) {
		if (where == GST_WINDOWS_FORGOTTEN) {
			gst_loss_add(w->loss, GST_KIND_HOST_RUN, GST_LOSS_OLD_WINDOW, 1);
		}
		return;
	}
	page = gst_lane_take(w->device);
	(void)gst_lane_put_patiently(w->device, &page, &rec, sizeof(rec), segment, &no_patience);
	gst_lane_give(w->device, page);
}

static void give_back(struct gst_host_place *place)
{
	uint32_t taken = TAKEN;

	/* KEPT stays. */
	atomic_compare_exchange_strong(&place->state, &taken, FREE);
}

/* What the driver calls. errno is the program's before, during and after. */
static void run_function(void *user)
{
	struct gst_host_place *place = user;
	uint64_t start_ns = gst_clock_real_ns();
	int saved_errno;

	(void)atomic_load_explicit(&place->state, memory_order_acquire);
	place->run.function(place->user);
	saved_errno = errno;
	put_run(place, start_ns, gst_clock_real_ns());
	give_back(place);
	errno = saved_errno;
}

static void run_callback(void *stream, int result, void *user)
{
	struct gst_host_place *place = user;
	uint64_t start_ns = gst_clock_real_ns();
	int saved_errno;

	(void)atomic_load_explicit(&place->state, memory_order_acquire);
	place->run.callback(stream, result, place->user);
	saved_errno = errno;
	put_run(place, start_ns, gst_clock_real_ns());
	give_back(place);
	errno = saved_errno;
}

static struct gst_host_place *free_place(struct gst_host_wrap *w)
{
	uint32_t at = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed);

	for (uint32_t i = 0; i < PROBES; i++) {
		struct gst_host_place *place = &w->places[(at + i) % GST_HOST_WRAP_PLACES];
		uint32_t free = FREE;

		if (atomic_load_explicit(&place->state, memory_order_relaxed) == FREE &&
		    atomic_compare_exchange_strong(&place->state, &free, TAKEN)) {
			return place;
		}
	}
	return NULL;
}

uint32_t gst_host_wrap_take(struct gst_host_wrap *w, const struct gst_api *api, void *params,
			    uint32_t corr, uint32_t ctx, uint32_t stream)
{
	struct gst_host_place *place;

	if (atomic_load(&w->captures)) {
		return 0;
	}
	place = free_place(w);
	if (!place) {
		gst_loss_add(w->loss, GST_KIND_HOST_RUN, GST_LOSS_TABLE_FULL, 1);
		return 0;
	}
	place->corr = corr;
	place->ctx = ctx;
	place->stream = stream;
	if (api->layout == GST_PARAMS_HOST_FUNC) {
		struct gst_cu_host_func *p = params;

		place->run.function = p->fn;
		place->user = p->userData;
		atomic_store_explicit(&place->state, TAKEN, memory_order_release);
		p->fn = run_function;
		p->userData = place;
	} else {
		struct gst_cu_stream_callback *p = params;

		place->run.callback = p->callback;
		place->user = p->userData;
		atomic_store_explicit(&place->state, TAKEN, memory_order_release);
		p->callback = run_callback;
		p->userData = place;
	}
	return (uint32_t)(place - w->places) + 1;
}

void gst_host_wrap_cancel(struct gst_host_wrap *w, uint32_t place)
{
	if (place) {
		give_back(&w->places[place - 1]);
	}
}

void gst_host_wrap_returned(struct gst_host_wrap *w, uint32_t place)
{
	uint32_t taken = TAKEN;

	/* It may have run and been taken again by now: then that one is kept instead, which costs a place. */
	if (place && atomic_load(&w->captures)) {
		atomic_compare_exchange_strong(&w->places[place - 1].state, &taken, KEPT);
	}
}
