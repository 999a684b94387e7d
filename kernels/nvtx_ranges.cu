/*
 * nvtx_ranges - a program that names what it does by NVTX: ranges, marks, domains, threads.
 *
 * Two steps in the thread's stack of ranges, each with a copy, kernels and a wait inside of it; a range of a domain of
 * its own that begins in one thread and ends in another; a mark with a payload; a second thread with a
 * name and a range of its own. What NVTX names orders nothing.
 *
 * EXPECT ops kernel: 8
 * EXPECT ops memcpy: 2
 * EXPECT edges: S3 == 0
 * EXPECT unordered: other#2 | step#4
 * EXPECT none: lost-records
 */
#include <thread>

#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/common.h"

__global__ void step(unsigned us)
{
	spin_us(us);
}

__global__ void other(unsigned us)
{
	spin_us(us);
}

static void work_beside(cudaStream_t stream, nvtxDomainHandle_t domain, nvtxRangeId_t range)
{
	nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "helper");
	nvtxRangePushA("beside");
	other<<<1, 1, 0, stream>>>(1000);
	CHECK(cudaStreamSynchronize(stream));
	nvtxRangePop();
	nvtxDomainRangeEnd(domain, range);
}

int main(void)
{
	const size_t size = 1 << 20;
	cudaStream_t stream, second;
	nvtxEventAttributes_t mark = {};
	char *device, *pinned;

	require_gpu();
	nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "main");
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, size));
	CHECK(cudaMallocHost(&pinned, size));
	nvtxRangePushA("warm-up");
	step<<<1, 1, 0, stream>>>(1);
	step<<<1, 1, 0, stream>>>(1);
	other<<<1, 1, 0, second>>>(1);
	settle();
	nvtxRangePop();

	nvtxDomainHandle_t domain = nvtxDomainCreateA("pipeline");
	nvtxStringHandle_t name = nvtxDomainRegisterStringA(domain, "both threads");
	nvtxEventAttributes_t attributes = {};
	attributes.version = mark.version = NVTX_VERSION;
	attributes.size = mark.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	attributes.message.registered = name;
	mark.messageType = NVTX_MESSAGE_TYPE_ASCII;
	mark.message.ascii = "halfway";
	mark.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
	mark.payload.ullValue = 2;

	double begin = wall_us();
	nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &attributes);
	std::thread helper(work_beside, second, domain, range);
	for (int i = 0; i < 2; i++) {
		nvtxRangePushA(i ? "second step" : "first step");
		nvtxRangePushA("copy in");
		CHECK(cudaMemcpyAsync(device, pinned, size, cudaMemcpyHostToDevice, stream));
		nvtxRangePop();
		nvtxRangePushA("compute");
		step<<<1, 1, 0, stream>>>(500);
		step<<<1, 1, 0, stream>>>(500);
		nvtxRangePop();
		CHECK(cudaStreamSynchronize(stream));
		nvtxRangePop();
		if (i == 0) {
			nvtxMarkEx(&mark);
		}
	}
	helper.join();
	CHECK(cudaDeviceSynchronize());
	report("nvtx_ranges", wall_us() - begin);

	nvtxDomainDestroy(domain);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(pinned));
	return 0;
}
