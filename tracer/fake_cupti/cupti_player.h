/*
 * cupti_player.h - between the files of the player: threads of the recorded program, and its callbacks.
 */
#ifndef GSTRACE_TRACER_FAKE_CUPTI_CUPTI_PLAYER_H
#define GSTRACE_TRACER_FAKE_CUPTI_CUPTI_PLAYER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/cupti_api.h"
#include "tracer/fake_cupti/cupti_log.h"
#include "tracer/fake_cupti/follow.h"

#define P(pointer) ((uint64_t)(uintptr_t)(pointer))

struct block {
	struct block *next;
	uint64_t address; /* in the recorded program */
	uint32_t bytes;
	_Alignas(16) unsigned char data[]; /* structs */
};

/* A call of the program, from its enter to its exit. */
struct frame {
	struct frame *below;
	uint32_t api;
	uint32_t corr;
	uint64_t correlation_data;
	uint64_t params[FOLLOW_PARAMS_BYTES / 8];
	struct block *blocks;
};

struct player_thread {
	pthread_t thread;
	bool is_started;
	const struct log_event *name;
	struct frame *frames;
};

/* Who is called back. */
struct player_tool {
	gst_cupti_callback_fn callback;
	void *user;
};

extern struct player_tool player_tool;

/** Zeroed memory, or the end of the program. */
void *player_allocate(size_t bytes);

/** @text, which is malloc()ed, for as long as the player runs: one copy of each. */
const char *player_pooled(char *text);

/** Play a CALLBACK of thread @t: the tool's function, with what the recorded one was given. */
void player_callback(struct player_thread *t, const struct log_event *event);

#endif
