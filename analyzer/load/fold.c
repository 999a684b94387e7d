/*
 * fold.c - staging file -> .gst, for processes that ended without closing their trace.
 *
 * Role      : gstrace record calls it for each trace whose process is gone.
 * Method    : the loader says which chunks of the staging file are not in the .gst yet; their committed records are
 *             appended as sealed chunks that name the same staging bytes, and a note. A chunk that the tracer had
 *             written in part is cut off first: its bytes are still in the staging file.
 * Invariant : a stranger's trace must not make us touch other files: the staging file has the name that belongs to
 *             the trace's UUID, is ours, and its process is gone.
 * Not here  : reading staging files (staging.c).
 */
#include "analyzer/load/fold.h"

#include "analyzer/load/reader_internal.h"
#include "tracer/format/encode.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the definitions of the trace say about who wrote it. */
struct owner {
	struct gst_rec_process process;
	struct gst_rec_trace trace;
	bool has_process;
};

struct image {
	GST_VEC(uint8_t) bytes;
	uint64_t sequence; /* last one used */
	struct gst_fold done;
};

static gst_status open_with_staging(const char *path, bool fold_staging, struct gst_loader **l,
				    struct gst_err *err)
{
	struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;

	options.fold_staging = fold_staging;
	options.keep_unknown = true;
	return gst_loader_open(path, &options, l, err);
}

/* Read all of it; records of the kinds that a fold adds itself are not counted. */
static gst_status count_records(struct gst_loader *l, struct owner *owner, uint64_t *count,
				struct gst_err *err)
{
	struct gst_record r;
	int got;

	*count = 0;
	while ((got = gst_loader_next(l, &r)) > 0) {
		if (r.kind == GST_REC_NOTE) {
			continue;
		}
		++*count;
		if (r.kind == GST_REC_PROCESS && !owner->has_process) {
			owner->process = *(const struct gst_rec_process *)r.data;
			owner->has_process = true;
		} else if (r.kind == GST_REC_TRACE) {
			owner->trace = *(const struct gst_rec_trace *)r.data;
		}
	}
	if (got < 0) {
		*err = *gst_loader_error(l);
		return got;
	}
	return GST_OK;
}

/* Field 22 of /proc/PID/stat: clock ticks since boot when it started; 0 = there is no such process. */
static uint64_t start_ticks(uint32_t pid)
{
	char path[64], text[1024];
	const char *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return 0;
	}
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strrchr(text, ')'); /* the name before it may hold anything */
	if (at && at[1] == ' ' && at[2] == 'Z') {
		return 0; /* ended; only its parent has not asked yet */
	}
	for (int field = 2; at && field < 22; field++) {
		at = strchr(at + 1, ' ');
	}
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

/* May the process still write? Its pid means something in its own pid namespace only. */
static bool may_live(const struct owner *o)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) == 0 && o->process.pid_ns != 0 &&
	    st.st_ino != o->process.pid_ns) {
		return true;
	}
	return start_ticks(o->process.pid) == o->process.start_ticks && o->process.start_ticks != 0;
}

static bool is_ours(const struct gst_loader *l, const struct owner *o)
{
	const char *slash = strrchr(l->staging.name, '/');
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/gstrace-%016" PRIx64 "%016" PRIx64 ".staging",
		 o->trace.uuid_hi, o->trace.uuid_lo);
	return slash && strcmp(slash, name) == 0 && fstat(l->staging.fd, &st) == 0 &&
	       S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1;
}

/* Append a sealed chunk of @bytes at @body. */
static void put_chunk(struct image *to, const struct gst_chunk_header *like, uint32_t source_offset,
		      const uint8_t *body, uint32_t bytes, uint32_t records)
{
	struct gst_chunk_header h;

	gst_chunk_init_open(&h, like->flags, like->process, like->thread, like->segment,
			    ++to->sequence, bytes);
	h.source_page = like->source_page;
	h.source_offset = source_offset;
	gst_chunk_seal(&h, body, bytes, records, 0, 0);
	memcpy(gst_vec_extend(&to->bytes, sizeof(h)), &h, sizeof(h));
	memcpy(gst_vec_extend(&to->bytes, bytes), body, bytes);
	to->done.chunks++;
	to->done.records += records;
}

/* The committed records of one staging chunk that are not in the .gst. */
static gst_status put_staging_chunk(struct gst_loader *l, const struct gst_chunk_ref *ref,
				    struct image *to, struct gst_err *err)
{
	uint32_t records = 0;
	size_t at;
	int got = gst_chunk_open(l, ref);

	if (got <= 0) {
		*err = l->err;
		return got;
	}
	for (at = ref->skip_bytes; at < ref->body_bytes; records++) {
		struct gst_record r;
		uint32_t bytes;

		if (gst_decode_record(l->body + at, ref->body_bytes - at, l->scratch, &r, &bytes) !=
		    GST_DECODE_OK) {
			break;
		}
		at += bytes;
	}
	if (records > 0) {
		put_chunk(to, &l->header, ref->source_offset + ref->skip_bytes,
			  l->body + ref->skip_bytes, (uint32_t)(at - ref->skip_bytes), records);
	}
	return GST_OK;
}

static gst_status make_image(struct gst_loader *l, const struct owner *o, struct image *to,
			     struct gst_err *err)
{
	const struct gst_rec_note note = {
		.head = gst_record_head(GST_KIND_NOTE, sizeof(note), 0),
		.code = GST_NOTE_FOLDED,
	};
	struct gst_chunk_header like = {.flags = GST_CHUNK_DEFS, .process = o->process.pid};
	gst_status st = GST_OK;

	for (size_t i = 0; i < l->refs.count; i++) {
		if (!(l->refs.data[i].state & GST_REF_STAGING) &&
		    l->refs.data[i].sequence > to->sequence) {
			to->sequence = l->refs.data[i].sequence;
		}
	}
	for (size_t i = 0; !st && i < l->order_count; i++) {
		const struct gst_chunk_ref *ref = &l->refs.data[l->order[i]];

		if ((ref->state & GST_REF_STAGING) &&
		    !(ref->state & (GST_REF_DOUBLE | GST_REF_CUT))) {
			like.process = ref->process;
			like.segment = ref->segment;
			st = put_staging_chunk(l, ref, to, err);
		}
	}
	if (!st) {
		uint64_t chunks = to->done.chunks, records = to->done.records;

		put_chunk(to, &like, 0, (const uint8_t *)&note, sizeof(note), 1);
		to->done.chunks = chunks;
		to->done.records = records;
	}
	return st;
}

/* Where the whole chunks of the file end: a last one that was written in part is done again. */
static uint64_t whole_end(const struct gst_loader *l)
{
	uint64_t end = l->main.size;

	for (size_t i = 0; i < l->refs.count; i++) {
		const struct gst_chunk_ref *r = &l->refs.data[i];

		if (!(r->state & GST_REF_STAGING) && (r->state & GST_REF_TRUNCATED) &&
		    r->source_page && r->offset < end) {
			end = r->offset;
		}
	}
	return end;
}

static gst_status append(int fd, const char *path, uint64_t end, const struct image *from,
			 struct gst_err *err)
{
	uint64_t at = gst_format_align8(end);
	size_t done = 0;

	while (done < from->bytes.count) {
		ssize_t n = pwrite(fd, from->bytes.data + done, from->bytes.count - done,
				   (off_t)(at + done));

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return gst_err_set(err, GST_E_IO,
					   "%s: cannot append %zu bytes of staged records: %s",
					   path, from->bytes.count - done,
					   n < 0 ? strerror(errno) : "nothing was written");
		}
		done += (size_t)n;
	}
	return GST_OK;
}

/* Append, look again, and only then let the staging file go. */
static gst_status commit(int fd, const char *path, uint64_t end, uint64_t size,
			 const struct image *from, uint64_t want, const char *staging,
			 struct gst_err *err)
{
	struct gst_loader *again = NULL;
	struct owner ignored = {.has_process = false};
	uint64_t have = 0;
	gst_status st;

	st = append(fd, path, end, from, err);
	if (!st) {
		st = open_with_staging(path, false, &again, err);
	}
	if (!st) {
		st = count_records(again, &ignored, &have, err);
		gst_loader_close(again);
	}
	if (!st && have < want) {
		st = gst_err_set(err, GST_E_IO,
				 "%s: %" PRIu64 " records after folding, expected %" PRIu64
				 "; nothing was changed",
				 path, have, want);
	}
	if (st) {
		/* What was a part of a chunk stays cut off if it was overwritten: its records are in the staging file. */
		if (ftruncate(fd, (off_t)(end < size ? end : size)) != 0) {
			gst_err_prefix(err, "after a failed fold the end of the trace is damaged");
		}
		return st;
	}
	if (unlink(staging) != 0 && errno != ENOENT) {
		return gst_err_set(err, GST_E_IO, "%s: folded, but cannot be removed: %s", staging,
				   strerror(errno));
	}
	return GST_OK;
}

static gst_status fold_open(int fd, const char *path, struct gst_fold *out, struct gst_err *err)
{
	struct owner owner = {.has_process = false};
	struct image image = {.sequence = 0};
	struct gst_loader *l;
	uint64_t want, size, end;
	gst_status st;

	st = open_with_staging(path, true, &l, err);
	if (st) {
		return st;
	}
	if (!l->staging.name) {
		goto out; /* closed in order, or nothing there: not worth reading all of it */
	}
	st = count_records(l, &owner, &want, err);
	if (st || !owner.has_process) {
		goto out;
	}
	if (may_live(&owner)) {
		out->outcome = GST_FOLD_IN_USE;
		goto out;
	}
	if (!is_ours(l, &owner)) {
		out->outcome = GST_FOLD_NOT_OURS;
		goto out;
	}
	size = l->main.size;
	end = whole_end(l);
	if (end < size) {
		/* Without the part its records count as staged ones: look at the whole again. */
		if (ftruncate(fd, (off_t)end) != 0) {
			st = gst_err_set(err, GST_E_IO, "%s: %s", path, strerror(errno));
			goto out;
		}
		gst_loader_close(l);
		st = open_with_staging(path, true, &l, err);
		if (st) {
			return st;
		}
		st = count_records(l, &owner, &want, err);
	}
	if (!st) {
		st = make_image(l, &owner, &image, err);
	}
	if (!st) {
		st = commit(fd, path, end, end, &image, want, l->staging.name, err);
	}
	if (!st) {
		*out = image.done;
		out->outcome = GST_FOLD_DONE;
	}
out:
	gst_vec_free(&image.bytes);
	gst_loader_close(l);
	return st;
}

gst_status gst_fold(const char *path, struct gst_fold *out, struct gst_err *err)
{
	struct gst_fold fold = {.outcome = GST_FOLD_NOTHING};
	struct stat file;
	gst_status st;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0) {
		return gst_err_set(err, GST_E_IO, "%s: %s", path, strerror(errno));
	}
	if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) {
		close(fd);
		return gst_err_set(err, GST_E_IO, "%s: not a regular file", path);
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		fold.outcome = GST_FOLD_IN_USE;
		st = GST_OK;
	} else {
		st = fold_open(fd, path, &fold, err);
	}
	close(fd);
	if (!st) {
		*out = fold;
	}
	return st;
}
