/*
 * outfile.c - buffered output to a temporary name, renamed when complete.
 *
 * Role      : every file that the analyzer writes.
 * Method    : O_EXCL under "PATH.tmpPID.N" beside the target; a link is followed first, so that the
 *             file it names is replaced and not the link.
 * Invariant : an open output is in the list `outputs`, so that an emergency exit finds its file.
 * Not here  : formats, escaping.
 */
#include "analyzer/base/outfile.h"

#include "analyzer/base/mem.h"
#include "analyzer/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)
/* As many as the system follows. */
#define LINKS_MAX 40

struct gst_outfile {
	struct gst_outfile *next;
	char *path;	 /* as the caller named it */
	char *final;	 /* where it goes; NULL: written in place */
	char *temporary; /* NULL: written in place */
	int fd;		 /* -1: in memory */
	int error;	 /* errno of the first failure */
	GST_VEC(char) buffer;
};

/* Only the thread that writes outputs and the emergency exit use it. */
static struct gst_outfile *outputs;

static char *copy_string(const char *s)
{
	size_t bytes = strlen(s) + 1;
	char *p = gst_mem_alloc(bytes);

	memcpy(p, s, bytes);
	return p;
}

static void free_string(char *s)
{
	if (s)
		gst_mem_free(s, strlen(s) + 1);
}

static void destroy(struct gst_outfile *o)
{
	struct gst_outfile **link;

	for (link = &outputs; *link; link = &(*link)->next) {
		if (*link == o) {
			*link = o->next;
			break;
		}
	}
	free_string(o->path);
	free_string(o->final);
	free_string(o->temporary);
	gst_vec_free(&o->buffer);
	gst_mem_free(o, sizeof(*o));
}

/* Create a file beside @final that did not exist. Sets o->fd and o->temporary, or returns errno. */
static int create_temporary(struct gst_outfile *o, const char *final, const struct stat *old)
{
	size_t room = strlen(final) + 64;
	char *name = gst_mem_alloc(room);
	const char *slash = strrchr(final, '/');
	int stem = (int)(room - 64);
	bool is_long = false;
	unsigned int n;
	int fd = -1;

	for (n = 0; n < 1000; n++) {
		snprintf(name, room, "%.*s%s.tmp%ld.%u", stem, final, is_long ? ".gstrace" : "",
			 (long)getpid(), n);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno == ENAMETOOLONG && !is_long) {
			/* The name itself may just fit: leave it out. */
			is_long = true;
			stem = slash ? (int)(slash + 1 - final) : 0;
			continue;
		}
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	if (fd < 0) {
		int error = errno;

		gst_mem_free(name, room);
		return error;
	}
	/* Replacing a file does not change who may read it; failing at that is no reason to stop. */
	if (old && fchmod(fd, old->st_mode & 0777) != 0)
		errno = 0;
	o->temporary = copy_string(name);
	gst_mem_free(name, room);
	o->final = copy_string(final);
	o->fd = fd;
	return 0;
}

/* Where @path leads if it is a link to nothing, and else itself: into @target. Returns 0 or errno. */
static int follow_links(const char *path, char target[PATH_MAX])
{
	char link[PATH_MAX];

	if (strlen(path) >= PATH_MAX)
		return ENAMETOOLONG;
	memcpy(target, path, strlen(path) + 1);
	for (int n = 0; n < LINKS_MAX; n++) {
		ssize_t length = readlink(target, link, sizeof(link));
		char *slash = strrchr(target, '/');
		size_t at = 0;

		if (length < 0)
			return 0; /* no link: whoever makes the file says if it cannot be */
		/* Beside the link, unless it names a place from the root on. */
		if (length && link[0] != '/' && slash)
			at = (size_t)(slash + 1 - target);
		if (at + (size_t)length >= PATH_MAX)
			return ENAMETOOLONG;
		memcpy(target + at, link, (size_t)length);
		target[at + (size_t)length] = '\0';
	}
	return ELOOP;
}

gst_status gst_outfile_open(const char *path, struct gst_outfile **out, struct gst_err *err)
{
	struct gst_outfile *o = gst_mem_alloc(sizeof(*o));
	char resolved[PATH_MAX];
	struct stat st;
	int error = 0;

	o->path = copy_string(path);
	if (strcmp(path, "-") == 0) {
		o->fd = STDOUT_FILENO;
	} else if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode)) {
			o->fd = open(path, O_WRONLY | O_CLOEXEC);
			error = o->fd < 0 ? errno : 0;
		} else if (access(path, W_OK) != 0) {
			/* A rename would replace it all the same. */
			error = errno;
		} else if (!realpath(path, resolved)) {
			error = errno;
		} else {
			error = create_temporary(o, resolved, &st);
		}
	} else if (errno != ENOENT) {
		error = errno;
	} else {
		error = follow_links(path, resolved);
		if (!error)
			error = create_temporary(o, resolved, NULL);
	}
	if (error) {
		destroy(o);
		return gst_err_set(err, GST_E_IO, "%s: cannot create: %s", path, strerror(error));
	}
	o->next = outputs;
	outputs = o;
	*out = o;
	return GST_OK;
}

struct gst_outfile *gst_outfile_open_memory(void)
{
	struct gst_outfile *o = gst_mem_alloc(sizeof(*o));

	o->fd = -1;
	return o;
}

const char *gst_outfile_memory(struct gst_outfile *o, size_t *length)
{
	/* A zero byte behind it, not counted. */
	gst_vec_push(&o->buffer, '\0');
	o->buffer.count--;
	if (length)
		*length = o->buffer.count;
	return o->buffer.data;
}

char *gst_outfile_take_memory(struct gst_outfile *o, size_t *length, size_t *room)
{
	char *data;

	gst_outfile_memory(o, NULL);
	data = o->buffer.data;
	*length = o->buffer.count;
	*room = o->buffer.cap;
	o->buffer.data = NULL;
	o->buffer.cap = 0;
	destroy(o);
	return data;
}

static void write_out(struct gst_outfile *o, const char *data, size_t length)
{
	while (length && !o->error) {
		ssize_t n = write(o->fd, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			o->error = n < 0 ? errno : EIO;
			break;
		}
		data += n;
		length -= (size_t)n;
	}
}

static void flush_buffer(struct gst_outfile *o)
{
	if (o->fd < 0)
		return;
	write_out(o, o->buffer.data, o->buffer.count);
	gst_vec_clear(&o->buffer);
}

void gst_outfile_write(struct gst_outfile *o, const void *data, size_t length)
{
	if (o->error || !length)
		return;
	if (o->fd >= 0 && o->buffer.count + length > BUFFER_BYTES) {
		flush_buffer(o);
		if (length > BUFFER_BYTES) {
			write_out(o, data, length);
			return;
		}
	}
	if (o->fd >= 0 && !o->buffer.cap)
		gst_vec_reserve(&o->buffer, BUFFER_BYTES);
	memcpy(gst_vec_extend(&o->buffer, length), data, length);
}

void gst_outfile_puts(struct gst_outfile *o, const char *text)
{
	gst_outfile_write(o, text, strlen(text));
}

void gst_outfile_vprintf(struct gst_outfile *o, const char *fmt, va_list ap)
{
	char small[512];
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n < 0) {
		o->error = EINVAL;
	} else if ((size_t)n < sizeof(small)) {
		gst_outfile_write(o, small, (size_t)n);
	} else {
		size_t bytes = (size_t)n + 1;
		char *large = gst_mem_alloc(bytes);

		vsnprintf(large, bytes, fmt, again);
		gst_outfile_write(o, large, (size_t)n);
		gst_mem_free(large, bytes);
	}
	va_end(again);
}

void gst_outfile_printf(struct gst_outfile *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	gst_outfile_vprintf(o, fmt, ap);
	va_end(ap);
}

bool gst_outfile_failed(const struct gst_outfile *o)
{
	return o->error != 0;
}

const char *gst_outfile_temp_path(const struct gst_outfile *o)
{
	return o->temporary;
}

gst_status gst_outfile_commit(struct gst_outfile *o, struct gst_err *err)
{
	gst_status st = GST_OK;

	flush_buffer(o);
	if (o->fd >= 0 && o->fd != STDOUT_FILENO && close(o->fd) != 0 && !o->error)
		o->error = errno;
	if (!o->error && o->temporary && rename(o->temporary, o->final) != 0)
		o->error = errno;
	if (o->error) {
		st = gst_err_set(err, GST_E_IO, "%s: cannot write: %s",
				 o->path ? o->path : "memory", strerror(o->error));
		if (o->temporary)
			unlink(o->temporary);
	}
	destroy(o);
	return st;
}

void gst_outfile_abort(struct gst_outfile *o)
{
	if (!o)
		return;
	if (o->fd >= 0 && o->fd != STDOUT_FILENO)
		close(o->fd);
	if (o->temporary)
		unlink(o->temporary);
	destroy(o);
}

void gst_outfile_abort_all(void)
{
	struct gst_outfile *o;

	for (o = outputs; o; o = o->next) {
		if (o->temporary)
			unlink(o->temporary);
	}
}
