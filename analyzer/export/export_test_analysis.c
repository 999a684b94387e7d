/*
 * export_test_analysis.c - the pipeline for tests of exporters.
 *
 * Role      : what cli does for a command, without options and messages.
 * Not here  : what the tests hold (export_perfetto_test.c, export_sqlite_test.c).
 */
#include "analyzer/export/export_test_analysis.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/export/export_test_model.h"

static bool stages(struct gst_test_analysis *t, struct gst_err *err)
{
	struct gst_analysis *a = &t->a;

	return !gst_order_build(a->model, t->arena, &a->order, err) &&
	       !gst_timing_build(a->model, a->order, t->arena, &a->timing, err) &&
	       !gst_check_run(a->model, a->order, a->timing, NULL, t->arena, &a->findings, err);
}

bool gst_test_analyze_file(const char *path, struct gst_test_analysis *t, struct gst_err *err)
{
	*t = (struct gst_test_analysis){.arena = gst_arena_new(0), .path = path};
	if (gst_loader_open(path, NULL, &t->loader, err) ||
	    gst_model_build(&t->loader, 1, t->arena, &t->a.model, err)) {
		return false;
	}
	t->load = gst_loader_stats(t->loader);
	t->a.loads = &t->load;
	t->a.paths = &t->path;
	t->a.input_count = 1;
	return stages(t, err);
}

bool gst_test_analyze_model(uint64_t seed, uint32_t call_count, struct gst_test_analysis *t,
			    struct gst_err *err)
{
	*t = (struct gst_test_analysis){.arena = gst_arena_new(0)};
	t->a.model = gst_test_model(t->arena, seed, call_count);
	return stages(t, err);
}

void gst_test_analysis_release(struct gst_test_analysis *t)
{
	gst_loader_close(t->loader);
	gst_model_free(t->a.model);
	gst_arena_free(t->arena);
}

char *gst_test_read_file(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	long size;

	if (!f) {
		return NULL;
	}
	if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
		*length = (size_t)size;
		data = gst_mem_alloc(*length + 1);
		if (fread(data, 1, *length, f) != *length) {
			gst_mem_free(data, *length + 1);
			data = NULL;
		}
	}
	(void)fclose(f);
	return data;
}

const char *gst_test_folder(void)
{
	const char *folder = getenv("TEST_TMPDIR");

	return folder ? folder : "/tmp";
}
