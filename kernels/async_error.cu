/*
 * async_error - an illegal access inside a kernel, found at a later call.
 *
 * The launch itself succeeds. The error shows at the stream's synchronize, and again at every later
 * call, as it cannot be cleared within the process; so nothing is freed here. Status 0 says that the
 * error came as described.
 *
 * EXPECT ops kernel: 1..2
 * EXPECT none: default-stream-serialization
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 */
#include "kernels/common.h"

__global__ void harmless(unsigned us)
{
	spin_us(us);
}

__global__ void illegal_store(int *nowhere)
{
	*nowhere = 1;
}

int main(void)
{
	cudaStream_t stream;

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	harmless<<<1, 1, 0, stream>>>(1);
	settle();

	double begin = wall_us();
	illegal_store<<<1, 1, 0, stream>>>((int *)256);
	CHECK(cudaPeekAtLastError());
	cudaError_t at_sync = cudaStreamSynchronize(stream);
	report("async_error", wall_us() - begin);

	VERIFY(at_sync == cudaErrorIllegalAddress, "the synchronize reports the illegal access");
	VERIFY(cudaStreamQuery(stream) == cudaErrorIllegalAddress, "later calls fail too");
	return 0;
}
