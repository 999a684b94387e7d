/*
 * programmatic_chain - three kernels launched with programmatic stream serialization, then an ordinary one.
 *
 * Each triggers at once and none waits for its predecessor, so the three may overlap: begin -> begin only
 * (S2). The ordinary kernel waits for the end of every one of them, of the longest, the first, too. Then twelve
 * short chains, launched while the stream is busy: there the device alone says when each begins.
 *
 * EXPECT edges: S2 >= 24
 * EXPECT ordered: first#1 -> ordinary#1
 * EXPECT ordered: second#1 -> ordinary#1
 * EXPECT ordered: third#1 -> ordinary#1
 * EXPECT unordered: first#1 | second#1
 * EXPECT unordered: second#1 | third#1
 * EXPECT unordered: first#1 | third#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

#define TRIGGER_KERNEL(name)                                 \
	__global__ void name(struct span *span, unsigned us) \
	{                                                    \
		cudaTriggerProgrammaticLaunchCompletion();   \
		spin_span(span, us);                         \
	}
TRIGGER_KERNEL(first)
TRIGGER_KERNEL(second)
TRIGGER_KERNEL(third)
SPIN_KERNEL(ordinary)

static void launch(void (*kernel)(struct span *, unsigned), cudaStream_t stream, struct span *s,
		   unsigned us)
{
	cudaLaunchAttribute attribute = {};
	cudaLaunchConfig_t config = {};

	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = dim3(1);
	config.blockDim = dim3(1);
	config.stream = stream;
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, kernel, s, us));
}

int main(void)
{
	cudaStream_t stream;

	witness_start("programmatic_chain");
	load_kernels(first, second, third, ordinary);
	struct span *a = new_span(), *b = new_span(), *c = new_span(), *d = new_span();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	launch(first, stream, a, 8000);
	launch(second, stream, b, 4000);
	launch(third, stream, c, 2000);
	ordinary<<<1, 1, 0, stream>>>(d, 500);
	CHECK(cudaDeviceSynchronize());

	bool all_in_order = true, all_waited_for = true;
	for (int i = 0; i < 12; i++) {
		struct span *s[5];
		for (struct span *&one : s) {
			one = new_span();
		}
		ordinary<<<1, 1, 0, stream>>>(s[0], 200);
		launch(first, stream, s[1], 100);
		launch(second, stream, s[2], 50);
		launch(third, stream, s[3], 20);
		ordinary<<<1, 1, 0, stream>>>(s[4], 10);
		CHECK(cudaDeviceSynchronize());
		all_in_order &= is_begun_after(s[2], s[1]) && is_begun_after(s[3], s[2]);
		all_waited_for &=
			is_after(s[4], s[1]) && is_after(s[4], s[2]) && is_after(s[4], s[3]);
	}
	must("begins_in_order_each_time", all_in_order);
	must("ordinary_waits_for_all_each_time", all_waited_for);
	must("begins_in_order", is_begun_after(b, a) && is_begun_after(c, b));
	must("ordinary_waits_for_all", is_after(d, a) && is_after(d, b) && is_after(d, c));
	saw("second_overlaps_first", overlaps(b, a));
	saw("third_overlaps_second", overlaps(c, b));
	saw("third_overlaps_first", overlaps(c, a));
	CHECK(cudaStreamDestroy(stream));
	return witness_end();
}
