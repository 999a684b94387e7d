/*
 * window.c - opening and closing windows, finding that of a device record.
 *
 * Role      : callbacks open and close, activities and the writer look.
 * Method    : one number for all that is asked in a call; a ring of ranges of correlation ids.
 * Invariant : the number only grows; what a range says is stored before the number that announces it.
 * Not here  : what was alive when a window opened (objects.c), writing it (snapshot.c).
 */
#include "tracer/window.h"
#include "tracer/clock.h"

void gst_windows_init(struct gst_windows *w, bool is_paused)
{
	atomic_store(&w->is_plain, is_paused ? 0 : 1);
	atomic_store(&w->opened, is_paused ? 0 : 1);
	atomic_store(&w->now, is_paused ? 0 : 1);
}

static struct gst_window *window_of(struct gst_windows *w, uint32_t segment)
{
	return &w->kept[segment % GST_WINDOWS_KEPT];
}

bool gst_windows_open(struct gst_windows *w, uint32_t corr)
{
	uint32_t now = gst_windows_now(w);
	struct gst_window *window;

	if (gst_windows_is_open(now) || atomic_exchange(&w->is_changing, 1)) {
		return false;
	}
	now = gst_windows_now(w);
	if (!gst_windows_is_open(now)) {
		window = window_of(w, gst_windows_segment(now));
		atomic_store(&window->is_closed, 0);
		atomic_store(&window->from, corr);
		atomic_store(&window->from_mono_ns, gst_clock_mono_ns());
		atomic_store(&window->from_real_ns, gst_clock_real_ns());
		atomic_store(&w->now, now + 1);
		atomic_store(&w->opened, gst_windows_segment(now) + 1);
	}
	atomic_store(&w->is_changing, 0);
	return !gst_windows_is_open(now);
}

bool gst_windows_close(struct gst_windows *w, uint32_t corr)
{
	uint32_t now = gst_windows_now(w);
	struct gst_window *window;

	if (!gst_windows_is_open(now) || atomic_exchange(&w->is_changing, 1)) {
		return false;
	}
	now = gst_windows_now(w);
	if (gst_windows_is_open(now)) {
		window = window_of(w, gst_windows_segment(now));
		atomic_store(&window->to, corr);
		atomic_store(&window->to_real_ns, gst_clock_real_ns());
		atomic_store(&window->is_closed, 1);
		/* The place of the next one must not read as an old one. */
		window = window_of(w, gst_windows_segment(now) + 1);
		atomic_store(&window->is_closed, 0);
		atomic_store(&window->from_real_ns, UINT64_MAX);
		atomic_store(&w->is_plain, 0);
		atomic_store(&w->now, now + 1);
	}
	atomic_store(&w->is_changing, 0);
	return gst_windows_is_open(now);
}

/* Ids are counted in 32 bits and wrap. */
static bool is_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static bool holds(const struct gst_window *window, uint32_t corr, uint64_t gpu_ns)
{
	bool is_closed = atomic_load(&window->is_closed);
	uint32_t from = atomic_load(&window->from);

	if (!corr) {
		return gpu_ns >= atomic_load(&window->from_real_ns) &&
		       (!is_closed || gpu_ns <= atomic_load(&window->to_real_ns));
	}
	return (!from || !is_before(corr, from)) &&
	       (!is_closed || !is_before(atomic_load(&window->to), corr));
}

bool gst_windows_find(const struct gst_windows *w, uint32_t corr, uint64_t gpu_ns,
		      uint32_t *segment)
{
	uint32_t opened;

	*segment = 0;
	if (atomic_load_explicit(&w->is_plain, memory_order_acquire)) {
		return true;
	}
	opened = atomic_load(&w->opened);
	for (uint32_t i = 0; i < opened && i < GST_WINDOWS_KEPT - 1; i++) {
		*segment = opened - 1 - i;
		if (holds(&w->kept[*segment % GST_WINDOWS_KEPT], corr, gpu_ns)) {
			return true;
		}
	}
	return false;
}
