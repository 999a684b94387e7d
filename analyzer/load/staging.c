/*
 * staging.c - find the records that a dead tracer left in its staging file.
 *
 * Role      : a program killed at any moment loses nothing that its calls committed.
 * Method    : the process record names the file and the boot it belongs to; its pages are open
 *             chunks, so the index takes them like a second file.
 * Invariant : a trace that names somebody else's file gets nothing from it but chunks of a trace: only
 *             a regular file is opened, no link is followed, other processes' chunks are dropped.
 * Not here  : which bytes of a page are in the .gst already (reader_gst.c).
 */
#include "analyzer/load/reader_internal.h"

#include "tracer/format/encode.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGING_MAX_BYTES (UINT64_C(1) << 30)

struct claim {
	uint32_t process; /* pid in the chunks */
	uint32_t string;
	uint64_t boot_hi, boot_lo;
	char path[512];
	bool has_process;
	bool has_path;
	bool asks_folded; /* look for nothing but the note that the file was folded in */
	bool is_folded;
};

/* Look through the definitions for the process record, (then) for the string it names, or for a note. */
static gst_status scan_definitions(struct gst_loader *l, struct claim *c, struct gst_err *err)
{
	uint8_t *buffer = NULL;
	size_t room = 0, i;
	gst_status st = GST_OK;

	for (i = 0; i < l->refs.count && !st; i++) {
		const struct gst_chunk_ref *r = &l->refs.data[i];
		struct gst_chunk_header h;
		struct gst_record rec;
		const uint8_t *p;
		size_t at = 0;
		uint32_t bytes;

		if (!(r->state & GST_REF_DEFS) || r->state & GST_REF_CUT ||
		    (c->has_process && r->process != c->process))
			continue;
		bytes = r->body_bytes + (uint32_t)sizeof(h);
		if (bytes > room) {
			gst_mem_free(buffer, room);
			room = bytes;
			buffer = gst_mem_alloc(room);
		}
		p = gst_source_read(&l->main, r->offset, sizeof(h), buffer, err);
		if (p) {
			memcpy(&h, p, sizeof(h));
			p = gst_source_read(&l->main, r->offset + h.header_bytes, r->body_bytes,
					    buffer, err);
		}
		if (!p) {
			st = GST_E_IO;
			break;
		}
		if (r->state & GST_REF_SEALED && !(r->state & GST_REF_TRUNCATED) &&
		    gst_crc32c(0, p, r->body_bytes) != h.body_crc)
			continue;
		while (at < r->body_bytes &&
		       gst_decode_record(p + at, r->body_bytes - at, l->scratch, &rec, &bytes) ==
			       GST_DECODE_OK) {
			at += bytes;
			if (c->asks_folded) {
				if (rec.kind == GST_REC_NOTE &&
				    ((const struct gst_rec_note *)rec.data)->code ==
					    GST_NOTE_FOLDED) {
					c->is_folded = true;
					goto out;
				}
				continue;
			}
			if (!c->has_process && rec.kind == GST_REC_PROCESS) {
				const struct gst_rec_process *process = rec.data;

				if (!process->staging)
					continue;
				c->has_process = true;
				c->process = r->process;
				c->string = process->staging;
				c->boot_hi = process->boot_hi;
				c->boot_lo = process->boot_lo;
				goto out;
			}
			if (c->has_process && rec.kind == GST_REC_STRING &&
			    ((const struct gst_rec_string *)rec.data)->id == c->string) {
				if (rec.tail_bytes < sizeof(c->path) &&
				    !memchr(rec.tail, 0, rec.tail_bytes)) {
					memcpy(c->path, rec.tail, rec.tail_bytes);
					c->path[rec.tail_bytes] = '\0';
					c->has_path = c->path[0] == '/';
				}
				goto out;
			}
		}
	}
out:
	gst_mem_free(buffer, room);
	return st;
}

/* Whether @hi and @lo are the id of this boot, as /proc writes it: the digits from left to right. */
static bool is_this_boot(uint64_t hi, uint64_t lo)
{
	uint64_t half[2] = {0, 0};
	int digits = 0, fd;
	char text[64];
	ssize_t n, i;

	fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text));
	close(fd);
	for (i = 0; i < n; i++) {
		char ch = text[i];
		int digit;

		if (ch >= '0' && ch <= '9')
			digit = ch - '0';
		else if (ch >= 'a' && ch <= 'f')
			digit = ch - 'a' + 10;
		else
			continue;
		if (digits == 32)
			return false;
		half[digits / 16] = half[digits / 16] << 4 | (uint64_t)digit;
		digits++;
	}
	return digits == 32 && half[0] == hi && half[1] == lo;
}

/* Open the file and index it; says in words why not. */
static const char *open_staging(struct gst_loader *l, const struct claim *c)
{
	size_t length = strlen(c->path) + 1;
	struct gst_err err = {0};
	size_t before = l->refs.count, kept, i;
	uint64_t chunks_before = l->stats.chunks;
	struct stat st;
	char *name;
	int fd;

	fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? "it is not there any more" : strerror(errno);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > STAGING_MAX_BYTES) {
		close(fd);
		return "it is no staging file";
	}
	name = gst_mem_alloc(length);
	memcpy(name, c->path, length);
	l->staging.fd = fd;
	l->staging.name = name;
	l->staging.size = (uint64_t)st.st_size;
	if (gst_index_source(l, &l->staging, GST_REF_STAGING, &err)) {
		l->refs.count = before;
		l->stats.chunks = chunks_before;
		return "it cannot be read";
	}
	for (kept = i = before; i < l->refs.count; i++) {
		if (l->refs.data[i].process == c->process)
			l->refs.data[kept++] = l->refs.data[i];
	}
	l->stats.chunks = chunks_before + (kept - before);
	l->refs.count = kept;
	return NULL;
}

gst_status gst_staging_find(struct gst_loader *l, struct gst_err *err)
{
	struct claim c = {.has_process = false};
	const char *why;
	gst_status st;
	size_t i;

	/* After an end in order nothing is left there. */
	for (i = 0; i < l->refs.count; i++) {
		if (l->refs.data[i].state & GST_REF_END)
			return GST_OK;
	}
	st = scan_definitions(l, &c, err);
	if (st || !c.has_process)
		return st;
	st = scan_definitions(l, &c, err);
	if (st)
		return st;
	if (!c.has_path)
		why = "its name is not in the trace";
	else if (!is_this_boot(c.boot_hi, c.boot_lo))
		why = "it was on another machine, or before the last boot";
	else
		why = open_staging(l, &c);
	if (why) {
		c.asks_folded = true;
		st = scan_definitions(l, &c, err);
		if (st)
			return st;
	}
	if (why && !c.is_folded)
		gst_loader_reason(l, GST_LOAD_STAGING_GONE, 1, UINT64_MAX,
				  "the newest records may be in a staging file, but %s", why);
	return GST_OK;
}
