/*
 * oracle_rules.c - the ordering rules written a second time, as plain loops over all pairs.
 *
 * Role      : gst_oracle_make() for oracle_test.c: the truth about a random program.
 * Method    : one relation for each rule and pair, in the words of docs/ORDERING.md; then the transitive closure.
 * Invariant : no code or table of analyzer/order is used; a rule is not made faster than it reads.
 * Not here  : graphs with definitions (graph_oracle_test.c), times.
 */
#include "analyzer/test/oracle_rules.h"

enum strength { MAY = 1, MUST = 2, DEVICE = 4 }; /* DEVICE: no host thread is involved */

int gst_oracle_call_of[ACTS_MAX];

static void relate(struct gst_oracle *o, int from, int to, int strength)
{
	gst_relation_set(&o->may, from, to);
	if (strength & MUST)
		gst_relation_set(&o->must, from, to);
	if ((strength & (MUST | DEVICE)) == (MUST | DEVICE))
		gst_relation_set(&o->device, from, to);
}

/* Was act @i surely accepted before act @k? */
static bool first(const struct gst_world *w, int i, int k)
{
	const struct gst_act *a = &w->acts[i];
	const struct gst_act *b = &w->acts[k];

	if (a->thread == b->thread)
		return i < k && !(k == i + 1 && b->kind == MULTI_OTHER);
	return a->returned && a->exit <= b->enter;
}

static bool is_kernel(const struct gst_act *a)
{
	return a->kind == KERNEL || a->kind == PROGRAMMATIC || a->kind == LAUNCH_EVENT ||
	       a->kind == MULTI || a->kind == MULTI_OTHER;
}

static bool is_action(const struct gst_act *a)
{
	return a->kind != ALLOC && a->kind != FREE_ASYNC && a->kind != VALUE_WRITE &&
	       a->kind != VALUE_WAIT;
}

static const struct gst_program_stream *stream_of(const struct gst_world *w, int i)
{
	return &w->streams[w->acts[i].stream];
}

static bool blocks(const struct gst_program_stream *s)
{
	return s->kind == BLOCKING || s->kind == PER_THREAD;
}

/* The op that stands immediately before act @k in its stream; -1 = none. */
static int just_before(const struct gst_world *w, int k)
{
	for (int i = k; i-- > 0;) {
		if (w->acts[i].runs && !gst_act_in_no_stream(&w->acts[i]) &&
		    w->acts[i].stream == w->acts[k].stream)
			return i;
	}
	return -1;
}

/* The kernel that programmatic act @k may overlap: nothing but records and waits of events stands between; -1 = none. */
static int overlapped(const struct gst_world *w, int k)
{
	int i = just_before(w, k);

	if (w->acts[k].kind != PROGRAMMATIC || i < 0 || !first(w, i, k))
		return -1;
	while (i >= 0 && stream_of(w, k)->kind != LEGACY &&
	       (w->acts[i].kind == RECORD || w->acts[i].kind == WAIT))
		i = just_before(w, i);
	/* A launch on several devices: what follows waits for all of its kernels (M6). */
	if (i >= 0 && i != just_before(w, k) &&
	    (w->acts[i].kind == MULTI || w->acts[i].kind == MULTI_OTHER))
		return -1;
	return i >= 0 && is_kernel(&w->acts[i]) && first(w, i, k) ? i : -1;
}

static bool overlaps_before(const struct gst_world *w, int k)
{
	return overlapped(w, k) >= 0;
}

/* After nothing that its stream has. */
static bool is_early(const struct gst_act *a)
{
	return a->kind == BATCH && a->is_early;
}

/* Does act @i end before act @k begins because of their streams alone? */
static bool by_stream(const struct gst_world *w, int i, int k)
{
	const struct gst_program_stream *s = stream_of(w, i);
	const struct gst_program_stream *t = stream_of(w, k);

	if (!first(w, i, k) || gst_act_in_no_stream(&w->acts[i]) ||
	    gst_act_in_no_stream(&w->acts[k]) || is_early(&w->acts[k]))
		return false;
	if (w->acts[i].stream == w->acts[k].stream)
		return !overlaps_before(w, k);
	if (s->ctx != t->ctx)
		return false;
	if (s->kind == LEGACY && is_action(&w->acts[i]) && blocks(t))
		return true;
	return t->kind == LEGACY && is_action(&w->acts[k]) && blocks(s);
}

static bool is_peer_of(const struct gst_act *a)
{
	return a->kind == PEER && a->runs;
}

static int max_strength(int a, int b)
{
	return a > b ? a : b;
}

/* Peer copies join both contexts: every context other than the copy's own is an end of it. */
static int peer_strength(const struct gst_world *w, int i, int k)
{
	const struct gst_program_stream *s = stream_of(w, i);
	const struct gst_program_stream *t = stream_of(w, k);

	int strength = 0;

	/* Their ends are devices: a green context is none. */
	if (!first(w, i, k) || s->ctx == t->ctx || w->primary[s->ctx] >= 0 ||
	    w->primary[t->ctx] >= 0 || is_early(&w->acts[k]) || gst_act_in_no_stream(&w->acts[i]) ||
	    gst_act_in_no_stream(&w->acts[k]))
		return 0;
	if (is_peer_of(&w->acts[k]) && (blocks(s) || (s->kind == LEGACY && is_action(&w->acts[i]))))
		strength = w->acts[k].is_peer_api ? MUST : MAY;
	if (is_peer_of(&w->acts[i]) && (blocks(t) || t->kind == LEGACY))
		strength = max_strength(strength, w->acts[i].is_peer_api ? MUST : MAY);
	return strength;
}

/* Does act @i record @event, in a life that act @k still sees? */
static bool records(const struct gst_world *w, int i, int k, int event)
{
	const struct gst_act *a = &w->acts[i];

	if ((a->kind != RECORD && a->kind != LAUNCH_EVENT && a->kind != CTX_RECORD) || a->result ||
	    (a->event != event &&
	     !(a->kind == LAUNCH_EVENT && a->has_both && a->event2 == event)) ||
	    i == k)
		return false;
	/* A program that creates events anew does not overlap. */
	for (int n = i + 1; n < k; n++) {
		if (w->acts[n].kind == EVENT_RENEW && w->acts[n].event == event)
			return false;
	}
	return true;
}

/* The record that act @k means by @event; -1 = none, or not known. */
static int meant_record(const struct gst_world *w, int k, int event)
{
	int found = -1;

	for (int i = 0; i < w->act_count; i++) {
		bool is_last = true;

		if (!records(w, i, k, event) || first(w, k, i))
			continue;
		if (!first(w, i, k))
			return -1; /* before or after: nobody knows */
		for (int n = 0; n < w->act_count; n++) {
			if (n != i && records(w, n, k, event) && first(w, n, k) && !first(w, n, i))
				is_last = false;
		}
		if (is_last)
			found = i;
	}
	return found >= 0 && w->acts[found].runs ? found : -1;
}

static void relate_records(struct gst_oracle *o, int k, int event, bool is_host)
{
	const struct gst_world *w = o->w;
	int r = meant_record(w, k, event);

	if (r < 0)
		return;
	if (w->acts[r].kind != LAUNCH_EVENT) {
		if (is_host) {
			relate(o, gst_end_of(r), gst_exit_of(k), MUST);
		} else {
			relate(o, gst_end_of(r), gst_begin_of(k), MUST | DEVICE);
		}
	} else if (!is_host) {
		relate(o, gst_begin_of(r), gst_begin_of(k),
		       (w->acts[r].has_both ? w->acts[r].event2 == event : w->acts[r].is_completion)
			       ? MAY
			       : MUST | DEVICE);
	}
}

/* The other half of the launch that act @k is of; -1 = it is none. */
static int other_half(const struct gst_world *w, int k)
{
	return w->acts[k].kind == MULTI ? k + 1 : w->acts[k].kind == MULTI_OTHER ? k - 1 : -1;
}

static int by_launch(const struct gst_world *w, int i, int k)
{
	int before = other_half(w, k);
	int after = other_half(w, i);

	if (!first(w, i, k) || is_early(&w->acts[k]) || gst_act_in_no_stream(&w->acts[i]) ||
	    gst_act_in_no_stream(&w->acts[k]))
		return 0;
	if (before >= 0 && !w->acts[k].no_pre && w->acts[before].stream == w->acts[i].stream)
		return MUST;
	return after >= 0 && !w->acts[i].no_post && w->acts[after].stream == w->acts[k].stream
		       ? MUST
		       : 0;
}

/* Records and waits of a whole context; the calls that may be a barrier on the device. */
static int by_context(const struct gst_world *w, int i, int k)
{
	const struct gst_act *a = &w->acts[i];
	const struct gst_act *b = &w->acts[k];
	int strength = 0;

	if (!first(w, i, k) || is_early(b))
		return 0;
	if (b->kind == CTX_RECORD && !gst_act_in_no_stream(a) &&
	    gst_world_covers(w, b->target, stream_of(w, i)->ctx))
		return MUST;
	if (a->kind == CTX_WAIT && b->kind != CTX_RECORD &&
	    gst_world_covers(w, a->target, b->kind == CTX_WAIT ? b->target : stream_of(w, k)->ctx))
		return MUST;
	for (int g = 0; g < w->act_count && !gst_act_in_no_stream(a) && !gst_act_in_no_stream(b);
	     g++) {
		if (w->acts[g].kind == CACHE_CONFIG && !w->acts[g].result && first(w, i, g) &&
		    first(w, g, k) && stream_of(w, i)->ctx == w->acts[g].ctx &&
		    stream_of(w, k)->ctx == w->acts[g].ctx)
			strength = MAY;
	}
	return strength;
}

static void relate_copy(struct gst_oracle *o, int k)
{
	const struct gst_world *w = o->w;
	const struct gst_act *a = &w->acts[k];
	bool is_sync = a->kind == COPY_SYNC;
	int own = 0;
	int earlier = 0;

	switch (a->direction) {
	case H2H:
		own = MUST;
		break;
	case D2H:
		own = is_sync ? MUST : a->memory == PAGEABLE ? MAY : 0;
		earlier = !is_sync && a->memory == MANAGED ? MAY : 0;
		break;
	case H2D:
		if (is_sync) {
			own = a->memory == PINNED ? MUST : 0;
			earlier = a->memory == PAGEABLE ? MUST : a->memory == MANAGED ? MAY : 0;
		} else {
			earlier = a->memory != PINNED ? MAY : 0;
		}
		break;
	case D2D:
		own = is_sync && a->is_marked ? MUST : 0;
		break;
	}
	if (own)
		relate(o, gst_end_of(k), gst_exit_of(k), own);
	for (int i = 0; i < w->act_count && earlier; i++) {
		int peer;

		if (i == k || !w->acts[i].runs)
			continue;
		if (by_stream(w, i, k))
			relate(o, gst_end_of(i), gst_exit_of(k), earlier);
		peer = max_strength(peer_strength(w, i, k), by_context(w, i, k));
		peer = max_strength(peer, by_launch(w, i, k));
		if (peer)
			relate(o, gst_end_of(i), gst_exit_of(k), peer < earlier ? peer : earlier);
	}
}

static void relate_host_waits(struct gst_oracle *o, int k)
{
	const struct gst_world *w = o->w;
	const struct gst_act *a = &w->acts[k];
	const struct gst_program_stream *s = stream_of(w, k);

	if (a->captured || a->result)
		return;
	if ((a->kind == STREAM_QUERY || a->kind == EVENT_QUERY || a->kind == ELAPSED) &&
	    !a->returned)
		return;
	if (a->kind == EVENT_SYNC || a->kind == EVENT_QUERY || a->kind == ELAPSED)
		relate_records(o, k, a->event, true);
	if (a->kind == ELAPSED)
		relate_records(o, k, a->event2, true);
	if ((a->kind == COPY || a->kind == COPY_SYNC) && a->runs)
		relate_copy(o, k);
	if (a->kind == MEMSET_SYNC && a->runs && a->memory == PAGEABLE && a->is_marked)
		relate(o, gst_end_of(k), gst_exit_of(k), MUST);
	if (a->kind == MEMSET_SYNC && a->runs && a->memory != PAGEABLE)
		relate(o, gst_end_of(k), gst_exit_of(k), a->memory == PINNED ? MUST : MAY);
	if (is_kernel(a) && a->runs && w->launch_blocking)
		relate(o, gst_end_of(k), gst_exit_of(k), MUST);
	if (a->kind == GRAPH && a->runs && w->launch_blocking)
		relate(o, gst_end_of(k), gst_exit_of(k), MAY);
	/* What made room by the clock was not in the queue before this call if nobody knows that it was accepted before. */
	if (a->made_room >= 0 && first(w, a->made_room, k))
		relate(o, gst_end_of(a->made_room), gst_exit_of(k), MAY);
	for (int i = 0; i < w->act_count; i++) {
		const struct gst_program_stream *t = stream_of(w, i);

		if (i == k || !w->acts[i].runs || !first(w, i, k) ||
		    gst_act_in_no_stream(&w->acts[i]))
			continue;
		if (a->kind == CTX_END && gst_world_covers(w, a->ctx, t->ctx))
			relate(o, gst_end_of(i), gst_exit_of(k), MAY);
		if (is_kernel(a) && a->loads && t->ctx == a->ctx)
			relate(o, gst_end_of(i), gst_exit_of(k), MAY);
		if ((a->kind == STREAM_SYNC || a->kind == STREAM_QUERY) &&
		    (w->acts[i].stream == a->stream ||
		     (s->kind == LEGACY && t->ctx == s->ctx && blocks(t))))
			relate(o, gst_end_of(i), gst_exit_of(k), MUST);
		if (a->kind == CTX_SYNC && gst_world_covers(w, a->ctx, t->ctx))
			relate(o, gst_end_of(i), gst_exit_of(k), MUST);
		if (a->kind == FREE_PLAIN && !a->is_pool_address && t->ctx == a->ctx)
			relate(o, gst_end_of(i), gst_exit_of(k), MAY);
	}
}

/* The last freeing of the address that act @k got; -1 = none. */
static int last_free(const struct gst_world *w, int k)
{
	int found = -1;

	for (int i = 0; i < w->act_count; i++) {
		if (w->acts[i].kind == FREE_ASYNC && w->acts[i].runs && i < k &&
		    w->acts[i].address == w->acts[k].address)
			found = i;
	}
	return found >= 0 && first(w, found, k) ? found : -1;
}

/* Does the value that act @i writes end the wait of act @k? */
static bool ends_wait(const struct gst_world *w, int i, int k)
{
	const struct gst_act *a = &w->acts[i];
	const struct gst_act *b = &w->acts[k];

	if (a->kind != VALUE_WRITE || !a->runs || a->word != b->word)
		return false;
	switch (b->compare) {
	case 0:
		return a->value >= b->value;
	case 1:
		return a->value == b->value;
	case 2:
		return (a->value & b->value) > 0;
	default:
		return true; /* of 32 bits some are clear in both */
	}
}

/* The write that the wait of act @k has surely seen, or a later one of its stream; -1 = nobody knows. */
static int written_for(const struct gst_world *w, int k)
{
	int found = -1;

	for (int i = 0; i < w->act_count; i++) {
		if (!ends_wait(w, i, k) ||
		    (w->acts[i].stream == w->acts[k].stream && first(w, k, i)))
			continue;
		if (w->acts[i].stream == w->acts[k].stream)
			return -1;
		if (found >= 0 &&
		    (w->acts[found].stream != w->acts[i].stream || !first(w, found, i)))
			return -1;
		if (found < 0)
			found = i;
	}
	return found >= 0 && first(w, found, k) && w->acts[found].has_barrier ? found : -1;
}

void gst_oracle_make(struct gst_oracle *o, const struct gst_world *w)
{
	int n = w->act_count;

	o->w = w;
	gst_relation_reset(&o->may, 4 * n);
	gst_relation_reset(&o->must, 4 * n);
	gst_relation_reset(&o->device, 4 * n);
	for (int k = 0; k < n; k++)
		gst_oracle_call_of[k] = w->acts[k].kind == MULTI_OTHER ? k - 1 : k;
	for (int k = 0; k < n; k++) {
		const struct gst_act *a = &w->acts[k];

		relate(o, gst_enter_of(k), gst_exit_of(k), MUST);
		relate_host_waits(o, k);
		for (int i = 0; i < k; i++) {
			if (w->acts[i].thread == a->thread &&
			    gst_oracle_call_of[i] != gst_oracle_call_of[k])
				relate(o, gst_exit_of(i), gst_enter_of(k), MUST);
		}
		if (!a->runs)
			continue;
		relate(o, gst_enter_of(k), gst_begin_of(k), MUST);
		relate(o, gst_begin_of(k), gst_end_of(k), MUST | DEVICE);
		if (overlaps_before(w, k)) {
			relate(o, gst_begin_of(overlapped(w, k)), gst_begin_of(k), MUST | DEVICE);
			/* What was waited for may hold it up all the same. */
			if (just_before(w, k) != overlapped(w, k))
				relate(o, gst_end_of(just_before(w, k)), gst_begin_of(k), MAY);
		}
		if (a->kind == WAIT || a->kind == CTX_WAIT)
			relate_records(o, k, a->event, false);
		if (a->kind == VALUE_WAIT && written_for(w, k) >= 0)
			relate(o, gst_end_of(written_for(w, k)), gst_begin_of(k), MAY);
		if (a->kind == ALLOC && last_free(w, k) >= 0)
			relate(o, gst_end_of(last_free(w, k)), gst_begin_of(k), MUST | DEVICE);
		for (int i = 0; i < n; i++) {
			int strength = 0;

			if (i == k || !w->acts[i].runs)
				continue;
			if (by_stream(w, i, k) || (a->kind == GRAPH && w->acts[i].kind == GRAPH &&
						   w->acts[i].exec == a->exec && first(w, i, k)))
				strength = MUST;
			strength = max_strength(strength, peer_strength(w, i, k));
			strength = max_strength(strength, by_context(w, i, k));
			strength = max_strength(strength, by_launch(w, i, k));
			if (strength)
				relate(o, gst_end_of(i), gst_begin_of(k), strength | DEVICE);
		}
	}
	gst_relation_close(&o->may);
	gst_relation_close(&o->must);
	gst_relation_close(&o->device);
}
