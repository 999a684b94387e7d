/*
 * reader_text.c - read the text form: turn it into the bytes of a .gst.
 *
 * Role      : hand-written traces, and what `gstrace dump --text` wrote.
 * Method    : one line at a time through the schema into gst_writer; the binary reader does the rest,
 *             so there is one truth about order, damage and completeness.
 * Invariant : a literal string becomes a STRING record in a definition chunk of the same process and
 *             segment; nothing else is added to what the text says.
 * Not here  : what records mean.
 */
#include "analyzer/load/gst_writer.h"
#include "analyzer/load/reader_internal.h"

#include "analyzer/base/outfile.h"
#include "analyzer/base/strtab.h"
#include "tracer/format/api.h"
#include "tracer/format/encode.h"

#include <inttypes.h>

#define FIRST_WORD "gstext "
/* Ids of literal strings: out of the way of ids that a text gives itself. */
#define LITERAL_ID_FIRST UINT32_C(0x80000000)
#define LITERALS_BYTES	 ((size_t)1 << 20)

struct word {
	const char *p;
	size_t length;
};

struct parser {
	const char *at; /* in the line */
	const char *end;
	uint64_t line;
	struct gst_err *err;
	struct gst_outfile *out;
	struct gst_gst_writer *writer;
	struct gst_gst_writer *literal_writer;
	struct gst_chunk_header chunk;
	bool in_chunk;		    /* after a chunk line */
	bool has_number;	    /* which numbers it, perhaps with 0 */
	bool is_begun;		    /* and a record: a chunk without records is not written */
	struct gst_map numbers;	    /* process -> number of its last chunk */
	struct gst_map is_numbered; /* process -> 1: the text numbers its chunks itself */
	struct gst_strtab *strings;
	struct gst_map places; /* process << 32 | segment -> dense */
	struct gst_map ids;    /* dense << 32 | string -> id in the trace */
	GST_VEC(uint32_t)
	fresh; /* strings of literals that are not written yet; ids follow each other */
	uint32_t next_literal;
	bool has_high_ids;
	GST_VEC(uint8_t) bytes; /* of the value being read */
};

bool gst_text_is(const void *data, size_t size)
{
	return size >= strlen(FIRST_WORD) && memcmp(data, FIRST_WORD, strlen(FIRST_WORD)) == 0;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* For messages: what is printable of @w, cut. */
static const char *show(const struct word *w, char *text, size_t room)
{
	size_t i, n = w->length < room - 1 ? w->length : room - 1;

	for (i = 0; i < n; i++)
		text[i] = w->p[i] >= 0x20 && w->p[i] < 0x7f ? w->p[i] : '?';
	text[n] = '\0';
	return text;
}

#define SHOW_BYTES 48

static gst_status complain(struct parser *p, const struct word *found, const char *expected)
{
	char text[SHOW_BYTES];

	return gst_err_set(p->err, GST_E_FORMAT, "line %" PRIu64 ": found \"%s\", expected %s",
			   p->line, show(found, text, sizeof(text)), expected);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_word(const struct word *w, const char *text)
{
	return w->length == strlen(text) && memcmp(w->p, text, w->length) == 0;
}

static void skip_space(struct parser *p)
{
	while (p->at < p->end && is_space(*p->at))
		p->at++;
	/* A comment goes to the end of the line. */
	if (p->at < p->end && *p->at == '#')
		p->at = p->end;
}

/* The next word up to a space or '='; false at the end of the line. */
static bool next_word(struct parser *p, struct word *w)
{
	skip_space(p);
	w->p = p->at;
	while (p->at < p->end && !is_space(*p->at) && *p->at != '=')
		p->at++;
	w->length = (size_t)(p->at - w->p);
	return p->at > w->p || p->at < p->end;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* What stands in quotes from p->at on, into p->bytes. */
static gst_status read_quoted(struct parser *p)
{
	struct word here = {p->at, (size_t)(p->end - p->at)};

	gst_vec_clear(&p->bytes);
	for (p->at++; p->at < p->end && *p->at != '"'; p->at++) {
		char c = *p->at;

		if (c == '\\') {
			if (p->end - p->at >= 4 && p->at[1] == 'x' && hex_digit(p->at[2]) >= 0 &&
			    hex_digit(p->at[3]) >= 0) {
				c = (char)(hex_digit(p->at[2]) << 4 | hex_digit(p->at[3]));
				p->at += 3;
			} else if (p->end - p->at >= 2 && (p->at[1] == '\\' || p->at[1] == '"')) {
				c = p->at[1];
				p->at++;
			} else {
				here.p = p->at;
				here.length = p->end - p->at < 4 ? (size_t)(p->end - p->at) : 4;
				return complain(p, &here, "\\xNN, \\\\ or \\\"");
			}
		}
		if (p->bytes.count >= GST_STRING_MAX_BYTES)
			return complain(p, &here, "a string of at most 16384 bytes");
		gst_vec_push(&p->bytes, (uint8_t)c);
	}
	if (p->at == p->end)
		return complain(p, &here, "a closing quote");
	p->at++;
	return GST_OK;
}

/* After a key: "=value". A value in quotes goes to p->bytes and sets *@is_quoted. */
static gst_status read_value(struct parser *p, const struct word *key, struct word *value,
			     bool *is_quoted)
{
	*is_quoted = false;
	if (p->at == p->end || *p->at != '=')
		return complain(p, key, "name=value");
	p->at++;
	value->p = p->at;
	if (p->at < p->end && *p->at == '"') {
		*is_quoted = true;
		if (read_quoted(p))
			return GST_E_FORMAT;
	} else {
		while (p->at < p->end && !is_space(*p->at))
			p->at++;
	}
	value->length = (size_t)(p->at - value->p);
	if (p->at < p->end && !is_space(*p->at))
		return complain(p, value, "a space after the value");
	return GST_OK;
}

/* @w as a number: decimal or 0x, with a minus sign for negative ones. */
static bool parse_number(const struct word *w, uint64_t *number)
{
	bool is_negative = w->length > 0 && w->p[0] == '-';
	size_t i = is_negative;
	uint64_t base = 10, n = 0;

	if (w->length - i > 2 && w->p[i] == '0' && (w->p[i + 1] == 'x' || w->p[i + 1] == 'X')) {
		base = 16;
		i += 2;
	}
	if (i == w->length)
		return false;
	for (; i < w->length; i++) {
		int digit = hex_digit(w->p[i]);

		if (digit < 0 || (uint64_t)digit >= base || __builtin_mul_overflow(n, base, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n))
			return false;
	}
	if (is_negative && n > (uint64_t)INT64_MAX + 1)
		return false;
	*number = is_negative ? 0 - n : n;
	return true;
}

static bool parse_api(const struct word *w, uint64_t *number)
{
	static const struct {
		const char *name;
		uint32_t domain;
	} domains[] = {{"driver:", GST_API_DOMAIN_DRIVER}, {"runtime:", GST_API_DOMAIN_RUNTIME}};
	const struct gst_api *api;
	size_t i;

	for (i = 0; i < sizeof(domains) / sizeof(domains[0]); i++) {
		size_t n = strlen(domains[i].name);
		struct word cbid = {w->p + n, w->length - n};

		if (w->length > n && memcmp(w->p, domains[i].name, n) == 0) {
			if (!parse_number(&cbid, number) || *number > 0xffff)
				return false;
			*number = GST_API_ID(domains[i].domain, *number);
			return true;
		}
	}
	api = gst_api_find_name(w->p, w->length);
	if (api)
		*number = api->api;
	return api || parse_number(w, number);
}

static bool parse_flags(const struct gst_schema_form *form, const struct word *w, uint64_t *number)
{
	const char *p = w->p, *end = w->p + w->length;

	*number = 0;
	for (;;) {
		const char *bar = memchr(p, '|', (size_t)(end - p));
		struct word one = {p, (size_t)((bar ? bar : end) - p)};
		uint64_t bit;

		if (!gst_schema_value_find(form, one.p, one.length, &bit) &&
		    !parse_number(&one, &bit))
			return false;
		*number |= bit;
		if (!bar)
			return true;
		p = bar + 1;
	}
}

/* ---- literal strings ------------------------------------------------------------------------ */

/* The id, in the trace, of the string in p->bytes. */
static uint32_t literal_id(struct parser *p)
{
	uint32_t string = gst_strtab_intern(p->strings, p->bytes.data, p->bytes.count);
	uint32_t place, *id;
	bool is_new;

	if (!string)
		return 0;
	place = *gst_map_add(&p->places, (uint64_t)p->chunk.process << 32 | p->chunk.segment,
			     (uint32_t)gst_map_count(&p->places), NULL);
	id = gst_map_add(&p->ids, (uint64_t)place << 32 | string, p->next_literal, &is_new);
	if (is_new) {
		gst_vec_push(&p->fresh, string);
		p->next_literal++;
	}
	return *id;
}

static uint64_t next_number(struct parser *p, uint32_t process)
{
	return ++*gst_map_add(&p->numbers, process, 0, NULL);
}

/* Write the strings that the chunk which ends used for the first time, before that chunk. */
static gst_status write_literals(struct parser *p)
{
	const struct gst_schema_record *schema = gst_schema_find(GST_REC_STRING);
	struct gst_rec_string rec = {.id = p->next_literal - (uint32_t)p->fresh.count};
	struct gst_chunk_header like = {
		.flags = GST_CHUNK_DEFS | GST_CHUNK_SEALED,
		.process = p->chunk.process,
		.segment = p->chunk.segment,
	};
	bool is_begun = false;
	size_t i;

	for (i = 0; i < p->fresh.count; i++, rec.id++) {
		size_t length;
		const char *text = gst_strtab_get(p->strings, p->fresh.data[i], &length);
		gst_status st;

		if (!is_begun) {
			like.sequence = gst_map_get(&p->is_numbered, like.process, NULL)
						? 0
						: next_number(p, like.process);
			gst_gst_writer_begin(p->literal_writer, &like);
			is_begun = true;
		}
		st = gst_gst_writer_put(p->literal_writer, schema, 0, &rec, text, (uint32_t)length,
					p->err);
		if (st)
			return st;
		if (gst_gst_writer_body_bytes(p->literal_writer) > LITERALS_BYTES) {
			gst_gst_writer_end(p->literal_writer);
			is_begun = false;
		}
	}
	if (is_begun)
		gst_gst_writer_end(p->literal_writer);
	gst_vec_clear(&p->fresh);
	return GST_OK;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static gst_status end_chunk(struct parser *p)
{
	gst_status st;

	if (!p->is_begun)
		return GST_OK;
	p->is_begun = false;
	st = write_literals(p);
	if (st)
		return st;
	gst_gst_writer_end(p->writer);
	return GST_OK;
}

static gst_status read_chunk_line(struct parser *p)
{
	struct gst_chunk_header h = {.flags = GST_CHUNK_SEALED};
	bool has_process = false, has_number = false, is_quoted;
	struct word key, value;
	gst_status st;

	st = end_chunk(p);
	if (st)
		return st;
	if (!next_word(p, &key))
		return complain(p, &key, "defs or events");
	if (is_word(&key, "defs"))
		h.flags |= GST_CHUNK_DEFS;
	else if (is_word(&key, "events"))
		h.flags |= GST_CHUNK_EVENTS;
	else if (is_word(&key, "defs|events"))
		h.flags |= GST_CHUNK_DEFS | GST_CHUNK_EVENTS;
	else
		return complain(p, &key, "defs or events");
	while (next_word(p, &key)) {
		uint64_t n, max = UINT32_MAX;

		st = read_value(p, &key, &value, &is_quoted);
		if (st)
			return st;
		if (is_quoted || !parse_number(&value, &n))
			return complain(p, &value, "a number");
		if (is_word(&key, "sequence") || is_word(&key, "page"))
			max = UINT64_MAX;
		if (n > max)
			return complain(p, &value, "a number of at most 32 bits");
		if (is_word(&key, "process")) {
			h.process = (uint32_t)n;
			has_process = true;
		} else if (is_word(&key, "thread")) {
			h.thread = (uint32_t)n;
		} else if (is_word(&key, "segment")) {
			h.segment = (uint32_t)n;
		} else if (is_word(&key, "sequence")) {
			h.sequence = n;
			has_number = true;
		} else if (is_word(&key, "page")) {
			h.source_page = n;
		} else if (is_word(&key, "page_offset")) {
			h.source_offset = (uint32_t)n;
		} else if (is_word(&key, "open")) {
			if (n)
				h.flags &= ~(uint32_t)GST_CHUNK_SEALED;
		} else {
			return complain(
				p, &key,
				"process, thread, segment, sequence, page, page_offset or open");
		}
	}
	if (!has_process)
		return gst_err_set(p->err, GST_E_FORMAT,
				   "line %" PRIu64 ": found a chunk without process=, expected one",
				   p->line);
	p->chunk = h;
	p->has_number = has_number;
	p->in_chunk = true;
	return GST_OK;
}

/* The first record of a chunk is there: give it a number. */
static void begin_chunk(struct parser *p)
{
	struct gst_chunk_header *h = &p->chunk;

	if (p->has_number) {
		gst_map_put(&p->is_numbered, h->process, 1);
		gst_map_put(&p->numbers, h->process,
			    h->sequence < UINT32_MAX ? (uint32_t)h->sequence : UINT32_MAX - 1);
	} else if (h->flags & GST_CHUNK_SEALED) {
		h->sequence = next_number(p, h->process);
	}
	gst_gst_writer_begin(p->writer, h);
	p->is_begun = true;
}

static gst_status put_field(struct parser *p, const struct gst_schema_record *schema,
			    const struct word *key, const struct word *value, bool is_quoted,
			    void *data)
{
	const struct gst_schema_field *field;
	uint64_t number = 0;
	bool is_good = false;

	field = gst_schema_find_field(schema, key->p, key->length);
	if (!field) {
		char text[SHOW_BYTES];

		return gst_err_set(p->err, GST_E_FORMAT,
				   "line %" PRIu64 ": found \"%s\", expected a field of %s",
				   p->line, show(key, text, sizeof(text)), schema->name);
	}
	if (is_quoted) {
		if (field->form->class_id != GST_FORM_STR)
			return complain(p, value, "a number: this field is no string");
		number = literal_id(p);
		is_good = true;
	} else {
		switch (field->form->class_id) {
		case GST_FORM_API:
			is_good = parse_api(value, &number);
			break;
		case GST_FORM_ENUM:
			is_good = gst_schema_value_find(field->form, value->p, value->length,
							&number) ||
				  parse_number(value, &number);
			break;
		case GST_FORM_FLAGS:
			is_good = parse_flags(field->form, value, &number);
			break;
		case GST_FORM_KIND: {
			const struct gst_schema_record *kind =
				gst_schema_find_name(value->p, value->length);

			number = kind ? kind->kind : 0;
			is_good = kind || parse_number(value, &number);
			break;
		}
		case GST_FORM_DEC:
		case GST_FORM_HEX:
		case GST_FORM_STR:
		case GST_FORM_BYTES:
		case GST_FORM_MONO:
		case GST_FORM_GPU:
		case GST_FORM_REAL:
		case GST_FORM_RAW:
		case GST_FORM_DUR:
			is_good = parse_number(value, &number);
			break;
		}
	}
	if (!is_good || !gst_schema_set(field, data, number)) {
		char found[SHOW_BYTES];

		return gst_err_set(p->err, GST_E_FORMAT,
				   "line %" PRIu64
				   ": found %s=%s, expected a value of form %s that fits %s",
				   p->line, field->name, show(value, found, sizeof(found)),
				   field->form->name, field->type);
	}
	return GST_OK;
}

/* bytes=HEX, an even number of digits; the bytes go to p->bytes. */
static gst_status read_hex(struct parser *p, const struct word *value)
{
	size_t i;

	gst_vec_clear(&p->bytes);
	if (value->length % 2 || value->length / 2 > GST_RECORD_MAX_BYTES)
		return complain(p, value, "an even number of hexadecimal digits, at most 131072");
	for (i = 0; i < value->length; i += 2) {
		int high = hex_digit(value->p[i]), low = hex_digit(value->p[i + 1]);

		if (high < 0 || low < 0)
			return complain(p, value, "hexadecimal digits");
		gst_vec_push(&p->bytes, (uint8_t)(high << 4 | low));
	}
	return GST_OK;
}

static gst_status read_record_line(struct parser *p, const struct word *name)
{
	const struct gst_schema_record *schema = gst_schema_find_name(name->p, name->length);
	uint64_t data[GST_DECODE_SCRATCH_BYTES / 8] = {0};
	bool is_raw = is_word(name, "raw"), is_quoted, has_text = false, has_bytes = false;
	uint64_t corr = 0, kind = 0;
	struct word key, value;
	gst_status st;

	if (!schema && !is_raw)
		return complain(p, name, "chunk, raw or the name of a record");
	if (!p->in_chunk)
		return complain(p, name, "a chunk line before the first record");
	if (!p->is_begun)
		begin_chunk(p);
	while (next_word(p, &key)) {
		st = read_value(p, &key, &value, &is_quoted);
		if (st)
			return st;
		if (is_word(&key, "corr")) {
			if (is_quoted || !parse_number(&value, &corr) || corr > UINT32_MAX)
				return complain(p, &value, "a correlation id");
		} else if (is_raw && is_word(&key, "kind")) {
			if (is_quoted || !parse_number(&value, &kind) || kind > UINT16_MAX)
				return complain(p, &value, "a kind of at most 0xffff");
		} else if (is_word(&key, "bytes") && (is_raw || !schema->has_tail)) {
			st = is_quoted ? complain(p, &value, "hexadecimal digits")
				       : read_hex(p, &value);
			if (st)
				return st;
			has_bytes = true;
		} else if (is_raw) {
			return complain(p, &key, "kind, corr or bytes");
		} else if (is_word(&key, "record_bytes") && !schema->has_tail) {
			uint64_t bytes = 0;
			struct gst_rec_head head;

			if (is_quoted || !parse_number(&value, &bytes) || bytes % 8 ||
			    bytes < sizeof(head) || bytes > schema->bytes)
				return complain(p, &value,
						"a multiple of 8, at most the record's full size");
			head = gst_record_head(schema->kind, (uint32_t)bytes, 0);
			memcpy(data, &head, sizeof(head));
		} else if (is_word(&key, "text") && schema->has_tail) {
			if (!is_quoted)
				return complain(p, &value, "text in quotes");
			has_text = true;
		} else {
			/* The bytes of text= and bytes= must survive: they come last. */
			if (has_text || has_bytes)
				return complain(p, &key, "text= or bytes= as the last field");
			st = put_field(p, schema, &key, &value, is_quoted, data);
			if (st)
				return st;
		}
	}
	if (is_raw) {
		if (gst_schema_find((uint32_t)kind))
			return complain(p, name, "the name of the record: its kind is known");
		st = gst_gst_writer_put_raw(p->writer, (uint32_t)kind, (uint32_t)corr,
					    p->bytes.data, has_bytes ? (uint32_t)p->bytes.count : 0,
					    p->err);
	} else {
		uint32_t tail = has_text || has_bytes ? (uint32_t)p->bytes.count : 0;

		if (schema->has_tail) {
			const struct gst_rec_string *string = (const void *)data;

			if (!string->id)
				return complain(p, name, "an id that is not 0");
			p->has_high_ids |= string->id >= LITERAL_ID_FIRST;
		} else if (tail % 8) {
			return complain(p, name, "bytes= with a multiple of 8 bytes");
		}
		st = gst_gst_writer_put(p->writer, schema, (uint32_t)corr, data, p->bytes.data,
					tail, p->err);
	}
	if (st)
		gst_err_prefix(p->err, "line %" PRIu64, p->line);
	return st;
}

/* "gstext MAJOR.MINOR" */
static gst_status read_first_line(struct parser *p)
{
	struct word version = {p->at + strlen(FIRST_WORD), 0}, major;
	const char *dot;
	uint64_t number;

	while (version.p + version.length < p->end && !is_space(version.p[version.length]))
		version.length++;
	dot = memchr(version.p, '.', version.length);
	major.p = version.p;
	major.length = dot ? (size_t)(dot - version.p) : version.length;
	if (!parse_number(&major, &number))
		return complain(p, &version, "a version such as 1.0");
	if (number != GST_FORMAT_MAJOR) {
		char text[SHOW_BYTES];

		return gst_err_set(
			p->err, GST_E_VERSION,
			"line 1: trace format version %s, but this gstrace reads version %d (up to %d.%d)",
			show(&version, text, sizeof(text)), GST_FORMAT_MAJOR, GST_FORMAT_MAJOR,
			GST_FORMAT_MINOR);
	}
	p->at = version.p + version.length;
	skip_space(p);
	if (p->at < p->end) {
		struct word rest = {p->at, (size_t)(p->end - p->at)};

		return complain(p, &rest, "nothing after the version");
	}
	return GST_OK;
}

static gst_status read_lines(struct parser *p, const char *text, size_t size)
{
	const char *end = text + size;
	struct word name;
	gst_status st;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		p->at = text;
		p->end = newline ? newline : end;
		p->line++;
		text = newline ? newline + 1 : end;
		if (p->line == 1)
			st = read_first_line(p);
		else if (!next_word(p, &name))
			continue;
		else if (is_word(&name, "chunk"))
			st = read_chunk_line(p);
		else
			st = read_record_line(p, &name);
		if (st)
			return st;
	}
	st = end_chunk(p);
	if (st)
		return st;
	if (p->has_high_ids && p->next_literal != LITERAL_ID_FIRST)
		return gst_err_set(
			p->err, GST_E_FORMAT,
			"found string ids of 0x%" PRIx32
			" or more, expected smaller ones in a text with strings in quotes",
			LITERAL_ID_FIRST);
	return GST_OK;
}

gst_status gst_text_to_gst(const char *text, size_t size, uint8_t **image, size_t *image_bytes,
			   size_t *room, struct gst_err *err)
{
	struct parser p = {.err = err, .next_literal = LITERAL_ID_FIRST};
	gst_status st;

	p.out = gst_outfile_open_memory();
	p.writer = gst_gst_writer_new(p.out);
	p.literal_writer = gst_gst_writer_new(p.out);
	p.strings = gst_strtab_new();
	st = read_lines(&p, text, size);
	if (st)
		gst_outfile_abort(p.out);
	else
		*image = (uint8_t *)gst_outfile_take_memory(p.out, image_bytes, room);
	gst_gst_writer_free(p.writer);
	gst_gst_writer_free(p.literal_writer);
	gst_strtab_free(p.strings);
	gst_map_release(&p.numbers);
	gst_map_release(&p.is_numbered);
	gst_map_release(&p.places);
	gst_map_release(&p.ids);
	gst_vec_free(&p.fresh);
	gst_vec_free(&p.bytes);
	return st;
}
