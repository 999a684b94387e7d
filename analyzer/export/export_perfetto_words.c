/*
 * export_perfetto_words.c - packets, and numbers for what they say.
 *
 * Role      : the bottom of the Perfetto exporter.
 * Method    : a name is sent once, with a number that is kept in a map; slices say the number.
 * Invariant : ids are defined before use; what is sent is valid UTF-8.
 * Not here  : bytes (_stream.c), what is drawn.
 */
#include "analyzer/export/export_perfetto_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/export/describe.h"
#include "analyzer/export/escape.h"
#include "analyzer/export/export_names.h"

/* ---- packets ------------------------------------------------------------------------------------ */

void gst_pf_put(struct gst_pf_exporter *x, GstPf__TracePacket *p)
{
	p->has_trusted_packet_sequence_id = true;
	p->trusted_packet_sequence_id = SEQUENCE;
	p->has_sequence_flags = true;
	if (!p->sequence_flags) {
		p->sequence_flags = FLAG_NEEDS_STATE;
	}
	gst_pf_stream_put(x->stream, &p->base);
}

/* Model time to the file's clock, MONOTONIC. Readers have signed times: saturate. */
uint64_t gst_pf_file_ns(const struct gst_pf_exporter *x, uint64_t model_ns)
{
	uint64_t base = x->m->base_ns;

	return base > TIME_MAX || model_ns > TIME_MAX - base ? TIME_MAX : base + model_ns;
}

void gst_pf_put_event(struct gst_pf_exporter *x, enum slice type, uint64_t track, uint64_t model_ns,
		      GstPf__TrackEvent *e)
{
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;

	e->has_type = true;
	e->type = (int32_t)type;
	e->has_track_uuid = true;
	e->track_uuid = track;
	p.has_timestamp = true;
	p.timestamp = gst_pf_file_ns(x, model_ns);
	p.track_event = e;
	gst_pf_put(x, &p);
}

void gst_pf_put_interned(struct gst_pf_exporter *x, GstPf__InternedData *data)
{
	GstPf__TracePacket p = GST_PF__TRACE_PACKET__INIT;

	p.interned_data = data;
	gst_pf_put(x, &p);
	gst_arena_reset(x->words);
}

/* ---- words -------------------------------------------------------------------------------------- */

/* A copy of @text that is valid UTF-8 without zero bytes, good until the next packet of definitions. */
char *gst_pf_clean_bytes(struct gst_pf_exporter *x, const char *text, size_t length)
{
	size_t bytes = gst_escape(GST_ESCAPE_UTF8, text, length, NULL, 0);
	char *copy = gst_arena_alloc(x->words, bytes + 1);

	gst_escape(GST_ESCAPE_UTF8, text, length, copy, bytes + 1);
	for (size_t i = 0; i < bytes; i++) {
		if (!copy[i]) {
			copy[i] = ' ';
		}
	}
	return copy;
}

char *gst_pf_clean(struct gst_pf_exporter *x, const char *text)
{
	return gst_pf_clean_bytes(x, text, strlen(text));
}

char *gst_pf_clean_id(struct gst_pf_exporter *x, uint32_t string)
{
	size_t length;
	const char *text = gst_strtab_get(x->m->strings, string, &length);

	return gst_pf_clean_bytes(x, text, length);
}

char *gst_pf_format(struct gst_pf_exporter *x, const char *fmt, ...)
{
	va_list ap, again;
	char *text;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	text = gst_arena_alloc(x->words, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return text;
}

uint64_t gst_pf_name_key(enum name_space space, uint64_t id)
{
	return (uint64_t)space << 48 | id;
}

void gst_pf_put_name(struct gst_pf_exporter *x, uint64_t iid, char *name)
{
	GstPf__Interned in = GST_PF__INTERNED__INIT, *list[] = {&in};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;

	in.has_iid = true;
	in.iid = iid;
	in.name = name;
	data.n_event_names = 1;
	data.event_names = list;
	gst_pf_put_interned(x, &data);
}

/* The name of an op: as event name, as stage and, for kernels, as kernel with its name in full. */
void gst_pf_put_op_name(struct gst_pf_exporter *x, uint64_t iid, char *name, char *full)
{
	GstPf__Interned in = GST_PF__INTERNED__INIT, *names[] = {&in};
	GstPf__InternedGpuSpecification stage = GST_PF__INTERNED_GPU_SPECIFICATION__INIT,
					*stages[] = {&stage};
	GstPf__InternedComputeKernel kernel = GST_PF__INTERNED_COMPUTE_KERNEL__INIT,
				     *kernels[] = {&kernel};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;

	in.has_iid = stage.has_iid = kernel.has_iid = true;
	in.iid = stage.iid = kernel.iid = iid;
	in.name = stage.name = kernel.demangled_name = name;
	stage.description = kernel.name = full;
	stage.has_category = true;
	stage.category = full ? CATEGORY_COMPUTE : 0;
	/* Of the critical path, in any form. */
	data.n_event_names = 1;
	data.event_names = names;
	if (x->has_render) {
		data.n_gpu_specifications = 1;
		data.gpu_specifications = stages;
		data.n_compute_kernels = full ? 1 : 0;
		data.compute_kernels = kernels;
	}
	gst_pf_put_interned(x, &data);
}

/* Number of @key; *is_new tells that it must be defined now. */
uint64_t gst_pf_name_iid(struct gst_pf_exporter *x, uint64_t key, bool *is_new)
{
	/* Names are fewer than strings and calls of the table: 32 bits hold them. */
	uint64_t iid = *gst_map_add(&x->names, key, (uint32_t)x->next_iid, is_new);

	x->next_iid += *is_new;
	return iid;
}

/* Which memory makes a copy remarkable: GST_MEM_UNKNOWN = none. */
static uint8_t notable_memory(const struct gst_copy *c)
{
	static const uint8_t notable[] = {GST_MEM_PAGEABLE, GST_MEM_MANAGED};

	for (size_t i = 0; i < COUNT(notable); i++) {
		if (c->src_kind == notable[i] || c->dst_kind == notable[i]) {
			return notable[i];
		}
	}
	return GST_MEM_UNKNOWN;
}

uint64_t gst_pf_op_name(struct gst_pf_exporter *x, gst_op_id id)
{
	const struct gst_op *op = &x->m->ops[id];
	bool is_new;
	uint64_t iid;

	if (op->kind == GST_OP_KERNEL) {
		iid = gst_pf_name_iid(x, gst_pf_name_key(NAME_KERNEL, op->name), &is_new);
		if (is_new) {
			char label[LABEL_BYTES];

			gst_model_op_label(x->m, id, label, sizeof(label));
			gst_pf_put_op_name(x, iid, gst_pf_clean(x, label),
					   gst_pf_clean_id(x, op->name));
		}
	} else if (op->kind == GST_OP_MEMCPY && op->detail != GST_NONE) {
		const struct gst_copy *c = &x->m->copies[op->detail];
		uint8_t memory = notable_memory(c);

		iid = gst_pf_name_iid(
			x, gst_pf_name_key(NAME_COPY, (uint64_t)c->copy_kind << 8 | memory),
			&is_new);
		if (is_new) {
			gst_pf_put_op_name(
				x, iid,
				gst_pf_format(x, "memcpy %s%s%s", gst_name_copy_kind(c->copy_kind),
					      memory ? " " : "",
					      memory ? gst_name_memory_kind(memory) : ""),
				NULL);
		}
	} else {
		iid = gst_pf_name_iid(x, gst_pf_name_key(NAME_OP, op->kind), &is_new);
		if (is_new) {
			gst_pf_put_op_name(
				x, iid, gst_pf_format(x, "%s", gst_name_op_kind(op->kind)), NULL);
		}
	}
	return iid;
}

uint64_t gst_pf_api_name(struct gst_pf_exporter *x, uint32_t api)
{
	char name[128];
	bool is_new;
	uint64_t iid = gst_pf_name_iid(x, gst_pf_name_key(NAME_API, api), &is_new);

	if (is_new) {
		gst_name_api(api, name, sizeof(name));
		gst_pf_put_name(x, iid, gst_pf_clean(x, name));
	}
	return iid;
}

static void put_string(struct gst_pf_exporter *x, uint64_t iid, char *text)
{
	GstPf__InternedBytes in = GST_PF__INTERNED_BYTES__INIT, *list[] = {&in};
	GstPf__InternedData data = GST_PF__INTERNED_DATA__INIT;

	in.has_iid = in.has_str = true;
	in.iid = iid;
	in.str.data = (uint8_t *)text;
	in.str.len = strlen(text);
	data.n_debug_annotation_string_values = 1;
	data.debug_annotation_string_values = list;
	gst_pf_put_interned(x, &data);
}

/* A name of the model as a string value. */
uint64_t gst_pf_string_value(struct gst_pf_exporter *x, uint32_t string)
{
	bool is_new;
	uint64_t iid = *gst_map_add(&x->strings, string, (uint32_t)x->next_iid, &is_new);

	if (is_new) {
		x->next_iid++;
		put_string(x, iid, gst_pf_clean_id(x, string));
	}
	return iid;
}

/* A text of a finding as a string value: it may stand on a thousand slices. */
uint64_t gst_pf_finding_value(struct gst_pf_exporter *x, uint32_t number, bool is_advice,
			      const char *text)
{
	uint64_t key = UINT64_C(1) << 62 | (uint64_t)number << 1 | is_advice;
	bool is_new;
	uint64_t iid = *gst_map_add(&x->strings, key, (uint32_t)x->next_iid, &is_new);

	if (is_new) {
		x->next_iid++;
		put_string(x, iid, gst_pf_clean(x, text));
	}
	return iid;
}

/* The rules of a set of edges as a string value: "E1 event wait; S3 legacy default stream". */
uint64_t gst_pf_rules_value(struct gst_pf_exporter *x, uint64_t rules)
{
	bool is_new;
	uint64_t iid = *gst_map_add(&x->strings, UINT64_C(1) << 63 | rules, (uint32_t)x->next_iid,
				    &is_new);
	char *text = NULL;

	if (!is_new) {
		return iid;
	}
	x->next_iid++;
	for (uint32_t r = 0; r < GST_RULE_COUNT; r++) {
		if (rules >> r & 1) {
			text = gst_pf_format(x, "%s%s%s %s", text ? text : "", text ? "; " : "",
					     gst_rule_id(r), gst_rule_text(r));
		}
	}
	put_string(x, iid, text);
	return iid;
}

_Static_assert(GST_RULE_COUNT < 62, "a set of rules and two marks are 64 bits");

GstPf__DebugAnnotation *gst_pf_add_note(struct gst_pf_notes *n, enum note name)
{
	GstPf__DebugAnnotation *d = &n->data[n->count];

	*d = (GstPf__DebugAnnotation)GST_PF__DEBUG_ANNOTATION__INIT;
	d->has_name_iid = true;
	d->name_iid = name;
	n->list[n->count++] = d;
	return d;
}

void gst_pf_note_number(struct gst_pf_notes *n, enum note name, uint64_t value)
{
	GstPf__DebugAnnotation *d = gst_pf_add_note(n, name);

	d->has_uint_value = true;
	d->uint_value = value;
}

void gst_pf_note_string(struct gst_pf_notes *n, enum note name, uint64_t iid)
{
	GstPf__DebugAnnotation *d = gst_pf_add_note(n, name);

	d->has_string_value_iid = true;
	d->string_value_iid = iid;
}

void gst_pf_note_text_of(struct gst_pf_notes *n, enum note name, char *text)
{
	gst_pf_add_note(n, name)->string_value = text;
}

void gst_pf_use_notes(GstPf__TrackEvent *e, struct gst_pf_notes *n)
{
	e->n_debug_annotations = n->count;
	e->debug_annotations = n->list;
}
