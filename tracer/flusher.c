/*
 * flusher.c - flush CUPTI, on a thread that may be lost.
 *
 * Role      : device records reach the trace in time; a short run's records before its end.
 * Method    : a plain flush each period; at the end a plain one, then a forced one, whose records may
 *             lack their end and are marked.
 * Invariant : no lock is held around a call into CUPTI; of CUDA only attributes of devices are asked
 *             (devices.c), because other calls could break a stream capture of the program.
 * Not here  : the deadline at exit (inject.c), noticing a hang (writer.c).
 */
#include "tracer/flusher.h"
#include "tracer/old_glibc.h"
#include "tracer/own_thread.h"

static bool is_cupti_dead(const struct gst_flusher *f)
{
	return atomic_load(&f->callbacks->is_cupti_dead) != 0;
}

/* Once. What was not delivered may come next time, or never. */
static void say_failed(struct gst_flusher *f, int result)
{
	if (f->is_failure_said) {
		return;
	}
	f->is_failure_said = true;
	if (result == GST_CUPTI_ERROR_NOT_INITIALIZED) {
		gst_notes_add(
			f->defs, f->callbacks->strings, GST_NOTE_CUPTI_FATAL, result,
			"CUPTI has been ended, by itself or by another tool: nothing comes from it any more");
	} else {
		gst_notes_add(f->defs, f->callbacks->strings, GST_NOTE_ACTIVITY_OFF, result,
			      "a flush of CUPTI failed: device records may be missing");
	}
}

/* CUPTI 11.x beside a new driver: device records come, callbacks may never do. */
static void say_silence(struct gst_flusher *f)
{
	bool is_told = atomic_load(&f->activity->is_told);

	/* Records of calls may still come. */
	if (f->activity->options.calls && !is_told && !atomic_load(&f->stop)) {
		return;
	}
	f->is_silence_said = true;
	gst_notes_add(
		f->defs, f->callbacks->strings, GST_NOTE_CALLBACK_OFF, (int32_t)f->cupti->version,
		is_told ? "CUPTI calls nobody back: calls are known from its records, without streams, "
			  "events and other parameters"
			: "the GPU works but CUPTI reports no call: calls are not in the trace");
}

static void flush(struct gst_flusher *f, uint32_t how)
{
	int result;

	if (!f->activity || is_cupti_dead(f)) {
		return;
	}
	atomic_store(&f->since_ns, gst_clock_mono_ns());
	result = f->cupti->cuptiActivityFlushAll(how);
	atomic_store(&f->since_ns, 0);
	if (result) {
		say_failed(f, result);
	}
	if (atomic_load(&f->activity->is_off)) {
		gst_activity_disable(f->activity);
	} else if (!atomic_load(&f->stop)) {
		gst_activity_enable_postponed(f->activity);
	}
	gst_devices_complete(&f->activity->devices, f->defs);
	if (!f->is_silence_said && atomic_load(&f->activity->has_work) &&
	    !atomic_load(&f->callbacks->is_called)) {
		say_silence(f);
	}
}

static uint64_t read_gpu(void *arg)
{
	const struct gst_flusher *f = arg;
	uint64_t now = 0;

	return f->cupti->cuptiGetTimestamp(&now) ? 0 : now;
}

static void anchor(struct gst_flusher *f)
{
	struct gst_rec_anchor rec;

	if (!f->cupti->cuptiGetTimestamp || is_cupti_dead(f)) {
		return;
	}
	gst_clock_anchor(&rec, read_gpu, f);
	(void)gst_lane_put_one(f->defs, &rec, sizeof(rec)); /* a loss is counted there */
}

static void *body(void *arg)
{
	struct gst_flusher *f = arg;

	while (!gst_own_thread_wait(&f->stop, gst_clock_mono_ns() + f->period_ns)) {
		flush(f, GST_CUPTI_FLUSH_NORMAL);
		anchor(f);
	}
	flush(f, GST_CUPTI_FLUSH_NORMAL);
	if (f->activity) {
		atomic_store(&f->activity->is_forced, 1);
	}
	flush(f, GST_CUPTI_FLUSH_FORCED);
	anchor(f);
	gst_own_thread_signal(&f->is_done);
	return NULL;
}

int gst_flusher_start(struct gst_flusher *f)
{
	return gst_own_thread_start(&f->thread, "gstrace-flush", body, f);
}

bool gst_flusher_stop(struct gst_flusher *f, uint64_t deadline_ns)
{
	gst_own_thread_signal(&f->stop);
	if (!gst_own_thread_wait(&f->is_done, deadline_ns)) {
		return false;
	}
	pthread_join(f->thread, NULL);
	return true;
}
