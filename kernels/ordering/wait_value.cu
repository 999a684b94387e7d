/*
 * wait_value - streams joined by a word in memory alone.
 *
 * One stream writes the word after its kernel, another waits for the value before its own: behind comes
 * after before, though CUDA has no event between them (M4). Then one batch of two operations, which act
 * in the order of the array: wait for a word, write another, for which a third stream waits. Then the first again,
 * twelve times, with a word each.
 *
 * EXPECT ops memop: >= 29
 * EXPECT edges: M4 >= 13
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

SPIN_KERNEL(before)
SPIN_KERNEL(behind)

int main(void)
{
	auto write = DRIVER_CALL(cuStreamWriteValue32);
	auto wait = DRIVER_CALL(cuStreamWaitValue32);
	CUstreamBatchMemOpParams ops[2] = {};
	CUdeviceptr words;
	cudaStream_t s1, s2, s3;

	(void)driver_open();
	witness_start("wait_value");
	load_kernels(before, behind);
	struct span *a = new_span(), *b = new_span(), *c = new_span(), *e = new_span();
	for (cudaStream_t *s : {&s1, &s2, &s3}) {
		CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
	}
	CHECK(cudaMalloc((void **)&words, 16 * sizeof(cuuint32_t)));
	CHECK(cudaMemsetAsync((void *)words, 0, 16 * sizeof(cuuint32_t), s1));
	CHECK(cudaDeviceSynchronize());

	/* The writer first: a waiter alone in a shared hardware queue could hold it up for ever. */
	before<<<1, 1, 0, s1>>>(a, 3000);
	CHECK_DRIVER(write(s1, words, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
	CHECK_DRIVER(wait(s2, words, 1, CU_STREAM_WAIT_VALUE_EQ));
	behind<<<1, 1, 0, s2>>>(b, 500);
	CHECK(cudaDeviceSynchronize());

	before<<<1, 1, 0, s1>>>(c, 3000);
	CHECK_DRIVER(write(s1, words + 4, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
	ops[0].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	ops[0].waitValue.address = words + 4;
	ops[0].waitValue.value = 7;
	ops[0].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
	ops[1].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	ops[1].writeValue.address = words + 8;
	ops[1].writeValue.value = 1;
	CHECK_DRIVER(DRIVER_CALL(cuStreamBatchMemOp)(s2, 2, ops, 0));
	CHECK_DRIVER(wait(s3, words + 8, 1, CU_STREAM_WAIT_VALUE_GEQ));
	behind<<<1, 1, 0, s3>>>(e, 500);
	CHECK(cudaDeviceSynchronize());

	bool all_wait = true;
	for (int i = 4; i < 16; i++) {
		CUdeviceptr word = words + 4 * i;
		struct span *f = new_span(), *g = new_span();
		before<<<1, 1, 0, s1>>>(f, 500);
		CHECK_DRIVER(write(s1, word, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
		CHECK_DRIVER(wait(s2, word, 1, CU_STREAM_WAIT_VALUE_EQ));
		behind<<<1, 1, 0, s2>>>(g, 50);
		CHECK(cudaDeviceSynchronize());
		all_wait &= is_after(g, f);
	}
	must("waits_for_value_each_time", all_wait);
	must("waits_for_value", is_after(b, a));
	must("batch_in_array_order", is_after(e, c));
	CHECK(cudaFree((void *)words));
	return witness_end();
}
