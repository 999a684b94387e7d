/*
 * output.h - the trace file and what the parent is told about it.
 */
#ifndef GSTRACE_TRACER_OUTPUT_H
#define GSTRACE_TRACER_OUTPUT_H

#include <stddef.h>

/**
 * Create the file @path, or with .1, .2 ... behind it if it exists: nothing is ever overwritten. A folder
 * (EISDIR), a device or a pipe (ENODEV) of that name is an error.
 *
 * @path of @size bytes is changed to the name taken. The file is 0600 and closed on exec; a symbolic link in
 * its place is not followed. The descriptor is a high one if it can be, never 0, 1 or 2. Returns the descriptor, or -1 with errno.
 */
int gst_output_create(char *path, size_t size);

/** Make @path absolute in @full of @size bytes; unchanged if the working directory cannot be told. */
void gst_output_absolute(const char *path, char *full, size_t size);

/**
 * Leave the line @text in <pid>.@kind in the session folder @dir ("" = none), behind those that are there.
 *
 * A newline in it is written as \n, a backslash as two: a name must not read as two lines.
 * Errors are ignored: a report must not disturb anybody.
 */
void gst_output_report(const char *dir, const char *kind, const char *text);

#endif
