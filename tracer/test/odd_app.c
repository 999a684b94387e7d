/*
 * odd_app.c - programs "with CUDA" that do what well-behaved ones do not.
 *
 *     FAKE_CUPTI=libfake_cupti.so odd_app -c NAME
 *
 * Role      : survive_test runs each with and without the tracer and compares all that can be seen from outside.
 * Method    : one function for each program; calls are those of fake_cupti.h, found at run time as in fake_app.
 * Invariant : what is printed and how it ends is the same in every run.
 * Not here  : what must be in the trace (survive_test.c).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/cupti_abi.h"
#include "tracer/fake_cupti/fake_cupti.h"

extern char **environ;

static void *library;
static const char *own_path;

/* The function of the fake by its name, typed as declared. */
#define F(name) (*(__typeof__(&name))find(#name))

#define C(name) (*(gst_cupti_##name##_t *)find(#name))

static void *find(const char *name)
{
	void *function = dlsym(library, name);

	if (!function) {
		fprintf(stderr, "odd_app: %s is missing\n", name);
		_exit(2);
	}
	return function;
}

static void launch(int count)
{
	for (int i = 0; i < count; i++) {
		F(fake_launch)(FAKE_NULL, "k", 0);
	}
}

static void say(const char *text)
{
	puts(text);
	fflush(stdout);
}

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) && errno == EINTR) {
	}
}

static void need(bool is_so, const char *what)
{
	if (!is_so) {
		printf("not so: %s (%s)\n", what, strerror(errno));
		fflush(stdout);
		_exit(3);
	}
}

static pthread_t start(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	need(!pthread_create(&thread, NULL, body, argument), "a thread starts");
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

		need(flags < 0 || flags & FD_CLOEXEC, "what is open is closed by exec");
	}
	printf("rounding %d errno %d\n", fegetround(), errno);
}

static void state(void)
{
	errno = 77;
	launch(3);
	F(fake_device_sync)();
	print_state();
	fflush(stdout);
}

/* ---- descriptors ---------------------------------------------------------------------------- */

/* Closes all, and files of its own get the numbers. */
static void take_over(void)
{
	struct stat about;
	int own, kept = -1;

	launch(10);
	for (int fd = 3; fd < 1024; fd++) {
		close(fd);
	}
	own = memfd_create("own", 0);
	need(own == 3, "3 is free");
	for (int fd = 4; fd < 1024; fd++) {
		kept = dup2(own, fd) == fd ? fd : kept;
	}
	need(kept > 400 && write(own, "mine", 4) == 4, "it is written");
	for (int i = 0; i < 40; i++) {
		launch(500);
		pause_ms(2);
	}
	F(fake_device_sync)();
	need(!fstat(own, &about) && about.st_size == 4, "nothing else went there");
	say("done");
	/* seen by whoever waits for the end of stdout; the tracer's exit follows */
}

/* As above, and looks only when every exit function has run. */
static int last_look;

static void look_last(void)
{
	struct stat about;

	need(!fstat(last_look, &about) && about.st_size == 4, "nothing went there at exit");
	say("last look");
}

static void take_over_at_exit(void)
{
	atexit(look_last);
	launch(10);
	for (int fd = 3; fd < 1024; fd++) {
		close(fd);
	}
	last_look = memfd_create("own", 0);
	for (int fd = 4; fd < 1024; fd++) {
		dup2(last_look, fd);
	}
	/* stderr too: what stands there then is the program's file, not the user's screen */
	dup2(last_look, 2);
	need(write(last_look, "mine", 4) == 4, "it is written");
	launch(10);
	exit(4);
}

static void no_standard_files(void)
{
	int fd;

	close(0);
	close(1);
	close(2);
	F(fake_init)();
	launch(5);
	for (int want = 0; want < 3; want++) {
		fd = open("/dev/null", O_RDWR);
		if (fd != want) {
			_exit(5);
		}
	}
	launch(5);
	_exit(fcntl(3, F_GETFD) < 0 ? 6 : 7);
}

static void many_descriptors(void)
{
	static int fds[10000];
	struct rlimit limit;
	struct stat zero, about;
	int count = 10000, first;

	need(!getrlimit(RLIMIT_NOFILE, &limit), "a limit");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur < 10100) {
		count = (int)limit.rlim_cur - 100;
	}
	first = open("/dev/zero", O_RDONLY);
	need(!fstat(first, &zero), "a file");
	for (int i = 0; i < count; i++) {
		fds[i] = dup(first);
		need(fds[i] > 0, "a descriptor");
	}
	launch(50);
	F(fake_device_sync)();
	for (int i = 0; i < count; i++) {
		need(!fstat(fds[i], &about) && about.st_ino == zero.st_ino, "still the same file");
	}
	say("done");
}

/* As few as there may be: those that are open, and @more. */
static void few_descriptors(int more)
{
	struct rlimit limit = {(rlim_t)more, (rlim_t)more};
	int fd;

	need(!setrlimit(RLIMIT_NOFILE, &limit), "a limit");
	launch(50);
	if (more > 4) {
		fd = open("/dev/null", O_RDONLY);
		printf("%d\n", fd);
	}
	F(fake_device_sync)();
	say("done");
}

static void descriptors_8(void)
{
	few_descriptors(8);
}

/* One at a time: what starts CUDA needs it too. */
static void descriptors_4(void)
{
	few_descriptors(4);
}

static void descriptors_64(void)
{
	few_descriptors(64);
}

/* ---- folders, masks, rights, names ---------------------------------------------------------- */

static void mask_all(void)
{
	umask(0777);
	launch(20);
	F(fake_device_sync)();
	say("done");
}

static void elsewhere(void)
{
	launch(20);
	need(!chdir("/"), "another folder");
	launch(20);
	F(fake_device_sync)();
	say("done");
}

static void from_nowhere(void)
{
	need(!mkdir("gone", 0700) && !chdir("gone") && !rmdir("../gone"), "a folder that is gone");
	launch(20);
	F(fake_device_sync)();
	say("done");
}

static void drop_rights(void)
{
	uid_t nobody = 65534, user = getuid();

	launch(20);
	/* glibc signals every thread, ours too, and waits for all of them; in a container there may be one user */
	need((!user && !setresuid(nobody, nobody, nobody)) || !setresuid(user, user, user),
	     "other rights");
	launch(20);
	F(fake_device_sync)();
	say("done");
}

static void rename_itself(void)
{
	prctl(PR_SET_NAME, "early\033[31m");
	launch(20);
	prctl(PR_SET_NAME, "late");
	memset(environ[0], 'x', 1);
	launch(20);
	F(fake_device_sync)();
	say("done");
}

static void *change_environment(void *argument)
{
	for (int i = 0; i < 20000 && !*(volatile int *)argument; i++) {
		/* not new names: glibc then moves the list, under whoever reads it, the driver as well */
		setenv("ODD_ONE", i & 1 ? "a" : "bb", 1);
		setenv("ODD_TWO", i & 1 ? "a" : "bb", 1);
	}
	return NULL;
}

static void environment_race(void)
{
	volatile int stop = 0;
	pthread_t thread;

	setenv("ODD_ONE", "a", 1);
	setenv("ODD_TWO", "c", 1);
	thread = start(change_environment, (void *)(uintptr_t)&stop);
	launch(20);
	stop = 1;
	pthread_join(thread, NULL);
	F(fake_device_sync)();
	say("done");
}

/* ---- children -------------------------------------------------------------------------------- */

static int status_of(pid_t child)
{
	int status = -1;

	need(waitpid(child, &status, 0) == child, "a child ends");
	return status;
}

static void raw_clone(void)
{
	long child;

	launch(10);
	/* no atfork function runs: the child learns from a wiped page that it is not recorded */
	child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
	if (child == 0) {
		launch(100);
		F(fake_device_sync)();
		exit(11);
	}
	need(WEXITSTATUS(status_of((pid_t)child)) == 11, "the child's status");
	launch(10);
	F(fake_device_sync)();
	say("done");
}

static void vfork_and_spawn(void)
{
	char *const words[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
			       (char *)(uintptr_t) "exit 12", NULL};
	pid_t child;

	for (volatile int i = 0; i < 3; i++) {
		launch(10);
		child = vfork();
		if (child == 0) {
			execve("/bin/sh", words, environ);
			_exit(1);
		}
		need(WEXITSTATUS(status_of(child)) == 12, "vfork");
		need(!posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) &&
			     WEXITSTATUS(status_of(child)) == 12,
		     "posix_spawn");
		need(WEXITSTATUS(system("exit 12")) == 12, "system");
	}
	F(fake_device_sync)();
	say("done");
}

static void daemonize(void)
{
	if (fork()) {
		return;
	}
	setsid();
	if (fork()) {
		_exit(0);
	}
	for (int fd = 0; fd < 1024; fd++) {
		close(fd);
	}
	for (int fd = 0; fd < 3; fd++) {
		if (open("/dev/null", O_RDWR) != fd) {
			_exit(1);
		}
	}
	launch(30);
	F(fake_device_sync)();
	exit(13);
}

/* Grandchildren come to us when their parents have gone. */
static void wait_for_all(void)
{
	int status, last = 0;

	while (wait(&status) > 0) {
		last = WEXITSTATUS(status) ? WEXITSTATUS(status) : last;
	}
	printf("%d\n", last);
	fflush(stdout);
}

static void daemon_before(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	daemonize();
	wait_for_all();
}

static void daemon_after(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	launch(30);
	daemonize();
	wait_for_all();
	F(fake_device_sync)();
}

static void exec_itself(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *const words[] = {self, (char *)(uintptr_t) "-c", (char *)(uintptr_t) "after-exec",
			       NULL};

	need(length > 0, "a name");
	self[length] = '\0';
	launch(30);
	for (int fd = 400; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);

		need(flags < 0 || flags & FD_CLOEXEC, "nothing of ours is inherited");
	}
	execve(self, words, environ);
	_exit(1);
}

static void after_exec(void)
{
	launch(7);
	F(fake_device_sync)();
	say("done");
}

/* ---- signals and jumps ----------------------------------------------------------------------- */

static char *guarded;
static volatile sig_atomic_t faults;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number != SIGSEGV || (char *)info->si_addr != guarded) {
		_exit(90);
	}
	faults++;
	mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
}

static void use_guarded(void *argument)
{
	(void)argument;
	*(volatile char *)guarded = 1;
}

static void own_fault_handler(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static char memory[65536];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};

	guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	for (int i = 0; i < 20; i++) {
		mprotect(guarded, 4096, PROT_NONE);
		F(fake_inside)(use_guarded, NULL);
		launch(1);
	}
	F(fake_device_sync)();
	printf("%d\n", (int)faults);
	fflush(stdout);
}

/* A handler that makes calls, on a small stack of its own. */
static void on_signal_call(int number)
{
	int saved_errno = errno;

	(void)number;
	launch(1);
	errno = saved_errno;
}

static void raise_inside(void *argument)
{
	(void)argument;
	raise(SIGUSR1);
}

static void calls_in_handlers(void)
{
	struct sigaction action = {.sa_handler = on_signal_call, .sa_flags = SA_ONSTACK};
	static char memory[32768];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 20; i++) {
		raise(SIGUSR1);
		launch(1);
	}
	F(fake_device_sync)();
	say("done");
}

static sigjmp_buf back;

static void on_signal_jump(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* As an interpreter does that is told to stop: out of the handler, out of the call. */
static void jump_out_of_calls(void)
{
	struct sigaction action = {.sa_handler = on_signal_jump};

	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < 20; i++) {
		if (!sigsetjmp(back, 1)) {
			F(fake_inside)(raise_inside, NULL);
			launch(1);
			need(false, "the call is left");
		}
		launch(1);
	}
	F(fake_device_sync)();
	say("done");
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void *exit_soon(void *argument)
{
	(void)argument;
	launch(5);
	pause_ms(60);
	exit(14);
}

static void exit_from_a_thread(void)
{
	pthread_detach(start(exit_soon, NULL));
	F(fake_launch)(FAKE_NULL, "endless", UINT64_C(1000000000000));
	F(fake_device_sync)();
}

static void call_and_exit(void)
{
	launch(2);
	exit(15);
}

static void call_at_exit(void)
{
	launch(2);
}

static void exit_in_exit(void)
{
	atexit(call_and_exit); /* runs after ours */
	launch(3);
	atexit(call_at_exit); /* runs before ours */
	atexit(call_and_exit);
	exit(16);
}

static void *wait_long(void *argument)
{
	(void)argument;
	F(fake_device_sync)();
	return NULL;
}

static void cancel_a_call(void)
{
	pthread_t thread;
	void *result;

	F(fake_launch)(FAKE_NULL, "endless", UINT64_C(1000000000000));
	for (int i = 0; i < 3; i++) {
		thread = start(wait_long, NULL);
		pause_ms(20);
		pthread_cancel(thread);
		need(!pthread_join(thread, &result) && result == PTHREAD_CANCELED,
		     "it is cancelled");
	}
	launch(5);
	say("done");
	exit(17);
}

static void *first_call_in_a_thread(void *argument)
{
	/* waiting to be cancelled while CUDA starts */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	*(volatile int *)argument = 1;
	pause_ms(5);
	F(fake_init)();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pause_ms(60000);
	return NULL;
}

static void cancel_the_start(void)
{
	volatile int is_up = 0;
	pthread_t thread = start(first_call_in_a_thread, (void *)(uintptr_t)&is_up);
	void *result;

	while (!is_up) {
		pause_ms(1);
	}
	pthread_cancel(thread);
	need(!pthread_join(thread, &result) && result == PTHREAD_CANCELED, "it is cancelled");
	launch(5);
	say("done");
}

/* ---- threads --------------------------------------------------------------------------------- */

static pthread_barrier_t all_there;

static void *one_of_many(void *argument)
{
	(void)argument;
	launch(3);
	pthread_barrier_wait(&all_there);
	launch(2);
	return NULL;
}

static void thousand_threads(void)
{
	static pthread_t threads[1000];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	pthread_barrier_init(&all_there, NULL, 1000);
	for (int i = 0; i < 1000; i++) {
		need(!pthread_create(&threads[i], &attr, one_of_many, NULL), "a thread");
	}
	for (int i = 0; i < 1000; i++) {
		pthread_join(threads[i], NULL);
	}
	F(fake_device_sync)();
	say("done");
}

static void *one_call(void *argument)
{
	(void)argument;
	launch(1);
	return NULL;
}

static void threads_that_end(void)
{
	for (int i = 0; i < 5000; i++) {
		pthread_join(start(one_call, NULL), NULL);
	}
	F(fake_device_sync)();
	say("done");
}

/* Every sort of call, so that the deepest of our functions is among them. */
static void *all_calls(void *argument)
{
	int stream, event, graph, exec;
	uint64_t memory;

	(void)argument;
	stream = F(fake_stream_create)(false, -1);
	event = F(fake_event_create)();
	F(fake_launch)(stream, "a_kernel_with_a_name_of_its_own", 0);
	F(fake_launch_ex)(stream, "another", 0);
	F(fake_memcpy_async)(stream, FAKE_H2D, false, 4096);
	F(fake_memcpy)(FAKE_D2H, true, 4096);
	F(fake_memset_async)(stream, 64);
	F(fake_event_record)(event, stream);
	F(fake_stream_wait)(FAKE_NULL, event);
	F(fake_event_sync)(event);
	F(fake_host_func)(stream, 0);
	F(fake_memory)("batch", stream);
	F(fake_memory)("batch-copy", stream);
	F(fake_profiler)(false);
	F(fake_profiler)(true);
	memory = F(fake_malloc)(4096);
	F(fake_free)(memory);
	F(fake_capture_begin)(stream);
	F(fake_launch)(stream, "captured", 0);
	graph = F(fake_capture_end)(stream);
	exec = F(fake_graph_instantiate)(graph);
	F(fake_graph_launch)(exec, stream);
	F(fake_nvtx)("mark-wide", "", 0);
	F(fake_stream_sync)(stream);
	F(fake_fail_next)(700);
	F(fake_stream_query)(stream);
	F(fake_event_destroy)(event);
	F(fake_stream_destroy)(stream);
	return NULL;
}

/* In a stack as small as there may be; where the program starts CUDA has a usual one. */
static void tiny_stacks(void)
{
	long smallest = sysconf(_SC_THREAD_STACK_MIN);
	pthread_attr_t attr;
	pthread_t thread;

	if (smallest < 16384) {
		smallest = 16384;
	}
	F(fake_init)();
	for (int i = 0; i < 3; i++) {
		pthread_attr_init(&attr);
		need(!pthread_attr_setstacksize(&attr, (size_t)smallest), "a small stack");
		need(!pthread_create(&thread, &attr, all_calls, NULL), "a thread");
		pthread_join(thread, NULL);
	}
	F(fake_device_sync)();
	say("done");
}

static void *start_cuda(void *argument)
{
	(void)argument;
	F(fake_init)();
	launch(5);
	return NULL;
}

/* CUDA starts where there is little room: what the loader needs, and we. */
static void tiny_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	need(!pthread_attr_setstacksize(&attr, 24 << 10), "a small stack");
	need(!pthread_create(&thread, &attr, start_cuda, NULL), "a thread");
	pthread_join(thread, NULL);
	F(fake_device_sync)();
	say("done");
}

/* ---- libraries ------------------------------------------------------------------------------- */

static void closes_libraries(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *handle;

	launch(10);
	for (int i = 0; i < 5; i++) {
		handle = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
		for (int n = 0; handle && n < 3; n++) {
			dlclose(handle);
		}
	}
	launch(10);
	F(fake_device_sync)();
	dlclose(library);
	say("done");
}

static void resets(void)
{
	for (int i = 0; i < 20; i++) {
		int stream = F(fake_stream_create)(i & 1, 0);
		int event = F(fake_event_create)();

		F(fake_launch)(stream, "k", 1000);
		F(fake_event_record)(event, stream);
		F(fake_stream_destroy)(stream);
		F(fake_event_destroy)(event);
		if (i % 5 == 4) {
			F(fake_device_reset)();
		}
	}
	F(fake_device_sync)();
	say("done");
}

/* ---- other tools ----------------------------------------------------------------------------- */

static void on_nothing(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
	(void)user;
	(void)domain;
	(void)cbid;
	(void)data;
}

static void second_client(void)
{
	gst_cupti_subscriber_handle subscriber;
	int result;

	launch(10);
	result = C(cuptiSubscribe)(&subscriber, on_nothing, NULL);
	fprintf(stderr, "%d\n", result);
	launch(10);
	F(fake_device_sync)();
	say("done");
}

static void first_client(void)
{
	gst_cupti_subscriber_handle subscriber;
	int result = C(cuptiSubscribe)(&subscriber, on_nothing, NULL);

	printf("%d\n", result);
	launch(10);
	F(fake_device_sync)();
	result = C(cuptiUnsubscribe)(subscriber);
	printf("%d\n", result);
	say("done");
}

static void want_buffer(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*buffer = calloc(1, 65536);
	*size = 65536;
	*max_records = 0;
}

static void take_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	(void)valid;
	free(buffer);
}

/* A client that does not care whether it could subscribe. */
static void takes_the_buffers(void)
{
	launch(10);
	F(fake_device_sync)();
	C(cuptiActivityFlushAll)(0);
	C(cuptiActivityRegisterCallbacks)(want_buffer, take_buffer);
	launch(10);
	F(fake_device_sync)();
	C(cuptiActivityFlushAll)(0);
	say("done");
}

static void finalizes(void)
{
	launch(10);
	F(fake_device_sync)();
	C(cuptiFinalize)();
	launch(10);
	F(fake_device_sync)();
	say("done");
}

/* ---- seccomp --------------------------------------------------------------------------------- */

#ifdef __x86_64__
#define ALLOW(name)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What the tracer does once it runs (docs/SURVIVAL.md lists it), and what this program does itself. */
static struct sock_filter strict[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(write),
	ALLOW(fstat),
	ALLOW(fallocate),
	ALLOW(futex),
	ALLOW(gettid),
	ALLOW(prctl),
	ALLOW(unlink),
	ALLOW(ftruncate),
	ALLOW(rt_sigprocmask),
	ALLOW(rt_sigpending),
	ALLOW(madvise),
	ALLOW(munmap),
	ALLOW(exit),
	ALLOW(clock_nanosleep),
	ALLOW(exit_group),
	ALLOW(sched_yield),
	ALLOW(clock_gettime),
	ALLOW(rt_sigreturn),
	ALLOW(newfstatat),
	/* malloc and thread ends of this program and of the fake */
	ALLOW(mmap),
	ALLOW(brk),
	ALLOW(mprotect),
	ALLOW(rseq),
	ALLOW(set_robust_list),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

/* What many programs never do gives EPERM, as in a container. */
#define REFUSE(name)                                           \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static struct sock_filter refusing[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	REFUSE(fallocate),
	REFUSE(getrandom),
	REFUSE(prctl),
	REFUSE(statfs),
	REFUSE(madvise),
	REFUSE(readlink),
	REFUSE(ftruncate),
	REFUSE(fcntl),
	REFUSE(uname),
	REFUSE(unlink),
	REFUSE(fchmod),
	REFUSE(getcwd),
	REFUSE(rt_sigpending),
	REFUSE(lseek),
	REFUSE(getppid),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static void filter(struct sock_filter *list, size_t bytes)
{
	struct sock_fprog program = {.len = (unsigned short)(bytes / sizeof(*list)),
				     .filter = list};

	need(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new rights");
	need(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program),
	     "a filter");
}

static void strict_filter(void)
{
	launch(10);
	F(fake_device_sync)();
	say("filtered");
	filter(strict, sizeof(strict));
	for (int i = 0; i < 30; i++) {
		launch(200);
		pause_ms(2);
	}
	F(fake_device_sync)();
	say("done");
	exit(18);
}

static void refusing_filter(void)
{
	filter(refusing, sizeof(refusing));
	launch(50);
	F(fake_device_sync)();
	say("done");
}
#endif

/* ---- memory ---------------------------------------------------------------------------------- */

static void small_address_space(void)
{
	const char *text = getenv("ODD_AS_MIB");
	struct rlimit limit;
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	need(file && fscanf(file, "%lu", &pages) == 1, "what is used");
	fclose(file);
	limit.rlim_cur = limit.rlim_max =
		pages * 4096 + (text ? strtoul(text, NULL, 10) : 64) * (1 << 20);
	need(!setrlimit(RLIMIT_AS, &limit), "a limit");
	launch(50);
	F(fake_device_sync)();
	say("done");
}

/* ---- all ------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(void);
} programs[] = {
	{"state", state},
	{"take-over", take_over},
	{"take-over-at-exit", take_over_at_exit},
	{"no-standard-files", no_standard_files},
	{"many-descriptors", many_descriptors},
	{"descriptors-4", descriptors_4},
	{"descriptors-8", descriptors_8},
	{"descriptors-64", descriptors_64},
	{"mask-all", mask_all},
	{"elsewhere", elsewhere},
	{"from-nowhere", from_nowhere},
	{"drop-rights", drop_rights},
	{"rename-itself", rename_itself},
	{"environment-race", environment_race},
	{"raw-clone", raw_clone},
	{"vfork-and-spawn", vfork_and_spawn},
	{"daemon-before", daemon_before},
	{"daemon-after", daemon_after},
	{"exec-itself", exec_itself},
	{"after-exec", after_exec},
	{"own-fault-handler", own_fault_handler},
	{"calls-in-handlers", calls_in_handlers},
	{"jump-out-of-calls", jump_out_of_calls},
	{"exit-from-a-thread", exit_from_a_thread},
	{"exit-in-exit", exit_in_exit},
	{"cancel-a-call", cancel_a_call},
	{"cancel-the-start", cancel_the_start},
	{"thousand-threads", thousand_threads},
	{"threads-that-end", threads_that_end},
	{"tiny-stacks", tiny_stacks},
	{"tiny-start", tiny_start},
	{"closes-libraries", closes_libraries},
	{"resets", resets},
	{"second-client", second_client},
	{"first-client", first_client},
	{"takes-the-buffers", takes_the_buffers},
	{"finalizes", finalizes},
#ifdef __x86_64__
	{"strict-filter", strict_filter},
	{"refusing-filter", refusing_filter},
#endif
	{"small-address-space", small_address_space},
};

int main(int argc, char **argv)
{
	own_path = getenv("FAKE_CUPTI");
	if (argc != 3 || !own_path) {
		fprintf(stderr, "usage: FAKE_CUPTI=LIBRARY odd_app -c NAME\n");
		return 2;
	}
	library = dlopen(own_path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
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
