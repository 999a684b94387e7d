/*
 * multi_device - one cooperative launch on two devices. Needs two GPUs.
 *
 * Each of its kernels waits for what is in both streams, and what follows in either stream for both kernels,
 * unless flagged off (M6). The clocks of two devices are not compared: a kernel looks for the end of the other one
 * in memory.
 *
 * EXPECT edges: M6 >= 4
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness_driver.h"

/* Devices have clocks of their own: it is the other kernel's end itself that is looked for. */
__global__ void looks(struct span *own, const struct span *other, volatile int *saw_end,
		      unsigned us)
{
	*saw_end = other->end != 0;
	spin_span(own, us);
}

int main(void)
{
	auto launch = DRIVER_CALL(cuLaunchCooperativeKernelMultiDevice);
	cudaStream_t streams[2];
	int count, *saw_end;

	witness_start("multi_device");
	CHECK(cudaGetDeviceCount(&count));
	if (count < 2) {
		fprintf(stderr, "skipped: two GPUs are needed, this machine has one\n");
		return EXIT_SKIPPED;
	}
	CHECK(cudaMallocHost(&saw_end, 4 * sizeof(*saw_end)));
	for (int i = 1; i >= 0; i--) {
		CHECK(cudaSetDevice(i));
		load_kernels(busy, looks);
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	}
	for (unsigned flags : {0u, 3u}) {
		struct span *before = new_span(), *own[2] = {new_span(), new_span()},
			    *behind = new_span();
		CUDA_LAUNCH_PARAMS params[2] = {};
		cudaFunction_t functions[2];
		unsigned us[2] = {500, 5000};
		int *seen[2] = {&saw_end[0], &saw_end[1]};
		void *arguments[2][4];

		CHECK(cudaSetDevice(0));
		busy<<<1, 1, 0, streams[0]>>>(before, 5000);
		await_begin(before);
		for (int i = 0; i < 2; i++) {
			CHECK(cudaSetDevice(i));
			CHECK(cudaGetFuncBySymbol(&functions[i], (const void *)looks));
			arguments[i][0] = &own[i];
			arguments[i][1] = &before;
			arguments[i][2] = &seen[i];
			arguments[i][3] = &us[i];
			params[i].function = functions[i];
			params[i].gridDimX = params[i].gridDimY = params[i].gridDimZ = 1;
			params[i].blockDimX = params[i].blockDimY = params[i].blockDimZ = 1;
			params[i].hStream = streams[i];
			params[i].kernelParams = arguments[i];
		}
		CUresult result = launch(params, 2, flags);
		if (result != CUDA_SUCCESS) {
			claim("launch_result=%d", (int)result);
			CHECK(cudaSetDevice(0));
			CHECK(cudaDeviceSynchronize());
			return witness_end();
		}
		/* In the first stream, behind a kernel that is short there and long on the other device. */
		CHECK(cudaSetDevice(0));
		looks<<<1, 1, 0, streams[0]>>>(behind, own[1], &saw_end[2], 100);
		for (int i = 0; i < 2; i++) {
			CHECK(cudaSetDevice(i));
			CHECK(cudaDeviceSynchronize());
		}
		if (!flags) {
			must("waits_for_other_stream", saw_end[1]);
			must("later_work_waits_for_other_kernel", saw_end[2]);
		} else {
			saw("flagged_off_waits_for_other_stream", saw_end[1]);
			saw("flagged_off_later_work_waits", saw_end[2]);
		}
	}
	return witness_end();
}
