/*
 * launch_event_pair - one launch that records two events by its attributes.
 *
 * The programmatic event, triggered at the start of the block, and the launch-completion event are both the latest
 * record of theirs (E8): a wait for either is not for the earlier record, which a long kernel in a third stream
 * precedes. Neither says that the kernel has ended;
 * the completion one is a best effort, so its edge is only possible, and not counted here.
 *
 * EXPECT edges: E8 >= 1
 * EXPECT unordered: trigger#1 | programmatic_waiter#1
 * EXPECT unordered: trigger#1 | completion_waiter#1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

SPIN_KERNEL(earlier)
SPIN_KERNEL(trigger)
SPIN_KERNEL(programmatic_waiter)
SPIN_KERNEL(completion_waiter)

int main(void)
{
	cudaStream_t s1, s2, s3, s4;
	cudaEvent_t programmatic, completion;
	cudaLaunchAttribute attributes[2] = {};
	cudaLaunchConfig_t config = {};

	witness_start("launch_event_pair");
	load_kernels(earlier, trigger, programmatic_waiter, completion_waiter);
	struct span *a = new_span(), *b = new_span(), *c = new_span(), *d = new_span();
	for (cudaStream_t *s : {&s1, &s2, &s3, &s4}) {
		CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
	}
	CHECK(cudaEventCreateWithFlags(&programmatic, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&completion, cudaEventDisableTiming));
	earlier<<<1, 1, 0, s4>>>(a, 12000);
	CHECK(cudaEventRecord(programmatic, s4));
	CHECK(cudaEventRecord(completion, s4));

	attributes[0].id = cudaLaunchAttributeProgrammaticEvent;
	attributes[0].val.programmaticEvent.event = programmatic;
	attributes[0].val.programmaticEvent.triggerAtBlockStart = 1;
	attributes[1].id = cudaLaunchAttributeLaunchCompletionEvent;
	attributes[1].val.launchCompletionEvent.event = completion;
	config.gridDim = dim3(1);
	config.blockDim = dim3(1);
	config.stream = s1;
	config.attrs = attributes;
	config.numAttrs = 2;
	cudaError_t result = cudaLaunchKernelEx(&config, trigger, b, 6000u);
	if (result != cudaSuccess) {
		(void)cudaGetLastError();
		saw("both_attributes_accepted", 0);
		CHECK(cudaDeviceSynchronize());
		return witness_end();
	}
	CHECK(cudaStreamWaitEvent(s2, programmatic, 0));
	programmatic_waiter<<<1, 1, 0, s2>>>(c, 500);
	CHECK(cudaStreamWaitEvent(s3, completion, 0));
	completion_waiter<<<1, 1, 0, s3>>>(d, 500);
	CHECK(cudaDeviceSynchronize());

	saw("both_attributes_accepted", 1);
	must("programmatic_waiter_begins_after_begin", is_begun_after(c, b));
	saw("completion_waiter_begins_after_begin", is_begun_after(d, b));
	saw("programmatic_record_is_latest", !is_after(c, a));
	saw("completion_record_is_latest", !is_after(d, a));
	saw("programmatic_waiter_overlaps", overlaps(c, b));
	saw("completion_waiter_overlaps", overlaps(d, b));
	return witness_end();
}
