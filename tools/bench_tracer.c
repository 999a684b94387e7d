/*
 * bench_tracer.c - what recording one call costs the thread that makes it.
 *
 * Role      : numbers for docs/PERFORMANCE.md; a measurement, never a test.
 * Method    : calls the callback as CUPTI does, enter and exit, with the writer running; each line is
 *             the best and the median of some rounds, beside two clock readings as a yardstick.
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
#include <unistd.h>

#define ROUNDS	    15
#define CALLS	    20000u
#define THREADS_MAX 64

struct world {
	struct gst_pool pool;
	struct gst_loss loss;
	struct gst_intern strings;
	struct gst_lane defs;
	struct gst_threads threads;
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

int main(void)
{
	const struct gst_cu_launch launch = {.hStream = (void *)(uintptr_t)0x1000};
	const struct gst_cu_copy copy = {.dst = 1, .src = 2, .bytes = 4096};
	const struct gst_cu_event_record record = {.event = (void *)(uintptr_t)0x2000};
	struct world *w = calloc(1, sizeof(*w));
	FILE *file = tmpfile();
	uint64_t records;

	if (!w || !file ||
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
	measure_clock();
	measure(w, "recording off", "cuLaunchKernel", &launch, 1);
	atomic_store(&w->state.is_on, 1);
	measure(w, "cuLaunchKernel", "cuLaunchKernel", &launch, 1);
	measure(w, "cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", &copy, 1);
	measure(w, "cuEventRecord", "cuEventRecord", &record, 1);
	measure(w, "cuLaunchKernel", "cuLaunchKernel", &launch, 2);
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
