/*
 * cmd_doctor.c - gstrace doctor: will recording work on this machine, and if not, what is to be done?
 *
 * Role      : the first thing to run when no trace came.
 * Method    : one function a subject, each printing one or more lines OK, WARN or FAIL; a line that is not OK is
 *             followed by what to do. Libraries are asked in child processes (probe.c).
 * Invariant : nothing is changed; CUDA is initialized only with --init.
 * Not here  : where libcupti is looked for (tracer/format/cupti_places.h, shared with the tracer).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "analyzer/cli/cli.h"
#include "analyzer/cli/locate.h"
#include "analyzer/cli/probe.h"
#include "tracer/format/cupti_places.h"

enum level { LEVEL_OK, LEVEL_WARN, LEVEL_FAIL };

struct doctor {
	const char *library;
	bool may_init;
	unsigned counts[3];
	uint32_t driver_cuda; /* CUDA version of the driver, 0 = not known */
};

enum { OPT_LIB = 256, OPT_INIT };

enum { PROBE_SECONDS = 10, INIT_SECONDS = 60, STAGING_BYTES = 16 << 20 };

static void line(struct doctor *d, enum level level, const char *subject, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void line(struct doctor *d, enum level level, const char *subject, const char *format, ...)
{
	static const char *const names[] = {"OK  ", "WARN", "FAIL"};
	va_list args;

	d->counts[level]++;
	printf("%s  %-11s ", names[level], subject);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* What to do about the line above. */
static void advise(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void advise(const char *format, ...)
{
	va_list args;

	printf("      %-11s -> ", "");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static bool read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, buf, size - 1) : -1;

	if (fd >= 0) {
		close(fd);
	}
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static void check_library(struct doctor *d)
{
	static struct gst_located found;

	if (gst_locate_library(d->library, &found)) {
		line(d, LEVEL_OK, "library", "%s (%s)", gst_cli_show(found.path), found.source);
		return;
	}
	line(d, LEVEL_FAIL, "library", "libgstrace.so: %s%s%s", found.error,
	     found.source[0] ? ", named by " : "", found.source);
	advise("install gstrace as a whole, or name the file with --lib or GSTRACE_LIB");
}

/* "NVRM version: ... Kernel Module  580.159.04  ..." */
static void driver_release(char *release, size_t size)
{
	char text[1024];
	const char *at;

	release[0] = '\0';
	if (!read_small("/proc/driver/nvidia/version", text, sizeof(text))) {
		return;
	}
	at = strstr(text, "Kernel Module");
	for (at = at ? at : text; *at && *at != '\n'; at++) {
		size_t n = strspn(at, "0123456789.");

		if (n >= 5 && memchr(at, '.', n)) {
			snprintf(release, size, "%.*s", (int)n, at);
			return;
		}
		at += n ? n - 1 : 0;
	}
}

static void check_driver(struct doctor *d)
{
	static struct gst_probe probe;
	char release[64];

	driver_release(release, sizeof(release));
	if (!gst_probe_run("libcuda.so.1", GST_PROBE_DRIVER_VERSION, PROBE_SECONDS, &probe)) {
		line(d, LEVEL_FAIL, "driver", "cannot start a process to look: %s",
		     strerror(errno));
		return;
	}
	if (probe.signal) {
		line(d, LEVEL_FAIL, "driver", "libcuda.so.1 %s",
		     probe.signal == SIGALRM ? "hangs" : "crashes");
		advise("reinstall the NVIDIA driver");
		return;
	}
	if (!probe.is_loaded) {
		line(d, LEVEL_FAIL, "driver", "%s", gst_cli_show(probe.error));
		if (release[0]) {
			advise("kernel driver %s is loaded: in a container, start it with the NVIDIA runtime (--gpus all)",
			       release);
		} else {
			advise("no NVIDIA driver on this machine: analyzing works, recording does not");
		}
		return;
	}
	if (!probe.has_answer || probe.result) {
		line(d, LEVEL_FAIL, "driver", "libcuda.so.1 tells no version: %s",
		     probe.has_answer ? "it fails" : gst_cli_show(probe.error));
		advise("reinstall the NVIDIA driver");
		return;
	}
	d->driver_cuda = probe.number;
	line(d, LEVEL_OK, "driver", "%s%sCUDA %u.%u, %s", release, release[0] ? ", " : "",
	     probe.number / 1000, probe.number % 1000 / 10, gst_cli_show(probe.path));
	if (!release[0]) {
		line(d, LEVEL_WARN, "driver",
		     "no /proc/driver/nvidia/version: the kernel driver is not loaded");
		advise("load it (modprobe nvidia), or give the container a GPU");
	}
}

static void check_init(struct doctor *d)
{
	static struct gst_probe probe;

	if (!d->may_init) {
		return;
	}
	if (!gst_probe_run("libcuda.so.1", GST_PROBE_DRIVER_INIT, INIT_SECONDS, &probe)) {
		line(d, LEVEL_FAIL, "cuInit", "cannot start a process to look: %s",
		     strerror(errno));
	} else if (probe.signal) {
		line(d, LEVEL_FAIL, "cuInit", "%s", probe.signal == SIGALRM ? "hangs" : "crashes");
	} else if (!probe.has_answer) {
		line(d, LEVEL_FAIL, "cuInit", "%s", gst_cli_show(probe.error));
		advise("see the line of the driver");
	} else if (probe.result) {
		line(d, LEVEL_FAIL, "cuInit", "fails with error %d%s", probe.result,
		     probe.result == 100   ? " (no device)"
		     : probe.result == 999 ? " (unknown)"
					   : "");
		advise("nvidia-smi should list a device; CUDA_VISIBLE_DEVICES must not hide it");
	} else {
		line(d, LEVEL_OK, "cuInit", "succeeds");
	}
}

/* ---- CUPTI ------------------------------------------------------------------------------------------ */

struct candidates {
	char seen[64][PATH_MAX];
	size_t count;
	bool has_choice;
	uint32_t major;
};

static uint32_t version_major(uint32_t version)
{
	return version >= 130000 ? version / 10000 : version > GST_CUPTI_OLDEST ? 12 : 11;
}

/* Look at one place; quiet where there is nothing. */
static void try_cupti(struct doctor *d, struct candidates *c, const char *library, bool is_named)
{
	static struct gst_probe probe;
	char path[PATH_MAX];
	const char *show;
	uint32_t driver_major = d->driver_cuda / 1000;

	if (strchr(library, '/') && access(library, F_OK) != 0) {
		if (is_named) {
			line(d, LEVEL_FAIL, "cupti", "%s (GSTRACE_CUPTI): %s",
			     gst_cli_show(library), strerror(errno));
		}
		return;
	}
	if (!gst_probe_run(library, GST_PROBE_CUPTI_VERSION, PROBE_SECONDS, &probe)) {
		return;
	}
	if (!probe.is_loaded && !probe.signal && !strchr(library, '/')) {
		return; /* not on the loader's path */
	}
	snprintf(path, sizeof(path), "%s", probe.path[0] ? probe.path : library);
	if (strchr(path, '/')) {
		char real[PATH_MAX];

		if (realpath(path, real)) {
			memcpy(path, real, sizeof(path));
		}
	}
	for (size_t i = 0; i < c->count; i++) {
		if (strcmp(c->seen[i], path) == 0) {
			return;
		}
	}
	if (c->count < sizeof(c->seen) / sizeof(c->seen[0])) {
		memcpy(c->seen[c->count++], path, sizeof(path));
	}
	show = gst_cli_show(path);
	if (probe.signal || !probe.has_answer || probe.result) {
		line(d, LEVEL_WARN, "cupti", "%s cannot be used: %s", show,
		     probe.signal	 ? "it crashes or hangs"
		     : !probe.has_answer ? gst_cli_show(probe.error)
					 : "it tells no version");
	} else if (probe.number < GST_CUPTI_OLDEST) {
		line(d, LEVEL_WARN, "cupti", "%s: version %u is older than CUPTI 11.8: never used",
		     show, probe.number);
	} else if (driver_major && version_major(probe.number) > driver_major) {
		line(d, LEVEL_WARN, "cupti",
		     "%s: version %u is newer than the driver's CUDA %u: not used", show,
		     probe.number, driver_major);
	} else if (version_major(probe.number) < 12 && driver_major > 11) {
		/* Measured: docs/COVERAGE.md, Versions of CUPTI. */
		line(d, LEVEL_WARN, "cupti",
		     "%s: version %u is of an older CUDA than the driver, %u: launches may be missing, "
		     "and device records belong to no call",
		     show, probe.number, driver_major);
		advise("install, or name by GSTRACE_CUPTI, a libcupti.so of CUDA 12 or later");
		c->has_choice = true;
	} else {
		line(d, LEVEL_OK, "cupti", "%s: version %u%s", show, probe.number,
		     c->has_choice ? "" : ", will be used unless the program loads its own");
		c->has_choice = true;
	}
}

static void check_cupti(struct doctor *d)
{
#define X(soname, major) {soname, major},
	static const struct {
		const char *name;
		uint32_t major;
	} sonames[] = {GST_CUPTI_SONAMES(X)};
#undef X
#define X(folder) folder,
	static const char *const home_folders[] = {GST_CUPTI_HOME_FOLDERS(X)};
	static const char *const folders[] = {GST_CUPTI_FOLDERS(X)};
#undef X
	static struct candidates c;
	const char *named = getenv("GSTRACE_CUPTI"), *home = getenv("CUDA_HOME");
	char path[PATH_MAX];

	if (named && *named) {
		try_cupti(d, &c, named, true);
		if (!c.has_choice) {
			advise("unset GSTRACE_CUPTI, or name a libcupti.so of CUDA 11.8 or later: no other is tried");
		}
		return;
	}
	for (size_t s = 0; s < sizeof(sonames) / sizeof(sonames[0]); s++) {
		try_cupti(d, &c, sonames[s].name, false);
		for (size_t f = 0;
		     home && *home && f < sizeof(home_folders) / sizeof(home_folders[0]); f++) {
			snprintf(path, sizeof(path), "%s%s%s", home, home_folders[f],
				 sonames[s].name);
			try_cupti(d, &c, path, false);
		}
		for (size_t f = 0; f < sizeof(folders) / sizeof(folders[0]); f++) {
			int n = (int)strcspn(folders[f], "%");

			if (folders[f][n]) {
				snprintf(path, sizeof(path), "%.*s%u%s%s", n, folders[f],
					 sonames[s].major, folders[f] + n + 1, sonames[s].name);
			} else {
				snprintf(path, sizeof(path), "%s%s", folders[f], sonames[s].name);
			}
			try_cupti(d, &c, path, false);
		}
	}
	if (!c.has_choice) {
		line(d, LEVEL_FAIL, "cupti",
		     "no usable libcupti.so found; looked on the loader's path, in CUDA_HOME and in");
		for (size_t f = 0; f < sizeof(folders) / sizeof(folders[0]); f++) {
			printf("      %-11s    %s\n", "", folders[f]);
		}
		advise("install it (Debian and Ubuntu: cuda-cupti-MAJOR-MINOR; pip: nvidia-cuda-cupti) or name it with "
		       "GSTRACE_CUPTI");
	}
}

/* ---- the rest ----------------------------------------------------------------------------------------- */

static void check_injection(struct doctor *d)
{
	static const struct {
		const char *name, *meaning;
	} variables[] = {
		{"CUDA_INJECTION64_PATH",
		 "another tool is injected: record refuses without --force"},
		{"NVTX_INJECTION64_PATH", "another tool receives NVTX ranges"},
		{"LD_PRELOAD", "loaded into every program: a tool in it may hold CUPTI"},
		{"CUDA_LAUNCH_BLOCKING", "every launch waits: nothing can overlap"},
		{"COMPUTE_PROFILE", "the old command-line profiler is asked for"},
	};
	bool is_clear = true;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i].name);

		if (value && *value && !(i == 3 && strcmp(value, "0") == 0)) {
			line(d, LEVEL_WARN, "injection", "%s=%s: %s", variables[i].name,
			     gst_cli_show(value), variables[i].meaning);
			advise("unset %s", variables[i].name);
			is_clear = false;
		}
	}
	if (is_clear) {
		line(d, LEVEL_OK, "injection", "no other tool in the environment");
	}
}

static void check_permission(struct doctor *d)
{
	char text[8192];
	const char *at;

	if (!read_small("/proc/driver/nvidia/params", text, sizeof(text))) {
		line(d, LEVEL_WARN, "permission",
		     "/proc/driver/nvidia/params cannot be read: not known who may profile");
		advise("some older drivers let only root trace; then a trace says INSUFFICIENT_PRIVILEGES");
		return;
	}
	at = strstr(text, "RmProfilingAdminOnly:");
	if (!at) {
		line(d, LEVEL_OK, "permission", "the driver has no restriction");
	} else if (strtol(at + strlen("RmProfilingAdminOnly:"), NULL, 10) == 0) {
		line(d, LEVEL_OK, "permission", "every user may profile");
	} else if (geteuid() == 0) {
		line(d, LEVEL_OK, "permission",
		     "root only (RmProfilingAdminOnly: 1), and this is root");
	} else {
		line(d, LEVEL_WARN, "permission",
		     "hardware counters are root's (RmProfilingAdminOnly: 1); tracing needs none");
		advise("if a trace says INSUFFICIENT_PRIVILEGES: set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia "
		       "module");
	}
}

static void check_staging(struct doctor *d)
{
	struct statfs fs;
	uint64_t total, free_bytes;

	if (statfs("/dev/shm", &fs) != 0) {
		line(d, LEVEL_WARN, "staging", "/dev/shm: %s", strerror(errno));
		advise("without it a killed program's last records are lost; mount a tmpfs there");
		return;
	}
	total = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize;
	free_bytes = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	if (fs.f_type != TMPFS_MAGIC) {
		line(d, LEVEL_WARN, "staging", "/dev/shm is not a tmpfs: it will not be used");
		advise("without one a killed program's last records are lost; mount a tmpfs there");
	} else if (access("/dev/shm", W_OK | X_OK) != 0) {
		line(d, LEVEL_WARN, "staging", "/dev/shm cannot be written by this user");
		advise("chmod 1777 /dev/shm");
	} else if (free_bytes < STAGING_BYTES) {
		line(d, LEVEL_WARN, "staging",
		     "/dev/shm: %llu of %llu MiB free, each traced process wants 16",
		     (unsigned long long)(free_bytes >> 20), (unsigned long long)(total >> 20));
		advise("remove what fills it; for a container: --shm-size=256m");
	} else {
		line(d, LEVEL_OK, "staging",
		     "/dev/shm: %llu of %llu MiB free (16 for each traced process)",
		     (unsigned long long)(free_bytes >> 20), (unsigned long long)(total >> 20));
	}
}

/* Staging files of programs that were killed outside of record. */
static void check_leftovers(struct doctor *d)
{
	DIR *dir = opendir("/dev/shm");
	unsigned count = 0;
	uint64_t bytes = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);
		struct stat st;

		if (strncmp(entry->d_name, "gstrace-", 8) != 0 || length < 16 ||
		    strcmp(entry->d_name + length - 8, ".staging") != 0 ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
			continue;
		}
		count++;
		bytes += (uint64_t)st.st_size;
	}
	if (dir) {
		closedir(dir);
	}
	if (count > 0) {
		line(d, LEVEL_WARN, "staging",
		     "%u staging file%s of %llu MiB in /dev/shm: of programs that run, or were killed",
		     count, count == 1 ? "" : "s", (unsigned long long)(bytes >> 20));
		advise("analyze the killed programs' traces first; then rm /dev/shm/gstrace-*.staging while nothing is recorded");
	}
}

static void check_output(struct doctor *d)
{
	if (access(".", W_OK | X_OK) == 0) {
		line(d, LEVEL_OK, "output", "this folder can be written");
	} else {
		line(d, LEVEL_WARN, "output", "this folder: %s", strerror(errno));
		advise("record -o FOLDER/");
	}
}

static int run_doctor(struct gst_opt *opt)
{
	struct doctor d = {0};
	const char *value;
	int id, count;

	while ((id = gst_opt_next(opt, &value)) != GST_OPT_END) {
		switch (id) {
		case GST_OPT_STOP:
			return opt->status;
		case OPT_LIB:
			d.library = value;
			break;
		case OPT_INIT:
			d.may_init = true;
			break;
		default:
			break;
		}
	}
	if (gst_opt_operands(opt, &count), count > 0) {
		return gst_opt_wrong(opt, "takes no arguments");
	}
	check_library(&d);
	check_driver(&d);
	check_init(&d);
	check_cupti(&d);
	check_injection(&d);
	check_permission(&d);
	check_staging(&d);
	check_leftovers(&d);
	check_output(&d);
	printf("\n%s\n", d.counts[LEVEL_FAIL] ? "Recording will not work here."
			 : d.counts[LEVEL_WARN]
				 ? "Recording should work, with the reservations above."
				 : "Recording should work here.");
	return gst_cli_finish(d.counts[LEVEL_FAIL] ? GST_EXIT_FOUND : GST_EXIT_OK);
}

static const struct gst_option options[] = {
	{OPT_LIB, "lib", "FILE", "judge this libgstrace.so"},
	{OPT_INIT, "init", NULL, "initialize CUDA as well, in a process of its own"},
	{0},
};

const struct gst_command gst_cmd_doctor = {
	.name = "doctor",
	.summary = "say whether recording will work here, and what to do if not",
	.operands = "",
	.description =
		"One line a subject: OK, WARN or FAIL, and what to do. Exit status 1 if a line says FAIL.",
	.options = options,
	.examples = "gstrace doctor\ngstrace doctor --init",
	.usage_status = GST_EXIT_USAGE,
	.run = run_doctor,
};
