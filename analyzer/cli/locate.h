/*
 * locate.h - where libgstrace.so is.
 */
#ifndef GSTRACE_ANALYZER_CLI_LOCATE_H
#define GSTRACE_ANALYZER_CLI_LOCATE_H

#include <limits.h>
#include <stdbool.h>

/* Result of a search: the file, or why there is none, with the places tried. */
struct gst_located {
	char path[PATH_MAX];	  /* absolute, links resolved; "" = not found */
	char source[64];	  /* "--lib", "GSTRACE_LIB", "beside gstrace", ... */
	char tried[4 * PATH_MAX]; /* one path a line */
	char error[256];	  /* "" = found */
};

/**
 * Find the library: @option (--lib, may be NULL), the variable GSTRACE_LIB, beside the running executable, ../lib from
 * there, and the layout of a build tree. One that is named but unusable is an error: no other is taken in its place.
 */
bool gst_locate_library(const char *option, struct gst_located *out);

/** Is @path an ELF shared object for this machine? @why (may be NULL) gets a reason if not. */
bool gst_locate_is_library(const char *path, const char **why);

#endif
