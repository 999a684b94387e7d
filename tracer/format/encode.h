/*
 * encode.h - fill in chunk headers and record heads the way format.h says.
 *
 * For the tracer, the writer of the analyzer and tests. Inline, no malloc, no I/O, no lock; every
 * function may be called in any thread and in a signal handler.
 */
#ifndef GSTRACE_TRACER_FORMAT_ENCODE_H
#define GSTRACE_TRACER_FORMAT_ENCODE_H

#include "tracer/format/crc32c.h"
#include "tracer/format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GST_CHUNK_HEADER_BYTES ((uint16_t)sizeof(struct gst_chunk_header))
/* What header_crc covers. */
#define GST_CHUNK_OPEN_CRC_BYTES   96u
#define GST_CHUNK_SEALED_CRC_BYTES 124u

/** @bytes rounded up to the alignment of the format. */
static inline uint64_t gst_format_align8(uint64_t bytes)
{
	return (bytes + 7u) & ~UINT64_C(7);
}

/** The right header_crc of @h: of an open or a sealed chunk, as its flags say. */
static inline uint32_t gst_chunk_header_crc(const struct gst_chunk_header *h)
{
	return gst_crc32c(0, h,
			  h->flags & GST_CHUNK_SEALED ? GST_CHUNK_SEALED_CRC_BYTES
						      : GST_CHUNK_OPEN_CRC_BYTES);
}

/**
 * Make @h the header of an open chunk with @room_bytes reserved for its body.
 *
 * The body must be zero up to its end before the header can be seen by a reader: the first record
 * word that is 0 ends it. source_page and copied_bytes are the caller's to set, with
 * gst_chunk_reseal_open() after source_page or source_offset.
 */
static inline void gst_chunk_init_open(struct gst_chunk_header *h, uint32_t flags, uint32_t process,
				       uint32_t thread, uint32_t segment, uint64_t sequence,
				       uint64_t room_bytes)
{
	memset(h, 0, sizeof(*h));
	h->magic = GST_CHUNK_MAGIC;
	h->major = GST_FORMAT_MAJOR;
	h->minor = GST_FORMAT_MINOR;
	h->header_bytes = GST_CHUNK_HEADER_BYTES;
	h->codec = GST_CODEC_NONE;
	h->flags = flags & ~(uint32_t)GST_CHUNK_SEALED;
	h->segment = segment;
	h->stored_bytes = room_bytes;
	h->unpacked_bytes = room_bytes;
	h->process = process;
	h->thread = thread;
	h->sequence = sequence;
	h->header_crc = gst_chunk_header_crc(h);
}

/** Bring header_crc up to date after a field of an open chunk's first 96 bytes was changed. */
static inline void gst_chunk_reseal_open(struct gst_chunk_header *h)
{
	h->flags &= ~(uint32_t)GST_CHUNK_SEALED;
	h->header_crc = gst_chunk_header_crc(h);
}

/**
 * Seal @h over the @body_bytes of records at @body: lengths, count, times and both checksums.
 *
 * @h keeps its flags, process, thread, segment, sequence and source. first_ns and last_ns are the
 * smallest and largest MONOTONIC time inside; 0 if there is none.
 */
static inline void gst_chunk_seal(struct gst_chunk_header *h, const void *body, uint64_t body_bytes,
				  uint32_t record_count, uint64_t first_ns, uint64_t last_ns)
{
	h->flags |= GST_CHUNK_SEALED;
	h->stored_bytes = body_bytes;
	h->unpacked_bytes = body_bytes;
	h->record_count = record_count;
	h->first_ns = first_ns;
	h->last_ns = last_ns;
	h->copied_bytes = 0;
	h->body_crc = gst_crc32c(0, body, body_bytes);
	h->header_crc = gst_chunk_header_crc(h);
}

/**
 * Size of the record of @bytes (a multiple of 8) at @record without the 8-byte words at its end
 * that are zero; never less than the head. Not for a record with a tail (STRING).
 */
static inline uint32_t gst_record_trim(const void *record, uint32_t bytes)
{
	const uint8_t *p = record;

	while (bytes > sizeof(struct gst_rec_head)) {
		uint64_t word;

		memcpy(&word, p + bytes - 8, 8);
		if (word)
			break;
		bytes -= 8;
	}
	return bytes;
}

/** The head of a record of @bytes, a multiple of 8 up to GST_RECORD_MAX_BYTES; @kind is GST_KIND_x. */
static inline struct gst_rec_head gst_record_head(uint32_t kind, uint32_t bytes, uint32_t corr)
{
	struct gst_rec_head head = {(uint16_t)kind, (uint16_t)(bytes / 8u), corr};

	return head;
}

#define GST_KERNEL_SHORT_CHANNEL_TYPE 1u

/**
 * Say what @k says in @s, but for the head; false if it does not fit: @s is then as before, or partly filled in.
 */
static inline bool gst_kernel_shorten(struct gst_rec_kernel_short *s,
				      const struct gst_rec_kernel *k)
{
	uint64_t duration = k->end_ns - k->start_ns;
	uint32_t bytes = k->grid_z | k->block_z | k->registers | k->ctx | k->device | k->channel;

	if (!k->start_ns || duration > UINT32_MAX || bytes > UINT8_MAX ||
	    (k->stream | k->grid_y | k->shared_static) > UINT16_MAX ||
	    k->channel_type != GST_KERNEL_SHORT_CHANNEL_TYPE || k->launch_type || k->flags ||
	    k->graph != k->graph_node >> 32) {
		return false;
	}
	s->start_ns = k->start_ns;
	s->duration_ns = (uint32_t)duration;
	s->grid_x = k->grid_x;
	s->name = k->name;
	s->shared_dynamic = k->shared_dynamic;
	s->stream = (uint16_t)k->stream;
	s->grid_y = (uint16_t)k->grid_y;
	s->block_x = k->block_x;
	s->block_y = k->block_y;
	s->shared_static = (uint16_t)k->shared_static;
	s->grid_z = (uint8_t)k->grid_z;
	s->block_z = (uint8_t)k->block_z;
	s->registers = (uint8_t)k->registers;
	s->ctx = (uint8_t)k->ctx;
	s->device = (uint8_t)k->device;
	s->channel = (uint8_t)k->channel;
	s->graph_node = k->graph_node;
	return true;
}

/** The opposite; @k gets a head too. Whatever @s holds, @k is a record of the format. */
static inline void gst_kernel_lengthen(struct gst_rec_kernel *k,
				       const struct gst_rec_kernel_short *s)
{
	*k = (struct gst_rec_kernel){
		.start_ns = s->start_ns,
		.end_ns = s->start_ns ? s->start_ns + s->duration_ns : 0,
		.ctx = s->ctx,
		.stream = s->stream,
		.device = s->device,
		.name = s->name,
		.grid_x = s->grid_x,
		.grid_y = s->grid_y,
		.grid_z = s->grid_z,
		.block_x = s->block_x,
		.block_y = s->block_y,
		.block_z = s->block_z,
		.registers = s->registers,
		.shared_static = s->shared_static,
		.shared_dynamic = s->shared_dynamic,
		.channel = s->channel,
		.channel_type = GST_KERNEL_SHORT_CHANNEL_TYPE,
		.graph_node = s->graph_node,
		.graph = (uint32_t)(s->graph_node >> 32),
	};
	k->head = gst_record_head(GST_KIND_KERNEL, gst_record_trim(k, sizeof(*k)), s->head.corr);
}

/** Bytes of a STRING record with @length bytes of text. */
static inline uint32_t gst_string_record_bytes(uint32_t length)
{
	return (uint32_t)gst_format_align8(sizeof(struct gst_rec_string) + (uint64_t)length);
}

/**
 * Write a whole STRING record at @out, which has gst_string_record_bytes(@length) of room.
 *
 * The text is cut at GST_STRING_MAX_BYTES. Returns the bytes written.
 */
static inline uint32_t gst_string_record_write(void *out, uint32_t id, const void *text,
					       uint32_t length)
{
	struct gst_rec_string rec;
	uint32_t bytes;

	if (length > GST_STRING_MAX_BYTES)
		length = GST_STRING_MAX_BYTES;
	bytes = gst_string_record_bytes(length);
	rec.head = gst_record_head(GST_KIND_STRING, bytes, 0);
	rec.id = id;
	rec.length = length;
	/* The padding first, then the text over it. */
	memset((uint8_t *)out + bytes - 8, 0, 8);
	memcpy(out, &rec, sizeof(rec));
	if (length)
		memcpy((uint8_t *)out + sizeof(rec), text, length);
	return bytes;
}

#endif
