/*
 * host_func - host functions in a stream, in the current form and in the deprecated one.
 *
 * before, a host function (1 ms), between, a stream callback (1 ms) and after, in one stream: each host
 * function runs when what is before it has finished, and holds up what follows. No CUDA call is made
 * from inside one.
 *
 * EXPECT streams: 1
 * EXPECT ops kernel: 6
 * EXPECT ops host_func: 2
 * EXPECT edges: F1 >= 2
 * EXPECT ordered: before#2 -> host_func#1
 * EXPECT ordered: host_func#1 -> between#2
 * EXPECT ordered: between#2 -> host_func#2
 * EXPECT ordered: host_func#2 -> after#2
 * EXPECT none: default-stream-serialization
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

__global__ void before(unsigned us)
{
	spin_us(us);
}

__global__ void between(unsigned us)
{
	spin_us(us);
}

__global__ void after(unsigned us)
{
	spin_us(us);
}

struct log {
	int calls;
	bool in_order;
};

static void host_task(void *data)
{
	struct log *log = (struct log *)data;
	host_work_us(1000);
	log->in_order = log->calls == 0;
	log->calls++;
}

static void CUDART_CB stream_callback(cudaStream_t, cudaError_t status, void *data)
{
	struct log *log = (struct log *)data;
	host_work_us(1000);
	log->in_order = log->in_order && log->calls == 1 && status == cudaSuccess;
	log->calls++;
}

int main(void)
{
	cudaStream_t stream;
	struct log log = {0, false};

	require_gpu();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	before<<<1, 1, 0, stream>>>(1);
	between<<<1, 1, 0, stream>>>(1);
	after<<<1, 1, 0, stream>>>(1);
	settle();

	double begin = wall_us();
	before<<<1, 1, 0, stream>>>(1000);
	CHECK(cudaLaunchHostFunc(stream, host_task, &log));
	between<<<1, 1, 0, stream>>>(1000);
	CHECK(cudaStreamAddCallback(stream, stream_callback, &log, 0));
	after<<<1, 1, 0, stream>>>(1000);
	CHECK(cudaStreamSynchronize(stream));
	report("host_func", wall_us() - begin);

	VERIFY(log.calls == 2 && log.in_order, "host functions run once each and in order");
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
