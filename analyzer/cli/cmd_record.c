/*
 * cmd_record.c - gstrace record: run a program with libgstrace.so injected, list what was recorded.
 *
 * Role      : sets the variables, runs the program (launch.c), reads the session folder, explains an empty result.
 * Invariant : stdin and stdout are the program's alone; everything here goes to stderr; the status is the program's.
 * Not here  : signals (launch.c), the search for the library (locate.c), recording (tracer/).
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "analyzer/cli/cli.h"
#include "analyzer/cli/launch.h"
#include "analyzer/cli/locate.h"
#include "analyzer/cli/cli_output.h"
#include "analyzer/cli/probe.h"
#include "analyzer/cli/session.h"
#include "analyzer/cli/settings.h"
#include "analyzer/cli/watch.h"
#include "analyzer/base/units.h"
#include "analyzer/load/fold.h"
#include "analyzer/load/load.h"

#define INJECTION    "CUDA_INJECTION64_PATH"
#define NVTX	     "NVTX_INJECTION64_PATH"
#define DEFAULT_NAME "gstrace-%h-%p.gst"
#define PRIVATE_NAME "gstrace-%p.gst"

/* What the library keeps of GSTRACE_OUTPUT. */
enum { OUTPUT_BYTES = 1024 };

enum { MAX_LISTED = 32, MAX_NEXT = 4, PROBE_SECONDS = 10 };

/* Reading a larger trace takes longer than somebody wants to wait for a number. */
#define MAX_COUNTED_BYTES (UINT64_C(256) << 20)

struct record {
	const char *library, *output;
	bool is_forced, is_quiet;
	char *const *argv;
	char program[PATH_MAX]; /* as exec will find it; "" = not found */
	struct gst_located located;
	struct gst_session session;
	char outer[PATH_MAX]; /* session folder of a recording that we run in; "" = none */
	struct gst_watch watch;
};

enum { OPT_LIB = 256, OPT_FORCE };

#define HEADING(text)                             \
	{                                         \
		GST_OPT_HEADING, text, NULL, NULL \
	}

/* clang-format off */
static const struct gst_option options[] = {
	HEADING("What is recorded"),
	GST_SETTING_WHAT(GST_SETTING_OPTION_ROW)
	HEADING("When"),
	GST_SETTING_WHEN(GST_SETTING_OPTION_ROW)
	HEADING("Where it goes"),
	{'o', "output", "FILE",
	 "where the trace goes: a file or a folder; %p pid, %h host,\n%e program, %t start time. "
	 "Nothing is overwritten: an\nexisting name gets .1, .2, ... (default: " DEFAULT_NAME ")"},
	GST_SETTING_WHERE(GST_SETTING_OPTION_ROW)
	HEADING("Memory and time"),
	GST_SETTING_COST(GST_SETTING_OPTION_ROW)
	HEADING("The tracer itself"),
	GST_SETTING_TOOL(GST_SETTING_OPTION_ROW)
	{OPT_LIB, "lib", "FILE", "use this libgstrace.so"},
	{OPT_FORCE, "force", NULL, "even if another tool is set in " INJECTION},
	{'q', "quiet", NULL, "do not list the traces"},
	{0},
};
/* clang-format on */

/* ---- before the program runs ---------------------------------------------------------------------- */

/* Where exec will look: like execvpe(). */
static void find_program(const char *name, char *path, size_t size)
{
	const char *dirs = getenv("PATH");

	path[0] = '\0';
	if (strchr(name, '/')) {
		if (access(name, F_OK) == 0) {
			snprintf(path, size, "%s", name);
		}
		return;
	}
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *name; dirs++) {
		size_t n = strcspn(dirs, ":");
		struct stat st;

		snprintf(path, size, "%.*s%s%s", (int)n, dirs, n ? "/" : "", name);
		if (access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
			return;
		}
		dirs += n;
		if (*dirs != ':') {
			break;
		}
	}
	path[0] = '\0';
}

static bool set_variable(const char *name, const char *value)
{
	if (setenv(name, value, 1) == 0) {
		return true;
	}
	gst_cli_error("%s: %s", name, strerror(errno));
	return false;
}

/* The folder of an output pattern must exist now: the program may run for hours before its first CUDA call. */
static bool check_folder(const char *pattern)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(pattern, '/');
	struct stat st;

	snprintf(folder, sizeof(folder), "%.*s", slash == pattern ? 1 : (int)(slash - pattern),
		 pattern);
	if (strchr(folder, '%')) {
		return true;
	}
	if (stat(folder, &st) != 0 || access(folder, W_OK | X_OK) != 0) {
		gst_cli_error("output folder %s: %s", gst_cli_show(folder), strerror(errno));
		return false;
	}
	if (!S_ISDIR(st.st_mode)) {
		gst_cli_error("output folder %s: not a folder", gst_cli_show(folder));
		return false;
	}
	return true;
}

/*
 * GSTRACE_OUTPUT, absolute: the program, or a child of it, may change its working directory. A % of the
 * working directory itself is doubled.
 */
static bool set_output(const char *option)
{
	const char *private = getenv("GSTRACE_PRIVATE");
	const char *name = private && strcmp(private, "1") == 0 ? PRIVATE_NAME : DEFAULT_NAME;
	const char *pattern = option ? option : getenv("GSTRACE_OUTPUT");
	char cwd[PATH_MAX], full[3 * PATH_MAX];
	size_t used = 0;
	struct stat st;

	if (!pattern || !*pattern) {
		pattern = option ? "" : name;
	}
	if (!*pattern) {
		gst_cli_error("--output is empty");
		return false;
	}
	if (pattern[0] != '/') {
		if (!getcwd(cwd, sizeof(cwd))) {
			gst_cli_error("working directory: %s", strerror(errno));
			return false;
		}
		for (const char *c = cwd; *c; c++) {
			if (*c == '%') {
				full[used++] = '%';
			}
			full[used++] = *c;
		}
		if (used == 0 || full[used - 1] != '/') {
			full[used++] = '/';
		}
	}
	snprintf(full + used, sizeof(full) - used, "%s", pattern);
	used = strlen(full);
	if (full[used - 1] == '/' || (stat(pattern, &st) == 0 && S_ISDIR(st.st_mode))) {
		snprintf(full + used, sizeof(full) - used, "%s%s", full[used - 1] == '/' ? "" : "/",
			 name);
	}
	if (strlen(full) >= OUTPUT_BYTES) {
		gst_cli_error("--output is too long");
		return false;
	}
	return check_folder(full) && set_variable("GSTRACE_OUTPUT", full);
}

/* Both name the library. A tool that has NVTX already keeps it: the trace says that ranges are missing. */
static bool set_variables(const char *library)
{
	const char *nvtx = getenv(NVTX);

	return set_variable(INJECTION, library) &&
	       ((nvtx && nvtx[0]) || set_variable(NVTX, library));
}

static bool set_injection(struct record *r)
{
	const char *before = getenv(INJECTION);

	if (!gst_locate_library(r->library, &r->located)) {
		gst_cli_error("libgstrace.so%s%s: %s", r->located.source[0] ? " of " : "",
			      r->located.source, r->located.error);
		for (const char *at = r->located.tried; *at;) {
			size_t n = strcspn(at, "\n");
			char place[PATH_MAX];

			snprintf(place, sizeof(place), "%.*s", (int)n, at);
			fprintf(stderr, "  tried %s\n", gst_cli_show(place));
			at += n + (at[n] == '\n');
		}
		if (!r->library) {
			fputs("  name it with --lib or GSTRACE_LIB\n", stderr);
		}
		return false;
	}
	if (before && *before && strcmp(before, r->located.path) != 0) {
		char same[PATH_MAX];

		if (realpath(before, same) && strcmp(same, r->located.path) == 0) {
			return set_variables(r->located.path);
		}
		if (!r->is_forced) {
			gst_cli_error(INJECTION
				      " is set already, to %s: only one tool can be injected.",
				      gst_cli_show(before));
			fputs("  unset it, or say --force to put gstrace in its place\n", stderr);
			return false;
		}
	}
	return set_variables(r->located.path);
}

/* ---- afterwards ----------------------------------------------------------------------------------- */

/* @path without the working directory in front, if it is in there. */
static const char *short_path(const char *path)
{
	char cwd[PATH_MAX];
	size_t n;

	if (!getcwd(cwd, sizeof(cwd))) {
		return path;
	}
	n = strlen(cwd);
	return strncmp(path, cwd, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

/* Records in the trace, and how it ended, in words. */
static void describe_trace(const char *path, char *text, size_t size)
{
	struct gst_err err = {0};
	struct gst_loader *l;
	struct gst_record r;
	struct gst_fold fold;
	const char *state = "";
	struct stat st;
	char folded[96] = "";

	if (gst_fold(path, &fold, &err)) {
		snprintf(text, size, "%s", err.text);
		return;
	}
	if (fold.outcome == GST_FOLD_DONE) {
		if (fold.records > 0) {
			snprintf(folded, sizeof(folded),
				 ", %s of them saved after the program was killed",
				 gst_count(fold.records).text);
		} else {
			snprintf(folded, sizeof(folded),
				 ", none left to save when the program was killed");
		}
	} else if (fold.outcome == GST_FOLD_IN_USE) {
		state = ", still being written";
	} else if (fold.outcome == GST_FOLD_NOT_OURS) {
		state = ", its staging file is somebody else's";
	}
	if (gst_loader_open(path, NULL, &l, &err)) {
		snprintf(text, size, "%s", err.text);
		return;
	}
	if (stat(path, &st) == 0 && (uint64_t)st.st_size > MAX_COUNTED_BYTES) {
		snprintf(text, size, "%s%s%s", gst_bytes((uint64_t)st.st_size).text, folded, state);
		gst_loader_close(l);
		return;
	}
	while (gst_loader_next(l, &r) > 0) {
	}
	snprintf(text, size, "%s records, %s%s%s%s", gst_count(gst_loader_stats(l)->records).text,
		 gst_bytes(stat(path, &st) == 0 ? (uint64_t)st.st_size : 0).text, folded, state,
		 gst_loader_stats(l)->is_complete || state[0] ? "" : ", incomplete");
	gst_loader_close(l);
}

static void list_traces(const struct record *r)
{
	const struct gst_session *s = &r->session;
	size_t listed = s->trace_count < MAX_LISTED ? s->trace_count : MAX_LISTED;
	char text[GST_ERR_TEXT_BYTES];

	if (!r->is_quiet) {
		fprintf(stderr, "gstrace: %zu trace%s\n", s->trace_count,
			s->trace_count == 1 ? "" : "s");
	}
	for (size_t i = 0; i < s->trace_count; i++) {
		const char *path = s->traces[i].text;

		if (access(path, F_OK) != 0) {
			snprintf(text, sizeof(text), "%s", strerror(errno));
		} else {
			describe_trace(path, text,
				       sizeof(text)); /* also those that are not listed: it folds */
		}
		if (i < listed && !r->is_quiet) {
			fprintf(stderr, "  %s  (pid %ld: %s)\n", gst_cli_show(short_path(path)),
				s->traces[i].pid, gst_cli_show(text));
		}
	}
	if (s->trace_count > listed && !r->is_quiet) {
		fprintf(stderr, "  ... and %zu more\n", s->trace_count - listed);
	}
	if (!r->is_quiet) {
		fputs("next: gstrace analyze", stderr);
		for (size_t i = 0; i < s->trace_count && i < MAX_NEXT; i++) {
			fprintf(stderr, " %s", gst_cli_show(short_path(s->traces[i].text)));
		}
		fputs(s->trace_count > MAX_NEXT ? " ...\n" : "\n", stderr);
	}
}

/* Is @path an ELF program without a dynamic linker? */
static bool is_static(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf64_Ehdr head;
	bool has_load = false, has_interp = false;

	if (fd < 0) {
		return false;
	}
	if (read(fd, &head, sizeof(head)) == (ssize_t)sizeof(head) &&
	    memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
	    head.e_phentsize == sizeof(Elf64_Phdr)) {
		for (unsigned i = 0; i < head.e_phnum; i++) {
			Elf64_Phdr segment;
			off_t at = (off_t)(head.e_phoff + i * sizeof(segment));

			if (pread(fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment)) {
				break;
			}
			has_load |= segment.p_type == PT_LOAD;
			has_interp |= segment.p_type == PT_INTERP;
		}
	}
	close(fd);
	return has_load && !has_interp;
}

/* Does running @path change rights, so that the loader and the driver ignore parts of the environment? */
static bool is_privileged(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0) {
		return false;
	}
	return ((st.st_mode & S_ISUID) && st.st_uid != getuid()) ||
	       ((st.st_mode & S_ISGID) && st.st_gid != getgid()) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Programs that start others without our variables. */
static const char *drops_variables(const char *program)
{
	static const struct {
		const char *name, *hint;
	} launchers[] = {
		{"sudo", "put gstrace behind it: sudo gstrace record -- ..."},
		{"su", "run gstrace in the new shell"},
		{"doas", "put gstrace behind it: doas gstrace record -- ..."},
		{"docker", "run gstrace in the container ('gstrace env --for=container')"},
		{"podman", "run gstrace in the container ('gstrace env --for=container')"},
		{"ssh", "run gstrace on the other host"},
		{"srun", "'gstrace env --for=slurm' shows how"},
		{"sbatch", "'gstrace env --for=slurm' shows how"},
		{"env", "it may clear the variables (-i): put gstrace behind it"},
		{"systemd-run", "put gstrace behind it"},
	};
	const char *slash = strrchr(program, '/');
	const char *base = slash ? slash + 1 : program;

	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		if (strcmp(base, launchers[i].name) == 0) {
			return launchers[i].hint;
		}
	}
	return NULL;
}

/* Can any program here use CUDA at all? Only a loader that says no means no. */
static bool has_driver(void)
{
	static struct gst_probe probe;

	return !gst_probe_run("libcuda.so.1", GST_PROBE_DRIVER_VERSION, PROBE_SECONDS, &probe) ||
	       probe.signal || probe.is_loaded;
}

static void explain_nothing(const struct record *r)
{
	const struct gst_session *s = &r->session;
	const char *program = gst_cli_show(r->argv[0]);
	const char *hint;

	if (s->inner && !s->reason_count) {
		gst_cli_error(
			"no trace: %s ran gstrace record again (process %ld), which got none; what it said is above.",
			program, s->inner);
		return;
	}
	if (s->reason_count > 0) {
		gst_cli_error("no trace: the library was loaded but could not record");
		for (size_t i = 0; i < s->reason_count; i++) {
			fprintf(stderr, "  pid %ld: %s\n", s->reasons[i].pid,
				gst_cli_show(s->reasons[i].text));
		}
		fputs("  'gstrace doctor' looks at this machine\n", stderr);
		return;
	}
	if (r->watch.without) {
		gst_cli_error(
			"no trace: the variables were not inherited. Process %d (%s) uses CUDA's driver, but has no " INJECTION
			" in its environment.",
			(int)r->watch.without, gst_cli_show(r->watch.without_name));
		hint = drops_variables(r->argv[0]);
		fprintf(stderr, "  %s\n",
			hint ? hint
			     : "'gstrace env' prints the variables to set where it is started");
		return;
	}
	if (is_privileged(r->program)) {
		gst_cli_error(
			"no trace: %s runs with other rights (setuid, setgid or capabilities), and such programs "
			"do not take libraries from the environment.",
			program);
		fputs("  run a copy without these rights\n", stderr);
		return;
	}
	if (is_static(r->program)) {
		gst_cli_error(
			"no trace: %s is statically linked, so no library can be injected into it.",
			program);
		return;
	}
	if (r->watch.with) {
		gst_cli_error(
			"no trace: process %d (%s) loaded CUDA's driver and has the variables, but CUDA was never "
			"initialized in it (cuInit), or could not load %s.",
			(int)r->watch.with, gst_cli_show(r->watch.with_name),
			gst_cli_show(r->located.path));
		fputs("  'gstrace doctor --init' tries it on this machine\n", stderr);
		return;
	}
	gst_cli_error(
		"no trace: CUDA was never initialized by %s in a process that has the variables.",
		program);
	hint = drops_variables(r->argv[0]);
	if (hint) {
		fprintf(stderr, "  %s starts programs without them: %s\n", program, hint);
	} else if (!has_driver()) {
		fputs("  NVIDIA's driver (libcuda.so.1) cannot be loaded, so nothing on this machine can use CUDA:\n"
		      "  'gstrace doctor' says more. For a container or another host, 'gstrace env' prints what to set\n"
		      "  there\n",
		      stderr);
	} else {
		fputs("  if it does use CUDA, it does so in a process that was started without them (sudo, env -i, a\n"
		      "  container, another host): 'gstrace env' prints what to set there\n",
		      stderr);
	}
}

static void report(struct record *r, const struct gst_launched *run)
{
	if (run->signal) {
		gst_cli_error("%s was ended by signal %d (%s)", gst_cli_show(r->argv[0]),
			      run->signal, strsignal(run->signal));
	}
	/* The program has run: whatever happens here, its status counts. */
	gst_cli_set_memory_limit(0, run->status);
	if (!gst_session_read(&r->session)) {
		gst_cli_error("%s: %s", r->session.dir, strerror(errno));
		return;
	}
	if (r->outer[0]) {
		gst_session_pass_on(&r->session, r->outer);
	}
	if (r->session.trace_count == 0) {
		explain_nothing(r);
	} else {
		list_traces(r);
	}
}

static void complain_start(const struct record *r, const struct gst_launched *run)
{
	const char *program = gst_cli_show(r->argv[0]);

	if (strcmp(run->phase, "exec") != 0) {
		gst_cli_error("%s: %s", run->phase, strerror(run->error));
	} else if (run->error == ENOENT && r->program[0]) {
		gst_cli_error(
			"%s: cannot be run: its interpreter (#! line or dynamic linker) does not exist",
			program);
	} else {
		gst_cli_error("%s: %s", program,
			      run->error == ENOENT ? "not found" : strerror(run->error));
	}
}

static int record(struct record *r)
{
	struct gst_launched run;
	struct gst_launch launch = {
		.argv = r->argv,
		.watch = gst_watch_tick,
		.payload = &r->watch,
		.watch_ms = GST_WATCH_FIRST_MS,
	};

	const char *outer = getenv("GSTRACE_SESSION");

	if (!set_injection(r) || !set_output(r->output)) {
		return GST_RECORD_FAILED;
	}
	if (outer && strlen(outer) < sizeof(r->outer)) {
		memcpy(r->outer, outer, strlen(outer) + 1);
	}
	if (!gst_session_init(&r->session)) {
		gst_cli_error("session folder: %s", strerror(errno));
		return GST_RECORD_FAILED;
	}
	if (!set_variable("GSTRACE_SESSION", r->session.dir)) {
		gst_session_release(&r->session);
		return GST_RECORD_FAILED;
	}
	find_program(r->argv[0], r->program, sizeof(r->program));
	r->watch.session = &r->session;
	launch.envp = environ;
	gst_launch_run(&launch, &run);
	if (run.has_run) {
		report(r, &run);
	} else {
		complain_start(r, &run);
		if (run.status == GST_RECORD_NOT_FOUND && r->program[0]) {
			run.status = GST_RECORD_NOT_EXECUTABLE;
		}
	}
	gst_session_release(&r->session);
	return run.status;
}

static int run_record(struct gst_opt *opt)
{
	static struct record r; /* large, and used once */
	const struct gst_setting *setting;
	const char *value;
	int id, count;

	while ((id = gst_opt_next(opt, &value)) != GST_OPT_END) {
		switch (id) {
		case GST_OPT_STOP:
			return opt->status;
		case 'o':
			r.output = value;
			break;
		case 'q':
			r.is_quiet = true;
			break;
		case OPT_LIB:
			r.library = value;
			break;
		case OPT_FORCE:
			r.is_forced = true;
			break;
		default:
			setting = gst_setting_of_option(id);
			value = gst_setting_value(opt, setting, value);
			if (!value) {
				return opt->status;
			}
			if (!set_variable(setting->variable, value)) {
				return GST_RECORD_FAILED;
			}
			break;
		}
	}
	r.argv = gst_opt_operands(opt, &count);
	if (count == 0) {
		return gst_opt_wrong(opt, "which program?");
	}
	return record(&r);
}

const struct gst_command gst_cmd_record = {
	.name = "record",
	.summary = "run a program and record what it does with CUDA",
	.operands = "[--] PROGRAM [ARGUMENT]...",
	.description =
		"Each process that uses CUDA writes a trace of its own, also those that PROGRAM starts.\n"
		"Standard input and output are PROGRAM's. The exit status is PROGRAM's; 128 + N if signal N\n"
		"ended it; 127 if it was not found, 126 if it cannot be run, 125 if gstrace itself failed.\n"
		"TERM, HUP, USR1 and USR2 are passed on to it.",
	.options = options,
	.examples = "gstrace record -- ./app --its-options\n"
		    "gstrace record -o traces/ -- python train.py\n"
		    "gstrace record -o '%h-%p.gst' --graphs=nodes -- mpirun -n 4 ./app\n"
		    "gstrace record --start=paused --max-size=1G -- ./server",
	.usage_status = GST_RECORD_FAILED,
	.stops_at_operand = true,
	.run = run_record,
};
