/*
 * call_clock.c - how fast the time stamp counter counts, and readings of the clock itself.
 *
 * Role      : the times of calls (callbacks.c); the writer measures now and then.
 * Method    : the rate is that between two readings of both, taken down by 1/1024: then the next reading of the
 *             clock is never before what was given since the last one.
 * Invariant : where anything is in doubt, the clock is read each time.
 * Not here  : the clocks' distances from each other (clock.c).
 */
#include "tracer/call_clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define MEASURE_TRIES	 8
#define MEASURE_NS_LEAST 10000000u /* between two readings: 0.2 us of doubt are 20 ppm of it */
#define RATE_CHANGE_PPM	 1000

struct gst_call_clock_rate gst_call_clock_rate;

static bool is_counter_invariant(void)
{
#if defined(__x86_64__)
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
#else
	return false;
#endif
}

/* The kernel has looked at all processors' counters, and looks on. */
static bool is_clock_made_of_it(void)
{
	char name[8] = {0};
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t bytes;

	if (fd < 0) {
		return false;
	}
	bytes = read(fd, name, sizeof(name) - 1);
	close(fd);
	return bytes == 4 && !memcmp(name, "tsc\n", 4);
}

void gst_call_clock_init(void)
{
	gst_call_clock_rate.is_usable = is_counter_invariant() && is_clock_made_of_it();
}

void gst_call_clock_rate_take(struct gst_call_clock_rate *rate, uint64_t ticks, uint64_t ns)
{
	uint32_t known = atomic_load_explicit(&rate->scale, memory_order_relaxed);
	uint64_t scale, change;

	if (atomic_load(&rate->is_wrong)) {
		rate->is_usable = false;
	}
	if (!rate->ns) {
		rate->ticks = ticks;
		rate->ns = ns;
		return;
	}
	if (ns < rate->ns || ticks <= rate->ticks) {
		rate->is_usable = false;
	} else if (ns - rate->ns < MEASURE_NS_LEAST) {
		return;
	}
	/* Stopped for long (the whole machine, a debugger): the product must not overflow. */
	if (rate->is_usable && ns - rate->ns < UINT32_MAX) {
		scale = ((ns - rate->ns) << 32) / (ticks - rate->ticks);
		scale -= scale / 1024;
		change = scale > known ? scale - known : known - scale;
		/* Below 1 GHz it does not fit. */
		if (scale > UINT32_MAX || (known && change > known / 1000000 * RATE_CHANGE_PPM)) {
			rate->is_usable = false;
		} else {
			atomic_store(&rate->scale, (uint32_t)scale);
			/* Found wrong meanwhile: one of the two sees what the other did. */
			rate->is_usable = !atomic_load(&rate->is_wrong);
		}
	}
	if (!rate->is_usable) {
		atomic_store_explicit(&rate->scale, 0, memory_order_relaxed);
	}
	rate->ticks = ticks;
	rate->ns = ns;
}

void gst_call_clock_measure(void)
{
	uint64_t width = UINT64_MAX, ticks = 0, ns = 0;

	if (!gst_call_clock_rate.is_usable) {
		return;
	}
	for (int i = 0; i < MEASURE_TRIES; i++) {
		uint64_t before = gst_call_clock_ticks();
		uint64_t now = gst_clock_mono_ns();
		uint64_t after = gst_call_clock_ticks();

		if (after - before < width) {
			width = after - before;
			ticks = before + width / 2;
			ns = now;
		}
	}
	/* The narrowest of them all was interrupted: another time. 1,000 ticks are 0.2 to 0.5 us. */
	if (width < 1000) {
		gst_call_clock_rate_take(&gst_call_clock_rate, ticks, ns);
	}
}

/*
 * Whether more time passed by the counter than by the clock since @c was read: its processors differ, or it is not that
 * of the clock any more. It was read after the clock then, and before it now, and @c's rate is less than the truth.
 */
static bool is_ahead(const struct gst_call_clock *c, uint64_t ticks, uint64_t now)
{
	uint64_t passed = ticks - c->ticks;

	return c->scale && ticks > c->ticks && passed < UINT32_MAX && now >= c->ns &&
	       passed * c->scale >> 32 > now - c->ns;
}

uint64_t gst_call_clock_read(struct gst_call_clock *c)
{
	uint32_t scale = atomic_load_explicit(&gst_call_clock_rate.scale, memory_order_relaxed);
	uint64_t before, after, now;

	c->limit = 0;
	atomic_signal_fence(memory_order_seq_cst);
	if (!scale) {
		return gst_clock_mono_ns();
	}
	before = gst_call_clock_ticks();
	now = gst_clock_mono_ns();
	after = gst_call_clock_ticks();
	if (is_ahead(c, before, now)) {
		atomic_store(&gst_call_clock_rate.is_wrong, true);
		atomic_store(&gst_call_clock_rate.scale, 0);
		return now;
	}
	if (((after - before) * scale) >> 32 < GST_CALL_CLOCK_READ_NS && now >= c->ns) {
		/* A signal handler may leave by a jump: what belongs together counts when all of it is there. */
		c->scale = 0;
		atomic_signal_fence(memory_order_seq_cst);
		c->ticks = after;
		c->ns = now;
		atomic_signal_fence(memory_order_seq_cst);
		c->scale = scale;
		atomic_signal_fence(memory_order_seq_cst);
		c->limit = (uint32_t)(((uint64_t)GST_CALL_CLOCK_NS << 32) / scale);
	}
	return now;
}
