/*
 * locate.c - the search for libgstrace.so.
 *
 * Role      : record, doctor and env find the same one.
 * Method    : what is named (--lib, GSTRACE_LIB) is taken or is an error; otherwise the first that exists of
 *             a fixed list of places relative to /proc/self/exe.
 * Invariant : nothing is loaded or changed; what was tried can be told.
 * Not here  : libcupti (cmd_doctor.c looks where the tracer looks).
 */
#include "analyzer/cli/locate.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cli/cli.h"

#define LIBRARY "libgstrace.so"

/* Relative to the folder of the executable. */
static const struct place {
	const char *folder, *source;
} places[] = {
	{".", "beside gstrace"},	{"../lib", "../lib"},
	{"../lib64", "../lib64"},	{"../lib/gstrace", "../lib/gstrace"},
	{"../../tracer", "build tree"}, /* bazel-bin/analyzer/cli/gstrace, bazel-bin/tracer/ */
};

bool gst_locate_is_library(const char *path, const char **why)
{
	unsigned char ident[EI_NIDENT + 4];
	uint16_t type, machine;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *reason = NULL;

	if (fd < 0) {
		reason = strerror(errno);
	} else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		reason = "not a regular file";
	} else if (read(fd, ident, sizeof(ident)) != (ssize_t)sizeof(ident) ||
		   memcmp(ident, ELFMAG, SELFMAG) != 0) {
		reason = "not an ELF file";
	} else {
		memcpy(&type, ident + EI_NIDENT, sizeof(type));
		memcpy(&machine, ident + EI_NIDENT + 2, sizeof(machine));
#if defined(__x86_64__)
		const uint16_t mine = EM_X86_64;
#elif defined(__aarch64__)
		const uint16_t mine = EM_AARCH64;
#else
		const uint16_t mine = machine;
#endif
		if (ident[EI_CLASS] != ELFCLASS64 || machine != mine) {
			reason = "a library for another machine";
		} else if (type != ET_DYN) {
			reason = "not a shared library";
		}
	}
	if (fd >= 0) {
		close(fd);
	}
	if (why) {
		*why = reason;
	}
	return !reason;
}

static bool take(const char *path, const char *source, struct gst_located *out)
{
	const char *why;

	snprintf(out->source, sizeof(out->source), "%s", source);
	if (!realpath(path, out->path)) {
		out->path[0] = '\0';
		snprintf(out->error, sizeof(out->error), "%s", strerror(errno));
		return false;
	}
	if (!gst_locate_is_library(out->path, &why)) {
		snprintf(out->error, sizeof(out->error), "%s", why);
		out->path[0] = '\0';
		return false;
	}
	out->error[0] = '\0';
	return true;
}

static void note_tried(struct gst_located *out, const char *path)
{
	size_t used = strlen(out->tried);

	snprintf(out->tried + used, sizeof(out->tried) - used, "%s%s", used ? "\n" : "", path);
}

bool gst_locate_library(const char *option, struct gst_located *out)
{
	const char *named = option ? option : getenv("GSTRACE_LIB");
	char exe[PATH_MAX], path[2 * PATH_MAX];
	ssize_t n;
	char *slash;

	memset(out, 0, sizeof(*out));
	if (named && (option || *named)) {
		note_tried(out, named);
		return take(named, option ? "--lib" : "GSTRACE_LIB", out);
	}
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0) {
		snprintf(out->error, sizeof(out->error), "/proc/self/exe: %s", strerror(errno));
		return false;
	}
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (!slash) {
		snprintf(out->error, sizeof(out->error), "/proc/self/exe names no folder");
		return false;
	}
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s/" LIBRARY, exe, places[i].folder);
		note_tried(out, path);
		if (access(path, F_OK) == 0) {
			return take(path, places[i].source, out);
		}
	}
	snprintf(out->error, sizeof(out->error), "not found beside gstrace or in ../lib");
	return false;
}
