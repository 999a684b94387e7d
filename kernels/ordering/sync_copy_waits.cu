/*
 * sync_copy_waits - the host waits for synchronous copies that are short, behind a short kernel.
 *
 * To the host (pinned and pageable), from pinned memory, and from host to host: each call returns when its copy, which
 * waits for the kernel, is done (H4); what is copied to the host is what the kernel left.
 *
 * EXPECT ops memcpy: >= 96
 * EXPECT edges: H4 >= 96
 * EXPECT edges: S3 == 0
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

__global__ void count_up(struct span *span, unsigned us, int *value)
{
	spin_span(span, us);
	++*value;
}

int main(void)
{
	const int rounds = 24;
	int *device, *pinned, pageable = 0;
	bool is_pageable_right = true, is_pinned_right = true, is_host_right = true;

	witness_start("sync_copy_waits");
	load_kernels(count_up);
	CHECK(cudaMalloc(&device, 2 * sizeof(*device)));
	CHECK(cudaMallocHost(&pinned, 2 * sizeof(*pinned)));
	CHECK(cudaMemset(device, 0, 2 * sizeof(*device)));
	pinned[0] = pinned[1] = 0;
	CHECK(cudaDeviceSynchronize());
	for (int i = 1; i <= rounds; i++) {
		struct span *s = new_span();
		count_up<<<1, 1>>>(s, 30, device);
		CHECK(cudaMemcpy(&pageable, device, sizeof(int), cudaMemcpyDeviceToHost));
		is_pageable_right &= pageable == i && s->end != 0;
		count_up<<<1, 1>>>(s, 30, device + 1);
		CHECK(cudaMemcpy(pinned, device + 1, sizeof(int), cudaMemcpyDeviceToHost));
		is_pinned_right &= pinned[0] == i;
		CHECK(cudaMemcpy(device + 1, pinned, sizeof(int), cudaMemcpyHostToDevice));
		count_up<<<1, 1>>>(s, 30, pinned + 1);
		CHECK(cudaMemcpy(&pageable, pinned + 1, sizeof(int), cudaMemcpyHostToHost));
		is_host_right &= pageable == i;
	}
	must("pageable_d2h_waits", is_pageable_right);
	must("pinned_d2h_waits", is_pinned_right);
	saw("h2h_waits", is_host_right);
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(pinned));
	return witness_end();
}
