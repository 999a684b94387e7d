/*
 * pages.h - large blocks, whose pages stay when they are given back, for the next block that wants some.
 *
 * A fresh page costs 1.7 to 2 us (docs/PERFORMANCE.md), to clear one that is there a tenth of it; and each stage of
 * the analysis gives back what the next one asks for. Under mem.h, which counts: who calls here is mem.c alone.
 * Sizes are the caller's to remember, and are those of the allocation. Any thread may call.
 */
#ifndef GSTRACE_ANALYZER_BASE_PAGES_H
#define GSTRACE_ANALYZER_BASE_PAGES_H

#include <stddef.h>

/**
 * Zeroed memory of @bytes, from what is kept if there is enough of it in one piece. Before other pages are mapped,
 * what is kept is cut down to @spare_bytes. NULL: the system has none.
 */
void *gst_pages_alloc(size_t bytes, size_t spare_bytes);

/** Grow or shrink; contents are kept, what is added is not zeroed. NULL: the system has none, @p is as it was. */
void *gst_pages_realloc(void *p, size_t old_bytes, size_t new_bytes, size_t spare_bytes);

/** Give @p back: its pages are kept. */
void gst_pages_free(void *p, size_t bytes);

/** Keep @most_bytes at most, and give the others back to the system. */
void gst_pages_trim(size_t most_bytes);

/** Bytes kept. */
size_t gst_pages_kept(void);

#endif
