/*
 * output.c - create the trace file, tell the parent.
 *
 * Role      : inject.c opens the output here.
 * Method    : O_EXCL with numbers behind the name until one is free.
 * Invariant : no file that existed is opened for writing.
 * Not here  : what is written (writer.c), how the name is made (config.c).
 */
#include "tracer/output.h"

#include "tracer/old_glibc.h"
#include "tracer/linebuf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBERS_MAX 1000

/* The program's own descriptors keep the numbers they have without us, and none is found by closing a few. */
#define FD_WANTED 400
#define FD_LEAST  3
#define FD_TOP	  16 /* so many of the highest numbers are tried where there are few */

/* Out of the way; where the program may have few, at least not stdin, stdout or stderr. */
static int move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, FD_WANTED);
	struct rlimit limit;

	if (moved < 0 && !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur <= FD_WANTED) {
		int top = (int)limit.rlim_cur - 1;

		for (int wanted = top; moved < 0 && wanted > fd && wanted > top - FD_TOP;
		     wanted--) {
			moved = fcntl(fd, F_DUPFD_CLOEXEC, wanted);
		}
	}
	if (moved < 0) {
		moved = fd < FD_LEAST ? fcntl(fd, F_DUPFD_CLOEXEC, FD_LEAST) : fd;
	}
	if (moved != fd) {
		int saved_errno = errno;

		close(fd);
		errno = saved_errno;
	}
	return moved;
}

int gst_output_create(char *path, size_t size)
{
	struct gst_linebuf name;
	size_t length = strlen(path);
	struct stat about;

	for (int number = 0; number < NUMBERS_MAX; number++) {
		int fd;

		gst_linebuf_init(&name, path + length, size - length);
		if (number) {
			gst_linebuf_add(&name, ".");
			gst_linebuf_add_dec(&name, number);
		}
		if (name.is_cut) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0) {
			/* A mask of the program must not keep its user from reading it. */
			(void)fchmod(fd, 0600);
			fd = move_up(fd);
			if (fd < 0) {
				unlink(path);
			}
			return fd;
		}
		if (errno != EEXIST) {
			return -1;
		}
		/* "traces.1" beside the folder "traces", or "/dev/null.1", is not what was meant. */
		if (!number && !gst_old_stat(path, &about) && !S_ISREG(about.st_mode)) {
			errno = S_ISDIR(about.st_mode) ? EISDIR : ENODEV;
			return -1;
		}
	}
	errno = EEXIST;
	return -1;
}

void gst_output_absolute(const char *path, char *full, size_t size)
{
	struct gst_linebuf line;
	size_t used = 0;

	if (path[0] != '/' && getcwd(full, size)) {
		used = strlen(full);
	}
	gst_linebuf_init(&line, full + used, size - used);
	gst_linebuf_add(&line, used ? "/" : "");
	gst_linebuf_add(&line, path);
}

/* As gst_session_read() takes it back. */
static void add_escaped(struct gst_linebuf *line, const char *text)
{
	char one[2] = {0};

	for (; *text; text++) {
		one[0] = *text;
		gst_linebuf_add(line, *text == '\n' ? "\\n" : *text == '\\' ? "\\\\" : one);
	}
}

void gst_output_report(const char *dir, const char *kind, const char *text)
{
	/* One thread, at the start; its stack may be small. */
	static char path_text[1200], line_text[8800];
	struct gst_linebuf path, line;
	size_t done = 0;
	int fd;

	if (!dir[0]) {
		return;
	}
	gst_linebuf_init(&path, path_text, sizeof(path_text));
	gst_linebuf_add(&path, dir);
	gst_linebuf_add(&path, "/");
	gst_linebuf_add_dec(&path, getpid());
	gst_linebuf_add(&path, ".");
	gst_linebuf_add(&path, kind);
	gst_linebuf_init(&line, line_text, sizeof(line_text));
	add_escaped(&line, text);
	gst_linebuf_add(&line, "\n");
	if (path.is_cut || line.is_cut) {
		return;
	}
	/* A process that executes itself again has made one already. */
	fd = open(path_text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		  0600);
	if (fd < 0) {
		return;
	}
	while (done < line.used) {
		ssize_t n = write(fd, line_text + done, line.used - done);

		if (n < 0 && errno != EINTR) {
			break;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	close(fd);
}
