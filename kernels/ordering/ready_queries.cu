/*
 * ready_queries - a query that says "ready" is asked right after the work has ended.
 *
 * Of a stream, of an event, and of the legacy stream, which answers for a blocking stream too: once each says
 * "ready", the kernel is over (H2, H3). The host looks at the kernel's own stamp of its end before it
 * asks, so few queries come too early. The time between two events is the fourth way to know.
 *
 * EXPECT ops kernel: 85
 * EXPECT edges: H2 >= 40
 * EXPECT edges: H3 >= 20
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(short_one)

static void await_end(const struct span *s)
{
	double end = wall_us() + 2e6;
	while (s->end == 0) {
		VERIFY(wall_us() < end, "the kernel ended");
	}
}

/* Ask until it is so. */
template <class Query> static bool is_ready(Query query)
{
	for (int i = 0; i < 1000; i++) {
		cudaError_t answer = query();
		if (answer != cudaErrorNotReady) {
			CHECK(answer);
			return true;
		}
		(void)cudaGetLastError();
	}
	return false;
}

int main(void)
{
	const unsigned rounds = 21, us = 50;
	cudaStream_t stream, blocking;
	cudaEvent_t first, last;
	bool all[4] = {true, true, true, true};

	witness_start("ready_queries");
	load_kernels(short_one);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaEventCreate(&first));
	CHECK(cudaEventCreate(&last));
	CHECK(cudaDeviceSynchronize());
	for (unsigned i = 0; i < rounds; i++) {
		struct span *s = new_span();
		short_one<<<1, 1, 0, stream>>>(s, us);
		await_end(s);
		all[0] &= is_ready([&] { return cudaStreamQuery(stream); });

		s = new_span();
		short_one<<<1, 1, 0, stream>>>(s, us);
		CHECK(cudaEventRecord(last, stream));
		await_end(s);
		all[1] &= is_ready([&] { return cudaEventQuery(last); });

		s = new_span();
		short_one<<<1, 1, 0, blocking>>>(s, us);
		await_end(s);
		all[2] &= is_ready([&] { return cudaStreamQuery(cudaStreamLegacy); });

		float ms = 0;
		s = new_span();
		CHECK(cudaEventRecord(first, stream));
		short_one<<<1, 1, 0, stream>>>(s, us);
		CHECK(cudaEventRecord(last, stream));
		await_end(s);
		all[3] &= is_ready([&] { return cudaEventElapsedTime(&ms, first, last); });
		VERIFY(ms > 1e-3f * us / 2, "the events are a kernel apart");
	}
	must("stream_is_ready", all[0]);
	must("event_is_ready", all[1]);
	must("legacy_is_ready", all[2]);
	must("elapsed_is_known", all[3]);
	for (cudaStream_t s : {stream, blocking}) {
		CHECK(cudaStreamDestroy(s));
	}
	CHECK(cudaEventDestroy(first));
	CHECK(cudaEventDestroy(last));
	return witness_end();
}
