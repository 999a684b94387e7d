/*
 * call_clock.h - CLOCK_MONOTONIC for calls that come in quick succession.
 *
 * Reading the clock takes 25 ns, but several times that in a callback, for which code and data of libc and the vDSO are
 * no longer in the small caches. So each thread reads it at most every GST_CALL_CLOCK_NS; a reading in between is the
 * last one and the time stamp counter's ticks since. Only where the kernel itself makes CLOCK_MONOTONIC of that counter.
 *
 * A time is never later than CLOCK_MONOTONIC, and at most GST_COUNTED_CALL_EARLY_NS earlier; in a thread times never go
 * back. Slewing by 500 ppm is allowed for. Should the counter fail later (the kernel may give it up, processors may come
 * to differ), a time is wrong by GST_CALL_CLOCK_NS at most; the first thread that sees the counter ahead of the clock
 * ends its use in the whole process.
 */
#ifndef GSTRACE_TRACER_CALL_CLOCK_H
#define GSTRACE_TRACER_CALL_CLOCK_H

#include "tracer/clock.h"
#include "tracer/format/format.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GST_CALL_CLOCK_NS 50000u
/* A reading that took longer is not gone on from: with 1477 ppm of GST_CALL_CLOCK_NS, GST_COUNTED_CALL_EARLY_NS at most. */
#define GST_CALL_CLOCK_READ_NS 200u

/* A thread's; all begins as zero. Not to be read in a signal handler that interrupted a reading. */
struct gst_call_clock {
	uint64_t ticks; /* at the last reading */
	uint64_t ns;	/* what it gave */
	uint32_t scale; /* ns a tick, in 2^-32 */
	uint32_t limit; /* ticks for which that holds; 0: the clock must be read */
};

/* How fast the counter counts; one for the process. */
struct gst_call_clock_rate {
	bool is_usable;		/* otherwise nothing else counts; the writer's */
	_Atomic bool is_wrong;	/* any thread's: it went ahead of the clock */
	_Atomic uint32_t scale; /* as above, a little less than the truth; 0 = not known */
	uint64_t ticks, ns;	/* when it was measured last */
};

extern struct gst_call_clock_rate gst_call_clock_rate;

static inline uint64_t gst_call_clock_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/** Find out whether the counter is what CLOCK_MONOTONIC is made of. Reads a file of /sys. Threads: one, at start. */
void gst_call_clock_init(void);

/** Measure its rate, or anew; none once the counter was wrong. Cost: some readings of the clock. Threads: the writer's. */
void gst_call_clock_measure(void);

/** The same, given a reading of both; a rate that changes by more than 0.1 % is not used any more. */
void gst_call_clock_rate_take(struct gst_call_clock_rate *rate, uint64_t ticks, uint64_t ns);

/** Read the clock, and hold the counter against it. Threads: the one that @c is of. */
uint64_t gst_call_clock_read(struct gst_call_clock *c);

static inline uint64_t gst_call_clock_now(struct gst_call_clock *c)
{
	uint64_t ticks = gst_call_clock_ticks() - c->ticks;

	if (__builtin_expect(ticks < c->limit, 1)) {
		return c->ns + (ticks * c->scale >> 32);
	}
	return gst_call_clock_read(c);
}

#endif
