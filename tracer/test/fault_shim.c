/*
 * fault_shim.c - a library to load first, that makes system calls of libgstrace fail, and clocks run wrong.
 *
 *     FAULT=write:3:28      the third write() by libgstrace gives errno 28
 *     FAULT=write:3+:28     it and all that follow
 *     FAULT=write:1+:short  they write half of what was asked for; :intr  each fails once with EINTR first
 *     FAULT=dlsym:cuptiGetTimestamp:0   by name: NULL for this symbol
 *     FAULT_FIRED=PATH      made when the fault happened for the first time
 *     FAULT_CLOCK=step:MS:BY_MS   CLOCK_REALTIME of the whole process steps BY_MS, MS after the start
 *     FAULT_CLOCK=slew:PPM  it runs that much faster
 *     FAULT_SECURE=1        getauxval(AT_SECURE) is 1
 *     FAULT_MALLOC=1        an allocation by libgstrace ends the process
 *
 * Role      : tests of the tracer run programs with it in LD_PRELOAD.
 * Method    : a call is libgstrace's if it returns to an address inside it; counted from 1 for each function.
 * Invariant : calls of anybody else pass unchanged.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default"), noinline))

enum how { HOW_ERROR, HOW_SHORT, HOW_INTR };

static struct {
	char function[32];
	char symbol[64]; /* of dlsym */
	uint64_t nth;
	bool is_sticky;
	enum how how;
	int error;
	const char *fired;
} fault;

static struct {
	uint64_t start_ns;
	int64_t step_after_ns, step_ns;
	int64_t ppm;
	bool is_on;
} fake_clock;

static bool is_started; /* a sanitizer calls us before it can bear anything */
static bool is_secure, is_malloc_fatal;
static _Atomic uint64_t calls;
static _Atomic int was_fired;
static _Atomic uintptr_t library_from, library_to;

/* ---- who calls ----------------------------------------------------------------------------- */

static int look_at(struct dl_phdr_info *info, size_t size, void *argument)
{
	(void)size;
	(void)argument;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "libgstrace.so")) {
		return 0;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			atomic_store(&library_to, info->dlpi_addr + p->p_vaddr + p->p_memsz);
			atomic_store(&library_from, info->dlpi_addr + p->p_vaddr);
		}
	}
	return 1;
}

static bool is_ours(const void *caller)
{
	static __thread bool is_inside;
	uintptr_t at = (uintptr_t)caller;

	if (is_inside) {
		return false;
	}
	if (!atomic_load(&library_from)) {
		is_inside = true;
		dl_iterate_phdr(look_at, NULL);
		is_inside = false;
	}
	return at >= atomic_load(&library_from) && at < atomic_load(&library_to) &&
	       atomic_load(&library_from);
}

static void say_fired(void)
{
	if (!atomic_exchange(&was_fired, 1) && fault.fired) {
		long fd = syscall(SYS_openat, AT_FDCWD, fault.fired, O_WRONLY | O_CREAT, 0600);

		if (fd >= 0) {
			syscall(SYS_close, fd);
		}
	}
}

/* Whether this call of @function is the one to fail. */
static bool fails(const char *function, const void *caller)
{
	uint64_t n;

	if (!is_started || strcmp(fault.function, function) != 0 || !is_ours(caller)) {
		return false;
	}
	n = atomic_fetch_add(&calls, 1) + 1;
	if (fault.is_sticky ? n < fault.nth : n != fault.nth) {
		return false;
	}
	if (fault.how == HOW_INTR && (n - fault.nth) % 2) {
		return false;
	}
	say_fired();
	return true;
}

#define CALLER __builtin_return_address(0)

/* ---- the functions ------------------------------------------------------------------------- */

#define REAL(name) (*(__typeof__(&name) *)real_##name())
#define FIND(name)                                                                        \
	static void *real_##name(void)                                                    \
	{                                                                                 \
		static void *function;                                                    \
		if (!__atomic_load_n(&function, __ATOMIC_ACQUIRE)) {                      \
			__atomic_store_n(&function, dlsym_next(#name), __ATOMIC_RELEASE); \
		}                                                                         \
		return &function;                                                         \
	}

static void *dlsym_next(const char *name);

FIND(open)
FIND(read)
FIND(write)
FIND(close)
FIND(fcntl)
FIND(lseek)
FIND(unlink)
FIND(mmap)
FIND(munmap)
FIND(madvise)
FIND(statfs)
FIND(fallocate)
FIND(ftruncate)
FIND(fchmod)
FIND(readlink)
FIND(realpath)
FIND(getcwd)
FIND(gethostname)
FIND(pthread_create)
FIND(pthread_key_create)
FIND(pthread_sigmask)
FIND(pthread_attr_init)
FIND(dlopen)
FIND(dladdr)
FIND(clock_gettime)
FIND(clock_nanosleep)
FIND(getauxval)
FIND(malloc)
FIND(calloc)
FIND(realloc)

#define FAIL_OR(name, failure)               \
	do {                                 \
		if (fails(#name, CALLER)) {  \
			errno = fault.error; \
			return failure;      \
		}                            \
	} while (0)

EXPORT int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	FAIL_OR(open, -1);
	if (flags & (O_CREAT | O_TMPFILE)) {
		va_list args;

		va_start(args, flags);
		mode = (mode_t)va_arg(args, int);
		va_end(args);
	}
	return REAL(open)(path, flags, mode);
}

EXPORT ssize_t read(int fd, void *data, size_t size)
{
	FAIL_OR(read, -1);
	return REAL(read)(fd, data, size);
}

EXPORT ssize_t write(int fd, const void *data, size_t size)
{
	/* What is said on stderr is part of what tests look at. */
	if (fd != STDERR_FILENO && fails("write", CALLER)) {
		if (fault.how == HOW_SHORT) {
			return REAL(write)(fd, data, size > 1 ? size / 2 : size);
		}
		errno = fault.how == HOW_INTR ? EINTR : fault.error;
		return -1;
	}
	return REAL(write)(fd, data, size);
}

EXPORT int close(int fd)
{
	FAIL_OR(close, -1);
	return REAL(close)(fd);
}

EXPORT int fcntl(int fd, int command, ...)
{
	va_list args;
	void *argument;

	FAIL_OR(fcntl, -1);
	va_start(args, command);
	argument = va_arg(args, void *);
	va_end(args);
	return REAL(fcntl)(fd, command, argument);
}

EXPORT off_t lseek(int fd, off_t offset, int whence)
{
	FAIL_OR(lseek, -1);
	return REAL(lseek)(fd, offset, whence);
}

EXPORT int unlink(const char *path)
{
	FAIL_OR(unlink, -1);
	return REAL(unlink)(path);
}

EXPORT void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	FAIL_OR(mmap, MAP_FAILED);
	return REAL(mmap)(at, size, prot, flags, fd, offset);
}

EXPORT int munmap(void *at, size_t size)
{
	FAIL_OR(munmap, -1);
	return REAL(munmap)(at, size);
}

EXPORT int madvise(void *at, size_t size, int advice)
{
	FAIL_OR(madvise, -1);
	return REAL(madvise)(at, size, advice);
}

EXPORT int statfs(const char *path, struct statfs *about)
{
	FAIL_OR(statfs, -1);
	return REAL(statfs)(path, about);
}

EXPORT int fallocate(int fd, int mode, off_t from, off_t bytes)
{
	FAIL_OR(fallocate, -1);
	return REAL(fallocate)(fd, mode, from, bytes);
}

EXPORT int ftruncate(int fd, off_t size)
{
	FAIL_OR(ftruncate, -1);
	return REAL(ftruncate)(fd, size);
}

EXPORT int fchmod(int fd, mode_t mode)
{
	FAIL_OR(fchmod, -1);
	return REAL(fchmod)(fd, mode);
}

EXPORT ssize_t readlink(const char *path, char *text, size_t size)
{
	FAIL_OR(readlink, -1);
	return REAL(readlink)(path, text, size);
}

EXPORT char *realpath(const char *path, char *resolved)
{
	FAIL_OR(realpath, NULL);
	return REAL(realpath)(path, resolved);
}

EXPORT char *getcwd(char *text, size_t size)
{
	FAIL_OR(getcwd, NULL);
	return REAL(getcwd)(text, size);
}

EXPORT int gethostname(char *text, size_t size)
{
	FAIL_OR(gethostname, -1);
	return REAL(gethostname)(text, size);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *),
			  void *argument)
{
	if (fails("pthread_create", CALLER)) {
		return fault.error;
	}
	return REAL(pthread_create)(thread, attr, body, argument);
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	if (fails("pthread_key_create", CALLER)) {
		return fault.error;
	}
	return REAL(pthread_key_create)(key, destructor);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	if (fails("pthread_sigmask", CALLER)) {
		return fault.error;
	}
	return REAL(pthread_sigmask)(how, set, before);
}

EXPORT int pthread_attr_init(pthread_attr_t *attr)
{
	if (fails("pthread_attr_init", CALLER)) {
		return fault.error;
	}
	return REAL(pthread_attr_init)(attr);
}

EXPORT void *dlopen(const char *path, int mode)
{
	FAIL_OR(dlopen, NULL);
	return REAL(dlopen)(path, mode);
}

EXPORT int dladdr(const void *address, Dl_info *info)
{
	FAIL_OR(dladdr, 0);
	return REAL(dladdr)(address, info);
}

/* The real one has to be found without itself. */
static void *(*real_dlsym)(void *handle, const char *name);

static void *dlsym_next(const char *name)
{
	if (!real_dlsym) {
		*(void **)&real_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
		if (!real_dlsym) {
			*(void **)&real_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
		}
	}
	return real_dlsym(RTLD_NEXT, name);
}

EXPORT void *dlsym(void *handle, const char *name)
{
	if (is_started && strcmp(fault.function, "dlsym") == 0 && is_ours(CALLER) &&
	    strcmp(fault.symbol, name) == 0) {
		say_fired();
		return NULL;
	}
	if (!real_dlsym) {
		(void)dlsym_next("open");
	}
	return real_dlsym(handle, name);
}

/* Numbered system calls: stat, fstat, futex, getrandom, gettid. */
EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list args;
	long result;

	va_start(args, number);
	for (int i = 0; i < 6; i++) {
		a[i] = va_arg(args, long);
	}
	va_end(args);
	if (number != SYS_futex && fails("syscall", CALLER)) {
		errno = fault.error;
		return -1;
	}
	{
		register long r10 __asm__("r10") = a[3];
		register long r8 __asm__("r8") = a[4];
		register long r9 __asm__("r9") = a[5];

		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8),
				   "r"(r9)
				 : "rcx", "r11", "memory");
	}
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

EXPORT unsigned long getauxval(unsigned long type)
{
	if (type == AT_SECURE && is_secure) {
		return 1;
	}
	return REAL(getauxval)(type);
}

/* ---- allocations --------------------------------------------------------------------------- */

static void must_not_be_ours(const void *caller)
{
	static const char text[] = "fault_shim: libgstrace allocates\n";

	if (is_malloc_fatal && is_ours(caller)) {
		syscall(SYS_write, 2, text, sizeof(text) - 1);
		syscall(SYS_exit_group, 97);
	}
}

EXPORT void *malloc(size_t size)
{
	must_not_be_ours(CALLER);
	return REAL(malloc)(size);
}

/* dlsym() itself may need one before it can be found. */
EXPORT void *calloc(size_t count, size_t size)
{
	static char early[4096];
	static size_t used;
	static __thread bool is_looking;

	must_not_be_ours(CALLER);
	if (is_looking) {
		size_t bytes = (count * size + 15) & ~(size_t)15;

		used += bytes;
		return used <= sizeof(early) ? early + used - bytes : NULL;
	}
	is_looking = true;
	(void)real_calloc();
	is_looking = false;
	return REAL(calloc)(count, size);
}

EXPORT void *realloc(void *memory, size_t size)
{
	must_not_be_ours(CALLER);
	return REAL(realloc)(memory, size);
}

/* ---- the clock ----------------------------------------------------------------------------- */

static int64_t clock_error(const struct timespec *mono)
{
	int64_t since =
		(int64_t)mono->tv_sec * 1000000000 + mono->tv_nsec - (int64_t)fake_clock.start_ns;
	int64_t error = since / 1000000 * fake_clock.ppm;

	return fake_clock.step_ns && since >= fake_clock.step_after_ns ? error + fake_clock.step_ns
								       : error;
}

EXPORT int clock_gettime(clockid_t which, struct timespec *now)
{
	struct timespec mono;
	int64_t ns;
	int result = REAL(clock_gettime)(which, now);

	if (!fake_clock.is_on || which != CLOCK_REALTIME || result) {
		return result;
	}
	REAL(clock_gettime)(CLOCK_MONOTONIC, &mono);
	ns = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec + clock_error(&mono);
	now->tv_sec = ns / 1000000000;
	now->tv_nsec = ns % 1000000000;
	return 0;
}

/* By the clock as it shows here. */
EXPORT int clock_nanosleep(clockid_t which, int flags, const struct timespec *until,
			   struct timespec *left)
{
	const struct timespec pause = {0, 200000};

	if (!fake_clock.is_on || which != CLOCK_REALTIME || !(flags & TIMER_ABSTIME)) {
		return REAL(clock_nanosleep)(which, flags, until, left);
	}
	for (;;) {
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		if (now.tv_sec > until->tv_sec ||
		    (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec)) {
			return 0;
		}
		REAL(clock_nanosleep)(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
}

/* ---- what is wanted ------------------------------------------------------------------------ */

static void read_fault(const char *text)
{
	const char *colon = strchr(text, ':');
	char *rest;

	if (!colon || (size_t)(colon - text) >= sizeof(fault.function)) {
		abort();
	}
	memcpy(fault.function, text, (size_t)(colon - text));
	text = colon + 1;
	if (strcmp(fault.function, "dlsym") == 0) {
		size_t length = strcspn(text, ":");

		memcpy(fault.symbol, text,
		       length < sizeof(fault.symbol) ? length : sizeof(fault.symbol) - 1);
		return;
	}
	fault.nth = strtoull(text, &rest, 10);
	fault.is_sticky = *rest == '+';
	rest += fault.is_sticky;
	if (*rest != ':') {
		abort();
	}
	fault.how = strcmp(rest + 1, "short") == 0  ? HOW_SHORT
		    : strcmp(rest + 1, "intr") == 0 ? HOW_INTR
						    : HOW_ERROR;
	fault.error = (int)strtol(rest + 1, NULL, 10);
}

static void read_clock(const char *text)
{
	struct timespec now;
	char *rest;

	REAL(clock_gettime)(CLOCK_MONOTONIC, &now);
	fake_clock.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (strncmp(text, "step:", 5) == 0) {
		fake_clock.step_after_ns = strtol(text + 5, &rest, 10) * INT64_C(1000000);
		fake_clock.step_ns =
			*rest == ':' ? strtol(rest + 1, NULL, 10) * INT64_C(1000000) : 0;
	} else {
		fake_clock.ppm = strtol(text + 5, NULL, 10);
	}
	fake_clock.is_on = true;
}

__attribute__((constructor)) static void start(void)
{
	const char *text = getenv("FAULT");

	fault.fired = getenv("FAULT_FIRED");
	is_secure = getenv("FAULT_SECURE") != NULL;
	is_malloc_fatal = getenv("FAULT_MALLOC") != NULL;
	if (text) {
		read_fault(text);
	}
	text = getenv("FAULT_CLOCK");
	if (text) {
		read_clock(text);
	}
	is_started = true;
}
