/*
 * host_func_pair - host functions in two streams, each between two kernels.
 *
 * A host function runs after its stream's earlier work and holds up the later (F1). Two of different
 * streams have no promised order (F2): whether they ran side by side is told.
 *
 * EXPECT ops host_func: 2
 * EXPECT edges: F1 >= 4
 * EXPECT ordered: before#1 -> host_func#1
 * EXPECT ordered: host_func#1 -> after#1
 * EXPECT ordered: before#2 -> host_func#2
 * EXPECT ordered: host_func#2 -> after#2
 * EXPECT unordered: host_func#1 | host_func#2
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

struct side {
	cudaStream_t stream;
	struct span *before, *after;
	bool before_had_ended;
	double begin_us, end_us; /* of the host function */
	volatile int *is_done;	 /* pinned: the host function has run */
	volatile int *after_saw; /* pinned: what the kernel after it found there */
};

SPIN_KERNEL(before)

__global__ void after(struct span *span, volatile int *is_done, volatile int *saw_it)
{
	*saw_it = *is_done;
	spin_span(span, 100);
}

static void CUDART_CB on_host(void *data)
{
	struct side *s = (struct side *)data;
	s->before_had_ended = s->before->end != 0;
	s->begin_us = wall_us();
	host_work_us(3000);
	s->end_us = wall_us();
	*s->is_done = 1;
}

int main(void)
{
	struct side sides[2];
	int *flags;

	witness_start("host_func_pair");
	load_kernels(before, after);
	CHECK(cudaMallocHost(&flags, 4 * sizeof(*flags)));
	memset(flags, 0, 4 * sizeof(*flags));
	for (int i = 0; i < 2; i++) {
		sides[i] = {};
		CHECK(cudaStreamCreateWithFlags(&sides[i].stream, cudaStreamNonBlocking));
		sides[i].before = new_span();
		sides[i].after = new_span();
		sides[i].is_done = &flags[2 * i];
		sides[i].after_saw = &flags[2 * i + 1];
	}
	for (struct side &s : sides) {
		before<<<1, 1, 0, s.stream>>>(s.before, 1000);
		CHECK(cudaLaunchHostFunc(s.stream, on_host, &s));
		after<<<1, 1, 0, s.stream>>>(s.after, s.is_done, s.after_saw);
	}
	CHECK(cudaDeviceSynchronize());

	must("runs_after_earlier_work", sides[0].before_had_ended && sides[1].before_had_ended);
	must("holds_up_later_work", *sides[0].after_saw && *sides[1].after_saw);
	saw("two_streams_overlap",
	    sides[0].begin_us < sides[1].end_us && sides[1].begin_us < sides[0].end_us);
	return witness_end();
}
