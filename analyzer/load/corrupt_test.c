/*
 * corrupt_test.c - one damaged trace for each way in which a trace can be wrong.
 *
 * Role      : makes the files of testdata/corrupt and holds them, and what the loader says about each
 *             (testdata/corrupt/expected.txt), against those that are checked in.
 * Method    : a small good trace, and a function for each defect. `corrupt_test --update DIR` writes
 *             files and expectations anew; a person reads the difference.
 * Invariant : no defect is loaded as complete, except those that a reader must accept.
 * Not here  : random damage (load_test.c, the fuzz targets).
 */
#include "analyzer/base/assert.h"
#include "analyzer/base/mem.h"
#include "analyzer/base/outfile.h"
#include "analyzer/load/gst_writer.h"
#include "analyzer/load/load.h"
#include "tracer/format/encode.h"

#include <inttypes.h>

#define ROOM ((size_t)64 << 10)

struct image {
	uint8_t data[ROOM];
	size_t size;
	size_t chunk[8]; /* offsets of its chunks */
	size_t chunks;
};

static const char good_text[] =
	"gstext 1.0\n"
	"chunk defs process=100\n"
	"string id=1 text=\"vec_add\"\n"
	"string id=2 text=\"app\"\n"
	"trace uuid_hi=0x1 uuid_lo=0x2 start_mono_ns=1000 writer=2\n"
	"process pid=100 name=2\n"
	"segment flags=unbroken time_ns=1000\n"
	"anchor mono_ns=1000 real_ns=1000001000 gpu_ns=1000001000 width_ns=50\n"
	"device name=2 compute_major=9\n"
	"context ctx=1 null_stream=7\n"
	"stream ctx=1 stream=7 type=legacy\n"
	"thread thread=1 name=2 tid=100\n"
	"chunk events process=100 thread=1\n"
	"call_launch corr=1 enter_ns=2000 api=cuLaunchKernel ctx=1 name=1\n"
	"call_exit corr=1 exit_ns=2500\n"
	"call corr=2 enter_ns=2600 api=cuCtxSynchronize ctx=1\n"
	"call_exit corr=2 exit_ns=9000\n"
	"chunk events process=100\n"
	"kernel corr=1 start_ns=1000005000 end_ns=1000008000 ctx=1 stream=7 name=1 grid_x=1 block_x=32\n"
	"chunk defs process=100\n"
	"anchor mono_ns=10000 real_ns=1000010000 gpu_ns=1000010000 width_ns=50\n"
	"chunk defs process=100\n"
	"end time_ns=10000 records=16 chunks=4\n";

/* The .gst of @text. */
static void build(struct image *m, const char *text)
{
	struct gst_load_options o = {
		.segment = -1, .file_order = true, .keep_unknown = true, .keep_short = true};
	uint64_t before = 0;
	struct gst_gst_writer *w;
	struct gst_outfile *out;
	struct gst_err err = {0};
	struct gst_record rec;
	struct gst_loader *l;
	const char *bytes;
	size_t at;
	int got;

	if (gst_loader_open_memory(text, strlen(text), "text", &o, &l, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	out = gst_outfile_open_memory();
	w = gst_gst_writer_new(out);
	while ((got = gst_loader_next(l, &rec)) > 0) {
		const struct gst_chunk_header *h = gst_loader_chunk(l);
		struct gst_rec_head head;
		gst_status st;

		if (gst_loader_chunk_number(l) != before) {
			if (before)
				gst_gst_writer_end(w);
			before = gst_loader_chunk_number(l);
			gst_gst_writer_begin(w, h);
		}
		memcpy(&head, rec.data, sizeof(head));
		if (rec.schema)
			st = gst_gst_writer_put(w, rec.schema, rec.corr, rec.data, rec.tail,
						rec.tail_bytes, &err);
		else
			st = gst_gst_writer_put_raw(w, head.kind, rec.corr, rec.tail,
						    rec.tail_bytes, &err);
		GST_ASSERT(!st);
	}
	GST_ASSERT(got == 0);
	gst_gst_writer_end(w);
	gst_gst_writer_free(w);
	gst_loader_close(l);
	bytes = gst_outfile_memory(out, &m->size);
	GST_ASSERT(m->size <= ROOM);
	memset(m->data, 0, ROOM);
	memcpy(m->data, bytes, m->size);
	gst_outfile_abort(out);
	m->chunks = 0;
	for (at = 0; at < m->size;) {
		struct gst_chunk_header h;

		memcpy(&h, m->data + at, sizeof(h));
		GST_ASSERT(m->chunks < 8);
		m->chunk[m->chunks++] = at;
		at += h.header_bytes + h.stored_bytes;
	}
}

static struct gst_chunk_header get_header(const struct image *m, size_t chunk)
{
	struct gst_chunk_header h;

	memcpy(&h, m->data + m->chunk[chunk], sizeof(h));
	return h;
}

/* Put @h back with the checksums of what is there now. */
static void put_header(struct image *m, size_t chunk, struct gst_chunk_header *h)
{
	const uint8_t *body = m->data + m->chunk[chunk] + h->header_bytes;

	if (h->flags & GST_CHUNK_SEALED && h->stored_bytes <= GST_CHUNK_MAX_BYTES)
		h->body_crc = gst_crc32c(0, body, (size_t)h->stored_bytes);
	h->header_crc = gst_chunk_header_crc(h);
	memcpy(m->data + m->chunk[chunk], h, sizeof(*h));
}

/* Change the word @at of the body of @chunk and make the checksums right again. */
static void set_word(struct image *m, size_t chunk, size_t at, uint64_t word)
{
	struct gst_chunk_header h = get_header(m, chunk);

	memcpy(m->data + m->chunk[chunk] + sizeof(h) + at * 8, &word, 8);
	put_header(m, chunk, &h);
}

static void insert(struct image *m, size_t at, size_t bytes, uint8_t value)
{
	memmove(m->data + at + bytes, m->data + at, m->size - at);
	memset(m->data + at, value, bytes);
	m->size += bytes;
}

static void take_out(struct image *m, size_t at, size_t bytes)
{
	memmove(m->data + at, m->data + at + bytes, m->size - at - bytes);
	m->size -= bytes;
}

/* ---- the defects ---------------------------------------------------------------------------- */

static void set_text(struct image *m, const char *text)
{
	m->size = strlen(text);
	memcpy(m->data, text, m->size);
}

static void good(struct image *m)
{
	(void)m;
}

static void empty(struct image *m)
{
	m->size = 0;
}

static void foreign_elf(struct image *m)
{
	m->size = 256;
	memset(m->data, 0x90, m->size);
	memcpy(m->data, "\177ELF\2\1\1", 8);
}

static void foreign_sqlite(struct image *m)
{
	m->size = 512;
	memset(m->data, 0, m->size);
	memcpy(m->data, "SQLite format 3", 16);
}

static void only_zeros(struct image *m)
{
	m->size = 4096;
	memset(m->data, 0, m->size);
}

static void one_byte(struct image *m)
{
	m->size = 1;
}

static void cut_in_first_header(struct image *m)
{
	m->size = 100;
}

static void cut_in_header(struct image *m)
{
	m->size = m->chunk[2] + 64;
}

static void cut_in_body(struct image *m)
{
	m->size = m->chunk[1] + 128 + 60;
}

static void cut_before_trailer(struct image *m)
{
	m->size = m->chunk[4];
}

static void flip_in_magic(struct image *m)
{
	m->data[m->chunk[1]] ^= 1;
}

static void flip_in_header(struct image *m)
{
	m->data[m->chunk[1] + 48] ^= 2;
}

static void flip_in_header_crc(struct image *m)
{
	m->data[m->chunk[1] + 127] ^= 0x80;
}

static void flip_in_body(struct image *m)
{
	m->data[m->chunk[1] + 128 + 9] ^= 0x10;
}

static void flip_in_reserved(struct image *m)
{
	m->data[m->chunk[0] + 112] ^= 1;
}

static void bytes_cut_out(struct image *m)
{
	take_out(m, m->chunk[1] + 128 + 16, 24);
}

static void bytes_inserted(struct image *m)
{
	insert(m, m->chunk[1] + 128 + 16, 24, 0x55);
}

static void shifted_by_3(struct image *m)
{
	insert(m, m->chunk[1], 3, 0);
}

static void garbage_between(struct image *m)
{
	insert(m, m->chunk[2], 80, 0xaa);
}

static void chunk_missing(struct image *m)
{
	take_out(m, m->chunk[1], m->chunk[2] - m->chunk[1]);
}

static void first_chunk_missing(struct image *m)
{
	take_out(m, 0, m->chunk[1]);
}

static void chunk_twice(struct image *m)
{
	size_t bytes = m->chunk[2] - m->chunk[1];

	insert(m, m->chunk[2], bytes, 0);
	memcpy(m->data + m->chunk[2], m->data + m->chunk[1], bytes);
}

static void tail_of_zeros(struct image *m)
{
	m->size += 8192;
}

static void tail_of_garbage(struct image *m)
{
	memset(m->data + m->size, 0xdd, 20);
	m->size += 20;
}

static void version_2(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 0);

	h.major = 2;
	h.minor = 3;
	put_header(m, 0, &h);
}

static void version_2_later(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 2);

	h.major = 2;
	put_header(m, 2, &h);
}

static void version_1_9(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 0);

	h.minor = 9;
	put_header(m, 0, &h);
}

static void codec_zstd(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 1);

	h.codec = GST_CODEC_ZSTD;
	put_header(m, 1, &h);
}

static void codec_unknown(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 1);

	h.codec = 4711;
	put_header(m, 1, &h);
}

static void header_too_short(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 1);

	h.header_bytes = 120;
	put_header(m, 1, &h);
}

static void header_longer(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 1);

	insert(m, m->chunk[1] + 128, 16, 0x77);
	h.header_bytes = 144;
	put_header(m, 1, &h);
}

static void body_huge(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 1);

	h.stored_bytes = UINT64_MAX - 100;
	h.unpacked_bytes = h.stored_bytes;
	put_header(m, 1, &h);
}

static void body_17_mib(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 1);

	h.stored_bytes = UINT64_C(17) << 20;
	h.unpacked_bytes = h.stored_bytes;
	put_header(m, 1, &h);
}

static void unpacked_differs(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 1);

	h.unpacked_bytes = UINT64_C(1) << 40;
	put_header(m, 1, &h);
}

static void record_count_wrong(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 1);

	h.record_count = 77;
	put_header(m, 1, &h);
}

static void record_size_0(struct image *m)
{
	set_word(m, 1, 0, 0x0000000100008101);
}

static void record_word_0(struct image *m)
{
	set_word(m, 1, 0, 0);
}

static void record_past_chunk(struct image *m)
{
	set_word(m, 1, 0, 0x0000000101008101);
}

static void record_too_large(struct image *m)
{
	set_word(m, 1, 0, 0x00000001ffff8101);
}

static void string_too_short(struct image *m)
{
	set_word(m, 0, 0, 0x0000000000010001);
}

static void string_too_long(struct image *m)
{
	set_word(m, 0, 1, 0x0000000900000001);
}

static void string_over_limit(struct image *m)
{
	set_word(m, 0, 1, 0xffffffff00000001);
}

static void string_id_0(struct image *m)
{
	set_word(m, 0, 1, 0x0000000700000000);
}

static void unknown_kind(struct image *m)
{
	set_word(m, 2, 0, 0x0000000000000fff | (uint64_t)(get_header(m, 2).stored_bytes / 8) << 16);
}

static void unknown_critical(struct image *m)
{
	set_word(m, 2, 0, 0x0000000000008fff | (uint64_t)(get_header(m, 2).stored_bytes / 8) << 16);
}

/* As a later minor version would write it: one more word at the end of a known kind. */
static void record_longer(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 4);
	struct gst_rec_end end = {.time_ns = 10000, .records = 16, .chunks = 4};
	uint64_t more = 0x1122334455667788;

	end.head = gst_record_head(GST_KIND_END, sizeof(end) + 8, 0);
	memcpy(m->data + m->chunk[4] + 128, &end, sizeof(end));
	memcpy(m->data + m->chunk[4] + 128 + sizeof(end), &more, 8);
	h.stored_bytes = sizeof(end) + 8;
	h.unpacked_bytes = h.stored_bytes;
	m->size = m->chunk[4] + 128 + (size_t)h.stored_bytes;
	put_header(m, 4, &h);
}

static void trailer_counts_more(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 4);
	struct gst_rec_end end = {.time_ns = 10000, .records = 16, .chunks = 9};

	end.head = gst_record_head(GST_KIND_END, 32, 0);
	memcpy(m->data + m->chunk[4] + 128, &end, 32);
	put_header(m, 4, &h);
}

/* A chunk as it is while the program runs: room for more, zeros behind the last record. */
static void chunk_open(struct image *m)
{
	struct gst_chunk_header h = get_header(m, 1);

	insert(m, m->chunk[2], 256, 0);
	h.flags &= ~(uint32_t)GST_CHUNK_SEALED;
	h.stored_bytes += 256;
	h.unpacked_bytes = h.stored_bytes;
	h.record_count = 0;
	h.first_ns = 0;
	h.last_ns = 0;
	h.body_crc = 0;
	put_header(m, 1, &h);
}

static void chunk_open_torn(struct image *m)
{
	struct gst_chunk_header h;

	chunk_open(m);
	h = get_header(m, 1);
	/* The last record was cut by a crash of the machine: its size points past the room. */
	memcpy(m->data + m->chunk[1] + 128, "\001\201\377\017\001\0\0\0", 8);
	put_header(m, 1, &h);
}

static void losses(struct image *m)
{
	build(m, "gstext 1.0\n"
		 "chunk defs process=100\n"
		 "loss kind=kernel reason=cupti-dropped count=12 since_ns=5 until_ns=9\n"
		 "loss reason=flush-hung since_ns=7\n"
		 "chunk defs process=100\n"
		 "end time_ns=10 chunks=1 pending=3\n");
}

static void staging_gone(struct image *m)
{
	build(m, "gstext 1.0\n"
		 "chunk defs process=100\n"
		 "string id=1 text=\"/nonexistent/gstrace-staging\"\n"
		 "process pid=100 boot_hi=0x1 boot_lo=0x2 staging=1\n");
}

static void staging_gap(struct image *m)
{
	build(m, "gstext 1.0\n"
		 "chunk events process=100 thread=1 page=5\ncall corr=1\n"
		 "chunk events process=100 thread=1 page=5 page_offset=64\ncall corr=2\n"
		 "chunk defs process=100\nend\n");
}

static void names_hostile(struct image *m)
{
	build(m,
	      "gstext 1.0\n"
	      "chunk defs process=100\n"
	      "string id=1 text=\"\\x1b[31mred\\x1b]0;title\\x07\\x0d\\x0a\\x00zero\"\n"
	      "string id=2 text=\"\\x22quotes\\x22 'and' <b>tags</b> &amp; \\x5c back, comma;\"\n"
	      "string id=3 text=\"bad utf8 \\xff\\xfe\\xc0\\x80\\xed\\xa0\\x80 \\xe2\\x80\\xae\"\n"
	      "string id=4 text=\"_ZN1aIN1aIN1aIN1aIN1aE1aE1aE1aE1aE\"\n"
	      "trace uuid_hi=0x1 uuid_lo=0x2 start_mono_ns=1000 writer=1 version=2\n"
	      "process pid=100 host=1 exe=2 cmdline=3 name=1 driver_release=2\n"
	      "variable name=1 value=3\n"
	      "segment flags=unbroken time_ns=1000\n"
	      "anchor mono_ns=1000 real_ns=1000001000 gpu_ns=1000001000 width_ns=50\n"
	      "device name=2\n"
	      "context ctx=1 null_stream=7\n"
	      "stream ctx=1 stream=7 type=legacy\n"
	      "thread thread=1 name=3 tid=100\n"
	      "note code=text time_ns=2000 text=1\n"
	      "chunk events process=100 thread=1\n"
	      "call_launch corr=1 enter_ns=2000 api=cuLaunchKernel ctx=1 name=1\n"
	      "call_exit corr=1 exit_ns=2500\n"
	      "call_launch corr=2 enter_ns=3000 api=cuLaunchKernel ctx=1 name=3\n"
	      "call_exit corr=2 exit_ns=3500\n"
	      "call_launch corr=3 enter_ns=4000 api=cuLaunchKernel ctx=1 name=4\n"
	      "call_exit corr=3 exit_ns=4500\n"
	      "chunk events process=100\n"
	      "kernel corr=1 start_ns=1000005000 end_ns=1000008000 ctx=1 stream=7 name=1\n"
	      "kernel corr=2 start_ns=1000009000 end_ns=1000010000 ctx=1 stream=7 name=3\n"
	      "kernel corr=3 start_ns=1000011000 end_ns=1000012000 ctx=1 stream=7 name=4\n"
	      "chunk defs process=100\n"
	      "end time_ns=20000 chunks=3\n");
}

static void numbers_extreme(struct image *m)
{
	build(m,
	      "gstext 1.0\n"
	      "chunk defs process=4294967295 segment=4294967295\n"
	      "string id=4294967295 text=\"x\"\n"
	      "process pid=4294967295 name=4294967294\n"
	      "segment time_ns=18446744073709551615\n"
	      "anchor mono_ns=18446744073709551615 real_ns=1 gpu_ns=18446744073709551615\n"
	      "anchor mono_ns=1 real_ns=18446744073709551615 gpu_ns=1 width_ns=18446744073709551615\n"
	      "context ctx=4294967295 device=4294967295 null_stream=4294967295\n"
	      "stream ctx=4294967295 stream=4294967295 type=255 priority=-2147483648\n"
	      "chunk events process=4294967295 thread=4294967295 segment=4294967295\n"
	      "call_launch corr=4294967295 enter_ns=18446744073709551615 api=0xffffffff "
	      "ctx=4294967295 stream=0xffffffffffffffff name=4294967295\n"
	      "call_exit corr=4294967295 exit_ns=1 result=-1\n"
	      "call_copy corr=4294967294 enter_ns=1 size=18446744073709551615 count=4294967295\n"
	      "chunk events process=4294967295 segment=4294967295\n"
	      "kernel corr=4294967295 start_ns=18446744073709551615 end_ns=1 ctx=4294967295 "
	      "stream=4294967295 grid_x=4294967295 grid_y=4294967295 grid_z=4294967295 block_x=65535 "
	      "block_y=65535 block_z=65535\n"
	      "memcpy corr=4294967294 start_ns=1 end_ns=18446744073709551615 size=18446744073709551615\n"
	      "sync corr=4294967294 start_ns=1 end_ns=18446744073709551615 sync_id=18446744073709551615\n"
	      "chunk defs process=4294967295 segment=4294967295\n"
	      "end time_ns=18446744073709551615 chunks=3\n");
}

static void text_version_9(struct image *m)
{
	set_text(m, "gstext 9.1\n");
}

static void text_bad_field(struct image *m)
{
	set_text(m, "gstext 1.0\nchunk defs process=1\nkernel colour=red\n");
}

static void text_no_chunk(struct image *m)
{
	set_text(m, "gstext 1.0\n\nkernel corr=1\n");
}

static void text_cut(struct image *m)
{
	set_text(m, "gstext 1.0\nchunk defs process=1\nstring id=1 text=\"no en");
}

static void text_escapes(struct image *m)
{
	set_text(m, "gstext 1.0\nchunk defs process=1\n\x1b[31mkernel\x07 corr=1\n");
}

struct defect {
	const char *name;
	void (*make)(struct image *m);
	bool is_accepted; /* a reader must take it as complete */
};

#define GST(name)                         \
	{                                 \
#name ".gst", name, false \
	}
#define GOOD(name)                       \
	{                                \
#name ".gst", name, true \
	}
#define TEXT(name)                           \
	{                                    \
#name ".gstext", name, false \
	}

static const struct defect defects[] = {
	GOOD(good),
	GST(empty),
	GST(one_byte),
	GST(only_zeros),
	GST(foreign_elf),
	GST(foreign_sqlite),
	GST(cut_in_first_header),
	GST(cut_in_header),
	GST(cut_in_body),
	GST(cut_before_trailer),
	GST(flip_in_magic),
	GST(flip_in_header),
	GST(flip_in_header_crc),
	GST(flip_in_body),
	GST(flip_in_reserved),
	GST(bytes_cut_out),
	GST(bytes_inserted),
	GST(shifted_by_3),
	GST(garbage_between),
	GST(chunk_missing),
	GST(first_chunk_missing),
	GST(chunk_twice),
	GOOD(tail_of_zeros),
	GST(tail_of_garbage),
	GST(version_2),
	GST(version_2_later),
	GOOD(version_1_9),
	GST(codec_zstd),
	GST(codec_unknown),
	GST(header_too_short),
	GOOD(header_longer),
	GST(body_huge),
	GST(body_17_mib),
	GST(unpacked_differs),
	GST(record_count_wrong),
	GST(record_size_0),
	GST(record_word_0),
	GST(record_past_chunk),
	GST(record_too_large),
	GST(string_too_short),
	GST(string_too_long),
	GST(string_over_limit),
	GST(string_id_0),
	GOOD(unknown_kind),
	GOOD(unknown_critical),
	GOOD(record_longer),
	GST(trailer_counts_more),
	GST(chunk_open),
	GST(chunk_open_torn),
	GST(losses),
	GST(staging_gone),
	GST(staging_gap),
	GOOD(names_hostile),
	GOOD(numbers_extreme),
	TEXT(text_version_9),
	TEXT(text_bad_field),
	TEXT(text_no_chunk),
	TEXT(text_cut),
	TEXT(text_escapes),
};

#define DEFECTS (sizeof(defects) / sizeof(defects[0]))

/* ---- what the loader says ------------------------------------------------------------------- */

static bool describe(struct gst_outfile *out, const struct defect *d, const char *path)
{
	const struct gst_load_stats *s;
	struct gst_err err = {0};
	struct gst_loader *l;
	struct gst_record rec;
	bool is_complete;
	size_t i;
	int got;

	gst_outfile_printf(out, "%s\n", d->name);
	if (gst_loader_open(path, NULL, &l, &err)) {
		/* The folder differs from machine to machine. */
		const char *text = strstr(err.text, d->name);

		gst_outfile_printf(out, "  error %s: %s\n", gst_status_name(err.status),
				   text ? text : err.text);
		return false;
	}
	while ((got = gst_loader_next(l, &rec)) > 0)
		;
	GST_ASSERT(got == 0);
	s = gst_loader_stats(l);
	is_complete = s->is_complete;
	gst_outfile_printf(out, "  %s: %" PRIu64 " records, %" PRIu64 " chunks\n",
			   is_complete ? "complete" : "not complete", s->records, s->chunks);
	for (i = 0; i < s->reason_count; i++)
		gst_outfile_printf(out, "  %" PRIu64 "x %s\n", s->reasons[i].count,
				   s->reasons[i].text);
	for (i = 0; i < s->unknown_count; i++)
		gst_outfile_printf(out, "  unknown kind 0x%04" PRIx32 "%s in thread %" PRIu32 "\n",
				   s->unknown[i].kind,
				   s->unknown[i].is_critical ? ", critical," : "",
				   s->unknown[i].thread);
	gst_loader_close(l);
	return is_complete;
}

static size_t read_file(const char *path, char *data, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return SIZE_MAX;
	n = fread(data, 1, room, f);
	fclose(f);
	return n;
}

static int write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
		perror(path);
		return 1;
	}
	return 0;
}

/* The first line in which the two differ, for a person to look at. */
static void show_difference(const char *want, const char *got)
{
	size_t i, begin = 0;

	for (i = 0; want[i] && want[i] == got[i]; i++) {
		if (want[i] == '\n')
			begin = i + 1;
	}
	printf("expected: %.*s\n", (int)strcspn(want + begin, "\n"), want + begin);
	printf("found:    %.*s\n", (int)strcspn(got + begin, "\n"), got + begin);
}

int main(int argc, char **argv)
{
	static struct image image;
	static char there[ROOM], expected[ROOM];
	struct gst_outfile *out = gst_outfile_open_memory();
	bool is_update = argc == 3 && strcmp(argv[1], "--update") == 0;
	const char *folder = argv[argc - 1];
	int failed = 0, passed = 0;
	size_t i, n, length;
	const char *text;
	char path[512];

	if (argc != 2 && !is_update) {
		fputs("usage: corrupt_test [--update] DIR\n", stderr);
		return 2;
	}
	for (i = 0; i < DEFECTS; i++) {
		const struct defect *d = &defects[i];

		build(&image, good_text);
		d->make(&image);
		snprintf(path, sizeof(path), "%s/%s", folder, d->name);
		if (is_update)
			failed += write_file(path, image.data, image.size);
		n = read_file(path, there, sizeof(there));
		if (n != image.size || memcmp(there, image.data, n) != 0) {
			printf("FAIL: %s is not what is made here: run with --update\n", path);
			failed++;
			continue;
		}
		if (describe(out, d, path) != d->is_accepted) {
			printf("FAIL: %s is %s\n", d->name,
			       d->is_accepted ? "not complete" : "taken as complete");
			failed++;
		} else {
			passed++;
		}
	}
	text = gst_outfile_memory(out, &length);
	snprintf(path, sizeof(path), "%s/expected.txt", folder);
	if (is_update) {
		failed += write_file(path, text, length);
	} else {
		n = read_file(path, expected, sizeof(expected) - 1);
		if (n == SIZE_MAX || n != length || memcmp(expected, text, length) != 0) {
			printf("FAIL: what the loader says differs from %s\n", path);
			if (n != SIZE_MAX)
				show_difference(expected, text);
			failed++;
		}
	}
	gst_outfile_abort(out);
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
