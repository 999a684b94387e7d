/*
 * old_glibc.h - bind to the oldest version of functions that glibc 2.32 and 2.34 moved between libraries.
 *
 * The library must load into programs on systems as old as glibc 2.17, wherever it was built. The functions are the
 * same; only the newest symbol version of a new glibc is one that an old glibc lacks. Each .c file
 * that uses one of them includes this.
 *
 * Not with sanitizers, which replace these functions by their newest version.
 */
#ifndef GSTRACE_TRACER_OLD_GLIBC_H
#define GSTRACE_TRACER_OLD_GLIBC_H

#include <errno.h>
#include <fcntl.h>
#include <features.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define GST_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define GST_SANITIZED 1
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(GST_SANITIZED)
#define GST_OLD(name, version) __asm__(".symver " #name "," #name "@GLIBC_" version);
GST_OLD(pthread_create, "2.2.5")
GST_OLD(pthread_join, "2.2.5")
GST_OLD(pthread_key_create, "2.2.5")
GST_OLD(pthread_setspecific, "2.2.5")
GST_OLD(pthread_sigmask, "2.2.5")
GST_OLD(pthread_setname_np, "2.12")
GST_OLD(pthread_attr_setstacksize, "2.2.5")
GST_OLD(dlopen, "2.2.5")
GST_OLD(dlsym, "2.2.5")
GST_OLD(dlclose, "2.2.5")
GST_OLD(dladdr, "2.2.5")
#undef GST_OLD
#endif

/*
 * stat() and fstat() by their system calls: as functions they are new in glibc 2.33. On x86-64 the
 * kernel's struct is the C library's; elsewhere the functions are used as they are. A sandbox may know only the
 * call that newer C libraries make.
 */
static inline int gst_old_stat(const char *path, struct stat *about)
{
#ifdef __x86_64__
	return (int)syscall(SYS_stat, path, about);
#else
	return stat(path, about);
#endif
}

static inline int gst_old_fstat(int fd, struct stat *about)
{
#ifdef __x86_64__
	int result = (int)syscall(SYS_fstat, fd, about);

	return result && errno != EBADF ? (int)syscall(SYS_newfstatat, fd, "", about, AT_EMPTY_PATH)
					: result;
#else
	return fstat(fd, about);
#endif
}

#endif
