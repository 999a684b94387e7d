/*
 * odd_files.c - programs that do odd things with files, children and libraries.
 *
 * Role      : run by name by odd_app.c.
 * Method    : each calls the fake CUDA, does what it is named for, and calls on.
 * Invariant : what is printed is the same in every run.
 * Not here  : what must be in the trace (survive_test.c).
 */
#include "tracer/test/odd_app.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- descriptors ---------------------------------------------------------------------------- */

/* Closes all, and files of its own get the numbers. */
void odd_take_over(void)
{
	struct stat about;
	int own, kept = -1;

	odd_launch(10);
	for (int fd = 3; fd < 1024; fd++) {
		close(fd);
	}
	own = memfd_create("own", 0);
	odd_need(own == 3, "3 is free");
	for (int fd = 4; fd < 1024; fd++) {
		kept = dup2(own, fd) == fd ? fd : kept;
	}
	odd_need(kept > 400 && write(own, "mine", 4) == 4, "it is written");
	for (int i = 0; i < 40; i++) {
		odd_launch(500);
		odd_pause_ms(2);
	}
	F(fake_device_sync)();
	odd_need(!fstat(own, &about) && about.st_size == 4, "nothing else went there");
	odd_say("done");
	/* seen by whoever waits for the end of stdout; the tracer's exit follows */
}

/* As above, and looks only when every exit function has run. */
static int last_look;

static void look_last(void)
{
	struct stat about;

	odd_need(!fstat(last_look, &about) && about.st_size == 4, "nothing went there at exit");
	odd_say("last look");
}

void odd_take_over_at_exit(void)
{
	atexit(look_last);
	odd_launch(10);
	for (int fd = 3; fd < 1024; fd++) {
		close(fd);
	}
	last_look = memfd_create("own", 0);
	for (int fd = 4; fd < 1024; fd++) {
		dup2(last_look, fd);
	}
	/* stderr too: what stands there then is the program's file, not the user's screen */
	dup2(last_look, 2);
	odd_need(write(last_look, "mine", 4) == 4, "it is written");
	odd_launch(10);
	exit(4);
}

static void *launch_beside(void *argument)
{
	for (int i = 0; i < 40; i++) {
		odd_launch(50);
		odd_pause_ms(1);
	}
	return argument;
}

/* closefrom(3) again and again. Not while CUDA starts: whoever has a file open then, the loader too, loses it. */
void odd_close_often(void)
{
	struct stat about;
	pthread_t thread;

	F(fake_init)();
	thread = odd_start(launch_beside, NULL);
	for (int i = 0; i < 60; i++) {
		int own;

		for (int fd = 3; fd < 1024; fd++) {
			close(fd);
		}
		own = memfd_create("own", 0);
		odd_need(own >= 3 && write(own, "mine", 4) == 4, "it is written");
		odd_pause_ms(1);
		odd_need(!fstat(own, &about) && about.st_size == 4, "nothing else went there");
	}
	pthread_join(thread, NULL);
	F(fake_device_sync)();
	odd_say("done");
}

void odd_no_standard_files(void)
{
	int fd;

	close(0);
	close(1);
	close(2);
	F(fake_init)();
	odd_launch(5);
	for (int want = 0; want < 3; want++) {
		fd = open("/dev/null", O_RDWR);
		if (fd != want) {
			_exit(5);
		}
	}
	odd_launch(5);
	_exit(fcntl(3, F_GETFD) < 0 ? 6 : 7);
}

void odd_many_descriptors(void)
{
	static int fds[10000];
	struct rlimit limit;
	struct stat zero, about;
	int count = 10000, first;

	odd_need(!getrlimit(RLIMIT_NOFILE, &limit), "a limit");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur < 10100) {
		count = (int)limit.rlim_cur - 100;
	}
	first = open("/dev/zero", O_RDONLY);
	odd_need(!fstat(first, &zero), "a file");
	for (int i = 0; i < count; i++) {
		fds[i] = dup(first);
		odd_need(fds[i] > 0, "a descriptor");
	}
	odd_launch(50);
	F(fake_device_sync)();
	for (int i = 0; i < count; i++) {
		odd_need(!fstat(fds[i], &about) && about.st_ino == zero.st_ino,
			 "still the same file");
	}
	odd_say("done");
}

/* As few as there may be: those that are open, and @more. */
static void few_descriptors(int more)
{
	struct rlimit limit = {(rlim_t)more, (rlim_t)more};
	int fd;

	odd_need(!setrlimit(RLIMIT_NOFILE, &limit), "a limit");
	odd_launch(50);
	if (more > 4) {
		fd = open("/dev/null", O_RDONLY);
		printf("%d\n", fd);
	}
	F(fake_device_sync)();
	odd_say("done");
}

void odd_descriptors_8(void)
{
	few_descriptors(8);
}

/* One at a time: what starts CUDA needs it too. */
void odd_descriptors_4(void)
{
	few_descriptors(4);
}

void odd_descriptors_64(void)
{
	few_descriptors(64);
}

/* ---- folders, masks, rights, names ---------------------------------------------------------- */

void odd_mask_all(void)
{
	umask(0777);
	odd_launch(20);
	F(fake_device_sync)();
	odd_say("done");
}

void odd_elsewhere(void)
{
	odd_launch(20);
	odd_need(!chdir("/"), "another folder");
	odd_launch(20);
	F(fake_device_sync)();
	odd_say("done");
}

void odd_from_nowhere(void)
{
	odd_need(!mkdir("gone", 0700) && !chdir("gone") && !rmdir("../gone"),
		 "a folder that is gone");
	odd_launch(20);
	F(fake_device_sync)();
	odd_say("done");
}

void odd_drop_rights(void)
{
	uid_t nobody = 65534, user = getuid();

	odd_launch(20);
	/* glibc signals every thread, ours too, and waits for all of them; in a container there may be one user */
	odd_need((!user && !setresuid(nobody, nobody, nobody)) || !setresuid(user, user, user),
		 "other rights");
	odd_launch(20);
	F(fake_device_sync)();
	odd_say("done");
}

void odd_rename_itself(void)
{
	prctl(PR_SET_NAME, "early\033[31m");
	odd_launch(20);
	prctl(PR_SET_NAME, "late");
	memset(environ[0], 'x', 1);
	odd_launch(20);
	F(fake_device_sync)();
	odd_say("done");
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

void odd_environment_race(void)
{
	volatile int stop = 0;
	pthread_t thread;

	setenv("ODD_ONE", "a", 1);
	setenv("ODD_TWO", "c", 1);
	thread = odd_start(change_environment, (void *)(uintptr_t)&stop);
	odd_launch(20);
	stop = 1;
	pthread_join(thread, NULL);
	F(fake_device_sync)();
	odd_say("done");
}

/* ---- children -------------------------------------------------------------------------------- */

void odd_raw_clone(void)
{
	long child;

	odd_launch(10);
	/* no atfork function runs: the child learns from a wiped page that it is not recorded */
	child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
	if (child == 0) {
		odd_launch(100);
		F(fake_device_sync)();
		exit(11);
	}
	odd_need(WEXITSTATUS(odd_status_of((pid_t)child)) == 11, "the child's status");
	odd_launch(10);
	F(fake_device_sync)();
	odd_say("done");
}

void odd_vfork_and_spawn(void)
{
	char *const words[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
			       (char *)(uintptr_t) "exit 12", NULL};
	pid_t child;

	for (volatile int i = 0; i < 3; i++) {
		odd_launch(10);
		child = vfork();
		if (child == 0) {
			execve("/bin/sh", words, environ);
			_exit(1);
		}
		odd_need(WEXITSTATUS(odd_status_of(child)) == 12, "vfork");
		odd_need(!posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) &&
				 WEXITSTATUS(odd_status_of(child)) == 12,
			 "posix_spawn");
		odd_need(WEXITSTATUS(system("exit 12")) == 12, "system");
	}
	F(fake_device_sync)();
	odd_say("done");
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
	odd_launch(30);
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

void odd_daemon_before(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	daemonize();
	wait_for_all();
}

void odd_daemon_after(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	odd_launch(30);
	daemonize();
	wait_for_all();
	F(fake_device_sync)();
}

void odd_exec_itself(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *const words[] = {self, (char *)(uintptr_t) "-c", (char *)(uintptr_t) "after-exec",
			       NULL};

	odd_need(length > 0, "a name");
	self[length] = '\0';
	odd_launch(30);
	for (int fd = 400; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);

		odd_need(flags < 0 || flags & FD_CLOEXEC, "nothing of ours is inherited");
	}
	execve(self, words, environ);
	_exit(1);
}

void odd_after_exec(void)
{
	odd_launch(7);
	F(fake_device_sync)();
	odd_say("done");
}

/* ---- libraries ------------------------------------------------------------------------------- */

void odd_closes_libraries(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *handle;

	odd_launch(10);
	for (int i = 0; i < 5; i++) {
		handle = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
		for (int n = 0; handle && n < 3; n++) {
			dlclose(handle);
		}
	}
	odd_launch(10);
	F(fake_device_sync)();
	dlclose(odd_library);
	odd_say("done");
}

void odd_resets(void)
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
	odd_say("done");
}

/* ---- other tools ----------------------------------------------------------------------------- */

static void on_nothing(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
	(void)user;
	(void)domain;
	(void)cbid;
	(void)data;
}

void odd_second_client(void)
{
	gst_cupti_subscriber_handle subscriber;
	int result;

	odd_launch(10);
	result = C(cuptiSubscribe)(&subscriber, on_nothing, NULL);
	fprintf(stderr, "%d\n", result);
	odd_launch(10);
	F(fake_device_sync)();
	odd_say("done");
}

void odd_first_client(void)
{
	gst_cupti_subscriber_handle subscriber;
	int result = C(cuptiSubscribe)(&subscriber, on_nothing, NULL);

	printf("%d\n", result);
	odd_launch(10);
	F(fake_device_sync)();
	result = C(cuptiUnsubscribe)(subscriber);
	printf("%d\n", result);
	odd_say("done");
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
void odd_takes_the_buffers(void)
{
	odd_launch(10);
	F(fake_device_sync)();
	C(cuptiActivityFlushAll)(0);
	C(cuptiActivityRegisterCallbacks)(want_buffer, take_buffer);
	odd_launch(10);
	F(fake_device_sync)();
	C(cuptiActivityFlushAll)(0);
	odd_say("done");
}

void odd_finalizes(void)
{
	odd_launch(10);
	F(fake_device_sync)();
	C(cuptiFinalize)();
	odd_launch(10);
	F(fake_device_sync)();
	odd_say("done");
}

/* ---- another root, other descriptors --------------------------------------------------------- */

/* Names of before mean nothing there. Who may not do it does what all others do. */
void odd_other_root(void)
{
	odd_launch(20);
	odd_need(!mkdir(".jail", 0700) || errno == EEXIST, "a folder");
	if (chroot(".jail") || chdir("/")) {
		odd_need(errno == EPERM, "another root, or no right to have one");
	}
	odd_launch(20);
	F(fake_device_sync)();
	odd_say("done");
}

static void *close_its_own(void *argument)
{
	odd_need(!unshare(CLONE_FILES), "descriptors of its own");
	for (int fd = 3; fd < 1024; fd++) {
		close(fd);
	}
	odd_launch(20);
	return argument;
}

/* Threads whose descriptors are no others': one starts CUDA, one closes all of them. */
void odd_unshared_files(void)
{
	pthread_join(odd_start(close_its_own, NULL), NULL);
	pthread_join(odd_start(close_its_own, NULL), NULL);
	for (int i = 0; i < 20; i++) {
		odd_launch(100);
		odd_pause_ms(1);
	}
	F(fake_device_sync)();
	odd_say("done");
}
