/*
 * check.h - findings: what went wrong, where, what it cost, why, and what to change.
 *
 * One file per finding (check_<name>.c), registered in check.c. Checks read const stages and add findings.
 */
#ifndef GSTRACE_ANALYZER_CHECK_CHECK_H
#define GSTRACE_ANALYZER_CHECK_CHECK_H

#include "analyzer/timing/timing.h"

enum gst_severity { GST_SEVERITY_INFO, GST_SEVERITY_LOW, GST_SEVERITY_MEDIUM, GST_SEVERITY_HIGH };

/* All strings are UTF-8 as far as their sources were (exporters escape), zero-terminated, in the arena. */
struct gst_finding {
	const char *id; /* stable kebab-case, e.g. "default-stream-serialization" */
	enum gst_severity severity;
	/* recoverable: by how much the run would be shorter; best estimate */
	uint64_t cost_ns;
	uint64_t cost_low_ns, cost_high_ns; /* bounds */
	uint64_t blocked_ns; /* time during which something waited: a union on the timeline */
	/* false: recoverable could not be estimated (why is in `withheld`) */
	bool cost_is_known;
	/* of recoverable nothing is known but cost_high_ns: cost_ns and cost_low_ns are 0 */
	bool cost_is_bound;
	uint64_t rank_ns;	   /* cost_ns; of such the least cost of their severity */
	const char *withheld;	   /* what loss or ambiguity weakens here; NULL = nothing */
	const char *title;	   /* one line */
	const char *detail;	   /* where: call, thread, streams; several lines allowed */
	const char *advice;	   /* one or two sentences */
	uint64_t begin_ns, end_ns; /* first and last occurrence */
	uint32_t occurrence_count;
	bool is_small; /* below info's floor: there for gst_check_options.all alone */
	/* evidence, first occurrence first; bounded (GST_EVIDENCE_MAX), the total is occurrence_count */
	const struct gst_occurrence {
		uint64_t begin_ns, end_ns; /* the stall */
		gst_op_id waiter;	   /* op held up, or GST_NONE */
		gst_op_id culprit;	   /* op (or GST_NONE) it waited for */
		gst_call_id call;	   /* call that blocked or submitted it, or GST_NONE */
		uint64_t blocked_ns;
	} * occurrences;
	uint32_t evidence_count;
	const gst_edge_id *path; /* edges that prove the first occurrence, culprit to waiter */
	uint32_t path_count;
};

#define GST_EVIDENCE_MAX 1000u

struct gst_check_options {
	const char *const *only; /* ids, or NULL */
	uint32_t only_count;
	const char *const *skip;
	uint32_t skip_count;
	bool all; /* what is below info's floor as well; not what is not replayed */
};

struct gst_findings {
	/*
	 * By rank_ns and severity, largest first, then id, begin_ns, title, end_ns, and call, waiter and culprit of the
	 * first occurrence: a total order, the same for any number of threads.
	 */
	const struct gst_finding *items;
	uint32_t count;
	uint32_t hidden_count;	    /* below info's floor, or not replayed */
	uint32_t skipped_count;	    /* the latter: a large trace has too many groups of waits */
	uint64_t hidden_blocked_ns; /* a union on the timeline */
	uint64_t steps; /* edges that all searches of all checks looked at: for tests of scale */
};

/** Run all checks. Lives in @arena. An unknown id in only/skip: GST_E_FORMAT naming the known ones. */
gst_status gst_check_run(const struct gst_model *m, const struct gst_order *o,
			 const struct gst_timing *t, const struct gst_check_options *opt,
			 struct gst_arena *arena, const struct gst_findings **out,
			 struct gst_err *err) __attribute__((warn_unused_result));

const char *gst_severity_name(enum gst_severity s);
/** Why records were lost, as part of a sentence about "them"; @reason: GST_LOSS_x or a number of a newer tracer. Static. */
const char *gst_loss_words(uint32_t reason);
/** Ids of all checks, in registration order; *count of them. */
const char *const *gst_check_ids(uint32_t *count);
/** Does check @index, in registration order, find nothing in a process of which device records were not asked for? */
bool gst_check_needs_times(uint32_t index);

#endif
