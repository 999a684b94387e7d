/*
 * fuzz_text.c - text traces from a stranger.
 *
 * Role      : fuzz target of reader_text.c.
 * Method    : the input is loaded as it is, and again with the first line put before it, so that the
 *             fuzzer need not find that.
 * Invariant : see fuzz_common.h.
 * Not here  : binary traces (fuzz_gst.c).
 */
#include "analyzer/load/fuzz_common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char begin[] = "gstext 1.0\nchunk defs|events process=1 thread=1\n";
	uint8_t *text;

	gst_fuzz_load(data, size);
	text = malloc(sizeof(begin) - 1 + size);
	if (!text)
		return 0;
	memcpy(text, begin, sizeof(begin) - 1);
	if (size)
		memcpy(text + sizeof(begin) - 1, data, size);
	gst_fuzz_load(text, sizeof(begin) - 1 + size);
	free(text);
	return 0;
}
