/*
 * cli_output.c - outputs that appear whole, the memory limit, messages.
 *
 * Role      : commands open their output here, and end here when memory or the disk gives out.
 * Invariant : whatever fails, one message names the file or the limit, and no half-written output stays.
 * Not here  : what is written (analyzer/export), options (opt.c).
 */
#include "analyzer/cli/cli_output.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cli/cli.h"
#include "analyzer/base/units.h"

static int limit_status = GST_EXIT_LIMIT;

static void out_of_memory(uint64_t wanted_bytes, uint64_t used_bytes, uint64_t limit_bytes)
{
	static atomic_flag is_ending = ATOMIC_FLAG_INIT;

	/* Another thread got here first: it ends the process for all. */
	while (atomic_flag_test_and_set(&is_ending))
		pause();
	gst_outfile_abort_all();
	if (limit_bytes) {
		gst_cli_error(
			"more memory than --memory-limit allows is needed: %s used of %s, %s more wanted",
			gst_bytes(used_bytes).text, gst_bytes(limit_bytes).text,
			gst_bytes(wanted_bytes).text);
	} else {
		gst_cli_error("out of memory: %s used, %s more wanted", gst_bytes(used_bytes).text,
			      gst_bytes(wanted_bytes).text);
	}
	_exit(limit_status);
}

void gst_cli_set_memory_limit(uint64_t bytes, int status)
{
	limit_status = status;
	gst_mem_set_oom_hook(out_of_memory);
	gst_mem_set_limit(bytes);
}

int gst_cli_fail(gst_status st, const struct gst_err *err)
{
	gst_cli_error("%s", gst_cli_show(err->text[0] ? err->text : gst_status_name(st)));
	return st == GST_E_NOMEM || st == GST_E_LIMIT ? GST_EXIT_LIMIT : GST_EXIT_UNREADABLE;
}

static void end_by_signal(int number)
{
	/* unlink() is all that it does; SA_RESETHAND has put the default back. */
	gst_outfile_abort_all();
	raise(number);
}

/* No half-written file stays behind Ctrl-C, a batch system or a limit of time; a file that gets too long is an error like a full disk. */
static void take_signals(void)
{
	static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,	 SIGQUIT, SIGPIPE,
				      SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
	struct sigaction ours = {.sa_handler = end_by_signal, .sa_flags = (int)SA_RESETHAND};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		/* nohup, and shells for what runs in the background, have some ignored. */
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
			sigaction(numbers[i], &ours, NULL);
		}
	}
	sigaction(SIGXFSZ, &ignore, NULL);
}

int gst_cli_open_output(const char *path, struct gst_outfile **out)
{
	struct gst_err err = {0};
	gst_status st;

	take_signals();
	st = gst_outfile_open(path ? path : "-", out, &err);
	return st ? gst_cli_fail(st, &err) : GST_EXIT_OK;
}

int gst_cli_close_output(struct gst_outfile *out, gst_status st, struct gst_err *err, int status)
{
	if (st) {
		gst_outfile_abort(out);
		return gst_cli_fail(st, err);
	}
	st = gst_outfile_commit(out, err);
	return st ? gst_cli_fail(st, err) : status;
}
