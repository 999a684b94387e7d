/*
 * probe.c - dlopen and one call in a forked child; the answer comes back through a pipe.
 *
 * Role      : doctor looks at libcuda and libcupti without trusting them with its own process.
 * Invariant : a child lives at most the seconds given (alarm); its stdout and stderr go nowhere.
 */
#include "analyzer/cli/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void ask(const char *library, enum gst_probe_question question, struct gst_probe *p)
{
	static const char *const functions[] = {
		[GST_PROBE_CUPTI_VERSION] = "cuptiGetVersion",
		[GST_PROBE_DRIVER_VERSION] = "cuDriverGetVersion",
		[GST_PROBE_DRIVER_INIT] = "cuInit",
	};
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void *function;
	Dl_info info;

	if (!handle) {
		const char *error = dlerror();

		snprintf(p->error, sizeof(p->error), "%s", error ? error : "cannot be loaded");
		return;
	}
	p->is_loaded = true;
	function = dlsym(handle, functions[question]);
	if (!function) {
		snprintf(p->error, sizeof(p->error), "has no %s", functions[question]);
		return;
	}
	if (dladdr(function, &info) && info.dli_fname) {
		snprintf(p->path, sizeof(p->path), "%s", info.dli_fname);
	}
	if (question == GST_PROBE_DRIVER_INIT) {
		int (*init)(unsigned flags);

		memcpy(&init, &function, sizeof(init));
		p->result = init(0);
	} else {
		int (*get_version)(uint32_t * version);

		memcpy(&get_version, &function, sizeof(get_version));
		p->result = get_version(&p->number);
	}
	p->has_answer = true;
}

static _Noreturn void child(const char *library, enum gst_probe_question question, unsigned seconds,
			    int to)
{
	struct gst_probe p;
	int null = open("/dev/null", O_RDWR);

	memset(&p, 0, sizeof(p));
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	signal(SIGALRM, SIG_DFL);
	alarm(seconds);
	ask(library, question, &p);
	_exit(write(to, &p, sizeof(p)) == (ssize_t)sizeof(p) ? 0 : 1);
}

bool gst_probe_run(const char *library, enum gst_probe_question question, unsigned seconds,
		   struct gst_probe *out)
{
	size_t length = 0;
	int fds[2], status;
	pid_t pid;

	memset(out, 0, sizeof(*out));
	if (pipe2(fds, O_CLOEXEC) != 0) {
		return false;
	}
	fflush(NULL); /* or what is buffered could be written twice */
	pid = fork();
	if (pid == 0) {
		child(library, question, seconds, fds[1]);
	}
	close(fds[1]);
	while (pid > 0 && length < sizeof(*out)) {
		ssize_t n = read(fds[0], (char *)out + length, sizeof(*out) - length);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			break;
		}
		length += (size_t)n;
	}
	close(fds[0]);
	if (pid < 0) {
		return false;
	}
	if (length < sizeof(*out)) {
		memset(out, 0, sizeof(*out));
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			return false;
		}
	}
	if (WIFSIGNALED(status)) {
		out->signal = WTERMSIG(status);
	}
	return true;
}
