/*
 * sqlite_rows.h - rows into a SQLite database, one value after the other; within the SQLite exporter.
 *
 * Errors stick: after the first one nothing is done any more, and gst_sql_ok tells. Not thread safe.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_SQLITE_ROWS_H
#define GSTRACE_ANALYZER_EXPORT_SQLITE_ROWS_H

#include <sqlite3.h>

#include "analyzer/base/arena.h"
#include "analyzer/export/export.h"

struct gst_sql {
	const struct gst_analysis *a;
	const struct gst_model *m;
	sqlite3 *db;
	sqlite3_stmt *row; /* insert of the table being filled */
	int columns, column;
	int status;		 /* of SQLite; sticky */
	struct gst_arena *words; /* of the row */
};

/** No error so far. */
bool gst_sql_ok(const struct gst_sql *w);
/** Note SQLite's @status; the first that is not SQLITE_OK stays. */
void gst_sql_check(struct gst_sql *w, int status);
void gst_sql_execute(struct gst_sql *w, const char *sql);
/** Rows of @table follow, until gst_sql_end_table. Its name is ours, never from a trace. */
void gst_sql_begin_table(struct gst_sql *w, const char *table);
void gst_sql_end_table(struct gst_sql *w);
/** All columns have their value: the row is written, and what it needed of `words` is given back. */
void gst_sql_end_row(struct gst_sql *w);

/* One value each, for the next column. */
void gst_sql_null(struct gst_sql *w);
void gst_sql_int(struct gst_sql *w, int64_t value);
/** A time, size or count: SQLite's integers have a sign. */
void gst_sql_number(struct gst_sql *w, uint64_t value);
/** A handle: its bits, whatever sign that gives. */
void gst_sql_bits(struct gst_sql *w, uint64_t value);
/** GST_NONE: NULL. */
void gst_sql_id(struct gst_sql *w, uint32_t id);
void gst_sql_number_if(struct gst_sql *w, bool is_known, uint64_t value);
/** Valid UTF-8 without zero bytes: what a name's owner put there must not end it early. */
void gst_sql_bytes(struct gst_sql *w, const char *text, size_t length);
/** NULL: NULL. */
void gst_sql_text(struct gst_sql *w, const char *text);
/** A word of our own, which needs no cleaning and no copy. */
void gst_sql_word(struct gst_sql *w, const char *word);
/** String @id of the model; 0 = none. */
void gst_sql_string(struct gst_sql *w, uint32_t id);
void gst_sql_format(struct gst_sql *w, const char *fmt, ...) GST_PRINTF(2, 3);
void gst_sql_uuid(struct gst_sql *w, uint64_t hi, uint64_t lo);
/** What device records tell: NULL if @process was not to tell when work ran. */
void gst_sql_told(struct gst_sql *w, uint32_t process, uint64_t value);
/** Two columns: what kind of node @n is, and its id. */
void gst_sql_node(struct gst_sql *w, gst_node_id n);

/** Tables of what ran: ops, nodes of graphs, executable graphs, details of ops, edges. */
void gst_sqlite_put_work(struct gst_sql *w);

#endif
