/*
 * assert.c - the end of the line for a broken assertion.
 *
 * Role      : the one place in the libraries that prints; only a bug of ours gets here.
 * Method    : one line on stderr, then abort(), so that a core file or a sanitizer shows the caller.
 * Invariant : never returns.
 * Not here  : errors in the input (err.h).
 */
#include "analyzer/base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void gst_assert_fail(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
	abort();
}
