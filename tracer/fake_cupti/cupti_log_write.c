/*
 * cupti_log_write.c - payloads of events.
 *
 * Role      : the recorder builds them in the program's threads.
 * Method    : a buffer that grows; memory that cannot be had ends the process, which is a recording of ours.
 * Invariant : what is put is what is read back (cupti_log_test.c).
 * Not here  : files and locks (cupti_recorder.c).
 */
#include "tracer/fake_cupti/cupti_log.h"

#include <stdlib.h>
#include <string.h>

void log_put(struct log_buffer *b, const void *data, size_t bytes)
{
	if (b->size - b->used < bytes) {
		size_t size = b->size * 2 + bytes + 256;
		unsigned char *bigger = realloc(b->data, size);

		if (!bigger) {
			abort();
		}
		b->data = bigger;
		b->size = size;
	}
	if (bytes) {
		memcpy(b->data + b->used, data, bytes);
		b->used += bytes;
	}
}

void log_put_32(struct log_buffer *b, uint32_t value)
{
	log_put(b, &value, sizeof(value));
}

void log_put_64(struct log_buffer *b, uint64_t value)
{
	log_put(b, &value, sizeof(value));
}

void log_put_bytes(struct log_buffer *b, const void *data, size_t bytes)
{
	log_put_32(b, (uint32_t)bytes);
	log_put(b, data, bytes);
}

void log_put_text(struct log_buffer *b, const char *text)
{
	log_put_bytes(b, text, text ? strlen(text) : 0);
}
