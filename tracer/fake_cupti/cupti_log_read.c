/*
 * cupti_log_read.c - a recording as a list of events.
 *
 * Role      : the player and cupti_log_stat.
 * Method    : zlib reads packed and plain files alike; the whole file in memory.
 * Invariant : nothing is read past an event's payload.
 * Not here  : what events mean.
 */
#include "tracer/fake_cupti/cupti_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PIECE (1u << 20)

_Noreturn void log_fail(const char *what)
{
	fprintf(stderr, "cupti_log: %s\n", what);
	exit(3);
}

static size_t read_all(struct log_file *file, const char *path)
{
	gzFile in = gzopen(path, "rb");
	size_t used = 0;
	int got;

	if (!in) {
		log_fail("the recording cannot be opened");
	}
	do {
		unsigned char *bigger = realloc(file->data, used + PIECE);

		if (!bigger) {
			log_fail("no memory");
		}
		file->data = bigger;
		got = gzread(in, file->data + used, PIECE);
		if (got < 0) {
			log_fail("the recording cannot be read");
		}
		used += (size_t)got;
	} while (got > 0);
	gzclose(in);
	return used;
}

void log_read(struct log_file *file, const char *path)
{
	size_t size, room = 0;

	memset(file, 0, sizeof(*file));
	size = read_all(file, path);
	for (size_t at = 0; size - at >= sizeof(struct log_head);) {
		struct log_event event;

		memcpy(&event.head, file->data + at, sizeof(event.head));
		at += sizeof(event.head);
		if (size - at < event.head.bytes) {
			break;
		}
		event.payload = file->data + at;
		at += event.head.bytes;
		if (file->count == room) {
			struct log_event *bigger;

			room = room * 2 + 1024;
			bigger = realloc(file->events, room * sizeof(event));
			if (!bigger) {
				log_fail("no memory");
			}
			file->events = bigger;
		}
		file->events[file->count++] = event;
	}
	if (!file->count || file->events[0].head.type != LOG_FILE ||
	    file->events[0].head.bytes < sizeof(LOG_MAGIC) - 1 + 4 ||
	    memcmp(file->events[0].payload, LOG_MAGIC, sizeof(LOG_MAGIC) - 1) != 0) {
		log_fail("not a recording of CUPTI");
	}
	if (file->events[0].payload[sizeof(LOG_MAGIC) - 1] != LOG_VERSION) {
		log_fail("a recording of another version");
	}
}

void log_release(struct log_file *file)
{
	free(file->events);
	free(file->data);
	memset(file, 0, sizeof(*file));
}

struct log_cursor log_open(const struct log_event *event)
{
	return (struct log_cursor){.at = event->payload, .end = event->payload + event->head.bytes};
}

static const unsigned char *take(struct log_cursor *c, size_t bytes)
{
	const unsigned char *at = c->at;

	if ((size_t)(c->end - c->at) < bytes) {
		log_fail("an event ends too early");
	}
	c->at += bytes;
	return at;
}

uint32_t log_get_32(struct log_cursor *c)
{
	uint32_t value;

	memcpy(&value, take(c, sizeof(value)), sizeof(value));
	return value;
}

uint64_t log_get_64(struct log_cursor *c)
{
	uint64_t value;

	memcpy(&value, take(c, sizeof(value)), sizeof(value));
	return value;
}

const unsigned char *log_get_bytes(struct log_cursor *c, uint32_t *bytes)
{
	*bytes = log_get_32(c);
	return take(c, *bytes);
}

char *log_get_text(struct log_cursor *c)
{
	uint32_t bytes;
	const unsigned char *at = log_get_bytes(c, &bytes);
	char *text = malloc((size_t)bytes + 1);

	if (!text) {
		log_fail("no memory");
	}
	memcpy(text, at, bytes);
	text[bytes] = '\0';
	return text;
}
