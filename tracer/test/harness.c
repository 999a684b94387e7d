/*
 * harness.c - start programs under the tracer and collect what they leave.
 *
 * Role      : the end-to-end tests of this folder.
 * Method    : fork and exec with a made-up environment; stdout through a pipe, stderr into a file.
 * Invariant : a program that hangs (20 s in which it hardly ran) is killed and fails the test, one that only gets little
 *             of the machine is waited for, 100 s at most; nothing stays behind.
 * Not here  : what a trace must hold (scan.c and the tests).
 */
#include "tracer/test/harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define HANG_S	   20.0
#define HANG_CPU_S 0.1 /* less of it in HANG_S: it hangs */
#define DEADLINE_S 100.0

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Processor time that it used so far. */
static double cpu_s(pid_t pid)
{
	struct timespec t = {0};
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock)) {
		clock_gettime(clock, &t);
	}
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Absolute: the program runs in another folder. */
static char *part(const char *variable)
{
	const char *path = getenv(variable);
	char *full;

	if (!path) {
		fail_msg("%s is not set", variable);
	}
	full = realpath(path, NULL);
	if (!full) {
		fail_msg("%s=%s: %s", variable, path, strerror(errno));
	}
	return full;
}

int run_setup(void **state)
{
	struct run *run = calloc(1, sizeof(*run));
	const char *tmp = getenv("TEST_TMPDIR");

	if (!run) {
		return -1;
	}
	snprintf(run->dir, sizeof(run->dir), "%s/gst-run-XXXXXX", tmp ? tmp : "/tmp");
	snprintf(run->shm, sizeof(run->shm), "/dev/shm/gst-run-XXXXXX");
	if (!mkdtemp(run->dir) || !mkdtemp(run->shm)) {
		perror("mkdtemp");
		return -1;
	}
	run->out_fd = -1;
	*state = run;
	return 0;
}

static void empty_folder(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[600];

	while (d && (e = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d) {
		closedir(d);
	}
}

void run_clear(struct run *run)
{
	empty_folder(run->dir);
	empty_folder(run->shm);
}

int run_teardown(void **state)
{
	struct run *run = *state;

	if (run->pid > 0) {
		kill(run->pid, SIGKILL);
		waitpid(run->pid, NULL, 0);
	}
	run_clear(run);
	rmdir(run->dir);
	rmdir(run->shm);
	free(run);
	return 0;
}

static char *variable(const char *name, const char *value)
{
	size_t size = strlen(name) + strlen(value) + 2;
	char *text = malloc(size);

	assert_non_null(text);
	snprintf(text, size, "%s=%s", name, value);
	return text;
}

void run_start(struct run *run, const char *script)
{
	char *app = part(run->program ? run->program : "FAKE_APP");
	char *lib = part("GSTRACE_LIB");
	char *fake = part(run->library ? run->library : "FAKE_CUPTI");
	char *argv[] = {app, (char *)(uintptr_t) "-c", (char *)(uintptr_t)script, NULL};
	char *env[40];
	char err[300];
	int fds[2];
	int n = 0;

	/* first, so that getenv() finds these rather than what follows */
	for (int i = 0; run->env[i]; i++) {
		env[n++] = strdup(run->env[i]);
	}
	env[n++] = variable("PATH", "/usr/bin:/bin");
	env[n++] = variable("TSAN_OPTIONS",
			    "atexit_sleep_ms=0:halt_on_error=1:handle_segv=0:handle_abort=0");
	env[n++] = variable("FAKE_CUPTI", fake);
	env[n++] = variable("GSTRACE_CUPTI", run->cupti ? run->cupti : fake);
	env[n++] = variable("GSTRACE_STAGING_DIR", run->shm);
	if (run->has_nvtx) {
		env[n++] = variable("NVTX_INJECTION64_PATH", lib);
	}
	if (!run->is_untraced) {
		env[n++] = variable("CUDA_INJECTION64_PATH", lib);
	}
	if (run->has_shim) {
		char *shim = part("FAULT_SHIM");

		env[n++] = variable("LD_PRELOAD", shim);
		free(shim);
	}
	if (run->has_shim || run->program) {
		/* Signals are the program's own, the shim comes before the sanitizer, children leave by exit(). */
		env[n++] = variable("ASAN_OPTIONS",
				    "handle_segv=0:handle_sigbus=0:handle_abort=0:detect_leaks=0:"
				    "verify_asan_link_order=0:allocator_may_return_null=1");
	}
	env[n] = NULL;
	snprintf(err, sizeof(err), "%s/stderr", run->dir);
	assert_int_equal(pipe(fds), 0);
	run->seconds = now_s();
	run->pid = fork();
	assert_true(run->pid >= 0);
	if (run->pid == 0) {
		int fd = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		struct rlimit limit = {(rlim_t)run->file_limit, (rlim_t)run->file_limit};
		struct rlimit no_core = {0, 0};

		setrlimit(RLIMIT_CORE, &no_core);
		if (fd < 0 || chdir(run->dir) || dup2(fds[1], 1) < 0 || dup2(fd, 2) < 0 ||
		    (run->file_limit && setrlimit(RLIMIT_FSIZE, &limit))) {
			_exit(124);
		}
		close(fds[0]);
		close(fds[1]);
		close(fd);
		execve(app, argv, env);
		_exit(125);
	}
	close(fds[1]);
	run->out_fd = fds[0];
	for (int i = 0; i < n; i++) {
		free(env[i]);
	}
	free(app);
	free(lib);
	free(fake);
}

static void find_traces(struct run *run)
{
	DIR *d = opendir(run->dir);
	struct dirent *e;

	run->traces = 0;
	run->trace[0] = '\0';
	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] != '.' && strcmp(e->d_name, "stderr") != 0) {
			snprintf(run->trace, sizeof(run->trace), "%s/%s", run->dir, e->d_name);
			run->traces++;
		}
	}
	closedir(d);
}

/* Wait for something on its stdout, or for its end. */
static void wait_for_output(struct run *run)
{
	struct pollfd p = {.fd = run->out_fd, .events = POLLIN};
	double since = now_s(), used = cpu_s(run->pid);

	while (poll(&p, 1, (int)(HANG_S * 1000)) == 0) {
		double now = now_s(), cpu = cpu_s(run->pid);

		if (cpu - used < HANG_CPU_S * (now - since) / HANG_S ||
		    now - run->seconds > DEADLINE_S) {
			kill(run->pid, SIGKILL);
			waitpid(run->pid, NULL, 0);
			run->pid = 0;
			fail_msg("the program did not end within %.0f s; it ran for %.2f s",
				 now - run->seconds, cpu);
		}
		since = now;
		used = cpu;
	}
}

void run_finish(struct run *run)
{
	size_t used = strlen(run->out);
	char path[300];
	FILE *err;

	for (;;) {
		ssize_t got;

		wait_for_output(run);
		got = read(run->out_fd, run->out + used, sizeof(run->out) - 1 - used);
		if (got <= 0) {
			break;
		}
		used += (size_t)got;
	}
	close(run->out_fd);
	run->out_fd = -1;
	assert_int_equal(waitpid(run->pid, &run->status, 0), run->pid);
	run->pid = 0;
	run->seconds = now_s() - run->seconds;
	snprintf(path, sizeof(path), "%s/stderr", run->dir);
	err = fopen(path, "r");
	assert_non_null(err);
	used = fread(run->err, 1, sizeof(run->err) - 1, err);
	run->err[used] = '\0';
	fclose(err);
	find_traces(run);
}

void run_script(struct run *run, const char *script)
{
	memset(run->out, 0, sizeof(run->out));
	run_start(run, script);
	run_finish(run);
}

void run_assert_ended(const struct run *run, int code)
{
	assert_true(WIFEXITED(run->status));
	assert_int_equal(WEXITSTATUS(run->status), code);
}

int run_lines(const char *text)
{
	int lines = 0;

	for (; *text; text++) {
		lines += *text == '\n';
	}
	return lines;
}

int run_staging_files(const struct run *run)
{
	DIR *d = opendir(run->shm);
	struct dirent *e;
	int files = 0;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		files += e->d_name[0] != '.';
	}
	closedir(d);
	return files;
}
