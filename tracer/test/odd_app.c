/*
 * odd_app.c - programs "with CUDA" that do what well-behaved ones do not.
 *
 *     FAKE_CUPTI=libfake_cupti.so odd_app -c NAME
 *
 * Role      : survive_test runs each with and without the tracer and compares all that can be seen from outside.
 * Method    : one function for each program, listed in odd_app.h; calls are those of fake_cupti.h, found at run time as in fake_app.
 * Invariant : what is printed and how it ends is the same in every run.
 * Not here  : what must be in the trace (survive_test.c); the programs themselves (odd_files.c, odd_threads.c, odd_limits.c), but for the one
 *             that looks at itself.
 */
#include "tracer/test/odd_app.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *odd_library;
static const char *own_path;

void *odd_find(const char *name)
{
	void *function = dlsym(odd_library, name);

	if (!function) {
		fprintf(stderr, "odd_app: %s is missing\n", name);
		_exit(2);
	}
	return function;
}

void odd_launch(int count)
{
	for (int i = 0; i < count; i++) {
		F(fake_launch)(FAKE_NULL, "k", 0);
	}
}

void odd_say(const char *text)
{
	puts(text);
	fflush(stdout);
}

void odd_pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) && errno == EINTR) {
	}
}

void odd_need(bool is_so, const char *what)
{
	if (!is_so) {
		printf("not so: %s (%s)\n", what, strerror(errno));
		fflush(stdout);
		_exit(3);
	}
}

int odd_status_of(pid_t child)
{
	int status = -1;

	odd_need(waitpid(child, &status, 0) == child, "a child ends");
	return status;
}

pthread_t odd_start(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	odd_need(!pthread_create(&thread, NULL, body, argument), "a thread starts");
	return thread;
}

/* ---- what can be seen of a process from inside --------------------------------------------- */

static bool is_documented(const char *variable)
{
	return strncmp(variable, "GSTRACE_", 8) == 0 || strncmp(variable, "FAULT", 5) == 0 ||
	       strncmp(variable, "CUDA_INJECTION64_PATH=", 22) == 0 ||
	       strncmp(variable, "NVTX_INJECTION64_PATH=", 22) == 0;
}

static void print_state(void)
{
	static const int limits[] = {RLIMIT_AS,	   RLIMIT_CORE,	  RLIMIT_DATA, RLIMIT_FSIZE,
				     RLIMIT_STACK, RLIMIT_NOFILE, RLIMIT_NPROC};
	char text[PATH_MAX] = "";
	sigset_t mask, pending;
	cpu_set_t set;
	stack_t stack;
	mode_t mode;

	for (char **v = environ; *v; v++) {
		if (!is_documented(*v)) {
			printf("env %s\n", *v);
		}
	}
	for (int s = 1; s < 65; s++) {
		struct sigaction action;

		if (!sigaction(s, NULL, &action)) {
			printf("signal %d %s %x\n", s,
			       action.sa_handler == SIG_DFL   ? "default"
			       : action.sa_handler == SIG_IGN ? "ignored"
							      : "handled",
			       (unsigned)action.sa_flags);
		}
	}
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigpending(&pending);
	for (int s = 1; s < 65; s++) {
		printf("%d%d", sigismember(&mask, s), sigismember(&pending, s));
	}
	sigaltstack(NULL, &stack);
	mode = umask(0);
	umask(mode);
	printf("\numask %o altstack %d cwd %s\n", mode, stack.ss_flags, getcwd(text, sizeof(text)));
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit limit;

		getrlimit((__rlimit_resource_t)limits[i], &limit);
		printf("limit %d %llu %llu\n", limits[i], (unsigned long long)limit.rlim_cur,
		       (unsigned long long)limit.rlim_max);
	}
	for (int which = 0; which < 3; which++) {
		struct itimerval timer = {0};

		getitimer((__itimer_which_t)which, &timer);
		printf("timer %d %ld %ld\n", which, (long)timer.it_interval.tv_sec,
		       (long)timer.it_value.tv_sec);
	}
	printf("nice %d scheduler %d processors %d\n", getpriority(PRIO_PROCESS, 0),
	       sched_getscheduler(0),
	       sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set));
	printf("parent %d session %d group %d controls %#x\n", getppid() == 1,
	       getsid(0) == getpid(), getpgrp() == getpid(), fetestexcept(FE_ALL_EXCEPT));
	prctl(PR_GET_NAME, text);
	printf("name %s dumpable %d subreaper %d\n", text, prctl(PR_GET_DUMPABLE),
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	for (int fd = 0; fd < 400; fd++) {
		struct stat about;

		if (!fstat(fd, &about)) {
			printf("fd %d %o\n", fd, about.st_mode & S_IFMT);
		}
	}
	for (int fd = 400; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);

		odd_need(flags < 0 || flags & FD_CLOEXEC, "what is open is closed by exec");
	}
	printf("rounding %d errno %d\n", fegetround(), errno);
}

void odd_state(void)
{
	errno = 77;
	odd_launch(3);
	F(fake_device_sync)();
	print_state();
	fflush(stdout);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(void);
} programs[] = {
#define ODD_X(name, function) {name, odd_##function},
	ODD_PROGRAMS(ODD_X)
#undef ODD_X
};

int main(int argc, char **argv)
{
	own_path = getenv("FAKE_CUPTI");
	if (argc != 3 || !own_path) {
		fprintf(stderr, "usage: FAKE_CUPTI=LIBRARY odd_app -c NAME\n");
		return 2;
	}
	odd_library = dlopen(own_path, RTLD_NOW | RTLD_LOCAL);
	if (!odd_library) {
		fprintf(stderr, "odd_app: %s\n", dlerror());
		return 2;
	}
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].name, argv[2]) == 0) {
			programs[i].run();
			return 0;
		}
	}
	fprintf(stderr, "odd_app: no program %s\n", argv[2]);
	return 2;
}
