/*
 * export_sqlite_test.c - databases of models and of real traces, against what they were made from.
 *
 * Role      : every row of the large tables, the golden of one small trace, the questions of docs/SCHEMA.md.
 * Method    : export_sqlite_test GOLDEN_DIR TRACE...: each trace is exported, opened again and compared; the
 *             golden holds all rows of the first trace but findings and rules. With GSTRACE_GOLDEN_OUT set to a
 *             folder it is written there instead.
 * Invariant : references hold, views have one row for each row of their table, nothing is left after a failure.
 * Not here  : whether the findings are right.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <inttypes.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "analyzer/base/mem.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/export_test_analysis.h"

static const char *golden_folder;
static char **traces;
static int trace_count;

static const char *database(void)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/export_sqlite_test.%ld.db", gst_test_folder(),
		 (long)getpid());
	return path;
}

static sqlite3 *make(const struct gst_analysis *a, const char *name)
{
	struct gst_err err = {0};
	sqlite3 *db;

	if (gst_export_sqlite(a, database(), &err)) {
		print_error("%s: %s\n", name, err.text);
		fail();
	}
	assert_int_equal(sqlite3_open_v2(database(), &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	return db;
}

static void drop(sqlite3 *db)
{
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(unlink(database()), 0);
}

static sqlite3_stmt *query(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) {
		print_error("%s: %s\n", sql, sqlite3_errmsg(db));
		fail();
	}
	return st;
}

static int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = query(db, sql);
	int64_t value;

	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	value = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return value;
}

/* A column that holds an id of the model, or NULL. */
static void is_id(sqlite3_stmt *st, int column, uint32_t id)
{
	if (id == GST_NONE) {
		assert_int_equal(sqlite3_column_type(st, column), SQLITE_NULL);
	} else {
		assert_int_equal(sqlite3_column_int64(st, column), id);
	}
}

static void is_time(sqlite3_stmt *st, int column, bool is_known, uint64_t ns)
{
	if (!is_known) {
		assert_int_equal(sqlite3_column_type(st, column), SQLITE_NULL);
	} else {
		assert_int_equal(sqlite3_column_int64(st, column),
				 ns > INT64_MAX ? INT64_MAX : (int64_t)ns);
	}
}

static void is_word(sqlite3_stmt *st, int column, const char *word)
{
	assert_string_equal((const char *)sqlite3_column_text(st, column), word);
}

static void check_ops(sqlite3 *db, const struct gst_model *m)
{
	sqlite3_stmt *st =
		query(db, "SELECT id, kind, call_id, stream_id, event_id, begin_ns, end_ns,"
			  " graph_launch_op_id, is_lost FROM ops ORDER BY id");

	for (gst_op_id i = 0; i < m->op_count; i++) {
		const struct gst_op *op = &m->ops[i];
		bool is_timed = op->flags & GST_OP_TIMED;

		assert_int_equal(sqlite3_step(st), SQLITE_ROW);
		is_id(st, 0, i);
		is_word(st, 1, gst_name_op_kind(op->kind));
		is_id(st, 2, op->call);
		is_id(st, 3, op->stream);
		is_id(st, 4, op->event);
		is_time(st, 5, is_timed, op->begin_ns);
		is_time(st, 6, is_timed, op->end_ns);
		is_id(st, 7, op->parent);
		assert_int_equal(sqlite3_column_int(st, 8), !!(op->flags & GST_OP_NO_RECORD));
	}
	assert_int_equal(sqlite3_step(st), SQLITE_DONE);
	sqlite3_finalize(st);
}

static void check_calls(sqlite3 *db, const struct gst_model *m)
{
	sqlite3_stmt *st =
		query(db, "SELECT calls.id, thread_id, correlation, enter_ns, exit_ns, stream_id,"
			  " op_count, name, result FROM calls JOIN apis ON apis.id = api_id"
			  " ORDER BY calls.id");
	char name[128];

	for (gst_call_id i = 0; i < m->call_count; i++) {
		const struct gst_call *c = &m->calls[i];
		bool has_returned = c->flags & GST_CALL_RETURNED;

		assert_int_equal(sqlite3_step(st), SQLITE_ROW);
		is_id(st, 0, i);
		is_id(st, 1, c->thread);
		assert_int_equal(sqlite3_column_int64(st, 2), c->corr);
		is_time(st, 3, !(c->flags & GST_CALL_NO_ENTER), c->enter_ns);
		is_time(st, 4, has_returned, c->exit_ns);
		is_id(st, 5, c->stream);
		assert_int_equal(sqlite3_column_int64(st, 6), c->op_count);
		gst_name_api(c->api, name, sizeof(name));
		is_word(st, 7, name);
		if (has_returned) {
			assert_int_equal(sqlite3_column_int(st, 8), c->result);
		} else {
			is_id(st, 8, GST_NONE);
		}
	}
	assert_int_equal(sqlite3_step(st), SQLITE_DONE);
	sqlite3_finalize(st);
}

static void is_node(sqlite3_stmt *st, int column, const struct gst_analysis *a, gst_node_id n)
{
	uint32_t calls = a->model->op_count, barriers = calls + a->model->call_count;

	is_word(st, column, n < calls ? "op" : n < barriers ? "call" : "barrier");
	assert_int_equal(sqlite3_column_int64(st, column + 1), n < calls      ? n
							       : n < barriers ? n - calls
									      : n - barriers);
}

static void check_edges(sqlite3 *db, const struct gst_analysis *a)
{
	sqlite3_stmt *st =
		query(db, "SELECT from_kind, from_id, to_kind, to_id, rule_id, form, strength"
			  " FROM edges ORDER BY id");

	for (gst_edge_id i = gst_order_next_edge(a->order, 0); i < gst_order_edge_bound(a->order);
	     i = gst_order_next_edge(a->order, i + 1)) {
		const struct gst_edge e = gst_order_edge(a->order, i);

		assert_int_equal(sqlite3_step(st), SQLITE_ROW);
		is_node(st, 0, a, e.from);
		is_node(st, 2, a, e.to);
		is_word(st, 4, gst_rule_id(e.rule));
		is_word(st, 5, gst_name_form(e.form));
		is_word(st, 6, gst_name_strength(gst_timing_strength(a->timing, i)));
	}
	assert_int_equal(sqlite3_step(st), SQLITE_DONE);
	sqlite3_finalize(st);
}

static void check_findings(sqlite3 *db, const struct gst_findings *all)
{
	sqlite3_stmt *st =
		query(db, "SELECT id, kind, severity, cost_ns, blocked_ns, occurrence_count,"
			  " (SELECT count(*) FROM finding_evidence WHERE finding_id = id),"
			  " (SELECT count(*) FROM finding_path WHERE finding_id = id)"
			  " FROM findings ORDER BY id");

	for (uint32_t i = 0; i < all->count; i++) {
		const struct gst_finding *f = &all->items[i];

		assert_int_equal(sqlite3_step(st), SQLITE_ROW);
		is_id(st, 0, i + 1);
		is_word(st, 1, f->id);
		is_word(st, 2, gst_severity_name(f->severity));
		is_time(st, 3, f->cost_is_known && !f->cost_is_bound, f->cost_ns);
		is_time(st, 4, true, f->blocked_ns);
		assert_int_equal(sqlite3_column_int64(st, 5), f->occurrence_count);
		assert_int_equal(sqlite3_column_int64(st, 6), f->evidence_count);
		assert_int_equal(sqlite3_column_int64(st, 7), f->path_count);
	}
	assert_int_equal(sqlite3_step(st), SQLITE_DONE);
	sqlite3_finalize(st);
}

static void check_all(const struct gst_analysis *a, const char *name)
{
	const struct gst_model *m = a->model;
	sqlite3 *db = make(a, name);
	const struct {
		const char *sql;
		int64_t value;
	} counts[] = {
		{"PRAGMA user_version", 1},
		{"SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'", 1},
		{"SELECT count(*) FROM pragma_foreign_key_check", 0},
		{"SELECT value FROM meta WHERE key = 'is_complete'", m->is_complete},
		{"SELECT count(*) FROM processes", m->process_count},
		{"SELECT count(*) FROM devices", m->device_count},
		{"SELECT count(*) FROM contexts", m->context_count},
		{"SELECT count(*) FROM threads", m->thread_count},
		{"SELECT count(*) FROM streams", m->stream_count},
		{"SELECT count(*) FROM events", m->event_count},
		{"SELECT count(*) FROM v_ops", m->op_count},
		{"SELECT count(*) FROM v_calls", m->call_count},
		{"SELECT count(*) FROM v_edges", gst_order_edge_count(a->order)},
		{"SELECT count(*) FROM rules", GST_RULE_COUNT},
		{"SELECT count(*) FROM barriers",
		 (int64_t)gst_order_node_count(a->order) - m->op_count - m->call_count},
		{"SELECT count(*) FROM losses", m->loss_count},
		{"SELECT count(*) FROM notes", m->note_count},
		{"SELECT count(*) FROM variables", m->variable_count},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (number(db, counts[i].sql) != counts[i].value) {
			print_error("%s: %s\n", name, counts[i].sql);
			fail();
		}
	}
	check_ops(db, m);
	check_calls(db, m);
	check_edges(db, a);
	check_findings(db, a->findings);
	drop(db);
}

static void test_traces(void **state)
{
	(void)state;
	for (int i = 0; i < trace_count; i++) {
		struct gst_test_analysis t;
		struct gst_err err = {0};

		if (gst_test_analyze_file(traces[i], &t, &err)) {
			check_all(&t.a, traces[i]);
		}
		gst_test_analysis_release(&t);
	}
}

static void test_models(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct gst_test_analysis t;
		struct gst_err err = {0};
		char name[64];

		snprintf(name, sizeof(name), "seed %" PRIu64, seed);
		assert_true(gst_test_analyze_model(seed, 300, &t, &err));
		check_all(&t.a, name);
		gst_test_analysis_release(&t);
	}
}

/* Names of every unpleasant form arrive as text, and run nothing. */
static void test_names(void **state)
{
	struct gst_test_analysis t;
	struct gst_err err = {0};
	sqlite3 *db;

	(void)state;
	assert_true(gst_test_analyze_model(1, 400, &t, &err));
	db = make(&t.a, "names");
	assert_int_equal(number(db, "SELECT count(*) FROM names WHERE typeof(mangled) = 'text'"),
			 number(db, "SELECT count(*) FROM names"));
	assert_int_equal(number(db, "SELECT count(*) FROM names WHERE mangled ="
				    " '''); DROP TABLE ops;--'"),
			 1);
	assert_int_equal(number(db, "SELECT count(*) FROM names WHERE mangled ="
				    " 'bad' || char(65533, 65533) || 'utf' || char(65533)"),
			 1);
	assert_int_equal(
		number(db, "SELECT count(*) FROM processes WHERE name = 'worker' || char(65533)"
			   " AND command_line = 'prog --flag x y'"),
		1);
	drop(db);
	gst_test_analysis_release(&t);
}

/* What docs/SCHEMA.md shows must not read whole tables where an index is meant to serve. */
static void test_indexes(void **state)
{
	static const struct {
		const char *sql, *index;
	} questions[] = {
		{"SELECT * FROM v_edges WHERE to_kind = 'op' AND to_id = 7", "edges_by_target"},
		{"SELECT * FROM v_edges WHERE from_kind = 'call' AND from_id = 7",
		 "edges_by_source"},
		{"SELECT * FROM v_ops WHERE stream_id = 1 AND begin_ns > 5", "ops_by_stream"},
		{"SELECT * FROM v_ops WHERE call_id = 3", "ops_by_call"},
		{"SELECT * FROM calls WHERE thread_id = 0 ORDER BY enter_ns", "calls_by_thread"},
	};
	struct gst_test_analysis t;
	struct gst_err err = {0};
	sqlite3 *db;

	(void)state;
	assert_true(gst_test_analyze_model(1, 100, &t, &err));
	db = make(&t.a, "indexes");
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		char sql[256];
		sqlite3_stmt *st;
		bool is_used = false, scans = false;

		snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", questions[i].sql);
		st = query(db, sql);
		while (sqlite3_step(st) == SQLITE_ROW) {
			const char *line = (const char *)sqlite3_column_text(st, 3);

			is_used |= strstr(line, questions[i].index) != NULL;
			scans |= strncmp(line, "SCAN", 4) == 0;
		}
		sqlite3_finalize(st);
		if (!is_used || scans) {
			print_error("%s: index %s is not used\n", questions[i].sql,
				    questions[i].index);
			fail();
		}
	}
	drop(db);
	gst_test_analysis_release(&t);
}

/* ---- documented queries ---- */

/* The questions of docs/SCHEMA.md have the columns and the number of rows that it shows. */
static void test_documented(void **state)
{
	struct gst_test_analysis t;
	struct gst_err err = {0};
	size_t length;
	char *text = gst_test_read_file("docs/SCHEMA.md", &length), *at = text;
	int questions = 0;
	sqlite3 *db;

	(void)state;
	assert_non_null(text);
	assert_true(gst_test_analyze_file("testdata/real/default_stream_bad.gst", &t, &err));
	db = make(&t.a, "docs/SCHEMA.md");
	while ((at = strstr(at, "```sql\n"))) {
		static const char fence[] = "```\n```text\n";
		char *sql = at + strlen("```sql\n"), *shown = strstr(sql, fence);
		char columns[512] = "";
		int rows = 0, shown_rows = -1; /* the first line is the columns' names */
		sqlite3_stmt *st;

		assert_non_null(shown);
		*shown = '\0';
		shown += strlen(fence);
		at = strstr(shown, "```");
		assert_non_null(at);
		for (const char *c = shown; c < at; c++) {
			shown_rows += *c == '\n';
		}
		st = query(db, sql);
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			size_t n = strlen(columns);

			snprintf(columns + n, sizeof(columns) - n, "%s%s", i ? " | " : "",
				 sqlite3_column_name(st, i));
		}
		while (sqlite3_step(st) == SQLITE_ROW) {
			rows++;
		}
		sqlite3_finalize(st);
		shown[strcspn(shown, "\n")] = '\0';
		assert_string_equal(columns, shown);
		assert_int_equal(rows, shown_rows);
		questions++;
	}
	assert_int_equal(questions, 3);
	drop(db);
	gst_mem_free(text, length + 1);
	gst_test_analysis_release(&t);
}

/* ---- golden ---------------------------------------------------------------------------------------- */

static void dump_table(sqlite3 *db, const char *table, struct gst_outfile *out)
{
	char sql[256];
	sqlite3_stmt *st;

	/* What is built and what the checks think of the trace may change without a change here. */
	snprintf(sql, sizeof(sql), "SELECT * FROM %s%s ORDER BY 1, 2", table,
		 strcmp(table, "meta") == 0
			 ? " WHERE key NOT LIKE 'gstrace%' AND key NOT LIKE 'find%'"
			 : "");
	st = query(db, sql);
	gst_outfile_printf(out, "-- %s:", table);
	for (int i = 0; i < sqlite3_column_count(st); i++) {
		gst_outfile_printf(out, " %s", sqlite3_column_name(st, i));
	}
	gst_outfile_puts(out, "\n");
	while (sqlite3_step(st) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			const char *text = (const char *)sqlite3_column_text(st, i);

			gst_outfile_printf(out, "%s%s", i ? "|" : "", text ? text : "NULL");
		}
		gst_outfile_puts(out, "\n");
	}
	sqlite3_finalize(st);
}

static void test_golden(void **state)
{
	const char *update = getenv("GSTRACE_GOLDEN_OUT");
	struct gst_test_analysis t;
	struct gst_err err = {0};
	struct gst_outfile *out;
	sqlite3_stmt *tables;
	sqlite3 *db;
	char path[1024], name[256];
	const char *slash = strrchr(traces[0], '/'), *got;
	char *wanted;
	size_t length, wanted_length;

	(void)state;
	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : traces[0]);
	name[strcspn(name, ".")] = '\0';
	snprintf(path, sizeof(path), "%s/%s.txt", update ? update : golden_folder, name);
	assert_true(gst_test_analyze_file(traces[0], &t, &err));
	db = make(&t.a, traces[0]);
	out = update ? NULL : gst_outfile_open_memory();
	if (update) {
		assert_int_equal(gst_outfile_open(path, &out, &err), GST_OK);
	}
	tables = query(db, "SELECT name FROM sqlite_schema WHERE type = 'table'"
			   " AND name NOT LIKE 'finding%' AND name <> 'rules' ORDER BY name");
	while (sqlite3_step(tables) == SQLITE_ROW) {
		dump_table(db, (const char *)sqlite3_column_text(tables, 0), out);
	}
	sqlite3_finalize(tables);
	drop(db);
	gst_test_analysis_release(&t);
	if (update) {
		assert_int_equal(gst_outfile_commit(out, &err), GST_OK);
		return;
	}
	got = gst_outfile_memory(out, &length);
	wanted = gst_test_read_file(path, &wanted_length);
	if (!wanted) {
		print_error("no golden %s\n", path);
		fail();
	}
	assert_string_equal(got, wanted);
	gst_mem_free(wanted, wanted_length + 1);
	gst_outfile_abort(out);
}

/* ---- faults ----------------------------------------------------------------------------------------- */

static void test_full_disk(void **state)
{
	static const rlim_t limits[] = {0, 1, 4096, 60000, 200000};
	struct gst_test_analysis t;
	struct gst_err err = {0};
	struct rlimit old;

	(void)state;
	assert_true(gst_test_analyze_model(5, 3000, &t, &err));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		gst_status st;

		assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){limits[i], old.rlim_max}),
				 0);
		st = gst_export_sqlite(&t.a, database(), &err);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(st, GST_E_IO);
		assert_non_null(strstr(err.text, "SQLite"));
		assert_int_not_equal(access(database(), F_OK), 0);
	}
	assert_int_equal(gst_export_sqlite(&t.a, "/nonexistent/folder/x.db", &err), GST_E_IO);
	gst_test_analysis_release(&t);
}

/* A file that is there is replaced, whatever it was, and keeps its mode. */
static void test_replaces(void **state)
{
	struct gst_test_analysis t;
	struct gst_err err = {0};
	struct stat st;
	FILE *f;

	(void)state;
	assert_true(gst_test_analyze_model(5, 100, &t, &err));
	f = fopen(database(), "wb");
	assert_non_null(f);
	assert_true(fputs("this is no database, and longer than a page would not help it", f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(database(), 0640), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gst_export_sqlite(&t.a, database(), &err), GST_OK);
		assert_int_equal(stat(database(), &st), 0);
		assert_int_equal(st.st_mode & 0777, 0640);
	}
	assert_int_equal(unlink(database()), 0);
	gst_test_analysis_release(&t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models),	   cmocka_unit_test(test_names),
		cmocka_unit_test(test_indexes),	   cmocka_unit_test(test_golden),
		cmocka_unit_test(test_full_disk),  cmocka_unit_test(test_replaces),
		cmocka_unit_test(test_documented), cmocka_unit_test(test_traces),
	};

	if (argc < 3) {
		fprintf(stderr, "usage: export_sqlite_test GOLDEN_DIR TRACE...\n");
		return 2;
	}
	golden_folder = argv[1];
	traces = argv + 2;
	trace_count = argc - 2;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
