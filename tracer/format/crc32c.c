/*
 * crc32c.c - CRC-32C by the processor's instruction or by tables.
 *
 * Role      : the writer seals chunks with it, the loader checks them.
 * Method    : slice-by-8; the tables are constant expressions, because a CRC is linear: the entry
 *             of a byte is the XOR of the entries of its bits. SSE4.2 where the processor has it, on three
 *             stretches at a time where it has PCLMUL too.
 * Invariant : no state, no allocation, nothing to set up: safe in a traced program's threads.
 * Not here  : which bytes are covered (format.h, encode.h).
 */
#include "tracer/format/crc32c.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
#endif

/* clang-format off */
#define BIT(i, b, k) (((i) >> (b)) & 1u ? (k) : 0u)
#define E1(i, a, b, c, d, e, f, g, h)                                                              \
	(BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^                               \
	 BIT(i, 4, e) ^ BIT(i, 5, f) ^ BIT(i, 6, g) ^ BIT(i, 7, h))
#define E4(i, ...)  E1((i), __VA_ARGS__), E1((i) + 1u, __VA_ARGS__), E1((i) + 2u, __VA_ARGS__), \
		    E1((i) + 3u, __VA_ARGS__)
#define E16(i, ...) E4((i), __VA_ARGS__), E4((i) + 4u, __VA_ARGS__), E4((i) + 8u, __VA_ARGS__), \
		    E4((i) + 12u, __VA_ARGS__)
#define E64(i, ...) E16((i), __VA_ARGS__), E16((i) + 16u, __VA_ARGS__),                         \
		    E16((i) + 32u, __VA_ARGS__), E16((i) + 48u, __VA_ARGS__)
#define ROW(...) { E64(0u, __VA_ARGS__), E64(64u, __VA_ARGS__), E64(128u, __VA_ARGS__), E64(192u, __VA_ARGS__) }

/* Row k: the effect of bit 0..7 of a byte that k more bytes follow. Polynomial 0x82f63b78, reflected. */
static const uint32_t table[8][256] = {
	ROW(0xf26b8303u, 0xe13b70f7u, 0xc79a971fu, 0x8ad958cfu, 0x105ec76fu, 0x20bd8edeu, 0x417b1dbcu, 0x82f63b78u),
	ROW(0x13a29877u, 0x274530eeu, 0x4e8a61dcu, 0x9d14c3b8u, 0x3fc5f181u, 0x7f8be302u, 0xff17c604u, 0xfbc3faf9u),
	ROW(0xa541927eu, 0x4f6f520du, 0x9edea41au, 0x38513ec5u, 0x70a27d8au, 0xe144fb14u, 0xc76580d9u, 0x8b277743u),
	ROW(0xdd45aab8u, 0xbf672381u, 0x7b2231f3u, 0xf64463e6u, 0xe964b13du, 0xd725148bu, 0xaba65fe7u, 0x52a0c93fu),
	ROW(0x38116facu, 0x7022df58u, 0xe045beb0u, 0xc5670b91u, 0x8f2261d3u, 0x1ba8b557u, 0x37516aaeu, 0x6ea2d55cu),
	ROW(0xef306b19u, 0xdb8ca0c3u, 0xb2f53777u, 0x6006181fu, 0xc00c303eu, 0x85f4168du, 0x0e045bebu, 0x1c08b7d6u),
	ROW(0x68032cc8u, 0xd0065990u, 0xa5e0c5d1u, 0x4e2dfd53u, 0x9c5bfaa6u, 0x3d5b83bdu, 0x7ab7077au, 0xf56e0ef4u),
	ROW(0x493c7d27u, 0x9278fa4eu, 0x211d826du, 0x423b04dau, 0x847609b4u, 0x0d006599u, 0x1a00cb32u, 0x34019664u),
};
/* clang-format on */

uint32_t gst_crc32c_portable(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;
	uint32_t c = ~crc;

	for (; size >= 8; p += 8, size -= 8) {
		uint32_t lo = c ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
				   (uint32_t)p[3] << 24);

		c = table[7][lo & 0xff] ^ table[6][lo >> 8 & 0xff] ^ table[5][lo >> 16 & 0xff] ^
		    table[4][lo >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^
		    table[0][p[7]];
	}
	for (; size; p++, size--)
		c = table[0][(c ^ *p) & 0xff] ^ c >> 8;
	return ~c;
}

#if defined(__x86_64__)

/*
 * The instruction takes three cycles, and one can begin each cycle: so three stretches of a body at a time. What the
 * first ones come to is then moved on by the bytes after them, as if these were 0: a carry-less product with x to the
 * power of their bits, less the 33 that the product and the instruction that reduces it add.
 */
#define STRETCH		 1024u
#define ONE_STRETCH_ON	 0x170076fau
#define TWO_STRETCHES_ON 0xa51b6135u

__attribute__((target("sse4.2,pclmul"))) static uint64_t move_on(uint64_t c, uint32_t power)
{
	__m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)(uint32_t)c),
					       _mm_cvtsi32_si128((int)power), 0);

	return (uint64_t)_mm_cvtsi128_si64(product);
}

static uint64_t word_at(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, 8);
	return word;
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t crc32c_three(uint32_t crc,
								      const uint8_t *p)
{
	uint64_t a = crc, b = 0, c = 0;
	size_t i;

	for (i = 0; i < STRETCH - 8; i += 8) {
		a = _mm_crc32_u64(a, word_at(p + i));
		b = _mm_crc32_u64(b, word_at(p + STRETCH + i));
		c = _mm_crc32_u64(c, word_at(p + 2 * STRETCH + i));
	}
	a = _mm_crc32_u64(a, word_at(p + i));
	b = _mm_crc32_u64(b, word_at(p + STRETCH + i));
	/* With the last word, which is due to be reduced too. */
	return (uint32_t)_mm_crc32_u64(c, word_at(p + 2 * STRETCH + i) ^
						  move_on(a, TWO_STRETCHES_ON) ^
						  move_on(b, ONE_STRETCH_ON));
}

__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const void *data,
							       size_t size)
{
	const uint8_t *p = data;
	uint64_t c = (uint32_t)~crc;

	if (size >= 3 * STRETCH && __builtin_cpu_supports("pclmul")) {
		for (; size >= 3 * STRETCH; p += 3 * STRETCH, size -= 3 * STRETCH)
			c = crc32c_three((uint32_t)c, p);
	}
	for (; size >= 8; p += 8, size -= 8)
		c = _mm_crc32_u64(c, word_at(p));
	for (; size; p++, size--)
		c = _mm_crc32_u8((uint32_t)c, *p);
	return ~(uint32_t)c;
}

uint32_t gst_crc32c(uint32_t crc, const void *data, size_t size)
{
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(crc, data, size);
	return gst_crc32c_portable(crc, data, size);
}

#else

uint32_t gst_crc32c(uint32_t crc, const void *data, size_t size)
{
	return gst_crc32c_portable(crc, data, size);
}

#endif
