/*
 * watch.c - evidence for "the variable was not inherited", from /proc.
 *
 * Role      : record asks it why no trace came.
 * Method    : after 50 ms, then at doubling intervals up to 10 s, until the first trace exists: for the program and
 *             its descendants, is libcuda.so mapped, and is CUDA_INJECTION64_PATH in the environment it was started with?
 * Invariant : reads only; nothing about the program changes. Seeing nothing proves nothing.
 * Not here  : the words (cmd_record.c).
 */
#include "analyzer/cli/watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PROCESSES = 256, LONGEST_MS = 10000 };

/* Does /proc/@pid/@file contain @needle (not longer than 64)? 1, 0, or -1 if it cannot be read. */
static int contains(pid_t pid, const char *file, const char *needle, bool at_start)
{
	char path[64], buf[16384 + 64];
	size_t length = strlen(needle), kept = 1;
	int fd, found = 0;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return -1;
	}
	buf[0] = '\0'; /* a variable begins after a zero byte, the first one too */
	for (;;) {
		ssize_t n = read(fd, buf + kept, 16384);
		size_t end;

		if (n <= 0) {
			found = n < 0 && !found ? -1 : found;
			break;
		}
		end = kept + (size_t)n;
		for (const char *p = buf;
		     !found && (p = memmem(p, end - (size_t)(p - buf), needle, length)); p++) {
			found = !at_start || (p > buf && p[-1] == '\0');
		}
		if (found) {
			break;
		}
		kept = end < length ? end : length;
		memmove(buf, buf + end - kept, kept);
	}
	close(fd);
	return found;
}

static void read_name(pid_t pid, char *name, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (!f || !fgets(name, (int)size, f)) {
		name[0] = '\0';
	}
	name[strcspn(name, "\n")] = '\0';
	if (f) {
		fclose(f);
	}
}

static size_t add_children(pid_t pid, pid_t *pids, size_t count)
{
	char path[96];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)) && count < MAX_PROCESSES) {
		FILE *f;
		int child;

		if (entry->d_name[0] == '.' || strlen(entry->d_name) > 12) {
			continue;
		}
		snprintf(path, sizeof(path), "/proc/%d/task/%.12s/children", (int)pid,
			 entry->d_name);
		f = fopen(path, "re");
		while (f && count < MAX_PROCESSES && fscanf(f, "%d", &child) == 1) {
			pids[count++] = child;
		}
		if (f) {
			fclose(f);
		}
	}
	if (tasks) {
		closedir(tasks);
	}
	return count;
}

unsigned gst_watch_tick(void *payload, pid_t pid)
{
	struct gst_watch *w = payload;
	pid_t pids[MAX_PROCESSES];
	size_t count = 1;

	if (gst_session_has_news(w->session)) {
		return 0;
	}
	pids[0] = pid;
	for (size_t i = 0; i < count; i++) {
		count = add_children(pids[i], pids, count);
		if (contains(pids[i], "maps", "/libcuda.so", false) != 1) {
			continue;
		}
		switch (contains(pids[i], "environ", "CUDA_INJECTION64_PATH=", true)) {
		case 0:
			w->without = pids[i];
			read_name(pids[i], w->without_name, sizeof(w->without_name));
			break;
		case 1:
			w->with = pids[i];
			read_name(pids[i], w->with_name, sizeof(w->with_name));
			break;
		default:
			break;
		}
	}
	w->interval_ms = w->interval_ms ? w->interval_ms * 2 : GST_WATCH_FIRST_MS * 2;
	if (w->interval_ms > LONGEST_MS) {
		w->interval_ms = LONGEST_MS;
	}
	return w->interval_ms;
}
