/*
 * sqlite_rows.c - rows into a SQLite database.
 *
 * Role      : what the tables of the exporter are written with.
 * Method    : a prepared insert for each table, with as many columns as the table has; values are bound in their order.
 * Invariant : the first error sticks; a row has exactly its table's columns; text is valid UTF-8 without zero bytes.
 * Not here  : which tables there are (export_sqlite.c, export_sqlite_work.c).
 */
#include "analyzer/export/sqlite_rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/export/describe.h"
#include "analyzer/export/escape.h"

bool gst_sql_ok(const struct gst_sql *w)
{
	return w->status == SQLITE_OK;
}

void gst_sql_check(struct gst_sql *w, int status)
{
	if (gst_sql_ok(w)) {
		w->status = status;
	}
}

void gst_sql_execute(struct gst_sql *w, const char *sql)
{
	if (gst_sql_ok(w)) {
		gst_sql_check(w, sqlite3_exec(w->db, sql, NULL, NULL, NULL));
	}
}

void gst_sql_begin_table(struct gst_sql *w, const char *table)
{
	char sql[512];
	sqlite3_stmt *any = NULL;
	int n;

	if (!gst_sql_ok(w)) {
		return;
	}
	snprintf(sql, sizeof(sql), "SELECT * FROM %s", table);
	gst_sql_check(w, sqlite3_prepare_v2(w->db, sql, -1, &any, NULL));
	w->columns = sqlite3_column_count(any);
	sqlite3_finalize(any);
	n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table);
	for (int i = 1; i < w->columns; i++) {
		n += snprintf(sql + n, sizeof(sql) - (size_t)n, ",?");
	}
	snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
	if (gst_sql_ok(w)) {
		gst_sql_check(w, sqlite3_prepare_v2(w->db, sql, -1, &w->row, NULL));
	}
	w->column = 0;
}

void gst_sql_end_table(struct gst_sql *w)
{
	sqlite3_finalize(w->row);
	w->row = NULL;
}

void gst_sql_end_row(struct gst_sql *w)
{
	if (!gst_sql_ok(w)) {
		return;
	}
	GST_ASSERT(w->column == w->columns);
	if (sqlite3_step(w->row) != SQLITE_DONE) {
		gst_sql_check(w, sqlite3_errcode(w->db));
	}
	gst_sql_check(w, sqlite3_reset(w->row));
	gst_sql_check(w, sqlite3_clear_bindings(w->row));
	w->column = 0;
	gst_arena_reset(w->words);
}

void gst_sql_null(struct gst_sql *w)
{
	w->column++; /* not bound: NULL */
}

void gst_sql_int(struct gst_sql *w, int64_t value)
{
	if (gst_sql_ok(w)) {
		gst_sql_check(w, sqlite3_bind_int64(w->row, ++w->column, value));
	}
}

void gst_sql_number(struct gst_sql *w, uint64_t value)
{
	gst_sql_int(w, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void gst_sql_bits(struct gst_sql *w, uint64_t value)
{
	gst_sql_int(w, (int64_t)value);
}

void gst_sql_id(struct gst_sql *w, uint32_t id)
{
	if (id == GST_NONE) {
		gst_sql_null(w);
	} else {
		gst_sql_int(w, id);
	}
}

void gst_sql_number_if(struct gst_sql *w, bool is_known, uint64_t value)
{
	if (is_known) {
		gst_sql_number(w, value);
	} else {
		gst_sql_null(w);
	}
}

void gst_sql_bytes(struct gst_sql *w, const char *text, size_t length)
{
	size_t bytes = gst_escape(GST_ESCAPE_UTF8, text, length, NULL, 0);
	char *clean = gst_arena_alloc(w->words, bytes + 1);

	gst_escape(GST_ESCAPE_UTF8, text, length, clean, bytes + 1);
	for (size_t i = 0; i < bytes; i++) {
		if (!clean[i]) {
			clean[i] = ' ';
		}
	}
	if (gst_sql_ok(w)) {
		/* Good until the row has been stepped. */
		gst_sql_check(w, sqlite3_bind_text64(w->row, ++w->column, clean, bytes,
						     SQLITE_STATIC, SQLITE_UTF8));
	}
}

void gst_sql_text(struct gst_sql *w, const char *text)
{
	if (text) {
		gst_sql_bytes(w, text, strlen(text));
	} else {
		gst_sql_null(w);
	}
}

void gst_sql_word(struct gst_sql *w, const char *word)
{
	if (gst_sql_ok(w)) {
		gst_sql_check(w, sqlite3_bind_text(w->row, ++w->column, word, -1, SQLITE_STATIC));
	}
}

void gst_sql_string(struct gst_sql *w, uint32_t id)
{
	size_t length;
	const char *text = gst_strtab_get(w->m->strings, id, &length);

	if (id) {
		gst_sql_bytes(w, text, length);
	} else {
		gst_sql_null(w);
	}
}

void gst_sql_format(struct gst_sql *w, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	gst_sql_text(w, text);
}

void gst_sql_uuid(struct gst_sql *w, uint64_t hi, uint64_t lo)
{
	gst_sql_format(w, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
		       hi >> 32, hi >> 16 & 0xffff, hi & 0xffff, lo >> 48,
		       lo & UINT64_C(0xffffffffffff));
}

void gst_sql_told(struct gst_sql *w, uint32_t process, uint64_t value)
{
	if (gst_describe_has_times(w->m, process)) {
		gst_sql_number(w, value);
	} else {
		gst_sql_null(w);
	}
}

void gst_sql_node(struct gst_sql *w, gst_node_id n)
{
	const struct gst_order *o = w->a->order;

	if (gst_node_is_op(o, n)) {
		gst_sql_word(w, "op");
		gst_sql_int(w, n);
	} else if (gst_node_is_call(o, n)) {
		gst_sql_word(w, "call");
		gst_sql_int(w, (int64_t)n - w->m->op_count);
	} else {
		gst_sql_word(w, "barrier");
		gst_sql_int(w, (int64_t)n - w->m->op_count - w->m->call_count);
	}
}
