/*
 * bench_rate.cu - launches of an empty kernel at a fixed rate, for a fixed time.
 *
 * Role      : the program that tools/bench_flat.sh samples: whether recording stays as large as it is.
 * Method    : beats of a millisecond, each with its share of launches and, so that no queue fills, one wait for
 *             what the beat before submitted. A beat that came late is made up for by the next ones.
 * Arguments : seconds (60), launches a second (100000).
 * Prints    : `bench launches=... seconds=... rate=... longest_us=...`, as it came out, and how long the longest launch took.
 */
#include "kernels/common.h"

static __global__ void empty(void)
{
}

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 60;
	long rate = argc > 2 ? strtol(argv[2], NULL, 10) : 100000;
	long beats = seconds * 1000, each = rate / 1000, launches = 0;
	cudaStream_t stream;
	cudaEvent_t done;

	if (seconds <= 0 || each <= 0) {
		fprintf(stderr, "usage: bench_rate [SECONDS [LAUNCHES A SECOND]]\n");
		return 2;
	}
	require_gpu();
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaEventRecord(done, stream));
	double begin = wall_us(), longest = 0;
	for (long beat = 0; beat < beats; beat++) {
		double early = begin + (double)beat * 1e3 - wall_us();

		if (early > 0) {
			struct timespec t = {0, (long)(early * 1e3)};

			nanosleep(&t, NULL);
		}
		CHECK(cudaEventSynchronize(done));
		for (long i = 0; i < each; i++) {
			double before = wall_us(), took;

			empty<<<1, 1, 0, stream>>>();
			took = wall_us() - before;
			longest = took > longest ? took : longest;
		}
		CHECK(cudaEventRecord(done, stream));
		launches += each;
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGetLastError());
	double took = (wall_us() - begin) * 1e-6;
	printf("bench launches=%ld seconds=%.1f rate=%.0f longest_us=%.1f\n", launches, took,
	       (double)launches / took, longest);
	return 0;
}
