/*
 * export_perfetto_stream.c - packets to the bytes of a trace file, in batches.
 *
 * Role      : the only place that knows framing and compression.
 * Method    : a packet is field 1 of the file: a tag, a length, the message. Batches of about 200 kB are
 *             compressed by zlib and become one packet whose field 50 holds them; the first packet stays
 *             plain, so that the file is recognised by its first bytes.
 * Invariant : at most one batch is held; packets stay whole.
 * Not here  : what is in a packet (export_perfetto.c).
 */
#include "analyzer/export/export_perfetto_internal.h"

#include <zlib.h>

#include "analyzer/base/assert.h"
#include <protobuf-c/protobuf-c.h>

#define BATCH_BYTES	  ((size_t)200 << 10)
#define TAG_PACKET	  0x0au /* field 1, bytes */
#define FIELD_COMPRESSED  50u	/* of a packet: a zlib stream of framed packets */
#define COMPRESSION_LEVEL 1	/* half the time of 6, a fifth larger */
#define VARINT_MAX	  10

struct gst_pf_stream {
	struct gst_outfile *out;
	bool is_compressed, has_first, has_failed;
	int zlib_status;
	z_stream zlib;
	GST_VEC(uint8_t) batch;
	GST_VEC(uint8_t) packed;
};

struct gst_pf_stream *gst_pf_stream_new(struct gst_outfile *out, bool is_compressed)
{
	struct gst_pf_stream *s = gst_mem_alloc(sizeof(*s));

	s->out = out;
	s->is_compressed = is_compressed;
	if (is_compressed) {
		s->zlib_status = deflateInit(&s->zlib, COMPRESSION_LEVEL);
		s->has_failed = s->zlib_status != Z_OK;
	}
	return s;
}

bool gst_pf_stream_failed(const struct gst_pf_stream *s)
{
	return s->has_failed || gst_outfile_failed(s->out);
}

static size_t put_varint(uint8_t *p, uint64_t value)
{
	size_t n = 0;

	while (value >= 0x80) {
		p[n++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	p[n++] = (uint8_t)value;
	return n;
}

static size_t varint_bytes(uint64_t value)
{
	uint8_t scratch[VARINT_MAX];

	return put_varint(scratch, value);
}

static void flush(struct gst_pf_stream *s)
{
	uint8_t head[4 * VARINT_MAX];
	size_t n = 0, room;
	uint64_t bytes;

	if (!s->batch.count || s->has_failed) {
		return;
	}
	if (!s->is_compressed || !s->has_first) {
		gst_outfile_write(s->out, s->batch.data, s->batch.count);
		s->has_first = true;
		gst_vec_clear(&s->batch);
		return;
	}
	s->zlib_status = deflateReset(&s->zlib);
	room = deflateBound(&s->zlib, s->batch.count);
	gst_vec_clear(&s->packed);
	s->zlib.next_in = s->batch.data;
	s->zlib.avail_in = (uInt)s->batch.count;
	s->zlib.next_out = gst_vec_extend(&s->packed, room);
	s->zlib.avail_out = (uInt)room;
	if (s->zlib_status == Z_OK) {
		s->zlib_status = deflate(&s->zlib, Z_FINISH);
	}
	/* The bound is one: anything else is a fault of ours or of memory. */
	if (s->zlib_status != Z_STREAM_END) {
		s->has_failed = true;
		return;
	}
	bytes = s->zlib.total_out;
	head[n++] = TAG_PACKET;
	n += put_varint(head + n,
			varint_bytes(FIELD_COMPRESSED << 3 | 2) + varint_bytes(bytes) + bytes);
	n += put_varint(head + n, FIELD_COMPRESSED << 3 | 2);
	n += put_varint(head + n, bytes);
	gst_outfile_write(s->out, head, n);
	gst_outfile_write(s->out, s->packed.data, bytes);
	gst_vec_clear(&s->batch);
}

void gst_pf_stream_put(struct gst_pf_stream *s, const struct ProtobufCMessage *packet)
{
	size_t bytes = protobuf_c_message_get_packed_size(packet);
	uint8_t head[1 + VARINT_MAX] = {TAG_PACKET};
	size_t n = 1 + put_varint(head + 1, bytes);
	uint8_t *p;

	if (s->has_failed) {
		return;
	}
	p = gst_vec_extend(&s->batch, n + bytes);
	memcpy(p, head, n);
	GST_ASSERT(protobuf_c_message_pack(packet, p + n) == bytes);
	if (s->batch.count >= BATCH_BYTES || !s->has_first) {
		flush(s);
	}
}

gst_status gst_pf_stream_finish(struct gst_pf_stream *s, struct gst_err *err)
{
	gst_status st = GST_OK;

	flush(s);
	if (s->has_failed) {
		st = gst_err_set(err, GST_E_NOMEM, "zlib cannot compress the trace (status %d)",
				 s->zlib_status);
	}
	if (s->is_compressed) {
		/* Harmless where deflateInit failed: the state is NULL then. */
		deflateEnd(&s->zlib);
	}
	gst_vec_free(&s->batch);
	gst_vec_free(&s->packed);
	gst_mem_free(s, sizeof(*s));
	return st;
}
