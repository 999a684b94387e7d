/*
 * loss.c - counters of what could not be recorded.
 *
 * Role      : callbacks, activity and strings count; the writer takes the counts.
 * Method    : one cell for each kind and reason; a kind's cell is found by its number, kinds without
 *             a cell of their own share the last.
 * Invariant : each loss is taken exactly once; times may be wider than the truth, never narrower.
 * Not here  : what a loss means for a conclusion (analyzer).
 */
#include "tracer/loss.h"
#include "tracer/clock.h"
#include "tracer/format/encode.h"

#define DEFINITIONS 52u /* kinds of them that have a cell */

/* Calls have cells 1-9, their exits 10, device records 11-20, strings and definitions 21-; 0: several. */
static uint32_t cell_of_kind(uint32_t kind)
{
	kind &= GST_KIND_MASK;
	if (kind >= GST_REC_CALL && kind <= GST_REC_CALL_HOST) {
		return kind - GST_REC_CALL + 1;
	}
	if (kind == GST_REC_CALL_EXIT) {
		return 10;
	}
	if (kind >= GST_REC_KERNEL && kind <= GST_REC_API_RUN) {
		return kind - GST_REC_KERNEL + 11;
	}
	if (kind == GST_REC_KERNEL_SHORT) {
		return cell_of_kind(GST_REC_KERNEL);
	}
	if (kind >= GST_REC_STRING && kind < GST_REC_STRING + DEFINITIONS) {
		return kind - GST_REC_STRING + 21;
	}
	return 0;
}

static uint32_t kind_of_cell(uint32_t cell)
{
	if (cell >= 21 && cell < 21 + DEFINITIONS) {
		return cell - 21 + GST_REC_STRING;
	}
	if (cell >= 11 && cell < 21) {
		return cell - 11 + GST_REC_KERNEL;
	}
	if (cell == 10) {
		return GST_REC_CALL_EXIT;
	}
	if (cell >= 1 && cell < 10) {
		return cell - 1 + GST_REC_CALL;
	}
	return 0;
}

_Static_assert(GST_REC_CALL_HOST - GST_REC_CALL + 1 < 10, "calls fit in cells 1-9");
_Static_assert(GST_REC_API_RUN - GST_REC_KERNEL + 11 < 21, "device records fit in cells 11-20");
_Static_assert(DEFINITIONS + 21 <= GST_LOSS_KINDS, "definitions fit");
_Static_assert(GST_LOSS_OLD_WINDOW < GST_LOSS_REASONS, "every reason has a cell");

void gst_loss_add(struct gst_loss *loss, uint32_t kind, uint32_t reason, uint64_t count)
{
	uint64_t now = gst_clock_mono_ns();
	struct gst_loss_cell *cell;
	uint64_t none = 0;

	cell = &loss->cells[cell_of_kind(kind)][reason < GST_LOSS_REASONS ? reason : 0];
	atomic_compare_exchange_strong(&cell->since_ns, &none, now);
	atomic_store(&cell->until_ns, now);
	atomic_fetch_add(&cell->count, count);
	atomic_store(&loss->is_dirty, 1);
}

bool gst_loss_take(struct gst_loss *loss, uint32_t *cursor, struct gst_rec_loss *rec)
{
	if (*cursor == 0 && !atomic_exchange(&loss->is_dirty, 0)) {
		return false;
	}
	while (*cursor < GST_LOSS_KINDS * GST_LOSS_REASONS) {
		uint32_t kind = *cursor / GST_LOSS_REASONS;
		uint32_t reason = *cursor % GST_LOSS_REASONS;
		struct gst_loss_cell *cell = &loss->cells[kind][reason];
		uint64_t count = atomic_exchange(&cell->count, 0);

		++*cursor;
		if (!count) {
			continue;
		}
		*rec = (struct gst_rec_loss){
			.head = gst_record_head(GST_KIND_LOSS, sizeof(*rec), 0),
			.kind = kind_of_cell(kind),
			.reason = reason,
			.count = count,
			.until_ns = atomic_load(&cell->until_ns),
			.since_ns = atomic_exchange(&cell->since_ns, 0),
		};
		return true;
	}
	return false;
}
