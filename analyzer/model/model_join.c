/*
 * model_join.c - the calls of all threads in one order, and device records with their calls.
 *
 * Role      : two steps of gst_model_build, between the reading and the walk over the calls.
 * Method    : the threads' calls are merged by enter, ties by thread, while another thread converts the times of
 *             device records and chains those with one correlation id. Then each call takes from its chain what it
 *             can have submitted: ranges of calls, by any thread.
 * Invariant : the result does not hang on the number of threads: each chain is looked at by one task, that of the
 *             first call with its id.
 * Not here  : what clocks are (model_clock.c), what calls do (model_resolve.c).
 */
#include "analyzer/base/assert.h"
#include "analyzer/base/parallel.h"
#include "analyzer/base/sort.h"
#include "analyzer/model/model_internal.h"

/* ---- contexts that calls name ------------------------------------------------------------------------ */

/* Of a handle that several contexts had nobody knows which is meant. */
uint32_t gst_model_context_of_handle(struct gst_builder *b, uint32_t process, uint64_t handle)
{
	uint32_t cupti_id;

	if (!handle ||
	    !gst_map_get(&b->processes.data[process].context_handles, handle, &cupti_id) ||
	    !cupti_id)
		return GST_NONE;
	return gst_model_context(b, process, cupti_id);
}

/* The only context of device @number that is no green one; GST_NONE: none, or several. */
static uint32_t context_of_device(const struct gst_builder *b, uint32_t process, uint64_t number)
{
	uint32_t ctx;

	return number < UINT32_MAX &&
			       gst_map_get(&b->processes.data[process].only_contexts, number, &ctx)
		       ? ctx
		       : GST_NONE;
}

bool gst_model_is_about_context(const struct gst_call *c)
{
	const struct gst_api *api;

	/* Those of a stream, which are many, are told by their flags. */
	if ((c->cls != GST_API_CLASS_EVENT_RECORD && c->cls != GST_API_CLASS_EVENT_WAIT) ||
	    c->api_flags & GST_API_HOT)
		return false;
	api = gst_api_find(c->api);
	return api && api->layout == GST_PARAMS_CTX_EVENT;
}

void gst_model_name_context(struct gst_builder *b, uint32_t process, struct gst_call *c)
{
	const struct gst_call_args *args = c->args == GST_NONE ? NULL : &b->args.data[c->args];
	const struct gst_api *api;
	uint32_t named;

	switch (c->cls) {
	case GST_API_CLASS_CTX_SYNC:
		api = gst_api_find(c->api);
		named = args && api && api->layout == GST_PARAMS_CTX
				? gst_model_context_of_handle(b, process, args->a)
				: GST_NONE;
		c->ctx = named == GST_NONE ? c->ctx : named;
		break;
	case GST_API_CLASS_CTX_DESTROY:
	case GST_API_CLASS_DEVICE_RESET:
		api = gst_api_find(c->api);
		if (api && api->layout == GST_PARAMS_CTX) {
			c->ctx = args ? gst_model_context_of_handle(b, process, args->a) : GST_NONE;
		} else if (api && api->layout == GST_PARAMS_DEVICE) {
			c->ctx = context_of_device(b, process, args ? args->b : 0);
		}
		break;
	case GST_API_CLASS_EVENT_RECORD:
	case GST_API_CLASS_EVENT_WAIT:
		if (!gst_model_is_about_context(c))
			break;
		/* Traces of before do not tell: it is clear where there is but one. */
		if (args && args->bytes) {
			c->ctx = gst_model_context_of_handle(b, process, args->bytes);
		} else {
			c->ctx = b->processes.data[process].context_count == 1
					 ? b->processes.data[process].last_context
					 : GST_NONE;
		}
		break;
	case GST_API_CLASS_OTHER:
		api = gst_api_find(c->api);
		if (api && api->layout == GST_PARAMS_DEVICE_FLAGS)
			c->ctx = context_of_device(b, process,
						   args ? (uint32_t)(args->extra - 1) : 0);
		break;
	default:
		break;
	}
}

/* ---- the order of calls ------------------------------------------------------------------------------- */

/* Both at the same time. */
struct ordering {
	struct gst_builder *b;
	struct enters *enters; /* by process */
	uint64_t least_call_ns, least_dev_ns;
};

/* The calls of one thread that are not in their place yet. */
struct run {
	struct gst_call *next, *end;		/* neighbours */
	const struct gst_call_run *then, *last; /* where those after them are */
	uint32_t *ids;				/* of the thread: gets that of the next one */
	uint64_t offset_ns;			/* from its process' clock to the first one's */
	uint32_t raw, process;
};

struct head {
	uint64_t key;
	uint32_t run; /* equal keys: the lower thread first */
};

/* The begin of the next call of @run, on the clock of the first process; 0: of a clock that is broken. */
static uint64_t enter_ns(const struct run *run)
{
	uint64_t ns = run->next->enter_ns + run->offset_ns;

	return ns < GST_SANE_NS ? ns : 0;
}

/* Several calls have one correlation id: @id comes after those that do. */
static void chain_same(struct gst_builder *b, uint32_t process, uint32_t corr, gst_call_id first,
		       gst_call_id id)
{
	uint32_t *last;

	if (!b->same_id) {
		b->same_id = gst_mem_alloc(b->m->call_count * sizeof(*b->same_id));
		memset(b->same_id, 0xff, b->m->call_count * sizeof(*b->same_id));
	}
	last = gst_map_add(&b->last_same, (uint64_t)process << 32 | corr, first, NULL);
	b->same_id[*last] = id;
	*last = id;
}

/* To the next neighbours of @run; without any its `next` is its `end`. */
static void go_on(const struct gst_builder *b, struct run *run)
{
	if (run->then == run->last)
		return;
	run->next = &b->raw_calls.data[run->then->first];
	run->end = run->next + run->then->count;
	run->then++;
}

/* Call @id of the model: the next one of @run. */
static void place_call(struct gst_builder *b, struct run *run, gst_call_id id)
{
	struct gst_call *c = &b->m->calls[id];
	struct gst_raw_process *p = &b->processes.data[run->process];
	const struct gst_raw_thread *t = &b->threads.data[run->raw];

	if (c != run->next)
		*c = *run->next;
	if (++run->next == run->end)
		go_on(b, run);
	*run->ids++ = id;
	c->thread = t->final;
	if (!t->lacks_ctx) {
		c->ctx = gst_model_context(b, run->process, c->ctx);
		gst_model_name_context(b, run->process, c);
	}
	if (!c->corr)
		return;
	/* The first call of a process makes streams whatever it is: only these give handles. */
	if (c->cls == GST_API_CLASS_STREAM_CREATE)
		gst_map_put(&p->creators, c->corr, id);
	if (p->dense) {
		uint32_t *first = &p->dense[c->corr];

		if (*first == GST_NONE) {
			*first = id;
		} else {
			chain_same(b, run->process, c->corr, *first, id);
		}
	} else {
		bool is_new;
		uint32_t first = *gst_map_add(&p->sparse, c->corr, id, &is_new);

		if (!is_new)
			chain_same(b, run->process, c->corr, first, id);
	}
}

static bool is_before(struct head a, struct head b)
{
	return a.key != b.key ? a.key < b.key : a.run < b.run;
}

/* The head at @at may be too large for its place. */
static void sink(struct head *heads, size_t count, size_t at)
{
	struct head moved = heads[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && is_before(heads[child + 1], heads[child]))
			child++;
		if (!is_before(heads[child], moved))
			break;
		heads[at] = heads[child];
		at = child;
	}
	heads[at] = moved;
}

/*
 * By the begin of the call, then by thread: the threads' calls are merged. Each thread's are in the order of
 * its records; an enter before the last one cannot be, and counts as if it were at the same time.
 */
static void merge_calls(struct ordering *o)
{
	struct gst_builder *b = o->b;
	size_t threads = b->threads.count;
	struct run *runs = gst_mem_alloc(threads * sizeof(*runs));
	struct head *heads = gst_mem_alloc(threads * sizeof(*heads));
	uint32_t *by_thread = GST_ARENA_ARRAY(b->arena, uint32_t, b->m->call_count);
	size_t count = 0;
	gst_call_id id = 0;

	for (size_t i = 0; i < threads; i++) {
		const struct gst_raw_thread *t = &b->threads.data[i];
		struct run *run = &runs[t->final];

		*run = (struct run){.then = t->runs.data,
				    .last = t->runs.data,
				    .offset_ns =
					    gst_model_to_first(&b->processes.data[t->process], 0),
				    .raw = (uint32_t)i,
				    .process = t->process};
		if (t->runs.count) /* none at all: no place to count from */
			run->last += t->runs.count;
		go_on(b, run);
	}
	for (size_t i = 0; i < threads; i++) {
		struct gst_thread *t = &b->m->threads[i];

		t->call_count = b->threads.data[runs[i].raw].call_count;
		t->calls = runs[i].ids = by_thread;
		by_thread += t->call_count;
		if (t->call_count)
			heads[count++] = (struct head){enter_ns(&runs[i]), (uint32_t)i};
	}
	for (size_t i = count / 2; i-- > 0;)
		sink(heads, count, i);
	while (count) {
		struct run *run = &runs[heads[0].run];

		gst_model_take_min(&o->least_call_ns, enter_ns(run));
		place_call(b, run, id++);
		if (run->next != run->end) {
			uint64_t key = enter_ns(run);

			if (key > heads[0].key)
				heads[0].key = key;
		} else {
			heads[0] = heads[--count];
		}
		sink(heads, count, 0);
	}
	GST_ASSERT(id == b->m->call_count);
	gst_mem_free(heads, threads * sizeof(*heads));
	gst_mem_free(runs, threads * sizeof(*runs));
}

/* ---- the times of device records ------------------------------------------------------------------------ */

/* When the first call with a correlation id was made, for device records whose time is ambiguous. */
struct enters {
	struct gst_map by_corr;
	GST_VEC(uint64_t) ns;
};

static void add_enters(struct enters *enters, const struct gst_call *calls, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		bool is_new;

		(void)gst_map_add(&enters->by_corr, calls[i].corr, (uint32_t)enters->ns.count,
				  &is_new);
		if (is_new)
			gst_vec_push(&enters->ns, calls[i].enter_ns);
	}
}

static void find_enters(const struct gst_builder *b, uint32_t process, struct enters *enters)
{
	for (size_t t = 0; t < b->threads.count; t++) {
		const struct gst_raw_thread *thread = &b->threads.data[t];

		if (thread->process != process || thread->is_told)
			continue;
		for (size_t r = 0; r < thread->runs.count; r++)
			add_enters(enters, &b->raw_calls.data[thread->runs.data[r].first],
				   thread->runs.data[r].count);
	}
}

static uint64_t enter_of(const struct enters *enters, uint32_t corr)
{
	uint32_t at;

	return gst_map_get(&enters->by_corr, corr, &at) ? enters->ns.data[at] : 0;
}

/*
 * The device records of @process on the clock of the first one. Those with one correlation id are chained in the
 * order of the file, if ids are dense. As many as have an id are homeless until a call takes them.
 */
static void convert_devs(struct ordering *o, uint32_t process)
{
	struct gst_raw_process *p = &o->b->processes.data[process];
	const struct enters *enters = &o->enters[process];

	for (size_t i = p->devs.count; i-- > 0;) {
		struct gst_raw_dev *d = &p->devs.data[i];
		uint32_t corr = d->corr;
		uint64_t enter_ns = p->clock.has_steps && corr ? enter_of(enters, corr) : 0;

		if (gst_model_convert_range(p, &d->begin_ns, &d->end_ns, enter_ns)) {
			d->bits |= RAW_DEV_TIMED;
			gst_model_take_min(&o->least_dev_ns, d->begin_ns);
		}
		if (!corr) {
			if (d->bits & RAW_DEV_NODE)
				gst_map_put(&p->untold, d->sync_id, 0);
			continue;
		}
		/* Events and waits of the library's own calls may be told of too. */
		p->homeless += d->kind <= DEV_KIND(MEMSET);
		if (corr < p->dense_size) {
			d->next = p->dev_heads[corr];
			p->dev_heads[corr] = (uint32_t)i;
		}
	}
}

static void merge_or_convert(uint32_t i, void *payload)
{
	struct ordering *o = payload;
	const struct gst_model *m = o->b->m;

	if (!i) {
		merge_calls(o);
		return;
	}
	/* The thread that has less to do makes pages for the other one, which begins at the other end. */
	if (o->b->threads.count > 1 && gst_parallel_threads() > 1)
		gst_mem_populate(m->calls + m->call_count / 2,
				 (m->call_count - m->call_count / 2) * sizeof(*m->calls));
	for (uint32_t p = 0; p < o->b->processes.count; p++)
		convert_devs(o, p);
}

/* Ids without a call that an array may have room for, of all processes: a file can name many of these. */
#define SPARE_IDS 65536u

/* Where calls and device records are found by their correlation ids. */
static void make_corr_tables(struct gst_builder *b)
{
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];
		size_t size = (size_t)p->most_corr + 1;

		/* Correlation ids count up by one a call: a plain array, unless the file says otherwise. */
		if (size > 8 * (size_t)p->call_count + SPARE_IDS / b->processes.count)
			continue;
		p->dense_size = size;
		p->dense = gst_mem_alloc(size * sizeof(*p->dense));
		p->dev_heads = gst_mem_alloc(size * sizeof(*p->dev_heads));
		memset(p->dense, 0xff, size * sizeof(*p->dense));
		memset(p->dev_heads, 0xff, size * sizeof(*p->dev_heads));
	}
}

uint64_t gst_model_order_calls(struct gst_builder *b)
{
	struct ordering o = {.b = b, .least_call_ns = UINT64_MAX, .least_dev_ns = UINT64_MAX};

	o.enters = gst_mem_alloc(b->processes.count * sizeof(*o.enters));
	for (uint32_t i = 0; i < b->processes.count; i++) {
		if (b->processes.data[i].clock.has_steps)
			find_enters(b, i, &o.enters[i]);
	}
	make_corr_tables(b);
	b->m->call_count = (uint32_t)b->raw_calls.count;
	if (b->threads.count != 1)
		b->m->calls = GST_ARENA_ARRAY(b->arena, struct gst_call, b->m->call_count);
	else /* Those of a single thread stay where they are. */
		b->m->calls = b->raw_calls.data;
	gst_parallel_run(2, merge_or_convert, &o);
	if (b->threads.count == 1)
		GST_ARENA_TAKE_VEC(b->arena, b->m->calls, &b->raw_calls);
	for (uint32_t i = 0; i < b->processes.count; i++) {
		gst_map_release(&o.enters[i].by_corr);
		gst_vec_free(&o.enters[i].ns);
	}
	gst_mem_free(o.enters, b->processes.count * sizeof(*o.enters));
	return o.least_call_ns < o.least_dev_ns ? o.least_call_ns : o.least_dev_ns;
}

/* ---- which records are whose ------------------------------------------------------------------------------ */

/* Calls with one correlation id that are looked at: those a call of the runtime makes inside. */
#define SHARED_MAX 64u

enum claim { CLAIM_NONE, CLAIM_WEAK, CLAIM_STRONG };

/* Can what @d tells of have been submitted by @c? A stale correlation id names just any call. */
static enum claim claim_of(const struct gst_call *c, const struct gst_raw_dev *d)
{
	const enum gst_api_class cls = c->cls;
	bool can = false;

	/* A call that is not known here may have done anything. */
	if (cls == GST_API_CLASS_OTHER)
		return CLAIM_WEAK;
	switch (d->kind) {
	case DEV_KIND(KERNEL):
		can = cls == GST_API_CLASS_LAUNCH || cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(MEMCPY):
	case DEV_KIND(MEMSET):
		/* What fills new memory, or brings the variables of a module, is not the main thing. */
		if (cls == GST_API_CLASS_PREFETCH || cls == GST_API_CLASS_ALLOC ||
		    cls == GST_API_CLASS_ALLOC_ASYNC || cls == GST_API_CLASS_MODULE ||
		    cls == GST_API_CLASS_GRAPH_UPLOAD || cls == GST_API_CLASS_GRAPH_INSTANTIATE)
			return CLAIM_WEAK;
		can = cls == GST_API_CLASS_COPY || cls == GST_API_CLASS_MEMSET ||
		      cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(GRAPH_RUN):
		can = cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(HOST_RUN):
		can = cls == GST_API_CLASS_HOST_FUNC || cls == GST_API_CLASS_STREAM_CALLBACK ||
		      cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(EVENT):
		can = cls == GST_API_CLASS_EVENT_RECORD || cls == GST_API_CLASS_LAUNCH ||
		      cls == GST_API_CLASS_GRAPH_LAUNCH;
		break;
	case DEV_KIND(SYNC):
		if (d->sync_type == GST_SYNC_STREAM_WAIT) {
			can = cls == GST_API_CLASS_EVENT_WAIT;
		} else if (d->sync_type == GST_SYNC_EVENT_SYNC) {
			can = cls == GST_API_CLASS_EVENT_SYNC || cls == GST_API_CLASS_EVENT_QUERY;
		} else {
			can = true;
		}
		break;
	default:
		return CLAIM_WEAK;
	}
	return can ? CLAIM_STRONG : CLAIM_NONE;
}

/* The one of the calls @first, same_id[@first], ... that @d can be of; GST_NONE = none, or several. */
static gst_call_id owner_of(const struct gst_builder *b, const struct gst_raw_dev *d,
			    gst_call_id first)
{
	gst_call_id owner = GST_NONE;
	enum claim best = CLAIM_NONE;
	uint32_t left = SHARED_MAX;
	bool is_unique = false;

	if (!b->same_id)
		return claim_of(&b->m->calls[first], d) != CLAIM_NONE ? first : GST_NONE;
	for (gst_call_id c = first; c != GST_NONE; c = b->same_id[c]) {
		enum claim claim = claim_of(&b->m->calls[c], d);

		if (!left--)
			return GST_NONE;
		if (claim == CLAIM_NONE || claim < best)
			continue;
		is_unique = claim > best;
		best = claim;
		owner = c;
	}
	return is_unique ? owner : GST_NONE;
}

/* What a task counts of one process. */
struct tally {
	uint64_t
		found; /* device records whose id names calls, of those that count as homeless if it does not */
	uint64_t misjoined; /* of these, without one call that they can be of */
	uint64_t claimed;   /* device records of all kinds that are a call's now */
};

/* Is @d rather the kernel of a launch that began at @enter_ns than @best? */
static bool is_likelier(const struct gst_raw_dev *d, const struct gst_raw_dev *best,
			uint64_t enter_ns)
{
	bool is_after = d->bits & RAW_DEV_TIMED && d->begin_ns >= enter_ns;
	bool best_is_after = best->bits & RAW_DEV_TIMED && best->begin_ns >= enter_ns;

	return is_after != best_is_after ? is_after : d->begin_ns < best->begin_ns;
}

/* One launch is one kernel, unless it is for several devices: of more records, only one can be its. */
static void keep_one_kernel(struct gst_builder *b, struct gst_raw_process *p, struct gst_call *c,
			    struct tally *tally)
{
	uint32_t best = GST_NONE;
	uint32_t kernels = 0;
	uint32_t *link;

	if (c->cls != GST_API_CLASS_LAUNCH ||
	    (c->args != GST_NONE &&
	     b->args.data[c->args].flags & (GST_LAUNCH_FLAG_MULTI_DEVICE | GST_LAUNCH_FLAG_UNREAD)))
		return;
	for (uint32_t d = c->stream; d != GST_NONE; d = p->devs.data[d].next) {
		if (p->devs.data[d].kind != DEV_KIND(KERNEL))
			continue;
		kernels++;
		if (best == GST_NONE ||
		    is_likelier(&p->devs.data[d], &p->devs.data[best], c->enter_ns))
			best = d;
	}
	if (kernels < 2)
		return;
	for (link = &c->stream; *link != GST_NONE;) {
		struct gst_raw_dev *d = &p->devs.data[*link];

		if (d->kind != DEV_KIND(KERNEL) || *link == best) {
			link = &d->next;
			continue;
		}
		*link = d->next;
		d->next = GST_NONE;
		d->bits &= (uint8_t)~RAW_DEV_CLAIMED;
		tally->claimed--;
		tally->misjoined++;
	}
}

/* The first call of @p with @corr; GST_NONE. */
static gst_call_id call_of_corr(const struct gst_raw_process *p, uint32_t corr)
{
	uint32_t call = GST_NONE;

	if (!corr)
		return GST_NONE;
	if (!p->dense) {
		(void)gst_map_get(&p->sparse, corr, &call);
		return call;
	}
	return corr < p->dense_size ? p->dense[corr] : GST_NONE;
}

/* Something was loaded inside @call, which may be for another purpose. */
static void mark_loaded(struct gst_model *m, gst_call_id call)
{
	if (call != GST_NONE && m->calls[call].cls != GST_API_CLASS_MODULE)
		m->calls[call].flags |= GST_CALL_LOADED;
}

/* The times of @c become the model's. */
static void base_call(const struct gst_builder *b, const struct gst_raw_process *p,
		      struct gst_call *c)
{
	c->enter_ns = gst_model_since_base(b, gst_model_to_first(p, c->enter_ns));
	if (!(c->flags & GST_CALL_RETURNED))
		return;
	c->exit_ns = gst_model_since_base(b, gst_model_to_first(p, c->exit_ns));
	/* A time beyond reason became 0. */
	if (c->exit_ns < c->enter_ns)
		c->exit_ns = c->enter_ns;
}

/* Device record @d, of no chain any more, to the begin of those of @owner; GST_NONE: it is nobody's. */
static void give_dev(struct gst_builder *b, struct gst_raw_process *p, uint32_t d,
		     gst_call_id owner, struct tally *tally)
{
	struct gst_raw_dev *dev = &p->devs.data[d];

	dev->next = GST_NONE;
	if (owner == GST_NONE) {
		tally->misjoined += dev->kind != DEV_KIND(SYNC);
		return;
	}
	dev->next = b->m->calls[owner].stream;
	dev->bits |= RAW_DEV_CLAIMED;
	tally->claimed++;
	b->m->calls[owner].stream = d;
}

static void find_dev(const struct gst_builder *b, struct gst_raw_dev *dev, struct tally *tally)
{
	gst_model_base_dev(b, dev);
	tally->found += dev->kind <= DEV_KIND(MEMSET);
}

/* The chain that begins with @head, the other way round. */
static uint32_t reverse(struct gst_raw_process *p, uint32_t head)
{
	uint32_t out = GST_NONE;

	while (head != GST_NONE) {
		uint32_t next = p->devs.data[head].next;

		p->devs.data[head].next = out;
		out = head;
		head = next;
	}
	return out;
}

/* The device records from @head on, all that have the id of call @id and of those after it. */
static void share_chain(struct gst_builder *b, struct gst_raw_process *p, gst_call_id id,
			uint32_t head, struct tally *tally)
{
	/* From the last one on, each before the one that was taken last: so they stay in the order of the file. */
	for (uint32_t d = reverse(p, head); d != GST_NONE;) {
		struct gst_raw_dev *dev = &p->devs.data[d];
		uint32_t next = dev->next;
		gst_call_id owner;

		find_dev(b, dev, tally);
		owner = owner_of(b, dev, id);
		give_dev(b, p, d, owner, tally);
		d = next;
	}
}

static bool is_shared(const struct gst_builder *b, gst_call_id id)
{
	return b->same_id && b->same_id[id] != GST_NONE;
}

/* The chain of the device records with the id of call @id, if that is the first call with it; once. */
static uint32_t take_chain(const struct gst_builder *b, const struct gst_raw_process *p,
			   gst_call_id id)
{
	struct gst_call *c = &b->m->calls[id];
	uint32_t head = c->stream;

	if (p->dense)
		return c->corr && p->dense[c->corr] == id ? p->dev_heads[c->corr] : GST_NONE;
	/* What a later one has there is its already: the first one gave it. */
	if (is_shared(b, id) && call_of_corr(p, c->corr) != id)
		return GST_NONE;
	c->stream = GST_NONE; /* chained there by join_sparse() */
	return head;
}

/* Call @id takes the device records with its correlation id. */
static void join_call(struct gst_builder *b, struct gst_raw_process *p, gst_call_id id,
		      struct tally *tally)
{
	uint32_t head = take_chain(b, p, id);
	struct gst_raw_dev *dev;

	if (head == GST_NONE)
		return;
	/* Mostly a call has one, and is the only one with its id. */
	dev = &p->devs.data[head];
	if (dev->next == GST_NONE && !is_shared(b, id)) {
		find_dev(b, dev, tally);
		give_dev(b, p, head, claim_of(&b->m->calls[id], dev) == CLAIM_NONE ? GST_NONE : id,
			 tally);
		return;
	}
	share_chain(b, p, id, head, tally);
	for (gst_call_id same = id; same != GST_NONE;
	     same = b->same_id ? b->same_id[same] : GST_NONE)
		keep_one_kernel(b, p, &b->m->calls[same], tally);
}

/* Few and far between: chains begin in the calls. */
static void join_sparse(struct gst_builder *b, struct gst_raw_process *p)
{
	for (uint32_t i = (uint32_t)p->devs.count; i-- > 0;) {
		gst_call_id call = call_of_corr(p, p->devs.data[i].corr);

		if (call == GST_NONE)
			continue;
		p->devs.data[i].next = b->m->calls[call].stream;
		b->m->calls[call].stream = i;
	}
}

static void add_tally(struct gst_raw_process *p, const struct tally *tally)
{
	__atomic_fetch_sub(&p->homeless, tally->found, __ATOMIC_RELAXED);
	__atomic_fetch_add(&p->misjoined, tally->misjoined, __ATOMIC_RELAXED);
	__atomic_fetch_add(&p->claimed, tally->claimed, __ATOMIC_RELAXED);
}

/* Calls from @id to before @end. */
static void join_calls(struct gst_builder *b, gst_call_id id, gst_call_id end)
{
	struct gst_raw_process *p = NULL;
	struct tally tally = {0};

	for (; id < end; id++) {
		struct gst_call *c = &b->m->calls[id];
		struct gst_raw_process *its = &b->processes.data[b->m->threads[c->thread].process];

		if (its != p && p) {
			add_tally(p, &tally);
			tally = (struct tally){0};
		}
		p = its;
		base_call(b, p, c);
		if (!is_shared(b, id))
			join_call(b, p, id, &tally);
	}
	if (p)
		add_tally(p, &tally);
}

/* Range @i of @count of the calls; and pages for as much of their ops. */
static void join_range(struct gst_builder *b, uint32_t i, uint32_t count)
{
	size_t ops = b->ops_room / count;

	join_calls(b, (gst_call_id)((uint64_t)b->m->call_count * i / count),
		   (gst_call_id)((uint64_t)b->m->call_count * (i + 1) / count));
	if (gst_parallel_threads() > 1)
		gst_mem_populate(b->m->ops + ops * i, ops * sizeof(*b->m->ops));
}

/* Ranges of calls, if several threads look at one at a time; if one goes before the walk. */
#define RANGES	     16u
#define RANGES_AHEAD 256u

static void join_one_range(uint32_t i, void *payload)
{
	join_range(payload, i, RANGES);
}

/* Those with an id that several calls have may be in several ranges. */
static void join_shared(struct gst_builder *b)
{
	for (gst_call_id id = 0; b->same_id && id < b->m->call_count; id++) {
		uint32_t thread = b->m->calls[id].thread;
		struct gst_raw_process *p = &b->processes.data[b->m->threads[thread].process];
		struct tally tally = {0};

		if (!is_shared(b, id))
			continue;
		join_call(b, p, id, &tally);
		add_tally(p, &tally);
	}
}

/* Records that tell of a call, and are no work of it. */
static void join_others(struct gst_builder *b)
{
	for (size_t r = 0; r < b->memory.count; r++) {
		struct gst_raw_memory *rec = &b->memory.data[r];

		rec->out.call = call_of_corr(&b->processes.data[rec->out.process], rec->corr);
	}
	for (size_t r = 0; r < b->overheads.count; r++) {
		struct gst_overhead *o = &b->overheads.data[r];

		o->call = call_of_corr(&b->processes.data[o->process], o->call);
		if (o->type == GST_OVERHEAD_LAZY_LOADING || o->type == GST_OVERHEAD_MODULE_LOADING)
			mark_loaded(b->m, o->call);
	}
	for (size_t r = 0; r < b->loads.count; r++)
		mark_loaded(b->m, call_of_corr(&b->processes.data[b->loads.data[r] >> 32],
					       (uint32_t)b->loads.data[r]));
}

static void free_corr_tables(struct gst_builder *b)
{
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];

		gst_mem_free(p->dense, p->dense_size * sizeof(*p->dense));
		gst_mem_free(p->dev_heads, p->dense_size * sizeof(*p->dev_heads));
		p->dense = p->dev_heads = NULL;
		gst_map_release(&p->sparse);
	}
	gst_mem_free(b->same_id, b->m->call_count * sizeof(*b->same_id));
	b->same_id = NULL;
	gst_map_release(&b->last_same);
}

/* Does a call get no records but in its turn, and does nobody ask for them before it is walked? */
static bool may_join_ahead(const struct gst_builder *b)
{
	bool may = !b->same_id;

	for (size_t i = 0; i < b->processes.count; i++)
		may = may && b->processes.data[i].dense;
	/* Contexts are found by device records, for all calls before the walk. */
	for (size_t i = 0; i < b->threads.count; i++)
		may = may && !b->threads.data[i].lacks_ctx;
	return may;
}

void gst_model_join_devices(struct gst_builder *b)
{
	join_others(b);
	if (may_join_ahead(b))
		return;
	for (size_t i = 0; i < b->processes.count; i++) {
		struct gst_raw_process *p = &b->processes.data[i];

		if (!p->dense)
			join_sparse(b, p);
	}
	gst_parallel_run(RANGES, join_one_range, b);
	join_shared(b);
	free_corr_tables(b);
	gst_progress_tell(&b->joined, b->m->call_count);
}

void gst_model_join_ahead(struct gst_builder *b)
{
	if (gst_progress_has_begun(&b->joined))
		return;
	for (uint32_t i = 0; i < RANGES_AHEAD; i++) {
		join_range(b, i, RANGES_AHEAD);
		gst_progress_tell(&b->joined, (uint64_t)b->m->call_count * (i + 1) / RANGES_AHEAD);
	}
	free_corr_tables(b);
}
