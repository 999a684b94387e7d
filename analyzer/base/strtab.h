/*
 * strtab.h - interned byte strings: equal bytes have equal ids.
 *
 * Ids count from 0 in the order of first interning; id 0 is the empty string. Memory comes from
 * mem.h: nothing here fails. One thread at a time.
 */
#ifndef GSTRACE_ANALYZER_BASE_STRTAB_H
#define GSTRACE_ANALYZER_BASE_STRTAB_H

#include <stddef.h>
#include <stdint.h>

struct gst_strtab;

/** A new table that holds the empty string alone. */
struct gst_strtab *gst_strtab_new(void);

/** Free the table and its strings; NULL is fine. */
void gst_strtab_free(struct gst_strtab *t);

/** The id of the @length bytes at @bytes, which may hold any value; copied if new. Cost: O(length). */
uint32_t gst_strtab_intern(struct gst_strtab *t, const void *bytes, size_t length);

/**
 * The string @id: a zero byte follows it. *@length (may be NULL) is its length.
 *
 * Asserts: @id came from this table. The pointer is good as long as the table.
 */
const char *gst_strtab_get(const struct gst_strtab *t, uint32_t id, size_t *length);

/** Number of strings, the empty one included. */
uint32_t gst_strtab_count(const struct gst_strtab *t);

#endif
