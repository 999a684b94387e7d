/*
 * launch_events - events recorded by launch attributes.
 *
 * A programmatic event (here triggered at the start of the block) and a launch-completion event say that
 * the kernel has begun, never that it has ended (E8): what waits for them may overlap it, and a host wait
 * returns before its end. Each is the event's latest record: it replaces an earlier one. Then twelve short kernels
 * with a programmatic event, launched while their stream is busy.
 *
 * EXPECT edges: E8 >= 13
 * EXPECT unordered: trigger#1 | programmatic_waiter#1
 * EXPECT unordered: trigger#2 | completion_waiter#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(trigger)
SPIN_KERNEL(programmatic_waiter)
SPIN_KERNEL(completion_waiter)

static void launch(cudaStream_t stream, const cudaLaunchAttribute *attribute, struct span *s,
		   unsigned us)
{
	cudaLaunchConfig_t config = {};

	config.gridDim = dim3(1);
	config.blockDim = dim3(1);
	config.stream = stream;
	config.attrs = (cudaLaunchAttribute *)attribute;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, trigger, s, us));
}

int main(void)
{
	cudaStream_t s1, s2;
	cudaEvent_t programmatic, completion;
	cudaLaunchAttribute attribute = {};
	double us;

	witness_start("launch_events");
	load_kernels(trigger, programmatic_waiter, completion_waiter);
	struct span *a = new_span(), *b = new_span(), *c = new_span(), *d = new_span();
	CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&programmatic, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&completion, cudaEventDisableTiming));

	attribute.id = cudaLaunchAttributeProgrammaticEvent;
	attribute.val.programmaticEvent.event = programmatic;
	attribute.val.programmaticEvent.triggerAtBlockStart = 1;
	launch(s1, &attribute, a, 8000);
	CHECK(cudaStreamWaitEvent(s2, programmatic, 0));
	programmatic_waiter<<<1, 1, 0, s2>>>(b, 500);
	us = wall_us();
	CHECK(cudaEventSynchronize(programmatic));
	us = wall_us() - us;
	saw("programmatic_host_wait_covers_kernel", waited(a, us, 8000));
	CHECK(cudaDeviceSynchronize());

	attribute = {};
	attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
	attribute.val.launchCompletionEvent.event = completion;
	launch(s1, &attribute, c, 8000);
	CHECK(cudaStreamWaitEvent(s2, completion, 0));
	completion_waiter<<<1, 1, 0, s2>>>(d, 500);
	us = wall_us();
	CHECK(cudaEventSynchronize(completion));
	us = wall_us() - us;
	saw("completion_host_wait_covers_kernel", waited(c, us, 8000));
	CHECK(cudaDeviceSynchronize());

	bool all_in_order = true;
	attribute = {};
	attribute.id = cudaLaunchAttributeProgrammaticEvent;
	attribute.val.programmaticEvent.event = programmatic;
	attribute.val.programmaticEvent.triggerAtBlockStart = 1;
	for (int i = 0; i < 12; i++) {
		struct span *e = new_span(), *f = new_span();
		busy<<<1, 1, 0, s1>>>(new_span(), 200);
		launch(s1, &attribute, e, 1);
		CHECK(cudaStreamWaitEvent(s2, programmatic, 0));
		programmatic_waiter<<<1, 1, 0, s2>>>(f, 10);
		CHECK(cudaDeviceSynchronize());
		all_in_order &= is_begun_after(f, e);
	}
	must("programmatic_waiter_begins_after_begin_each_time", all_in_order);
	must("programmatic_waiter_begins_after_begin", is_begun_after(b, a));
	saw("programmatic_waiter_overlaps", overlaps(b, a));
	saw("completion_waiter_begins_after_begin", is_begun_after(d, c));
	saw("completion_waiter_overlaps", overlaps(d, c));
	return witness_end();
}
