/*
 * critical.h - the critical path: what the end of the recorded run hung on, moment by moment.
 *
 * The path covers the whole window without a gap or an overlap: from the last thing that ended (or a call that
 * never returned), backwards, always to what released it last. docs/CRITICAL.md says what each cause means, and what the path cannot show.
 */
#ifndef GSTRACE_ANALYZER_TIMING_CRITICAL_H
#define GSTRACE_ANALYZER_TIMING_CRITICAL_H

#include "analyzer/timing/timing.h"

enum gst_cause {
	GST_CAUSE_KERNEL,
	GST_CAUSE_COPY,		/* and memset */
	GST_CAUSE_GRAPH,	/* a graph launch that was recorded as a whole */
	GST_CAUSE_HOST_FUNC,	/* a host function whose times were recorded */
	GST_CAUSE_HOST_COMPUTE, /* a host thread between two calls */
	GST_CAUSE_CALL,		/* in a call that waited for nothing */
	GST_CAUSE_LATENCY,	/* from the enter of the submitting call to the begin of its work */
	GST_CAUSE_BARRIER,	/* from the end of what work waited for by a rule to its begin */
	GST_CAUSE_HOST_WAIT,	/* from the end of what a call waited for to its return */
	GST_CAUSE_IDLE,		/* nothing that is seen ran or was waited for */
	GST_CAUSE_UNKNOWN,	/* see enum gst_unknown */
	GST_CAUSE_COUNT
};

/** Did work run, whose op is the segment's node? */
static inline bool gst_cause_is_work(uint32_t cause)
{
	return cause <= GST_CAUSE_HOST_FUNC;
}

/* Why a stretch of the path is not known. */
enum gst_unknown {
	GST_UNKNOWN_NONE,     /* it is known */
	GST_UNKNOWN_NO_TIMES, /* `node` is an op that was waited for; when it ran is not known */
	GST_UNKNOWN_NO_CALL,  /* the call that submitted op `node` is not in the trace */
	GST_UNKNOWN_THREAD_START,   /* before the first call of a thread: `node` is that call */
	GST_UNKNOWN_NEVER_RETURNED, /* call `node` did not return in what was read */
	GST_UNKNOWN_NOT_RECORDED,   /* between two windows of the recording */
	GST_UNKNOWN_LOST,	    /* calls were lost there */
	GST_UNKNOWN_GRAPH_END,	    /* after the last known node of graph launch `node` */
	GST_UNKNOWN_NO_WAY_BACK, /* what released `node` has no known time, or waits for it in turn */
	GST_UNKNOWN_COUNT
};

/* One stretch of the path; 48 bytes. Each begins where the one before it ends. */
struct gst_segment {
	uint64_t begin_ns, end_ns;
	uint64_t
		held_ns; /* BARRIER, IDLE, LATENCY: how much earlier `node` could have begun without
			    * `from` alone; HOST_WAIT: how long the call had waited when `from`
			    * ended; UINT64_MAX = not known */
	gst_node_id node; /* the op that ran, or that was about to; the call made, or about to be */
	gst_node_id from; /* gaps: the op or call that `node` had to wait for; GST_NONE */
	gst_edge_id edge; /* gaps: the edge that tells the rule; GST_NONE: none, or a copy engine */
	uint8_t cause;	  /* enum gst_cause */
	uint8_t unknown;  /* enum gst_unknown */
	uint16_t reserved;
};

/* Waits on the path, by who waited, for whom, by which rule. */
struct gst_blame {
	uint64_t count;
	uint64_t held_ns; /* sum where known */
	uint64_t unheld;  /* how many are without a known held_ns */
	uint64_t gap_ns;  /* sum of the gaps: after the end of what was waited for */
	uint32_t waiter;  /* stream of the work, or api of the call; GST_NONE = unknown stream */
	gst_stream_id culprit; /* stream of what was waited for; GST_NONE = unknown */
	uint32_t example;      /* index of the segment that was held longest */
	uint8_t rule;	       /* enum gst_rule; GST_RULE_COUNT = copy engine */
	bool is_host;	       /* a call waited */
};

/* Time of the path spent in work of a stream. */
struct gst_blamed_stream {
	gst_stream_id stream; /* GST_NONE = unknown */
	uint64_t run_ns;
	uint64_t ops;
};

/* Time of the path by the NVTX range of the call behind it. */
struct gst_blamed_range {
	uint32_t name; /* string of the model; 0 = in none, without a name, or between two */
	uint64_t ns;
};

struct gst_critical {
	uint64_t begin_ns, end_ns;	    /* the window: all of the model */
	uint32_t process;		    /* whose end it starts from; GST_NONE = nothing ended */
	const struct gst_segment *segments; /* in order of time */
	uint32_t segment_count;
	uint64_t cause_ns[GST_CAUSE_COUNT]; /* sums to end_ns - begin_ns */
	uint64_t unknown_ns[GST_UNKNOWN_COUNT];
	const struct gst_blame
		*blames; /* the longest held first; of equals that which the path meets first */
	uint32_t blame_count;
	const struct gst_blamed_stream *streams; /* the longest first; of equals the lower id */
	uint32_t stream_count;
	const struct gst_blamed_range *
		ranges; /* the longest first; of equals that which the path meets first; none if the program has none */
	uint32_t range_count;
};

/**
 * Walk the critical path back from the last end in @process (GST_NONE: in all of them).
 *
 * Owns: what @out points to lives in @arena. Cost: linear in nodes and edges, plus a sort of what is blamed. The same
 * for any number of threads.
 */
void gst_timing_critical(const struct gst_timing *t, uint32_t process, struct gst_arena *arena,
			 struct gst_critical *out);

const char *gst_cause_name(enum gst_cause cause);   /* "host-compute" */
const char *gst_unknown_name(enum gst_unknown why); /* "never-returned" */

#endif
