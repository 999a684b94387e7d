/*
 * describe.c - see describe.h.
 *
 * Role      : exporters differ in form, not in words.
 * Invariant : no switch over our own enums has a default: a new value is found by the compiler.
 * Not here  : escaping (escape.c), numbers (units.c).
 */
#include "analyzer/export/describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/assert.h"
#include "analyzer/export/export_names.h"
#include "analyzer/base/units.h"
#include "tracer/format/schema.h"

static void set(struct gst_label *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void set(struct gst_label *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(l->text, sizeof(l->text), format, args);
	va_end(args);
}

struct gst_label gst_api_label(uint32_t api)
{
	struct gst_label l;

	gst_name_api(api, l.text, sizeof(l.text));
	return l;
}

struct gst_label gst_string_label(const struct gst_model *m, uint32_t id)
{
	struct gst_label l;
	size_t length;
	const char *s = gst_strtab_get(m->strings, id, &length);
	bool is_cut = length >= sizeof(l.text);

	if (is_cut) {
		length = sizeof(l.text) - 1;
	}
	/* A zero byte within would end the label: shown as a byte that is escaped. */
	for (size_t i = 0; i < length; i++) {
		l.text[i] = s[i] ? s[i] : '\x01';
	}
	l.text[length] = '\0';
	if (is_cut) {
		memcpy(l.text + length - 3, "...", 3);
	}
	return l;
}

struct gst_label gst_stream_label(const struct gst_model *m, gst_stream_id stream)
{
	struct gst_label l;

	if (stream == GST_NONE) {
		set(&l, "unknown stream");
		return l;
	}
	return gst_string_label(m, m->streams[stream].name);
}

struct gst_label gst_node_label(const struct gst_analysis *a, gst_node_id node,
				gst_stream_id *stream)
{
	const struct gst_model *m = a->model;
	struct gst_label l, of;
	gst_node_id owner;

	*stream = GST_NONE;
	if (gst_node_is_op(a->order, node)) {
		gst_model_op_label(m, node, l.text, sizeof(l.text));
		*stream = m->ops[node].stream;
		return l;
	}
	if (gst_node_is_call(a->order, node)) {
		gst_call_id call = node - m->op_count;

		*stream = m->calls[call].stream;
		return gst_api_label(m->calls[call].api);
	}
	owner = gst_barrier_owner(a->order, node);
	if (owner == GST_NONE) {
		set(&l, "barrier");
		return l;
	}
	of = gst_node_label(a, owner, stream);
	set(&l, "barrier of %.200s", of.text);
	return l;
}

struct gst_label gst_range_label(const struct gst_model *m, gst_call_id call)
{
	uint32_t range = call == GST_NONE ? GST_NONE : gst_call_range(m, call);
	struct gst_label none = {""};

	return range == GST_NONE ? none : gst_string_label(m, m->ranges[range].name);
}

gst_call_id gst_node_call(const struct gst_analysis *a, gst_node_id node)
{
	if (gst_node_is_op(a->order, node)) {
		return a->model->ops[node].call;
	}
	return gst_node_is_call(a->order, node) ? node - a->model->op_count : GST_NONE;
}

bool gst_edge_target_ns(const struct gst_analysis *a, gst_edge_id e, uint64_t *ns)
{
	const struct gst_edge edge = gst_order_edge(a->order, e);
	const struct gst_model *m = a->model;

	if (gst_node_is_op(a->order, edge.to)) {
		const struct gst_op *op = &m->ops[edge.to];

		if (!(op->flags & GST_OP_TIMED) || op->flags & GST_OP_EARLY_BEGIN) {
			return false;
		}
		*ns = op->begin_ns;
		return true;
	}
	if (gst_node_is_call(a->order, edge.to)) {
		const struct gst_call *call = &m->calls[edge.to - m->op_count];

		if (edge.form == GST_EXIT_ENTER) {
			*ns = call->enter_ns;
			return !(call->flags & GST_CALL_NO_ENTER);
		}
		*ns = call->exit_ns;
		return call->flags & GST_CALL_RETURNED;
	}
	return false;
}

/* Of one call: a hostile trace may have a call for each op, and each waiting for all. */
enum { MAX_VISITED = 10000 };

static bool has_ended(const struct gst_op *op)
{
	return (op->flags & GST_OP_TIMED) && !(op->flags & GST_OP_FORCED);
}

/* Look at the edges into @node, those of barrier points among them, for the op submitted first that has not ended. */
static void earliest_before(const struct gst_analysis *a, gst_node_id node, gst_op_id *earliest,
			    enum gst_rule *rule, uint32_t *visited)
{
	struct gst_edges in = gst_order_in(a->order, node);

	for (uint32_t i = 0; i < in.count && (*visited)++ < MAX_VISITED; i++) {
		const struct gst_edge edge = gst_edges_at(a->order, &in, i);

		if (edge.form != GST_END_BEGIN ||
		    gst_timing_strength(a->timing, edge.id) == GST_DISPROVED) {
			continue;
		}
		if (gst_node_is_barrier(a->order, edge.from)) {
			/* A barrier may stand on an earlier one; ids grow, so this ends. */
			if (edge.from < node || gst_node_is_op(a->order, node)) {
				earliest_before(a, edge.from, earliest, rule, visited);
			}
			continue;
		}
		if (gst_node_is_op(a->order, edge.from) && !has_ended(&a->model->ops[edge.from]) &&
		    edge.from < *earliest) {
			*earliest = edge.from;
			*rule = (enum gst_rule)edge.rule;
		}
	}
}

static void add_rule(struct gst_open_wait *wait, enum gst_rule rule)
{
	for (uint32_t i = 0; i < wait->rule_count; i++) {
		if (wait->rules[i] == rule) {
			return;
		}
	}
	if (wait->rule_count < GST_OPEN_WAIT_RULES) {
		wait->rules[wait->rule_count++] = rule;
	}
}

/* From op to op that has not ended, as long as an earlier one holds it up. */
static void find_origin(const struct gst_analysis *a, struct gst_open_wait *wait, uint32_t *visited)
{
	gst_op_id op = wait->op;

	wait->behind = GST_NONE;
	while (*visited < MAX_VISITED) {
		gst_op_id earliest = op; /* ids are in the order of submission: no circle */
		enum gst_rule rule = wait->rule;

		earliest_before(a, gst_node_of_op(op), &earliest, &rule, visited);
		if (earliest == op) {
			return;
		}
		add_rule(wait, rule);
		wait->behind = op = earliest;
	}
	wait->behind = GST_NONE; /* too far to be sure */
}

uint32_t gst_describe_waits(const struct gst_analysis *a, gst_call_id call, uint32_t max,
			    void (*fn)(void *payload, const struct gst_open_wait *wait),
			    void *payload)
{
	uint32_t found = 0, visited = 0;
	struct gst_edges in = gst_order_in(a->order, gst_node_of_call(a->order, call));

	for (uint32_t i = 0; i < in.count && visited < MAX_VISITED; i++) {
		const struct gst_edge edge = gst_edges_at(a->order, &in, i);
		bool is_barrier = gst_node_is_barrier(a->order, edge.from);
		struct gst_edges through = {.count = 1};

		if (edge.form != GST_END_EXIT) {
			continue;
		}
		if (is_barrier) {
			through = gst_order_in(a->order, edge.from);
		}
		for (uint32_t k = 0; k < through.count && visited++ < MAX_VISITED; k++) {
			gst_node_id from =
				is_barrier ? gst_edges_at(a->order, &through, k).from : edge.from;
			const struct gst_op *op;

			if (!gst_node_is_op(a->order, from)) {
				continue;
			}
			op = &a->model->ops[from];
			/* What ended before the call began holds nothing up. */
			if ((op->flags & GST_OP_TIMED) && !(op->flags & GST_OP_FORCED) &&
			    op->end_ns < a->model->calls[call].enter_ns) {
				continue;
			}
			if (found++ < max) {
				struct gst_open_wait wait = {.op = from,
							     .rule = (enum gst_rule)edge.rule};

				find_origin(a, &wait, &visited);
				fn(payload, &wait);
			}
		}
	}
	return found;
}

struct gst_label gst_process_label(const struct gst_model *m, uint32_t process)
{
	const struct gst_process *p = &m->processes[process];
	struct gst_label name = gst_string_label(m, p->rec.name),
			 exe = gst_string_label(m, p->rec.exe);
	const char *slash = strrchr(exe.text, '/');

	if (exe.text[0]) {
		memmove(exe.text, slash ? slash + 1 : exe.text,
			strlen(slash ? slash + 1 : exe.text) + 1);
		return exe;
	}
	if (!name.text[0]) {
		set(&name, "process");
	}
	return name;
}

struct gst_label gst_uuid_label(uint64_t hi, uint64_t lo)
{
	struct gst_label l;

	if (hi == 0 && lo == 0) {
		l.text[0] = '\0';
	} else {
		set(&l, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
		    hi >> 32, hi >> 16 & 0xffff, hi & 0xffff, lo >> 48,
		    lo & UINT64_C(0xffffffffffff));
	}
	return l;
}

/* ---- limits ------------------------------------------------------------------------------------------- */

struct limits {
	void (*fn)(void *payload, const char *line);
	void *payload;
	const struct gst_analysis *a;
};

static void say(const struct limits *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct limits *l, const char *format, ...)
{
	char line[768];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	l->fn(l->payload, line);
}

/* "3 calls ..." if there are any; @one and @many without the number. */
static void say_count(const struct limits *l, uint64_t n, const char *one, const char *many)
{
	if (n > 0) {
		say(l, "%s %s", gst_count(n).text, n == 1 ? one : many);
	}
}

static void say_loss(const struct limits *l, const struct gst_loss *loss)
{
	const struct gst_schema_record *kind = loss->kind ? gst_schema_find(loss->kind) : NULL;
	char count[64] = "an unknown number of", when[128] = "";

	if (loss->count > 0) {
		snprintf(count, sizeof(count), "%s", gst_count(loss->count).text);
	}
	/* The reader's own words about the file say this already. */
	if (loss->count == 0 &&
	    (loss->reason == GST_LOSS_ENDED_EARLY || loss->reason == GST_LOSS_DAMAGED ||
	     loss->reason == GST_LOSS_REFUSED)) { /* and the tracer's notes the last one */
		return;
	}
	/* 0: it had not ended yet */
	if (loss->until_ns > l->a->model->end_ns || loss->until_ns < loss->since_ns) {
		snprintf(when, sizeof(when), ", from %s on", gst_moment(loss->since_ns).text);
	} else if (loss->since_ns || loss->until_ns) {
		snprintf(when, sizeof(when), ", between %s and %s", gst_moment(loss->since_ns).text,
			 gst_moment(loss->until_ns).text);
	}
	say(l, "lost: %s %s%srecords%s: %s", count, kind ? kind->name : "", kind ? " " : "", when,
	    gst_loss_words(loss->reason));
}

/* What the tracer had to say about what it could not do; what is counted elsewhere is left out. */
static void say_note(const struct limits *l, const struct gst_note *n)
{
	struct gst_label text = gst_string_label(l->a->model, n->text);
	struct gst_number when = gst_moment(n->time_ns);

	switch (n->code) {
	case GST_NOTE_CLOCK_STEP:
	case GST_NOTE_FOLDED:
		break;
	case GST_NOTE_KIND_OFF:
		say(l, "%s records are not in the trace: CUPTI refused them (error %" PRId32 ")",
		    text.text, n->detail);
		break;
	case GST_NOTE_CUPTI_FATAL:
		say(l, "at %s CUPTI gave up (error %" PRId32 "): %s", when.text, n->detail,
		    text.text);
		break;
	case GST_NOTE_WRITE_FAILED:
		say(l, "at %s the trace could not be written any more (errno %" PRId32 ")",
		    when.text, n->detail);
		break;
	case GST_NOTE_FLUSH_HUNG:
	case GST_NOTE_SIZE_LIMIT: {
		/* "what; unit", and the number beside it */
		const char *unit = strrchr(text.text, ';');

		if (unit && unit[1] == ' ') {
			say(l, "at %s: %.*s (%" PRId32 "%s)", when.text, (int)(unit - text.text),
			    text.text, n->detail, unit + 1);
			break;
		}
	}
		/* fall through */
	default: /* a newer tracer's too: the text says it */
		if (text.text[0]) {
			say(l, "at %s: %s", when.text, text.text);
		}
		break;
	}
}

static void say_notes(const struct limits *l)
{
	for (uint32_t i = 0; i < l->a->model->note_count; i++) {
		say_note(l, &l->a->model->notes[i]);
	}
}

bool gst_describe_has_times(const struct gst_model *m, uint32_t process)
{
	if (process != GST_NONE) {
		return !(m->processes[process].trace.options & GST_TRACE_NO_DEVICE);
	}
	for (uint32_t i = 0; i < m->process_count; i++) {
		if (gst_describe_has_times(m, i)) {
			return true;
		}
	}
	return m->process_count == 0;
}

/* The findings that a trace without device times cannot show. */
static void say_untimed(const struct limits *l, bool is_all)
{
	char text[512] = "";
	size_t used = 0;
	uint32_t count;
	const char *const *ids = gst_check_ids(&count);

	for (uint32_t i = 0; i < count; i++) {
		if (gst_check_needs_times(i)) {
			int n = snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
					 ids[i]);
			used += n > 0 && (size_t)n < sizeof(text) - used ? (size_t)n : 0;
		}
	}
	say(l, "findings withheld%s, for they rest on when work ran: %s",
	    is_all ? "" : " of these processes", text);
}

/* Recorded with --mode=order. */
static void say_mode(const struct limits *l)
{
	const struct gst_model *m = l->a->model;
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->process_count; i++) {
		count += !gst_describe_has_times(m, i);
	}
	if (count == 0) {
		return;
	}
	if (count == m->process_count) {
		say(l,
		    "recorded with --mode=order: calls of the driver alone, none of the runtime and no device records; when work ran, and what waits cost, is not known");
	} else {
		say(l,
		    "%s of %s processes recorded with --mode=order: calls of the driver alone, none of the runtime and no device records; when their work ran, and what its waits cost, is not known",
		    gst_count(count).text, gst_count(m->process_count).text);
	}
	say_untimed(l, count == m->process_count);
}

/* Times by the call clock hide a little: calls that are closer than that are as good as overlapping. */
static void say_ambiguous(const struct limits *l, uint64_t count)
{
	uint64_t early_ns = l->a->model->call_early_ns;

	if (early_ns == 0) {
		say_count(l, count,
			  "call overlaps one of another thread so that their order is not known",
			  "calls overlap ones of other threads so that their order is not known");
	} else if (count > 0) {
		say(l,
		    count == 1
			    ? "%s call overlaps one of another thread, or is within %s of it, so that their order is not known"
			    : "%s calls overlap ones of other threads, or are within %s of them, so that their order is not known",
		    gst_count(count).text, gst_duration(early_ns).text);
	}
}

/* Recorded in windows: what lies between them was not to be recorded, and is no idleness. */
static void say_windows(const struct limits *l)
{
	const struct gst_model *m = l->a->model;
	uint64_t ns = 0, count = 0;
	char times[48];

	for (uint32_t i = 0; i < m->gap_count; i++) {
		const struct gst_gap *g = &m->gaps[i];

		/* Before tracers told when a window was closed, its end was that of the file. */
		if (!g->is_unread && g->to_ns != UINT64_MAX && g->from_ns <= g->to_ns) {
			count++;
			ns += g->to_ns - g->from_ns;
		}
	}
	if (count) {
		snprintf(times, sizeof(times), "%s times", gst_count(count).text);
		say(l,
		    "recording was paused %s, for %s in all: what ran then is not in the trace; it is not idle time",
		    count == 1 ? "once" : times, gst_duration(ns).text);
	}
}

static void say_inputs(const struct limits *l)
{
	for (uint32_t i = 0; i < l->a->input_count; i++) {
		const struct gst_load_stats *s = l->a->loads[i];

		for (size_t k = 0; k < s->reason_count; k++) {
			/* What LOSS records say comes in detail from the model. */
			if (s->reasons[k].code == GST_LOAD_LOST_RECORDS) {
				continue;
			}
			if (l->a->input_count > 1) {
				say(l, "%s: %s", l->a->paths[i], s->reasons[k].text);
			} else {
				say(l, "%s", s->reasons[k].text);
			}
		}
	}
}

bool gst_analysis_is_window(const struct gst_analysis *a)
{
	for (uint32_t i = 0; i < a->input_count; i++) {
		if (a->loads[i]->from_ns || a->loads[i]->to_ns) {
			return true;
		}
	}
	return false;
}

/* --from and --to. Times of the loader are of the clock of the first process. */
static void say_window(const struct limits *l)
{
	const struct gst_load_stats *s = l->a->input_count > 0 ? l->a->loads[0] : NULL;
	/* Modulo 2^64, as a clock that begins at 2^63 needs it. */
	uint64_t offset = l->a->model->process_count > 0
				  ? (uint64_t)l->a->model->processes[0].mono_to_model_ns
				  : 0;
	char from[64] = "the begin", to[64] = "the end";

	if (!s || (s->from_ns == 0 && s->to_ns == 0)) {
		return;
	}
	if (s->from_ns) {
		snprintf(from, sizeof(from), "%s", gst_moment(s->from_ns + offset).text);
	}
	if (s->to_ns) {
		snprintf(to, sizeof(to), "%s", gst_moment(s->to_ns + offset).text);
	}
	say(l,
	    "only records around %s to %s were read: what was submitted before or waited for after is not known",
	    from, to);
}

void gst_describe_limits(const struct gst_analysis *a, void (*fn)(void *payload, const char *line),
			 void *payload)
{
	const struct limits l = {fn, payload, a};
	const struct gst_model *m = a->model;
	const struct gst_model_stats *s = &m->stats;
	const struct gst_order_stats *o = gst_order_stats(a->order);
	const gst_node_id *cycle;
	uint32_t length;

	say_window(&l);
	say_mode(&l);
	say_windows(&l);
	say_inputs(&l);
	for (uint32_t i = 0; i < m->loss_count; i++) {
		say_loss(&l, &m->losses[i]);
	}
	say_notes(&l);
	say_count(
		&l, s->unknown_critical,
		"record of an unknown kind that may change order: its thread is judged with reserve",
		"records of unknown kinds that may change order: their threads are judged with reserve");
	if (s->unknown_records > s->unknown_critical) {
		say_count(&l, s->unknown_records - s->unknown_critical,
			  "record of an unknown kind was skipped",
			  "records of unknown kinds were skipped");
	}
	if (gst_analysis_is_window(a)) {
		say_count(&l, s->calls_without_return,
			  "call returned after what was read, or never",
			  "calls returned after what was read, or never");
	} else {
		say_count(&l, s->calls_without_return, "call never returned",
			  "calls never returned");
	}
	say_count(
		&l, s->ops_without_record,
		"operation was submitted but has no device record: it never ran, or its record was lost",
		"operations were submitted but have no device record: they never ran, or their records were lost");
	say_count(
		&l, s->ops_without_call,
		"operation whose call is not in the trace: its order to other streams is not known",
		"operations whose call is not in the trace: their order to other streams is not known");
	say_count(
		&l, s->nodes_without_launch,
		"node of a graph ran in a loop or branch: CUPTI does not tell of which launch it is, nor where in it",
		"nodes of graphs ran in loops or branches: CUPTI does not tell of which launches they are, nor where in them");
	say_count(&l, s->launches_without_nodes,
		  "graph launch has no times of its own: its nodes are among these",
		  "graph launches have no times of their own: their nodes are among these");
	say_count(
		&l, s->misjoined_records,
		"device record names a call that cannot have submitted it, or several calls: it is taken as one without a call",
		"device records name calls that cannot have submitted them, or several calls: they are taken as ones without a call");
	say_count(&l, s->ops_without_stream, "operation's stream is not known",
		  "operations' streams are not known");
	say_count(
		&l, s->early_begins,
		"copy from host to host has its call's time as its begin: it may have waited for its stream and copied later",
		"copies from host to host have their calls' times as begins: they may have waited for their streams and copied later");
	say_count(&l, s->bad_times, "device record has no usable times",
		  "device records have no usable times");
	say_ambiguous(&l, s->ambiguous_calls);
	say_count(&l, o->ambiguous_pairs,
		  "pair of operations has an order that the trace does not prove",
		  "pairs of operations have an order that the trace does not prove");
	say_count(&l, o->unknown_records, "wait is for an event record that is not in the trace",
		  "waits are for event records that are not in the trace");
	say_count(
		&l, s->open_ends,
		"operation is joined with work outside of the trace (external semaphore, graphics, event of another process): how that is ordered is not known",
		"operations are joined with work outside of the trace (external semaphores, graphics, events of other processes): how that is ordered is not known");
	say_count(&l, o->unknown_queue_waits,
		  "call was held up by a full command queue: what made room is not known",
		  "calls were held up by full command queues: what made room is not known");
	say_count(
		&l, o->unmatched_values,
		"wait is for a value in memory of which the trace does not show who writes it: ordered by its stream alone",
		"waits are for values in memory of which the trace does not show who writes them: ordered by their streams alone");
	say_count(&l, s->opaque_ops,
		  "operation is of a kind without ordering rules: ordered by its stream alone",
		  "operations are of kinds without ordering rules: ordered by their streams alone");
	say_count(
		&l, s->opaque_nodes,
		"node of a launched graph is of a kind without ordering rules, or of one that is not told: ordered by its launch alone",
		"nodes of launched graphs are of kinds without ordering rules, or of ones that are not told: ordered by their launches alone");
	say_count(
		&l, s->undefined_nodes,
		"node of a graph ran whose definition is not in the trace: what orders it within its launch is not known",
		"nodes of graphs ran whose definitions are not in the trace: what orders them within their launches is not known");
	say_count(&l, s->undefined_launches,
		  "launch is of a graph of which no node is in the trace",
		  "launches are of graphs of which no node is in the trace");
	say_count(
		&l, s->cut_event_nodes,
		"event node of a launch was left out: there are more than the trace can have meant",
		"event nodes of launches were left out: there are more than the trace can have meant");
	say_count(
		&l, o->unknown_ports,
		"dependency between two kernels of a graph leaves a port that was not seen: it may order less than their ends",
		"dependencies between kernels of graphs leave ports that were not seen: they may order less than their ends");
	say_count(
		&l, o->unknown_iterations,
		"run of a graph has iterations that cannot be told apart: its nodes have no order",
		"runs of graphs have iterations that cannot be told apart: their nodes have no order");
	say_count(
		&l, o->cut_graphs,
		"run of a graph has dependencies that go in a circle, or more than the trace is worth: they were not followed",
		"runs of graphs have dependencies that go in a circle, or more than the trace is worth: they were not followed");
	say_count(&l, s->nvtx_lone_ends, "end of an NVTX range has no beginning in what was read",
		  "ends of NVTX ranges have no beginnings in what was read");
	say_count(
		&l, s->nvtx_names_unused,
		"NVTX name is for a thread or stream that is not in the trace, or for a handle that several streams had",
		"NVTX names are for threads or streams that are not in the trace, or for handles that several streams had");
	say_count(&l, s->clock_steps, "step of the wall clock: times around it are uncertain",
		  "steps of the wall clock: times around them are uncertain");
	length = gst_order_cycle(a->order, &cycle);
	if (length > 0) {
		say(&l,
		    "the trace contradicts itself: %s operations wait for each other in a circle; nothing is concluded about them",
		    gst_count(length).text);
	}
}
