/*
 * export_names.h - words for the values of the stages, the same in every machine-readable output.
 *
 * All are lower case, stable, of our own making (never a name from a trace), and static. Unknown values
 * give "unknown". Threads: any.
 */
#ifndef GSTRACE_ANALYZER_EXPORT_EXPORT_NAMES_H
#define GSTRACE_ANALYZER_EXPORT_EXPORT_NAMES_H

#include "analyzer/model/model.h"
#include "analyzer/order/order.h"

const char *gst_name_op_kind(uint32_t kind);	    /* "kernel", "event-record" */
const char *gst_name_stream_kind(uint32_t kind);    /* "blocking", "legacy" */
const char *gst_name_copy_kind(uint32_t value);	    /* "h2d" */
const char *gst_name_memory_kind(uint32_t value);   /* "pageable" */
const char *gst_name_loss_reason(uint32_t value);   /* "flush-hung" */
const char *gst_name_note_code(uint32_t value);	    /* "clock-step" */
const char *gst_name_node_type(uint32_t type);	    /* "memset": a node of a graph */
const char *gst_name_port(uint32_t port);	    /* "programmatic": enum gst_port */
const char *gst_name_strength(enum gst_strength s); /* "documented" */
const char *gst_name_form(uint32_t form);	    /* "end-begin": enum gst_form */

/**
 * Name of @api as its user wrote it, in @buf: "cuLaunchKernel"; "driver call 999" for one that is not
 * in the table. Writes at most @size bytes, always terminated.
 */
void gst_name_api(uint32_t api, char *buf, size_t size);

#endif
