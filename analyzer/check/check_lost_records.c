/*
 * check_lost_records.c - lost-records: what is not in the trace, and what that makes doubtful.
 *
 * Role      : says of each loss how much, when, why, and which conclusions it weakens.
 * Method    : the model's losses, one finding for each reason; a trace that is incomplete without a
 *             counted loss (cut, killed) gets one of its own.
 * Invariant : never silent about a loss; the loss of what no conclusion rests on is info.
 * Not here  : how the other findings are weakened: each says so itself (withheld).
 */
#include "analyzer/check/check_internal.h"

#include <inttypes.h>

struct what {
	const char *name, *weakens;
	bool is_vital;
};

static struct what what_was_lost(uint32_t kind)
{
	if (kind == 0) {
		return (struct what){
			"records of several kinds",
			"waits and work may be missing anywhere, so an order that is not shown may "
			"exist, and costs may be off",
			true};
	}
	if (kind == GST_REC_OVERHEAD || kind == GST_REC_MEMORY) {
		return (struct what){"records about memory or tool overhead",
				     "no order or cost rests on them", false};
	}
	if (kind == GST_REC_KERNEL || kind == GST_REC_MEMCPY || kind == GST_REC_MEMSET ||
	    kind == GST_REC_GRAPH_RUN || kind == GST_REC_HOST_RUN) {
		return (struct what){
			"device records",
			"the work is known from its calls but not when it ran: busy times are too "
			"small, and a wait for such work is not seen",
			true};
	}
	if (kind == GST_REC_SYNC || kind == GST_REC_EVENT) {
		return (struct what){
			"event and synchronization records",
			"which record an event wait refers to is taken from the order of calls alone",
			true};
	}
	if (kind == GST_REC_NVTX || kind == GST_REC_NVTX_NAME) {
		return (struct what){"NVTX records",
				     "some ranges and names are missing, and a range may be shown "
				     "longer than it was; no order or cost rests on them",
				     false};
	}
	if (kind == GST_REC_GRAPH || kind == GST_REC_GRAPH_NODE || kind == GST_REC_GRAPH_EDGE ||
	    kind == GST_REC_GRAPH_EXEC || kind == GST_REC_EXEC_STATE) {
		return (struct what){
			"definitions of graphs",
			"nodes of a launch may have an order that is not shown, and event nodes may "
			"be missing",
			true};
	}
	if ((kind & 0xff00) == 0x0100) {
		return (struct what){
			"API calls",
			"an event record, wait or launch may be missing, so an order that is not "
			"shown may exist, and an event may mean an earlier record",
			true};
	}
	return (struct what){"definitions", "some names or streams are not known", true};
}

const char *gst_loss_words(uint32_t reason)
{
	switch (reason) {
	case GST_LOSS_NO_CHUNK:
		return "the tracer's memory was full";
	case GST_LOSS_CUPTI_DROPPED:
		return "CUPTI dropped them";
	case GST_LOSS_FLUSH_HUNG:
		return "CUPTI did not hand them over in time";
	case GST_LOSS_WRITE_FAILED:
		return "the file could not be written";
	case GST_LOSS_STRING_TABLE_FULL:
		return "there were too many different names";
	case GST_LOSS_UNKNOWN_ACTIVITY:
		return "CUPTI sent a kind that the tracer does not know";
	case GST_LOSS_NO_BUFFER:
		return "the tracer had no buffer for CUPTI";
	case GST_LOSS_NO_THREAD_SLOT:
		return "there were too many threads";
	case GST_LOSS_SELF_CHECK:
		return "they did not pass the tracer's check of CUPTI's layout";
	case GST_LOSS_DAMAGED:
		return "the file is damaged";
	case GST_LOSS_REFUSED:
		return "CUPTI did not give them";
	case GST_LOSS_ENDED_EARLY:
		return "the program was killed, or still ran, before they were written: CUPTI gives records of work some time after it ran";
	case GST_LOSS_SIZE_LIMIT:
		return "the trace was as long as it was allowed to be";
	case GST_LOSS_TABLE_FULL:
		return "there were more streams, events or graphs at once than the tracer keeps";
	case GST_LOSS_BUSY:
		return "the tracer was at work there already, in a thread that it interrupted or does not wait for";
	case GST_LOSS_OLD_WINDOW:
		return "so many windows had been opened since then that it was no longer known whether they belong to one";
	default: /* a newer tracer's */
		return "the reason is not known";
	}
}

static const char *advice(uint32_t reason)
{
	switch (reason) {
	case GST_LOSS_NO_CHUNK:
		return "Record again with more memory for the tracer (record --staging-bytes).";
	case GST_LOSS_REFUSED:
		return "See what CUPTI answered (Limits, above) and what gstrace doctor says; another CUPTI (record --cupti), best that of the CUDA version of the driver, may give them.";
	case GST_LOSS_ENDED_EARLY:
		return "What is there can be used with care. To get the rest, let the program end by itself, or by a signal that it handles and exits on; device records come every half second (GSTRACE_FLUSH_MS).";
	case GST_LOSS_SIZE_LIMIT:
		return "Record again with a higher limit (record --max-size), or only the part that matters (record --start=paused).";
	default: /* what helps against most of them */
		return "Record again; a shorter run or a larger buffer (gstrace record --help) loses less.";
	}
}

static void report_losses(struct gst_check_run *r)
{
	struct gst_groups groups = {0};

	for (uint32_t i = 0; i < r->m->loss_count; i++) {
		const struct gst_loss *l = &r->m->losses[i];
		bool is_dated = l->since_ns || l->until_ns;
		struct gst_group *g =
			gst_groups_at(&groups, (uint32_t[6]){l->process, l->kind, l->reason});

		g->extra[0] += l->count;
		g->extra[1] += l->count == 0;
		uint64_t begin_ns = is_dated ? l->since_ns : r->m->begin_ns;
		uint64_t end_ns =
			is_dated && l->until_ns < r->m->end_ns ? l->until_ns : r->m->end_ns;

		/* It may begin after all that is there. */
		gst_group_add(
			g, (struct gst_occurrence){.begin_ns = begin_ns,
						   .end_ns = end_ns > begin_ns ? end_ns : begin_ns,
						   .waiter = GST_NONE,
						   .culprit = GST_NONE,
						   .call = GST_NONE});
	}
	for (size_t i = 0; i < groups.v.count; i++) {
		struct gst_group *g = &groups.v.data[i];
		struct what lost = what_was_lost(g->key[1]);
		struct gst_finding f = {.id = "lost-records"};

		f.severity = lost.is_vital ? GST_SEVERITY_MEDIUM : GST_SEVERITY_INFO;
		f.title =
			g->extra[0] && !g->extra[1]
				? gst_check_text(r, "%" PRIu64 " %s were lost", g->extra[0],
						 lost.name)
				: gst_check_text(r, "an unknown number of %s were lost", lost.name);
		if (g->key[2] == GST_LOSS_ENDED_EARLY) {
			f.title = "the trace ends early: its last records are missing";
			lost.weakens =
				"what ran last has no times, and what was submitted or awaited after the end of the trace is not known; what stands before it is";
		}
		f.detail = gst_check_text(r, "%s; %s", gst_loss_words(g->key[2]), lost.weakens);
		f.advice = advice(g->key[2]);
		f.withheld = lost.weakens;
		gst_check_add(r, g, &f);
	}
	gst_groups_release(&groups);
}

void gst_check_lost_records(struct gst_check_run *r)
{
	struct gst_group none = {0};
	struct gst_finding f = {.id = "lost-records", .severity = GST_SEVERITY_MEDIUM};

	report_losses(r);
	if (r->m->loss_count || r->m->is_complete) {
		return;
	}
	if (r->m->stats.ops_without_call) {
		f.title = gst_check_text(
			r, "%" PRIu64 " operation%s cannot be told to belong to a call",
			r->m->stats.ops_without_call, r->m->stats.ops_without_call == 1 ? "" : "s");
		f.detail =
			"their records name no call of the trace that can have submitted them: in which order they were submitted, and what they waited for, is not known";
		f.advice =
			"Record again with the CUPTI of the driver's own CUDA version or a newer one (gstrace doctor says which is used; record --cupti chooses).";
		f.withheld = "orders between streams are missing, and costs may be off";
		none.begin_ns = r->m->begin_ns;
		none.end_ns = r->m->end_ns;
		gst_check_add(r, &none, &f);
		return;
	}
	f.title = "the trace is not complete";
	f.detail =
		"it has no proper end, or a part of the file is damaged; what happened there is not known";
	f.advice =
		"Use what is there with care; if the program was killed, its last device records cannot be had.";
	f.withheld = "work and waits may be missing, above all at the end";
	none.begin_ns = r->m->begin_ns;
	none.end_ns = r->m->end_ns;
	gst_check_add(r, &none, &f);
}
