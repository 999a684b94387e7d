/*
 * cupti_player_calls.c - callbacks of a recorded program, played again.
 *
 * Role      : the player calls player_callback() for each, in the thread that stands for the recorded one.
 * Method    : parameters are copies of what was recorded, and so is what their pointers lead to, until the call exits;
 *             an exit changes what the enter showed.
 * Invariant : handles and addresses are those of the recording.
 * Not here  : whose turn it is (cupti_player.c), which pointers are followed (follow.c).
 */
#include "tracer/fake_cupti/cupti_player.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/format/api.h"
#include "tracer/format/format.h"

static struct block *find_block(struct block *list, uint64_t address)
{
	while (list && list->address != address) {
		list = list->next;
	}
	return list;
}

static void free_blocks(struct block *list)
{
	while (list) {
		struct block *next = list->next;

		free(list);
		list = next;
	}
}

static struct block *read_blocks(struct log_cursor *c)
{
	struct block *list = NULL;

	for (uint32_t count = log_get_32(c); count; count--) {
		uint64_t address = log_get_64(c);
		uint32_t bytes;
		const unsigned char *data = log_get_bytes(c, &bytes);
		struct block *block = player_allocate(sizeof(*block) + bytes);

		block->address = address;
		block->bytes = bytes;
		memcpy(block->data, data, bytes);
		block->next = list;
		list = block;
	}
	return list;
}

struct placing {
	struct block *recorded; /* of the event */
	struct block **placed;	/* what the tool sees, as long as the call lasts */
};

static void *place(void *arg, const void *pointer, size_t bytes)
{
	struct placing *p = arg;
	const struct block *recorded = find_block(p->recorded, P(pointer));
	struct block *placed;

	if (!recorded ||
	    (bytes == FOLLOW_TEXT ? !recorded->bytes || recorded->data[recorded->bytes - 1]
				  : recorded->bytes < bytes)) {
		return NULL;
	}
	placed = find_block(*p->placed, recorded->address);
	if (!placed || placed->bytes < recorded->bytes) {
		placed = player_allocate(sizeof(*placed) + recorded->bytes);
		placed->address = recorded->address;
		placed->bytes = recorded->bytes;
		placed->next = *p->placed;
		*p->placed = placed;
	}
	memcpy(placed->data, recorded->data, recorded->bytes);
	return placed->data;
}

static struct frame *find_frame(struct player_thread *t, uint32_t api, uint32_t corr)
{
	struct frame *frame = t->frames;

	while (frame && (frame->api != api || frame->corr != corr)) {
		frame = frame->below;
	}
	return frame;
}

static struct frame *push_frame(struct player_thread *t, uint32_t api, uint32_t corr)
{
	struct frame *frame = player_allocate(sizeof(*frame));

	frame->api = api;
	frame->corr = corr;
	frame->below = t->frames;
	t->frames = frame;
	return frame;
}

static void pop_to(struct player_thread *t, const struct frame *last)
{
	struct frame *frame;

	do {
		frame = t->frames;
		t->frames = frame->below;
		free_blocks(frame->blocks);
		free(frame);
	} while (frame != last);
}

static void play_api(struct player_thread *t, uint32_t domain, uint32_t cbid, struct log_cursor *c)
{
	uint32_t id = GST_API_ID(domain, cbid);
	const struct gst_api *api = gst_api_find(id);
	struct gst_cupti_callback_data data = {0};
	struct placing placing;
	struct frame *frame;
	const unsigned char *params;
	uint32_t has_result, has_symbol, bytes;
	int32_t result;
	char *symbol;

	data.callbackSite = log_get_32(c);
	data.context = (void *)(uintptr_t)log_get_64(c);
	data.contextUid = log_get_32(c);
	data.correlationId = log_get_32(c);
	has_result = log_get_32(c);
	result = (int32_t)log_get_32(c);
	has_symbol = log_get_32(c);
	symbol = log_get_text(c);
	if (has_symbol) {
		data.symbolName = player_pooled(symbol);
	} else {
		free(symbol);
	}
	params = log_get_bytes(c, &bytes);
	placing.recorded = read_blocks(c);
	frame = data.callbackSite == GST_CUPTI_API_EXIT ? find_frame(t, id, data.correlationId)
							: NULL;
	if (!frame) {
		frame = push_frame(t, id, data.correlationId);
	}
	placing.placed = &frame->blocks;
	memcpy(frame->params, params,
	       bytes < sizeof(frame->params) ? bytes : sizeof(frame->params));
	if (bytes) {
		follow_params(id, frame->params, place, &placing);
	}
	free_blocks(placing.recorded);
	data.functionName = api ? api->symbol : "";
	data.functionParams = bytes ? frame->params : NULL;
	data.functionReturnValue = has_result ? &result : NULL;
	data.correlationData = &frame->correlation_data;
	player_tool.callback(player_tool.user, domain, cbid, &data);
	if (data.callbackSite == GST_CUPTI_API_EXIT) {
		pop_to(t, frame);
	}
}

static void play_resource(uint32_t domain, uint32_t cbid, struct log_cursor *c)
{
	struct gst_cupti_resource_data data;
	struct block *placed = NULL;
	struct placing placing = {.placed = &placed};

	data.context = (void *)(uintptr_t)log_get_64(c);
	data.stream = (void *)(uintptr_t)log_get_64(c);
	data.resourceDescriptor = (void *)(uintptr_t)log_get_64(c);
	placing.recorded = read_blocks(c);
	follow_resource(cbid, &data.resourceDescriptor, place, &placing);
	player_tool.callback(player_tool.user, domain, cbid, &data);
	free_blocks(placing.recorded);
	free_blocks(placed);
}

void player_callback(struct player_thread *t, const struct log_event *event)
{
	struct log_cursor c = log_open(event);
	uint32_t domain = log_get_32(&c);
	uint32_t cbid = log_get_32(&c);
	struct gst_cupti_state_data state;

	if (!player_tool.callback) {
		return;
	}
	switch ((enum log_data)log_get_32(&c)) {
	case LOG_DATA_API:
		play_api(t, domain, cbid, &c);
		break;
	case LOG_DATA_RESOURCE:
		play_resource(domain, cbid, &c);
		break;
	case LOG_DATA_STATE:
		state.result = log_get_32(&c);
		state.message = log_get_32(&c) ? player_pooled(log_get_text(&c)) : NULL;
		player_tool.callback(player_tool.user, domain, cbid, &state);
		break;
	case LOG_DATA_NONE:
		player_tool.callback(player_tool.user, domain, cbid, NULL);
		break;
	}
}
