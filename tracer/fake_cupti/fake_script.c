/*
 * fake_script.c - the interpreter of fake programs.
 *
 * Role      : fake_app and tests give it text; it makes the calls of fake_cupti.h.
 * Method    : the text is cut into words once; a statement is a span of words, a block a span of
 *             statements. All is checked by a dry run before the first call. Each thread walks its own span.
 * Invariant : the statements are never changed while threads run; names are under a mutex.
 * Not here  : what a call does.
 */
#include "tracer/fake_cupti/fake_script.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/fake_cupti/fake_cupti.h"

#define EXPORT __attribute__((visibility("default")))

#define WORDS	   8
#define NAMES	   512
#define THREADS	   256
#define STATEMENTS 4096

struct statement {
	char *word[WORDS];
	int words;
	int line;
	int block_end; /* of "repeat", "thread", "fork": first statement after its block; else 0 */
};

struct name {
	char *text;
	char kind; /* s stream, e event, g graph, x executable graph, m memory, r range */
	uint64_t value;
};

static struct {
	struct statement *list;
	int count;
	struct name names[NAMES];
	int name_count;
	pthread_t threads[THREADS];
	int thread_count;
} script;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- words --------------------------------------------------------------------------------- */

static bool parse_number(const char *text, uint64_t *value)
{
	static const struct {
		const char *unit;
		uint64_t scale;
	} units[] = {
		{"", 1},	   {"ns", 1},	      {"us", 1000},	 {"ms", 1000000},
		{"s", 1000000000}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30},
	};
	char *rest;

	*value = strtoull(text, &rest, 10);
	if (rest == text) {
		return false;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(rest, units[i].unit) == 0) {
			*value *= units[i].scale;
			return true;
		}
	}
	return false;
}

static uint64_t number(const char *text)
{
	uint64_t value = 0;

	parse_number(text, &value);
	return value;
}

static void set_name(const char *text, char kind, uint64_t value)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < script.name_count; i++) {
		if (strcmp(script.names[i].text, text) == 0) {
			script.names[i].kind = kind;
			script.names[i].value = value;
			pthread_mutex_unlock(&lock);
			return;
		}
	}
	if (script.name_count == NAMES) {
		abort();
	}
	script.names[script.name_count].text = strdup(text);
	script.names[script.name_count].kind = kind;
	script.names[script.name_count].value = value;
	script.name_count++;
	pthread_mutex_unlock(&lock);
}

static uint64_t get_name(const char *text, char *kind)
{
	uint64_t value = 0;

	*kind = 0;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < script.name_count; i++) {
		if (strcmp(script.names[i].text, text) == 0) {
			*kind = script.names[i].kind;
			value = script.names[i].value;
		}
	}
	pthread_mutex_unlock(&lock);
	return value;
}

/* A name of the kind the statement needs; a script that uses another stops here. */
static uint64_t need(const char *text, char kind)
{
	uint64_t value;
	char found;

	value = get_name(text, &found);
	if (found != kind) {
		fprintf(stderr, "fake_script: %s is no such thing here\n", text);
		_exit(2);
	}
	return value;
}

static int stream_of(const char *text)
{
	if (strcmp(text, "0") == 0) {
		return FAKE_NULL;
	}
	if (strcmp(text, "legacy") == 0) {
		return FAKE_LEGACY;
	}
	if (strcmp(text, "per-thread") == 0) {
		return FAKE_PER_THREAD;
	}
	return (int)need(text, 's');
}

static int event_of(const char *text)
{
	return (int)need(text, 'e');
}

/* ---- statements ---------------------------------------------------------------------------- */

static void pause_for(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
			     .tv_nsec = (long)(ns % 1000000000u)};

	nanosleep(&t, NULL);
}

/* Beats of one length, however long what lies between them takes. */
static void pace(uint64_t ns)
{
	static __thread struct timespec due;

	if (!due.tv_sec) {
		clock_gettime(CLOCK_MONOTONIC, &due);
	}
	due.tv_nsec += (long)(ns % 1000000000u);
	due.tv_sec += (time_t)(ns / 1000000000u) + due.tv_nsec / 1000000000;
	due.tv_nsec %= 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

/* sleep, print, exit ...: also what "inside" can run. False: not one of them. */
static bool run_plain(char *const *word)
{
	if (strcmp(word[0], "sleep") == 0) {
		pause_for(number(word[1]));
	} else if (strcmp(word[0], "print") == 0) {
		puts(word[1]);
		fflush(stdout);
	} else if (strcmp(word[0], "exit") == 0) {
		exit((int)number(word[1]));
	} else if (strcmp(word[0], "_exit") == 0) {
		_exit((int)number(word[1]));
	} else if (strcmp(word[0], "quick_exit") == 0) {
		quick_exit((int)number(word[1]));
	} else if (strcmp(word[0], "abort") == 0) {
		abort();
	} else if (strcmp(word[0], "kill") == 0) {
		kill(getpid(), SIGKILL);
	} else if (strcmp(word[0], "segv") == 0) {
		char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		*(volatile char *)page = 1;
	} else if (strcmp(word[0], "exec") == 0) {
		execl(word[1], word[1], (char *)NULL);
		_exit(126);
	} else {
		return false;
	}
	return true;
}

static void run_inside(void *argument)
{
	run_plain(argument);
}

static enum fake_copy direction(const char *text)
{
	return strcmp(text, "h2d") == 0	  ? FAKE_H2D
	       : strcmp(text, "d2h") == 0 ? FAKE_D2H
	       : strcmp(text, "d2d") == 0 ? FAKE_D2D
					  : FAKE_H2H;
}

static void run_fault(const struct statement *s)
{
	const char *what = s->word[1];
	uint64_t a = s->words > 2 ? number(s->word[2]) : 0;
	uint64_t b = s->words > 3 ? number(s->word[3]) : 0;
	uint64_t c = s->words > 4 ? number(s->word[4]) : 0;

	if (strcmp(what, "version") == 0) {
		fake_set_version((uint32_t)a);
	} else if (strcmp(what, "held") == 0) {
		fake_set_holder(s->word[2]);
	} else if (strcmp(what, "enable") == 0) {
		fake_fail_enable((uint32_t)a, (int)b);
	} else if (strcmp(what, "callback") == 0) {
		fake_fail_callback((uint32_t)a, (uint32_t)b, (int)c);
	} else if (strcmp(what, "entry") == 0 && s->words > 3) {
		fake_fail_entry(s->word[2], (int)b);
	} else if (strcmp(what, "silence") == 0) {
		fake_silence((uint32_t)a);
	} else if (strcmp(what, "hang-flush") == 0) {
		fake_hang_flush();
	} else if (strcmp(what, "hang-enable") == 0) {
		fake_hang_enable();
	} else if (strcmp(what, "slow-flush") == 0) {
		fake_slow_flush(a);
	} else if (strcmp(what, "await-flush") == 0) {
		fake_await_flush();
	} else if (strcmp(what, "keep-buffers") == 0) {
		fake_keep_buffers();
	} else if (strcmp(what, "grow") == 0) {
		fake_grow_records(a);
	} else if (strcmp(what, "zero-times") == 0) {
		fake_zero_times((unsigned)a);
	} else if (strcmp(what, "reverse-times") == 0) {
		fake_reverse_times((unsigned)a);
	} else if (strcmp(what, "drop") == 0) {
		fake_drop_records(a);
	} else if (strcmp(what, "unknown") == 0) {
		fake_unknown_record((uint32_t)a);
	} else if (strcmp(what, "finalize") == 0) {
		fake_finalize();
	}
}

static bool is_on(const char *word)
{
	return strcmp(word, "on") == 0 || strcmp(word, "per-thread") == 0 ||
	       strcmp(word, "blocking") == 0 || strcmp(word, "pinned") == 0;
}

static void run_stream(const struct statement *s)
{
	int stream = fake_stream_create(s->words < 3 || is_on(s->word[2]),
					s->words > 3 ? (int)strtol(s->word[3], NULL, 10) : 0);

	set_name(s->word[1], 's', (uint64_t)stream);
}

static void run_destroy_or_wait(const struct statement *s, int (*on_event)(int),
				int (*on_stream)(int))
{
	uint64_t value;
	char kind;

	value = get_name(s->word[1], &kind);
	if (kind == 'e') {
		on_event((int)value);
	} else {
		on_stream(stream_of(s->word[1]));
	}
}

static int destroy_stream(int stream)
{
	fake_stream_destroy(stream);
	return 0;
}

static void run_memcpy(const struct statement *s)
{
	enum fake_copy copy = direction(s->word[1]);

	if (s->words > 4) {
		fake_memcpy_async(stream_of(s->word[4]), copy, is_on(s->word[2]),
				  number(s->word[3]));
	} else {
		fake_memcpy(copy, is_on(s->word[2]), number(s->word[3]));
	}
}

/* nvtx start TEXT NAME, nvtx end NAME, nvtx name-stream TEXT STREAM, nvtx WHAT [TEXT] */
static void run_nvtx(const struct statement *s)
{
	const char *what = s->word[1];
	const char *text = s->words > 2 ? s->word[2] : "";

	if (strcmp(what, "start") == 0 && s->words > 3) {
		set_name(s->word[3], 'r', fake_nvtx(what, text, 0));
	} else if (strcmp(what, "end") == 0) {
		fake_nvtx(what, "", need(text, 'r'));
	} else if (strcmp(what, "name-stream") == 0 && s->words > 3) {
		fake_nvtx(what, text, (uint64_t)stream_of(s->word[3]));
	} else {
		fake_nvtx(what, text, 0);
	}
}

/* Name, least and most words after it, block, and the call. One line a statement. */
#define W(n) (s->word[n])
#define STATEMENTS_TABLE(X)                                                                     \
	X("init", 0, 0, fake_init())                                                            \
	X("runtime", 1, 1, fake_runtime(is_on(W(1))))                                           \
	X("default-stream", 1, 1, fake_per_thread(is_on(W(1))))                                 \
	X("stream", 1, 3, run_stream(s))                                                        \
	X("destroy", 1, 1, run_destroy_or_wait(s, fake_event_destroy, destroy_stream))          \
	X("event", 1, 1, set_name(W(1), 'e', (uint64_t)fake_event_create()))                    \
	X("launch", 3, 3, fake_launch(stream_of(W(1)), W(2), number(W(3))))                     \
	X("launch-ex", 3, 3, fake_launch_ex(stream_of(W(1)), W(2), number(W(3))))               \
	X("memcpy", 3, 4, run_memcpy(s))                                                        \
	X("memset", 2, 2, fake_memset_async(stream_of(W(2)), number(W(1))))                     \
	X("hostfunc", 2, 2, fake_host_func(stream_of(W(1)), number(W(2))))                      \
	X("record", 2, 2, fake_event_record(event_of(W(1)), stream_of(W(2))))                   \
	X("wait", 2, 2, fake_stream_wait(stream_of(W(1)), event_of(W(2))))                      \
	X("query", 1, 1, run_destroy_or_wait(s, fake_event_query, fake_stream_query))           \
	X("sync", 1, 1, run_destroy_or_wait(s, fake_event_sync, fake_stream_sync))              \
	X("devsync", 0, 0, fake_device_sync())                                                  \
	X("reset", 0, 0, fake_device_reset())                                                   \
	X("unload", 0, 0, fake_module_unload())                                                 \
	X("memory", 1, 2, fake_memory(W(1), s->words > 2 ? stream_of(W(2)) : FAKE_NULL))        \
	X("nvtx", 1, 3, run_nvtx(s))                                                            \
	X("hostrun", 2, 2, fake_host_run(stream_of(W(1)), number(W(2))))                        \
	X("hostruns", 0, 0, (printf("%d\n", fake_host_runs()), fflush(stdout)))                 \
	X("profiler", 1, 1, fake_profiler(is_on(W(1))))                                         \
	X("malloc", 2, 3,                                                                       \
	  set_name(W(1), 'm',                                                                   \
		   s->words > 3 ? fake_malloc_async(stream_of(W(3)), number(W(2)))              \
				: fake_malloc(number(W(2)))))                                   \
	X("free", 1, 2,                                                                         \
	  s->words > 2 ? fake_free_async(stream_of(W(2)), need(W(1), 'm'))                      \
		       : fake_free(need(W(1), 'm')))                                            \
	X("hostalloc", 2, 2, set_name(W(1), 'm', fake_host_alloc(number(W(2)))))                \
	X("hostfree", 1, 1, fake_host_free(need(W(1), 'm')))                                    \
	X("capture", 1, 1, fake_capture_begin(stream_of(W(1))))                                 \
	X("endcapture", 2, 2, set_name(W(2), 'g', (uint64_t)fake_capture_end(stream_of(W(1))))) \
	X("instantiate", 2, 2,                                                                  \
	  set_name(W(2), 'x', (uint64_t)fake_graph_instantiate((int)need(W(1), 'g'))))          \
	X("graphlaunch", 2, 2, fake_graph_launch((int)need(W(1), 'x'), stream_of(W(2))))        \
	X("fail", 1, 1, fake_fail_next((int)number(W(1))))                                      \
	X("fault", 1, 4, run_fault(s))                                                          \
	X("inside", 1, 2, fake_inside(run_inside, (void *)&s->word[1]))                         \
	X("sleep", 1, 1, run_plain(s->word))                                                    \
	X("pace", 1, 1, pace(number(s->word[1])))                                               \
	X("print", 1, 1, run_plain(s->word))                                                    \
	X("exit", 1, 1, run_plain(s->word))                                                     \
	X("_exit", 1, 1, run_plain(s->word))                                                    \
	X("quick_exit", 1, 1, run_plain(s->word))                                               \
	X("abort", 0, 0, run_plain(s->word))                                                    \
	X("kill", 0, 0, run_plain(s->word))                                                     \
	X("segv", 0, 0, run_plain(s->word))                                                     \
	X("exec", 1, 1, run_plain(s->word))                                                     \
	X("join", 0, 0, join_threads())

static void run(int from, int to);

static void join_threads(void)
{
	for (;;) {
		pthread_t thread;

		pthread_mutex_lock(&lock);
		if (!script.thread_count) {
			pthread_mutex_unlock(&lock);
			return;
		}
		thread = script.threads[--script.thread_count];
		pthread_mutex_unlock(&lock);
		pthread_join(thread, NULL);
	}
}

static void run_one(const struct statement *s)
{
#define X(name, least, most, call)           \
	if (strcmp(s->word[0], name) == 0) { \
		call;                        \
		return;                      \
	}
	STATEMENTS_TABLE(X)
#undef X
}

static bool is_block(const struct statement *s)
{
	return strcmp(s->word[0], "repeat") == 0 || strcmp(s->word[0], "thread") == 0 ||
	       strcmp(s->word[0], "fork") == 0;
}

static bool is_known(const struct statement *s)
{
	int given = s->words - 1;

	if (strcmp(s->word[0], "repeat") == 0) {
		return given == 1;
	}
	if (is_block(s)) {
		return given == 0;
	}
#define X(name, least, most, call)                          \
	if (strcmp(s->word[0], name) == 0) {                \
		return given >= (least) && given <= (most); \
	}
	STATEMENTS_TABLE(X)
#undef X
	return false;
}

static void *run_thread(void *argument)
{
	const struct statement *s = argument;

	run((int)(s - script.list) + 1, s->block_end);
	return NULL;
}

static void run_block(struct statement *s)
{
	int first = (int)(s - script.list) + 1;

	if (strcmp(s->word[0], "repeat") == 0) {
		for (uint64_t i = number(s->word[1]); i; i--) {
			run(first, s->block_end);
		}
	} else if (strcmp(s->word[0], "thread") == 0) {
		pthread_mutex_lock(&lock);
		if (script.thread_count == THREADS ||
		    pthread_create(&script.threads[script.thread_count], NULL, run_thread, s)) {
			abort();
		}
		script.thread_count++;
		pthread_mutex_unlock(&lock);
	} else {
		pid_t child;

		/* the child must find the mutex free */
		pthread_mutex_lock(&lock);
		child = fork();
		pthread_mutex_unlock(&lock);
		if (child == 0) {
			run(first, s->block_end);
			exit(0); /* with atexit functions, as a program's child would */
		}
		waitpid(child, NULL, 0);
	}
}

static void run(int from, int to)
{
	for (int i = from; i < to; i++) {
		struct statement *s = &script.list[i];

		if (is_block(s)) {
			run_block(s);
			i = s->block_end - 1;
		} else {
			run_one(s);
		}
	}
}

/* ---- text to statements -------------------------------------------------------------------- */

static int complain(int line, const char *what)
{
	fprintf(stderr, "fake_script: line %d: %s\n", line, what);
	return 2;
}

static int check(const struct statement *s)
{
	if (s->words && !is_known(s)) {
		return complain(s->line, s->word[0]);
	}
	return 0;
}

static int parse(char *text)
{
	int open[32];
	int depth = 0;
	int line = 1;
	struct statement *s = &script.list[0];

	s->line = line;
	while (*text) {
		char c = *text;

		if (c == '#') {
			*text = '\0';
			text++;
			text += strcspn(text, "\n");
			continue;
		}
		if (c == '\n' || c == ';' || c == '{' || c == '}') {
			*text++ = '\0';
			if (s->words && check(s)) {
				return 2;
			}
			if (c == '{') {
				if (!s->words || !is_block(s) || depth == 32) {
					return complain(
						line,
						"a block begins without repeat, thread or fork");
				}
				open[depth++] = script.count;
			} else if (s->words && is_block(s)) {
				return complain(line, "{ is missing");
			}
			if (s->words) {
				s = &script.list[++script.count];
			}
			if (c == '}') {
				if (!depth) {
					return complain(line, "} without {");
				}
				script.list[open[--depth]].block_end = script.count;
			}
			if (script.count + 1 >= STATEMENTS) {
				return complain(line, "too many statements");
			}
			line += c == '\n';
			s->line = line;
			continue;
		}
		if (c == ' ' || c == '\t') {
			*text++ = '\0';
			continue;
		}
		if (s->words == WORDS - 1) {
			return complain(line, "too many words");
		}
		s->word[s->words++] = text;
		text += strcspn(text, " \t\n;{}#");
	}
	return depth ? complain(line, "} is missing") : 0;
}

EXPORT int fake_run_script(const char *text)
{
	size_t length = strlen(text);
	char *copy = malloc(length + 2);
	int result;

	script.list = calloc(STATEMENTS, sizeof(*script.list));
	if (!copy || !script.list) {
		abort();
	}
	memcpy(copy, text, length);
	copy[length] = '\n';
	copy[length + 1] = '\0';
	script.count = 0;
	result = parse(copy);
	if (!result) {
		run(0, script.count);
		join_threads();
		fake_inside(NULL, NULL); /* its words are about to go */
	}
	free(script.list);
	script.list = NULL;
	free(copy);
	return result;
}
