/*
 * queue_full - more launches than a command queue takes, behind a kernel that keeps it from draining.
 *
 * The call for a launch returns at once until the queue is full; then it returns when an earlier operation has
 * made room (H9): told is whether one of the calls was held until the busy kernel had ended, and the number of
 * launches that went in before it.
 *
 * EXPECT ops kernel: >= 1500
 * EXPECT edges: S3 == 0
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

static const unsigned launches = 1500, busy_us = 200000;

int main(void)
{
	cudaStream_t stream;
	unsigned held_at = 0;
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
		warm_up<<<1, 1, 0, stream>>>(unused, 0);
		us = wall_us() - us;
		if (us > longest_us) {
			longest_us = us;
			held_at = i;
			was_over = s->end != 0;
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	saw("launch_held_until_kernel_ended", was_over && longest_us > busy_us / 2);
	claim("held_at=%u", held_at);
	claim("held_us=%.1f", longest_us);
	return witness_end();
}
