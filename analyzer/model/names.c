/*
 * names.c - names for people: kernels demangled and shortened, labels of ops.
 *
 * Role      : every report and export shows what is made here.
 * Method    : libiberty demangles, with its recursion limit, names of at most 16 KiB into at most 64 KiB.
 *             What it refuses keeps the identifiers that the mangled name spells out. Shortening drops
 *             arguments, template arguments and the inner namespaces of thrust and cub.
 * Invariant : a name from the trace is data from a stranger: no work is more than linear in the caps.
 * Not here  : escaping (each exporter's own).
 */
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>

#include "analyzer/model/model_internal.h"

#define MANGLED_MAX   (16u << 10)
#define DEMANGLED_MAX (64u << 10)
#define SHORT_MAX     240u

struct sink {
	char *data;
	size_t length;
	jmp_buf full;
};

static void take(const char *text, size_t length, void *payload)
{
	struct sink *s = payload;

	/* Substitutions can make a short name grow without end: leave the demangler at the cap. It has
	 * no memory of its own in this form. */
	if (length > DEMANGLED_MAX - s->length)
		longjmp(s->full, 1);
	memcpy(s->data + s->length, text, length);
	s->length += length;
}

static bool demangle(struct sink *s, const char *mangled)
{
	s->length = 0;
	if (setjmp(s->full))
		return false;
	/* Without parameters and return type. */
	return cplus_demangle_v3_callback(mangled, DMGL_NO_OPTS, take, s) != 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The identifiers at the begin of @mangled, joined by "::"; 0 = it does not begin that way. */
static size_t spell(const char *mangled, size_t length, char *out, size_t size)
{
	size_t at = 2;
	size_t used = 0;

	if (length < 3 || mangled[0] != '_' || mangled[1] != 'Z')
		return 0;
	while (at < length && (mangled[at] == 'N' || mangled[at] == 'K' || mangled[at] == 'L'))
		at++;
	while (at < length && is_digit(mangled[at])) {
		size_t word = 0;

		while (at < length && is_digit(mangled[at]) && word < MANGLED_MAX)
			word = word * 10 + (size_t)(mangled[at++] - '0');
		if (!word || word > length - at || used + word + 2 > size)
			break;
		if (word < 12 || memcmp(mangled + at, "_GLOBAL__N_", 11) != 0) {
			if (used) {
				memcpy(out + used, "::", 2);
				used += 2;
			}
			memcpy(out + used, mangled + at, word);
			used += word;
		}
		at += word;
		/* Template arguments end what is spelled out. */
		if (at < length && mangled[at] == 'I')
			break;
	}
	return used;
}

/* End of the bracket that opens at @at, after it; @length if it does not close. */
static size_t skip_bracket(const char *s, size_t length, size_t at)
{
	char open = s[at];
	char close = open == '<' ? '>' : open == '(' ? ')' : '}';
	size_t depth = 0;

	for (; at < length; at++) {
		if (s[at] == open) {
			depth++;
		} else if (s[at] == close && !(open == '<' && at && s[at - 1] == '-')) {
			if (!--depth)
				return at + 1;
		}
	}
	return length;
}

static bool ends_with_operator(const char *out, size_t used)
{
	return used >= 8 && !memcmp(out + used - 8, "operator", 8) &&
	       (used == 8 || !is_word(out[used - 9]));
}

/* Template arguments, anonymous namespaces and what follows the name are left out. */
static size_t shorten(const char *s, size_t length, char *out, size_t size)
{
	size_t used = 0;
	size_t at = 0;

	while (at < length && used + 8 < size) {
		if (s[at] == '<' && ends_with_operator(out, used)) {
			while (at < length && (s[at] == '<' || s[at] == '=') && used + 8 < size)
				out[used++] = s[at++];
			continue;
		}
		if (s[at] == '<') {
			at = skip_bracket(s, length, at);
			if (used < 3 || memcmp(out + used - 2, "<>", 2) != 0) {
				memcpy(out + used, "<>", 2);
				used += 2;
			}
			continue;
		}
		if (s[at] == '(') {
			size_t end = skip_bracket(s, length, at);

			if (end + 1 < length && s[end] == ':' && s[end + 1] == ':') {
				at = end +
				     2; /* (anonymous namespace)::, or a function around a local one */
				continue;
			}
			if (!ends_with_operator(out, used))
				break;
		}
		if (s[at] == '{') {
			size_t end = skip_bracket(s, length, at);

			if (end - at >= 7 && !memcmp(s + at, "{lambda", 7)) {
				memcpy(out + used, "lambda", 6);
				used += 6;
				at = end;
				continue;
			}
		}
		out[used++] = s[at++];
	}
	return used;
}

/* thrust::cuda_cub::core::_kernel_agent -> thrust::_kernel_agent; the same for cub. */
static size_t drop_inner(char *out, size_t used)
{
	size_t first = used >= 8 && !memcmp(out, "thrust::", 8) ? 8
		       : used >= 5 && !memcmp(out, "cub::", 5)	? 5
								: 0;
	size_t last = first;

	if (!first)
		return used;
	for (size_t i = first; i + 1 < used; i++) {
		if (out[i] == ':' && out[i + 1] == ':')
			last = i + 2;
	}
	memmove(out + first, out + last, used - last);
	return used - (last - first);
}

uint32_t gst_model_short_name(struct gst_strtab *strings, uint32_t mangled)
{
	char text[SHORT_MAX + 16];
	char spelled[SHORT_MAX];
	struct sink s;
	size_t length;
	size_t used = 0;
	const char *name = gst_strtab_get(strings, mangled, &length);

	if (!length)
		return 0;
	if (length < 3 || name[0] != '_' || name[1] != 'Z' || memchr(name, 0, length))
		return mangled;
	s.data = gst_mem_alloc(DEMANGLED_MAX);
	if (length <= MANGLED_MAX && demangle(&s, name) && s.length)
		used = shorten(s.data, s.length, text, SHORT_MAX);
	gst_mem_free(s.data, DEMANGLED_MAX);
	if (!used) {
		size_t got = spell(name, length, spelled, sizeof(spelled));

		used = shorten(spelled, got, text, SHORT_MAX);
	}
	if (!used)
		return mangled;
	used = drop_inner(text, used);
	return gst_strtab_intern(strings, text, used);
}

/* ---- labels ------------------------------------------------------------------------------------------ */

struct text {
	char *data;
	size_t used, size;
};

static void put(struct text *t, const char *bytes, size_t length)
{
	size_t room = t->size - t->used - 1;

	if (length > room)
		length = room;
	memcpy(t->data + t->used, bytes, length);
	t->used += length;
	t->data[t->used] = 0;
}

static void puts_to(struct text *t, const char *s)
{
	put(t, s, strlen(s));
}

static void put_bytes(struct text *t, uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	char number[48];
	uint64_t whole = bytes;
	uint64_t tenth = 0;
	size_t unit = 0;

	while (whole >= 1024 && unit < 4) {
		tenth = whole % 1024 * 10 / 1024;
		whole /= 1024;
		unit++;
	}
	if (tenth && whole < 100) {
		snprintf(number, sizeof(number), " %" PRIu64 ".%" PRIu64 " %s", whole, tenth,
			 units[unit]);
	} else {
		snprintf(number, sizeof(number), " %" PRIu64 " %s", whole, units[unit]);
	}
	puts_to(t, number);
}

static const char *copy_name(uint8_t kind)
{
	static const char *const names[] = {"?",   "h2d", "d2h", "h2a", "a2h", "a2a",
					    "a2d", "d2a", "d2d", "h2h", "p2p"};

	return names[kind < sizeof(names) / sizeof(names[0]) ? kind : 0];
}

static const char *memory_name(uint8_t kind)
{
	static const char *const names[] = {"?",     "pageable", "pinned",	  "device",
					    "array", "managed",	 "device-static", "managed-static"};

	return names[kind < sizeof(names) / sizeof(names[0]) ? kind : 0];
}

static bool is_host_memory(uint8_t kind)
{
	return kind == GST_MEM_PAGEABLE || kind == GST_MEM_PINNED || kind == GST_MEM_MANAGED ||
	       kind == GST_MEM_MANAGED_STATIC;
}

static const struct gst_call_args *args_of(const struct gst_model *m, const struct gst_op *op)
{
	if (op->call == GST_NONE || m->calls[op->call].args == GST_NONE)
		return NULL;
	return &m->args[m->calls[op->call].args];
}

static void label_copy(const struct gst_model *m, const struct gst_op *op, struct text *t)
{
	const struct gst_call_args *args = args_of(m, op);
	const struct gst_copy *c = op->detail == GST_NONE ? NULL : &m->copies[op->detail];

	puts_to(t, "memcpy");
	if (c) {
		puts_to(t, " ");
		puts_to(t, copy_name(c->copy_kind));
		put_bytes(t, c->bytes);
		if (is_host_memory(c->src_kind) && is_host_memory(c->dst_kind) &&
		    c->src_kind != c->dst_kind) {
			puts_to(t, " (");
			puts_to(t, memory_name(c->src_kind));
			puts_to(t, " to ");
			puts_to(t, memory_name(c->dst_kind));
			puts_to(t, ")");
		} else if (is_host_memory(c->src_kind) || is_host_memory(c->dst_kind)) {
			puts_to(t, " (");
			puts_to(t, memory_name(is_host_memory(c->src_kind) ? c->src_kind
									   : c->dst_kind));
			puts_to(t, ")");
		}
		/* Whoever sees it beside what it waited for must not take it for an overlap. */
		if (op->flags & GST_OP_EARLY_BEGIN)
			puts_to(t, " since its call");
	} else if (args) {
		if (args->extra > 0 && args->extra <= GST_COPY_PTOP) {
			puts_to(t, " ");
			puts_to(t, copy_name((uint8_t)args->extra));
		}
		if (args->bytes)
			put_bytes(t, args->bytes);
	}
}

static void label_memop(const struct gst_memop *op, struct text *t)
{
	static const char *const compares[] = {" >= ", " == ", " & ", " nor "};
	char number[24];

	switch (op->type) {
	case GST_MEMOP_WAIT_32:
	case GST_MEMOP_WAIT_64:
		puts_to(t, "wait for value");
		puts_to(t, compares[op->flags & GST_WAIT_COMPARE]);
		break;
	case GST_MEMOP_WRITE_32:
	case GST_MEMOP_WRITE_64:
		puts_to(t, "write value ");
		break;
	case GST_MEMOP_FLUSH_REMOTE:
		puts_to(t, "flush remote writes");
		return;
	case GST_MEMOP_BARRIER:
		puts_to(t, "memory barrier");
		return;
	default:
		puts_to(t, "memory operation");
		return;
	}
	(void)snprintf(number, sizeof(number), "%" PRIu64, op->value);
	puts_to(t, number);
}

void gst_model_op_label(const struct gst_model *m, gst_op_id id, char *buf, size_t size)
{
	const struct gst_op *op = &m->ops[id];
	struct text t = {buf, 0, size};
	const char *name;
	size_t length;
	const struct gst_call_args *args;

	if (!size)
		return;
	buf[0] = 0;
	switch ((enum gst_op_kind)op->kind) {
	case GST_OP_KERNEL:
		if (!op->name) {
			puts_to(&t, "kernel");
			return;
		}
		name = gst_strtab_get(m->strings,
				      op->name < m->short_name_count && m->short_names[op->name]
					      ? m->short_names[op->name]
					      : op->name,
				      &length);
		put(&t, name, length);
		return;
	case GST_OP_MEMCPY:
		label_copy(m, op, &t);
		return;
	case GST_OP_MEMSET:
		puts_to(&t, "memset");
		args = args_of(m, op);
		if (op->detail != GST_NONE) {
			put_bytes(&t, m->memsets[op->detail].bytes);
			if (is_host_memory(m->memsets[op->detail].memory_kind)) {
				puts_to(&t, " (");
				puts_to(&t, memory_name(m->memsets[op->detail].memory_kind));
				puts_to(&t, ")");
			}
		} else if (args && args->bytes) {
			put_bytes(&t, args->bytes);
		}
		return;
	case GST_OP_HOST_FUNC:
		puts_to(&t, "host function");
		return;
	case GST_OP_EVENT_RECORD:
		puts_to(&t,
			op->flags & GST_OP_CONTEXT ? "event record of a context" : "event record");
		return;
	case GST_OP_EVENT_WAIT:
		puts_to(&t, op->flags & GST_OP_CONTEXT ? "event wait of a context" : "event wait");
		return;
	case GST_OP_GRAPH_LAUNCH:
		puts_to(&t, "graph launch");
		return;
	case GST_OP_ALLOC:
	case GST_OP_FREE:
		puts_to(&t,
			op->kind == GST_OP_ALLOC ? "stream-ordered alloc" : "stream-ordered free");
		args = args_of(m, op);
		if (args && args->bytes)
			put_bytes(&t, args->bytes);
		return;
	case GST_OP_MEMOP:
		if (op->detail != GST_NONE) {
			label_memop(&m->memops[op->detail], &t);
			return;
		}
		/* fall through */
	case GST_OP_OPAQUE: {
		const struct gst_api *api =
			op->call == GST_NONE ? NULL : gst_api_find(m->calls[op->call].api);

		puts_to(&t, api ? api->name : "operation");
		return;
	}
	case GST_OP_KIND_COUNT:
		break;
	}
}
