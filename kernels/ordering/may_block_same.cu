/*
 * may_block_same - calls that may wait for the device, made beside a kernel of another stream.
 *
 * The kernel runs in a non-blocking stream that none of the calls has anything to do with; which of them
 * wait for it all the same is told (H7). Nothing here is promised by the documentation but that freeing
 * device memory may wait, and that a stream-ordered free does not.
 *
 * EXPECT edges: H7 >= 1
 * EXPECT ops free: >= 2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/may_block.h"

int main(void)
{
	cudaStream_t work;

	(void)driver_open();
	witness_start("may_block_same");
	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&subject.stream, cudaStreamNonBlocking));
	for (const struct may_block_call &c : may_block_calls) {
		unsigned busy_us = may_block_busy_us(c);
		c.prepare();
		settle();
		saw(c.name, beside(c.name, work, busy_us, c.call));
	}
	return witness_end();
}
