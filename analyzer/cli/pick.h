/*
 * pick.h - which operation does a user mean? By number, name, stream, correlation id, time.
 */
#ifndef GSTRACE_ANALYZER_CLI_PICK_H
#define GSTRACE_ANALYZER_CLI_PICK_H

#include "analyzer/cli/opt.h"
#include "analyzer/export/export.h"

/* The forms of @text, for help. */
#define GST_PICK_HELP                                                                           \
	"OP is one of these; 'gstrace dump --model', JSON, SQLite and Perfetto show numbers.\n" \
	"  42, op:42            operation 42\n"                                                 \
	"  NAME                 the kernel, copy, ... of that name, or else with NAME in it\n"  \
	"  corr:137             what the call with that correlation id submitted\n"             \
	"  stream:13            work of that stream (its number, or its name)\n"                \
	"  stream:13:NAME       of that name in that stream\n"                                  \
	"  ...#3, ...#last      the third of them, in order of submission; the last\n"          \
	"  ...@12.5ms           the one that ran then, counted from the trace's begin"

/**
 * The one operation that @text, the value of option --@name, means. False after a complaint that lists
 * what it could mean; opt->status is set then.
 */
bool gst_pick_op(struct gst_opt *opt, const char *name, const char *text,
		 const struct gst_analysis *a, gst_op_id *op);

/** All operations that @text means, in order; they live in @arena. 0 after a complaint: none fits; opt->status is set then. */
uint32_t gst_pick_ops(struct gst_opt *opt, const char *name, const char *text,
		      const struct gst_analysis *a, struct gst_arena *arena, const gst_op_id **ops);

#endif
