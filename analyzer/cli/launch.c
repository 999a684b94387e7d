/*
 * launch.c - fork, exec, pass signals on, wait.
 *
 * Role      : cmd_record.c runs the program through here.
 * Method    : the signals of interest are blocked before the fork and taken one by one with sigtimedwait(), so there are
 *             no handlers and no races; the child gets the original mask and dispositions back before exec. posix_spawn
 *             would not say which errno exec had, nor restore dispositions that were "ignore".
 * Invariant : a failed exec reaches the parent through a close-on-exec pipe as its errno.
 * Not here  : what is set in the environment (cmd_record.c).
 */
#include "analyzer/cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/cli/cli.h"

static const int forwarded[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

enum { FORWARDED_COUNT = sizeof(forwarded) / sizeof(forwarded[0]) };

struct saved_signals {
	sigset_t mask;
	struct sigaction sig_int, sig_quit, sig_chld;
};

static void take_signals(struct saved_signals *saved, sigset_t *waited)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, dflt = {.sa_handler = SIG_DFL};

	sigemptyset(waited);
	for (size_t i = 0; i < FORWARDED_COUNT; i++) {
		sigaddset(waited, forwarded[i]);
	}
	sigaddset(waited, SIGCHLD);
	sigprocmask(SIG_BLOCK, waited, &saved->mask);
	sigaction(SIGINT, &ignore, &saved->sig_int);
	sigaction(SIGQUIT, &ignore, &saved->sig_quit);
	/* Were it ignored, the child's status would be lost. */
	sigaction(SIGCHLD, &dflt, &saved->sig_chld);
}

static void restore_signals(const struct saved_signals *saved)
{
	sigaction(SIGINT, &saved->sig_int, NULL);
	sigaction(SIGQUIT, &saved->sig_quit, NULL);
	sigaction(SIGCHLD, &saved->sig_chld, NULL);
	sigprocmask(SIG_SETMASK, &saved->mask, NULL);
}

static _Noreturn void child(const struct gst_launch *launch, const struct saved_signals *saved,
			    int report)
{
	int error;

	restore_signals(saved);
	execvpe(launch->argv[0], launch->argv, launch->envp);
	error = errno;
	/* The parent sees an end of file only if exec succeeded; one int is written whole. */
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR) {
	}
	_exit(GST_RECORD_FAILED);
}

/* The errno of a failed exec, or 0. */
static int read_exec_error(int fd)
{
	int error = 0;
	ssize_t n;

	do {
		n = read(fd, &error, sizeof(error));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? error : 0;
}

static int wait_child(const struct gst_launch *launch, pid_t pid, const sigset_t *waited)
{
	unsigned interval = launch->watch ? launch->watch_ms : 0;
	int status;

	for (;;) {
		struct timespec limit = {.tv_sec = interval / 1000,
					 .tv_nsec = (long)(interval % 1000) * 1000000};
		pid_t done = waitpid(pid, &status, WNOHANG);
		siginfo_t info;
		int sig;

		if (done == pid) {
			return status;
		}
		sig = interval ? sigtimedwait(waited, &info, &limit) : sigwaitinfo(waited, &info);
		if (sig < 0 && errno == EAGAIN) {
			interval = launch->watch(launch->payload, pid);
		} else if (sig > 0 && sig != SIGCHLD) {
			/* Not reaped yet, so the pid is still its. */
			kill(pid, sig);
		}
	}
}

void gst_launch_run(const struct gst_launch *launch, struct gst_launched *out)
{
	struct saved_signals saved;
	sigset_t waited;
	int report[2], status;
	pid_t pid;

	memset(out, 0, sizeof(*out));
	out->status = GST_RECORD_FAILED;
	if (pipe2(report, O_CLOEXEC) != 0) {
		out->error = errno;
		out->phase = "pipe";
		return;
	}
	take_signals(&saved, &waited);
	pid = fork();
	if (pid < 0) {
		out->error = errno;
		out->phase = "fork";
		close(report[0]);
		close(report[1]);
		restore_signals(&saved);
		return;
	}
	if (pid == 0) {
		child(launch, &saved, report[1]);
	}
	out->pid = pid;
	close(report[1]);
	out->error = read_exec_error(report[0]);
	close(report[0]);
	status = wait_child(launch, pid, &waited);
	restore_signals(&saved);
	if (out->error) {
		out->phase = "exec";
		out->status =
			out->error == ENOENT ? GST_RECORD_NOT_FOUND : GST_RECORD_NOT_EXECUTABLE;
		return;
	}
	out->has_run = true;
	if (WIFSIGNALED(status)) {
		out->signal = WTERMSIG(status);
		out->status = GST_RECORD_SIGNAL + out->signal;
	} else {
		out->status = WEXITSTATUS(status);
	}
}
