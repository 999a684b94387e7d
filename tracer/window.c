/*
 * window.c - opening and closing windows, finding that of a device record.
 *
 * Role      : callbacks open and close, activities and the writer look.
 * Method    : one number for all that is asked in a call; a ring of ranges of correlation ids, searched by
 *             halves.
 * Invariant : the number only grows; what a range says is stored before the number that announces it.
 * Not here  : what was alive when a window opened (objects.c), writing it (snapshot.c).
 */
#include "tracer/window.h"
#include "tracer/clock.h"

void gst_windows_init(struct gst_windows *w, bool is_paused)
{
	atomic_store(&w->is_plain, is_paused ? 0 : 1);
	atomic_store(&w->kept[0].segment, is_paused ? 0 : 1);
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
		atomic_store(&window->segment, gst_windows_segment(now) + 1);
		atomic_store(&w->now, now + 1);
		atomic_store(&w->opened, gst_windows_segment(now) + 1);
		if (w->on_open) {
			w->on_open(w->on_open_arg, now + 1);
		}
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
		atomic_store(&window->to_mono_ns, gst_clock_mono_ns());
		atomic_store(&window->is_closed, 1);
		/* The place of the next one must not read as an old one. */
		window = window_of(w, gst_windows_segment(now) + 1);
		atomic_store(&window->segment, 0);
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

/* Whether the call came before the window's first. */
static bool is_older(const struct gst_window *window, uint32_t corr)
{
	uint32_t from = atomic_load(&window->from);

	return from && is_before(corr, from);
}

static const struct gst_window *kept(const struct gst_windows *w, uint32_t segment)
{
	return &w->kept[segment % GST_WINDOWS_KEPT];
}

/* The newest one from @oldest up to @newest that did not open after the call. It is there: @oldest is one. */
static uint32_t search(const struct gst_windows *w, uint32_t oldest, uint32_t newest, uint32_t corr)
{
	uint32_t low = oldest, high = newest;

	/* Mostly it is one of the last two. */
	if (!is_older(kept(w, newest), corr)) {
		return newest;
	}
	high = newest - 1;
	if (!is_older(kept(w, high), corr)) {
		return high;
	}
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;

		if (is_older(kept(w, middle), corr)) {
			high = middle - 1;
		} else {
			low = middle;
		}
	}
	return low;
}

/* The same by time, which may have been stepped: one after the other. */
static uint32_t search_time(const struct gst_windows *w, uint32_t oldest, uint32_t newest,
			    uint64_t gpu_ns)
{
	uint32_t at = newest;

	while (at > oldest && gpu_ns < atomic_load(&kept(w, at)->from_real_ns)) {
		at--;
	}
	return at;
}

enum gst_windows_place gst_windows_find(const struct gst_windows *w, uint32_t corr, uint64_t gpu_ns,
					uint32_t *segment)
{
	uint32_t opened, oldest, at;
	const struct gst_window *window;
	bool is_inside;

	*segment = 0;
	if (atomic_load_explicit(&w->is_plain, memory_order_acquire)) {
		return GST_WINDOWS_INSIDE;
	}
	opened = atomic_load(&w->opened);
	if (!opened) {
		return GST_WINDOWS_OUTSIDE;
	}
	/* The next one's place may be in change. */
	oldest = opened > GST_WINDOWS_KEPT - 1 ? opened - (GST_WINDOWS_KEPT - 1) : 0;
	window = kept(w, oldest);
	if (corr ? is_older(window, corr) : gpu_ns < atomic_load(&window->from_real_ns)) {
		return oldest ? GST_WINDOWS_FORGOTTEN : GST_WINDOWS_OUTSIDE;
	}
	at = corr ? search(w, oldest, opened - 1, corr)
		  : search_time(w, oldest, opened - 1, gpu_ns);
	window = kept(w, at);
	is_inside = !atomic_load(&window->is_closed) ||
		    (corr ? !is_before(atomic_load(&window->to), corr)
			  : gpu_ns <= atomic_load(&window->to_real_ns));
	/* Many windows may have come and gone meanwhile. */
	if (atomic_load(&window->segment) != at + 1) {
		return GST_WINDOWS_FORGOTTEN;
	}
	*segment = at;
	return is_inside ? GST_WINDOWS_INSIDE : GST_WINDOWS_OUTSIDE;
}

uint64_t gst_windows_closed_ns(const struct gst_windows *w, uint32_t segment)
{
	const struct gst_window *window = kept(w, segment);
	uint64_t ns = atomic_load(&window->is_closed) ? atomic_load(&window->to_mono_ns) : 0;

	return atomic_load(&window->segment) == segment + 1 ? ns : 0;
}
