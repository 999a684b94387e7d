/* crc32c.h - the checksum of chunk headers and bodies: CRC-32C (Castagnoli), as in iSCSI and ext4. */
#ifndef GSTRACE_TRACER_FORMAT_CRC32C_H
#define GSTRACE_TRACER_FORMAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/**
 * Checksum of @size bytes at @data, going on from @crc (0 to begin).
 *
 * gst_crc32c(gst_crc32c(0, a, n), b, m) is the checksum of a followed by b.
 *
 * Errors: none. Owns: nothing. Threads: any; callable in a signal handler.
 * Cost: about 8 bytes a cycle where the processor has the instruction (in three cycles, below 3 KiB), else 1 byte a cycle.
 */
uint32_t gst_crc32c(uint32_t crc, const void *data, size_t size);

/** The same by tables alone, so that a test can compare the two. */
uint32_t gst_crc32c_portable(uint32_t crc, const void *data, size_t size);

#endif
