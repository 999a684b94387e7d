/*
 * carry.c - keeps definitions for the segments to come.
 *
 * Role      : the writer hands it each chunk of definitions, and asks for them when a segment begins.
 * Method    : copies of the records, one behind the other, each with its segment in front. Which graphs have ended
 *             say the tables of living objects, by handle: the driver gives a handle to one graph at a time.
 * Invariant : bounded memory; a graph that may be alive is never left out without a count.
 * Not here  : contexts, streams, events (snapshot.c); strings (writer.c).
 */
#include "tracer/carry.h"

#include "tracer/clock.h"
#include "tracer/format/encode.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define PATIENCE 4096u

struct entry {
	uint32_t segment;
	uint32_t bytes; /* of the record that follows */
};

static const uint32_t kinds[GST_CARRY_KINDS] = {
	GST_REC_GRAPH,	    GST_REC_GRAPH_NODE, GST_REC_GRAPH_EDGE,
	GST_REC_GRAPH_EXEC, GST_REC_MODULE,	GST_REC_NVTX_NAME,
};

/* What a record is about, of those that are kept. */
union record {
	struct gst_rec_head head;
	struct gst_rec_graph graph;
	struct gst_rec_graph_node node;
	struct gst_rec_graph_edge edge;
	struct gst_rec_graph_exec exec;
	struct gst_rec_module module;
	struct gst_rec_nvtx_name name;
};

int gst_carry_init(struct gst_carry *c, const struct gst_objects *objects, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED) {
		return ENOMEM;
	}
	c->objects = objects;
	c->memory = memory;
	c->bytes = bytes;
	return 0;
}

/* Index into kinds[], or GST_CARRY_KINDS. */
static uint32_t kind_index(uint32_t kind)
{
	uint32_t i = 0;

	while (i < GST_CARRY_KINDS && kinds[i] != (kind & GST_KIND_MASK)) {
		i++;
	}
	return i;
}

static bool is_other(uint32_t kind)
{
	kind &= GST_KIND_MASK;
	return kind == GST_REC_MODULE || kind == GST_REC_NVTX_NAME;
}

/* The record of an entry; fields that it lacks are 0. */
static void get(union record *r, const unsigned char *record, uint32_t bytes)
{
	memset(r, 0, sizeof(*r));
	memcpy(r, record, bytes < sizeof(*r) ? bytes : sizeof(*r));
}

/* The place of graph @id, or an empty one; NULL if there is neither. */
static struct gst_carry_graph *graph_place(struct gst_carry *c, uint32_t id)
{
	uint32_t at = id * 2654435761u;

	for (uint32_t i = 0; i < 64; i++) {
		struct gst_carry_graph *g = &c->graphs[(at + i) & (GST_CARRY_GRAPHS - 1)];

		if (!g->id || g->id == id) {
			return g;
		}
	}
	return NULL;
}

/*
 * Whether what had @handle and @id was over before @now: it ended, or another has its handle. Not known: no. Whatever
 * is new by then comes too late to say so.
 */
static bool is_over(const struct gst_objects_table *table, uint64_t handle, uint32_t id,
		    uint32_t now)
{
	const struct gst_object *object = gst_objects_place(table, handle);
	uint32_t born, died;

	if (!object) {
		return false;
	}
	born = atomic_load(&object->born);
	died = atomic_load(&object->died);
	if (atomic_load(&object->data[GST_GRAPH_ID]) != id) {
		died = atomic_load(&object->data[GST_GRAPH_FREED]);
		return born && (died ? died : born) <= now;
	}
	return died && died <= now;
}

/* Find out which graphs were over before @now. */
static void look_around(struct gst_carry *c, uint32_t now)
{
	struct entry e;

	memset(c->graphs, 0, sizeof(c->graphs));
	for (size_t at = 0; at < c->used; at += sizeof(e) + e.bytes) {
		struct gst_carry_graph *g;
		union record r;

		memcpy(&e, c->memory + at, sizeof(e));
		get(&r, c->memory + at + sizeof(e), e.bytes);
		if ((r.head.kind & GST_KIND_MASK) != GST_REC_GRAPH || !r.graph.handle) {
			continue;
		}
		g = graph_place(c, r.graph.graph);
		if (g) {
			g->id = r.graph.graph;
			g->is_over =
				is_over(&c->objects->graphs, r.graph.handle, r.graph.graph, now);
		}
	}
}

/* A context takes its modules along, without a word. */
static bool is_context_over(const struct gst_carry *c, uint32_t ctx, uint32_t now)
{
	const struct gst_object *object = gst_objects_place(&c->objects->contexts, ctx);
	uint32_t died = object ? atomic_load(&object->died) : 0;

	return died && died <= now;
}

static bool is_wanted(struct gst_carry *c, const union record *r, uint32_t now)
{
	const struct gst_carry_graph *g;
	uint32_t graph;

	switch (r->head.kind & GST_KIND_MASK) {
	case GST_REC_GRAPH:
		graph = r->graph.graph;
		break;
	case GST_REC_GRAPH_NODE:
		graph = r->node.graph;
		break;
	case GST_REC_GRAPH_EDGE:
		graph = r->edge.graph;
		break;
	case GST_REC_GRAPH_EXEC:
		return !is_over(&c->objects->execs, r->exec.exec,
				r->exec.id ? r->exec.id : r->exec.graph, now);
	case GST_REC_MODULE:
		return !is_context_over(c, r->module.ctx, now);
	default:
		return true;
	}
	g = graph_place(c, graph);
	return !g || g->id != graph || !g->is_over;
}

/* As window.h numbers them. */
static uint32_t now_of(uint32_t segment)
{
	return segment << 1 | 1;
}

/* Drop what no segment to come needs: one that is open already may have seen the end of a graph. */
static void drop_ended(struct gst_carry *c)
{
	uint32_t now = now_of(c->next);
	size_t to = 0;
	struct entry e;

	look_around(c, now);
	for (size_t at = 0; at < c->used; at += sizeof(e) + e.bytes) {
		union record r;

		memcpy(&e, c->memory + at, sizeof(e));
		get(&r, c->memory + at + sizeof(e), e.bytes);
		if (is_wanted(c, &r, now)) {
			memmove(c->memory + to, c->memory + at, sizeof(e) + e.bytes);
			to += sizeof(e) + e.bytes;
		} else if (is_other(r.head.kind)) {
			c->other -= sizeof(e) + e.bytes;
		}
	}
	c->used = to;
}

static bool has_room(const struct gst_carry *c, size_t need, bool is_of_others)
{
	/* Names may be given again and again: they must not crowd out graphs. */
	return need <= c->bytes - c->used && (!is_of_others || c->other + need <= c->bytes / 4);
}

/* A module is gone: nothing later needs it. Its id is not used again. */
static void drop_module(struct gst_carry *c, uint32_t module)
{
	struct entry e;

	for (size_t at = 0; at < c->used; at += sizeof(e) + e.bytes) {
		union record r;

		memcpy(&e, c->memory + at, sizeof(e));
		get(&r, c->memory + at + sizeof(e), e.bytes);
		if ((r.head.kind & GST_KIND_MASK) == GST_REC_MODULE && r.module.module == module) {
			size_t bytes = sizeof(e) + e.bytes;

			memmove(c->memory + at, c->memory + at + bytes, c->used - at - bytes);
			c->used -= bytes;
			c->other -= bytes;
			return;
		}
	}
}

static void take_one(struct gst_carry *c, uint32_t segment, const unsigned char *record,
		     uint32_t bytes, uint32_t kind)
{
	struct entry e = {segment, bytes};
	bool is_of_others = is_other(kinds[kind]);
	union record r;

	get(&r, record, bytes);
	if (kinds[kind] == GST_REC_MODULE && r.module.change == GST_GRAPH_CHANGE_REMOVED) {
		drop_module(c, r.module.module);
		return;
	}
	if (!has_room(c, sizeof(e) + bytes, is_of_others) && !is_of_others) {
		if (!c->patience) {
			drop_ended(c);
			/* If most of it lives, another look will not help soon. */
			c->patience = c->used > c->bytes / 8 * 7 ? PATIENCE : 0;
		} else {
			c->patience--;
		}
	}
	if (!has_room(c, sizeof(e) + bytes, is_of_others)) {
		c->forgotten[kind]++;
		return;
	}
	memcpy(c->memory + c->used, &e, sizeof(e));
	memcpy(c->memory + c->used + sizeof(e), record, bytes);
	c->used += sizeof(e) + bytes;
	c->other += is_of_others ? sizeof(e) + bytes : 0;
}

void gst_carry_take(struct gst_carry *c, uint32_t segment, const unsigned char *body,
		    uint32_t bytes)
{
	struct gst_rec_head head;

	for (uint32_t at = 0; at + sizeof(head) <= bytes; at += (uint32_t)head.size8 * 8) {
		uint32_t kind;

		memcpy(&head, body + at, sizeof(head));
		if (!head.size8 || at + (uint32_t)head.size8 * 8 > bytes) {
			return; /* scribbled over */
		}
		kind = kind_index(head.kind);
		if (kind < GST_CARRY_KINDS) {
			take_one(c, segment, body + at, (uint32_t)head.size8 * 8, kind);
		}
	}
}

void gst_carry_put(struct gst_carry *c, uint32_t segment,
		   void (*put)(void *arg, const void *rec, uint32_t bytes), void *arg)
{
	uint32_t now = now_of(segment);
	struct entry e;

	c->next = segment + 1;
	look_around(c, now);
	for (size_t at = 0; at < c->used; at += sizeof(e) + e.bytes) {
		union record r;

		memcpy(&e, c->memory + at, sizeof(e));
		if (e.segment >= segment || e.bytes > sizeof(r)) {
			continue;
		}
		get(&r, c->memory + at + sizeof(e), e.bytes);
		if (is_wanted(c, &r, now)) {
			r.head.corr = 0;
			put(arg, &r, e.bytes);
		}
	}
	for (uint32_t i = 0; i < GST_CARRY_KINDS; i++) {
		struct gst_rec_loss loss = {
			.head = gst_record_head(GST_KIND_LOSS, sizeof(loss), 0),
			.kind = kinds[i],
			.reason = GST_LOSS_TABLE_FULL,
			.count = c->forgotten[i],
			.until_ns = gst_clock_mono_ns(),
		};

		if (loss.count) {
			put(arg, &loss, sizeof(loss));
		}
	}
}
