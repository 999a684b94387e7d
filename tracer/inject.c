/*
 * inject.c - start and end of recording in a traced process.
 *
 * Role      : InitializeInjection, called by the driver inside cuInit, and InitializeInjectionNvtx2, called by
 *             NVTX at its first use, are all that this library exports.
 * Method    : open CUPTI, then the file, then staging memory and threads, then enable callbacks and
 *             activities; whatever fails before that leaves the program as it was. At exit: last
 *             flush, last cycle, trailer, each within a deadline.
 * Invariant : one line on stderr at most when nothing is recorded; InitializeInjection always returns 1;
 *             a child of fork() neither writes nor ends the trace.
 * Not here  : everything else.
 */
#include "tracer/activity.h"
#include "tracer/call_clock.h"
#include "tracer/callbacks.h"
#include "tracer/config.h"
#include "tracer/flusher.h"
#include "tracer/identity.h"
#include "tracer/linebuf.h"
#include "tracer/nvtx.h"
#include "tracer/old_glibc.h"
#include "tracer/output.h"
#include "tracer/own_thread.h"
#include "tracer/siglog.h"
#include "tracer/snapshot.h"
#include "tracer/writer.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

struct gst_tracer {
	struct gst_threads threads; /* first, so aligned: thread_slot.h */
	struct gst_callbacks callbacks;
	struct gst_windows windows;
	struct gst_config config;
	struct gst_identity identity;
	struct gst_cupti cupti;
	struct gst_state *state;
	struct gst_pool pool;
	struct gst_loss loss;
	struct gst_intern strings;
	struct gst_lane defs;
	struct gst_lane device;
	struct gst_objects objects;
	struct gst_snapshot snapshot;
	struct gst_host_wrap host_wrap;
	struct gst_activity activity;
	struct gst_carry carry;
	struct gst_writer writer;
	struct gst_flusher flusher;
	char path[4096]; /* of the trace */
	char full[4400]; /* the same, absolute */
	int fd;
	bool is_writer_left; /* it did not end when the start failed */
};

/* Where recording ends is found by exit handlers, which carry no pointer. */
static struct gst_tracer *the_tracer;

int InitializeInjection(void) __attribute__((visibility("default")));
int InitializeInjectionNvtx2(gst_nvtx_get_table_fn get_table)
	__attribute__((visibility("default")));

static void *map_private(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Why nothing is recorded: to the user in one line, and to gstrace record. */
static void give_up(const struct gst_config *config, const char *what, const char *why)
{
	struct gst_linebuf line;
	char text[1024];

	gst_linebuf_init(&line, text, sizeof(text));
	gst_linebuf_add(&line, what);
	gst_linebuf_add(&line, why);
	gst_siglog("not recording: ", text, NULL);
	gst_output_report(config->session.value, "why", text);
}

static void on_fork_child(void)
{
	struct gst_tracer *t = the_tracer;

	/* The kernel has wiped it already where it can; the mask of older ones is this. */
	atomic_store(&t->state->is_on, 0);
	atomic_store(&t->state->is_parent, 0);
}

/* Records that even a forced flush left inside CUPTI. */
static void say_undelivered(struct gst_tracer *t)
{
	struct gst_rec_loss loss = {
		.head = gst_record_head(GST_KIND_LOSS, sizeof(loss), 0),
		.reason = GST_LOSS_ENDED_EARLY,
	};
	uint32_t buffers = gst_activity_undelivered(&t->activity);

	if (buffers) {
		/* At least one in each; how many is not known. */
		atomic_store(&t->writer.pending_activities, buffers);
		(void)gst_lane_put_one(&t->defs, &loss, sizeof(loss));
	}
}

/* The end of the program: within the deadline, whatever CUPTI or the disk does. */
static void on_exit_process(void)
{
	struct gst_tracer *t = the_tracer;
	uint64_t deadline = gst_clock_mono_ns() + t->config.exit_ms * 1000000;

	if (!atomic_exchange(&t->state->is_parent, 0)) {
		return;
	}
	/* The disk needs its share of the time when CUPTI hangs; the writer says that it did. */
	if (gst_flusher_stop(&t->flusher, deadline - t->config.exit_ms * 250000) &&
	    gst_config_has_device(&t->config)) {
		say_undelivered(t);
	}
	atomic_store(&t->state->is_on, 0);
	gst_lane_release(&t->defs);
	gst_lane_release(&t->device);
	if (gst_writer_stop(&t->writer, deadline)) {
		gst_pool_unlink(&t->pool);
	} else if (t->writer.error) {
		/* The disk took no more: what is left was counted; 16 MiB must not stay behind for it. */
		gst_pool_unlink(&t->pool);
		gst_siglog("the trace is cut, writing failed: ", t->path, NULL);
	}
}

static void on_exit_guarded(void)
{
	struct gst_own_signals signals;
	int cancel_state;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	gst_own_signals_hold(&signals);
	on_exit_process();
	gst_own_signals_release(&signals);
	(void)pthread_setcancelstate(cancel_state, NULL);
}

static bool open_output(struct gst_tracer *t)
{
	struct gst_config_names names = {
		.host = t->identity.host,
		.exe = t->identity.exe_name,
		.pid = t->identity.pid,
		.start_s = (int64_t)(t->identity.start_real_ns / 1000000000u),
	};

	if (!gst_config_output_path(t->config.output.value, t->config.is_private, &names, t->path,
				    sizeof(t->path))) {
		give_up(&t->config, "GSTRACE_OUTPUT is too long", "");
		return false;
	}
	t->fd = gst_output_create(t->path, sizeof(t->path));
	if (t->fd < 0) {
		struct gst_linebuf why;
		char text[512];

		gst_linebuf_init(&why, text, sizeof(text));
		gst_linebuf_add(&why, t->path);
		gst_linebuf_add(&why, errno == ENOENT	? ": no such folder"
				      : errno == EACCES ? ": permission denied"
				      : errno == EROFS	? ": read-only file system"
				      : errno == ENOSPC ? ": no space left"
				      : errno == EISDIR ? ": is a folder; name a file in it"
				      : errno == ENODEV ? ": is no regular file"
							: ": cannot be created");
		give_up(&t->config, "output ", text);
		return false;
	}
	return true;
}

static bool set_up_memory(struct gst_tracer *t)
{
	const char *dir = t->config.staging_dir.value;

	if (gst_pool_init(&t->pool, dir[0] ? dir : NULL, t->config.staging_bytes,
			  t->identity.uuid_hi, t->identity.uuid_lo, (uint32_t)t->identity.pid)) {
		return false;
	}
	gst_intern_init(&t->strings, &t->pool.pages[0], &t->loss);
	gst_lane_init(&t->defs, &t->pool, &t->loss, GST_CHUNK_DEFS);
	gst_lane_init(&t->device, &t->pool, &t->loss, GST_CHUNK_EVENTS);
	if (gst_threads_init(&t->threads, &t->pool, &t->loss, &t->strings, &t->defs)) {
		return false;
	}
	gst_windows_init(&t->windows, gst_config_is_paused(&t->config));
	gst_objects_init(&t->objects);
	t->defs.windows = &t->windows;
	gst_callbacks_init(&t->callbacks, t->state, &t->threads, &t->loss, &t->strings, &t->defs);
	if (gst_writer_init(&t->writer, t->fd, &t->pool, &t->loss, &t->strings, t->state, NULL)) {
		return false;
	}
	t->callbacks.windows = &t->windows;
	t->callbacks.objects = &t->objects;
	if (gst_config_has_host_wrap(&t->config)) {
		gst_host_wrap_init(&t->host_wrap, t->state, &t->windows, &t->device, &t->loss);
		t->callbacks.host_wrap = &t->host_wrap;
	}
	t->snapshot = (struct gst_snapshot){
		.identity = &t->identity,
		.config = &t->config,
		.cupti = &t->cupti,
		.windows = &t->windows,
		.objects = &t->objects,
		.threads = &t->threads,
		.devices = &t->activity.devices,
		.defs = &t->defs,
		.loss = &t->loss,
	};
	t->windows.on_open = gst_snapshot_take;
	t->windows.on_open_arg = &t->snapshot;
	t->writer.windows = &t->windows;
	t->writer.begin_segment = gst_snapshot_write;
	t->writer.begin_arg = &t->snapshot;
	/* Without it later segments lack their graphs, as a few MiB of address space are lacking: nothing to stop for. */
	if (!gst_carry_init(&t->carry, &t->objects, GST_CARRY_BYTES)) {
		t->writer.carry = &t->carry;
	}
	t->writer.max_bytes = t->config.max_size;
	t->writer.period_ns = t->config.write_ms * 1000000;
	t->writer.hang_ns = t->config.hang_ms * 1000000;
	t->writer.flush_since_ns = &t->flusher.since_ns;
	t->writer.threads = &t->threads;
	t->writer.enable_since_ns = &t->activity.enable_since_ns;
	return true;
}

static bool start_threads(struct gst_tracer *t)
{
	t->flusher.cupti = &t->cupti;
	t->flusher.activity = gst_config_has_device(&t->config) ? &t->activity : NULL;
	t->flusher.callbacks = &t->callbacks;
	t->flusher.defs = &t->defs;
	t->flusher.period_ns = t->config.flush_ms * 1000000;
	if (gst_writer_start(&t->writer)) {
		return false;
	}
	if (gst_flusher_start(&t->flusher)) {
		(void)gst_writer_stop(&t->writer, gst_clock_mono_ns() + UINT64_C(1000000000));
		/* A disk may hold it for longer: then what it works with must stay. */
		t->is_writer_left = !atomic_load(&t->writer.is_done);
		return false;
	}
	return true;
}

static void enable_cupti(struct gst_tracer *t)
{
	struct gst_activity_options options = {
		.calls = gst_cupti_may_be_silent(t->cupti.version, gst_cupti_driver_version()),
		.graph_nodes = gst_config_has_graph_nodes(&t->config),
		.event_times = t->config.is_event_time_on,
		.host_wrap = gst_config_has_host_wrap(&t->config),
		.event_ids = gst_config_has_event_ids(&t->config)      ? GST_EVENT_IDS_ALWAYS
			     : gst_config_has_no_event_ids(&t->config) ? GST_EVENT_IDS_NEVER
								       : GST_EVENT_IDS_AUTO,
	};

	/* Activities first: the driver is about to create its first context. */
	if (gst_config_has_device(&t->config)) {
		t->activity.windows = &t->windows;
		t->activity.objects = &t->objects;
		t->activity.is_called = &t->callbacks.is_called;
		t->activity.flush_since_ns = &t->flusher.since_ns;
		gst_devices_find_driver(&t->activity.devices);
		t->callbacks.activity = &t->activity;
		(void)gst_activity_enable(&t->activity, &options);
	}
	(void)gst_callbacks_enable(&t->callbacks, &t->cupti, gst_config_has_device(&t->config));
}

/* NVTX comes to the library that its variable names, and to no other. */
static bool is_our_path(const char *path)
{
	/* One thread, once, at start. */
	static char ours[PATH_MAX], theirs[PATH_MAX];
	Dl_info self;

	return dladdr((void *)(uintptr_t)is_our_path, &self) && self.dli_fname &&
	       realpath(self.dli_fname, ours) && realpath(path, theirs) && !strcmp(ours, theirs);
}

static void say_if_no_nvtx(struct gst_tracer *t)
{
	const char *wanted = getenv("NVTX_INJECTION64_PATH");

	if (gst_nvtx_is_attached()) {
		return;
	}
	if (!wanted || !wanted[0]) {
		gst_notes_add(
			&t->defs, &t->strings, GST_NOTE_NO_NVTX, 0,
			"NVTX_INJECTION64_PATH is not set: ranges and names are not in the trace");
	} else if (!is_our_path(wanted)) {
		gst_notes_add(
			&t->defs, &t->strings, GST_NOTE_NO_NVTX, 1,
			"NVTX_INJECTION64_PATH names another tool: ranges and names are not in the trace");
	}
}

/* Measured of 11.8 beside a driver of CUDA 13: docs/COVERAGE.md. */
static void say_if_too_old(struct gst_tracer *t)
{
	if (gst_cupti_may_be_silent(t->cupti.version, gst_cupti_driver_version())) {
		gst_notes_add(
			&t->defs, &t->strings, GST_NOTE_CALLBACK_OFF, (int32_t)t->cupti.version,
			"this CUPTI is of an older CUDA than the driver: launches may be missing, and "
			"the numbers that join calls and device records may stand still; take one of "
			"CUDA 12 or later");
	}
}

static bool set_up(struct gst_tracer *t)
{
	struct gst_cupti_reason reason;

	gst_call_clock_init();
	gst_identity_init(&t->identity);
	if (!gst_cupti_open(&t->cupti, t->config.cupti.value, gst_callbacks_on_event, &t->callbacks,
			    &reason)) {
		give_up(&t->config, "", reason.text);
		return false;
	}
	if (!open_output(t)) {
		goto fail_cupti;
	}
	if (!set_up_memory(t) || (gst_config_has_device(&t->config) &&
				  gst_activity_init(&t->activity, &t->cupti, t->state, &t->loss,
						    &t->strings, &t->defs, &t->device))) {
		give_up(&t->config, "no memory for records", "");
		goto fail_output;
	}
	if (!gst_config_is_paused(&t->config)) {
		gst_identity_write_segment(&t->writer, 0, true, t->identity.start_mono_ns);
		t->writer.begun = 1;
	}
	gst_identity_read_variables(&t->identity, &t->strings, &t->config);
	gst_identity_write(&t->identity, &t->writer, &t->config, &t->cupti);
	if (!t->pool.path[0] && t->config.staging_dir.value[0]) {
		gst_notes_add(&t->defs, &t->strings, GST_NOTE_NO_TMPFS, 0,
			      "no room on tmpfs: records of a killed process may be lost");
	}
	if (gst_writer_cycle(&t->writer)) {
		give_up(&t->config, "the output cannot be written: ", t->path);
		goto fail_output;
	}
	if (pthread_atfork(NULL, NULL, on_fork_child) || atexit(on_exit_guarded) ||
	    !start_threads(t)) {
		give_up(&t->config, "no thread can be started", "");
		goto fail_output;
	}
	/* quick_exit() runs no other handlers; the driver is still there then. Refused: no trailer in that case. */
	(void)at_quick_exit(on_exit_guarded);
	atomic_store(&t->state->is_parent, 1);
	atomic_store(&t->state->is_on, 1);
	say_if_too_old(t);
	say_if_no_nvtx(t);
	gst_nvtx_start(&t->callbacks);
	enable_cupti(t);
	gst_output_absolute(t->path, t->full, sizeof(t->full));
	gst_output_report(t->config.session.value, "trace", t->full);
	return true;

fail_output:
	unlink(t->path);
	if (t->is_writer_left) {
		gst_pool_unlink(&t->pool);
	} else {
		close(t->fd);
		gst_pool_release(&t->pool, true);
	}
fail_cupti:
	gst_cupti_close(&t->cupti);
	return false;
}

static const char *get_variable(const char *name)
{
	return getenv(name);
}

int InitializeInjection(void)
{
	static atomic_flag was_called = ATOMIC_FLAG_INIT;
	int saved_errno = errno;
	struct gst_own_signals signals;
	struct gst_tracer *t;
	int cancel_state;

	/* A program with more rights than its user must not write where the user points. */
	if (atomic_flag_test_and_set(&was_called) || getauxval(AT_SECURE)) {
		return 1;
	}
	gst_siglog_remember();
	t = map_private(sizeof(*t));
	if (!t) {
		gst_siglog("not recording: no memory", NULL);
		return 1;
	}
	/* Our files must be whole or not there, whoever wants to cancel the program's thread. */
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	gst_own_signals_hold(&signals);
	gst_config_read(&t->config, get_variable);
	if (t->config.is_help) {
		gst_config_print_help();
	}
	if (t->config.is_disabled) {
		munmap(t, sizeof(*t));
		goto out;
	}
	t->state = map_private(sizeof(*t->state));
	if (t->state) {
		(void)madvise(t->state, sizeof(*t->state), MADV_WIPEONFORK);
		the_tracer = t;
		(void)set_up(t);
	} else {
		give_up(&t->config, "no memory", "");
	}
out:
	gst_own_signals_release(&signals);
	(void)pthread_setcancelstate(cancel_state, NULL);
	errno = saved_errno;
	return 1;
}

int InitializeInjectionNvtx2(gst_nvtx_get_table_fn get_table)
{
	return getauxval(AT_SECURE) ? 0 : gst_nvtx_attach(get_table);
}
