/*
 * fuzz_gst.c - binary traces from a stranger.
 *
 * Role      : fuzz target of reader_gst.c and decode.c.
 * Method    : the input is loaded as it is, and again with the checksums made right, so that what
 *             the fuzzer changes reaches the decoder.
 * Invariant : see fuzz_common.h.
 * Not here  : text traces (fuzz_text.c).
 */
#include "analyzer/load/fuzz_common.h"

#include "tracer/format/encode.h"

/* Give every chunk in @data the checksums of what it holds. */
static void mend(uint8_t *data, size_t size)
{
	size_t at;

	for (at = 0; at + sizeof(struct gst_chunk_header) <= size; at += 8) {
		struct gst_chunk_header h;
		size_t left;

		memcpy(&h, data + at, sizeof(h));
		if (h.magic != GST_CHUNK_MAGIC)
			continue;
		/* Reached seldom by chance, and not what this is about. */
		h.major = GST_FORMAT_MAJOR;
		h.codec = GST_CODEC_NONE;
		h.unpacked_bytes = h.stored_bytes;
		left = h.header_bytes <= size - at ? size - at - h.header_bytes : 0;
		if (h.flags & GST_CHUNK_SEALED && h.stored_bytes <= left)
			h.body_crc =
				gst_crc32c(0, data + at + h.header_bytes, (size_t)h.stored_bytes);
		h.header_crc = gst_chunk_header_crc(&h);
		memcpy(data + at, &h, sizeof(h));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	gst_fuzz_load(data, size);
	copy = malloc(size ? size : 1);
	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	mend(copy, size);
	gst_fuzz_load(copy, size);
	free(copy);
	return 0;
}
