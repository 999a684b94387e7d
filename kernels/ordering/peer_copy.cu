/*
 * peer_copy - copies between two devices and what they wait for. Needs two GPUs.
 *
 * A kernel is busy in a stream of either device; a copy from device 0 to device 1 follows, made with
 * device 0 current, then a kernel on each device. cudaMemcpyPeer is ordered with the work of
 * both devices (M2), and holds up a later kernel in a blocking stream of device 1. For a
 * plain cudaMemcpy between the devices, and the Async form in a stream of its own, it is told. Then twelve short
 * rounds of the first on both devices.
 *
 * EXPECT edges: M2 >= 48
 * EXPECT none: lost-records
 */
#include <string>

#include "kernels/ordering/witness.h"

static const unsigned busy_us = 5000;

/* Devices have clocks of their own: it is the other kernel's end itself that is looked for. */
__global__ void probe(const struct span *other, volatile int *saw_end)
{
	*saw_end = other->end != 0;
}

int main(void)
{
	static const char *const copies[] = {"peer", "plain", "peer_async"};
	cudaStream_t blocking[2], other[2], own;
	char *memory[2];
	int count, *saw_end;

	witness_start("peer_copy");
	CHECK(cudaGetDeviceCount(&count));
	if (count < 2) {
		fprintf(stderr, "skipped: two GPUs are needed, this machine has one\n");
		return EXIT_SKIPPED;
	}
	CHECK(cudaMallocHost(&saw_end, 2 * sizeof(*saw_end)));
	for (int i = 1; i >= 0; i--) {
		CHECK(cudaSetDevice(i));
		load_kernels(busy, probe);
		CHECK(cudaStreamCreate(&blocking[i]));
		CHECK(cudaStreamCreateWithFlags(&other[i], cudaStreamNonBlocking));
		CHECK(cudaMalloc(&memory[i], 4096));
	}
	CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));

	for (int c = 0; c < 3; c++) {
		for (int k = 0; k < 4; k++) {
			int device = k / 2;
			struct span *s = new_span();
			CHECK(cudaSetDevice(device));
			busy<<<1, 1, 0, k % 2 ? other[device] : blocking[device]>>>(s, busy_us);
			await_begin(s);
			CHECK(cudaSetDevice(0));
			double us = wall_us();
			CHECK(c == 0 ? cudaMemcpyPeer(memory[1], 1, memory[0], 0, 4096)
			      : c == 1
				      ? cudaMemcpy(memory[1], memory[0], 4096, cudaMemcpyDefault)
				      : cudaMemcpyPeerAsync(memory[1], 1, memory[0], 0, 4096, own));
			us = wall_us() - us;
			int host_waits = waited(s, us, busy_us);
			cudaStream_t last = c == 2 ? own : cudaStreamLegacy;
			probe<<<1, 1, 0, last>>>(s, &saw_end[0]);
			CHECK(cudaSetDevice(1));
			probe<<<1, 1, 0, blocking[1]>>>(s, &saw_end[1]);
			CHECK(cudaDeviceSynchronize());
			CHECK(cudaSetDevice(0));
			CHECK(cudaDeviceSynchronize());

			std::string name = copies[c];
			name += device ? "_destination" : "_source";
			name += k % 2 ? "_nonblocking" : "_blocking";
			/*
			 * What proves it: beside device 0's work a kernel behind the copy on device
			 * 1, beside device 1's one on device 0. Nothing else joins the two.
			 */
			int is_ordered = c == 2 || device ? saw_end[0] : saw_end[1];
			if (c == 0 && k % 2 == 0) {
				must((name + "_ordered").c_str(), is_ordered);
			} else {
				saw((name + "_ordered").c_str(), is_ordered);
			}
			saw((name + "_host_waits").c_str(), host_waits);
		}
	}
	for (int i = 0; i < 12; i++) {
		for (int device : {1, 0}) {
			CHECK(cudaSetDevice(device));
			busy<<<1, 1, 0, blocking[device]>>>(new_span(), 200);
		}
		CHECK(cudaMemcpyPeer(memory[1], 1, memory[0], 0, 4096));
		for (int device : {1, 0}) {
			CHECK(cudaSetDevice(device));
			busy<<<1, 1, 0, blocking[device]>>>(new_span(), 10);
		}
		for (int device : {1, 0}) {
			CHECK(cudaSetDevice(device));
			CHECK(cudaDeviceSynchronize());
		}
	}
	return witness_end();
}
