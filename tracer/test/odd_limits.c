/*
 * odd_limits.c - programs that are allowed little.
 *
 * Role      : run by name by odd_app.c.
 * Method    : each takes something from itself, then calls the fake CUDA.
 * Invariant : what is printed is the same in every run.
 * Not here  : what must be in the trace (survive_test.c).
 */
#include "tracer/test/odd_app.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
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
#include <unistd.h>

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

	odd_need(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new rights");
	odd_need(
		!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program),
		"a filter");
}

void odd_strict_filter(void)
{
	odd_launch(10);
	F(fake_device_sync)();
	odd_say("filtered");
	filter(strict, sizeof(strict));
	for (int i = 0; i < 30; i++) {
		odd_launch(200);
		odd_pause_ms(2);
	}
	F(fake_device_sync)();
	odd_say("done");
	exit(18);
}

void odd_refusing_filter(void)
{
	filter(refusing, sizeof(refusing));
	odd_launch(50);
	F(fake_device_sync)();
	odd_say("done");
}
#endif

/* ---- memory ---------------------------------------------------------------------------------- */

void odd_small_address_space(void)
{
	const char *text = getenv("ODD_AS_MIB");
	struct rlimit limit;
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	odd_need(file && fscanf(file, "%lu", &pages) == 1, "what is used");
	fclose(file);
	limit.rlim_cur = limit.rlim_max =
		pages * 4096 + (text ? strtoul(text, NULL, 10) : 64) * (1 << 20);
	odd_need(!setrlimit(RLIMIT_AS, &limit), "a limit");
	odd_launch(50);
	F(fake_device_sync)();
	odd_say("done");
}

/* What may be allocated, as RLIMIT_DATA counts it. */
void odd_small_data(void)
{
	const char *text = getenv("ODD_AS_MIB");
	struct rlimit limit;
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long kib = 0;
	char line[200];

	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "VmData:", 7)) {
			kib = strtoul(line + 7, NULL, 10);
		}
	}
	odd_need(file && kib, "what is used");
	fclose(file);
	limit.rlim_cur = limit.rlim_max =
		(kib << 10) + ((text ? strtoul(text, NULL, 10) : 8) << 20);
	odd_need(!setrlimit(RLIMIT_DATA, &limit), "a limit");
	odd_launch(50);
	F(fake_device_sync)();
	odd_say("done");
}

/* All that is mapped from now on stays in memory; who may not do it does what all others do. */
void odd_locked_memory(void)
{
	(void)mlockall(MCL_CURRENT | MCL_FUTURE);
	odd_launch(50);
	F(fake_device_sync)();
	odd_say("done");
}

/* CUDA is started by a thread that goes before all others. */
void odd_real_time(void)
{
	struct sched_param first = {.sched_priority = 10};
	bool may = !sched_setscheduler(0, SCHED_FIFO, &first);
	DIR *tasks;
	struct dirent *e;

	odd_launch(50);
	tasks = opendir("/proc/self/task");
	while (may && tasks && (e = readdir(tasks)) != NULL) {
		pid_t thread = (pid_t)strtol(e->d_name, NULL, 10);
		int policy = thread <= 0 || thread == getpid() ? SCHED_OTHER
							       : sched_getscheduler(thread);

		/* One that has ended meanwhile has none (-1). */
		odd_need(policy != SCHED_FIFO && policy != SCHED_RR,
			 "no other thread goes before the program's");
	}
	odd_need(tasks != NULL, "a list of threads");
	closedir(tasks);
	F(fake_device_sync)();
	odd_say("done");
}
