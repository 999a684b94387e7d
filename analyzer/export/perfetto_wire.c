/*
 * perfetto_wire.c - wire bytes of a Perfetto trace to slices, with every rule checked on the way.
 *
 * Role      : holds the exporter to docs/PERFETTO.md in tests.
 * Method    : one table of the fields that may occur, by message; a recursive descent over
 *             (field, wire type, value); then events are sorted by time, as viewers do, and joined.
 * Invariant : the first fault stops all.
 * Not here  : whether it is the right trace of a model (perfetto_wire_test.c).
 */
#include "analyzer/export/perfetto_wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "analyzer/base/map.h"
#include "analyzer/base/sort.h"
#include "analyzer/export/escape.h"

enum wire_type { VARINT = 0, FIXED64 = 1, BYTES = 2 };

/* The messages that may occur. M_TEXT: valid UTF-8; M_RAW: any bytes; M_NUMBER: not a message. */
enum message {
	M_NUMBER,
	M_TEXT,
	M_RAW,
	M_PACKET,
	M_PROCESS_TREE,
	M_PROCESS,
	M_SNAPSHOT,
	M_CLOCK,
	M_EVENT,
	M_NOTE,
	M_CORRELATION,
	M_INTERNED,
	M_ENTRY,
	M_CONTEXT,
	M_SPECIFICATION,
	M_KERNEL,
	M_STAGE,
	M_LAUNCH,
	M_DIM,
	M_ARGUMENT,
	M_DEFAULTS,
	M_TRACK,
	M_TRACK_PROCESS,
	M_TRACK_THREAD,
	M_UUID,
	M_ATTRIBUTES,
	M_ATTRIBUTE,
	M_GPUS,
	M_GPU,
	M_PAIR,
	M_COUNT,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Grouped by message. */

static const struct field {
	uint8_t in, type, is;
	uint32_t number;
} fields[] = {
	{M_PACKET, BYTES, M_PROCESS_TREE, 2},
	{M_PACKET, BYTES, M_SNAPSHOT, 6},
	{M_PACKET, VARINT, M_NUMBER, 8},
	{M_PACKET, VARINT, M_NUMBER, 10},
	{M_PACKET, BYTES, M_EVENT, 11},
	{M_PACKET, BYTES, M_INTERNED, 12},
	{M_PACKET, VARINT, M_NUMBER, 13},
	{M_PACKET, BYTES, M_RAW, 50},
	{M_PACKET, BYTES, M_STAGE, 53},
	{M_PACKET, BYTES, M_DEFAULTS, 59},
	{M_PACKET, BYTES, M_TRACK, 60},
	{M_PACKET, VARINT, M_NUMBER, 87},
	{M_PACKET, BYTES, M_UUID, 89},
	{M_PACKET, BYTES, M_ATTRIBUTES, 126},
	{M_PACKET, BYTES, M_GPUS, 128},
	{M_PROCESS_TREE, BYTES, M_PROCESS, 1},
	{M_PROCESS, VARINT, M_NUMBER, 1},
	{M_PROCESS, VARINT, M_NUMBER, 2},
	{M_PROCESS, BYTES, M_TEXT, 3},
	{M_SNAPSHOT, BYTES, M_CLOCK, 1},
	{M_CLOCK, VARINT, M_NUMBER, 1},
	{M_CLOCK, VARINT, M_NUMBER, 2},
	{M_EVENT, VARINT, M_NUMBER, 3},
	{M_EVENT, BYTES, M_NOTE, 4},
	{M_EVENT, VARINT, M_NUMBER, 9},
	{M_EVENT, VARINT, M_NUMBER, 10},
	{M_EVENT, VARINT, M_NUMBER, 11},
	{M_EVENT, FIXED64, M_NUMBER, 47},
	{M_EVENT, FIXED64, M_NUMBER, 48},
	{M_EVENT, BYTES, M_CORRELATION, 3000},
	{M_EVENT, VARINT, M_NUMBER, 3001},
	{M_NOTE, VARINT, M_NUMBER, 1},
	{M_NOTE, VARINT, M_NUMBER, 3},
	{M_NOTE, VARINT, M_NUMBER, 4},
	{M_NOTE, BYTES, M_TEXT, 6},
	{M_NOTE, VARINT, M_NUMBER, 17},
	{M_CORRELATION, VARINT, M_NUMBER, 1},
	{M_CORRELATION, VARINT, M_NUMBER, 2},
	{M_INTERNED, BYTES, M_ENTRY, 1},
	{M_INTERNED, BYTES, M_ENTRY, 2},
	{M_INTERNED, BYTES, M_ENTRY, 3},
	{M_INTERNED, BYTES, M_CONTEXT, 23},
	{M_INTERNED, BYTES, M_SPECIFICATION, 24},
	{M_INTERNED, BYTES, M_ENTRY, 29},
	{M_INTERNED, BYTES, M_KERNEL, 1000},
	{M_INTERNED, BYTES, M_ENTRY, 1001},
	{M_ENTRY, VARINT, M_NUMBER, 1},
	{M_ENTRY, BYTES, M_TEXT, 2},
	{M_CONTEXT, VARINT, M_NUMBER, 1},
	{M_CONTEXT, VARINT, M_NUMBER, 2},
	{M_CONTEXT, VARINT, M_NUMBER, 3},
	{M_SPECIFICATION, VARINT, M_NUMBER, 1},
	{M_SPECIFICATION, BYTES, M_TEXT, 2},
	{M_SPECIFICATION, BYTES, M_TEXT, 3},
	{M_SPECIFICATION, VARINT, M_NUMBER, 4},
	{M_KERNEL, VARINT, M_NUMBER, 1},
	{M_KERNEL, BYTES, M_TEXT, 2},
	{M_KERNEL, BYTES, M_TEXT, 3},
	{M_STAGE, VARINT, M_NUMBER, 1},
	{M_STAGE, VARINT, M_NUMBER, 2},
	{M_STAGE, VARINT, M_NUMBER, 5},
	{M_STAGE, VARINT, M_NUMBER, 10},
	{M_STAGE, VARINT, M_NUMBER, 11},
	{M_STAGE, VARINT, M_NUMBER, 13},
	{M_STAGE, VARINT, M_NUMBER, 14},
	{M_STAGE, VARINT, M_NUMBER, 18},
	{M_STAGE, VARINT, M_NUMBER, 19},
	{M_STAGE, BYTES, M_LAUNCH, 21},
	{M_LAUNCH, BYTES, M_DIM, 1},
	{M_LAUNCH, BYTES, M_DIM, 2},
	{M_LAUNCH, BYTES, M_ARGUMENT, 3},
	{M_DIM, VARINT, M_NUMBER, 1},
	{M_DIM, VARINT, M_NUMBER, 2},
	{M_DIM, VARINT, M_NUMBER, 3},
	{M_ARGUMENT, VARINT, M_NUMBER, 1},
	{M_ARGUMENT, VARINT, M_NUMBER, 3},
	{M_ARGUMENT, VARINT, M_NUMBER, 7},
	{M_DEFAULTS, VARINT, M_NUMBER, 58},
	{M_TRACK, VARINT, M_NUMBER, 1},
	{M_TRACK, BYTES, M_TEXT, 2},
	{M_TRACK, BYTES, M_TRACK_PROCESS, 3},
	{M_TRACK, BYTES, M_TRACK_THREAD, 4},
	{M_TRACK, VARINT, M_NUMBER, 5},
	{M_TRACK, VARINT, M_NUMBER, 11},
	{M_TRACK, VARINT, M_NUMBER, 12},
	{M_TRACK, BYTES, M_TEXT, 14},
	{M_TRACK, VARINT, M_NUMBER, 15},
	{M_TRACK_PROCESS, VARINT, M_NUMBER, 1},
	{M_TRACK_PROCESS, BYTES, M_TEXT, 6},
	{M_TRACK_THREAD, VARINT, M_NUMBER, 1},
	{M_TRACK_THREAD, VARINT, M_NUMBER, 2},
	{M_TRACK_THREAD, BYTES, M_TEXT, 5},
	{M_UUID, VARINT, M_NUMBER, 1},
	{M_UUID, VARINT, M_NUMBER, 2},
	{M_ATTRIBUTES, BYTES, M_ATTRIBUTE, 1},
	{M_ATTRIBUTE, BYTES, M_TEXT, 1},
	{M_ATTRIBUTE, VARINT, M_NUMBER, 2},
	{M_ATTRIBUTE, BYTES, M_TEXT, 3},
	{M_GPUS, BYTES, M_GPU, 1},
	{M_GPU, BYTES, M_TEXT, 1},
	{M_GPU, BYTES, M_TEXT, 2},
	{M_GPU, BYTES, M_TEXT, 4},
	{M_GPU, BYTES, M_RAW, 5},
	{M_GPU, BYTES, M_PAIR, 6},
	{M_GPU, BYTES, M_TEXT, 7},
	{M_PAIR, BYTES, M_TEXT, 1},
	{M_PAIR, BYTES, M_TEXT, 2},
};

/* Spaces of interned numbers: fields of InternedData. */
enum space {
	S_CATEGORY,
	S_NAME,
	S_NOTE,
	S_CONTEXT,
	S_SPECIFICATION,
	S_STRING,
	S_KERNEL,
	S_ARGUMENT,
	S_COUNT
};

struct event {
	uint64_t ts;
	size_t packet;
	int type;
	bool has_name, has_category, is_api;
	struct wire_slice slice; /* what a BEGIN or INSTANT gives */
	struct wire_ids waits;
};

struct reader {
	struct wire_trace *t;
	struct gst_map interned[S_COUNT];
	struct gst_map uuids, event_ids;
	uint64_t note_op, note_waiter, note_correlation, note_incomplete, note_wait_kind;
	uint64_t note_range, category_nvtx;
	uint64_t arg_op, arg_stream, arg_device, arg_wait_kind;
	size_t first_field[M_COUNT];
	bool has_state;
	GST_VEC(struct event) events;
	size_t packet; /* number of the packet being read, for messages */
};

struct cursor {
	const uint8_t *p, *end;
};

static bool fail(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct reader *r, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (r->t->error[0]) {
		return false;
	}
	n = snprintf(r->t->error, sizeof(r->t->error), "packet %zu: ", r->packet);
	va_start(ap, fmt);
	vsnprintf(r->t->error + n, sizeof(r->t->error) - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

static bool varint(struct cursor *c, uint64_t *value)
{
	*value = 0;
	for (unsigned int shift = 0; c->p < c->end && shift < 70; shift += 7) {
		uint8_t b = *c->p++;

		*value |= shift < 64 ? (uint64_t)(b & 0x7f) << shift : 0;
		if (!(b & 0x80)) {
			return true;
		}
	}
	return false;
}

struct item {
	uint32_t number;
	uint8_t is; /* enum message */
	uint64_t value;
	struct cursor body;
};

/* 1: *item is the next field; 0: end; -1: fault. */
static int next(struct reader *r, enum message in, struct cursor *c, struct item *item)
{
	uint64_t tag, length;
	const struct field *f = NULL;

	if (c->p == c->end) {
		return 0;
	}
	if (!varint(c, &tag)) {
		fail(r, "cut in a tag");
		return -1;
	}
	for (size_t i = r->first_field[in]; i < COUNT(fields) && fields[i].in == in; i++) {
		if (fields[i].number == tag >> 3) {
			f = &fields[i];
			break;
		}
	}
	if (!f) {
		fail(r, "field %" PRIu64 " in message %d is none we write", tag >> 3, in);
		return -1;
	}
	if (f->type != (tag & 7)) {
		fail(r, "field %" PRIu32 " in message %d has wire type %d, not %d%s", f->number, in,
		     (int)(tag & 7), f->type, (tag & 7) == BYTES ? ": packed?" : "");
		return -1;
	}
	item->number = f->number;
	item->is = f->is;
	if (f->type == VARINT) {
		if (!varint(c, &item->value)) {
			fail(r, "cut in a number");
			return -1;
		}
		return 1;
	}
	length = 8;
	if (f->type == BYTES && !varint(c, &length)) {
		length = UINT64_MAX;
	}
	if (length > (uint64_t)(c->end - c->p)) {
		fail(r, "field %" PRIu32 " of message %d is cut", f->number, in);
		return -1;
	}
	item->body = (struct cursor){c->p, c->p + length};
	item->value = 0;
	if (f->type == FIXED64) {
		for (unsigned int i = 0; i < 8; i++) {
			item->value |= (uint64_t)c->p[i] << (8 * i);
		}
	}
	if (f->is == M_TEXT) {
		for (const uint8_t *p = c->p; p < c->p + length;) {
			uint32_t code;
			size_t n = gst_utf8_decode((const char *)p, (size_t)(c->p + length - p),
						   &code);

			if (!n || !code) {
				fail(r,
				     "text in field %" PRIu32 " of message %d is not clean UTF-8",
				     f->number, in);
				return -1;
			}
			p += n;
		}
	}
	c->p += length;
	return 1;
}

static char *text_of(struct cursor c)
{
	size_t n = (size_t)(c.end - c.p);
	char *text = gst_mem_alloc(n + 1);

	memcpy(text, c.p, n);
	return text;
}

static void free_text(char *text)
{
	if (text) {
		gst_mem_free(text, strlen(text) + 1);
	}
}

static bool is_text(struct cursor c, const char *text)
{
	return (size_t)(c.end - c.p) == strlen(text) && memcmp(c.p, text, strlen(text)) == 0;
}

static bool defined(struct reader *r, enum space space, uint64_t iid, const char *what)
{
	if (!gst_map_get(&r->interned[space], iid, NULL)) {
		return fail(r, "%s %" PRIu64 " is used before it is defined", what, iid);
	}
	return true;
}

static bool read_entry(struct reader *r, enum message in, enum space space, struct cursor c)
{
	struct item it;
	uint64_t iid = 0;
	struct cursor name = {NULL, NULL};
	bool is_new;
	int got;

	while ((got = next(r, in, &c, &it)) > 0) {
		if (it.number == 1) {
			iid = it.value;
		} else if (it.number == 2 && it.is == M_TEXT) {
			name = it.body;
		}
	}
	if (got < 0) {
		return false;
	}
	if (!iid) {
		return fail(r, "interned number 0");
	}
	if (space == S_CONTEXT && iid > UINT32_MAX) {
		return fail(r, "context %" PRIu64 " does not fit 32 bits", iid);
	}
	gst_map_add(&r->interned[space], iid, 0, &is_new);
	if (!is_new) {
		return fail(r, "number %" PRIu64 " of space %d is defined twice", iid, space);
	}
	if (space == S_NOTE || space == S_ARGUMENT || space == S_CATEGORY) {
		const struct {
			enum space space;
			const char *name;
			uint64_t *iid;
		} wanted[] = {
			{S_NOTE, "op", &r->note_op},
			{S_NOTE, "waiter_op", &r->note_waiter},
			{S_NOTE, "correlation", &r->note_correlation},
			{S_NOTE, "incomplete", &r->note_incomplete},
			{S_NOTE, "wait_kind", &r->note_wait_kind},
			{S_NOTE, "nvtx_range", &r->note_range},
			{S_CATEGORY, "nvtx", &r->category_nvtx},
			{S_ARGUMENT, "op", &r->arg_op},
			{S_ARGUMENT, "stream", &r->arg_stream},
			{S_ARGUMENT, "device", &r->arg_device},
			{S_ARGUMENT, "wait_kind", &r->arg_wait_kind},
		};

		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
			if (wanted[i].space == space && is_text(name, wanted[i].name)) {
				*wanted[i].iid = iid;
			}
		}
	}
	return true;
}

static bool read_interned(struct reader *r, struct cursor c)
{
	static const struct {
		uint32_t number;
		enum space space;
	} spaces[] = {{1, S_CATEGORY},	     {2, S_NAME},    {3, S_NOTE},      {23, S_CONTEXT},
		      {24, S_SPECIFICATION}, {29, S_STRING}, {1000, S_KERNEL}, {1001, S_ARGUMENT}};
	struct item it;
	int got;

	while ((got = next(r, M_INTERNED, &c, &it)) > 0) {
		for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
			if (spaces[i].number == it.number &&
			    !read_entry(r, it.is, spaces[i].space, it.body)) {
				return false;
			}
		}
	}
	return got == 0;
}

static bool read_note(struct reader *r, struct event *e, struct cursor c)
{
	struct item it;
	uint64_t name = 0, value = WIRE_NONE, string = 0;
	int got;

	while ((got = next(r, M_NOTE, &c, &it)) > 0) {
		if (it.number == 1) {
			name = it.value;
		} else if (it.number == 17) {
			string = it.value;
		} else if (it.is == M_NUMBER) {
			value = it.value;
		}
	}
	if (got < 0 || !defined(r, S_NOTE, name, "argument name") ||
	    (string && !defined(r, S_STRING, string, "string"))) {
		return false;
	}
	if (name == r->note_op) {
		e->slice.op = value;
	} else if (name == r->note_waiter) {
		e->slice.waiter = value;
	} else if (name == r->note_correlation) {
		e->slice.correlation = value;
	} else if (name == r->note_range) {
		e->slice.range = string;
	} else if (name == r->note_incomplete) {
		e->slice.is_incomplete = value == 1;
	} else if (name == r->note_wait_kind) {
		e->slice.has_wait_kind = string != 0;
	}
	return true;
}

static bool read_event(struct reader *r, uint64_t ts, struct cursor c)
{
	struct event *e;
	struct item it;
	int got;

	/* In the list at once: what it holds is given back with it, whatever follows. */
	gst_vec_push(&r->events, ((struct event){.ts = ts, .packet = r->packet}));
	e = &r->events.data[r->events.count - 1];
	e->slice.op = e->slice.waiter = e->slice.correlation = WIRE_NONE;
	while ((got = next(r, M_EVENT, &c, &it)) > 0) {
		switch (it.number) {
		case 3:
			e->has_category = true;
			e->slice.is_nvtx = it.value == r->category_nvtx;
			if (!defined(r, S_CATEGORY, it.value, "category")) {
				return false;
			}
			break;
		case 4:
			if (!read_note(r, e, it.body)) {
				return false;
			}
			break;
		case 9:
			e->type = (int)it.value;
			break;
		case 10:
			e->has_name = true;
			e->slice.name = it.value;
			if (!defined(r, S_NAME, it.value, "event name")) {
				return false;
			}
			break;
		case 11:
			e->slice.track = it.value;
			break;
		case 47:
			gst_vec_push(&e->slice.flows_out, it.value);
			break;
		case 48:
			gst_vec_push(&e->slice.flows_in, it.value);
			break;
		case 3000: {
			struct item id;

			while ((got = next(r, M_CORRELATION, &it.body, &id)) > 0) {
				if (id.number == 1) {
					gst_vec_push(&e->slice.submissions, id.value);
				} else {
					gst_vec_push(&e->waits, id.value);
				}
			}
			if (got < 0) {
				return false;
			}
			break;
		}
		case 3001:
			e->is_api = true;
			break;
		default:
			break;
		}
	}
	if (got < 0) {
		return false;
	}
	if (!e->slice.track) {
		return fail(r, "event without a track");
	}
	if (e->type == 1 || e->type == 3) {
		if (!e->has_name) {
			return fail(r, "slice without a name");
		}
		if (e->waits.count) {
			return fail(r, "waits stand on the begin of a slice");
		}
	} else if (e->type == 2) {
		if (e->has_name || e->has_category) {
			return fail(r, "end of a slice with a name or category");
		}
		if (e->slice.submissions.count || e->slice.flows_in.count ||
		    e->slice.flows_out.count) {
			return fail(r, "end of a slice with launches or flows");
		}
	} else {
		return fail(r, "event of type %d", e->type);
	}
	if (e->slice.submissions.count && !e->is_api) {
		return fail(r, "launches stand on a slice that is no API call");
	}
	return true;
}

static bool read_launch(struct reader *r, struct wire_stage *s, struct cursor c)
{
	struct item it, arg;
	int got, inner;

	while ((got = next(r, M_LAUNCH, &c, &it)) > 0) {
		uint64_t name = 0, value = WIRE_NONE, string = 0;

		while ((inner = next(r, it.is, &it.body, &arg)) > 0) {
			if (it.is != M_ARGUMENT) {
				continue;
			}
			if (arg.number == 1) {
				name = arg.value;
			} else if (arg.number == 7) {
				string = arg.value;
			} else {
				value = arg.value;
			}
		}
		if (inner < 0) {
			return false;
		}
		if (it.is != M_ARGUMENT) {
			continue;
		}
		if (!defined(r, S_ARGUMENT, name, "launch argument") ||
		    (string && !defined(r, S_STRING, string, "string"))) {
			return false;
		}
		if (name == r->arg_op) {
			s->arg_op = value;
		} else if (name == r->arg_stream) {
			s->arg_stream = value;
		} else if (name == r->arg_device) {
			s->arg_device = value;
		} else if (name == r->arg_wait_kind) {
			s->has_wait_kind = string != 0;
		}
	}
	return got == 0;
}

static bool read_stage(struct reader *r, uint64_t ts, struct cursor c)
{
	struct wire_stage s = {.event = WIRE_NONE,
			       .duration_ns = WIRE_NONE,
			       .begin_ns = ts,
			       .submission = WIRE_NONE,
			       .arg_op = WIRE_NONE,
			       .arg_stream = WIRE_NONE,
			       .arg_device = WIRE_NONE};
	struct item it;
	uint64_t kernel = 0;
	bool is_new, ok = true;
	int got;

	while (ok && (got = next(r, M_STAGE, &c, &it)) > 0) {
		switch (it.number) {
		case 1:
			s.event = it.value;
			break;
		case 2:
			s.duration_ns = it.value;
			break;
		case 5:
			s.context = it.value;
			break;
		case 10:
			s.submission = it.value;
			break;
		case 13:
			s.queue = it.value;
			break;
		case 14:
			s.stage = it.value;
			break;
		case 18:
			gst_vec_push(&s.waits, it.value);
			break;
		case 19:
			kernel = it.value;
			break;
		case 21:
			ok = read_launch(r, &s, it.body);
			break;
		default:
			break;
		}
	}
	gst_vec_push(&r->t->stages, s);
	if (!ok || got < 0) {
		return false;
	}
	if (s.event == WIRE_NONE || s.duration_ns == WIRE_NONE) {
		return fail(r, "GPU work without event id or duration");
	}
	gst_map_add(&r->event_ids, s.event, 0, &is_new);
	if (!is_new) {
		return fail(r, "event id %" PRIu64 " is used twice", s.event);
	}
	return defined(r, S_CONTEXT, s.context, "context") &&
	       defined(r, S_SPECIFICATION, s.queue, "queue") &&
	       defined(r, S_SPECIFICATION, s.stage, "stage") &&
	       (!kernel || defined(r, S_KERNEL, kernel, "kernel"));
}

static bool read_track(struct reader *r, struct cursor c)
{
	struct wire_track track = {.pid = -1, .tid = -1};
	struct item it, inner;
	bool is_new;
	int got, got_inner = 0;

	while (got_inner >= 0 && (got = next(r, M_TRACK, &c, &it)) > 0) {
		switch (it.number) {
		case 1:
			track.uuid = it.value;
			break;
		case 2:
			free_text(track.name);
			track.name = text_of(it.body);
			break;
		case 3:
		case 4:
			track.is_process = it.number == 3;
			while ((got_inner = next(r, it.is, &it.body, &inner)) > 0) {
				if (inner.is == M_TEXT) {
					free_text(track.name);
					track.name = text_of(inner.body);
				} else if (inner.number == 1) {
					track.pid = (int64_t)inner.value;
				} else {
					track.tid = (int64_t)inner.value;
				}
			}
			break;
		case 5:
			track.parent = it.value;
			break;
		default:
			break;
		}
	}
	gst_vec_push(&r->t->tracks, track);
	if (got < 0 || got_inner < 0) {
		return false;
	}
	if (!track.uuid || !track.name) {
		return fail(r, "track without uuid or name");
	}
	gst_map_add(&r->uuids, track.uuid, (uint32_t)r->t->tracks.count - 1, &is_new);
	return is_new || fail(r, "track %" PRIu64 " is described twice", track.uuid);
}

static bool read_snapshot(struct reader *r, struct cursor c)
{
	struct item it, inner;
	int got, got_inner;

	if (r->t->snapshots++) {
		return fail(r, "a second clock snapshot");
	}
	while ((got = next(r, M_SNAPSHOT, &c, &it)) > 0) {
		uint64_t id = 0, ns = WIRE_NONE;

		while ((got_inner = next(r, M_CLOCK, &it.body, &inner)) > 0) {
			if (inner.number == 1) {
				id = inner.value;
			} else {
				ns = inner.value;
			}
		}
		if (got_inner < 0) {
			return false;
		}
		if (id >= sizeof(r->t->clocks) / sizeof(r->t->clocks[0]) || ns == WIRE_NONE) {
			return fail(r, "clock %" PRIu64 " in the snapshot", id);
		}
		r->t->clocks[id] = ns;
	}
	if (got < 0) {
		return false;
	}
	if (r->t->clocks[6] == WIRE_NONE || r->t->clocks[3] == WIRE_NONE ||
	    r->t->clocks[1] == WIRE_NONE) {
		return fail(r, "the snapshot lacks one of the clocks 6, 3 and 1");
	}
	return true;
}

static bool read_attributes(struct reader *r, struct cursor c)
{
	struct item it, inner;
	int got, got_inner = 0;

	while (got_inner >= 0 && (got = next(r, M_ATTRIBUTES, &c, &it)) > 0) {
		struct wire_attribute a = {.value = -1};

		while ((got_inner = next(r, M_ATTRIBUTE, &it.body, &inner)) > 0) {
			if (inner.number == 1) {
				a.key = text_of(inner.body);
			} else if (inner.number == 2) {
				a.value = (int64_t)inner.value;
			} else {
				a.text = text_of(inner.body);
			}
		}
		gst_vec_push(&r->t->attributes, a);
		if (!a.key) {
			return fail(r, "attribute without a key");
		}
	}
	return got == 0;
}

/* Messages whose fields are only walked. */
static bool walk(struct reader *r, enum message in, struct cursor c)
{
	struct item it;
	int got;

	while ((got = next(r, in, &c, &it)) > 0) {
		if (in == M_GPUS) {
			r->t->gpus++;
		}
		if (it.is > M_RAW && !walk(r, it.is, it.body)) {
			return false;
		}
	}
	return got == 0;
}

static bool read_file(struct reader *r, struct cursor c, bool is_inside);

static bool read_compressed(struct reader *r, struct cursor c, bool is_inside)
{
	size_t room = (size_t)1 << 20;
	uint8_t *bytes = gst_mem_alloc(room);
	uLongf length = room;
	bool ok;

	if (c.end - c.p > 512 << 10) {
		fail(r, "compressed packet of %td bytes", c.end - c.p);
	}
	if (is_inside || uncompress(bytes, &length, c.p, (uLong)(c.end - c.p)) != Z_OK) {
		fail(r, "compressed packets: nested, too long, or not a zlib stream");
	}
	r->t->compressed_packets++;
	ok = !r->t->error[0] && read_file(r, (struct cursor){bytes, bytes + length}, true);
	gst_mem_free(bytes, room);
	return ok;
}

static bool read_packet(struct reader *r, struct cursor c, bool is_inside)
{
	struct item it, found = {0};
	uint64_t ts = WIRE_NONE, sequence = 0, flags = 0;
	bool first = false, has_data = false;
	struct cursor interned = {NULL, NULL}, defaults = {NULL, NULL};
	int got;

	while ((got = next(r, M_PACKET, &c, &it)) > 0) {
		switch (it.number) {
		case 8:
			ts = it.value;
			break;
		case 10:
			sequence = it.value;
			break;
		case 12:
			interned = it.body;
			break;
		case 13:
			flags = it.value;
			break;
		case 59:
			defaults = it.body;
			break;
		case 87:
			first = it.value;
			break;
		default:
			/* One of several: a later one would replace it. */
			if (has_data) {
				return fail(r, "packet with two payloads");
			}
			has_data = true;
			found = it;
			break;
		}
	}
	if (got < 0) {
		return false;
	}
	if (has_data && found.number == 50) {
		return read_compressed(r, found.body, is_inside);
	}
	r->t->packets++;
	if (sequence == 1) {
		if (r->has_state ? flags != 2 || first || defaults.p
				 : flags != 1 || !first || !defaults.p) {
			return fail(r, "sequence 1: flags %" PRIu64 " where state is %s", flags,
				    r->has_state ? "there" : "not there yet");
		}
		r->has_state = true;
	} else if (sequence != 2 || flags || !has_data || found.number != 60) {
		return fail(r, "sequence %" PRIu64 " with flags %" PRIu64 " and field %" PRIu32,
			    sequence, flags, found.number);
	}
	if (interned.p && !read_interned(r, interned)) {
		return false;
	}
	if (defaults.p && (next(r, M_DEFAULTS, &defaults, &it) != 1 || it.value != 3)) {
		return fail(r, "the default clock is not 3");
	}
	if (!has_data) {
		return interned.p || fail(r, "empty packet");
	}
	if (found.number == 11 || found.number == 53) {
		if (ts == WIRE_NONE || ts > INT64_MAX) {
			return fail(r, "event without a usable time");
		}
		if (!r->t->snapshots) {
			return fail(r, "event before the clock snapshot");
		}
	}
	switch (found.number) {
	case 6:
		return read_snapshot(r, found.body);
	case 11:
		return read_event(r, ts, found.body);
	case 53:
		return read_stage(r, ts, found.body);
	case 60:
		return sequence == 2 ? read_track(r, found.body)
				     : fail(r, "track descriptor on sequence 1");
	case 126:
		return read_attributes(r, found.body);
	default:
		return walk(r, found.is, found.body);
	}
}

static bool read_file(struct reader *r, struct cursor c, bool is_inside)
{
	while (c.p < c.end) {
		uint64_t length;

		r->packet++;
		if (*c.p++ != 0x0a || !varint(&c, &length) || length > (uint64_t)(c.end - c.p)) {
			return fail(r, "not framed as a packet");
		}
		if (length > 512 << 10) {
			return fail(r, "packet of %" PRIu64 " bytes", length);
		}
		if (!read_packet(r, (struct cursor){c.p, c.p + length}, is_inside)) {
			return false;
		}
		c.p += length;
	}
	return true;
}

/* Events by time, then place in the file, as viewers sort them: each END closes the open slice of its track. */
static bool join(struct reader *r)
{
	struct wire_trace *t = r->t;
	GST_VEC(struct gst_sort_item) order = {0};
	struct gst_map open = {0}, flows = {0};
	GST_VEC(uint8_t) flow_seen = {0};
	size_t open_count = 0;
	bool ok = true;

	for (size_t i = 0; i < r->events.count; i++) {
		gst_vec_push(&order, ((struct gst_sort_item){.key = r->events.data[i].ts,
							     .value = (uint32_t)i}));
	}
	gst_sort_items(order.data, order.count);
	for (size_t i = 0; ok && i < order.count; i++) {
		struct event *e = &r->events.data[order.data[i].value];
		struct wire_slice *s = &e->slice;
		uint32_t slot, number;

		r->packet = e->packet;
		if (!gst_map_get(&r->uuids, s->track, NULL)) {
			ok = fail(r, "track %" PRIu64 " is not described", s->track);
			break;
		}
		for (size_t k = 0; ok && k < s->flows_out.count; k++) {
			bool is_new;

			number = *gst_map_add(&flows, s->flows_out.data[k],
					      (uint32_t)flow_seen.count, &is_new);
			if (!is_new) {
				ok = fail(r, "flow %" PRIu64 " starts twice", s->flows_out.data[k]);
				break;
			}
			gst_vec_push(&flow_seen, 0);
		}
		for (size_t k = 0; ok && k < s->flows_in.count; k++) {
			if (!gst_map_get(&flows, s->flows_in.data[k], &number) ||
			    flow_seen.data[number]++) {
				ok = fail(r, "flow %" PRIu64 " ends before it starts, or twice",
					  s->flows_in.data[k]);
			}
		}
		if (!ok) {
			break;
		}
		s->is_api = e->is_api;
		s->begin_ns = s->end_ns = e->ts;
		s->begin_packet = s->end_packet = e->packet;
		s->is_instant = e->type == 3;
		if (!gst_map_get(&open, s->track, &slot)) {
			slot = UINT32_MAX;
		}
		s->within = slot == UINT32_MAX ? WIRE_NONE : slot;
		if (e->type == 3) {
			if (slot == UINT32_MAX && !s->is_nvtx) {
				ok = fail(r, "instant outside of a slice");
			}
			gst_vec_push(&t->slices, *s);
			*s = (struct wire_slice){0};
		} else if (e->type == 1) {
			if (slot != UINT32_MAX && !t->slices.data[slot].is_nvtx) {
				ok = fail(r, "two slices overlap on track %" PRIu64, s->track);
				break;
			}
			gst_map_put(&open, s->track, (uint32_t)t->slices.count);
			open_count++;
			gst_vec_push(&t->slices, *s);
			*s = (struct wire_slice){0};
		} else {
			if (slot == UINT32_MAX) {
				ok = fail(r, "end without begin on track %" PRIu64, s->track);
				break;
			}
			/* What it stands within is open again. */
			if (t->slices.data[slot].within == WIRE_NONE) {
				gst_map_remove(&open, s->track);
			} else {
				gst_map_put(&open, s->track, (uint32_t)t->slices.data[slot].within);
			}
			open_count--;
			t->slices.data[slot].end_ns = e->ts;
			t->slices.data[slot].end_packet = e->packet;
			t->slices.data[slot].waits = e->waits;
			e->waits = (struct wire_ids){0};
		}
	}
	if (ok && open_count) {
		ok = fail(r, "%zu slices are never closed", open_count);
	}
	for (size_t i = 0; ok && i < flow_seen.count; i++) {
		if (!flow_seen.data[i]) {
			ok = fail(r, "a flow has no end");
		}
	}
	gst_map_release(&open);
	gst_map_release(&flows);
	gst_vec_free(&flow_seen);
	gst_vec_free(&order);
	return ok;
}

static bool check_references(struct reader *r)
{
	struct wire_trace *t = r->t;
	struct gst_map launched = {0};
	bool ok = t->snapshots == 1 || fail(r, "no clock snapshot");

	for (size_t i = 0; ok && i < t->tracks.count; i++) {
		const struct wire_track *track = &t->tracks.data[i];

		if (track->parent && !gst_map_get(&r->uuids, track->parent, NULL)) {
			ok = fail(r, "track %" PRIu64 " has a parent that is none", track->uuid);
		}
	}
	for (size_t i = 0; ok && i < t->slices.count; i++) {
		const struct wire_slice *s = &t->slices.data[i];

		for (size_t k = 0; ok && k < s->submissions.count; k++) {
			bool is_new;

			gst_map_add(&launched, s->submissions.data[k], 0, &is_new);
			if (!is_new) {
				ok = fail(r, "op %" PRIu64 " is launched twice",
					  s->submissions.data[k]);
			} else if (!gst_map_get(&r->event_ids, s->submissions.data[k], NULL)) {
				ok = fail(r, "launch of an op that is not drawn");
			}
		}
		for (size_t k = 0; ok && k < s->waits.count; k++) {
			if (!gst_map_get(&r->event_ids, s->waits.data[k], NULL)) {
				ok = fail(r, "wait for an op that is not drawn");
			}
		}
	}
	for (size_t i = 0; ok && i < t->stages.count; i++) {
		for (size_t k = 0; ok && k < t->stages.data[i].waits.count; k++) {
			if (!gst_map_get(&r->event_ids, t->stages.data[i].waits.data[k], NULL)) {
				ok = fail(r, "GPU work waits for an op that is not drawn");
			}
		}
	}
	gst_map_release(&launched);
	return ok;
}

static void free_ids(struct wire_ids *ids)
{
	gst_vec_free(ids);
}

static void free_slice(struct wire_slice *s)
{
	free_ids(&s->submissions);
	free_ids(&s->waits);
	free_ids(&s->flows_in);
	free_ids(&s->flows_out);
}

bool wire_read(const void *data, size_t size, struct wire_trace *t)
{
	struct reader r = {.t = t};
	bool ok;

	*t = (struct wire_trace){0};
	for (size_t i = COUNT(fields); i-- > 0;) {
		r.first_field[fields[i].in] = i;
	}
	for (size_t i = 0; i < sizeof(t->clocks) / sizeof(t->clocks[0]); i++) {
		t->clocks[i] = WIRE_NONE;
	}
	ok = read_file(&r, (struct cursor){data, (const uint8_t *)data + size}, false) &&
	     join(&r) && check_references(&r);
	for (size_t i = 0; i < r.events.count; i++) {
		free_slice(&r.events.data[i].slice);
		free_ids(&r.events.data[i].waits);
	}
	gst_vec_free(&r.events);
	for (size_t i = 0; i < S_COUNT; i++) {
		gst_map_release(&r.interned[i]);
	}
	gst_map_release(&r.uuids);
	gst_map_release(&r.event_ids);
	return ok;
}

void wire_free(struct wire_trace *t)
{
	for (size_t i = 0; i < t->slices.count; i++) {
		free_slice(&t->slices.data[i]);
	}
	for (size_t i = 0; i < t->stages.count; i++) {
		free_ids(&t->stages.data[i].waits);
	}
	for (size_t i = 0; i < t->tracks.count; i++) {
		free_text(t->tracks.data[i].name);
	}
	for (size_t i = 0; i < t->attributes.count; i++) {
		free_text(t->attributes.data[i].key);
		free_text(t->attributes.data[i].text);
	}
	gst_vec_free(&t->slices);
	gst_vec_free(&t->stages);
	gst_vec_free(&t->tracks);
	gst_vec_free(&t->attributes);
}

int64_t wire_attribute(const struct wire_trace *t, const char *key)
{
	for (size_t i = 0; i < t->attributes.count; i++) {
		if (strcmp(t->attributes.data[i].key, key) == 0) {
			return t->attributes.data[i].value;
		}
	}
	return -1;
}

const struct wire_track *wire_find_track(const struct wire_trace *t, uint64_t uuid)
{
	for (size_t i = 0; i < t->tracks.count; i++) {
		if (t->tracks.data[i].uuid == uuid) {
			return &t->tracks.data[i];
		}
	}
	return NULL;
}
