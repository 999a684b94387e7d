/*
 * bench_tracer.c - what recording one call costs the thread that makes it.
 *
 * Role      : numbers for docs/PERFORMANCE.md; a measurement, never a test.
 * Method    : calls the callback as CUPTI does, enter and exit, with the writer running; each line is
 *             the best and the median of some rounds, beside two clock readings as a yardstick. "Cold": before each
 *             callback the small caches are used for something else, as the driver does between two of them.
 * Arguments : none; or --longest SECONDS FILE: launches at 200,000 a second into FILE, each callback timed, to be run
 *             while something else fills FILE's disk. The longest time between two plain readings of the clock is
 *             what the machine itself takes away. A thread that never slept was not kept waiting.
 * Invariant : lost records are printed: a fast run that lost some is no fast run.
 * Not here  : what CUPTI itself costs (a GPU is needed for that).
 */
#include "tracer/callbacks.h"
#include "tracer/clock.h"
#include "tracer/writer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROUNDS	    15
#define CALLS	    20000u
#define THREADS_MAX 64
#define COLD_CALLS  3000u
#define COLD_CODE   (512u << 10) /* with these, a callback takes about what it does on a GPU */
#define COLD_DATA   (2u << 20)
#define RATE	    200000u

struct world {
	struct gst_threads threads; /* first, as in the library: thread_slot.h */
	struct gst_pool pool;
	struct gst_loss loss;
	struct gst_intern strings;
	struct gst_lane defs;
	struct gst_state state;
	struct gst_callbacks callbacks;
	struct gst_objects objects;
	struct gst_writer writer;
};

struct worker {
	struct world *w;
	const char *symbol;
	const void *params;
	double ns;
};

static void make_calls(struct world *w, const char *symbol, const void *params)
{
	const struct gst_api *api = gst_api_find_name(symbol, strlen(symbol));
	int32_t result = 0;
	struct gst_cupti_callback_data data = {
		.functionParams = params,
		.functionReturnValue = &result,
		.symbolName =
			"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE",
		.contextUid = 1,
	};

	for (uint32_t i = 0; i < CALLS; i++) {
		data.correlationId = i + 1;
		data.callbackSite = GST_CUPTI_API_ENTER;
		gst_callbacks_on_event(&w->callbacks, api->api >> 16, api->api & 0xffff, &data);
		data.callbackSite = GST_CUPTI_API_EXIT;
		gst_callbacks_on_event(&w->callbacks, api->api >> 16, api->api & 0xffff, &data);
	}
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	uint64_t before = gst_clock_mono_ns();

	make_calls(worker->w, worker->symbol, worker->params);
	worker->ns = (double)(gst_clock_mono_ns() - before) / CALLS;
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Records that there must be in the file at the end: an enter and an exit for each call. */
static uint64_t recorded;

static void measure(struct world *w, const char *title, const char *symbol, const void *params,
		    int threads)
{
	double rounds[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		struct worker workers[THREADS_MAX];
		pthread_t ids[THREADS_MAX];
		double sum = 0;

		for (int t = 0; t < threads; t++) {
			workers[t] = (struct worker){w, symbol, params, 0};
			if (pthread_create(&ids[t], NULL, work, &workers[t])) {
				perror("pthread_create");
				exit(1);
			}
		}
		for (int t = 0; t < threads; t++) {
			pthread_join(ids[t], NULL);
			sum += workers[t].ns;
		}
		rounds[r] = sum / threads;
		recorded += gst_state_is_on(&w->state) ? 2ull * CALLS * (unsigned int)threads : 0;
		/* Let the writer catch up: the cost of a call is asked for, not that of a full pool. */
		usleep(150000);
	}
	qsort(rounds, ROUNDS, sizeof(rounds[0]), by_value);
	printf("%-34s %2d thread%s  best %6.1f  median %6.1f ns a call\n", title, threads,
	       threads == 1 ? " " : "s", rounds[0], rounds[ROUNDS / 2]);
}

#if defined(__x86_64__)
/* Runs through COLD_CODE bytes of code that does nothing, and reads as much data. */
static void use_caches(void)
{
	static const unsigned char nop[8] = {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00};
	static volatile unsigned char data[COLD_DATA];
	static unsigned char *code;
	void (*run)(void);

	if (!code) {
		code = mmap(NULL, COLD_CODE, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (code == MAP_FAILED) {
			perror("bench_tracer: mmap");
			exit(1);
		}
		for (size_t i = 0; i < COLD_CODE; i += sizeof(nop)) {
			memcpy(code + i, nop, sizeof(nop));
		}
		code[COLD_CODE - 1] =
			0xc3; /* in the middle of the last one: a return after its first bytes */
		memset(code + COLD_CODE - sizeof(nop), 0x90, sizeof(nop) - 1);
	}
	for (size_t i = 0; i < COLD_DATA; i += 64) {
		(void)data[i];
	}
	memcpy(&run, &code, sizeof(run));
	run();
}

static uint64_t ticks(void)
{
	uint64_t now;

	__builtin_ia32_lfence();
	now = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
	return now;
}

static double ticks_a_ns(void)
{
	uint64_t before = gst_clock_mono_ns(), first = ticks();

	usleep(50000);
	return (double)(ticks() - first) / (double)(gst_clock_mono_ns() - before);
}

/* @symbol NULL: the clock. Each callback alone, the reading of the time subtracted; the lower half counts, because interruptions are long. */
static void measure_cold(struct world *w, const char *title, const char *symbol, const void *params)
{
	const struct gst_api *api = symbol ? gst_api_find_name(symbol, strlen(symbol)) : NULL;
	static double times[2][COLD_CALLS];
	double scale = ticks_a_ns(), sum = 0;
	int32_t result = 0;
	struct gst_cupti_callback_data data = {
		.functionParams = params,
		.functionReturnValue = &result,
		.symbolName =
			"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE",
		.contextUid = 1,
	};
	uint64_t nothing = UINT64_MAX;

	for (uint32_t i = 0; i < COLD_CALLS; i++) {
		data.correlationId = i + 1;
		for (uint32_t site = 0; site < 2; site++) {
			uint64_t before, between, after;

			data.callbackSite = site ? GST_CUPTI_API_EXIT : GST_CUPTI_API_ENTER;
			use_caches();
			before = ticks();
			between = ticks();
			if (api) {
				gst_callbacks_on_event(&w->callbacks, api->api >> 16,
						       api->api & 0xffff, &data);
			} else {
				data.correlationId += (uint32_t)gst_clock_mono_ns();
			}
			after = ticks();
			if (between - before < nothing) {
				nothing = between - before;
			}
			times[site][i] = (double)(after - between);
		}
	}
	for (uint32_t site = 0; site < 2; site++) {
		qsort(times[site], COLD_CALLS, sizeof(double), by_value);
		for (uint32_t i = 0; i < COLD_CALLS / 2; i++) {
			sum += times[site][i] - (double)nothing;
		}
	}
	recorded += api && gst_state_is_on(&w->state) ? 2ull * COLD_CALLS : 0;
	printf("%-34s  cold       %6.1f ns a call\n", title, sum / (COLD_CALLS / 2) / scale);
	usleep(150000);
}
#else
static void measure_cold(struct world *w, const char *title, const char *symbol, const void *params)
{
	(void)w;
	(void)symbol;
	(void)params;
	printf("%-34s  cold: only measured on x86-64\n", title);
}
#endif

static void measure_clock(void)
{
	double rounds[ROUNDS];
	uint64_t sum = 0;

	for (int r = 0; r < ROUNDS; r++) {
		uint64_t before = gst_clock_mono_ns();

		for (uint32_t i = 0; i < 2 * CALLS; i++) {
			sum += gst_clock_mono_ns();
		}
		rounds[r] = (double)(gst_clock_mono_ns() - before) / CALLS;
	}
	qsort(rounds, ROUNDS, sizeof(rounds[0]), by_value);
	printf("%-34s  1 thread   best %6.1f  median %6.1f ns%s\n",
	       "two clock readings (yardstick)", rounds[0], rounds[ROUNDS / 2], sum ? "" : " ");
}

/* How many of the times in @ns were longer than @limit. */
struct longest {
	uint64_t worst, over_100us, over_1ms;
};

static void note_time(struct longest *l, uint64_t ns)
{
	l->worst = ns > l->worst ? ns : l->worst;
	l->over_100us += ns > 100000;
	l->over_1ms += ns > 1000000;
}

static void print_longest(const char *title, const struct longest *l, uint64_t count)
{
	printf("%-34s  longest %8.1f us, %llu of %llu over 100 us, %llu over 1 ms\n", title,
	       (double)l->worst / 1000, (unsigned long long)l->over_100us,
	       (unsigned long long)count, (unsigned long long)l->over_1ms);
}

static void measure_longest(struct world *w, const void *params, double seconds)
{
	const struct gst_api *api = gst_api_find_name("cuLaunchKernel", strlen("cuLaunchKernel"));
	uint64_t begin = gst_clock_mono_ns(), end = begin + (uint64_t)(seconds * 1e9);
	struct longest callbacks = {0}, clock = {0};
	int32_t result = 0;
	struct gst_cupti_callback_data data = {
		.functionParams = params,
		.functionReturnValue = &result,
		.symbolName = "_Z5emptyv",
		.contextUid = 1,
	};
	uint64_t calls = 0, now = begin;
	struct rusage first, last;

	/* One of each before it counts: what is done once. */
	gst_callbacks_on_event(&w->callbacks, api->api >> 16, api->api & 0xffff, &data);
	recorded++;
	getrusage(RUSAGE_THREAD, &first);
	while (now < end) {
		uint64_t before = gst_clock_mono_ns(), entered, left;

		/* What falls between these two is taken away by the machine. */
		now = gst_clock_mono_ns();
		note_time(&clock, now - before);
		if ((now - begin) * RATE / 1000000000 < calls) {
			continue;
		}
		data.correlationId = (uint32_t)++calls;
		data.callbackSite = GST_CUPTI_API_ENTER;
		gst_callbacks_on_event(&w->callbacks, api->api >> 16, api->api & 0xffff, &data);
		entered = gst_clock_mono_ns();
		data.callbackSite = GST_CUPTI_API_EXIT;
		gst_callbacks_on_event(&w->callbacks, api->api >> 16, api->api & 0xffff, &data);
		left = gst_clock_mono_ns();
		note_time(&callbacks, entered - now);
		note_time(&callbacks, left - entered);
	}
	getrusage(RUSAGE_THREAD, &last);
	recorded += 2 * calls;
	printf("%-34s  slept %ld times, %ld page faults; put aside for others %ld times\n",
	       "the thread", last.ru_nvcsw - first.ru_nvcsw, last.ru_minflt - first.ru_minflt,
	       last.ru_nivcsw - first.ru_nivcsw);
	print_longest("callback", &callbacks, 2 * calls);
	print_longest("two clock readings in a row", &clock, calls);
}

static void measure_all(struct world *w, const void *launch)
{
	const struct gst_cu_copy copy = {.dst = 1, .src = 2, .bytes = 4096};
	const struct gst_cu_event_record record = {.event = (void *)(uintptr_t)0x2000};

	gst_call_clock_init();
	measure_clock();
	atomic_store(&w->state.is_on, 0);
	measure(w, "recording off", "cuLaunchKernel", launch, 1);
	atomic_store(&w->state.is_on, 1);
	measure(w, "cuLaunchKernel", "cuLaunchKernel", launch, 1);
	measure(w, "cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", &copy, 1);
	measure(w, "cuEventRecord", "cuEventRecord", &record, 1);
	measure(w, "cuLaunchKernel", "cuLaunchKernel", launch, 2);
	measure_cold(w, "two clock readings (yardstick)", NULL, NULL);
	measure_cold(w, "cuLaunchKernel", "cuLaunchKernel", launch);
	measure_cold(w, "cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", &copy);
	measure_cold(w, "cuEventRecord", "cuEventRecord", &record);
}

int main(int argc, char **argv)
{
	const struct gst_cu_launch launch = {.f = (void *)(uintptr_t)0x5000,
					     .hStream = (void *)(uintptr_t)0x1000};
	struct world *w =
		mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double seconds = argc == 4 && !strcmp(argv[1], "--longest") ? strtod(argv[2], NULL) : 0;
	FILE *file = seconds > 0 ? fopen(argv[3], "w") : tmpfile();
	uint64_t records;

	if (argc > 1 && !(seconds > 0)) {
		fprintf(stderr, "usage: bench_tracer [--longest SECONDS FILE]\n");
		return 2;
	}
	if (w == MAP_FAILED || !file ||
	    gst_pool_init(&w->pool, "/dev/shm", GST_POOL_BYTES_DEFAULT, gst_clock_mono_ns(),
			  (uint64_t)getpid(), (uint32_t)getpid())) {
		perror("bench_tracer");
		return 1;
	}
	gst_pool_unlink(&w->pool);
	gst_intern_init(&w->strings, &w->pool.pages[0], &w->loss);
	gst_lane_init(&w->defs, &w->pool, &w->loss, GST_CHUNK_DEFS);
	if (gst_threads_init(&w->threads, &w->pool, &w->loss, &w->strings, &w->defs) ||
	    gst_writer_init(&w->writer, fileno(file), &w->pool, &w->loss, &w->strings, &w->state,
			    NULL)) {
		perror("bench_tracer");
		return 1;
	}
	gst_callbacks_init(&w->callbacks, &w->state, &w->threads, &w->loss, &w->strings, &w->defs);
	gst_objects_init(&w->objects);
	w->callbacks.objects = &w->objects;
	if (gst_writer_start(&w->writer)) {
		perror("bench_tracer");
		return 1;
	}
	atomic_store(&w->state.is_on, 1);
	if (seconds > 0) {
		measure_longest(w, &launch, seconds);
	} else {
		measure_all(w, &launch);
	}
	atomic_store(&w->state.is_on, 0);
	(void)gst_writer_stop(&w->writer, gst_clock_mono_ns() + UINT64_C(10000000000));
	records = w->writer.records;
	printf("%llu records, %.1f bytes each in the file\n", (unsigned long long)records,
	       (double)w->writer.end / (double)(records ? records : 1));
	if (records < recorded) {
		printf("%llu records were lost: the numbers above do not count\n",
		       (unsigned long long)(recorded - records));
	}
	return 0;
}
