/*
 * pool_across_streams - stream-ordered memory freed in one stream and given out again in another.
 *
 * First with an event between free and allocation: the pool may follow it. Then without: the pool may
 * give out the same memory and let the second stream wait, a dependency that nobody sees (M1). Whenever
 * the address is the same, the second user must come after the first. (A pool that refuses is told, too:
 * the program waits for the first stream then and asks again.) Eight rounds.
 *
 * EXPECT ops alloc: >= 32
 * EXPECT ops free: 32
 * EXPECT edges: E1 >= 1
 * EXPECT ordered: user#1 -> next_user#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(user)
SPIN_KERNEL(next_user)

int main(void)
{
	const size_t size = 20 << 20, limit = 32 << 20;
	unsigned long long all = ~0ull;
	cudaStream_t s1, s2;
	cudaMemPool_t pool;
	cudaMemPoolProps props = {};
	cudaEvent_t event;

	witness_start("pool_across_streams");
	load_kernels(user, next_user);
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	bool is_refused[2] = {false, false}, is_same[2] = {true, true}, orders[2] = {true, true};
	for (int i = 0; i < 16; i++) {
		bool is_with_event = i % 2 == 0;
		struct span *a = new_span(), *b = new_span();
		void *first, *second;

		/* A new pool each time: no other memory of the past to give out. */
		props.allocType = cudaMemAllocationTypePinned;
		props.location.type = cudaMemLocationTypeDevice;
		props.maxSize = limit;
		CHECK(cudaMemPoolCreate(&pool, &props));
		CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
		CHECK(cudaMallocFromPoolAsync(&first, size, pool, s1));
		user<<<1, 1, 0, s1>>>(a, i < 2 ? 3000 : 500);
		CHECK(cudaFreeAsync(first, s1));
		if (is_with_event) {
			CHECK(cudaEventRecord(event, s1));
			CHECK(cudaStreamWaitEvent(s2, event, 0));
		}
		cudaError_t err = cudaMallocFromPoolAsync(&second, size, pool, s2);
		if (err == cudaErrorMemoryAllocation) {
			is_refused[i % 2] = true;
			(void)cudaGetLastError();
			CHECK(cudaStreamSynchronize(s1));
			err = cudaMallocFromPoolAsync(&second, size, pool, s2);
		}
		CHECK(err);
		next_user<<<1, 1, 0, s2>>>(b, i < 2 ? 500 : 50);
		CHECK(cudaFreeAsync(second, s2));
		CHECK(cudaDeviceSynchronize());
		is_same[i % 2] &= first == second;
		if (is_with_event || first == second) {
			orders[i % 2] &= is_after(b, a);
		}
		CHECK(cudaMemPoolDestroy(pool));
	}
	saw("event_refused", is_refused[0]);
	saw("event_same_address", is_same[0]);
	must("event_orders", orders[0]);
	saw("alone_refused", is_refused[1]);
	saw("alone_same_address", is_same[1]);
	must("alone_same_address_orders", orders[1]);
	return witness_end();
}
