/*
 * identity.c - process, variables and versions, once at the start.
 *
 * Role      : the definitions every trace begins with.
 * Method    : /proc, /sys and the environment, read with open and read into stack buffers.
 *             The environment is read once, in the program's own thread.
 * Invariant : only the variables listed here are ever read or written to a trace; private leaves out
 *             every text that could name a person, a host or a folder.
 * Not here  : devices (their activity records tell), threads (thread_slot.c).
 */
#include "tracer/identity.h"
#include "tracer/old_glibc.h"
#include "tracer/call_clock.h"
#include "tracer/clock.h"
#include "tracer/format/encode.h"
#include "tracer/format/version.h"
#include "tracer/linebuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* They change what is ordered with what. */
static const struct {
	const char *name;
	bool is_path;
} variables[] = {
	{"CUDA_LAUNCH_BLOCKING", false},
	{"CUDA_DEVICE_MAX_CONNECTIONS", false},
	{"CUDA_DEVICE_MAX_COPY_CONNECTIONS", false},
	{"CUDA_SCALE_LAUNCH_QUEUES", false},
	{"CUDA_GRAPHS_USE_NODE_PRIORITY", false},
	{"CUDA_DEVICE_ORDER", false},
	{"CUDA_VISIBLE_DEVICES", false},
	{"CUDA_MODULE_LOADING", false},
	{"CUDA_MPS_PIPE_DIRECTORY", true},
	{"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", false},
	{"CUDA_INJECTION64_PATH", true},
};

static const char *const ranks[] = {
	"OMPI_COMM_WORLD_RANK", "PMI_RANK",   "PMIX_RANK", "SLURM_PROCID", "RANK",
	"LOCAL_RANK",		"WORLD_SIZE",
};

/* The bytes of a small file, up to @size; 0 if it cannot be read. */
static size_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;

	if (fd < 0) {
		return 0;
	}
	while (used < size) {
		ssize_t n = read(fd, text + used, size - used);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			break;
		}
		used += (size_t)n;
	}
	close(fd);
	return used;
}

/* As a string, without the newline at its end. */
static size_t read_line(const char *path, char *text, size_t size)
{
	size_t used = read_file(path, text, size - 1);

	while (used && (text[used - 1] == '\n' || text[used - 1] == '\0')) {
		used--;
	}
	text[used] = '\0';
	return used;
}

static void read_random(uint64_t *hi, uint64_t *lo)
{
	uint64_t words[2] = {0, 0};

	if (syscall(SYS_getrandom, words, sizeof(words), 0) != (long)sizeof(words) &&
	    read_file("/dev/urandom", (char *)words, sizeof(words)) != sizeof(words)) {
		words[0] = gst_clock_real_ns();
		words[1] = (uint64_t)getpid() << 32 ^ gst_clock_mono_ns();
	}
	*hi = words[0];
	*lo = words[1];
}

void gst_identity_init(struct gst_identity *id)
{
	ssize_t length;
	char *slash;

	memset(id, 0, sizeof(*id));
	read_random(&id->uuid_hi, &id->uuid_lo);
	if (gethostname(id->host, sizeof(id->host) - 1)) {
		id->host[0] = '\0';
	}
	length = readlink("/proc/self/exe", id->exe, sizeof(id->exe) - 1);
	id->exe[length > 0 ? length : 0] = '\0';
	slash = strrchr(id->exe, '/');
	id->exe_name = slash ? slash + 1 : id->exe;
	id->pid = getpid();
	id->start_mono_ns = gst_clock_mono_ns();
	id->start_real_ns = gst_clock_real_ns();
}

static uint64_t hex_digits(const char *text, size_t digits, const char **end)
{
	uint64_t value = 0;

	while (digits && *text) {
		char c = *text++;

		if (c >= '0' && c <= '9') {
			value = value << 4 | (uint64_t)(c - '0');
		} else if (c >= 'a' && c <= 'f') {
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		} else {
			continue; /* the dashes of a UUID */
		}
		digits--;
	}
	*end = text;
	return value;
}

static void read_boot_id(uint64_t *hi, uint64_t *lo)
{
	char text[64];
	const char *at = text;

	read_line("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	*hi = hex_digits(at, 16, &at);
	*lo = hex_digits(at, 16, &at);
}

static uint64_t decimal_digits(const char *at)
{
	uint64_t value = 0;

	for (; *at >= '0' && *at <= '9'; at++) {
		value = value * 10 + (uint64_t)(*at - '0');
	}
	return value;
}

/* Field 22 of /proc/self/stat; the second, a name in brackets, may hold anything. */
static uint64_t read_start_ticks(void)
{
	char text[1024];
	char *at;

	read_line("/proc/self/stat", text, sizeof(text));
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++) {
		at = strchr(at + 1, ' ');
	}
	return at ? decimal_digits(at + 1) : 0;
}

static uint64_t read_pid_namespace(void)
{
	char text[64];
	ssize_t length = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);
	const char *at;

	text[length > 0 ? length : 0] = '\0';
	at = strchr(text, '[');
	return at ? decimal_digits(at + 1) : 0;
}

/* Decimal digits at *@at, before @end; moves it behind them. */
static uint32_t read_number(const char **at, const char *end)
{
	uint32_t value = 0;

	while (*at < end && **at >= '0' && **at <= '9' && value < 100000) {
		value = value * 10 + (uint32_t)(**at - '0');
		(*at)++;
	}
	return value;
}

uint32_t gst_identity_runtime_version(const char *maps, size_t length)
{
	static const char name[] = "/libcudart";
	static const char suffix[] = ".so.";
	const char *end = maps + length;
	const char *at = maps;

	while ((at = memmem(at, (size_t)(end - at), name, sizeof(name) - 1)) != NULL) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		const char *stop = line ? line : end;
		const char *number = memmem(at, (size_t)(stop - at), suffix, sizeof(suffix) - 1);
		uint32_t major, minor;

		at += sizeof(name) - 1;
		if (!number) {
			continue;
		}
		number += sizeof(suffix) - 1;
		major = read_number(&number, stop);
		if (number + 1 < stop && *number == '.' && number[1] >= '0' && number[1] <= '9') {
			number++;
			minor = read_number(&number, stop);
			if (major && major < 1000 && minor < 100) {
				return major * 1000 + minor * 10;
			}
		}
	}
	return 0;
}

/* The list of mappings may be long: piece by piece, with an overlap for a path that is cut. */
static uint32_t read_runtime_version(void)
{
	static char
		text[2 * GST_STRING_MAX_BYTES]; /* one thread at a time: start, then the writer */
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	uint32_t version = 0;

	while (fd >= 0 && !version) {
		ssize_t n = read(fd, text + used, sizeof(text) - used);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			break;
		}
		used += (size_t)n;
		version = gst_identity_runtime_version(text, used);
		if (used > sizeof(text) / 2) {
			memmove(text, text + used - sizeof(text) / 4, sizeof(text) / 4);
			used = sizeof(text) / 4;
		}
	}
	if (fd >= 0) {
		close(fd);
	}
	return version;
}

static void write_process(const struct gst_identity *id, struct gst_writer *w,
			  const struct gst_config *config, const struct gst_cupti *cupti)
{
	/* One thread at a time: that of the start, later the writer. */
	static char text[GST_STRING_MAX_BYTES];
	struct gst_rec_process rec = {
		.head = gst_record_head(GST_KIND_PROCESS, sizeof(rec), 0),
		.pid = (uint32_t)id->pid,
		.ppid = (uint32_t)getppid(),
		.pid_ns = read_pid_namespace(),
		.start_ticks = read_start_ticks(),
		.driver_version = gst_cupti_driver_version(),
		.runtime_version = read_runtime_version(),
		.cupti_version = cupti->version,
	};
	size_t length;

	read_boot_id(&rec.boot_hi, &rec.boot_lo);
	if (!config->is_private) {
		rec.host = gst_intern(w->strings, id->host);
		rec.exe = gst_intern(w->strings, id->exe);
		length = read_file("/proc/self/cmdline", text, sizeof(text));
		while (length && !text[length - 1]) {
			length--;
		}
		rec.cmdline = gst_intern_bytes(w->strings, text, length);
		rec.cupti_path = gst_intern(w->strings, cupti->path);
	}
	if (read_line("/proc/self/comm", text, sizeof(text))) {
		rec.name = gst_intern(w->strings, text);
	}
	if (read_line("/sys/module/nvidia/version", text, sizeof(text))) {
		rec.driver_release = gst_intern(w->strings, text);
	}
	if (w->pool->path[0]) {
		rec.staging = gst_intern(w->strings, w->pool->path);
	}
	gst_writer_put(w, &rec, sizeof(rec));
}

_Static_assert(sizeof(variables) / sizeof(variables[0]) == GST_IDENTITY_VARIABLES, "room for all");
_Static_assert(sizeof(ranks) / sizeof(ranks[0]) == GST_IDENTITY_RANKS, "room for all");

static void read_ranks(struct gst_identity *id, struct gst_intern *strings)
{
	for (size_t i = 0; i < GST_IDENTITY_RANKS; i++) {
		const char *text = getenv(ranks[i]);
		struct gst_rec_rank rec = {.head = gst_record_head(GST_KIND_RANK, sizeof(rec), 0)};
		char *end;

		if (!text || !text[0]) {
			continue;
		}
		errno = 0;
		rec.value = strtoll(text, &end, 10);
		if (*end || errno) {
			continue; /* not a number: not a rank */
		}
		rec.name = gst_intern(strings, ranks[i]);
		id->ranks[id->rank_count++] = rec;
	}
}

void gst_identity_read_variables(struct gst_identity *id, struct gst_intern *strings,
				 const struct gst_config *config)
{
	id->variable_count = 0;
	id->rank_count = 0;
	for (size_t i = 0; i < GST_IDENTITY_VARIABLES; i++) {
		const char *value = getenv(variables[i].name);
		struct gst_rec_variable rec = {
			.head = gst_record_head(GST_KIND_VARIABLE, sizeof(rec), 0),
		};

		if (!value) {
			continue;
		}
		rec.name = gst_intern(strings, variables[i].name);
		if (!config->is_private || !variables[i].is_path) {
			rec.value = gst_intern(strings, value);
		}
		id->variables[id->variable_count++] = rec;
	}
	read_ranks(id, strings);
}

void gst_identity_write_segment(struct gst_writer *w, uint32_t index, bool is_unbroken,
				uint64_t time_ns)
{
	struct gst_rec_segment segment = {
		.head = gst_record_head(GST_KIND_SEGMENT, sizeof(segment), 0),
		.index = index,
		.flags = is_unbroken ? (uint32_t)GST_SEGMENT_UNBROKEN : 0,
		.time_ns = time_ns,
	};

	gst_writer_put(w, &segment, sizeof(segment));
}

void gst_identity_write(const struct gst_identity *id, struct gst_writer *w,
			const struct gst_config *config, const struct gst_cupti *cupti)
{
	struct gst_rec_trace trace = {
		.head = gst_record_head(GST_KIND_TRACE, sizeof(trace), 0),
		.uuid_hi = id->uuid_hi,
		.uuid_lo = id->uuid_lo,
		.start_mono_ns = id->start_mono_ns,
		.start_real_ns = id->start_real_ns,
		.writer = gst_intern(w->strings, "libgstrace"),
		.version = gst_intern(w->strings, GST_VERSION),
		.commit = gst_intern(w->strings, GST_COMMIT),
	};

	if (config->is_private) {
		trace.options |= GST_TRACE_PRIVATE;
	}
	if (gst_config_has_graph_nodes(config)) {
		trace.options |= GST_TRACE_GRAPH_NODES;
	}
	if (!gst_config_has_device(config)) {
		trace.options |= GST_TRACE_NO_DEVICE;
	}
	if (gst_config_is_paused(config)) {
		trace.options |= GST_TRACE_STARTED_PAUSED;
	}
	if (gst_call_clock_rate.is_usable) {
		trace.options |= GST_TRACE_COUNTED_CALLS;
	}
	gst_writer_put(w, &trace, sizeof(trace));
	write_process(id, w, config, cupti);
	for (uint32_t i = 0; i < id->variable_count; i++) {
		gst_writer_put(w, &id->variables[i], sizeof(id->variables[i]));
	}
	for (uint32_t i = 0; i < id->rank_count; i++) {
		gst_writer_put(w, &id->ranks[i], sizeof(id->ranks[i]));
	}
	gst_writer_anchor(w);
}
