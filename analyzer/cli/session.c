/*
 * session.c - reads <pid>.trace and <pid>.why, bounded.
 *
 * Role      : record makes the folder, the library in each traced process writes, record reads at the end.
 * Invariant : only regular files with such names are read, at most MAX_BYTES of each and MAX_ENTRIES lines in all.
 * Not here  : whether the paths exist and what is in them (cmd_record.c).
 */
#include "analyzer/cli/session.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 20, MAX_ENTRIES = 4096 };

bool gst_session_init(struct gst_session *s)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];

	memset(s, 0, sizeof(*s));
	if (!tmp || tmp[0] != '/' || access(tmp, W_OK | X_OK) != 0) {
		tmp = "/tmp";
	}
	if ((size_t)snprintf(path, sizeof(path), "%s/gstrace-session-XXXXXX", tmp) >=
	    sizeof(path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (!mkdtemp(path)) { /* 0700 */
		return false;
	}
	memcpy(s->dir, path, sizeof(path));
	return true;
}

/* Is @name <digits><suffix>? Then *pid. */
static bool name_is(const char *name, const char *suffix, long *pid)
{
	char *end;

	if (!isdigit((unsigned char)name[0])) {
		return false;
	}
	errno = 0;
	*pid = strtol(name, &end, 10);
	return errno == 0 && strcmp(end, suffix) == 0;
}

bool gst_session_has_news(const struct gst_session *s)
{
	struct dirent *entry;
	bool has = false;
	long pid;
	DIR *dir = opendir(s->dir);

	if (!dir) {
		return false;
	}
	while (!has && (entry = readdir(dir))) {
		has = name_is(entry->d_name, ".trace", &pid) ||
		      name_is(entry->d_name, ".why", &pid);
	}
	closedir(dir);
	return has;
}

/* Takes back what the writer did to newlines and backslashes; gives the new length. */
static size_t unescape(char *text, size_t length)
{
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (c == '\\' && i + 1 < length && (text[i + 1] == 'n' || text[i + 1] == '\\')) {
			c = text[++i] == 'n' ? '\n' : '\\';
		}
		text[used++] = c;
	}
	return used;
}

static bool add(struct gst_session_entry **entries, size_t *count, long pid, const char *text,
		size_t length)
{
	struct gst_session_entry *grown;
	char *copy;

	if (*count >= MAX_ENTRIES || memchr(text, '\0', length)) {
		return true;
	}
	for (size_t i = 0; i < *count; i++) {
		if (strlen((*entries)[i].text) == length &&
		    memcmp((*entries)[i].text, text, length) == 0) {
			return true;
		}
	}
	copy = strndup(text, length);
	grown = copy ? realloc(*entries, (*count + 1) * sizeof(*grown)) : NULL;
	if (!grown) {
		free(copy);
		return false;
	}
	grown[*count] = (struct gst_session_entry){.pid = pid, .text = copy};
	*entries = grown;
	++*count;
	return true;
}

static bool read_file(struct gst_session *s, int dir_fd, const char *name, long pid, bool is_trace)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	size_t length = 0;
	struct stat st;
	char *text;
	bool ok = true;

	if (fd < 0) {
		return true;
	}
	text = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? malloc(MAX_BYTES) : NULL;
	while (text && length < MAX_BYTES) {
		ssize_t n = read(fd, text + length, MAX_BYTES - length);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			break;
		}
		length += (size_t)n;
	}
	close(fd);
	for (size_t at = 0; text && ok && at < length;) {
		char *line = text + at;
		const char *end = memchr(line, '\n', length - at);
		size_t size = end ? (size_t)(end - line) : length - at;
		size_t n = unescape(line, size);

		if (n > 0 && (!is_trace || line[0] == '/')) {
			ok = is_trace ? add(&s->traces, &s->trace_count, pid, line, n)
				      : add(&s->reasons, &s->reason_count, pid, line, n);
		}
		at += size + 1;
	}
	free(text);
	return ok;
}

static int compare(const void *a, const void *b)
{
	const struct gst_session_entry *x = a, *y = b;

	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : strcmp(x->text, y->text);
}

bool gst_session_read(struct gst_session *s)
{
	struct dirent *entry;
	bool ok = true;
	long pid;
	DIR *dir = opendir(s->dir);

	if (!dir) {
		return false;
	}
	while (ok && (entry = readdir(dir))) {
		if (name_is(entry->d_name, ".trace", &pid)) {
			ok = read_file(s, dirfd(dir), entry->d_name, pid, true);
		} else if (name_is(entry->d_name, ".why", &pid)) {
			ok = read_file(s, dirfd(dir), entry->d_name, pid, false);
		} else if (name_is(entry->d_name, ".inner", &pid)) {
			s->inner = pid;
		}
	}
	closedir(dir);
	if (s->trace_count > 0) {
		qsort(s->traces, s->trace_count, sizeof(*s->traces), compare);
	}
	if (s->reason_count > 0) {
		qsort(s->reasons, s->reason_count, sizeof(*s->reasons), compare);
	}
	if (!ok) {
		errno = ENOMEM;
	}
	return ok;
}

static void write_line(const char *outer, long pid, const char *kind, const char *text)
{
	char path[PATH_MAX];
	char *line = malloc(2 * strlen(text) + 2);
	size_t used = 0;
	int fd;

	if (!line ||
	    (size_t)snprintf(path, sizeof(path), "%s/%ld.%s", outer, pid, kind) >= sizeof(path)) {
		free(line);
		return;
	}
	for (; *text; text++) {
		if (*text == '\n' || *text == '\\') {
			line[used++] = '\\';
		}
		line[used++] = *text == '\n' ? 'n' : *text;
	}
	line[used++] = '\n';
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	for (size_t at = 0; fd >= 0 && at < used;) {
		ssize_t n = write(fd, line + at, used - at);

		if (n <= 0 && errno != EINTR) {
			break;
		}
		at += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0) {
		close(fd);
	}
	free(line);
}

void gst_session_pass_on(const struct gst_session *s, const char *outer)
{
	for (size_t i = 0; i < s->trace_count; i++) {
		write_line(outer, s->traces[i].pid, "trace", s->traces[i].text);
	}
	for (size_t i = 0; i < s->reason_count; i++) {
		write_line(outer, s->reasons[i].pid, "why", s->reasons[i].text);
	}
	if (!s->trace_count && !s->reason_count) {
		write_line(outer, getpid(), "inner", "");
	}
}

static void free_entries(struct gst_session_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(entries[i].text);
	}
	free(entries);
}

void gst_session_release(struct gst_session *s)
{
	struct dirent *entry;
	DIR *dir = s->dir[0] ? opendir(s->dir) : NULL;

	while (dir && (entry = readdir(dir))) {
		/* Folders, "." among them, stay: only files are ours. */
		unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir) {
		closedir(dir);
		rmdir(s->dir);
	}
	free_entries(s->traces, s->trace_count);
	free_entries(s->reasons, s->reason_count);
	memset(s, 0, sizeof(*s));
}
