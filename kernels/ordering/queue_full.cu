/*
 * queue_full - more launches than a command queue takes, behind a kernel that keeps it from draining.
 *
 * The call for a launch returns at once until the queue is full; then it returns when an earlier operation has
 * made room (H9): told is whether one of the calls was held until the busy kernel had ended, and the number of
 * launches that went in before it. What was launched takes a while, too: each later call waits for one of these.
 *
 * EXPECT ops kernel: >= 1100
 * EXPECT edges: S3 == 0
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

static const unsigned launches = 1100, busy_us = 100000, each_us = 100;

int main(void)
{
	cudaStream_t stream;
	unsigned held_at = 0;
	unsigned held = 0;
	double longest_us = 0;
	bool was_over = false;

	witness_start("queue_full");
	load_kernels(busy, warm_up);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	struct span *s = new_span(), *unused = new_span();
	busy<<<1, 1, 0, stream>>>(s, busy_us);
	await_begin(s);
	for (unsigned i = 0; i < launches; i++) {
		double us = wall_us();
		warm_up<<<1, 1, 0, stream>>>(unused, each_us);
		us = wall_us() - us;
		held += us > each_us / 2;
		if (us > longest_us) {
			longest_us = us;
			held_at = i;
			was_over = s->end != 0;
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	saw("launch_held_until_kernel_ended", was_over && longest_us > busy_us / 2);
	claim("held_at=%u", held_at);
	claim("held_calls=%u", held);
	claim("held_us=%.1f", longest_us);
	return witness_end();
}
